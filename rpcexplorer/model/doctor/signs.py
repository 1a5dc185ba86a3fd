"""What servers give themselves away by: the preset that fits one, told from a reply.

All but the preset's name is text as those servers send it. A sign is a guess until the server answers in the form that
the preset has; whoever sees one asks again in that form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from rpcexplorer.model.exchange import ErrorObject, Exchange, Result
from rpcexplorer.model.profile import Profile

LONGEST: Final = 20_000
"""Bytes of a reply that are looked at: whoever names himself does so soon."""
LONGEST_LIST: Final = 256 * 1024
"""Bytes of a list of names: the longest that was seen has 60,000."""


class Sign(Struct, frozen=True):
    """One preset, and what its servers are known by: any of these."""

    preset: str
    realm: str = ""
    """The realm of a challenge, whole."""
    server: str = ""
    """How the header ``Server`` begins."""
    says: tuple[str, ...] = ()
    """Words of a page, a header or an error."""
    lists: str = ""
    """How a method begins that it lists."""
    path: str = ""
    """An address that no other has, if there is anything at it."""
    answers: str = ""
    """A method that only such servers answer with a result."""
    private: str = ""
    """A harmless method that shows whether this server wants to know who calls, where not every such server does."""


SIGNS: Final = (
    Sign("aria2", lists="aria2.", private="aria2.getVersion"),
    Sign("bitcoin", realm="jsonrpc"),
    Sign("bcoin", realm="node"),
    Sign("deluge", says=("Deluge",), lists="web.connect", path="/json"),
    Sign("electrum", realm="Electrum"),
    Sign("ethereum", says=("does not exist/is not available",), answers="web3_clientVersion"),
    Sign("kodi", realm="Kodi"),
    Sign("mcp", says=("mcp-session-id",), path="/mcp"),
    Sign("monero", realm="monero-rpc", server="Epee-based"),
    Sign("moonraker", says=("moonraker",), path="/server/jsonrpc", private="server.info"),
    Sign("mopidy", says=("Mopidy",), path="/mopidy/rpc"),
    Sign("nzbget", realm="NZBGet", server="nzbget-"),
    Sign("odoo", says=("odoo.",), path="/web/dataset/call_kw"),
    Sign("snapcast", server="Snapcast"),
    Sign("transmission", realm="Transmission", server="Transmission", path="/transmission/rpc"),
    Sign("ubus", path="/ubus"),
    Sign("xapi", lists="session.login_with_password"),
    Sign("zabbix", says=("zbx_session", "Zabbix"), path="/api_jsonrpc.php"),
)

NOTHING_THERE: Final = frozenset({404, 405, 501})
"""Statuses that say no more than that an address is not one for calls."""

_REALM = re.compile(r"""\brealm\s*=\s*(?:"([^"]*)"|([^\s,"]+))""", re.IGNORECASE)


def recognized(exchange: Exchange, profile: Profile) -> list[str]:
    """The presets that a reply speaks for, the surest first; ``profile`` is the one that it answers."""
    sure = [sign.preset for sign in SIGNS if _by_name(sign, exchange)]
    return [*dict.fromkeys([*sure, *(sign.preset for sign in SIGNS if _by_place(sign, exchange, profile))])]


def _by_name(sign: Sign, exchange: Exchange) -> bool:
    response = exchange.response
    if sign.realm and sign.realm in realms(exchange):
        return True
    if sign.server and (response.header("server") or "").startswith(sign.server):
        return True
    if isinstance(exchange.outcome, Result):
        if sign.answers == exchange.method:
            return True
        return bool(sign.lists) and any(name.startswith(sign.lists) for name in names_in(exchange))
    return any(word in _said(exchange) for word in sign.says)


def _by_place(sign: Sign, exchange: Exchange, profile: Profile) -> bool:
    return bool(sign.path) and profile.path == sign.path and exchange.response.status not in {None, *NOTHING_THERE}


def realms(exchange: Exchange) -> list[str]:
    """The realms of the challenges in a reply."""
    headers = [value for name, value in exchange.response.headers if name.lower() == "www-authenticate"]
    return [quoted or bare for value in headers for quoted, bare in _REALM.findall(value)]


def names_in(exchange: Exchange) -> list[str]:
    """The names that a result lists; none of anything else."""
    if not isinstance(exchange.outcome, Result) or len(exchange.outcome.text) > LONGEST_LIST:
        return []
    try:
        found = exchange.outcome.decoded()
    except (ValueError, RecursionError):
        return []
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []


def _said(exchange: Exchange) -> str:
    """What the server wrote where no result was: headers, and the beginning of the body."""
    parts: Iterable[str] = (f"{name}: {value}" for name, value in exchange.response.headers)
    message = exchange.outcome.message[:LONGEST] if isinstance(exchange.outcome, ErrorObject) else ""
    return "\n".join([*parts, message, exchange.response.body[:LONGEST].decode("utf-8", "replace")])
