"""Addresses that are typed into the form of a profile."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from rpcexplorer.model.problem import Changes
from rpcexplorer.model.profile import Profile
from rpcexplorer.profiles.edits import ProfileEdits
from rpcexplorer.profiles.layers import Presets
from rpcexplorer.profiles.profiles import Profiles
from rpcexplorer.tui.profile_form import (
    add_profile,
    address_values,
    calls_go_to,
    edit_profile,
    fields_of,
    path_for,
    values_of,
    with_path,
    wrong_values,
)
from tests.profiles.reading import good, read


def edits_of(folder: Path, profiles: Profiles) -> ProfileEdits:
    return ProfileEdits(folder / "home" / "config" / "sessions.toml", folder / "locks", profiles=profiles)


def typed(address: str) -> dict[str, str]:
    return {field.key: field.value for field in fields_of(None)} | {"name": "p", "url": address}


@pytest.mark.parametrize(
    ("address", "endpoint", "path"),
    [
        ("ws://h", "ws://h/rpc", "/rpc"),
        ("wss://h/", "wss://h/", "/"),
        (" tcp://h:1 ", "tcp://h:1", ""),
        ("unix:///x", "unix:///x", ""),
        ("http+unix:///x", "http+unix:///x:/rpc", "/rpc"),
        ("http+unix:///x:/y", "http+unix:///x:/y", "/y"),
        ("ws+unix:///x:/y", "ws+unix:///x:/y", "/y"),
        ("stdio: pylsp  'a b'", "stdio:pylsp 'a b'", ""),
        ("h:8000", "http://h:8000/rpc", "/rpc"),
        ("h:443/", "https://h:443/", "/"),
    ],
)
def test_typed_address_shows_where_calls_go(address: str, endpoint: str, path: str) -> None:
    assert calls_go_to(address, "/rpc").partition("\n")[0] == f"Calls go to {endpoint}"
    assert address_values(address, "/rpc").get("path", "") == path
    completed = with_path({"url": address.strip()}, "/rpc")["url"]
    assert calls_go_to(completed, "/other") == f"Calls go to {endpoint}"


@pytest.mark.parametrize(
    ("address", "preset", "endpoint"),
    [
        ("ws://h", "", "ws://h/"),
        ("http://h", "", "http://h/api/v2/"),
        ("ws://h", "moonraker", "ws://h/websocket"),
        ("http://h", "moonraker", "http://h/server/jsonrpc"),
        ("ws://h", "lsp", "ws://h/"),
    ],
)
def test_form_shows_the_endpoint_that_is_saved(tmp_path: Path, address: str, preset: str, endpoint: str) -> None:
    loaded = Presets(tmp_path).load(preset)
    presets = [loaded.preset] if loaded else []
    filled = typed(address) | (values_of(presets[0]) | {"preset": preset} if presets else {})
    shown = calls_go_to(address, path_for(presets[0] if presets else None, address))
    assert shown.partition("\n")[0] == f"Calls go to {endpoint}"
    assert add_profile(edits_of(tmp_path, read(tmp_path)), filled, [], presets) is None
    assert good(read(tmp_path), "p").endpoint == endpoint


@pytest.mark.parametrize(
    ("changes", "saved"),
    [
        ((("url", "stdio:"), ("command", ["pylsp"])), {"url": "stdio:", "command": ["pylsp"], "preset": "lsp"}),
        ((("url", "ws://h"),), {"url": "ws://h", "preset": "lsp"}),
    ],
)
def test_typed_preset_is_saved_by_the_form(tmp_path: Path, changes: Changes, saved: dict[str, object]) -> None:
    typed = Profiles(own_presets=tmp_path).typed((*changes, ("preset", "lsp")))
    loaded = Presets(tmp_path).load("lsp")
    assert isinstance(typed, Profile)
    assert loaded is not None
    filled = {field.key: field.value for field in fields_of(None, typed, presets=[loaded.preset], preset=loaded.preset)}
    assert filled["preset"] == "lsp"
    edits = edits_of(tmp_path, read(tmp_path))
    assert add_profile(edits, filled | {"name": "p"}, [], [loaded.preset]) is None
    assert tomllib.loads(edits.file.read_text())["profile"]["p"] == saved


@pytest.mark.parametrize(
    "address", ["stdio:", "stdio:'x", "tcp://h", "stdio:x --token=abc", "unix://x", "http+unix://x"]
)
def test_address_that_cannot_be_used_is_not_repeated(address: str) -> None:
    assert calls_go_to(address, "/rpc") == ""


@pytest.mark.parametrize("address", ["stdio:pylsp 'a b'", "tcp://h:1", "http+unix:///x:/y", "ws://h/y"])
def test_saved_address_is_shown_as_typed(tmp_path: Path, address: str) -> None:
    assert add_profile(edits_of(tmp_path, read(tmp_path)), typed(address), []) is None
    profile = good(read(tmp_path), "p")
    assert profile.endpoint == address
    assert next(field.value for field in fields_of(profile) if field.key == "url") == address


def test_host_and_port_are_saved_as_http(tmp_path: Path) -> None:
    assert wrong_values(typed("h:8000/x")) is None
    assert add_profile(edits_of(tmp_path, read(tmp_path)), typed("h:8000/x"), []) is None
    assert good(read(tmp_path), "p").endpoint == "http://h:8000/x"


@pytest.mark.parametrize("address", ["tcp://h:1", "stdio:other 'a b'", "http://h/x"])
def test_edited_address_replaces_words_and_path(tmp_path: Path, address: str) -> None:
    for before in ("stdio:pylsp", "http://h/rpc"):
        (tmp_path / "home" / "config" / "sessions.toml").unlink(missing_ok=True)
        assert add_profile(edits_of(tmp_path, read(tmp_path)), typed(before), []) is None
        found = read(tmp_path)
        was = good(found, "p")
        filled = {field.key: field.value for field in fields_of(was)} | {"url": address}

        def source(key: str, found: Profiles = found) -> str:
            place = found.source_of("p", key)
            return "" if str(place) == "default" else place.file

        assert edit_profile(edits_of(tmp_path, found), was, filled, source) is None
        assert good(read(tmp_path), "p").endpoint == address
