"""The auth types without a session: basic, none and inline."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

import pytest
from msgspec.structs import replace

from rpcexplorer.auth.basic import BasicAuth, InlineAuth
from rpcexplorer.auth.credentials import Message
from rpcexplorer.auth.registry import auth_of
from rpcexplorer.discovery.methods import line_of
from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.method import Described, DescribedParam
from rpcexplorer.model.profile import MethodNote, Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.rpc.messages import Call
from rpcexplorer.schema.start import starting_point
from tests.auth.driving import INLINE, PASSWORD, PONG, drive, end, kinds, message, received, requests
from tests.fakes.shell import Shell

NODE = Profile("shop", "https://rpc.example.com", auth=BasicAuth(username="ada"))


def test_basic_sends_header_and_asks_only_for_password() -> None:
    steps = drive(NODE, message('{"a":1}'), None, [PASSWORD, received(PONG)])
    assert kinds(steps) == ["Asked", "Sent", "Ended"]
    (send,) = requests(steps)
    assert [(header.name, header.shown) for header in send.headers] == [
        ("Authorization", "Basic base64(ada:«shop.password»)")
    ]
    assert (send.secrets, send.message.calls[0].params) == ((PASSWORD,), '{"a":1}')


def test_basic_user_name_may_be_a_secret() -> None:
    profile = replace(NODE, auth=BasicAuth())
    steps = drive(profile, message(), None, [Secret("ada", "shop.username"), PASSWORD, received(PONG)])
    assert profile.secrets == ("username", "password")
    assert requests(steps)[0].headers[0].shown == "Basic base64(«shop.username»:«shop.password»)"


def test_public_method_has_no_header_except_in_batch() -> None:
    profile = replace(NODE, methods={"ping": MethodNote(auth="none")})
    assert requests(drive(profile, message(), None, [received(PONG)]))[0].headers == ()
    batch = Message("batch", (Call("ping", "[]", "1"), Call("other", "[]", "2")))
    assert requests(drive(profile, batch, None, [PASSWORD, received(PONG)]))[0].headers


@pytest.mark.parametrize(
    ("name", "answers", "words"),
    [
        ("a:b", [], "contains a colon"),
        (None, [Secret("a:b", "shop.username"), PASSWORD], "contains a colon"),
        ("«shop.password»", [], "contains the secret reference"),
    ],
)
def test_invalid_user_name_is_refused_before_sending(name: str | None, answers: list[Secret], words: str) -> None:
    outcome = end(drive(replace(NODE, auth=BasicAuth(username=name)), message(), None, answers))
    assert isinstance(outcome, Refused)
    assert (outcome.why, words in outcome.sentence) == ("profile", True)


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("[]", '{"username":"ada","password":"«shop.password»"}'),
        ("{}", '{"username":"ada","password":"«shop.password»"}'),
        ('{"x":1.10}', '{"x":1.10,"username":"ada","password":"«shop.password»"}'),
        ('{"username":"bob"}', '{"username":"bob","password":"«shop.password»"}'),
    ],
)
def test_inline_adds_credentials_to_params(typed: str, sent: str) -> None:
    steps = drive(INLINE, message(typed), None, [PASSWORD, received(PONG)])
    assert requests(steps)[0].message.calls[0].params == sent
    assert not requests(steps)[0].headers


def test_inline_keeps_typed_credentials() -> None:
    typed = '{"password":"p","username":"u"}'
    steps = drive(INLINE, message(typed), None, [received(PONG)])
    assert kinds(steps) == ["Sent", "Ended"]
    assert requests(steps)[0].message.calls[0].params == typed


def test_inline_refuses_a_filled_array() -> None:
    outcome = end(drive(INLINE, message("[1]"), None, []))
    assert isinstance(outcome, Refused)
    assert outcome.why == "params"
    assert "cannot be an array" in outcome.sentence


def test_inline_member_names_can_be_set() -> None:
    profile = replace(INLINE, auth=InlineAuth(username_member="user", password_member="pass word"))
    steps = drive(profile, message(), None, [Secret("ada", "shop.username"), PASSWORD, received(PONG)])
    assert requests(steps)[0].message.calls[0].params == '{"user":"«shop.username»","pass word":"«shop.password»"}'


def test_inline_adds_credentials_to_each_batch_call() -> None:
    batch = Message("batch", (Call("a", "[]", "1"), Call("b", '{"x":1}', "2")))
    sent = requests(drive(INLINE, batch, None, [PASSWORD, received(PONG)]))[0].message.calls
    assert all("«shop.password»" in call.params for call in sent)


def test_inline_credentials_are_not_required_params() -> None:
    user, number = DescribedParam("user", {"type": "string"}, True), DescribedParam("id", {"type": "integer"}, True)
    full = Described((user, DescribedParam("password", required=True), number), by="name")
    profile = Profile("p", "https://x.example", auth=InlineAuth(username_member="user"))
    known = {"m": line_of("m", full), "auth": line_of("auth", replace(full, auth="none"))}
    found = {name: auth_of(profile).offered(method) for name, method in known.items()}
    assert (found["m"].required, found["auth"].required) == (("id",), ("user", "password", "id"))
    offered = {name: auth_of(profile).offered_in_full(method, full) for name, method in known.items()}
    assert starting_point(found["m"], offered["m"]) == {"id": 0}
    assert starting_point(found["auth"], offered["auth"]) == {"user": "", "password": None, "id": 0}
    assert [param.required for param in offered["m"].params] == [False, False, True]
    assert offered["auth"] == full


def test_inline_params_go_by_name() -> None:
    full = Described((DescribedParam("a", {"type": "string"}, True),), by="position")
    method = line_of("m", full)
    offered = map(InlineAuth().offered, (method, replace(method, auth="none")))
    assert [starting_point(method, full) for method in offered] == [{"a": ""}, [""]]


def test_leak_of_basic_header_is_found(tmp_path: Path) -> None:
    shell, password = Shell(tmp_path), 'p"ss\\ wörd $HOME `id`'
    shell.run("profiles", "add", "shop", "--url", "http://127.0.0.1:9", "--auth", "basic", "--username", "ada")
    assert shell.run("profiles", "secret", "shop", "password", "--stdin", stdin=password.encode()).code == 0
    (shell.folder / "notes.txt").write_text(f"-H 'X-Whatever: {b64encode(f'ada:{password}'.encode()).decode()}'\n")
    assert shell.run("profiles", "check", "notes.txt").code == 1
