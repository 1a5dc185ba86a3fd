"""Results of checks as lines, TAP, JSON, JUnit and GitHub annotations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from rpcexplorer.checks.judge import Failure
from rpcexplorer.checks.run import CheckResult, CheckVerdict
from rpcexplorer.model.problem import counted, cut
from rpcexplorer.text.exchange import duration
from rpcexplorer.text.json_text import painted
from rpcexplorer.text.printable import printable

SIGNS: Final[dict[CheckVerdict, str]] = {"passed": "✓", "failed": "✗", "error": "⨯"}  # noqa: RUF001 - the sign is meant
KINDS_OF_ERRORS: Final = {3: "credentials", 4: "no response", 5: "malformed response"}
"""The types of JUnit errors by exit code; all others are calls that were not sent."""
MAX_LINE_CHARACTERS: Final = 200
"""Limit of a value in a line for people; files have up to ``MAX_VALUE_CHARACTERS``."""
MAX_VALUE_CHARACTERS: Final = 2_000


def lines_of(result: CheckResult, *, colour: bool = False) -> Iterator[str]:
    """Yield the line of a result, and one for each expectation that failed."""
    took = f"  {duration(result.seconds)}" if result.id else ""
    sign = (SIGNS[result.verdict], "well" if result.verdict == "passed" else "wrong")
    yield painted([sign, (f" {printable(result.check.call.name)}", "text"), (took, "dim")], colour=colour)
    yield from (f"    {line}" for line in reasons(result, MAX_LINE_CHARACTERS))


def reasons(result: CheckResult, longest: int = MAX_VALUE_CHARACTERS) -> list[str]:
    """Return why a check did not pass, each on one line."""
    if result.error:
        return [printable(result.error)]
    return [printable(failure.words(longest)) for failure in result.failures]


def summary(results: Sequence[CheckResult], planned: int) -> str:
    verdicts = Counter(result.verdict for result in results)
    parts = [f"{verdicts['passed']:,} passed"]
    if verdicts["failed"]:
        parts.append(f"{verdicts['failed']:,} failed")
    if verdicts["error"]:
        parts.append(f"{verdicts['error']:,} without a valid response")
    if planned > len(results):
        parts.append(f"{planned - len(results):,} not finished")
    return f"{counted(planned, 'check')}: {', '.join(parts)}"


def row_of(result: CheckResult) -> dict[str, Any]:
    """Return a result as an object of ``--json``."""
    call = result.check.call
    return {
        "name": printable(call.name),
        "profile": result.check.profile.name,
        "method": printable(call.method),
        "file": printable(call.file),
        "line": call.line,
        "verdict": result.verdict,
        "id": result.id or None,
        "ms": round(result.seconds * 1000, 3),
        "failures": [_row_of_failure(failure) for failure in result.failures],
        "error": printable(result.error),
    }


def _row_of_failure(failure: Failure) -> dict[str, str]:
    values = {"place": failure.place, "wanted": failure.wanted, "got": failure.got}
    return {key: printable(cut(value, MAX_VALUE_CHARACTERS)) for key, value in values.items()}


def tap(result: CheckResult, number: int) -> Iterator[str]:
    """Yield the lines of a result in TAP version 14."""
    yield f"{'ok' if result.verdict == 'passed' else 'not ok'} {number} - {_tap_name(result.check.call.name)}"
    yield from (f"# {line}" for line in reasons(result))


def tap_of_skipped(name: str, why: str, number: int) -> str:
    return f"ok {number} - {_tap_name(name)} # SKIP {printable(why)}"


def _tap_name(name: str) -> str:
    return printable(name).replace("\\", "\\\\").replace("#", "\\#")


def github_lines(results: Iterable[CheckResult], folder: Path) -> Iterator[str]:
    """Yield the workflow commands that mark failed checks on GitHub.

    ``folder`` is the checkout: GitHub knows files by their path in it.
    """
    for result in results:
        if result.verdict != "passed":
            place = ""
            if result.check.call.file:
                place = f"file={_property(printable(_file_of(result, folder)))},line={result.check.call.line or 1},"
            title = _property(f"check {printable(result.check.call.name)}")
            yield f"::error {place}title={title}::{_escaped(chr(10).join(reasons(result)))}"


def _escaped(text: str) -> str:
    text = text.replace("##[", "# #[")  # An older form of a command, which GitHub finds anywhere in a line.
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


def _file_of(result: CheckResult, folder: Path) -> str:
    """Return the file of a check, relative to a folder if it is inside."""
    file = Path(result.check.call.file)
    return str(file.relative_to(folder)) if file.is_relative_to(folder) else str(file)


def junit(results: Sequence[CheckResult], started: datetime, folder: Path) -> str:
    """Return the results as JUnit XML, a suite for each profile.

    This is the form that the schemas of Jenkins and Ant both accept: `testsuites` has no attributes, `testcase` neither
    file nor line, and the order of the elements is fixed.
    """
    by_profile: dict[str, list[CheckResult]] = {}
    for result in results:
        by_profile.setdefault(result.check.profile.name, []).append(result)
    suites = enumerate(sorted(by_profile.items()))
    return _document([_suite(number, name, group, started, folder) for number, (name, group) in suites])


def _document(suites: Sequence[str]) -> str:
    return "\n".join(["<?xml version='1.0' encoding='UTF-8'?>", "<testsuites>", *suites, "</testsuites>", ""])


def junit_of_problem(sentence: str, started: datetime) -> str:
    """Return JUnit XML for checks that could not start, with the reason as its only error."""
    case = {"name": "check", "classname": "rpcexplorer", "time": "0.000"}
    error = {"type": "not started", "message": printable(sentence.partition("\n")[0])}
    lines = [f"<testcase{_attributes(case)}>", f"<error{_attributes(error)}>{_xml(sentence)}</error>", "</testcase>"]
    return _document([_suite_of(0, "rpcexplorer", lines, Counter({"error": 1}), seconds=0.0, started=started)])


def _suite(number: int, name: str, results: Sequence[CheckResult], started: datetime, folder: Path) -> str:
    verdicts = Counter(result.verdict for result in results)
    cases = [_case(result, name, folder) for result in results]
    seconds = sum(result.seconds for result in results)
    return _suite_of(number, name, cases, verdicts, seconds=seconds, started=started)


def _suite_of(
    number: int, name: str, cases: Sequence[str], verdicts: Counter[CheckVerdict], *, seconds: float, started: datetime
) -> str:
    attributes = {
        "name": name,
        "package": "rpcexplorer",
        "id": number,
        "tests": verdicts.total(),
        "failures": verdicts["failed"],
        "errors": verdicts["error"],
        "skipped": 0,
        "time": f"{seconds:.3f}",
        "timestamp": f"{started.astimezone(UTC):%Y-%m-%dT%H:%M:%S}",
        "hostname": "localhost",
    }
    return "\n".join([
        f"<testsuite{_attributes(attributes)}>", "<properties/>", *cases, "<system-out/>", "<system-err/>",
        "</testsuite>",
    ])  # fmt: skip


def _case(result: CheckResult, suite: str, folder: Path) -> str:
    call = result.check.call
    attributes = {"name": printable(call.name), "classname": f"rpcexplorer.{suite}", "time": f"{result.seconds:.3f}"}
    if result.verdict == "passed":
        return f"<testcase{_attributes(attributes)}/>"
    element, kind = "failure", "expectation"
    if result.error:
        element, kind = "error", KINDS_OF_ERRORS.get(result.code, "not sent")
    lines = reasons(result)
    place = [f"{_file_of(result, folder)}:{call.line or 1}"] if call.file else []
    text = "\n".join([*place, *lines])
    inside = f"<{element}{_attributes({'type': kind, 'message': lines[0]})}>{_xml(text)}</{element}>"
    return f"<testcase{_attributes(attributes)}>\n{inside}\n</testcase>"


def _attributes(values: dict[str, Any]) -> str:
    return "".join(f' {name}="{_xml(str(value))}"' for name, value in values.items())


def _xml(text: str) -> str:
    """Escape a text for XML 1.0, which has no control characters at all."""
    shown = printable(text, lines=True)
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        shown = shown.replace(sign, entity)
    return shown
