"""Keypress to changed screen: typing params, and moving in a response.

    python tests/benchmarks/keypress.py [KEYS]

The real program runs in a pseudo-terminal. A key is written, and the clock stops when the program has written something
back and is silent for a moment; that moment is not counted. A bare Textual app with an input line is measured the same
way in the same run.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from rpcexplorer.demo.http import DemoThread
from tests.benchmarks.figures import print_median
from tests.benchmarks.programs import WORD, bare, explorer, profile, ready_to_send
from tests.benchmarks.terminal import DOWN, F4, F5, PAGE_DOWN, Program


def main() -> None:
    keys = range(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
    with tempfile.TemporaryDirectory() as home, DemoThread() as demo:
        folder = Path(home)
        with Program([sys.executable, bare(folder, 'Input("usable")')], folder) as line:
            line.until(WORD)
            line.settle()
            floor = print_median("bare Textual, a line", [line.press(b"x") for _ in keys])
        profile(folder, demo.url)
        with explorer(folder) as ours:
            ours.until(WORD)
            ours.settle()
            ours.press(b'"')
            typing = print_median("typing params", [ours.press(b"x") for _ in keys])
        profile(folder, demo.url, method="demo.records", params="{ count = 20000 }")
        with ready_to_send(folder, "demo.records") as reading:
            reading.write(F5)
            reading.settle(3)
            reading.write(F4)
            reading.settle()
            moving = print_median("moving in a response of 6 MB", [reading.press(DOWN) for _ in keys])
            paging = print_median("paging in it", [reading.press(PAGE_DOWN) for _ in keys])
    print(f"ratios to bare: typing {typing / floor:.1f}, moving {moving / floor:.1f}, paging {paging / floor:.1f}")


if __name__ == "__main__":
    main()
