"""Scanning of JSON text as servers write it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.jsontext.scan import (
    decoded,
    depth,
    elements,
    error_at,
    is_value,
    long_number,
    members,
    oddities,
    repeated_name,
)

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


def spelled(text: str) -> list[tuple[str, str]] | None:
    """Return names and values of an object, the values as written."""
    found = members(text)
    return None if found is None else [(one.name, text[slice(*one.value)]) for one in found]


def test_members_keep_their_spelling_and_their_order() -> None:
    text = ' { "b" : 1.10 ,\n"a":[1, {"x": "}"}],"c":"\\u0041\\"" } \r\n'
    assert spelled(text) == [("b", "1.10"), ("a", '[1, {"x": "}"}]'), ("c", '"\\u0041\\""')]


def test_the_key_span_includes_its_quotes() -> None:
    text = '{"a\\n": 1}'
    found = members(text) or []
    assert [(text[slice(*one.key)], one.name) for one in found] == [('"a\\n"', "a\n")]


def test_duplicate_members_are_all_returned() -> None:
    assert spelled('{"a": 1, "a": 2, "": 3}') == [("a", "1"), ("a", "2"), ("", "3")]


@pytest.mark.parametrize(
    "value",
    ["NaN", "Infinity", "-Infinity", '"\\ud800"', '"a\x00\n\tb"', pytest.param("9" * 5000, id="long"), "1e400"],
)
def test_text_that_servers_send_is_accepted(value: str) -> None:
    assert is_value(value)
    assert spelled(f'{{"a": {value}, "b": [{value}]}}') == [("a", value), ("b", f"[{value}]")]
    text = f"[{value}, {value}]"
    assert [text[slice(*span)] for span in elements(text) or ()] == [value, value]


@pytest.mark.parametrize("value", ["NaN", "-Infinity", '"a\tb"', '"\ud800"', "[Infinity]", '{"\n": 1}'])
def test_strict_reading_rejects_text_outside_the_standard(value: str) -> None:
    assert is_value(value)
    assert not is_value(value, strict=True)


def test_key_with_a_lone_surrogate_does_not_raise() -> None:
    assert spelled('{"\\ud800": 1, "\\ud83d\\ude00": 2}') == [("\ud800", "1"), ("😀", "2")]


NOT_JSON = [
    *("", " ", "{", "}", '{"a"}', '{"a":}', '{"a" 1}', '{"a": 1,}', '{"a": 1} x', '{"a": 1}}', "{1: 2}", "{,}"),
    *('{"a": [}', '{"a": [1}', '{"a": 01}', '{"a": 1.}', '{"a": .5}', '{"a": +1}', '{"a": tru}', "{'a': 1}", "]"),
    *('{"a": "\\x41"}', '{"a": "\\u12"}', '{"a": "b}', '{"a": 1 "b": 2}', '{"a": [1 2]}', '{"a": [1,]}', "[{]}"),
    *('{"a": {"b"}}', '{"a": {"b": }}', '{"a": {"b": [], }}', '{"a": [[],]}', "{\u00a0}", '{"a": [1]]}', "[[1}"),
]


@pytest.mark.parametrize("text", NOT_JSON)
def test_text_that_is_not_json_is_rejected(text: str) -> None:
    assert not is_value(text)
    assert members(text) is None
    assert elements(text) is None
    assert elements(f"[1, {text}]") is None


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("", 0), (" x", 1), ("[1, 2", 5), ("[1 2]", 3), ("[1,]", 3), ('{"a" 1}', 1), ('{"a": }', 6), ("{,}", 1),
        ('{"a": [1}', 8), ("[] x", 3), ("[{{", 2), ("[[1], [x]]", 7), ("[NaN]", 1), ("[1]", None), (" 7 ", None),
    ],
)  # fmt: skip
def test_error_at_returns_where_json_ends(text: str, at: int | None) -> None:
    assert error_at(text) == at


def test_array_and_object_are_not_confused() -> None:
    assert members("[]") is None
    assert elements("{}") is None
    assert members("{ }") == []
    assert elements(" [ ] ") == []


@given(values)
def test_output_of_json_is_split_correctly(value: object) -> None:
    text = json.dumps({"first": value, "second": [value]}, indent=1)
    assert is_value(text)
    parts = spelled(text) or []
    assert [name for name, _ in parts] == ["first", "second"]
    assert [json.dumps(json.loads(part)) for _, part in parts] == [json.dumps(value), json.dumps([value])]


@given(values, st.integers(min_value=0), st.sampled_from('[]{},:"\\ 0e-.'))
def test_splitting_and_validity_agree_on_damaged_text(value: object, at: int, char: str) -> None:
    text = json.dumps([value])
    at %= len(text)
    damaged = text[:at] + char + text[at + 1 :]
    if damaged.lstrip().startswith("["):
        assert (elements(damaged) is not None) == is_value(damaged)


@given(st.text(max_size=12))
def test_string_token_is_decoded_like_json(text: str) -> None:
    assert decoded(json.dumps(text)) == text
    assert decoded(json.dumps(text, ensure_ascii=False)) == text


@pytest.mark.thorough
@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000 + "]" * 100_000,
        '{"a":' * 100_000 + "1" + "}" * 100_000,
        "[" + "1," * 100_000 + "1]",
        '["' + "\\n" * 200_000 + '"]',
    ],
    ids=["deep array", "deep object", "long array", "escapes"],
)
def test_depth_and_length_do_not_matter(text: str) -> None:
    assert is_value(text)
    assert not is_value(text[:-1])
    assert is_value(text, strict=True)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "text",
    ['["' + '\\"' * 200_000, '"' * 400_001, '{"a":' * 80_000, "N" * 400_000],
    ids=["escaped quotes", "quotes", "openers", "letters"],
)
def test_invalid_text_takes_no_longer_than_valid_text(text: str, soon: None) -> None:
    assert not is_value(text)
    assert members(text) is None
    oddities(text)


def test_depth_counts_brackets_outside_strings() -> None:
    assert depth("1") == 0
    assert depth('[{"a[[[": "]"}, [[]]]') == 3


@given(st.text(alphabet='[]{}",:\\ud8009NaInfity \n\t', max_size=30))
def test_no_text_makes_the_scanner_raise(text: str) -> None:
    assert (members(text) is not None or elements(text) is not None) == (is_value(text) and text.lstrip()[0] in "[{")
    assert len(set(oddities(text))) == len(oddities(text))


@pytest.mark.parametrize(
    ("text", "remarks"),
    [
        ('{"a": [1, "NaN", "\\ud83d\\ude00", "\\\\ud800"], "-Infinity": null}', ()),
        ("[NaN, NaN]", ("NaN is not JSON",)),
        ("[-Infinity]", ("Infinity is not JSON",)),
        ('["\\ud800", "\\udc00"]', ("lone surrogate \\ud800 in a string",)),
        ('["\\ude00\\ud83d"]', ("lone surrogate \\ude00 in a string",)),
        ('["a\tb"]', ("raw control character U+0009 in a string",)),
        ('["\udcff"]', ("lone surrogate U+DCFF in a string",)),
        pytest.param("[" * 1100 + "]" * 1100, ("nested 1,100 levels deep",), id="deep"),
        pytest.param("[" + "1" * 5000 + "]", ("a number with 5,000 digits",), id="long number"),
        pytest.param('["' + "1" * 5000 + '"]', (), id="long string"),
    ],
)
def test_deviations_are_described(text: str, remarks: tuple[str, ...]) -> None:
    assert oddities(text) == remarks


@given(st.integers(4250, 4350), st.integers(0, 4400), st.sampled_from(["", "-", "0.", '"']))
def test_long_number_is_found_at_any_offset(count: int, before: int, sign: str) -> None:
    end = sign if sign == '"' else ""
    text = f"[{' ' * before}{sign}{'7' * count}{end}, 1]"
    assert bool(long_number(text.encode())) is (count > 4300 and sign != '"')


def test_each_kind_of_deviation_is_reported_once() -> None:
    found = oddities('[NaN, "\\ud800", NaN, "\\ud801", Infinity]')
    assert found == ("NaN is not JSON", "lone surrogate \\ud800 in a string", "Infinity is not JSON")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("[]", None),
        ('{"a": 1, "b": 1}', None),
        ('{"a": 1, "b": 2, "a": 1}', "a"),
        ('{"a":1,"\\u0061":2}', "a"),
        ('{"a": {"a": {"a": "a"}}, "b": ["a", "a", "a"]}', None),
        ('[{"a": 1}, {"a": 1}]', None),
        ('[{"a": {"x": [{"b": 1, "b": 1}]}, "a": 1}]', "b"),
        ('{"a": {"c": 1}, "b": {"c": 1}, "b": 1}', "b"),
        ('{"{": "}", "}": "{\\"", "a:": ":", "\\"": ":"}', None),
        ('{"": 1, "" : 2}', ""),
        ("[" * 50_000 + '{"a": 1, "a": 2}' + "]" * 50_000, "a"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_first_duplicate_name_in_an_object_is_found(text: str, name: str | None) -> None:
    assert repeated_name(text) == name
