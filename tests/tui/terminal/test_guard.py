"""The last point before bytes leave, alone: whatever a widget drew, nothing of it is obeyed, and no line grows."""

from __future__ import annotations

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.color import Color

from rpcexplorer.tui.terminal import Guard, harmless

BLACK = Color(0, 0, 0)


@pytest.mark.everyday(9)
@pytest.mark.parametrize(
    "text", ["\x1b]52;c;eA==\x07", "a\x9b31mb", "one\rtwo", "\x00", "right\u202eleft", "zero\u200bwidth", "\ud800"]
)
def test_what_a_terminal_would_obey_is_replaced_and_takes_no_more_room(text: str) -> None:
    segment = Segment(text, Style(bold=True))
    (drawn,) = Guard().apply([segment], BLACK)
    assert harmless(drawn.text)
    assert (drawn.cell_length, drawn.style) == (segment.cell_length, segment.style)


def test_what_can_only_be_seen_stays_as_it_is() -> None:
    segments = [Segment("plain"), Segment("é漢字 «x» ✓", Style(italic=True)), Segment("")]
    assert Guard().apply(segments, BLACK) == segments
