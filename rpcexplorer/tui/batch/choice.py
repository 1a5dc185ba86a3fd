"""What somebody wants to have in the editor, once the batch is closed."""

from __future__ import annotations

from msgspec import Struct

from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Exchange


class BatchChoice(Struct, frozen=True):
    """A call of the batch."""

    draft: Draft
    came: Exchange | None
    """What came of it; None where it has not been sent like this."""
