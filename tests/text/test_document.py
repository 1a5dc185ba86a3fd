"""Tests of the lazy document: it has the same lines as a plain split."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.jsontext import slices
from rpcexplorer.text import document
from rpcexplorer.text import document as document_module
from rpcexplorer.text import document as lines
from rpcexplorer.text import document as longline
from rpcexplorer.text.document import (
    EVERYTHING,
    TAB,
    Document,
    HexDocument,
    Lines,
    LongLine,
    Measures,
    Outline,
    laid_out,
    shown,
)
from rpcexplorer.text.printable import columns, is_printable, printable, printable_bytes

texts = st.text(st.sampled_from("ab\n\n\t\x1b é漢\u200b😀") | st.characters(categories=["L", "C"]), max_size=60)


def plain_lines(text: bytes) -> list[bytes]:
    return text.removesuffix(b"\n").split(b"\n")


def plain_shown(line: bytes) -> str:
    return printable(line.decode("utf-8", "backslashreplace").replace("\t", TAB))


@pytest.fixture(params=[3, 16_384])
def parts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Use tiny blocks and parts, which split short texts, then usual ones."""
    size: int = request.param
    monkeypatch.setattr(lines, "BLOCK", size)
    monkeypatch.setattr(longline, "PART", max(size, 4))
    monkeypatch.setattr(document_module, "PART", max(size, 4))
    return size


@given(texts, st.integers(0, 12), st.integers(0, 12) | st.none())
def test_part_of_line_matches_whole_line(text: str, start: int, limit: int | None) -> None:
    document = Document(text.encode("utf-8", "surrogatepass"))
    for line, content in enumerate(plain_lines(document.text[:])):
        stop = None if limit is None else start + limit
        assert document.line(line, start, limit) == plain_shown(content)[start:stop]
        assert document.width(line) == columns(plain_shown(content)) <= document.widest


@pytest.mark.parametrize("text", ["plain " * 20, "漢字" * 30, "\t\x1b\u202e" * 9, "é" + "x" * 40 + "😀" * 9])
def test_parts_of_long_line_join_to_whole(parts: int, text: str) -> None:
    document = Document(f"short\n{text}\nend".encode())
    pieces = [document.line(1, start, 7) for start in range(0, 8 * len(text), 7)]
    assert "".join(pieces) == document.line(1) == plain_shown(text.encode())
    assert document.line(1, 10_000) == ""
    assert document.size(*document.span(1))[0] == len(plain_shown(text.encode()))
    assert document.width(1) >= columns(plain_shown(text.encode()))


def test_middle_of_long_line_needs_no_end(parts: int) -> None:
    document = Document(("é" * 30 + "here" + "漢" * 50_000).encode())
    assert document.line(0, 30, 4) == "here"
    assert document.line(0, 50_030, 10) == "漢" * 4


def test_bytes_map_to_characters_of_line(parts: int) -> None:
    document = Document("one\n\té\x1b\u202e漢word\nlast".encode())
    begin = document.text[:].index(b"word")
    first, last = document.place(1, begin, begin + 4)
    assert document.line(1)[first:last] == "word"
    assert document.place(1, begin, len(document.text)) == (first, last)
    assert document.place(1, 0, begin)[0] == 0
    assert Document(b"abc\ndef").place(1, 5, 7) == (1, 3)


@pytest.mark.thorough
def test_text_of_document_is_printable() -> None:
    text = "".join(map(chr, [*range(0x0A), *range(0x0B, 0xD800), *range(0xE000, 0x30000)])).encode() + b"\xff\xc3"
    document = Document(text)
    shown = "".join(document.line(line) for line in range(document.lines))
    assert not {char for char in shown if not is_printable(char)} - set("\ufe0e\ufe0f")
    assert shown.endswith(r"\xff\xc3")


def test_lines_are_never_wider_than_estimated() -> None:
    filler = b"short\n" * 60_000
    for line in (b"x" * 99, "ä\t\u0085".encode() * 40, "漢字".encode() * 70, b"\xff" * 90):
        document = Document(filler + line + b"\n" + filler)
        assert document.width(60_000) <= document.widest <= 4 * len(line)
    assert Document(filler + "Straße, 漢字".encode() * 20).widest == 20 * len("Straße, 漢字".encode())


