"""Where bytes stop being UTF-8, however they are cut into steps."""

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
def test_characters_across_two_steps_are_no_fault(text: bytes, step: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slices, "STEP", step)
        assert fault(text) is None
        assert fault(text + b"\xff") == len(text)


@given(st.binary(max_size=40), st.integers(4, 9))
def test_the_first_fault_is_where_a_decoder_finds_it(text: bytes, step: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slices, "STEP", step)
        assert fault(text) == plain_fault(text)


def test_half_a_character_at_the_end_may_be_let_pass() -> None:
    assert fault("é漢".encode()[:-1]) == 2
    assert set(faults("é漢".encode()[:-1], cut=True)) == {None}
    assert 2 in set(faults("é漢".encode()[:-1] + b"a", cut=True))
