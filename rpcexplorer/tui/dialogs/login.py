"""Credentials: what a profile lacks is asked for, masked; a session id that somebody has can be pasted instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from rpcexplorer.auth.registry import auth_of
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.destination import RouteChanged
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import FIELD_WORDS, FIELDS, Secret
from rpcexplorer.tui.commands import first_key
from rpcexplorer.tui.dialogs.dialog import Ask, keys, plain
from rpcexplorer.tui.dialogs.form import Field, Form, Wrong
from rpcexplorer.tui.widgets.answer import Answer
from rpcexplorer.tui.widgets.cycle import Cycle
from rpcexplorer.tui.widgets.entry import Entry

KnownFields = Mapping[str, Secret | RouteChanged | None]
"""What is known of each field that a profile needs."""
LABELS: Final = {field: FIELD_WORDS.get(field, field) for field in FIELDS} | {"session": "session id"}
"""What a line is called, in the order in which the fields are asked for; any other field comes behind them."""
RUN, MACHINE = "for this run", "on this machine"
"""How long what was typed is kept."""


class AskSecret(Ask):
    """One value that a call lacks, and whether to store it."""

    DEFAULT_CSS = """
    AskSecret .keep { height: 1; margin-top: 1; }
    AskSecret .keep > .label { width: 10; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "take", show=False)]

    def __init__(self, question: str, *, masked: bool, store: str) -> None:
        """`store`: where the value can be stored; empty if it cannot."""
        super().__init__(question, masked=masked, words="" if store else "It is kept until you quit.")
        self._store = store
        self.keeps = False
        """Whether the value is to be stored."""

    def content(self) -> ComposeResult:
        """The line, and below it whether to store the value."""
        if self._words:
            yield Static(plain(self._words), classes="words")
        yield Entry(masked=self._masked, classes="alone")
        if self._store:
            with Horizontal(classes="keep"):
                yield Static("remember", classes="label")
                yield Cycle((RUN, MACHINE), RUN)
            yield Static(plain(f"“{MACHINE}” stores it in {self._store}."), classes="hint")
        told = ("Enter", "send", "Tab", "remember") if self._store else ("Enter", "send")
        yield Static(keys(*told, "Esc", "cancel"), classes="hint")

    def on_cycle_changed(self, event: Cycle.Changed) -> None:
        event.stop()
        self.keeps = event.value == MACHINE

    def action_take(self) -> None:
        """Enter on the choice takes the value too."""
        self.dismiss(self.query_one(Entry).value)


class Credentials(Form):
    """A line for each field. The answer is what was typed, by field, with ``keep``; or ``forget`` alone."""

    def __init__(self, profile: Profile, found: KnownFields, words: str, *, store: str, login: bool) -> None:
        """``login``: what is missing must be given. ``store`` is where things are kept beyond this run."""
        self._found, self._login = {field: found[field] for field in (*LABELS, *found) if field in found}, login
        self._who = profile.username if login else None
        """Who logs in where nobody else is named."""
        named = [Field("username", LABELS["username"], hint=f"{self._who}, or type another")] if self._who else []
        lines = named + [
            Field(field, LABELS.get(field, field), hint=_hint(profile, field, known), masked=field != "username")
            for field, known in self._found.items()
        ]
        keep = Field("keep", "remember", RUN if login else MACHINE, choices=(RUN, MACHINE))
        told = f"{words}\nIt is sent to {profile.origin} and nowhere else. Kept on this machine, it lies in {store}."
        title, done = (f"Log in to {profile.name}", "Log in") if login else (f"Secrets of {profile.name}", "Save")
        super().__init__(title, told, [*lines, keep], self._check, done=done)

    def answers(self) -> Iterator[Answer]:
        """Take what was typed, forget what is kept, or leave all as it is."""
        done, leave = super().answers()
        yield done
        if not self._login and forgettable(self._found):
            yield Answer("Forget what is kept", id="forget", grave=True)
        yield leave

    @property
    def first(self) -> Widget | None:
        """The first line of which nothing is known, else a password's: who types without looking types no session."""
        wanted = [field for field in self._found if field != "session"]
        lacking = [field for field in wanted if not isinstance(self._found[field], Secret)]
        if lacking or (wanted and not self._login):
            return self.of((lacking or wanted[-1:])[0])
        return super().first

    def answered(self, answer: str) -> None:
        """Forget, or what any form can do."""
        if answer == "forget":
            self.dismiss({"forget": "yes"})
        else:
            super().answered(answer)

    def action_next(self) -> None:
        """On to what is still missing; where nothing is, take it."""
        missing = [field for field in self._missing(self.values) if self.of(field) is not self.focused]
        if missing:
            self.set_focus(self.of(missing[0]))
        else:
            self.action_save()

    def _missing(self, typed: Mapping[str, str]) -> list[str]:
        if not self._login or typed.get("session"):
            return []
        another = self._who and typed.get("username") not in {"", self._who}
        lacking = [field for field, known in self._found.items() if another or not isinstance(known, Secret)]
        return [field for field in lacking if field != "session" and not typed[field]]

    def _check(self, typed: Mapping[str, str]) -> Wrong | None:
        if missing := self._missing(typed):
            return Wrong(f"The {LABELS[missing[0]]} is missing.", missing[0])
        if not self._login and not any(typed[field] for field in self._found):
            return Wrong("Nothing was typed. Esc leaves everything as it is.", next(iter(self._found)))
        return None


