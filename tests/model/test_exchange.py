"""Cases, and the exit code of an exchange."""

from __future__ import annotations

import pytest

from rpcexplorer.model.exchange import Case, Damaged, Outcome, Refused, Sent, Unreached
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from tests.text.exchanges import exchange


def test_case_has_exchanges_damage_and_unique_addresses() -> None:
    one, two, three = (exchange(Sent(), url=url) for url in ("http://a", "http://b", "http://a"))
    torn = Damaged("case.toml:3", "it is torn", "")
    case = Case("case.toml", (one, torn, two, three))
    assert case.exchanges == [one, two, three]
    assert case.damaged == [torn]
    assert case.addresses == ["http://a", "http://b"]


@pytest.mark.parametrize(
    ("outcome", "status", "code"),
    [
        (Result(b"1"), 200, 0),
        (ErrorObject(1, "no", None, b"{}"), 401, 1),
        (Refused("credentials", "no password"), None, 3),
        (Malformed("no JSON"), 401, 3),
        (Malformed("no JSON"), 500, 5),
        (Unreached("upgrade", "no WebSocket"), 401, 3),
        (Unreached("upgrade", "no WebSocket"), 404, 4),
        (Unreached("body", "cut off"), 401, 4),
        (Unreached("url", "no host"), None, 2),
    ],
)
@pytest.mark.everyday(9)
def test_exit_code_says_how_a_call_ended(outcome: Outcome, status: int | None, code: int) -> None:
    assert exchange(outcome, status=status).exit_code == code
