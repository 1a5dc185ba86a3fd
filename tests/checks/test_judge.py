"""One response, and what a saved call expects of it."""

from __future__ import annotations

import asyncio
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from rpcexplorer.checks.jq_process import TOO_LONG, JqProcess
from rpcexplorer.checks.judge import Judge
from rpcexplorer.model.exchange import Exchange, Outcome, Sent
from rpcexplorer.model.expectation import Expectation, SchemaFile
from rpcexplorer.model.method import Described
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.schema.check import Checker
from rpcexplorer.transport.port import Phases, Response

NOT_FOUND = ErrorObject(-32601, "Method not found", None, b"{}")


def failures(
    response: Outcome | bytes, /, *, ignore: tuple[str, ...] = (), described: Any = None, **expected: Any
) -> str:
    """Judge a response; return the expectations that failed, each on a line."""

    async def run() -> str:
        checker = Checker()
        judge = Judge(checker)
        try:
            found = await judge.failures(Expectation(**expected), exchange, described, ignore)
        finally:
            await judge.close()
            await checker.close()
        return "\n".join(failure.words(200) for failure in found)

    outcome = Result(response) if isinstance(response, bytes) else response
    phases = Phases(connect=0.1, send=0.1, wait=0.2)
    now, body = datetime.now(UTC), Response(200, phases=phases)
    exchange = Exchange("1", now, "p", "http://p", "m", "[]", "call", outcome, seconds=9.0, response=body)
    return asyncio.run(run())


@pytest.mark.parametrize(
    ("outcome", "expected", "words"),
    [
        (b"1", {}, ""),
        (Sent(), {"outcome": "sent"}, ""),
        (NOT_FOUND, {"outcome": "error"}, ""),
        (NOT_FOUND, {"outcome": "error", "code": -32601}, ""),
        (NOT_FOUND, {"outcome": "error", "code": -32602}, "code: expected -32602, got -32601 Method not found"),
        (NOT_FOUND, {}, "outcome: expected result, got error -32601 Method not found"),
        (b"1", {"outcome": "error"}, "outcome: expected error, got result"),
        (Result(b"{}", message="no disk"), {}, "outcome: expected result, got tool failed: no disk"),
        (Result(b"{}", message="no disk"), {"outcome": "error"}, ""),
        (Result(b"{}", message="no"), {"outcome": "error", "code": 1}, "code: expected 1, got tool failed: no"),
    ],
)
def test_outcome_and_code_are_compared(outcome: Outcome | bytes, expected: dict[str, Any], words: str) -> None:
    assert failures(outcome, **expected) == words


@pytest.mark.parametrize(
    ("pointer", "wanted", "words"),
    [
        ("/n", "1.1", ""),
        ("/n", "1.10", ""),
        ("/n", '"1.10"', '/n: expected "1.10", got 1.10'),
        ("/a~1b/0", "true", ""),
        ("/a~1b/0", "1", "/a/b/0: expected 1, got true"),
        ("/a~1b/1", "true", "/a~1b/1: expected true, got nothing: the result has no such place"),
        ("/none", "null", "/none: expected null, got nothing: the result has no such place"),
        ("/null", "null", ""),
        ("/o", '{"y": 2, "x": 1e0}', ""),
        ("/o", '{"x": 1}', '/o: expected {"x": 1}, got {"x":1,"y":2}'),
        ("/text", '"é"', ""),
        ("/hidden", '"x"', '/hidden: expected "x", got "«p.password»"'),
        ("/hidden", '"«p.password»"', ""),
    ],
)
def test_values_are_compared_by_value(pointer: str, wanted: str, words: str) -> None:
    body = '{"n":1.10,"a/b":[true],"null":null,"o":{"x":1,"y":2},"text":"\\u00e9","hidden":"«p.password»"}'.encode()
    assert failures(body, values=((pointer, wanted),)) == words.replace("/a/b/0", "/a~1b/0")


def test_empty_pointer_is_the_whole_result() -> None:
    assert failures(b'"pong"', values=(("", '"ping"'),)) == 'result: expected "ping", got "pong"'


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ('{"price": 1.10, "at": 1, "name": "ada"}', ""),
        ('{"price": 1.1, "at": 1, "name": "ada"}', "/price: expected 1.1, got 1.10"),
        ('{"price": 1.10, "name": "ada"}', ""),
        ('{"price": 1.10}', '/name: expected nothing, got "ada"'),
    ],
)
def test_whole_result_is_compared_by_spelling(wanted: str, words: str) -> None:
    body = b'{"name":"ada","price":1.10,"at":2}'
    assert failures(body, result_json=wanted, ignore=("/at",)) == words


def test_secret_in_the_response_is_not_equal_to_anything() -> None:
    assert failures('["«p.password»"]'.encode(), result_json='["x"]') == '/0: expected "x", got "«p.password»"'


def test_only_first_differences_are_named() -> None:
    words = failures(b"[2,2,2,2,2,2,2]", result_json="[1,1,1,1,1,1,1]")
    assert words.splitlines()[4:] == ["/4: expected 1, got 2", "result_json: 2 more differences"]


