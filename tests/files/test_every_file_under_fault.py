"""Every kind of file on a machine that misbehaves: whatever fails, nothing that was there is lost, and it is told."""

from __future__ import annotations

import errno
import fcntl
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from rpcexplorer.files.io import lock
from rpcexplorer.settings import Themes
from tests.files.every_file import KINDS, Kind
from tests.files.faults import Fire, full_disk, read_only, restore, snapshot

LOTS = 200
"""More calls than any change or reading makes, and more than enough room for any file."""
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


@pytest.fixture
def root(kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a sound file of the kind."""
    monkeypatch.setattr(os, "fsync", lambda _: None)  # a thousand files that nobody needs tomorrow
    root = tmp_path / "home"
    kind.begin(root)
    assert kind.read(root) == (kind.things(), "")
    return root


def assert_valid(kind: Kind, root: Path) -> None:
    """Any reader of TOML can read what there is."""
    if kind.toml:
        tomllib.loads(kind.path(root).read_text())


# --- the n-th call fails, for every n


@every_kind
@pytest.mark.parametrize(
    ("error", "for_good"),
    [(errno.EIO, False), (errno.ENOSPC, False), (errno.ENOSPC, True)],
    ids=["once", "full", "for good"],
)
def test_whichever_call_fails_a_change_is_made_or_told_and_can_be_made_again(
    kind: Kind, error: int, for_good: bool, root: Path
) -> None:
    before = snapshot(root)
    for number in range(1, LOTS):
        restore(root, before)
        fire = Fire(number, for_good=for_good, error=error)
        with fire.lit():
            told = kind.change(root, "c")
        if not fire.struck:
            break
        found, _ = kind.read(root)
        assert found in (kind.things(), kind.things("c")), number
        assert told or found == kind.things("c"), number
        assert kind.change(root, "c") == "", number
        assert kind.read(root) == (kind.things("c"), ""), number
        assert_valid(kind, root)
        assert for_good or not [name for name in snapshot(root) if name.endswith(".tmp")], number
    assert 5 < number < LOTS - 1


@every_kind
@pytest.mark.parametrize("for_good", [False, True], ids=["once", "for good"])
def test_whichever_call_fails_reading_says_so_and_changes_nothing(kind: Kind, for_good: bool, root: Path) -> None:
    before = snapshot(root)
    for number in range(1, LOTS):
        fire = Fire(number, for_good=for_good)
        with fire.lit():
            found, told = kind.read(root)
        if not fire.struck:
            break
        assert found == kind.things() or (found <= kind.things() and told), number
        assert snapshot(root) == before, number
    assert 1 < number < LOTS - 1


# --- a full disk, a read-only one, and one that is somebody else's


@every_kind
def test_a_disk_that_fills_up_anywhere_in_a_write_leaves_the_file_as_it_was(kind: Kind, root: Path) -> None:
    before = snapshot(root)
    for room in range(0, 7 * LOTS, 7):
        with full_disk(errno.ENOSPC, room):
            told = kind.change(root, "c")
        if not told:
            break
        assert "the disk is full; free some space" in told
        assert snapshot(root) == before, room
    assert room > 20
    assert kind.read(root) == (kind.things("c"), "")


@every_kind
@pytest.mark.parametrize("error", [errno.EROFS, errno.EACCES], ids=errno.errorcode.get)
def test_in_a_read_only_folder_all_is_read_and_a_change_is_told(kind: Kind, error: int, root: Path) -> None:
    before = snapshot(root)
    with read_only(error):
        told = kind.change(root, "c")
        assert kind.read(root) == (kind.things(), "")
    assert "cannot" in told
    assert snapshot(root) == before
    assert kind.change(root, "c") == ""


@every_kind
def test_a_file_that_is_protected_from_writing_is_not_replaced(
    kind: Kind, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, real = kind.path(root), os.open

    def as_for_anybody_but_root(place: Any, flags: int, *arguments: Any, **keywords: Any) -> int:
        if Path(place) == path and flags & (os.O_WRONLY | os.O_RDWR):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return real(place, flags, *arguments, **keywords)

    path.chmod(0o400)
    before = snapshot(root)
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", as_for_anybody_but_root)
        assert "permission denied; check its owner and mode" in kind.change(root, "c")
    assert snapshot(root) == before
    assert kind.read(root) == (kind.things(), "")
    path.chmod(0o600)
    assert kind.change(root, "c") == ""


@every_kind
def test_a_file_that_cannot_be_read_is_told_and_not_taken_for_empty(
    kind: Kind, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, before = kind.path(root), snapshot(root)

    def refusing(real: Any) -> Any:
        def opening(place: Any, *arguments: Any, **keywords: Any) -> Any:
            if isinstance(place, str | Path) and Path(place) == path:
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            return real(place, *arguments, **keywords)

        return opening

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refusing(os.open))
        found, told = kind.read(root)
        assert (found, "permission denied" in told) == (set(), True)
        changed = kind.change(root, "c")
    if kind.name != "catalogue":  # which is only a copy, and replaced by what the server says now
        assert "permission denied" in changed
        assert snapshot(root) == before


# --- others at work


@every_kind
def test_while_another_holds_the_lock_nothing_is_changed_and_that_is_told(
    kind: Kind, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    patience = lock.__wrapped__.__kwdefaults__  # type: ignore[attr-defined]
    monkeypatch.setitem(patience, "clock", lambda: now[0])
    monkeypatch.setitem(patience, "sleep", lambda seconds: now.append(now.pop() + seconds))
    before = snapshot(root)
    locks = list(root.rglob(".*.lock"))
    assert len(locks) == (0 if kind.one else 1)
    held = [os.open(path, os.O_RDWR) for path in locks]
    for descriptor in held:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    told = kind.change(root, "c")
    if held:
        assert "another process has been writing" in told
        assert snapshot(root) == before
        assert 0 < now[0] < 2.1
    for descriptor in held:
        os.close(descriptor)
    assert kind.change(root, "c") == ""
    assert kind.read(root) == (kind.things("c"), "")


@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if kind.by_hand and kind.name not in {"secrets", "allowed"}], ids=lambda k: k.name
)
def test_what_an_editor_saves_at_the_same_moment_is_not_overwritten(
    kind: Kind, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, real = kind.path(root), tomllib.loads
    theirs = path.read_text() + "# an editor asks for no lock\n"

    def parse_while_they_save(text: str) -> Any:
        path.write_text(theirs)
        return real(text)

    monkeypatch.setattr(tomllib, "loads", parse_while_they_save)
    assert "another program is changing this file" in kind.change(root, "c")
    assert path.read_text() == theirs


# --- two things at once: what is damaged, on a machine that misbehaves


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.keeps_damage], ids=lambda kind: kind.name)
@pytest.mark.parametrize("for_good", [False, True], ids=["once", "for good"])
def test_whichever_call_fails_what_is_damaged_is_somewhere_still(kind: Kind, for_good: bool, root: Path) -> None:
    path = kind.path(root)
    sound = path.read_bytes()
    path.write_bytes(sound + b"[[call]]\nid = 'torn\n")
    before = snapshot(root)
    for number in range(1, LOTS):
        restore(root, before)
        fire = Fire(number, for_good=for_good)
        with fire.lit():
            kind.change(root, "c")
        if not fire.struck:
            break
        assert any(b"'torn" in content for content in snapshot(root).values()), number
        assert kind.change(root, "c") == "" or kind.name == "remembered", number
        assert "c" in kind.read(root)[0], number
        assert any(b"'torn" in content for content in snapshot(root).values()), number
        assert_valid(kind, root)
    assert 10 < number < LOTS - 1


def test_a_folder_of_themes_that_cannot_be_read_leaves_the_shipped_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.toml").write_text("dark = true\n")
    every, real = Themes(tmp_path).files(), os.listdir

    def listing(folder: Any) -> list[str]:
        if Path(folder) == tmp_path:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(folder)

    monkeypatch.setattr(os, "listdir", listing)
    assert Themes(tmp_path).files().keys() == every.keys() - {"mine"} != set()
