"""A demo service for all screen tests, and an explorer in a test's folder."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import pytest
import textual.pilot
from textual._compositor import Compositor
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

from rpcexplorer.demo import PASSWORD, USERNAME
from rpcexplorer.demo.http import DemoThread
from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.app import PersonOnScreen
from tests.tui.idle import wait_for_idle

for module in (textual.app, textual.pilot):
    module.wait_for_idle = wait_for_idle  # type: ignore[attr-defined]  # not theirs to export
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
    """Keep the clipboard of the machine untouched."""
    monkeypatch.setattr("rpcexplorer.tui.processes.tools", lambda: iter(()))


@pytest.fixture(autouse=True)
def undrawn(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Skip the output to a terminal, which takes most of the time.

    Pictures are drawn separately.
    """
    drawn = Compositor.render_update

    def clear(self: Compositor, full: bool = False, **more: Any) -> Any:
        return drawn(self, full=True, **more) if full else self._dirty_regions.clear()

    if request.node.get_closest_marker("drawn") is None:
        monkeypatch.setattr(Compositor, "render_update", clear)


@pytest.fixture(autouse=True, scope="session")
def parsed_once() -> Iterator[None]:
    """Parse each style sheet once: a start of the program reads 200 of them."""
    parse, known = Stylesheet._parse_rules, defaultdict[frozenset[Any], dict[Any, list[RuleSet]]](dict)
    colours, of_these = dict[str, str](), dict[Any, list[RuleSet]]()

    def parsed(self: Stylesheet, *sheet: Any, **more: Any) -> list[RuleSet]:
        nonlocal colours, of_these
        if colours is not self._variables:
            colours, of_these = self._variables, known[frozenset(self._variables.items())]
        key = (*sheet, *more.items())
        if key not in of_these:
            of_these[key] = parse(self, *sheet, **more)
        return of_these[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", parsed)
        yield


@pytest.fixture(autouse=True, scope="session")
def counted_once() -> Iterator[None]:
    """Cache the number of a callback's parameters, which Textual counts often."""
    count, known = textual._callback._count_parameters, dict[tuple[CodeType, bool], int]()

    def counted(func: Callable[..., Any]) -> int:
        code = getattr(func, "__code__", None)
        if code is None or hasattr(func, "__wrapped__"):
            return count(func)
        key = (code, hasattr(func, "__self__"))
        if key not in known:
            known[key] = count(func)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(textual._callback, "_count_parameters", counted)
        yield


@pytest.fixture(scope="session")
def service() -> Iterator[str]:
    with DemoThread() as demo:
        yield demo.url


@pytest.fixture
def person() -> PersonOnScreen:
    return PersonOnScreen()


@pytest.fixture
def make_explorer(tmp_path: Path, person: PersonOnScreen) -> Callable[..., Explorer]:
    """Return a function that opens an explorer on the same files each time."""

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
