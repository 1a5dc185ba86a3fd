"""Changes of a profile as they are typed or proposed: checked as what stands in a file is, before they stand in one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import structs

from rpcexplorer.auth.registry import KINDS, with_usual_auth
from rpcexplorer.files.toml import KeyPath, TomlFile, dotted, parse_toml, split_dotted
from rpcexplorer.files.toml_edit import put
from rpcexplorer.files.toml_shape import Leaves, read_shape
from rpcexplorer.model.problem import Changes, Complaint
from rpcexplorer.model.profile import Profile, misplaced_token, usual_type
from rpcexplorer.storage.profiles.layers import by_profile
from rpcexplorer.storage.profiles.shape import SESSIONS, build_profile

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
    for key, (pattern, sentence) in kind.fits.items():
        if key in fields and not pattern.fullmatch(fields[key]):
            return Complaint("sessions.toml", sentence, key=f"auth.{key}")
    return _fitting(structs.replace(profile, auth=kind(**fields), assumes_auth=False, **plain))


def _fitting(profile: Profile) -> Profile | Complaint:
    wrong = misplaced_token(profile)
    return Complaint("sessions.toml", wrong[1], key=wrong[0]) if wrong else profile


def _values(leaves: Mapping[KeyPath, Any]) -> dict[KeyPath, Any]:
    return {path: leaf.value for path, leaf in leaves.items() if path}
