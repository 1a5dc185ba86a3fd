"""Start and opening of one of 10,000 methods, with and without schemas.

    python tests/benchmarks/described.py [ROUNDS] [METHODS] [--start | --opening]

Two profiles in homes of their own. Of one service only the names and a line of each method are known: a start reads no
more. The document of the other has 1,500 schemas that all methods share and that refer to each other, and one method
with a megabyte of its own. The real program runs in a pseudo-terminal of 120 by 40. A start is measured until the
first screen is drawn. Opening a method is measured from Enter until its params are drawn: the first one of a run, which
reads all descriptions, the next ones, and the one with the megabyte.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from tests.benchmarks.figures import in_turns, print_median
from tests.benchmarks.method_list import names
from tests.benchmarks.programs import WORD, explorer
from tests.benchmarks.terminal import ENTER, F2, environment

DEFAULTS: Final = (5, 10_000)
SHARED: Final = 1_500
HEAVY: Final = "heavy.one"
OPENED: Final = 4
AIM: Final = 0.1
SESSIONS: Final = """
version = 1
[profile.usable]
url = "http://127.0.0.1:9"
discovery = { file = "openrpc.json" }
"""


def document(methods: Sequence[str], *, schemas: bool) -> dict[str, Any]:
    """Return a document of these methods, with or without schemas."""

    def method(at: int, name: str) -> dict[str, Any]:
        described: dict[str, Any] = {"name": name, "summary": f"What {name} does"}
        mark = {"name": "id", "required": True, "schema": {"type": "string", "default": mark_of(name)}}
        if not schemas:
            return described | {"params": [mark]}
        shared = [{"name": "what", "schema": {"$ref": f"#/components/schemas/T{at % SHARED}"}}]
        return described | {
            "params": [mark, *(shared if name != HEAVY else [{"name": "all", "schema": _heavy()}])],
            "result": {"name": "rows", "schema": {"$ref": f"#/components/schemas/T{at * 7 % SHARED}"}},
        }

    entries = [method(at, name) for at, name in enumerate([*methods, HEAVY])]
    made = {"openrpc": "1.3.2", "info": {"title": "many", "version": "1"}, "methods": entries}
    return made | ({"components": {"schemas": _shared()}} if schemas else {})


def mark_of(name: str) -> str:
    """Return a text that only the params of this method contain."""
    return f"«{name}»"


def _shared() -> dict[str, Any]:
    text = {"type": "string", "description": "It stays as it is.", "maxLength": 40}
    return {
        f"T{at}": {
            "type": "object",
            "properties": {
                **{f"field{number}": text for number in range(10)},
                "next": {"$ref": f"#/components/schemas/T{(at + 1) % SHARED}"},
            },
        }
        for at in range(SHARED)
    }


def _heavy() -> dict[str, Any]:
    """Return a schema of a megabyte."""
    return {
        "properties": {f"field{at}": {"enum": [f"value {at} {number}" for number in range(50)]} for at in range(1_300)}
    }


def home(folder: Path, content: dict[str, Any]) -> Path:
    """Return a user's folders after the document was read."""
    folder.mkdir()
    (folder / "sessions.toml").write_text(SESSIONS)
    (folder / "openrpc.json").write_text(json.dumps(content))
    learn = [sys.executable, "-m", "rpcexplorer", "methods", "--refresh"]
    subprocess.run(learn, cwd=folder, env=environment(folder), capture_output=True, check=True)
    return folder


def started(folder: Path) -> float:
    """Return the seconds to the first screen."""
    with explorer(folder) as program:
        return program.until(WORD)


def opened(folder: Path, methods: Sequence[str]) -> list[float]:
    """Return the seconds to the params of each method in one run."""
    taken = []
    with explorer(folder) as program:
        program.until(WORD)
        program.settle()
        for name in methods:
            program.write(F2)
            program.settle(0.2)
            program.write(b"\x15" + name.encode())
            program.settle(0.4)
            program.write(ENTER)
            taken.append(program.until(mark_of(name).encode()))
            program.settle(0.3)
    return taken


def main() -> None:
    given = [int(word) for word in sys.argv[1:] if word.isdecimal()]
    rounds, count = [*given, *DEFAULTS[len(given) :]]
    many = names(count)
    chosen = [*many[:: len(many) // OPENED][:OPENED], HEAVY]
    with tempfile.TemporaryDirectory() as place:
        bare, full = (
            home(Path(place) / word, document(many, schemas=word == "schemas")) for word in ("lines", "schemas")
        )
        size = sum(file.stat().st_size for file in (full / "home").rglob("catalogues/*.json"))
        print(f"{count:,} methods; in full they have {size / 1024 / 1024:.1f} MiB on the disk")
        if "--opening" not in sys.argv:
            in_turns(1, {"warm": partial(started, bare), "up": partial(started, full)})
            times = in_turns(
                rounds, {"start, lines alone": partial(started, bare), "start, with schemas": partial(started, full)}
            )
            floor, ours = (print_median(name, spent) for name, spent in times.items())
            print(f"ratio {ours / floor:.2f}")
        if "--start" not in sys.argv:
            runs = in_turns(
                rounds, {"lines alone": partial(opened, bare, chosen), "with schemas": partial(opened, full, chosen)}
            )
            print(f"opening a method; the aim is {AIM * 1000:.0f} ms")
            for name, taken in runs.items():
                print_median(f"the first, {name}", [run[0] for run in taken])
                print_median(f"the next ones, {name}", [seconds for run in taken for seconds in run[1:-1]])
                print_median(f"a megabyte of its own, {name}", [run[-1] for run in taken])


if __name__ == "__main__":
    main()
