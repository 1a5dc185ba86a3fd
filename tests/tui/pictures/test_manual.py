"""The manual as text."""

from __future__ import annotations

import pytest

from tests.tui.pictures.drawing import LARGE, SMALL, USUAL, Compare, in_sizes
from tests.tui.test_manual import reading

pytestmark = pytest.mark.thorough


@in_sizes(SMALL, LARGE)
async def test_page_is_laid_out(compare: Compare, size: tuple[int, int]) -> None:
    async with reading(size) as (stage, _):
        await stage.press("tab")
        await compare(stage, "Secrets and where they may go")


async def test_contents_in_a_small_terminal(compare: Compare) -> None:
    async with reading() as (stage, _):
        await stage.press("c", "down")
        await compare(stage, "Manual", "Where rpcexplorer looks")


async def test_search_marks_all_matches(compare: Compare) -> None:
    async with reading(USUAL) as (stage, _):
        await stage.press("slash", *"secret", "enter", "n")
        await compare(stage, "secret", "2 of")
