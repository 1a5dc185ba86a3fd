"""How the files that speak of a profile are laid over one another, and what a file of others cannot say.

The person's own file lies lowest. What lies above it wins key by key, but never makes what this person is careful
about less so, and never chooses a folder outside its own.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from msgspec.structs import replace

from rpcexplorer.files.io import real
from rpcexplorer.files.toml import KeyPath
from rpcexplorer.files.toml_shape import CheckedFile, Leaf, Leaves
from rpcexplorer.model.profile import DocumentSource

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
