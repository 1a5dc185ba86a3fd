"""Profiles of every auth type, each with a server that repeats all it got."""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from hashlib import md5
from hmac import digest as hmac_digest
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote

from tests.fakes.wire import Parts, Received, http_reply
from tests.trust.planted import Parrot, spellings

SESSION = "s3ss10n+of/a.kind=%41=="
HANDED = "h4nded-0ver.by/the+server="
CHALLENGE = 'Digest realm="all kinds", nonce="n0nce", qop="auth"'
HasCredentials = Callable[[Received, str], bool]
"""Return whether a request has a value where its credentials belong."""


class Planted(NamedTuple):
    settings: str
    has_credentials: HasCredentials
    field: str = "token"
    in_header: bool = False
    """Whether a header has the value unencoded, so not every character fits."""
    handshake: str = ""

    @property
    def logs_in(self) -> bool:
        return "login" in self.settings

    @property
    def typed(self) -> str:
        """The field that the user types."""
        return "password" if self.logs_in else self.field


def sent(request: Received, name: str) -> str:
    return (request.header(name) or "").encode("latin-1").decode()


def target(request: Received) -> str:
    return request.line.split()[1]


def calls(request: Received) -> list[Any]:
    body = json.loads(request.body or "{}")
    return body if isinstance(body, list) else [body]


def basic(request: Received, value: str) -> bool:
    return b64decode(sent(request, "Authorization").removeprefix("Basic ")).decode() == f"ada:{value}"


def digest(request: Received, value: str) -> bool:
    given = dict(re.findall(r'(\w+)="?([^",]+)', sent(request, "Authorization")))

    def hashed(*parts: str) -> str:
        return md5(":".join(parts).encode(), usedforsecurity=False).hexdigest()

    asked = hashed(request.line.split()[0], target(request))
    name = hashed("ada", "all kinds", value)
    return given.get("response") == hashed(name, "n0nce", given.get("nc", ""), given.get("cnonce", ""), "auth", asked)


def bearer(request: Received, value: str) -> bool:
    return sent(request, "Authorization") == f"Bearer {value}"


def header(request: Received, value: str) -> bool:
    return sent(request, "X-Gate") == f"Key {value};"


def query(request: Received, value: str) -> bool:
    return unquote(target(request)).endswith(f"?gate={value}")


def path(request: Received, value: str) -> bool:
    return unquote(target(request)) == f"/v3/{value}"


def first(request: Received, value: str) -> bool:
    return all(call["params"][:1] == [f"token:{value}"] for call in calls(request))


def member(request: Received, value: str) -> bool:
    return all(call.get("gate") == value for call in calls(request))


def jwt(request: Received, value: str) -> bool:
    """Return whether the token is signed with the value, which is hex."""
    text, _, signature = sent(request, "Authorization").removeprefix("Bearer ").rpartition(".")
    proof = hmac_digest(bytes.fromhex(value.removeprefix("0x")), text.encode(), "sha256")
    return urlsafe_b64encode(proof).decode().rstrip("=") == signature


LOGIN = '\nlogin = { session = "/sessionid" }'
FORM = '\nlogin = { path = "/enter", form = true, session = "/result/sessionid" }'
KINDS = {
    "basic": Planted('auth = { kind = "basic", username = "ada" }', basic, "password"),
    "digest": Planted('auth = { kind = "digest", username = "ada" }', digest, "password"),
    "bearer": Planted('auth = { kind = "bearer" }', bearer, in_header=True),
    "header": Planted('auth = { kind = "header", header = "X-Gate", value = "Key {token};" }', header, in_header=True),
    "query": Planted('auth = { kind = "query", name = "gate" }', query),
    "first": Planted('auth = { kind = "first", value = "token:{token}" }', first),
    "member": Planted('auth = { kind = "member", member = "gate" }', member),
    "jwt": Planted('auth = { kind = "jwt", claims = { id = "ada" } }', jwt, "key"),
    "oauth": Planted('auth = { kind = "oauth" }', bearer, "session", in_header=True),
    "path": Planted('path = "/v3/{token}"\nauth = { kind = "none" }', path),
    "bearer with a login": Planted(f'auth = {{ kind = "bearer", username = "ada" }}{LOGIN}', bearer),
    "query with a login": Planted(f'auth = {{ kind = "query", name = "gate", username = "ada" }}{LOGIN}', query),
    "member with a login": Planted(f'auth = {{ kind = "member", member = "gate", username = "ada" }}{LOGIN}', member),
    "bearer after a form": Planted(f'auth = {{ kind = "bearer", username = "ada" }}{FORM}', bearer),
    "a header from a 409": Planted(
        'auth = { kind = "basic", username = "ada" }\nhandshake = { header = "X-Handed" }', basic, "password",
        handshake="X-Handed",
    ),
    "mcp": Planted('auth = { kind = "bearer" }\nhandshake = "mcp"', bearer, in_header=True, handshake="Mcp-Session-Id"),
}  # fmt: skip


