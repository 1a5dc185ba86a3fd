from __future__ import annotations

import json
import re
from datetime import datetime, timedelta, timezone
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from rpcexplorer.jsontext.params import Params
from rpcexplorer.jsontext.pointers import PointerLookup
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.secret import PLACEHOLDER
from rpcexplorer.variables.references import Reference
from rpcexplorer.variables.resolve import (
    LastResult,
    Missing,
    Sources,
    TakenValue,
    as_it_went_out,
    escaped,
    placed,
    resolution,
    used_in,
)
from tests.history.recording import exchange

RESULT = '{"items": [{"id": 12345678901234567890, "name": "A\\"da", "price": 1.10}], "a#b": null, "o": {"x": [1e400]}}'


def last(method: str) -> LastResult:
    return LastResult(RESULT) if method in {"user.list", "user#list"} else LastResult(why=f"no {method} yet")


SOURCES = Sources(
    given={"page": "2", "both": "given"},
    variables={"page": "9", "both": "variable", "n": "1.10", "text": 'say "hi"\\', "obj": '{"a": [1.0]}', "empty": ""},
    last=last,
    seed="s",
    moment=datetime(2026, 11, 22, 23, 30, 5, 123456, tzinfo=timezone(timedelta(hours=-2))),
)


def resolved(text: str, sources: Sources = SOURCES) -> str:
    found = resolution(Draft("m", text), sources)
    assert not found.unresolved
    return found.draft.text


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ('["{{page}}"]', '["2"]'),
        ('["{{both}}", "{{n}}"]', '["given", "1.10"]'),
        ('["{{n:json}}", "{{obj:json}}"]', '[1.10, {"a": [1.0]}]'),
        ('["{{text}}", "a {{text}} b"]', r'["say \"hi\"\\", "a say \"hi\"\\ b"]'),
        ('["{{ page }}{{empty}}{{page}}"]', '["22"]'),
        ('{"{{page}}": 1, "a": {"b": ["{{page:json}}"]}}', '{"2": 1, "a": {"b": [2]}}'),
        ('{"{{page:json}}": "{{page:json}}"}', '{"2": 2}'),  # a name is text, even with :json
        ('["x={{obj:json}}"]', r'["x={\"a\": [1.0]}"]'),
        ('["{{last.user.list#/items/0/id}}"]', '["12345678901234567890"]'),
        ('["{{last.user.list#/items/0/id:json}}"]', "[12345678901234567890]"),
        ('["{{last.user#list#/items/0/price:json}}"]', "[1.10]"),
        ('["{{last.user.list#/items/0/name}}", "{{last.user.list#/items/0/name:json}}"]', r'["A\"da", "A\"da"]'),
        ('["{{last.user.list#/a#b:json}}", "{{last.user.list#/o:json}}"]', '[null, {"x": [1e400]}]'),
        ('["{{{{page}}", "{{{page}}}", "{{{{{page}}"]', '["{{page}}", "{2}", "{{{page}}"]'),
        ('["{{now}}", "{{today}}"]', '["2026-11-23T01:30:05Z", "2026-11-23"]'),
        ('[1.10, "{ {page} }", "\\u007b{page}}"]', '[1.10, "{ {page} }", "\\u007b{page}}"]'),
    ],
)
def test_variable_is_replaced_by_its_value(text: str, sent: str) -> None:
    assert resolved(text) == sent


def test_resolved_draft_has_typed_and_sent_text() -> None:
    draft = Draft("m", '["{{page}}"]', notification=True)
    found = resolution(draft, SOURCES).draft
    assert found == Draft("m", '["2"]', notification=True, typed='["{{page}}"]')
    sent = Draft("m", '["{{page}}"]', typed='["{{{{page}}"]')
    assert resolution(sent, SOURCES).draft is sent  # nothing is resolved twice
    plain = Draft("m", '["{{ and }}"]'.replace("{{ and }}", "{{"))
    assert resolution(plain, SOURCES).draft is plain


def test_value_spelled_like_a_reference_is_not_resolved() -> None:
    first = resolution(Draft("m", '["{{n}}"]'), Sources(given={"n": "{{n}}"})).draft
    assert first == Draft("m", '["{{n}}"]', typed='["{{n}}"]')
    assert resolution(first, SOURCES).draft is first


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('["{{pgae}}"]', "{{pgae}} has no value. Did you mean {{page}}?"),
        ('["{{zzzz}}"]', "{{zzzz}} has no value."),
        ('["{{ a | b }}"]', "{{a | b}} is not a variable name. To send {{ itself, write {{{{."),
        ('["{{text:json}}"]', "{{text}} needs a JSON value, such as 1, true or text in quotes."),
        ('["{{last.ping#/x}}"]', "{{last.ping#/x}} has no value: no ping yet."),
        ('["{{last.user.list#/none}}"]',
         "{{last.user.list#/none}} has no value: the newest result of user.list does not contain /none."),
    ],
)  # fmt: skip
def test_variable_without_a_value_is_named_and_unchanged(text: str, why: str) -> None:
    found = resolution(Draft("m", text), SOURCES)
    assert [str(missing) for missing in found.unresolved] == [why]
    assert found.draft == Draft("m", text, typed=text)
    assert found.remarks == (f"{why} It is sent as typed.",)


