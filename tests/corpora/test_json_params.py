"""Every JSON case as params: sent unchanged, or rejected at its place."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.client.preview import preview
from rpcexplorer.jsontext.params import Params, Typo, parse
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.exchange import Preview
from rpcexplorer.model.profile import Profile
from rpcexplorer.text.printable import printable
from rpcexplorer.text.problems import marked
from tests.corpora.json_cases import CHECKER, EVERYTHING, NOT_JSON, OPEN, RIGHT, WRONG, Cases
from tests.corpora.road import ID, unseen

PROFILE = Profile("shop", "http://127.0.0.1")
BLANKS = re.compile(r'("(?:[^"\\]|\\.)*")|[ \t\r\n]+')
LINES = re.compile(r"\r\n|\r|\n")
BLANK = {name: text for name, text in EVERYTHING.items() if not text.removeprefix(b"\xef\xbb\xbf").strip(b" \t\r\n")}


def without_blank(cases: Cases) -> Cases:
    return {name: text for name, text in cases.items() if name not in BLANK}


def for_every(cases: Cases) -> pytest.MarkDecorator:
    """Parametrize by every case; undecodable bytes as a shell passes them."""
    typed = {name: text.decode("utf-8", "surrogateescape") for name, text in cases.items()}
    return pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in typed.items()])


def body(draft: Draft | Batch) -> str:
    """Return the body of the request."""
    request = preview(PROFILE, draft, ID, has_session=False)
    assert isinstance(request, Preview), request
    return request.body.decode()


def assert_sent_as_typed(text: str) -> None:
    params = BLANKS.sub(r"\1", text)
    assert body(Draft("m", text)) == f'{{"jsonrpc":"2.0","id":"{ID}","method":"m","params":{params}}}'
    assert body(Draft("m", text, notification=True)) == f'{{"jsonrpc":"2.0","method":"m","params":{params}}}'
    assert body(Batch(f'[{{"method":"m","params":{text}}}]')).endswith(f'"method":"m","params":{params}}}]')


def assert_refused_at_its_place(problem: Typo, text: str) -> None:
    assert 0 <= problem.offset <= problem.end <= len(text)
    before = LINES.split(text[: problem.offset])
    assert (problem.line, problem.column) == (len(before), len(before[-1]) + 1)
    instead = problem.instead[:1].upper() + problem.instead[1:]
    assert str(problem) == f"line {problem.line}, column {problem.column}: {problem.what}. {instead}"
    assert problem.what
    assert problem.instead
    assert unseen(str(problem)) == set()
    assert "\n" not in str(problem)
    line, caret, *_ = shown = marked(text, problem).split("\n")
    assert unseen("".join(shown)) == set()
    whole = LINES.split(text[problem.offset - problem.column + 1 :])[0]
    assert line[2:] in printable(whole)
    assert caret.strip(" ") == "^"


@for_every(RIGHT)
def test_right_params_are_sent_byte_for_byte(text: str) -> None:
    assert isinstance(parse(text), Params)
    assert_sent_as_typed(text)


@for_every(without_blank(WRONG | NOT_JSON))
def test_wrong_params_are_rejected_at_their_place(text: str) -> None:
    problem = parse(text)
    assert isinstance(problem, Typo)
    assert_refused_at_its_place(problem, text)


@for_every(without_blank(OPEN | CHECKER))
def test_optional_json_is_sent_unchanged_or_rejected(text: str) -> None:
    verdict = parse(text)
    if isinstance(verdict, Typo):
        assert_refused_at_its_place(verdict, text)
    else:
        assert_sent_as_typed(text.removeprefix("\ufeff"))


@for_every(BLANK)
def test_empty_params_are_sent_as_an_array(text: str) -> None:
    assert body(Draft("m", text)).endswith('"params":[]}')


SCALARS = st.sampled_from(
    ["1.10", "-0", "1E+02", "9" * 40, "true", "null", '"\\u0041 \\/"', '" : , "', '"\\ud800"', '"é漢😀"']
)
NAMES = st.sampled_from(['"a"', '""', '"\\u0061"', '"x y"'])


def _array(items: list[list[str]]) -> list[str]:
    return ["[", *(token for number, item in enumerate(items) for token in [*([","] * (number > 0)), *item]), "]"]


def _object(items: list[tuple[str, list[str]]]) -> list[str]:
    members = [[name, ":", *value] for name, value in items]
    return ["{", *_array(members)[1:-1], "}"]


def _containers(inner: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
    return st.lists(inner, max_size=3).map(_array) | st.lists(st.tuples(NAMES, inner), max_size=3).map(_object)


TOKENS = _containers(st.recursive(SCALARS.map(lambda token: [token]), _containers, max_leaves=8))


@given(TOKENS, st.data())
def test_blanks_between_tokens_are_not_sent(tokens: list[str], data: st.DataObject) -> None:
    blanks = st.text(" \t\r\n", max_size=2)
    typed = "".join(data.draw(blanks) + token for token in tokens) + data.draw(blanks)
    verdict = parse(typed)
    assert isinstance(verdict, Params)
    assert verdict.text == "".join(tokens)
