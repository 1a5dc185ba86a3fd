"""Drafts, replaced drafts and the collected batch, stored on disk."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote, unquote

from msgspec import Struct

from rpcexplorer.files.io import (
    KEPT,
    FileError,
    decoded,
    error_of,
    file_errors,
    free_aside,
    names,
    read_bytes,
    size_words,
    write_new,
    write_private,
)
from rpcexplorer.importing.request import ImportedCall
from rpcexplorer.jsontext.params import Typo
from rpcexplorer.model.batch import CollectedCalls, collected
from rpcexplorer.model.draft import EMPTY_PARAMS
from rpcexplorer.model.method import Described, Method
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.patterns import regex
from rpcexplorer.schema.start import sendable_start, starting_point

SUFFIX = ".draft"
HEAD = regex(rb"draft 1 (?P<crc>[0-9a-f]{8}) (?P<profile>[!-~]+) (?P<method>[!-~]*)\n")
"""The first line; both names are quoted as in a URL."""
DraftKey = tuple[str, str]


class Drafts:
    """Texts by profile and method, remembered even if a file fails."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._texts: dict[DraftKey, str] = {}
        self._looked: set[DraftKey] = set()
        """Drafts whose files were read or are missing."""
        self._written: dict[DraftKey, bytes] = {}
        """The content of each file when it was last read or written."""
        self._starts: dict[DraftKey, str] = {}
        """Texts with which editors were opened."""
        self._unsaved: dict[DraftKey, str] = {}
        """Texts that could not be written to their files."""
        self.problem = ""
        """Why a draft could not be read, and where it is now, or empty."""
        self.other = ""
        """The draft that was also changed elsewhere and its file, or empty."""

    def find(self, profile_name: str, method: str) -> str | None:
        key = (profile_name, method)
        self._look(key)
        return self._texts.get(key)

    def keep(self, profile_name: str, method: str, text: str, *, written: str | None = None) -> str:
        """Remember a text; return why it is lost on quit, or nothing.

        ``written`` is the part that may be stored, if not all of it. An unreadable file is not replaced. A text that
        another program wrote meanwhile is stored in a second file.
        """
        key = (profile_name, method)
        self._texts[key] = text
        self._unsaved[key] = text if written is None else written
        problem = self.save_unsaved()
        return f"this draft is kept only until you quit: {problem}" if problem else ""

    @property
    def unsaved(self) -> dict[DraftKey, str]:
        return dict(self._unsaved)

    def save_unsaved(self) -> str:
        """Write unsaved texts; return why one cannot be written."""
        problems = [self._save(key, text) for key, text in self.unsaved.items()]
        return next((problem for problem in problems if problem), "")

    def save_elsewhere(self, path: Path) -> str:
        """Write the unsaved texts to a new file; return why that failed."""
        content = "".join(self.unsaved.values())
        if len(self.unsaved) > 1:
            texts = [f"{method} on {profile}:\n{text}\n" for (profile, method), text in self.unsaved.items()]
            content = "\n".join(texts)
        return error_of(lambda: write_new(path, content.encode("utf-8", "surrogatepass")))

    def _save(self, key: DraftKey, text: str) -> str:
        content = _packed(key, text)
        if problem := self._look(key):
            return problem
        if len(content) > KEPT:
            return f"it is larger than {size_words(KEPT)}"
        try:
            if self._written.get(key) != content:
                self._save_other(key, content)
                write_private(self._file(key), content)
                self._written[key] = content
        except FileError as failed:
            return failed.sentence
        self._unsaved.pop(key, None)
        return ""

    def _save_other(self, key: DraftKey, content: bytes = b"") -> None:
        """Move the text of another program aside before replacing the file."""
        file = self._file(key)
        current = read_bytes(file)
        if current and current not in {self._written.get(key), content}:
            side = _moved_aside(file, "other")
            if side:
                self.other = f"another program also changed the draft of {key[1]}: its text is in {side}"

    def text_for(
        self,
        profile: Profile,
        method: str,
        known: Method | None,
        last: Callable[[], str | None] | None = None,
        described: Callable[[], Described | None] = lambda: None,
    ) -> str:
        """Return the text with which the editor opens.

        It is the draft, else the ``last`` params sent, else params of the ``known`` method, else ``[]``. Known params
        come from a shared file or a server, so secret references in them are never replaced. ``described`` is only
        called if there is no draft and no ``last``.
        """
        draft = self.find(profile.name, method)
        if draft is not None:
            return draft
        start = last() if last else None
        if start is None:
            params = starting_point(known, described()) if known else None
            text = json.dumps([] if params is None else params, indent=2, ensure_ascii=False)
            start = sendable_start(profile, method, text)
        self._starts[profile.name, method] = start
        return start

    def is_start(self, profile_name: str, method: str, text: str) -> bool:
        """Return whether a text is the unchanged start of the editor."""
        key = (profile_name, method)
        return key not in self._texts and self._starts.get(key) == text

    def keep_typed(self, profile: Profile, method: str, text: str, secrets: Iterable[Secret]) -> str:
        """Remember the text in an editor; return why it is lost on quit.

        The file contains secret references instead of secrets. An unchanged text is not stored, so that the editor can
        open with newer information.
        """
        self.other = ""
        key = (profile.name, method)
        if text == self._starts.get(key):
            self._texts.pop(key, None)
            self._unsaved.pop(key, None)
            return self.forget(*key) if key in self._written else ""  # what another program wrote is not ours to drop
        from rpcexplorer.redaction.exchange import redactor_for_files

        hide = redactor_for_files(profile, method, secrets)
        if hide is None:
            self._texts[key] = text
            return ""
        return self.keep(*key, text, written=hide.params(text))

    def forget(self, profile_name: str, method: str) -> str:
        """Drop a draft; return why its file could not be removed."""
        key = (profile_name, method)
        self._texts.pop(key, None)
        self._unsaved.pop(key, None)
        problem = error_of(lambda: self._save_other(key) if key in self._looked else None)
        self._looked.add(key)
        self._written.pop(key, None)
        return problem or error_of(lambda: self._remove(self._file(key)))

    def copy(self, profile_name: str, new: str, change: Callable[[str], str]) -> None:
        """Store all drafts for the profile's new name too, each as ``change`` returns it. Raises ``FileError``.

        What may be stored is in the files: a text in memory can contain secrets.
        """
        self.problem = self.save_unsaved()
        for method, text in self.all(profile_name).items():
            key = (new, method)
            self._texts[key] = change(text)
            stored = _unpacked(self._written.get((profile_name, method), b""))
            if stored and not self.problem:
                content = _packed(key, change(stored[1]))
                self._save_other(key, content)
                write_private(self._file(key), content)
                self._written[key] = content
                self._looked.add(key)
        if self.problem:
            raise FileError(self.problem)

    def all(self, profile_name: str) -> dict[str, str]:
        folder = self._folder / _hashed(profile_name)
        try:
            for name in names(folder):
                found = self._read(folder / name) if name.endswith(SUFFIX) else None
                if isinstance(found, tuple):
                    self._texts.setdefault(*found)
        except FileError as error:
            self.problem = error.sentence
        mine = {method: text for (profile, method), text in self._texts.items() if profile == profile_name}
        return dict(sorted(mine.items()))

    def _look(self, key: DraftKey) -> str:
        """Read the file once; return why it cannot be read."""
        if key not in self._looked:
            found = self._read(self._file(key))
            if isinstance(found, FileError):
                return found.sentence
            self._looked.add(key)
            if found:
                self._texts.setdefault(*found)
        return ""

    def _file(self, key: DraftKey) -> Path:
        profile, method = key
        return self._folder / _hashed(profile) / (_hashed(method) + SUFFIX)

    def _remove(self, file: Path) -> None:
        with file_errors("remove", file), suppress(FileNotFoundError):
            file.unlink()

    def _read(self, file: Path) -> tuple[DraftKey, str] | FileError | None:
        """Return the content of a file; move a damaged file aside."""
        try:
            content = read_bytes(file)
            if content is None:
                return None
            found = _unpacked(content)
            if found and self._file(found[0]) == file:
                self._written[found[0]] = content
                return found
            if side := _moved_aside(file, "damaged"):
                self.problem = f"a draft file was damaged: rpcexplorer moved it to {side}"
        except FileError as error:
            self.problem = error.sentence
            return error
        return None


