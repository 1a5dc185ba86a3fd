"""The redactor: secrets, their spellings, and unchanged text."""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from rpcexplorer.model.secret import Secret
from rpcexplorer.redaction.redactor import Redactor, is_common

MARK = "«not recorded»"
BY_POSITION = Redactor([], guesses=True)
AWKWARD = "ab1\"\\'/ %+é漢😀\n\x00<&=n"


def redactor(*values: str) -> Redactor:
    return Redactor([Secret(value, f"shop.s{number}") for number, value in enumerate(values)])


def spellings(value: str) -> Iterator[str]:
    """Return all spellings of a value that a server, a log or a URL may use."""
    ascii_only, unicode = json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]
    yield value
    for once in (ascii_only, unicode, ascii_only.replace("/", "\\/"), _large_digits(ascii_only)):
        yield once
        yield json.dumps(once)[1:-1]
        yield json.dumps(json.dumps(once)[1:-1])[1:-1]
    for quoted in (quote(value), quote(value, safe=""), quote_plus(value), quote(quote(value))):
        yield quoted
        yield _small_digits(quoted)
    yield value.encode().hex()
    yield value.encode().hex().upper()
    for once in (value, ascii_only, unicode):
        yield html.escape(once)
        yield quote(once, safe="")
    yield html.escape(html.escape(value), quote=False)
    yield json.dumps(html.escape(value))[1:-1]
    yield quote(html.escape(value))
    for python in (repr(value)[1:-1], ascii(value)[1:-1], repr(value.encode())[2:-1]):
        yield python
        yield repr(python)[1:-1]
        yield quote(python)
        yield html.escape(python)


def _large_digits(text: str) -> str:
    escape = r"(?<!\\)((?:\\\\)*\\u)([0-9a-f]{4})"
    return re.sub(escape, lambda found: found[1] + found[2].upper(), text)


def _small_digits(text: str) -> str:
    parts = text.split("%")
    return "%".join([parts[0], *(part[:2].lower() + part[2:] for part in parts[1:])])


def values() -> st.SearchStrategy[str]:
    awkward = st.text(st.sampled_from(AWKWARD), min_size=6, max_size=12)
    return (awkward | st.text(st.characters(exclude_categories=["Cs"]), min_size=6, max_size=12)).filter(
        lambda value: value not in "«shop.s0»" and any(map(str.isalnum, value)) and not is_common(value)
    )


def around() -> st.SearchStrategy[str]:
    return st.text(st.sampled_from(AWKWARD + "{}[]:,«»0dcu5"), max_size=6)


def json_values(leaf: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.recursive(leaf, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner))


# Redaction by value.


@given(values(), around(), around())
@example("&amp;x&&y", "", "")
@example("&#65;bcdef", "&", "amp;")
@example("%5Cabc%25", "%", "25")
@example("\\%5Cab\\x41", "%5C", "")
@example("41abcd99", "100%", "")
@example("\\\\\\\\\\\\x", "\\", "\\n")
@example("abcdefg%", "", "41")
@example('pa"ss\\', "", "u0041")
def test_no_spelling_of_a_secret_is_left(value: str, before: str, after: str) -> None:
    hide = redactor(value)
    for spelled in spellings(value):
        once = hide.text(f"{before}{spelled}{after}")
        assert spelled not in once.replace("«shop.s0»", "\x01")
        assert "«shop.s0»" in once
        assert hide.text(once) == once


@given(values(), st.binary(max_size=5), st.binary(max_size=5))
@example("password?>", b"ada:", b"")
def test_base64_is_redacted_at_every_alignment(value: str, before: bytes, after: bytes) -> None:
    hide = redactor(value)
    own = len(value.encode()) * 8 // 6  # The digits that only the value decides, without one or two at the ends.
    for encode in (b64encode, urlsafe_b64encode):
        encoded = encode(before + value.encode() + after).decode()
        for text in (f"Basic {encoded}", encoded.rstrip("="), json.dumps(encoded).replace("/", "\\/"), quote(encoded)):
            hidden = hide.text(text)
            assert "«shop.s0»" in hidden
            assert len(hidden.replace("«shop.s0»", "")) <= len(text) - own + 3
            assert hide.text(hidden) == hidden


