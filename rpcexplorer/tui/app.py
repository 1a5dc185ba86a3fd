"""The Textual app: keys, screens, themes, notices and shutdown."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec.structs import replace
from textual.app import App
from textual.driver import Driver
from textual.events import Event
from textual.filter import LineFilter, NoColor
from textual.geometry import Size
from textual.notifications import Notification, Notify, SeverityLevel
from textual.reactive import reactive
from textual.screen import ModalScreen, Screen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.destination import PLAIN_HTTP, DestinationChanged, Entered, Store
from rpcexplorer.model.settings import DARK
from rpcexplorer.text.printable import WITHOUT_SIGNS, columns, printable
from rpcexplorer.text.wrapping import WordLine, limited, wrapped
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.commands import (
    BACK,
    COMMANDS,
    FUNCTION_KEYS,
    WHY_NOT,
    Commanded,
    Scope,
    commands_of,
    first_key,
    keymap,
    keys_of,
    read_keymap,
    spelled,
)
from rpcexplorer.tui.key_queue import Keys, opens
from rpcexplorer.tui.navigation import Navigation
from rpcexplorer.tui.terminal import AsciiSigns, Guard, outlive_terminal
from rpcexplorer.tui.theme import ThemeStyles, line, textual_theme
from rpcexplorer.tui.widgets.bars import EDGE
from rpcexplorer.tui.widgets.inputs import InOrder
from rpcexplorer.tui.widgets.rows import LineView

if TYPE_CHECKING:
    from pathlib import Path

    from rpcexplorer.tui.terminal import ReadingFailed

MASKED = "Masked text is not copied."
LETTERS: Final = "Letters are commands here"
Wish = Literal["", "demo"]
"""What to start after the screen is closed."""
SETTLED_SECONDS: Final = 2.0
"""By now, everything that the first call needs is loaded as well."""


class ExplorerApp(Commanded, App[Wish], scope="everywhere"):
    """The app: a permanent call screen, and screens that open over it."""

    TITLE = "rpcexplorer"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    * { scrollbar-size-vertical: 1; scrollbar-size-horizontal: 1; }
    Entry { scrollbar-size-horizontal: 0; }
    Input > .input--placeholder { color: $dim; }
    Screen.-prod { border-left: outer $prod; }
    """

    def __init__(
        self, explorer: Explorer, person: PersonOnScreen, profile: str | None = None, case: Path | None = None
    ) -> None:
        """``case`` is a file of someone else's calls to show first."""
        super().__init__()
        person.open = self.push_screen_wait
        self.explorer = explorer
        self.when_shown: Callable[[], object] = lambda: None
        """Called after the first frame, and again when everything is loaded."""
        usable, problems = read_keymap(explorer.settings.keymap, explorer.settings_problem)
        # Every label of a key on screen reads the keymap there.
        explorer.settings = replace(explorer.settings, keymap=usable)
        self.set_keymap(keymap(usable))
        self._problems = problems
        """Problems of the keymap and of themes."""
        self.keys = Keys(self, super().on_event, lambda: self.calls, self._make_way)
        self.pending = self.keys.pending
        self.navigation = Navigation(self, explorer, self.pending, problems, profile=profile, case=case)
        self.shutdown = Shutdown(self, explorer, self.navigation)
        # Set before there are clients, which pass on events. No start needs the code that takes them.
        explorer.hooks = replace(
            explorer.hooks,
            on_event=self.navigation.take_event,
            on_stderr=self.navigation.take_stderr,
            can_ask=lambda _: True,
            has_screen=True,
        )
        self._notices = deque[Notification](maxlen=MAX_NOTICES)
        """The notices since the start, the newest last."""
        self._noticed_on: Screen[Any] | None = None
        """The full screen that showed notices last."""
        # Set before the first screen: a later change reads every stylesheet twice.
        if theme := self._load_theme(explorer.settings.theme or DARK.name) or self._load_theme(DARK.name):
            self.set_reactive(App.theme, theme)
            self.mutate_reactive(App.ansi_color)  # Its watcher lets the terminal's own colours through.
            self.stylesheet.set_variables(self.get_css_variables())

    @property
    def calls(self) -> CallScreen | None:
        return self.navigation.calls

    def get_driver_class(self) -> type[Driver]:
        """Return our driver instead of the one that it extends."""
        chosen = super().get_driver_class()
        if chosen.__module__ != "textual.drivers.linux_driver":  # Windows, or a driver named in the environment.
            return chosen
        from rpcexplorer.tui.terminal import TerminalDriver

        return TerminalDriver

    def get_default_screen(self) -> Screen[Any]:
        return self.navigation.first_screen()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Append the guard that removes control characters from all output, and what the terminal needs."""
        ours = [GUARD, ASCII_SIGNS] if os.environ.get("TERM") in WITHOUT_SIGNS else [GUARD]
        if self.no_color and self.current_theme.ansi:
            return [NO_COLOUR, *ours]  # Textual's filter would turn the terminal's own colours into black on black.
        return [*super().get_line_filters(), *ours]

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return a colour for each of our roles, whatever the theme has."""
        return dict(textual_theme(DARK).variables)

    def on_mount(self) -> None:
        self.shutdown.handle_signals()
        self.call_after_refresh(self.when_shown)
        self.set_timer(SETTLED_SECONDS, self.when_shown)
        self.navigation.begin()
        self.keys.watch_screens()

    async def on_event(self, event: Event) -> None:
        if not await self.keys.take(event):
            await super().on_event(event)

    @property
    def mistake(self) -> BaseException | None:
        """The error that ended the program, unwrapped if a worker raised it."""
        found = self._exception
        return getattr(found, "error", found)

    def _fatal_error(self) -> None:
        """Save the drafts and close quietly.

        Textual would print the values of variables here. The caller reports type, file and line.
        """
        with suppress(Exception):  # Try to save the drafts, whatever else is broken.
            if self.calls is not None:
                self.calls.drafts.write_down()
        self._close_messages_no_wait()

    async def on_unmount(self) -> None:
        await self.explorer.__aexit__()

    def on_terminal_gone(self) -> None:
        self.shutdown.leave()

    def on_reading_failed(self, event: ReadingFailed) -> None:
        """End the program: no key would be read from now on."""
        raise event.error

    def has(self, state: str) -> bool:
        screen = self.screen
        scope = getattr(screen, "scope", "")
        is_home = isinstance(screen, CallScreen)  # Perhaps not complete yet: keys wait for that.
        match state:
            case "home":
                return is_home
            case "field":
                return isinstance(screen.focused, InOrder)
            case "closed-history" | "closed-profiles":
                return scope != state.removeprefix("closed-")
            case "history" if self.explorer.profile is None:
                return getattr(screen, "asks_for_profile", False)
            case "history":
                return is_home or (scope == "profiles" and self.calls is not None)
            case "profiles":
                return is_home or (scope == "history" and self.calls is not None)
        return super().has(state)

    async def _check_bindings(self, key: str, priority: bool = False) -> bool:
        """Say why the key of a command does nothing.

        Textual asks the app last, without priority: nothing has taken the key as text, and no other command has it.
        """
        is_taken = await super()._check_bindings(key, priority)
        if not (is_taken or priority):
            words = self._why_not_now(key) or self._about_free_key(key)
            if words:
                self.notify(words)
        return is_taken

    def _why_not_now(self, key: str) -> str:
        """Return why a key does nothing here; the pane with the focus comes first."""
        inside = self.screen.focused or self.screen
        for node in inside.ancestors_with_self:
            if not isinstance(node, Commanded):
                continue
            for command in commands_of(node.scope):
                if key in keys_of(command, self.explorer.settings.keymap):
                    return node.why_not(command)
        return ""

    def _about_free_key(self, key: str) -> str:
        """Return where to find a key, for one that is not a command here: a letter is often meant for a search."""
        if isinstance(self.screen, ModalScreen):
            return ""
        keymap, inside = self.explorer.settings.keymap, self.screen.focused or self.screen
        lister = first_key("help", keymap) or first_key("palette", keymap)
        modifier, _, letter = key.rpartition("+")
        sign = spelled(key)
        is_sign = key == "space" or (len(key) > len(sign) == 1 and sign.isascii())
        if key in FUNCTION_KEYS or is_sign or (modifier in {"ctrl", "alt"} and len(letter) == 1):
            return f"{sign} is not a command here: press {lister} to list the keys."
        if len(key) > 1:
            return ""
        for node in inside.ancestors_with_self:
            if not isinstance(node, Commanded):
                continue
            for command in commands_of(node.scope):
                finder = first_key(command.id, keymap)
                if command.action == "search" and finder:
                    return f"{LETTERS}: press {finder} to {command.words}."
        return f"{LETTERS}: press {lister} to list them."

    def action_history(self) -> None:
        self.navigation.show_history()

    def action_profiles(self) -> None:
        self.navigation.show_profiles()

    def action_add_profile(self) -> None:
        self.navigation.show_profiles(adding=True)

    async def action_quit(self) -> None:
        self.shutdown.leave(asking=True)

    @opens("palette")
    async def action_palette(self) -> None:
        from rpcexplorer.tui.dialogs import PAGE, THEME, palette_picks
        from rpcexplorer.tui.widgets.picker import Picker

        screen, nodes = self.screen, self._scoped()
        picks = palette_picks(nodes, self.explorer.settings.keymap, self.explorer.themes.files())
        chosen = await self.push_screen_wait(Picker("Command palette", picks))
        if chosen is None or self.screen is not screen:
            return
        if chosen.startswith(PAGE):
            self.action_manual(chosen.removeprefix(PAGE))
        elif chosen.startswith(THEME):
            self._settle_theme(chosen.removeprefix(THEME))
        else:
            command = next(command for command in COMMANDS if command.id == chosen)
            await self.run_action(command.action, nodes[command.scope])

    def action_help(self) -> None:
        from rpcexplorer.tui.dialogs import Help

        if isinstance(self.screen, Help):
            self.screen.action_leave()
        else:
            others = {"history", "profiles", "add-profile"}
            absent = {id for id in others if not self.check_action(id.replace("-", "_"), ())}
            keys = Help(list(self._scoped()), self.explorer.settings.keymap, self._page_here(), absent=absent)
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
        return page_of_pane(next(pane for pane in panes if pane not in {"", "lists"}))

    def _scoped(self) -> dict[Scope, Any]:
        """Return the node for each scope: focused pane, screen, app, and a list."""
        focused = self.screen.focused
        inside = [*(focused.ancestors_with_self if focused else ()), *self.screen.query("*"), self.screen, self]
        found: dict[Scope, Any] = {}
        for node in inside:
            if isinstance(node, Commanded):
                found.setdefault(node.scope, node)
        if "lists" in found:
            found["lists"] = found.pop("lists")
        return found

    def _load_theme(self, name: str) -> str:
        """Register a theme; return its name, or "" if it cannot be read."""
        theme, problems = self.explorer.themes.load(name)
        self._problems += problems
        if theme is None:
            return ""
        self.register_theme(textual_theme(theme))
        return theme.name

    def use_theme(self, name: str) -> None:
        """Use a theme, or keep the current one if it cannot be read."""
        if theme := self._load_theme(name):
            self.theme = theme

    @opens("theme")
    async def action_theme(self) -> None:
        from rpcexplorer.tui.widgets.picker import Pick, Picker

        before = self.theme
        picks = []
        for name in self.explorer.themes.files():
            found, _ = self.explorer.themes.load(name)
            if found is None:
                words = ""
            elif not found.colours["background"].startswith("#"):
                words = "the colours of your terminal"
            else:
                words = "dark" if found.dark else "light"
            if found is not None and found.style:
                words += f", JSON as {found.style}"
            picks.append(Pick(name, name, words, mark="current" if name == before else ""))
        picker = Picker("Themes", picks, on=before, moved=self.use_theme)
        picker.manual_pane = "theme"
        chosen = await self.push_screen_wait(picker)
        self._settle_theme(chosen or before, is_new=bool(chosen))

    def _settle_theme(self, name: str, *, is_new: bool = True) -> None:
        """Use a theme, a new one from the next start on, too; report problems of all that were tried."""
        self.use_theme(name)
        problem = self.explorer.save_setting("theme", name) if is_new else ""
        if problem:
            self.notify(problem)
        for warning in self._problems:
            self.notify(str(warning), severity="warning")
        self._problems.clear()

    def action_select_all(self) -> None:
        if isinstance(field := self.screen.focused, InOrder):
            field.select_all()

    def action_copy_or_cancel(self) -> None:
        """Copy the selection, else cancel the running work, else show help."""
        if text := selected_text(self.screen):
            self.run_worker(self._copy(text), group="selection", description="copy")
        elif text is not None and cancel_running(self.screen, self.calls):
            is_asked = self.explorer.credentials.is_asking or (self.calls is not None and self.calls.asked is not None)
            if is_asked and isinstance(self.screen, ModalScreen):
                self.screen.dismiss(None)  # The call that needed the answer was cancelled.
        else:
            leave = how_to_leave(self.screen, self.explorer.settings.keymap, has_drafts=self.calls is not None)
            self.notify(MASKED if text is None else leave)

    async def _copy(self, text: str) -> None:
        """Copy a text to the clipboard without known secrets."""
        from rpcexplorer.tui.processes import copy

        screen, redactor = self.screen, self.explorer.redactor(of_this_profile=True)
        await copy(screen, await asyncio.to_thread(redactor.text, text), "the selection")

    def copy_to_clipboard(self, text: str) -> None:
        """Copy a text, with lone surrogates replaced by question marks."""
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
        """Show a notice as printable text, never as markup."""
        text = WEIGHT.get(severity, "") + printable(message, lines=True)
        super().notify(text, title=printable(title), severity=severity, timeout=timeout, markup=False)

    def on_notify(self, event: Notify) -> None:
        """Replace an older notice about the same thing before Textual adds this.

        Problems are replaced only by equal ones: the text before the colon may be a file with several problems.
        """
        new = event.notification
        for old in list(self._notifications):
            if old.severity == new.severity and _is_again(new.message, old.message, new.severity):
                self._unnotify(old, refresh=False)
        self._notices.append(new)

    def _refresh_notifications(self) -> None:
        """Show notices on the top screen only, until the next one expires."""
        if self._disable_notifications or not self.is_running:
            return
        self._leave_notices_behind()
        notices = tuple(self._notifications)
        for screen in self.screen_stack:
            shown = notices if screen is self.screen else ()
            found = _notification_line(screen)
            if found is None and shown and screen.is_attached:
                key = first_key("notices", self.explorer.settings.keymap)
                found = NotificationLine(key or "palette", self._unnotify)
                screen.mount(found)
            if found is not None:
                found.notices = shown
        if notices:
            self.set_timer(max(min(notice.time_left for notice in notices), 0) + 0.01, self._refresh_notifications)

    def _make_way(self) -> None:
        """Uncover the row at the cursor, after a key."""
        if self._notifications and (found := _notification_line(self.screen)) is not None:
            found.make_way()

    def _leave_notices_behind(self) -> None:
        """Drop what another screen said, unless it is about the change of screens or a problem."""
        full = next((screen for screen in reversed(self.screen_stack) if not isinstance(screen, ModalScreen)), None)
        before, self._noticed_on = self._noticed_on, full
        if before in {None, full}:
            return
        for old in list(self._notifications):
            if old.severity == "information" and time.time() - old.raised_at > NEW_SECONDS:
                self._unnotify(old, refresh=False)

    def action_notices(self) -> None:
        from rpcexplorer.tui.dialogs import PageDialog

        rows: list[list[tuple[str, str]]] = []
        for notice in reversed(self._notices):
            when = f"{datetime.fromtimestamp(notice.raised_at).astimezone():%H:%M:%S}"
            for at, words in enumerate(notice.message.splitlines()):
                rows.append([(f"   {'' if at else when:<8}  ", "dim"), (words, "text")])
        if not isinstance(self.screen, PageDialog):
            self.push_screen(PageDialog("Notices", rows or [[("   There are no notices yet.", "dim")]]))


