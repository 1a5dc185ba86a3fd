"""What a schema problem means, in words, and its fix."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.jsontext.params import Fix
from rpcexplorer.jsontext.pointers import Places, ValuePlace
from rpcexplorer.jsontext.scan import decoded, elements, members
from rpcexplorer.model.method import DescribedParam
from rpcexplorer.model.problem import MOST_TOLD, SchemaProblem
from rpcexplorer.model.secret import PLACEHOLDER
from rpcexplorer.schema.bundle import Bundle
from rpcexplorer.schema.node import members_of
from rpcexplorer.schema.words import in_one_line, step_words
from rpcexplorer.variables.references import OPENING, inert_value

NAMED: Final = 8
"""Choices or names that are told."""
LONGEST: Final = 60
"""Characters of one of them."""
KIND_WORDS: Final = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "an array",
    "null": "null",
}
_WORDS: Final = {
    "not": "is what may not stand there",
    "propertyNames": "has a name that may not be there",
    "uniqueItems": "has the same element twice",
    "contains": "lacks an element that must be among them",
    "minContains": "lacks elements that must be among them",
    "maxContains": "has too many elements of one kind",
    "oneOf": "fits more than one of the alternatives, and may fit only one",
    "anyOf": "fits none of the alternatives",
}
"""For what is told alike whatever the schema says."""
_LIMITS: Final = {
    "minimum": ("must be", "", " or more"),
    "maximum": ("must be", "", " or less"),
    "exclusiveMinimum": ("must be more than", "", ""),
    "exclusiveMaximum": ("must be less than", "", ""),
    "multipleOf": ("must be a multiple of", "", ""),
    "minLength": ("must have at least", "character", ""),
    "maxLength": ("must have at most", "character", ""),
    "minItems": ("must have at least", "element", ""),
    "maxItems": ("must have at most", "element", ""),
    "minProperties": ("must have at least", "member", ""),
    "maxProperties": ("must have at most", "member", ""),
}


class Violation(Struct, frozen=True):
    """One thing that a schema has against a text."""

    path: tuple[str | int, ...]
    """Names and numbers that lead to the value."""
    rule: tuple[str | int, ...]
    """Keywords and names that lead to the keyword in the schema, through references."""
    place: ValuePlace | None = None
    name: str = ""
    """What is missing."""
    unexpected: tuple[tuple[str, ValuePlace | None], ...] = ()
    """What may not be there."""
    size: int = 0
    """Elements of an array that has too few of them, or too many."""
    surplus: ValuePlace | None = None
    """Where the first one stands that is too many."""
    alternatives: tuple[tuple[Violation, ...], ...] = ()
    """What each alternative has against it."""


def must(keyword: str, rule: Any) -> str:
    """What a keyword wants of a value: ``must be 3 or more``."""
    match keyword:
        case "enum" if isinstance(rule, list):
            return f"must be {'one of ' if len(rule) > 1 else ''}{listed(map(spelled_value, rule))}"
        case "const":
            return f"must be {short(spelled_value(rule))}"
        case "pattern":
            return f"must match {short(str(rule))}"
    if isinstance(rule, int | float) and (words := _LIMITS.get(keyword)):
        return f"{words[0]} {with_unit(rule, words[1])}{words[2]}"
    if rule is False:
        return "may not be there"
    return _WORDS.get(keyword) or f"does not fit “{short(keyword)}” of its schema"


def kind_of_text(text: str) -> str:
    """What JSON text is, in words."""
    kinds = {'"': "string", "{": "object", "[": "array", "t": "boolean", "f": "boolean", "n": "null"}
    return KIND_WORDS[kinds.get(text[:1], "number")] if text else "nothing"


def either(kinds: Iterable[str]) -> str:
    words = [KIND_WORDS.get(kind, kind) for kind in kinds]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}" if words else "something else"


def listed(names: Iterable[str]) -> str:
    every = list(names)
    return ", ".join([short(name) for name in every[:NAMED]]) + (f" … ({len(every):,})" if len(every) > NAMED else "")


def with_unit(number: float, unit: str) -> str:
    told = short(spelled_value(number))
    return f"{told} {unit}{'s' * (number != 1)}" if unit else told


def spelled_value(value: Any) -> str:
    """As JSON has it; a sign where nobody would read it: thousands of digits, a thousand levels."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return "…"


