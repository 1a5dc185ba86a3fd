"""Secrets in addresses, and long parts that are not secrets."""

from __future__ import annotations

import json

import pytest

from rpcexplorer.redaction.addresses import places, redacted_address, secrets_in

HEX = "9f86d081884c7d659a2feaa0c55ad015"
MIXED = "Zx81LkQm03TrV5bN_cY7pWq2-Hs9DfGj"
UUID = "0b7f2a64-5f0e-4c1d-9a51-2f3e8c7d1b90"
IN_TEXT = {
    "https://ada:hunter2@h/x": "hunter2",
    r"https:\/\/ada:hun\/ter2@h": r"hun\/ter2",
    "tcp://:p@ss/w?#@h:80": "p@ss/w?#",
    "//ada:x@h": "x",
    "https://h/?access_token=abc": "abc",
    "/relative?a=1&password=abc&b=2": "abc",
    "?a=1&amp;api_key=abc": "abc",
    r"?a=1\u0026sessionid=abc": "abc",
    f"https://h/?token={UUID}": UUID,
    f"https://h/?key={HEX}": HEX,
    "https://h/?sig=a1%2Bb2c3d4e5f6%3D": "a1%2Bb2c3d4e5f6%3D",
    f"https://mainnet.infura.io/v3/{HEX}": HEX,
    f"https://eth.example/v2/{MIXED}?x=1": MIXED,
    rf"https:\/\/h\/v3\/{HEX}\/x": HEX,
    "/api/token/a1b2c3d4e5f6": "a1b2c3d4e5f6",
    "/token/eyJhbGciOi.eyJzdWIiOi.SflKxwRJSM": "eyJhbGciOi.eyJzdWIiOi.SflKxwRJSM",
    "https://api.telegram.org/bot110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/getMe": (
        "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"
    ),
}
NONE = [
    f"https://h/users/{UUID}",
    f"https://h/v3/{UUID}",
    f"https://h/token/{UUID}",
    f"https://h/commit/{HEX}12345678",
    f"https://h/v3/0x{HEX}",
    "https://h/v1/a-long-title-of-2026-with-4-numbers-in-it",
    "https://h/v3/getblockchaininformation",
    "https://h/token/refresh-now-please",
    f"https://h/v3/{HEX}.png",
    "https://h/?key=customer_name&next_token=abc&sort=token",
    "https://h/?auth=required&session=true",
    "https://h/?token={token}&password=${PASSWORD}&apikey=<your key>",
    "https://h/?token=«shop.session»&password=«not recorded»",
    "https://h:8080/a@b",
    "http://[::1]:8000/a@b",
    "https://ada@h/x",
    "https://ada:{password}@h",
    "registry.example/team/app:1.2@sha256:0",
    "a ? b : c && token=abc",
    "",
]


@pytest.mark.parametrize(("text", "secret"), IN_TEXT.items())
def test_secret_in_any_part_of_address_is_found(text: str, secret: str) -> None:
    for around in ("{}", 'see "{}" there', '{{"link": "{}"}}'):
        said = around.format(text)
        assert [said[each.start : each.end] for each in places(said)] == [secret]


@pytest.mark.parametrize("text", NONE)
def test_part_that_looks_like_secret_is_ignored(text: str) -> None:
    assert list(places(text)) == []
    assert list(places(json.dumps({"link": text}, ensure_ascii=False))) == []


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("http://ada:pa/ss@h:80/api", "http://h:80/api"),
        ("http://ada:p@ss/w?#@h/api", "http://h/api"),
        ("http://ada@h/api", "http://h/api"),
        ("http://h/a@b", "http://h/a@b"),
        ("http://[::1]:8000/a@b", "http://[::1]:8000/a@b"),
        (f"https://h/v3/{HEX}", "https://h/v3/«not recorded»"),
        (f"https://node.example/{HEX}/", "https://node.example/«not recorded»/"),
        (f"https://node.example/eth/{MIXED}?a={HEX}", f"https://node.example/eth/«not recorded»?a={HEX}"),
        (f"https://h/{UUID}/api?apikey=abc", f"https://h/{UUID}/api?apikey=«not recorded»"),
        ("https://h:8000/ada:hunter2@x/api", "https://h:8000/«not recorded»@x/api"),
        ("https://h/user:password@x", "https://h/«not recorded»@x"),
        ("https://h/user:{password}@x", "https://h/user:{password}@x"),
        ("https://h/api/v2/", "https://h/api/v2/"),
        ("", ""),
        ("no url", "no url"),
    ],
)
def test_long_random_part_of_called_address_is_redacted(url: str, kept: str) -> None:
    assert redacted_address(url) == kept
    assert redacted_address(kept) == kept


@pytest.mark.parametrize("text", ["https://admin:password@h", "https://h/?token=secret"])
def test_word_is_secret_unless_it_can_be_reference(text: str) -> None:
    assert len(list(places(text))) == 1
    assert list(places(text, words=True)) == []


def test_repeated_part_is_searched_elsewhere_unless_a_word() -> None:
    assert secrets_in(f"https://h/v3/{HEX}?token=staging&password=password") == [HEX]


@pytest.mark.parametrize("unit", ["//a:", "//:", "//a:b/", r"//a:\/", r"/\/a:", "/key/", "&a=", "/v1/", "/bot1", ";a="])
@pytest.mark.parametrize("end", ["", " @"])
def test_megabyte_with_many_possible_starts_is_searched_quickly(unit: str, end: str) -> None:
    text = unit * (1024 * 1024 // len(unit)) + end
    assert list(places(text)) == []


def test_password_ends_before_the_last_possible_host() -> None:
    text = "//a:b//c:d@h " + "//e:" + "f" * 512 + "@h " + "//g:" + "h" * 513 + "@h"
    assert [text[at.start : at.end] for at in places(text)] == ["b//c:d", "f" * 512]
