"""Tests of jq on a response, as a function and as a process."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.text import jq
from rpcexplorer.text.jq import SENTENCE_LIMIT, FilterProblem, Yield, asked, filtered
from rpcexplorer.text.printable import printable

COMMAND = [sys.executable, "-m", "rpcexplorer.text.jq"]
REPLY = b'{"items": [{"id": 7, "name": "Ada"}, {"id": 8, "name": "Bo"}], "page": 1.10}'


@pytest.mark.parametrize(
    ("expression", "text", "count"),
    [
        (".items[].name", '"Ada"\n"Bo"\n', 2),
        (".items[0]", '{\n  "id": 7,\n  "name": "Ada"\n}\n', 1),
        ("empty", "", 0),
        (".items | length # how many", "2\n", 1),
        ("def f: .page; f", "1.10\n", 1),
        (".items[1] | del(.id), .id", '{\n  "name": "Bo"\n}\n8\n', 2),
    ],
)
def test_each_result_is_indented_on_its_own(expression: str, text: str, count: int) -> None:
    assert filtered(expression, REPLY) == Yield(text.encode(), count)


def test_unchanged_numbers_keep_their_digits() -> None:
    assert filtered(".[]", b"[12345678901234567890123, 1.10, -0]") == Yield(b"12345678901234567890123\n1.10\n-0\n", 3)


@pytest.mark.parametrize(
    ("expression", "sentence"),
    [
        ("", 'jq: the expression is empty ("." is the whole response)'),
        (".items[", "jq: unexpected end of the expression at column 7"),
        (".items | %", "jq: unexpected '%' at column 10"),
        ('"a', "jq: unexpected end of the expression at column 2"),
        (".a)|(.b", "jq: unexpected character at column 3"),
        (".page |\n nope", "jq: nope/0 is not defined at line 2, column 2"),
        (".items.name", 'jq: cannot index an array with "name"'),
        (".page.x", 'jq: cannot index a number with "x"'),
        (".[0]", "jq: cannot index an object with 0"),
        (".page[]", "jq: cannot iterate over number (1.10)"),
        ('error("two\\nlines \\u001b[31m")', "jq: two lines ␛[31m"),
        ("\ud800", "jq: the expression contains an invalid character"),
    ],
)
def test_problem_of_expression_is_one_line(expression: str, sentence: str) -> None:
    assert filtered(expression, REPLY) == FilterProblem(sentence)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b'{"a": ', "Unfinished JSON"),
        (b'"\\ud800"', "surrogate"),
        (b"[" * 20_000 + b"]" * 20_000, "depth limit"),
        (b"\xff\xfe[\x00", "not UTF-8"),
    ],
)
def test_unreadable_response_is_reported(body: bytes, why: str) -> None:
    problem = filtered(".", body)
    assert isinstance(problem, FilterProblem)
    assert problem.sentence.startswith("jq: cannot read the response: ")
    assert why in problem.sentence


def test_deeply_nested_response_passes() -> None:
    body = b"[" * 1_100 + b"]" * 1_100
    deep = filtered(".", body)
    assert isinstance(deep, Yield)
    assert b"".join(deep.text.split()) == body


def test_endless_results_are_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jq, "OUTPUT_LIMIT", 1_000)
    problem = filtered("repeat(1)", b"null")
    assert problem == FilterProblem("jq: the results are longer than 1,000 characters. Use first(…).")


@given(st.text(st.sampled_from('.[]{}()"|,: $@?a1\n\x00\x1b\ud800\u202e#\\'), max_size=12), st.binary(max_size=8))
def test_every_problem_is_one_printable_line(expression: str, body: bytes) -> None:
    outcome = filtered(expression, body)
    if isinstance(outcome, FilterProblem):
        assert outcome.sentence == printable(outcome.sentence)
        assert len(outcome.sentence) <= SENTENCE_LIMIT + len("jq: ")


def test_missing_jq_package_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jq, "find_spec", lambda _: None)
    assert "not installed" in str(filtered(".", b"1"))


def test_process_writes_results_to_stdout() -> None:
    ran = subprocess.run(COMMAND, input=asked(".items[].id", REPLY), capture_output=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"7\n8\n", b"")


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        (".", "jq: cannot read"),
        (".[", "jq: unexpected end"),
        ("\0", "jq: "),
        ("\ud800", "jq: the expression contains an invalid character"),
        ("[" * 200_000, "jq: "),
    ],
    ids=["reply", "expression", "NUL", "an invalid character", "long"],
)
def test_process_writes_one_line_problem_to_stderr(expression: str, problem: str) -> None:
    ran = subprocess.run(COMMAND, input=asked(expression, b'{"a"'), capture_output=True, check=False)
    assert (ran.returncode, ran.stdout) == (1, b"")
    assert ran.stderr.decode().startswith(problem)
    assert ran.stderr.count(b"\n") == 1


def test_process_is_killable_during_an_endless_expression() -> None:
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(
            asked("def f: f; f", b"[" + b" " * 1_000_000 + b"]")
        )  # more than the pipe holds, so the process must be reading
        process.stdin.close()
        assert process.poll() is None
        process.kill()
        assert process.stdout.read() == b""
    assert process.returncode == -signal.SIGKILL


def test_process_imports_few_modules() -> None:
    code = "import sys, rpcexplorer.text.jq; print(*sorted(m for m in sys.modules if m.startswith(('rpc', 'jq'))))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    wings = {name.split(".")[1] for name in loaded if "." in name}
    assert "jq" not in loaded
    assert wings == {"text", "jsontext", "patterns"}
