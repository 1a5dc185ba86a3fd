"""The form of a profile."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from msgspec.structs import replace

from rpcexplorer.auth.registry import KINDS, USUAL
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.problem import Problem, capitalised
from rpcexplorer.model.profile import (
    OVERLAY,
    PROCESS,
    RESERVED,
    SCHEMES,
    Preset,
    Profile,
    ad_hoc,
    is_reserved,
    joined,
    kind_of,
    process_address,
    scheme_of,
    shares_variables,
    split_address,
    typed_whole,
    usual_confirm,
    usual_path,
    usual_type,
    with_scheme,
)
from rpcexplorer.model.secret import PROFILE_NAME
from rpcexplorer.profiles.edits import ProfileEdits
from rpcexplorer.profiles.keys import PARTS, PROFILE_KEYS, ProfileKey
from rpcexplorer.profiles.layers import changed_profile
from rpcexplorer.tui.widgets.dialog import Answer, Field, Form, Save, Wrong, plain
from rpcexplorer.tui.widgets.inputs import Cycle, Entry, Listed
from rpcexplorer.tui.widgets.picker import Pick, Picker

NAME_HINT: Final = "e.g. my-server"
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1"})
GENERAL_LABELS: Final = frozenset({"www", "api", "rpc", "jsonrpc"})
"""Labels of hosts that do not tell one server from another."""
MAX_PROPOSED_NUMBER: Final = 100
"""The last number after a name that is taken: ``node-2``, ``node-3``."""
OTHER_URLS: Final = "Or ws://, tcp://, tls://, unix:///PATH or stdio:COMMAND."


def wrong_name(name: str, known: Iterable[str]) -> Wrong | None:
    """Return why a profile cannot get this name, if so."""
    if not name:
        return Wrong("A profile needs a name, such as my-server.", "name")
    if not PROFILE_NAME.fullmatch(name):
        return Wrong("Use at most 64 letters, digits, _, - and periods. Begin with a letter or digit.", "name")
    if is_reserved(name):
        return Wrong(f"{capitalised(RESERVED)} Choose another one.", "name")
    known = list(known)
    if name in known:
        return Wrong(f"There is already a profile {name}. Choose another name.", "name")
    for other in known:
        if shares_variables(other, name):
            return Wrong(f"The name is too similar to the profile {other}. Change a letter or digit.", "name")
    return None


def proposed_name(url: str, preset: str, known: Collection[str]) -> str:
    """Return a free name for a new profile, from its preset or its host; empty if there is none."""
    name = preset or _name_of_host(url)
    numbered = [f"{name}-{number}" for number in range(2, MAX_PROPOSED_NUMBER)]
    free = (proposal for proposal in (name, *numbered) if wrong_name(proposal, known) is None)
    return next(free, "") if name else ""


def _name_of_host(url: str) -> str:
    """Return the part of a host that tells servers apart; of a process or a socket, its name."""
    values = address_values(with_scheme(url.strip()))
    place = next(iter(values.get("command", ())), "") or values["url"].partition("://")[2]
    host, _, port = place.rpartition("@")[2].rstrip("/").rpartition("/")[2].lower().partition(":")
    if host in LOOPBACK:
        return f"localhost-{port}".rstrip("-")
    labels = host.split(".")
    if all(map(str.isdecimal, labels)):
        return host
    return next((label for label in labels[:-1] if label not in GENERAL_LABELS), labels[0])


def wrong_values(typed: Mapping[str, str]) -> Wrong | None:
    """Return the first invalid value of a filled form.

    Files have more rules.
    """
    url = with_scheme(typed["url"].strip())
    if not url:
        return Wrong("A profile needs a URL, such as https://rpc.example.com.", "url")
    if scheme_of(url) not in SCHEMES:
        return Wrong(f"A URL begins with https:// or http://, such as https://rpc.example.com. {OTHER_URLS}", "url")
    if address_values(url).get("command") == []:
        return Wrong("Write a command after stdio:, such as stdio:pylsp. Close its quotes.", "url")
    if number_of(typed["timeout"]) is None:
        return Wrong("Type a number of seconds greater than 0, such as 30.", "timeout")
    return None


def number_of(text: str) -> float | int | None:
    """Return a number for the file, such as 30 instead of 30.0."""
    digits = text.strip()
    if not digits.isascii() or not digits[:1].isdecimal() or not digits.replace(".", "", 1).isdecimal():
        return None
    number = float(digits)
    if number == 0:
        return None
    return int(number) if number.is_integer() else number


def label_of(explorer: Explorer, file: Path) -> str:
    """Return what kind of file of profiles this is."""
    if file == explorer.paths.user_sessions:
        return "user file"
    return "local file" if file.name == OVERLAY else "project file"


def homes_of(explorer: Explorer, name: str) -> dict[str, Path]:
    """Return the files with values of a profile by label, lowest layer first."""
    return {label_of(explorer, file): file for file in explorer.profiles.files_of(name)}


def homes_for(explorer: Explorer, name: str | None = None) -> dict[str, Path]:
    """Return the files that can be changed by label, the suggested one first.

    For a profile, that is the highest layer with values of it. A local file can override the project file.
    """
    if name is None:
        files = [explorer.paths.user_sessions, *explorer.profiles.files]
        return {label_of(explorer, file): file for file in files if file.name != OVERLAY}
    homes = dict(reversed(homes_of(explorer, name).items()))
    if "project file" in homes:
        homes.setdefault("local file", homes["project file"].with_name(OVERLAY))
    return homes


LINES: Final = sorted((row for row in PROFILE_KEYS if row.label), key=lambda row: PARTS.index(row.part))


class ProfileForm(Form):
    """The form to add or edit a profile.

    A chosen preset fills every line that the user has not changed.
    """

    manual_pane = "profiles"
    DEFAULT_CSS = "ProfileForm.-low .hint { dock: bottom; margin-top: 0; background: $surface; }"

    def __init__(
        self,
        title: str,
        homes: dict[str, Path],
        fields: list[Field],
        save: Save,
        *,
        presets: Sequence[Preset] = (),
        preset: Preset | None = None,
        known: Collection[str] = (),
    ) -> None:
        """``homes`` are the files to write by label, the suggested one first.

        ``preset`` has the path of a URL without one. ``known``: the names of the other profiles.
        """
        self.is_tested = False
        self._homes, usual = homes, next(iter(homes))
        self._presets = {preset.name: preset for preset in presets}
        self._filled = {field.key: field.value for field in fields}
        self._is_new, self._known = not self._filled["name"], known
        self._proposed = ""
        """The name that was proposed last."""
        self._without = self._filled | (values_of(None) if preset else {})
        self._preset = preset
        meanings = {"url": self._where_calls_go, "preset": self._about_preset}
        lines = [replace(field, meaning=meanings.get(field.key)) for field in fields]
        if len(homes) > 1:
            lines.append(Field("home", "file", usual, choices=list(homes)))
        lines = [replace(field, is_extra=self._is_new and not field.required) for field in lines]
        super().__init__(title, self._about(usual), lines, save)

    def on_mount(self) -> None:
        self._show_kind()
        self._propose_name()

    def on_input_changed(self, event: Entry.Changed) -> None:
        super().on_input_changed(event)
        if event.input is self.input_of("url"):
            self._propose_name()

    def _propose_name(self) -> None:
        """Fill in a name for a new profile, unless the user has typed one."""
        name = self.input_of("name")
        if not self._is_new or name.value != self._proposed:
            return
        preset = self._preset.name if self._preset else ""
        self._proposed = proposed_name(self.input_of("url").value, preset, self._known)
        with name.prevent(Entry.Changed):  # It stays a suggestion, which typing replaces.
            name.value = self._proposed

    def show_extra(self) -> None:
        super().show_extra()
        self._show_kind()

    def file(self, typed: Mapping[str, str]) -> Path:
        return self._homes[typed.get("home", next(iter(self._homes)))]

    def _about(self, label: str) -> str:
        return f"The profile will be saved in the {label}. The rest of the file stays unchanged."

    def answers(self) -> Iterator[Answer]:
        yield Answer("Save", id="save")
        if self._is_new:
            yield Answer("Save and test", id="test")
        yield Answer("Cancel", id="leave")

    def answered(self, answer: str) -> None:
        self.is_tested = answer == "test"
        super().answered("save" if self.is_tested else answer)

    def on_listed_list_wanted(self, event: Listed.ListWanted) -> None:
        """Open the list of a long choice, at once: the next letters are for its search."""
        event.stop()
        listed = event.listed
        picks = [Pick(word, word or listed.nothing, about) for word, about in listed.words.items()]
        self.app.push_screen(Picker(listed.title, picks, on=listed.value, typed=event.typed), listed.choose)

    def on_cycle_changed(self, event: Cycle.Changed) -> None:
        """Update the form after a choice of file, badge, auth type or preset."""
        event.stop()
        match self.key_of(event.cycle):
            case "home":
                self.about.update(plain(self._about(event.value)))
            case "badge":
                confirm = self.input_of("confirm")
                if confirm.value in {"never", "unsafe"}:
                    confirm.value = usual_confirm(event.value)
            case "auth.kind":
                self._show_kind()
            case "preset":
                self._fill(self._presets.get(event.value))

    def _fill(self, preset: Preset | None) -> None:
        """Fill in the values of a preset, except in lines that were changed."""
        values = values_of(preset)
        if preset is None:
            values = {key: self._without[key] for key in values}
        for key, value in values.items():
            line = self.input_of(key)
            if line.value == self._filled[key]:
                line.value = value
        self._filled |= values
        self._preset = preset
        self.tell_meanings()
        self._propose_name()
        self._show_kind()

    def _show_kind(self) -> None:
        """Show only the lines of the chosen auth type."""
        kind = KINDS[self.input_of("auth.kind").value or USUAL]
        offered = {"auth.kind", *(f"auth.{field.name}" for field in kind.fields if field.label)}
        for row in LINES:
            line = self.input_of(row.key).parent if row.part == "Auth" else None
            if line is not None and line not in self._hidden:
                line.display = row.key in offered

    def _where_calls_go(self, typed: str) -> str:
        """Return the complete URL of a typed one, in words."""
        if not typed.strip():
            return OTHER_URLS
        return calls_go_to(typed, path_for(self._preset, typed))

    def _about_preset(self, name: str) -> str:
        preset = self._presets.get(name)
        if preset is None:
            return "Settings for a known server."
        return f"{preset.description}. {preset.advice}".rstrip().replace("`", "")


def path_for(preset: Preset | None, typed: str) -> str:
    """Return the path of a typed URL without one."""
    return preset.path_for(typed.strip()) if preset else usual_path(typed.strip())


def values_of(preset: Preset | None) -> dict[str, str]:
    """Return the values of a preset for the lines of a new profile."""
    apart = {"name", "url", "preset", "description", "badge", "confirm"}
    return {field.key: field.value for field in fields_of(None, preset=preset) if field.key not in apart}


def fields_of(
    profile: Profile | None,
    typed: Profile | None = None,
    *,
    presets: Sequence[Preset] = (),
    preset: Preset | None = None,
) -> list[Field]:
    """Return the lines for a profile, or for a new one.

    A new one may start with a ``typed`` URL and the values of a ``preset``, one of the ``presets``.
    """
    known = profile or typed or (preset.values if preset else None)
    shown = known or Profile("new", "")
    values = {row.key: _shown(shown, row) for row in LINES}
    values["url"] = _shown_address(profile, typed)
    values["preset"] = typed.preset if typed else ""
    if known is None or not known.has_own_auth:
        values["auth.kind"] = ""
    if shown.content_type == usual_type(shown.path):
        if preset:
            values["content_type"] = preset.values.content_type
        elif not (profile and profile.preset):
            values["content_type"] = ""
    name = Field("name", "name", profile.name if profile else "", hint=NAME_HINT, required=True)
    fields = list[Field]()
    for row in LINES:
        field = Field(row.key, row.label, values[row.key], row.hint, row.choices)
        if row.key == "url":
            fields += [replace(field, required=True), name]
            continue
        if row.key == "auth.kind":
            field = replace(field, nothing="not chosen")
        elif row.key == "content_type" and profile:
            field = replace(field, hint=profile.content_type)
        elif row.key == "preset":
            about = {one.name: one.description for one in presets}
            field = replace(field, choices=["", *about], about=about)
        if presets or row.key != "preset":
            fields.append(field)
    return fields


def _shown(profile: Profile, row: ProfileKey) -> str:
    top, _, inner = row.key.partition(".")
    value = getattr(profile, top)
    if inner:
        value = getattr(value, inner, None)  # Each auth type has its own fields.
    return f"{value:g}" if row.value == "seconds" else value or ""


def _shown_address(profile: Profile | None, typed: Profile | None) -> str:
    """Return the complete URL, so that saving it appends nothing.

    The usual path is omitted, so that a preset can replace it.
    """
    if profile is None and typed is not None and typed.path and typed.path == usual_path(typed.url):
        return typed.url
    known = profile or typed
    return typed_whole(known.endpoint) if known else ""


def with_path(typed: Mapping[str, str], path: str) -> dict[str, str]:
    """Return the typed values, with this path if the URL has none."""
    if not with_scheme(typed["url"]).partition("://")[2]:
        return dict(typed)
    return {**typed, "url": typed_whole(_address(typed["url"], path))}


def address_values(typed: str, usual: str = "") -> dict[str, Any]:
    """Return the keys of a profile that a typed URL sets.

    The words of a process follow ``stdio:``. A URL without a path gets the path ``usual``, or that of its scheme.
    """
    typed = typed.strip()
    if kind_of(typed) == "process":
        try:
            return {"url": PROCESS, "command": shlex.split(typed[len(PROCESS) :])}
        except ValueError:  # A quote has no end.
            return {"url": PROCESS, "command": []}
    url, path = split_address(typed)
    if not usual_path(url):
        return {"url": url}
    return {"url": url, "path": path or usual or usual_path(url)}


def _address(typed: str, usual: str = "") -> str:
    values = address_values(typed, usual)
    if "command" in values:
        return process_address(values["command"])
    return joined(values["url"], values.get("path", ""))


def calls_go_to(typed: str, usual: str = "") -> str:
    """Return a text that shows where calls go; empty if the URL cannot be used.

    So it never repeats a typed password. A URL without a path gets the path ``usual``, or that of its scheme.
    """
    values = address_values(typed, usual)
    made = changed_profile(ad_hoc(typed), tuple(values.items()))
    if isinstance(made, Problem):
        return ""
    words = f"Calls go to {made.endpoint}"
    if "path" in values and split_address(typed)[1] is None:
        words += f"\nThe URL has no path, so rpcexplorer adds {values['path']}."
    return words


def wrong_address(typed: str, problem: Problem) -> str:
    """Return the problem of a typed URL, which is not repeated."""
    why = problem.sentence.partition(". ")[0].replace("`", "")
    if scheme_of(with_scheme(typed.strip())) not in SCHEMES:
        return f"The URL must begin with http:// or https://. {OTHER_URLS}"
    named = {"url": "URL", "path": "path of the URL", "command": "command after stdio:"}
    for key, label in named.items():
        if f".{key}" in problem.key:
            return f"The {label} {why}."
    return f"{capitalised(why)}."


def changes_of(
    was: Profile | None, typed: Mapping[str, str], is_set: Callable[[str], bool], preset: Preset | None = None
) -> dict[str, str]:
    """Return the keys that a filled form changes, with their text; the name is no key.

    ``is_set`` returns whether a file sets a key.
    """
    changed = {}
    for field in fields_of(was, preset=preset):
        now, before = typed[field.key].strip(), field.value
        if field.key == "confirm" and not is_set("confirm"):
            before = usual_confirm(typed["badge"])  # The default if no file sets it.
        if field.key != "name" and now != before:
            changed[field.key] = now
    if was is not None and "url" in changed and _address(changed["url"]) == was.endpoint:
        del changed["url"]
    return changed


def add_profile(
    edits: ProfileEdits,
    typed: Mapping[str, str],
    known: Iterable[str],
    presets: Iterable[Preset] = (),
    learned: Mapping[str, Any] = MappingProxyType({}),
) -> Wrong | None:
    """Write a new profile, without values that are defaults or the preset's.

    ``learned``: keys that have no line in the form.
    """
    wrong = wrong_name(typed["name"].strip(), known) or wrong_values(typed)
    if wrong is not None:
        return wrong
    preset = next((preset for preset in presets if preset.name == typed.get("preset")), None)
    values = address_values(typed["url"])
    if split_address(typed["url"])[1] is None:
        values.pop("path", None)
    for key, text in changes_of(None, typed, lambda _: False, preset).items():
        if key != "url" and not key.startswith("auth."):
            values[key] = _value(key, text)
    kind, usual = typed["auth.kind"], None
    if preset and kind in {"", preset.values.auth.kind}:
        kind, usual = preset.values.auth.kind, preset.values.auth
    auth = {"kind": kind} if kind and usual is None else {}
    for field in KINDS[kind or USUAL].fields:
        if field.label:
            text = typed[f"auth.{field.name}"].strip()
            if text != (getattr(usual, field.name, "") or ""):
                auth[field.name] = text
    values |= {"preset": preset.name if preset else None, **learned}
    problem = edits.add(typed["name"].strip(), values.pop("url"), auth=auth, **values)
    return wrong_of(problem, typed) if problem else None


def edit_profile(
    edits: ProfileEdits, was: Profile, typed: Mapping[str, str], source: Callable[[str], str], *, is_bare: bool = False
) -> Wrong | None:
    """Write the changed values into one file, or none of them. The name is not changed.

    ``source`` names the file that sets a key, or is empty. ``is_bare``: the URL was typed without a path.
    """
    wrong = wrong_values(typed)
    if wrong is not None:
        return wrong

    def is_here(key: str) -> bool:
        return source(key) == str(edits.file)

    changed = changes_of(was, typed, lambda key: bool(source(key)))
    values: dict[str, Any] = {}
    address = changed.pop("url", None)
    if address:
        now = address_values(address)
        values = {key: value for key, value in now.items() if value != getattr(was, key)}
        for key in ("path", "command"):
            is_removed = key not in now or (key == "path" and is_bare and key in values)
            if is_removed and is_here(key):
                values[key] = None
    for key, text in changed.items():
        values[key] = _value(key, text)
        if not text and is_here(key):  # To override another file, the empty value is written.
            values[key] = None
    problem = edits.set_values(*((("profile", was.name, *key.split(".")), value) for key, value in values.items()))
    return wrong_of(problem, typed) if problem else None


def problem_after_reload(explorer: Explorer, name: str) -> Wrong | None:
    """Read the files again; return why the profile cannot be used, if so."""
    explorer.reload()
    for problem in explorer.profiles.problems:
        if problem.profile == name:
            return Wrong(str(problem))
    return None


def wrong_of(problem: Problem, typed: Mapping[str, str]) -> Wrong:
    """Return a problem of a file with the labels of the form."""
    place, is_path = problem.key, problem.key.endswith(".path")
    if is_path:
        place = place.removesuffix(".path") + ".url"
    key = max((key for key in typed if place.endswith(f".{key}")), key=len, default="")
    label = next((row.label for row in LINES if row.key == key), "")
    if is_path:
        label = f"path of the {label}"
    sentence, has_table, table = problem.sentence.replace("`", "").partition(" write auth = ")
    if has_table:  # The form has rows for it, and asks for the secret later.
        sentence = sentence.removesuffix(" For HTTP Basic,").rstrip(".,")
        if '"none"' not in table:
            sentence += ". Choose an auth type below"
    if label and sentence.startswith("must"):
        return Wrong(f"The {label} {sentence}.", key)
    return Wrong(capitalised(sentence) if key else str(problem), key)


def overruled(now: Profile, typed: Mapping[str, str], changed: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the written keys that another file overrides, with their values."""
    for field in fields_of(now):
        if field.key in changed and _value(field.key, field.value) != _value(field.key, typed[field.key].strip()):
            yield field.key, field.value


def _value(key: str, text: str) -> str | float | int | None:
    if key == "url":
        return _address(text)
    if key == "timeout":
        return number_of(text)
    return text
