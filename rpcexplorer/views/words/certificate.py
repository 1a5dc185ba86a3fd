"""A certificate in rows of a label and what it names, for whoever decides whether to trust it.

All but its fingerprint is written by whoever made it; whoever shows the rows makes them printable.
"""

from __future__ import annotations

from datetime import datetime

from rpcexplorer.transport.port import Certificate, ShownCertificate
from rpcexplorer.views.cells import clipped

NAMES = 6
"""Hosts that are named."""
ROOM = 200
"""Columns of what somebody else has written."""


def certificate_rows(shown: ShownCertificate, trusted: str | None, now: datetime) -> list[tuple[str, str]]:
    """``trusted`` is the fingerprint of the one that was trusted so far."""
    certificate = shown.certificate
    rows = [("fingerprint", certificate.fingerprint)]
    if trusted and trusted != certificate.fingerprint:
        rows.append(("trusted so far", f"{trusted}  (another one)"))
    if certificate.remark:
        rows.append(("remark", certificate.remark))
    else:
        signed = "by itself" if certificate.self_signed else clipped(certificate.issuer, ROOM)
        rows += [
            ("belongs to", clipped(certificate.subject, ROOM) or "nobody named"),
            ("signed", signed or "by nobody named"),
            ("made out for", _names(certificate)),
            ("valid", _dates(certificate, now)),
        ]
    # What to do next stands behind the colon; here it is the question that follows.
    return [*rows, ("authorities", shown.problem.partition(": ")[0] or "they vouch for it")]


def _names(certificate: Certificate) -> str:
    names = [clipped(name, ROOM) for name in certificate.names[:NAMES]]
    more = len(certificate.names) - len(names)
    return ", ".join([*names, *([f"{more} more"] if more else [])]) or "no host"


def _dates(certificate: Certificate, now: datetime) -> str:
    since, until = certificate.since, certificate.until
    assert since is not None
    assert until is not None
    state = "  (not yet)" if now < since else "  (expired)" if now > until else ""
    return f"{since:%Y-%m-%d} to {until:%Y-%m-%d}{state}"