@pytest.mark.thorough
@given(st.data(), values())
@example(None, "123456")
@example(None, "nabcdef")
def test_json_stays_json_without_the_value(data: st.DataObject | None, value: str) -> None:
    texts = st.text(max_size=4).flatmap(lambda text: st.sampled_from([text, value, f"\n{text}{value}\\{text}"]))
    leaf = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts
    document = data.draw(json_values(leaf)) if data else {"n": 1234567, "escape": f"\n{value}\\", "é": [f"\\{value}"]}
    for ascii_only in (True, False):
        hidden = redactor(value).text(json.dumps(document, ensure_ascii=ascii_only))
        assert value not in json.dumps(json.loads(hidden.replace("«shop.s0»", "")), ensure_ascii=False)
        assert redactor(value).text(hidden) == hidden


JWT = (
    lambda value: json.dumps({"sub": "ada", "password": value, "iat": 1}),
    lambda value: json.dumps({"sub": "ada", "password": value}, ensure_ascii=False),
    lambda value: json.dumps({"p": value}).replace("/", "\\/"),
    lambda value: json.dumps({"p": value}, ensure_ascii=False).translate({ord(c): f"\\u{ord(c):04x}" for c in "<>&"}),
)


@pytest.mark.parametrize("value", ['quo"te\\slash', "pässwörd-№-😀", "a/b<c>&d'e+f`g", "hunter2hunter2"])
@pytest.mark.parametrize("payload", JWT)
@pytest.mark.parametrize("before", ["", "x", "xy"])
def test_base64_of_json_with_a_secret_is_redacted(payload: Callable[[str], str], value: str, before: str) -> None:
    hide = redactor(value)
    for encode in (b64encode, urlsafe_b64encode):
        token = encode(f"{before}{payload(value)}".encode()).decode().rstrip("=")
        hidden = hide.text(f"Bearer eyJhbGciOiJub25lIn0.{token}.")
        assert "«shop.s0»" in hidden
        left = hidden.replace("Bearer eyJhbGciOiJub25lIn0.", "").replace("«shop.s0»", "")
        assert len(left) <= len(token) - len(value) * 8 // 6 + 4


def test_number_that_is_a_secret_becomes_a_string() -> None:
    assert redactor("123456").text('{"pin": 123456, "n": [9123456e1]}') == '{"pin": "«shop.s0»", "n": ["«shop.s0»"]}'


def test_secret_across_json_punctuation_keeps_the_punctuation() -> None:
    assert redactor('abc", "def').text('["xabc", "defx"]') == '["x«shop.s0»", "«shop.s0»x"]'


def test_match_never_cuts_an_escape_in_half() -> None:
    assert redactor("nabcdef").text(r'"1\nabcdef"') == '"1«shop.s0»"'
    assert redactor("abcdef\\").text(r'"abcdef\" 1"') == '"«shop.s0» 1"'


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("abcdef", "«shop.s0»"),
        ("xdefghi", "x«shop.s1»"),
        ("abcdefghi", "«shop.s2»"),
        ("abcdefxdefghijk", "«shop.s0»x«shop.s1»jk"),
        ("abcdef-abcdefgh", "«shop.s0»-«shop.s2»"),
    ],
)
def test_overlapping_secrets_are_redacted_completely(text: str, hidden: str) -> None:
    assert redactor("abcdef", "defghi", "abcdefgh").text(text) == hidden


def test_reference_is_not_damaged_by_secret_inside_it() -> None:
    hide = Redactor([Secret("shop.pass", "shop.password")])
    assert hide.text("«shop.password» shop.pass") == "«shop.password» «shop.password»"
    assert hide.text(r'"\u00abshop.password\u00bb"') == r'"\u00abshop.password\u00bb"'


def test_secret_that_overlaps_reference_is_redacted_before_it() -> None:
    assert redactor("abcdef«shop").text("abcdef«shop.s0»") == "«shop.s0»«shop.s0»"


def test_short_secret_is_redacted_by_position_only() -> None:
    hide = Redactor([Secret("tig\\", "shop.password"), Secret("tigers", "shop.session")])
    assert hide.text(r'{"pet": "tig\\", "password": "tig\\"}') == r'{"pet": "tig\\", "password": "«shop.password»"}'
    assert hide.by_position == ("shop.password",)


def test_user_name_is_redacted_only_in_its_places() -> None:
    hide = Redactor([Secret("support-team", "shop.username")], places=["password"], username_places=["user"])
    text = '{"user": "%s", "password": "support-team", "support-team": "support-team"}'
    assert hide.text(text % "support-team") == text % "«shop.username»"
    assert hide.by_position == ()


