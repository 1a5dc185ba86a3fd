"""Keys while a million events arrive: typing params, and filtering the events.

    python tests/benchmarks/events_on_screen.py [EVENTS]

The real program runs in a pseudo-terminal of 120 by 40, with a process that answers a call and then writes events of
130 bytes as fast as they are read. Letters are typed into the params until all have arrived; the header must show the
exact count. Then the same again with the list of events open, and letters typed into its filter. The floor is an idle
screen: the same keys in the same editor before the first event.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Final

from tests.benchmarks.figures import print_median
from tests.benchmarks.programs import CHECKOUT, ready_to_send
from tests.benchmarks.terminal import BACKSPACE, F5, Program

USUAL: Final = 1_000_000
AIM: Final = 0.1
"""Seconds for the worst key."""
MOST_MEMORY: Final = 150_000_000
KEYS: Final = 20
"""Keys on the idle screen."""
PATIENCE: Final = 300.0
EVENTS: Final = b"\x1bv"
FLOOD: Final = """
import json, sys
count = int(sys.argv[1])
for line in sys.stdin.buffer:
    call = json.loads(line)
    reply = json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": count}).encode()
    event = b'{"jsonrpc":"2.0","method":"flood.tick","params":{"subscription":"0x1","result":'
    events = [event + b'"%047d"}}\\n' % number for number in range(1000)]
    sys.stdout.buffer.write(reply + b"\\n")
    for _ in range(count // 1000):
        sys.stdout.buffer.write(b"".join(events))
    sys.stdout.buffer.flush()
"""
_SESSIONS: Final = """
version = 1
default = "usable"
[profile.usable]
url = "stdio:"
command = ["{python}", "{script}", "{count}"]
[profile.usable.method.flood]
safe = true
"""


def flooded(folder: Path, count: int, checkout: Path = CHECKOUT) -> Program:
    """Start the program with the call that floods it in the editor."""
    script, file = folder / "flood.py", folder / "home" / "config" / "sessions.toml"
    script.write_text(FLOOD)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(_SESSIONS.format(python=sys.executable, script=script, count=count))
    return ready_to_send(folder, "flood", checkout)


def typed_until(program: Program, word: bytes, *keys: bytes) -> list[float]:
    """Press keys in turn until a word is on the screen; return their seconds."""
    took: list[float] = []
    program.look()
    while word not in program.tail:
        took.append(program.press(keys[len(took) % len(keys)]))
        assert sum(took) < PATIENCE, f"{word!r} did not come"
    return took


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else USUAL
    with tempfile.TemporaryDirectory() as home, flooded(Path(home), count) as program:
        floor = print_median(
            "typing on an idle screen", [program.press(key) for key in (b" ", BACKSPACE) * (KEYS // 2)]
        )
        program.look()
        before = program.peak
        program.write(F5)
        typing = typed_until(program, f"{count:,} events".encode(), b" ", BACKSPACE)
        print_median(f"typing during {count:,} events", typing)
        program.settle()
        memory = program.peak - before
        program.write(F5)
        program.press(EVENTS)
        program.press(b"/")
        filtering = typed_until(program, f"{2 * count:,} events".encode(), b"9", BACKSPACE)
        print_median("filtering events during as many", filtering)
        program.settle()
        in_all = program.peak - before
    worst = max(*typing, *filtering)
    print(f"worst key {worst * 1000:.0f} ms (aim {AIM * 1000:.0f} ms), on an idle screen {floor * 1000:.0f} ms")
    print(f"memory: {memory / 1e6:.0f} MB more, {in_all / 1e6:.0f} MB with the list (aim {MOST_MEMORY / 1e6:.0f} MB)")


if __name__ == "__main__":
    main()
