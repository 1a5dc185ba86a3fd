"""Generated checks, and the same calls of the Python client.

    python -m tests.benchmarks.generated [CALLS] [RUNS]

Both call methods of the demo service, which runs in a process of its own, one call after the other, and take turns;
the ratio is of medians. The client sends the params that the generated checks have sent, and judges nothing.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from rpcexplorer.checks.generated import GeneratedChecks, Planned
from rpcexplorer.client.client import Client
from rpcexplorer.client.profile_client import ProfileClient
from rpcexplorer.demo import PASSWORD, USERNAME
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Exchange, Stop

METHOD: Final = "demo.orders.find"
SEED: Final = 1
PROFILE: Final = '[profile.demo]\nurl = "{url}"\nauth = {{ kind = "cookie", username = "{user}" }}\n'


async def seconds_of_client(url: str, sent: list[Any]) -> float:
    async with Client(url, auth="cookie", username=USERNAME, password=PASSWORD) as client:
        started = time.perf_counter()
        for params in sent:
            exchange = await client.call(METHOD, params)
            assert exchange.outcome_name in {"result", "error"}, exchange
        return time.perf_counter() - started


async def seconds_of_generated(folder: Path, url: str, examples: int) -> tuple[float, list[str]]:
    """Return the time of a run with valid params, and the params that were sent."""
    (folder / "sessions.toml").write_text(PROFILE.format(url=url, user=USERNAME))
    sent: list[str] = []
    send = ProfileClient.send

    async def noted(self: ProfileClient, draft: Draft, **options: object) -> Exchange:
        sent.append(draft.text)
        return await send(self, draft, **options)  # type: ignore[arg-type]

    with tempfile.TemporaryDirectory() as home:
        environment = {"RPCEXPLORER_HOME": home, "RPCEXPLORER_DEMO_PASSWORD": PASSWORD}
        explorer = Explorer.open(folder=folder, environment=environment)
        profile = explorer.use("demo")
        async with explorer:
            await explorer.discover()
            described = explorer.described(METHOD)
            assert described is not None
            planned = Planned(explorer.methods()[METHOD], described, "valid")
            generated = GeneratedChecks(explorer, profile, examples=examples, seed=SEED, stop=Stop())
            ProfileClient.send = noted  # type: ignore[method-assign, assignment]
            try:
                started = time.perf_counter()
                run = await generated.run(planned)
                taken = time.perf_counter() - started
            finally:
                ProfileClient.send = send  # type: ignore[method-assign]
    assert not run.findings, run.findings
    return taken, sent


def main() -> None:
    calls, runs = (int(word) for word in (*sys.argv[1:], "1000", "5")[:2])
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "rpcexplorer", "demo", "--serve", "--port", "0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as service:
            assert service.stdout is not None
            url = service.stdout.readline().strip()
            try:
                ratios = []
                for _ in range(runs):
                    generated, sent = asyncio.run(seconds_of_generated(Path(folder), url, calls))
                    client = asyncio.run(seconds_of_client(url, [json.loads(text) for text in sent]))
                    ratios.append(generated / client)
                    print(f"{len(sent):,} calls: generated {generated:.2f} s, client {client:.2f} s")
                print(f"ratio {sorted(ratios)[len(ratios) // 2]:.2f}")
            finally:
                service.terminate()


if __name__ == "__main__":
    main()
