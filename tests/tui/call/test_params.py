from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from rpcexplorer.jsontext.params import Params, Typo
from rpcexplorer.model.draft import judged
from rpcexplorer.model.exchange import Preview, Refused
from rpcexplorer.model.method import Described, DescribedParam, Method
from rpcexplorer.model.profile import Profile
from rpcexplorer.rpc.messages import EmptyParams
from rpcexplorer.tui.call.params import ParamsPane
from rpcexplorer.tui.theme import ThemeStyles
from rpcexplorer.tui.widgets import verdict
from rpcexplorer.tui.widgets.bars import Bar
from rpcexplorer.tui.widgets.editor import Editor
from rpcexplorer.tui.widgets.rows import Sheet
from rpcexplorer.tui.widgets.verdict import MAX_IMMEDIATE, ProblemLine
from tests.tui.stage import FakeAdvice, Staged, staged, text_of

LIST = Method("user.list", "Lists users, newest first", source="discovered")
TYPO = '["username": "ada"]'
TYPO_LINE = "   ✗ line 1, column 12: members need braces, not square brackets."
LONG = "[" + "1, " * MAX_IMMEDIATE + "1]"
PREVIEW = Preview("POST /api/v2/ HTTP/1.1", (("Cookie", "sessionid=«demo.session»"),), b'{"method":"user.list"}')


@asynccontextmanager
async def editing(text: str, **advice: Callable[..., object]) -> AsyncIterator[tuple[ParamsPane, Staged]]:
    """Show the params of a method in the focused pane."""
    pane = ParamsPane(FakeAdvice(**advice))
    async with staged(pane, size=(110, 12)) as program:
        pane.method = LIST
        pane.load(text)
        pane.focus_inside()
        await program.pause()
        yield pane, program


def problem_line(pane: ParamsPane) -> str:
    return text_of(pane.query_one(ProblemLine))


def is_dim(line: ProblemLine) -> bool:
    dim = ThemeStyles.of(line).style("dim")
    return all(piece.style == dim for piece in line.render_line(0) if piece.text.strip())


def sheet(pane: ParamsPane) -> str:
    return text_of(next(widget for widget in pane.query(Sheet) if widget.display))


def keys_at_work(program: Staged) -> set[str]:
    active = program.app.screen.active_bindings.values()
    ids = [one.binding.id or "" for one in active if one.enabled]
    return {id for id in ids if id.startswith("params.")}


async def test_bar_names_the_method_and_its_summary() -> None:
    async with editing("[]") as (pane, _):
        bar = text_of(pane.query_one(Bar))
        assert bar.startswith("▌user.list  Lists users, newest first")
        assert bar.endswith("Params  Request  F3")


async def test_bar_describes_the_param_at_the_cursor() -> None:
    def signature(text: str, offset: int) -> str:
        return f"{offset} of {text}" if offset else ""

    async with editing("[]", signature=signature) as (pane, program):
        bar = pane.query_one(Bar)
        assert text_of(bar).startswith("▌user.list  Lists users"), "the summary comes first"
        await program.press("5")
        assert text_of(bar).startswith("▌user.list  2 of [5] ")
        await program.press("home")
        assert text_of(bar).startswith("▌user.list  Lists users"), "there is no better description"
        await program.press("right", "right", "right")
        assert text_of(bar).startswith("▌user.list  3 of [5] ")
        pane.load("[]")
        await program.pause()
        assert text_of(bar).startswith("▌user.list  Lists users")


async def test_pane_without_a_method_names_the_next_step() -> None:
    pane = ParamsPane(FakeAdvice())
    async with staged(pane):
        assert "No method  Choose one from the list (F2)." in text_of(pane.query_one(Bar))
        assert "[] will be sent" in problem_line(pane)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"page": 1, "filter": {}}', "   ✓ valid JSON  object with 2 members"),
        ("[]", "   ✓ valid  no params"),
        ("", "   ✓ no params  [] will be sent"),
        (" \n", "   ✓ no params  [] will be sent"),
        ("[1] x", "   ✗ line 1, column 5: "),
        (TYPO, TYPO_LINE),
    ],
)
async def test_verdict_is_shown_below_the_editor(text: str, message: str) -> None:
    async with editing(text) as (pane, _):
        assert problem_line(pane).startswith(message)


@pytest.mark.thorough
@pytest.mark.parametrize(("empty", "message"), [("{}", "{} will be sent"), ("omit", "they will be omitted")])
async def test_empty_editor_shows_the_empty_params_of_profile(empty: EmptyParams, message: str) -> None:
    async with editing("") as (pane, _):
        pane.profile = Profile("x", "http://127.0.0.1:9", empty_params=empty)
        assert message in problem_line(pane)


