"""What a check has found, in plain sentences: what is wrong, what is allowed, and where it stands in the text.

The words of the library that checks are for programmers of schemas; these are for whoever typed the params. Text of
the service stays as it is, in one line: it is made printable where it is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.jsontext.pointers import ValuePlace
from rpcexplorer.model.problem import MOST_TOLD, SchemaProblem, Violation
from rpcexplorer.model.schema.checks.checkable import Checkable
from rpcexplorer.model.schema.checks.phrases import counted, either, kind_of_text, listed, must, short, spelled_value
from rpcexplorer.model.schema.node import members_of
from rpcexplorer.model.schema.words import step_words
from rpcexplorer.model.secret import PLACEHOLDER
from rpcexplorer.model.templates.references import OPENING

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


def worded(checkable: Checkable, text: str, violations: Iterable[Violation]) -> tuple[WordedProblem, ...]:
    """Each in words, in the order of the text; what a reference ``{{…}}`` may still put right is none."""
    found: dict[tuple[object, ...], WordedProblem] = {}
    wording = _Wording(checkable, text)
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
    def __init__(self, checkable: Checkable, text: str) -> None:
        self._checkable, self._text = checkable, text
        self._has_references = bool(checkable.by) and (OPENING in text or "«" in text)

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
        if self._checkable.by != "position" or len(violation.path) != 1 or not isinstance(violation.path[0], int):
            return False
        index, params = violation.path[0], self._checkable.params
        return index < len(params) and not params[index].required and self._text[place.start : place.end] == "null"

    def _is_position(self, path: Sequence[str | int]) -> bool:
        return not path and self._checkable.by == "position"

    def _unexpected(self, violation: Violation, schema: Any, place: ValuePlace) -> Iterator[WordedProblem]:
        allowed = list(members_of(schema))
        is_params = self._checkable.by and not violation.path
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
        params = self._checkable.params
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
                return f"at most {counted(rule, 'param')}: {self._params()}"
        return f"{name} {must(keyword, rule)}"

    def _params(self) -> str:
        return listed(param.name or f"param {index}" for index, param in enumerate(self._checkable.params, 1))

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
            schema = members_of(self._checkable.schema, "$defs").get(reference.rpartition("/")[2])
        return schema

    def _rule(self, path: Sequence[str | int]) -> tuple[Any, Any]:
        """The schema that a keyword stands in, and what the keyword says."""
        above: Any = None
        part: Any = self._checkable.schema
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
            return "params" if self._checkable.by else "the result"
        first, *rest = path
        told = str(first)
        if isinstance(first, int):
            params = self._checkable.params
            named = params[first].name if self._checkable.by == "position" and first < len(params) else ""
            told = named or (f"param {first + 1}" if self._checkable.by else f"result[{first}]")
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
