from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from rich.segment import Segment

from rpcexplorer.tui.theme import GUTTER, ThemeStyles
from rpcexplorer.tui.widgets.editor import Editor
from tests.tui.stage import Staged, staged, text_of


@asynccontextmanager
async def editing(text: str, size: tuple[int, int] = (60, 12)) -> AsyncIterator[tuple[Editor, Staged]]:
    """Show a text in an editor."""
    editor = Editor()
    async with staged(editor, size=size) as program:
        editor.load(text)
        editor.focus()
        await program.pause()
        yield editor, program


def drawn(editor: Editor, y: int = 0) -> list[Segment]:
    return list(editor.render_line(y))


def style_of(editor: Editor, char: str, y: int = 0) -> object:
    return next(piece.style for piece in drawn(editor, y) if piece.text.strip() == char)


async def test_backspace_deletes_empty_pair_and_undo_restores_it() -> None:
    async with editing("") as (editor, program):
        await program.press("[", "backspace")
        assert editor.text == ""
        editor.undo()
        assert editor.text == "[]"
        editor.undo()
        assert editor.text == ""
        editor.redo()
        assert editor.text == "[]"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("pressed", "becomes"),
    [
        (["ctrl+a", "x"], '  "a": 1,\n  x"b": 2'),
        (["ctrl+a", "ctrl+a", "x"], '  "a": 1,\nx  "b": 2'),
        (["ctrl+e", "x"], '  "a": 1,\n  "b": 2x'),
        (["ctrl+u"], '  "a": 1,\n 2'),
        (["ctrl+k"], '  "a": 1,\n  "b":'),
        (["ctrl+w"], '  "a": 1,\n  "b 2'),
        (["ctrl+d"], '  "a": 1,\n  "b":2'),
        (["f6", "f7", "x"], '  "a": 1,\n  "b":x 2'),
    ],
)
async def test_keys_work_as_in_a_shell(pressed: list[str], becomes: str) -> None:
    async with editing('  "a": 1,\n  "b": 2') as (editor, program):
        editor.move_cursor((1, 6))
        await program.press(*pressed)
        assert editor.text == becomes


async def test_ctrl_home_and_end_reach_both_ends() -> None:
    text = "[\n" + "  1,\n" * 50 + "  2\n]"

    async with editing(text) as (editor, program):
        await program.press("ctrl+end")
        assert editor.cursor_location == editor.document.end
        assert editor.scroll_offset.y > 0
        await program.press("ctrl+home")
        assert (editor.cursor_location, editor.scroll_offset.y) == ((0, 0), 0)
        await program.press("down", "ctrl+shift+end")
        assert editor.selected_text == text[2:]
        await program.press("ctrl+shift+home")
        assert editor.selected_text == text[:2]


async def test_tab_moves_the_focus_and_types_nothing() -> None:
    one, other = Editor(), Editor()
    async with staged(one, other) as program:
        one.focus()
        await program.press("tab")
        assert other.has_focus
        assert one.text == ""


@pytest.mark.parametrize(
    "pasted",
    [
        '{"a": [1',
        '"[{',
        "\x1b[31m\u202e\u2028\x0c\x85",
        "a\tb\n\n c ",
        "[@click=app.quit]x[/]",
        "日本 ❤\ufe0f",
        "\ud800",
    ],
)
async def test_paste_is_inserted_unchanged_as_one_change(pasted: str) -> None:
    async with editing("[]") as (editor, program):
        await program.paste(pasted)
        assert editor.text == (pasted if pasted[0] in "[{" else f"[{pasted}]")
        assert "\x1b" not in text_of(editor)
        assert "\u202e" not in text_of(editor)
        editor.undo()
        assert editor.text == "[]"


async def test_line_ends_of_other_systems_are_converted() -> None:
    async with editing("[\r\n1\r]") as (editor, program):
        assert editor.text == "[\n1\n]"
        editor.select_all()
        await program.paste("{\r\n}")
        assert editor.text == "{\n}"


async def test_cursor_starts_in_empty_pair_or_at_top() -> None:
    async with editing("[]") as (editor, _):
        assert editor.cursor_location == (0, 1)
        editor.load("[1]")
        assert editor.cursor_location == (0, 0)


