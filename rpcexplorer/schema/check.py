"""Checks params and results against a schema, in a process that can be killed."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Final, TypeAlias, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.jsontext.params import Fix
from rpcexplorer.jsontext.steps import run_in_turns
from rpcexplorer.model.method import By, Described
from rpcexplorer.model.problem import MOST_TOLD, Checked, SchemaProblem
from rpcexplorer.model.secret import for_others
from rpcexplorer.schema.bundle import Checkable, checkable_params, checkable_result
from rpcexplorer.schema.check_process import read, write
from rpcexplorer.schema.explain import Violation, WordedProblem, by_name, by_position, fixes, worded

PROGRAM: Final = (sys.executable, "-P", "-m", "rpcexplorer.schema.check_process")
"""``-P``: a module in the working folder must not pass for one of Python's."""
ENDING: Final = 2.0
"""Seconds until one that was killed is left to the system."""


class Verdict(Struct, frozen=True):
    """What it says."""

    ready: bool = False
    unknown: bool = False
    """It wants to see the schema."""
    violations: tuple[Violation, ...] = ()
    why_not: str = ""


GONE: Final = Verdict(why_not="the check came to no end")


class Child:
    """One such process."""

    def __init__(self, program: tuple[str, ...] = PROGRAM) -> None:
        home = str(Path(__file__).parents[2])
        path = os.pathsep.join(filter(None, [home, os.environ.get("PYTHONPATH")]))
        self._process = subprocess.Popen(  # noqa: S603 - Python itself, and a module of ours
            program,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=for_others(os.environ) | {"PYTHONPATH": path},
            start_new_session=os.name == "posix",
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def greeting(self) -> Verdict:
        """What it says when it has started."""
        return self._answer()

    def ask(self, key: bytes, schema: bytes, text: bytes) -> Verdict:
        """Check a text by a schema, which is sent where it is not known there."""
        answer = self._asked(key, b"", text)
        return self._asked(key, schema, text) if answer.unknown else answer

    def kill(self) -> None:
        """End it, whatever it does. Whoever waits for its answer has none."""
        with suppress(OSError):
            self._process.kill()

    def close(self) -> None:
        """End it, and leave nothing of it."""
        self.kill()
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                stream.close() if stream else None
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(ENDING)

    def _asked(self, key: bytes, schema: bytes, text: bytes) -> Verdict:
        assert self._process.stdin is not None
        try:
            write(self._process.stdin, key, schema, text)  # type: ignore[arg-type]  # bytes go in and out
        except (OSError, ValueError):  # it is gone
            return GONE
        return self._answer()

    def _answer(self) -> Verdict:
        assert self._process.stdout is not None
        try:
            message = read(self._process.stdout)  # type: ignore[arg-type]
            return msgspec.json.decode(message, type=Verdict) if message is not None else GONE
        except (OSError, ValueError):  # it was killed, or says what it should not
            return GONE


DEADLINE: Final = 2.0
"""Seconds that one check may take."""
STARTING: Final = 20.0
"""Seconds that the process may take to start, on the busiest machine."""
MOST_MISSED: Final = 2
"""Checks by one schema that came to no end: the first may be a busy machine's fault."""
MOST_STARTS: Final = 3
"""That fail, one after the other, before there are no more checks."""
LONGEST: Final = 8 * 1024 * 1024
"""Bytes of a text that is checked."""
MENDED: Final = 8
"""Problems of which fixes are tried."""
LONGEST_MENDED: Final = 64 * 1024
"""Characters of a text in which they are."""
KEPT: Final = 16
"""Schemas that stay ready."""
SLICE: Final = 0.002
"""Seconds of work on a schema before others have a turn for as long: a key takes a dozen callbacks."""
_OTHER_BRACKETS: Final = str.maketrans("[]{}", "{}[]")
T = TypeVar("T")
_Use: TypeAlias = tuple[int, By | None]


class Checker:
    """Checks texts, one after the other."""

    def __init__(self, deadline: float = DEADLINE, program: tuple[str, ...] = PROGRAM) -> None:
        self._deadline, self._program = deadline, program
        self._child: Child | None = None
        self._turn = asyncio.Lock()
        self._ready: OrderedDict[_Use, tuple[Described, Checkable]] = OrderedDict()
        """By the identity of what they were made of, which is kept with each, so that nothing else takes its place."""
        self._missed: Counter[bytes] = Counter()
        """Checks that came to no end, by their schemas."""
        self._failed_starts = 0
        self._out_of_order = ""
        self._is_closed = False

    async def params(self, described: Described, text: str, *, by: By | None = None) -> Checked:
        """What its schemas have against params as they are typed; ``by``: the only way in which the service has them.

        They are checked as they are given: an object by name, an array by position.
        """
        body = f" {text[1:]}" if text.startswith("\ufeff") else text
        if not (given := body.strip()):
            body = given = "[]"
        way: By = "name" if given.startswith("{") else "position"
        if given[:1] not in {"{", "["}:
            return Checked(why_not="it is neither an array nor an object")
        if by and by != way and given[-1] in {"}", "]"} and not given[1:-1].strip():  # nothing is given either way
            way, body = by, body.translate(_OTHER_BRACKETS)
        if by and by != way:
            return await self._other_way(described, body, by)
        return await self._checked(await self._checkable(described, way), body)

    async def result(self, described: Described, text: str) -> Checked:
        """What its schema has against the text of a result."""
        return await self._checked(await self._checkable(described, None), text)

    async def close(self) -> None:
        """End the process. There are no checks any more."""
        self._is_closed = True
        self._drop()

    def _drop(self) -> None:
        if child := self._child:
            self._child = None
            child.close()

    @property
    def pid(self) -> int | None:
        """Of the process, where one has started."""
        return self._child.pid if self._child else None

    async def _checkable(self, described: Described, by: By | None) -> Checkable:
        use = (id(described), by)
        if use in self._ready:
            self._ready.move_to_end(use)
            return self._ready[use][1]
        steps = checkable_params(described, by) if by else checkable_result(described)
        made = await run_in_turns(steps, SLICE, SLICE)
        self._ready[use] = (described, made)
        while len(self._ready) > KEPT:
            self._ready.popitem(last=False)
        return made

    async def _checked(self, checkable: Checkable, body: str) -> Checked:
        if not checkable.json:
            return Checked(why_not=checkable.why_not)
        answer = await self._answer(checkable, body)
        if answer.why_not:
            return Checked(why_not=answer.why_not)
        found = worded(checkable, body, answer.violations)
        mended = await self._mended(checkable, body, found) if checkable.by else {}
        problems = tuple(replace(each.problem, fix=mended.get(place)) for place, each in enumerate(found))
        return Checked(problems, checkable.why_not, in_part=bool(checkable.why_not))

    async def _mended(self, checkable: Checkable, body: str, found: Sequence[WordedProblem]) -> dict[int, Fix]:
        """Ways to mend the first problems, by their number: each was checked, and there is less wrong after it."""
        mended: dict[int, Fix] = {}
        for place, each in enumerate(found[:MENDED] if len(body) <= LONGEST_MENDED else ()):
            for fix in fixes(body, each):
                answer = await self._answer(checkable, fix.text)
                left = [other.problem for other in worded(checkable, fix.text, answer.violations)]
                if not answer.why_not and _is_better(left, found, each.problem):
                    mended[place] = fix
                    break
        return mended

    async def _other_way(self, described: Described, body: str, by: By) -> Checked:
        """They are given by position to who takes them by name, or the other way round: no more is said of them."""
        fix = by_name(body, described.params) if by == "name" else by_position(body, described.params)
        if fix is not None:
            answer = await self._answer(await self._checkable(described, by), fix.text)
            fix = None if answer.violations or answer.why_not else fix
        words = "by name: write an object" if by == "name" else "by position: write an array"
        start, end = len(body) - len(body.lstrip()), len(body.rstrip())
        line, column = body.count("\n", 0, start) + 1, start - body.rfind("\n", 0, start)
        return Checked((SchemaProblem((), "type", f"it takes its params {words}", start, end, line, column, fix),))

    async def _answer(self, checkable: Checkable, body: str) -> Verdict:
        sent = body.encode("utf-8", "surrogatepass")
        if why_not := self._why_not(checkable, sent):
            return Verdict(why_not=why_not)
        await self._turn.acquire()
        asking = asyncio.ensure_future(self._asked(checkable, sent))
        asking.add_done_callback(lambda _: self._turn.release())
        return await asyncio.shield(asking)

    def _why_not(self, checkable: Checkable, sent: bytes) -> str:
        if len(sent) > LONGEST:
            return f"it is longer than {LONGEST // 1024 // 1024} MiB"
        if self._missed[checkable.key] >= MOST_MISSED:
            return "a check by its schema came to no end before"
        return "the program is ending" if self._is_closed else self._out_of_order

    async def _asked(self, checkable: Checkable, sent: bytes) -> Verdict:
        """One check; whoever waited for it may be gone before it ends, and the next one waits for that."""
        if why_not := self._why_not(checkable, sent):  # what came of those before it
            return Verdict(why_not=why_not)
        if self._child is not None and not self._child.is_alive:  # the system, or somebody, has ended it
            self._drop()
        child = self._child or await self._started()
        if child is None:
            return Verdict(why_not=self._out_of_order or "the process that checks does not start")
        answer = GONE
        try:
            answer = await _in_thread(lambda: child.ask(checkable.key, checkable.json, sent), self._deadline, GONE)
        finally:
            if answer == GONE:  # also where the loop ends before the check does
                self._missed[checkable.key] += 1
                self._drop()
        return answer

    async def _started(self) -> Child | None:
        try:
            child = Child(self._program)
        except (OSError, ValueError) as error:
            self._out_of_order = f"the process that checks does not start: {error}"
            return None
        greeting = GONE
        try:
            greeting = await _in_thread(child.greeting, STARTING, GONE)
        finally:
            if not greeting.ready or self._is_closed:
                child.close()
        if not greeting.ready:
            self._failed_starts += 1
            if greeting != GONE:
                self._out_of_order = greeting.why_not
            elif self._failed_starts >= MOST_STARTS:
                self._out_of_order = "the process that checks does not start"
        if not greeting.ready or self._is_closed:
            return None
        self._failed_starts, self._child = 0, child
        return child


def _is_better(left: Sequence[SchemaProblem], found: Sequence[WordedProblem], mended: SchemaProblem) -> bool:
    """Whether less is wrong. What turns out to be wrong under a name that is mended was not seen before."""
    is_gone = all(
        each.pointer != mended.pointer or (not each.pointer and each.sentence != mended.sentence) for each in left
    )  # what is put in has to be right at its place
    is_name = mended.keyword == "additionalProperties"
    return is_gone and (len(left) < len(found) + is_name or len(found) == MOST_TOLD)


async def _in_thread(work: Callable[[], T], seconds: float, late: T) -> T:
    """What comes of work that blocks, if it comes in time; else it is for whoever wanted it to end it."""
    loop, came = asyncio.get_running_loop(), asyncio.Event()
    found: list[T] = []

    def run() -> None:
        found.append(work())
        try:
            loop.call_soon_threadsafe(came.set)
        except RuntimeError:  # the loop is closed
            return

    Thread(target=run, daemon=True).start()
    try:
        async with asyncio.timeout(seconds):
            await came.wait()
    except TimeoutError:
        return late
    return found[0]
