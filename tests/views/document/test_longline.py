"""A very long line in parts: none of it is read that nobody looks at, and no part shows another text than the whole."""

from __future__ import annotations

import pytest

from rpcexplorer.text import document
from rpcexplorer.text.document import LongLine, shown
from rpcexplorer.text.printable import columns, is_printable


@pytest.mark.thorough
def test_no_character_of_two_columns_is_taken_for_one_of_one() -> None:
    for code in [*range(0xA0, 0xD800), *range(0xE000, 0x110000)]:
        if columns(char := chr(code)) == 2 and is_printable(char):
            assert LongLine(char.encode(), 0, len(char.encode())).size() == (1, 2)


def test_no_more_is_read_than_somebody_looks_at(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[bytes] = []

    def noted(part: bytes) -> str:
        read.append(part)
        return shown(part)

    monkeypatch.setattr(document, "shown", noted)
    line = LongLine("é".encode() * 1_000_000, 0, 2_000_000)
    assert line.text(20, 5) == "ééééé"
    assert sum(map(len, read)) <= 2 * document.PART
    assert line.characters_before(40_000) == 20_000
    assert sum(map(len, read)) <= 10 * document.PART


def test_a_part_never_ends_inside_a_character(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "PART", 5)
    for text in ("a漢é😀" * 9, "😀" * 9, "éa" * 9):
        body = text.encode()
        line = LongLine(b"before " + body, 7, 7 + len(body))
        assert line.text() == text
        assert [line.text(at, 1) for at in range(len(text))] == list(text)


def test_bytes_that_are_no_characters_are_shown_as_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "PART", 4)
    assert LongLine(b"\x80" * 9, 0, 9).text() == r"\x80" * 9
    assert shown(b"a\xffb\t\x1b") == r"a\xffb    ␛"
