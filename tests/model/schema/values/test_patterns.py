"""A text for a simple pattern, and nothing for one that is not."""

from __future__ import annotations

import re

import pytest

from rpcexplorer.schema.fit import LONGEST, MOST_REPEATS, matches, sample


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("", ""),
        ("^0x[0-9a-fA-F]{40}$", "0x" + "0" * 40),
        ("^0x([1-9a-f]+[0-9a-f]*|0)$", "0xa"),
        ("^0x([1-9a-f]+[0-9a-f]{0,31})|0$", "0xa"),
        (r"[-a-z0-9]{3,8}(:[-_a-zA-Z0-9]{1,32})?", "000"),
        (r"^\d{4}-\d\d\.(?:a|b)\x41\/$", "0000-00.aA/"),
        (r"^[^0x\-]+?.$", "Ax"),
        ("^(a$|b$)", "a"),
        (r"[\w.]+@[^@]+", "a@x"),
    ],
)
def test_the_least_text_that_matches_is_made(pattern: str, text: str) -> None:
    assert sample(pattern) == text
    assert re.search(pattern, text)


@pytest.mark.parametrize(
    "pattern",
    ["(?=a)a", r"(a)\1", r"\bword", "a^", "$a", "(a", "a)", "[a", "[]", "*", "a**", "(?i)a", r"\p{L}", r"[^\d]",
     "[a[b]]", "\\", "a{999}{999}", "(" * 1_000, "a" * (LONGEST + 1), "(?<n>a)", "[^x0A_-]"],
)  # fmt: skip
def test_what_is_no_simple_pattern_has_no_sample_and_is_never_run(pattern: str) -> None:
    assert sample(pattern) is None
    assert matches(pattern, "a") is None


def test_a_text_matches_or_does_not_or_it_would_take_too_long_to_tell() -> None:
    assert (matches("^a+b?$", "aab"), matches("^a+b?$", "ba")) == (True, False)
    assert matches("^a+$", "a" * 1_000) is True
    assert matches("a*a*a*b", "a" * 100) is None
    assert matches("^a*a*a*b", "a" * 100) is None
    assert matches("a*" * MOST_REPEATS, "") is None
    assert matches("^(a+)+$", "a" * 40 + "b") is None
