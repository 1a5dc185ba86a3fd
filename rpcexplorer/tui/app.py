"""The program on screen: what Textual calls of it. Nobody imports the class but ``open_screen``.

The app owns what takes keys one after the other, opens screens, loads themes and ends the program.
"""

from __future__ import annotations

import asyncio
import gc
import signal
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from msgspec.structs import replace
from textual import on
from textual.app import App
from textual.binding import BindingType
from textual.driver import Driver
from textual.events import Event
from textual.filter import LineFilter
from textual.notifications import Notification, Notify, SeverityLevel
from textual.reactive import reactive
from textual.screen import ModalScreen, Screen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, Static

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.destination import DestinationChanged, Entered, Store
from rpcexplorer.model.problem import capitalised
from rpcexplorer.model.settings import DARK
from rpcexplorer.text.printable import printable
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.commands import Scope, bindings, first_key, keymap, read_keymap
from rpcexplorer.tui.key_queue import Keys, opens
from rpcexplorer.tui.messages import Wanted
from rpcexplorer.tui.navigation import Navigation
from rpcexplorer.tui.terminal import Guard, outlive_terminal
from rpcexplorer.tui.theme import ThemeStyles, line, textual_theme, width_of
from rpcexplorer.tui.widgets.inputs import InOrder

if TYPE_CHECKING:
    from pathlib import Path

    from rpcexplorer.tui.terminal import ReadingFailed

MASKED = "Masked text is not copied."
Wish = Literal["", "demo"]
"""What the person wants next, once the screen is closed."""
SETTLED_SECONDS: Final = 2.0
"""Time until what the first call takes has been loaded as well."""


