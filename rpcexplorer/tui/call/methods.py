"""The methods pane: a filter, the method list, the recent calls."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import tzinfo
from functools import cached_property, lru_cache
from itertools import groupby
from operator import itemgetter
from types import MappingProxyType
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
from rpcexplorer.model.method import Method, SavedMethod, as_named
from rpcexplorer.patterns import regex
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.text.exchange import ROLES, SIGNS, duration, status_word
from rpcexplorer.text.printable import columns, printable
from rpcexplorer.text.wrapping import WordLine, wrapped
from rpcexplorer.tui.commands import Commanded
from rpcexplorer.tui.messages import message
from rpcexplorer.tui.theme import Pieces, ThemeStyles, line, width_of
from rpcexplorer.tui.widgets.bars import Bar
from rpcexplorer.tui.widgets.inputs import Entry
from rpcexplorer.tui.widgets.rows import MAX_NAME_CHARACTERS, Column, ItemList, RowList

if TYPE_CHECKING:
    from rpcexplorer.checks.run import CheckVerdict
    from rpcexplorer.text.matching import Names

Standing = Literal["pinned", "recent", "plain"]
"""Pinned by the user, called lately, or neither."""
_GROUPS: Final = (regex(r"(.+?)[./:](?=.)", re.DOTALL), regex(r"(.+?)_(?=.)", re.DOTALL))
_WEIGHTS: Final[dict[Standing, float]] = {"pinned": 0.2, "recent": 0.1}
"""The weight of a standing. It only decides between similar matches."""


class MethodRow(Struct, frozen=True):
    """A method in the list."""

    method: Method
    standing: Standing
    positions: Sequence[int] = ()
    """The characters of the name that match the filter."""


class Heading(Struct, frozen=True):
    """The heading of a group, which cannot be chosen; a gap without words."""

    words: str


class TypedRow(Struct, frozen=True):
    """The typed name: unknown methods can be called, too."""

    name: str


MethodListRow: TypeAlias = MethodRow | Heading | TypedRow


def name_of(row: MethodListRow | None) -> str:
    """Return the method of a row; empty for a heading."""
    match row:
        case MethodRow(method=method):
            return method.name
        case TypedRow(name=name):
            return name
    return ""


def group_of(name: str) -> str:
    """Return the part of a name before the first ``.``, ``/``, ``:`` or ``_``.

    A ``_`` only counts if there is none of the others. Empty without any.
    """
    found = next((found for pattern in _GROUPS if (found := pattern.match(name))), None)
    return found[1] if found else ""


class Listed(Struct, frozen=True):
    rows: Sequence[MethodListRow]
    names: Sequence[str]
    """The method of each row; empty for a heading."""
    count: int
    """The number of rows with a method."""

    def place(self, name: str) -> int:
        """Return the row of a method; 0, the top, if it is not listed."""
        return self.names.index(name) if name and name in self.names else 0


class MethodRows:
    def __init__(self, methods: Mapping[str, Method], pinned: Sequence[str] = (), recent: Sequence[str] = ()) -> None:
        """``recent``: methods called lately; unknown ones are not added."""
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
        """Return all methods in groups, or the matches for a typed name.

        Matches are sorted, the best first. The typed name itself comes last.
        """
        name = typed.strip()
        return self._found(name) if name else self._grouped

    def prepare(self) -> None:
        """Prepare the search, so that the first letter is not delayed.

        With ten thousand names the delay is noticeable.
        """
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
        """All methods: pinned, then without a group, then in groups."""
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
    """Rows that are made on access.

    There can be ten thousand, and a screen shows forty.
    """

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
    """Order and groups of names.

    They depend on the names only, so they survive changes of pins and calls.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names = sorted(names, key=str.casefold)
        groups = [group_of(name) for name in self.names]
        sizes = Counter(groups)
        self.groups = [group if sizes[group] > 1 else "" for group in groups]
        """The group of each name; empty if it has no other member."""

    @cached_property
    def searched(self) -> Names:
        """The names, prepared for searches."""
        from rpcexplorer.text.matching import Names

        return Names(self.names)


