from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from rich.segment import Segment
from textual import events
from textual.pilot import Pilot

from rpcexplorer.tui.theme import GUTTER, ThemeStyles
from rpcexplorer.tui.widgets.editor import Editor
from tests.tui.stage import Stage, text_of

Play = Callable[[Editor, Pilot[None]], Awaitable[None]]


def play(text: str, scene: Play, size: tuple[int, int] = (60, 12)) -> None:
    async def run() -> None:
        editor = Editor()
        async with Stage(editor).run_test(size=size) as pilot:
            editor.load(text)
            editor.focus()
            await pilot.pause()
            await scene(editor, pilot)

    asyncio.run(run())


def keys(text: str) -> list[str]:
    """Return the keys of a text for the pilot."""
    return ["enter" if char == "\n" else char for char in text]


def drawn(editor: Editor, y: int = 0) -> list[Segment]:
    return list(editor.render_line(y))


def style_of(editor: Editor, char: str, y: int = 0) -> object:
    return next(piece.style for piece in drawn(editor, y) if piece.text.strip() == char)


def test_backspace_deletes_empty_pair_and_undo_restores_it() -> None:
    async def scene(editor: Editor, pilot: Pilot[None]) -> None:
        await pilot.press("[", "backspace")
        assert editor.text == ""
        editor.undo()
        assert editor.text == "[]"
        editor.undo()
        assert editor.text == ""
        editor.redo()
        assert editor.text == "[]"

    play("", scene)


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
def test_keys_work_as_in_a_shell(pressed: list[str], becomes: str) -> None:
    async def scene(editor: Editor, pilot: Pilot[None]) -> None:
        editor.move_cursor((1, 6))
        await pilot.press(*pressed)
        assert editor.text == becomes

    play('  "a": 1,\n  "b": 2', scene)


def test_ctrl_home_and_end_reach_both_ends() -> None:
    text = "[\n" + "  1,\n" * 50 + "  2\n]"

    async def scene(editor: Editor, pilot: Pilot[None]) -> None:
        await pilot.press("ctrl+end")
        assert editor.cursor_location == editor.document.end
        assert editor.scroll_offset.y > 0
        await pilot.press("ctrl+home")
        assert (editor.cursor_location, editor.scroll_offset.y) == ((0, 0), 0)
        await pilot.press("down", "ctrl+shift+end")
        assert editor.selected_text == text[2:]
        await pilot.press("ctrl+shift+home")
        assert editor.selected_text == text[:2]

    play(text, scene)


def test_tab_moves_the_focus_and_types_nothing() -> None:
    async def run() -> None:
        one, other = Editor(), Editor()
        async with Stage(one, other).run_test() as pilot:
            one.focus()
            await pilot.press("tab")
            assert other.has_focus
            assert one.text == ""

    asyncio.run(run())


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
def test_paste_is_inserted_unchanged_as_one_change(pasted: str) -> None:
    async def scene(editor: Editor, pilot: Pilot[None]) -> None:
        pilot.app.post_message(events.Paste(pasted))
        await pilot.pause()
        assert editor.text == (pasted if pasted[0] in "[{" else f"[{pasted}]")
        assert "\x1b" not in text_of(editor)
        assert "\u202e" not in text_of(editor)
        editor.undo()
        assert editor.text == "[]"

    play("[]", scene)


def test_line_ends_of_other_systems_are_converted() -> None:
    async def scene(editor: Editor, pilot: Pilot[None]) -> None:
        assert editor.text == "[\n1\n]"
        editor.select_all()
        pilot.app.post_message(events.Paste("{\r\n}"))
        await pilot.pause()
        assert editor.text == "{\n}"

    play("[\r\n1\r]", scene)


def test_cursor_starts_in_empty_pair_or_at_top() -> None:
    async def scene(editor: Editor, pilot: Pilot[None]) -> None:
        assert editor.cursor_location == (0, 1)
        editor.load("[1]")
        assert editor.cursor_location == (0, 0)

    play("[]", scene)


def test_pair_at_the_cursor_is_highlighted() -> None:
    async def scene(editor: Editor, pilot: Pilot[None]) -> None:
        pair = ThemeStyles.of(editor).style("accent bold")
        assert style_of(editor, "]", 1) == pair
        await pilot.press("down")
        assert style_of(editor, "[", 0) == pair
        await pilot.press("up", "right", "right")
        assert style_of(editor, "]", 1) != pair

    play("[ 1,\n]", scene)


