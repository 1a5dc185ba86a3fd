"""Where themes are found: those that come with the program, and a person's own, which win by name."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).parent.parent
SHIPPED = (PACKAGE / "themes", PACKAGE.parent / "themes")
"""Installed, they lie inside the package; in a checkout, beside it."""


def theme_files(own: Path) -> dict[str, Path]:
    """Every theme by name, sorted."""
    shipped = next((folder for folder in SHIPPED if folder.is_dir()), SHIPPED[0])
    found = [*shipped.glob("*.toml"), *own.glob("*.toml")]
    return dict(sorted((path.stem, path) for path in found))
