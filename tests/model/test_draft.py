"""A typed text: the calls that it becomes, or what is wrong with it and where; parsed once."""

from __future__ import annotations

import json

import pytest

from rpcexplorer.client.client import preview
from rpcexplorer.jsontext.params import Params, Typo, parse
from rpcexplorer.model.draft import Batch, Draft, judged, sent_draft, to_calls
from rpcexplorer.model.profile import Profile
from rpcexplorer.rpc.messages import Call
from tests.history.recording import exchange


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_byte_order_mark_is_no_part_of_a_batch(mark: str) -> None:
    calls = to_calls(Batch(mark + ' [{"method": "a", "params": [1.10]}, {"method": "b", "id": null}]'), "x")
    assert calls == (Call("a", "[1.10]", "x.1"), Call("b", "[]", None))


def test_a_problem_in_a_batch_behind_a_byte_order_mark_is_told_at_its_place() -> None:
    problem = to_calls(Batch('\ufeff[{"method": "a"},\n {"method": 1}]'), "x")
    assert isinstance(problem, Typo)
    assert (problem.line, problem.column, problem.what) == (2, 2, "a call needs a method")


def test_a_name_that_stands_twice_is_remarked_and_the_params_are_sent_as_typed() -> None:
    read, remark = judged('{"id": 1, "id": 2}')
    assert isinstance(read, Params)
    assert (read.text, read.remark) == ('{"id":1,"id":2}', "object with 2 members")
    assert remark == "\u201cid\u201d twice in one object: sent as typed"
    assert judged('{"id": 1}')[1] == judged('{"id": 1, "id": ')[1] == judged("")[1] == ""


@pytest.mark.parametrize("name", ["", " ", "\t"])
def test_a_batch_in_which_a_method_has_no_name_is_a_problem_at_its_place(name: str) -> None:
    problem = to_calls(Batch(f'[{{"method": "a"}},\n {{"method": {json.dumps(name)}}}]'), "x")
    assert isinstance(problem, Typo)
    assert (problem.line, problem.what) == (2, "the method of this call has no name")


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were parsed, each time that they were."""
    texts: list[str] = []

    def noted(text: str) -> Params | Typo:
        texts.append(text)
        return parse(text)

    monkeypatch.setattr("rpcexplorer.model.draft.parse", noted)
    return texts


@pytest.mark.parametrize("text", ['{"once": [1, 2, 3]}', '{"once": [1, 2, 3}'])
def test_a_text_is_parsed_once_for_verdict_preview_question_and_call(text: str, parsed: list[str]) -> None:
    draft = Draft("echo", text)
    judged(text)
    preview(Profile("dev", "http://rpc.example.com"), draft, "1", has_session=False)
    Draft("another", text).read()
    to_calls(draft, "2")
    assert parsed == [text]


def test_a_batch_is_parsed_once_and_its_calls_have_the_ids_of_each_sending(parsed: list[str]) -> None:
    batch = Batch('[{"method": "parsed.once"}, {"method": "b", "id": ""}, {"method": "c", "id": null}]')
    first, second = to_calls(batch, "x"), to_calls(batch, "y")
    assert not isinstance(first, Typo)
    assert not isinstance(second, Typo)
    assert [call.id for call in first] == ["x.1", "", None]
    assert [call.id for call in second] == ["y.1", "", None]
    assert parsed.count(batch.text) == 1


def test_what_was_sent_is_not_looked_into_whatever_a_record_says_was_typed() -> None:
    record = exchange(params="[1]", params_sent='["{{a}}"]')
    assert sent_draft(record) == Draft("ping", '["{{a}}"]', typed="[1]")
    assert sent_draft(exchange(params="[1]")) == Draft("ping", "[1]")
