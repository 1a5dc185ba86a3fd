"""Explain errors of the validator in words, with fixes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.jsontext.params import Fix
from rpcexplorer.jsontext.pointers import Places, ValuePlace
from rpcexplorer.jsontext.scan import decoded, elements, members
from rpcexplorer.model.method import DescribedParam
from rpcexplorer.model.problem import MOST_PROBLEMS, SchemaProblem
from rpcexplorer.model.secret import PLACEHOLDER
from rpcexplorer.patterns import regex
from rpcexplorer.schema.bundle import Bundle
from rpcexplorer.schema.dialect import as_list, members_of
from rpcexplorer.schema.words import in_one_line, step_words, with_unit
from rpcexplorer.variables.references import OPENING, inert_value

MAX_NAMED: Final = 8
"""Choices or names in a sentence."""
MAX_CHARACTERS: Final = 60
"""Characters of a choice or name."""
MAX_STEPS: Final = 3
"""Steps of a path in a sentence."""
MAX_INSIDE: Final = 20
"""Alternatives of a place, and errors of one of them."""
MAX_LEVELS: Final = 4
"""Alternatives inside alternatives."""
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
    "not": "is a value that the schema forbids",
    "propertyNames": "has a name that the schema does not allow",
    "uniqueItems": "contains the same element twice",
    "contains": "must contain at least one element that matches the schema's “contains”",
    "minContains": "must contain more elements that match the schema's “contains”",
    "maxContains": "contains too many elements that match the schema's “contains”",
    "oneOf": "matches more than one alternative, but must match exactly one",
    "anyOf": "matches none of the alternatives",
}
"""Sentences that do not depend on the schema."""
_FORMATS: Final = {
    "email": "an email address, such as ada@example.org",
    "uri": "a URI, such as https://example.org/",
    "date": "a date, such as 2026-07-28",
    "date-time": "a date and time, such as 2026-07-28T12:00:00Z",
}
_LIMITS: Final = {
    "minimum": ("must be {} or more", ""),
    "maximum": ("must be {} or less", ""),
    "exclusiveMinimum": ("must be more than {}", ""),
    "exclusiveMaximum": ("must be less than {}", ""),
    "multipleOf": ("must be a multiple of {}", ""),
    "minLength": ("must have at least {}", "character"),
    "maxLength": ("must have at most {}", "character"),
    "minItems": ("must have at least {}", "element"),
    "maxItems": ("must have at most {}", "element"),
    "minProperties": ("must have at least {}", "member"),
    "maxProperties": ("must have at most {}", "member"),
}
"""Sentences about a number, and the unit of the number."""
_OF_NAMES: Final = frozenset({"required", "dependentRequired", "additionalProperties", "unevaluatedProperties"})
"""Keywords about names, which no value of a reference can satisfy."""
_OF_SHAPE: Final = frozenset({"type", "minItems", "maxItems", "minProperties", "maxProperties"})
"""Keywords that no value inside an object or array can satisfy."""
Path: TypeAlias = tuple[str | int, ...]


class ExplainedProblem(Struct, frozen=True):
    """A problem in words, with what its fix needs."""

    problem: SchemaProblem
    schema: Any = None
    """The schema with the keyword."""
    place: ValuePlace = ValuePlace(0, 0, 0, 0)
    """The place of the value."""
    name: str = ""
    """The member that is not allowed."""


def explain(bundle: Bundle, text: str, value: Any, errors: Iterable[Any]) -> tuple[ExplainedProblem, ...]:
    """Explain errors of jsonschema-rs about a value, in the order of the text.

    Errors that the value of a reference ``{{…}}`` may solve are left out.
    """
    explanation = _Explanation(bundle, text, value)
    first = list(islice((error for error in errors if not _has_given_up(error)), MOST_PROBLEMS))
    causes = [error.instance_path for error in first if _keyword(error) != "unevaluatedProperties"]
    found: dict[tuple[Path, str], ExplainedProblem] = {}
    for error in first:
        path = error.instance_path
        if _keyword(error) == "unevaluatedProperties" and any(cause[: len(path)] == path for cause in causes):
            # If a part does not match, all its members are reported as unknown. Only the mismatch is worth a
            # sentence.
            continue
        for explained in explanation.problems(error):
            found.setdefault((explained.problem.pointer, explained.problem.sentence), explained)
    ordered = sorted(found.values(), key=lambda explained: (explained.problem.offset, explained.problem.end))
    return tuple(_with_lines(text, ordered[:MOST_PROBLEMS]))


def _has_given_up(error: Any, levels: int = MAX_LEVELS) -> bool:
    """Return whether a pattern took too many steps, so there is no verdict."""
    if type(error.kind).__name__.endswith(("BacktrackLimitExceeded", "RegexEngineFailure")):
        return True
    return any(_has_given_up(inner, levels - 1) for inner in chain.from_iterable(_branches(error, levels)))


def _branches(error: Any, levels: int) -> list[list[Any]]:
    """Return the errors of each alternative."""
    context = getattr(error.kind, "context", None)
    if not levels or not context:
        return []
    return [branch[:MAX_INSIDE] for branch in context[:MAX_INSIDE]]


def _rule_path(error: Any) -> list[str | int]:
    """Return the path to the keyword in the schema, through references."""
    path: list[str | int] = error.evaluation_path
    if error.kind.name == "propertyNames":  # The path continues with the error of the name.
        path = path[: len(path) - path[::-1].index("propertyNames")]
    return path


def _keyword(error: Any) -> str:
    return next((step for step in reversed(_rule_path(error)) if isinstance(step, str)), "")


def _with_lines(text: str, found: list[ExplainedProblem]) -> Iterator[ExplainedProblem]:
    line, at = 1, 0
    for explained in found:
        offset = explained.problem.offset
        line += text.count("\n", at, offset) + text.count("\r", at, offset) - text.count("\r\n", at, offset)
        at = offset
        start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
        yield replace(explained, problem=replace(explained.problem, line=line, column=offset - start + 1))


class _Explanation:
    def __init__(self, bundle: Bundle, text: str, value: Any) -> None:
        self._bundle, self._text, self._value = bundle, text, value
        self._places = Places(text)
        self._has_references = bool(bundle.by) and (OPENING in text or "«" in text)

    def problems(self, error: Any, levels: int = MAX_LEVELS) -> Iterator[ExplainedProblem]:
        path: Path = tuple(error.instance_path)
        place = self._places.at(path) or ValuePlace(0, len(self._text), 0, 0)
        keyword, branches = _keyword(error), _branches(error, levels)
        schema, rule = self._rule(_rule_path(error))
        is_of_positions = not path and self._bundle.by == "position"
        if self._is_open(error, levels) or self._is_left_out(path, place):
            return
        match keyword:
            case "additionalProperties" | "unevaluatedProperties" if names := self._unexpected(error):
                yield from self._unexpected_problems(path, names, schema, keyword)
            case "anyOf" | "oneOf" if best := _best_branch(path, branches):
                for inner in best:
                    yield from self.problems(inner, levels - 1)
            case "anyOf" | "oneOf" if kinds := self._kinds_of_all(path, branches):
                sentence = f"{self._spelled(path)} must be {either(kinds)}, not {self._kind(place, kinds)}"
                yield self._problem(path, "type", sentence, place, {"type": kinds})
            case "type":
                kinds = texts_of(rule)
                sentence = f"{self._spelled(path)} must be {either(kinds)}, not {self._kind(place, kinds)}"
                yield self._problem(path, keyword, sentence, place, schema)
            case "required" | "dependentRequired":
                name = error.kind.property
                allowed = self._allowed(members_of(schema).get(name))
                sentence = f"{self._spelled((*path, name))} is missing{allowed}"
                yield self._problem((*path, name), keyword, sentence, _opening(place), schema)
            case "minItems" if is_of_positions:
                yield from self._missing_positions(len(error.instance), int(rule), schema, place)
            case "maxItems" if is_of_positions:
                place = self._places.at([error.kind.limit]) or place
                yield self._problem(path, keyword, self._too_many_params(rule), place, schema)
            case _:
                if keyword == "maxItems":
                    place = self._places.at([*path, error.kind.limit]) or place
                elif keyword == "minItems":
                    place = _opening(place)
                yield self._problem(path, keyword, f"{self._spelled(path)} {must(keyword, rule)}", place, schema)

    def _problem(self, path: Path, keyword: str, sentence: str, place: ValuePlace, schema: Any) -> ExplainedProblem:
        return ExplainedProblem(SchemaProblem(path, keyword, sentence, place.start, place.end), schema, place)

    def _is_open(self, error: Any, levels: int) -> bool:
        """Return whether a variable or secret reference is there."""
        keyword = _keyword(error)
        if not self._has_references or keyword in _OF_NAMES:
            return False
        branches = _branches(error, levels)
        for branch in branches:
            if all(self._is_open(inner, levels - 1) for inner in branch):
                return True
        if branches:
            return False
        token = self._text
        place = self._places.at(error.instance_path)
        if place:
            token = self._text[place.start : place.end]
        if token.startswith('"'):  # A secret is a text.
            return OPENING in token or (keyword != "type" and bool(PLACEHOLDER.fullmatch(token[1:-1])))
        return keyword not in _OF_SHAPE and (OPENING in token or bool(PLACEHOLDER.search(token)))

    def _is_left_out(self, path: Path, place: ValuePlace) -> bool:
        """Return whether it is null for an optional param, which means absent."""
        if self._bundle.by != "position" or len(path) != 1 or not isinstance(path[0], int):
            return False
        params = self._bundle.params[path[0] : path[0] + 1]
        return bool(params) and not params[0].required and self._text[place.start : place.end] == "null"

    def _unexpected(self, error: Any) -> list[str]:
        """Return names that are not allowed.

        The library does not name them if no members are allowed at all.
        """
        if error.kind.name != "falseSchema":
            return [str(name) for name in islice(getattr(error.kind, "unexpected", None) or (), MOST_PROBLEMS)]
        value: Any = self._value
        # A name of digits is an index in the library's paths.
        for step in error.instance_path:
            value = value[step] if isinstance(value, list) else member_of(value, str(step))
        return list(islice(value, MOST_PROBLEMS)) if isinstance(value, dict) else []

    def _unexpected_problems(
        self, path: Path, names: list[str], schema: Any, keyword: str
    ) -> Iterator[ExplainedProblem]:
        whole = self._spelled(path)
        why = f"is not one of the members of {whole}"
        if self._bundle.by and not path:
            why = "is not one of the params"
        if keyword == "additionalProperties":  # Else another part of the schema may know the name.
            allowed = list(members_of(schema))
            why += f": {listed(allowed)}"
            if not allowed:
                why = f"is not allowed: {whole} must be empty"
        for name in names:
            if self._has_references and OPENING in name:
                continue
            place = self._places.at((*path, name)) or ValuePlace(0, 0, 0, 0)
            span = place.name_start, place.name_end
            problem = SchemaProblem((*path, name), "additionalProperties", f"“{short(name)}” {why}", *span)
            yield ExplainedProblem(problem, schema, place, name)

    def _missing_positions(self, given: int, needed: int, schema: Any, place: ValuePlace) -> Iterator[ExplainedProblem]:
        behind = ValuePlace(max(place.end - 1, place.start), place.end, 0, 0)
        schemas = schema.get("prefixItems", [])
        for index, param in enumerate(self._bundle.params[:needed]):
            if index < given or not (given or param.required):  # Without any params, the required ones are named.
                continue
            sentence = f"{short(param.name or f'param {index + 1}')} is missing{self._allowed(schemas[index])}"
            yield self._problem((index,), "minItems", sentence, behind, schema)

    def _too_many_params(self, most: int) -> str:
        if not most:
            return "the method has no params"
        names = [param.name or f"param {at}" for at, param in enumerate(self._bundle.params, 1)]
        return f"the method has only {with_unit(str(most), 'param')}: {listed(names)}"

    def _kinds_of_all(self, path: Path, branches: list[list[Any]]) -> list[str]:
        """Return the types of all alternatives, if only the type is wrong."""
        kinds: dict[str, None] = {}
        for branch in branches:
            about = _errors_about_kind(branch, path)
            if not about:
                return []
            kinds |= dict.fromkeys(texts_of(self._rule(_rule_path(about[0]))[1]))
        return list(kinds)

    def _allowed(self, schema: Any) -> str:
        """Return the allowed values in brackets."""
        schema = self._followed(schema)
        choices = member_of(schema, "enum")
        words = texts_of(member_of(schema, "type"))
        if isinstance(choices, list):
            words = [f"one of {listed(map(spelled_value, choices))}"]
        words += texts_of(member_of(schema, "format"))
        return f" ({short(', '.join(words))})" if words else ""

    def _followed(self, schema: Any) -> Any:
        """Return the target of a reference; a chain of definitions may be a circle."""
        for _ in range(8):
            reference = member_of(schema, "$ref")
            if not isinstance(reference, str):
                break
            schema = members_of(self._bundle.schema, "$defs").get(reference.rpartition("/")[2])
        return schema

    def _rule(self, path: Sequence[str | int]) -> tuple[Any, Any]:
        """Return the schema that contains a keyword, and the keyword's value."""
        above: Any = None
        part: Any = self._bundle.schema
        for step in path:
            above = part
            if isinstance(part, list) and isinstance(step, int):
                part = part[step] if step < len(part) else None
            elif step == "$ref":
                part = self._followed(part)
            else:
                part = member_of(part, str(step))
        return above, part

    def _spelled(self, path: Path) -> str:
        """Return a path as ``filter.kind`` or ``tags[2]``.

        For params by position it uses their names.
        """
        if not path:
            return "params" if self._bundle.by else "the result"
        steps = [self._first_step(path[0]), *step_words(path[1:])]
        words = "".join(steps)
        if len(steps) > MAX_STEPS:
            words = f"…{''.join(steps[-MAX_STEPS:]).removeprefix('.')}"
        return short(words)

    def _first_step(self, step: str | int) -> str:
        if isinstance(step, str):
            return step
        if not self._bundle.by:
            return f"result[{step}]"
        if self._bundle.by == "name":
            return str(step)
        params = self._bundle.params
        if step < len(params) and params[step].name:
            return params[step].name
        return f"param {step + 1}"

    def _kind(self, place: ValuePlace, allowed: Iterable[str]) -> str:
        kinds = {'"': "string", "{": "object", "[": "array", "t": "boolean", "f": "boolean", "n": "null"}
        kind = kinds.get(self._text[place.start : place.start + 1], "number")
        if kind == "number" and "integer" in allowed:  # It has a fraction, which the word does not say.
            return short(self._text[place.start : place.end])
        return KIND_WORDS[kind]


