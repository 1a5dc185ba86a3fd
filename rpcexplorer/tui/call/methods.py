"""The methods pane: a filter, the method list, the recent calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, ClassVar, Final, Literal, TypeAlias

from msgspec import Struct
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widgets import Input, Static

from rpcexplorer.auth.registry import needs_credentials
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.method import SIGN, Method, SavedMethod, as_named
from rpcexplorer.model.problem import counted
from rpcexplorer.model.profile import Profile
from rpcexplorer.text.columns import MAX_NAME_CHARACTERS, Cell, Column
from rpcexplorer.text.exchange import ROLES, SIGNS, duration, fitting_params, outcome_word
from rpcexplorer.text.printable import columns, printable
from rpcexplorer.text.wrapping import WordLine, wrapped
from rpcexplorer.tui.call.state import MOST_RECENT, CallState
from rpcexplorer.tui.commands import Commanded
from rpcexplorer.tui.messages import message
from rpcexplorer.tui.theme import Pieces, ThemeStyles, line, width_of
from rpcexplorer.tui.widgets.bars import Bar
from rpcexplorer.tui.widgets.inputs import Entry
from rpcexplorer.tui.widgets.rows import ItemList, RowList

if TYPE_CHECKING:
    from rpcexplorer.checks.run import CheckVerdict
    from rpcexplorer.history.statistics import UsualTimes
    from rpcexplorer.text.matching import Names

Standing = Literal["pinned", "recent", "plain"]
"""Pinned by the user, called lately, or neither."""
_WEIGHTS: Final[dict[Standing, float]] = {"pinned": 0.2, "recent": 0.1}
"""The weight of a standing. It only decides between similar matches."""


class MethodRow(Struct, frozen=True):
    """A method in the list."""

    method: Method
    standing: Standing
    group: str = ""
    """The group above it, whose name is not repeated."""


class GroupRow(Struct, frozen=True):
    """A group of methods, which can be folded."""

    name: str
    count: int
    is_open: bool


class Remark(Struct, frozen=True):
    """Words that cannot be chosen."""

    words: str


class TypedRow(Struct, frozen=True):
    """The typed name: unknown methods can be called, too."""

    name: str


MethodListRow: TypeAlias = MethodRow | GroupRow | Remark | TypedRow


def name_of(row: MethodListRow | None) -> str:
    """Return the method of a row; empty for a group or a remark."""
    match row:
        case MethodRow(method=method):
            return method.name
        case TypedRow(name=name):
            return name
    return ""


def group_of(name: str) -> str:
    """Return the part of a name before the last ``.``, ``/`` or ``:``, else before the first ``_``.

    Empty without any, and for saved calls.
    """
    if name.startswith(SIGN):
        return ""
    inner = name[1:-1]
    last = max(inner.rfind(separator) for separator in "./:")
    if last < 0:
        last = inner.find("_")
    return name[: last + 1]


class MethodRows:
    """The rows of the list, for each text in the filter."""

    def __init__(self, methods: Mapping[str, Method], pinned: Sequence[str] = (), recent: Sequence[str] = ()) -> None:
        """``recent``: methods called lately; unknown ones are not added."""
        self._pinned = list(dict.fromkeys(pinned))
        standings: dict[str, Standing] = {name: "recent" for name in recent if name in methods}
        for name in self._pinned:
            standings[name] = "pinned"
        self._weights = {name: _WEIGHTS[standing] for name, standing in standings.items()}
        self._rows = {name: MethodRow(method, standings.get(name, "plain")) for name, method in methods.items()}
        for name in self._pinned:
            self._rows.setdefault(name, MethodRow(Method(name), "pinned"))
        self._order = _in_order(tuple(self._rows))

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def height(self) -> int:
        """The number of rows if all groups are open."""
        return len(self) + len(self._groups)

    def group(self, name: str) -> str:
        """Return the group that has a method; empty if it is listed above the groups."""
        return self._group_of.get(name, "")

    def listed(self, typed: str, is_open: Callable[[str], bool] = lambda _: True) -> Sequence[MethodListRow]:
        """Return all methods, those of open groups below them, or the matches for a typed name.

        Matches are sorted, the best first. The typed name itself comes last.
        """
        name = typed.strip()
        if not name:
            rows: list[MethodListRow] = [*self._above]
            for group, members in self._groups.items():
                opened = is_open(group)
                rows.append(GroupRow(group, len(members), opened))
                if opened:
                    rows += members
            return rows
        found = self._order.searched.ranked(name, weights=self._weights)
        rows = [self._rows[self._order.names[index]] for index in found.indexes]
        if not rows:
            rows.append(Remark("no matches"))
        if name not in self._rows:
            rows.append(TypedRow(name))
        return rows

    def prepare(self) -> None:
        """Prepare the search, so that the first letter is not delayed.

        With ten thousand names the delay is noticeable.
        """
        self._order.searched.ranked("a")

    @cached_property
    def _above(self) -> Sequence[MethodRow]:
        """The methods above the groups: pinned ones, then those without a group."""
        rows = [self._rows[name] for name in self._pinned]
        for name, group in zip(self._order.names, self._order.groups, strict=True):
            row = self._rows[name]
            if not group and row.standing != "pinned":
                rows.append(row)
        return rows

    @cached_property
    def _groups(self) -> Mapping[str, Sequence[MethodRow]]:
        """The other methods by their group."""
        groups: dict[str, list[MethodRow]] = {}
        for name, group in zip(self._order.names, self._order.groups, strict=True):
            row = self._rows[name]
            if group and row.standing != "pinned":
                groups.setdefault(group, []).append(MethodRow(row.method, row.standing, group))
        return {group: groups[group] for group in sorted(groups, key=str.casefold)}

    @cached_property
    def _group_of(self) -> Mapping[str, str]:
        return {row.method.name: group for group, rows in self._groups.items() for row in rows}


class _Order:
    """Order and groups of names.

    They depend on the names only, so they survive changes of pins and calls.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names = sorted(names, key=str.casefold)
        self.groups = [group_of(name) for name in self.names]
        """The group of each name; empty if it has no other member."""
        for wider in (group_of, lambda _: ""):  # A name that is alone joins the group around its own.
            sizes = Counter(self.groups)
            self.groups = [group if sizes[group] > 1 else wider(group) for group in self.groups]

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
_CURRENT: Final = ("▌", "text bold")
_SAVED: Final = (SIGN, "middle")
_INDENT: Final = "  "
"""Before the name of a method in a group."""
_FOLDS: Final = {True: "▾", False: "▸"}
_MORE: Final = ("…", "dim")
CHECK_SIGNS: Final[Mapping[CheckVerdict | None, tuple[str, str, str]]] = {
    None: ("○", "middle", "not checked yet"),
    "passed": (SIGNS["result"], ROLES["result"], "passed"),
    "failed": (SIGNS["error"], ROLES["error"], "failed"),
    "error": (SIGNS["unreached"], ROLES["unreached"], "no valid response"),
}
"""Sign, role and words of the last result of a check; None before its first run."""
NOTHING_KNOWN: Final = ("No methods yet.", "Press {} to discover them.", "Or type a name and press Enter.")
NOTHING_FOUND: Final = ("No methods were found.", "Type a name and press Enter.")