class ExplorerApp(App[Wish]):
    """Two kinds of screens: the call screen, which is always there, and those that open over it."""

    TITLE = "rpcexplorer"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    * { scrollbar-size-vertical: 1; scrollbar-size-horizontal: 1; }
    Entry { scrollbar-size-horizontal: 0; }
    Input > .input--placeholder { color: $dim; }
    Screen.-prod { border-left: outer $prod; border-right: outer $prod; }
    """
    scope: ClassVar[Scope] = "everywhere"
    BINDINGS: ClassVar[list[BindingType]] = bindings("everywhere")

    def __init__(
        self, explorer: Explorer, person: PersonOnScreen, profile: str | None = None, case: Path | None = None
    ) -> None:
        """``case``: a file that is shown first; its calls are somebody else's."""
        super().__init__()
        person.open = self.push_screen_wait
        self.explorer = explorer
        self.when_shown: Callable[[], object] = lambda: None
        """Called once there is something on screen, and once more when nothing else is loaded."""
        usable, problems = read_keymap(explorer.settings.keymap, str(explorer.paths.settings))
        explorer.settings = replace(explorer.settings, keymap=usable)  # whatever names a key on screen reads it there
        self.set_keymap(keymap(usable))
        self._problems = problems
        """What is wrong with keys and themes."""
        self.keys = Keys(self, super().on_event, lambda: self.calls)
        self.pending = self.keys.pending
        self.navigation = Navigation(self, explorer, self.pending, problems, profile=profile, case=case)
        self.shutdown = Shutdown(self, explorer, self.navigation)
        self._notices = deque[Notification](maxlen=MAX_NOTICES)
        """Those of this run, the newest last."""
        # before the first screen: a theme put on later has every stylesheet read twice
        if theme := self._load_theme(explorer.settings.theme or DARK.name) or self._load_theme(DARK.name):
            self.set_reactive(App.theme, theme)
            self.stylesheet.set_variables(self.get_css_variables())

    @property
    def calls(self) -> CallScreen | None:
        return self.navigation.calls

    # --- start and end -------------------------------------------------------------------------------------------

    def get_driver_class(self) -> type[Driver]:
        """Ours, where Textual would take the one that it is made of."""
        chosen = super().get_driver_class()
        if chosen.__module__ != "textual.drivers.linux_driver":  # Windows, or whatever the environment names
            return chosen
        from rpcexplorer.tui.terminal import TerminalDriver

        return TerminalDriver

    def get_default_screen(self) -> Screen[Any]:
        return self.navigation.first_screen()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Ours is the last: nothing that a terminal would obey leaves here."""
        return [*super().get_line_filters(), GUARD]

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Every role of ours has a colour from the first moment, whatever theme is worn."""
        return dict(textual_theme(DARK).variables)

    def on_mount(self) -> None:
        self.shutdown.heed_signals()
        self.call_after_refresh(self.when_shown)
        self.set_timer(SETTLED_SECONDS, self.when_shown)
        self.navigation.begin()
        self.keys.watch_screens()

    async def on_event(self, event: Event) -> None:
        if not await self.keys.take(event):
            await super().on_event(event)

    @on(Wanted)
    def _open_wanted(self, wanted: Wanted) -> None:
        self.navigation.open(wanted)

    @property
    def mistake(self) -> BaseException | None:
        """What ended the program though it should not have; a worker's is inside another."""
        found = self._exception
        return getattr(found, "error", found)

    def _fatal_error(self) -> None:
        """Textual would print the values of variables here; whoever started this says type, file and line."""
        with suppress(Exception):  # whatever else is broken: what stands in the editor is kept, if it can be
            if self.calls is not None:
                self.calls.drafts.write_down()
        self._close_messages_no_wait()

    async def on_unmount(self) -> None:
        await self.explorer.__aexit__()

    def on_terminal_gone(self) -> None:
        self.shutdown.leave()

    def on_reading_failed(self, event: ReadingFailed) -> None:
        """Nobody could type any more: it ends as by any mistake of ours."""
        raise event.error

    # --- commands that work everywhere ---------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The other screens open over the call screen only; where one types, all of the text can be selected."""
        if action == "history" and self.explorer.profile is None:
            return False
        if action in {"history", "profiles"}:
            if isinstance(self.screen, CallScreen):  # also before all of it is there: keys wait for that
                return True
            is_other = getattr(self.screen, "scope", "") in {"history", "profiles"} - {action}
            return is_other and self.calls is not None
        if action == "select_all":
            return isinstance(self.screen.focused, InOrder)
        return super().check_action(action, parameters)

    def action_history(self) -> None:
        self.navigation.show_history()

    def action_profiles(self) -> None:
        self.navigation.show_profiles()

    async def action_quit(self) -> None:
        self.shutdown.leave(asking=True)

    @opens("palette")
    async def action_palette(self) -> None:
        from rpcexplorer.tui.dialogs import chosen_command

        screen, nodes = self.screen, self._scoped()
        chosen = await chosen_command(self, nodes, self.explorer.settings.keymap)
        if chosen is None or self.screen is not screen:
            return
        if isinstance(chosen, str):
            self.action_manual(chosen)
        else:
            await self.run_action(chosen.action, nodes[chosen.scope])

    def action_help(self) -> None:
        from rpcexplorer.tui.dialogs import Help

        if isinstance(self.screen, Help):
            self.screen.action_leave()
        else:
            keys = Help(list(self._scoped()), self.explorer.settings.keymap, self._page_here())
            self.push_screen(keys, self._help_left)

    def _help_left(self, wish: str | None) -> None:
        from rpcexplorer.tui.dialogs import FILES

        if wish == FILES:
            self.action_paths()
        elif wish:
            self.action_manual(wish)

    def action_paths(self) -> None:
        from rpcexplorer.tui.dialogs import Files

        if not isinstance(self.screen, Files):
            self.push_screen(Files(self.explorer))

    def action_manual(self, page: str = "") -> None:
        """Open a page of the manual, or the one about the pane with the focus."""
        self.navigation.read_manual(page or self._page_here())

    def _page_here(self) -> str:
        """Return the page of the manual about the pane or dialog with the focus."""
        from rpcexplorer.manual import page_of_pane

        inside = self.screen.focused or self.screen
        panes = (getattr(node, "manual_pane", "") or getattr(node, "scope", "") for node in inside.ancestors_with_self)
        return page_of_pane(next(filter(None, panes), "everywhere"))

    def _scoped(self) -> dict[Scope, Any]:
        """Who answers for which scope: the pane with the focus first, then the rest of the screen, then the app."""
        focused = self.screen.focused
        inside = [*(focused.ancestors_with_self if focused else ()), *self.screen.query("*"), self.screen, self]
        found: dict[Scope, Any] = {}
        for node in inside:
            if hasattr(node, "scope"):
                found.setdefault(node.scope, node)
        return found

    def _load_theme(self, name: str) -> str:
        """Make a theme known to Textual; return its name, or nothing if it cannot be read."""
        theme, problems = self.explorer.themes.load(name)
        self._problems += problems
        if theme is None:
            return ""
        self.register_theme(textual_theme(theme))
        return theme.name

    def wear_theme(self, name: str) -> None:
        """Put a theme on; if it cannot be read, the old one stays."""
        if theme := self._load_theme(name):
            self.theme = theme

    @opens("theme")
    async def action_theme(self) -> None:
        from rpcexplorer.tui.widgets.picker import Pick, Picker

        before = self.theme
        picks = [Pick(name, name, mark="current" if name == before else "") for name in self.explorer.themes.files()]
        picker = Picker("Themes", picks, on=before, moved=self.wear_theme)
        picker.manual_pane = "theme"
        chosen = await self.push_screen_wait(picker)
        self.wear_theme(chosen or before)
        if chosen and (problem := self.explorer.save_setting("theme", chosen)):
            self.notify(problem)
        for warning in self._problems:
            self.notify(str(warning), severity="warning")
        self._problems.clear()

    def action_select_all(self) -> None:
        if isinstance(field := self.screen.focused, InOrder):
            field.select_all()

    def action_copy_or_cancel(self) -> None:
        """Copy what is selected; else end what runs; else say how to leave."""
        if text := selected(self.screen):
            self.run_worker(self._copy(text), group="selection", description="copy")
        elif text is not None and interrupted(self.screen, self.calls):
            if self.explorer.credentials.is_asking and isinstance(self.screen, ModalScreen):
                self.screen.dismiss(None)  # nobody waits for the answer any more
        else:
            leave = how_to_leave(self.screen, self.explorer.settings.keymap, kept=self.calls is not None)
            self.notify(MASKED if text is None else leave)

    async def _copy(self, text: str) -> None:
        """Without the secrets that this run knows, those of the profile in use above all."""
        from rpcexplorer.tui.processes import copy

        screen, redactor = self.screen, self.explorer.redactor(of_this_profile=True)
        await copy(screen, await asyncio.to_thread(redactor.text, text), "the selection")

    # --- notices ------------------------------------------------------------------------------------------------

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
        markup: bool = False,  # noqa: ARG002 - every `notify` of a widget comes here, with Textual's default of True
    ) -> None:
        """Show a notice that may quote text from anywhere: printable, and never read as markup."""
        said = WEIGHT.get(severity, "") + printable(message, lines=True)
        super().notify(said, title=printable(title), severity=severity, timeout=timeout, markup=False)

    def on_notify(self, event: Notify) -> None:
        """What is said again takes the place of what was said, before Textual adds it; so does its newer end.

        Of problems each stays: what stands before the colon may be the file that several are about.
        """
        new = event.notification
        for old in list(self._notifications):
            if old.severity == new.severity and _is_again(new.message, old.message, new.severity):
                self._unnotify(old, refresh=False)
        self._notices.append(new)

    def _refresh_notifications(self) -> None:
        """Show notices on the screen on top, and nowhere else, until the next of them expires."""
        if self._disable_notifications or not self.is_running:
            return
        notices = tuple(self._notifications)
        for screen in self.screen_stack:
            shown = notices if screen is self.screen else ()
            found = next((each for each in screen.children if isinstance(each, NotificationLine)), None)
            if found is None and shown and screen.is_attached:
                key = first_key("notices", self.explorer.settings.keymap)
                found = NotificationLine(key or "palette", self._unnotify)
                screen.mount(found)
            if found is not None:
                found.notices = shown
        if notices:
            self.set_timer(max(min(each.time_left for each in notices), 0) + 0.01, self._refresh_notifications)

    def action_notices(self) -> None:
        from rpcexplorer.tui.dialogs import PageDialog

        rows: list[list[tuple[str, str]]] = []
        for each in reversed(self._notices):
            when = f"{datetime.fromtimestamp(each.raised_at).astimezone():%H:%M:%S}"
            for at, words in enumerate(each.message.splitlines()):
                rows.append([(f"   {'' if at else when:<8}  ", "dim"), (words, "text")])
        if not isinstance(self.screen, PageDialog):
            self.push_screen(PageDialog("Notices", rows or [[("   There are no notices yet.", "dim")]]))


