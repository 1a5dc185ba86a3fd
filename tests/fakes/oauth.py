"""An authorization server, and a JSON-RPC server that wants its tokens.

    with Issuer() as issuer, Resource(issuer) as resource:
        ...  # call resource.url, and let `browse` be the user's browser

It shares no code with what it tests. Tests change ``metadata``, ``lifetime`` and the like to make it hostile.
"""

from __future__ import annotations

import json
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Callable
from hashlib import sha256
from http.client import HTTPConnection
from typing import Any, Self
from urllib.parse import parse_qs, unquote_plus, urlencode, urlsplit

from tests.fakes.wire import Parts, RawServer, Received, http_reply

CLIENT, SECRET = "desk app", "s3cret+of/the:client%41="
TOKEN, REFRESH = "acc3ss-t0ken", "r3fresh-t0ken"
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
Form = dict[str, str]


def json_reply(value: object, status: int = 200) -> bytes:
    return http_reply(json.dumps(value).encode(), status, {"Content-Type": "application/json"})


class Issuer:
    """An authorization server with the grants that rpcexplorer knows."""

    def __init__(self) -> None:
        self.server = RawServer(self._serve, path="")
        self.url = self.server.origin
        self.metadata: dict[str, Any] = {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "registration_endpoint": f"{self.url}/register",
            "device_authorization_endpoint": f"{self.url}/device",
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
        }
        self.pages: dict[str, Parts] = {}
        """Other responses, by path."""
        self.lifetime = 3600
        self.scope = "read"
        """The scope of a token, if the client asks for none."""
        self.tokens: Form = {}
        """The scopes of each valid token."""
        self.refresh: dict[str, Form] = {}
        """What each valid refresh token was issued for."""
        self.codes: dict[str, Form] = {}
        self.clients: Form = {CLIENT: SECRET}
        """Secrets of clients; empty for public ones."""
        self.forms: list[Form] = []
        """Forms that the token endpoint got."""
        self.answers: list[bytes | None] = []
        """The next responses of the token endpoint; None for its own."""
        self.before_answer: Callable[[], object] = lambda: None
        """Waits before the token endpoint answers."""
        self.issued = 0

    def __enter__(self) -> Self:
        self.server.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.__exit__()

    @property
    def paths(self) -> list[str]:
        return [request.line.split()[1].partition("?")[0] for request in self.server.requests]

    def revoke(self) -> None:
        """End all tokens, but not those that renew them."""
        self.tokens.clear()

    def _serve(self, request: Received) -> Parts:
        path, _, query = request.line.split()[1].partition("?")
        if path in self.pages:
            return self.pages[path]
        match path:
            case "/.well-known/oauth-authorization-server":
                return json_reply(self.metadata)
            case "/authorize":
                return self._authorize(_form(query))
            case "/register":
                id = f"client-{len(self.clients)}"
                self.clients[id] = ""
                return json_reply({**request.json, "client_id": id}, 201)
            case "/device":
                self.codes["d3vice"] = _form(request.body.decode())
                found = {"device_code": "d3vice", "user_code": "WDJB-MJHT", "interval": 0, "expires_in": 600}
                return json_reply({**found, "verification_uri": f"{self.url}/activate"})
            case "/token":
                return self.token(request)
        return http_reply(b"nothing here", 404)

    def _authorize(self, query: Form) -> bytes:
        """Redirect at once, as if the user had agreed."""
        code = f"c0de-{len(self.codes)}"
        self.codes[code] = query
        answer = {"code": code, "state": query["state"], "iss": self.url}
        return http_reply(b"", 302, {"Location": f"{query['redirect_uri']}?{urlencode(answer)}"})

    def token(self, request: Received) -> bytes:
        form = _form(request.body.decode())
        if given := request.header("Authorization"):
            client, secret = map(unquote_plus, b64decode(given.removeprefix("Basic ")).decode().split(":"))
            form |= {"client_id": client, "client_secret": secret, "by": "header"}
        self.forms.append(form)
        self.before_answer()
        if self.answers and (answer := self.answers.pop(0)) is not None:
            return answer
        if self.clients.get(form.get("client_id", "")) != form.get("client_secret", ""):
            return json_reply({"error": "invalid_client"}, 401)
        match form["grant_type"]:
            case "client_credentials":
                return self.issue(form)
            case "authorization_code":
                asked = self.codes.pop(form["code"], None)
                if asked and not _fits(asked, form):
                    asked = None
            case "refresh_token":
                asked = self.refresh.pop(form["refresh_token"], None)
            case _:
                asked = self.codes.pop(form["device_code"], None)
        if asked is None:
            return json_reply({"error": "invalid_grant"}, 400)
        return self.issue(asked, renewable=True)

    def issue(self, asked: Form, *, renewable: bool = False) -> bytes:
        """Return the response with new tokens for what was asked."""
        self.issued += 1
        token, refresh = f"{TOKEN}-{self.issued}", f"{REFRESH}-{self.issued}"
        self.tokens[token] = asked.get("scope", self.scope)
        members = {"access_token": token, "token_type": "Bearer", "expires_in": self.lifetime}
        if renewable:
            members["refresh_token"] = refresh
            self.refresh[refresh] = asked
        return json_reply({**members, "scope": self.tokens[token]})


