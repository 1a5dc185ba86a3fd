"""One table of rules: what was seen of a failed call, and what to say and to change then.

A failed call shows the hint of the first rule that fits. The connection test tries its change, and asks again.

Texts of the server are not trusted. A URL in them becomes a suggestion only if it is plain: no user, no query,
nothing in its path that may be a secret. A change is checked again before it is saved.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, Literal
from urllib.parse import SplitResult, urljoin, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.auth.login import asks_for_login, misses_credentials
from rpcexplorer.auth.registry import KINDS
from rpcexplorer.model.exchange import Exchange, Refused, Unreached
from rpcexplorer.model.mcp import (
    MCP_CAPABILITIES,
    MCP_HEADER_MISMATCH,
    MCP_LACKS_CAPABILITY,
    MCP_NEEDS_PAGE,
    MCP_SPOKEN,
    MCP_UNKNOWN_VERSION,
)
from rpcexplorer.model.problem import PROGRAM, Changes, Hint, cut, joined_words, server_words, setting
from rpcexplorer.model.profile import MCP_VERSIONS, PATH, USUAL_FRAMING, WITH_SOCKET, WITH_TLS, Auth, Profile
from rpcexplorer.model.secret import FIELD_WORDS, origin_of
from rpcexplorer.patterns import regex
from rpcexplorer.redaction.addresses import redacted_address
from rpcexplorer.rpc.codec import Envelope, open_object
from rpcexplorer.rpc.messages import METHOD_NOT_FOUND, EmptyParams, ErrorObject, Malformed, MalformedKind
from rpcexplorer.transport.port import Framing, Reason, Step

MAX_VERSIONS: Final = 5
NOT_INITIALIZED: Final = -32002
"""The code of language servers before ``initialize``."""
MAX_TEXT: Final = 2_000
"""Characters of a server's text that are searched: tracebacks are long."""
_TAGS = regex(r"<(?:style|script)\b.*?(?:</|\Z)|<[^>]{0,500}(?:>|\Z)", re.DOTALL | re.IGNORECASE)
"""A tag, or a style or script with its content. Without the limit of 500, a text full of ``<`` would take long."""


class FailedCall(Struct, frozen=True):
    """A call as the rules see it."""

    exchange: Exchange
    profile: Profile
    """The profile that the call was sent with."""
    text: str
    """Status line, and the error's message and data, or the body without tags."""
    variables: Collection[str] = ()
    """Fields that come from environment variables, which override stored ones."""
    status: int | None = None
    step: Step | None = None
    """The step at which it ended without a response."""
    reason: Reason | MalformedKind = ""
    """Why it got no response, or one that is not JSON-RPC."""
    is_malformed: bool = False
    error: ErrorObject | None = None
    code: int | None = None

    @classmethod
    def of(cls, exchange: Exchange, profile: Profile, variables: Collection[str] = ()) -> FailedCall:
        response = exchange.response
        call = cls(exchange, profile, _one_line(response.reason[:MAX_TEXT]), variables, response.status)
        match exchange.outcome:
            case ErrorObject(code=code, message=message, data=data) as error:
                text = f"{call.text} {message[:MAX_TEXT]} {_start(data or b'')}".replace('\\"', '"')
                return replace(call, text=_one_line(text), error=error, code=code)
            case Malformed(kind=kind):
                text = f"{call.text} {_TAGS.sub(' ', _start(response.body))}"
                return replace(call, text=_one_line(text), reason=kind, is_malformed=True)
            case Unreached(step=step, reason=reason):
                return replace(call, step=step, reason=reason)
        return call

    @property
    def has_empty_params(self) -> bool:
        """Return whether it was sent without params, credentials included."""
        bare = self.exchange.kind != "batch" and self.exchange.params.strip() in {"", "[]"}
        return bare and not self.profile.auth.in_params

    @property
    def wanted_params(self) -> Literal["", "[]", "{}"]:
        """The form of params that the server names."""
        is_by_name, is_by_position = self.says(BY_NAME), self.says(BY_POSITION)
        if is_by_name == is_by_position:
            return ""
        return "{}" if is_by_name else "[]"

    @property
    def location(self) -> str:
        return self.exchange.response.header("location") or ""

    def headers(self, name: str) -> list[str]:
        return [value for key, value in self.exchange.response.headers if key.lower() == name]

    def says(self, pattern: str) -> bool:
        return re.search(pattern, self.text, re.IGNORECASE) is not None

    def hint(self, sentence: str, changes: Changes = (), secret: str = "", *, careful: bool = False) -> Hint:
        """Return a hint with the commands that apply it."""
        profile, rest = self.profile, changes
        if profile.ad_hoc and changes and changes[0][0] in {"framing", "preset"}:
            # The command that saves the typed server has an option for these.
            (key, value), *_ = changes
            typed = ("framing",) if key == "framing" else ()
            profile, rest = replace(profile, **{key: value}, typed=typed), ()
        commands = setting(profile, self.exchange.url, rest, secret) if changes or secret else ()
        return Hint(sentence, changes, secret, commands, careful)

    def test_hint(self, sentence: str) -> Hint:
        """Return a hint that suggests the connection test."""
        return Hint(sentence, commands=(connection_test(self.profile),), tests=True)


