"""Documents that describe a service and lie somewhere: at a path of it, or in a file. The forms are told apart here."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final
from urllib.parse import urlsplit

from rpcexplorer.client.discovery.description import read_service
from rpcexplorer.client.discovery.kodi import read_introspection
from rpcexplorer.client.discovery.openrpc import read_openrpc
from rpcexplorer.client.discovery.questions import NOT_OFFERED, Asking, Dialect, Question
from rpcexplorer.model.methods.listing import Listing
from rpcexplorer.model.profile import Profile

USUAL_NAME: Final = "openrpc.json"
"""Of a document that describes a service."""


def read_document(value: Any, name: str) -> Listing:
    """Read a description in whichever form it is; a whole reply that somebody has saved counts as what is in it."""
    if isinstance(value, dict) and "methods" not in value and isinstance(value.get("result"), dict):
        value = value["result"]
    return _reader(value)(value, name)


def at_path(path: str, *, guess: bool = False) -> Dialect:
    """The document that lies at a path of the service, or that may lie there by a ``guess``."""

    def ask(described: Collection[str]) -> Asking:  # noqa: ARG001 - it has a say of its own on every method
        answer = yield Question(path, document=True, guess=guess)
        listing = Listing(refusal=answer.refusal) if answer.refusal else read_document(answer.value, path)
        if guess and listing.refusal and not listing.refusal.startswith(NOT_OFFERED):
            return Listing(refusal=f"{NOT_OFFERED} ({listing.refusal.rstrip('.')})")
        return listing

    return Dialect(f"GET {path}", ask)


def paths_to_try(profile: Profile) -> list[str]:
    """Where servers put their document that have one: below the endpoint, beside it, and at the origin; over HTTP."""
    address = urlsplit(profile.endpoint)
    if address.scheme not in {"http", "https"}:
        return []
    inside, beside = address.path.rstrip("/"), address.path.rpartition("/")[0].rstrip("/")
    paths = dict.fromkeys(f"{folder}/{USUAL_NAME}" for folder in (inside, beside, ""))
    return [path for path in paths if "{" not in path]


def _reader(value: Any) -> Callable[[Any, str], Listing]:
    if not isinstance(value, dict) or "openrpc" in value:
        return read_openrpc
    if "procs" in value or "sdversion" in value:
        return read_service
    return read_introspection if isinstance(value.get("types"), dict) else read_openrpc
