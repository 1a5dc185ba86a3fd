"""Questions of an MCP server before it has a result, and the call that is sent again with the answers."""

from __future__ import annotations

import asyncio
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.auth.credentials import Message
from rpcexplorer.client.mcp import McpServer, translated, with_members
from rpcexplorer.client.server_messages import ServerRequests, answers_of, event_of
from rpcexplorer.jsontext.pointers import at_pointer
from rpcexplorer.model.event import Event
from rpcexplorer.model.exchange import fresh_id
from rpcexplorer.model.problem import joined_words
from rpcexplorer.model.secret import PLACEHOLDER
from rpcexplorer.rpc.codec import open_object
from rpcexplorer.rpc.messages import Result, spelled

MAX_ROUNDS: Final = 10
"""A server that asks more often for one call may never end."""
MAX_RESULT: Final = 1024 * 1024
"""Bytes of a result that asks for input; the largest known forms have a few thousand."""
MAX_REQUESTS: Final = 100
"""Requests of one round; nobody answers more."""
MAX_RECORDED: Final = 64 * 1024
"""Characters of what is asked in one round to record."""
MAX_QUESTION: Final = 300
"""Characters of a question to quote; a longer one is left out, because secrets are found only in complete texts."""
_RESULT: Final = b'"result":'


class _InputRequired(Struct, frozen=True):
    """The members of a result that asks for input."""

    inputRequests: dict[str, msgspec.Raw] | None = None  # noqa: N815 - the protocol's own
    requestState: str | None = None  # noqa: N815


class Inputs:
    """The rounds of one call: what the server asked, and the answers of rules or of the user."""

    def __init__(self, server: McpServer, message: Message, call: str) -> None:
        """``message`` has the call; ``call`` is the id of its exchange."""
        profile, around = server.profile, server.around
        self.requests = ServerRequests(around, answers_of(profile, around.can_ask), self._take, profile.envelope)
        self.rounds: list[str] = []
        """A JSON object for each round, with requests and responses, but without the state of the server."""
        self.states: list[str] = []
        """The states of the server that were sent back; they may give access to something."""
        self._message, self._call = message, call
        self._events: dict[str, Event] = {}
        """The requests of this round, by their keys."""
        self._all_answered = asyncio.Event()

    async def next_message(self, result: Result) -> Message | str:
        """Return the message to send after a result that asks for input, or why the call ends here."""
        if len(result.value) > MAX_RESULT:
            return f"The server asks for input in a result of more than {MAX_RESULT // 1024} kB."
        try:
            required = msgspec.json.decode(result.value, type=_InputRequired)
        except (msgspec.DecodeError, RecursionError):
            return "The server asks for input in a form that cannot be read."
        requests = required.inputRequests or {}
        added = {}
        if required.requestState is not None:
            added["requestState"] = spelled(required.requestState)
            self.states.append(required.requestState)
        if len(self.rounds) == MAX_ROUNDS:
            return f"The server still asks for input after {MAX_ROUNDS} rounds, so the call ends here."
        if len(requests) > MAX_REQUESTS:
            return f"The server asks for {len(requests):,} inputs at once, more than the {MAX_REQUESTS} that fit."
        if not requests and not added:
            return "The server asks for input, but does not say for which."
        await self._ask(requests)
        if unanswered := [event for event in self._events.values() if not _is_answered(event)]:
            return f"The server asks for input, and there is no answer to {joined_words(map(_question, unanswered))}."
        if requests:
            added["inputResponses"] = self._responses(shown=False)
        if PLACEHOLDER.search("".join(added.values())):  # Neither the server nor a rule chooses which secrets are sent.
            return "The server asks for input, and the answer would contain a secret reference."
        call = translated(self._message).calls[0]
        again = replace(call, id=fresh_id(), has_number=False, params=with_members(call.params, added))
        return replace(self._message, calls=(again,))

    async def _ask(self, requests: dict[str, msgspec.Raw]) -> None:
        """Answer requests by rule, or wait until the user has done so; note the round."""
        self._events = {}
        self._all_answered.clear()
        for key, request in requests.items():
            message = with_members(bytes(request).decode(), {"jsonrpc": '"2.0"', "id": spelled(key)}).encode()
            self._events[key] = event_of(message, open_object(message), self._call)
        try:
            for event in self._events.values():
                self.requests.take(event)
            if self.requests.asked:
                await self._all_answered.wait()
        finally:
            self.requests.end("the call has ended")
            text = msgspec.json.encode(requests).decode()
            if len(text) > MAX_RECORDED:
                text = spelled(f"{len(text):,} characters, not recorded")
            self.rounds.append(f'{{"inputRequests":{text},"inputResponses":{self._responses(shown=True)}}}')

    def _take(self, event: Event, member: bytes) -> bool:
        """Keep the answer to a request."""
        event.answer = member
        if not any(other.waits for other in self._events.values()):
            self._all_answered.set()
        return True

    def _responses(self, *, shown: bool) -> str:
        """Return the results of the answers by key; ``shown``: as they are recorded."""
        results = {}
        for key, event in self._events.items():
            member = event.answer or b""
            if shown and event.shown_answer is not None:
                member = event.shown_answer
            if member.startswith(_RESULT):
                results[key] = member.removeprefix(_RESULT).decode()
        return with_members("{}", results)


def _is_answered(event: Event) -> bool:
    return event.answer is not None and event.answer.startswith(_RESULT)


def _question(event: Event) -> str:
    """Return a request in words: its method, and its message for the user."""
    message = at_pointer(event.text.decode(errors="replace"), "/params/message") or ""
    method = event.method or "a request without a method"
    return f"{method} {message}" if 0 < len(message) <= MAX_QUESTION else method
