"""Replayed calls: the request, the comparison, and when a replay stops."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from rpcexplorer.client.replay import HALTED, LOGIN, NOT_SENT, Replayed, Replaying, exit_code
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.exchange import CallKind, Cancelled, Exchange, Outcome, Refused, Sent, Stop, Unreached
from rpcexplorer.model.profile import MethodNote, Profile
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from rpcexplorer.transport.port import Response

STAGING = Profile("staging", "https://staging.example.com", methods={"get": MethodNote(ignore=("/at",))})
GONE = Unreached("connect", "Nobody listens there.")
NO_LOGIN = Refused("credentials", "Login failed.")
NO_JSON = Malformed("The response is an HTML page.")
NOT_FOUND = ErrorObject(-32601, "Method not found", None, b'{"code":-32601,"message":"Method not found"}')


def exchange(outcome: Outcome, method: str = "get", params: str = "[]", kind: CallKind = "call") -> Exchange:
    when = datetime(2026, 11, 20, tzinfo=UTC)
    return Exchange("x", when, "prod", "https://rpc.example.com/", method, params, kind, outcome)


def result(text: str, method: str = "get", params: str = "[]") -> Exchange:
    return exchange(Result(text.encode()), method, params)


class Server:
    """Server that gives the scripted outcomes in order and records requests."""

    def __init__(self, *answers: Outcome) -> None:
        self.answers = iter(answers)
        self.sent: list[Draft | Batch] = []

    async def __call__(self, draft: Draft | Batch) -> Exchange:
        self.sent.append(draft)
        method = draft.method if isinstance(draft, Draft) else "batch"
        return exchange(next(self.answers), method, draft.text)


def again(
    records: Sequence[Exchange],
    send: Callable[[Draft | Batch], Awaitable[Exchange]],
    *,
    ignore: Sequence[str] = (),
    stop: Stop | None = None,
    ours: bool = True,
) -> list[Replayed]:
    replaying = Replaying(STAGING, send, lambda call: call, lambda _: ours)

    async def run() -> list[Replayed]:
        return [result async for result in replaying.run(records, ignore, stop or Stop())]

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("recorded", "live", "verdict", "code"),
    [
        (Result(b'{"a":1}'), Result(b'{ "a": 1 }'), "same", 0),
        (Result(b'{"a":1}'), Result(b'{"a":2}'), "differs", 6),
        (Result(b'{"at":1}'), Result(b'{"at":2}'), "same", 0),
        (NOT_FOUND, NOT_FOUND, "same", 0),
        (Result(b"1"), NOT_FOUND, "differs", 6),
        (GONE, Result(b"1"), "differs", 6),
        (NO_JSON, NO_JSON, "same", 0),
        (Result(b"1"), NO_JSON, "failed", 5),
        (Result(b"1"), GONE, "failed", 4),
        (GONE, GONE, "failed", 4),
        (Result(b"1"), NO_LOGIN, "failed", 3),
        (Result(b"1"), Refused("params", "No."), "not comparable", 6),
        (Result(b""), Result(b"1"), "not comparable", 6),
        (Result(b"1"), Cancelled(), "stopped", 130),
        (Sent(), Sent(), "same", 0),
    ],
)
@pytest.mark.everyday(15)
def test_replayed_call_has_verdict_and_exit_code(recorded: Outcome, live: Outcome, verdict: str, code: int) -> None:
    results = again([exchange(recorded)], Server(live))
    assert ([result.verdict for result in results], exit_code(results)) == ([verdict], code)


def test_shortened_record_is_not_comparable() -> None:
    record = replace(result('{"a":1}'), response=Response(cut=True, size=9))
    (only,) = again([record], Server(Result(b'{"a":1}')))
    assert (only.verdict, exit_code([only])) == ("not comparable", 6)
    assert "cut" in only.why


def test_worst_result_is_the_exit_code() -> None:
    outcomes = (Result(b"2"), GONE, NO_JSON)
    assert exit_code(again([result("1")] * 3, Server(*outcomes))) == 4
    assert exit_code(again([result("1")] * 2, Server(Result(b"1"), NO_JSON))) == 5
    assert exit_code([]) == 0


def test_sent_params_are_replayed_without_resolving_again() -> None:
    server = Server(*[Result(b"1")] * 4)
    resolved = replace(result("1", params='["{{last.get#/id}}"]'), params_sent="[7]")
    literal = replace(result("1", params='["{{{{x}}"]'), params_sent='["{{x}}"]')
    batch = exchange(Result(b"[]"), params='[{"method":"get"}]', kind="batch")
    again([resolved, literal, batch, replace(result("1"), kind="notification")], server)
    assert server.sent == [
        Draft("get", "[7]", sources=('["{{last.get#/id}}"]', "[7]")),
        Draft("get", '["{{x}}"]', typed='["{{{{x}}"]', sources=('["{{{{x}}"]', '["{{x}}"]')),
        Batch('[{"method":"get"}]'),
        Draft("get", "[]", notification=True, sources=("[]",)),
    ]


def test_record_of_others_inserts_no_secret() -> None:
    server = Server(Result(b"1"), Result(b"1"))
    own = replace(result("1", params='["«staging.password»"]'), params_sent='["«staging.token»", "«prod.token»"]')
    other = replace(result("1"), params_sent='["«prod.token»"]')
    (refused,) = again([own], server, ours=False)
    assert (refused.live, refused.verdict, server.sent) == (None, "not comparable", [])
    assert refused.why.startswith("Not sent: the params have a secret reference of staging, and someone else")
    again([other], server, ours=False)
    again([own], server, ours=True)
    assert [draft.text for draft in server.sent] == ['["«prod.token»"]', '["«staging.token»", "«prod.token»"]']
    assert all(draft.typed is None for draft in server.sent)


def test_login_without_recorded_password_is_skipped() -> None:
    server = Server(Result(b"1"))
    login = result("1", "user.login", '["ada", "«not recorded»"]')
    of_prod = result("1", "user.login", '["ada", "«prod.password»"]')
    results = again([login, of_prod, result("1")], server)
    assert [(result.verdict, result.why, result.live is None) for result in results] == [
        ("skipped", LOGIN, True),
        ("skipped", LOGIN, True),
        ("same", "", False),
    ]
    assert (len(server.sent), exit_code(results)) == (1, 0)
    assert exit_code(results[:2]) == 6, "nothing was compared, which is not the same as the same"


def test_failed_login_ends_the_replay() -> None:
    server = Server(Result(b"1"), NO_LOGIN, Result(b"1"))
    results = again([result("1")] * 4, server)
    assert [result.verdict for result in results] == ["same", "failed", "failed", "failed"]
    assert [result.why for result in results[1:]] == ["Login failed.", HALTED, HALTED]
    assert (len(server.sent), exit_code(results)) == (2, 3)


def test_stop_keeps_results_and_sends_nothing_more() -> None:
    stop = Stop()
    server = Server(Result(b"1"), Cancelled())

    async def send(draft: Draft | Batch) -> Exchange:
        if server.sent:
            stop.press()
        return await server(draft)

    results = again([result("1")] * 4, send, stop=stop)
    assert [result.verdict for result in results] == ["same", "stopped", "stopped", "stopped"]
    assert [result.why for result in results[2:]] == [NOT_SENT, NOT_SENT]
    assert (len(server.sent), exit_code(results)) == (2, 130)


def test_stop_ends_a_comparison() -> None:
    stop = Stop()

    async def send(draft: Draft | Batch) -> Exchange:
        stop.press()
        return await Server(Result(b'{"a":[1,2,3]}'))(draft)

    (only,) = again([result('{"a":[3,2,1]}')], send, stop=stop)
    assert (only.verdict, only.comparison, exit_code([only])) == ("stopped", None, 130)
    assert only.live is not None


def test_ignored_pointers_are_left_out() -> None:
    one, two = '{"n":[{"seen":1},{"seen":2}],"at":1}', b'{"n":[{"seen":3},{"seen":4}],"at":2}'
    (differs,) = again([result(one, "other")], Server(Result(two)))
    assert (differs.verdict, len(differs.comparison.differences if differs.comparison else ())) == ("differs", 3)
    (same,) = again([result(one)], Server(Result(two)), ignore=["/n/*/seen"])
    assert same.verdict == "same"
    assert same.comparison is not None
    assert set(same.comparison.ignored) == {"/n/0/seen", "/n/1/seen", "/at"}
    assert same.ignore == ("/n/*/seen", "/at"), "a report of both is to ignore the same"


@pytest.mark.parametrize(
    ("outcome", "pointer", "verdict"),
    [
        (Result, "/a", "same"),
        (Result, "/result/a", "same"),
        (Result, "/error/a", "differs"),
        (Result, "/result", "differs"),
        (ErrorObject, "/data/a", "same"),
        (ErrorObject, "/error/data/a", "same"),
        (ErrorObject, "/result/data/a", "differs"),
    ],
)
def test_ignored_pointer_begins_at_result_or_top(outcome: type, pointer: str, verdict: str) -> None:
    both = [b'{"a":1,"b":0}', b'{"a":2,"b":0}']
    one, two = (Result(text) if outcome is Result else ErrorObject(1, "no", text, text) for text in both)
    assert again([exchange(one)], Server(two), ignore=[pointer])[0].verdict == verdict


def test_batch_is_compared_by_call_in_any_order() -> None:
    calls = '[{"method":"set"},{"method":"get"}]'
    one = '[{"jsonrpc":"2.0","id":"x.1","result":{"s":1}},{"jsonrpc":"2.0","id":"x.2","result":{"at":1,"n":1}}]'
    two = '[{"jsonrpc":"2.0","id":"x.2","result":{"at":2,"n":1}},{"jsonrpc":"2.0","id":"x.1","result":{"s":2}}]'
    record = exchange(Result(one.encode()), "set, get", calls, "batch")
    live = replace(record, outcome=Result(two.encode()))

    async def send(_: Draft | Batch) -> Exchange:
        return live

    (only,) = again([record], send)
    assert only.comparison is not None
    (difference,) = only.comparison.differences
    assert difference.left is not None
    assert difference.left.pointer == "/0/result/s"
    for pointer in ("/s", "/result/s"):
        assert again([record], send, ignore=[pointer])[0].verdict == "same"
