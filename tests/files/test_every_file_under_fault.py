"""Each kind of file on a failing machine: reported, and nothing lost."""

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
"""More system calls than a change makes, and more bytes than a file has."""
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


@pytest.fixture
def root(kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a valid file of the kind."""
    monkeypatch.setattr(os, "fsync", lambda _: None)  # The test writes a thousand files that need not survive.
    root = tmp_path / "home"
    kind.begin(root)
    assert kind.read(root) == (kind.things(), "")
    return root


def assert_valid(kind: Kind, root: Path) -> None:
    """Check that any TOML parser reads the file."""
    if kind.toml:
        tomllib.loads(kind.path(root).read_text())


@every_kind
@pytest.mark.parametrize(
    ("error", "for_good"),
    [(errno.EIO, False), (errno.ENOSPC, False), (errno.ENOSPC, True)],
    ids=["once", "full", "for good"],
)
def test_change_with_failing_call_succeeds_or_is_reported(kind: Kind, error: int, for_good: bool, root: Path) -> None:
    before = snapshot(root)
    for number in range(1, LOTS):
        restore(root, before)
        fire = Fire(number, for_good=for_good, error=error)
        with fire.lit():
            message = kind.change(root, "c")
        if not fire.struck:
            break
        found, _ = kind.read(root)
        assert found in (kind.things(), kind.things("c")), number
        assert message or found == kind.things("c"), number
        assert kind.change(root, "c") == "", number
        assert kind.read(root) == (kind.things("c"), ""), number
        assert_valid(kind, root)
        assert for_good or not [name for name in snapshot(root) if name.endswith(".tmp")], number
    assert 5 < number < LOTS - 1


@every_kind
@pytest.mark.parametrize("for_good", [False, True], ids=["once", "for good"])
def test_reading_with_a_failing_call_is_reported(kind: Kind, for_good: bool, root: Path) -> None:
    before = snapshot(root)
    for number in range(1, LOTS):
        fire = Fire(number, for_good=for_good)
        with fire.lit():
            found, message = kind.read(root)
        if not fire.struck:
            break
        assert found == kind.things() or (found <= kind.things() and message), number
        assert snapshot(root) == before, number
    assert 1 < number < LOTS - 1


@every_kind
def test_full_disk_leaves_the_file_unchanged(kind: Kind, root: Path) -> None:
    before = snapshot(root)
    for room in range(0, 7 * LOTS, 7):
        with full_disk(errno.ENOSPC, room):
            message = kind.change(root, "c")
        if not message:
            break
        assert "the disk is full. Free some space" in message
        assert snapshot(root) == before, room
    assert room > 20
    assert kind.read(root) == (kind.things("c"), "")


@every_kind
@pytest.mark.parametrize("error", [errno.EROFS, errno.EACCES], ids=errno.errorcode.get)
def test_read_only_folder_reports_changes(kind: Kind, error: int, root: Path) -> None:
    before = snapshot(root)
    with read_only(error):
        message = kind.change(root, "c")
        assert kind.read(root) == (kind.things(), "")
    assert "cannot" in message
    assert snapshot(root) == before
    assert kind.change(root, "c") == ""


@every_kind
def test_write_protected_file_is_not_replaced(kind: Kind, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, real = kind.path(root), os.open

    def as_for_anybody_but_root(place: Any, flags: int, *arguments: Any, **keywords: Any) -> int:
        if Path(place) == path and flags & (os.O_WRONLY | os.O_RDWR):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return real(place, flags, *arguments, **keywords)

    path.chmod(0o400)
    before = snapshot(root)
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", as_for_anybody_but_root)
        assert "permission denied. Check the owner and mode" in kind.change(root, "c")
    assert snapshot(root) == before
    assert kind.read(root) == (kind.things(), "")
    path.chmod(0o600)
    assert kind.change(root, "c") == ""


@every_kind
def test_unreadable_file_is_not_taken_as_empty(kind: Kind, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, before = kind.path(root), snapshot(root)

    def refusing(real: Any) -> Any:
        def opening(place: Any, *arguments: Any, **keywords: Any) -> Any:
            if isinstance(place, str | Path) and Path(place) == path:
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            return real(place, *arguments, **keywords)

        return opening

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refusing(os.open))
        found, message = kind.read(root)
        assert (found, "permission denied" in message) == (set(), True)
        changed = kind.change(root, "c")
    if kind.name != "method list":  # It is only a copy of the server's data.
        assert "permission denied" in changed
        assert snapshot(root) == before


@every_kind
def test_locked_file_is_not_changed(kind: Kind, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    message = kind.change(root, "c")
    if held:
        assert "another process has been writing" in message
        assert snapshot(root) == before
        assert 0 < now[0] < 2.1
    for descriptor in held:
        os.close(descriptor)
    assert kind.change(root, "c") == ""
    assert kind.read(root) == (kind.things("c"), "")


@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if kind.by_hand and kind.name not in {"secrets", "allowed"}], ids=lambda k: k.name
)
def test_save_of_editor_at_once_is_not_overwritten(kind: Kind, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, real = kind.path(root), tomllib.loads
    theirs = path.read_text() + "# an editor asks for no lock\n"

    def parse_while_they_save(text: str) -> Any:
        path.write_text(theirs)
        return real(text)

    monkeypatch.setattr(tomllib, "loads", parse_while_they_save)
    assert "another program is changing this file" in kind.change(root, "c")
    assert path.read_text() == theirs


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.keeps_damage], ids=lambda kind: kind.name)
@pytest.mark.parametrize("for_good", [False, True], ids=["once", "for good"])
def test_damaged_file_is_not_lost_if_call_fails(kind: Kind, for_good: bool, root: Path) -> None:
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


def test_unreadable_folder_of_themes_leaves_the_shipped_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.toml").write_text("dark = true\n")
    every, real = Themes(tmp_path).files(), os.listdir

    def listing(folder: Any) -> list[str]:
        if Path(folder) == tmp_path:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(folder)

    monkeypatch.setattr(os, "listdir", listing)
    assert Themes(tmp_path).files().keys() == every.keys() - {"mine"} != set()
