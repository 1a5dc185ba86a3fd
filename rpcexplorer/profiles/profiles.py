"""All profiles of all files."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from rpcexplorer.auth.registry import auth_of
from rpcexplorer.files.paths import Paths, find_team_file
from rpcexplorer.files.private import PrivateFile
from rpcexplorer.files.toml import KeyPath, dotted, read_toml, split_dotted
from rpcexplorer.files.toml_shape import DEFAULT, CheckedFile, Leaf, Leaves, Source, Written, read_shape
from rpcexplorer.model.method import SavedCall
from rpcexplorer.model.problem import Changes, Problem, joined_words, nearest
from rpcexplorer.model.profile import (
    AD_HOC_NAME,
    OF_COMMAND,
    OVERLAY,
    SERVICE,
    TEAM_FILE,
    Answer,
    OpeningCall,
    Preset,
    Profile,
    no_place_for,
    usual_path,
    variable,
)
from rpcexplorer.profiles.allowed import Allowed
from rpcexplorer.profiles.keys import SESSIONS
from rpcexplorer.profiles.layers import (
    TYPED,
    Presets,
    SavedEntries,
    SavedLayer,
    as_strict,
    build_profile,
    by_profile,
    changed_profile,
    checked_values,
    entries_in,
    is_kept,
    keep_documents_inside,
    keep_processes_inside,
    mark_commands,
    merge,
    refuse_histories,
    refuse_keys_of_other_auth,
    refuse_plain,
    saved_entries,
    take_saved,
    values_of,
)
from rpcexplorer.profiles.values import ANSWER_KEYS

SHARING = 5
"""Profiles that are named if they cannot be told apart."""
NOT_SHOWN = frozenset({"name", "ad_hoc", "typed", "assumes_auth", "command_folder", "history_inside", "has_login"})
"""Fields of a profile that are not keys in a file."""
RARE = frozenset({"token_seconds", "secret_file", "claims", "path", "form", "headers"})
"""Keys of ``auth`` and ``login`` that few profiles set, and that are not shown in the others; nor are commands."""
LeafRow = tuple[str, Any, Source]
"""A dotted key of a profile, its value, and the source of the value."""


class Profiles(Struct, dict=True):
    """All usable profiles, and the problems of the others."""

    profiles: dict[str, Profile] = field(default_factory=dict)
    default: str | None = None
    default_leaf: Leaf | None = None
    """The value that sets the default."""
    wrong_default: Problem | None = None
    """Why the default cannot be used: no file has such a profile."""
    problems: list[Problem] = field(default_factory=list)
    files: tuple[Path, ...] = ()
    refused: Problem | None = None
    """Why an existing file was not read."""
    refused_by_name: Problem | None = None
    """Why the file of ``--sessions`` or ``RPCEXPLORER_SESSIONS`` was not read."""
    leaves: dict[str, Leaves] = field(default_factory=dict)
    """The merged values of each profile; ``()`` is the profile itself."""
    own: dict[str, Leaves] = field(default_factory=dict)
    """The values of the user file alone."""
    own_default: str = ""
    """The default profile of the user file, if it sets one."""
    preferred: dict[str, Profile | tuple[KeyPath, str]] = field(default_factory=dict)
    """The results of ``as_user_file_says``, because each call asks."""
    histories: dict[str, str] = field(default_factory=dict)
    """Folders for histories that are not allowed yet, by profile."""
    own_presets: Path = Path()
    project_file: Path = Path(TEAM_FILE)
    """The project file, or the path where it would be."""
    saved: list[SavedLayer] = field(default_factory=list)
    """Saved calls and variables by file, the lowest layer first."""

    def get(self, name: str | None = None) -> Profile | Problem:
        """Return a profile, or the problem of that name.

        None means the default profile, or the only one. If there are none because their file cannot be read, return
        that problem.
        """
        if self.refused and not self.leaves:
            return self.refused
        if name is None:
            if self.wrong_default:
                return self.wrong_default
            name = self.default
        if name is None and len(self.leaves) == 1:
            [name] = self.leaves
        if name is None:
            if not self.leaves:
                return Problem("", f"No profile is chosen. {available_profiles('', ())}")
            choose = f"Choose one with -p NAME ({joined_words(sorted(self.leaves))})"
            set_default = "To set a default, run `rpcexplorer profiles default NAME`"
            return Problem("", f"No profile is chosen, and there is no default. {choose}. {set_default}")
        if name in self.profiles:
            return self.profiles[name]
        for problem in self.problems:
            if problem.profile == name:
                return problem
        return Problem("", f"There is no profile `{name}`. {available_profiles(name, self.leaves)}")

    @property
    def project_folder(self) -> Path:
        """The folder of the project file; without one, the working folder."""
        return self.project_file.absolute().parent

    @property
    def default_source(self) -> Source:
        return self.default_leaf.source if self.default_leaf else DEFAULT

    def source_of(self, name: str, key: str) -> Source:
        """Return the source of a dotted key such as ``auth.username``."""
        leaf = self.leaves.get(name, {}).get(split_dotted(key))
        return leaf.source if leaf else DEFAULT

    def written(self, name: str, key: str) -> Any:
        """Return the value of a dotted key as a file has it, or None."""
        path = split_dotted(key)
        leaves = self.leaves.get(name, {})
        leaf = leaves.get(path) or leaves.get(path[:-1])  # the table, if its keys are one value, such as an answer
        if leaf is None or not isinstance(leaf.origin, Written):
            return None
        parts = leaf.origin.path if path in leaves else (*leaf.origin.path, path[-1])
        value: Any = leaf.origin.text.values
        for part in parts:
            value = value.get(part) if isinstance(value, dict) else None
        return value

    def other_answers(self, name: str, changes: Changes) -> list[str]:
        """Return the keys of the answers that these would be set beside: a method has only one."""
        changed = {key for key, _ in changes}
        found: dict[str, None] = {}
        for path in [split_dotted(key) for key, value in changes if value is not None]:
            if path[0] == "answer" and len(path) > 1:
                found |= dict.fromkeys(answer_key(path[1], key) for key in ANSWER_KEYS)
        return [key for key in found if key not in changed and self.written(name, key) is not None]

    def files_of(self, name: str) -> list[Path]:
        speaking = {leaf.origin.file for leaf in self.leaves.get(name, {}).values()}
        return [path for path in self.files if str(path) in speaking]

    def default_home(self, name: str, own: Path) -> Path:
        """Return the file for the default: ``own``, or a local file."""
        speaking = self.files_of(name)
        return own if own in speaking or not speaking else speaking[-1].with_name(OVERLAY)

    @cached_property
    def presets(self) -> Presets:
        """The presets, which are loaded only if a profile needs one."""
        return Presets(self.own_presets)

    def usable_presets(self) -> dict[str, Preset]:
        return {loaded.preset.name: loaded.preset for loaded in self.presets.all() if not loaded.problems}

    def chosen(self, profile: Profile) -> set[str]:
        """Return the dotted keys that are set in a file or in a typed URL.

        All others come from preset and address, and may be filled in.
        """
        if profile.ad_hoc:
            return {"path"} if profile.path != usual_path(profile.url) else set()
        return {dotted(path) for path, leaf in self.leaves.get(profile.name, {}).items() if not leaf.origin.preset}

    def is_of_preset(self, name: str, key: str) -> bool:
        """Return whether a value comes from the profile's preset."""
        leaf = self.leaves.get(name, {}).get(split_dotted(key))
        return leaf is not None and bool(leaf.origin.preset)

    def built(self, name: str, leaves: Leaves) -> Profile | tuple[KeyPath, str]:
        """Return the profile that files with only these values would make."""
        merged, _ = self.presets.under(name, {path: leaf for path, leaf in leaves.items() if not leaf.origin.preset})
        return build_profile(name, values_of(merged))

    def as_user_file_says(self, name: str) -> Profile | tuple[KeyPath, str]:
        """Return the profile that the user file makes; other files complete it only if it has too few keys."""
        if name not in self.preferred:
            own = self.own[name]
            made = self.built(name, own)
            if not isinstance(made, Profile):
                made = self.built(name, merge(self.leaves.get(name, {}), own))
            self.preferred[name] = made
        return self.preferred[name]

    def change_home(self, name: str, own: Path) -> Path:
        """Return the file for changes: a local file for shared profiles."""
        speaking = self.files_of(name)
        highest = speaking[-1] if speaking else own
        return highest if highest == own else highest.with_name(OVERLAY)

    def safe_home(self, name: str, method: str, own: Path) -> Path:
        """Return the file in which you mark a method safe.

        It is the user file if that is stricter: no other file marks a method safe of a profile whose URL is there.
        """
        leaves = self.own.get(name, {})
        is_own = ("url",) in leaves or ("method", method, "safe") in leaves
        return own if is_own else self.change_home(name, own)

    def overruled(self, name: str, changes: Changes, file: Path) -> list[str]:
        """Return sentences about saved values that another file overrides."""
        sentences = []
        for key in [key for key, value in changes if value is not None]:
            place = self.source_of(name, key)
            if place is not DEFAULT and place.file != str(file):
                sentences.append(f"{key} is saved in {file}, but {place} overrides it")
        return sentences

    def typed(self, changes: Changes) -> Profile | Problem:
        """Return a profile of a typed address or process over its preset, checked as in a file."""
        values = checked_values(Path(TEAM_FILE), TYPED, changes)
        if isinstance(values, Problem):
            return values
        typed = {path: Leaf(value, DEFAULT) for path, value in values.items()}
        merged, problems = self.presets.under(TYPED, typed)
        if problems:
            return problems[0]
        made = build_profile(AD_HOC_NAME, values_of(merged))
        if isinstance(made, tuple):
            return Problem(TEAM_FILE, made[1], key=dotted(("profile", TYPED, *made[0])))
        return replace(made, ad_hoc=True)

    def changed(self, profile: Profile, changes: Changes) -> Profile | Problem:
        """Return a profile with other values, for this run only."""
        if "preset" not in dict(changes):
            return changed_profile(profile, changes)
        address: list[tuple[str, Any]] = [("url", profile.url)]
        if profile.command:
            address.append(("command", [*profile.command]))
        elif profile.path != usual_path(profile.url):
            address.append(("path", profile.path))
        return self.typed((*address, *changes))

    def calls_of(self, profile: Profile) -> dict[str, SavedCall]:
        """Return the saved calls of a profile, sorted by name."""
        calls = saved_calls(self._saved_entries(profile))
        return dict(sorted(calls.items(), key=lambda call: call[0].casefold()))

    def checks_of(self, profile: Profile) -> list[SavedCall]:
        """Return the saved calls with expectations, in the order of the files."""
        order = {str(path): at for at, path in enumerate(self.files)}
        checks = checks_among(self._saved_entries(profile))
        return sorted(checks, key=lambda check: (order[check.file], check.line or 0))

    def problems_of_calls(self, profile: Profile) -> list[Problem]:
        """Return the problems that hide saved calls of the profile: of a call, or of a whole file."""
        found = []
        for problem in self.problems:
            key = split_dotted(problem.key)
            is_of_file = key in {(), ("version",)}
            if is_of_file or key[:1] == ("call",) or key[:3] == ("profile", profile.name, "call"):
                found.append(problem)
        return found

    def checks_in(self, path: Path) -> tuple[list[SavedCall], list[SavedLayer], list[Problem]]:
        """Return the checks of a file, its layer for ``variables_of``, and its problems.

        Nothing else of the file applies: neither its profiles nor, for other checks, its calls and variables.
        """
        reading = _read(path, other := Profiles())
        if reading is None:
            return [], [], other.problems or [Problem(str(path), "there is no such file. Check its name")]
        if "case" in reading.file.values:
            replay = f"To send its calls again, run `rpcexplorer replay {shlex.quote(path.name)}`"
            return [], [], [Problem(str(path), f"this is a case, not a file of saved calls. {replay}")]
        layer = take_saved(reading, own=False)
        checks = checks_among(entries_in(layer, ()))
        for name in {key[1] for key in layer.leaves if key[0] == "profile"}:
            checks += checks_among(entries_in(layer, ("profile", name)))
        return sorted(checks, key=lambda check: check.line or 0), [layer], [problem for _, problem in reading.problems]

    def variables_of(self, profile: Profile, more: Sequence[SavedLayer] = ()) -> Mapping[str, str]:
        entries = self._saved_entries(profile, more).items()
        return {name: leaves[()].value for (kind, name), (_, leaves) in entries if kind == "variables"}

    def _saved_entries(self, profile: Profile, more: Sequence[SavedLayer] = ()) -> SavedEntries:
        return saved_entries([*self.saved, *more], profile, is_own=("url",) in self.own.get(profile.name, {}))

    def call_homes(self, profile: Profile, own: Path) -> list[tuple[Path, str]]:
        """Return the files for a saved call with their profile, the user's first.

        A file must define the profile: a program that reads only this file could not use it otherwise.
        """
        teams = [file for file in self.files if file != own and file.name != OVERLAY][-1:]
        mine = [] if profile.ad_hoc else [(self.change_home(profile.name, own), profile.name)]
        its = [(file, profile.name) for file in teams if file in self.files_of(profile.name)]
        return [*mine, (own, ""), *its, *((file, "") for file in teams)]

    def rows(self, profile: Profile) -> list[LeafRow]:
        """Return every value of a profile with its source, defaults included.

        A profile that never calls a login has only the login keys that a file sets.
        """
        calls_login = auth_of(profile).opens_session(profile)
        rows: list[LeafRow] = []
        for path, value in _flat(profile):
            source = self.source_of(profile.name, dotted(path))
            if path[0] != "login" or calls_login or source is not DEFAULT:
                rows.append((dotted(path), value, source))
        for (kind, name), (_, leaves) in self._saved_entries(profile).items():
            for inside, leaf in leaves.items():
                value = leaf.value
                if kind == "call":
                    if not inside:
                        continue
                    if inside[-1] == "expect":
                        value = "; ".join(value.lines())
                rows.append((dotted((kind, name, *inside)), value, leaf.source))
        return rows