def test_member_names_stay_if_requested() -> None:
    hide = Redactor([Secret("hunter2", "shop.password")], names=False)
    assert hide.text('{"hunter2" : "hunter2", "a": ["hunter2"]}') == (
        '{"hunter2" : "«shop.password»", "a": ["«shop.password»"]}'
    )
    assert hide.text('{"hunter2": "cut') == '{"«shop.password»": "cut'


def test_empty_secret_redacts_nothing() -> None:
    hide = Redactor([Secret("", "shop.password")], places=["a"])
    assert hide.text('{"a": "", "": ""}') == '{"a": "", "": ""}'
    assert hide.by_position == ()


@given(st.text())
def test_text_without_secrets_does_not_change(text: str) -> None:
    assert Redactor([]).text(text) == text


# Redaction by position.


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ('{"password": "x"}', '{"password": "«not recorded»"}'),
        ('{"a": [{"sessionid":"x","b":1}]}', '{"a": [{"sessionid":"«not recorded»","b":1}]}'),
        ('{"PassWord" \n:\t"x"}', '{"PassWord" \n:\t"«not recorded»"}'),
        ('{"password": 12.5e3, "b": 1}', '{"password": "«not recorded»", "b": 1}'),
        ('{"password": {"a": "}\\"", "b": [1]}, "c": 2}', '{"password": "«not recorded»", "c": 2}'),
        ('{"password": ["]", []], "c": 2}', '{"password": "«not recorded»", "c": 2}'),
        (r'{"password": "a\"b\\", "c": "d"}', '{"password": "«not recorded»", "c": "d"}'),
        (r'{"j": "{\"password\": 7\n}"}', r'{"j": "{\"password\": \"«not recorded»\"\n}"}'),
        (r'{"j": "{\"password\": \"x"}', r'{"j": "{\"password\": \"«not recorded»\""}'),
        (r'{"j": "{\"password\": [1"}', r'{"j": "{\"password\": \"«not recorded»\""}'),
        (r'{"password": "\\"}', '{"password": "«not recorded»"}'),
        (r'{"p\u0061ssword": "x"}', r'{"p\u0061ssword": "«not recorded»"}'),
        ('{"password": "x", "password": "y"}', '{"password": "«not recorded»", "password": "«not recorded»"}'),
    ],
)
def test_member_is_redacted_whatever_its_value(text: str, hidden: str) -> None:
    assert BY_POSITION.text(text) == hidden
    json.loads(hidden)


@pytest.mark.parametrize("value", ["hunter2", 'h"u\\n\n"', 7, {"a": ['"]}']}, [1, ["x\\"]]])
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("quotes", ['\\"', "\\u0022"])
def test_member_in_nested_json_is_found(value: object, indent: int | None, quotes: str) -> None:
    document: object = {"n": 1, "password": value, "after": "stays"}
    for _ in range(4):
        text = re.sub(
            r"\\(.)", lambda escape: quotes if escape[1] == '"' else escape[0], json.dumps(document, indent=indent)
        )
        found = json.loads(BY_POSITION.text(text))
        while isinstance(found, dict) and "json" in found:
            found = json.loads(found["json"])
        assert found == {"n": 1, "password": MARK, "after": "stays"}
        document = {"json": text}


@given(st.data())
def test_redacting_members_changes_nothing_else(data: st.DataObject) -> None:
    leaf = st.none() | st.booleans() | st.integers() | st.text(st.sampled_from('ab"\\{}[]:,\n'))
    names = st.sampled_from(["password", "PASSWORD", "sessionid", "passwords", "a", '"', "\\"])
    document = data.draw(st.recursive(leaf, lambda inner: st.lists(inner) | st.dictionaries(names, inner)))

    def hides(name: str, value: object) -> bool:
        return len(name) > 1 and value not in ("", [], {}) and not isinstance(value, bool | None)

    def expected(value: object) -> object:
        if isinstance(value, list):
            return [expected(item) for item in value]
        if isinstance(value, dict):
            return {name: MARK if hides(name, item) else expected(item) for name, item in value.items()}
        return value

    text = json.dumps(document, indent=data.draw(st.sampled_from([None, 1])))
    assert json.loads(BY_POSITION.text(text)) == expected(document)


