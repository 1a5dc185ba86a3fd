"""A fingerprint is one in any of the spellings that people copy it in."""

from __future__ import annotations

import pytest

from rpcexplorer.model.destination import as_fingerprint

PLAIN = "ab" * 31 + "01"


@pytest.mark.parametrize(
    "text", [PLAIN, PLAIN.upper(), f"sha256:{PLAIN}", f"SHA256:{PLAIN.upper()}", ":".join(["AB"] * 31 + ["01"])]
)
def test_colons_and_case_do_not_matter(text: str) -> None:
    assert as_fingerprint(text) == f"sha256:{PLAIN}"


@pytest.mark.parametrize(
    "text", ["", "sha256:", PLAIN[:-2], PLAIN + "00", f"sha1:{PLAIN}", "g" * 64, f"{PLAIN}\n", "٣" * 64]
)
def test_anything_else_is_none(text: str) -> None:
    assert as_fingerprint(text) is None