def saved_calls(entries: SavedEntries) -> dict[str, SavedCall]:
    calls = {}
    for (kind, name), (table, leaves) in entries.items():
        if kind == "call":
            calls[name] = _saved_call(name, table, leaves)
    return calls


def checks_among(entries: SavedEntries) -> list[SavedCall]:
    """Return the calls with expectations, each with its line."""
    calls = saved_calls(entries)
    return [replace(call, line=entries["call", name][1][()].source.line) for name, call in calls.items() if call.expect]


def _saved_call(name: str, table: KeyPath, leaves: Leaves) -> SavedCall:
    values = {key[0]: leaf.value for key, leaf in leaves.items() if key}
    return SavedCall(
        name,
        values["method"],
        values.get("params_json", values.get("params", "")),
        values.get("doc", ""),
        leaves[()].origin.file,
        table[1] if table else "",
        values.get("expect"),
    )


def available_profiles(name: str, known: Iterable[str]) -> str:
    names = sorted(known)
    if not names:
        return "There are no profiles yet. To add one, run `rpcexplorer profiles add NAME --url URL`"
    guess = nearest(name, names)
    advice = f"Did you mean `{guess}`? " if guess else ""
    return f"{advice}Your profiles: {joined_words(names)}"


def _flat(profile: Profile) -> Iterator[tuple[KeyPath, Any]]:
    for key in profile.__struct_fields__:
        value = getattr(profile, key)
        if key == "auth":
            yield from _fields((key,), value)
            yield ("auth", "kind"), value.kind
        elif key == "login":
            yield from _fields((key,), value)
        elif key in {"headers", "environment"}:
            yield from (((key, name), content) for name, content in value)
        elif key == "methods":
            for method, note in value.items():
                yield from _fields(("method", method), note)
        elif key == "answers":
            yield from ((("answer", method), _answer_in_words(answer)) for method, answer in value.items())
        elif key == "openings":
            if value:
                yield ("open",), ", ".join(map(_opening_in_words, value))
        elif key == "preset":
            yield (key,), SERVICE if profile.is_service else value
        elif key == "command":
            if value:
                yield (key,), shlex.join(value)
        elif key not in NOT_SHOWN and not no_place_for(profile.connection_kind, (key,), value or None):
            yield (key,), _written(value) if isinstance(value, Struct) else value