def _hashed(name: str) -> str:
    """Return a file name for any name, also where case does not count."""
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _moved_aside(file: Path, word: str) -> Path | None:
    with file_errors("move aside", file), suppress(FileNotFoundError):
        side = free_aside(file, word)
        file.rename(side)
        return side
    return None


def _packed(key: DraftKey, text: str) -> bytes:
    profile, method = [quote(name, errors="surrogatepass") for name in key]
    summed = f"{profile} {method}\n{text}".encode("utf-8", "surrogatepass")
    return f"draft 1 {zlib.crc32(summed):08x} ".encode() + summed


def _unpacked(content: bytes) -> tuple[DraftKey, str] | None:
    head = HEAD.match(content)
    if head is None or int(head["crc"], 16) != zlib.crc32(memoryview(content)[head.start("profile") :]):
        return None
    with suppress(UnicodeDecodeError):  # A correct checksum does not prove UTF-8: the file may be crafted.
        profile = unquote(head["profile"].decode(), errors="surrogatepass")
        method = unquote(head["method"].decode(), errors="surrogatepass")
        return (profile, method), content[head.end() :].decode("utf-8", "surrogatepass")
    return None


MOST: Final = 20


class ReplacedDrafts:
    def __init__(self, folder: Path) -> None:
        self._files = Drafts(folder)
        self._lists: dict[tuple[str, str], list[str]] = {}
        self.recorded: dict[tuple[str, str], str] = {}
        """Texts that came from the history and can be loaded again."""

    def of(self, profile: Profile, method: str) -> list[str]:
        key = (profile.name, method)
        if key not in self._lists:
            stored = None if profile.ad_hoc else self._files.find(*key)
            self._lists[key] = _texts_in(stored or "[]")
        return list(self._lists[key])

    def copy(self, profile_name: str, new: str, change: Callable[[str], str]) -> None:
        """Store all texts for the profile's new name too. Raises ``FileError``."""
        self._files.copy(profile_name, new, lambda stored: json.dumps([*map(change, _texts_in(stored))]))
        for name, method in [*self._lists]:
            if name == profile_name:
                self._lists[new, method] = [*map(change, self._lists[name, method])]

    def keep(self, profile: Profile, method: str, text: str, secrets: Iterable[Secret]) -> str:
        """Store a replaced text; return why it is lost on quit, or nothing."""
        others = [other for other in self.of(profile, method) if other != text]
        return self._settle(profile, method, [*others, text], secrets)

    def bring_back(self, profile: Profile, method: str, now: str, secrets: Iterable[Secret]) -> tuple[str, str]:
        """Take the newest text; return it, and a problem or nothing.

        ``now`` is stored as the oldest text, so that nothing is lost. An empty ``now`` is not stored.
        """
        *others, text = self.of(profile, method)
        rest = [other for other in others if other != now]
        if now:
            rest.insert(0, now)
        return text, self._settle(profile, method, rest, secrets)

    def _settle(self, profile: Profile, method: str, texts: list[str], secrets: Iterable[Secret]) -> str:
        from rpcexplorer.redaction.exchange import redactor_for_files

        texts = texts[-MOST:]
        self._lists[profile.name, method] = texts
        hide = redactor_for_files(profile, method, secrets)
        if hide is None:
            return ""
        if not texts:
            return self._files.forget(profile.name, method)
        return self._files.keep(profile.name, method, json.dumps([hide.params(text) for text in texts]))


