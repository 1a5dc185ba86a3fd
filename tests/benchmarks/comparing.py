"""Two responses compared, by rpcexplorer and by other libraries.

    python tests/benchmarks/comparing.py [MEGABYTES...]

Each side is a list of records as services send them. The pairs: one record was inserted at the front and ten changed;
the members of every record are in another order; every record changed in one member; everything differs. Each way is
measured in a process of its own, which may take a minute. deepdiff is measured if it is installed
(``pip install deepdiff``) and is not part of the product. The results are not comparable: the ways report a front
insertion, or ``1.0`` and ``1.00``, differently.
"""

from __future__ import annotations

import json
import multiprocessing
import random
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, Final

from rpcexplorer.compare.compare import compared_texts
from rpcexplorer.jsontext.layout import indented
from rpcexplorer.text.compare import compared_lines, summary

DEFAULTS: Final = (1, 10)
PATIENCE: Final = 60.0
RECORD: Final = 177
"""Approximate bytes of a record."""


def record(at: int) -> dict[str, Any]:
    return {
        "id": at,
        "name": f"user {at}",
        "email": f"user{at}@example.com",
        "score": at / 7,
        "tags": ["a", "b", f"c{at % 97}"],
        "address": {"city": "Roma", "zip": str(at)},
        "active": at % 3 == 0,
    }


def pairs(megabytes: float) -> dict[str, tuple[bytes, bytes]]:
    """Return both sides of each pair, by their difference."""
    dice = random.Random(14)
    left = [record(at) for at in range(int(megabytes * 1_000_000 / RECORD))]
    few = [record(-1), *(dict(item) for item in left)]
    for at in dice.sample(range(len(left)), 10):
        few[at + 1]["name"] = "another"
    turned = [dict(reversed(item.items())) for item in left]
    scores = [record(-1), *(one | {"score": one["score"] + 1} for one in left)]
    other = [{"k": dice.random(), "v": [dice.random(), "x" * 40], "w": {"a": dice.random()}} for _ in left]
    ways = {"few differ": few, "other order": turned, "each differs": scores, "all is other": other}
    return {name: (dumped(left), dumped(right)) for name, right in ways.items()}


def dumped(records: list[Any]) -> bytes:
    return json.dumps({"items": records, "total": len(records)}).encode()


def ours(left: bytes, right: bytes) -> str:
    longest, before = 0.0, time.perf_counter()
    steps = compared_texts(left, right)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            comparison = end.value
            break
        now = time.perf_counter()
        longest, before = max(longest, now - before), now
    result = f"{summary(comparison)[:60]}; longest step {longest * 1000:,.0f} ms"
    before = time.perf_counter()
    lines = len(compared_lines(comparison))
    return f"{result}; {lines:,} lines in {(time.perf_counter() - before) * 1000:,.0f} ms"


def loads(left: bytes, right: bytes) -> str:
    json.loads(left)
    json.loads(right)
    return ""


def by_difflib(left: bytes, right: bytes) -> str:
    import difflib

    before, now = (indented(side).decode().splitlines() for side in (left, right))
    return f"{len(list(difflib.unified_diff(before, now, n=0))):,} lines"


def by_deepdiff(left: bytes, right: bytes) -> str:
    from deepdiff import DeepDiff

    found = DeepDiff(json.loads(left), json.loads(right))
    return ", ".join(f"{len(differences):,} {kind}" for kind, differences in found.items())


WAYS: Final[dict[str, Callable[[bytes, bytes], str]]] = {
    "json.loads of both": loads,
    "rpcexplorer": ours,
    "difflib": by_difflib,
    "deepdiff": by_deepdiff,
}


def measured(way: str, left: bytes, right: bytes, results: Any) -> None:
    before = time.process_time()
    result = WAYS[way](left, right)
    results.put((time.process_time() - before, result))


def timed(way: str, left: bytes, right: bytes) -> str:
    """Return the CPU seconds and the result, or the timeout."""
    results: Any = multiprocessing.Queue()
    work = multiprocessing.Process(target=measured, args=(way, left, right, results))
    work.start()
    try:
        seconds, result = results.get(timeout=PATIENCE)
    except Exception:  # noqa: BLE001 - empty: whatever it was doing, it was too long
        seconds, result = None, ""
    work.kill()
    work.join()
    return f"> {PATIENCE:.0f} s" if seconds is None else f"{seconds:8.2f} s   {result}"


def main() -> None:
    for megabytes in map(float, sys.argv[1:] or DEFAULTS):
        for name, (left, right) in pairs(megabytes).items():
            print(f"\n{name}, {len(left) / 1e6:.1f} and {len(right) / 1e6:.1f} MB")
            for way in WAYS:
                if way == "deepdiff" and not find_spec("deepdiff"):
                    print(f"  {way:20} is not installed")
                    continue
                print(f"  {way:20} {timed(way, left, right)}", flush=True)


if __name__ == "__main__":
    main()
