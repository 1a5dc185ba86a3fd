"""The files and lines that other programs read: JUnit, TAP, JSON, GitHub."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Final

import junitparser
import msgspec
import pytest
from lxml import etree

from rpcexplorer.checks.judge import Failure
from rpcexplorer.checks.report import (
    MAX_VALUE_CHARACTERS,
    github_lines,
    junit,
    junit_of_problem,
    lines_of,
    reasons,
    row_of,
    summary,
    tap,
)
from rpcexplorer.checks.run import Check, CheckResult
from rpcexplorer.model.expectation import Expectation
from rpcexplorer.model.method import SavedCall
from rpcexplorer.model.profile import Profile

FOLDER: Final = Path("/ada/work")
STARTED: Final = datetime(2026, 11, 23, 1, 30, tzinfo=timezone(timedelta(hours=2)))
AWKWARD: Final = "a\x00\x1b[31m]]>&<b>\"'\\😀\ud800\u202e\uffff\r\n100%, #1: "
VISIBLE: Final = "a␀␛[31m]]>&<b>\"'\\😀\\ud800\\u202e\\uffff␍␊100%, #1: "


def check(name: str, profile: str = "shop", file: str = "/ada/work/sessions.toml") -> Check:
    call = SavedCall(name, "m", file=file, line=7)
    return Check(call, Expectation(), Profile(profile, "http://127.0.0.1"))


RESULTS: Final = (
    CheckResult(check("passed"), seconds=0.5, id="1"),
    CheckResult(
        check(AWKWARD, "rest", "/ada/a,b:c%\x1b.toml"), (Failure("/n", AWKWARD, AWKWARD),), seconds=1234.5, id="2"
    ),
    CheckResult(check("two\\#"), (Failure("code", "1", "2"), Failure("within", "", AWKWARD)), id="3"),
    CheckResult(check("down"), error=AWKWARD, code=4, id="4"),
    CheckResult(check("login", "rest"), error="no password", code=3),
    CheckResult(check("variable"), error="no value for {{n}}", code=2),
)

SCHEMA: Final = """\
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:simpleType name="text"><xs:restriction base="xs:string">
    <xs:minLength value="1"/><xs:whiteSpace value="preserve"/>
  </xs:restriction></xs:simpleType>
  <xs:simpleType name="seconds"><xs:restriction base="xs:string"><xs:pattern value="\\d+\\.\\d{3}"/></xs:restriction>
  </xs:simpleType>
  <xs:simpleType name="time"><xs:restriction base="xs:dateTime">
    <xs:pattern value="\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d"/>
  </xs:restriction></xs:simpleType>
  <xs:simpleType name="nothing"><xs:restriction base="xs:string"><xs:length value="0"/></xs:restriction></xs:simpleType>
  <xs:complexType name="reason"><xs:simpleContent><xs:extension base="text">
    <xs:attribute name="type" type="text" use="required"/>
    <xs:attribute name="message" type="text" use="required"/>
  </xs:extension></xs:simpleContent></xs:complexType>
  <xs:complexType name="case">
    <xs:choice minOccurs="0">
      <xs:element name="failure" type="reason"/>
      <xs:element name="error" type="reason"/>
    </xs:choice>
    <xs:attribute name="name" type="text" use="required"/>
    <xs:attribute name="classname" type="text" use="required"/>
    <xs:attribute name="time" type="seconds" use="required"/>
  </xs:complexType>
  <xs:complexType name="suite">
    <xs:sequence>
      <xs:element name="properties" type="nothing"/>
      <xs:element name="testcase" type="case" maxOccurs="unbounded"/>
      <xs:element name="system-out" type="nothing"/>
      <xs:element name="system-err" type="nothing"/>
    </xs:sequence>
    <xs:attribute name="name" type="text" use="required"/>
    <xs:attribute name="package" type="text" use="required"/>
    <xs:attribute name="id" type="xs:nonNegativeInteger" use="required"/>
    <xs:attribute name="tests" type="xs:positiveInteger" use="required"/>
    <xs:attribute name="failures" type="xs:nonNegativeInteger" use="required"/>
    <xs:attribute name="errors" type="xs:nonNegativeInteger" use="required"/>
    <xs:attribute name="skipped" type="xs:nonNegativeInteger" use="required"/>
    <xs:attribute name="time" type="seconds" use="required"/>
    <xs:attribute name="timestamp" type="time" use="required"/>
    <xs:attribute name="hostname" type="text" use="required"/>
  </xs:complexType>
  <xs:element name="testsuites"><xs:complexType><xs:sequence>
    <xs:element name="testsuite" type="suite" minOccurs="0" maxOccurs="unbounded"/>
  </xs:sequence></xs:complexType>
    <xs:unique name="ids"><xs:selector xpath="testsuite"/><xs:field xpath="@id"/></xs:unique>
  </xs:element>
</xs:schema>
"""
"""The common part of the schemas of Jenkins' xUnit plugin and of Ant.

