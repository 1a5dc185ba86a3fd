"""How the panes of the call screen share the room: side by side, folded away when narrow, one of them whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, Protocol

from textual import events
from textual.binding import BindingType

from rpcexplorer.tui.call.panes import CallPanes
from rpcexplorer.tui.commands import Scope, bindings
from rpcexplorer.tui.theme import NARROW
from rpcexplorer.tui.widgets.bars import Bar, Footer

WIDE: Final = 180
"""Columns from which params and response can stand side by side."""
ROOMY: Final = 200
"""Columns from which the method list has room for what each method does, and editor and docs for all they need."""
LEAST: Final = 4
"""Lines of the params that stay whatever happens: the bar, two lines of text, the problem line."""
REPLY: Final = 6
"""Lines that are left to the header, the footer and the response."""


class Sizes(Protocol):
    """Sizes that a person chose; None where nobody did."""

    side_by_side: bool
    """Params and response stand side by side where there is room."""
    docs: str
    """``open`` or ``closed`` where somebody wanted the docs so."""

    @property
    def methods_width(self) -> int | None:
        """Columns of the method list."""

    @methods_width.setter
    def methods_width(self, columns: int) -> None: ...

    @property
    def params_height(self) -> int | None:
        """Lines of the params."""

    @params_height.setter
    def params_height(self, lines: int) -> None: ...


class CallLayout(CallPanes):
    """Sizes that are remembered; keys that go to each pane."""

    DEFAULT_CSS = """
    CallLayout { background: $background; color: $text; layout: vertical; overflow: hidden; }
    CallLayout.-prod { border-left: outer $prod; border-right: outer $prod; }
    CallLayout #panes { height: 1fr; }
    CallLayout MethodsPane { width: 34; border-right: solid $line; }
    CallLayout #right { width: 1fr; }
    CallLayout ParamsPane { height: 10; }
    CallLayout ResponsePane { height: 1fr; }
    CallLayout.-beside #right { layout: horizontal; }
    CallLayout.-beside ParamsPane, CallLayout.-beside ResponsePane { width: 1fr; }
    CallLayout.-beside ResponsePane { border-left: solid $line; }
    CallLayout MethodsPane.-alone { border-right: none; }
    """
    scope: ClassVar[Scope] = "call"
    BINDINGS: ClassVar[list[BindingType]] = bindings("call")
    AUTO_FOCUS = ""
    """Whoever shows something knows where the focus belongs; to move it from elsewhere costs a part of the start."""

    def __init__(self, sizes: Sizes, keymap: Mapping[str, str]) -> None:
        super().__init__(keymap)
        self._sizes = sizes
        self.has_login = True
        """Whether the profile sends credentials."""
        self._shown = False
        self._covered = ""
        """The pane that covers the others: ``methods`` on a narrow screen, ``response`` when it was zoomed."""

    def on_mount(self) -> None:
        """Share the room before anything is laid out, so that it is laid out once."""
        self.on_resize()

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """The first time, every widget has just got its styles: there is nothing to refresh."""
        event.refresh_styles = self._shown
        self._shown = True

    @property
    def is_covered(self) -> bool:
        return self._covered == "response" or (self._covered == "methods" and self.app.size.width < NARROW)

    def cover(self, pane: str) -> None:
        """Give a pane all the room, or with an empty name all panes their usual one.

        Set on the widgets themselves rather than by a stylesheet, so that a focus can follow in the same breath.
        """
        self._covered = pane
        narrow, zoomed = self.app.size.width < NARROW, pane == "response"
        self.methods.display = not zoomed and (not narrow or pane == "methods")
        self.query_one("#right").display = not (narrow and pane == "methods")
        self.params.display = not zoomed
        self._put_beside()
        self._tell_footer()
        self.refresh_bindings()

    def uncover(self) -> None:
        """Show what was covered."""
        self.cover("")

    def _tell_footer(self) -> None:
        """Leave out of the footer what is seen elsewhere, or has no use for this profile."""
        elsewhere = {"focus.methods": self.app.size.width >= NARROW, "login": not self.has_login}
        self.query_one(Footer).elsewhere = frozenset(id for id, is_left_out in elsewhere.items() if is_left_out)

    def _put_beside(self) -> None:
        """Params and response side by side or not; one below the other they are told apart by a tinted bar."""
        self.set_class(self.is_beside, "-beside")
        for bar in self.response.query(Bar):
            bar.set_class(not self.is_beside, "-tinted")

    def action_focus_methods(self) -> None:
        """To the methods; where they are folded away, they open."""
        self.cover("methods")
        self.methods.focus_filter()

    def action_focus_params(self) -> None:
        self.params.show_tab("Params")
        self.cover("")
        self.params.focus_inside()

    def action_focus_response(self) -> None:
        if self._covered == "methods":
            self.cover("")
        self.response.focus_inside()

    # --- sizes -------------------------------------------------------------------------------------------------

    def on_resize(self) -> None:
        """Another terminal: what was chosen by hand holds as far as there is room, and the focus stays on view."""
        here = "methods" if self.app.size.width < NARROW and self.methods.has_focus_within else self._covered
        self.cover(here)
        self._share()

    def _share(self) -> None:
        """A third of the height for the params unless somebody wanted otherwise; the response keeps a few lines."""
        wanted = self._sizes.params_height or max(self.app.size.height * 3 // 10, 6)
        self.params.styles.height = "1fr" if self.is_beside else min(wanted, max(self.app.size.height - REPLY, LEAST))
        narrow = self.app.size.width < NARROW
        self.methods.styles.width = "1fr" if narrow else self.methods_columns
        self.methods.set_class(narrow, "-alone")

    @property
    def methods_columns(self) -> int:
        """Columns of the method list beside the other panes."""
        width = self.app.size.width
        is_roomy = width >= ROOMY and not self.is_beside
        usual = min(width // 3, 72) if is_roomy else min(max(width * 28 // 100, 34), 52)
        return min(self._sizes.methods_width or usual, width // 2)

    @property
    def is_beside(self) -> bool:
        """Whether params and response stand side by side: somebody wants it, there is room, and both are on view."""
        return self._sizes.side_by_side and self.app.size.width >= WIDE and self._covered != "response"

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Side by side, both have all the height."""
        return not self.is_beside if action in {"taller", "shorter"} else super().check_action(action, parameters)

    def action_side_by_side(self) -> None:
        if self.app.size.width < WIDE:
            has = f"this terminal has {self.app.size.width}"
            self.notify(f"Params and response stand side by side from {WIDE} columns on; {has}.", timeout=6)
            return
        self._sizes.side_by_side = not self._sizes.side_by_side
        self.cover("")
        self._share()

    def action_wider(self) -> None:
        self._widen(2)

    def action_narrower(self) -> None:
        self._widen(-2)

    def action_taller(self) -> None:
        self._heighten(1)

    def action_shorter(self) -> None:
        self._heighten(-1)

    def _widen(self, by: int) -> None:
        if self.app.size.width >= NARROW:
            self._sizes.methods_width = min(max(self.methods.outer_size.width + by, 20), self.app.size.width // 2)
            self._share()

    def _heighten(self, by: int) -> None:
        most = max(self.app.size.height - REPLY, LEAST)
        self._sizes.params_height = min(max(self.params.size.height + by, LEAST), most)
        self._share()
