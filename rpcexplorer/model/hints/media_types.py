"""Hints about the two media types of a request: what it says that it is, and what it takes for a reply.

The type that the server names is taken, else one that others take and that was not tried yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from rpcexplorer.model.hints.failed import FailedCall
from rpcexplorer.model.hints.hint import Hint

USUAL: Final = ("application/json", "application/json-rpc")
"""What servers take, the most usual first."""
BOTH: Final = "application/json, text/event-stream"
"""What a server wants to be taken that may answer with a stream."""
REFUSING: Final = frozenset({200, 400, 406, 422, 500})
"""Statuses with which a type is refused where the server says so."""

_SPOKEN_OF = r"content[- ]?type|media[- ]?type|mime[- ]?type"
_TYPE = re.compile(r"\b(?:application|text)/[\w.+-]{1,60}", re.ASCII)


def content_type(call: FailedCall) -> Hint | None:
    """415, or a refusal that speaks of the type; 412 can mean nothing else where no request has a condition."""
    if call.status not in {412, 415} and not (call.status in REFUSING and call.says(_SPOKEN_OF)):
        return None
    now, headers = essence(call.profile.content_type), [*call.headers("accept-post"), *call.headers("accept")]
    taken = types_in(headers)
    named = [each for each in (*taken, *types_in([call.text])) if "json" in each and each != now]
    if not named and now in taken:
        return None
    best = min(named, key=_rank, default="") or next(each for each in USUAL if each != now)
    return call.told(f"The server does not take {now}, but {best}.", (("content_type", best),))


def accept(call: FailedCall) -> Hint | None:
    if call.status != 406:
        return None
    wanted = ", ".join(types_in([call.text]) or types_in([*call.headers("accept"), BOTH]))
    if wanted == call.profile.accept:
        return None
    return call.told(f"The server wants a client that takes {wanted}.", (("accept", wanted),))


def unreadable(call: FailedCall) -> Hint | None:
    """A server that did not even see a call in the request may have looked at its type alone."""
    if call.was_read or call.code not in {-32600, -32700} or essence(call.profile.content_type) == USUAL[0]:
        return None
    sentence = f"The server saw no call in the request: it may want the content type {USUAL[0]}."
    return call.told(sentence, (("content_type", USUAL[0]),))


def types_in(texts: Iterable[str]) -> list[str]:
    """The media types that are named, each once."""
    return [*dict.fromkeys(found.lower().rstrip(".") for text in texts for found in _TYPE.findall(text))]


def essence(media_type: str) -> str:
    """A type without its parameters."""
    return media_type.partition(";")[0].strip().lower()


def _rank(media_type: str) -> int:
    return USUAL.index(media_type) if media_type in USUAL else len(USUAL)
