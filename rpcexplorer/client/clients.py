"""The clients of one explorer: one for each profile that is called, and a test of the way to a server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING

from rpcexplorer.model.exchange import Stop
from rpcexplorer.model.profile import Profile

if TYPE_CHECKING:
    from rpcexplorer.auth.credentials import CredentialSource
    from rpcexplorer.client.client import Client
    from rpcexplorer.client.connection_test import ProfileSource
    from rpcexplorer.model.connection_test import Report, Tell
    from rpcexplorer.model.exchange import Exchange, Unreached
    from rpcexplorer.transport.port import ShownCertificate


class Clients:
    """Made when they are first needed, and what they are made of is loaded then."""

    def __init__(
        self, credentials: CredentialSource, reply_limit: int, record: Callable[[Exchange, Profile], None]
    ) -> None:
        """``record`` is told with which profile a call was made: another one may be in use when it ends."""
        self._credentials, self._reply_limit, self._record = credentials, reply_limit, record
        self._open: list[Client] = []

    async def of(self, profile: Profile) -> Client:
        """The client of a profile as it is now; an edited profile gets another one, and lets go of its connections."""
        for client in [client for client in self._open if client.profile.name == profile.name]:
            if client.profile == profile:
                return client
            self._open.remove(client)
            await client.close()
        self._open.append(self._made(profile, lambda made: self._record(made, profile)))
        return self._open[-1]

    async def load(self) -> None:
        """Load what the first call takes, in another thread, before there is one: a tenth of a second of imports."""
        connection = await asyncio.to_thread(_loaded)
        await connection.load()

    async def test(
        self,
        profile: Profile,
        known: ProfileSource,
        missing: Sequence[str],
        *,
        tell: Tell | None = None,
        stop: Stop | None = None,
    ) -> Report:
        """What each step of the way came to, by calls that are not recorded; the first of them have no credentials.

        Where these do not get through, credentials that are ``missing`` are named all the same.
        """
        from rpcexplorer.client.connection_test import Tester

        tester = Tester(profile, self._credentials, known, missing)
        try:
            return await tester.run(tell or (lambda _: None), stop or Stop())
        finally:
            await tester.close()

    async def certificate_of(self, profile: Profile) -> ShownCertificate | Unreached:
        """The certificate that a profile's server shows, and what is against it. Nothing is sent to the server."""
        from rpcexplorer.model.exchange import Unreached
        from rpcexplorer.transport.port import Unreachable

        connection = await asyncio.to_thread(_loaded)
        try:
            shown: ShownCertificate = await connection.certificate_of(profile)
        except Unreachable as error:
            return Unreached(error.step, error.sentence)
        return shown

    def _made(self, profile: Profile, record: Callable[[Exchange], None]) -> Client:
        from rpcexplorer.client.client import Client

        return Client.of(profile, self._credentials, self._reply_limit, record)

    async def close(self) -> None:
        for client in self._open:
            await client.close()
        self._open.clear()


def _loaded() -> ModuleType:
    from rpcexplorer.client import client, connection  # noqa: F401 - the client is only loaded

    return connection
