"""Rules over a failed exchange: what the server wants, and what the profile would have to say.

A call that failed shows the first hint, in the order of this file. The connection test asks again
in the form that a hint suggests.

What a server says is text from outside. An address that it names becomes one of the profile only if
it is plain: no user, no query, nothing in its path that may be a secret. Whoever writes a change
into a file checks it again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import Final
from urllib.parse import SplitResult, urljoin, urlsplit

from msgspec import Struct

from rpcexplorer.auth.login import asks_for_login, misses_credentials
from rpcexplorer.auth.registry import KINDS
from rpcexplorer.model.exchange import Exchange, Refused, Unreached
from rpcexplorer.model.problem import PROGRAM, Changes, Hint, joined_words, quoted, setting
from rpcexplorer.model.profile import PATH, Auth, Profile
from rpcexplorer.model.secret import FIELD_WORDS, origin_of
from rpcexplorer.patterns import regex
from rpcexplorer.rpc.codec import BARE_RESULT
from rpcexplorer.rpc.messages import METHOD_NOT_FOUND, ErrorObject, Malformed

MAX_TEXT: Final = 2_000
"""Characters of a server's words that are read: no hint is deep in a traceback."""
_TAGS = regex(r"<(?:style|script)\b.*?(?:</|\Z)|<[^>]{0,500}(?:>|\Z)", re.DOTALL | re.IGNORECASE)


class FailedCall(Struct, frozen=True):
    """A call as the rules look at it: how it was sent, and what the server says of it."""

    exchange: Exchange
    profile: Profile
    """How it was sent."""
    text: str
    """The words of the status line, then the error's message and data, or the body without tags."""
    variables: Collection[str] = ()
    """Fields of secrets that come from environment variables, which overrule stored ones."""

    @classmethod
    def of(cls, exchange: Exchange, profile: Profile, variables: Collection[str] = ()) -> FailedCall:
        outcome, response = exchange.outcome, exchange.response
        words = [response.reason[:MAX_TEXT]]
        if isinstance(outcome, ErrorObject):
            words += [outcome.message[:MAX_TEXT], _start(outcome.data or b"").replace('\\"', '"')]
        elif isinstance(outcome, Malformed):
            words.append(_TAGS.sub(" ", _start(response.body)))
        return cls(exchange, profile, " ".join(" ".join(words).split()), variables)

    @property
    def status(self) -> int | None:
        return self.exchange.response.status

    @property
    def error(self) -> ErrorObject | None:
        return self.exchange.outcome if isinstance(self.exchange.outcome, ErrorObject) else None

    @property
    def code(self) -> int | None:
        return self.error.code if self.error else None

    @property
    def has_empty_params(self) -> bool:
        """Whether it went out without params of its own, credentials included."""
        bare = self.exchange.kind != "batch" and self.exchange.params.strip() in {"", "[]"}
        return bare and not self.profile.auth.in_params

    @property
    def location(self) -> str:
        return self.exchange.response.header("location") or ""

    def headers(self, name: str) -> list[str]:
        return [value for key, value in self.exchange.response.headers if key.lower() == name]

    def says(self, pattern: str) -> bool:
        return re.search(pattern, self.text, re.IGNORECASE) is not None

    def unreached(self, step: str, words: str) -> bool:
        outcome = self.exchange.outcome
        return isinstance(outcome, Unreached) and outcome.step == step and words in outcome.sentence

    def hint(self, sentence: str, changes: Changes = (), secret: str = "", *, careful: bool = False) -> Hint:
        """Return a hint with the commands that do the same."""
        commands = setting(self.profile, self.exchange.url, changes, secret) if changes or secret else ()
        return Hint(sentence, changes, secret, commands, careful)

    def test_hint(self, sentence: str) -> Hint:
        """Return a hint that proposes the connection test."""
        profile = self.profile
        address = quoted(profile.url if profile.path == PATH else profile.endpoint) if profile.ad_hoc else profile.name
        return Hint(sentence, commands=(f"{PROGRAM} profiles test {address}",), tests=True)


