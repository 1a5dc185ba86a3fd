"""settings.toml, the themes and the stored state of the screen."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any, Generic, TypeVar

from msgspec.structs import replace

from rpcexplorer.files.io import FileError, aside, lock, private_folder, read_bytes, toml_files, write_private
from rpcexplorer.files.paths import Paths
from rpcexplorer.files.toml import KeyPath, TomlFile, parse_bytes, read_toml, split_dotted
from rpcexplorer.files.toml_edit import edit
from rpcexplorer.files.toml_shape import (
    MapRule,
    Place,
    TableRule,
    WrongValue,
    choice_rule,
    file_name_rule,
    flag_rule,
    integer_rule,
    list_rule,
    path_rule,
    read_shape,
    size_rule,
    text_rule,
    time_rule,
    version_rule,
)
from rpcexplorer.model.problem import Problem, nearest, nearest_few
from rpcexplorer.model.secret import Secret
from rpcexplorer.model.settings import DARK, NATIVE, HistorySettings, Settings, Theme, colour, completed, contrast

SETTINGS_SHAPE = TableRule(
    "settings.toml",
    {
        "version": version_rule,
        "theme": file_name_rule,
        "keymap": MapRule(text_rule),
        "history": TableRule(
            "history",
            {"record": flag_rule, "folder": path_rule, "body_limit": size_rule(0), "events": size_rule(0)},
        ),
        "secrets": TableRule("secrets", {"store": choice_rule("file", "keyring")}),
        "reply": TableRule("reply", {"limit": size_rule(1)}),
    },
)


def load_settings(paths: Paths) -> tuple[Settings, list[Problem]]:
    file = read_toml(paths.settings)
    if file is None:
        return Settings(), []
    if isinstance(file, Problem):
        return Settings(), [file]
    reading = read_shape(SETTINGS_SHAPE, file)
    other: dict[str, Any] = {}
    if store := reading.values("secrets").get("store"):
        other["secret_store"] = store
    if limit := reading.values("reply").get("limit"):
        other["reply_limit"] = limit
    settings = Settings(
        theme=reading.values().get("theme", ""),
        keymap=reading.values("keymap"),
        history=HistorySettings(**reading.values("history")),
        **other,
    )
    return settings, [problem for _, problem in reading.problems]


def save_setting(paths: Paths, key: str | KeyPath, value: Any) -> Problem | None:
    """Set one key, or remove it with None, without other changes."""
    path = split_dotted(key) if isinstance(key, str) else key
    return edit(paths.settings, paths.state, SETTINGS_SHAPE, [(path, value)])


PACKAGE = Path(__file__).parent
SHIPPED = (PACKAGE / "themes", PACKAGE.parent / "themes")
"""Themes are inside the installed package, but next to it in a checkout."""


def _colour(value: Any, _place: Place) -> Any:
    if isinstance(value, str):
        if found := colour(value):
            return found
        if guess := nearest(value.strip().lower(), NATIVE):
            return WrongValue(f'must be a colour. Did you mean "{guess}"?')
    return WrongValue('must be a colour such as "#82aaf7" or "#8af", or a terminal colour such as "ansi_blue"')


READABLE = 4.5
"""The least contrast of text, as in WCAG 2."""
STYLE_TOKENS = {
    "key": "Name.Tag",
    "string": "String",
    "number": "Number",
    "literal": "Keyword.Constant",
    "punctuation": "Punctuation",
    "error": "Error",
}
"""The kind of token that has the colour of each role, in a style of Pygments."""


def _style(value: Any, _place: Place) -> Any:
    from pygments.styles import STYLES  # Few themes name a style.

    names = sorted(name for _, name, _ in STYLES.values())
    name = value.strip().lower() if isinstance(value, str) else ""
    if name in names:
        return name
    near = [f'"{found}"' for found in nearest_few(name, names, 3)]
    if near:
        return WrongValue(f"there is no such style. Did you mean {' or '.join(near)}?")
    return WrongValue('must be a style of Pygments, such as "monokai" or "github-dark"')


def _style_colours(style: str, background: str) -> dict[str, str]:
    """Return the colours of a style for JSON, by role, without those that are hard to read."""
    from pygments.styles import get_style_by_name
    from pygments.token import string_to_tokentype

    tokens, colours = get_style_by_name(style), dict[str, str]()
    for role, kind in STYLE_TOKENS.items():
        digits = tokens.style_for_token(string_to_tokentype(kind))["color"]
        if not digits:
            continue
        colour = f"#{digits}"
        is_known = background.startswith("#")  # What the terminal's own background is cannot be known.
        if not is_known or contrast(colour, background) >= READABLE:
            colours[role] = colour
    return colours


THEME_SHAPE = TableRule(
    "a theme",
    {
        "name": text_rule,
        "dark": flag_rule,
        "colors": TableRule("the colours", dict.fromkeys(DARK.colours, _colour)),
        "json": TableRule("the colours of JSON", {**dict.fromkeys(DARK.json, _colour), "style": _style}),
    },
)


class Themes:
    def __init__(self, own: Path) -> None:
        self._own = own

    def files(self) -> dict[str, Path]:
        shipped = SHIPPED[0] if SHIPPED[0].is_dir() else SHIPPED[1]
        files = [*toml_files(shipped), *toml_files(self._own)]
        found = {path.stem: path for path in files}
        return dict(sorted(found.items()))

    def load(self, name: str) -> tuple[Theme | None, list[Problem]]:
        return load_theme(self.files().get(name, self._own / f"{name}.toml"))


def load_theme(path: Path) -> tuple[Theme | None, list[Problem]]:
    file = read_toml(path)
    if file is None:
        return None, [Problem(str(path), "there is no such theme. Choose another one")]
    if not isinstance(file, TomlFile):
        return None, [file]
    reading = read_shape(THEME_SHAPE, file)
    json = dict(reading.values("json"))
    style = json.pop("style", "")
    theme = completed(path.stem, reading.values().get("dark"), reading.values("colors"), json)
    if style:
        of_style = _style_colours(style, theme.colours["background"])
        theme = replace(theme, json={**theme.json, **of_style, **json}, style=style)
    return theme, [problem for _, problem in reading.problems]


NEWEST = 50
ROOM = 50_000
"""Characters of all expressions: the file is read at every start."""
LOCK_SECONDS = 0.2
"""Seconds to wait for another program.

