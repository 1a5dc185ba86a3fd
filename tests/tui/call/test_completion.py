"""Completions between double braces and of a schema while typing."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events

from rpcexplorer.schema.complete import Candidate, Completion
from rpcexplorer.tui.call.completion import (
    CompletionList,
)
from rpcexplorer.tui.call.params import ParamsPane
from rpcexplorer.tui.widgets.editor import Editor
from rpcexplorer.variables.references import Offered
from tests.tui.stage import FakeAdvice, staged

NAMES = (Offered("tenant", "acme"), Offered("uuid", "a new one"), Offered("last.user.get#", "the newest result"))


async def test_variable_list_opens_filters_inserts_and_closes() -> None:
    asked: list[int] = []

    def names() -> Sequence[Offered]:
        asked.append(1)
        return NAMES

    pane = ParamsPane(FakeAdvice(names=names))
    async with staged(pane, size=(80, 24)) as program:
        pane.load("[]")
        pane.focus_inside()
        offers = pane.query_one(CompletionList)

        async def typed(*keys: str) -> tuple[bool, str]:
            await program.press(*keys)
            return offers.display, pane.text

        assert await typed('"', "{") == (False, '["{"]')
        assert not asked
        assert await typed("{") == (True, '["{{"]')
        assert await typed("u") == (True, '["{{u"]')
        assert [item.shown for item in offers.items] == ["uuid", "last.user.get#"]
        assert await typed("down", "enter") == (False, '["{{last.user.get#}}"]')
        assert await typed("/", "i") == (False, '["{{last.user.get#/i}}"]'), "the member follows the name"
        assert await typed("right", "right", "space", "{", "{", "t", "tab") == (
            False,
            '["{{last.user.get#/i}} {{tenant}}"]',
        )
        assert len(asked) == 2
        assert await typed("{", "{", "escape", "u", "enter") == (
            False,
            '["{{last.user.get#/i}} {{tenant}}{{u\n"]',
        ), "a closed list stays closed, and Enter ends a line again"
        pane.load("[]")
        assert await typed('"', "{", "{", "escape", "backspace", "{") == (True, '["{{"]'), "typed again"
        pane.load("[]")
        assert await typed("1", ",", "{", "{", "x", "x") == (False, "[1,{{xx}}]"), "there are no matches"
        assert await typed("backspace", "backspace", "enter") == (False, '[1,"{{tenant}}"]')


async def test_docs_of_a_name_are_whole_where_there_is_room() -> None:
    about = "the number of the page, counted from one, of those that are shown"
    pane = ParamsPane(FakeAdvice(names=lambda: (Offered("page", about),)))
    async with staged(pane, size=(120, 24)) as program:
        pane.load("[]")
        pane.focus_inside()
        await program.press('"', "{", "{")
        assert about in program.text
        await program.resize_terminal(70, 24)
        await program.press("p")
        assert f"page  {about[:40]}" in program.text


ROWS = (
    Candidate('"count": ', "count", "integer  required", 9),
    Candidate('"kind": ""', "kind", "one of low | high", 9),
    Candidate('"low"', "low", "", 5),
    Candidate("true", "true", "on"),
    Candidate('"true"', "true", "used before"),
)


def known(text: str, offset: int) -> Completion | None:
    """Return the words that begin like the word before the cursor."""
    start = offset
    while start and (text[start - 1].isalpha() or text[start - 1] == '"'):
        start -= 1
    end = offset + text[offset : offset + 1].count('"') * (text[start:offset].count('"') % 2)
    named = text[:start].strip().endswith('"kind":')
    rows = tuple(row for row in (ROWS[2:] if named else ROWS) if row.shown.startswith(text[start:offset].strip('"')))
    return Completion(start, end, rows) if rows and text[:start].strip()[-1:] in {"{", ",", ":"} else None


async def test_word_list_does_not_disturb_typing() -> None:
    pane = ParamsPane(FakeAdvice(complete=known))
    async with staged(pane, size=(80, 24)) as program:
        pane.load("{}")
        pane.focus_inside()
        offers = pane.query_one(CompletionList)

        async def typed(*keys: str) -> tuple[bool, str]:
            await program.press(*keys)
            return offers.display, pane.text

        assert await typed("right", "left") == (False, "{}"), "no text was typed yet"
        assert await typed("c", "o") == (True, "{co}")
        assert await typed("tab") == (True, '{"count": }'), "values after a name are offered at once"
        assert await typed("5", ",") == (False, '{"count": 5,}'), "the cursor was at the place for the value"
        assert await typed('"', "k") == (True, '{"count": 5,"k"}')
        assert await typed("escape", "i") == (False, '{"count": 5,"ki"}'), "the list is not needed here"
        assert await typed("enter") == (False, '{"count": 5,"ki\n"}'), "Enter ends a line"
        assert await typed("backspace", "ctrl+@") == (True, '{"count": 5,"ki"}'), "but on request"
        assert await typed("enter") == (True, '{"count": 5,"kind": ""}'), "it replaces a string that it would break"
        assert await typed('"', "l") == (True, '{"count": 5,"kind": "l"}'), "the quote exists already"
        assert await typed("down", *["left"] * 3) == (False, '{"count": 5,"kind": "l"}'), "the cursor went elsewhere"
        assert await typed(*["right"] * 3, "x") == (False, '{"count": 5,"kind": "lx"}'), "there are no matches"
        assert await typed("ctrl+@") == (False, '{"count": 5,"kind": "lx"}')
        pane.replace("{co}")
        await program.pause()
        assert not offers.display, "the text was not typed"
        pane.load("{}")
        for key in ("c", "o", "tab"):
            program.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await program.pause()
        assert await typed("7") == (False, '{"count": 7}'), "keys of a burst act like single keys"
        pane.load('{"kind"}')
        await program.press("right", "end", "left")
        assert await typed(":", "space") == (True, '{"kind": }'), "values after a colon are shown at once"
        assert await typed("tab") == (False, '{"kind": "low"}')
        pane.load('{"漢字漢字":}')
        assert await typed("end", "left", "t") == (True, '{"漢字漢字":t}')
        column = pane.query_one(Editor).region.x + pane.query_one(Editor).gutter_width
        assert offers.absolute_offset is not None
        assert offers.absolute_offset.x == column + len('{"漢字漢字":') + 4, "each character takes two columns"
        assert await typed("down", "tab") == (False, '{"漢字漢字":"true"}'), "the chosen row, not a similar one"
