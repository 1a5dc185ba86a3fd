"""The first byte that is not UTF-8, for any split into steps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.jsontext import slices
from rpcexplorer.jsontext.slices import fault, faults


def plain_fault(text: bytes) -> int | None:
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return error.start
    return None


@given(st.lists(st.sampled_from(["ab", "é", "漢", "😀"])).map(lambda parts: "".join(parts).encode()), st.integers(4, 9))
def test_character_across_two_steps_is_valid(text: bytes, step: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slices, "STEP", step)
        assert fault(text) is None
        assert fault(text + b"\xff") == len(text)


@given(st.binary(max_size=40), st.integers(4, 9))
def test_first_fault_is_where_a_decoder_finds_it(text: bytes, step: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slices, "STEP", step)
        assert fault(text) == plain_fault(text)


def test_incomplete_character_at_the_end_can_be_allowed() -> None:
    assert fault("é漢".encode()[:-1]) == 2
    assert set(faults("é漢".encode()[:-1], cut=True)) == {None}
    assert 2 in set(faults("é漢".encode()[:-1] + b"a", cut=True))
