"""Which calls of a history go for good when it is pruned; nothing is removed here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path

from msgspec import Struct, field

from rpcexplorer.model.exchange import Exchange
from rpcexplorer.storage.history.blocks import dated, read_block
from rpcexplorer.storage.history.merging import RawBlock


class Prune(Struct):
    """What is not among the newest ``keep``, or is older than ``before``, of one profile or all."""

    keep: int | None
    before: datetime | None
    profile: str | None
    doomed: set[bytes] = field(default_factory=set)
    """The fingerprints of what goes."""
    writers: set[str] = field(default_factory=set)
    """In whose files that is."""
    unread: set[Path] = field(default_factory=set)
    """Files that cannot be read, and stay as they are."""

    def look_through(self, blocks: Iterable[RawBlock], may_go: Callable[[RawBlock], bool]) -> None:
        """Decide of each block, the newest first; what may not go is not counted either."""
        kept = 0
        for block in blocks:
            if not block.raw:
                self.unread.add(block.file)
            moment, its_profile = _dated(block)
            if moment is None or self.profile not in {None, its_profile} or not may_go(block):
                continue
            if (self.keep is not None and kept >= self.keep) or (self.before is not None and moment < self.before):
                self.doomed.add(fingerprint(block.raw))
                self.writers.add(block.writer)
            else:
                kept += 1


def _dated(block: RawBlock) -> tuple[datetime | None, str]:
    """When and on which profile a call was made; no moment where nobody can say."""
    if block.harm:
        return None, ""
    if own := dated(block.raw):
        return own
    found = read_block(block.raw)
    return (found.when, found.profile) if isinstance(found, Exchange) else (None, "")


def fingerprint(raw: bytes) -> bytes:
    """What a block is known by, blank lines around it aside: ids can be given by hand, and given twice."""
    from hashlib import blake2b  # it loads OpenSSL, and few commands change anything

    return blake2b(raw.strip(), digest_size=16).digest()
