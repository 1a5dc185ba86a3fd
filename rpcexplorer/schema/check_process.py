"""The process that checks: a line of JSON for each question, and one for each answer."""

from __future__ import annotations

import faulthandler
import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from time import monotonic
from typing import Any, BinaryIO, Final, Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from rpcexplorer.jsontext.params import Fix
from rpcexplorer.jsontext.pointers import Places
from rpcexplorer.model.method import By, Described
from rpcexplorer.model.problem import MOST_TOLD, Checked, SchemaProblem
from rpcexplorer.schema.bundle import Bundle, bundle_params, bundle_result
from rpcexplorer.schema.explain import Violation, WordedProblem, by_name, by_position, fixes, worded
from rpcexplorer.schema.fit import BACKTRACKING, PATTERN_BYTES

MAX_TOLD: Final = 50
"""Problems that are told."""
MAX_SEEN: Final = 1_000
"""Of which they are taken."""
MAX_INSIDE: Final = 20
"""Alternatives of a place, and problems with one of them."""
MAX_LEVELS: Final = 4
"""Alternatives inside alternatives."""
MAX_VALUES: Final = 20_000
"""In a text in which all problems are looked for: the library takes 1 to 5 kB for each, before the first is told."""
MAX_MENDED: Final = 8
"""Problems of which fixes are tried."""
MAX_MENDED_CHARACTERS: Final = 64 * 1024
"""Characters of a text in which they are."""
MENDING_SECONDS: Final = 0.5
MEMORY_BYTES: Final = 1024 * 1024 * 1024
LAST_RESORT_SECONDS: Final = 10.0
"""That one check may take, where whoever asked cannot kill the process any more."""
MAX_PATTERNS: Final = 100
"""Patterns of one schema that are taken out because they cannot be read."""
EXACT_DIGITS: Final = 15
"""Digits that a number of the machine holds, whichever they are."""
_OTHER_BRACKETS: Final = str.maketrans("[]{}", "{}[]")

Question: TypeAlias = tuple[int, Described | None, str, Literal["params", "result"], By | None]
"""A number for a method, the method where the number is new, a text, and what it is. 0 is new where it is sent along:
then all others are forgotten."""


class NotCheckedError(Exception):
    """No verdict; the text says why."""


def main(last_resort: float = LAST_RESORT_SECONDS) -> None:
    questions, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    sys.stdout = sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    os.dup2(sys.stdout.fileno(), 1)
    _limit()
    try:
        import jsonschema_rs  # noqa: F401 - whether it is there
    except ImportError:
        _write(answers, Checked(why_not="jsonschema-rs is not installed: pip install jsonschema-rs"))
        return
    _write(answers, Checked())
    methods: dict[int, MethodCheck] = {}
    for line in questions:
        faulthandler.dump_traceback_later(last_resort, exit=True, file=sys.stderr)
        _write(answers, answer(methods, line))
        faulthandler.cancel_dump_traceback_later()


def _limit() -> None:
    """Little memory, and no file of what was in it where it crashes: there are params in it."""
    with suppress(ImportError, ValueError, OSError):  # not on every system, and not where there is less already
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def _write(stream: BinaryIO, checked: Checked) -> None:
    try:
        line = msgspec.json.encode(checked)
    except UnicodeError:
        line = msgspec.json.encode(Checked(why_not="half a character (a lone surrogate) is in its schema"))
    stream.write(line + b"\n")
    stream.flush()


def answer(methods: dict[int, MethodCheck], line: bytes) -> Checked:
    """The answer to a question; the methods are kept for the next ones."""
    try:
        key, described, text, of, by = msgspec.json.decode(line, type=Question)
        if described is not None:
            if key == 0:
                methods.clear()
            methods[key] = MethodCheck(described)
        return methods[key].params(text, by) if of == "params" else methods[key].result(text)
    except NotCheckedError as error:
        return Checked(why_not=str(error))
    except UnicodeError:
        return Checked(why_not="half a character (a lone surrogate) is in it")
    except RecursionError:
        return Checked(why_not="it is nested too deep")
    except MemoryError:
        return Checked(why_not="it takes too much memory")
    except (ValueError, LookupError) as error:
        return Checked(why_not="it is nested too deep" if "ecursion" in str(error) else "it cannot be read")


