"""The replay screen, and the questions before it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from itertools import groupby
from typing import Any, ClassVar, Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from rpcexplorer.client.replay import (
    STOPPED,
    Replayed,
    ReplayVerdict,
    ignored_in,
    replayed,
    server_of,
)
from rpcexplorer.compare.compare import compared
from rpcexplorer.explorer import Explorer
from rpcexplorer.jsontext.steps import run_in_turns
from rpcexplorer.model.draft import Batch, Draft, as_called, sent_draft
from rpcexplorer.model.exchange import Cancelled, Exchange, Refused, Stop, Unreached, fresh_id
from rpcexplorer.model.problem import Problem, counted
from rpcexplorer.model.profile import Profile
from rpcexplorer.text.columns import MAX_NAME_CHARACTERS, MAX_NAME_COLUMNS, Cell, Column
from rpcexplorer.text.compare import REPLAY_SIGNS, replayed_words, verdict_count
from rpcexplorer.text.exchange import duration, times
from rpcexplorer.text.printable import clipped, columns
from rpcexplorer.text.profile import printable_url
from rpcexplorer.tui.browser import Browser
from rpcexplorer.tui.compare import NAME, ComparisonScreen
from rpcexplorer.tui.dialogs import caution_of, is_quiet, profile_picks, short_name
from rpcexplorer.tui.key_queue import PAUSE_SECONDS, SLICE, PendingKeys, opens
from rpcexplorer.tui.widgets.bars import Frame, WarningLines
from rpcexplorer.tui.widgets.dialog import Choice, Confirm, Dialog, keys
from rpcexplorer.tui.widgets.full_screen import FullScreen
from rpcexplorer.tui.widgets.picker import Pick, Picker
from rpcexplorer.tui.widgets.rows import ItemList
from rpcexplorer.variables.resolve import Missing


class ReplayRow(Struct, frozen=True):
    """A call with its result, or its state before that."""

    name: str
    result: Replayed | Literal["sending", "waiting", "not sent"]


ROLES: Final[dict[ReplayVerdict, str]] = {
    "same": "well",
    "differs": "careful",
    "not comparable": "careful",
    "failed": "wrong",
    "stopped": "careful",
    "skipped": "middle",
}
"""Colours of verdicts, in addition to sign and word."""
TOOK: Final = len("31.2 s → 31.2 s ")


def _sign(row: ReplayRow) -> Cell:
    if isinstance(row.result, Replayed):
        return [(REPLAY_SIGNS[row.result.verdict], ROLES[row.result.verdict])]
    return [("◐", "careful") if row.result == "sending" else ("·", "dim")]


def _name(row: ReplayRow) -> Cell:
    return [(row.name, "text" if isinstance(row.result, Replayed) else "middle")]


def _verdict(row: ReplayRow) -> Cell:
    if isinstance(row.result, Replayed):
        return [(replayed_words(row.result)[0], f"{ROLES[row.result.verdict]} bold")]
    return [(row.result, "careful" if row.result == "sending" else "dim")]


def _reason(row: ReplayRow) -> Cell:
    return [(replayed_words(row.result)[1], "middle")] if isinstance(row.result, Replayed) else []


def _took(row: ReplayRow, room: int) -> Cell:
    """Return the durations, unless the reason needs their room."""
    if not isinstance(row.result, Replayed) or columns(replayed_words(row.result)[1]) > room - TOOK:
        return []
    recorded, live = row.result.recorded, row.result.live
    words = f"{duration(recorded.seconds)} → {duration(live.seconds)} " if live else ""
    return [(words.rjust(TOOK), "dim")]


COLUMNS: Final = (
    Column(_sign, width=1, gap=1),
    Column(_name, share=4, least=8, gap=1),
    Column(_verdict),
    Column(_reason, fills=True),
    Column(fit=_took, right=True, gap=0),
)


Run: TypeAlias = Callable[[Stop], AsyncIterator[Replayed]]
"""Sends all calls in order until it is stopped."""


class ReplayScreen(Browser[ReplayRow, None], scope="replay"):
    """The replay, which starts when it opens. Esc stops it, then closes it.

    Calls that were sent are in the history.
    """

    HAS_DETAIL = False

    def __init__(
        self,
        explorer: Explorer,
        title: str,
        run: Run,
        pending: PendingKeys,
        frame: Frame,
        *profiles: Profile,
        names: Sequence[str],
    ) -> None:
        """``names`` of the calls, in order."""
        super().__init__(ItemList(COLUMNS), pending, frame, *profiles)
        self.explorer = explorer
        self.done: list[Replayed] = []
        self.opens_first = False
        """Open the first comparison as soon as it is made, and close this screen after it."""
        self._reason = WarningLines()
        """The reason of the row under the cursor, if a row has no room for it."""
        self._title, self._run = title, run
        self._names = [name[:MAX_NAME_CHARACTERS] for name in names]

    def under_list(self) -> Sequence[Widget]:
        return [self._reason]

    def on_mount(self) -> None:
        self._send_all()

    def show_detail(self) -> None:
        super().show_detail()
        result = self.row.result if self.row is not None else None
        reason = replayed_words(result)[1] if isinstance(result, Replayed) else ""
        self._reason.pieces = [(reason, "middle")] if columns(reason) > self.size.width // 2 else ()

    def on_resize(self) -> None:
        self.show_detail()

    @work(exclusive=True, group="replaying", description="replaying")
    async def _send_all(self) -> None:
        self.stop = Stop()
        self._show()
        async for result in self._run(self.stop):
            self.done.append(result)
            self._show()
        is_stopped, self.stop = self.stop.pressed, None
        self._show()
        if self.opens_first and self.done and not is_stopped:
            self._open(self.done[0], leave_after=True)

    def _show(self) -> None:
        """Show the results and the waiting calls; the cursor stays."""
        rows = [ReplayRow(name, result) for name, result in zip(self._names, self.done, strict=False)]
        waiting = self._names[len(rows) :]
        if waiting and self.stop is not None:
            rows.append(ReplayRow(waiting.pop(0), "sending"))
        rows += [ReplayRow(name, "waiting" if self.stop else "not sent") for name in waiting]
        self.list.items = rows
        words = [(self._title, "bold")]
        if self.stop is not None:
            words.append((f"   {len(self.done)} of {len(rows)}", "middle"))
        for verdict, count in Counter(result.verdict for result in self.done).items():
            words.append((f"  {verdict_count(verdict, count)}", ROLES[verdict]))
        self.bar.words = words
        self.show_detail()

    def has(self, state: str) -> bool:
        match state:
            case "responded":
                result = self.row.result if self.row is not None else None
                return isinstance(result, Replayed) and result.live is not None
        return super().has(state)

    def choose(self, row: ReplayRow) -> None:
        if isinstance(row.result, Replayed):
            self._open(row.result)

    @opens("comparison")
    async def _open(self, replayed: Replayed, *, leave_after: bool = False) -> None:
        if replayed.live is not None:
            left, right, ignore = replayed.recorded, replayed.live, replayed.ignore
            opened = ComparisonScreen(
                self.explorer, left, right, self.pending, self.frame, ignore=ignore, made=replayed.comparison
            )
            await self.app.push_screen_wait(opened)
        if leave_after:
            self.dismiss(None)

    action_stop = Browser.action_close


LONGEST: Final = 200
"""Columns of a method's name in a question."""


