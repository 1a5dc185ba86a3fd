"""A history of 100,000 calls: append, list, search, filter and prune.

    python tests/benchmarks/history.py [RUNS] [CALLS]

The calls are of about a kilobyte, on two profiles, one in ten an error. A second history of the same length has a call
of a megabyte among every thousand. The library is measured in this process, in turns with its floor: a bare
open-append-write for an append, a bare read of the files for a search. Then the real program runs, as whole processes
and on its screen, each time also without a history. Files are in the disk's cache, as after a first search.
"""

from __future__ import annotations

import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice, pairwise
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any, Final

from rpcexplorer.history.folder import History
from rpcexplorer.history.record import to_block
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.filter import Bounds, HistoryFilter
from rpcexplorer.model.settings import MIB
from rpcexplorer.rpc.codec import decode
from rpcexplorer.rpc.messages import make_id
from rpcexplorer.transport.port import Response
from tests.benchmarks.figures import after_one, print_median
from tests.benchmarks.programs import WORD, bare, explorer, profile
from tests.benchmarks.terminal import ESCAPE, Program, environment

START: Final = datetime(2025, 1, 1, tzinfo=UTC)
ITEMS: Final = b",".join(b'{"name":"item %d"}' % number for number in range(30))
ERROR: Final = b'{"jsonrpc":"2.0","id":"1","error":{"code":-32602,"message":"Invalid params"}}'
DEFAULTS: Final = (5, 100_000)
APPENDS: Final = 2000
BETWEEN_APPENDS: Final = 0.001
F6: Final = b"\x1b[17~"
TYPED: Final = b"QZXWVQZXWVQZXWVQZXWV"
"""Letters that no call contains, so that every search goes through all."""


def exchange(number: int, body: bytes | None = None) -> Exchange:
    """Return an exchange of about a kilobyte."""
    when = START + timedelta(seconds=number)
    body = body or (ERROR if number % 10 == 0 else b'{"jsonrpc":"2.0","id":"1","result":[' + ITEMS + b"]}")
    return Exchange(
        id=make_id(int(when.timestamp() * 1000), number),
        when=when,
        profile="usable" if number % 3 else "production",
        url="https://staging.example.com/api/v2/",
        method=f"area{number % 7}.items{number % 11}",
        params=f'{{"page": {number}, "size": 30}}',
        kind="call",
        outcome=decode(body, None),
        seconds=0.034,
        sent=90,
        response=Response(200, "OK", body=body, size=len(body)),
    )


