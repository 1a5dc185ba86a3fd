"""Processes of their own for test_killed_writers.py: one that dies everywhere, one that goes on and on, two at once.

``killing.py HOW FOLDER [NAME]``; each kind of file lies in a folder of its own, ``FOLDER/NAME``.
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
    """Kills this process where the other only lets a call fail. A write was half done by then."""

    def strike(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


def everywhere(folder: Path) -> None:
    """For every kind and every n a copy, and a child that dies at its n-th call into the operating system."""
    for kind in KINDS:
        for number in range(1, 200):
            root = Path(shutil.copytree(folder / kind.name, folder / f"{kind.name}-{number}"))
            child = os.fork()
            if not child:
                death = Death(number)
                with death.lit():
                    told = kind.change(root, "c")
                os._exit(9 if told or death.struck else 0)  # it is still alive
            _, status = os.waitpid(child, 0)
            if os.waitstatus_to_exitcode(status) != -signal.SIGKILL:
                print(kind.name, number, os.waitstatus_to_exitcode(status), sep=",")
                break


def on_and_on(folder: Path, name: str) -> None:
    """One change after the other, each said when it is made."""
    for number in itertools.count():
        told = BY_NAME[name].change(folder / name, f"n{number}")
        print(told or number, flush=True)


def two_at_once(folder: Path) -> None:
    """Ten changes of every kind by each of two, all begun at the same moment; prints what was told."""
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
