"""Checks, and the same calls of the Python client.

    python -m tests.benchmarks.checks [CALLS] [RUNS]

Both call the demo service, which runs in a process of its own, and take turns; the ratio is of medians. Checks record
their calls, judge a value of each response and send four at a time. The client sends one after the other and records
nothing. Then 24 slow calls with eight jobs, in times of one such call.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from rpcexplorer.checks.run import Check, CheckRun
from rpcexplorer.client.client import Client
from rpcexplorer.demo import PASSWORD, USERNAME
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Stop
from tests.benchmarks.figures import after_one, print_median

SLOW_CALLS: Final = 24
SLOW_SECONDS: Final = 0.3
SLOW_JOBS: Final = 8


async def seconds_of_client(url: str, count: int) -> float:
    async with Client(url, auth="cookie", username=USERNAME, password=PASSWORD) as client:
        started = time.perf_counter()
        for number in range(count):
            exchange = await client.call("demo.echo", {"n": number})
            assert exchange.outcome_name == "result", exchange
        return time.perf_counter() - started


async def seconds_of_checks(folder: Path, calls: list[str], jobs: int) -> float:
    """Run calls with expectations; the first call, with its login, counts too."""
    (folder / "sessions.toml").write_text("\n".join(calls))
    with tempfile.TemporaryDirectory() as home:
        environment = {"RPCEXPLORER_HOME": home, "RPCEXPLORER_DEMO_PASSWORD": PASSWORD}
        explorer = Explorer.open(folder=folder, environment=environment)
        profile = explorer.use("demo")
        async with explorer:
            run = CheckRun(explorer)
            started = time.perf_counter()
            checks = [Check(call, call.expect, profile) for call in explorer.profiles.checks_of(profile) if call.expect]
            results = await run.run(checks, jobs=jobs, stop=Stop(), show=lambda _: None)
            taken = time.perf_counter() - started
            await run.close()
    wrong = [result for result in results if result.verdict != "passed"]
    assert not wrong, wrong[0]
    return taken


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    command = [sys.executable, "-m", "rpcexplorer", "demo", "--serve"]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as demo,
    ):
        assert demo.stdout is not None
        url = demo.stdout.readline().strip()
        profile = f'[profile.demo]\nurl = "{url}"\nauth = {{ kind = "cookie", username = "{USERNAME}" }}'
        echo = '[call.c{0}]\nmethod = "demo.echo"\nparams = {{ n = {0} }}\nexpect.values = {{ "/n" = {0} }}'
        slow = '[call.c{0}]\nmethod = "demo.slow"\nparams = {{ seconds = {1}, drip = false }}\nexpect.within = 5000'
        calls = [profile, *(echo.format(number) for number in range(count))]
        taken = after_one(
            runs,
            {
                "client": lambda: asyncio.run(seconds_of_client(url, count)),
                "checks": lambda: asyncio.run(seconds_of_checks(Path(folder), calls, 4)),
            },
        )
        medians = {name: print_median(f"{count} calls, {name}", times) for name, times in taken.items()}
        print(f"checks / client = {medians['checks'] / medians['client']:.2f}")
        calls = [profile, *(slow.format(number, SLOW_SECONDS) for number in range(SLOW_CALLS))]
        slowest = max(asyncio.run(seconds_of_checks(Path(folder), calls, SLOW_JOBS)) for _ in range(runs))
        print(f"{SLOW_CALLS} calls of {SLOW_SECONDS} s, {SLOW_JOBS} jobs: {slowest / SLOW_SECONDS:.1f} times one call")
        demo.terminate()


if __name__ == "__main__":
    main()
