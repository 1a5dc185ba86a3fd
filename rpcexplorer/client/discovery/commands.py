"""Examples as Bitcoin's kin give them, commands for a shell, read as params: ``> coin-cli getblock "00…" 2``."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

from rpcexplorer.client.discovery.answers import value_of
from rpcexplorer.client.discovery.limits import LINE, line_of
from rpcexplorer.model.method import ExampleCall

MOST_EXAMPLES: Final = 20
MOST_COMMANDS: Final = 100
"""That are looked at for examples."""
LONGEST_COMMAND: Final = 4_000
PROMPT: Final = "> "
BY_NAME: Final = "-named"
Kinds = Sequence[str]


def examples_of(lines: Iterable[str], method: str, kinds: Sequence[Kinds]) -> Iterator[ExampleCall]:
    """Calls of a method, each once, under the words that stand above them. ``kinds``: of each of its params."""
    words, told, looked_at = "", list[Any](), 0
    for line in lines:
        if not line.startswith(PROMPT):
            words = line_of(line, LINE).rstrip(":") or words
            continue
        looked_at += 1
        params = _params(line[len(PROMPT) : LONGEST_COMMAND], method, kinds)
        if params is not None and params not in told:
            told.append(params)
            yield ExampleCall(words, params)
        words = ""
        if len(told) == MOST_EXAMPLES or looked_at == MOST_COMMANDS:
            return


def _params(command: str, method: str, kinds: Sequence[Kinds]) -> Any:
    """What a command would send; None where it is of another method, or not as the method's params are."""
    try:
        program, *rest = shlex.split(command)
    except ValueError:  # no closing quotation
        return None
    if program == "curl":
        return _posted(rest, method, kinds)
    is_by_name = BY_NAME in rest
    rest = [word for word in rest if not (is_by_name and word == BY_NAME)]
    if rest[:1] != [method] or (is_by_name and not all("=" in word for word in rest[1:])):
        return None
    if is_by_name:
        return {name: _typed(value, ()) for name, _, value in (word.partition("=") for word in rest[1:])}
    return _all_of([_typed(word, _at(kinds, place)) for place, word in enumerate(rest[1:])], kinds)


def _posted(words: list[str], method: str, kinds: Sequence[Kinds]) -> Any:
    """The params of the call that ``curl`` would post."""
    bodies = [body for option, body in pairwise(words) if option == "--data-binary"]
    call = value_of(bodies[0].encode("utf-8", "replace")).value if bodies else None
    if not isinstance(call, dict) or call.get("method") != method:
        return None
    params = call.get("params")
    if not isinstance(params, list):
        return params if isinstance(params, dict) else None
    return _all_of([_retyped(value, _at(kinds, place)) for place, value in enumerate(params)], kinds)


def _all_of(values: list[Any], kinds: Sequence[Kinds]) -> Any:
    return None if len(values) > len(kinds) or any(value is NOT_IT for value in values) else values


NOT_IT: Final = object()
"""What stands for a value that the param cannot be."""


def _typed(word: str, kinds: Kinds) -> Any:
    """A word of a command as the value that it stands for."""
    if [*kinds] == ["string"]:
        return word
    answer = value_of(word.encode("utf-8", "replace"))
    if not answer.refusal:
        return answer.value
    return word if not kinds or "string" in kinds else NOT_IT


def _retyped(value: Any, kinds: Kinds) -> Any:
    """A value as it is; some examples have JSON in a string where the param is none."""
    return _typed(value, kinds) if isinstance(value, str) and kinds and "string" not in kinds else value


def _at(kinds: Sequence[Kinds], place: int) -> Kinds:
    return kinds[place] if place < len(kinds) else ()