class Rule(Struct, frozen=True):
    """What was seen of a failed call, and the hint for it. Each condition that is given has to be true."""

    sentence: str
    """``{path}`` and ``{framing}`` are those of the profile."""
    change: tuple[str, Any] | None = None
    tests: bool = False
    """It suggests the connection test."""
    own: Mapping[str, Any] = {}
    """Values of the profile, ``connection_kind`` included."""
    steps: Collection[Step] = ()
    reasons: Collection[Reason | MalformedKind] = ()
    statuses: Collection[int] = ()
    codes: Collection[int] = ()
    says: str = ""
    """A pattern of the server's text."""
    fits: Callable[[FailedCall], bool] | None = None

    def __call__(self, call: FailedCall) -> Hint | None:
        profile = call.profile
        seen = (
            (call.step, self.steps), (call.reason, self.reasons), (call.status, self.statuses), (call.code, self.codes)
        )  # fmt: skip
        if any(expected and value not in expected for value, expected in seen):
            return None
        if any(getattr(profile, key) != value for key, value in self.own.items()):
            return None
        if (self.says and not call.says(self.says)) or (self.fits and not self.fits(call)):
            return None
        sentence = self.sentence.replace("{path}", profile.path).replace("{framing}", profile.framing)
        if self.tests:
            return call.test_hint(sentence)
        return call.hint(sentence, (self.change,) if self.change else ())


HintRule = Callable[[FailedCall], Hint | None]


def connection_test(profile: Profile) -> str:
    """Return the command that tests the connection of a profile."""
    if not profile.ad_hoc:
        return f"{PROGRAM} profiles test {profile.name}"
    address = redacted_address(profile.url if profile.path == PATH else profile.endpoint)
    return f"{PROGRAM} profiles test {server_words(profile, address)}"


def hint_for(
    exchange: Exchange, profile: Profile, *, tested: bool = False, variables: Collection[str] = ()
) -> Hint | None:
    """Return a hint for a failed call that was sent with ``profile``.

    ``tested``: the connection test sent it. ``variables``: fields that come from environment variables.
    """
    call = FailedCall.of(exchange, profile, variables)
    match exchange.outcome:
        case Refused() as refused:
            return _unsent(call, refused)
        case ErrorObject() | Malformed() | Unreached():
            for rule in RULES if tested else (*UNTESTED_RULES, *RULES, timeout):
                if hint := rule(call):
                    return hint
    return None


def _unsent(call: FailedCall, refused: Refused) -> Hint | None:
    if refused.missing:
        name = FIELD_WORDS.get(refused.missing, refused.missing)
        if refused.rejected:
            return _replace_secret(call, f"The server rejected the {name}.", refused.missing)
        return call.hint(f"The {name} is missing.", secret=refused.missing)
    if call.exchange.seconds and call.profile.assumes_auth:  # A login was sent.
        return call.test_hint("This login is only the default. A connection test shows which one the server needs.")
    return None


def _start(text: bytes) -> str:
    return text[:MAX_TEXT].decode("utf-8", "replace")


def _one_line(text: str) -> str:
    return " ".join(text.split())


MOVED: Final = frozenset({301, 302, 307, 308})
"""Redirects that repeat the call; a 303 only leads to a page."""
NOTHING_THERE: Final = frozenset({404, 405, 501})
"""Statuses that mean only that there are no calls at this URL."""
_LOGIN = regex(r"/(?:\w+[-_.])?(?:log-?in|sign-?in|sso|oauth2?|auth|saml)\b", re.IGNORECASE)
"""A path of a login page, such as ``/user_login`` or ``/oauth2``."""
_PRINTABLE = regex(r"[\x21-\x7e]*")
"""Other characters of a URL, which the server chose, could hide where it leads."""


def untrusted_certificate(call: FailedCall) -> Hint | None:
    if call.reason != "untrusted":
        return None
    hint = call.test_hint("rpcexplorer does not trust the server's certificate.")
    if call.profile.ad_hoc:
        return hint
    return replace(hint, commands=(f"{PROGRAM} profiles trust {call.profile.name}",))


def _redirects_elsewhere(call: FailedCall) -> bool:
    """Return whether it redirects to another path of the server, which may be that of web pages."""
    target, own = _split(call.profile.endpoint, call.location), urlsplit(call.profile.endpoint)
    if target is None or target.netloc != own.netloc or leads_to_login(call):
        return False
    return target.path.rstrip("/") != own.path.rstrip("/")


def leads_to_login(call: FailedCall) -> bool:
    """Return whether it redirects to a login page for users."""
    elsewhere = _LOGIN.search(call.location.partition("?")[0]) and not _LOGIN.search(call.profile.endpoint)
    return (call.status or 0) in MOVED | {303} and bool(elsewhere)


def _split(base: str, url: str = "") -> SplitResult | None:
    """Return the parts of a URL, or None if it is invalid."""
    try:
        parts = urlsplit(urljoin(base, url))
        port = parts.port
    except ValueError:
        return None
    return parts if port != 0 and _PRINTABLE.fullmatch(url) else None


_PLAIN_HTTP = r"plain http request was sent to https port|http request to an https server|speaking plain http to an ssl"


def encryption(call: FailedCall) -> Hint | None:
    """Suggest http or https if the port uses the other one."""
    url = _split(call.profile.url)
    if url is None:
        return None
    if url.scheme == "https" and call.reason == "no tls":
        http = url._replace(scheme="http", netloc=url.netloc if url.port else f"{url.netloc}:443").geturl()
        sentence = "This port does not use TLS. With http, anyone on the network path can read requests and responses."
        return call.hint(sentence, (("url", http),), careful=True)
    if url.scheme != "http" or not call.is_malformed:
        return None
    upgrade = ", ".join(call.headers("upgrade")).lower()
    netloc = url.netloc
    if call.status == 426:
        if not upgrade:
            return None
        if "websocket" in upgrade:
            return other_scheme(call, "ws")
        if "tls" not in upgrade:
            return Hint(f"The server needs another protocol at this URL: {cut(upgrade)}.")
    elif call.says(_PLAIN_HTTP):
        netloc = url.netloc if url.port else f"{url.netloc}:80"  # The port stays.
    else:
        return None
    https = url._replace(scheme="https", netloc=netloc).geturl()
    return call.hint("The server needs https at this port.", (("url", https),))


