"""An exchange: the call, the response and the outcome."""

from __future__ import annotations

import random
import time
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import Struct

from rpcexplorer.model.problem import Problem
from rpcexplorer.rpc.messages import CHANCE_LIMIT, EnvelopeForm, ErrorObject, Malformed, Result, make_id
from rpcexplorer.transport.port import NOTHING_CAME, Reason, Response, Step

if TYPE_CHECKING:
    from asyncio import Task  # The process that checks schemas needs no event loop.

    from rpcexplorer.jsontext.slices import Text

CallKind = Literal["call", "notification", "batch", "opening"]
RecordKind = Literal[CallKind, "event"]


class Unreached(Struct, frozen=True):
    """There was no complete response."""

    step: Step
    sentence: str
    maybe_ran: bool = False
    """The request was sent whole: the server may have run it."""
    reason: Reason = ""
    """Why, as far as a rule asks; it is not recorded."""
    in_handshake: bool = False
    """The call was not sent, because the handshake of the connection failed."""


class Cancelled(Struct, frozen=True):
    """The user cancelled the call."""

    maybe_ran: bool = False


class Sent(Struct, frozen=True):
    """A notification was sent, which has no response."""

    remarks: tuple[str, ...] = ()


class ServerEvent(Struct, frozen=True):
    """The server sent a message that is not the response to a call."""

    remarks: tuple[str, ...] = ()
    answer: str = ""
    """JSON text with the result or error that answered it, if anything did."""
    of: str = ""
    """The id of the call whose subscription it belongs to."""
    missed: int = 0
    """How many events before it were not recorded."""


class Refused(Struct, frozen=True):
    """The call was not sent: draft, profile or credentials have a problem.

    It is never recorded.
    """

    why: Literal["params", "profile", "credentials"]
    sentence: str
    missing: str | None = None
    """The secret that the user has to enter."""
    rejected: bool = False
    """The server rejected the login."""


Outcome = Result | ErrorObject | Malformed | Unreached | Cancelled | Sent | ServerEvent | Refused
OutcomeName = Literal["result", "error", "malformed", "unreached", "cancelled", "sent", "event", "refused"]
NAMES: dict[type, OutcomeName] = {
    Result: "result",
    ErrorObject: "error",
    Malformed: "malformed",
    Unreached: "unreached",
    Cancelled: "cancelled",
    Sent: "sent",
    ServerEvent: "event",
    Refused: "refused",
}
OUTCOMES: tuple[OutcomeName, ...] = tuple(name for name in NAMES.values() if name != "refused")
"""The outcomes of records; calls that were not sent are not recorded."""
OUTCOME_LABELS: dict[str, str] = {name: name for name in NAMES.values()} | {
    "unreached": "no response",
    "refused": "not sent",
}
"""Outcomes as people read them; files and ``--json`` have the names."""
FAILED: tuple[OutcomeName, ...] = ("error", "malformed", "unreached")
"""The outcomes that count as failures; cancelled ones do not."""
EXIT_CODES: dict[OutcomeName, int] = {
    "result": 0,
    "sent": 0,
    "event": 0,
    "error": 1,
    "refused": 2,
    "unreached": 4,
    "malformed": 5,
    "cancelled": 130,
}
"""Exit codes of the command line; credentials that are missing give 3."""
CREDENTIALS: frozenset[int | None] = frozenset({401, 403, 407})
"""Statuses that reject credentials, if there is no error object."""
EVENT_STREAM: Final = "text/event-stream"
MAX_UNFINISHED: Final = 256 * 1024
"""Bytes of an event stream without an end that are read, in 50 ms."""
NEVER_LEFT: frozenset[Step] = frozenset({"url", "request"})
"""Steps at which the profile or the command has to be corrected."""


class Preview(Struct, frozen=True):
    """The exact request that would be sent, with secret references."""

    line: str
    """The request line; empty for a message without HTTP."""
    headers: tuple[tuple[str, str], ...]
    """The headers of the request, or those of the message's framing."""
    body: bytes
    logs_in_first: bool = False
    """There is no session yet, so a login would be sent first."""
    doubt: str = ""
    remarks: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    """The connection that the message is sent over, such as its process and folder."""


