"""Process start to first screen and to all panes, and a bare Textual app.

    python tests/benchmarks/first_screen.py [RUNS]

Both run in a pseudo-terminal of 120 by 40. The clock stops when the expected words are written: the name of the profile
in the first frame, then the text of the empty response.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.benchmarks.figures import after_one, print_median
from tests.benchmarks.programs import WORD, bare, explorer, profile
from tests.benchmarks.terminal import Program

PANES: Final = b"The response appears here."


def seconds(start: Callable[[], Program], word: bytes = WORD) -> float:
    """Return the seconds from the start to the word."""
    with start() as program:
        return program.until(word)


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        profile(folder, "http://127.0.0.1:9")
        script = bare(folder)
        taken = after_one(
            runs,
            {
                "bare Textual": lambda: seconds(lambda: Program([sys.executable, script], folder)),
                "rpcexplorer": lambda: seconds(lambda: explorer(folder)),
                "with all panes": lambda: seconds(lambda: explorer(folder), PANES),
            },
        )
    floor, ours, whole = (print_median(name, times) for name, times in taken.items())
    print(f"ratios {ours / floor:.2f} and {whole / floor:.2f}")


if __name__ == "__main__":
    main()
