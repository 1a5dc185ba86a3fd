"""Secrets in files that others can read, also in files staged in git."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from base64 import b64decode
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from msgspec import Struct, field

from rpcexplorer.auth.registry import token_kinds
from rpcexplorer.files.io import FileError, names, read_bytes
from rpcexplorer.model.problem import Problem
from rpcexplorer.model.profile import OVERLAY, Profile
from rpcexplorer.model.secret import UNRECORDED, Secret, for_others, squashed
from rpcexplorer.patterns import regex
from rpcexplorer.profiles.profiles import Profiles
from rpcexplorer.profiles.values import KEYS
from rpcexplorer.redaction.addresses import means_secret, places, places_in_address, stands_in
from rpcexplorer.redaction.redactor import Redactor
from rpcexplorer.secrets.lookup import Secrets

_OURS = regex(rb"^[ \t]*\[\[?[ \t]*(?:profile|call|variables)\b", re.MULTILINE)
"""A table of profiles or of a history, also of a damaged file."""
_NAMED = regex(rb"(?<![\w-])([\w-]++)\\*+[\"']?[ \t]*+[=:][ \t]*+(\"\"\"|'''|\\*+[\"'])")
"""A name and the quotes that begin its value, in TOML or in JSON inside TOML."""
_ADDRESS = regex(r"""(?<![\w-])(?:url|path)["']?[ \t]*=[ \t]*["']([^"'\r\n]{1,4096})["']""")
"""The URL of a profile, or of a recorded call."""
_SCHEME = regex(r"(?i)(?:basic|bearer|digest|negotiate|token|apikey)\s+")
"""The word before a credential in ``Authorization``, which is no part of the value."""
PART: Final = "address"
"""The key of a part of a URL for which nothing can be stored."""
LONGEST: Final = 4096
"""Bytes of a value that are checked."""


class Suspect(NamedTuple):
    start: int
    """The start of the value, which is never shown."""
    key: str
    """The key before it; ``PART`` in a URL, empty for a password in one."""


def suspects(content: bytes) -> Iterator[Suspect]:
    """Yield the values of a file of ours that have the name of a secret, in no order."""
    for found in _NAMED.finditer(content):
        key = found[1].decode("ascii", "replace")
        if _means_secret(key):
            value, _, _ = content[found.end() : found.end() + LONGEST].partition(found[2])
            if _is_literal(squashed(key), value.decode("utf-8", "replace")):
                yield Suspect(found.end(), key)
    text = content.decode("latin-1")  # Every byte is one character.
    in_addresses: dict[int, str] = {}
    for place in places(text, words=True):
        in_addresses[place.start] = PART if place.name else ""
    for url in _ADDRESS.finditer(text):
        for place in places_in_address(url[1]):
            in_addresses.setdefault(url.start(1) + place.start, PART)
    yield from (Suspect(start, key) for start, key in in_addresses.items())


@lru_cache  # A history has few names, millions of times.
def _means_secret(key: str) -> bool:
    return means_secret(squashed(key))


def _is_literal(key: str, value: str) -> bool:
    """Return whether a value after a key is more than a word or an example."""
    if key.endswith("cookie"):  # The name of a cookie is not secret.
        value = value.partition("=")[2].partition(";")[0]
    elif key.endswith("authorization"):
        value = _SCHEME.sub("", value, count=1)
    return not stands_in(value.strip())


WINDOW: Final = 4 * 1024 * 1024
"""Bytes that are searched at a time, plus the rest of the line."""
OVERLAP: Final = 16 * 1024
"""Bytes that are searched twice, for secrets with a line break."""
_BASE64 = regex(rb"_base64 = \"((?:[A-Za-z0-9+/]{4})*+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\"")
"""How a history stores a text that TOML cannot contain."""
_PROFILE = regex(rb"[ \t]*\[[ \t]*profile[ \t]*\.[ \t]*(?:\"([^\"\r\n]+)\"|([\w-]+))")
_CALL = regex(rb"\[\[call\]\]\s+id = \"([^\"\r\n]+)\"")


class Leak(NamedTuple):
    line: int
    label: str
    """Such as ``staging.password``; empty if only its name says that it is a secret."""
    key: str
    """The key before it, if that makes it a suspect; empty in a URL."""
    profile: str
    """The profile whose table contains it, if any."""
    call: str
    """The id of the recorded call that contains it, if any."""


