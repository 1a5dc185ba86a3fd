"""Every profile there is, what the files say of each, and where each value stood."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from rpcexplorer.files.paths import OVERLAY, TEAM_FILE
from rpcexplorer.files.toml import KeyPath, dotted, split_dotted
from rpcexplorer.files.toml_shape import DEFAULT, Leaf, Leaves, Source
from rpcexplorer.model.problem import Complaint, listed, nearest
from rpcexplorer.model.profile import PATH, SERVICE, Preset, Profile
from rpcexplorer.storage.profiles.saved import SavedLayer, saved_calls, saved_leaves, variables
from rpcexplorer.storage.profiles.shape import build_profile

if TYPE_CHECKING:
    from rpcexplorer.model.method import SavedCall
    from rpcexplorer.model.problem import Changes
    from rpcexplorer.storage.profiles.presets import Presets

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
        from rpcexplorer.storage.profiles.presets import Presets

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
        from rpcexplorer.storage.profiles.applying import changed

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