def _texts_in(stored: str) -> list[str]:
    found: object = None
    with suppress(ValueError, RecursionError):
        found = json.loads(stored)
    if not isinstance(found, list):
        return []
    return [text for text in found if isinstance(text, str)]


KEY: Final = "the batch"
"""Replaces the method name in the key. Batches have their own folder."""


class CollectedBatches:
    def __init__(self, folder: Path) -> None:
        self._files = Drafts(folder)
        self._replaced = ReplacedDrafts(folder / "replaced")
        self._known: dict[str, CollectedCalls] = {}
        self._before: dict[str, CollectedCalls] = {}
        """Batches replaced in this run, by text, with their outcomes."""

    def of(self, profile: Profile) -> CollectedCalls:
        if profile.name not in self._known:
            stored = None if profile.ad_hoc else self._files.find(profile.name, KEY)
            found = collected(stored or "")
            self._known[profile.name] = CollectedCalls() if isinstance(found, Typo) else found
        return self._known[profile.name]

    def keep(self, profile: Profile, batch: CollectedCalls, secrets: Iterable[Secret]) -> str:
        """Make this the batch; return why this run alone will know it."""
        before = self.of(profile)
        self._known[profile.name] = batch
        if batch.text == before.text:
            return ""
        if not batch.text:
            return self._files.forget(profile.name, KEY)
        problem = self._files.keep_typed(profile, KEY, batch.text, secrets)
        return problem or self._files.other

    def replace(self, profile: Profile, batch: CollectedCalls, secrets: Iterable[Secret]) -> str:
        """Make this the batch, and keep the present one to bring back."""
        secrets, before, problem = list(secrets), self.of(profile), ""
        self._before[before.text] = before
        if before.text and before.text != batch.text:
            problem = self._replaced.keep(profile, KEY, before.text, secrets)
        return self.keep(profile, batch, secrets) or problem

    def copy(self, profile_name: str, new: str, change: Callable[[str], str]) -> None:
        """Store the batch, and those it replaced, for the profile's new name too. Raises ``FileError``."""
        self._files.copy(profile_name, new, change)
        self._replaced.copy(profile_name, new, change)
        self._known.pop(new, None)

    def has_replaced(self, profile: Profile) -> bool:
        return bool(self._replaced.of(profile, KEY))

    def bring_back(self, profile: Profile, secrets: Iterable[Secret]) -> str:
        """Restore the batch that was replaced last, and keep the present one."""
        secrets, now = list(secrets), self.of(profile)
        self._before[now.text] = now
        text, problem = self._replaced.bring_back(profile, KEY, now.text, secrets)
        found = self._before.get(text) or collected(text)
        if isinstance(found, Typo):
            return problem
        return self.keep(profile, found, secrets) or problem


