"""The credentials of calls: look up, ask, store and forget them."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from datetime import datetime
from math import inf
from typing import TypeVar

from msgspec.structs import replace

from rpcexplorer.auth.credentials import Agreement, Visit, login_fields
from rpcexplorer.auth.registry import auth_of
from rpcexplorer.files.io import FileError, error_of
from rpcexplorer.model.destination import OTHER_SERVER, DestinationChanged, Person, Store
from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.problem import UserError, log_in_command, provide_secret
from rpcexplorer.model.profile import WITH_TLS, Profile, label_of
from rpcexplorer.model.secret import FIELD_WORDS, LATER, LaterSecret, Secret
from rpcexplorer.secrets.destination import KEY
from rpcexplorer.secrets.lookup import Secrets

SecretPlace = tuple[str, str, frozenset[tuple[str, str]]]
"""Profile name, field and destination of a value."""
T = TypeVar("T")
PAST = 4
"""Ended sessions that are still redacted."""
OF_CALLS = 32
"""Values of single calls that are still redacted, in the events of their streams."""


class StoredCredentials:
    """Credentials from environment and store; they ask the user last."""

    def __init__(self, secrets: Secrets, person: Person, profiles: Callable[[], Iterable[Profile]] = tuple) -> None:
        """``profiles`` are those whose secrets may be in environment variables."""
        self._secrets = secrets
        self._person = person
        self._profiles = profiles
        self._run: dict[SecretPlace, Secret] = {}
        """Values that were entered or opened, and are not stored."""
        self._past: deque[Secret] = deque(maxlen=PAST)
        """Ended sessions: responses may still contain them for a while."""
        self._of_calls: deque[Secret] = deque(maxlen=OF_CALLS)
        self._forgotten: list[Secret] = []
        """Values that the user removed, which later records may still contain."""
        self._ended: set[SecretPlace] = set()
        """Ended sessions that could not be removed from the store."""
        self._rejected: dict[str, Mapping[str, object]] = {}
        """The credentials that the server rejected last, by profile."""
        self._in_use: tuple[list[object], tuple[Secret, ...]] = [], ()
        """What the result of ``in_use`` was made of, and the result."""
        self._providing = threading.Lock()
        self._asked_for, self._asked_at = 0.0, 0.0
        """Seconds of all answers so far, and the start of an open question."""

    @property
    def asked_for(self) -> float:
        """Seconds of questions to the user, which no deadline of a call counts."""
        if not self.is_asking:
            return self._asked_for
        return self._asked_for + time.monotonic() - self._asked_at

    @property
    def is_asking(self) -> bool:
        """Return whether a question to the user is open."""
        return self._asked_at > 0

    async def asked(self, question: Awaitable[T]) -> T:
        """Wait for the user's answer."""
        self._asked_at = time.monotonic()
        try:
            return await question
        finally:
            self._asked_for, self._asked_at = self.asked_for, 0.0

    async def opens(self, file: str) -> bool:
        """Ask whether a language server gets a file."""
        return await self.asked(self._person.opens(file))

    def in_use(self) -> Sequence[Secret]:
        """Return all values that this run knows, to keep them out of records.

        It is the same object until one of them, or of the profiles that use them, has changed.
        """
        self._secrets.learn(self._profiles())
        values = [*self._past, *self._forgotten, *self._secrets.known(), *self._run.values()]
        values += [part for value in values for part in value.granted]
        made_of = [*values, *self._of_calls, *self._secrets.learned]
        before, in_use = self._in_use
        if [*map(id, made_of)] != [*map(id, before)]:
            known = self._secrets.marked(values)
            in_use = (*_parts_of(known), *known, *self._secrets.derived(known), *self._of_calls)
            self._in_use = made_of, in_use  # Both at once: another thread may ask, too.
        return in_use

    def hide(self, values: Iterable[Secret]) -> None:
        """Redact values that only a call or a connection knew, such as the proof of a digest, until many later ones."""
        for value in dict.fromkeys(values):
            if value in self._of_calls:
                self._of_calls.remove(value)
            self._of_calls.append(value)

    def state(self, profile: Profile) -> dict[str, Secret | DestinationChanged | None]:
        """Return the fields that the profile needs, and their values if known."""
        found = self._secrets.state(profile)
        return {field: self._run.get(self._place(profile, field)) or known for field, known in found.items()}

    def from_environment(self, profile: Profile) -> list[str]:
        """Return the fields whose values come from environment variables."""
        return [field for field, found in self.state(profile).items() if getattr(found, "source", "") == "environment"]

    def judge(self, profile: Profile, *, rejected: bool) -> None:
        """Remember whether the server has rejected the credentials of a profile."""
        self._rejected[profile.name] = self.state(profile) if rejected else {}

    def is_rejected(self, profile: Profile) -> bool:
        """Return whether the rejected credentials are still unchanged."""
        rejected = self._rejected.get(profile.name)
        return bool(rejected) and rejected == self.state(profile)

    def since(self, profile: Profile) -> datetime | None:
        """Return since when the session is in use, if that is known."""
        held = self._run.get(self._place(profile, "session"))
        stored = self._secrets.saved(profile, "session")
        return stored if held is None or held == self._secrets.find(profile, "session") else None

    def hold(self, profile: Profile, field: str, value: str, *, keep: bool) -> str:
        """Keep a value for this run, and store it if wanted; return a problem."""
        keep = keep and not self._only_now(profile)
        self._run[self._place(profile, field)] = Secret(value, profile.label(field), "prompt")
        self._secrets.destinations.entered(profile)
        problem = error_of(lambda: self._secrets.save(profile, field, value)) if keep else ""
        if keep and not problem:
            del self._run[self._place(profile, field)]
        return problem

    def held_back(self, profile: Profile) -> set[str]:
        """Return the fields that are blocked at the profile's current destination."""
        held = {field for field in profile.variables if isinstance(self._known(profile, field), DestinationChanged)}
        if self._secrets.destinations.moved_key(profile):
            held.add(KEY)
        return held

    def carry_over(self, before: Profile, now: Profile) -> None:
        """Send the same values after a change of destination that the user made."""
        place = self._place(before, "")[2]
        for name, field, held_for in [*self._run]:
            if (name, held_for) == (before.name, place):
                self._run[self._place(now, field)] = self._run[name, field, held_for]
        if self.held_back(now) or self._secrets.destinations.question(now):
            # If it cannot be written to the file, it counts for this run.
            destinations = self._secrets.destinations
            error_of(lambda: destinations.allow(now.name, destinations.of(now)))

    def rename(self, name: str, new: str) -> None:
        """Move the values that are only in this run to a profile's new name."""
        for profile, field, destination in [*self._run]:
            if profile == name:
                held = self._run.pop((name, field, destination))
                moved = Secret(held.reveal(), label_of(new, field), held.source, grant=held.grant)
                self._run[new, field, destination] = moved

    def forget(self, profile: Profile, field: str) -> str:
        """Remove a field here and in the store; return a problem of the store."""
        for place in [place for place in self._run if place[:2] == (profile.name, field)]:
            self._forgotten.append(self._run.pop(place))
        return error_of(lambda: self._secrets.forget(profile, field))

    async def secret(self, profile: Profile, field: str) -> Secret | Refused:
        """Return the value of a field, or how to provide it."""
        found = self._known(profile, field)
        if isinstance(found, DestinationChanged):
            if refused := await self._refusal_to(found, profile):
                return replace(refused, missing=field)
            found = self._known(profile, field)
        if isinstance(found, LaterSecret):
            return await self._refusal_over_http(profile) or await self._provided(profile, field)
        if not isinstance(found, Secret):
            receiver = auth_of(profile).receiver(profile)
            where = receiver if profile.ad_hoc else f"{profile.name} ({receiver})"
            question = f"{FIELD_WORDS.get(field, field)} for {where}"
            command = f"rpcexplorer profiles secret {profile.name} {field}"
            store = None if self._only_now(profile) else Store(self._secrets.place, command)
            typed = await self.asked(self._person.secret(question, field=field, store=store))
            if typed is None:
                return self.missing(profile, field)
            value, keep = typed
            found = Secret(value, profile.label(field), "prompt")
            if problem := self.hold(profile, field, value, keep=keep):
                sentence = f"Not stored, and nothing was sent: {problem}. Resend the call without storing the value."
                return Refused("credentials", sentence)
        return await self._refusal_over_http(profile) or self._used(profile, field, found)

    async def _provided(self, profile: Profile, field: str) -> Secret | Refused:
        """Return the value that a command prints or a file has, until the server rejects it, or for its time."""
        place, known = self._place(profile, field), self.in_use()
        if not profile.auth.command_for(field):
            found = self._secrets.read(profile, field)
            if isinstance(found, Secret):
                self._run[place] = self._used(profile, field, found)
            return found
        command = self._secrets.command_of(profile, field)
        if isinstance(command, Refused):
            return command

        def provide() -> Secret | Refused:
            with self._providing:  # Calls at the same time share one run.
                held = self._held(profile, field)
                if isinstance(held, Secret) and not isinstance(held, LaterSecret):
                    return held
                try:
                    value = Secret(command.value(), profile.label(field), "command")
                except UserError as error:
                    why = command.explained(error.sentence, known)
                    return Refused("credentials", f"The {field} command of profile {profile.name} {why}.")
                value.until = time.monotonic() + (profile.auth.token_seconds or inf)
                self._pass(self._run.get(place))
                self._run[place] = value
                return value

        found = await _in_thread(provide, command.end)
        return found if isinstance(found, Refused) else self._used(profile, field, found)

    def reject(self, profile: Profile, used: Iterable[Secret]) -> bool:
        """Forget values of commands and files that the server has rejected; return whether there were any.

        The next call gets them again.
        """
        rejected = [secret for secret in used if secret.source in LATER]
        for place, held in [*self._run.items()]:
            if place[0] == profile.name and any(held is secret for secret in rejected):
                self._pass(self._run.pop(place))
        return bool(rejected)

    def is_known(self, profile: Profile, field: str) -> bool:
        """Return whether a field is known, so that nothing must be asked."""
        return isinstance(self._known(profile, field), Secret)

    def can_log_in(self, profile: Profile) -> bool:
        """Return whether all credentials of a login are known."""
        state = self.state(profile)
        return all(state.get(field) is not None for field in login_fields(profile))

    async def session(self, profile: Profile) -> Secret | DestinationChanged | Refused | None:
        """Return the stored session, or why it is blocked."""
        if self._ended and self._place(profile, "session") in self._ended:
            return None
        found = self._held(profile, "session")
        if not isinstance(found, Secret):
            return found
        return await self._refusal_over_http(profile) or self._used(profile, "session", found)

    async def permission(self, profile: Profile) -> Refused | None:
        """Return why a profile must not be used at all, or why its client certificate must not.

        Every call, login, discovery and test asks here before it connects.
        """
        destinations = self._secrets.destinations
        for find in (destinations.question, destinations.moved_key):
            found = find(profile)
            if found and (refused := await self._refusal_to(found, profile)):
                return refused
        return None

    async def _refusal_to(self, found: DestinationChanged, profile: Profile) -> Refused | None:
        """Ask the user to allow a destination; return a refusal unless the answer is yes."""
        from rpcexplorer.redaction.redactor import Redactor  # Few calls need it here.

        shown = found.hidden(Redactor(self.in_use(), profile=profile.name).text)
        if found.advice or not await self.asked(self._person.allows(profile.name, shown)):
            return Refused("profile" if found.process or found.runs else "credentials", shown.sentence(profile.name))
        # If it cannot be written to the file, it counts for this run.
        error_of(lambda: self._secrets.destinations.allow(profile.name, found.destination, found.process))
        return None

    @property
    def has_user(self) -> bool:
        """Return whether someone can log in."""
        return self._person.is_there

    async def agree(self, profile: Profile, agreement: Agreement | None) -> Refused | None:
        """Ask whether a token may be used over plain HTTP, or which other servers get the requests for it."""
        if agreement is None:
            return await self._refusal_over_http(profile)
        if self._secrets.agreed_to(profile.origin, agreement.terms):
            return None
        question = f"{agreement.question} Agree from now on?"
        if not await self.asked(self._person.agrees(question, OTHER_SERVER)):
            advice = log_in_command(profile)
            return Refused("credentials", f"{agreement.question} Nothing was sent there. {advice}")
        self._secrets.agree_to(profile.origin, agreement.terms)
        return None

    async def visit(self, profile: Profile, visit: Visit, redirect: Awaitable[str]) -> str | None:
        """Show the user where to log in; return the redirect."""
        return await self.asked(self._person.visits(profile.shown_name, visit.url, visit.code, redirect))

    def lock_renewal(self, profile: Profile) -> ExitStack | None:
        return self._secrets.lock_renewal(profile)

    def newer_session(self, profile: Profile, than: Secret) -> Secret | None:
        """Return the session that another call or process has stored since."""
        place = self._place(profile, "session")
        stored = None if self._only_now(profile) else self._secrets.find(profile, "session")
        for found in (self._run.get(place), stored):
            if isinstance(found, Secret) and found != than:
                self._run[place] = found
                return found
        return None

    def keep(self, profile: Profile, session: Secret) -> str | None:
        """Store a session; return a sentence if it is kept only for this run."""
        self._pass(self._run.get(self._place(profile, "session")))
        self._run[self._place(profile, "session")] = session
        if self._only_now(profile):
            return None
        try:
            self._secrets.save(profile, "session", session.reveal(), session.grant)
        except FileError as error:
            return f"the session is kept only until you quit: {error.sentence}"
        stored = self._secrets.find(profile, "session")
        if isinstance(stored, Secret) and stored == session:  # An environment variable may have another one.
            self._run[self._place(profile, "session")] = stored
        return None

    def drop(self, profile: Profile) -> bool:
        """Remove the session; return whether there was one.

        If the store does not remove it, it is not sent again in this run.
        """
        held = self._run.pop(self._place(profile, "session"), None)
        self._pass(held)
        here = held is not None
        if self._only_now(profile):
            return here
        with suppress(FileError):
            return self._secrets.forget(profile, "session") or here
        self._ended.add(self._place(profile, "session"))
        return here

    def log_out(self, profile: Profile) -> tuple[bool, str]:
        """Remove the session everywhere; return success and a problem."""
        for place in [place for place in self._run if place[:2] == (profile.name, "session")]:
            if place != self._place(profile, "session"):
                self._pass(self._run.pop(place))
        stored, problem = False, ""
        try:
            stored = self._secrets.forget(profile, "session")
        except FileError as failure:
            problem = failure.sentence
        return self.drop(profile) or stored, problem

    def _only_now(self, profile: Profile) -> bool:
        """Return whether nothing of it is stored: its URL or user was typed."""
        others = (other for other in self._profiles() if other.name == profile.name)
        return profile.ad_hoc or any(other.auth != profile.auth for other in others)

    def _known(self, profile: Profile, field: str) -> Secret | DestinationChanged | None:
        """Return the value of a field, or why even a typed one is blocked."""
        found = self._held(profile, field)
        if found is None:
            return self._secrets.destinations.moved(profile, field)
        return found

    def _held(self, profile: Profile, field: str) -> Secret | DestinationChanged | None:
        """Return the value of a field, or why it is blocked; None without one."""
        held = self._run.get(self._place(profile, field))
        if held and held.until > time.monotonic():
            destinations = self._secrets.destinations
            return destinations.moved(profile, field, destinations.of(profile)) or held
        return self._secrets.find(profile, field)

    def _used(self, profile: Profile, field: str, secret: Secret) -> Secret:
        """Bind the value of an environment variable, a command or a file to the destination of its first use."""
        if secret.source == "environment" or secret.source in LATER:
            self._secrets.destinations.used(profile.variables[field], profile)
        return secret

    def _place(self, profile: Profile, field: str) -> SecretPlace:
        return profile.name, field, frozenset(self._secrets.destinations.of(profile).items())

    def _pass(self, secret: Secret | None) -> None:
        """Remember an ended session, or an old value of a command."""
        if secret is not None:
            self._past.append(secret)

    def missing(self, profile: Profile, field: str) -> Refused:
        """Return how to provide a field that is not known."""
        if profile.ad_hoc and profile.assumes_auth:
            sentence = f"No {field} for {profile.origin}. Environment variables for --url need an auth type."
            return Refused("credentials", f"{sentence} Add --auth {profile.auth.kind}.", field)
        problem = self._secrets.problem()
        why = f" Stored secrets cannot be used: {problem}." if problem else ""
        place = profile.origin if profile.ad_hoc else f"profile {profile.name}"
        return Refused("credentials", f"No {field} for {place}.{why} {provide_secret(profile, field)}", field)

    async def _refusal_over_http(self, profile: Profile) -> Refused | None:
        """Ask once per origin before credentials are sent over plain HTTP or TCP."""
        origin = profile.origin
        if not profile.is_readable_on_network or self._secrets.trusts_plain(origin):
            return None
        how = "uses plain HTTP" if profile.scheme == "http" else "is not encrypted"
        question = (
            f"{origin} {how}: anyone on the network path can read the credentials. "
            "Send credentials to this server from now on?"
        )
        if not await self.asked(self._person.agrees(question)):
            allow = f"To allow this server from now on, run `rpcexplorer profiles secret {profile.name} --allow-http`."
            secure = WITH_TLS[profile.scheme]
            advice = f"Use {secure}, or add a profile for this server." if profile.ad_hoc else f"Use {secure}. {allow}"
            return Refused("credentials", f"Credentials not sent: {origin} {how}. {advice}")
        self._secrets.trust_plain(origin)
        return None


async def _in_thread(function: Callable[[], T], end: Callable[[], None]) -> T:
    """Return the result of a function, without blocking the event loop; a load test has none.

    ``end`` makes it return if the caller is cancelled.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return function()
    try:
        return await asyncio.to_thread(function)
    except asyncio.CancelledError:
        end()
        raise


def _parts_of(known: Iterable[Secret]) -> Iterator[Secret]:
    """Yield the parts of values that our output can contain.

    These are single lines, as a process prints them, and quotes without blanks and full stops at their ends.
    """
    for secret in known:
        value = secret.reveal()
        parts = set[str]()
        for line in value.splitlines():
            stripped = line.strip()
            parts |= {line, stripped, stripped.rstrip(".")}
        for part in sorted(parts - {value}):
            yield Secret(part, secret.label, secret.source, is_public=secret.is_public)
