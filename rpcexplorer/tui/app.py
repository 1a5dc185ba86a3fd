"""The program on screen: which screen is open, which theme is worn, and how it ends. Nobody imports the class.

``open_screen`` is the way in. The file is longer than others: starting, ending and going between screens is here and
nowhere else. What a call is and how one is made is the call screen's business, what keys do meanwhile keyboard.py's.
"""

from __future__ import annotations

import asyncio
import gc
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from textual import work
from textual.app import App
from textual.binding import BindingType
from textual.driver import Driver
from textual.filter import LineFilter
from textual.notifications import SeverityLevel
from textual.screen import Screen

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.complaint import told
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.theme import DARK
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.commands import Scope, bindings, keymap, keymap_complaints
from rpcexplorer.tui.dialogs.person import PersonOnScreen
from rpcexplorer.tui.messages import CopyCallWanted
from rpcexplorer.tui.pending_keys import opens
from rpcexplorer.tui.selecting import Selecting
from rpcexplorer.tui.terminal.guard import Guard
from rpcexplorer.tui.terminal.output import never_wait_for_the_gone
from rpcexplorer.tui.theming import textual_theme
from rpcexplorer.tui.widgets.footer import Footer
from rpcexplorer.tui.widgets.header import Header
from rpcexplorer.views.printable import printable

if TYPE_CHECKING:
    from rpcexplorer.tui.terminal.driver import ReadingFailed

GUARD: Final = Guard()
"""One for all: Textual keeps what it has drawn by the filters that it went through."""
MANY: Final = 200
"""Things wrong with a keymap after which nobody looks for more."""
TOLD: Final = 4
"""Things wrong with one kind of files that are told on the first screen: more have no room there."""
SETTLED: Final = 2.0
"""Seconds until what the first call takes has been loaded as well."""
WEIGHT: Final[dict[SeverityLevel, str]] = {"warning": "! ", "error": "✗ "}
"""What a sentence begins with that must not be overlooked, beside its colour."""
Wish = Literal["", "demo"]
"""What the person wants next, once the screen is closed."""


