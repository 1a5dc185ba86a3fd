"""The share of letters on the call screen that are hard to read, in all themes.

    python -m tests.benchmarks.contrast

The program runs on the demo service, after a call with a result, with the focus in the response. Each letter is
measured as it is drawn; with less than 4.5:1 (WCAG 2) it counts as hard to read. The theme of the terminal has the
colours of Visual Studio Code, dark and light. Lines, edges and bars are no letters. The texts that are hard to read
follow the table.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rich.segment import Segment

from rpcexplorer.demo.http import DemoThread
from rpcexplorer.explorer import Explorer
from rpcexplorer.settings import READABLE
from rpcexplorer.tui.app import PersonOnScreen
from tests.tui.contrast import PALETTES, Palette, contrast_of
from tests.tui.program import Program, open_program

SIZES: Final = ((80, 24), (120, 40), (200, 60))
DRAWINGS: Final = range(0x2500, 0x25A0)
"""Characters that are lines and blocks."""
MAX_TEXTS: Final = 20
PROFILE: Final = 'version = 1\n[profile.demo]\nurl = "{url}"\nbadge = "staging"\n'


class Table:
    """What was measured, of all sizes."""

    def __init__(self) -> None:
        self._shares = defaultdict[str, list[float]](list)
        self._texts = Counter[str]()

    def add(self, theme: str, pieces: Sequence[Segment], palette: Palette) -> None:
        """Add a screen in a theme."""
        hard = [piece for piece in pieces if is_hard_to_read(piece, palette)]
        self._shares[theme].append(sum(map(letters, hard)) / sum(map(letters, pieces)))
        self._texts.update(f"{theme}: {piece.text.strip()}" for piece in hard)

    def print(self) -> None:
        print(f"{'theme':<20}", *(f"{f'{columns} by {lines}':>11}" for columns, lines in SIZES))
        for theme, shares in self._shares.items():
            print(f"{theme:<20}", *(f"{share:>11.1%}" for share in shares))
        for text, count in self._texts.most_common(MAX_TEXTS):
            print(f"{count:>4}  {text}")


def letters(piece: Segment) -> int:
    return sum(1 for char in piece.text if not char.isspace() and ord(char) not in DRAWINGS)


def is_hard_to_read(piece: Segment, palette: Palette) -> bool:
    assert piece.style is not None
    return letters(piece) > 0 and contrast_of(piece.style, palette) < READABLE


async def measure(program: Program, table: Table) -> None:
    """Measure the screen that is shown, in each theme."""
    screen = program.app.screen
    for theme in program.app.explorer.themes.files():
        program.app.use_theme(theme)
        await program.rest()
        pieces = [piece for strip in screen._compositor.render_strips(screen.size) for piece in strip]
        if theme == "terminal":
            for name, palette in PALETTES.items():
                table.add(f"{theme}, {name}", pieces, palette)
        else:
            table.add(theme, pieces, PALETTES["dark"])


async def call(program: Program) -> None:
    """Discover the methods, and call one with a large result."""
    await program.press("f9")
    await program.until(lambda: "demo.records" in program.calls.known)
    await program.send("demo.records", "[]")


async def measure_all(url: str, folder: Path) -> Table:
    (folder / "sessions.toml").write_text(PROFILE.format(url=url))
    table = Table()
    for size in SIZES:
        home = {"RPCEXPLORER_HOME": str(folder / f"home-{size[0]}")}
        explorer = Explorer.open(folder=folder, environment=home, person=PersonOnScreen())
        async with open_program(explorer, profile="demo", size=size) as program:
            await call(program)
            await measure(program, table)
    return table


if __name__ == "__main__":
    with DemoThread() as demo, tempfile.TemporaryDirectory() as temporary:
        asyncio.run(measure_all(demo.url, Path(temporary))).print()
