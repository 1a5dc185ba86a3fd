"""A call that is to be typed again: what looks like a reference in it is written as the letters that it is."""

from __future__ import annotations

import re

from msgspec.structs import replace

from rpcexplorer.jsontext.params import Problem
from rpcexplorer.model.draft import Batch, Draft, sent_draft
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.templates.references import OPENING, REFERENCE, TOKEN
from rpcexplorer.model.templates.resolving import params_in


def escaped(draft: Draft | Batch) -> Draft | Batch:
    """The draft that is sent as this one reads, letter by letter, whatever has a value by then."""
    if OPENING not in draft.text or isinstance(draft.read(), Problem):
        return draft
    text, at = [], 0
    for start, end in params_in(draft):
        text += [draft.text[at:start], TOKEN.sub(_in_token, draft.text[start:end])]
        at = end
    return replace(draft, text="".join([*text, draft.text[at:]]))


def as_it_went_out(exchange: Exchange) -> Exchange:
    """A record that others may have written, with what was sent as its params: nothing in them is looked up here."""
    if OPENING not in exchange.params and exchange.params_sent is None:
        return exchange
    return replace(exchange, params=escaped(sent_draft(exchange)).text, params_sent=None)


def _in_token(token: re.Match[str]) -> str:
    return REFERENCE.sub(lambda found: found[0].replace(OPENING, OPENING * 2), token[0])
