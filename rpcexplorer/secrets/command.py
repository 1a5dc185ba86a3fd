"""The command of a profile that prints a secret."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

from rpcexplorer.model.destination import ProcessCommand
from rpcexplorer.model.problem import UserError, cut
from rpcexplorer.model.secret import Secret, for_others, unrecorded
from rpcexplorer.redaction.redactor import Redactor

SECONDS: Final = 10
MAX_BYTES: Final = 64 * 1024
"""Bytes of its output, and of its stderr, of which the rest is not kept."""
POLL_SECONDS: Final = 0.05
"""Until the end of the process is seen, if another one keeps its pipes open."""


class SecretCommand:
    """One run of a command, which no shell reads."""

    def __init__(self, command: ProcessCommand, environment: Mapping[str, str]) -> None:
        self._command, self._environment = command, for_others(environment)
        self._process: subprocess.Popen[bytes] | None = None
        self._is_ended = False
        self._printed = b""
        self._complaint = b""
        """What it wrote to stderr."""

    def value(self) -> str:
        """Run it and return what it prints; raise ``UserError`` with a clause that says why there is no value."""
        self._run()
        assert self._process is not None
        code = self._process.returncode
        if code:
            reason = f"ended with exit code {code}"
            if code < 0:
                reason = f"was ended by signal {-code}"
            raise UserError(reason)
        try:
            text = self._printed.decode()
        except UnicodeDecodeError:
            raise UserError("printed bytes that are not UTF-8") from None
        text = text.removesuffix("\n").removesuffix("\r")
        if not text.strip():
            raise UserError("printed nothing")
        if len(text.splitlines()) > 1:
            raise UserError("printed more than one line")
        return text

    def explained(self, clause: str, known: Sequence[Secret]) -> str:
        """Return a clause with the first line of stderr, without secrets and without what it printed.

        A command that succeeds has no error to report: it may have printed the secret there.
        """
        if self._process is None or self._process.returncode == 0:
            return clause
        printed = self._printed.decode(errors="replace").splitlines()
        hide = Redactor([*known, *(unrecorded(line) for line in printed)]).text
        for line in self._complaint.decode(errors="replace").splitlines():
            if line.strip():
                return f"{clause}: {cut(hide(line.strip())).rstrip('.')}"
        return clause

    def end(self) -> None:
        """Kill the process and those that it has started; from any thread."""
        self._is_ended = True
        if self._process is not None and self._process.poll() is None:
            with suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def _run(self) -> None:
        command = self._command
        if self._is_ended:
            raise UserError("was not run, because the call was stopped")
        if not command.program:
            raise UserError("was not found in PATH. Install it, or write its whole path")
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the user has written or allowed these words
                [command.program, *command.words[1:]],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=command.folder,
                env=self._environment,
                start_new_session=True,  # Without a terminal: on the screen, a question of the program would be lost.
            )
        except (OSError, ValueError) as error:
            raise UserError(f"does not start: {(getattr(error, 'strerror', '') or str(error)).lower()}") from None
        try:
            self._read(self._process)
        finally:
            self.end()
            self._process.wait()
            for pipe in (self._process.stdout, self._process.stderr):
                assert pipe is not None
                pipe.close()

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        """Read both pipes until the process has ended."""
        until = time.monotonic() + SECONDS
        with selectors.DefaultSelector() as pipes:
            assert process.stdout is not None
            assert process.stderr is not None
            pipes.register(process.stdout, selectors.EVENT_READ)
            pipes.register(process.stderr, selectors.EVENT_READ)
            while pipes.get_map() or process.poll() is None:
                if self._is_ended:
                    return
                if time.monotonic() > until:
                    raise UserError(f"took longer than {SECONDS} s")
                ready = pipes.select(POLL_SECONDS)
                if not ready and process.poll() is not None:
                    return
                for pipe, _ in ready:
                    data = os.read(pipe.fd, MAX_BYTES)
                    if not data:
                        pipes.unregister(pipe.fileobj)
                    elif pipe.fileobj is process.stdout:
                        self._printed += data
                    else:
                        self._complaint = (self._complaint + data)[:MAX_BYTES]
                if len(self._printed) > MAX_BYTES:
                    raise UserError(f"printed more than {MAX_BYTES // 1024} kB")
