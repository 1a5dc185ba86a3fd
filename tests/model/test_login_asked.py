from __future__ import annotations

import pytest

from rpcexplorer.model.exchange import ErrorObject, Malformed, Outcome, Result, Unreached
from rpcexplorer.model.login_asked import asks_for_login
from rpcexplorer.model.profile import Login

PONG = Result(b'"pong"')


def error(code: int | None, message: str = "") -> ErrorObject:
    return ErrorObject(code, message, None, b"{}")


@pytest.mark.parametrize(
    ("outcome", "status", "asks"),
    [
        (error(-1, "The author is unknown"), 200, False),
        (error(-1, "auth"), 200, True),
        (error(-1, "session expired"), 200, True),
        (error(-1, ""), 200, False),
        (Malformed(""), 401, True),
        (Malformed("log in"), 200, False),
        (PONG, 401, False),
        (Unreached("body", "log in"), 401, False),
    ],
)
def test_a_login_is_asked_for_by_status_code_or_whole_words(outcome: Outcome, status: int, asks: bool) -> None:
    assert asks_for_login(Login(), outcome, status) is asks


def test_a_profile_may_name_no_words_at_all() -> None:
    assert not asks_for_login(Login(ended_words=()), error(-1, "log in"), 200)
