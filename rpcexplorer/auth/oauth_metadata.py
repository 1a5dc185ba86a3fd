"""The documents that describe a protected resource and its authorization server, and what they may decide.

All of them are text of a server. They name addresses, but the user agrees to each other server first.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Generator, Iterable
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.auth.credentials import Agreement, AuthCall, AuthRequest, AuthResponse, Fetch, LoginStep, Message
from rpcexplorer.auth.digest import challenges
from rpcexplorer.auth.token import OAuthAuth
from rpcexplorer.model.exchange import Refused, Unreached
from rpcexplorer.model.problem import joined_words
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import is_loopback, origin_of
from rpcexplorer.rpc.messages import Call
from rpcexplorer.transport.port import Response, is_loopback_host

T = TypeVar("T")
Steps = Generator[AuthRequest, AuthResponse | Refused, T]
"""A part of a flow that ends with a value."""
OK: Final = 200
WELL_KNOWN: Final = "/.well-known/"
_WITH_IPV4: Final = tuple(map(ipaddress.IPv6Network, ("::ffff:0:0/96", "64:ff9b::/96")))
"""IPv6 addresses that end with an address of IPv4: mapped, and translated by a gateway (RFC 6052)."""
MAX_SHOWN: Final = 300
"""Characters of a text in a sentence."""


class EndedError(Exception):
    """The flow ends before its call is sent."""

    def __init__(self, response: AuthResponse | Refused) -> None:
        super().__init__()
        self.response = response


class Challenge(Struct, frozen=True):
    """The parameters of a Bearer challenge."""

    error: str = ""
    scope: str = ""
    resource_metadata: str = ""


class Resource(Struct, frozen=True):
    """The metadata of a protected resource (RFC 9728)."""

    resource: str
    authorization_servers: tuple[str, ...] = ()
    scopes_supported: tuple[str, ...] = ()


class Server(Struct, frozen=True):
    """The metadata of an authorization server (RFC 8414, or OpenID Connect)."""

    issuer: str
    token_endpoint: str = ""
    authorization_endpoint: str = ""
    registration_endpoint: str = ""
    device_authorization_endpoint: str = ""
    token_endpoint_auth_methods_supported: tuple[str, ...] = ()
    code_challenge_methods_supported: tuple[str, ...] | None = None
    client_id_metadata_document_supported: bool = False
    authorization_response_iss_parameter_supported: bool = False


class Found(Struct, frozen=True):
    """An authorization server that may be used, and what to ask it for."""

    server: Server
    resource: str
    scopes: str


def shown(text: str) -> str:
    """Return a text of a server for a sentence. It is complete or omitted: secrets are found only in complete texts."""
    return text if len(text) <= MAX_SHOWN else "(too long to show)"


def refused(sentence: str) -> EndedError:
    return EndedError(Refused("credentials", sentence))


def challenge_of(response: Response) -> Challenge:
    """Return the Bearer challenge of a response; an empty one if it has none."""
    for header, value in response.headers:
        if header.lower() != "www-authenticate":
            continue
        for offer in challenges(value):
            if offer["scheme"] == "bearer":
                return Challenge(**{name: offer.get(name, "") for name in Challenge.__struct_fields__})
    return Challenge()


def check_url(name: str, url: str) -> None:
    """End the flow if no request may go to a URL of a document."""
    if problem := _url_problem(url):
        raise refused(f"The {name} {shown(url)} is not used: {problem}.")


def _url_problem(url: str) -> str:
    if not url.isascii() or not url.isprintable() or not {" ", "\\"}.isdisjoint(url):
        return "it has a character that a URL cannot have"
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return "it cannot be read as a URL"
    if not host or "@" in parts.netloc or parts.fragment:
        return "it must have a host, and neither a user name nor a fragment"
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback_host(host)):
        return "it must begin with https://"
    address = _ip_address(host)
    if address is not None and address.is_link_local:
        return "it is a link-local address, where a cloud has the credentials of its machines"
    return ""


def _ip_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return the address that a host is, in any spelling that a connection accepts, such as ``0x7f.1``."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        try:
            return ipaddress.IPv4Address(socket.inet_aton(host.rstrip(".")))
        except OSError:
            return None
    if isinstance(address, ipaddress.IPv6Address) and any(address in network for network in _WITH_IPV4):
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return address


def find_server(kind: OAuthAuth, call: AuthCall, challenge: Challenge) -> Steps[Found]:
    """Return the authorization server of a profile, once the user has agreed to the hosts that it names."""
    endpoint = web_address(call.profile)
    issuer, resource, scopes = kind.issuer, kind.resource, kind.scopes or challenge.scope
    chosen = {origin_of(endpoint)}
    if issuer:
        chosen.add(origin_of(issuer))
    else:
        if not challenge.resource_metadata:
            challenge = yield from _provoke(kind, call)
        metadata = yield from _resource_of(endpoint, challenge)
        resource = resource or metadata.resource
        scopes = scopes or challenge.scope or " ".join(metadata.scopes_supported)
        issuer = metadata.authorization_servers[0]
    check_url("issuer", issuer)
    yield from _agree(endpoint, issuer, chosen, [issuer])
    server = yield from _server_of(issuer)
    requested = [server.token_endpoint, server.registration_endpoint, server.device_authorization_endpoint]
    requested = [url for url in requested if url]
    for url in requested:
        check_url("endpoint", url)
    if not server.token_endpoint:
        raise refused(f"{shown(issuer)} has no token endpoint, so it issues no tokens.")
    yield from _agree(endpoint, issuer, {*chosen, origin_of(issuer)}, requested)
    return Found(server, resource, scopes)


def _provoke(kind: OAuthAuth, call: AuthCall) -> Steps[Challenge]:
    """Send a harmless call without a token, and return the challenge of its response."""
    message = Message("call", (Call(kind.harmless, "[]", "1"),))
    request = kind.request(call.profile, message, bare=True)
    if isinstance(request, Refused):
        raise EndedError(request)
    response = yield replace(request, is_ahead=True)
    if isinstance(response, Refused):
        raise EndedError(response)
    if isinstance(response.outcome, Unreached) and response.response.status is None:  # A WebSocket has one if refused.
        raise EndedError(response)
    return challenge_of(response.response)


def web_address(profile: Profile) -> str:
    """Return the address of a profile's server for requests of HTTP: a WebSocket is at the same place."""
    if profile.connection_kind == "websocket":
        return "http" + profile.endpoint[len("ws") :]
    return profile.endpoint


