"""The profiles of this run: which files they come from, how the files are merged, and where each value stood.

The user's own file lies lowest, the team's above it, ``sessions.local.toml`` on top. How they are laid over one
another is in layers.py, what a file may hold in shape.py; nothing is written here.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rpcexplorer.files.paths import OVERLAY, Paths, find_team_file
from rpcexplorer.files.private import PrivateFile
from rpcexplorer.files.toml import KeyPath, TomlFile, dotted, read_toml
from rpcexplorer.files.toml_shape import CheckedFile, read_shape
from rpcexplorer.model.problem import Complaint, listed
from rpcexplorer.model.profile import Profile, variable
from rpcexplorer.storage.profiles.layers import as_strict, by_profile, keep_documents_inside, merge, refuse_histories
from rpcexplorer.storage.profiles.profiles import SHARING, Profiles, which_there_are
from rpcexplorer.storage.profiles.saved import is_kept, taken_out
from rpcexplorer.storage.profiles.shape import SESSIONS, build_profile
from rpcexplorer.storage.secrets.allowed import Allowed

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
