"""Replaces secrets in text, bodies and headers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from heapq import merge
from typing import Final

from rpcexplorer.jsontext.scan import decoded, is_value
from rpcexplorer.model.secret import HIDDEN, UNRECORDED, Secret
from rpcexplorer.redaction.addresses import places
from rpcexplorer.redaction.edits import Edit, edited, inside_tokens, outside
from rpcexplorer.redaction.headers import holds_secret, secrets
from rpcexplorer.redaction.matching.escapes import has_escapes, unescaped
from rpcexplorer.redaction.matching.matcher import Matcher, Occurrence, Pattern
from rpcexplorer.redaction.matching.prefilter import Prefilter
from rpcexplorer.redaction.matching.spellings import spellings, written
from rpcexplorer.redaction.member_values import Value, keys, plain_keys, value_after
from rpcexplorer.redaction.secret_names import STEMS, TEXT, WHOLE, squashed

SHORTEST: Final = 6
"""Characters; what is shorter turns up by chance, so that it is hidden by position only."""
MARGIN: Final = 4 * 1024
"""Characters that the key of a member takes at most, with what stands between it and its value."""
LONGEST_CHARACTER: Final = 32
"""Characters in which one of a secret is spelled at most, escaped and quoted a few times."""
MATCHERS: Final = 16
"""So many are kept, each for the secrets that may stand in some text."""
_WORD = re.compile(r"[A-Za-z0-9]+")
_GUILLEMETS = re.compile("«[^«»]*»")
_NO_SECRET = re.compile(r"null|true|false|[\[{]\s*+[\]}]|")
"""What holds nothing, whatever it is called."""


def _turns_up(secret: Secret) -> bool:
    """Whether its value stands in texts by chance: it is short, or everybody is told it as the profile's name."""
    return len(secret.reveal()) < SHORTEST or secret.reveal() == secret.label.rpartition(".")[0]