def hint_for(
    exchange: Exchange, profile: Profile, *, tested: bool = False, variables: Collection[str] = ()
) -> Hint | None:
    """Return what may help a call that failed; ``profile`` is the one it was sent with.

    ``tested``: the connection test has sent it. ``variables``: fields that come from the environment.
    """
    call = FailedCall.of(exchange, profile, variables)
    if isinstance(exchange.outcome, Refused) and (field := exchange.outcome.missing):
        return call.hint(f"The {FIELD_WORDS.get(field, field)} is missing.", secret=field)
    if isinstance(exchange.outcome, Refused) and exchange.seconds and profile.assumes_auth:  # a login was sent
        return call.test_hint("This login is only the default. A connection test shows which one the server needs.")
    if not isinstance(exchange.outcome, ErrorObject | Malformed | Unreached):
        return None
    rules = RULES if tested else (untested, *RULES)
    return next((hint for rule in rules if (hint := rule(call))), None)


def _start(text: bytes) -> str:
    return text[:MAX_TEXT].decode("utf-8", "replace")


# --- worth a test -----------------------------------------------------------------------------------------------------

MOVED: Final = frozenset({301, 302, 307, 308})
"""A call is to be sent elsewhere; 303 means that something is to be fetched there."""
NOTHING_THERE: Final = frozenset({404, 405, 501})
"""Statuses that say no more than that an address is not one for calls."""
_LOGIN = regex(r"/(?:\w+[-_.])?(?:log-?in|sign-?in|sso|oauth2?|auth|saml)\b", re.IGNORECASE)
_PRINTABLE = regex(r"[\x21-\x7e]*")
_UNTRUSTED = "shows this one certificate"
"""Words of the client if only the certificate is not trusted."""


def untested(call: FailedCall) -> Hint | None:
    """An address or a path that nobody has chosen, and a certificate that cannot be pinned: a test finds out more."""
    profile, is_usual = call.profile, call.profile.path == PATH
    is_malformed = isinstance(call.exchange.outcome, Malformed)
    if profile.ad_hoc and call.unreached("tls", _UNTRUSTED):
        return call.test_hint("No known authority signed the server's certificate.")
    has_no_auth = not profile.secrets or profile.assumes_auth
    if is_usual and profile.ad_hoc and call.status == 401 and is_malformed and has_no_auth:  # some ask at any path
        return call.test_hint(
            f"The server asks for credentials. It is not clear whether its path is {PATH}, the default."
        )
    if is_usual and call.status in {301, 302} and not leads_to_login(call):  # it may lead to pages
        there, own = _split(profile.endpoint, call.location), urlsplit(profile.endpoint)
        if there and there.netloc == own.netloc and there.path.rstrip("/") != own.path.rstrip("/"):
            return call.test_hint(
                f"The server redirects from {PATH}, the default path. A connection test finds the right one."
            )
    return None


def leads_to_login(call: FailedCall) -> bool:
    """Return whether it redirects to a page where a person logs in."""
    elsewhere = _LOGIN.search(call.location.partition("?")[0]) and not _LOGIN.search(call.profile.endpoint)
    return (call.status or 0) in MOVED | {303} and bool(elsewhere)


def _split(base: str, url: str = "") -> SplitResult | None:
    """Return the parts of an address, or None if it is not one."""
    try:
        parts = urlsplit(urljoin(base, url) if url else base)
        return parts if parts.port != 0 and _PRINTABLE.fullmatch(url) else None
    except ValueError:
        return None


# --- the address ------------------------------------------------------------------------------------------------------

_NO_TLS = "does not speak TLS"
"""Words of the transport if a server answers a TLS handshake with something else."""
_PLAIN_HTTP = r"plain http request was sent to https port|http request to an https server|speaking plain http to an ssl"


