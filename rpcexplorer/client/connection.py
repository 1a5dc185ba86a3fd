"""From a profile to its connection: the one place that chooses a transport."""

from __future__ import annotations

import asyncio
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from rpcexplorer.model.profile import Profile

if TYPE_CHECKING:
    from rpcexplorer.transport.http.client import HttpTransport


async def connect(profile: Profile, reply_limit: int) -> HttpTransport:
    """The connection of a profile. httpx is loaded with the first one, in another thread: who types goes on."""
    made = await asyncio.to_thread(transport)
    ca_file = None if profile.ca_file is None else Path(profile.ca_file)
    return made(ca_file=ca_file, cap=reply_limit)


@cache
def transport() -> type[HttpTransport]:
    """Loaded, and with it what is loaded by the way of a first request."""
    from rpcexplorer.transport.http.client import HttpTransport, rehearse

    asyncio.run(rehearse())
    return HttpTransport
