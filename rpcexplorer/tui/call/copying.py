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
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen

from rpcexplorer.explorer import Explorer
from rpcexplorer.export.formats import (
    FORMS,
    count_references,
    count_replaced,
    find_uncopyable,
    head,
    render,
    replaced_words,
)
from rpcexplorer.export.report import report_of_pair
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
from rpcexplorer.tui.widgets.dialog import Ask, Caution, Choice, Confirm, keys
from rpcexplorer.tui.widgets.full_screen import FullScreen
from rpcexplorer.tui.widgets.picker import Pick, Picker

REDACTED_WORDS: Final = "Secrets are redacted. If the file is new, only you can read it."
RESPONSE_WORDS: Final = (
    "Saves the response as the server sent it. Secrets are redacted. If the file is new, only you can read it."
)
EVENT_WORDS: Final = (
    "Saves the message as the server sent it. Secrets are redacted. If the file is new, only you can read it."
)
FILTERED: Final = "the filtered response"
TEXTS: Final = "the text of the result"
FILTERED_WORDS: Final = (
    "Saves the output of the filter or command. Secrets are redacted. If the file is new, only you can read it."
)
CASE_WORDS: Final = (
    "Secrets are removed. All other params and responses are in the file: check it before you share it. "
    "To open it, run:\nrpcexplorer FILE"
)
NOTE: Final = "Note for the receiver"
NOTE_WORDS: Final = "Optional. Describe the problem: the receiver sees this note first."
LONGEST: Final = 60
"""Characters of a method name in a file name."""


async def save_response(screen: Screen[Any], explorer: Explorer, exchange: Exchange, body: Body) -> None:
    """Save the shown response to a file."""
    part, content = _on_view(exchange, body)
    name = file_name(exchange.method, ".txt" if part in {FILTERED, TEXTS} else ".json")
    content = await asyncio.to_thread(explorer.redactor().body, content)
    await save_to_file(
        screen, explorer, part, content, name, words=FILTERED_WORDS if part == FILTERED else RESPONSE_WORDS
    )


async def export_case(screen: Screen[Any], explorer: Explorer, records: Sequence[Exchange]) -> None:
    """Export recorded calls to a case, with an optional note."""
    note: str | None = await screen.app.push_screen_wait(Ask(NOTE, words=NOTE_WORDS, done="next"))
    if note is None:
        return
    made = await asyncio.to_thread(partial(explorer.cases.made_of, records, note=note.strip()))
    if isinstance(made, str) or made.too_much:
        why_not = made if isinstance(made, str) else f"{made.too_much}. No case was exported."
        screen.notify(why_not, severity="warning", timeout=10)
        return
    methods = {record.method for record in records}
    name = file_name(methods.pop() if len(methods) == 1 else "calls", CASE_ENDING)
    part = f"a case of {len(records)} calls" if len(records) > 1 else "a case of the call"
    content = made.text.encode(errors="backslashreplace")
    await save_to_file(screen, explorer, part, content, name, words=CASE_WORDS)


async def save_to_file(
    screen: Screen[Any],
    explorer: Explorer,
    part: str,
    content: bytes,
    name: str,
    *,
    words: str = REDACTED_WORDS,
    also: str = "",
) -> None:
    """Ask for a file until the content is saved or the user cancels.

    The typed path stays in the line. ``also`` is added to the notice.
    """
    typed = name
    while True:
        path: str | None = await screen.app.push_screen_wait(
            Ask(f"Save {part} in which file?", value=typed, words=words, done="save")
        )
        if path is None or not path.strip():
            return
        typed = path
        file, exists = await asyncio.to_thread(_file, path.strip(), name)
        if exists and not await _may_replace(screen, file):
            continue
        problem = await asyncio.to_thread(explorer.save_reply, file, content, replacing=exists)
        if not problem:
            details = ", ".join(filter(None, (part, size(len(content)), also)))
            screen.notify(f"Saved {details}, in {file}.", timeout=8)
            return
        words = f"✗ {capitalised(problem)}."