def scheme_seen(call: FailedCall) -> Hint | None:
    """Suggest the scheme that the bytes of the server show."""
    url = urlsplit(call.profile.url)
    match call.reason:
        case "http":
            return other_scheme(call, "http")
        case "tls" if url.scheme in WITH_TLS:
            return other_scheme(call, WITH_TLS[url.scheme])
        case "no http":
            return other_scheme(call, "tcp")
    return None


def other_scheme(call: FailedCall, scheme: str) -> Hint | None:
    """Suggest another scheme at the same host and port; encryption stays."""
    url = _split(call.profile.url)
    if url is None:
        return None
    if call.profile.is_encrypted:
        scheme = WITH_TLS.get(scheme, scheme)
    if call.profile.socket:
        scheme = WITH_SOCKET[scheme]
    if url.scheme == scheme:
        return None
    moved = url._replace(scheme=scheme).geturl()
    place = "socket" if call.profile.socket else "port"
    return call.hint(f"The server needs {scheme}:// at this {place}.", (("url", moved),))


_PLAIN = regex(r"https?://(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?(?:/[\w.~-]{0,64})*", re.ASCII)
"""A URL without user name, query and fragment: only such a target of a redirect is suggested as a setting."""
_RANDOM = regex(r"(?=[\w~-]{12})(?:[A-Za-z_~-]*[0-9]+[A-Za-z]+){2}", re.ASCII)
"""A part of a path with letters and digits in turn, such as a token: it is not suggested as a setting."""


def moved(call: FailedCall) -> Hint | None:
    """Suggest the target of a redirect."""
    if call.status not in MOVED or not call.location or leads_to_login(call):
        return None
    here = call.profile.endpoint
    target = _split(here, call.location)
    is_plain = target is not None and _PLAIN.fullmatch(target.geturl())
    if target is None or not is_plain or any(_RANDOM.match(part) for part in target.path.split("/")):
        return Hint("The server redirects to an unusual URL. Check it, then set it in the profile.")
    changes = _address_changes(call.profile, target)
    if not changes:
        return None
    if origin_of(target.geturl()) == call.profile.origin:
        return call.hint(f"The server redirects to {target.path or '/'}.", changes)
    was = urlsplit(here)
    if was.hostname == target.hostname and (was.scheme, target.scheme) == ("http", "https"):
        return call.hint(f"The server redirects to {target.geturl()}.", changes)
    return call.hint(f"The server redirects to another server: {target.geturl()}.", changes, careful=True)


def _address_changes(profile: Profile, target: SplitResult) -> Changes:
    """Return the changes of url and path; a url keeps its path if possible."""
    path, base = target.path or "/", f"{target.scheme}://{target.netloc}"
    if origin_of(target.geturl()) != profile.origin and path == profile.path:
        return (("url", base),)
    if origin_of(target.geturl()) != profile.origin:
        return (("url", base), ("path", path))
    own = urlsplit(profile.url).path.rstrip("/")
    if path == (urlsplit(profile.endpoint).path or "/"):
        return ()
    if path.startswith(f"{own}/"):
        return (("path", path.removeprefix(own)),)
    return (("url", base), ("path", path))


_SESSION_HEADER = regex(r"x-[a-z0-9-]{0,60}(?:session|csrf|xsrf)[a-z0-9-]{0,60}", re.IGNORECASE | re.ASCII)
"""Such as ``X-Transmission-Session-Id``."""


def session_header(call: FailedCall) -> Hint | None:
    """Suggest a handshake for a 409 with a session header."""
    names = [name for name, _ in call.exchange.response.headers if _SESSION_HEADER.fullmatch(name)]
    if call.status != 409 or not names or call.profile.handshake is not None:
        return None
    sentence = f"The server sends the header {names[0]} and needs it in every request."
    return call.hint(sentence, (("handshake", {"header": names[0]}),))


_OLD_MCP: Final = (
    r"session_?id(?: parameter)? is required|missing session_?id parameter|no transport found for session_?id"
)


def _is_old_mcp(call: FailedCall) -> bool:
    """Return whether it is MCP's old transport, with an event stream and a second URL."""
    if call.exchange.response.body.lstrip().startswith(b"event: endpoint"):
        return True
    if call.status in {400, 404} and call.says(_OLD_MCP):
        return True
    is_at_sse = urlsplit(call.exchange.url).path.rstrip("/").endswith("/sse")
    return call.is_malformed and call.status in NOTHING_THERE and is_at_sse


_MCP: Final = (
    r"mcp-session-id|missing session id|no valid session id|server not initiali[sz]ed"
    r"|before initiali[sz]ation|not (?:been )?initiali[sz]ed"
    r"|io\.modelcontextprotocol/|mcp-protocol-version|mcp-method"
)
"""Words of MCP servers about a request that lacks a session, or the members that describe its client."""
_VERSION = regex(r"\d{4}-\d\d-\d\d", re.ASCII)
_NO_QUESTIONS: Final = r"no back-?channel for server-initiated requests"


