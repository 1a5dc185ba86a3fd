"""The kind ``digest``: HTTP's own way to prove that a password is known without sending it, by RFC 7616.

A server challenges the first request, and the call goes out once more with the answer. Of several challenges the
strongest is answered; one that nothing here can answer stays what the server said: a refusal.
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
from rpcexplorer.model.secret import Secret, placeholder
from rpcexplorer.patterns import regex
from rpcexplorer.transport.port import Response

UNAUTHORIZED: Final = 401
ALGORITHMS: Final = ("SHA-256", "SHA-256-SESS", "MD5", "MD5-SESS")
"""Those that can be answered, the strongest first."""
LONGEST: Final = 8 * 1024
"""Characters of a header that are read: no challenge has so many."""
COUNT: Final = "00000001"
"""Each call has a challenge of its own."""
_WORD = r"[!#$%&'*+.^_`|~\w-]"
_PART = regex(rf'(?<!{_WORD})(?:({_WORD}{{1,64}})[ \t]+)?({_WORD}{{1,64}})[ \t]*=[ \t]*("(?:[^"\\]|\\.)*"|[^\s,"]*)')
"""A parameter of a challenge, with the scheme in front of the first one."""
_SENDABLE = regex(r"[\t -~]*")


class Challenge(Struct, frozen=True):
    """What a server wants to have hashed, its words as it sent them."""

    realm: str
    nonce: str
    algorithm: str = ""
    """As the server spells it; MD5 where it says nothing."""
    qop: str = ""
    """``auth``, ``auth-int``, or nothing with servers of the first kind."""
    opaque: str | None = None
    stale: bool = False

    @property
    def rank(self) -> int:
        return ALGORITHMS.index((self.algorithm or "MD5").upper())


class DigestHeader(AuthHeader, frozen=True):
    """The answer to a challenge. Its text is the user name and the password, a line each."""

    challenge: Challenge = Challenge("", "")
    cnonce: str = ""

    @property
    def shown(self) -> str:
        username, _, password = self.text.partition("\n")
        return f"{self.scheme}{username}, answered with {password}"

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
    sends: ClassVar[str] = "a proof of the password, by HTTP Digest"
    needed: ClassVar[str] = "takes the answer to a challenge"
    takes: ClassVar[tuple[str, ...]] = ("username", "password")
    fields: ClassVar[tuple[AuthField, ...]] = (USERNAME,)

    def words(self, profile: Profile) -> str:  # noqa: ARG002
        return "digest: the server's challenge is answered with user name and password"

    def requests(self, call: AuthCall) -> AuthFlow:
        """The call without credentials, and with the answer to the challenge that comes; once more for a stale one."""
        from secrets import token_hex  # no start needs it

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
        names = [each.reveal() for each in secrets if each.label == profile.label("username")]
        if not any("\n" in name for name in (self.username or "", *names)):
            return None
        return Refused(
            "profile", f"The user name of profile {profile.name} has a line break, which no header can hold."
        )

    def by_client(self, profile: Profile) -> ByClient:
        name, _, password = self._text(profile).partition("\n")
        return ByClient(name, password, "--digest", "--auth-type=digest", "DigestAuth")

    def _text(self, profile: Profile) -> str:
        name = placeholder(profile.label("username")) if self.username is None else self.username
        return f"{name}\n{placeholder(profile.label('password'))}"


def strongest(response: Response) -> Challenge | None:
    if response.status != UNAUTHORIZED:
        return None
    found = [
        each
        for name, value in response.headers
        if name.lower() == "www-authenticate"
        for each in challenges(value)
        if (each.algorithm or "MD5").upper() in ALGORITHMS
    ]
    return min(found, key=lambda each: each.rank, default=None)


def challenges(header: str) -> Iterator[Challenge]:
    """The challenges of Digest in a header, which may hold several of any scheme."""
    if len(header) > LONGEST or not _SENDABLE.fullmatch(header):  # HTTP could not carry the answer
        return
    said: list[dict[str, str]] = []
    for scheme, name, value in _PART.findall(header):
        if scheme:
            said.append({"scheme": scheme.lower()})
        if said:
            said[-1].setdefault(name.lower(), _unquoted(value))
    for each in said:
        options = [option.strip().lower() for option in each.get("qop", "").split(",")]
        qop = next((option for option in ("auth", "auth-int") if option in options), "")
        if each["scheme"] == "digest" and "nonce" in each and (qop or "qop" not in each):
            yield Challenge(
                each.get("realm", ""),
                each["nonce"],
                each.get("algorithm", ""),
                qop,
                each.get("opaque"),
                stale=each.get("stale", "").lower() == "true",
            )


def answered(challenge: Challenge, username: str, password: str, cnonce: str, opening: Opening) -> str:
    """What the header says behind its scheme."""
    digest = _hashing(challenge)
    name, is_plain = as_bytes(username), bool(_SENDABLE.fullmatch(username))
    proof = digest(name, challenge.realm, as_bytes(password))
    if (challenge.algorithm or "MD5").upper().endswith("-SESS"):
        proof = digest(proof, challenge.nonce, cnonce)
    asked = [opening.verb, opening.target, *([digest(opening.body)] if challenge.qop == "auth-int" else [])]
    counted = [COUNT, cnonce, challenge.qop] if challenge.qop else []
    parts = {
        "username": _quoted(username) if is_plain else "",
        "username*": "" if is_plain else f"UTF-8''{quote(name, safe='')}",
        "realm": _quoted(challenge.realm),
        "uri": _quoted(opening.target),
        "algorithm": challenge.algorithm,
        "nonce": _quoted(challenge.nonce),
        "nc": COUNT if challenge.qop else "",
        "cnonce": _quoted(cnonce) if counted or "sess" in challenge.algorithm.lower() else "",
        "qop": challenge.qop,
        "response": _quoted(digest(proof, challenge.nonce, *counted, digest(*asked))),
        "opaque": "" if challenge.opaque is None else _quoted(challenge.opaque),
    }
    return ", ".join(f"{name}={value}" for name, value in parts.items() if value)


def _hashing(challenge: Challenge) -> Callable[..., str]:
    import hashlib  # it loads OpenSSL, and few profiles need it

    made = hashlib.sha256 if (challenge.algorithm or "MD5").upper().startswith("SHA-256") else hashlib.md5

    def digest(*parts: str | bytes) -> str:
        whole = b":".join(part if isinstance(part, bytes) else part.encode("latin-1") for part in parts)
        return made(whole, usedforsecurity=False).hexdigest()

    return digest


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if text.startswith('"') else text
