"""The proxy that the environment names for an address."""

from __future__ import annotations

import os
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
        place = rest.rpartition("@")[2]
        for end in "/?#":
            place = place.partition(end)[0]
        return ascii(f"{scheme}://{place}")[1:-1]  # without the quotes that ascii() adds


def proxy_for(address: Address) -> Proxy | None:
    is_local = is_loopback_host(address.host)
    find_proxies = getproxies
    if is_local:
        find_proxies = getproxies_environment  # without the proxy in the settings of macOS or Windows
    # On Linux, both are the same function. It takes a twentieth of a call, and mostly finds nothing.
    if find_proxies is getproxies_environment and not any(name.lower().endswith("_proxy") for name in os.environ):
        return None
    proxies = find_proxies()
    url = proxies.get(address.scheme) or proxies.get("all")
    if not url:
        return None
    if proxy_bypass(address.place) or proxy_bypass(address.host) or _is_in_no_proxy(address.host):
        return None
    if "://" not in url:
        url = f"http://{url}"
    proxy = Proxy(url)
    if is_local and not _is_local(proxy):
        return None  # The proxy of another machine would call that machine.
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


def _is_local(proxy: Proxy) -> bool:
    try:
        return is_loopback_host(urlsplit(proxy.shown).hostname or "")
    except ValueError:
        return False
