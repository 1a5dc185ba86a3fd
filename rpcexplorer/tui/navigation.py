"""The first screen, the history, the profiles and the manual, which are reached from several screens."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal

from textual.app import App
from textual.screen import Screen

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.problem import Problem, UserError, first_few
from rpcexplorer.model.profile import Profile
from rpcexplorer.tui.call.screen import MAX_COMPLAINTS, CallScreen
from rpcexplorer.tui.commands import first_key
from rpcexplorer.tui.key_queue import PendingKeys, run_in_thread
from rpcexplorer.tui.widgets.bars import FOOTER_OVER_CALLS, Frame, Header

if TYPE_CHECKING:
    from pathlib import Path

    from rpcexplorer.model.event import Event
    from rpcexplorer.tui.history import HistoryChoice
    from rpcexplorer.tui.history_search import CaseOnView

CASE_SECONDS: Final = 1.0
"""Keys wait this long while a case is read."""


ProfileAnswer = Literal["profile", "back", "quit"]


class Navigation:
    """Opens screens and applies their answers to the call screen."""

    def __init__(
        self,
        app: App[Any],
        explorer: Explorer,
        pending: PendingKeys,
        problems: Sequence[Problem],
        *,
        profile: str | None,
        case: Path | None,
    ) -> None:
        """``problems`` are those of themes and keys.

        ``profile`` and ``case`` are arguments of the program.
        """
        self._app, self._explorer, self._pending = app, explorer, pending
        self._problems = problems
        self._profile, self._case = profile, case
        self._screen: CallScreen | None = None
        """The call screen, once there is a profile."""
        self._is_added = False
        """The profile in use was added just now."""
        self._chosen_call: HistoryChoice | None = None
        """The call that was chosen in the history while no profile was in use."""
        self._last_found: HistoryChoice | None = None
        """The call that was chosen in the history with a filter, if the history was left so."""

    @property
    def calls(self) -> CallScreen | None:
        """The call screen, once it is complete."""
        screens = (screen for screen in self._app.screen_stack if isinstance(screen, CallScreen))
        return next((screen for screen in screens if screen.is_complete), None)

    def take_event(self, profile: Profile, event: Event) -> None:
        if self._screen is None:
            return
        if event.kind == "part":
            self._screen.sender.take_part(event)
        else:
            self._screen.connections.take(profile, event)

    def take_stderr(self, profile: Profile, line: str) -> None:
        if self._screen is not None:
            self._screen.connections.take_stderr(profile, line)

    def first_screen(self) -> Screen[Any]:
        """Return the call screen, or an empty one if no profile can be used."""
        explorer = self._explorer
        if explorer.profile is None:
            with suppress(UserError):
                explorer.use(self._profile)
        if explorer.profile is not None:
            self._screen = CallScreen(explorer, self._pending)
        return self._screen or Screen()

    def begin(self) -> None:
        """Show the first screen, or ask for a profile; keys wait for it."""
        self._pending.run(self._app, "begin", self._choose_first if self._screen is None else self._begin)

    async def _begin(self) -> None:
        assert self._screen is not None
        await self._screen.completed.wait()
        self._complain()
        self._show_case()

    async def _choose_first(self) -> None:
        """Show the case, then ask for a profile.

        The receiver of a case can read it first, and choose a profile to send a call.
        """
        case = await self._read_case(self._case, "begin") if self._case is not None else None
        choice: HistoryChoice | None = None
        found: ProfileAnswer = "back"
        could_replay = False
        while found == "back":
            choice = await self._ask_history(case) if case is not None else None
            if choice is not None and choice.action == "carry":
                with suppress(UserError):  # Then the user is asked for another profile.
                    self._explorer.use(choice.profile)
            could_replay = bool(self._explorer.profiles.leaves)
            found = await self._ask_profile(back=case is not None)
        if found == "profile":
            calls = self._screen = CallScreen(self._explorer, self._pending)
            await self._app.push_screen(calls)
            await calls.completed.wait()
            self._complain()
            if choice is not None:
                await self._take(calls, choice)
            elif not could_replay:
                self._show_case()
            await self._take_chosen_call(calls)
            await self._offer_discovery(calls)

    async def _ask_profile(self, *, back: bool = False) -> ProfileAnswer:
        """Ask until there is a profile to use, or end the program.

        ``back``: Esc goes back instead.
        """
        from rpcexplorer.tui.profiles import Welcome, profile_at

        explorer = self._explorer
        while explorer.profile is None:
            wish: str | Profile | None = "choose"
            if not explorer.profiles.leaves:
                at = partial(profile_at, explorer)
                welcome = Welcome(self._found_problems(), at, back=back)
                wish = await self._app.push_screen_wait(welcome)
                if wish == "test":
                    from rpcexplorer.tui.connection_test import run_connection_test

                    found = await run_connection_test(self._app.screen, explorer, None, typed=welcome.typed)
                    if found.name:
                        explorer.use(found.name)
                    continue
            if isinstance(wish, Profile):
                explorer.use(wish)
                continue
            if wish in {"choose", "add"}:
                is_used = await self._choose(adding=wish == "add", back=back)
                if is_used or not explorer.profiles.leaves:
                    continue
            if back and wish not in {"demo", "quit"}:
                return "back"
            self._app.exit("demo" if wish == "demo" else "")
            return "quit"
        return "profile"

    def _complain(self) -> None:
        for problem in self._found_problems():
            self._app.notify(problem, timeout=10, severity="warning")

    def _found_problems(self) -> list[str]:
        """Return the first problems of each kind of file."""
        found = first_few(self._explorer.profiles.problems, MAX_COMPLAINTS)
        found += first_few(self._problems, MAX_COMPLAINTS, "")
        secrets = self._explorer.secrets.problem()
        return [*found, str(secrets)] if secrets else found

    async def _look_back_first(self) -> None:
        """Show the history of all profiles. A call that is chosen there brings its profile."""
        asking = self._app.screen
        choice = await self._ask_history(None)
        if choice is None:
            return
        name = choice.profile or choice.exchange.profile
        try:
            self._explorer.use(name)
        except UserError:
            self._app.notify(
                f"The profile {name} cannot be used. Choose or add one, then load the call.", severity="warning"
            )
        else:
            self._chosen_call = choice
            asking.dismiss(True)

    async def _take_chosen_call(self, calls: CallScreen) -> None:
        choice, self._chosen_call = self._chosen_call, None
        if choice is not None:
            await self._take(calls, choice)

    def show_history(self) -> None:
        if self._explorer.profile is None:
            self._pending.run(self._app, "history", self._look_back_first)
        elif (calls := self._back_to_calls()) is not None:
            self._pending.run(self._app, "history", partial(self._look_back, calls))

    def _show_case(self) -> None:
        if self._case is not None and self.calls is not None:
            self._pending.run(self._app, "case", partial(self._open_case, self.calls, self._case))

    async def _open_case(self, calls: CallScreen, file: Path) -> None:
        if (case := await self._read_case(file, "case")) is not None:
            await self._look_back(calls, case)

    async def _read_case(self, file: Path, group: str) -> CaseOnView | None:
        """Read a case for an action of this group, and show its problems."""
        from rpcexplorer.tui.history_search import CaseOnView

        reading = asyncio.ensure_future(run_in_thread(partial(self._explorer.cases.read, file)))
        await asyncio.wait([reading], timeout=CASE_SECONDS)
        if not reading.done():
            self._app.notify(f"Reading {file.name} …")
            self._pending.go_on(group)  # One of the waiting keys may be for quitting.
        case = await reading
        self._pending.wait(group)
        if isinstance(case, Problem):
            self._app.notify(str(case), severity="warning", timeout=10)
            return None
        for problem in case.problems:
            self._app.notify(str(problem), severity="warning", timeout=10)
        return CaseOnView(file.name, case.calls, case.note, case.addresses)

    async def _look_back(self, calls: CallScreen, case: CaseOnView | None = None) -> None:
        """Show the history or a case, and load or resend the chosen call."""
        calls.drafts.write_down()
        choice = await self._ask_history(case)
        if choice is not None:
            await self._take(calls, choice)

    async def _ask_history(self, case: CaseOnView | None) -> HistoryChoice | None:
        from rpcexplorer.tui.history import HistoryScreen

        last = self._last_found if case is None else None
        screen = HistoryScreen(self._explorer, self._pending, self._frame(), case=case, last=last)
        choice = await self._app.push_screen_wait(screen)
        if case is None:
            self._last_found = choice if choice is not None and choice.filter else None
        return choice

    async def _take(self, calls: CallScreen, choice: HistoryChoice) -> None:
        """Load a recorded call, or resend it."""
        explorer, exchange = self._explorer, choice.exchange
        if choice.action == "carry":
            await calls.carry(Draft(exchange.method, exchange.params), choice.profile)
        elif explorer.profile is not None:
            # The call was read from the history of this profile.
            ours = explorer.journal.is_ours(exchange, explorer.profile)
            # Only the user chooses the profile for someone else's call.
            is_used = exchange.foreign or exchange.profile == explorer.profile.name
            is_used = is_used or await calls.use(exchange.profile)
            if not is_used:
                loaded = f"The call was loaded with {explorer.profile.shown_name}."
                self._app.notify(f"The profile {exchange.profile} no longer exists. {loaded}")
            if choice.action == "again" and is_used:
                calls.again(exchange, ours=ours)
            else:
                calls.load(exchange, ours=ours)

    def show_profiles(self, *, adding: bool = False) -> None:
        if (calls := self._back_to_calls()) is not None:
            self._pending.run(self._app, "profiles", partial(self._switch, calls, adding=adding))

    async def _switch(self, calls: CallScreen, *, adding: bool) -> None:
        await calls.params.settled()
        calls.drafts.write_down()
        before = self._explorer.profile
        calls.read_profiles()
        await self._choose(adding=adding)
        if await self._ask_profile() == "profile" and self._explorer.profile != before:
            await calls.settle()
            saved = self._explorer.profile
            if self._is_added and saved is not None and before is not None and before.ad_hoc:
                calls.adopt_drafts(before, saved)
            calls.show_profile()
            await self._take_chosen_call(calls)
            await self._offer_discovery(calls)

    async def _offer_discovery(self, calls: CallScreen) -> None:
        if self._is_added:
            await calls.offer_discovery()

    async def _choose(self, *, adding: bool = False, back: bool = False) -> bool:
        """Show the profiles; return whether one of them was chosen."""
        from rpcexplorer.tui.profiles import ProfilesScreen

        screen = ProfilesScreen(self._explorer, self._pending, self._frame(), adding=adding, back=back)
        is_used: bool | None = await self._app.push_screen_wait(screen)
        self._is_added = bool(is_used) and screen.is_added
        return bool(is_used)

    def read_manual(self, page: str) -> None:
        """Open the manual at a page, or go to the page if it is open."""
        from rpcexplorer.tui.manual import ManualScreen

        if isinstance(self._app.screen, ManualScreen):
            name, _, section = page.partition("#")
            self._app.screen.open(name, section)
        else:
            self._pending.run(self._app, "manual", partial(self._read_manual, page))

    async def _read_manual(self, page: str) -> None:
        from rpcexplorer.manual import read_page
        from rpcexplorer.tui.dialogs import page_titles
        from rpcexplorer.tui.manual import ManualScreen

        key = first_key("manual.contents", self._explorer.settings.keymap)
        manual = ManualScreen(
            page_titles(), lambda name: read_page(name).text, self._pending, self._frame(), page=page, contents_key=key
        )
        await self._app.push_screen_wait(manual)

    def _back_to_calls(self) -> CallScreen | None:
        """Close the screen over the call screen."""
        if (calls := self.calls) is not None and self._app.screen is not calls:
            self._app.screen.dismiss(None)
        return calls

    def _frame(self) -> Frame:
        return self.calls.frame if self.calls is not None else Frame(Header, FOOTER_OVER_CALLS)
