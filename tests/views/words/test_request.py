from __future__ import annotations

import json

from rpcexplorer.auth.basic import InlineAuth
from rpcexplorer.auth.token import CookieAuth
from rpcexplorer.client.client import preview
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Preview, Refused
from rpcexplorer.model.profile import Profile
from rpcexplorer.text.exchange import DOTS, WordLine, request_lines

URL = "https://rpc.example.com"


def told(preview: Preview | Refused | None) -> list[str]:
    return ["".join(text for text, _ in line) for line in request_lines(preview)]


def role_of(lines: list[WordLine], text: str) -> str:
    return next(role for line in lines for piece, role in line if piece == text)


def test_a_request_is_its_line_its_headers_and_its_exact_body() -> None:
    request = Preview(
        "POST /api/v2/ HTTP/1.1", (("Accept", "*/*"), ("Content-Length", "22")), b'{"params": [1.10, {}]}'
    )
    assert told(request) == [
        "  POST /api/v2/ HTTP/1.1",
        "  Accept: */*",
        "  Content-Length: 22",
        "",
        '  {"params": [1.10, {}]}',
    ]
    lines = request_lines(request)
    assert role_of(lines, '"params"') == "json-key"
    assert role_of(lines, "1.10") == "json-number"


def test_the_secrets_of_a_real_request_are_dots_with_their_names_in_dim() -> None:
    cookie = preview(Profile("demo", URL, auth=CookieAuth()), Draft("ping"), "1", has_session=True)
    assert f"  Cookie: sessionid={DOTS}  demo.session" in told(cookie)
    assert role_of(request_lines(cookie), "  demo.session") == "dim"
    inline = preview(Profile("demo", URL, auth=InlineAuth(username="ada")), Draft("arg_test"), "1", has_session=False)
    shown = "\n".join(told(inline))
    assert f'"password":"{DOTS}"' in shown
    assert f"\n\n  {DOTS} demo.password" in shown
    assert "«" not in shown


def test_a_login_that_goes_first_is_said_first() -> None:
    request = preview(Profile("demo", URL, auth=CookieAuth()), Draft("ping"), "1", has_session=False)
    assert told(request)[:3] == ["  ! There is no session yet: a login goes first.", "", "  POST /api/v2/ HTTP/1.1"]


def test_a_refusal_says_why_and_that_nothing_would_be_sent() -> None:
    assert told(Refused("params", "The params cannot be sent: line 1, column 2: x")) == [
        "  ! The params cannot be sent: line 1, column 2: x",
        "",
        "  Nothing would be sent.",
    ]


def test_before_it_is_known_the_page_says_what_it_is_for() -> None:
    assert told(None) == ["  The request to come is shown here."]


def test_control_characters_are_seen_and_do_nothing() -> None:
    body = json.dumps({"a": "\u202e"}, ensure_ascii=False).encode() + b"\xe2\x80\xa8"
    shown = "".join(told(Preview("POST /\x1b HTTP/1.1", (("X\x07", "\x1b[31m"),), body)))
    assert shown.count("␛") == 2
    assert "X␇: " in shown
    assert '"\\u202e"' in shown
    assert shown.isprintable()


def test_a_body_that_is_no_text_is_shown_in_hex() -> None:
    assert "ff fe 00" in "".join(told(Preview("POST / HTTP/1.1", (), b"\xff\xfe\x00")))


def test_what_is_sent_as_typed_is_said_before_it_is_sent() -> None:
    lines = request_lines(Preview("POST / HTTP/1.1", (), b"[]", remarks=("{{a\x1b}} has no value",)))
    assert lines[0][1:] == [("! ", "careful bold"), ("{{a␛}} has no value", "careful")]
    assert lines[1] == []


def test_the_place_that_is_being_edited_is_underlined_in_the_body_and_nothing_else() -> None:
    body = b'{"jsonrpc":"2.0","id":"a","method":"m","params":{"a":1,"b":[{"a":"\\u0007"},2]}}'
    request = Preview("POST / HTTP/1.1", (), body)

    def marked(*way: str | int) -> str:
        lines = request_lines(request, way)
        return "".join(text for line in lines for text, role in line if "underline" in role)

    assert marked("b", 0, "a") == '"\\u0007"'
    assert marked("b", 0) == '{"a":"\\u0007"}'
    assert (marked("a"), marked("nowhere"), marked()) == ("1", "", "")
