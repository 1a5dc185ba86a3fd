"""All profiles, loaded and edited."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from rpcexplorer.files.paths import OVERLAY, TEAM_FILE, Paths, find_team_file
from rpcexplorer.files.private import PrivateFile
from rpcexplorer.files.toml import KeyPath, TomlFile, dotted, read_toml, split_dotted
from rpcexplorer.files.toml_edit import KeyChange, OwnTable, Verbatim, edit
from rpcexplorer.files.toml_shape import DEFAULT, CheckedFile, Leaf, Leaves, Source, read_shape
from rpcexplorer.model.problem import Complaint, listed, nearest
from rpcexplorer.model.profile import PATH, SERVICE, Preset, Profile, shares_variables, variable
from rpcexplorer.profiles.allowed import Allowed
from rpcexplorer.profiles.keys import SESSIONS
from rpcexplorer.profiles.layers import as_strict, by_profile, keep_documents_inside, merge, refuse_histories
from rpcexplorer.profiles.shape import (
    SavedLayer,
    build_profile,
    is_kept,
    saved_calls,
    saved_leaves,
    taken_out,
    variables,
)

if TYPE_CHECKING:
    from rpcexplorer.model.method import SavedCall
    from rpcexplorer.model.problem import Changes
    from rpcexplorer.profiles.layers import Presets

SHARING = 5
"""Profiles that are named where one cannot be told from others."""
LeafRow = tuple[str, Any, Source]
"""A dotted key of a profile, its value, and where that comes from."""


class Profiles(Struct, dict=True):
    """Every profile that can be used, and everything that is wrong with the others."""

    profiles: dict[str, Profile] = field(default_factory=dict)
    default: str | None = None
    """The profile to start with, if a file names one."""
    default_leaf: Leaf | None = None
    """The value that says so."""
    complaints: list[Complaint] = field(default_factory=list)
    files: tuple[Path, ...] = ()
    """The files that were read, lowest layer first."""
    refused: Complaint | None = None
    """Why a file that there is was not read."""
    leaves: dict[str, Leaves] = field(default_factory=dict)
    """What the files say of each profile, merged; ``()`` stands for the profile itself."""
    own: dict[str, Leaves] = field(default_factory=dict)
    """What this person's own file alone says."""
    histories: dict[str, str] = field(default_factory=dict)
    """Folders for histories that wait to be allowed, by profile."""
    own_presets: Path = Path()
    """The folder of this person's presets."""
    saved: list[SavedLayer] = field(default_factory=list)
    """Saved calls and variables, file by file, the lowest layer first."""

    def get(self, name: str | None = None) -> Profile | Complaint:
        """The profile, or what is wrong with it; of a name nobody has defined, which ones there are.

        None asks for the default one, or for the only one there is. Where there are none because their file cannot be
        read, that is the answer.
        """
        if self.refused and not self.leaves:
            return self.refused
        if name is None:
            name = self.default or (next(iter(self.leaves)) if len(self.leaves) == 1 else None)
        where = str(self.files[-1]) if self.files else TEAM_FILE
        if name is None:
            choose = "name one with -p NAME, or make one the default: rpcexplorer profiles default NAME. "
            advice = (choose if self.leaves else "") + which_there_are("", self.leaves)
            return Complaint(where, f"no profile is chosen, and there is no default; {advice}")
        if name in self.profiles:
            return self.profiles[name]
        for complaint in self.complaints:
            if complaint.profile == name:
                return complaint
        return Complaint(where, f"there is no profile `{name}`; {which_there_are(name, self.leaves)}")

    @property
    def default_source(self) -> Source:
        return self.default_leaf.source if self.default_leaf else DEFAULT

    def source_of(self, name: str, key: str) -> Source:
        """Where the value of a dotted key comes from, ``auth.username`` for example."""
        leaf = self.leaves.get(name, {}).get(split_dotted(key))
        return leaf.source if leaf else DEFAULT

    def files_of(self, name: str) -> list[Path]:
        speaking = {leaf.origin.file for leaf in self.leaves.get(name, {}).values()}
        return [path for path in self.files if str(path) in speaking]

    def default_home(self, name: str, own: Path) -> Path:
        """The file in which one person makes a profile the default: ``own``, unless only a team's file speaks of it."""
        speaking = self.files_of(name)
        return own if own in speaking or not speaking else speaking[-1].with_name(OVERLAY)

    @cached_property
    def presets(self) -> Presets:
        """What profiles can start with. No start needs them, unless a profile names one."""
        from rpcexplorer.profiles.layers import Presets

        return Presets(self.own_presets)

    def usable_presets(self) -> dict[str, Preset]:
        """Those that nothing is wrong with, by name."""
        return {each.preset.name: each.preset for each in self.presets.all() if not each.complaints}

    def chosen(self, profile: Profile) -> set[str]:
        """Return the dotted keys that somebody has chosen, in a file or in an address that was typed.

        What is not among them comes from preset and address, and may be filled in.
        """
        if profile.ad_hoc:
            return {"path"} if profile.path != PATH else set()
        return {dotted(path) for path, leaf in self.leaves.get(profile.name, {}).items() if not leaf.origin.preset}

    def is_of_preset(self, name: str, key: str) -> bool:
        """Return whether the value of a dotted key comes from the preset that the profile names."""
        leaf = self.leaves.get(name, {}).get(split_dotted(key))
        return leaf is not None and bool(leaf.origin.preset)

    def over_preset(self, name: str, said: Leaves) -> tuple[Leaves, list[Complaint]]:
        """What is said of a profile, over the preset that this names, and what is wrong with that one."""
        return self.presets.under(name, said) if ("preset",) in said else (said, [])

    def made(self, name: str, said: Leaves) -> Profile | tuple[KeyPath, str]:
        """The profile that would be, if only this were said of it by files."""
        whole, _ = self.over_preset(name, {path: leaf for path, leaf in said.items() if not leaf.origin.preset})
        return build_profile(name, {path: leaf.value for path, leaf in whole.items()})

    def change_home(self, name: str, own: Path) -> Path:
        """The file in which one person changes a profile: where it counts, and where a team says it, beside that."""
        speaking = self.files_of(name)
        highest = speaking[-1] if speaking else own
        return highest if highest == own else highest.with_name(OVERLAY)

    def overruled(self, name: str, changes: Changes, file: Path) -> list[str]:
        """Sentences about what was written into a file and does not count, for another one says it as well."""
        places = {key: self.source_of(name, key) for key, value in changes if value is not None}
        won = {key: place for key, place in places.items() if place is not DEFAULT and place.file != str(file)}
        return [
            f"{key} is written to {file}, but does not count: {place} says so and wins" for key, place in won.items()
        ]

    @staticmethod
    def changed(profile: Profile, changes: Changes) -> Profile | Complaint:
        """A profile of this run alone with other values, which no file would have refused."""
        from rpcexplorer.profiles.layers import changed

        return changed(profile, changes)

    def calls_of(self, profile: Profile) -> dict[str, SavedCall]:
        """The saved calls that can be sent with a profile, by name."""
        return saved_calls(self.saved, profile, is_own=self._is_own(profile))

    def variables_of(self, profile: Profile) -> Mapping[str, str]:
        """What has a value in the params that are sent with a profile."""
        return variables(self.saved, profile, is_own=self._is_own(profile))

    def call_homes(self, profile: Profile, own: Path) -> list[tuple[Path, str]]:
        """The files in which a call can be saved, each with the profile it is for then; one's own come first.

        A file speaks of a profile only where it is known there: what reads that file alone could not use it else.
        """
        teams = [file for file in self.files if file != own and file.name != OVERLAY][-1:]
        mine = [] if profile.ad_hoc else [(self.change_home(profile.name, own), profile.name)]
        its = [(file, profile.name) for file in teams if file in self.files_of(profile.name)]
        return [*mine, (own, ""), *its, *((file, "") for file in teams)]

    def _is_own(self, profile: Profile) -> bool:
        return ("url",) in self.own.get(profile.name, {})

    def rows(self, profile: Profile) -> list[LeafRow]:
        """Return every value of a profile with its source, defaults included.

        A profile that never logs in has no login table but what a file says.
        """
        said = [(dotted(path), value, self.source_of(profile.name, dotted(path))) for path, value in _flat(profile)]
        if not profile.has_sessions:
            said = [row for row in said if not (row[0].startswith("login.") and row[2] is DEFAULT)]
        kept = saved_leaves(self.saved, profile, is_own=self._is_own(profile))
        return [*said, *((dotted(path), leaf.value, leaf.source) for path, leaf in kept.items())]


