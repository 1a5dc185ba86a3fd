"""Slices: laid out one by one, they equal the layout of the whole text."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.jsontext import layout as layout_module
from rpcexplorer.jsontext import slices as slices_module
from rpcexplorer.jsontext.layout import LEVELS, Layout, compact, indented, pieces
from rpcexplorer.jsontext.slices import slices

words = st.text(st.sampled_from('ab,:[]{}"\\\n é漢😀'), max_size=50)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | words,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(words, inner, max_size=5),
    max_leaves=25,
)
sizes = st.sampled_from([1, 3, 8, 20, 60, 200])


def spelled(value: object, *, spaces: bool, ascii_only: bool) -> bytes:
    return json.dumps(value, indent=1 if spaces else None, ensure_ascii=ascii_only).encode()


@given(values, sizes, st.booleans(), st.booleans())
def test_slices_are_laid_out_as_the_whole_is(value: object, size: int, spaces: bool, ascii_only: bool) -> None:
    text = spelled(value, spaces=spaces, ascii_only=ascii_only)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slices_module, "SLICE", size)
        assert indented(text) == msgspec.json.format(text, indent=2)
        assert compact(text) == msgspec.json.format(text, indent=-1)


@given(values, sizes, st.integers(0, 10_000), st.sampled_from([b"", b",", b"]", b"}", b'"', b"{", b"[", b"1", b":"]))
def test_damage_is_noticed_in_any_slice(value: object, size: int, place: int, put: bytes) -> None:
    text = spelled(value, spaces=False, ascii_only=False)
    at = place % len(text)
    text = text[:at] + put + text[at + 1 :]
    whole = indented(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slices_module, "SLICE", size)
        assert indented(text) == whole


@pytest.mark.parametrize("odd", ["NaN", r'"\ud800"', '"a\nb"', "1e999", "-Infinity", '"\x01"'])
def test_only_slices_that_msgspec_rejects_are_slow(odd: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f'[{{"a": [1, 2, {odd}]}}, {", ".join(["[3, {}]"] * 40)}]'.encode()
    whole, small = indented(text), compact(text)
    monkeypatch.setattr(slices_module, "SLICE", 30)
    assert len(list(slices(text))) > 5
    assert (indented(text), compact(text)) == (whole, small)


def test_each_slice_is_json_of_bounded_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices_module, "SLICE", 100)
    text = json.dumps(
        [{"name": "a, b", "list": [n, [n]], "long": "x" * 300 * (n % 9 == 0)} for n in range(50)]
    ).encode()
    found = list(slices(text))
    assert max(part.end - part.start for part in found) <= 100
    assert all(msgspec.json.decode(part.value(text)) for part in found)
    assert (found[0].start, found[-1].end) == (0, len(text))


def test_text_is_cut_only_between_few_open_brackets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices_module, "SLICE", 10)
    deep = b"[1, " * 200 + b"2" + b"]" * 200
    assert max(len(part.before) for part in slices(deep)) <= LEVELS
    assert compact(indented(deep)) == deep.replace(b" ", b"")


def test_part_of_body_is_laid_out_without_copy() -> None:
    body = b'{"result": [1, 2]}'
    laid_out = [piece.text for piece in pieces(memoryview(body)[11:-1]) if piece]
    assert b"".join(laid_out) == b"[\n  1,\n  2\n]"


def test_raw_line_break_in_a_string_is_reported() -> None:
    broken = {text: [piece.broken for piece in pieces(text) if piece] for text in (b'["a\nb"]', b'[\n"ab", NaN]')}
    assert list(broken.values()) == [[True], [False]]


def layout_of(text: bytes) -> Layout:
    layout = Layout(text)
    for piece in pieces(text):
        assert piece is not None
        layout.add(piece)
    return layout


@given(values, sizes, st.integers(1, 3), st.lists(st.tuples(st.integers(0, 300), st.integers(0, 300)), max_size=9))
def test_layout_reads_like_the_laid_out_text(
    value: object, size: int, recent: int, offsets: list[tuple[int, int]]
) -> None:
    text = spelled(value, spaces=False, ascii_only=False)
    whole = indented(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slices_module, "SLICE", size)
        patch.setattr(layout_module, "MAX_RECENT", recent)
        layout = layout_of(text)
        assert (len(layout), layout[:], layout[-1:]) == (len(whole), whole, whole[-1:])
        assert [layout[start:stop] for start, stop in offsets] == [whole[start:stop] for start, stop in offsets]
        assert layout.is_in_memory == (len(list(slices(text))) <= recent)


def test_layout_reads_recent_and_slow_slices_from_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices_module, "SLICE", 50)
    monkeypatch.setattr(layout_module, "MAX_RECENT", 2)
    text = json.dumps([*range(100), *[float("nan")] * 100]).encode()
    layout, whole = layout_of(text), indented(text)
    laid_out: list[object] = []

    def noted(text: bytes, indent: int) -> bytes:
        laid_out.append(text)
        return msgspec.json.format(text, indent=indent)

    monkeypatch.setattr(layout_module, "_native", noted)
    for _ in range(3):
        assert layout[:40] + layout[120:140] + layout[-500:] == whole[:40] + whole[120:140] + whole[-500:]
    assert len(laid_out) == 6
    assert layout[:9] + layout[120:129] + layout[:9] == whole[:9] + whole[120:129] + whole[:9]
    assert len(laid_out) == 8
