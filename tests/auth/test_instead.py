"""What is written instead of a secret: always something that a kind of auth takes, never the secret."""

from __future__ import annotations

import re

import pytest

from rpcexplorer.auth.registry import KINDS, Instead, of_credentials, of_header, of_key, of_member, of_part
from rpcexplorer.auth.scheme import Kind
from rpcexplorer.model.profile import Profile

HEADERS = [
    ("Authorization", "Bearer s3cr3t", "bearer", "token"),
    ("authorization", "bEARER s3cr3t", "bearer", "token"),
    ("Authorization", "Basic s3cr3t", "basic", "password"),
    ("Authorization", "Digest s3cr3t", "digest", "password"),
    ("Authorization", "Token s3cr3t", "header", "token"),
    ("Authorization", "s3cr3t s3cr3t", "header", "token"),
    ("Authorization", "s3cr3t", "header", "token"),
    ("Authorization", 7, "header", "token"),
    ("X-Api-Key", "Basic s3cr3t", "header", "token"),
    ("X Key", "s3cr3t", "header", "token"),
    ("Cookie", "sessionid=s3cr3t", "cookie", "session"),
    ("Set-Cookie", "sessionid=s3cr3t", "cookie", "session"),
]


def kind_in(instead: Instead) -> type[Kind]:
    found = re.search(r'auth = \{ kind = "(\w+)"', instead.words)
    assert found, instead.words
    return KINDS[found[1]]


@pytest.mark.everyday(4)
@pytest.mark.parametrize(("name", "value", "kind", "secret"), HEADERS)
def test_a_header_leads_to_the_kind_that_sends_it(name: str, value: object, kind: str, secret: str) -> None:
    instead = of_header(name, value)
    assert kind_in(instead).kind == kind
    assert instead.secret == secret
    assert secret in Profile("p", "http://p", auth=KINDS[kind]()).secrets
    assert "s3cr3t" not in instead.words
    assert ("username = …" in instead.words) == (secret == "password")


def test_of_a_value_no_more_is_told_than_a_word_that_is_known() -> None:
    assert 'value = "Token {token}"' in of_header("Authorization", "Token s3cr3t").words
    assert "value" not in of_header("Authorization", "sw0rdf1sh s3cr3t").words


@pytest.mark.parametrize(
    ("instead", "kind", "secret"),
    [
        (of_credentials(), "basic", "password"),
        (of_member("api_key"), "query", "token"),
        (of_member("api/key"), "none", "token"),
        (of_part(), "none", "token"),
    ],
)
def test_an_address_leads_to_the_kind_that_sends_it(instead: Instead, kind: str, secret: str) -> None:
    assert (kind_in(instead).kind, instead.secret) == (kind, secret)


def test_a_token_without_a_place_leads_to_every_kind_that_has_one_for_it() -> None:
    named = set(re.findall(r'"(\w+)"', of_key().words))
    assert named == {"bearer", "header", "query", "first", "member"}
    assert all("token" in KINDS[kind].takes for kind in named)
