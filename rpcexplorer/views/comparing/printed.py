"""The lines of a comparison for a plain terminal or a file: one below the other, a sign in front of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

from rpcexplorer.model.exchange import Exchange
from rpcexplorer.views.cells import clipped
from rpcexplorer.views.comparing.lines import ComparedLine, LineKind
from rpcexplorer.views.ink import CAREFUL, DIM, WELL, WRONG, Ink, inked
from rpcexplorer.views.printable import printable
from rpcexplorer.views.words.sentences import outcome_line

SIGNS: Final[dict[LineKind, tuple[str, str]]] = {
    "changed": ("-", "+"),
    "spelling": ("~", "~"),
    "added": ("-", "+"),
    "removed": ("-", "+"),
    "ignored": ("·", "·"),
    "hidden": ("·", "·"),
}
"""What stands before a line of the left and of the right side."""
INKS: Final[dict[str, Ink]] = {"-": WRONG, "+": WELL, "~": CAREFUL, "·": DIM}
REMARKS: Final[dict[LineKind, str]] = {"ignored": "left out", "hidden": "hidden, not compared"}
NAME: Final = 32
"""Columns of a profile's or a method's name."""


def printed(lines: Iterable[ComparedLine], *, colour: bool = False) -> Iterator[str]:
    """The lines of each difference together: all that was before, then all that is now."""
    for (kind, _), group in groupby(lines, lambda line: (line.kind, line.difference)):
        if kind in SIGNS:
            yield from _difference(kind, list(group), colour=colour)
        else:
            ink = DIM if kind in {"fold", "note"} else Ink("")
            for line in group:
                text = f"  {line.left if line.left is not None else line.right}"
                yield inked(text, ink, colour=colour and bool(ink))


def _difference(kind: LineKind, lines: list[ComparedLine], *, colour: bool) -> Iterator[str]:
    for side, sign in enumerate(SIGNS[kind]):
        for at, line in enumerate(lines):
            text = line.right if side else line.left
            if text is None or (side and kind in REMARKS and text == line.left):
                continue
            remark = line.note or ("" if at else REMARKS.get(kind, ""))
            told = f"  ({remark})" if remark and (side or line.right is None or kind in REMARKS) else ""
            yield inked(f"{sign} {text}", INKS[sign], colour=colour) + inked(told, DIM, colour=colour)


def heading(sign: str, exchange: Exchange, *, colour: bool = False) -> str:
    """Which call stands on a side: ``--- 1m7ypmkv7qa7kfj  staging  user.get  ✓ result``."""
    names = f"{clipped(exchange.profile, NAME)}  {clipped(exchange.method, NAME)}"
    text = f"{sign * 3} {printable(exchange.id)}  {names}  {clipped(outcome_line(exchange), 2 * NAME)}"
    return inked(text, INKS[sign], colour=colour)
