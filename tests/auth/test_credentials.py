"""Secret references in requests: replaced if known, and else refused."""

from __future__ import annotations

import asyncio
from base64 import b64encode

import pytest
from msgspec.structs import replace

from rpcexplorer.auth.basic import InlineAuth, NoAuth
from rpcexplorer.auth.credentials import (
    AuthHeader,
    AuthRequest,
    GivenCredentials,
    Message,
    derived,
    opened,
    opened_address,
    opening_of,
)
from rpcexplorer.auth.token import CookieAuth
from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.profile import Login, Profile
from rpcexplorer.model.secret import UNRECORDED, Secret
from tests.auth.driving import (
    COOKIE,
    INLINE,
    PASSWORD,
    PONG,
    SESSION,
    Asked,
    drive,
    end,
    kinds,
    message,
    received,
    requests,
)


def test_recorded_reference_asks_for_its_secret() -> None:
    profile = replace(COOKIE, auth=NoAuth())
    steps = drive(profile, message('{"password":"«shop.password»"}'), None, [PASSWORD, received(PONG)])
    assert steps[0] == Asked("password")
    assert requests(steps)[0].secrets == (PASSWORD,)


@pytest.mark.parametrize("value", ["plain-enough", 'quo"te', "back\\slash", "new\nline", "ünï€", "«shop.password»x"])
def test_secret_is_inserted_as_json_string(value: str) -> None:
    import json

    body = '{"password":"«shop.password»","note":"say \\"«shop.password»\\" aloud"}'.encode()
    sent = json.loads(opened(body, AuthRequest(message()), [Secret(value, "shop.password")]))
    assert sent == {"password": value, "note": 'say "«shop.password»" aloud'}


def test_reference_inside_longer_text_is_refused() -> None:
    outcome = end(drive(INLINE, message('{"header": "Bearer «shop.password»"}'), None, []))
    assert isinstance(outcome, Refused)
    assert "is part of a longer text" in outcome.sentence


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ('{"password": "«not recorded»"}', "that value was not recorded. Replace it with a value"),
        ('{"note": "a «not recorded» b"}', "that value was not recorded. Replace it with a value"),
        (r'["\u00abnot recorded\u00bb"]', "that value was not recorded. Replace it with a value"),
        ('["«RPCEXPLORER_OLD_PASSWORD»"]', "that value was not recorded. Replace it with a value"),
        (
            '["«other.password»"]',
            "works only with profile other, not with shop: type the password itself, or choose profile other",
        ),
        ('["a «other.session» b"]', "works only with profile other, not with shop"),
    ],
)
def test_foreign_reference_is_not_sent_as_text(params: str, words: str) -> None:
    for profile in (INLINE, COOKIE, replace(COOKIE, auth=NoAuth())):
        outcome = end(drive(profile, message(params.replace("[", '{"x":').replace("]", "}")), SESSION, []))
        assert isinstance(outcome, Refused)
        assert outcome.why == "params"
        assert words in outcome.sentence


def test_escaped_guillemet_is_sent_as_text() -> None:
    profile = replace(COOKIE, auth=NoAuth())
    (send,) = requests(drive(profile, message(r'["\u00abother.password»", "«é»"]'), None, [received(PONG)]))
    assert send.secrets == ()


@pytest.mark.parametrize(
    "what", [message('["«shop.password»"]', method="«shop.password»"), message(id="«shop.session»")]
)
def test_reference_in_method_or_id_is_refused(what: Message) -> None:
    outcome = end(drive(COOKIE, what, SESSION, []))
    assert isinstance(outcome, Refused)
    assert "cannot be in a method name" in outcome.sentence


@pytest.mark.parametrize(
    "profile",
    [
        replace(INLINE, auth=InlineAuth(username="«shop.password»")),
        replace(INLINE, auth=InlineAuth("ada", username_member="«shop.password»")),
        replace(INLINE, auth=InlineAuth("ada", password_member="«shop.session»")),
        replace(COOKIE, auth=CookieAuth(username="«shop.password»")),
        replace(COOKIE, login=Login(params={"user": "ada", "note": "«shop.password»", "password": "{password}"})),
        replace(COOKIE, login=Login(params={"«shop.password»": "{password}"})),
        replace(COOKIE, login=Login(method="«shop.password»")),
    ],
)
def test_reference_in_a_profile_is_refused(profile: Profile) -> None:
    steps = drive(profile, message("{}"), None, [])
    outcome = end(steps)
    assert kinds(steps) == ["Ended"]
    assert isinstance(outcome, Refused)
    assert outcome.why == "profile"