async def may_send_all(
    screen: Screen[Any],
    explorer: Explorer,
    drafts: Sequence[tuple[Draft | Batch, Profile]],
    first_urls: str = "",
    *,
    quiet: bool = False,
) -> bool:
    """Ask once whether to send all calls that need a confirmation.

    ``first_urls``: original URLs of calls that are now sent to another URL. ``quiet``: do not ask about methods that
    the user wants no question about today.
    """
    methods, by_name, asked = Counter[str](), dict[str, Profile](), 0
    for draft, profile in drafts:
        found = explorer.to_ask_about([draft], profile)
        if found and not (quiet and is_quiet(explorer, draft)):
            methods.update(found)
            by_name[profile.name] = profile
            asked += 1
    if not asked:
        return True
    profiles = list(by_name.values())
    rows = [("profile", f"{one.shown_name}  {one.origin}  {one.badge_word}".rstrip()) for one in profiles]
    if first_urls:
        rows.append(("first sent to", first_urls))
    rows.append(("method", "\n".join(times(clipped(name, LONGEST), count) for name, count in methods.items())))
    title = f"Send to {' and '.join(map(short_name, profiles))}?"
    if any(profile.confirm != "always" for profile in profiles):
        verb = "is" if asked == 1 else "are"
        unsafe = f"{asked} of {len(drafts)} calls {verb} unsafe." if len(drafts) > 1 else "The call is unsafe."
        title += f"  {unsafe}"
    question = Confirm(title, rows, [Choice("send", "Send")], caution=caution_of(*profiles))
    return await screen.app.push_screen_wait(question) == "send"


