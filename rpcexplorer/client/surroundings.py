"""What a connection needs of the program around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.profile import CanAsk, ask_nobody
from rpcexplorer.model.secret import Secret

if TYPE_CHECKING:
    from rpcexplorer.client.open_files import ReadFile
    from rpcexplorer.model.destination import ProcessCommand
    from rpcexplorer.model.event import Event
    from rpcexplorer.model.method import Described
    from rpcexplorer.model.profile import Profile


class Surroundings(Struct, frozen=True):
    """What a connection needs of the program around it."""

    on_event: Callable[[Event], None] = lambda _: None
    """Get an event when it comes."""
    on_settled: Callable[[Event], None] = lambda _: None
    """Get a request of the server again when it was answered, or can no longer be."""
    can_ask: CanAsk = ask_nobody
    """Return whether somebody is there to answer a request of the server with this method."""
    has_screen: bool = False
    """Keys must not wait for events."""
    on_stderr: Callable[[str], None] = lambda _: None
    """Get a line that the process of a server writes to its stderr."""
    command: Callable[[], ProcessCommand | Refused] | None = None
    """Return the process that may be started now; without it, none may."""
    environment_secrets: Mapping[str, Secret] = {}
    """The values of the process's environment variables that are secrets."""
    read_file: ReadFile | None = None
    """Return the text of a file that a language server is to open."""
    mcp_version: Callable[[], str] = lambda: ""
    """Return the version of MCP that the server spoke last."""
    keep_mcp_version: Callable[[str], None] = lambda _: None
    """Remember that version, or that it has to be found again."""
    described: Callable[[str], Described | None] = lambda _: None
    """Return the description of a method, if it is known."""

    def refused(self, profile: Profile) -> Refused | None:
        """Return why the process of a profile must not be started."""
        if profile.connection_kind != "process":
            return None
        found = self.command() if self.command else Refused("profile", "Only rpcexplorer itself starts a process.")
        return found if isinstance(found, Refused) else None


ALONE: Final = Surroundings()