def short(text: str) -> str:
    return in_one_line(text, LONGEST)


STEPS: Final = 3
"""Steps of a path that are told."""
_HELD: Final = frozenset({"required", "dependentRequired", "additionalProperties", "unevaluatedProperties"})
"""Keywords about the names in an object: they hold whatever takes the place of a reference in one of its values."""
_OF_SHAPE: Final = frozenset({"type", "minItems", "maxItems", "minProperties", "maxProperties"})
"""Keywords that no value inside of an object or array can put right."""


class WordedProblem(Struct, frozen=True):
    """A problem in words, and what is needed to mend it."""

    problem: SchemaProblem
    schema: Any = None
    """The schema that the keyword stands in."""
    place: ValuePlace = ValuePlace(0, 0, 0, 0)
    """Where the value stands."""
    name: str = ""
    """The member that is missing, or may not be there."""


def worded(bundle: Bundle, text: str, violations: Iterable[Violation]) -> tuple[WordedProblem, ...]:
    """Each in words, in the order of the text; what a reference ``{{…}}`` may still put right is none."""
    found: dict[tuple[object, ...], WordedProblem] = {}
    wording = _Wording(bundle, text)
    for violation in _without_consequences(violations):
        for each in wording.told(violation):
            problem = each.problem
            found.setdefault((problem.pointer, problem.sentence), each)
    ordered = sorted(found.values(), key=lambda each: (each.problem.offset, each.problem.end))[:MOST_TOLD]
    return tuple(_with_lines(text, ordered))


def _without_consequences(violations: Iterable[Violation]) -> Iterator[Violation]:
    """Where a part does not hold, its members count as known to nobody: that alone is what to say."""
    every = list(violations)
    causes = [each.path for each in every if "unevaluatedProperties" not in each.rule[-1:]]
    for each in every:
        is_cause = "unevaluatedProperties" not in each.rule[-1:]
        if is_cause or not any(path[: len(each.path)] == each.path for path in causes):
            yield each


def _with_lines(text: str, found: list[WordedProblem]) -> Iterator[WordedProblem]:
    line, at = 1, 0
    for each in found:
        offset = each.problem.offset
        line += text.count("\n", at, offset) + text.count("\r", at, offset) - text.count("\r\n", at, offset)
        at = offset
        start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
        yield replace(each, problem=replace(each.problem, line=line, column=offset - start + 1))


