"""Elicitation: a form, or a page to open, with which a server of MCP asks the user."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from typing import Any, Final, Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import UNSET, Struct

from rpcexplorer.jsontext.edit import one_line, string
from rpcexplorer.jsontext.scan import decoded, members
from rpcexplorer.model.event import Event
from rpcexplorer.model.method import Described, DescribedParam
from rpcexplorer.model.problem import SchemaProblem
from rpcexplorer.model.secret import UNRECORDED

COMPLETE: Final = "notifications/elicitation/complete"
"""The notification that the step on a page is done."""
MAX_BYTES: Final = 256 * 1024
"""A longer request is answered as JSON."""
MAX_QUESTIONS: Final = 200
"""The rows that a form shows of one object; nobody fills in more."""
MAX_DEPTH: Final = 20
"""Levels of the schema of a question; the specification has three."""
MAX_TEXT: Final = 4_000
"""Characters of a message or description."""
MAX_TITLE: Final = 200
DECLINED: Final = '"result":{"action":"decline"}'
CANCELLED: Final = '"result":{"action":"cancel"}'
AGREED: Final = '"result":{"action":"accept"}'

QuestionKind = Literal["text", "number", "boolean", "choice", "choices", "json"]


class Question(Struct, frozen=True):
    """A field of the form."""

    param: DescribedParam
    kind: QuestionKind
    choices: tuple[tuple[Any, str], ...] = ()
    """Values to choose from, with their titles."""
    default: Any = UNSET
    is_secret: bool = False
    """What is typed is neither shown nor recorded."""

    @property
    def name(self) -> str:
        return self.param.name

    def title_of(self, value: Any) -> str:
        """Return the title of a choice, or a value as it is typed."""
        if isinstance(value, list):
            return ", ".join(map(self.title_of, value))
        for choice, title in self.choices:
            if choice == value:
                return title
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _values(content: str) -> dict[str, str]:
    """Return the values of an object by name, as they are spelled."""
    return {member.name: content[slice(*member.value)] for member in members(content) or ()}


class Elicitation(Struct, frozen=True):
    """What a server asks. Its texts are not safe to print."""

    message: str = ""
    questions: tuple[Question, ...] = ()
    url: str = ""
    """The page to open; empty for a form."""
    id: str = ""
    """Names the page in ``COMPLETE``."""
    why_not: str = ""
    """Why it cannot be asked as a form or page: then it is answered as JSON."""

    @property
    def described(self) -> Described:
        """The fields as params by name."""
        return Described(tuple(question.param for question in self.questions), extra=False, by="name")

    @property
    def start(self) -> str:
        """The answer to begin with: the defaults."""
        defaults = {question.name: question.default for question in self.questions if question.default is not UNSET}
        return json.dumps(defaults, indent=2, ensure_ascii=False)

    @property
    def secrets(self) -> frozenset[str]:
        """The names of the fields for secrets."""
        return frozenset(question.name for question in self.questions if question.is_secret)

    def format_problems(self, content: str) -> tuple[SchemaProblem, ...]:
        values = _values(content)
        found = {question.name: format_problem(question, values.get(question.name, "")) for question in self.questions}
        return tuple(SchemaProblem((name,), "format", sentence) for name, sentence in found.items() if sentence)

    def secrets_in(self, content: str) -> list[str]:
        """Return what was typed into the fields for secrets."""
        values = _values(content)
        texts = [values[name] for name in self.secrets.intersection(values)]
        return [decoded(text) if text.startswith('"') else text for text in texts]

    def shown_answer(self, content: str) -> str:
        """Return the result that accepts a form with this content, without what was typed into fields for secrets."""
        values = _values(content)
        values |= dict.fromkeys(self.secrets.intersection(values), string(UNRECORDED))
        parts = ", ".join(f"{string(name)}: {one_line(value)}" for name, value in values.items())
        return f'{{"action": "accept", "content": {{{parts}}}}}'

    @property
    def host(self) -> str:
        """The host of the page, in small letters as a browser resolves it; empty if there is none."""
        try:
            return urlsplit(self.url).hostname or ""
        except ValueError:
            return ""

    @property
    def caution(self) -> str:
        """Why the page may not be what it seems to be."""
        parts = urlsplit(self.url)
        if parts.scheme not in {"https", "http"}:
            return f"It is no web page: its scheme is {parts.scheme or 'missing'}."
        if "@" in parts.netloc:
            return f"The text before @ is no host: the page is at {self.host}."
        if "xn--" in self.host or "%" in self.host or not self.host.isascii():
            return "The host has letters that may look like others."
        if parts.scheme == "http":
            return "It is not encrypted."
        return ""


class _Request(Struct):
    params: dict[str, Any]


def format_problem(question: Question, value: str) -> str:
    """Return why a text, as JSON, does not have the format of a field; empty if it does.

    The checker ignores formats, which other services often mean as a hint.
    """
    schema = question.param.schema
    wanted = _text(schema.get("format"), MAX_TITLE) if isinstance(schema, dict) else ""
    if not value.startswith('"') or wanted not in FORMATS:
        return ""
    has_format, words = FORMATS[wanted]
    try:
        is_right = bool(has_format(decoded(value)))
    except ValueError:
        is_right = False
    return "" if is_right else f"{question.name} must be {words}"


def _is_email(value: str) -> bool:
    name, _, host = value.rpartition("@")
    return bool(name and host) and not any(map(str.isspace, value))


FORMATS: Final[Mapping[str, tuple[Callable[[str], object], str]]] = {
    "email": (_is_email, "an email address, such as ada@example.org"),
    "uri": (lambda value: urlsplit(value).scheme, "a URI, such as https://example.org/"),
    "date": (date.fromisoformat, "a date, such as 2026-07-28"),
    "date-time": (datetime.fromisoformat, "a date and time, such as 2026-07-28T12:00:00Z"),
}
"""The formats that MCP names: a check, and what is wanted."""


def page_of(event: Event) -> str:
    """Return the id of the page that a ``COMPLETE`` notification names; empty if there is none."""
    try:
        return _text(msgspec.json.decode(event.text, type=_Request).params.get("elicitationId"), MAX_TITLE)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return ""


TOO_LARGE: Final = Elicitation(why_not=f"The form is larger than {MAX_BYTES // 1024} kB.")
MeansSecret = Callable[[str], object]
"""Return whether a name means a secret."""


def read_elicitation(text: bytes, means_secret: MeansSecret) -> Elicitation:
    """Read an ``elicitation/create`` request."""
    if len(text) > MAX_BYTES:
        return TOO_LARGE
    try:
        params = msgspec.json.decode(text, type=_Request).params
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return Elicitation(why_not="The request has no params that can be read.")
    message = _text(params.get("message"), MAX_TEXT)
    mode = params.get("mode", "form")
    if mode == "url":
        return _page(message, params)
    schema = params.get("requestedSchema")
    properties = schema.get("properties", {}) if isinstance(schema, dict) else None
    if mode != "form":
        return Elicitation(message, why_not=f"The mode {_text(mode, MAX_TITLE) or 'of the request'} is unknown.")
    if not isinstance(schema, dict) or not isinstance(properties, dict):
        return Elicitation(message, why_not="The form has no schema with properties.")
    if len(properties) > MAX_QUESTIONS:
        too_many = f"The form has {len(properties):,} fields, more than the {MAX_QUESTIONS} that fit."
        return Elicitation(message, why_not=too_many)
    if any(_is_deep(member, MAX_DEPTH) for member in properties.values()):
        return Elicitation(message, why_not=f"The schema of the form is nested deeper than {MAX_DEPTH} levels.")
    required = schema.get("required")
    names = set(map(str, required)) if isinstance(required, list) else set()
    questions = [
        _question(name, schema, means_secret, is_required=name in names) for name, schema in properties.items()
    ]
    return Elicitation(message, tuple(questions))


def _page(message: str, params: Mapping[str, Any]) -> Elicitation:
    url = params.get("url")
    if not isinstance(url, str) or not url.isprintable() or "\\" in url:  # Browsers read a backslash as a slash.
        return Elicitation(message, why_not="The request has no URL that can be shown.")
    found = Elicitation(message, url=url, id=_text(params.get("elicitationId"), MAX_TITLE))
    return found if found.host else Elicitation(message, why_not="The URL of the request has no host.")


def _question(name: str, schema: Any, means_secret: MeansSecret, *, is_required: bool) -> Question:
    if not isinstance(schema, dict):
        return Question(DescribedParam(name, required=is_required), "json", is_secret=bool(means_secret(name)))
    title, doc = _text(schema.get("title"), MAX_TITLE), _text(schema.get("description"), MAX_TEXT)
    param = DescribedParam(name, schema, required=is_required, doc=": ".join(part for part in (title, doc) if part))
    choices, kind = tuple(titled_choices(schema)), _kind(schema.get("type"))
    if choices:
        kind = "choice"
    elif schema.get("type") == "array" and (choices := tuple(titled_choices(schema.get("items")))):
        kind = "choices"
    is_typed = kind in {"text", "number", "json"}  # What all can choose from is no secret.
    is_secret = is_typed and bool(schema.get("format") == "password" or means_secret(name) or means_secret(title))
    return Question(param, kind, choices, schema.get("default", UNSET), is_secret)


def _kind(kind: Any) -> QuestionKind:
    match kind:
        case "string":
            return "text"
        case "number" | "integer":
            return "number"
        case "boolean":
            return "boolean"
    return "json"


def titled_choices(schema: Any) -> Iterator[tuple[Any, str]]:
    """Yield the values of an enum and their titles, in each form that MCP has had."""
    if not isinstance(schema, dict):
        return
    titled = schema.get("oneOf") or schema.get("anyOf")
    if isinstance(titled, list) and all(isinstance(one, dict) and "const" in one for one in titled):
        for one in titled:
            yield one["const"], _text(one.get("title"), MAX_TITLE) or str(one["const"])
        return
    values, names = schema.get("enum"), schema.get("enumNames")
    if not isinstance(values, list):
        return
    if not isinstance(names, list) or len(names) != len(values):
        names = values
    for value, title in zip(values, names, strict=True):
        yield value, _text(title, MAX_TITLE) or str(value)


def _is_deep(value: Any, levels: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    inside = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_is_deep(one, levels - 1) for one in inside)


def _text(value: Any, limit: int) -> str:
    return value[:limit] if isinstance(value, str) else ""
