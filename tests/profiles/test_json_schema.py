"""The JSON Schema of ``sessions.toml``; ``conftest.py`` holds the files of the other tests against it."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import jsonschema_rs
import pytest

from rpcexplorer.manual import read_pages
from rpcexplorer.profiles.keys import SESSIONS, sessions_schema
from rpcexplorer.profiles.layers import ABOUT, SHIPPED, WEBSOCKET_PATH
from tests.fakes.shell import Shell
from tests.profiles.json_schema import problems_of

ROOT: Final = Path(__file__).parents[2]
FIRST_LINE: Final = "#:schema ./sessions.schema.json\n"


def examples() -> Iterator[str]:
    """Yield the blocks of README and the manual that are a project file."""
    texts = [page.text for page in read_pages()]
    for text in (*texts, (ROOT / "README.md").read_text("utf-8")):
        for block in re.findall(r"^```toml\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            if tomllib.loads(block).keys() <= SESSIONS.keys.keys():
                yield block


@pytest.mark.parametrize("text", examples(), ids=lambda text: text.strip().partition("\n")[0])
def test_schema_accepts_examples_of_the_manual(text: str) -> None:
    assert problems_of(tomllib.loads(text)) == []


def test_schema_accepts_the_example_file_which_names_it() -> None:
    text = (ROOT / "sessions.toml.example").read_text("utf-8")
    assert text.startswith(FIRST_LINE)
    assert problems_of(tomllib.loads(text)) == []


@pytest.mark.parametrize("file", sorted(SHIPPED.glob("*.toml")), ids=lambda file: file.stem)
def test_schema_accepts_the_keys_of_presets(file: Path) -> None:
    values = tomllib.loads(file.read_text("utf-8"))
    keys = {key: value for key, value in values.items() if key not in {*ABOUT, *WEBSOCKET_PATH}}
    assert problems_of({"profile": {"x": keys}}) == []


def test_schema_is_valid_and_describes_every_key() -> None:
    schema = sessions_schema()
    assert jsonschema_rs.meta.is_valid(schema)
    keys: list[tuple[str, Any]] = [*schema["properties"].items()]
    assert {name for name, _ in keys} == SESSIONS.keys.keys()
    for tables in ("profile", "call"):
        keys += schema["properties"][tables]["additionalProperties"]["properties"].items()
    profile = schema["properties"]["profile"]["additionalProperties"]["properties"]
    for table in ("auth", "login"):
        keys += profile[table]["properties"].items()
    keys += profile["method"]["additionalProperties"]["properties"].items()
    keys += schema["properties"]["call"]["additionalProperties"]["properties"]["expect"]["properties"].items()
    assert len(keys) > 80
    assert [name for name, inner in keys if not inner.get("description")] == []
    assert "{'" not in json.dumps(schema)


def test_patterns_are_those_of_every_validator() -> None:
    patterns = re.findall(r'"pattern": ("(?:[^"\\\\]|\\\\.)*")', json.dumps(sessions_schema()))
    assert len(patterns) > 40
    assert [pattern for pattern in map(json.loads, patterns) if re.search(r"\(\?[^:=!]|\\[-A]", pattern)] == []


def test_command_prints_the_schema_for_the_file_that_it_is_named_in(shell: Shell) -> None:
    ran = shell.run("profiles", "schema")
    assert json.loads(ran.text) == json.loads(json.dumps(sessions_schema()))
    assert ran.text.startswith('{\n  "$schema": ')


def test_created_files_name_their_schema(shell: Shell) -> None:
    added = ("profiles", "add", "shop", "--url", "http://127.0.0.1:9")
    assert shell.run(*added).code == 0
    assert shell.run(*added, "--team").code == 0
    for file in (shell.user_file, shell.folder / "sessions.toml"):
        text = file.read_text("utf-8")
        assert text.startswith(FIRST_LINE)
        assert problems_of(tomllib.loads(text)) == []
