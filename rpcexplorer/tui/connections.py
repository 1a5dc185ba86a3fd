"""The connections of the screen: their events, and their state in the header."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from textual.app import App

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.event import Event
from rpcexplorer.model.exchange import Exchange, Stop
from rpcexplorer.model.mcp import ELICITATION
from rpcexplorer.model.problem import counted
from rpcexplorer.model.profile import Profile
from rpcexplorer.text.exchange import age
from rpcexplorer.text.printable import clipped
from rpcexplorer.text.wrapping import WordLine
from rpcexplorer.tui.call.state import CallState, Question
from rpcexplorer.tui.event_log import AT_ONCE_BYTES, EventLog
from rpcexplorer.tui.widgets.bars import Header

if TYPE_CHECKING:
    from rpcexplorer.client.open_connection import OpenConnection
    from rpcexplorer.transport.port import Watch

TICK_SECONDS: Final = 0.25
METHOD_COLUMNS: Final = 32
MAX_QUESTION: Final = 400
"""Bytes of a request that is no form to show."""
REASON_COLUMNS: Final = 60, 40, 30
"""Columns of a method, and of why a connection has ended, in the header."""


class Connections:
    """The logs of all profiles, and the connection of the profile in use.

    A timer shows changes, four times a second at most: anything that calls the server can open or close a connection.
    """

    def __init__(self, app: App[Any], explorer: Explorer) -> None:
        self._app, self.explorer = app, explorer
        self.logs = defaultdict[str, EventLog](EventLog)
        """The events of each profile, by its name."""
        self.drafts: dict[Event, dict[str, str]] = {}
        """What was typed to answer or refuse a request that still waits."""
        self._question: tuple[Event | None, Question | None] = (None, None)
        """The oldest request that waits, and what it asks, which takes a moment to read."""
        self._waiting: dict[str, list[Event]] = {}
        self._listening: tuple[str, Stop] | None = None
        """The profile whose event stream over HTTP is read, and what ends that."""
        self._seen: object = None
        """The profile, and what the header shows."""
        app.set_interval(TICK_SECONDS, self._tick)
        app.call_later(self._tick)

    def take(self, profile: Profile, event: Event) -> None:
        """Take an event; it is shown later."""
        self.logs[profile.name].take(event)
        if event.waits:
            self._waiting.setdefault(profile.name, []).append(event)

    def take_stderr(self, profile: Profile, line: str) -> None:
        self.logs[profile.name].take_stderr(line)

    def has_events(self, profile: Profile) -> bool:
        """Return whether there are events, or can be."""
        return profile.has_events or profile.name in self.logs

    def of(self, profile: Profile) -> OpenConnection | None:
        return self.explorer.connection_of(profile)

    def is_open(self, profile: Profile) -> bool:
        if not profile.is_open_connection:
            return self._listening is not None and self._listening[0] == profile.name
        connection = self.of(profile)
        return connection is not None and connection.is_open

    def is_closing(self, profile: Profile) -> bool:
        connection = self.of(profile)
        return connection is not None and connection.is_closing

    async def listen(self, profile: Profile, stop: Stop, watch: Watch) -> Exchange | None:
        """Open the event stream of a server over HTTP, which is read until it ends; return why it did not open."""
        opened: asyncio.Future[Exchange | None] = asyncio.get_running_loop().create_future()
        self._app.run_worker(self._read(profile, stop, watch, opened), group="listening")
        return await opened

    async def _read(self, profile: Profile, stop: Stop, watch: Watch, opened: asyncio.Future[Exchange | None]) -> None:
        def begin(_: Exchange) -> None:
            self._listening = (profile.name, stop)
            opened.set_result(None)

        end = await self.explorer.listen(on_response=begin, watch=watch, stop=stop)
        if not opened.done():
            opened.set_result(end)
        elif not stop.pressed:
            self._listening = None
            why = self.explorer.redactor().text(getattr(end.outcome, "sentence", ""))
            self._app.notify(f"{profile.shown_name} sends no more events. {why}".rstrip(), severity="warning")

    def stop_listening(self) -> None:
        """Close the event stream."""
        if self._listening is not None:
            self._listening[1].press()
            self._listening = None

    def asked(self, name: str) -> list[Event]:
        """Return the requests of a profile that wait for the user, the oldest first."""
        waiting = self._waiting[name] = [event for event in self._waiting.get(name, ()) if event.waits]
        return waiting

    def _tick(self) -> None:
        profile = self.explorer.profile
        self.drafts = {event: texts for event, texts in self.drafts.items() if event.waits}
        if self._listening is not None and (profile is None or profile.name != self._listening[0]):
            self.stop_listening()
        if self.explorer.edited():
            self._app.run_worker(self._close_edited(), group="connection")
        words = self.words(profile) if profile is not None else []
        question = self._asked_question(profile) if profile is not None else None
        if (profile, words, question) != self._seen:
            self._seen = profile, words, question
            for screen in self._app.screen_stack:
                for header in screen.query_children(Header):
                    header.connection = words
                if isinstance(screen, CallState) and profile is not None:
                    screen.asked = question
            self._app.screen.refresh_bindings()

    async def _close_edited(self) -> None:
        for name in await self.explorer.close_edited():
            self._app.notify(f"Closed the connection of {name}: its profile was changed or removed.")

    def _asked_question(self, profile: Profile) -> Question | None:
        """Return what the oldest request that waits asks."""
        event = next(iter(self.asked(profile.name)), None)
        if event is not self._question[0]:
            question = None
            if event is not None:
                question = Question(self._asked_method(profile), question_lines(self.explorer, profile, event))
            self._question = (event, question)
        return self._question[1]

    def _asked_method(self, profile: Profile) -> str:
        """Return the method of the oldest request that waits; empty without one."""
        asked = self.asked(profile.name)
        hide = self.explorer.event_redactor(profile)
        return clipped(hide.method(asked[0].method), METHOD_COLUMNS) if asked else ""

    def words(self, profile: Profile) -> Sequence[WordLine]:
        """Return the state in words, the longest wording first."""
        log, connection = self.logs.get(profile.name), self.of(profile)
        hide = self.explorer.event_redactor(profile)
        asked = self.asked(profile.name)
        if asked:
            first = [("? ", "careful bold"), (f"{self._asked_method(profile)} waits", "careful bold")]
            others = [(f" and {len(asked) - 1:,} more", "careful")] if len(asked) > 1 else []
            return [[*first, *others], first]
        events: WordLine = []
        newest: WordLine = []
        if log is not None and log.count:
            events = [(counted(log.count, "event"), "text")]
        if log is not None and log.newest:
            newest = [(f" · {clipped(hide.method(log.newest.method), METHOD_COLUMNS)}", "middle")]
        if not profile.is_open_connection and self.is_open(profile):
            listens: WordLine = [("● ", "well"), ("listening", "text")]
            if events:
                events = [(" · ", "text"), *events]
            return [[*listens, *events, *newest], [*listens, *events], listens]
        if not profile.is_open_connection:
            return [[*events, *newest], events] if events else []
        if self.is_closing(profile):
            return [[("◌ ", "middle"), ("closing", "middle")]]
        if connection is not None and connection.since is not None:
            lasted = age((datetime.now(UTC) - connection.since).total_seconds())
            opened: WordLine = [("● ", "well"), (f"open {lasted}", "text")]
            if events:
                events = [(" · ", "text"), *events]
            return [[*opened, *events, *newest], [*opened, *events], [("● ", "well"), ("open", "text")]]
        ended = connection.ended if connection else None
        if ended is None or ended.reason == "closed here":
            closed: WordLine = [("○ ", "middle"), ("closed", "middle")]
            if events:
                closed += [(" · ", "middle"), *events]
            return [closed]
        sentence = f"closed: {hide.text(ended.sentence).removesuffix('.')}"
        whys = [*(clipped(sentence, columns) for columns in REASON_COLUMNS), "closed"]
        return [[("○ ", "wrong"), (why, "wrong")] for why in whys]


def question_lines(explorer: Explorer, profile: Profile, event: Event) -> list[WordLine]:
    """Return what a request of the server asks, in a few lines."""
    if event.method != ELICITATION:
        hide = explorer.event_redactor(profile)
        text = hide.message(event)[:MAX_QUESTION] if len(event.text) <= AT_ONCE_BYTES else b""
        return [[(" ".join(text.decode("utf-8", "replace").split()), "text")]]
    asked = explorer.elicitation(profile, event)
    lines: list[WordLine] = [[(line, "text")] for line in asked.message.splitlines()]
    if asked.url:
        lines += [[], [("page at ", "middle"), (asked.host, "bold")], [(asked.url, "dim")]]
    if asked.url and asked.caution:
        lines.append([("! ", "careful bold"), (asked.caution, "careful")])
    if asked.why_not:
        lines += [[], [("! ", "careful bold"), (f"{asked.why_not} The answer is JSON.", "careful")]]
    if params := asked.described.params:
        required = sum(bool(param.required) for param in params)
        count = f"{counted(len(params), 'field')}, {required} required"
        names = ", ".join(param.name for param in params)
        lines += [[], [(count, "middle")], [(names, "dim")]]
    return lines
