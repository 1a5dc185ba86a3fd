"""A secret value, and secret references in texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from math import inf
from typing import Final, Literal, NoReturn, Self
from urllib.parse import urlsplit

from rpcexplorer.patterns import regex
from rpcexplorer.transport.port import DEFAULT_PORTS, is_loopback_host

SecretSource = Literal[
    "environment", "inherited", "secrets.toml", "keyring", "prompt", "session", "given", "command", "file"
]
"""Where a secret is from, so that the user can change it there.

A process inherits a variable that has its own name in the environment of rpcexplorer.
"""
FIELDS: Final = ("username", "password", "session", "token", "key", "client_secret")
FIELD_WORDS: Final = {"username": "user name", "client_secret": "client secret"}
NO_GRANT: Final[Mapping[str, str]] = {}
_WITHOUT_HOST = regex(r"(stdio:|(?:(?:http|ws)\+)?unix://)(.*)", re.IGNORECASE | re.DOTALL)
"""The rest of such a URL is a path or words, in which upper and lower case differ."""


class Secret:
    """A value that shows only its reference until it is sent."""

    __slots__ = ("_value", "grant", "granted", "is_public", "label", "source", "until")

    def __init__(
        self,
        value: str,
        label: str,
        source: SecretSource = "given",
        *,
        is_public: bool = False,
        grant: Mapping[str, str] = NO_GRANT,
    ) -> None:
        """``is_public``: the value can be read elsewhere, as in the URL.

        ``grant`` is what renews a session of OAuth, with secrets of its own: see ``auth/oauth.py``.
        """
        self._value = value
        self.label = label
        self.source: SecretSource = source
        self.is_public = is_public
        self.until = inf
        """The time, as `time.monotonic` has it, from which it is not used any more."""
        self.grant = grant
        self.granted: tuple[Secret, ...] = ()
        """The secrets in its grant. Their mark cannot be sent."""
        if grant:
            values = [grant[key] for key in ("refresh_token", "client_secret") if key in grant]
            self.granted = tuple(map(unrecorded, values))

    def reveal(self) -> str:
        """Return the value itself. Review each call of this."""
        return self._value

    @property
    def placeholder(self) -> str:
        return placeholder(self.label)

    @property
    def profile(self) -> str:
        """The profile in the label; empty for an environment variable."""
        return self.label.rpartition(".")[0]

    @property
    def is_username(self) -> bool:
        """Return whether it is a user name, which is redacted by position only."""
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


LATER: Final = ("command", "file")
"""The sources of secrets that a call gets only when it needs them."""


class LaterSecret(Secret):
    """A secret that a command prints or a file has, which is run or read when a call needs it."""

    __slots__ = ()

    def __init__(self, label: str, source: SecretSource) -> None:
        super().__init__("", label, source)

    def __bool__(self) -> bool:
        return True


def unrecorded(value: str) -> Secret:
    """Return a secret of no field, whose mark cannot be sent."""
    return Secret(value, UNRECORDED.strip("«»"))


def placeholder(label: str) -> str:
    return f"«{label}»"


def origin_of(url: str) -> str:
    """Return scheme, host and port in one spelling, without a default port.

    The origin of a Unix socket is its path, and that of a process its words. A URL that cannot be split is its own
    origin, which equals no other.
    """
    if local := _WITHOUT_HOST.fullmatch(url):
        return f"{local[1].lower()}{local[2]}"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return url
    if ":" in host:
        host = f"[{host}]"
    if port not in {None, DEFAULT_PORTS.get(parts.scheme)}:
        host += f":{port}"
    return f"{parts.scheme}://{host}"


def host_of(url: str) -> str:
    """Return host and port, or a URL that cannot be split as it is."""
    origin = origin_of(url)
    return origin.partition("://")[2] or origin.removeprefix("stdio:") or url


def is_loopback(url: str) -> bool:
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return False
    return is_loopback_host(host)


PASSWORDS: Final = regex(
    r".*(?:password|passwd|passphrase|passcode|pwd|secret|secret(?:access)?key|apikey|privatekey|credential)"
    r"(?:s|confirm(?:ation|ed)?|again|repeat(?:ed)?|new|old|[12])?|pass"
)
"""Names whose values are always secret, as `squashed` spells them."""


def squashed(name: str) -> str:
    """Return a name in lower case without separators."""
    return re.sub("[^a-z0-9]", "", name.lower())


VARIABLE_NAME: Final = regex(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
"""Names of environment variables that a process may get."""
_SECRET_VARIABLES = regex(r"(?:.*_)?(?:KEY|PAT|PASS|TOKEN|JWT|BEARER|AUTHORIZATION|COOKIE|DSN)", re.IGNORECASE)
_SECRET_VALUES = regex(
    r"(?=\S*\d)(?:sk-|rk_|gh[opsu]_|github_pat_|glpat-|xox[a-z]-|AKIA|AIza|hf_|npm_|eyJ)[\w.-]{12}"
    r"|(?i:bearer|basic|token) (?=\S*[\d=])\S{8}"
    r"|[\w+.-]+://[^/?#\s]*:[^/?#\s]+@"
    r"|(?i:(?:[^;]*;)*\s*(?:password|pwd|accountkey)=[^;])"
)
"""Tokens of large services, JSON web tokens, and credentials as a header, a URL or a connection string has them."""


def is_secret_variable(name: str, value: str) -> bool:
    """Return whether an environment variable is named like a secret, or has a value that looks like one."""
    is_named = _SECRET_VARIABLES.fullmatch(name) or PASSWORDS.fullmatch(squashed(name))
    return bool(is_named) or is_secret_value(value)


def is_secret_value(value: str) -> bool:
    """Return whether a value of any name looks like a secret."""
    return _SECRET_VALUES.match(value) is not None


PROFILE_NAME = regex(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
"""Names that are safe in a file name, a variable's name and a sentence."""
UNRECORDED: Final = "«not recorded»"
PLACEHOLDER: Final = regex(rf"«(?P<profile>{PROFILE_NAME.pattern})\.(?P<field>{'|'.join(FIELDS)})»", re.ASCII)
HIDDEN: Final = regex(rf"{PLACEHOLDER.pattern}|«(?:RPCEXPLORER_\w+|not recorded)»", re.ASCII)
MARGIN: Final = 64 * 1024
"""Bytes after a cut text to search, too, so that no secret is cut in half."""
DEEPEST: Final = 20
"""Levels of JSON that are searched for the path of a secret."""
_UNSENDABLE = regex(r"(?:«|\\u00[aA][bB])not recorded(?:»|\\u00[bB][bB])|«RPCEXPLORER_\w+»")
"""Marks of values that are not known any more, also as escapes of JSON: no server may get them."""