async def profiles_for_servers(
    screen: Screen[Any], explorer: Explorer, records: Sequence[Exchange], what: str
) -> dict[tuple[str, str], Profile] | None:
    """Ask for a profile for each recorded server; None if cancelled."""
    servers = list(dict.fromkeys(map(server_of, records)))
    chosen: dict[tuple[str, str], Profile] = {}
    for server in servers:
        its = [record for record in records if server_of(record) == server]
        if len(servers) > 1:
            name, url = clipped(server[0], MAX_NAME_COLUMNS // 2), clipped(server[1], MAX_NAME_COLUMNS)
            what = f"{counted(len(its), 'call')} of {name}, {url},"
        profile = await _profile_for(screen, explorer, its, what, [profile.name for profile in chosen.values()])
        if profile is None:
            return None
        chosen[server] = profile
    return chosen


async def _profile_for(
    screen: Screen[Any], explorer: Explorer, records: Sequence[Exchange], what: str, taken: Sequence[str]
) -> Profile | None:
    """Ask for a profile to send recorded calls to.

    The cursor starts on the profile that recorded them. For someone else's calls, it starts on the only profile with
    their URL, else on one that is not ``taken`` for another server.
    """
    used = explorer.profile.name if explorer.profile else ""
    theirs = {record.profile for record in records if not (record.foreign or record.writer)}
    picks = profile_picks(explorer)
    names = [pick.id for pick in picks]
    if explorer.profile is not None and used not in names:  # The current profile is a typed URL.
        url = printable_url(explorer.profile.endpoint)
        picks.insert(0, Pick(used, explorer.profile.shown_name, url, explorer.profile.badge_word))
    if not picks:
        screen.notify("There is no profile yet. Press Esc, then type a URL or add a profile. The case opens again.")
        return None
    urls = {record.url for record in records}
    same = [profile.name for profile in explorer.profiles.profiles.values() if profile.endpoint in urls]
    if len(theirs) == 1:
        on = theirs.pop()
    elif len(same) == 1:
        on = same[0]
    else:
        on = next((name for name in (used, *names) if name and name not in taken), used)
    chosen: str | None = await screen.app.push_screen_wait(Picker(f"Replay {what} on which profile?", picks, on=on))
    if not chosen:
        return None
    profile = explorer.profile if chosen == used else explorer.profiles.get(chosen)
    if isinstance(profile, Problem):
        screen.notify(f"Nothing was sent: {chosen} cannot be used. {profile}", severity="warning")
    return profile if isinstance(profile, Profile) else None


class Ticked(ItemList[Profile]):
    """Profiles with check boxes. The order of checking is kept; the others are compared with the first."""

    DEFAULT_CSS = "Ticked { height: auto; max-height: 12; }"

    def __init__(self, profiles: Sequence[Profile], on: str) -> None:
        super().__init__(
            (
                Column(self._box, width=3, gap=1),
                Column(self._profile, most=24, gap=1),
                Column(lambda profile: [(printable_url(profile.endpoint), "dim")], fills=True),
                Column(self._first, right=True, gap=0),
                Column(
                    lambda profile: [(profile.badge_word, "middle")],
                    width=max(len(profile.badge_word) for profile in profiles),
                    right=True,
                ),
                Column(width=1, gap=0),
            )
        )
        self.ticked: tuple[str, ...] = (on,) if on else ()

    def _box(self, profile: Profile) -> Cell:
        return [("[x]", "accent bold") if profile.name in self.ticked else ("[ ]", "middle")]

    def _profile(self, profile: Profile) -> Cell:
        return [(profile.shown_name, "text bold" if profile.name in self.ticked else "text")]

    def _first(self, profile: Profile) -> Cell:
        return [("  compare with this", "accent")] if self.ticked[:1] == (profile.name,) else []

    def tick(self) -> None:
        if self.chosen is not None:
            name = self.chosen.name
            others = tuple(ticked for ticked in self.ticked if ticked != name)
            self.ticked = others if name in self.ticked else (*self.ticked, name)
            self.refresh()


class SeveralProfiles(Dialog[tuple[str, ...]]):
    """A choice of several profiles; it answers their names in checked order."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "tick", show=False),
        Binding("enter", "take", show=False, priority=True),
    ]

    def __init__(self, title: str, profiles: Sequence[Profile], on: str) -> None:
        super().__init__(title)
        self._profiles, self._list = profiles, Ticked(profiles, on)
        self._hint = Static(classes="hint")

    def content(self) -> ComposeResult:
        yield self._list
        yield self._hint

    def on_mount(self) -> None:
        self._list.items = self._profiles
        if len(self._profiles) == 2 and self._list.ticked:  # With two profiles, only both can be meant.
            self._list.ticked = tuple(profile.name for profile in self._profiles)
        self.set_focus(self._list)
        self._hint.update(keys("Space", "select", "Enter", "send to each", "Esc", "cancel"))

    def action_tick(self) -> None:
        self._list.tick()
        self._list.action_move(1)

    def action_take(self) -> None:
        """Answer, unless fewer than two profiles are checked."""
        if len(self._list.ticked) > 1:
            self.dismiss(self._list.ticked)
        else:
            self._hint.update(keys("Space", "select a second profile to compare with"))


async def replay(screen: FullScreen[Any], records: Sequence[Exchange]) -> None:
    """Ask where to send recorded calls, send them, and show the results."""
    explorer = screen.explorer
    records = [as_called(record) for record in records]
    what = f"{len(records)} calls" if len(records) > 1 else clipped(records[0].method, NAME)
    chosen = await profiles_for_servers(screen, explorer, records, what)
    if chosen is None:
        return
    calls = [(record, chosen[server_of(record)]) for record in records]
    moved = [(record.url, profile) for record, profile in calls if explorer.cases.goes_elsewhere(record, profile)]
    drafts = [(sent_draft(record), profile) for record, profile in calls]
    if not await may_send_all(screen, explorer, drafts, ", ".join(dict.fromkeys(url for url, _ in moved))):
        return
    urls = dict.fromkeys((url, printable_url(profile.endpoint)) for url, profile in moved)
    used = {profile.name: profile for _, profile in calls}.values()
    names = [record.method for record, _ in calls]
    if len(used) > 1:
        names = [f"{profile.shown_name}: {record.method}" for record, profile in calls]
    title = f"Replay  {what} on {' and '.join(profile.shown_name for profile in used)}"
    run = partial(_replayed, explorer, calls)
    opened = ReplayScreen(explorer, title, run, screen.pending, screen.frame, *used, names=names)
    opened.remarks.pieces = [(f"first sent to {clipped(url, 60)}, now sent to {now}", "careful") for url, now in urls]
    await screen.app.push_screen_wait(opened)


async def _replayed(
    explorer: Explorer, calls: Sequence[tuple[Exchange, Profile]], stop: Stop
) -> AsyncIterator[Replayed]:
    """Yield the results of a replay.

    Responses that were not compared are shown as recorded, without secrets.
    """
    for profile, group in groupby(calls, lambda call: call[1]):
        async for result in explorer.replay([record for record, _ in group], profile=profile, stop=stop):
            live = result.live
            if live is not None and result.comparison is None:
                live = await asyncio.to_thread(explorer.journal.as_recorded, live, profile)
            yield replace(result, live=live)


async def compare_profiles(screen: FullScreen[Any], draft: Draft, *, whole: bool) -> None:
    """Ask for profiles, send one call to each, and compare the responses.

    ``whole``: fill in the variables for each profile; missing values are asked for.
    """
    explorer, used = screen.explorer, screen.explorer.profile
    offered = {used.name: used} if used is not None else {}
    offered |= {name: profile for name, profile in explorer.profiles.profiles.items() if name not in offered}
    if len(offered) < 2:
        screen.notify("There is no other profile to compare with. Add one first.")
        return
    question = f"Compare {clipped(draft.method, MAX_NAME_COLUMNS)} on which profiles?"
    several = SeveralProfiles(question, list(offered.values()), used.name if used else "")
    profiles = [offered[name] for name in await screen.app.push_screen_wait(several) or ()]
    calls: list[tuple[Draft | Batch, Profile]] = [(draft, profile) for profile in profiles]
    if whole:
        calls = await fill_for_profiles(screen, explorer, draft, profiles)
    if not calls or not await may_send_all(screen, explorer, calls):
        return
    others = [profile.shown_name for profile in profiles[1:]]
    run = partial(_on_each, explorer, calls)
    title = f"{clipped(draft.method, NAME)}  compared with {profiles[0].shown_name}"
    opened = ReplayScreen(explorer, title, run, screen.pending, screen.frame, *profiles, names=others)
    opened.opens_first = len(others) == 1
    await screen.app.push_screen_wait(opened)


async def fill_for_profiles(
    screen: Screen[Any], explorer: Explorer, draft: Draft, profiles: Sequence[Profile]
) -> list[tuple[Draft | Batch, Profile]]:
    """Return the call with its variables filled for each profile, or [].

    A typed value is used for all profiles without an own value. Random values are the same for all.
    """
    from rpcexplorer.tui.saved_calls import fill_variables

    calls, given, id = list[tuple[Draft | Batch, Profile]](), dict[str, str](), fresh_id()
    for profile in profiles:
        found: Draft | Batch | Missing | None = explorer.resolved(draft, id=id, profile=profile)
        if isinstance(found, Missing):
            known = {name: given[name] for name in found.names if name in given}
            found = explorer.resolved(draft, known, id=id, profile=profile)
        if isinstance(found, Missing):
            found = await fill_variables(screen, explorer, draft, given, id=id, profile=profile)
        if found is None:
            return []
        calls.append((found, profile))
    return calls


async def _on_each(
    explorer: Explorer, calls: Sequence[tuple[Draft | Batch, Profile]], stop: Stop
) -> AsyncIterator[Replayed]:
    """Send to each profile, and yield comparisons with the first response."""
    first: Exchange | None = None
    own: Sequence[str] = ()
    for draft, profile in calls:
        if stop.pressed:
            return
        exchange = await explorer.call(draft, profile=profile, stop=stop)
        exchange = await asyncio.to_thread(explorer.journal.as_recorded, exchange, profile)
        ignore = ignored_in(exchange, profile, ())
        if first is None:
            first, own = exchange, ignore
            continue
        match exchange.outcome:
            case Cancelled():
                yield Replayed(first, exchange, None, "stopped", STOPPED)
            case Unreached(sentence=why) | Refused(sentence=why):
                yield Replayed(first, exchange, None, "failed", why)
            case _:
                ignore = [*own, *ignore]
                comparison = await run_in_turns(compared(first, exchange, ignore), SLICE, PAUSE_SECONDS)
                yield replayed(first, exchange, comparison, ignore)