A lost choice is better than a frozen screen.
"""
SCREEN_SHAPE = TableRule(
    "screen.toml",
    {
        "version": version_rule,
        "profile": text_rule,  # Earlier versions remembered one profile for all folders.
        "used": MapRule(text_rule),
        "wrap": flag_rule,
        "side_by_side": flag_rule,
        "history_of_all": flag_rule,
        "docs": text_rule,
        "methods_width": integer_rule,
        "params_height": integer_rule,  # Earlier versions remembered lines.
        "params_share": integer_rule,
        "typed": MapRule(list_rule(text_rule, "expressions")),
        "at": MapRule(
            TableRule(
                "a profile",
                {
                    "method": text_rule,
                    "pinned": list_rule(text_rule, "methods"),
                    "quiet": MapRule(time_rule),
                },
            ),
        ),
    },
)
HEADING = "# Screen state of rpcexplorer. You can delete this file: only choices such as layout and pins are lost.\n"
T = TypeVar("T")
StateTable = dict[str, Any]
Update = Callable[[Any], Any]
"""Make a new value from the old one; None is a missing value."""


def _now() -> datetime:
    return datetime.now().astimezone()


class _Stored(Generic[T]):
    """A value at the top of the file, under the attribute's own name."""

    def __init__(self, read: Callable[[Any], T]) -> None:
        self._read = read

    def __set_name__(self, _owner: type, name: str) -> None:
        self._key = name

    def __get__(self, state: ScreenState, _owner: type) -> T:
        return self._read(state.value(self._key))

    def __set__(self, state: ScreenState, value: T) -> None:
        state.remember(value, self._key)


