"""Tests of the lazy document: lines as of a plain split, and search."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.jsontext import slices
from rpcexplorer.text import document as module
from rpcexplorer.text.document import (
    TAB,
    Document,
    HexDocument,
    Lines,
    LongLine,
    Measures,
    laid_out,
    matches,
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
    monkeypatch.setattr(module, "BLOCK", size)
    monkeypatch.setattr(module, "PART", max(size, 4))
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
        patch.setattr(module, "SMALL", 0)
        patch.setattr(module, "BLOCK", step)
        patch.setattr(module, "STEP", 2 * step)
        document = Document(text.encode())
        assert all(document.width(line) <= document.widest for line in range(document.lines))
        assert document.measures.growth == (4 if {"\t", "\u0085"} & set(text) else 1)


@pytest.mark.thorough
def test_ten_megabytes_of_either_shape_open_at_once(soon: None) -> None:
    short = b'  "a": 1,\n' * 1_000_000
    long = json.dumps("漢字" * 1_500_000, ensure_ascii=False).encode()
    assert Document(short).line(999_999) == '  "a": 1,'
    assert Document(long).line(0, 0, 5) == '"漢字漢字'


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

    monkeypatch.setattr(module, "shown", noted)
    line = LongLine("é".encode() * 1_000_000, 0, 2_000_000)
    assert line.text(20, 5) == "ééééé"
    assert sum(map(len, read)) <= 2 * module.PART
    assert line.characters_before(40_000) == 20_000
    assert sum(map(len, read)) <= 10 * module.PART


def test_part_never_ends_inside_a_character(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PART", 5)
    for text in ("a漢é😀" * 9, "😀" * 9, "éa" * 9):
        body = text.encode()
        line = LongLine(b"before " + body, 7, 7 + len(body))
        assert line.text() == text
        assert [line.text(at, 1) for at in range(len(text))] == list(text)


def test_invalid_utf8_bytes_are_shown_as_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PART", 4)
    assert LongLine(b"\x80" * 9, 0, 9).text() == r"\x80" * 9
    assert shown(b"a\xffb\t\x1b") == r"a\xffb    ␛"


def lines_of(text: bytes) -> Lines:
    return Lines(text, Measures.of(text).newlines)


@given(st.binary(max_size=80) | st.lists(st.sampled_from([b"\n", b"abcdefgh"])).map(b"".join), st.integers(1, 9))
def test_lines_equal_those_of_a_split(text: bytes, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", block)
        patch.setattr(module, "STEP", 2 * block)
        lines = lines_of(text)
        spans = [(lines.start(line), lines.end(line)) for line in range(lines.count)]
        assert [text[start:end] for start, end in spans] == plain_lines(text)
        assert [lines.at(offset) for start, end in spans for offset in (start, end)] == [
            line for line in range(lines.count) for _ in "se"
        ]
        runs = list(lines.pieces(0, lines.count))
        assert [line for start, end in runs for line in range(start, end)] == list(range(lines.count))
        assert list(lines.pieces_before(lines.count)) == runs[::-1]
        assert Measures.of(text).longest == max(map(len, plain_lines(text)))


@pytest.mark.parametrize(("text", "count"), [(b"", 1), (b"\n", 1), (b"a", 1), (b"a\n", 1), (b"a\n\n", 2), (b"\na", 2)])
def test_final_newline_starts_no_line(text: bytes, count: int) -> None:
    assert lines_of(text).count == count


def test_run_boundaries_do_not_depend_on_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK", 10)
    lines = lines_of(b"abc\n" * 20)
    cuts = [start for start, _ in lines.pieces(0, 20)]
    assert len(cuts) > 5
    for first in range(20):
        assert [start for start, _ in lines.pieces(first, 20)][1:] == [cut for cut in cuts if cut > first]


def found(text: str, needle: str) -> list[str]:
    document = Document(text.encode())
    return [document.text[start:end].decode() for start, end in matches(document, needle)]


@pytest.mark.parametrize(
    ("text", "needle", "places"),
    [
        ("Ada ada ADA", "ada", ["Ada", "ada", "ADA"]),
        ("Ada ada ADA", "Ada", ["Ada"]),
        ("Größe GRÖSSE größe", "größe", ["Größe", "GRÖSSE", "größe"]),
        ("ÉTÉ été", "été", ["ÉTÉ", "été"]),
        ("ÉTÉ été", "Été", []),
        ("Ωμέγα ωΜΈΓΑ", "ωμέγα", ["Ωμέγα", "ωΜΈΓΑ"]),
        ("漢字かな漢字", "漢字", ["漢字", "漢字"]),
        ("a.c abc [a.c]", "a.c", ["a.c", "a.c"]),
        ('"id": 1, "ID": 2', '"id":', ['"id":', '"ID":']),
        ("aaaa", "aa", ["aa", "aa"]),
        ("anything", "", []),
        ("anything", "\ud800", []),
    ],
)
def test_lower_case_search_ignores_case(text: str, needle: str, places: list[str]) -> None:
    assert found(text, needle) == places


@given(
    st.text(st.sampled_from("aabAB\né漢"), max_size=60),
    st.text(st.sampled_from("abBé漢"), min_size=1, max_size=3),
    st.integers(1, 9),
)
def test_sliced_search_finds_the_same_as_one_search(text: str, needle: str, size: int) -> None:
    flags = re.IGNORECASE if needle == needle.lower() else 0
    expected = [
        (len(text[: hit.start()].encode()), len(text[: hit.end()].encode()))
        for hit in re.finditer(re.escape(needle), text, flags)
    ]
    document = Document(text.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "SLICE", size)
        assert list(matches(document, needle)) == expected


def test_search_stays_between_its_offsets() -> None:
    document = Document(b"abc abc abc")
    assert list(matches(document, "abc", 1, 10)) == [(4, 7)]


def test_binary_documents_are_searched_by_byte() -> None:
    document = Document.raw(b"\xff" * 20 + b"Word" + b"\xfe")
    assert list(matches(document, "word")) == [(20, 24)]
    assert document.line_at(20) == 1


@pytest.mark.thorough
def test_twenty_megabytes_are_searched_at_once(soon: None) -> None:
    document = Document(b'    "name": "Ada Lovelace",\n' * 700_000 + b"End")
    assert sum(1 for _ in matches(document, "lovelace")) == 700_000
    assert list(matches(document, "end")) == [(len(document.text) - 3, len(document.text))]
    assert list(matches(document, "nowhere")) == []