class LeakSearch:
    """A search for known secrets, which is built once for many files."""

    def __init__(self, secrets: Iterable[Secret]) -> None:
        self._redactor = Redactor(secrets)
        self.by_position = self._redactor.by_position
        """Labels of secrets that are not searched by value."""

    def leaks(self, content: bytes, *, ours: bool = True) -> list[Leak]:
        """Return every line with a secret, once for each secret.

        Only in a file of ours, a name such as ``password`` says that its value is a secret.
        """
        found: dict[tuple[int, str, str], Leak] = {}
        line, before, table = 1, 0, 0
        for at, label, key in sorted(self._everywhere(content, ours=ours)):
            line += content.count(b"\n", before, at)
            table = max(table, content.rfind(b"\n[", before, at) + 1)
            before = at
            if (line, label, key) not in found:
                profile, call = _PROFILE.match(content, table), _CALL.match(content, table)
                name = _decode(profile[1] or profile[2]) if profile else ""
                found[line, label, key] = Leak(line, label, key, name, _decode(call[1]) if call else "")
        known = {leak.line for leak in found.values() if leak.label}
        return sorted(leak for leak in found.values() if leak.label or leak.line not in known)

    def redacted(self, text: str) -> str:
        """Return a text without the secrets."""
        return self._redactor.text(text)

    def _everywhere(self, content: bytes, *, ours: bool) -> Iterator[tuple[int, str, str]]:
        """Yield the place of each secret, its label, and the key before it."""
        for start, window in _windows(content):
            if ours:
                for suspect in suspects(window):
                    yield start + suspect.start, "", suspect.key
            for at, label in self._known(window):
                yield start + at, label, ""

    def _known(self, window: bytes) -> Iterator[tuple[int, str]]:
        for found in _BASE64.finditer(window):
            inner = b64decode(found[1]).decode("utf-8", "surrogateescape")
            for _, placeholder in self._redactor.places(inner):
                yield found.start(1), placeholder.strip("«»")
        text = window.decode("utf-8", "surrogateescape")
        before = bytes_before = 0
        for at, placeholder in self._redactor.places(text):
            bytes_before += len(text[before:at].encode("utf-8", "surrogateescape"))
            before = at
            yield bytes_before, placeholder.strip("«»")


