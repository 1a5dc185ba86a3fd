"""The program on screen: how it starts, and which screen is open. Nobody imports the class.

``open_screen`` is the way in. The class is made in layers: what becomes of keys (``keyboard.py``), what can be done
with a selection (``selecting.py``), what all screens look like (``appearance.py``), how it ends (``leaving.py``), what
opens over a screen (``opening.py``). The history, the profiles and a case lead back to the call screen by way of each
other: they are here.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final

from msgspec.structs import replace
from textual.binding import BindingType
from textual.driver import Driver
from textual.screen import Screen

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.problem import Complaint, told
from rpcexplorer.model.profile import Profile
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.commands import Scope, bindings, keymap, read_keymap
from rpcexplorer.tui.dialogs.person import PersonOnScreen
from rpcexplorer.tui.leaving import Wish, in_a_thread_of_its_own
from rpcexplorer.tui.opening import OpeningApp, footer_over
from rpcexplorer.tui.pending_keys import opens
from rpcexplorer.tui.terminal.output import never_wait_for_the_gone
from rpcexplorer.tui.widgets.header import Header

if TYPE_CHECKING:
    from pathlib import Path

    from rpcexplorer.tui.history.choice import CaseOnView, HistoryChoice

TOLD: Final = 4
"""Things wrong with one kind of files that are told on the first screen: more have no room there."""
PATIENCE: Final = 1.0
"""Seconds for which keys wait while a case is read."""
SETTLED: Final = 2.0
"""Seconds until what the first call takes has been loaded as well."""


class ExplorerApp(OpeningApp):
    """Two kinds of screens: the call screen, which is always there, and those that open over it."""

    TITLE = "rpcexplorer"
    ENABLE_COMMAND_PALETTE = False
    scope: ClassVar[Scope] = "everywhere"
    BINDINGS: ClassVar[list[BindingType]] = bindings("everywhere")

    def __init__(
        self, explorer: Explorer, person: PersonOnScreen, profile: str | None = None, case: Path | None = None
    ) -> None:
        """``case``: a file that is shown first; its calls are somebody else's."""
        super().__init__(explorer)
        person.open = self.push_screen_wait
        self._wanted, self._case = profile, case
        self.when_shown: Callable[[], object] = lambda: None
        """What is to be done once there is something on screen, and once more when nothing else is loaded."""
        self._back = ""
        """What an earlier run could not write, and is back."""
        keys, broken = read_keymap(explorer.settings.keymap, str(explorer.paths.settings))
        self._broken[:0] = broken
        explorer.settings = replace(explorer.settings, keymap=keys)  # whatever names a key on screen reads it there
        self.set_keymap(keymap(keys))

    # --- start and end -----------------------------------------------------------------------------------------

    def get_driver_class(self) -> type[Driver]:
        """Ours, where Textual would take the one that it is made of."""
        chosen = super().get_driver_class()
        if chosen.__module__ != "textual.drivers.linux_driver":  # Windows, or whatever the environment names
            return chosen
        from rpcexplorer.tui.terminal.driver import TerminalDriver

        return TerminalDriver

    def get_default_screen(self) -> Screen[Any]:
        """The call screen at once, where there is a profile to use; else an empty one under the welcome."""
        self._back = self.explorer.rescue.take_back(self.explorer.profiles.profiles.get)  # before an editor shows it
        chosen = self.explorer.profile or self.explorer.use(self._wanted or self._last_used())
        return CallScreen(self.explorer, self.pending) if isinstance(chosen, Profile) else Screen()

    def on_mount(self) -> None:
        self._heed_signals()
        self.call_after_refresh(self.when_shown)
        self.set_timer(SETTLED, self.when_shown)
        if self.calls is None:
            self._begin()
        else:
            self.call_after_refresh(self._complain)
            self.call_after_refresh(self._show_case)

    @opens("begin")
    async def _begin(self) -> None:
        """Show a case before a profile is chosen: whoever gets it reads it first, and chooses when a call is sent."""
        case = await self._read_case(self._case, "begin") if self._case is not None else None
        choice = await self._chosen_of(case) if case is not None else None
        if choice is not None and choice.action == "carry":
            self.explorer.use(choice.profile)
        could_replay = bool(self.explorer.profiles.leaves)
        if await self._settle_on_a_profile():
            calls = CallScreen(self.explorer, self.pending)
            await self.push_screen(calls)
            self._complain()
            if choice is not None:
                await self._take(calls, choice)
            elif not could_replay:
                self._show_case()

    def _show_case(self) -> None:
        if self._case is not None and self.calls is not None:
            self._open_case(self.calls, self._case)

    @opens("case")
    async def _open_case(self, calls: CallScreen, file: Path) -> None:
        if (case := await self._read_case(file, "case")) is not None:
            await self._look_back(calls, case)

    async def _read_case(self, file: Path, group: str) -> CaseOnView | None:
        """Return a case for an action of this group; whatever is wrong with it is shown."""
        from rpcexplorer.tui.history.choice import CaseOnView

        reading = asyncio.ensure_future(in_a_thread_of_its_own(partial(self.explorer.cases.read, file)))
        await asyncio.wait([reading], timeout=PATIENCE)
        if not reading.done():
            self.notify(f"{file.name} is being read.", markup=False)
            self.pending.go_on(group)  # keys wait no longer: one of them may want to leave
        case = await reading
        self.pending.wait(group)
        if isinstance(case, Complaint):
            self.notify(str(case), severity="warning", timeout=10)
            return None
        for complaint in case.complaints:
            self.notify(str(complaint), severity="warning", timeout=10)
        return CaseOnView(file.name, case.calls, case.note, case.addresses)

    async def _settle_on_a_profile(self) -> bool:
        """Until there is a profile to use; False where the person would rather leave."""
        while self.explorer.profile is None:
            wish = "choose" if self.explorer.profiles.leaves else await self._welcome()
            used = wish in {"choose", "add"} and await self._choose(adding=wish == "add")
            if wish in {"", "demo"} or (self.explorer.profiles.leaves and not used):
                self.exit("demo" if wish == "demo" else "")
                return False
        return True

    def _last_used(self) -> str | None:
        return self.explorer.remembered.profile_among(self.explorer.profiles.profiles)

    def _complain(self) -> None:
        if self._back:
            self.notify(self._back, markup=False, timeout=10)
        for complaint in self._complaints():
            self.notify(complaint, markup=False, timeout=10, severity="warning")

    async def _welcome(self) -> str:
        from rpcexplorer.tui.dialogs.welcome import Welcome, files_of

        way = await self.push_screen_wait(Welcome(files_of(self.explorer), self._complaints()))
        return way if way in {"demo", "add"} else ""

    async def _choose(self, *, adding: bool = False) -> bool:
        """The profiles on screen; whether one of them was chosen."""
        from rpcexplorer.tui.profiles.screen import ProfilesScreen

        header = self.calls.header_copy() if self.calls else Header()
        screen = ProfilesScreen(self.explorer, self.pending, adding=adding, header=header, footer=footer_over())
        used: bool | None = await self.push_screen_wait(screen)
        return bool(used)

    def _complaints(self) -> list[str]:
        """What is wrong with each kind of file, in a few sentences."""
        trouble = self.explorer.secrets.trouble()
        files = told(self.explorer.profiles.complaints, TOLD)
        return [*files, *told(self._broken, TOLD, ""), *([str(trouble)] if trouble else [])]

    # --- commands that work everywhere -------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The other screens open over the call screen only."""
        if action == "history" and self.explorer.profile is None:
            return False
        if action in {"history", "profiles"}:
            if self.calls is None:
                return False
            return self.screen is self.calls or getattr(self.screen, "scope", "") in {"history", "profiles"} - {action}
        return super().check_action(action, parameters)

    def action_history(self) -> None:
        if self.calls is not None:
            self._back_to(self.calls)
            self._history(self.calls)

    def action_profiles(self) -> None:
        if self.calls is not None:
            self._back_to(self.calls)
            self._profiles(self.calls)

    def _back_to(self, calls: CallScreen) -> None:
        if self.screen is not calls:
            self.screen.dismiss(None)

    @opens("history")
    async def _history(self, calls: CallScreen) -> None:
        await self._look_back(calls)

    async def _look_back(self, calls: CallScreen, case: CaseOnView | None = None) -> None:
        """The history, or a case; and what somebody wants with a call of it."""
        calls.write_down()
        choice = await self._chosen_of(case)
        if choice is not None:
            await self._take(calls, choice)
        calls.show_recent()
        calls.show_saved()

    async def _chosen_of(self, case: CaseOnView | None) -> HistoryChoice | None:
        """Show the history or a case; what somebody wants with a call of it."""
        from rpcexplorer.tui.history.screen import HistoryScreen

        header = self.calls.header_copy() if self.calls else Header()
        return await self.push_screen_wait(
            HistoryScreen(self.explorer, self.pending, header=header, footer=footer_over(), case=case)
        )

    async def _take(self, calls: CallScreen, choice: HistoryChoice) -> None:
        """Load a call of the history or of a case, or send it again."""
        if choice.action == "carry":
            from rpcexplorer.tui.call.taking.carrying import carry

            await carry(calls, Draft(choice.exchange.method, choice.exchange.params), choice.profile)
        elif self.explorer.profile is not None:
            ours = self.explorer.journal.is_ours(choice.exchange, self.explorer.profile)  # it was read from there
            # whoever has recorded it, its profile is chosen by this person alone
            switched = choice.exchange.foreign or await self._switch(choice.exchange.profile)
            (calls.again if choice.action == "again" and switched else calls.load)(choice.exchange, ours=ours)

    @opens("test")
    async def on_connection_test_wanted(self) -> None:
        """Where what is proposed was done, that is the profile in use, and a method that is safe stands ready."""
        from rpcexplorer.tui.profiles.testing import tested

        calls, profile = self.calls, self.explorer.profile
        if calls is None or profile is None:
            return
        await calls.params.settled()
        calls.write_down()
        found = await tested(calls, self.explorer, profile)
        if found.name and await self._use(calls, found.name):
            self.explorer.remembered.profile = found.name

    async def _use(self, calls: CallScreen, name: str) -> bool:
        await calls.settle()
        if not isinstance(self.explorer.use(name), Profile):
            return False
        calls.show_profile()
        return True

    @opens("profiles")
    async def _profiles(self, calls: CallScreen) -> None:
        await calls.params.settled()
        calls.write_down()
        before = self.explorer.profile
        self._read_anew()
        await self._choose()
        if await self._settle_on_a_profile() and self.explorer.profile != before:
            await calls.settle()
            calls.show_profile()
        else:
            calls.show_auth()

    def _read_anew(self) -> None:
        """The files may say something else by now. What is in use stays so until another profile is chosen."""
        used, before = self.explorer.profile, self.explorer.profiles.profiles
        self.explorer.reload()
        if used is not None and used.name in before and used.name not in self.explorer.profiles.profiles:
            self.notify(f"{used.name} cannot be read any more; it stays in use as it was.", severity="warning")
            for complaint in told(self.explorer.profiles.complaints, TOLD):
                self.notify(complaint, timeout=10, severity="warning")

    async def _switch(self, profile: str) -> bool:
        """Use another profile; False where there is none of that name any more."""
        if self.calls is None or (self.explorer.profile and self.explorer.profile.name == profile):
            return True
        if await self._use(self.calls, profile):
            return True
        self.notify(f"There is no profile {profile} any more: the call is loaded into this one.", markup=False)
        return False


def _start_is_over() -> None:
    """What is there now stays for good; from here on there is garbage, and this need not be looked through for it.

    Textual makes some hundred objects for each line it draws: looked through as often as Python does by default, they
    cost every tenth key 40 ms.
    """
    gc.freeze()
    gc.set_threshold(5_000, 10, 10)
    gc.enable()


def open_screen(
    explorer: Explorer, person: PersonOnScreen, profile: str | None = None, case: Path | None = None
) -> tuple[int, Wish]:
    """Open the program on the terminal; the exit code, and what the person wants next."""
    app = ExplorerApp(explorer, person, profile, case)
    app.when_shown = _start_is_over
    never_wait_for_the_gone()
    wish = app.run()
    if app.mistake is not None:
        raise app.mistake
    if app.return_code is None:  # somebody of Textual's has ended it
        raise RuntimeError("the screen closed, and nobody had asked for it")
    return 0, wish or ""
