"""The calls that somebody collects for one body: added, put in another order, taken out, and what came of each.

Each change gives another value; what it is written down as is the text of a batch, which ``collected`` reads back.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.jsontext.scan import elements, members
from rpcexplorer.jsontext.typed.params import Problem
from rpcexplorer.model.batches.parts import BatchParts
from rpcexplorer.model.draft import MARK, Batch, Draft, spelled, to_calls
from rpcexplorer.model.exchange import Exchange


class BatchRow(Struct, frozen=True):
    """One call of it."""

    draft: Draft
    id: str = ""
    """An id of its own; empty where its place in the batch gives it one."""
    came: Exchange | None = None
    """What came of it when the batch was sent last; None where it has changed since, or was never sent."""


class CollectedCalls(Struct, frozen=True):
    """Calls in the order in which they are sent."""

    rows: tuple[BatchRow, ...] = ()
    sent: Exchange | None = None
    """The whole, as it was sent last."""
    unexpected: tuple[Exchange, ...] = ()
    """What came then beyond the replies to these calls."""

    @property
    def text(self) -> str:
        """All of it as the text of a batch, a call a line; params as they were typed. Empty where there is none."""
        lines = ",\n".join(f"  {_spelled(row)}" for row in self.rows)
        return f"[\n{lines}\n]" if lines else ""

    def added(self, draft: Draft) -> CollectedCalls:
        return replace(self, rows=(*self.rows, BatchRow(draft)))

    def mended(self, at: int, draft: Draft) -> CollectedCalls:
        """Other params in the place of a call; a notification stays one, and an id of its own stays."""
        row = self.rows[at]
        draft = replace(draft, notification=row.draft.notification)
        return self if draft == row.draft else self._with(at, replace(row, draft=draft, came=None))

    def place_of(self, draft: Draft | None) -> int | None:
        """Where a call of it stands by now: this very one, else the only one that reads the same; None if nowhere."""
        same = [at for at, row in enumerate(self.rows) if draft and _reads(row.draft) == _reads(draft)]
        very = [at for at in same if self.rows[at].draft is draft]
        return very[0] if very else same[0] if len(same) == 1 else None

    def without(self, at: int) -> CollectedCalls:
        return replace(self, rows=self.rows[:at] + self.rows[at + 1 :])

    def moved(self, at: int, by: int) -> CollectedCalls:
        """A call changes places with the one above or below; the first and the last go no further."""
        to = at + by
        if not (0 <= at < len(self.rows) and 0 <= to < len(self.rows)):
            return self
        rows = list(self.rows)
        rows[at], rows[to] = rows[to], rows[at]
        return replace(self, rows=tuple(rows))

    def toggled(self, at: int) -> CollectedCalls:
        """A call becomes a notification, or one a call; what came of it before came of something else."""
        row = self.rows[at]
        draft = replace(row.draft, notification=not row.draft.notification)
        return self._with(at, replace(row, draft=draft, came=None))

    def came(self, exchange: Exchange, parts: BatchParts) -> CollectedCalls:
        """What was sent has ended; the calls are those that were sent."""
        if len(parts.calls) != len(self.rows):
            return replace(self, sent=exchange, unexpected=())
        rows = tuple(replace(row, came=part) for row, part in zip(self.rows, parts.calls, strict=True))
        return CollectedCalls(rows, exchange, parts.unexpected)

    def _with(self, at: int, row: BatchRow) -> CollectedCalls:
        return replace(self, rows=(*self.rows[:at], row, *self.rows[at + 1 :]))


def _reads(draft: Draft) -> tuple[str, str]:
    return draft.method, draft.text


def _spelled(row: BatchRow) -> str:
    params = row.draft.text.strip().removeprefix(MARK).strip() or "[]"
    id = ', "id": null' if row.draft.notification else f', "id": {spelled(row.id)}' if row.id else ""
    return f'{{"method": {spelled(row.draft.method)}, "params": {params}{id}}}'


def collected(text: str) -> CollectedCalls | Problem:
    """The calls in the text of a batch, or what is wrong with it; no text is no calls."""
    if not text.strip():
        return CollectedCalls()
    calls = to_calls(Batch(text), "")
    if isinstance(calls, Problem):
        return calls
    spans = elements(text, int(text.startswith(MARK))) or ()
    rows = (
        BatchRow(
            Draft(call.method, _params(text[slice(*span)]), notification=call.id is None),
            "" if call.id is None or call.id == f".{number}" else call.id,
        )
        for number, (span, call) in enumerate(zip(spans, calls, strict=True), start=1)
    )
    return CollectedCalls(tuple(rows))


def _params(call: str) -> str:
    """The params of a call as they stand in its text; of two the last, which is the one that counts."""
    found = [call[slice(*each.value)] for each in members(call) or () if each.name == "params"]
    return found[-1] if found else ""