class Shutdown:
    """Ends the program after running calls ended and drafts are saved."""

    def __init__(self, app: App[Wish], explorer: Explorer, navigation: Navigation) -> None:
        self._app, self._explorer, self._navigation = app, explorer, navigation
        self._is_leaving = self._was_asked = False
        """The user wants to quit; the user was asked about unsaved drafts."""

    def handle_signals(self) -> None:
        """Quit on a signal to end, as by the key for it."""
        loop = asyncio.get_running_loop()
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            with suppress(NotImplementedError):  # Windows lacks some signals, and loops without handlers for them.
                if number is not None:
                    loop.add_signal_handler(number, self.leave)

    def leave(self, *, asking: bool = False) -> None:
        """Stop running calls, save the drafts and quit.

        Quit at once if asked a second time, but still warn about drafts that cannot be saved.
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


def selected_text(screen: Screen[Any]) -> str | None:
    """Return the selected text; None if it must not be copied."""
    field = screen.focused
    if isinstance(field, InOrder) and field.selected_text:
        return None if isinstance(field, Input) and field.password else field.selected_text
    # Other widgets would return a name that Textual made up.
    text = ""
    for widget, part in screen.selections.items():
        found = widget.get_selection(part) if isinstance(widget, Static) and widget.is_attached else None
        if found is not None:
            text += "".join(found)
    text = text.rstrip("\n")
    return text if any(map(str.isalnum, text)) else ""  # The sign before a field is not worth copying.


def cancel_running(screen: Screen[Any], home: Screen[Any] | None) -> bool:
    """Cancel running work on this screen, else on the call screen.

    Return whether any was running.
    """
    nodes: dict[Any, None] = dict.fromkeys([screen, *screen.query("*"), home])
    return any(node.interrupt() for node in nodes if hasattr(node, "interrupt"))


def how_to_leave(screen: Screen[Any], keymap: Mapping[str, str], *, has_drafts: bool) -> str:
    """Return how to leave this screen and the program, with mapped keys.

    ``has_drafts``: drafts exist.
    """
    key, palette = first_key("quit", keymap), first_key("palette", keymap)
    ways = [f"{key} quits rpcexplorer." if key else f"Quit with the command palette: {palette}."]
    if isinstance(screen, ModalScreen):
        ways.insert(0, "Esc closes this dialog.")
    elif isinstance(screen, Commanded):
        backs = (command for command in commands_of(screen.scope) if command.words == BACK)
        keys = [first_key(command.id, keymap) for command in backs if not screen.why_not(command)]
        ways[:0] = [f"{key} goes back." for key in keys if key]
    if has_drafts:
        ways.append("Your drafts are saved, except in the demo.")
    return " ".join(["Nothing to copy or cancel.", *ways])


GUARD: Final = Guard()
ASCII_SIGNS: Final = AsciiSigns()
NO_COLOUR: Final = NoColor()
"""One instance of each, because Textual caches drawn lines by their filters."""
WEIGHT: Final[dict[SeverityLevel, str]] = {"warning": "! ", "error": "✗ "}
"""The prefix of a notice, so that its weight does not depend on colour."""
ROLES: Final[dict[SeverityLevel, str]] = {"information": "middle", "warning": "careful", "error": "wrong"}
MAX_NOTICES: Final = 200
"""Older notices are dropped."""


MAX_NOTICE_LINES: Final = 3
NEW_SECONDS: Final = 1.0
"""A newer notice may belong to the screen that opens or returns."""


class NotificationLine(Widget):
    """The newest notice, above the footer and over the content.

    The keys stay on view, and no content moves. A dialog has no footer, so the notice is in its last lines. If it would
    cover the row at the cursor, it is at the top, over the titles.
    """

    DEFAULT_CSS = """
    NotificationLine { dock: bottom; layer: _toastrack; height: auto; display: none; margin: 0 0 1 0; }
    NotificationLine.-top { dock: top; margin: 1 0 0 0; }
    NotificationLine.-in-dialog { margin: 0; }
    """

    notices: reactive[Sequence[Notification]] = reactive[Sequence[Notification]]((), layout=True)
    """The notices to show, the newest last."""

    def __init__(self, key: str, let_go: Callable[[Notification], object]) -> None:
        """``key`` shows all notices in full."""
        super().__init__()
        self._key, self._let_go = key, let_go

    def on_mount(self) -> None:
        self.set_class(isinstance(self.screen, ModalScreen), "-in-dialog")

    def watch_notices(self) -> None:
        self.display = bool(self.notices)
        self.make_way()

    def make_way(self) -> None:
        """Do not cover the row at the cursor."""
        end = self.screen.size.height - (0 if isinstance(self.screen, ModalScreen) else 1)
        covered = range(end - len(self._rows(self.screen.size.width)[0]), end)
        self.set_class(any(y in covered for y in _rows_at_cursors(self.screen)), "-top")

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return len(self._rows(width)[0])

    def _rows(self, width: int) -> tuple[list[WordLine], str]:
        """Return the lines of the newest notice, and how much is not shown."""
        if not self.notices:
            return [], ""
        newest, others = self.notices[-1], len(self.notices) - 1
        words, more = [(" ".join(newest.message.split()), "text")], ""
        room = width - len("▌ ")
        rows = list(wrapped(words, room, 0, "words"))
        if others or len(rows) > MAX_NOTICE_LINES:
            more = f"{others} more" if others else "more"
            room -= columns(f"   {self._key} {more} ")
            rows = limited(wrapped(words, room, 0, "words"), MAX_NOTICE_LINES, room)
        return rows, more

    def render_line(self, y: int) -> Strip:
        styles, width = ThemeStyles.of(self), self.size.width
        rows, more = self._rows(width)
        if y >= len(rows):
            return Strip.blank(width, styles.style())
        words = [(EDGE, ROLES[self.notices[-1].severity]), *rows[y]]
        is_last = y == len(rows) - 1
        right = [(f"   {self._key}", "bold"), (f" {more} ", "middle")] if more and is_last else []
        return line(words, width, styles, right=right, ground="surface")

    def on_click(self) -> None:
        self._let_go(self.notices[-1])


def _notification_line(screen: Screen[Any]) -> NotificationLine | None:
    return next((child for child in screen.children if isinstance(child, NotificationLine)), None)


def _rows_at_cursors(screen: Screen[Any]) -> Iterator[int]:
    """Yield the rows that keys act on: in the focused widget, and in a list that is moved from its filter."""
    if isinstance(screen.focused, Input | TextArea):
        yield screen.focused.cursor_screen_offset.y
    for view in screen.query(LineView):
        is_moved = not view.can_focus and isinstance(view.parent, Widget) and view.parent.has_focus_within
        if view.cursor >= 0 and (view.has_focus or is_moved):
            yield view.content_region.y + view.heading_rows + view.cursor - view.scroll_offset.y


REASONS: Final = frozenset(WHY_NOT.values())
DONE: Final = frozenset({"Added", "Copied", "Updated"})
"""Verbs of notices that replace the one before: the same was done to something else."""


def _is_again(new: str, old: str, severity: str) -> bool:
    """Return whether a notice replaces an older one.

    ``demo.echo is in the batch: 2 calls.`` replaces the notice with one call. Why a key does nothing replaces what was
    said of the key before.
    """
    if {new, old} <= REASONS:
        return True
    return new == old if severity != "information" else _kind(new) == _kind(old)


def _kind(notice: str) -> str:
    verb = notice.partition(" ")[0]
    return verb if verb in DONE else notice.partition(":")[0]


Open = Callable[[Screen[Any]], Awaitable[Any]]
"""Opens a dialog and returns its answer."""


async def _no_answer(_: Screen[Any]) -> None:
    """Answer nothing, as nobody can be asked yet."""


class PersonOnScreen:
    """Asks the user with dialogs, as soon as the app is running."""

    is_there = True

    def __init__(self) -> None:
        self.open: Open = _no_answer
        """Set when the app starts."""

    async def secret(self, question: str, *, field: str = "password", store: Store | None = None) -> Entered | None:
        from rpcexplorer.tui.dialogs import AskSecret

        form = AskSecret(question, field, store=store.place if store else "")
        return form.entered(await self.open(form))

    async def agrees(self, question: str, title: str = PLAIN_HTTP) -> bool:
        """Ask whether to send credentials over plain HTTP, or a question with another title."""
        from rpcexplorer.tui.widgets.dialog import Caution, Choice, Confirm

        choices = [Choice("yes", "Always send")]
        return bool(await self.open(Confirm(title, question, choices, caution=Caution.EXPOSURE)))

    async def visits(self, profile: str, url: str, code: str, redirect: Awaitable[str]) -> str | None:
        """Show a URL where to log in, until the redirect comes or is pasted."""
        from rpcexplorer.tui.dialogs import LogInElsewhere

        dialog = LogInElsewhere(profile, url, code)
        arrival, answer = asyncio.ensure_future(redirect), asyncio.ensure_future(self.open(dialog))
        try:
            await asyncio.wait([arrival, answer], return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not answer.done():
                dialog.dismiss()
            arrival.cancel()
        if not arrival.cancelled() and arrival.done():
            return arrival.result()
        typed = await answer
        return typed["redirect"] if typed else None

    async def opens(self, file: str) -> bool:
        from rpcexplorer.tui.widgets.dialog import Caution, Choice, Confirm

        rows = [("file", file), ("", "A saved, recorded or imported call names it: you did not type it now.")]
        choices, title = [Choice("yes", "Open")], "Send this file to the language server?"
        return bool(await self.open(Confirm(title, rows, choices, caution=Caution.OTHERS, cancel="Don't open")))

    async def allows(self, profile: str, moved: DestinationChanged) -> bool:
        """Ask whether to allow what a file of others has decided or changed."""
        from rpcexplorer.tui.dialogs import may_allow

        return bool(await self.open(may_allow(profile, moved)))


def _start_is_over() -> None:
    """Exclude the objects of the start from garbage collection.

    Textual makes hundreds of objects for each line it draws. With Python's defaults, every tenth key would take 40 ms.
    """
    gc.freeze()
    gc.set_threshold(5_000, 10, 10)
    gc.enable()


def open_screen(
    explorer: Explorer, person: PersonOnScreen, profile: str | None = None, case: Path | None = None
) -> tuple[int, Wish]:
    """Run the app; return the exit code, and what to start next."""
    app = ExplorerApp(explorer, person, profile, case)
    app.when_shown = _start_is_over
    outlive_terminal()
    wish = app.run()
    if app.mistake is not None:
        raise app.mistake
    if app.return_code is None:  # Textual itself has ended the app.
        raise RuntimeError("the screen closed unexpectedly")
    return 0, wish or ""
