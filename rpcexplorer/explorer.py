"""The facade: what both front ends, and programs, ask for."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Self

from msgspec.structs import replace

from rpcexplorer.auth.registry import auth_of
from rpcexplorer.discovery.methods import Discovery, TellStep, asks_first, catalogue, saved_among
from rpcexplorer.files.io import error_of, save_as
from rpcexplorer.files.paths import Location, Paths
from rpcexplorer.files.toml import dotted
from rpcexplorer.model.destination import FORM_OF_REQUEST, Destination, Nobody, Person, changes
from rpcexplorer.model.draft import Batch, Draft, methods_of
from rpcexplorer.model.exchange import Preview, Stop, Unreached, fresh_id
from rpcexplorer.model.method import SIGN, Described, as_named, method_of
from rpcexplorer.model.problem import Problem, counted
from rpcexplorer.model.profile import OVERLAY, DocumentSource, Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.profiles.profiles import Profiles, load
from rpcexplorer.secrets.credentials import StoredCredentials
from rpcexplorer.secrets.destination import KEY
from rpcexplorer.secrets.lookup import Secrets
from rpcexplorer.settings import ScreenState, Themes, load_settings, save_setting
from rpcexplorer.transport.port import Unreachable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from rpcexplorer.client.client import Client
    from rpcexplorer.client.replay import Replayed
    from rpcexplorer.client.report import Report, ShowReport
    from rpcexplorer.discovery.store import Catalogues
    from rpcexplorer.drafts import CollectedBatches, Drafts, ImportedDrafts, ReplacedDrafts
    from rpcexplorer.history.case import Cases
    from rpcexplorer.history.folder import History
    from rpcexplorer.history.store import Journal, Rescue
    from rpcexplorer.model.exchange import Exchange, Refused
    from rpcexplorer.model.method import Method, SavedCall
    from rpcexplorer.model.problem import Changes
    from rpcexplorer.model.settings import Settings
    from rpcexplorer.profiles.edits import ProfileEdits
    from rpcexplorer.redaction.redactor import Redactor
    from rpcexplorer.schema.check import Checker
    from rpcexplorer.secrets.leaks import Searched
    from rpcexplorer.transport.port import ShownCertificate, Watch
    from rpcexplorer.variables.references import Offered
    from rpcexplorer.variables.resolve import Missing, Resolution


COMPARED = 16 * 1024 * 1024
"""Bytes of a response that are set beside a recorded one; of a longer one it is said that it cannot be compared."""


class Explorer:
    """Profiles, history and settings of one person, and the calls made with them.

    A store is made, and its code loaded, when it is first used.
    """

    save_reply = staticmethod(save_as)

    def __init__(
        self, paths: Paths, load: Callable[[], Profiles], settings: Settings, secrets: Secrets, person: Person
    ) -> None:
        self.paths, self._load = paths, load
        self.profiles = secrets.destinations.profiles = load()
        """What ``sessions.toml`` and its overlays say."""
        self.settings = settings
        self.secrets = secrets
        self.profile: Profile | None = None  # the one in use
        self.prints = False
        """Replies go to stdout, so that the names of their members stay, whatever secret is in them."""
        self.credentials = StoredCredentials(secrets, person, lambda: self.profiles.profiles.values())  # noqa: PLW0108 - read anew
        """Credentials and sessions: what is known of them, and what is held for this run."""
        self._clients: list[Client] = []
        self._seed = fresh_id()
        """Of what is random in the next call."""

    @classmethod
    def open(
        cls,
        *,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        sessions: Path | None = None,
        person: Person | None = None,
    ) -> Self:
        """Read profiles and settings as a program started in ``folder`` would. What is damaged becomes a problem."""
        environment = os.environ if environment is None else environment
        paths = Paths.of(environment)
        settings, problems = load_settings(paths)
        reading = partial(load, paths, folder or Path.cwd(), environment, sessions)
        secrets = Secrets(paths.secrets, environment, settings.secret_store)
        explorer = cls(paths, reading, settings, secrets, person or Nobody())
        explorer.profiles.problems.extend(problems)
        return explorer

    @cached_property
    def catalogues(self) -> Catalogues:
        """What was discovered, and when; and which methods a server does not have."""
        from rpcexplorer.discovery.store import Catalogues

        return Catalogues(self.paths.catalogues, self.credentials.in_use)

    @cached_property
    def drafts(self) -> Drafts:
        """What was typed for each method, sent or not."""
        from rpcexplorer.drafts import Drafts

        return Drafts(self.paths.drafts)

    @cached_property
    def replaced(self) -> ReplacedDrafts:
        """Drafts that were replaced by another call."""
        from rpcexplorer.drafts import ReplacedDrafts

        return ReplacedDrafts(self.paths.drafts / "replaced")

    @cached_property
    def batches(self) -> CollectedBatches:
        """Calls that are collected for one body."""
        from rpcexplorer.drafts import CollectedBatches

        return CollectedBatches(self.paths.drafts / "batches")

    @cached_property
    def imports(self) -> ImportedDrafts:
        """Calls from other programs, as drafts."""
        from rpcexplorer.drafts import ImportedDrafts

        return ImportedDrafts(self.drafts, self.replaced)

    @cached_property
    def remembered(self) -> ScreenState:
        """Small things that the screen remembers."""
        return ScreenState(self.paths.screen, self.credentials.in_use)

    @cached_property
    def themes(self) -> Themes:
        """Those that come with the program, and this person's own."""
        return Themes(self.paths.themes)

    @cached_property
    def journal(self) -> Journal:
        """The history as this explorer keeps it: whether it records, and what went wrong."""
        from rpcexplorer.history.store import Journal

        return Journal(self.settings.history, self.paths.history, self.credentials.in_use)

    @cached_property
    def cases(self) -> Cases:
        """Calls as a file to share, and those that somebody else has shared."""
        from rpcexplorer.history.case import Cases

        return Cases(self.journal, self.credentials.in_use, lambda: self.profiles.profiles)

    @cached_property
    def rescue(self) -> Rescue:
        """Calls that could not be recorded by the end of a run."""
        from rpcexplorer.history.store import Rescue

        return Rescue(self.journal, self.paths.unsaved)

    @cached_property
    def checker(self) -> Checker:
        """Params and results against what the service says of them; nothing starts before the first check."""
        from rpcexplorer.schema.check import Checker

        return Checker()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for client in self._clients:
            await client.close()
        self._clients.clear()
        if "checker" in self.__dict__:
            await self.checker.close()

    def put_unsaved_aside(self) -> str:
        """Keep elsewhere the calls that could not be recorded; return what could not be written, in sentences."""
        problems = [self.rescue.put_aside()] if "journal" in self.__dict__ else []
        if "drafts" in self.__dict__ and (problem := self.drafts.save_unsaved()):
            problems.append(f"{counted(len(self.drafts.unsaved), 'draft')} could not be saved: {problem}.")
        return "\n".join(filter(None, problems))

    @property
    def history(self) -> History:
        """The history that the profile in use writes to."""
        return self.journal.of(self.profile)

    def locations(self) -> list[Location]:
        """Return every file and folder of this person; the history is that of the profile in use."""
        return self.paths.locations(self.profiles.project_file, self.history.folder)

    def use(self, profile: Profile | str | None = None) -> Profile | Problem:
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
        self.secrets.destinations.profiles = self.profiles
        name = self.profile.name if self.profile and not self.profile.ad_hoc else ""
        now = self.profiles.profiles.get(name)
        if now is not None and now != before.get(name):
            self.profile = now

    def edits(self, file: Path) -> ProfileEdits:
        from rpcexplorer.profiles.edits import ProfileEdits

        return ProfileEdits(file, self.paths.state, file == self.paths.user_sessions, self.profiles)

    def apply(self, profile: Profile, changes: Changes, file: Path, seen: Collection[str] = ()) -> Problem | None:
        """Change a profile in a file, and read it again. Return what prevented it, and then nothing was changed.

        ``seen``: the keys whose change this person accepts, see ``accepting``.
        """
        with self.accepting(profile, seen):
            problem = self.edits(file).apply(profile.name, changes, self.profiles.leaves.get(profile.name, {}))
            self.reload()
        return problem

    def mark_safe(self, profile: Profile, method: str, *, safe: bool, file: Path) -> Problem | None:
        """Mark a method safe or unsafe in a file, and read the profiles again; return what prevented it."""
        return self.apply(profile, ((dotted(("method", method, "safe")), safe),), file)

    @staticmethod
    def commit_warning(file: Path) -> str:
        """Return a warning if git would commit a file of personal changes; otherwise nothing."""
        if file.name != OVERLAY:
            return ""
        from rpcexplorer.secrets.leaks import Git

        if not Git(file.parent).may_commit(file.name):
            return ""
        return f"Git does not ignore the local file {file}. Add {file.name} to .gitignore."

    @contextmanager
    def accepting(self, profile: Profile, keys: Collection[str] = ()) -> Iterator[None]:
        """Change a profile so that its secrets go to the changed destination without another question.

        ``keys`` are those that this person has typed, or seen with old and new value and said yes to. If anything else
        of the destination has changed, the next call asks, as it does if a secret was held back before. The form of a
        request and what a preset among ``keys`` says are accepted with it, another server never.
        """
        self.reload()
        was, before = self.profiles.profiles.get(profile.name), self.secrets.destinations.of(profile)
        held_back = self.credentials.held_back(profile)
        yield
        now = self.profiles.profiles.get(profile.name)
        if was != profile or now is None or held_back & {*profile.secrets, *now.secrets, KEY}:
            return
        after = self.secrets.destinations.of(now)
        if all(self._is_accepted(change.key, after, now, keys) for change in changes(before, after)):
            self.credentials.carry_over(profile, now)

    def _is_accepted(self, key: str, after: Destination, now: Profile, keys: Collection[str]) -> bool:
        """Return whether a change of this key of a destination follows from the accepted keys alone."""
        if key in {*FORM_OF_REQUEST, *keys} or (key == "discovery.url" and "discovery" in keys):
            return True
        if key not in after and "auth.kind" in keys:  # settings of the auth type before
            return key.startswith(("auth.", "login."))
        return "preset" in keys and self.profiles.is_of_preset(now.name, key)

    def use_changed(self, profile: Profile) -> None:
        """Go on with the profile in use as this person has changed it for this run, with what was typed for it."""
        before, self.profile = self._in_use(), profile
        old, new = (self.secrets.destinations.of(each) for each in (before, profile))
        if all(change.key in FORM_OF_REQUEST for change in changes(old, new)):
            self.credentials.carry_over(before, profile)

    def save_call(self, call: SavedCall, *, replacing: bool = False) -> Problem | None:
        """Write a saved call into its file, where no secret that this run knows may stand, and read that anew."""
        hide = self.redactor().text
        if any(hide(text) != text for text in (call.name, call.method, call.text, call.doc)):
            return Problem(call.file, "the call contains a secret. Replace it with a variable, such as {{name}}")
        problem = self.edits(Path(call.file)).save_call(call, replacing=replacing)
        self.reload()
        return problem

    def remove_call(self, call: SavedCall) -> Problem | None:
        problem = self.edits(Path(call.file)).remove_call(call)
        self.reload()
        return problem

    def remove_profile(self, profile: Profile) -> list[Problem]:
        """Remove a profile from all files, then its secrets, and stop using it; return what failed."""
        files = self.profiles.files_of(profile.name)
        problems = [said for file in files if (said := self.edits(file).remove(profile.name))]
        for file in set(self.profiles.files) - set(files) if not problems else ():
            problems += filter(None, [self.edits(file).drop_default(profile.name)])
        if not problems and (problem := error_of(lambda: self.secrets.forget(profile))):
            problems.append(Problem(str(self.paths.secrets), problem))
        self.reload()
        if self.profile and self.profile.name == profile.name and profile.name not in self.profiles.leaves:
            self.profile = None
        return problems

    def search_leaks(self, files: Sequence[Path] = (), *, staged: Path | None = None) -> Searched:
        """Look for secrets in the files of the profiles and in every history; or in files alone, or what git staged."""
        from rpcexplorer.secrets.leaks import search

        histories = (self.journal.of(each).folder for each in (None, *self.profiles.profiles.values()))
        return search(self.profiles, (self.paths.history, *histories), self.secrets, files, staged)

    def _in_use(self) -> Profile:
        if self.profile is None:
            raise RuntimeError("no profile is in use: call use() first")
        return self.profile

    def names(self) -> tuple[Offered, ...]:
        """What could stand between double braces with the profile in use."""
        from rpcexplorer.variables.references import names

        profile = self._in_use()
        return names(self.profiles.variables_of(profile), self.journal.methods(profile))

    def saved_calls(self) -> dict[str, SavedCall]:
        """The calls that are saved for the profile in use, by name."""
        return self.profiles.calls_of(self._in_use())

    def listed_methods(self, *, called: bool = True) -> dict[str, Method]:
        """Return the saved calls, each with a sign before its name, and then the methods."""
        methods, calls = self.methods(called=called), self.saved_calls()
        saved = saved_among(calls.values(), methods) if calls else {}
        if signed := [name for name in methods if name.startswith(SIGN)]:
            methods |= {as_named(name): replace(methods.pop(name), name=as_named(name)) for name in signed}
        return {**saved, **methods, **saved}

    def methods(self, *, called: bool = True) -> dict[str, Method]:
        """Every method that is known for the profile in use, by name; without ``called`` no history is read for it."""
        profile = self._in_use()
        learned, absent = self.catalogues.of(profile), self.catalogues.absent(profile)
        names = self.journal.methods(profile) if called else ()
        auth, known = auth_of(profile), catalogue(profile, learned.methods if learned else (), names, absent)
        return {name: auth.offered(method) for name, method in known.items()}

    def described(self, method: str) -> Described | None:
        """All that is known of what a method takes and gives; None of a name that nobody has told of."""
        found = self.catalogues.described(profile := self._in_use(), method)
        known = None if found and not auth_of(profile).in_params else self.methods(called=False).get(method)
        if known is None or found is None:
            return Described(dialect=known.dialect) if known else found
        return auth_of(profile).offered_in_full(known, found)

    def draft_of(self, method: str, *, called: bool = True) -> str:
        """The params last typed for a method on the profile in use, else its starting point, else ``[]``.

        That is what brought a result last, of a method marked safe; without ``called`` no history is read for it. A
        saved call, named with its sign, starts with its own params; what is typed there is kept apart.
        """
        if method.startswith(SIGN) and (saved := self.saved_calls().get(method.removeprefix(SIGN))):
            return self.drafts.text_for(self._in_use(), method, None, lambda: saved.text or "[]")
        called_as = method_of(method)
        profile, known = self._in_use(), self.methods(called=False).get(called_as)
        last = partial(self.journal.last_params, profile, called_as) if called and known and known.safe else None
        return self.drafts.text_for(profile, method, known, last, partial(self.described, called_as))

    def recent(self, limit: int) -> list[Exchange]:
        """The newest calls of the profile in use, newest first; also those that could not be written."""
        return self.journal.recent(self._in_use(), limit)

    async def client_of(self, profile: Profile) -> Client:
        """The client of a profile as it is now; an edited profile gets another one, and lets go of its connections."""
        for client in [client for client in self._clients if client.profile.name == profile.name]:
            if client.profile == profile:
                return client
            self._clients.remove(client)
            await client.close()
        from rpcexplorer.client.client import Client

        def record(exchange: Exchange) -> None:
            """Write it down as a call with this profile: another one may be in use when it ends."""
            self.journal.record(exchange, profile)
            self.catalogues.heard(exchange, profile, keep=self.journal.recording)

        limit = self.settings.reply_limit
        self._clients.append(Client.of(profile, self.credentials, limit, record, prints=self.prints))
        return self._clients[-1]

    async def load(self) -> None:
        """Load what the first call takes, in another thread, before there is one: a tenth of a second of imports."""
        connection = await asyncio.to_thread(_loaded)
        await connection.load()

    async def certificate_of(self, profile: Profile) -> ShownCertificate | Unreached:
        """The certificate that a profile's server shows, and what is against it. Nothing is sent to the server."""
        connection = await asyncio.to_thread(_loaded)
        try:
            shown: ShownCertificate = await connection.certificate_of(profile)
        except Unreachable as error:
            return Unreached(error.step, error.sentence)
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
        """Send a draft with the profile in use, or another one, and record what came of it."""
        profile, id = profile or self._in_use(), id or fresh_id()
        found = self._resolution(draft, profile, id=id) if "{{" in draft.text else None
        draft = found.draft if found else draft
        exchange = await (await self.client_of(profile)).send(draft, id=id, timeout=timeout, watch=watch, stop=stop)
        self._seed = fresh_id()
        exchange = self.catalogues.with_habits(exchange, profile)
        return replace(exchange, notes=(*exchange.notes, *found.remarks)) if found else exchange

    async def replay(
        self,
        records: Sequence[Exchange],
        *,
        profile: Profile | None = None,
        ignore: Sequence[str] = (),
        watch: Watch | None = None,
        stop: Stop | None = None,
    ) -> AsyncIterator[Replayed]:
        """Send again what was sent, one call after the other, and compare: one ``Replayed`` for each record, in order.

        The records are of the history of the profile in use, or of a case; they are sent with it, or another
        ``profile``. Nobody is asked: see ``to_ask_about``. ``ignore``: JSON pointers from the result on.
        """
        from rpcexplorer.client.replay import Replaying

        chosen, source, stop = profile or self._in_use(), self.profile, stop or Stop()
        client = await self.client_of(chosen)
        replaying = Replaying(
            chosen,
            lambda draft: client.send(draft, watch=watch, stop=stop),
            lambda exchange: self.journal.as_recorded(exchange, chosen, COMPARED),
            lambda record: self.journal.is_ours(record, source),
        )
        async for each in replaying.run(records, ignore, stop):
            yield each

    def to_ask_about(self, drafts: Iterable[Draft | Batch], profile: Profile | None = None) -> Counter[str]:
        """The methods that the profile in use, or another one, wants a question for before these are sent.

        They are those of the calls that would go out, also in a batch, each with how often it is called.
        """
        profile = profile or self._in_use()
        known = catalogue(profile, absent=self.catalogues.absent(profile))
        names = (name for draft in drafts for name in methods_of(draft))
        return Counter(name for name in names if asks_first(profile, name, known))

    async def login(self, *, watch: Watch | None = None, stop: Stop | None = None) -> Exchange:
        """Open a new session for the profile in use."""
        profile = self._in_use()
        exchange = await (await self.client_of(profile)).login(watch=watch, stop=stop)
        return self.catalogues.with_habits(exchange, profile)

    async def test(self, profile: Profile, show: ShowReport | None = None, stop: Stop | None = None) -> Report:
        """Find out by a few harmless calls how a server wants to be spoken to; ``show`` is called with each step.

        They are not recorded, and the first of them have no credentials.
        """
        from rpcexplorer.client.connection_test import Tester

        missing = [
            field for field, found in self.credentials.state(profile).items() if not found and field != "session"
        ]
        tester = Tester(
            profile,
            self.credentials,
            missing,
            presets=self.profiles.usable_presets(),
            chosen=self.profiles.chosen(profile),
            change=self.profiles.changed,
        )
        try:
            return await tester.run(show or (lambda _: None), stop or Stop())
        finally:
            await tester.close()

    def preview(
        self, draft: Draft | Batch, *, id: str | None = None, profile: Profile | None = None, bare: bool = False
    ) -> Preview | Refused:
        """The exact request that ``call`` would send, with placeholders for secrets; a login's is ``bare``."""
        from rpcexplorer.client.client import preview

        profile, id = profile or self._in_use(), id or fresh_id()
        found = self._resolution(draft, profile, id=id) if "{{" in draft.text else None
        draft = found.draft if found else draft
        has_session = isinstance(self.secrets.find(profile, "session"), Secret)
        logs_in = not profile.assumes_auth or self.credentials.can_log_in(profile)
        secrets = self.credentials.in_use()
        shown = preview(profile, draft, id, has_session=has_session, logs_in=logs_in, bare=bare, secrets=secrets)
        return replace(shown, remarks=found.remarks) if found and isinstance(shown, Preview) else shown

    def resolved(
        self,
        draft: Draft | Batch,
        given: Mapping[str, str] | None = None,
        *,
        id: str = "",
        profile: Profile | None = None,
    ) -> Draft | Batch | Missing:
        """The draft with the values of the profile in use, or another one, for its ``{{…}}``; or which have none.

        ``given`` is for this call alone and comes before variables. Nothing is resolved a second time when it is sent.
        Under one ``id`` what is random stays the same until a call was sent.
        """
        from rpcexplorer.variables.resolve import Missing

        found = self._resolution(draft, profile or self._in_use(), given, id=id)
        return Missing(found.unresolved) if found.unresolved else found.draft

    def _resolution(
        self, draft: Draft | Batch, profile: Profile, given: Mapping[str, str] | None = None, *, id: str = ""
    ) -> Resolution:
        from rpcexplorer.variables.resolve import Sources, resolution

        last, variables = partial(self.journal.last_value, profile), self.profiles.variables_of(profile)
        return resolution(draft, Sources(given or {}, variables, last, f"{self._seed} {id or fresh_id()}"))

    async def discover(
        self, *, watch: Watch | None = None, stop: Stop | None = None, tell: TellStep | None = None
    ) -> Discovery:
        """Ask the service which methods it has, and keep what it says for the profile in use. Nothing is recorded."""
        from rpcexplorer.discovery.interview import discover
        from rpcexplorer.discovery.store import read_description, stamp_of

        profile, limit = self._in_use(), self.settings.reply_limit
        source = profile.discovery
        stamp = stamp_of(source) if isinstance(source, DocumentSource) and source.file else ""
        found = await discover(
            profile, self.credentials, limit, read=read_description, watch=watch, stop=stop, tell=tell
        )
        return await self.catalogues.settle_aside(profile, found, stamp)

    def read_description(self) -> None:
        """Read the file that describes the methods of the profile in use, if it is new or has changed."""
        profile = self._in_use()
        if stamp := self.catalogues.unread(profile):
            self.catalogues.settle(profile, self._described_in_file(profile), stamp)

    async def read_description_aside(self) -> Discovery | None:
        """As ``read_description``, but in a thread; None if there was nothing to read."""
        profile = self._in_use()
        if not (stamp := self.catalogues.unread(profile)):
            return None
        found = await asyncio.to_thread(self._described_in_file, profile)
        return await self.catalogues.settle_aside(profile, found, stamp)

    @staticmethod
    def _described_in_file(profile: Profile) -> Discovery:
        from rpcexplorer.discovery.interview import described_in_file  # only if a file has changed
        from rpcexplorer.discovery.store import read_description

        assert isinstance(profile.discovery, DocumentSource)
        return described_in_file(profile.discovery, read_description)


def _loaded() -> ModuleType:
    from rpcexplorer.client import (
        call,
        client,  # noqa: F401 - a first call needs both
    )

    return call
