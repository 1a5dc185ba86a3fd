"""Several checks: their order, their number at a time, and their end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from rpcexplorer.checks import run as checks_run
from rpcexplorer.checks.find import checks_in
from rpcexplorer.checks.run import Check, CheckResult, CheckRun, exit_code
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.exchange import Exchange, Stop
from rpcexplorer.model.profile import Profile
from tests.fakes.explorer import open_explorer
from tests.fakes.wire import NEXT, RawServer, Received, http_reply

Explore = Callable[..., Explorer]


@pytest.fixture
def explore(tmp_path: Path) -> Explore:
    """Return a function that opens an explorer with these saved calls."""

    def build(server: RawServer, calls: str, auth: str = 'kind = "none"', **environment: str) -> Explorer:
        profile = f'[profile.shop]\nurl = "{server.origin}"\nauth = {{ {auth} }}\n'
        explorer = open_explorer(tmp_path, profile + calls, **environment)
        explorer.use("shop")
        return explorer

    return build


def run(
    explorer: Explorer,
    *,
    jobs: int = 4,
    stop: Stop | None = None,
    show: Callable[[CheckResult], None] = lambda _: None,
    **options: Any,
) -> list[CheckResult]:
    async def work() -> list[CheckResult]:
        assert explorer.profile is not None
        calls = explorer.profiles.checks_of(explorer.profile)
        checks = [Check(call, call.expect, explorer.profile) for call in calls if call.expect]
        async with explorer:
            checking = CheckRun(explorer, **options)
            try:
                return await checking.run(checks, jobs=jobs, stop=stop or Stop(), show=show)
            finally:
                await checking.close()

    return asyncio.run(work())


def pings(count: int, expect: str = 'outcome = "result"') -> str:
    return "".join(f'[call.c{number}]\nmethod = "m{number}"\nexpect = {{ {expect} }}\n' for number in range(count))


def answer(result: object) -> Callable[[Received], Iterable[Any]]:
    def script(request: Received) -> Iterable[Any]:
        return request.reply(result=result), NEXT

    return script


def verdicts(results: list[CheckResult]) -> list[tuple[str, str]]:
    return [(result.check.call.name, result.verdict) for result in results]


class Slow:
    """Replaces the explorer's call: each takes some turns of the event loop."""

    def __init__(self, explorer: Explorer, turns: Callable[[int], int]) -> None:
        self._call, self._turns = explorer.call, turns
        self.running = self.most = self.started = 0
        self.at_start: list[int] = []
        """How many calls were running when each one started."""

    async def __call__(self, draft: Draft | Batch, **options: Any) -> Exchange:
        self.at_start.append(self.running)
        self.running, self.started = self.running + 1, self.started + 1
        self.most = max(self.most, self.running)
        for _ in range(self._turns(self.started)):
            await asyncio.sleep(0)
        self.running -= 1
        return await self._call(draft, **options)


def test_results_are_shown_in_the_order_of_the_file(explore: Explore, monkeypatch: pytest.MonkeyPatch) -> None:
    with RawServer(answer(1)) as server:
        explorer = explore(server, pings(5))
        monkeypatch.setattr(explorer, "call", Slow(explorer, lambda started: 200 - 40 * started))
        shown: list[CheckResult] = []
        results = run(explorer, show=shown.append)
    assert server.methods != [f"m{number}" for number in range(5)]  # They were sent in another order.
    assert verdicts(shown) == verdicts(results) == [(f"c{number}", "passed") for number in range(5)]


