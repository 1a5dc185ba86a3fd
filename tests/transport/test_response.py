from __future__ import annotations

import contextlib
import gzip
import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.transport.response import Oversize, ReplyBody, Undecodable

MIB = 1024 * 1024
TEXT = b'{"jsonrpc": "2.0", "result": "' + b"abcdefgh" * 40_000 + b'"}'


def bare_deflate(data: bytes) -> bytes:
    packing = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packing.compress(data) + packing.flush()


PACKED = {
    "plain": ([], TEXT),
    "identity": (["identity"], TEXT),
    "gzip": (["gzip"], gzip.compress(TEXT, mtime=0)),
    "x-gzip": (["X-GZip"], gzip.compress(TEXT, mtime=0)),
    "gzip, named twice over": (["identity, gzip"], gzip.compress(TEXT, mtime=0)),
    "deflate": (["deflate"], zlib.compress(TEXT)),
    "deflate, bare": (["deflate"], bare_deflate(TEXT)),
}


def body(encodings: list[str], *, offered: str = "gzip, deflate", cap: int = 256 * MIB) -> ReplyBody:
    return ReplyBody(encodings, offered=offered, cap=cap)


def bomb(mebibytes: int) -> bytes:
    """Return a gzip member of zeros, built from one compressed mebibyte."""
    packing = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    block = packing.compress(bytes(MIB)) + packing.flush(zlib.Z_FULL_FLUSH)
    return gzip.compress(b"", mtime=0)[:10] + block * mebibytes


@pytest.mark.parametrize("step", [1000, 7, 10**7])
@pytest.mark.parametrize(("encodings", "wire"), PACKED.values(), ids=PACKED)
def test_body_is_decompressed_from_any_pieces(encodings: list[str], wire: bytes, step: int) -> None:
    reply = body(encodings)
    for start in range(0, len(wire), step):
        reply.feed(wire[start : start + step])
    reply.finish()
    assert reply.so_far() == TEXT
    assert reply.wire_size == len(wire)
    assert reply.remarks == []


@pytest.mark.parametrize("size", [65535, 65536, 65537, 131072, 131073, 200_000, 10 * MIB])
def test_body_that_swells_at_the_end_is_complete(size: int) -> None:
    reply = body(["deflate"])
    reply.feed(bare_deflate(bytes(size)))
    reply.finish()
    assert reply.so_far() == bytes(size)


@given(st.binary(), st.integers(1, 9), st.sampled_from(["gzip", "deflate"]))
def test_compressed_data_is_decompressed(data: bytes, step: int, coding: str) -> None:
    wire = gzip.compress(data, mtime=0) if coding == "gzip" else zlib.compress(data)
    reply = body([coding])
    for start in range(0, len(wire), step):
        reply.feed(wire[start : start + step])
    reply.finish()
    assert reply.so_far() == data


@given(st.binary(max_size=200), st.sampled_from(["gzip", "deflate", "br", "gzip, gzip", ""]))
def test_damaged_bytes_raise_only_undecodable(data: bytes, coding: str) -> None:
    reply = body([coding])
    with contextlib.suppress(Undecodable):
        reply.feed(data)
        reply.finish()
    assert len(reply.so_far()) < 256 * MIB


@pytest.mark.parametrize(("encodings", "wire"), [PACKED["gzip"], PACKED["deflate"], PACKED["deflate, bare"]])
@pytest.mark.parametrize("missing", [1, 4, 8, 500])
def test_incomplete_stream_is_noticed_and_kept(encodings: list[str], wire: bytes, missing: int) -> None:
    reply = body(encodings)
    reply.feed(wire[:-missing])
    with pytest.raises(Undecodable, match="is incomplete"):
        reply.finish()
    assert TEXT.startswith(reply.so_far())
    assert reply.so_far() or missing == 500


def test_damage_keeps_the_data_before_it() -> None:
    wire = bytearray(gzip.compress(TEXT, 0))
    wire[200_000:] = b"\xff" * 120_000
    reply = body(["gzip"])
    with pytest.raises(Undecodable, match="damaged"):
        reply.feed(bytes(wire))
    assert len(reply.so_far()) > 100_000
    assert TEXT.startswith(reply.so_far())


def test_false_gzip_is_kept_with_a_remark() -> None:
    reply = body(["gzip"])
    reply.feed(b'{"id"')
    reply.feed(b": 1}")
    reply.finish()
    assert reply.so_far() == b'{"id": 1}'
    assert reply.remarks == ["The body is not gzip, although its header says so. It was not decoded."]


@pytest.mark.parametrize("encodings", [["br"], ["zstd"], ["gzip, gzip"], ["gzip", "gzip"], ["gzip", "br"], ["\x1b[2J"]])
def test_unknown_encodings_are_kept_with_a_remark(encodings: list[str]) -> None:
    reply = body(encodings)
    reply.feed(gzip.compress(gzip.compress(b"x")))
    reply.finish()
    assert reply.so_far() == gzip.compress(gzip.compress(b"x"))
    assert len(reply.remarks) == 1
    assert reply.remarks[0].isprintable()


def test_unrequested_gzip_is_decompressed_with_a_remark() -> None:
    reply = body(["gzip"], offered="")
    reply.feed(gzip.compress(b"x"))
    reply.finish()
    assert reply.so_far() == b"x"
    assert reply.remarks == ["The body has the encoding gzip, which was not requested. It was decompressed."]


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_bytes_after_end_are_dropped_with_remark(coding: str) -> None:
    wire = gzip.compress(b"x") if coding == "gzip" else zlib.compress(b"x")
    reply = body([coding])
    reply.feed(wire + b"\0\0")
    reply.feed(b"\0more")
    reply.finish()
    assert reply.so_far() == b"x"
    assert len(reply.remarks) == 1


@pytest.mark.parametrize("coding", [[], ["gzip"]])
def test_limit_is_exact_to_the_byte(coding: list[str]) -> None:
    def fed(size: int) -> ReplyBody:
        data = b"a" * size
        reply = body(coding, cap=100_000)
        reply.feed(gzip.compress(data, mtime=0) if coding else data)
        return reply

    assert len(fed(100_000).so_far()) == 100_000
    with pytest.raises(Oversize):
        fed(100_001)


def test_gzip_bomb_is_cut_without_large_memory() -> None:
    wire = bomb(256)
    assert len(wire) < 400_000
    reply = body(["gzip"], cap=MIB)
    tracemalloc.start()
    with pytest.raises(Oversize):
        reply.feed(wire)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert reply.so_far() == bytes(MIB)
    assert peak < 4 * MIB