_in_order = lru_cache(2)(_Order)
ROOMY: Final = 50
"""A row of this width has room for a description."""
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
CHECK_SIGNS: Final[Mapping[CheckVerdict | None, tuple[str, str, str]]] = {
    None: ("○", "middle", "not checked yet"),
    "passed": (SIGNS["result"], ROLES["result"], "passed"),
    "failed": (SIGNS["error"], ROLES["error"], "failed"),
    "error": (SIGNS["unreached"], ROLES["unreached"], "no valid response"),
}
"""Sign, role and words of the last result of a check; None before its first run."""
NOTHING_KNOWN: Final = ("No methods yet.", "Press {} to discover them.", "Or type a name and press Enter.")


class MethodList(RowList[MethodListRow], can_focus=False):
    """Methods, one per row: mark, name, ``!`` if unsafe, auth, check, description.

    The description is shown if there is room.
    """

    DEFAULT_CSS = """
    MethodList { height: 1fr; }
    """

    current: reactive[str] = reactive("")
    """The method in the editor."""
    here: reactive[bool] = reactive(False)
    """The keys go to this list."""
    verdicts: reactive[Mapping[str, CheckVerdict]] = reactive[Mapping[str, "CheckVerdict"]]({})
    """The last results of checks in this run of the program."""
    longest: reactive[int] = reactive(0)
    """Columns of the longest name, so that descriptions are aligned."""

    def __init__(self, discover_key: str) -> None:
        super().__init__()
        self._discover_key = discover_key or "^P"
        self.is_discovered = False
        """The list has methods that the server has listed."""

    @property
    def unknown(self) -> str:
        """Words for a name that is not in the list."""
        advice = "You can call it." if self.is_discovered else f"Press {self._discover_key} to discover."
        return f"Not in the list. {advice}"

    def can_choose(self, item: MethodListRow) -> bool:
        """Return whether the row has a method: headings cannot be chosen."""
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
            about = self.unknown if isinstance(item, TypedRow) else item.method.doc
            column = MARGIN + min(self.longest, width * 2 // 5) + len("  ")
            words = [*words, (" " * max(column - width_of(words), 2), "text"), (about[:width], side)]
        if width == self.size.width:  # otherwise the scrollbar is the margin
            right = [*right, (" ", "text")]
        return line(words, width, styles, right=right, ground=ground)

    def on_resize(self) -> None:
        room = max(self.scrollable_content_region.width - MARGIN - 1, 10)
        rows: list[WordLine] = []
        for sentence in NOTHING_KNOWN:
            rows += wrapped([(sentence.format(self._discover_key), "dim")], room, 0)
        self.empty = [[(" " * MARGIN, "text"), *row] for row in rows]

    def _method(self, row: MethodRow, width: int, side: str) -> tuple[Pieces, Pieces]:
        """Return the pieces at the left and at the right of a row.

        The sign ``!`` gets a word if that leaves enough room for the description.
        """
        method, current, roomy = row.method, row.method.name == self.current, width >= ROOMY
        auth = f"  {method.auth}" if method.auth and needs_credentials(method.auth) else ""
        right = [(auth.rjust(_AUTH) if roomy and method.safe is False else auth, side)]
        if isinstance(method, SavedMethod) and method.is_check:
            sign, role, _ = CHECK_SIGNS[self.verdicts.get(method.name)]
            right.append((f" {sign}", role))
        columns_needed = MARGIN + min(self.longest, width * 2 // 5) + columns(f"  {method.doc[:width]}  ! unsafe ")
        in_words = roomy and columns_needed + width_of(right) <= width
        unsafe = [("  ! unsafe" if in_words else "  !", "careful")] if method.safe is False else []
        room = width - MARGIN - width_of(unsafe) - width_of(right) - 1
        mark = _CURRENT if current else _MARKS[row.standing]
        words = [(" ", "text"), mark, (" ", "text"), *_name(row, room, current=current)]
        return (words, [*unsafe, *right]) if roomy else ([*words, *unsafe], right)


def known_of(
    row: MethodListRow | None, unknown: str, verdicts: Mapping[str, CheckVerdict] = MappingProxyType({})
) -> Sequence[tuple[str, str]]:
    """Return the meaning of a row's signs and its description.

    A narrow list has no room for them in the row. ``unknown``: the words for a name that is not in the list.
    """
    match row:
        case MethodRow(method=method):
            signs = [("! unsafe  ", "careful") if method.safe is False else ("  ", "text")]
            if isinstance(method, SavedMethod) and method.is_check:
                sign, role, words = CHECK_SIGNS[verdicts.get(method.name)]
                signs.append((f"{sign} {words}  ", role))
            return [*signs, (method.doc[:MAX_NAME_CHARACTERS], "dim")]
        case TypedRow():
            return [(f"  {unknown}", "dim")]
    return []


def _name(row: MethodRow, room: int, *, current: bool) -> Pieces:
    """Return the name in at most ``room`` columns.

    The group is lighter, and matched letters are underlined.
    """
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
"""Longer error codes are not shown: they say no more, and need much room."""


class RecentList(Commanded, ItemList[Exchange], scope="recent"):
    """Recent calls with sign, method, outcome, and time of day."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "choose", show=False)]

    @message
    class AgainWanted(Message):
        """A call should be loaded and sent at once."""

        exchange: Exchange

    @message
    class CopyWanted(Message):
        """A call should be copied; ``part``: as this form, else as one to choose."""

        exchange: Exchange
        part: str = ""

    def __init__(self, zone: tzinfo | None = None) -> None:
        """``zone``: the user's time zone; None asks the machine."""
        super().__init__(
            (
                Column(lambda call: [(SIGNS[call.counts_as], ROLES[call.counts_as])], width=1, gap=1),
                Column(lambda call: [(call.method[:MAX_NAME_CHARACTERS], "text")], fills=True, gap=1),
                Column(lambda call: [outcome_word(call)], right=True),
                Column(lambda call: [(f"{call.when.astimezone(zone):%H:%M}", "dim")], width=5, drop=28),
                Column(width=1, gap=0),
            ),
            key=lambda call: call.id,
        )

    def draw(self, item: Exchange, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        """Draw a call. The cursor is only shown while the list has the focus."""
        return super().draw(item, width, styles, chosen=chosen and self.has_focus)

    def has(self, state: str) -> bool:
        return self.chosen is not None if state == "row" else super().has(state)

    def action_again(self) -> None:
        if self.chosen is not None:
            self.post_message(self.AgainWanted(self.chosen))

    def action_copy(self) -> None:
        if self.chosen is not None:
            self.post_message(self.CopyWanted(self.chosen))

    def action_ticket(self) -> None:
        if self.chosen is not None:
            self.post_message(self.CopyWanted(self.chosen, "report"))


def outcome_word(exchange: Exchange) -> tuple[str, str]:
    """Return the outcome of a call in a word, with its role.

    It is the duration of a result, the code of an error, or the name of the outcome.
    """
    match exchange.outcome:
        case Result(message=""):
            return duration(exchange.seconds), "middle"
        case ErrorObject(code=int(code)) if abs(code) < _TELLING:
            return str(code), "wrong"
    word = f"HTTP {exchange.response.status}" if status_word(exchange.outcome) else OUTCOME_LABELS[exchange.counts_as]
    return word, ROLES[exchange.counts_as]


MOST_RECENT: Final = 8
"""At most this many calls are shown; the history has all."""
_BEFORE_RECENT: Final = 9
"""Rows for the rest of the pane; recent calls get a third of the others."""


class Filter(Entry):
    """The filter of the method list; Enter chooses a method."""

    DEFAULT_CSS = "Filter, Filter:focus, Filter:ansi, Filter:ansi:focus { padding: 0 1 0 0; width: 1fr; }"

    def __init__(self, take: Callable[[str], None]) -> None:
        super().__init__(take=take, hint="type to filter")
        self.select_on_focus = True


class MethodsPane(Commanded, Vertical, scope="methods"):
    """Methods and recent calls.

    It posts messages and changes nothing itself.
    """

    DEFAULT_CSS = """
    MethodsPane { width: 1fr; height: 1fr; background: $background; }
    MethodsPane > .line { height: 1; }
    MethodsPane .prompt { width: 3; height: 1; color: $middle; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", show=False),
        Binding("down", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
    ]

    methods: reactive[Mapping[str, Method]] = reactive[Mapping[str, Method]]({}, init=False, repaint=False)
    pinned: reactive[Sequence[str]] = reactive[Sequence[str]]((), init=False, repaint=False)
    verdicts: reactive[Mapping[str, CheckVerdict]] = reactive[Mapping[str, "CheckVerdict"]](
        {}, init=False, repaint=False
    )
    """The last results of checks in this run of the program, by listed name."""
    current: reactive[str] = reactive("", init=False, repaint=False)
    """The method in the editor."""
    recent: reactive[Sequence[Exchange]] = reactive[Sequence[Exchange]]((), init=False, repaint=False)
    """The newest calls of this profile, the latest first."""
    here: reactive[bool] = reactive(False, repaint=False)
    """The filter has the focus."""
    pointed: reactive[str] = reactive("", init=False, repaint=False)
    """The method under the cursor while the filter has the focus; else empty."""

    @message
    class MethodChosen(Message):
        """A method was chosen; its name may be unknown."""

        name: str

    @message
    class PinWanted(Message):
        """The user wants to pin or unpin a method."""

        name: str

    @message
    class Recalled(Message):
        """A recent call was chosen."""

        exchange: Exchange

    def __init__(
        self, zone: tzinfo | None = None, *, key: str = "F2", recent_key: str = "F6", discover_key: str = "F9"
    ) -> None:
        """``zone``: the user's time zone; None asks the machine.

        The keys are shown at the pane, at the recent calls, and in an empty list.
        """
        super().__init__()
        self._key = key
        self._rows = MethodRows({})
        self._bar, self._summary, self._recent_bar = Bar(), Bar(), Bar()
        self._recent_bar.key = recent_key
        self._filter, self._list, self._recent_list = Filter(self._take), MethodList(discover_key), RecentList(zone)

    def compose(self) -> ComposeResult:
        yield self._bar
        with Horizontal(classes="line"):
            yield Static(Content(" ›"), classes="prompt")  # noqa: RUF001 - the sign is meant
            yield self._filter
        here = MethodsPane
        yield self._list.data_bind(here.current, here.here, here.verdicts)
        yield self._summary
        yield self._recent_bar
        yield self._recent_list

    @property
    def typed(self) -> str:
        """The text of the filter."""
        return self._filter.value

    def focus_filter(self) -> None:
        """Focus the filter and select its text, so that typing replaces it."""
        self.screen.set_focus(self._filter)

    def when_typed(self, then: Callable[[], object]) -> None:
        """Call ``then`` after all keys that were pressed before."""
        on_the_way = [self._filter, self._list, self, *self.ancestors_with_self]
        _along([widget for widget in on_the_way if isinstance(widget, Widget)], then)

    def on_mount(self) -> None:
        self._look_where_the_focus_is()
        # Watched instead of handled as a message, so that a letter and its matches appear in one frame.
        self.watch(self._filter, "value", self._find, init=False)
        self._fit()
        self._learn()

    def watch_methods(self) -> None:
        """Show another method list; the cursor stays on its method."""
        self._learn()
        self.call_after_refresh(self._rows.prepare)

    def watch_recent(self, before: Sequence[Exchange], now: Sequence[Exchange]) -> None:
        self._fit()
        if {call.method for call in before} != {call.method for call in now}:  # the list marks them
            self._learn()

    def watch_current(self) -> None:
        self._show(self.current)

    def _find(self) -> None:
        """Show the matches with the best one under the cursor, or all methods."""
        self._show("" if self.typed else self.current)

    def watch_here(self) -> None:
        self._bar.here = self.here
        self._bar.words = _title("Methods", here=self.here)

    def on_resize(self) -> None:
        """Lay the pane out again: the list comes before the recent calls."""
        self._fit()

    def on_descendant_focus(self) -> None:
        self._look_where_the_focus_is()

    def on_descendant_blur(self) -> None:
        self._look_where_the_focus_is()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Stop the message: the watcher has handled each letter."""
        event.stop()

    def _take(self, _: str) -> None:
        """Choose the row under the cursor for the text before Enter."""
        self._list.action_choose()

    def on_row_list_cursor_moved(self, event: RowList.CursorMoved) -> None:
        event.stop()
        self._summarise()

    def on_row_list_row_chosen(self, event: RowList.RowChosen) -> None:
        event.stop()
        if event.row_list is self._recent_list:
            self.post_message(self.Recalled(event.item))
        else:
            self.post_message(self.MethodChosen(name_of(event.item)))
            self.action_clear()

    def has(self, state: str) -> bool:
        match state:
            case "listed":
                return self.here and self._list.chosen is not None
            case "typed":
                return self.here and bool(self.typed)
        return super().has(state)

    def action_move(self, by: int) -> None:
        self._list.action_move(by)

    def action_page(self, by: int) -> None:
        self._list.action_page(by)

    def action_clear(self) -> None:
        self._filter.value = ""

    def action_pin(self) -> None:
        self.post_message(self.PinWanted(name_of(self._list.chosen)))

    def _learn(self) -> None:
        """Make the rows again; the cursor stays on its method."""
        recent = [as_named(exchange.method) for exchange in self.recent]
        self._rows = MethodRows(self.methods, self.pinned, recent)
        self._list.is_discovered = any(method.source == "discovered" for method in self.methods.values())
        self._list.longest = max((columns(name) for name in self.methods), default=0)
        self._show(name_of(self._list.chosen) or self.current)

    watch_pinned = _learn

    def _show(self, name: str) -> None:
        """Show the rows for the filter, with the cursor on a name or the first."""
        if not self._list.is_attached:
            return  # on_mount will do it
        listed, known = self._rows.listed(self.typed), len(self._rows)
        count = f"{known:,}" if listed.count == known else f"{listed.count:,} of {known:,}"
        self._bar.key = f"{count}  {self._key}"
        self._list.items = listed.rows
        self._list.move_to(listed.place(name))
        self._summarise()

    def _summarise(self) -> None:
        """Describe the row under the cursor in the line below the list."""
        self._summary.words = known_of(self._list.chosen, self._list.unknown, self.verdicts)
        self.pointed = name_of(self._list.chosen) if self.here else ""
        self.refresh_bindings()

    watch_verdicts = _summarise

    def _fit(self) -> None:
        """Share the height between list and recent calls."""
        if not self._list.is_attached:
            return
        room = max(self.size.height - _BEFORE_RECENT, 0) // 3
        calls = self.recent[: min(room, MOST_RECENT)]
        self._recent_list.show(calls, from_top=True)  # A key must not resend another call.
        self._recent_list.styles.height = len(calls)
        self._recent_bar.display = self._recent_list.display = bool(calls)
        self._summary.display = self.size.width < ROOMY

    def _look_where_the_focus_is(self) -> None:
        self.here = self._filter.has_focus
        self._recent_bar.here = self._recent_list.has_focus
        self._recent_bar.words = _title("Recent", here=self._recent_list.has_focus)
        self._summarise()


def _along(widgets: Sequence[Widget], then: Callable[[], object]) -> None:
    """Call ``then`` after the queues of all widgets, like a message."""
    if widgets:
        widgets[0].call_later(_along, widgets[1:], then)
    else:
        then()


def _title(words: str, *, here: bool) -> Sequence[tuple[str, str]]:
    return [(words, "accent bold" if here else "middle")]
