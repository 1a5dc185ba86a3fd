"""Words of a command as params, with and without the method's schema."""

from __future__ import annotations

import pytest

from rpcexplorer.cli.words import Made, are_json, params_of
from rpcexplorer.model.method import Described, DescribedParam

SCHEMAS = Described(
    params=(
        DescribedParam("limit", {"type": "integer"}),
        DescribedParam("name", {"type": "string"}),
        DescribedParam("either", {"type": ["string", "integer"]}),
        DescribedParam("tags", {"$ref": "#/tags"}),
        DescribedParam("any", True),
    ),
    definitions={"#/tags": {"type": "array"}},
)


@pytest.mark.parametrize(
    ("words", "without", "with_schema"),
    [
        (["5"], "[5]", "[5]"),
        (["0x1", "false"], '["0x1", false]', '["0x1", "false"]'),
        (["5", "5", "5", "[5]", "5"], "[5, 5, 5, [5], 5]", '[5, "5", 5, [5], 5]'),
        (["007", "1e3", "null", "-1.5"], '["007", 1e3, null, -1.5]', '["007", "1e3", "null", "-1.5"]'),
        (['"5"', '"5"'], '["5", "5"]', '["\\"5\\"", "5"]'),
        (["5", "a", "b", "c", "d", "6"], '[5, "a", "b", "c", "d", 6]', '[5, "a", "b", "c", "d", 6]'),
        (["{{who}}", ""], '["{{who}}", ""]', '["{{who}}", ""]'),
        (["1, 2", "[1"], '["1, 2", "[1"]', '["1, 2", "[1"]'),
        (["http://h/?a=1", "b c=d"], '["http://h/?a=1", "b c=d"]', '["http://h/?a=1", "b c=d"]'),
        (["limit=5"], '{"limit": "5"}', '{"limit": 5}'),
        (["limit=five"], '{"limit": "five"}', '{"limit": "five"}'),
        (["limit=1.5"], '{"limit": "1.5"}', '{"limit": "1.5"}'),
        (["name=5", "either=5", "any=5"], '{"name": "5", "either": "5", "any": "5"}', ""),
        (['tags=["a"]', "tags:=1"], '{"tags": "[\\"a\\"]", "tags": 1}', '{"tags": ["a"], "tags": 1}'),
        (["unknown=5", "limit:=5"], '{"unknown": "5", "limit": 5}', ""),
    ],
)
def test_words_are_params(words: list[str], without: str, with_schema: str) -> None:
    assert params_of(words, None).text == without
    assert params_of(words, SCHEMAS).text == (with_schema or without)


def test_only_a_mixture_that_nothing_explains_is_a_guess() -> None:
    assert params_of(["0x1", "false"], None) == Made('["0x1", false]', is_guessed=True)
    assert not params_of(["0x1", "false"], SCHEMAS).is_guessed
    assert not params_of(["1", "2"], None).is_guessed
    assert not params_of(["a", "b"], None).is_guessed
    assert not params_of(["a=1", "b:=2"], None).is_guessed


def test_one_array_or_object_is_the_whole_params() -> None:
    assert are_json(["[1]"])
    assert are_json([' {"a": 1'])
    assert not are_json(["1"])
    assert not are_json(["[1]", "[2]"])
