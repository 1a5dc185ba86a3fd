"""One demo service for all tests of the screen, and an explorer whose files all lie in a folder of the test's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rpcexplorer.demo import PASSWORD, USERNAME
from rpcexplorer.demo.server import DemoThread
from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.person import PersonOnScreen

PROFILES = """\
version = 1
default = "demo"

[profile.demo]
url = "{url}"
description = "Sends calls as they are"
badge = "dev"
auth = {{ kind = "none" }}

[profile.inline]
url = "{url}"
badge = "staging"
auth = {{ kind = "inline", username = "{user}" }}

[profile.cookie]
url = "{url}"
auth = {{ kind = "cookie", username = "{user}" }}

[profile.prod]
url = "{url}"
badge = "prod"
auth = {{ kind = "none" }}

[profile.dead]
url = "http://127.0.0.1:9"
auth = {{ kind = "none" }}
"""


@pytest.fixture(autouse=True)
def polite(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clipboard of whoever runs the tests is left alone."""
    monkeypatch.setattr("rpcexplorer.tui.clipboard.tools", lambda: iter(()))


@pytest.fixture(scope="session")
def service() -> Iterator[str]:
    with DemoThread() as demo:
        yield demo.url


@pytest.fixture
def person() -> PersonOnScreen:
    return PersonOnScreen()


@pytest.fixture
def make_explorer(tmp_path: Path, person: PersonOnScreen) -> Callable[..., Explorer]:
    """Opens an explorer on the same files as often as wanted: each time as a new start of the program."""

    def make(profiles: str, **variables: str) -> Explorer:
        folder = tmp_path / "work"
        folder.mkdir(exist_ok=True)
        sessions = folder / "sessions.toml"
        if profiles and not sessions.exists():
            sessions.write_text(profiles)
        environment = {"RPCEXPLORER_HOME": str(tmp_path / "home"), **variables}
        return Explorer.open(folder=folder, environment=environment, person=person)

    return make


@pytest.fixture
def explorer(make_explorer: Callable[..., Explorer], service: str) -> Explorer:
    return make_explorer(
        PROFILES.format(url=service, user=USERNAME),
        RPCEXPLORER_INLINE_PASSWORD=PASSWORD,
        RPCEXPLORER_COOKIE_PASSWORD=PASSWORD,
    )