async def test_verdict_follows_each_key_and_marks_the_place() -> None:
    async with editing("[]") as (pane, program):
        await program.press("x")
        assert "✗ line 1, column 2" in problem_line(pane)
        assert pane.query_one(Editor).mark == (1, 2)
        await program.press("backspace", "1")
        assert "✓ valid JSON  array with 1 element" in problem_line(pane)
        assert pane.query_one(Editor).mark is None


async def test_fix_names_the_mapped_key() -> None:
    async with editing(TYPO) as (pane, program):
        program.app.set_keymap({"params.fix": "ctrl+b"})
        assert "^B make it an object" in problem_line(pane)
        await program.press("ctrl+b")
        assert pane.problem is None


@pytest.mark.thorough
async def test_only_useful_keys_are_enabled() -> None:
    async with editing("[]") as (pane, program):
        always = {"params.editor", "params.tab-next", "params.complete"}
        assert keys_at_work(program) == always
        await program.press("1")
        assert keys_at_work(program) == {*always, "params.undo", "params.format"}
        await program.press("comma")
        assert keys_at_work(program) == {*always, "params.undo", "params.fix", "params.problem-next"}
        await program.press("ctrl+z")
        assert "params.redo" in keys_at_work(program)
        pane.show_tab("Request")
        await program.pause()
        assert keys_at_work(program) == {"params.tab-next", "params.form-next"}


@pytest.mark.thorough
async def test_request_is_built_only_while_it_is_shown() -> None:
    asked: list[str] = []

    def preview(text: str, _sources: object) -> Preview | Refused:
        asked.append(text)
        return PREVIEW if text == "[1]" else Refused("profile", "The profile has no URL.")

    async with editing("[]", preview=preview) as (pane, program):
        await program.press("1")
        assert asked == []
        pane.action_tab_next()
        await program.pause()
        assert asked == ["[1]"]
        assert "Cookie: sessionid=••••••••  demo.session" in sheet(pane)
        assert not pane.query_one(ProblemLine).display
        pane.replace("[2]")
        await program.pause()
        assert "The profile has no URL." in sheet(pane)
        pane.load("{}")
        assert asked == ["[1]", "[2]", "{}"]


async def test_request_is_shown_as_curl_and_python() -> None:
    def snippet(form: str, text: str, _sources: object) -> str | Refused:
        return f"{form} '{text}' \x1b[c" if form == "curl" else Refused("params", "It needs curl.")

    async with editing("[1]", preview=lambda *_: PREVIEW, snippet=snippet) as (pane, program):
        assert "curl" not in program.text
        await program.press("ctrl+o", "right_square_bracket")
        await program.sees("Params Request curl Python", "curl '[1]' ␛[c")
        strip = pane.query_one(Sheet).render_line(0)
        colours = {piece.text: piece.style for piece in strip}
        assert colours["'[1]'"] == ThemeStyles.of(pane).style("json-string")
        await program.press("right_square_bracket")
        await program.sees("! It needs curl.", "Nothing would be sent.")
        await program.press("right_square_bracket")
        await program.sees("POST /api/v2/ HTTP/1.1")
        await program.press("ctrl+o")
        await program.misses("curl")


@pytest.mark.thorough
async def test_focus_stays_in_the_pane_when_tabs_change() -> None:
    async with editing("[]") as (pane, program):
        for tab, kind in (("Request", Sheet), ("Params", Editor)):
            pane.action_tab_next()
            await program.pause()
            assert pane.tab == tab
            assert isinstance(program.app.focused, kind)
            assert program.app.focused.display
            assert text_of(pane.query_one(Bar)).startswith("▌")
        program.app.set_focus(None)
        await program.pause()
        assert not text_of(pane.query_one(Bar)).startswith("▌")
        pane.action_tab_next()
        await program.pause()
        assert program.app.focused is None


@pytest.mark.thorough
async def test_click_on_a_tab_opens_it() -> None:
    async with editing("[]") as (pane, program):
        await program.click(Bar, offset=(100, 0))
        assert pane.tab == "Request"
        assert isinstance(program.app.focused, Sheet)


async def test_long_text_is_judged_later_but_before_sending(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdict, "PAUSE", 60)
    async with editing(LONG) as (pane, program):
        line = pane.query_one(ProblemLine)
        await program.press("home", "x")
        assert pane.query_one(Editor).mark is None
        assert is_dim(line)
        assert isinstance(pane.problem, Typo)
        assert not is_dim(line)
        assert "line 1, column 1" in problem_line(pane)


