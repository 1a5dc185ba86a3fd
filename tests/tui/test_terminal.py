"""Any bytes from a terminal: nothing is lost, no key waits for ever."""

from __future__ import annotations

import errno
import io
from itertools import pairwise
from threading import Thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.drivers._writer_thread import WriterThread
from textual.events import AppFocus, Key, MouseMove, Paste
from textual.message import Message

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.terminal import PAUSE_SECONDS, AsciiSigns, Guard, TerminalInput, TerminalOutput, is_harmless
from tests.tui.program import open_program


class Line:
    """A terminal whose bytes arrive at times of the test's choice."""

    def __init__(self) -> None:
        self.now = 100.0
        self.input = TerminalInput(lambda: self.now)

    def comes(self, *pieces: bytes) -> list[Message]:
        return [message for piece in pieces for message in self.input.feed(piece)]

    def waits(self, seconds: float) -> list[Message]:
        self.now += seconds
        return self.input.tick()


@pytest.fixture
def line() -> Line:
    return Line()


def typed(messages: list[Message]) -> str:
    return "".join(message.character or message.key for message in messages if isinstance(message, Key))


def pasted(messages: list[Message]) -> list[str]:
    return [message.text for message in messages if isinstance(message, Paste)]


@pytest.mark.parametrize("data", [b"\xe9a", b"\xff\xfea", b"\xe2\x82a", b"\x81a", b"\xed\xa0\x80a", b"\xc3a"])
def test_invalid_utf_8_is_skipped(line: Line, data: bytes) -> None:
    assert typed(line.comes(data)) == "a"
    assert typed(line.comes("é€😀".encode())) == "é€😀"


def test_split_character_is_joined(line: Line) -> None:
    assert typed(line.comes(b"\xc3")) == ""
    assert typed(line.comes(b"\xa9")) == "é"


@pytest.mark.parametrize(
    "sequence",
    [
        b"\x1b[1:2;3u",
        b"\x1b[99999999999;1u",
        b"\x1b[1;1;1114112u",
        b"\x1b[<" + b"9" * 28 + b";1;1M",
        b"\x1b[48;0;0;0;0t\x1b[<35;5;5M",
    ],
    ids=ascii,
)
def test_sequence_that_breaks_the_parser_is_skipped(line: Line, sequence: bytes) -> None:
    found = line.comes(b"a" + sequence + b"b\x11")
    assert [message.key for message in found if isinstance(message, Key)][-2:] == ["b", "ctrl+q"]
    assert typed(found)[0] == "a"


def test_mouse_keeps_its_unit_after_broken_sequence(line: Line) -> None:
    line.comes(b"\x1b[48;10;10;100;100t", b"\x1b[1:2;3u")
    (moved,) = line.comes(b"\x1b[<35;51;21M")
    assert isinstance(moved, MouseMove)
    assert (moved.x, moved.y) == (5, 2)


@pytest.mark.parametrize("cuts", [(), (3,), (6, 12), (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)])
def test_paste_in_pieces_is_one_paste(line: Line, cuts: tuple[int, ...]) -> None:
    whole = b"\x1b[200~a\r\nb\x1b[201~c"
    found = line.comes(*(whole[at:to] for at, to in pairwise([0, *cuts, len(whole)])))
    assert pasted(found) == ["a\r\nb"]
    assert typed(found) == "c"


@pytest.mark.parametrize(
    "text", ["a\x1b[31mb", "\x1b", "\x1b[200~", "\x1b[", "\x11\x1b[A\x1bOP", "é\ud7ff€"], ids=ascii
)
def test_pasted_keys_are_text(line: Line, text: str) -> None:
    found = line.comes(b"\x1b[200~" + text.encode() + b"\x1b[201~")
    assert pasted(found) == [text]
    assert typed(found + line.waits(1)) == ""


def test_empty_and_unstarted_pastes_are_ignored(line: Line) -> None:
    assert line.comes(b"\x1b[200~\x1b[201~", b"\x1b[201~") == []
    assert pasted(line.comes(b"\x1b[200~x\x00y\x1b[201~")) == ["xy"]


def test_two_pastes_and_keys_keep_their_order(line: Line) -> None:
    found = line.comes(b"1\x1b[200~2\x1b[201~3\x1b[200~4\x1b[201~5")
    assert [message.text if isinstance(message, Paste) else typed([message]) for message in found] == [
        "1",
        "2",
        "3",
        "4",
        "5",
    ]


def test_unended_paste_is_delivered_after_a_pause(line: Line) -> None:
    assert line.comes(b"\x1b[200~abc") == line.waits(PAUSE_SECONDS / 2) == []
    assert pasted(line.waits(PAUSE_SECONDS)) == ["abc"]
    assert [message.key for message in line.comes(b"\x11") if isinstance(message, Key)] == ["ctrl+q"]
    assert line.comes(b"\x1b[201~") == [], "the end arrives after all"


