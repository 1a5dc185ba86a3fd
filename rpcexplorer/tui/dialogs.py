"""Dialogs that several screens open."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Final

from msgspec.structs import replace
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from rpcexplorer.auth.registry import auth_of
from rpcexplorer.discovery.methods import MethodChange, breaking_first
from rpcexplorer.explorer import Explorer
from rpcexplorer.jsontext.params import Typo
from rpcexplorer.manual import read_pages
from rpcexplorer.model.destination import PARTS, DestinationChanged, Entered
from rpcexplorer.model.draft import Batch, Draft, to_calls
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.problem import Changes, Problem, capitalised, counted
from rpcexplorer.model.profile import OVERLAY, Profile
from rpcexplorer.model.secret import FIELD_WORDS, FIELDS, Secret, reference_paths
from rpcexplorer.text.columns import MAX_NAME_COLUMNS
from rpcexplorer.text.docs import change_lines, changes_counted
from rpcexplorer.text.printable import clipped
from rpcexplorer.text.problems import rows_of
from rpcexplorer.text.profile import key_of
from rpcexplorer.text.wrapping import wrapped
from rpcexplorer.tui.commands import (
    COMMANDS,
    SCOPES,
    Commanded,
    Scope,
    commands_of,
    first_key,
    shown_keys,
)
from rpcexplorer.tui.theme import ThemeStyles, line
from rpcexplorer.tui.widgets.dialog import (
    Answer,
    Ask,
    Caution,
    Choice,
    Confirm,
    Dialog,
    Field,
    Form,
    Wrong,
    keys,
    plain,
)
from rpcexplorer.tui.widgets.picker import Pick, Picker
from rpcexplorer.tui.widgets.rows import RowList, Sheet, SheetLine

PARAMS_COLUMNS = 50
"""Columns of the params in a question."""
SET = "Change and resend"
MAX_PLACES = 5


def _profile_row(profile: Profile) -> tuple[str, str]:
    return "profile", f"{profile.shown_name}  {profile.badge_word}".rstrip()


async def may_send(screen: Screen[Any], explorer: Explorer, draft: Draft | Batch) -> bool:
    """Return whether the call may be sent, asking if needed."""
    profile = explorer.profile
    if profile is None or not explorer.to_ask_about([draft]) or is_quiet(explorer, draft):
        return True
    choices = [Choice("send", "Send once")]
    if isinstance(draft, Batch):
        method, calls = "A method of this batch", to_calls(draft, "")
        names = [] if isinstance(calls, Typo) else [call.method for call in calls]
        what = "calls", clipped(f"{len(names):,}: {', '.join(names)}", PARAMS_COLUMNS)
    else:
        method, what = draft.method, ("method", draft.method)
        choices.append(Choice("quiet", f"Send, and don't ask for {clipped(method, 24)} today"))
    params = clipped(" ".join(draft.text.split()) or "[]", PARAMS_COLUMNS)
    rows = [what, ("host", profile.origin), _profile_row(profile), ("params", params)]
    title = f"Send to {short_name(profile)}?"
    if profile.confirm != "always":
        title += f"  {method} is unsafe."
    answer = await screen.app.push_screen_wait(Confirm(title, rows, choices, caution=caution_of(profile)))
    if answer == "quiet":
        explorer.remembered.quiet(profile.name, _bound(profile, method))
    return answer in {"send", "quiet"}


async def may_discover(screen: Screen[Any], profile: Profile, key: str) -> bool:
    """Return whether to discover the methods of a profile that was added just now."""
    words = f"rpcexplorer asks {profile.origin} for its methods."
    if key:
        words += f" To do it later, press {key}."
    title, choices = f"Discover the methods of {profile.shown_name}?", [Choice("discover", "Discover")]
    question = Confirm(title, words, choices, cancel="Not now")
    answer: str | None = await screen.app.push_screen_wait(question)
    return answer == "discover"


def short_name(profile: Profile) -> str:
    """Return the name of a profile in the title of a question."""
    return profile.badge_word if profile.badge == "prod" else profile.shown_name


def caution_of(*profiles: Profile) -> Caution | None:
    """Return the caution of a question about profiles."""
    if any(profile.badge == "prod" for profile in profiles):
        return Caution.PRODUCTION
    return None


async def may_open(screen: Screen[Any], explorer: Explorer, exchange: Exchange) -> bool:
    """Return whether to insert secrets into a recorded call.

    Someone else may have written its secret references.
    """
    profile = explorer.profile
    if profile is None:
        return False
    places = reference_paths(exchange.params, profile.name)
    fields = " and ".join(dict.fromkeys(LABELS.get(field, field) for _, field in places))
    rows = [("method", exchange.method), ("host", profile.origin), _profile_row(profile)]
    for place, field in places[:MAX_PLACES]:
        rows.append((LABELS.get(field, field), f"at {clipped(place, PARAMS_COLUMNS)}"))
    choices = [Choice("insert", f"Insert {fields}")]
    origin = "The call was imported." if exchange.foreign else "Other users can write to the history folder."
    title = f"Insert your {fields} into this call?  {origin}"
    question = Confirm(title, rows, choices, caution=Caution.OTHERS, cancel="Skip")
    answer: str | None = await screen.app.push_screen_wait(question)
    return answer == "insert"


def may_allow(profile: str, moved: DestinationChanged) -> Confirm:
    """Return the question whether to allow what a file of others has decided or changed."""
    name, verb, caution = clipped(profile, MAX_NAME_COLUMNS), "send", Caution.OTHERS
    if moved.process:
        question, verb = f"Start this process for {name}?", "start"
    elif moved.runs:
        question, verb = f"Run this command for {name}, and send what it prints there?", "run"
    elif moved.field in PARTS:
        question = f"Send calls and secrets of {name} there?"
    else:
        question = f"Send the {moved.field} of {name} to a changed destination?"
        caution = Caution.EXPOSURE  # The user's own file may have changed.
    rows = []
    for change in moved.changes:
        old = f"{change.old}\n→ " if change.old else ""
        rows.append((change.key, f"{old}{change.new}  {change.place}".rstrip()))
    title, choices = f"{question}  {capitalised(moved.why)}.", [Choice("yes", f"Allow and {verb}")]
    return Confirm(title, rows, choices, caution=caution, cancel=f"Don't {verb}")


def is_quiet(explorer: Explorer, draft: Draft | Batch) -> bool:
    """Return whether the user wanted no more questions for this today."""
    profile = explorer.profile
    assert profile is not None
    if isinstance(draft, Batch) or profile.confirm != "unsafe":
        return False
    return explorer.remembered.is_quiet(profile.name, _bound(profile, draft.method))


def _bound(profile: Profile, method: str) -> str:
    """Return the key of an agreement, which holds for one server only."""
    return f"{method} at {profile.origin}"


async def mark_safe(screen: Screen[Any], explorer: Explorer, method: str) -> bool:
    """Mark a method safe, or unsafe if it is safe.

    Return whether a file was changed. Only safe needs a question.
    """
    profile, found = explorer.profile, explorer.profiles
    if profile is None or profile.ad_hoc:
        key = first_key("profiles", explorer.settings.keymap)
        add = f"press {key}" if key else "use “profiles” in the command palette"
        screen.notify(f"Not marked: this URL has no profile. To add one, {add}.")
        return False
    known = explorer.methods(called=False).get(method)
    is_safe = known is not None and known.safe is True
    own = explorer.paths.user_sessions
    file = found.safe_home(profile.name, method, own)
    if not is_safe:
        effect = "sent without confirmation" if profile.confirm == "unsafe" else "shown without the sign !"
        rows = [_profile_row(profile), ("host", profile.origin), ("effect", effect), ("file", str(file))]
        choices = [Choice("safe", "Mark as safe")]
        team = _project_file(explorer, profile, file) if file != own else None
        if team is not None:
            rows.append(("or", f"{team}  (project file)"))
            choices.append(Choice("team", "Mark in project file"))
        title = f"Mark {clipped(method, MAX_NAME_COLUMNS)} as safe?  A safe method changes nothing on the server."
        answer = await screen.app.push_screen_wait(Confirm(title, rows, choices, caution=caution_of(profile)))
        if answer not in {"safe", "team"}:
            return False
        if team is not None and answer == "team":
            file = team
    problem = explorer.mark_safe(profile, method, safe=not is_safe, file=file)
    if problem:
        screen.notify(str(problem), severity="warning", timeout=10)
        return False
    word = "unsafe" if is_safe else "safe"
    now = explorer.profiles.profiles.get(profile.name, profile).methods.get(method)
    overrides = ""
    if now is None or now.safe is is_safe:
        overrides = " Another file overrides this."
    screen.notify(f"Marked {method} as {word} in {file}.{overrides}", timeout=8)
    await warn_about(screen, explorer, file)
    return True


def _project_file(explorer: Explorer, profile: Profile, other: Path) -> Path | None:
    """Return the highest file with values of a profile that is neither the user file nor the other one."""
    own = explorer.paths.user_sessions
    files = [file for file in explorer.profiles.files_of(profile.name) if file not in {own, other}]
    return files[-1] if files else None


async def may_change(screen: Screen[Any], profile: Profile, changes: Changes, *, careful: bool) -> bool:
    """Ask whether to change a profile that is in no file."""
    rows = [*rows_of(profile, changes), ("lasts", "until you quit")]
    return await _changed(screen, profile, rows, [Choice("set", SET)], careful=careful) == "set"


async def file_to_change(
    screen: Screen[Any], explorer: Explorer, profile: Profile, changes: Changes, *, careful: bool
) -> Path | None:
    """Ask which file to change; None to change nothing."""
    mine = explorer.profiles.change_home(profile.name, explorer.paths.user_sessions)
    team = _project_file(explorer, profile, mine)
    rows, choices = [*rows_of(profile, changes), ("file", str(mine))], [Choice("set", SET)]
    if team is not None:
        rows.append(("or", f"{team}  (project file)"))
        which = "local" if mine.name == OVERLAY else "user"
        choices = [Choice("set", f"Change in {which} file"), Choice("team", "Change in project file")]
    answer = await _changed(screen, profile, rows, choices, careful=careful)
    if answer == "team":
        return team
    return mine if answer == "set" else None


async def _changed(
    screen: Screen[Any], profile: Profile, rows: list[tuple[str, str]], choices: list[Choice], *, careful: bool
) -> str | None:
    """Ask about a change of a profile; return the id of the choice.

    ``careful``: calls would go to another host, or unencrypted.
    """
    rows = [_profile_row(profile), *rows]
    what = "settings for" if profile.ad_hoc else "profile"
    title = f"Change the {what} {profile.shown_name}?"
    caution = Caution.EXPOSURE if careful else caution_of(profile)
    answer: str | None = await screen.app.push_screen_wait(Confirm(title, rows, choices, caution=caution))
    return answer


async def warn_about(screen: Screen[Any], explorer: Explorer, file: Path) -> None:
    """Show a warning if git would commit a private file."""
    warning = await asyncio.to_thread(explorer.commit_warning, file)
    if warning:
        screen.notify(warning, severity="warning", timeout=10)


async def apply_changes(
    screen: Screen[Any], explorer: Explorer, profile: Profile, changes: Changes, file: Path, *, seen: Collection[str]
) -> list[str] | None:
    """Change a profile in a file and show problems.

    Return the keys that another file overrides, or None if nothing was changed.
    """
    problem = explorer.apply(profile, changes, file, seen)
    if problem:
        screen.notify(str(problem), severity="warning", timeout=15)
        return None
    overruled = explorer.profiles.overruled(profile.name, changes, file)
    for sentence in overruled:
        screen.notify(sentence, severity="warning", timeout=15)
    await warn_about(screen, explorer, file)
    return overruled


class LogInElsewhere(Form):
    """Where to log in with a browser. It closes when the redirect comes, or with the one that is pasted."""

    def __init__(self, profile: str, url: str, code: str) -> None:
        """``code`` is typed in the browser; then nothing can be pasted here."""
        self._url, self._code = url, code
        words = f"Open this URL in a browser:\n{url}"
        fields = []
        if code:
            words += f"\nType this code there: {code}"
        else:
            fields.append(Field("redirect", "redirect", hint="or paste the URL that the browser ends at"))
        super().__init__(f"Log in to {profile}", words, fields, self._check, done="Continue")

    def answers(self) -> Iterator[Answer]:
        yield Answer("Copy URL", id="copy")
        if not self._code:
            yield Answer("Continue", id="save")
        yield Answer("Cancel", id="leave")

    @property
    def first(self) -> Widget | None:
        return self.query_one("#copy", Answer)

    @property
    def has_typed_text(self) -> bool:
        return True  # A click outside must not end the login.

    def answered(self, answer: str) -> None:
        if answer != "copy":
            super().answered(answer)
            return
        from rpcexplorer.tui.processes import copy

        self.run_worker(copy(self, self._url, "the URL"))

    @staticmethod
    def _check(typed: Mapping[str, str]) -> Wrong | None:
        if typed["redirect"].strip():
            return None
        return Wrong("Paste the URL, or press Esc to cancel.", "redirect")


KnownFields = Mapping[str, Secret | DestinationChanged | None]
"""The state of each field that a profile needs."""
LABELS: Final = {field: FIELD_WORDS.get(field, field) for field in FIELDS} | {"session": "session id"}
"""Labels of fields, in the order of their questions."""
REJECTED: Final = "The server rejected the credentials."
UNCHANGED: Final = "Empty fields stay unchanged."
RUN, MACHINE = "until you quit", "on this machine"
"""How long a typed value is remembered; the first is the default of every login."""


def _keep_field(store: str, value: str = RUN) -> Field:
    """Return the choice how long typed secrets are kept."""

    def meaning(chosen: str) -> str:
        return f"Stored in {store}." if chosen == MACHINE else "Not stored: forgotten when you quit."

    return Field("keep", "remember", value, choices=(RUN, MACHINE), meaning=meaning)


class AskSecret(Form):
    """A question for one value that a call needs, and how long to keep it."""

    def __init__(self, question: str, field: str, *, store: str) -> None:
        """``store``: place where the value can be stored; empty if it cannot."""
        fields = [Field("value", LABELS.get(field, field), masked=field != "username", required=True)]
        if store:
            fields.append(_keep_field(store))
        words = "" if store else "The value is kept until you quit."
        super().__init__(capitalised(question), words, fields, self._check, done="Send")

    @staticmethod
    def _check(typed: Mapping[str, str]) -> Wrong | None:
        return None if typed["value"] else Wrong("Type a value, or press Esc to cancel.", "value")

    @staticmethod
    def entered(typed: Mapping[str, str] | None) -> Entered | None:
        """Return the value of an answer, and whether to store it."""
        if not typed:
            return None
        return typed["value"], typed.get("keep") == MACHINE


class Credentials(Form):
    """A form with a line for each secret of a profile.

    Its answer has the typed values by field and ``keep``, or only ``forget``.
    """

    def __init__(
        self,
        explorer: Explorer,
        profile: Profile,
        words: str,
        *,
        login: bool = False,
        resends: bool = False,
        stores: bool = False,
    ) -> None:
        """``login``: missing fields are required.

        ``resends``: the call is sent again after the answer. ``stores``: the user wants to store secrets, not to log
        in.
        """
        found = explorer.credentials.state(profile)
        self._found = {field: found[field] for field in (*LABELS, *found) if field in found}
        self._login, self._rejected = login, explorer.credentials.is_rejected(profile)
        self._who = profile.username if login else None
        """The user name of the profile, used if none is typed."""
        self.manual_pane = "login" if login else "secrets"
        lines = []
        if self._who:
            lines.append(Field("username", LABELS["username"], hint=f"{self._who}, or another user name"))
        for field, known in self._found.items():
            hint = _explain_source(profile, field, known)
            lines.append(Field(field, LABELS.get(field, field), hint=hint, masked=field != "username"))
        # The environment overrides a stored value, but not one that was entered.
        secrets = [known for field, known in found.items() if field != "username"]
        is_overridden = any(getattr(known, "source", "") == "environment" for known in secrets)
        store = f"{explorer.paths.secrets.name}, readable only by you"
        if explorer.settings.secret_store == "keyring":  # noqa: S105 - the name of a place, not a password
            store = "your keyring"
        keep = _keep_field(store, MACHINE if stores and not is_overridden else RUN)
        words = f"{words}\nSent only to {auth_of(profile).receiver(profile)}."
        if login:
            what, done = "Log in to", "Log in"
        elif stores:
            what, done = "Save secrets for", "Save"
        else:
            what, done = "Enter secrets for", "Resend" if resends else "Use"
        title = f"{what} {profile.shown_name}?"
        super().__init__(title, words, [*lines, keep], self._check, done=done)

    def answers(self) -> Iterator[Answer]:
        done, leave = super().answers()
        yield done
        if not self._login and stored_fields(self._found):
            yield Answer("Forget stored values", id="forget", grave=True)
        yield leave

    @property
    def first(self) -> Widget | None:
        """The field to focus: the first missing one, else the password.

        Typing blindly must not fill in a session.
        """
        wanted = [field for field in self._found if field != "session"]
        lacking = [field for field in wanted if not isinstance(self._found[field], Secret)]
        if lacking:
            return self.input_of(lacking[0])
        if wanted and (self._rejected or not self._login):
            return self.input_of(wanted[-1])
        return super().first

    @property
    def enter_saves(self) -> bool:
        return True

    def answered(self, answer: str) -> None:
        if answer == "forget":
            self.dismiss({"forget": "yes"})
        else:
            super().answered(answer)

    def go_on(self) -> None:
        """Go to the next missing field; if there is none, save."""
        for field in self._missing(self.values):
            if self.input_of(field) is not self.focused:
                self.set_focus(self.input_of(field))
                return
        self.action_save()

    def _missing(self, typed: Mapping[str, str]) -> list[str]:
        if not self._login or typed.get("session"):
            return []
        another = self._who and typed.get("username") not in {"", self._who}
        lacking = [field for field, known in self._found.items() if another or not isinstance(known, Secret)]
        return [field for field in lacking if field != "session" and not typed[field]]

    def _check(self, typed: Mapping[str, str]) -> Wrong | None:
        missing = self._missing(typed)
        if missing:
            return Wrong(f"The {LABELS.get(missing[0], missing[0])} is missing.", missing[0])
        if not self._login and not any(typed[field] for field in self._found):
            return Wrong("Type a value, or press Esc to cancel.", next(iter(self._found)))
        return None


def stored_fields(found: KnownFields) -> list[str]:
    """Return the fields with a value that can be deleted."""
    kept = [field for field, secret in found.items() if secret is not None]
    elsewhere = {"environment", "inherited", "command", "file"}
    return [field for field in kept if getattr(found[field], "source", "") not in elsewhere]


async def credentials(screen: Screen[Any], explorer: Explorer, *, ask: bool = False) -> bool:
    """Ask for missing or rejected credentials; return whether to log in now.

    A pasted session needs no login.
    """
    profile = explorer.profile
    assert profile is not None
    if _needs_none(screen, explorer, profile):
        return False
    found = explorer.credentials.state(profile)
    is_rejected = explorer.credentials.is_rejected(profile) and "session" in found and found["session"] is None
    asks = ask or bool(_lacking(found)) or is_rejected
    if asks:
        given = await enter_credentials(screen, explorer, profile)
        if given is None:
            return False
        if "session" in given:
            screen.notify("The next call uses this session.")
            return False
    if profile.has_sessions:
        return True
    if asks:
        screen.notify(f"{profile.shown_name} needs no login: {_use_of_secrets(profile)}.")
    else:  # A profile without logins gets new secrets instead.
        words = f"{profile.shown_name} has no login: {_use_of_secrets(profile)}."
        await secrets(screen, explorer, profile, words)
    return False


async def enter_credentials(screen: Screen[Any], explorer: Explorer, profile: Profile) -> Mapping[str, str] | None:
    """Ask for the credentials of a login, and keep the typed ones."""
    found = explorer.credentials.state(profile)
    lacking = _lacking(found)
    words = _explain_missing(profile, found, lacking) if lacking else UNCHANGED
    if explorer.credentials.is_rejected(profile):
        words = f"{REJECTED} {words}"
    return await _ask_for(screen, explorer, profile, Credentials(explorer, profile, words, login=True))


def _use_of_secrets(profile: Profile) -> str:
    """Return what happens to the secrets of a profile without a login."""
    return "each call sends its credentials" if profile.call_secrets else "its process gets its secrets when it starts"


def _lacking(found: KnownFields) -> list[str]:
    return [field for field, known in found.items() if not isinstance(known, Secret) and field != "session"]


async def secrets(
    screen: Screen[Any],
    explorer: Explorer,
    profile: Profile,
    words: str = "",
    *,
    resends: bool = False,
    stores: bool = False,
) -> bool:
    """Ask for the secrets of a profile, or forget them.

    Return whether they may have changed. ``resends`` and ``stores`` are those of the form.
    """
    if _needs_none(screen, explorer, profile):
        return False
    found = explorer.credentials.state(profile)
    if explorer.credentials.is_rejected(profile):
        words = REJECTED
    words = f"{words} {UNCHANGED}".lstrip()
    form = Credentials(explorer, profile, words, resends=resends, stores=stores)
    given = await _ask_for(screen, explorer, profile, form)
    if given is not None and "forget" in given:
        for field in stored_fields(found):
            _warn(screen, explorer.credentials.forget(profile, field))
    return given is not None


def _needs_none(screen: Screen[Any], explorer: Explorer, profile: Profile) -> bool:
    if not profile.secrets:
        key = first_key("test", explorer.settings.keymap)
        test = f"press {key}" if key else "use “test connection” in the command palette"
        none = f"{profile.shown_name} has auth type none: its calls are sent without credentials."
        screen.notify(f"{none} To test whether the server needs them, {test}.")
    return not profile.secrets


async def _ask_for(
    screen: Screen[Any], explorer: Explorer, profile: Profile, form: Credentials
) -> Mapping[str, str] | None:
    """Show the form and store the typed values."""
    typed = await screen.app.push_screen_wait(form)
    if typed is None or "forget" in typed:
        return typed
    kind = auth_of(profile)
    given = {field: kind.pasted(field, text) for field, text in typed.items() if text and field != "keep"}
    if profile.username is not None:
        name = given.pop("username", "")
        if name:
            profile = _use_as(screen, explorer, profile, name)
    for field, text in given.items():
        _warn(screen, explorer.credentials.hold(profile, field, text, keep=typed["keep"] == MACHINE))
    return given


def _use_as(screen: Screen[Any], explorer: Explorer, profile: Profile, name: str) -> Profile:
    """Use a profile with another user name until the program ends."""
    filed = explorer.profiles.profiles.get(profile.name, profile)
    if not profile.secrets or name == filed.username:
        explorer.use(filed)
        return filed
    other = replace(profile, auth=replace(profile.auth, username=name))
    explorer.use(other)
    stored = f"Its secrets are not stored on this machine, because its file names {filed.username}."
    screen.notify(f"{profile.shown_name} uses the user name {name} until you quit. {stored}", timeout=10)
    return other


def _warn(screen: Screen[Any], problem: str) -> None:
    if problem:
        screen.notify(problem, severity="warning", timeout=10)


def _explain_missing(profile: Profile, found: KnownFields, lacking: list[str]) -> str:
    for known in found.values():
        if isinstance(known, DestinationChanged):
            changes = "\n".join(map(str, known.changes))
            return f"The {LABELS.get(known.field, known.field)} is blocked: {known.why}.\n{changes}".rstrip()
    missing = " and ".join(LABELS.get(field, field) for field in lacking)
    return f"Missing for {profile.shown_name}: {missing}."


def _explain_source(profile: Profile, field: str, known: Secret | DestinationChanged | None) -> str:
    match known:
        case DestinationChanged():
            return "blocked: bound to a different destination"
        case Secret(source="environment"):
            return f"from environment: {profile.variable(field)}"
        case Secret(source="inherited"):
            return f"from environment: {field}"
        case Secret(source="session"):
            return "logged in, until you quit"
        case Secret(source="command" | "file" as source):
            return f"from {key_of(field, source)}"
        case Secret(source="prompt" | "given"):
            return "entered, until you quit"
        case Secret(source=source):
            return f"stored in {source}"
    return "or paste an existing session id" if field == "session" else ""


def profile_picks(explorer: Explorer) -> list[Pick]:
    """Return the profiles to choose from, usable ones first."""
    found = explorer.profiles
    usable = [profile for name, profile in sorted(found.profiles.items()) if name in found.leaves]
    picks = [Pick(profile.name, profile.name, profile.endpoint, profile.badge_word) for profile in usable]
    broken = sorted(name for name in found.leaves if name not in found.profiles)
    return picks + [Pick(name, name, "cannot be used") for name in broken]


async def other_profile(screen: Screen[Any], explorer: Explorer, than: str) -> str:
    """Ask for another profile; return "" if there is none to use."""
    used = explorer.profile.name if explorer.profile else ""
    picks = [pick for pick in profile_picks(explorer) if pick.id != than]
    if not picks:
        screen.notify("There is no other profile for this call. Add one first.")
        return ""
    chosen = await screen.app.push_screen_wait(Picker("Load this call with which profile?", picks, on=used))
    profile = explorer.profiles.get(chosen) if chosen else None
    if isinstance(profile, Problem):
        screen.notify(f"The call was not loaded: {chosen} cannot be used. {profile}", severity="warning")
    return profile.name if isinstance(profile, Profile) else ""


async def compare_methods(screen: Screen[Any], explorer: Explorer, profile: Profile) -> str | None:
    """Show how the methods differ from those of another profile; return a chosen method."""
    picks = [pick for pick in profile_picks(explorer) if pick.id != profile.name]
    if not picks:
        screen.notify("There is no other profile to compare the methods with. Add one first.")
        return None
    chosen = await screen.app.push_screen_wait(Picker("Compare the methods with those of which profile?", picks))
    other = explorer.profiles.get(chosen) if chosen else None
    if not isinstance(other, Profile):
        if other:
            screen.notify(f"{chosen} cannot be used. {other}", severity="warning")
        return None
    explorer.read_description(other)
    problem = explorer.method_lists.problem
    changes = await asyncio.to_thread(explorer.method_lists.compared, other, profile)
    if changes is None:
        missing = profile if explorer.method_lists.learned(other) else other
        problem = problem or f"The methods of {missing.shown_name} have not been discovered yet. Discover them first."
        screen.notify(problem, timeout=10)
        return None
    if not changes.methods:
        screen.notify(f"{other.name} and {profile.shown_name} have the same methods.")
        return None
    words = "A + is only here, a - is only there. The changes that break calls come first."
    if changes.more:
        words += f" {counted(changes.more, 'more change')} {'is' if changes.more == 1 else 'are'} not shown."
    title = f"{other.name} → {profile.shown_name}"
    return await screen.app.push_screen_wait(ChangesDialog(title, words, breaking_first(changes.methods)))


@cache
def page_titles() -> dict[str, str]:
    """Return the titles of the manual's pages by name."""
    return {page.name: page.title for page in read_pages()}


