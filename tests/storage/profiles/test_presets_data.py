"""What the presets that come with the program say: each kind of server is there, and nothing in them is careless."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from rpcexplorer.auth.registry import auth_of
from rpcexplorer.model.profile import Profile
from rpcexplorer.storage.profiles.presets import SHIPPED, Presets

PROMISED: Final = [
    "service", "aria2", "bcoin", "bitcoin", "deluge", "electrum", "ethereum", "kodi", "mcp", "monero", "moonraker",
    "mopidy", "nzbget", "odoo", "snapcast", "transmission", "ubus", "xapi", "zabbix",
]  # fmt: skip

CHANGES: Final = {
    "add", "append", "ban", "bans", "broadcast", "clear", "connect", "create", "delete", "destroy", "dump", "edit",
    "execute", "import", "kill", "login", "logout", "move", "notify", "pause", "play", "purge", "quit", "reboot",
    "remove", "replace", "reset", "resume", "script", "send", "set", "shutdown", "sign", "start", "stop", "submit",
    "transfer", "unlock", "update", "write",
}  # fmt: skip
"""Words in the names of methods that change something."""

READS: Final = {"web.update_ui": "in spite of its name: it is how its pages are refreshed"}


def values(name: str) -> Profile:
    found = Presets(Path("/nowhere")).load(name)
    assert found is not None
    return found.preset.values


def test_every_kind_of_server_that_is_promised_has_a_preset() -> None:
    assert {file.stem for file in SHIPPED.glob("*.toml")} >= set(PROMISED)


@pytest.mark.parametrize("name", PROMISED)
def test_every_method_is_explained_and_nothing_that_changes_something_is_called_safe(name: str) -> None:
    for method, note in values(name).methods.items():
        assert note.doc.endswith("."), method
        words = {word.lower() for word in re.findall("[A-Z]+(?![a-z])|[A-Z]?[a-z]+", method)}
        assert not note.safe or method in READS or not words & CHANGES, method


@pytest.mark.parametrize("name", [name for name in PROMISED if name not in {"service", "odoo", "ubus"}])
def test_there_is_a_safe_method_to_begin_with_that_takes_nothing(name: str) -> None:
    notes = values(name).methods.values()
    assert any(note.safe and note.params is None for note in notes)


@pytest.mark.parametrize("name", PROMISED)
def test_its_login_goes_without_a_session_and_asks_for_no_more_than_its_kind_takes(name: str) -> None:
    profile = values(name)
    note = profile.methods.get(profile.login.method)
    if profile.has_login and note is not None and name not in {"odoo", "ubus"}:  # there every call has the same name
        assert note.auth == "none"
    assert set(auth_of(profile).secrets(profile)) <= {"username", "password", "token", "session"}


@pytest.mark.parametrize("name", PROMISED)
def test_it_names_a_path_and_how_its_methods_are_found(name: str) -> None:
    text = (SHIPPED / f"{name}.toml").read_text(encoding="utf-8")
    assert values(name).path.startswith("/")
    assert re.search(r"^auth = ", text, re.MULTILINE)
    assert name == "service" or re.search(r"^discovery = ", text, re.MULTILINE)