def with_references(text: str, profile: str, new: str) -> str:
    """Return a text whose secret references to a profile name another one."""
    for field in FIELDS:
        text = text.replace(placeholder(f"{profile}.{field}"), placeholder(f"{new}.{field}"))
    return text


def may_refer(text: str) -> bool:
    """Return whether a text may have a secret reference, or the mark of a redacted value."""
    return "«" in text or "\\u00" in text


def unsendable(text: str) -> str:
    """Return the first mark of a redacted value in a text, or nothing."""
    found = _UNSENDABLE.search(text)
    return found[0].replace("\\u00ab", "«").replace("\\u00bb", "»") if found else ""


def named(texts: Iterable[str]) -> str:
    """Return the first secret reference in texts, or nothing."""
    for text in texts:
        if found := PLACEHOLDER.search(text):
            return found[0]
    return ""


def of_another(text: str, profile: str) -> str:
    for found in PLACEHOLDER.finditer(text):
        if found["profile"] != profile:
            return found[0]
    return ""


def of_this(text: str, profile: str) -> bool:
    return any(found["profile"] == profile for found in PLACEHOLDER.finditer(text))


def reference_paths(text: str, profile: str, pointer: str = "") -> list[tuple[str, str]]:
    """Return the paths of a profile's secret references in JSON, with their fields."""
    from rpcexplorer.jsontext.scan import elements, members

    if not of_this(text, profile):
        return []
    own, inside = text, list[tuple[str, str]]()
    if pointer.count("/") < DEEPEST:
        inside = [(member.name, text[slice(*member.value)]) for member in members(text) or ()]
        if inside:
            own = "".join(name for name, _ in inside)
        elif spans := elements(text):
            own, inside = "", [(str(at), text[slice(*span)]) for at, span in enumerate(spans)]
    found = [(pointer or "/", mark["field"]) for mark in PLACEHOLDER.finditer(own) if mark["profile"] == profile]
    for name, part in inside:
        found += reference_paths(part, profile, f"{pointer}/{name}")
    return found


def without(text: str, profile: str) -> str:
    """Redact secret references of this profile in an imported text."""
    return PLACEHOLDER.sub(lambda found: UNRECORDED if found["profile"] == profile else found[0], text)


def defused(text: str) -> str:
    """Escape secret references in JSON, so that none is replaced."""
    return PLACEHOLDER.sub(lambda found: "\\u00ab" + found[0][1:], text)


def for_others(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for other programs, without our secrets."""
    return {name: value for name, value in environment.items() if not name.lstrip("_").startswith("RPCEXPLORER_")}
