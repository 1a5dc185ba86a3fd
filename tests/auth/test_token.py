"""The auth types with a token: its place, and the session of a login."""

from __future__ import annotations

import hmac
import json
import time
from base64 import urlsafe_b64decode
from typing import Any

import pytest
from msgspec.structs import replace

from rpcexplorer.auth.auth_type import AuthType
from rpcexplorer.auth.basic import NoAuth
from rpcexplorer.auth.credentials import Message, opening_of
from rpcexplorer.auth.token import BearerAuth, FirstAuth, HeaderAuth, JwtAuth, MemberAuth, OAuthAuth, QueryAuth
from rpcexplorer.discovery.methods import line_of
from rpcexplorer.discovery.openrpc import read_openrpc
from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.method import Described, DescribedParam, ExampleCall, Method
from rpcexplorer.model.profile import Auth, Login, MethodNote, Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.rpc.messages import Call, Result
from rpcexplorer.schema.start import starting_point
from tests.auth.driving import DENIED, PONG, SESSION, drive, end, kinds, message, received, requests

SHOP = Profile("shop", "https://rpc.example.com", path="/rpc")
TOKEN = Secret("t0ken/with?odd&signs", "shop.token")
ALL = [BearerAuth(), HeaderAuth(), QueryAuth(), FirstAuth(), MemberAuth()]


def profile(auth: Auth, **changes: Any) -> Profile:
    return replace(SHOP, auth=auth, **changes)


@pytest.mark.parametrize(
    ("auth", "shown"),
    [
        (BearerAuth(), ("Authorization", "Bearer «shop.token»")),
        (HeaderAuth(), ("X-Api-Key", "«shop.token»")),
        (HeaderAuth(header="Authorization", value="Token t={token};"), ("Authorization", "Token t=«shop.token»;")),
    ],
)
def test_token_is_sent_in_a_header(auth: Auth, shown: tuple[str, str]) -> None:
    steps = drive(profile(auth), message(), None, [TOKEN, received(PONG)])
    assert kinds(steps) == ["Asked", "Sent", "Ended"]
    assert [(header.name, header.shown) for header in requests(steps)[0].headers] == [shown]
    assert requests(steps)[0].secrets == (TOKEN,)


KEY = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"


@pytest.mark.parametrize("key", [KEY, f"0x{KEY.upper()}"])
def test_token_of_jwt_is_signed_when_it_is_sent(key: str) -> None:
    secret = Secret(key, "shop.key")
    claims = (("id", "node"), ("clv", "rpcexplorer/1"))
    (send,) = requests(drive(profile(JwtAuth(claims=claims)), message(), None, [secret, received(PONG)]))
    (header,) = send.headers
    assert (header.name, header.shown) == ("Authorization", "Bearer token signed with «shop.key»")
    scheme, _, token = header.opened(opening_of([secret])).partition(" ")
    head, payload, signature = token.split(".")
    assert (scheme, unpacked(head)) == ("Bearer", {"alg": "HS256", "typ": "JWT"})
    content = unpacked(payload)
    assert abs(content.pop("iat") - time.time()) < 5
    assert content == {"id": "node", "clv": "rpcexplorer/1"}
    proof = hmac.digest(bytes.fromhex(KEY), f"{head}.{payload}".encode(), "sha256")
    assert urlsafe_b64decode(signature + "=") == proof
    assert [*header.secret_parts(f"{scheme} {token}")] == [token]


def unpacked(part: str) -> Any:
    return json.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4)))


@pytest.mark.parametrize("key", ["abc", "0x", "xy", "12 34", ""])
def test_key_of_jwt_that_is_not_hex_is_refused(key: str) -> None:
    steps = drive(profile(JwtAuth()), message(), None, [Secret(key, "shop.key")])
    outcome = end(steps)
    assert isinstance(outcome, Refused)
    assert "The key of profile shop is not hex." in outcome.sentence


@pytest.mark.parametrize(
    ("changes", "address"),
    [
        ({"auth": QueryAuth()}, "https://rpc.example.com/rpc?apikey=«shop.token»"),
        ({"auth": QueryAuth(name="k[0]"), "path": "/rpc?v=1"}, "https://rpc.example.com/rpc?v=1&k%5B0%5D=«shop.token»"),
        ({"auth": NoAuth(), "path": "/v3/{token}"}, "https://rpc.example.com/v3/«shop.token»"),
    ],
)
def test_token_is_sent_in_the_url(changes: dict[str, Any], address: str) -> None:
    (send,) = requests(drive(replace(SHOP, **changes), message(), None, [TOKEN, received(PONG)]))
    assert (send.address, send.secrets, send.headers) == (address, (TOKEN,), ())


