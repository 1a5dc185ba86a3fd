"""Time from the start of the process to the first screen, and to all its panes, beside a bare Textual app, in one run.

    python tests/benchmarks/first_screen.py [RUNS]

Both run in a pseudo-terminal of 120 by 40; the clock stops when the words that they wait for have been written: the
name of the profile in the first frame, then what stands in the empty response.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.benchmarks.figures import after_one, told
from tests.benchmarks.programs import WORD, bare, explorer, profile
from tests.benchmarks.terminal import Program

PANES: Final = b"The response appears here."


def seconds(start: Callable[[], Program], word: bytes = WORD) -> float:
    """From the start to the word."""
    with start() as program:
        return program.until(word)


def main() -> None:
    """Measure and print."""
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
    floor, ours, whole = (told(name, times) for name, times in taken.items())
    print(f"ratios {ours / floor:.2f} and {whole / floor:.2f}")


if __name__ == "__main__":
    main()