class Exchange(Struct, frozen=True):
    """One call of the user and what the server did with it.

    ``outcome`` says how it ended: `Result`, `ErrorObject`, `Malformed`, `Unreached`, `Cancelled`, `Sent` or `Refused`.
    ``response`` has the HTTP status, headers and body, ``sent`` the bytes of the request, ``seconds`` the time for it.
    Secrets are replaced by references, such as ``«shop.password»``. The history also returns recorded events as
    exchanges; their message is the body of the response.
    """

    id: str
    when: datetime
    profile: str
    url: str
    method: str
    """For a batch its methods, separated by commas."""
    params: str
    """The text as typed; for a batch the whole array."""
    kind: RecordKind
    outcome: Outcome
    seconds: float = 0.0
    sent: int = 0
    response: Response = NOTHING_CAME
    notes: tuple[str, ...] = ()
    """Events around the call, such as a login or the end of a session."""
    name: str = ""
    note: str = ""
    expect: str = ""
    """What a check expected, as lines to read; only in the case that it exports."""
    envelope: EnvelopeForm = "2.0"
    params_sent: str | None = None
    """The params with the values of their variables, if there were any."""
    rounds: tuple[str, ...] = ()
    """What a server of MCP asked before its result, and the answers: a JSON object for each round."""
    foreign: bool = False
    """Imported from a case, with the name of someone else's profile."""
    writer: str = ""
    """User and host that recorded it in a shared history; not stored."""

    @property
    def outcome_name(self) -> OutcomeName:
        """The name of the outcome, such as ``result``, as files and ``--json`` have it."""
        return NAMES[type(self.outcome)]

    @property
    def counts_as(self) -> OutcomeName:
        """Return the outcome to show: a failed MCP tool is an error."""
        return "error" if isinstance(self.outcome, Result) and self.outcome.message else self.outcome_name

    @property
    def parts(self) -> tuple[Text, ...]:
        """Return the results of several responses to the call; without the last one, those at the beginning."""
        if isinstance(self.outcome, Result | ErrorObject):
            return self.outcome.parts
        is_stream = (self.response.header("content-type") or "").lower().startswith(EVENT_STREAM)
        if isinstance(self.outcome, Unreached | Cancelled) and is_stream:
            from rpcexplorer.rpc.codec import parts_in  # The first frame of the screen needs no decoder.

            return parts_in(self.response.body[:MAX_UNFINISHED], self.id)
        return ()

    @property
    def exit_code(self) -> int:
        """The exit code of the command line for this outcome; 0 for a result."""
        if isinstance(self.outcome, Refused) and self.outcome.why == "credentials":
            return 3
        is_of_upgrade = isinstance(self.outcome, Unreached) and self.outcome.step == "upgrade"
        if self.response.status in CREDENTIALS and (is_of_upgrade or isinstance(self.outcome, Malformed)):
            return 3
        if isinstance(self.outcome, Unreached) and self.outcome.step in NEVER_LEFT:
            return EXIT_CODES["refused"]
        return EXIT_CODES[self.counts_as]

    @property
    def remarks(self) -> tuple[str, ...]:
        """Warnings about the response."""
        own = getattr(self.outcome, "remarks", ())
        return (*own, *self.response.remarks)


def in_handshake(outcome: Outcome) -> bool:
    """Return whether the call was not sent, because its handshake failed."""
    if isinstance(outcome, Malformed):
        return outcome.kind == "handshake"
    return isinstance(outcome, Unreached) and outcome.in_handshake


class Damaged(Struct, frozen=True):
    """A record that is not an exchange; its text is kept and shown."""

    file: str
    reason: str
    text: str
    id: str = ""


MOST: Final = 64 * 1024 * 1024
"""Largest case to read, in bytes."""
MOST_CALLS: Final = 1_000
CASE_ENDING: Final = ".toml"


class Case(Struct, frozen=True):
    file: str
    calls: tuple[Exchange | Damaged, ...] = ()
    note: str = ""
    problems: tuple[Problem, ...] = ()

    @property
    def exchanges(self) -> list[Exchange]:
        return [call for call in self.calls if isinstance(call, Exchange)]

    @property
    def damaged(self) -> list[Damaged]:
        return [call for call in self.calls if isinstance(call, Damaged)]

    @property
    def addresses(self) -> list[str]:
        return list(dict.fromkeys(call.url for call in self.exchanges if call.url))


def fresh_id() -> str:
    return make_id(time.time_ns() // 1_000_000, random.randrange(CHANCE_LIMIT))  # noqa: S311 - no secret


class Stop:
    """Ends a running call; its exchange keeps the response so far."""

    def __init__(self) -> None:
        self.pressed = False
        self._task: Task[Any] | None = None

    def press(self) -> None:
        self.pressed = True
        if self._task is not None:
            self._task.cancel()

    def watch(self, task: Task[Any] | None) -> None:
        self._task = task
        if self.pressed and task is not None:
            task.cancel()