def _opening(place: ValuePlace) -> ValuePlace:
    """Return the opening bracket of an object or array."""
    return place._replace(end=min(place.start + 1, place.end))


def _best_branch(path: Path, branches: list[list[Any]]) -> list[Any]:
    """Return the errors of the alternative that was probably meant.

    Its type is right, and it has the fewest errors.
    """

    def deviation(errors: list[Any]) -> tuple[int, int]:
        return len(errors), -max(len(error.instance_path) for error in errors)

    meant = [branch for branch in branches if branch and not _errors_about_kind(branch, path)]
    return min(meant, key=deviation, default=[])


def _errors_about_kind(errors: list[Any], path: Path) -> list[Any]:
    return [error for error in errors if _keyword(error) == "type" and tuple(error.instance_path) == path]


def must(keyword: str, rule: Any) -> str:
    """Return the rule of a keyword: ``must be 3 or more``."""
    match keyword:
        case "enum" if isinstance(rule, list) and len(rule) > 1:
            return f"must be one of {listed(map(spelled_value, rule))}"
        case "enum" if isinstance(rule, list):
            return f"must be {listed(map(spelled_value, rule))}"
        case "const":
            return f"must be {short(spelled_value(rule))}"
        case "pattern":
            return f"must match the pattern `{short(str(rule))}`"
        case "format":
            return f"must be {_FORMATS.get(str(rule)) or f'in the format {short(str(rule))}'}"
    if isinstance(rule, int | float) and keyword in _LIMITS:
        sentence, unit = _LIMITS[keyword]
        words = sentence.format(short(spelled_value(rule)))
        if unit:
            words = with_unit(words, unit)
        return words
    if rule is False:
        return "is not allowed"
    return _WORDS.get(keyword) or f"does not match “{short(keyword)}” of the schema"


