"""Tests of exports: readable, without secrets and redacted values."""

from __future__ import annotations

import getpass
import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import UTC, datetime
from html import escape
from urllib.parse import quote, quote_plus

import pytest
from msgspec.structs import replace

from rpcexplorer.history.export import Exported, exported, without_folders
from rpcexplorer.model.exchange import Exchange, Sent, Unreached
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import UNRECORDED, Secret
from rpcexplorer.rpc.codec import decode
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from rpcexplorer.transport.port import Response

PROD = Profile("prod", "https://rpc.example.com")
SECRET = Secret("hunter2-hunter2", "prod.password")


def call(body: str, params: str = '{"name": "Ada Lovelace", "pin": 12345678}', *, cut: bool = False) -> Exchange:
    raw = body.encode()
    return Exchange(
        id="x1",
        when=datetime(2026, 11, 20, 10, tzinfo=UTC),
        profile="prod",
        url=PROD.endpoint,
        method="user.get",
        params=params,
        kind="call",
        outcome=decode(raw, None),
        response=Response(
            status=200, headers=(("Set-Cookie", "sid=abcdefgh; Path=/"),), body=raw, size=len(raw), cut=cut
        ),
        writer="ann@laptop",
    )


def result(text: str) -> str:
    return '{"jsonrpc": "2.0", "id": "x1", "result": ' + text + "}"


def text_of(*calls: Exchange, hide: tuple[str, ...] = (), note: str = "") -> str:
    made = exported(calls, {"prod": PROD}, [SECRET], note, hide)
    assert isinstance(made, Exported), made
    return made.text


def test_secret_learned_after_recording_is_not_exported() -> None:
    told = call(result('{"echo": "hunter2-hunter2"}'), '["hunter2-hunter2"]')
    named = {"name": "of hunter2-hunter2", "note": "hunter2-hunter2", "method": "m.hunter2-hunter2"}
    text = text_of(
        Exchange(**{each: getattr(told, each) for each in told.__struct_fields__} | named), note="hunter2-hunter2"
    )
    assert "hunter2" not in text
    assert "abcdefgh" not in text
    assert "ann@laptop" not in text
    assert text.count("«prod.password»") == 6


def test_folder_of_local_file_is_not_exported() -> None:
    home = f"/home/{getpass.getuser()}/keys/corp-ca.pem"
    why = Unreached("tls", f"https://rpc.example.com/api/v2/ is vouched for by nobody; the ca_file {home} does not")
    left = Exchange("x", datetime(2026, 1, 1, tzinfo=UTC), "prod", PROD.endpoint, "m", "[]", "call", why)
    text = text_of(replace(left, notes=(f"opened {home}",)))
    assert home not in text
    assert "the ca_file corp-ca.pem does not" in text
    assert "https://rpc.example.com/api/v2/ is vouched" in text


@pytest.mark.parametrize(
    ("hide", "params", "reply"),
    [
        (
            ("/params/name",),
            '{"name": "«not recorded»", "pin": 12345678}',
            '{"u": [{"e": "a@b.c", "of": "«not recorded»"}]}',
        ),
        (("/params/pin",), '{"name": "Ada Lovelace", "pin": "«not recorded»"}', None),
        (("/result/u/*/e",), None, '{"u": [{"e": "«not recorded»", "of": "Ada Lovelace"}]}'),
        (("/u/*/e",), None, '{"u": [{"e": "«not recorded»", "of": "Ada Lovelace"}]}'),
        (("/result/u",), '{"name": "«not recorded»", "pin": 12345678}', '{"u": "«not recorded»"}'),
        (("/result/*", "/result/u/*/e"), '{"name": "«not recorded»", "pin": 12345678}', '{"u": "«not recorded»"}'),
    ],
)
def test_redacted_value_is_redacted_everywhere(hide: tuple[str, ...], params: str | None, reply: str | None) -> None:
    given = call(result('{"u": [{"e": "a@b.c", "of": "Ada Lovelace"}]}'))
    made = exported([given], {"prod": PROD}, [], "for Ada Lovelace", hide)
    assert isinstance(made, Exported)
    (left,) = made.exchanges
    assert left.params == (params or given.params)
    assert left.outcome == decode(result(reply).encode() if reply else given.response.body, None)
    assert ("Ada" in made.note) == ("Ada" in left.params)


