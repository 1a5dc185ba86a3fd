"""Declarations of the demo's methods, their param checks, and sessions."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from rpcexplorer.demo import PATH
from rpcexplorer.demo.message import Request, Response, Success, fault

Schema = Mapping[str, Any]
"""A JSON Schema of the kinds below: those are what the checks know."""
SCHEMA_PATH: Final = "#/components/schemas/"
"""Location of the named schemas in the OpenRPC document."""
SCHEMAS: Final[dict[str, Schema]] = {}
"""Schemas that several methods share, or that contain themselves."""


def named(name: str) -> Schema:
    return {"$ref": f"{SCHEMA_PATH}{name}"}


def integer(low: int, high: int, **more: Any) -> Schema:
    return {"type": "integer", "minimum": low, "maximum": high, **more}


def number(low: float, high: float, **more: Any) -> Schema:
    return {"type": "number", "minimum": low, "maximum": high, **more}


def text(max_length: int, **more: Any) -> Schema:
    return {"type": "string", "maxLength": max_length, **more}


def flag() -> Schema:
    return {"type": "boolean", "default": False}


def choice(*words: str, **more: Any) -> Schema:
    return {"type": "string", "enum": [*words], **more}


def record(properties: dict[str, Schema], *required: str, **more: Any) -> Schema:
    """Return the schema of an object that has no other members."""
    closed = {"required": [*required], "additionalProperties": False}
    return {"type": "object", "properties": properties, **closed, **more}


_KINDS: Final[dict[str, Callable[[Any], bool]]] = {
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "null": lambda value: value is None,
}


def find_problem(value: Any, schema: Schema, where: str) -> str:
    """Return the first problem as a sentence that names the place, or ""."""
    if "$ref" in schema:
        schema = SCHEMAS[schema["$ref"].removeprefix(SCHEMA_PATH)]
    if "oneOf" in schema:
        fits = any(find_problem(value, option, where) == "" for option in schema["oneOf"])
    else:
        fits = _fits(value, schema)
    if not fits:
        return f'"{where}" must be {describe(schema)}.'
    if isinstance(value, dict) and "properties" in schema:
        return _member_problem(value, schema, where)
    if isinstance(value, list):
        for at, item in enumerate(value):
            if problem := find_problem(item, schema["items"], f"{where}/{at}"):
                return problem
    return ""


def _fits(value: Any, schema: Schema) -> bool:
    """Return whether the value itself fits, without its parts."""
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if not any(_KINDS[kind](value) for kind in kinds):
        return False
    if isinstance(value, str):
        if "enum" in schema:
            return value in schema["enum"]
        if "pattern" in schema:
            return re.search(schema["pattern"], value) is not None
        return schema.get("minLength", 0) <= len(value) <= schema["maxLength"]  # type: ignore[no-any-return]
    if isinstance(value, list):
        return schema.get("minItems", 0) <= len(value) <= schema["maxItems"]  # type: ignore[no-any-return]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return schema["minimum"] <= value <= schema["maximum"]  # type: ignore[no-any-return]
    return True


def _member_problem(value: dict[str, Any], schema: Schema, where: str) -> str:
    members = schema["properties"]
    for name in schema["required"]:
        if name not in value:
            return f'"{where}" needs "{name}": {describe(members[name])}.'
    for name, member in value.items():
        if name not in members:
            return f'"{where}" has no member "{name}". Its members: {", ".join(members)}.'
        if problem := find_problem(member, members[name], f"{where}/{name}"):
            return problem
    return ""


def describe(schema: Schema) -> str:
    """Return the requirements of the schema in words."""
    if "$ref" in schema:
        return describe(SCHEMAS[schema["$ref"].removeprefix(SCHEMA_PATH)])
    if "oneOf" in schema:
        return " or ".join(describe(option) for option in schema["oneOf"])
    if "enum" in schema:
        return f"one of {', '.join(schema['enum'])}"
    match schema["type"]:
        case [*kinds]:
            return " or ".join(describe({**schema, "type": kind}) for kind in kinds)
        case "boolean":
            return "true or false"
        case "integer":
            return f"an integer from {schema['minimum']} to {schema['maximum']}"
        case "number":
            return f"a number from {schema['minimum']} to {schema['maximum']}"
        case "string" if "pattern" in schema:
            return f"a string such as {schema['examples'][0]}"
        case "string":
            return f"a string of at most {schema['maxLength']} characters"
        case "object":
            return f"an object with {', '.join(schema['properties'])}"
        case "array":
            return f"an array of {schema.get('minItems', 0)} to {schema['maxItems']} elements"
    return str(schema["type"])


LIFETIME = 30 * 60
"""Seconds from the last use of a session to its end."""


@dataclass(slots=True)
class Session:
    opened: float
    used: float
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))


class Sessions:
    """The open sessions."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.by_token: dict[str, Session] = {}

    def open(self) -> Session:
        now = self._clock()
        self.by_token = {token: session for token, session in self.by_token.items() if now < session.used + LIFETIME}
        session = Session(now, now)
        self.by_token[session.token] = session
        return session

    def use(self, token: str) -> Session | None:
        """Return the session of this token and prolong it; None if it has ended."""
        now = self._clock()
        session = self.by_token.get(token)
        if session is None or now >= session.used + LIFETIME:
            return None
        session.used = now
        return session

    def close(self, session: Session) -> None:
        self.by_token.pop(session.token, None)

    def age(self, session: Session) -> int:
        return int(self._clock() - session.opened)


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
    session: Session | None
    """The session of the cookie; None if the method does not need one."""
    sessions: Sessions
    notes: dict[int, str]
    table: Mapping[str, Method]
    """All methods of the service."""


