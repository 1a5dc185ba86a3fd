"""What error codes mean: the reserved ones by the specification, the rest by range."""

from __future__ import annotations

METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602

RESERVED = {
    -32700: ("Parse error", "the server could not read the request as JSON"),
    -32600: ("Invalid request", "the JSON was not a request this server accepts"),
    METHOD_NOT_FOUND: ("Method not found", "the server has no method of this name, or not for this caller"),
    INVALID_PARAMS: ("Invalid params", "the method exists, but not with these params"),
    -32603: ("Internal error", "the server failed while it worked on the call"),
}
"""Code -> (the specification's name, what it means for the caller)."""


def explain(code: int | None) -> str:
    """Say what ``code`` means, or return an empty string where its meaning is the application's own."""
    if code is None:
        return "the error carries no integer code"
    if code in RESERVED:
        name, meaning = RESERVED[code]
        return f"{name}: {meaning}"
    if -32099 <= code <= -32000:
        return "Server error: a code the server defines itself"
    if -32768 <= code <= -32100:
        return "Reserved: a code the specification keeps for later"
    return ""
