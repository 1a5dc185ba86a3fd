"""The process that checks, and the frames that go to it and come back."""

from __future__ import annotations

import faulthandler
import json
import os
import struct
import sys
from contextlib import suppress
from itertools import islice
from typing import Any, BinaryIO, Final

from rpcexplorer.jsontext.pointers import Places

LENGTH: Final = struct.Struct(">I")
LONGEST: Final = 64 * 1024 * 1024
"""More says neither of the two."""


def write(stream: BinaryIO, *messages: bytes) -> None:
    for message in messages:
        stream.write(LENGTH.pack(len(message)))
        stream.write(message)
    stream.flush()


def read(stream: BinaryIO) -> bytes | None:
    """The next message; None where the other side has gone."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    if length > LONGEST:
        return None
    message = stream.read(length)
    return message if len(message) == length else None


MOST: Final = 50
"""Problems that are told."""
MOST_SEEN: Final = 1_000
"""Of which they are taken."""
MOST_INSIDE: Final = 20
"""Alternatives of a place, and problems with one of them."""
DEPTH: Final = 4
"""Alternatives inside alternatives."""
KEPT: Final = 64
"""Schemas that stay compiled."""
MEMORY: Final = 1024 * 1024 * 1024
LAST_RESORT: Final = 10.0
"""Seconds that one check may take, where whoever asked cannot kill it any more."""
BACKTRACKING: Final = 100_000
"""Steps back that a pattern may take."""
PATTERN: Final = 1024 * 1024
"""Bytes of a compiled pattern."""
PATTERNS: Final = 100
"""Patterns of one schema that are taken out because nobody can read them."""
EXACT: Final = 15
"""Digits that a number of the machine holds, whichever they are."""


class NotCheckedError(Exception):
    """No verdict; the text says why."""


def main(last_resort: float = LAST_RESORT) -> None:
    given, told = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    sys.stdout = sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    os.dup2(sys.stdout.fileno(), 1)
    _limit()
    try:
        import jsonschema_rs
    except ImportError:
        write(told, _spelled({"why_not": "jsonschema-rs is not installed: pip install jsonschema-rs"}))
        return
    write(told, _spelled({"ready": True}))
    serve(given, told, jsonschema_rs, last_resort)


def serve(given: BinaryIO, told: BinaryIO, library: Any, last_resort: float = 0) -> None:
    """Answer until the input ends. Asked are a key, a schema if it is sent along, and a text.

    An answer that takes longer than ``last_resort`` ends the process.
    """
    validators: dict[bytes, Any] = {}
    while (key := read(given)) is not None:
        schema, text = read(given), read(given)
        if schema is None or text is None:
            return
        if last_resort:
            faulthandler.dump_traceback_later(last_resort, exit=True, file=sys.stderr)
        write(told, _spelled(answer(validators, key, schema, text, library)))
        faulthandler.cancel_dump_traceback_later()


def answer(validators: dict[bytes, Any], key: bytes, schema: bytes, text: bytes, library: Any) -> dict[str, Any]:
    if key not in validators and not schema:
        return {"unknown": True}
    try:
        validators[key] = validators.pop(key, None) or _validator(_decoded(schema.decode()), library)
        if len(validators) > KEPT:
            del validators[next(iter(validators))]
        return {"violations": _violations(validators[key], text.decode("utf-8", "surrogatepass"))}
    except NotCheckedError as error:
        return {"why_not": str(error)}
    except library.ValidationError:
        return {"why_not": "its schema is none that can be checked"}
    except UnicodeError:
        return {"why_not": "half a character (a lone surrogate) is in it"}
    except RecursionError:
        return {"why_not": "it is nested too deep"}
    except MemoryError:
        return {"why_not": "it takes too much memory"}
    except ValueError as error:
        return {"why_not": "it is nested too deep" if "ecursion" in str(error) else "it cannot be read"}


def _validator(schema: Any, library: Any) -> Any:
    """The schema compiled; patterns that are none are taken out of it, as they say nothing."""
    options = library.FancyRegexOptions(backtrack_limit=BACKTRACKING, size_limit=PATTERN)
    for _ in range(PATTERNS):
        try:
            return library.Draft202012Validator(
                schema, pattern_options=options, retriever=_nothing, validate_formats=False
            )
        except library.ValidationError as error:
            if not _without(schema, error.instance_path):
                raise
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


def _violations(validator: Any, text: str) -> list[Any]:
    try:
        instance = _decoded(text, pairs=_object)
    except json.JSONDecodeError:
        raise NotCheckedError("it is not JSON") from None
    told = _Telling(instance, text)
    errors = sorted(islice(validator.iter_errors(instance), MOST_SEEN), key=lambda error: error.kind.name == "required")
    found = (told.violation(error) for error in errors)  # what is there and wrong comes before what is not there
    return list(islice((each for each in found if each), MOST))


class _Telling:
    """What is told of what a schema has against one text."""

    def __init__(self, instance: Any, text: str) -> None:
        self._instance, self._places = instance, Places(text)

    def violation(self, error: Any, depth: int = DEPTH) -> dict[str, Any] | None:
        """None where it was the pattern that gave up, and not the text that is wrong."""
        kind, path, rule = error.kind, list(error.instance_path), list(error.evaluation_path)
        if type(kind).__name__.endswith(("BacktrackLimitExceeded", "RegexEngineFailure")):
            return None
        if kind.name == "propertyNames":  # it goes on with what is wrong with the name
            rule = rule[: len(rule) - rule[::-1].index("propertyNames")]
        alternatives: list[list[Any]] = []
        for branch in islice(getattr(kind, "context", None) or (), MOST_INSIDE if depth else 0):
            inside = [self.violation(each, depth - 1) for each in islice(branch, MOST_INSIDE)]
            if any(each is None for each in inside):
                return None
            alternatives.append(inside)
        told = {
            "path": path,
            "rule": rule,
            "place": self._places.at(path),
            "name": getattr(kind, "property", ""),
            "unexpected": [[name, self._places.at([*path, name])] for name in self._unexpected(kind, path, rule)],
            "alternatives": alternatives,
        }
        if rule[-1:] in (["minItems"], ["maxItems"]):
            told |= {"size": len(error.instance), "surplus": self._places.at([*path, kind.limit])}
        return told

    def _unexpected(self, kind: Any, path: list[str | int], rule: list[str | int]) -> list[str]:
        """Names that may not be there. The library does not name them where there may be none at all."""
        if rule[-1:] == ["additionalProperties"] and kind.name == "falseSchema":
            value: Any = self._instance
            for step in path:
                value = value[int(step)] if isinstance(value, list) else value[str(step)]
            return list(islice(value, MOST)) if isinstance(value, dict) else []
        if rule[-1:] == ["unevaluatedItems"]:
            return []
        return [str(name) for name in islice(getattr(kind, "unexpected", None) or (), MOST)]


def _decoded(text: str, pairs: Any = None) -> Any:
    return json.loads(text, parse_float=_number, parse_constant=_constant, object_pairs_hook=pairs)


def _number(spelled: str) -> Any:
    """Exact, however many digits it has."""
    number = float(spelled)
    if len(spelled) <= EXACT and abs(number) < 1e300 and (number or not spelled.strip("-0.eE+")):
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


def _spelled(answer: dict[str, Any]) -> bytes:
    return json.dumps(answer).encode()


def _limit() -> None:
    """Little memory, and no file of what was in it where it crashes: there are params in it."""
    with suppress(ImportError, ValueError, OSError):  # not on every system, and not where there is less already
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
