"""A real bash whose ``rpcexplorer`` runs in the test's own process.

So a command costs no start of Python.
"""

from __future__ import annotations

import io
import marshal
import os
import select
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Self

CLIENT: Final = """#!{python} -IS
import _socket, marshal, os, sys
stdin = sys.stdin.buffer.read()
server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
server.connect({server!r})
server.sendall(marshal.dumps((sys.argv[1:], os.getcwd(), dict(os.environ), stdin)))
server.shutdown(_socket.SHUT_WR)
answer = b"".join(iter(lambda: server.recv(65536), b""))
code, pieces = marshal.loads(answer)
try:
    for number, piece in pieces:
        while piece:
            piece = piece[os.write(number, piece):]
except BrokenPipeError:
    code = 141
os._exit(code)
"""
LOOP: Final = """
command_not_found_handle() {{
    if [[ $LENIENT ]]; then cat >/dev/null; else echo "$1: command not found" >&2; return 127; fi
}}
while IFS= read -r -u {commands} script; do
    eval "$(<"$script")" </dev/null >"$script.out" 2>&1
    LAST=$?
    echo $LAST >&{codes}
done
"""
"""Skips programs that do not exist."""
TOOLS: Final = "cat cut diff grep head ls mkdir printenv rm sed sort tail tr uniq wc".split()  # noqa: SIM905
"""Programs that do nothing outside the working folder."""


class Request(NamedTuple):
    """A command line of ``rpcexplorer``."""

    arguments: list[str]
    folder: Path
    environment: Mapping[str, str]
    stdin: bytes


class Answer(NamedTuple):
    """Exit code and output, in the order of writing to streams 1 and 2."""

    code: int
    pieces: list[tuple[int, bytes]]


class Recorder:
    """A stdout and a stderr that keep the order of writing."""

    def __init__(self, *, stdout_isatty: bool = False, stderr_isatty: bool = False) -> None:
        self.pieces: list[tuple[int, bytes]] = []
        self.stdout = _Stream(self.pieces, 1, stdout_isatty)
        self.stderr = io.TextIOWrapper(_Stream(self.pieces, 2, stderr_isatty), "utf-8", write_through=True)
        self.text = io.TextIOWrapper(self.stdout, "utf-8", write_through=True)


class Keyboard(io.BytesIO):
    """A stdin that is a terminal."""

    def isatty(self) -> bool:
        return True


class _Stream(io.BytesIO):
    def __init__(self, pieces: list[tuple[int, bytes]], number: int, isatty: bool) -> None:
        super().__init__()
        self._pieces, self._number, self._isatty = pieces, number, isatty

    def isatty(self) -> bool:
        return self._isatty

    def close(self) -> None:
        """Stay open after the wrapper is gone."""

    def write(self, data: object, /) -> int:
        content = bytes(data)  # type: ignore[call-overload]
        self._pieces.append((self._number, content))
        return len(content)


class Bash:
    """One bash for all scripts: variables, functions and folder stay."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._folder, self._environment = folder, environment
        self.answer: Callable[[Request], Answer] = lambda _: Answer(0, [])
        """Runs a command line of ``rpcexplorer``."""

    def __enter__(self) -> Self:
        self._temporary = tempfile.TemporaryDirectory()  # paths of sockets are short
        here = Path(self._temporary.name)
        self._script = here / "script"
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(str(here / "server"))
        self._server.listen(8)
        programs = here / "programs"
        programs.mkdir()
        client = programs / "rpcexplorer"
        client.write_text(CLIENT.format(python=sys.executable, server=str(here / "server")))
        client.chmod(0o755)
        tools = here / "tools"
        tools.mkdir()
        for name in TOOLS:
            if found := shutil.which(name):
                (tools / name).symlink_to(found)
        self.path, self.path_of_tools = f"{programs}:{os.environ['PATH']}", f"{programs}:{tools}"
        null = os.open(os.devnull, os.O_RDWR)
        commands, self._commands = os.pipe()
        self._codes, codes = os.pipe()
        self._process = subprocess.Popen(
            ["bash", "--norc", "--noprofile", "-c", LOOP.format(commands=commands, codes=codes)],
            cwd=self._folder,
            env={"PATH": self.path, "LANG": "C.UTF-8", **self._environment},
            stdin=null,
            stdout=null,
            stderr=null,
            pass_fds=(commands, codes),
        )
        for number in (null, commands, codes):
            os.close(number)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        self._process.kill()
        self._process.wait()
        os.close(self._commands)
        os.close(self._codes)
        self._temporary.cleanup()

    def run(self, script: str, environment: Iterable[tuple[str, str]] = ()) -> tuple[int, str]:
        """Run a script; return its exit code and its output on a terminal."""
        prefix = "".join(f"export {name}={value!r}\n" for name, value in environment)
        self._script.write_text(f"{prefix}(exit ${{LAST:-0}})\n{script}", encoding="utf-8")
        os.write(self._commands, f"{self._script}\n".encode())
        while True:
            ready, _, _ = select.select([self._server.fileno(), self._codes], [], [], 60)
            assert ready, f"bash has stopped: {script}"
            if self._server.fileno() in ready:
                self._serve()
            elif code := os.read(self._codes, 8):
                return int(code), self._script.with_suffix(".out").read_text(encoding="utf-8", errors="replace")
            else:
                raise AssertionError(f"bash has ended: {script}")

    def _serve(self) -> None:
        connection, _ = self._server.accept()
        with connection:
            content = b"".join(iter(lambda: connection.recv(65536), b""))
            arguments, folder, environment, stdin = marshal.loads(content)
            answer = self.answer(Request(arguments, Path(folder), environment, stdin))
            connection.sendall(marshal.dumps((answer.code, answer.pieces)))
