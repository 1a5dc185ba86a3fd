"""The command that prints a secret: when it runs, its value, and its failures."""

from __future__ import annotations

import asyncio
import shlex
import time
from pathlib import Path

import pytest

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Exchange, Refused, Stop
from rpcexplorer.model.secret import LaterSecret
from tests.fakes.shell import Shell
from tests.fakes.wire import Parts, RawServer, Received, http_reply

TOKEN = "tok-4711-of-a-command"


def own(shell: Shell, url: str, script: str, more: str = "") -> Path:
    """Write a profile of the user whose token a script prints; return the file to which it writes a line each time."""
    folder = shell.home / "config"
    folder.mkdir(parents=True, exist_ok=True)
    ran = folder / "ran"
    (folder / "token").write_text(f"#!/bin/sh\necho ran >>{shlex.quote(str(ran))}\n{script}\n")
    (folder / "token").chmod(0o755)
    auth = f'auth = {{ kind = "bearer", token_command = ["./token"]{more} }}'
    shell.own(f'[profile.p]\nurl = "{url}"\npath = "/"\n{auth}\n')
    return ran


async def calls(shell: Shell, count: int = 1, stop: Stop | None = None) -> list[Exchange]:
    async with shell.explorer() as explorer:
        explorer.use("p")
        return [await explorer.call(Draft("ping"), stop=stop) for _ in range(count)]


def sent(server: RawServer) -> list[str | None]:
    return [request.header("Authorization") for request in server.requests]


def test_value_of_the_command_is_kept(shell: Shell) -> None:
    with RawServer(lambda request: request.reply(result=TOKEN)) as server:
        ran = own(shell, server.origin, f"printf '{TOKEN}\\r\\n'")
        exchanges = asyncio.run(calls(shell, 3))
    assert sent(server) == [f"Bearer {TOKEN}"] * 3
    assert ran.read_text() == "ran\n"
    assert TOKEN not in repr(exchanges[0])
    assert "«p.token»" in exchanges[0].response.body.decode()


def test_calls_at_the_same_time_share_one_run(shell: Shell) -> None:
    async def at_once() -> None:
        async with shell.explorer() as explorer:
            explorer.use("p")
            await asyncio.gather(*(explorer.call(Draft("ping")) for _ in range(5)))

    with RawServer(lambda request: request.reply(result=1)) as server:
        ran = own(shell, server.origin, f"sleep 0.2; echo {TOKEN}")
        asyncio.run(at_once())
    assert sent(server) == [f"Bearer {TOKEN}"] * 5
    assert ran.read_text() == "ran\n"


def test_rejected_value_is_made_again_by_the_next_call(shell: Shell) -> None:
    def answer(request: Received) -> Parts:
        if request.header("Authorization") == "Bearer token-number-1":
            return http_reply(b"token-number-1 is old", 401, reason="Unauthorized")
        return request.reply(result=1)

    with RawServer(answer) as server:
        own(shell, server.origin, "echo token-number-$(wc -l <ran | tr -d ' ')")
        rejected, accepted, again = asyncio.run(calls(shell, 3))
    assert sent(server) == ["Bearer token-number-1", "Bearer token-number-2", "Bearer token-number-2"]
    assert "the next call gets the rejected secret again from its command or file" in " ".join(rejected.notes)
    assert b"token-number-1" not in rejected.response.body
    assert (accepted.exit_code, again.exit_code) == (0, 0)


def test_value_is_made_again_after_its_seconds(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr("rpcexplorer.secrets.credentials.time.monotonic", lambda: now[0])

    async def later() -> None:
        async with shell.explorer() as explorer:
            explorer.use("p")
            for seconds in (0, 50, 11):
                now[0] += seconds
                await explorer.call(Draft("ping"))

    with RawServer(lambda request: request.reply(result=1)) as server:
        ran = own(shell, server.origin, f"echo {TOKEN}", ", token_seconds = 60")
        asyncio.run(later())
    assert ran.read_text() == "ran\n" * 2


def test_variable_replaces_the_command(shell: Shell) -> None:
    shell.environment["RPCEXPLORER_P_TOKEN"] = "from-a-variable"
    with RawServer(lambda request: request.reply(result=1)) as server:
        ran = own(shell, server.origin, f"echo {TOKEN}")
        asyncio.run(calls(shell))
    assert sent(server) == ["Bearer from-a-variable"]
    assert not ran.exists()


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("exit 7", "ended with exit code 7."),
        (
            f"echo {TOKEN}; echo; echo 'login first, not {TOKEN}' >&2; exit 1",
            "ended with exit code 1: login first, not «",
        ),
        ("kill -9 $$", "was ended by signal 9."),
        ("true", "printed nothing."),
        ("echo ' '", "printed nothing."),
        (f"echo {TOKEN} >&2", "printed nothing."),
        (f"echo {TOKEN}; echo more", "printed more than one line."),
        ("printf '\\377\\n'", "printed bytes that are not UTF-8."),
        ("yes", "printed more than 64 kB."),
        ("yes x | tr -d '\\n'", "printed more than 64 kB."),
        ("head -c 70000 /dev/zero | tr '\\0' y", "printed more than 64 kB."),
    ],
)
def test_failure_of_the_command_is_named(shell: Shell, script: str, why: str) -> None:
    with RawServer([]) as server:
        own(shell, server.origin, script)
        (exchange,) = asyncio.run(calls(shell))
    assert isinstance(exchange.outcome, Refused)
    assert exchange.exit_code == 3
    assert f"The token command of profile p {why}" in exchange.outcome.sentence
    assert TOKEN not in exchange.outcome.sentence
    assert server.requests == []


