"""Themes on disk: those that come with the program, and a person's own, which win by name.

What a theme is, and what stands in for a role that a file leaves out, is in model/theme.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rpcexplorer.files.io import names, told
from rpcexplorer.files.toml import TomlFile, read_toml
from rpcexplorer.files.toml_shape import Place, TableRule, WrongValue, flag, read_shape, text
from rpcexplorer.model.problem import Complaint, nearest
from rpcexplorer.model.settings import DARK, NATIVE, Theme, colour, completed

PACKAGE = Path(__file__).parent.parent
SHIPPED = (PACKAGE / "themes", PACKAGE.parent / "themes")
"""Installed, they lie inside the package; in a checkout, beside it."""


def _colour(value: Any, _place: Place) -> Any:
    found = colour(value) if isinstance(value, str) else None
    if found:
        return found
    guess = nearest(value.strip().lower(), NATIVE) if isinstance(value, str) else None
    advice = f'; did you mean "{guess}"?' if guess else ', or a colour of the terminal such as "ansi_blue"'
    return WrongValue(f'must be a colour such as "#82aaf7" or "#8af"{advice}')


SHAPE = TableRule(
    "a theme",
    {
        "name": text,
        "dark": flag,
        "colors": TableRule("the colours", dict.fromkeys(DARK.colours, _colour)),
        "json": TableRule("the colours of JSON", dict.fromkeys(DARK.json, _colour)),
    },
)


class Themes:
    def __init__(self, own: Path) -> None:
        self._own = own

    def files(self) -> dict[str, Path]:
        """Every theme's file by name, sorted."""
        shipped = next((folder for folder in SHIPPED if folder.is_dir()), SHIPPED[0])
        found = {path.stem: path for folder in (shipped, self._own) for path in _themes_in(folder)}
        return dict(sorted(found.items()))

    def load(self, name: str) -> tuple[Theme | None, list[Complaint]]:
        """A theme, where anything of its file can be used, and what is wrong with the file."""
        return load_theme(self.files().get(name, self._own / f"{name}.toml"))


def _themes_in(folder: Path) -> list[Path]:
    """A folder that cannot be read has none: whoever asks for one of its themes is told that it is not there."""
    listed: list[str] = []
    told(lambda: listed.extend(names(folder)))
    return [folder / name for name in listed if name.endswith(".toml")]


def load_theme(path: Path) -> tuple[Theme | None, list[Complaint]]:
    """Read a theme. What is wrong in it is complained about and taken from the default; None where nothing is left."""
    file = read_toml(path)
    if file is None:
        return None, [Complaint(str(path), "there is no such theme; choose another one")]
    if not isinstance(file, TomlFile):
        return None, [file]
    reading = read_shape(SHAPE, file)
    theme = completed(path.stem, reading.values().get("dark"), reading.values("colors"), reading.values("json"))
    return theme, [complaint for _, complaint in reading.complaints]
