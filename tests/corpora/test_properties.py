"""Properties that hold for all actions of a user and a server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from rpcexplorer.history.folder import History
from rpcexplorer.model.draft import Draft, draft_of
from rpcexplorer.model.exchange import Exchange
from tests.corpora.road import Road, short
from tests.history.recording import as_recorded, exchange

SECRET = 'hunter2 "é\\/«'
"""It has every character that JSON, URLs and secret references escape."""
INLINE = 'auth = { kind = "inline", username = "ada" }\n'
TEXT = st.text(max_size=8) | st.sampled_from(
    ["\\", '"', "«", "»", "«shop.password", "\\u", "%", "+", "=", "\x1b", "\ud800"]
)
KEYS = TEXT.filter(lambda text: not text.lower().endswith("password"))
"""Members named like a password are redacted, so a resent call differs."""
EMBEDDED = st.tuples(TEXT, TEXT).map(SECRET.join)


def values(leaf: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    return st.recursive(
        st.none() | st.integers() | TEXT | leaf,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
        max_leaves=5,
    )


@pytest.fixture(scope="module")
def way(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Road]:
    with short(tmp_path_factory.mktemp("short"), INLINE, RPCEXPLORER_SHOP_PASSWORD=SECRET) as made:
        yield made


@given(st.dictionaries(KEYS, values(st.just(SECRET)), max_size=3), values(EMBEDDED), st.booleans())
def test_call_with_a_secret_is_redacted_and_resent(
    way: Road, params: dict[str, Any], value: Any, ascii_only: bool
) -> None:
    way.reply = json.dumps({"jsonrpc": "2.0", "id": "k7", "result": value}).encode()
    typed = json.dumps(params, ensure_ascii=ascii_only or "\\ud800" in json.dumps(params))
    _, request = way.send(Draft("m", typed))
    again = way.reloaded()
    written = (way.explorer.history.folder / f"{way.explorer.history.writer}.toml").read_text()
    assert "hunter2" not in written
    json.loads(again.params)
    json.loads(again.response.body)
    _, repeated = way.send(draft_of(again))
    assert json.loads(repeated) == json.loads(request)


STEPS = st.lists(
    st.tuples(st.sampled_from(["append", "append", "append", "name", "delete", "prune", "reopen"]), st.integers(0, 9)),
    max_size=20,
)


@given(STEPS)
def test_history_behaves_like_an_editable_list(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int]]
) -> None:
    folder = tmp_path_factory.mktemp("history")
    history = History(folder, rotate_at=1500)
    expected: list[Exchange] = []
    for number, (deed, which) in enumerate(steps):
        history, expected = _done(deed, history, expected, number, which)
        assert list(history.all()) == expected
        assert history.unsaved == []
    assert list(History(folder).newest(3)) == expected[:3]


def _done(
    deed: str, history: History, expected: list[Exchange], number: int, which: int
) -> tuple[History, list[Exchange]]:
    """Do one action; return the history and its expected list, newest first."""
    chosen = expected[which % len(expected)] if expected else exchange(10_000)
    match deed:
        case "append":
            history.append(exchange(number))
            return history, [as_recorded(exchange(number)), *expected]
        case "name":
            assert history.annotate(chosen.id, name=str(which)) == bool(expected)
            return history, [replace(call, name=str(which)) if call is chosen else call for call in expected]
        case "delete":
            assert history.delete(chosen.id) == bool(expected)
            return history, [call for call in expected if call is not chosen]
        case "prune":
            assert history.prune(keep=which) == max(len(expected) - which, 0)
            return history, expected[:which]
    return History(history.folder, rotate_at=1500), expected