class MethodCheck:
    """Checks texts by the schemas of one method."""

    def __init__(self, described: Described) -> None:
        self._described = described
        self._ready: dict[By | None, tuple[Bundle, Any]] = {}
        """By the way in which params are given, None for results, each with its validator."""

    def params(self, text: str, by: By | None = None) -> Checked:
        """Check params as they are given: an object by name, an array by position; ``by`` is the only right way."""
        body = f" {text[1:]}" if text.startswith("\ufeff") else text
        if not (given := body.strip()):
            body = given = "[]"
        way: By = "name" if given.startswith("{") else "position"
        if given[:1] not in {"{", "["}:
            return Checked(why_not="it is neither an array nor an object")
        if by and by != way and given[-1] in {"}", "]"} and not given[1:-1].strip():  # nothing is given either way
            way, body = by, body.translate(_OTHER_BRACKETS)
        return self._other_way(body, by) if by and by != way else self._checked(body, way)

    def result(self, text: str) -> Checked:
        return self._checked(text, None)

    def _prepared(self, by: By | None) -> tuple[Bundle, Any]:
        if by not in self._ready:
            bundle = bundle_params(self._described, by) if by else bundle_result(self._described)
            self._ready[by] = (bundle, _validator(bundle.schema) if bundle.schema else None)
        return self._ready[by]

    def _checked(self, body: str, by: By | None) -> Checked:
        bundle, validator = self._prepared(by)
        if not bundle.schema:
            return Checked(why_not=bundle.why_not)
        is_large = body.count(",") >= MAX_VALUES
        found = worded(bundle, body, violations(validator, body, first=is_large))
        why_not = bundle.why_not
        if is_large and found and not why_not:
            why_not = f"in more than {MAX_VALUES:,} values only the first problem is looked for"
        mended = self._mended(body, by, found) if by else {}
        problems = tuple(replace(each.problem, fix=mended.get(place)) for place, each in enumerate(found))
        return Checked(problems, why_not, in_part=bool(why_not))

    def _mended(self, body: str, by: By, found: tuple[WordedProblem, ...]) -> dict[int, Fix]:
        """Ways to mend the first problems, by their number: each was checked, and there is less wrong after it."""
        bundle, validator = self._prepared(by)
        mended: dict[int, Fix] = {}
        until = monotonic() + MENDING_SECONDS
        for place, each in enumerate(found[:MAX_MENDED] if len(body) <= MAX_MENDED_CHARACTERS else ()):
            for fix in fixes(body, each):
                if monotonic() > until:
                    return mended
                left = [other.problem for other in worded(bundle, fix.text, violations(validator, fix.text))]
                if _is_better(left, found, each.problem):
                    mended[place] = fix
                    break
        return mended

    def _other_way(self, body: str, by: By) -> Checked:
        """They are given by position to who takes them by name, or the other way round: no more is said of them."""
        params = self._described.params
        fix = by_name(body, params) if by == "name" else by_position(body, params)
        if fix is not None:
            bundle, validator = self._prepared(by)
            fix = None if bundle.schema and list(violations(validator, fix.text)) else fix
        words = "by name: write an object" if by == "name" else "by position: write an array"
        start, end = len(body) - len(body.lstrip()), len(body.rstrip())
        line, column = body.count("\n", 0, start) + 1, start - body.rfind("\n", 0, start)
        return Checked((SchemaProblem((), "type", f"it takes its params {words}", start, end, line, column, fix),))


def _is_better(left: list[SchemaProblem], found: tuple[WordedProblem, ...], mended: SchemaProblem) -> bool:
    """Whether less is wrong. What turns out to be wrong under a name that is mended was not seen before."""
    is_gone = all(
        each.pointer != mended.pointer or (not each.pointer and each.sentence != mended.sentence) for each in left
    )  # what is put in has to be right at its place
    is_name = mended.keyword == "additionalProperties"
    return is_gone and (len(left) < len(found) + is_name or len(found) == MOST_TOLD)