def mcp_version(call: FailedCall) -> Hint | None:
    """Name the versions of MCP that a server speaks."""
    if call.code != MCP_UNKNOWN_VERSION or call.error is None:
        return None
    from rpcexplorer.client.mcp import versions_in  # Few servers have this code.

    spoken = [version for version in versions_in(call.error) if _VERSION.fullmatch(version)]
    if not spoken:
        return None
    sentence = f"The server speaks MCP {joined_words(spoken, MAX_VERSIONS)}."
    common = any(version in MCP_VERSIONS for version in spoken)
    if call.profile.handshake != "mcp":
        preset = call.profile.connection_kind != "http" and _has_no_preset(call)
        return call.hint(sentence, (("preset", "mcp") if preset else ("handshake", "mcp"),)) if common else None
    if not common:
        return call.hint(f"{sentence} {MCP_SPOKEN}.")
    return call.hint(sentence, (("mcp", "auto"),)) if call.profile.mcp != "auto" else None


def mcp_capability(call: FailedCall) -> Hint | None:
    """Name what the server needs to ask, and how to answer it."""
    if call.code != MCP_LACKS_CAPABILITY or call.profile.handshake != "mcp":
        return None
    asked = [method for method, name in MCP_CAPABILITIES.items() if call.says(rf"\b{name}\b")]
    methods = joined_words(asked or MCP_CAPABILITIES)
    return Hint(
        f"The server needs an answer to {methods}. You can be asked on the screen or a terminal. Elsewhere, a rule of "
        f"the table answer decides: see `{PROGRAM} manual answers`."
    )


USUAL_TYPES: Final = ("application/json", "application/json-rpc")
"""Usual content types, the most frequent first."""
BOTH: Final = "application/json, text/event-stream"
"""The accept header for servers that may answer with a stream."""
_TYPE = regex(r"\b(?:application|text)/[\w.+-]{1,60}", re.ASCII)


def accept(call: FailedCall) -> Hint | None:
    if call.status != 406:
        return None
    wanted = ", ".join(_types_in(call.text) or _types_in(*call.headers("accept"), BOTH))
    if wanted == call.profile.accept:
        return None
    return call.hint(f"The server needs the accept header {wanted}.", (("accept", wanted),))


TYPE_REFUSED: Final = frozenset({200, 400, 406, 422, 500})
"""Statuses that may refuse a content type, if the text says so."""
_SPOKEN_OF = r"content[- ]?type|media[- ]?type|mime[- ]?type"


def content_type(call: FailedCall) -> Hint | None:
    """Suggest another content type; without a condition, 412 means this too."""
    if call.status not in {412, 415} and not (call.status in TYPE_REFUSED and call.says(_SPOKEN_OF)):
        return None
    now = _essence(call.profile.content_type)
    taken = _types_in(*call.headers("accept-post"), *call.headers("accept"))
    named = [name for name in (*taken, *_types_in(call.text)) if "json" in name and name != now]
    if not named and now in taken:
        return None
    usual = [name for name in USUAL_TYPES if name != now]
    best, *_ = [name for name in usual if name in named] or named or usual
    return call.hint(f"The server does not accept the content type {now}. Use {best}.", (("content_type", best),))


def _types_in(*texts: str) -> list[str]:
    """Return the media types in the texts, without duplicates."""
    return list(dict.fromkeys(found.lower().rstrip(".") for found in _TYPE.findall("\n".join(texts))))


def _essence(media_type: str) -> str:
    """Return a media type without its parameters."""
    return media_type.partition(";")[0].strip().lower()


_WANTS_2: Final = (
    r"jsonrpc\W*(?:\w+\W+){0,3}(?:missing|required|must be|included|absent)"
    r"|(?:missing|requires?)\W+(?:\w+\W+){0,2}jsonrpc"
)
_WANTS_1: Final = (
    r"(?:version|jsonrpc)\W+(?:\w+\W+){0,4}(?:unsupported|not supported|unknown|unexpected)"
    r"|(?:unsupported|unexpected|unknown|invalid)\W+(?:\w+[\W_]+){0,3}(?:version|jsonrpc)\b"
)


def envelope(call: FailedCall) -> Hint | None:
    """Suggest the JSON-RPC version that the server uses."""
    if call.error is None or call.code == METHOD_NOT_FOUND:
        return None
    now, is_new = call.profile.envelope, b'"jsonrpc"' in call.exchange.response.body
    if now != "2.0" and is_new and call.says(_WANTS_2):
        better = "2.0"
    elif now == "2.0" and not is_new and call.says(_WANTS_1):
        better = "1.1" if b'"version"' in call.exchange.response.body else "1.0"
    else:
        return None
    return call.hint(f"The server uses JSON-RPC version {better}.", (("envelope", better),))


def _returns_unquoted_id(call: FailedCall) -> bool:
    echoed = rb'"id"\s*:\s*' + re.escape(call.exchange.id.encode())
    return call.is_malformed and re.search(echoed, call.exchange.response.body) is not None


PARAMS_REFUSED: Final = frozenset({-32600, -32602, -32603, -32700, -32000, 500, 400, 5, 1})
"""Error codes that may refuse the form of params."""
_BE = r"(?:expected|must be|should be|has to be|needs? (?:to be )?|is not|isn't|not|requires?|wants?|only)"
_A = r"\W+(?:(?:an?|the|of|type|valid|json|to|be|as|by|passed|given|accepts?|supports?)\W+){0,4}"
BY_NAME: Final = (
    rf"{_BE}{_A}(?:object|dict\w*|mapping|map|struct|named|keyword|by[- ]name)\b"
    r"|(?:received|got|invalid type:)\W*(?:an? )?(?:array|list|sequence)\b"
)
BY_POSITION: Final = (
    rf"{_BE}{_A}(?:array|list|sequence|tuple|vector|positional|by[- ]position)\b"
    r"|(?:received|got|invalid type:)\W*(?:an? )?(?:object|dict|map)\b"
)
_MISSING = (
    r"\bparams\b\W*(?:\w+\W+){0,3}(?:missing|required|absent|not (?:found|given|present|set))"
    r"|(?:missing|without|lacks?|no)\W+(?:\w+\W+){0,2}params\b"
)
_NONE_WANTED = (
    r"(?:takes|expects?|wants|accepts) no (?:params|parameters|arguments)"
    r"|params\W+(?:must|should) be (?:omitted|left out|absent)"
)


