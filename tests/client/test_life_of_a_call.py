"""The picture of a call's life, above the client: the files that it names are there, and all of the client is in it."""

from __future__ import annotations

import re
from pathlib import Path

import rpcexplorer
from rpcexplorer import client
from rpcexplorer.auth import flow
from rpcexplorer.model.exchange import NAMES

PACKAGE = Path(rpcexplorer.__file__).parent
BESIDE = {"clients.py", "connection_test.py", "preview.py", "pacing.py", "replaying.py"}
"""Files of the client that a call does not go through."""
DRAWN = client.__doc__ or ""


def test_every_file_that_is_drawn_is_there() -> None:
    named = re.findall(r"\b[a-z]+/[\w/.]+", DRAWN)
    assert len(set(named)) > 10
    assert [name for name in named if not (PACKAGE / name).exists()] == []


def test_every_file_of_the_client_is_drawn() -> None:
    files = {path.name for path in (PACKAGE / "client").glob("*.py")} - {"__init__.py"}
    assert {name for name in files if f"client/{name}" not in DRAWN} == BESIDE


def test_all_that_a_flow_can_want_is_drawn() -> None:
    assert [want.__name__ for want in flow.Want.__args__ if not re.search(rf"\b{want.__name__}\b", DRAWN)] == []


def test_every_outcome_is_drawn() -> None:
    assert [kind.__name__ for kind in NAMES if not re.search(rf"\b{kind.__name__}\b", DRAWN)] == []
