from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.files.toml import KeyPath, TomlFile, dotted, layout, parse_toml, split_dotted
from rpcexplorer.model.problem import Problem

TEXT = '''\
# a comment with = and [
version = 1

[profile.a]   # header
url = "http://a#[x]"   # behind
auth = { kind = "cookie", deep = { name = 'x' } }
list = [
  1,  # [
  { inner = 2 },
  "]",
]
long = """
[not.a.header]
key = 1
"""
[profile.b.method."user.\\u0064elete"]
safe = false
x.y = 1.5
profile.'a b' = 2020-01-01 10:00:00
[[many]]
one = 1
[[many]]
one = 2'''
LINES = {
    "version": 2,
    "profile.a": 4,
    "profile.a.url": 5,
    "profile.a.auth": 6,
    "profile.a.auth.kind": 6,
    "profile.a.auth.deep.name": 6,
    "profile.a.list": 7,
    "profile.a.list.0": 8,
    "profile.a.list.1.inner": 9,
    "profile.a.list.2": 10,
    "profile.a.long": 12,
    "profile.b": 16,
    'profile.b.method."user.delete"': 16,
    'profile.b.method."user.delete".safe': 17,
    'profile.b.method."user.delete".x.y': 18,
    'profile.b.method."user.delete".profile."a b"': 19,
    "many.one": 21,
}


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(("key", "line"), LINES.items())
def test_each_key_has_its_line(key: str, line: int, newline: str) -> None:
    assert layout(TEXT.replace("\n", newline)).line_of(split_dotted(key)) == line


def test_missing_key_has_the_line_of_its_table() -> None:
    assert layout(TEXT).line_of(("profile", "a", "gone")) == 4
    assert layout(TEXT).line_of(("gone",)) is None


def test_span_of_a_value_is_its_exact_text() -> None:
    found = layout(TEXT)
    begin, end = found.values["profile", "a", "auth"]
    assert TEXT[begin:end] == "{ kind = \"cookie\", deep = { name = 'x' } }"
    begin, end = found.values["profile", "a", "list"]
    assert TEXT[begin:end].startswith("[\n  1,")
    assert TEXT[begin:end].endswith('"]",\n]')


@given(st.lists(st.text(max_size=8), min_size=1, max_size=5).map(tuple))
def test_dotted_key_can_be_split_again(path: KeyPath) -> None:
    assert split_dotted(dotted(path)) == path


VALUES = st.recursive(
    st.sampled_from(["1", "1.5", "true", '"a]}#\\""', "'b,['", "1979-05-27", '"""x\n[y]\nz=1"""', "''' ' '''"]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda values: f"[{', '.join(values)}]"),
        st.lists(inner, max_size=3).map(lambda values: "[\n" + " ,# c\n ".join(values) + "\n]"),
        st.lists(inner, max_size=3).map(
            lambda values: "{" + ", ".join(f'k{index}."q.q" = {value}' for index, value in enumerate(values)) + "}"
        ),
    ),
    max_leaves=8,
)


def paths_of(value: Any, path: KeyPath = ()) -> set[KeyPath]:
    if isinstance(value, dict):
        return set().union({path}, *(paths_of(inner, (*path, key)) for key, inner in value.items()))
    if isinstance(value, list):
        return set().union({path}, *(paths_of(inner, (*path, str(index))) for index, inner in enumerate(value)))
    return {path}


@given(st.lists(VALUES, max_size=4), st.booleans())
def test_scanner_finds_the_same_keys_as_the_parser(values: list[str], headers: bool) -> None:
    header = "[t{0}.x]\n" if headers else ""
    text = "".join(header.format(index) + f"v{index} = {value}\n" for index, value in enumerate(values))
    found = layout(text)
    assert set(found.places) == paths_of(tomllib.loads(text)) - {()}
    for path, (begin, end) in found.values.items():
        outer: Any = tomllib.loads(text)
        for key in path:
            outer = outer[int(key)] if isinstance(outer, list) else outer[key]
        assert tomllib.loads(f"x = {text[begin:end]}")["x"] == outer


@given(st.text(alphabet=st.sampled_from("ab.=[]{},\"'\\#\n\r \t1"), max_size=60))
def test_no_text_makes_scanner_or_reader_fail(text: str) -> None:
    layout(text)
    assert isinstance(parse_toml(Path("x.toml"), text), TomlFile | Problem)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("\n" + "a." * 50_000 + "a = 1", 2, "64 levels"),
        ("[" + "a." * 50_000 + "a]", 1, "64 levels"),
        ("a = " + "[" * 5_000, 1, "64 levels"),
        ("a = " + "{b=" * 5_000, 1, "64 levels"),
        ("a = 1\n<<<<<<< ours\nb = 1\n=======\n", 2, "line 2 is a merge conflict marker. Resolve the conflict"),
        ("a = [\n1,\n>>>>>>> theirs\n]", 3, "merge conflict marker"),
        ('doc = """\n=======\n"""\nurl = "x\n', 4, "at column"),
        ("url =", 1, "not TOML"),
        ("a = 1\na = 2\nb = 3\n", 2, "not TOML"),
        ("a = " + "9" * 5_000, None, "too many digits"),
        ("a = 0x" + "f" * 5_000, None, "too many digits"),
        ("a = [{b = 0b" + "1" * 20_000 + "}]", None, "too many digits"),
        ("a = \0", 1, "not TOML"),
    ],
)
def test_invalid_toml_is_one_problem_with_its_line(text: str, line: int | None, words: str) -> None:
    problem = parse_toml(Path("sessions.toml"), text)
    assert isinstance(problem, Problem)
    assert problem.line == line
    assert words in problem.sentence
    assert problem.file == "sessions.toml"
