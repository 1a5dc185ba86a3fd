"""Which proxy an address is reached through, as the environment says.

HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY are obeyed, in either case, and on macOS and Windows the
system's settings. A loopback address goes through a proxy only if a variable says so, never by a system setting.
"""

from __future__ import annotations

import ipaddress
import os
import re
from typing import TYPE_CHECKING
from urllib.request import getproxies, getproxies_environment, proxy_bypass

from msgspec import Struct

if TYPE_CHECKING:
    from rpcexplorer.transport.http.request import Address


class Proxy(Struct, frozen=True):
    """A proxy's URL, whole for the connection and safe to show."""

    url: str
    """As the environment has it, perhaps with user name and password."""

    def __repr__(self) -> str:
        """Without user name and password."""
        return f"Proxy({self.shown})"

    @property
    def shown(self) -> str:
        """Scheme, host and port only, in printable ASCII. A password may hold a ``/`` that should have been quoted."""
        scheme, _, rest = self.url.partition("://")
        shown = f"{scheme}://{re.split('[/?#]', rest.rpartition('@')[2])[0]}"
        return ascii(shown)[1:-1]


def proxy_for(address: Address) -> Proxy | None:
    """Return the proxy that stands between us and the address, if any."""
    asked = getproxies_environment if _is_loopback(address.host) else getproxies
    if asked is getproxies_environment and not any(name[-6:].lower() == "_proxy" for name in os.environ):
        return None  # what mostly is the case, and takes a twentieth of a call to find out any other way
    proxies = asked()
    url = proxies.get(address.scheme) or proxies.get("all")
    if not url or proxy_bypass(address.place) or proxy_bypass(address.host):
        return None
    return Proxy(url if "://" in url else f"http://{url}")


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
