"""Replays of recorded calls, and their comparison."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.compare.compare import Comparison, compared
from rpcexplorer.jsontext.params import Typo
from rpcexplorer.jsontext.steps import Steps, T, keep_result, run_in_turns
from rpcexplorer.model.draft import Batch, Draft, as_called, sent_draft, to_calls
from rpcexplorer.model.exchange import Cancelled, Exchange, Refused, Stop, Unreached
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import of_another, unsendable, without
from rpcexplorer.redaction.exchange import is_login, own_login
from rpcexplorer.rpc.messages import ErrorObject, Malformed
from rpcexplorer.variables.references import OPENING

ReplayVerdict = Literal["same", "differs", "not comparable", "failed", "stopped", "skipped"]
"""``failed``: no response. ``skipped``: a login without its password."""


def server_of(record: Exchange) -> tuple[str, str]:
    """Return the profile and URL that identify the server of a record."""
    return record.profile, record.url


class Replayed(Struct, frozen=True):
    """The result of replaying one record."""

    recorded: Exchange
    live: Exchange | None
    """None if nothing was tried."""
    comparison: Comparison | None
    """None if there was no response to compare with."""
    verdict: ReplayVerdict
    why: str = ""
    """Sentence: why it failed, was stopped or skipped, or cannot be compared."""
    ignore: tuple[str, ...] = ()
    """JSON pointers that were ignored, for comparing the two again."""

    @property
    def new_id(self) -> str:
        """Return the id of the new record; empty if nothing was sent, so that there is none."""
        if self.live is None or isinstance(self.live.outcome, Refused):
            return ""
        return self.live.id


def replayed(recorded: Exchange, live: Exchange, comparison: Comparison, ignore: Iterable[str] = ()) -> Replayed:
    """Return the result of a comparison without these pointers."""
    return Replayed(recorded, live, comparison, comparison.verdict, comparison.why, tuple(ignore))


def draft_to_send(recorded: Exchange, profile: Profile, *, ours: bool) -> Draft | Batch:
    """Return the draft to send for a record.

    In a record that another user may have written, secret references of the profile are removed. Variables are never
    resolved again, not even when the new record is sent again.
    """
    draft = replace(sent_draft(recorded), typed=None)
    if not ours:
        draft = replace(draft, text=without(draft.text, profile.name))
    if OPENING in draft.text:
        return replace(draft, typed=draft.text.replace(OPENING, 2 * OPENING))
    return draft


def failure(recorded: Exchange, live: Exchange) -> str:
    """Return why there is nothing to compare, or an empty text.

    A malformed response is compared with a malformed response.
    """
    match live.outcome:
        case Unreached(sentence=sentence) | Refused(sentence=sentence):
            return sentence
        case Malformed(reason=reason) if not isinstance(recorded.outcome, Malformed):
            return reason
    return ""


def ignored_pointers(recorded: Exchange, profiles: Mapping[str, Profile], ignore: Iterable[str] = ()) -> list[str]:
    """Return the pointers to ignore: given ones, and those of the profile."""
    # A foreign record may name a profile that only has the same name as ours.
    return ignored_in(recorded, None if recorded.foreign else profiles.get(recorded.profile), ignore)


def ignored_in(recorded: Exchange, profile: Profile | None, ignore: Iterable[str]) -> list[str]:
    """Return the pointers to ignore: the given ones, and those of the profile.

    A pointer begins at the result or the error, or at the top of the response: ``/at`` is ``/result/at``. If both
    places exist, both are ignored. In a batch it begins there in each response, or at the list of them.
    """
    given = list(ignore)
    if recorded.kind != "batch":
        pointers = [*given, *_noted(profile, recorded.method)]
        top = "/error" if isinstance(recorded.outcome, ErrorObject) else "/result"
        return [*pointers, *(pointer.removeprefix(top) for pointer in pointers if pointer.startswith(f"{top}/"))]
    inside: list[str] = []
    for pointer in given:
        inside += [f"/*/result{pointer}", f"/*{pointer}"]
    calls = to_calls(sent_draft(recorded), "")
    if isinstance(calls, Typo):
        return given + inside
    awaited = [call for call in calls if call.id is not None]
    for at, call in enumerate(awaited):
        for pointer in _noted(profile, call.method):
            inside += [f"/{at}/result{pointer}", f"/{at}{pointer}"]
    return given + inside


def _noted(profile: Profile | None, method: str) -> tuple[str, ...]:
    note = profile.methods.get(method) if profile else None
    return note.ignore if note else ()


def exit_code(results: Iterable[Replayed]) -> int:
    """Return the exit code of a replay: the first of 130, 3, 4, 5, 6 and 0.

    Skipped calls do not count. If all are skipped, nothing was compared, and the code is 6.
    """
    every = list(results)
    codes = {_code(result) for result in every}
    if every and all(result.verdict == "skipped" for result in every):
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


NOT_SENT: Final = "Not sent: the replay was stopped."
HALTED: Final = "Not sent: the call before it had no valid credentials."
STOPPED: Final = "The replay was stopped during this call."
OF_OTHERS: Final = (
    "Not sent: the params have a secret reference of {}, and someone else recorded it. "
    "To agree to send your secret, replay it on the command line in a terminal, or load it into the editor with Enter."
)
LOGIN: Final = "This is a login without a recorded password: it cannot be replayed. Calls log in automatically."


class Replaying(Struct, frozen=True):
    """The dependencies of a replay with one profile."""

    profile: Profile
    send: Callable[[Draft | Batch], Awaitable[Exchange]]
    as_recorded: Callable[[Exchange], Exchange]
    """Return an exchange, redacted like a recorded one, to compare them."""
    is_ours: Callable[[Exchange], bool]
    """Return whether no other user can have written a record."""

    async def run(self, records: Sequence[Exchange], ignore: Sequence[str], stop: Stop) -> AsyncIterator[Replayed]:
        """Yield the result of each record in order; stop after a failed login."""
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
        if draft != draft_to_send(record, self.profile, ours=True):  # It has lost a reference.
            return Replayed(record, None, None, "not comparable", OF_OTHERS.format(self.profile.name))
        live = await self.send(draft)
        if isinstance(live.outcome, Cancelled):
            return Replayed(record, live, None, "stopped", STOPPED)
        if isinstance(live.outcome, Refused) and live.outcome.why == "params":
            return Replayed(record, live, None, "not comparable", live.outcome.sentence)
        if why := failure(record, live):
            return Replayed(record, live, None, "failed", why)
        # A large response takes long to redact.
        left = await asyncio.to_thread(self.as_recorded, record)
        right = await asyncio.to_thread(self.as_recorded, live)
        pointers = ignored_in(record, self.profile, ignore)
        steps = compared(left, right, pointers)
        comparison = await run_in_turns(_until_stopped(steps, stop))
        if comparison is None:
            return Replayed(record, live, None, "stopped", STOPPED)
        return replayed(record, right, comparison, pointers)


def _until_stopped(steps: Steps[T], stop: Stop) -> Steps[T | None]:
    found: list[T] = []
    for _ in keep_result(steps, found):
        if stop.pressed:
            return None
        yield
    return found[0]