def fill(folder: Path, count: int, *, large: bool = False) -> History:
    """Write many calls through the public API, a thousand at a time."""
    history = History(folder, body_limit=2 * MIB)
    body = b'{"jsonrpc":"2.0","id":"1","result":[' + b",".join([ITEMS] * (MIB // len(ITEMS))) + b"]}"
    for first in range(0, count, 1000):
        history.unsaved.extend(exchange(number) for number in range(first, min(first + 1000, count)))
        if large:
            history.unsaved[-1] = exchange(first + 999, body)
        history.save_unsaved()
    return history


def seconds(deed: Callable[[], Any]) -> float:
    began = time.perf_counter()
    deed()
    return time.perf_counter() - began


def bare_append(path: Path, block: bytes) -> None:
    """Do the minimum of an append."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(file, block)
    os.close(file)


def bare_read(folder: Path) -> None:
    """Do the minimum of a full search."""
    for path in folder.glob("*.toml"):
        path.read_bytes()


def appending(folder: Path, long: History) -> None:
    """Append to an empty and to a long history, and write without one."""
    empty, count = History(folder / "empty"), sum(1 for _ in long.all())
    calls = [exchange(count + number) for number in range(APPENDS)]
    blocks = [to_block(call).encode() for call in calls]
    floor = print_median(
        "open, append, write", [seconds(partial(bare_append, folder / "bare", block)) for block in blocks]
    )
    for name, history in (("append to an empty history", empty), (f"append behind {count:,}", long)):
        median = print_ratio(name, floor, [seconds(partial(history.append, call)) for call in calls], "1 ms")
        print(f"{'':30} median {median * 1e6:.0f} µs, a bare write {floor * 1e6:.0f} µs")


def print_ratio(name: str, floor: float, taken: list[float], target: str = "") -> float:
    """Print figures with their ratio to the floor."""
    median = statistics.median(taken)
    ratio = f"{median / floor:.1f} times the floor"
    return print_median(name, taken, f"{ratio}, target {target}" if target else ratio)


def asking(history: History, runs: int, name: str) -> None:
    """Measure every query of a long history."""
    every = [found for found in history.all() if isinstance(found, Exchange)]
    oldest, middle = every[-1], every[len(every) // 2]

    def searched(limit: int | None = None, **sought: Any) -> Callable[[], object]:
        return lambda: list(islice(history.search(HistoryFilter(**sought)), limit))

    deeds: dict[str, tuple[Callable[[], object], str]] = {
        "bare read of the files": (partial(bare_read, history.folder), ""),
        "newest 200": (lambda: history.newest(200), "50 ms"),
        "text nowhere": (searched(text="no such text"), "1 s"),
        "text in the oldest": (searched(text=oldest.id.upper()), "1 s"),
        "text in the middle, first": (searched(1, text=middle.id), "1 s"),
        "text of every call, first 50": (searched(50, text="Page"), "1 s"),
        "a word of the file's own": (searched(text="outcome"), "1 s"),
        "a method nowhere": (searched(method="nobody"), "1 s"),
        "a profile nowhere": (searched(profile="nobody"), "1 s"),
        "outcome cancelled: none": (searched(outcome="cancelled"), "1 s"),
        "outcome error, first 200": (searched(200, outcome="error"), "1 s"),
        "errors with a text nowhere": (searched(text="item 29", outcome="error"), "1 s"),
        "a code nowhere": (searched(bounds=Bounds(code=1)), "1 s"),
        "since tomorrow": (searched(bounds=Bounds(since=every[0].when + timedelta(days=1))), "1 s"),
        "slower than any": (searched(bounds=Bounds(slower=1)), "1 s"),
        "find the oldest by its id": (lambda: history.find(oldest.id), "1 s"),
        "recent of a new profile": (lambda: history.recent("nobody", 8), ""),
        "methods": (lambda: history.methods("usable"), ""),
        "prune, only counted": (lambda: history.prune(keep=len(every) // 2, dry=True), ""),
    }
    contenders = {words: partial(seconds, deed) for words, (deed, _) in deeds.items()}
    print(f"--- {name}: {len(every):,} calls, {sum(history.sizes()) / 1e6:,.0f} MB")
    taken = after_one(runs, contenders)
    floor = statistics.median(taken["bare read of the files"])
    for words, (_, target) in deeds.items():
        print_ratio(words, floor, taken[words], target)
    stops = [moment for _ in range(runs) for moment in between_stops(history)]
    print_median("from one stop to the next", stops, "how long a cancelled search goes on")


def between_stops(history: History) -> Iterator[float]:
    """Yield the seconds between the points at which a search can be stopped."""
    moments = [time.perf_counter()]
    moments.extend(time.perf_counter() for _ in history.search_in_steps(HistoryFilter(words=("no such text",))))
    return (after - before for before, after in pairwise(moments))


def append_until(folder: Path, first: int, ready: Event, stop: Event, taken: Any) -> None:
    """Append one call after the other, in another process."""
    history = History(folder)
    times: list[float] = []
    while not stop.is_set():
        times.append(seconds(partial(history.append, exchange(first + len(times)))))
        ready.set()
        time.sleep(BETWEEN_APPENDS)
    taken.send(times)


def appended_during(history: History, count: int, deed: Callable[[], object]) -> list[float]:
    """Return the seconds of each append by another process during an action."""
    processes = multiprocessing.get_context("spawn")
    ready, stop = processes.Event(), processes.Event()
    taken, giving = processes.Pipe(duplex=False)
    other = processes.Process(target=append_until, args=(history.folder, count, ready, stop, giving))
    other.start()
    ready.wait()
    deed()
    stop.set()
    times: list[float] = taken.recv()
    other.join()
    return times


def pruning(history: History, count: int) -> None:
    """Remove half of the calls while another process appends."""
    print(f"--- prune of {count:,} to the half, while another process appends")
    print_median("appends alone", appended_during(history, 2 * count, lambda: time.sleep(2)))
    took: list[float] = []
    times = appended_during(history, 3 * count, lambda: took.append(seconds(lambda: history.prune(keep=count // 2))))
    print_median("appends during the prune", times, "target: a few ms at the worst")
    print_median("the prune itself", took)


def commands(runs: int, home: Path, none: Path, id: str) -> None:
    """Measure the command line, with and without a history."""
    print("--- whole processes, with and without a history")
    asked = (["list"], ["search", "no such text"], ["show", id], ["prune", "--keep", "1000", "--dry-run"])
    contenders = {
        f"history {words[0]}{label}": partial(seconds, partial(run, words, folder))
        for words in asked
        for label, folder in (("", home), (", none", none))
    }
    for name, taken in after_one(runs, contenders).items():
        print_median(name, taken)


def run(words: list[str], folder: Path) -> None:
    """Run one command; a missing call is a valid result."""
    command = [sys.executable, "-m", "rpcexplorer", "history", *words]
    subprocess.run(command, cwd=folder, env=environment(folder), capture_output=True, check=False)


def first_screen(folder: Path) -> float:
    """Return the seconds from the start to the first screen."""
    with explorer(folder) as program:
        return program.until(WORD)


def typing(folder: Path) -> list[float]:
    """Return the seconds from a letter to the filter with it, during a search."""
    with explorer(folder) as program:
        program.until(WORD)
        program.settle()
        program.write(F6)
        program.settle()
        program.write(b"/")
        program.settle()
        taken = []
        for end in range(1, len(TYPED) + 1):
            program.write(TYPED[end - 1 : end])
            taken.append(program.until(TYPED[:end]))
            time.sleep(0.15)  # the search runs, and has not ended
        program.write(ESCAPE)
        return taken


def screens(runs: int, home: Path, none: Path) -> None:
    """Measure the start, and keys in the filter."""
    print("--- the screen, with and without a history")
    script = bare(none, 'Input("usable")')
    taken = after_one(
        runs, {"first screen": partial(first_screen, home), "first screen, none": partial(first_screen, none)}
    )
    ours, floor = (print_median(name, times) for name, times in taken.items())
    print(f"{'':30} ratio {ours / floor:.2f}")
    with Program([sys.executable, script], none) as line:
        line.until(WORD)
        line.settle()
        floor = print_median("a key in a bare Textual line", [line.press(b"x") for _ in TYPED])
    for name, folder in (("a key in the filter, none", none), ("a key in the filter", home)):
        print_ratio(name, floor, [took for _ in range(runs) for took in typing(folder)], "100 ms at the worst")


def main() -> None:
    given = [int(number) for number in sys.argv[1:]]
    runs, count = [*given, *DEFAULTS[len(given) :]]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        home, none = folder / "long", folder / "none"
        for project in (home, none):
            project.mkdir()
            profile(project, "http://127.0.0.1:9")
        long = fill(home / "home" / "state" / "history", count)
        asking(long, runs, "small ones")
        asking(fill(folder / "mixed", count, large=True), runs, "some of a megabyte")
        commands(runs, home, none, exchange(0).id)
        screens(runs, home, none)
        appending(folder, long)
        pruning(long, count)


if __name__ == "__main__":
    main()
