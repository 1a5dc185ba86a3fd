"""What somebody looks for in the history, as one value; and which exchanges have it.

How a history on disk is searched without reading all of it is the storage's business: it asks this value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final

from msgspec import Struct

from rpcexplorer.model.exchange import NAMES, Damaged, Exchange, OutcomeName

OUTCOMES: Final[tuple[OutcomeName, ...]] = tuple(name for name in NAMES.values() if name != "refused")
"""What a recorded exchange can have come to: a refusal never is one."""

_WORD: Final = re.compile(r'(?:(outcome|method|profile):)?(?:"([^"]*)"?|(\S*))', re.IGNORECASE)
"""A word of a typed filter, with the kind in front of it where there is one; quotes hold several words together."""


class HistoryFilter(Struct, frozen=True, dict=True):
    """Each part that is given must be there; case does not count, but in ``profile`` and ``method``."""

    text: str = ""
    """Stands anywhere."""
    words: tuple[str, ...] = ()
    """Each stands anywhere but in the profile and the URL, which many calls have in common."""
    profile: str | None = None
    """The whole name; None: whichever."""
    method: str | None = None
    outcome: str = ""
    """How the outcome's name begins."""
    in_profile: str = ""
    """Stands in the profile's name."""
    in_method: str = ""

    @classmethod
    def of(cls, typed: str, profile: str | None = None) -> HistoryFilter:
        """Read a filter: ``outcome:error method:user ada "two words"``. Any other ``foo:`` is text like the rest.

        Whoever types ``profile:`` looks beyond the one ``profile`` that it would be about.
        """
        words, kinds = [], {"outcome": "", "method": "", "profile": ""}
        for found in _WORD.finditer(typed):
            word = (found[2] or found[3] or "").casefold()
            if found[1]:
                kinds[found[1].lower()] = word
            elif word:
                words.append(word)
        in_profile = kinds["profile"]
        return cls(
            words=tuple(words),
            profile=None if in_profile else profile,
            outcome=kinds["outcome"],
            in_profile=in_profile,
            in_method=kinds["method"],
        )

    @cached_property
    def outcomes(self) -> tuple[OutcomeName, ...]:
        """The outcomes that are meant; none where there is none of that name."""
        return tuple(name for name in OUTCOMES if name.startswith(self.outcome))

    def matches(self, found: Exchange | Damaged) -> bool:
        """Whether this is one of those that are looked for.

        Of a damaged record only its text can be known, and of a file that cannot be read nothing: damage is shown.
        """
        if isinstance(found, Damaged):
            only_text = self == HistoryFilter(self.text, self.words)
            return not found.text or (only_text and _all_in((self.text, *self.words), found.text))
        return (
            self.profile in {None, found.profile}
            and self.method in {None, found.method}
            and found.outcome_name in self.outcomes
            and self.in_profile.casefold() in found.profile.casefold()
            and self.in_method.casefold() in found.method.casefold()
            and (not self.text or _all_in((self.text,), found.profile, found.url, *_texts(found)))
            and (not self.words or _all_in(self.words, *_texts(found)))
        )


def _texts(exchange: Exchange) -> Iterator[str]:
    """What was asked and what came of it, and what a person noted."""
    yield from (exchange.id, exchange.method, exchange.params, exchange.name, exchange.note)
    yield exchange.params_sent or ""
    yield from (getattr(exchange.outcome, name, "") for name in ("message", "reason", "sentence"))
    yield from (f"{name}: {value}" for name, value in exchange.response.headers)
    yield exchange.response.body.decode(errors="replace")


def _all_in(words: Iterable[str], *texts: str) -> bool:
    folded = [text.casefold() for text in texts]
    return all(any(word.casefold() in text for text in folded) for word in words)
