"""The agent card of A2A, with which an agent describes itself.

All of it is text of others. The addresses in it are shown, and never used: only their paths, on the same server.
"""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from rpcexplorer.model.problem import counted, cut
from rpcexplorer.redaction.addresses import redacted_address

AGENT_CARD: Final = "/.well-known/agent-card.json"
AGENT_PRESET: Final = "a2a"
BINDING: Final = "JSONRPC"
MAX_NAMED: Final = 3
"""Addresses to name, or to try the paths of."""
MAX_ADDRESS: Final = 200
"""Characters of an address; longer ones are left out."""


class Skill(Struct, frozen=True):
    name: str
    description: str = ""
    examples: tuple[str, ...] = ()


class AgentInterface(Struct, frozen=True):
    url: str
    binding: str = msgspec.field(name="protocolBinding")


class AgentCard(Struct, frozen=True):
    name: str
    interfaces: tuple[AgentInterface, ...] = msgspec.field(name="supportedInterfaces")
    description: str = ""
    skills: tuple[Skill, ...] = ()

    @property
    def title(self) -> str:
        """Return name and number of skills, for a sentence."""
        return f'"{cut(self.name)}" with {counted(len(self.skills), "skill")}'

    @property
    def addresses(self) -> list[str]:
        """Return where the agent takes JSON-RPC, as it says."""
        urls = [interface.url for interface in self.interfaces if interface.binding.upper() == BINDING]
        return [url for url in dict.fromkeys(urls) if len(url) <= MAX_ADDRESS and _is_address(url)][:MAX_NAMED]

    @property
    def paths(self) -> list[str]:
        """Return the paths of these addresses. None of them has a mark that would be replaced by a token."""
        found = [urlsplit(url).path or "/" for url in self.addresses]
        return [path for path in dict.fromkeys(found) if "{" not in path]

    def about_addresses(self, endpoint: str) -> str:
        """Return a sentence about addresses other than the one in use; empty without one."""
        if endpoint in self.addresses:
            return ""
        others = ", ".join(redacted_address(url) for url in self.addresses)
        if not others:
            return "The card names no address for JSON-RPC."
        return f"The card names {others}. rpcexplorer calls {redacted_address(endpoint)} and no other address."


def read_agent_card(value: Any) -> AgentCard | None:
    """Return an agent card of A2A 1.0; None for any other value."""
    try:
        return msgspec.convert(value, AgentCard)
    except msgspec.ValidationError:
        return None


def _is_address(url: str) -> bool:
    try:
        return urlsplit(url).scheme in {"http", "https"}
    except ValueError:
        return False
