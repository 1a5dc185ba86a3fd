"""Changes to the profiles in one ``sessions.toml``, as the program's own screens and commands make them.

A change that would bring something refused into the file, or that cannot be made without touching the rest of it,
is not made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from rpcexplorer.files.toml import KeyPath, dotted, read_toml, split_dotted
from rpcexplorer.files.toml_edit import KeyChange, OwnTable, Verbatim, edit
from rpcexplorer.model.problem import Complaint, nearest
from rpcexplorer.model.profile import Profile, shares_variables
from rpcexplorer.storage.profiles.profiles import Profiles
from rpcexplorer.storage.profiles.shape import SESSIONS

if TYPE_CHECKING:
    from rpcexplorer.files.toml_shape import Leaves
    from rpcexplorer.model.method import SavedCall
    from rpcexplorer.model.problem import Changes

NEW_FILE = "version = 1\n"


class ProfileEdits(Struct, frozen=True):
    """One file, and what can be done to it. Each method gives None, or a complaint where nothing was changed."""

    file: Path
    """The file; it is made when it is missing."""
    locks: Path
    """A folder for the lock that keeps two programs from editing at once."""
    links: bool = False
    """The file may be one, as people keep their own elsewhere; nobody has said where a team's may lead to."""
    profiles: Profiles = field(default_factory=Profiles)
    """What all files say now."""

    def add(self, name: str, url: str, *, auth: Mapping[str, str] | None = None, **more: Any) -> Complaint | None:
        """Write a new profile at the end, unless it could not be used; ``more`` are further keys, such as ``badge``."""
        members = {"url": url, **more, "auth": dict(auth or {}) or None}
        return self._unusable(name, members) or self._new(name, members)

    def duplicate(self, name: str, copy: str) -> Complaint | None:
        """Write what this file says of a profile once more, under another name. Its secrets stay its own."""
        values = self._profiles()
        if isinstance(values, Complaint):
            return values
        return self._new(copy, values[name]) if name in values else self._unknown(name, values)

    def remove(self, name: str) -> Complaint | None:
        """Take a profile out, with the comments above it; also as the default."""
        values = self._profiles()
        if isinstance(values, Complaint):
            return values
        if name not in values:
            return self._unknown(name, values)
        changes: list[KeyChange] = [(("profile", name), None)]
        if self._default() == name:
            changes.append((("default",), None))
        return self._edit(*changes)

    def drop_default(self, name: str) -> Complaint | None:
        """No longer start with this profile, where this file says so."""
        return self._edit((("default",), None)) if self._default() == name else None

    def set_value(self, key: str | KeyPath, value: Any) -> Complaint | None:
        """Set a key such as ``profile.staging.timeout``; None takes it out."""
        return self._edit((split_dotted(key) if isinstance(key, str) else key, value))

    def set_values(self, values: Iterable[tuple[KeyPath, Any]]) -> Complaint | None:
        """Set several keys, or none of them where one is refused."""
        return self._edit(*values)

    def apply(self, name: str, changes: Changes, leaves: Leaves) -> Complaint | None:
        """Make changes of a profile that all files together say ``leaves`` of, unless it could not be used then."""
        from rpcexplorer.storage.profiles.applying import below, tried

        keys = [(("profile", name, *key), value) for key, value in below(changes)]
        wrong = tried(self.file, name, changes, leaves) or self._wrong_preset(name, dict(changes).get("preset"))
        return wrong or self._edit(*keys)

    def value_of(self, name: str, key: str, text: str) -> Any:
        """What somebody typed for a key of a profile, as this file would have it."""
        from rpcexplorer.storage.profiles.applying import value_of

        return value_of(self.file, name, key, text)

    def set_default(self, name: str) -> Complaint | None:
        """Start with this profile from now on."""
        return self._edit((("default",), name))

    def save_call(self, call: SavedCall, *, replacing: bool = False) -> Complaint | None:
        """Write a saved call, for its profile or for all; another one of its name only where it is to be replaced."""
        members: dict[str, Any] = {"method": call.method}
        members |= {"doc": call.doc} if call.doc else {}
        members |= {"params_json": Verbatim(call.text)} if call.text.strip() else {}
        path = _place_of(call)
        if replacing:
            gone = ("params", *({"doc", "params_json"} - members.keys()))
            return self._edit(
                *(((*path, key), None) for key in gone), *(((*path, key), members[key]) for key in members)
            )
        file = read_toml(self.file)
        there: Any = {} if file is None or isinstance(file, Complaint) else file.values
        for key in path[:-1]:
            there = there.get(key, {}) if isinstance(there, dict) else {}
        if isinstance(there, dict) and call.name in there:
            sentence = f"there is a saved call `{call.name}` in this file already; choose another name"
            return Complaint(str(self.file), sentence)
        return self._edit((path, OwnTable(members)))

    def remove_call(self, call: SavedCall) -> Complaint | None:
        """Take a saved call out, with the comments above it."""
        return self._edit((_place_of(call), None))

    def _new(self, name: str, members: dict[str, Any]) -> Complaint | None:
        values = self._profiles()
        if isinstance(values, Complaint):
            return values
        for other in values:
            if shares_variables(other, name):
                sentence = f"there is a profile `{other}` in this file already; choose a name that differs in letters"
                return Complaint(str(self.file), sentence, profile=name)
        return self._edit((("profile", name), {key: value for key, value in members.items() if value is not None}))

    def _unusable(self, name: str, members: Mapping[str, Any]) -> Complaint | None:
        """What would make a new profile one that nobody can use, as far as what is said of it can tell."""
        from rpcexplorer.files.toml_shape import DEFAULT, Leaf
        from rpcexplorer.storage.profiles.applying import checked

        values = checked(self.file, name, tuple((key, value) for key, value in members.items() if value is not None))
        if isinstance(values, Complaint):
            return values
        made = self.profiles.made(name, {path: Leaf(value, DEFAULT) for path, value in values.items()})
        if isinstance(made, Profile):
            return self._wrong_preset(name, made.preset)
        return Complaint(str(self.file), made[1], key=dotted(("profile", name, *made[0])), profile=name)

    def _wrong_preset(self, name: str, preset: str | None) -> Complaint | None:
        """Why no profile can start with this preset."""
        from rpcexplorer.files.toml_shape import Leaf, Source

        said: Leaves = {("preset",): Leaf(preset, Source(str(self.file)))} if preset else {}
        return next(iter(self.profiles.over_preset(name, said)[1]), None)

    def _edit(self, *changes: KeyChange) -> Complaint | None:
        return edit(self.file, self.locks, SESSIONS, changes, NEW_FILE, links=self.links)

    def _profiles(self) -> dict[str, Any] | Complaint:
        file = read_toml(self.file)
        if file is None or isinstance(file, Complaint):
            return file or {}
        found = file.values.get("profile", {})
        return found if isinstance(found, dict) else file.complain(("profile",), "must be profiles by name")

    def _default(self) -> Any:
        file = read_toml(self.file)
        return None if file is None or isinstance(file, Complaint) else file.values.get("default")

    def _unknown(self, name: str, values: dict[str, Any]) -> Complaint:
        guess = nearest(name, values)
        advice = f"did you mean `{guess}`?" if guess else "look for it in the other files"
        return Complaint(str(self.file), f"there is no profile `{name}` in this file; {advice}", profile=name)


def _place_of(call: SavedCall) -> KeyPath:
    """The key under which a saved call stands in its file."""
    return ("profile", call.profile, "call", call.name) if call.profile else ("call", call.name)
