"""The parts of a destination, and the sentence about a changed one."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from rpcexplorer.auth.auth_type import AuthType
from rpcexplorer.auth.basic import InlineAuth, NoAuth
from rpcexplorer.auth.registry import KINDS
from rpcexplorer.auth.token import CookieAuth
from rpcexplorer.model.destination import (
    NOT_SET,
    Change,
    DestinationChanged,
    as_fingerprint,
    changes,
)
from rpcexplorer.model.profile import FORM_OF_REQUEST, DocumentSource, HeaderHandshake, Login, MethodNote, Profile

SHOP = Profile("shop", "https://shop.example", auth=CookieAuth())
CHANGED: list[tuple[dict[str, Any], str]] = [
    ({"url": "http://shop.example"}, "origin"),
    ({"url": "https://shop.example:8443"}, "origin"),
    ({"url": "https://shop.example/base"}, "path"),
    ({"path": "/rpc"}, "path"),
    ({"auth": InlineAuth()}, "auth.kind"),
    ({"auth": NoAuth()}, "auth.kind"),
    ({"auth": CookieAuth(cookie="sid")}, "auth.cookie"),
    ({"auth": CookieAuth(username="eve")}, "auth.username"),
    ({"login": Login(method="note.add")}, "login.method"),
    ({"login": Login(params={"text": "{password}"})}, "login.params"),
    ({"login": Login(session="/id")}, "login.session"),
    ({"login": Login(ended_words=("x",))}, "login.ended_words"),
    ({"headers": (("X-Tenant", "evil"),)}, "headers.x-tenant"),
    ({"certificate": "sha256:00"}, "certificate"),
    ({"cert_file": "/me.pem"}, "cert_file"),
    ({"key_file": "/me.key"}, "key_file"),
    ({"discovery": DocumentSource(url="/notes")}, "discovery.url"),
    ({"envelope": "transmission"}, "envelope"),
    ({"handshake": "mcp"}, "handshake"),
    ({"content_type": "application/json"}, "content_type"),
    ({"accept": "text/html"}, "accept"),
    ({"empty_params": "omit"}, "empty_params"),
    ({"handshake": HeaderHandshake("X-Note")}, "handshake"),
    ({"handshake": "lsp"}, "handshake"),
    ({"framing": "none"}, "framing"),
    ({"url": "wss://shop.example"}, "origin"),
    ({"url": "tls://shop.example:443"}, "origin"),
    ({"url": "unix:///shop"}, "origin"),
    ({"command": ("shop",)}, "origin"),
    ({"command_folder": "/shop"}, "folder"),
]


@pytest.mark.parametrize(("change", "key"), CHANGED)
def test_settings_that_decide_receiver_are_in_the_destination(change: dict[str, Any], key: str) -> None:
    found = changes(SHOP.destination, replace(SHOP, **change).destination)
    assert key in [changed.key for changed in found]


@pytest.mark.parametrize(
    ("profile", "destination"),
    [
        (Profile("p", "tcp://h:1"), {"origin": "tcp://h:1"}),
        (Profile("p", "http+unix:///x", "/rpc"), {"origin": "http+unix:///x", "path": "/rpc"}),
        (Profile("p", "WS+unix:///x", "/rpc"), {"origin": "ws+unix:///x", "path": "/rpc"}),
        (Profile("p", "stdio:", "", command=("a b", "c")), {"origin": "stdio:'a b' c"}),
        (
            Profile("p", "stdio:", "", command=("c",), command_folder="/f", framing="length"),
            {"origin": "stdio:c", "folder": "/f", "framing": "length"},
        ),
    ],
)
def test_destination_of_a_connection_is_where_it_leads(profile: Profile, destination: dict[str, str]) -> None:
    found = {key: value for key, value in profile.destination.items() if key not in FORM_OF_REQUEST}
    assert found == {"auth.kind": "none"} | destination


@pytest.mark.parametrize("words", [("a", "b c"), ("a b", "c"), ("a", "c", "b"), ("a b c",)])
def test_other_words_are_another_destination(words: tuple[str, ...]) -> None:
    was = Profile("p", "stdio:", "", command=("a", "b", "c"))
    assert [change.key for change in changes(was.destination, replace(was, command=words).destination)] == ["origin"]


def test_each_field_of_auth_type_is_in_destination() -> None:
    inline = replace(SHOP, auth=InlineAuth("u", "name", "text"))
    assert {key: value for key, value in inline.destination.items() if key.startswith("auth.")} == {
        "auth.kind": "inline",
        "auth.username": "u",
        "auth.username_member": "name",
        "auth.password_member": "text",
    }


@pytest.mark.parametrize(
    ("kind", "field"), [(kind, field) for kind in KINDS.values() for field in kind.__struct_fields__]
)
def test_fields_of_all_auth_types_are_in_destination(kind: type[AuthType], field: str) -> None:
    values: dict[str, Any] = {field: "another"}
    if field.endswith("_command"):
        values = {field: ("another",)}
    changed = replace(SHOP, auth=kind(**values))
    assert changes(replace(SHOP, auth=kind()).destination, changed.destination) == (
        Change(f"auth.{field}", NOT_SET, "another"),
    )


def test_destination_of_older_version_ignores_json_rpc_version() -> None:
    older = {key: value for key, value in SHOP.destination.items() if key not in FORM_OF_REQUEST}
    other_form = replace(SHOP, content_type="text/plain", accept="x/y", empty_params="omit")
    assert changes(older, other_form.destination) == ()
    assert [changed.key for changed in changes(older, replace(other_form, path="/rpc").destination)] == ["path"]


@pytest.mark.parametrize(
    "change",
    [
        {"url": "https://SHOP.example:443/"},
        {"timeout": 3.0},
        {"badge": "prod"},
        {"description": "x"},
        {"name": "other"},
        {"methods": {"ping": MethodNote(safe=True)}},
    ],
)
def test_other_settings_are_not_in_the_destination(change: dict[str, Any]) -> None:
    assert replace(SHOP, **change).destination == SHOP.destination


def test_sentence_names_old_and_new_value_and_command() -> None:
    moved = DestinationChanged(
        "password", "it was stored for a different destination", (Change("path", "/a", "/b", "sessions.toml:4"),)
    )
    assert moved.sentence("shop") == (
        "The password of profile shop is blocked: it was stored for a different destination. Changed: path: /a → /b "
        "(sessions.toml:4). If the new destination is right, run `rpcexplorer profiles allow shop`."
    )


def test_sentence_says_changed_only_after_a_change() -> None:
    values = (Change("cert_file", "", "c.pem", "sessions.toml:4"),)
    sentence = DestinationChanged("client certificate", "a file names it", values, label="In the file").sentence("shop")
    assert "a file names it. In the file: cert_file: c.pem (sessions.toml:4). If " in sentence


PLAIN = "ab" * 31 + "01"


@pytest.mark.parametrize(
    "text", [PLAIN, PLAIN.upper(), f"sha256:{PLAIN}", f"SHA256:{PLAIN.upper()}", ":".join(["AB"] * 31 + ["01"])]
)
def test_colons_and_case_of_fingerprint_do_not_matter(text: str) -> None:
    assert as_fingerprint(text) == f"sha256:{PLAIN}"


@pytest.mark.parametrize(
    "text", ["", "sha256:", PLAIN[:-2], PLAIN + "00", f"sha1:{PLAIN}", "g" * 64, f"{PLAIN}\n", "٣" * 64]
)
def test_other_texts_are_not_fingerprints(text: str) -> None:
    assert as_fingerprint(text) is None