def empty_params(call: FailedCall) -> Hint | None:
    """Suggest the form of empty params that the error names."""
    if call.code not in PARAMS_REFUSED or not call.has_empty_params:
        return None
    now = call.profile.empty_params
    better: EmptyParams = call.wanted_params or now
    if call.says(_NONE_WANTED):
        better = "omit"
    elif better == "omit" and call.says(_MISSING):
        better = "[]"
    if better == now:
        return None
    sentence = "The server needs empty params to be omitted."
    if better != "omit":
        sentence = f"The server needs empty params as {better}."
    return call.hint(sentence, (("empty_params", better),))


_OF_PARAMS = r"param|argument|positional|keyword|by[- ](?:name|position)"


def _has_other_params(call: FailedCall) -> bool:
    """Return whether the typed params do not have the form that the server names."""
    if call.exchange.kind == "batch" or call.has_empty_params or not call.says(_OF_PARAMS):
        return False
    other = {"{}": "[", "[]": "{"}.get(call.wanted_params)
    return call.exchange.params.lstrip()[:1] == other


_SCHEME = regex(r"(?:\A|,)\s*([A-Za-z][\w-]{1,40})(?=\s+[^\s=,]|\s*(?:,|\Z))", re.ASCII)
"""Auth types in ``WWW-Authenticate``, which can name several: ``Basic realm="", Bearer``."""
_QUOTED = regex(r'"(?:[^"\\]|\\.)*"')
"""Emptied before ``_SCHEME`` searches: a realm may contain commas."""
_KEY_HEADER = regex(r"\bx-[a-z-]{0,40}(?:key|token)\b", re.IGNORECASE)
"""Such as ``X-API-Key``, named in the text of an error."""
_NOT_WHO: Final = r"\b(?:local)?host\b|\borigin\b|white-?list|allow-?list|\bip\b|csrf"
"""Words of a refusal that is not about credentials."""


_ENGINE_PORT: Final = 8551
"""The port on which nodes offer the engine API by default."""
_ENGINE_REFUSALS: Final = r"\b(?:missing token|authorization header is missing or invalid)\W*$"
"""The refusals of geth and Erigon, and of Reth."""
_BESU_UNAUTHORIZED: Final = -40100


def _is_engine(call: FailedCall) -> bool:
    """Return whether a refusal is that of the engine API of an Ethereum node."""
    parts = _split(call.profile.endpoint)
    has_port = parts is not None and parts.port == _ENGINE_PORT
    return has_port or call.code == _BESU_UNAUTHORIZED or (call.is_malformed and call.says(_ENGINE_REFUSALS))


_LOGINS_APART: Final = {"/ipa/": ("freeipa", "/ipa/session/json"), "/cgi-bin/luci/rpc/": ("luci", "")}
"""The preset of a server with a login at another path, and its own path, by the beginning of a path."""


def login_apart(call: FailedCall) -> Hint | None:
    """Suggest the preset of a server whose login has a path of its own."""
    profile = call.profile
    if profile.preset or profile.connection_kind != "http" or call.status not in {400, 401, 403}:
        return None
    for beginning, (preset, path) in _LOGINS_APART.items():
        if profile.path.startswith(beginning):
            changes: Changes = (("preset", preset),)
            if path and path != profile.path:
                changes += (("path", path),)
            return call.hint(f"This server has a login at another path, which the preset {preset} knows.", changes)
    return None


def credentials(call: FailedCall) -> Hint | None:
    """Suggest an auth type, or the credentials to correct."""
    profile = call.profile
    if call.status == 403 and (call.says(_NOT_WHO) or call.error):
        return None
    asked = asks_for_login(profile.login_signs, call.exchange.outcome, call.status)
    if call.status not in {401, 403} and not leads_to_login(call) and not asked:
        return None
    challenges = call.headers("www-authenticate")
    offered = schemes(challenges)
    if profile.auth.kind == Auth.kind and any("resource_metadata=" in text for text in challenges):
        return _kind_hint(call, "The server asks for a token of OAuth, and names where to log in.", KINDS["oauth"])
    if profile.auth.kind in {Auth.kind, "bearer"} and _is_engine(call):
        return _kind_hint(call, "This seems to be the engine API of an Ethereum node: it needs auth jwt.", KINDS["jwt"])
    named = [kind for kind in KINDS.values() if kind.scheme.lower() in offered]
    kind = named[-1] if named else None  # Of several auth types, later ones are more secure.
    sent = "bearer" if profile.auth.kind in {"jwt", "oauth"} else profile.auth.scheme.lower()
    if kind is not None and sent not in offered and not _gives_more_away(call, kind):
        return _kind_hint(call, f"The server asks for {kind.scheme} auth.", kind)
    if profile.secrets and not profile.assumes_auth:
        return _elsewhere(call) if misses_credentials(call.exchange, profile) else _rejected(call)
    if header := _KEY_HEADER.search(call.text):
        changes = (("auth.kind", "header"), ("auth.header", header[0]))
        return call.hint(f"The server asks for a key in the header {header[0]}.", changes, "token")
    for kind in KINDS.values():
        if kind.takes == ("token",) and kind.scheme and call.says(rf"\b{kind.scheme}\b"):
            return _kind_hint(call, f"The server asks for a {kind.scheme} token.", kind)
    if profile.assumes_auth and call.error and not offered:  # This is the service at its default address.
        fields = [field for field in profile.secrets if field != "session"]
        commands = dict[str, None]()
        for field in fields:
            commands |= dict.fromkeys(setting(profile, call.exchange.url, (), field))
        return Hint(_asks(call), secret=fields[-1], commands=tuple(commands))
    if not offered and profile.connection_kind != "http":
        return Hint(f"{_asks(call)} Choose the auth type that it needs.", commands=(_set_kind(call),))
    if not offered:
        return call.test_hint(f"{_asks(call)} A connection test can find the auth type.")
    sentence = f"The server asks for {' or '.join(offered)} auth, which rpcexplorer does not support."
    kinds = joined_words(name for name in KINDS if name != Auth.kind)
    return Hint(f"{sentence} The supported auth types are {kinds}.", commands=(_set_kind(call),))


