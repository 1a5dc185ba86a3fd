"""Hostile schemas against the real process: there is always an answer."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rpcexplorer.model.method import Described, DescribedParam
from rpcexplorer.model.problem import Checked
from rpcexplorer.schema.check import PROGRAM, Checker
from tests.schema.test_check import doubling


def nested(levels: int, key: str) -> Any:
    schema: Any = {"type": "string"}
    for _ in range(levels):
        schema = {"properties": {"a": schema}} if key == "properties" else {key: schema}
    return schema


RECURSIVE = {"N": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "N"}}, {"items": {"$ref": "N"}}]}}
COUNT = 10_000
HOSTILE: dict[str, tuple[Any, dict[str, Any], str]] = {
    "alternatives that call themselves": ({"$ref": "N"}, RECURSIVE, "[" * 25 + "1" + "]" * 25),
    "a schema 400 deep": (nested(400, "properties"), {}, '{"a": ' * 900 + "1" + "}" * 900),
    "not, 400 deep": (nested(400, "not"), {}, "1"),
    "a text 900 deep": ({"$ref": "N"}, {"N": {"type": "array", "items": {"$ref": "N"}}}, "[" * 900 + "]" * 900),
    "references in a circle": ({"$ref": "0"}, {str(at): {"$ref": str((at + 1) % COUNT)} for at in range(COUNT)}, "1"),
    "a net of references": (
        {"$ref": "0"},
        {str(at): {"anyOf": [{"$ref": str((at * 7 + by) % COUNT)} for by in range(3)]} for at in range(COUNT)},
        "1",
    ),
    "each twice": ({"uniqueItems": True}, {}, json.dumps([[number] for number in range(100_000)])),
    "members without number": (
        {"properties": {str(number): {"type": "string"} for number in range(15_000)}},
        {},
        json.dumps(dict.fromkeys(map(str, range(15_000)), 1)),
    ),
    "patterns that explode": (
        {"patternProperties": {f"^(a+)+{number}$": {"type": "string"} for number in range(300)}},
        {},
        json.dumps({"a" * 20_000 + "!": 1}),
    ),
    "patterns that look back": (
        {"items": {"pattern": r"^(a|a)*\1(a+)+(?=c)$"}},
        {},
        json.dumps(["a" * 400 + "!"] * 2_000),
    ),
    "numbers without end": ({"multipleOf": 1e-300, "maximum": 10**3_000, "type": "integer"}, {}, "1e999999999"),
    "all of many": ({"allOf": [{"$ref": "X"}] * 3_000}, {"X": {"allOf": [{"type": "string"}] * 3_000}}, "1"),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_schema_does_not_affect_later_checks(name: str) -> None:
    schema, known, text = HOSTILE[name]
    hostile = Described((DescribedParam("a", schema),), definitions=known)
    harmless = Described((DescribedParam("a", {"type": "string"}),))

    async def run() -> tuple[Checked, Checked]:
        checker = Checker(deadline=0.5)
        try:
            first = await checker.params(hostile, f'{{"a": {text}}}')
            return first, await checker.params(harmless, '{"a": 1}')
        finally:
            await checker.close()

    first, after = asyncio.run(run())
    assert len(first.problems) <= 50
    assert [problem.sentence for problem in after.problems] == ["a must be a string, not a number"]


@pytest.mark.thorough
def test_check_ends_by_itself_without_its_program() -> None:
    with subprocess.Popen((*PROGRAM, "0.2"), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        lines = map(msgspec.json.encode, (doubling(), ('{"a": 1}', "params", None)))
        assert process.communicate(b"\n".join([*lines, b""]))[0].count(b"\n") == 1
        assert process.returncode == 1


@pytest.mark.thorough
def test_process_ends_when_the_program_is_killed() -> None:
    """Reading from the pipe ends when both processes have closed it."""
    script = (
        "import os, sys, asyncio\n"
        "from rpcexplorer import child_process\n"
        "from rpcexplorer.model.method import Described\n"
        "from rpcexplorer.schema import check\n"
        "old = child_process.subprocess.Popen\n"
        "child_process.subprocess.Popen = lambda *a, **k: old(*a, **k, pass_fds=(1,))\n"
        "checker = check.Checker()\n"
        "assert asyncio.run(checker.params(Described(extra=False), '[]')).is_right\n"
        "os.write(1, b'ready')\n"
        "sys.stdin.read()\n"
    )
    top = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=top
    ) as program:
        assert program.stdout is not None
        assert program.stdout.read(5) == b"ready"
        program.kill()
        assert program.stdout.read() == b""


@pytest.mark.thorough
def test_process_writes_only_answers_and_has_limited_memory() -> None:
    with subprocess.Popen(PROGRAM, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"ready\n"
        limits = Path(f"/proc/{process.pid}/limits")
        if limits.exists():
            assert "Max address space         1073741824" in limits.read_text()
            assert "Max core file size        0 " in limits.read_text()
        process.stdin.write(b"[\n\n")
        process.stdin.close()
        assert b"why_not" in process.stdout.read()
        assert process.stderr.read() == b""
        assert process.wait() == 0