def _fields(path: KeyPath, value: Struct) -> Iterator[tuple[KeyPath, Any]]:
    for key in value.__struct_fields__:
        found, is_command = getattr(value, key), key.endswith(OF_COMMAND)
        if not found and (is_command or key in RARE):
            continue
        if is_command:
            found = shlex.join(found)
        elif key in {"claims", "headers"}:
            found = ", ".join(f"{name}: {text}" for name, text in found)
        yield (*path, key), found


def answer_key(method: str, key: str) -> str:
    return dotted(("answer", method, key))


def _opening_in_words(opening: OpeningCall) -> str:
    if opening.notification:
        return f"{opening.method} (notification)"
    return f"{opening.method} with {joined_words(opening.fields)}" if opening.fields else opening.method


def _answer_in_words(answer: Answer) -> str:
    if answer.ask:
        return "ask"
    if answer.result_json is None:
        return f"error {answer.code}: {answer.message}"
    return answer.result_json


def _written(value: Struct) -> dict[str, Any]:
    """Return a table as in a file."""
    fields = {key: getattr(value, key) for key in value.__struct_fields__ if key != "inside"}
    return {key: part for key, part in fields.items() if part}


def load(paths: Paths, folder: Path, environment: Mapping[str, str], sessions: Path | None) -> Profiles:
    """Read and merge all files; ``sessions`` is the file of ``--sessions``."""
    allowed = PrivateFile(paths.allowed, Allowed).read()
    team = find_team_file(folder, environment, sessions, allowed.folders)
    project = team.path or folder / TEAM_FILE
    found = Profiles(problems=list(team.problems), own_presets=paths.presets, project_file=project)
    layers = [paths.user_sessions]
    if team.path is not None:
        layers += [team.path, team.path.with_name(OVERLAY)]
    readings = [reading for path in dict.fromkeys(layers) if (reading := _read(path, found))]
    found.files = tuple(reading.file.path for reading in readings)
    found.refused = next(iter(found.problems), None)  # These files were read, and their problems are added below.
    if named := sessions or environment.get("RPCEXPLORER_SESSIONS"):
        file = os.path.abspath(folder / named)  # noqa: PTH100 - links stay
        found.refused_by_name = next((problem for problem in found.problems if problem.file == file), None)
    for reading in readings:
        found.saved.append(take_saved(reading, own=reading.file.path == paths.user_sessions))
        refuse_keys_of_other_auth(reading)
        if reading.file.path == paths.user_sessions:
            found.own = by_profile(reading.leaves)
            found.own_default = reading.values().get("default", "")
        else:
            found.histories |= refuse_histories(reading, allowed.histories)
            refuse_plain(reading, paths.user_sessions)
            keep_documents_inside(reading)
            keep_processes_inside(reading)
            mark_commands(reading)
        found.problems += problems_of(reading)
        for name, values in by_profile(reading.leaves).items():
            found.leaves[name] = merge(found.leaves.get(name, {}), values)
    _complete(found)
    _build(found)
    _refuse_shared_variables(found)
    _refuse_shared_environment(found)
    _choose_default(found, readings)
    return found


