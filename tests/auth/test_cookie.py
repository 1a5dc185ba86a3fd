"""Auth, driven by hand: what each flow wants, in which order, and how it ends."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec.structs import replace

from rpcexplorer.auth.cookie import flow, has_ended
from rpcexplorer.auth.credentials import opened
from rpcexplorer.auth.flow import Drop, Ended, Errand, Keep, Landed, Need, Say, Step, Trip, advance
from rpcexplorer.model.exchange import Outcome, Refused, Response, Unreached
from rpcexplorer.model.profile import CookieAuth, InlineAuth, Login, MethodNote, NoAuth, Profile
from rpcexplorer.model.secrets.secret import Secret
from rpcexplorer.protocol.messages import Call, ErrorObject, Malformed, Result

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
COOKIE = Profile("shop", "https://rpc.example.com", auth=CookieAuth(username="ada"))
INLINE = Profile("shop", "https://rpc.example.com", auth=InlineAuth(username="ada"))
PASSWORD = Secret("hunter2hunter2", "shop.password")
SESSION = Secret("s3ss10n", "shop.session", "session")
PONG = Result(b'"pong"')
DENIED = ErrorObject(-32001, "authentication required", None, b"{}")


def errand(params: str = "[]", method: str = "ping", id: str | None = "1") -> Errand:
    return Errand("call", (Call(method, params, id),))


def landed(outcome: Outcome, *cookies: str, status: int = 200) -> Landed:
    return Landed(outcome, Response(status, headers=tuple(("Set-Cookie", cookie) for cookie in cookies)))


def drive(profile: Profile, what: Errand, session: Secret | None, answers: Iterable[Any]) -> list[Step | Ended]:
    """Everything the flow wanted, when Need and Trip are answered in turn with ``answers``."""
    way, replies = flow(profile, what, session, NOW), iter(answers)
    wanted = [advance(way, None)]
    while not isinstance(wanted[-1], Ended):
        answer = next(replies) if isinstance(wanted[-1], Need | Trip) else None
        wanted.append(advance(way, answer))
    assert next(replies, None) is None, "not every answer was asked for"
    return wanted


def kinds(steps: list[Step | Ended]) -> list[str]:
    return [type(step).__name__ for step in steps]


def trips(steps: list[Step | Ended]) -> list[Trip]:
    return [step for step in steps if isinstance(step, Trip)]


def end(steps: list[Step | Ended]) -> Outcome:
    assert isinstance(steps[-1], Ended)
    return steps[-1].end.outcome if isinstance(steps[-1].end, Landed) else steps[-1].end


# --- cookie ----------------------------------------------------------------------------------------------------------


def test_with_a_session_the_call_goes_out_with_its_cookie_and_nothing_else() -> None:
    steps = drive(COOKIE, errand(), SESSION, [landed(PONG)])
    assert kinds(steps) == ["Trip", "Ended"]
    assert trips(steps)[0].cookie == SESSION
    assert end(steps) == PONG


def test_without_a_session_a_login_goes_ahead() -> None:
    steps = drive(COOKIE, errand(), None, [PASSWORD, landed(Result(b"{}"), "sessionid=new; Path=/"), landed(PONG)])
    assert kinds(steps) == ["Need", "Trip", "Keep", "Say", "Trip", "Ended"]
    login, call = trips(steps)
    assert login.login
    assert login.errand.calls == (Call("auth", '{"username":"ada","password":"«shop.password»"}', "1.login"),)
    assert login.secrets == (PASSWORD,)
    assert call.cookie is not None
    assert call.cookie.reveal() == "new"
    assert end(steps) == PONG


def test_a_session_that_has_ended_is_renewed_once_and_the_call_tried_once_more() -> None:
    answers = [landed(DENIED), PASSWORD, landed(Result(b"{}"), "sessionid=new"), landed(PONG)]
    steps = drive(COOKIE, errand(), SESSION, answers)
    assert kinds(steps) == ["Trip", "Drop", "Say", "Need", "Trip", "Keep", "Say", "Trip", "Ended"]
    assert [trip.login for trip in trips(steps)] == [False, True, False]
    assert end(steps) == PONG


def test_there_is_no_third_try() -> None:
    answers = [landed(DENIED), PASSWORD, landed(Result(b"{}"), "sessionid=new"), landed(DENIED)]
    assert end(drive(COOKIE, errand(), SESSION, answers)) == DENIED


def test_after_a_fresh_login_a_refusal_is_the_servers_last_word() -> None:
    steps = drive(COOKIE, errand(), None, [PASSWORD, landed(Result(b"{}"), "sessionid=new"), landed(DENIED)])
    assert len(trips(steps)) == 2
    assert end(steps) == DENIED


def test_a_login_that_is_refused_ends_it_with_the_servers_words_and_a_way_out() -> None:
    denied = ErrorObject(-32001, "authentication failed", None, b"{}")
    outcome = end(drive(COOKIE, errand(), None, [PASSWORD, landed(denied)]))
    assert isinstance(outcome, Refused)
    assert outcome.why == "credentials"
    assert "-32001 authentication failed" in outcome.sentence
    assert "RPCEXPLORER_SHOP_PASSWORD" in outcome.sentence


def test_when_the_second_login_fails_the_end_of_the_session_is_told_as_well() -> None:
    steps = drive(COOKIE, errand(), SESSION, [landed(DENIED), Refused("credentials", "No password.", "password")])
    outcome = end(steps)
    assert isinstance(outcome, Refused)
    assert "authentication required" in outcome.sentence
    assert "No password." in outcome.sentence


def test_a_login_that_does_not_arrive_is_an_unreached_call_that_never_ran() -> None:
    outcome = end(drive(COOKIE, errand(), None, [PASSWORD, landed(Unreached("connect", "Nobody there.", True))]))
    assert outcome == Unreached("connect", "While logging in: Nobody there.", False)


def test_a_missing_password_ends_it_before_anything_is_sent() -> None:
    missing = Refused("credentials", "No password.", "password")
    steps = drive(COOKIE, errand(), None, [missing])
    assert kinds(steps) == ["Need", "Ended"]
    assert end(steps) == missing


def test_the_login_method_itself_needs_no_session() -> None:
    steps = drive(COOKIE, errand(method="auth"), None, [landed(Result(b"{}"), "sessionid=new")])
    assert kinds(steps) == ["Trip", "Keep", "Say", "Ended"]


@pytest.mark.parametrize("auth", ["none", "inline"])
def test_a_method_noted_as_needing_no_session_gets_no_login(auth: Any) -> None:
    profile = replace(COOKIE, methods={"rpc.discover": MethodNote(auth=auth)})
    assert kinds(drive(profile, errand(method="rpc.discover"), None, [landed(PONG)])) == ["Trip", "Ended"]


def test_a_new_cookie_on_any_reply_is_adopted_and_said() -> None:
    steps = drive(COOKIE, errand(), SESSION, [landed(PONG, "other=1", "sessionid=older", "sessionid=newest; Path=/")])
    kept = [step.session.reveal() for step in steps if isinstance(step, Keep)]
    assert kept == ["newest"]
    assert any(isinstance(step, Say) and "adopted" in step.sentence for step in steps)


def test_the_same_cookie_again_changes_nothing() -> None:
    assert kinds(drive(COOKIE, errand(), SESSION, [landed(PONG, "sessionid=s3ss10n")])) == ["Trip", "Ended"]


@pytest.mark.parametrize("attributes", ["Max-Age=0", "Max-Age=-1", "expires=Thu, 01 Jan 1970 00:00:00 GMT"])
def test_a_deleted_cookie_ends_the_session(attributes: str) -> None:
    steps = drive(COOKIE, errand(), SESSION, [landed(PONG, f"sessionid=x; {attributes}")])
    assert [type(step) for step in steps] == [Trip, Drop, Say, Ended]


@pytest.mark.parametrize("value", ["é", "a\x1bb", "a b", "a,b", "a\nb"])
def test_a_cookie_that_cannot_be_sent_back_is_not_adopted(value: str) -> None:
    steps = drive(COOKIE, errand(), SESSION, [landed(PONG, f"sessionid={value}")])
    assert not any(isinstance(step, Keep | Drop) for step in steps)
    assert any(isinstance(step, Say) and "cannot be sent back" in step.sentence for step in steps)


def test_the_session_is_found_in_the_reply_where_the_profile_says_it_stands() -> None:
    profile = replace(COOKIE, login=Login(session="/token/id"))
    answers = [PASSWORD, landed(Result(b'{"token":{"id":"abc"}}')), landed(PONG)]
    assert trips(drive(profile, errand(), None, answers))[1].cookie == Secret("abc", "")


def test_a_login_without_any_session_says_what_to_set() -> None:
    outcome = end(drive(COOKIE, errand(), None, [PASSWORD, landed(Result(b"{}"))]))
    assert isinstance(outcome, Refused)
    assert "login.session" in outcome.sentence


def test_a_login_answered_by_nonsense_is_a_failed_login() -> None:
    outcome = end(
        drive(COOKIE, errand(), None, [PASSWORD, landed(Malformed("The reply is an HTML page."), status=502)])
    )
    assert isinstance(outcome, Refused)
    assert "HTTP 502" in outcome.sentence


def test_the_params_of_the_login_may_have_any_shape() -> None:
    profile = replace(COOKIE, login=Login("user.login", ["{username}", {"secret": "{password}"}]))
    steps = drive(profile, errand(), None, [PASSWORD, landed(Result(b"{}"), "sessionid=n"), landed(PONG)])
    assert trips(steps)[0].errand.calls[0].params == '["ada",{"secret":"«shop.password»"}]'


@pytest.mark.parametrize(
    ("outcome", "status", "ended"),
    [
        (PONG, 401, False),
        (DENIED, 200, True),
        (Malformed("empty"), 401, True),
        (Malformed("empty"), 403, True),
        (Malformed("empty"), 500, False),
        (ErrorObject(1, "Please log in first", None, b"{}"), 200, True),
        (ErrorObject(-32602, "Session terminated, re-login, please.", None, b"{}"), 200, True),
        (ErrorObject(-32602, "unknown author", None, b"{}"), 200, False),
        (ErrorObject(7, "no such possession", None, b"{}"), 200, False),
        (Unreached("connect", "no auth here"), 401, False),
    ],
)
def test_what_means_that_a_session_has_ended(outcome: Outcome, status: int, ended: bool) -> None:
    assert has_ended(Login(), errand(), landed(outcome, status=status)) is ended


def test_what_means_it_can_be_configured() -> None:
    login = Login(ended_status=(440,), ended_codes=(99,), ended_words=("gone fishing",))
    assert has_ended(login, errand(), landed(Malformed(""), status=440))
    assert has_ended(login, errand(), landed(ErrorObject(1, "Gone fishing!", None, b"{}")))
    assert not has_ended(login, errand(), landed(DENIED, status=401))


def test_a_batch_that_was_answered_call_by_call_is_not_sent_twice() -> None:
    batch = Errand("batch", (Call("a", "[]", "1"), Call("b", "[]", "2")))
    partly = ErrorObject(-32001, "1 of 2 calls failed: auth", None, b'[{"id":"1"},{"id":"2"}]')
    assert not has_ended(Login(), batch, landed(partly))
    assert has_ended(Login(), batch, landed(DENIED))


# --- inline ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("[]", '{"username":"ada","password":"«shop.password»"}'),
        ("{}", '{"username":"ada","password":"«shop.password»"}'),
        ('{"x":1.10}', '{"x":1.10,"username":"ada","password":"«shop.password»"}'),
        ('{"username":"bob"}', '{"username":"bob","password":"«shop.password»"}'),
    ],
)
def test_credentials_are_members_of_params_when_the_call_is_sent(typed: str, sent: str) -> None:
    steps = drive(INLINE, errand(typed), None, [PASSWORD, landed(PONG)])
    assert trips(steps)[0].errand.calls[0].params == sent
    assert trips(steps)[0].cookie is None


def test_an_object_that_holds_both_is_sent_as_typed() -> None:
    typed = '{"password":"p","username":"u"}'
    steps = drive(INLINE, errand(typed), None, [landed(PONG)])
    assert kinds(steps) == ["Trip", "Ended"]
    assert trips(steps)[0].errand.calls[0].params == typed


def test_an_array_that_is_not_empty_is_refused_with_the_reason() -> None:
    outcome = end(drive(INLINE, errand("[1]"), None, []))
    assert isinstance(outcome, Refused)
    assert outcome.why == "params"
    assert "an array has no place" in outcome.sentence


def test_the_members_names_can_be_set_and_the_name_can_be_a_secret() -> None:
    profile = replace(INLINE, auth=InlineAuth(username_member="user", password_member="pass word"))
    steps = drive(profile, errand(), None, [Secret("ada", "shop.username"), PASSWORD, landed(PONG)])
    assert trips(steps)[0].errand.calls[0].params == '{"user":"«shop.username»","pass word":"«shop.password»"}'


def test_a_method_noted_as_public_gets_no_credentials() -> None:
    profile = replace(INLINE, methods={"ping": MethodNote(auth="none")})
    assert trips(drive(profile, errand(), None, [landed(PONG)]))[0].errand.calls[0].params == "[]"


def test_every_call_of_a_batch_gets_the_credentials() -> None:
    batch = Errand("batch", (Call("a", "[]", "1"), Call("b", '{"x":1}', "2")))
    sent = trips(drive(INLINE, batch, None, [PASSWORD, landed(PONG)]))[0].errand.calls
    assert all("«shop.password»" in call.params for call in sent)


# --- none and placeholders -------------------------------------------------------------------------------------------


def test_without_auth_the_call_goes_out_as_it_is() -> None:
    profile = replace(COOKIE, auth=NoAuth())
    assert kinds(drive(profile, errand(), None, [landed(PONG)])) == ["Trip", "Ended"]


def test_a_placeholder_that_was_recorded_asks_for_its_secret_again() -> None:
    profile = replace(COOKIE, auth=NoAuth())
    steps = drive(profile, errand('{"password":"«shop.password»"}'), None, [PASSWORD, landed(PONG)])
    assert steps[0] == Need("password")
    assert trips(steps)[0].secrets == (PASSWORD,)


@pytest.mark.parametrize("value", ["plain-enough", 'quo"te', "back\\slash", "new\nline", "ünï€", "«shop.password»x"])
def test_opening_puts_the_value_in_as_a_json_string(value: str) -> None:
    import json

    body = '{"password":"«shop.password»","note":"say \\"«shop.password»\\" aloud"}'.encode()
    sent = json.loads(opened(body, (Secret(value, "shop.password"),)))
    assert sent == {"password": value, "note": 'say "«shop.password»" aloud'}


def test_a_session_is_found_whatever_else_the_reply_to_a_login_holds() -> None:
    profile = replace(COOKIE, login=Login(session="/deep/1/id"))
    odd = (
        b'{"n": 1' + b"0" * 5000 + b', "half": "\\ud800", "deep": [' + b"[" * 3000 + b"]" * 3000 + b', {"id": "abc"}]}'
    )
    assert trips(drive(profile, errand(), None, [PASSWORD, landed(Result(odd)), landed(PONG)]))[1].cookie == Secret(
        "abc", ""
    )


def test_a_secret_inside_a_longer_text_is_not_sent_as_its_name() -> None:
    outcome = end(drive(INLINE, errand('{"header": "Bearer «shop.password»"}'), None, []))
    assert isinstance(outcome, Refused)
    assert "stands inside a longer text" in outcome.sentence


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ('{"password": "«not recorded»"}', "this value was not recorded: type it anew"),
        ('{"note": "a «not recorded» b"}', "this value was not recorded: type it anew"),
        (r'["\u00abnot recorded\u00bb"]', "this value was not recorded: type it anew"),
        ('["«RPCEXPLORER_OLD_PASSWORD»"]', "this value was not recorded: type it anew"),
        ('["«other.password»"]', "is not sent with profile shop: type the value itself, or choose profile other"),
        ('["a «other.session» b"]', "is not sent with profile shop"),
    ],
)
def test_what_stands_for_no_secret_of_the_profile_is_not_sent_as_text(params: str, said: str) -> None:
    for profile in (INLINE, COOKIE, replace(COOKIE, auth=NoAuth())):
        outcome = end(drive(profile, errand(params.replace("[", '{"x":').replace("]", "}")), SESSION, []))
        assert isinstance(outcome, Refused)
        assert outcome.why == "params"
        assert said in outcome.sentence


def test_these_very_letters_can_be_sent_with_an_escape() -> None:
    profile = replace(COOKIE, auth=NoAuth())
    (trip,) = trips(drive(profile, errand(r'["\u00abother.password»", "«é»"]'), None, [landed(PONG)]))
    assert trip.secrets == ()


@pytest.mark.parametrize("what", [errand('["«shop.password»"]', method="«shop.password»"), errand(id="«shop.session»")])
def test_no_secret_is_opened_in_the_name_of_a_method_or_in_an_id(what: Errand) -> None:
    outcome = end(drive(COOKIE, what, SESSION, []))
    assert isinstance(outcome, Refused)
    assert "has no place" in outcome.sentence


@pytest.mark.parametrize(
    "profile",
    [
        replace(INLINE, auth=InlineAuth(username="«shop.password»")),
        replace(INLINE, auth=InlineAuth("ada", username_member="«shop.password»")),
        replace(INLINE, auth=InlineAuth("ada", password_member="«shop.session»")),
        replace(COOKIE, auth=CookieAuth(username="«shop.password»")),
        replace(COOKIE, login=Login(params={"user": "ada", "note": "«shop.password»", "password": "{password}"})),
        replace(COOKIE, login=Login(params={"«shop.password»": "{password}"})),
        replace(COOKIE, login=Login(method="«shop.password»")),
    ],
)
def test_a_profile_opens_no_secret_where_it_does_not_belong(profile: Profile) -> None:
    steps = drive(profile, errand("{}"), None, [])
    outcome = end(steps)
    assert kinds(steps) == ["Ended"]
    assert isinstance(outcome, Refused)
    assert outcome.why == "profile"