def test_redacted_error_is_redacted_in_its_message() -> None:
    error = '{"code": 1, "message": "no Ada Lovelace", "data": {"who": "Ada Lovelace"}}'
    body = result("0").replace('"result": 0', f'"error": {error}')
    text = text_of(call(body), hide=("/error/data/who",))
    assert "Ada" not in text
    (left,) = exported([call(body)], {}, [], "", ["/error/message"]).exchanges  # type: ignore[union-attr]
    assert isinstance(left.outcome, ErrorObject)
    assert left.outcome.message == "«not recorded»"


def test_pointer_starts_at_the_top_or_the_result() -> None:
    given = call(result('{"e": "eeeeeee-1", "result": {"e": "eeeeeee-2"}, "params": {"name": "Bob Miller"}}'))
    text = text_of(given, hide=("/result/e", "/params/name"))
    assert not any(each in text for each in ("eeeeeee", "Ada Lovelace", "Bob Miller"))
    error = '{"code": 1, "message": "no", "data": {"who": "Ada Lovelace"}}'
    failed = call(result("0").replace('"result": 0', f'"error": {error}'), '["Ada Lovelace"]')
    assert "Ada" not in text_of(failed, hide=("/data/who",))


@pytest.mark.parametrize("pointer", ["/e", "/result/e", "/0/result/e", "/result/0/result/e", "/result/*/result/e"])
def test_pointer_redacts_responses_of_a_batch(pointer: str) -> None:
    calls = '[{"method": "a", "id": "x1"}]'
    body = '[{"jsonrpc": "2.0", "id": "x1", "result": {"e": "eeeeeee-1"}}]'
    batch = replace(call(body, calls), kind="batch", outcome=Result(body.encode()))
    assert "eeeeeee" not in text_of(batch, hide=(pointer,))


def test_unreadable_response_is_dropped_if_something_is_redacted() -> None:
    whole = call(result('{"e": "a@b.c"}'))
    half = call(result('{"e": "a@b.c"}')[:60], cut=True)
    made = exported([whole, half], {}, [], "", ["/result/e"])
    assert isinstance(made, Exported)
    assert made.dropped == ("x1",)
    assert "a@b.c" not in made.text
    assert made.exchanges[1].response.cut


SPELLINGS: dict[str, Callable[[str], str]] = {
    "raw": str,
    "JSON": lambda value: json.dumps(value)[1:-1],
    "JSON in JSON": lambda value: json.dumps(json.dumps(value))[1:-1],
    "quoted JSON": json.dumps,
    "Python": lambda value: repr(value)[1:-1],
    "bytes in Python": lambda value: repr(value.encode())[2:-1],
    "URL": quote,
    "URL twice": lambda value: quote(quote(value)),
    "form": quote_plus,
    "HTML": escape,
    "base64": lambda value: b64encode(value.encode()).decode(),
    "base64 in a text": lambda value: b64encode(f"user {value} here".encode()).decode(),
    "hex": lambda value: value.encode().hex(),
}
ODD: Exchange = replace(
    call("<p>not JSON</p>"),
    outcome=Malformed("it is no JSON"),
    response=Response(502, "Bad Gateway", body=b"<p>no</p>"),
)
PLACES: dict[str, Callable[[str], Exchange]] = {
    "id": lambda text: replace(ODD, id=text),
    "profile": lambda text: replace(ODD, profile=text),
    "url": lambda text: replace(ODD, url=f"https://rpc.example.com/{text}/?q={text}"),
    "params": lambda text: replace(ODD, params=json.dumps({"a": f"x {text}", text: [text]})),
    "params sent": lambda text: replace(ODD, params_sent=json.dumps([text])),
    "name": lambda text: replace(ODD, name=f"of {text}"),
    "note": lambda text: replace(ODD, note=f"of {text}"),
    "reason": lambda text: replace(ODD, outcome=Malformed(f"it redirects to {text}.")),
    "sentence": lambda text: replace(ODD, outcome=Unreached("body", f"it broke off after {text}.")),
    "remark": lambda text: replace(ODD, outcome=Malformed("no JSON", (f"jsonrpc is {text}, not 2.0",))),
    "remark on a notification": lambda text: replace(ODD, kind="notification", outcome=Sent((f"{text} came",))),
    "remark on an id": lambda text: replace(
        call(f'{{"jsonrpc": "2.0", "id": {json.dumps(text)}, "result": 1}}'),
        outcome=decode(f'{{"jsonrpc": "2.0", "id": {json.dumps(text)}, "result": 1}}'.encode(), "x1"),
    ),
    "status line": lambda text: replace(ODD, response=replace(ODD.response, reason=f"Sorry {text}")),
    "HTTP remark": lambda text: replace(ODD, response=replace(ODD.response, remarks=(f"{text} followed",))),
    "header": lambda text: replace(ODD, response=replace(ODD.response, headers=(("X-User", f"u={text}"),))),
    "header name": lambda text: replace(ODD, response=replace(ODD.response, headers=((f"X-{text}", "1"),))),
    "body": lambda text: replace(
        ODD, response=replace(ODD.response, body=f"<p>{text}</p>\xff".encode("latin-1", "replace"))
    ),
    "result": lambda text: call(result(json.dumps({"of": text, text: 1}))),
    "message": lambda text: call(
        result("0").replace('"result": 0', f'"error": {json.dumps({"code": 1, "message": text})}')
    ),
    "cut response": lambda text: call(result(json.dumps([text]))[:-2], cut=True),
    "surrogates": lambda text: replace(ODD, name=f"\udc80 {text}", note=f"\ud800{text}"),
}


