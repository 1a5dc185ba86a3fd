"""Comparing on screen: two responses, and calls that are resent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from rpcexplorer.client.replay import Replayed, replayed
from rpcexplorer.compare.compare import compared
from rpcexplorer.jsontext.steps import at_once
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Exchange, Refused, Stop
from rpcexplorer.model.profile import ad_hoc
from rpcexplorer.text.compare import ComparedLine, own_part
from rpcexplorer.transport.port import Response
from rpcexplorer.tui.compare import ComparedText, ComparisonScreen, marks_of
from rpcexplorer.tui.key_queue import PendingKeys
from rpcexplorer.tui.replay import ReplayScreen, SeveralProfiles, fill_for_profiles, profiles_for_servers
from rpcexplorer.tui.widgets.bars import Frame
from rpcexplorer.tui.widgets.dialog import Caution, Choice, Confirm, Form
from rpcexplorer.tui.widgets.picker import Picker
from tests.fakes.explorer import open_explorer
from tests.history.recording import START, exchange
from tests.tui.stage import OneScreen, showing, staged, text_of

FRAME = Frame(zone=UTC, today=START.date())
NO_EXPLORER: Any = None
"""Only reports and exports need one."""
WIDE, SMALL = (120, 20), (80, 24)


def reply(number: int, result: str, **fields: object) -> Exchange:
    return exchange(number, f'{{"jsonrpc":"2.0","id":"1","result":{result}}}', **fields)


PROD = reply(1, '{"name":"Ada","price":1.0,"gone":true}', profile="prod")
STAGING = reply(2, '{"name":"Eda","price":1.00,"new":1}')


def comparison(left: Exchange = PROD, right: Exchange = STAGING, **given: Any) -> ComparisonScreen:
    return ComparisonScreen(NO_EXPLORER, left, right, PendingKeys(), FRAME, **given)


def shown(screen: ComparisonScreen) -> list[str]:
    return [line.rstrip() for line in text_of(screen.text).splitlines()]


async def test_responses_are_side_by_side_if_they_fit() -> None:
    screen = comparison()
    async with showing(OneScreen, screen, WIDE) as program:
        await program.until(lambda: screen.comparison is not None)
        await program.pause()
        assert [" ".join(line.split()) for line in shown(screen)] == [
            "{ │ {",
            '- "name": "Ada" │ + "name": "Eda"',
            '- "price": 1.0 │ + "price": 1.00 the same number',
            '│ + "new": 1',
            '- "gone": true │',
            "} │ }",
        ]
        left, right = (text_of(screen._sides)[at:].split() for at in (0, 60))
        assert left[:6] == ["-", "prod", "12:00:01", "✓", "result", "34"]
        assert right[:6] == ["+", "staging", "12:00:02", "✓", "result", "34"]
        await program.press("n", "n")
        place = screen.text.difference
        await program.resize_terminal(*SMALL)
        await program.until(lambda: not screen.text.side_by_side)
        assert [" ".join(line.split()) for line in shown(screen)] == [
            "{",
            '- "name": "Ada"',
            '+ "name": "Eda"',
            '- "price": 1.0 the same number',
            '+ "price": 1.00 the same number',
            '+ "new": 1',
            '- "gone": true',
            "}",
        ]
        assert text_of(screen._sides).splitlines()[1].startswith(" + staging")
        assert screen.text.difference == place == 2


@pytest.mark.parametrize(
    ("kinds", "rows", "height", "marks"),
    [
        ({}, 100, 10, {}),
        ({0: "added", 55: "removed", 99: "changed"}, 100, 10, {0: "well", 5: "wrong", 9: "careful"}),
        ({10: "added", 11: "added", 12: "removed"}, 100, 10, {1: "careful"}),
        ({1: "spelling"}, 2, 10, {5: "careful"}),
    ],
)
def test_each_difference_has_a_mark_in_its_colour(
    kinds: dict[int, str], rows: int, height: int, marks: dict[int, str]
) -> None:
    assert marks_of(kinds, rows, height) == marks


async def test_scrollbar_marks_the_differences_of_all_lines() -> None:
    left = ",".join(f'{{"id":{number},"name":"n"}}' for number in range(40))
    right = left.replace('{"id":30,"name":"n"}', '{"id":30,"name":"other"}')
    screen = comparison(reply(1, f"[{left}]"), reply(2, f"[{right}]"))
    async with showing(OneScreen, screen, WIDE) as program:
        await program.until(lambda: screen.comparison is not None)
        screen.action_unfold_all()
        await program.until(lambda: screen.text.row_count > 100)
        await program.pause()
        edge = [line[-1:] for line in program.text.splitlines()]
        assert edge.count("▐") == 1
        assert 0.6 < edge.index("▐") / len(edge) < 0.9


async def test_reason_of_unsent_call_is_shown_whole_once() -> None:
    why = "The params contain «not recorded»: that value was not recorded. Replace it with a value, then resend."
    unsent = exchange(2, outcome=Refused("params", why), response=Response(), method="other")
    screen = comparison(PROD, unsent)
    async with showing(OneScreen, screen, SMALL) as program:
        await program.until(lambda: screen.comparison is not None)
        await program.pause()
        text = " ".join(" ".join(map(text_of, (screen._sides, screen._remarks, screen.text))).split())
        assert text.count(why) == 1
        assert text.count("The call on the right was not sent: there is no response to compare.") == 1
        assert text.count("not sent") == 2, "in the side and in the sentence"
        assert text.startswith("- ping prod 12:00:01 ✓ result 34 ms + other staging"), "each names its own method"
        assert "Compare ping and other" in " ".join(text_of(screen._bar).split())


async def test_escape_stops_a_comparison_that_blocks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = []

    def endless(*_: object) -> Iterator[None]:
        try:
            while True:
                yield
        finally:
            ended.append(True)

    monkeypatch.setattr("rpcexplorer.tui.compare.compared", endless)
    screen = comparison()
    async with showing(OneScreen, screen, WIDE) as program:
        assert "Comparing … Press Esc to stop." in text_of(screen.text)
        await program.press("n", "escape")
        await program.until(lambda: program.app.screen is not screen and bool(ended))
        assert program.notices == "The comparison was stopped."


async def test_cursor_visits_each_line_of_two_rows() -> None:
    kinds = ["equal", "changed", "changed", "removed", "fold", "changed"]
    lines = [ComparedLine(kind, "a", None if kind == "removed" else "b", None) for kind in kinds]  # type: ignore[arg-type]
    rows = [0, 1, 3, 5, 6, 7]

    text = ComparedText()
    async with staged(text, size=SMALL) as program:
        text.lines = lines
        text.focus()
        await program.press("home")
        for key, expected in ("down", [*enumerate(rows)]), ("up", [*enumerate(rows)][::-1]):
            for at, row in expected:
                assert (text.current_line, text.cursor) == (at, row)
                await program.press(key)
        await program.click(ComparedText, offset=(5, 4))
        assert (text.current_line, text.cursor) == (2, 3)
        await program.press("end")
        assert (text.current_line, text.cursor) == (5, 7)


@pytest.mark.parametrize(
    ("left", "right", "own"),
    [
        ('"Ada"', '"Eda"', ("A", "E")),
        ('"aa"', '"aaa"', ("", "a")),
        ("1.0", "1.00", ("", "0")),
        ("same", "same", ("", "")),
        ("", "x", ("", "x")),
    ],
)
def test_difference_of_lines_excludes_common_ends(left: str, right: str, own: tuple[str, str]) -> None:
    ours, theirs = slice(*own_part(left, right)), slice(*own_part(right, left))
    assert (left[ours], right[theirs]) == own


def result(left: Exchange, right: Exchange) -> Replayed:
    return replayed(left, right, at_once(compared(left, right)))


async def test_stopped_replay_keeps_its_results(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = [
        reply(number, f"{number // 2}", method=f"user.{name}") for number, name in enumerate(("get", "list", "set"))
    ]
    go_on = asyncio.Event()
    stopped: list[Stop] = []

    async def run(stop: Stop) -> AsyncIterator[Replayed]:
        stopped.append(stop)
        yield result(calls[0], calls[1])
        yield replace(result(calls[1], calls[2]), ignore=("/at",))
        await go_on.wait()
        yield Replayed(calls[2], None, None, "stopped", "Not sent: the replay was stopped.")

    async def report(_: object, __: object, *compared: object) -> None:
        reports.append(compared)

    reports: list[tuple[object, ...]] = []
    monkeypatch.setattr("rpcexplorer.tui.call.copying.copy_comparison_report", report)
    names = ["user.get", "user.list", "user.set"]
    screen = ReplayScreen(NO_EXPLORER, "Replay  3 calls on staging", run, PendingKeys(), FRAME, names=names)
    async with showing(OneScreen, screen, WIDE) as program:
        await program.until(lambda: len(screen.done) == 2)
        await program.pause()
        rows = [" ".join(row.split()) for row in text_of(screen.list).splitlines()]
        assert rows == [
            "✓ user.get same result 37 B 34 ms → 34 ms",
            "≠ user.list differs the result differs 34 ms → 34 ms",
            "◐ user.set sending",
        ]
        assert text_of(screen.bar).startswith("▌Replay  3 calls on staging   2 of 3  1 same  1 differs")
        await program.press("escape")
        assert stopped[0].pressed
        assert program.app.screen is screen
        go_on.set()
        await program.until(lambda: screen.stop is None)
        await program.pause()
        assert "◌ user.set   stopped  Not sent: the replay was stopped." in text_of(screen.list)
        await program.press("down", "enter")
        await program.until(lambda: isinstance(program.app.screen, ComparisonScreen))
        opened: Any = program.app.screen
        await program.until(lambda: opened.comparison is not None)
        assert (opened.left, opened.right) == (calls[1], calls[2])
        await program.press("M", "escape")
        await program.until(lambda: program.app.screen is screen)
        await program.press("escape")
        await program.until(lambda: program.app.screen is not screen)
    assert reports == [(calls[1], calls[2], ("/at",))]


async def test_reason_of_a_replayed_call_is_read_whole_in_a_small_terminal() -> None:
    call, whole = (
        reply(1, "1", method="user.get"),
        "This is a login without a recorded password: it cannot be replayed.",
    )

    async def run(_: Stop) -> AsyncIterator[Replayed]:
        yield Replayed(call, call, None, "failed", "The response is too short.")
        yield Replayed(call, None, None, "skipped", whole)

    names = ["user.get", "user.list"]
    screen = ReplayScreen(NO_EXPLORER, "Replay", run, PendingKeys(), FRAME, names=names)
    async with showing(OneScreen, screen, SMALL) as program:
        await program.until(lambda: len(screen.done) == 2)
        assert "✗ user.get failed The response is too short. 34 ms → 34 ms" in program.words
        assert whole not in " ".join(program.words.split())
        await program.press("down")
        assert whole in " ".join(program.words.split())


async def test_confirmation_can_be_read_in_a_small_terminal() -> None:
    rows = [("profile", "shop  https://shop.example.com"), ("method", "\n".join(f"user.m{at}" for at in range(30)))]
    choices = [Choice("send", "Send")]
    question = Confirm("Send to shop?  30 calls are unsafe.", rows, choices, caution=Caution.PRODUCTION)
    async with showing(OneScreen, question, SMALL) as program:
        seen = set[str]()
        for _ in range(4):
            await program.pause()
            text = program.text
            assert "Send to shop?" in text
            assert "PgDn scroll down" in text
            assert "Cancel" in text
            seen |= set(text.split())
            await program.press("pagedown")
        assert [at for at in range(30) if f"user.m{at}" not in seen] == []
        await program.press("pageup", "pageup", "pageup")
        assert "shop.example.com" in program.text
        await program.press("enter")
        await program.until(lambda: program.app.screen is not question)


async def test_profiles_that_are_ticked_scroll() -> None:
    profiles = [replace(ad_hoc("http://127.0.0.1:1"), name=f"profile{at}", ad_hoc=False) for at in range(30)]
    question = SeveralProfiles("Send to several?", profiles, "")
    async with showing(OneScreen, question, SMALL) as program:
        await program.press("end")
        await program.until(lambda: "profile29" in program.text)


async def test_calls_can_be_resent_to_a_typed_address(tmp_path: Path) -> None:
    explorer = open_explorer(tmp_path)
    explorer.profile = ad_hoc("http://127.0.0.1:1/rpc")
    offered: list[list[str]] = []

    class First:
        """A user who takes the first choice."""

        app = property(lambda self: self)

        async def push_screen_wait(self, picker: Picker) -> str:
            offered.append([pick.id for pick in picker._picks])
            return picker._picks[0].id

    screen: Any = First()
    chosen = await profiles_for_servers(screen, explorer, [PROD], "1 call")
    assert chosen is not None
    assert ([*chosen.values()], offered) == ([explorer.profile], [[explorer.profile.name]])


OPEN = """
version = 1
[profile.one]
url = "http://127.0.0.1:1"
[profile.one.variables]
page = "7"
[profile.two]
url = "http://127.0.0.1:2"
[profile.three]
url = "http://127.0.0.1:3"
"""


async def test_each_profile_gets_its_values_missing_ones_asked(tmp_path: Path) -> None:
    explorer = open_explorer(tmp_path, OPEN)
    profiles = [explorer.profiles.profiles[name] for name in ("one", "two", "three")]
    explorer.profile = profiles[0]
    asked: list[str] = []

    class Answering:
        """A user who writes 9 for a value, or cancels."""

        app = property(lambda self: self)
        answer: dict[str, str] | None = None

        async def push_screen_wait(self, form: Form) -> dict[str, str] | None:
            asked.append(form._title)
            return self.answer

        def notify(self, sentence: str, **_: object) -> None:
            asked.append(sentence)

    screen: Any = Answering()

    async def filled(text: str) -> list[str]:
        calls = await fill_for_profiles(screen, explorer, Draft("user.list", text), profiles)
        return [f"{profile.name} {draft.text}" for draft, profile in calls]

    assert (await filled('["{{page}}"]'), asked) == ([], ["Send user.list on two with these values?"])
    screen.answer = {"page": "9"}
    assert await filled('["{{page}}"]') == ['one ["7"]', 'two ["9"]', 'three ["9"]']
    assert asked == ["Send user.list on two with these values?"] * 2
    assert await filled('["{{last.user.get#/id}}"]') == []
    assert asked[-1].startswith(
        "Nothing was sent: {{last.user.get#/id}} has no value: there is no result of user.get on "
    )
    assert len({text.split()[1] for text in await filled('["{{uuid}}"]')}) == 1
