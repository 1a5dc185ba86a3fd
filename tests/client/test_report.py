from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from rpcexplorer.auth.basic import InlineAuth, NoAuth
from rpcexplorer.auth.token import CookieAuth
from rpcexplorer.client.report import steps
from rpcexplorer.model.exchange import Cancelled, Exchange, Outcome, Refused, Unreached
from rpcexplorer.model.profile import Auth, Profile
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from rpcexplorer.transport.port import Phases, Response
from tests.text.exchanges import exchange as made

ALL = Phases(name=0.001, connect=0.002, tls=0.003, send=0.0001, wait=0.02, transfer=0.001)
URL = "https://rpc.example.com/api/v2/"
PONG = Result(b'"pong"')


def profile(auth: Auth | None = None, **fields: Any) -> Profile:
    return Profile(**{"name": "staging", "url": "https://rpc.example.com", "auth": auth or CookieAuth(), **fields})


def exchange(outcome: Outcome, phases: Phases = ALL, **fields: Any) -> Exchange:
    return made(outcome, **{"url": URL, "phases": phases, "method": "ping", **fields})


def error(code: int | None, message: str = "") -> ErrorObject:
    return ErrorObject(code, message, None, b"{}")


def states(one: Exchange, of: Profile | None = None) -> str:
    """Return the first letter of each step's state."""
    return " ".join(step.state[0] for step in steps(one, of or profile()))


def failed(one: Exchange, of: Profile | None = None) -> tuple[str, str]:
    """Return label and words of the one step that failed."""
    (step,) = [step for step in steps(one, of or profile()) if step.state == "failed"]
    return step.label, step.words


def test_result_proves_every_step_with_its_time() -> None:
    rows = steps(exchange(PONG), profile())
    assert [row.label for row in rows] == ["Name", "TCP", "TLS", "HTTP", "JSON-RPC", "Login"]
    assert {row.state for row in rows} == {"well"}
    assert [row.seconds for row in rows] == [0.001, 0.002, 0.003, 0.02, None, None]
    assert rows[-1].words == "The server accepted the session."


@pytest.mark.parametrize(
    ("auth", "method", "label", "state", "words"),
    [
        (CookieAuth(), "auth", "Login", "well", "The login opened a session."),
        (InlineAuth(), "auth", "Credentials", "well", "The server accepted the credentials."),
        (NoAuth(), "auth", "Login", "skipped", "Calls are sent without credentials."),
    ],
)
def test_auth_type_has_its_words(auth: Auth, method: str, label: str, state: str, words: str) -> None:
    row = steps(exchange(PONG, method=method), profile(auth))[-1]
    assert (row.label, row.state, row.words) == (label, state, words)


def test_http_skips_tls_and_ip_address_skips_name() -> None:
    assert states(exchange(PONG, url="http://127.0.0.1:8000/api/v2/", phases=replace(ALL, name=None, tls=None))) == (
        "s w s w w w"
    )


def test_unix_socket_skips_name_and_tls() -> None:
    local = profile(url="http+unix:///run/x.sock", path="/rpc")
    assert states(exchange(PONG, url=local.endpoint, phases=replace(ALL, name=None, tls=None)), local) == "s w s w w w"
    unreached = exchange(Unreached("connect", "It does not exist.", False), Phases(), url=local.endpoint)
    assert failed(unreached, local) == ("TCP", "It does not exist.")


def test_proxy_is_named() -> None:
    response = Response(200, proxy="http://proxy:3128", phases=replace(ALL, name=None))
    rows = steps(exchange(PONG, response=response), profile())
    assert (rows[0].state, rows[0].words) == ("skipped", "The proxy resolves the host name.")
    assert rows[1].words == "Connected through the proxy http://proxy:3128."


def test_error_object_proves_json_rpc_only() -> None:
    one = exchange(error(-32601, "Method not found"))
    assert states(one) == "w w w w w u"
    assert steps(one, profile())[4].words == "The response is an error object (-32601 Method not found)."
    assert states(one, profile(NoAuth())) == "w w w w w s"
    assert steps(exchange(error(None)), profile())[4].words == "The response is an error object (no code)."