class Shutdown:
    """Ends the program when what runs has ended and what was typed is written down."""

    def __init__(self, app: App[Wish], explorer: Explorer, navigation: Navigation) -> None:
        self._app, self._explorer, self._navigation = app, explorer, navigation
        self._is_leaving = self._was_asked = False
        """Whether somebody wants an end; whether they were told what cannot be kept."""

    def heed_signals(self) -> None:
        """A terminal that is gone, or somebody who wants an end, is the same as the key for it."""
        loop = asyncio.get_running_loop()
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            with suppress(NotImplementedError):  # Windows knows not all of them, and takes no handlers in a loop
                if number is not None:
                    loop.add_signal_handler(number, self.leave)

    def leave(self, *, asking: bool = False) -> None:
        """End what runs, write down what was typed. The loop goes on meanwhile, for what that needs.

        Whoever wants it a second time wants no more waiting, but has to be told what would not be kept.
        """
        if self._is_leaving and (calls := self._navigation.calls) is not None:
            calls.drafts.write_down()
        if self._is_leaving and (self._was_asked or not asking or not self._explorer.drafts.unsaved):
            self._app.exit("")
            return
        end: Any = partial(self._end, asking=asking, waiting=not self._is_leaving)
        self._app.run_worker(end, group="quit", exclusive=True)
        self._is_leaving = True

    async def _end(self, *, asking: bool, waiting: bool) -> None:
        if waiting and (calls := self._navigation.calls) is not None:
            await calls.settle()
        if asking and self._explorer.drafts.unsaved:
            from rpcexplorer.tui.dialogs import may_end

            self._was_asked = True
            if not await may_end(self._app, self._explorer):
                self._is_leaving = self._was_asked = False
                return
        self._app.exit("")


