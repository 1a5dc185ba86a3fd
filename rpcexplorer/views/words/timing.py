"""The phases of an exchange as bars on one scale: where on the way the time went.

``bars`` decides what is shown, ``drawn`` turns it into characters; colours and placement are the front's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Final

from msgspec import Struct

from rpcexplorer.transport.port import Phases
from rpcexplorer.views.words.sentences import duration

REST: Final = 0.01
"""Share of the whole above which time that no phase explains gets a bar of its own."""
EIGHTHS: Final = " ▏▎▍▌▋▊▉█"
"""A column filled from the left, by eighths."""


class PhaseBar(Struct, frozen=True):
    """One phase."""

    label: str
    start: float
    """When it began, as a share of the whole."""
    length: float
    """Its share of the whole, or the smallest that can be seen."""
    took: str
    """How long it took, in words."""


def bars(phases: Phases, seconds: float, width: int) -> list[PhaseBar]:
    """A bar for each phase that was measured, one after the other, to be drawn in `width` columns.

    A connection that was kept comes first: it took no time. What the phases leave unexplained of `seconds` comes last:
    an earlier login, or time of our own.
    """
    parts = list(_measured(phases))
    explained = sum(took for _, took in parts)
    whole = max(explained, seconds if isfinite(seconds) else 0.0)
    if parts and whole - explained > REST * whole:
        parts.append(("other", whole - explained))
    least = 1 / (8 * max(width, 1))
    found, at = [PhaseBar("connection", 0.0, 0.0, "kept")] if phases.kept else [], 0.0
    for label, took in parts:
        share = took / whole if whole else 0.0
        found.append(PhaseBar(label, at, max(share, least), duration(took)))
        at += share
    return found


def _measured(phases: Phases) -> Iterator[tuple[str, float]]:
    found = {
        "name lookup": phases.name,
        "connect": phases.connect,
        "TLS": phases.tls,
        "send": phases.send,
        "wait": phases.wait,
        "transfer": phases.transfer,
    }
    for label, took in found.items():
        if took is not None and isfinite(took):
            yield label, max(took, 0.0)


def drawn(bars: Sequence[PhaseBar], width: int) -> list[str]:
    """Each bar as a line of `width` columns.

    A bar begins at a whole column, as there are no blocks that are filled from the right; it ends at an eighth.
    """
    return [_line(bar, max(width, 1)) for bar in bars]


def _line(bar: PhaseBar, width: int) -> str:
    start = min(int(bar.start * width), width - 1)
    end = round((bar.start + bar.length) * width * 8)
    full, eighths = divmod(min(max(end - start * 8, 1), (width - start) * 8), 8)
    return f"{' ' * start}{'█' * full}{EIGHTHS[eighths] if eighths else ''}".ljust(width)