class MethodList(RowList[MethodListRow], can_focus=False):
    """Methods in a tree: mark, name, description, last durations, auth, ``!`` if unsafe, check.

    The description and the durations are shown if there is room, the auth type if it is not the one of the profile.
    """

    DEFAULT_CSS = """
    MethodList { height: 1fr; }
    """

    current: reactive[str] = reactive("")
    """The method in the editor."""
    here: reactive[bool] = reactive(False)
    """The keys go to this list."""
    profile: reactive[Profile | None] = reactive[Profile | None](None)
    times: reactive[UsualTimes | None] = reactive["UsualTimes | None"](None)
    """The durations that are usual."""
    verdicts: reactive[Mapping[str, CheckVerdict]] = reactive[Mapping[str, "CheckVerdict"]]({})
    """The last results of checks in this run of the program."""
    found_none: reactive[bool] = reactive(False)
    """The last discovery found no methods."""
    longest: reactive[int] = reactive(0)
    """Columns of the longest name, so that descriptions are aligned."""

    def __init__(self, discover_key: str) -> None:
        super().__init__()
        self._discover_key = discover_key or "^P"
        self.typed = ""
        """The filter, whose letters are underlined in the names that match."""
        self.current_group = ""
        """The group of the current method."""
        self.is_discovered = False
        """The list has methods that the server has listed."""

    @property
    def unknown(self) -> str:
        """Words for a name that is not in the list."""
        if self.is_discovered or self.found_none:
            return "Not in the list. You can call it."
        return f"Not in the list. Press {self._discover_key} to discover."

    def can_choose(self, item: MethodListRow) -> bool:
        return not isinstance(item, Remark)

    def draw(self, item: MethodListRow, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        ground, side = "background", "dim"
        if chosen:
            ground = "selection" if self.here else "surface"
        if ground == "selection":
            side = "middle"
        match item:
            case Remark(words=words):
                return line([(" ", "text"), (words, "dim")], width, styles, ground=ground)
            case TypedRow(name=name):
                left: Pieces = [(" " * MARGIN, "text"), ("call ", side), (f'"{name[:MAX_NAME_CHARACTERS]}"', "text")]
                right: Pieces = [("  Enter", side)] if chosen else []
                about = self.unknown
            case GroupRow(name=name, count=count, is_open=is_open):
                has_current = name == self.current_group and not is_open
                left = [_CURRENT if has_current else (" ", "text"), (_FOLDS[is_open], "middle"), (" ", "text")]
                right = [(f"  {count:,}", side)]
                left += _name(name, (), width - MARGIN - width_of(right) - 1)
                about = ""
            case MethodRow(method=method):
                left, right = self._method(item, width, side, chosen=chosen)
                about = method.doc
        if width >= ROOMY:
            blanks = " " * max(self._description_column(width) - width_of(left), 2)
            left = [*left, (blanks, "text"), (about[:width], side)]
        if width == self.size.width:  # otherwise the scrollbar is the margin
            right = [*right, (" ", "text")]
        return line(left, width, styles, right=right, ground=ground)

    def _description_column(self, width: int) -> int:
        return MARGIN + min(self.longest, width * 2 // 5) + len("  ")

    def watch_found_none(self) -> None:
        self._explain()

    def on_resize(self) -> None:
        self._explain()

    def _explain(self) -> None:
        """Name the next step in place of the methods."""
        room = max(self.scrollable_content_region.width - MARGIN - 1, 10)
        rows: list[WordLine] = []
        for sentence in NOTHING_FOUND if self.found_none else NOTHING_KNOWN:
            rows += wrapped([(sentence.format(self._discover_key), "dim")], room, 0)
        self.empty = [[(" " * MARGIN, "text"), *row] for row in rows]

    def _method(self, row: MethodRow, width: int, side: str, *, chosen: bool) -> tuple[Pieces, Pieces]:
        """Return the pieces at the left and at the right of a row.

        The sign ``!`` gets a word if that leaves enough room for the description.
        """
        method, is_current = row.method, row.method.name == self.current
        right: WordLine = []
        usual = self.profile.auth.kind if self.profile is not None else None
        if method.auth and method.auth != usual and needs_credentials(method.auth):
            right.append((f"  {method.auth}", side))
        if method.safe is False:
            described = self._description_column(width) + columns(f"{method.doc[:width]}  ! unsafe ")
            has_room = width >= ROOMY and described + width_of(right) <= width
            right.append(("  ! unsafe" if has_room else "  !", "careful"))
        right += _check_sign(method, self.verdicts)
        mark, hidden, indent = _MARKS[row.standing], 0, ""
        if isinstance(method, SavedMethod) and row.standing != "pinned":
            mark, hidden = _SAVED, len(SIGN)
        if row.group:
            hidden, indent = len(row.group) + 1, _INDENT
        found: Sequence[int] = ()
        if self.typed:
            from rpcexplorer.text.matching import matched_letters  # not needed by the start

            found = matched_letters(self.typed, method.name)
        room = width - MARGIN - len(indent) - width_of(right) - 1
        durations = self._durations(method) if chosen else []
        if columns(printable(method.name[hidden:MAX_NAME_CHARACTERS])) + width_of(durations) <= room:
            right = [*durations, *right]
            room -= width_of(durations)
        name = _name(method.name, found, room, hidden=hidden, is_current=is_current)
        return [_CURRENT if is_current else (" ", "text"), mark, (f" {indent}", "text"), *name], right

    def _durations(self, method: Method) -> WordLine:
        """Return the last durations of a method as bars, and the usual one; nothing if none is usual yet."""
        if self.times is None or self.profile is None:
            return []
        called = (self.profile.name, method.calls if isinstance(method, SavedMethod) else method.name)
        usual = self.times.usual(*called)
        if usual is None:
            return []
        from rpcexplorer.text.lanes import sparkline  # not needed by the start

        return [(f"  {sparkline(self.times.last(*called), usual)}", "accent"), (f" {duration(usual):>7}", "middle")]


def _check_sign(method: Method, verdicts: Mapping[str, CheckVerdict]) -> Pieces:
    if not (isinstance(method, SavedMethod) and method.is_check):
        return []
    sign, role, _ = CHECK_SIGNS[verdicts.get(method.name)]
    return [(f" {sign}", role)]


def _name(
    name: str, found: Sequence[int], room: int, *, hidden: int = 0, is_current: bool = False
) -> list[tuple[str, str]]:
    """Return the name in at most ``room`` columns, without its first ``hidden`` characters.

    The group is lighter, and the letters that match the filter (``found``) are underlined.
    """
    name = name[:MAX_NAME_CHARACTERS]
    group = "" if hidden else group_of(name)
    letters: list[tuple[str, str]] = []
    for at, char in enumerate(name[hidden:], start=hidden):
        role = "text"
        if is_current:
            role = "text bold"
        elif group and at <= len(group) and at not in found:
            role = "middle"
        if at in found:
            role += " bold underline"
        letters.append((printable(char), role))
    if width_of(letters) > room:
        while letters and width_of(letters) >= room:
            letters.pop(0 if group else -1)  # the end of a name says more than its group
        letters.insert(0 if group else len(letters), _MORE)
    return [("".join(text for text, _ in same), role) for role, same in groupby(letters, key=itemgetter(1))]


WIDE_RECENT: Final = 44
"""Columns from which the list of recent calls has whole names and times."""
MAX_RECENT_NAME: Final = 12
"""Longer names lose their first groups in a narrower list."""


class RecentList(ItemList[Exchange], scope="recent"):
    """Recent calls with sign, method, params, and duration or outcome."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "choose", show=False)]

    times: reactive[UsualTimes | None] = reactive["UsualTimes | None"](None)
    """The durations that are usual."""

    @message
    class Recalled(Message):
        """A recent call was chosen, to load it or also to resend it."""

        exchange: Exchange
        resend: bool = False

    def __init__(self, state: CallState) -> None:
        self._state, zone = state, state.frame.zone
        super().__init__(
            (
                Column(lambda call: [(SIGNS[call.counts_as], ROLES[call.counts_as])], width=1, gap=1),
                Column(self._method, share=2, gap=1),
                Column(fit=lambda call, room: [(fitting_params(call, room), "middle")], fills=True),
                Column(lambda call: [outcome_word(call)], right=True),
                Column(self._durations, width=6, drop=48),
                Column(lambda call: [(f"{call.when.astimezone(zone):%H:%M}", "dim")], width=5, drop=WIDE_RECENT),
                Column(width=1, gap=0),
            ),
            key=lambda call: call.id,
        )

    def _method(self, call: Exchange) -> Cell:
        """Return the method; in a narrow list, a long one without its first groups, which leaves room for params."""
        name = call.method[:MAX_NAME_CHARACTERS]
        if self.size.width >= WIDE_RECENT:
            return [(name, "text")]
        rest = name
        while columns(rest) > MAX_RECENT_NAME and "." in rest.partition(".")[2]:
            rest = rest.partition(".")[2]
        return [("…" + rest if rest != name else name, "text")]

    def _durations(self, call: Exchange) -> Cell:
        usual = self.times.usual(call.profile, call.method) if self.times is not None else None
        if self.times is None or usual is None:
            return []
        from rpcexplorer.text.lanes import sparkline  # not needed by the start

        return [(sparkline(self.times.last(call.profile, call.method), usual), "dim")]

    def draw(self, item: Exchange, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        """Draw a call. The cursor is only shown while the list has the focus."""
        return super().draw(item, width, styles, chosen=chosen and self.has_focus)

    def has(self, state: str) -> bool:
        return self.chosen is not None if state == "row" else super().has(state)

    def on_row_list_row_chosen(self, event: RowList.RowChosen) -> None:
        event.stop()
        self.post_message(self.Recalled(event.item))

    def action_again(self) -> None:
        if self.chosen is not None:
            self.post_message(self.Recalled(self.chosen, resend=True))

    def action_copy(self, part: str = "") -> None:
        """Copy the call as a part or form, or ask which."""
        from rpcexplorer.tui.call.copying import copy_recorded

        if self.chosen is not None:
            copy_recorded(self._state, self.chosen, part)

    def action_ticket(self) -> None:
        self.action_copy("report")


_BEFORE_RECENT: Final = 9
"""Rows for the rest of the pane; recent calls get a third of the others."""
_AROUND_TREE: Final = 4
"""Rows for the titles, the filter and the line below the list."""


class Filter(Entry):
    """The filter of the method list; Enter chooses a method."""

    DEFAULT_CSS = "Filter, Filter:focus, Filter:ansi, Filter:ansi:focus { padding: 0 1 0 0; width: 1fr; }"

    def __init__(self, take: Callable[[str], None]) -> None:
        super().__init__(take=take, hint="type to filter")
        self.select_on_focus = True

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave the arrows to the tree while there is no text."""
        if action in {"cursor_left", "cursor_right"} and not self.value:
            return False
        return super().check_action(action, parameters)


def _place_of(rows: Sequence[MethodListRow], name: str, group: str) -> int:
    """Return the row of a method; if it is folded, the row of its group."""
    place = 0
    for at, row in enumerate(rows):
        if name and name_of(row) == name:
            return at
        if isinstance(row, GroupRow) and row.name == group:
            place = at
    return place


class MethodsPane(Commanded, Vertical, scope="methods"):
    """Methods and recent calls."""

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
    profile: reactive[Profile | None] = reactive[Profile | None](None, init=False, repaint=False)
    times: reactive[UsualTimes | None] = reactive["UsualTimes | None"](None, init=False, repaint=False)
    """The durations that are usual."""
    recent: reactive[Sequence[Exchange]] = reactive[Sequence[Exchange]]((), init=False, repaint=False)
    """The newest calls of this profile, the latest first."""
    found_none: reactive[bool] = reactive(False, init=False, repaint=False)
    """The last discovery found no methods."""
    here: reactive[bool] = reactive(False, init=False, repaint=False)
    """The filter has the focus."""
    pointed: reactive[str] = reactive("", init=False, repaint=False)
    """The method under the cursor while the filter has the focus; else empty."""

    @message
    class MethodChosen(Message):
        """A method was chosen; its name may be unknown."""

        name: str

    def __init__(self, state: CallState) -> None:
        super().__init__()
        self._state, self._key = state, state.key("focus.methods")
        self._rows = MethodRows({})
        self._opened: dict[str, bool] = {}
        """The groups that were folded or unfolded."""
        self._room = 0
        """Rows of the list below which no group is folded."""
        self._filter, self._list = Filter(self._take), MethodList(state.key("discover"))
        self._recent_list = RecentList(state)
        self._bar, self._summary, self._recent_bar = Bar(self._filter), Bar(), Bar(self._recent_list)
        self._bar.words, self._recent_bar.words = [("Methods", "middle")], [("Recent", "middle")]
        self._recent_bar.key = state.key("history")

    def compose(self) -> ComposeResult:
        yield self._bar
        with Horizontal(classes="line"):
            yield Static(Content(" ›"), classes="prompt")  # noqa: RUF001 - the sign is meant
            yield self._filter
        here = MethodsPane
        yield self._list.data_bind(here.current, here.here, here.verdicts, here.profile, here.times, here.found_none)
        yield self._summary
        yield self._recent_bar
        yield self._recent_list.data_bind(here.times)

    @property
    def typed(self) -> str:
        """The text of the filter."""
        return self._filter.value

    def focus_filter(self) -> None:
        """Focus the filter and select its text, so that typing replaces it."""
        self.screen.set_focus(self._filter)

    def on_mount(self) -> None:
        self._follow_focus()
        # Watched instead of handled as a message, so that a letter and its matches appear in one frame.
        self.watch(self._filter, "value", self._find, init=False)
        self._share_height()
        self._make_rows()

    def watch_methods(self) -> None:
        self._make_rows()
        self.call_after_refresh(self._rows.prepare)

    def watch_recent(self, before: Sequence[Exchange], now: Sequence[Exchange]) -> None:
        self._share_height()
        self._list.refresh()  # A call has changed what is usual.
        if {call.method for call in before} != {call.method for call in now}:  # the list marks them
            self._make_rows()

    def watch_current(self) -> None:
        self._opened[self._rows.group(self.current)] = True
        self._show(self.current)

    def _find(self) -> None:
        """Show the matches with the best one under the cursor, or all methods."""
        self._show("" if self.typed else self.current)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Stop the message: the watcher has handled each letter."""
        event.stop()

    def _take(self, _: str) -> None:
        """Choose the row under the cursor for the text before Enter."""
        self._list.action_choose()

    def on_row_list_cursor_moved(self, event: RowList.CursorMoved) -> None:
        event.stop()
        self._describe_row()

    def on_row_list_row_chosen(self, event: RowList.RowChosen) -> None:
        event.stop()
        if isinstance(event.item, GroupRow):
            self._turn(event.item, is_open=not event.item.is_open)
        else:
            self.post_message(self.MethodChosen(name_of(event.item)))
            self.action_clear()

    def has(self, state: str) -> bool:
        match state:
            case "listed":
                return self.here and bool(name_of(self._list.chosen))
            case "tree":
                return self.here and not self.typed and bool(self._group)
            case "typed":
                return self.here and bool(self.typed)
        return super().has(state)

    def action_move(self, by: int) -> None:
        self._list.action_move(by)

    def action_page(self, by: int) -> None:
        self._list.action_page(by)

    @property
    def _group(self) -> str:
        """The group under the cursor, or around the method there."""
        match self._list.chosen:
            case GroupRow(name=name) | MethodRow(group=name):
                return name
        return ""

    def action_unfold(self) -> None:
        """Unfold the group under the cursor, or go to its first method."""
        row = self._list.chosen
        if isinstance(row, GroupRow):
            if row.is_open:
                self._list.action_move(1)
            else:
                self._turn(row, is_open=True)

    def action_fold(self) -> None:
        """Fold the group under the cursor, or go from a method to its group."""
        row = self._list.chosen
        if isinstance(row, GroupRow):
            self._turn(row, is_open=False)
        else:
            self._show("", self._group)

    def _turn(self, row: GroupRow, *, is_open: bool) -> None:
        self._opened[row.name] = is_open
        self._show("", row.name)

    def _is_open(self, group: str) -> bool:
        return self._opened.get(group, self._rows.height <= self._room)

    def action_clear(self) -> None:
        self._filter.value = ""

    def action_pin(self) -> None:
        self._state.pin(name_of(self._list.chosen))

    def _make_rows(self) -> None:
        """Show other methods, pins or recent calls; the cursor stays on its method."""
        recent = [as_named(exchange.method) for exchange in self.recent]
        self._rows = MethodRows(self.methods, self.pinned, recent)
        self._list.is_discovered = any(method.source == "discovered" for method in self.methods.values())
        self._list.longest = max((columns(name) for name in self.methods), default=0)
        self._opened.setdefault(self._rows.group(self.current), True)
        self._show_again()

    watch_pinned = _make_rows

    def _show_again(self) -> None:
        """Show other rows; the cursor stays on its method or group."""
        row = self._list.chosen
        if isinstance(row, GroupRow):
            self._show("", row.name)
        else:
            self._show(name_of(row) or self.current)

    def _show(self, name: str, group: str = "") -> None:
        """Show the rows for the filter, with the cursor on a method, else on a group, else on the first row."""
        if not self._list.is_attached:
            return  # on_mount will do it
        rows = self._rows.listed(self.typed, self._is_open)
        count = f"{len(self._rows):,}"
        if self.typed:
            found = sum(isinstance(row, MethodRow) for row in rows)
            count = f"{found:,} of {count}"
        self._bar.key = f"{count}  {self._key}"
        self._list.current_group = self._rows.group(self.current)
        self._list.typed, self._list.items = self.typed, rows
        self._list.move_to(_place_of(rows, name, group or self._rows.group(name)))
        self._describe_row()

    def _describe_row(self) -> None:
        """Describe the row under the cursor in the line below the list.

        A narrow list has no room for its description and for the meaning of its signs.
        """
        row = self._list.chosen
        words: list[tuple[str, str]] = []
        if isinstance(row, TypedRow):
            words.append((f"  {self._list.unknown}", "dim"))
        elif isinstance(row, MethodRow):
            method = row.method
            words.append(("! unsafe  ", "careful") if method.safe is False else ("  ", "text"))
            if isinstance(method, SavedMethod) and method.is_check:
                sign, role, verdict = CHECK_SIGNS[self.verdicts.get(method.name)]
                words.append((f"{sign} {verdict}  ", role))
            words.append((method.doc[:MAX_NAME_CHARACTERS], "dim"))
        elif isinstance(row, GroupRow):
            words.append((f"  {counted(row.count, 'method')}", "dim"))
        self._summary.words = words
        self.pointed = name_of(row) if self.here else ""
        self.refresh_bindings()

    watch_verdicts = _describe_row

    def _share_height(self) -> None:
        """Share the height between list and recent calls."""
        if not self._list.is_attached:
            return
        height = self.size.height or self.app.size.height  # There is no layout before the first frame.
        room = max(height - _BEFORE_RECENT, 0) // 3
        self._room = height - _AROUND_TREE - min(room, MOST_RECENT)
        calls = self.recent[:room]
        self._recent_list.show(calls, from_top=True)  # A key must not resend another call.
        self._recent_list.styles.height = len(calls)
        self._recent_bar.display = self._recent_list.display = bool(calls)
        self._summary.display = self.size.width < ROOMY

    def on_resize(self) -> None:
        before = self._room
        self._share_height()
        if self._room != before:
            self._show_again()

    def _follow_focus(self) -> None:
        self.here = self._filter.has_focus
        self._describe_row()

    on_descendant_focus = on_descendant_blur = _follow_focus
