"""Copying and saving a call or its response."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final

from msgspec import Struct
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Static

from rpcexplorer.explorer import Explorer
from rpcexplorer.export.formats import FORMS, count_replaced, head, marks, render, replaced_words
from rpcexplorer.export.report import of_two
from rpcexplorer.export.request import Subject, profile_of, record_of, subject_of
from rpcexplorer.model.draft import Batch, Draft, draft_of
from rpcexplorer.model.exchange import CASE_ENDING, Exchange, Refused
from rpcexplorer.model.problem import capitalised
from rpcexplorer.model.profile import Profile
from rpcexplorer.rpc.messages import Result
from rpcexplorer.text.exchange import size
from rpcexplorer.text.printable import printable, printable_bytes
from rpcexplorer.tui.call.body import Body
from rpcexplorer.tui.processes import copy
from rpcexplorer.tui.widgets.dialog import Ask, Choice, Confirm, keys
from rpcexplorer.tui.widgets.picker import Pick, Picker

ALONE: Final = "Secrets are redacted. Only you can read a new file."
WORDS: Final = "The response as the server sent it, secrets redacted. Only you can read a new file."
MADE: Final = "the filtered response"
MADE_WORDS: Final = "The output of the filter or command, secrets redacted. Only you can read a new file."
CASE_WORDS: Final = (
    "Secrets are removed. All other params and responses are in the file: check it before you share it. "
    "To open it, run rpcexplorer FILE."
)
NOTE: Final = "Note for the receiver"
NOTE_WORDS: Final = "Optional. Describe the problem: the receiver sees this note first."
LONGEST: Final = 60
"""Characters of a method name in a file name."""


async def saved(screen: Screen[Any], explorer: Explorer, exchange: Exchange, body: Body) -> None:
    """Save the shown response to a file."""
    what, content = _on_view(exchange, body)
    name = file_name(exchange.method, ".txt" if what == MADE else ".json")
    content = await asyncio.to_thread(explorer.redactor().body, content)
    await put_in_file(screen, explorer, what, content, name, words=MADE_WORDS if what == MADE else WORDS)


async def case_saved(screen: Screen[Any], explorer: Explorer, records: Sequence[Exchange]) -> None:
    """Export recorded calls to a case, with an optional note."""
    note: str | None = await screen.app.push_screen_wait(Ask(NOTE, words=NOTE_WORDS, done="next"))
    if note is None:
        return
    made = await asyncio.to_thread(partial(explorer.cases.made_of, records, note=note.strip()))
    if isinstance(made, str) or made.too_much:
        why_not = made if isinstance(made, str) else f"{made.too_much}. No case was exported."
        screen.notify(why_not, severity="warning", timeout=10)
        return
    methods = {each.method for each in records}
    name = file_name(methods.pop() if len(methods) == 1 else "calls", CASE_ENDING)
    what = f"a case of {len(records)} calls" if len(records) > 1 else "a case of the call"
    content = made.text.encode(errors="backslashreplace")
    await put_in_file(screen, explorer, what, content, name, words=CASE_WORDS)


async def put_in_file(
    screen: Screen[Any],
    explorer: Explorer,
    what: str,
    content: bytes,
    name: str,
    *,
    words: str = ALONE,
    also: str = "",
) -> None:
    """Ask for a file until the content is saved or the user cancels.

    The typed path stays in the line. ``also`` is added to the notice.
    """
    typed = name
    while True:
        path: str | None = await screen.app.push_screen_wait(
            Ask(f"Save {what} in", value=typed, words=words, done="save")
        )
        if path is None or not path.strip():
            return
        typed = path
        file, there = await asyncio.to_thread(_file, path.strip(), name)
        if there and not await _may_replace(screen, file):
            continue
        problem = await asyncio.to_thread(explorer.save_reply, file, content, replacing=there)
        if not problem:
            told = ", ".join(filter(None, (what, size(len(content)), also)))
            screen.notify(f"Saved {told}, in {file}.", timeout=8)
            return
        words = f"✗ {capitalised(problem)}."


def _on_view(exchange: Exchange, body: Body) -> tuple[str, bytes]:
    """Return a name for the text on view, and the text.

    A result ends with a line break, as in a pipe.
    """
    if body.tab == "Raw":
        return "the whole response", bytes(body.shown)
    if body.made is not None:
        return MADE, body.made
    if isinstance(exchange.outcome, Result):
        return "the result", bytes(body.shown) + b"\n"
    return "the response", bytes(body.shown)


def file_name(method: str, ending: str) -> str:
    """Return a file name that is valid on all systems."""
    name = re.sub(r"[^\w.-]+", "-", method).strip("-.")[:LONGEST] or "response"
    return name + ending


def _file(path: str, name: str) -> tuple[Path, bool]:
    """Return the file, and whether it exists; in a folder, use ``name``."""
    file = Path(os.path.expanduser(path)).absolute()  # noqa: PTH111 - Path's own raises without a home
    if os.path.isdir(file):  # noqa: PTH112 - a name that is none is no folder either, and raises nothing
        file /= name
    return file, os.path.lexists(file)


async def _may_replace(screen: Screen[Any], file: Path) -> bool:
    choices = [Choice("cancel", "Cancel"), Choice("replace", "Replace")]
    question = Confirm("Replace this file?", [("file", str(file))], choices, grave=True)
    answer: str | None = await screen.app.push_screen_wait(question)
    return answer == "replace"


NOTHING: Final = "There is nothing to copy here."
REPORT: Final = "the report"
OF_REPLY: Final = {
    "value": ("the value under the cursor", ".json"),
    "path": ("the path of the value", ".txt"),
    "response": ("the response", ".txt"),
    "raw": ("the raw response", ".json"),
    "headers": ("the response headers", ".txt"),
}
"""The parts of a response that can be copied: label and file ending."""


class CopyPicker(Picker):
    """The forms to copy in: Enter copies, ^S saves to a file."""

    DEFAULT_CSS = """
    CopyPicker .hint { padding: 0 3; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+s", "save", priority=True, show=False)]

    def __init__(self, picks: Sequence[Pick]) -> None:
        super().__init__("Copy", picks)
        self.to_file = False
        """The user wants a file."""

    def content(self) -> ComposeResult:
        yield from super().content()
        yield Static(keys("Enter", "copy", "^S", "save to a file", "Esc", "cancel"), classes="hint")

    def action_save(self) -> None:
        self.to_file = self.list.chosen is not None
        self.list.action_choose()


class Copied(Struct, frozen=True):
    """A text that is ready to be copied or saved."""

    label: str
    text: str
    """For the clipboard."""
    content: bytes
    """For a file."""
    name: str
    """The suggested name of the file."""
    secrets: int = 0
    """The number of secrets that were replaced."""


async def copied(
    screen: Screen[Any],
    explorer: Explorer,
    draft: Draft | Batch,
    *,
    exchange: Exchange | None,
    body: Body | None = None,
    what: str = "",
    taken: Callable[[], object] = lambda: None,
) -> None:
    """Copy the part ``what``, or ask which.

    Each secret is replaced by a reference or a variable. ``body``: the view with the cursor. ``taken`` is called when
    other keys may go on: the rest can take a while.
    """
    to_file = False
    if not what:
        picker = CopyPicker(list(_picks(exchange, body)))
        chosen: str | None = await screen.app.push_screen_wait(picker)
        what, to_file = chosen or "", picker.to_file
    if not what:
        return
    found = _found(exchange, body, what)
    if not to_file:
        taken()
    if what in OF_REPLY:  # a response may be long
        got = await asyncio.to_thread(_of_reply, explorer, exchange, found, what)
    else:
        got = _of_call(screen, explorer, draft, exchange, what)
    if isinstance(got, str):
        screen.notify(got, timeout=6)
    elif to_file:
        await put_in_file(screen, explorer, got.label, got.content, got.name, also=replaced_words(got.secrets))
    else:
        await copy(screen, got.text, got.label, also=replaced_words(got.secrets))


async def report_copied(screen: Screen[Any], explorer: Explorer, exchange: Exchange) -> None:
    """Copy the report of a call without asking for a format."""
    await copied(screen, explorer, draft_of(exchange), exchange=exchange, what="report")


async def report_of_two_copied(
    screen: Screen[Any], explorer: Explorer, left: Exchange, right: Exchange, ignore: Sequence[str] = ()
) -> None:
    """Copy the report of two calls and their differences.

    ``ignore``: JSON pointers of values that are not compared.
    """
    subjects = []
    for each in (left, right):
        subject, _ = _subject(explorer, draft_of(each), each, runs=False)
        if not isinstance(subject, Subject):
            screen.notify(subject.sentence if subject else NOTHING, timeout=6)
            return
        subjects.append(subject)
    secrets = explorer.credentials.in_use()
    content = await asyncio.to_thread(of_two, subjects[0], subjects[1], (left, right), secrets, ignore)
    await copy(screen, content.decode(), "the report of both calls", also=replaced_words(marks(content)))


def _picks(exchange: Exchange | None, body: Body | None) -> Iterator[Pick]:
    if body is not None and (path := body.path()):
        yield _of("value", path, "c")
        yield _of("path", path, "p")
    if exchange is not None and exchange.response.body:
        yield _of("response", "with control characters made visible")
        yield _of("raw", "exactly as the server sent it, secrets redacted")
    if exchange is not None and exchange.response.headers:
        yield _of("headers", "with the status, secrets redacted")
    for name, form in FORMS.items():
        if name not in OF_REPLY:
            yield Pick(name, form.words, f"secrets as {'environment variables' if form.runs else 'secret references'}")


def _of(what: str, told: str, key: str = "") -> Pick:
    return Pick(what, OF_REPLY[what][0], told, key)


def _of_call(
    screen: Screen[Any], explorer: Explorer, draft: Draft | Batch, exchange: Exchange | None, what: str
) -> Copied | str:
    """Return a call in a form, or the reason why that is impossible."""
    subject, missing = _subject(explorer, draft, exchange, runs=not FORMS[what].tells)
    if missing:
        screen.notify(missing, timeout=8)
    if subject is None or isinstance(subject, Refused):
        return subject.sentence if subject else NOTHING
    content = render(what, subject)
    if FORMS[what].runs and (why := explorer.withheld(subject.profile, content.decode(errors="replace"))):
        return why
    label = REPORT if what == "report" else FORMS[what].words
    method = exchange.method if exchange else getattr(draft, "method", "batch")
    return Copied(
        label,
        printable(content.decode(errors="replace"), lines=True),
        content if FORMS[what].snippet is None else content + b"\n",
        file_name(method, FORMS[what].ending),
        count_replaced(what, subject, content),
    )


def _subject(
    explorer: Explorer, draft: Draft | Batch, exchange: Exchange | None, *, runs: bool
) -> tuple[Subject | Refused | None, str]:
    """Return the subject of the forms, and a warning about missing data."""
    secrets, used = explorer.credentials.in_use(), explorer.profile
    if exchange is not None:
        ours = explorer.journal.is_ours(exchange, used)
        return record_of(exchange, _profiles(explorer), explorer.preview, secrets=secrets, ours=ours, runs=runs)
    return (subject_of(used, draft, explorer.preview, secrets=secrets, ours=True) if used else None), ""


def _profiles(explorer: Explorer) -> dict[str, Profile]:
    """Return all profiles, the current one with its temporary changes."""
    used = explorer.profile
    return {**explorer.profiles.profiles, **({used.name: used} if used else {})}


def _found(exchange: Exchange | None, body: Body | None, what: str) -> bytes | None:
    if what in {"path", "value"}:
        found = body and (body.path().encode() if what == "path" else body.value())
        return found or None
    return exchange.response.body if exchange is not None else None


def _of_reply(explorer: Explorer, exchange: Exchange | None, found: bytes | None, what: str) -> Copied | str:
    """Return a part of a response with the known secrets redacted."""
    if found is None:
        return NOTHING
    hide = explorer.redactor()
    if what == "headers" and exchange is not None:
        ours = explorer.journal.is_ours(exchange, explorer.profile)
        profile, _ = profile_of(exchange, _profiles(explorer), ours=ours)
        content = head(exchange, profile, explorer.credentials.in_use())
    else:
        content = hide.body(found)
    text = content.decode("utf-8", "replace") if what == "raw" else printable_bytes(content)
    words, ending = OF_REPLY[what]
    name = file_name(exchange.method if exchange else "", ending)
    kept = content if what == "raw" else f"{text}\n".encode(errors="backslashreplace")
    return Copied(words, text, kept, name, marks(content))
