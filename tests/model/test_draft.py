"""Drafts: the calls of a text, or its problem; parsed once."""

from __future__ import annotations

import json

import pytest

from rpcexplorer.client.preview import preview
from rpcexplorer.jsontext.params import Params, Typo, parse
from rpcexplorer.model.draft import Batch, Draft, judged, sent_draft, to_calls
from rpcexplorer.model.profile import Profile
from rpcexplorer.rpc.messages import Call
from tests.history.recording import exchange


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_byte_order_mark_is_not_part_of_batch(mark: str) -> None:
    calls = to_calls(Batch(mark + ' [{"method": "a", "params": [1.10]}, {"method": "b", "id": null}]'), "x")
    assert calls == (Call("a", "[1.10]", "x.1"), Call("b", "[]", None))


def test_problem_after_byte_order_mark_has_its_position() -> None:
    problem = to_calls(Batch('\ufeff[{"method": "a"},\n {"method": 1}]'), "x")
    assert isinstance(problem, Typo)
    assert (problem.line, problem.column, problem.what) == (2, 2, "a call needs a method")


def test_duplicate_name_is_warning_and_sent_as_typed() -> None:
    read, remark = judged('{"id": 1, "id": 2}')
    assert isinstance(read, Params)
    assert (read.text, read.remark) == ('{"id":1,"id":2}', "object with 2 members")
    assert remark == "\u201cid\u201d appears twice in one object and is sent as typed"
    assert judged('{"id": 1}')[1] == judged('{"id": 1, "id": ')[1] == judged("")[1] == ""


@pytest.mark.parametrize("name", ["", " ", "\t"])
def test_batch_with_an_empty_method_is_a_problem(name: str) -> None:
    problem = to_calls(Batch(f'[{{"method": "a"}},\n {{"method": {json.dumps(name)}}}]'), "x")
    assert isinstance(problem, Typo)
    assert (problem.line, problem.what) == (2, "the method of this call is empty")


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the texts that were parsed, once for each time."""
    texts: list[str] = []

    def noted(text: str) -> Params | Typo:
        texts.append(text)
        return parse(text)

    monkeypatch.setattr("rpcexplorer.model.draft.parse", noted)
    return texts


@pytest.mark.parametrize("text", ['{"once": [1, 2, 3]}', '{"once": [1, 2, 3}'])
def test_text_is_parsed_once_for_all_uses(text: str, parsed: list[str]) -> None:
    draft = Draft("echo", text)
    judged(text)
    preview(Profile("dev", "http://rpc.example.com"), draft, "1", has_session=False)
    Draft("another", text).read()
    to_calls(draft, "2")
    assert parsed == [text]


def test_batch_is_parsed_once_and_gets_new_ids(parsed: list[str]) -> None:
    batch = Batch('[{"method": "parsed.once"}, {"method": "b", "id": ""}, {"method": "c", "id": null}]')
    first, second = to_calls(batch, "x"), to_calls(batch, "y")
    assert not isinstance(first, Typo)
    assert not isinstance(second, Typo)
    assert [call.id for call in first] == ["x.1", "", None]
    assert [call.id for call in second] == ["y.1", "", None]
    assert parsed.count(batch.text) == 1


def test_sent_params_are_not_resolved_again() -> None:
    record = exchange(params="[1]", params_sent='["{{a}}"]')
    assert sent_draft(record) == Draft("ping", '["{{a}}"]', typed="[1]", sources=("[1]", '["{{a}}"]'))
    assert sent_draft(exchange(params="[1]")) == Draft("ping", "[1]", sources=("[1]",))
