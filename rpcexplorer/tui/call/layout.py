"""The panes of the call screen and how they share the room: side by side, folded away when narrow, one of them whole.

Nothing is called or remembered here; what the panes show is for ``drafting.py`` to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, Final, Protocol

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.reactive import reactive
from textual.screen import Screen

from rpcexplorer.model.exchange import Exchange, Preview, Refused
from rpcexplorer.model.methods.method import Method
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.schema.checked import Checked
from rpcexplorer.model.schema.described import Described
from rpcexplorer.model.templates.offered import Offered
from rpcexplorer.tui.call.methods.pane import MethodsPane
from rpcexplorer.tui.call.params.pane import ParamsPane
from rpcexplorer.tui.call.response.pane import ResponsePane
from rpcexplorer.tui.commands import Scope, bindings, first_key
from rpcexplorer.tui.sizes import NARROW
from rpcexplorer.tui.widgets.bar import Bar
from rpcexplorer.tui.widgets.footer import Footer
from rpcexplorer.tui.widgets.header import Header
from rpcexplorer.views.words.sentences import WordLine

if TYPE_CHECKING:
    from rpcexplorer.model.schema.completing import Completion

WIDE: Final = 180
"""Columns from which params and response can stand side by side."""
LEAST: Final = 4
"""Lines of the params that stay whatever happens: the bar, two lines of text, the problem line."""
REPLY: Final = 6
"""Lines that are left to the header, the footer and the response."""

FIRST_STEPS: Final = (
    ("focus.methods", " chooses a method, "),
    ("focus.params", " goes to its params, "),
    ("send", " sends the call."),
)
"""What is said before there is any reply: commands and what they do."""


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


class CallLayout(Screen[None]):
    """Header, three panes, footer; sizes that are remembered; keys that go to each pane."""

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

    # what the panes show: set on the screen, and bound to the panes in ``compose``
    profile: reactive[Profile | None] = reactive[Profile | None](None, init=False, repaint=False)
    """The profile in use."""
    is_prod: reactive[bool] = reactive(False, init=False, repaint=False, toggle_class="-prod")
    """What is called may matter to many: the whole screen says so."""
    empty_params: reactive[str] = reactive("[]", init=False, repaint=False)
    """What is sent where no params are typed, as the profile says it."""
    auth: reactive[Sequence[tuple[str, str]]] = reactive[Sequence[tuple[str, str]]]((), init=False, repaint=False)
    """How the profile is logged in, or what it lacks."""
    trouble: reactive[str] = reactive("", init=False, repaint=False)
    """What could not be kept or read, in a few words."""
    known: reactive[Mapping[str, Method]] = reactive[Mapping[str, Method]]({}, init=False, repaint=False)
    """The methods that are known, by name."""
    pinned: reactive[Sequence[str]] = reactive[Sequence[str]]((), init=False, repaint=False)
    """Those that are kept at the top."""
    recent: reactive[Sequence[Exchange]] = reactive[Sequence[Exchange]]((), init=False, repaint=False)
    """The newest calls, the latest first."""
    discovered_at: reactive[datetime | None] = reactive[datetime | None](None, init=False, repaint=False)
    """When the service was asked which methods it has."""
    method: reactive[str] = reactive("", init=False, repaint=False)
    """What is chosen in the list for the editor: a method, or a saved call with its sign."""
    called: reactive[str] = reactive("", init=False, repaint=False)
    """The method that what stands in the editor calls."""
    described: reactive[Described | None] = reactive[Described | None](
        None, init=False, repaint=False, always_update=True
    )
    """All that is known of that method; None where nobody has told of it. It is never compared: it may be large."""
    preview: reactive[Preview | Refused | None] = reactive[Preview | Refused | None](None, init=False, repaint=False)
    """The request to come, or why there would be none."""
    exchange: reactive[Exchange | None] = reactive[Exchange | None](None, init=False, repaint=False, always_update=True)
    """The exchange on view."""
    hint: reactive[WordLine] = reactive[WordLine]([], init=False, repaint=False)
    """What may help, where the exchange on view has failed just now; empty where nobody knows."""
    schema_remark: reactive[str] = reactive("", init=False, repaint=False)
    """What its schema has against the result on view."""
    what: reactive[str] = reactive("", init=False, repaint=False)
    """What is under way, in a word; empty where nothing is."""
    whose: reactive[str] = reactive("", init=False, repaint=False)
    """The method that is being called, while one is."""

    def __init__(self, sizes: Sizes, keymap: Mapping[str, str]) -> None:
        super().__init__()
        self._sizes = sizes
        self._keymap = keymap
        self.header = Header()
        """The line at the top."""
        self.methods = MethodsPane(key=self.key("focus.methods"), recent_key=self.key("history"))
        """The pane at the left."""
        self.params = ParamsPane(
            key=self.key("focus.params"),
            names=self.offered_names,
            complete=self.complete_params,
            hint=self.hint_params,
            check=self.check_params,
        )
        """The pane above."""
        self.response = ResponsePane(
            key=self.key("focus.response"), cancel_key=self.key("cancel"), first_steps=self.steps_of()
        )
        """The pane below."""
        self.methods_columns = 0
        """What the list takes of the width, where it is no screen of its own."""
        self._shown = False
        self._covered = ""
        """The pane that covers the others: ``methods`` on a narrow screen, ``response`` when it was zoomed."""

    def compose(self) -> ComposeResult:
        here = CallLayout
        yield self.header.data_bind(here.profile, here.auth, here.trouble)
        with Horizontal(id="panes"):
            yield self.methods.data_bind(here.pinned, here.recent, methods=here.known, current=here.method)
            with Vertical(id="right"):
                yield self.params.data_bind(here.preview, here.described, empty=here.empty_params)
                yield self.response.data_bind(
                    here.exchange, here.hint, here.schema_remark, here.what, here.whose, method=here.called
                )
        yield Footer().data_bind(prod=here.is_prod)

    def key(self, command: str) -> str:
        return first_key(command, self._keymap)

    def offered_names(self) -> Sequence[Offered]:
        """What could stand between double braces in the params."""
        return ()

    def complete_params(self, text: str, offset: int) -> Completion | None:  # noqa: ARG002
        """What could stand at an offset of a text of params."""
        return None

    def hint_params(self, text: str, offset: int) -> str:  # noqa: ARG002
        """What belongs at an offset of a text of params, and what comes next."""
        return ""

    async def check_params(self, described: Described, text: str) -> Checked:  # noqa: ARG002
        """What the schemas of the method in the editor have against a text of params."""
        return Checked()

    def steps_of(self, profile: Profile | None = None) -> list[list[tuple[str, str]]]:
        """What is said before there is any reply; also how to learn of a server that was not asked, or is not known."""
        steps = [part for id, words in FIRST_STEPS for part in ((self.key(id), "bold"), (words, "dim"))]
        lines = [[("      ", "text"), *steps], [("      The reply appears here.", "dim")]]
        further = []
        if profile is not None and self.discovered_at is None:
            further.append(("discover", " asks the server which methods it has."))
        if profile is not None and profile.ad_hoc:
            further.append(("test", " tests this address, and says first what it calls."))
        for id, words in further:
            lines += [[], [("      ", "text"), (self.key(id) or "The palette", "bold"), (words, "dim")]]
        return lines

    def on_mount(self) -> None:
        """Share the room before anything is laid out, so that it is laid out once."""
        self.on_resize()

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """The first time, every widget has just got its styles: there is nothing to refresh."""
        event.refresh_styles = self._shown
        self._shown = True

    def header_copy(self) -> Header:
        """A header like this one, for a screen that opens over it."""
        header = Header()
        header.set_reactive(Header.profile, self.profile)
        header.set_reactive(Header.auth, self.auth)
        header.set_reactive(Header.trouble, self.trouble)
        return header

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
        self.query_one(Footer).elsewhere = frozenset() if narrow else frozenset({"focus.methods"})
        self.refresh_bindings()

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
        usual = min(max(self.app.size.width * 28 // 100, 34), 52)
        wide = min(self._sizes.methods_width or usual, self.app.size.width // 2)
        self.methods_columns = wide
        self.methods.styles.width = "1fr" if narrow else wide
        self.methods.set_class(narrow, "-alone")

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
