"""The program on screen: how it starts, and which screen is open. Nobody imports the class.

``open_screen`` is the way in. The class is made in layers: what becomes of keys (``keyboard.py``), what can be done
with a selection (``selecting.py``), what all screens look like (``appearance.py``), how it ends (``leaving.py``), what
opens over a screen (``opening.py``). The history, the profiles and a case lead back to the call screen by way of each
other: they are here.
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
from threading import Thread
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Protocol, TypeVar, runtime_checkable

from msgspec.structs import replace
from textual import work
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
from textual.widgets import Input, Static, TextArea

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.destination import Entered, RouteChanged, Store
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.problem import Complaint, told
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.settings import DARK
from rpcexplorer.text.printable import printable
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.commands import Scope, bindings, first_key, keymap, read_keymap
from rpcexplorer.tui.keys import Keys, opens
from rpcexplorer.tui.messages import (
    ComparisonWanted,
    CopyCallWanted,
    ExportWanted,
    ProfilesCompared,
    ReplayWanted,
    StatisticsWanted,
    TicketWanted,
)
from rpcexplorer.tui.terminal import Guard, never_wait_for_the_gone
from rpcexplorer.tui.theme import ThemeStyles, line, textual_theme, width_of
from rpcexplorer.tui.widgets.bars import Footer, Header

if TYPE_CHECKING:
    from pathlib import Path

    from rpcexplorer.tui.compare import Frame
    from rpcexplorer.tui.history import CaseOnView, HistoryChoice
    from rpcexplorer.tui.terminal import ReadingFailed

MASKED = "What is masked is not copied."


@runtime_checkable
class Interruptible(Protocol):
    """A screen or a pane in which something can run."""

    def interrupt(self) -> bool:
        """End what runs; whether there was anything."""


ReturnType = TypeVar("ReturnType")


class Selecting(App[ReturnType]):
    """A program in which text is selected and copied."""

    def __init__(self, explorer: Explorer) -> None:
        super().__init__()
        self.explorer = explorer
        self.keys = Keys(self, super().on_event, lambda: self.home)
        self.pending = self.keys.pending

    @property
    def home(self) -> Screen[Any] | None:
        return None

    async def on_event(self, event: Event) -> None:
        if not await self.keys.take(event):
            await super().on_event(event)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Where one types, all of the text can be selected."""
        if action == "select_all":
            return isinstance(self.screen.focused, Input | TextArea)
        return super().check_action(action, parameters)

    def action_select_all(self) -> None:
        if isinstance(field := self.screen.focused, Input | TextArea):
            field.select_all()

    def action_copy_or_cancel(self) -> None:
        """Copy what is selected; else end what runs; else say how to leave."""
        if text := selected(self.screen):
            self.run_worker(self._copy(text), group="selection", description="copy")
        elif text is not None and interrupted(self.screen, self.home):
            if self.explorer.credentials.is_asking and isinstance(self.screen, ModalScreen):
                self.screen.dismiss(None)  # nobody waits for the answer any more
        else:
            leave = how_to_leave(self.screen, self.explorer.settings.keymap, kept=self.home is not None)
            self.notify(MASKED if text is None else leave)

    async def _copy(self, text: str) -> None:
        """Without the secrets that this run knows, those of the profile in use above all."""
        from rpcexplorer.tui.processes import copy

        screen, redactor = self.screen, self.explorer.redactor(of_this_profile=True)
        await copy(screen, await asyncio.to_thread(redactor.text, text), "the selection")


def selected(screen: Screen[Any]) -> str | None:
    """What is selected in the field with the focus, else by the mouse; None where it must not be copied."""
    field = screen.focused
    if isinstance(field, Input | TextArea) and field.selected_text:
        return None if isinstance(field, Input) and field.password else field.selected_text
    # only these show what is selected of them: of others, Textual would copy a name of its own
    marked = [(each, part) for each, part in screen.selections.items() if isinstance(each, Static) and each.is_attached]
    found = [piece for each, part in marked if (piece := each.get_selection(part)) is not None]
    text = "".join(words + end for words, end in found).rstrip("\n")
    return text if any(map(str.isalnum, text)) else ""  # the sign before a field is nothing to copy


def interrupted(screen: Screen[Any], home: Screen[Any] | None) -> bool:
    """End what runs on this screen, else on the one that is always there; whether anything did."""
    nodes = dict.fromkeys([screen, *screen.query("*"), home])
    return any(node.interrupt() for node in nodes if isinstance(node, Interruptible))


