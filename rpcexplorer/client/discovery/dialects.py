"""The dialects in which services are asked for their methods, and which of them a profile is asked in.

Where a profile leaves it open, those are asked that cost an unknown server nothing: each is one call without effect,
by a name that says so. ``list`` is not among them, which may mean anything, nor ``tools/list``, before which there is
a handshake. Two are asked of everyone, for they tell different things of one service; of the others the first that
tells of a method is the last. Between the two a document is looked for where servers put theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Protocol

from rpcexplorer.client.discovery import description, kodi, mcp, mopidy, names, ubus
from rpcexplorer.client.discovery.documents import at_path, paths_to_try
from rpcexplorer.client.discovery.help import help_text
from rpcexplorer.client.discovery.openrpc import openrpc
from rpcexplorer.client.discovery.questions import Dialect
from rpcexplorer.client.discovery.system import list_methods
from rpcexplorer.model.profile import DocumentSource, Profile

ALWAYS: Final = (Dialect("rpc.discover", openrpc), Dialect("system.listMethods", list_methods))
"""In the order of how much they tell: the first to name a method describes it."""
GRAPHENE: Final = Dialect(names.GET_METHODS, names.get_methods, re.compile("assert exception:", re.IGNORECASE))
"""Chains that are made with that library put this before what they refuse."""
SUSPECTED: Final = (
    Dialect("rpc_modules", names.rpc_modules, re.compile(r"the method \S+ does not exist", re.IGNORECASE)),
    Dialect("Shelly.ListMethods", names.shelly, re.compile("no handler for", re.IGNORECASE)),
    GRAPHENE,
)
"""Asked only where the service has given itself away."""
IN_TURN: Final = (
    Dialect("rpc.describe", description.rpc_describe),
    Dialect("system.describe", description.system_describe),
    Dialect("rpc_methods", names.rpc_methods),
    Dialect("JSONRPC.Introspect", kodi.introspect),
    Dialect("core.describe", mopidy.describe),
    Dialect("help", help_text),
)
NAMED_ONLY: Final = (Dialect("tools/list", mcp.tools), Dialect("list", ubus.objects))
DIALECTS: Final = {dialect.name: dialect for dialect in (*ALWAYS, *IN_TURN, *NAMED_ONLY, GRAPHENE)}
"""Those that a profile can name."""


class Heard(Protocol):
    """What has come of the questions so far."""

    @property
    def has_methods(self) -> bool: ...

    @property
    def is_closed(self) -> bool:
        """Whether the service would say the same again and again, such as that it wants credentials."""

    @property
    def is_known(self) -> bool:
        """Whether a dialect that was suspected was spoken: no other one will be."""

    def gave_away(self, clue: re.Pattern[str]) -> bool:
        """Whether a refusal says what only the services say that the clue is of."""


def asked_of(profile: Profile, heard: Heard) -> Iterator[Dialect]:
    """The dialects to ask in, one after the other: what was ``heard`` decides on the next."""
    if isinstance(profile.discovery, DocumentSource):
        yield at_path(profile.discovery.url)
    elif profile.discovery != "auto":
        yield DIALECTS[profile.discovery]
    elif profile.handshake == "mcp":
        yield DIALECTS["tools/list"]
    else:
        first, *others = ALWAYS
        yield first
        for path in paths_to_try(profile):
            if not heard.has_methods and not heard.is_closed:
                yield at_path(path, guess=True)
        yield from others
        for dialect in (*SUSPECTED, *IN_TURN):
            if heard.has_methods or heard.is_closed or heard.is_known:
                return
            if dialect.clue is None or heard.gave_away(dialect.clue):
                yield dialect
