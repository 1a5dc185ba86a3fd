"""A terminal that is gone: whoever writes to it goes on."""

from __future__ import annotations

import errno
import io
from threading import Thread
from typing import Any

from textual.drivers._writer_thread import WriterThread

from rpcexplorer.tui.terminal import TerminalOutput


class Gone(io.StringIO):
    """A terminal whose window was closed."""

    def write(self, text: str) -> int:
        raise OSError(errno.EIO, "Input/output error")

    def flush(self) -> None:
        raise OSError(errno.EIO, "Input/output error")


def test_what_is_written_arrives_and_the_rest_is_the_streams_own() -> None:
    stream: Any = io.StringIO()
    output = TerminalOutput(stream)
    assert output.write("é") == 1
    output.flush()
    assert stream.getvalue() == "é"
    assert output.readable()


def test_what_goes_on_writing_to_a_terminal_that_is_gone_comes_to_an_end() -> None:
    writer = WriterThread(TerminalOutput(Gone()))  # type: ignore[arg-type]

    def last_words() -> None:
        for _ in range(100):
            writer.write("more than it would hold back")
        writer.stop()

    writer.start()
    dying = Thread(target=last_words, daemon=True)
    dying.start()
    dying.join(timeout=5)
    assert not dying.is_alive()
    assert not writer.is_alive()