class _Wording:
    def __init__(self, bundle: Bundle, text: str) -> None:
        self._bundle, self._text = bundle, text
        self._has_references = bool(bundle.by) and (OPENING in text or "«" in text)

    def told(self, violation: Violation) -> Iterator[WordedProblem]:
        place = violation.place or ValuePlace(0, len(self._text), 0, 0)
        keyword = _keyword(violation.rule)
        schema, rule = self._rule(violation.rule)
        if self._is_open(violation) or self._is_left_out(violation, place):
            return
        match keyword:
            case "additionalProperties" | "unevaluatedProperties" if violation.unexpected:
                yield from self._unexpected(violation, schema, place)
            case "anyOf" | "oneOf" if best := best_alternative(violation):
                yield from (found for each in best for found in self.told(each))
            case "anyOf" | "oneOf" if kinds := self._kinds_of_all(violation):
                sentence = f"{self._named(violation.path)} must be {either(kinds)}; this is {self._is(place)}"
                yield self._found(violation, "type", sentence, place, {"type": list(kinds)})
            case "minItems" if self._is_position(violation.path):
                yield from self._missing_positions(violation, schema, rule, place)
            case _:
                place = violation.surplus or place
                sentence = self._sentence(violation, keyword, schema, rule, place)
                yield self._found(violation, keyword, sentence, place, schema)

    def _found(
        self, violation: Violation, keyword: str, sentence: str, place: ValuePlace, schema: Any
    ) -> WordedProblem:
        is_inside = keyword in {"required", "dependentRequired", "minItems"}
        end = min(place.start + 1, place.end) if is_inside else place.end
        path = (*violation.path, violation.name) if violation.name and is_inside else violation.path
        problem = SchemaProblem(path, keyword, sentence, place.start, end)
        return WordedProblem(problem, schema, place, violation.name)

    def _is_open(self, violation: Violation) -> bool:
        """Whether a reference or a placeholder stands there, the value of which may make it right."""
        keyword = _keyword(violation.rule)
        if not self._has_references or keyword in _HELD:
            return False
        if violation.alternatives:
            return any(all(map(self._is_open, branch)) for branch in violation.alternatives)
        token = self._text[violation.place.start : violation.place.end] if violation.place else self._text
        if token.startswith('"'):  # a secret is a text
            return OPENING in token or (keyword != "type" and bool(PLACEHOLDER.fullmatch(token[1:-1])))
        return keyword not in _OF_SHAPE and (OPENING in token or bool(PLACEHOLDER.search(token)))

    def _is_left_out(self, violation: Violation, place: ValuePlace) -> bool:
        """Whether it is null in the position of a param that is not required: so servers have it left out."""
        if self._bundle.by != "position" or len(violation.path) != 1 or not isinstance(violation.path[0], int):
            return False
        index, params = violation.path[0], self._bundle.params
        return index < len(params) and not params[index].required and self._text[place.start : place.end] == "null"

    def _is_position(self, path: Sequence[str | int]) -> bool:
        return not path and self._bundle.by == "position"

    def _unexpected(self, violation: Violation, schema: Any, place: ValuePlace) -> Iterator[WordedProblem]:
        allowed = list(members_of(schema))
        is_params = self._bundle.by and not violation.path
        of = "its params" if is_params else f"the members of {self._spelled(violation.path)}"
        told = f": {listed(allowed)}" if allowed else ", which has none"
        if _keyword(violation.rule) != "additionalProperties":  # others may be known elsewhere in the schema
            told = ""
        for name, at in violation.unexpected:
            if self._has_references and OPENING in name:
                continue
            stands = at or place
            sentence = f"“{short(name)}” is not one of {of}{told}"
            keyword = "additionalProperties"
            problem = SchemaProblem((*violation.path, name), keyword, sentence, stands.name_start, stands.name_end)
            yield WordedProblem(problem, schema, stands, name)

    def _missing_positions(
        self, violation: Violation, schema: Any, rule: Any, place: ValuePlace
    ) -> Iterator[WordedProblem]:
        params = self._bundle.params
        for index in range(violation.size, min(int(rule), len(params))):
            param = params[index]
            if not violation.size and not param.required:  # nothing is given yet: what must be is worth a word
                continue
            name = param.name or f"param {index + 1}"
            sentence = f"{short(name)} is missing{self._allowed(_element(schema, index))}"
            problem = SchemaProblem((index,), "minItems", sentence, max(place.end - 1, place.start), place.end)
            yield WordedProblem(problem, schema, place, param.name)

    def _kinds_of_all(self, violation: Violation) -> dict[str, None]:
        """The kinds that the alternatives want, where it is for its kind that none of them fits."""
        kinds: dict[str, None] = {}
        for branch in violation.alternatives:
            about = [each for each in branch if each.path == violation.path and _keyword(each.rule) == "type"]
            if not about:
                return {}
            kinds |= dict.fromkeys(texts_of(self._rule(about[0].rule)[1]))
        return kinds

    def _sentence(self, violation: Violation, keyword: str, schema: Any, rule: Any, place: ValuePlace) -> str:
        name = self._named(violation.path)
        match keyword:
            case "type":
                return f"{name} must be {either(texts_of(rule))}; this is {self._is(place)}"
            case "required" | "dependentRequired":
                missing = short(self._spelled((*violation.path, violation.name)))
                return f"{missing} is missing{self._allowed(members_of(schema).get(violation.name))}"
            case "maxItems" if self._is_position(violation.path):
                return f"at most {with_unit(rule, 'param')}: {self._params()}"
        return f"{name} {must(keyword, rule)}"

    def _params(self) -> str:
        return listed(param.name or f"param {index}" for index, param in enumerate(self._bundle.params, 1))

    def _allowed(self, schema: Any) -> str:
        """What may stand there, in brackets."""
        schema = self._followed(schema)
        kinds, choices = texts_of(member_of(schema, "type")), member_of(schema, "enum")
        words = [f"one of {listed(map(spelled_value, choices))}"] if isinstance(choices, list) else kinds
        words += [said] if isinstance(said := member_of(schema, "format"), str) else []
        return f" ({short(', '.join(words))})" if words else ""

    def _followed(self, schema: Any) -> Any:
        for _ in range(8):
            reference = member_of(schema, "$ref")
            if not isinstance(reference, str):
                break
            schema = members_of(self._bundle.schema, "$defs").get(reference.rpartition("/")[2])
        return schema

    def _rule(self, path: Sequence[str | int]) -> tuple[Any, Any]:
        """The schema that a keyword stands in, and what the keyword says."""
        above: Any = None
        part: Any = self._bundle.schema
        for step in path:
            above = part
            if isinstance(part, list):
                part = part[step] if isinstance(step, int) and step < len(part) else None
            else:
                part = self._followed(part) if step == "$ref" else member_of(part, str(step))
        return above, part

    def _named(self, path: Sequence[str | int]) -> str:
        return short(self._spelled(path))

    def _spelled(self, path: Sequence[str | int]) -> str:
        """``filter.kind``, ``tags[2]``; the names of params where they are given by position."""
        if not path:
            return "params" if self._bundle.by else "the result"
        first, *rest = path
        told = str(first)
        if isinstance(first, int):
            params = self._bundle.params
            named = params[first].name if self._bundle.by == "position" and first < len(params) else ""
            told = named or (f"param {first + 1}" if self._bundle.by else f"result[{first}]")
        steps = [told, *step_words(rest)]
        return "".join(steps) if len(steps) <= STEPS else f"…{''.join(steps[-STEPS:])}".replace("….", "…")

    def _is(self, place: ValuePlace) -> str:
        return kind_of_text(self._text[place.start : place.end])