def _validator(schema: dict[str, Any]) -> Any:
    """The schema compiled; patterns that are none are taken out of it, as they say nothing."""
    import jsonschema_rs

    options = jsonschema_rs.FancyRegexOptions(backtrack_limit=BACKTRACKING, size_limit=PATTERN_BYTES)
    for _ in range(MAX_PATTERNS):
        try:
            return jsonschema_rs.Draft202012Validator(
                schema, pattern_options=options, retriever=_nothing, validate_formats=False
            )
        except jsonschema_rs.ValidationError as error:
            if not _without(schema, error.instance_path):
                raise NotCheckedError("its schema is none that can be checked") from None
    raise NotCheckedError("its schema has too many patterns that cannot be read")


def _nothing(_: str) -> Any:
    raise NotCheckedError("nothing is fetched")


def _without(schema: Any, path: list[str | int]) -> bool:
    """Take a pattern out; whether there was one."""
    part = schema
    for step in path[:-1]:
        with suppress(LookupError, TypeError, ValueError):
            part = part[int(step)] if isinstance(part, list) else part[str(step)]
    last = str(path[-1]) if path else ""
    if not isinstance(part, dict) or (last != "pattern" and "patternProperties" not in map(str, path[-2:])):
        return False
    return part.pop(last, None) is not None


def violations(validator: Any, text: str, *, first: bool = False) -> Iterator[Violation]:
    """What the validator has against a text; ``first``: only one thing, which takes no memory."""
    try:
        value = json.loads(text, parse_float=_number, parse_constant=_constant, object_pairs_hook=_object)
    except json.JSONDecodeError:
        raise NotCheckedError("it is not JSON") from None
    errors = _first_error(validator, value) if first else list(islice(validator.iter_errors(value), MAX_SEEN))
    errors.sort(key=lambda error: error.kind.name == "required")  # what is there and wrong comes before what is not
    places = Places(text)
    found = (_violation(error, value, places) for error in errors)
    return islice((each for each in found if each), MAX_TOLD)


def _first_error(validator: Any, value: Any) -> list[Any]:
    from jsonschema_rs import ValidationError

    try:
        validator.validate(value)
    except ValidationError as error:
        return [error]
    return []


def _violation(error: Any, value: Any, places: Places, levels: int = MAX_LEVELS) -> Violation | None:
    """None where it was the pattern that gave up, and not the text that is wrong."""
    kind, path, rule = error.kind, list(error.instance_path), list(error.evaluation_path)
    if type(kind).__name__.endswith(("BacktrackLimitExceeded", "RegexEngineFailure")):
        return None
    if kind.name == "propertyNames":  # it goes on with what is wrong with the name
        rule = rule[: len(rule) - rule[::-1].index("propertyNames")]
    alternatives: list[tuple[Violation, ...]] = []
    for branch in islice(getattr(kind, "context", None) or (), MAX_INSIDE if levels else 0):
        inside = [_violation(each, value, places, levels - 1) for each in islice(branch, MAX_INSIDE)]
        if None in inside:
            return None
        alternatives.append(tuple(each for each in inside if each))
    is_of_size = rule[-1:] in (["minItems"], ["maxItems"])
    return Violation(
        tuple(path),
        tuple(rule),
        places.at(path),
        getattr(kind, "property", ""),
        tuple((name, places.at([*path, name])) for name in _unexpected(kind, value, path, rule)),
        len(error.instance) if is_of_size else 0,
        places.at([*path, kind.limit]) if is_of_size else None,
        tuple(alternatives),
    )


def _unexpected(kind: Any, value: Any, path: list[str | int], rule: list[str | int]) -> list[str]:
    """Names that may not be there. The library does not name them where there may be none at all."""
    if rule[-1:] == ["additionalProperties"] and kind.name == "falseSchema":
        for step in path:
            value = value[int(step)] if isinstance(value, list) else value[str(step)]
        return list(islice(value, MAX_TOLD)) if isinstance(value, dict) else []
    if rule[-1:] == ["unevaluatedItems"]:
        return []
    return [str(name) for name in islice(getattr(kind, "unexpected", None) or (), MAX_TOLD)]


def _number(spelled: str) -> Any:
    """Exact, however many digits it has."""
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
        raise NotCheckedError(
            f"“{twice[:40]}” stands twice in one object, and servers differ in which of the two they take"
        )
    return made


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
