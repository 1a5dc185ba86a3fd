"""One call of a batch: what came of it, to be read like any reply; before it was sent, what would go out."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.reactive import reactive

from rpcexplorer.model.exchange import Exchange
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.text.document import Document
from rpcexplorer.text.exchange import ended, kind_word, size, told
from rpcexplorer.tui.batch.list import BatchLine
from rpcexplorer.tui.reader.reader import Reader
from rpcexplorer.tui.widgets.bar import Bar
from rpcexplorer.tui.widgets.remarks import Remarks


class BatchPreview(Vertical):
    """A bar with what it is, what is worth saying, and the text."""

    DEFAULT_CSS = """
    BatchPreview { background: $background; }
    BatchPreview > Reader { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "fold", show=False)]

    shown: reactive[BatchLine | None] = reactive[BatchLine | None](None, init=False, always_update=True)
    """What the cursor is on."""

    def __init__(self) -> None:
        super().__init__()
        self._bar, self._remarks, self._reader = Bar(classes="-tinted"), Remarks(), Reader()

    def compose(self) -> ComposeResult:
        yield self._bar
        yield self._remarks
        yield self._reader

    def on_mount(self) -> None:
        self.watch_shown()

    def on_resize(self) -> None:
        self._say()

    def on_descendant_focus(self) -> None:
        self._bar.here = True

    def on_descendant_blur(self) -> None:
        self._bar.here = self.has_focus_within

    def watch_shown(self) -> None:
        self._say()
        shown = self.shown
        self._reader.empty = [] if shown is None else [[], [("   There is nothing to read.", "dim")]]
        text = b"" if shown is None else _text(shown)
        self._reader.document = Document.of_json(text) if text else None

    def _say(self) -> None:
        """The outcome, or that there is none yet."""
        came = self.shown.came if self.shown else None
        self._remarks.pieces = []
        if came is not None:
            self._bar.after = [(f"   {size(came.response.size)}", "middle")] if came.response.size else ()
            self._bar.words = ended(came, self._bar.room)
            self._remarks.pieces = told(came, self._bar.room)
        elif self.shown is not None and self.shown.row is not None:
            draft = self.shown.row.draft
            self._bar.after = ()
            what = f"  a {kind_word(notification=draft.notification)}, not sent yet"
            self._bar.words = [(draft.method, "text bold"), (what, "middle")]
        else:
            self._bar.words = self._bar.after = ()

    def action_fold(self) -> None:
        self._reader.fold()


def _text(shown: BatchLine) -> bytes:
    """What came back as JSON, else what would be sent."""
    if isinstance(shown.came, Exchange):
        outcome = shown.came.outcome
        value = outcome.value if isinstance(outcome, Result | ErrorObject) else b""
        return value or shown.came.response.body
    return b"" if shown.row is None else (shown.row.draft.text.strip() or "[]").encode(errors="backslashreplace")
