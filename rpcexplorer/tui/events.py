"""The events screen: what a server sends unasked, and answers to its requests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, tzinfo
from functools import partial
from os.path import commonprefix
from typing import Final

import msgspec
from msgspec import Struct
from textual import work
from textual.strip import Strip
from textual.widget import Widget

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.event import MAX_EVENT, Event
from rpcexplorer.model.profile import Profile
from rpcexplorer.text.columns import Cell, Column
from rpcexplorer.text.document import Document
from rpcexplorer.text.exchange import SIGNS, size
from rpcexplorer.text.lanes import level
from rpcexplorer.text.printable import clipped, columns, fitted
from rpcexplorer.tui.browser import Browser, Detail
from rpcexplorer.tui.commands import first_key
from rpcexplorer.tui.connections import Connections
from rpcexplorer.tui.event_log import (
    AT_ONCE_BYTES,
    RATE_SECONDS,
    AllEvents,
    EventFilter,
    EventLog,
    EventRates,
    EventSearch,
    Hide,
    document_of,
    message_of,
)
from rpcexplorer.tui.key_queue import PendingKeys, opens
from rpcexplorer.tui.theme import Pieces, ThemeStyles, line
from rpcexplorer.tui.widgets.bars import Frame
from rpcexplorer.tui.widgets.rows import ItemList

REDRAW_SECONDS: Final = 0.2
"""Between two looks for new events."""
SEARCH_SECONDS: Final = 0.01
PAUSE_SECONDS: Final = 0.005
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
    return SIGNS["event"], "dim", ""


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
            pass  # What cannot be taken apart is shown from its beginning.
    margin = hide.margin
    shown: str = hide.part(event, part[: START_BYTES + margin]).decode("utf-8", "replace")
    # A secret that is cut at the end is not found there.
    shown = shown[:-margin] if len(part) > START_BYTES + margin else shown
    return " ".join(shown[:START_BYTES].split())


MIN_COMMON: Final = 6
"""Characters of a shorter beginning are not left out."""
LOOKED_BACK: Final = 50
"""Rows above an event in which an earlier one of its method is searched."""


def difference(text: str, earlier: str) -> str:
    """Return a text from the first member on that is not in an earlier text, with an ellipsis for what is."""
    common = len(commonprefix([text, earlier]))  # noqa: RUF071 - of characters
    if common in {len(text), len(earlier)}:
        return text
    begin = max(text.rfind(mark, 0, common) for mark in "{[,") + 1
    return f"…{text[begin:].lstrip()}" if begin >= MIN_COMMON else text


class EventList(ItemList[Event]):
    """Events, the newest at the bottom."""

    CLICK_CHOOSES = False

    def __init__(self, hide: Hide, zone: tzinfo | None = None) -> None:
        """``zone``: time zone of the user; None for that of the machine."""
        super().__init__(
            (
                Column(lambda event: [(f"{event.when.astimezone(zone):%H:%M:%S}", "dim")], width=8, gap=1),
                Column(lambda event: [(f".{event.when.microsecond // 1000:03}", "dim")], width=4, gap=0, drop=50),
                Column(_sign, width=1),
                Column(fit=self._words, fills=True, gap=1),
                Column(lambda event: [(size(event.size), "dim")], right=True),
                Column(width=1, gap=0),
            )
        )
        self.hide = hide
        self.follows = True
        """The cursor stays on the newest event."""
        self._methods = 0
        """Columns of the methods."""
        self._earlier: Event | None = None
        """The event of the same method above the row that is drawn."""
        self._starts: dict[Event, str] = {}
        """The starts of the events drawn since the last update, as most are also that of an earlier event."""

    def update(self, rows: Sequence[Event], gone: int) -> None:
        """Show rows, ``gone`` of which were dropped at the top since the last time."""
        self._starts.clear()  # Other secrets may be known now.
        at, y = self.cursor - gone, self.scroll_offset.y - gone
        for row in range(max(len(rows) - self.view_height, 0), len(rows)):
            method = rows[row].method[:METHOD_COLUMNS]
            self._methods = max(self._methods, columns(clipped(method, METHOD_COLUMNS)))
        self.items = rows
        if self.follows:
            self.move_to(len(rows) - 1, -1)
        elif gone:
            self.scroll_to(y=max(y, 0), animate=False, force=True, immediate=True)
            self.cursor = max(at, 0)

    def draw_row(self, row: int, width: int, styles: ThemeStyles) -> Strip:
        method = self.items[row].method
        above = (self.items[at] for at in range(row - 1, max(row - LOOKED_BACK, 0) - 1, -1))
        self._earlier = next((event for event in above if event.method == method), None)
        return super().draw_row(row, width, styles)

    def move_to(self, row: int, by: int = 1) -> None:
        """Move, and follow the newest event if it is there."""
        super().move_to(row, by)
        self.follows = self.cursor >= len(self.items) - 1

    def _words(self, event: Event, room: int) -> Cell:  # noqa: ARG002 - the row is cut
        """Return method, state and start of an event. Those without a method say what they are instead."""
        _, role, word = state_of(event)
        words = []
        if event.method:
            wide = max(min(self._methods, METHOD_COLUMNS, self.scrollable_content_region.width // 3), 1)
            words.append((f"{fitted(self.hide.method(event.method), wide)}  ", "text"))
        if word:
            words.append((f"{self.hide.text(word)}  ", f"{role} bold" if event.waits else role))
        text = self._start(event)
        if self._earlier is not None:
            text = difference(text, self._start(self._earlier))
        return [*words, (text, "middle")]

    def _start(self, event: Event) -> str:
        if event not in self._starts:
            self._starts[event] = start_of(event, self.hide)
        return self._starts[event]


def _sign(event: Event) -> Cell:
    sign, role, _ = state_of(event)
    return [(sign, f"{role} bold" if event.waits else role)]


MAX_RATE_ROWS: Final = 4
HIGH_SCREEN: Final = 32
"""A lower screen has one row for all methods."""
RATE_COLUMNS: Final = 8
AVERAGE_SECONDS: Final = 5
"""The rate is the average of so many seconds."""


class RateLines(Widget):
    """The events of each of the last seconds as bars, a row for each of the most frequent methods."""

    DEFAULT_CSS = "RateLines { height: auto; background: $background; }"

    def __init__(self, log: EventLog) -> None:
        super().__init__()
        self._log, self._rates = log, EventRates(log)
        self._hide: Hide | None = None
        self._lines: Sequence[Pieces] | None = None
        """What is drawn; None if that has changed."""
        self._height = 0
        """It only grows, so that the list below does not move up and down."""
        self._drawn_at = (0, 0)
        """The second and the number of events of the last change."""

    def update(self, hide: Hide) -> None:
        """Count the events that arrived since the last time."""
        moment = (int(datetime.now(UTC).timestamp()), self._log.count)
        if moment == self._drawn_at:
            return
        self._drawn_at = moment
        self._rates.update()
        self._hide, self._lines, before = hide, None, self._height
        self._height = max(self._height, min(self._rates.kinds, self._most))
        self.refresh(layout=self._height != before)

    @property
    def _most(self) -> int:
        return MAX_RATE_ROWS if self.screen.size.height >= HIGH_SCREEN else 1

    def _drawn(self, hide: Hide) -> Sequence[Pieces]:
        seconds = min(self.size.width * 2 // 3 - RATE_COLUMNS, RATE_SECONDS)
        label = self.size.width - seconds - RATE_COLUMNS - len("   ")
        now = int(datetime.now(UTC).timestamp())
        rows = self._rates.rows(self._rates.last_second(now), seconds, self._most)
        highest = max((max(counts, default=0) for _, counts in rows), default=0)
        return [
            [
                (f" {fitted(hide.method(kind), label)} ", "middle"),
                ("".join(level(count, highest) for count in counts), "accent"),
                (f"{rate_words(counts):>{RATE_COLUMNS}} ", "dim"),
            ]
            for kind, counts in rows
        ]

    def get_content_height(self, *_: object) -> int:
        return self._height

    def on_resize(self) -> None:
        self._lines = None

    def render_line(self, y: int) -> Strip:
        if self._lines is None:
            self._lines = self._drawn(self._hide) if self._hide else ()
        words = self._lines[y] if y < len(self._lines) else ()
        return line(words, self.size.width, ThemeStyles.of(self))


def rate_words(counts: Sequence[int]) -> str:
    """Return the average of the last whole seconds; the one that has only begun does not count.

    Of a stream that is younger, the second of its first event is the first.
    """
    seconds = list(counts[-1 - AVERAGE_SECONDS : -1])
    is_young = not any(counts[: -1 - AVERAGE_SECONDS])
    while is_young and seconds and not seconds[0]:
        del seconds[0]
    rate = sum(seconds) / len(seconds) if seconds else float(counts[-1])
    return f"{rate:,.0f}/s" if rate >= 9.95 else f"{rate:.1f}/s"


NOTHING: Final = "The event at the cursor is shown here."
MAX_ANSWER: Final = 10_000
"""Characters of an answer that are searched for secrets to show its beginning."""


class EventsScreen(Browser[Event, None], scope="events"):
    """The events of a profile, as they come."""

    DEFAULT_CSS = """
    EventsScreen #main { width: 58%; }
    EventsScreen .state { height: 1; }
    """
    FILTER = "text  method:name"

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
        self.events = EventList(explorer.event_redactor(profile), frame.zone)
        super().__init__(self.events, pending, frame, profile)
        self._connect = connect
        self.explorer, self.profile, self.connections = explorer, profile, connections
        self.event_log = connections.logs[profile.name]
        self._rows: AllEvents | EventSearch = AllEvents(self.event_log)
        self._rates = RateLines(self.event_log)
        self._is_searching = False
        """A timer will continue the search."""
        self._laid_out: tuple[Event | None, Document | None] = (None, None)
        """The event at the cursor, and its message, which takes a moment if it is long."""
        self._key = partial(first_key, keymap=explorer.settings.keymap)

    def over_list(self) -> Sequence[Widget]:
        return [self._rates]

    def on_mount(self) -> None:
        self._look()
        if asked := self.connections.asked(self.profile.name):
            self._go_to(asked[0])
        self.set_interval(REDRAW_SECONDS, self._look)

    def _redactor(self) -> Hide:
        return self.explorer.event_redactor(self.profile)

    def _go_to(self, event: Event) -> None:
        """Put the cursor on an event, if it is in the list, and stay there."""
        rows = self.events.items
        found = next((at for at in range(len(rows) - 1, -1, -1) if rows[at] is event), None)
        if found is not None:
            self.events.leap_to(found)
            self.events.follows = False
            self.show_detail()

    def _look(self) -> None:
        """Show new events, and search among them."""
        self.events.hide = self._redactor()
        self._search()
        self.events.empty = self._advice()
        self.events.update(self._rows, self._rows.update())
        self._rates.update(self.events.hide)
        self.show_detail()

    def _search(self) -> None:
        """Search for a moment, unless a timer will, and go on later."""
        rows = self._rows
        if isinstance(rows, EventSearch) and not self._is_searching:
            rows.search(self.events.hide, SEARCH_SECONDS)
            if not rows.is_complete:
                self._is_searching = True
                self.set_timer(PAUSE_SECONDS, self._search_on)

    def _search_on(self) -> None:
        self._is_searching = False
        self._search()
        if self._rows.is_complete:
            self._look()

    def show_detail(self) -> None:
        """Show the event at the cursor, and the counts."""
        rows = self.events
        follows = ("  following", "well")
        if not rows.follows:
            newer = len(rows.items) - 1 - rows.cursor
            follows = (f"  paused, {newer:,} newer" if newer else "  paused", "careful")
        self.bar.words = [("Events", "bold"), (f"  {self.event_log.count:,}", "middle")]
        if rows.items:
            self.bar.words = [*self.bar.words, follows]
        self.show_state(self._counts())
        super().show_detail()

    def detail(self, row: Event | None) -> Detail:
        if row is None:
            return Detail(nothing=NOTHING)
        hide, (sign, role, word) = self._redactor(), state_of(row)
        title = hide.method(row.method) or ("response" if row.kind == "response" else "data")
        role = role if role != "dim" else "middle"
        words = {"": row.kind, "waits": "waits for your answer"}.get(word) or hide.text(word)
        outcome = [(f"{sign} ", role), (words, f"{role} bold")]
        if row.waits and not self.is_typing:
            outcome.append((f"  {self._key('events.answer')} answer", "dim"))
        elif row.answer is not None:
            answer = hide.text(row.answer.decode("utf-8", "replace")[:MAX_ANSWER])
            outcome.append((f"  {' '.join(answer.split())}", "middle"))
        remarks = [(f"Only the first {size(MAX_EVENT)} are kept.", "careful")] if row.size > MAX_EVENT else []
        if row.of:
            remarks.append((f"sent for the call {row.of}", "middle"))
        document = self._document_of(row)
        return Detail(
            [(clipped(title, METHOD_COLUMNS), "text bold")],
            [(f"  {row.when.astimezone(self.frame.zone):%H:%M:%S.%f}"[:-3], "dim")],
            outcome=lambda _: outcome,
            outcome_after=[(f"  {size(row.size)}", "middle")],
            remarks=lambda _: remarks,
            text=document or b"",
            nothing="" if row.text else NOTHING,
        )

    def _document_of(self, event: Event) -> Document | None:
        """Return the message laid out; None if it has none, or if it is laid out in a moment."""
        if self._laid_out[0] is not event:
            self._laid_out = (event, None)
            if len(event.text) > AT_ONCE_BYTES:
                self._lay_out_aside(event)
            elif event.text:
                self._laid_out = (event, document_of(event, self._redactor()))
        return self._laid_out[1]

    @work(group="detail", exclusive=True)
    async def _lay_out_aside(self, event: Event) -> None:
        document = await asyncio.to_thread(document_of, event, self._redactor())
        if event is self._laid_out[0]:
            self._laid_out = (event, document)
            self.show_detail()

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
            key, action = ("events.close", "clear") if self.is_typing else ("events.search", "change")
            how = [("   Press ", "dim"), (self._key(key), "bold"), (f" to {action} it.", "dim")]
            return [[("   No events match the filter.", "dim")], how]
        lines: list[Pieces] = [
            [("   No events yet. Notifications and requests of the server", "dim")],
            [("   are shown here as they arrive.", "dim")],
        ]
        if self.profile.has_events and not self.connections.is_open(self.profile):
            how = [("   Press ", "dim"), (self._key("events.connect"), "bold"), (" to open the connection.", "dim")]
            lines += [[], how]
        return lines

    def filter_changed(self) -> None:
        wanted = EventFilter.of(self.filter.value)
        self._rows = EventSearch(self.event_log, wanted) if wanted else AllEvents(self.event_log)
        self._look()

    def has(self, state: str) -> bool:
        match state:
            case "message":
                return self.row is not None
            case "received":
                return bool(self.events.items)
            case "request":
                is_waiting = self.row is not None and self.row.waits
                return is_waiting or bool(self.connections.asked(self.profile.name))
            case "stderr":
                return bool(self.profile.command) or bool(self.event_log.stderr)
            case "connection":
                return self.profile.has_events
        return super().has(state)

    def action_follow(self) -> None:
        self.events.follows = not self.events.follows
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

        if (event := self.row) is not None:
            message = await asyncio.to_thread(message_of, event, self._redactor())
            await copy_message(self, self.explorer, message, _cut_words(event))

    @opens("save")
    async def action_save(self) -> None:
        from rpcexplorer.tui.call.copying import save_message

        if (event := self.row) is not None:
            message = await asyncio.to_thread(message_of, event, self._redactor())
            name = self._redactor().method(event.method) or event.kind
            await save_message(self, self.explorer, message, name, _cut_words(event))

    @opens("answer")
    async def action_answer(self) -> None:
        """Answer the request at the cursor, or else the oldest that waits."""
        chosen, asked = self.row, self.connections.asked(self.profile.name)
        event = chosen if chosen is not None and chosen.waits else next(iter(asked), None)
        if event is None:
            return
        from rpcexplorer.tui.answers import answer

        await answer(self, self.connections, self.profile, event)
        self._look()

    def action_connect(self) -> None:
        self._connect()


def _cut_words(event: Event) -> str:
    return f"cut, the whole message had {size(event.size)}" if event.size > MAX_EVENT else ""
