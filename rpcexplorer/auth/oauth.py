"""The requests of OAuth 2: a token for a call, its renewal, and the logins that issue one.

A token is the session of its profile. Its ``grant`` says where it is from and how it is renewed, with these keys, each
only if it is known: ``issuer``, ``resource``, ``token_endpoint``, ``scope``, ``expires`` (ISO 8601), ``refresh_token``,
``client_id``, ``sends`` (where the client's secret goes, ``header`` or ``form``), and ``client_secret`` if that was
issued with the id; otherwise it is a secret of the profile.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import parse_qs, urlencode

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.auth.credentials import (
    UNAUTHORIZED,
    AuthCall,
    AuthFlow,
    AuthResponse,
    Fetch,
    Hidden,
    Listen,
    Note,
    SessionEnded,
    SessionOpened,
    Visit,
)
from rpcexplorer.auth.oauth_metadata import (
    OK,
    Challenge,
    EndedError,
    Found,
    Server,
    Steps,
    agree_to_page,
    challenge_of,
    fetch,
    find_server,
    read_json,
    refused,
    shown,
    take,
)
from rpcexplorer.auth.token import OAuthAuth, base64url
from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.problem import capitalised
from rpcexplorer.model.secret import Secret, unrecorded
from rpcexplorer.patterns import regex
from rpcexplorer.rpc.messages import Result
from rpcexplorer.transport.port import Response

FORBIDDEN: Final = 403
DEVICE: Final = "urn:ietf:params:oauth:grant-type:device_code"
BASIC: Final = "client_secret_basic"
"""The usual way to send the secret of a client."""
SLOWER_SECONDS: Final = 5.0
"""What ``slow_down`` adds to the pause, as RFC 8628 says."""
EARLY: Final = timedelta(seconds=10)
"""A token that expires so soon is renewed before the call, which takes time."""
MAX_SECONDS: Final = 10 * 365 * 86_400
"""Any other lifetime, which a date may not hold, counts as this one."""
MAX_PAUSE_SECONDS: Final = 60.0
"""Longest pause between two questions for a token, whatever a server asks for."""
NEEDED: Final = frozenset({"issuer", "token_endpoint", "client_id", "refresh_token"})
"""What a renewal needs of a grant."""
_SENDABLE = regex(r"[\x21-\x7e]+")
"""Characters that a header can contain."""
Form = tuple[tuple[str, str | Secret], ...]


class Answer(Struct, frozen=True):
    """The response of an endpoint, whatever its status: of tokens, of devices, or of clients."""

    access_token: str = ""
    token_type: str = ""
    expires_in: float | None = None
    refresh_token: str = ""
    scope: str = ""
    device_code: str = ""
    user_code: str = ""
    verification_uri: str = ""
    interval: float = 5.0
    client_id: str = ""
    client_secret: str = ""
    token_endpoint_auth_method: str = BASIC
    error: str = ""
    error_description: str = ""

    @property
    def problem(self) -> str:
        """The error in words of the server."""
        return shown(f"{self.error}: {self.error_description}".rstrip(": "))


def requests_with_token(kind: OAuthAuth, call: AuthCall) -> AuthFlow:
    """Yield a call with its token; get a token first, or a new one if the server does not accept it."""
    try:
        return (yield from _send_with_token(kind, call))
    except EndedError as ended:
        return ended.response


def log_in(kind: OAuthAuth, call: AuthCall) -> AuthFlow:
    """Get a new token, whether there is one or not; return what is known of it."""
    try:
        yield from _authorize(kind, call, Challenge(), "")
    except EndedError as ended:
        return ended.response
    assert call.session is not None
    known = {key: call.session.grant.get(key) for key in ("issuer", "resource", "scope", "expires")}
    text = msgspec.json.encode({key: value for key, value in known.items() if value})
    return AuthResponse(Result(text), Response(body=text, size=len(text)))


def _send_with_token(kind: OAuthAuth, call: AuthCall) -> AuthFlow:
    is_public = kind.is_free(call.profile, call.message)
    request = kind.request(call.profile, call.message, bare=is_public)
    if isinstance(request, Refused):
        return request
    is_new = not is_public and (call.session is None or _is_expired(call.session, call.now))
    if is_new:
        yield from _renew(kind, call, Challenge())
    response = yield request
    if isinstance(response, Refused) or is_public:
        return response
    challenge, status = challenge_of(response.response), response.response.status
    try:
        if status == UNAUTHORIZED and not is_new:
            why = "the server rejected the token"
            yield from _renew(kind, call, challenge)
        elif status == FORBIDDEN and challenge.error == "insufficient_scope" and (challenge.scope or not kind.scopes):
            why, scopes = "the call needs more rights", ""  # Without a scope, those of the metadata.
            if challenge.scope:
                why = f"the call needs the scope {shown(challenge.scope)}"
                granted = call.session.grant.get("scope", "") if call.session else ""
                scopes = " ".join(dict.fromkeys(f"{granted} {challenge.scope}".split()))
            yield from _authorize(kind, call, challenge, scopes)
        else:
            return response
    except EndedError as ended:
        if not isinstance(ended.response, Refused):
            raise
        sentence = f"{capitalised(why)} (HTTP {status}). {ended.response.sentence}"
        raise EndedError(replace(ended.response, sentence=sentence)) from None
    call.events.append(Note(f"{why}, so rpcexplorer got a new token and resent the call"))
    return (yield request)


def _is_expired(session: Secret, now: datetime) -> bool:
    if "expires" not in session.grant:
        return False
    try:
        return datetime.fromisoformat(session.grant["expires"]).astimezone(UTC) <= now + EARLY
    except ValueError:
        return True  # Someone has edited the file.


def _renew(kind: OAuthAuth, call: AuthCall, challenge: Challenge) -> Steps[None]:
    """Get another token: with the refresh token, from another process that just did, or with a login."""
    session = call.session
    if session is not None and session.grant.keys() >= NEEDED and (yield from _refresh(call, session)):
        return
    if session is not None:
        call.events.append(SessionEnded())
        call.session = None
    yield from _authorize(kind, call, challenge, "")


def _refresh(call: AuthCall, session: Secret) -> Steps[bool]:
    """Use the refresh token; return whether there is a token now."""
    url = session.grant["token_endpoint"]
    form: Form = (("grant_type", "refresh_token"), ("refresh_token", unrecorded(session.grant["refresh_token"])))
    response = yield from _post(url, form, session.grant, renews=True)
    if call.session is not session:  # Another call or process has used the refresh token first.
        return True
    answer = read_json(response, Answer, url)
    if answer.error == "invalid_grant":
        call.events.append(Note(f"the token can no longer be renewed ({answer.problem})"))
        return False
    if answer.error or response.response.status != OK:
        problem = answer.problem or f"HTTP {response.response.status}"
        raise refused(f"The token could not be renewed ({problem}). Try again, or log in again.")
    _keep(call, answer, session.grant)
    return True


def _authorize(kind: OAuthAuth, call: AuthCall, challenge: Challenge, scopes: str) -> Steps[None]:
    """Get a first token in the way of the profile's grant; ``scopes`` replace those of profile and server."""
    if kind.grant == "client" and not kind.client_id:
        sentence = f'Profile {call.profile.name} needs a client id for auth.grant = "client". Set auth.client_id.'
        raise EndedError(Refused("profile", sentence))
    found = yield from find_server(kind, call, challenge)
    if scopes:
        found = replace(found, scopes=scopes)
    grant = {
        "issuer": found.server.issuer,
        "resource": found.resource,
        "token_endpoint": found.server.token_endpoint,
        "scope": found.scopes,
    }
    grant = {key: value for key, value in grant.items() if value}
    if kind.grant == "client":
        response = yield from _with_client_secret(kind, found, grant)
    elif kind.grant == "device":
        response = yield from _with_device(kind, call, found, grant)
    else:
        response = yield from _with_browser(kind, call, found, grant)
    answer = read_json(response, Answer, found.server.token_endpoint)
    if response.response.status == OK and answer.access_token:
        _keep(call, answer, grant)
        return
    problem = answer.problem or f"HTTP {response.response.status}"
    if answer.error in {"invalid_client", "unauthorized_client"}:
        command = f"rpcexplorer profiles secret {call.profile.name} client_secret"
        sentence = f"{found.server.issuer} rejected the client ({problem}). Check auth.client_id, or run `{command}`."
        raise EndedError(Refused("credentials", sentence, "client_secret", rejected=True))
    raise refused(f"{found.server.issuer} issued no token ({problem}). Check auth.scopes and auth.resource.")


