"""Drafts that gave way to another call: for each method of each profile the last few, until they are brought back."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.storage.drafts.drafts import Drafts

MOST: Final = 20
"""So many are kept of one method."""


class ReplacedDrafts:
    """Each list of texts, the newest last, lies in a file like that of a draft."""

    def __init__(self, folder: Path) -> None:
        self._files = Drafts(folder)
        self._lists: dict[tuple[str, str], list[str]] = {}
        """What this run knows."""
        self.recorded: dict[tuple[str, str], str] = {}
        """What came into an editor from the history, where it can be had again."""

    def of(self, profile: Profile, method: str) -> list[str]:
        """The texts that can be brought back, the newest last."""
        key = (profile.name, method)
        if key not in self._lists:
            self._lists[key] = _texts(None if profile.ad_hoc else self._files.find(*key))
        return list(self._lists[key])

    def keep(self, profile: Profile, method: str, text: str, secrets: Iterable[Secret]) -> str:
        """Keep a text that gives way to another one; a sentence where this run alone will know it, else empty."""
        return self._settle(
            profile, method, [*(each for each in self.of(profile, method) if each != text), text], secrets
        )

    def bring_back(self, profile: Profile, method: str, now: str, secrets: Iterable[Secret]) -> tuple[str, str]:
        """Take the newest text, and the trouble with it. What stands there ``now`` is the last one to come back then.

        So whoever goes on finds each of them, and loses none. Nothing is kept where ``now`` is empty.
        """
        *others, text = self.of(profile, method)
        rest = [each for each in others if each != now]
        return text, self._settle(profile, method, [now, *rest] if now else rest, secrets)

    def _settle(self, profile: Profile, method: str, texts: list[str], secrets: Iterable[Secret]) -> str:
        from rpcexplorer.redaction.exchange import redactor_for_files

        texts = texts[-MOST:]
        self._lists[profile.name, method] = texts
        hide = redactor_for_files(profile, method, secrets)
        if hide is None:
            return ""
        if not texts:
            return self._files.forget(profile.name, method)
        return self._files.keep(profile.name, method, json.dumps([hide.params(text) for text in texts]))


def _texts(content: str | None) -> list[str]:
    with suppress(ValueError, RecursionError):
        found = json.loads(content or "[]")
        return [text for text in found if isinstance(text, str)] if isinstance(found, list) else []
    return []
