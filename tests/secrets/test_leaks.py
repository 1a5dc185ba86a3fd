"""Secrets in files: every spelling, its line, profile and call."""

from __future__ import annotations

from base64 import b64encode

import pytest

from rpcexplorer.model.secret import Secret
from rpcexplorer.secrets import leaks
from rpcexplorer.secrets.leaks import Leak, LeakSearch, Suspect, suspects
from tests.trust.planted import AWKWARD, spellings

PASSWORD = Secret("hunter2-hunter2", "shop.password", "environment")


@pytest.mark.parametrize("value", AWKWARD.values(), ids=AWKWARD.keys())
def test_every_spelling_is_found_on_its_line(value: str) -> None:
    finder = LeakSearch([Secret(value, "shop.password")])
    for spelled in spellings(value):
        content = f'first = 1\nother = "x{spelled}x"\n'.encode()
        assert finder.leaks(content)[0][:2] == (2, "shop.password"), spelled


def test_leak_has_its_profile() -> None:
    content = b'[profile."my.shop".login]\nparams = { otp = "hunter2-hunter2" }\n[profile.b]\nsecret = "abc"\n'
    assert LeakSearch([PASSWORD]).leaks(content) == [
        Leak(2, "shop.password", "", "my.shop", ""),
        Leak(4, "", "secret", "b", ""),
    ]


def test_leak_has_its_call() -> None:
    block = '[[call]]\nid = "{}"\nreply = "{}"\nend = "00000000"\n\n'
    content = block.format("one", "") + block.format("two", "hunter2-hunter2") + block.format("three", "")
    assert LeakSearch([PASSWORD]).leaks(content.encode()) == [Leak(8, "shop.password", "", "", "two")]


def test_base64_of_a_history_is_searched() -> None:
    inside = b64encode(b'\xff {"p": "hunter2-hunter2"}').decode()
    found = LeakSearch([PASSWORD]).leaks(f'[[call]]\nid = "x"\nreply_base64 = "{inside}"\n'.encode())
    assert found == [Leak(3, "shop.password", "", "", "x")]


def test_incomplete_base64_does_not_end_the_search() -> None:
    content = b'reply_base64 = "AAAAA"\nreply_base64 = ""\nnote = "hunter2-hunter2"\n'
    assert [leak.line for leak in LeakSearch([PASSWORD]).leaks(content)] == [3]


def test_names_mean_nothing_in_other_files() -> None:
    content = b'[profile.shop]\ntoken = "abc"\nnote = "hunter2-hunter2"\n'
    assert [leak.line for leak in LeakSearch([PASSWORD]).leaks(content, ours=False)] == [3]


def test_line_is_reported_once_per_secret() -> None:
    other = Secret("0ther-secret", "shop.session")
    content = b'password = "hunter2-hunter2"  # hunter2-hunter2, 0ther-secret\n'
    assert [leak.label for leak in LeakSearch([PASSWORD, other]).leaks(content)] == ["shop.password", "shop.session"]


def test_secret_references_and_user_names_are_not_leaks() -> None:
    secrets = [Secret("shop.password", "shop.password"), Secret("support-team", "shop.username")]
    content = 'username = "support-team"\nparams = "{\\"password\\":\\"«shop.password»\\"}"\n'
    assert LeakSearch(secrets).leaks(content.encode()) == []


def test_short_secrets_are_listed() -> None:
    assert LeakSearch([Secret("tiny", "a.password"), PASSWORD]).by_position == ("a.password",)


