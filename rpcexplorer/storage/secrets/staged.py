"""What git has staged, byte for byte as it will be committed, and what it ignores, read by git itself.

A repository may come from anywhere, and what its ``.git/config`` names, git runs: a file system monitor, hooks,
filters, programs that compare or convert, and whatever fetches an object that is missing. So git is only asked here for
names, and for objects as they are stored, with all of that turned off, and it has to answer within a while.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from rpcexplorer.files.io import FileTrouble
from rpcexplorer.model.secret import for_others

LARGEST: Final = 100 * 1024 * 1024
"""Bytes of a file that is searched, and of files that are read at a time."""
SECONDS: Final = 30.0
"""How long git may take for one answer."""
MOMENT: Final = 2.0
"""Seconds for an answer without which all goes on: a repository can name a pipe as its list of ignored files."""
_NOT_IGNORED: Final = 1
"""Exit code of ``check-ignore``; it is 128 outside of a repository."""
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
"""What git tells its hooks about where things are, such as the index of ``commit -a``; the rest could run something."""
_SET: Final = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "LC_ALL": "C",
}
_LINK = "160000"
"""The mode of a submodule, which is no file."""


def staged(folder: Path) -> Iterator[tuple[Path, bytes | str]]:
    """Every file that is added or changed, by its path from the top: what is in it, or why that cannot be read.

    Raises a ``FileTrouble`` where there is no repository, or no git.
    """
    git = Git(folder)
    names = git.changed()
    sizes = git.sizes([id for _, id in names])
    batch: list[tuple[Path, str]] = []
    room = LARGEST
    for name, id in names:
        size = sizes.get(id)
        if size is None:
            yield name, "git has no such object here; fetch it, or stage the file again"
        elif size > LARGEST:
            yield name, f"it is larger than {LARGEST // (1024 * 1024)} MB, so it is not searched"
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
        self._program = shutil.which("git", path=os.pathsep.join(path))  # never one that lies in the working folder

    def changed(self) -> list[tuple[Path, str]]:
        """The paths that differ from the last commit, and the ids of what is staged for them."""
        tree = self._ask(["rev-parse", "--verify", "--quiet", "HEAD^{tree}"], may_fail=True).strip()
        if not tree:  # nothing was committed yet: everything differs from nothing
            tree = self._ask(["hash-object", "-t", "tree", "--no-filters", "--stdin"]).strip()
        fields = self._ask([*_DIFFERENCE, tree.decode()]).split(b"\0")
        found = []
        for told, name in zip(fields[::2], fields[1::2], strict=False):
            _, mode, _, id, _ = told.decode().split()
            if mode not in {_LINK, "000000"}:
                found.append((Path(os.fsdecode(name)), id))
        return found

    def sizes(self, ids: Sequence[str]) -> dict[str, int]:
        """The sizes of objects; of those that are missing nothing."""
        if not ids:
            return {}
        lines = self._ask(["cat-file", "--batch-check"], "\n".join(ids)).decode().splitlines()
        told = (line.split() for line in lines)
        return {words[0]: int(words[2]) for words in told if len(words) == 3}

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
        """Return whether a file of the folder can be committed: it is in a repository that does not ignore it."""
        ran = self._run(["check-ignore", "--quiet", "--", f"./{name}"], seconds=MOMENT) if self._program else None
        return ran is not None and ran.returncode == _NOT_IGNORED

    def _ask(self, words: Sequence[str], given: str = "", *, may_fail: bool = False) -> bytes:
        if self._program is None:
            raise FileTrouble("git is not installed here: name the files to check instead of --staged")
        ran = self._run(["--literal-pathspecs", *words], given)
        if ran is None:
            raise FileTrouble(f"git gave no answer within {SECONDS:g} s: name the files to check instead of --staged")
        if ran.returncode and not (may_fail and ran.returncode == 1):
            said = ran.stderr.decode(errors="replace").strip().splitlines() or [f"it ended with code {ran.returncode}"]
            raise FileTrouble(f"git cannot tell what is staged in {self._folder}: {said[-1].removeprefix('fatal: ')}")
        return ran.stdout

    def _run(
        self, words: Sequence[str], given: str = "", seconds: float = SECONDS
    ) -> subprocess.CompletedProcess[bytes] | None:
        """Run git with all of that turned off; None if it gives no answer."""
        mine = {name: value for name, value in os.environ.items() if name in _KEPT or not name.startswith("GIT_")}
        with suppress(OSError, subprocess.TimeoutExpired):
            return subprocess.run(  # noqa: S603 - git, from the person's own path
                [str(self._program), *_OFF, *words],
                cwd=self._folder,
                env=for_others(mine | _SET),
                input=given.encode(),
                capture_output=True,
                timeout=seconds,
                check=False,
            )
        return None
