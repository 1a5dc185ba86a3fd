"""What a refresh has found is told by a sign and a word, and nothing in it is obeyed by a terminal."""

from __future__ import annotations

from datetime import UTC, datetime

from rpcexplorer.discovery.changes import MethodChange, MethodChanges
from rpcexplorer.text.docs import change_lines, changes_counted, changes_found

CHANGES = (
    MethodChange("a", "new"),
    MethodChange("b\u202e", "gone"),
    MethodChange("c", "changed", ("param “since” is new", "doc \x1b[2J")),
    MethodChange("d", "changed", ("deprecated now",)),
)


def test_they_are_counted_by_kind_and_told_one_by_one() -> None:
    assert changes_counted(CHANGES) == "1 new, 1 gone, 2 changed"
    lines = ["".join(text for text, _ in line) for change in CHANGES for line in change_lines(change)]
    assert lines == [
        " + a  new",
        " - b\\u202e  gone",
        " ~ c  changed",
        "     param “since” is new",
        "     doc ␛[2J",
        " ~ d  changed",
        "     deprecated now",
    ]
    assert changes_counted(()) == ""
    when = datetime(2026, 11, 2, 9, 30, tzinfo=UTC)
    assert changes_found(MethodChanges(when, when, CHANGES, more=3)).endswith(" 3 more are not kept.")
    assert changes_found(MethodChanges(when, when, CHANGES)).endswith("at 09:30.")
