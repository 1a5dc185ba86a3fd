from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rpcexplorer.storage import blockfile
from rpcexplorer.storage.blockfile import newest_first, rewrite, split
from rpcexplorer.storage.blocks import to_block
from rpcexplorer.storage.files import opened
from tests.storage.recording import exchange

BLOCKS = [to_block(exchange(number, note="x" * 37 * number)).encode() for number in range(5)]


def backwards(path: Path) -> list[bytes]:
    with opened(path, os.O_RDONLY) as file:
        return list(newest_first(file, path.stat().st_size))


@pytest.mark.parametrize("chunk", [1, 2, 7, 64, 100, 333, 10_000])
def test_blocks_come_newest_first_whatever_is_read_at_once(
    chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blockfile, "CHUNK", chunk)
    path = tmp_path / "a.toml"
    path.write_bytes(b"# mine\n" + b"".join(BLOCKS))
    assert [raw.strip() for raw in backwards(path)] == [raw.strip() for raw in (*BLOCKS[::-1], b"# mine")]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from([*BLOCKS[:2], b"\n", b"\r\n", b"x", b'\nend = "12345678"', b"[[call]]\n", b"\nend"])))
def test_what_is_cut_is_whole_when_joined(pieces: list[bytes]) -> None:
    content = b"".join(pieces)
    assert b"".join(split(content)) == content


def test_a_damaged_end_does_not_swallow_the_next_block() -> None:
    assert split(BLOCKS[0].replace(b"end =", b"ent =") + BLOCKS[1])[1] == BLOCKS[1]


def test_a_damaged_beginning_does_not_swallow_the_block_before() -> None:
    assert split(BLOCKS[0] + BLOCKS[1].replace(b"[[call", b"[[cold"))[0] == BLOCKS[0]


def test_a_value_that_looks_like_the_frame_of_a_block_is_only_a_value() -> None:
    block = to_block(exchange(params='\n[[call]]\n\nend = "12345678"\n\n', note="[[call]]")).encode()
    assert [raw for raw in split(block) if raw] == [block]


def test_a_rewrite_leaves_everything_else_as_it_was_byte_for_byte(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(b"# mine \xff\n\n" + BLOCKS[0] + b"<<<<<<< HEAD\n" + BLOCKS[1] + BLOCKS[2] + b'[[call]]\nid = "to')
    assert rewrite(path, lambda raw: b"" if raw == BLOCKS[1] else raw) == 1
    assert path.read_bytes() == b"# mine \xff\n\n" + BLOCKS[0] + b"<<<<<<< HEAD\n" + BLOCKS[2] + b'[[call]]\nid = "to'


def test_a_rewrite_that_changes_nothing_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(BLOCKS[0])
    before = path.stat()
    assert rewrite(path, lambda raw: raw) == 0
    assert rewrite(tmp_path / "none.toml", lambda _: b"") == 0
    assert path.stat() == before


def test_a_file_with_nothing_left_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(BLOCKS[0] + BLOCKS[1])
    assert rewrite(path, lambda _: b"") == 2
    assert not path.exists()
