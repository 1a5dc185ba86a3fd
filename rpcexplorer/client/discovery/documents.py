"""Documents that describe a service and lie somewhere: at a path of it, or in a file. The forms are told apart here."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from msgspec.structs import replace

from rpcexplorer.client.discovery.description import read_service
from rpcexplorer.client.discovery.kodi import read_introspection
from rpcexplorer.client.discovery.openrpc import read_openrpc
from rpcexplorer.client.discovery.questions import Asking, Dialect, Question
from rpcexplorer.model.methods.listing import Listing


def read_document(value: Any, name: str) -> Listing:
    """Read a description in whichever form it is; a whole reply that somebody has saved counts as what is in it."""
    if isinstance(value, dict) and "methods" not in value and isinstance(value.get("result"), dict):
        value = value["result"]
    listing = _reader(value)(value)
    return replace(listing, methods=tuple(replace(method, dialect=name) for method in listing.methods))


def at_path(path: str) -> Dialect:
    """The document that lies at a path of the service."""

    def ask(described: Collection[str]) -> Asking:  # noqa: ARG001 - it has a say of its own on every method
        answer = yield Question(path, document=True)
        return Listing(refusal=answer.refusal) if answer.refusal else read_document(answer.value, path)

    return Dialect(f"GET {path}", ask)


def _reader(value: Any) -> Callable[[Any], Listing]:
    if not isinstance(value, dict) or "openrpc" in value:
        return read_openrpc
    if "procs" in value or "sdversion" in value:
        return lambda service: read_service(service, "")
    return read_introspection if isinstance(value.get("types"), dict) else read_openrpc
