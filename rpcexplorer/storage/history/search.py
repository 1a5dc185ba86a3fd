"""What a person looks for in the history: which exchanges have it, and which stretches of a file need not be read.

A megabyte of blocks is looked through in the time in which thirty of them are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from msgspec import Struct

from rpcexplorer.model.exchange import Damaged, Exchange
from rpcexplorer.storage.history.blockfile import split
from rpcexplorer.storage.history.blocks import all_untouched, quoted, untouched
from rpcexplorer.storage.history.records import BASE64

PACKED = f"{BASE64} = ".encode()
IN_CALL = frozenset(b"id method params message reason headers reply name note".split())
"""The keys under which is written down what was asked and what came of it."""
ANYWHERE = IN_CALL | {b"profile", b"url"}
FOLDED_TO_ASCII = tuple(character.encode() for character in "ßİŉſǰẖẗẘẙẚẞ\u212aﬀﬁﬂﬃﬄﬅﬆ")
"""All characters but the letters of ASCII that are letters of ASCII, some of them, where case does not count."""


class Sought(Struct, frozen=True, dict=True):
    """Texts that must all be there, whatever their case, and values that must be exactly these."""

    text: str = ""
    """Stands anywhere."""
    words: tuple[str, ...] = ()
    """Each stands anywhere but in the profile and the URL, which many calls have in common."""
    profile: str | None = None
    method: str | None = None
    outcome: str | None = None
    in_profile: str = ""
    """Stands in the profile's name."""
    in_method: str = ""

    def among(self, stretch: bytes) -> list[bytes]:
        """The blocks of a stretch that may have it; much quicker to say than by reading them.

        Only blocks as we spelled them can be judged so: whoever edits by hand is free to write A as an escape.
        """
        if all_untouched(stretch):
            return [raw for raw in split(stretch) if self._may_be_in(raw)] if self._may_be_in(stretch) else []
        return [raw for raw in split(stretch) if (own := untouched(raw)) is None or self._may_be_in(b"\n" + own)]

    def is_in(self, found: Exchange | Damaged) -> bool:
        """Whether the exchange has it all. Of a damaged record only its text can be known."""
        if isinstance(found, Damaged):
            return self == Sought(self.text, self.words) and _all_in((self.text, *self.words), found.text)
        has = {"profile": found.profile, "method": found.method, "outcome": found.outcome_name}
        return (
            all(has[key] == value for key, value in self._exact())
            and _all_in((self.in_profile,), found.profile)
            and _all_in((self.in_method,), found.method)
            and _all_in((self.text,), found.profile, found.url, *_texts(found))
            and _all_in(self.words, *_texts(found))
        )

    def _exact(self) -> list[tuple[str, str]]:
        wanted = (("profile", self.profile), ("method", self.method), ("outcome", self.outcome))
        return [(key, value) for key, value in wanted if value is not None]

    # --- as it is spelled in a file ----------------------------------------------------------------------------

    def _may_be_in(self, own: bytes) -> bool:
        """False where nothing can have it that we spelled."""
        if PACKED in own:
            return True
        if not all(line in own for line in self._lines):
            return False
        folded = self._folded(own) if self._needles else b""
        return all(_stands_in(folded, needle, keys) for needle, keys in self._needles)

    @cached_property
    def _lines(self) -> list[bytes]:
        """The lines of a block that must be these; what is empty has none."""
        return [f"\n{key} = {quoted(value)}\n".encode() for key, value in self._exact() if value]

    @cached_property
    def _needles(self) -> list[tuple[bytes, frozenset[bytes]]]:
        """What must stand in a line, and the keys of the lines in which it may."""
        wanted = [(self.text, ANYWHERE), *((word, IN_CALL) for word in self.words)]
        wanted += [(self.in_profile, frozenset({b"profile"})), (self.in_method, frozenset({b"method"}))]
        return [(quoted(text)[1:-1].casefold().encode(), keys) for text, keys in wanted if text]

    @cached_property
    def _plain(self) -> bool:
        return all(needle.isascii() for needle, _ in self._needles)

    def _folded(self, stretch: bytes) -> bytes:
        """The stretch without its upper case; ten times as quick where nothing but letters of ASCII can be meant."""
        if stretch.isascii() or (self._plain and not any(one in stretch for one in FOLDED_TO_ASCII)):
            return stretch.lower()
        return stretch.decode(errors="replace").casefold().encode()


def _texts(exchange: Exchange) -> Iterator[str]:
    """What was asked and what came of it, and what a person noted."""
    yield from (exchange.id, exchange.method, exchange.params, exchange.name, exchange.note)
    yield from (getattr(exchange.outcome, name, "") for name in ("message", "reason", "sentence"))
    yield from (f"{name}: {value}" for name, value in exchange.response.headers)
    yield exchange.response.body.decode(errors="replace")


def _all_in(words: Iterable[str], *texts: str) -> bool:
    wanted = [word.casefold() for word in words if word]
    folded = [text.casefold() for text in texts] if wanted else []
    return all(any(word in text for text in folded) for word in wanted)


def _stands_in(folded: bytes, needle: bytes, keys: Iterable[bytes]) -> bool:
    """Whether it stands in the value of a line with one of these keys."""
    at = folded.find(needle)
    while at >= 0:
        line = folded.rfind(b"\n", 0, at) + 1
        value = folded.find(b" = ", line) + len(b" = ")
        if at < value:  # in a key, or a line that has none
            at = folded.find(needle, value)
        elif folded[line : value - len(b" = ")] in keys:
            return True
        else:
            at = folded.find(needle, folded.find(b"\n", at))
    return False
