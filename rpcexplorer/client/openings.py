"""The calls that a connection begins with: sent in order each time it opens, before any other call."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from rpcexplorer.auth.credentials import AuthFlow, AuthRequest, Message, planted
from rpcexplorer.auth.login import filled
from rpcexplorer.model.exchange import Cancelled, Exchange, Outcome, Refused, Sent, Stop, Unreached
from rpcexplorer.model.profile import OpeningCall, Profile
from rpcexplorer.rpc.messages import Call, ErrorObject, Malformed, Result
from rpcexplorer.transport.framing import printable_if_short
from rpcexplorer.transport.port import Watch

if TYPE_CHECKING:
    from rpcexplorer.client.profile_client import ProfileClient


class Openings:
    """Sends the opening calls of one client's connections."""

    def __init__(self, client: ProfileClient) -> None:
        self._client = client
        self._turn = asyncio.Lock()
        self._since: datetime | None = None
        """When the connection opened that has had its calls."""

    async def make(self, watch: Watch | None, stop: Stop | None) -> Outcome | None:
        """Open the connection and send its calls, unless that was done; return why the connection cannot be used.

        Calls at the same time wait for the one that is first here.
        """
        async with self._turn:
            connection = self._client.connection
            if connection is not None and connection.since is not None and connection.since == self._since:
                return None
            for opening in self._client.profile.openings:
                exchange = await self._client.send_opening(opening, watch=watch, stop=stop)
                if failure := _failure(opening, exchange):
                    await self._client.close()
                    return failure
            connection = self._client.connection
            self._since = connection.since if connection is not None else None
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
    """Return what came instead, whole or omitted: secrets are found only in complete texts."""
    match outcome:
        case ErrorObject(code=code, message=message):
            said = printable_if_short(message)
            return f"returned the error {'' if code is None else code} {said}".strip()
        case Malformed(reason=reason):
            return f"got no response: {reason.rstrip('.')}"
        case Result():
            said = printable_if_short(bytes(outcome.text))
            return f"returned {said or 'another result'}, which is not the expected result"
    return "failed"
