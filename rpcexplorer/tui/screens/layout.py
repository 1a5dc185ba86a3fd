"""The panes of the call screen and how they share the room: side by side, folded away when narrow, one of them whole.

Nothing is called or remembered here; what the panes show is for ``call.py`` to say.
"""

from __future__ import annotations

from typing import ClassVar, Final, Protocol

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen

from rpcexplorer.tui.commands import Scope, bindings
from rpcexplorer.tui.widgets.footer import Footer
from rpcexplorer.tui.widgets.header import Header
from rpcexplorer.tui.widgets.methods import MethodsPane
from rpcexplorer.tui.widgets.params import ParamsPane
from rpcexplorer.tui.widgets.response import ResponsePane

NARROW: Final = 100
"""Columns below which the methods fold away."""
LEAST: Final = 4
"""Lines of the params that stay whatever happens: the bar, two lines of text, the problem line."""
REPLY: Final = 6
"""Lines that are left to the header, the footer and the response."""

FIRST_STEPS: Final = (
    (
        ("      ", "text"),
        ("F2", "bold"),
        (" chooses a method, ", "dim"),
        ("F3", "bold"),
        (" goes to its params, ", "dim"),
        ("F5", "bold"),
        (" sends the call.", "dim"),
    ),
    (("      The reply appears here.", "dim"),),
)


class Sizes(Protocol):
    """Sizes that a person chose; None where nobody did."""

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


class CallLayout(Screen[None]):
    """Header, three panes, footer; sizes that are remembered; keys that go to each pane."""

    DEFAULT_CSS = """
    CallLayout { background: $background; color: $text; layout: vertical; overflow: hidden; }
    CallLayout.-prod { border-left: outer $prod; }
    CallLayout #panes { height: 1fr; }
    CallLayout MethodsPane { width: 34; border-right: solid $line; }
    CallLayout #right { width: 1fr; }
    CallLayout ParamsPane { height: 10; }
    CallLayout ResponsePane { height: 1fr; }
    CallLayout.-narrow MethodsPane { border-right: none; }
    """
    scope: ClassVar[Scope] = "call"
    BINDINGS: ClassVar[list[BindingType]] = bindings("call")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (NARROW, "-wide")]  # noqa: RUF012 - Textual's own declaration

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self._sizes = sizes
        self._covered = ""
        """The pane that covers the others: ``methods`` on a narrow screen, ``response`` when it was zoomed."""

    def compose(self) -> ComposeResult:
        """The panes in the order of the tab key."""
        yield Header()
        with Horizontal(id="panes"):
            yield MethodsPane()
            with Vertical(id="right"):
                yield ParamsPane()
                yield ResponsePane(first_steps=FIRST_STEPS)
        yield Footer()

    def on_mount(self) -> None:
        """Share the room before anything is laid out, so that it is laid out once."""
        self.on_resize()

    @property
    def header(self) -> Header:
        """The line at the top."""
        return self.query_one(Header)

    @property
    def methods(self) -> MethodsPane:
        """The pane at the left."""
        return self.query_one(MethodsPane)

    @property
    def params(self) -> ParamsPane:
        """The pane above."""
        return self.query_one(ParamsPane)

    @property
    def response(self) -> ResponsePane:
        """The pane below."""
        return self.query_one(ResponsePane)

    def header_copy(self) -> Header:
        """A header like this one, for a screen that opens over it."""
        header = Header()
        header.set_reactive(Header.profile, self.header.profile)
        header.set_reactive(Header.auth, self.header.auth)
        header.set_reactive(Header.trouble, self.header.trouble)
        return header

    @property
    def is_covered(self) -> bool:
        """Whether one pane covers the others."""
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
        self.query_one(Footer).elsewhere = frozenset() if narrow else frozenset({"focus.methods"})
        self.refresh_bindings()

    def action_focus_methods(self) -> None:
        """To the methods; where they are folded away, they open."""
        self.cover("methods")
        self.methods.focus_filter()

    def action_focus_params(self) -> None:
        """To the params; again: their next tab."""
        if self.params.has_focus_within:
            self.params.next_tab()
        self.cover("")
        self.params.focus_inside()

    def action_focus_response(self) -> None:
        """To the response; again: its next tab."""
        if self.response.has_focus_within:
            self.response.action_tab_next()
        if self._covered == "methods":
            self.cover("")
        self.response.focus_inside()

    # --- sizes -------------------------------------------------------------------------------------------------

    def on_resize(self) -> None:
        """Another terminal: what was chosen by hand holds as far as there is room."""
        self.cover(self._covered)
        self._share()

    def _share(self) -> None:
        """A third of the height for the params unless somebody wanted otherwise; the response keeps a few lines."""
        wanted = self._sizes.params_height or max(self.app.size.height * 3 // 10, 6)
        self.params.styles.height = min(wanted, max(self.app.size.height - REPLY, LEAST))
        narrow = self.app.size.width < NARROW
        usual = min(max(self.app.size.width * 28 // 100, 34), 52)
        wide = min(self._sizes.methods_width or usual, self.app.size.width // 2)
        self.methods.styles.width = "1fr" if narrow else wide

    def action_wider(self) -> None:
        """More room for the methods."""
        self._widen(2)

    def action_narrower(self) -> None:
        """Less."""
        self._widen(-2)

    def action_taller(self) -> None:
        """More room for the params."""
        self._heighten(1)

    def action_shorter(self) -> None:
        """Less."""
        self._heighten(-1)

    def _widen(self, by: int) -> None:
        if self.app.size.width >= NARROW:
            self._sizes.methods_width = min(max(self.methods.outer_size.width + by, 20), self.app.size.width // 2)
            self._share()

    def _heighten(self, by: int) -> None:
        most = max(self.app.size.height - REPLY, LEAST)
        self._sizes.params_height = min(max(self.params.size.height + by, LEAST), most)
        self._share()
