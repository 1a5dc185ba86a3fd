"""The places of a secret: environment, secrets.toml and keyring."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Self

from msgspec import Struct, field

from rpcexplorer.auth.credentials import derived
from rpcexplorer.auth.registry import auth_of
from rpcexplorer.files.io import FileError, LockedError, decoded, lock, private_folder, read_bytes
from rpcexplorer.files.private import Contents, PrivateFile, toml, why_not_private
from rpcexplorer.files.toml import KeyPath, TomlFile, parse_toml
from rpcexplorer.files.toml_shape import (
    CheckedFile,
    MapRule,
    Rule,
    TableRule,
    list_rule,
    name_rule,
    read_shape,
    text_rule,
    time_rule,
    version_rule,
)
from rpcexplorer.model.destination import Destination, DestinationChanged
from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.problem import Problem
from rpcexplorer.model.profile import Auth, Profile, label_of, shares_variables
from rpcexplorer.model.profile import variable as name_of_variable
from rpcexplorer.model.secret import FIELDS, NO_GRANT, LaterSecret, Secret, SecretSource
from rpcexplorer.patterns import regex
from rpcexplorer.secrets.destination import Destinations

if TYPE_CHECKING:
    from rpcexplorer.secrets.command import SecretCommand

ENTRY = TableRule(
    "a secret",
    {
        "value": text_rule,
        "origin": name_rule,
        "saved": time_rule,
        "route": MapRule(text_rule),
        "grant": MapRule(text_rule),
    },
)

OF_PROCESS = "environment"
"""The table of a profile with the secrets that its process gets."""
OF_PROFILE = TableRule("a profile in this file", {**dict.fromkeys(FIELDS, ENTRY), OF_PROCESS: MapRule(ENTRY)})
SHAPE = TableRule(
    "secrets.toml",
    {
        "version": version_rule,
        "plain_http": list_rule(name_rule, "origins"),
        "oauth": list_rule(name_rule, "pairs of origins"),
        "profile": MapRule(OF_PROFILE),
    },
)


class Stored(Struct, frozen=True):
    value: str
    destination: Destination
    """The only destination. Values of an older version have only the origin."""
    saved: datetime | None = None
    grant: Mapping[str, str] = NO_GRANT
    """What renews a session of OAuth, with secrets of its own."""

    def __repr__(self) -> str:
        """Leave the value out."""
        return f"Stored(origin={self.destination['origin']!r})"

    def members(self) -> dict[str, Any]:
        rest = {key: value for key, value in self.destination.items() if key != "origin"}
        members: dict[str, Any] = {"value": self.value, "origin": self.destination["origin"], "saved": self.saved}
        members |= {"route": rest, "grant": self.grant}
        return {key: value for key, value in members.items() if value is not None and value != {}}

    @classmethod
    def of(cls, reading: CheckedFile, *path: str) -> Stored | None:
        """Reverse ``members``; return None if a needed one is missing."""
        members = reading.values(*path)
        if not {"value", "origin"} <= members.keys():
            return None
        destination = {"origin": members["origin"], **reading.values(*path, "route")}
        return cls(members["value"], destination, members.get("saved"), reading.values(*path, "grant"))

    def as_toml(self) -> str:
        """Return it as one text, for a keyring."""
        return toml(self.members())

    @classmethod
    def from_toml(cls, text: str) -> Stored | None:
        """Reverse ``as_toml``; return None for any other text."""
        file = parse_toml(Path("keyring"), text)
        return cls.of(read_shape(ENTRY, file)) if isinstance(file, TomlFile) else None


class StoredSecrets(Contents):
    entries: dict[tuple[str, str], Stored] = field(default_factory=dict)
    """Keyed by profile and field."""
    plain: set[str] = field(default_factory=set)
    """Origins that get credentials over plain HTTP, because the user agreed."""
    oauth: set[str] = field(default_factory=set)
    """What the user agreed to: a server, and another one that gets its requests for tokens, or has a page to log in."""

    shape: ClassVar[Rule] = SHAPE
    heading: ClassVar[str] = (
        "# Written by rpcexplorer. Only its owner may read this file.\n"
        "# Each value is sent only to the destination for which it was stored.\n"
    )

    @classmethod
    def from_file(cls, reading: CheckedFile) -> Self:
        values = reading.values()
        contents = cls(plain=set(values.get("plain_http", ())), oauth=set(values.get("oauth", ())))
        problems = [problem for _, problem in reading.problems]
        entries: dict[KeyPath, None] = {}
        for path in reading.leaves:
            entry = path[:4] if path[2:3] == (OF_PROCESS,) else path[:3]
            if len(path) > len(entry):
                entries[entry] = None
        for path in entries:
            if stored := Stored.of(reading, *path):
                contents.entries[path[1], path[-1]] = stored
            elif not problems:
                problems.append(reading.file.complain(path, "must have a value and an origin. Remove this entry"))
        contents.problem = problems[0] if problems else None
        return contents

    def members(self) -> Mapping[str, Any]:
        profiles: dict[str, dict[str, Any]] = {}
        for (profile, name), stored in self.entries.items():
            fields = profiles.setdefault(profile, {})
            if name not in FIELDS:
                fields = fields.setdefault(OF_PROCESS, {})
            fields[name] = stored.members()
        return {"plain_http": sorted(self.plain), "oauth": sorted(self.oauth), "profile": profiles}


SERVICE = "rpcexplorer"
INSTEAD = 'Set store = "file" under [secrets] in settings.toml'


def fetch(account: str) -> str | None:
    with _problem("read"):
        import keyring

        return keyring.get_password(SERVICE, account)


def keep(account: str, text: str) -> None:
    """Store a text, and check that it was stored."""
    with _problem("write to"):
        import keyring

        keyring.set_password(SERVICE, account, text)
    if fetch(account) != text:
        raise FileError(f"the system keyring did not store the value. {INSTEAD}")


def drop(account: str) -> bool:
    """Remove a text; return whether there was one."""
    if fetch(account) is None:
        return False
    with _problem("write to"):
        import keyring

        keyring.delete_password(SERVICE, account)
    return True


@contextmanager
def _problem(action: str) -> Iterator[None]:
    try:
        yield
    except ImportError:
        raise FileError(f"no keyring is installed. {INSTEAD}, or run `pip install rpcexplorer[keyring]`") from None
    except Exception:  # noqa: BLE001 - the errors of keyrings have no common base, and may quote values
        words = "it is locked, or there is none"
        raise FileError(f"cannot {action} the system keyring: {words}. {INSTEAD}, or unlock the keyring") from None


MAX_SECRET_BYTES: Final = 64 * 1024
"""Largest file with a secret that is read."""
KEPT = 5
"""Values per field that are redacted: old ones may still be in responses."""
PREFIX: Final = "RPCEXPLORER_"
VARIABLE = regex(rf"{PREFIX}(.+)_({'|'.join(FIELDS).upper()})", re.DOTALL)
"""Greedy, because the name of a profile can end with ``_TOKEN`` itself."""


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


class Secrets:
    """The secrets of one user.

    Stores are read at each use, because other programs write to them as well.
    """

    def __init__(
        self,
        path: Path,
        environment: Mapping[str, str],
        store: Literal["file", "keyring"] = "file",
        now: Callable[[], datetime] = _now,
    ) -> None:
        self._file = PrivateFile(path, StoredSecrets)
        self.destinations = Destinations(path.with_name("allowed.toml"), environment, self._stored_destinations)
        """The destinations of the secrets."""
        self._environment = environment
        self._store = store
        self._now = now
        self._seen: dict[str, list[Secret]] = {}
        """Values that were read or stored, for redaction.

        A keyring has no list, and a file may become unreadable.
        """
        self._labels: dict[str, str] = {}
        """The secret in each variable of a known profile."""
        self._learned: dict[tuple[str, Auth], Profile] = {}
        """The known profiles, with those that were changed in this run."""
        self._remembered: StoredSecrets | None = None
        """The contents of the file that were remembered last."""
        self._variables: dict[tuple[str, str, str], Secret] = {}
        """The values of environment variables, by name, value and label."""
        self._plain: set[str] = set()
        self._oauth: set[str] = set()
        self._keyring_problem: Problem | None = None

    @property
    def place(self) -> str:
        """The place where values are stored, in words."""
        return "your keyring" if self._store == "keyring" else str(self._file.path)

    def find(self, profile: Profile, field: str) -> Secret | DestinationChanged | None:
        """Look up a field; return ``DestinationChanged`` if it is blocked.

        A store that cannot be read counts as empty; ``problem`` returns the reason.
        """
        self.learn([profile])
        given = self._environment.get(profile.variables[field])
        # A URL without an auth type does not ask for a login.
        if given and not (profile.ad_hoc and profile.assumes_auth):
            moved = self.destinations.moved_variable(profile, field)
            return moved or Secret(given, profile.label(field), "environment")
        if profile.auth.command_for(field):
            moved = self.destinations.moved_variable(profile, field, f"{field} of the command")
            return moved or LaterSecret(profile.label(field), "command")
        if profile.auth.file_for(field):
            moved = self.destinations.moved_variable(profile, field, f"{field} of the file")
            return moved or LaterSecret(profile.label(field), "file")
        held = self._held(profile, field)
        if held is None:
            inherited = self._environment.get(field) if field in profile.environment_secrets else None
            return Secret(inherited, profile.label(field), "inherited") if inherited else None
        stored, source = held
        is_bound = len(stored.destination) > 1
        why = "it was stored for a different destination" if is_bound else "it was stored without its destination"
        moved = self.destinations.moved(profile, field, stored.destination, why)
        return moved or Secret(stored.value, profile.label(field), source, grant=stored.grant)

    def state(self, profile: Profile) -> dict[str, Secret | DestinationChanged | None]:
        """Return the fields that the profile needs, and their values if known."""
        return {name: self.find(profile, name) for name in profile.secrets}

    def withheld(self, profile: Profile, text: str) -> DestinationChanged | None:
        """Return why an exported text must not name the profile's variables."""
        for name, variable in profile.variables.items():
            if variable in text and self._environment.get(variable):
                found = self.find(profile, name)
                if isinstance(found, DestinationChanged):
                    return found
        return None

    def saved(self, profile: Profile, field: str) -> datetime | None:
        """Return when the stored value was saved."""
        held = self._held(profile, field)
        return held[0].saved if held else None

    def save(self, profile: Profile, field: str, value: str, grant: Mapping[str, str] = NO_GRANT) -> None:
        """Store a value for the profile's current destination.

        Raises ``FileError``.
        """
        if profile.ad_hoc:
            raise FileError("secrets for --url cannot be stored. Add a profile for this server first")
        stored = Stored(value, self.destinations.of(profile), self._now(), grant)
        key = (profile.name, field)
        if self._store == "file":
            with self._file.changing() as contents:
                contents.entries[key] = stored
            return
        keep(_account(*key), stored.as_toml())
        # A keyring cannot be searched for other spellings of the name.
        self.destinations.used(profile.variables[field], profile)
        self._remember(Secret(value, profile.label(field), "keyring", grant=grant))
        if key in self._file.read().entries:  # An entry of the file would hide the one in the keyring.
            with self._file.changing() as contents:
                contents.entries.pop(key, None)

    def forget(self, profile: Profile, field: str | None = None) -> bool:
        """Remove one or all fields; return whether one was stored.

        Raises ``FileError``.
        """
        name, was_stored = profile.name, False
        if self._store == "keyring":
            for kind in [field] if field else self._fields(name):
                if drop(_account(name, kind)):
                    was_stored = True
        keys = [key for key in self._file.read().entries if key[0] == name and field in {None, key[1]}]
        if keys:
            with self._file.changing() as contents:
                for key in keys:
                    if contents.entries.pop(key, None):
                        was_stored = True
        return was_stored

    def copy(self, name: str, new: str) -> None:
        """Store all values of a profile for its new name too, bound to the same destinations.

        Raises ``FileError``, also if the new name has values of its own.
        """
        taken = FileError(f"{self.place} already has secrets of a profile {new}. Choose another name")
        with self._file.changing() as contents:
            copied = {(new, kind): stored for (profile, kind), stored in contents.entries.items() if profile == name}
            if any(key[0] == new and copied.get(key) != stored for key, stored in contents.entries.items()):
                raise taken
            contents.entries.update(copied)
        for kind in self._fields(name) if self._store == "keyring" else ():
            text, other = fetch(_account(name, kind)), fetch(_account(new, kind))
            if other and other != text:
                raise taken
            if text:
                keep(_account(new, kind), text)

    def command_of(self, profile: Profile, field: str) -> SecretCommand | Refused:
        """Return the command that prints a secret, ready to run, or why it must not be run."""
        from rpcexplorer.secrets.command import SecretCommand  # Few profiles have one.

        found = self.destinations.secret_command(profile, field)
        return found if isinstance(found, Refused) else SecretCommand(found, self._environment)

    def read(self, profile: Profile, field: str) -> Secret | Refused:
        """Read a secret from its file, which must be private."""
        path = Path(profile.auth.file_for(field) or "")
        try:
            refusal = why_not_private(path)
            content = None if refusal else read_bytes(path, MAX_SECRET_BYTES)
            text = decoded(path, content or b"").strip()
        except FileError as error:
            refusal, text = error.sentence, ""
        if not refusal and not text:
            refusal = "it does not exist, or is empty. Check its name"
        if refusal:
            sentence = f"The {field} of profile {profile.name} was not read from {path}: {refusal}."
            return Refused("credentials", sentence)
        return Secret(text, profile.label(field), "file")

    def set_variables(self, name: str) -> list[str]:
        """Return the environment variables of a profile that are set."""
        variables = [name_of_variable(name, kind) for kind in (*self._fields(name), "origin")]
        return [variable for variable in variables if self._environment.get(variable)]

    def learn(self, profiles: Iterable[Profile]) -> None:
        """Learn the profiles of variables, whose names do not show the spelling."""
        for profile in profiles:
            if self._learned.get((profile.name, profile.auth)) is not profile:
                for field, variable in profile.variables.items():
                    self._labels[variable] = profile.label(field)
                for name in profile.environment_secrets:  # Its process inherits a variable of that name.
                    self._labels[name] = profile.label(name)
                self._learned[profile.name, profile.auth] = profile

    @property
    def learned(self) -> list[Profile]:
        """The known profiles; a thread that records a call may add one meanwhile."""
        return [*self._learned.values()]

    def known(self) -> list[Secret]:
        """Return all values that this run knows, current ones last, the same objects while nothing has changed.

        The label of a variable without a profile is its own name, so a reference to it cannot be sent.
        """
        contents = self._file.read()
        if contents is not self._remembered:
            for key, stored in contents.entries.items():
                self._remember(Secret(stored.value, label_of(*key), "secrets.toml", grant=stored.grant))
            self._remembered = contents
        found: list[Secret] = []
        for seen in [*self._seen.values()]:  # Events are recorded in a thread.
            found += seen
        for variable in self._environment:
            if variable in self._labels or (variable.startswith(PREFIX) and VARIABLE.fullmatch(variable)):
                value, label = self._environment.get(variable, ""), self._labels.get(variable, variable)
                secret = self._variables.setdefault((variable, value, label), Secret(value, label, "environment"))
                if value:
                    found.append(secret)
        return found

    def marked(self, known: Sequence[Secret]) -> list[Secret]:
        """Return the secrets, and mark those that are public anyway.

        A public value is also in its profile's own URL, path, preset or user name.
        """
        from rpcexplorer.redaction.addresses import redacted_address  # Start-up does not need it.

        profiles: dict[str, list[Profile]] = {}
        for profile in self.learned:
            profiles.setdefault(profile.name, []).append(profile)
        usernames = [secret for secret in known if secret.is_username]

        def is_public(secret: Secret) -> bool:
            name, value = secret.label.rpartition(".")[0], secret.reveal()
            for username in usernames:
                if username.label == f"{name}.username" and value in username.reveal():
                    return True
            for profile in profiles.get(name, ()):
                if value in profile.preset or value in (profile.username or ""):
                    return True
                if value in profile.endpoint and value in redacted_address(profile.endpoint):
                    return True
            return False

        return [Secret(secret.reveal(), secret.label, secret.source, is_public=is_public(secret)) for secret in known]

    def derived(self, known: Sequence[Secret]) -> Iterator[Secret]:
        """Yield encoded forms of known values, which are as secret as the values."""
        for profile in self.learned:
            yield from derived(auth_of(profile).headers(profile), known)

    def problem(self) -> Problem | None:
        """Return why stored secrets cannot be used, if they cannot."""
        return self._file.read().problem or self._keyring_problem

    def trusts_plain(self, origin: str) -> bool:
        """Return whether the user allowed credentials over plain HTTP."""
        return origin in self._plain or origin in self._file.read().plain

    def trust_plain(self, origin: str) -> str | None:
        """Allow plain HTTP; return a sentence if it counts only for this run."""
        self._plain.add(origin)
        try:
            with self._file.changing() as contents:
                contents.plain.add(origin)
        except FileError as error:
            return error.sentence
        return None

    def agreed_to(self, origin: str, terms: Iterable[str]) -> bool:
        """Return whether the user agreed to the terms of a login for a server."""
        return {f"{origin} {term}" for term in terms} <= self._oauth | self._file.read().oauth

    def agree_to(self, origin: str, terms: Iterable[str]) -> None:
        """Remember that the user agreed, at least for this run."""
        pairs = {f"{origin} {term}" for term in terms}
        self._oauth |= pairs
        with suppress(FileError), self._file.changing() as contents:
            contents.oauth |= pairs

    def agreements(self) -> list[str]:
        """Return what the user agreed to about servers, in words."""
        contents = self._file.read()
        rows = [f"credentials over plain HTTP to {origin}" for origin in sorted(contents.plain)]
        for pair in sorted(contents.oauth):
            server, _, others = pair.partition(" ")
            rows.append(f"login for {server} at {others}")
        return rows

    def forget_agreements(self, origin: str) -> bool:
        """Forget what the user agreed to about a server; return whether there was anything. Raises ``FileError``."""
        with self._file.changing() as contents:
            before = contents.as_toml()
            contents.plain.discard(origin)
            contents.oauth = {pair for pair in contents.oauth if pair.partition(" ")[0] != origin}
            return contents.as_toml() != before

    def lock_renewal(self, profile: Profile) -> ExitStack | None:
        """Return the lock of renewals of a profile's session, held; None while another process holds it."""
        held = ExitStack()
        path = self._file.path.with_name(f"renewal-{profile.name}")
        try:
            private_folder(path.parent)
            held.enter_context(lock(path, 0))
        except LockedError:
            return None
        except FileError:
            return held  # Where nothing can be written, no session is stored, and only this process has it.
        return held

    def _stored_destinations(self, name: str) -> list[Destination] | Problem:
        """Return the destinations of stored values, or why they are unknown."""
        contents = self._file.read()
        if contents.problem:
            return contents.problem
        destinations: list[Destination] = []
        for (other, _), stored in contents.entries.items():
            if shares_variables(other, name):
                destinations.append(stored.destination)
        if self._store == "file":
            return destinations
        for kind in self._fields(name):
            try:
                in_keyring = Stored.from_toml(fetch(_account(name, kind)) or "")
            except FileError as error:
                return Problem("keyring", error.sentence)
            if in_keyring:
                destinations.append(in_keyring.destination)
        return destinations

    def _fields(self, name: str) -> tuple[str, ...]:
        """Return the fields that profiles of this name may have."""
        of_processes: dict[str, None] = {}
        for (known, _), profile in self._learned.items():
            if known == name:
                of_processes |= dict.fromkeys(profile.environment_secrets)
        return (*FIELDS, *of_processes)

    def _held(self, profile: Profile, field: str) -> tuple[Stored, SecretSource] | None:
        """Return the stored value of a field, whatever its destination."""
        if profile.ad_hoc:
            return None
        if stored := self._file.read().entries.get((profile.name, field)):
            self._remember(Secret(stored.value, profile.label(field), "secrets.toml", grant=stored.grant))
            return stored, "secrets.toml"
        if self._store == "file":
            return None
        try:
            text = fetch(_account(profile.name, field))
        except FileError as error:
            self._keyring_problem = Problem("keyring", error.sentence)
            return None
        stored = Stored.from_toml(text or "")
        if stored is None:
            return None
        self._remember(Secret(stored.value, profile.label(field), "keyring", grant=stored.grant))
        return stored, "keyring"

    def _remember(self, secret: Secret) -> None:
        seen = self._seen.setdefault(secret.label, [])
        if seen and seen[-1] == secret and seen[-1].source == secret.source:
            return
        if secret in seen:
            seen.remove(secret)
        seen.append(secret)
        del seen[:-KEPT]


def _account(profile: str, field: str) -> str:
    return f"{profile}.{field}"
