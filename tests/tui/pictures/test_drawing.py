"""Pictures tell the roles of text and grounds."""

from __future__ import annotations

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from rpcexplorer.tui.theme import ThemeStyles, line
from tests.tui.pictures.drawing import ROLES, THEME, TextPicture, picture_of

STYLES = ThemeStyles(THEME)


PICTURE = """\
 1  ✓ result 34 ms 価格
 2  one
 3  PROD              F4

Roles: d dim, w well, p prod, b background, s surface, k json-key
 1r W WWWWWW      kkkkk
 3r BBBB              dd

Grounds:
 3g ppppssssssssssssssss

Attributes: u underline
 1a               uuuuu
"""


def test_each_role_has_a_colour_of_its_own() -> None:
    assert len({THEME.variables[role] for role in ROLES}) == len(ROLES)


def test_picture_has_text_and_roles() -> None:
    rows = [
        line([("✓ result", "well bold"), (" 34 ms", "text"), (" 価格", "json-key underline")], 20, STYLES),
        line([("one", "text")], 20, STYLES),
        line([("PROD", "bold on:prod")], 20, STYLES, right=[("F4", "dim")], ground="surface"),
    ]
    assert picture_of(rows) == PICTURE


def test_colour_of_no_role_fails() -> None:
    with pytest.raises(AssertionError, match="'red' has the colour #ff0000, which is no role's"):
        picture_of([Strip([Segment("red", Style(color="#ff0000"))])])


def test_difference_is_shown_by_rows() -> None:
    before = picture_of([line([("fine", "well")], 4, STYLES)])
    after = picture_of([line([("fine", "wrong")], 4, STYLES)])
    rows = ["--- kept", "+++ drawn", "-Roles: w well", "- 1r wwww", "+Roles: x wrong", "+ 1r xxxx"]
    assert [*TextPicture().diff_lines(after, before)] == rows
