"""What is known of a method as lines of words: what it does, what it takes, what comes back, and who says so."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from rpcexplorer.auth.registry import KINDS
from rpcexplorer.jsontext.layout import indented
from rpcexplorer.model.methods.method import By, Method, MethodSource, Parameter
from rpcexplorer.model.schema.starting import starting_point
from rpcexplorer.views.cells import columns, fitted
from rpcexplorer.views.json_out import json_of
from rpcexplorer.views.printable import printable
from rpcexplorer.views.words.sentences import WordLine

LABEL: Final = 12
WIDEST_NAME: Final = 28
WIDEST_KIND: Final = 24

_BY: Final[dict[By, str]] = {"name": "by name, as an object", "position": "by position, as an array"}
_SOURCES: Final[dict[MethodSource, str]] = {
    "service": "the service's own document",
    "profile": "the profile",
    "discovered": "the service, when it was asked",
    "history": "an earlier call",
    "saved": "a saved call",
}


def docs_lines(method: Method | None, asked: datetime | None = None) -> list[WordLine]:
    """The page for a method; ``asked`` is when the service told of it."""
    if method is None:
        return [[("  No method is chosen yet: F2 shows them.", "dim")]]
    lines = [_title(method)]
    if method.doc:
        lines.append([("  ", "text"), (printable(method.doc), "text")])
    if method.details:
        lines += [[], *([("  ", "text"), (printable(each), "middle")] for each in method.details.splitlines())]
    lines += [[], *_facts(method, asked)]
    if method.parameters:
        lines += [[], *_parameters(method)]
    if (start := starting_point(method)) is not None:
        lines += [[], [("  Starting point", "bold")], *_json(start)]
    if not (method.doc or method.details or method.parameters or start is not None):
        lines += [[], [("  Nothing more is known of it.", "text")]]
        lines.append([("  F9 asks the service; the Params tab takes anything.", "dim")])
    return lines


def _title(method: Method) -> WordLine:
    words = [("  ", "text"), (printable(method.name), "accent bold")]
    return [*words, ("   ! deprecated", "careful")] if method.deprecated else words


def _facts(method: Method, asked: datetime | None) -> Iterator[WordLine]:
    said_by = _SOURCES[method.source] + (f" ({printable(method.dialect)})" if method.dialect else "")
    if asked is not None and method.dialect:
        said_by += f" on {asked.astimezone():%-d %B %Y at %H:%M}"
    facts = {
        "login": KINDS[method.auth].needed if method.auth and method.auth in KINDS else "unknown",
        "safe": _safety(method.safe),
        "result": printable(method.result),
        "said by": said_by,
    }
    for label, told in facts.items():
        if told:
            yield [(f"  {label:<{LABEL}}", "dim"), (told, "text")]


def _safety(safe: bool | None) -> str:
    if safe:
        return "yes, sent without a question"
    return "no, asks first where the profile wants it" if safe is False else "unknown, so it is treated as not safe"


def _parameters(method: Method) -> Iterator[WordLine]:
    """A table: name, kind, whether it must be there, what it is."""
    yield [("  Params", "bold"), (f"  {_BY[method.by]}" if method.by else "", "dim")]
    names = [each.name or f"#{at}" for at, each in enumerate(method.parameters, start=1)]
    wide = min(max(columns(printable(name)) for name in names), WIDEST_NAME)
    kinds = min(max(columns(printable(each.kind)) for each in method.parameters), WIDEST_KIND)
    for name, each in zip(names, method.parameters, strict=True):
        must = {True: "required", False: "optional", None: ""}[each.required]
        yield [
            (f"  {fitted(name, wide)}", "json-key"),
            (f"  {fitted(each.kind, kinds)}" if kinds else "", "middle"),
            (f"  {must:<8}", "bold" if each.required else "dim"),
            ("  ", "text"),
            (_told(each), "text"),
        ]


def _told(parameter: Parameter) -> str:
    """Its doc, and the values the service names."""
    said = [parameter.doc]
    if parameter.default is not None:
        said.append(f"default {_spelled(parameter.default)}")
    if parameter.example is not None:
        said.append(f"for example {_spelled(parameter.example)}")
    return printable("; ".join(each for each in said if each))


def _json(value: Any) -> Iterator[WordLine]:
    """A value, laid out and coloured."""
    from rpcexplorer.views.colouring import tokens  # no start needs it

    for text in indented(_spelled(value)).splitlines():
        line, at = [("  ", "text")], 0
        for start, end, role in tokens(text):
            line += [(text[at:start], "json-punctuation"), (printable(text[start:end]), f"json-{role}")]
            at = end
        yield [*line, (printable(text[at:]), "json-punctuation")]


def _spelled(value: Any) -> str:
    return json_of(value).decode()
