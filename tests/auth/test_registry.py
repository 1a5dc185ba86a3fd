"""The list of auth types: their names and descriptions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import rpcexplorer
from rpcexplorer.auth.auth_type import AuthType
from rpcexplorer.auth.registry import (
    KINDS,
    auth_of,
    kind_named,
    needs_credentials,
)
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import FIELDS, PLACEHOLDER

PACKAGE = Path(rpcexplorer.__file__).parent


def test_auth_types_are_exported_and_import_alone() -> None:
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
    marks = {found["field"] for header in kind().headers(profile) for found in PLACEHOLDER.finditer(header.shown)}
    assert marks <= set(profile.secrets)


@pytest.mark.parametrize(
    ("name", "advice"), [("cooky", "Did you mean cookie?"), ("zzzz", f"The auth types are {', '.join(KINDS)}.")]
)
def test_unknown_auth_type_suggests_the_nearest(name: str, advice: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"{name} is not an auth type. {advice}")):
        kind_named(name)
