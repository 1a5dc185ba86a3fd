"""Copy formats, and the number of replaced secrets."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from rpcexplorer.auth.basic import InlineAuth
from rpcexplorer.auth.token import CookieAuth
from rpcexplorer.export.formats import FORMS, count_references, count_replaced, render, replaced_words, reply
from rpcexplorer.export.request import Subject, subject_of
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.redaction.exchange import HIDDEN_IN_RESPONSE
from rpcexplorer.rpc.messages import Result
from tests.export.test_report import SHOP, previewing
from tests.text.exchanges import exchange

KNOWN = Secret("hunter2-hunter2", "shop.password")


def subject(what: Draft | Exchange, profile: Profile = SHOP, *, session: bool = True) -> Subject:
    found = subject_of(profile, what, previewing(profile, session=session), secrets=[KNOWN], ours=True)
    assert isinstance(found, Subject)
    return found


def count(form: str, of: Subject) -> int:
    return count_replaced(form, of, render(form, of))


def test_copy_formats_match_the_documented_ones() -> None:
    assert list(FORMS) == ["curl", "python", "httpie", "command", "report", "request", "response"]


def test_request_has_the_sent_length_and_session_header() -> None:
    params = '{"a": "hunter2-hunter2", "b": "hunter2-hunter2"}'
    sent = exchange(Result(b"1"), params=params, profile="shop", sent=4321)
    text = render("request", subject(sent, replace(SHOP, auth=CookieAuth()), session=False)).decode()
    assert text.startswith("POST /api/v2/ HTTP/1.1\nHost: shop.example.com\n")
    assert "\nContent-Length: 4321\n" in text
    assert "\nCookie: sessionid=«shop.session»\n" in text
    assert text.endswith('\n\n{"jsonrpc":"2.0","id":"01jd4x9a2mk7c3q","method":"user.get",'
                         '"params":{"a":"«shop.password»","b":"«shop.password»"}}')  # fmt: skip
    plain = render("request", subject(Draft("ping"))).decode()
    assert f"\nContent-Length: {len(plain.partition(chr(10) * 2)[2])}\n" in plain


COUNTS = {"curl": 1, "python": 1, "report": 1, "request": 1, "command": 0}


@pytest.mark.parametrize(("form", "many"), COUNTS.items())
def test_repeated_secret_counts_once(form: str, many: int) -> None:
    inline = replace(SHOP, auth=InlineAuth("ada"))
    assert count(form, subject(Draft("user.find", "{}"), inline)) == many
    assert count(form, subject(Draft("user.find", "[1]"))) == 0


def test_unnamed_secret_counts_at_each_place() -> None:
    both = subject(Draft("user.find", '{"token": "a", "password": "b", "q": "hunter2-hunter2"}'))
    for form in ("curl", "report", "request"):
        assert count(form, both) == 3
    assert [replaced_words(many) for many in (0, 1, 1200)] == ["", "1 secret replaced", "1,200 secrets replaced"]
    assert count_references(HIDDEN_IN_RESPONSE.encode()) == 0, "a warning about references contains none"


def test_response_is_complete_except_known_secrets() -> None:
    body = b'{"result": {"n": 1.10, "echo": "hunter2-hunter2"}}\xff' + b" " * 2_000_000
    content = reply(exchange(Result(b""), body=body), SHOP, [KNOWN])
    assert content == body.replace(b"hunter2-hunter2", "«shop.password»".encode())
