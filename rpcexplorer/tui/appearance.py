"""What all screens look like: their theme, what is told at the bottom, and that all of it is printable."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from textual.app import App
from textual.filter import LineFilter
from textual.notifications import Notification, Notify, SeverityLevel
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.problem import Complaint
from rpcexplorer.model.settings import DARK
from rpcexplorer.text.printable import printable
from rpcexplorer.tui.commands import first_key
from rpcexplorer.tui.keyboard import ReturnType
from rpcexplorer.tui.pending_keys import opens
from rpcexplorer.tui.selecting import Selecting
from rpcexplorer.tui.terminal.guard import Guard
from rpcexplorer.tui.theming import ThemeStyles, line, textual_theme, width_of

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
        from rpcexplorer.tui.dialogs.help import PageDialog

        rows: list[list[tuple[str, str]]] = []
        for each in reversed(self._said):
            when = f"{datetime.fromtimestamp(each.raised_at).astimezone():%H:%M:%S}"
            for at, words in enumerate(each.message.splitlines()):
                rows.append([(f"   {'' if at else when:<8}  ", "dim"), (words, "text")])
        if not isinstance(self.screen, PageDialog):
            self.push_screen(PageDialog("Notices", rows or [[("   There are no notices yet.", "dim")]]))

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


def _is_again(new: str, old: str, severity: str) -> bool:
    """Whether a notice says again what another has said: ``demo.echo is in the batch: 2 calls.`` after one call."""
    if severity != "information" or ":" not in new:
        return new == old
    return new.partition(":")[0] == old.partition(":")[0]