def best_alternative(violation: Violation) -> tuple[Violation, ...]:
    """What the alternative has against it that was meant most likely: its kind is right, and least is wrong with it."""
    meant = [
        branch
        for branch in violation.alternatives
        if branch and not any(each.path == violation.path and _keyword(each.rule) == "type" for each in branch)
    ]
    return min(meant, key=lambda branch: (len(branch), -max(len(each.path) for each in branch)), default=())


def _keyword(rule: Sequence[str | int]) -> str:
    return next((step for step in reversed(rule) if isinstance(step, str)), "")


def _element(schema: Any, index: int) -> Any:
    first = member_of(schema, "prefixItems")
    return first[index] if isinstance(first, list) and index < len(first) else None


def member_of(schema: Any, key: str) -> Any:
    return schema.get(key) if isinstance(schema, dict) else None


def texts_of(value: Any) -> list[str]:
    """One text or several; what else stands among them is none."""
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else [str(value)] * bool(value)


MOST: Final = 4
"""Of one problem."""
MOST_NAMES: Final = 500
MAX_NAME_CHARACTERS: Final = 100
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
    if len(name) > MAX_NAME_CHARACTERS:
        return ""
    near = [each for each in names[:MOST_NAMES] if len(each) <= MAX_NAME_CHARACTERS]
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