def test_other_variables_are_resolved_next_to_missing_ones() -> None:
    found = resolution(Draft("m", '["{{a}} {{page}}", "{{last.x#}}", "{{a}}", "{{text:json}}"]'), SOURCES)
    assert found.draft.text == '["{{a}} 2", "{{last.x#}}", "{{a}}", "{{text:json}}"]'
    missing = Missing(found.unresolved)
    assert missing.names == ("a", "text")
    assert missing.sentence.startswith("Nothing was sent: {{a}} has no value. {{last.x#}} has no value: no x yet. ")


def test_result_is_parsed_once_for_many_references(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Mock(wraps=PointerLookup)
    monkeypatch.setattr("rpcexplorer.variables.resolve.PointerLookup", made)
    assert resolved('["{{last.user.list#/items/0/id:json}} {{last.user.list#/o}}", "{{last.user.list#/a#b:json}}"]')
    made.assert_called_once_with(RESULT)


def test_each_uuid_is_new_and_depends_on_seed() -> None:
    text = '["{{uuid}}", "{{uuid}}"]'
    one, other = json.loads(resolved(text))
    assert one != other
    assert re.fullmatch("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", one)
    assert json.loads(resolved(text)) == [one, other]
    assert json.loads(resolved(text, Sources(seed="t")))[0] not in {one, other}


def test_batch_resolves_only_its_params() -> None:
    text = (
        '[{"method": "{{page}}", "id": "{{page}}", "params": ["{{page}}"]},\n {"params": {"{{n}}": 1}, "method": "b"}]'
    )
    sent = '[{"method": "{{page}}", "id": "{{page}}", "params": ["2"]},\n {"params": {"1.10": 1}, "method": "b"}]'
    assert resolution(Batch(text), SOURCES).draft == Batch(sent, typed=text)
    assert resolution(Batch("\ufeff" + text), SOURCES).draft.text == "\ufeff" + sent


@pytest.mark.parametrize("text", ['{"a": {{page}}}', "[{{page}}", '["{{page}}"', "{{page}}"])
def test_text_that_is_not_json_does_not_change(text: str) -> None:
    assert resolution(Draft("m", text), SOURCES).draft.text == text
    assert used_in(Draft("m", text)) == ()


def test_references_of_a_draft_are_listed_once() -> None:
    text = '["{{a}}{{a}}", "{{{{b}}", "{{c:json}}"]'
    assert used_in(Draft("m", text)) == (Reference("a"), Reference("c", as_json=True))
    assert used_in(Batch('[{"method": "{{x}}", "params": ["{{y}}"]}]')) == (Reference("y"),)


HOSTILE = {
    "a": "{{b}} {{last.user.list#}} «p.password»",
    "b": "never seen",
    "start": "«p.pass",
    "rest": "word»",
    "whole": "«p.password»",
    "json": '{"«p.password»": ["«p.password»", "{{b}}"]}',
}


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ('["{{a}}"]', [HOSTILE["a"]]),
        ('["{{whole}}", "{{whole:json}}"]', None),
        ('["{{start}}{{rest}}"]', ["«p.password»"]),
        (
            '["«p.{{b}}word»", "«p.pass{{rest}}", "{{start}}word»"]',
            ["«p.never seenword»", "«p.password»", "«p.password»"],
        ),
        ('["{{json:json}}"]', [{"«p.password»": ["«p.password»", "{{b}}"]}]),
        ('["\\u00ab{{b}}"]', ["«never seen"]),
    ],
)
def test_value_never_becomes_a_secret_reference(text: str, means: object) -> None:
    found = resolution(Draft("m", text), Sources(variables=HOSTILE))
    sent = found.draft.text
    assert not PLACEHOLDER.search(sent)
    if means is not None:
        assert json.loads(sent) == means
    else:
        assert json.loads(sent)[0] == "«p.password»"


def test_typed_secret_reference_is_still_one() -> None:
    text = '{"a": "«p.password»", "b": "{{b}}", "c": "«p.password» {{b}}"}'
    assert resolved(text, Sources(variables=HOSTILE)) == text.replace("{{b}}", "never seen")


def test_resolved_text_has_a_maximum_length() -> None:
    found = resolution(Draft("m", '["{{a}}{{a}}{{a}}"]'), Sources(variables={"a": "x" * 7_000_000}))
    assert [missing.why for missing in found.unresolved] == ["would make the params larger than 16 MiB"]


@pytest.mark.thorough
@given(st.lists(st.text('{}:ab"\\«»#/é\ud800', max_size=12), min_size=1, max_size=4), st.text(max_size=8))
def test_resolved_text_is_json_and_values_are_exact(typed: list[str], value: str) -> None:
    text = json.dumps([*typed, "{{a}}"])
    found = resolution(Draft("m", text), Sources(given={"a": value}))
    assert isinstance(found.draft.read(), Params)
    assert json.loads(found.draft.text)[-1] == value