def _with_client_secret(kind: OAuthAuth, found: Found, grant: dict[str, str]) -> Steps[AuthResponse]:
    grant |= {"client_id": kind.client_id, "sends": _place_of_secret(found.server)}
    form: Form = (("grant_type", "client_credentials"),)
    if found.scopes:
        form += (("scope", found.scopes),)
    return (yield from _post(found.server.token_endpoint, form, grant))


def _with_browser(kind: OAuthAuth, call: AuthCall, found: Found, grant: dict[str, str]) -> Steps[AuthResponse]:
    """Let the user log in with a browser: an authorization code with PKCE."""
    import secrets
    from hashlib import sha256

    server = found.server
    if not server.authorization_endpoint:
        raise refused(f'{server.issuer} has no login with a browser. Set auth.grant to "client" or "device".')
    methods = server.code_challenge_methods_supported
    if methods is not None and "S256" not in methods:
        raise refused(
            f"{server.issuer} supports PKCE only with {shown(', '.join(methods)) or 'nothing'}, not with S256: anyone "
            "who sees the URL of the login could use its code. Nothing was sent."
        )
    yield from agree_to_page(call, server.issuer, server.authorization_endpoint)
    yield from take(Listen(server.issuer))
    yield from _choose_client(kind, call, found, grant, "authorization_code")
    state, verifier = secrets.token_urlsafe(24), secrets.token_urlsafe(48)
    call.events.append(Hidden(verifier))
    query = {
        "response_type": "code",
        "client_id": grant["client_id"],
        "redirect_uri": call.redirect,
        "state": state,
        "code_challenge": base64url(sha256(verifier.encode()).digest()),
        "code_challenge_method": "S256",
        "scope": found.scopes,
        "resource": found.resource,
    }
    sign = "&" if "?" in server.authorization_endpoint else "?"
    given = urlencode({name: value for name, value in query.items() if value})
    visited = yield from take(Visit(f"{server.authorization_endpoint}{sign}{given}"))
    code = _code_of(visited.response.header("location") or "", call.redirect, state, server)
    call.events.append(Hidden(code))
    form: Form = (
        ("grant_type", "authorization_code"),
        ("code", unrecorded(code)),
        ("redirect_uri", call.redirect),
        ("code_verifier", unrecorded(verifier)),
    )
    return (yield from _post(server.token_endpoint, form, grant))


