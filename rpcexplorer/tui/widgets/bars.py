"""Header, footer, pane bars and warnings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from datetime import date, datetime, tzinfo
from functools import partial
from typing import ClassVar, Final

from msgspec import Struct
from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.dom import DOMNode
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from rpcexplorer.model.profile import Profile
from rpcexplorer.text.wrapping import WordLine, fitting, limited, wrapped
from rpcexplorer.tui.commands import BACK, COMMANDS, NO_KEY, Command, key_of, spelled
from rpcexplorer.tui.messages import message
from rpcexplorer.tui.theme import NARROW, Pieces, ThemeStyles, line, width_of

EDGE: Final = "▌"
"""At the left of the title of the pane with the focus, and of notices."""


class Bar(Widget):
    """The bar of a pane: title, tabs and key, in one line."""

    DEFAULT_CSS = """
    Bar { height: 1; background: $background; }
    Bar.-tinted { background: $surface; }
    """

    GAP: ClassVar[int] = 2

    words: reactive[Sequence[tuple[str, str]]] = reactive[Sequence[tuple[str, str]]](())
    """The pieces at the left."""
    after: reactive[Sequence[tuple[str, str]]] = reactive[Sequence[tuple[str, str]]](())
    """The pieces after ``words``; the caller shortens the words by ``room``.

    In little room, the last parts between dots are dropped.
    """
    tabs: reactive[Sequence[str]] = reactive[Sequence[str]](())
    open: reactive[str] = reactive("")
    """The tab that is open."""
    key: reactive[str] = reactive("")
    """The key that goes to this pane."""
    panes: reactive[tuple[Widget, ...]] = reactive[tuple[Widget, ...]](())
    """The bar is their title: it shows whether the focus is in one of them."""

    @message
    class TabClicked(Message):
        """A tab was clicked."""

        bar: Bar
        tab: str

    def __init__(self, *panes: Widget, classes: str | None = None) -> None:
        super().__init__(classes=classes)
        self.set_reactive(Bar.panes, panes)

    def on_mount(self) -> None:
        self.watch(self.screen, "focused", self._focus_moved, init=False)

    def _focus_moved(self) -> None:
        self.refresh()

    def render_line(self, y: int) -> Strip:  # noqa: ARG002 - there is one line
        """Draw the line; this alone shows which pane has the focus: by edge, ground and bold title."""
        words = fitting(self._wordings(), self.size.width - width_of(self._right()) - 1)
        ground = "surface" if self.has_class("-tinted") else "background"
        if any(pane.has_focus_within for pane in self.panes):
            ground = "focus"
            words = [(EDGE, "accent"), *_with_bold_title(words)]
        else:
            words = [(" ", "text"), *words]
        return line(words, self.size.width, ThemeStyles.of(self), right=self._right(), ground=ground)

    @property
    def room(self) -> int:
        """The columns that the last of the words can have."""
        return self.size.width - width_of(self._right()) - width_of(self.after) - len("▌✓ ")

    def _wordings(self) -> Iterator[WordLine]:
        """Yield the words, each time with one part less after them."""
        after = list(self.after)
        while after:
            yield [*self.words, *after]
            text, role = after.pop()
            shorter = text.rpartition(" · ")[0]
            if shorter:
                after.append((shorter, role))
        yield list(self.words)

    def next_tab(self, by: int = 1) -> str:
        """Return the next tab; after the last comes the first."""
        if not self.tabs:
            return ""
        at = self.tabs.index(self.open) if self.open in self.tabs else -1
        return self.tabs[(at + by) % len(self.tabs)]

    def on_click(self, event: events.Click) -> None:
        """Open a tab, or press the key that is clicked."""
        x = self.size.width - width_of(self._right())
        for tab in self.tabs:
            x += self.GAP
            if x <= event.x < x + len(tab):
                event.stop()
                self.post_message(self.TabClicked(self, tab))
            x += len(tab)
        for word in self.key.split():
            start = x + len("  ") + self.key.index(word)
            if start <= event.x < start + len(word) and not word.isdigit() and key_of(word):
                event.stop()
                self.app.simulate_key(key_of(word))

    def _right(self) -> Pieces:
        words = []
        for tab in self.tabs:
            words.append((" " * self.GAP, "text"))
            words.append((tab, "text bold underline" if tab == self.open else "middle"))
        if self.key:
            words.append((f"  {self.key}", "dim"))
        return [*words, (" ", "text")]


def _with_bold_title(words: WordLine) -> WordLine:
    """Return words with the first that has letters in bold, so that the focus is visible without colours."""
    titled = list(words)
    for at, (text, role) in enumerate(words):
        if any(map(str.isalnum, text)):
            titled[at] = (text, f"{role.replace('middle', 'text')} bold")
            break
    return titled


BADGES: dict[str, str] = {"dev": "well", "staging": "careful", "prod": "prod"}
"""The background of a badge; other words have the colour of ``middle``."""


MIN_URL: Final = 16
"""Columns of the URL that the state of the connection leaves."""


class Header(Widget):
    """Name and URL at the left, session and badge at the right.

    If there is little room, the URL is cut first.
    """

    DEFAULT_CSS = "Header { height: 1; dock: top; }"

    NOBODY: ClassVar[Pieces] = [(" rpcexplorer", "bold"), ("  no profile chosen", "middle")]

    profile: reactive[Profile | None] = reactive[Profile | None](None)
    auth: reactive[Sequence[tuple[str, str]]] = reactive[Sequence[tuple[str, str]]](())
    """The state of the session or the credentials."""
    problem: reactive[str] = reactive("")
    """An important problem, such as a history that cannot be written."""
    connection: reactive[Sequence[WordLine]] = reactive[Sequence[WordLine]](())
    """The state of the connection, the longest wording first."""

    def copy(self) -> Header:
        """Return a header like this one, for a screen that opens over it."""
        header = Header()
        header.set_reactive(Header.profile, self.profile)
        header.set_reactive(Header.auth, self.auth)
        header.set_reactive(Header.problem, self.problem)
        header.set_reactive(Header.connection, self.connection)
        return header

    def on_click(self) -> None:
        """Open the profiles, where the screen can."""
        self.call_later(self.run_action, "app.profiles")

    def render_line(self, y: int) -> Strip:  # noqa: ARG002 - there is one line
        """Draw the line; its background is red on prod."""
        styles, width = ThemeStyles.of(self), self.size.width
        if self.profile is None:
            return line(self.NOBODY, width, styles, ground="surface")
        ground = "prod-surface" if self.profile.badge == "prod" else "surface"
        problem = [(f"! {self.problem}   ", "wrong bold")] if self.problem else []
        left = [(f" {self.profile.name}", "text bold"), (f"  {self.profile.endpoint}", "middle")]
        if self.profile.ad_hoc:
            from rpcexplorer.text.profile import printable_url  # Only a typed URL needs it.

            left = [(f" {printable_url(self.profile.endpoint)}", "text bold")]
        badge = [(" ", "text")]
        if self.profile.badge:
            role = f"on:{BADGES.get(self.profile.badge, 'middle')} bold"
            badge = [("   ", "text"), (f" {self.profile.badge_word[:16]} ", role)]
        right = [*self.auth, *badge, (" ", "text")]
        connection = self._fitting(width - width_of([*left[:1], *problem, *right]))
        between = [("   ", "text")] if connection and self.auth else []
        right = [*problem, *connection, *between, *right]
        return line(left, width, styles, right=right, ground=ground)

    def _fitting(self, room: int) -> Pieces:
        """Return the longest wording of the connection that leaves something of the URL."""
        wordings = self.connection[1:] if self.size.width < NARROW and len(self.connection) > 1 else self.connection
        if not wordings:
            return []
        return [("  ", "text"), *fitting(wordings, room - MIN_URL)]


AT_RIGHT: Final = frozenset({"send", "history", "profiles", "palette", "help"})
"""Commands that each pane has: their keys never move when the focus does."""


def _is_at_right(command: Command) -> bool:
    return command.id in AT_RIGHT or command.words == BACK


def _rank(command: Command) -> int:
    """Return the place among the hints; in little room, the last ones are left out first."""
    if command.footer == "first":
        return 0
    if _is_at_right(command):
        return 2
    return 3 if command.scope == "call" else 1


IN_FOOTER: Final = sorted((command for command in COMMANDS if command.footer), key=_rank)


class Footer(Widget):
    """The keys that work now, with their labels: those of the focused pane at the left, the others at the right.

    The command table says what stays in little room: sending, the way back, palette, help, and the commands for a
    recorded call, which are hard to guess.
    """

    DEFAULT_CSS = "Footer { height: 1; dock: bottom; }"

    prod: reactive[bool] = reactive(False)

    def __init__(self, omitted: Callable[[], Container[str]] = frozenset) -> None:
        """``omitted``: returns commands that the screen shows elsewhere, or that would do nothing now."""
        super().__init__()
        self._omitted = omitted
        self.shown: Sequence[tuple[str, Command]] = ()
        """Each key, as Textual names it, and its command; below a dialog, those that worked before."""
        self._will_look = False

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_updated)

    def _bindings_updated(self, _: object) -> None:
        """Look later, and once: what can be done changes a dozen times for one key."""
        if not self._will_look:
            self._will_look = True
            self.call_later(self._look)

    def _look(self) -> None:
        """Draw the line again if it changes. Textual asks for it once more, a frame after each move of the focus."""
        self._will_look = False
        is_drawn = bool(self.shown)
        if not is_drawn or (self.app.screen is self.screen and list(self._possible()) != self.shown):
            self.refresh()

    def _possible(self) -> Iterator[tuple[str, Command]]:
        """Yield the commands that are possible now, with their keys.

        The bindings are those of the widget with the focus and of all around it.
        """
        bound: dict[str, list[tuple[DOMNode, Binding]]] = defaultdict(list)
        keys: dict[str | None, list[str]] = defaultdict(list)
        for node, bindings in self.screen._modal_binding_chain:  # noqa: SLF001 - `active_bindings` asks for all
            for key, binding in bindings:
                bound[key].append((node, binding))
                keys[binding.id].append(key)
        omitted = self._omitted()
        for command in IN_FOOTER:
            if command.id in omitted:
                continue
            for key in keys[command.id]:
                if key != NO_KEY and _taker(bound[key]) == command.id:
                    yield key, command
                    break

    def render_line(self, y: int) -> Strip:  # noqa: ARG002 - there is one line
        if self.app.screen is self.screen:
            self.shown = list(self._possible())
        ground = "prod-surface" if self.prod else "surface"
        left, right = self._fitting()
        return line(left, self.size.width, ThemeStyles.of(self), right=right, ground=ground)

    def _fitting(self) -> tuple[WordLine, WordLine]:
        """Return the hints at the left and at the right; if not all fit, the last that need not stay is left out."""
        hints = list(self.shown)
        others = [hint for hint in hints if hint[1].footer != "stays"]
        gap = 2 if self.size.width < NARROW else 3
        while True:
            left = _worded([hint for hint in hints if not _is_at_right(hint[1])], gap)
            right = _worded([hint for hint in hints if _is_at_right(hint[1])], gap)
            right.append((" ", "text"))
            if width_of(left) + gap + width_of(right) <= self.size.width or not others:
                return left, right
            hints.remove(others.pop())

    def on_click(self, event: events.Click) -> None:
        """Press the key whose hint is clicked."""
        keys = {spelled(key): key for key, _ in self.shown}
        left, right = self._fitting()
        x, key = 0, ""
        for text, role in (*left, (" " * (self.size.width - width_of(left) - width_of(right)), "text"), *right):
            x += width_of([(text, role)])
            key = keys.get(text, key)
            if event.x < x:
                if not text.isspace():
                    self.app.simulate_key(key)
                return


def _worded(hints: Iterable[tuple[str, Command]], gap: int) -> WordLine:
    words: WordLine = []
    for key, command in hints:
        blanks = " " * gap if words else " "
        words += [(blanks, "text"), (spelled(key), "bold"), (f" {command.words}", "middle")]
    return words


def _taker(bound: Iterable[tuple[DOMNode, Binding]]) -> str | None:
    """Return the id of the binding that takes a key, if any can: those with priority before others."""
    for node, binding in sorted(bound, key=lambda pair: not pair[1].priority):
        if node.check_action(binding.action.partition("(")[0], ()):
            return binding.id
    return None


FOOTER_OVER_CALLS: Final = partial(Footer, lambda: {"history", "profiles"})
"""Makes the footer of a screen over the call screen, without the keys that lead to other screens."""


class Frame(Struct, frozen=True):
    """Makes header and footer for each screen; has the user's clock."""

    header: Callable[[], Widget | None] = lambda: None
    footer: Callable[[], Widget | None] = lambda: None
    zone: tzinfo | None = None
    today: date | None = None

    @property
    def day(self) -> date:
        return self.today or datetime.now(self.zone).date()

    def around(self, *parts: Widget) -> Iterator[Widget]:
        yield from (widget for widget in (self.header(), *parts, self.footer()) if widget is not None)


