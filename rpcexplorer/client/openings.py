"""The calls that a connection begins with: sent in order each time it opens, before any other call."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any

from msgspec import UNSET

from rpcexplorer.auth.credentials import AuthFlow, AuthRequest, Message, planted
from rpcexplorer.auth.login import filled
from rpcexplorer.model.exchange import Cancelled, Exchange, Outcome, Refused, Sent, Unreached
from rpcexplorer.model.problem import cut
from rpcexplorer.model.profile import OpeningCall, Profile
from rpcexplorer.rpc.messages import Call, ErrorObject, Malformed, Result


class Openings:
    """The opening calls of one client, whose connection opens with the first of them."""

    def __init__(
        self,
        calls: Sequence[OpeningCall],
        opened: Callable[[], datetime | None],
        close: Callable[[], Awaitable[None]],
    ) -> None:
        """``opened`` returns when the connection opened that is open now."""
        self._calls, self._opened, self._close = calls, opened, close
        self._turn = asyncio.Lock()
        self._since: datetime | None = None
        """When the connection opened that has had its calls."""

    async def make(self, send: Callable[[OpeningCall], Awaitable[Exchange]]) -> Outcome | None:
        """Send the calls, unless the connection has had them; return why it cannot be used.

        Who calls at the same time waits for the one that is first here.
        """
        async with self._turn:
            if self._since is not None and self._since == self._opened():
                return None
            for opening in self._calls:
                if failure := _failure(opening, await send(opening)):
                    await self._close()
                    return failure
            self._since = self._opened()
            return None


def opening_request(profile: Profile, opening: OpeningCall, params: str, id: str) -> AuthFlow:
    """Yield the request of an opening call."""
    if refused := planted(profile, opening.method, json.dumps(opening.params, ensure_ascii=False)):
        return refused
    call = Call(opening.method, params or "[]", None if opening.notification else id)
    message = Message("notification" if opening.notification else "call", (call,))
    fields = tuple(field for field in opening.fields if profile.references[field] in params)
    response = yield AuthRequest(message, fields=fields)
    return response


def params_of(profile: Profile, opening: OpeningCall) -> str:
    """Return its params with secret references."""
    return "" if opening.params is None else filled(opening.params, profile)


def _failure(opening: OpeningCall, exchange: Exchange) -> Outcome | None:
    """Return why the connection cannot be used, or None."""
    outcome = exchange.outcome
    match outcome:
        case Sent():
            return None
        case Result() if _is_expected(opening, outcome):
            return None
        case Refused() | Cancelled():
            return outcome
        case Unreached(step=step, sentence=sentence, reason=reason):
            return Unreached(step, f"{opening.method} failed: {sentence}", reason=reason, in_handshake=True)
    words = _words(outcome)
    if opening.fields:
        field = opening.fields[-1]
        sentence = f"The login of the connection failed: {opening.method} {words}."
        return Refused("credentials", sentence, field, rejected=True)
    return Unreached("open", f"{opening.method} {words}.", in_handshake=True)


def _is_expected(opening: OpeningCall, outcome: Result) -> bool:
    return opening.result is UNSET or _decoded(outcome) == opening.result


def _decoded(outcome: Result) -> Any:
    try:
        return outcome.decoded()
    except (ValueError, RecursionError):
        return UNSET


def _words(outcome: Outcome) -> str:
    """Return what came instead."""
    match outcome:
        case ErrorObject(code=code, message=message):
            return f"returned the error {'' if code is None else code} {cut(message)}".strip()
        case Malformed(reason=reason):
            return f"got no response: {reason.rstrip('.')}"
        case Result():
            said = cut(bytes(outcome.text).decode("utf-8", "replace"))
            return f"returned {said}, which is not the expected result"
    return "failed"
