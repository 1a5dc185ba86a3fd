"""The bad inputs 17 to 20: damaged files, large sizes, a bug.

Inputs 1 to 16 are in test_bad_inputs.py.
"""

from __future__ import annotations

import asyncio
import errno
import json
import os
import resource
import signal
import subprocess
import sys
import termios
import tomllib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import rpcexplorer
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.profile import Profile
from tests.fakes.shell import Shell
from tests.fakes.terminal import Terminal
from tests.fakes.wire import RawServer, Received, http_reply
from tests.history.recording import damaged, exchange, sound
from tests.trust.visits import ID, PONG, history_of, inert, on_terminal, replying, visit, written

ROOT = Path(rpcexplorer.__file__).parents[1]
PASSWORD = "correct-horse-battery"


@pytest.mark.parametrize(
    ("harm", "lost"),
    [
        (lambda raw: raw[:-60], 1),
        (lambda raw: raw + bytes(4096), 0),
        (lambda raw: raw.replace(b"\n", b"\r\n"), 0),
        (lambda raw: raw.replace(b"\n[[call]]", b"\n<<<<<<< HEAD\n[[call]]", 1), 0),
        (lambda raw: raw.replace(b"kind = ", b"knd = ", 1), 1),
        (lambda raw: raw.replace(b"sent = ", b"s" + b".n" * 50_000 + b" = ", 1), 1),
        (lambda raw: raw.replace(b"\nsent", b"\n\x1b]52;c;x\x07 = \nsent", 1), 1),
        (lambda raw: raw.replace(b"pong", b"p\xff\xfeng", 1), 1),
    ],
    ids=["torn tail", "NUL tail", "CRLF", "conflict marker", "typo", "dotted key", "escape", "not UTF-8"],
)
def test_17_damage_costs_one_block_of_the_history(shell: Shell, harm: Callable[[bytes], bytes], lost: int) -> None:
    file = written(shell, 3)
    file.write_bytes(harm(file.read_bytes()))
    with RawServer(PONG) as server:
        runs = [shell.run("call", "m", "--url", server.origin)]
    runs += [on_terminal(shell, "history", *words.split()) for words in ("list", "show", "search ping")]
    inert(*runs)
    assert [run.code for run in runs] == [0] * 4
    found = list(shell.explorer().history.all())
    assert len(sound(found)) == 4 - lost
    newest = found[0]
    assert isinstance(newest, Exchange)
    assert newest.method == "m"
    tail = file.read_bytes()[file.read_bytes().rindex(b"[[call]]") :]
    assert tomllib.loads(tail.decode())["call"][0]["method"] == "m"


def test_17_read_only_folder_keeps_the_result(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    written(shell, 1)
    real = os.open

    def read_only(path: Any, flags: int, mode: int = 0o777, **more: Any) -> int:
        if "history" in str(path) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return real(path, flags, mode, **more)

    monkeypatch.setattr(os, "open", read_only)
    with RawServer(PONG) as server:
        ran = shell.run("call", "m", "--url", server.origin)
    assert (ran.code, ran.out) == (0, b'"pong"\n')
    assert "the call was not recorded" in ran.err
    assert "read-only" in ran.err
    assert sound(shell.explorer().history.all()) == [exchange(0).id]


@pytest.mark.thorough
def test_17_full_disk_keeps_results_and_old_records(shell: Shell) -> None:
    file = written(shell, 3)
    room = file.stat().st_size + 100  # in the middle of the next block
    with RawServer(PONG) as server:
        ran = subprocess.run(
            # Bytecode of the program would be cut too, and stay so.
            [sys.executable, "-B", "-m", "rpcexplorer", "call", "m", "--url", server.origin],
            env=environment(shell),
            cwd=shell.folder,
            capture_output=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)),
            check=False,
        )
    assert (ran.returncode, ran.stdout) == (0, b'"pong"\n')
    assert b"the call was not recorded" in ran.stderr
    assert b"Traceback" not in ran.stderr
    assert sound(shell.explorer().history.all()) == [exchange(number).id for number in (2, 1, 0)]
    assert damaged(shell.explorer().history.all()) == []


@pytest.mark.thorough
def test_17_eight_writers_lose_no_record(shell: Shell) -> None:
    async def five(number: int) -> None:
        async with shell.explorer() as door:
            door.use("here")
            for turn in range(5):
                await door.call(Draft("m"), id=f"{number}.{turn}")

    with RawServer(PONG) as server:
        shell.sessions(f'[profile.here]\nurl = "{server.origin}"\n')
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda number: asyncio.run(five(number)), range(8)))
    found = shell.explorer().history.all()
    assert sorted(sound(found)) == sorted(f"{number}.{turn}" for number in range(8) for turn in range(5))


KILLED = """
import sys
from pathlib import Path
from rpcexplorer.history.folder import History
from tests.history.recording import exchange
history = History(Path(sys.argv[1]))
for number in range(100_000):
    history.append(exchange(number))
    print(number, flush=True)
"""


