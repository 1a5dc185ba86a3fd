"""The questions of a discovery protocol, and the meaning of the responses."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Generator, Sequence
from typing import Any, Final

from msgspec import Struct

from rpcexplorer.auth.login import asks_for_login
from rpcexplorer.client.call import MEANINGS
from rpcexplorer.discovery.methods import Listing
from rpcexplorer.discovery.reader import MAX_LEVELS, NotAdmittedError, admit, line_of
from rpcexplorer.model.exchange import Cancelled, Exchange, Refused, Unreached
from rpcexplorer.model.profile import Profile
from rpcexplorer.patterns import regex
from rpcexplorer.rpc.messages import METHOD_NOT_FOUND, ErrorObject, Malformed, Result, decoded, spelled

MAX_EXPLAINED = 200
"""Methods whose help is requested one by one."""
MAX_REFUSALS = 3
"""Refusals in a row after which no further method is asked about."""
MAX_PARALLEL = 4
"""Questions to send at once."""
NOT_OFFERED = "not offered"
TIME_IS_UP = "the time limit was reached"
EMPTY: Final = f"{NOT_OFFERED} (an empty result)"


class Question(Struct, frozen=True):
    """A question of a discovery protocol."""

    method: str
    params: str = ""
    """JSON text; empty for no params, as ``[]`` or ``{}``."""
    aside: bool = False
    """The question only adds detail: without an answer, the listing is valid."""
    document: bool = False
    """``method`` is the path of a document; no method is called."""
    guess: bool = False
    """The document may be missing.

    It is read without credentials, and an error has no consequences.
    """

    @property
    def is_extra(self) -> bool:
        """Return whether the discovery continues if the question fails."""
        return self.aside or self.guess


class Questions(Struct, frozen=True):
    """Questions that do not depend on each other."""

    questions: tuple[Question, ...]
    progress: str = ""
    """Text such as ``help 12 of 29``."""


class Answer(Struct, frozen=True):
    """The answer to a question."""

    value: Any = None
    refusal: str = ""
    """Why there is no value, such as ``not offered (-32601)``, or empty."""
    answers: tuple[Answer, ...] = ()
    """Answers to several questions, in order."""


Dialogue = Generator[Question | Questions, Answer, Listing]
StartDialogue = Callable[[Collection[str]], Dialogue]
"""Takes the names that already have a description."""


class DiscoveryProtocol(Struct, frozen=True):
    """A discovery protocol."""

    name: str
    ask: StartDialogue
    clue: re.Pattern[str] | None = None
    """Pattern of error messages of servers with this protocol, if known."""


def one_question(question: Question, read: Callable[[Any], Listing]) -> StartDialogue:
    """Return a protocol with one question, whose answer is complete."""

    def ask(described: Collection[str]) -> Dialogue:  # noqa: ARG001 - it has a say of its own on every method
        answer = yield question
        if answer.refusal:
            return Listing(refusal=answer.refusal)
        return read(answer.value)

    return ask


def ask_companion(
    companion: str, wanted: Sequence[str], explain: Callable[[str, Any], None], param: str = ""
) -> Generator[Questions, Answer, list[str]]:
    """Ask the ``companion`` about each method; return sentences on failures.

    Until it has answered once, only one question is sent at a time: some services take seconds for each refusal.
    ``param``: the name of its param, if it takes its param by name.
    """
    wanted = wanted[:MAX_EXPLAINED]
    refusals: list[str] = []
    asked = 0
    while asked < len(wanted):
        count = MAX_PARALLEL if asked > len(refusals) else 1
        names = wanted[asked : asked + count]
        asked += len(names)
        questions: list[Question] = []
        for name in names:
            params = f"[{spelled(name)}]"
            if param:
                params = f"{{{spelled(param)}:{spelled(name)}}}"
            questions.append(Question(companion, params, aside=True))
        answers = yield Questions(tuple(questions), f"{companion} {asked} of {len(wanted)}")
        for name, answer in zip(names, answers.answers, strict=True):
            if answer.refusal:
                refusals.append(answer.refusal)
            else:
                explain(name, answer.value)
        is_never_answered = len(refusals) == asked and (asked == MAX_REFUSALS or refusals[-1].startswith(NOT_OFFERED))
        if is_never_answered or TIME_IS_UP in refusals:
            break
    if not refusals:
        return []
    if len(refusals) < asked:
        companion += f" for {len(refusals)} of {asked} methods"
    return [f"{companion}: {refusals[-1]}"]


def count_unexplained(wanted: Sequence[str]) -> list[str]:
    """Return a sentence if there are too many methods to ask about each."""
    if len(wanted) <= MAX_EXPLAINED:
        return []
    return [f"help texts were read only for the first {MAX_EXPLAINED} of {len(wanted):,} methods"]


OTHER_PARAMS = (-32600, -32602)
"""Codes that may only mean that empty params need another spelling."""
NOT_OFFERED_CODES = (METHOD_NOT_FOUND, -32700, 1, 2, 500)
NOT_OFFERED_STATUS = (400, 404, 405, 500)
NOT_OFFERED_WORDS = regex(
    r"not found|unknown|no such|no handler|not supported|unsupported|does not exist|not implemented", re.IGNORECASE
)
NOT_INITIALIZED = regex(r"not (?:been )?initiali[sz]ed|uninitiali[sz]ed|(?:missing|no valid) session id", re.IGNORECASE)
"""Error messages of servers that need a handshake first."""


def wants_login(exchange: Exchange, profile: Profile) -> bool:
    """Return whether the service asks for credentials, not for a handshake."""
    if isinstance(exchange.outcome, ErrorObject) and NOT_INITIALIZED.search(exchange.outcome.message):
        return False
    return asks_for_login(profile.login_signs, exchange.outcome, exchange.response.status)


def answer_of(exchange: Exchange, profile: Profile, *, asks_for_login: bool) -> Answer:
    """Return the result, or why there is none."""
    match exchange.outcome:
        case Result() as result:
            return value_of(result.value)
        case ErrorObject(code=code, message=message):
            if code == METHOD_NOT_FOUND:
                return Answer(refusal=f"{NOT_OFFERED} (-32601)")
            error = f"{'' if code is None else code} {line_of(message)}".strip()
            return Answer(refusal=_refusal(exchange, error, profile, asks_for_login=asks_for_login))
        case Malformed(reason=reason):
            status = exchange.response.status
            if status in MEANINGS:
                return Answer(refusal=reason)
            if status in NOT_OFFERED_STATUS:
                return Answer(refusal=f"{NOT_OFFERED} (HTTP {status})")
            return Answer(refusal=f"unreadable: {reason}")
        case Unreached(sentence=sentence) | Refused(sentence=sentence):
            return Answer(refusal=sentence)
    return Answer(refusal=f"outcome: {exchange.outcome_name}")


def value_of(text: bytes) -> Answer:
    """Return the value of JSON text."""
    try:
        return Answer(admit(decoded(text)))
    except NotAdmittedError as error:
        return Answer(refusal=f"unreadable: {error}")
    except RecursionError:
        return Answer(refusal=f"unreadable: the response has more than {MAX_LEVELS} levels")
    except ValueError:  # also for a number with more digits than Python reads
        return Answer(refusal="unreadable: the response is not JSON")


def _refusal(exchange: Exchange, error: str, profile: Profile, *, asks_for_login: bool) -> str:
    """Return why there is no listing, and what is missing."""
    assert isinstance(exchange.outcome, ErrorObject)
    if asks_for_login:
        if profile.secrets:
            return f"the server rejected the credentials ({error})"
        return f"the server asks for credentials ({error}), but the profile has none. Set auth in the profile"
    if wants_login(exchange, profile):  # an optional question
        return f"{NOT_OFFERED} (the server asks for credentials: {error})"
    if NOT_INITIALIZED.search(exchange.outcome.message) and profile.handshake != "mcp":
        return f'the server needs a handshake first ({error}). Set handshake = "mcp" in the profile'
    if exchange.outcome.code == -32602:
        return f"the method needs params that rpcexplorer does not know ({error}). Call it yourself"
    if exchange.outcome.code in NOT_OFFERED_CODES or exchange.response.status in NOT_OFFERED_STATUS:
        return f"{NOT_OFFERED} ({error})"
    if NOT_OFFERED_WORDS.search(exchange.outcome.message):
        return f"{NOT_OFFERED} ({error})"
    return f"error {error}"


def ends_discovery(exchange: Exchange, question: Question) -> bool:
    """Return whether the discovery must end.

    A response that is too large does not end it: the next one may be smaller.
    """
    match exchange.outcome:
        case Cancelled() | Refused():
            return True
        case Unreached(step=step):
            return not question.is_extra and step != "size"
        case Malformed():
            return not question.is_extra and exchange.response.status in MEANINGS
    return False


def explain_end(exchange: Exchange) -> str:
    unchanged = "The method list did not change."
    match exchange.outcome:
        case Unreached(sentence=sentence) | Malformed(reason=sentence):
            return f"{sentence} The URL was {exchange.url}. {unchanged}"
        case Refused(sentence=sentence):
            return f"{sentence} {unchanged}"
    return f"cancelled. {unchanged}"
