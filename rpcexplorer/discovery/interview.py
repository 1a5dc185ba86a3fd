"""Discovery: asking a service for its methods."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from rpcexplorer.auth.credentials import CredentialSource
from rpcexplorer.auth.registry import auth_of
from rpcexplorer.client.profile_client import ProfileClient
from rpcexplorer.discovery import documents, lists, mcp
from rpcexplorer.discovery.documents import at_path, paths_to_try, read_document
from rpcexplorer.discovery.help import help_text
from rpcexplorer.discovery.methods import Discovery, DiscoveryStep, Listing, TellStep, line_of
from rpcexplorer.discovery.openrpc import openrpc
from rpcexplorer.discovery.questions import (
    MAX_PARALLEL,
    NOT_OFFERED,
    OTHER_PARAMS,
    TIME_IS_UP,
    Answer,
    Dialogue,
    DiscoveryProtocol,
    Question,
    Questions,
    answer_of,
    ends_discovery,
    explain_end,
    value_of,
    wants_login,
)
from rpcexplorer.discovery.reader import key_of_event, within_limits
from rpcexplorer.discovery.store import read_description
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Exchange, Refused, Stop
from rpcexplorer.model.method import Described, completed
from rpcexplorer.model.problem import UserError, counted
from rpcexplorer.model.profile import Auth, DocumentSource, Profile
from rpcexplorer.patterns import regex
from rpcexplorer.redaction.addresses import redacted_address
from rpcexplorer.rpc.messages import ErrorObject
from rpcexplorer.transport.port import Watch

T = TypeVar("T")


async def run_at_once(calls: Sequence[Callable[[Stop], Coroutine[Any, Any, T]]], stop: Stop | None) -> list[T]:
    """Run all calls at once and return their results in order.

    ``stop`` ends all calls. Each of them still has a result.
    """
    buttons = [Stop() for _ in calls]
    task = asyncio.current_task()
    assert task is not None
    tasks = [asyncio.ensure_future(call(button)) for call, button in zip(calls, buttons, strict=True)]
    stop = stop or Stop()
    stop.watch(task)
    try:
        await asyncio.wait(tasks)
    except asyncio.CancelledError:
        stop.watch(None)
        if not stop.pressed:  # the whole program ends
            for call_task in tasks:
                call_task.cancel()
            raise
        task.uncancel()
        for button in buttons:
            button.press()
        await asyncio.wait(tasks)
    finally:
        stop.watch(None)
    return [call_task.result() for call_task in tasks]


RESPONSE_LIMIT: Final = 32 * 1024 * 1024
"""Bytes of one response; the largest known documents have a few 100,000."""
EXTRA_SECONDS = 5.0
"""Seconds for all optional questions together.