def _asks(call: FailedCall) -> str:
    """Return whether the server asks for credentials; a code alone, such as -32001, may mean something else."""
    signs, outcome = call.profile.login_signs, call.exchange.outcome
    by_words = replace(signs, ended_codes=())
    if isinstance(outcome, ErrorObject) and not asks_for_login(by_words, outcome, call.status):
        return f"With the code {outcome.code}, some servers ask for credentials."
    return "The server asks for credentials."


def schemes(challenges: list[str]) -> list[str]:
    """Return the schemes of challenges in lower case."""
    found: list[str] = []
    for challenge in challenges:
        found += _SCHEME.findall(_QUOTED.sub('""', challenge[:MAX_TEXT]))
    return list(dict.fromkeys(scheme.lower() for scheme in found))


def _gives_more_away(call: FailedCall, kind: type[Auth]) -> bool:
    """Return whether an auth type is less secure: an attacker may ask for it."""
    order = [*KINDS]
    return bool(call.profile.auth.scheme) and order.index(kind.kind) < order.index(call.profile.auth.kind)


def _kind_hint(call: FailedCall, sentence: str, kind: type[Auth]) -> Hint:
    """Suggest an auth type, with the user name and a command for each secret."""
    profile = call.profile
    changes: Changes = (("auth.kind", kind.kind),)
    if profile.username is not None and "username" in kind.__struct_fields__:
        # A file that sets an auth type discards the auth keys of files below it.
        changes += (("auth.username", profile.username),)
    lines = setting(profile, call.exchange.url, changes)
    name = "NAME" if profile.ad_hoc else profile.name
    if not kind.takes:  # A login opens a session.
        return Hint(sentence, changes, commands=(*lines, f"{PROGRAM} login -p {name}"))
    fields = [field for field in kind.takes if f"auth.{field}" not in dict(changes)]
    secrets = (f"{PROGRAM} profiles secret {name} {field}" for field in fields)
    return Hint(sentence, changes, kind.takes[-1], (*lines, *secrets))


def _elsewhere(call: FailedCall) -> Hint:
    """Explain that only this method may need another auth type."""
    method, kind, note = call.exchange.method, call.profile.auth.kind, call.profile.methods.get(call.exchange.method)
    if note and note.auth:
        return Hint(f"{method} needs auth type {note.auth}, but this profile uses {kind}.")
    sentence = f"The server found no credentials. {method} may need another auth type than {kind}."
    return Hint(sentence, commands=(_set_kind(call),))


def _rejected(call: FailedCall) -> Hint:
    """Name the secret to enter again; for a session, the one that opens it."""
    fields = [field for field in call.profile.secrets if field not in {"username", "session"}]
    field = (fields or ["session"])[0]
    name = "session" if call.profile.has_sessions else field
    sentence = f"The server rejected the {name}."
    if call.status == 403:
        checked = "user name and password" if "password" in fields else name
        sentence = f"The server does not allow this call. Check the {checked}, or ask the owner of the server."
    if call.profile.auth.kind == "oauth" and call.status == 401 and "session" not in call.variables:
        issued = "The server rejected the token, although it is new. Check auth.issuer, auth.scopes and auth.resource."
        return Hint(issued, commands=(f"{PROGRAM} profiles show {call.profile.name}",))
    command, file = call.profile.auth.command_for(field), call.profile.auth.file_for(field)
    if command and field not in call.variables:
        return Hint(f"{sentence} The next call runs its command again. Check what it prints: {shlex.join(command)}")
    if file and field not in call.variables:
        return Hint(f"{sentence} Check {file}, and the clock of this machine.")
    given = next((candidate for candidate in ("session", field) if candidate in call.variables), field)
    return _replace_secret(call, sentence, given)


def _replace_secret(call: FailedCall, sentence: str, field: str) -> Hint:
    """Return a hint to enter a secret again, or to correct its variable."""
    if field not in call.variables:
        return call.hint(sentence, secret=field)
    variable = call.profile.variable(field)
    origin = f"The {field} comes from the environment variable {variable}. Correct or unset it."
    return Hint(f"{sentence} {origin}", secret=field, commands=(f"unset {variable}",))


def _set_kind(call: FailedCall) -> str:
    if not call.profile.ad_hoc:
        return f"{PROGRAM} profiles set {call.profile.name} auth.kind=KIND"
    return f"{setting(call.profile, call.exchange.url, ())[0].partition(' --auth=')[0]} --auth=KIND"