def _resource_of(endpoint: str, challenge: Challenge) -> Steps[Resource]:
    """Return the metadata of the profile's server; without any, the server itself may issue tokens."""
    origin, path = origin_of(endpoint), urlsplit(endpoint).path.rstrip("/")
    well_known = f"{origin}{WELL_KNOWN}oauth-protected-resource"
    urls = [well_known + path, well_known]
    if challenge.resource_metadata:
        urls = [challenge.resource_metadata]
        if origin_of(urls[0]) != origin:
            raise refused(
                f"{origin} names metadata on another server, {shown(origin_of(urls[0]))}. Nothing was sent "
                "there. If you know its authorization server, set auth.issuer in the profile."
            )
    for url in dict.fromkeys(urls):
        found = yield from fetch(Fetch(url))
        if found.response.status != OK:
            continue
        metadata = read_json(found, Resource, url)
        if not _covers(metadata.resource, endpoint):
            raise refused(
                f"The metadata at {shown(url)} is about another resource, {shown(metadata.resource)}. "
                "If a token for it is right, set auth.issuer and auth.resource in the profile."
            )
        if metadata.authorization_servers:
            return metadata
    return Resource(endpoint, (origin,))


def _covers(resource: str, endpoint: str) -> bool:
    """Return whether a resource is the endpoint, or a folder above it."""
    if origin_of(resource) != origin_of(endpoint):
        return False
    folder = urlsplit(resource).path.rstrip("/")
    return f"{urlsplit(endpoint).path.rstrip('/')}/".startswith(f"{folder}/")


