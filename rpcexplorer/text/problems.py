"""Problems and hints in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from rpcexplorer.jsontext.params import Params, Typo, parse
from rpcexplorer.jsontext.pointers import pointer_of
from rpcexplorer.model.problem import (
    MOST_PROBLEMS,
    Changes,
    Checked,
    Hint,
    SchemaProblem,
    capitalised,
    counted,
    spelled,
)
from rpcexplorer.model.profile import Profile
from rpcexplorer.patterns import regex
from rpcexplorer.text.printable import clipped, columns, printable
from rpcexplorer.text.wrapping import WordLine

BREAK = regex(r"[\r\n]")
"""The only characters that end a line of JSON."""
WIDTH = 72
"""Columns of a long line that are shown around the problem."""
MAX_SENTENCE_CHARACTERS: Final = 400
"""Characters of a sentence, as texts from schemas can be very long."""
MAX_SENTENCES: Final = 3
LONGEST_PATH: Final = 60


def marked(text: str, problem: Typo) -> str:
    """Return the line with a caret below the problem, then the fixed text.

    Only the first line of that text is included, and only if ``fix_all`` finds one.
    """
    at = problem.column - 1
    line = BREAK.split(text[problem.offset - at :], maxsplit=1)[0]
    start = max(0, at - WIDTH // 2)
    before, after = printable(line[start:at]), printable(line[at : start + WIDTH])
    shown = [f"  {before}{after}", f"  {' ' * columns(before)}^"]
    fixed = fix_all(problem)
    if fixed is not None:
        labels, whole = fixed
        first, more, _ = whole.strip().partition("\n")
        cut = " …" if more else ""
        shown.append(f"  {', '.join(labels)}: {printable(first[: 2 * WIDTH])}{cut}")
    return "\n".join(shown)


def fix_all(problem: Typo) -> tuple[list[str], str] | None:
    """Return the names of all fixes that are needed, and the fixed text.

    One fix can leave other problems, and the command line has no key for the next fix.
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
    """Describe one problem of params, with its place and number.

    ``key`` goes to the next problem.
    """
    words = f"line {problem.line}, column {problem.column}: {_sentence(problem)}."
    if count == 1:
        return words
    or_more = " or more" if count == MOST_PROBLEMS else ""
    following = f", next: {key}" if key else ""
    return f"{words} ({at + 1} of {count}{or_more}{following})"


def result_remark(problems: Sequence[SchemaProblem]) -> str:
    """Return the first problems of a result, and how many more there are."""
    if not problems:
        return ""
    sentences = ["the result does not match its schema."]
    for problem in problems[:MAX_SENTENCES]:
        place = f"at {path(problem.pointer)}: " if problem.pointer else ""
        sentences.append(capitalised(f"{place}{_sentence(problem)}."))
    if len(problems) > MAX_SENTENCES:
        more = counted(len(problems) - MAX_SENTENCES, "more problem")
        sentences.append(f"At least {more}." if len(problems) == MOST_PROBLEMS else f"{more}.")
    return " ".join(sentences)


def params_remarks(problems: Sequence[SchemaProblem]) -> list[str]:
    """Return the first problems of params, and how many more there are."""
    sentences = list(map(_sentence, problems[:MAX_SENTENCES]))
    if len(problems) > MAX_SENTENCES:
        sentences.append(f"the params have {counted(len(problems) - MAX_SENTENCES, 'more problem')}")
    return sentences


def unchecked_words(checked: Checked) -> str:
    """Return why a text was not checked, or only in part; empty if it was."""
    if not checked.why_not:
        return ""
    how = "only partly" if checked.in_part else "not"
    return f"{how} checked: {_cut(checked.why_not)}"


def path(pointer: Iterable[str | int]) -> str:
    """Return a JSON pointer, the end of a long one."""
    whole = pointer_of(pointer)
    if len(whole) > LONGEST_PATH:
        whole = f"…{whole[-LONGEST_PATH:]}"
    return printable(whole)


def _sentence(problem: SchemaProblem) -> str:
    return _cut(problem.sentence).rstrip(".")


def _cut(sentence: str) -> str:
    if len(sentence) > MAX_SENTENCE_CHARACTERS:
        sentence = f"{sentence[:MAX_SENTENCE_CHARACTERS]} …"
    return printable(sentence)


ROOM = 60
NOT_SET = "not set"


def hint_line(hint: Hint, profile: Profile, key: str, test_key: str) -> WordLine:
    sentence = printable(hint.sentence)
    if hint.tests:
        key, action = test_key, "test the connection"
    elif hint.changes:
        changes = " and ".join(f"{key} to {value_words(value)}" for key, value in hint.changes)
        where = "" if profile.ad_hoc else f" in {profile.name}"
        action = f"set {changes}{where} and resend"
    elif hint.secret:
        action = f"enter the {hint.secret} of {profile.shown_name} and resend"
    else:
        return [(sentence, "careful")]
    return [(key, "bold accent"), (f" {printable(action)}", "text"), (f"   {sentence}", "middle")]


def rows_of(
    profile: Profile, changes: Changes, written: Callable[[str], Any] = lambda _: None
) -> list[tuple[str, str]]:
    """Return each key with its old and new value; equal values only once.

    ``written`` returns values of a file that the profile has in another form, such as an answer.
    """
    rows = []
    for key, value in changes:
        old = value_at(profile, key)
        if old is None and not profile.ad_hoc:
            old = written(key)
        before, after = value_words(old), value_words(value)
        is_same = old == value or before == after == NOT_SET
        rows.append((key, f"{after} (unchanged)" if is_same else f"{before} → {after}"))
    return rows


def value_at(profile: Profile, key: str) -> Any:
    """Return the value of a dotted key in a profile, or None."""
    first, _, rest = key.partition(".")
    if key == "auth.kind" and profile.assumes_auth:
        return None
    if first == "headers":
        return next((value for name, value in profile.headers if name.lower() == rest.lower()), None)
    value = getattr(profile, first, None)
    if rest:
        value = getattr(value, rest, None)
    return value


def value_words(value: Any) -> str:
    return NOT_SET if value is None or value == "" else clipped(printable(spelled(value)), ROOM)
