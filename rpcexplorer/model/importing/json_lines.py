"""Envelopes as JSON text: one, a batch, or one a line, as logs and our own export have them."""

from __future__ import annotations

from typing import Final

from rpcexplorer.jsontext.scan import elements, is_value
from rpcexplorer.model.importing.envelopes import lines_of
from rpcexplorer.model.importing.imported import Imported
from rpcexplorer.model.importing.requests import RequestRead, imported_from

FORM: Final = "JSON envelopes"


def read(text: str) -> Imported:
    """The envelopes of a text; of an array, each element is in a batch."""
    if elements(text) is not None or is_value(text):
        return imported_from(FORM, [RequestRead("POST", body=text)])
    lines = (RequestRead("POST", body=line, number=number) for number, line in lines_of(text))
    return imported_from(f"{FORM}, one a line", lines)