def which_there_are(name: str, known: Iterable[str]) -> str:
    names = sorted(known)
    if not names:
        return "none is defined yet: run `rpcexplorer profiles add NAME --url URL`"
    guess = nearest(name, names)
    return f"did you mean `{guess}`? The profiles are {listed(names)}" if guess else f"the profiles are {listed(names)}"


def _flat(profile: Profile) -> Iterator[tuple[KeyPath, Any]]:
    for key in profile.__struct_fields__:
        value = getattr(profile, key)
        if key in {"auth", "login"}:
            kind = ["kind"] if key == "auth" else []
            yield from (((key, inner), getattr(value, inner)) for inner in (*value.__struct_fields__, *kind))
        elif key == "headers":
            yield from (((key, header), content) for header, content in value)
        elif key == "methods":
            for method, note in value.items():
                yield from ((("method", method, inner), getattr(note, inner)) for inner in note.__struct_fields__)
        elif key == "preset":
            yield (key,), SERVICE if profile.is_service else value
        elif key not in {"name", "ad_hoc", "assumes_auth", "history_inside", "has_login"}:
            yield (key,), _written(value) if isinstance(value, Struct) else value


def _written(value: Struct) -> dict[str, Any]:
    """A table as it stands in a file."""
    return {key: part for key in value.__struct_fields__ if key != "inside" and (part := getattr(value, key))}


if TYPE_CHECKING:
    pass


