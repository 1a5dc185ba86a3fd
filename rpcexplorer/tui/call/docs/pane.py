"""The docs of a method: a bar with its name, and the page below. Where the pane stands is the screen's to say."""

from __future__ import annotations

from datetime import datetime

from textual.app import ComposeResult
from textual.containers import Vertical

from rpcexplorer.model.method import Described, Method
from rpcexplorer.model.profile import Profile
from rpcexplorer.tui.call.docs.page import DocsSheet
from rpcexplorer.tui.widgets.bar import Bar


class DocsPane(Vertical):
    """It asks for nothing; an example that is taken it leaves to the screen."""

    DEFAULT_CSS = """
    DocsPane { width: 1fr; height: 1fr; background: $background; }
    DocsPane.-below { height: 1.5fr; }
    DocsPane.-beside { border-left: solid $line; }
    """

    def __init__(self, key: str, *, tinted: bool = False) -> None:
        """``key`` goes here; the bar is ``tinted`` where the pane stands below another one."""
        super().__init__()
        self._bar, self.page = Bar(), DocsSheet()
        self._bar.key = key
        self._bar.set_class(tinted, "-tinted")

    def compose(self) -> ComposeResult:
        yield self._bar
        yield self.page

    def show(
        self, method: Method | None, described: Described | None, asked: datetime | None, profile: Profile | None = None
    ) -> None:
        name = [("Docs", "middle"), (f"  {method.name}" if method else "", "accent bold")]
        self._bar.words = name
        self._bar.after = [("  ! deprecated", "careful")] if method is not None and method.deprecated else []
        self.page.show(method, described, asked, profile)

    def on_descendant_focus(self) -> None:
        self._bar.here = True

    def on_descendant_blur(self) -> None:
        self._bar.here = False
