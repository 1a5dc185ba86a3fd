"""Hints about the address: a redirect, http where https is spoken or the other way round, a path that nobody chose.

What a redirect says is text from outside. It becomes an address of the profile only where it is plain: no user, no
query, nothing in its path that may be a secret. Whoever writes it down checks it again.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import SplitResult, urljoin, urlsplit

from rpcexplorer.model.exchange import Malformed, Unreached
from rpcexplorer.model.hints.failed import FailedCall
from rpcexplorer.model.hints.hint import PROGRAM, Changes, Hint, quoted
from rpcexplorer.model.profile import PATH
from rpcexplorer.model.secrets.secret import origin_of

MOVED: Final = frozenset({301, 302, 307, 308})
"""A call is to be sent elsewhere; 303 means that something is to be fetched there."""

_PRINTABLE = re.compile(r"[\x21-\x7e]*")
_PLAIN = re.compile(r"https?://(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?(?:/[\w.~-]{0,64})*", re.ASCII)
_RANDOM = re.compile(r"(?=[\w~-]{12})(?:[A-Za-z_~-]*[0-9]+[A-Za-z]+){2}", re.ASCII)
_LOGIN = re.compile(r"/(?:\w+[-_.])?(?:log-?in|sign-?in|sso|oauth2?|auth|saml)\b", re.IGNORECASE)
_PLAIN_HTTP = r"plain http request was sent to https port|http request to an https server|speaking plain http to an ssl"
_NO_TLS = "does not speak TLS"
"""What transport says of a server that answers a TLS handshake with something else."""
_UNTRUSTED = "shows this one certificate"
"""What the client says where it is the certificate alone that is not trusted."""


def moved(call: FailedCall) -> Hint | None:
    """A redirect to another path of the same server, or anywhere else."""
    location = next(iter(call.headers("location")), "")
    if call.status not in MOVED or not location or leads_to_login(call):
        return None
    here = call.profile.endpoint
    there = _split(here, location)
    if there is None or not _PLAIN.fullmatch(there.geturl()) or any(map(_RANDOM.match, there.path.split("/"))):
        return Hint("The server redirects to an address that is not taken over by itself: look at it first.")
    changes = _address(call, there)
    if not changes:
        return None
    was = urlsplit(here)
    stays = origin_of(there.geturl()) == call.profile.origin
    same = stays or (was.hostname == there.hostname and (was.scheme, there.scheme) == ("http", "https"))
    if stays:
        sentence = f"The server has this at {there.path or '/'}."
    else:
        sentence = f"The server has this at {there.geturl()}{'' if same else ', which is another server'}."
    return call.told(sentence, changes, careful=not same)


def leads_to_login(call: FailedCall) -> bool:
    """A redirect to a page where a person logs in."""
    location = next(iter(call.headers("location")), "").partition("?")[0]
    elsewhere = _LOGIN.search(location) and not _LOGIN.search(call.profile.endpoint)
    return (call.status or 0) in MOVED | {303} and bool(elsewhere)


def encryption(call: FailedCall) -> Hint | None:
    """A port that speaks https was spoken to in http, or the other way round."""
    url, outcome = _split(call.profile.url), call.exchange.outcome
    if url is None:
        return None
    no_tls = isinstance(outcome, Unreached) and outcome.step == "tls" and _NO_TLS in outcome.sentence
    if no_tls and url.scheme == "https":
        http = url._replace(scheme="http", netloc=url.netloc if url.port else f"{url.netloc}:443").geturl()
        sentence = "There is no TLS at this port; over http everybody on the way can read what is sent."
        return call.told(sentence, (("url", http),), careful=True)
    if url.scheme != "http" or not isinstance(outcome, Malformed):
        return None
    upgrade = ", ".join(call.headers("upgrade")).lower()
    if call.status == 426 and "tls" not in upgrade:
        return Hint("The server wants another protocol here, such as a WebSocket.") if upgrade else None
    if call.status == 426 or call.says(_PLAIN_HTTP):
        port = "" if call.status == 426 or url.port else ":80"
        https = url._replace(scheme="https", netloc=url.netloc + port).geturl()
        return call.told("The server speaks https here.", (("url", https),))
    return None


def path(call: FailedCall) -> Hint | None:
    """Nothing of JSON-RPC at the path that calls go to where nobody has said one."""
    if call.profile.path != PATH or not isinstance(call.exchange.outcome, Malformed):
        return None
    is_page = call.exchange.response.body.lstrip()[:1] == b"<"
    if call.status not in {404, 405, 501} and not (call.status == 200 and is_page):
        return None
    sentence = f"There seems to be no JSON-RPC at {PATH}, the usual path; other servers have it at /, /jsonrpc or /rpc."
    return _to_be_tested(call, sentence)


def untyped(call: FailedCall) -> Hint | None:
    """A login is asked for at a path that nobody has typed: some servers ask at any, so nothing speaks for this one."""
    profile = call.profile
    if not profile.ad_hoc or profile.path != PATH or profile.secrets or call.status != 401:
        return None
    if not isinstance(call.exchange.outcome, Malformed):
        return None
    sentence = f"The server wants to know who calls; whether its calls go to {PATH}, the usual path, does not show yet."
    return _to_be_tested(call, sentence)


def untrusted(call: FailedCall) -> Hint | None:
    """A certificate that nobody vouches for, of an address that is no profile and so can have none to trust."""
    outcome = call.exchange.outcome
    if not call.profile.ad_hoc or not isinstance(outcome, Unreached) or outcome.step != "tls":
        return None
    if _UNTRUSTED not in outcome.sentence:
        return None
    return _to_be_tested(call, "Nobody vouches for the server's certificate.")


def _to_be_tested(call: FailedCall, sentence: str) -> Hint:
    profile = call.profile
    address = quoted(profile.url if profile.path == PATH else profile.endpoint) if profile.ad_hoc else profile.name
    return Hint(sentence, commands=(f"{PROGRAM} profiles test {address}",), tests=True)


def _address(call: FailedCall, there: SplitResult) -> Changes:
    """What of url and path is another then; a url that has a path of its own keeps it where it can."""
    profile, target = call.profile, there.path or "/"
    if origin_of(there.geturl()) != profile.origin:
        base = f"{there.scheme}://{there.netloc}"
        return (("url", base), *((("path", target),) if target != profile.path else ()))
    own = urlsplit(profile.url).path.rstrip("/")
    if target == (urlsplit(profile.endpoint).path or "/"):
        return ()
    if target.startswith(f"{own}/"):
        return (("path", target.removeprefix(own)),)
    return (("url", f"{there.scheme}://{there.netloc}"), ("path", target))


def _split(base: str, url: str = "") -> SplitResult | None:
    """The parts of an address; None of one that is none."""
    try:
        parts = urlsplit(urljoin(base, url) if url else base)
        return parts if parts.port != 0 and _PRINTABLE.fullmatch(url) else None
    except ValueError:
        return None
