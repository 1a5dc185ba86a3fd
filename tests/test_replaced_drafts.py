"""Drafts that another call replaced."""

from __future__ import annotations

import stat
from pathlib import Path

from rpcexplorer.drafts import MOST, ReplacedDrafts
from rpcexplorer.model.profile import Profile, ad_hoc
from rpcexplorer.model.secret import Secret

SHOP = Profile("shop", "http://h")


def test_replaced_drafts_are_restored_newest_first_after_restart(tmp_path: Path) -> None:
    before = ReplacedDrafts(tmp_path)
    for text in ("[1]", "[2]", "[1]", "[3]"):
        assert before.keep(SHOP, "m", text, ()) == ""
    replaced = ReplacedDrafts(tmp_path)
    assert replaced.of(SHOP, "m") == ["[2]", "[1]", "[3]"]
    assert replaced.of(SHOP, "other") == []
    now, seen = "[4]", []
    for _ in range(4):
        now, problem = replaced.bring_back(SHOP, "m", now, ())
        assert problem == ""
        seen.append(now)
    assert seen == ["[3]", "[1]", "[2]", "[4]"]
    assert ReplacedDrafts(tmp_path).of(SHOP, "m") == ["[2]", "[1]", "[3]"]


def test_last_restored_draft_leaves_nothing(tmp_path: Path) -> None:
    replaced = ReplacedDrafts(tmp_path)
    replaced.keep(SHOP, "m", "[1]", ())
    assert replaced.bring_back(SHOP, "m", "", ()) == ("[1]", "")
    assert ReplacedDrafts(tmp_path).of(SHOP, "m") == []


def test_only_a_few_replaced_drafts_are_kept(tmp_path: Path) -> None:
    replaced = ReplacedDrafts(tmp_path)
    for number in range(MOST + 2):
        replaced.keep(SHOP, "m", f"[{number}]", ())
    assert replaced.of(SHOP, "m") == [f"[{number}]" for number in range(2, MOST + 2)]


def test_files_are_private_without_secrets_or_addresses(tmp_path: Path) -> None:
    replaced = ReplacedDrafts(tmp_path)
    secret = Secret("correct-horse", "shop.token")
    replaced.keep(SHOP, "m", '["correct-horse", {"password": "of-nobody"}]', [secret])
    replaced.keep(ad_hoc("http://h"), "m", "[1]", ())
    assert replaced.of(ad_hoc("http://h"), "m") == ["[1]"]
    (file,) = (path for path in tmp_path.rglob("*") if path.is_file())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "correct-horse" not in file.read_text()
    assert "«shop.token»" in ReplacedDrafts(tmp_path).of(SHOP, "m")[0]


def test_unwritable_replaced_draft_is_reported_and_kept(tmp_path: Path) -> None:
    (tmp_path / "drafts").write_text("a file where the folder should be")
    replaced = ReplacedDrafts(tmp_path / "drafts")
    assert "kept only until you quit" in replaced.keep(SHOP, "m", "[1]", ())
    assert replaced.of(SHOP, "m") == ["[1]"]
