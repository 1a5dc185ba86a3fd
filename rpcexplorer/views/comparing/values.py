"""Single values of a comparison as printable text: laid out, begun, or around the place where two of them part."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from rpcexplorer.compare.parts import name_of
from rpcexplorer.jsontext.layout import indented
from rpcexplorer.rpc.messages import spelled
from rpcexplorer.views.document.longline import shown

BEGUN: Final = 80
"""Characters that are shown of a value that is folded."""
LONG: Final = 120
"""Characters of a string of which only the part around the difference is shown."""
AROUND: Final = 40
"""Characters before the difference that are shown of it; twice as many behind it."""
SAME_NUMBER: Final = "the same number"
ONE_LINE: Final = 10_000
"""Characters of a scalar that are shown."""
_BLANK = re.compile(r"\s+")


def one_line(prefix: str, value: bytes) -> str:
    """A scalar, or an empty container."""
    text = shown(prefix.encode("utf-8", "surrogatepass") + value[:ONE_LINE])
    return f"{text}…" if len(value) > ONE_LINE else text


def begun(prefix: str, value: bytes) -> str:
    """How a container begins, on one line."""
    head = _BLANK.sub(" ", value[: BEGUN * 4].decode("utf-8", "ignore"))
    whole = len(value) <= BEGUN * 4 and len(head) <= BEGUN
    return shown((prefix + (head if whole else f"{head[:BEGUN]}…")).encode("utf-8", "surrogatepass"))


def laid_out(prefix: str, value: bytes | None, blank: str) -> Sequence[str]:
    """The lines of a value."""
    if value is None:
        return ()
    lines = indented(value).split(b"\n")
    lines[0] = prefix.encode("utf-8", "surrogatepass") + lines[0]
    return [blank + one_line("", line.removesuffix(b",")) for line in lines]


def differing(prefix: str, left: bytes, right: bytes, *, spelling: bool) -> tuple[str, str, str]:
    """Two scalars, and a remark; of long strings the part in which the difference begins."""
    if spelling:
        return one_line(prefix, left), one_line(prefix, right), SAME_NUMBER
    if not (left[:1] == right[:1] == b'"') or max(len(left), len(right)) <= LONG:
        return one_line(prefix, left), one_line(prefix, right), ""
    ours, theirs = name_of(left), name_of(right)
    at = _parting(ours, theirs)
    note = f"from character {at + 1:,} on"
    return _part(prefix, ours, at), _part(prefix, theirs, at), note


def _parting(left: str, right: str) -> int:
    """How many characters two texts have in common before they part."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(left), len(right)))


def _part(prefix: str, text: str, at: int) -> str:
    start, end = max(0, at - AROUND), at + 2 * AROUND
    before, behind = "…" if start else "", "…" if end < len(text) else ""
    quoted = spelled(text[start:end])
    return shown(f"{prefix}{before}{quoted}{behind}".encode("utf-8", "surrogatepass"))


def own_part(left: str, right: str, *, is_right: bool) -> tuple[int, int]:
    """Where a line differs from its counterpart: from the first character that is not the same to the last."""
    begin, shorter = _parting(left, right), min(len(left), len(right))
    tail = 0
    while tail < shorter - begin and left[-1 - tail] == right[-1 - tail]:
        tail += 1
    return begin, len(right if is_right else left) - tail
