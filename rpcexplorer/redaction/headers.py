"""Headers of a reply that hold a secret: by the words of their name, and by what stands in their value.

Nobody looks up a token in a record of headers, so more names are taken for a secret's than those of members
(`secret_names.py`): any with one of the words below, but for a few that everybody knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rpcexplorer.model.secret import UNRECORDED
from rpcexplorer.redaction.edits import Edit
from rpcexplorer.redaction.secret_names import ADDRESSED, TEXT, WHOLE, squashed

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SECRET = re.compile(
    r".*(?:token|cookie|jwt|csrf|xsrf|secret|signature|sessionid)|x?(?:auth|session|ticket|key)"
    r"|(?:access|api|app|auth|private|session|subscription)key|auth(?:entication|orization)"
)
"""A word of a name, in small letters."""
_HARMLESS = re.compile(
    r"access control .*|sec web ?socket key|(?:x )?(?:idempotency|cache|surrogate|partition|object|sort) key"
    r"|public key pins.*|(?:.* )?(?:next|page|continuation) token|authentication results"
    r"|.* (?:count|expires|expiry|length|limit|policy|remaining|reset|timeout|ttl|type)"
)
"""A whole name in words: what is handed to everybody, or tells of a secret and is none."""
_JWT = re.compile(r"eyJ[\w-]{5,1024}+\.[\w-]{5,}+\.[\w.-]*")
_MEMBER = re.compile(r"""[?&#;](?:amp;)?([A-Za-z][\w.-]{0,63})=([^\s"'<>&#;,\\«]+)""")
"""Of a query or a fragment, or behind a path."""
_ADDRESSED: Final = re.compile(r"code|assertion|saml(?:response|art)|\w*sess(?:ion)?id")
"""What else is called so in an address that a browser is sent to."""
_STATUS = re.compile(r"\d{1,3}")


def holds_secret(name: str) -> bool:
    """Whether a header is named like one that holds a secret."""
    small = squashed(name)
    if any(pattern.fullmatch(each) for each in (small, small.removeprefix("x")) for pattern in (WHOLE, TEXT)):
        return True
    words = [word.lower() for word in _WORDS.findall(name)]
    return any(map(_SECRET.fullmatch, words)) and not _HARMLESS.fullmatch(" ".join(words))


def secrets(value: str) -> Iterator[Edit]:
    """Tokens in the value of any header, and what opens a door in an address, each with what is put there."""
    end = 0
    found = [each.span() for each in _JWT.finditer(value)]
    for member in _MEMBER.finditer(value):
        small = squashed(member[1])
        if any(each.fullmatch(small) for each in (WHOLE, TEXT, ADDRESSED, _ADDRESSED)) and not _STATUS.fullmatch(
            member[2]
        ):
            found.append(member.span(2))
    for start, stop in sorted(found):
        if start >= end:
            yield Edit(start, stop, UNRECORDED)
            end = stop
