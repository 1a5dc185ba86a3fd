"""What is typed over a reply: a search, the number of a line, a filter, a command. One line for all of them.

Filtering and piping need a process, so they are asked for upwards; a banner says that what is on view is no longer the
server's. The pane around it says everything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

from textual.containers import Vertical
from textual.message import Message
from textual.reactive import reactive
from textual.timer import Timer

from rpcexplorer.tui.call.response.body import Body
from rpcexplorer.tui.messages import message
from rpcexplorer.tui.widgets.prompt import Prompt, Purpose

if TYPE_CHECKING:
    from rpcexplorer.tui.reader.reader import Reader

PAUSE: Final = 0.15
"""Seconds without a key before a filter is tried."""
DIGITS: Final = 12
"""Of the number of a line; no reply has so many."""


class ReplyLine(Vertical):
    """The part of the response pane that listens to its line."""

    here: reactive[bool] = reactive(False)
    """The focus is inside."""
    filtered: reactive[str] = reactive("")
    """The expression or command that stands between the reply and what is shown; empty: nothing does."""
    waiting: reactive[bool] = reactive(False)
    """What it makes of the reply is not there yet."""

    @message
    class Through(Message):
        """The reply is wanted through a jq expression or a shell command; ``show`` is the answer."""

        pane: ReplyLine
        purpose: Literal["filter", "pipe"]
        told: str
        """The expression or the command."""
        body: bytes

        @property
        def label(self) -> str:
            return f"| {self.told}" if self.purpose == "pipe" else self.told

    @message
    class Dropped(Message):
        """Nobody waits any longer for what the reply went through."""

        pane: ReplyLine

    @message
    class Kept(Message):
        """An expression or a command was taken: worth remembering."""

        pane: ReplyLine
        purpose: Purpose
        text: str

    def __init__(self, body: Body, prompt: Prompt) -> None:
        super().__init__()
        self.body = body
        """The ways of looking at the reply."""
        self.prompt = prompt
        """The line."""
        self._before: dict[Purpose, Sequence[str]] = {}
        self._pause: Timer | None = None
        self._made_by = ""
        """The expression or command that what is shown was made by."""
        self._last_said = ("", False)
        """What the banner says of it, and whether that is a complaint."""

    @property
    def reader(self) -> Reader:
        """The lazy view of JSON and text."""
        return self.body.reader

    def remember(self, purpose: Purpose, before: Sequence[str]) -> None:
        """What was typed before for this purpose, newest first."""
        self._before[purpose] = before

    def show(self, through: Through, text: bytes, sentence: str, *, wrong: bool) -> None:
        """What the filter or the command made of the reply; a complaint leaves what was on view."""
        if through.label != self.filtered:  # something else was asked for meanwhile, or another reply has come
            return
        self.waiting = False
        if text or not wrong:
            self.body.made, self._made_by = text, through.label
        self.say(sentence, wrong=wrong)

    def focus_inside(self) -> None:
        self.body.focus_inside()

    def say(self, sentence: str = "", *, wrong: bool = False) -> None:
        """Put the banner up, or what belongs in its place."""
        raise NotImplementedError

    def watch_filtered(self) -> None:
        """The banner follows; the way back is a key that works only now."""
        if not self.filtered:
            self.drop()
            self.body.made = None
        self.say()
        self.refresh_bindings()

    def banner(self, sentence: str = "", *, wrong: bool = False) -> list[tuple[str, str]]:
        """Loud while something stands between the reply and the eye; nothing while nothing does."""
        if not self.filtered:
            return []
        if sentence or not self.waiting:
            self._last_said = (sentence or "no longer as the server wrote it", wrong)
        how, wrong = ("working …  Esc gives up", False) if self.waiting else self._last_said
        made = self.body.made is not None
        if made and self._made_by != self.filtered:
            how = f"{self.filtered}: {how}"
        return [
            (" FILTERED " if made else " NOT FILTERED " if wrong else " FILTERING ", "careful reverse bold"),
            (f"  {self._made_by if made else self.filtered}", "text bold"),
            (f"   {how}", "wrong" if wrong else "careful"),
            ("   o", "bold"),
            (" original", "middle"),
        ]

    # --- the line ----------------------------------------------------------------------------------------------

    def on_prompt_text_typed(self, event: Prompt.TextTyped) -> None:
        """A search goes along with the keys; a filter waits for a pause."""
        event.stop()
        if not event.prompt.listens:
            return
        if event.purpose == "search":
            self.reader.search(event.text)
        elif event.purpose == "filter":
            self._no_pause()
            self._pause = self.set_timer(PAUSE, lambda: self._put_through("filter", event.text))

    def on_prompt_taken(self, event: Prompt.Taken) -> None:
        event.stop()
        text = event.text.strip()
        if text:
            self.post_message(self.Kept(self, event.purpose, text))
        if event.purpose == "search" and self.reader.needle != event.text:
            self.reader.search(event.text)
        elif event.purpose == "goto" and text.isdecimal():
            self.reader.go_to(int(text[:DIGITS]) - 1)
        elif event.purpose == "filter" or (event.purpose == "pipe" and text):
            self._put_through(event.purpose, text)
        if event.purpose != "search" or not text:
            event.prompt.close()
        self.focus_inside()

    def on_prompt_left(self, event: Prompt.Left) -> None:
        """Escape closes it; a search is over with it, a filter stays until the original is wanted.

        One that has not come to anything yet is given up.
        """
        event.stop()
        if event.purpose == "search":
            self.reader.search("")
        elif self.waiting or self._pause is not None:
            self.give_up()
        event.prompt.close()
        self.focus_inside()

    def on_reader_found(self, event: Reader.Found) -> None:
        event.stop()
        more = "" if event.counted else "+"
        if not event.needle:
            state = ""
        elif not event.total:
            state = "nothing found" if event.counted else "searching …"
        else:
            place = "" if event.index is None else f"{event.index + 1:,} of "
            state = f"{place}{event.total:,}{more}"
        self.prompt.tell(state, wrong=bool(event.needle and event.counted and not event.total))

    def search_on(self) -> None:
        """A search goes along to what is on view now; where that cannot be searched, its line closes."""
        searched = self.prompt.is_open and self.prompt.purpose == "search"
        if self.body.reading:
            self.reader.search(self.prompt.text if searched else "")
        elif searched and not self.prompt.has_focus_within:
            self.prompt.close()

    @property
    def closes(self) -> bool:
        """Whether Escape, in here, has folds to stop or a line to close."""
        return self.here and (self.prompt.is_open or self.body.folding)

    def close_line(self) -> None:
        """Close the line; a search is over with it. What takes a while ends before that."""
        if self.body.folding:
            self.reader.stop_folding()
            return
        prompt = self.prompt
        self.on_prompt_left(Prompt.Left(prompt, prompt.purpose))

    # --- through something -------------------------------------------------------------------------------------

    def _no_pause(self) -> None:
        if self._pause is not None:
            self._pause.stop()
            self._pause = None

    def _put_through(self, purpose: Literal["filter", "pipe"], told: str) -> None:
        self.drop()
        wanted = self.Through(self, purpose, told.strip(), bytes(self.body.text))
        self.filtered = wanted.label
        if self.filtered:
            self.waiting = True
            self.post_message(wanted)

    def drop(self) -> None:
        """What is not there yet is not wanted any more."""
        self._no_pause()
        if self.waiting:
            self.waiting = False
            self.post_message(self.Dropped(self))

    def give_up(self) -> None:
        """Wait no longer for a filter or a command; what was on view before it stays."""
        self.drop()
        if self.body.made is None:
            self.filtered = ""
        else:
            self.say("given up; what is shown was made before", wrong=True)

    # --- actions -----------------------------------------------------------------------------------------------

    def action_search(self) -> None:
        self.prompt.ask("search", self.reader.needle, self._before.get("search", ()))

    def action_next(self) -> None:
        self.reader.next_hit()

    def action_previous(self) -> None:
        self.reader.previous_hit()

    def action_filter(self) -> None:
        before = self._before.get("filter", ())
        text = self.filtered if self.filtered and not self.filtered.startswith("| ") else next(iter(before), "")
        self.prompt.ask("filter", text, before)

    def action_pipe(self) -> None:
        self.prompt.ask("pipe", "", self._before.get("pipe", ()))

    def action_original(self) -> None:
        self.prompt.close()
        self.filtered = ""

    def action_goto(self) -> None:
        self.prompt.ask("goto")