def _complete(found: Profiles) -> None:
    """Add the presets' values, and make the result as strict as the user file.

    The user file counts with the preset that it names: so a method that this preset marks safe stays safe, and one of a
    preset that another file names does not become safe.
    """
    for name, leaves in found.leaves.items():
        whole, problems = found.presets.under(name, leaves)
        if name in found.own:
            own, others = found.presets.under(name, found.own[name])
            whole, problems = as_strict(own, whole), list(dict.fromkeys([*others, *problems]))
        found.leaves[name] = whole
        found.problems += problems


def problems_of(reading: CheckedFile) -> list[Problem]:
    """Return the problems of a file, each with the profile it makes unusable."""
    problems = []
    for path, problem in reading.problems:
        of_profile = path[:1] == ("profile",) and len(path) > 1 and not is_kept(path)
        problems.append(replace(problem, profile=path[1]) if of_profile else problem)
    return problems


def _read(path: Path, found: Profiles) -> CheckedFile | None:
    file = read_toml(path)
    if file is None:
        return None
    if isinstance(file, Problem):
        found.problems.append(file)
        return None
    reading = read_shape(SESSIONS, file)
    if any(path == ("version",) for path, _ in reading.problems):
        found.problems += problems_of(reading)
        return None
    return reading


def _build(found: Profiles) -> None:
    broken = {problem.profile for problem in found.problems}
    for name, leaves in found.leaves.items():
        if name in broken:
            continue
        made = build_profile(name, values_of(leaves))
        if isinstance(made, Profile):
            found.profiles[name] = made
        else:
            found.problems.append(_problem(found, name, *made))


