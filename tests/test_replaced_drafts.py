"""Drafts that gave way to another call."""

from __future__ import annotations

import stat
from pathlib import Path

from rpcexplorer.drafts import MOST, ReplacedDrafts
from rpcexplorer.model.profile import Profile, ad_hoc
from rpcexplorer.model.secret import Secret

SHOP = Profile("shop", "http://h")


def test_they_come_back_newest_first_also_after_a_restart_and_whoever_goes_on_finds_each(tmp_path: Path) -> None:
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


def test_the_last_one_that_is_brought_back_leaves_nothing(tmp_path: Path) -> None:
    replaced = ReplacedDrafts(tmp_path)
    replaced.keep(SHOP, "m", "[1]", ())
    assert replaced.bring_back(SHOP, "m", "", ()) == ("[1]", "")
    assert ReplacedDrafts(tmp_path).of(SHOP, "m") == []


def test_no_more_than_a_few_are_kept(tmp_path: Path) -> None:
    replaced = ReplacedDrafts(tmp_path)
    for number in range(MOST + 2):
        replaced.keep(SHOP, "m", f"[{number}]", ())
    assert replaced.of(SHOP, "m") == [f"[{number}]" for number in range(2, MOST + 2)]


def test_a_file_is_private_and_holds_no_secret_and_none_is_made_for_an_address(tmp_path: Path) -> None:
    replaced = ReplacedDrafts(tmp_path)
    secret = Secret("correct-horse", "shop.token")
    replaced.keep(SHOP, "m", '["correct-horse", {"password": "of-nobody"}]', [secret])
    replaced.keep(ad_hoc("http://h"), "m", "[1]", ())
    assert replaced.of(ad_hoc("http://h"), "m") == ["[1]"]
    (file,) = (each for each in tmp_path.rglob("*") if each.is_file())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "correct-horse" not in file.read_text()
    assert "«shop.token»" in ReplacedDrafts(tmp_path).of(SHOP, "m")[0]


def test_what_cannot_be_written_is_said_and_known_in_this_run(tmp_path: Path) -> None:
    (tmp_path / "drafts").write_text("a file where the folder should be")
    replaced = ReplacedDrafts(tmp_path / "drafts")
    assert "kept only until you quit" in replaced.keep(SHOP, "m", "[1]", ())
    assert replaced.of(SHOP, "m") == ["[1]"]