def encryption(call: FailedCall) -> Hint | None:
    """A port that speaks https was spoken to in http, or the other way round."""
    url = _split(call.profile.url)
    if url is None:
        return None
    if url.scheme == "https" and call.unreached("tls", _NO_TLS):
        http = url._replace(scheme="http", netloc=url.netloc if url.port else f"{url.netloc}:443").geturl()
        sentence = "This port does not use TLS. With http, anyone on the network path can read what is sent."
        return call.hint(sentence, (("url", http),), careful=True)
    if url.scheme != "http" or not isinstance(call.exchange.outcome, Malformed):
        return None
    upgrade = ", ".join(call.headers("upgrade")).lower()
    if call.status == 426 and "tls" not in upgrade:
        return Hint("The server needs another protocol here, such as a WebSocket.") if upgrade else None
    if call.status == 426 or call.says(_PLAIN_HTTP):
        port = "" if call.status == 426 or url.port else ":80"
        https = url._replace(scheme="https", netloc=url.netloc + port).geturl()
        return call.hint("The server speaks https here.", (("url", https),))
    return None


_PLAIN = regex(r"https?://(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?(?:/[\w.~-]{0,64})*", re.ASCII)
_RANDOM = regex(r"(?=[\w~-]{12})(?:[A-Za-z_~-]*[0-9]+[A-Za-z]+){2}", re.ASCII)


def moved(call: FailedCall) -> Hint | None:
    """A redirect to another path of the same server, or anywhere else."""
    if call.status not in MOVED or not call.location or leads_to_login(call):
        return None
    here = call.profile.endpoint
    there = _split(here, call.location)
    if there is None or not _PLAIN.fullmatch(there.geturl()) or any(map(_RANDOM.match, there.path.split("/"))):
        return Hint("The server redirects to an unusual URL. Check it, then set it in the profile.")
    changes = _address_changes(call.profile, there)
    if not changes:
        return None
    if origin_of(there.geturl()) == call.profile.origin:
        return call.hint(f"The server redirects to {there.path or '/'}.", changes)
    was = urlsplit(here)
    same = was.hostname == there.hostname and (was.scheme, there.scheme) == ("http", "https")
    other = "" if same else ", which is another server"
    return call.hint(f"The server redirects to {there.geturl()}{other}.", changes, careful=not same)


def _address_changes(profile: Profile, there: SplitResult) -> Changes:
    """What changes in url and path; a url with a path of its own keeps it if it can."""
    target, base = there.path or "/", f"{there.scheme}://{there.netloc}"
    if origin_of(there.geturl()) != profile.origin:
        return (("url", base), *((("path", target),) if target != profile.path else ()))
    own = urlsplit(profile.url).path.rstrip("/")
    if target == (urlsplit(profile.endpoint).path or "/"):
        return ()
    if target.startswith(f"{own}/"):
        return (("path", target.removeprefix(own)),)
    return (("url", base), ("path", target))


# --- what a server wants before the first call ------------------------------------------------------------------------

_SESSION_HEADER = regex(r"x-[a-z0-9-]{0,60}(?:session|csrf|xsrf)[a-z0-9-]{0,60}", re.IGNORECASE | re.ASCII)


def session_header(call: FailedCall) -> Hint | None:
    """409 with a header whose value belongs into the next request."""
    names = [name for name, _ in call.exchange.response.headers if _SESSION_HEADER.fullmatch(name)]
    if call.status != 409 or not names or call.profile.handshake is not None:
        return None
    sentence = f"The server sends {names[0]} and needs it in every request."
    return call.hint(sentence, (("handshake", {"header": names[0]}),))


_OLD_MCP: Final = (
    r"session_?id(?: parameter)? is required|missing session_?id parameter|no transport found for session_?id"
)


def old_mcp(call: FailedCall) -> Hint | None:
    """MCP until 2024: a GET opens an event stream, and calls are posted to an address that it names."""
    stream = call.exchange.response.body.lstrip().startswith(b"event: endpoint")
    refused = call.status in NOTHING_THERE and isinstance(call.exchange.outcome, Malformed)
    typical = refused and urlsplit(call.exchange.url).path.rstrip("/").endswith("/sse")
    if stream or typical or (call.status in {400, 404} and call.says(_OLD_MCP)):
        words = "This looks like MCP's old HTTP+SSE transport, which rpcexplorer cannot use"
        return call.hint(f"{words}. Ask for the address of its streamable HTTP, often /mcp.")
    if refused and call.profile.handshake == "mcp":
        words = "There is no MCP over streamable HTTP at this address"
        return call.hint(f"{words}. MCP's old HTTP+SSE transport, often at /sse, is not supported.")
    return None


