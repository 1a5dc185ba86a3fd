"""One call: the requests of its auth flow, within one deadline."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from rpcexplorer.auth.credentials import (
    AuthRequest,
    Message,
    opened,
    opened_address,
    opening_of,
)
from rpcexplorer.client.surroundings import ALONE, Surroundings
from rpcexplorer.jsontext.pointers import PointerLookup
from rpcexplorer.model.exchange import EVENT_STREAM, Outcome, Sent
from rpcexplorer.model.mcp import CALLS_A_TOOL, LISTEN
from rpcexplorer.model.problem import cut
from rpcexplorer.model.profile import FORM_TYPE, Profile, split_socket
from rpcexplorer.model.secret import Secret, unrecorded
from rpcexplorer.redaction.addresses import redacted_address
from rpcexplorer.rpc.batch import decode_batch
from rpcexplorer.rpc.codec import decode, encode, encode_batch, read_text
from rpcexplorer.rpc.messages import Malformed, MessageForm, Result, decoded
from rpcexplorer.transport.port import Headers, Request, Response, Transport, Unreachable, Verb
from rpcexplorer.transport.request import address_of

if TYPE_CHECKING:
    from rpcexplorer.client.mcp import McpServer
    from rpcexplorer.transport.port import ShownCertificate
    from rpcexplorer.transport.tls import Trust


async def connect(
    profile: Profile, reply_limit: int, around: Surroundings = ALONE, mcp: McpServer | None = None
) -> Transport:
    """Return the transport for the profile's address; ``mcp`` is what is known of a server of MCP.

    It is loaded in another thread, so that the screen stays responsive.
    """
    if profile.is_open_connection:
        await asyncio.to_thread(import_module, "rpcexplorer.client.open_connection")
        from rpcexplorer.client.open_connection import open_connection

        return open_connection(profile, reply_limit, trust_of(profile), around, mcp)
    await _import_http()
    from rpcexplorer.transport.http import HttpTransport

    transport = HttpTransport(trust=trust_of(profile), cap=reply_limit)
    await transport.open()
    return transport


async def connect_elsewhere(profile: Profile, reply_limit: int) -> Transport:
    """Return the transport for other servers than the profile's."""
    await _import_http()
    from rpcexplorer.transport.http import HttpTransport

    transport = HttpTransport(trust=trust_elsewhere(profile), cap=reply_limit)
    await transport.open()
    return transport


async def certificate_of(profile: Profile) -> ShownCertificate:
    """Return the certificate that the server shows; send nothing to it.

    Raises `Unreachable`.
    """
    await _import_http()
    from rpcexplorer.transport.http import certificate_of

    return await certificate_of(profile.endpoint, trust_of(profile), deadline=profile.timeout)


async def load() -> None:
    """Load the modules that a first request needs, which takes 0.1 s."""
    await _import_http()
    from rpcexplorer.transport.http import HttpTransport

    await HttpTransport().open()


async def _import_http() -> None:
    await asyncio.to_thread(import_module, "rpcexplorer.transport.http")


def trust_of(profile: Profile) -> Trust:
    from rpcexplorer.transport.tls import Trust

    def path_of(file: str | None) -> Path | None:
        return None if file is None else Path(file)

    return Trust(path_of(profile.ca_file), profile.certificate, path_of(profile.cert_file), path_of(profile.key_file))


def trust_elsewhere(profile: Profile) -> Trust:
    """Return the trust for servers other than the profile's: its CA file, but no pinned and no client certificate."""
    from rpcexplorer.transport.tls import Trust

    return Trust(trust_of(profile).ca_file)


REDIRECTS = {
    301: "Moved Permanently", 302: "Found", 303: "See Other", 307: "Temporary Redirect", 308: "Permanent Redirect",
}  # fmt: skip
"""Redirect statuses; 300 and 304 do not count, even with ``Location``."""


MEANINGS: Final = {
    401: ("Unauthorized", "the server asks for credentials{wanted}."),
    403: ("Forbidden", "you may not do this at {address}. Ask the owner of the server."),
    407: (
        "Proxy Authentication Required",
        "a proxy in front of the server asks for credentials{wanted}. Ask the owner of the proxy.",
    ),
    413: (
        "Content Too Large",
        "the server, or a gateway in front of it, does not accept a request of this size. Send less data at once.",
    ),
    415: ("Unsupported Media Type", "the server does not accept {content_type}."),
    417: (
        "Expectation Failed",
        "the server, or a gateway in front of it, refuses a header. Check the headers of the profile.",
    ),
    429: ("Too Many Requests", "too many requests. Try again {later}."),
    502: (
        "Bad Gateway",
        "a gateway got no valid response from the service behind it. Check that the service runs.",
    ),
    503: ("Service Unavailable", "the service is not available now. Try again {later}."),
    504: (
        "Gateway Timeout",
        "a gateway got no response in time.{maybe_runs}",
    ),
    505: ("HTTP Version Not Supported", "the server does not accept HTTP/1.1. Check the port."),
}
"""Title and meaning of statuses that say more than the body."""
OWN_PROXY: Final = (
    "the proxy {proxy} asks for credentials{wanted}. "
    "Add user name and password to its URL in HTTP_PROXY, or add the host to NO_PROXY."
)
MAYBE_RUNS: Final = " The server may still run the call: check before you resend it."
MAYBE_RAN: Final = "The complete request was sent, so the server may have run it: check before you resend it."
CAN_PIN: Final = "A connection test shows the certificate and can pin it."
REJECTED: Final = "the server rejected the credentials of this profile, or asks for other ones."


