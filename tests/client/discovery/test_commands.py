"""Commands for a shell as examples of params."""

from __future__ import annotations

from typing import Any

import pytest

from rpcexplorer.discovery.help import MOST_COMMANDS, MOST_EXAMPLES, examples_of

KINDS = (("string",), ("number",), ("array",), ("number", "string"))


def params_of(*lines: str) -> list[Any]:
    return [each.params for each in examples_of(lines, "send", KINDS)]


@pytest.mark.parametrize(
    ("command", "params"),
    [
        ("coin-cli send", []),
        ('coin-cli send "00" 2', ["00", 2]),
        ("coin-cli send 7", ["7"]),
        (r'coin-cli send "" 1.5 "[\"a\", 1]" all', ["", 1.5, ["a", 1], "all"]),
        ("coin-cli send a 1 [] 7", ["a", 1, [], 7]),
        ('coin-cli -named send to=a count=2 more="[1]"', {"to": "a", "count": 2, "more": [1]}),
        ("""curl --data-binary '{"method": "send", "params": ["a", 2]}' -H 'x' http://127.0.0.1/""", ["a", 2]),
        (r"""curl --data-binary '{"method": "send", "params": ["a", "2", "[1]"]}'""", ["a", 2, [1]]),
        ("""curl --data-binary '{"method": "send", "params": {"to": "a"}}'""", {"to": "a"}),
    ],
)
def test_a_command_is_read_as_the_params_that_it_sends(command: str, params: Any) -> None:
    assert params_of(f"> {command}") == [params]


@pytest.mark.parametrize(
    "command",
    [
        "coin-cli other 1",
        "coin-cli",
        "",
        "coin-cli send a two",
        "coin-cli send a 1 [] 7 8",
        'coin-cli send "a',
        "coin-cli -named send a",
        "curl",
        "curl --data-binary",
        "curl --data-binary '{'",
        "curl --data-binary '[]'",
        """curl --data-binary '{"method": "other", "params": []}'""",
        """curl --data-binary '{"method": "send", "params": 7}'""",
        """curl --data-binary '{"method": "send", "params": ["a", "two"]}'""",
    ],
)
def test_a_command_that_is_none_of_the_method_or_does_not_fit_is_left_out(command: str) -> None:
    assert params_of(f"> {command}") == []


def test_an_example_has_the_words_above_it_and_stands_there_once() -> None:
    lines = ("", "Send all:", "> coin-cli send a", "", "Again", "> coin-cli send a", "> coin-cli send b")
    assert [(each.name, each.params) for each in examples_of(lines, "send", KINDS)] == [
        ("Send all", ["a"]),
        ("", ["b"]),
    ]


def test_there_are_so_many_examples_and_no_more() -> None:
    assert len(params_of(*(f"> coin-cli send {number}" for number in range(100)))) == MOST_EXAMPLES
    assert params_of(*["> coin-cli other"] * MOST_COMMANDS, "> coin-cli send a") == []