async def copy_message(screen: Screen[Any], explorer: Explorer, message: bytes, also: str) -> None:
    """Copy the message of an event without secrets."""
    text = await asyncio.to_thread(lambda: printable_bytes(explorer.redactor().body(message)))
    await copy(screen, text, "the message", also=also)


async def save_message(screen: Screen[Any], explorer: Explorer, message: bytes, name: str, also: str) -> None:
    """Save the message of an event to a file, with a suggested name."""
    content = await asyncio.to_thread(explorer.redactor().body, message)
    name = file_name(name, ".json")
    await save_to_file(screen, explorer, "the message", content, name, words=EVENT_WORDS, also=also)


def _on_view(exchange: Exchange, body: Body) -> tuple[str, bytes]:
    """Return a name for the text on view, and the text.

    A result ends with a line break, as in a pipe.
    """
    if body.tab == "Raw":
        return "the whole response", bytes(body.shown)
    if body.tab == "Text":
        return TEXTS, bytes(body.shown)
    if body.made is not None:
        return FILTERED, body.made
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
    choices = [Choice("replace", "Replace")]
    question = Confirm("Replace this file?", [("file", str(file))], choices, caution=Caution.DELETION)
    answer: str | None = await screen.app.push_screen_wait(question)
    return answer == "replace"


NOTHING: Final = "There is nothing to copy here."
RESPONSE_PARTS: Final = {
    "value": ("the value under the cursor", ".json"),
    "path": ("the path of the value", ".txt"),
    "response": ("the response", ".txt"),
    "raw": ("the raw response", ".json"),
    "headers": ("the response headers", ".txt"),
}
"""The parts of a response that can be copied: label and file ending."""