def how_to_leave(screen: Screen[Any], keymap: Mapping[str, str], *, kept: bool) -> str:
    """The keys for it, as they are mapped: out of this screen, and out of the program. ``kept``: there is an editor."""
    key, palette = first_key("quit", keymap), first_key("palette", keymap)
    leave = f"{key} leaves rpcexplorer" if key else f"quit leaves rpcexplorer: {palette} lists the commands"
    scope = getattr(screen, "scope", "")
    if isinstance(screen, ModalScreen):
        leave = f"Esc closes this, {leave}"
    elif scope in {"history", "batch", "comparison", "profiles"} and screen.check_action("close", ()):
        back = first_key(f"{scope}.close", keymap)
        leave = f"{back} goes back, {leave}" if back else leave
    comfort = "; what stands in the editor is kept" if kept else ""
    return f"Nothing is selected, and nothing runs. {leave[0].upper()}{leave[1:]}{comfort}."


GUARD: Final = Guard()
"""One for all: Textual keeps what it has drawn by the filters that it went through."""
WEIGHT: Final[dict[SeverityLevel, str]] = {"warning": "! ", "error": "✗ "}
"""What a sentence begins with that must not be overlooked, beside its colour."""
ROLES: Final[dict[SeverityLevel, str]] = {"information": "accent", "warning": "careful", "error": "wrong"}
KEPT: Final = 200
"""Notices that can be read again."""


class NoticeLine(Widget):
    """The newest notice, over the footer: nothing that is being read moves or is covered."""

    DEFAULT_CSS = "NoticeLine { dock: bottom; layer: _toastrack; height: 1; display: none; }"

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


class Themed(Selecting[ReturnType]):
    """A program in a theme of the person's choice."""

    CSS = """
    * { scrollbar-size-vertical: 1; scrollbar-size-horizontal: 1; }
    Entry { scrollbar-size-horizontal: 0; }
    Input > .input--placeholder { color: $dim; }
    """

    def __init__(self, explorer: Explorer) -> None:
        super().__init__(explorer)
        self._broken: list[Complaint] = []
        """What is wrong with themes and keys, and was not told yet."""
        self._said = deque[Notification](maxlen=KEPT)
        """What was said in this run, the newest last."""
        # before the first screen: a theme put on later has every stylesheet read twice
        if theme := self._read(explorer.settings.theme or DARK.name) or self._read(DARK.name):
            self.set_reactive(App.theme, theme)
            self.stylesheet.set_variables(self.get_css_variables())

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

    def on_notify(self, event: Notify) -> None:
        """What is said again takes the place of what was said, before Textual adds it; so does its newer end.

        Of complaints each stays: what stands before the colon may be the file that several are about.
        """
        new = event.notification
        for old in list(self._notifications):
            if old.severity == new.severity and _is_again(new.message, old.message, new.severity):
                self._unnotify(old, refresh=False)
        self._said.append(new)

    def _refresh_notifications(self) -> None:
        """Show notices on the screen on top, and nowhere else, until the next of them expires."""
        if self._disable_notifications or not self.is_running:
            return
        notices = tuple(self._notifications)
        for screen in self.screen_stack:
            shown = notices if screen is self.screen else ()
            found = next((each for each in screen.children if isinstance(each, NoticeLine)), None)
            if found is None and shown and screen.is_attached:
                key = first_key("notices", self.explorer.settings.keymap)
                found = NoticeLine(key or "palette", self._unnotify)
                screen.mount(found)
            if found is not None:
                found.notices = shown
        if notices:
            self.set_timer(max(min(each.time_left for each in notices), 0) + 0.01, self._refresh_notifications)

    def action_notices(self) -> None:
        from rpcexplorer.tui.dialogs import PageDialog

        rows: list[list[tuple[str, str]]] = []
        for each in reversed(self._said):
            when = f"{datetime.fromtimestamp(each.raised_at).astimezone():%H:%M:%S}"
            for at, words in enumerate(each.message.splitlines()):
                rows.append([(f"   {'' if at else when:<8}  ", "dim"), (words, "text")])
        if not isinstance(self.screen, PageDialog):
            self.push_screen(PageDialog("Notices", rows or [[("   There are no notices yet.", "dim")]]))

    @opens("theme")
    async def action_theme(self) -> None:
        from rpcexplorer.tui.widgets.picker import Pick, Picker

        before = self.theme
        picks = [Pick(name, name, mark="now" if name == before else "") for name in self.explorer.themes.files()]
        chosen = await self.push_screen_wait(Picker("Themes", picks, on=before, moved=self.wear))
        self.wear(chosen or before)
        if chosen and (trouble := self.explorer.save_setting("theme", chosen)):
            self.notify(trouble, markup=False)
        for complaint in self._broken:
            self.notify(str(complaint), markup=False, severity="warning")
        self._broken.clear()


def _is_again(new: str, old: str, severity: str) -> bool:
    """Whether a notice says again what another has said: ``demo.echo is in the batch: 2 calls.`` after one call."""
    if severity != "information" or ":" not in new:
        return new == old
    return new.partition(":")[0] == old.partition(":")[0]


