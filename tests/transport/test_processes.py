"""Processes of ours: how they start, what they say, and that they always end."""

from __future__ import annotations

import asyncio
import gc
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rpcexplorer.transport import process
from rpcexplorer.transport.port import Unreachable
from rpcexplorer.transport.process import MAX_STDERR, ProcessWire
from tests.fakes.peers import LIMIT
from tests.transport.test_wires import drained, opened, run

IGNORING_TERM = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
ALIVE = "import os, sys, time; alive = os.open(sys.argv[1], os.O_WRONLY); print('[]', flush=True)\n"
"""A process that has a pipe open until it ends."""
FOREVER = "while True: time.sleep(60)\n"
IN_A_FORK = "if os.fork(): time.sleep(60)\n"


class Lives:
    """A pipe that processes have open as long as one of them lives."""

    def __init__(self, path: Path) -> None:
        self.path = path
        os.mkfifo(path)
        self._end = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    def is_alive(self) -> bool:
        """Return whether a process has opened the pipe, and not ended."""
        try:
            return os.read(self._end, 1) != b""
        except BlockingIOError:
            return True

    def wait_for_end(self) -> None:
        assert select.select([self._end], [], [], 10)[0]
        assert os.read(self._end, 1) == b""

    def close(self) -> None:
        os.close(self._end)


@pytest.fixture
def lives(tmp_path: Path) -> Iterator[Lives]:
    pipe = Lives(tmp_path / "alive")
    yield pipe
    pipe.close()


@pytest.fixture
def no_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "GRACE_SECONDS", 0.1)


def python(code: str, *words: object, folder: Path = Path("/"), stderr: list[str] | None = None) -> ProcessWire:
    command = [sys.executable, "-c", code, *map(str, words)]
    on_stderr = (list[str]() if stderr is None else stderr).append
    return ProcessWire(command, program=sys.executable, folder=folder, environment={}, on_stderr=on_stderr, cap=LIMIT)


def end_of(wire: ProcessWire) -> Unreachable:
    """Read all messages, and return why there are no more."""

    async def test() -> None:
        await wire.open(10)
        await drained(wire)

    run(test())
    assert wire.ended is not None
    assert "\n" not in wire.ended.sentence
    return wire.ended


def start_of(program: object, folder: Path) -> Unreachable:
    with pytest.raises(Unreachable) as refused:
        run(ProcessWire(["rpc-tool"], program=str(program), folder=folder, environment={}, cap=LIMIT).open(10))
    assert refused.value.step == "start"
    return refused.value


def program(path: Path, content: str = "#!/bin/sh\n", mode: int = 0o755) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    path.chmod(mode)
    return path


def test_program_that_does_not_start_is_named(tmp_path: Path) -> None:
    assert "rpc-tool was not found in PATH" in start_of("", tmp_path).sentence
    missing = tmp_path / "rpc-tool"
    assert start_of(missing, tmp_path).sentence.startswith(f"{missing} does not start: no such file or directory.")
    data = program(tmp_path / "data", mode=0o644)
    assert "does not start: permission denied" in start_of(data, tmp_path).sentence
    broken = program(tmp_path / "broken", "no first line")
    assert "does not start: exec format error" in start_of(broken, tmp_path).sentence
    assert "/nowhere does not exist" in start_of("", Path("/nowhere")).sentence


def test_process_has_its_words_folder_environment_and_session(tmp_path: Path) -> None:
    code = "import os, sys; print(sys.argv[1:], os.getcwd(), sorted(os.environ), os.getsid(0) == os.getpid())"
    words = [sys.executable, "-c", code, "$HOME; *", "a b"]
    environment = {"ONLY": "this", "LC_ALL": "C"}
    wire = ProcessWire(words, program=sys.executable, folder=tmp_path, environment=environment, cap=LIMIT)

    async def test() -> None:
        async with opened(wire) as messages:
            line = (await anext(messages)).decode()
        assert line == f"['$HOME; *', 'a b'] {tmp_path} ['LC_ALL', 'ONLY'] True"

    run(test())


def test_end_names_exit_code_and_last_words() -> None:
    problem = end_of(python("import sys; sys.exit('Traceback\\n no\\x1b[1m  such\\tmodule.\\n ')"))
    assert problem.step == "closed"
    assert (
        problem.sentence == rf"{Path(sys.executable).name} ended with exit code 1: Traceback / no\x1b[1m  such\tmodule."
    )