BETWEEN: Final = ("  ·  ", "")
"""Between two sentences; at the start of a line, without its blanks."""
MOST: Final = 12
"""The most lines that are shown."""


class WarningLines(Static):
    """Warnings below a bar, joined by a dot; hidden if there are none."""

    DEFAULT_CSS = f"""
    WarningLines {{ height: auto; max-height: 3; padding: 0 2 0 3; background: $background; }}
    WarningLines.-alone {{ max-height: {MOST}; }}
    """

    pieces: reactive[Sequence[tuple[str, str]]] = reactive[Sequence[tuple[str, str]]](())
    joined: reactive[bool] = reactive(True)
    """A dot joins the pieces; otherwise they form one line."""

    def on_mount(self) -> None:
        self.watch_pieces()

    def watch_pieces(self) -> None:
        self.display = bool(self.pieces)
        self.clear_cached_dimensions()
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return len(self._lines(width, MOST))

    def render(self) -> Content:
        lines = self._lines(self.size.width, self.size.height or MOST)
        return Content("\n").join(Content("").join(map(_styled, words)) for words in lines)

    def _lines(self, width: int, most: int) -> list[WordLine]:
        words: WordLine = []
        for piece in self.pieces:
            if words and self.joined:
                words.append(BETWEEN)
            words.append(piece)
        return limited(wrapped(words, width, 0, "words"), most, width)


def _styled(piece: tuple[str, str]) -> Content:
    """Return a piece with its role as a style of Textual."""
    text, role = piece
    colour, *rest = role.split() or [""]
    return Content.styled(text, " ".join([f"${colour}", *rest])) if colour else Content(text)
