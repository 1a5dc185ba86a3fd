"""Secrets of profiles: looked up in the environment, ``secrets.toml`` and the keyring, and bound to a route.

A value goes the route it was saved for, or first used on, and no other. Asking a person is the front's part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from rpcexplorer.auth.credentials import derived
from rpcexplorer.auth.registry import auth_of
from rpcexplorer.files.io import FileTrouble
from rpcexplorer.files.private import PrivateFile
from rpcexplorer.model.destination import Route, RouteChanged
from rpcexplorer.model.problem import Complaint
from rpcexplorer.model.profile import Auth, Profile, shares_variables
from rpcexplorer.model.secret import FIELDS, Secret, SecretSource
from rpcexplorer.storage.secrets import keyring
from rpcexplorer.storage.secrets.routes import Routes
from rpcexplorer.storage.secrets.stored import Stored, StoredSecrets

KEPT = 5
"""Values of one field that are hidden: the newest, and some that are over, of which a server may still tell."""
VARIABLE = re.compile(rf"RPCEXPLORER_(.+)_({'|'.join(FIELDS).upper()})", re.DOTALL)


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


class Secrets:
    """The secrets of one user. Stores are read at each use, because other programs write to them as well."""

    def __init__(
        self,
        path: Path,
        environment: Mapping[str, str],
        store: Literal["file", "keyring"] = "file",
        now: Callable[[], datetime] = _now,
    ) -> None:
        self._file = PrivateFile(path, StoredSecrets)
        self.routes = Routes(path.with_name("allowed.toml"), environment, self._stored_routes)
        """Where each of them may go."""
        self._environment = environment
        self._store = store
        self._now = now
        self._seen: dict[str, list[Secret]] = {}
        """What a store gave or was given: a keyring cannot be listed, and a file may become unreadable meanwhile."""
        self._labels: dict[str, str] = {}
        """What each variable of a known profile holds."""
        self._learned: dict[tuple[str, Auth], Profile] = {}
        """The profiles themselves, also one that was changed in this run."""
        self._plain: set[str] = set()
        self._keyring_trouble: Complaint | None = None

    @property
    def place(self) -> str:
        """Where values are stored, in words."""
        return "your keyring" if self._store == "keyring" else str(self._file.path)

    def find(self, profile: Profile, field: str) -> Secret | RouteChanged | None:
        """Look a field up; ``RouteChanged`` where it would go another route than it is bound to.

        A store that cannot be read counts as empty; ``trouble`` says why it cannot.
        """
        self.learn([profile])
        given = self._environment.get(profile.variable(field))
        if given and not (profile.ad_hoc and profile.assumes_auth):  # an address alone is no yes to a login
            return self.routes.moved_variable(profile, field) or Secret(given, profile.label(field), "environment")
        held = self._held(profile, field)
        if held is None:
            return None
        stored, source = held
        how = "for a different destination" if len(stored.route) > 1 else "without its destination"
        moved = self.routes.moved(profile, field, stored.route, f"it was stored {how}")
        return moved or Secret(stored.value, profile.label(field), source)

    def state(self, profile: Profile) -> dict[str, Secret | RouteChanged | None]:
        """What this kind of profile needs, and where each field comes from; None where it is missing."""
        return {each: self.find(profile, each) for each in profile.secrets}

    def withheld(self, profile: Profile, text: str) -> RouteChanged | None:
        """Return why a text for other programs must not name the profile's variables: their values are not sent."""
        for field in FIELDS:
            name = profile.variable(field)
            if name in text and self._environment.get(name):
                found = self.find(profile, field)
                if isinstance(found, RouteChanged):
                    return found
        return None

    def saved(self, profile: Profile, field: str) -> datetime | None:
        """When the stored value was saved; of a session, since when it is in use."""
        held = self._held(profile, field)
        return held[0].saved if held else None

    def save(self, profile: Profile, field: str, value: str) -> None:
        """Store a value for the route the profile has today. Raises ``FileTrouble`` where that is impossible."""
        if profile.ad_hoc:
            raise FileTrouble("a profile made from --url keeps nothing; add a profile to store secrets for it")
        stored = Stored(value, self.routes.of(profile), self._now())
        key = (profile.name, field)
        if self._store == "file":
            with self._file.changing() as contents:
                contents.entries[key] = stored
            return
        keyring.keep(_account(*key), stored.as_toml())
        self.routes.used(profile.variable(field), profile)  # a keyring cannot be searched for other spellings of a name
        self._remember(Secret(value, profile.label(field), "keyring"))
        if key in self._file.read().entries:  # it would hide what the keyring now holds
            with self._file.changing() as contents:
                contents.entries.pop(key, None)

    def forget(self, profile: Profile, field: str | None = None) -> bool:
        """Remove one field, or all of them; False where nothing was stored. Raises ``FileTrouble``."""
        keys = [(profile.name, each) for each in FIELDS if field in {None, each}]
        dropped = [key for key in keys if self._store == "keyring" and keyring.drop(_account(*key))]
        if any(key in self._file.read().entries for key in keys):
            with self._file.changing() as contents:
                dropped += [key for key in keys if contents.entries.pop(key, None)]
        return bool(dropped)

    def learn(self, profiles: Iterable[Profile]) -> None:
        """Take in whose the variables are: a variable alone does not tell how its profile is spelled."""
        for profile in profiles:
            self._labels |= {profile.variable(field): profile.label(field) for field in FIELDS}
            self._learned[profile.name, profile.auth] = profile

    def known(self) -> list[Secret]:
        """Every value that this run can know, for redaction; of one field, the one that is in use comes last.

        A variable that belongs to no profile goes by its own name, which nobody can send.
        """
        for key, stored in self._file.read().entries.items():
            self._remember(Secret(stored.value, _account(*key), "secrets.toml"))
        found = [secret for seen in self._seen.values() for secret in seen]
        for name, value in self._environment.items():
            if value and VARIABLE.fullmatch(name):
                found.append(Secret(value, self._labels.get(name, name), "environment"))
        return found

    def derived(self, known: Sequence[Secret]) -> Iterator[Secret]:
        """What values that are known come to on the way: whoever reads that has the values themselves."""
        for profile in [*self._learned.values()]:  # one may be learned meanwhile: records have a thread
            yield from derived(auth_of(profile).headers(profile), known)

    def trouble(self) -> Complaint | None:
        """Why secrets that may well be stored cannot be used."""
        return self._file.read().complaint or self._keyring_trouble

    def trusts_plain(self, origin: str) -> bool:
        """Whether the user has allowed credentials over plain http to ``origin``."""
        return origin in self._plain or origin in self._file.read().plain

    def trust_plain(self, origin: str) -> str | None:
        """Allow it from now on; a sentence where that can be remembered for this run only."""
        self._plain.add(origin)
        try:
            with self._file.changing() as contents:
                contents.plain.add(origin)
        except FileTrouble as trouble:
            return trouble.sentence
        return None

    def _stored_routes(self, name: str) -> list[Route] | Complaint:
        """Return where the values belong that are stored under a profile's name, or why that is not known."""
        contents = self._file.read()
        if contents.complaint:
            return contents.complaint
        routes = [stored.route for (other, _), stored in contents.entries.items() if shares_variables(other, name)]
        for field in FIELDS if self._store == "keyring" else ():
            try:
                stored = Stored.from_toml(keyring.fetch(_account(name, field)) or "")
            except FileTrouble as trouble:
                return Complaint("keyring", trouble.sentence)
            routes += [stored.route] if stored else []
        return routes

    def _held(self, profile: Profile, field: str) -> tuple[Stored, SecretSource] | None:
        """What is stored for a profile, whatever route it belongs to."""
        if profile.ad_hoc:
            return None
        if stored := self._file.read().entries.get((profile.name, field)):
            self._remember(Secret(stored.value, profile.label(field), "secrets.toml"))
            return stored, "secrets.toml"
        if self._store == "file":
            return None
        try:
            kept = keyring.fetch(_account(profile.name, field))
        except FileTrouble as trouble:
            self._keyring_trouble = Complaint("keyring", trouble.sentence)
            return None
        stored = Stored.from_toml(kept or "")
        if stored is None:
            return None
        self._remember(Secret(stored.value, profile.label(field), "keyring"))
        return stored, "keyring"

    def _remember(self, secret: Secret) -> None:
        seen = self._seen.setdefault(secret.label, [])
        if secret in seen:
            seen.remove(secret)
        seen.append(secret)
        del seen[:-KEPT]


def _account(profile: str, field: str) -> str:
    return f"{profile}.{field}"
