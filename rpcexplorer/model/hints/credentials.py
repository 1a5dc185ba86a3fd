"""Hints about credentials: which kind a server asks for, and what to do where it did not take those that were sent."""

from __future__ import annotations

import re
from typing import Final

from rpcexplorer.model.complaint import listed
from rpcexplorer.model.exchange import ErrorObject
from rpcexplorer.model.hints.addresses import leads_to_login
from rpcexplorer.model.hints.failed import LONGEST, FailedCall
from rpcexplorer.model.hints.hint import PROGRAM, Changes, Hint, setting
from rpcexplorer.model.login_asked import asks_for_login
from rpcexplorer.model.profile import Auth, Profile
from rpcexplorer.model.secrets.secret import FIELD_WORDS

_SCHEME = re.compile(r"(?:\A|,)\s*([A-Za-z][\w-]{1,40})(?=\s+[^\s=,]|\s*(?:,|\Z))", re.ASCII)
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_KEY_HEADER = re.compile(r"\bx-[a-z-]{0,40}(?:key|token)\b", re.IGNORECASE)
_NOT_WHO: Final = r"\bhost\b|\borigin\b|white-?list|allow-?list|\bip\b|csrf"
"""What a refusal speaks of that is not about who calls."""


def refused(call: FailedCall) -> Hint | None:
    """The server wants to know who calls, or does not take what it was told."""
    if call.status == 403 and (call.says(_NOT_WHO) or isinstance(call.exchange.outcome, ErrorObject)):
        return None
    if call.status not in {401, 403} and not leads_to_login(call) and not _asked(call):
        return None
    offered = schemes(call.headers("www-authenticate"))
    named = [each for each in call.kinds.values() if each.scheme.lower() in offered]
    kind = named[-1] if named else None  # of several the one that comes later gives less away
    if kind is not None and call.profile.auth.scheme.lower() not in offered and not _gives_more_away(call, kind):
        return call.told(f"The server asks for {kind.scheme} auth.", _to(kind, call.profile), kind.takes[-1])
    if call.profile.secrets:
        return _not_taken(call)
    return _named_in_words(call) or _some_kind(call, offered)


def schemes(challenges: list[str]) -> list[str]:
    """The schemes that a server offers, in small letters; one header may hold several."""
    bare = [_QUOTED.sub('""', each[:LONGEST]) for each in challenges]
    return [*dict.fromkeys(found.lower() for each in bare for found in _SCHEME.findall(each))]


def lacking(field: str, call: FailedCall) -> Hint:
    """A credential that nobody has given, or that a login did not take."""
    return call.told(f"The {FIELD_WORDS.get(field, field)} has to be entered.", secret=field)


def _gives_more_away(call: FailedCall, kind: type[Auth]) -> bool:
    """Whether what is sent as it is would go out more openly: whoever is in between could have asked for that."""
    order = [*call.kinds]
    return bool(call.profile.auth.scheme) and order.index(kind.kind) < order.index(call.profile.auth.kind)


def _to(kind: type[Auth], profile: Profile) -> Changes:
    """Another kind, with who calls: a file that names a kind leaves behind what those below it say of auth."""
    keeps = profile.username is not None and "username" in kind.__struct_fields__
    return (("auth.kind", kind.kind), *((("auth.username", profile.username),) if keeps else ()))


def _asked(call: FailedCall) -> bool:
    return asks_for_login(call.profile.login, call.exchange.outcome, call.status)


def _not_taken(call: FailedCall) -> Hint:
    """Which secret to enter anew: of a session it is what the next one is opened with."""
    fields = [field for field in call.profile.secrets if field not in {"username", "session"}]
    field = (fields or ["session"])[0]
    what = "session" if call.profile.has_sessions else field
    sentence = f"The server does not accept the {what} that was sent."
    if call.status == 403:
        sentence = "The server does not let this caller do that: check who calls, or ask who runs it."
    return call.told(sentence, secret=field)


def _named_in_words(call: FailedCall) -> Hint | None:
    """A kind that the text of the refusal names."""
    header = _KEY_HEADER.search(call.text)
    changes: Changes = ()
    if header and "header" in call.kinds:
        changes = (("auth.kind", "header"), ("auth.header", header[0]))
        return call.told(f"The server asks for a key in the header {header[0]}.", changes, "token")
    for kind in call.kinds.values():
        if kind.takes == ("token",) and kind.scheme and call.says(rf"\b{kind.scheme}\b"):
            return call.told(f"The server asks for a {kind.scheme} token.", _to(kind, call.profile), "token")
    return None


def _some_kind(call: FailedCall, offered: list[str]) -> Hint:
    unknown = f" by {', '.join(offered)}, which cannot be sent" if offered else ""
    kinds = listed(each for each in call.kinds if each != Auth.kind)
    sentence = f"The server wants to know who calls{unknown}. The kinds of auth are {kinds}."
    set_kind = f"{PROGRAM} profiles set {call.profile.name} auth.kind=KIND"
    if call.profile.ad_hoc:
        set_kind = f"{setting(call.profile, call.exchange.url, ())[0].removesuffix(Auth.kind)}KIND"
    return Hint(sentence, commands=(set_kind,))