def _code_of(redirect: str, expected: str, state: str, server: Server) -> str:
    """Return the code of a redirect that belongs to this login."""
    address, _, query = redirect.strip().partition("?")
    if "://" not in address:  # It may be the code.
        raise refused("This is not the URL of a page. Copy all of it from the browser, and log in again.")
    if address != expected:
        raise refused(f"The login ended at another address, {shown(address)}, not at {expected}. Log in again.")
    try:
        values = parse_qs(query.partition("#")[0], max_num_fields=20)
    except ValueError:
        values = {}
    given = {name: texts[0] for name, texts in values.items() if len(texts) == 1}
    if given.get("state") != state:
        raise refused("The redirect has another state, so it belongs to another login. Log in again.")
    issuer = given.get("iss")
    if issuer is None and server.authorization_response_iss_parameter_supported:
        raise refused(f"The redirect does not name its issuer, which {server.issuer} always does. Log in again.")
    if issuer not in {None, server.issuer}:
        raise refused(f"The redirect is from another issuer, {shown(issuer or '')}, not from {server.issuer}.")
    if "error" in given:
        problem = Answer(error=given["error"], error_description=given.get("error_description", "")).problem
        raise refused(f"{server.issuer} did not allow the login ({problem}).")
    if "code" not in given:
        raise refused("The redirect has no code. Copy the whole address, and log in again.")
    return given["code"]


def _with_device(kind: OAuthAuth, call: AuthCall, found: Found, grant: dict[str, str]) -> Steps[AuthResponse]:
    """Let the user type a code on another device, and ask until that is done (RFC 8628)."""
    server = found.server
    url = server.device_authorization_endpoint
    if not url:
        raise refused(f'{server.issuer} has no login with a code for another device. Set auth.grant to "code".')
    yield from take(Listen(server.issuer, redirects=False))
    yield from _choose_client(kind, call, found, grant, DEVICE)
    response = yield from _post(url, (("scope", found.scopes),) if found.scopes else (), grant)
    device = read_json(response, Answer, url)
    if not device.device_code:
        return response  # It says why.
    yield from agree_to_page(call, server.issuer, device.verification_uri)
    call.events.append(Hidden(device.device_code))
    yield from take(Visit(device.verification_uri, device.user_code))
    form: Form = (("grant_type", DEVICE), ("device_code", unrecorded(device.device_code)))
    pause = device.interval if 0 <= device.interval <= MAX_PAUSE_SECONDS else MAX_PAUSE_SECONDS
    while True:
        response = yield from _post(server.token_endpoint, form, grant, pause_seconds=pause)
        error = read_json(response, Answer, server.token_endpoint).error
        if error == "slow_down":
            pause += SLOWER_SECONDS
        elif error != "authorization_pending":
            return response


