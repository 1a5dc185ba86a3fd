"""The clients of one explorer: one for each profile that is called, and a call that only tries the way."""

from __future__ import annotations

from rpcexplorer.client.client import Client
from rpcexplorer.client.journey import Record
from rpcexplorer.client.keys import Keys
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.profile import AuthKind, CookieAuth, Profile
from rpcexplorer.model.steps import Step, steps

HARMLESS: dict[AuthKind, str] = {"inline": "arg_test", "none": "ping"}
"""Whatever a service answers to it, even that it knows no such method, it has answered."""


class Clients:
    """Made when they are first needed."""

    def __init__(self, keys: Keys, reply_limit: int, record: Record) -> None:
        self._keys, self._reply_limit, self._record = keys, reply_limit, record
        self._open: list[Client] = []

    def of(self, profile: Profile) -> Client:
        """The client of a profile as it is now; an edited profile gets another one."""
        for client in self._open:
            if client.profile == profile:
                return client
        self._open.append(Client.of(profile, self._keys, self._reply_limit, self._record))
        return self._open[-1]

    async def test(self, profile: Profile) -> list[Step]:
        """One call that is not recorded, and what each step of its way came to: a login where there are sessions."""
        client = Client.of(profile, self._keys, self._reply_limit, _unrecorded)
        if isinstance(profile.auth, CookieAuth):
            exchange = await client.login()
        else:
            exchange = await client.send(Draft(HARMLESS[profile.auth.kind]))
        await client.close()
        return steps(exchange, profile)

    async def close(self) -> None:
        """Close all of them."""
        for client in self._open:
            await client.close()
        self._open.clear()


def _unrecorded(exchange: Exchange) -> None:
    """A test of the connection is nobody's call."""