def explain_status(response: Response, profile: Profile, *, is_ahead: bool) -> str:
    """Return a sentence about the status; empty if the body says more.

    ``is_ahead``: the request was sent before the call.
    """
    status = response.status
    if status in REDIRECTS and (location := response.header("location")) is not None:
        title = f"HTTP {status} {REDIRECTS[status]}"
        return f"{title}: the server redirects to {location}. Redirects are not followed."
    if status not in MEANINGS:
        return ""
    title, meaning = MEANINGS[status]
    if status == 401 and profile.secrets and not profile.assumes_auth:
        meaning = REJECTED
    elif status == 407 and response.proxy is not None:
        meaning = OWN_PROXY
    wanted = response.header("www-authenticate" if status == 401 else "proxy-authenticate")
    after = (response.header("retry-after") or "").strip()
    later = "later"
    if after:
        later = f"in {after} s" if after.isdecimal() else f"after {after}"
    explained = meaning.format(
        wanted=f" ({cut(wanted)})" if wanted else "",
        address=redacted_address(profile.endpoint),
        proxy=response.proxy,
        content_type=profile.content_type,
        maybe_runs="" if is_ahead else MAYBE_RUNS,
        later=later,
    )
    return f"HTTP {status} {title}: {explained}"


def explained(outcome: Malformed, response: Response, profile: Profile, *, is_ahead: bool) -> Malformed:
    """Return the problem of a response; an explanation of its status comes before it, or replaces it."""
    explanation = explain_status(response, profile, is_ahead=is_ahead)
    if not explanation:
        return outcome
    text, status = response.body.lstrip(), response.status
    is_page_of_gateway = text[:1] == b"<" and status in GATEWAY_STATUSES
    if not text or is_page_of_gateway or status in CLEAR_STATUSES:
        return replace(outcome, reason=explanation, kind="status")
    return replace(outcome, reason=f"{explanation} {outcome.reason}", kind="status")


OK = 200
CLEAR_STATUSES = frozenset({*REDIRECTS, 401, 407})
"""Statuses after which the content of the body does not matter."""
MAY_ASK: Final = frozenset({CALLS_A_TOOL, "prompts/get", "resources/read"})
"""Methods of MCP whose result may ask for input."""
MAX_TOOL_RESULT: Final = 16 * 1024 * 1024
"""Bytes of a tool's result that are searched for a failure, in 20 ms."""
MAX_TOOL_TEXT: Final = 4_000
"""Characters of a failed tool's text to show; the result has all of it."""
GATEWAY_STATUSES = frozenset({413, 417, 502, 504, 505})
"""Statuses with a page of a gateway, which says nothing about the path."""
MAX_REFUSED: Final = 100
"""Characters of a method that the server asked for."""
HUNG_UP = "the server closed the connection without a response, as some servers do after a notification"


def body_of(profile: Profile, message: Message) -> bytes:
    """Return the message's body, with secret references."""
    if message.form:
        return message.form.encode()
    if message.kind == "batch":
        return encode_batch(message.calls, profile.form)
    return encode(message.calls[0], profile.form)


def request_of(
    profile: Profile, request: AuthRequest, secrets: Sequence[Secret], verb: Verb = "POST"
) -> tuple[Request, tuple[Secret, ...]]:
    """Return a request with its secrets, and other values to redact.

    It is passed to the socket next and nowhere else.
    """
    body = b""
    if verb == "POST" and request.message.calls:
        body = opened(body_of(profile, request.message), request, secrets)
    url = opened_address(request.address, secrets) or profile.endpoint
    if request.message.form:
        profile = replace(profile, content_type=FORM_TYPE)
    if not request.headers:
        return http_request(profile, body, (), url, verb), ()
    try:
        target = address_of(split_socket(url)[1]).target
    except Unreachable:  # The transport reports why an address cannot be used.
        target = ""
    opening = opening_of(secrets, target, verb)
    headers: list[tuple[str, str]] = []
    hidden: list[Secret] = []
    for header in request.headers:
        value = header.opened(opening)
        headers.append((header.name, value))
        hidden += [unrecorded(part) for part in header.secret_parts(value)]
    return http_request(profile, body, tuple(headers), url, verb), tuple(hidden)


