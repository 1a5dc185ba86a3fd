"""The methods pane."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import tzinfo
from functools import cached_property, lru_cache
from itertools import groupby
from operator import itemgetter
from textwrap import wrap
from typing import TYPE_CHECKING, ClassVar, Final, Literal, TypeAlias, overload

from msgspec import Struct
from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, Static

from rpcexplorer.auth.registry import needs_credentials
from rpcexplorer.model.exchange import OUTCOME_LABELS, Exchange
from rpcexplorer.model.method import Method, as_named
from rpcexplorer.patterns import regex
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.text.exchange import ROLES, SIGNS, duration, status_word
from rpcexplorer.text.printable import columns, printable
from rpcexplorer.tui.commands import Scope, bindings
from rpcexplorer.tui.messages import CopyCallWanted, ReportWanted, SendAgainWanted, message
from rpcexplorer.tui.theme import Pieces, ThemeStyles, line, width_of
from rpcexplorer.tui.widgets.bars import Bar
from rpcexplorer.tui.widgets.inputs import Entry
from rpcexplorer.tui.widgets.rows import MAX_NAME_CHARACTERS, RowList

if TYPE_CHECKING:
    from rpcexplorer.text.matching import Names

Standing = Literal["pinned", "recent", "plain"]
"""Pinned by the person, called lately, or neither."""
_GROUPS: Final = (regex(r"(.+?)[./:](?=.)", re.DOTALL), regex(r"(.+?)_(?=.)", re.DOTALL))
_WEIGHTS: Final[dict[Standing, float]] = {"pinned": 0.2, "recent": 0.1}
"""What a standing counts among matches that are about as good; it never makes a worse one better."""


class MethodRow(Struct, frozen=True):
    """A method in the list."""

    method: Method
    standing: Standing
    positions: Sequence[int] = ()
    """Which characters of the name match what is typed."""


class Heading(Struct, frozen=True):
    """What the rows below have in common; without words it is a gap. Nothing to choose."""

    words: str


class TypedRow(Struct, frozen=True):
    """The name as it was typed: any name can be called, known or not."""

    name: str


MethodListRow: TypeAlias = MethodRow | Heading | TypedRow


def name_of(row: MethodListRow | None) -> str:
    """The method that a row stands for; empty where it stands for none."""
    match row:
        case MethodRow(method=method):
            return method.name
        case TypedRow(name=name):
            return name
    return ""


def group_of(name: str) -> str:
    """What stands before the first ``.``, ``/`` or ``:`` of a name, or before its first ``_``; empty without these."""
    found = next((found for pattern in _GROUPS if (found := pattern.match(name))), None)
    return found[1] if found else ""


class Listed(Struct, frozen=True):
    rows: Sequence[MethodListRow]
    names: Sequence[str]
    """What each row stands for; empty for a heading."""
    count: int
    """How many of the rows are methods."""

    def place(self, name: str) -> int:
        """Where a method stands; 0, the top, where it does not."""
        return self.names.index(name) if name and name in self.names else 0


class MethodRows:
    def __init__(self, methods: Mapping[str, Method], pinned: Sequence[str] = (), recent: Sequence[str] = ()) -> None:
        """``recent``: names called lately. One that is not in the catalogue does not come into the list by that."""
        self._methods = {name: methods.get(name) or Method(name) for name in (*methods, *pinned)}
        self._pinned = list(dict.fromkeys(pinned))
        self._standings: dict[str, Standing] = {name: "recent" for name in recent if name in self._methods}
        for name in pinned:
            self._standings[name] = "pinned"
        self._weights = {name: _WEIGHTS[standing] for name, standing in self._standings.items()}
        self._order = _in_order(tuple(self._methods))

    def __len__(self) -> int:
        return len(self._methods)

    def listed(self, typed: str) -> Listed:
        """Everything in groups where nothing is typed, else what was found, best first, and the name as typed."""
        name = typed.strip()
        return self._found(name) if name else self._grouped

    def prepare(self) -> None:
        """Do now what the first letter would have to wait for; with ten thousand names that can be felt."""
        self._order.searched.ranked("a")

    def _row(self, name: str, positions: Sequence[int] = ()) -> MethodRow:
        return MethodRow(self._methods[name], self._standings.get(name, "plain"), positions)

    def _found(self, name: str) -> Listed:
        matches = self._order.searched.ranked(name, weights=self._weights)
        others: list[MethodListRow] = [] if matches else [Heading("no matches")]
        if name not in self._methods:
            others.append(TypedRow(name))
        found = len(matches)

        def row(place: int) -> MethodListRow:
            if place >= found:
                return others[place - found]
            match = matches[place]
            return self._row(match.name, match.positions)

        names = [*map(self._order.names.__getitem__, matches.indexes), *map(name_of, others)]
        return Listed(_MethodListRows(row, range(len(names))), names, found)

    @cached_property
    def _grouped(self) -> Listed:
        """Pinned ones, then those that stand alone, then the groups by name."""
        alone: list[str] = []
        grouped: dict[str, list[str]] = {}
        for name, group in zip(self._order.names, self._order.groups, strict=True):
            if self._standings.get(name) != "pinned":
                (grouped.setdefault(group, []) if group else alone).append(name)
        parts = [("pinned", self._pinned)] if self._pinned else []
        parts += [("", alone)] if alone else []
        parts += [(group, grouped[group]) for group in sorted(grouped, key=str.casefold)]
        headings: dict[int, Heading] = {}
        names: list[str] = []
        for heading, members in parts:
            if names or heading:
                headings[len(names)] = Heading(heading)
                names.append("")
            names += members

        def row(place: int) -> MethodListRow:
            return headings.get(place) or self._row(names[place])

        return Listed(_MethodListRows(row, range(len(names))), names, len(self))


class _MethodListRows(Sequence[MethodListRow]):
    """Rows that are made when they are looked at: there can be ten thousand, and a screen shows forty."""

    def __init__(self, make: Callable[[int], MethodListRow], places: range) -> None:
        self._make, self._places = make, places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> MethodListRow: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[MethodListRow]: ...

    def __getitem__(self, index: int | slice) -> MethodListRow | Sequence[MethodListRow]:
        if isinstance(index, slice):
            return _MethodListRows(self._make, self._places[index])
        return self._make(self._places[index])


class _Order:
    """What the names alone decide. Pins and calls come and go, the names stay."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = sorted(names, key=str.casefold)
        groups = [group_of(name) for name in self.names]
        sizes = Counter(groups)
        self.groups = [group if sizes[group] > 1 else "" for group in groups]
        """Of each name; empty where it would be the only one in it."""

    @cached_property
    def searched(self) -> Names:
        """The names, made ready to be found."""
        from rpcexplorer.text.matching import Names

        return Names(self.names)