_MCP: Final = (
    r"mcp-session-id|missing session id|no valid session id|server not initiali[sz]ed"
    r"|before initiali[sz]ation|not (?:been )?initiali[sz]ed"
)


def mcp(call: FailedCall) -> Hint | None:
    if call.status not in {400, 404} or call.profile.handshake is not None or not call.says(_MCP):
        return None
    return call.hint("The server speaks MCP and needs a handshake first.", (("handshake", "mcp"),))


# --- the form of the request ------------------------------------------------------------------------------------------

USUAL_TYPES: Final = ("application/json", "application/json-rpc")
"""What servers accept, the most usual first."""
BOTH: Final = "application/json, text/event-stream"
"""What a server that may answer with a stream wants a client to accept."""
_TYPE = regex(r"\b(?:application|text)/[\w.+-]{1,60}", re.ASCII)


def accept(call: FailedCall) -> Hint | None:
    wanted = ", ".join(_types_in([call.text]) or _types_in([*call.headers("accept"), BOTH]))
    if call.status != 406 or wanted == call.profile.accept:
        return None
    return call.hint(f"The server needs the accept header {wanted}.", (("accept", wanted),))


TYPE_REFUSED: Final = frozenset({200, 400, 406, 422, 500})
"""Statuses of a refused content type if the server's words say so."""
_SPOKEN_OF = r"content[- ]?type|media[- ]?type|mime[- ]?type"


def content_type(call: FailedCall) -> Hint | None:
    """415, or a refusal that speaks of the type; 412 without a condition can mean nothing else."""
    if call.status not in {412, 415} and not (call.status in TYPE_REFUSED and call.says(_SPOKEN_OF)):
        return None
    now = _essence(call.profile.content_type)
    taken = _types_in([*call.headers("accept-post"), *call.headers("accept")])
    named = [each for each in (*taken, *_types_in([call.text])) if "json" in each and each != now]
    if not named and now in taken:
        return None
    usual = {name: rank for rank, name in enumerate(USUAL_TYPES)}
    best = min(named, key=lambda each: usual.get(each, len(usual)), default="")
    best = best or next(each for each in USUAL_TYPES if each != now)
    return call.hint(f"The server does not accept {now}. Use {best}.", (("content_type", best),))


def _types_in(texts: Iterable[str]) -> list[str]:
    """Return the media types that the texts name, each once."""
    return [*dict.fromkeys(found.lower().rstrip(".") for text in texts for found in _TYPE.findall(text))]


def _essence(media_type: str) -> str:
    """Return a type without its parameters."""
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
    """A server of one version of JSON-RPC that was spoken to in another."""
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


def unquoted_id(call: FailedCall) -> Hint | None:
    """Our id, a text, comes back without quotes, so that the response is not JSON."""
    echoed = rb'"id"\s*:\s*' + re.escape(call.exchange.id.encode())
    is_malformed = isinstance(call.exchange.outcome, Malformed)
    if not is_malformed or call.profile.id == "number" or not re.search(echoed, call.exchange.response.body):
        return None
    return call.hint("The server returns the id without quotes. It needs a number.", (("id", "number"),))


PARAMS_REFUSED: Final = frozenset({-32600, -32602, -32603, -32700, -32000, 500, 400, 5, 1})
"""Codes of errors that may be about the form of params."""
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
EMPTY_PARAMS: Final = {"[]": "[]", "{}": "{}", "omit": "no params at all"}