def _form(text: str) -> Form:
    return {name: values[-1] for name, values in parse_qs(text, keep_blank_values=True).items()}


def _fits(asked: Form, form: Form) -> bool:
    digest = sha256(form["code_verifier"].encode()).digest()
    challenge = urlsafe_b64encode(digest).decode().rstrip("=")
    same = all(asked.get(name) == form.get(name) for name in ("client_id", "redirect_uri", "resource"))
    return same and asked["code_challenge"] == challenge and asked["code_challenge_method"] == "S256"


def browse(url: str, change: Callable[[str], str] = lambda url: url) -> str:
    """Visit an address as a browser, which follows one redirect as ``change`` has changed it; return that one."""
    location = change(_location(url))
    if location.startswith("http://127.0.0.1:"):
        _location(location)
    return location


def _location(url: str) -> str:
    parts = urlsplit(url)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=5)
    connection.request("GET", f"{parts.path}?{parts.query}")
    response = connection.getresponse()
    response.read()
    connection.close()
    return response.getheader("Location") or ""


class Resource:
    """A JSON-RPC server for tokens of an issuer. The method ``admin`` needs the scope of its name."""

    def __init__(self, issuer: Issuer) -> None:
        self.issuer = issuer
        self.server = RawServer(self._serve, path="/rpc")
        self.url, self.origin = self.server.url, self.server.origin
        self.metadata_url = f"{self.origin}/.well-known/oauth-protected-resource/rpc"
        self.metadata: dict[str, Any] = {"resource": self.url, "authorization_servers": [issuer.url]}
        self.pages: dict[str, Parts] = {}
        """Other responses to GET, by path."""

    def __enter__(self) -> Self:
        self.server.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.__exit__()

    def _serve(self, request: Received) -> Parts:
        path = request.line.split()[1]
        if request.line.startswith("GET") and not request.header("Upgrade"):
            if path in self.pages:
                return self.pages[path]
            is_metadata = path == urlsplit(self.metadata_url).path
            return json_reply(self.metadata) if is_metadata else http_reply(b"nothing here", 404)
        scopes = self.issuer.tokens.get((request.header("Authorization") or "").removeprefix("Bearer "))
        metadata = f'resource_metadata="{self.metadata_url}"'
        if scopes is None:
            challenge = f'Bearer error="invalid_token", {metadata}, scope="read"'
            return http_reply(b"", 401, {"WWW-Authenticate": challenge}, reason="Unauthorized")
        if request.header("Upgrade"):
            return http_reply(b"no WebSocket here", 500)
        if request.json["method"] == "admin" and "admin" not in scopes.split():
            challenge = f'Bearer error="insufficient_scope", scope="admin", {metadata}'
            return http_reply(b"", 403, {"WWW-Authenticate": challenge}, reason="Forbidden")
        return request.reply(result={"scopes": scopes, "said": request.json.get("params")})

    @property
    def calls(self) -> list[str]:
        """The methods of all calls with any token."""
        posted = [request for request in self.server.requests if request.line.startswith("POST")]
        return [request.json["method"] for request in posted if request.header("Authorization")]