def palette_picks(
    nodes: Mapping[Scope, Commanded], keymap: Mapping[str, str], themes: Iterable[str] = ()
) -> list[Pick]:
    """Return the entries of the palette: commands, then themes and manual pages.

    ``nodes`` are the owners of the scopes, the focused pane first. A command that is not possible now is listed, but it
    cannot be chosen.
    """
    picks = []
    for command in [command for scope in nodes for command in commands_of(scope)]:
        if command.id == "palette" or command.scope == "lists":
            continue
        why_not = nodes[command.scope].why_not(command)
        key = "not now" if why_not else first_key(command.id, keymap)
        picks.append(Pick(command.id, command.words, command.help, key, command.synonyms, why_not))
    picks += [Pick(THEME + name, f"theme: {name}", is_page=True) for name in themes]
    for name, title in page_titles().items():
        synonyms = f"{name} {PAGE_WORDS.get(name, '')}"
        picks.append(Pick(PAGE + name, f"manual: {title}", synonyms=synonyms, is_page=True))
    return picks


PAGE: Final = "manual/"
"""Prefix of the ids of manual pages."""
THEME: Final = "theme/"
"""Prefix of the ids of themes."""
PAGE_WORDS: Final = {
    "connecting": "proxy proxies tls certificate timeout",
    "secrets": "password token keyring credentials",
    "share": "export case report",
}
"""More search words for pages."""
LOAD_SECONDS: Final = 0.1
"""The manual's code takes 40 ms to load: load it while the keys are read."""
FILES: Final = "files"
"""The answer of `Help` to show the files."""
KEYS_COLUMNS: Final = 13
SIGNS: Final = {
    "▌": "The method in the editor.",
    "▸ ▾": "A group, folded or open. Enter, ← and → switch.",
    "★": "Pinned.",
    "·": "Called before.",
    "!": "Known to be unsafe. Methods without it are not always safe.",
    "cookie inline": "The method needs this auth type, unlike the profile.",
    "@": "A saved call.",
    "○ ✓ ✗ ⨯": "A check: not run yet, passed, failed, no valid response.",  # noqa: RUF001 - the sign is meant
}


