"""jq expressions over results, in a process that stays and can be killed.

A process for each expression would take 60 ms, and an expression can run without end.
"""

from __future__ import annotations

import os
from typing import Final

import msgspec

from rpcexplorer.child_process import ChildProcess, program_of, serve
from rpcexplorer.text.jq import FilterProblem, filtered

DEADLINE_SECONDS: Final = 1.5
"""For one expression."""
MAX_MISSED: Final = 2
"""Texts for which an expression may take too long: the first can be a large one."""
MAX_CHARACTERS: Final = 1_000
"""Limit of the results: only ``true`` is right, and the rest is only shown."""
TOO_LONG: Final = f"no result after {DEADLINE_SECONDS:g} s"


class JqProcess:
    """Runs expressions one at a time; one that takes too long runs twice at most."""

    def __init__(self) -> None:
        self._process = ChildProcess("jq", program_of("rpcexplorer.checks.jq_process"), DEADLINE_SECONDS)
        self._too_long: dict[str, set[bytes]] = {}
        """The texts for which an expression took too long."""

    async def run(self, expression: str, text: bytes) -> str:
        """Return the results, each on a line, or a sentence why there are none."""
        missed = self._too_long.get(expression, set())
        if text in missed or len(missed) >= MAX_MISSED:
            return TOO_LONG
        answer = await self._process.ask(msgspec.json.encode(expression), text.replace(b"\n", b" "))
        if answer is not None:
            return msgspec.json.decode(answer, type=str)
        if not self._process.problem:
            self._too_long.setdefault(expression, set()).add(text)
        return self._process.problem or TOO_LONG

    async def problem(self, expression: str) -> str:
        """Return why jq cannot read an expression; empty if it can."""
        return await self.run(expression, b"")  # Without a text, jq yields nothing.

    @property
    def pid(self) -> int | None:
        """Return the id of the process, if it runs."""
        return self._process.pid

    async def close(self) -> None:
        await self._process.close()


def answer(expression: bytes, text: bytes) -> bytes:
    found = filtered(msgspec.json.decode(expression, type=str), text)
    if isinstance(found, FilterProblem):
        results = found.sentence
    else:
        results = found.text[: 4 * MAX_CHARACTERS].decode(errors="ignore")
    return msgspec.json.encode(results.strip()[:MAX_CHARACTERS])


if __name__ == "__main__":
    os.environ.clear()  # A file of others must not read it with $ENV.
    serve(answer, 2, "jq")
