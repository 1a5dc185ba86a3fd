"""What all screens look like: their theme, what is told at the bottom, and that all of it is printable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual.app import App
from textual.filter import LineFilter
from textual.notifications import Notify, SeverityLevel

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.complaint import Complaint
from rpcexplorer.model.theme import DARK
from rpcexplorer.tui.keyboard import ReturnType
from rpcexplorer.tui.pending_keys import opens
from rpcexplorer.tui.selecting import Selecting
from rpcexplorer.tui.terminal.guard import Guard
from rpcexplorer.tui.theming import textual_theme
from rpcexplorer.views.printable import printable

GUARD: Final = Guard()
"""One for all: Textual keeps what it has drawn by the filters that it went through."""
WEIGHT: Final[dict[SeverityLevel, str]] = {"warning": "! ", "error": "✗ "}
"""What a sentence begins with that must not be overlooked, beside its colour."""


class Themed(Selecting[ReturnType]):
    """A program in a theme of the person's choice."""

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

    def __init__(self, explorer: Explorer) -> None:
        super().__init__(explorer)
        self._broken: list[Complaint] = []
        """What is wrong with themes and keys, and was not told yet."""
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
