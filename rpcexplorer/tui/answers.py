"""Answers to requests of the server: as a form, as a page to agree to, or as JSON."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widget import Widget
from textual.widgets import Static

from rpcexplorer.jsontext.params import value_problem
from rpcexplorer.jsontext.scan import is_value
from rpcexplorer.model.event import Event
from rpcexplorer.model.exchange import Preview
from rpcexplorer.model.mcp import ELICITATION
from rpcexplorer.model.problem import Checked, SchemaProblem, capitalised
from rpcexplorer.model.profile import Profile
from rpcexplorer.schema.elicitation import AGREED, CANCELLED, DECLINED, Elicitation
from rpcexplorer.schema.form import FormField
from rpcexplorer.text.document import Document
from rpcexplorer.text.printable import clipped
from rpcexplorer.tui.connections import Connections
from rpcexplorer.tui.event_log import document_of
from rpcexplorer.tui.form import FormScreen, FormSource
from rpcexplorer.tui.widgets.dialog import Answer, Answers, Choice, Confirm, Dialog, keys, plain
from rpcexplorer.tui.widgets.editor import Editor, place_of
from rpcexplorer.tui.widgets.full_screen import FullScreen
from rpcexplorer.tui.widgets.inputs import Cycle
from rpcexplorer.tui.widgets.reader import Reader

METHOD_COLUMNS: Final = 40
REFUSAL: Final = '{"code": -32000, "message": "Refused"}'
FIRST_ANSWERS: Final = {
    "roots/list": '{"roots": []}',
    "sampling/createMessage": (
        '{\n  "role": "assistant",\n  "content": {"type": "text", "text": ""},\n  "model": "user"\n}'
    ),
    "elicitation/create": '{"action": "accept", "content": {}}',
    "workspace/applyEdit": '{"applied": false}',
    "workspace/configuration": "[null]",
    **dict.fromkeys(
        (
            "client/registerCapability",
            "client/unregisterCapability",
            "window/showMessageRequest",
            "window/workDoneProgress/create",
            "workspace/workspaceFolders",
        ),
        "null",
    ),
}
"""Answers to begin with, for methods of MCP and LSP; the user completes them."""
OTHER_ANSWER: Final = "{}"
"""The answer to begin with for other methods, which typing replaces."""
EMPTY: Final = ('""', "[]", "{}")
"""Values of such an answer that the user completes."""


class _Refusal(Struct):
    code: int
    message: str


def member_of(choice: str, text: str) -> tuple[str, str]:
    """Return the member that answers a request, or a problem of the typed text."""
    if not is_value(text, strict=True):
        return "", f"{value_problem(text)}."
    if choice == "answer":
        return f'"result":{text}', ""
    try:
        msgspec.json.decode(text, type=_Refusal)
    except (msgspec.DecodeError, RecursionError):
        return "", "An error is an object with code, a whole number, and message, a text."
    return f'"error":{text}', ""


LINES_AROUND: Final = 20
"""Lines of the dialog for an answer around the request."""


class AnswerDialog(Dialog[str]):
    """A request of the server, and the answer; its result is a member for the response."""

    DEFAULT_CSS = """
    AnswerDialog > .block { width: 96; max-height: 100%; }
    AnswerDialog Reader { margin-bottom: 1; }
    AnswerDialog Editor { height: 7; margin-top: 1; }
    AnswerDialog.-low Reader { margin-bottom: 0; }
    AnswerDialog.-low Editor { height: 5; margin-top: 0; }
    AnswerDialog.-low Answers, AnswerDialog.-low .hint { margin-top: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+s,f5,ctrl+enter", "send", show=False, priority=True)]
    manual_pane = "events"

    def __init__(self, title: str, asked: Document, texts: dict[str, str], why: str = "") -> None:
        """``texts`` are those to begin with, by choice; what is typed is kept there. ``why`` the answer is JSON."""
        super().__init__(title)
        self.texts, self._why = texts, why
        self._reader, self._editor, self._cycle = Reader(), Editor(), Cycle(("answer", "refuse"), "answer")
        self._asked, self._problem, self._hint = asked, Static(classes="problem"), Static(classes="hint")

    def content(self) -> ComposeResult:
        if self._why:
            yield Static(plain(f"{self._why} The answer is JSON."), classes="words")
        yield self._reader
        yield self._cycle
        yield self._editor
        yield self._problem
        with Answers():
            yield Answer("Send", id="send")
            yield Answer("Cancel", id="leave")
        yield self._hint

    def on_mount(self) -> None:
        self._reader.document = self._asked
        self._load()
        self.set_focus(self._editor)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Show the keys of the focused field."""
        fields: dict[Widget, Sequence[str]] = {
            self._reader: ("↑↓", "scroll"),
            self._cycle: ("←→", "answer or refuse"),
        }
        self._hint.update(keys("F5", "send", "Tab", "next field", *fields.get(event.widget, ()), "Esc", "cancel"))

    def on_resize(self) -> None:
        """Give the request the lines that the rest leaves."""
        least, others = (5, self.size.height) if self.has_class("-low") else (8, LINES_AROUND)
        self._reader.styles.height = max(least, min(self._asked.lines, self.size.height - others))

    def _load(self) -> None:
        """Load the text of the choice: selected, so that typing replaces it, or with the cursor in an empty value."""
        text = self.texts[self._cycle.value]
        self._editor.load(text)
        empty = [at for at in map(text.find, EMPTY) if at >= 0]
        if text == OTHER_ANSWER:
            self._editor.action_select_all()
        elif empty:
            self._editor.move_cursor(place_of(text, min(empty) + 1))

    @on(Cycle.Changed)
    def _choice_changed(self, event: Cycle.Changed) -> None:
        event.stop()
        self._load()
        self._problem.remove_class("-shown")

    @on(Editor.Changed)
    def _typed(self) -> None:
        self.texts[self._cycle.value] = self._editor.text
        self._problem.remove_class("-shown")

    def answered(self, answer: str) -> None:
        if answer == "send":
            self.action_send()
        else:
            self.dismiss(None)

    def action_send(self) -> None:
        """Send, after all keys that were typed before."""
        (self.focused or self).call_later(self._send)

    def _send(self) -> None:
        member, problem = member_of(self._cycle.value, self._editor.text)
        if problem:
            self._problem.update(plain(f"✗ {capitalised(problem)}"))
            self._problem.add_class("-shown")
            self.set_focus(self._editor)
        else:
            self.dismiss(member)


async def answer(screen: FullScreen[Any], connections: Connections, profile: Profile, event: Event) -> None:
    """Let the user answer a request of the server, and send the answer."""
    explorer, asked, content = connections.explorer, Elicitation(), ""
    if event.method == ELICITATION:
        asked = await asyncio.to_thread(explorer.elicitation, profile, event)
    if asked.url:
        member = await _agree(screen, profile, asked)
    elif event.method == ELICITATION and not asked.why_not:
        form = ElicitationScreen(screen, connections, profile, event, asked)
        await screen.app.push_screen_wait(form)
        member, content = form.member, form.content
    else:
        member = await _type_answer(screen, connections, profile, event, asked.why_not)
    if member is None:
        return
    if content:
        problem = explorer.accept(profile, event, asked, content)
    else:
        problem = explorer.answer(profile, event, member)
    if problem:
        screen.notify(f"{capitalised(problem).rstrip('.')}.", severity="warning", timeout=10)
        return
    done = {DECLINED: "Declined", CANCELLED: "Cancelled"}.get(member, "Answered")
    if member.startswith('"error"'):
        done = "Refused"
    method = clipped(explorer.event_redactor(profile).method(event.method), METHOD_COLUMNS)
    screen.notify(f"{done} {method}.", timeout=4)


async def _type_answer(
    screen: FullScreen[Any], connections: Connections, profile: Profile, event: Event, why: str
) -> str | None:
    """Return the answer that the user types as JSON; ``why`` it cannot be a form."""
    hide = connections.explorer.event_redactor(profile)
    document = await asyncio.to_thread(document_of, event, hide)
    first = {"answer": FIRST_ANSWERS.get(event.method, OTHER_ANSWER), "refuse": REFUSAL}
    texts = connections.drafts.setdefault(event, first)
    title = f"Answer {clipped(hide.method(event.method), METHOD_COLUMNS)}?"
    return await screen.app.push_screen_wait(AnswerDialog(title, document, texts, why=why))


async def _agree(screen: FullScreen[Any], profile: Profile, asked: Elicitation) -> str | None:
    """Show the page that the server wants to be opened, which is done by the user alone; return the answer."""
    from rpcexplorer.tui.processes import copy

    rows = [("host", asked.host), ("URL", asked.url), ("server", profile.shown_name), ("says", asked.message)]
    if asked.caution:
        rows.insert(1, ("caution", asked.caution))
    choices = [Choice("copy", "Copy URL"), Choice("agree", "Agree"), Choice("decline", "Decline")]
    while True:
        question = Confirm(f"Open a page at {asked.host} in your browser?", rows, choices, cancel="Later")
        chosen = await screen.app.push_screen_wait(question)
        if chosen != "copy":
            break
        await copy(screen, asked.url, "the URL")
    return {"agree": AGREED, "decline": DECLINED}.get(chosen or "")


class ElicitationScreen(FormScreen):
    """The form with which a server asks the user."""

    DEFAULT_CSS = """
    ElicitationScreen #message { height: auto; max-height: 6; padding: 0 1; border-bottom: solid $line; }
    """
    SENT = "Answer"

    def __init__(
        self,
        opener: FullScreen[Any],
        connections: Connections,
        profile: Profile,
        event: Event,
        asked: Elicitation,
    ) -> None:
        explorer, texts = connections.explorer, connections.drafts.setdefault(event, {})
        texts.setdefault("form", asked.start)
        self._asked = asked
        self.member: str | None = None
        """The answer; None if it is given later."""
        self.content = ""
        """The values of an accepted form as JSON."""
        no_undo = partial(self.notify, "This form has undo only while a value is edited.")
        source = FormSource(
            f"{profile.shown_name} asks",
            asked.described,
            "name",
            read=lambda: texts["form"],
            put=partial(texts.__setitem__, "form"),
            undo=no_undo,
            redo=no_undo,
            is_valid=lambda: True,
            preview=self._answer_preview,
            check=self._check_text,
        )
        super().__init__(explorer, source, opener.pending, opener.frame, secrets=asked.secrets)
        self.list.empty = [[], [("   There is nothing to fill in.", "dim")]]
        self._message = VerticalScroll(Static(plain(asked.message)), id="message", can_focus=False)
        self._message.display = bool(asked.message)
        for row in self.model.rows:
            if self.model.choices_of_elements(row):  # They are chosen from a list.
                self.model.fold(row.path, unfold=False)

    @property
    def _by(self) -> tuple[str, str]:
        return ("", "")

    def over_list(self) -> Sequence[Widget]:
        return [self._message]

    async def _check_text(self, text: str) -> Checked:
        checked = await self.explorer.checker.params(self._asked.described, text, by="name")
        return replace(checked, problems=tuple(map(self._without_value, checked.problems)))

    def _without_value(self, problem: SchemaProblem) -> SchemaProblem:
        """Return a problem of a secret without its sentence, which may quote the value."""
        if problem.keyword == "required" or self._asked.secrets.isdisjoint(problem.pointer[:1]):
            return problem
        return SchemaProblem(problem.pointer, "secret", "does not match the schema of the field")

    def _answer_preview(self) -> Preview:
        """Return the answer as it will be sent, without secrets."""
        return Preview("", (), self._asked.shown_answer(self.source.read()).encode())

    def text_to_edit(self, row: FormField) -> str:
        """Begin an absent value empty: an example is no answer of the user."""
        return "" if row.state == "absent" and row.editing != "json" else super().text_to_edit(row)

    def has(self, state: str) -> bool:
        if state == "question":
            return self._edited is None
        return state != "params" and super().has(state)

    def action_send(self) -> None:
        """Accept, if all values are as the form wants them."""
        if self._apply_typed("not sent"):
            self._accept()

    @work(exclusive=True, group="send")
    async def _accept(self) -> None:
        await self.model.check()
        self._put_rows(self.list.cursor)
        self._show_title()
        wrong = next((at for at, row in enumerate(self.model.rows) if row.wrong), None)
        if wrong is not None:
            self.list.cursor = wrong
            row = self.model.rows[wrong]
            self.notify(f"{row.name}: {row.wrong}. Change it, or decline.", severity="warning")
        else:
            self.content = self.source.read()
            self._give(AGREED)

    def action_decline(self) -> None:
        self._give(DECLINED)

    def action_cancel(self) -> None:
        self._give(CANCELLED)

    def _give(self, member: str) -> None:
        self.member = member
        self.dismiss(True)
