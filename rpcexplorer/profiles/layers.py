"""Files merged into profiles: layers, presets, rules for files of others."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field, structs
from msgspec.structs import replace

from rpcexplorer.auth.registry import KINDS, with_usual_auth
from rpcexplorer.files.io import names, real, told
from rpcexplorer.files.toml import KeyPath, TomlFile, dotted, parse_toml, read_toml, split_dotted
from rpcexplorer.files.toml_edit import put
from rpcexplorer.files.toml_shape import (
    CheckedFile,
    Leaf,
    Leaves,
    Written,
    read_shape,
)
from rpcexplorer.model.problem import Changes, Complaint, cut, listed, nearest
from rpcexplorer.model.profile import DocumentSource, Preset, Profile, misplaced_token, usual_type
from rpcexplorer.model.secret import PROFILE_NAME
from rpcexplorer.profiles.keys import PRESET, SESSIONS
from rpcexplorer.profiles.shape import build_profile

KIND = ("auth", "kind")
STRICTNESS = ("never", "unsafe", "always")
"""Ways of asking before something is sent, the strictest last."""


def by_profile(leaves: Leaves) -> dict[str, Leaves]:
    """What one file says, by profile, keyed below ``profile.NAME``."""
    found: dict[str, Leaves] = {}
    for path, leaf in leaves.items():
        if path[0] == "profile":
            found.setdefault(path[1], {})[path[2:]] = leaf
    return found


def merge(lower: Leaves, upper: Leaves) -> Leaves:
    """Lay one file's values of a profile over another's, key by key. Headers are one key in any spelling.

    What was said of another kind of auth, and of its login, is not: nobody has meant it for this one.
    """
    if KIND in upper and KIND in lower and upper[KIND].value != lower[KIND].value:
        lower = {path: leaf for path, leaf in lower.items() if path[:1] not in {("auth",), ("login",)}}
    spelled = {_folded(path): path for path in upper}
    return {path: leaf for path, leaf in lower.items() if spelled.get(_folded(path), path) == path} | upper


def as_strict(own: Leaves, merged: Leaves) -> Leaves:
    """The merged values of a profile, at least as strict as this person's own file wants them.

    Of a profile that is this person's own, which is one whose URL stands there, nobody else can call a method safe.
    """
    strict = dict(merged)
    wanted, said = _confirm(own), _confirm(merged)
    if wanted and (not said or STRICTNESS.index(said.value) < STRICTNESS.index(wanted.value)):
        strict["confirm",] = wanted
    badge = own.get(("badge",))
    if badge and badge.value == "prod":
        strict["badge",] = badge
    for path, leaf in merged.items():
        if path[:1] == ("method",) and path[-1] == "safe" and leaf.value is True:
            mine = own.get(path)
            if mine is not None:
                strict[path] = mine
            elif ("url",) in own:
                del strict[path]
    return strict


def refuse_histories(reading: CheckedFile, allowed: Collection[str]) -> dict[str, str]:
    """Take the histories out of a file of others that lie outside its folder, or that nobody has allowed.

    Each is complained about; those that could be allowed are returned, by profile.
    """
    waiting = {}
    folder = reading.file.path.absolute().parent
    for path in [path for path in reading.leaves if len(path) == 3 and path[2] == "history"]:
        history = reading.leaves[path].value
        if not _is_inside(history, folder):
            sentence = "it must lie inside the folder of this file: name a folder there"
        elif history in allowed:
            reading.leaves[*path[:2], "history_inside"] = Leaf(str(folder), reading.leaves[path].source)
            continue
        else:
            waiting[path[1]] = history
            sentence = f"you have not allowed it yet: run `rpcexplorer profiles allow {path[1]}`"
        del reading.leaves[path]
        complaint = reading.file.complain(path, f"the calls are recorded in your own history, not here; {sentence}")
        reading.complaints.append((("history",), complaint))
    return waiting


def keep_documents_inside(reading: CheckedFile) -> None:
    """What a file of others names as a service's description lies in that file's folder, or is complained about."""
    folder = reading.file.path.absolute().parent
    for path, leaf in [*reading.leaves.items()]:
        source = leaf.value
        if len(path) != 3 or not isinstance(source, DocumentSource) or not source.file:
            continue
        if Path(source.file).is_relative_to(folder):
            reading.leaves[path] = Leaf(replace(source, inside=str(folder)), leaf.source)
            continue
        del reading.leaves[path]
        complaint = reading.file.complain(path, "the file is not read: it must lie inside the folder of this one")
        reading.complaints.append((("discovery",), complaint))


def _confirm(leaves: Leaves) -> Leaf | None:
    """What a profile's values come to: ``prod`` asks before what is not safe where nobody says otherwise."""
    said, badge = leaves.get(("confirm",)), leaves.get(("badge",))
    if said is None and badge and badge.value == "prod":
        return Leaf("unsafe", badge.source)
    return said