@pytest.mark.parametrize(
    "value", ["Ada Lovelace <ada@example.com>", 'Zoë "Z" O\'Neill\\', "ada.lovelace", "+4912345678"]
)
def test_redacted_value_is_absent_in_every_spelling(value: str) -> None:
    source = call(result(json.dumps({"who": value})))
    for name, spell in SPELLINGS.items():
        calls = [source, *(make(spell(value)) for make in PLACES.values())]
        made = exported(calls, {"prod": PROD}, [], f"of {value}", ["/result/who"])
        assert isinstance(made, Exported), made
        for written in (made.text, made.lines):
            assert written.count("«not recorded»") > len(PLACES)
            for lines in map(everything_in, written.split("[[call]]" if written is made.text else "\n")):
                found = [other for other in SPELLINGS if SPELLINGS[other](value) in lines]
                assert not found, f"written as {name}: {found} in {lines}"


@pytest.mark.parametrize("place", ["reason", "sentence", "remark", "HTTP remark"])
def test_start_of_redacted_value_is_absent_from_sentences(place: str) -> None:
    source = call(result('{"who": "ada.lovelace@example.com"}'))
    made = exported([source, PLACES[place]("basic realm=ada.love…")], {}, [], "", ["/result/who"])
    assert isinstance(made, Exported), made
    assert "love" not in made.text.replace("Ada Lovelace", "")


def everything_in(written: str) -> str:
    """Return the text, also with its escapes and its base64 decoded."""
    read = written.encode("latin-1", "backslashreplace").decode("unicode_escape", "replace")
    packed = re.findall(r'base64(?:" ?: ?| = )\[?"([A-Za-z0-9+/=]+)"', written)
    return "\n".join([written, read, *(b64decode(each).decode("utf-8", "replace") for each in packed)])


@pytest.mark.parametrize("method", ["user.ada.lovelace", "ping, ada.lovelace.get", "get, user.Bo", "get_Bo"])
def test_redacted_value_in_a_method_prevents_the_export(method: str) -> None:
    source = call(result('{"who": "ada.lovelace", "short": "Bo"}'))
    said = exported([source, replace(source, id="x2", method=method)], {}, [], "", ["/result/*"])
    assert isinstance(said, str)
    assert "part of the method name of call x2" in said
    assert method not in said


def test_redacted_error_code_is_absent_without_a_response() -> None:
    error = '{"code": -32001, "message": "no ada.lovelace"}'
    whole = call(result("0").replace('"result": 0', f'"error": {error}'))
    cut = replace(whole, response=replace(whole.response, cut=True))
    for hide in (["/error"], ["/error/code", "/error/message"]):
        made = exported([whole, cut], {}, [], "", hide)
        assert isinstance(made, Exported)
        assert "-32001" not in made.text
        assert "lovelace" not in made.text


def test_short_value_is_redacted_as_whole_and_reported() -> None:
    source = call(result('{"who": "Bo", "age": 42, "more": {"a": "b"}}'))
    remark = 'id is "Bo", not "x1"'
    other = replace(source, id="x2", name="Bo", outcome=Malformed("no", (remark,)), params='["Bo", "Bob"]')
    made = exported([source, other], {}, [], "Bo", ["/result/who", "/result/age", "/result/more"])
    assert isinstance(made, Exported)
    assert made.short == ("/result/who", "/result/age", "/result/more")
    assert (made.note, made.exchanges[1].name, made.exchanges[1].params) == (
        *[UNRECORDED] * 2,
        f'["{UNRECORDED}", "Bob"]',
    )
    assert made.exchanges[1].remarks == (f'id is "{UNRECORDED}", not "x1"',)