Wish = Literal["", "demo"]
"""What the person wants next, once the screen is closed."""
T = TypeVar("T")


async def in_a_thread_of_its_own(work: Callable[[], T]) -> T:
    """What comes of work that may take long and can be given up: the program would wait for a thread of the loop."""
    loop, came = asyncio.get_running_loop(), asyncio.Event()
    found: list[T] = []

    def done() -> None:
        try:
            found.append(work())
        finally:
            with suppress(RuntimeError):  # the loop is closed, and nobody waits any more
                loop.call_soon_threadsafe(came.set)

    Thread(target=done, daemon=True).start()
    await came.wait()
    return found[0]


class Leaving(Themed[Wish]):
    """A program that is left when what runs has ended and what was typed is written down."""

    def __init__(self, explorer: Explorer) -> None:
        super().__init__(explorer)
        self._leaving = self._asked = False
        """Whether somebody wants an end; whether they were told what cannot be kept."""

    @property
    def home(self) -> CallScreen | None:
        return self.calls

    @property
    def calls(self) -> CallScreen | None:
        return next((screen for screen in self.screen_stack if isinstance(screen, CallScreen)), None)

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

    async def on_unmount(self) -> None:
        await self.explorer.__aexit__()

    def on_terminal_gone(self) -> None:
        self._leave()

    def on_reading_failed(self, event: ReadingFailed) -> None:
        """Nobody could type any more: it ends as by any mistake of ours."""
        raise event.error

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
            from rpcexplorer.tui.dialogs import may_end

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


class OpeningApp(Leaving):
    """Answers what the screens ask for."""

    @opens("batch")
    async def on_batch_wanted(self) -> None:
        calls = self.calls
        if calls is None or self.screen is not calls:
            return
        from rpcexplorer.tui.batch import BatchScreen

        calls.write_down()
        header, under_way = calls.header_copy(), lambda: calls.whose or calls.what
        around = {"header": header, "footer": footer_over()}
        screen = BatchScreen(self.explorer, self.pending, **around, under_way=under_way, at=calls.batch_row)
        choice = await self.push_screen_wait(screen)
        calls.batch_row = screen.row
        calls.show_recent()
        calls.show_auth()
        if choice is not None:
            calls.take(choice.draft, choice.came)

    @opens("form")
    async def on_form_wanted(self) -> None:
        calls = self.calls
        if calls is None or self.screen is not calls:
            return
        from rpcexplorer.model.method import Described
        from rpcexplorer.schema.form import MAX_FORM_CHARACTERS
        from rpcexplorer.tui.form import FormScreen, FormSource

        params, known = calls.params, self.explorer.methods(called=False).get(calls.called)
        if len(params.text) > MAX_FORM_CHARACTERS:
            calls.tell(
                f"A form shows params of {MAX_FORM_CHARACTERS:,} characters at most; these have {len(params.text):,}."
            )
            return
        if calls.described is None:  # the first screen does not wait for it
            calls.describe()
        described = calls.described or Described()
        source = FormSource(
            calls.called,
            described,
            known.by if known else None,
            lambda: params.text,
            params.replace,
            params.action_undo,
            params.action_redo,
            lambda: params.problem is None,
            calls.request_to_come,
            partial(calls.check_params, described),
            params.editor.cursor_offset,
        )
        around = {"header": calls.header_copy(), "footer": footer_over()}
        form = FormScreen(self.explorer, source, self.pending, **around)
        calls.typed_elsewhere = form.put_typed
        is_sent = await self.push_screen_wait(form)
        calls.typed_elsewhere = lambda: None
        params.show_tab("Params")
        if form.place is not None:
            params.editor.go_to(form.place)
        params.focus_inside()
        if is_sent:
            calls.action_send()

    @opens("copy")
    async def on_copy_call_wanted(self, event: CopyCallWanted) -> None:
        from rpcexplorer.model.draft import draft_of
        from rpcexplorer.tui.call.copying import copied

        exchange = event.exchange
        taken = partial(self.pending.go_on, "copy")
        await copied(self.screen, self.explorer, draft_of(exchange), exchange=exchange, taken=taken)

    @opens("copy")
    async def on_ticket_wanted(self, event: TicketWanted) -> None:
        from rpcexplorer.tui.call.copying import ticket_copied, ticket_of_two_copied

        self.pending.go_on("copy")
        if event.other is None:
            await ticket_copied(self.screen, self.explorer, event.exchange)
        else:
            await ticket_of_two_copied(self.screen, self.explorer, event.exchange, event.other, event.ignore)

    @opens("comparison")
    async def on_comparison_wanted(self, event: ComparisonWanted) -> None:
        from rpcexplorer.tui.replay import compare

        await compare(self.screen, self.explorer, self.pending, self._frame(), event)

    @opens("replay")
    async def on_replay_wanted(self, event: ReplayWanted) -> None:
        from rpcexplorer.tui.replay import replay

        await replay(self.screen, self.explorer, self.pending, self._frame(), event.records)
        self._after_calls()

    @opens("replay")
    async def on_profiles_compared(self, event: ProfilesCompared) -> None:
        from rpcexplorer.tui.replay import compare_profiles

        await compare_profiles(self.screen, self.explorer, self.pending, self._frame(), event.draft, whole=event.whole)
        self._after_calls()

    @opens("export")
    async def on_export_wanted(self, event: ExportWanted) -> None:
        from rpcexplorer.tui.call.copying import case_saved

        await case_saved(self.screen, self.explorer, event.records)

    @opens("statistics")
    async def on_statistics_wanted(self, event: StatisticsWanted) -> None:
        from rpcexplorer.tui.statistics import StatisticsScreen

        header = self.calls.header_copy() if self.calls else Header()
        screen = StatisticsScreen(self.explorer, event.wanted, self.pending, header=header, footer=footer_over())
        if words := await self.push_screen_wait(screen):
            event.narrow(words)

    @opens("palette")
    async def action_palette(self) -> None:
        from rpcexplorer.tui.dialogs import chosen_command

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

    def action_help(self) -> None:
        from rpcexplorer.tui.dialogs import Help

        if isinstance(self.screen, Help):
            self.screen.action_leave()
        else:
            self.push_screen(Help(list(self._scoped()), self.explorer.settings.keymap))

    def _after_calls(self) -> None:
        """Calls were made over the call screen."""
        if self.calls is not None and self.explorer.profile is not None:
            self.calls.show_recent()
            self.calls.show_auth()

    def _frame(self) -> Frame:
        from rpcexplorer.tui.compare import Frame

        return Frame(self.calls.header_copy if self.calls else Header, footer_over)


