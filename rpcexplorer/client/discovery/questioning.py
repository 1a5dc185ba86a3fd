"""An interview: a dialect's questions are put to a service, several at once where they do not wait for each other.

What a dialect makes of a large answer is found out in another thread: a screen goes on meanwhile.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from msgspec.structs import replace

from rpcexplorer.auth.credentials import CredentialSource
from rpcexplorer.auth.registry import auth_of
from rpcexplorer.client.client import Client
from rpcexplorer.client.discovery.answers import OTHER_PARAMS, answer_of, ends_it, wants_login
from rpcexplorer.client.discovery.questions import AT_ONCE, TIME_IS_UP, Answered, Asking, Question, Several
from rpcexplorer.client.discovery.side_by_side import side_by_side
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Exchange, Refused, Stop
from rpcexplorer.model.methods.listing import Listing
from rpcexplorer.model.profile import Auth, Profile
from rpcexplorer.rpc.messages import ErrorObject
from rpcexplorer.transport.port import Transport, Watch

REPLY_LIMIT: Final = 32 * 1024 * 1024
"""Bytes of one answer: the largest documents that were seen have a few hundred thousand."""
LONGEST_ASIDE = 5.0
"""Seconds for all questions aside together: there may be hundreds, and who waits has the names already."""
LONGEST_GUESS: Final = 2.0
"""Seconds for each document that is only looked for."""
LEAST_TIME: Final = 0.01
"""Seconds that a question has which is asked in another form once more."""
LARGE: Final = 64 * 1024
"""Bytes of an answer that take some time to be read."""
HUGE: Final = 1024 * 1024
"""Bytes of an answer that makes so many values that looking for garbage among them is noticed."""


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
        *,
        watch: Watch | None,
        stop: Stop | None,
        tell: Callable[[str], None],
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
        """One for all questions, so that they go over the same connections."""
        self._at_once = AT_ONCE if profile.url.startswith(("http:", "https:")) else 1
        self._watch = watch
        self._stop = stop
        self._tell = tell
        self._left_for_asides = min(profile.timeout, LONGEST_ASIDE)
        self._notes: list[str] = []
        self._collector_rests = False
        """Python's search for garbage, which stops all threads: among a million values, for a third of a second."""

    async def hold(self, asking: Asking) -> Listing | Exchange:
        """Answer all questions of a dialect; what it makes of them, or the exchange after which nothing can follow."""
        answer: Answered | None = None
        is_large = False
        while True:
            step = await asyncio.to_thread(_next, asking, answer) if is_large else _next(asking, answer)
            if isinstance(step, Listing):
                return step
            questions = step.questions if isinstance(step, Several) else (step,)
            if isinstance(step, Several) and self._left_for_asides > 0:
                self._tell(step.told)
            answers: list[Answered] = []
            is_large = False
            for start in range(0, len(questions), self._at_once):
                for question, exchange in await self._asked(questions[start : start + self._at_once]):
                    if exchange is None:
                        answers.append(Answered(refusal=TIME_IS_UP))
                    elif ends_it(exchange, question):
                        return exchange
                    else:
                        is_large |= len(exchange.response.body) > LARGE
                        answers.append(await self._answer(question, exchange))
            answer = Answered(each=tuple(answers)) if isinstance(step, Several) else answers[0]

    async def _asked(self, questions: Sequence[Question]) -> list[tuple[Question, Exchange | None]]:
        """What came of questions that go out at once; None where there is no time left for them."""
        if self._left_for_asides <= 0 and any(question.aside for question in questions):
            return [(question, None) for question in questions]
        if len(questions) == 1:
            exchanges = [await self._ask(questions[0], self._stop)]
        else:
            exchanges = await side_by_side([partial(self._ask, question) for question in questions], self._stop)
        pairs = list(zip(questions, exchanges, strict=True))
        self._left_for_asides -= max((each.seconds for question, each in pairs if question.aside), default=0)
        return list(pairs)

    async def _ask(self, question: Question, stop: Stop | None) -> Exchange:
        exchange = await self._exchange(question, stop)
        if question.is_extra or self._with_credentials or not wants_login(exchange, self._profile):
            return exchange
        self._with_credentials = True
        return await self._exchange(question, stop)

    async def _answer(self, question: Question, exchange: Exchange) -> Answered:
        """What an exchange tells the dialect. Some kinds of auth have no place in a question aside."""
        asks_for_login = not question.is_extra and wants_login(exchange, self._profile)
        if asks_for_login:
            self.closed = self.closed or exchange
        if isinstance(exchange.outcome, ErrorObject) and not question.is_extra:
            self.error_messages.append(exchange.outcome.message)
        if len(exchange.response.body) > HUGE and gc.isenabled():
            self._collector_rests = True
            gc.disable()
        read = partial(answer_of, exchange, self._profile, asks_for_login=asks_for_login)
        return await asyncio.to_thread(read) if len(exchange.response.body) > LARGE else read()

    def notes(self) -> list[str]:
        """What happened by the way since this was asked last, such as a login."""
        notes, self._notes = self._notes, []
        return notes

    async def close(self) -> None:
        if self._collector_rests:
            gc.freeze()  # what was made of the answer stays: to look through it would take as long once more
            gc.enable()
        await self._transport.close()

    async def _exchange(self, question: Question, stop: Stop | None) -> Exchange:
        """Ask in one form after the other for as long as the service minds the params."""
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
            self._notes += exchange.notes
            seconds += exchange.seconds
            if isinstance(exchange.outcome, Refused) and exchange.outcome.why == "params":
                continue
            if not isinstance(exchange.outcome, ErrorObject) or exchange.outcome.code not in OTHER_PARAMS:
                break
        return replace(exchange, seconds=seconds)

    def _time_for(self, question: Question, spent: float) -> float | None:
        if question.guess:
            return min(self._profile.timeout, LONGEST_GUESS)
        return max(self._left_for_asides - spent, LEAST_TIME) if question.aside else None

    def _forms(self, question: Question) -> Iterator[tuple[Client, str]]:
        if question.guess:
            yield self._bare, ""
            return
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


def _next(asking: Asking, answer: Answered | None) -> Question | Several | Listing:
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


def _unrecorded(exchange: Exchange) -> None:
    """What discovery does with its exchanges: the history is for the calls of the person."""