class ScreenState:
    """Reads the file when first asked; setting any of it writes the file."""

    wrap = _Stored(bool)
    side_by_side = _Stored(bool)
    """Show params and response side by side if the terminal is wide enough."""
    history_of_all = _Stored(bool)
    docs = _Stored[str](lambda found: found or "")
    """``open`` or ``closed``, or empty if the user has not chosen."""
    methods_width = _Stored[int | None](lambda found: found)
    """Columns of the method list; None if the user has not changed them."""
    params_share = _Stored[int | None](lambda found: found)
    """Thousandths of the screen's lines for the params editor; None if the user has not changed its height."""

    def __init__(
        self, file: Path, secrets: Callable[[], Iterable[Secret]] = tuple, now: Callable[[], datetime] = _now
    ) -> None:
        """Use ``file``; ``secrets`` are removed from typed text."""
        self._file = file
        self._secrets = secrets
        self._now = now
        self._known: StateTable | None = None
        """The content of the file when it was last read or written."""
        self._waiting: list[tuple[KeyPath, Update]] = []
        """Changes that could not be written yet."""
        self.problem = ""
        """Why a choice could not be stored, or empty."""

    def used_in(self, folder: Path) -> str:
        """Return the profile that was used last in a project folder, or nothing."""
        return str(self.value("used", str(folder)) or "")

    def set_used(self, folder: Path, profile: str) -> None:
        """Remember the profile for the newest project folders; an empty one is forgotten."""
        key, name = _clean(str(folder)), _clean(profile)

        def update(old: Mapping[str, str] | None) -> dict[str, str]:
            used = dict(old or {})
            used.pop(key, None)
            if name:
                used[key] = name
            return dict([*used.items()][-NEWEST:])

        if name != self.used_in(folder):
            self._change(update, "used")

    def method(self, profile: str) -> str:
        return str(self.value("at", profile, "method") or "")

    def set_method(self, profile: str, method: str) -> None:
        if method != self.method(profile):
            self.remember(self._written(method), "at", profile, "method")

    def pinned(self, profile: str) -> tuple[str, ...]:
        return tuple(self.value("at", profile, "pinned") or ())

    def pin(self, profile: str, method: str) -> None:
        added = self._written(method)
        self._change(lambda old: (*(name for name in old or () if name != added), added), "at", profile, "pinned")

    def unpin(self, profile: str, method: str) -> None:
        removed = self._written(method)
        self._change(lambda old: tuple(name for name in old or () if name != removed), "at", profile, "pinned")

    def copy_profile(self, profile: str, new: str) -> None:
        """Give a profile's new name the same pins and other choices. Raises ``FileError``."""
        self.remember(self.value("at", profile), "at", new)
        if self._waiting:
            raise FileError(self.problem)

    def folders_using(self, profile: str) -> list[Path]:
        """Return the project folders in which this profile was used last."""
        return [Path(folder) for folder, used in (self.value("used") or {}).items() if used == profile]

    def quiet(self, profile: str, method: str) -> None:
        """Stop asking before this method is sent, until local midnight."""
        tomorrow = self._now().date() + timedelta(days=1)
        midnight = datetime.combine(tomorrow, time()).astimezone()
        self._change(lambda old: {**self._still_quiet(old), self._written(method): midnight}, "at", profile, "quiet")

    def is_quiet(self, profile: str, method: str) -> bool:
        return self._written(method) in self._still_quiet(self.value("at", profile, "quiet"))

    def expressions(self, purpose: str) -> tuple[str, ...]:
        return tuple(self.value("typed", purpose) or ())

    def add_expression(self, purpose: str, expression: str) -> None:
        newest = self._written(expression)

        def update(old: Iterable[str] | None) -> tuple[str, ...]:
            others = [text for text in old or () if text != newest]
            return _fitting([newest, *others][:NEWEST])

        self._change(update, "typed", purpose)

    def _written(self, text: str) -> str:
        """Return a text for the file, without the secrets in it."""
        from rpcexplorer.redaction.redactor import Redactor  # Only changes need this import.

        return _clean(Redactor(self._secrets()).text(text))

    def _still_quiet(self, until: Mapping[str, datetime] | None) -> dict[str, datetime]:
        return {method: moment for method, moment in (until or {}).items() if moment > self._now()}

    def value(self, *path: str) -> Any:
        found: Any = self._now_known()
        for key in path:
            found = found.get(_clean(key), {})
        return found or None

    def remember(self, value: Any, *path: str) -> None:
        self._change(_always(value), *path)

    def _change(self, update: Update, *path: str) -> None:
        self._now_known()
        self._waiting.append((tuple(map(_clean, path)), update))
        try:
            self._write()
        except FileError as error:
            self.problem = f"pins and other choices on screen are kept only until you quit: {error.sentence}"

    def _write(self) -> None:
        """Apply waiting changes to the file. Raises ``FileError``."""
        private_folder(self._file.parent)
        with lock(self._file, LOCK_SECONDS):
            before, problem = self._read()
            after = self._changed(before)
            sentence = self._copy_aside(problem) if problem else ""
            if problem or after != before:
                write_private(self._file, _toml(after))
        self.problem = sentence
        self._known = after
        self._waiting.clear()

    def _now_known(self) -> StateTable:
        if self._known is None:
            try:
                self._known, problem = self._read()
                self.problem = str(problem or "")
            except FileError as error:
                self.problem = error.sentence
        return self._changed(self._known or {})

    def _changed(self, document: StateTable) -> StateTable:
        for path, update in self._waiting:
            document = _updated(document, path, update)
        return document

    def _read(self) -> tuple[StateTable, Problem | None]:
        content = read_bytes(self._file)
        if content is None:
            return {}, None
        file = parse_bytes(self._file, content)
        if isinstance(file, Problem):
            return {}, file
        reading = read_shape(SCREEN_SHAPE, file)
        document: StateTable = {}
        for path, leaf in reading.leaves.items():
            document = _updated(document, path, _always(leaf.value))
        return document, reading.problems[0][1] if reading.problems else None

    def _copy_aside(self, problem: Problem) -> str:
        """Copy a damaged file aside before it is replaced; return a sentence."""
        content = read_bytes(self._file) or b""
        side = next(side for side in aside(self._file, "damaged") if self._can_hold(side, content))
        write_private(side, content)
        return f"{problem}. The damaged file was copied to {side}. Its readable settings are still used."

    @staticmethod
    def _can_hold(side: Path, content: bytes) -> bool:
        if not os.path.lexists(side):
            return True
        try:
            return read_bytes(side) == content
        except FileError:
            return False


def _updated(document: StateTable, path: KeyPath, update: Update) -> StateTable:
    key, rest = path[0], path[1:]
    value = _updated(document.get(key, {}), rest, update) if rest else update(document.get(key))
    updated = dict(document)
    updated.pop(key, None)  # The newest is the last.
    if value:
        updated[key] = value
    return updated


def _fitting(expressions: Iterable[str]) -> tuple[str, ...]:
    fitting, room = [], ROOM
    for text in expressions:
        room -= len(text)
        if room >= 0:
            fitting.append(text)
    return tuple(fitting)


def _always(value: Any) -> Update:
    return lambda _: value


def _toml(document: StateTable) -> str:
    import tomli_w

    return HEADING + tomli_w.dumps(document | {"version": 1})


def _clean(text: str) -> str:
    """Return text without lone surrogates, which no file can hold."""
    return text.encode("utf-8", "replace").decode()
