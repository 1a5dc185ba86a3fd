"""All that is kept for one person, each part of it once: profiles, secrets, history, drafts, settings.

Whoever needs one of the parts asks that one; what stands here goes by the profile in use, or takes more than one part.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from rpcexplorer.files.io import save_as, told
from rpcexplorer.files.paths import OVERLAY, Paths
from rpcexplorer.model.destination import FORM_OF_REQUEST, Nobody, Person, Route, changes
from rpcexplorer.model.problem import Complaint
from rpcexplorer.model.profile import Profile
from rpcexplorer.storage.catalogues.catalogues import Catalogues
from rpcexplorer.storage.drafts.batches import CollectedBatches
from rpcexplorer.storage.drafts.drafts import Drafts
from rpcexplorer.storage.drafts.imported import ImportedDrafts
from rpcexplorer.storage.drafts.replaced import ReplacedDrafts
from rpcexplorer.storage.history.cases import Cases
from rpcexplorer.storage.history.journal import Journal
from rpcexplorer.storage.history.rescue import Rescue
from rpcexplorer.storage.profiles.loading import load
from rpcexplorer.storage.profiles.profiles import Profiles
from rpcexplorer.storage.screen_state import ScreenState
from rpcexplorer.storage.secrets.credentials import StoredCredentials
from rpcexplorer.storage.secrets.lookup import Secrets
from rpcexplorer.storage.secrets.routes import KEY
from rpcexplorer.storage.settings import load_settings, save_setting
from rpcexplorer.storage.themes import Themes

if TYPE_CHECKING:
    from rpcexplorer.model.method import SavedCall
    from rpcexplorer.model.problem import Changes
    from rpcexplorer.model.settings import Settings
    from rpcexplorer.redaction.redactor import Redactor
    from rpcexplorer.storage.history.store import History
    from rpcexplorer.storage.profiles.edits import ProfileEdits
    from rpcexplorer.storage.secrets.leaks import Searched


class Storage:
    """Profiles, history and settings of one person, and which of the profiles is in use."""

    def __init__(
        self, paths: Paths, load: Callable[[], Profiles], settings: Settings, secrets: Secrets, person: Person
    ) -> None:
        self.paths, self._load = paths, load
        self.profiles = secrets.routes.profiles = load()
        """What ``sessions.toml`` and its overlays say."""
        self.settings = settings
        self.secrets = secrets
        self.profile: Profile | None = None  # the one in use
        self.credentials = StoredCredentials(secrets, person, lambda: self.profiles.profiles.values())  # noqa: PLW0108 - read anew
        """Credentials and sessions: what is known of them, and what is held for this run."""
        self.catalogues = Catalogues(paths.catalogues, self.credentials.in_use)
        """What was discovered, and when; and which methods a server does not have."""
        self.drafts = Drafts(paths.drafts)
        """What was typed for each method, sent or not."""
        self.replaced = ReplacedDrafts(paths.drafts / "replaced")
        """Drafts that gave way to another call."""
        self.batches = CollectedBatches(paths.drafts / "batches")
        """Calls that are collected for one body."""
        self.imports = ImportedDrafts(self.drafts, self.replaced)
        """Calls from other programs, as drafts."""
        self.remembered = ScreenState(paths.screen, self.credentials.in_use)
        """Small things that the screen remembers."""
        self.journal = Journal(settings.history, paths.history, self.credentials.in_use)
        """The history as this explorer keeps it: whether it records, and what went wrong."""
        self.cases = Cases(self.journal, self.credentials.in_use, lambda: self.profiles.profiles, lambda: self._folders)
        """Calls as a file to hand on, and those that somebody else has handed on."""
        self.rescue = Rescue(self.journal, self.drafts, paths.unsaved, settings.history.body_limit)
        """What could not be written by the end of a run."""
        self.themes = Themes(paths.themes)
        """Those that come with the program, and this person's own."""

    @classmethod
    def open(
        cls,
        *,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        sessions: Path | None = None,
        person: Person | None = None,
    ) -> Self:
        """Read profiles and settings as a program started in ``folder`` would. What is damaged becomes a complaint."""
        environment = os.environ if environment is None else environment
        paths = Paths.of(environment)
        settings, complaints = load_settings(paths)
        reading = partial(load, paths, folder or Path.cwd(), environment, sessions)
        secrets = Secrets(paths.secrets, environment, settings.secret_store)
        explorer = cls(paths, reading, settings, secrets, person or Nobody())
        explorer.profiles.complaints.extend(complaints)
        return explorer

    @property
    def history(self) -> History:
        """The history that the profile in use writes to."""
        return self.journal.of(self.profile)

    def use(self, profile: Profile | str | None = None) -> Profile | Complaint:
        """Choose the profile for what follows: one that is given, a name, or the default one."""
        chosen = profile if isinstance(profile, Profile) else self.profiles.get(profile)
        if isinstance(chosen, Profile):
            self.profile = chosen
        return chosen

    def redactor(self, *, of_this_profile: bool = False) -> Redactor:
        """What takes the secrets that this run knows out of a text; of two labels, one ``of_this_profile`` wins."""
        from rpcexplorer.redaction.redactor import Redactor

        profile = self._in_use().name if of_this_profile and self.profile else ""
        return Redactor(self.credentials.in_use(), profile=profile)

    def withheld(self, profile: Profile, text: str) -> str:
        """Return why a text for other programs, which would not ask, is not handed out; empty if it may be."""
        moved = self.secrets.withheld(profile, text)
        return self.redactor().text(moved.sentence(profile.name)) if moved else ""

    def save_setting(self, key: str, value: object) -> str:
        """Set one key of ``settings.toml``; a sentence where that failed."""
        return str(save_setting(self.paths, key, value) or "")

    def reload(self) -> None:
        """Read the profiles again, and take over what changed in the one in use.

        A profile that the files no longer have stays in use: a file may be broken for as long as it is being edited.
        """
        before, self.profiles = self.profiles.profiles, self._load()
        self.secrets.routes.profiles = self.profiles
        name = self.profile.name if self.profile and not self.profile.ad_hoc else ""
        now = self.profiles.profiles.get(name)
        if now is not None and now != before.get(name):
            self.profile = now

    def edits(self, file: Path) -> ProfileEdits:
        from rpcexplorer.storage.profiles.edits import ProfileEdits

        return ProfileEdits(file, self.paths.state, file == self.paths.user_sessions, self.profiles)

    def apply(self, name: str, changes: Changes, file: Path) -> Complaint | None:
        """Change a profile in a file, and read it again. Return what prevented it, and then nothing was changed."""
        complaint = self.edits(file).apply(name, changes, self.profiles.leaves.get(name, {}))
        self.reload()
        return complaint

    @staticmethod
    def commit_warning(file: Path) -> str:
        """Return a warning if git would commit a file of personal changes; otherwise nothing."""
        if file.name != OVERLAY:
            return ""
        from rpcexplorer.storage.secrets.staged import Git

        if not Git(file.parent).may_commit(file.name):
            return ""
        return f"Git does not ignore {file}: it is for you alone. Add {file.name} to .gitignore."

    @contextmanager
    def accepting(self, profile: Profile, keys: Collection[str] = ()) -> Iterator[None]:
        """Change a profile so that its secrets go to the changed destination without another question.

        ``keys`` are those that this person has typed, or seen with old and new value and said yes to. If anything else
        of the destination has changed, the next call asks, as it does if a secret was held back before. The form of a
        request and what a preset among ``keys`` says are accepted with it, another server never.
        """
        self.reload()
        was, before = self.profiles.profiles.get(profile.name), self.secrets.routes.of(profile)
        held_back = self.credentials.held_back(profile)
        yield
        now = self.profiles.profiles.get(profile.name)
        if was != profile or now is None or held_back & {*profile.secrets, *now.secrets, KEY}:
            return
        after = self.secrets.routes.of(now)
        if all(self._is_accepted(change.key, after, now, keys) for change in changes(before, after)):
            self.credentials.carry_over(profile, now)

    def _is_accepted(self, key: str, after: Route, now: Profile, keys: Collection[str]) -> bool:
        """Return whether a change of this key of a destination follows from the accepted keys alone."""
        if key in {*FORM_OF_REQUEST, *keys} or (key == "discovery.url" and "discovery" in keys):
            return True
        if key not in after and "auth.kind" in keys:  # settings of the auth type before
            return key.startswith(("auth.", "login."))
        return "preset" in keys and self.profiles.is_of_preset(now.name, key)

    def use_changed(self, profile: Profile) -> None:
        """Go on with the profile in use as this person has changed it for this run, with what was typed for it."""
        before, self.profile = self._in_use(), profile
        old, new = (self.secrets.routes.of(each) for each in (before, profile))
        if all(change.key in FORM_OF_REQUEST for change in changes(old, new)):
            self.credentials.carry_over(before, profile)

    def save_call(self, call: SavedCall, *, replacing: bool = False) -> Complaint | None:
        """Write a saved call into its file, where no secret that this run knows may stand, and read that anew."""
        hide = self.redactor().text
        if any(hide(text) != text for text in (call.name, call.method, call.text, call.doc)):
            return Complaint(
                call.file, "the call holds a secret, which has no place in this file: write {{name}} for it"
            )
        complaint = self.edits(Path(call.file)).save_call(call, replacing=replacing)
        self.reload()
        return complaint

    def remove_call(self, call: SavedCall) -> Complaint | None:
        complaint = self.edits(Path(call.file)).remove_call(call)
        self.reload()
        return complaint

    def remove_profile(self, profile: Profile) -> list[Complaint]:
        """Remove a profile from all files, then its secrets, and stop using it; return what failed."""
        files = self.profiles.files_of(profile.name)
        complaints = [said for file in files if (said := self.edits(file).remove(profile.name))]
        for file in set(self.profiles.files) - set(files) if not complaints else ():
            complaints += filter(None, [self.edits(file).drop_default(profile.name)])
        if not complaints and (trouble := told(lambda: self.secrets.forget(profile))):
            complaints.append(Complaint(str(self.paths.secrets), trouble))
        self.reload()
        if self.profile and self.profile.name == profile.name and profile.name not in self.profiles.leaves:
            self.profile = None
        return complaints

    def search_leaks(self, files: Sequence[Path] = (), *, staged: Path | None = None) -> Searched:
        """Look for secrets in the files of the profiles and in every history; or in files alone, or what git staged."""
        from rpcexplorer.storage.secrets.leaks import search

        histories = (self.journal.of(each).folder for each in (None, *self.profiles.profiles.values()))
        return search(self.profiles, (self.paths.history, *histories), self.secrets, files, staged)

    @property
    def _folders(self) -> list[Path]:
        """Where the files of this person lie, and those of the team here."""
        return [self.paths.config, self.paths.state, self.paths.cache, *(each.parent for each in self.profiles.files)]

    save_reply = staticmethod(save_as)

    def _in_use(self) -> Profile:
        if self.profile is None:
            raise RuntimeError("no profile is in use: call use() first")
        return self.profile
