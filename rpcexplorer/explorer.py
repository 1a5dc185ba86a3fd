"""The facade that both front ends and Python programs use."""

from __future__ import annotations

import asyncio
import os
import shlex
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, Self

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.auth.registry import auth_of
from rpcexplorer.discovery.methods import (
    Discovery,
    TellStep,
    asks_first,
    method_list,
    saved_among,
    similar_methods,
)
from rpcexplorer.files.io import error_of, read_source, save_as
from rpcexplorer.files.paths import UNSAVED, Location, Paths
from rpcexplorer.files.toml import KeyPath, TomlFile, dotted, read_toml
from rpcexplorer.model.destination import Destination, DestinationChanged, Nobody, Person, changes
from rpcexplorer.model.draft import Batch, Draft, methods_of
from rpcexplorer.model.exchange import Preview, Refused, Stop, Unreached, fresh_id
from rpcexplorer.model.method import SIGN, Described, as_named, method_of
from rpcexplorer.model.problem import Checked, Problem, UserError, counted, cut, joined_words, nearest, quoted
from rpcexplorer.model.profile import (
    FORM_OF_REQUEST,
    OVERLAY,
    CanAsk,
    DocumentSource,
    Profile,
    ask_nobody,
    shares_variables,
)
from rpcexplorer.model.profile import variable as name_of_variable
from rpcexplorer.model.secret import Secret, placeholder, unrecorded, with_references
from rpcexplorer.profiles.profiles import Profiles, load
from rpcexplorer.rpc.messages import Result, lacks_method
from rpcexplorer.secrets.credentials import StoredCredentials
from rpcexplorer.secrets.destination import KEY
from rpcexplorer.secrets.lookup import Secrets
from rpcexplorer.settings import ScreenState, Themes, load_settings, save_setting
from rpcexplorer.transport.port import CLOSED, Unreachable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from rpcexplorer.client.open_connection import OpenConnection
    from rpcexplorer.client.open_files import OpenableFiles
    from rpcexplorer.client.profile_client import ProfileClient
    from rpcexplorer.client.replay import Replayed
    from rpcexplorer.client.report import Report, ShowReport
    from rpcexplorer.discovery.store import MethodLists
    from rpcexplorer.drafts import CollectedBatches, Drafts, ImportedDrafts, ReplacedDrafts
    from rpcexplorer.history.case import Cases
    from rpcexplorer.history.folder import History
    from rpcexplorer.history.store import Journal, Rescue
    from rpcexplorer.importing.servers import ImportedServer
    from rpcexplorer.model.destination import ProcessCommand
    from rpcexplorer.model.event import Event
    from rpcexplorer.model.exchange import Exchange
    from rpcexplorer.model.method import Method, SavedCall
    from rpcexplorer.model.problem import Changes
    from rpcexplorer.model.settings import Settings
    from rpcexplorer.profiles.edits import ProfileEdits
    from rpcexplorer.redaction.exchange import EventRedactor, Redaction
    from rpcexplorer.redaction.redactor import Redactor
    from rpcexplorer.schema.check import Checker
    from rpcexplorer.schema.elicitation import Elicitation
    from rpcexplorer.secrets.leaks import Searched
    from rpcexplorer.transport.port import ShownCertificate, Watch
    from rpcexplorer.variables.references import Offered
    from rpcexplorer.variables.resolve import Missing, Resolution


MAX_COMPARED_BYTES = 16 * 1024 * 1024
"""Bytes of a response that can be compared with a recorded one."""
MAX_RESULT_BYTES = 1_000_000
"""Larger results are not checked with their schema."""


class Hooks(Struct, frozen=True):
    """What a front end adds to an explorer; a program needs nothing of it."""

    on_event: Callable[[Profile, Event], None] = lambda *_: None
    """Get each event when it comes; those that wait for an answer are changed later."""
    on_stderr: Callable[[Profile, str], None] = lambda *_: None
    """Get each line that the process of a profile writes to its stderr."""
    can_ask: CanAsk = ask_nobody
    """Return whether the user can answer a request of a server with this method."""
    has_screen: bool = False
    """The user sees which profile is in use, and keys must not wait for events."""
    continues: bool = False
    """Use the profile again that was used last in this project folder.

    Programs do not set it: their calls must not depend on the profile that the user chose last.
    """
    prints: bool = False
    """Results go to stdout, with member names that are not redacted."""


NO_HOOKS: Final = Hooks()


