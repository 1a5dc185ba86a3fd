"""Where the docs of a method stand on the call screen, and what becomes of an example that is taken from them.

In a column of their own, beside the editor and the response, where those keep room enough; else below the list of
methods, where that is as wide; else over the response; never instead of the editor. What covers the response goes as
soon as there is something to see there.
"""

from __future__ import annotations

from typing import Final, Literal

from textual import on
from textual.timer import Timer
from textual.widget import Widget

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.method import Method, SavedMethod, as_named, method_of
from rpcexplorer.text.json_text import laid_out
from rpcexplorer.tui.call.docs import DocsPane, DocsSheet
from rpcexplorer.tui.call.methods import MethodsPane
from rpcexplorer.tui.call.sending import SendingScreen
from rpcexplorer.tui.keys import PendingKeys, opens
from rpcexplorer.tui.theme import NARROW

LEAST: Final = 48
"""Columns of a column with docs: 45 of text, in which a table of params can still be read, and three beside it."""
MOST: Final = 80
"""Of which nobody reads a longer line with pleasure."""
LEFT: Final = 64
"""Columns that the editor and the response each keep beside them."""
LEFT_UNASKED: Final = 80
"""Where nobody has asked for the docs: as much as a terminal of the usual size has."""
PAUSE: Final = 0.15
"""Seconds after which a cursor that went down a list rests."""
DocsPlace = Literal["beside", "below", "over"]


