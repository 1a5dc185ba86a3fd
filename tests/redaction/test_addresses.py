"""What in an address is a secret, and what only looks long."""

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
def test_a_secret_in_an_address_is_found_wherever_the_address_stands(text: str, secret: str) -> None:
    for around in ("{}", 'see "{}" there', '{{"link": "{}"}}'):
        said = around.format(text)
        assert [said[each.start : each.end] for each in places(said)] == [secret]


@pytest.mark.parametrize("text", NONE)
def test_what_only_looks_like_one_is_none(text: str) -> None:
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
def test_of_the_address_that_is_called_any_long_random_part_is_hidden(url: str, kept: str) -> None:
    assert redacted_address(url) == kept
    assert redacted_address(kept) == kept


@pytest.mark.parametrize("text", ["https://admin:password@h", "https://h/?token=secret"])
def test_a_word_is_taken_for_a_secret_unless_it_may_only_stand_for_one(text: str) -> None:
    assert len(list(places(text))) == 1
    assert list(places(text, words=True)) == []


def test_what_is_repeated_elsewhere_is_looked_for_only_if_it_is_no_word() -> None:
    assert secrets_in(f"https://h/v3/{HEX}?token=staging&password=password") == [HEX]


@pytest.mark.parametrize("unit", ["//a:", "//:", "//a:b/", r"//a:\/", r"/\/a:", "/key/", "&a=", "/v1/", "/bot1", ";a="])
@pytest.mark.parametrize("end", ["", " @"])
def test_a_megabyte_that_could_begin_anywhere_and_ends_nowhere_is_soon_searched(unit: str, end: str) -> None:
    text = unit * (1024 * 1024 // len(unit)) + end
    assert list(places(text)) == []


def test_a_password_ends_before_the_last_host_that_could_be_meant() -> None:
    text = "//a:b//c:d@h " + "//e:" + "f" * 512 + "@h " + "//g:" + "h" * 513 + "@h"
    assert [text[at.start : at.end] for at in places(text)] == ["b//c:d", "f" * 512]
