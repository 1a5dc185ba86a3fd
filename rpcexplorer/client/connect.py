"""From a profile to its connection: the one place that chooses a transport."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rpcexplorer.model.profile import Profile

if TYPE_CHECKING:
    from rpcexplorer.transport.http import HttpTransport


def connect(profile: Profile, reply_limit: int) -> HttpTransport:
    """The connection of a profile. httpx is imported here, when the first call is on its way."""
    from rpcexplorer.transport.http import HttpTransport

    ca_file = None if profile.ca_file is None else Path(profile.ca_file)
    return HttpTransport(ca_file=ca_file, cap=reply_limit)
