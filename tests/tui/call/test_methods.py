"""The methods pane: filter, method list, recent calls."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.widgets import Input

from rpcexplorer.auth.token import CookieAuth
from rpcexplorer.history.statistics import UsualTimes
from rpcexplorer.model.exchange import Cancelled, Sent
from rpcexplorer.model.method import Method, SavedMethod
from rpcexplorer.model.profile import Profile
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.tui.call.methods import (
    GroupRow,
    MethodList,
    MethodRow,
    MethodRows,
    MethodsPane,
    RecentList,
    Remark,
    TypedRow,
    group_of,
    name_of,
)
from rpcexplorer.tui.widgets.bars import Bar
from tests.text.exchanges import WHEN, exchange
from tests.tui.stage import FakeState, Staged, staged, text_of

METHODS = {
    method.name: method
    for method in (
        Method("arg_test", "Takes the credentials as params", None, "inline", True),
        Method("auth", "Opens a session", None, "none", True),
        Method("session.usage", "How much was used", None, "cookie"),
        Method("user.create", "Creates a user", None, "cookie", False),
        Method("user.get", "Reads one user", None, "cookie", True),
        Method("user.list", "Lists users, newest first", None, "cookie", True),
    )
}


@asynccontextmanager
async def choosing(
    *, size: tuple[int, int] = (32, 24), methods: dict[str, Method] = METHODS
) -> AsyncIterator[tuple[MethodsPane, Staged]]:
    """Show a pane that has the focus in its filter."""
    pane = MethodsPane(FakeState())
    pane.methods = methods
    async with staged(pane, size=size) as program:
        pane.focus_filter()
        await program.pause()
        yield pane, program


def shown(pane: MethodsPane) -> list[str]:
    return text_of(pane.query_one(MethodList)).split("\n")


def bars(pane: MethodsPane) -> list[str]:
    """Return the visible bars: title, current method, title of recent calls."""
    return [text_of(bar) for bar in pane.query(Bar) if bar.display]


def lit(pane: MethodsPane) -> str:
    """Return the method or group under the cursor."""
    row: Any = pane.query_one(MethodList).chosen
    return row.name if isinstance(row, GroupRow) else row.method.name


def names(messages: Sequence[Any]) -> list[str]:
    return [message.name for message in messages]


async def test_methods_are_grouped_with_auth_and_unsafe_sign() -> None:
    async with choosing() as (pane, program):
        assert shown(pane) == [
            "   arg_test              inline",
            "   auth",
            "   session.usage         cookie",
            " ▾ user                       3",
            "     create           cookie  !",
            "     get                 cookie",
            "     list                cookie",
        ]
        pane.profile = Profile("shop", "http://127.0.0.1", auth=CookieAuth())
        await program.pause()
        assert shown(pane)[4:] == ["     create                   !", "     get", "     list"]
        assert bars(pane)[0] == "▌Methods                  6  F2"


async def test_pinned_current_and_recent_methods_have_their_marks() -> None:
    async with choosing() as (pane, program):
        pane.pinned = ["user.list"]
        pane.recent = [exchange(Result(b"1"), method=method) for method in ("auth", "user.list", "elsewhere")]
        pane.current = "user.get"
        await program.pause()
        lines = shown(pane)
        assert lines[0] == " ★ user.list             cookie"
        assert " · auth" in lines
        assert "▌    get                 cookie" in lines


SHOP = {
    name: Method(name)
    for name in ["ping", "shop.cart.add", *(f"shop.item.{word}" for word in ("get", "list", "put")), "shop.a", "shop.b"]
}


async def test_groups_of_a_long_list_are_folded() -> None:
    async with choosing(size=(32, 12), methods=SHOP) as (pane, program):
        folded = ["   ping", " ▸ shop                       3", " ▸ shop.item                  3"]
        assert shown(pane) == folded
        await program.press("down", "enter")
        opened = ["   ping", " ▾ shop                       3", "     a", "     b", "     cart.add", folded[2]]
        assert shown(pane) == opened
        await program.press("right", "down", "down")
        assert lit(pane) == "shop.cart.add"
        await program.press("left", "left")
        assert shown(pane) == folded
        await program.press("down", "right")
        assert shown(pane)[3:] == ["     get", "     list", "     put"]
        assert program.of(MethodsPane.MethodChosen) == []
        await program.press("down", "enter")
        assert names(program.of(MethodsPane.MethodChosen)) == ["shop.item.get"]


async def test_group_of_the_edited_method_is_open() -> None:
    async with choosing(size=(32, 12), methods=SHOP) as (pane, program):
        pane.current = "shop.item.list"
        await program.pause()
        assert shown(pane)[2:] == [" ▾ shop.item                  3", "     get", "▌    list", "     put"]
        await program.press("left", "left")
        assert shown(pane)[2:] == ["▌▸ shop.item                  3"]
        await program.press(*"put", "escape")
        assert lit(pane) == "shop.item"


async def test_filter_finds_methods_of_folded_groups() -> None:
    async with choosing(size=(32, 12), methods=SHOP) as (pane, program):
        await program.press(*"add", "left", "left", *"x", "backspace")
        assert shown(pane)[0] == "   shop.cart.add"
        assert pane.typed == "add"


async def test_list_is_folded_when_the_terminal_gets_low() -> None:
    async with choosing(size=(32, 30), methods=SHOP) as (pane, program):
        assert len(shown(pane)) == len(SHOP) + 2
        await program.press("down", "down")
        assert lit(pane) == "shop.a"
        await program.resize_terminal(32, 12)
        await program.until(lambda: len(shown(pane)) == 3)
        assert lit(pane) == "shop"


async def test_saved_call_has_its_sign_before_its_name() -> None:
    methods = {"@one.user": SavedMethod("@one.user", calls="user.get"), "user.get": Method("user.get")}

    async with choosing(methods=methods) as (pane, program):
        assert shown(pane) == [" @ one.user", "   user.get"]
        pane.pinned = ["@one.user"]
        await program.pause()
        assert shown(pane) == [" ★ @one.user", "   user.get"]


async def test_wide_list_has_summaries_and_words_for_signs() -> None:
    async with choosing(size=(57, 24)) as (pane, _):
        assert shown(pane)[4:6] == [
            "     create       Creates a user        cookie  ! unsafe",
            "     get          Reads one user                  cookie",
        ]
        assert len(bars(pane)) == 1


async def test_summaries_take_the_room_of_words_and_auth() -> None:
    methods = {
        name: Method(name, "Says in a few more words what it does", None, auth, safe)
        for name, auth, safe in (("a", "", True), ("b", "cookie", True), ("c", "cookie", False))
    }

    async with choosing(size=(51, 24), methods=methods) as (pane, _):
        assert shown(pane) == [
            "   a  Says in a few more words what it does",
            "   b  Says in a few more words what it do…  cookie",
            "   c  Says in a few more words what it…  cookie  !",
        ]


@pytest.mark.thorough
async def test_narrow_list_describes_current_row_in_a_line() -> None:
    async with choosing() as (pane, program):
        assert bars(pane)[1] == "   Takes the credentials as pa…"
        await program.press("down", "down", "down")
        assert (lit(pane), bars(pane)[1]) == ("user", "   3 methods")
        await program.press("down")
        assert (lit(pane), bars(pane)[1]) == ("user.create", " ! unsafe  Creates a user")


async def test_each_letter_filters_with_best_match_under_cursor() -> None:
    async with choosing() as (pane, program):
        await program.press("down", "down", "u", "s")
        assert pane.typed == "us"
        assert [line.split()[0] for line in shown(pane)] == [
            "user.get", "user.list", "user.create", "session.usage", "call",
        ]  # fmt: skip
        assert lit(pane) == "user.get"
        assert bars(pane)[0].split()[1:] == ["4", "of", "6", "F2"]


async def test_any_name_can_be_called() -> None:
    async with choosing() as (pane, program):
        await program.press(*"qq", "full_stop", *"x")
        assert shown(pane) == [" no matches", '   call "qq.x"            Enter']
        assert "F9" in bars(pane)[1]
        await program.press("enter")
        assert names(program.of(MethodsPane.MethodChosen)) == ["qq.x"]
        pane.methods = {"a": Method("a", source="discovered")}
        await program.press(*"qq")
        assert bars(pane)[1].startswith("   Not in the list. You ca")


async def test_escape_clears_the_filter_first() -> None:
    async with choosing() as (pane, program):
        pane.current = "user.get"
        await program.press("u", "escape")
        assert (pane.typed, pane.query_one(Input).value) == ("", "")
        assert lit(pane) == "user.get"
        assert pane.check_action("clear", ()) is False


@pytest.mark.thorough
async def test_click_chooses_a_method_and_keeps_the_focus() -> None:
    async with choosing() as (pane, program):
        await program.click(MethodList, offset=(5, 3))
        assert program.of(MethodsPane.MethodChosen) == []
        await program.click(MethodList, offset=(5, 3))
        await program.click(MethodList, offset=(5, 5))
        assert names(program.of(MethodsPane.MethodChosen)) == ["user.get"]
        assert program.app.focused is pane.query_one(Input)


@pytest.mark.thorough
async def test_cursor_stays_on_its_method_after_discovery() -> None:
    async with choosing() as (pane, program):
        await program.press(*["down"] * 5)
        assert lit(pane) == "user.get"
        pane.methods = {**METHODS, "account.get": Method("account.get"), "user.archive": Method("user.archive")}
        await program.pause()
        assert lit(pane) == "user.get"


async def test_cursor_follows_the_method_in_the_editor() -> None:
    async with choosing() as (pane, program):
        pane.current = "user.list"
        await program.pause()
        assert lit(pane) == "user.list"
        await program.press("up", *"us")
        assert lit(pane) == "user.get"
        pane.current = "user.create"
        await program.pause()
        assert (lit(pane), pane.typed) == ("user.create", "us")


@pytest.mark.thorough
async def test_tab_leads_from_filter_to_recent_calls() -> None:
    async with choosing() as (pane, program):
        pane.recent = [exchange(Result(b"1"))]
        await program.press("tab")
        assert isinstance(program.app.focused, RecentList)
        assert [bar[0] for bar in bars(pane)] == [" ", " ", "▌"]
        assert pane.check_action("pin", ()) is False
        await program.press("shift+tab")
        assert [bar[0] for bar in bars(pane)] == ["▌", " ", " "]


@pytest.mark.thorough
@pytest.mark.parametrize(("height", "calls"), [(10, 0), (22, 4), (60, 17)])
async def test_recent_calls_use_the_room_below_methods(height: int, calls: int) -> None:
    async with choosing(size=(32, height)) as (pane, program):
        pane.recent = [exchange(Result(b"1"), id=str(at)) for at in range(20)]
        await program.pause()
        recent = pane.query_one(RecentList)
        assert len(recent.items) == calls
        assert recent.display is bool(calls)
        assert not calls or recent.size.height == calls
        assert pane.query_one(MethodList).size.height >= 7


async def test_list_without_methods_names_the_next_step() -> None:
    async with choosing(methods={}) as (pane, _):
        assert shown(pane) == [
            "   No methods yet.", "   Press F9 to discover them.", "   Or type a name and press", "   Enter.",
        ]  # fmt: skip
        assert pane.check_action("pin", ()) is False


@pytest.mark.thorough
@pytest.mark.parametrize("width", [24, 49, 50, 200])
async def test_rows_fit_the_width_with_whole_signs(width: int) -> None:
    odd = (
        "organization.member.invitation.create.and.send.again.and.again",
        "漢字漢字漢字漢字漢字漢字漢字.漢字",
        "n" * 99,
    )
    methods = {name: Method(name, "doc " * 99, None, "cookie", False) for name in odd}

    async with choosing(size=(width, 24), methods=methods) as (pane, _):
        rows = pane.query_one(MethodList)
        for at in range(len(odd)):
            strip = rows.render_line(at)
            assert strip.cell_length == width
            assert "!" in strip.text
            assert strip.text.rstrip().endswith("cookie  !")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("organization.member.invitation.create", "   …ber.invitation.create  !"),
        ("organizationmemberinvitationcreate", "   organizationmemberinv…  !"),
        ("\u202e" * 9, "   \\u202e\\u202e\\u202e…     !"),
    ],
)
async def test_long_name_is_cut_in_its_group_first(name: str, row: str) -> None:
    async with choosing(size=(29, 24), methods={name: Method(name, safe=False)}) as (pane, _):
        assert shown(pane) == [row]


async def test_hostile_names_and_docs_are_shown_escaped() -> None:
    name = "\x1b]52;c;x\x07.[bold]\u202e"

    async with choosing(methods={name: Method(name, "[/]\x1b[c")}) as (pane, program):
        assert shown(pane) == ["   ␛]52;c;x␇.[bold]\\u202e"]
        assert bars(pane)[1] == "   [/]␛[c"
        await program.press("enter")
        assert names(program.of(MethodsPane.MethodChosen)) == [name]


@pytest.mark.thorough
async def test_ten_thousand_methods_are_drawn_only_as_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    methods = {name: Method(name) for name in (f"group{at % 100}.method{at}" for at in range(10_000))}
    drawn: list[object] = []
    draw = MethodList.draw

    def counted(self: MethodList, item: Any, *given: Any, **named: Any) -> Any:
        drawn.append(item)
        return draw(self, item, *given, **named)

    async with choosing(methods=methods) as (pane, program):
        monkeypatch.setattr(MethodList, "draw", counted)
        await program.press(*"m9999")
        assert lit(pane) == "group99.method9999"
        assert len(drawn) < 1000


async def test_letters_of_the_filter_are_underlined() -> None:
    async with choosing() as (pane, program):
        await program.press("u", "g")
        strip = pane.query_one(MethodList).render_line(0)
        underlined = [piece.text for piece in strip if piece.style and piece.style.underline]
        assert (lit(pane), underlined) == ("user.get", ["u", "g"])


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("user.get", "user"),
        ("mail.template.get", "mail.template"),
        ("a_b_c.d_e", "a_b_c"),
        ("one_two_three", "one"),
        ("@user.get", ""),
        ("users/list", "users"),
        ("system:reboot", "system"),
        ("arg_test", "arg"),
        ("ping", ""),
        (".get", ""),
        ("_", ""),
    ],
)
def test_group_is_the_text_before_the_last_separator(name: str, group: str) -> None:
    assert group_of(name) == group


def rows_of(names: Iterable[str], pinned: Sequence[str] = (), recent: Sequence[str] = ()) -> MethodRows:
    return MethodRows({name: Method(name) for name in names}, pinned, recent)


def listed(rows: MethodRows, typed: str) -> str:
    """Return the names, groups in brackets, a typed name in quotes."""
    words = []
    for row in rows.listed(typed):
        match row:
            case GroupRow(name=group) | Remark(words=group):
                words.append(f"[{group}]")
            case TypedRow(name=name):
                words.append(f'"{name}"')
            case _:
                words.append(name_of(row))
    return " ".join(words)


@pytest.mark.parametrize(
    ("names", "pinned", "recent", "typed", "rows"),
    [
        ("user.list user.get ping", "ping user.list ping", "", "", "ping user.list [user] user.get"),
        ("", "gone.now", "", "", "gone.now"),
        ("user.get ping session.usage user.list", "", "", "us", 'user.get user.list session.usage "us"'),
        ("user.get user.list", "", "", " user ", 'user.get user.list "user"'),
        ("ping.pong ping a.ping", "a.ping", "", "ping", "ping ping.pong a.ping"),
        ("x.a x.b x.c", "", "x.c", "x", 'x.c x.a x.b "x"'),
        ("x.a x.b x.c", "x.c", "x.a", "x", 'x.c x.a x.b "x"'),
        ("user.get session.usage", "session.usage", "", "us", 'user.get session.usage "us"'),
    ],
)
def test_rows_are_in_order(names: str, pinned: str, recent: str, typed: str, rows: str) -> None:
    assert listed(rows_of(names.split(), pinned.split(), recent.split()), typed) == rows


@given(st.sets(st.text(max_size=6), max_size=20), st.lists(st.text(max_size=6), max_size=3), st.text(max_size=4))
def test_every_method_is_listed_once(names: set[str], pinned: list[str], typed: str) -> None:
    rows = rows_of(names, pinned)
    everything = [name_of(row) for row in rows.listed("") if isinstance(row, MethodRow)]
    assert sorted(everything) == sorted(names | set(pinned))
    if name := typed.strip():
        assert name in {name_of(row) for row in rows.listed(typed)}


CALLS = [
    exchange(Result(b"1"), id="c", method="user.list"),
    exchange(ErrorObject(-32602, "Invalid params", None, b""), id="b", when=WHEN - timedelta(minutes=1)),
    exchange(Cancelled(), id="a", method="report.run", when=WHEN - timedelta(minutes=9)),
]


@asynccontextmanager
async def recalling() -> AsyncIterator[tuple[MethodsPane, Staged]]:
    """Show a pane whose recent calls have the focus."""
    pane = MethodsPane(FakeState())
    pane.recent = CALLS
    async with staged(pane, size=(32, 24)) as program:
        pane.query_one(RecentList).focus()
        await program.pause()
        yield pane, program


def calls_shown(pane: MethodsPane) -> list[str]:
    return text_of(pane.query_one(RecentList)).split("\n")


async def test_call_row_has_sign_method_params_and_outcome() -> None:
    async with recalling() as (pane, program):
        assert calls_shown(pane) == [
            " ✓ user.list   id 42      34 ms",
            " ✗ user.get    id 42     -32602",
            " ◌ report.run  id 42  cancelled",
        ]
        await program.resize_terminal(46, 24)
        await program.until(lambda: calls_shown(pane)[2] == " ◌ report.run  id 42         cancelled  10:31")


async def test_narrow_call_row_keeps_values_of_params_and_the_end_of_the_method() -> None:
    async with recalling() as (pane, program):
        pane.recent = [exchange(Result(b"1"), method="demo.orders.find", params='{"customer": 12, "limit": 6}')]
        await program.until(lambda: calls_shown(pane)[0].split() == ["✓", "…orders.find", "12", "6", "34", "ms"])
        await program.resize_terminal(70, 24)
        await program.until(lambda: "✓ demo.orders.find  customer 12 limit 6  " in calls_shown(pane)[0])


async def test_enter_and_a_click_recall_a_call() -> None:
    async with recalling() as (_, program):
        await program.press("down", "enter")
        await program.click(RecentList, offset=(5, 2))
        recalled = program.of(RecentList.Recalled)
        assert [(message.exchange, message.resend) for message in recalled] == [(CALLS[1], False), (CALLS[2], False)]
        assert program.of(MethodsPane.MethodChosen) == []


@pytest.mark.thorough
async def test_cursor_stays_on_its_call_after_newer_ones() -> None:
    async with recalling() as (pane, program):
        await program.press("down", "f5")
        pane.recent = [exchange(Sent(), id="d"), *CALLS]
        await program.press("f5")
        again = [(message.exchange, message.resend) for message in program.of(RecentList.Recalled)]
        assert again == [(CALLS[1], True), (CALLS[1], True)]


async def test_hostile_method_name_is_shown_and_does_nothing() -> None:
    async with recalling() as (pane, program):
        pane.recent = [exchange(Result(b"1"), method="\x1b[2J[b]" + "漢" * 99)]
        await program.pause()
        strip = pane.query_one(RecentList).render_line(0)
        assert strip.cell_length == 32
        assert strip.text.startswith(" ✓ ␛[2J[b]漢")
        assert strip.text.endswith("…  42   34 ms ")


def times_of(**durations: Sequence[float]) -> UsualTimes:
    """Return the durations of results of the profile staging, by method."""
    times = UsualTimes()
    for name, all_seconds in durations.items():
        for seconds in all_seconds:
            times.add(exchange(Result(b"1"), method=name.replace("_", "."), seconds=seconds))
    return times


def first_row(pane: MethodsPane) -> list[str]:
    return text_of(pane.query_one(MethodList)).split("\n")[0].split()


async def test_method_at_the_cursor_has_its_last_durations() -> None:
    async with choosing(size=(40, 24)) as (pane, program):
        pane.profile = Profile("staging", "https://a.example")
        pane.times = times_of(user_get=[0.02, 0.02, 0.04, 0.16], user_list=[0.1])
        await program.press(*"get")
        assert first_row(pane) == ["user.get", "▂▂▄█", "20", "ms", "cookie"]
        pane.times.add(exchange(Result(b"1"), method="user.get", seconds=0.02))
        pane.recent = [exchange(Result(b"1"), method="user.get")]
        await program.pause()
        assert first_row(pane) == ["·", "user.get", "▂▂▄█▂", "20", "ms", "cookie"]
        await program.press("backspace", "backspace", "backspace", *"list")
        assert "ms" not in text_of(pane.query_one(MethodList))


async def test_long_name_leaves_no_room_for_durations() -> None:
    name = "a.name.of.many.words"
    async with choosing(methods={name: Method(name)}) as (pane, program):
        pane.profile = Profile("staging", "https://a.example")
        pane.times = times_of(a_name_of_many_words=[0.02, 0.02, 0.02])
        await program.press(*"many")
        assert first_row(pane) == [name]


async def test_wide_recent_calls_have_the_last_durations() -> None:
    pane = MethodsPane(FakeState())
    pane.times = times_of(user_get=[0.02, 0.02, 0.04])
    pane.recent = [exchange(Result(b"1"), method=method) for method in ("user.get", "user.list")]
    async with staged(pane, size=(60, 24)):
        first, second = [line.split() for line in text_of(pane.query_one(RecentList)).split("\n")]
        assert first[1:7] == ["user.get", "id", "42", "34", "ms", "▂▂▄"]
        assert second[1:5] == ["user.list", "id", "42", "34"]