@pytest.mark.thorough
def test_17_killed_writer_loses_no_written_record(shell: Shell) -> None:
    history = shell.explorer().history
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(history.folder)], env=environment(shell), stdout=subprocess.PIPE, cwd=ROOT
    )
    with process:
        assert process.stdout
        for _ in range(100):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        reported = 100 + len(process.stdout.read().splitlines())
    with RawServer(PONG) as server:
        assert shell.run("call", "m", "--url", server.origin).code == 0
    found = list(history.all())
    assert len(sound(found)) >= reported + 1
    assert damaged(found) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f'[profile.bad]\nurl = "URL"\npassword = "{PASSWORD}"\n', "password"),
        (f'[profile.bad]\nurl = "URL"\nauth = {{ kind = "inline", password = "{PASSWORD}" }}\n', "profiles secret bad"),
        (f'[profile.bad]\nurl = "http://ada:{PASSWORD}@127.0.0.1:9"\n', "profiles secret bad"),
        (f'[profile.bad]\nurl = "URL"\n[profile.bad.login]\nparams = {{ password = "{PASSWORD}" }}\n', "secret"),
        ('[profile.bad]\nurl = "URL"\ncommand = "touch pwned"\n', "command"),
        ('[profile.bad]\nurl = "URL"\nauth = { kind = "inline", command = "touch pwned" }\n', "command"),
        ('[profile."../../x"]\nurl = "URL"\n', "../../x"),
        ('[profile.bad]\nurl = "URL\n', "this is not TOML"),
        ('<<<<<<< HEAD\n[profile.bad]\nurl = "URL"\n', "merge conflict marker"),
        ('[profile.bad]\nurl = "URL"\nheaders = { "X\\r\\nY" = "1" }\n', "header"),
    ],
    ids=["password", "inline password", "in the URL", "in login.params", "command", "auth command", "name",
         "syntax", "conflict", "header"],
)  # fmt: skip
def test_18_invalid_profile_file_sends_and_leaks_nothing(shell: Shell, text: str, message: str) -> None:
    with RawServer(PONG) as server:
        file = shell.sessions(text.replace("URL", server.origin))
        before = file.read_bytes()
        runs = [
            on_terminal(shell, *words)
            for words in (["call", "m", "-p", "bad"], ["call", "m", "-p", "../../x"], ["profiles", "list"],
                          ["profiles", "check"])
        ]  # fmt: skip
    inert(*runs)
    assert server.requests == []
    assert [run.code for run in runs[:2]] == [2, 2]
    assert message in "".join(run.text + run.err for run in runs)
    assert PASSWORD not in "".join(run.text + run.err for run in runs)
    assert file.read_bytes() == before
    assert not [path for path in shell.folder.parent.rglob("*") if path.name in {"pwned", "x", "x.toml"}]


def test_18_changed_url_gets_no_password(shell: Shell) -> None:
    inline = 'auth = { kind = "inline", username = "ada" }\n'
    with RawServer(PONG) as first, RawServer(PONG) as second:
        shell.sessions(f'[profile.shop]\nurl = "{first.origin}"\n{inline}')
        saved(shell)
        assert shell.run("call", "m").code == 0
        shell.sessions(f'[profile.shop]\nurl = "{second.origin}"\n{inline}')
        ran = shell.run("call", "m")
    assert (ran.code, second.requests) == (3, [])
    assert "is blocked: it was stored for a different destination" in ran.err
    assert f"origin: {first.origin} → {second.origin}" in ran.err
    assert PASSWORD not in ran.err


def test_18_readable_secret_file_is_not_used(shell: Shell) -> None:
    with RawServer(PONG) as server:
        shell.sessions(f'[profile.shop]\nurl = "{server.origin}"\nauth = {{ kind = "inline", username = "ada" }}\n')
        store = saved(shell)
        store.chmod(0o644)
        ran = shell.run("call", "m")
    assert (ran.code, server.requests) == (3, [])
    assert "chmod 600" in ran.err
    assert PASSWORD not in ran.err


def saved(shell: Shell) -> Path:
    """Store a password for the profile `shop`; return its file."""
    door = shell.explorer()
    shop = door.use("shop")
    assert isinstance(shop, Profile)
    door.secrets.save(shop, "password", PASSWORD)
    return door.paths.secrets


MEASURED = """
import re, sys
from pathlib import Path
from rpcexplorer.__main__ import main
code = main()
status = Path("/proc/self/status")
print(re.search(r"VmHWM:\\s+(\\d+)", status.read_text())[1] if status.exists() else 0, file=sys.stderr)
sys.exit(code)
"""


def environment(shell: Shell) -> dict[str, str]:
    return {**os.environ, **shell.environment, "PYTHONPATH": str(ROOT)}