def _server_of(issuer: str) -> Steps[Server]:
    parts = urlsplit(issuer)
    origin, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    urls = [
        f"{origin}{WELL_KNOWN}oauth-authorization-server{path}",
        f"{origin}{WELL_KNOWN}openid-configuration{path}",
        f"{origin}{path}{WELL_KNOWN}openid-configuration",
    ]
    for url in dict.fromkeys(urls):
        found = yield from fetch(Fetch(url))
        if found.response.status != OK:
            continue
        server = read_json(found, Server, url)
        if server.issuer.rstrip("/") != issuer.rstrip("/"):
            raise refused(f"The metadata at {shown(url)} is of another issuer, {shown(server.issuer)}. It is not used.")
        return server
    raise refused(f"{shown(issuer)} has no metadata of an authorization server. Set auth.issuer to the right URL.")


def _agree(endpoint: str, issuer: str, chosen: set[str], urls: Iterable[str]) -> Steps[None]:
    """Ask whether requests may go to servers that the user has not chosen."""
    origins = [origin for origin in dict.fromkeys(map(origin_of, urls)) if origin not in chosen]
    if not origins:
        return
    question = (
        f"{origin_of(endpoint)} uses the authorization server {shown(issuer)}. "
        f"Requests for a token go to {joined_words(origins)}."
    )
    private = [origin for origin in origins if _is_private(origin)]
    if private and not is_loopback(endpoint):
        question += f" In your own network or on this machine: {joined_words(private)}."
    yield from take(Agreement(tuple(origins), question))


def agree_to_page(call: AuthCall, issuer: str, url: str) -> Steps[None]:
    """Ask before the user logs in at a page that is not on the issuer's server.

    It may be that of an honest issuer, whose code or token a hostile one would get.
    """
    check_url("endpoint", url)
    origin = origin_of(url)
    if origin in {origin_of(issuer), origin_of(web_address(call.profile))}:
        return
    question = f"{issuer} has its login at another server, {origin}. What you allow there is given to {issuer}."
    yield from take(Agreement((f"{issuer} {origin}",), question))


def _is_private(origin: str) -> bool:
    host = urlsplit(origin).hostname or ""
    address = _ip_address(host)
    return is_loopback_host(host) or (address is not None and address.is_private)


def take(step: LoginStep, *fields: str) -> Steps[AuthResponse]:
    """Take a step; end the flow if it is refused."""
    response = yield AuthRequest(Message("call", ()), fields=fields, is_ahead=True, step=step)
    if isinstance(response, Refused):
        raise EndedError(response)
    return response


def fetch(step: Fetch, *fields: str) -> Steps[AuthResponse]:
    """Send a request to an authorization server; end the flow without a complete response."""
    response = yield from take(step, *fields)
    outcome, origin = response.outcome, origin_of(step.url)
    if isinstance(outcome, Unreached):
        outcome = replace(outcome, sentence=f"The request for a token failed at {origin}: {outcome.sentence}")
        raise EndedError(AuthResponse(outcome))  # What came of the response may have a token in it.
    if response.response.status in range(300, 400):
        location = shown(response.response.header("location") or "nowhere")
        raise refused(f"{origin} redirects the request for a token to {location}. It is not followed.")
    return response


def read_json(received: AuthResponse, document: type[T], url: str) -> T:
    """Return a document of a server. Some servers write null for what they do not have, or numbers as text."""
    try:
        members = msgspec.json.decode(received.response.body, type=dict[str, Any])
        present = {name: value for name, value in members.items() if value is not None}
        return msgspec.convert(present, document, strict=False)
    except (msgspec.DecodeError, RecursionError):  # A ValidationError is one, too.
        status = received.response.status
        raise refused(f"The response of {shown(url)} (HTTP {status}) is not a document of OAuth.") from None
