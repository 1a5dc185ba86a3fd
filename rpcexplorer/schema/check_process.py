"""The process that checks: two lines of JSON in, one line out."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from operator import and_
from time import monotonic
from typing import Any, Final, Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from rpcexplorer.child_process import serve
from rpcexplorer.jsontext.params import Fix
from rpcexplorer.model.method import By, Described
from rpcexplorer.model.problem import MOST_PROBLEMS, Checked, SchemaProblem
from rpcexplorer.schema.bundle import Bundle, bundle_params, bundle_result
from rpcexplorer.schema.explain import ExplainedProblem, by_name, by_position, explain, fixes
from rpcexplorer.schema.fit import BACKTRACKING, PATTERN_BYTES

MAX_METHODS: Final = 16
"""Methods whose validators are kept."""
MAX_ERRORS: Final = 1_000
"""Errors of a text; only the first ones are explained."""
MAX_VALUES: Final = 20_000
"""Values of a text whose errors are all listed, at 1 to 5 kB each."""
MAX_FIXED: Final = 8
"""Problems for which fixes are tried."""
MAX_FIXED_CHARACTERS: Final = 64 * 1024
"""Characters of a text for which fixes are tried."""
FIX_SECONDS: Final = 0.5
MAX_PATTERNS: Final = 100
"""Invalid patterns that are removed from a schema."""
EXACT_DIGITS: Final = 15
"""Digits that a float always holds."""
ELSEWHERE: Final = "the schema refers to another document"
_OTHER_BRACKETS: Final = str.maketrans("[]{}", "{}[]")

Question: TypeAlias = tuple[str, Literal["params", "result", "own"], By | None]
"""A text, its kind and the only way of its params.

Before it comes a method, or for ``own`` a schema that the user wrote.
"""


class NotCheckedError(Exception):
    """There is no verdict; the text says why."""


def answer(method: bytes, question: bytes) -> bytes:
    """Check the text of a question with a method's schemas."""
    try:
        return msgspec.json.encode(_checked(method, question))
    except UnicodeError:
        return msgspec.json.encode(Checked(why_not="the schema contains a lone surrogate (half a character)"))


def _checked(method: bytes, question: bytes) -> Checked:
    try:
        text, of, by = msgspec.json.decode(question, type=Question)
        if of == "own":
            return _checked_with(method, text)
        check = _method_check(method)
        return check.params(text, by) if of == "params" else check.result(text)
    except NotCheckedError as error:
        return Checked(why_not=str(error))
    except UnicodeError:
        return Checked(why_not="the text contains a lone surrogate (half a character)")
    except RecursionError:
        return Checked(why_not="the text is nested too deeply")
    except MemoryError:
        return Checked(why_not="the check needs too much memory")
    except ValueError as error:
        if "ecursion" in str(error):
            return Checked(why_not="the text is nested too deeply")
        return Checked(why_not="the text cannot be read")


@lru_cache(MAX_METHODS)
def _method_check(method: bytes) -> MethodCheck:
    return MethodCheck(msgspec.json.decode(method, type=Described))


def _checked_with(schema: bytes, text: str) -> Checked:
    document, validator = _own_validator(schema)
    value = _decoded(text)
    errors = list(islice(validator.iter_errors(value), MAX_ERRORS))
    found = explain(Bundle(document), text, value, errors)
    return Checked(tuple(explained.problem for explained in found))


@lru_cache(MAX_METHODS)
def _own_validator(schema: bytes) -> tuple[dict[str, Any], Any]:
    """Return a schema as it is written, which must be valid, and its validator."""
    import jsonschema_rs

    try:
        document = msgspec.json.decode(schema)
    except msgspec.DecodeError:
        raise NotCheckedError("the schema is not JSON") from None
    options = jsonschema_rs.FancyRegexOptions(backtrack_limit=BACKTRACKING, size_limit=PATTERN_BYTES)
    try:
        jsonschema_rs.meta.validate(document)
        return document, jsonschema_rs.validator_for(
            document, pattern_options=options, retriever=_nothing, validate_formats=True
        )
    except jsonschema_rs.ValidationError as error:
        if ELSEWHERE in error.message:
            raise NotCheckedError(ELSEWHERE) from None
        raise NotCheckedError(f"the schema is invalid: {error.message}") from None


