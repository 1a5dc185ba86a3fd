"""Each kind of file, damaged in each way: other data survives.

The damage is reported.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.files.every_file import BY_NAME, KINDS, Kind
from tests.files.faults import LINES, restore, snapshot


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, dict[str, bytes]]]:
    """Return a folder with a valid file of each kind, and its contents."""
    folder = tmp_path_factory.mktemp("homes")
    for kind in KINDS:
        kind.begin(folder / kind.name)
    return {kind.name: (folder / kind.name, snapshot(folder / kind.name)) for kind in KINDS}


@pytest.fixture
def root(kind: Kind, homes: dict[str, tuple[Path, dict[str, bytes]]], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the kind's folder as it was at first, without pending writes."""
    monkeypatch.setattr("rpcexplorer.history.folder.UNFINISHED", -1.0)
    monkeypatch.setattr("os.fsync", lambda _: None)  # The test writes thousands of files that need not survive.
    root, sound = homes[kind.name]
    restore(root, sound)
    return root


def parsed(content: bytes) -> dict[str, Any] | None:
    """Return the values of a TOML text, or None if it cannot be parsed.

    That includes texts that take too long.
    """
    if len(content) > 9_000:
        return None
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except ValueError:
        return None


def check(kind: Kind, root: Path, damaged: bytes) -> None:
    """Damage a file, read it, make a change, read it again."""
    path = kind.path(root)
    path.write_bytes(damaged)
    found, message = kind.read(root)
    assert message or found == kind.things() or parsed(damaged) is not None, "visible damage is reported"
    changed = kind.change(root, "c")
    if kind.by_hand:
        assert bool(changed) == (path.read_bytes() == damaged), "a file is left alone, or it is not"
        assert changed or parsed(damaged) is not None, "what is no TOML is for its owner to mend"
    else:
        assert changed == "" or kind.name == "remembered", "that tells where the damaged file is"
        assert damaged in snapshot(root).values() or not (message and kind.keeps_damage)
    if not kind.by_hand or not changed:
        assert kind.read(root)[0] == ({"c"} if kind.one else found | {"c"})
        assert not kind.toml or parsed(path.read_bytes()) is not None, "it is TOML after the next write"


def check_all(kind: Kind, root: Path, damages: Callable[[bytes], Iterator[bytes]]) -> None:
    """Check each damage of a file that is otherwise unchanged."""
    before = snapshot(root)
    for damaged in damages(before[kind.file]):
        restore(root, before)
        check(kind, root, damaged)


ALONE = [kind for kind in KINDS if kind.name not in {"history", "method list"}]
"""Files that are used completely or not at all.

Method lists have their own test in test_method_lists.py.
"""


@pytest.mark.everyday(1)
@pytest.mark.parametrize("kind", ALONE, ids=lambda kind: kind.name)
def test_a_file_cut_at_any_byte(kind: Kind, root: Path) -> None:
    check_all(kind, root, lambda whole: (whole[:cut] for cut in range(len(whole))))


@pytest.mark.everyday(1)
@pytest.mark.parametrize("kind", ALONE, ids=lambda kind: kind.name)
def test_one_byte_changed_anywhere(kind: Kind, root: Path) -> None:
    def changed(whole: bytes) -> Iterator[bytes]:
        for position in range(len(whole)):
            wrong = b'X\n\0\xff"[=#{'[position % 9 : position % 9 + 1]
            yield whole[:position] + wrong + whole[position + 1 :]

    check_all(kind, root, changed)


Harm = Callable[[bytes], bytes]
HARMLESS: dict[str, Harm] = {
    "line ends of another system": lambda whole: whole.replace(b"\n", b"\r\n"),
    "byte order mark": lambda whole: b"\xef\xbb\xbf" + whole,
    "both": lambda whole: b"\xef\xbb\xbf" + whole.replace(b"\n", b"\r\n"),
    "no newline at the end": lambda whole: whole.rstrip(b"\n"),
    "blank lines at the end": lambda whole: whole + b"\n\n \n",
    "a comment on top": lambda whole: b"# mine\n" + whole,
}
HARMFUL: dict[str, Harm] = {
    "conflict": lambda whole: b"<<<<<<< HEAD\n" + whole + b"=======\n" + whole + b">>>>>>> theirs\n",
    "NULs at the end": lambda whole: whole + b"\0" * 4096,
    "nothing but NULs": lambda whole: b"\0" * len(whole),
    "half of it NULs": lambda whole: whole[: len(whole) // 2] + b"\0" * (len(whole) - len(whole) // 2),
    "twice": lambda whole: whole + whole,
    "another encoding": lambda whole: whole.decode().encode("utf-16"),
    "JSON": lambda whole: b'{"version": 1}\n',
    "another file": lambda whole: b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20,
    **{name: lambda whole, line=line: whole + line + b"\n" for name, line in LINES.items()},  # type: ignore[misc]
}
OWN = [kind for kind in KINDS if kind.toml and kind.name != "history"]


@pytest.mark.parametrize("kind", [*OWN, BY_NAME["history"]], ids=lambda kind: kind.name)
@pytest.mark.parametrize("harm", HARMLESS.values(), ids=HARMLESS)
def test_formats_of_other_editors_are_not_damage(kind: Kind, harm: Harm, root: Path) -> None:
    path = kind.path(root)
    path.write_bytes(harm(path.read_bytes()))
    assert kind.read(root) == (kind.things(), "")
    assert kind.change(root, "c") == ""
    assert kind.read(root) == (kind.things("c"), "")
    assert parsed(path.read_bytes()) is not None
    assert not list(root.rglob("*-1")), "nothing was put aside"


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.name != "history"], ids=lambda kind: kind.name)
@pytest.mark.parametrize("harm", HARMFUL.values(), ids=HARMFUL)
def test_unreadable_file_is_reported_and_never_overwritten(kind: Kind, harm: Harm, root: Path, soon: None) -> None:
    damaged = harm(kind.path(root).read_bytes())
    check(kind, root, damaged)
    kind.path(root).write_bytes(damaged)
    found, message = kind.read(root)
    assert (found, bool(message)) == (set(), True)
    if kind.by_hand:
        assert kind.change(root, "c") != ""
