"""What it costs to record one exchange in an empty history and behind 100,000 others, and to list the newest 200.

python tests/benchmarks/history_append.py [RECORDS]
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rpcexplorer.model.exchange import Exchange, Response, Result
from rpcexplorer.protocol.ids import make_id
from rpcexplorer.storage.blocks import to_block
from rpcexplorer.storage.history import History

START = datetime(2025, 1, 1, tzinfo=UTC)
BODY = b'{"jsonrpc":"2.0","id":"1","result":[' + b",".join(b'{"name":"item %d"}' % n for n in range(30)) + b"]}"
SAMPLE = 2000


def exchange(number: int) -> Exchange:
    """One of about a kilobyte."""
    when = START + timedelta(seconds=number)
    return Exchange(
        id=make_id(int(when.timestamp() * 1000), number),
        when=when,
        profile="staging",
        url="https://staging.example.com/api/v2/",
        method="demo.items",
        params='{"page": 1, "size": 30}',
        kind="call",
        outcome=Result(BODY[36:-1]),
        seconds=0.034,
        sent=90,
        response=Response(200, "OK", body=BODY, size=len(BODY)),
    )


def fill(history: History, count: int) -> None:
    """Write many at once, through the front door but a thousand at a time."""
    for first in range(0, count, 1000):
        history.unsaved.extend(exchange(number) for number in range(first, min(first + 1000, count)))
        history.save_unsaved()


def appends(history: History, first: int) -> list[float]:
    """Milliseconds of each of many appends, ascending."""
    spent = []
    for number in range(first, first + SAMPLE):
        one = exchange(number)
        began = time.perf_counter()
        history.append(one)
        spent.append((time.perf_counter() - began) * 1000)
    return sorted(spent)


def listings(history: History) -> list[float]:
    """Milliseconds of each of twenty lists of the newest 200, ascending."""
    spent = []
    for _ in range(20):
        began = time.perf_counter()
        found = history.newest(200)
        spent.append((time.perf_counter() - began) * 1000)
        assert len(found) == 200
    return sorted(spent)


def report(words: str, spent: list[float]) -> float:
    """Print median and 99th percentile; the median."""
    median = statistics.median(spent)
    print(f"{words:<28} p50 {median:.3f} ms   p99 {spent[len(spent) * 99 // 100]:.3f} ms")
    return median


def main() -> None:
    """Measure and print."""
    records = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    print(f"one block is {len(to_block(exchange(0)).encode())} bytes")
    with tempfile.TemporaryDirectory() as folder:
        empty, full = (History(Path(folder) / name) for name in ("empty", "full"))
        single = History(Path(folder) / "single", rotate_at=sys.maxsize)
        at_nothing = report("append to nothing", appends(empty, 0))
        fill(full, records)
        at_many = report(f"append behind {records:,}", appends(full, records))
        fill(single, records)
        in_one = report("the same in one file", appends(single, records))
        print(f"ratio of the medians         {at_many / at_nothing:.2f} (in one file {in_one / at_nothing:.2f})")
        for words, history in (("newest(200)", full), ("newest(200) of one file", single)):
            report(words, listings(history))
        began = time.perf_counter()
        count = sum(1 for _ in full.search("no such text"))
        print(f"search through everything    {time.perf_counter() - began:.2f} s, {count} found")


if __name__ == "__main__":
    main()
