"""Redaction of large bodies: pieces do not change the result."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.jsontext.steps import at_once
from rpcexplorer.model.secret import Secret
from rpcexplorer.redaction import redactor
from rpcexplorer.redaction.redactor import Edit, Redactor, redacted_in_pieces

SECRET = "hunter2, é[really]"
HIDE = Redactor(Secret(value, f"dev.{name}") for value, name in ((SECRET, "a"), ("123456789", "b"), ("abc", "c")))
words = st.sampled_from(
    [
        "",
        "a, b",
        "sessionid",
        SECRET,
        SECRET[:9],
        SECRET[9:],
        f"x{SECRET}y{SECRET}",
        "é",
        json.dumps({"sessionid": "abc"}),
        "«",
    ]
) | st.text(max_size=30)
values = st.recursive(
    st.none() | st.just(123456789) | st.integers() | words,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(words, inner, max_size=5),
    max_leaves=25,
)
sizes = st.sampled_from([1, 8, 20, 60, 200])


def in_pieces(body: bytes, size: int) -> bytes:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(redactor, "PIECE", size)
        return at_once(redacted_in_pieces(body, HIDE))


@given(values, sizes, st.booleans(), st.integers(0, 2))
def test_redaction_in_pieces_equals_redaction_of_the_whole(
    value: object, size: int, ascii_only: bool, nested: int
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    for _ in range(nested):
        text = json.dumps([1, text, 2], ensure_ascii=ascii_only)
    assert in_pieces(text.encode(), size) == HIDE.body(text.encode())


@given(values, sizes, st.integers(0, 10_000), st.sampled_from([b"", b",", b"]", b'"', b"{", b"\xff", b"\\"]))
def test_text_that_is_not_json_contains_no_secret(value: object, size: int, place: int, put: bytes) -> None:
    body = json.dumps(value, ensure_ascii=False).encode()
    at = place % len(body)
    body = body[:at] + put + body[at + 1 :]
    left = in_pieces(body, size).decode("utf-8", "surrogateescape")
    assert not list(HIDE.places(left))


def test_body_without_secrets_is_the_same_object() -> None:
    body = json.dumps(["nothing"] * 100).encode()
    assert at_once(redacted_in_pieces(body, HIDE)) is body


def test_only_few_places_of_large_body_are_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[dict[str, object]] = [{"name": f"row {number}", "tags": ["a", "b"]} for number in range(50_000)]
    rows[30_000]["name"] = SECRET
    rows[40_000]["sessionid"] = "abc"
    searched: list[int] = []
    edits = Redactor.edits

    def counted(hide: Redactor, text: str) -> list[Edit]:
        searched.append(len(text))
        return edits(hide, text)

    monkeypatch.setattr(Redactor, "edits", counted)
    left = json.loads(at_once(redacted_in_pieces(json.dumps(rows).encode(), HIDE)))
    assert left[30_000]["name"] == "«dev.a»"
    assert left[40_000]["sessionid"] == "«dev.c»"
    assert left[:30_000] == rows[:30_000]
    assert sum(searched) < 20 * redactor.PIECE