def test_problem_is_marked_at_its_position() -> None:
    async def scene(editor: Editor, pilot: Pilot[None]) -> None:
        wrong = ThemeStyles.of(editor).style("wrong bold underline")
        editor.mark = (4, 7)
        assert style_of(editor, "abc", 1) == wrong
        editor.mark = (8, 8)
        assert [piece.text for piece in drawn(editor, 2) if piece.style == wrong] == [" "]
        editor.mark = None
        assert all(piece.style != wrong for piece in drawn(editor, 1))

    play("[ 1\nabc\n", scene)


def test_cut_line_has_sign_and_scrolls_with_cursor() -> None:
    async def scene(editor: Editor, pilot: Pilot[None]) -> None:
        assert text_of(editor) == "  1   01234567890123456789012…"
        await pilot.press("end")
        assert text_of(editor).endswith("789")
        assert editor.scroll_offset.x > 0

    play("0123456789" * 4, scene, (30, 3))


def test_columns_are_right_after_replaced_characters() -> None:
    async def scene(editor: Editor, pilot: Pilot[None]) -> None:
        assert text_of(editor) == "  1   ␛\\u202e日x"
        await pilot.click(editor, offset=(GUTTER + 9, 0))
        assert editor.cursor_location == (0, 3)
        await pilot.click(editor, offset=(GUTTER + 8, 0))
        assert editor.cursor_location == (0, 2)

    play("\x1b\u202e日x", scene)


def test_replaced_text_can_be_undone_with_its_cursor() -> None:
    async def scene(editor: Editor, pilot: Pilot[None]) -> None:
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

    play("['a', 1, 2]", scene)


def test_one_character_change_is_undone_alone() -> None:
    async def scene(editor: Editor, pilot: Pilot[None]) -> None:
        await pilot.press("1")
        editor.put("[12]")
        await pilot.press("3")
        assert editor.text == "[123]"
        editor.undo()
        editor.undo()
        assert editor.text == "[1]"

    play("[]", scene)


def test_undo_does_not_restore_the_previous_draft() -> None:
    async def scene(editor: Editor, pilot: Pilot[None]) -> None:
        await pilot.press("1")
        editor.load("{}")
        editor.undo()
        assert editor.text == "{}"

    play("[]", scene)


@pytest.mark.thorough
@pytest.mark.parametrize("lines", [1, 20_000], ids=["one line", "many lines"])
def test_long_text_is_edited_like_a_short_one(lines: int) -> None:
    async def scene(editor: Editor, pilot: Pilot[None]) -> None:
        editor.move_cursor((editor.document.line_count // 2, 20))
        await pilot.press("x", "left", "y")
        assert "yx" in editor.text
        assert "…" in text_of(editor) or lines > 1

    play(("\n" if lines > 1 else " ").join(['{"name": "Ada Lovelace, Countess"},'] * 20_000), scene)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("start", "typed", "becomes"),
    [
        ("[]", '{"a": 1', '{"a": 1}'),
        ("[]", "[{", "[{}]"),
        ("[]", "[1", "[1]"),
        ("{}", "[1", "[1]"),
        ("{}", '{"a"', '{"a"}'),
        ("[]", "1", "[1]"),
        ("[1]", "{", "{[1]"),
    ],
)
def test_typed_bracket_replaces_an_untouched_pair(start: str, typed: str, becomes: str) -> None:
    async def scene(editor: Editor, pilot: Pilot[None]) -> None:
        await pilot.press(*keys(typed))
        assert editor.text == becomes

    play(start, scene)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("typed", "pasted", "becomes"),
    [("", ' {"a": 1}', ' {"a": 1}'), ("", "1, 2", "[1, 2]"), ("1, ", '{"a": 1}', '[1, {"a": 1}]')],
)
def test_pasted_object_replaces_an_untouched_pair(typed: str, pasted: str, becomes: str) -> None:
    async def scene(editor: Editor, pilot: Pilot[None]) -> None:
        await pilot.press(*keys(typed))
        pilot.app.post_message(events.Paste(pasted))
        await pilot.pause()
        assert editor.text == becomes

    play("[]", scene)
