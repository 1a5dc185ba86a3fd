"""The calls that are collected for one body, for each profile: a text like that of a draft, kept over the end of a run.

What came of each call is known for this run; for good it stands in the history, with the batch as it was sent.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from rpcexplorer.jsontext.params import Problem
from rpcexplorer.model.batch import CollectedCalls, collected
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.storage.drafts.drafts import Drafts
from rpcexplorer.storage.drafts.replaced import ReplacedDrafts

KEY: Final = "the batch"
"""Where another draft has its method; a folder of their own keeps the two apart."""


class CollectedBatches:
    """One batch for each profile. What is taken out of one can be had back."""

    def __init__(self, folder: Path) -> None:
        self._files = Drafts(folder)
        self._replaced = ReplacedDrafts(folder / "replaced")
        self._known: dict[str, CollectedCalls] = {}
        self._before: dict[str, CollectedCalls] = {}
        """Batches that gave way in this run, by their text: what came of them comes back with them."""

    def of(self, profile: Profile) -> CollectedCalls:
        if profile.name not in self._known:
            found = collected("" if profile.ad_hoc else self._files.find(profile.name, KEY) or "")
            self._known[profile.name] = CollectedCalls() if isinstance(found, Problem) else found
        return self._known[profile.name]

    def keep(self, profile: Profile, batch: CollectedCalls, secrets: Iterable[Secret]) -> str:
        """From now on this is the batch; a sentence where this run alone will know it, else empty."""
        is_new = batch.text != self.of(profile).text
        self._known[profile.name] = batch
        if not is_new:
            return ""
        if not batch.text:
            return self._files.forget(profile.name, KEY)
        trouble = self._files.keep_typed(profile, KEY, batch.text, secrets)
        return trouble or self._files.other

    def replace(self, profile: Profile, batch: CollectedCalls, secrets: Iterable[Secret]) -> str:
        """The same, and what is the batch until now can be had back."""
        secrets, before = list(secrets), self.of(profile)
        self._before[before.text] = before
        is_missed = before.text and before.text != batch.text
        trouble = self._replaced.keep(profile, KEY, before.text, secrets) if is_missed else ""
        return self.keep(profile, batch, secrets) or trouble

    def has_replaced(self, profile: Profile) -> bool:
        return bool(self._replaced.of(profile, KEY))

    def bring_back(self, profile: Profile, secrets: Iterable[Secret]) -> str:
        """Take the batch that gave way last; what stands there now is the last one to come back then."""
        secrets, now = list(secrets), self.of(profile)
        self._before[now.text] = now
        text, trouble = self._replaced.bring_back(profile, KEY, now.text, secrets)
        found = self._before.get(text) or collected(text)
        return trouble if isinstance(found, Problem) else self.keep(profile, found, secrets) or trouble
