"""Files that only their owner may read."""

from __future__ import annotations

import os
import shlex
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Final, Generic, Self, TypeVar

from msgspec import Struct

from rpcexplorer.files.io import (
    WRITTEN_BY_PEOPLE,
    FileError,
    file_errors,
    is_private,
    lock,
    private_folder,
    read_bytes,
    write_private,
)
from rpcexplorer.files.toml import TomlFile, parse_bytes
from rpcexplorer.files.toml_shape import CheckedFile, Rule, read_shape
from rpcexplorer.model.problem import Problem


class Contents(Struct):
    problem: Problem | None = None
    """Why the file, or a part of it, is not used. It is not written then."""

    shape: ClassVar[Rule]
    heading: ClassVar[str]

    @classmethod
    def from_file(cls, reading: CheckedFile) -> Self:
        """Reverse ``members``."""
        raise NotImplementedError

    def members(self) -> Mapping[str, Any]:
        """Return the contents as tables, without empty ones."""
        raise NotImplementedError

    def as_toml(self) -> str:
        members = {key: value for key, value in self.members().items() if value}
        return self.heading + toml({"version": 1, **members})


T = TypeVar("T", bound=Contents)


RECENT_NS: Final = 100_000_000
"""File systems store coarse times: two changes within this time may have the same."""
Stamp = tuple[int, ...]


class PrivateFile(Generic[T]):
    """A private file of one kind, which other programs change as well."""

    def __init__(self, path: Path, contents_type: type[T]) -> None:
        self.path, self._contents_type = path, contents_type
        self._stamp: Stamp | None = None
        self._contents = contents_type()

    def read(self) -> T:
        """Return the contents, which must not be changed; only a problem if it is damaged, or open to others.

        Each call asks several times: the file is read again only if it has changed, or its folder.
        """
        stamp = _stamp_of(self.path)
        if stamp is not None and stamp == self._stamp:
            return self._contents
        self._contents = self._read()
        self._stamp = stamp
        if self._contents.problem:
            self._stamp = None  # A repair may not show in the stamp.
        return self._contents

    def _read(self) -> T:
        if refusal := why_not_private(self.path):
            return self._contents_type(problem=Problem(str(self.path), refusal))
        try:
            content = read_bytes(self.path, WRITTEN_BY_PEOPLE)
        except FileError as error:
            return self._contents_type(problem=Problem(str(self.path), error.sentence))
        if content is None:
            return self._contents_type()
        file = parse_bytes(self.path, content)
        if not isinstance(file, TomlFile):
            return self._contents_type(problem=file)
        return self._contents_type.from_file(read_shape(self._contents_type.shape, file))

    @contextmanager
    def changing(self) -> Iterator[T]:
        """Yield the locked contents, and write them if the block changed them."""
        private_folder(self.path.parent)
        with lock(self.path):
            contents = self._read()
            if contents.problem:
                raise FileError(f"{contents.problem}. Nothing was changed")
            before = contents.as_toml()
            yield contents
            after = contents.as_toml()
            if after != before:
                write_private(self.path, after)


def _stamp_of(path: Path) -> Stamp | None:
    """Return what is different after each change of a file and of who may read it; None if it cannot be known."""
    folder_stamp: Stamp = ()
    try:
        folder = path.parent.stat()
        folder_stamp = (folder.st_dev, folder.st_ino, folder.st_mode, folder.st_uid)
        file = path.lstat()
    except FileNotFoundError:
        return folder_stamp  # It is longer when the file, or its folder, exists.
    except OSError:
        return None
    # A link does not show the changes of its target.
    if not stat.S_ISREG(file.st_mode):
        return None
    if time.time_ns() - file.st_ctime_ns < RECENT_NS:
        return None
    return (
        *folder_stamp,
        file.st_dev,
        file.st_ino,
        file.st_mode,
        file.st_uid,
        file.st_size,
        file.st_mtime_ns,
        file.st_ctime_ns,
    )


def why_not_private(path: Path) -> str | None:
    """Return why a file is not private; its owner has to repair it."""
    folder = path.parent
    try:
        # Who can write to the folder can replace the file.
        if os.access(folder, os.F_OK) and _others_can_write(folder):
            return f"other users can write to its folder. Run `chmod 700 {shlex.quote(str(folder))}`"
        if os.access(path, os.F_OK) and not is_private(path):
            return f"other users can read it, so it is not used. Run `chmod 600 {shlex.quote(str(path))}`"
    except FileError as error:
        return error.sentence
    return None


def _others_can_write(folder: Path) -> bool:
    if os.name != "posix":
        return False
    with file_errors("check", folder):
        return bool(folder.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def toml(members: Mapping[str, Any]) -> str:
    import tomli_w  # Only writing needs it.

    return tomli_w.dumps(members)