def _has_no_calls(call: FailedCall) -> bool:
    return is_nothing(call.exchange) and call.status not in MOVED | {303}


def is_nothing(exchange: Exchange) -> bool:
    """Return whether a web server answered that has no calls at this URL."""
    status = exchange.response.status
    if not isinstance(exchange.outcome, Malformed):
        return False
    is_page = exchange.response.body.lstrip()[:1] == b"<"
    return status in NOTHING_THERE | MOVED | {303} or (status == 200 and is_page)


def _is_unread(call: FailedCall) -> bool:
    return _essence(call.profile.content_type) != USUAL_TYPES[0] and not was_read(call.exchange)


def was_read(exchange: Exchange) -> bool:
    """Return whether the response has an id or names the method."""
    outcome = exchange.outcome
    if isinstance(outcome, ErrorObject) and outcome.code == METHOD_NOT_FOUND and exchange.method in outcome.message:
        return True
    if re.search(rb'"id"\s*:\s*null', exchange.response.body[-MAX_TEXT:]):
        return False
    members = members_of(exchange)
    return members is None or members.id is not None or exchange.envelope == "transmission"


def members_of(exchange: Exchange) -> Envelope | None:
    """Return the members of a response, if it is an object."""
    body = exchange.response.body.lstrip()
    try:
        body.decode()
    except UnicodeDecodeError:
        return None
    return open_object(body) if body[:1] == b"{" else None


def refuses_request(exchange: Exchange) -> bool:
    """Return whether the server refused the request itself, not its method."""
    outcome = exchange.outcome
    if not isinstance(outcome, ErrorObject) or outcome.code not in {-32600, -32700}:
        return False
    return exchange.method not in outcome.message


_BARE = regex(r"\W*(?:invalid|bad|wrong) (?:method )?param(?:eter)?s?\W*", re.IGNORECASE)
"""Only the name of the code, so it may be the empty params themselves that the server does not accept."""


def maybe_empty_params(call: FailedCall) -> Hint | None:
    """Suggest another form of empty params for an error without a reason."""
    error, now = call.error, call.profile.empty_params
    if error is None or not call.has_empty_params or now == "omit":
        return None
    if error.code == -32602 and error.data is None and _BARE.fullmatch(error.message):
        better = "{}" if now == "[]" else "[]"
        sentence = f"The server may need {better} as the empty params of {call.exchange.method}."
    elif refuses_request(call.exchange) and now == "[]" and not call.says(_MCP):
        better = "omit"
        sentence = "The server did not accept the request. It may need empty params to be omitted."
    else:
        return None
    return call.hint(sentence, (("empty_params", better),))


_CLIENT_CERTIFICATE: Final = r"no required ssl certificate|client certificate (?:is )?required|requires? a client cert"


def client_certificate(call: FailedCall) -> Hint | None:
    """Explain that the server requires a client certificate."""
    page = call.status in {400, 403, 495, 496} and call.says(_CLIENT_CERTIFICATE)
    if call.profile.cert_file is not None or not (page or call.reason == "certificate wanted"):
        return None
    name, first = call.profile.name, tuple[str, ...]()
    if call.profile.ad_hoc:
        name, first = "NAME", setting(call.profile, call.exchange.url, ())
    command = f"{PROGRAM} profiles set {name} cert_file=CERTIFICATE.pem key_file=KEY.pem"
    return Hint("The server requires a client certificate.", commands=(*first, command))


def _has_no_preset(call: FailedCall) -> bool:
    return call.profile.handshake is None and not call.profile.preset


def other_framing(call: FailedCall) -> Hint | None:
    """Suggest another framing: a server waits for the end of a message that it cannot read."""
    if call.profile.connection_kind not in {"stream", "process"}:
        return None
    if call.reason not in {"unreadable", "no end"} and (call.reason != "silent" or call.profile.preset):
        return None
    known: dict[Framing, str] = {"lines": "lines", "length": "length (language servers)", "none": "none"}
    first, second = (name for name in known if name != call.profile.framing)
    sentence = f"The server may not use the framing {call.profile.framing}. Try {known[first]} or {known[second]}."
    return call.hint(sentence, (("framing", first),))


def silent_process(call: FailedCall) -> Hint | None:
    """Name the presets of the usual servers that are processes."""
    if call.profile.connection_kind != "process" or call.reason != "silent" or not _has_no_preset(call):
        return None
    sentence = "A language server needs the preset lsp, an MCP server the preset mcp."
    language_server, mcp_server = (call.hint(sentence, (("preset", name),)) for name in ("lsp", "mcp"))
    return replace(language_server, commands=(*language_server.commands, *mcp_server.commands))


def not_initialized(call: FailedCall) -> Hint | None:
    """Suggest the preset whose handshake a connection needs."""
    profile = call.profile
    if profile.connection_kind == "http" or not _has_no_preset(call) or call.error is None:
        return None
    name = "mcp"
    if call.error.habits and call.says("^Not initialized$"):
        name = "codex"  # Its messages have no jsonrpc.
    elif call.code == NOT_INITIALIZED:
        if not call.says("initiali[sz]"):
            return None
        if profile.connection_kind == "websocket" or profile.framing != USUAL_FRAMING:
            name = "lsp"
    elif not call.says(_MCP):
        return None
    return call.hint(f"The server needs a handshake first, which the preset {name} sends.", (("preset", name),))


def timeout(call: FailedCall) -> Hint | None:
    """Suggest a longer timeout, but not to resend the call: it may have run."""
    if call.step != "timeout":
        return None
    longer = max(60, round(2 * call.profile.timeout))
    if call.profile.ad_hoc:
        return Hint(f"To wait longer, add --timeout {longer}.")
    command = f"{PROGRAM} profiles set {call.profile.name} timeout={longer}"
    return Hint(f"To wait longer, set timeout to {longer} in the profile.", commands=(command,))


