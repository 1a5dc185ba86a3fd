"""A login that a person made by hand: the password in its params, and the session in its reply, which nobody knows yet.

Where a profile logs in, the program knows both and hides them by value. A call of ``user.login`` from the editor is
one like any other: that it is a login is told by the words of the method's name, and a session by how it looks. A
password that is no member of anything stands behind the user's name, or alone, or behind a name of a database as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rpcexplorer.auth.credentials import leaves
from rpcexplorer.jsontext.scan import decoded, elements, members
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import HIDDEN, UNRECORDED
from rpcexplorer.redaction.edits import Edit, edited
from rpcexplorer.redaction.member_values import plain_keys, value_after
from rpcexplorer.redaction.secret_names import squashed
from rpcexplorer.rpc.messages import spelled

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
"""Of a method's name, as signs, digits and large letters keep them apart."""
_LOGIN = re.compile(r".*(?<!last)(?:login|logon|signin|authenticate)(?:(?:with|by).*)?")
"""A word that says so alone, in small letters."""
_TWO = frozenset({"log in", "log on", "sign in", "auth token"})
"""Of two words, a login as well."""
_AFTER = frozenset({"history", "attempt", "attempts", "count", "list"})
"""Behind a login: what is told of those that were."""
_LAST = re.compile(
    r"(?:.* )?(?:auth|(?:create|open|new|start) ?session"
    r"|(?:get|create|new|request) ?(?:(?:access|api|auth|bearer|session|user) ?)?token)"
)
"""What a name ends with, in words."""
_SESSION = re.compile(r".*sessions?(?:create|open|start|new)")
"""A whole name, in small letters without separators."""
_MEMBER = re.compile(r"result|.*session|sid|ticket|auth|key|value")
"""What a session is called in a login's reply, beside the names that hold a secret in any."""
_TOKEN = re.compile(r"(?=\S*\d)\S{8,}|\S{20,}")
"""A session rather than a word of welcome."""
_FILLED = re.compile(r"\{(?:username|password)\}")
"""What stands for a credential in the params of a profile's login."""
LEVELS: Final = 4
"""Lists and tables inside each other that are searched for a password: no login has more."""
BETWEEN: Final = ", "
"""What stands between the methods of a batch."""


def is_login(method: str, own: str = "") -> bool:
    """Whether what such a call answers may be a session; of a batch, whether any of it does.

    ``own`` is the method that a profile logs in with, whatever its name.
    """
    return any(_is_one(name) or name == own != "" for name in method.split(BETWEEN))


def own_login(profile: Profile, params: str) -> str:
    """The method that a profile logs in with, where a call with these params may be a login of it.

    Servers that have one method for everything tell by the params which is which.
    """
    fixed = [text for _, text in leaves(profile.login.params) if isinstance(text, str) and not _FILLED.fullmatch(text)]
    return profile.login.method if all(spelled(text) in params for text in fixed) else ""


def _is_one(name: str) -> bool:
    words = [word.lower() for word in _WORDS.findall(name)]
    told = max((at for at, word in enumerate(words) if word in _AFTER), default=-1)
    for at, word in enumerate(words[told + 1 :], start=told + 1):
        says_so = _LOGIN.fullmatch(word) or " ".join(words[at : at + 2]) in _TWO
        if says_so and words[max(at - 1, 0)] != "last":
            return True
    return bool(_LAST.fullmatch(" ".join(words[-3:])) or _SESSION.fullmatch(squashed(name)))


def without_session(body: bytes) -> bytes:
    text = body.decode("utf-8", "surrogateescape")
    return edited(text, sessions(text)).encode("utf-8", "surrogateescape")


def without_password(params: str) -> str:
    """A login's params without a password that has no name."""
    return edited(params, passwords(params))


def without_passwords(batch: str, own: str = "") -> str:
    """The calls of a batch without such a password in any login; ``own`` as with ``is_login``."""
    return edited(batch, passwords_in_batch(batch, own))


def passwords(params: str) -> list[Edit]:
    """Where one may stand in the lists of a login's params, and what is put there.

    Only the first text of a list is certain to be something else, and where it is alone not even that.
    """
    found: list[Edit] = []
    parts = [(0, params, 0)]
    while parts:
        at, part, depth = parts.pop()
        spans = elements(part)
        inside = [member.value for member in members(part) or ()] if spans is None else spans
        texts = [span for span in spans or () if part[span[0]] == '"']
        for start, end in texts[1:] or texts:
            if not HIDDEN.fullmatch(part[start + 1 : end - 1]) and end - start > len('""'):
                found.append(Edit(at + start, at + end, f'"{UNRECORDED}"'))
        if depth < LEVELS:
            parts += [(at + start, part[start:end], depth + 1) for start, end in inside if part[start] in "[{"]
    return sorted(found)


def passwords_in_batch(batch: str, own: str = "") -> list[Edit]:
    """Like ``passwords``, of every login in a batch."""
    found: list[Edit] = []
    for start, end in elements(batch, int(batch.startswith("\ufeff"))) or ():
        parts = members(batch[start:end]) or ()
        names = [decoded(batch[start + at : start + to]) for name, _, (at, to) in parts if name == "method"]
        if any(is_login(name, own) for name in names):
            for at, to in (part.value for part in parts if part.name == "params"):
                inside = passwords(batch[start + at : start + to])
                found += [Edit(start + at + edit.start, start + at + edit.end, edit.put) for edit in inside]
    return found


def sessions(reply: str) -> Iterator[Edit]:
    """Where one stands in a login's reply, whole or cut, and what is put there."""
    end = 0
    for key in plain_keys(reply):
        if key.start < end or not _MEMBER.fullmatch(squashed(key.name)):
            continue
        value = value_after(reply, key.start, key.end)
        if value and value.inner and _TOKEN.fullmatch(value.inner) and not HIDDEN.fullmatch(value.inner):
            end = value.end
            yield Edit(value.start, value.end, value.quote + UNRECORDED + value.quote)
