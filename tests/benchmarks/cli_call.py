"""One CLI call and a bare Python with httpx, and the cost of imports.

    python tests/benchmarks/cli_call.py [RUNS]

The two take turns against the same demo service, so that a drifting machine slows both; ratios are of medians.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time

from rpcexplorer.demo.http import DemoThread

BARE = """
import httpx
body = {{"jsonrpc": "2.0", "id": "1", "method": "demo.echo", "params": {{"x": 1}}}}
print(httpx.post("{url}/api/v2/", json=body).text)
"""


def seconds(command: list[str], environment: dict[str, str]) -> float:
    """Return the time of a whole process."""
    started = time.perf_counter()
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    with DemoThread() as demo, tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "RPCEXPLORER_HOME": home}
        python = sys.executable
        commands = {
            "python -c pass": [python, "-c", "pass"],
            "import rpcexplorer": [python, "-c", "import rpcexplorer"],
            "import httpx": [python, "-c", "import httpx"],
            "httpx.post": [python, "-c", BARE.format(url=demo.url)],
            "rpcexplorer call": [python, "-m", "rpcexplorer", "call", "demo.echo", "x:=1", "--url", demo.url],
        }
        taken: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(runs + 1):
            for name, command in commands.items():
                taken[name].append(seconds(command, environment))
    medians = {name: statistics.median(times[1:]) for name, times in taken.items()}
    for name, median in medians.items():
        print(f"{name:<20} {median * 1000:6.0f} ms   (worst {max(taken[name][1:]) * 1000:.0f} ms, {runs} runs)")
    print(f"rpcexplorer call / httpx.post = {medians['rpcexplorer call'] / medians['httpx.post']:.2f}")


if __name__ == "__main__":
    main()
