"""The events screen: what a server sends unasked, and answers to its requests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import tzinfo
from functools import partial
from typing import ClassVar, Final, Literal

import msgspec
from msgspec import Struct
from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from rpcexplorer.explorer import Explorer
from rpcexplorer.jsontext.params import value_problem
from rpcexplorer.jsontext.scan import is_value
from rpcexplorer.model.event import MAX_EVENT, Event
from rpcexplorer.model.problem import capitalised
from rpcexplorer.model.profile import Profile
from rpcexplorer.text.document import Document
from rpcexplorer.text.exchange import size
from rpcexplorer.text.printable import clipped, columns, fitted, printable
from rpcexplorer.tui.commands import Commanded, Scope, bindings, first_key
from rpcexplorer.tui.connections import Connections
from rpcexplorer.tui.event_log import AT_ONCE_BYTES, AllEvents, EventFilter, EventSearch, Hide, message_of
from rpcexplorer.tui.full_screen import FullScreen
from rpcexplorer.tui.key_queue import PendingKeys, opens
from rpcexplorer.tui.theme import NARROW, Pieces, ThemeStyles, line
from rpcexplorer.tui.widgets.bars import Bar, Frame, WarningLines
from rpcexplorer.tui.widgets.dialog import Answer, Answers, Dialog, keys, plain
from rpcexplorer.tui.widgets.editor import Editor, place_of
from rpcexplorer.tui.widgets.filter_pane import FilterPane
from rpcexplorer.tui.widgets.inputs import Cycle
from rpcexplorer.tui.widgets.reader import Reader
from rpcexplorer.tui.widgets.rows import RowList

REDRAW_SECONDS: Final = 0.2
"""Between two looks for new events."""
SEARCH_SECONDS: Final = 0.01
PAUSE_SECONDS: Final = 0.02
"""For a slice of the search, and between two of them."""
METHOD_COLUMNS: Final = 40
START_BYTES: Final = 400
"""Bytes of the params that a row shows."""


class _Message(Struct):
    params: msgspec.Raw = msgspec.Raw()
    result: msgspec.Raw = msgspec.Raw()
    error: msgspec.Raw = msgspec.Raw()


def state_of(event: Event) -> tuple[str, str, str]:
    """Return sign, role and word of an event."""
    if event.waits:
        return "?", "careful", "waits"
    if event.is_sending:
        return "◌", "careful", "sending the answer"
    if event.remark:
        return "!", "careful", event.remark
    if event.answer is not None:
        return ("✗", "careful", "refused") if event.answer.startswith(b'"error"') else ("✓", "well", "answered")
    return "·", "dim", ""


def start_of(event: Event, hide: Hide) -> str:
    """Return the first characters of the params, or of the whole text, without secrets."""
    part: bytes = event.text
    if event.kind in {"response", "unreadable"} and len(part) <= AT_ONCE_BYTES:
        part = hide.message(event)  # A session is recognized by what is around it.
    if len(part) <= AT_ONCE_BYTES:
        try:
            found = msgspec.json.decode(part, type=_Message)
            part = bytes(found.params) or bytes(found.result) or bytes(found.error) or (b"" if event.method else part)
        except (msgspec.DecodeError, RecursionError):
            pass
    margin = hide.margin
    shown: str = hide.part(event, part[: START_BYTES + margin]).decode("utf-8", "replace")
    # A secret that is cut at the end is not found there.
    shown = shown[:-margin] if len(part) > START_BYTES + margin else shown
    return " ".join(shown[:START_BYTES].split())


class EventList(RowList[Event]):
    """Events, the newest at the bottom."""

    DEFAULT_CSS = "EventList { height: 1fr; }"
    CLICK_CHOOSES = False

    def __init__(self, hide: Hide, zone: tzinfo | None = None) -> None:
        """``zone``: time zone of the user; None for that of the machine."""
        super().__init__()
        self.hide, self._zone = hide, zone
        self.follows = True
        """The cursor stays on the newest event."""
        self._methods = 0
        """Columns of the methods."""

    def show(self, rows: Sequence[Event], gone: int) -> None:
        """Show rows, ``gone`` of which were dropped at the top since the last time."""
        at, y = self.cursor - gone, self.scroll_offset.y - gone
        self.items = rows
        if self.follows:
            self.move_to(len(rows) - 1, -1)
        elif gone:
            self.scroll_to(y=max(y, 0), animate=False, force=True, immediate=True)
            self.cursor = max(at, 0)

    def watch_items(self) -> None:
        first = max(len(self.items) - self.view_height, 0)
        methods = {
            clipped(self.items[at].method[:METHOD_COLUMNS], METHOD_COLUMNS) for at in range(first, len(self.items))
        }
        self._methods = max(self._methods, *map(columns, methods), 0) if methods else self._methods
        super().watch_items()

    def draw(self, item: Event, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        sign, role, word = state_of(item)
        clock = item.when.astimezone(self._zone)
        moment = f"{clock:%H:%M:%S}.{clock.microsecond // 1000:03}" if width >= NARROW // 2 else f"{clock:%H:%M:%S}"
        role = f"{role} bold" if item.waits else role
        words = [(f" {moment}  ", "dim"), (f"{sign} ", role)]
        if item.method:  # The other events say what they are instead.
            room = max(min(self._methods, METHOD_COLUMNS, width // 3), 1)
            words.append((f"{fitted(self.hide.method(item.method), room)}  ", "text"))
        words += [(f"{self.hide.text(word)}  ", role)] if word else []
        words.append((start_of(item, self.hide), "middle"))
        right = [(f"  {size(item.size)} ", "dim")]
        return line(words, width, styles, right=right, ground="selection" if chosen else "background")

    def action_move(self, by: int) -> None:
        super().action_move(by)
        self._moved()

    def action_first(self) -> None:
        super().action_first()
        self._moved()

    def action_last(self) -> None:
        super().action_last()
        self._moved()

    def click_row(self, row: int, event: events.Click) -> None:
        super().click_row(row, event)
        self._moved()

    def _moved(self) -> None:
        """Follow the newest event if the user went there; else stay."""
        self.follows = self.cursor >= len(self.items) - 1


class EventsPane(FilterPane[EventList]):
    """Title, filter, counts and list."""

    def __init__(self, hide: Hide, zone: tzinfo | None = None) -> None:
        super().__init__(EventList(hide, zone), "text  method:name")

    def show_state(self, title: Pieces, state: str) -> None:
        self._bar.words = list(title)
        self._state.update(Content(printable(state)))


class EventDetail(Vertical):
    """The event at the cursor."""

    DEFAULT_CSS = """
    EventDetail { background: $background; }
    EventDetail > Reader { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "fold", show=False)]

    def __init__(self, explorer: Explorer, profile: Profile, zone: tzinfo | None = None) -> None:
        super().__init__()
        self._explorer, self._profile, self._zone = explorer, profile, zone
        self._bar, self._outcome, self._remarks, self._reader = Bar(), Bar(classes="-tinted"), WarningLines(), Reader()
        self._event: Event | None = None
        self._shown: object = None

    def compose(self) -> ComposeResult:
        yield self._bar
        yield self._outcome
        yield self._remarks
        yield self._reader

    def on_mount(self) -> None:
        self._outcome.display = False
        self._reader.empty = [[], [("   The event at the cursor is shown here.", "dim")]]

    def action_fold(self) -> None:
        self._reader.fold()

    def on_descendant_focus(self) -> None:
        self._bar.here = True

    def on_descendant_blur(self) -> None:
        self._bar.here = self.has_focus_within

    def show(self, event: Event | None, key: str) -> None:
        """Show an event; ``key`` answers it if it waits, and is empty where it does not work."""
        is_new, self._event = event is not self._event, event
        if is_new:
            self._lay_out(event)
        state = (event, state_of(event), key) if event is not None else None
        if state == self._shown:
            return
        self._shown, self._outcome.display = state, event is not None
        if event is None:
            self._bar.words, self._remarks.pieces = [], []
            return
        hide = self._explorer.event_redactor(self._profile)
        clock = event.when.astimezone(self._zone)
        title = hide.method(event.method) or ("response" if event.kind == "response" else "data")
        self._bar.words = [(clipped(title, METHOD_COLUMNS), "text bold"), (f"  {clock:%H:%M:%S.%f}"[:-3], "dim")]
        sign, role, word = state_of(event)
        words = {"": event.kind, "waits": "waits for your answer"}.get(word) or hide.text(word)
        answer = ""
        if event.answer is not None:
            answer = "  " + " ".join(hide.text(event.answer.decode("utf-8", "replace")[:MAX_ANSWER]).split())
        more = [(f"  {key} answer" if key else "", "dim")] if event.waits else [(answer, "middle")]
        role_of_sign = role if role != "dim" else "middle"
        self._outcome.words = [(f"{sign} ", role_of_sign), (words, f"{role_of_sign} bold"), *more]
        self._outcome.after = [(f"  {size(event.size)}", "middle")]
        remarks = [(f"Only the first {size(MAX_EVENT)} are kept.", "careful")] if event.size > MAX_EVENT else []
        if event.of:
            remarks.append((f"sent for the call {event.of}", "middle"))
        self._remarks.pieces = remarks

    def _lay_out(self, event: Event | None) -> None:
        if event is None or not event.text:
            self._reader.document = None
        elif len(event.text) <= AT_ONCE_BYTES:
            self._reader.document = document_of(event, self._explorer.event_redactor(self._profile))
        else:
            self._lay_out_aside(event)

    @work(group="detail", exclusive=True)
    async def _lay_out_aside(self, event: Event) -> None:
        document = await asyncio.to_thread(document_of, event, self._explorer.event_redactor(self._profile))
        if event is self._event:
            self._reader.document = document


