"""The auth types that send one value: a token, or the session of a login."""

from __future__ import annotations

import re
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final
from urllib.parse import quote

import msgspec
from msgspec.structs import replace

from rpcexplorer.auth.auth_type import USERNAME, AuthField, AuthType
from rpcexplorer.auth.credentials import AuthHeader, AuthRequest, Message, Opening
from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.method import Described, Method
from rpcexplorer.model.profile import TOKEN_MARK, Auth, Profile
from rpcexplorer.model.secret import UNRECORDED, Secret
from rpcexplorer.patterns import regex
from rpcexplorer.rpc.messages import Call, spelled


class TokenAuth(AuthType, frozen=True):
    username: str | None = None

    takes: ClassVar[tuple[str, ...]] = ("token",)

    def opens_session(self, profile: Profile) -> bool:
        return profile.has_login

    def mark(self, profile: Profile) -> str:
        """Return the secret reference of the sent value."""
        return profile.references["session" if profile.has_login else "token"]

    def filled(self, template: str, profile: Profile) -> str:
        return template.replace(TOKEN_MARK, self.mark(profile))

    def summary(self, profile: Profile, place: str) -> str:
        if profile.has_login:
            return f"{self.kind}: sends the session of {profile.login.name} {place}"
        return f"{self.kind}: sends a token {place}"


class BearerAuth(TokenAuth, frozen=True):
    """A token in the header ``Authorization: Bearer``."""

    kind: ClassVar[str] = "bearer"
    scheme: ClassVar[str] = "Bearer"
    sends: ClassVar[str] = "a token in the header Authorization: Bearer"
    needed: ClassVar[str] = "takes a token in a header"

    def words(self, profile: Profile) -> str:
        return self.summary(profile, "in the header Authorization")

    def headers(self, profile: Profile) -> tuple[AuthHeader, ...]:
        return (AuthHeader("Authorization", self.mark(profile), scheme=f"{self.scheme} "),)

    def pasted(self, field: str, text: str) -> str:
        return _pasted_token(text) if field == "token" else text.strip()


def _pasted_token(text: str) -> str:
    """Return a bearer token, even if the complete header was copied."""
    words = text.split()
    if len(words) > 1 and words[-2].lower() == "bearer":
        return words[-1]
    return text.strip()


OTHERWISE = "host|content-length|content-type|transfer-encoding|connection|accept"
"""Headers that have a meaning of their own in HTTP."""


class HeaderAuth(TokenAuth, frozen=True):
    """A token in a header of any name."""

    header: str = "X-Api-Key"
    value: str = TOKEN_MARK
    """Printable ASCII with ``{token}``."""

    kind: ClassVar[str] = "header"
    sends: ClassVar[str] = "a token in a header of any name"
    needed: ClassVar[str] = "takes a token in a header"
    fields: ClassVar[tuple[AuthField, ...]] = (
        AuthField(
            "header",
            label="header",
            hint="X-Api-Key",
            pattern=regex(rf"(?!(?i:{OTHERWISE})$)[A-Za-z0-9!#$%&'*+.^_`|~-]+"),
            mismatch='must be the name of a header that holds a token, such as "X-Api-Key"',
        ),
        AuthField(
            "value",
            pattern=regex(r"(?=.*\{token\})[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?"),
            mismatch='must be text that contains {token}, such as "{token}" or "Token {token}"',
        ),
    )

    def words(self, profile: Profile) -> str:
        return self.summary(profile, f"in the header {self.header}")

    def headers(self, profile: Profile) -> tuple[AuthHeader, ...]:
        return (AuthHeader(self.header, self.filled(self.value, profile)),)


class QueryAuth(TokenAuth, frozen=True):
    """A token in the query of the URL."""

    name: str = "apikey"

    kind: ClassVar[str] = "query"
    sends: ClassVar[str] = "a token in the query of the URL"
    needed: ClassVar[str] = "takes a token in the URL"
    fields: ClassVar[tuple[AuthField, ...]] = (
        AuthField(
            "name",
            label="parameter",
            hint="apikey",
            pattern=regex(r"[\w.~\[\]-]+", re.ASCII),
            mismatch='must be the name of a parameter, such as "apikey"',
        ),
    )

    def words(self, profile: Profile) -> str:
        return self.summary(profile, f"in the URL, as {self.name}")

    def put(self, profile: Profile, message: Message) -> AuthRequest:
        sign = "&" if "?" in profile.endpoint else "?"
        return AuthRequest(message, address=f"{profile.endpoint}{sign}{quote(self.name)}={self.mark(profile)}")