class MethodCheck:
    """Checks texts with the schemas of one method."""

    def __init__(self, described: Described) -> None:
        self._described = described
        self._ready: dict[By | None, tuple[Bundle, Any]] = {}
        """Validators by the way of params, None for results."""

    def params(self, text: str, by: By | None = None) -> Checked:
        """Check params: an object by name, an array by position.

        ``by`` is the only right way.
        """
        body = f" {text[1:]}" if text.startswith("\ufeff") else text  # Offsets stay.
        given = body.strip()
        if not given:
            body = given = "[]"
        way: By = "name" if given.startswith("{") else "position"
        if given[0] not in "{[":
            return Checked(why_not="the params are neither an array nor an object")
        if not by or by == way:
            return self._checked(body, way)
        if given[-1] in "}]" and not given[1:-1].strip():  # Empty params are right in both ways.
            return self._checked(body.translate(_OTHER_BRACKETS), by)
        return self._other_way(body, by)

    def result(self, text: str) -> Checked:
        return self._checked(text, None)

    def problems(self, body: str, by: By | None, *, first: bool = False) -> tuple[ExplainedProblem, ...]:
        """Return problems of a text; ``first``: only one, with little memory."""
        bundle, validator = self._prepared(by)
        if validator is None:
            return ()
        value = _decoded(body)
        if first:
            return explain(bundle, body, value, _first_error(validator, value))
        errors = list(islice(validator.iter_errors(value), MAX_ERRORS))
        errors.sort(key=lambda error: error.kind.name == "required")  # Wrong values are shown before missing ones.
        return explain(bundle, body, value, errors)

    def _prepared(self, by: By | None) -> tuple[Bundle, Any]:
        if by not in self._ready:
            bundle = bundle_params(self._described, by) if by else bundle_result(self._described)
            formats = self._described.checks_formats
            self._ready[by] = (bundle, _validator(bundle.schema, formats=formats) if bundle.schema else None)
        return self._ready[by]

    def _checked(self, body: str, by: By | None) -> Checked:
        bundle, validator = self._prepared(by)
        if validator is None:
            return Checked(why_not=bundle.why_not)
        is_large = body.count(",") >= MAX_VALUES
        found = self.problems(body, by, first=is_large)
        why_not = bundle.why_not
        if is_large and found and not why_not:
            why_not = f"with more than {MAX_VALUES:,} values, only the first problem is reported"
        if by and not found and not why_not and self._may_lack_required(body):
            why_not = "required params are not known"
        fixed: dict[int, Fix] = {}
        if by and len(body) <= MAX_FIXED_CHARACTERS:
            fixed = self._fixed(body, by, found)
        problems = tuple(replace(explained.problem, fix=fixed.get(place)) for place, explained in enumerate(found))
        return Checked(problems, why_not, in_part=bool(why_not))

    def _may_lack_required(self, body: str) -> bool:
        """Return whether a param is absent that may be required or not."""
        unsure = [param.required is None and not param.stands_for_others for param in self._described.params]
        if not any(unsure):
            return False
        value = _decoded(body)
        if isinstance(value, list):
            return any(unsure[len(value) :])
        absent = [bool(param.name) and param.name not in value for param in self._described.params]
        return any(map(and_, unsure, absent))

    def _fixed(self, body: str, by: By, found: tuple[ExplainedProblem, ...]) -> dict[int, Fix]:
        """Return fixes by the number of their problem.

        Each fix was checked: it leaves fewer problems.
        """
        fixed: dict[int, Fix] = {}
        until = monotonic() + FIX_SECONDS
        for place, explained in enumerate(found[:MAX_FIXED]):
            for fix in fixes(body, explained):
                if monotonic() > until:
                    return fixed
                if _is_better([other.problem for other in self.problems(fix.text, by)], found, explained.problem):
                    fixed[place] = fix
                    break
        return fixed

    def _other_way(self, body: str, by: By) -> Checked:
        """Report only that params are by position instead of by name, or reverse."""
        if by == "name":
            sentence = "the method needs params by name: write an object"
            fix = by_name(body, self._described.params)
        else:
            sentence = "the method needs params by position: write an array"
            fix = by_position(body, self._described.params)
        if fix is not None and self.problems(fix.text, by):
            fix = None
        start, end = len(body) - len(body.lstrip()), len(body.rstrip())
        line, column = body.count("\n", 0, start) + 1, start - body.rfind("\n", 0, start)
        return Checked((SchemaProblem((), "type", sentence, start, end, line, column, fix),))


