"""A hint in words, and what its changes would put in the place of what: for a line, for a question, for a terminal."""

from __future__ import annotations

from typing import Any

from rpcexplorer.model.problem import Changes, Hint, spelled
from rpcexplorer.model.profile import Profile
from rpcexplorer.views.cells import clipped
from rpcexplorer.views.printable import printable
from rpcexplorer.views.words.sentences import WordLine

ROOM = 60
"""Columns of a value: nobody compares longer ones by eye."""
NOT_SET = "not set"


def hint_line(hint: Hint, profile: str, key: str, test_key: str) -> WordLine:
    """The key and what it does, then why; of a hint that changes nothing, what it says."""
    if hint.tests:
        return [(test_key, "bold accent"), (" finds out", "text"), (f"   {printable(hint.sentence)}", "middle")]
    if hint.changes:
        does = f" set {_told(hint.changes)} in {profile}, and send again"
    elif hint.secret:
        does = f" enter the {hint.secret} of {profile} again, and send again"
    else:
        return [(printable(hint.sentence), "careful")]
    return [(key, "bold accent"), (printable(does), "text"), (f"   {printable(hint.sentence)}", "middle")]


def hint_told(hint: Hint) -> str:
    """For a terminal: the sentence, then the commands, each on a line of its own."""
    return "\n".join([f"hint: {hint.sentence}", *hint.commands])


def rows_of(profile: Profile, changes: Changes) -> list[tuple[str, str]]:
    """Return each key with its old and its new value; with one of them if they are equal."""
    rows = []
    for key, value in changes:
        old = value_at(profile, key)
        same = old == value or value_words(old) == value_words(value) == NOT_SET
        rows.append(
            (key, f"{value_words(value)} (unchanged)" if same else f"{value_words(old)} → {value_words(value)}")
        )
    return rows


def value_at(profile: Profile, key: str) -> Any:
    """What a profile says at a dotted key; None where it says nothing, or has no such key."""
    first, _, rest = key.partition(".")
    if key == "auth.kind" and profile.assumes_auth:
        return None
    if first == "headers":
        return next((value for name, value in profile.headers if name.lower() == rest.lower()), None)
    value = getattr(profile, first, None)
    return getattr(value, rest, None) if rest else value


def value_words(value: Any) -> str:
    """A value as it is typed, short enough for a line."""
    return NOT_SET if value is None or value == "" else clipped(printable(spelled(value)), ROOM)


def _told(changes: Changes) -> str:
    return " and ".join(f"{key} to {value_words(value)}" for key, value in changes)
