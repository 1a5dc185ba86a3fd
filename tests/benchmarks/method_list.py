"""Keystroke in the method filter to the list, for 10,000 methods.

    python tests/benchmarks/method_list.py [ROUNDS] [METHODS]

A service describes its methods as an OpenRPC document; ``rpcexplorer methods --refresh`` learns them, as F9 would. Then
the real program runs in a pseudo-terminal of 120 by 40. Words are typed letter by letter, then deleted again. The
clock runs from the key until the title shows the number of methods found, which is drawn together with the list. The
next key is sent when the screen is quiet. The floor, in the same run, is a bare Textual app with an input line. It
draws the first rows of all names that contain the text, and their number.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from rpcexplorer.model.method import Method
from rpcexplorer.tui.call.methods import MethodRow, MethodRows
from tests.benchmarks.figures import in_turns, print_median
from tests.benchmarks.programs import WORD, explorer, profile
from tests.benchmarks.terminal import BACKSPACE, F2, Program, environment
from tests.fakes.wire import RawServer, Received, http_reply

WORDS: Final = ("order", "usr", "listIn", "cust get", "expq", "e")
"""A word, letters of one, a hump, two words, one without matches, "e"."""
DEFAULTS: Final = (5, 10_000)
AIM: Final = 0.03
QUIET: Final = 0.05
FLOOR: Final = """
import json, sys
from pathlib import Path
from textual.app import App
from textual.widgets import Input, Static
NAMES = json.loads(Path(sys.argv[1]).read_text())
class Bare(App):
    def compose(self):
        yield Static("usable", id="count")
        yield Input()
        yield Static("\\n".join(NAMES[:36]), id="rows", markup=False)
    def on_mount(self):
        self.query_one(Input).cursor_blink = False
    def on_input_changed(self, event):
        found = [name for name in NAMES if event.value in name]
        self.query_one("#count").update(f"{len(found):,} of {len(NAMES):,}", layout=False)
        self.query_one("#rows").update("\\n".join(found[:36]), layout=False)
Bare().run()
"""
_AREAS = ("user", "order", "invoice", "customer", "stock", "report", "payment", "session", "archive", "shipment")
_VERBS = ("list", "get", "create", "update", "remove", "search", "count", "export", "approve", "restore")
_THINGS = ("Items", "Index", "Address", "History", "Settings", "Labels", "Notes", "Rates", "Owner", "Limits")
_WAYS = ("", "ById", "ByName", "ForTeam", "InBatch", "AsDraft", "WithTotals", "Since", "Nightly", "Legacy")


def names(count: int) -> list[str]:
    """Return names such as ``order.listIndexByName``, numbered after 10,000."""
    spelled = (f"{area}.{''.join(rest)}" for area, *rest in itertools.product(_AREAS, _VERBS, _THINGS, _WAYS))
    numbered = (f"extra.method{number}" for number in itertools.count())
    return list(itertools.islice(itertools.chain(spelled, numbered), count))


def service(names: Sequence[str]) -> RawServer:
    """Return a service of these methods with short descriptions."""
    params = [{"name": "id", "schema": {"type": "integer"}, "required": True}]
    return describing([{"name": name, "summary": f"What {name} does", "params": params} for name in names])


def describing(methods: Sequence[Mapping[str, Any]], **others: Any) -> RawServer:
    """Return a service that only describes its methods.

    ``others`` are more members of its document.
    """
    info = {"title": "many", "version": "1"}
    document = json.dumps({"openrpc": "1.3.2", "info": info, "methods": methods, **others})

    def answer(request: Received) -> bytes:
        asked = json.loads(request.body)
        reply = (
            f'"result":{document}' if asked["method"] == "rpc.discover" else '"error":{"code":-32601,"message":"no"}'
        )
        return http_reply(f'{{"jsonrpc":"2.0","id":{json.dumps(asked["id"])},{reply}}}'.encode())

    return RawServer(answer)


def counts_of(names: Sequence[str]) -> Callable[[str], str]:
    """Return a function from a typed text to the count that the title shows."""
    rows = MethodRows({name: Method(name) for name in names})

    def found(typed: str) -> int:
        return sum(isinstance(row, MethodRow) for row in rows.listed(typed))

    return lambda typed: f"{found(typed):,} of {len(names):,}" if typed else f"{len(names):,}  F2"


def floor_of(names: Sequence[str]) -> Callable[[str], str]:
    """Return a function from a typed text to the count of the bare app."""
    return lambda typed: f"{sum(typed in name for name in names):,} of {len(names):,}"


def typed(program: Program, count: Callable[[str], str]) -> list[float]:
    """Return the seconds of each key that changes the count.

    All words are typed letter by letter, and each is deleted again.
    """
    taken = []
    for word in WORDS:
        prefixes = [word[:end] for end in range(len(word) + 1)]
        keys = [*word, *[BACKSPACE.decode()] * len(word)]
        for before, text, key in zip(
            [*prefixes, *prefixes[-2:0:-1]], [*prefixes[1:], *prefixes[-2::-1]], keys, strict=True
        ):
            program.write(key.encode())
            if count(before) != count(text):
                taken.append(program.until(count(text).encode()))
            program.settle(QUIET)
    return taken


def main() -> None:
    given = [int(number) for number in sys.argv[1:]]
    rounds, count = [*given, *DEFAULTS[len(given) :]]
    many = names(count)
    with tempfile.TemporaryDirectory() as home, service(many) as server:
        folder = Path(home)
        profile(folder, server.origin)
        learn = [sys.executable, "-m", "rpcexplorer", "methods", "--refresh"]
        subprocess.run(learn, cwd=folder, env=environment(folder), capture_output=True, check=True)
        (folder / "floor.py").write_text(FLOOR)
        (folder / "names.json").write_text(json.dumps(many))
        with Program([sys.executable, "floor.py", "names.json"], folder) as bare, explorer(folder) as ours:
            for program in (bare, ours):
                program.until(WORD)
                program.settle()
            ours.write(F2)
            ours.settle()
            contenders = {"bare Textual": (bare, floor_of(many)), "rpcexplorer": (ours, counts_of(many))}
            taken = in_turns(rounds, {name: partial(typed, *contender) for name, contender in contenders.items()})
    print(f"{count:,} methods, a key in the filter; the aim is {AIM * 1000:.0f} ms")
    floor, median = (print_median(name, list(itertools.chain(*spent))) for name, spent in taken.items())
    print(f"ratio {median / floor:.2f}")


if __name__ == "__main__":
    main()