def _is_inside(path: str, folder: Path) -> bool:
    """Whether a path lies below a folder, also where links on the way lead."""
    inside = Path(path).is_relative_to(folder) and path != str(folder)
    return inside and real(Path(path)).is_relative_to(real(folder))


def _folded(path: KeyPath) -> KeyPath:
    return (path[0], path[1].lower()) if len(path) == 2 and path[0] == "headers" else path


SHIPPED: Final = Path(__file__).parents[1] / "presets"
ENDING: Final = ".toml"
ABOUT: Final = frozenset({"version", "description", "advice"})
"""Keys that are about the preset itself, and no profile's value."""


class PresetFile(Struct, frozen=True):
    """A preset as its file has it."""

    preset: Preset
    leaves: Leaves = field(default_factory=dict)
    """What a profile that names it starts with."""
    complaints: tuple[Complaint, ...] = ()
    """What is wrong with it; then no profile can be used that names it."""


class Presets:
    def __init__(self, own: Path) -> None:
        self.own = own
        """The folder of this person's own."""
        self._read: dict[str, PresetFile | None] = {}

    def files(self) -> dict[str, Path]:
        """Every preset's file by name, sorted."""
        found = {path.stem: path for folder in (SHIPPED, self.own) for path in _presets_in(folder)}
        return dict(sorted(found.items()))

    def all(self) -> list[PresetFile]:
        """Every preset there is, by name."""
        return [found for name in self.files() if (found := self.load(name))]

    def load(self, name: str) -> PresetFile | None:
        """A preset, read once; None where there is none of that name."""
        if name not in self._read:
            self._read[name] = self._load(name)
        return self._read[name]

    def under(self, profile: str, leaves: Leaves) -> tuple[Leaves, list[Complaint]]:
        """What is said of a profile, over the values of the preset that it names; and what is wrong with that."""
        chosen = leaves.get(("preset",))
        if chosen is None:
            return leaves, []
        found = self.load(chosen.value)
        if found is None:
            source, key = chosen.source, dotted(("profile", profile, "preset"))
            return leaves, [Complaint(source.file, self.unknown(chosen.value), source.line, key, profile)]
        return merge(found.leaves, leaves), [replace(complaint, profile=profile) for complaint in found.complaints]

    def unknown(self, name: str) -> str:
        """What is said of a name that no preset has."""
        known = self.files()
        guess = nearest(name, known)
        advice = f"did you mean `{guess}`? The" if guess else "the"
        return f"there is no preset `{cut(name)}`; {advice} presets are {listed(known)}, and your own lie in {self.own}"

    def _load(self, name: str) -> PresetFile | None:
        if not PROFILE_NAME.fullmatch(name):
            return None
        return _found_in(self.own, name) or _shipped(name)


def _found_in(folder: Path, name: str) -> PresetFile | None:
    path = folder / f"{name}{ENDING}"
    file = read_toml(path)
    return None if file is None else _checked(name, path, file)


@cache
def _shipped(name: str) -> PresetFile | None:
    """One that comes with the program, and stays as it is."""
    return _found_in(SHIPPED, name)


def _presets_in(folder: Path) -> list[Path]:
    """A folder that cannot be read has none: whoever asks for one of its presets is told that it is not there."""
    found: list[str] = []
    told(lambda: found.extend(names(folder)))
    return [folder / each for each in found if each.endswith(ENDING) and PROFILE_NAME.fullmatch(Path(each).stem)]


