"""What a refresh has found is told by a sign and a word, and nothing in it is obeyed by a terminal."""

from __future__ import annotations

from datetime import UTC, datetime

from rpcexplorer.model.methods.changes import MethodChange, MethodChanges
from rpcexplorer.views.documentation.changes import changes_counted, changes_lines

CHANGES = (
    MethodChange("a", "new"),
    MethodChange("b\u202e", "gone"),
    MethodChange("c", "changed", ("param “since” is new", "doc \x1b[2J")),
    MethodChange("d", "changed", ("deprecated now",)),
)


def test_they_are_counted_by_kind_and_told_one_by_one() -> None:
    assert changes_counted(CHANGES) == "1 new, 1 gone, 2 changed"
    when = datetime(2026, 11, 2, 9, 30, tzinfo=UTC)
    lines = ["".join(text for text, _ in line) for line in changes_lines(MethodChanges(when, when, CHANGES, more=3))]
    assert lines[2:] == [
        "  + a  new",
        "  - b\\u202e  gone",
        "  ~ c  changed",
        "      param “since” is new",
        "      doc ␛[2J",
        "  ~ d  changed",
        "      deprecated now",
        "",
        "  3 more are not kept.",
    ]
    assert changes_counted(()) == ""
