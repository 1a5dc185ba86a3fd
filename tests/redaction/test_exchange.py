"""Redaction of exchanges: references for secrets, marks for possible ones."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from rpcexplorer.auth.basic import InlineAuth, NoAuth
from rpcexplorer.auth.token import CookieAuth
from rpcexplorer.model.event import Event, EventKind
from rpcexplorer.model.exchange import Exchange, Outcome, Unreached
from rpcexplorer.model.profile import Login, Profile
from rpcexplorer.model.secret import MARGIN, Secret
from rpcexplorer.redaction.exchange import SHOW, EventRedactor, Redaction, clipped, for_history, redacted
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from rpcexplorer.transport.port import Response
from tests.text.exchanges import exchange

SHOP = Profile("shop", "https://shop.example.com", auth=InlineAuth("ada"))
PASSWORD = Secret("hunter2-hunter2", "shop.password")
MARK = "«not recorded»"


def recorded(came: Exchange, profile: Profile, secrets: Iterable[Secret]) -> Exchange:
    return redacted(came, for_history(1000), profile, secrets)


def params_of(params: object, *secrets: Secret, profile: Profile = SHOP) -> object:
    text = params if isinstance(params, str) else json.dumps(params)
    return json.loads(recorded(exchange(Result(b"1"), params=text), profile, secrets).params)


def reply_of(reply: object, *secrets: Secret, profile: Profile = SHOP) -> object:
    sent: Exchange = exchange(Result(b"1"), params="[]", body=json.dumps(reply).encode())
    return json.loads(recorded(sent, profile, secrets).response.body)


def test_secret_in_text_of_failed_tool_is_redacted() -> None:
    sent: Exchange = exchange(Result(b"1", message="hunter2-hunter2 is wrong"))
    for policy in (SHOW, for_history(None)):
        shown = redacted(sent, policy, SHOP, [PASSWORD])
        assert getattr(shown.outcome, "message", "") == "«shop.password» is wrong"


def test_other_password_does_not_become_the_profiles_own() -> None:
    params = {"user": "bob", "password": "bobs-new-pw", "mine": "hunter2-hunter2"}
    assert params_of(params, PASSWORD) == {"user": "bob", "password": MARK, "mine": "«shop.password»"}


def test_sent_params_are_redacted_like_typed_ones() -> None:
    sent = exchange(Result(b"1"), params='{"a": "{{a}}"}', params_sent='{"a": "hunter2-hunter2", "token": "of-bob"}')
    record = recorded(sent, SHOP, [PASSWORD])
    assert record.params == '{"a": "{{a}}"}'
    assert json.loads(record.params_sent or "") == {"a": "«shop.password»", "token": MARK}


def test_name_and_note_of_a_record_are_redacted() -> None:
    record = recorded(
        exchange(Result(b"1"), params="[]", name="hunter2-hunter2", note="it is hunter2-hunter2"), SHOP, [PASSWORD]
    )
    assert (record.name, record.note) == ("«shop.password»", "it is «shop.password»")


def test_value_equal_to_the_secret_can_be_resent() -> None:
    assert params_of({"password": "hunter2-hunter2"}, PASSWORD) == {"password": "«shop.password»"}
    assert params_of(r'{"password": "\u0068unter2-hunter2"}', PASSWORD) == {"password": "«shop.password»"}
    assert params_of({"password": "tiny5"}, Secret("tiny5", "shop.password")) == {"password": "«shop.password»"}


@pytest.mark.parametrize("value", ["aHVudGVyMi1odW50ZXIy", "68756e746572322d68756e74657232"])
def test_other_spelling_is_redacted_and_cannot_be_resent(value: str) -> None:
    assert params_of([value], PASSWORD) == [MARK]


def test_number_does_not_become_a_string() -> None:
    assert params_of([123456, "123456"], Secret("123456", "shop.password")) == [MARK, "«shop.password»"]


NAMES = [
    *("password", "new_password", "passwordConfirmation", "PassPhrase", "pwd", "client-secret", "apiKey", "api key"),
    *("private_key", "sessionid", "session_id", "token", "accessToken", "Authorization", "cookie"),
]


@pytest.mark.parametrize("name", NAMES)
def test_member_named_like_a_secret_is_never_recorded(name: str) -> None:
    for profile in (SHOP, replace(SHOP, auth=NoAuth())):
        assert params_of({"x": {name: "s3cr3t"}}, profile=profile) == {"x": {name: MARK}}
        assert reply_of({"result": {name: "s3cr3t"}}, profile=profile) == {"result": {name: MARK}}


HARMLESS = [
    *(
        "text",
        "password_hint",
        "passwordless",
        "compass",
        "passport",
        "next_token",
        "pageToken",
        "max_tokens",
        "tokens",
    ),
    *("author", "cookies", "session", "keyboard", "secretary", "api"),
]


@pytest.mark.parametrize("name", HARMLESS)
def test_member_with_only_a_similar_name_is_recorded(name: str) -> None:
    assert params_of({name: "s3cr3t"}) == {name: "s3cr3t"}


def test_empty_values_and_token_counts_are_recorded() -> None:
    params: dict[str, object] = {
        "password": None,
        "secret": "",
        "pwd": False,
        "api_key": [],
        "token": 5,
        "cookie": {"kind": "oat"},
    }
    assert params_of(params) == params
    assert params_of({"password": 12345, "secrets": ["a", "b"]}) == {"password": MARK, "secrets": MARK}


@pytest.mark.parametrize(
    "profile",
    [
        replace(SHOP, auth=InlineAuth("ada", password_member="text")),
        replace(SHOP, auth=CookieAuth(cookie="text")),
        replace(SHOP, auth=CookieAuth(), login=Login(params={"text": "{password}"})),
        replace(SHOP, auth=CookieAuth(), login=Login(session="/x/text")),
    ],
)
def test_shared_file_cannot_redact_value_by_naming_it(profile: Profile) -> None:
    for secret in (PASSWORD, Secret("tiny5", "shop.password")):
        assert params_of({"text": "a note"}, secret, profile=profile) == {"text": "a note"}
        assert reply_of({"text": "a note"}, secret, profile=profile) == {"text": "a note"}
        sent = exchange(Result(b'{"text": "a note"}'), body=b'{"text": "a note"}')
        assert redacted(sent, SHOW, profile, [secret]).response.body == b'{"text": "a note"}'
    assert params_of({"text": "tiny5"}, Secret("tiny5", "shop.password"), profile=profile) == {
        "text": "«shop.password»"
    }


def test_shared_value_gets_name_of_the_current_profile() -> None:
    several = [Secret("same-for-all", f"{name}.password") for name in ("aaa", "shop", "zzz")]
    for secrets in (several, several[::-1]):
        assert params_of(["same-for-all"], *secrets) == ["«shop.password»"]
        assert reply_of(["same-for-all"], *secrets) == ["«shop.password»"]


def test_secret_of_another_profile_becomes_no_sendable_reference() -> None:
    assert params_of(["only-theirs"], Secret("only-theirs", "other.password")) == [MARK]
    assert params_of(["nobodys-own"], Secret("nobodys-own", "RPCEXPLORER_OLD_PASSWORD")) == [MARK]
    assert reply_of(["only-theirs"], Secret("only-theirs", "other.password")) == ["«other.password»"]


def test_ended_session_is_not_the_current_one() -> None:
    sessions = [Secret(value, "shop.session") for value in ("older-session", "newer-session")]
    assert params_of(["older-session", "newer-session"], *sessions) == [MARK, "«shop.session»"]
    assert reply_of(["older-session", "newer-session"], *sessions) == ["«shop.session»", "«shop.session»"]


def test_redacting_a_record_again_changes_nothing() -> None:
    params = {"password": "bobs", "p": "hunter2-hunter2", "e": "aHVudGVyMi1odW50ZXIy", "x": "is recorded"}
    once = recorded(exchange(Result(b"1"), params=json.dumps(params)), SHOP, [PASSWORD])
    assert recorded(once, SHOP, [PASSWORD, Secret("recorded", "shop.session")]).params == once.params.replace(
        "is recorded", "is «shop.session»"
    )


def headers_of(*headers: tuple[str, str], secrets: tuple[Secret, ...] = (), profile: Profile = SHOP) -> Exchange:
    sent = exchange(Result(b"1"), response=Response(200, headers=headers, body=b"{}"))
    return recorded(sent, profile, secrets)


def test_headers_are_recorded_with_the_request_id() -> None:
    came = (("Content-Type", "application/json"), ("X-Request-Id", "7f3a"), ("Via", "1.1 a"), ("via", "1.1 b"))
    assert headers_of(*came).response.headers == came


@pytest.mark.parametrize(
    "name",
    [
        *("Set-Cookie", "set-cookie", "Authorization", "Proxy-Authorization", "X-Api-Key", "X-Auth-Token", "X-Token"),
        *("Mcp-Session-Id", "X-Transmission-Session-Id", "Session-Key", "Cookie", "X-Secret"),
        *("X-CSRF-Token", "X-CSRFToken", "x-csrftoken", "X-XSRF-TOKEN", "X-Vault-Token", "X-Subject-Token"),
        *("X-Plex-Token", "X-Gitlab-Token", "PRIVATE-TOKEN", "X-Amz-Security-Token", "X-Amz-Signature", "Signature"),
        *("X-Auth", "X-Auth-Key", "X-Access-Key", "X-Session", "X-SessionId", "X-Ticket", "PVEAuthCookie"),
        *(
            "Set-Cookie2",
            "X-JWT-Assertion",
            "x_auth_token",
            "xauthtoken",
            "Ocp-Apim-Subscription-Key",
            "Authentication",
        ),
    ],
)
def test_header_named_like_a_secret_is_not_recorded(name: str) -> None:
    for profile in (SHOP, replace(SHOP, auth=NoAuth())):
        value = "theme=dark; Path=/, id=n0t-known"
        assert headers_of((name, value), profile=profile).response.headers == ((name, MARK),)


@pytest.mark.parametrize(
    "name",
    [
        *("ETag", "X-Next-Token", "WWW-Authenticate", "X-Author", "X-Request-Id", "Cookies", "Proxy-Authenticate"),
        *("Idempotency-Key", "X-Correlation-Id", "Access-Control-Allow-Headers", "Sec-WebSocket-Key", "Cache-Key"),
        *(
            "Surrogate-Key",
            "X-Cache-Key",
            "x-ratelimit-remaining-tokens",
            "X-Session-Timeout",
            "X-Monkey",
            "Keep-Alive",
        ),
        *("Access-Control-Max-Age", "Authentication-Results", "X-Token-Expires", "Public-Key-Pins", "Location"),
    ],
)
def test_header_with_only_a_similar_name_is_recorded(name: str) -> None:
    assert headers_of((name, "abc")).response.headers == ((name, "abc"),)


JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.dBjftJeZ4CVP"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("0; url=/home;jsessionid=A1B2C3D4E5", f"0; url=/home;jsessionid={MARK}"),
        ("https://h/back?code=Spl-xlO&n=1", f"https://h/back?code={MARK}&n=1"),
        ("https://h/back#access_token=abc&state=xyz", f"https://h/back#access_token={MARK}&state=xyz"),
        (f"for ada: {JWT}, and more", f"for ada: {MARK}, and more"),
        (JWT[: JWT.rindex(".") + 1], MARK),
        (f"<https://h/?a={JWT}>; rel=next", f"<https://h/?a={MARK}>; rel=next"),
        (f"https://h/?id_token={JWT}", f"https://h/?id_token={MARK}"),
    ],
)
def test_token_in_any_header_is_not_recorded(value: str, written: str) -> None:
    once = headers_of(("Location", value), ("X-Whatever", value))
    assert once.response.headers == (("Location", written), ("X-Whatever", written))
    assert recorded(once, SHOP, []).response.headers == once.response.headers


@pytest.mark.parametrize(
    "value",
    [
        *(
            "https://h/errors?code=404",
            "https://h/?page=2;q=1",
            "text/html;charset=utf-8;q=0.9",
            "eyJhbGciOi and no more",
        ),
        *(
            "<https://h/?page=2>; rel=next",
            "max-age=5;preload",
            "/issues?state=open&page=2",
            "https://h/?code=«shop.session»",
            "a;code",
        ),
    ],
)
def test_header_that_only_looks_like_token_is_recorded(value: str) -> None:
    assert headers_of(("Location", value)).response.headers == (("Location", value),)


@pytest.mark.parametrize("unit", ["eyJ", "-eyJ", "eyJaaaaa.", "?a=", ";code=", "?code=a"])
def test_header_of_any_length_is_searched_quickly(unit: str) -> None:
    assert len(headers_of(("Location", unit * (100_000 // len(unit)))).response.headers) <= 1


@pytest.mark.parametrize("value", ["hunter2-hunter2", "aHVudGVyMi1odW50ZXIy"])
def test_known_secret_is_redacted_in_headers(value: str) -> None:
    came = headers_of(("X-Echo", f"<{value}>"), (value, "1"), secrets=(PASSWORD,))
    assert came.response.headers == (("X-Echo", "<«shop.password»>"), ("«shop.password»", "1"))


def test_header_that_is_known_secret_becomes_its_reference() -> None:
    came = headers_of(
        ("Authorization", "hunter2-hunter2"), ("X-Token", "tiny5"), secrets=(PASSWORD, Secret("tiny5", "shop.session"))
    )
    assert came.response.headers == (("Authorization", "«shop.password»"), ("X-Token", "«shop.session»"))
    again = recorded(came, SHOP, [PASSWORD])
    assert again.response.headers == came.response.headers


def test_header_with_json_is_redacted_like_a_response() -> None:
    assert headers_of(("X-Debug", '{"password": "bobs"}')).response.headers == (
        ("X-Debug", f'{{"password": "{MARK}"}}'),
    )


def test_long_headers_beyond_limit_are_dropped_and_named() -> None:
    long = [(f"X-Long-{number}", "x" * 3000) for number in range(20)]
    came = headers_of(*long, ("X-Request-Id", "7f3a"), ("Date", "today"))
    assert came.response.headers[-2:] == (("X-Request-Id", "7f3a"), ("Date", "today"))
    assert sum(len(name) + len(value) for name, value in came.response.headers) <= 8192
    assert came.response.headers[:-2] == tuple(long[:2])
    (said,) = came.response.remarks
    assert said.startswith("18 of 22 headers omitted, because they are too long: X-Long-2, X-Long-3, ")
    assert said.endswith(" and 13 more")


def test_5000_headers_leave_eight_kilobytes() -> None:
    came = headers_of(*((f"X-{number}", "é" * 90) for number in range(5000)))
    assert 0 < sum(len(f"{name}: {value}".encode()) for name, value in came.response.headers) <= 8192


def test_header_on_screen_shows_all_but_known_secrets() -> None:
    sent = exchange(
        Result(b"1"), response=Response(200, headers=(("Set-Cookie", "theme=dark"), ("X-A", "hunter2-hunter2")))
    )
    assert redacted(sent, SHOW, SHOP, [PASSWORD]).response.headers == (
        ("Set-Cookie", "theme=dark"),
        ("X-A", "«shop.password»"),
    )


HEX = "9f86d081884c7d659a2feaa0c55ad015"


@pytest.mark.parametrize(
    "url",
    [
        "https://ada:n0t-known-yet@h/x",
        "https://h/?a=1&token=n0t-known-yet",
        "https://h/v3/9f86d081884c7d659a2feaa0c55ad015/x",
        "https://api.telegram.org/bot110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/getMe",
    ],
)
def test_secret_in_an_address_is_never_recorded(url: str) -> None:
    said = exchange(
        Malformed(f"moved to {url}"),
        url=url,
        params=json.dumps({"hook": url}),
        response=Response(307, f"see {url}", headers=(("Location", url),), body=json.dumps({"link": url}).encode()),
        notes=(f"at {url}",),
    )
    kept = recorded(said, SHOP, [])
    assert MARK in json.loads(kept.params)["hook"]
    assert MARK in json.loads(kept.response.body)["link"]
    assert MARK in kept.response.headers[0][1]
    for secret in ("n0t-known-yet", HEX, "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"):
        assert secret not in f"{kept!r} {kept.response.headers} {kept.response.body!r}"


def test_known_secret_in_an_address_becomes_its_reference() -> None:
    assert params_of(["https://h/?token=hunter2-hunter2"], PASSWORD) == ["https://h/?token=«shop.password»"]
    assert reply_of(["https://h/?token=hunter2-hunter2"], PASSWORD) == ["https://h/?token=«shop.password»"]


def test_address_spelled_with_escapes_is_redacted() -> None:
    body = b'{"link": "https:\\/\\/h\\/v3\\/%s", "t": "\\u003ftoken\\u003dabc?token=abc"}' % HEX.encode()
    kept = recorded(exchange(Result(b"1"), body=body), SHOP, []).response.body
    assert json.loads(kept) == {"link": f"https://h/v3/{MARK}", "t": f"?token=abc?token={MARK}"}


@pytest.mark.parametrize("method", ["user.login", "open.sesame"])
def test_session_in_a_login_response_is_not_recorded(method: str) -> None:
    profile = replace(SHOP, auth=CookieAuth(), login=Login(method="open.sesame"))
    body = json.dumps({"jsonrpc": "2.0", "id": "1", "result": HEX}).encode()
    kept = recorded(exchange(Result(b"1"), method=method, body=body), profile, [])
    assert json.loads(kept.response.body)["result"] == MARK
    other = recorded(exchange(Result(b"1"), method="user.hash", body=body), profile, [])
    assert json.loads(other.response.body)["result"] == HEX


def test_call_without_fixed_login_params_is_not_login() -> None:
    profile = replace(SHOP, auth=CookieAuth(), login=Login("call", ["session", "login", "{password}"]))
    body = json.dumps({"jsonrpc": "2.0", "id": "1", "result": HEX}).encode()
    for params, value in (('["session", "login", "x"]', MARK), ('["system", "hash"]', HEX)):
        kept = recorded(exchange(Result(b"1"), method="call", params=params, body=body), profile, [])
        assert json.loads(kept.response.body)["result"] == value


def test_known_session_in_login_response_becomes_its_reference() -> None:
    body = json.dumps({"result": HEX}).encode()
    kept = recorded(exchange(Result(b"1"), method="login", body=body), SHOP, [Secret(HEX, "shop.session")])
    assert json.loads(kept.response.body) == {"result": "«shop.session»"}


def test_secret_of_profile_address_is_redacted_in_responses() -> None:
    node = replace(SHOP, url=f"https://h/eth/{HEX}", path="")
    assert reply_of({"you": f"<{HEX}>"}, profile=node) == {"you": f"<{MARK}>"}
    assert params_of([f"{HEX}"], profile=node) == [MARK]


def test_login_password_by_position_is_not_recorded() -> None:
    kept = recorded(exchange(Result(b"1"), method="session.login", params='["ada", "bobs-pw"]'), SHOP, [])
    assert json.loads(kept.params) == ["ada", MARK]
    other = recorded(exchange(Result(b"1"), method="note.add", params='["ada", "bobs-pw"]'), SHOP, [])
    assert json.loads(other.params) == ["ada", "bobs-pw"]


def test_login_password_inside_batch_is_not_recorded() -> None:
    profile = replace(SHOP, auth=CookieAuth(), login=Login(method="open.sesame"))
    for method in ("user.login", "open.sesame"):
        calls = [{"method": method, "params": ["ada", "bobs-pw"]}, {"method": "note.add", "params": ["a", "b"]}]
        sent = exchange(Result(b"1"), method=f"{method}, note.add", params=json.dumps(calls), kind="batch")
        kept = json.loads(recorded(sent, profile, []).params)
        assert [call["params"] for call in kept] == [["ada", MARK], ["a", "b"]]


def test_outcome_sentence_redacts_the_redirect_target_like_header() -> None:
    place = "https://h/back?code=Spl-xlO&page=2"
    said = Malformed(f"The server redirects to {place}. Redirects are not followed.")
    kept = recorded(exchange(said, response=Response(302, headers=(("Location", place),))), SHOP, []).outcome
    assert kept == Malformed(f"The server redirects to https://h/back?code={MARK}&page=2. Redirects are not followed.")


@pytest.mark.parametrize(
    ("body", "limit", "expected"),
    [
        (b"", 0, (b"", False)),
        (b"abc", 3, (b"abc", False)),
        (b"abc", 2, (b"ab", True)),
        (b"abc", 0, (b"", True)),
        ("aé".encode(), 2, (b"a", True)),
        ("a😀".encode(), 4, (b"a", True)),
        ("😀".encode(), 3, (b"", True)),
        (b"\xbf" * 9, 6, (b"\xbf" * 3, True)),
    ],
)
def test_body_is_cut_between_two_characters(body: bytes, limit: int, expected: tuple[bytes, bool]) -> None:
    assert clipped(body, limit) == expected


@given(st.text(max_size=12), st.integers(0, 40))
def test_body_that_was_cut_is_still_text(text: str, limit: int) -> None:
    body, was_cut = clipped(text.encode(), limit)
    assert text.startswith(body.decode())
    assert limit - 3 <= len(body) <= limit or not was_cut


def test_long_response_is_cut_after_the_last_secret() -> None:
    body = b'{"id":"1","result":"hunter2-hunter2 ' + "ä".encode() * 500 + b'"}'
    sent = exchange(Result(b"1"), body=body)
    kept = redacted(sent, for_history(30), SHOP, [PASSWORD]).response
    assert kept.body == '{"id":"1","result":"«shop.passw'.encode()[:30]
    assert (kept.cut, kept.size) == (True, sent.response.size)


def test_secret_at_the_cut_is_redacted() -> None:
    sent = exchange(Result(b"1"), body=b'["hunter2-hunter2"]')
    assert redacted(sent, for_history(8), SHOP, [PASSWORD]).response.body == '["«shop'.encode()[:8]


def test_response_at_limit_is_whole_unless_cut_before() -> None:
    sent = exchange(Result(b"1"), body=b"[1]")
    assert not redacted(sent, for_history(3), SHOP, []).response.cut
    cut = replace(sent, response=replace(sent.response, cut=True))
    assert redacted(cut, for_history(3), SHOP, []).response.cut


def test_password_in_a_batch_with_two_names_is_not_recorded() -> None:
    calls = '[{"method":"user.login","method":"echo","params":["ada","b0bs-own"]}]'
    sent = replace(exchange(Result(b"1"), params=calls), method="echo", kind="batch")
    assert "b0bs-own" not in redacted(sent, for_history(None), SHOP, []).params


@pytest.mark.parametrize(("kind", "guesses"), [("notification", False), ("response", False), ("response", True)])
def test_event_hides_places_and_late_sessions(kind: EventKind, *, guesses: bool) -> None:
    """Alike for the screen, ``listen`` and the history; only a late response may be that of a login."""
    profile = Profile("x", "tcp://127.0.0.1:9", auth=InlineAuth(username="ada", password_member="kode"))
    hide = EventRedactor(profile, [Secret("abc12", "x.password")], guesses=guesses)
    event = Event(datetime.now(UTC), kind, b'{"kode":"abc12","to":"abc12","result":{"sid":"s3ss10n-of-ada"}}', "m")
    shown = b"s3ss10n-of-ada" if kind == "notification" else "«not recorded»".encode()
    expected = '{"kode":"«x.password»","to":"abc12","result":{"sid":"%b"}}'.encode() % shown
    assert (hide.message(event), hide.messages([event])) == (expected, [expected])


@pytest.mark.parametrize("times", [1, 9], ids=["grows", "shrinks"])
def test_secret_at_the_cut_is_not_recorded(times: int) -> None:
    secret, limit = "correct-horse" * times, 200_000
    hide = EventRedactor(SHOP, [Secret(secret, "x.password")])
    cut = limit + MARGIN - len(secret) // 2
    start = f"{secret} " * (cut // len(f"{secret} "))
    long = Event(datetime.now(UTC), "unreadable", f"{start:{cut}}{secret}{'':{MARGIN}}".encode())
    ((kept, is_cut),) = hide.cut_messages([long], limit)
    assert is_cut
    assert len(kept) <= limit
    assert b"correct" not in kept
    came = exchange(Result(b"1"), body=long.text)
    record = redacted(came, for_history(limit), SHOP, [Secret(secret, "x.password")]).response
    assert record.cut
    assert len(record.body) <= limit
    assert b"correct" not in record.body


PIECES = [
    *("hunter2-hunter2", "aHVudGVyMi1odW50ZXIy", "«shop.password»", "tiny5", "s3ss10n-s3ss10n", "ada", MARK),
    *('{"password": "x"}', '{"token": 7}', r"{\"session\": \"abcdefgh12345678\"}", '"passwd"', ": 1", "api"),
    *("https://ada:secret-5@h/p", "?apikey=k1e2y3k4e5y6a7", "eyJhbGciOi.eyJzdWIiOi.abcdef1", "/api/v2/"),
    *("/bot12345:abcdefghijklmnopqrstu", "login", "auth", "Set-Cookie", "X-Csrf", "sid=a1b2c3d4e5f6", "; path=/"),
    *(r"\u0070assword", "\ud800", "ünïcödé", " ", "\n", "x"),
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=3).map("".join)


@st.composite
def exchanges(draw: st.DrawFn) -> Exchange:
    body, words = draw(TEXTS).encode("utf-8", "surrogatepass"), draw(TEXTS)
    outcomes: list[Outcome] = [
        Result(body, remarks=(words,), message=words),
        ErrorObject(1, words, body, body),
        Malformed(words),
        Unreached("wait", words),
    ]
    headers = draw(st.lists(st.tuples(TEXTS, TEXTS), max_size=2))
    fields = {name: draw(TEXTS) for name in ("method", "params", "params_sent", "url", "name", "note", "expect")}
    response = Response(status=200, reason=draw(TEXTS), headers=tuple(headers), body=body)
    made = exchange(draw(st.sampled_from(outcomes)), params="[]")
    return replace(made, response=response, notes=(draw(TEXTS),), **fields)


class Careful(Redaction):
    """Redacts each text of an exchange, whatever a quick look says."""

    def _finds_nothing(self, exchange: Exchange) -> bool:
        return False


@given(exchanges(), st.booleans())
def test_quick_look_at_an_exchange_misses_nothing(came: Exchange, is_public: bool) -> None:
    secrets = [PASSWORD, Secret("tiny5", "shop.token"), Secret("ada", "shop.username")]
    secrets.append(Secret("s3ss10n-s3ss10n", "shop.session", is_public=is_public))
    for policy in (SHOW, for_history(None), for_history(5), for_history(0)):
        assert Redaction(SHOP, secrets).redacted(came, policy) == Careful(SHOP, secrets).redacted(came, policy)