def empty_params(call: FailedCall) -> Hint | None:
    """An error that names the form in which the server wants empty params."""
    if call.code not in PARAMS_REFUSED or not call.has_empty_params:
        return None
    now, better = call.profile.empty_params, ""
    by_name, by_position = call.says(BY_NAME), call.says(BY_POSITION)
    if call.says(_NONE_WANTED):
        better = "omit"
    elif by_name != by_position:
        better = "{}" if by_name else "[]"
    elif now == "omit" and call.says(_MISSING):
        better = "[]"
    if not better or better == now:
        return None
    sentence = f"If a call has no params, the server needs {EMPTY_PARAMS[better]}, not {EMPTY_PARAMS[now]}."
    return call.hint(sentence, (("empty_params", better),))


_OF_PARAMS = r"param|argument|positional|keyword|by[- ](?:name|position)"


def typed_params(call: FailedCall) -> Hint | None:
    """Params that somebody typed in the other form."""
    if call.code not in PARAMS_REFUSED or not call.says(_OF_PARAMS):
        return None
    if call.exchange.kind == "batch" or call.has_empty_params or call.says(BY_NAME) == call.says(BY_POSITION):
        return None
    typed = call.exchange.params.lstrip()[:1]
    if typed == "[" and call.says(BY_NAME):
        return Hint('The server needs params by name, as an object: {"name": value}.')
    if typed == "{" and call.says(BY_POSITION):
        return Hint("The server needs params by position, as an array: [value].")
    return None


# --- credentials ------------------------------------------------------------------------------------------------------

_SCHEME = regex(r"(?:\A|,)\s*([A-Za-z][\w-]{1,40})(?=\s+[^\s=,]|\s*(?:,|\Z))", re.ASCII)
_QUOTED = regex(r'"(?:[^"\\]|\\.)*"')
_KEY_HEADER = regex(r"\bx-[a-z-]{0,40}(?:key|token)\b", re.IGNORECASE)
_NOT_WHO: Final = r"\bhost\b|\borigin\b|white-?list|allow-?list|\bip\b|csrf"
"""What a refusal speaks of that is not about who calls."""


def credentials(call: FailedCall) -> Hint | None:
    """The server asks for credentials, or rejects those that were sent."""
    profile = call.profile
    if call.status == 403 and (call.says(_NOT_WHO) or call.error):
        return None
    asked = asks_for_login(profile.login, call.exchange.outcome, call.status)
    if call.status not in {401, 403} and not leads_to_login(call) and not asked:
        return None
    offered = schemes(call.headers("www-authenticate"))
    named = [each for each in KINDS.values() if each.scheme.lower() in offered]
    kind = named[-1] if named else None  # of several the one that comes later gives less away
    if kind is not None and profile.auth.scheme.lower() not in offered and not _gives_more_away(call, kind):
        return _kind_hint(call, f"The server asks for {kind.scheme} auth.", kind)
    if profile.secrets and not profile.assumes_auth:
        return _elsewhere(call) if misses_credentials(call.exchange, profile) else _rejected(call)
    if header := _KEY_HEADER.search(call.text):
        changes = (("auth.kind", "header"), ("auth.header", header[0]))
        return call.hint(f"The server asks for a key in the header {header[0]}.", changes, "token")
    for kind in KINDS.values():
        if kind.takes == ("token",) and kind.scheme and call.says(rf"\b{kind.scheme}\b"):
            return _kind_hint(call, f"The server asks for a {kind.scheme} token.", kind)
    if profile.assumes_auth and call.error and not offered:  # the service at its address
        fields = [field for field in profile.secrets if field != "session"]
        lines = [line for field in fields for line in setting(profile, call.exchange.url, (), field)]
        return Hint("The server asks for credentials.", secret=fields[-1], commands=tuple(dict.fromkeys(lines)))
    unknown = f" by {', '.join(offered)}, which cannot be sent" if offered else ""
    kinds = joined_words(each for each in KINDS if each != Auth.kind)
    sentence = f"The server asks for credentials{unknown}. The auth types are {kinds}."
    return Hint(sentence, commands=(_set_kind(call),))


