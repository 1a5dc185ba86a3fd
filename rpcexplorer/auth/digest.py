"""HTTP Digest (RFC 7616), which proves a password without sending it.

The server challenges the first request, and the call is sent again with the answer. Of several challenges, the
strongest is answered. If none can be answered, the refusal of the server is the result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import ClassVar, Final
from urllib.parse import quote

from msgspec import Struct

from rpcexplorer.auth.auth_type import USERNAME, AuthField, AuthType, ByClient
from rpcexplorer.auth.credentials import AuthCall, AuthFlow, AuthHeader, Opening, as_bytes
from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.patterns import regex
from rpcexplorer.transport.port import Response

UNAUTHORIZED: Final = 401
ALGORITHMS: Final = ("SHA-256", "SHA-256-SESS", "MD5", "MD5-SESS")
"""Supported algorithms, strongest first."""
LONGEST: Final = 8 * 1024
"""Characters of a header that are read; challenges are much shorter."""
COUNT: Final = "00000001"
"""The nonce count, because each call has its own challenge."""
_WORD = r"[!#$%&'*+.^_`|~\w-]"
_PART = regex(rf'(?<!{_WORD})(?:({_WORD}{{1,64}})[ \t]+)?({_WORD}{{1,64}})[ \t]*=[ \t]*("(?:[^"\\]|\\.)*"|[^\s,"]*)')
"""A parameter of a challenge; the first one follows the scheme."""
_SENDABLE = regex(r"[\t -~]*")


class Challenge(Struct, frozen=True):
    """The parameters of a challenge, as the server wrote them."""

    realm: str
    nonce: str
    algorithm: str = ""
    """In the spelling of the server; MD5 if it is missing."""
    qop: str = ""
    """``auth``, or empty for servers of RFC 2069."""
    opaque: str | None = None
    stale: bool = False

    @property
    def hashing(self) -> str:
        """Return the algorithm as in ``ALGORITHMS``, if it is supported."""
        return (self.algorithm or "MD5").upper()


class DigestHeader(AuthHeader, frozen=True):
    """The answer to a challenge; its text has user name and password as lines."""

    challenge: Challenge = Challenge("", "")
    cnonce: str = ""

    @property
    def shown(self) -> str:
        username, _, password = self.text.partition("\n")
        return f"{self.scheme}{username}, response computed from {password}"

    def opened(self, opening: Opening) -> str:
        username, _, password = self.text.partition("\n")
        name, word = opening.filled(username), opening.filled(password)
        return self.scheme + answered(self.challenge, name, word, self.cnonce, opening)

    def betrays(self, opened: str) -> Iterable[str]:
        found = re.search(r'response="([0-9a-f]+)"', opened)
        return (found[1],) if found else ()


class DigestAuth(AuthType, frozen=True):
    username: str | None = None

    kind: ClassVar[str] = "digest"
    scheme: ClassVar[str] = "Digest"
    sends: ClassVar[str] = "a proof of the password with HTTP Digest"
    needed: ClassVar[str] = "uses HTTP Digest"
    takes: ClassVar[tuple[str, ...]] = ("username", "password")
    fields: ClassVar[tuple[AuthField, ...]] = (USERNAME,)

    def words(self, profile: Profile) -> str:  # noqa: ARG002
        return "digest: sends the user name and a proof of the password"

    def requests(self, call: AuthCall) -> AuthFlow:
        """Yield the call without credentials, then with the answer to a challenge.

        A stale challenge is answered once more.
        """
        from secrets import token_hex  # Start-up does not need it.

        request = self.request(call.profile, call.message, bare=True)
        if isinstance(request, Refused):
            return request
        received = yield request
        if isinstance(received, Refused) or self.is_free(call.profile, call.message):
            return received
        challenge = strongest(received.response)
        while challenge is not None:
            text = self._text(call.profile)
            header = DigestHeader("Authorization", text, "Digest ", challenge=challenge, cnonce=token_hex(16))
            request = self.request(call.profile, call.message, headers=(header,))
            if isinstance(request, Refused):
                return request
            received = yield request
            if isinstance(received, Refused):
                return received
            again = strongest(received.response)
            challenge = again if again and again.stale and not challenge.stale else None
        return received

    def header_problem(self, profile: Profile, secrets: Sequence[Secret]) -> Refused | None:
        names = [secret.reveal() for secret in secrets if secret.label == profile.label("username")]
        if not any("\n" in name for name in (self.username or "", *names)):
            return None
        return Refused(
            "profile",
            f"The user name of profile {profile.name} has a line break, which a header cannot contain.",
        )

    def by_client(self, profile: Profile) -> ByClient:
        name, _, password = self._text(profile).partition("\n")
        return ByClient(name, password, "--digest", "--auth-type=digest", "DigestAuth")

    def _text(self, profile: Profile) -> str:
        name = profile.references["username"] if self.username is None else self.username
        return f"{name}\n{profile.references['password']}"


def strongest(response: Response) -> Challenge | None:
    if response.status != UNAUTHORIZED:
        return None
    found: list[Challenge] = []
    for header, value in response.headers:
        if header.lower() == "www-authenticate":
            found += [challenge for challenge in challenges(value) if challenge.hashing in ALGORITHMS]
    return min(found, key=lambda challenge: ALGORITHMS.index(challenge.hashing), default=None)


def challenges(header: str) -> Iterator[Challenge]:
    """Yield the Digest challenges of a header, which may hold other schemes."""
    if len(header) > LONGEST or not _SENDABLE.fullmatch(header):  # An answer to it could not be sent over HTTP.
        return
    found: list[dict[str, str]] = []
    for scheme, name, value in _PART.findall(header):
        if scheme:
            found.append({"scheme": scheme.lower()})
        if found:
            found[-1].setdefault(name.lower(), _unquoted(value))
    for offered in found:
        if offered["scheme"] != "digest" or "nonce" not in offered:
            continue
        qop = offered.get("qop")
        if qop is None or "auth" in [option.strip().lower() for option in qop.split(",")]:
            yield Challenge(
                offered.get("realm", ""),
                offered["nonce"],
                offered.get("algorithm", ""),
                "" if qop is None else "auth",
                offered.get("opaque"),
                stale=offered.get("stale", "").lower() == "true",
            )


def answered(challenge: Challenge, username: str, password: str, cnonce: str, opening: Opening) -> str:
    """Return the header's value after its scheme."""
    digest = _hashing(challenge)
    name = as_bytes(username)
    is_session = challenge.hashing.endswith("-SESS")
    proof = digest(name, challenge.realm, as_bytes(password))
    if is_session:
        proof = digest(proof, challenge.nonce, cnonce)
    counted = [COUNT, cnonce, challenge.qop] if challenge.qop else []
    parts = {}
    if _SENDABLE.fullmatch(username):
        parts["username"] = _quoted(username)
    else:
        parts["username*"] = f"UTF-8''{quote(name, safe='')}"
    parts["realm"] = _quoted(challenge.realm)
    parts["uri"] = _quoted(opening.target)
    if challenge.algorithm:
        parts["algorithm"] = challenge.algorithm
    parts["nonce"] = _quoted(challenge.nonce)
    if challenge.qop:
        parts["nc"] = COUNT
    if challenge.qop or is_session:
        parts["cnonce"] = _quoted(cnonce)
    if challenge.qop:
        parts["qop"] = challenge.qop
    parts["response"] = _quoted(digest(proof, challenge.nonce, *counted, digest(opening.verb, opening.target)))
    if challenge.opaque is not None:
        parts["opaque"] = _quoted(challenge.opaque)
    return ", ".join(f"{key}={value}" for key, value in parts.items())


def _hashing(challenge: Challenge) -> Callable[..., str]:
    import hashlib  # It loads OpenSSL, and few profiles need it.

    made = hashlib.sha256 if challenge.hashing.startswith("SHA-256") else hashlib.md5

    def digest(*parts: str | bytes) -> str:
        encoded = []
        for part in parts:
            if isinstance(part, str):
                encoded.append(part.encode("latin-1"))
            else:
                encoded.append(part)
        return made(b":".join(encoded), usedforsecurity=False).hexdigest()

    return digest


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _unquoted(text: str) -> str:
    if not text.startswith('"'):
        return text
    return re.sub(r"\\(.)", r"\1", text[1:-1])
