"""Presets: what was learned about a kind of server, in the shape of a profile; and where their files lie.

A profile that names one has its values wherever no file says otherwise. Those that come with the program are trusted
as the program is; one in the ``presets`` folder of the config folder is this person's own, and wins by name.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from rpcexplorer.files.io import names, told
from rpcexplorer.files.toml import KeyPath, TomlFile, dotted, read_toml
from rpcexplorer.files.toml_shape import Leaf, Leaves, Place, TableRule, Written, read_shape, text, version
from rpcexplorer.model.problem import Complaint, cut, listed, nearest
from rpcexplorer.model.profile import Preset, Profile
from rpcexplorer.model.secret import PROFILE_NAME
from rpcexplorer.storage.profiles.layers import merge
from rpcexplorer.storage.profiles.shape import PROFILE, build_profile
from rpcexplorer.storage.profiles.values import refused_key

SHIPPED: Final = Path(__file__).parents[2] / "presets"
ENDING: Final = ".toml"
OF_ONE_SERVER: Final = frozenset({
    "url", "badge", "confirm", "history", "preset", "ca_file", "cert_file", "key_file", "certificate", "call",
    "variables",
})  # fmt: skip
"""Keys of a profile that are about one server, or about one person, and so never a preset's."""
ABOUT: Final = frozenset({"version", "description", "advice"})
"""Keys that are about the preset itself, and no profile's value."""


def _refused(key: str, value: object, place: Place) -> str | None:
    if key in OF_ONE_SERVER:
        return "this is for each profile to say; take it out of the preset"
    return refused_key(key, value, place)


SHAPE: Final = TableRule(
    "a preset",
    {"version": version, "description": text, "advice": text}
    | {key: rule for key, rule in PROFILE.keys.items() if key not in OF_ONE_SERVER},
    _refused,
)


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
    reading = read_shape(SHAPE, file)
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