def _refuse_shared_variables(found: Profiles) -> None:
    """Refuse profiles that read the same variables: passwords would be shared."""
    sharing: dict[str, list[str]] = {}
    for name in found.leaves:
        sharing.setdefault(variable(name, "password"), []).append(name)
    for shared, names in sharing.items():
        if len(names) == 1:
            continue
        for name in names:
            others = joined_words((f"`{other}`" for other in names[: SHARING + 2] if other != name), SHARING)
            sentence = f"this profile and {others} would use the same environment variable {shared}"
            found.problems.append(_problem(found, name, (), f"{sentence}. Rename this profile"))
            found.profiles.pop(name, None)


def _refuse_shared_environment(found: Profiles) -> None:
    """Refuse secrets of a process that are read from the same variable as a secret of another profile."""
    if not any(profile.environment_secrets for profile in found.profiles.values()):
        return
    readers: dict[str, list[str]] = {}
    for profile in found.profiles.values():
        for read in (*profile.variables.values(), profile.variable("origin")):
            readers.setdefault(read, []).append(profile.name)
    for profile in [*found.profiles.values()]:
        for name in profile.environment_secrets:
            shared = profile.variable(name)
            others = [f"`{other}`" for other in readers[shared] if other != profile.name]
            if others:
                sentence = f"{name} and a secret of {joined_words(others, SHARING)} would be read from {shared}"
                problem = _problem(found, profile.name, ("environment_secrets",), f"{sentence}. Rename this profile")
                found.problems.append(problem)
                found.profiles.pop(profile.name, None)


def _problem(found: Profiles, name: str, path: KeyPath, sentence: str) -> Problem:
    """Return a problem at a key, or at the profile in the highest file."""
    leaves = found.leaves[name]
    source = leaves.get(path, leaves[()]).source
    return Problem(source.file, sentence, source.line, dotted(("profile", name, *path)), name)


def _choose_default(found: Profiles, readings: list[CheckedFile]) -> None:
    """Use the default of the highest file; no other one replaces it, even if it names no profile."""
    chosen = [reading for reading in readings if ("default",) in reading.leaves]
    if not chosen:
        return
    leaf = chosen[-1].leaves[("default",)]
    name = leaf.value
    if name in found.leaves or any(problem.profile == name for problem in found.problems):
        found.default, found.default_leaf = name, leaf
        return
    sentence = f"there is no profile `{name}`. {available_profiles(name, found.leaves)}"
    found.wrong_default = chosen[-1].file.complain(("default",), sentence)
    found.problems.append(found.wrong_default)
