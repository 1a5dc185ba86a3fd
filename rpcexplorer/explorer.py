"""The facade: what both front ends, and programs, ask for."""

from __future__ import annotations

from collections import Counter
from functools import cached_property, partial
from typing import TYPE_CHECKING, Self

from msgspec.structs import replace

from rpcexplorer.client.clients import Clients
from rpcexplorer.model.draft import Batch, Draft, methods_of
from rpcexplorer.model.exchange import Preview, Stop, fresh_id
from rpcexplorer.model.methods.catalogue import asks_first, catalogue
from rpcexplorer.model.methods.listing import Discovery, TellStep
from rpcexplorer.model.profile import DocumentSource
from rpcexplorer.model.secret import Secret
from rpcexplorer.storage.catalogues.descriptions import read_description, stamp_of
from rpcexplorer.storage.known import KnownMethods

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence

    from rpcexplorer.files.paths import Paths
    from rpcexplorer.model.connection_test import Report, Tell
    from rpcexplorer.model.destination import Person
    from rpcexplorer.model.exchange import Exchange, Refused
    from rpcexplorer.model.profile import Profile
    from rpcexplorer.model.replaying import Replayed
    from rpcexplorer.model.settings import Settings
    from rpcexplorer.schema.check import Checker
    from rpcexplorer.storage.profiles.profiles import Profiles
    from rpcexplorer.storage.secrets.lookup import Secrets
    from rpcexplorer.transport.port import Watch
    from rpcexplorer.variables.resolve import Missing, Resolution

COMPARED = 16 * 1024 * 1024
"""Bytes of a reply that are set beside a recorded one; of a longer one it is said that it cannot be compared."""


class Explorer(KnownMethods):
    """Profiles, history and settings of one person, and the calls made with them."""

    def __init__(
        self, paths: Paths, load: Callable[[], Profiles], settings: Settings, secrets: Secrets, person: Person
    ) -> None:
        super().__init__(paths, load, settings, secrets, person)
        self.clients = Clients(self.credentials, settings.reply_limit, self._record)
        self._seed = fresh_id()
        """Of what is random in the next call."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.clients.close()
        if "checker" in self.__dict__:
            await self.checker.close()

    @cached_property
    def checker(self) -> Checker:
        """Params and results against what the service says of them; nothing starts before the first check."""
        from rpcexplorer.schema.check import Checker

        return Checker()

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
        exchange = await (await self.clients.of(profile)).send(draft, id=id, timeout=timeout, watch=watch, stop=stop)
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
        from rpcexplorer.client.replaying import Replaying

        chosen, source, stop = profile or self._in_use(), self.profile, stop or Stop()
        client = await self.clients.of(chosen)
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
        exchange = await (await self.clients.of(profile)).login(watch=watch, stop=stop)
        return self.catalogues.with_habits(exchange, profile)

    async def test(self, profile: Profile, tell: Tell | None = None, stop: Stop | None = None) -> Report:
        """Find out by a few harmless calls how a server wants to be spoken to; ``tell`` hears of each step."""
        missing = [each for each, found in self.credentials.state(profile).items() if not found and each != "session"]
        return await self.clients.test(profile, self.profiles, missing, tell=tell, stop=stop)

    def preview(
        self, draft: Draft | Batch, *, id: str | None = None, profile: Profile | None = None, bare: bool = False
    ) -> Preview | Refused:
        """The exact request that ``call`` would send, with placeholders for secrets; a login's is ``bare``."""
        from rpcexplorer.client.preview import preview

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
        from rpcexplorer.client.discovery.interview import discover

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
        import asyncio  # no start needs it

        found = await asyncio.to_thread(self._described_in_file, profile)
        return await self.catalogues.settle_aside(profile, found, stamp)

    @staticmethod
    def _described_in_file(profile: Profile) -> Discovery:
        from rpcexplorer.client.discovery.interview import described_in_file  # only if a file has changed

        assert isinstance(profile.discovery, DocumentSource)
        return described_in_file(profile.discovery, read_description)

    def asks_first(self, draft: Draft | Batch, profile: Profile | None = None) -> bool:
        """Whether the profile in use, or another one, wants a question before this is sent."""
        return bool(self.to_ask_about([draft], profile))

    def _record(self, exchange: Exchange, profile: Profile) -> None:
        self.journal.record(exchange, profile)
        self.catalogues.heard(exchange, profile, keep=self.journal.recording)