def forgettable(found: KnownFields) -> list[str]:
    """The fields that are kept somewhere; the environment is not ours to change."""
    return [
        each for each, known in found.items() if known is not None and getattr(known, "source", "") != "environment"
    ]


async def credentials(screen: Screen[Any], explorer: Explorer, *, ask: bool = False) -> bool:
    """Ask for what a login lacks. True where a login can be tried now; a pasted session needs none."""
    profile = explorer.profile
    assert profile is not None
    if _needs_none(screen, explorer, profile):
        return False
    found = explorer.credentials.state(profile)
    lacking = [field for field, known in found.items() if not isinstance(known, Secret) and field != "session"]
    if lacking or ask:
        words = _lacks(profile, found, lacking) if lacking else "What is left empty stays as it is."
        given = await _entered(
            screen, explorer, profile, Credentials(profile, found, words, store=_store(explorer), login=True)
        )
        if given is None:
            return False
        if "session" in given:
            screen.notify("The session is taken: the next call is sent with it.", markup=False)
            return False
    if profile.has_sessions:
        return True
    if lacking or ask:
        screen.notify(f"{profile.name} sends its credentials with each call; there is no session.", markup=False)
    else:  # to log in means to enter others
        await secrets(screen, explorer, profile)
    return False


async def secrets(screen: Screen[Any], explorer: Explorer, profile: Profile) -> bool:
    """Enter what a profile needs, or forget what is kept; whether anything may have changed."""
    if _needs_none(screen, explorer, profile):
        return False
    found = explorer.credentials.state(profile)
    words = "What is left empty stays as it is."
    form = Credentials(profile, found, words, store=_store(explorer), login=False)
    given = await _entered(screen, explorer, profile, form)
    if given is not None and "forget" in given:
        for field in forgettable(found):
            _tell(screen, explorer.credentials.forget(profile, field))
    return given is not None


def _needs_none(screen: Screen[Any], explorer: Explorer, profile: Profile) -> bool:
    if not profile.secrets:
        key = first_key("test", explorer.settings.keymap) or "The command palette"
        test = f"{key} tests whether the server asks for some."
        screen.notify(f"{profile.name} has auth none: its calls are sent without credentials. {test}", markup=False)
    return not profile.secrets


async def _entered(
    screen: Screen[Any], explorer: Explorer, profile: Profile, form: Credentials
) -> Mapping[str, str] | None:
    """Ask, and hold what was typed."""
    typed = await screen.app.push_screen_wait(form)
    if typed is None or "forget" in typed:
        return typed
    kind = auth_of(profile)
    given = {field: kind.pasted(field, text) for field, text in typed.items() if text and field != "keep"}
    if profile.username is not None and (name := given.pop("username", "")):
        profile = _as(screen, explorer, profile, name)
    for field, text in given.items():
        _tell(screen, explorer.credentials.hold(profile, field, text, keep=typed["keep"] == MACHINE))
    return given


def _as(screen: Screen[Any], explorer: Explorer, profile: Profile, name: str) -> Profile:
    """The profile in use with another user name, in this run; its file stays as it is."""
    filed = explorer.profiles.profiles.get(profile.name, profile)
    if not profile.secrets or name == filed.username:
        explorer.use(filed)
        return filed
    other = replace(profile, auth=replace(profile.auth, username=name))
    explorer.use(other)
    kept = f"Its file still names {filed.username}, so nothing of it is kept on this machine."
    screen.notify(f"{profile.name} is used as {name} in this run. {kept}", markup=False, timeout=10)
    return other


def _tell(screen: Screen[Any], trouble: str) -> None:
    if trouble:
        screen.notify(trouble, markup=False, severity="warning", timeout=10)


def _store(explorer: Explorer) -> str:
    in_keyring = explorer.settings.secret_store == "keyring"  # noqa: S105 - the name of a place, not a password
    return "your keyring" if in_keyring else f"{explorer.paths.secrets}, for you alone"


def _lacks(profile: Profile, found: KnownFields, lacking: list[str]) -> str:
    named = " and ".join(f"no {LABELS.get(field, field)}" for field in lacking)
    for known in found.values():
        if isinstance(known, RouteChanged):
            changes = "\n".join(map(str, known.changes))
            return f"The {LABELS.get(known.field, known.field)} is known and not sent: {known.why}.\n{changes}".rstrip()
    return f"{profile.name} has {named} yet."


def _hint(profile: Profile, field: str, known: Secret | RouteChanged | None) -> str:
    match known:
        case RouteChanged():
            return "blocked: it belongs to a different destination"
        case Secret(source="environment"):
            return f"from environment: {profile.variable(field)}"
        case Secret(source="prompt" | "session" | "given"):
            return "entered, until you quit"
        case Secret(source=source):
            return f"stored in {source}"
    return "or paste one that you have" if field == "session" else ""
