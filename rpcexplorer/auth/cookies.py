"""What a server says about the session cookie, and the one cookie that is ever sent back."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from msgspec import Struct

FORBIDDEN = set('\x7f ";,\\')
"""Characters that a cookie's value cannot carry, besides control characters and everything beyond ASCII."""


class SetCookie(Struct, frozen=True):
    """One Set-Cookie header that names the session's cookie."""

    value: str
    deleted: bool

    @property
    def sendable(self) -> bool:
        """Whether the value can be sent back as it is."""
        return sendable(self.value)


def sendable(value: str) -> bool:
    """Whether ``value`` can stand in a Cookie header. Quotes around the whole are part of a value."""
    inner = value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value
    return bool(inner) and all("!" <= character <= "~" and character not in FORBIDDEN for character in inner)


def session_cookie(headers: Iterable[tuple[str, str]], name: str, now: datetime) -> SetCookie | None:
    """The last word of the server about the cookie ``name``, or None where it says nothing."""
    said = None
    for header, text in headers:
        if header.lower() == "set-cookie":
            pair, *attributes = text.split(";")
            cookie, equals, value = pair.partition("=")
            if equals and cookie.strip() == name:
                value = value.strip()
                said = SetCookie(value, not value or _over(attributes, now))
    return said


def _over(attributes: list[str], now: datetime) -> bool:
    """Whether the attributes end the cookie at once. Max-Age wins over Expires, as browsers have it."""
    said = {name.strip().lower(): value.strip() for name, _, value in (part.partition("=") for part in attributes)}
    seconds = said.get("max-age", "")
    if seconds.removeprefix("-").isdecimal():
        return int(seconds[:9]) <= 0
    return bool(said.get("expires")) and _past(said["expires"], now)


def _past(date: str, now: datetime) -> bool:
    from email.utils import parsedate_to_datetime  # no start needs it, and it loads a lot

    try:
        when = parsedate_to_datetime(date)
    except (ValueError, IndexError, OverflowError):
        return False  # a date nobody can read ends nothing
    return (when if when.tzinfo else when.replace(tzinfo=UTC)) <= now
