"""The auth type digest: examples of its RFC, and challenges of servers."""

from __future__ import annotations

import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from rpcexplorer.auth.credentials import Opening
from rpcexplorer.auth.digest import Challenge, DigestAuth, authorization_value, digest_challenges, strongest_challenge
from rpcexplorer.model.profile import MethodNote, Profile
from rpcexplorer.rpc.messages import Malformed
from rpcexplorer.transport.port import Response
from tests.auth.driving import PASSWORD, PONG, drive, kinds, message, received, requests

NODE = Profile("shop", "https://rpc.example.com", auth=DigestAuth(username="ada"))
NONCE = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
OPAQUE = "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
CNONCE = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
RFC = Challenge("http-auth@example.org", NONCE, "MD5", "auth", OPAQUE)
GET = Opening({}, "/dir/index.html", verb="GET")


def parts_of(text: str) -> dict[str, str]:
    return {name: value.strip('"') for name, value in re.findall(r'([\w*]+)=("[^"]*"|[^,]*)', text)}


@pytest.mark.parametrize(
    ("algorithm", "response"),
    [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ],
)
def test_examples_of_rfc_7616(algorithm: str, response: str) -> None:
    fields = parts_of(authorization_value(replace(RFC, algorithm=algorithm), "Mufasa", "Circle of Life", CNONCE, GET))
    assert fields == {
        "username": "Mufasa",
        "realm": "http-auth@example.org",
        "uri": "/dir/index.html",
        "algorithm": algorithm,
        "nonce": NONCE,
        "nc": "00000001",
        "cnonce": CNONCE,
        "qop": "auth",
        "response": response,
        "opaque": OPAQUE,
    }


def test_example_of_rfc_2069_without_qop() -> None:
    challenge = Challenge("testrealm@host.com", "dcd98b7102dd2f0e8b11d0f600bfb0c093")
    fields = parts_of(authorization_value(challenge, "Mufasa", "CircleOfLife", CNONCE, GET))
    assert fields["response"] == "1949323746fe6a43ef61f9606e7febea"
    assert not {"nc", "cnonce", "qop", "algorithm"} & fields.keys()


def h(name: str, *parts: str) -> str:
    return hashlib.new(name, ":".join(parts).encode()).hexdigest()


@pytest.mark.parametrize(("algorithm", "name"), [("MD5-sess", "md5"), ("SHA-256-sess", "sha256")])
def test_session_algorithm_is_hashed(algorithm: str, name: str) -> None:
    challenge = Challenge("r", "n", algorithm, "auth")
    fields = parts_of(authorization_value(challenge, "ann", "pässwörd", "c", Opening({}, "/rpc?x=1")))
    a1 = h(name, h(name, "ann", "r", "pässwörd"), "n", "c")
    assert fields["response"] == h(name, a1, "n", "00000001", "c", "auth", h(name, "POST", "/rpc?x=1"))
    assert fields["algorithm"] == algorithm


def test_user_name_beyond_ascii_is_encoded() -> None:
    assert parts_of(authorization_value(RFC, "zoë", "x", "c", GET))["username*"] == "UTF-8''zo%C3%AB"
    assert r'username="a\"b\\c"' in authorization_value(RFC, 'a"b\\c', "x", "c", GET)


@pytest.mark.parametrize(
    ("headers", "chosen"),
    [
        (['Digest realm="r", nonce="n"'], Challenge("r", "n")),
        (['digest realm=r,nonce=n , qop="auth-int, auth" ,stale=TRUE'], Challenge("r", "n", qop="auth", stale=True)),
        (['Basic realm="x", Digest realm="a, b=\\"c\\"", nonce="n", algorithm=MD5'], Challenge('a, b="c"', "n", "MD5")),
        (
            ['Digest realm="r", nonce="1", algorithm=MD5', 'Digest realm="r", nonce="2", algorithm=SHA-256'],
            Challenge("r", "2", "SHA-256"),
        ),
        (['Digest realm="r", nonce="1", algorithm=SHA-512-256, Digest realm="r", nonce="2"'], Challenge("r", "2")),
        (['Digest realm="r", nonce="1", qop="token"'], None),
        (['Digest realm="r", nonce="1", qop="auth-int"'], None),
        (['Digest realm="r"'], None),
        (['Digest realm="\xe9", nonce="1"'], None),
        (["Basic realm=x"], None),
        (["Negotiate", 'nonce="x"'], None),
        ([], None),
    ],
)
def test_strongest_supported_challenge_is_answered(headers: list[str], chosen: Challenge | None) -> None:
    response = Response(401, headers=tuple(("WWW-Authenticate", header) for header in headers))
    assert strongest_challenge(response) == chosen
    assert strongest_challenge(replace(response, status=403)) is None


@given(st.text(st.characters(max_codepoint=255), max_size=200))
def test_any_challenge_is_read(header: str) -> None:
    chosen = strongest_challenge(Response(401, headers=(("WWW-Authenticate", f"Digest nonce=1, {header}"),)))
    assert chosen is None or authorization_value(chosen, "ann", "x", "c", GET).isascii()


@pytest.mark.parametrize(
    "header",
    [
        'Digest realm="a", nonce="' + "x" * 8000,
        'Digest a="' + "\\a" * 4000,
        "Digest " + "a" * 8000,
        "a=b " * 2000,
        "a " * 4000,
        "=" * 8000,
    ],
)
def test_long_header_is_read_in_short_time(header: str) -> None:
    """Reading 100 kB took minutes when pairs of its parts were compared."""
    assert len(list(digest_challenges(header))) <= 1
    assert list(digest_challenges(header * 20)) == []


def challenged(nonce: str = "n", more: str = "") -> object:
    headers = (("WWW-Authenticate", f'Digest realm="r", nonce="{nonce}", qop="auth"{more}'),)
    answer = received(Malformed("no"))
    return replace(answer, response=Response(401, headers=headers))


def test_challenge_is_answered_once() -> None:
    steps = drive(NODE, message('{"a":1}'), None, [challenged(), PASSWORD, received(PONG)])
    assert kinds(steps) == ["Sent", "Asked", "Sent", "Ended"]
    first, second = requests(steps)
    assert (first.headers, first.secrets, second.secrets) == ((), (), (PASSWORD,))
    assert second.headers[0].shown == "Digest ada, response computed from «shop.password»"
    assert second.message == first.message


def test_second_refusal_is_final_unless_nonce_was_stale() -> None:
    steps = drive(NODE, message(), None, [challenged(), PASSWORD, challenged("m")])
    assert kinds(steps) == ["Sent", "Asked", "Sent", "Ended"]
    answers = [challenged(), PASSWORD, challenged("m", ", stale=true"), challenged("o", ", stale=true")]
    steps = drive(NODE, message(), None, answers)
    assert kinds(steps) == ["Sent", "Asked", "Sent", "Sent", "Ended"]


def test_no_secret_is_asked_without_a_challenge() -> None:
    assert kinds(drive(NODE, message(), None, [received(PONG)])) == ["Sent", "Ended"]
    free = replace(NODE, methods={"ping": MethodNote(auth="none")})
    assert kinds(drive(free, message(), None, [challenged()])) == ["Sent", "Ended"]
