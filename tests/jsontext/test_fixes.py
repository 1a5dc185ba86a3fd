"""A fix corrects all typos of one kind and nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.jsontext.fixes import Rewrite, applied
from rpcexplorer.jsontext.params import Params, Typo, parse

names = st.from_regex(r"[a-z_]{1,6}", fullmatch=True).filter(lambda name: name not in ("nan", "inf"))
containers = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, min_size=1, max_size=4) | st.dictionaries(names, inner, min_size=1, max_size=4),
    max_leaves=12,
).map(lambda value: value if isinstance(value, list | dict) else [value])


def fixed_text(text: str, presses: int = 40) -> str | Typo:
    """Return the text after all fixes in turn, or the problem that has no fix."""
    for _ in range(presses):
        verdict = parse(text)
        if isinstance(verdict, Params):
            return verdict.text
        if verdict.fix is None:
            return verdict
        text = verdict.fix.text
    pytest.fail(f"the fixes come to no end: {text!r}")


ONE_PRESS = [
    ('["username": "ada", "password": "x"]', '{"username": "ada", "password": "x"}'),
    ('["name": "Ada"][]', '{"name": "Ada"}'),
    ("[1]\n{ }", "[1]\n"),
    ('{"list": [["a": 1], ["b": 2]]}', '{"list": [{"a": 1}, {"b": 2}]}'),
    ("{'a': 'it\\'s', 'b': 'say \"x\"', 'c': 'it's'}", '{"a": "it\'s", "b": "say \\"x\\"", "c": "it\'s"}'),
    ('[1, [2,], {"a": 1,\n},]', '[1, [2], {"a": 1\n}]'),
    ("[1,,2,,,3]", "[1,2,3]"),
    ('{"a": 1, // x\n  # y\n  /* z */ "b": 2 /* q */}', '{"a": 1,\n  "b": 2}'),
    ('["// no", /* a */ /* b */ "# no"]', '["// no", "# no"]'),
    ("{a: 1, b-c: {$d: 2}, 3: 4}", '{"a": 1, "b-c": {"$d": 2}, "3": 4}'),
    ("[hello, hello world, a@b.c, 2024-01-01, <ID>]", '["hello", "hello world", "a@b.c", "2024-01-01", "<ID>"]'),
    ('[None, True, FALSE, undefined, NULL, "None"]', '[null, true, false, null, null, "None"]'),
    (
        '{“a”: «b», \u2018c\u2019: „d“, "e": "“f”", `g`: “say "x"”}',
        '{"a": "b", "c": "d", "e": "“f”", "g": "say \\"x\\""}',
    ),
    ('{"a": 1\n "b": [2 3 {"c": 4}]}', '{"a": 1,\n "b": [2, 3, {"c": 4}]}'),
    ('{"a" 1, "b" "c"}', '{"a": 1, "b": "c"}'),
    ('{"a": [1, {"b": 2', '{"a": [1, {"b": 2}]}'),
    ('{"a": [1, 2,', '{"a": [1, 2]}'),
    ('{"a": [1, 2, "b": 3}'.replace(', "b": 3', ""), '{"a": [1, 2]}'),
    ('{"a": "b}', '{"a": "b"}'),
    ('{"a: 1}', '{"a": 1}'),
    ('{a": 1}', '{"a": 1}'),
    ('["a,\n "b"]', '["a",\n "b"]'),
    ('["a\\]', '["a\\\\"]'),
    ('{"a": 1}}]', '{"a": 1}'),
    ("[0xFF, 2024-01-01]", '["0xFF", "2024-01-01"]'),
    ('["a\nb\tc", "\x01"]', '["a\\nb\\tc", "\\u0001"]'),
    ('["\\x41 \\\' \\q"]', '["\\\\x41 \' \\\\q"]'),
    ('["C:\\users\\new", "C:\\\\ok"]', '["C:\\\\users\\\\new", "C:\\\\ok"]'),
    ("[1,\u00a0\u200b2]", "[1, 2]"),
    ('{"a" = 1, "b" => 2}', '{"a" : 1, "b" : 2}'),
    ("5", "[5]"),
    ("1, 2", "[1, 2]"),
    ('"a": 1', '{"a": 1}'),
    ('"a": 1}', '{"a": 1}'),
    ('{"a": 1}, {"b": 2}', '[{"a": 1}, {"b": 2}]'),
]


@pytest.mark.parametrize(("text", "right"), ONE_PRESS)
def test_fix_corrects_every_typo_of_its_kind(text: str, right: str) -> None:
    verdict = parse(text)
    assert isinstance(verdict, Typo)
    assert verdict.fix is not None
    assert verdict.fix.text == right
    assert isinstance(parse(right), Params)


@pytest.mark.parametrize(
    "text",
    ["[NaN]", "[Infinity]", "[1] x", "[1, @]", '{"a": }', '{"a", "b": 1}', '[1, "a": 2]', "[1, /* 2]", '["a "b" c"]'],
)
def test_ambiguous_typo_has_no_fix(text: str) -> None:
    verdict = parse(text)
    assert isinstance(verdict, Typo)
    assert verdict.fix is None


NUMBERS = "Write it without plus sign, leading zeros and underscores, and with digits around the point"
RARE = [
    ('{""}', 4, "this name has no value. Write a colon and a value after the name"),
    ('[{"a"}]', 6, "this name has no value. Write a colon and a value after the name"),
    ('{"a":: 1}', 6, "one colon is enough. Remove this one"),
    ("[1, [2}]", 7, "} cannot close [. Write ]"),
    ("[1, +0.5]", 5, f"+0.5 is not a JSON number. {NUMBERS}"),
    ("[1, -007]", 5, f"-007 is not a JSON number. {NUMBERS}"),
    ("[1, 5.e3]", 5, f"5.e3 is not a JSON number. {NUMBERS}"),
    ("[1, 1_000]", 5, f"1_000 is not a JSON number. {NUMBERS}"),
    ('["a\ud800"]', 4, r"the lone surrogate U+D800 cannot be sent. Write \ud800"),
    ("[1, (2)]", 5, "( does not belong here. Replace it with a value, or remove it"),
    ("[1; 2]", 3, "; does not belong here. Replace it with a value, or remove it"),
    ("[1],", 4, "nothing may follow the end of the params. Remove it"),
]


@pytest.mark.parametrize(("text", "column", "words"), RARE)
def test_rare_typo_has_its_place_and_no_fix(text: str, column: int, words: str) -> None:
    verdict = parse(text)
    assert isinstance(verdict, Typo)
    assert str(verdict) == f"line 1, column {column}: {words}"
    assert verdict.fix is None


@pytest.mark.parametrize("text", ["1}", "{{]}"])
def test_fix_that_leaves_as_many_typos_is_omitted(text: str) -> None:
    verdict = parse(text)
    assert isinstance(verdict, Typo)
    assert verdict.fix is None


def test_labels_describe_the_fix() -> None:
    labels = {verdict.fix.label for text, _ in ONE_PRESS if isinstance(verdict := parse(text), Typo) and verdict.fix}
    assert {"make it an object", "use double quotes", "remove the comments", "write null, true and false"} <= labels
    assert all(re.fullmatch(r"[a-z][a-z, ]+", label) for label in labels)


def test_fixes_correct_several_typos_in_turn() -> None:
    text = "[user: 'ada', // who\n admin: True, tags: [“a”, 'b',], path: \"C:\\users\",\n"
    sent = '{"user":"ada","admin":true,"tags":["a","b"],"path":"C:\\\\users"}'
    assert fixed_text(text) == sent


def test_fix_keeps_the_layout_of_the_user() -> None:
    text = "{\n\t'a' :  1 ,\n\n    'b':[ 2,\t3 ]\n}\n"
    verdict = parse(text)
    assert isinstance(verdict, Typo)
    assert verdict.fix is not None
    assert verdict.fix.text == text.replace("'", '"')


def outside_strings(text: str, change: Callable[[str], str]) -> str:
    """Change the text between the strings of a JSON text."""
    parts = re.split(r'("(?:[^"\\]|\\.)*")', text)
    return "".join(part if index % 2 else change(part) for index, part in enumerate(parts))


def single_quoted(text: str) -> str:
    """Return the text with every string in single quotes, as in Python."""

    def requote(found: re.Match[str]) -> str:
        return "'" + found[0][1:-1].replace('\\"', '"').replace("'", "\\'") + "'"

    return re.sub(r'"(?:[^"\\]|\\.)*"', requote, text)


TYPOS: dict[str, Callable[[str], str]] = {
    "single quotes": single_quoted,
    "typographic quotes": lambda text: re.sub(r'"((?:[^"\\]|\\.)*)"', r"“\1”", text),
    "trailing commas": lambda text: outside_strings(text, lambda part: re.sub(r"([\]}])", r",\1", part)),
    "line comments": lambda text: outside_strings(text, lambda part: part.replace(",", ", // 'a' [\n")),
    "block comments": lambda text: outside_strings(text, lambda part: part.replace(",", '/* " */,/* { */')),
    "bare names": lambda text: re.sub(r'"([a-z_]+)":', r"\1:", text),
    "literals": lambda text: outside_strings(
        text, lambda part: part.replace("null", "None").replace("true", "True").replace("false", "False")
    ),
    "equals": lambda text: outside_strings(text, lambda part: part.replace(":", " =")),
    "odd spaces": lambda text: outside_strings(text, lambda part: part.replace(" ", "\u00a0")),
    "no commas": lambda text: outside_strings(text, lambda part: part.replace(",", "")),
    "no closers": lambda text: text.rstrip("]}"),
}


@given(containers, st.sampled_from(sorted(TYPOS)))
def test_fixes_restore_a_value_with_one_typo(value: object, typo: str) -> None:
    broken = TYPOS[typo](json.dumps(value))
    verdict = fixed_text(broken)
    assert isinstance(verdict, str), (broken, str(verdict))
    assert json.loads(verdict) == value, broken


@given(containers)
def test_fixes_restore_a_value_with_many_typos(value: object) -> None:
    broken = json.dumps(value)
    for typo in ("trailing commas", "line comments", "literals", "odd spaces", "single quotes"):
        broken = TYPOS[typo](broken)
    verdict = fixed_text(broken)
    assert isinstance(verdict, str), (broken, str(verdict))
    assert json.loads(verdict) == value, broken


@given(st.dictionaries(names, containers, min_size=1, max_size=4), st.sampled_from([(1, -1), (1, None)]))
def test_members_without_their_braces_get_them(value: object, part: tuple[int, int | None]) -> None:
    verdict = fixed_text(json.dumps(value)[slice(*part)])
    assert isinstance(verdict, str)
    assert json.loads(verdict) == value


pieces = st.sampled_from(
    [
        *"[]{},:;=\"'`“”\u2019\\\n .-+10_ae<>()#\ufeff\u00a0\ud800\x00",
        *("//", "/*", "*/", "None", "true", "NaN", "0x", '"k":', "C:\\", "b'", '\\"'),
    ]
)


@given(st.text(max_size=30) | st.lists(pieces, max_size=25).map("".join))
def test_fixing_any_text_ends(text: str) -> None:
    fixed_text(text, presses=2 * len(text) + 2)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "text",
    ['"' + '\\"\n' * 30_000, "'\\" * 30_000, "[{]" * 8_000, "/*" * 30_000, '["' + "\\x" * 30_000, "a: " * 8_000],
    ids=["escaped quotes", "apostrophes", "brackets", "slashes", "escapes", "colons"],
)
def test_long_invalid_text_takes_linear_time(text: str, soon: None) -> None:
    assert isinstance(parse(text), Typo)


def test_overlapping_edits_share_their_deletions() -> None:
    assert applied("a/*1*/ /*2*/b", [Rewrite(1, 7, " "), Rewrite(6, 12, " ")]) == "a b"
    assert applied("ab", [Rewrite(1, 1, "]"), Rewrite(1, 1, "}")]) == "a]}b"


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ('{"a": {{page}}}', '{"a": "{{page:json}}"}'),
        ("[{{page:json}}, {{ last.user.list#/items/0 }}]", '["{{page:json}}", "{{last.user.list#/items/0:json}}"]'),
        ('{{{name}}: "{{page}}"}', '{"{{name}}": "{{page}}"}'),
    ],
)
def test_variable_without_quotes_gets_them(text: str, mended: str) -> None:
    problem = parse(text)
    assert isinstance(problem, Typo)
    assert problem.fix
    assert problem.fix.text == mended


def test_nested_braces_with_other_text_are_not_variable() -> None:
    problem = parse('{"a": {{"b": 1}}}')
    assert isinstance(problem, Typo)
    assert "variable" not in problem.what
