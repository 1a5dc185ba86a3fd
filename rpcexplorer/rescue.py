"""Calls and drafts that could not be written, kept elsewhere until they can."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import gettempdir, mkdtemp

from rpcexplorer.drafts import Drafts
from rpcexplorer.files.io import error_of, lock, names, telling
from rpcexplorer.history.store import Journal
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.profile import Profile

PATIENCE = 0.2
"""Seconds to wait while another program takes them back."""
DRAFTS = ".drafts"
"""The folder of drafts among those of calls, none of which begins with a dot."""
LOCK = "taking"


class Rescue:
    """The calls and drafts that have no place where they belong."""

    def __init__(self, journal: Journal, drafts: Drafts, folder: Path, body_limit: int) -> None:
        """``folder`` is where a later run looks; where it takes nothing, the system's for what does not last."""
        self._journal, self._drafts, self._folder, self._body_limit = journal, drafts, folder, body_limit

    def put_aside(self) -> str:
        """The run ends: put what still cannot be written where there is room; a sentence if there was any."""
        said = []
        if self._journal.unsaved and self._journal.save_unsaved():
            many = _many("call", len(self._journal.unsaved))
            why = f"{many} could not be written to the history: {self._journal.problem}."
            said.append(f"{why} {self._put(self._put_calls)}")
        if problem := self._drafts.save_unsaved():
            many = _many("draft", len(self._drafts.unsaved))
            said.append(f"{many} could not be written: {problem}. {self._put(self._put_drafts)}")
        return "\n".join(said)

    def _put(self, into: Callable[[Path], Path | None]) -> str:
        for place in self._places():
            if put := into(place):
                return f"They are kept in {put}."
        return "There was no other place for them."

    def _places(self) -> Iterator[Path]:
        yield self._folder
        with suppress(OSError):
            if _is_for_everyone(temporary := Path(gettempdir())):
                made = Path(mkdtemp(prefix=self._prefix, dir=temporary))  # nobody else can look into it
                yield made
                shutil.rmtree(made, ignore_errors=True)  # there was no room either

    @property
    def _prefix(self) -> str:
        """How folders are called there: somebody with two homes gets nothing into the wrong one."""
        home = hashlib.sha256(os.fsencode(self._folder.absolute())).hexdigest()[:16]
        return f"rpcexplorer-unsaved-{home}-"

    def _put_calls(self, place: Path) -> Path | None:
        from rpcexplorer.history.folder import History

        calls = self._journal.unsaved
        aside = History(place / calls[-1].id, body_limit=self._body_limit)
        return None if any(error_of(partial(aside.append, call)) for call in calls) else aside.folder

    def _put_drafts(self, place: Path) -> Path | None:
        aside = Drafts(place / DRAFTS)
        return None if any(aside.keep(*key, text) for key, text in self._drafts.unsaved.items()) else place / DRAFTS

    def take_back(self, profiles: Callable[[str], Profile | None]) -> str:
        """Write what earlier runs put aside to where it belongs; a sentence if there was any."""
        calls, drafts = list[object](), list[object]()
        for place in (self._folder, *self._left()):
            error_of(partial(drafts.extend, self._take_drafts(place)))
            error_of(partial(calls.extend, self._take_calls(place, profiles)))
            if place != self._folder:
                _remove_empty(place)
        said = []
        if drafts:
            said.append(f"{_many('draft', len(drafts))} of an earlier run could be written now.")
        if calls:
            said.append(f"{_many('call', len(calls))} of an earlier run could be written to the history now.")
        return "\n".join(said)

    def _left(self) -> list[Path]:
        """What earlier runs left in the system's folder, as far as it is ours and nobody else can have been in it."""
        with suppress(OSError):
            if _is_for_everyone(temporary := Path(gettempdir())):
                return [place for place in sorted(temporary.glob(f"{self._prefix}*")) if _is_ours(place)]
        return []

    def _take_drafts(self, place: Path) -> Iterator[object]:
        folder = place / DRAFTS
        if folder.is_dir():
            with lock(place / LOCK, PATIENCE):
                yield from Drafts(folder).hand_over(self._drafts)
                _remove_empty(folder)

    def _take_calls(self, place: Path, profiles: Callable[[str], Profile | None]) -> Iterator[Exchange]:
        asides = [place / name for name in sorted(names(place)) if not name.startswith(".")]
        if not asides:
            return
        from rpcexplorer.history.folder import History

        with lock(place / LOCK, PATIENCE):
            for aside in asides:
                found = list(History(aside, body_limit=self._body_limit).all())
                calls = [each for each in reversed(found) if isinstance(each, Exchange)]
                for call in calls:
                    history = self._journal.of(profiles(call.profile))
                    if isinstance(history.find(call.id), Exchange):  # an earlier start got as far as this one
                        continue
                    if error_of(partial(history.append, call)):
                        history.unsaved.pop()  # it stays where it is, and is no new problem
                        return
                    yield call
                if len(calls) == len(found):  # what cannot be read stays where somebody can look at it
                    with telling("remove", aside):
                        shutil.rmtree(aside)


def _is_for_everyone(temporary: Path) -> bool:
    """Whether a folder is meant for what does not last: where there is none, Python takes the working folder.

    That one may be a checkout, and what lies in it somebody else's.
    """
    mode = temporary.stat().st_mode
    named = temporary in {Path(os.environ.get(name, "")).absolute() for name in ("TMPDIR", "TEMP", "TMP")}
    return bool(mode & stat.S_ISVTX) or (named and (os.name == "nt" or not mode & 0o022))


def _is_ours(place: Path) -> bool:
    """Whether a folder and all in it are files and folders of this user, which nobody else could get at."""
    if os.name == "nt":  # the folder is this user's own
        return True
    return all(_is_mine(each.lstat()) for each in (place, *place.rglob("*")))


def _is_mine(found: os.stat_result) -> bool:
    kind = stat.S_ISDIR(found.st_mode) or stat.S_ISREG(found.st_mode)  # and no link to something else
    return kind and found.st_uid == os.geteuid() and not found.st_mode & 0o077


def _remove_empty(folder: Path) -> None:
    """A folder and those in it, as far as nothing is in them; where nothing but its lock is left, that goes first."""
    with suppress(OSError):
        if [each.name for each in folder.iterdir()] == [f".{LOCK}.lock"]:
            (folder / f".{LOCK}.lock").unlink()
        for each in (*folder.iterdir(), folder):
            with suppress(OSError):
                each.rmdir()


def _many(what: str, many: int) -> str:
    return f"{many} {what}{'s' * (many != 1)}"
