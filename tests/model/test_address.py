"""An address as it is typed: whole where it has a path of its own."""

from __future__ import annotations

import pytest

from rpcexplorer.model.profile import joined, split_address, typed_whole


@pytest.mark.parametrize(
    ("typed", "url", "path"),
    [
        ("http://h", "http://h", None),
        (" http://h:8000 ", "http://h:8000", None),
        ("http://h/", "http://h", "/"),
        ("http://h/api", "http://h", "/api"),
        ("http://h/api/v2/", "http://h", "/api/v2/"),
        ("https://[::1]:8/a/b?x=1&y=2", "https://[::1]:8", "/a/b?x=1&y=2"),
        ("http://h?x=1", "http://h", "/?x=1"),
        ("http://h//a", "http://h", "//a"),
        ("HTTP://H/A", "HTTP://H", "/A"),
        ("nonsense", "nonsense", None),
        ("", "", None),
    ],
)
def test_an_address_with_a_path_is_whole_and_one_without_gets_the_usual_one(
    typed: str, url: str, path: str | None
) -> None:
    assert split_address(typed) == (url, path)
    if path is not None:
        assert joined(url, path) == typed.strip().replace("h?", "h/?")


@pytest.mark.parametrize("address", ["http://h", "http://h/", "http://h/api"])
def test_what_is_typed_for_an_address_leads_there(address: str) -> None:
    url, path = split_address(typed_whole(address))
    assert path is not None
    assert joined(url, path).rstrip("/") == address.rstrip("/")
