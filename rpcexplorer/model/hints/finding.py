"""The hint for an exchange: the first of the rules that knows something. Another rule is a function and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from rpcexplorer.model.exchange import ErrorObject, Exchange, Malformed, Refused, Unreached
from rpcexplorer.model.hints import addresses, credentials, handshakes, media_types, params
from rpcexplorer.model.hints.failed import FailedCall
from rpcexplorer.model.hints.hint import Hint
from rpcexplorer.model.profile import Auth, Profile

RULES: Final[tuple[Callable[[FailedCall], Hint | None], ...]] = (
    addresses.encryption,
    addresses.moved,
    handshakes.header,
    handshakes.mcp,
    media_types.accept,
    media_types.content_type,
    handshakes.envelope,
    params.empty_params,
    params.form,
    credentials.refused,
    addresses.path,
    media_types.unreadable,
    params.maybe_empty,
)
"""In the order in which they are asked: what is plain to see before what is only likely."""

TO_BE_TESTED: Final = (addresses.untyped, addresses.untrusted)
"""Asked before all others, but by a test of the connection, which is what they advise."""


def hint_for(
    exchange: Exchange, profile: Profile, kinds: Mapping[str, type[Auth]], *, tested: bool = False
) -> Hint | None:
    """What may help, where the call failed; ``profile`` is the one that it was sent with, ``kinds`` those of auth.

    ``tested``: it was sent by a test of the connection.
    """
    if isinstance(exchange.outcome, Refused) and exchange.outcome.missing:
        return credentials.lacking(exchange.outcome.missing, FailedCall.of(exchange, profile, kinds))
    if not isinstance(exchange.outcome, ErrorObject | Malformed | Unreached):
        return None
    call = FailedCall.of(exchange, profile, kinds)
    return next((hint for rule in (() if tested else TO_BE_TESTED) + RULES if (hint := rule(call))), None)