class ExplorerApp(Selecting[Wish]):
    """Two kinds of screens: the call screen, which is always there, and those that open over it."""

    TITLE = "rpcexplorer"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    * { scrollbar-size-vertical: 1; scrollbar-size-horizontal: 1; }
    Input > .input--placeholder { color: $dim; }
    ToastRack {
        layer: default; max-height: 50%; overflow: hidden;
        align: left bottom; visibility: visible; background: $surface;
    }
    Toast, Toast:ansi {
        width: 1fr; max-width: 100%; margin: 0; padding: 0 1; background: $surface; color: $text; border: none;
    }
    Toast.-information { border-left: outer $accent; }
    Toast.-warning { border-left: outer $careful; }
    Toast.-error { border-left: outer $wrong; }
    """
    scope: ClassVar[Scope] = "everywhere"
    BINDINGS: ClassVar[list[BindingType]] = bindings("everywhere")

    def __init__(self, explorer: Explorer, person: PersonOnScreen, profile: str | None = None) -> None:
        super().__init__(explorer)
        person.open = self.push_screen_wait
        self._wanted = profile
        self.when_shown: Callable[[], object] = lambda: None
        """What is to be done once there is something on screen, and once more when nothing else is loaded."""
        self._leaving = self._asked = False
        """Whether somebody wants an end; whether they were told what cannot be kept."""
        self._back = ""
        """What an earlier run could not write, and is back."""
        broken = keymap_complaints(explorer.settings.keymap, str(explorer.paths.settings))
        self._broken = list(islice(broken, MANY))
        self.set_keymap(keymap(explorer.settings.keymap))
        # before the first screen: a theme put on later has every stylesheet read twice
        if theme := self._read(explorer.settings.theme or DARK.name) or self._read(DARK.name):
            self.set_reactive(App.theme, theme)
            self.stylesheet.set_variables(self.get_css_variables())

    # --- look --------------------------------------------------------------------------------------------------

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Ours is the last: nothing that a terminal would obey leaves here."""
        return [*super().get_line_filters(), GUARD]

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Every role of ours has a colour from the first moment, whatever theme is worn."""
        return dict(textual_theme(DARK).variables)

    def wear(self, name: str) -> None:
        """Put a theme on. One that cannot be read is said, and the old one stays."""
        if theme := self._read(name):
            self.theme = theme

    def _read(self, name: str) -> str:
        """Make a theme known to Textual; its name, or nothing where it cannot be read."""
        theme, complaints = self.explorer.themes.load(name)
        self._broken += complaints
        if theme is None:
            return ""
        self.register_theme(textual_theme(theme))
        return theme.name

    def copy_to_clipboard(self, text: str) -> None:
        """Textual's own, for whatever text: what is no character (a lone surrogate) becomes a question mark."""
        super().copy_to_clipboard(text.encode("utf-8", "replace").decode())

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,  # noqa: ARG002 - nobody's text is markup here
    ) -> None:
        """Whoever has something to say, and whatever is quoted in it: printable, and no markup."""
        said = WEIGHT.get(severity, "") + printable(message, lines=True)
        super().notify(said, title=printable(title), severity=severity, timeout=timeout, markup=False)

    # --- start and end -----------------------------------------------------------------------------------------

    def get_driver_class(self) -> type[Driver]:
        """Ours, where Textual would take the one that it is made of."""
        chosen = super().get_driver_class()
        if chosen.__module__ != "textual.drivers.linux_driver":  # Windows, or whatever the environment names
            return chosen
        from rpcexplorer.tui.terminal.driver import TerminalDriver

        return TerminalDriver

    def on_terminal_gone(self) -> None:
        self._leave()

    def on_reading_failed(self, event: ReadingFailed) -> None:
        """Nobody could type any more: it ends as by any mistake of ours."""
        raise event.error

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

    @opens("begin")
    async def _begin(self) -> None:
        if await self._settle_on_a_profile():
            await self.push_screen(CallScreen(self.explorer, self.pending))
            self._complain()

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
        screen = ProfilesScreen(self.explorer, self.pending, adding=adding, header=header, footer=_footer())
        used: bool | None = await self.push_screen_wait(screen)
        return bool(used)

    @property
    def mistake(self) -> BaseException | None:
        """What ended the program though it should not have; a worker's is inside another."""
        found = self._exception
        return getattr(found, "error", found)

    def _fatal_error(self) -> None:
        """Textual would print the values of variables here; whoever started this says type, file and line."""
        with suppress(Exception):  # whatever else is broken: what stands in the editor is kept, if it can be
            if self.calls is not None:
                self.calls.write_down()
        self._close_messages_no_wait()

    def _complaints(self) -> list[str]:
        """What is wrong with each kind of file, in a few sentences."""
        trouble = self.explorer.secrets.trouble()
        files = told(self.explorer.profiles.complaints, TOLD)
        return [*files, *told(self._broken, TOLD, ""), *([str(trouble)] if trouble else [])]

    @property
    def home(self) -> CallScreen | None:
        """The call screen: it has the editor."""
        return self.calls

    @property
    def calls(self) -> CallScreen | None:
        """The call screen, where it is there."""
        return next((screen for screen in self.screen_stack if isinstance(screen, CallScreen)), None)

    async def action_quit(self) -> None:
        """Leave: end what runs, write down what was typed. The loop goes on meanwhile, for what that needs."""
        self._leave(asking=True)

    def _leave(self, *, asking: bool = False) -> None:
        """Whoever wants it a second time wants no more waiting, but has to be told what would not be kept."""
        if self._leaving and self.calls is not None:
            self.calls.write_down()
        if self._leaving and (self._asked or not asking or not self.explorer.drafts.unsaved):
            self.exit("")
            return
        self._quit(asking=asking, waiting=not self._leaving)
        self._leaving = True

    @work(group="quit", exclusive=True)
    async def _quit(self, *, asking: bool, waiting: bool) -> None:
        if self.calls is not None and waiting:
            await self.calls.settle()
        if asking and self.explorer.drafts.unsaved:
            from rpcexplorer.tui.dialogs.unsaved import may_end

            self._asked = True
            if not await may_end(self, self.explorer):
                self._leaving = self._asked = False
                return
        self.exit("")

    def _heed_signals(self) -> None:
        """A terminal that is gone, or somebody who wants an end, is the same as the key for it."""
        loop = asyncio.get_running_loop()
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            with suppress(NotImplementedError):  # Windows knows not all of them, and takes no handlers in a loop
                if number is not None:
                    loop.add_signal_handler(number, self._leave)

    # --- commands that work everywhere -------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The other screens open over the call screen only."""
        if action == "history" and self.explorer.profile is None:
            return False
        if action in {"history", "profiles"}:
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
        from rpcexplorer.tui.history.screen import HistoryScreen

        calls.write_down()
        choice = await self.push_screen_wait(
            HistoryScreen(self.explorer, self.pending, header=calls.header_copy(), footer=_footer())
        )
        if choice is not None and choice.action == "carry":
            from rpcexplorer.tui.call.carrying import carry

            await carry(calls, Draft(choice.exchange.method, choice.exchange.params), choice.profile)
        elif choice is not None and self.explorer.profile is not None:
            ours = self.explorer.journal.is_ours(choice.exchange, self.explorer.profile)  # it was read from there
            switched = await self._switch(choice.exchange.profile)
            (calls.again if choice.action == "again" and switched else calls.load)(choice.exchange, ours=ours)
        calls.show_recent()

    @opens("copy")
    async def on_copy_call_wanted(self, event: CopyCallWanted) -> None:
        from rpcexplorer.tui.call.copying import copied
        from rpcexplorer.views.copying.snippets import draft_of

        exchange = event.exchange
        taken = partial(self.pending.go_on, "copy")
        await copied(self.screen, self.explorer, draft_of(exchange), exchange=exchange, taken=taken)

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
        used = self.explorer.profile
        self.explorer.reload()
        if used is not None and self.explorer.profile is None:
            self.explorer.use(used)
            self.notify(f"{used.name} cannot be read any more; it stays in use as it was.", severity="warning")
            for complaint in told(self.explorer.profiles.complaints, TOLD):
                self.notify(complaint, timeout=10, severity="warning")

    async def _switch(self, profile: str) -> bool:
        """Use another profile; False where there is none of that name any more."""
        if self.calls is None or (self.explorer.profile and self.explorer.profile.name == profile):
            return True
        await self.calls.settle()
        if isinstance(self.explorer.use(profile), Profile):
            self.calls.show_profile()
            return True
        self.notify(f"There is no profile {profile} any more: the call is loaded into this one.", markup=False)
        return False

    @opens("palette")
    async def action_palette(self) -> None:
        from rpcexplorer.tui.dialogs.palette import chosen_command

        screen, nodes = self.screen, self._scoped()
        command = await chosen_command(self, nodes, self.explorer.settings.keymap)
        if command is not None and self.screen is screen:
            await self.run_action(command.action, nodes[command.scope])

    def _scoped(self) -> dict[Scope, Any]:
        """Who answers for which scope: the pane with the focus first, then the rest of the screen, then the app."""
        focused = self.screen.focused
        inside = [*(focused.ancestors_with_self if focused else ()), *self.screen.query("*"), self.screen, self]
        found: dict[Scope, Any] = {}
        for node in inside:
            if hasattr(node, "scope"):
                found.setdefault(node.scope, node)
        return found

    @opens("theme")
    async def action_theme(self) -> None:
        from rpcexplorer.tui.dialogs.picker import Pick, Picker

        before = self.theme
        picks = [Pick(name, name, mark="now" if name == before else "") for name in self.explorer.themes.files()]
        chosen = await self.push_screen_wait(Picker("Themes", picks, on=before, moved=self.wear))
        self.wear(chosen or before)
        if chosen and (trouble := self.explorer.save_setting("theme", chosen)):
            self.notify(trouble, markup=False)
        for complaint in self._broken:
            self.notify(str(complaint), markup=False, severity="warning")
        self._broken.clear()

    def action_help(self) -> None:
        from rpcexplorer.tui.dialogs.help import Help

        if isinstance(self.screen, Help):
            self.screen.action_leave()
        else:
            self.push_screen(Help(list(self._scoped()), self.explorer.settings.keymap))


def _start_is_over() -> None:
    """What is there now stays for good; from here on there is garbage, and this need not be looked through for it.

    Textual makes some hundred objects for each line it draws: looked through as often as Python does by default, they
    cost every tenth key 40 ms.
    """
    gc.freeze()
    gc.set_threshold(5_000, 10, 10)
    gc.enable()


def _footer() -> Footer:
    """For a screen that opens over the calls: what it can do itself comes first, the ways to others go unsaid."""
    footer = Footer()
    footer.set_reactive(Footer.elsewhere, frozenset({"history", "profiles"}))
    return footer


def open_screen(explorer: Explorer, person: PersonOnScreen, profile: str | None = None) -> tuple[int, Wish]:
    """Open the program on the terminal; the exit code, and what the person wants next."""
    app = ExplorerApp(explorer, person, profile)
    app.when_shown = _start_is_over
    never_wait_for_the_gone()
    wish = app.run()
    if app.mistake is not None:
        raise app.mistake
    if app.return_code is None:  # somebody of Textual's has ended it
        raise RuntimeError("the screen closed, and nobody had asked for it")
    return 0, wish or ""
