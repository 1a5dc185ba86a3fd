"""What is handed on: readable, and with nothing in it that opens a door or was to be hidden."""

from __future__ import annotations

import getpass
from datetime import UTC, datetime

import pytest

from rpcexplorer.model.exchange import ErrorObject, Exchange, Response, Unreached
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secrets.secret import Secret
from rpcexplorer.protocol.codec import decode
from rpcexplorer.storage.history.exporting import Exported, exported

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


def test_a_secret_that_became_known_since_is_in_nothing_of_it() -> None:
    told = call(result('{"echo": "hunter2-hunter2"}'), '["hunter2-hunter2"]')
    named = {"name": "of hunter2-hunter2", "note": "hunter2-hunter2", "method": "m.hunter2-hunter2"}
    text = text_of(
        Exchange(**{each: getattr(told, each) for each in told.__struct_fields__} | named), note="hunter2-hunter2"
    )
    assert "hunter2" not in text
    assert "abcdefgh" not in text
    assert "ann@laptop" not in text
    assert text.count("«prod.password»") == 6


def test_the_folder_of_a_file_of_this_machine_is_not_in_it() -> None:
    home = f"/home/{getpass.getuser()}/keys/corp-ca.pem"
    why = Unreached("tls", f"https://rpc.example.com/api/v2/ is vouched for by nobody; the ca_file {home} does not")
    left = Exchange("x", datetime(2026, 1, 1, tzinfo=UTC), "prod", PROD.endpoint, "m", "[]", "call", why)
    text = text_of(left)
    assert "the ca_file corp-ca.pem does not" in text
    assert "https://rpc.example.com/api/v2/ is vouched" in text


def test_no_part_of_a_folder_with_blanks_in_its_name_is_in_it() -> None:
    why = Unreached("tls", "The ca_file /tmp/reader/Ada Lovelace/ca.pem cannot be read as certificates: make it a PEM")
    left = Exchange("x", datetime(2026, 1, 1, tzinfo=UTC), "prod", PROD.endpoint, "m", "[]", "call", why)
    assert "The ca_file ca.pem cannot be read as certificates: make it a PEM" in text_of(left)


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
        (("/result/u",), '{"name": "«not recorded»", "pin": 12345678}', '{"u": "«not recorded»"}'),
        (("/result/*", "/result/u/*/e"), '{"name": "«not recorded»", "pin": 12345678}', '{"u": "«not recorded»"}'),
    ],
)
def test_what_is_hidden_is_hidden_wherever_it_stands_as_that_value(
    hide: tuple[str, ...], params: str | None, reply: str | None
) -> None:
    given = call(result('{"u": [{"e": "a@b.c", "of": "Ada Lovelace"}]}'))
    made = exported([given], {"prod": PROD}, [], "for Ada Lovelace", hide)
    assert isinstance(made, Exported)
    (left,) = made.exchanges
    assert left.params == (params or given.params)
    assert left.outcome == decode(result(reply).encode() if reply else given.response.body, None)
    assert ("Ada" in made.note) == ("Ada" in left.params)


def test_a_short_text_and_a_long_number_are_hidden_where_they_stand_alone() -> None:
    given = call(
        result('{"who": "Bo", "Bo": 12345678, "of": "Bo and 12345678", "n": 1}'), '{"name": "Bo", "pin": 12345678}'
    )
    made = exported([given], {}, [], "", ["/params/*"])
    assert isinstance(made, Exported)
    (left,) = made.exchanges
    told = '{"who": "«not recorded»", "Bo": "«not recorded»", "of": "Bo and «not recorded»", "n": 1}'
    assert left.outcome == decode(result(told).encode(), None)


def test_an_error_is_hidden_in_its_message_too() -> None:
    error = '{"code": 1, "message": "no Ada Lovelace", "data": {"who": "Ada Lovelace"}}'
    body = result("0").replace('"result": 0', f'"error": {error}')
    text = text_of(call(body), hide=("/error/data/who",))
    assert "Ada" not in text
    (left,) = exported([call(body)], {}, [], "", ["/error/message"]).exchanges  # type: ignore[union-attr]
    assert isinstance(left.outcome, ErrorObject)
    assert left.outcome.message == "«not recorded»"


def test_a_reply_that_nobody_can_look_into_is_left_out_where_something_of_it_is_to_be_hidden() -> None:
    whole = call(result('{"e": "a@b.c"}'))
    half = call(result('{"e": "a@b.c"}')[:60], cut=True)
    made = exported([whole, half], {}, [], "", ["/result/e"])
    assert isinstance(made, Exported)
    assert made.dropped == ("x1",)
    assert "a@b.c" not in made.text
    assert made.exchanges[1].response.cut


@pytest.mark.parametrize("pointer", ["/result/nothing", "/params/0", "/headers/x", "result", ""])
def test_a_pointer_that_hides_nothing_writes_nothing(pointer: str) -> None:
    said = exported([call(result("{}"))], {}, [], "", [pointer])
    assert isinstance(said, str)
    assert pointer in said
