"""What an HTTP status says of a reply that is none of JSON-RPC, in its own words.

What to do about it stands here only where no setting of the profile helps; else it is a hint's to say (model/hints.py).
"""

from __future__ import annotations

from collections.abc import Callable

from rpcexplorer.model.problem import cut
from rpcexplorer.model.profile import Profile
from rpcexplorer.redaction.addresses import redacted_address
from rpcexplorer.transport.port import Response

REDIRECTS = {
    301: "Moved Permanently", 302: "Found", 303: "See Other", 307: "Temporary Redirect", 308: "Permanent Redirect",
}  # fmt: skip
"""What sends a caller elsewhere; 300 and 304 may have a ``Location`` and do not."""


def named(response: Response, profile: Profile) -> str:
    """A sentence that begins with the status; empty where it says nothing that the body does not."""
    if response.status in REDIRECTS and (location := response.header("location")) is not None:
        title = f"HTTP {response.status} {REDIRECTS[response.status]}"
        return f"{title}: the server redirects to {location}. Redirects are not followed."
    if response.status not in MEANINGS:
        return ""
    title, meaning = MEANINGS[response.status]
    return f"HTTP {response.status} {title}: {meaning(response, profile)}"


def _unauthorized(response: Response, profile: Profile) -> str:
    wanted = response.header("www-authenticate")
    if profile.secrets and not profile.assumes_auth:
        return "the server did not take the credentials of this profile, or asks for others."
    return f"the server asks for credentials ({cut(wanted)})." if wanted else "the server asks for credentials."


def _forbidden(_: Response, profile: Profile) -> str:
    where = redacted_address(profile.endpoint)
    return f"whoever calls may not do this at {where}. Ask who runs the server."


def _by_proxy(response: Response, _: Profile) -> str:
    wanted = response.header("proxy-authenticate")
    asks = f" ({cut(wanted)})" if wanted else ""
    if response.proxy is None:
        return f"a proxy in front of the server asks for credentials of its own{asks}. Ask who runs the server."
    advice = "Put user name and password into its address in HTTP_PROXY, or name the host in NO_PROXY."
    return f"the proxy {response.proxy} asks for credentials of its own{asks}. {advice}"


def _media_type(_: Response, profile: Profile) -> str:
    return f"the server does not take {profile.content_type}."


def _too_many(response: Response, _: Profile) -> str:
    return f"too many requests. Try again {_later(response)}."


def _unavailable(response: Response, _: Profile) -> str:
    return f"the service is not available now. Try again {_later(response)}."


def _later(response: Response) -> str:
    after = (response.header("retry-after") or "").strip()
    if after.isdecimal():
        return f"in {after} s"
    return f"after {after}" if after else "later"


def _always(sentences: str) -> Callable[[Response, Profile], str]:
    return lambda _, __: sentences


MEANINGS: dict[int, tuple[str, Callable[[Response, Profile], str]]] = {
    401: ("Unauthorized", _unauthorized),
    403: ("Forbidden", _forbidden),
    407: ("Proxy Authentication Required", _by_proxy),
    413: (
        "Content Too Large",
        _always("the server, or a gateway in front of it, accepts no request of this size. Send less at once."),
    ),
    415: ("Unsupported Media Type", _media_type),
    417: (
        "Expectation Failed",
        _always("the server, or a gateway in front of it, refuses a header. Check the headers of the profile."),
    ),
    429: ("Too Many Requests", _too_many),
    502: (
        "Bad Gateway",
        _always("a gateway got no valid response from the service behind it. Check that the service runs."),
    ),
    503: ("Service Unavailable", _unavailable),
    504: (
        "Gateway Timeout",
        _always("a gateway got no response in time. The service may still run the call: look before you repeat it."),
    ),
    505: ("HTTP Version Not Supported", _always("the server does not accept HTTP/1.1. Check the port.")),
}