def schemes(challenges: list[str]) -> list[str]:
    """Return the schemes that a server offers, in lower case; one header may hold several."""
    bare = [_QUOTED.sub('""', each[:MAX_TEXT]) for each in challenges]
    return [*dict.fromkeys(found.lower() for each in bare for found in _SCHEME.findall(each))]


def _gives_more_away(call: FailedCall, kind: type[Auth]) -> bool:
    """Return whether secrets would go out more openly than now: anyone in between could ask for that."""
    order = [*KINDS]
    return bool(call.profile.auth.scheme) and order.index(kind.kind) < order.index(call.profile.auth.kind)


def _kind_hint(call: FailedCall, sentence: str, kind: type[Auth]) -> Hint:
    """Propose an auth type, with the user name, and a command for each secret that it takes."""
    profile = call.profile
    changes: Changes = (("auth.kind", kind.kind),)
    if profile.username is not None and "username" in kind.__struct_fields__:
        changes += (("auth.username", profile.username),)  # a file that names a type discards the auth below it
    lines = setting(profile, call.exchange.url, changes)
    name = "NAME" if profile.ad_hoc else profile.name
    fields = [field for field in kind.takes if f"auth.{field}" not in dict(changes)]
    secrets = (f"{PROGRAM} profiles secret {name} {field}" for field in fields)
    return Hint(sentence, changes, kind.takes[-1], (*lines, *secrets))


def _elsewhere(call: FailedCall) -> Hint:
    """Say that the method expects credentials in another place; the profile may be right for all others."""
    method, kind, note = call.exchange.method, call.profile.auth.kind, call.profile.methods.get(call.exchange.method)
    if note and note.auth:
        return Hint(f"{method} needs auth {note.auth}, but this profile uses {kind}.")
    sentence = f"The server found no credentials: {method} may need another auth type than {kind}."
    return Hint(sentence, commands=(_set_kind(call),))


def _rejected(call: FailedCall) -> Hint:
    """Name the secret to enter again: of a session, the one that opens the next."""
    fields = [field for field in call.profile.secrets if field not in {"username", "session"}]
    field = (fields or ["session"])[0]
    name = "session" if call.profile.has_sessions else field
    sentence = f"The server rejected the {name}."
    if call.status == 403:
        sentence = "The server refused this user. Check the user name and password, or ask its administrator."
    given = next((each for each in ("session", field) if each in call.variables), "")
    if not given:
        return call.hint(sentence, secret=field)
    variable, subject = call.profile.variable(given), f"The {given}" if call.status == 403 else "It"
    overrules = (
        f"{subject} comes from the environment variable {variable}, which overrides a stored one. Correct or unset it."
    )
    return Hint(f"{sentence} {overrules}", commands=(f"unset {variable}",))


def _set_kind(call: FailedCall) -> str:
    if not call.profile.ad_hoc:
        return f"{PROGRAM} profiles set {call.profile.name} auth.kind=KIND"
    return f"{setting(call.profile, call.exchange.url, ())[0].partition(' --auth=')[0]} --auth=KIND"


# --- what is only likely ----------------------------------------------------------------------------------------------


def unchosen_path(call: FailedCall) -> Hint | None:
    """No JSON-RPC at the usual path, which nobody has chosen."""
    if call.profile.path != PATH or call.status in MOVED | {303} or not is_nothing(call.exchange):
        return None
    return call.test_hint(
        f"There seems to be no JSON-RPC at {PATH}, the default path. Other servers use /, /jsonrpc or /rpc."
    )


def is_nothing(exchange: Exchange) -> bool:
    """Return whether the response comes from a web server that has no calls at this address."""
    status = exchange.response.status
    if not isinstance(exchange.outcome, Malformed):
        return False
    is_page = exchange.response.body.lstrip()[:1] == b"<"
    return status in NOTHING_THERE | MOVED | {303} or (status == 200 and is_page)


def unread(call: FailedCall) -> Hint | None:
    """A server that saw no call in the request may have looked at its type alone."""
    codes = {-32600, -32700, METHOD_NOT_FOUND}
    if call.code not in codes or _essence(call.profile.content_type) == USUAL_TYPES[0] or was_read(call.exchange):
        return None
    sentence = f"The server found no call in the request. It may need the content type {USUAL_TYPES[0]}."
    return call.hint(sentence, (("content_type", USUAL_TYPES[0]),))


