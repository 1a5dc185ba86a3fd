"""Declarations of the demo's methods, their param checks, and sessions."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from rpcexplorer.demo.message import Fault, Outcome, Request, fault

Schema = Mapping[str, Any]
"""A JSON Schema with the few keywords that the checks below know.

type, enum, minimum, maximum, minLength, maxLength, pattern, items, minItems, maxItems, properties, required, oneOf,
and ``$ref`` to one of ``SCHEMAS``. Members that are not named are rejected.
"""
SCHEMA_PATH: Final = "#/components/schemas/"
"""Location of the named schemas in the OpenRPC document."""
SCHEMAS: Final[dict[str, Schema]] = {}
"""Schemas that several methods share, or that contain themselves."""
_KINDS: Final[dict[str, Callable[[Any], bool]]] = {
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "null": lambda value: value is None,
}


def named(name: str) -> Schema:
    return {"$ref": f"{SCHEMA_PATH}{name}"}


def find_problem(value: Any, schema: Schema, where: str) -> str:
    """Return the first problem as a sentence that names the place, or ""."""
    schema = _resolve(schema)
    if "oneOf" in schema:
        if sum(not find_problem(value, option, where) for option in schema["oneOf"]) == 1:
            return ""
        return f'"{where}" must be {describe(schema)}.'
    if not _matches(value, schema):
        return f'"{where}" must be {describe(schema)}.'
    if isinstance(value, dict):
        return _member_problem(value, schema, where)
    if isinstance(value, list) and "items" in schema:
        return next(
            filter(None, (find_problem(item, schema["items"], f"{where}/{at}") for at, item in enumerate(value))), ""
        )
    return ""


def describe(schema: Schema) -> str:
    """Return the requirements of the schema in words."""
    schema = _resolve(schema)
    if "oneOf" in schema:
        return " or ".join(describe(option) for option in schema["oneOf"])
    if "enum" in schema:
        return f"one of {', '.join(map(str, schema['enum']))}"
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return " or ".join(_describe_type(kind, schema) for kind in kinds)


def _resolve(schema: Schema) -> Schema:
    return SCHEMAS[schema["$ref"].removeprefix(SCHEMA_PATH)] if "$ref" in schema else schema


def _matches(value: Any, schema: Schema) -> bool:
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if not any(_KINDS[kind](value) for kind in kinds):
        return False
    if isinstance(value, str):
        fits = schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value))
        chosen = value in schema.get("enum", [value])
        return fits and chosen and re.search(schema.get("pattern", ""), value) is not None
    if isinstance(value, list):
        return bool(schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))
    return True


def _member_problem(value: dict[str, Any], schema: Schema, where: str) -> str:
    members = schema.get("properties")
    if members is None:
        return ""
    for name in schema.get("required", ()):
        if name not in value:
            return f'"{where}" needs "{name}": {describe(members[name])}.'
    for name, member in value.items():
        if name not in members:
            return f'"{where}" has no member "{name}". Its members: {", ".join(members)}.'
        if problem := find_problem(member, members[name], f"{where}/{name}"):
            return problem
    return ""


def _describe_type(kind: str, schema: Schema) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    match kind:
        case "string":
            if "pattern" in schema:
                return f"a string such as {schema['examples'][0]}"
            return f"a string of at most {schema['maxLength']} characters" if "maxLength" in schema else "a string"
        case "boolean":
            return "true or false"
        case "object":
            return f"an object with {', '.join(schema['properties'])}" if "properties" in schema else "an object"
        case "array":
            return f"an array with {schema['minItems']} or more elements" if "minItems" in schema else "an array"
        case "null":
            return "null"
    article = "an" if kind == "integer" else "a"
    return f"{article} {kind} from {low} to {high}" if None not in {low, high} else f"{article} {kind}"


LIFETIME = 30 * 60
"""Seconds from the last use of a session to its end."""


@dataclass(slots=True)
class Session:
    token: str
    user: str
    opened: float
    used: float


class Sessions:
    """The open sessions."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._open: dict[str, Session] = {}

    def open(self, user: str) -> Session:
        now = self._clock()
        self._open = {token: session for token, session in self._open.items() if now < session.used + LIFETIME}
        session = Session(secrets.token_urlsafe(24), user, now, now)
        self._open[session.token] = session
        return session

    def use(self, token: str) -> Session | None:
        """Return the session of this token and prolong it; None if it has ended."""
        now = self._clock()
        session = self._open.get(token)
        if session is None or now >= session.used + LIFETIME:
            return None
        session.used = now
        return session

    def close(self, session: Session) -> None:
        self._open.pop(session.token, None)

    def age(self, session: Session) -> int:
        return int(self._clock() - session.opened)


Auth = Literal["none", "cookie", "inline"]


@dataclass(frozen=True, slots=True)
class ExampleCall:
    name: str
    params: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter; optional if its schema has a default."""

    name: str
    summary: str
    schema: Schema

    @property
    def required(self) -> bool:
        return "default" not in self.schema


@dataclass(frozen=True, slots=True)
class Call:
    request: Request
    arguments: dict[str, Any]
    """By name, checked, with defaults; empty if the method takes anything."""
    session: Session | None
    """The session of the cookie; None if the method does not need one."""
    sessions: Sessions
    notes: dict[int, str]
    table: Mapping[str, Method]
    """All methods of the service."""


@dataclass(frozen=True, slots=True)
class Method:
    name: str
    summary: str
    run: Callable[[Call], Outcome]
    description: str = ""
    params: tuple[Param, ...] = ()
    takes_anything: bool = False
    result: Schema | None = None
    """Schema of the result; None if it depends on the call."""
    errors: tuple[tuple[int, str], ...] = ()
    """Its own errors, without those that every method of its auth type has."""
    auth: Auth = "none"
    safe: bool = True
    examples: tuple[ExampleCall, ...] = ()
    deprecated: bool = False

    @property
    def tag(self) -> str:
        return self.name.rpartition(".")[0] or "service"


def bind(method: Method, params: dict[str, Any] | list[Any]) -> dict[str, Any] | Fault:
    """Return the arguments by name, or the first problem with them."""
    if method.takes_anything:
        return {}
    names = [param.name for param in method.params]
    takes = f"Its params: {', '.join(names)}." if names else 'It takes no params. Send "params": [].'
    if isinstance(params, list):
        if len(params) > len(names):
            return _invalid_params(f"too many params for {method.name}: {len(params)}. {takes}")
        params = dict(zip(names, params, strict=False))
    for name in params:
        if name not in names:
            return _invalid_params(f'{method.name} has no param "{name}". {takes}')
    return _checked(method, params)


def _checked(method: Method, given: dict[str, Any]) -> dict[str, Any] | Fault:
    arguments = {}
    for param in method.params:
        if param.name in given:
            value = given[param.name]
        elif param.required:
            return _invalid_params(f'{method.name} needs "{param.name}": {describe(param.schema)}.')
        else:
            value = param.schema["default"]
        if problem := find_problem(value, param.schema, param.name):
            return _invalid_params(problem)
        arguments[param.name] = value
    return arguments


def _invalid_params(sentence: str) -> Fault:
    return fault(-32602, f"Invalid params: {sentence}")
