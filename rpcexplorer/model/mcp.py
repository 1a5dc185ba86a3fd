"""MCP: its methods, headers and error codes, and what rpcexplorer says of itself."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from rpcexplorer.model.profile import MCP_VERSIONS, CanAsk, Profile, ask_nobody, own_initialize

MCP_STATELESS: Final = MCP_VERSIONS[0]
"""The version without a handshake: each request says which version it has, and what the client can do."""
MCP_SPOKEN: Final = f"rpcexplorer uses MCP {', '.join(MCP_VERSIONS)}"
"""Said when ``initialize`` fails: a server may know only another version."""
MCP_HEADER_MISMATCH: Final = -32020
MCP_LACKS_CAPABILITY: Final = -32021
MCP_UNKNOWN_VERSION: Final = -32022
"""Error codes of servers without a session."""
MCP_NEEDS_PAGE: Final = -32042
MCP_VERSION_HEADER: Final = "MCP-Protocol-Version"
MCP_SESSION_HEADER: Final = "Mcp-Session-Id"
ELICITATION: Final = "elicitation/create"
"""The request with which a server of MCP asks the user."""
MCP_DISCOVER: Final = "server/discover"
"""The call of MCP that asks for versions and capabilities."""
LISTS_TOOLS: Final = "tools/list"
CALLS_A_TOOL: Final = "tools/call"
"""The method of MCP whose result may say that it failed."""
LISTEN: Final = "subscriptions/listen"
"""The call of MCP whose response comes only when its notifications end."""
ACKNOWLEDGED: Final = "notifications/subscriptions/acknowledged"
"""The notification with which they begin."""
MCP_META: Final = "io.modelcontextprotocol/"
"""Prefix of the protocol's own members of ``_meta``."""
MCP_CAPABILITIES: Final = {
    "roots/list": "roots",
    "sampling/createMessage": "sampling",
    ELICITATION: "elicitation",
}
"""What we can do for a server of MCP, by the request that asks for it."""


def mcp_capabilities(profile: Profile, can_ask: CanAsk = ask_nobody) -> dict[str, Any]:
    """Return what a server of MCP is offered: what a rule or the user can answer."""
    offered: dict[str, Any] = {}
    for method, name in MCP_CAPABILITIES.items():
        rule = profile.answers.get(method)
        if rule is None:
            is_offered = method == ELICITATION and can_ask(method)
        else:
            is_offered = not rule.ask or can_ask(method)
        if is_offered:
            offered[name] = {"form": {}, "url": {}} if method == ELICITATION else {}
    return offered


def _mcp_client(profile: Profile, can_ask: CanAsk) -> dict[str, Any]:
    """Return who we are for a server of MCP, and what we can do."""
    client = {"name": "rpcexplorer", "version": "1"}
    return {"capabilities": mcp_capabilities(profile, can_ask), "clientInfo": client} | own_initialize(profile)


def mcp_params(profile: Profile, can_ask: CanAsk = ask_nobody) -> str:
    """Return the params of MCP's ``initialize``, which proposes the newest version that has it."""
    version = MCP_VERSIONS[1] if profile.mcp in {"auto", MCP_STATELESS} else profile.mcp
    return msgspec.json.encode({"protocolVersion": version} | _mcp_client(profile, can_ask)).decode()


def mcp_meta(profile: Profile, can_ask: CanAsk = ask_nobody) -> dict[str, Any]:
    """Return what each request says of itself in MCP without a handshake."""
    client = _mcp_client(profile, can_ask)
    return {
        f"{MCP_META}protocolVersion": MCP_STATELESS,
        f"{MCP_META}clientInfo": client["clientInfo"],
        f"{MCP_META}clientCapabilities": client["capabilities"],
    }
