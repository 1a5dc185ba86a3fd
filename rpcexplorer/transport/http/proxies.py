"""Which proxy an address is reached through, as the environment says.

HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY are obeyed, in either case, and on macOS and Windows the
system's settings. Besides names, NO_PROXY may hold addresses and networks, such as 10.0.0.0/8; no name is looked up
for them. A loopback address goes only through a proxy that a variable names and that is on this machine too:
credentials for such an address are sent over plain http without a question.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import getproxies, getproxies_environment, proxy_bypass

from msgspec import Struct

from rpcexplorer.transport.port import is_loopback_host

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
    """Return the proxy that the address is reached through, if any."""
    stays_here = is_loopback_host(address.host)
    asked = getproxies_environment if stays_here else getproxies
    if asked is getproxies_environment and not any(name[-6:].lower() == "_proxy" for name in os.environ):
        return None  # what mostly is the case, and takes a twentieth of a call to find out any other way
    proxies = asked()
    url = proxies.get(address.scheme) or proxies.get("all")
    if not url or proxy_bypass(address.place) or proxy_bypass(address.host) or _is_in_no_proxy(address.host):
        return None
    proxy = Proxy(url if "://" in url else f"http://{url}")
    return proxy if not stays_here or _is_here(proxy) else None


def _is_in_no_proxy(host: str) -> bool:
    """Return whether NO_PROXY has a network, or another spelling, of an address; the standard library knows names."""
    import ipaddress  # only a call through a proxy needs it

    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return False
    for entry in getproxies_environment().get("no", "").split(","):
        with suppress(ValueError):
            if ip in ipaddress.ip_network(entry.strip().strip("[]"), strict=False):
                return True
    return False


def _is_here(proxy: Proxy) -> bool:
    """Return whether a proxy runs on this machine."""
    try:
        return is_loopback_host(urlsplit(proxy.shown).hostname or "")
    except ValueError:
        return False
