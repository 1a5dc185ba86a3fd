"""The tab Text of the response: it appears with texts, is searched, copied and laid out anew."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.call import body as body_module
from tests.tui.call.test_body import answered, exchange
from tests.tui.call.test_copying import copied, save_in
from tests.tui.program import open_program

RESULT = {
    "log": "one\ntwo \x1b[c [/]\n\u202ethree",
    "tool": {"type": "text", "text": "## Head\n\n" + "some *words* " * 12},
}
TAB = "right_square_bracket"


@pytest.fixture(params=[10**6, 0], ids=["at once", "in a thread"])
def where(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Find texts and lay them out at once, or in a thread."""
    monkeypatch.setattr(body_module, "SEARCHED_AT_ONCE", request.param)


@pytest.mark.usefixtures("where")
async def test_texts_have_a_tab_and_are_safe(explorer: Explorer) -> None:
    async with answered(explorer, RESULT) as (pane, program):
        await program.sees("Result Text Raw")
        pane.focus_inside()
        await program.press(TAB)
        await program.sees("$.log text 24 B", "two ␛[c [/]", "\\u202ethree", "$.tool.text Markdown", "Head")


async def test_tab_exists_only_for_texts(explorer: Explorer) -> None:
    async with answered(explorer, RESULT) as (pane, program):
        pane.focus_inside()
        await program.press(TAB)
        await program.sees("$.log")
        pane.exchange = exchange({"log": "short"})
        await program.sees('"log": "short"')
        await program.misses("Text")
        await program.press(TAB)
        await program.sees('1 {"log": "short"}')


async def test_large_result_has_no_tab(explorer: Explorer) -> None:
    async with answered(explorer, {"log": "line\n" * 10, "rest": ["a"] * 300_000}) as (pane, program):
        await program.sees('"log": "line')
        await program.misses("Text")
        assert pane.body.blocks == ()


async def test_search_goes_to_words_in_texts(explorer: Explorer) -> None:
    async with answered(explorer, RESULT) as (pane, program):
        pane.focus_inside()
        await program.press(TAB, "slash", *"words", "enter")
        await program.sees("1 of 12")
        await program.press("n")
        await program.sees("2 of 12")


async def test_texts_follow_the_width_and_keep_the_place(explorer: Explorer) -> None:
    async with answered(explorer, RESULT) as (pane, program):
        pane.focus_inside()
        await program.press(TAB, *["down"] * 6)
        assert pane.body.path() == "$.tool.text"
        await program.resize_terminal(50, 20)
        await program.sees("some words some words some words some words\n")
        assert pane.body.path() == "$.tool.text"


async def test_text_under_the_cursor_is_copied_and_all_are_saved(explorer: Explorer, tmp_path: Path) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.send("demo.echo", json.dumps(RESULT))
        assert await copied(program, TAB, "c") == "one\ntwo ␛[c [/]\n\\u202ethree"
        assert await copied(program, *["down"] * 6, "p") == "$.tool.text"
        assert (await copied(program, "y", "enter")).startswith("## Head\n\nsome *words* ")
        await save_in(program, tmp_path / "texts.txt", "the text of the result")
        await program.sees("Saved the text of the result")
    assert (
        (tmp_path / "texts.txt")
        .read_text()
        .startswith("$.log\none\ntwo \x1b[c [/]\n\u202ethree\n\n$.tool.text\n## Head")
    )
