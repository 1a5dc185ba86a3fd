"""Fixes of a problem that a schema has with params: those that a person would take without a thought.

Each changes one place, and all else stays as it is typed. Whether the text is better for it is for the check to say:
whoever offers one has asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from rpcexplorer.jsontext.params import Fix
from rpcexplorer.jsontext.pointers import Places, ValuePlace
from rpcexplorer.jsontext.scan import decoded, elements, members
from rpcexplorer.model.method import DescribedParam
from rpcexplorer.model.schema.checks.wording import WordedProblem, member_of, texts_of
from rpcexplorer.model.schema.node import members_of
from rpcexplorer.model.schema.words import in_one_line
from rpcexplorer.model.templates.inert import inert_value

MOST: Final = 4
"""Of one problem."""
MOST_NAMES: Final = 500
LONGEST: Final = 100
"""Characters of a name that is compared with others."""
LABEL: Final = 30
NEAR: Final = 0.75
"""How like each other two names are of which one is the other misspelt; 1 is the same."""
APART: Final = 0.1
"""How much nearer one must be than the next."""
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_FOLDED: Final = re.compile(r"[\W_]+")


def fixes(text: str, found: WordedProblem) -> tuple[Fix, ...]:
    """What may mend it, the likeliest first."""
    match found.problem.keyword:
        case "additionalProperties":
            made = _renamed(text, found)
        case "type":
            made = _converted(text, found.place, texts_of(member_of(found.schema, "type")))
        case "enum" | "const":
            made = _chosen(text, found.place, found.schema)
        case _:
            return ()
    return tuple(fix for _, fix in zip(range(MOST), made, strict=False) if fix.text != text)


def by_name(text: str, params: Sequence[DescribedParam]) -> Fix | None:
    """The elements of an array as members of an object, each with the name of its position."""
    spans, start = elements(text), text.find("[")
    if not spans or len(spans) > len(params) or not all(param.name for param in params[: len(spans)]):
        return None
    parts, at = [text[:start], "{"], start + 1
    for (begin, end), param in zip(spans, params, strict=False):
        parts += [text[at:begin], f"{inert_value(param.name)}: ", text[begin:end]]
        at = end
    return Fix("give each its name", "".join([*parts, text[at:].replace("]", "}", 1)]))


def by_position(text: str, params: Sequence[DescribedParam]) -> Fix | None:
    """The members of an object as elements of an array, if none is missing before the last and all are known."""
    places = {member.name: member.value for member in members(text) or ()}
    names = [param.name for param in params[: len(places)]]
    if not places or set(names) != places.keys():
        return None
    return Fix("give them in their order", f"[{', '.join(text[slice(*places[name])] for name in names)}]")


def _renamed(text: str, found: WordedProblem) -> Iterator[Fix]:
    around = Places(text).at(found.problem.pointer[:-1])
    if around is None:
        return
    there = {each.name for each in members(text[around.start : around.end]) or ()}
    name = meant_name(found.name, [each for each in members_of(found.schema) if each not in there])
    if name:
        place = found.place
        yield Fix(
            f"rename it to “{in_one_line(name, LABEL)}”",
            _put(text, place.name_start, place.name_end, inert_value(name)),
        )


def _converted(text: str, place: ValuePlace, kinds: Iterable[str]) -> Iterator[Fix]:
    token, wanted = text[place.start : place.end], list(kinds)
    for value in _scalars(token, wanted):
        yield Fix(f"write {in_one_line(value, LABEL)}", _put(text, place.start, place.end, value))
    if token.startswith("["):
        spans = elements(token) or []
        if len(spans) == 1:
            yield Fix("take it out of the array", _put(text, place.start, place.end, token[slice(*spans[0])]))
    elif "array" in wanted:
        yield Fix("put it into an array", _put(text, place.start, place.end, f"[{token}]"))


def _scalars(typed: str, kinds: Sequence[str]) -> Iterator[str]:
    """The value as another kind has it."""
    if typed.startswith('"'):
        inside = decoded(typed).strip()
        number = _NUMBER.fullmatch(inside)
        if number and ("number" in kinds or ("integer" in kinds and not number[1])):
            yield inside
        if (word := inside.lower()) in {"true", "false"} and "boolean" in kinds:
            yield word
        if word == "null" and "null" in kinds:
            yield word
    elif not typed.startswith(("[", "{", "n")):
        if typed in {"0", "1"} and "boolean" in kinds:
            yield "true" if typed == "1" else "false"
        if "string" in kinds:
            yield f'"{typed}"'


def _chosen(text: str, place: ValuePlace, schema: Any) -> Iterator[Fix]:
    """The one of the values allowed that is spelled nearly so, or is of another kind."""
    choices = schema["enum"] if isinstance(schema.get("enum"), list) else [schema.get("const")]
    token = text[place.start : place.end]
    inside = decoded(token) if token.startswith('"') else token
    words = {each if isinstance(each, str) else inert_value(each): each for each in choices[:MOST_NAMES]}
    name = inside if inside in words else meant_name(inside, list(words))
    if name:
        spelled = inert_value(words[name])
        yield Fix(f"write {in_one_line(spelled, LABEL)}", _put(text, place.start, place.end, spelled))


def meant_name(name: str, names: Sequence[str]) -> str:
    """The one of the names that was meant; empty where none is near, or several are."""
    if len(name) > LONGEST:
        return ""
    near = [each for each in names[:MOST_NAMES] if len(each) <= LONGEST]
    alike = [each for each in near if _folded(each) == _folded(name)]
    if len(alike) == 1:
        return alike[0]
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(b=name.lower(), autojunk=False)
    scores: list[tuple[float, str]] = []
    for each in near:
        matcher.set_seq1(each.lower())
        if matcher.real_quick_ratio() >= NEAR and matcher.quick_ratio() >= NEAR and matcher.ratio() >= NEAR:
            scores.append((matcher.ratio(), each))
    scores.sort(reverse=True)
    if not scores or (len(scores) > 1 and scores[0][0] - scores[1][0] < APART):
        return ""
    return scores[0][1]


def _folded(name: str) -> str:
    return _FOLDED.sub("", name).casefold()


def _put(text: str, start: int, end: int, new: str) -> str:
    return f"{text[:start]}{new}{text[end:]}"
