"""The files of a history folder: whose each is, and which of them come first.

Each user on each host writes one file, ``<writer>.toml``, which moves to ``<writer>.<time>.toml`` when it is full.
Nobody writes to another's file, so a folder can be shared by whatever copies files. Nothing is read or written here.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from rpcexplorer.files.io import names

CASES = "+cases"
"""Ends the name of whose files hold the cases that somebody has taken in. No user and no host has its sign."""
TORN_FILE = re.compile(r"[^.].*\.toml\.torn-\d+", re.DOTALL)


def this_writer() -> str:
    """The user and host of this process, as they can stand in a file's name."""
    import getpass  # only here: most commands start without it

    user = "somebody"
    with suppress(KeyError, OSError, ImportError):  # a user without a name, as in some containers
        user = getpass.getuser()
    if sys.platform == "win32":
        host = os.environ.get("COMPUTERNAME", "")
    else:
        host = os.uname().nodename
    return "@".join(re.sub(r"[^A-Za-z0-9_-]", "-", part)[:40] or "-" for part in (user, host.partition(".")[0]))


def current(folder: Path, writer: str) -> Path:
    return folder / f"{writer}.toml"


def rotated(folder: Path, writer: str, when: datetime) -> Path:
    """Where a full file goes: the name says that all in it came before ``when``."""
    return folder / f"{writer}.{when.astimezone(UTC):%Y%m%dT%H%M%S}{when.microsecond // 1000:03}Z.toml"


def writers(listed: Iterable[str]) -> list[str]:
    """Everyone who has written one of these files, or what was torn in one."""
    written = (name for name in listed if name.endswith(".toml") or TORN_FILE.fullmatch(name))
    return sorted({name.partition(".")[0] for name in written} - {""})


def full_files(listed: Iterable[str]) -> dict[str, list[str]]:
    """The names of every writer's full files, newest first."""
    found: dict[str, list[str]] = {}
    for name in sorted(listed, reverse=True):
        if name.endswith(".toml") and name.count(".") > 1:
            found.setdefault(name.partition(".")[0], []).append(name)
    return found


def files_of(folder: Path, writer: str) -> Iterator[Path]:
    """A writer's files, newest first. The full ones are looked for after the first was dealt with.

    So one that fills up meanwhile comes twice and is never missed.
    """
    yield current(folder, writer)
    yield from (folder / name for name in full_files(names(folder)).get(writer, ()))


def torn_files(listed: Iterable[str]) -> list[str]:
    """Where torn blocks were kept; newest first."""
    return [name for name in sorted(listed, reverse=True) if TORN_FILE.fullmatch(name)]