def was_read(exchange: Exchange) -> bool:
    """Return whether the server found a call in the request: its response has an id, or names the method."""
    outcome = exchange.outcome
    if isinstance(outcome, ErrorObject) and outcome.code == METHOD_NOT_FOUND and exchange.method in outcome.message:
        return True
    if re.search(rb'"id"\s*:\s*null', exchange.response.body[-MAX_TEXT:]):
        return False
    return "id is missing" not in getattr(outcome, "remarks", ())


_BARE = regex(r"\W*(?:invalid|bad|wrong) (?:method )?param(?:eter)?s?\W*", re.IGNORECASE)


def maybe_empty_params(call: FailedCall) -> Hint | None:
    """A refusal that gives no reason may be about the form of empty params."""
    error, now = call.error, call.profile.empty_params
    if error is None or not call.has_empty_params or now == "omit":
        return None
    if error.code == -32602 and error.data is None and _BARE.fullmatch(error.message):
        better = "{}" if now == "[]" else "[]"
        sentence = f"If {call.exchange.method} has no params, the server may need {better}."
    elif error.code in {-32600, -32700} and not was_read(call.exchange) and now == "[]":
        better = "omit"
        sentence = "The server found no call in the request. It may need empty params to be omitted."
    else:
        return None
    return call.hint(sentence, (("empty_params", better),))


def bare_result(call: FailedCall) -> Hint | None:
    """A result without the members of version 2.0, as servers of an older version may send it."""
    outcome = call.exchange.outcome
    if call.profile.envelope != "2.0" or not isinstance(outcome, Malformed) or BARE_RESULT not in outcome.reason:
        return None
    sentence = "The server sent a result without jsonrpc and id. It may need JSON-RPC 1.0."
    return call.hint(sentence, (("envelope", "1.0"),))


_CLIENT_CERTIFICATE: Final = r"no required ssl certificate|client certificate (?:is )?required|requires? a client cert"
_WANTS_CERTIFICATE = "it may want a client certificate"
"""Words of the transport if a server refuses the handshake and no certificate was sent."""


def client_certificate(call: FailedCall) -> Hint | None:
    """A handshake, or a page of a gateway, that asks for a certificate of the client."""
    page = call.status in {400, 403, 495, 496} and call.says(_CLIENT_CERTIFICATE)
    if call.profile.cert_file is not None or not (page or call.unreached("tls", _WANTS_CERTIFICATE)):
        return None
    name = "NAME" if call.profile.ad_hoc else call.profile.name
    command = f"{PROGRAM} profiles set {name} cert_file=CERTIFICATE.pem key_file=KEY.pem"
    lines = setting(call.profile, call.exchange.url, ()) if call.profile.ad_hoc else ()
    return Hint("The server requires a client certificate.", commands=(*lines, command))


def timeout(call: FailedCall) -> Hint | None:
    """A call that took longer than the profile allows; it is not sent again, for it may have run."""
    if not call.unreached("timeout", ""):
        return None
    longer = max(60, round(2 * call.profile.timeout))
    sentence = f"To wait longer, add --timeout {longer} or set timeout in the profile."
    lines = () if call.profile.ad_hoc else (f"{PROGRAM} profiles set {call.profile.name} timeout={longer}",)
    return Hint(sentence, commands=lines)


# --- the table --------------------------------------------------------------------------------------------------------

HintRule = Callable[[FailedCall], Hint | None]
RULES: Final[tuple[HintRule, ...]] = (
    encryption,
    moved,
    session_header,
    old_mcp,
    mcp,
    accept,
    content_type,
    envelope,
    unquoted_id,
    empty_params,
    typed_params,
    credentials,
    unchosen_path,
    unread,
    maybe_empty_params,
    bare_result,
    client_certificate,
    timeout,
)
"""What is plain to see before what is only likely."""