class PageDialog(Dialog[str]):
    has_action = False
    DEFAULT_CSS = """
    PageDialog > .block { width: 96; height: 90%; padding: 1 0 0 0; overflow-y: hidden; }
    PageDialog.-low > .block { height: 100%; padding: 0; }
    PageDialog .title { padding: 0 3; }
    PageDialog Sheet { height: 1fr; }
    PageDialog.-short > .block { height: auto; }
    PageDialog .hint { padding: 0 3; height: 1; }
    PageDialog.-low .hint { margin-top: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("q,enter", "leave", show=False)]

    def __init__(self, title: str, lines: Sequence[SheetLine]) -> None:
        super().__init__(title)
        self._lines = lines

    def content(self) -> ComposeResult:
        sheet = Sheet()
        sheet.lines = self._lines
        yield sheet
        yield Static(self.hint(), classes="hint")

    def hint(self) -> Content:
        return keys("Esc", "close")

    def on_mount(self) -> None:
        self.set_focus(self.query_one(Sheet))

    def on_resize(self) -> None:
        self.remove_class("-short")
        self.query_one(Sheet).styles.height = None
        self.call_after_refresh(self._shrink)

    def _shrink(self) -> None:
        """Use no more lines than the text has."""
        sheet = self.query_one(Sheet)
        if sheet.row_count < sheet.size.height:
            self.add_class("-short")
            sheet.styles.height = sheet.row_count


def _load_manual() -> None:
    from rpcexplorer.text.markdown import markdown_page
    from rpcexplorer.tui import manual  # noqa: F401 - to have it loaded

    markdown_page("```sh\n```", 80, 80)


class Help(PageDialog):
    """The keys of some scopes; it answers a manual page, `FILES` or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "go('')", show=False),
        Binding("p", f"go('{FILES}')", show=False),
    ]

    def __init__(
        self, scopes: Sequence[Scope], keymap: Mapping[str, str], page: str = "keys", *, absent: Collection[str] = ()
    ) -> None:
        """Show the ``scopes`` in this order, with the keys of ``keymap``.

        ``page``: page and section of the manual about the first of them. ``absent``: commands that this screen lacks.
        """
        self._scopes, self._keymap, self._page, self._absent = scopes, keymap, page, absent
        super().__init__("Keys", list(self._found()))

    def hint(self) -> Content:
        page = self._page.partition("#")[0]
        title = page_titles().get(page, page)
        return keys("m", f"manual: {title}", "p", "files", "Esc", "close")

    def on_mount(self) -> None:
        self.set_timer(LOAD_SECONDS, _load_manual)

    def action_go(self, to: str) -> None:
        self.dismiss(to or self._page)

    def _found(self) -> Iterator[SheetLine]:
        for scope in self._scopes:
            yield [(f"   {SCOPES[scope]}", "text bold")]
            for command in commands_of(scope):
                keys = shown_keys(command, self._keymap)
                if keys and command.id not in self._absent:
                    yield [(f"   {keys:<{KEYS_COLUMNS}}  ", "text bold"), (command.help, "middle")]
            yield []
            if scope == "methods":
                yield [("   Signs in the method list", "text bold")]
                for sign, meaning in SIGNS.items():
                    yield [(f"   {sign:<{KEYS_COLUMNS}}  ", "text bold"), (meaning, "middle")]
                yield []
        palette = first_key("palette", self._keymap)
        if palette:
            yield [(f"   Press {palette} to find all other commands by name.", "middle")]
            yield []
        yield [("   Change a key", "text bold")]
        yield [("   Add it to settings.toml, for example:", "middle")]
        yield [("   [keymap]", "text")]
        yield [('   send = "f5,ctrl+j"', "text")]
        yield [("   Names of commands: ", "dim"), (", ".join(command.id for command in COMMANDS), "dim")]


