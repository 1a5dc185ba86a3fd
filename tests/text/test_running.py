"""The line of a running call: its progress bar ends within the room."""

from __future__ import annotations

import pytest

from rpcexplorer.text.exchange import running
from rpcexplorer.text.printable import columns
from rpcexplorer.transport.port import Progress


def drawn(room: int) -> str:
    progress = Progress("receiving", 700, 1000, 1.5)
    return "".join(text for text, _ in running("sending", "user.list", progress, 1.5, room=room))


@pytest.mark.parametrize("room", [60, 66, 70, 80, 200])
def test_progress_bar_ends_within_the_room(room: int) -> None:
    assert "700 B of 1.0 kB" in drawn(room)
    assert columns(drawn(room)) <= room


def test_progress_bar_is_left_out_without_room() -> None:
    assert "━" in drawn(70)
    assert "━" not in drawn(45)
