"""The state of the call screen, which its parts read and change: the call, its response, and what the explorer has."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec import Struct
from textual import work
from textual.reactive import reactive

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Exchange, Stop, fresh_id
from rpcexplorer.model.method import SIGN, Described, Method, SavedCall, SavedMethod, method_of, no_such_call
from rpcexplorer.model.profile import Profile
from rpcexplorer.text.wrapping import WordLine
from rpcexplorer.tui.commands import first_key
from rpcexplorer.tui.key_queue import PendingKeys
from rpcexplorer.tui.widgets.bars import Frame
from rpcexplorer.tui.widgets.full_screen import FullScreen

if TYPE_CHECKING:
    from rpcexplorer.checks.run import CheckVerdict
    from rpcexplorer.history.statistics import UsualTimes
    from rpcexplorer.model.event import Event
    from rpcexplorer.model.problem import Hint
    from rpcexplorer.transport.port import Progress

T = TypeVar("T")
MOST_RECENT: Final = 8
"""At most this many calls are below the methods; the history has all."""
MAX_PARTS_SHOWN: Final = 100
"""Parts of a result to show while the call runs; its exchange has all."""
TIMES_SECONDS: Final = 0.5
"""Until the usual durations are read, so that it delays neither the start nor the first keys."""


class Running:
    """Work that is under way; nothing else is sent meanwhile."""

    def __init__(self, explorer: Explorer, words: str, method: str = "") -> None:
        """``words``: the work in a word or two; ``method``: the one that is being called."""
        self.words, self.method, self.profile = words, method, explorer.profile
        self.stop = Stop()
        self.progress: Progress | None = None
        self.is_overtaken = False
        """Another exchange was opened meanwhile."""
        self.step = ""
        """The progress of work that makes many calls."""
        self.parts = 0
        """Responses to the call so far, if there are several."""
        self.newest: deque[Event] = deque(maxlen=MAX_PARTS_SHOWN)
        self.started = time.monotonic()
        self._stands_at: float | None = None
        """The elapsed time while a question of the server waits."""
        self._credentials = explorer.credentials
        self._began = self._clock()

    @property
    def name(self) -> str:
        return self.method or self.words

    @property
    def seconds(self) -> float:
        """The elapsed time, without that for the answers of the user."""
        return self._clock() - self._began if self._stands_at is None else self._stands_at

    def stand_still(self, *, is_asking: bool) -> None:
        """Let no time pass while the user is asked on behalf of the server."""
        if is_asking:
            self._stands_at = self.seconds
        elif self._stands_at is not None:
            self._began, self._stands_at = self._clock() - self._stands_at, None

    def _clock(self) -> float:
        return time.monotonic() - self._credentials.asked_for


class Question(Struct, frozen=True):
    """A request of the server that waits for the user."""

    method: str
    lines: Sequence[WordLine]
    """What it asks."""


class OfferedHint(Struct, frozen=True):
    """The hint after a failure."""

    words: WordLine
    profile: Profile
    hint: Hint | None
    """None if there is nothing to apply."""
    again: Callable[[], object]
    """Repeats the work that failed."""

    @property
    def is_about_auth(self) -> bool:
        hint = self.hint
        return hint is not None and (bool(hint.secret) or any(key.startswith("auth") for key, _ in hint.changes))


def unpainted(default: T, *, always_update: bool = False) -> reactive[T]:
    """Return a reactive that only the panes watch."""
    return reactive(default, init=False, repaint=False, always_update=always_update)


class CallState(FullScreen[None]):
    """What the call screen shows. The panes are bound to it; what follows from it is computed."""

    method: reactive[str] = unpainted("")
    """The method in the editor, or a saved call with its sign."""
    exchange: reactive[Exchange | None] = unpainted(None, always_update=True)
    """The exchange on view."""
    running: reactive[Running | None] = unpainted(None)
    """The work that is under way."""
    asked: reactive[Question | None] = unpainted(None)
    """The oldest request of the server that waits for the user."""
    offered: reactive[OfferedHint | None] = unpainted(None)
    """The hint if the exchange on view has just failed."""
    check_remark: reactive[WordLine] = unpainted([])
    """The result of the check on view; empty if the call was none."""
    listed: reactive[Method | None] = unpainted(None)
    """The entry of ``method`` in the list."""
    called: reactive[str] = unpainted("")
    """The method that is sent."""
    described: reactive[Described | None] = unpainted(None, always_update=True)
    """The description of that method; never compared, as it may be large."""

    profile: reactive[Profile | None] = unpainted(None)
    """The profile in use. This and the rest is read by ``explorer_changed``."""
    auth: reactive[WordLine] = unpainted([])
    """The state of the session or the credentials."""
    problem: reactive[str] = unpainted("")
    """The first problem with files, in short."""
    known: reactive[Mapping[str, Method]] = unpainted({})
    """The methods and saved calls in the list."""
    found_none: reactive[bool] = unpainted(False)
    """The last discovery with this profile found no methods."""
    pinned: reactive[Sequence[str]] = unpainted(())
    recent: reactive[Sequence[Exchange]] = unpainted(())
    """The newest calls of the profile, the latest first."""
    times: reactive[UsualTimes | None] = unpainted(None)
    """The durations that are usual, once they are known."""
    verdicts: reactive[Mapping[str, CheckVerdict]] = unpainted({})
    """The last results of the listed checks."""
    changes: reactive[int] = unpainted(0)
    """Counts the changes of the explorer, for what follows from several of its parts."""

    def __init__(self, explorer: Explorer, pending: PendingKeys, frame: Frame) -> None:
        super().__init__(pending, frame)
        self.explorer = explorer
        self.completed = asyncio.Event()
        """Set when params and response exist: the first frame has none of them."""
        self.all_verdicts: dict[tuple[str, SavedCall], CheckVerdict] = {}
        """The last results of checks in this run of the program, by profile and call: an edited call has none."""
        self.has_history = False
        """The history was read: a draft may start from the last call."""
        self.next_id = fresh_id()
        """The id of the next call."""
        self.new_names = frozenset[str]()
        """The names that were called and were not listed."""
        self._listed_from: object = None
        """What the list of methods follows from."""
        self._described_by: object = None
        """The profile and the time of the discovery that the descriptions are from."""
        self.draft_problem = ""
        """Why the draft could not be written."""
        self._shown_problems: set[str] = set()
        """Problems that were shown and still exist."""

    @property
    def is_complete(self) -> bool:
        return self.completed.is_set()

    def key(self, command: str) -> str:
        return first_key(command, self.explorer.settings.keymap)

    def tell(self, sentence: str) -> None:
        self.notify(sentence, timeout=8)

    def take_id(self) -> str:
        """Return the id of the next call, and make another one."""
        id, self.next_id = self.next_id, fresh_id()
        return id

    def pin(self, name: str) -> None:
        """Pin a method to the top of the list, or unpin it."""
        remembered = self.explorer.remembered
        change = remembered.unpin if name in self.pinned else remembered.pin
        change(self.profile_name, name)
        self.pinned = remembered.pinned(self.profile_name)

    def listed_method(self, name: str) -> Method | None:
        """Return a method or saved call by its listed name; None without one."""
        return self.known.get(name) or (Method(name, source="history") if name else None)

    def called_by(self, name: str) -> str:
        """Return the method that a listed method or saved call sends."""
        known = self.known.get(name)
        return known.calls if isinstance(known, SavedMethod) else method_of(name)

    @property
    def profile_name(self) -> str:
        return self.explorer.profile.name if self.explorer.profile else ""

    @property
    def saved_call(self) -> SavedCall | None:
        """The saved call in the editor, if it is one."""
        is_saved = isinstance(self.listed, SavedMethod)
        return self.explorer.saved_calls().get(self.method.removeprefix(SIGN)) if is_saved else None

    @property
    def unknown_call(self) -> str:
        """The reason not to send: no saved call has this name; else empty.

        A server may have methods whose names look like saved calls.
        """
        is_listed = self.listed is not None and self.listed.source != "history"
        if not self.method.startswith(SIGN) or is_listed or self.called != self.method:
            return ""
        return no_such_call(self.method, self.explorer.saved_calls(), self.profile_name)

    @property
    def hint(self) -> OfferedHint | None:
        """The hint that can be applied: the profile has not changed since."""
        offered = self.offered
        return offered if offered and offered.hint and offered.profile == self.explorer.profile else None

    def watch_method(self) -> None:
        self._follow_method()
        if self.is_complete:
            self.describe()
        else:  # the first frame is drawn before the description is read
            self.call_after_refresh(self.describe)

    def _follow_method(self) -> None:
        self.listed, self.called = self.listed_method(self.method), self.called_by(self.method)

    def describe(self) -> None:
        self.described = self.explorer.described(self.called) if self.called else None

    def explorer_changed(self) -> None:
        """Show what the explorer has now: its profile, methods, session and calls."""
        explorer, profile = self.explorer, self.explorer.profile
        if profile is None:  # It was removed on another screen, and another one will be chosen.
            return
        saved = {call.listed_as: call for call in explorer.saved_calls().values()}
        learned, absent = explorer.method_lists.learned(profile), explorer.method_lists.absent(profile)
        described_by = (profile, learned.when if learned else None)
        listed_from = (described_by, absent, saved, self.has_history, self.new_names)
        if listed_from != self._listed_from:
            self._listed_from, self.profile = listed_from, profile
            self.known = explorer.listed_methods(called=self.has_history)
            self._follow_method()
        if described_by != self._described_by:
            self._described_by = described_by
            self.describe()
        self.pinned = explorer.remembered.pinned(profile.name)
        results = {name: self.all_verdicts.get((profile.name, call)) for name, call in saved.items()}
        self.verdicts = {name: verdict for name, verdict in results.items() if verdict}
        self.show_session()
        if self.has_history:
            self._show_recent(profile)
        self.changes += 1

    def show_session(self) -> None:
        """Show the session, whose age changes by itself, and problems with files."""
        from rpcexplorer.text.profile import auth_words

        profile, credentials = self.explorer.profile, self.explorer.credentials
        if profile is None:
            return
        state, since = credentials.state(profile), credentials.since(profile)
        if question := self.explorer.question(profile):
            state = {question.field: question, **state}
        rejected = credentials.is_rejected(profile)
        self.auth = auth_words(profile, state, since, datetime.now(UTC), rejected=rejected)
        self.show_problems()

    def show_problems(self) -> None:
        """Notify about each new problem, and name the first in the header."""
        explorer = self.explorer
        history = explorer.journal.problem
        if history and explorer.history.unsaved:
            history += ". rpcexplorer tries again with the next call."
        problems = {
            "history not saved": history,
            "draft not saved": self.draft_problem or explorer.drafts.problem,
            "draft changed elsewhere": explorer.drafts.other,
            "layout not saved": explorer.remembered.problem,
            "methods not saved": explorer.method_lists.problem,
        }
        for problem in problems.values():
            if problem and problem not in self._shown_problems:
                self.tell(problem)
        self._shown_problems = set(problems.values())
        self.problem = next((words for words, problem in problems.items() if problem), "")

    def _show_recent(self, profile: Profile) -> None:
        """Show the newest calls; in a long history, search for them."""
        self.times = self.explorer.history.times
        if self.times is None:
            self._read_times(profile)
        self.workers.cancel_group(self, "recent")  # the worker may search for calls of another profile
        if self.explorer.journal.is_long(profile):
            self._find_recent(profile)
        else:
            self.recent = self.explorer.recent(MOST_RECENT)

    @work(exclusive=True, group="recent", description="find recent calls")
    async def _find_recent(self, profile: Profile) -> None:
        self.recent = await asyncio.to_thread(self.explorer.journal.recent, profile, MOST_RECENT)

    @work(exclusive=True, group="times", description="read the usual durations")
    async def _read_times(self, profile: Profile) -> None:
        """Read which durations are usual, after all that the start needs."""
        await asyncio.sleep(TIMES_SECONDS)
        await asyncio.to_thread(self.explorer.journal.read_times, profile)
        if self.explorer.profile is profile:
            self.times = self.explorer.history.times
