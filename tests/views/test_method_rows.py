"""What stands in the method picker, in which order, under which heading."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.model.method import Method
from rpcexplorer.tui.call.methods import Heading, MethodListRow, MethodRow, MethodRows, TypedRow, group_of, name_of

NAMES = ("user.get", "user.list", "ping", "session.usage", "arg_test", "report.run", "report.list")


def catalogue(*names: str) -> dict[str, Method]:
    return {name: Method(name) for name in names}


def told(rows: MethodRows, typed: str = "") -> list[str]:
    """Names as they are, headings in brackets, a typed name in quotes."""
    return [_told(row) for row in rows.listed(typed).rows]


def _told(row: MethodListRow) -> str:
    match row:
        case Heading(words=words):
            return f"[{words}]"
        case TypedRow(name=name):
            return f'"{name}"'
    return name_of(row)


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("user.get", "user"),
        ("user.profile.get", "user"),
        ("users/list", "users"),
        ("system:reboot", "system"),
        ("arg_test", "arg"),
        ("user_admin.get_all", "user_admin"),
        ("ping", ""),
        ("", ""),
        (".get", ""),
        ("user.", ""),
        ("_", ""),
    ],
)
def test_a_group_is_what_stands_before_the_first_separator(name: str, group: str) -> None:
    assert group_of(name) == group


def test_methods_stand_in_groups_and_those_that_stand_alone_come_first() -> None:
    assert told(MethodRows(catalogue(*NAMES))) == [
        "arg_test", "ping", "session.usage",
        "[report]", "report.list", "report.run",
        "[user]", "user.get", "user.list",
    ]  # fmt: skip


def test_pinned_methods_come_first_in_the_order_they_were_pinned_and_only_there() -> None:
    rows = told(MethodRows(catalogue(*NAMES), pinned=["user.list", "ping", "user.list"]))
    assert rows[:4] == ["[pinned]", "user.list", "ping", "[]"]
    assert (rows.count("user.list"), rows.count("ping")) == (1, 1)


def test_a_group_keeps_its_heading_when_all_but_one_of_it_are_pinned() -> None:
    assert told(MethodRows(catalogue("user.get", "user.list"), pinned=["user.get"])) == [
        "[pinned]", "user.get", "[user]", "user.list",
    ]  # fmt: skip


def test_a_pinned_method_that_nobody_knows_any_more_is_still_there() -> None:
    rows = MethodRows({}, pinned=["gone.now"])
    assert told(rows) == ["[pinned]", "gone.now"]
    assert len(rows) == 1


def test_methods_called_lately_are_known_as_such_and_pinned_ones_as_pinned() -> None:
    rows = MethodRows(catalogue("a", "b", "c"), pinned=["b"], recent=["a", "b", "elsewhere"]).listed("").rows
    assert {row.method.name: row.standing for row in rows if isinstance(row, MethodRow)} == {
        "a": "recent", "b": "pinned", "c": "plain",
    }  # fmt: skip


def test_no_methods_are_no_rows() -> None:
    assert told(MethodRows({})) == []


def test_what_is_typed_finds_methods_best_first_with_the_places_of_its_letters() -> None:
    listed = MethodRows(catalogue(*NAMES)).listed("us")
    first = listed.rows[0]
    assert isinstance(first, MethodRow)
    assert (first.method.name, tuple(first.positions)) == ("user.get", (0, 1))
    assert [name_of(row) for row in listed.rows[:3]] == ["user.get", "user.list", "session.usage"]


def test_the_name_as_typed_is_offered_last() -> None:
    listed = MethodRows(catalogue(*NAMES)).listed(" user ")
    assert listed.rows[-1] == TypedRow("user")
    assert listed.count == len(listed.rows) - 1


def test_a_known_name_typed_in_full_is_the_first_and_is_not_offered_twice() -> None:
    rows = told(MethodRows(catalogue("ping.pong", "ping", "a.ping"), pinned=["a.ping"]), "ping")
    assert rows[0] == "ping"
    assert '"ping"' not in rows


def test_where_nothing_matches_the_name_can_be_called_all_the_same() -> None:
    listed = MethodRows(catalogue(*NAMES)).listed("qqq")
    assert list(listed.rows) == [Heading("nothing matches"), TypedRow("qqq")]
    assert listed.count == 0


@pytest.mark.parametrize("ahead", ["x.c", "x.b"])
def test_among_equal_matches_pinned_and_recent_ones_come_first(ahead: str) -> None:
    names = catalogue("x.a", "x.b", "x.c")
    assert told(MethodRows(names, recent=[ahead]), "x")[0] == ahead
    assert told(MethodRows(names, pinned=[ahead], recent=["x.a"]), "x")[:2] == [ahead, "x.a"]


def test_a_better_match_stays_ahead_of_a_pinned_one() -> None:
    assert told(MethodRows(catalogue("user.get", "session.usage"), pinned=["session.usage"]), "us")[0] == "user.get"


@pytest.mark.parametrize("typed", ["", "u", "user.li"])
def test_each_row_is_found_by_its_name_and_an_unknown_name_at_the_top(typed: str) -> None:
    listed = MethodRows(catalogue(*NAMES), pinned=["ping"]).listed(typed)
    assert [name_of(row) for row in listed.rows] == list(listed.names)
    assert name_of(listed.rows[listed.place("user.list")]) == "user.list"
    assert listed.place("nobody.knows") == listed.place("") == 0


def test_rows_found_are_a_sequence_like_any_other() -> None:
    rows = MethodRows(catalogue("aa", "ab", "ac")).listed("a").rows
    assert [name_of(row) for row in rows] == ["aa", "ab", "ac", "a"]
    assert [name_of(row) for row in rows[1:3]] == ["ab", "ac"]
    assert name_of(rows[-2]) == "ac"
    assert name_of(rows[1:][-1]) == "a"
    with pytest.raises(IndexError):
        rows[4]


@given(st.sets(st.text(max_size=6), max_size=20), st.lists(st.text(max_size=6), max_size=3), st.text(max_size=4))
def test_every_method_stands_in_the_list_once_and_any_name_can_be_taken(
    names: set[str], pinned: list[str], typed: str
) -> None:
    rows = MethodRows(catalogue(*names), pinned=pinned)
    everything = [name_of(row) for row in rows.listed("").rows if isinstance(row, MethodRow)]
    assert sorted(everything) == sorted(names | set(pinned))
    if name := typed.strip():
        assert name in {name_of(row) for row in rows.listed(typed).rows}