def _choose_client(
    kind: OAuthAuth, call: AuthCall, found: Found, grant: dict[str, str], grant_type: str
) -> Steps[None]:
    """Use the client of the profile, or register one; an id that is a URL is a document that describes it."""
    server = found.server
    is_document = kind.client_id.startswith("https://")
    if kind.client_id and (not is_document or server.client_id_metadata_document_supported):
        grant["client_id"] = kind.client_id
        if call.is_known("client_secret"):
            grant["sends"] = _place_of_secret(server)
        return
    url = server.registration_endpoint
    if not url:
        raise refused(
            f"{server.issuer} does not register clients by itself. Register rpcexplorer there, with the redirect "
            "http://127.0.0.1/callback, and set auth.client_id in the profile."
        )
    wanted: dict[str, Any] = {
        "client_name": "rpcexplorer",
        "application_type": "native",
        "grant_types": [grant_type, "refresh_token"],
        "token_endpoint_auth_method": "none",
        "redirect_uris": [call.redirect] if call.redirect else [],
        "response_types": ["code"] if call.redirect else [],
    }
    if found.scopes:
        wanted["scope"] = found.scopes
    response = yield from fetch(Fetch(url, json=msgspec.json.encode(wanted)))
    client = read_json(response, Answer, url)
    if not client.client_id:
        problem = client.problem or f"HTTP {response.response.status}"
        raise refused(f"{server.issuer} did not register rpcexplorer ({problem}). Set auth.client_id in the profile.")
    grant["client_id"] = client.client_id
    is_public = client.token_endpoint_auth_method.lower() == "none"
    if client.client_secret and not is_public:
        call.events.append(Hidden(client.client_secret))
        grant["client_secret"] = client.client_secret
        grant["sends"] = "header" if client.token_endpoint_auth_method == BASIC else "form"


def _place_of_secret(server: Server) -> str:
    methods = server.token_endpoint_auth_methods_supported or (BASIC,)
    return "form" if "client_secret_post" in methods and BASIC not in methods else "header"


def _post(
    url: str, form: Form, grant: Mapping[str, str], *, renews: bool = False, pause_seconds: float = 0.0
) -> Steps[AuthResponse]:
    """Send a form as the client of a grant."""
    if "resource" in grant:
        form += (("resource", grant["resource"]),)
    client, secret, fields = "", None, tuple[str, ...]()
    if grant.get("sends") == "header":
        client = grant["client_id"]
    else:
        form += (("client_id", grant["client_id"]),)
    if "client_secret" in grant:
        secret = unrecorded(grant["client_secret"])
    elif "sends" in grant:
        fields = ("client_secret",)
    step = Fetch(url, form, secret=secret, client=client, renews=renews, pause_seconds=pause_seconds)
    return (yield from fetch(step, *fields))


def _keep(call: AuthCall, answer: Answer, grant: Mapping[str, str]) -> None:
    """Make a token the session of the call and of the profile."""
    if answer.token_type.lower() != "bearer":
        raise refused(f"The token has the type {shown(answer.token_type) or '(none)'}: rpcexplorer sends only Bearer.")
    if not _SENDABLE.fullmatch(answer.access_token):
        raise refused("The token is empty, or has a character that a header cannot contain.")
    kept = {key: value for key, value in grant.items() if key != "expires"}
    if answer.refresh_token:
        kept["refresh_token"] = answer.refresh_token
        call.events.append(Hidden(answer.refresh_token))
    if answer.scope:
        kept["scope"] = answer.scope
    if answer.expires_in is not None:
        seconds = answer.expires_in if 0 <= answer.expires_in <= MAX_SECONDS else MAX_SECONDS
        kept["expires"] = (call.now.astimezone(UTC) + timedelta(seconds=seconds)).isoformat()
    call.session = Secret(answer.access_token, call.profile.label("session"), "session", grant=kept)
    call.events += [SessionOpened(call.session), Note(f"got a token from {kept['issuer']}")]
