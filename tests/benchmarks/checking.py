"""Params against a schema: time of a check, and stall of the program.

    python tests/benchmarks/checking.py [ROUNDS]

The clock runs from the question to the answer, through the process that checks and back, with the problems in words.
The longest stall is the longest time in which the event loop did not run, so a key had to wait. The floor, in the same
run, is the bare validator in this process.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Any, Final

import jsonschema_rs

from rpcexplorer.discovery.openrpc import read_openrpc
from rpcexplorer.model.method import Described, DescribedParam
from rpcexplorer.model.problem import Checked
from rpcexplorer.schema.check import Checker
from tests.benchmarks.figures import print_median
from tests.fakes.violations import made

ROUNDS: Final = 20
METHODS: Final = 10_000
PAUSE: Final = 0.001
"""Seconds between two looks at the loop, so that looking costs little."""
FILTER: Final = {
    "type": "object",
    "properties": {"a": {"type": "integer", "minimum": 1}, "sub": {"$ref": "#/components/schemas/Filter"}},
    "additionalProperties": False,
}
TYPICAL: Final = Described(
    (
        DescribedParam("count", {"type": "integer", "minimum": 1, "maximum": 100}, required=True),
        DescribedParam("kind", {"enum": ["alpha", "beta", "gamma"]}),
        DescribedParam("since", {"type": "string", "format": "date-time"}),
        DescribedParam("filter", {"$ref": "#/components/schemas/Filter"}),
        DescribedParam("tags", {"type": "array", "items": {"type": "string"}}),
    ),
    definitions={"#/components/schemas/Filter": FILTER},
)
RIGHT: Final = '{"count": 5, "kind": "alpha", "filter": {"a": 1, "sub": {"a": 2}}, "tags": ["x", "y"]}'
WRONG: Final = '{"cuont": 5, "kind": "Alpha", "filter": {"a": "1", "sub": {"b": 2}}, "tags": "x"}'


def document() -> dict[str, Any]:
    """Return a service of 10,000 methods with a megabyte of schemas."""
    schemas = {
        f"T{at}": {
            "type": "object",
            "properties": {f"member{n}": {"$ref": f"#/components/schemas/T{(at * 3 + n) % 2_000}"} for n in range(6)},
        }
        for at in range(2_000)
    }
    methods = [
        {"name": f"m{at}", "params": [{"name": "a", "schema": {"$ref": f"#/components/schemas/T{at % 2_000}"}}]}
        for at in range(METHODS)
    ]
    return {"openrpc": "1.3.2", "info": {}, "methods": methods, "components": {"schemas": schemas}}


async def timed(check: Awaitable[Checked]) -> tuple[float, float]:
    """Return the time of a check, and its longest stall."""
    worst, going = 0.0, True

    async def beat() -> None:
        nonlocal worst
        while going:
            began = perf_counter()
            await asyncio.sleep(PAUSE)
            worst = max(worst, perf_counter() - began - PAUSE)

    beating = asyncio.ensure_future(beat())
    began = perf_counter()
    await check
    taken, going = perf_counter() - began, False
    await beating
    return taken, worst


async def measured(rounds: int, check: Callable[[Checker], Awaitable[Checked]], *, warm: bool = True) -> list[float]:
    """Measure with one checker, or with a new one each time if not ``warm``.

    The longest stall is printed.
    """
    taken: list[float] = []
    worst = 0.0
    checker = Checker(deadline=20)
    if warm:
        await check(checker)
    for _ in range(rounds):
        seconds, stall = await timed(check(checker))
        taken.append(seconds)
        worst = max(worst, stall)
        if not warm:
            await checker.close()
            checker = Checker(deadline=20)
    await checker.close()
    print(f"{'':30} longest stall {worst * 1000:5.1f} ms")
    return taken


async def main(rounds: int) -> None:
    members = json.dumps({f"member{number}": number for number in range(100_000)})
    texts = Described(result={"type": "object", "additionalProperties": {"type": "string"}})
    print_median("100,000 members, all wrong", await measured(3, lambda it: it.result(texts, members), warm=False))
    peaks = (resource.getrusage(who).ru_maxrss // 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(f"{'':30} program and process {' + '.join(map(str, peaks))} MB")
    schema = made(TYPICAL)
    bare = jsonschema_rs.Draft202012Validator(schema.schema)
    floor: list[float] = []
    for _ in range(rounds * 10):
        began = perf_counter()
        list(bare.iter_errors(json.loads(WRONG)))
        floor.append(perf_counter() - began)
    print_median("the bare validator", floor)
    print_median("start and first check", await measured(rounds, lambda it: it.params(TYPICAL, RIGHT), warm=False))
    print_median("right params", await measured(rounds * 10, lambda it: it.params(TYPICAL, RIGHT)))
    print_median("wrong params, fixes", await measured(rounds * 10, lambda it: it.params(TYPICAL, WRONG)))
    whole = document()
    size = len(json.dumps(whole))
    large = read_openrpc(whole).described["m5"]
    print_median(
        f"one of {METHODS:,} methods, new",
        await measured(rounds, lambda it: it.params(large, '{"a": {"member1": {"member2": 5}}}'), warm=False),
        f"a document of {size / 1e6:.1f} MB",
    )
    evil = Described((DescribedParam("a", {"pattern": "^(a+)+$"}),))
    print_median(
        "^(a+)+$ and 40 letters", await measured(rounds, lambda it: it.params(evil, json.dumps({"a": "a" * 40 + "!"})))
    )


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS))