def either(kinds: Iterable[str]) -> str:
    *words, last = [KIND_WORDS.get(kind, kind) for kind in kinds] or ["something else"]
    return f"{', '.join(words)} or {last}" if words else last


def listed(names: Iterable[str]) -> str:
    every = list(names)
    words = ", ".join(map(short, every[:MAX_NAMED]))
    if len(every) > MAX_NAMED:
        words += f" … ({len(every):,})"
    return words


def spelled_value(value: Any) -> str:
    """Return a value as JSON; ``…`` for thousands of digits or levels."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return "…"


def short(text: str) -> str:
    return in_one_line(text, MAX_CHARACTERS)


def member_of(schema: Any, key: str) -> Any:
    return schema.get(key) if isinstance(schema, dict) else None


def texts_of(value: Any) -> list[str]:
    """Return one text or several; other values are dropped."""
    return [text for text in as_list(value) if isinstance(text, str)]


MAX_NAMES: Final = 500
"""Names that are compared with a misspelt one; each takes time."""
MAX_NAME_CHARACTERS: Final = 100
"""Characters of a name that is compared with others."""
LABEL_CHARACTERS: Final = 30
LEAST_RATIO: Final = 0.75
"""Least similarity of a misspelt name; 1 means equal."""
_NUMBER: Final = regex(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def fixes(text: str, found: ExplainedProblem) -> tuple[Fix, ...]:
    """Return possible fixes of a problem, the most likely first."""
    match found.problem.keyword:
        case "additionalProperties":
            made = _renamed(text, found)
        case "type":
            made = _converted(text, found.place, texts_of(member_of(found.schema, "type")))
        case "enum" | "const":
            made = _chosen(text, found.place, found.schema)
        case _:
            return ()
    return tuple(fix for fix in made if fix.text != text)


def by_name(text: str, params: Sequence[DescribedParam]) -> Fix | None:
    """Turn an array into an object with the names of the params."""
    spans, start = elements(text), text.find("[")
    if not spans or len(spans) > len(params) or not all(param.name for param in params[: len(spans)]):
        return None
    parts, at = [text[:start], "{"], start + 1
    for (begin, end), param in zip(spans, params, strict=False):
        parts += [text[at:begin], f"{inert_value(param.name)}: ", text[begin:end]]
        at = end
    return Fix("write the params by name", "".join([*parts, text[at:].replace("]", "}", 1)]))


def by_position(text: str, params: Sequence[DescribedParam]) -> Fix | None:
    """Turn an object into an array, if all names are known and none missing."""
    spans = {member.name: member.value for member in members(text) or ()}
    names = [param.name for param in params[: len(spans)]]
    if not spans or set(names) != spans.keys():
        return None
    values = [text[slice(*spans[name])] for name in names]
    return Fix("write the params by position", f"[{', '.join(values)}]")


def _renamed(text: str, found: ExplainedProblem) -> Iterator[Fix]:
    around = Places(text).at(found.problem.pointer[:-1])
    if around is None:
        return
    given = {member.name for member in members(text[around.start : around.end]) or ()}
    name = meant_name(found.name, [known for known in members_of(found.schema) if known not in given])
    if name:
        span = found.place.name_start, found.place.name_end
        yield _put(f"rename it to “{in_one_line(name, LABEL_CHARACTERS)}”", text, span, inert_value(name))


def _converted(text: str, place: ValuePlace, kinds: list[str]) -> Iterator[Fix]:
    span = place.start, place.end
    token = text[slice(*span)]
    for value in _as_other_kinds(token, kinds):
        yield _put(f"write {in_one_line(value, LABEL_CHARACTERS)}", text, span, value)
    if token.startswith("["):
        spans = elements(token) or []
        if len(spans) == 1:
            yield _put("remove the array around it", text, span, token[slice(*spans[0])])
    elif "array" in kinds:
        yield _put("put it in an array", text, span, f"[{token}]")


def _as_other_kinds(typed: str, kinds: Sequence[str]) -> Iterator[str]:
    if typed.startswith('"'):
        inside = decoded(typed).strip()
        number = _NUMBER.fullmatch(inside)
        if number and ("number" in kinds or ("integer" in kinds and not number[1])):
            yield inside
        word = inside.lower()
        if (word in {"true", "false"} and "boolean" in kinds) or (word == "null" and "null" in kinds):
            yield word
    elif not typed.startswith(("[", "{", "n")):
        if typed in {"0", "1"} and "boolean" in kinds:
            yield {"0": "false", "1": "true"}[typed]
        if "string" in kinds:
            yield f'"{typed}"'


def _chosen(text: str, place: ValuePlace, schema: Any) -> Iterator[Fix]:
    """Yield the allowed value with similar spelling or another type."""
    choices = schema.get("enum", [schema.get("const")])
    span = place.start, place.end
    name = token = text[slice(*span)]
    if token.startswith('"'):
        name = decoded(token)
    by_word: dict[str, Any] = {}
    for choice in choices[:MAX_NAMES]:
        by_word[choice if isinstance(choice, str) else inert_value(choice)] = choice
    if name not in by_word:
        name = meant_name(name, list(by_word))
    if name:
        spelled = inert_value(by_word[name])
        yield _put(f"write {in_one_line(spelled, LABEL_CHARACTERS)}", text, span, spelled)


def meant_name(name: str, names: Sequence[str]) -> str:
    """Return the name that was probably meant; empty if it is not clear."""
    if len(name) > MAX_NAME_CHARACTERS:
        return ""
    near = [other for other in names[:MAX_NAMES] if len(other) <= MAX_NAME_CHARACTERS]
    matches = [other for other in near if _folded(other) == _folded(name)]
    if len(matches) != 1:
        from difflib import get_close_matches  # Only a problem needs it.

        matches = get_close_matches(name, near, n=2, cutoff=LEAST_RATIO)
    return matches[0] if len(matches) == 1 else ""


def _folded(name: str) -> str:
    return "".join(letter for letter in name if letter.isalnum()).casefold()


def _put(label: str, text: str, span: tuple[int, int], new: str) -> Fix:
    return Fix(label, f"{text[: span[0]]}{new}{text[span[1] :]}")
