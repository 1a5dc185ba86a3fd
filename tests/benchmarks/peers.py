"""rpcexplorer and its peers: first screen, one call, large responses.

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install posting httpie 'tree-sitter<0.26'
    python tests/benchmarks/peers.py --peers /tmp/peers [RUNS] [--replies RUNS] [--sizes 1 10] [--only start call reply]

With tree-sitter 0.26, Posting 2.11 ends in a segmentation fault. A missing peer is skipped with a message.

Screens run in a pseudo-terminal of 120 by 40. Their clock runs from the start of the process to a word that is on every
first screen; for a response, from the key that sends to a member at its beginning, in its colour. It is the first call
of a program, so lazy loading counts. Programs that print run from their start, into the same terminal: to that member,
and to their end. All get the same response from the same demo service, in a process started for it; only jq has it in
a file. The floors are measured in the same run: a bare Textual app (also on Posting's Textual, if that differs), a bare
Python with httpx making the same call, and one that has httpx ready and reads the same response. Memory is the peak of
the process.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import httpx

from rpcexplorer.demo.http import DemoThread
from tests.benchmarks import cli_call
from tests.benchmarks.figures import after_one, in_turns, print_median
from tests.benchmarks.posting import Posting
from tests.benchmarks.programs import WORD, bare, explorer, profile, ready_to_send
from tests.benchmarks.terminal import CTRL_J, ENTER, F5, Program, environment

MEGABYTE: Final = 1_000_000
COLOURED: Final = b'm"page"'
"""A member at the beginning of the response, after its colour sequence."""
PLAIN: Final = """
import sys, httpx
url, body = sys.argv[1:]
with httpx.Client(timeout=600) as client:
    input("ready")
    client.post(url, content=body, headers={"Content-Type": "application/json"}).content
    input("fetched")
"""


class Reading(NamedTuple):
    """The cost of looking at a response."""

    seconds: float
    """Until its beginning is shown."""
    peak: int
    """Bytes of memory."""
    whole: float | None = None
    """Seconds until its end is shown, if the program prints all of it."""


@dataclass(frozen=True)
class Bench:
    """The folder, the demo service and the peers."""

    folder: Path
    """The home of all programs."""
    url: str
    """Address of the demo service."""
    venv: Path | None
    """Virtual environment of the peers."""
    patience: float

    def peer(self, name: str) -> Path | None:
        """Return a peer's script, if it is installed."""
        script = self.venv and self.venv / "bin" / name
        return script if script and script.exists() else None

    def posting(self, body: str) -> Posting | None:
        """Return Posting with this body to send, if it is installed."""
        script = self.peer("posting")
        return Posting(script, self.folder, self.url + "/api/v2/", body) if script else None

    def http(self, body: str) -> list[str] | None:
        """Return HTTPie's command for this body, if it is installed.

        It must not look for updates meanwhile.
        """
        script = self.peer("http")
        quiet = self.folder / "config" / "httpie" / "config.json"
        quiet.parent.mkdir(parents=True, exist_ok=True)
        quiet.write_text('{"disable_update_warnings": true}')
        words = ["--ignore-stdin", "--body", "--timeout=600", "--raw", body, "POST", self.url + "/api/v2/"]
        return [str(script), *words] if script else None


def starts(bench: Bench, runs: int) -> None:
    """Measure from the start of a process to its first screen."""
    profile(bench.folder, bench.url)
    script, posting = bare(bench.folder), bench.posting("{}")
    programs: dict[str, Callable[[], Program]] = {
        "bare Textual": lambda: Program([sys.executable, script], bench.folder),
        "rpcexplorer": lambda: explorer(bench.folder),
    }
    if posting and bench.venv:
        python = bench.venv / "bin" / "python"
        theirs = _textual(python)
        if theirs != _textual(Path(sys.executable)):
            programs[f"bare Textual {theirs}"] = lambda: Program([python, script], bench.folder)
        programs["Posting"] = posting.start
    medians = _medians(after_one(runs, {name: _first_screen(start) for name, start in programs.items()}))
    _ratios(medians, "bare Textual")
    if posting:
        _ratios({name: medians[name] for name in list(medians)[-2:]}, list(medians)[-2])


def _first_screen(start: Callable[[], Program]) -> Callable[[], float]:
    def seconds() -> float:
        with start() as program:
            return program.until(WORD)

    return seconds


def _textual(python: Path) -> str:
    """Return the Textual version of a Python."""
    words = [str(python), "-c", "import importlib.metadata as m; print(m.version('textual'))"]
    return subprocess.check_output(words, text=True).strip()


def calls(bench: Bench, runs: int) -> None:
    """Measure a whole process that makes one call."""
    python, body = sys.executable, _body("demo.echo", x=1)
    commands = {
        "httpx.post": [python, "-c", cli_call.BARE.format(url=bench.url)],
        "rpcexplorer call": [python, "-m", "rpcexplorer", "call", "demo.echo", "x:=1", "--url", bench.url],
    }
    if http := bench.http(body):
        commands["http"] = http
    if curl := shutil.which("curl"):
        commands["curl"] = [curl, "-s", "-H", "Content-Type: application/json", "-d", body, bench.url + "/api/v2/"]
    own = environment(bench.folder)
    processes = {name: _process(command, own) for name, command in commands.items()}
    _ratios(_medians(after_one(runs, processes)), "httpx.post")


