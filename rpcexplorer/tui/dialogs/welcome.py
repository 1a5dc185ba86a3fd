"""The first screen of somebody without a profile: what this is, and three ways on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from msgspec import Struct
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.strip import Strip
from textual.widgets import Static

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.dialogs.answer_once import AnswersOnce
from rpcexplorer.tui.dialogs.dialog import named, plain
from rpcexplorer.tui.theming import ThemeStyles, line
from rpcexplorer.tui.widgets.footer import Footer
from rpcexplorer.tui.widgets.header import Header
from rpcexplorer.tui.widgets.row_list import RowList


class Way(Struct, frozen=True):
    """Something to do first."""

    id: str
    label: str
    words: str
    key: str


WAYS: Final = (
    Way("demo", "Try the demo service", "on this machine; nothing of it stays", "d"),
    Way("add", "Add a profile", "a server, and how to log in", "a"),
    Way("quit", "Leave", "", "^Q"),
)


def files_of(explorer: Explorer) -> list[tuple[str, str]]:
    """Where everything is kept, in the words of the welcome."""
    paths = explorer.paths
    return [
        ("a team's profiles", "sessions.toml in this folder or one above it: put it into git"),
        ("your own profiles", str(paths.user_sessions)),
        ("settings", str(paths.settings)),
        ("secrets", str(paths.secrets)),
        ("history", str(paths.history)),
    ]


class Ways(RowList[Way]):
    DEFAULT_CSS = "Ways { height: 3; margin: 1 0; }"

    def draw(self, item: Way, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        """Label, what is said of it, and its key."""
        role = "text bold" if chosen else "text"
        mark = " › "  # noqa: RUF001 - the sign is meant
        words = [(mark if chosen else "   ", role), (f"{item.label:<23}", role), (item.words, "middle")]
        ground = "selection" if chosen else "background"
        return line(words, width, styles, right=[(f" {item.key} ", "text bold")], ground=ground)


class Welcome(AnswersOnce[str], Screen[str]):
    """Answers with the id of the way that was chosen."""

    DEFAULT_CSS = """
    Welcome { background: $background; color: $text; align: center middle; overflow: hidden; }
    Welcome > #page { width: 84; max-width: 96%; height: auto; max-height: 100%; overflow-x: hidden; }
    Welcome .title { text-style: bold; color: $accent; margin: 0 3 1 3; }
    Welcome .words { color: $middle; padding: 0 3; height: auto; }
    Welcome .named { height: auto; padding: 0 3; }
    Welcome .named > Static { width: 1fr; height: auto; color: $middle; }
    Welcome .named > .label { color: $dim; }
    Welcome .trouble { color: $careful; margin-top: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "way('add')", show=False),
        Binding("d", "way('demo')", show=False),
    ]

    def __init__(self, files: Sequence[tuple[str, str]], troubles: Sequence[str]) -> None:
        """``files`` are places and what they are for; ``troubles`` what was wrong with those that exist."""
        super().__init__()
        self._files, self._troubles = files, troubles

    def compose(self) -> ComposeResult:
        yield Header()
        with VerticalScroll(id="page", can_focus=False):
            yield Static("Welcome to rpcexplorer", classes="title")
            yield Static("It talks to JSON-RPC 2.0 services, and knows none yet.", classes="words")
            yield Ways()
            yield from named(self._files)
            for trouble in self._troubles:
                yield Static(plain(f"! {trouble}"), classes="words trouble")
        yield Footer()

    def on_mount(self) -> None:
        ways = self.query_one(Ways)
        ways.items = WAYS
        self.set_focus(ways)

    def on_row_list_row_chosen(self, event: RowList.RowChosen) -> None:
        event.stop()
        self.dismiss(event.item.id)

    def action_way(self, way: str) -> None:
        self.dismiss(way)
