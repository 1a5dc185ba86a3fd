"""Imported calls as drafts: each becomes what stands in the editor of its method; nothing that was typed is lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from rpcexplorer.files.io import FileTrouble, decoded, read_bytes, told
from rpcexplorer.importing.request import ImportedCall
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.storage.drafts.drafts import Drafts
from rpcexplorer.storage.drafts.replaced import MOST, ReplacedDrafts

OF_ONE: Final = MOST // 2
"""Calls of one method: with more, what somebody typed would be pushed out of those that can be brought back."""
NOTHING: Final = frozenset({"", "[]", "{}"})
"""Params that nobody misses."""


class NewDrafts(Struct, frozen=True):
    """What became of calls."""

    drafts: tuple[ImportedCall, ...]
    left_out: int = 0
    """So many there were of methods that had enough."""
    replaced: tuple[str, ...] = ()
    """Methods whose params gave way, and can be brought back."""
    trouble: str = ""


class ImportedDrafts:
    """Puts calls into the drafts of a profile."""

    def __init__(self, drafts: Drafts, replaced: ReplacedDrafts) -> None:
        self._drafts, self._replaced = drafts, replaced

    def read(self, file: Path) -> tuple[str, str]:
        """The text of a file that this person named, and why there is none."""
        text = ""

        def reading() -> None:
            nonlocal text
            content = read_bytes(file, links=True, others=True)
            if content is None:
                raise FileTrouble(f"there is no file {file}")
            text = decoded(file, content)

        trouble = told(reading)
        return text, trouble

    def take_in(self, profile: Profile, calls: Sequence[ImportedCall], secrets: Iterable[Secret]) -> NewDrafts:
        """Put each into its place, the last of a method on top; ``secrets`` are hidden in the files."""
        known = [*secrets]
        counted = Counter[str]()
        taken: list[ImportedCall] = []
        replaced: dict[str, None] = {}
        trouble = ""
        for call in calls:
            counted[call.method] += 1
            if counted[call.method] > OF_ONE:
                continue
            text = call.params or "[]"
            before = self._drafts.find(profile.name, call.method)
            if before is not None and before != text and before.strip() not in NOTHING:
                trouble = self._replaced.keep(profile, call.method, before, known) or trouble
                replaced[call.method] = None
            trouble = self._drafts.keep_typed(profile, call.method, text, known) or trouble
            taken.append(call)
        return NewDrafts((*taken,), len(calls) - len(taken), (*replaced,), trouble)