class CopyPicker(Picker):
    """The forms to copy in: Enter copies, ^S saves to a file."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+s", "save", priority=True, show=False)]

    def __init__(self, picks: Sequence[Pick]) -> None:
        super().__init__("Copy", picks)
        self.to_file = False
        """The user wants a file."""

    def hint(self) -> Content:
        return keys("↑↓", "choose", "Enter", "copy", "^S", "save to a file", "Esc", "cancel")

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


async def copy_call(
    screen: Screen[Any],
    explorer: Explorer,
    draft: Draft | Batch,
    *,
    exchange: Exchange | None,
    body: Body | None = None,
    part: str = "",
    release: Callable[[], object] = lambda: None,
) -> None:
    """Copy one part or form, or ask which.

    Each secret is replaced by a reference or a variable. ``body``: the view with the cursor. ``release`` is called when
    other keys may go on: the rest can take a while.
    """
    to_file = False
    if not part:
        picker = CopyPicker(list(_picks(exchange, body)))
        chosen: str | None = await screen.app.push_screen_wait(picker)
        part, to_file = chosen or "", picker.to_file
    if not part:
        return
    found = _found(exchange, body, part)
    if not to_file:
        release()
    if part in RESPONSE_PARTS:  # a response may be long
        got = await asyncio.to_thread(_response_part, explorer, exchange, found, part)
    else:
        got, warning = call_form(explorer, draft, exchange, part)
        if warning:
            screen.notify(warning, timeout=8)
    if isinstance(got, str):
        screen.notify(got, timeout=6)
    elif to_file:
        await save_to_file(screen, explorer, got.label, got.content, got.name, also=replaced_words(got.secrets))
    else:
        await copy(screen, got.text, got.label, also=replaced_words(got.secrets))


def copy_recorded(screen: FullScreen[Any], exchange: Exchange, part: str = "") -> None:
    """Copy one part or form of a recorded call, or ask which; the screen may close meanwhile."""
    release = partial(screen.pending.go_on, "copy")
    copying = partial(copy_call, screen, screen.explorer, draft_of(exchange), exchange=exchange, part=part)
    screen.pending.run(screen.app, "copy", partial(copying, release=release))


async def copy_comparison_report(
    screen: Screen[Any], explorer: Explorer, left: Exchange, right: Exchange, ignore: Sequence[str] = ()
) -> None:
    """Copy the report of two calls and their differences.

    ``ignore``: JSON pointers of values that are not compared.
    """
    subjects = []
    for exchange in (left, right):
        subject, _ = _subject(explorer, draft_of(exchange), exchange, runs=False)
        if not isinstance(subject, Subject):
            screen.notify(subject.sentence if subject else NOTHING, timeout=6)
            return
        subjects.append(subject)
    secrets = explorer.credentials.in_use()
    content = await asyncio.to_thread(report_of_pair, subjects[0], subjects[1], (left, right), secrets, ignore)
    await copy(screen, content.decode(), "the report of both calls", also=replaced_words(count_references(content)))


def _picks(exchange: Exchange | None, body: Body | None) -> Iterator[Pick]:
    if body is not None and (path := body.path()):
        yield _pick("value", path, "c")
        yield _pick("path", path, "p")
    if exchange is not None and exchange.response.body:
        yield _pick("response", "with control characters made visible")
        yield _pick("raw", "as the server sent it, with secrets redacted")
    if exchange is not None and exchange.response.headers:
        yield _pick("headers", "with the status, and with secrets redacted")
    for name, form in FORMS.items():
        if name not in RESPONSE_PARTS:
            yield Pick(name, form.words, f"secrets as {'environment variables' if form.runs else 'secret references'}")


def _pick(part: str, details: str, key: str = "") -> Pick:
    return Pick(part, RESPONSE_PARTS[part][0], details, key)


def call_form(
    explorer: Explorer, draft: Draft | Batch, exchange: Exchange | None, part: str
) -> tuple[Copied | str, str]:
    """Return a call in a form, or why that is impossible; and a warning about missing data."""
    subject, missing = _subject(explorer, draft, exchange, runs=not FORMS[part].describes)
    if isinstance(subject, Subject) and (why := find_uncopyable(part, subject.profile)):
        return why, ""
    if subject is None or isinstance(subject, Refused):
        return subject.sentence if subject else NOTHING, missing
    content = render(part, subject)
    if FORMS[part].runs and (why := explorer.withheld(subject.profile, content.decode(errors="replace"))):
        return why, missing
    method = exchange.method if exchange else getattr(draft, "method", "batch")
    label = f"the report of {method[:LONGEST]}" if part == "report" else FORMS[part].words
    copied = Copied(
        label,
        printable(content.decode(errors="replace"), lines=True),
        content if FORMS[part].snippet is None else content + b"\n",
        file_name(method, FORMS[part].ending),
        count_replaced(part, subject, content),
    )
    return copied, missing


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


def _found(exchange: Exchange | None, body: Body | None, part: str) -> bytes | None:
    if part in {"path", "value"}:
        found = body and (body.path().encode() if part == "path" else body.value())
        return found or None
    return exchange.response.body if exchange is not None else None


def _response_part(explorer: Explorer, exchange: Exchange | None, found: bytes | None, part: str) -> Copied | str:
    """Return a part of a response with the known secrets redacted."""
    if found is None:
        return NOTHING
    hide = explorer.redactor()
    if part == "headers" and exchange is not None:
        ours = explorer.journal.is_ours(exchange, explorer.profile)
        profile, _ = profile_of(exchange, _profiles(explorer), ours=ours)
        content = head(exchange, profile, explorer.credentials.in_use())
    else:
        content = hide.body(found)
    text = content.decode("utf-8", "replace") if part == "raw" else printable_bytes(content)
    words, ending = RESPONSE_PARTS[part]
    name = file_name(exchange.method if exchange else "", ending)
    saved = content if part == "raw" else f"{text}\n".encode(errors="backslashreplace")
    return Copied(words, text, saved, name, count_references(content))
