"""The built-in presets: one per promised server, without careless values."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from rpcexplorer.auth.credentials import AuthResponse
from rpcexplorer.auth.login import asks_for_login
from rpcexplorer.auth.registry import auth_of
from rpcexplorer.client.preview import preview
from rpcexplorer.files.toml_shape import DEFAULT, Leaf, Leaves
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Preview, Refused
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.profiles.layers import SHIPPED, Presets, build_profile
from rpcexplorer.rpc.messages import ErrorObject, Result
from tests.auth.driving import PONG, drive, end, message, received, requests

PROMISED: Final = [
    "service", "aria2", "bcoin", "bitcoin", "deluge", "electrum", "ethereum", "kodi", "lsp", "mcp", "monero",
    "moonraker", "mopidy", "nzbget", "odoo", "snapcast", "transmission", "ubus", "xapi", "zabbix", "acp", "codex",
    "cln", "ovsdb", "rpc-websockets", "signal-cli", "solana", "stratum", "engine", "a2a", "freeipa", "luci",
]  # fmt: skip
CHANGES: Final = {
    "add", "append", "ban", "bans", "broadcast", "clear", "connect", "create", "delete", "destroy", "dump", "edit",
    "execute", "import", "kill", "login", "logout", "move", "notify", "pause", "play", "purge", "quit", "reboot",
    "remove", "replace", "reset", "resume", "script", "send", "set", "shutdown", "sign", "start", "stop", "submit",
    "transfer", "unlock", "update", "write",
}  # fmt: skip
"""Words in the names of methods that change something."""
WITH_PARAMS: Final = {"service", "odoo", "ubus", "lsp", "acp", "freeipa"}
"""Presets of servers whose every method has params, or that have none of their own."""
READS: Final = {"web.update_ui": "in spite of its name: it is how its pages are refreshed"}
BASIC: Final = "Authorization: Basic base64(«p.username»:«p.password»)"
TWO: Final = '{"jsonrpc":"2.0","id":"7","method":%s}'
USUAL: Final = {"Host", "Content-Type", "Accept", "Content-Length"}


def values(name: str) -> Profile:
    found = Presets(Path("/nowhere")).load(name)
    assert found is not None
    return found.preset.values


def test_every_promised_server_has_a_preset() -> None:
    assert {file.stem for file in SHIPPED.glob("*.toml")} >= set(PROMISED)


@pytest.mark.parametrize("name", PROMISED)
def test_methods_have_docs_and_changing_ones_are_unsafe(name: str) -> None:
    for method, note in values(name).methods.items():
        assert note.doc.endswith("."), method
        words = {word.lower() for word in re.findall("[A-Z]+(?![a-z])|[A-Z]?[a-z]+", method)}
        assert not note.safe or method in READS or not words & CHANGES, method


@pytest.mark.parametrize("name", [name for name in PROMISED if name not in WITH_PARAMS])
def test_preset_has_a_safe_method_without_params(name: str) -> None:
    notes = values(name).methods.values()
    assert any(note.safe and note.params is None for note in notes)


@pytest.mark.parametrize("name", PROMISED)
def test_login_needs_no_session_and_only_its_secrets(name: str) -> None:
    profile = values(name)
    note = profile.methods.get(profile.login.method)
    # Every call of this server has the same method.
    if profile.has_login and note is not None and name not in {"odoo", "ubus"}:
        assert note.auth == "none"
    assert set(auth_of(profile).secrets(profile)) <= {"username", "password", "token", "session", "key"}


@pytest.mark.parametrize(
    ("name", "login", "answer", "call"),
    [
        ("deluge", ("auth.login", '["«p.password»"]'), received(Result(b"true"), "_session_id=new; Path=/json"), "[]"),
        (
            "zabbix",
            ("user.login", '{"username":"«p.username»","password":"«p.password»"}'),
            received(Result(b'"new"')),
            "[]",
        ),
        (
            "ubus",
            (
                "call",
                f'["{"0" * 32}","session","login",{{"username":"«p.username»","password":"«p.password»"}}]',
            ),
            received(Result(b'[0,{"ubus_rpc_session":"new","timeout":300}]')),
            '["«p.session»"]',
        ),
        (
            "xapi",
            ("session.login_with_password", '["root","«p.password»","2.0","rpcexplorer"]'),
            received(Result(b'"OpaqueRef:new"')),
            '["«p.session»"]',
        ),
    ],
)
def test_login_opens_the_session_of_calls(name: str, login: tuple[str, str], answer: AuthResponse, call: str) -> None:
    profile = replace(values(name), name="p")
    asked = [Secret(field, profile.label(field)) for field in profile.secrets if field != "session"]
    steps = drive(profile, message(method="some.get"), None, [*asked, answer, received(PONG)])
    first, second = requests(steps)
    assert (first.message.method, first.message.calls[0].params) == login
    assert second.message.calls[0].params == call
    assert any(secret.reveal().endswith("new") for secret in second.secrets)
    assert end(steps) == PONG


@pytest.mark.parametrize(
    ("name", "refusal"),
    [
        ("deluge", ErrorObject(1, "Not authenticated", None, b"{}")),
        ("odoo", ErrorObject(100, "Odoo Session Expired", b'{"name":"odoo.http.SessionExpiredException"}', b"{}")),
        ("ubus", ErrorObject(-32002, "Access denied", None, b"{}")),
        ("xapi", ErrorObject(1, "SESSION_INVALID", b'["OpaqueRef:old"]', b"{}")),
    ],
)
def test_ended_session_is_recognised_by_words(name: str, refusal: ErrorObject) -> None:
    assert asks_for_login(values(name).login, refusal, 200)


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("deluge", ErrorObject(2, "Unknown method", None, b"{}")),
        ("odoo", ErrorObject(200, "Odoo Server Error", b'{"name":"builtins.KeyError","message":"\'auth\'"}', b"{}")),
        ("ubus", ErrorObject(-32601, "Method not found", None, b"{}")),
        ("xapi", ErrorObject(1, "HANDLE_INVALID", b'["session","OpaqueRef:x"]', b"{}")),
        ("zabbix", ErrorObject(-32602, "Invalid params.", b'"Invalid parameter \\"/output\\": no value."', b"{}")),
        ("zabbix", ErrorObject(-32601, "Method not found.", b'"Incorrect API \\"session\\"."', b"{}")),
    ],
)
def test_other_errors_do_not_end_the_session(name: str, error: ErrorObject) -> None:
    assert not asks_for_login(values(name).login, error, 200)


@pytest.mark.parametrize(
    ("name", "url", "framing", "handshake"),
    [
        ("cln", "unix:///s", "none", None),
        ("electrum", "tcp://h:50001", "lines", None),
        ("ethereum", "ws://h", "lines", None),
        ("kodi", "tcp://h:9090", "none", None),
        ("lsp", "stdio:", "length", "lsp"),
        ("lsp", "tcp://h:1", "length", "lsp"),
        ("mcp", "stdio:", "lines", "mcp"),
        ("ovsdb", "tcp://h:6640", "none", None),
        ("rpc-websockets", "ws://h", "lines", None),
        ("signal-cli", "stdio:", "lines", None),
        ("snapcast", "tcp://h:1705", "lines", None),
        ("solana", "wss://h", "lines", None),
        ("stratum", "tls://h:1", "lines", None),
    ],
)
def test_preset_of_a_connection_needs_no_more_keys(name: str, url: str, framing: str, handshake: str | None) -> None:
    given: Leaves = {("url",): Leaf(url, DEFAULT), ("preset",): Leaf(name, DEFAULT)}
    if url == "stdio:":
        given["command",] = Leaf(("x",), DEFAULT)
    leaves, problems = Presets(Path("/nowhere")).under("p", given)
    profile = build_profile("p", {path: leaf.value for path, leaf in leaves.items()})
    assert isinstance(profile, Profile), profile
    assert problems == []
    assert (profile.framing, profile.handshake, profile.auth.kind) == (framing, handshake, "none")


@pytest.mark.parametrize(
    ("name", "login", "fields"),
    [
        ("odoo", "/web/session/authenticate", ("username", "password")),
        ("freeipa", "/ipa/session/login_password", ("username", "password")),
        ("luci", "/cgi-bin/luci/rpc/auth", ("username", "password")),
    ],
)
def test_password_of_a_login_at_another_path_is_sent_only_there(name: str, login: str, fields: tuple[str, ...]) -> None:
    profile = replace(values(name), name="p", url="https://h")
    secrets = [Secret("ada", "p.username"), Secret("hunter2hunter2", "p.password")]
    refused = ErrorObject(1, "Access denied", None, b"{}")
    steps = drive(profile, message(method="call", params="[]"), None, [*secrets, received(refused)])
    assert [(send.address, send.fields) for send in requests(steps)] == [(f"https://h{login}", fields)]
    assert isinstance(outcome := end(steps), Refused)
    assert outcome.missing == "password"


@pytest.mark.parametrize(
    ("name", "method", "target", "own", "body"),
    [
        ("service", "ping", "/api/v2/", "Cookie: sessionid=«p.session»", TWO % '"ping","params":[]'),
        ("aria2", "aria2.tellActive", "/jsonrpc", "", TWO % '"aria2.tellActive","params":["token:«p.token»"]'),
        ("bcoin", "getinfo", "/", BASIC.replace("«p.username»", "x"), '{"id":"7","method":"getinfo","params":[]}'),
        ("bitcoin", "getblockcount", "/", BASIC, '{"id":"7","method":"getblockcount","params":[]}'),
        (
            "deluge",
            "web.connected",
            "/json",
            "Cookie: _session_id=«p.session»",
            '{"id":"7","method":"web.connected","params":[]}',
        ),
        ("electrum", "version", "/", BASIC, TWO % '"version","params":[]'),
        ("ethereum", "eth_chainId", "/", "", TWO % '"eth_chainId","params":[]'),
        ("kodi", "JSONRPC.Ping", "/jsonrpc", BASIC, TWO % '"JSONRPC.Ping","params":[]'),
        ("monero", "get_info", "/json_rpc", "", TWO % '"get_info","params":[]'),
        ("moonraker", "server.info", "/server/jsonrpc", "X-Api-Key: «p.token»", TWO % '"server.info","params":{}'),
        ("mopidy", "core.get_version", "/mopidy/rpc", "", TWO % '"core.get_version","params":[]'),
        ("nzbget", "status", "/jsonrpc", BASIC, '{"version":"1.1","id":"7","method":"status","params":[]}'),
        ("snapcast", "Server.GetStatus", "/jsonrpc", "", TWO % '"Server.GetStatus","params":[]'),
        ("signal-cli", "version", "/api/v1/rpc", "", TWO % '"version","params":{}'),
        ("solana", "getSlot", "/", "", TWO % '"getSlot","params":[]'),
        (
            "transmission",
            "session-get",
            "/transmission/rpc",
            f"{BASIC}\nX-Transmission-Session-Id: «not recorded»",
            '{"method":"session-get","arguments":{},"tag":7}',
        ),
        ("xapi", "host.get_all", "/jsonrpc", "", TWO % '"host.get_all","params":["«p.session»"]'),
        ("zabbix", "host.get", "/api_jsonrpc.php", "Authorization: Bearer «p.session»", TWO % '"host.get","params":[]'),
        ("zabbix", "apiinfo.version", "/api_jsonrpc.php", "", TWO % '"apiinfo.version","params":[]'),
    ],
)
def test_call_has_the_form_of_its_server(name: str, method: str, target: str, own: str, body: str) -> None:
    made = preview(replace(values(name), name="p", url="http://h"), Draft(method), "7", has_session=True)
    assert isinstance(made, Preview)
    assert made.line == f"POST {target} HTTP/1.1"
    assert "\n".join(f"{key}: {value}" for key, value in made.headers if key not in USUAL) == own
    assert made.body.decode() == body
    assert made.doubt == ""
