"""The exact request of a call, with secret references instead of secrets."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from msgspec.structs import replace

from rpcexplorer.auth.credentials import AuthCall, AuthRequest, Message, find_unsendable
from rpcexplorer.auth.registry import auth_of, requests_for
from rpcexplorer.client.call import body_of, http_request
from rpcexplorer.client.handshake import handshake_of, mcp_server_of
from rpcexplorer.client.surroundings import ALONE, Surroundings
from rpcexplorer.model.draft import Batch, Draft, calls_of, kind_of
from rpcexplorer.model.exchange import Preview, Refused
from rpcexplorer.model.profile import FORM_TYPE, Profile, split_socket
from rpcexplorer.model.secret import HIDDEN, PLACEHOLDER, UNRECORDED, Secret, origin_of
from rpcexplorer.redaction.addresses import redacted_address
from rpcexplorer.redaction.exchange import redacted_draft, redactor_of
from rpcexplorer.transport.port import Headers, Request, Unreachable
from rpcexplorer.transport.request import SOCKET, WEBSOCKET, address_of, request_headers, upgrade_headers

if TYPE_CHECKING:
    from rpcexplorer.client.mcp import McpServer

RANDOM_KEY: Final = "(random)"
"""Shown instead of the key of a WebSocket."""


def preview(
    profile: Profile,
    draft: Draft | Batch,
    id: str,
    *,
    has_session: bool,
    logs_in: bool = True,
    bare: bool = False,
    secrets: Iterable[Secret] = (),
    around: Surroundings = ALONE,
) -> Preview | Refused:
    """Return the request for the draft, or why it would not be sent.

    ``logs_in``: without a session, a login is sent first. ``bare``: without credentials, as a login is sent. The values
    of ``secrets`` are redacted wherever they were typed.
    """
    redactor = redactor_of(profile, secrets)
    hide = redactor.text
    draft = redacted_draft(draft, profile, redactor)
    calls = calls_of(draft, id, profile.envelope)
    if isinstance(calls, Refused):
        return calls
    typed = Message(kind_of(draft), calls, only_shown=True)
    mcp = mcp_server_of(profile, around)
    shown = _first_request(profile, typed, mcp, bare=bare)
    if isinstance(shown, Refused):
        return shown
    # Only the typed part is checked: the references of the auth type are correct.
    doubt = find_unsendable(profile, typed)
    to_come = profile.has_sessions and not has_session
    headers = () if to_come and auth_of(profile).session_cookie else shown.headers
    # Neither an address nor a header can contain a secret reference, so valid text stands in for it.
    address = shown.address or profile.endpoint
    marks = {quote(mark[0], safe=""): mark[0] for mark in PLACEHOLDER.finditer(shown.address)}
    marks[quote(UNRECORDED, safe="")] = UNRECORDED
    for stand_in, mark in marks.items():
        address = address.replace(mark, stand_in)
    values = {}
    for header in headers:
        values[header.name] = header.scheme + ("x" if header.encoded else HIDDEN.sub("x", header.text))
    request = http_request(profile, body_of(profile, shown.message), tuple(values.items()), address)
    if shown.message.form:
        request = replace(request, content_type=FORM_TYPE)
    try:
        line, sent, body = _as_sent(request, profile)
    except Unreachable as error:
        return Refused("profile", error.sentence)
    line = hide(line)
    for stand_in, mark in marks.items():
        line = line.replace(stand_in, mark)
    shown_values = {header.name: header.shown for header in headers}
    shown_headers: list[tuple[str, str]] = []
    for name, value in sent:
        if name in values:  # The cookies of the profile come before ours.
            shown_headers.append((name, value.removesuffix(values[name]) + shown_values[name]))
        else:
            shown_headers.append((name, hide(value)))
    return Preview(
        _redacted_line(profile, line) if line else "",
        tuple(shown_headers),
        body,
        logs_in_first=to_come and logs_in,
        doubt=doubt.sentence if doubt else "",
        facts=_facts(profile, typed, mcp),
    )


def _as_sent(request: Request, profile: Profile) -> tuple[str, Headers, bytes]:
    """Return request line, exact headers and message as they are sent.

    Those of a WebSocket open it. A stream or a process has no request line, and only the headers of its framing. Raises
    `Unreachable` for a request that cannot be sent.
    """
    if profile.connection_kind == "http":
        address = address_of(request.url, request.socket)
        return f"POST {address.target} HTTP/1.1", request_headers(request, address), request.body
    if profile.connection_kind == "websocket":
        address = address_of(request.url, request.socket, schemes=WEBSOCKET)
        return f"GET {address.target} HTTP/1.1", upgrade_headers(request, address, RANDOM_KEY), request.body
    if profile.connection_kind == "stream":
        address_of(request.url, schemes=SOCKET)
    from rpcexplorer.transport.framing import framer_of  # Only streams and processes have a framing.

    framed = framer_of(profile.framing, len(request.body)).frame(request.body)
    if profile.framing == "length":
        head, _, message = framed.partition(b"\r\n\r\n")
        name, _, value = head.decode().partition(": ")
        return "", ((name, value),), message
    return "", (), framed.removesuffix(b"\n")


def _facts(profile: Profile, message: Message, mcp: McpServer | None) -> tuple[tuple[str, str], ...]:
    """Return the address of a stream, and the handshake of a connection that stays open."""
    if not profile.is_open_connection:
        return ()
    from rpcexplorer.client.open_connection import opening_of

    facts: list[tuple[str, str]] = []
    if profile.connection_kind == "stream":
        facts.append(("address", redacted_address(profile.endpoint)))
    opening = opening_of(profile)
    if opening is None or opening.request.method in [call.method for call in message.calls]:
        return tuple(facts)
    if mcp is not None and not mcp.version:
        facts.append(("handshake", "server/discover, which decides whether initialize follows"))
    elif mcp is None or not mcp.is_stateless:
        facts.append(("handshake", f"{opening.request.method}, {opening.notification.method}"))
    return tuple(facts)


def _redacted_line(profile: Profile, line: str) -> str:
    """Return a request line without credentials in the URL."""
    verb, _, rest = line.partition(" ")
    target, _, version = rest.rpartition(" ")  # a reference in it contains a space
    origin = origin_of(split_socket(profile.endpoint)[1])
    return f"{verb} {redacted_address(origin + target)[len(origin) :]} {version}"


def _first_request(profile: Profile, message: Message, mcp: McpServer | None, *, bare: bool) -> AuthRequest | Refused:
    """Return the request of the message itself, as if there is a session."""
    call = AuthCall(profile, message, Secret("", profile.label("session")), datetime.now(UTC), lambda: False)
    auth = auth_of(profile)
    if bare and profile.login.is_apart and message.method == profile.login.method and auth.opens_session(profile):
        from rpcexplorer.auth.login import login_request  # Few profiles have such a login.

        return login_request(auth, profile, message.calls[0].id or "")
    if bare:
        request = auth.request(profile, message, bare=True)
    else:
        try:
            request = next(requests_for(call))
        except StopIteration as end:
            request = end.value
    if isinstance(request, Refused):
        return request
    handshake = handshake_of(profile, mcp)
    return handshake.shown(request) if handshake else request
