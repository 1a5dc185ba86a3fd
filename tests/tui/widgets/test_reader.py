"""The lazy reader: its text, movement, folds and search."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
from rich.style import Style

from rpcexplorer.text.document import Document
from rpcexplorer.tui.theme import GUTTER, ThemeStyles
from rpcexplorer.tui.widgets import reader as reader_module
from rpcexplorer.tui.widgets.reader import AFTER, BEFORE, Reader
from tests.tui.stage import Staged, staged, text_of

REPLY = b'{"items":[{"id":12345678901234567890,"name":"Ada","rate":1.10},{"id":2,"ok":true}],"next":null}'
SHOWN = """\
  1 ▾ {
  2 ▾   "items": [
  3 ▾     {
  4         "id": 12345678901234567890,
  5         "name": "Ada",
  6         "rate": 1.10
  7       },
  8 ▾     {
  9         "id": 2,
 10         "ok": true
 11       }
 12     ],
 13     "next": null
 14   }"""
LONG = json.dumps([f"n{number} " + "x" * 100 for number in range(500)]).encode()
HOSTILE = '{"a": "\u202eoops [/] \x7f", "b": "日本 ab"}'.encode()


@asynccontextmanager
async def reading(
    body: bytes | Document | None = REPLY, size: tuple[int, int] = (50, 20)
) -> AsyncIterator[tuple[Reader, Staged]]:
    """Show a text in a reader."""
    reader = Reader()
    reader.styles.height = "1fr"
    async with staged(reader, size=size) as program:
        reader.document = Document.of_json(body) if isinstance(body, bytes) else body
        reader.focus()
        await program.pause()
        yield reader, program


def shown(reader: Reader) -> list[str]:
    return text_of(reader).split("\n")


def styles(reader: Reader, y: int) -> dict[str, Style | None]:
    """Return the style of each piece of a line by its text."""
    return {piece.text.strip(): piece.style for piece in reader.render_line(y)}


def last_found(program: Staged) -> tuple[str, int, bool, int | None]:
    found = program.of(Reader.Found)[-1]
    return found.needle, found.total, found.counted, found.index


async def test_json_has_numbers_and_starts_like_the_editor() -> None:
    async with reading() as (reader, _):
        assert text_of(reader) == SHOWN
        assert shown(reader)[0].index("{") == GUTTER


async def test_other_text_has_numbers_and_no_colours() -> None:
    async with reading(b'502 Bad Gateway\n"bad" 1') as (reader, _):
        assert shown(reader) == ["  1   502 Bad Gateway", '  2   "bad" 1']
        assert set(styles(reader, 1)) == {"2", "", '"bad" 1'}


async def test_error_page_has_colours_also_when_wrapped() -> None:
    page = b'<html>\n<h1 id="x">' + b"a" * 70 + b"<i>502"
    async with reading(page, size=(80, 10)) as (reader, program):
        tag, value = (ThemeStyles.of(reader).style(role) for role in ("json-literal", "json-string"))
        assert styles(reader, 1)["h1"] == tag
        assert styles(reader, 1)['"x"'] == value
        await program.press("right")
        assert styles(reader, 1)["x"] == value
        reader.wrapped = True
        await program.pause()
        assert styles(reader, 2)["i"] == tag


async def test_hostile_text_is_shown_escaped() -> None:
    async with reading(HOSTILE) as (reader, program):
        assert shown(reader)[1] == '  2     "a": "\\u202eoops [/] ␡",'
        assert "\\u202eoops" in program.app.export_screenshot()


async def test_empty_reader_shows_its_placeholder() -> None:
    async with reading(None) as (reader, program):
        reader.empty = [[], [("   Send the call.", "dim")]]
        assert shown(reader) == ["", "   Send the call."]
        await program.press("down", "end", "pagedown", "right", "home")
        for act in (reader.fold, reader.fold_all, reader.unfold_all, reader.next_hit, reader.previous_hit):
            act()
        reader.go_to(3)
        reader.go_to_element(3)
        reader.search("x")
        await program.pause()
        assert (reader.path(), reader.value(), reader.current_line) == ("", b"", 0)


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (["down", "j", "up"], 1),
        (["pagedown", "pagedown", "pageup"], 19),
        (["end"], 501),
        (["end", "k", "home"], 0),
    ],
)
async def test_keys_move_the_visible_cursor(keys: Sequence[str], line: int) -> None:
    async with reading(LONG) as (reader, program):
        await program.press(*keys)
        await program.pause()
        assert reader.current_line == line
        assert any(row.startswith(f"{line + 1:>3} ") for row in shown(reader))


async def test_long_lines_are_cut_with_a_sign() -> None:
    async with reading(LONG) as (reader, program):
        row = reader.render_line(1).text
        assert (row[:15], row[48]) == ('  2     "n0 xxx', AFTER)
        await program.press("right")
        row = reader.render_line(1).text
        assert (row[:9], row[48]) == (f"  2  {BEFORE}xxx", AFTER)
        await program.press("shift+right")
        end = reader.scroll_offset.x
        assert end == reader.max_scroll_x
        assert reader.render_line(100).text.rstrip().endswith('x",')
        await program.press("left")
        assert reader.scroll_offset.x == end - 8
        await program.press("shift+left")
        assert reader.scroll_offset.x == 0


async def test_wide_characters_are_cut_at_the_edge() -> None:
    async with reading('["日本日本日本"]'.encode(), (20, 5)) as (reader, _):
        assert reader.render_line(1).cell_length == 19
        assert reader.render_line(1).text.endswith(AFTER)


async def test_wrapped_lines_continue_unnumbered_and_keep_the_cursor() -> None:
    async with reading(LONG) as (reader, program):
        reader.go_to(3)
        reader.wrapped = True
        await program.pause()
        assert reader.current_line == 3
        rows = shown(reader)
        assert rows[1].startswith('  2     "n0 xxx')
        assert rows[2].startswith("      xxx")
        assert rows[2].endswith("x")
        assert rows[4].startswith("  3     ")
        await program.press("home", "down", "down")
        assert reader.current_line == 1
        await program.press("down", "down")
        assert reader.current_line == 2
        await program.press("right")
        assert reader.scroll_offset.x == 0
        reader.wrapped = False
        assert shown(reader)[2].startswith("  3     ")


async def test_new_document_is_shown_from_its_beginning() -> None:
    async with reading(LONG) as (reader, _):
        reader.go_to(300)
        reader.scroll_to(y=290, animate=False, immediate=True)
        reader.document = Document.raw(b"other")
        assert (reader.current_line, shown(reader)) == (0, ["  1   other"])


async def test_whole_document_replaces_its_beginning_in_place() -> None:
    whole = json.dumps([{"a": number} for number in range(60)]).encode()
    async with reading(Document(Document.of_json(whole).text[:600], is_json=True), size=(50, 8)) as (reader, program):
        reader.fold_to(1)
        reader.go_to(3)
        reader.scroll_to(y=2, animate=False, immediate=True)
        before = shown(reader)[0], reader.current_line, reader.scroll_offset.y
        reader.go_on_with(Document.of_json(whole))
        await program.pause()
        assert (shown(reader)[0], reader.current_line, reader.scroll_offset.y) == before
        reader.action_last()
        assert reader.current_line == 181


@pytest.mark.thorough
async def test_jump_shows_some_lines_before_its_target() -> None:
    async with reading(LONG) as (reader, _):
        reader.go_to(300)
        assert reader.scroll_offset.y == 300 - 20 // 3
        reader.go_to(10_000)
        assert reader.current_line == 501
        reader.go_to(7)
        assert (reader.current_line, reader.scroll_offset.y) == (7, 1)


async def test_line_has_a_path_and_a_value() -> None:
    async with reading() as (reader, _):
        reader.go_to(3)
        assert (reader.path(), reader.value()) == ("$.items[0].id", b"12345678901234567890")
        reader.go_to_element(1, ".items")
        assert (reader.path(), reader.current_line) == ("$.items[1]", 7)


async def test_folded_value_shows_its_size_and_counts_lines() -> None:
    async with reading() as (reader, program):
        reader.go_to(4)
        reader.fold()
        assert shown(reader)[2:4] == ["  3 ▸     { 12345678901234567890 … 3 members },", "  8 ▾     {"]
        assert reader.current_line == 2
        theme = ThemeStyles.of(reader)
        await program.press("up")
        seen = styles(reader, 2)
        assert seen["▸"] == theme.style("middle")
        assert seen["12345678901234567890 … 3 members"] == theme.style("middle")
        assert seen["{"] == seen["},"] == theme.style("json-punctuation")
        await program.press("down", "down")
        assert reader.current_line == 7
        reader.go_to(2)
        reader.fold()
        assert text_of(reader) == SHOWN


async def test_all_values_fold_unfold_and_open_to_depth() -> None:
    async with reading() as (reader, _):
        reader.go_to(9)
        reader.fold_all()
        assert shown(reader) == ["  1 ▾ {", '  2 ▸   "items": [ 2 items ],', ' 13     "next": null', " 14   }"]
        assert (reader.current_line, reader.virtual_size.height) == (1, 4)
        reader.fold_to(2)
        assert shown(reader)[2:4] == ["  3 ▸     { 12345678901234567890 … 3 members },", "  8 ▸     { 2 … 2 members }"]
        reader.unfold_all()
        assert text_of(reader) == SHOWN


async def test_jump_to_a_hidden_line_unfolds_it() -> None:
    async with reading() as (reader, _):
        reader.fold_to(0)
        assert shown(reader) == ["  1 ▸ { 2 members }"]
        reader.go_to(9)
        assert reader.current_line == 9
        assert ' 10         "ok": true' in shown(reader)


@pytest.mark.thorough
async def test_click_moves_the_cursor_and_folds_at_sign() -> None:
    async with reading() as (reader, program):
        await program.click(Reader, offset=(20, 4))
        assert reader.current_line == 4
        await program.click(Reader, offset=(20, 2))
        assert text_of(reader) == SHOWN
        await program.click(Reader, offset=(4, 2))
        assert shown(reader)[2] == "  3 ▸     { 12345678901234567890 … 3 members },"
        await program.click(Reader, offset=(4, 2))
        assert text_of(reader) == SHOWN
        await program.click(Reader, offset=(4, 18))
        assert reader.current_line == 2


async def test_search_finds_next_match_and_counts_all() -> None:
    async with reading() as (reader, program):
        reader.go_to(5)
        reader.search("ID")
        await program.pause()
        assert last_found(program) == ("ID", 0, True, None)
        reader.search("id")
        await program.app.workers.wait_for_complete()
        await program.pause()
        assert (reader.current_line, last_found(program)) == (8, ("id", 2, True, 1))
        theme = ThemeStyles.of(reader)
        assert styles(reader, 8)["id"] == theme.style("careful reverse", "selection")
        assert styles(reader, 3)["id"] == theme.style("careful underline")


async def test_search_goes_on_from_its_start_while_typing() -> None:
    async with reading(LONG) as (reader, program):
        reader.go_to(2)
        lines = []
        for needle in ("n", "n4", "n44", "n44x", "n44", "n4"):
            reader.search(needle)
            lines.append(reader.current_line)
        assert lines == [2, 5, 45, 2, 45, 5]
        reader.next_hit()
        reader.search("n4")
        assert reader.current_line == 41
        reader.search("")
        await program.press("down")
        reader.search("n")
        assert reader.current_line == 42


async def test_far_match_is_sought_in_the_background(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader_module, "NEAR", 2)
    monkeypatch.setattr(reader_module, "STEP", 3)
    monkeypatch.setattr(reader_module, "TYPING_SECONDS", 0)
    text = b"\n" * 40 + b"needle"
    async with reading(Document.raw(text)) as (reader, program):
        reader.search("needle")
        assert reader.current_line == 0
        await program.app.workers.wait_for_complete()
        assert reader.current_line == 40
        reader.document = Document.raw(text + b"\nother")
        reader.search("other")
        seek, count = program.app.workers
        reader.document = Document.raw(text)
        assert seek.is_cancelled
        assert count.is_cancelled


async def test_hidden_match_is_unfolded_and_scrolled_to() -> None:
    body = json.dumps({"a": {"b": "x" * 200 + "needle" + "y" * 100}}).encode()

    async with reading(body) as (reader, program):
        reader.fold_all()
        reader.search("needle")
        await program.pause()
        assert reader.current_line == 2
        assert "needle" in shown(reader)[2]
        reader.search("b")
        await program.pause()
        assert reader.scroll_offset.x == 0


async def test_match_in_wrapped_line_is_in_its_row() -> None:
    body = json.dumps(["x" * 5000 + "needle" + "y" * 5000, "needle"]).encode()

    async with reading(body) as (reader, program):
        reader.wrapped = True
        reader.search("needle")
        await program.app.workers.wait_for_complete()
        assert reader.current_line == 1
        assert "needle" in text_of(reader)
        reader.next_hit()
        assert reader.current_line == 2


async def test_new_document_ends_search_and_next_restarts_it() -> None:
    async with reading() as (reader, program):
        reader.search("ok")
        await program.app.workers.wait_for_complete()
        reader.document = Document.of_json(b'{"a": 1, "ok": 2}')
        assert styles(reader, 2)['"ok"'] == ThemeStyles.of(reader).style("json-key")
        reader.next_hit()
        await program.app.workers.wait_for_complete()
        await program.pause()
        assert (reader.current_line, last_found(program)) == (2, ("ok", 1, True, 0))


async def test_binary_bytes_are_shown_and_found_as_numbers() -> None:
    body = bytes(range(128, 256)) + b"needle"

    async with reading(Document.raw(body)) as (reader, program):
        assert shown(reader)[0].startswith("  1   00000000  80 81 82")
        reader.wrapped = True
        reader.search("needle")
        await program.app.workers.wait_for_complete()
        assert reader.current_line == 8
        await program.press("home", "right")
        assert shown(reader)[0].startswith(f"  1  {BEFORE}  80 81 82")
