"""Recorded calls sent again and compared."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.compare.compare import Comparison, compared
from rpcexplorer.jsontext.params import Typo
from rpcexplorer.jsontext.steps import Steps, T, kept, run_in_turns
from rpcexplorer.model.draft import Batch, Draft, as_called, sent_draft, to_calls
from rpcexplorer.model.exchange import Cancelled, Exchange, Refused, Stop, Unreached
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import of_another, unsendable, without
from rpcexplorer.redaction.exchange import is_login, own_login
from rpcexplorer.rpc.messages import ErrorObject, Malformed
from rpcexplorer.variables.references import OPENING

ReplayVerdict = Literal["same", "differs", "not comparable", "failed", "stopped", "skipped"]
"""``failed``: there is no reply to compare with. ``skipped``: a login whose password is not recorded."""


def server_of(record: Exchange) -> tuple[str, str]:
    """Return how a record names the server that it went to: by profile and by URL."""
    return record.profile, record.url


class Replayed(Struct, frozen=True):
    """One record, and what came of sending it again. Each record has one, in their order."""

    recorded: Exchange
    live: Exchange | None
    """None where nothing was sent."""
    comparison: Comparison | None
    """None where there was no reply to compare with."""
    verdict: ReplayVerdict
    why: str = ""
    """Why it failed, was stopped or left out, or cannot be compared: a sentence."""
    ignore: tuple[str, ...] = ()
    """JSON pointers that were left out of the comparison; whoever compares the two once more leaves out the same."""


def replayed(recorded: Exchange, live: Exchange, comparison: Comparison, ignore: Iterable[str] = ()) -> Replayed:
    """What came of a call that was sent again and compared without what these pointers ``ignore``."""
    return Replayed(recorded, live, comparison, comparison.verdict, comparison.why, tuple(ignore))


def draft_to_send(recorded: Exchange, profile: Profile, *, ours: bool) -> Draft | Batch:
    """What is sent for a record. Where it may be somebody else's, nothing in it stands for a secret of the profile.

    Nothing in it is resolved either, also not when the new record is sent once more.
    """
    draft = replace(sent_draft(recorded), typed=None)
    if not ours:
        draft = replace(draft, text=without(draft.text, profile.name))
    return replace(draft, typed=draft.text.replace(OPENING, 2 * OPENING)) if OPENING in draft.text else draft


def failure(recorded: Exchange, live: Exchange) -> str:
    """Why there is nothing to compare; empty where the two can be set side by side.

    What failed then and fails alike now, such as a reply that is no JSON-RPC, is compared.
    """
    match live.outcome:
        case Unreached(sentence=sentence) | Refused(sentence=sentence):
            return sentence
        case Malformed(reason=reason) if not isinstance(recorded.outcome, Malformed):
            return reason
    return ""


def ignored_pointers(recorded: Exchange, profiles: Mapping[str, Profile], ignore: Iterable[str] = ()) -> list[str]:
    """Return the pointers to ignore: those given, and those of the profile that a record names."""
    # what a stranger's record names is not our profile
    return ignored_in(recorded, None if recorded.foreign else profiles.get(recorded.profile), ignore)


def ignored_in(recorded: Exchange, profile: Profile | None, ignore: Iterable[str]) -> list[str]:
    """Return the pointers to ignore in a comparison: those given, and those that the profile has for the method.

    A pointer begins at the result or the error, or at the top of the response: ``/at`` is ``/result/at``. If both
    places exist, both are ignored. In a batch it begins there in each response, or at the list of them.
    """
    given = list(ignore)
    if recorded.kind != "batch":
        pointers = [*given, *_noted(profile, recorded.method)]
        top = "/error" if isinstance(recorded.outcome, ErrorObject) else "/result"
        return [*pointers, *(each.removeprefix(top) for each in pointers if each.startswith(f"{top}/"))]
    calls = to_calls(sent_draft(recorded), "")
    awaited = [] if isinstance(calls, Typo) else [call for call in calls if call.id is not None]
    own = [(f"/{at}", pointer) for at, call in enumerate(awaited) for pointer in _noted(profile, call.method)]
    every = [*(("/*", pointer) for pointer in given), *own]
    return [*given, *(f"{at}{start}{pointer}" for at, pointer in every for start in ("/result", ""))]


def _noted(profile: Profile | None, method: str) -> tuple[str, ...]:
    note = profile.methods.get(method) if profile else None
    return note.ignore if note else ()


def exit_code(results: Iterable[Replayed]) -> int:
    """What a shell learns of a replay: the first that applies of 130, 3, 4, 5, 6 and 0.

    Skipped calls do not count beside others; if all are skipped, nothing was compared, and that is not 0.
    """
    every = list(results)
    codes = {_code(each) for each in every}
    if every and all(each.verdict == "skipped" for each in every):
        return 6
    return next((code for code in (130, 3, 4, 5, 6) if code in codes), 0)


def _code(result: Replayed) -> int:
    live = result.live
    if result.verdict == "stopped":
        return 130
    if result.verdict in {"same", "skipped"}:
        return 0
    if live is not None and result.verdict == "failed":
        if live.exit_code == 3:
            return 3
        if isinstance(live.outcome, Unreached):
            return 4
        if isinstance(live.outcome, Malformed):
            return 5
    return 6


LARGE: Final = 64 * 1024
"""Bytes of a reply that take more than a moment to hide secrets in."""
NOT_SENT: Final = "It was stopped before this was sent."
HALTED: Final = "Not sent: the call before it had no valid credentials."
STOPPED: Final = "It was stopped while it ran."
LOGIN: Final = "This is a login without a recorded password: it cannot be replayed. Calls log in by themselves."


class Replaying(Struct, frozen=True):
    """What it takes to send records again with one profile."""

    profile: Profile
    send: Callable[[Draft | Batch], Awaitable[Exchange]]
    as_recorded: Callable[[Exchange], Exchange]
    """An exchange as its record would be, so that both sides of a comparison hide alike."""
    is_ours: Callable[[Exchange], bool]
    """Whether nobody else can have written a record."""

    async def run(self, records: Sequence[Exchange], ignore: Sequence[str], stop: Stop) -> AsyncIterator[Replayed]:
        """Give what came of each record, in their order. Where a login fails, no further one is tried."""
        halted = ""
        for record in map(as_called, records):
            if stop.pressed or halted:
                yield Replayed(record, None, None, "stopped" if stop.pressed else "failed", halted or NOT_SENT)
                continue
            result = await self._again(record, ignore, stop)
            refused = result.live.outcome if result.live else None
            if isinstance(refused, Refused) and refused.why == "credentials":
                halted = HALTED
            yield result

    async def _again(self, record: Exchange, ignore: Sequence[str], stop: Stop) -> Replayed:
        draft = draft_to_send(record, self.profile, ours=self.is_ours(record))
        hidden = unsendable(draft.text) or of_another(draft.text, self.profile.name)
        if hidden and is_login(record.method, own_login(self.profile, draft.text)):
            return Replayed(record, None, None, "skipped", LOGIN)
        live = await self.send(draft)
        if isinstance(live.outcome, Cancelled):
            return Replayed(record, live, None, "stopped", STOPPED)
        if isinstance(live.outcome, Refused) and live.outcome.why == "params":
            return Replayed(record, live, None, "not comparable", live.outcome.sentence)
        if why := failure(record, live):
            return Replayed(record, live, None, "failed", why)
        left, right = await self._hidden(record), await self._hidden(live)
        pointers = ignored_in(record, self.profile, ignore)
        steps = compared(left, right, pointers)
        comparison = await run_in_turns(_until_stopped(steps, stop))
        if comparison is None:
            return Replayed(record, live, None, "stopped", STOPPED)
        return replayed(record, right, comparison, pointers)

    async def _hidden(self, exchange: Exchange) -> Exchange:
        if len(exchange.response.body) < LARGE:
            return self.as_recorded(exchange)
        return await asyncio.to_thread(self.as_recorded, exchange)


def _until_stopped(steps: Steps[T], stop: Stop) -> Steps[T | None]:
    came: list[T] = []
    for _ in kept(steps, came):
        if stop.pressed:
            return None
        yield
    return came[0]
