"""An examination: which calls to make, one after the other, to find out how a server is to be spoken to.

It yields questions and is told what came of each, so a test drives it by hand. None of them has credentials, each is of
a method that is named beforehand, and there are no more of them than was allowed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any, Final

from msgspec.structs import replace

from rpcexplorer.model.doctor.finding import FORM, Finding, TrialCall
from rpcexplorer.model.doctor.signs import SIGNS, names_in, recognized
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.hints.finding import hint_for
from rpcexplorer.model.hints.hint import Changes
from rpcexplorer.model.profile import PATH, Auth, HeaderHandshake, Preset, Profile

MOST: Final = 12
"""Requests of one test, those with credentials included."""

LIST: Final = "system.listMethods"
DESCRIBE: Final = "rpc.discover"
INITIALIZE: Final = ("initialize", "notifications/initialized", "tools/list")
"""What is called where a server speaks MCP."""
OF_PRESETS: Final = tuple(sign.answers for sign in SIGNS if sign.answers)
PRIVATE: Final = {sign.preset: sign.private for sign in SIGNS if sign.private}
METHODS: Final = (LIST, DESCRIBE, *OF_PRESETS, *PRIVATE.values(), *INITIALIZE)
"""Every method that may be called. Services have them to tell of themselves, or have none of that name."""

PATHS: Final = (
    "/", "/jsonrpc", "/rpc", PATH, "/api", "/mcp", "/mopidy/rpc", "/json_rpc", "/RPC", "/api/v1",
    "/api/v1/jsonrpc",
)  # fmt: skip
"""Where services are, the most usual first; others tell by their first reply which they are."""

Trials = Generator[TrialCall, Exchange, None]


class Examination:
    """What is known so far stands in its attributes, at any time."""

    def __init__(
        self,
        profile: Profile,
        presets: Mapping[str, Preset],
        kinds: Mapping[str, type[Auth]],
        changed: Callable[[Profile, Changes], Profile | None],
        most: int = MOST,
    ) -> None:
        """``kinds`` are those of auth; ``changed`` makes the profile that has changes, if there can be one."""
        self.profile = profile
        self.presets = presets
        self._kinds, self._changed, self._left = kinds, changed, most
        self.heard: list[Finding] = []
        """Every question so far, with what came of it."""
        self.found: Finding | None = None
        """The best reply in JSON-RPC, or the refusal of an address that has some behind a login."""
        self.private: Finding | None = None
        """The reply of a method that is only for those who are known to the server."""
        self.over = False

    def run(self) -> Trials:
        self.found = yield from self._address()
        yield from self._settle()
        yield from self._tell_apart()
        yield from self._settle()
        yield from self._ask_for_more()
        self.over = True

    @property
    def form(self) -> Profile:
        """Address and form as far as they are known."""
        return self.found.form if self.found else self.heard[-1].form if self.heard else self.profile

    @property
    def preset(self) -> str:
        """The preset that the server answers to: by one of its signs, and in its form, wherever that is."""
        form = self.found.form if self.found else None
        return next((name for name in self._signs() if form and self._as(name, form.path, form) == form), "")

    @property
    def cut_short(self) -> Finding | None:
        """The question at which it ended before its time, where one of those before had a reply."""
        last = self.heard[-1] if self.heard else None
        return last if last and last.cut_short and not all(heard.ended for heard in self.heard) else None

    @property
    def asked_kinds(self) -> tuple[str, ...]:
        """The kinds of auth of which the server wants one, where nothing that was seen says which; else none."""
        preset = self.presets.get(self.preset)
        if self.profile.secrets or (preset and preset.values.secrets):
            return ()
        wanting = [heard for heard in (self.found, self.private) if heard and heard.asks_for_login]
        unseen = bool(wanting) and not any(heard.auth_changes for heard in wanting)
        return tuple(kind for kind in self._kinds if kind != Auth.kind) if unseen else ()

    @property
    def tried(self) -> list[str]:
        """The paths that were asked, in their order."""
        return [*dict.fromkeys(heard.form.path for heard in self.heard)]

    @property
    def is_bare(self) -> bool:
        """Nobody has said at which path of the server its calls are."""
        return self.profile.ad_hoc and self.profile.path == PATH

    # --- where it is -------------------------------------------------------------------------------------------

    def _address(self) -> Generator[TrialCall, Exchange, Finding | None]:
        """The first address at which JSON-RPC is spoken, else the one that asks for a login."""
        waiting = deque(self._places())
        locked: Finding | None = None
        while waiting:
            form = waiting.popleft()
            heard = yield from self._ask(form)
            if heard is None:
                continue
            if heard.speaks or self._is_behind_login(heard):
                return heard
            closer = [each for each in self._closer(heard) if not self._was_asked(each)]
            waiting.extendleft(reversed(closer))
            if closer:
                continue
            if heard.ended and heard.form.url == self.profile.url:
                return locked
            if not heard.asks_for_login:
                if locked:  # only the other one asks for a login: there is something
                    return locked
            elif locked or self._fits(heard.form) or self._is_given(heard.form):
                return heard if locked is None or self._fits(heard.form) else locked
            else:
                locked = heard
        return locked

    def _places(self) -> Iterator[Profile]:
        """The profile's own path first, where somebody has chosen it."""
        paths = PATHS if self.is_bare else (self.profile.path, *PATHS)
        bare = replace(self.profile, auth=Auth(), has_login=False)
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

    def _closer(self, heard: Finding) -> Iterator[Profile]:
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

    def _ask(self, form: Profile, method: str = "") -> Generator[TrialCall, Exchange, Finding | None]:
        """One question; None where it was asked before, or nothing more may be asked."""
        method = method or _usual(form)
        cost = _cost(form)
        if self._was_asked(form, method) or cost > self._left or (self.heard and self.heard[-1].stopped):
            return None
        self._left -= cost
        exchange = yield TrialCall(form, method)
        heard = Finding(form, exchange, hint_for(exchange, form, self._kinds, tested=True))
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

    def _is_behind_login(self, heard: Finding) -> bool:
        """The profile's own address asks for a login, and the profile has one: nobody guesses before that was tried."""
        return bool(self.profile.secrets) and not heard.speaks and heard.asks_for_login and self._is_given(heard.form)

    def _is_given(self, form: Profile) -> bool:
        return form.path == self.profile.path and not self.is_bare

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


def _is_better(heard: Finding, before: Finding) -> bool:
    """Nearer to a result; or as near, and nothing is in the way any more, or something else is."""
    if heard.ended or heard.rank != before.rank:
        return not heard.ended and heard.rank > before.rank
    return not heard.form_changes or heard.said != before.said
