"""Writing params with 10,000 methods, one of them with a schema of 1 MB.

    python tests/benchmarks/writing_params.py [KEYS]

A service describes its methods as an OpenRPC document, which ``rpcexplorer methods --refresh`` reads. Then the real
program runs in a pseudo-terminal of 120 by 40. Opening: from Enter in the list until the method's params are in the
editor, one method after the other. Typing: from the key until the screen has changed and is quiet for a moment, in a
string that does not match the schema, with the list of completions open, and as many keys with an undescribed method.
The aims: 100 ms, and 50 ms at the worst.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from tests.benchmarks.figures import print_median
from tests.benchmarks.method_list import describing, names
from tests.benchmarks.programs import WORD, explorer, profile
from tests.benchmarks.terminal import ENTER, ESCAPE, F2, Program, environment
from tests.fakes.wire import RawServer

METHODS: Final = 10_000
OPENED: Final = 20
KINDS: Final = 9_000
"""Members of the large schema, of some hundred bytes each."""


def schemas() -> dict[str, Any]:
    """Return a megabyte: an object with many members that refers to itself."""
    members = {
        f"member{number:04}": {
            "type": "string",
            "description": f"What member {number} of it is there for.",
            "enum": [f"kind{number}", f"other{number}"],
        }
        for number in range(KINDS)
    }
    return {"Large": {"type": "object", "properties": {**members, "next": {"$ref": "#/components/schemas/Large"}}}}


def service(many: Sequence[str]) -> RawServer:
    """Describe these methods; all refer to one large schema."""
    params = [
        {"name": "opened", "required": True, "schema": {"type": "string", "enum": ["first", "second"]}},
        {"name": "filter", "schema": {"$ref": "#/components/schemas/Large"}},
    ]
    methods = [{"name": name, "summary": f"What {name} does", "params": params} for name in many]
    return describing(methods, components={"schemas": schemas()})


def opened(program: Program, name: str) -> float:
    """Return the seconds from Enter in the list until the params are shown."""
    for keys in (F2, name.encode()):
        program.write(keys)
        program.settle(0.3)  # letters typed in one burst are drawn at the end
    program.write(ENTER)
    took = program.until(b"opened")
    program.settle(0.3)
    return took


def typed(program: Program, before: bytes, keys: int) -> list[float]:
    """Return the seconds of each letter in a new string."""
    program.write(b"\x1a" * 3)  # undo the letters typed before
    program.settle()
    program.write(before)
    program.settle()
    return [program.press(b"m" if number % 2 else b"e") for number in range(keys)]


def main() -> None:
    keys = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    many = names(METHODS)
    with tempfile.TemporaryDirectory() as home, service(many) as server:
        folder = Path(home)
        profile(folder, server.origin)
        learn = [sys.executable, "-m", "rpcexplorer", "methods", "--refresh"]
        subprocess.run(learn, cwd=folder, env=environment(folder), capture_output=True, check=True)
        with explorer(folder) as program:
            program.until(WORD)
            program.settle()
            print_median("opening a method", [opened(program, name) for name in many[:: METHODS // OPENED]])
            program.write(ESCAPE)
            program.settle()
            with_schema = print_median("typing with a schema of 1 MB", typed(program, b'\x1b[F\x1b[B\x1b[B"', keys))
            for part in (F2, b"nobody.knows", ENTER):
                program.write(part)
                program.settle()
            without = print_median("typing without a schema", typed(program, b'"', keys))
    print(f"ratio {with_schema / without:.1f}")


if __name__ == "__main__":
    main()
