"""Files merged into profiles: layers, shared files, saved calls, presets."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from rpcexplorer.auth.registry import KINDS, USUAL, with_usual_auth
from rpcexplorer.files.io import real, toml_files
from rpcexplorer.files.toml import KeyPath, TomlFile, dotted, parse_toml, read_toml, split_dotted
from rpcexplorer.files.toml_edit import put
from rpcexplorer.files.toml_shape import (
    CheckedFile,
    Leaf,
    Leaves,
    Written,
    read_shape,
)
from rpcexplorer.model.problem import Changes, Problem, cut, nearest
from rpcexplorer.model.profile import (
    OF_COMMAND,
    PROCESS,
    TEAM_FILE,
    Auth,
    DocumentSource,
    Login,
    MethodNote,
    Preset,
    Profile,
    kind_of,
    misplaced_setting,
    no_place_for,
    usual_confirm,
    usual_path,
    usual_type,
)
from rpcexplorer.model.secret import PROFILE_NAME
from rpcexplorer.profiles.keys import PRESET, SESSIONS

KIND = ("auth", "kind")
INITIALIZE_PARAMS = ("method", "initialize", "params")
STRICTNESS = ("never", "unsafe", "always")
"""The values of confirm, the strictest last."""


def by_profile(leaves: Leaves) -> dict[str, Leaves]:
    """Return the values of one file by profile, without ``profile.NAME``."""
    found: dict[str, Leaves] = {}
    for path, leaf in leaves.items():
        if path[0] == "profile":
            found.setdefault(path[1], {})[path[2:]] = leaf
    return found


def values_of(leaves: Leaves) -> dict[KeyPath, Any]:
    """Return the values of keys, without ``()``, which is the profile itself."""
    return {path: leaf.value for path, leaf in leaves.items() if path}


def merge(lower: Leaves, upper: Leaves) -> Leaves:
    """Merge one file's values over another's, key by key.

    Headers are the same key in any spelling. If the upper file sets another auth type, the auth and login keys of the
    lower one are dropped: they were not meant for it.
    """
    if KIND in upper and KIND in lower and upper[KIND].value != lower[KIND].value:
        lower = {path: leaf for path, leaf in lower.items() if path[:1] not in {("auth",), ("login",)}}
    spelled = {_folded(path): path for path in upper}
    return {path: leaf for path, leaf in lower.items() if spelled.get(_folded(path), path) == path} | upper


def as_strict(own: Leaves, merged: Leaves) -> Leaves:
    """Return the merged values, at least as strict as the user file.

    If the URL is in the user file, no other file can mark a method safe, answer a request of the server, add a call to
    the opening of its connection, change the params of its handshake or mark values as plain, by naming a preset.
    Other changes of its destination have to be allowed, see `Destinations.question`.
    """
    strict = dict(merged)
    url = own.get(("url",))
    wanted = _confirm(own)
    found = _confirm(merged)
    if wanted and (not found or STRICTNESS.index(found.value) < STRICTNESS.index(wanted.value)):
        strict["confirm",] = wanted
    badge = own.get(("badge",))
    if badge and badge.value == "prod":
        strict["badge",] = badge
    for path, leaf in merged.items():
        if path[:1] == ("method",) and path[-1] == "safe" and leaf.value is True:
            mine = own.get(path)
            if mine is not None:
                strict[path] = mine
            elif url:
                del strict[path]
        elif url and (path[:1] in {("answer",), ("open",)} or path == INITIALIZE_PARAMS or _is_plain(path)):
            del strict[path]
            if path in own:
                strict[path] = own[path]
    return strict


def refuse_histories(reading: CheckedFile, allowed: Collection[str]) -> dict[str, str]:
    """Remove the histories that a shared file must not choose.

    They are outside its folder, or not allowed yet. Each one is a problem. Those that can be allowed are returned by
    profile.
    """
    waiting = {}
    folder = reading.file.path.absolute().parent
    for path in [path for path in reading.leaves if len(path) == 3 and path[2] == "history"]:
        history = reading.leaves[path].value
        if not _is_inside(history, folder):
            sentence = (
                "must be inside the folder of this file. Until you change it, calls are recorded in your own history"
            )
        elif history in allowed:
            reading.leaves[*path[:2], "history_inside"] = Leaf(str(folder), reading.leaves[path].source)
            continue
        else:
            waiting[path[1]] = history
            allow = f"To use this folder instead, run `rpcexplorer profiles allow {path[1]}`"
            sentence = f"calls are recorded in your own history. {allow}"
        del reading.leaves[path]
        reading.problems.append((("history",), reading.file.complain(path, sentence)))
    return waiting


def _is_plain(path: KeyPath) -> bool:
    """Return whether a key of a profile marks values as plain."""
    return path[:1] == ("method",) and path[2:] == ("plain",)


def refuse_plain(reading: CheckedFile, own: Path) -> None:
    """Remove the marks by which a shared file would let this user record a secret. Each one is a problem."""
    for path in [path for path in reading.leaves if path[:1] == ("profile",) and _is_plain(path[2:])]:
        sentence = f"only your user file and presets can mark values as plain. To do so, move this key to {own}"
        reading.problems.append((("plain",), reading.file.complain(path, sentence)))
        del reading.leaves[path]


def is_secret_command(path: KeyPath) -> bool:
    """Return whether a key of a profile is a command that prints a secret."""
    return len(path) == 2 and path[0] == "auth" and path[1].endswith(OF_COMMAND)


def mark_commands(reading: CheckedFile) -> None:
    """Add the folder of a shared file to the profiles whose process or secret command it decides.

    Such a program runs in that folder, and only after the user has allowed its words there.
    """
    folder = str(real(reading.file.path.absolute().parent))
    for path, leaf in [*reading.leaves.items()]:
        key = path[2:]
        is_command = key == ("command",) or is_secret_command(key) or (key == ("url",) and leaf.value == PROCESS)
        if path[:1] == ("profile",) and is_command:
            reading.leaves[*path[:2], "command_folder"] = Leaf(folder, leaf.origin)


def refuse_keys_of_other_auth(reading: CheckedFile) -> None:
    """Remove auth keys that the auth type beside them does not have.

    Each one is a problem, and the profile can still be used: such a key is left when the type is changed. A key without
    a type beside it may be for the type in another file.
    """
    for path in [*reading.leaves]:
        if len(path) != 4 or (path[0], path[2]) != ("profile", "auth"):
            continue
        kind = reading.leaves.get((*path[:3], "kind"))
        field = path[3]
        if kind is None or field == "kind" or field in KINDS[kind.value].__struct_fields__:
            continue
        others = [name for name, auth_type in KINDS.items() if field in auth_type.__struct_fields__]
        sentence = f"auth type {kind.value} does not have this key. Remove it, or set kind to {' or '.join(others)}"
        reading.problems.append((("auth",), reading.file.complain(path, sentence)))
        del reading.leaves[path]


def keep_documents_inside(reading: CheckedFile) -> None:
    """Report documents that are outside the folder of the file naming them."""
    folder = reading.file.path.absolute().parent
    for path, leaf in [*reading.leaves.items()]:
        source = leaf.value
        if len(path) != 3 or not isinstance(source, DocumentSource) or not source.file:
            continue
        if Path(source.file).is_relative_to(folder):
            reading.leaves[path] = Leaf(replace(source, inside=str(folder)), leaf.source)
            continue
        del reading.leaves[path]
        problem = reading.file.complain(path, "the document is not read: it must be in the folder of this file")
        reading.problems.append((("discovery",), problem))


def keep_processes_inside(reading: CheckedFile) -> None:
    """Report folders of processes that are outside the folder of the file naming them."""
    folder = reading.file.path.absolute().parent
    for path in [path for path in reading.leaves if len(path) == 3 and path[2] == "folder"]:
        chosen = reading.leaves[path].value
        if chosen != str(folder) and not _is_inside(chosen, folder):
            sentence = "must be the folder of this file, or inside it. To use another folder, set it in your user file"
            reading.problems.append((path[:2], reading.file.complain(path, sentence)))
            del reading.leaves[path]


def _confirm(leaves: Leaves) -> Leaf | None:
    """Return the value of confirm; with the badge ``prod`` it has a default."""
    badge = leaves.get(("badge",))
    if ("confirm",) in leaves or badge is None or usual_confirm(badge.value) == "never":
        return leaves.get(("confirm",))
    return Leaf(usual_confirm(badge.value), badge.source)


def _is_inside(path: str, folder: Path) -> bool:
    """Return whether a path is in a folder, even after links are followed."""
    inside = Path(path).is_relative_to(folder) and path != str(folder)
    return inside and real(Path(path)).is_relative_to(real(folder))


def _folded(path: KeyPath) -> KeyPath:
    return (path[0], path[1].lower()) if len(path) == 2 and path[0] == "headers" else path


def build_profile(name: str, values: Mapping[KeyPath, Any]) -> Profile | tuple[KeyPath, str]:
    """Make a profile of checked values, or return a wrong key and the reason."""
    if ("url",) not in values:
        return ("url",), 'the profile has no `url`. Add one, such as url = "https://rpc.example.com"'
    plain = _below(values)
    kind = kind_of(plain["url"])
    if plain["url"]:  # A preset has no URL, and may be for several kinds.
        for path, value in values.items():
            if why := no_place_for(kind, path, value):
                return path, why
    plain.setdefault("path", usual_path(plain["url"]))
    plain.setdefault("confirm", usual_confirm(plain.get("badge", "")))
    plain.setdefault("content_type", usual_type(plain["path"]))
    is_service = Profile("", plain["url"], plain["path"], plain.get("preset", "")).is_service
    auth = _below(values, "auth")
    if auth and "kind" not in auth and not is_service:
        return ("auth", "kind"), f"the auth type is missing. Set `kind` to one of {', '.join(KINDS)}"
    auth_type = KINDS[auth.pop("kind", USUAL if is_service else Auth.kind)]
    if refused := auth_type.mismatch(auth):
        return ("auth", refused[0]), refused[1]
    profile = Profile(
        name=name,
        headers=tuple(_below(values, "headers").items()),
        environment=tuple(_below(values, "environment").items()),
        # A file above may have changed the auth type and left fields of another.
        auth=auth_type(**{key: auth[key] for key in auth_type.__struct_fields__ if key in auth}),
        assumes_auth=is_service and not any(path[:1] == ("auth",) for path in values),
        login=Login(**_below(values, "login")),
        has_login=any(path[:1] == ("login",) and not path[1].startswith("ended_") for path in values),
        methods={method: MethodNote(**note) for method, note in _methods(values).items()},
        answers=_below(values, "answer"),
        openings=plain.pop("open", ()),
        **plain,
    )
    wrong = misplaced_setting(profile)
    return (split_dotted(wrong[0]), wrong[1]) if wrong else profile


def _methods(values: Mapping[KeyPath, Any]) -> dict[str, dict[str, Any]]:
    """Return the notes of all methods in one pass: there may be ten thousand."""
    notes: dict[str, dict[str, Any]] = {path[1]: {} for path in values if len(path) == 2 and path[0] == "method"}
    for path, value in values.items():
        if len(path) == 3 and path[0] == "method":
            notes.setdefault(path[1], {})[path[2]] = value
    return notes


def _below(values: Mapping[KeyPath, Any], *path: str) -> dict[str, Any]:
    return {key[-1]: value for key, value in values.items() if key[:-1] == path}


NEW_FILE: Final = """\
#:schema ./sessions.schema.json
# For an editor that checks TOML files, write their schema: rpcexplorer profiles schema > sessions.schema.json
version = 1
"""
TYPED: Final = "address"
"""A profile name to check the values of a URL; no file can have it."""


def checked_values(file: Path, name: str, changes: Changes) -> dict[KeyPath, Any] | Problem:
    """Return the values that these changes give a profile, or a problem."""
    made = parse_toml(file, NEW_FILE)
    for key, value in changes:
        if value is not None and isinstance(made, TomlFile):
            made = parse_toml(file, put(made, ("profile", name, *split_dotted(key)), value))
    if isinstance(made, Problem):
        return made
    reading = read_shape(SESSIONS, made)
    if reading.problems:
        return replace(reading.problems[0][1], line=None, profile=name)
    return values_of(by_profile(reading.leaves).get(name, {}))


def changed_profile(profile: Profile, changes: Changes) -> Profile | Problem:
    """Return a profile of no file with other values, checked as in a file."""
    values = checked_values(Path(TEAM_FILE), TYPED, changes)
    if isinstance(values, Problem):
        return values
    plain = _below(values)
    auth = _below(values, "auth")
    url = plain.get("url", profile.url)
    for path, value in values.items():
        if why := no_place_for(kind_of(url), path, value):
            return Problem(TEAM_FILE, why, key=dotted(path))
    if kind_of(url) != profile.connection_kind:
        plain.setdefault("path", usual_path(url))
    if profile.content_type == usual_type(profile.path):  # The content type is the default.
        plain.setdefault("content_type", usual_type(plain.get("path", profile.path)))
    if auth:
        auth = asdict(profile.auth) | auth
        kind = KINDS[auth.get("kind", profile.auth.kind)]
        fields = {key: auth[key] for key in kind.__struct_fields__ if key in auth}
        if wrong := kind.mismatch(fields):
            return Problem(TEAM_FILE, wrong[1], key=f"auth.{wrong[0]}")
        made = replace(profile, auth=kind(**fields), assumes_auth=False, **plain)
    else:
        made = replace(profile, **plain)
        made = with_usual_auth(made) if profile.assumes_auth else made
    misplaced = misplaced_setting(made)
    return Problem(TEAM_FILE, misplaced[1], key=misplaced[0]) if misplaced else made


KEPT: Final = ("variables", "call")
"""Tables that can be in a profile, or apply to all of them."""


class SavedLayer(Struct, frozen=True):
    """The saved calls and variables of one file."""

    leaves: Leaves
    own: bool
    """Whether it is the user file, which other files cannot change."""


def is_kept(path: KeyPath) -> bool:
    """Return whether a key belongs to a saved call or a variable."""
    if path[:1] == ("profile",):
        path = path[2:]
    return bool(path) and path[0] in KEPT


def take_saved(reading: CheckedFile, *, own: bool) -> SavedLayer:
    """Take saved calls and variables out; drop those with a problem."""

    def entry(path: KeyPath) -> KeyPath:
        return path[: 2 if path[0] in KEPT else 4]

    wrong = {entry(path) for path, _ in reading.problems if is_kept(path)}
    found = {path: reading.leaves.pop(path) for path in [*reading.leaves] if is_kept(path)}
    return SavedLayer({path: leaf for path, leaf in found.items() if entry(path) not in wrong}, own)


SavedEntries = dict[tuple[str, str], tuple[KeyPath, Leaves]]
"""Saved calls and variables by kind and name, each with its table."""


def saved_entries(layers: Iterable[SavedLayer], profile: Profile, *, is_own: bool) -> SavedEntries:
    """Return the entries that count. Each is from one file as a whole.

    A profile's own table wins over the one for all, and the user file over others. No other file changes an entry of a
    profile in the user file, not even in its table.
    """
    ordered = sorted(layers, key=lambda layer: layer.own)
    places: list[tuple[SavedLayer, KeyPath]] = [(layer, ()) for layer in ordered]
    if not profile.ad_hoc:
        places += [(layer, ("profile", profile.name)) for layer in ordered]
    if is_own:
        places.sort(key=lambda place: place[0].own)
    found: SavedEntries = {}
    for layer, table in places:
        found |= entries_in(layer, table)
    return found


def entries_in(layer: SavedLayer, table: KeyPath) -> SavedEntries:
    """Return the entries of one table: ``()`` or that of a profile."""
    found: SavedEntries = {}
    for path, leaf in layer.leaves.items():
        if path[: len(table)] == table and path[len(table)] in KEPT and len(path) > len(table) + 1:
            kind, name, *inside = path[len(table) :]
            found.setdefault((kind, name), (table, {}))[1][tuple(inside)] = leaf
    return found


def _with_a_place(preset: Leaves, url: str) -> Leaves:
    """Leave out the values of a preset that such a connection cannot have."""
    kind = kind_of(url)
    if kind == "websocket" and WEBSOCKET_PATH in preset:
        preset = preset | {("path",): preset[WEBSOCKET_PATH]}
    preset = {path: leaf for path, leaf in preset.items() if path != WEBSOCKET_PATH}
    kept = {path: leaf for path, leaf in preset.items() if not no_place_for(kind, path, leaf.value)}
    if KIND in preset and KIND not in kept:
        kept = {path: leaf for path, leaf in kept.items() if path[0] not in {"auth", "login"}}
    return kept


SHIPPED: Final = Path(__file__).parents[1] / "presets"
ENDING: Final = ".toml"
ABOUT: Final = frozenset({"version", "description", "advice"})
"""Keys about the preset itself, which are not values of a profile."""
WEBSOCKET_PATH: Final = ("websocket_path",)
"""The ``path`` of a profile with this preset, if it uses WebSocket."""


class PresetFile(Struct, frozen=True):
    preset: Preset
    leaves: Leaves = field(default_factory=dict)
    """The values that a profile with this preset starts with."""
    problems: tuple[Problem, ...] = ()
    """Its problems; with one, no profile can use it."""


class Presets:
    def __init__(self, own: Path) -> None:
        self.own = own
        self._known: dict[str, PresetFile | None] = {}

    def files(self) -> dict[str, Path]:
        files = [*toml_files(SHIPPED), *toml_files(self.own)]
        found = {path.stem: path for path in files if PROFILE_NAME.fullmatch(path.stem)}
        return dict(sorted(found.items()))

    def all(self) -> list[PresetFile]:
        loaded = [self.load(name) for name in self.files()]
        return [preset for preset in loaded if preset is not None]

    def load(self, name: str) -> PresetFile | None:
        """Return a preset, which is read once; None without one."""
        if not PROFILE_NAME.fullmatch(name):
            return None
        if name not in self._known:
            self._known[name] = _read(self.own, name) or _read(SHIPPED, name)
        return self._known[name]

    def under(self, profile: str, leaves: Leaves) -> tuple[Leaves, list[Problem]]:
        """Return a profile's values over those of its preset, and the problems."""
        chosen = leaves.get(("preset",))
        if chosen is None:
            return leaves, []
        found = self.load(chosen.value)
        if found is None:
            source, key = chosen.source, dotted(("profile", profile, "preset"))
            return leaves, [Problem(source.file, self.unknown(chosen.value), source.line, key, profile)]
        url = leaves[("url",)].value if ("url",) in leaves else ""
        usable = _with_a_place(found.leaves, url)
        return merge(usable, leaves), [replace(problem, profile=profile) for problem in found.problems]

    def unknown(self, name: str) -> str:
        """Return a sentence for the name of a missing preset."""
        known = self.files()
        guess = nearest(name, known)
        advice = f"Did you mean `{guess}`? " if guess else ""
        presets = f"The presets are {', '.join(known)}. Your own presets are in {self.own}"
        return f"there is no preset `{cut(name)}`. {advice}{presets}"


def _read(folder: Path, name: str) -> PresetFile | None:
    path = folder / f"{name}{ENDING}"
    file = read_toml(path)
    if file is None:
        return None
    if isinstance(file, Problem):
        return PresetFile(Preset(name, path), problems=(file,))
    reading = read_shape(PRESET, file)
    about = reading.values()
    leaves: Leaves = {
        key: Leaf(leaf.value, Written(file, key, preset=name))
        for key, leaf in reading.leaves.items()
        if key[0] not in ABOUT
    }
    values: dict[KeyPath, Any] = {("url",): "", ("preset",): name}
    values |= values_of(leaves)
    values.pop(WEBSOCKET_PATH, None)
    problems = [problem for _, problem in reading.problems]
    built = build_profile(name, values)
    if not isinstance(built, Profile):
        problems = problems or [file.complain(*built)]
        return PresetFile(Preset(name, path, file.text), leaves, tuple(problems))
    preset = Preset(
        name,
        path,
        file.text,
        about.get("description", ""),
        about.get("advice", ""),
        built,
        about.get("path", ""),
        about.get("websocket_path", ""),
    )
    return PresetFile(preset, leaves, tuple(problems))
