"""``check``: what is sent, printed and written, and the exit code."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import junitparser
import pytest

import rpcexplorer
from rpcexplorer.checks.report import SIGNS
from rpcexplorer.cli.main import run
from rpcexplorer.cli.world import World
from tests.fakes.shell import Keyboard, Screen, Shell
from tests.fakes.wire import HOLD, RESET, Parts, RawServer, Received, http_reply

ERROR = SIGNS["error"]
CALLS = {
    "ping": 'method = "ping"\nexpect.values = { "" = "pong" }',
    "wrong": 'method = "sum"\nparams = [1, 2]\nexpect.values = { "/total" = 3 }',
    "gone": 'method = "gone"\nexpect.outcome = "result"',
    "broken": 'method = "broken"\nexpect.outcome = "result"',
    "variable": 'method = "page"\nparams = ["{{page}}"]\nexpect.values = { "/0" = "2" }',
    "no check": 'method = "ping"',
    "slow": 'method = "slow"\nexpect.outcome = "result"',
    **dict.fromkeys(("shop", "rest"), 'method = "ping"\nexpect.outcome = "result"'),
}
MEMBERS = {
    "ping": '"result":"pong"',
    "sum": '"result":{"total":4}',
}
"""Members of the response to each method; others return their params."""


def reply(request: Received) -> bytes:
    call = request.json
    member = MEMBERS.get(call["method"], f'"result":{json.dumps(call["params"])}')
    headers = {"Set-Cookie": "sessionid=s3ss10n-of-ada"} if call["method"] == "auth" else {}
    return request.reply_with(member, headers)


def answer(request: Received) -> Parts:
    match request.json["method"]:
        case "gone":
            return [RESET]
        case "broken":
            return http_reply(b"<html>")
        case "slow":
            return [HOLD, reply(request)]
    return reply(request)


def toml(*names: str, table: str = "call") -> str:
    """Return saved calls; a name may be one of ``CALLS`` with a number."""
    return "".join(f'[{table}."{name}"]\n{CALLS[re.sub(" [0-9]+$", "", name)]}\n' for name in names)


@contextmanager
def shop(
    shell: Shell, *names: str, more: str = "", answer: Callable[[Received], Parts] = answer
) -> Iterator[RawServer]:
    """Yield the server of the profile ``shop``, which has these saved calls."""
    with RawServer(answer) as server:
        shell.sessions(f'[profile.shop]\nurl = "{server.origin}"\n{more}{toml(*names)}')
        yield server


@pytest.mark.parametrize(
    ("name", "code", "lines"),
    [
        ("ping", 0, ["✓ ping  N"]),
        ("wrong", 6, ["✗ wrong  N", "    /total: expected 3, got 4"]),
        ("gone", 4, [f"{ERROR} gone  N", "    no response: "]),
        ("broken", 5, [f"{ERROR} broken  N", "    malformed: "]),
        ("variable", 2, [f"{ERROR} variable", "    not sent: {{page}} has no value."]),
    ],
)
def test_check_prints_a_verdict_and_exits(shell: Shell, name: str, code: int, lines: list[str]) -> None:
    with shop(shell, name, "no check"):
        ran = shell.run("check")
    printed = re.sub(r"\d+ µ?m?s$", "N", ran.text, flags=re.MULTILINE).splitlines()
    assert (ran.code, len(printed)) == (code, len(lines))
    assert all(line.startswith(begin) for line, begin in zip(printed, lines, strict=True))
    assert ran.err == f"rpcexplorer: 1 check: {SUMMARIES[code]}\n"


SUMMARIES = {
    0: "1 passed",
    6: "0 passed, 1 failed",
    **dict.fromkeys((2, 4, 5), "0 passed, 1 without a valid response"),
}


def test_refused_connection_is_an_error_in_junit(shell: Shell) -> None:
    shell.sessions(f'[profile.shop]\nurl = "http://127.0.0.1:9"\n{toml("ping")}')
    ran = shell.run("check", "--junit", "-")
    (suite,) = junitparser.JUnitXml.fromstring(ran.out)
    assert ran.code == 4
    assert [(type(one).__name__, one.type) for case in suite for one in case.result] == [("Error", "no response")]


def test_missing_credentials_end_checks_of_the_profile(shell: Shell) -> None:
    auth = 'auth = { kind = "cookie", username = "ada" }\n'
    with shop(shell, "ping", "ping 2", "ping 3", more=auth) as server:
        ran = shell.run("check", "--jobs", "8")
        assert (ran.code, server.requests) == (3, [])
    first, *others = (line for line in ran.text.splitlines() if line.startswith(" "))
    assert "RPCEXPLORER_SHOP_PASSWORD" in first
    assert others == ["    not sent: an earlier call had no valid credentials"] * 2


def test_rejected_login_is_tried_only_once(shell: Shell) -> None:
    def rejected(request: Received) -> bytes:
        return request.reply(error={"code": -32000, "message": "no"})

    auth = 'auth = { kind = "cookie", username = "ada" }\n'
    with shop(shell, *(f"ping {number}" for number in range(9)), more=auth, answer=rejected) as server:
        ran = shell.run("check", "--jobs", "8", RPCEXPLORER_SHOP_PASSWORD="wr0ng-passw0rd")
    assert (ran.code, len(server.requests)) == (3, 1)


def test_eight_jobs_log_in_once(shell: Shell) -> None:
    auth = 'auth = { kind = "cookie", username = "ada" }\n'
    with shop(shell, *(f"ping {number}" for number in range(20)), more=auth) as server:
        ran = shell.run("check", "--jobs", "8", RPCEXPLORER_SHOP_PASSWORD="s3cret-s3cret")
    assert (ran.code, server.methods) == (0, ["auth", *["ping"] * 20])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), '[call.NAME]\n  method = "ping"\n  [call.NAME.expect]\n  outcome = "result"\n'),
        (("@no check",), 'has no expectations. To make it a check, add this to its file:\n  [call."no check".expect]'),
        (("@no chick",), "There is no saved call no chick for profile shop. Did you mean @no check?"),
        (("none.toml",), "none.toml: there is no such file. Check its name"),
        (("-k", "x"), "There are no checks here"),
        (("--tap", "--junit", "-"), "Only one of --tap and --junit can be printed to stdout."),
    ],
)  # fmt: skip
def test_nothing_to_check_exits_2_with_advice(shell: Shell, words: tuple[str, ...], message: str) -> None:
    with shop(shell, "no check"):
        ran = shell.run("check", *words)
    assert (ran.code, ran.out) == (2, b"")
    assert message in ran.err


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ((), ["ping", "ping 2", "shop 1"]),
        (("-k", "PING"), ["ping", "ping 2"]),
        (("@ping 2", "@ping"), ["ping 2", "ping"]),
        (("more.toml",), ["ping 3", "rest 1", "ping 4"]),
        (("more.toml", "@ping"), ["ping 3", "rest 1", "ping 4", "ping"]),
        (("more.toml", "@ping", "-k", "3"), ["ping 3"]),
        (("more.toml", "-p", "shop"), ["ping 3", "ping 4"]),
        (("-p", "rest"), ["ping", "ping 2"]),
    ],
)
def test_checks_are_chosen_by_file_name_and_text(shell: Shell, words: tuple[str, ...], names: list[str]) -> None:
    with shop(shell, "ping", "ping 2") as server:
        sessions = shell.folder / "sessions.toml"
        profiles = f'default = "shop"\n{sessions.read_text()}[profile.rest]\nurl = "{server.origin}"\n'
        sessions.write_text(profiles + toml("shop 1", table="profile.shop.call"))
        more = toml("ping 3") + toml("rest 1", table="profile.rest.call") + toml("ping 4")
        (shell.folder / "more.toml").write_text(more)
        ran = shell.run("check", "--json", *words)
    rows = [json.loads(row) for row in ran.text.splitlines()]
    assert (ran.code, [row["name"] for row in rows]) == (0, names)
    assert {row["profile"] for row in rows if row["name"] == "rest 1"} <= {"rest"}


def test_named_file_applies_only_to_its_checks(shell: Shell) -> None:
    with shop(shell, "variable", more="[variables]\npage = 2\n") as server:
        for page in ("3", "4"):
            named = f"[variables]\npage = {page}\n{toml('variable').replace('2', page)}"
            (shell.folder / f"{page}.toml").write_text(named)
        ran = shell.run("check", "3.toml", "4.toml", "@variable", "--jobs", "1")
    assert (ran.code, [request.json["params"] for request in server.requests]) == (0, [["3"], ["4"], ["2"]])


def test_first_failure_stops_with_x(shell: Shell) -> None:
    with shop(shell, "ping", "wrong", "ping 2") as server:
        ran = shell.run("check", "-x", "--jobs", "1", "--tap")
    assert (ran.code, server.methods) == (6, ["ping", "sum"])
    assert ran.text.splitlines() == [
        "TAP version 14",
        "1..3",
        "ok 1 - ping",
        "not ok 2 - wrong",
        "# /total: expected 3, got 4",
        "Bail out!",
    ]
    assert ran.err == "rpcexplorer: 3 checks: 1 passed, 1 failed, 1 not finished\n"


def test_set_fills_a_variable_of_a_check(shell: Shell) -> None:
    with shop(shell, "variable") as server:
        assert shell.run("check", "--set", "page=2").code == 0
    assert json.loads(server.requests[0].body)["params"] == ["2"]


@pytest.mark.parametrize("damage", ["expect.outcom = 1", 'params = "x"', 'expect.code = 1\nexpect.outcome = "result"'])
def test_damaged_saved_call_prevents_all_checks(shell: Shell, damage: str) -> None:
    with shop(shell, "ping") as server:
        with (shell.folder / "sessions.toml").open("a") as file:
            file.write(f'[call.damaged]\nmethod = "m"\n{damage}\n')
        ran = shell.run("check")
        assert (ran.code, ran.out, server.requests) == (2, b"", [])
        assert "call.damaged" in ran.err
        assert "Nothing was sent, because 1 problem may hide checks. Correct the file first." in ran.err


def test_broken_jq_prevents_all_checks(shell: Shell) -> None:
    with shop(shell, "ping") as server:
        text = toml("wrong") + 'expect.jq = [".total", ". | | b"]\n'
        (shell.folder / "more.toml").write_text(text)
        with (shell.folder / "sessions.toml").open("a") as file:
            file.write(text)
        for words, name in (((), "sessions.toml"), (("more.toml",), "more.toml")):
            ran = shell.run("check", *words)
            assert (ran.code, ran.out, server.requests) == (2, b"", [])
            assert f"{name}:" in ran.err
            assert ": call.wrong.expect.jq: . | | b: jq: unexpected '|'" in ran.err


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("none.toml",), "none.toml: there is no such file"),
        (("-k", "x"), "No check has"),
        (("--set", "x"), "--set x is not NAME=VALUE"),
        (("--sessions", "none"), "none: there is no such file"),
        (("--generate",), "No methods are known."),
    ],
)
def test_check_that_cannot_start_replaces_old_junit(shell: Shell, words: tuple[str, ...], reason: str) -> None:
    report = shell.folder / "checks.xml"
    report.write_text("yesterday")
    with shop(shell, "ping"):
        assert shell.run("check", *words, "--junit", "checks.xml").code == 2
    ((case,),) = junitparser.JUnitXml.fromfile(str(report))
    assert [(type(one).__name__, reason in one.message) for one in case.result] == [("Error", True)]


def test_question_about_checks_is_asked_once(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    answers = iter([False, True])

    def confirm(question: str, **_: object) -> bool:
        asked.append(question)
        return next(answers)

    monkeypatch.setattr(click, "confirm", confirm)
    question = "Profile shop asks to confirm all calls: ping, sum."
    with shop(shell, "ping", "wrong", more='confirm = "always"\n') as server:
        refused = shell.run("check")
        assert (refused.code, server.requests) == (2, [])
        assert refused.err == f"rpcexplorer: {question} Add --yes to send 2 calls to {server.origin}.\n"
        world = World(Screen(), Screen(), Keyboard(), shell.environment, shell.folder)
        assert (run(["check"], world), server.requests) == (2, [])
        assert (run(["check"], world), len(server.requests)) == (6, 2)
        assert asked == [f"{question} Send 2 calls to {server.origin}?"] * 2
        assert (shell.run("check", "--yes").code, len(server.requests)) == (6, 4)


COMMAND = [sys.executable, "-m", "rpcexplorer", "check"]


def started(shell: Shell, *words: str, stdout: int = subprocess.PIPE) -> subprocess.Popen[str]:
    root = str(Path(rpcexplorer.__file__).parent.parent)
    environment = {**os.environ, **shell.environment, "PYTHONPATH": root}
    return subprocess.Popen(
        [*COMMAND, *words], env=environment, cwd=shell.folder, stdout=stdout, stderr=subprocess.PIPE, text=True
    )


def test_ctrl_c_reports_the_checks_that_ran(shell: Shell) -> None:
    with shop(shell, "ping", "slow", "ping 2") as server:
        process = started(shell, "--junit", "out.xml", "--jobs", "1")
        assert server.wait_for_request(count=2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=10)
    assert (process.returncode, out[:6], server.methods) == (130, "✓ ping", ["ping", "slow"])
    assert err == "rpcexplorer: 3 checks: 1 passed, 2 not finished\n"
    (suite,) = junitparser.JUnitXml.fromstring((shell.folder / "out.xml").read_bytes())
    assert [case.name for case in suite] == ["ping"]


def test_closed_pipe_ends_check_quietly(shell: Shell) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with shop(shell, "ping", "ping 2"):
        process = started(shell, stdout=writer)
        _, err = process.communicate(timeout=10)
    os.close(writer)
    assert (process.returncode, err) == (141, "")


def test_failed_calls_become_a_case_for_replay(shell: Shell) -> None:
    with shop(shell, "ping", "wrong", "variable") as server:
        ran = shell.run("check", "--case", "case.toml")
        assert (ran.code, "exported 1 call to case.toml" in ran.err) == (2, True)
        replayed = shell.run("replay", "case.toml", "-p", "shop")
        assert (replayed.code, server.methods) == (0, ["ping", "sum", "sum"])
        assert replayed.text.endswith("the same\n    failed when recorded: /total: expected 3, got 4\n")
        printed = shell.run("check", "--case", "-")
        passed = shell.run("check", "@ping", "--case", "none.toml")
    case = tomllib.loads((shell.folder / "case.toml").read_text())
    assert case["note"] == "3 checks: 1 passed, 1 failed, 1 without a valid response"
    assert [(call["name"], call["note"], call["expect"]) for call in case["call"]] == [
        ("wrong", "/total: expected 3, got 4", "result\n/total = 3")
    ]
    assert tomllib.loads(printed.text)["call"][0]["name"] == "wrong"
    assert "no case was exported" in passed.err
    assert not (shell.folder / "none.toml").exists()


def test_jobs_overlap_calls_and_keep_the_order(shell: Shell) -> None:
    def later_first(request: Received) -> Parts:
        if request.json["method"] == "sum":
            server.release()
        return answer(request)

    with shop(shell, "ping", "slow", "wrong", answer=later_first) as server:
        ran = shell.run("check", "--json", "--jobs", "2")
    rows = [json.loads(row) for row in ran.text.splitlines()]
    assert [(row["name"], row["verdict"]) for row in rows] == [
        ("ping", "passed"),
        ("slow", "passed"),
        ("wrong", "failed"),
    ]


def test_github_shows_failures_in_the_checkout(shell: Shell) -> None:
    with shop(shell, "ping", "wrong"):
        ran = shell.run("check", GITHUB_ACTIONS="true", GITHUB_WORKSPACE=str(shell.folder.parent))
        assert ran.text.splitlines()[-1] == (
            "::error file=work/sessions.toml,line=6,title=check wrong::/total: expected 3, got 4"
        )
        assert "::error file=sessions.toml," in shell.run("check", GITHUB_ACTIONS="true").text
        assert "::error" not in shell.run("check", "--tap", GITHUB_ACTIONS="true").text
