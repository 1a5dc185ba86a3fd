"""Problems and hints in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from rpcexplorer.jsontext.params import Params, Typo, parse
from rpcexplorer.model.problem import MOST_TOLD, Changes, Checked, Hint, SchemaProblem, spelled
from rpcexplorer.model.profile import Profile
from rpcexplorer.patterns import regex
from rpcexplorer.text.exchange import WordLine
from rpcexplorer.text.printable import clipped, columns, printable

BREAK = regex(r"[\r\n]")
"""Nothing else ends a line of JSON, whatever it does elsewhere."""
WIDTH = 72
"""Columns of a long line that are shown around the place."""
MAX_SENTENCE_CHARACTERS: Final = 400
"""Characters of a sentence, as texts from schemas can be very long."""
TOLD: Final = 3
LONGEST_PATH: Final = 60


def marked(text: str, problem: Typo) -> str:
    """The line, a caret under the place, and the first line of the fix_all text where fixes come to one."""
    at = problem.column - 1
    line = BREAK.split(text[problem.offset - at :], maxsplit=1)[0]
    start = max(0, at - WIDTH // 2)
    before, after = printable(line[start:at]), printable(line[at : start + WIDTH])
    shown = [f"  {before}{after}", f"  {' ' * columns(before)}^"]
    if fixed := fix_all(problem):
        labels, whole = fixed
        first, more, _ = whole.strip().partition("\n")
        shown.append(f"  {', '.join(labels)}: {printable(first[: 2 * WIDTH])}{' …' if more else ''}")
    return "\n".join(shown)


def fix_all(problem: Typo) -> tuple[list[str], str] | None:
    """What can be sent after this fix and those of the problems that are left by it, with the name of each.

    One fix alone may leave a text that is still none: where nobody can take the next one with a key, it is no way out.
    """
    labels: list[str] = []
    read: Params | Typo = problem
    while isinstance(read, Typo):
        if read.fix is None:
            return None
        labels.append(read.fix.label)
        text = read.fix.text
        read = parse(text)
    return list(dict.fromkeys(labels)), text


def warning(problem: SchemaProblem, at: int = 0, count: int = 1, key: str = "") -> str:
    """One problem of params: its place, what it is, and which of all; ``key`` leads to the next."""
    further = f", {key} shows the next" if key else ""
    which = f" ({at + 1} of {count}{' or more' if count == MOST_TOLD else ''}{further})" if count > 1 else ""
    return f"line {problem.line}, column {problem.column}: {_sentence(problem)}.{which}"


def result_remark(problems: Sequence[SchemaProblem]) -> str:
    """The first problems of a result, and how many more there are; empty where there is none."""
    if not problems:
        return ""
    places = (f"at {path(problem.pointer)}: " if problem.pointer else "" for problem in problems)
    first, *others = (f"{place}{_sentence(problem)}" for place, problem in zip(places, problems[:TOLD], strict=False))
    at_least = "at least " if len(problems) == MOST_TOLD else ""
    more = f" ({at_least}{len(problems) - TOLD} more)" if len(problems) > TOLD else ""
    separator = " " if problems[0].pointer else ": "
    return "; ".join([f"does not match its schema{separator}{first}", *others]) + more


def unchecked_words(checked: Checked) -> str:
    """Why a text was not checked, or not all of it; empty where it was."""
    if not checked.why_not:
        return ""
    return f"{'only partly' if checked.in_part else 'not'} checked: {_cut(checked.why_not)}"


def path(pointer: Iterable[str | int]) -> str:
    told = "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in pointer)
    return printable(told if len(told) <= LONGEST_PATH else f"…{told[-LONGEST_PATH:]}")


def _sentence(problem: SchemaProblem) -> str:
    return _cut(problem.sentence).rstrip(".")


def _cut(sentence: str) -> str:
    most = MAX_SENTENCE_CHARACTERS
    return printable(sentence if len(sentence) <= most else f"{sentence[:most]} …")


ROOM = 60
NOT_SET = "not set"


def hint_line(hint: Hint, profile: str, key: str, test_key: str) -> WordLine:
    if hint.tests:
        return [
            (test_key, "bold accent"),
            (" tests the connection", "text"),
            (f"   {printable(hint.sentence)}", "middle"),
        ]
    if hint.changes:
        action = f" sets {_told(hint.changes)} in {profile} and resends"
    elif hint.secret:
        action = f" asks for the {hint.secret} of {profile} and resends"
    else:
        return [(printable(hint.sentence), "careful")]
    return [(key, "bold accent"), (printable(action), "text"), (f"   {printable(hint.sentence)}", "middle")]


def hint_told(hint: Hint) -> str:
    """Return the sentence of a hint, then each command on its own line."""
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
    """Return the value of a dotted key in a profile, or None."""
    first, _, rest = key.partition(".")
    if key == "auth.kind" and profile.assumes_auth:
        return None
    if first == "headers":
        return next((value for name, value in profile.headers if name.lower() == rest.lower()), None)
    value = getattr(profile, first, None)
    return getattr(value, rest, None) if rest else value


def value_words(value: Any) -> str:
    return NOT_SET if value is None or value == "" else clipped(printable(spelled(value)), ROOM)


def _told(changes: Changes) -> str:
    return " and ".join(f"{key} to {value_words(value)}" for key, value in changes)
