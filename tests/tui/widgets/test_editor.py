"""The editor: its keys, its pairs of brackets, its columns."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from textual.geometry import Offset

from rpcexplorer.tui.theme import GUTTER, ThemeStyles
from rpcexplorer.tui.widgets.editor import (
    BACKSPACE,
    KEYS,
    MAX_PAIRED_CHARACTERS,
    MAX_PAIRED_LINES,
    Editor,
    EditorRow,
    Flat,
    Page,
    in_string,
    lines_of,
    offset_of,
    pair_at,
    place_of,
    stroke,
)
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


def typed(keys: str, text: str = "|") -> str:
    """Return a text after keys are typed at the bar, which is the cursor."""
    at, text = text.index("|"), text.replace("|", "", 1)
    for key in keys:
        text, at = pressed(text, at, key)
    return f"{text[:at]}|{text[at:]}"


def pressed(text: str, at: int, key: str) -> tuple[str, int]:
    lines = lines_of(text)
    done = stroke(lines, place_of(text, at), key) if key in KEYS else None
    if done is None:
        keep = text[: max(at - 1, 0)] if key == BACKSPACE else text[:at] + key
        return keep + text[at:], len(keep)
    text = text[: offset_of(lines, done.start)] + done.text + text[offset_of(lines, done.end) :]
    return text, offset_of(lines_of(text), done.cursor)


@pytest.mark.parametrize(
    ("keys", "text", "becomes"),
    [
        ("{", "|", "{|}"),
        ("{}", "|", "{}|"),
        ("[", "|]", "[|]"),
        ("[", "|1]", "[|1]"),
        ("]", "[[|]", "[[]|]"),
        ("]", "[1|]", "[1]|"),
        ('"', "|", '"|"'),
        ('"a"', "|", '"a"|'),
        ('"', '{"a|: 1}', '{"a"|: 1}'),
        ('"', "ab|", 'ab"|'),
        ('"', '|"a"', '"|"a"'),
        ('\\"', '"|"', '"\\"|"'),
        ("[{", '"|"', '"[{|"'),
        ("}", '"a|"', '"a}|"'),
        ("[", "[1, |2]", "[1, [|2]"),
    ],
)
def test_brackets_and_quotes_are_paired_if_useful(keys: str, text: str, becomes: str) -> None:
    assert typed(keys, text) == becomes


@pytest.mark.parametrize(
    ("keys", "text", "becomes"),
    [
        ("\n", "{|}", "{\n  |\n}"),
        ("\n", "  [| ]", "  [\n    |\n  ]"),
        ("\n", '{"a": [|', '{"a": [\n  |'),
        ("\n", '  "a": 1,|', '  "a": 1,\n  |'),
        ("\n", '  "a": 1,| "b": 2', '  "a": 1,\n  |"b": 2'),
        ("\n", '"a|b"', '"a\n|b"'),
        ("\n", "|", "\n|"),
        ("]", "[\n  1\n  |", "[\n  1\n]|"),
        ("]", "|", "]|"),
        ("}", "{\n  |\n}", "{\n}|"),
        ("}", '{\n  "a": 1|\n\n}', '{\n  "a": 1\n\n}|'),
        ("]", '{\n  "a": [1|\n}', '{\n  "a": [1]|\n}'),
    ],
)
def test_new_lines_are_indented(keys: str, text: str, becomes: str) -> None:
    assert typed(keys, text) == becomes


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        ("{|}", "|"),
        ('["|"]', "[|]"),
        ("[[|]", "[|]"),
        ('"a"|', '"a|'),
        ('"[|]"', '"|]"'),
        ('"\\"|"', '"\\|"'),
        ("[\n    |1", "[\n  |1"),
        ("[\n   |1", "[\n  |1"),
        ("[\n |1", "[\n|1"),
        ("[\n|1", "[|1"),
    ],
)
def test_backspace_deletes_an_empty_pair_or_indent_level(text: str, becomes: str) -> None:
    assert typed(BACKSPACE, text) == becomes


@pytest.mark.parametrize(
    "text",
    [
        '{"page": 1, "filter": {"active": true, "tags": ["a", "b"]}, "x": []}',
        '{\n"a": [\n1,\n2\n],\n"b": {}\n}',
        '["a \\" b", "[", "}", ""]',
    ],
)
def test_json_typed_key_by_key_is_unchanged(text: str) -> None:
    assert json.loads(typed(text).replace("|", "")) == json.loads(text)


@given(st.text(alphabet='{}[]"\\,: \na1é', max_size=40))
def test_typing_never_loses_a_character(keys: str) -> None:
    remaining = iter(typed(keys).replace("|", ""))
    lost = [key for key in keys if not key.isspace() and key not in remaining]
    assert lost == []


@given(st.text(alphabet='{}[]"a \n', max_size=30), st.text(alphabet='{}[]"a\n\b', max_size=10), st.integers(0, 30))
def test_every_key_works_at_every_place(text: str, keys: str, at: int) -> None:
    at = min(at, len(text))
    assert typed(keys, f"{text[:at]}|{text[at:]}").count("|") == 1


@pytest.mark.parametrize(
    ("before", "inside"), [("", False), ('"', True), ('"a"', False), ('"a\\"', True), ('""["', True)]
)
def test_string_is_open_until_its_quote(before: str, inside: bool) -> None:
    assert in_string(before) is inside


def test_keys_in_a_very_long_line_work() -> None:
    assert stroke(["1" * (MAX_PAIRED_CHARACTERS + 1)], (0, 5), "[") is None


@pytest.mark.parametrize(
    ("text", "at", "other"),
    [
        ("[1]", 0, 2),
        ("[1]", 3, 0),
        ("[1]", 2, 0),
        ('{"]": [\n"}"\n]}', 0, 13),
        ('{"]": [\n"}"\n]}', 12, 6),
        ('{"]": [\n"}"\n]}', 14, 0),
        ("[[]", 0, None),
        ("[}", 0, None),
        ('"["', 1, None),
        ("1", 0, None),
    ],
)
def test_matching_bracket_is_found_outside_strings(text: str, at: int, other: int | None) -> None:
    pair = pair_at(lines_of(text), place_of(text, at))
    assert (offset_of(lines_of(text), pair[1]) if pair else None) == other


def test_far_away_bracket_is_not_searched() -> None:
    assert pair_at(["[", *[""] * MAX_PAIRED_LINES, "]"], (0, 0)) is None


ANY = st.text(alphabet='ab\n\r\t"{ä日\x1b\u202e\u2028\x0c❤\ufe0f\u0301\ud800', max_size=30)


@given(ANY)
def test_text_keeps_every_character_except_line_ends(text: str) -> None:
    assert Page(text).text == text.replace("\r\n", "\n").replace("\r", "\n")


@given(ANY, ANY, st.integers(0, 30), st.integers(0, 30))
def test_replace_equals_slicing_and_keeps_the_size(text: str, new: str, first: int, last: int) -> None:
    page = Page(text)
    text = page.text
    first, last = sorted((min(first, len(text)), min(last, len(text))))
    result = page.replace_range(place_of(text, first), place_of(text, last), new)
    new = "\n".join(lines_of(new))
    assert page.text == text[:first] + new + text[last:]
    assert result.replaced_text == text[first:last]
    assert result.end_location == place_of(page.text, first + len(new))
    assert page.get_size(4) == Page(page.text).get_size(4)


@pytest.mark.parametrize(
    ("text", "columns"),
    [("abc", [0, 1, 2, 3]), ("\ta", [0, 2, 3]), ("a\ta", [0, 1, 2, 3]), ("日a", [0, 2, 3]), ("\x1ba", [0, 1, 2])],
)
def test_each_character_has_its_column(text: str, columns: list[int]) -> None:
    assert [EditorRow(text).column(at) for at in range(len(text) + 1)] == columns


@given(ANY)
def test_row_is_drawn_harmless_in_its_columns(text: str) -> None:
    row = EditorRow(lines_of(text)[0])
    shown = row.shown(0, len(row.text))
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert cell_len(shown) == row.width
    for at in range(len(row.text)):
        assert row.column(row.index(row.column(at))) == row.column(at)


def test_row_ends_with_a_blank_for_the_cursor() -> None:
    assert EditorRow("ab").shown(1, 3) == "b "
    assert EditorRow("a\x1b").shown(1, 3) == "␛ "


def test_screen_and_text_positions_match() -> None:
    page = Flat(Page("ab\n日本x"))
    assert page.location_to_offset((1, 2)) == Offset(4, 1)
    assert page.offset_to_location(Offset(5, 1)) == (1, 3)
    assert page.offset_to_location(Offset(3, 1)) == (1, 1)
    assert page.offset_to_location(Offset(99, 99)) == (1, 3)
    assert page.height == 2
