"""What was sent is written so that it is sent again, whatever has a value by then."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.variables.resolve import Sources, as_it_went_out, escaped, resolution
from tests.storage.recording import exchange

KNOWN = Sources(variables={"a": "VALUE", "b": "1"})


def sent(draft: Draft | Batch) -> str:
    return resolution(draft, KNOWN).draft.text


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ('["{{a}}", "{{b:json}}"]', '["{{{{a}}", "{{{{b:json}}"]'),
        ('{"{{a}}": "{{{a}}} {{{{a}} {{ b {{unknown}}"}', None),
        ('["{{", {"a": {}}, "é\\u00e9"]', '["{{", {"a": {}}, "é\\u00e9"]'),
        ("[1,", "[1,"),
    ],
)
def test_what_looks_like_a_reference_is_sent_as_it_is(text: str, typed: str | None) -> None:
    draft = escaped(Draft("m", text))
    assert sent(draft) == text
    assert typed in {None, draft.text}


@given(st.lists(st.text('{}ab: \\"', max_size=20), min_size=1))
def test_any_text_is_sent_as_it_is(texts: list[str]) -> None:
    params = json.dumps(texts)
    assert sent(escaped(Draft("m", params))) == params


def test_of_a_batch_the_params_alone_can_hold_one() -> None:
    batch = Batch('[{"method": "{{a}}", "params": ["{{a}}"]}]')
    assert escaped(batch).text == '[{"method": "{{a}}", "params": ["{{{{a}}"]}]'
    assert sent(escaped(batch)) == batch.text


def test_in_a_record_of_others_nothing_is_looked_up_and_what_was_sent_is_what_stands_there() -> None:
    plain = exchange(0)
    assert as_it_went_out(plain) is plain
    for record in (
        replace(plain, params='["{{a}}", 1]', params_sent='["{{b}}", 1]'),
        replace(plain, params='["{{b}}", 1]'),
    ):
        taken = as_it_went_out(record)
        assert (taken.params, taken.params_sent) == ('["{{{{b}}", 1]', None)
        assert sent(Draft("m", taken.params)) == '["{{b}}", 1]'
