"""What somebody looks for in the history, as one value; and which exchanges have it.

How a history on disk is searched without reading all of it is the storage's business: it asks this value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import cached_property
from typing import Any, Final

from msgspec import Struct

from rpcexplorer.model.exchange import FAILED, NAMES, Damaged, Exchange, OutcomeName
from rpcexplorer.model.history.bounds import BOUNDS, NO_BOUNDS, Bounds

OUTCOMES: Final[tuple[OutcomeName, ...]] = tuple(name for name in NAMES.values() if name != "refused")
"""What a recorded exchange can have come to: a refusal never is one."""
_GROUPS: Final[dict[str, tuple[OutcomeName, ...]]] = {"failed": FAILED}
OUTCOME_WORDS: Final = (*OUTCOMES, *_GROUPS)
"""What can be asked for."""

YOU: Final = "you"
"""Who has recorded a call that nobody else has."""

_KIND: Final = f"(outcome|method|profile|by|{'|'.join(BOUNDS)}):"
_WORD: Final = re.compile(rf'(?:{_KIND})?(?:"([^"]*)"?|(\S*))', re.IGNORECASE)
"""A word of a typed filter, with the kind in front of it where there is one; quotes hold several words together."""
_WORD_IN_TEXT: Final = re.compile(rf'(?<!\S)(?:{_KIND}(?:"([^"]*)"|(\S+))|"({_KIND}[^"]*)")(?!\S)', re.IGNORECASE)
"""The same among a text that is meant as it stands; what looks like one and is meant too is put in quotes."""


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
    """How the names of outcomes begin, with blanks between them: each of them is meant."""
    named_profile: str = ""
    """The whole name, as it was typed."""
    in_profile: str = ""
    """Stands in the profile's name."""
    in_method: str = ""
    by: str = ""
    """Stands in the name of who has recorded it; that is ``you`` where it is nobody else."""
    bounds: Bounds = NO_BOUNDS

    @classmethod
    def of(cls, typed: str, profile: str | None = None, *, now: datetime) -> HistoryFilter:
        """Read a filter: ``outcome:error method:user since:2h ada "two words"``. Any other ``foo:`` is text.

        ``method:=user.get`` is the whole name, ``profile:=shop`` as well.

        Whoever types ``profile:`` looks beyond the one ``profile`` that it would be about. ``now`` is what a clock
        shows where that person lives; without a zone it is the machine's own.
        """
        words, kinds = [], dict[str, str]()
        for found in _WORD.finditer(typed):
            word = found[2] or found[3] or ""
            if found[1]:
                _add(kinds, found[1].lower(), word)
            elif word:
                words.append(word.casefold())
        return cls(words=tuple(words), **_narrowed(kinds, profile, now))

    @classmethod
    def around(cls, typed: str, profile: str | None = None, *, now: datetime) -> HistoryFilter:
        """Read a text that is looked for as it stands, with words of a filter before, behind and between."""
        kinds = dict[str, str]()

        def taken(found: re.Match[str]) -> str:
            if found[1]:
                _add(kinds, found[1].lower(), found[2] or found[3] or "")
            return found[4] or ""

        text = _WORD_IN_TEXT.sub(taken, typed)
        return cls(text if text == typed else " ".join(text.split()), **_narrowed(kinds, profile, now))

    @cached_property
    def outcomes(self) -> tuple[OutcomeName, ...]:
        """The outcomes that are meant; none where there is none of one of the names."""
        if self._no_outcome:
            return ()
        begun = tuple(self.outcome.split()) or ("",)
        grouped = {name for word, names in _GROUPS.items() if word.startswith(begun) for name in names}
        return tuple(name for name in OUTCOMES if name.startswith(begun) or name in grouped)

    @property
    def _no_outcome(self) -> str:
        """The first of the names that none has."""
        words = self.outcome.split()
        return next((word for word in words if not any(each.startswith(word) for each in OUTCOME_WORDS)), "")

    @property
    def wrong(self) -> tuple[str, ...]:
        """What of it cannot be read, each with what to write instead; then nothing is found."""
        if not self._no_outcome:
            return self.bounds.wrong
        return (f"there is no outcome {self._no_outcome}, but {', '.join(OUTCOME_WORDS)}", *self.bounds.wrong)

    def matches(self, found: Exchange | Damaged) -> bool:
        """Whether this is one of those that are looked for.

        Of a damaged record only its text can be known, and of a file that cannot be read nothing: damage is shown.
        """
        if isinstance(found, Damaged):
            only_text = self == HistoryFilter(self.text, self.words)
            return not found.text or (only_text and _all_in((self.text, *self.words), found.text))
        return (
            self.profile in {None, found.profile}
            and self.named_profile in {"", found.profile}
            and self.method in {None, found.method}
            and found.counts_as in self.outcomes
            and self.bounds.hold(found)
            and self.in_profile.casefold() in found.profile.casefold()
            and self.in_method.casefold() in found.method.casefold()
            and self.by.casefold() in (found.writer or YOU).casefold()
            and (not self.text or _all_in((self.text,), found.profile, found.url, *_texts(found)))
            and (not self.words or _all_in(self.words, *_texts(found)))
        )


def _add(kinds: dict[str, str], kind: str, word: str) -> None:
    """Of two words of one kind the last counts; but each outcome is meant that is named."""
    kinds[kind] = f"{kinds.get(kind, '')} {word}".strip() if kind == "outcome" else word


def narrowed(typed: str, words: str) -> str:
    """A filter for less than what is typed: words of the same kinds give way to the new ones."""
    kinds = {found[1].lower() for found in _WORD.finditer(words) if found[1]}
    rest = [found[0] for found in _WORD.finditer(typed) if found[0] and (found[1] or "").lower() not in kinds]
    return " ".join([*rest, words])


def _narrowed(kinds: Mapping[str, str], profile: str | None, now: datetime) -> dict[str, Any]:
    """The parts of a filter that were given by their kinds."""
    named_profile, in_profile = _whole_or_part(kinds.get("profile", ""))
    method, in_method = _whole_or_part(kinds.get("method", ""))
    return {
        "profile": None if named_profile or in_profile else profile,
        "method": method or None,
        "outcome": kinds.get("outcome", "").casefold(),
        "named_profile": named_profile,
        "in_profile": in_profile,
        "in_method": in_method,
        "by": kinds.get("by", "").casefold(),
        "bounds": Bounds.of({kind: kinds[kind] for kind in BOUNDS if kind in kinds}, now),
    }


def _whole_or_part(word: str) -> tuple[str, str]:
    """The whole of a name, to the letter, or what stands in it."""
    return (word[1:], "") if word.startswith("=") else ("", word.casefold())


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