There may be hundreds of them, and the user has the names already.
"""
GUESS_SECONDS: Final = 2.0
"""Seconds for each document that may be missing."""
MIN_SECONDS: Final = 0.01
"""Seconds for a question that is sent again in another form."""
LARGE: Final = 64 * 1024
"""Bytes of a response that takes noticeable time to parse."""


class Interview:
    """The questions of discovery protocols, sent with the profile's auth.

    You are asked for credentials only after the service has asked for some. Some auth types put credentials into the
    params, where a method without params rejects them: such a question is sent again without credentials. Optional
    questions have a few seconds for all of them together, or the profile's timeout if that is shorter.
    """

    def __init__(
        self,
        profile: Profile,
        credentials: CredentialSource,
        client: ProfileClient,
        bare: ProfileClient,
        *,
        watch: Watch | None,
        stop: Stop | None,
        tell: Callable[[str], None],
    ) -> None:
        self._profile = profile
        self._inline = auth_of(profile).in_params
        self._with_credentials = _has_credentials(profile, credentials)
        self.closed: Exchange | None = None
        """The first response that asked for credentials and did not get them."""
        self.error_messages: list[str] = []
        """Error messages of the responses, without those to optional questions."""
        self._client, self._bare = client, bare
        self._at_once = MAX_PARALLEL if profile.url.startswith(("http:", "https:")) else 1
        self._watch = watch
        self._stop = stop
        self._tell = tell
        self._left_for_asides = min(profile.timeout, EXTRA_SECONDS)
        self.notes: list[str] = []
        """Notes of the exchanges, such as one about a login."""

    async def hold(self, asking: Dialogue) -> Listing | Exchange:
        """Answer all questions of a protocol.

        Return its listing, or the exchange that ended the discovery.
        """
        answer: Answer | None = None
        is_large = False
        while True:
            if is_large:
                step = await asyncio.to_thread(_next, asking, answer)
            else:
                step = _next(asking, answer)
            if isinstance(step, Listing):
                return step
            questions = step.questions if isinstance(step, Questions) else (step,)
            if isinstance(step, Questions) and self._left_for_asides > 0:
                self._tell(step.progress)
            answers: list[Answer] = []
            is_large = False
            for start in range(0, len(questions), self._at_once):
                for question, exchange in await self._ask_at_once(questions[start : start + self._at_once]):
                    if exchange is None:
                        answers.append(Answer(refusal=TIME_IS_UP))
                    elif ends_discovery(exchange, question):
                        return exchange
                    else:
                        is_large |= len(exchange.response.body) > LARGE
                        answers.append(await self._answer(question, exchange))
            answer = answers[0]
            if isinstance(step, Questions):
                answer = Answer(answers=tuple(answers))

    async def _ask_at_once(self, questions: Sequence[Question]) -> list[tuple[Question, Exchange | None]]:
        """Return the exchanges of questions sent at once; None if the time is up."""
        if self._left_for_asides <= 0 and any(question.aside for question in questions):
            return [(question, None) for question in questions]
        if len(questions) == 1:
            exchanges = [await self._ask(questions[0], self._stop)]
        else:
            exchanges = await run_at_once([partial(self._ask, question) for question in questions], self._stop)
        seconds = [exchange.seconds for question, exchange in zip(questions, exchanges, strict=True) if question.aside]
        self._left_for_asides -= max(seconds, default=0)
        return list(zip(questions, exchanges, strict=True))

    async def _ask(self, question: Question, stop: Stop | None) -> Exchange:
        exchange = await self._exchange(question, stop)
        if question.is_extra or self._with_credentials or not wants_login(exchange, self._profile):
            return exchange
        self._with_credentials = True
        return await self._exchange(question, stop)

    async def _answer(self, question: Question, exchange: Exchange) -> Answer:
        """Return the meaning of an exchange for the protocol."""
        asks_for_login = not question.is_extra and wants_login(exchange, self._profile)
        if asks_for_login:
            self.closed = self.closed or exchange
        if isinstance(exchange.outcome, ErrorObject) and not question.is_extra:
            self.error_messages.append(exchange.outcome.message)
        read = partial(answer_of, exchange, self._profile, asks_for_login=asks_for_login)
        if len(exchange.response.body) > LARGE:
            return await asyncio.to_thread(read)
        return read()

    async def _exchange(self, question: Question, stop: Stop | None) -> Exchange:
        """Send the question in other forms while the service rejects the params."""
        seconds = 0.0
        for client, params in self._forms(question):
            document = question.method if question.document else ""
            exchange = await client.send(
                Draft(question.method, params),
                timeout=self._time_for(question, seconds),
                watch=self._watch,
                stop=stop,
                document=document,
            )
            self.notes += exchange.notes
            seconds += exchange.seconds
            if isinstance(exchange.outcome, Refused) and exchange.outcome.why == "params":
                continue
            if not isinstance(exchange.outcome, ErrorObject) or exchange.outcome.code not in OTHER_PARAMS:
                break
        return replace(exchange, seconds=seconds)

    def _time_for(self, question: Question, spent: float) -> float | None:
        if question.guess:
            return min(self._profile.timeout, GUESS_SECONDS)
        if question.aside:
            return max(self._left_for_asides - spent, MIN_SECONDS)
        return None

    def _forms(self, question: Question) -> Iterator[tuple[ProfileClient, str]]:
        if question.guess:
            yield self._bare, ""
            return
        if not self._with_credentials:
            yield self._bare, question.params or "[]"
            if not question.params and not question.document:
                yield self._bare, "{}"
            return
        usual = self._bare if self._inline else self._client
        if question.params and self._inline:  # an array has a place for the credentials of some auth types only
            yield self._client, question.params
        if question.params or question.document:
            yield usual, question.params
            return
        yield self._client, "[]"
        if self._inline:
            yield self._bare, "[]"
        yield usual, "{}"


def _next(asking: Dialogue, answer: Answer | None) -> Question | Questions | Listing:
    """Pass an answer to a protocol; return its next questions or its listing."""
    try:
        return next(asking) if answer is None else asking.send(answer)
    except StopIteration as stop:  # a generator returns its value this way
        return within_limits(stop.value)


def _has_credentials(profile: Profile, credentials: CredentialSource) -> bool:
    """Return whether all required credentials are available."""
    needed = ("session",) if profile.has_sessions else profile.secrets
    return all(credentials.is_known(profile, field) for field in needed)


SAME_FOR_ALL: Final = ("unreadable: ", "the server needs a handshake", "the server asks for credentials")
"""Beginnings of refusals that all other questions would get, too."""


class Findings:
    """The results of all protocols together."""

    def __init__(self, interview: Interview) -> None:
        self.described: dict[str, Described] = {}
        self.events: Mapping[str, Described] = {}
        self.is_known = False
        """A suspected protocol was found, so that no other one is tried."""
        self._is_understood = False
        """The service answered a question as one about a method."""
        self._interview = interview
        self._sentences: list[tuple[str, str]] = []

    def add(self, protocol: DiscoveryProtocol, listing: Listing) -> None:
        """Add a listing; earlier facts win, and gaps are filled."""
        for name, described in listing.described.items():
            known = self.described.get(name)
            self.described[name] = completed(known, described) if known else described
        self.events = self.events or listing.events
        is_offered = not listing.refusal.startswith(NOT_OFFERED)
        # An error of another kind is one of this method alone: the next one may list methods.
        self._is_understood |= not listing.refusal.startswith(SAME_FOR_ALL)
        self.is_known |= protocol.clue is not None and is_offered
        self._sentences += [(protocol.name, sentence) for sentence in sentences_of(listing)]

    @property
    def is_closed(self) -> bool:
        """Return whether all other questions would get the same refusal."""
        return self._interview.closed is not None or not self._is_understood

    @property
    def is_not_found(self) -> bool:
        """Whether there was only HTTP 404: the path is probably wrong."""
        return all(sentence == f"{NOT_OFFERED} (HTTP 404)" for _, sentence in self._sentences)

    def matches_clue(self, clue: re.Pattern[str]) -> bool:
        """Return whether an error message matches a clue to a kind of service."""
        return any(clue.search(message) for message in self._interview.error_messages)

    def sentences(self) -> list[str]:
        """Return a sentence for each protocol, or for several with one result."""
        names_by_sentence: dict[str, list[str]] = {}
        for name, sentence in self._sentences:
            names_by_sentence.setdefault(sentence, []).append(name)
        of_protocols = [f"{', '.join(names)}: {sentence}" for sentence, names in names_by_sentence.items()]
        return [*self._interview.notes, *of_protocols]


def sentences_of(listing: Listing) -> list[str]:
    """Return the results of one protocol as sentences."""
    if listing.refusal:
        return [listing.refusal]
    found = counted(len(listing.described), "method")
    if listing.about:
        found += f" ({listing.about})"
    return [found, *listing.skipped]


def _name_list(name: str, clue: str = "") -> DiscoveryProtocol:
    return DiscoveryProtocol(name, lists.NAME_LISTS[name], re.compile(clue, re.IGNORECASE) if clue else None)


ANY_NAME: Final = "You can still type and call any method."
ALWAYS_ASKED: Final = (DiscoveryProtocol("rpc.discover", openrpc), _name_list("system.listMethods"))
"""The most detailed protocol first: it describes the methods it names."""
GRAPHENE: Final = _name_list(lists.GET_METHODS, "assert exception:")
"""Chains made with that library start their errors with these words."""
SUSPECTED: Final = (
    DiscoveryProtocol("rpc_modules", lists.rpc_modules, regex(r"the method \S+ does not exist", re.IGNORECASE)),
    _name_list("Shelly.ListMethods", "no handler for"),
    GRAPHENE,
)
"""Asked only if an error message matches the clue."""
TRIED_IN_TURN: Final = (
    DiscoveryProtocol("rpc.describe", documents.rpc_describe),
    DiscoveryProtocol("system.describe", documents.system_describe),
    _name_list("rpc_methods"),
    DiscoveryProtocol("JSONRPC.Introspect", documents.introspect),
    DiscoveryProtocol("core.describe", documents.describe),
    DiscoveryProtocol("help", help_text),
)
NAMED_ONLY: Final = (
    DiscoveryProtocol("tools/list", mcp.tools),
    DiscoveryProtocol("list", lists.objects),
    _name_list("__listMethods"),
)
PROTOCOLS: Final = {protocol.name: protocol for protocol in (*ALWAYS_ASKED, *TRIED_IN_TURN, *NAMED_ONLY, GRAPHENE)}
"""Protocols that a profile can name."""


def protocols_to_ask(profile: Profile, found: Findings) -> Iterator[DiscoveryProtocol]:
    """Yield the protocols to try; ``found`` decides on the next one."""
    if isinstance(profile.discovery, DocumentSource):
        yield at_path(profile.discovery.url, endpoint=profile.endpoint)
    elif profile.discovery == "help":
        yield PROTOCOLS["rpc.discover"]  # Bitcoin Core has both, from version 32.
        if not found.described:
            yield PROTOCOLS["help"]
    elif profile.discovery != "auto":
        yield PROTOCOLS[profile.discovery]
    elif profile.handshake == "mcp":
        yield PROTOCOLS["tools/list"]
    else:
        first, *others = ALWAYS_ASKED
        yield first
        for path in paths_to_try(profile):
            if not found.described and not found.is_closed:
                yield at_path(path, guess=True)
        yield from others
        for protocol in (*SUSPECTED, *TRIED_IN_TURN):
            if found.described or found.is_closed or found.is_known:
                return
            if protocol.clue is None or found.matches_clue(protocol.clue):
                yield protocol


ASKED: Final = "asked"


async def discover(
    profile: Profile,
    credentials: CredentialSource,
    reply_limit: int,
    *,
    client: Callable[[], Awaitable[ProfileClient]] | None = None,
    watch: Watch | None = None,
    stop: Stop | None = None,
    tell: TellStep | None = None,
) -> Discovery:
    """Discover the methods with the protocols of the profile.

    A service that cannot be reached ends the discovery. ``client`` returns one whose connection stays open, if the
    server has to be asked. ``tell`` gets each step.
    """
    now, source = datetime.now(UTC), profile.discovery
    if source == "none":
        sentence = f'Discovery is off: profile {profile.name} has discovery = "none".'
        return Discovery(now, sentences=(f"{sentence} {ANY_NAME}",))
    if isinstance(source, DocumentSource) and source.file:
        return await asyncio.to_thread(described_in_file, source)
    if client is None:
        own = ProfileClient(profile, credentials, reply_limit=min(reply_limit, RESPONSE_LIMIT))
    else:
        own = await client()
    # Credentials of a WebSocket belong to the connection, which all questions share.
    bare = profile if profile.connection_kind == "websocket" else replace(profile, auth=Auth())
    asked = ""

    def say(words: str) -> None:
        if tell:
            tell(DiscoveryStep(asked, words, len(found.described)))

    clients = await own.beside(profile), await own.beside(bare)
    interview = Interview(profile, credentials, *clients, watch=watch, stop=stop, tell=say)
    found = Findings(interview)
    try:
        for protocol in protocols_to_ask(profile, found):
            asked = protocol.name
            say(ASKED)
            with_doc = frozenset(name for name, described in found.described.items() if described.doc)
            listing = await interview.hold(protocol.ask(with_doc))
            if isinstance(listing, Exchange):
                sentences = (*found.sentences(), f"{protocol.name}: {explain_end(listing)}")
                return Discovery(now, sentences=sentences, ended=listing)
            found.add(protocol, listing)
            say(sentences_of(listing)[0])
    finally:
        if client is None:
            await own.close()
    listing = Listing(found.described, events=found.events)
    if found.described:
        return discovery_of(now, listing, found.sentences())
    address = redacted_address(profile.endpoint)
    nothing = f"{address} does not list its methods. {ANY_NAME}"
    if interview.closed is not None:
        nothing = f"{address} lists no methods without credentials. {ANY_NAME}"
    elif found.is_not_found and not isinstance(source, DocumentSource):
        nothing = f"HTTP 404 for every request. Check the path of {address}."
    return discovery_of(now, listing, (*found.sentences(), nothing), interview.closed)


def discovery_of(
    when: datetime, listing: Listing, sentences: Iterable[str], ended: Exchange | None = None
) -> Discovery:
    """Return the discovery with a line for each method and event."""
    of_events = {key_of_event(name): described for name, described in listing.events.items()}
    return Discovery(
        when,
        tuple([line_of(name, described) for name, described in listing.described.items()]),
        tuple(sentences),
        ended,
        described={**listing.described, **of_events},
        events=tuple([line_of(name, described) for name, described in listing.events.items()]),
    )


def described_in_file(source: DocumentSource) -> Discovery:
    """Return the methods that a local document describes; nothing is sent."""
    now = datetime.now(UTC)
    try:
        answer = value_of(read_description(source))
    except UserError as error:
        return Discovery(now, sentences=(f"{error.sentence}. The method list did not change.",))
    name = source.file.replace("\\", "/").rpartition("/")[2]
    listing = Listing(refusal=answer.refusal)
    if not answer.refusal:
        listing = within_limits(read_document(answer.value, name))
    return discovery_of(now, listing, (f"{source.file}: {sentence}" for sentence in sentences_of(listing)))