@pytest.mark.parametrize(
    ("value", "params", "sent"),
    [
        ("{token}", "[]", '["«shop.token»"]'),
        ("{token}", '["a",  1.10]', '["«shop.token»","a",  1.10]'),
        ("token:{token}", '["a"]', '["token:«shop.token»","a"]'),
        ("token:{token}", '["token:«shop.token»","a"]', '["token:«shop.token»","a"]'),
        ('a"{token}', "[ ]", '["a\\"«shop.token»"]'),
    ],
)
def test_token_is_sent_as_first_param(value: str, params: str, sent: str) -> None:
    request = message(params) if "«" not in params else replace(message(params), only_shown=True)
    (send,) = requests(drive(profile(FirstAuth(value=value)), request, None, [TOKEN, received(PONG)]))
    assert send.message.calls[0].params == sent


def test_token_refuses_params_by_name() -> None:
    steps = drive(profile(FirstAuth()), message('{"a":1}'), None, [])
    outcome = end(steps)
    assert isinstance(outcome, Refused)
    assert (kinds(steps), outcome.why) == (["Ended"], "params")
    assert "Write an array" in outcome.sentence


def test_token_is_sent_next_to_the_method() -> None:
    named = profile(MemberAuth(member="session"), methods={"version": MethodNote(auth="none")})
    batch = Message("batch", (Call("ping", "[]", "1"), Call("version", "[]", "2")))
    (send,) = requests(drive(named, batch, None, [TOKEN, received(PONG)]))
    assert [call.members for call in send.message.calls] == [(("session", '"«shop.token»"'),), ()]


@pytest.mark.parametrize("auth", ALL, ids=lambda auth: auth.kind)
def test_public_method_is_sent_without_asking(auth: Auth) -> None:
    free = profile(auth, methods={"ping": MethodNote(auth="none")})
    (send,) = requests(drive(free, message(), None, [received(PONG)]))
    assert (send.headers, send.address, send.message, send.secrets) == ((), "", message(), ())


@pytest.mark.parametrize(
    "planted",
    [
        {"auth": HeaderAuth(value="«shop.password»{token}")},
        {"auth": FirstAuth(value="«shop.token»{token}")},
        {"auth": QueryAuth(), "path": "/«shop.token»"},
        {"auth": NoAuth(), "path": "/{token}/«shop.password»"},
    ],
)
def test_reference_in_other_fields_is_refused(planted: dict[str, Any]) -> None:
    steps = drive(replace(SHOP, **planted), message(), None, [])
    outcome = end(steps)
    assert (kinds(steps), isinstance(outcome, Refused) and outcome.why) == (["Ended"], "profile")


LOGIN = Login("user.login", {"user": "{username}", "password": "{password}"}, session="")
ANN, PASSWORD = Secret("ann", "shop.username"), Secret("hunter2hunter2", "shop.password")


@pytest.mark.parametrize("auth", ALL, ids=lambda auth: auth.kind)
def test_session_of_login_replaces_token_and_is_renewed(auth: Auth) -> None:
    with_login = profile(auth, login=LOGIN, has_login=True)
    assert (with_login.secrets, with_login.has_sessions) == (("username", "password", "session"), True)
    answers = [received(DENIED), ANN, PASSWORD, received(Result(b'"new"')), received(PONG)]
    steps = drive(with_login, message(), SESSION, answers)
    assert kinds(steps) == [
        "Sent",
        "SessionEnded",
        "Note",
        "Asked",
        "Asked",
        "Sent",
        "SessionOpened",
        "Note",
        "Sent",
        "Ended",
    ]
    first, login, again = requests(steps)
    assert [secret.reveal() for secret in (*first.secrets, *again.secrets)] == ["s3ss10n", "new"]
    assert "session" in first.fields
    assert "session" not in login.fields
    assert (login.is_ahead, login.headers) == (True, ())


