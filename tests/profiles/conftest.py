"""Hold each ``sessions.toml`` that is read here against the JSON Schema, too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest

from rpcexplorer.files import toml_edit, toml_shape
from rpcexplorer.files.toml import TomlFile
from rpcexplorer.profiles import layers, profiles
from rpcexplorer.profiles.keys import SESSIONS
from tests.profiles.json_schema import problems_of

UNSAID: Final = (
    "secret",  # A name or a value looks like one.
    "«not recorded»",
    "not inf or nan",  # JSON has no such number, and no date. Editors hand them on as text.
    "a date or time",
    "JSON text",  # What is in a text.
    "column",
    "JSON value as text",
    "must be a whole number",  # 1.0 is one.
    "at most 4096 bytes",
    "a port from 1 to 65535",
    "of a socket",
    "after the scheme",
    "control characters",
    "in the folder of this file",
    "import, include or modulemeta",
)
"""Problems that a JSON Schema cannot find, or not without a pattern that nobody can read."""


@pytest.fixture(autouse=True)
def agrees_with_json_schema(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    readings: list[tuple[TomlFile, list[str]]] = []

    def read(rule: toml_shape.Rule, file: TomlFile) -> toml_shape.CheckedFile:
        reading = toml_shape.read_shape(rule, file)
        if rule is SESSIONS:
            readings.append((file, [problem.sentence for _, problem in reading.problems]))
        return reading

    for module in (toml_edit, layers, profiles):
        monkeypatch.setattr(module, "read_shape", read)
    yield
    for file, sentences in readings:
        found = problems_of(file.values)
        said = [sentence for sentence in sentences if not any(words in sentence for words in UNSAID)]
        assert found or not said, f"{said}\n{file.text}"
        assert sentences or not found, f"{found}\n{file.text}"
