"""Tests of search: it finds every match and skips other records unread."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterable
from datetime import timedelta
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rpcexplorer.history import file, folder, record
from rpcexplorer.history.folder import FOLDED_TO_ASCII, BlockFilter, History
from rpcexplorer.history.record import read_block, to_block
from rpcexplorer.model.exchange import Damaged, Exchange
from rpcexplorer.model.filter import Bounds, HistoryFilter
from rpcexplorer.transport.port import Response
from tests.files.reading import counted
from tests.history.recording import START, exchange, id_of, sound

TEXTS = st.text(st.sampled_from('aAkKsß\u017f\u212aİiﬁé日"\\\n\t\x1b\ud800 [=]{:,'), max_size=8)
MANY = 400


def block(**given: object) -> bytes:
    return to_block(exchange(**given)).encode()  # type: ignore[arg-type]


def among(wanted: HistoryFilter, stretch: bytes) -> list[bytes]:
    return BlockFilter(wanted).among(stretch)


@example(text="\n", words=[], method="", note="", by_hand=False)
@example(text='k "a" [k', words=['[k"k"', "k [k"], method='",\n["k":', note='{"K":\t"a', by_hand=False)
@given(TEXTS, st.lists(TEXTS, max_size=2), TEXTS, TEXTS, st.booleans())
def test_matching_block_is_never_skipped(text: str, words: list[str], method: str, note: str, by_hand: bool) -> None:
    raw = block(method=method, note=note, params=f"{note}{method}", reply=f'{{"result": "{text.isascii()}"}}')
    if by_hand:
        raw = raw.replace(b'kind = "call"', b'kind = "\\u0063all"')
    found = read_block(raw)
    assert isinstance(found, Exchange)
    around = block(note="other") + raw + block(note="another")
    for wanted in (
        HistoryFilter(text),
        HistoryFilter(words=tuple(words)),
        HistoryFilter(in_method=text),
        HistoryFilter(method=text),
    ):
        assert not wanted.matches(found) or raw in among(wanted, around)


BOUNDED = st.builds(
    Bounds,
    code=st.none() | st.sampled_from([-32602, 1]),
    status=st.none() | st.sampled_from([(200, 200), (500, 599)]),
    since=st.none() | st.integers(-2000, 4000).map(lambda ms: START + timedelta(milliseconds=ms)),
    until=st.none() | st.integers(-2000, 4000).map(lambda ms: START + timedelta(milliseconds=ms)),
    slower=st.none() | st.sampled_from([0, 0.034, 1.0]),
    faster=st.none() | st.sampled_from([0.034, 0.0341, 1.0]),
    larger=st.none() | st.sampled_from([0, 75, 10**6]),
    smaller=st.none() | st.sampled_from([1, 75, 10**6]),
)


@given(
    BOUNDED,
    st.tuples(st.integers(-1500, 3500), st.sampled_from([0.0, 0.034, 0.0340004, 2.5])),
    st.sampled_from([None, 200, 503]),
    st.sampled_from([-32602, 1, 11, None]),
    st.sampled_from([b"", b"Z", b"+02:00", b'"by hand"', b"harm"]),
)
def test_block_within_bounds_is_never_skipped(
    bounds: Bounds, began_took: tuple[int, float], status: int | None, code: int | None, harm: bytes
) -> None:
    ms, took = began_took
    reply = '{"result": 1}' if code is None else f'{{"error": {{"code": {code}, "message": "-32602"}}}}'
    body = reply.encode()
    raw = block(
        when=START + timedelta(milliseconds=ms, microseconds=300),
        reply=reply,
        seconds=took,
        response=Response(status, body=body, size=len(body)) if status else Response(body=body),
    )
    if harm == b"+02:00":
        raw = resealed(re.sub(rb"\ntime = (.*)Z", rb"\ntime = \1+02:00", raw))
    elif harm == b'"by hand"':
        raw = resealed(raw.replace(b"ms = ", b"ms = 1 # "))
    elif harm == b"harm":
        raw = resealed(re.sub(rb"\nreceived = .*", b'\nreceived = "odd"', raw))
    found = read_block(raw)
    around = block(number=100) + raw + block(number=101)
    wanted = HistoryFilter(bounds=bounds)
    assert found is not None
    assert not wanted.matches(found) or raw in among(wanted, around)
    assert not wanted.matches(found) or raw in among(wanted, raw)


def resealed(raw: bytes) -> bytes:
    """Return an edited block with a valid checksum."""
    lines = raw[: raw.rindex(b"end = ")]
    return lines + record.END % crc32(lines)


def test_invalid_filter_finds_nothing() -> None:
    assert among(HistoryFilter(bounds=Bounds(wrong=("slower:1 has no unit",))), block()) == []


def test_only_text_filter_matches_profile_and_url() -> None:
    raw = block()
    assert among(HistoryFilter("example.com"), raw) == among(HistoryFilter("staging"), raw) == [raw]
    assert among(HistoryFilter(words=("example.com",)), raw) == among(HistoryFilter(words=("staging",)), raw) == []


@pytest.mark.parametrize(
    ("wanted", "has"),
    [
        (HistoryFilter(in_method="USER"), True),
        (HistoryFilter(in_method="ada"), False),
        (HistoryFilter(in_profile="stag"), True),
        (HistoryFilter(in_profile="user"), False),
        (HistoryFilter(words=("ada", "user.")), True),
        (HistoryFilter(words=("ada", "bob")), False),
        (HistoryFilter(method="user"), False),
        (HistoryFilter(method="user.get", outcome="result"), True),
        (HistoryFilter(method="user.get", outcome="error"), False),
    ],
)
def test_parts_of_names_match_only_their_field(wanted: HistoryFilter, has: bool) -> None:
    one = exchange(method="user.get", params='{"name": "Ada of staging user"}')
    raw = to_block(one).encode()
    assert (among(wanted, raw) == [raw]) is wanted.matches(one) is has


@pytest.mark.thorough
def test_every_letter_that_folds_to_ascii_is_known() -> None:
    others = (chr(code) for code in range(0x80, 0x110000) if not 0xD800 <= code < 0xE000)
    assert {one.encode() for one in others if any(map(str.isascii, one.casefold()))} == set(FOLDED_TO_ASCII)


def filled(folder: Path, calls: Iterable[Exchange], rotate_at: int = file.FILE) -> History:
    """Return a history with these calls, appended a hundred at a time."""
    history = History(folder, rotate_at=rotate_at)
    waiting = [*calls]
    while waiting:
        history.unsaved, waiting = waiting[:100], waiting[100:]
        history.save_unsaved()
    return history


@pytest.mark.parametrize("number", [0, 1, 999, 1000, 1998, 1999])
def test_whole_id_is_found_by_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    monkeypatch.setattr(folder, "CHUNK", 4_000)
    monkeypatch.setattr(folder, "OVERTAKING", 16_000)
    history = filled(tmp_path, map(exchange, range(2000)), rotate_at=400_000)
    read = counted(monkeypatch)
    assert history.find(id_of(number)) == exchange(number)
    assert sum(read) < sum(history.sizes()) / 4


def test_call_with_long_response_is_found_by_id(tmp_path: Path) -> None:
    long = exchange(1000, f'{{"jsonrpc":"2.0","id":"1","result":"{"x" * 300_000}"}}')
    history = filled(tmp_path, [*map(exchange, range(1000)), long, *map(exchange, range(1001, 1100))])
    assert [history.find(id_of(number)) for number in (999, 1000, 1001)] == [exchange(999), long, exchange(1001)]


@given(st.lists(st.tuples(st.integers(0, 900), st.integers(0, 400)), unique_by=lambda each: each[0], min_size=1))
def test_every_id_is_found_after_any_duration(begun: list[tuple[int, int]]) -> None:
    calls = [exchange(began) for began, took in sorted(begun, key=sum)]
    with tempfile.TemporaryDirectory() as folder:
        history = filled(Path(folder), calls, rotate_at=20_000)
        assert [history.find(call.id) for call in calls] == calls


@pytest.fixture
def long(one: History) -> History:
    """Return a long history of similar calls that is read in short steps."""
    content = b"".join(block(number=number, note="x" * 600) for number in range(MANY))
    (one.folder / "me@here.toml").write_bytes(content)
    return one


@pytest.fixture(autouse=True)
def short_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file, "CHUNK", 8_000)


def add(history: History, number: int, **given: object) -> None:
    history.append(exchange(number, **given))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "search",
    [
        lambda history: history.search(HistoryFilter("no such text")),
        lambda history: history.search(HistoryFilter(profile="prod")),
        lambda history: history.search(HistoryFilter(method="pong")),
        lambda history: history.search(HistoryFilter(outcome="error")),
        lambda history: history.search(HistoryFilter(bounds=Bounds(code=1))),
        lambda history: history.search(HistoryFilter(bounds=Bounds(status=(400, 499)))),
        lambda history: history.search(HistoryFilter(bounds=Bounds(since=START + timedelta(days=1)))),
        lambda history: history.search(HistoryFilter(bounds=Bounds(until=START - timedelta(days=1)))),
        lambda history: history.search(HistoryFilter(bounds=Bounds(slower=1))),
        lambda history: history.search(HistoryFilter(bounds=Bounds(larger=1000))),
        lambda history: history.search_in_steps(HistoryFilter(words=("kind",))),
        lambda history: history.search_in_steps(HistoryFilter(profile="staging", in_method="user")),
    ],
)
def test_search_reads_no_record_that_cannot_match(
    search: Callable[[History], Iterable[Exchange | Damaged | None]], long: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "read_block", None)
    monkeypatch.setattr(record, "read_record", None)
    assert [found for found in search(long) if found is not None] == []


def test_search_can_stop_after_every_step(long: History, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = counted(monkeypatch)
    looking = long.search_in_steps(HistoryFilter(words=("no such text",)))
    assert next(looking) is None
    assert sizes == []
    for stretch in range(1, 6):
        assert next(looking) is None
        assert sum(sizes) == 8_000 * stretch


def test_overlapping_calls_are_found_by_start_time(long: History) -> None:
    for number in (MANY + 3, MANY + 1, MANY + 2):
        add(long, number, note="found")
        for other in range(20):
            add(long, MANY + other)
    assert sound(long.search(HistoryFilter("found"))) == [id_of(MANY + number) for number in (3, 2, 1)]


def test_methods_are_read_only_from_newest_calls(long: History, monkeypatch: pytest.MonkeyPatch) -> None:
    add(long, MANY, method="pong")
    sizes = counted(monkeypatch)
    monkeypatch.setattr(folder, "NEWEST_BYTES", 20_000)
    assert long.methods("staging") == ["pong", "ping"]
    assert sum(sizes) <= 20_000 + 8_000


def test_record_without_a_time_keeps_its_position(long: History) -> None:
    path = long.folder / "me@here.toml"
    broken = block(number=7, note="harmed").replace(b"\ntime = ", b"\ntome = ")
    path.write_bytes(path.read_bytes() + broken + block(number=MANY + 1, note="harmed"))
    os.utime(path, (0, 0))
    found = list(long.search(HistoryFilter("harmed")))
    assert [type(each).__name__ for each in found] == ["Exchange", "Damaged"]