def test_json_is_laid_out_and_every_spelling_kept() -> None:
    document = Document.of_json(b'\xef\xbb\xbf {"a":[1.10,{}],"a":"\\u00e9"} \n')
    assert document.is_json
    assert document.text[:].decode() == '{\n  "a": [\n    1.10,\n    {}\n  ],\n  "a": "\\u00e9"\n}'


@pytest.mark.parametrize("body", [b'"a b"', b" 12 ", b"null", b'[\n  "\\ud800",\n  NaN\n]', b"[" * 2000 + b"]" * 2000])
def test_scalars_and_lenient_json_are_laid_out(body: bytes) -> None:
    assert Document.of_json(body).is_json


@pytest.mark.parametrize(
    "body", [b"", b" ", b"<html>\n</html>", b"[1,", b"{} {}", "héllo ".encode(), b"\xef\xbb\xbfhi"]
)
def test_text_without_json_stays_unchanged(body: bytes) -> None:
    document = Document.of_json(body)
    assert (document.is_json, document.text) == (False, body)


@pytest.mark.parametrize("body", [b'["a\n  ]b"]', b'{"a\n": NaN}', b'["\n"]'])
def test_raw_line_breaks_in_strings_prevent_folds(body: bytes) -> None:
    document = Document.of_json(body)
    assert not document.is_json
    assert b"\n" in document.text[:]


def test_tokens_are_shown_as_the_server_wrote() -> None:
    document = Document.raw(b'{"a":1,\r\n\t"b":2}')
    assert [document.line(line) for line in range(document.lines)] == ['{"a":1,␍', TAB + '"b":2}']
    assert not document.is_json


@pytest.mark.parametrize("size", [1, 8, 9, 16, 17, 40])
def test_binary_body_becomes_hex_rows(size: int) -> None:
    body = (b"\xff\x00Az" * 10)[:size]
    rows = printable_bytes(body).split("\n")
    for hexdump in (Document.of_json(body), Document.raw(body)):
        assert isinstance(hexdump, HexDocument)
        assert [hexdump.line(line) for line in range(hexdump.lines)] == rows
        assert hexdump.line(0, 10, 2) == "ff"
        assert [hexdump.width(line) for line in range(hexdump.lines)] == list(map(len, rows))
        assert hexdump.widest == max(map(len, rows))


def test_bytes_map_to_rows_of_hex() -> None:
    document = Document.raw(bytes(range(0xF0, 0x100)) + b"\xffabc")
    first, last = document.place(0, 7, 9)
    assert document.line(0)[first:last] == "f7  f8"
    first, last = document.place(1, 9, 18)
    assert document.line(1)[first:last] == "ff 61"
    assert [document.line_at(offset) for offset in (0, 15, 16, 19, 20)] == [0, 0, 1, 1, 1]


def test_large_text_yields_its_beginning_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "SLICE", 50)
    steps = list(laid_out(json.dumps([{"a": n} for n in range(40)]).encode()))
    beginning, whole = (document for document in steps if document is not None)
    assert (beginning.complete, whole.complete) == (False, True)
    assert whole.text[:].startswith(beginning.text[:])
    assert 2 < beginning.lines < whole.lines == 122
    assert steps[-1] is whole
    assert len(steps) > 10


@pytest.mark.parametrize("body", [b'[1, 2, {"a": 3}, }', b"[1, 2, 3, 4, 5, 6, 7, 8, 9] more", b'["\xff", 2, 3, 4, 5]'])
def test_large_invalid_json_is_shown_unchanged(body: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "SLICE", 6)
    found = [document for document in laid_out(body) if document is not None]
    assert found[-1].complete
    assert (found[-1].text, found[-1].is_json) == (body, False)
    assert found[-1].is_hex == (b"\xff" in body)