def _is_better(left: list[SchemaProblem], found: tuple[ExplainedProblem, ...], fixed: SchemaProblem) -> bool:
    """Return whether a fix leaves fewer problems.

    New problems under a corrected name do not count: they were not seen before.
    """
    is_gone = all(
        problem.pointer != fixed.pointer or (not problem.pointer and problem.sentence != fixed.sentence)
        for problem in left
    )  # The inserted value must be right.
    is_name = fixed.keyword == "additionalProperties"
    return is_gone and (len(left) < len(found) + is_name or len(found) == MOST_PROBLEMS)


def _validator(schema: dict[str, Any], *, formats: bool = False) -> Any:
    """Compile a schema without its invalid patterns."""
    import jsonschema_rs

    options = jsonschema_rs.FancyRegexOptions(backtrack_limit=BACKTRACKING, size_limit=PATTERN_BYTES)
    for _ in range(MAX_PATTERNS):
        try:
            return jsonschema_rs.Draft202012Validator(
                schema, pattern_options=options, retriever=_nothing, validate_formats=formats
            )
        except jsonschema_rs.ValidationError as error:
            if not _without(schema, error.instance_path):
                raise NotCheckedError("the schema is invalid") from None
    raise NotCheckedError("the schema has too many invalid patterns")


def _nothing(_: str) -> Any:
    raise NotCheckedError(ELSEWHERE)


def _without(schema: Any, path: list[str | int]) -> bool:
    """Remove a pattern; return whether there was one."""
    if path[-1:] != ["pattern"] and "patternProperties" not in path[-2:]:
        return False
    part = schema
    for step in path[:-1]:
        with suppress(LookupError, TypeError):  # A name of digits is an index in the library's paths.
            part = part[int(step)] if isinstance(part, list) else part[str(step)]
    return isinstance(part, dict) and part.pop(path[-1], None) is not None


def _decoded(text: str) -> Any:
    try:
        return json.loads(text, parse_float=_number, parse_constant=_constant, object_pairs_hook=_object)
    except json.JSONDecodeError:
        raise NotCheckedError("the text is not JSON") from None


def _first_error(validator: Any, value: Any) -> list[Any]:
    from jsonschema_rs import ValidationError

    try:
        validator.validate(value)
    except ValidationError as error:
        return [error]
    return []


def _number(spelled: str) -> Any:
    """Return an exact number, with any number of digits."""
    number = float(spelled)
    if len(spelled) <= EXACT_DIGITS and abs(number) < 1e300 and (number or not spelled.strip("-0.eE+")):
        return number
    from decimal import Decimal

    return Decimal(spelled)


def _constant(spelled: str) -> Any:
    raise NotCheckedError(f"{spelled} is not JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise NotCheckedError(f"“{twice[:40]}” appears twice in one object. Servers differ in which one they use")
    return made


if __name__ == "__main__":
    serve(answer, 2, "jsonschema-rs", *map(float, sys.argv[1:]))