class DocumentingScreen(SendingScreen):
    """A call screen with docs."""

    def __init__(self, explorer: Explorer, pending: PendingKeys) -> None:
        super().__init__(explorer, pending)
        self._docs: dict[DocsPlace, DocsPane] = {}
        """A pane for each place, from the first time that they are there."""
        self._is_over = False
        """They cover the response."""
        self._before: Widget | None = None
        """Where the focus was when it went to the docs."""
        self._pointed = ""
        """The method in the list that the docs are about while one looks for one; empty: the one in the editor."""
        self._pause: Timer | None = None

    @property
    def docs_place(self) -> DocsPlace:
        """Where there is room for the docs."""
        if self.app.size.width < NARROW:
            return "over"
        if self._left_beside >= LEFT:
            return "beside"
        return "below" if self.methods_columns >= LEAST else "over"

    @property
    def _columns_beside(self) -> int:
        """Columns that the docs have where they stand beside the editor and the response."""
        return min(max((self.app.size.width - self.methods_columns) * 2 // 5, LEAST), MOST)

    @property
    def _left_beside(self) -> int:
        """Columns that are left to each of those then; side by side they have half of it."""
        left = self.app.size.width - self.methods_columns - self._columns_beside
        return left // 2 if self.is_beside else left

    @property
    def docs(self) -> DocsPane | None:
        """The docs that are on view."""
        return next((each for each in self._docs.values() if each.display), None)

    @property
    def is_covered(self) -> bool:
        return super().is_covered or self._is_over

    def cover(self, pane: str) -> None:
        """Who gets all the room gets that of the docs as well; those over the response stay, unless it is wanted."""
        self._is_over = self._is_over and pane != "response"
        super().cover(pane)
        self._arrange_docs()

    def uncover(self) -> None:
        self._is_over = False
        super().uncover()

    def watch_described(self) -> None:
        """Another method: its params are on view before its docs are laid out, which may be long."""
        self._pointed = ""
        self.call_after_refresh(self._arrange_docs)

    def on_descendant_focus(self) -> None:
        """Whoever leaves the list for something else than the docs is back at the method in the editor."""
        docs = self.docs
        reading = docs is not None and docs.has_focus_within
        if self._pointed and not reading and not self.methods.has_focus_within:
            self._pointed = ""
            self._arrange_docs()

    @on(MethodsPane.Pointed)
    def _looked_at(self) -> None:
        """Docs that are on view follow the cursor of the list, once it rests."""
        if self._pause is not None:
            self._pause.stop()
        if self.docs is not None:
            self._pause = self.set_timer(PAUSE, self._follow)

    def _follow(self) -> None:
        if self.methods.here:
            self._pointed = self.methods.pointed
            self._arrange_docs()

    def watch_exchange(self) -> None:
        """There is something to see where the docs are."""
        super().watch_exchange()
        self._free_response()

    def watch_whose(self) -> None:
        self._free_response()

    def _share(self) -> None:
        super()._share()
        self._arrange_docs()

    @opens("docs")
    async def action_docs(self) -> None:
        """To the docs, which open for it; from there back, and they close."""
        self._arrange_docs()  # of the method that was chosen just now
        docs = self.docs
        if docs is not None and docs.has_focus_within:
            self._close_docs()
            return
        if docs is None:
            self._open_docs()
            docs = self.docs
        if docs is not None:
            self._before = self.focused
            self.set_focus(docs.page)
            await docs.page.laid_out()

    def action_focus_response(self) -> None:
        self._free_response()
        super().action_focus_response()

    @on(DocsSheet.ExampleTaken)
    def _example_taken(self, event: DocsSheet.ExampleTaken) -> None:
        """The params of an example stand in the editor; what stood there is one key away."""
        from rpcexplorer.variables.references import inert_value

        event.stop()
        name = event.example.name
        if event.method.name != as_named(self.called):
            self.choose(event.method.name)
        self.params.show_tab("Params")
        self.params.replace(laid_out(inert_value(event.example.params)))
        self._free_response()
        self.params.focus_inside()
        called = f"“{name}”" if name else "The example"
        self.tell(f"{called} is in the editor. {self.key('params.undo')} brings back what stood there.")

    def _open_docs(self) -> None:
        if self.methods.here:
            self._pointed = self.methods.pointed
        if self._covered:
            self.cover("")
        self._is_over = self.docs_place == "over"
        self._remember_docs("open")
        self._arrange_docs()

    def _remember_docs(self, wanted: str) -> None:
        """Remember it; where they never have a place of their own it says nothing about other sizes."""
        if self.app.size.width >= NARROW:
            self.explorer.remembered.docs = wanted

    def _close_docs(self) -> None:
        """The focus goes back to where it came from."""
        before = self._before
        self._remember_docs("closed")
        self._free_response()
        self._arrange_docs()
        if before is not None and before.is_attached and before.focusable and before.is_on_screen:
            self.set_focus(before)
        else:
            self.params.focus_inside()

    def _free_response(self) -> None:
        """Docs over the response go; the focus goes with them only if it was there."""
        if self._is_over:
            inside = self.docs is not None and self.docs.has_focus_within
            self._is_over = False
            self._arrange_docs()
            if inside:
                self.response.focus_inside()

    def _are_wanted(self, place: DocsPlace) -> bool:
        """Of a service that tells much they stand beside by themselves, unless somebody closed them.

        They stay for a method of which there is less to say: nothing moves from one method to the next.
        """
        wanted = self.explorer.remembered.docs
        if place == "over":
            return self._is_over
        if self._covered == "response" or not self.method:
            return False
        has_room = place == "beside" and self._left_beside >= LEFT_UNASKED
        return wanted == "open" or (has_room and wanted != "closed" and any(map(_is_documented, self.known.values())))

    def _listed(self, called: str) -> Method | None:
        """A method as it stands in the list; a saved call has no docs of its own."""
        return self.known.get(as_named(called)) or Method(called, source="history") if called else None

    def _called_as(self, name: str) -> str:
        known = self.known.get(name)
        return known.calls if isinstance(known, SavedMethod) else method_of(name)

    def _arrange_docs(self) -> None:
        """Show the docs where they belong now, and nowhere else."""
        if self.explorer.profile is None:  # it was removed on a screen over this one, and another will be chosen
            return
        place, before = self.docs_place, self.docs
        inside = before is not None and before.has_focus_within
        if place != "over":
            self._is_over = False
        elif inside and before is not self._docs.get("over"):
            self._is_over = True  # who reads them goes on reading in a smaller terminal
        is_wanted = self._are_wanted(place)
        for other, pane in self._docs.items():
            pane.display = is_wanted and other == place
        if is_wanted:
            about = self._called_as(self._pointed) if self._pointed else self.called
            described = self.explorer.described(about) if about != self.called else self.described
            docs = self._placed(place)
            if place == "beside":
                docs.styles.width = self._columns_beside
            docs.show(self._listed(about), described, self.discovered_at, self.profile)
        self.methods.reading = is_wanted and place == "below"
        self.response.display = not self._is_over
        if inside and self.docs is not before:  # another size of the terminal, or another method
            if self.docs is not None:
                self.call_after_refresh(self.docs.page.focus)  # it may have been mounted just now
            else:
                self.params.focus_inside()

    def _placed(self, place: DocsPlace) -> DocsPane:
        """The pane in that place, which is made when it is first wanted."""
        if place not in self._docs:
            pane = self._docs[place] = DocsPane(self.key("docs"), tinted=place == "over")
            pane.add_class(f"-{place}")
            if place == "beside":
                self.query_one("#panes").mount(pane)
            elif place == "below":
                self.methods.put_below(pane)
            else:
                self.query_one("#right").mount(pane)
        return self._docs[place]


def _is_documented(method: Method) -> bool:
    """Whether there is more to say than what lists show."""
    return bool(method.details or method.parameters)
