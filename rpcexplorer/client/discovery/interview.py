"""Discovery: asks a service which methods it has, in each dialect that services speak, one call at a time.

How services are asked is in dialects.py. It never runs but when somebody asks for it, and no call of it is recorded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from msgspec.structs import replace

from rpcexplorer.auth.registry import auth_of
from rpcexplorer.client.client import Client
from rpcexplorer.client.credentials_port import CredentialSource
from rpcexplorer.client.discovery.dialects import DIALECTS, NOT_OFFERED, TIME_IS_UP, Answered, Asking, Question
from rpcexplorer.client.discovery.limits import line_of
from rpcexplorer.client.statuses import MEANINGS
from rpcexplorer.client.stop import Stop
from rpcexplorer.model.catalogue import Discovery, Listing, Method
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Cancelled, Exchange, Refused, Unreached, Watch
from rpcexplorer.model.login_asked import asks_for_login
from rpcexplorer.model.profile import Auth, Profile
from rpcexplorer.protocol.codes import METHOD_NOT_FOUND
from rpcexplorer.protocol.messages import ErrorObject, Malformed, Result
from rpcexplorer.redaction.addresses import redacted_address

REPLY_LIMIT = 32 * 1024 * 1024
"""Bytes of one answer: the largest documents that were seen have a few hundred thousand."""

OTHER_PARAMS = (-32600, -32602)
"""Codes that may mean no more than that empty params should be written differently."""
NOT_OFFERED_CODES = (METHOD_NOT_FOUND, -32700, 1, 2, 500)
NOT_OFFERED_STATUS = (400, 404, 405, 500)
NOT_OFFERED_WORDS = re.compile(
    r"not found|unknown|no such|not supported|unsupported|does not exist|not implemented", re.IGNORECASE
)
NOT_INITIALIZED = re.compile(r"not (?:been )?initiali[sz]ed|uninitiali[sz]ed", re.IGNORECASE)
"""What servers say that want a handshake before anything else."""


# --- asking ------------------------------------------------------------------------------------------------------


async def discover(
    profile: Profile,
    credentials: CredentialSource,
    reply_limit: int,
    *,
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> Discovery:
    """Ask in every dialect and put the answers together. A service that cannot be reached ends it."""
    interview = Interview(profile, credentials, min(reply_limit, REPLY_LIMIT), watch, stop)
    methods: dict[str, Method] = {}
    said: list[str] = []
    closed: Exchange | None = None
    try:
        for dialect in DIALECTS:
            listing = await interview.hold(dialect.ask(methods.keys()))
            said += interview.notes()
            if isinstance(listing, Exchange):
                said.append(f"{dialect.name}: {_why_it_ended(listing)}")
                return Discovery(interview.when, sentences=tuple(said), ended=listing)
            said += [f"{dialect.name}: {sentence}" for sentence in _told(listing)]
            methods = {method.name: method for method in listing.methods} | methods
            closed = closed or interview.closed
    finally:
        await interview.close()
    if not methods:
        asked = redacted_address(profile.endpoint)
        said.append(f"{asked} told of no methods. Any name can be typed and called all the same.")
    return Discovery(interview.when, tuple(methods.values()), tuple(said), ended=None if methods else closed)


class Interview:
    """Puts a dialect's questions to the service with the profile's auth, and says what the answers mean.

    Nobody is asked for credentials before the service has asked for some. Some kinds of auth put credentials into
    params, where a method that takes none will not have them: such a question is asked once more without. Questions
    aside have the profile's timeout for all of them together.
    """

    def __init__(
        self, profile: Profile, credentials: CredentialSource, reply_limit: int, watch: Watch | None, stop: Stop | None
    ) -> None:
        self.when = datetime.now(UTC)
        self._profile = profile
        self._inline = auth_of(profile).in_params
        self._with_credentials = _at_hand(profile, credentials)
        self.closed: Exchange | None = None
        """The first answer that asked for credentials which it did not get."""
        self._client = Client.of(profile, credentials, reply_limit, _unrecorded)
        self._bare = Client.of(replace(profile, auth=Auth()), credentials, reply_limit, _unrecorded)
        self._watch = watch
        self._stop = stop
        self._left_for_asides = profile.timeout
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
            asks_for_login = self._asks_for_login(exchange)
            if asks_for_login and not self._with_credentials and not question.aside:
                self._with_credentials = True
                exchange = await self._exchange(question)
                asks_for_login = self._asks_for_login(exchange)
            if _ends_it(exchange, question):
                return exchange
            if asks_for_login and not question.aside:
                self.closed = self.closed or exchange
            answer = answer_of(exchange, self._profile, asks_for_login=asks_for_login)

    def notes(self) -> list[str]:
        """What happened by the way since this was asked last, such as a login."""
        notes, self._notes = self._notes, []
        return notes

    async def close(self) -> None:
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

    def _asks_for_login(self, exchange: Exchange) -> bool:
        return asks_for_login(self._profile.login, exchange.outcome, exchange.response.status)

    def _forms(self, question: Question) -> Iterator[tuple[Client, str]]:
        if not self._with_credentials:
            yield self._bare, question.params or "[]"
            if not question.params:
                yield self._bare, "{}"
            return
        usual = self._bare if self._inline else self._client
        if question.params:  # an array, which has no place for credentials
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


# --- what an exchange means --------------------------------------------------------------------------------------


def _at_hand(profile: Profile, credentials: CredentialSource) -> bool:
    """Whether credentials can be sent, or none are, without asking anybody."""
    needed = ("session",) if profile.has_sessions else profile.secrets
    return all(credentials.at_hand(profile, field) for field in needed)


def answer_of(exchange: Exchange, profile: Profile, *, asks_for_login: bool) -> Answered:
    """The result, or why there is none, as far as a dialect needs to know."""
    match exchange.outcome:
        case Result() as result:
            return _value(result)
        case ErrorObject(code=code, message=message):
            said = " ".join([*([] if code is None else [str(code)]), *filter(None, [line_of(message)])])
            if code == METHOD_NOT_FOUND:
                return Answered(refusal=f"{NOT_OFFERED} (-32601)")
            return Answered(refusal=_refusal(exchange, said, profile, asks_for_login=asks_for_login))
        case Malformed(reason=reason):
            status = exchange.response.status
            if status in MEANINGS:
                return Answered(refusal=reason)
            not_offered = status in NOT_OFFERED_STATUS
            return Answered(refusal=f"{NOT_OFFERED} (HTTP {status})" if not_offered else f"unreadable: {reason}")
        case Unreached(sentence=sentence) | Refused(sentence=sentence):
            return Answered(refusal=sentence)
    return Answered(refusal=f"ended as {exchange.outcome_name}")


def _value(result: Result) -> Answered:
    try:
        return Answered(result.decoded())
    except (ValueError, RecursionError):  # the codec hands on any JSON; Python has limits to what it makes values of
        return Answered(refusal="unreadable: it nests too deep, or holds a number of too many digits")


def _refusal(exchange: Exchange, said: str, profile: Profile, *, asks_for_login: bool) -> str:
    """Why an error stands where a listing should: what is missing, where it says so."""
    assert isinstance(exchange.outcome, ErrorObject)
    if asks_for_login:
        advice = "this profile sends none: set its auth" if not profile.secrets else "it did not take these"
        return f"asks for credentials ({said}); {advice}"
    if NOT_INITIALIZED.search(exchange.outcome.message):
        return f"wants to be initialized first ({said}): a handshake that this program does not make yet"
    if exchange.outcome.code == -32602:
        return f"wants params that are not known ({said}): call it yourself"
    return f"{NOT_OFFERED} ({said})" if _is_not_offered(exchange) else f"answered: error {said}"


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
    if listing.refusal:
        return [listing.refusal]
    count = len(listing.methods)
    about = f" ({listing.about})" if listing.about else ""
    return [f"{count:,} method{'' if count == 1 else 's'}{about}", *listing.skipped]


def _unrecorded(exchange: Exchange) -> None:
    """What discovery does with its exchanges: the history is for the calls of the person."""