@pytest.mark.parametrize("jobs", [1, 3])
def test_jobs_limit_calls_at_a_time(explore: Explore, monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    with RawServer(answer(1)) as server:
        explorer = explore(server, pings(8))
        monkeypatch.setattr(explorer, "call", slow := Slow(explorer, lambda _: 50))
        run(explorer, jobs=jobs)
    assert (slow.started, slow.most) == (8, jobs)
    assert slow.at_start[:2] == [0, 0]  # The first call goes alone.


def test_first_call_that_is_sent_goes_alone(explore: Explore, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call without a value for its variable opens no session for the others."""
    missing = '[call.a]\nmethod = "m"\nparams = ["{{page}}"]\nexpect.outcome = "result"\n'
    with RawServer(answer(1)) as server:
        explorer = explore(server, missing + pings(4))
        monkeypatch.setattr(explorer, "call", slow := Slow(explorer, lambda _: 50))
        results = run(explorer)
    assert slow.at_start[:2] == [0, 0]
    assert (results[0].verdict, results[0].code, results[0].id) == ("error", 2, "")
    assert "{{page}}" in results[0].error


def test_given_variables_win_over_those_of_a_named_file(explore: Explore, tmp_path: Path) -> None:
    file = tmp_path / "more.toml"
    call = '[call.a]\nmethod = "m"\nparams = ["{{page}}", "{{size}}"]\nexpect.outcome = "result"\n'
    file.write_text(f"[variables]\npage = 1\nsize = 5\n{call}")
    with RawServer(answer(1)) as server:
        explorer = explore(server, "")
        profile = explorer.profile
        assert profile is not None
        checks = checks_in(explorer, file, lambda _: profile, is_chosen=True)

        async def work() -> CheckResult:
            async with explorer:
                checking = CheckRun(explorer, given={"page": "2"})
                try:
                    return await checking.result_of(checks[0])
                finally:
                    await checking.close()

        asyncio.run(work())
    assert json.loads(server.requests[0].body)["params"] == ["2", "5"]


def test_schema_of_the_service_is_read_from_its_document(explore: Explore, tmp_path: Path) -> None:
    described = {"name": "m0", "params": [], "result": {"name": "r", "schema": {"type": "string"}}}
    (tmp_path / "openrpc.json").write_text(json.dumps({"openrpc": "1.3.2", "methods": [described]}))
    calls = pings(1, 'schema = "service"')
    with RawServer(answer(1)) as server:
        (result,) = run(explore(server, f'discovery = {{ file = "openrpc.json" }}\n{calls}'))
    assert [failure.got for failure in result.failures] == ["the result must be a string, not a number"]


def test_call_without_credentials_opens_no_session_for_others(
    explore: Explore, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = '[profile.shop.method.m0]\nauth = "none"\n'
    with RawServer(answer(1)) as server:
        explorer = explore(
            server, note + pings(5), 'kind = "basic", username = "ada"', RPCEXPLORER_SHOP_PASSWORD="x" * 12
        )
        monkeypatch.setattr(explorer, "call", slow := Slow(explorer, lambda _: 50))
        run(explorer)
    assert slow.at_start[:3] == [0, 1, 0]  # m0, with m1 beside it; the others wait for m1.


def test_given_variables_win(explore: Explore) -> None:
    calls = '[variables]\npage = 1\n[call.a]\nmethod = "m"\nparams = ["{{page}}"]\nexpect.outcome = "result"\n'
    with RawServer(answer(1)) as server:
        run(explore(server, calls), given={"page": "2"})
    assert json.loads(server.requests[0].body)["params"] == ["2"]


def test_check_with_a_result_waits_for_checks_before_it(explore: Explore, monkeypatch: pytest.MonkeyPatch) -> None:
    last = '[call.z]\nmethod = "use"\nparams = ["{{last.m1#/id}}"]\nexpect.outcome = "result"\n'
    with RawServer(answer({"id": "u7"})) as server:
        explorer = explore(server, pings(3) + last)
        monkeypatch.setattr(explorer, "call", Slow(explorer, lambda started: 100 if started == 2 else 0))
        results = run(explorer)
    assert verdicts(results)[-1] == ("z", "passed")
    assert json.loads(server.requests[-1].body)["params"] == ["u7"]


@pytest.mark.parametrize("jobs", [1, 4])
def test_nothing_is_sent_after_first_failure(explore: Explore, jobs: int) -> None:
    with RawServer(answer(1)) as server:
        results = run(explore(server, pings(5, "values = { '' = 2 }")), jobs=jobs, until_failure=True)
    assert (verdicts(results), server.methods) == ([("c0", "failed")], ["m0"])
    assert exit_code(results, stopped=False) == 6


def test_stop_returns_the_results_so_far(explore: Explore, monkeypatch: pytest.MonkeyPatch) -> None:
    stop, shown = Stop(), list[CheckResult]()

    def show(result: CheckResult) -> None:
        shown.append(result)
        if len(shown) == 2:
            stop.press()

    with RawServer(answer(1)) as server:
        explorer = explore(server, pings(5))
        slow = Slow(explorer, lambda started: 0 if started < 3 else 10_000)
        monkeypatch.setattr(explorer, "call", slow)
        results = run(explorer, jobs=2, stop=stop, show=show)
    assert slow.started < 5  # None starts after the stop.
    assert verdicts(results) == verdicts(shown) == [("c0", "passed"), ("c1", "passed")]
    assert exit_code(results, stopped=True) == 130


def test_stop_keeps_results_that_ended_out_of_order(explore: Explore, monkeypatch: pytest.MonkeyPatch) -> None:
    stop, shown = Stop(), list[CheckResult]()

    async def call(draft: Draft | Batch, **options: Any) -> Exchange:
        assert isinstance(draft, Draft)
        if draft.method == "m1":
            await asyncio.Event().wait()  # It never ends.
        if draft.method == "m3":
            asyncio.get_running_loop().call_later(0.01, stop.press)
        return await real(draft, **options)

    with RawServer(answer(1)) as server:
        explorer = explore(server, pings(4))
        real = explorer.call
        monkeypatch.setattr(explorer, "call", call)
        results = run(explorer, stop=stop, show=shown.append, jobs=2)
    assert [name for name, _ in verdicts(results)][:2] == ["c0", "c2"]
    assert shown == results


def test_failures_at_one_place_are_all_named(explore: Explore) -> None:
    expect = """values = { "/x" = 2 }, result_json = '{"x": 3}', schema = { minProperties = 2, maxProperties = 0 }"""
    with RawServer(answer({"x": 1})) as server:
        (result,) = run(explore(server, pings(1, expect)))
    assert [(failure.place, failure.wanted) for failure in result.failures] == [
        ("/x", "2"), ("/x", "3"), ("schema", ""), ("schema", ""),
    ]  # fmt: skip


def test_value_of_a_response_that_is_too_large_is_not_shown(explore: Explore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks_run, "MAX_COMPARED_BYTES", 20)
    with RawServer(answer({"token": "t0k3n-t0k3n-t0k3n", "n": 1})) as server:
        (result,) = run(explore(server, pings(1, 'values = { "/n" = 2 }, jq = [".token"]')))
    assert {failure.got for failure in result.failures} == {"«not recorded»"}


def test_missing_password_stops_calls_of_the_profile(explore: Explore) -> None:
    with RawServer(answer(1)) as server:
        results = run(explore(server, pings(3), 'kind = "basic", username = "ada"'))
    assert [result.code for result in results] == [3, 3, 3]
    assert "No password for profile shop" in results[0].error
    assert results[1].error == results[2].error == "not sent: an earlier call had no valid credentials"
    assert server.requests == []


@pytest.mark.parametrize(
    ("reply", "code", "error"),
    [
        (http_reply(b"hello"), 5, "malformed: The response is plain text, not JSON."),
        (b"", 4, "no response: "),
    ],
)
def test_call_without_a_response_is_an_error(explore: Explore, reply: bytes, code: int, error: str) -> None:
    with RawServer(reply) as server:
        (result,) = run(explore(server, pings(1)))
    assert (result.verdict, result.code) == ("error", code)
    assert result.error.startswith(error)
    assert exit_code([result], stopped=False) == code


def test_expected_notification_is_sent_as_one(explore: Explore) -> None:
    with RawServer(http_reply(status=204)) as server:
        (result,) = run(explore(server, pings(1, 'outcome = "sent"')))
    assert (result.verdict, "id" in json.loads(server.requests[0].body)) == ("passed", False)


def test_ignored_places_of_the_method_may_differ(explore: Explore) -> None:
    calls = "[profile.shop.method.m0]\nignore = ['/at']\n" + pings(1, 'result_json = \'{"at": 1, "n": 2}\'')
    with RawServer(answer({"at": 9, "n": 2})) as server:
        (result,) = run(explore(server, calls))
    assert result.verdict == "passed"


def test_failed_check_names_no_secret(explore: Explore) -> None:
    """A value is shown as a history would show it, also if only its place tells."""
    calls = pings(1, 'values = { "/token" = "x", "/note" = "x", "/n" = 2 }, jq = [".token"]').replace("m0", "login")
    with RawServer(answer({"token": "t0k3n-t0k3n-t0k3n", "note": "it is hunter2hunter2", "n": 1})) as server:
        explorer = explore(
            server, calls, 'kind = "basic", username = "ada"', RPCEXPLORER_SHOP_PASSWORD="hunter2hunter2"
        )
        (result,) = run(explorer)
    got = {failure.place: failure.got for failure in result.failures}
    assert got == {
        "/token": '"«not recorded»"',
        "/note": '"it is «shop.password»"',
        "/n": "1",
        "jq .token": '"«not recorded»"',
    }
    assert b"hunter2hunter2" not in result.exchange.response.body if result.exchange else False


def test_failed_check_becomes_a_call_to_hand_on(explore: Explore) -> None:
    with RawServer(answer(1)) as server:
        (result,) = run(explore(server, pings(1, "values = { '' = 2 }")))
    handed_on = result.for_case()
    assert handed_on is not None
    assert (handed_on.name, handed_on.note) == ("c0", "result: expected 2, got 1")
    assert handed_on.expect == "result\nresult = 2"


def test_worst_exit_code_comes_first(explore: Explore) -> None:
    with RawServer(answer(1)) as server:
        explorer = explore(server, pings(1))
        assert isinstance(explorer.profile, Profile)
        (passed,) = run(explorer)
    codes = [CheckResult(passed.check, error="x", code=code) for code in (2, 5, 4, 3)]
    assert [exit_code([passed, *codes[:count]], stopped=False) for count in range(5)] == [0, 2, 5, 4, 3]
    assert exit_code([], stopped=True) == 130
