"""What ``help`` tells. Electrum answers with names; Bitcoin Core and its kin with text: headings, and a line a method.

A line is a method's name and its params, those in parentheses optional: ``getblock "blockhash" ( verbosity )``. The
help of one method says more of them, under *Arguments*. Nothing here fails at another text: it is no list then.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from msgspec.structs import replace

from rpcexplorer.client.discovery.collecting import Collected
from rpcexplorer.client.discovery.limits import KIND, first_line_of, kind_of, line_of, name_of, text_of
from rpcexplorer.client.discovery.names import NO_LIST, read_names
from rpcexplorer.client.discovery.questions import EMPTY, Asking, Question, one_by_one, too_many_to_explain
from rpcexplorer.model.methods.listing import Listing
from rpcexplorer.model.methods.method import Method, Parameter

DIALECT = "help"
MOST_POSITIONS = 64
"""Params of one method."""
LONGEST_LINE = 2_000

_MARK = "=="
_METHOD = re.compile(r"[A-Za-z_][\w.:-]*")
_WORD = re.compile(r'"[^"]*"|[^\s()\[\]{}"]+')
_OPENING, _CLOSING = "[{", "]}"
_ARGUMENT = re.compile(r'^ {0,2}(\d{1,2})\. +"?([^\s"(]+)"? +\(([^()\n]{0,500})\)[ \t]*(.*)$', re.MULTILINE)
_DEFAULT = re.compile(r"default=(?:(-?\d{1,15})|(true)|(false))(?![^,)\s])")
_RESULT = re.compile(r"^Result[^\n:]{0,200}:[ \t]*\n[^\n(]*\((?:json )?(\w+)", re.MULTILINE)
_SECTION = re.compile(r"^(?:Arguments|Result|Examples?)\b[^\n]*:", re.MULTILINE)


def help_text(described: Collection[str]) -> Asking:
    """The text, or list; of a text, each method's own help as well."""
    answer = yield Question(DIALECT)
    if answer.refusal:
        return Listing(refusal=answer.refusal)
    if not isinstance(answer.value, str):
        return read_names(answer.value, DIALECT) if _is_of_names(answer.value) else Listing(refusal=NO_LIST)
    listing = read_text(answer.value)
    methods = {method.name: method for method in listing.methods}
    wanted = [name for name in methods if name not in described]
    said = yield from one_by_one(DIALECT, methods, wanted, with_help)
    said = [sentence.replace(DIALECT, "of each method", 1) for sentence in said] + too_many_to_explain(wanted)
    return replace(listing, methods=tuple(methods.values()), skipped=(*listing.skipped, *said))


def read_text(told: str) -> Listing:
    """Read lines of methods below headings. Prose, which has no headings, is no list."""
    if not told.strip():
        return Listing(refusal=EMPTY)
    collected, group = Collected(), ""
    for line in told.splitlines():
        if line.startswith(_MARK) and line.endswith(_MARK):
            group = line_of(line.strip("= "), KIND)
        elif group and line.strip():
            found = _METHOD.match(line)
            if found and (name := collected.room_for(found[0])):
                collected.take(_method(name, group, line[found.end() : LONGEST_LINE], collected))
    return collected.listing() if collected.methods else Listing(refusal=NO_LIST)


def _is_of_names(value: Any) -> bool:
    """Whether it can be a list of methods: other help in a list has words in its lines."""
    return not value or (isinstance(value, list) and all(isinstance(each, str) and " " not in each for each in value))


def _method(name: str, group: str, params: str, collected: Collected) -> Method:
    parameters = tuple(_positions(params))
    parameters = parameters if collected.parameters_fit(parameters) else ()
    return Method(name, group, source="discovered", parameters=parameters, by="position", dialect=DIALECT)


def _positions(params: str) -> Iterator[Parameter]:
    """The params of a line, in their order: ``[…]`` and ``{…}`` have a kind, and no name."""
    required, at, count = True, 0, 0
    while at < len(params) and count < MOST_POSITIONS:
        if params[at] in "()":
            required, at = params[at] == ")", at + 1
        elif params[at] in _OPENING:
            yield Parameter("", required, "array" if params[at] == "[" else "object")
            at, count = _behind(params, at), count + 1
        elif word := _WORD.match(params, at):
            quoted = word[0].startswith('"')
            yield Parameter(name_of(word[0].strip('"')), required, "string" if quoted else "")
            at, count = word.end(), count + 1
        else:
            at += 1


def _behind(params: str, start: int) -> int:
    """Where the bracket that opens at ``start`` has closed again; the end of the line where it does not."""
    depth = 0
    for at in range(start, len(params)):
        depth += (params[at] in _OPENING) - (params[at] in _CLOSING)
        if depth == 0:
            return at + 1
    return len(params)


def with_help(method: Method, value: Any) -> Method:
    """The method with what its own help says of it, its params and its result."""
    if not isinstance(value, str) or not value.startswith(method.name):
        return method
    whole = value[: 64 * LONGEST_LINE].replace("\r\n", "\n")
    _, _, told = whole.partition("\n")
    sections = [*_SECTION.finditer(told)]
    details = text_of(told[: sections[0].start()] if sections else told)
    result = _RESULT.search(told)
    doc = first_line_of(details)
    return replace(
        method,
        doc=doc or method.doc,
        details="" if details == doc else details,
        parameters=tuple(_arguments(told)) or method.parameters,
        result=kind_of(_kind(result[1])) if result else "",
    )


def _arguments(told: str) -> Iterator[Parameter]:
    """What stands under *Arguments*, for as long as the numbers go up."""
    for place, found in enumerate(_ARGUMENT.finditer(told), start=1):
        number, name, notes, doc = found.groups()
        if int(number) != place or place > MOST_POSITIONS:
            return
        kind, *more = (note.strip() for note in notes.split(","))
        default = _DEFAULT.search(notes)
        yield Parameter(
            name_of(name),
            "required" in more,
            line_of(" or ".join(_kind(word) for word in kind.split(" or ")), KIND),
            line_of(doc),
            _literal(default) if default else None,
        )


def _kind(word: str) -> str:
    return kind_of(word.removeprefix("json "))


def _literal(default: re.Match[str]) -> int | bool:
    return int(default[1]) if default[1] else bool(default[2])