@pytest.mark.parametrize("action", ["send", "fix", "format"])
async def test_long_text_is_judged_in_a_thread_before(action: str, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[threading.Thread] = []

    def judged_in_thread(text: str) -> tuple[Params | Typo, str]:
        threads.append(threading.current_thread())
        return judged(text)

    monkeypatch.setattr(verdict, "PAUSE", 60)
    monkeypatch.setattr(verdict, "judged", judged_in_thread)
    async with editing(LONG) as (pane, program):
        threads.clear()  # the empty text was judged at once
        await program.press("end", "enter")
        if action == "send":
            await pane.settled()
            assert pane.problem is None
        else:
            getattr(pane, f"action_{action}")()
            await program.until(lambda: bool(threads))
        if action == "format":
            await program.until(lambda: pane.text.startswith("[\n  1,\n"))
        assert threading.main_thread() not in threads


@pytest.mark.thorough
async def test_long_text_is_judged_after_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdict, "PAUSE", 0)
    async with editing(LONG) as (pane, program):
        await program.app.workers.wait_for_complete()
        assert "✓ valid JSON  array with 4,001 elements" in problem_line(pane)
        await program.press("end", "x")
        await program.app.workers.wait_for_complete()
        assert "✗ line 1" in problem_line(pane)
        assert pane.query_one(Editor).mark is not None


@pytest.mark.thorough
async def test_hostile_summary_of_a_method_is_inert() -> None:
    async with editing("[]") as (pane, program):
        hostile = "oops [/] [@click=app.quit]x[/] \x1b[31m\u202e"
        pane.method = Method(hostile, hostile)
        await program.pause()
        assert "oops [/] [@click=app.quit]x[/] ␛[31m\\u202e" in text_of(pane.query_one(Bar))


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ('{\n  "kind": "a",\n  "n": 1\n}', '{\n  "kind": "a7",\n  "n": 1\n}'),
        ('[\n  {"since": null}, 5\n]', '[\n  {"since": null7}, 5\n]'),
        ('{"a": [], "b": 1}', '{"a": [7], "b": 1}'),
        (f'["{"x" * 99}"]', f'["7{"x" * 99}"]'),
        ("[]", "[7]"),
    ],
)
async def test_typed_text_goes_behind_the_first_value(text: str, typed: str) -> None:
    async with editing(text) as (pane, program):
        await program.press("7")
        assert pane.text == typed


async def test_tab_chosen_before_the_first_frame_is_open() -> None:
    pane = ParamsPane(FakeAdvice())
    pane.show_tab("Request")
    async with staged(pane, size=(110, 12)) as program:
        await program.pause()
        assert [type(child) for child in pane.children if child.display] == [Bar, Sheet]


FIND = Described(
    params=(
        DescribedParam("page", {"type": "integer", "minimum": 1, "maximum": 9, "default": 1}, required=True),
        DescribedParam("filter", {"type": "object", "properties": {"active": True, "country": True}}),
        DescribedParam("words", {"type": "string"}, doc="What to find\nin all fields"),
    )
)


async def test_params_of_the_method_are_listed_beside_the_text() -> None:
    pane = ParamsPane(FakeAdvice())
    async with staged(pane, size=(84, 5)) as program:

        def beside() -> list[str]:
            return [line[42:].rstrip() for line in program.text.splitlines()[1:4]]

        pane.load('{"page": 2}')
        pane.described = FIND
        await program.pause()
        assert beside() == [
            "● page    integer  1 … 9              = 1",
            "○ filter  object   active country",
            "○ words   string   What to find",
        ]
        pane.replace("[1, {}")
        await program.pause()
        assert beside()[1][0] == "○", "the text is not valid"
        pane.replace("[1, {}]")
        await program.pause()
        assert [line[0] for line in beside()] == ["●", "●", "○"]
        pane.described = Described(params=FIND.params * 2)
        await program.pause()
        assert beside()[2].startswith("  … 4 more")
        pane.replace(f'["{"x" * 40}"]')
        await program.pause()
        assert beside()[0].startswith("xxxx"), "a wide text needs the room"


async def test_types_are_whole_before_anything_else_is_said_of_a_param() -> None:
    either = {"type": ["integer", "object"], "default": 7}
    pane = ParamsPane(FakeAdvice())
    async with staged(pane, size=(84, 5)) as program:
        pane.described = Described((DescribedParam("customer", either, doc="Customer who places the order"),))
        await program.pause()
        assert program.text.splitlines()[1][42:].split() == ["○", "customer", "integer", "or", "object", "=", "7"]


async def test_narrow_pane_has_no_list_beside_the_text() -> None:
    pane = ParamsPane(FakeAdvice())
    async with staged(pane, size=(78, 5)) as program:
        pane.described = FIND
        await program.pause()
        assert "filter" not in program.text
