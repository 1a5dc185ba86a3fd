"""A login that a person made by hand: the password in its params, and the session in its reply, which nobody knows yet.

Where a profile logs in, the program knows both and hides them by value. A call of ``user.login`` from the editor is
one like any other: that it is a login is told by the name of the method, and a session by how it looks. A password that
is no member of anything stands behind the user's name, or alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rpcexplorer.model.edits import Edit, edited
from rpcexplorer.model.member_values import plain_keys, value_after
from rpcexplorer.model.placeholders import HIDDEN, UNRECORDED
from rpcexplorer.model.secret_names import squashed
from rpcexplorer.protocol.scan import elements

_LOGIN = re.compile(
    r"(?:.*(?<!last))?(?:login|logon|signin|authenticate)(?:with.*)?|auth|(?:create|open|new|start)session"
)
"""The last word of a method's name, in small letters without separators."""
_SESSION = re.compile(r".*sessions?(?:create|open|start|new)")
"""The same of the whole name."""

_MEMBER = re.compile(r"result|.*session|sid|ticket|auth|key|value")
"""What a session is called in a login's reply, beside the names that hold a secret in any."""
_TOKEN = re.compile(r"(?=\S*\d)\S{8,}|\S{20,}")
"""A session rather than a word of welcome."""

BETWEEN: Final = ", "
"""What stands between the methods of a batch."""


def is_login(method: str) -> bool:
    """Whether what such a call answers may be a session; of a batch, whether any of it does."""
    names = method.split(BETWEEN)
    lasts = (squashed(re.split(r"[./:]", name)[-1]) for name in names)
    return any(map(_LOGIN.fullmatch, lasts)) or any(_SESSION.fullmatch(squashed(name)) for name in names)


def hidden(body: bytes) -> bytes:
    """A login's reply without the session."""
    text = body.decode("utf-8", "surrogateescape")
    return edited(text, sessions(text)).encode("utf-8", "surrogateescape")


def without_password(params: str) -> str:
    """A login's params without a password that has no name."""
    return edited(params, passwords(params))


def passwords(params: str) -> Iterator[Edit]:
    """Where one stands in a list of params, and what is put there."""
    spans = elements(params) or ()
    texts = [(start, end) for start, end in spans if params[start] == '"']
    for start, end in texts[:2][-1:]:
        if not HIDDEN.fullmatch(params[start + 1 : end - 1]) and end - start > len('""'):
            yield Edit(start, end, f'"{UNRECORDED}"')


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
