"""Secrets: values that show a placeholder wherever they end up by accident, and the origins that they go to."""

from __future__ import annotations

from typing import Final, Literal, NoReturn, Self
from urllib.parse import urlsplit

from rpcexplorer.transport.port import is_loopback_host

SecretSource = Literal["environment", "secrets.toml", "keyring", "prompt", "session", "given"]
"""Where a secret came from; shown to people, who can then go and change it."""

FIELDS: Final = ("username", "password", "session", "token")
"""The secrets that a profile can have, each by its name."""
FIELD_WORDS: Final = {"username": "user name"}
"""What people call a field, where it is not its own name."""

DEFAULT_PORTS = {"http": 80, "https": 443}


class Secret:
    """A value that is opened on the last line before the socket, and shows its name everywhere else."""

    __slots__ = ("_value", "label", "source")

    def __init__(self, value: str, label: str, source: SecretSource = "given") -> None:
        self._value = value
        self.label = label
        self.source: SecretSource = source

    def reveal(self) -> str:
        """The value itself. Each call of this is a place to look at in a review."""
        return self._value

    @property
    def placeholder(self) -> str:
        """What stands for the value in requests, records and messages."""
        return placeholder(self.label)

    def __repr__(self) -> str:
        return self.placeholder

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(self.placeholder, spec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self.label)

    def __bool__(self) -> bool:
        return bool(self._value)

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"{self.placeholder} cannot be pickled or copied: it is a secret")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self


def placeholder(label: str) -> str:
    """Spell the stand-in of a secret: ``staging.password`` becomes ``«staging.password»``."""
    return f"«{label}»"


def origin_of(url: str) -> str:
    """Scheme, host and port of ``url`` in one canonical spelling; a default port is left out.

    Total: of a URL that cannot be split, the text itself is its origin, which then equals no other.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return url
    host = f"[{host}]" if ":" in host else host
    shown = "" if port in {None, DEFAULT_PORTS.get(parts.scheme)} else f":{port}"
    return f"{parts.scheme}://{host}{shown}"


def is_loopback(url: str) -> bool:
    """Return whether requests to ``url`` stay on this machine, where plain http is safe."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return False
    return is_loopback_host(host)