Run = Callable[..., Success | Response]
"""Answers a call and its arguments by name, or raises a `FaultError`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    name: str
    summary: str
    description: str
    run: Run
    params: Sequence[Param] = ()
    takes_anything: bool = False
    """It takes any params and gets none of them by name."""
    result: Schema | None = None
    """Schema of the result; None if it depends on the call."""
    errors: Sequence[tuple[int, str]] = ()
    """Its own errors, without those that every method of its auth type has."""
    auth: Literal["none", "cookie", "inline"] = "none"
    safe: bool = True
    examples: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    """Params by the name of the example."""
    deprecated: bool = False


def bind(method: Method, params: dict[str, Any] | list[Any]) -> dict[str, Any]:
    """Return the arguments by name; raise a fault for the first problem."""
    if method.takes_anything:
        return {}
    names = [param.name for param in method.params]
    takes = f"Its params: {', '.join(names)}." if names else 'It takes no params. Send "params": [].'
    if isinstance(params, list):
        if len(params) > len(names):
            raise fault(-32602, f"Invalid params: too many params for {method.name}: {len(params)}. {takes}")
        params = dict(zip(names, params, strict=False))
    for name in params:
        if name not in names:
            raise fault(-32602, f'Invalid params: {method.name} has no param "{name}". {takes}')
    arguments = {}
    for param in method.params:
        if param.required and param.name not in params:
            raise fault(-32602, f'Invalid params: {method.name} needs "{param.name}": {describe(param.schema)}.')
        value = params.get(param.name, param.schema.get("default"))
        if problem := find_problem(value, param.schema, param.name):
            raise fault(-32602, f"Invalid params: {problem}")
        arguments[param.name] = value
    return arguments


_OTHERS: Final = {"name": "...", "summary": "Any other params", "required": False, "schema": {"default": None}}
"""A param that accepts all others, for which OpenRPC has no keyword."""


def document(methods: Iterable[Method]) -> dict[str, Any]:
    """Return the OpenRPC document; `x-auth` and `x-safe` are extensions."""
    return {
        "openrpc": "1.3.2",
        "info": {
            "title": "rpcexplorer demo",
            "version": "2.0.0",
            "description": "A service to explore. It runs on this machine only and loses all its data when it ends.",
        },
        "servers": [{"name": "demo", "url": PATH}],
        "methods": [_method(method) for method in methods],
        "components": {"schemas": SCHEMAS},
    }


def _method(method: Method) -> dict[str, Any]:
    described: dict[str, Any] = {
        "name": method.name,
        "summary": method.summary,
        "description": method.description,
        "tags": [{"name": method.name.rpartition(".")[0] or "service"}],
        "paramStructure": "by-name" if method.auth == "inline" else "either",
        "params": [
            {"name": param.name, "summary": param.summary, "required": param.required, "schema": param.schema}
            for param in method.params
        ],
        "result": {"name": "result", "schema": method.result or {}},
        "errors": [{"code": code, "message": message} for code, message in _errors(method).items()],
        "x-auth": method.auth,
        "x-safe": method.safe,
    }
    if method.takes_anything:
        described["params"].append(_OTHERS)
    if method.examples:
        described["examples"] = [
            {"name": name, "params": [{"name": param, "value": value} for param, value in params.items()]}
            for name, params in method.examples.items()
        ]
    if method.deprecated:
        described["deprecated"] = True
    return described


def _errors(method: Method) -> dict[int, str]:
    """Return each error code once, with its first message."""
    errors: dict[int, str] = {}
    for code, message in method.errors:
        errors.setdefault(code, message)
    if method.auth != "none":
        errors.setdefault(-32001, "authentication required")
    if method.auth == "inline" or not method.takes_anything:
        errors.setdefault(-32602, "Invalid params")
    return errors
