"""What a form is a view of: a text that stands in an editor elsewhere, and what is known of the method."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from msgspec import Struct

from rpcexplorer.model.exchange import Preview, Refused
from rpcexplorer.model.method import By, Described
from rpcexplorer.model.problem import Checked


class FormSource(Struct, frozen=True):
    """The text is read and changed where it stands, so that leaving the form in any way loses nothing."""

    method: str
    described: Described
    by: By | None
    read: Callable[[], str]
    put: Callable[[str], object]
    """Another text, as one change that can be taken back."""
    undo: Callable[[], object]
    redo: Callable[[], object]
    is_valid: Callable[[], bool]
    """Whether the text can be sent: taking changes back may lead to one that cannot."""
    preview: Callable[[], Preview | Refused | None]
    """The request as it would go out."""
    check: Callable[[str], Awaitable[Checked]]
    """What the schema has against a text; it may take its time, and be cancelled."""
    cursor: int = 0
    """Where in the text the cursor stands when the form opens."""
