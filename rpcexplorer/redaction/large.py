"""Redaction of a large body piece by piece, so that whoever waits for it can do something in between.

A piece is a value of its own (`slices.py`) that ends where nothing that is to be hidden goes on: no secret across the
cut, and no member whose value does not end before it. Most pieces hold nothing and stay as they are.
"""

from __future__ import annotations

from io import BytesIO
from typing import Final

from rpcexplorer.jsontext.slices import closing, in_string, opening, slices
from rpcexplorer.jsontext.steps import Steps
from rpcexplorer.redaction.edits import edited
from rpcexplorer.redaction.redactor import Redactor

PIECE: Final = 32 * 1024
"""Bytes: some milliseconds where there is something to hide."""


def redacted_in_pieces(body: bytes, hide: Redactor) -> Steps[bytes]:
    for may_be in hide.may_be_in_steps(body):
        if may_be:
            return (yield from _in_pieces(body, hide))
        yield
    return body


def _in_pieces(body: bytes, hide: Redactor) -> Steps[bytes]:
    kept = BytesIO()
    start, before, least = 0, b"", 0
    for part in slices(body, PIECE):
        yield
        whole = part.end == len(body)
        if not whole and (part.end - start < least or _goes_across(body, part.end, hide)):
            continue
        piece = _redacted_piece(body[start : part.end], before, part.after, hide)
        if piece is None:
            least = 2 * (part.end - start)
            continue
        behind = part.end if whole or in_string(part.after) else part.end + 1
        kept.write(piece + body[part.end : behind])
        start, before, least = behind, part.after, 0
    return kept.getvalue()


def _goes_across(body: bytes, cut: int, hide: Redactor) -> bool:
    """Whether anything that is to be hidden may begin before a cut and end behind it."""
    first = max(cut - hide.margin, 0)
    around = body[first : cut + hide.margin]
    if not hide.may_be_in(around):
        return False
    head, text = (part.decode("utf-8", "surrogateescape") for part in (body[first:cut], around))
    return hide.goes_across(text, len(head))


def _redacted_piece(piece: bytes, before: bytes, after: bytes, hide: Redactor) -> bytes | None:
    """A piece without the secrets; None where one may go on behind it."""
    if not hide.may_be_in(piece):
        return piece
    lead, trail = opening(before), closing(after)
    text = (lead + piece + trail).decode("utf-8", "surrogateescape")
    edits = hide.edits(text)
    end = len(text) - len(trail)
    if any(edit.start < len(lead) or (after and edit.end >= end) for edit in edits):
        return None
    changed = edited(text, edits)
    return changed[len(lead) : len(changed) - len(trail)].encode("utf-8", "surrogateescape")
