"""The calls that a connection begins with: sent in order each time it opens, before any other call."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final

from msgspec import UNSET
from msgspec.structs import replace

from rpcexplorer.auth.credentials import AuthFlow, AuthRequest, Message, fields_in, planted
from rpcexplorer.auth.login import filled
from rpcexplorer.auth.registry import auth_of
from rpcexplorer.model.exchange import Cancelled, Exchange, Outcome, Refused, Sent, Unreached
from rpcexplorer.model.problem import cut
from rpcexplorer.model.profile import OpeningCall, Profile
from rpcexplorer.model.secret import HIDDEN, Secret, unrecorded
from rpcexplorer.redaction.exchange import Redaction, for_history
from rpcexplorer.redaction.redactor import is_common
from rpcexplorer.rpc.messages import Call, ErrorObject, Malformed, Result
from rpcexplorer.variables.resolve import LastResult

MAX_SECRETS: Final = 16
"""Values of one connection to redact. Each of them is searched in all texts; real servers send one or two."""
MAX_RESULT_BYTES: Final = 1024 * 1024
"""Larger results of opening calls are not searched for secrets, and not inserted."""


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
        self._results: dict[str, LastResult] = {}
        """Keyed by the names of the calls."""
        self.secrets: list[Secret] = []
        """Values in the results that are redacted in their records."""

    async def make(self, send: Callable[[OpeningCall], Awaitable[Exchange]]) -> Outcome | None:
        """Send the calls, unless the connection has had them; return why it cannot be used.

        Who calls at the same time waits for the one that is first here.
        """
        async with self._turn:
            if self._since is not None and self._since == self._opened():
                return None
            self._results, self.secrets = {}, []
            for opening in self._calls:
                if failure := _failure(opening, await send(opening)):
                    await self._close()
                    return failure
            self._since = self._opened()
            return None

    def result(self, name: str) -> LastResult:
        """Return the result of a call on the connection that is open now."""
        if self._since is None or self._since != self._opened():
            return LastResult(why="the connection is not open")
        return self._results.get(name, LastResult(why="the call has not had a result on this connection"))

    def keep(self, opening: OpeningCall, exchange: Exchange, redaction: Redaction) -> None:
        """Keep the result of a call for later ones, and the secrets in it."""
        outcome = exchange.outcome
        if not isinstance(outcome, Result):
            return
        text, result = bytes(outcome.value).decode("utf-8", "replace"), f"the result of {opening.method}"
        hidden = _hidden_in(exchange, redaction) if len(text) <= MAX_RESULT_BYTES else None
        if hidden is None:
            self._results[opening.name] = LastResult(why=f"{result} cannot be searched for secrets")
            return
        self.secrets += [unrecorded(value) for value in hidden]
        why = ""
        if len(self.secrets) > MAX_SECRETS:
            self.secrets = self.secrets[:MAX_SECRETS]
            why = f"{result} contains too many secrets"
        elif any(map(is_common, hidden)):
            why = f"{result} contains a secret that is too short to be found in later messages"
        elif HIDDEN.search(text):
            why = f"{result} contains a redacted value"
        self._results[opening.name] = LastResult("" if why else text, why)


def _hidden_in(exchange: Exchange, redaction: Redaction) -> list[str] | None:
    """Return the texts of a response that are redacted in its record; None if it cannot be read."""
    received, recorded = exchange.response.body, redaction.redacted(exchange, for_history(None)).response.body
    if received == recorded:
        return []
    read = partial(json.loads, object_pairs_hook=list, parse_int=str, parse_float=str, parse_constant=str)
    try:
        return list(dict.fromkeys(_changed(read(received), read(recorded))))
    except (ValueError, RecursionError):
        return None


def _changed(before: Any, after: Any) -> Iterator[str]:
    """Yield the texts at places with another value. An object is a list of pairs."""
    if isinstance(before, list | tuple) and isinstance(after, list | tuple) and len(before) == len(after):
        for pair in zip(before, after, strict=True):
            yield from _changed(*pair)
    elif before != after:
        yield from _texts_in(before)


def _texts_in(value: Any) -> Iterator[str]:
    """Yield the texts and numbers in a value, but no names of members."""
    match value:
        case str():
            yield value
        case (_, inner) if isinstance(value, tuple):
            yield from _texts_in(inner)
        case list():
            for inner in value:
                yield from _texts_in(inner)


def opening_request(profile: Profile, opening: OpeningCall, params: str, id: str) -> AuthFlow:
    """Yield the request of an opening call."""
    if refused := planted(profile, opening.method, json.dumps(opening.params, ensure_ascii=False)):
        return refused
    call = Call(opening.method, params or "[]", None if opening.notification else id)
    message = Message("notification" if opening.notification else "call", (call,))
    request: AuthRequest | Refused = AuthRequest(message)
    kind = auth_of(profile)
    if kind.is_in_upgrade(profile) and not profile.has_sessions:
        request = kind.put(profile, message)
    if isinstance(request, Refused):
        return request
    response = yield replace(request, fields=fields_in(profile, request))
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
    """Return the outcome of a failed opening call, as the end of a sentence."""
    match outcome:
        case ErrorObject(code=code, message=message):
            return f"returned the error {'' if code is None else code} {cut(message)}".strip()
        case Malformed(reason=reason):
            return f"got no response: {reason.rstrip('.')}"
        case Result():
            quoted = cut(bytes(outcome.text).decode("utf-8", "replace"))
            return f"returned {quoted}, which is not the expected result"
    return "failed"
