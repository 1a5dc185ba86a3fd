"""An address as a person types it. In a file it is two keys: ``url``, and ``path`` which is always appended."""

from __future__ import annotations

import re

_ADDRESS = re.compile(r"([^/?#]*//[^/?#]*)(.*)", re.DOTALL)


def split_address(typed: str) -> tuple[str, str | None]:
    """The url and the path of an address; None for one without a path of its own, which gets the usual one.

    One with a path, be it a lone ``/``, is whole: nothing is appended to it.
    """
    found = _ADDRESS.fullmatch(typed.strip())
    if found is None or not found[2]:
        return typed.strip(), None
    return found[1], found[2] if found[2].startswith("/") else f"/{found[2]}"


def typed_whole(address: str) -> str:
    """An address as it has to be typed so that nothing is appended to it."""
    return address if split_address(address)[1] else f"{address}/"


def joined(url: str, path: str) -> str:
    """The address that calls are sent to."""
    if not path:
        return url
    return url.rstrip("/") + (path if path.startswith("/") else f"/{path}")
