"""Processes for test_killed_writers.py.

One dies at each system call, one writes endlessly, and two write at once. Run ``killing.py HOW FOLDER [NAME]``. Each
kind of file is in its own folder, ``FOLDER/NAME``.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import shutil
import signal
import sys
from pathlib import Path

from tests.files.every_file import BY_NAME, KINDS
from tests.files.faults import Fire


class Death(Fire):
    """A fault that kills this process instead of failing a call.

    A write is half done by then.
    """

    def strike(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


def everywhere(folder: Path) -> None:
    """Copy each kind for each n, and kill a child at its n-th system call."""
    for kind in KINDS:
        for number in range(1, 200):
            root = Path(shutil.copytree(folder / kind.name, folder / f"{kind.name}-{number}"))
            child = os.fork()
            if not child:
                death = Death(number)
                with death.lit():
                    message = kind.change(root, "c")
                os._exit(9 if message or death.struck else 0)  # The child is still alive.
            _, status = os.waitpid(child, 0)
            if os.waitstatus_to_exitcode(status) != -signal.SIGKILL:
                print(kind.name, number, os.waitstatus_to_exitcode(status), sep=",")
                break


def on_and_on(folder: Path, name: str) -> None:
    """Make one change after the other, and print each one."""
    for number in itertools.count():
        message = BY_NAME[name].change(folder / name, f"n{number}")
        print(message or number, flush=True)


def two_at_once(folder: Path) -> None:
    """Change each kind ten times in each of two processes at once.

    Print the messages.
    """
    fork = multiprocessing.get_context("fork")
    start = fork.Barrier(2)

    def change(own: str) -> None:
        for kind in KINDS:
            for number in range(10):
                start.wait()
                print(end=kind.change(folder / kind.name, f"{own}{number}"))

    both = [fork.Process(target=change, args=own) for own in "xy"]
    for program in both:
        program.start()
    for program in both:
        program.join()
        print(end=str(program.exitcode or ""))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["everywhere", place]:
            everywhere(Path(place))
        case ["on-and-on", place, name]:
            on_and_on(Path(place), name)
        case ["two-at-once", place]:
            two_at_once(Path(place))