TOKENS: Final = frozenset({"token", "secret", "session", "session_id", "sid", "ubus_rpc_session", "auth", "key"})
"""Names of a first param that is the token."""


class FirstAuth(TokenAuth, frozen=True):
    """A token as the first element of the params."""

    value: str = TOKEN_MARK
    """The element, with ``{token}``."""

    kind: ClassVar[str] = "first"
    sends: ClassVar[str] = "a token as the first param"
    needed: ClassVar[str] = "takes a token as its first param"
    fields: ClassVar[tuple[AuthField, ...]] = (
        AuthField(
            "value",
            label="first param",
            hint="token:{token}",
            pattern=regex(r"(?=.*\{token\}).+"),
            mismatch='must be text that contains {token}, such as "{token}" or "token:{token}"',
        ),
    )
    in_params: ClassVar[bool] = True

    def offered(self, method: Method) -> Method:
        """Make params go by position, because an object is refused."""
        if method.auth == Auth.kind or not (method.has_docs or method.by):
            return method
        is_token = bool(method.required) and method.required[0] in {*TOKENS, ""}
        return replace(method, required=method.required[1:] if is_token else method.required, by="position")

    def offered_in_full(self, method: Method, full: Described) -> Described:
        """Return it without the first param if that is the token."""
        if method.auth == Auth.kind or not full.params:
            return full
        first, *rest = full.params
        is_token = first.name in TOKENS or (not first.name and _is_text(first.schema))
        if not is_token:
            return full
        names = [param.name for param in rest]
        examples = (
            replace(example, params=_behind_the_token(example.params, first.name, names)) for example in full.examples
        )
        return replace(full, params=tuple(rest), examples=tuple(examples))

    def words(self, profile: Profile) -> str:
        return self.summary(profile, "as the first param")

    def put(self, profile: Profile, message: Message) -> AuthRequest | Refused:
        text = self.filled(self.value, profile)
        calls = []
        for call in message.calls:
            params = self._params(call, profile, spelled(text))
            if isinstance(params, Refused):
                return params
            calls.append(replace(call, params=params))
        texts = () if text == self.mark(profile) else (text,)
        return AuthRequest(replace(message, calls=tuple(calls)), texts=texts)

    def _params(self, call: Call, profile: Profile, element: str) -> str | Refused:
        if self.free(profile, call):  # A batch may contain calls without credentials.
            return call.params
        from rpcexplorer.jsontext.scan import elements

        spans = elements(call.params)
        if spans is None:
            return Refused(
                "params",
                f"Profile {profile.name} adds a token as the first param, so the params cannot be an object. "
                "Write an array, such as [1].",
            )
        if spans and call.params[slice(*spans[0])] == element:
            return call.params  # It was copied from the request preview.
        return f"[{element},{call.params.lstrip()[1:]}" if spans else f"[{element}]"


def _behind_the_token(params: Any, token: str, names: Sequence[str]) -> Any:
    """Return the params of an example by position, as they are typed here."""
    if isinstance(params, list):
        return params[1:]
    if not isinstance(params, dict):
        return params
    given = {name: value for name, value in params.items() if name != token}
    if given.keys() != set(names[: len(given)]):
        return given
    return [given[name] for name in names[: len(given)]]