_in_order = lru_cache(2)(_Order)
ROOMY: Final = 50
"""From this width on there is room for a method's doc beside its name."""
MARGIN: Final = 3
"""Columns before a name: a blank, the mark, a blank."""
_MARKS: Final[dict[Standing, tuple[str, str]]] = {
    "pinned": ("★", "careful"),
    "recent": ("·", "middle"),
    "plain": (" ", "text"),
}
_CURRENT: Final = ("▸", "accent bold")
_MORE: Final = ("…", "dim")
_AUTH: Final = len("  cookie")
UNKNOWN: Final = "Not in the list. F9 discovers."
"""What is told of a name that is not in the list."""
NOTHING_KNOWN: Final = ("No methods yet.", "Press {} to discover them,", "or type a name, then Enter.")


class MethodList(RowList[MethodListRow], can_focus=False):
    """Methods, one a row: mark, name, ``!`` where it is unsafe, the auth it needs; its doc where there is room."""

    DEFAULT_CSS = """
    MethodList { height: 1fr; }
    """

    current: reactive[str] = reactive("")
    """The method in the editor."""
    here: reactive[bool] = reactive(False)
    """What is typed goes to this list."""
    longest: reactive[int] = reactive(0)
    """Columns of the longest name: docs start at the same column in every row."""

    def __init__(self, discover_key: str) -> None:
        super().__init__()
        self._discover_key = discover_key

    def can_choose(self, item: MethodListRow) -> bool:
        """Headings say what is below them and nothing else."""
        return not isinstance(item, Heading)

    def draw(self, item: MethodListRow, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        ground = "background" if not chosen else "selection" if self.here else "surface"
        if isinstance(item, Heading):
            return line([(" ", "text"), (item.words[:MAX_NAME_CHARACTERS], "dim")], width, styles, ground=ground)
        side = "middle" if ground == "selection" else "dim"
        if isinstance(item, TypedRow):
            words: Pieces = [(" " * MARGIN, "text"), ("call ", side), (f'"{item.name[:MAX_NAME_CHARACTERS]}"', "text")]
            right: Pieces = [("  Enter", side)] if chosen else []
        else:
            words, right = self._method(item, width, side)
        if width >= ROOMY:
            told = UNKNOWN if isinstance(item, TypedRow) else item.method.doc
            column = MARGIN + min(self.longest, width * 2 // 5) + len("  ")
            words = [*words, (" " * max(column - width_of(words), 2), "text"), (told[:width], side)]
        if width == self.size.width:  # else the scrollbar is the margin
            right = [*right, (" ", "text")]
        return line(words, width, styles, right=right, ground=ground)

    def on_resize(self) -> None:
        room = max(self.scrollable_content_region.width - MARGIN - 1, 10)
        key = self._discover_key or "^P"
        parts = (part for sentence in NOTHING_KNOWN for part in wrap(sentence.format(key), room))
        self.empty = [[(" " * MARGIN, "text"), (part, "dim")] for part in parts]

    def _method(self, row: MethodRow, width: int, side: str) -> tuple[Pieces, Pieces]:
        """Pieces from the left and at the right; signs have words if these leave the room that the doc needs."""
        method, current, roomy = row.method, row.method.name == self.current, width >= ROOMY
        auth = f"  {method.auth}" if method.auth and needs_credentials(method.auth) else ""
        right = [(auth.rjust(_AUTH) if roomy and method.safe is False else auth, side)]
        told = MARGIN + min(self.longest, width * 2 // 5) + columns(f"  {method.doc[:width]}  ! unsafe ")
        in_words = roomy and told + width_of(right) <= width
        unsafe = [("  ! unsafe" if in_words else "  !", "careful")] if method.safe is False else []
        room = width - MARGIN - width_of(unsafe) - width_of(right) - 1
        mark = _CURRENT if current else _MARKS[row.standing]
        words = [(" ", "text"), mark, (" ", "text"), *_name(row, room, current=current)]
        return (words, [*unsafe, *right]) if roomy else ([*words, *unsafe], right)


def known_of(row: MethodListRow | None) -> Sequence[tuple[str, str]]:
    """What the signs of a row mean, then its doc: where there is no room for them beside its name."""
    match row:
        case MethodRow(method=method):
            sign = ("! unsafe  ", "careful") if method.safe is False else ("  ", "text")
            return [sign, (method.doc[:MAX_NAME_CHARACTERS], "dim")]
        case TypedRow():
            return [(f"  {UNKNOWN}", "dim")]
    return []


def _name(row: MethodRow, room: int, *, current: bool) -> Pieces:
    """Return the name in at most ``room`` columns, with a lighter group and the matched letters underlined."""
    name = row.method.name[:MAX_NAME_CHARACTERS]
    group = group_of(name)
    shown: deque[tuple[str, str]] = deque()
    for at, char in enumerate(name):
        found = at in row.positions
        colour = "accent bold" if current else "middle" if group and at <= len(group) and not found else "text"
        shown.append((printable(char), f"{colour} bold underline" if found else colour))
    over = width_of(shown) - room
    if over > 0:  # the end of a name says more than its group
        while shown and over >= 0:
            text, _ = shown.popleft() if group else shown.pop()
            over -= cell_len(text)
        (shown.appendleft if group else shown.append)(_MORE)
    return [("".join(text for text, _ in same), role) for role, same in groupby(shown, key=itemgetter(1))]


_TELLING: Final = 10**8
"""A longer code takes the room of the method and says no more than that it was an error."""
_WITH_TIME: Final = 28
"""Below this width the time of day is left out."""


class RecentList(RowList[Exchange]):
    """Calls with sign, method, what came of each, and the time of day."""

    scope: ClassVar[Scope] = "recent"
    DEFAULT_CSS = """
    RecentList { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("recent")]

    def __init__(self, zone: tzinfo | None = None) -> None:
        """``zone``: where whoever looks lives; None asks the machine."""
        super().__init__()
        self._zone = zone

    def draw(self, item: Exchange, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        """One call. The cursor is shown only while the keys come here: there is another one in the list above."""
        role = ROLES[item.counts_as]
        words, colour = what_came(item)
        after = [(f"  {words}", colour)]
        if width >= _WITH_TIME:
            after.append((f"  {item.when.astimezone(self._zone):%H:%M}", "dim"))
        after.append((" ", "text"))
        before = [(" ", "text"), (SIGNS[item.counts_as], role), (f" {item.method[:MAX_NAME_CHARACTERS]}", "text")]
        ground = "selection" if chosen and self.has_focus else "background"
        return line(before, width, styles, right=after, ground=ground)

    def show(self, calls: Sequence[Exchange]) -> None:
        """Other calls, the newest first. The cursor stays on its call: who sends it twice must not send another."""
        id = self.chosen.id if self.chosen else ""
        self.items = calls
        self.cursor = next((at for at, call in enumerate(calls) if call.id == id), 0)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is something to copy or send again only where a call stands under the cursor."""
        if action in {"again", "copy", "ticket"}:
            return self.chosen is not None
        return super().check_action(action, parameters)

    def action_again(self) -> None:
        if self.chosen is not None:
            self.post_message(SendAgainWanted(self.chosen))

    def action_copy(self) -> None:
        if self.chosen is not None:
            self.post_message(CopyCallWanted(self.chosen))

    def action_ticket(self) -> None:
        if self.chosen is not None:
            self.post_message(ReportWanted(self.chosen))


def what_came(exchange: Exchange) -> tuple[str, str]:
    """What came of a call in a word, with its role: how long a result took, an error's code, else the outcome."""
    match exchange.outcome:
        case Result(message=""):
            return duration(exchange.seconds), "middle"
        case ErrorObject(code=int(code)) if abs(code) < _TELLING:
            return str(code), "wrong"
    word = f"HTTP {exchange.response.status}" if status_word(exchange.outcome) else OUTCOME_LABELS[exchange.counts_as]
    return word, ROLES[exchange.counts_as]


MOST_RECENT: Final = 8
"""No more calls than these are shown; the history has them all."""
_BEFORE_RECENT: Final = 9
"""Rows that the rest of the column needs before a call gets one, and then only every third."""


class Filter(Entry):
    """What is typed finds methods; Enter takes one."""

    DEFAULT_CSS = "Filter, Filter:focus, Filter:ansi, Filter:ansi:focus { padding: 0 1 0 0; width: 1fr; }"

    def __init__(self, take: Callable[[str], None]) -> None:
        super().__init__(take=take, hint="type to filter")
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
    """The method in the editor."""
    recent: reactive[Sequence[Exchange]] = reactive[Sequence[Exchange]]((), init=False, repaint=False)
    """The newest calls of this profile, the latest first."""
    here: reactive[bool] = reactive(False, repaint=False)
    """The keys go to the filter."""
    reading: reactive[bool] = reactive(False, init=False, repaint=False)
    """What was put below is on view, in place of the newest calls."""

    @message
    class MethodChosen(Message):
        """A method is wanted in the editor; its name may be one that nobody knows."""

        name: str

    class Pointed(Message):
        """The cursor is on another method while one looks for it."""

    @message
    class PinWanted(Message):
        """A method is to be kept at the top, or let go."""

        name: str

    @message
    class Recalled(Message):
        """A call is wanted in the editor."""

        exchange: Exchange

    def __init__(
        self, zone: tzinfo | None = None, *, key: str = "F2", recent_key: str = "F6", discover_key: str = "F9"
    ) -> None:
        """``zone``: where whoever looks lives; None asks the machine. The keys go here and to all calls."""
        super().__init__()
        self._key = key
        self._rows = MethodRows({})
        self._bar, self._told, self._recent_bar = Bar(), Bar(), Bar()
        self._recent_bar.key = recent_key
        self._filter, self._list, self._recent_list = Filter(self._take), MethodList(discover_key), RecentList(zone)

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
    def typed(self) -> str:
        """What the list is filtered by."""
        return self._filter.value

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
        # Watched and not heard of by message, so that a letter and what it finds come in one frame.
        self.watch(self._filter, "value", self._find, init=False)
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

    def _find(self) -> None:
        """Show another list: the best match is under the cursor, without a filter the method in the editor."""
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

    def _take(self, _: str) -> None:
        """Take the row under the cursor, for what was typed before Enter."""
        self._list.action_choose()

    def on_row_list_cursor_moved(self, event: RowList.CursorMoved) -> None:
        event.stop()
        self._tell()

    def on_row_list_row_chosen(self, event: RowList.RowChosen) -> None:
        event.stop()
        if event.row_list is self._recent_list:
            self.post_message(self.Recalled(event.item))
        else:
            self.post_message(self.MethodChosen(name_of(event.item)))
            self.action_clear()

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
        self._filter.value = ""

    def action_pin(self) -> None:
        self.post_message(self.PinWanted(name_of(self._list.chosen)))

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
        self._list.move_to(listed.place(name))
        self._tell()

    def _tell(self) -> None:
        """In a line, what is known of the row under the cursor."""
        self._told.words = known_of(self._list.chosen)
        if self.here:
            self.post_message(self.Pointed())
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
