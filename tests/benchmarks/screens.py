"""A letter in each filter, and the opening of each screen, of several checkouts in turns.

    python tests/benchmarks/screens.py [CHECKOUT]... [--rounds N] [--only WORD]

The real programs run in pseudo-terminals of 120 by 40, with 8,000 recorded calls, 2,000 methods, 200 profiles and
100,000 events. A key is written, and the clock stops at the last byte of its change; in the filter of the events, when
the first number of found events is shown, and then when that of all is. Beside it is the processor time of the program
until it is quiet again, which other programs disturb less. The first round, which loads modules, is left out. Compile
all checkouts before: ``python -m compileall -q rpcexplorer``.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from tests.benchmarks.events_on_screen import EVENTS, flooded
from tests.benchmarks.figures import after_one
from tests.benchmarks.history import F6, fill
from tests.benchmarks.method_list import names, service
from tests.benchmarks.programs import CHECKOUT, profile, ready_to_send
from tests.benchmarks.terminal import BACKSPACE, DOWN, ENTER, ESCAPE, F2, F5, Program, environment

CALLS: Final = 8_000
METHODS: Final = 2_000
PROFILES: Final = 200
COUNT: Final = 100_000
QUIET: Final = 0.2
"""Seconds without output after which a program is quiet."""
F1, F7, CTRL_P = b"\x1bOP", b"\x1b[18~", b"\x10"
FOUND: Final = ((b"9", 27_100), (b"9", 1_900), (b"q", 0))
"""Letters of the filter of the events, and the events that match then."""


class Took(NamedTuple):
    seconds: float
    processor: float
    """Seconds of all threads of the program."""


class Opening(NamedTuple):
    """The key that opens a screen, and those before and after it."""

    key: bytes
    before: tuple[bytes, ...] = ()
    after: tuple[bytes, ...] = (ESCAPE,)


OPENINGS: Final = {
    "history": Opening(F6),
    "statistics": Opening(b"s", (F6,), (ESCAPE, ESCAPE)),
    "compare": Opening(b"d", (F6, b"m", DOWN), (ESCAPE, ESCAPE, ESCAPE)),
    "replay": Opening(b"\x1br", (F6,), (ESCAPE, ESCAPE)),
    "profiles": Opening(F7),
    "profile form": Opening(b"e", (F7,), (ESCAPE, ESCAPE)),
    "batch": Opening(b"\x1bl"),
    "checks": Opening(b"\x1br"),
    "form": Opening(b"\x1be"),
    "docs": Opening(b"\x1bm"),
    "connection test": Opening(b"\x1bt"),
    "compare profiles": Opening(b"\x1bd"),
    "palette": Opening(CTRL_P),
    "help": Opening(F1),
    "manual": Opening(ENTER, (CTRL_P, b"open manual")),
}


def processor_seconds(program: Program) -> float:
    nanoseconds = 0
    for thread in Path(f"/proc/{program.pid}/task").iterdir():
        nanoseconds += int((thread / "schedstat").read_text().split()[0])
    return nanoseconds / 1e9


def measured(program: Program, action: Callable[[], float]) -> Took:
    """Measure an action, and wait until the program is quiet."""
    began = processor_seconds(program)
    seconds = action()
    program.settle(QUIET, at_most=1)
    return Took(seconds, processor_seconds(program) - began)


def write(program: Program, *keys: bytes) -> None:
    for key in keys:
        program.write(key)
        program.settle(QUIET, at_most=2)


def opened(program: Program, opening: Opening) -> list[Took]:
    write(program, *opening.before)
    took = measured(program, lambda: program.press(opening.key))
    write(program, *opening.after)
    return [took]


def typed(program: Program, *keys: bytes, word: bytes) -> list[Took]:
    """Type a word into the filter that some keys lead to, delete it again and leave."""
    write(program, *keys)
    letters = [word[at : at + 1] for at in range(len(word))]
    took = [measured(program, partial(program.press, key)) for key in (*letters, *[BACKSPACE] * len(word))]
    write(program, *[ESCAPE] * len(keys))
    return took


def filtered(program: Program, *, whole: bool) -> list[Took]:
    """Type letters into the filter of the events, until the first or all are found."""
    write(program, EVENTS, b"/")
    took = []
    for letter, count in FOUND:

        def find(letter: bytes = letter, count: int = count) -> float:
            program.write(letter)
            return program.until(f"{count:,} found".encode() if whole else b" found")

        took.append(measured(program, find))
    write(program, ESCAPE, ESCAPE, ESCAPE)
    return took


def filled(folder: Path) -> None:
    """Write history, methods and profiles, which all checkouts read."""
    fill(folder / "home" / "state" / "history", CALLS)
    with service(names(METHODS)) as server:
        profile(folder, server.origin)
        learn = [sys.executable, "-m", "rpcexplorer", "methods", "--refresh"]
        subprocess.run(learn, cwd=folder, env=environment(folder), capture_output=True, check=True)
    others = [f'[profile.item{number}]\nurl = "http://127.0.0.1:9/{number}"\n' for number in range(PROFILES)]
    sessions = folder / "sessions.toml"
    sessions.write_text('default = "usable"\n' + sessions.read_text() + "".join(others))


def print_figures(name: str, taken: dict[str, list[list[Took]]]) -> None:
    words = []
    for rounds in taken.values():
        keys = list(itertools.chain(*rounds))
        seconds, processor = (statistics.median(values) * 1000 for values in zip(*keys, strict=True))
        words.append(f"{seconds:8.1f} ms {processor:8.1f} ms of processor")
    print(f"{name:<24}", *words, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("checkouts", nargs="*", type=Path, default=[CHECKOUT])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", metavar="WORD")
    given = parser.parse_args()
    with ExitStack() as stack:
        calls: dict[str, Program] = {}
        floods: dict[str, Program] = {}
        for checkout in map(Path.resolve, given.checkouts):
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            filled(folder)
            calls[str(checkout)] = stack.enter_context(ready_to_send(folder, "order.listItems", checkout))
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            flood = floods[str(checkout)] = stack.enter_context(flooded(folder, COUNT, checkout))
            flood.write(F5)
            flood.until(f"{COUNT:,} events".encode())
            flood.settle()
        figures: dict[str, tuple[dict[str, Program], Callable[[Program], list[Took]]]] = {
            "a key in the editor": (calls, partial(typed, word=b"12345")),
            "filter of methods": (calls, lambda program: typed(program, F2, word=b"item")),
            "filter of history": (calls, lambda program: typed(program, F6, b"/", word=b"item")),
            "filter of profiles": (calls, lambda program: typed(program, F7, b"/", word=b"item")),
            "filter of events": (floods, partial(filtered, whole=False)),
            "all events found": (floods, partial(filtered, whole=True)),
            "events": (floods, partial(opened, opening=Opening(EVENTS))),
        }
        for name, opening in OPENINGS.items():
            figures[name] = (calls, partial(opened, opening=opening))
        for name, (programs, action) in figures.items():
            if given.only in name:
                contenders = {checkout: partial(action, program) for checkout, program in programs.items()}
                print_figures(name, after_one(given.rounds, contenders))


if __name__ == "__main__":
    main()
