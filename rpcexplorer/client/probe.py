"""A probe: which calls find out the form that a server expects, and the profile that follows.

Signs show which preset a server looks like. They count only after it has answered in the form of that preset.

It yields calls and is sent their exchanges, so that a test can drive it by hand. None has credentials,
each is of a method that is named beforehand, and there are no more than was allowed.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.auth.login import asks_for_login
from rpcexplorer.auth.registry import KINDS
from rpcexplorer.client.hints import MOVED, hint_for
from rpcexplorer.model.exchange import Cancelled, Exchange, Refused, Unreached
from rpcexplorer.model.problem import Changes, Hint
from rpcexplorer.model.profile import JSON_TYPE, PATH, SERVICE, Auth, HeaderHandshake, Preset, Profile, usual_type
from rpcexplorer.patterns import regex
from rpcexplorer.rpc.codec import Envelope, open_object
from rpcexplorer.rpc.messages import METHOD_NOT_FOUND, RESERVED, EnvelopeForm, ErrorObject, Malformed, Result


class Sign(Struct, frozen=True):
    """One preset, and what its servers are known by: any of these."""

    preset: str
    realm: str = ""
    """The realm of a challenge, whole."""
    server: str = ""
    """How the header ``Server`` begins."""
    says: tuple[str, ...] = ()
    """Words of a page, a header or an error."""
    lists: str = ""
    """How a method begins that it lists."""
    handshake: str = ""
    """A handshake that it answered."""
    path: str = ""
    """The address where its servers have their calls. It proves nothing: others may have it, too."""
    answers: str = ""
    """A method that only such servers answer with a result."""
    private: str = ""
    """A harmless method that shows whether this server wants to know who calls, where not every such server does."""


SIGNS: Final = (
    Sign("aria2", lists="aria2.", private="aria2.getVersion"),
    Sign("bitcoin", realm="jsonrpc"),
    Sign("bcoin", realm="node"),
    Sign("deluge", says=("Deluge",), lists="web.connect", path="/json"),
    Sign("electrum", realm="Electrum"),
    Sign("ethereum", says=("does not exist/is not available",), answers="web3_clientVersion"),
    Sign("kodi", realm="Kodi"),
    Sign("mcp", says=("mcp-session-id", "resource_metadata="), path="/mcp", handshake="mcp"),
    Sign("monero", realm="monero-rpc", server="Epee-based"),
    Sign("moonraker", says=("moonraker",), path="/server/jsonrpc", private="server.info"),
    Sign("mopidy", says=("Mopidy",), path="/mopidy/rpc"),
    Sign("nzbget", realm="NZBGet", server="nzbget-"),
    Sign("odoo", says=("odoo.",), path="/web/dataset/call_kw"),
    Sign("service", lists="arg_test"),
    Sign("snapcast", server="Snapcast"),
    Sign("transmission", realm="Transmission", server="Transmission", path="/transmission/rpc"),
    Sign("ubus", path="/ubus"),
    Sign("xapi", lists="session.login_with_password"),
    Sign("zabbix", says=("zbx_session", "Zabbix"), path="/api_jsonrpc.php"),
)
MAX_PAGE: Final = 20_000
"""Bytes of a response that are searched for a sign: a server names itself soon."""
MAX_LIST: Final = 256 * 1024
"""Bytes of a list of names: the longest that was seen has 60,000."""
_REALM = regex(r"""\brealm\s*=\s*(?:"([^"]*)"|([^\s,"]+))""", re.IGNORECASE)


def recognized(exchange: Exchange, profile: Profile) -> list[str]:
    """Return the presets that a response speaks for, the surest first."""
    response = exchange.response
    challenges = (value for name, value in response.headers if name.lower() == "www-authenticate")
    realms = {quoted or bare for value in challenges for quoted, bare in _REALM.findall(value)}
    server, names, words = response.header("server") or "", names_in(exchange), ""
    answered = exchange.method if isinstance(exchange.outcome, Result) else ""
    if not answered:
        message = exchange.outcome.message[:MAX_PAGE] if isinstance(exchange.outcome, ErrorObject) else ""
        page = response.body[:MAX_PAGE].decode("utf-8", "replace")
        words = "\n".join([*(f"{name}: {value}" for name, value in response.headers), message, page])
    return [
        sign.preset
        for sign in SIGNS
        if sign.realm in realms - {""}
        or (sign.server and server.startswith(sign.server))
        or (sign.answers and sign.answers == answered)
        or (sign.lists and any(name.startswith(sign.lists) for name in names))
        or (sign.handshake and sign.handshake == profile.handshake and answered)
        or any(word in words for word in sign.says)
    ]


def names_in(exchange: Exchange) -> list[str]:
    """Return the names that a result lists, or nothing."""
    if not isinstance(exchange.outcome, Result) or len(exchange.outcome.text) > MAX_LIST:
        return []
    try:
        found = exchange.outcome.decoded()
    except (ValueError, RecursionError):
        return []
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []


MOST: Final = 16
"""Requests of one test, those with credentials included."""
LIST: Final = "system.listMethods"
DESCRIBE: Final = "rpc.discover"
INITIALIZE: Final = ("initialize", "notifications/initialized", "tools/list")
"""What is called where a server speaks MCP."""
OF_PRESETS: Final = tuple(sign.answers for sign in SIGNS if sign.answers)
PRIVATE: Final = {sign.preset: sign.private for sign in SIGNS if sign.private}
PATHS_OF_PRESETS: Final = frozenset(sign.path for sign in SIGNS if sign.path)
METHODS: Final = (LIST, DESCRIBE, *OF_PRESETS, *PRIVATE.values(), *INITIALIZE)
"""Every method that may be called. Services have them to tell of themselves, or have none of that name."""
PATHS: Final = (
    "/", "/jsonrpc", "/rpc", PATH, "/api", "/api/rpc", "/mcp", "/mopidy/rpc", "/json_rpc", "/json-rpc", "/jsonrpc.php",
    "/ubus", "/RPC", "/api/v1", "/api/v1/jsonrpc",
)  # fmt: skip
"""Where services are, the most usual first; others tell by their first reply which they are."""
FORM: Final = ("path", "content_type", "accept", "empty_params", "envelope", "id", "handshake")
"""The keys of a profile that say where and in which form calls are made, whoever calls."""
REFUSING: Final = frozenset({400, 406, 409, 412, 415, 426})
"""Statuses that refuse the form of a request, and so an address where requests are expected."""
OF_THE_TEST: Final = frozenset({"request", "size"})
"""Steps at which the limits of a test end a question, and the server is there all the same."""
LONGEST_ADDRESS: Final = 200
"""Letters of an address that a server names."""
_USER = regex(r"//[^/]*@")
_JSON_RPC = regex(rb'"jsonrpc"\s*:')


class TrialCall(Struct, frozen=True):
    """A call that is wanted, in the form of a profile that has no credentials."""

    form: Profile
    method: str


class TrialResult(Struct, frozen=True):
    """A call of the test, and its outcome."""

    form: Profile
    exchange: Exchange
    hint: Hint | None = None
    """What may make the next one succeed."""

    @property
    def ended(self) -> bool:
        """Return whether there is no response: nothing more is to be asked."""
        return isinstance(self.exchange.outcome, Unreached | Cancelled | Refused)

    @property
    def stopped(self) -> bool:
        """Return whether you ended the test, or no more requests were left."""
        outcome = self.exchange.outcome
        return isinstance(outcome, Cancelled) or (isinstance(outcome, Unreached) and outcome.step == "request")

    @property
    def cut_short(self) -> bool:
        """Return whether the connection or the test ended: the next answers are unknown."""
        outcome = self.exchange.outcome
        return isinstance(outcome, Cancelled) or (isinstance(outcome, Unreached) and outcome.step not in OF_THE_TEST)

    @property
    def fails_at_tls(self) -> bool:
        return isinstance(self.exchange.outcome, Unreached) and self.exchange.outcome.step == "tls"

    @property
    def asks_for_login(self) -> bool:
        return asks_for_login(self.form.login, self.exchange.outcome, self.exchange.response.status)

    @property
    def members(self) -> Envelope | None:
        """The members of the response, if it is one object."""
        body = self.exchange.response.body.lstrip()
        try:
            body.decode()
        except UnicodeDecodeError:
            return None
        return open_object(body) if body[:1] == b"{" else None

    @property
    def speaks(self) -> bool:
        """Return whether it is JSON-RPC, not just an error of a web server that happens to be JSON."""
        outcome, members = self.exchange.outcome, self.members
        if not isinstance(outcome, ErrorObject):
            return isinstance(outcome, Result)
        if members is None:
            return _JSON_RPC.search(self.exchange.response.body) is not None
        if self.form.envelope == "transmission" or outcome.code in RESERVED:
            return True
        return any(part is not None for part in (members.jsonrpc, members.id, members.result))

    @property
    def rank(self) -> int:
        """Return how near this is to a result."""
        outcome, status = self.exchange.outcome, self.exchange.response.status
        if isinstance(outcome, Result):
            return 4
        if self.speaks:
            assert isinstance(outcome, ErrorObject)
            return 3 if outcome.code == METHOD_NOT_FOUND or self.asks_for_login else 2
        return 1 if self.asks_for_login or status in REFUSING or isinstance(outcome, ErrorObject) else 0

    @property
    def form_changes(self) -> Changes:
        """What of address and form the hint would change; nothing that leads to another host, or away from https."""
        if self.hint is None:
            return ()
        here, there = urlsplit(self.form.url), urlsplit(dict(self.hint.changes).get("url", self.form.url))
        stays = here.hostname == there.hostname and (here.scheme, there.scheme) != ("https", "http")
        return tuple(each for each in self.hint.changes if stays and each[0] in {"url", *FORM})

    @property
    def auth_changes(self) -> Changes:
        """The kind of auth that the server asks for by name."""
        return tuple(each for each in self.hint.changes if each[0].startswith("auth.")) if self.hint else ()

    @property
    def said(self) -> str:
        """The outcome in a few words."""
        outcome, status = self.exchange.outcome, self.exchange.response.status
        match outcome:
            case Result():
                return "a result"
            case ErrorObject(code=code, message=message):
                number = "" if code is None else f" {code}"
                return f"error{number} {message}".strip()
            case Unreached(sentence=sentence) | Refused(sentence=sentence):
                return sentence
            case Malformed(reason=reason) if status is None or 200 <= status < 300:
                return reason
            case Cancelled():
                return "stopped here"
        return f"HTTP {status}{f' to {self.moved_to}' if self.moved_to else ''}"

    @property
    def moved_to(self) -> str:
        """Where a redirect leads, without what may be a secret; empty if there is none."""
        location = self.exchange.response.header("location") or ""
        if self.exchange.response.status not in MOVED:
            return ""
        return _USER.sub("//", re.split(r"[?#]", location)[0])[:LONGEST_ADDRESS]

    @property
    def shape(self) -> EnvelopeForm:
        """The version of JSON-RPC that the response is written in, as far as it shows."""
        members = self.members
        if self.form.envelope != "2.0" or not self.speaks or members is None or members.jsonrpc is not None:
            return self.form.envelope
        if members.version == b'"1.1"':
            return "1.1"
        return "1.0" if members.result is not None and members.error is not None else "2.0"


Trials = Generator[TrialCall, Exchange, None]


class Examination:
    """A test under way: the attributes are what is known so far."""

    def __init__(
        self,
        profile: Profile,
        presets: Mapping[str, Preset],
        changed: Callable[[Profile, Changes], Profile | None],
        *,
        most: int = MOST,
        chosen: Collection[str] = (),
    ) -> None:
        """Take the presets, and what makes a profile with changes, if there can be one.

        ``chosen`` are the keys of the profile that somebody has chosen: all others may be filled in.
        """
        self.assumes_login = profile.assumes_auth
        # Auth that nobody has chosen counts only once the server asks for a login at the address of the service.
        self.profile = replace(profile, auth=Auth(), assumes_auth=False) if profile.assumes_auth else profile
        self.chosen = chosen
        self.presets = presets
        self._changed, self._left = changed, most
        self.heard: list[TrialResult] = []
        """Every call so far."""
        self.found: TrialResult | None = None
        """The best reply in JSON-RPC, or the refusal of an address that has some behind a login."""
        self.private: TrialResult | None = None
        """The reply of a method that is only for those who are known to the server."""
        self.blocked: TrialResult | None = None
        """The https address of a redirect, which failed at TLS: every other question would lead there, too."""
        self.over = False

    def run(self) -> Trials:
        self.found = yield from self._address()
        if self.is_ambiguous:  # nobody chose a path: the root is the likeliest
            at_root = (heard for heard in self.heard if heard.form.path == PATHS[0] and heard.asks_for_login)
            self.found = next(at_root, self.found)
        yield from self._settle()
        yield from self._tell_apart()
        yield from self._settle()
        yield from self._ask_for_more()
        self.over = True

    @property
    def form(self) -> Profile:
        """Address and form as far as they are known."""
        if self.blocked:
            return self.blocked.form
        return self.found.form if self.found else self.heard[-1].form if self.heard else self.profile

    @property
    def preset(self) -> str:
        """The preset that the server answers to: by one of its signs, and in its form, wherever that is."""
        form = self.found.form if self.found else None
        return next((name for name in self._signs() if form and self._as(name, form.path, form) == form), "")

    @property
    def cut_short(self) -> TrialResult | None:
        """The question at which it ended before its time, where one of those before had a reply."""
        last = self.heard[-1] if self.heard else None
        return last if last and last.cut_short and not all(heard.ended for heard in self.heard) else None

    @property
    def asked_kinds(self) -> tuple[str, ...]:
        """The kinds of auth of which the server wants one, where nothing that was seen says which; else none."""
        preset = self.presets.get(self.preset)
        if self.profile.secrets or self.wants_service_login or (preset and preset.values.secrets):
            return ()
        wanting = [heard for heard in (self.found, self.private) if heard and heard.asks_for_login]
        unseen = bool(wanting) and not any(heard.auth_changes for heard in wanting)
        return tuple(kind for kind in KINDS if kind != Auth.kind) if unseen else ()

    @property
    def is_ambiguous(self) -> bool:
        """Whether several paths that nobody chose ask for a login, and nothing tells which one has the calls.

        Paths below the one that was found are usually behind the same login.
        """
        found = self.found
        if found is None or found.speaks or not self.is_bare or self.preset:
            return False
        locked = {heard.form.path for heard in self.heard if heard.asks_for_login} - {found.form.path}
        above = f"{found.form.path.rstrip('/')}/"
        return not all(path.startswith(above) for path in locked) or (found.form.path in {"/", PATH} and bool(locked))

    @property
    def has_usual_type(self) -> bool:
        """Whether neither person nor preset has chosen the content type."""
        profile = self.profile
        is_usual = profile.content_type == usual_type(profile.path) and "content_type" not in self.chosen
        return is_usual and (profile.is_service or not profile.preset)

    @property
    def wants_service_login(self) -> bool:
        """Whether the server asks for a login at the address of the service, and nobody has chosen another auth."""
        found = self.found
        if not self.assumes_login or found is None or found.form.path != PATH or self.preset not in {"", SERVICE}:
            return False
        return found.speaks and found.asks_for_login and not found.auth_changes

    @property
    def is_bare(self) -> bool:
        """Nobody has said at which path of the server its calls are, nor given credentials for one."""
        return "path" not in self.chosen and self.profile.path == PATH and not self.profile.secrets

    @property
    def doubted_auth(self) -> str:
        """The sentence about an auth type that somebody chose and that seems wrong; empty without one."""
        found, kind, preset = self.found, self.profile.auth.kind, self.presets.get(self.preset)
        if found is None or kind == Auth.kind or self.preset == SERVICE:
            return ""
        if preset is not None:
            wanted = preset.values.auth.kind
            return "" if kind == wanted else f"auth {kind} is chosen, but {self.preset} servers use {wanted}"
        if not isinstance(found.exchange.outcome, Result):
            return ""
        return f"auth {kind} is chosen, but {found.exchange.method} was answered without credentials"

    # --- where it is -------------------------------------------------------------------------------------------

    def _address(self) -> Generator[TrialCall, Exchange, TrialResult | None]:
        """The first address at which JSON-RPC is spoken, else the one that asks for a login."""
        waiting = deque(self._places())
        locked: TrialResult | None = None
        while waiting:
            form = waiting.popleft()
            heard = yield from self._ask(form)
            if heard is None:
                continue
            if heard.speaks or self._is_behind_login(heard):
                return heard
            if heard.fails_at_tls and heard.form.url != self.profile.url:
                self.blocked = heard
                return None
            closer = [each for each in self._closer(heard) if not self._was_asked(each)]
            waiting.extendleft(reversed(closer))
            if closer:
                continue
            if heard.ended and heard.form.url == self.profile.url:
                return locked
            if heard.asks_for_login and self._is_guess(heard.form):
                continue
            if not heard.asks_for_login:
                if locked:  # only the other one asks for a login: there is something
                    return locked
            elif locked or self._fits(heard.form) or self._is_given(heard.form):
                return heard if locked is None or self._fits(heard.form) else locked
            else:
                locked = heard
        return locked

    def _places(self) -> Iterator[Profile]:
        """The profile's own path first, where somebody has chosen it.

        A content type that is only a default gives way to the most usual one: some servers end at another.
        """
        paths = PATHS if self.profile.ad_hoc and self.is_bare else (self.profile.path, *PATHS)
        bare = replace(self.profile, auth=Auth(), has_login=False)
        if self.has_usual_type:
            bare = replace(bare, content_type=JSON_TYPE)
        yield from (replace(bare, path=path) for path in dict.fromkeys(paths))

    # --- in which form -----------------------------------------------------------------------------------------

    def _settle(self) -> Trials:
        """Ask anew in forms that replies speak for, for as long as that brings nearer to a result."""
        better = self.found if self.found and not self._is_behind_login(self.found) else None
        while better is not None:
            self.found, better = better, None
            for form in [*self._closer(self.found)]:
                heard = yield from self._ask(form)
                if heard is not None and _is_better(heard, self.found):
                    better = heard
                    break

    def _closer(self, heard: TrialResult) -> Iterator[Profile]:
        """The form of a preset whose sign was seen; that in which the server writes; what it calls wrong, mended."""
        form = heard.form
        for name in self._signs():
            stays = heard.speaks or (heard.asks_for_login and self._is_given(form) and form.path not in {"/", PATH})
            yield self._as(name, form.path if stays else self.presets[name].values.path, form)
        if heard.shape != form.envelope:
            yield replace(form, envelope=heard.shape)
        if heard.form_changes and (mended := self._changed(form, heard.form_changes)):
            yield mended

    def _tell_apart(self) -> Trials:
        """Ask what only some servers have, where nothing has told yet which this is."""
        if self.found is None or not self.found.speaks or self.found.form.handshake == "mcp":
            return
        form = self.found.form
        if self.found.exchange.outcome_name != "result":
            yield from self._ask(form, DESCRIBE)
        if not self.preset and not names_in(self.found.exchange):
            for method in OF_PRESETS:
                yield from self._ask(form, method)

    def _ask_for_more(self) -> Trials:
        """Whether a server wants to know who calls, where there are such and such of its kind."""
        if self.found is not None and self.found.speaks and self.preset in PRIVATE:
            self.private = yield from self._ask(self.found.form, PRIVATE[self.preset])

    # --- asking ------------------------------------------------------------------------------------------------

    def _ask(self, form: Profile, method: str = "") -> Generator[TrialCall, Exchange, TrialResult | None]:
        """One question; None where it was asked before, or nothing more may be asked."""
        method = method or _usual(form)
        cost = _cost(form)
        if self._was_asked(form, method) or cost > self._left or (self.heard and self.heard[-1].stopped):
            return None
        self._left -= cost
        exchange = yield TrialCall(form, method)
        heard = TrialResult(form, exchange, hint_for(exchange, form, tested=True))
        self.heard.append(heard)
        return heard

    def _was_asked(self, form: Profile, method: str = "") -> bool:
        method = method or _usual(form)
        return any(heard.form == form and heard.exchange.method == method for heard in self.heard)

    def _signs(self) -> Iterator[str]:
        """The presets whose signs were seen."""
        seen = (name for heard in self.heard for name in recognized(heard.exchange, heard.form))
        return (name for name in dict.fromkeys(seen) if name in self.presets)

    def _fits(self, form: Profile) -> bool:
        return any(self._as(name, form.path, form) == form for name in self._signs())

    def _is_behind_login(self, heard: TrialResult) -> bool:
        """The profile's own address asks for a login, and the profile has one: nobody guesses before that was tried.

        A server that shows which product it is has its calls where such servers have them, if nobody chose a path.
        """
        if not self.profile.secrets or heard.speaks or not heard.asks_for_login or not self._is_given(heard.form):
            return False
        return "path" in self.chosen or bool(self.profile.preset) or not any(self._signs())

    def _is_given(self, form: Profile) -> bool:
        return form.path == self.profile.path and not self.is_bare

    def _is_guess(self, form: Profile) -> bool:
        """Return whether nothing but its path, which one product has, speaks for an address."""
        return form.path in PATHS_OF_PRESETS and not self._is_given(form) and not self._fits(form)

    def _as(self, preset: str, path: str, form: Profile) -> Profile:
        """The form that a preset has, at a path."""
        values = self.presets[preset].values
        wanted: dict[str, Any] = {key: getattr(values, key) for key in FORM if key != "path"}
        return replace(form, path=path, **wanted)


def behind_login(profile: Profile, presets: Mapping[str, Preset]) -> str:
    """The first method of its preset that is safe, takes no params and needs a login; empty if none is known."""
    preset = presets.get(profile.preset)
    noted = ((name, profile.methods.get(name)) for name in (preset.values.methods if preset else ()))
    fits = (name for name, note in noted if note and note.safe and note.params is None and note.auth != Auth.kind)
    return next(fits, "")


def _usual(form: Profile) -> str:
    """The method that is called to see whether anything answers."""
    return INITIALIZE[-1] if form.handshake == "mcp" else LIST


def _cost(form: Profile) -> int:
    """Requests that one question takes in this form."""
    if form.handshake == "mcp":
        return len(INITIALIZE)
    return 2 if isinstance(form.handshake, HeaderHandshake) else 1


def _is_better(heard: TrialResult, before: TrialResult) -> bool:
    """Nearer to a result; or as near, and nothing is in the way any more, or something else is."""
    if heard.ended or heard.rank != before.rank:
        return not heard.ended and heard.rank > before.rank
    return not heard.form_changes or heard.said != before.said


def asked_at_once(auth: Auth) -> bool:
    """Whether servers ask for it before they look at a call: who was not asked needs none then."""
    return bool(auth.scheme) and "password" in auth.takes


class Proposal(Struct, frozen=True):
    """A few lines of a profile, to be confirmed."""

    changes: Changes
    """Keys and values that differ from what the profile is now; of an address, from what every profile is."""
    preset: Preset | None = None
    """What the profile would start with, and did not before."""
    secrets: tuple[str, ...] = ()
    """The fields of secrets that are wanted then."""
    lacks_auth: bool = False
    """The server wants to know who calls, and nothing says by which kind of auth: a person has to."""

    @property
    def trusts(self) -> bool:
        """It is about a certificate that no authority vouches for: nobody is to say yes to that by habit."""
        return "certificate" in self.values

    @property
    def values(self) -> Mapping[str, Any]:
        return dict(self.changes)

    def without(self, key: str) -> Proposal:
        return replace(self, changes=tuple(change for change in self.changes if change[0] != key))

    def made_from(self, address: Profile) -> tuple[str, dict[str, Any]]:
        """The url of a new profile for an address that was typed, and its other keys; those of auth in a table."""
        keys = {key: value for key, value in self.changes if key != "url" and not key.startswith("auth.")}
        auth = {key.removeprefix("auth."): value for key, value in self.changes if key.startswith("auth.")}
        is_seen = not self.lacks_auth and not self.trusts
        if not auth and self.preset is None and is_seen and address.has_own_auth:
            auth = {"kind": address.auth.kind}
        if address.path != PATH:
            keys.setdefault("path", address.path)
        return self.values.get("url", address.url), {**keys, **({"auth": auth} if auth else {})}


def proposed(examination: Examination) -> Proposal | None:
    """Return what to change: keys that nobody has chosen get what preset and address give them.

    None where nothing was found, or the test was cut short. A proposal without changes is a profile that is right as
    it is.
    """
    found, profile, chosen = examination.found, examination.profile, examination.chosen
    if found is None or examination.cut_short or (examination.is_ambiguous and found.form.path != PATHS[0]):
        return None
    own = SERVICE if profile.is_service else profile.preset
    name = "" if own == examination.preset else examination.preset
    preset = examination.presets.get(name)
    under = preset.values if preset else profile
    changes: list[tuple[str, Any]] = [("preset", name)] if preset else []
    if found.form.url != profile.url:
        changes.insert(0, ("url", found.form.url))
    for key in FORM:
        now, before = getattr(found.form, key), getattr(profile if key in chosen else under, key)
        if key == "content_type" and examination.has_usual_type and not preset:
            before = usual_type(found.form.path) if found.speaks else now
        if now != before and now is not None:
            changes.append((key, {"header": now.header} if isinstance(now, HeaderHandshake) else now))
    has_chosen_auth = any(key.startswith("auth") for key in chosen)
    auth = _auth(examination, profile if has_chosen_auth else under)
    if has_chosen_auth and not auth and "auth.kind" not in chosen and not preset and found.form.path != profile.path:
        # Another address has no auth type by default; a file that names a user there has to name one.
        auth = (("auth.kind", profile.auth.kind if found.asks_for_login else Auth.kind),)
    secrets, kind = under.secrets, dict(auth).get("auth.kind")
    if kind and kind != under.auth.kind:
        secrets = tuple(field for field in KINDS[kind].takes if f"auth.{field}" not in dict(auth))
    elif examination.wants_service_login:
        secrets = ("username", "password")
    stored = tuple(field for field in secrets if field != "session")
    return Proposal((*changes, *auth), preset, stored, bool(examination.asked_kinds))


def _auth(examination: Examination, under: Profile) -> Changes:
    """The kind of auth that the server has asked for, or none where it did not ask for the preset's."""
    found, profile = examination.found, examination.profile
    assert found is not None
    wanted = found.auth_changes
    if wanted:
        return wanted if dict(wanted)["auth.kind"] != under.auth.kind else ()
    open_ = found.speaks and not found.asks_for_login and asked_at_once(under.auth)
    answered = examination.private is not None and isinstance(examination.private.exchange.outcome, Result)
    if (open_ or answered) and not profile.secrets and under.auth.kind != Auth.kind:
        return (("auth.kind", Auth.kind),)
    return ()
