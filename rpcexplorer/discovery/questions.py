"""The questions of a discovery protocol, and what their answers mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Generator, Sequence
from typing import Any, Final

from msgspec import Struct

from rpcexplorer.auth.login import asks_for_login
from rpcexplorer.client.call import MEANINGS
from rpcexplorer.discovery.methods import Listing
from rpcexplorer.discovery.reader import MAX_LEVELS, clean, line_of
from rpcexplorer.model.exchange import Cancelled, Exchange, Refused, Unreached
from rpcexplorer.model.profile import Profile
from rpcexplorer.patterns import regex
from rpcexplorer.rpc.messages import METHOD_NOT_FOUND, ErrorObject, Malformed, Result, decoded, spelled

MOST_EXPLAINED = 200
"""Methods whose help is asked for one by one."""
ENOUGH = 3
"""Refusals after which a question that was never answered is not asked of the next method."""
AT_ONCE = 4
"""Questions that are asked side by side."""
NOT_OFFERED = "not offered"
TIME_IS_UP = "the time was up"
EMPTY: Final = f"{NOT_OFFERED} (an empty result)"


class Question(Struct, frozen=True):
    """A question of a dialect."""

    method: str
    params: str = ""
    """JSON text; empty for none, in whichever spelling the service takes."""
    aside: bool = False
    """Only adds detail: if it fails, or all of its kind take too long, what is known stays good."""
    document: bool = False
    """No method is called: what lies at a path of the service is wanted, and ``method`` is that path."""
    guess: bool = False
    """It may well not be there: nothing follows from a refusal, and no credentials go along."""

    @property
    def is_extra(self) -> bool:
        """Return whether everything continues if it fails."""
        return self.aside or self.guess


class Several(Struct, frozen=True):
    """Questions none of which depends on what another one is answered."""

    questions: tuple[Question, ...]
    progress: str = ""
    """As in ``help 12 of 29``."""


class Answered(Struct, frozen=True):
    """An answer to a question."""

    value: Any = None
    refusal: str = ""
    """Why there is no value, as in ``not offered (-32601)``; empty where there is one."""
    answers: tuple[Answered, ...] = ()
    """To several questions, in their order."""


Asking = Generator[Question | Several, Answered, Listing]
WayOfAsking = Callable[[Collection[str]], Asking]
"""Is given the names that are described already."""


class Dialect(Struct, frozen=True):
    """One way of asking."""

    name: str
    ask: WayOfAsking
    clue: re.Pattern[str] | None = None
    """Found in what a service that speaks this dialect says to other questions; None if nothing shows it."""


def one_question(question: Question, read: Callable[[Any], Listing]) -> WayOfAsking:
    """Return the dialect in which one answer says everything."""

    def ask(described: Collection[str]) -> Asking:  # noqa: ARG001 - it has a say of its own on every method
        answer = yield question
        return Listing(refusal=answer.refusal) if answer.refusal else read(answer.value)

    return ask


def one_by_one(
    companion: str, wanted: Sequence[str], explain: Callable[[str, Any], None], param: str = ""
) -> Generator[Several, Answered, list[str]]:
    """Ask the ``companion`` about each method that is ``wanted``; return what cannot be known, in sentences.

    Until it has answered once, one question is asked at a time: some services take seconds for each refusal.
    ``param``: the name of its param, if that is given by name.
    """
    wanted = wanted[:MOST_EXPLAINED]
    refusals: list[str] = []
    asked = 0
    while asked < len(wanted):
        names = wanted[asked : asked + (AT_ONCE if asked > len(refusals) else 1)]
        asked += len(names)
        params = (f"{{{spelled(param)}:{spelled(name)}}}" if param else f"[{spelled(name)}]" for name in names)
        questions = tuple(Question(companion, each, aside=True) for each in params)
        answers = yield Several(questions, f"{companion} {asked} of {len(wanted)}")
        for name, answer in zip(names, answers.answers, strict=True):
            if answer.refusal:
                refusals.append(answer.refusal)
            else:
                explain(name, answer.value)
        is_never_answered = len(refusals) == asked and (asked == ENOUGH or refusals[-1].startswith(NOT_OFFERED))
        if is_never_answered or TIME_IS_UP in refusals:
            break
    if not refusals:
        return []
    count = f", for {len(refusals)} of {asked}" if len(refusals) < asked else ""
    return [f"{companion}: {refusals[-1]}{count}"]


def too_many_to_explain(wanted: Sequence[str]) -> list[str]:
    """Return a sentence if not all were asked about."""
    if len(wanted) <= MOST_EXPLAINED:
        return []
    return [f"help texts were read only for the first {MOST_EXPLAINED} of {len(wanted):,} methods"]


OTHER_PARAMS = (-32600, -32602)
"""Codes that may mean no more than that empty params should be written differently."""
NOT_OFFERED_CODES = (METHOD_NOT_FOUND, -32700, 1, 2, 500)
NOT_OFFERED_STATUS = (400, 404, 405, 500)
NOT_OFFERED_WORDS = regex(
    r"not found|unknown|no such|no handler|not supported|unsupported|does not exist|not implemented", re.IGNORECASE
)
NOT_INITIALIZED = regex(r"not (?:been )?initiali[sz]ed|uninitiali[sz]ed|(?:missing|no valid) session id", re.IGNORECASE)
"""What servers say that want a handshake before anything else."""


def wants_login(exchange: Exchange, profile: Profile) -> bool:
    """Return whether the service asks for credentials, and not for the handshake that some have."""
    if isinstance(exchange.outcome, ErrorObject) and NOT_INITIALIZED.search(exchange.outcome.message):
        return False
    return asks_for_login(profile.login, exchange.outcome, exchange.response.status)


def answer_of(exchange: Exchange, profile: Profile, *, asks_for_login: bool) -> Answered:
    """Return the result, or why there is none, as far as a dialect needs to know."""
    match exchange.outcome:
        case Result() as result:
            return value_of(result.value)
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
    return Answered(refusal=f"outcome: {exchange.outcome_name}")


def value_of(text: bytes) -> Answered:
    """Return the value of JSON text."""
    try:
        return Answered(clean(decoded(text)))
    except RecursionError:
        return Answered(refusal=f"unreadable: it has more than {MAX_LEVELS} levels")
    except ValueError:  # also of a number with more digits than Python reads
        return Answered(refusal="unreadable: not JSON")


def _refusal(exchange: Exchange, said: str, profile: Profile, *, asks_for_login: bool) -> str:
    """Return why there is an error instead of a listing: what is missing, if it says so."""
    assert isinstance(exchange.outcome, ErrorObject)
    if asks_for_login:
        advice = "this profile sends none: set its auth" if not profile.secrets else "it did not take these"
        return f"asks for credentials ({said}); {advice}"
    if NOT_INITIALIZED.search(exchange.outcome.message) and profile.handshake != "mcp":
        return f'needs a handshake first ({said}): set handshake = "mcp" in the profile'
    if exchange.outcome.code == -32602:
        return f"needs unknown params ({said}): call it yourself"
    return f"{NOT_OFFERED} ({said})" if _is_not_offered(exchange) else f"answered: error {said}"


def _is_not_offered(exchange: Exchange) -> bool:
    """Return whether an error says only that there is no such method, as servers put it."""
    assert isinstance(exchange.outcome, ErrorObject)
    code, message = exchange.outcome.code, exchange.outcome.message
    return (
        code in NOT_OFFERED_CODES
        or exchange.response.status in NOT_OFFERED_STATUS
        or NOT_OFFERED_WORDS.search(message) is not None
    )


def ends_it(exchange: Exchange, question: Question) -> bool:
    """Return whether nothing more can be asked. One answer that is too large says nothing about the next."""
    match exchange.outcome:
        case Cancelled() | Refused():
            return True
        case Unreached(step=step):
            return not question.is_extra and step != "size"
        case Malformed():
            return not question.is_extra and exchange.response.status in MEANINGS
    return False


def why_it_ended(exchange: Exchange) -> str:
    stays = "The method list did not change."
    match exchange.outcome:
        case Unreached(sentence=sentence) | Malformed(reason=sentence):
            return f"{sentence} The URL was {exchange.url}. {stays}"
        case Refused(sentence=sentence):
            return f"{sentence} {stays}"
    return f"cancelled. {stays}"
