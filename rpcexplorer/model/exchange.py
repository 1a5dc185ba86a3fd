"""An exchange: what was sent, what came back, and its outcome."""

from __future__ import annotations

import random
import time
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import Struct

from rpcexplorer.model.problem import Problem
from rpcexplorer.rpc.messages import CHANCE_LIMIT, EnvelopeForm, ErrorObject, Malformed, Result, make_id
from rpcexplorer.transport.port import NOTHING_CAME, Response, Step

if TYPE_CHECKING:
    from asyncio import Task  # the process that checks needs no loop

CallKind = Literal["call", "notification", "batch"]


class Unreached(Struct, frozen=True):
    """No complete reply came."""

    step: Step
    sentence: str
    maybe_ran: bool = False
    """The request went out whole: the server may have run it."""


class Cancelled(Struct, frozen=True):
    """The person stopped it."""

    maybe_ran: bool = False


class Sent(Struct, frozen=True):
    """A notification went out; no reply is expected."""

    remarks: tuple[str, ...] = ()


class Refused(Struct, frozen=True):
    """Nothing was sent: the draft, the profile or a credential is not in order. Never recorded."""

    why: Literal["params", "profile", "credentials"]
    sentence: str
    missing: str | None = None


Outcome = Result | ErrorObject | Malformed | Unreached | Cancelled | Sent | Refused
OutcomeName = Literal["result", "error", "malformed", "unreached", "cancelled", "sent", "refused"]
NAMES: dict[type, OutcomeName] = {
    Result: "result",
    ErrorObject: "error",
    Malformed: "malformed",
    Unreached: "unreached",
    Cancelled: "cancelled",
    Sent: "sent",
    Refused: "refused",
}
OUTCOMES: tuple[OutcomeName, ...] = tuple(name for name in NAMES.values() if name != "refused")
"""The outcomes of recorded exchanges: a refusal is never recorded."""
FAILED: tuple[OutcomeName, ...] = ("error", "malformed", "unreached")
"""What counts as failed. What a person has stopped does not."""
EXIT_CODES: dict[OutcomeName, int] = {
    "result": 0,
    "sent": 0,
    "error": 1,
    "refused": 2,
    "unreached": 4,
    "malformed": 5,
    "cancelled": 130,
}
"""The CLI's exit codes; a refusal for want of credentials is 3, and of a call that nobody could send as it is 2."""
CREDENTIALS: frozenset[int | None] = frozenset({401, 403, 407})
"""Statuses by which a server or a proxy refuses whoever calls; without an error object that is all there is to know."""
NEVER_LEFT: frozenset[Step] = frozenset({"url", "request"})
"""Steps at which it is the profile or the command that has to be mended, not the way to the server."""


class Preview(Struct, frozen=True):
    """The exact request to come, with placeholders for secrets."""

    line: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    logs_in_first: bool = False
    """There is no session yet: a login would go ahead of it."""
    doubt: str = ""
    remarks: tuple[str, ...] = ()


class Exchange(Struct, frozen=True):
    """What happened between one person's call and the server."""

    id: str
    when: datetime
    profile: str
    url: str
    method: str
    """Of a batch: the methods, comma-separated."""
    params: str
    """The text as the person wrote it; of a batch the whole array."""
    kind: CallKind
    outcome: Outcome
    seconds: float = 0.0
    sent: int = 0
    response: Response = NOTHING_CAME
    notes: tuple[str, ...] = ()
    """What happened by the way: logged in, a session adopted or ended."""
    name: str = ""
    note: str = ""
    envelope: EnvelopeForm = "2.0"
    params_sent: str | None = None
    """The params as they were sent, where values had taken the place of placeholders in what was typed."""
    foreign: bool = False
    """Somebody else has recorded it: it came as a case, and names a profile of theirs."""
    writer: str = ""
    """Who has recorded it, as user and host, where many write to one history; no part of a record."""

    @property
    def outcome_name(self) -> OutcomeName:
        return NAMES[type(self.outcome)]

    @property
    def counts_as(self) -> OutcomeName:
        """The outcome as people count it: a failed tool's result is an error."""
        return "error" if isinstance(self.outcome, Result) and self.outcome.message else self.outcome_name

    @property
    def exit_code(self) -> int:
        if isinstance(self.outcome, Refused) and self.outcome.why == "credentials":
            return 3
        if isinstance(self.outcome, Malformed) and self.response.status in CREDENTIALS:
            return 3
        if isinstance(self.outcome, Unreached) and self.outcome.step in NEVER_LEFT:
            return EXIT_CODES["refused"]
        return EXIT_CODES[self.counts_as]

    @property
    def remarks(self) -> tuple[str, ...]:
        own = getattr(self.outcome, "remarks", ())
        return (*own, *self.response.remarks)


class Damaged(Struct, frozen=True):
    """A record that cannot be read as an exchange. What is left of it is kept and shown."""

    file: str
    reason: str
    text: str
    id: str = ""


MOST: Final = 64 * 1024 * 1024
"""Bytes of a case that is read: it is meant to be small."""
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
    """A button that ends a running call; what had come by then is kept in its exchange."""

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
