"""Elicitation: a form, or a page to open, with which a server of MCP asks the user."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec
from msgspec import UNSET, Struct

from rpcexplorer.jsontext.edit import one_line, string
from rpcexplorer.jsontext.scan import decoded, members
from rpcexplorer.model.method import Described, DescribedParam
from rpcexplorer.model.secret import UNRECORDED

MAX_BYTES: Final = 256 * 1024
"""A longer request is answered as JSON."""
MAX_QUESTIONS: Final = 200
"""The rows that a form shows of one object."""
MAX_DEPTH: Final = 20
"""Levels of the schema of a question; the specification has three."""
MAX_TEXT: Final = 4_000
"""Characters of a message or description."""
MAX_TITLE: Final = 200
DECLINED: Final = '"result":{"action":"decline"}'
CANCELLED: Final = '"result":{"action":"cancel"}'
AGREED: Final = '"result":{"action":"accept"}'


def _values(content: str) -> dict[str, str]:
    """Return the values of an object by name, as they are spelled."""
    return {member.name: content[slice(*member.value)] for member in members(content) or ()}


class Elicitation(Struct, frozen=True):
    """What a server asks. Its texts are not safe to print."""

    message: str = ""
    described: Described = Described()
    """The fields of the form as params by name."""
    secrets: frozenset[str] = frozenset()
    """The names of the fields for secrets: what is typed is neither shown nor recorded."""
    url: str = ""
    """The page to open; empty for a form."""
    why_not: str = ""
    """Why it cannot be asked as a form or page: then it is answered as JSON."""

    @property
    def start(self) -> str:
        """The answer to begin with: the defaults."""
        defaults = {param.name: default_of(param.schema) for param in self.described.params}
        given = {name: default for name, default in defaults.items() if default is not UNSET}
        return json.dumps(given, indent=2, ensure_ascii=False)

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
            return f"It is not a web page: its scheme is {parts.scheme or 'missing'}."
        if "@" in parts.netloc:
            return f"The text before @ is not the host: the page is at {self.host}."
        if "xn--" in self.host or "%" in self.host or not self.host.isascii():
            return "The host has letters that may look like others."
        if parts.scheme == "http":
            return "It is not encrypted."
        return ""


class _Request(Struct):
    params: dict[str, Any]


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
    fields = tuple(_param(name, field, is_required=name in names) for name, field in properties.items())
    secrets = frozenset(name for name, field in properties.items() if _is_secret(name, field, means_secret))
    # The specification names the formats of fields, so they are rules here.
    described = Described(fields, extra=False, by="name", checks_formats=True)
    return Elicitation(message, described, secrets)


def _page(message: str, params: Mapping[str, Any]) -> Elicitation:
    url = params.get("url")
    if not isinstance(url, str) or not url.isprintable() or "\\" in url:  # Browsers read a backslash as a slash.
        return Elicitation(message, why_not="The request has no URL that can be shown.")
    found = Elicitation(message, url=url)
    return found if found.host else Elicitation(message, why_not="The URL of the request has no host.")


def _param(name: str, schema: Any, *, is_required: bool) -> DescribedParam:
    doc = ""
    if isinstance(schema, dict):
        parts = (_text(schema.get("title"), MAX_TITLE), _text(schema.get("description"), MAX_TEXT))
        doc = ": ".join(part for part in parts if part)
    return DescribedParam(name, schema if isinstance(schema, dict) else True, required=is_required, doc=doc)


def _is_secret(name: str, schema: Any, means_secret: MeansSecret) -> bool:
    if not isinstance(schema, dict):
        return bool(means_secret(name))
    if schema.get("type") == "boolean" or [*titled_choices(schema)] or [*titled_choices(schema.get("items"))]:
        return False  # A choice from a list is not secret.
    return schema.get("format") == "password" or bool(
        means_secret(name) or means_secret(_text(schema.get("title"), MAX_TITLE))
    )


def default_of(schema: Any) -> Any:
    """Return the default of a field; ``UNSET`` without one."""
    return schema.get("default", UNSET) if isinstance(schema, dict) else UNSET


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
