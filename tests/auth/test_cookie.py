"""The auth type cookie, driven by hand."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from rpcexplorer.auth.credentials import Message, Note, SessionEnded, SessionOpened
from rpcexplorer.auth.login import has_ended
from rpcexplorer.auth.token import CookieAuth
from rpcexplorer.model.exchange import Outcome, Refused, Unreached
from rpcexplorer.model.profile import Login, MethodNote
from rpcexplorer.model.secret import Secret
from rpcexplorer.rpc.messages import Call, ErrorObject, Malformed, Result
from tests.auth.driving import (
    COOKIE,
    DENIED,
    PASSWORD,
    PONG,
    SESSION,
    Ended,
    Sent,
    drive,
    end,
    kinds,
    message,
    received,
    requests,
)


def test_call_with_session_sends_only_its_cookie() -> None:
    steps = drive(COOKIE, message(), SESSION, [received(PONG)])
    assert kinds(steps) == ["Sent", "Ended"]
    assert (requests(steps)[0].secrets, requests(steps)[0].headers[0].text) == ((SESSION,), "sessionid=«shop.session»")
    assert end(steps) == PONG


def test_call_without_session_logs_in_first() -> None:
    steps = drive(COOKIE, message(), None, [PASSWORD, received(Result(b"{}"), "sessionid=new; Path=/"), received(PONG)])
    assert kinds(steps) == ["Asked", "Sent", "SessionOpened", "Note", "Sent", "Ended"]
    login, call = requests(steps)
    assert login.is_ahead
    assert login.message.calls == (Call("auth", '{"username":"ada","password":"«shop.password»"}', "1.login"),)
    assert login.secrets == (PASSWORD,)
    assert [secret.reveal() for secret in call.secrets] == ["new"]
    assert end(steps) == PONG


def test_ended_session_is_renewed_once() -> None:
    answers = [received(DENIED), PASSWORD, received(Result(b"{}"), "sessionid=new"), received(PONG)]
    steps = drive(COOKIE, message(), SESSION, answers)
    assert kinds(steps) == ["Sent", "SessionEnded", "Note", "Asked", "Sent", "SessionOpened", "Note", "Sent", "Ended"]
    assert [send.is_ahead for send in requests(steps)] == [False, True, False]
    assert end(steps) == PONG


def test_call_is_never_sent_three_times() -> None:
    answers = [received(DENIED), PASSWORD, received(Result(b"{}"), "sessionid=new"), received(DENIED)]
    assert end(drive(COOKIE, message(), SESSION, answers)) == DENIED
    steps = drive(COOKIE, message(), None, answers[1:])  # After a new login it is not even sent twice.
    assert (len(requests(steps)), end(steps)) == (2, DENIED)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Result(b"false"), "the server rejected it (false)."),
        (Result(b"[6]"), "the server rejected it ([6])."),
        (
            ErrorObject(-32500, "Application error.", b'"Incorrect user name."', b"{}"),
            "the server rejected it (-32500 Application error: Incorrect user name).",
        ),
        (
            ErrorObject(None, "", b'"no such user"', b"{}"),
            "the server rejected it (no such user).",
        ),
        (
            ErrorObject(1, "no", b'{"trace": "' + b"x" * 5000 + b'"}', b"{}"),
            "the server rejected it (1 no).",
        ),
    ],
)
def test_refused_login_is_reported(answer: Outcome, words: str) -> None:
    outcome = end(drive(COOKIE, message(), None, [PASSWORD, received(answer)]))
    assert isinstance(outcome, Refused)
    assert (outcome.why, outcome.missing, outcome.rejected) == ("credentials", "password", True)
    assert outcome.sentence.endswith(words)


@pytest.mark.parametrize("answer", [b"true", b"null", b"[0]", b"[0,{}]"])
def test_login_without_session_is_reported(answer: bytes) -> None:
    outcome = end(drive(COOKIE, message(), None, [PASSWORD, received(Result(answer))]))
    assert isinstance(outcome, Refused)
    assert "sets no sessionid cookie" in outcome.sentence


def test_failed_second_login_reports_ended_session() -> None:
    steps = drive(COOKIE, message(), SESSION, [received(DENIED), Refused("credentials", "No password.", "password")])
    outcome = end(steps)
    assert isinstance(outcome, Refused)
    assert "authentication required" in outcome.sentence
    assert "No password." in outcome.sentence


def test_unknown_login_method_rejects_no_password() -> None:
    answer = ErrorObject(-32601, "Method not found", None, b"{}")
    outcome = end(drive(COOKIE, message(), None, [PASSWORD, received(answer)]))
    assert isinstance(outcome, Refused)
    assert (outcome.missing, outcome.rejected) == (None, False)
    assert "no such method (-32601 Method not found). Correct login.method." in outcome.sentence


def test_unreached_login_is_named() -> None:
    outcome = end(drive(COOKIE, message(), None, [PASSWORD, received(Unreached("connect", "Nobody there."))]))
    assert outcome == Unreached("connect", "The login failed: Nobody there.")


def test_missing_password_sends_nothing() -> None:
    missing = Refused("credentials", "No password.", "password")
    steps = drive(COOKIE, message(), None, [missing])
    assert kinds(steps) == ["Asked", "Ended"]
    assert end(steps) == missing


def test_login_method_needs_no_session() -> None:
    steps = drive(COOKIE, message(method="auth"), None, [received(Result(b"{}"), "sessionid=new")])
    assert kinds(steps) == ["Sent", "SessionOpened", "Note", "Ended"]


@pytest.mark.parametrize("auth", ["none", "inline"])
def test_method_without_auth_gets_no_login(auth: Any) -> None:
    profile = replace(COOKIE, methods={"rpc.discover": MethodNote(auth=auth)})
    assert kinds(drive(profile, message(method="rpc.discover"), None, [received(PONG)])) == ["Sent", "Ended"]


def test_new_cookie_is_adopted_and_noted() -> None:
    steps = drive(
        COOKIE, message(), SESSION, [received(PONG, "other=1", "sessionid=older", "sessionid=newest; Path=/")]
    )
    adopted = [step.session.reveal() for step in steps if isinstance(step, SessionOpened)]
    assert adopted == ["newest"]
    assert any(isinstance(step, Note) and "new session" in step.sentence for step in steps)


def test_same_cookie_changes_nothing() -> None:
    assert kinds(drive(COOKIE, message(), SESSION, [received(PONG, "sessionid=s3ss10n")])) == ["Sent", "Ended"]


@pytest.mark.parametrize("attributes", ["Max-Age=0", "Max-Age=-1", "expires=Thu, 01 Jan 1970 00:00:00 GMT"])
def test_deleted_cookie_ends_the_session(attributes: str) -> None:
    steps = drive(COOKIE, message(), SESSION, [received(PONG, f"sessionid=x; {attributes}")])
    assert [type(step) for step in steps] == [Sent, SessionEnded, Note, Ended]


@pytest.mark.parametrize("value", ["é", "a\x1bb", "a b", "a,b", "a\nb", "a\x7f", '"', '""', 'a"b', "a\\b"])
def test_invalid_cookie_is_not_adopted(value: str) -> None:
    steps = drive(COOKIE, message(), SESSION, [received(PONG, f"sessionid={value}")])
    assert not any(isinstance(step, SessionOpened | SessionEnded) for step in steps)
    assert any(isinstance(step, Note) and "cannot be sent back" in step.sentence for step in steps)


def test_session_is_read_at_the_pointer() -> None:
    profile = replace(COOKIE, login=Login(session="/token/id"))
    answers = [PASSWORD, received(Result(b'{"token":{"id":"abc"}}')), received(PONG)]
    assert requests(drive(profile, message(), None, answers))[1].secrets == (Secret("abc", ""),)


def test_malformed_login_response_is_a_failed_login() -> None:
    outcome = end(
        drive(COOKIE, message(), None, [PASSWORD, received(Malformed("The response is an HTML page."), status=502)])
    )
    assert isinstance(outcome, Refused)
    assert "HTTP 502" in outcome.sentence


def test_login_params_may_have_any_shape() -> None:
    profile = replace(COOKIE, login=Login("user.login", ["{username}", {"secret": "{password}"}]))
    steps = drive(profile, message(), None, [PASSWORD, received(Result(b"{}"), "sessionid=n"), received(PONG)])
    assert requests(steps)[0].message.calls[0].params == '["ada",{"secret":"«shop.password»"}]'


def test_answered_batch_is_not_sent_twice() -> None:
    batch = Message("batch", (Call("a", "[]", "1"), Call("b", "[]", "2")))
    partly = ErrorObject(-32001, "1 of 2 calls failed: auth", None, b'[{"id":"1"},{"id":"2"}]')
    assert not has_ended(Login(), batch, received(partly))
    assert has_ended(Login(), batch, received(DENIED))


@pytest.mark.parametrize(
    ("text", "id"),
    [
        ("abc", "abc"),
        ("  abc ", "abc"),
        ("sessionid=abc", "abc"),
        ("Cookie: x=1; sessionid=abc; y=2", "abc"),
        ('Set-Cookie: sessionid="abc"; Path=/; HttpOnly', "abc"),
        ("oldsessionid=abc", "oldsessionid=abc"),
        ("a=b", "a=b"),
    ],
)
def test_pasted_text_gives_the_session_id(text: str, id: str) -> None:
    assert CookieAuth().pasted("session", text) == id


def test_session_is_found_among_other_members() -> None:
    profile = replace(COOKIE, login=Login(session="/deep/1/id"))
    odd = (
        b'{"n": 1' + b"0" * 5000 + b', "half": "\\ud800", "deep": [' + b"[" * 3000 + b"]" * 3000 + b', {"id": "abc"}]}'
    )
    assert requests(drive(profile, message(), None, [PASSWORD, received(Result(odd)), received(PONG)]))[1].secrets == (
        Secret("abc", ""),
    )