MAX_OF_METHOD: Final = MOST // 2
"""Imported calls of one method: more would push out the user's drafts."""


class NewDrafts(Struct, frozen=True):
    drafts: tuple[ImportedCall, ...]
    left_out: int = 0
    """Calls that were skipped because their methods had enough drafts."""
    replaced: tuple[str, ...] = ()
    """Methods whose drafts were replaced and can be restored."""
    problem: str = ""


class ImportedDrafts:
    def __init__(self, drafts: Drafts, replaced: ReplacedDrafts) -> None:
        self._drafts, self._replaced = drafts, replaced

    def read(self, file: Path) -> tuple[str, str]:
        """Return the text of a file that the user named, or a problem."""
        try:
            content = read_bytes(file, links=True, others=True)
            if content is None:
                return "", f"there is no file {file}"
            return decoded(file, content), ""
        except FileError as error:
            return "", error.sentence

    def take_in(self, profile: Profile, calls: Sequence[ImportedCall], secrets: Iterable[Secret]) -> NewDrafts:
        """Put calls into the drafts, the last of a method on top."""
        known = [*secrets]
        counted = Counter[str]()
        taken: list[ImportedCall] = []
        replaced: dict[str, None] = {}
        problem = ""
        for call in calls:
            counted[call.method] += 1
            if counted[call.method] > MAX_OF_METHOD:
                continue
            text = call.params or "[]"
            before = self._drafts.find(profile.name, call.method)
            if before is not None and before != text and before.strip() not in EMPTY_PARAMS:
                problem = self._replaced.keep(profile, call.method, before, known) or problem
                replaced[call.method] = None
            problem = self._drafts.keep_typed(profile, call.method, text, known) or problem
            taken.append(call)
        return NewDrafts((*taken,), len(calls) - len(taken), (*replaced,), problem)