def selected(screen: Screen[Any]) -> str | None:
    """What is selected in the field with the focus, else by the mouse; None where it must not be copied."""
    field = screen.focused
    if isinstance(field, InOrder) and field.selected_text:
        return None if isinstance(field, Input) and field.password else field.selected_text
    # only these show what is selected of them: of others, Textual would copy a name of its own
    marked = [(each, part) for each, part in screen.selections.items() if isinstance(each, Static) and each.is_attached]
    found = [piece for each, part in marked if (piece := each.get_selection(part)) is not None]
    text = "".join(words + end for words, end in found).rstrip("\n")
    return text if any(map(str.isalnum, text)) else ""  # the sign before a field is nothing to copy


def interrupted(screen: Screen[Any], home: Screen[Any] | None) -> bool:
    """Cancel what runs on this screen, else on the call screen; return whether anything did."""
    nodes: dict[Any, None] = dict.fromkeys([screen, *screen.query("*"), home])
    return any(node.interrupt() for node in nodes if hasattr(node, "interrupt"))


def how_to_leave(screen: Screen[Any], keymap: Mapping[str, str], *, kept: bool) -> str:
    """The keys for it, as they are mapped: out of this screen, and out of the program. ``kept``: there is an editor."""
    key, palette = first_key("quit", keymap), first_key("palette", keymap)
    ways = [f"{key} quits rpcexplorer." if key else f"Quit with the command palette: {palette}."]
    scope = getattr(screen, "scope", "")
    if isinstance(screen, ModalScreen):
        ways.insert(0, "Esc closes this dialog.")
    elif scope in {"history", "batch", "comparison", "profiles"} and screen.check_action("close", ()):
        back = first_key(f"{scope}.close", keymap)
        ways[:0] = [f"{back} goes back."] if back else []
    if kept:
        ways.append("Your drafts are kept.")
    return " ".join(["Nothing to copy or cancel.", *ways])


