"""The left column of the call screen: a line to type in, the methods it finds, and the newest calls below.

The keys all go to the line; up, down and Enter act on the list. What a row is, ``views/method_rows`` says. The file is
a little longer than others for the messages of its two lists.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Input, Static

from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.method import Method, as_named
from rpcexplorer.text.printable import columns
from rpcexplorer.tui.call.methods.list import ROOMY, MethodList, known_of
from rpcexplorer.tui.call.methods.recent import RecentList
from rpcexplorer.tui.commands import Scope, bindings
from rpcexplorer.tui.messages import message
from rpcexplorer.tui.widgets.bar import Bar
from rpcexplorer.tui.widgets.entry import Taking
from rpcexplorer.tui.widgets.row_list import RowList
from rpcexplorer.views.method_rows import MethodRows, name_of

MOST_RECENT: Final = 8
"""No more calls than these are shown; the history has them all."""
_BEFORE_RECENT: Final = 9
"""Rows that the rest of the column needs before a call gets one, and then only every third."""


class Filter(Taking):
    """What is typed finds methods; Enter takes one."""

    DEFAULT_CSS = "Filter, Filter:focus, Filter:ansi, Filter:ansi:focus { padding: 0 1 0 0; width: 1fr; }"

    def __init__(self, take: Callable[[str], None]) -> None:
        super().__init__(take, hint="type to filter")
        self.select_on_focus = True


class MethodsPane(Vertical):
    """Methods and recent calls. It asks for things by messages and changes nothing itself."""

    scope: ClassVar[Scope] = "methods"
    DEFAULT_CSS = """
    MethodsPane { width: 1fr; height: 1fr; background: $background; }
    MethodsPane > .line { height: 1; }
    MethodsPane .prompt { width: 3; height: 1; color: $middle; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("methods"),
        Binding("up", "move(-1)", show=False),
        Binding("down", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("escape", "clear", show=False),
    ]

    methods: reactive[Mapping[str, Method]] = reactive[Mapping[str, Method]]({}, init=False, repaint=False)
    pinned: reactive[Sequence[str]] = reactive[Sequence[str]]((), init=False, repaint=False)
    current: reactive[str] = reactive("", init=False, repaint=False)
    """The method that stands in the editor."""
    recent: reactive[Sequence[Exchange]] = reactive[Sequence[Exchange]]((), init=False, repaint=False)
    """The newest calls of this profile, the latest first."""
    typed: reactive[str] = reactive("", init=False, repaint=False)
    """What the list is filtered by."""
    here: reactive[bool] = reactive(False, repaint=False)
    """The keys go to the filter."""
    reading: reactive[bool] = reactive(False, init=False, repaint=False)
    """What was put below is on view, in place of the newest calls."""

    @message
    class MethodsMessage(Message):
        """What all messages of the pane have in common."""

        pane: MethodsPane

    @message
    class MethodChosen(MethodsMessage):
        """A method is wanted in the editor; its name may be one that nobody knows."""

        name: str

    @message
    class Pointed(MethodsMessage):
        """The cursor is on another method while one looks for it."""

    @message
    class PinWanted(MethodsMessage):
        """A method is to be kept at the top, or let go."""

        name: str

    @message
    class Recalled(MethodsMessage):
        """A call is wanted in the editor."""

        exchange: Exchange

    def __init__(self, zone: tzinfo | None = None, *, key: str = "F2", recent_key: str = "F6") -> None:
        """``zone``: where whoever looks lives; None asks the machine. The keys go here and to all calls."""
        super().__init__()
        self._key = key
        self._rows = MethodRows({})
        self._bar, self._told, self._recent_bar = Bar(), Bar(), Bar()
        self._recent_bar.key = recent_key
        self._filter, self._list, self._recent_list = Filter(self._take), MethodList(), RecentList(zone)

    def compose(self) -> ComposeResult:
        yield self._bar
        with Horizontal(classes="line"):
            yield Static(Content(" ›"), classes="prompt")  # noqa: RUF001 - the sign is meant
            yield self._filter
        yield self._list
        yield self._told
        yield self._recent_bar
        yield self._recent_list

    @property
    def pointed(self) -> str:
        """What the cursor is on; empty where that is nothing."""
        return name_of(self._list.chosen)

    def focus_filter(self) -> None:
        """The next key that is typed filters; what is typed already is selected, so that it gives way."""
        self.screen.set_focus(self._filter)

    def put_below(self, page: Widget) -> None:
        """Something to read stands below the list from now on, while it is displayed."""
        self.mount(page)

    def when_typed(self, then: Callable[[], object]) -> None:
        """Do something once every key that was pressed before it has been taken in, and what came of it is known."""
        on_the_way = [self._filter, self._list, self, *self.ancestors_with_self]
        _along([each for each in on_the_way if isinstance(each, Widget)], then)

    def on_mount(self) -> None:
        self._look_where_the_focus_is()
        self._filter.value = self.typed
        # Watched and not heard of by message, so that a letter and what it finds come in one frame.
        self.watch(self._filter, "value", self._look_at_what_is_typed, init=False)
        self._list.current = self.current
        self._fit()
        self._learn()

    def watch_methods(self) -> None:
        """Another catalogue: the cursor stays on its method where that is still there."""
        self._learn()
        self.call_after_refresh(self._rows.prepare)

    def watch_pinned(self) -> None:
        self._learn()

    def watch_recent(self) -> None:
        self._fit()
        self._learn()

    def watch_current(self) -> None:
        self._list.current = self.current
        self._show(self.current)

    def watch_typed(self) -> None:
        """Another list: the best match is under the cursor, without a filter the method in the editor."""
        if self._filter.value != self.typed:
            self._filter.value = self.typed
        self._show("" if self.typed else self.current)

    def watch_reading(self) -> None:
        self._fit()

    def watch_here(self) -> None:
        self._list.here = self._bar.here = self.here
        self._bar.words = _title("Methods", here=self.here)

    def on_resize(self) -> None:
        """The list comes first; the recent calls take what is left."""
        self._fit()

    def on_descendant_focus(self) -> None:
        self._look_where_the_focus_is()

    def on_descendant_blur(self) -> None:
        self._look_where_the_focus_is()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Every letter has been seen already; nobody else need hear of it."""
        event.stop()

    def _look_at_what_is_typed(self, value: str) -> None:
        self.typed = value

    def _take(self, typed: str) -> None:
        """Enter takes the row under the cursor, for what was typed before it."""
        self.typed = typed
        self._list.action_choose()

    def on_row_list_cursor_moved(self, event: RowList.CursorMoved) -> None:
        event.stop()
        self._tell()

    def on_row_list_row_chosen(self, event: RowList.RowChosen) -> None:
        event.stop()
        if event.row_list is self._recent_list:
            self.post_message(self.Recalled(self, event.item))
        else:
            self.post_message(self.MethodChosen(self, name_of(event.item)))
            self.typed = ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Escape clears only what is there, and is free for others then."""
        if action == "clear":
            return self.here and bool(self.typed)
        if action == "pin":
            return self.here and self._list.chosen is not None
        return super().check_action(action, parameters)

    def action_move(self, by: int) -> None:
        self._list.action_move(by)

    def action_page(self, by: int) -> None:
        self._list.action_page(by)

    def action_clear(self) -> None:
        self.typed = ""

    def action_pin(self) -> None:
        self.post_message(self.PinWanted(self, name_of(self._list.chosen)))

    def _learn(self) -> None:
        """Make the rows anew, the cursor where it was."""
        recent = [as_named(exchange.method) for exchange in self.recent]
        self._rows = MethodRows(self.methods, self.pinned, recent)
        self._list.longest = max((columns(name) for name in self.methods), default=0)
        self._show(name_of(self._list.chosen) or self.current)

    def _show(self, name: str) -> None:
        """The rows for what is typed, the cursor on this name or on the first."""
        if not self._list.is_attached:
            return  # on_mount does it
        listed, known = self._rows.listed(self.typed), len(self._rows)
        count = f"{known:,}" if listed.count == known else f"{listed.count:,} of {known:,}"
        self._bar.key = f"{count}  {self._key}"
        self._list.items = listed.rows
        self._list.go_to(listed.place(name))
        self._tell()

    def _tell(self) -> None:
        """In a line, what is known of the row under the cursor."""
        self._told.words = known_of(self._list.chosen)
        if self.here:
            self.post_message(self.Pointed(self))
        self.refresh_bindings()

    def _fit(self) -> None:
        """Lay the column out for its size."""
        if not self._list.is_attached:
            return
        room = max(self.size.height - _BEFORE_RECENT, 0) // 3
        calls = self.recent[: min(room, MOST_RECENT) if not self.reading else 0]
        self._recent_list.show(calls)
        self._recent_list.styles.height = len(calls)
        self._recent_bar.display = self._recent_list.display = bool(calls)
        self._told.display = self.size.width < ROOMY

    def _look_where_the_focus_is(self) -> None:
        self.here = self._filter.has_focus
        self._recent_bar.here = self._recent_list.has_focus
        self._recent_bar.words = _title("Recent", here=self._recent_list.has_focus)
        self.refresh_bindings()


def _along(widgets: Sequence[Widget], then: Callable[[], object]) -> None:
    """Follow the way of a message from one to the next."""
    if widgets:
        widgets[0].call_later(_along, widgets[1:], then)
    else:
        then()


def _title(words: str, *, here: bool) -> Sequence[tuple[str, str]]:
    return [(words, "accent bold" if here else "middle")]
