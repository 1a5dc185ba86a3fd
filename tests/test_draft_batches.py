"""The batch of each profile is kept, and removed calls can be restored."""

from __future__ import annotations

import stat
from pathlib import Path

from rpcexplorer.drafts import CollectedBatches
from rpcexplorer.model.batch import CollectedCalls, parts_of
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.profile import Profile, ad_hoc
from rpcexplorer.model.secret import Secret
from rpcexplorer.rpc.batch import decode_batch
from tests.text.exchanges import exchange

SHOP, OTHER = Profile("shop", "http://h"), Profile("other", "http://h")
TWO = CollectedCalls().added(Draft("a", "[1.10]")).added(Draft("b", '{ "n": 1 }', notification=True))


def methods(batch: CollectedCalls) -> str:
    return "".join(row.draft.method for row in batch.rows)


def test_each_profile_keeps_its_batch_after_a_restart(tmp_path: Path) -> None:
    batches = CollectedBatches(tmp_path)
    assert batches.of(SHOP) == CollectedCalls()
    assert batches.keep(SHOP, TWO, ()) == ""
    assert CollectedBatches(tmp_path).of(SHOP).text == TWO.text
    assert CollectedBatches(tmp_path).of(OTHER) == CollectedCalls()
    (file,) = (path for path in tmp_path.rglob("*") if path.is_file())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert batches.keep(SHOP, CollectedCalls(), ()) == ""
    assert not file.exists()


def test_removed_call_is_restored_and_removed_again(tmp_path: Path) -> None:
    batches = CollectedBatches(tmp_path)
    batches.keep(SHOP, TWO, ())
    assert not batches.has_replaced(SHOP)
    batches.replace(SHOP, TWO.without(0), ())
    assert batches.has_replaced(SHOP)
    again = CollectedBatches(tmp_path)
    assert methods(again.of(SHOP)) == "b"
    assert again.bring_back(SHOP, ()) == ""
    assert again.of(SHOP).text == TWO.text
    again.bring_back(SHOP, ())
    assert methods(again.of(SHOP)) == "b"
    again.bring_back(SHOP, ())
    again.replace(SHOP, CollectedCalls(), ())
    again.bring_back(SHOP, ())
    assert methods(again.of(SHOP)) == "ab"


def test_outcomes_of_a_batch_are_kept_until_quitting(tmp_path: Path) -> None:
    body = b'[{"jsonrpc":"2.0","id":"x.1","result":1}]'
    sent = exchange(decode_batch(body, ()), body=body, id="x", kind="batch", params=TWO.text)
    batches = CollectedBatches(tmp_path)
    batches.keep(SHOP, TWO.with_exchange(sent, parts_of(sent)), ())
    batches.replace(SHOP, CollectedCalls(), ())
    batches.bring_back(SHOP, ())
    assert [row.exchange.outcome_name for row in batches.of(SHOP).rows if row.exchange] == ["result", "sent"]


def test_files_hold_no_secret_and_none_for_addresses(tmp_path: Path) -> None:
    secret = Secret("correct-horse", "shop.token")
    batches = CollectedBatches(tmp_path)
    batches.keep(SHOP, CollectedCalls().added(Draft("a", '["correct-horse"]')), [secret])
    batches.replace(SHOP, CollectedCalls(), [secret])
    batches.bring_back(SHOP, [secret])
    batches.keep(ad_hoc("http://h"), TWO, ())
    assert batches.of(ad_hoc("http://h")) == TWO
    found = "".join(path.read_text() for path in tmp_path.rglob("*") if path.is_file())
    assert "correct-horse" not in found
    assert "1.10" not in found
    assert CollectedBatches(tmp_path).of(SHOP).rows[0].draft.text == '["«shop.token»"]'