@given(
    st.sampled_from(['{"a": 1, "password": "hunter \\" 2"}', '{"j": "{\\"password\\": \\"hunter 2\\"}"}']), st.data()
)
def test_json_cut_anywhere_contains_nothing_of_the_value(text: str, data: st.DataObject) -> None:
    cut = text[: data.draw(st.integers(0, len(text)))]
    hidden = BY_POSITION.text(cut)
    assert "h" not in hidden.replace(MARK, "")
    assert BY_POSITION.text(hidden) == hidden


def test_member_inside_prose_is_redacted() -> None:
    said = 'server said "no": {"password": "hunter2"} is 5" too long'
    assert BY_POSITION.text(said) == said.replace("hunter2", MARK)


@pytest.mark.parametrize(
    "text",
    [
        '{"password": "«prod.password»"}',
        '{"password_hint": "x"}',
        '["password", "x"]',
        '{"a": "password"}',
        '{"a": "\\"password", "b": ": x"}',
        '{"a": "\\"password\\":"}',
        '"password":',
    ],
)
def test_member_that_only_looks_secret_stays(text: str) -> None:
    assert BY_POSITION.text(text) == text


# Bytes, and speed.


@given(st.binary(), st.binary())
def test_bytes_that_are_not_text_lose_only_secret(before: bytes, after: bytes) -> None:
    assume(b"hunter2" not in before + after)
    hidden = redactor("hunter2").body(before + b"\xff'hunter2'\xff" + after)
    assert hidden == before + b"\xff'" + "«shop.s0»".encode() + b"'\xff" + after


def test_bodies_together_are_redacted_like_each_alone() -> None:
    hide = Redactor([Secret('ab1"\\ hunter2', "shop.token"), Secret("ada", "shop.username")], guesses=True)
    texts = [*spellings('ab1"\\ hunter2'), "/user:pa55word@host", "?token=abc", '{"password": "x"}', '"token"', ":1"]
    some = [text.encode() for text in texts] + [b"\xff", b"", b'{"apiver":1}']
    plain = [b'{"method":"tick","params":[%d]}' % number for number in range(20)]
    assert hide.bodies(plain) == plain
    assert hide.bodies(plain + some) == plain + [hide.body(body) for body in some]
    for body in some:
        assert hide.bodies([*plain, body]) == [*plain, hide.body(body)]


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_secret_in_another_encoding_is_found_in_bytes(encoding: str) -> None:
    assert redactor("müßig!").body("<müßig!> Ü".encode(encoding)) == b"<" + "«shop.s0»".encode() + "> Ü".encode(
        encoding
    )


@pytest.mark.parametrize(
    "unit",
    [
        *("\\", '\\"', "%25", "a", '"password":', '{"password": ', "\\u00", '"password": "a\\\\', "&", "&amp;", "amp;"),
        *("%5C", "&#92;", "&#x5C;", "\\x", "a%5C", "a&#92;", "&#0", "%26%23", "\\u0041", "%41", "&#65;", '"token":"'),
        *("/", "//a:", "//a:b", "?token=", "/token/a1b2c3d4e5f6", "&key=", "\\/"),
        *('{"password":[', '{"token":[', '{"session":"x","token":[', '"password":"'),
    ],
)
def test_no_text_makes_redaction_slow(unit: str, soon: None) -> None:
    text = unit * (100_000 // len(unit))
    values = ('\\\\a"%25aaaaaa\\', "aaaaab", '"password":', "\\\\\\\\\\\\", "x&&&&&&", "a&a\\a%a;", "%%%%%%a")
    secrets = [Secret(value, f"shop.s{number}") for number, value in enumerate((*values, "tiny5"))]
    hide = Redactor(secrets, profile="shop", places=["password"], guesses=True)
    hide.text(text)


def test_password_equal_to_profile_name_hides_by_position() -> None:
    """The name is public, and commands that users type contain it."""
    hide = Redactor([Secret("deluge", "deluge.password")])
    assert hide.text("profiles secret deluge password") == "profiles secret deluge password"
    assert hide.text('{"password":"deluge"}') == '{"password":"«deluge.password»"}'
    assert Redactor([Secret("deluge", "other.password")]).text("deluge") == "«other.password»"


@pytest.mark.parametrize("name", ["/etc/passwd", "{password}", "«shop.password"])
def test_text_that_is_not_a_name_redacts_nothing(name: str) -> None:
    text = json.dumps({name: "root:x:0:0"}, ensure_ascii=False)
    assert Redactor([], guesses=True).text(text) == text