class Files(PageDialog):
    """The paths of the files and folders."""

    manual_pane = "files"

    def __init__(self, explorer: Explorer) -> None:
        found = explorer.locations()
        width = max(len(location.name) for location in found)
        lines: list[SheetLine] = []
        for location in found:
            words = [(f"   {location.name:<{width}}  ", "dim")]
            if location.exists:
                words.append((str(location.path), "text"))
            else:
                words += [(str(location.path), "middle"), ("  (does not exist)", "dim")]
            lines.append(words)
        command = [("   To list them in a shell, run:  rpcexplorer paths", "dim")]
        super().__init__("Files and folders", [*lines, [], command])


MAX_DRAFTS = 3
"""Drafts that the question names."""
NAME_COLUMNS = 40
"""Columns for the name of a draft."""


async def may_end(app: App[Any], explorer: Explorer) -> bool:
    """Return whether to quit: drafts are saved, or the user accepts the loss."""
    choices = [
        Choice("again", "Try again"),
        Choice("elsewhere", "Save elsewhere"),
        Choice("end", "Quit without saving"),
    ]
    while problem := explorer.drafts.save_unsaved():
        unsaved = [f"{method or 'no method'} on {profile}" for profile, method in explorer.drafts.unsaved]
        names = ", ".join(clipped(name, NAME_COLUMNS) for name in unsaved[:MAX_DRAFTS])
        if len(unsaved) > MAX_DRAFTS:
            names += f" and {len(unsaved) - MAX_DRAFTS} more"
        rows = [("not saved", names), ("why", problem), ("if you quit", "these drafts are lost")]
        answer = await app.push_screen_wait(Confirm("Quit without saving your drafts?", rows, choices))
        if answer == "end" or (answer == "elsewhere" and await _save_elsewhere(app, explorer)):
            return True
        if answer is None:
            return False
    return True