Jenkins has no file and line of a case, and at most three decimals in a time of a suite. Ant needs an order of the
elements, every attribute here but ``skipped`` and ``message``, and a timestamp without an offset.
"""


def report(results: Sequence[CheckResult] = RESULTS) -> bytes:
    return junit(results, STARTED, FOLDER).encode()


@pytest.mark.parametrize("results", [RESULTS, RESULTS[:1], ()], ids=["mixed", "one", "none"])
def test_junit_of_any_results_matches_schema(results: Sequence[CheckResult]) -> None:
    schema = etree.XMLSchema(etree.fromstring(SCHEMA))
    schema.assertValid(etree.fromstring(report(results)))


def test_junit_of_problem_has_one_error() -> None:
    text = junit_of_problem('a.toml:3: <b> & "x" \x1b[2J\nsecond line', STARTED).encode()
    etree.XMLSchema(etree.fromstring(SCHEMA)).assertValid(etree.fromstring(text))
    ((case,),) = junitparser.JUnitXml.fromstring(text)
    (error,) = case.result
    message = 'a.toml:3: <b> & "x" ␛[2J'
    assert (type(error).__name__, error.message, error.text) == ("Error", message, f"{message}\nsecond line")


def test_junit_parser_reads_counts_and_messages() -> None:
    rest, shop = junitparser.JUnitXml.fromstring(report())
    assert [(one.name, one.tests, one.failures, one.errors, one.skipped) for one in (rest, shop)] == [
        ("rest", 2, 1, 1, 0),
        ("shop", 4, 1, 2, 0),
    ]
    assert (rest.time, rest.timestamp) == (1234.5, "2026-11-22T23:30:00")
    found = [
        (case.name, [(type(one).__name__, one.type, one.message) for one in case.result]) for case in [*rest, *shop]
    ]
    assert found == [
        (VISIBLE, [("Failure", "expectation", f"/n: expected {VISIBLE}, got {VISIBLE}")]),
        ("login", [("Error", "credentials", "no password")]),
        ("passed", []),
        ("two\\#", [("Failure", "expectation", "code: expected 1, got 2")]),
        ("down", [("Error", "no response", VISIBLE)]),
        ("variable", [("Error", "not sent", "no value for {{n}}")]),
    ]
    texts = [one.text for case in [*rest, *shop] for one in case.result]
    assert texts[0] == f"/ada/a,b:c%␛.toml:7\n/n: expected {VISIBLE}, got {VISIBLE}"
    assert texts[2] == f"sessions.toml:7\ncode: expected 1, got 2\nwithin: {VISIBLE}"


def test_github_annotation_decodes_to_file_and_reasons() -> None:
    lines = list(github_lines(RESULTS, FOLDER))
    assert lines[1] == "::error file=sessions.toml,line=7,title=check two\\#::code: expected 1, got 2%0Awithin: " + (
        VISIBLE.replace("%", "%25")
    )
    assert annotation(lines[0]) == (
        {"file": "/ada/a,b:c%␛.toml", "line": "7", "title": f"check {VISIBLE}"},
        f"/n: expected {VISIBLE}, got {VISIBLE}",
    )
    assert len(lines) == 5, "none for a check that passed"


def annotation(line: str) -> tuple[dict[str, str], str]:
    """Read a line as GitHub's runner does."""
    _, command, text = line.split("::", 2)
    assert ":" not in command
    pairs = (pair.split("=", 1) for pair in command.removeprefix("error ").split(","))
    return {key: decoded(value) for key, value in pairs}, decoded(text)


def decoded(text: str) -> str:
    for code, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, char)
    return text


TEST_POINT: Final = re.compile(r"(not )?ok (\d+) - ((?:\\[\\#]|[^\\#])*)")
"""A test point of TAP 14 without a directive: ``#`` and ``\\`` are escaped."""


def test_tap_is_read_as_results_and_comments() -> None:
    lines = [line for number, result in enumerate(RESULTS, 1) for line in tap(result, number)]
    points = [found for line in lines if (found := TEST_POINT.fullmatch(line))]
    assert [(found[1], found[2]) for found in points] == [(None, "1"), *(("not ", str(at)) for at in range(2, 7))]
    names = [re.sub(r"\\(.)", r"\1", found[3]) for found in points]
    assert names == ["passed", VISIBLE, "two\\#", "down", "login", "variable"]
    comments = [line.strip() for line in lines if line not in {found[0] for found in points}]
    assert comments[1:3] == ["# code: expected 1, got 2", f"# within: {VISIBLE}".strip()]
    assert all(line.startswith("# ") and "\n" not in line for line in comments)


def test_rows_of_json_have_verdict_and_failures() -> None:
    rows = [json.loads(msgspec.json.encode(row_of(result))) for result in RESULTS]
    assert rows[2] == {
        "name": "two\\#",
        "profile": "shop",
        "method": "m",
        "file": "/ada/work/sessions.toml",
        "line": 7,
        "verdict": "failed",
        "id": "3",
        "ms": 0.0,
        "failures": [
            {"place": "code", "wanted": "1", "got": "2"},
            {"place": "within", "wanted": "", "got": VISIBLE},
        ],
        "error": "",
    }
    assert [(row["verdict"], row["id"], row["error"]) for row in rows[3:5]] == [
        ("error", "4", VISIBLE),
        ("error", None, "no password"),
    ]


def test_lines_and_summary_count_each_verdict() -> None:
    lines = [list(lines_of(result)) for result in RESULTS]
    assert lines[0] == ["✓ passed  500 ms"]
    assert lines[1] == [f"✗ {VISIBLE}  20 min 34 s", f"    /n: expected {VISIBLE}, got {VISIBLE}"]
    assert lines[4] == ["⨯ login", "    no password"], "no time: nothing was sent"  # noqa: RUF001 - the sign is meant
    assert summary(RESULTS, 8) == "8 checks: 1 passed, 2 failed, 3 without a valid response, 2 not finished"
    assert summary(RESULTS[:1], 1) == "1 check: 1 passed"


def test_long_values_are_cut_in_every_report() -> None:
    long = CheckResult(check("long"), (Failure("/n", "w" * 9_000, "g" * 9_000),))
    assert [len(reason) for reason in reasons(long)] == [len("/n: expected , got ") + 2 * MAX_VALUE_CHARACTERS]
    assert [len(row_of(long)["failures"][0][side]) for side in ("wanted", "got")] == [MAX_VALUE_CHARACTERS] * 2
    assert len("".join(lines_of(long))) < 500
