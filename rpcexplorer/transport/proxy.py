"""The proxy that the environment names for an address."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from urllib.parse import urlsplit
from urllib.request import getproxies, getproxies_environment, proxy_bypass

from msgspec import Struct

from rpcexplorer.transport.port import is_loopback_host
from rpcexplorer.transport.request import Address


class Proxy(Struct, frozen=True):
    """A proxy's URL, to use and to show."""

    url: str

    def __repr__(self) -> str:
        return f"Proxy({self.shown})"

    @property
    def shown(self) -> str:
        """Return scheme, host and port; a password may contain an unquoted ``/``."""
        scheme, _, rest = self.url.partition("://")
        place = re.split("[/?#]", rest.rpartition("@")[2])[0]
        return ascii(f"{scheme}://{place}")[1:-1]


def proxy_for(address: Address) -> Proxy | None:
    stays_here = is_loopback_host(address.host)
    asked = getproxies_environment if stays_here else getproxies
    if asked is getproxies_environment and not any(name[-6:].lower() == "_proxy" for name in os.environ):
        return None  # The usual case. All other ways to find out take a twentieth of a call.
    proxies = asked()
    url = proxies.get(address.scheme) or proxies.get("all")
    if not url or proxy_bypass(address.place) or proxy_bypass(address.host) or _is_in_no_proxy(address.host):
        return None
    proxy = Proxy(url if "://" in url else f"http://{url}")
    if stays_here and not _is_here(proxy):
        return None
    return proxy


def _is_in_no_proxy(host: str) -> bool:
    """Return whether NO_PROXY has a network or another spelling of an address."""
    import ipaddress  # Only a call through a proxy needs it.

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
    try:
        return is_loopback_host(urlsplit(proxy.shown).hostname or "")
    except ValueError:
        return False