def test_long_paste_over_a_slow_line_is_whole(line: Line) -> None:
    line.comes(b"\x1b[200~")
    for _ in range(400):  # 9,600 baud
        assert line.comes(b"x" * 96) == line.waits(0.1) == []
    assert pasted(line.comes(b"\x1b[201~")) == ["x" * 96 * 400]


def test_unended_paste_is_delivered_at_end_of_input(line: Line) -> None:
    line.comes(b"\x1b[200~abc")
    assert pasted(line.input.finish()) == ["abc"]
    assert line.input.finish() == []


@pytest.mark.parametrize(
    "start", [b"\x1b]11;rgb:1e/1e", b"\x1bP1$r0m", b"\x1b_Gi=1", b"\x1b^x", b"\x1b[12;34", b"\x1b[<0;1", b"\x1b"]
)
def test_incomplete_answer_swallows_no_later_key(line: Line, start: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("textual._parser.get_time", lambda: line.now)
    line.comes(start)
    line.waits(1)
    assert [message.key for message in line.comes(b"\x11") if isinstance(message, Key)] == ["ctrl+q"]


@given(
    st.lists(
        st.one_of(st.binary(max_size=40), st.sampled_from([b"\x1b", b"\x1b[", b"\x1b[200~", b"\x1b[201~", b"\x1b[<"]))
    )
)
def test_key_after_any_bytes_is_read(pieces: list[bytes]) -> None:
    line = Line()
    line.comes(*pieces)
    line.waits(PAUSE_SECONDS)
    line.comes(b"\x1b[I" * 8)  # more than any incomplete sequence can take
    assert any(isinstance(message, AppFocus) for message in line.comes(b"\x1b[I"))
    assert typed(line.comes(b"k")) == "k"


def test_rest_of_a_sequence_is_not_text(line: Line) -> None:
    found = line.comes(b"\x1b", b"[", b"AB")
    assert [message.key for message in found if isinstance(message, Key)] == ["up", "B"]


@pytest.mark.parametrize(
    ("data", "keys"),
    [
        (b"\x1bp\x1blna\x1bb\x1bs\x1b[15~", ["alt+p", "alt+l", "n", "a", "ctrl+left", "alt+s", "f5"]),
        (b"\x1bp", ["alt+p"]),
        (b"\x1b[A\x1bx\x1bOP", ["up", "alt+x", "f1"]),
    ],
)
def test_alt_letters_among_others_are_keys(line: Line, data: bytes, keys: list[str]) -> None:
    assert [message.key for message in line.comes(data) if isinstance(message, Key)] == keys


class Gone(io.StringIO):
    """A terminal whose window was closed."""

    def write(self, text: str) -> int:
        raise OSError(errno.EIO, "Input/output error")

    def flush(self) -> None:
        raise OSError(errno.EIO, "Input/output error")


def test_output_is_written_and_other_methods_are_inherited() -> None:
    stream: Any = io.StringIO()
    output = TerminalOutput(stream)
    assert output.write("é") == 1
    output.flush()
    assert stream.getvalue() == "é"
    assert output.readable()


def test_writer_to_a_closed_terminal_ends() -> None:
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


BLACK = Color(0, 0, 0)


@pytest.mark.everyday(9)
@pytest.mark.parametrize(
    "text", ["\x1b]52;c;eA==\x07", "a\x9b31mb", "one\rtwo", "\x00", "right\u202eleft", "zero\u200bwidth", "\ud800"]
)
def test_control_characters_are_replaced_with_same_width(text: str) -> None:
    segment = Segment(text, Style(bold=True))
    (drawn,) = Guard().apply([segment], BLACK)
    assert is_harmless(drawn.text)
    assert (drawn.cell_length, drawn.style) == (segment.cell_length, segment.style)


def test_visible_characters_stay_unchanged() -> None:
    segments = [Segment("plain"), Segment("é漢字 «x» ✓", Style(italic=True)), Segment("")]
    assert Guard().apply(segments, BLACK) == segments


def test_signs_become_ascii_of_the_same_width() -> None:
    segments = [Segment("✓ ●·┊▁█━▸ …", Style(italic=True)), Segment("é漢字"), Segment("plain")]
    drawn = AsciiSigns().apply(segments, BLACK)
    assert [segment.text for segment in drawn] == ["v o.|.#=> ~", "é漢字", "plain"]
    assert drawn[0].style == segments[0].style


@pytest.mark.parametrize(("term", "sign"), [("linux", "v"), ("xterm-256color", "✓")])
async def test_terminal_with_few_signs_gets_ascii(
    explorer: Explorer, term: str, sign: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", term)
    async with open_program(explorer, profile="demo") as program:
        assert f" {sign} valid" in program.text
