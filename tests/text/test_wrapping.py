"""Tables of (line, width) -> rows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.text.printable import columns
from rpcexplorer.text.wrapping import Breaks, WordLine, fitting, limited, shortened, text_of, wrapped, wrapped_text

LETTERS = st.lists(st.sampled_from([*"ab {日·\x1b\ud800", "❤\ufe0f", "⭐\ufe0f"]), max_size=20).map("".join)
PIECES = st.lists(st.tuples(LETTERS, st.sampled_from(["text", "json-key"])), max_size=5)
BREAKS: list[Breaks] = ["json", "words", "whole", "anywhere"]
TWO = [("it was cut, redirect.", "text"), ("  ·  ", ""), ("through the proxy", "middle")]


def texts(rows: list[WordLine]) -> list[str]:
    return [text_of(row) for row in rows]


@pytest.mark.parametrize(
    ("text", "width", "rows"),
    [
        ("", 5, [""]),
        ("short", 5, ["short"]),
        ("   a   b", 20, ["   a   b"]),
        ("one two three", 8, ["one two", "three"]),
        ("one   two", 5, ["one", "two"]),
        ("see https://example.com", 10, ["see", "https://ex", "ample.com"]),
        ("日本日本日本", 5, ["日本", "日本", "日本"]),
        ("❤\ufe0f❤\ufe0f", 3, ["❤\ufe0f", "❤\ufe0f"]),
        ("one and · two", 9, ["one and", "· two"]),
        ("page default 10", 12, ["page", "default 10"]),
        ("a\x1bb cd", 4, ["a␛b", "cd"]),
        ("first, run `rpcexplorer call x`.", 24, ["first, run", "`rpcexplorer call x`."]),
        ("abc", 1, ["ab", "c"]),
    ],
)
def test_text_is_broken_between_words(text: str, width: int, rows: list[str]) -> None:
    assert wrapped_text(text, width) == rows


@pytest.mark.parametrize(
    ("line", "hang", "breaks", "rows"),
    [
        ([("  one two three four", "text")], None, "json", ["  one two", "  three", "  four"]),
        ([("ab  ", "dim"), ("one two three", "text")], None, "json", ["ab  one", "    two", "    three"]),
        ([("abcdefg ", "dim"), ("one two", "text")], None, "json", ["abcdefg", "one two"]),
        ([("  ", "text"), ("[1, 2, 3, 4]", "json-number")], None, "json", ["  [1, 2, 3", "  , 4]"]),
        ([("  ", "text"), ("[1, 2, 3, 4]", "json-number")], None, "words", ["  [1, 2,", "  3, 4]"]),
        ([("     ", "text"), ("    ", "json-key"), ("日", "text")], None, "json", ["         ", "     日"]),
        ([("         日本日", "text")], None, "json", ["         ", "        日", "        本", "        日"]),
        ([("one ", "text"), ("o", "bold"), (". two three", "text")], 0, "words", ["one o. two", "three"]),
        ([("one two three", "text")], 4, "words", ["one two", "    three"]),
        ([("a   b   c   d", "text")], 2, "anywhere", ["a   b   c ", "    d"]),
        ([("1234567👍🏽👍🏽", "text")], 0, "anywhere", ["1234567👍🏽", "👍🏽"]),
        ([("  ok   abcdefghijklm end", "text")], 2, "whole", ["  ok", "  abcdefghijklm", "  end"]),
    ],
)
def test_line_is_broken_in_ten_columns(line: WordLine, hang: int | None, breaks: Breaks, rows: list[str]) -> None:
    assert texts(list(wrapped(line, 10, hang, breaks))) == rows


@pytest.mark.thorough
@given(PIECES, st.integers(2, 30), st.none() | st.integers(0, 40), st.sampled_from(BREAKS))
def test_rows_fit_and_lose_only_blanks(words: WordLine, width: int, hang: int | None, breaks: Breaks) -> None:
    rows = texts(list(wrapped(words, width, hang, breaks)))
    whole = "".join(texts(list(wrapped(words, 1_000))))
    assert all(columns(row) <= width for row in rows) or breaks == "whole"
    assert "".join(rows).replace(" ", "") == whole.replace(" ", "")
    assert all(row.isprintable() for row in rows)


def test_rows_join_pieces_of_a_role() -> None:
    line = [("see ", "text"), ("rpc_call", "json-key"), (" for more", "text")]
    assert list(wrapped(line, 14, 0, "words")) == [
        [("see ", "text"), ("rpc_call", "json-key")],
        [("for more", "text")],
    ]


@pytest.mark.parametrize(
    ("width", "most", "rows"),
    [
        (60, 3, ["it was cut, redirect.  ·  through the proxy"]),
        (26, 3, ["it was cut, redirect.", "·  through the proxy"]),
        (26, 1, ["it was cut, redirect. …"]),
        (22, 1, ["it was cut, …"]),
        (12, 2, ["it was cut,", "redirect. …"]),
        (6, 3, ["it was", "cut,", "redi …"]),
    ],
)
def test_rows_that_are_left_out_have_a_sign(width: int, most: int, rows: list[str]) -> None:
    assert texts(limited(wrapped(TWO, width, 0), most, width)) == rows


@pytest.mark.parametrize(("width", "line"), [(9, "user.list"), (8, "user.li…"), (3, "us…")])
def test_shortened_line_ends_with_a_sign(width: int, line: str) -> None:
    assert texts([shortened([("user", "bold"), (".list", "text")], width)]) == [line]


@pytest.mark.parametrize(("width", "line"), [(9, "open 5 s "), (8, "open"), (4, "open"), (1, "o")])
def test_first_wording_that_fits_is_shown(width: int, line: str) -> None:
    wordings = [[("open ", "well"), ("5 s ", "text")], [("open", "well")], [("o", "well")]]
    assert texts([fitting(wordings, width)]) == [line]
