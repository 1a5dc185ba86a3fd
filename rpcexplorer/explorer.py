"""The one door: both fronts, and programs that use the library, come through here.

It hands out its parts, and whoever needs one of them asks that one. A method stands here if it goes by the profile in
use, takes more than one part, or is no part's own; none forwards to a part alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from rpcexplorer.auth.registry import auth_of
from rpcexplorer.client.clients import Clients
from rpcexplorer.client.stop import Stop, fresh_id
from rpcexplorer.jsontext.typed.params import Problem
from rpcexplorer.model.catalogue import Discovery, Method, asks_first, catalogue
from rpcexplorer.model.complaint import Complaint
from rpcexplorer.model.draft import Batch, Draft, to_calls
from rpcexplorer.model.person import Nobody, Person
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secrets.secret import Secret
from rpcexplorer.storage.catalogues import Catalogues, read_description
from rpcexplorer.storage.drafts import Drafts
from rpcexplorer.storage.files import save_as, told
from rpcexplorer.storage.history.journal import Journal
from rpcexplorer.storage.history.rescue import Rescue
from rpcexplorer.storage.paths import Paths
from rpcexplorer.storage.profiles.loading import Profiles, load
from rpcexplorer.storage.replaced import ReplacedDrafts
from rpcexplorer.storage.screen_state import ScreenState
from rpcexplorer.storage.secrets.credentials import StoredCredentials
from rpcexplorer.storage.secrets.lookup import Secrets
from rpcexplorer.storage.settings import load_settings, save_setting
from rpcexplorer.storage.themes import Themes

if TYPE_CHECKING:
    from rpcexplorer.model.doctor.report import Report, Tell
    from rpcexplorer.model.exchange import Exchange, Preview, Refused, Watch
    from rpcexplorer.model.hints.hint import Changes
    from rpcexplorer.model.settings import Settings
    from rpcexplorer.redaction.redactor import Redactor
    from rpcexplorer.storage.history.store import History
    from rpcexplorer.storage.profiles.edits import ProfileEdits
    from rpcexplorer.storage.secrets.leaks import Searched

__all__ = ["Explorer", "Stop", "fresh_id"]


class Explorer:
    """Profiles, history and settings of one person, and the calls made with them."""

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
        self.remembered = ScreenState(paths.screen, self.credentials.in_use)
        """Small things that the screen remembers."""
        self.journal = Journal(settings.history, paths.history, self.credentials.in_use)
        """The history as this explorer keeps it: whether it records, and what went wrong."""
        self.rescue = Rescue(self.journal, self.drafts, paths.unsaved, settings.history.body_limit)
        """What could not be written by the end of a run."""
        self.themes = Themes(paths.themes)
        """Those that come with the program, and this person's own."""
        self.clients = Clients(self.credentials, settings.reply_limit, self._record)

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

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.clients.close()

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
        profile = self._in_use()
        exchange = await (await self.clients.of(profile)).send(draft, id=id, timeout=timeout, watch=watch, stop=stop)
        return self.catalogues.with_habits(exchange, profile)

    async def login(self, *, watch: Watch | None = None, stop: Stop | None = None) -> Exchange:
        """Open a new session for the profile in use."""
        profile = self._in_use()
        exchange = await (await self.clients.of(profile)).login(watch=watch, stop=stop)
        return self.catalogues.with_habits(exchange, profile)

    async def test(self, profile: Profile, tell: Tell | None = None, stop: Stop | None = None) -> Report:
        """Find out by a dozen harmless calls how a server wants to be spoken to; ``tell`` hears of each step."""
        missing = [each for each, found in self.credentials.state(profile).items() if not found and each != "session"]
        return await self.clients.test(profile, self.profiles, missing, tell=tell, stop=stop)

    def preview(
        self, draft: Draft | Batch, *, id: str | None = None, profile: Profile | None = None, bare: bool = False
    ) -> Preview | Refused:
        """The exact request that ``call`` would send, with placeholders for secrets; a login's is ``bare``."""
        from rpcexplorer.client.preview import preview

        profile = profile or self._in_use()
        has_session = isinstance(self.secrets.find(profile, "session"), Secret)
        secrets = self.credentials.in_use()
        return preview(profile, draft, id or fresh_id(), has_session=has_session, bare=bare, secrets=secrets)

    def redactor(self, *, of_this_profile: bool = False) -> Redactor:
        """What takes the secrets that this run knows out of a text; of two labels, one ``of_this_profile`` wins."""
        from rpcexplorer.redaction.redactor import Redactor

        profile = self._in_use().name if of_this_profile and self.profile else ""
        return Redactor(self.credentials.in_use(), profile=profile)

    def methods(self, *, called: bool = True) -> dict[str, Method]:
        """Every method that is known for the profile in use, by name; without ``called`` no history is read for it."""
        profile = self._in_use()
        learned, absent = self.catalogues.of(profile), self.catalogues.absent(profile)
        names = self.journal.methods(profile) if called else ()
        return auth_of(profile).offered(catalogue(profile, learned.methods if learned else (), names, absent))

    async def discover(self, *, watch: Watch | None = None, stop: Stop | None = None) -> Discovery:
        """Ask the service which methods it has, and keep what it says for the profile in use. Nothing is recorded."""
        from rpcexplorer.client.discovery.interview import discover

        profile, limit = self._in_use(), self.settings.reply_limit
        found = await discover(profile, self.credentials, limit, read=read_description, watch=watch, stop=stop)
        return self.catalogues.settle(profile, found)

    def asks_first(self, draft: Draft | Batch) -> bool:
        """Whether the profile in use wants a question before this is sent."""
        profile = self._in_use()
        calls = to_calls(draft, "")
        known = catalogue(profile, absent=self.catalogues.absent(profile))
        return not isinstance(calls, Problem) and any(asks_first(profile, call.method, known) for call in calls)

    def draft_of(self, method: str, *, called: bool = True) -> str:
        """The params last typed for a method on the profile in use, else its starting point, else ``[]``.

        That is what brought a result last, of a method marked safe; without ``called`` no history is read for it.
        """
        profile, known = self._in_use(), self.methods(called=False).get(method)
        last = partial(self.journal.last_params, profile, method) if called and known and known.safe else None
        return self.drafts.text_for(profile, method, known, last)

    def recent(self, limit: int) -> list[Exchange]:
        """The newest calls of the profile in use, newest first; also those that could not be written."""
        return self.journal.recent(self._in_use(), limit)

    def save_setting(self, key: str, value: object) -> str:
        """Set one key of ``settings.toml``; a sentence where that failed."""
        return str(save_setting(self.paths, key, value) or "")

    def reload(self) -> None:
        """Read the profiles again; the one in use stays as it is, unless the files say something else of it now."""
        before, self.profiles = self.profiles.profiles, self._load()
        self.secrets.routes.profiles = self.profiles
        name = self.profile.name if self.profile and not self.profile.ad_hoc else ""
        if name and self.profiles.profiles.get(name) != before.get(name):
            self.profile = self.profiles.profiles.get(name)

    def edits(self, file: Path) -> ProfileEdits:
        from rpcexplorer.storage.profiles.edits import ProfileEdits

        return ProfileEdits(file, self.paths.state, file == self.paths.user_sessions, self.profiles)

    def apply(self, name: str, changes: Changes, file: Path) -> Complaint | None:
        """Change a profile in a file, and read it anew; what stood in the way, and then nothing was changed."""
        complaint = self.edits(file).apply(name, changes, self.profiles.leaves.get(name, {}))
        self.reload()
        return complaint

    def remove_profile(self, profile: Profile) -> list[Complaint]:
        """Take a profile out of every file that speaks of it, then forget its secrets; what stood in the way."""
        files = self.profiles.files_of(profile.name)
        complaints = [said for file in files if (said := self.edits(file).remove(profile.name))]
        for file in set(self.profiles.files) - set(files) if not complaints else ():
            complaints += filter(None, [self.edits(file).drop_default(profile.name)])
        if not complaints and (trouble := told(lambda: self.secrets.forget(profile))):
            complaints.append(Complaint(str(self.paths.secrets), trouble))
        return complaints

    def search_leaks(self, files: Sequence[Path] = (), *, staged: Path | None = None) -> Searched:
        """Look for secrets in the files of the profiles and in every history; or in files alone, or what git staged."""
        from rpcexplorer.storage.secrets.leaks import search

        histories = (self.journal.of(each).folder for each in (None, *self.profiles.profiles.values()))
        return search(self.profiles, (self.paths.history, *histories), self.secrets, files, staged)

    save_reply = staticmethod(save_as)

    def _record(self, exchange: Exchange, profile: Profile) -> None:
        self.journal.record(exchange, profile)
        self.catalogues.heard(exchange, profile, keep=self.journal.recording)

    def _in_use(self) -> Profile:
        if self.profile is None:
            raise RuntimeError("no profile is in use: call use() first")
        return self.profile
