"""Notices: above the footer, in as many lines as they need, for a while."""

from __future__ import annotations

import pytest

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.app import NotificationLine
from rpcexplorer.tui.dialogs import PageDialog
from tests.tui.program import Program, open_program

MARKUP = "[b]x[/b] [@click=app.quit]y[/] [/] [true]"
LONG = "What is said here goes on for longer than a line has room, at any width that a test has; so the end is cut."


async def rows_with_notice(program: Program, text: str) -> tuple[list[str], list[str]]:
    """Return the rows of the screen before and during a notice."""
    program.app.clear_notifications()
    await program.rest()
    before = program.text.splitlines()
    program.app.notify(text, timeout=60)
    await program.until(lambda: text[:40] in program.text)
    return before, program.text.splitlines()


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
@pytest.mark.everyday(1)
async def test_notice_leaves_the_footer_on_view(explorer: Explorer, size: tuple[int, int]) -> None:
    async with open_program(explorer, profile="demo", size=size) as program:
        for keys in [[], ["f2"], ["f6"], ["escape", "f7"]]:
            await program.press(*keys)
            await program.rest()
            before, now = await rows_with_notice(program, LONG)
            lines = 2 if size[0] < len(LONG) else 1
            assert before[-1] == now[-1], keys
            assert before[: -1 - lines] == now[: -1 - lines], keys
            assert " ".join(row.strip("▌ ") for row in now[-1 - lines : -1]) == LONG


async def test_notice_uncovers_the_row_at_the_cursor(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo", size=(80, 24)) as program:
        await program.send("demo.echo", str(list(range(60))))
        await program.press("end")
        before, now = await rows_with_notice(program, "Short.")
        assert [at for at, row in enumerate(before) if row != now[at]] == [1]
        await program.press("home")
        await program.until(lambda: program.text.splitlines()[-2].startswith("▌Short."))
        await program.press("end")
        await program.until(lambda: program.text.splitlines()[1].startswith("▌Short."))


async def test_only_new_notices_and_problems_follow_to_another_screen(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_program(explorer, profile="demo") as program:
        program.app.notify("A problem.", severity="warning", timeout=60)
        program.app.notify("A fact.", timeout=60)
        await program.sees("▌A fact.")
        await program.press("f6")
        await program.sees("History")
        assert "▌A fact." in program.text, "it may be about the history"
        monkeypatch.setattr("rpcexplorer.tui.app.NEW_SECONDS", 0.0)
        await program.press("ctrl+p", "escape")
        await program.rest()
        assert "▌A fact." in program.text, "it is the same screen"
        await program.press("escape")
        await program.sees("▌! A problem.")
        await program.press("alt+w")
        await program.sees("A fact.")


async def test_notice_in_a_dialog_covers_its_last_line(explorer: Explorer) -> None:
    """Test the page of keys, a form, the palette."""
    async with open_program(explorer, profile="demo", size=(80, 24)) as program:
        for keys in [["f1"], ["escape", "f7", "e"], ["escape", "ctrl+p"]]:
            await program.press(*keys)
            await program.rest()
            before, now = await rows_with_notice(program, "Short.")
            assert before[:-1] == now[:-1], keys


async def test_long_notices_are_read_whole_on_a_page(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo", size=(80, 24)) as program:
        program.app.notify(LONG + LONG + LONG, timeout=60)
        await program.sees("Alt+w more")
        program.app.notify("Two lines:\nthe second one [/].", timeout=60)
        await program.sees("▌Two lines: the second one [/].")
        assert "Alt+w 1 more" in program.text
        await program.click(NotificationLine)
        await program.sees("Alt+w more")
        program.app.clear_notifications()
        await program.press("alt+w")
        await program.on(PageDialog)
        words = " ".join(program.page.split())
        assert "Two lines: the second one [/]." in words
        assert words.endswith(LONG + LONG + LONG), "the newest comes first"


async def test_notices_of_widgets_read_no_markup(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        program.calls.params.notify(f"{MARKUP} of a pane", title=MARKUP)
        program.calls.notify(f"{MARKUP} of a screen", title=MARKUP)
        program.app.notify(f"{MARKUP} of the program", title=MARKUP)
        await program.sees(f"▌{MARKUP} of the program")
        assert {notice.markup for notice in program.app._notifications} == {False}
        await program.press("alt+w")
        await program.on(PageDialog)
        assert program.page.count(MARKUP) == 3


@pytest.mark.thorough
async def test_newer_notice_replaces_older_and_problems_stay(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        for sentence in ("x: 1 call.", "x: 2 calls.", "Added a.", "Added b.", "Copied a.", "Copied b."):
            program.app.notify(sentence)
        for sentence in ("a.toml: one", "a.toml: two"):
            program.app.notify(sentence, severity="warning")
        await program.pause()
        assert [notice.message.lstrip("! ") for notice in program.app._notifications] == [
            "x: 2 calls.", "Added b.", "Copied b.", "a.toml: one", "a.toml: two",
        ]  # fmt: skip


@pytest.mark.thorough
async def test_warnings_and_errors_have_a_sign(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        program.app.notify("A warning.", severity="warning")
        program.app.notify("A failure.", severity="error")
        await program.until(lambda: program.notices == "! A warning.\n✗ A failure.")