async def _save_elsewhere(app: App[Any], explorer: Explorer) -> bool:
    """Ask for a file and save the drafts there; return whether it worked."""
    words = "Name a new file. Only you can read it. Known secrets are redacted."
    question = Ask("Save your drafts in which file?", value="~/params.txt", words=words, done="save")
    path = await app.push_screen_wait(question)
    if not path:
        return False
    home = os.path.expanduser(path)  # noqa: ASYNC240, PTH111 - no disk is asked, and Path's own raises without a home
    problem = explorer.drafts.save_elsewhere(Path(home))
    if problem:
        app.notify(problem, severity="error")
        return False
    return True


APART: Final = 11
"""Lines around the list: frame, title, time and keys."""
APART_LOW: Final = 7
"""The same in a low terminal, without empty lines."""
LOW: Final = 26
LEAST: Final = 3


class ChangesList(RowList[tuple[SheetLine, MethodChange]]):
    DEFAULT_CSS = """
    ChangesList { scrollbar-gutter: stable; }
    """

    def __init__(self, changes: Sequence[MethodChange]) -> None:
        super().__init__()
        self._changes, self._width = changes, 0

    def draw(self, item: tuple[SheetLine, MethodChange], width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        return line(item[0], width, styles, ground="selection" if chosen else self.ground)

    def on_mount(self) -> None:
        """Lay out for the screen, as keys may come before the first resize."""
        self._lay_out(self.screen.size.width)

    def on_resize(self) -> None:
        if width := self.scrollable_content_region.width:
            self._lay_out(width)

    def _lay_out(self, width: int) -> None:
        """Make the rows for a width, with the cursor on the same method."""
        if width != self._width:
            self._width, on = width, self.chosen
            items: list[tuple[SheetLine, MethodChange]] = []
            cursor = 0
            for change in self._changes:
                if on is not None and change is on[1]:
                    cursor = len(items)
                for words in change_lines(change):
                    items += [(row, change) for row in wrapped(words, width)]
            self.items, self.cursor = items, cursor
        height = self.screen.size.height
        self.styles.height = max(min(len(self.items), height - (APART if height >= LOW else APART_LOW)), LEAST)


class ChangesDialog(Dialog[str]):
    """Changes between two method lists; it answers the method to open, or None."""

    manual_pane = "changes"
    has_action = False
    DEFAULT_CSS = """
    ChangesDialog > .block { width: 96; max-height: 100%; padding: 1 0; }
    ChangesDialog.-low > .block { padding: 0; }
    ChangesDialog .title, ChangesDialog .words, ChangesDialog .hint { padding: 0 3; }
    ChangesDialog.-tall .words { margin-bottom: 1; }
    ChangesDialog ChangesList { margin: 0 2; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("q", "leave", show=False)]

    def __init__(self, title: str, words: str, changes: Sequence[MethodChange]) -> None:
        super().__init__(f"{title}: {changes_counted(changes)}")
        self._words, self._list = words, ChangesList(changes)
        self._hint = Static(classes="hint")

    def content(self) -> ComposeResult:
        yield Static(plain(self._words), classes="words")
        yield self._list
        yield self._hint

    def on_mount(self) -> None:
        self._show_keys()
        self.set_focus(self._list)

    def on_resize(self) -> None:
        self._list.on_resize()

    def on_row_list_cursor_moved(self, event: RowList.CursorMoved) -> None:
        event.stop()
        self._show_keys()

    def on_row_list_row_chosen(self, event: RowList.RowChosen) -> None:
        event.stop()
        _, change = event.item
        if change.kind == "gone":
            self._hint.update(
                plain(f"{clipped(change.name, MAX_NAME_COLUMNS)} cannot be opened: the server no longer has it.")
            )
        else:
            self.dismiss(change.name)

    def _show_keys(self) -> None:
        self._hint.update(keys("↑ ↓", "choose", "Enter", "open method", "Esc", "close"))
