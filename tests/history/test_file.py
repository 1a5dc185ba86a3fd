from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.files.io import opened, read_span
from rpcexplorer.history import file as blockfile
from rpcexplorer.history.file import append, newest_first, rewrite, split
from rpcexplorer.history.record import to_block
from tests.history.recording import exchange

NOW = datetime(2026, 11, 22, tzinfo=UTC)
BLOCKS = [to_block(exchange(number, note="x" * 37 * number)).encode() for number in range(5)]


def backwards(path: Path) -> list[bytes]:
    with opened(path) as file:
        stretches = list(newest_first(partial(read_span, file), path.stat().st_size))
    assert b"".join(reversed(stretches)) == path.read_bytes()
    return [raw for stretch in stretches for raw in reversed(split(stretch)) if raw.strip()]


@pytest.mark.parametrize("chunk", [1, 2, 7, 64, 100, 333, 10_000])
def test_blocks_are_newest_first_for_any_chunk(chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blockfile, "CHUNK", chunk)
    path = tmp_path / "a.toml"
    path.write_bytes(b"# mine\n" + b"".join(BLOCKS))
    assert [raw.strip() for raw in backwards(path)] == [raw.strip() for raw in (*BLOCKS[::-1], b"# mine")]


@given(st.lists(st.sampled_from([*BLOCKS[:2], b"\n", b"\r\n", b"x", b'\nend = "12345678"', b"[[call]]\n", b"\nend"])))
def test_cut_blocks_join_to_the_whole(pieces: list[bytes]) -> None:
    content = b"".join(pieces)
    assert b"".join(split(content)) == content


def test_damaged_end_does_not_affect_the_next_block() -> None:
    assert split(BLOCKS[0].replace(b"end =", b"ent =") + BLOCKS[1])[1] == BLOCKS[1]


def test_damaged_start_does_not_affect_the_previous_block() -> None:
    assert split(BLOCKS[0] + BLOCKS[1].replace(b"[[call", b"[[cold"))[0] == BLOCKS[0]


def test_value_like_a_block_frame_is_only_text() -> None:
    block = to_block(exchange(params='\n[[call]]\n\nend = "12345678"\n\n', note="[[call]]")).encode()
    assert [raw for raw in split(block) if raw] == [block]


def test_rewrite_keeps_all_other_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(b"# mine \xff\n\n" + BLOCKS[0] + b"<<<<<<< HEAD\n" + BLOCKS[1] + BLOCKS[2] + b'[[call]]\nid = "to')
    assert rewrite(path, lambda raw: b"" if raw == BLOCKS[1] else raw, nullcontext) == 1
    assert path.read_bytes() == b"# mine \xff\n\n" + BLOCKS[0] + b"<<<<<<< HEAD\n" + BLOCKS[2] + b'[[call]]\nid = "to'


def test_rewrite_without_changes_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(BLOCKS[0])
    before = path.stat()
    assert rewrite(path, lambda raw: raw, nullcontext) == 0
    assert rewrite(tmp_path / "none.toml", lambda _: b"", nullcontext) == 0
    assert path.stat() == before


def test_empty_file_is_removed_after_rewrite(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(BLOCKS[0] + BLOCKS[1])
    assert rewrite(path, lambda _: b"", nullcontext) == 2
    assert not path.exists()


def rewritten(path: Path, meanwhile: Callable[[], object], *removed: bytes) -> int:
    """Remove blocks and call ``meanwhile`` once, between reading and locking."""
    todo = [meanwhile]

    @contextmanager
    def locked() -> Iterator[None]:
        if todo:
            todo.pop()()
        yield

    return rewrite(path, lambda raw: b"" if raw in removed else raw, locked)


def add(path: Path, block: bytes) -> Callable[[], object]:
    return lambda: append(path.parent, path.stem, block, when=NOW, rotate_at=10**9, shared=False)


@pytest.mark.parametrize("removed", [BLOCKS[:1], BLOCKS[:2]], ids=["one", "all"])
def test_append_during_a_rewrite_is_kept(removed: list[bytes], tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(BLOCKS[0] + BLOCKS[1])
    assert rewritten(path, add(path, BLOCKS[2]), *removed) == len(removed)
    assert path.read_bytes() == b"".join(block for block in BLOCKS[:3] if block not in removed)
    assert [each.name for each in tmp_path.iterdir()] == ["a.toml"]


def test_torn_end_is_dropped_after_append_repairs_it(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(BLOCKS[0] + BLOCKS[1] + BLOCKS[2][:-40])
    assert rewritten(path, add(path, BLOCKS[3]), BLOCKS[0]) == 1
    assert path.read_bytes() == BLOCKS[1] + BLOCKS[3]
    assert (tmp_path / "a.toml.torn-1").read_bytes() == BLOCKS[2][:-40]


def test_file_that_changes_during_rewrite_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(b"".join(BLOCKS))
    assert rewritten(path, lambda: path.write_bytes(b"".join(BLOCKS[1:])), *BLOCKS[:2]) == 1
    assert path.read_bytes() == b"".join(BLOCKS[2:])


def test_file_that_is_moved_during_rewrite_stays_unchanged(tmp_path: Path) -> None:
    path, full = tmp_path / "a.toml", tmp_path / "a.full.toml"
    path.write_bytes(b"".join(BLOCKS))
    assert rewritten(path, lambda: path.rename(full), BLOCKS[0]) == 0
    assert [each.name for each in tmp_path.iterdir()] == ["a.full.toml"]
    assert full.read_bytes() == b"".join(BLOCKS)
