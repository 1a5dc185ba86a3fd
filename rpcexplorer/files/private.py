"""Files that only their owner may read."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

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
    def of(cls, reading: CheckedFile) -> Self:
        raise NotImplementedError

    def members(self) -> Mapping[str, Any]:
        """Return the contents as tables, without empty ones."""
        raise NotImplementedError

    def as_toml(self) -> str:
        return self.heading + toml({"version": 1, **{key: value for key, value in self.members().items() if value}})


T = TypeVar("T", bound=Contents)


class PrivateFile(Struct, Generic[T], frozen=True):
    path: Path
    holds: type[T]

    def read(self) -> T:
        """Read the file; only a problem if it is damaged, or open to others."""
        if refusal := why_not_private(self.path):
            return self.holds(problem=Problem(str(self.path), refusal))
        try:
            content = read_bytes(self.path, WRITTEN_BY_PEOPLE)
        except FileError as error:
            return self.holds(problem=Problem(str(self.path), error.sentence))
        found = _checked(self.path, content, self.holds) if content is not None else None
        return self.holds.of(found) if isinstance(found, CheckedFile) else self.holds(problem=found)

    @contextmanager
    def changing(self) -> Iterator[T]:
        """Yield the locked contents, and write them if the block changed them."""
        private_folder(self.path.parent)
        with lock(self.path):
            contents = self.read()
            if contents.problem:
                raise FileError(f"{contents.problem}. Nothing was changed")
            before = contents.as_toml()
            yield contents
            if contents.as_toml() != before:
                write_private(self.path, contents.as_toml())


@lru_cache(8)
def _checked(path: Path, content: bytes, holds: type[Contents]) -> CheckedFile | Problem:
    """Parse a file, unless it is unchanged: each call reads it several times."""
    file = parse_bytes(path, content)
    return read_shape(holds.shape, file) if isinstance(file, TomlFile) else file


def why_not_private(path: Path) -> str | None:
    """Return why a file is not private; its owner has to repair it."""
    folder = path.parent
    try:
        if os.access(folder, os.F_OK) and _is_open(folder):
            return f"other users can write to its folder. Run `chmod 700 {shlex.quote(str(folder))}`"
        if os.access(path, os.F_OK) and not is_private(path):
            return f"other users can read it, so it is not used. Run `chmod 600 {shlex.quote(str(path))}`"
    except FileError as error:
        return error.sentence
    return None


def _is_open(folder: Path) -> bool:
    with file_errors("check", folder):
        return os.name == "posix" and bool(folder.stat().st_mode & 0o022)


def toml(members: Mapping[str, Any]) -> str:
    import tomli_w  # Only writing needs it.

    return tomli_w.dumps(members)
