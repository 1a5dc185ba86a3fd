"""The forms that can be imported, each with how it is told from the others. Another form is a file and a line here."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

import msgspec
from msgspec import Raw, Struct

from rpcexplorer.jsontext.scan import members
from rpcexplorer.model.importing import curl, har, json_lines, postman
from rpcexplorer.model.importing.imported import Imported


class ImportForm(Struct, frozen=True):
    """A form of text that calls are found in."""

    looks: Callable[[str, Mapping[str, Raw]], bool]
    """By the text without blanks around it, and by its members where it is one object of JSON."""
    read: Callable[[str], Imported]


FORMS: Final = (
    ImportForm(lambda _, named: har.is_har(named), har.read),
    ImportForm(lambda _, named: postman.is_collection(named), postman.read),
    ImportForm(lambda text, named: text[:1] in "[{" and "openrpc" not in named, json_lines.read),
    ImportForm(lambda text, _: is_curl(text), curl.read),
)
OTHERS: Final = (
    (
        re.compile(r"Invoke-(?:WebRequest|RestMethod)\b|New-Object Microsoft\.PowerShell", re.IGNORECASE),
        "It is PowerShell, which is not imported: in the browser choose “Copy as cURL”.",
    ),
    (
        re.compile(r"(?:await\s+)?fetch\("),
        "It is JavaScript (fetch), which is not imported: in the browser choose “Copy as cURL”.",
    ),
    (re.compile(r"\s*case\s*=\s*1\b", re.MULTILINE), "It is a case: rpcexplorer history import FILE takes it in."),
    (re.compile(r'\{[^{]*"openrpc"'), "It is an OpenRPC document: a profile names it in `discovery`."),
    (re.compile(r"https?(?:ie)?\s+(?:-|[A-Z]+\s|https?:)|wget\s"), "Of command lines only those of curl are imported."),
)
"""What people try that is not imported, and what to do instead."""
NOTHING: Final = "There is nothing in it."
UNKNOWN: Final = (
    "It is neither a curl command, nor a HAR, nor a Postman collection, nor JSON-RPC envelopes, one or one a line."
)


def is_curl(text: str) -> bool:
    """Whether a line of a text begins with curl; for a long one the first lines tell."""
    return curl.STARTS.search(text, 0, LOOKED_AT) is not None


LOOKED_AT: Final = 20_000
"""Characters in which a form has to show itself."""


def imported(text: str) -> Imported:
    """The calls in a text from another program, whatever form it has."""
    text = text.removeprefix("\ufeff").strip()
    if not text:
        return Imported("", notes=(NOTHING,))
    named = _named(text) if text.startswith("{") else {}
    for form in FORMS:
        if form.looks(text, named):
            return form.read(text)
    said = next((sentence for other, sentence in OTHERS if other.match(text)), UNKNOWN)
    return Imported("", notes=(said,))


def _named(text: str) -> Mapping[str, Raw]:
    """The members of one object of JSON; none of anything else."""
    try:
        return msgspec.json.decode(text, type=dict[str, Raw])
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return {each.name: Raw(b"null") for each in members(text) or ()}  # what is nested too deep has a form as well
