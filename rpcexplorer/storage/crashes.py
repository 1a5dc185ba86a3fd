"""What is written down when the program itself is at fault: enough to mend it, and no secret that this run knew.

One private file for each time. Of variables there is nothing in it, only of the lines of code that were at work.
"""

from __future__ import annotations

import platform
import re
import sys
import traceback
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from rpcexplorer.files.io import names, telling, told, write_new
from rpcexplorer.model.secret import Secret
from rpcexplorer.redaction.redactor import Redactor

KEPT = 10
"""So many files at most; the oldest goes first."""
OURS = re.compile(r"\d{4}-\d\d-\d\dT\d{6}\.\d{6}\.txt")
"""The names of these files: nothing else in the folder is removed."""
MESSAGE = 2_000
"""Characters of an error's own words."""
MEMBERS = dict.fromkeys(("password", "passwd", "secret", "token", "sessionid", "username"), "«hidden»")
"""What may stand in a message beside the secrets that are known, by its place."""


def write_crash(folder: Path, error: BaseException, secrets: Iterable[Secret], when: datetime) -> Path | str:
    """Write down what went wrong; the file, or why there is none."""
    hide = Redactor(secrets, MEMBERS).text
    file = folder / f"{when:%Y-%m-%dT%H%M%S.%f}.txt"
    text = "\n".join(_lines(error, when))
    trouble = told(lambda: write_new(file, _inert(hide(text))))
    if trouble:
        return trouble
    told(lambda: _forget_the_oldest(folder))
    return file


def _lines(error: BaseException, when: datetime) -> Iterator[str]:
    yield f"rpcexplorer {_version()}, Python {platform.python_version()}, {platform.platform()}, {when:%Y-%m-%d %H:%M}"
    yield f"started as: {Path(sys.argv[0]).name}"
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        yield ""
        yield f"{type(cause).__module__}.{type(cause).__qualname__}: {_message(cause)}"
        for frame in traceback.extract_tb(cause.__traceback__):
            yield f"  {_short(frame.filename)}:{frame.lineno} in {frame.name}: {frame.line or ''}"
        cause = cause.__cause__ or cause.__context__


def _inert(text: str) -> bytes:
    """Nothing in it does anything to a terminal that it is read in; views/ is not ours to ask."""
    return "".join(char if char == "\n" or char.isprintable() else ascii(char)[1:-1] for char in text).encode()


def _message(error: BaseException) -> str:
    try:
        return str(error)[:MESSAGE]
    except Exception:  # noqa: BLE001 - an error that cannot even say what it is
        return "it has no words"


def _short(filename: str) -> str:
    """The last folders of a path: those of a person's home are nobody's business."""
    return "/".join(Path(filename).parts[-3:])


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("rpcexplorer")
    except PackageNotFoundError:
        return "not installed"


def _forget_the_oldest(folder: Path) -> None:
    for name in sorted(name for name in names(folder) if OURS.fullmatch(name))[:-KEPT]:
        with telling("remove", folder / name):
            (folder / name).unlink(missing_ok=True)