def _is_text(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "string"


class MemberAuth(TokenAuth, frozen=True):
    """A token in a member next to ``method``."""

    member: str = "auth"

    kind: ClassVar[str] = "member"
    sends: ClassVar[str] = "a token next to the method"
    needed: ClassVar[str] = "takes a token next to the method"
    fields: ClassVar[tuple[AuthField, ...]] = (
        AuthField(
            "member",
            label="member",
            hint="auth",
            pattern=regex(r"(?!(?:jsonrpc|version|id|method|params|arguments|tag)$).+", re.DOTALL),
            mismatch='must be the name of a member of the request that JSON-RPC does not use, such as "auth"',
        ),
    )

    def words(self, profile: Profile) -> str:
        return self.summary(profile, f"next to the method, as {self.member}")

    def places(self, profile: Profile) -> Iterable[str]:
        yield self.member
        yield from super().places(profile)

    def put(self, profile: Profile, message: Message) -> AuthRequest:
        member = (self.member, spelled(self.mark(profile)))
        calls = []
        for call in message.calls:
            members = () if self.free(profile, call) else (member,)
            calls.append(replace(call, members=members))
        return AuthRequest(replace(message, calls=tuple(calls)))


class JwtHeader(AuthHeader, frozen=True):
    """A token that is signed when it is sent; its text is the reference of the key."""

    claims: tuple[tuple[str, str], ...] = ()

    @property
    def shown(self) -> str:
        return f"{self.scheme}token signed with {self.text}"

    @property
    def copied(self) -> str:
        # With the reference in it, other programs would send the key itself.
        return f"{self.scheme}{UNRECORDED}"

    def opened(self, opening: Opening) -> str:
        return self.scheme + signed_token(opening.filled(self.text), dict(self.claims))

    def secret_parts(self, opened: str) -> Iterable[str]:
        return (opened.removeprefix(self.scheme),)


def signed_token(key: str, claims: Mapping[str, str]) -> str:
    """Return a JWT (RFC 7519) of this second, signed with HS256 and a key in hex."""
    import hmac  # It loads OpenSSL, and few profiles need it.

    header = {"alg": "HS256", "typ": "JWT"}
    payload = {"iat": int(time.time()), **claims}
    text = ".".join(base64url(msgspec.json.encode(part)) for part in (header, payload))
    signature = hmac.digest(bytes.fromhex(key.removeprefix("0x")), text.encode(), "sha256")
    return f"{text}.{base64url(signature)}"


def base64url(content: bytes) -> str:
    """Return Base64 as tokens and proofs have it: safe in a URL, without padding."""
    return urlsafe_b64encode(content).decode().rstrip("=")


class JwtAuth(AuthType, frozen=True):
    """A new token for each request, signed with a shared key."""

    claims: tuple[tuple[str, str], ...] = ()
    """Claims besides ``iat``, the time of the token."""
    secret_file: str | None = None
    """Absolute path of a private file of the user, which has the key in hex."""
    key_command: tuple[str, ...] = ()

    kind: ClassVar[str] = "jwt"
    sends: ClassVar[str] = "a signed token, new for each request, in the header Authorization: Bearer"
    needed: ClassVar[str] = "takes a signed token in a header"
    takes: ClassVar[tuple[str, ...]] = ("key",)
    fields: ClassVar[tuple[AuthField, ...]] = (AuthField("secret_file", label="key file", hint="~/jwt.hex"),)

    def file_for(self, field: str) -> str | None:
        return self.secret_file if field == "key" else None

    def words(self, profile: Profile) -> str:  # noqa: ARG002
        return "jwt: signs a new token for each request, in the header Authorization"

    def headers(self, profile: Profile) -> tuple[AuthHeader, ...]:
        return (JwtHeader("Authorization", profile.references["key"], "Bearer ", claims=self.claims),)

    def header_problem(self, profile: Profile, secrets: Sequence[Secret]) -> Refused | None:
        keys = [secret.reveal() for secret in secrets if secret.label == profile.label("key")]
        if all(_HEX.fullmatch(key) for key in keys):
            return None
        advice = f"Correct {self.secret_file}" if self.secret_file else "Enter it again"
        sentence = f"The key of profile {profile.shown_name} is not hex. {advice}: hex digits, with or without 0x."
        return Refused("credentials", sentence, "key")

    def pasted(self, field: str, text: str) -> str:  # noqa: ARG002
        return text.strip()


_HEX = regex(r"(?:0x)?(?:[0-9A-Fa-f]{2})+")


class CookieAuth(AuthType, frozen=True):
    """A session cookie, obtained by a login call."""

    username: str | None = None
    cookie: str = "sessionid"

    kind: ClassVar[str] = "cookie"
    sends: ClassVar[str] = "a session in a cookie"
    needed: ClassVar[str] = "needs a session"
    fields: ClassVar[tuple[AuthField, ...]] = (
        USERNAME,
        AuthField(
            "cookie",
            pattern=regex(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"),
            mismatch='must be the name of a cookie, such as "sessionid", without a value',
        ),
    )

    @property
    def session_cookie(self) -> str:
        return self.cookie

    def opens_session(self, profile: Profile) -> bool:  # noqa: ARG002
        return True

    def words(self, profile: Profile) -> str:
        return f"cookie: {profile.login.name} opens a session"

    def headers(self, profile: Profile) -> tuple[AuthHeader, ...]:
        return (AuthHeader("Cookie", f"{self.cookie}={profile.references['session']}"),)

    def sendable(self, value: str) -> bool:
        from rpcexplorer.auth.login import sendable  # Start-up does not need it.

        return sendable(value)

    def places(self, profile: Profile) -> Iterable[str]:
        yield self.cookie
        yield from super().places(profile)

    def pasted(self, field: str, text: str) -> str:
        """Return the session id from a header, a pair or an id that was copied."""
        if field != "session":
            return text
        found = re.search(rf"(?:^|[;:\s]){re.escape(self.cookie)}=\"?([^;\s\"]+)", text)
        return found[1] if found else text.strip()

    def free(self, profile: Profile, call: Call) -> bool:
        """Return whether a call needs no session: the login, and marked methods."""
        note = profile.methods.get(call.method)
        is_login = call.method == profile.login.method and not profile.login.path
        return is_login or (note is not None and note.auth not in {None, self.kind})


class OAuthAuth(AuthType, frozen=True):
    """A token that an authorization server issues in the way of ``grant``; ``auth/oauth.py`` has its requests."""

    issuer: str = ""
    """The authorization server; the resource names it if it is empty."""
    grant: str = "code"
    client_id: str = ""
    """The id of a registered client, or the URL of a client id metadata document."""
    scopes: str = ""
    """Separated by spaces; the server's own choice if it is empty."""
    resource: str = ""
    client_secret_command: tuple[str, ...] = ()

    kind: ClassVar[str] = "oauth"
    sends: ClassVar[str] = "a token of an authorization server in the header Authorization: Bearer"
    needed: ClassVar[str] = "takes a token that an authorization server issues"
    fields: ClassVar[tuple[AuthField, ...]] = (
        AuthField(
            "issuer",
            label="issuer",
            hint="https://login.example.com",
            pattern=regex(r"https?://\S+"),
            mismatch='must be the URL of an authorization server, such as "https://login.example.com"',
        ),
        AuthField(
            "grant",
            label="grant",
            hint="code",
            pattern=regex("code|client|device"),
            mismatch='must be "code" (log in with a browser), "client" (client secret) or "device"',
        ),
        AuthField("client_id", label="client id", hint="the id of a registered client"),
        AuthField("scopes", label="scopes", hint="such as read write"),
        AuthField(
            "resource",
            label="resource",
            hint="the URL that the token is for",
            pattern=regex(r"[a-z][a-z0-9+.-]*:\S+"),
            mismatch='must be a URL, such as "https://rpc.example.com/mcp"',
        ),
    )

    def secrets(self, profile: Profile) -> tuple[str, ...]:  # noqa: ARG002
        return ("client_secret", "session") if self.grant == "client" else ("session",)

    def receiver(self, profile: Profile) -> str:
        return self.issuer or f"the authorization server of {profile.origin}"

    def words(self, profile: Profile) -> str:  # noqa: ARG002
        place = f" at {self.issuer}" if self.issuer else ""
        return f"oauth: sends the token of a login{place} in the header Authorization"

    def headers(self, profile: Profile) -> tuple[AuthHeader, ...]:
        return (AuthHeader("Authorization", profile.references["session"], scheme="Bearer "),)

    def pasted(self, field: str, text: str) -> str:
        return _pasted_token(text) if field == "session" else text.strip()
