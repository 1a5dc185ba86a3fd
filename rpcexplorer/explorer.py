"""The one door: both fronts, and programs that use the library, come through here.

It builds nothing but what the files say and the calls need; each of its methods is a sentence over the wings below.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from rpcexplorer.client.client import Client, fresh_id
from rpcexplorer.client.journey import Stop
from rpcexplorer.client.preview import preview
from rpcexplorer.client.trips import Watch
from rpcexplorer.model.catalogue import Method, asks_first, catalogue
from rpcexplorer.model.complaint import Complaint
from rpcexplorer.model.draft import Batch, Draft, to_calls
from rpcexplorer.model.exchange import Exchange, Preview, Refused
from rpcexplorer.model.person import Nobody, Person
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.record import recorded
from rpcexplorer.model.secret import Secret
from rpcexplorer.model.settings import Settings
from rpcexplorer.protocol.text import Problem
from rpcexplorer.storage.files import FileTrouble
from rpcexplorer.storage.history import History
from rpcexplorer.storage.keys import StoredKeys
from rpcexplorer.storage.paths import Paths
from rpcexplorer.storage.profile_edits import ProfileEdits
from rpcexplorer.storage.profiles import Profiles, load
from rpcexplorer.storage.secrets import Secrets
from rpcexplorer.storage.settings import load_settings
from rpcexplorer.storage.themes import theme_files

__all__ = ["Explorer", "Stop"]


class Explorer:
    """Profiles, history and settings of one person, and the calls made with them."""

    def __init__(self, paths: Paths, profiles: Profiles, settings: Settings, secrets: Secrets, person: Person) -> None:
        self.paths = paths
        self.profiles = profiles
        """What ``sessions.toml`` and its overlays say."""
        self.settings = settings
        """What ``settings.toml`` says."""
        self.secrets = secrets
        """The store of secrets and sessions."""
        self.recording = settings.history.record
        """Whether calls are written to the history."""
        self.trouble = ""
        """Why the last exchange could not be recorded; empty when it could."""
        self.profile: Profile | None = None
        """The profile in use."""
        self._keys = StoredKeys(secrets, person)
        self._clients: list[Client] = []
        self._histories: dict[Path, History] = {}

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
        profiles = load(paths, folder or Path.cwd(), environment, sessions)
        profiles.complaints.extend(complaints)
        secrets = Secrets(paths.secrets, environment, settings.secret_store)
        return cls(paths, profiles, settings, secrets, person or Nobody())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for client in self._clients:
            await client.close()
        self._clients.clear()

    @property
    def history(self) -> History:
        """The history that the profile in use writes to."""
        settings = self.settings.history
        own = self.profile.history if self.profile else None
        folder = Path(own or settings.folder or self.paths.history)
        if folder not in self._histories:
            self._histories[folder] = History(folder, body_limit=settings.body_limit)
        return self._histories[folder]

    def use(self, profile: Profile | str | None = None) -> Profile | Complaint:
        """Choose the profile for what follows: one that is given, a name, or the default one."""
        chosen = profile if isinstance(profile, Profile) else self.profiles.get(profile)
        if isinstance(chosen, Profile):
            self.profile = chosen
        return chosen

    async def call(
        self,
        draft: Draft | Batch,
        *,
        id: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - the exchange's own: it keeps what came by then
        watch: Watch | None = None,
        stop: Stop | None = None,
    ) -> Exchange:
        """Send a draft with the profile in use, and record what came of it."""
        return await self._client().send(draft, id=id, timeout=timeout, watch=watch, stop=stop)

    async def login(self, *, watch: Watch | None = None, stop: Stop | None = None) -> Exchange:
        """Open a new session for the profile in use."""
        return await self._client().login(watch=watch, stop=stop)

    def logout(self) -> bool:
        """Forget the session of the profile in use; False where there was none. The server is not told."""
        profile = self._in_use()
        stored = self.secrets.forget(profile, "session")  # first, so that a store that cannot be written is told
        return self._keys.drop(profile) or stored

    def preview(self, draft: Draft | Batch, *, id: str | None = None) -> Preview | Refused:
        """The exact request that ``call`` would send, with placeholders for secrets."""
        profile = self._in_use()
        has_session = isinstance(self.secrets.find(profile, "session"), Secret)
        return preview(profile, draft, id or fresh_id(), has_session=has_session)

    def methods(self) -> dict[str, Method]:
        """Every method that is known for the profile in use, by name."""
        profile = self._in_use()
        called = self.history.methods(profile.name) if self.recording else ()
        return catalogue(profile, called=called)

    def asks_first(self, draft: Draft | Batch) -> bool:
        """Whether the profile in use wants a question before this is sent."""
        profile = self._in_use()
        calls = to_calls(draft, "")
        known = catalogue(profile)
        return not isinstance(calls, Problem) and any(asks_first(profile, call.method, known) for call in calls)

    def edits(self, file: Path) -> ProfileEdits:
        """What can be done to the profiles in one file."""
        return ProfileEdits(file, self.paths.state)

    def remove_profile(self, profile: Profile) -> list[Complaint]:
        """Take a profile out of every file that speaks of it, then forget its secrets; what stood in the way."""
        done = [self.edits(file).remove(profile.name) for file in self.profiles.files_of(profile.name)]
        complaints = [complaint for complaint in done if complaint]
        if not complaints:
            self.secrets.forget(profile)
        return complaints

    def themes(self) -> dict[str, Path]:
        """Every theme's file by name."""
        return theme_files(self.paths.themes)

    def _in_use(self) -> Profile:
        if self.profile is None:
            raise RuntimeError("no profile is in use: call use() first")
        return self.profile

    def _client(self) -> Client:
        profile = self._in_use()
        for client in self._clients:
            if client.profile == profile:
                return client
        self._clients.append(Client.of(profile, self._keys, self.settings.reply_limit, self._record))
        return self._clients[-1]

    def _record(self, exchange: Exchange) -> None:
        """Write an exchange to the history, secrets hidden. A full disk stops no call: its trouble is told later."""
        self.trouble = ""
        if not self.recording or isinstance(exchange.outcome, Refused):
            return
        limit = self.settings.history.body_limit
        try:
            self.history.append(recorded(exchange, self._in_use(), self._keys.in_use(), limit))
        except FileTrouble as trouble:
            self.trouble = trouble.sentence
