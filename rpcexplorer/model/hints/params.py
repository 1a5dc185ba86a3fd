"""Hints about the form of params: by name or by position, and how a call is written that has none."""

from __future__ import annotations

import re
from typing import Final

from rpcexplorer.model.exchange import ErrorObject
from rpcexplorer.model.hints.failed import FailedCall
from rpcexplorer.model.hints.hint import Hint

CODES: Final = frozenset({-32600, -32602, -32603, -32700, -32000, 500, 400, 5, 1})

_BE = r"(?:expected|must be|should be|has to be|needs? (?:to be )?|is not|isn't|not|requires?|wants?|only)"
_A = r"\W+(?:(?:an?|the|of|type|valid|json|to|be|as|by|passed|given|accepts?|supports?)\W+){0,4}"
BY_NAME: Final = (
    rf"{_BE}{_A}(?:object|dict\w*|mapping|map|struct|named|keyword|by[- ]name)\b"
    r"|(?:received|got|invalid type:)\W*(?:an? )?(?:array|list|sequence)\b"
)
BY_POSITION: Final = (
    rf"{_BE}{_A}(?:array|list|sequence|tuple|vector|positional|by[- ]position)\b"
    r"|(?:received|got|invalid type:)\W*(?:an? )?(?:object|dict|map)\b"
)
_MISSING = (
    r"\bparams\b\W*(?:\w+\W+){0,3}(?:missing|required|absent|not (?:found|given|present|set))"
    r"|(?:missing|without|lacks?|no)\W+(?:\w+\W+){0,2}params\b"
)
_NONE_WANTED = (
    r"(?:takes|expects?|wants|accepts) no (?:params|parameters|arguments)"
    r"|params\W+(?:must|should) be (?:omitted|left out|absent)"
)
_BARE = re.compile(r"\W*(?:invalid|bad|wrong) (?:method )?param(?:eter)?s?\W*", re.IGNORECASE)
_OF_PARAMS = r"param|argument|positional|keyword|by[- ](?:name|position)"

WORDS: Final = {"[]": "[]", "{}": "{}", "omit": "no params at all"}


def empty_params(call: FailedCall) -> Hint | None:
    """What the server says of a form that the call had which is in use now."""
    if not isinstance(call.exchange.outcome, ErrorObject) or call.code not in CODES or not _is_empty(call):
        return None
    now = call.profile.empty_params
    by_name, by_position = call.says(BY_NAME), call.says(BY_POSITION)
    better = ""
    if call.says(_NONE_WANTED):
        better = "omit"
    elif by_name != by_position:
        better = "{}" if by_name else "[]"
    elif now == "omit" and call.says(_MISSING):
        better = "[]"
    if better and better != now:
        sentence = f"Where a call has no params, the server wants {WORDS[better]}, not {WORDS[now]}."
        return call.told(sentence, (("empty_params", better),))
    return None


def maybe_empty(call: FailedCall) -> Hint | None:
    """A refusal that says no more than that it is one may be of the form."""
    outcome, now = call.exchange.outcome, call.profile.empty_params
    if not isinstance(outcome, ErrorObject) or not _is_empty(call) or now == "omit":
        return None
    if call.code == -32602 and outcome.data is None and _BARE.fullmatch(outcome.message):
        better = "{}" if now == "[]" else "[]"
        sentence = f"If {call.exchange.method} needs no params, the server may want {better} where there are none."
    elif call.code in {-32600, -32700} and not call.was_read and now == "[]":
        better = "omit"
        sentence = "The server saw no call in the request: it may want no params at all where there are none."
    else:
        return None
    return call.told(sentence, (("empty_params", better),))


def form(call: FailedCall) -> Hint | None:
    """Params that somebody typed in the other form."""
    typed = call.exchange.params.lstrip()[:1]
    if not isinstance(call.exchange.outcome, ErrorObject) or call.code not in CODES or not call.says(_OF_PARAMS):
        return None
    if call.exchange.kind == "batch" or _is_empty(call) or call.says(BY_NAME) == call.says(BY_POSITION):
        return None
    if typed == "[" and call.says(BY_NAME):
        return Hint('The server wants params by name, as an object: {"name": value}.')
    if typed == "{" and call.says(BY_POSITION):
        return Hint("The server wants params by position, as an array: [value].")
    return None


def _is_empty(call: FailedCall) -> bool:
    exchange = call.exchange
    bare = exchange.kind != "batch" and exchange.params.strip() in {"", "[]"}
    return bare and not call.profile.auth.in_params