def document_of(event: Event, hide: Hide) -> Document:
    text = message_of(event, hide)
    return Document.raw(text) if event.size > MAX_EVENT else Document.of_json(text)


MAX_ANSWER: Final = 10_000
"""Characters of an answer that are searched for secrets to show its beginning."""

Choice = Literal["answer", "refuse"]
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

    def __init__(self, title: str, asked: Document, texts: dict[str, str]) -> None:
        """``texts`` are those to begin with, by choice; what is typed is kept there."""
        super().__init__(title)
        self.texts = texts
        self._reader, self._editor, self._cycle = Reader(), Editor(), Cycle(("answer", "refuse"), "answer")
        self._asked, self._problem, self._hint = asked, Static(classes="problem"), Static(classes="hint")

    def content(self) -> ComposeResult:
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
        """Load the text of the choice, with the cursor in the first empty value."""
        text = self.texts[self._cycle.value]
        self._editor.load(text)
        if empty := [at for at in map(text.find, EMPTY) if at >= 0]:
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

    def on_answer_given(self, event: Answer.Given) -> None:
        event.stop()
        if event.answer.id == "send":
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


class EventsScreen(Commanded, FullScreen[None]):
    """The events of a profile, as they come."""

    DEFAULT_CSS = """
    EventsScreen #events { height: 1fr; }
    EventsScreen EventsPane { width: 58%; border-right: solid $line; }
    EventsScreen EventDetail { width: 1fr; }
    EventsScreen.-narrow #events { layout: vertical; }
    EventsScreen.-narrow EventsPane { width: 1fr; border-right: none; }
    EventsScreen.-narrow.-low EventDetail { display: none; }
    """
    scope: ClassVar[Scope] = "events"
    BINDINGS: ClassVar[list[BindingType]] = bindings("events")

    def __init__(
        self,
        explorer: Explorer,
        profile: Profile,
        connections: Connections,
        pending: PendingKeys,
        frame: Frame,
        *,
        connect: Callable[[], object],
    ) -> None:
        """``connect`` opens or closes the connection."""
        super().__init__(pending, frame, profile)
        self._connect = connect
        self.explorer, self.profile, self.connections = explorer, profile, connections
        self.event_log = connections.logs[profile.name]
        self._pane, self._detail = EventsPane(self._redactor(), frame.zone), EventDetail(explorer, profile, frame.zone)
        self._rows: AllEvents | EventSearch = AllEvents(self.event_log)
        self._is_searching = False
        """A timer will continue the search."""
        self._key = partial(first_key, keymap=explorer.settings.keymap)

    def compose(self) -> ComposeResult:
        yield from self.frame.around(Horizontal(self._pane, self._detail, id="events"))

    def on_mount(self) -> None:
        self.set_focus(self._pane.list)
        self._look()
        if asked := self.connections.asked(self.profile.name):
            self._go_to(asked[0])
        self.set_interval(REDRAW_SECONDS, self._look)

    def _redactor(self) -> Hide:
        return self.explorer.event_redactor(self.profile)

    def _go_to(self, event: Event) -> None:
        """Put the cursor on an event, if it is in the list."""
        rows = self._pane.list
        found = next((at for at in range(len(rows.items) - 1, -1, -1) if rows.items[at] is event), None)
        if found is not None:
            rows.follows = False
            rows.leap_to(found)
            self._show()

    def _look(self) -> None:
        """Show new events, and search among them."""
        rows = self._pane.list
        rows.hide = self._redactor()
        self._search()
        rows.empty = self._advice()
        rows.show(self._rows, self._rows.update())
        self._show()

    def _search(self) -> None:
        """Search for a moment, unless a timer will, and go on later."""
        rows = self._rows
        if isinstance(rows, EventSearch) and not self._is_searching:
            rows.search(self._pane.list.hide, SEARCH_SECONDS)
            if not rows.is_complete:
                self._is_searching = True
                self.set_timer(PAUSE_SECONDS, self._search_on)

    def _search_on(self) -> None:
        self._is_searching = False
        self._search()

    @on(RowList.CursorMoved)
    def _show(self) -> None:
        """Show the event at the cursor, and the counts."""
        rows, log = self._pane.list, self.event_log
        self._detail.show(rows.chosen, "" if self._pane.typing else self._key("events.answer"))
        newer = len(rows.items) - 1 - rows.cursor
        follows = (
            ("  following", "well") if rows.follows else (f"  paused{f', {newer:,} newer' if newer else ''}", "careful")
        )
        title = [("Events", "bold"), (f"  {log.count:,}", "middle"), *([follows] if rows.items else [])]
        self._pane.show_state(title, self._counts())
        self.refresh_bindings()

    def _counts(self) -> str:
        """Return what was found, and what is missing, in words."""
        connection, words = self.connections.of(self.profile), list[str]()
        if isinstance(self._rows, EventSearch):
            words.append(f"{len(self._rows):,} found{'' if self._rows.is_complete else ', searching …'}")
        missing = {
            "dropped": self.event_log.dropped,
            "not recorded (all profiles)": self.explorer.journal.events_missed,
            "not answered": connection.requests.unanswered if connection else 0,
        }
        return " · ".join([*words, *(f"{count:,} {what}" for what, count in missing.items() if count)])

    def _advice(self) -> list[Pieces]:
        if isinstance(self._rows, EventSearch) and self.event_log.count:
            if not self._rows.is_complete:
                return [[("   Searching …", "dim")]]
            key, action = ("events.close", "clear") if self._pane.typing else ("events.search", "change")
            how = [("   Press ", "dim"), (self._key(key), "bold"), (f" to {action} it.", "dim")]
            return [[("   No events match the filter.", "dim")], how]
        lines: list[Pieces] = [
            [("   No events yet. Notifications and requests of the server", "dim")],
            [("   are shown here as they arrive.", "dim")],
        ]
        if self.profile.is_open_connection and not self.connections.is_open(self.profile):
            how = [("   Press ", "dim"), (self._key("events.connect"), "bold"), (" to open the connection.", "dim")]
            lines += [[], how]
        return lines

    @on(EventsPane.FilterChanged)
    def _filter_changed(self, event: EventsPane.FilterChanged) -> None:
        event.stop()
        wanted = EventFilter.of(self._pane.text)
        self._rows = EventSearch(self.event_log, wanted) if wanted else AllEvents(self.event_log)
        self._look()

    @on(EventsPane.KeyForList)
    def _into_list(self, event: EventsPane.KeyForList) -> None:
        event.stop()
        self.set_focus(self._pane.list)
        event.move()

    def has(self, state: str) -> bool:
        chosen = self._pane.list.chosen
        match state:
            case "message":
                return chosen is not None
            case "list":
                return not self._pane.typing
            case "received":
                return bool(self._pane.list.items)
            case "request":
                return (chosen is not None and chosen.waits) or bool(self.connections.asked(self.profile.name))
            case "stderr":
                return bool(self.profile.command) or bool(self.event_log.stderr)
            case "connection":
                return self.profile.is_open_connection
        return super().has(state)

    def action_close(self) -> None:
        """Leave the filter, the detail or the screen."""
        if self._pane.typing:
            self._pane.leave_filter()
        elif self._detail.has_focus_within:
            self.set_focus(self._pane.list)
        else:
            self.dismiss(None)

    def action_search(self) -> None:
        self._pane.focus_filter()

    def action_follow(self) -> None:
        rows = self._pane.list
        rows.follows = not rows.follows
        self._look()

    def action_stderr(self) -> None:
        from rpcexplorer.tui.dialogs import PageDialog

        if not self.event_log.stderr:
            self.notify("The process has written nothing to its stderr.")
            return
        hide = self.explorer.redactor().text("\n".join(self.event_log.stderr))
        self.app.push_screen(
            PageDialog("stderr of the process", [[(f"   {text}", "text")] for text in hide.split("\n")])
        )

    @opens("copy")
    async def action_copy(self) -> None:
        from rpcexplorer.tui.call.copying import copy_message

        if (event := self._pane.list.chosen) is not None:
            message = await asyncio.to_thread(message_of, event, self._redactor())
            await copy_message(self, self.explorer, message, _cut_words(event))

    @opens("save")
    async def action_save(self) -> None:
        from rpcexplorer.tui.call.copying import save_message

        if (event := self._pane.list.chosen) is not None:
            message = await asyncio.to_thread(message_of, event, self._redactor())
            name = self._redactor().method(event.method) or event.kind
            await save_message(self, self.explorer, message, name, _cut_words(event))

    @opens("answer")
    async def action_answer(self) -> None:
        """Answer the request at the cursor, or else the oldest that waits."""
        chosen, asked = self._pane.list.chosen, self.connections.asked(self.profile.name)
        event = chosen if chosen is not None and chosen.waits else next(iter(asked), None)
        if event is None:
            return
        document = await asyncio.to_thread(document_of, event, self._redactor())
        method = self._redactor().method(event.method)
        texts = self.connections.drafts.setdefault(
            event, {"answer": FIRST_ANSWERS.get(event.method, "{}"), "refuse": REFUSAL}
        )
        dialog = AnswerDialog(f"Answer {clipped(method, METHOD_COLUMNS)}?", document, texts)
        member = await self.app.push_screen_wait(dialog)
        if member is None:
            return
        if problem := self.explorer.answer(self.profile, event, member):
            self.notify(f"{capitalised(problem).rstrip('.')}.", severity="warning", timeout=10)
        else:
            done = "Refused" if member.startswith('"error"') else "Answered"
            self.notify(f"{done} {clipped(method, METHOD_COLUMNS)}.", timeout=4)
        self._look()

    def action_connect(self) -> None:
        self._connect()


def _cut_words(event: Event) -> str:
    return f"cut, the whole message had {size(event.size)}" if event.size > MAX_EVENT else ""
