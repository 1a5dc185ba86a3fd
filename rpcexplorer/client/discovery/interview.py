"""Discovery: asks a service which methods it has, as its profile says, one call at a time.

How services are asked is in dialects.py. It never runs but when somebody asks for it, and no call of it is recorded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import groupby

from msgspec.structs import replace

from rpcexplorer.auth.registry import auth_of
from rpcexplorer.auth.source import CredentialSource
from rpcexplorer.client.client import Client
from rpcexplorer.client.connection import connect
from rpcexplorer.client.discovery.answers import (
    OTHER_PARAMS,
    answer_of,
    document_of,
    ends_it,
    wants_login,
    why_it_ended,
)
from rpcexplorer.client.discovery.dialects import asked_of
from rpcexplorer.client.discovery.documents import read_document
from rpcexplorer.client.discovery.questions import NOT_OFFERED, TIME_IS_UP, Answered, Asking, Question
from rpcexplorer.client.stop import Stop
from rpcexplorer.model.complaint import Trouble
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Exchange, Refused, Watch
from rpcexplorer.model.methods.listing import Discovery, Listing
from rpcexplorer.model.methods.method import Method
from rpcexplorer.model.methods.sources import filled
from rpcexplorer.model.profile import Auth, DocumentSource, Profile
from rpcexplorer.model.schema.described import Described, completed
from rpcexplorer.protocol.messages import ErrorObject
from rpcexplorer.redaction.addresses import redacted_address
from rpcexplorer.transport.port import Transport

REPLY_LIMIT = 32 * 1024 * 1024
"""Bytes of one answer: the largest documents that were seen have a few hundred thousand."""

LONGEST_ASIDE = 5.0
"""Seconds for all questions aside together: there may be hundreds, and who waits has the names already."""

ReadDocument = Callable[[DocumentSource], bytes]
"""Gives what a file holds, or raises ``Trouble``."""


# --- asking ------------------------------------------------------------------------------------------------------


async def discover(
    profile: Profile,
    credentials: CredentialSource,
    reply_limit: int,
    *,
    read: ReadDocument | None = None,
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> Discovery:
    """Ask in the dialects of the profile and put the answers together. A service that cannot be reached ends it."""
    now, source = datetime.now(UTC), profile.discovery
    if source == "none":
        return Discovery(now, sentences=(_not_wanted(profile),))
    if isinstance(source, DocumentSource) and source.file:
        return _from_file(source, now, read)
    transport = await connect(profile, min(reply_limit, REPLY_LIMIT))
    interview = Interview(profile, credentials, transport, watch, stop)
    found = Findings(interview)
    try:
        for dialect in asked_of(profile, found):
            listing = await interview.hold(dialect.ask(found.well_described()))
            found.notes += interview.notes()
            if isinstance(listing, Exchange):
                sentences = (*found.sentences(), f"{dialect.name}: {why_it_ended(listing)}")
                return Discovery(now, sentences=sentences, ended=listing)
            found.add(dialect.name, listing, is_proof=dialect.clue is not None)
    finally:
        await interview.close()
    said = found.sentences()
    if not found.methods:
        asked = redacted_address(profile.endpoint)
        said.append(f"{asked} told of no methods. Any name can be typed and called all the same.")
    return Discovery(
        now,
        tuple(found.methods.values()),
        tuple(said),
        ended=None if found.methods else interview.closed,
        described=found.described,
        events=found.events,
    )


def _not_wanted(profile: Profile) -> str:
    return (
        f'Nothing was asked: profile {profile.name} says discovery = "none". '
        "Any name can be typed and called all the same."
    )


def _from_file(source: DocumentSource, now: datetime, read: ReadDocument | None) -> Discovery:
    """What a document says that lies on this machine; nobody is asked for anything."""
    if read is None:
        return Discovery(now, sentences=(f"{source.file}: files are not read here.",))
    try:
        answer = document_of(read(source))
    except Trouble as trouble:
        return Discovery(now, sentences=(f"{trouble.sentence}. What was known before stays.",))
    name = re.split(r"[/\\]", source.file)[-1]
    listing = Listing(refusal=answer.refusal) if answer.refusal else read_document(answer.value, name)
    sentences = tuple(f"{source.file}: {sentence}" for sentence in _told(listing))
    return Discovery(now, listing.methods, sentences, described=listing.described, events=listing.events)


class Findings:
    """What the dialects have told so far; see ``Heard`` for what is decided by it."""

    def __init__(self, interview: Interview) -> None:
        self.methods: dict[str, Method] = {}
        self.described: dict[str, Described] = {}
        self.events: tuple[Method, ...] = ()
        self.notes: list[str] = []
        """What happened by the way."""
        self.is_known = False
        self._is_understood = False
        """A question was answered as one about a method, be it that there is none."""
        self._interview = interview
        self._told: list[tuple[str, str]] = []

    def add(self, dialect: str, listing: Listing, *, is_proof: bool) -> None:
        """Add an answer; what was found before stays, its gaps filled. ``is_proof``: no other service gives it."""
        told = {method.name: method for method in listing.methods}
        self.methods = told | {
            name: filled(method, told[name]) if name in told else method for name, method in self.methods.items()
        }
        self.described = {
            **listing.described,
            **{
                name: completed(described, listing.described[name]) if name in listing.described else described
                for name, described in self.described.items()
            },
        }
        self.events = self.events or listing.events
        self._is_understood |= not listing.refusal or listing.refusal.startswith(NOT_OFFERED)
        self.is_known |= is_proof and not listing.refusal.startswith(NOT_OFFERED)
        self._told += [(dialect, sentence) for sentence in _told(listing)]

    def well_described(self) -> frozenset[str]:
        """Methods of which nobody need be asked any more."""
        return frozenset(name for name, method in self.methods.items() if method.doc)

    @property
    def has_methods(self) -> bool:
        return bool(self.methods)

    @property
    def is_closed(self) -> bool:
        return self._interview.closed is not None or not self._is_understood

    def gave_away(self, clue: re.Pattern[str]) -> bool:
        return any(clue.search(message) for message in self._interview.error_messages)

    def sentences(self) -> list[str]:
        """One for each dialect, but one for several that are not offered, or that are told the same of."""
        alike = [list(told) for _, told in groupby(self._told, lambda told: _reason(told[1]))]
        return [*self.notes, *(f"{', '.join(dialect for dialect, _ in told)}: {told[0][1]}" for told in alike)]


class Interview:
    """Puts a dialect's questions to the service with the profile's auth, and says what the answers mean.

    Nobody is asked for credentials before the service has asked for some. Some kinds of auth put credentials into
    params, where a method that takes none will not have them: such a question is asked once more without. Questions
    aside have a few seconds for all of them together, or the profile's timeout where that is shorter.
    """

    def __init__(
        self,
        profile: Profile,
        credentials: CredentialSource,
        transport: Transport,
        watch: Watch | None,
        stop: Stop | None,
    ) -> None:
        self._profile = profile
        self._inline = auth_of(profile).in_params
        self._with_credentials = _at_hand(profile, credentials)
        self.closed: Exchange | None = None
        """The first answer that asked for credentials which it did not get."""
        self.error_messages: list[str] = []
        """What the service said to the questions that it refused, but for those aside."""
        self._client = Client.of(profile, credentials, REPLY_LIMIT, _unrecorded, transport)
        self._bare = Client.of(replace(profile, auth=Auth()), credentials, REPLY_LIMIT, _unrecorded, transport)
        self._transport = transport
        """One for all questions, so that they go over one connection."""
        self._watch = watch
        self._stop = stop
        self._left_for_asides = min(profile.timeout, LONGEST_ASIDE)
        self._notes: list[str] = []

    async def hold(self, asking: Asking) -> Listing | Exchange:
        """Answer all questions of a dialect; what it makes of them, or the exchange after which nothing can follow."""
        answer: Answered | None = None
        while True:
            question = _next(asking, answer)
            if isinstance(question, Listing):
                return question
            if question.aside and self._left_for_asides <= 0:
                answer = Answered(refusal=TIME_IS_UP)
                continue
            exchange = await self._exchange(question)
            asks_for_login = wants_login(exchange, self._profile)
            if asks_for_login and not self._with_credentials and not question.aside:
                self._with_credentials = True
                exchange = await self._exchange(question)
                asks_for_login = wants_login(exchange, self._profile)
            if ends_it(exchange, question):
                return exchange
            asks_for_login = asks_for_login and not question.aside  # in which some kinds of auth have no place
            if not question.aside:
                self._remember(exchange, asks_for_login=asks_for_login)
            answer = answer_of(exchange, self._profile, asks_for_login=asks_for_login, document=question.document)

    def _remember(self, exchange: Exchange, *, asks_for_login: bool) -> None:
        if asks_for_login:
            self.closed = self.closed or exchange
        if isinstance(exchange.outcome, ErrorObject):
            self.error_messages.append(exchange.outcome.message)

    def notes(self) -> list[str]:
        """What happened by the way since this was asked last, such as a login."""
        notes, self._notes = self._notes, []
        return notes

    async def close(self) -> None:
        await self._transport.close()

    async def _exchange(self, question: Question) -> Exchange:
        """Ask in one form after the other for as long as the service minds the params."""
        for client, params in self._forms(question):
            timeout = self._left_for_asides if question.aside else None
            document = question.method if question.document else ""
            exchange = await client.send(
                Draft(question.method, params), timeout=timeout, watch=self._watch, stop=self._stop, document=document
            )
            self._notes += exchange.notes
            if question.aside:
                self._left_for_asides -= exchange.seconds
            if isinstance(exchange.outcome, Refused) and exchange.outcome.why == "params":
                continue
            if not isinstance(exchange.outcome, ErrorObject) or exchange.outcome.code not in OTHER_PARAMS:
                break
        return exchange

    def _forms(self, question: Question) -> Iterator[tuple[Client, str]]:
        if not self._with_credentials:
            yield self._bare, question.params or "[]"
            if not question.params and not question.document:
                yield self._bare, "{}"
            return
        usual = self._bare if self._inline else self._client
        if question.params and self._inline:  # an array has a place for some credentials, and none for others
            yield self._client, question.params
        if question.params or question.document:
            yield usual, question.params
            return
        yield self._client, "[]"
        if self._inline:
            yield self._bare, "[]"
        yield usual, "{}"


def _next(asking: Asking, answer: Answered | None) -> Question | Listing:
    """Tell a dialect what came, and hear what it asks next or what it made of all."""
    try:
        return next(asking) if answer is None else asking.send(answer)
    except StopIteration as stop:  # the way a generator hands over what it returns
        listing: Listing = stop.value
        return listing


def _at_hand(profile: Profile, credentials: CredentialSource) -> bool:
    """Whether credentials can be sent, or none are, without asking anybody."""
    needed = ("session",) if profile.has_sessions else profile.secrets
    return all(credentials.at_hand(profile, field) for field in needed)


def _reason(sentence: str) -> str:
    """What makes two sentences say the same; why something is not offered is told of the first alone."""
    return NOT_OFFERED if sentence.startswith(NOT_OFFERED) else sentence


def _told(listing: Listing) -> list[str]:
    if listing.refusal:
        return [listing.refusal]
    count = len(listing.methods)
    about = f" ({listing.about})" if listing.about else ""
    return [f"{count:,} method{'' if count == 1 else 's'}{about}", *listing.skipped]


def _unrecorded(exchange: Exchange) -> None:
    """What discovery does with its exchanges: the history is for the calls of the person."""