async def test_pair_at_the_cursor_is_highlighted() -> None:
    async with editing("[ 1,\n]") as (editor, program):
        pair = ThemeStyles.of(editor).style("accent bold")
        assert style_of(editor, "]", 1) == pair
        await program.press("down")
        assert style_of(editor, "[", 0) == pair
        program.app.set_focus(None)
        await program.pause()
        assert style_of(editor, "[", 0) != pair
        editor.focus()
        await program.press("up", "right", "right")
        assert style_of(editor, "]", 1) != pair


async def test_problem_is_marked_at_its_position() -> None:
    async with editing("[ 1\nabc\n") as (editor, _):
        wrong = ThemeStyles.of(editor).style("wrong bold underline")
        editor.mark = (4, 7)
        assert style_of(editor, "abc", 1) == wrong
        editor.mark = (8, 8)
        assert [piece.text for piece in drawn(editor, 2) if piece.style == wrong] == [" "]
        editor.mark = None
        assert all(piece.style != wrong for piece in drawn(editor, 1))


async def test_cut_line_has_sign_and_scrolls_with_cursor() -> None:
    async with editing("0123456789" * 4, (30, 3)) as (editor, program):
        assert text_of(editor) == "  1   01234567890123456789012…"
        await program.press("end")
        assert text_of(editor).endswith("789")
        assert editor.scroll_offset.x > 0


async def test_columns_are_right_after_replaced_characters() -> None:
    async with editing("\x1b\u202e日x") as (editor, program):
        assert text_of(editor) == "  1   ␛\\u202e日x"
        await program.click(editor, offset=(GUTTER + 9, 0))
        assert editor.cursor_location == (0, 3)
        await program.click(editor, offset=(GUTTER + 8, 0))
        assert editor.cursor_location == (0, 2)


async def test_replaced_text_can_be_undone_with_its_cursor() -> None:
    async with editing("['a', 1, 2]") as (editor, _):
        editor.move_cursor((0, 9))
        editor.put("['a', 1, 22]")
        assert (editor.text, editor.cursor_location) == ("['a', 1, 22]", (0, 9))
        editor.put('["a", 1, 22]')
        assert (editor.text, editor.cursor_location) == ('["a", 1, 22]', (0, 9))
        editor.undo()
        editor.undo()
        assert editor.text == "['a', 1, 2]"
        before = len(editor.history.undo_stack)
        editor.put(editor.text)
        assert len(editor.history.undo_stack) == before


async def test_one_character_change_is_undone_alone() -> None:
    async with editing("[]") as (editor, program):
        await program.press("1")
        editor.put("[12]")
        await program.press("3")
        assert editor.text == "[123]"
        editor.undo()
        editor.undo()
        assert editor.text == "[1]"


async def test_undo_does_not_restore_the_previous_draft() -> None:
    async with editing("[]") as (editor, program):
        await program.press("1")
        editor.load("{}")
        editor.undo()
        assert editor.text == "{}"


@pytest.mark.thorough
@pytest.mark.parametrize("lines", [1, 20_000], ids=["one line", "many lines"])
async def test_long_text_is_edited_like_a_short_one(lines: int) -> None:
    async with editing(("\n" if lines > 1 else " ").join(['{"name": "Ada Lovelace, Countess"},'] * 20_000)) as (
        editor,
        program,
    ):
        editor.move_cursor((editor.document.line_count // 2, 20))
        await program.press("x", "left", "y")
        assert "yx" in editor.text
        assert "…" in text_of(editor) or lines > 1


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("start", "typed", "pasted", "becomes"),
    [
        ("[]", '{"a": 1', "", '{"a": 1}'),
        ("[]", "[{", "", "[{}]"),
        ("[]", "[1", "", "[1]"),
        ("{}", "[1", "", "[1]"),
        ("{}", '{"a"', "", '{"a"}'),
        ("[]", "1", "", "[1]"),
        ("[1]", "{", "", "{[1]"),
        ("[]", "", ' {"a": 1}', ' {"a": 1}'),
        ("[]", "", "1, 2", "[1, 2]"),
        ("[]", "1, ", '{"a": 1}', '[1, {"a": 1}]'),
    ],
)
async def test_typed_or_pasted_bracket_replaces_an_untouched_pair(
    start: str, typed: str, pasted: str, becomes: str
) -> None:
    async with editing(start) as (editor, program):
        await program.press(*typed)
        await program.paste(pasted)
        assert editor.text == becomes