def _windows(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield overlapping stretches of complete lines, with their start."""
    start = end = 0
    while end < len(content):
        line_ends = content.find(b"\n", end + WINDOW)
        end = len(content) if line_ends < 0 else line_ends + 1
        yield start, content[start:end]
        start = content.rfind(b"\n", 0, max(0, end - OVERLAP)) + 1


def _decode(found: bytes) -> str:
    return found.decode("utf-8", "replace")


class Searched(Struct):
    """The result of a search."""

    found: list[Problem] = field(default_factory=list)
    """One per line and secret, without the secrets."""
    unreadable: list[Problem] = field(default_factory=list)
    """Files that could not be searched."""
    files: int = 0
    """Number of files that were searched."""
    by_position: tuple[str, ...] = ()
    """Labels of secrets that are searched only after names such as password."""


def search(
    profiles: Profiles,
    histories: Iterable[Path],
    secrets: Secrets,
    files: Sequence[Path] = (),
    staged: Path | None = None,
) -> Searched:
    """Search the files of the profiles and the folders of histories.

    If ``files`` are given, search only these, and report missing ones. If ``staged`` is given, search only what is
    staged in the repository around it.
    """
    finder = LeakSearch(_known(secrets, profiles.profiles.values()))
    searched = Searched(by_position=finder.by_position)
    if staged is not None:
        contents = staged_contents(staged)
    elif files:
        contents = _contents(files)
    else:
        contents = _contents(_shared(profiles), [*histories, *map(Path, profiles.histories.values())])
    for path, content in contents:
        if isinstance(content, str):
            searched.unreadable.append(Problem(finder.redacted(str(path)), content))
        else:
            searched.files += 1
            ours = path.suffix == ".toml" and _OURS.search(content) is not None
            searched.found += [_problem(path, leak, finder) for leak in finder.leaks(content, ours=ours)]
    return searched


def _contents(files: Iterable[Path], folders: Iterable[Path] = ()) -> Iterator[tuple[Path, bytes | str]]:
    """Yield the content of each file, or why it cannot be read.

    A named file may be a link, a file in a folder may not.
    """
    named = dict.fromkeys(files)
    inside: list[Path] = []
    for folder in dict.fromkeys(folders):
        try:  # Hidden files are locks, or are being written.
            paths = [folder / name for name in sorted(names(folder)) if not name.startswith(".")]
        except FileError as error:
            yield folder, error.sentence
        else:
            inside += [path for path in paths if path.is_symlink() or not os.path.isdir(path)]  # noqa: PTH112
    for path in dict.fromkeys([*named, *inside]):
        try:
            content = read_bytes(path, links=path in named, others=True)
        except FileError as error:
            yield path, error.sentence
        else:
            yield path, "there is no such file. Correct the path" if content is None else content


def _shared(profiles: Profiles) -> list[Path]:
    """Return the files of profiles, even damaged ones, and local files."""
    named = [*profiles.files, *(Path(problem.file) for problem in profiles.problems)]
    overlays = [path.with_name(OVERLAY) for path in named]
    return [path for path in dict.fromkeys([*named, *overlays]) if os.path.isfile(path)]  # noqa: PTH113 - a forbidden folder raises nothing


def _known(secrets: Secrets, profiles: Iterable[Profile]) -> list[Secret]:
    """Return all known secrets. A keyring must be asked for each profile."""
    profiles = tuple(profiles)
    secrets.learn(profiles)
    for profile in profiles:
        secrets.state(profile)
    stored = secrets.known()
    granted = [part for secret in stored for part in secret.granted]
    known = secrets.marked([*stored, *granted])
    return [*known, *secrets.derived(known)]


def _problem(path: Path, leak: Leak, finder: LeakSearch) -> Problem:
    """Return the problem of a leak, with what to do."""
    if leak.label == UNRECORDED.strip("«»"):
        found = "this line contains user name and password in the form of a header, or a token that renews a session"
        advice = "Remove them: rpcexplorer inserts them when it sends a call"
    elif leak.label:
        found = f"this line contains the value of {leak.label}"
        advice = "Remove it: rpcexplorer inserts it when it sends a call"
    elif leak.key == PART:
        found = "this line contains a URL with a part that looks like a secret"
        advice = "Remove it from every shared file, and change it on the server"
    elif leak.key:
        found = "this line contains a value that looks like a secret"
        advice = _instead(leak)
    else:
        found = "this line contains a URL with a password"
        advice = _instead(leak)
    if leak.call:
        advice = f"Delete call {leak.call}: press F6 in rpcexplorer, then Del"
    sentence = f"{found}. {advice}"
    return Problem(finder.redacted(str(path)), finder.redacted(sentence), leak.line, finder.redacted(leak.key))


def _instead(leak: Leak) -> str:
    """Return how to store a value that is not stored yet."""
    name = leak.profile or "NAME"
    if KEYS.fullmatch(squashed(leak.key)):
        return f"Remove it, set auth.kind to one of {token_kinds()}, and run `rpcexplorer profiles secret {name} token`"
    field = "session" if re.search("(?i)session|cookie", leak.key) else "password"
    return f"Remove it. To store it, run `rpcexplorer profiles secret {name} {field}`"


LARGEST: Final = 100 * 1024 * 1024
"""Bytes of a file that is searched, and of files that are read at a time."""
SECONDS: Final = 30.0
"""Seconds for one answer of git."""
MOMENT: Final = 2.0
"""Seconds for an optional answer: the list of ignored files may be a pipe."""
_NOT_IGNORED: Final = 1
"""Exit code of ``check-ignore``; outside of a repository it is 128."""
_OFF: Final = (
    "--no-pager", "--no-replace-objects",
    "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "-c", "diff.external=",
    "-c", "safe.bareRepository=explicit", "-c", "protocol.allow=never", "-c", "core.sshCommand=false",
)  # fmt: skip
_DIFFERENCE: Final = (
    "diff-index", "--cached", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-ext-diff", "--no-textconv",
    "--ignore-submodules=all", f"-O{os.devnull}",
)  # fmt: skip
_KEPT: Final = {"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE",
                "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CEILING_DIRECTORIES"}  # fmt: skip
"""Variables that git sets for hooks, such as the index of ``commit -a``.

All others are dropped, because they might run a program.
"""
_SET: Final = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "LC_ALL": "C",
}
_DELETED = "000000"
"""The mode of a file that is no longer there."""


def staged_contents(folder: Path) -> Iterator[tuple[Path, bytes | str]]:
    """Yield every added or changed file with its content, or a problem.

    Raises ``FileError`` if there is no repository or no git.
    """
    git = Git(folder)
    names = git.changed()
    sizes = git.sizes([id for _, id in names])
    batch: list[tuple[Path, str]] = []
    room = LARGEST
    for name, id in names:
        size = sizes.get(id)
        if size is None:
            yield name, "git does not have the content of this file. Fetch it, or stage the file again"
        elif size > LARGEST:
            yield name, f"not searched: it is larger than {LARGEST // (1024 * 1024)} MiB"
        else:
            if size > room:
                yield from git.contents(batch)
                batch, room = [], LARGEST
            batch.append((name, id))
            room -= size
    yield from git.contents(batch)


class Git:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        path = (place for place in os.environ.get("PATH", os.defpath).split(os.pathsep) if Path(place).is_absolute())
        # A program in the working folder is never used.
        self._program = shutil.which("git", path=os.pathsep.join(path))

    def changed(self) -> list[tuple[Path, str]]:
        """Return the paths that differ from the last commit, with object ids."""
        tree = self._ask(["rev-parse", "--verify", "--quiet", "HEAD^{tree}"], may_fail=True).strip()
        if not tree:  # Without a commit, everything differs from an empty tree.
            tree = self._ask(["hash-object", "-t", "tree", "--no-filters", "--stdin"]).strip()
        fields = self._ask([*_DIFFERENCE, tree.decode()]).split(b"\0")
        found = []
        for entry, name in zip(fields[::2], fields[1::2], strict=False):
            _, mode, _, id, _ = entry.decode().split()
            if mode != _DELETED:
                found.append((Path(os.fsdecode(name)), id))
        return found

    def sizes(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the sizes of objects, without missing ones."""
        if not ids:
            return {}
        lines = self._ask(["cat-file", "--batch-check"], "\n".join(ids)).decode().splitlines()
        return {words[0]: int(words[2]) for line in lines if len(words := line.split()) == 3}

    def contents(self, wanted: Sequence[tuple[Path, str]]) -> Iterator[tuple[Path, bytes]]:
        if not wanted:
            return
        answer = self._ask(["cat-file", "--batch"], "\n".join(id for _, id in wanted))
        at = 0
        for name, _ in wanted:
            start = answer.index(b"\n", at) + 1
            end = start + int(answer[at:start].split()[2])
            yield name, answer[start:end]
            at = end + 1

    def may_commit(self, name: str) -> bool:
        """Return whether git can commit a file of the folder."""
        ran = self._run(["check-ignore", "--quiet", "--", f"./{name}"], MOMENT) if self._program else None
        return ran is not None and ran.returncode == _NOT_IGNORED

    def _ask(self, words: Sequence[str], given: str = "", *, may_fail: bool = False) -> bytes:
        if self._program is None:
            raise FileError("git is not installed. Name the files to check instead of --staged")
        ran = self._run(["--literal-pathspecs", *words], SECONDS, given)
        if ran is None:
            raise FileError(f"git did not respond within {SECONDS:g} s. Name the files to check instead of --staged")
        if ran.returncode and not (may_fail and ran.returncode == 1):
            if b"not a git repository" in ran.stderr:
                raise FileError(f"--staged needs a git repository. {self._folder} is not in one")
            lines = ran.stderr.decode(errors="replace").strip().splitlines() or [f"exit code {ran.returncode}"]
            raise FileError(f"git cannot list the staged files of {self._folder}: {lines[-1].removeprefix('fatal: ')}")
        return ran.stdout

    def _run(self, words: Sequence[str], seconds: float, given: str = "") -> subprocess.CompletedProcess[bytes] | None:
        """Run git with risky settings turned off; None if it does not answer."""
        mine = {name: value for name, value in os.environ.items() if name in _KEPT or not name.startswith("GIT_")}
        with suppress(OSError, subprocess.TimeoutExpired):
            return subprocess.run(  # noqa: S603 - git, from the user's own path
                [str(self._program), *_OFF, *words],
                cwd=self._folder,
                env=for_others(mine | _SET),
                input=given.encode(),
                capture_output=True,
                timeout=seconds,
                check=False,
            )
        return None
