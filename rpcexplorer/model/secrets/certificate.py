"""Certificates of servers, as people compare and trust them; a route is bound to the one that is trusted."""

from __future__ import annotations

import re

from rpcexplorer.transport.port import Certificate, ShownCertificate

__all__ = ["Certificate", "ShownCertificate", "as_fingerprint"]

_FINGERPRINT = re.compile(r"(?:sha256:)?((?:[0-9a-f]{2}:?){31}[0-9a-f]{2})", re.IGNORECASE)


def as_fingerprint(text: str) -> str | None:
    """A SHA-256 as browsers and openssl write it, as profiles do; None where it is none."""
    found = _FINGERPRINT.fullmatch(text)
    return f"sha256:{found[1].replace(':', '').lower()}" if found else None