VALUE = '"{{last.auth#/token}}"'


def put(text: str, name: str = "", parameters: tuple[str, ...] = (), value: str = VALUE) -> str:
    """Return the text with a bar at the cursor, before and after."""
    at = text.index("|")
    after, cursor = placed(text.replace("|", ""), at, value, name, parameters)
    return f"{after[:cursor]}|{after[cursor:]}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[|]", f"[{VALUE}|]"),
        ("|", f"[{VALUE}|]"),
        ("[1|]", f"[1, {VALUE}|]"),
        ("[1, |2]", f"[1, {VALUE}|, 2]"),
        ('["a|b"]', '["a{{last.auth#/token}}|b"]'),
        ('["|"]', '["{{last.auth#/token}}|"]'),
        ('{"a": |}', f'{{"a": {VALUE}|}}'),
    ],
)
def test_reference_is_inserted_at_the_cursor(before: str, after: str) -> None:
    assert put(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"token": "old", "n": 1}|', f'{{"token": {VALUE}|, "n": 1}}'),
        ('{"n": {"token": 1}|, "token": {"a": [1]}}', f'{{"n": {{"token": 1}}, "token": {VALUE}|}}'),
        ("{|}", f'{{"token": {VALUE}|}}'),
        ("{ |\n}", f'{{"token": {VALUE}|}}'),
        ('{"n": 1|}', f'{{"n": 1, "token": {VALUE}|}}'),
        ('\ufeff{"token": 1}|', f' {{"token": {VALUE}|}}'),
        ('{\n  "n": 1|\n}', f'{{\n  "n": 1,\n  "token": {VALUE}|\n}}'),
    ],
)
def test_reference_replaces_the_param_of_its_name(before: str, after: str) -> None:
    assert put(before, "token", ("n", "token")) == after
    json.loads(after.replace("|", ""))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('|{"n": 1}', f'{{"n": 1, "token": {VALUE}|}}'),
        ('{"n"|: 1}', f'{{"n": 1, "token": {VALUE}|}}'),
        ("|[1]", f"[1, {VALUE}|]"),
        ("|[ ]", f"[{VALUE}|]"),
    ],
)
def test_params_can_be_sent_after_an_insertion(before: str, after: str) -> None:
    assert put(before, "token") == after


def test_value_other_than_string_is_inserted_unchanged() -> None:
    assert put('["a|"]', value="1.10") == '["a1.10|"]'
    assert put("[|]", value="1.10") == "[1.10|]"


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
def test_escaped_reference_is_sent_as_typed(text: str, typed: str | None) -> None:
    draft = escaped(Draft("m", text))
    assert sent(draft) == text
    assert typed in {None, draft.text}


@given(st.lists(st.text('{}ab: \\"', max_size=20), min_size=1))
def test_any_escaped_text_is_sent_as_typed(texts: list[str]) -> None:
    params = json.dumps(texts)
    assert sent(escaped(Draft("m", params))) == params


def test_imported_record_is_sent_without_resolving_references() -> None:
    plain = exchange(0)
    assert as_it_went_out(plain) is plain
    for record in (
        replace(plain, params='["{{a}}", 1]', params_sent='["{{b}}", 1]'),
        replace(plain, params='["{{b}}", 1]'),
    ):
        taken = as_it_went_out(record)
        assert (taken.params, taken.params_sent) == ('["{{{{b}}", 1]', None)
        assert sent(Draft("m", taken.params)) == '["{{b}}", 1]'


LAST = LastResult('{"key":"abc","n":1.10,"a/b":[null]}')


@pytest.mark.parametrize(
    ("pointer", "text", "spelled"),
    [
        ("/key", '"abc"', '"{{last.user.login#/key}}"'),
        ("/n", "1.10", '"{{last.user.login#/n:json}}"'),
        ("/a~1b/0", "null", '"{{last.user.login#/a~1b/0:json}}"'),
        ("", "{\n  }", '"{{last.user.login#:json}}"'),
    ],
)
def test_result_reference_names_the_newest_result(pointer: str, text: str, spelled: str) -> None:
    assert TakenValue("user.login", pointer, text).spelled(LAST) == (spelled, "")


@pytest.mark.parametrize("last", [LastResult(why="there is no result of m"), LAST])
def test_value_without_recorded_result_is_inserted_inert(last: LastResult) -> None:
    spelled, remark = TakenValue("m", "/x", '"«staging.token»"').spelled(last)
    assert spelled == '"\\u00abstaging.token»"'
    assert (last.why or "does not contain this path") in remark


@pytest.mark.parametrize(("pointer", "name"), [("/items/0/id", "id"), ("/items/0", ""), ("", ""), ("/a~1b", "a/b")])
def test_value_has_the_last_name_of_its_pointer(pointer: str, name: str) -> None:
    assert TakenValue("m", pointer, "1").name == name
