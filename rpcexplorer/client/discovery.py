"""Discovery: asks a service which methods it has, in each dialect that services speak, one call at a time.

A dialect is a generator in ``DIALECTS``: it yields questions, is sent answers and returns a listing, so it needs no
socket and a test drives it by hand. It never runs but when somebody asks for it, and none of its calls is recorded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Generator, Iterator
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.client.beforehand import Stop
from rpcexplorer.client.client import Client
from rpcexplorer.client.keys import Keys
from rpcexplorer.client.statuses import MEANINGS
from rpcexplorer.client.trips import Watch
from rpcexplorer.model.catalogue import Discovery, Listing, Method
from rpcexplorer.model.draft import Draft, spelled
from rpcexplorer.model.exchange import Cancelled, Exchange, Refused, Unreached
from rpcexplorer.model.hearsay import line_of
from rpcexplorer.model.listed import read_names, with_help, with_signature
from rpcexplorer.model.openrpc import read_openrpc
from rpcexplorer.model.profile import InlineAuth, NoAuth, Profile
from rpcexplorer.protocol.messages import ErrorObject, Malformed, Result

REPLY_LIMIT = 32 * 1024 * 1024
"""Bytes of one answer: the largest documents that were seen have a few hundred thousand."""
MOST_EXPLAINED = 200
"""Methods whose help is asked for one by one."""

OTHER_PARAMS = (-32600, -32602)
"""Codes that may mean no more than that empty params should be written differently."""
NOT_OFFERED_CODES = (-32601, -32700, 1, 2, 500)
NOT_OFFERED_STATUS = (400, 404, 405, 500)
NOT_OFFERED_WORDS = re.compile(
    r"not found|unknown|no such|not supported|unsupported|does not exist|not implemented|unauthori[sz]ed",
    re.IGNORECASE,
)


class Question(Struct, frozen=True):
    """What a dialect wants to know."""

    method: str
    params: str = ""
    """JSON text; empty for none, in whichever spelling the service takes."""
    aside: bool = False
    """Only adds detail: if it fails, or all of its kind take too long, what is known stays good."""


class Answer(Struct, frozen=True):
    """What a dialect is told."""

    value: Any = None
    refusal: str = ""
    """Why there is no value, as in ``not offered (-32601)``; empty where there is one."""


Asking = Generator[Question, Answer, Listing]


class Dialect(Struct, frozen=True):
    """One way of asking."""

    name: str
    ask: Callable[[Collection[str]], Asking]
    """Is told the names that are described already."""


# --- the dialects ------------------------------------------------------------------------------------------------


def openrpc(described: Collection[str]) -> Asking:  # noqa: ARG001 - it has a say of its own on every method
    """A document that describes every method."""
    answer = yield Question("rpc.discover")
    return Listing(refusal=answer.refusal) if answer.refusal else read_openrpc(answer.value)


def list_methods(described: Collection[str]) -> Asking:
    """A list of names; help and signature of each that nobody has described are asked for one by one."""
    answer = yield Question("system.listMethods")
    listing = Listing(refusal=answer.refusal) if answer.refusal else read_names(answer.value)
    methods = {method.name: method for method in listing.methods}
    wanted = [name for name in methods if name not in described]
    said = list(listing.skipped)
    for companion, explained in (("system.methodHelp", with_help), ("system.methodSignature", with_signature)):
        for asked, name in enumerate(wanted[:MOST_EXPLAINED]):
            answer = yield Question(companion, f"[{spelled(name)}]", aside=True)
            if answer.refusal:
                said.append(f"{companion}: {answer.refusal}" + (f", after {asked} of {len(wanted)}" if asked else ""))
                break
            methods[name] = explained(methods[name], answer.value)
    if len(wanted) > MOST_EXPLAINED:
        said.append(f"help was asked for the first {MOST_EXPLAINED} of {len(wanted):,} only")
    return replace(listing, methods=tuple(methods.values()), skipped=tuple(said))


DIALECTS = (Dialect("rpc.discover", openrpc), Dialect("system.listMethods", list_methods))
"""In the order of how much they tell: the first to name a method describes it."""


# --- asking ------------------------------------------------------------------------------------------------------


async def discover(
    profile: Profile, keys: Keys, reply_limit: int, *, watch: Watch | None = None, stop: Stop | None = None
) -> Discovery:
    """Ask in every dialect and put the answers together. A service that cannot be reached ends it."""
    interview = Interview(profile, keys, min(reply_limit, REPLY_LIMIT), watch, stop)
    methods: dict[str, Method] = {}
    said: list[str] = []
    try:
        for dialect in DIALECTS:
            listing = await interview.hold(dialect.ask(methods.keys()))
            said += interview.notes()
            if isinstance(listing, Exchange):
                said.append(f"{dialect.name}: {_why_it_ended(listing)}")
                return Discovery(interview.when, sentences=tuple(said), ended=listing)
            said += [f"{dialect.name}: {sentence}" for sentence in _told(listing)]
            methods = {method.name: method for method in listing.methods} | methods
    finally:
        await interview.close()
    return Discovery(interview.when, tuple(methods.values()), tuple(said))


class Interview:
    """Puts a dialect's questions to the service with the profile's auth, and says what the answers mean.

    An inline profile puts its credentials into params, where a method that takes none will not have them: such a
    question is asked once more without. Questions aside have the profile's timeout for all of them together.
    """

    def __init__(self, profile: Profile, keys: Keys, reply_limit: int, watch: Watch | None, stop: Stop | None) -> None:
        self.when = datetime.now(UTC)
        self._inline = isinstance(profile.auth, InlineAuth)
        self._client = Client.of(profile, keys, reply_limit, _unrecorded)
        self._bare = Client.of(replace(profile, auth=NoAuth()), keys, reply_limit, _unrecorded)
        self._watch = watch
        self._stop = stop
        self._left_for_asides = profile.timeout
        self._notes: list[str] = []

    async def hold(self, asking: Asking) -> Listing | Exchange:
        """Answer all questions of a dialect; what it makes of them, or the exchange after which nothing can follow."""
        answer: Answer | None = None
        while True:
            question = _next(asking, answer)
            if isinstance(question, Listing):
                return question
            if question.aside and self._left_for_asides <= 0:
                answer = Answer(refusal="the time was up")
                continue
            exchange = await self._exchange(question)
            if _ends_it(exchange, question):
                return exchange
            answer = answer_of(exchange)

    def notes(self) -> list[str]:
        """What happened by the way since this was asked last, such as a login."""
        notes, self._notes = self._notes, []
        return notes

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()
        await self._bare.close()

    async def _exchange(self, question: Question) -> Exchange:
        """Ask in one form after the other for as long as the service minds the params."""
        for client, params in self._forms(question):
            timeout = self._left_for_asides if question.aside else None
            draft = Draft(question.method, params)
            exchange = await client.send(draft, timeout=timeout, watch=self._watch, stop=self._stop)
            self._notes += exchange.notes
            if question.aside:
                self._left_for_asides -= exchange.seconds
            if not isinstance(exchange.outcome, ErrorObject) or exchange.outcome.code not in OTHER_PARAMS:
                break
        return exchange

    def _forms(self, question: Question) -> Iterator[tuple[Client, str]]:
        usual = self._bare if self._inline else self._client
        if question.params:  # an array, which has no place for inline credentials
            yield usual, question.params
            return
        yield self._client, "[]"
        if self._inline:
            yield self._bare, "[]"
        yield usual, "{}"


def _next(asking: Asking, answer: Answer | None) -> Question | Listing:
    """Tell a dialect what came, and hear what it asks next or what it made of all."""
    try:
        return next(asking) if answer is None else asking.send(answer)
    except StopIteration as stop:  # the way a generator hands over what it returns
        listing: Listing = stop.value
        return listing


# --- what an exchange means --------------------------------------------------------------------------------------


def answer_of(exchange: Exchange) -> Answer:
    """The result, or why there is none, as far as a dialect needs to know."""
    match exchange.outcome:
        case Result() as result:
            return _value(result)
        case ErrorObject(code=code, message=message):
            said = " ".join([*([] if code is None else [str(code)]), *filter(None, [line_of(message)])])
            if code == -32601:
                return Answer(refusal="not offered (-32601)")
            return Answer(refusal=f"not offered ({said})" if _is_not_offered(exchange) else f"answered: error {said}")
        case Malformed(reason=reason):
            status = exchange.response.status
            if status in MEANINGS:
                return Answer(refusal=reason)
            not_offered = status in NOT_OFFERED_STATUS
            return Answer(refusal=f"not offered (HTTP {status})" if not_offered else f"unreadable: {reason}")
        case Unreached(sentence=sentence) | Refused(sentence=sentence):
            return Answer(refusal=sentence)
    return Answer(refusal=f"ended as {exchange.outcome_name}")


def _value(result: Result) -> Answer:
    try:
        return Answer(result.decoded())
    except (ValueError, RecursionError):  # the codec hands on any JSON; Python has limits to what it makes values of
        return Answer(refusal="unreadable: it nests too deep, or holds a number of too many digits")


def _is_not_offered(exchange: Exchange) -> bool:
    """Whether an error says no more than that there is no such method, as servers put it."""
    assert isinstance(exchange.outcome, ErrorObject)
    code, message = exchange.outcome.code, exchange.outcome.message
    return (
        code in NOT_OFFERED_CODES
        or exchange.response.status in NOT_OFFERED_STATUS
        or NOT_OFFERED_WORDS.search(message) is not None
    )


def _ends_it(exchange: Exchange, question: Question) -> bool:
    """Whether nothing can be asked any more. One answer that is too large says nothing about the next."""
    match exchange.outcome:
        case Cancelled() | Refused():
            return True
        case Unreached(step=step):
            return not question.aside and step != "size"
        case Malformed():
            return not question.aside and exchange.response.status in MEANINGS
    return False


def _why_it_ended(exchange: Exchange) -> str:
    stays = "What was known before stays."
    match exchange.outcome:
        case Unreached(sentence=sentence) | Malformed(reason=sentence):
            return f"{sentence} Asked was {exchange.url}. {stays}"
        case Refused(sentence=sentence):
            return f"{sentence} {stays}"
    return f"cancelled. {stays}"


def _told(listing: Listing) -> list[str]:
    """A listing in sentences."""
    if listing.refusal:
        return [listing.refusal]
    count = len(listing.methods)
    about = f" ({listing.about})" if listing.about else ""
    return [f"{count:,} method{'' if count == 1 else 's'}{about}", *listing.skipped]


def _unrecorded(exchange: Exchange) -> None:
    """What discovery does with its exchanges: the history is for the calls of the person."""