@pytest.mark.parametrize(
    ("stderr", "words", "reason"),
    [
        ("'x' * 400", "ended with exit code 1.", "unexplained"),
        ("'x' * 400 + '\\na\\nb'", "ended with exit code 1: a / b.", ""),
        ("'a\\nb\\n\\nc\\nd'", "ended with exit code 1: b / c / d.", ""),
    ],
    ids=range(3),
)
def test_last_lines_are_quoted_whole_or_omitted(stderr: str, words: str, reason: str) -> None:
    problem = end_of(python(f"import sys; sys.exit({stderr})"))
    assert (problem.sentence, problem.reason) == (f"{Path(sys.executable).name} {words}", reason)


def test_end_names_the_signal() -> None:
    problem = end_of(python("import os; os.kill(os.getpid(), 9)"))
    assert problem.sentence == f"{Path(sys.executable).name} was ended by SIGKILL."


def test_messages_before_the_end_are_read() -> None:
    async def test() -> None:
        wire = python("import os; os.write(1, b'[1]\\n' * 10_000 + b'[2]')")
        await wire.open(10)
        assert await drained(wire) == [b"[1]"] * 10_000 + [b"[2]"]

    run(test())


def test_process_can_end_before_its_pipes_are_read() -> None:
    """On a busy machine it does."""
    failures = list[dict[str, object]]()

    async def test() -> None:
        loop, wire = asyncio.get_running_loop(), python("")
        loop.set_exception_handler(lambda _, context: failures.append(context))
        connect = loop.connect_read_pipe

        async def connect_late(*pipe: Any) -> Any:
            for thread in threading.enumerate():
                if thread.name.startswith("end of"):
                    await asyncio.to_thread(thread.join)
            return await connect(*pipe)

        loop.connect_read_pipe = connect_late  # type: ignore[assignment]
        await wire.open(10)
        await drained(wire)
        assert wire.ended is not None
        assert wire.ended.sentence.endswith("ended with exit code 0.")

    run(test())
    gc.collect()
    assert failures == []


def test_stdin_that_is_closed_ends_the_connection() -> None:
    async def test() -> None:
        wire = python("import os, sys; os.close(0); print('[]', flush=True); sys.exit('no input')")
        async with opened(wire) as messages:
            assert await anext(messages) == b"[]"
            with pytest.raises(Unreachable, match="ended with exit code 1: no input"):
                await wire.send(b"{}")
            assert [message async for message in messages] == []

    run(test())


def test_stderr_is_reported_by_line() -> None:
    lines = list[str]()
    end_of(python("import os; os.write(2, b'one\\r\\ntwo \\xff\\n\\nthree')", stderr=lines))
    assert lines == ["one", "two \ufffd", "", "three"]


def test_flood_of_stderr_neither_blocks_nor_grows() -> None:
    lines = list[str]()
    wire = python("import os, sys; sys.stderr.write('x' * 5_000_000 + '\\nend\\n'); print('[]')", stderr=lines)

    async def test() -> None:
        await wire.open(10)
        assert await drained(wire) == [b"[]"]

    run(test())
    assert lines == ["(a line of 5,000,000 bytes)", "end"]
    assert len(wire.stderr) == MAX_STDERR


@pytest.mark.parametrize(
    "code",
    [
        ALIVE + FOREVER,
        IGNORING_TERM + ALIVE + FOREVER,
        IGNORING_TERM + ALIVE + IN_A_FORK + FOREVER,
        IGNORING_TERM + ALIVE + "while True: os.write(1, b'[]\\n')",
        IGNORING_TERM + ALIVE + "while True: os.write(2, b'!\\n')",
    ],
    ids=["sleeps", "ignores TERM", "forks", "floods stdout", "floods stderr"],
)
@pytest.mark.everyday(5)
def test_process_that_does_not_end_is_killed(code: str, lives: Lives, no_grace: None) -> None:
    async def test() -> None:
        async with opened(python(code, lives.path)) as messages:
            assert await anext(messages) == b"[]"
        lives.wait_for_end()

    run(test())


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (IGNORING_TERM + ALIVE + "os.close(1)\n" + FOREVER, "closed a standard stream"),
        (IGNORING_TERM + ALIVE + "if os.fork(): os._exit(3)\n" + FOREVER, "ended with exit code 3"),
    ],
    ids=["closes stdout and lives", "ends before its fork"],
)
def test_process_that_leaves_is_ended_whole(code: str, words: str, lives: Lives, no_grace: None) -> None:
    assert words in end_of(python(code, lives.path)).sentence
    lives.wait_for_end()


