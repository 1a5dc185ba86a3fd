"""The layout of the call screen: its panes, and where docs go.

Docs get a column beside the editor and the response if both keep enough room. Else they go over the response, but
never over the editor, and close as soon as there is something to see there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from textual.timer import Timer
from textual.widget import Widget

from rpcexplorer.model.method import as_named
from rpcexplorer.settings import ScreenState
from rpcexplorer.tui.call.methods import MethodsPane
from rpcexplorer.tui.call.state import CallState
from rpcexplorer.tui.theme import NARROW
from rpcexplorer.tui.widgets.bars import Bar
from rpcexplorer.tui.widgets.full_screen import MoveDivider

if TYPE_CHECKING:
    from rpcexplorer.tui.call.docs import DocsPane
    from rpcexplorer.tui.call.params import ParamsPane
    from rpcexplorer.tui.call.response import ResponsePane

SIDE_BY_SIDE_COLUMNS: Final = 180
"""From this width on params and response can be side by side."""
ROOMY_COLUMNS: Final = 200
"""From this width on the method list has room for descriptions."""
MIN_METHODS_COLUMNS: Final = 20
MIN_PARAMS_LINES: Final = 4
"""The bar, two lines of text, and the problem line."""
MIN_TEXT_LINES: Final = 3
"""Lines of the editor if the height follows the text, so that a few more letters move nothing."""
OTHER_LINES: Final = 6
"""Lines for the header, the footer and the response."""
MIN_DOCS_COLUMNS: Final = 48
"""45 for the text, so that tables are readable, and 3 for the margin."""
MAX_DOCS_COLUMNS: Final = 80
"""Longer lines are hard to read."""
MIN_COLUMNS_BESIDE_DOCS: Final = 64
"""Columns that the editor and the response keep."""
MIN_COLUMNS_BESIDE_UNASKED_DOCS: Final = 80
"""Columns that each keeps if docs open by themselves."""
POINTER_PAUSE_SECONDS: Final = 0.15
"""After this time without a key, docs follow the cursor of the list."""
DocsPlace: TypeAlias = Literal["beside", "over"]


def is_side_by_side(remembered: ScreenState, columns: int) -> bool:
    """Return whether params and response are side by side if both are on view."""
    return remembered.side_by_side and columns >= SIDE_BY_SIDE_COLUMNS


def methods_columns(remembered: ScreenState, columns: int, *, side_by_side: bool) -> int:
    is_roomy = columns >= ROOMY_COLUMNS and not side_by_side
    usual = min(columns // 3, 72) if is_roomy else min(max(columns * 28 // 100, 34), 52)
    return min(remembered.methods_width or usual, columns // 2)


def fitting_lines(lines: int, text_lines: int) -> int:
    """Return the height of the params pane that its text needs: at most half of the screen."""
    return min(max(text_lines, MIN_TEXT_LINES) + 2, max(lines // 2, MIN_PARAMS_LINES))


def params_lines(remembered: ScreenState, lines: int, text_lines: int = 0) -> int:
    """Return the height of the params pane above the response: that of its text, or the one that the user has set."""
    share = remembered.params_share
    wanted = fitting_lines(lines, text_lines) if share is None else max(round(lines * share / 1000), MIN_PARAMS_LINES)
    return min(wanted, max(lines - OTHER_LINES, MIN_PARAMS_LINES))


class PaneLayout:
    """The room of each pane, and where the docs are."""

    def __init__(self, state: CallState, panes: tuple[MethodsPane, ParamsPane, ResponsePane]) -> None:
        self._state, self._explorer, self._remembered = state, state.explorer, state.explorer.remembered
        self.methods, self.params, self.response = panes
        self._covered_by = ""
        """``methods`` on a narrow screen, ``response`` if it is zoomed."""
        self._docs: dict[DocsPlace, DocsPane] = {}
        self._is_over = False
        """The docs cover the response."""
        self._focus_before: Widget | None = None
        """The widget that had the focus before the docs."""
        self.pointed = ""
        """The listed method that the docs show; empty: the one in the editor."""
        self._pause: Timer | None = None

    @property
    def is_narrow(self) -> bool:
        return self._columns < NARROW

    @property
    def is_covered(self) -> bool:
        covered = self._covered_by
        return self._is_over or covered == "response" or (covered == "methods" and self.is_narrow)

    @property
    def is_closable(self) -> bool:
        return self.is_covered or self.are_docs_focused

    @property
    def are_docs_focused(self) -> bool:
        return self.docs is not None and self.docs.has_focus_within

    @property
    def is_side_by_side(self) -> bool:
        return self._covered_by != "response" and is_side_by_side(self._remembered, self._columns)

    @property
    def docs(self) -> DocsPane | None:
        """The docs that are on view."""
        return next((pane for pane in self._docs.values() if pane.display), None)

    @property
    def _columns(self) -> int:
        return self._state.app.size.width

    @property
    def _lines(self) -> int:
        return self._state.app.size.height

    @property
    def _methods_columns(self) -> int:
        return methods_columns(self._remembered, self._columns, side_by_side=self.is_side_by_side)

    @property
    def _docs_columns(self) -> int:
        """Columns of docs next to the editor and the response."""
        return min(max((self._columns - self._methods_columns) * 2 // 5, MIN_DOCS_COLUMNS), MAX_DOCS_COLUMNS)

    @property
    def _columns_beside_docs(self) -> int:
        """Columns of the editor and the response if docs are next to them."""
        left = self._columns - self._methods_columns - self._docs_columns
        return left // 2 if self.is_side_by_side else left

    @property
    def _docs_place(self) -> DocsPlace:
        has_room = not self.is_narrow and self._columns_beside_docs >= MIN_COLUMNS_BESIDE_DOCS
        return "beside" if has_room else "over"

    def arrange(self) -> None:
        """Give each pane its room.

        Widgets are changed directly, not by a stylesheet, so that the focus can move at once.
        """
        if self._explorer.profile is None:  # The profile was removed on another screen, and another will be chosen.
            return
        is_list, is_zoomed = self._covered_by == "methods", self._covered_by == "response"
        self.methods.display = is_list or not (self.is_narrow or is_zoomed)
        self.methods.styles.width = "1fr" if self.is_narrow else self._methods_columns
        self.methods.set_class(self.is_narrow, "-alone")
        self._state.query_one("#right").display = not (self.is_narrow and is_list)
        self.params.display = not is_zoomed
        self.fit_params()
        self._state.set_class(self.is_side_by_side, "-beside")
        for bar in self.response.query(Bar):
            bar.set_class(not self.is_side_by_side, "-tinted")  # it separates panes that are one below the other
        self._arrange_docs()
        self._state.refresh_bindings()

    def _arrange_docs(self) -> None:
        """Show the docs in their place, and nowhere else."""
        place, before = self._docs_place, self.docs
        had_focus = before is not None and before.has_focus_within
        if place == "beside":
            self._is_over = False
        elif had_focus and before is not self._docs.get("over"):
            self._is_over = True  # keep docs open that are being read
        is_wanted = self._is_over if place == "over" else self._wants_docs_beside
        for other, pane in self._docs.items():
            pane.display = is_wanted and other == place
        if is_wanted:
            docs = self._docs.get(place) or self._add_docs(place)
            docs.bar.set_class(place == "over" and not self.is_side_by_side, "-tinted")
            if place == "beside":
                docs.styles.width = self._docs_columns
            self._fill(docs)
        self.response.display = not self._is_over
        self.params.list.is_elsewhere = self.docs is not None
        if had_focus and self.docs is not before:  # the size of the terminal or the method changed
            if self.docs is not None:
                self._state.call_after_refresh(self.docs.page.focus)  # the pane may have been mounted just now
            else:
                self.params.focus_inside()

    @property
    def _wants_docs_beside(self) -> bool:
        """The user has opened docs, or there is room and the user has not closed them.

        They stay for a method with little to show, so that nothing moves from one method to the next.
        """
        wanted = self._remembered.docs
        if self._covered_by == "response" or not self._state.method or wanted == "closed":
            return False
        has_room = self._columns_beside_docs >= MIN_COLUMNS_BESIDE_UNASKED_DOCS
        return wanted == "open" or (has_room and any(method.has_docs for method in self._state.known.values()))

    def _add_docs(self, place: DocsPlace) -> DocsPane:
        from rpcexplorer.tui.call.docs import DocsPane

        docs = self._docs[place] = DocsPane(self._state.key("docs"))
        docs.set_class(place == "beside", "-beside")
        self._state.query_one("#panes" if place == "beside" else "#right").mount(docs)
        return docs

    def _fill(self, docs: DocsPane) -> None:
        """Show the docs of the listed or edited method.

        A saved call has the docs of its method.
        """
        state, explorer = self._state, self._explorer
        assert explorer.profile is not None
        about, described = state.called, state.described
        if self.pointed and state.called_by(self.pointed) != state.called:
            about = state.called_by(self.pointed)
            described = explorer.described(about)
        learned = explorer.method_lists.learned(explorer.profile)
        asked_at = learned.when if learned else None
        docs.show(state.listed_method(as_named(about)), described, asked_at, explorer.profile)

    def cover(self, pane: str) -> None:
        """Give all the room to one pane; "" restores the usual layout.

        Docs over the response stay, unless the response gets the room.
        """
        self._is_over = self._is_over and pane != "response"
        self._covered_by = pane
        self.arrange()

    def close(self) -> None:
        """Close what covers a pane, else the docs beside the panes."""
        if not self.is_covered:
            self._close_docs()
            return
        inside = self.response if self.response.has_focus_within else self.params
        self._is_over = False
        self.cover("")
        inside.focus_inside()

    def zoom(self) -> None:
        self.cover("" if self.is_covered else "response")

    def fit(self) -> None:
        """Fit another size of the terminal; keep the focus on view."""
        self.cover("methods" if self.is_narrow and self.methods.has_focus_within else self._covered_by)

    def focus_methods(self) -> None:
        self.cover("methods")
        self.methods.focus_filter()

    def focus_params(self) -> None:
        self.params.show_tab("Params")
        self.cover("")
        self.params.focus_inside()

    def focus_response(self) -> None:
        self.free_response()
        if self._covered_by == "methods":
            self.cover("")
        self.response.focus_inside()

    def fit_params(self) -> None:
        """Make the params as high as their text."""
        params, lines = self.params, params_lines(self._remembered, self._lines, self.params.text_lines)
        params.styles.height = "1fr" if self.is_side_by_side else lines

    def widen(self, columns: int) -> None:
        if not self.is_narrow:
            wanted = max(self.methods.outer_size.width + columns, MIN_METHODS_COLUMNS)
            self._remembered.methods_width = min(wanted, self._columns // 2)
            self.arrange()

    def heighten(self, lines: int) -> None:
        most = max(self._lines - OTHER_LINES, MIN_PARAMS_LINES)
        wanted = min(max(self.params.size.height + lines, MIN_PARAMS_LINES), most)
        follows_text = wanted == fitting_lines(self._lines, self.params.text_lines)
        self._remembered.params_share = None if follows_text else round(wanted * 1000 / self._lines)
        self.arrange()

    def divider_at(self, x: int, y: int) -> MoveDivider | None:
        """Return what moves the edge of the list, or the bar between params and response."""
        methods, response = self.methods, self.response
        if methods.display and not self.is_narrow and x == methods.region.right - 1:
            return lambda to, _: self.widen(to + 1 - methods.region.right)
        is_below = self.params.display and response.display and not self.is_side_by_side
        if is_below and y == response.region.y and x >= response.region.x:
            return lambda _, to: self.heighten(to - response.region.y)
        return None

    def switch_side_by_side(self) -> str:
        """Switch between side by side and stacked; return why not."""
        if self._columns < SIDE_BY_SIDE_COLUMNS:
            return (
                f"Cannot put the response next to the params: the terminal has {self._columns} columns. "
                f"Make it at least {SIDE_BY_SIDE_COLUMNS} columns wide."
            )
        self._remembered.side_by_side = not self._remembered.side_by_side
        self.cover("")
        return ""

    async def switch_docs(self) -> None:
        """Go to the docs, which open for it; from there go back, and close them."""
        self.arrange()  # the method may have been chosen just now
        if self.docs is not None and self.docs.has_focus_within:
            self._close_docs()
            return
        if self.docs is None:
            self._open_docs()
        if (docs := self.docs) is not None:
            self._focus_before = self._state.focused
            self._state.set_focus(docs.page)
            await docs.page.laid_out()

    def _open_docs(self) -> None:
        self.pointed = self.methods.pointed or self.pointed
        self._covered_by = ""
        self._is_over = self._docs_place == "over"
        self._remember_docs("open")
        self.arrange()

    def _close_docs(self) -> None:
        before = self._focus_before
        self._remember_docs("closed")
        self.free_response()
        self.arrange()
        if before is not None and before.is_attached and before.focusable and before.is_on_screen:
            self._state.set_focus(before)
        else:
            self.params.focus_inside()

    def _remember_docs(self, wanted: str) -> None:
        if not self.is_narrow:  # a narrow terminal has no place for them: nothing follows for other sizes
            self._remembered.docs = wanted

    def free_response(self) -> None:
        """Close docs over the response; move the focus only if it was there."""
        if self._is_over:
            had_focus = self.docs is not None and self.docs.has_focus_within
            self._is_over = False
            self.arrange()
            if had_focus:
                self.response.focus_inside()

    def follow_editor(self) -> None:
        """Show the docs of the method in the editor, after its params.

        Docs may be long, so the params are drawn first.
        """
        self.pointed = ""
        self._state.call_after_refresh(self.arrange)

    def follow_focus(self) -> None:
        """Show the docs of the edited method when the list loses the focus."""
        is_reading = self.docs is not None and self.docs.has_focus_within
        if self.pointed and not is_reading and not self.methods.has_focus_within:
            self.pointed = ""
            self.arrange()

    def follow_pointer(self) -> None:
        """Let open docs follow the cursor of the list."""
        if self._pause is not None:
            self._pause.stop()
        if self.docs is not None:
            self._pause = self._state.set_timer(POINTER_PAUSE_SECONDS, self._show_pointed)

    def _show_pointed(self) -> None:
        if self.methods.pointed:
            self.pointed = self.methods.pointed
            self.arrange()