@pytest.mark.thorough
def test_19_response_of_100_mb_uses_bounded_memory(shell: Shell) -> None:
    before, items, after = b'{"jsonrpc":"2.0","id":"id-1","result":', [b"1.10," * 200_000] * 100, b"0]}"
    size = len(before + b"[" + after) + 100 * 1000 * 1000

    def parts(_: Received) -> list[bytes]:
        return [http_reply(headers={"Content-Length": str(size)}) + before + b"[", *items, after]

    with RawServer(parts) as server, (shell.folder / "out").open("wb") as out:
        ran = subprocess.run(
            [sys.executable, "-c", MEASURED, "call", "m", "--id", ID, "--url", server.origin],
            env=environment(shell),
            stdout=out,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert ran.returncode == 0, ran.stderr
    assert (shell.folder / "out").stat().st_size == size - len(before + b"}") + len("\n")
    assert int(ran.stderr.split()[-1]) * 1024 < 8 * size
    (recorded,) = shell.explorer().history.newest(1)
    assert isinstance(recorded, Exchange)
    assert (recorded.response.size, recorded.response.cut) == (size, True)


@pytest.mark.thorough
def test_19_line_of_a_megabyte_is_printed(shell: Shell) -> None:
    value = json.dumps("x\u202e" * 150_000)
    seen = visit(shell, replying(f'"result":{value}'))
    assert seen.ran.out == value.encode() + b"\n"


@pytest.mark.thorough
def test_19_five_thousand_headers_are_shown_or_rejected(shell: Shell) -> None:
    seen = visit(shell, replying('"result":1', headers={f"x-{number}": "y" for number in range(5000)}))
    assert seen.code == 0
    assert "x-4999: y" in seen.seen
    seen = visit(shell, replying('"result":1', headers={f"x-{number}": "y" * 90 for number in range(5000)}))
    assert seen.code == 4
    assert "more than 100 kB of headers" in seen.printed


@pytest.mark.thorough
def test_19_ten_thousand_methods_are_listed(shell: Shell) -> None:
    methods = [{"name": f"m.{number}\u202e", "params": []} for number in range(10_000)]
    document = json.dumps({"openrpc": "1.3.2", "info": {"title": "t", "version": "1"}, "methods": methods})
    with RawServer(replying(f'"result":{document}')) as server:
        shell.sessions(f'[profile.here]\nurl = "{server.origin}"\n')
        ran = on_terminal(shell, "methods", "--refresh")
    inert(ran)
    assert ran.code == 0
    assert ran.text.count("\\u202e") == 10_000


BROKEN = """
import sys
from rpcexplorer import __main__
from {module} import {name}

def fails(self, *arguments, **options):
    password = "correct-horse-battery"
    raise ValueError(password)

{name}.{method} = fails
sys.exit(__main__.main())
"""
PLACES = {
    "the call": ("rpcexplorer.explorer", "Explorer", "call"),
    "the record": ("rpcexplorer.history.store", "Journal", "record"),
    "a drawing": ("rpcexplorer.tui.widgets.rows", "Sheet", "render_line"),
}


@pytest.mark.everyday(1)
@pytest.mark.parametrize("place", [PLACES["the call"], PLACES["the record"]], ids=["the call", "the record"])
def test_20_bug_on_command_line_prints_no_value(shell: Shell, place: tuple[str, str, str]) -> None:
    module, name, method = place
    (shell.folder / "broken.py").write_text(BROKEN.format(module=module, name=name, method=method))
    with RawServer(PONG) as server:
        ran = subprocess.run(
            [sys.executable, "broken.py", "call", "m", "--url", server.origin],
            env=environment(shell),
            cwd=shell.folder,
            capture_output=True,
            text=True,
            check=False,
        )
    assert ran.returncode == 70
    assert "Internal error at broken.py:8 (ValueError)" in ran.stderr
    assert PASSWORD not in ran.stdout + ran.stderr + str(history_of(shell))
    assert "Traceback" not in ran.stderr


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("place", "keys"), [(PLACES["the call"], ["f5"]), (PLACES["a drawing"], [])], ids=["the call", "a drawing"]
)
def test_20_bug_on_screen_restores_terminal_without_values(
    shell: Shell, place: tuple[str, str, str], keys: list[str]
) -> None:
    module, name, method = place
    (shell.folder / "broken.py").write_text(BROKEN.format(module=module, name=name, method=method))
    with RawServer(PONG) as server:
        shell.sessions(f'[profile.here]\nurl = "{server.origin}"\n')
        home = {**shell.environment, "PYTHONPATH": str(ROOT)}
        with Terminal([], home, shell.folder, (100, 30), start=["broken.py"]) as terminal:
            if keys:
                terminal.sees("here")
                terminal.press(*keys)
            assert terminal.ends() == 70
            assert termios.tcgetattr(terminal._file)[3] & termios.ECHO
    assert b"\x1b[?1049l" in terminal.written
    assert b"\x1b[?25h" in terminal.written
    assert b"broken.py:8 (ValueError)" in terminal.written
    assert PASSWORD.encode() not in terminal.written
    assert b"Traceback" not in terminal.written