@given(st.lists(st.sampled_from(["a" * 30, "é", "漢" * 9, "\t", "\u0085", "\n"])).map("".join), st.integers(4, 40))
def test_measures_in_steps_equal_measures_at_once(text: str, step: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(document_module, "SMALL", 0)
        patch.setattr(document_module, "STEP", step)
        patch.setattr(lines, "BLOCK", step)
        patch.setattr(lines, "STEP", 2 * step)
        document = Document(text.encode())
        assert all(document.width(line) <= document.widest for line in range(document.lines))
        assert document.measures.growth == (4 if {"\t", "\u0085"} & set(text) else 1)


@pytest.mark.thorough
def test_ten_megabytes_of_either_shape_open_at_once(soon: None) -> None:
    short = b'  "a": 1,\n' * 1_000_000
    long = json.dumps("漢字" * 1_500_000, ensure_ascii=False).encode()
    assert Document(short).line(999_999) == '  "a": 1,'
    assert Document(long).line(0, 0, 5) == '"漢字漢字'


TEXT = b"""{
  "items": [
    {
      "id": 1
    },
    [],
    "]"
  ],
  "x": {
    "y": "{"
  }
}"""
OPENERS = [None, 0, 1, 2, 2, 1, 1, 1, 0, 8, 8, 0]


def outline_of(text: bytes) -> Outline:
    measures = Measures.of(text, is_json=True)
    return Outline(Lines(text, measures.newlines), measures)


@pytest.fixture(params=[4, 16_384])
def outline(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Outline:
    monkeypatch.setattr(document, "BLOCK", request.param)
    return outline_of(TEXT)


def test_lines_have_depth_and_open_or_close(outline: Outline) -> None:
    assert [outline.depth(line) for line in range(12)] == [0, 1, 2, 3, 2, 2, 2, 1, 1, 2, 1, 0]
    assert [line for line in range(12) if outline.opens(line)] == [0, 1, 2, 8]
    assert [line for line in range(12) if outline.closes(line)] == [4, 7, 10, 11]


def test_opening_and_closing_lines_find_each_other(outline: Outline) -> None:
    assert [outline.closer(line) for line in (0, 1, 2, 8)] == [11, 7, 4, 10]
    assert [outline.opener(line) for line in range(12)] == OPENERS


def test_items_are_counted_without_nested_items(outline: Outline) -> None:
    assert [outline.size(line) for line in (0, 1, 2, 8)] == [2, 3, 1, 1]
    assert [outline.index(1, line) for line in (2, 5, 6)] == [0, 1, 2]


@pytest.mark.parametrize(("level", "on_view"), [(0, 1), (1, 4), (2, 10), (3, 12), (EVERYTHING, 12)])
def test_level_has_lines_that_stay_when_folded(outline: Outline, level: int, on_view: int) -> None:
    pieces = list(outline._lines.pieces(0, 12))
    assert sum(outline.count(level, start, end) for start, end in pieces) == on_view
    assert sum(len(outline.spans(level, start, end)) for start, end in pieces) == on_view


def test_long_lines_are_selected(outline: Outline) -> None:
    pieces = list(outline._lines.pieces(1, 12))
    assert sum(len(outline.spans(EVERYTHING, start, end, least=12)) for start, end in pieces) == 3
    assert sum(len(outline.spans(2, start, end, least=13)) for start, end in pieces) == 0


def test_last_line_closes_all_in_incomplete_text() -> None:
    outline = outline_of(b'{\n  "a": [\n    1')
    assert (outline.closer(0), outline.closer(1)) == (2, 2)


@pytest.mark.thorough
def test_wide_characters_are_always_detected() -> None:
    for code in [*range(0xA0, 0xD800), *range(0xE000, 0x110000)]:
        if columns(char := chr(code)) == 2 and is_printable(char):
            assert LongLine(char.encode(), 0, len(char.encode())).size() == (1, 2)


def test_document_decodes_only_visible_text(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_part_never_ends_inside_a_character(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "PART", 5)
    for text in ("a漢é😀" * 9, "😀" * 9, "éa" * 9):
        body = text.encode()
        line = LongLine(b"before " + body, 7, 7 + len(body))
        assert line.text() == text
        assert [line.text(at, 1) for at in range(len(text))] == list(text)


def test_invalid_utf8_bytes_are_shown_as_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "PART", 4)
    assert LongLine(b"\x80" * 9, 0, 9).text() == r"\x80" * 9
    assert shown(b"a\xffb\t\x1b") == r"a\xffb    ␛"
