"""Check params and results with a schema, in a process that can be killed.

The library holds the interpreter while it checks, and cannot be stopped. Three schemas take all of its time:

40 definitions that each refer to the next in two alternatives: more than 12 s to explain, 26 ms for 18 of them to say
no. An enum of 20,000 objects that 2,000 elements do not match: more than 12 s. A chain of 100,000 definitions: more
than 12 s before anything is checked.
"""

from __future__ import annotations

from typing import Final

import msgspec

from rpcexplorer.child_process import ChildProcess, program_of
from rpcexplorer.model.method import By, Described
from rpcexplorer.model.problem import Checked

PROGRAM: Final = program_of("rpcexplorer.schema.check_process")
DEADLINE_SECONDS: Final = 2.0
"""For one check."""
MAX_MISSED: Final = 2
"""Checks with one schema that may time out: the first can be bad luck."""
MAX_PARAMS_CHARACTERS: Final = 1_000_000
"""Longer params are not checked, on the screen and in a shell."""
MAX_TEXT_BYTES: Final = 8 * 1024 * 1024
MAX_SCHEMA_BYTES: Final = 16 * 1024 * 1024


class Checker:
    """Checks texts one at a time."""

    def __init__(self, deadline: float = DEADLINE_SECONDS, program: tuple[str, ...] = PROGRAM) -> None:
        self._process = ChildProcess("the schema checker", program, deadline)
        self._method: tuple[Described | None, bytes] = (None, b"")
        """The last method, and its bytes for the process."""
        self._missed: list[bytes] = []
        """The method, or the schema, of each check that timed out."""

    async def params(self, described: Described, text: str, *, by: By | None = None) -> Checked:
        """Check params as typed: an object by name, an array by position.

        ``by`` is the only way in which the service accepts them.
        """
        if len(text) > MAX_PARAMS_CHARACTERS:
            return Checked(why_not="the params are larger than 1 MB")
        return await self._check(described, text, "params", by)

    async def result(self, described: Described, text: str) -> Checked:
        """Check the text of a result."""
        return await self._check(described, text, "result", None)

    async def own(self, schema: str, text: str) -> Checked:
        """Check a text with a schema that the user wrote, as JSON text."""
        return await self._ask(schema.encode("utf-8", "replace").replace(b"\n", b" "), text, "own", None)

    async def close(self) -> None:
        """End the process; there are no more checks."""
        await self._process.close()

    @property
    def pid(self) -> int | None:
        """Return the id of the process, if it runs."""
        return self._process.pid

    async def _check(self, described: Described, text: str, of: str, by: By | None) -> Checked:
        try:
            if self._method[0] is not described:
                self._method = (described, msgspec.json.encode(described, enc_hook=dict))
        except RecursionError:
            return Checked(why_not="the schema is nested too deeply")
        except (TypeError, ValueError):
            return Checked(why_not="the schema is invalid")
        return await self._ask(self._method[1], text, of, by)

    async def _ask(self, method: bytes, text: str, of: str, by: By | None) -> Checked:
        if len(text) > MAX_TEXT_BYTES:
            return Checked(why_not=f"the text is larger than {MAX_TEXT_BYTES // 1024 // 1024} MiB")
        try:
            question = msgspec.json.encode((text, of, by))
        except UnicodeError:
            return Checked(why_not="the text contains a lone surrogate (half a character)")
        if len(method) > MAX_SCHEMA_BYTES:
            return Checked(why_not="the schema is too large")
        if self._missed.count(method) >= MAX_MISSED:
            return Checked(why_not="earlier checks with this schema took too long")
        answer = await self._process.ask(method, question)
        if answer is not None:
            return msgspec.json.decode(answer, type=Checked)
        if not self._process.problem:
            self._missed.append(method)
        return Checked(why_not=self._process.problem or "the check took too long")
