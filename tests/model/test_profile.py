"""Profiles: endpoints, variables, the method list, and confirmation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rpcexplorer.discovery.methods import asks_first, first_method, method_list
from rpcexplorer.model.mcp import ELICITATION, mcp_capabilities
from rpcexplorer.model.method import Method
from rpcexplorer.model.profile import (
    Answer,
    HeaderHandshake,
    MethodNote,
    Preset,
    Profile,
    ad_hoc,
    ad_hoc_process,
    joined,
    no_place_for,
    split_address,
    split_socket,
    typed_whole,
)
from rpcexplorer.redaction.addresses import redacted_address


@pytest.mark.parametrize(
    ("url", "endpoint"),
    [
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000/api/v2/"),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000/"),
        ("http://127.0.0.1:8000/api/v2/", "http://127.0.0.1:8000/api/v2/"),
        ("http://127.0.0.1:8000/jsonrpc", "http://127.0.0.1:8000/jsonrpc"),
        ("ws://h", "ws://h/"),
        ("wss://h/x", "wss://h/x"),
        ("tcp://h:1", "tcp://h:1"),
        ("unix:///run/a/b.sock", "unix:///run/a/b.sock"),
        ("http+unix:///run/x.sock", "http+unix:///run/x.sock:/"),
        ("http+unix:///run/x.sock:/rpc:1", "http+unix:///run/x.sock:/rpc:1"),
    ],
)
def test_url_option_is_base_or_a_whole_endpoint(url: str, endpoint: str) -> None:
    assert ad_hoc(url).endpoint == endpoint


@pytest.mark.parametrize(("url", "is_service"), [("https://h", True), ("wss://h/api/v2/", False), ("tcp://h:1", False)])
def test_service_is_the_default_of_http_alone(url: str, is_service: bool) -> None:
    assert ad_hoc(url).is_service is is_service


@pytest.mark.parametrize(
    ("profile", "parts"),
    [
        (ad_hoc("http+unix:///run/x.sock"), ("/run/x.sock", "http://localhost/")),
        (ad_hoc("HTTP+UNIX:///a b?#/x:/rpc:1?a=b"), ("/a b?#/x", "http://localhost/rpc:1?a=b")),
        (Profile("p", "http+unix:///x", ""), ("/x", "http://localhost/")),
        (Profile("p", "http+unix:///x", "rpc"), ("/x", "http://localhost/rpc")),
        (Profile("p", "http+unix:///x:/rpc", ""), ("/x", "http://localhost/rpc")),
        (ad_hoc("ws+unix:///run/x.sock"), ("/run/x.sock", "ws://localhost/")),
        (Profile("p", "WS+unix:///x", "/rpc"), ("/x", "ws://localhost/rpc")),
        (ad_hoc("https://h/x"), ("", "https://h/x")),
        (ad_hoc("unix:///x:/y"), ("", "unix:///x:/y")),
    ],
)
def test_endpoint_is_split_into_socket_and_url(profile: Profile, parts: tuple[str, str]) -> None:
    assert split_socket(profile.endpoint) == parts


def test_repr_of_a_profile_has_no_headers() -> None:
    assert "s3cr3t" not in repr(Profile("p", "https://x.example", headers=(("X-Key", "s3cr3t"),)))


def test_method_list_joins_all_sources_sorted() -> None:
    profile = Profile("p", "https://x.example", methods={"user.delete": MethodNote("Deletes", {"id": 1}, safe=False)})
    found = method_list(profile, [Method("user.list", "Lists", source="discovered")], ["old.call"])
    assert list(found) == ["old.call", "user.delete", "user.list"]
    assert found["user.delete"] == Method("user.delete", "Deletes", {"id": 1}, None, False, "profile")
    assert found["old.call"].source == "history"


def test_three_usual_methods_are_listed_until_discovery() -> None:
    profile = Profile("p", "https://x.example")
    assert list(method_list(profile)) == ["arg_test", "auth", "ping"]
    assert method_list(profile, called=["ping"])["ping"].auth == "cookie"
    assert list(method_list(profile, absent={"ping", "arg_test"})) == ["auth"]
    other = Method("user.list", source="discovered")
    assert list(method_list(profile, [other])) == ["user.list"]
    found = method_list(profile, [other, Method("ping", source="discovered")], called=["auth"])
    assert list(found) == ["auth", "ping", "user.list"]
    assert (found["ping"].doc, found["auth"].doc) == ("Succeeds if the session is valid", "")
    noted = Profile("p", "https://x.example", methods={"ping": MethodNote("Ours")})
    assert list(method_list(noted, [other], absent={"ping"})) == ["ping", "user.list"]


def test_method_unknown_to_the_server_is_not_learned() -> None:
    assert list(method_list(Profile("p", "https://x.example"), [], ["a", "b"], {"a", "ping", "auth", "arg_test"})) == [
        "b"
    ]


@pytest.mark.parametrize(
    ("methods", "first"),
    [
        (method_list(Profile("p", "https://x.example")), "ping"),
        ({}, ""),
        ({"a": Method("a", safe=True)}, ""),  # nothing says whether it needs params
        ({"a": Method("a", params=[])}, ""),
        ({"a": Method("a", params={"id": 1}, safe=True), "b": Method("b", params={}, safe=True)}, "b"),
        ({"a": Method("a", safe=True, protocol="rpc.discover")}, "a"),
        (
            {
                "a": Method("a", safe=True, protocol="rpc.discover", required=("id",)),
                "b": Method("b", safe=True, protocol="rpc.discover", has_docs=True),
            },
            "b",
        ),
        ({"a": Method("a", safe=True, protocol="system.listMethods")}, ""),
    ],
)
def test_first_method_is_safe_and_needs_no_params(methods: dict[str, Method], first: str) -> None:
    assert first_method(methods) == first


def test_profile_overrides_only_the_facts_it_states() -> None:
    profile = Profile("p", "https://x.example", methods={"user.list": MethodNote(safe=True)})
    found = method_list(profile, [Method("user.list", "Lists", [1], "cookie", None, "discovered")])
    from_the_service = tuple((fact, "discovered") for fact in ("doc", "params", "auth"))
    assert found["user.list"] == Method("user.list", "Lists", [1], "cookie", True, "profile", sources=from_the_service)


@pytest.mark.parametrize(
    ("badge", "noted", "safe"),
    [("dev", None, True), ("dev", False, False), ("prod", None, None), ("prod", True, True)],
)
def test_safe_method_of_server_counts_outside_production(badge: str, noted: bool | None, safe: bool | None) -> None:
    notes = {} if noted is None else {"get": MethodNote(safe=noted)}
    profile = Profile("p", "https://x.example", badge=badge, confirm="unsafe", methods=notes)
    found = method_list(profile, [Method("get", safe=True, source="discovered")])
    assert found["get"].safe is safe
    assert asks_first(profile, "get", found) is (safe is not True)


@pytest.mark.parametrize(
    ("confirm", "method", "asks"),
    [
        ("never", "user.delete", False),
        ("unsafe", "user.delete", True),
        ("unsafe", "unheard.of", True),
        ("unsafe", "ping", False),
        ("always", "ping", True),
    ],
)
def test_profile_confirms_unsafe_calls(confirm: Any, method: str, asks: bool) -> None:
    profile = Profile("p", "https://x.example", confirm=confirm, methods={"user.delete": MethodNote(safe=False)})
    assert asks_first(profile, method, method_list(profile)) is asks


@pytest.mark.parametrize(
    ("typed", "url", "path"),
    [
        ("http://h", "http://h", None),
        (" http://h:8000 ", "http://h:8000", None),
        ("http://h/", "http://h", "/"),
        ("http://h/api", "http://h", "/api"),
        ("http://h/api/v2/", "http://h", "/api/v2/"),
        ("https://[::1]:8/a/b?x=1&y=2", "https://[::1]:8", "/a/b?x=1&y=2"),
        ("http://h?x=1", "http://h", "/?x=1"),
        ("http://h//a", "http://h", "//a"),
        ("HTTP://H/A", "HTTP://H", "/A"),
        (" h:8000 ", "http://h:8000", None),
        ("[::1]:443/a", "https://[::1]:443", "/a"),
        ("tcp:h:1", "tcp:h:1", None),
        ("nonsense", "nonsense", None),
        ("", "", None),
    ],
)
def test_address_without_a_path_gets_the_usual_one(typed: str, url: str, path: str | None) -> None:
    assert split_address(typed) == (url, path)
    if path is not None:
        assert joined(url, path).endswith(typed.strip().replace("h?", "h/?"))


@pytest.mark.parametrize(
    ("profile", "kind", "facts", "origin", "name"),
    [
        (ad_hoc("http://h:80/x"), "http", (False, False, True), "http://h", "h"),
        (ad_hoc("https://h"), "http", (True, False, False), "https://h", "h"),
        (ad_hoc("http+unix:///x:/y"), "http", (False, True, False), "http+unix:///x", "/x"),
        (ad_hoc("WS://H:80/x"), "websocket", (False, False, True), "ws://h", "h"),
        (ad_hoc("wss://h:443"), "websocket", (True, False, False), "wss://h", "h"),
        (ad_hoc("ws://127.0.0.1:80"), "websocket", (False, False, False), "ws://127.0.0.1", "127.0.0.1"),
        (ad_hoc("tcp://h:80"), "stream", (False, False, True), "tcp://h:80", "h:80"),
        (ad_hoc("tls://[::1]:8"), "stream", (True, False, False), "tls://[::1]:8", "[::1]:8"),
        (ad_hoc("unix:///X?a#b"), "stream", (False, True, False), "unix:///X?a#b", "/X?a#b"),
        (ad_hoc_process(["a b", "c"]), "process", (False, True, False), "stdio:'a b' c", "'a b' c"),
    ],
)  # fmt: skip
def test_scheme_decides_the_kind_of_connection(
    profile: Profile, kind: str, facts: tuple[bool, bool, bool], origin: str, name: str
) -> None:
    assert (profile.connection_kind, profile.is_open_connection) == (kind, kind != "http")
    assert (profile.is_encrypted, profile.stays_here, profile.is_readable_on_network) == facts
    assert (profile.origin, profile.shown_name) == (origin, name)


@pytest.mark.parametrize(
    "address", ["http://h", "http://h/", "http://h/api", "ws://h", "http+unix:///x", "http+unix:///x:/y"]
)
def test_typed_address_gives_the_endpoint(address: str) -> None:
    url, path = split_address(typed_whole(address))
    assert path is not None
    assert joined(url, path).rstrip(":/") == address.rstrip("/")


@pytest.mark.parametrize(
    ("address", "redacted"),
    [
        ("unix:///run/user/1000/a@b:c.sock", "unix:///run/user/1000/a@b:c.sock"),
        ("tcp://127.0.0.1:1705", "tcp://127.0.0.1:1705"),
        ("stdio:python -m server 'a b'", "stdio:python -m server 'a b'"),
        ("tcp://ann:hunter2@h:1", "tcp://h:1"),
        ("http+unix:///run/x.sock:/rpc?apikey=hunter2a1b2c3", "http+unix:///run/x.sock:/rpc?apikey=«not recorded»"),
    ],
)
def test_address_of_a_connection_is_recorded_without_secrets(address: str, redacted: str) -> None:
    assert redacted_address(address) == redacted


def test_typed_url_is_shown_as_its_host() -> None:
    assert ad_hoc("http://127.0.0.1:5055/api").shown_name == "127.0.0.1:5055"
    assert Profile("shop", "https://shop.example.com").shown_name == "shop"


@pytest.mark.parametrize(
    ("kind", "path", "value", "why"),
    [
        ("stream", ("path",), "/rpc", "only HTTP and WebSocket have a path"),
        ("stream", ("path",), "", ""),
        ("http", ("command",), ["x"], "a command needs"),
        ("process", ("command",), ["x"], ""),
        ("process", ("auth", "kind"), "basic", "needs HTTP or WebSocket"),
        ("process", ("auth", "kind"), "inline", ""),
        ("websocket", ("auth", "kind"), "digest", "a WebSocket cannot answer a challenge"),
        ("websocket", ("auth", "kind"), "basic", ""),
        ("http", ("auth", "kind"), "digest", ""),
        ("websocket", ("handshake",), HeaderHandshake("X-Session"), "only HTTP has a handshake"),
        ("websocket", ("handshake",), "mcp", ""),
        ("http", ("handshake",), "lsp", "needs a connection that stays open"),
    ],
)
def test_key_without_a_place_on_a_connection_is_named(kind: Any, path: tuple[str, ...], value: Any, why: str) -> None:
    found = no_place_for(kind, path, value)
    assert why in found
    assert bool(found) == bool(why)


def test_preset_has_a_path_for_each_kind_of_url() -> None:
    preset = Preset("p", Path("p.toml"), path="/rpc", websocket_path="/ws")
    assert [preset.path_for(url) for url in ("http://h", "wss://h")] == ["/rpc", "/ws"]
    assert Preset("p", Path("p.toml")).path_for("ws://h") == "/"


@pytest.mark.parametrize(
    ("answers", "can_ask", "offered"),
    [
        ({}, False, {}),
        ({}, True, {"elicitation": {"form": {}, "url": {}}}),
        ({ELICITATION: Answer(result_json="{}")}, False, {"elicitation": {"form": {}, "url": {}}}),
        ({ELICITATION: Answer(ask=True), "roots/list": Answer(ask=True)}, False, {}),
        ({"roots/list": Answer(result_json="{}"), "*": Answer(ask=True)}, False, {"roots": {}}),
    ],
)
def test_server_of_mcp_is_offered_what_can_be_answered(
    answers: dict[str, Answer], can_ask: bool, offered: dict[str, Any]
) -> None:
    assert mcp_capabilities(Profile("x", "stdio:", answers=answers), lambda _: can_ask) == offered