OLD_MCP: Final = Rule(
    "The server seems to use MCP's old HTTP+SSE transport, which rpcexplorer does not support. "
    "Ask its owner for the URL of the streamable HTTP transport, often /mcp.", fits=_is_old_mcp,
)  # fmt: skip
UNTESTED_RULES: Final[tuple[HintRule, ...]] = (
    untrusted_certificate,
    silent_process,
    Rule(
        "The server asks for credentials. Its path may not be {path}, the default.",
        tests=True, statuses={401}, own={"path": PATH, "ad_hoc": True},
        # Some servers ask for credentials at any path.
        fits=lambda call: call.is_malformed and (not call.profile.secrets or call.profile.assumes_auth),
    ),
    Rule(
        "The server redirects from {path}, the default path. A connection test finds the right path.",
        tests=True, statuses={301, 302}, own={"path": PATH}, fits=_redirects_elsewhere,
    ),
)  # fmt: skip
"""Rules for calls that no connection test has sent."""
RULES: Final[tuple[HintRule, ...]] = (
    scheme_seen,
    Rule(
        "The path is /, the default path. Many servers use /ws, /rpc, /jsonrpc or /websocket.",
        steps={"upgrade"}, own={"path": "/"}, fits=lambda call: call.status not in {401, 403},
    ),
    encryption,
    moved,
    login_apart,
    session_header,
    OLD_MCP,
    Rule(
        "The server has no MCP over streamable HTTP at this URL. "
        "rpcexplorer does not support MCP's old HTTP+SSE transport, often at /sse.",
        statuses=NOTHING_THERE, own={"handshake": "mcp"}, fits=lambda call: call.is_malformed,
    ),
    Rule(
        "The server uses MCP, so calls need the handshake mcp.", ("handshake", "mcp"),
        statuses={400, 404}, own={"handshake": None}, says=_MCP,
    ),
    mcp_version,
    mcp_capability,
    Rule(
        "The server needs a step on a page first: the error names its URL in data. rpcexplorer does not open it. If "
        "you trust its host, open it in your browser, then send the call again.",
        codes={MCP_NEEDS_PAGE}, own={"handshake": "mcp"},
    ),
    Rule(
        "The headers of the request do not repeat its message as the server expects. Refresh the method list, so that "
        "the schemas of the tools are those of the server.", codes={MCP_HEADER_MISMATCH}, own={"handshake": "mcp"},
    ),
    Rule(
        "The tool asks in a way that only earlier versions of MCP have.", ("mcp", "2025-11-25"),
        own={"handshake": "mcp", "mcp": "auto"}, says=_NO_QUESTIONS,
    ),
    accept,
    content_type,
    envelope,
    Rule(
        "The server needs ids as numbers.", ("id", "number"),
        own={"id": "string"}, says=r"\b(?:integer|numeric) '?id\b", fits=lambda call: refuses_request(call.exchange),
    ),
    Rule(
        "The server returns the id without quotes. Send ids as numbers.", ("id", "number"),
        own={"id": "string"}, fits=_returns_unquoted_id,
    ),
    not_initialized,
    empty_params,
    Rule(
        'The server needs params by name, as an object: {"name": value}.',
        codes=PARAMS_REFUSED, fits=lambda call: call.wanted_params == "{}" and _has_other_params(call),
    ),
    Rule(
        "The server needs params by position, as an array: [value].",
        codes=PARAMS_REFUSED, fits=lambda call: call.wanted_params == "[]" and _has_other_params(call),
    ),
    credentials,
    Rule(
        "There seems to be no JSON-RPC at {path}, the default path. Many servers use /, /jsonrpc or /rpc.",
        tests=True, own={"path": PATH}, fits=_has_no_calls,
    ),
    Rule(
        "There seems to be no JSON-RPC at this path. A connection test tries the usual paths.",
        tests=True, fits=_has_no_calls,
    ),
    Rule(
        f"The server found no call in the request. It may need the content type {USUAL_TYPES[0]}.",
        ("content_type", USUAL_TYPES[0]), codes={-32600, -32700, METHOD_NOT_FOUND}, fits=_is_unread,
    ),
    maybe_empty_params,
    Rule(
        "The server sent a result without jsonrpc and id. It may need JSON-RPC 1.0.", ("envelope", "1.0"),
        reasons={"bare result"}, own={"envelope": "2.0"},
    ),
    client_certificate,
    Rule(
        "Check the command and its arguments. A server keeps running and reads its standard input.",
        reasons={"unexplained"}, own={"connection_kind": "process"},
    ),
    Rule(
        "Check that the server uses JSON-RPC without HTTP at this address, and look at its log.",
        reasons={"unexplained"}, own={"connection_kind": "stream"},
    ),
    Rule(
        "This seems to be a language server, which needs the preset lsp.", ("preset", "lsp"),
        reasons={"lengths"}, own={"handshake": None, "preset": ""},
    ),
    Rule("The server needs the framing length.", ("framing", "length"), reasons={"lengths"}),
    Rule("The server needs the framing lines.", ("framing", "lines"), reasons={"no lengths"}),
    Rule(
        "The server may not use the framing {framing}. Its messages seem to have no line ends.", ("framing", "none"),
        reasons={"no end"}, own={"framing": "lines"}, fits=lambda call: call.profile.connection_kind != "websocket",
    ),
    other_framing,
)  # fmt: skip
"""Certain rules come before likely ones."""