def _process(command: list[str], own: dict[str, str]) -> Callable[[], float]:
    return lambda: cli_call.seconds(command, own)


def _body(method: str, **params: int) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": "1", "method": method, "params": params})


def replies(bench: Bench, runs: int, megabytes: float) -> None:
    """Measure a large response, on a screen or printed.

    The first turn has a short one, which triggers lazy loading.
    """
    in_turns(1, _readers(bench, 1))
    count = round(megabytes * MEGABYTE * 1000 / len(_fetched(bench, 1000)))
    taken = in_turns(runs, _readers(bench, count))
    print(f"a reply of {len(_fetched(bench, count)) / MEGABYTE:.1f} MB, {count:,} records")
    medians = {}
    for name, readings in taken.items():
        wholes = [reading.whole for reading in readings if reading.whole is not None]
        whole = f"   to the end {statistics.median(wholes) * 1000:8.1f} ms" if wholes else ""
        peak = max(reading.peak for reading in readings) / MEGABYTE
        medians[name] = print_median(name, [reading.seconds for reading in readings], f"peak {peak:6.0f} MB{whole}")
    _ratios(medians, "plain fetch")


def _readers(bench: Bench, count: int) -> dict[str, Callable[[], Reading]]:
    """Return all programs that can show a response of this many records."""
    body, url, folder = _body("demo.records", count=count), bench.url + "/api/v2/", bench.folder
    profile(folder, bench.url, method="demo.records", params=f"{{ count = {count} }}")
    shutil.rmtree(folder / "home", ignore_errors=True)  # its drafts are of another size
    plain = [sys.executable, "-c", PLAIN, url, body]
    readers = {
        "plain fetch": lambda: _shown(_when_ready(Program(plain, folder)), ENTER, b"fetched", bench.patience),
        "rpcexplorer": lambda: _shown(ready_to_send(folder, "demo.records"), F5, COLOURED, bench.patience),
    }
    if posting := bench.posting(body):
        readers["Posting"] = lambda: _shown(posting.ready_to_send(), CTRL_J, COLOURED, bench.patience)
    if http := bench.http(body):
        readers["http"] = lambda: _printed(Program(http, folder), bench.patience)
    if jq := shutil.which("jq"):
        (folder / "reply.json").write_bytes(_fetched(bench, count))
        readers["jq, from a file"] = lambda: _printed(Program([jq, ".", "reply.json"], folder), bench.patience)
    return readers


def _fetched(bench: Bench, count: int) -> bytes:
    headers = {"Content-Type": "application/json"}
    return httpx.post(bench.url + "/api/v2/", content=_body("demo.records", count=count), headers=headers).content


def _when_ready(program: Program) -> Program:
    program.until(b"ready")
    return program


def _shown(program: Program, key: bytes, word: bytes, patience: float) -> Reading:
    with program:
        program.write(key)
        seconds = program.until(word, patience)
        program.settle()
        return Reading(seconds, program.peak)


def _printed(program: Program, patience: float) -> Reading:
    with program:
        seconds = program.until(COLOURED, patience)
        whole = program.whole(patience)
        return Reading(seconds, program.peak, whole)


def _medians(taken: Mapping[str, list[float]]) -> dict[str, float]:
    return {name: print_median(name, times) for name, times in taken.items()}


def _ratios(medians: Mapping[str, float], floor: str) -> None:
    ratios = (f"{name} {median / medians[floor]:.2f}" for name, median in medians.items() if name != floor)
    print(f"  to {floor}: {', '.join(ratios)}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="?", type=int, default=15, help="of first screens and calls")
    parser.add_argument("--peers", type=Path, help="the virtual environment with Posting and HTTPie")
    parser.add_argument("--replies", type=int, default=3, metavar="RUNS", help="of each reply")
    parser.add_argument("--sizes", type=float, nargs="+", default=[1, 10], metavar="MB", help="of the replies")
    parser.add_argument("--patience", type=float, default=300, metavar="SECONDS", help="with a program and a reply")
    parser.add_argument("--only", nargs="+", choices=["start", "call", "reply"], default=["start", "call", "reply"])
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as home, DemoThread() as demo:
        bench = Bench(Path(home), demo.url, asked.peers and asked.peers.absolute(), asked.patience)
        missing = [name for name in ("posting", "http") if not bench.peer(name)]
        missing += [name for name in ("curl", "jq") if not shutil.which(name)]
        if missing:
            print(f"not installed, so not measured: {', '.join(missing)}\n")
        if "start" in asked.only:
            starts(bench, asked.runs)
        if "call" in asked.only:
            calls(bench, asked.runs)
        for size in asked.sizes if "reply" in asked.only else ():
            replies(bench, asked.replies, size)


if __name__ == "__main__":
    main()
