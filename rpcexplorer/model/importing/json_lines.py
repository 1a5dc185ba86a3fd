"""Envelopes as JSON text: one, a batch, or one a line, as logs and our own export have them."""

from __future__ import annotations

from typing import Final

from rpcexplorer.jsontext.scan import decoded, elements, is_value, members
from rpcexplorer.model.importing.envelopes import lines_of
from rpcexplorer.model.importing.imported import Imported
from rpcexplorer.model.importing.requests import RequestRead, imported_from

FORM: Final = "JSON envelopes"


def read(text: str) -> Imported:
    """The envelopes of a text; of an array, each element is in a batch."""
    if elements(text) is not None or is_value(text):
        return imported_from(FORM, [_request(text)])
    lines = (_request(line, number) for number, line in lines_of(text))
    return imported_from(f"{FORM}, one a line", lines)


def _request(text: str, number: int = 0) -> RequestRead:
    """A body; of a line of our own export, the one that was sent."""
    found = members(text) if '"outcome"' in text else None
    said = {each.name: text[slice(*each.value)] for each in found or ()}
    if not {"time", "kind", "method", "outcome"} <= said.keys() or not said.get("params", '"').startswith('"'):
        return RequestRead("POST", body=text, number=number)
    address = decoded(said["url"]) if said.get("url", "").startswith('"') else ""
    params = decoded(said.get("params", '""'))
    if said["kind"] == '"batch"':
        return RequestRead("POST", address, body=params, number=number)
    id = "" if said["kind"] == '"notification"' else ', "id": "1"'
    params = f', "params": {params}' if params.strip() else ""
    return RequestRead("POST", address, body=f'{{"method": {said["method"]}{params}{id}}}', number=number)