def load(paths: Paths, folder: Path, environment: Mapping[str, str], sessions: Path | None) -> Profiles:
    """Read and merge every file there is; ``sessions`` is the file that ``--sessions`` named."""
    allowed = PrivateFile(paths.allowed, Allowed).read()
    team = find_team_file(folder, environment, sessions, allowed.folders)
    found = Profiles(complaints=list(team.complaints), own_presets=paths.presets)
    layers = [paths.user_sessions]
    if team.path is not None:
        layers += [team.path, team.path.with_name(OVERLAY)]
    readings = [reading for path in dict.fromkeys(layers) if (reading := _read(path, found))]
    found.files = tuple(reading.file.path for reading in readings)
    found.refused = next(iter(found.complaints), None)  # of those that were read, nothing was said yet
    for reading in readings:
        found.saved.append(taken_out(reading, own=reading.file.path == paths.user_sessions))
        if reading.file.path == paths.user_sessions:
            found.own = by_profile(reading.leaves)
        else:
            found.histories |= refuse_histories(reading, allowed.histories)
            keep_documents_inside(reading)
        found.complaints += complaints_of(reading)
        for name, values in by_profile(reading.leaves).items():
            found.leaves[name] = merge(found.leaves.get(name, {}), values)
    _complete(found)
    _build(found)
    _refuse_shared_variables(found)
    _choose_default(found, readings)
    return found


def _complete(found: Profiles) -> None:
    """Lay the presets under everything, and make what results as strict as this person's own file wants it.

    What that file says counts with the preset that it names: so a method that this preset knows as safe stays safe,
    and of another one, that somebody else has named, it does not become so.
    """
    for name, said in found.leaves.items():
        whole, complaints = found.over_preset(name, said)
        if name in found.own:
            own, others = found.over_preset(name, found.own[name])
            whole, complaints = as_strict(own, whole), list(dict.fromkeys([*others, *complaints]))
        found.leaves[name] = whole
        found.complaints += complaints


def complaints_of(reading: CheckedFile) -> list[Complaint]:
    """What is wrong in one file, each complaint with the profile it makes unusable."""
    return [
        replace(complaint, profile=path[1])
        if path[:1] == ("profile",) and len(path) > 1 and not is_kept(path)
        else complaint
        for path, complaint in reading.complaints
    ]


def _read(path: Path, found: Profiles) -> CheckedFile | None:
    file = read_toml(path)
    if not isinstance(file, TomlFile):
        found.complaints += [file] if file else []
        return None
    reading = read_shape(SESSIONS, file)
    if any(path == ("version",) for path, _ in reading.complaints):
        found.complaints += complaints_of(reading)
        return None
    return reading


def _build(found: Profiles) -> None:
    broken = {complaint.profile for complaint in found.complaints}
    for name, leaves in found.leaves.items():
        made = build_profile(name, {path: leaf.value for path, leaf in leaves.items()})
        if name in broken:
            continue
        if isinstance(made, Profile):
            found.profiles[name] = made
        else:
            found.complaints.append(_complaint(found, name, *made))


def _refuse_shared_variables(found: Profiles) -> None:
    """Refuse profiles that read the same variables: one server would get the password of the other."""
    sharing: dict[str, list[str]] = {}
    for name in found.leaves:
        sharing.setdefault(variable(name, "password"), []).append(name)
    for shared, names in sharing.items():
        for name in names if len(names) > 1 else ():
            others = listed((f"`{other}`" for other in names[: SHARING + 2] if other != name), SHARING)
            sentence = f"this profile and {others} would both read {shared}; rename one of them"
            found.complaints.append(_complaint(found, name, (), sentence))
            found.profiles.pop(name, None)


def _complaint(found: Profiles, name: str, path: KeyPath, sentence: str) -> Complaint:
    """Complain about a merged profile, at the place of the key, or where the highest file names the profile."""
    leaves = found.leaves[name]
    source = leaves.get(path, leaves[()]).source
    return Complaint(source.file, sentence, source.line, dotted(("profile", name, *path)), name)


def _choose_default(found: Profiles, readings: list[CheckedFile]) -> None:
    chosen = [reading for reading in readings if ("default",) in reading.leaves]
    for reading in reversed(chosen):
        leaf = reading.leaves[("default",)]
        name = leaf.value
        if name in found.profiles or any(complaint.profile == name for complaint in found.complaints):
            found.default, found.default_leaf = name, leaf
            return
        sentence = f"there is no profile `{name}`; {which_there_are(name, found.leaves)}"
        found.complaints.append(reading.file.complain(("default",), sentence))


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
        from rpcexplorer.profiles.layers import below, tried

        keys = [(("profile", name, *key), value) for key, value in below(changes)]
        wrong = tried(self.file, name, changes, leaves) or self._wrong_preset(name, dict(changes).get("preset"))
        return wrong or self._edit(*keys)

    def value_of(self, name: str, key: str, text: str) -> Any:
        """What somebody typed for a key of a profile, as this file would have it."""
        from rpcexplorer.profiles.layers import value_of

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
        from rpcexplorer.profiles.layers import checked

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