def test_scalars_of_redacted_object_are_redacted_as_whole() -> None:
    body = result('{"user": {"name": "Bob", "pin": 4711}, "owner": "Bob", "code": 4711, "log": "Bob logged in"}')
    made = exported([call(body, '["4711", 47112]')], {}, [], "", ["/user"])
    assert isinstance(made, Exported)
    (left,) = made.exchanges
    mark = f'"{UNRECORDED}"'
    told = f'{{"user": {mark}, "owner": {mark}, "code": {mark}, "log": "Bob logged in"}}'
    assert left.outcome == decode(result(told).encode(), None)
    assert left.params == f"[{mark}, 47112]"
    assert made.short == ("/user",)


def test_redacted_short_values_leave_version_and_dates_readable() -> None:
    source = call(result('{"about": {"version": "2.0", "day": 23}, "day": 23, "items": [true, null, ""]}'))
    dated = ("Date", "Mon, 23 Nov 2026 06:52:28 GMT")
    source = replace(source, response=replace(source.response, headers=(dated,)))
    made = exported([source], {}, [], "23 calls", ["/about", "/items"])
    assert isinstance(made, Exported)
    (left,) = made.exchanges
    assert isinstance(left.outcome, Result)
    assert b"23" not in left.outcome.value
    assert (left.response.headers, made.note, made.short) == ((dated,), "23 calls", ("/about",))


@pytest.mark.parametrize(("pointer", "message"), [("/params/name", "no such file"), ("/content", UNRECORDED)])
def test_message_of_failed_tool_is_redacted_with_result(pointer: str, message: str) -> None:
    body = result('{"isError": true, "content": [{"type": "text", "text": "no such file"}]}')
    failed = call(body)
    assert isinstance(failed.outcome, Result)
    failed = replace(failed, outcome=replace(failed.outcome, message="no such file"))
    made = exported([failed], {}, [], "", [pointer])
    assert isinstance(made, Exported)
    outcome = made.exchanges[0].outcome
    assert isinstance(outcome, Result)
    assert outcome.message == message


@pytest.mark.parametrize("pointer", ["/result/nothing", "/params/0", "/headers/x", "result", ""])
def test_pointer_without_a_match_prevents_the_export(pointer: str) -> None:
    said = exported([call(result("{}"))], {}, [], "", [pointer])
    assert isinstance(said, str)
    assert pointer in said


LONG = "/tmp/reader/Ada Lovelace, née Byron: keys/ca; old.pem"
NOW = Profile("tls", "https://rpc.example.com", ca_file=LONG, cert_file="/srv/Ada Lovelace/my cert.pem")


@pytest.mark.everyday(9)
@pytest.mark.parametrize(
    ("sentence", "left"),
    [
        (f"The ca_file {LONG} cannot be read", "The ca_file ca; old.pem cannot be read"),
        ("The cert_file /srv/Ada Lovelace/my cert.pem or its key", "The cert_file my cert.pem or its key"),
        (
            "The ca_file /tmp/reader/Ada Lovelace/ca.pem cannot be read as certificates: name another/one",
            "The ca_file ca.pem cannot be read as certificates: name another/one",
        ),
        (
            "ask who runs it; the ca_file /old/Ada L/ca.pem does not vouch for https://rpc.example.com/api/v2/x",
            "ask who runs it; the ca_file ca.pem does not vouch for https://rpc.example.com/api/v2/x",
        ),
        ("The key_file ~/Ada L/k.pem belongs", "The key_file k.pem belongs"),
        (r"The ca_file C:\Users\Ada L\ca.pem cannot", "The ca_file ca.pem cannot"),
        ("What SSL_CERT_FILE names (/home/Ada L/ca.pem) cannot", "What SSL_CERT_FILE names (ca.pem) cannot"),
        ("no such file /work/of-ada/x.sock here", "no such file x.sock here"),
        ("nothing came from https://rpc.example.com/api/v2/: HTTP/1.1", None),
    ],
)
def test_local_file_keeps_only_its_name(sentence: str, left: str | None) -> None:
    assert without_folders(sentence, NOW) == (sentence if left is None else left)