def test_secret_at_window_border_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaks, "WINDOW", 32)
    monkeypatch.setattr(leaks, "OVERLAP", 24)
    finder = LeakSearch([Secret("first line\nsecond line", "shop.password")])
    for before in range(80):
        content = (
            b"x\n" * (before // 2) + b"y" * (before % 2) + b'\nfirst line\nsecond line\ntoken = "abc"\n' + b"z\n" * 40
        )
        found = finder.leaks(content)
        assert [leak.line for leak in found] == [before // 2 + 2, before // 2 + 4], before


def test_report_contains_no_secret() -> None:
    assert LeakSearch([PASSWORD]).redacted("in hunter2-hunter2.toml") == "in «shop.password».toml"


SECRETS = {
    'password = "hunter2hunter2"': "password",
    "api_key = 'abc'": "api_key",
    'client-secret = """abc"""': "client-secret",
    'PassPhrase: "correct horse"': "PassPhrase",
    'params = { id = 1, token = "abc" }': "token",
    'headers = { Authorization = "Bearer abcdef1234" }': "Authorization",
    '"Cookie" = "theme=dark; sessionid=abcd1234"': "Cookie",
    '"x-api-key": "abc"': "x-api-key",
    r'reply = "{\"result\":{\"sessionid\":\"abc\",\"n\":1}}"': "sessionid",
    r'reply = "{\"r\":\"{\\\"pass\\\" : \\\"abc\\\"}\"}"': "pass",
    'url = "https://ada:hunter2@x.example"': "",
    "curl https://:hunter2@x.example/path": "",
    'url = "https://ada:hun/ter2@x.example/path"': "",
    "HTTP_PROXY=http://ada:h@n/t?r#2@proxy:3128": "",
    'password = "«hunter»2"': "password",
    'password = "!!!###???"': "password",
    'password = "pa$$word"': "password",
    'password = "never closed': "password",
    'url = "https://x.example/?apikey=abc"': "address",
    'hook = "https://x.example/v3/9f86d081884c7d659a2feaa0c55ad015"': "address",
    'path = "/v3/9f86d081884c7d659a2feaa0c55ad015"': "address",
    'url = "https://x.example/9f86d081884c7d659a2feaa0c55ad015"': "address",
    "{ path = '/eth/9f86d081884c7d659a2feaa0c55ad015/' }": "address",
    'url = "https://x.example/ada:hunter2@x"': "address",
}
NONE = [
    'password_member = "pw"',
    'auth = { kind = "cookie", cookie = "sessionid" }',
    'params = { username = "{username}", password = "{password}" }',
    'session = "/sessionid"',
    'Cookie = "sessionid=«shop.session»"',
    r'reply = "{\"password\":\"\u00abshop.password\u00bb\"}"',
    r'reply = "{\"password\": null, \"token\": 5, \"secret\": false, \"credentials\": {}}"',
    '"next_token": "abc", "csrf_token": "abc"',
    '"compass": "north", "passport": "X1", "passwordless": "yes1"',
    'url = "https://ada:{password}@x.example"',
    'url = "https://x.example:8080/a@b"',
    'password = "«not recorded»"',
    "password = os.environ['SHOP_PASSWORD_1']",
    "the password: hunter22 is an example",
    "password = ''",
    'password = "********"',
    'url = "https://x.example/?token=«not recorded»&apikey=«shop.session»"',
    'url = "https://x.example/«not recorded»"',
    'url = "https://x.example/api/0b7f2a64-5f0e-4c1d-9a51-2f3e8c7d1b90/"',
    'link = "https://x.example/commit/9f86d081884c7d659a2feaa0c55ad015"',
    'url = "https://x.example/{token}/?key={key}"',
    'password = "${SHOP_PASSWORD}"',
    'password = "<your password>"',
    '"password": "string"',
    '"authorization": "required"',
    '[secrets]\nstore = "keyring"',
    "",
]


@pytest.mark.parametrize(("text", "key"), SECRETS.items())
def test_literal_value_after_secret_key_is_found(text: str, key: str) -> None:
    (found,) = suspects(text.encode())
    assert found.key == key


@pytest.mark.parametrize("text", NONE)
def test_example_words_are_not_found(text: str) -> None:
    assert list(suspects(text.encode())) == []


def test_place_is_the_byte_offset_of_value() -> None:
    content = 'ü = "é"\npassword = "abc"\n'.encode() + b'\xff token = "def"'
    assert list(suspects(content)) == [
        Suspect(content.index(b"abc"), "password"),
        Suspect(content.index(b"def"), "token"),
    ]