def http_request(
    profile: Profile, body: bytes, headers: Headers = (), address: str = "", verb: Verb = "POST"
) -> Request:
    """Return a request in the profile's form, with headers and address."""
    others = {name.lower(): (name, value) for name, value in headers}
    _, cookie = others.pop("cookie", ("", None))
    own = (header for header in profile.headers if header[0].lower() not in others)
    socket, url = split_socket(address or profile.endpoint)
    return Request(
        url=url,
        body=body,
        content_type=profile.content_type,
        accept=profile.accept,
        headers=(*own, *others.values()),
        cookie=cookie,
        verb=verb,
        socket=socket,
    )


def _find_tool_failure(result: Result) -> str:
    """Return why a tool of MCP failed, in its own words; empty if it did not."""
    if len(result.text) > MAX_TOOL_RESULT:
        return ""
    members = PointerLookup(result.value.decode("utf-8", "replace"))
    if members.at("/isError") != "true":
        return ""
    try:
        content = decoded((members.at("/content") or "").encode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, list):
        content = []
    parts = [part.get("text") for part in content if isinstance(part, dict)]
    text = "\n".join(part for part in parts if isinstance(part, str)).strip()
    # The text is complete or omitted: secrets are found only in complete texts.
    return text if 0 < len(text) <= MAX_TOOL_TEXT else "isError is true"


def asks_for_input(result: Result) -> bool:
    """Return whether the result of an MCP server only asks for input, without which it does not go on."""
    if b'"input_required"' not in result.value:
        return False
    return PointerLookup(result.value.decode("utf-8", "replace")).at("/resultType") == '"input_required"'


def read_document(response: Response) -> Outcome:
    """Return a document as a result, for the caller to interpret."""
    if response.status is None:  # A connection was opened, without a message.
        return Sent()
    if response.status != OK:
        return Malformed("The server did not return a document.")
    text, remarks = read_text(response.body)
    if isinstance(text, Malformed):
        return text
    is_json = text.lstrip()[:1] in {b"{", b"["}
    return Result(text, remarks) if is_json else Malformed("The document is not JSON.")


def is_event_stream(response: Response) -> bool:
    return response.status == OK and (response.header("content-type") or "").lower().startswith(EVENT_STREAM)


def read_opening(response: Response) -> Outcome:
    """Return the outcome of a GET for an event stream, which the server has answered."""
    if is_event_stream(response):
        return Sent()
    problem = f"HTTP {response.status}"
    if response.status == OK:
        problem = cut(response.header("content-type") or "no content type")
    return Malformed(f"The server has no event stream here: it answered a GET request with {problem}.")


def outcome_of(message: Message, response: Response, form: MessageForm) -> Outcome:
    """Decode the response to a message."""
    if message.form:
        return _read_after_form(response)
    if is_notification(message):
        return _read_notification(response, form)
    if message.kind == "batch":
        return decode_batch(response.body, message.calls, form)
    if message.method == LISTEN and not response.body:
        return Sent()
    outcome = decode(response.body, message.calls[0].id, form)
    if not isinstance(outcome, Result) or message.method not in MAY_ASK:
        return outcome
    if asks_for_input(outcome):
        return replace(outcome, message="The server asks for input.")
    if message.method == CALLS_A_TOOL:
        return replace(outcome, message=_find_tool_failure(outcome))
    return outcome


def _read_after_form(response: Response) -> Outcome:
    """Return the outcome of a form: a page, JSON without JSON-RPC, or a redirect."""
    if response.status is None or response.status >= 300:
        return Malformed("The server did not accept the form.")
    text, remarks = read_text(response.body)
    if isinstance(text, Malformed) or text.lstrip()[:1] not in {b"{", b"[", b'"'}:
        return Sent()
    return Result(text, remarks)


def is_notification(message: Message) -> bool:
    return message.kind == "notification" or all(call.id is None for call in message.calls)


def _read_notification(response: Response, form: MessageForm) -> Outcome:
    """Return the outcome of a notification, whose answer is shown, if any."""
    accepted = response.status is None or response.status < 300
    if response.body.strip():
        reply = decode(response.body, None, form)
        if not isinstance(reply, Malformed) or not accepted:
            return replace(reply, remarks=(*reply.remarks, "the server sent a response to a notification"))
        return Sent(("the server sent data after a notification, but no response",))
    return Sent() if accepted else Malformed("The server did not accept the notification.")


LARGE_BODY_BYTES = 64 * 1024
"""Bytes that take a few milliseconds to decode or record."""
