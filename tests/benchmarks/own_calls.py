"""How many of our functions run for a warm call, a call of the command line, an append and an event.

    python -m tests.benchmarks.own_calls [CHECKOUT]...

Prints a column for each checkout. A generator counts each time it continues.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from rpcexplorer.demo.http import DemoThread

COUNTING: Final = """
import asyncio, os, sys, threading
from pathlib import Path
sys.path.insert(0, os.getcwd())
os.environ["NO_PROXY"] = "*"
count, package = 0, os.path.join(os.getcwd(), "rpcexplorer") + os.sep
folder = Path(sys.argv[1])
environment = {"RPCEXPLORER_HOME": str(folder / "home"), "RPCEXPLORER_SHOP_USERNAME": "demo"}
environment["RPCEXPLORER_SHOP_PASSWORD"] = "demo-password"
def profile(frame, event, arg):
    global count
    if event == "call" and frame.f_code.co_filename.startswith(package):
        count += 1
def start():
    threading.setprofile(profile)
    sys.setprofile(profile)
def stop():
    sys.setprofile(None)
    threading.setprofile(None)
"""
WARM: Final = """
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Draft
async def main():
    async with Explorer.open(folder=folder, environment=environment) as explorer:
        explorer.use()
        draft = Draft("arg_test", '{"x": 1.10}') if KIND == "inline" else Draft("demo.echo", '{"x": 1.10}')
        for _ in range(5):
            exchange = await explorer.call(draft)
        assert exchange.outcome_name == "result", exchange.outcome
        start()
        MEASURED
        stop()
asyncio.run(main())
"""
SENT: Final = "await explorer.call(draft)"
APPENDED: Final = "explorer.journal.record(exchange, explorer.profile)"
PRINTED: Final = """
os.environ.update(environment)
os.chdir(folder)
sys.argv = ["rpcexplorer", "call", "demo.echo", '{"x": 1.10}']
own_output = os.dup(1)
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
start()
try:
    from rpcexplorer.__main__ import main
    main()
except SystemExit as end:
    assert not end.code, end.code
stop()
os.dup2(own_output, 1)
"""
EVENTS: Final = 50
SERVER: Final = f"""
import json, sys
for line in sys.stdin:
    call = json.loads(line)
    print(json.dumps({{"jsonrpc": "2.0", "id": call["id"], "result": 1}}), flush=True)
    for number in range({EVENTS} if call["method"] == "go" else 0):
        print('{{"jsonrpc":"2.0","method":"tick","params":{{"number":%d}}}}' % number, flush=True)
"""
STREAMED: Final = f"""
from rpcexplorer import explorer as facade
from rpcexplorer.model.draft import Draft
async def main():
    came = asyncio.Semaphore(0)
    on_event = lambda *_: came.release()
    hooks = {{"hooks": facade.Hooks(on_event=on_event)}} if hasattr(facade, "Hooks") else {{}}
    async with facade.Explorer.open(folder=folder, environment=environment, **hooks) as explorer:
        if not hooks:
            explorer.on_event = on_event
        explorer.use("process")
        await explorer.call(Draft("warm"))
        start()
        await explorer.call(Draft("warm"))
        stop()
        global count
        count = -count
        start()
        await explorer.call(Draft("go"))
        for _ in range({EVENTS}):
            await came.acquire()
        explorer.journal.flush_events()
        stop()
        count //= {EVENTS}
asyncio.run(main())
"""
CASES: Final = {
    "warm call, cookie": WARM.replace("KIND", "'cookie'").replace("MEASURED", SENT),
    "warm call, inline": WARM.replace("KIND", "'inline'").replace("MEASURED", SENT),
    "warm call, none": WARM.replace("KIND", "'none'").replace("MEASURED", SENT),
    "call of the command line": PRINTED,
    "append to the history": WARM.replace("KIND", "'none'").replace("MEASURED", APPENDED),
    "event of a process": STREAMED,
}


def own_calls(checkout: Path, case: str, url: str) -> int:
    """Count the functions that one case runs in a checkout, in a new process with a home of its own."""
    kind = case.partition(", ")[2] or "none"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "server.py").write_text(SERVER, encoding="utf-8")
        config = folder / "home" / "config"
        config.mkdir(parents=True)
        (config / "sessions.toml").write_text(
            f'default = "shop"\n[profile.shop]\nurl = "{url}"\npath = "/api/v2/"\nauth = {{ kind = "{kind}" }}\n'
            f'[profile.process]\nurl = "stdio:"\ncommand = ["{sys.executable}", "{folder}/server.py"]\n'
            'auth = { kind = "none" }\n',
            encoding="utf-8",
        )
        script = COUNTING + CASES[case] + "print(count)"
        command = [sys.executable, "-c", script, name]
        done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return int(done.stdout)


def main() -> None:
    checkouts = [Path(folder).resolve() for folder in sys.argv[1:]] or [Path(__file__).resolve().parents[2]]
    with DemoThread() as demo:
        for case in CASES:
            counts = [own_calls(checkout, case, demo.url) for checkout in checkouts]
            print(f"{case:36}", *(f"{count:>18,}" for count in counts))


if __name__ == "__main__":
    main()