class Explorer:
    """Profiles, history and settings of one user, and calls with them.

    Each store is created, and its code imported, when it is first used.
    """

    def __init__(
        self,
        paths: Paths,
        load: Callable[[], Profiles],
        settings: Settings,
        secrets: Secrets,
        *,
        person: Person,
        folder: Path,
        hooks: Hooks,
    ) -> None:
        self.paths, self._load = paths, load
        self.profiles = secrets.destinations.profiles = load()
        """Profiles of ``sessions.toml`` and the files merged with it."""
        self.settings = settings
        self.secrets = secrets
        self.profile: Profile | None = None  # The profile in use.
        self.credentials = StoredCredentials(secrets, person, lambda: self.profiles.profiles.values())  # noqa: PLW0108 - read anew
        """Credentials and sessions: stored, from the environment, or entered."""
        self.folder = folder
        """The working folder, in which processes of the user run."""
        self.hooks = hooks
        self._clients: list[ProfileClient] = []
        self._seed = fresh_id()
        """Seed of the random values in the next call."""

    @classmethod
    def open(
        cls,
        *,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        sessions: Path | None = None,
        person: Person | None = None,
        hooks: Hooks = NO_HOOKS,
    ) -> Self:
        """Open the profiles and settings that apply in ``folder``.

        Damaged files become problems in ``profiles.problems``.
        """
        environment = os.environ if environment is None else environment
        paths = Paths.of(environment)
        settings, problems = load_settings(paths)
        folder = folder or Path.cwd()
        reading = partial(load, paths, folder, environment, sessions)
        secrets = Secrets(paths.secrets, environment, settings.secret_store)
        explorer = cls(paths, reading, settings, secrets, person=person or Nobody(), folder=folder, hooks=hooks)
        explorer.profiles.problems.extend(problems)
        return explorer

    @cached_property
    def method_lists(self) -> MethodLists:
        """Discovered methods, and methods that a server does not have."""
        from rpcexplorer.discovery.store import MethodLists

        return MethodLists(self.paths.method_lists, self.credentials.in_use)

    @cached_property
    def drafts(self) -> Drafts:
        """The last typed params of each method, sent or not."""
        from rpcexplorer.drafts import Drafts

        return Drafts(self.paths.drafts)

    @cached_property
    def replaced(self) -> ReplacedDrafts:
        """Drafts that another call has replaced."""
        from rpcexplorer.drafts import ReplacedDrafts

        return ReplacedDrafts(self.paths.drafts / "replaced")

    @cached_property
    def batches(self) -> CollectedBatches:
        """Calls that are collected for a batch."""
        from rpcexplorer.drafts import CollectedBatches

        return CollectedBatches(self.paths.drafts / "batches")

    @cached_property
    def imports(self) -> ImportedDrafts:
        """Calls of other programs, imported as drafts."""
        from rpcexplorer.drafts import ImportedDrafts

        return ImportedDrafts(self.drafts, self.replaced)

    @cached_property
    def remembered(self) -> ScreenState:
        """State of the screen that is saved between runs."""
        return ScreenState(self.paths.screen, self.credentials.in_use)

    @cached_property
    def themes(self) -> Themes:
        """Built-in themes and the user's own."""
        return Themes(self.paths.themes)

    @cached_property
    def journal(self) -> Journal:
        """Recorder of calls: whether it is on, and its last problem."""
        from rpcexplorer.history.store import Journal

        return Journal(self.settings.history, self.paths.history, self.credentials.in_use)

    @cached_property
    def cases(self) -> Cases:
        """Export and import of calls as a file to share."""
        from rpcexplorer.history.case import Cases

        return Cases(self.journal, self.credentials.in_use, lambda: self.profiles.profiles)

    @cached_property
    def rescue(self) -> Rescue:
        """Calls that could not be recorded before the program ended."""
        from rpcexplorer.history.store import Rescue

        return Rescue(self.journal, self.paths.unsaved)

    @cached_property
    def openable(self) -> OpenableFiles:
        """The files that language servers may get."""
        from rpcexplorer.client.open_files import OpenableFiles

        own = (self.paths.config, self.paths.state, self.paths.cache)
        return OpenableFiles(self.folder, own, read_source, self.credentials.opens)

    @cached_property
    def checker(self) -> Checker:
        """Check of params and results; nothing starts before the first check."""
        from rpcexplorer.schema.check import Checker

        return Checker()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        while self._clients:
            await self._clients.pop().close()
        if "checker" in self.__dict__:
            await self.checker.close()

    def put_unsaved_aside(self) -> str:
        """Save events, calls and drafts, or put them aside; return the problems."""
        problems = []
        if "journal" in self.__dict__:
            problems += [self.journal.flush_events(), self.rescue.put_aside()]
        if "drafts" in self.__dict__:
            problem = self.drafts.save_unsaved()
            if problem:
                problems.append(f"{counted(len(self.drafts.unsaved), 'draft')} could not be saved: {problem}.")
        return "\n".join(problem for problem in problems if problem)

    def take_unsaved_back(self) -> str:
        """Record the calls that earlier runs put aside; return a sentence if there were any.

        Most commands find none, and must not load the history or ``tempfile`` for that.
        """
        temporary = Path(os.environ.get("TMPDIR") or "/tmp")  # noqa: S108 - only its names are read
        found = [name for name in _names(self.paths.unsaved) if not name.startswith(".")]
        found += [name for name in _names(temporary) if name.startswith(UNSAVED)]
        return self.rescue.take_back(self.profiles.profiles.get) if found else ""

    @property
    def history(self) -> History:
        """The history that the profile in use records to."""
        return self.journal.of(self.profile)

    def locations(self) -> list[Location]:
        """Return all files and folders of the user and the profile in use."""
        return self.paths.locations(self.profiles.project_file, self.history.folder)

    def use(self, profile: Profile | str | None = None) -> Profile:
        """Choose the profile for the next calls, and return it.

        ``profile`` is a profile or its name. Without it, the default profile is used. Raise `UserError` if there is no
        such profile, or if its file has an error; then the profile in use does not change.
        """
        chosen: Profile | Problem
        if profile is None:
            chosen = self.usual()
        elif isinstance(profile, str):
            chosen = self.profiles.get(profile)
        else:
            chosen = profile
        if isinstance(chosen, Problem):
            raise UserError(str(chosen))
        self.profile = chosen
        # On the screen, the user sees name and address before anything is sent. What was used last here was named once.
        is_named = profile or self.hooks.has_screen or (self.hooks.continues and self.last_used)
        self.secrets.destinations.unnamed = "" if is_named else chosen.name
        return chosen

    def usual(self) -> Profile | Problem:
        """Return the profile to use if none is named, or why there is none."""
        return self.profiles.get(self.last_used if self.hooks.continues else None)

    @property
    def last_used(self) -> str | None:
        """The profile that was used last in this project folder, if it still exists."""
        name = self.remembered.used_in(self.profiles.project_folder)
        return name if name in self.profiles.leaves else None

    def remember_profile(self) -> None:
        """Remember that the profile in use was used last in this project folder."""
        if self.profile is not None and not self.profile.ad_hoc:
            self.remembered.set_used(self.profiles.project_folder, self.profile.name)

    def set_default(self, name: str, file: Path) -> Problem | None:
        """Make a profile the default in a file; return what prevented it.

        What was used last in this project folder is forgotten, since it would win.
        """
        problem = self.edits(file).set_default(name)
        self.reload()
        if not problem:
            self.remembered.set_used(self.profiles.project_folder, "")
        return problem

    def redactor(self, *, of_this_profile: bool = False) -> Redactor:
        """Return a redactor of all known secrets.

        If two references name the same secret, ``of_this_profile`` prefers that of the profile in use.
        """
        from rpcexplorer.redaction.redactor import Redactor

        preferred = ""
        if of_this_profile and self.profile:
            preferred = self.profile.name
        return Redactor(self.credentials.in_use(), profile=preferred)

    def event_redactor(self, profile: Profile, *, whole: bool = False) -> EventRedactor:
        """Return a redactor for the events of a profile, of the secrets that are known now.

        ``whole``: the names of members are redacted even if results are printed, because texts that are not messages
        need it.
        """
        from rpcexplorer.redaction.exchange import EventRedactor

        return EventRedactor(profile, self.credentials.in_use(), names=whole or not self.hooks.prints)

    def withheld(self, profile: Profile, text: str) -> str:
        """Return why a text must not go to other programs; empty if it may.

        Another program would use a blocked profile, or send its secrets, without asking.
        """
        moved = self.secrets.destinations.question(profile) or self.secrets.withheld(profile, text)
        if moved is None:
            return ""
        return self.redactor().text(moved.sentence(profile.name))

    def save_reply(self, path: Path, content: bytes, *, replacing: bool) -> str:
        """Write a response to a file that the user named; return why that failed."""
        return save_as(path, self.folder, content, replacing=replacing)

    def settings_problem(self, key: KeyPath, sentence: str) -> Problem:
        """Return a problem of a key of ``settings.toml``, with its line."""
        file = self._settings_file
        if isinstance(file, TomlFile):
            return file.complain(key, sentence)
        return Problem(str(self.paths.settings), sentence, key=dotted(key))

    @cached_property
    def _settings_file(self) -> TomlFile | Problem | None:
        return read_toml(self.paths.settings)

    def theme_problems(self) -> list[Problem]:
        """Return the problems of the theme that ``settings.toml`` names."""
        name = self.settings.theme
        known = self.themes.files()
        if not name:
            return []
        if name in known:
            return self.themes.load(name)[1]
        guess = nearest(name, known)
        advice = f"The themes are {joined_words(known)}"
        if guess:
            advice = f"Did you mean `{guess}`?"
        return [self.settings_problem(("theme",), f"there is no theme `{name}`. {advice}")]

    def save_setting(self, key: str, value: object) -> str:
        """Set one key of ``settings.toml``; return a problem, or nothing."""
        return str(save_setting(self.paths, key, value) or "")

    def reload(self) -> None:
        """Read the profiles again and update the profile in use.

        A profile that the files no longer have stays in use, because a file may be broken while it is being edited.
        """
        before, self.profiles = self.profiles.profiles, self._load()
        self.secrets.destinations.profiles = self.profiles
        if self.profile is None or self.profile.ad_hoc:
            return
        name = self.profile.name
        now = self.profiles.profiles.get(name)
        if now is not None and now != before.get(name):
            self.profile = now

    def edits(self, file: Path) -> ProfileEdits:
        """Return what changes the profiles and saved calls of a file."""
        from rpcexplorer.profiles.edits import ProfileEdits

        return ProfileEdits(file, self.paths.state, file == self.paths.user_sessions, self.profiles, self.folder)

    def add_servers(self, servers: Sequence[ImportedServer], file: Path, *, writes: bool = True) -> dict[str, str]:
        """Add the profiles of imported servers to a file, and start none; return by name why one cannot be added."""
        problems = {server.name: self._add_server(server, file, writes=writes) for server in servers}
        if writes:
            self.reload()
        return problems

    def _add_server(self, server: ImportedServer, file: Path, *, writes: bool) -> str:
        name, values = server.profile, dict(server.values)
        if server.problem:
            return server.problem
        for other in self.profiles.leaves:
            if shares_variables(other, name):
                ways = f"`rpcexplorer profiles rename {other} NEW` or `rpcexplorer profiles remove {other}`"
                return f"there is already a profile {other}. Run {ways}, then import again"
        problem = self.edits(file).add(name, values.pop("url"), auth=values.pop("auth", {}), writes=writes, **values)
        if problem is None:
            return ""
        key = problem.key.removeprefix(dotted(("profile", name))).removeprefix(".")
        return f"{key}: {problem.sentence}" if key else problem.sentence

    def apply(self, profile: Profile, changes: Changes, file: Path, seen: Collection[str] = ()) -> Problem | None:
        """Change a profile in a file and read the profiles again.

        Return what prevented it; then nothing was changed. ``seen`` are the keys that the user accepts, see
        ``accepting``.
        """
        with self.accepting(profile, seen, {key for key, _ in changes}):
            problem = self.edits(file).apply(profile.name, changes, self.profiles.leaves.get(profile.name, {}))
            self.reload()
        return problem

    def mark_safe(self, profile: Profile, method: str, *, safe: bool, file: Path) -> Problem | None:
        """Mark a method safe or unsafe in a file; return what prevented it."""
        return self.apply(profile, ((dotted(("method", method, "safe")), safe),), file)

    @staticmethod
    def commit_warning(file: Path) -> str:
        """Return a warning if git would commit a file of personal changes."""
        if file.name != OVERLAY:
            return ""
        from rpcexplorer.secrets.leaks import Git

        if not Git(file.parent).may_commit(file.name):
            return ""
        return f"Git does not ignore the local file {file}. Add {file.name} to .gitignore."

    @contextmanager
    def accepting(self, profile: Profile, keys: Collection[str] = (), written: Collection[str] = ()) -> Iterator[None]:
        """Let secrets follow a change of the profile to its new destination.

        ``keys`` are those that the user has typed, or accepted after seeing the old and the new value. If anything else
        of the destination has changed, the next call asks. It also asks if a secret was blocked before. The form of a
        request, and values of a preset among ``keys``, are accepted too, but never another server.

        ``written`` are keys that the user wants to change, perhaps because a hint said so. No secret follows them, but
        calls without secrets do: a local file may change a profile of the user file in this way.
        """
        self.reload()
        destinations = self.secrets.destinations
        was = self.profiles.profiles.get(profile.name)
        before = destinations.of(profile)
        held_back = self.credentials.held_back(profile)
        question = destinations.question(profile)
        yield
        now = self.profiles.profiles.get(profile.name)
        if was != profile or now is None or question or held_back & {*profile.secrets, *now.secrets, KEY}:
            return
        after = destinations.of(now)
        found = [change.key for change in changes(before, after)]
        if all(self._is_accepted(key, after, now, keys) for key in found):
            self.credentials.carry_over(profile, now)
            return
        typed = {*keys, *written}
        if "url" in typed:
            typed.add("origin")
        states = self.credentials.state(now).values()
        is_blocked = any(isinstance(state, DestinationChanged) for state in states)
        if not is_blocked and all(self._is_accepted(key, after, now, typed) for key in found):
            self.credentials.carry_over(profile, now)

    def _is_accepted(self, key: str, after: Destination, now: Profile, keys: Collection[str]) -> bool:
        """Return whether the accepted keys alone explain a change of this key."""
        if key in {*FORM_OF_REQUEST, *map(str.lower, keys)} or (key == "discovery.url" and "discovery" in keys):
            return True
        if key not in after and "auth.kind" in keys:  # It belonged to the previous auth type.
            return key.startswith(("auth.", "login."))
        return "preset" in keys and self.profiles.is_of_preset(now.name, key)

    def use_changed(self, profile: Profile) -> None:
        """Use a profile as the user changed it until the program ends.

        Credentials that were entered for it stay valid if only the form of the request has changed.
        """
        before = self._in_use()
        self.profile = profile
        destinations = self.secrets.destinations
        found = changes(destinations.of(before), destinations.of(profile))
        if all(change.key in FORM_OF_REQUEST for change in found):
            self.credentials.carry_over(before, profile)

    def save_call(self, call: SavedCall, *, replacing: bool = False) -> Problem | None:
        """Save a call in its file, unless it contains a known secret."""
        hide = self.redactor().text
        if any(hide(text) != text for text in (call.name, call.method, call.text, call.doc)):
            return Problem(call.file, "the call contains a secret. Replace it with a variable, such as {{name}}")
        problem = self.edits(Path(call.file)).save_call(call, replacing=replacing)
        self.reload()
        return problem

    def expect(self, call: SavedCall, wanted: Mapping[str, Any]) -> Problem | None:
        """Add keys to ``expect`` of a saved call, unless they contain a secret."""
        from rpcexplorer.jsontext.pointers import names_of
        from rpcexplorer.model.expectation import as_json
        from rpcexplorer.model.secret import HIDDEN

        hide = self.redactor().text
        values = wanted.get("values", {}).items()
        members = [{names_of(pointer)[-1]: value} for pointer, value in values if pointer]  # Names show secrets, too.
        try:
            texts = [as_json(part) for part in (wanted, *members)]
            if any(hide(text) != text or HIDDEN.search(text) for text in texts):
                return Problem(call.file, "the value contains a secret. Expect another value")
            problem = self.edits(Path(call.file)).expect(call, wanted)
        except RecursionError:
            return Problem(call.file, "the value is nested too deeply. Expect a part of it")
        self.reload()
        return problem

    def remove_call(self, call: SavedCall) -> Problem | None:
        """Remove a saved call from its file; return a problem."""
        problem = self.edits(Path(call.file)).remove_call(call)
        self.reload()
        return problem

    def remove_profile(self, profile: Profile) -> list[Problem]:
        """Remove a profile from all files, and its secrets; return problems."""
        files = self.profiles.files_of(profile.name)
        found = [self.edits(file).remove(profile.name) for file in files]
        if not any(found):
            others = set(self.profiles.files) - set(files)
            found += [self.edits(file).drop_default(profile.name) for file in others]
        problems = [problem for problem in found if problem]
        if not problems:
            reason = error_of(lambda: self.secrets.forget(profile))
            if reason:
                problems.append(Problem(str(self.paths.secrets), reason))
        self.reload()
        is_gone = profile.name not in self.profiles.leaves
        if is_gone and self.profile and self.profile.name == profile.name:
            self.profile = None
        return problems

    def rename_profile(self, name: str, new: str) -> Problem | list[str]:
        """Rename a profile with all that is stored under its name; return what is left to do.

        Everything is copied first, then the files are changed, and only then secrets and permissions of the old name
        are removed: if a step fails, the old profile still works. Drafts, pins and the method list stay there too,
        because a profile of another project folder may have the same name. Records keep the old name.
        """
        refused = self._refused_name(name, new)
        if refused:
            return refused
        edits = [self.edits(file) for file in self.profiles.files]
        for edit in edits:
            problem = edit.rename(name, new, writes=False)
            if problem:
                return problem
        failure = error_of(lambda: self._copy_stored(name, new))
        if failure:
            return Problem(str(self.paths.state), f"{failure}. The profile was not renamed")
        for at, edit in enumerate(edits):
            problem = edit.rename(name, new)
            if problem:
                for changed in edits[:at]:
                    changed.rename(new, name)
                error_of(lambda: self.secrets.forget(Profile(new, "")))
                self.reload()
                return problem
        for folder in self.remembered.folders_using(name):
            if name in self.profiles.own or folder == self.profiles.project_folder:
                self.remembered.set_used(folder, new)
        self.reload()
        if self.profile and self.profile.name == name:
            self.profile = replace(self.profile, name=new)
        self.credentials.rename(name, new)
        failures = [
            error_of(lambda: self.secrets.forget(Profile(name, ""))),
            error_of(lambda: self.secrets.destinations.drop(name, new)),
        ]
        left = [f"{failure}. It is still stored for {name}" for failure in failures if failure]
        variables = self.secrets.set_variables(name)
        if variables and not shares_variables(name, new):
            now = name_of_variable(new, "password")
            left.append(f"Rename {joined_words(variables)}: {new} reads environment variables such as {now}")
        return left

    def _refused_name(self, name: str, new: str) -> Problem | None:
        """Return why a profile cannot be renamed; whether a name is valid is checked in the files."""
        known = self.profiles.leaves
        if name not in known:
            found = self.profiles.get(name)
            return found if isinstance(found, Problem) else None
        if self.profiles.refused:  # It may describe the profile, too.
            return self.profiles.refused
        file = str(self.profiles.files_of(name)[-1])
        if new in known:
            return Problem(file, f"there is already a profile `{new}`. Choose another name", profile=new)
        for other in known:
            if other != name and shares_variables(other, new):
                sentence = f"the profile `{other}` uses the same environment variables as `{new}`. Choose another name"
                return Problem(file, sentence, profile=new)
        return None

    def _copy_stored(self, name: str, new: str) -> None:
        """Copy all that is stored for a profile, its secrets last. Raises ``FileError``."""
        change = partial(with_references, profile=name, new=new)
        for store in (self.drafts, self.replaced, self.batches):
            store.copy(name, new, change)
        self.remembered.copy_profile(name, new)
        profile = self.profiles.profiles.get(name)
        if profile:
            self.method_lists.copy(profile, new)
        self.secrets.destinations.copy(name, new)
        self.secrets.copy(name, new)

    def adopt_drafts(self, typed: Profile, saved: Profile, method: str) -> str:
        """Give the drafts and the batch of a typed URL to the profile that was saved from it; return a problem.

        If ``method`` has a draft, the profile opens with it.
        """
        secrets, drafts = self.credentials.in_use(), self.drafts.all(typed.name)
        problem = self.batches.keep(saved, self.batches.of(typed), secrets)
        for drafted, text in drafts.items():
            renamed = with_references(text, typed.name, saved.name)
            problem = self.drafts.keep_typed(saved, drafted, renamed, secrets) or problem
        if method in drafts:
            self.remembered.set_method(saved.name, method)
        return problem

    def search_leaks(self, files: Sequence[Path] = (), *, staged: Path | None = None) -> Searched:
        """Search for secrets in all known files and histories.

        With ``files``, search only those. With ``staged``, search only what git has staged in that folder.
        """
        from rpcexplorer.secrets.leaks import search

        recorded = [self.journal.of(profile).folder for profile in (None, *self.profiles.profiles.values())]
        return search(self.profiles, [self.paths.history, *recorded], self.secrets, files, staged)

    def _in_use(self) -> Profile:
        if self.profile is None:
            raise UserError('No profile is in use. Choose one first, such as explorer.use("shop").')
        return self.profile

    def names(self) -> tuple[Offered, ...]:
        """Return the names that ``{{…}}`` can have with the profile in use."""
        from rpcexplorer.variables.references import names

        profile = self._in_use()
        opened = {opening.name: opening.method for opening in profile.openings if opening.name}
        return names(self.profiles.variables_of(profile), self.journal.methods(profile), opened)

    def problem_of_call(self, name: str) -> Problem | None:
        """Return the problem of a saved call that cannot be read; None without one."""
        key = dotted(("call", name))
        for problem in self.profiles.problems:
            if problem.key == key or problem.key.startswith(f"{key}."):
                return problem
        return None

    def saved_calls(self) -> dict[str, SavedCall]:
        """Return the saved calls of the profile in use, by name."""
        return self.profiles.calls_of(self._in_use())

    def listed_methods(self, *, called: bool = True) -> dict[str, Method]:
        """Return saved calls, with a sign before the name, then methods."""
        methods = self.methods(called=called)
        saved = saved_among(self.saved_calls().values(), methods)
        for name in [name for name in methods if name.startswith(SIGN)]:  # It must not look like a saved call.
            methods[as_named(name)] = replace(methods.pop(name), name=as_named(name))
        return saved | methods | saved

    def methods(self, *, called: bool = True) -> dict[str, Method]:
        """Return all known methods of the profile in use, by name.

        Without ``called``, the history is not read.
        """
        profile = self._in_use()
        known = self._known_methods(profile, self.journal.methods(profile) if called else ())
        auth = auth_of(profile)
        return {name: auth.offered(method) for name, method in known.items()}

    def _known_methods(self, profile: Profile, called: Collection[str] = ()) -> dict[str, Method]:
        learned = self.method_lists.learned(profile)
        methods = learned.methods if learned else ()
        return method_list(profile, methods, called, self.method_lists.absent(profile))

    def described(self, method: str) -> Described | None:
        """Return the description of a method; None if it is unknown."""
        profile = self._in_use()
        auth = auth_of(profile)
        found = self.method_lists.described(profile, method)
        if found is not None and not auth.in_params:
            return found
        known = self.methods(called=False).get(method)
        if known is None:
            return found
        if found is None:
            return Described(protocol=known.protocol)
        return auth.offered_in_full(known, found)

    async def check_params(self, method: str, text: str, *, quickly: bool = False) -> Checked:
        """Check the text of params with the schemas of their method.

        ``quickly``: only if names and types differ, because the checker takes as long to start as a call.
        """
        described = self.described(method)
        if described is None or not described.is_checked:
            return Checked(why_not="the schema of the method is unknown")
        known = self.methods(called=False).get(method)  # For a saved call, its name is the method.
        by = known.by if known else None
        if quickly:
            from rpcexplorer.schema.fit import could_be_params

            if could_be_params(described, text, by):
                return Checked(in_part=True)
        return await self.checker.params(described, text, by=by)

    async def check_result(self, exchange: Exchange, *, quickly: bool = False) -> Checked:
        """Check a complete result of this profile with the schema of its method.

        ``quickly``: only if types differ, as in ``check_params``.
        """
        outcome = exchange.outcome
        is_ours = self.profile is not None and exchange.profile == self.profile.name and not exchange.foreign
        if not is_ours or not isinstance(outcome, Result) or exchange.kind != "call":
            return Checked(why_not="the result is not from a call of this profile")
        if exchange.response.cut or len(outcome.text) > MAX_RESULT_BYTES:
            return Checked(why_not="the result is cut or larger than 1 MB")
        described = self.described(exchange.method)
        if described is None or not isinstance(described.result, dict):
            return Checked(why_not="the schema of the result is unknown")
        if quickly:
            from rpcexplorer.schema.fit import could_be_result

            if could_be_result(described, outcome.value):
                return Checked(in_part=True)
        return await self.checker.result(described, outcome.value.decode(errors="replace"))

    def meant_methods(self, exchange: Exchange) -> list[str]:
        """Return the listed methods similar to one that the server does not have."""
        if exchange.kind != "call" or not lacks_method(exchange.outcome):
            return []
        known = self.listed_methods()
        return [] if exchange.method in known else similar_methods(exchange.method, known)

    def draft_of(self, method: str, *, called: bool = True) -> str:
        """Return the params to open a method with.

        They are the last draft, or the params of the last call with a result (safe methods only), or a start from the
        schema, or ``[]``. Without ``called``, the history is not read. A saved call, named with its sign, starts with
        its own params and has its own draft.
        """
        profile = self._in_use()
        if method.startswith(SIGN):
            saved = self.saved_calls().get(method.removeprefix(SIGN))
            if saved:
                return self.drafts.text_for(profile, method, None, lambda: saved.text or "[]")
        called_as = method_of(method)
        known = self.methods(called=False).get(called_as)
        last = None
        if called and known and known.safe:
            last = partial(self.journal.last_params, profile, called_as)
        return self.drafts.text_for(profile, method, known, last, partial(self.described, called_as))

    def recent(self, limit: int) -> list[Exchange]:
        """Return the newest calls of the profile in use, newest first.

        Calls that could not be recorded are among them.
        """
        return self.journal.recent(self._in_use(), limit)

    def question(self, profile: Profile) -> DestinationChanged | None:
        """Return what the user has to allow before the profile is used, without secrets; or None."""
        found = self.secrets.destinations.question(profile)
        return found.hidden(self.redactor().text) if found else None

    def command_of(self, profile: Profile) -> ProcessCommand | Refused:
        """Return the process that may be started for a profile, or why none may.

        Ask here directly before each start. Only calls, ``listen``, logins, connection tests and discovery may start
        it: never a list of methods or profiles, ``profiles show`` and ``check``, ``--dry-run``, completion, the
        history, or the start of the screen.
        """
        question = self.question(profile)
        if question:
            return Refused("profile", question.sentence(profile.name))
        return self.secrets.destinations.process_of(profile, self.folder)

    async def client_of(self, profile: Profile) -> ProfileClient:
        """Return the client of a profile; one whose connection an edit has changed gets a new one."""
        while (known := self._client_named(profile.name)) is not None:
            if known.profile.shares_connection_with(profile):
                known.profile = profile
                return known
            await self._drop(known)
        from rpcexplorer.client.profile_client import ProfileClient
        from rpcexplorer.client.surroundings import Surroundings

        # Each of these uses the profile as it is by then: another one may be in use, and this one may be edited.
        def record(exchange: Exchange, redaction: Redaction) -> None:
            self.journal.record(exchange, client.profile, redaction)
            self.method_lists.note_response(exchange, client.profile, keep=self.journal.recording)

        def take(event: Event) -> None:
            if event.is_settled and event.kind != "part":
                settle(event)
            self.hooks.on_event(client.profile, event)

        def settle(event: Event) -> None:
            """Record an event that does not change any more."""
            self.journal.record_event(event, client.profile)

        around = Surroundings(
            on_event=take,
            on_settled=settle,
            can_ask=self.hooks.can_ask,
            has_screen=self.hooks.has_screen,
            on_stderr=lambda line: self.hooks.on_stderr(client.profile, line),
            command=lambda: self.command_of(client.profile),
            read_file=lambda path: self.openable.read(path),  # noqa: PLW0108 - few servers need its import
            mcp_version=lambda: self.method_lists.mcp_version(client.profile),
            keep_mcp_version=lambda version: self.method_lists.keep_mcp_version(client.profile, version),
            described=lambda method: self.method_lists.described(client.profile, method),
        )
        client = ProfileClient(
            profile,
            self.credentials,
            reply_limit=self.settings.reply_limit,
            record=record,
            prints=self.hooks.prints,
            around=around,
        )
        self._clients.append(client)
        return client

    def _client_named(self, name: str) -> ProfileClient | None:
        return next((client for client in self._clients if client.profile.name == name), None)

    async def _drop(self, client: ProfileClient) -> None:
        """Close a client; calls under way get no response."""
        if client.connection is not None:
            await client.connection.close()  # Until then it is shown.
        if client in self._clients:
            self._clients.remove(client)
        await client.close()

    def connection_of(self, profile: Profile) -> OpenConnection | None:
        """Return the connection that stays open; None over HTTP, and before the first call.

        It may still be that of the profile before an edit.
        """
        client = self._client_named(profile.name)
        return client.connection if client else None

    async def open_connection(self, *, watch: Watch | None = None, stop: Stop | None = None) -> Exchange:
        """Open the connection of the profile in use without a call. The outcome is `Sent`, or why it failed."""
        return await (await self.client_of(self._in_use())).open(watch=watch, stop=stop)

    async def close_connection(self, profile: Profile | None = None) -> None:
        """Close the connection of a profile; the next call opens it again."""
        connection = self.connection_of(profile or self._in_use())
        if connection is not None:
            await connection.close()

    def edited(self) -> list[ProfileClient]:
        """Return the clients whose connection does not fit their profile any more, or whose profile was removed."""
        found = []
        for client in self._clients:
            if client.connection is None or client.connection.is_closing:
                continue
            name = client.profile.name
            now = self.profiles.profiles.get(name)
            if self.profile and self.profile.name == name:
                now = self.profile
            if now is None or not now.shares_connection_with(client.profile):
                found.append(client)
        return found

    async def close_edited(self) -> list[str]:
        """Close connections that do not fit their profile any more; return the names of those that were open."""
        closed: list[str] = []
        for client in self.edited():
            if client.connection and client.connection.is_open:
                closed.append(client.profile.name)
            await self._drop(client)
        return closed

    def answer(self, profile: Profile, event: Event, member: str) -> str:
        """Answer a request of a server; return a problem.

        ``member`` is the JSON text of the answer's result or error, with its name: ``"result":null``.
        """
        client = self._client_named(profile.name)
        if client is None:
            return event.remark or CLOSED
        return client.answer(event, member.encode())

    def elicitation(self, profile: Profile, event: Event) -> Elicitation:
        """Return the form or page with which a server of MCP asks the user, without known secrets."""
        from rpcexplorer.redaction.redactor import kind_of
        from rpcexplorer.schema.elicitation import MAX_BYTES, TOO_LARGE, read_elicitation

        if event.size > MAX_BYTES:  # Redacting it would take long.
            return TOO_LARGE
        return read_elicitation(self.event_redactor(profile, whole=True).message(event), kind_of)

    def accept(self, profile: Profile, event: Event, form: Elicitation, content: str) -> str:
        """Answer a form with the JSON object ``content``; return a problem.

        What was typed into fields for secrets is redacted from now on.
        """
        self.credentials.hide(unrecorded(value) for value in form.secrets_in(content))
        event.shown_answer = f'"result":{form.shown_answer(content)}'.encode()
        return self.answer(profile, event, f'"result":{{"action":"accept","content":{content}}}')

    async def load(self) -> None:
        """Import the code of a call in a thread: it takes a tenth of a second."""
        call = await asyncio.to_thread(_call_module)
        await call.load()

    async def certificate_of(self, profile: Profile) -> ShownCertificate | Unreached | Refused:
        """Return the certificate of a profile's server. Send no request."""
        refused = await self.credentials.permission(replace(profile, cert_file=None))  # It is not shown here.
        if refused:
            return refused
        call = await asyncio.to_thread(_call_module)
        try:
            shown: ShownCertificate = await call.certificate_of(profile)
        except Unreachable as error:
            return Unreached(error.step, error.sentence, reason=error.reason)
        return shown

    async def call(
        self,
        draft: Draft | Batch,
        *,
        id: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - the exchange's own: it keeps what came by then
        watch: Watch | None = None,
        stop: Stop | None = None,
        profile: Profile | None = None,
    ) -> Exchange:
        """Send a draft and record its outcome.

        ``profile`` replaces the profile in use.
        """
        profile = profile or self._in_use()
        id = id or fresh_id()
        client = await self.client_of(profile)
        remarks = list[str]()
        fill = partial(self._fill, draft, client, id, remarks)
        exchange = await client.send(draft, fill=fill, id=id, timeout=timeout, watch=watch, stop=stop)
        self._seed = fresh_id()
        return self._noted(exchange, profile, remarks)

    def _noted(self, exchange: Exchange, profile: Profile, remarks: Sequence[str]) -> Exchange:
        """Return an exchange with notes about the server and about the variables of the call."""
        exchange = self.method_lists.with_quirks(exchange, profile)
        return replace(exchange, notes=(*exchange.notes, *remarks)) if remarks else exchange

    async def _decide_about_file(self, profile: Profile, draft: Draft | Batch, sent: Draft | Batch) -> None:
        """Ask whether a language server gets the file that a call names, unless the user typed it."""
        if profile.handshake == "lsp" and profile.command and isinstance(draft, Draft) and isinstance(sent, Draft):
            await self.openable.decide(draft, sent)

    async def listen(
        self,
        draft: Draft | None = None,
        *,
        on_response: Callable[[Exchange], None] = lambda _: None,
        timeout: float | None = None,  # noqa: ASYNC109 - until the response came, not for listening
        watch: Watch | None = None,
        stop: Stop | None = None,
    ) -> Exchange:
        """Send a draft, if there is one, and wait until the connection ends; see `ProfileClient.listen`.

        Events go to ``on_event``.
        """
        profile = self._in_use()
        id = fresh_id()
        client = await self.client_of(profile)
        remarks = list[str]()
        fill = None if draft is None else partial(self._fill, draft, client, id, remarks)
        has_response = False

        def respond(exchange: Exchange) -> None:
            nonlocal has_response
            has_response = True
            on_response(self._noted(exchange, profile, remarks))

        end = await client.listen(draft, on_response=respond, fill=fill, id=id, timeout=timeout, watch=watch, stop=stop)
        return end if has_response else self._noted(end, profile, remarks)

    async def replay(
        self,
        records: Sequence[Exchange],
        *,
        profile: Profile | None = None,
        ignore: Sequence[str] = (),
        inserts: bool = False,
        watch: Watch | None = None,
        stop: Stop | None = None,
    ) -> AsyncIterator[Replayed]:
        """Resend recorded calls one by one; yield a comparison for each.

        The records are from the history of the profile in use, or from a case. They are sent with that profile, or with
        ``profile``. Nothing asks for confirmation: see ``to_ask_about``. ``ignore`` are JSON pointers into the result.
        ``inserts``: the user agreed that secrets replace their references in records of someone else, too.
        """
        from rpcexplorer.client.replay import Replaying

        chosen = profile or self._in_use()
        source = self.profile
        stop = stop or Stop()
        client = await self.client_of(chosen)

        async def send(draft: Draft | Batch) -> Exchange:
            await self._decide_about_file(chosen, draft, draft)
            return await client.send(draft, watch=watch, stop=stop)

        replaying = Replaying(
            chosen,
            send,
            lambda exchange: self.journal.as_recorded(exchange, chosen, MAX_COMPARED_BYTES),
            lambda record: inserts or self.journal.is_ours(record, source),
        )
        async for replayed in replaying.run(records, ignore, stop):
            yield replayed

    def to_ask_about(self, drafts: Iterable[Draft | Batch], profile: Profile | None = None) -> Counter[str]:
        """Count the methods that need confirmation before they are sent.

        Methods inside a batch are counted, too. ``profile`` replaces the profile in use.
        """
        profile = profile or self._in_use()
        if profile.confirm == "never":
            return Counter()
        known = self._known_methods(profile)
        found: Counter[str] = Counter()
        for draft in drafts:
            found.update(name for name in methods_of(draft) if asks_first(profile, name, known))
        return found

    async def login(self, *, watch: Watch | None = None, stop: Stop | None = None) -> Exchange:
        """Open a new session for the profile in use, even if there is one."""
        profile = self._in_use()
        exchange = await (await self.client_of(profile)).login(watch=watch, stop=stop)
        return self.method_lists.with_quirks(exchange, profile)

    async def test(self, profile: Profile, show: ShowReport | None = None, stop: Stop | None = None) -> Report:
        """Test the connection with a few harmless calls; ``show`` each step.

        The calls are not recorded, and the first ones have no credentials.
        """
        from rpcexplorer.client.connection_test import Tester
        from rpcexplorer.client.report import REFUSED, Check, Report

        refused = None
        if not profile.is_open_connection:
            refused = await self.credentials.permission(profile)  # It is asked once, not by each of the calls.
        if refused:
            return Report((Check("Profile", "failed", refused.sentence, code=REFUSED),))
        state = self.credentials.state(profile)
        tester = Tester(
            profile,
            self.credentials,
            missing=[field for field in state if field != "session" and not state[field]],
            presets=self.profiles.usable_presets(),
            chosen=self.profiles.chosen(profile),
            change=self.profiles.changed,
            command=partial(self.command_of, profile),
        )
        try:
            return await tester.run(show or (lambda _: None), stop or Stop())
        finally:
            await tester.close()

    def preview(
        self,
        draft: Draft | Batch,
        *,
        id: str | None = None,
        profile: Profile | None = None,
        bare: bool = False,
        can_ask: bool = False,
    ) -> Preview | Refused:
        """Return the exact request of a call, with secret references.

        ``bare`` shows the request of a login. ``can_ask``: it is sent from here, so that a server of MCP can ask the
        user; a load test and a copied command answer nothing.
        """
        from rpcexplorer.client.preview import preview
        from rpcexplorer.client.surroundings import Surroundings

        profile = profile or self._in_use()
        id = id or fresh_id()
        found = None
        if "{{" in draft.text:
            found = self._resolution(draft, profile, id, draft.given)
            draft = found.draft
        has_session = isinstance(self.secrets.find(profile, "session"), Secret)
        logs_in = not profile.assumes_auth or self.credentials.can_log_in(profile)
        secrets = self.credentials.in_use()
        around = Surroundings(
            can_ask=self.hooks.can_ask if can_ask else ask_nobody,
            mcp_version=lambda: self.method_lists.mcp_version(profile),
            described=lambda method: self.method_lists.described(profile, method),
        )
        shown = preview(
            profile,
            draft,
            id,
            has_session=has_session,
            logs_in=logs_in,
            bare=bare,
            secrets=secrets,
            around=around,
        )
        if isinstance(shown, Refused):
            return shown
        if found is not None:
            shown = replace(shown, remarks=(*shown.remarks, *found.remarks))
        question = self.question(profile)
        if question:
            shown = replace(shown, doubt=question.sentence(profile.name))
        return self._with_process(profile, shown) if profile.command else shown

    def _with_process(self, profile: Profile, shown: Preview) -> Preview | Refused:
        """Return the preview with the process that would be started, which starts nothing."""
        process = self.secrets.destinations.process_of(profile, self.folder)
        if isinstance(process, Refused):
            return process
        hide = self.redactor().text
        facts = [("process", hide(shlex.join(process.words))), ("folder", process.folder)]
        variables = [f"{name}={quoted(value)}" for name, value in process.environment]
        variables += [f"{name}={placeholder(profile.label(name))}" for name in process.environment_secrets]
        if variables:
            facts.append(("environment", hide(" ".join(variables))))
        return replace(shown, facts=(*facts, *shown.facts))

    def resolved(
        self,
        draft: Draft | Batch,
        given: Mapping[str, str] | None = None,
        *,
        id: str = "",
        profile: Profile | None = None,
    ) -> Draft | Batch | Missing:
        """Return the draft with its variables replaced, or the missing ones.

        ``given`` values are for this call only and win over variables. Sending it replaces nothing again, unless it
        needs the result of an opening call: then all its variables are replaced when it is sent. With the same ``id``,
        random values stay the same until a call is sent.
        """
        if "{{" not in draft.text:
            return draft
        from rpcexplorer.variables.resolve import Missing

        found = self._resolution(draft, profile or self._in_use(), id, given)
        missing = tuple(unresolved for unresolved in found.unresolved if not unresolved.is_later)
        if missing:
            return Missing(missing)
        return replace(draft, given=given or {}) if found.unresolved else found.draft

    async def _fill(
        self, draft: Draft | Batch, client: ProfileClient, id: str, remarks: list[str]
    ) -> Draft | Batch | Refused:
        """Return the draft with its variables replaced, once its connection is open; add remarks about them."""
        filled = draft
        if "{{" in draft.text:  # Most calls need no import for this.
            found = self._resolution(draft, client.profile, id, draft.given, client)
            if draft.given is not None and found.unresolved:
                from rpcexplorer.variables.resolve import Missing

                return Refused("params", Missing(found.unresolved).sentence)
            filled = found.draft
            remarks += found.remarks
        await self._decide_about_file(client.profile, draft, filled)
        return filled

    def _resolution(
        self,
        draft: Draft | Batch,
        profile: Profile,
        id: str,
        given: Mapping[str, str] | None = None,
        client: ProfileClient | None = None,
    ) -> Resolution:
        """Replace variables; without a ``client``, those of opening calls get their values later."""
        from rpcexplorer.variables.resolve import LastResult, Sources, resolution

        def opened(name: str) -> LastResult:
            if not any(opening.name == name for opening in profile.openings):
                return LastResult(why=f"{profile.shown_name} has no opening call with the name {cut(name)}")
            return client.opened(name) if client else LastResult(is_later=True)

        last = partial(self.journal.last_value, profile)
        variables = self.profiles.variables_of(profile)
        seed = f"{self._seed} {id or fresh_id()}"
        return resolution(draft, Sources(given or {}, variables, last, opened, seed))

    async def discover(
        self, *, watch: Watch | None = None, stop: Stop | None = None, tell: TellStep | None = None
    ) -> Discovery:
        """Discover the methods of the profile in use and save them.

        Discovery calls are not recorded.
        """
        from rpcexplorer.discovery.interview import discover
        from rpcexplorer.discovery.store import stamp_of

        profile = self._in_use()
        limit = self.settings.reply_limit
        source = profile.discovery
        stamp = ""
        if isinstance(source, DocumentSource) and source.file:
            stamp = stamp_of(source)
        # The client of a server of MCP knows which version to speak.
        shares_client = profile.is_open_connection or profile.handshake == "mcp"
        client = partial(self.client_of, profile) if shares_client else None
        found = await discover(profile, self.credentials, limit, client=client, watch=watch, stop=stop, tell=tell)
        return await self.method_lists.settle_aside(profile, found, stamp)

    def read_description(self, profile: Profile | None = None) -> None:
        """Read the file that describes the methods, if it has changed.

        ``profile`` replaces the profile in use.
        """
        profile = profile or self._in_use()
        stamp = self.method_lists.unread(profile)
        if stamp:
            self.method_lists.settle(profile, self._described_in_file(profile), stamp)

    async def read_description_aside(self) -> Discovery | None:
        """Do the same as ``read_description`` in a thread.

        Return None if there was nothing to read.
        """
        profile = self._in_use()
        stamp = self.method_lists.unread(profile)
        if not stamp:
            return None
        found = await asyncio.to_thread(self._described_in_file, profile)
        return await self.method_lists.settle_aside(profile, found, stamp)

    @staticmethod
    def _described_in_file(profile: Profile) -> Discovery:
        from rpcexplorer.discovery.interview import described_in_file  # Needed only if a file has changed.

        assert isinstance(profile.discovery, DocumentSource)
        return described_in_file(profile.discovery)


def _names(folder: Path) -> list[str]:
    with suppress(OSError):
        return os.listdir(folder)  # noqa: PTH208 - the folder for temporary files may have many
    return []


def _call_module() -> ModuleType:
    from rpcexplorer.client import (
        call,
        profile_client,  # noqa: F401 - a first call needs both
    )

    return call
