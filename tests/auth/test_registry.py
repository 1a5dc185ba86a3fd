"""What is written instead of a secret: always something that a kind of auth takes, never the secret."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import rpcexplorer
from rpcexplorer.auth.auth_type import AuthType
from rpcexplorer.auth.registry import (
    KINDS,
    Instead,
    auth_of,
    kind_named,
    needs_credentials,
    of_credentials,
    of_header,
    of_key,
    of_member,
    of_part,
)
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import FIELDS, PLACEHOLDER

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


def kind_in(instead: Instead) -> type[AuthType]:
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


PACKAGE = Path(rpcexplorer.__file__).parent


def test_auth_type_classes_are_named_by_library_and_import_alone() -> None:
    classes = re.compile(rf"\b(?:{'|'.join(kind.__name__ for kind in KINDS.values())})\b")
    files = [path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] != "auth"]
    found = [path.name for path in files if classes.search(path.read_text(encoding="utf-8"))]
    assert sorted(found) == ["__init__.py", "credentials.py"]


@pytest.mark.parametrize("kind", KINDS.values())
def test_auth_type_describes_all_of_itself(kind: type[AuthType]) -> None:
    profile = Profile("shop", "https://rpc.example.com", auth=kind())
    assert auth_of(profile).words(profile)
    assert kind.needed
    assert bool(kind.sends) == bool(profile.secrets) == needs_credentials(kind.kind)
    assert set(profile.secrets) <= set(FIELDS)
    assert {field.name for field in kind.fields} <= set(kind.__struct_fields__)
    marks = {found["field"] for each in kind().headers(profile) for found in PLACEHOLDER.finditer(each.shown)}
    assert marks <= set(profile.secrets)


@pytest.mark.parametrize(
    ("name", "advice"), [("cooky", "did you mean cookie?"), ("zzzz", f"the kinds are {', '.join(KINDS)}")]
)
def test_of_a_name_that_no_kind_has_the_nearest_is_told_or_all(name: str, advice: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"{name} is no kind of auth; {advice}")):
        kind_named(name)
