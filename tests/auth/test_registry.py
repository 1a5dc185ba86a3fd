"""The kinds of auth there are, and that nobody but the registry knows one by its name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import rpcexplorer
from rpcexplorer.auth.inline import InlineAuth
from rpcexplorer.auth.kind import Kind
from rpcexplorer.auth.none import NoAuth
from rpcexplorer.auth.registry import KINDS, auth_of, fields, form_lines, kind_named, needs_credentials
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secrets.placeholders import PLACEHOLDER
from rpcexplorer.model.secrets.secret import FIELDS

PACKAGE = Path(rpcexplorer.__file__).parent

ANOTHER_THING = {
    ("client/discovery/interview.py", "none"): "no discovery",
    ("client/requests.py", "cookie"): "the header",
    ("jsontext/typed/slips.py", "none"): "what other languages call null",
    ("model/methods/catalogue.py", "cookie"): "the service's own document",
    ("model/methods/catalogue.py", "inline"): "the service's own document",
    ("model/methods/catalogue.py", "none"): "the service's own document",
    ("model/schema/kinds.py", "none"): "a type that services have made up",
    ("model/importing/curl.py", "cookie"): "what curl calls it",
    ("model/importing/curl.py", "digest"): "what curl calls it",
    ("model/importing/curl_options.py", "basic"): "what curl calls it",
    ("model/importing/curl_options.py", "cookie"): "what curl calls it",
    ("model/importing/curl_options.py", "digest"): "what curl calls it",
    ("model/importing/imported.py", "cookie"): "the header",
    ("model/importing/postman.py", "basic"): "what Postman calls it",
    ("model/importing/postman.py", "bearer"): "what Postman calls it",
    ("model/importing/postman.py", "digest"): "what Postman calls it",
    ("model/importing/requests.py", "basic"): "the scheme in a header",
    ("model/importing/requests.py", "cookie"): "the header",
    ("model/profile.py", "none"): "what a profile has that says nothing of auth",
    ("redaction/secret_names.py", "cookie"): "a word in the names of secrets",
    ("redaction/suspects.py", "cookie"): "a word in the names of secrets",
    ("storage/profiles/server_values.py", "cookie"): "the header",
    ("storage/profiles/server_values.py", "none"): "no discovery",
    ("storage/profiles/values.py", "cookie"): "the header",
    ("storage/secrets/staged.py", "none"): "a word of git's",
    ("transport/http/request.py", "cookie"): "the header",
    ("tui/dialogs/form.py", "none"): "what a field shows that is empty",
    ("tui/form/words.py", "none"): "no alternative",
    ("tui/widgets/cycle.py", "none"): "an empty word of any list",
    ("views/copying/two.py", "none"): "no secret was sent",
    ("views/words/profile.py", "none"): "a value that is not set",
}
"""Where a word that is the name of a kind means something else."""


ORDINARY = {"first", "header", "member", "query"}
"""Kinds that are called what many other things are: of them the classes alone are looked for."""


def words_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_no_kind_is_known_by_its_name_but_in_its_own_file() -> None:
    files = [path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] not in {"auth", "demo"}]
    names = KINDS.keys() - ORDINARY
    found = {(path.relative_to(PACKAGE).as_posix(), word) for path in files for word in words_of(path) if word in names}
    assert found == ANOTHER_THING.keys()


def test_no_kind_is_known_by_its_class_but_where_the_library_hands_it_out() -> None:
    classes = re.compile(rf"\b(?:{'|'.join(kind.__name__ for kind in KINDS.values())})\b")
    files = [path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] != "auth"]
    found = [path.name for path in files if classes.search(path.read_text(encoding="utf-8"))]
    assert found == ["__init__.py"]


@pytest.mark.parametrize("kind", KINDS.values())
def test_a_kind_is_in_a_file_of_its_name_and_says_all_of_itself(kind: type[Kind]) -> None:
    assert kind.__module__ == f"rpcexplorer.auth.{kind.kind}"
    profile = Profile("shop", "https://rpc.example.com", auth=kind())
    assert auth_of(profile).words(profile)
    assert kind.needed
    assert bool(kind.sends) == bool(profile.secrets) == needs_credentials(kind.kind)
    assert set(profile.secrets) <= set(FIELDS)
    assert {line.field for line in kind.form} <= set(kind.__struct_fields__)
    assert set(kind.fits) <= set(kind.__struct_fields__)
    marks = {found["field"] for each in kind().headers(profile) for found in PLACEHOLDER.finditer(each.shown)}
    assert marks <= set(profile.secrets)


@pytest.mark.parametrize("kind", KINDS.values())
def test_every_field_of_a_kind_has_a_value_by_itself(kind: type[Kind]) -> None:
    assert kind() == kind()
    assert set(kind.__struct_fields__) <= set(fields())
    assert {line.field for line in kind.form} <= form_lines().keys()


def test_a_profile_that_says_nothing_of_auth_adds_nothing() -> None:
    profile = Profile("shop", "https://rpc.example.com")
    assert auth_of(profile) == NoAuth()
    assert (profile.secrets, profile.has_sessions, profile.username) == ((), False, None)


def test_a_kind_is_found_by_its_name() -> None:
    assert kind_named("inline") is InlineAuth


@pytest.mark.parametrize(
    ("name", "advice"), [("cooky", "did you mean cookie?"), ("zzzz", f"the kinds are {', '.join(KINDS)}")]
)
def test_of_a_name_that_no_kind_has_the_nearest_is_told_or_all(name: str, advice: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"{name} is no kind of auth; {advice}")):
        kind_named(name)