class Redactor:
    """Knows everything that is to be hidden; made once for many texts."""

    def __init__(
        self,
        secrets: Iterable[Secret],
        members: Mapping[str, str] | None = None,
        *,
        profile: str = "",
        places: Iterable[str] = (),
        guesses: bool = False,
    ) -> None:
        """Hide ``secrets`` by value; of those with one label, the last is the one that its placeholder opens.

        By position: whatever stands behind ``members``, each with what is put there; short secrets behind ``places``
        and keys that are named like a secret; and with ``guesses`` anything behind the latter. ``profile`` is the
        one in use, whose label is taken where several have the same value.
        """
        given = [secret for secret in secrets if secret]
        self._opens = {each.placeholder: each.reveal() for each in given if each.label.rpartition(".")[0] == profile}
        """What can be sent again, as a whole JSON string."""
        self._named = self._by_value(given)
        self._short = {secret.reveal(): secret.label for secret in given if _turns_up(secret)}
        self._values = {value: put for value, put in self._named.items() if value not in self._short}
        self.guesses = guesses
        self._by_name = guesses or bool(self._short)
        self._members = {
            name: put
            for name, put in (dict.fromkeys(places if self._short else (), "") | dict(members or {})).items()
            if name
        }
        self._prefilter = Prefilter(self._values, (*self._members, *(STEMS if self._by_name else ())))
        self._matchers: dict[tuple[str, ...], Matcher] = {}

    def _by_value(self, given: Iterable[Secret]) -> dict[str, str]:
        """What is put for each value: rather what can be sent again, and rather a profile's name than a variable's."""

        def rank(secret: Secret) -> tuple[bool, bool, bool]:
            opened = self._opens.get(secret.placeholder)
            return opened == secret.reveal(), opened is not None, "." in secret.label

        return {secret.reveal(): secret.placeholder for secret in sorted(given, key=rank)}

    @property
    def short(self) -> tuple[str, ...]:
        """Labels of the secrets that are too short to be hidden by value."""
        return tuple(dict.fromkeys(self._short.values()))

    def text(self, text: str) -> str:
        """JSON or any text without the secrets. Doing it twice changes nothing more."""
        if not self.may_be_in(text.encode("utf-8", "surrogatepass")):
            return text
        return edited(text, self.edits(text))

    def params(self, text: str) -> str:
        """Like ``text``, of what can be sent again: a placeholder stands for what it opens, a mark for the rest."""
        if not self.may_be_in(text.encode("utf-8", "surrogatepass")):
            return text
        return edited(text, (Edit(at, end, self._sendable(text[at:end], put)) for at, end, put in self.edits(text)))

    def header(self, name: str, value: str) -> str:
        """The value of an HTTP header, of which more names hold a secret than of members (`headers.py`)."""
        if value in self._named and holds_secret(name):
            return self._named[value]
        if not self.guesses:
            return self.text(value)
        if value and not HIDDEN.fullmatch(value) and holds_secret(name):
            return UNRECORDED
        value = self.text(value)
        return edited(value, secrets(value))

    def _sendable(self, was: str, put: str) -> str:
        """What is put in the place of something, where it may be opened again."""
        placeholder = _GUILLEMETS.search(put)
        if placeholder is None or put == was:
            return put
        value = self._opens.get(placeholder[0])
        is_string = was[:1] == '"' or put[:1] != '"'  # else a number, which would come back as a text
        if is_string and value is not None and value in {was, decoded(was if was[:1] == '"' else f'"{was}"')}:
            return put
        return put.replace(placeholder[0], UNRECORDED)

    def edits(self, text: str) -> list[Edit]:
        settled, secrets = self._found(text)
        pieces = list(outside(settled, secrets))
        if pieces and is_value(text):
            pieces = list(inside_tokens(text, pieces))
        return sorted([*settled, *pieces])

    def body(self, body: bytes) -> bytes:
        """Like ``text``, for bytes, which need not be UTF-8."""
        if not self.may_be_in(body):
            return body
        text = body.decode("utf-8", "surrogateescape")
        return self.text(text).encode("utf-8", "surrogateescape")

    def may_be_in(self, body: bytes) -> bool:
        """Whether there could be anything to hide; takes a fraction of the time."""
        return self._prefilter.matches(body) or (self.guesses and any(places(body.decode("latin-1"))))

    def may_be_in_steps(self, body: bytes) -> Iterator[bool]:
        """Like ``may_be_in``, in steps."""
        yield from self._prefilter.matches_in_steps(body)
        if self.guesses:
            yield any(places(body.decode("latin-1")))

    @cached_property
    def margin(self) -> int:
        """Characters on either side of a place in a text that tell what goes across it."""
        return MARGIN + LONGEST_CHARACTER * max(map(len, self._values), default=0)

    def goes_across(self, text: str, at: int) -> bool:
        """Whether a secret or a member that is to be hidden begins before a place in a text and ends behind it."""
        for seen in self._occurrences(text):
            edit = None if seen.kind == "secret" else self._settled(text, seen)
            if seen.start < at < max(seen.end, edit.end if edit else 0):
                return True
        return False

    def places(self, text: str) -> Iterator[tuple[int, str]]:
        """Where something would be hidden, and the placeholder that would be put there."""
        settled, secrets = self._found(text)
        hidden = (edit for edit in settled if text[edit.start : edit.end] != edit.put)
        yield from ((edit.start, edit.put) for edit in sorted([*hidden, *outside(settled, secrets)]))

    def _found(self, text: str) -> tuple[list[Edit], list[Edit]]:
        """What is settled by position, and the secrets as they overlap; each in order."""
        settled: list[Edit] = []
        secrets: list[Edit] = []
        for occurrence in self._occurrences(text):
            start, end, kind, put = occurrence
            if kind == "secret":
                if secrets and start < secrets[-1].end:
                    start, before_end, put = secrets.pop()
                    end = max(end, before_end)
                secrets.append(Edit(start, end, put))
            elif (not settled or start >= settled[-1].end) and (edit := self._settled(text, occurrence)):
                settled.append(edit)
        return settled, secrets

    def _occurrences(self, text: str) -> Iterator[Occurrence]:
        """Whatever is found, in order; also where letters and digits are spelled as escapes."""
        if not has_escapes(text.encode("utf-8", "surrogatepass")):
            return self._seen_in(text)
        others = (map(read.in_original, self._seen_in(read.text)) for read in unescaped(text))
        return merge(self._seen_in(text), *others)

    def _seen_in(self, text: str) -> Iterator[Occurrence]:
        found = self._matcher_for(text).occurrences(text)
        named = self._named_like_secrets(text) if self._by_name else ()
        addressed = (Occurrence(at.start, at.end, "address", "") for at in places(text)) if self.guesses else ()
        return merge(found, named, addressed)

    def _named_like_secrets(self, text: str) -> Iterator[Occurrence]:
        put = UNRECORDED if self.guesses else ""
        for start, end, name in plain_keys(text):
            small = squashed(name)
            if WHOLE.fullmatch(small):
                yield Occurrence(start, end, "whole", put)
            elif TEXT.fullmatch(small):
                yield Occurrence(start, end, "text", put)

    def _matcher_for(self, text: str) -> Matcher:
        """One for what may be in a text: most hold nothing, and to make it takes milliseconds for each secret."""
        among = self._prefilter.among(text.encode("utf-8", "surrogatepass"))
        puts = tuple(put for put, word in self._placeholders.items() if word in text)
        matcher = self._matchers.get((*among, "", *puts))
        if matcher is None:
            if len(self._matchers) == MATCHERS:
                self._matchers.clear()
            matcher = self._matchers[*among, "", *puts] = Matcher(self._patterns(among, puts))
        return matcher

    @cached_property
    def _placeholders(self) -> dict[str, str]:
        """What stays as it is, also where a part of it is a secret, and its longest word, by which it is found."""
        puts = (*self._named.values(), *filter(None, self._members.values()), UNRECORDED)
        return {put: max(_WORD.findall(put), key=len, default="") for put in puts}

    def _patterns(self, values: Iterable[str], puts: Iterable[str]) -> Iterator[Pattern]:
        for name, put in self._members.items():
            yield from (Pattern("key", put, spelling) for spelling in keys(name))
        for put in puts:
            yield from (Pattern("placeholder", put, spelling) for spelling in written(put))
        for value in values:
            yield from (Pattern("secret", self._values[value], spelling) for spelling in spellings(value))

    def _settled(self, text: str, seen: Occurrence) -> Edit | None:
        """A placeholder kept, or the value of a member hidden; None where neither is called for."""
        if seen.kind == "placeholder":
            return Edit(seen.start, seen.end, text[seen.start : seen.end])
        if seen.kind == "address":
            known = text[seen.start : seen.end] in self._values
            return None if known else Edit(seen.start, seen.end, UNRECORDED)
        value = value_after(text, seen.start, seen.end)
        if value is None or (value.inner and HIDDEN.fullmatch(value.inner)):
            return None
        put = self._put_for(text, value, seen)
        return Edit(value.start, value.end, value.quote + put + value.quote) if put else None

    def _put_for(self, text: str, value: Value, seen: Occurrence) -> str:
        """What is put in the place of a member's value; empty where it stays, or is hidden by value."""
        said = value.said(text)
        if said in self._short:
            return self._named[said]
        if seen.kind == "key" or not seen.placeholder:
            return seen.placeholder
        if said in self._named or (value.inner is None and seen.kind == "text"):
            return ""
        held = text[value.start : value.end] if value.inner is None else value.inner
        return "" if _NO_SECRET.fullmatch(held) else seen.placeholder
