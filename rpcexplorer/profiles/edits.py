"""Changes of profiles: in a file, or for this run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from rpcexplorer.files.toml import KeyPath, TomlFile, dotted, parse_toml, read_toml, split_dotted
from rpcexplorer.files.toml_edit import KeyChange, NewName, OwnTable, Verbatim, edit
from rpcexplorer.files.toml_shape import DEFAULT, Leaf, Leaves, Source
from rpcexplorer.model.method import SavedCall
from rpcexplorer.model.problem import PROGRAM, Changes, Problem, nearest
from rpcexplorer.model.profile import OF_COMMAND, Profile, shares_variables
from rpcexplorer.profiles.keys import SESSIONS
from rpcexplorer.profiles.layers import NEW_FILE, checked_values
from rpcexplorer.profiles.profiles import Profiles


class ProfileEdits(Struct, frozen=True):
    """A file and its changes; each method returns None or a problem."""

    file: Path
    locks: Path
    """A folder for the lock that keeps two programs from editing at once."""
    links: bool = False
    """Whether the file may be a link: a user file may, a shared file may not."""
    profiles: Profiles = field(default_factory=Profiles)
    folder: Path | None = None
    """The working folder, in which the words of a process are typed."""

    def add(
        self, name: str, url: str, *, auth: Mapping[str, Any] | None = None, writes: bool = True, **more: Any
    ) -> Problem | None:
        """Write a new profile, unless it could not be used.

        ``more`` are other keys, such as ``badge``. Without ``writes``, only return why that cannot be done.
        """
        if "command" in more:
            more["command"] = self._words_from_here(more["command"])
        of_auth = dict(auth or {})
        for key, value in of_auth.items():
            if key.endswith(OF_COMMAND):
                of_auth[key] = self._words_from_here(value)
        keys = {"url": url, **more, "auth": of_auth}
        members = {key: value for key, value in keys.items() if value}
        values = checked_values(self.file, name, tuple(members.items()))
        if isinstance(values, Problem):
            return values
        problem = self._find_unusable(name, {}, values, members.get("preset"))
        if problem:
            return problem
        return self._write_new(name, members, writes=writes)

    def duplicate(self, name: str, copy: str) -> Problem | None:
        """Copy the profile's keys in this file, without its secrets."""
        values = self._profiles()
        if isinstance(values, Problem):
            return values
        if name not in values:
            return self._unknown(name, values)
        return self._write_new(copy, values[name])

    def rename(self, name: str, new: str, *, writes: bool = True) -> Problem | None:
        """Rename a profile, also as the default, if this file names it.

        Without ``writes``, only return why that cannot be done.
        """
        values = self._profiles()
        if isinstance(values, Problem):
            return values
        changes: list[KeyChange] = []
        if name in values:
            changes.append((("profile", name), NewName(new)))
        if self._default() == name:
            changes.append((("default",), new))
        if not changes:
            return None
        return self.set_values(*changes, writes=writes)

    def remove(self, name: str) -> Problem | None:
        """Remove a profile with the comments above it, also as the default."""
        values = self._profiles()
        if isinstance(values, Problem):
            return values
        if name not in values:
            return self._unknown(name, values)
        changes: list[KeyChange] = [(("profile", name), None)]
        if self._default() == name:
            changes.append((("default",), None))
        return self.set_values(*changes)

    def drop_default(self, name: str) -> Problem | None:
        """Remove the default if it is this profile."""
        if self._default() != name:
            return None
        return self.set_values((("default",), None))

    def set_values(self, *changes: KeyChange, writes: bool = True) -> Problem | None:
        """Set all keys or none; None removes a key."""
        return edit(self.file, self.locks, SESSIONS, changes, NEW_FILE, links=self.links, writes=writes)

    def apply(self, name: str, changes: Changes, leaves: Leaves) -> Problem | None:
        """Change a profile, unless it could not be used then.

        ``leaves`` are the values of all files for it.
        """
        values = checked_values(self.file, name, changes)
        if isinstance(values, Problem):
            return values
        remaining = dict(leaves)
        in_file: list[KeyChange] = []
        for dotted_key, value in changes:
            key = split_dotted(dotted_key)
            in_file.append((("profile", name, *key), value))
            if value is None:  # It removes the key, or the table with all its keys.
                remaining = {path: leaf for path, leaf in remaining.items() if path[: len(key)] != key}
        problem = self._find_unusable(name, remaining, values, dict(changes).get("preset"))
        if problem:
            return problem
        return self.set_values(*in_file)

    def value_of(self, name: str, key: str, text: str) -> Any:
        """Return the value of a text that was typed for a key.

        It is TOML if the key takes no text, and None if the text is empty.
        """
        if not text:
            return None
        parsed = parse_toml(self.file, f"value = {text}\n")
        if not isinstance(parsed, TomlFile):
            return text
        value = parsed.values.get("value", text)
        if isinstance(value, str):  # Quotes that were typed are part of the text.
            return text
        if key == "command" or key.endswith(OF_COMMAND):
            return self._words_from_here(value)
        takes_text = not isinstance(checked_values(self.file, name, ((key, text),)), Problem)
        if takes_text:  # For example, a badge may be 2024.
            return text
        return value

    def set_default(self, name: str) -> Problem | None:
        return self.set_values((("default",), name))

    def save_call(self, call: SavedCall, *, replacing: bool = False) -> Problem | None:
        """Write a saved call, and replace one of its name only if ``replacing``."""
        members: dict[str, Any] = {"method": call.method}
        if call.doc:
            members["doc"] = call.doc
        if call.text.strip():
            members["params_json"] = Verbatim(call.text)
        path = _path_of(call)
        if replacing:
            keys = ("params", "doc", "params_json", "method")  # Its other keys stay, such as ``expect``.
            return self.set_values(*[((*path, key), members.get(key)) for key in keys])
        table: Any = self._values()
        for key in path:
            if not isinstance(table, dict) or key not in table:
                return self.set_values((path, OwnTable(members)))
            table = table[key]
        sentence = f"this file already has a saved call `{call.name}`. Choose another name"
        return Problem(str(self.file), sentence)

    def expect(self, call: SavedCall, expectations: Mapping[str, Any]) -> Problem | None:
        """Add keys to ``expect`` of a saved call; remove those that contradict them."""
        from rpcexplorer.profiles.expect import contradicted

        if _has_null(expectations):
            sentence = "TOML has no null, so the value cannot be expected. Write a jq expression instead"
            return Problem(call.file, sentence)
        path = (*_path_of(call), "expect")
        if call.expect is None:
            return self.set_values((path, OwnTable(expectations)))
        changes: list[KeyChange] = [((*path, key), None) for key in contradicted(call.expect, expectations)]
        for key, value in expectations.items():
            if key == "values" and value:  # The values at other pointers stay.
                changes += [((*path, key, pointer), expected) for pointer, expected in value.items()]
            else:
                changes.append(((*path, key), value))
        return self.set_values(*changes)

    def remove_call(self, call: SavedCall) -> Problem | None:
        return self.set_values((_path_of(call), None))

    def _words_from_here(self, words: Any) -> Any:
        """Return typed words with a program in the working folder.

        Otherwise its path would be read from the folder of the file on.
        """
        if not isinstance(words, list) or not words:
            return words
        if not self.folder or self.folder == self.file.parent:
            return words
        program, *arguments = words
        if "/" in str(program):
            program = str(self.folder / program)
        return [program, *arguments]

    def _write_new(self, name: str, members: dict[str, Any], *, writes: bool = True) -> Problem | None:
        values = self._profiles()
        if isinstance(values, Problem):
            return values
        if name in values:
            command = f"{PROGRAM} profiles set {name} KEY=VALUE"
            sentence = f"this file already has a profile `{name}`. Choose another name, or change it with `{command}`"
            return Problem(str(self.file), sentence, profile=name)
        for other in values:
            if shares_variables(other, name):
                sentence = f"this file has a profile `{other}`, which uses the same environment variables"
                return Problem(str(self.file), f"{sentence}. Choose another name", profile=name)
        return self.set_values((("profile", name), members), writes=writes)

    def _find_unusable(
        self, name: str, leaves: Leaves, values: Mapping[KeyPath, Any], preset: str | None
    ) -> Problem | None:
        """Return the problem of a profile with these values over its leaves, or of a preset that is new."""
        new_leaves = {path: Leaf(value, DEFAULT) for path, value in values.items()}
        built = self.profiles.built(name, leaves | new_leaves)
        if not isinstance(built, Profile):
            path, sentence = built
            return Problem(str(self.file), sentence, key=dotted(("profile", name, *path)), profile=name)
        if not preset:
            return None
        _, problems = self.profiles.presets.under(name, {("preset",): Leaf(preset, Source(str(self.file)))})
        return problems[0] if problems else None

    def _profiles(self) -> dict[str, Any] | Problem:
        file = read_toml(self.file)
        if file is None:
            return {}
        if isinstance(file, Problem):
            return file
        profiles = file.values.get("profile", {})
        if not isinstance(profiles, dict):
            return file.complain(("profile",), "must be a table")
        return profiles

    def _default(self) -> Any:
        return self._values().get("default")

    def _values(self) -> Mapping[str, Any]:
        """Return what is in the file. If it cannot be read, writing it reports why."""
        file = read_toml(self.file)
        if file is None or isinstance(file, Problem):
            return {}
        return file.values

    def _unknown(self, name: str, values: dict[str, Any]) -> Problem:
        advice = "Look for it in the other files"
        if guess := nearest(name, values):
            advice = f"Did you mean `{guess}`?"
        return Problem(str(self.file), f"there is no profile `{name}` in this file. {advice}", profile=name)


def _has_null(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(_has_null(inner) for inner in value.values())
    if isinstance(value, list):
        return any(_has_null(inner) for inner in value)
    return value is None


def _path_of(call: SavedCall) -> KeyPath:
    if call.profile:
        return ("profile", call.profile, "call", call.name)
    return ("call", call.name)
