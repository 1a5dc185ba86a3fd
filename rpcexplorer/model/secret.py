"""A secret value, and the references that stand for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, Literal, NoReturn, Self
from urllib.parse import urlsplit

from rpcexplorer.patterns import regex
from rpcexplorer.transport.port import is_loopback_host

SecretSource = Literal["environment", "secrets.toml", "keyring", "prompt", "session", "given"]
"""Where a secret came from; shown to people, who can then go and change it."""
FIELDS: Final = ("username", "password", "session", "token")
FIELD_WORDS: Final = {"username": "user name"}
DEFAULT_PORTS = {"http": 80, "https": 443}


class Secret:
    """A value that is opened on the last line before the socket, and shows its name everywhere else."""

    __slots__ = ("_value", "is_public", "label", "source")

    def __init__(self, value: str, label: str, source: SecretSource = "given", *, is_public: bool = False) -> None:
        """``is_public``: everybody can read the value elsewhere, such as in the profile's URL."""
        self._value = value
        self.label = label
        self.source: SecretSource = source
        self.is_public = is_public

    def reveal(self) -> str:
        """The value itself. Each call of this is a place to look at in a review."""
        return self._value

    @property
    def placeholder(self) -> str:
        return placeholder(self.label)

    @property
    def is_username(self) -> bool:
        """Whether it is a user name, which is hidden only in the places where auth puts it."""
        return self.label.lower().endswith((".username", "_username"))

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
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return False
    return is_loopback_host(host)


PROFILE_NAME = regex(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
"""Names that are safe in a file name, a variable's name and a sentence."""
UNRECORDED: Final = "«not recorded»"
PLACEHOLDER: Final = regex(rf"«(?P<profile>{PROFILE_NAME.pattern})\.(?P<field>{'|'.join(FIELDS)})»", re.ASCII)
HIDDEN: Final = regex(rf"{PLACEHOLDER.pattern}|«(?:RPCEXPLORER_\w+|not recorded)»", re.ASCII)
DEEPEST: Final = 20
"""Levels of JSON that are looked into one by one to tell where something stands."""
_UNSENDABLE = regex(r"(?:«|\\u00[aA][bB])not recorded(?:»|\\u00[bB][bB])|«RPCEXPLORER_\w+»")


def unsendable(text: str) -> str:
    """Return a mark in a text for a value that is lost, or nothing."""
    found = _UNSENDABLE.search(text)
    return found[0].replace("\\u00ab", "«").replace("\\u00bb", "»") if found else ""


def named(texts: Iterable[str]) -> str:
    """Return the first placeholder in texts, or nothing."""
    found = next(filter(None, map(PLACEHOLDER.search, texts)), None)
    return found[0] if found else ""


def of_another(text: str, profile: str) -> str:
    return next((found[0] for found in PLACEHOLDER.finditer(text) if found["profile"] != profile), "")


def of_this(text: str, profile: str) -> bool:
    return any(found["profile"] == profile for found in PLACEHOLDER.finditer(text))


def standing(text: str, profile: str) -> list[tuple[str, str]]:
    """Return where a profile's placeholders are in JSON, each with its field."""
    from rpcexplorer.jsontext.scan import elements, members

    found: list[tuple[str, str]] = []
    parts = [("", text)]
    while parts:
        pointer, part = parts.pop()
        if not of_this(part, profile):
            continue
        named = members(part) or () if pointer.count("/") < DEEPEST else ()
        inside = [(f"{pointer}/{each.name}", part[slice(*each.value)]) for each in named]
        if not named and pointer.count("/") < DEEPEST:
            inside = [(f"{pointer}/{at}", part[slice(*span)]) for at, span in enumerate(elements(part) or ())]
        parts += reversed(inside)
        alone = "".join(each.name for each in named) if inside else part
        marks = PLACEHOLDER.finditer(alone)
        found += [(pointer or "/", mark["field"]) for mark in marks if mark["profile"] == profile]
    return found


def without(text: str, profile: str) -> str:
    """Redact placeholders of this profile in a text of somebody else."""
    return PLACEHOLDER.sub(lambda found: UNRECORDED if found["profile"] == profile else found[0], text)


def defused(text: str) -> str:
    """Escape placeholders in JSON so that none is opened."""
    return PLACEHOLDER.sub(lambda found: "\\u00ab" + found[0][1:], text)


def for_others(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for other programs, without our passwords."""
    return {name: value for name, value in environment.items() if not name.lstrip("_").startswith("RPCEXPLORER_")}