@pytest.mark.parametrize(
    ("session", "result", "found"),
    [
        ("", '"abc"', "abc"),
        (None, '"abc"', "abc"),
        ("", "123456789012345678901", "123456789012345678901"),
        ("/1/id", '[0, {"id": "abc"}]', "abc"),
        ("", '""', None),
        ("", '{"id": "abc"}', None),
        ("", "null", None),
    ],
)
def test_session_is_read_at_pointer_or_whole_result(session: str | None, result: str, found: str | None) -> None:
    with_login = profile(BearerAuth(), login=replace(LOGIN, params=["{password}"], session=session), has_login=True)
    replies = [PASSWORD, received(Result(result.encode())), *([received(PONG)] if found else [])]
    steps = drive(with_login, message(), None, replies)
    if found is None:
        outcome = end(steps)
        assert isinstance(outcome, Refused)
        assert "session id" in outcome.sentence
    else:
        assert [secret.reveal() for secret in requests(steps)[1].secrets] == [found]


def test_cookie_of_token_login_is_ignored() -> None:
    with_login = profile(BearerAuth(username="ann"), login=LOGIN, has_login=True)
    answers = [PASSWORD, received(Result(b'"abc"'), "=x", "sessionid=other"), received(PONG, "sessionid=more")]
    steps = drive(with_login, message(), None, answers)
    assert [secret.reveal() for secret in requests(steps)[1].secrets] == ["abc"]


def test_typed_secret_is_asked_before_login_once() -> None:
    with_login = profile(MemberAuth(username="ann"), login=LOGIN, has_login=True)
    typed = message('{"again":"«shop.password»"}')
    steps = drive(with_login, typed, None, [PASSWORD, received(Result(b'"abc"')), received(PONG)])
    assert kinds(steps) == ["Asked", "Sent", "SessionOpened", "Note", "Sent", "Ended"]


def test_bearer_token_is_read_from_pasted_header() -> None:
    assert BearerAuth().pasted("token", " Authorization: Bearer abc.def\n") == "abc.def"
    assert BearerAuth().pasted("token", " abc ") == "abc"
    assert OAuthAuth().pasted("session", " Authorization: Bearer abc.def\n") == "abc.def"


@pytest.mark.parametrize(
    ("first", "is_token"),
    [
        (DescribedParam("session"), True),
        (DescribedParam("", {"type": "string"}), True),
        (DescribedParam("", {"type": "array"}), False),
        (DescribedParam("uris"), False),
    ],
)
@pytest.mark.everyday(4)
def test_token_param_is_not_offered(first: DescribedParam, is_token: bool) -> None:
    rest = DescribedParam("b")
    both = Described((first, rest))
    assert FirstAuth().offered_in_full(Method("m"), both).params == ((rest,) if is_token else (first, rest))
    assert FirstAuth().offered_in_full(Method("m", auth="none"), both) == both


def test_examples_are_by_position_without_token() -> None:
    document = """{"openrpc": "1.2.6", "methods": [{"name": "aria2.tellStatus", "paramStructure": "by-name",
        "params": [{"name": "token", "required": true, "schema": {"type": "string"}},
                   {"name": "gid", "required": true, "schema": {"type": "string"}},
                   {"name": "keys", "schema": {"type": "array"}}],
        "examples": [{"name": "e", "params": [{"value": "token:secret"}, {"value": "2089"}]}]}]}"""
    listing = read_openrpc(json.loads(document))
    ((name, full),) = listing.described.items()
    method = line_of(name, full)
    ours, free = map(FirstAuth().offered, (method, replace(method, auth="none")))
    assert (ours.required, ours.by, free.by) == (("gid",), "position", "name")
    offered = FirstAuth().offered_in_full(ours, full)
    assert [example.params for example in offered.examples] == [["2089"]]
    assert starting_point(ours, offered) == ["2089"]
    shapes: list[tuple[Any, Any]] = [
        ({"token": "x", "keys": [], "gid": "1"}, ["1", []]),
        ({"token": "x", "keys": []}, {"keys": []}),
        ({"token": "x"}, []),
        ([], []),
    ]
    for given, left in shapes:
        one = replace(full, examples=(ExampleCall("", given),))
        assert [example.params for example in FirstAuth().offered_in_full(ours, one).examples] == [left]
    assert FirstAuth().offered(Method("m")) == Method("m")
    assert FirstAuth().offered_in_full(Method("m"), Described()) == Described()


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        (HeaderAuth, "header", "Host"),
        (HeaderAuth, "value", "x"),
        (HeaderAuth, "value", "{token}\n"),
        (FirstAuth, "value", "x"),
        (QueryAuth, "name", "a&b"),
        (MemberAuth, "member", "method"),
    ],
)
def test_invalid_setting_is_named(kind: type[AuthType], field: str, value: str) -> None:
    found = kind.mismatch({field: value})
    assert found is not None
    assert found[0] == field
    assert kind.mismatch({field: getattr(kind(), field)}) is None
