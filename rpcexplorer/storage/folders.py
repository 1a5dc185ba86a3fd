"""What lies in a folder: names, sizes, and what was changed last. Of what stands in a file nothing is known here."""

from __future__ import annotations

import os
from contextlib import suppress
from heapq import nlargest
from pathlib import Path

from rpcexplorer.storage.files import telling


def names(folder: Path) -> list[str]:
    """What lies in a folder, in no order; nothing where there is no such folder."""
    with telling("read", folder), suppress(FileNotFoundError):
        return [path.name for path in folder.iterdir()]
    return []


def inodes(folder: Path) -> dict[str, int]:
    """What lies in a folder, with what stays the same of each when it is renamed; nothing where there is none."""
    with telling("read", folder), suppress(FileNotFoundError), os.scandir(folder) as found:
        return {each.name: each.inode() for each in found}
    return {}


def changed_last(folder: Path, most: int, files: dict[str, str]) -> list[str]:
    """What is found under the names of a folder's files; of more than ``most``, those that were changed last."""
    if len(files) <= most:
        return list(files.values())
    with telling("read", folder):
        moments = [(_changed(f"{folder}/{name}"), found) for name, found in files.items()]
    return [found for _, found in nlargest(most, moments)]


def sizes(folder: Path, ending: str) -> list[int]:
    with telling("read", folder), suppress(FileNotFoundError), os.scandir(folder) as found:
        return [
            each.stat(follow_symlinks=False).st_size
            for each in found
            if each.name.endswith(ending) and each.is_file(follow_symlinks=False)
        ]
    return []


def _changed(path: str) -> float:
    try:
        return os.lstat(path).st_mtime
    except FileNotFoundError:
        return 0.0
