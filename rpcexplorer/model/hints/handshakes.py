"""Hints about what a server wants before the first call, and about the form of a request as a whole."""

from __future__ import annotations

import re
from typing import Final

from rpcexplorer.model.exchange import ErrorObject
from rpcexplorer.model.hints.failed import FailedCall
from rpcexplorer.model.hints.hint import Hint

_SESSION_HEADER = re.compile(r"x-[a-z0-9-]{0,60}(?:session|csrf|xsrf)[a-z0-9-]{0,60}", re.IGNORECASE | re.ASCII)
_MCP: Final = (
    r"mcp-session-id|missing session id|no valid session id|server not initiali[sz]ed"
    r"|before initiali[sz]ation|not (?:been )?initiali[sz]ed"
)
_WANTS_2: Final = (
    r"jsonrpc\W*(?:\w+\W+){0,3}(?:missing|required|must be|included|absent)"
    r"|(?:missing|requires?)\W+(?:\w+\W+){0,2}jsonrpc"
)
_WANTS_1: Final = (
    r"(?:version|jsonrpc)\W+(?:\w+\W+){0,4}(?:unsupported|not supported|unknown|unexpected)"
    r"|(?:unsupported|unexpected|unknown|invalid)\W+(?:\w+[\W_]+){0,3}(?:version|jsonrpc)\b"
)


def header(call: FailedCall) -> Hint | None:
    """409 with a header whose value belongs into the next request."""
    names = [name for name, _ in call.exchange.response.headers if _SESSION_HEADER.fullmatch(name)]
    if call.status != 409 or not names or call.profile.handshake is not None:
        return None
    sentence = f"The server hands out {names[0]} and wants it with every request."
    return call.told(sentence, (("handshake", {"header": names[0]}),))


def mcp(call: FailedCall) -> Hint | None:
    if call.status not in {400, 404} or call.profile.handshake is not None or not call.says(_MCP):
        return None
    return call.told("The server speaks MCP, and wants to be initialized first.", (("handshake", "mcp"),))


def envelope(call: FailedCall) -> Hint | None:
    """A server of one version of JSON-RPC that was spoken to in another."""
    if not isinstance(call.exchange.outcome, ErrorObject) or call.code == -32601:
        return None
    now, is_new = call.profile.envelope, b'"jsonrpc"' in call.exchange.response.body
    if now != "2.0" and is_new and call.says(_WANTS_2):
        better = "2.0"
    elif now == "2.0" and not is_new and call.says(_WANTS_1):
        better = "1.1" if b'"version"' in call.exchange.response.body else "1.0"
    else:
        return None
    return call.told(f"The server speaks JSON-RPC {better}.", (("envelope", better),))