@pytest.mark.parametrize(
    ("step", "phases", "label", "expected"),
    [
        ("url", Phases(), "Name", "f u u u u u"),
        ("name", Phases(name=0.1), "Name", "f u u u u u"),
        ("connect", Phases(name=0.1, connect=0.1), "TCP", "w f u u u u"),
        ("proxy", Phases(connect=0.1), "TCP", "w f u u u u"),
        ("tls", replace(ALL, send=None, wait=None), "TLS", "w w f u u u"),
        ("request", ALL, "HTTP", "w w w f u u"),
        ("size", ALL, "HTTP", "w w w f u u"),
        ("timeout", Phases(name=5.0), "Name", "f u u u u u"),
        ("timeout", Phases(), "TCP", "w f u u u u"),
        ("timeout", Phases(name=0.1, connect=5.0), "TCP", "w f u u u u"),
        ("timeout", Phases(name=0.1, connect=0.1, tls=5.0), "TLS", "w w f u u u"),
        ("timeout", Phases(wait=5.0), "HTTP", "w w w f u u"),
    ],
)
def test_unreached_exchange_fails_at_its_step(step: Any, phases: Phases, label: str, expected: str) -> None:
    one = exchange(Unreached(step, "It did not work: try again."), phases, status=None)
    assert states(one) == expected
    assert failed(one) == (label, "It did not work: try again.")
    assert steps(one, profile())[-1].words == "Not reached."


@pytest.mark.parametrize("status", [302, 404, 502])
def test_error_status_fails_at_http(status: int) -> None:
    one = exchange(Malformed("The response is HTML."), status=status)
    assert states(one) == "w w w f u u"
    assert failed(one) == ("HTTP", f"HTTP {status}: The response is HTML.")


@pytest.mark.parametrize(
    ("outcome", "status", "expected"),
    [
        (error(-32001, "nope"), 200, "w w w w w f"),
        (error(-1, "Please LOG IN first"), 200, "w w w w w f"),
        (error(-1, "no"), 401, "w w w w w f"),
        (Malformed("no JSON"), 403, "w w w w u f"),
    ],
)
@pytest.mark.parametrize("auth", [CookieAuth(), InlineAuth(), NoAuth()])
def test_request_for_login_fails_at_login(outcome: Outcome, status: int, expected: str, auth: Auth) -> None:
    one = exchange(outcome, status=status)
    assert states(one, profile(auth)) == expected
    label, words = failed(one, profile(auth))
    assert label == ("Credentials" if isinstance(auth, InlineAuth) else "Login")
    assert ("Set auth in the profile" in words) is isinstance(auth, NoAuth)


def test_unseen_credentials_need_another_auth_type() -> None:
    one = exchange(error(-32001, "authentication required"))
    words = "The server found no credentials (-32001 authentication required). ping may need another auth type."
    assert failed(one, profile(InlineAuth())) == ("Credentials", words)


def test_failed_login_fails_at_login() -> None:
    refused = Refused("credentials", "Login with auth failed: -32001 wrong password.")
    one = exchange(refused, Phases(), status=None, seconds=0.03)
    assert states(one) == "w w w w u f"
    assert failed(one) == ("Login", refused.sentence)


@pytest.mark.parametrize("outcome", [error(-32001, "no"), Refused("credentials", "No.", "password", rejected=True)])
def test_rejected_login_ends_with_next_step(outcome: Outcome) -> None:
    one = exchange(outcome, seconds=0.03)
    command = "`rpcexplorer profiles secret staging password`"
    assert failed(one)[1].endswith(f". Set RPCEXPLORER_STAGING_PASSWORD, or run {command}.")
    assert failed(one, profile(name="url", ad_hoc=True))[1].endswith(". Enter the password again.")


def test_missing_credential_fails_at_login_without_sending() -> None:
    one = exchange(Refused("credentials", "No password."), Phases(), status=None, seconds=0.0)
    assert states(one) == "u u u u u f"
    assert failed(one) == ("Login", "No password.")
    assert steps(one, profile())[0].words == "Nothing was sent."


@pytest.mark.parametrize(
    ("phases", "expected"), [(Phases(name=1.0), "u u u u u u"), (ALL, "w w w u u u"), (Phases(), "w u u u u u")]
)
def test_cancelled_exchange_has_no_failed_step(phases: Phases, expected: str) -> None:
    one = exchange(Cancelled(), phases, status=None)
    assert states(one) == expected
    assert "You cancelled the call." in [step.words for step in steps(one, profile())]


@pytest.mark.parametrize(
    ("outcome", "status", "code"),
    [
        (Malformed("A page."), 200, 5),
        (Malformed("A page."), 502, 5),
        (Malformed("A page."), 401, 3),
        (Refused("credentials", "No password."), None, 3),
        (Refused("params", "The params cannot be sent."), None, 5),
        (Unreached("wait", "HTTP it was not: it hung up."), None, 4),
        (Unreached("name", "No address."), None, 4),
    ],
)
def test_failed_step_has_exit_code_of_a_call(outcome: Outcome, status: int | None, code: int) -> None:
    (failing,) = [step for step in steps(exchange(outcome, status=status), profile()) if step.state == "failed"]
    assert failing.code == code
