"""What looks like a secret by where it stands, and what only looks like one at first."""

from __future__ import annotations

import pytest

from rpcexplorer.secrets.leaks import Suspect, suspects

SECRETS = {
    'password = "hunter2hunter2"': "password",
    "api_key = 'abc'": "api_key",
    'client-secret = """abc"""': "client-secret",
    'PassPhrase: "correct horse"': "PassPhrase",
    'params = { id = 1, token = "abc" }': "token",
    'headers = { Authorization = "Bearer abcdef1234" }': "Authorization",
    '"Cookie" = "theme=dark; sessionid=abcd1234"': "Cookie",
    '"x-api-key": "abc"': "x-api-key",
    'session = "a1b2c3d4e5"': "session",
    r'reply = "{\"result\":{\"sessionid\":\"abc\",\"n\":1}}"': "sessionid",
    r'reply = "{\"r\":\"{\\\"pass\\\" : \\\"abc\\\"}\"}"': "pass",
    "PASSWORD=hunter22\n": "PASSWORD",
    "  export API_KEY=abcdef123\r\n": "API_KEY",
    "password: 12345678": "password",
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
    'session = "summer 2024"',
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
def test_a_literal_value_in_a_telling_place_is_found(text: str, key: str) -> None:
    (found,) = suspects(text.encode())
    assert found.key == key


@pytest.mark.parametrize("text", NONE)
def test_words_that_stand_in_for_a_secret_are_none(text: str) -> None:
    assert list(suspects(text.encode())) == []


def test_the_place_is_that_of_the_value_in_bytes() -> None:
    content = 'ü = "é"\npassword = "abc"\n'.encode() + b'\xff token = "def"'
    assert list(suspects(content)) == [
        Suspect(content.index(b'"abc'), "password"),
        Suspect(content.index(b'"def'), "token"),
    ]
