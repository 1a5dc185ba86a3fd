"""Whether a response meets the expectations of its call."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from rpcexplorer.checks.jq_process import JqProcess
from rpcexplorer.compare.compare import ComparedPlace, Comparison, Difference, compared_texts
from rpcexplorer.files.io import FileError, read_bytes, refuse_links
from rpcexplorer.jsontext.pointers import PointerLookup
from rpcexplorer.jsontext.steps import run_in_turns
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.expectation import SERVICE, Expectation, SchemaFile
from rpcexplorer.model.method import Described
from rpcexplorer.model.problem import Checked, counted, cut
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.schema.check import Checker
from rpcexplorer.text.exchange import outcome_words
from rpcexplorer.text.problems import path

MAX_SHOWN: Final = 5
"""Differences and problems of one expectation that are reported."""
MAX_SCHEMA_BYTES: Final = 8 * 1024 * 1024
ABSENT: Final = "nothing"
NO_PLACE: Final = "nothing: the result has no such place"


class Failure(Struct, frozen=True):
    """An expectation that was not met."""

    place: str
    """A JSON pointer into the result, or the key of the expectation."""
    wanted: str
    """Empty if ``got`` is a sentence that says it all."""
    got: str

    def words(self, longest: int) -> str:
        """Return one sentence; longer values are cut."""
        got = cut(self.got, longest)
        if not self.wanted:
            return f"{self.place}: {got}"
        return f"{self.place}: expected {cut(self.wanted, longest)}, got {got}"


class Judge:
    """Judges one response after the other; its processes start when needed."""

    def __init__(self, checker: Checker) -> None:
        self._checker, self._jq = checker, JqProcess()

    async def close(self) -> None:
        await self._jq.close()

    async def failures(
        self, expect: Expectation, exchange: Exchange, described: Described | None = None, ignore: Sequence[str] = ()
    ) -> list[Failure]:
        """Return the expectations that a response does not meet.

        ``described`` is the method for ``schema = "service"``, ``ignore`` has the pointers to places that may differ.
        """
        outcome = exchange.outcome
        if exchange.counts_as != expect.outcome:
            return [Failure("outcome", expect.outcome, outcome_words(outcome))]
        failures = []
        code = None
        if isinstance(outcome, ErrorObject):
            code = outcome.code
        if expect.code is not None and expect.code != code:
            failures.append(Failure("code", str(expect.code), outcome_words(outcome).removeprefix("error ")))
        if isinstance(outcome, Result) and expect.outcome == "result":
            failures += [failure async for failure in self._of_result(expect, outcome.value, described, ignore)]
        milliseconds = exchange.response.phases.total * 1000
        if expect.within is not None and milliseconds > expect.within:
            failures.append(Failure("within", f"{expect.within:g} ms", f"{milliseconds:.0f} ms"))
        return failures

    async def _of_result(
        self, expect: Expectation, result: bytes, described: Described | None, ignore: Sequence[str]
    ) -> AsyncIterator[Failure]:
        text = result.decode("utf-8", "surrogateescape")
        values = PointerLookup(text)
        for pointer, wanted in expect.values:
            got = values.at(pointer)
            place = pointer or "result"
            if got is None:
                yield Failure(place, wanted, NO_PLACE)
            elif await differs(wanted, got):
                yield Failure(place, wanted, got)
        if expect.result_json:
            wanted_text = expect.result_json.encode("utf-8", "surrogateescape")
            comparison = await run_in_turns(compared_texts(wanted_text, result, ignore))
            for failure in _differences(comparison):
                yield failure
        if expect.schema or expect.schema_file:
            for failure in _schema_failures(await self._checked(expect, text, described)):
                yield failure
        for expression in expect.jq:
            got = await self._jq.run(expression, result)
            if got != "true":
                yield Failure(f"jq {expression}", "true", got or ABSENT)

    async def _checked(self, expect: Expectation, text: str, described: Described | None) -> Checked:
        if expect.schema == SERVICE:
            if described is None:
                return Checked(why_not="the methods of the server are not known. Run `rpcexplorer methods --refresh`")
            return await self._checker.result(described, text)
        if expect.schema_file is None:
            return await self._checker.own(expect.schema, text)
        try:
            schema = _read_schema(expect.schema_file)
        except FileError as error:
            # As in the check, the file is named from this folder on.
            folder = f"{expect.schema_file.inside}{os.sep}"
            return Checked(why_not=error.sentence.replace(folder, ""))
        return await self._checker.own(schema, text)


async def differs(wanted: str, got: str) -> bool:
    """Return whether two JSON texts differ as values, whatever their spelling."""
    if wanted == got:
        return False
    left = wanted.encode("utf-8", "surrogateescape")
    right = got.encode("utf-8", "surrogateescape")
    comparison = await run_in_turns(compared_texts(left, right))
    if comparison.verdict == "not comparable":
        return True
    found = [*comparison.differences, *comparison.passed]
    return any(difference.kind != "spelling" for difference in found)


def _differences(comparison: Comparison) -> list[Failure]:
    """Return the differences between the expected result and the response."""
    if comparison.verdict == "not comparable":
        return [Failure("result_json", "", comparison.why)]
    # A redacted secret is not compared, so it cannot meet an expectation.
    hidden = [place for place in comparison.passed if place.kind == "hidden"]
    found = [*comparison.differences, *hidden]
    failures = [_difference_failure(comparison, difference) for difference in found[:MAX_SHOWN]]
    if len(found) > MAX_SHOWN:
        failures.append(Failure("result_json", "", counted(len(found) - MAX_SHOWN, "more difference")))
    return failures


def _difference_failure(comparison: Comparison, difference: Difference) -> Failure:
    pointer = ""
    if place := difference.right or difference.left:
        pointer = place.pointer
    wanted = _text_at(comparison.left, difference.left)
    got = _text_at(comparison.right, difference.right)
    return Failure(pointer or "result", wanted, got)


def _text_at(text: bytes, place: ComparedPlace | None) -> str:
    if place is None:
        return ABSENT
    return text[place.start : place.end].decode("utf-8", "replace")


def _schema_failures(checked: Checked) -> list[Failure]:
    failures = []
    for problem in checked.problems[:MAX_SHOWN]:
        place = f"schema {path(problem.pointer)}".rstrip()
        failures.append(Failure(place, "", problem.sentence))
    if len(checked.problems) > MAX_SHOWN:
        failures.append(Failure("schema", "", counted(len(checked.problems) - MAX_SHOWN, "more problem")))
    if checked.why_not and not failures:
        failures.append(Failure("schema", "", f"not checked: {checked.why_not}"))
    return failures


def _read_schema(file: SchemaFile) -> str:
    """Return a schema that a file names; others may have written that file."""
    path = Path(file.path)
    refuse_links(path.parent, Path(file.inside))
    content = read_bytes(path, MAX_SCHEMA_BYTES, others=True)
    if content is None:
        raise FileError(f"there is no file {file.name}")
    return content.decode("utf-8", "replace")
