"""Posting, the peer with a screen: its start, and a request ready to send."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from tests.benchmarks.programs import WORD
from tests.benchmarks.terminal import DOWN, ENTER, Program

_REQUEST: Final = """
name: usable
method: POST
url: {url}
body:
  content: {body}
  content_type: application/json
headers:
- name: Content-Type
  value: application/json
options:
  timeout: 600
"""


class Posting:
    """Posting in its own virtual environment, with one request and a new home."""

    def __init__(self, script: Path, folder: Path, url: str, body: str) -> None:
        self._script, self._folder, self._collection = script, folder, folder / "collection"
        self._collection.mkdir(exist_ok=True)
        request = _REQUEST.format(url=url, body=json.dumps(body))
        (self._collection / "usable.posting.yaml").write_text(request)

    def start(self) -> Program:
        """Start with default settings and the focus two keys from the request."""
        homes = {f"XDG_{name}_HOME": str(self._folder / name.lower()) for name in ("CONFIG", "DATA")}
        command: list[str | Path] = [self._script, "--collection", self._collection]
        return Program(command, self._folder, homes | {"POSTING_FOCUS__ON_STARTUP": "collection"})

    def ready_to_send(self) -> Program:
        """Open the request; the next Ctrl+J sends it."""
        program = self.start()
        program.until(WORD)
        program.settle()
        program.write(DOWN + ENTER)
        program.until(b"Content-Type")  # in the list of its headers
        program.settle()
        return program