def footer_over() -> Footer:
    """For a screen that opens over the calls: what it can do itself comes first, the ways to others go unsaid."""
    footer = Footer()
    footer.set_reactive(Footer.elsewhere, frozenset({"history", "profiles"}))
    return footer


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

        dialog = AskSecret(question, masked=masked, store=store.place if store else "")
        answer: str | None = await self.open(dialog)
        return (answer, dialog.keeps) if answer else None

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

    async def allows(self, profile: str, moved: RouteChanged) -> bool:
        """Show the old destination beside the new one; the first answer is the no."""
        if self.open is None:
            return False
        from rpcexplorer.tui.widgets.dialog import Choice, Confirm

        old = {each.key: f"{each.old}\n→ " if each.old else "" for each in moved.changes}
        rows = [(each.key, f"{old[each.key]}{each.new}  {each.place}".rstrip()) for each in moved.changes]
        choices = [Choice("no", "Don't send"), Choice("yes", "Allow and send")]
        title = (
            f"Send the {moved.field} of {profile} to a changed destination?  {moved.why[:1].upper()}{moved.why[1:]}."
        )
        answer: str | None = await self.open(Confirm(title, rows, choices, grave=True))
        return answer == "yes"


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
        from rpcexplorer.tui.terminal import TerminalDriver

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
        self.keys.watch_screens()

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
        from rpcexplorer.tui.history import CaseOnView

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
        from rpcexplorer.tui.profiles import Welcome, files_of

        way = await self.push_screen_wait(Welcome(files_of(self.explorer), self._complaints()))
        return way if way in {"demo", "add"} else ""

    async def _choose(self, *, adding: bool = False) -> bool:
        """The profiles on screen; whether one of them was chosen."""
        from rpcexplorer.tui.profiles import ProfilesScreen

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
        from rpcexplorer.tui.history import HistoryScreen

        header = self.calls.header_copy() if self.calls else Header()
        return await self.push_screen_wait(
            HistoryScreen(self.explorer, self.pending, header=header, footer=footer_over(), case=case)
        )

    async def _take(self, calls: CallScreen, choice: HistoryChoice) -> None:
        """Load a call of the history or of a case, or send it again."""
        if choice.action == "carry":
            from rpcexplorer.tui.call.transfer import carry

            await carry(calls, Draft(choice.exchange.method, choice.exchange.params), choice.profile)
        elif self.explorer.profile is not None:
            ours = self.explorer.journal.is_ours(choice.exchange, self.explorer.profile)  # it was read from there
            # whoever has recorded it, its profile is chosen by this person alone
            switched = choice.exchange.foreign or await self._switch(choice.exchange.profile)
            (calls.again if choice.action == "again" and switched else calls.load)(choice.exchange, ours=ours)

    @opens("test")
    async def on_connection_test_wanted(self) -> None:
        """Where what is proposed was done, that is the profile in use, and a method that is safe stands ready."""
        from rpcexplorer.tui.connection_test import tested

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
