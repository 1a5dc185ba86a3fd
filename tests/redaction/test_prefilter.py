"""The first look says no only where a real search would find nothing."""

from __future__ import annotations

import json
from base64 import b64encode
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rpcexplorer.model.secret import Secret
from rpcexplorer.redaction import spellings
from rpcexplorer.redaction.redactor import Redactor, edited
from rpcexplorer.redaction.spellings import Prefilter

AWKWARD = "abc019XYZ\"\\'/ %+é漢😀\n«»"


@given(st.text(st.sampled_from(AWKWARD), min_size=6, max_size=14), st.binary(max_size=4))
@example("q7Zr2x", b"")
@example("ab/cd+ef", b"x")
def test_whatever_is_hidden_is_seen(value: str, around: bytes) -> None:
    hide = Redactor([Secret(value, "shop.password")], {"sessionid": "«shop.session»"})
    plain = value.encode()
    escaped = "".join(f"\\u{ord(each):04x}" for each in value if ord(each) < 0x10000)
    encoded = (
        json.dumps(value).encode(),
        quote(value, safe="").encode(),
        b64encode(around + plain),
        plain.hex().encode(),
    )
    letters = [
        ("".join(form.format(ord(each)) for each in value)).encode() for form in ("&#{};", "&#x{:x};", "%5Cu{:04x}")
    ]
    letters += [
        "".join(f"\\x{byte:02x}" for byte in plain).encode(),
        "".join(f"%{byte:02X}" for byte in plain).encode(),
    ]
    for spelled in (plain, escaped.encode(), *encoded, *letters, plain.hex().upper().encode(), b'"SessionID": 1'):
        content = around + spelled + around
        text = content.decode("utf-8", "surrogateescape")
        searched = edited(text, hide.edits(text))
        assert hide.body(content).decode("utf-8", "surrogateescape") == hide.text(text) == searched


@pytest.mark.parametrize("content", [b"", b"plain text", b'{"a": "\\u00e9 \\n", "b": 100}', b"caf%C3%A9"])
def test_most_texts_need_no_search(content: bytes) -> None:
    one = Prefilter(["hunter2-hunter2", 'quo"ted'], ["password", "sessionid"])
    assert not one.matches(content)
    assert one.matches(content + b"PassWord")
    assert all(
        one.matches(content + letter) for letter in (b"\\u0068", b"\\x68", b"%68", b"&#104;", b"&#x68;", b"%5Cu0068")
    )


def test_of_nothing_to_hide_nothing_is_seen() -> None:
    assert not Prefilter([]).matches(b"anything")


def test_a_value_without_letters_is_always_searched_for() -> None:
    assert Prefilter(["«»-!?%"]).matches(b"")


@given(
    st.integers(0, 120),
    st.sampled_from([b"hunter2", b"%25252534", b"%2525252525252525252541", rb"\u0041", b"68756e74657232"]),
)
def test_nothing_is_missed_between_two_slices(before: int, spelled: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spellings, "SLICE", 50)
        one = Prefilter(["hunter2"])
        assert one.matches(b"." * before + spelled + b"." * 60)
        assert not one.matches(b"." * before + b"%2g hunter \\u00e9" + b"." * 60)