class Gate(Parrot):
    """A server that checks the credentials and repeats them in a response."""

    def __init__(self, planted: Planted, secret: str) -> None:
        self.planted = planted
        self.typed = secret
        self.value = SESSION if planted.logs_in else secret
        self.secrets = [secret]
        """Values that must not be printed or written."""
        if planted.has_credentials is basic:
            self.secrets.append(b64encode(f"ada:{secret}".encode()).decode())
        self.secrets += [SESSION] if planted.logs_in else [HANDED] if planted.handshake else []
        super().__init__(*self.secrets, session=SESSION if planted.logs_in else self.secrets[-1])
        self.let_in = 0

    def __call__(self, request: Received) -> Parts:
        self.heard.append(request.head + request.body)
        if target(request) == "/enter":
            given = parse_qs(request.body.decode(), keep_blank_values=True)
            is_right = given == {"username": ["ada"], "password": [self.typed]}
            return self.answered({"method": "auth", "id": "1"}) if is_right else http_reply(b"", 401)
        body = json.loads(request.body or "{}")
        named = {call.get("method", "") for call in calls(request)}
        if self.planted.logs_in and named == {"auth"}:
            return self.answered(body)
        if not self.planted.has_credentials(request, self.value):
            asks = {"WWW-Authenticate": CHALLENGE} if self.planted.has_credentials is digest else {}
            return http_reply("\n".join(self.spelled).encode(), 401, asks, reason="Unauthorized")
        if self.planted.has_credentials in {digest, jwt}:
            self._learn(sent(request, "Authorization"))
        wanted = self.planted.handshake
        if wanted == "X-Handed" and request.header(wanted) != HANDED:
            return http_reply(HANDED.encode(), 409, {wanted: HANDED}, reason="Conflict")
        if wanted == "Mcp-Session-Id" and (answer := self._mcp(request, body)) is not None:
            return answer
        self.let_in += 1
        return self.answered(body)

    def _learn(self, authorization: str) -> None:
        """Count the proof of a digest or a signed token as a secret: it is as good as the password."""
        found = re.search(r'(?:response="|Bearer )([\w.-]+)', authorization)
        assert found is not None
        if found[1] not in self.secrets:
            self.secrets.append(found[1])
        self.spelled = [spelling for secret in (found[1], self.typed) for spelling in spellings(secret)]

    def _mcp(self, request: Received, body: Any) -> Parts | None:
        """Answer the handshake, and turn a tool call into a call of its own."""
        if isinstance(body, dict) and body["method"] == "initialize":
            result = json.dumps({"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": HANDED}})
            return http_reply(self._reply(body["id"], "result", result.encode()), headers={"Mcp-Session-Id": HANDED})
        if request.header("Mcp-Session-Id") != HANDED:
            return http_reply("\n".join(self.spelled).encode(), 404, reason="Not Found")
        for call in [body] if isinstance(body, dict) else body:
            if call["method"] == "tools/call":
                call["method"] = call["params"]["name"]
        return http_reply(b"", 202, reason="Accepted") if body == {} or "id" not in calls(request)[0] else None


def fitting(planted: Planted, values: dict[str, str]) -> Iterator[str]:
    """Yield the names of the values that can be sent."""
    for name, value in values.items():
        if planted.has_credentials is jwt:
            if name == "hex digits":
                yield name
        elif not planted.in_header or (value.isascii() and value.isprintable()):
            yield name