GUARD: Final = Guard()
"""One for all: Textual keeps what it has drawn by the filters that it went through."""
WEIGHT: Final[dict[SeverityLevel, str]] = {"warning": "! ", "error": "✗ "}
"""What a sentence begins with that must not be overlooked, beside its colour."""
ROLES: Final[dict[SeverityLevel, str]] = {"information": "accent", "warning": "careful", "error": "wrong"}
MAX_NOTICES: Final = 200
"""So many can be read again."""


class NotificationLine(Widget):
    """The newest notice, over the footer: nothing that is being read moves or is covered."""

    DEFAULT_CSS = "NotificationLine { dock: bottom; layer: _toastrack; height: 1; display: none; }"

    notices: reactive[Sequence[Notification]] = reactive[Sequence[Notification]]((), layout=True)
    """Those that are to be seen now, the newest last."""

    def __init__(self, key: str, let_go: Callable[[Notification], object]) -> None:
        """``key`` shows all notices in full."""
        super().__init__()
        self._key, self._let_go = key, let_go

    def watch_notices(self) -> None:
        self.display = bool(self.notices)

    def render_line(self, y: int) -> Strip:  # noqa: ARG002 - there is one line
        styles, width = ThemeStyles.of(self), self.size.width
        if not self.notices:
            return Strip.blank(width, styles.style())
        newest, others = self.notices[-1], len(self.notices) - 1
        words = [("▍", ROLES[newest.severity]), (" ".join(newest.message.split()), "text")]
        more = f"{others} more" if others else "more" if width_of(words) >= width else ""
        right = [(f"   {self._key}", "bold"), (f" {more} ", "middle")] if more else []
        return line(words, width, styles, right=right, ground="surface")

    def on_click(self) -> None:
        self._let_go(self.notices[-1])


def _is_again(new: str, old: str, severity: str) -> bool:
    """Whether a notice says again what another has said: ``demo.echo is in the batch: 2 calls.`` after one call."""
    if severity != "information" or ":" not in new:
        return new == old
    return new.partition(":")[0] == old.partition(":")[0]


Open = Callable[[Screen[Any]], Awaitable[Any]]
"""Puts a question on screen and waits for the answer."""


class PersonOnScreen:
    """Answers once a front is there; before that, nobody does."""

    def __init__(self) -> None:
        self.open: Open | None = None
        """Set by the front once it is there."""

    async def secret(self, question: str, *, masked: bool = True, store: Store | None = None) -> Entered | None:
        if self.open is None:
            return None
        from rpcexplorer.tui.dialogs import AskSecret

        answer: Entered | None = await self.open(AskSecret(question, masked=masked, store=store.place if store else ""))
        return answer

    async def agrees(self, question: str) -> bool:
        """Ask for a yes; the first answer is the no."""
        if self.open is None:
            return False
        from rpcexplorer.tui.widgets.dialog import Choice, Confirm

        choices = [Choice("no", "Cancel"), Choice("yes", "Always send")]
        answer: str | None = await self.open(
            Confirm("Send credentials over plain HTTP?", question, choices, grave=True)
        )
        return answer == "yes"

    async def allows(self, profile: str, moved: DestinationChanged) -> bool:
        """Show the old destination beside the new one; the first answer is the no."""
        if self.open is None:
            return False
        from rpcexplorer.tui.widgets.dialog import Choice, Confirm

        old = {each.key: f"{each.old}\n→ " if each.old else "" for each in moved.changes}
        rows = [(each.key, f"{old[each.key]}{each.new}  {each.place}".rstrip()) for each in moved.changes]
        choices = [Choice("no", "Don't send"), Choice("yes", "Allow and send")]
        title = f"Send the {moved.field} of {profile} to a changed destination?  {capitalised(moved.why)}."
        answer: str | None = await self.open(Confirm(title, rows, choices, grave=True))
        return answer == "yes"


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
    outlive_terminal()
    wish = app.run()
    if app.mistake is not None:
        raise app.mistake
    if app.return_code is None:  # somebody of Textual's has ended it
        raise RuntimeError("the screen closed unexpectedly")
    return 0, wish or ""
