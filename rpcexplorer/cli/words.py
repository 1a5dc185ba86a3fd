"""Words of a command as params: ``0x1 false``, ``name=Ada``, ``page:=1``.

The type of a word is what the method's schema says. Without one, a word by position is JSON if it can be, and a word
``name=text`` is text.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Final

import click
from msgspec import Struct

from rpcexplorer.jsontext.params import Params, Typo
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.method import Described
from rpcexplorer.model.problem import capitalised
from rpcexplorer.patterns import regex
from rpcexplorer.rpc.messages import spelled

PAIR = regex(r"([^\s=:{}\[\]\"',]+)(:?=)(.*)", re.DOTALL)
"""A word ``name=text`` or ``name:=json``."""


class Made(Struct, frozen=True):
    """What was made of the words."""

    text: str
    is_guessed: bool = False
    """The types of some words are guessed from their text."""


def are_json(words: Sequence[str]) -> bool:
    """Return whether the words are the whole params as one JSON text."""
    return len(words) == 1 and words[0].lstrip().startswith(("[", "{"))


def are_open(words: Sequence[str]) -> bool:
    """Return whether a schema could say more about the type of a word."""
    return any(":=" not in word for word in words)


def params_of(words: Sequence[str], described: Described | None) -> Made:
    """Return the params; end the command if the words cannot be combined."""
    pairs = [PAIR.fullmatch(word) for word in words]
    if not any(pairs):
        return _by_position(words, described)
    members = []
    for word, pair in zip(words, pairs, strict=True):
        if pair is None:
            raise click.UsageError(
                f"{word} has no name, but other params have one. Write each param as name=text or name:=json, "
                """or all params as one JSON text in quotes, such as '{"page": 1}' or '[1, 2]'."""
            )
        name, sign, value = pair.groups()
        if sign == ":=":
            _check(name, value)
        else:
            kinds = _kinds(described, name)
            is_json = "string" not in kinds and _fits(value, kinds)
            value = value if is_json else spelled(value)
        members.append(f"{spelled(name)}: {value}")
    return Made("{" + ", ".join(members) + "}")


def _by_position(words: Sequence[str], described: Described | None) -> Made:
    values, guesses = [], set()
    for number, word in enumerate(words):
        kinds = _kinds(described, number)
        is_json = _fits(word, kinds) if kinds else bool(_kind(word))
        if not kinds:
            guesses.add(is_json)
        values.append(word if is_json else spelled(word))
    return Made("[" + ", ".join(values) + "]", is_guessed=len(guesses) > 1)


def _kinds(described: Described | None, place: str | int) -> Sequence[str]:
    """Return the types that the schema allows for a param; empty if it does not say."""
    if described is None:
        return ()
    from rpcexplorer.schema.node import SchemaReader  # Few commands have such words.

    params = described.params
    found = [param for number, param in enumerate(params) if place in {number, param.name}]
    if not found:
        return ()
    node = SchemaReader(described.definitions).node(found[0].schema)
    return node.kinds if node.is_sure else ()


def _fits(word: str, kinds: Sequence[str]) -> bool:
    """Return whether a word is JSON of one of these types."""
    from rpcexplorer.schema.node import is_kind

    return is_kind(_kind(word), kinds)


_KINDS: Final = {'"': "string", "[": "array", "{": "object", "t": "boolean", "f": "boolean", "n": "null"}
"""Types by the first character of JSON."""


def _kind(word: str) -> str:
    """Return the type of a word that is one JSON value, or nothing."""
    read = Draft("", f"[{word}]").read()
    if not isinstance(read, Params) or read.size != 1:
        return ""
    is_whole = word.strip().lstrip("-").isdecimal()
    return _KINDS.get(word.lstrip()[0], "integer" if is_whole else "number")


def _check(name: str, value: str) -> None:
    """End the command if the JSON of a word is not exactly one value."""
    start = value.lstrip()
    whole = start.startswith(("[", "{")) and not start.startswith("{{")
    text = value if whole else f"[{value}]"
    read = Draft("", text).read()
    instead = ""
    if isinstance(read, Typo):
        problem, better, instead = read.what, _better(read, whole=whole), read.instead
    elif whole or read.size == 1:
        return
    elif read.size:
        problem, better = "only one value is allowed", text
    else:
        problem, better = "the value is missing", "null"
    ways = [f"{name}:={better}"] if better else []
    if not whole and not value.startswith(('"', "'")):
        ways.append(f"{name}={value}")
    if ways:
        instead = f"write {' or '.join(map(shlex.quote, ways))} instead"
    raise click.UsageError(f"{name}:={value} cannot be sent: {problem}. {capitalised(instead)}.")


def _better(problem: Typo, *, whole: bool) -> str:
    """Return the value with all fixes applied; empty if there is no fix.

    The brackets that were added to parse the value are removed again.
    """
    from rpcexplorer.text.problems import fix_all

    fixed = fix_all(problem)
    if fixed is None:
        return ""
    _, text = fixed
    read = Draft("", text).read()
    one = isinstance(read, Params) and read.kind == "array" and read.size == 1
    return text[1:-1] if one and not whole else text