ENCODED = AuthHeader("Authorization", "ada:«shop.password»", scheme="Basic ", encoded=True)


def test_header_shows_references_and_sends_values() -> None:
    plain = AuthHeader("X-Token", "t=«shop.password»", scheme="Key ")
    assert (plain.shown, ENCODED.shown) == ("Key t=«shop.password»", "Basic base64(ada:«shop.password»)")
    assert plain.opened(opening_of((PASSWORD,))) == "Key t=hunter2hunter2"
    assert ENCODED.opened(opening_of((PASSWORD,))) == f"Basic {b64encode(b'ada:hunter2hunter2').decode()}"


def test_secret_that_looks_like_reference_is_not_replaced() -> None:
    secrets = (Secret("«shop.password»", "shop.username"), PASSWORD)
    assert AuthHeader("X", "«shop.username»").opened(opening_of(secrets)) == "«shop.password»"
    assert opened_address("http://h/«shop.username»", secrets) == "http://h/%C2%ABshop.password%C2%BB"


def test_secret_in_address_is_percent_encoded() -> None:
    secret = Secret("a/b?c=d&é \udce9#", "shop.token")
    assert opened_address("http://h/v3/«shop.token»/x?k=«shop.token»", (secret,)) == (
        "http://h/v3/a%2Fb%3Fc%3Dd%26%C3%A9%20%E9%23/x?k=a%2Fb%3Fc%3Dd%26%C3%A9%20%E9%23"
    )


def test_encoded_header_is_secret_for_all_known_values() -> None:
    header = AuthHeader("Authorization", "«shop.username»:«shop.password»", encoded=True)
    known = [Secret("ada", "shop.username"), Secret("bob", "shop.username"), PASSWORD, Secret("x", "other.password")]
    found = {secret.reveal() for secret in derived([header], known)}
    coded = [b64encode(f"{name}:hunter2hunter2".encode()).decode() for name in ("ada", "bob")]
    assert found == {*coded, *(text.rstrip("=") for text in coded)}
    assert list(derived([header], known[:2])) == []
    assert list(derived([AuthHeader("X-Token", "«shop.password»")], known)) == []
    assert {str(secret) for secret in derived([header], known)} == {UNRECORDED}


def test_encoded_header_is_redacted_in_url_alphabet() -> None:
    header = AuthHeader("Authorization", "us:«shop.password»", encoded=True)
    found = {secret.reveal() for secret in derived([header], [Secret("?>~", "shop.password")])}
    assert found == {"dXM6Pz5+", "dXM6Pz5-"}
    found = {secret.reveal() for secret in derived([header], [Secret("?>", "shop.password")])}
    assert found == {"dXM6Pz4=", "dXM6Pz4"}


@pytest.mark.parametrize(("password", "raw"), [("p\udce9ss", b"p\xe9ss"), ("p\ud800", b"p\xed\xa0\x80")])
def test_undecodable_bytes_of_variable_are_sent_unchanged(password: str, raw: bytes) -> None:
    header = AuthHeader("Authorization", "ada:«shop.password»", encoded=True)
    secret = Secret(password, "shop.password")
    assert header.opened(opening_of((secret,))) == b64encode(b"ada:" + raw).decode()
    assert list(derived([header], [secret]))


PROFILE = Profile("shop", "http://shop.example")


def test_missing_credential_is_refused_by_name() -> None:
    given = GivenCredentials(username="ada", token="t0ken-t0ken")
    username = asyncio.run(given.secret(PROFILE, "username"))
    assert isinstance(username, Secret)
    assert username.reveal() == "ada"
    assert given.is_known(PROFILE, "token")
    missing = asyncio.run(given.secret(PROFILE, "password"))
    assert isinstance(missing, Refused)
    assert missing.missing == "password"