def test_process_that_left_the_group_delays_nothing(tmp_path: Path, lives: Lives, no_grace: None) -> None:
    left = Lives(tmp_path / "left")
    code = "import os, sys\nif os.fork(): os._exit(0)\nos.setsid()\nos.open(sys.argv[1], os.O_RDONLY)"
    # The fork of another session waits for the pipe, with our pipes open.
    os.close(left._end)
    assert "ended with exit code 0" in end_of(python(code, left.path)).sentence
    left._end = os.open(left.path, os.O_WRONLY)
    left.close()


def test_process_ends_with_its_event_loop(lives: Lives, no_grace: None) -> None:
    async def forget() -> None:
        wire = python(ALIVE + FOREVER, lives.path)
        await wire.open(10)
        assert await anext(wire.messages()) == b"[]"

    asyncio.run(forget())
    lives.wait_for_end()


PROGRAM = """
import asyncio, os, signal, sys, threading, time
from pathlib import Path
from types import SimpleNamespace
from rpcexplorer.transport import process
process.GRACE_SECONDS = 0.1
wire = process.ProcessWire({words!r}, program={words[0]!r}, folder=Path("/"), environment={{}}, cap=1000)
async def use():
    await wire.open(10)
    await anext(wire.messages())
loop = asyncio.new_event_loop()
loop.run_until_complete(use())
"""
"""A program that leaves its process alone, to end in some way."""
IN_A_THREAD = "thread = threading.Thread(target=sys.exit); thread.start(); thread.join()"
INTERRUPTED = """
def interrupt(_):
    raise KeyboardInterrupt
process.time = SimpleNamespace(monotonic=time.monotonic, sleep=interrupt)
raise KeyboardInterrupt
"""
"""Ctrl+C, again while the process ends, and again."""


def ended(lives: Lives, end: str) -> subprocess.CompletedProcess[bytes]:
    """Run a program with a process that ends only by KILL, to this end."""
    words = (sys.executable, "-c", IGNORING_TERM + ALIVE + FOREVER, str(lives.path))
    code = PROGRAM.format(words=words) + end
    return subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, timeout=20)


@pytest.mark.parametrize(
    ("end", "code"),
    [
        ("", 0),
        ("raise RuntimeError", 1),
        ("raise SystemExit(3)", 3),
        (IN_A_THREAD, 0),
        (INTERRUPTED, -signal.SIGINT),
        ("signal.raise_signal(signal.SIGTERM)", -signal.SIGTERM),
        ("signal.raise_signal(signal.SIGHUP)", -signal.SIGHUP),
        ("signal.raise_signal(signal.SIGQUIT)", -signal.SIGQUIT),
        ("async def end(): signal.raise_signal(signal.SIGTERM)\nasyncio.run(end())", -signal.SIGTERM),
    ],
    ids=["end", "error", "exit", "exit of a thread", "Ctrl+C", "TERM", "HUP", "QUIT", "TERM in a loop"],
)
@pytest.mark.everyday(4)
def test_process_ends_with_rpcexplorer(end: str, code: int, lives: Lives) -> None:
    assert ended(lives, end).returncode == code
    lives.wait_for_end()


def test_fork_of_rpcexplorer_ends_no_process(lives: Lives) -> None:
    end = "if not os.fork(): signal.raise_signal(signal.SIGTERM)\nprint(os.wait()[1], [*process._running][0].is_gone())"
    assert ended(lives, end).stdout == b"15 False\n"
    lives.wait_for_end()


def test_signals_are_handled_only_while_a_process_runs(no_grace: None) -> None:
    handlers = list[object]()
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)

    async def test() -> None:
        async with opened(python("input()")):
            handlers.extend(map(signal.getsignal, (signal.SIGTERM, signal.SIGHUP)))

    try:
        run(test())
        assert handlers == [process._end_by_signal, signal.SIG_IGN]
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)