def _checked(name: str, path: Path, file: TomlFile | Complaint) -> PresetFile:
    if isinstance(file, Complaint):
        return PresetFile(Preset(name, path), complaints=(file,))
    reading = read_shape(PRESET, file)
    about = reading.values()
    leaves: Leaves = {
        key: Leaf(leaf.value, Written(file, key, preset=name))
        for key, leaf in reading.leaves.items()
        if key[0] not in ABOUT
    }
    said: dict[KeyPath, Any] = {("url",): "", ("preset",): name, **{key: leaf.value for key, leaf in leaves.items()}}
    complaints = [complaint for _, complaint in reading.complaints]
    made = build_profile(name, said)
    if not isinstance(made, Profile):
        complaints += [] if complaints else [file.complain(*made)]
        return PresetFile(Preset(name, path, file.text), leaves, tuple(complaints))
    preset = Preset(name, path, file.text, about.get("description", ""), about.get("advice", ""), made)
    return PresetFile(preset, leaves, tuple(complaints))


START = "version = 1\n"
TYPED = "address"
"""The name under which the values of an address that was typed are checked."""


def below(changes: Changes) -> list[tuple[KeyPath, Any]]:
    """The keys of changes as parts."""
    return [(split_dotted(key), value) for key, value in changes]


def value_of(file: Path, name: str, key: str, text: str) -> Any:
    """What somebody typed for a key: text, or where the key takes none, what it is as TOML; None for nothing at all."""
    if not text:
        return None
    parsed = parse_toml(file, f"value = {text}\n")
    as_toml = parsed.values.get("value", text) if isinstance(parsed, TomlFile) else text
    if isinstance(as_toml, str) or not isinstance(checked(file, name, ((key, text),)), Complaint):
        return text
    return as_toml


def checked(file: Path, name: str, changes: Changes) -> dict[KeyPath, Any] | Complaint:
    """The values that a file of these changes alone would give the profile; or what is wrong with them."""
    made = parse_toml(file, START)
    for key, value in below(changes):
        if value is not None and isinstance(made, TomlFile):
            made = parse_toml(file, put(made, ("profile", name, *key), value))
    if isinstance(made, Complaint):
        return made
    reading = read_shape(SESSIONS, made)
    if reading.complaints:
        return structs.replace(reading.complaints[0][1], line=None, profile=name)
    return _values(by_profile(reading.leaves).get(name, {}))


def tried(file: Path, name: str, changes: Changes, leaves: Leaves) -> Complaint | None:
    """What would make a profile unusable that has these changes over its ``leaves``."""
    values = checked(file, name, changes)
    if isinstance(values, Complaint):
        return values
    removed = [key for key, value in below(changes) if value is None]
    kept = {
        path: value for path, value in _values(leaves).items() if not any(path[: len(key)] == key for key in removed)
    }
    made = build_profile(name, kept | values)
    return None if isinstance(made, Profile) else Complaint(str(file), made[1], key=dotted(("profile", name, *made[0])))


def changed(profile: Profile, changes: Changes) -> Profile | Complaint:
    """A profile that stands in no file with other values, which are checked as those of a file are."""
    values = checked(Path("sessions.toml"), TYPED, changes)  # its own name is one that no file may have
    if isinstance(values, Complaint):
        return values
    plain = {key[0]: value for key, value in values.items() if len(key) == 1}
    auth = {key[1]: value for key, value in values.items() if key[0] == "auth"}
    if profile.content_type == usual_type(profile.path):  # nobody has chosen it
        plain.setdefault("content_type", usual_type(plain.get("path", profile.path)))
    if not auth:
        made = structs.replace(profile, **plain)
        return _fitting(with_usual_auth(made) if profile.assumes_auth else made)
    given = structs.asdict(profile.auth) | auth
    kind = KINDS[given.pop("kind", profile.auth.kind)]
    fields = {key: given[key] for key in kind.__struct_fields__ if key in given}
    if wrong := kind.mismatch(fields):
        return Complaint("sessions.toml", wrong[1], key=f"auth.{wrong[0]}")
    return _fitting(structs.replace(profile, auth=kind(**fields), assumes_auth=False, **plain))


def _fitting(profile: Profile) -> Profile | Complaint:
    wrong = misplaced_token(profile)
    return Complaint("sessions.toml", wrong[1], key=wrong[0]) if wrong else profile


def _values(leaves: Mapping[KeyPath, Any]) -> dict[KeyPath, Any]:
    return {path: leaf.value for path, leaf in leaves.items() if path}
