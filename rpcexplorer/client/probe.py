"""The open calls of a connection test, and the proposal that results.

Signs suggest the preset of a server. They count only after the server has answered in the form of that preset.

A `Probe` yields calls and is sent their exchanges, so that tests need no server. The calls have no credentials, use
listed methods only, and their number is limited.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.auth.login import asks_for_login
from rpcexplorer.auth.registry import KINDS, auth_of
from rpcexplorer.client.agent_card import AGENT_CARD, AGENT_PRESET, AgentCard, read_agent_card
from rpcexplorer.client.hints import MOVED, hint_for, members_of, refuses_request
from rpcexplorer.model.exchange import Cancelled, Exchange, Refused, Unreached
from rpcexplorer.model.mcp import LISTS_TOOLS, MCP_DISCOVER
from rpcexplorer.model.problem import Changes, Hint
from rpcexplorer.model.profile import (
    INITIALIZE,
    JSON_TYPE,
    PATH,
    SERVICE,
    Auth,
    HeaderHandshake,
    Preset,
    Profile,
    kind_of,
    usual_path,
    usual_type,
)
from rpcexplorer.patterns import regex
from rpcexplorer.redaction.addresses import redacted_address
from rpcexplorer.rpc.codec import Envelope
from rpcexplorer.rpc.messages import METHOD_NOT_FOUND, RESERVED, EnvelopeForm, ErrorObject, Malformed, Result


class Sign(Struct, frozen=True):
    """How to recognise the servers of a preset: by any of these."""

    preset: str
    realm: str = ""
    """The complete realm of a challenge."""
    server: str = ""
    """The beginning of the header ``Server``."""
    says: tuple[str, ...] = ()
    """Words in a page, a header or an error."""
    lists: str = ""
    """The beginning of a listed method."""
    handshake: str = ""
    """A handshake that the server answered."""
    path: str = ""
    """The usual path, which proves nothing: other servers may have it, too."""
    answers: str = ""
    """A method that only these servers answer with a result."""
    private: str = ""
    """A harmless method that shows whether this server requires credentials."""


SIGNS: Final = (
    Sign(AGENT_PRESET, says=("a2a-protocol.org",)),
    Sign("aria2", lists="aria2.", private="aria2.getVersion"),
    Sign("bitcoin", realm="jsonrpc"),
    Sign("bcoin", realm="node"),
    Sign("deluge", says=("Deluge",), lists="web.connect", path="/json"),
    Sign("electrum", realm="Electrum"),
    Sign("ethereum", says=("does not exist/is not available",), answers="web3_clientVersion"),
    Sign("kodi", realm="Kodi"),
    Sign(
        "mcp",
        says=("mcp-session-id", "resource_metadata=", "io.modelcontextprotocol/", "MCP-Protocol-Version", "Mcp-Method"),
        path="/mcp",
        handshake="mcp",
    ),
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
"""Bytes of a response that are searched for a sign, which comes early."""
MAX_LIST: Final = 256 * 1024
"""Bytes of a list of names: the longest one seen has 60,000."""
_REALM = regex(r"""\brealm\s*=\s*(?:"([^"]*)"|([^\s,"]+))""", re.IGNORECASE)


def recognized(exchange: Exchange, profile: Profile) -> list[str]:
    """Return the presets that a response suggests, the most certain first."""
    response, names = exchange.response, names_in(exchange)
    server = response.header("server") or ""
    realms = set()
    for name, value in response.headers:
        if name.lower() == "www-authenticate":
            realms |= {quoted or bare for quoted, bare in _REALM.findall(value)}
    is_answered, words = isinstance(exchange.outcome, Result), ""
    if not is_answered:
        lines = [f"{name}: {value}" for name, value in response.headers]
        if isinstance(exchange.outcome, ErrorObject):
            lines.append(exchange.outcome.message[:MAX_PAGE])
        words = "\n".join([*lines, response.body[:MAX_PAGE].decode("utf-8", "replace")])

    def has_sign(sign: Sign) -> bool:
        if sign.realm and sign.realm in realms:
            return True
        if sign.server and server.startswith(sign.server):
            return True
        if sign.lists and any(name.startswith(sign.lists) for name in names):
            return True
        if is_answered:
            is_own_handshake = bool(sign.handshake) and sign.handshake == profile.handshake
            return is_own_handshake or sign.answers == exchange.method
        return any(word in words for word in sign.says)

    return [sign.preset for sign in SIGNS if has_sign(sign)]


def names_in(exchange: Exchange) -> list[str]:
    """Return the names that a result lists, if it lists any."""
    if not isinstance(exchange.outcome, Result) or len(exchange.outcome.text) > MAX_LIST:
        return []
    try:
        found = exchange.outcome.decoded()
    except (ValueError, RecursionError):
        return []
    if not isinstance(found, list):
        return []
    return [name for name in found if isinstance(name, str)]


def agent_card_in(exchange: Exchange) -> AgentCard | None:
    """Return the agent card in the response to a request for one."""
    if not isinstance(exchange.outcome, Result) or len(exchange.outcome.text) > MAX_LIST:
        return None
    try:
        return read_agent_card(exchange.outcome.decoded())
    except (ValueError, RecursionError):
        return None


MOST: Final = 16
"""Requests of one test, including those with credentials."""
LIST: Final = "system.listMethods"
DESCRIBE: Final = "rpc.discover"
OF_MCP: Final = (INITIALIZE, "notifications/initialized", MCP_DISCOVER, LISTS_TOOLS)
"""The calls for a server that speaks MCP."""
OF_PRESETS: Final = tuple(sign.answers for sign in SIGNS if sign.answers)
PRIVATE: Final = {sign.preset: sign.private for sign in SIGNS if sign.private}
METHODS: Final = (LIST, DESCRIBE, *OF_PRESETS, *PRIVATE.values(), *OF_MCP, AGENT_CARD)
"""All methods that may be called, which only describe a server, and the document that may be fetched."""
PATHS: Final = (
    "/", "/jsonrpc", "/rpc", PATH, "/api", "/api/rpc", "/mcp", "/mopidy/rpc", "/api/v1", "/api/v1/jsonrpc",
    "/json_rpc", "/json-rpc", "/jsonrpc.php", "/ubus", "/RPC",
)  # fmt: skip
"""Usual paths, most frequent first; other servers show a sign."""
FOR_CARD: Final = 2
"""The last requests: for the agent card, which few servers have, and a call at the address that it names."""
FORM: Final = ("path", "content_type", "accept", "empty_params", "envelope", "id", "handshake")
"""Keys that describe address and form of calls, but not credentials."""
REFUSING: Final = frozenset({400, 406, 409, 412, 415, 426})
"""Statuses that refuse the form of a request: calls are expected here."""
OF_THE_TEST: Final = frozenset({"request", "size"})
"""Steps where a limit of the test ended a call, not the server."""
LONGEST_REFUSAL: Final = 300
"""Bytes of the text of a 403 that are shown."""
LONGEST_ADDRESS: Final = 200
"""Characters of a URL of the server that are shown."""
_JSON_RPC = regex(rb'"jsonrpc"\s*:')


class TrialCall(Struct, frozen=True):
    """A call to make, with a profile without credentials."""

    form: Profile
    method: str


class TrialResult(Struct, frozen=True):
    """A call of the test, and its outcome."""

    form: Profile
    exchange: Exchange
    hint: Hint | None = None
    """A change that may make the next call succeed."""
    signs: Sequence[str] = ()
    """The presets that it suggests, the most certain first."""

    @property
    def path(self) -> str:
        """The path without possible secrets."""
        return redacted_address(self.form.path)

    @property
    def ended(self) -> bool:
        """Return whether there is no response."""
        return isinstance(self.exchange.outcome, Unreached | Cancelled | Refused)

    @property
    def cut_short(self) -> bool:
        """Return whether the connection or the user ended it, not a limit of the test."""
        outcome = self.exchange.outcome
        return isinstance(outcome, Cancelled) or (isinstance(outcome, Unreached) and outcome.step not in OF_THE_TEST)

    @property
    def fails_at_tls(self) -> bool:
        return isinstance(self.exchange.outcome, Unreached) and self.exchange.outcome.step == "tls"

    @property
    def asks_for_login(self) -> bool:
        if self.refusal:
            return False
        return asks_for_login(self.form.login_signs, self.exchange.outcome, self.exchange.response.status)

    @property
    def refusal(self) -> str:
        """The text of a 403, which is not a page and names no auth type; or empty."""
        response = self.exchange.response
        if response.status != 403 or not isinstance(self.exchange.outcome, Malformed):
            return ""
        if response.header("www-authenticate") or response.body.lstrip()[:1] == b"<":
            return ""
        return " ".join(response.body[:LONGEST_REFUSAL].decode("utf-8", "replace").split())

    @property
    def members(self) -> Envelope | None:
        """The members of the response, if it is an object."""
        return members_of(self.exchange)

    @property
    def speaks(self) -> bool:
        """Return whether it is JSON-RPC, not only a JSON error of a web server."""
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
        """Return how close this is to a result."""
        outcome = self.exchange.outcome
        if isinstance(outcome, Result):
            return 4
        if isinstance(outcome, ErrorObject) and self.speaks:
            return 3 if outcome.code == METHOD_NOT_FOUND or self.asks_for_login else 2
        if isinstance(outcome, ErrorObject) or self.asks_for_login:
            return 1
        return 1 if self.exchange.response.status in REFUSING else 0

    @property
    def form_changes(self) -> Changes:
        """Suggested changes of address and form, never to another host or to http."""
        changes = self.hint.changes if self.hint else ()
        here, target = urlsplit(self.form.url), urlsplit(dict(changes).get("url", self.form.url))
        if here.hostname != target.hostname or (here.scheme, target.scheme) == ("https", "http"):
            return ()
        return tuple(change for change in changes if change[0] in {"url", *FORM})

    @property
    def auth_changes(self) -> Changes:
        """The auth type that the server names."""
        changes = self.hint.changes if self.hint else ()
        return tuple(change for change in changes if change[0].startswith("auth."))

    @property
    def summary(self) -> str:
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
                return "cancelled"
        if self.refusal:
            return f"HTTP {status}: {self.refusal}"
        return f"HTTP {status} to {self.moved_to}" if self.moved_to else f"HTTP {status}"

    @property
    def moved_to(self) -> str:
        """The target of a redirect without possible secrets; empty without one."""
        location = self.exchange.response.header("location") or ""
        if self.exchange.response.status not in MOVED:
            return ""
        return redacted_address(re.split(r"[?#]", location)[0])[:LONGEST_ADDRESS]

    @property
    def shape(self) -> EnvelopeForm:
        """The JSON-RPC version of the response, if it shows one."""
        members = self.members
        if self.form.envelope != "2.0" or not self.speaks or members is None or members.jsonrpc is not None:
            return self.form.envelope
        if members.version == b'"1.1"':
            return "1.1"
        return "1.0" if members.result is not None and members.error is not None else "2.0"


Trials = Generator[TrialCall, Exchange, None]


class Probe:
    """The open calls of a connection test, with all findings so far."""

    def __init__(
        self,
        profile: Profile,
        presets: Mapping[str, Preset],
        changed: Callable[[Profile, Changes], Profile | None],
        *,
        most: int = MOST,
        chosen: Collection[str] = (),
    ) -> None:
        """Prepare the calls; ``changed`` returns a profile with changes, if valid.

        ``chosen`` are the keys that are set in a file or on the command line: all others may be filled in.
        """
        self.assumes_login = profile.assumes_auth
        # The default login counts only if the server asks for it at the service's default path.
        self.profile = profile
        if profile.assumes_auth:
            self.profile = replace(profile, auth=Auth(), assumes_auth=False)
        self.chosen = chosen
        self.presets = presets
        self._changed, self._left = changed, most
        self.results: list[TrialResult] = []
        """All calls so far."""
        self.found: TrialResult | None = None
        """The best JSON-RPC response, or a request for credentials."""
        self.private: TrialResult | None = None
        """The response of a method that may require credentials."""
        self.blocked: TrialResult | None = None
        """The https target of a redirect that failed at TLS; all calls lead there."""
        self.card_result: TrialResult | None = None
        """The response to the request for an agent card."""
        self.card: AgentCard | None = None
        self.over = False

    def run(self) -> Trials:
        self.found = yield from self._address()
        if self.is_ambiguous:  # The path is not set, and the root is the most likely one.
            at_root = (result for result in self.results if result.form.path == PATHS[0] and result.asks_for_login)
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
        if self.found:
            return self.found.form
        return self.results[-1].form if self.results else self.profile

    @property
    def preset(self) -> str:
        """The preset with a sign in the responses, and whose form was accepted."""
        if self.found is None:
            return ""
        form = self.found.form
        for name in self._signs():
            if self._as(name, form.path, form) == form:
                return name
        return ""

    @property
    def cut_short(self) -> TrialResult | None:
        """The last call if it ended the test early, after another one succeeded."""
        if all(result.ended for result in self.results):
            return None
        return self.results[-1] if self.results[-1].cut_short else None

    @property
    def asked_kinds(self) -> tuple[str, ...]:
        """The auth types to choose from if the server needs an unknown one."""
        preset = self.presets.get(self.preset)
        if self.profile.secrets or self.wants_service_login or (preset and preset.values.secrets):
            return ()
        wanting = [result for result in (self.found, self.private) if result and result.asks_for_login]
        if not wanting or any(result.auth_changes for result in wanting):
            return ()
        return tuple(kind for kind in KINDS if kind != Auth.kind)

    @property
    def is_ambiguous(self) -> bool:
        """Whether several unset paths ask for credentials, and any may be right.

        Paths below the one that was found usually have the same login.
        """
        found = self.found
        if found is None or found.speaks or not self.is_bare or self.preset:
            return False
        locked = {result.form.path for result in self.results if result.asks_for_login} - {found.form.path}
        above = f"{found.form.path.rstrip('/')}/"
        return not all(path.startswith(above) for path in locked) or (found.form.path in {"/", PATH} and bool(locked))

    @property
    def has_usual_type(self) -> bool:
        """Whether the content type is the default, set by no file or preset."""
        profile = self.profile
        is_usual = profile.content_type == usual_type(profile.path) and "content_type" not in self.chosen
        return is_usual and (profile.is_service or not profile.preset)

    @property
    def wants_service_login(self) -> bool:
        """Whether the server asks for the default login of the service."""
        found = self.found
        if not self.assumes_login or found is None or found.form.path != PATH or self.preset not in {"", SERVICE}:
            return False
        return found.speaks and found.asks_for_login and not found.auth_changes

    @property
    def is_bare(self) -> bool:
        """Whether neither a path nor credentials are set."""
        return "path" not in self.chosen and self.profile.path == PATH and not self.profile.secrets

    @property
    def doubted_auth(self) -> str:
        """A sentence about an auth type that seems wrong, or empty."""
        found, kind, preset = self.found, self.profile.auth.kind, self.presets.get(self.preset)
        if found is None or kind == Auth.kind or self.preset == SERVICE:
            return ""
        if preset is not None:
            wanted = preset.values.auth.kind
            return "" if kind == wanted else f"Auth type {kind} is set, but preset {self.preset} uses {wanted}."
        if not isinstance(found.exchange.outcome, Result):
            return ""
        return f"Auth type {kind} is set, but {found.exchange.method} works without credentials."

    def _address(self) -> Generator[TrialCall, Exchange, TrialResult | None]:
        """Find the first address with JSON-RPC, or one that asks for credentials."""
        waiting = deque(self._places())
        locked: TrialResult | None = None
        while waiting:
            form = waiting.popleft()
            result = yield from self._ask(form)
            if result is None:
                continue
            if result.speaks or self._is_behind_login(result):
                return result
            if result.fails_at_tls and result.form.url != self.profile.url:
                self.blocked = result
                return None
            if self._left <= FOR_CARD and not result.ended:
                places = yield from self._places_of_agent(result.form)
                if places:
                    waiting.extendleft(reversed(places))
                    continue
            closer = [form for form in self._closer(result) if not self._was_asked(form)]
            waiting.extendleft(reversed(closer))
            if closer:
                continue
            if result.ended and result.form.url == self.profile.url:
                return locked
            if result.asks_for_login and self._fits(result.form):
                return result
            if locked:  # The first path that asks for credentials: the calls are probably there.
                return locked
            if result.asks_for_login:
                if self._is_given(result.form):
                    return result
                locked = result
        return locked

    def _places(self) -> Iterator[Profile]:
        """Yield the addresses to try, the profile's own path first if it is set.

        A default content type is replaced by the most usual one: some servers crash at another.
        """
        paths = PATHS if self.profile.ad_hoc and self.is_bare else (self.profile.path, *PATHS)
        bare = replace(self.profile, auth=Auth(), has_login=False)
        if self.has_usual_type:
            bare = replace(bare, content_type=JSON_TYPE)
        for path in dict.fromkeys(paths):
            yield replace(bare, path=path)

    def _settle(self) -> Trials:
        """Try suggested forms as long as they lead closer to a result."""
        better = self.found if self.found and not self._is_behind_login(self.found) else None
        while better is not None:
            self.found, better = better, None
            for form in [*self._closer(self.found)]:
                result = yield from self._ask(form)
                if result is not None and _is_better(result, self.found):
                    better = result
                    break

    def _closer(self, result: TrialResult) -> Iterator[Profile]:
        """Yield the forms of presets with a sign, and the suggested ones."""
        form = result.form
        for name in self._signs():
            is_locked = result.asks_for_login and self._is_given(form) and form.path not in {"/", PATH}
            path = form.path if result.speaks or is_locked else self.presets[name].values.path
            yield self._as(name, path, form)
        if result.shape != form.envelope:
            yield replace(form, envelope=result.shape)
        changed = self._changed(form, result.form_changes) if result.form_changes else None
        if changed:
            yield changed

    def _tell_apart(self) -> Trials:
        """Call methods that only some servers have, if the preset is unknown."""
        if self.found is None or not self.found.speaks or self.found.form.handshake == "mcp":
            return
        form = self.found.form
        if self.found.exchange.outcome_name != "result":
            yield from self._ask(form, DESCRIBE)
        if self.preset not in {"", AGENT_PRESET} or names_in(self.found.exchange):
            return
        yield from self._places_of_agent(form)
        if not self.preset and self.card is None:
            for method in OF_PRESETS:
                yield from self._ask(form, method)

    def _places_of_agent(self, form: Profile) -> Generator[TrialCall, Exchange, list[Profile]]:
        """Fetch the agent card of the server, once; return the addresses on this server that it names."""
        is_http = form.scheme in {"http", "https"}
        if self.card_result is not None or not is_http or AGENT_PRESET not in self.presets or not self._left:
            return []
        self._left -= 1
        exchange = yield TrialCall(form, AGENT_CARD)
        self.card_result, self.card = TrialResult(form, exchange), agent_card_in(exchange)
        if self.card is None:
            return []
        places = [self._changed(form, (("path", path),)) for path in self.card.paths]
        return [self._as(AGENT_PRESET, place.path, place) for place in places if place is not None]

    def _ask_for_more(self) -> Trials:
        """Find out whether this server requires credentials, if not all do."""
        if self.found is not None and self.found.speaks and self.preset in PRIVATE:
            self.private = yield from self._ask(self.found.form, PRIVATE[self.preset])

    def _ask(self, form: Profile, method: str = "") -> Generator[TrialCall, Exchange, TrialResult | None]:
        """Make one call; None if it was made before, or no requests are left."""
        method = method or _usual(form)
        cost = _cost(form)
        if self._was_asked(form, method) or cost > self._left or self._is_stopped():
            return None
        self._left -= cost
        exchange = yield TrialCall(form, method)
        signs = [name for name in recognized(exchange, form) if name in self.presets]
        result = TrialResult(form, exchange, hint_for(exchange, form, tested=True), signs)
        self.results.append(result)
        return result

    def _is_stopped(self) -> bool:
        """Return whether you ended the test, or no requests were left."""
        outcome = self.results[-1].exchange.outcome if self.results else None
        return isinstance(outcome, Cancelled) or (isinstance(outcome, Unreached) and outcome.step == "request")

    def _was_asked(self, form: Profile, method: str = "") -> bool:
        method = method or _usual(form)
        return any(result.form == form and result.exchange.method == method for result in self.results)

    def _signs(self) -> Iterable[str]:
        """Return the presets whose signs were seen."""
        found = [AGENT_PRESET] if self.card else []
        return dict.fromkeys(chain(found, *(result.signs for result in self.results)))

    def _fits(self, form: Profile) -> bool:
        return any(self._as(name, form.path, form) == form for name in self._signs())

    def _is_behind_login(self, result: TrialResult) -> bool:
        """Return whether the profile's own address asks for its login.

        Then no other address is tried. If no path is set and a sign was seen, the usual path of that preset is tried
        first.
        """
        is_refused = result.asks_for_login or bool(result.refusal)
        if not self.profile.secrets or result.speaks or not is_refused or not self._is_given(result.form):
            return False
        return "path" in self.chosen or bool(self.profile.preset) or not any(self._signs())

    def _is_given(self, form: Profile) -> bool:
        return form.path == self.profile.path and not self.is_bare

    def _as(self, preset: str, path: str, form: Profile) -> Profile:
        """Return the form of a preset, at another path."""
        values = self.presets[preset].values
        wanted: dict[str, Any] = {key: getattr(values, key) for key in FORM if key != "path"}
        own = {name.lower() for name, _ in form.headers}
        added = [header for header in values.headers if header[0].lower() not in own]
        return replace(form, path=path, headers=(*form.headers, *added), **wanted)


def behind_login(profile: Profile, presets: Mapping[str, Preset]) -> str:
    """Return a safe method of the preset that needs a login but no params."""
    if profile.preset not in presets:
        return ""
    for name in presets[profile.preset].values.methods:
        note = profile.methods.get(name)
        if note and note.safe and note.params is None and note.auth != Auth.kind:
            return name
    return ""


def connection_method(profile: Profile, presets: Mapping[str, Preset]) -> str:
    """Return the method that tests a connection that stays open."""
    if profile.handshake and not profile.secrets:
        return INITIALIZE  # The handshake is a call. Some servers answer no other one without params.
    # Without credentials, any response will do, but a known method might need them.
    usual = auth_of(profile).harmless if profile.secrets else DESCRIBE
    return behind_login(profile, presets) or usual


def _usual(form: Profile) -> str:
    """Return the method that shows whether a server answers."""
    return LISTS_TOOLS if form.handshake == "mcp" else LIST


def _cost(form: Profile) -> int:
    """Return the number of requests of one call in this form."""
    if form.handshake == "mcp":
        return len(OF_MCP)
    return 2 if isinstance(form.handshake, HeaderHandshake) else 1


def _is_better(result: TrialResult, before: TrialResult) -> bool:
    """Return whether a result is closer, or the next one may be."""
    if result.ended or result.rank != before.rank:
        return not result.ended and result.rank > before.rank
    if result.summary == before.summary and refuses_request(result.exchange):
        return False  # The change did not help.
    return not result.form_changes or result.summary != before.summary


def asked_at_once(auth: Auth) -> bool:
    """Return whether servers ask for it before they read a call."""
    return bool(auth.scheme) and "password" in auth.takes


class Proposal(Struct, frozen=True):
    """Suggested lines of a profile, for the user to confirm."""

    changes: Changes
    """Keys and values that differ from the profile, or from the defaults."""
    preset: Preset | None = None
    """The preset that the profile would use, if that is new."""
    secrets: tuple[str, ...] = ()
    """The secret fields that are needed then."""
    lacks_auth: bool = False
    """Whether the server needs an unknown auth type, which you must choose."""

    @property
    def trusts(self) -> bool:
        """Whether it pins an untrusted certificate: yes is not the default."""
        return "certificate" in self.values

    @property
    def values(self) -> Mapping[str, Any]:
        return dict(self.changes)

    def without(self, key: str) -> Proposal:
        return replace(self, changes=tuple(change for change in self.changes if change[0] != key))

    def made_from(self, address: Profile) -> tuple[str, dict[str, Any]]:
        """Return url and other keys of a new profile; auth keys are in a table."""
        keys = {key: value for key, value in self.changes if key != "url" and not key.startswith("auth.")}
        auth = {key.removeprefix("auth."): value for key, value in self.changes if key.startswith("auth.")}
        is_seen = not self.lacks_auth and not self.trusts
        is_typed = "auth.kind" in address.typed
        if not auth and self.preset is None and (is_typed or (is_seen and address.has_own_auth)):
            auth = {"kind": address.auth.kind}
        if self.preset is None and address.preset:
            keys = {"preset": address.preset, **keys}
        if "framing" in address.typed:
            keys.setdefault("framing", address.framing)
        url = self.values.get("url", address.url)
        if address.command:
            keys["command"] = [*address.command]
        elif address.path != usual_path(address.url) and kind_of(url) == address.connection_kind:
            keys.setdefault("path", address.path)
        if auth:
            keys["auth"] = auth
        return url, keys


def proposed(probe: Probe) -> Proposal | None:
    """Return what to change: unset keys get values from preset and address.

    None if nothing was found, or the test ended early. A proposal without changes means that the profile is right.
    """
    found, profile, chosen = probe.found, probe.profile, probe.chosen
    if found is None or probe.cut_short or (probe.is_ambiguous and found.form.path != PATHS[0]):
        return None
    own = SERVICE if profile.is_service else profile.preset
    preset = probe.presets.get(probe.preset) if probe.preset != own else None
    under = preset.values if preset else profile
    changes: list[tuple[str, Any]] = []
    if found.form.url != profile.url:
        changes.append(("url", found.form.url))
    if preset:
        changes.append(("preset", probe.preset))
    for key in FORM:
        now = getattr(found.form, key)
        before = getattr(profile if key in chosen else under, key)
        if key == "content_type" and probe.has_usual_type and not preset:
            before = usual_type(found.form.path) if found.speaks else now
        if now == before or now is None:
            continue
        if isinstance(now, HeaderHandshake):
            now = {"header": now.header}
        changes.append((key, now))
    changes += _auth_changes(probe, found, under)
    values = dict(changes)
    kind, secrets = values.get("auth.kind", under.auth.kind), under.secrets
    if kind != under.auth.kind:
        secrets = tuple(field for field in KINDS[kind].takes if f"auth.{field}" not in values)
    elif probe.wants_service_login:
        secrets = ("username", "password")
    stored = tuple(field for field in secrets if field != "session")
    return Proposal(tuple(changes), preset, stored, bool(probe.asked_kinds))


def _auth_changes(probe: Probe, found: TrialResult, under: Profile) -> Changes:
    """Return the auth type to set; ``under`` is the preset's, or the profile itself."""
    profile, chosen = probe.profile, probe.chosen
    has_own = any(key.startswith("auth") for key in chosen)
    current = profile.auth if has_own else under.auth
    if found.auth_changes:
        if dict(found.auth_changes)["auth.kind"] != current.kind:
            return found.auth_changes
    elif current.kind != Auth.kind and not profile.secrets:
        is_open = found.speaks and not found.asks_for_login and asked_at_once(current)
        is_answered = probe.private is not None and isinstance(probe.private.exchange.outcome, Result)
        if is_open or is_answered:
            return (("auth.kind", Auth.kind),)
    if has_own and "auth.kind" not in chosen and under is profile and found.form.path != profile.path:
        # Other addresses have no default auth type, so a file that sets a user name must set one.
        return (("auth.kind", profile.auth.kind if found.asks_for_login else Auth.kind),)
    return ()