@pytest.mark.parametrize(
    ("words", "why"),
    [('["no-such-program"]', "was not found in PATH."), ('["./none"]', "does not start: no such file or directory.")],
)
def test_missing_program_is_named(shell: Shell, words: str, why: str) -> None:
    shell.own(f'[profile.p]\nurl = "http://127.0.0.1:9"\nauth = {{ kind = "bearer", token_command = {words} }}\n')
    (exchange,) = asyncio.run(calls(shell))
    assert isinstance(exchange.outcome, Refused)
    assert f"The token command of profile p {why}" in exchange.outcome.sentence


def test_slow_command_is_killed_with_its_children(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rpcexplorer.secrets.command.SECONDS", 0.2)
    own(shell, "http://127.0.0.1:9", "sleep 60 & echo $! >child; wait")
    (exchange,) = asyncio.run(calls(shell))
    assert isinstance(exchange.outcome, Refused)
    assert "took longer than 0.2 s" in exchange.outcome.sentence
    assert_ended(int((shell.home / "config" / "child").read_text()))


def test_stopped_call_kills_the_command(shell: Shell) -> None:
    own(shell, "http://127.0.0.1:9", "echo $$ >child; exec sleep 60")
    child, stop = shell.home / "config" / "child", Stop()

    async def press() -> None:
        calling = asyncio.create_task(calls(shell, stop=stop))
        while not child.exists() or not child.read_text():  # noqa: ASYNC110 - no event tells of a file
            await asyncio.sleep(0.01)
        stop.press()
        await calling

    asyncio.run(press())
    assert_ended(int(child.read_text()))


def assert_ended(process: int) -> None:
    """Wait until a process has ended, or is a zombie of nobody."""
    until = time.monotonic() + 5
    while time.monotonic() < until:
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return
        if state == "Z":
            return
        time.sleep(0.01)
    raise AssertionError("it still runs")


def test_left_child_with_open_pipes_delays_nothing(shell: Shell) -> None:
    with RawServer(lambda request: request.reply(result=1)) as server:
        own(shell, server.origin, f"sleep 5 & echo {TOKEN}")
        started = time.monotonic()
        asyncio.run(calls(shell))
    assert sent(server) == [f"Bearer {TOKEN}"]
    assert time.monotonic() - started < 4


def test_command_gets_no_variable_and_no_stdin_of_ours(shell: Shell) -> None:
    shell.environment |= {"RPCEXPLORER_P_PASSWORD": "other-secret", "OF_USER": "kept"}
    with RawServer(lambda request: request.reply(result=1)) as server:
        own(shell, server.origin, 'read line; echo "$OF_USER-$RPCEXPLORER_P_PASSWORD-$line"')
        asyncio.run(calls(shell))
    assert sent(server) == ["Bearer kept--"]


def test_state_runs_nothing(shell: Shell) -> None:
    ran = own(shell, "http://127.0.0.1:9", f"echo {TOKEN}")
    explorer: Explorer = shell.explorer()
    profile = explorer.use("p")
    found = explorer.credentials.state(profile)["token"]
    assert isinstance(found, LaterSecret)
    assert bool(found)
    assert explorer.credentials.is_known(profile, "token")
    explorer.preview(Draft("ping"))
    assert not ran.exists()


@pytest.mark.parametrize(
    ("claims", "why"),
    [
        ('{ iat = "1" }', "the token of each request has its own time"),
        ('{ password = "x" }', "password: "),
        ('{ id = "«p.key»" }', "must not contain the secret reference"),
        ("{ id = 1 }", "must be text"),
        ('["id"]', "must be a table of text values"),
    ],
)
def test_claim_with_a_secret_or_time_is_refused(shell: Shell, claims: str, why: str) -> None:
    shell.own(f'[profile.p]\nurl = "http://127.0.0.1:9"\nauth = {{ kind = "jwt", claims = {claims} }}\n')
    assert why in shell.run("profiles", "check").err


@pytest.mark.parametrize(
    ("auth", "why"),
    [
        (
            'kind = "basic", token_command = ["x"]',
            "no call needs this secret. The secrets of the profile: username, pas",
        ),
        ('kind = "basic", username = "a", username_command = ["x"]', "no call needs this secret"),
        ('kind = "bearer", token_command = "x y"', "must be an array of 1 to 64 words"),
        ('kind = "bearer", token_command = ["curl", "--token=abc"]', "must not contain a secret"),
        ('kind = "bearer", token_command = ["x"], token_seconds = 0', "must be a number of seconds"),
        ('kind = "bearer", key_command = ["x"]', "auth type bearer does not have this key"),
    ],
)
def test_wrong_command_is_a_problem(shell: Shell, auth: str, why: str) -> None:
    shell.own(f'[profile.p]\nurl = "http://127.0.0.1:9"\nauth = {{ {auth} }}\n')
    assert why in shell.run("profiles", "check").err
