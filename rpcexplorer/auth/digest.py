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
from rpcexplorer.auth.credentials import UNAUTHORIZED, AuthCall, AuthFlow, AuthHeader, Opening, as_bytes
from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.patterns import regex
from rpcexplorer.transport.port import Response

ALGORITHMS: Final = ("SHA-256", "SHA-256-SESS", "MD5", "MD5-SESS")
"""Supported algorithms, strongest first."""
MAX_HEADER: Final = 8 * 1024
"""Characters of a header that is read; challenges are much shorter."""
NONCE_COUNT: Final = "00000001"
"""Each nonce is used once, because each call gets its own challenge."""
_WORD = r"[!#$%&'*+.^_`|~\w-]"
_PARAMETER = regex(
    rf"""
    (?<!{_WORD})
    (?: ({_WORD}{{1,64}}) [ \t]+ )?         # the scheme, which only the first parameter has before it
    ({_WORD}{{1,64}}) [ \t]* = [ \t]*        # the name
    ( "(?:[^"\\]|\\.)*" | [^\s,"]* )         # the value, with or without quotes
    """,
    re.VERBOSE,
)
_SENDABLE = regex(r"[\t -~]*")
"""Text that a header can contain in quotes: tabs and printable ASCII."""


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
    def algorithm_name(self) -> str:
        """Return the algorithm in the spelling of ``ALGORITHMS``, which may not have it."""
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
        username, password = opening.filled(username), opening.filled(password)
        return self.scheme + authorization_value(self.challenge, username, password, self.cnonce, opening)

    def secret_parts(self, opened: str) -> Iterable[str]:
        # The nonce may be accepted again, and a weak password can be guessed from the proof.
        found = re.search(r'response="([0-9a-f]+)"', opened)
        return (found[1],) if found else ()


class DigestAuth(AuthType, frozen=True):
    """A proof of the password, as HTTP Digest defines it."""

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
        challenge = strongest_challenge(received.response)
        while challenge is not None:
            text = self._text(call.profile)
            header = DigestHeader("Authorization", text, "Digest ", challenge=challenge, cnonce=token_hex(16))
            request = self.request(call.profile, call.message, headers=(header,))
            if isinstance(request, Refused):
                return request
            received = yield request
            if isinstance(received, Refused):
                return received
            new_challenge = strongest_challenge(received.response)
            # A new nonce helps if the old one was too old. Otherwise the server rejects the password.
            if new_challenge is None or not new_challenge.stale or challenge.stale:
                return received
            challenge = new_challenge
        return received

    def header_problem(self, profile: Profile, secrets: Sequence[Secret]) -> Refused | None:
        usernames = [self.username or ""]
        usernames += [secret.reveal() for secret in secrets if secret.label == profile.label("username")]
        if not any("\n" in username for username in usernames):
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


def strongest_challenge(response: Response) -> Challenge | None:
    """Return the challenge of a 401 with the strongest supported algorithm."""
    if response.status != UNAUTHORIZED:
        return None
    supported: list[Challenge] = []
    for header, value in response.headers:
        if header.lower() == "www-authenticate":
            supported += [challenge for challenge in digest_challenges(value) if challenge.algorithm_name in ALGORITHMS]
    return min(supported, key=lambda challenge: ALGORITHMS.index(challenge.algorithm_name), default=None)


def challenges(header: str) -> list[dict[str, str]]:
    """Return the challenges of a header with parameters, in lower case; none if it cannot be sent back."""
    if len(header) > MAX_HEADER or not _SENDABLE.fullmatch(header):
        return []
    offers: list[dict[str, str]] = []
    for scheme, name, value in _PARAMETER.findall(header):
        if scheme:
            offers.append({"scheme": scheme.lower()})
        if offers:
            offers[-1].setdefault(name.lower(), _unquoted(value))
    return offers


def digest_challenges(header: str) -> Iterator[Challenge]:
    """Yield the Digest challenges of a header, which may hold other schemes."""
    for offer in challenges(header):
        if offer["scheme"] != "digest" or "nonce" not in offer:
            continue
        qop = ""
        if "qop" in offer:
            qop = "auth"
            if qop not in [option.strip().lower() for option in offer["qop"].split(",")]:
                continue
        yield Challenge(
            offer.get("realm", ""),
            offer["nonce"],
            offer.get("algorithm", ""),
            qop,
            offer.get("opaque"),
            stale=offer.get("stale", "").lower() == "true",
        )


def authorization_value(challenge: Challenge, username: str, password: str, cnonce: str, opening: Opening) -> str:
    """Return the value of the Authorization header after its scheme."""
    digest = _digest_function(challenge)
    name = as_bytes(username)
    is_session = challenge.algorithm_name.endswith("-SESS")
    credentials_hash = digest(name, challenge.realm, as_bytes(password))
    if is_session:
        credentials_hash = digest(credentials_hash, challenge.nonce, cnonce)
    request_hash = digest(opening.verb, opening.target)
    if challenge.qop:
        proof = digest(credentials_hash, challenge.nonce, NONCE_COUNT, cnonce, challenge.qop, request_hash)
    else:
        proof = digest(credentials_hash, challenge.nonce, request_hash)
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
        parts["nc"] = NONCE_COUNT
    if challenge.qop or is_session:
        parts["cnonce"] = _quoted(cnonce)
    if challenge.qop:
        parts["qop"] = challenge.qop
    parts["response"] = _quoted(proof)
    if challenge.opaque is not None:
        parts["opaque"] = _quoted(challenge.opaque)
    return ", ".join(f"{key}={value}" for key, value in parts.items())


def _digest_function(challenge: Challenge) -> Callable[..., str]:
    """Return a function that hashes its arguments, joined with colons."""
    import hashlib  # It loads OpenSSL, and few profiles need it.

    new_hash = hashlib.md5
    if challenge.algorithm_name.startswith("SHA-256"):
        new_hash = hashlib.sha256

    def digest(*parts: str | bytes) -> str:
        encoded = []
        for part in parts:
            if isinstance(part, str):
                encoded.append(part.encode("latin-1"))
            else:
                encoded.append(part)
        return new_hash(b":".join(encoded), usedforsecurity=False).hexdigest()

    return digest


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _unquoted(text: str) -> str:
    if not text.startswith('"'):
        return text
    return re.sub(r"\\(.)", r"\1", text[1:-1])