def test_result_that_is_too_deep_fails() -> None:
    deep = b"[" * 2_000 + b"]" * 2_000
    assert "nested too deep" in failures(deep, result_json="[[1]]")
    assert failures(deep, values=(("", "[[1]]"),)).startswith("result: expected [[1]], got [[[")


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ('{"type": "object", "required": ["items"]}', ""),
        ('{"type": "array"}', "schema: the result must be an array, not an object"),
        (
            '{"properties": {"items": {"items": {"type": "string"}}}}',
            "schema /items/0: items[0] must be a string, not a number",
        ),
        ('{"$defs": {"s": {"type": "string"}}, "properties": {"page": {"$ref": "#/$defs/s"}}}', ""),
        ('{"properties": {"page": {"format": "date"}}}', "schema /page: page "),
        ('{"type": "objekt"}', "schema: not checked: the schema is invalid: "),
        ('{"$ref": "http://example.com/x"}', "schema: not checked: the schema refers to another document"),
    ],
)
def test_result_is_checked_with_own_schema(schema: str, words: str) -> None:
    found = failures(b'{"items":[1],"page":"2"}', schema=schema)
    assert found.startswith(words) if words else found == ""


def test_service_schema_must_be_known() -> None:
    described = Described(result={"type": "string"})
    assert failures(b'"pong"', schema="service", described=described) == ""
    assert failures(b"1", schema="service", described=described) == "schema: the result must be a string, not a number"
    unknown = failures(b"1", schema="service")
    assert unknown.startswith("schema: not checked: the methods of the server are not known. Run `rpcexplorer methods")
    assert failures(b"1", schema="service", described=Described()).startswith("schema: not checked: the service does")


def test_schema_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "user.json"
    file.write_text('{\n"type": "object"\n}')
    place = SchemaFile(str(file), str(tmp_path))
    assert failures(b"1", schema_file=place) == "schema: the result must be an object, not a number"
    missing = SchemaFile(str(tmp_path / "none.json"), str(tmp_path))
    assert failures(b"1", schema_file=missing).startswith("schema: not checked: there is no file ")


def test_schema_file_is_named_without_its_folder(tmp_path: Path) -> None:
    place = SchemaFile(str(tmp_path / "schemas" / "x.json"), str(tmp_path))
    words = failures(b"1", schema_file=place)
    assert words == f"schema: not checked: there is no file schemas{os.sep}x.json"
    assert list(Expectation(schema_file=place).lines())[1] == f"schema schemas{os.sep}x.json"


def test_schema_file_that_is_a_link_is_refused(tmp_path: Path) -> None:
    """A link in a checkout could lead to any file of the user."""
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "key.json").write_text('{"const": "hunter2"}')
    (tmp_path / "team").mkdir()
    (tmp_path / "team" / "x.json").symlink_to(tmp_path / "private" / "key.json")
    (tmp_path / "team" / "folder").symlink_to(tmp_path / "private")
    for name in ("x.json", "folder/key.json"):
        words = failures(b"1", schema_file=SchemaFile(str(tmp_path / "team" / name), str(tmp_path / "team")))
        assert words.startswith("schema: not checked: ")
        assert "hunter2" not in words


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        (".items | length > 0", ""),
        (".items[] > 0", "jq .items[] > 0: expected true, got true\ntrue"),
        (".items[0]", "jq .items[0]: expected true, got 1"),
        ("empty", "jq empty: expected true, got nothing"),
        (".items.x", "jq .items.x: expected true, got jq: cannot index an array with "),
        ("[", "jq [: expected true, got jq: unexpected end of the expression"),
    ],
)
def test_jq_must_yield_true_and_nothing_else(expression: str, words: str) -> None:
    found = failures(b'{"items":\n[1,2]}', jq=(expression,))
    assert found.startswith(words) if words else found == ""


@pytest.mark.thorough
def test_endless_jq_stops_only_itself() -> None:
    found = failures(b"1", jq=("def f: f; f", ". == 1", "def f: f; f"))
    assert found == "\n".join(["jq def f: f; f: expected true, got no result after 1.5 s"] * 2)


def test_time_of_the_response_is_limited() -> None:
    assert failures(b"1", within=400.1) == ""
    assert failures(b"1", within=399.0) == "within: expected 399 ms, got 400 ms"


def test_endless_jq_runs_for_two_texts_at_most() -> None:
    async def run() -> None:
        jq, endless = JqProcess(), "if . == 0 then 0 else def f: f; f end"
        try:
            assert await jq.run(endless, b"1") == TOO_LONG
            assert await jq.run(endless, b"0") == "0"
            pid = jq.pid
            assert await jq.run(endless, b"1") == TOO_LONG
            assert jq.pid == pid  # Another run would have been killed with its process.
            assert await jq.run(endless, b"2") == TOO_LONG
            assert jq.pid is None
            assert await jq.run(endless, b"0") == TOO_LONG
        finally:
            await jq.close()

    asyncio.run(run())
