"""``demo``: the embedded service, a profile per auth type, and a tour."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click

from rpcexplorer.cli.arguments import whole_number
from rpcexplorer.cli.run import Run, profile_option
from rpcexplorer.cli.world import World
from rpcexplorer.demo import PASSWORD, USERNAME
from rpcexplorer.explorer import Explorer
from rpcexplorer.files.io import file_errors, write_atomic
from rpcexplorer.model.destination import Nobody, Person
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.problem import UserError
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.text.exchange import outcome_line, transport_line

FOLDER_PREFIX = "rpcexplorer-demo-"
"""Prefix of the folder for the files of a demo."""
ANY_PORT = "Without --port, any free port is used."
PORT = whole_number(0, 65535, otherwise=ANY_PORT)
PROFILES = """\
version = 1
default = "demo-cookie"

[profile.demo-cookie]
url = "{url}"
description = "Logs in, then sends the session cookie"
badge = "demo"
auth = {{ kind = "cookie", username = "{username}" }}

[profile.demo-inline]
url = "{url}"
description = "Puts the credentials into params"
badge = "demo"
auth = {{ kind = "inline", username = "{username}" }}

[profile.demo-none]
url = "{url}"
description = "Sends no credentials"
badge = "demo"
auth = {{ kind = "none" }}
"""
TOUR = (
    ("demo-none", "ping", "", "Without a session, the service returns an error:"),
    ("demo-cookie", "ping", "", "A cookie profile logs in with auth first, then calls with the session cookie:"),
    (
        "demo-cookie",
        "auth",
        '{{"username": "{username}", "password": "{password}"}}',
        "You can also call auth yourself:",
    ),
    ("demo-inline", "arg_test", '{{"page": 1}}', "An inline profile puts username and password into params:"),
    ("demo-none", "demo.numbers", "", "Numbers stay as the server wrote them:"),
)
"""Profile, method, params and explanation of each step."""


@click.command()
@click.option("--serve", is_flag=True, help="Only run the service. The first line of stdout is its URL.")
@click.option("--stdio", is_flag=True, help="Run the service on stdin and stdout, one JSON-RPC message in each line.")
@click.option("--port", type=PORT, default=0, metavar="N", help="Listen on this port.  [default: any free port]")
@profile_option(hidden=True)
@click.pass_obj
def demo(run: Run, serve: bool, stdio: bool, port: int) -> int:
    """Try everything on an embedded service.

    The service runs only on this machine. Its files are removed at the end.

    \b
    Examples:
      rpcexplorer demo
      rpcexplorer demo --serve --port 8000
      rpcexplorer demo --stdio
    """
    if stdio and (serve or port):
        raise click.UsageError("--stdio cannot be used with --serve or --port.")
    if port and not serve:
        raise click.UsageError("--port needs --serve.")
    if stdio:
        _serve_stdio(run.world)
        return 0
    if serve:
        _serve(run.world, port)
        return 0
    return open_demo(run) if run.world.on_terminal else _tour(run.world)


def open_demo(run: Run) -> int:
    world = run.world
    with _background_service() as (home, url):
        return world.open_screen(lambda person: throwaway_explorer(world, home, url, person), run.server.profile)[0]


def _serve(world: World, port: int) -> None:
    import gc

    from rpcexplorer.demo.http import serve_forever

    def announce(url: str) -> None:
        world.print(url)
        world.say(
            f"Press Ctrl+C to stop. In another terminal, run:\nrpcexplorer call demo.echo --url {url} hello=world"
        )
        world.say(f"The user name is {USERNAME}, the password is {PASSWORD}.")

    gc.enable()
    with _explain_listen_error(port):
        serve_forever(port, announce)


def _serve_stdio(world: World) -> None:
    import gc
    import signal

    from rpcexplorer.demo import BODY_LIMIT
    from rpcexplorer.demo.stdio import StdioDemo

    async def serve() -> None:
        demo = StdioDemo(world.write, world.say)
        await demo.serve(lambda: asyncio.to_thread(world.stdin.readline, BODY_LIMIT))

    gc.enable()
    if world.stdin.isatty():
        world.say("Write JSON-RPC messages, one in each line. Press Ctrl+D to stop.")
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)  # Python would wait for the end of stdin.
    try:
        asyncio.run(serve())
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None
    finally:
        signal.signal(signal.SIGINT, before)


def _tour(world: World) -> int:
    with _background_service() as (home, url):
        explorer = throwaway_explorer(world, home, url)
        world.print(f"The demo service runs at {url}/api/v2/")
        return asyncio.run(_walk(world, explorer))


@contextmanager
def _background_service() -> Iterator[tuple[Path, str]]:
    """Serve in the background; yield a temporary folder and the base URL."""
    import tempfile

    from rpcexplorer.demo.http import DemoThread

    with ExitStack() as stack:
        with file_errors("make", Path(os.environ.get("TMPDIR", "/tmp")) / FOLDER_PREFIX):  # noqa: S108 - only to name it
            home = stack.enter_context(tempfile.TemporaryDirectory(prefix=FOLDER_PREFIX, ignore_cleanup_errors=True))
        with _explain_listen_error(0):
            service = stack.enter_context(DemoThread())
        yield Path(home), service.url


@contextmanager
def _explain_listen_error(port: int) -> Iterator[None]:
    """Raise a sentence about the port instead of a ``ListenError``."""
    from rpcexplorer.demo.http import LOOPBACK, ListenError

    try:
        yield
    except ListenError as error:
        if error.errno == errno.EADDRINUSE:
            sentence = f"Another program uses port {port} of {LOOPBACK}. Choose another port. {ANY_PORT}"
        elif error.errno == errno.EACCES and port:
            sentence = f"Port {port} of {LOOPBACK} needs administrator rights. Choose 1024 or a larger port. {ANY_PORT}"
        else:
            why = os.strerror(error.errno).lower() if error.errno else error.strerror
            sentence = f"The demo service cannot listen on {LOOPBACK}: {why}."
        raise UserError(sentence) from error


def throwaway_explorer(world: World, home: Path, url: str, person: Person | None = None) -> Explorer:
    """Open an explorer with the demo profiles and all files in ``home``."""
    sessions = home / "sessions.toml"
    write_atomic(sessions, PROFILES.format(url=url, username=USERNAME).encode(), private=True)
    environment = {
        "RPCEXPLORER_HOME": str(home / "home"),
        "RPCEXPLORER_DEMO_COOKIE_PASSWORD": PASSWORD,
        "RPCEXPLORER_DEMO_INLINE_PASSWORD": PASSWORD,
    }
    return world.open_explorer(person or Nobody(), sessions, environment=environment, folder=home)


async def _walk(world: World, explorer: Explorer) -> int:
    expected = True
    async with explorer:
        for profile, method, params, words in TOUR:
            explorer.use(profile)
            text = params.format(username=USERNAME, password=PASSWORD)
            exchange = await explorer.call(Draft(method, text))
            _print_step(world, exchange, profile, words)
            refused = (profile, method) == ("demo-none", "ping")
            expected &= isinstance(exchange.outcome, ErrorObject if refused else Result)
    return 0 if expected else 1


def _print_step(world: World, exchange: Exchange, profile: str, words: str) -> None:
    world.print()
    world.print(words)
    world.print(f"  {exchange.method}  ({profile})")
    world.print(f"  {outcome_line(exchange)}   {transport_line(exchange)}")
    for note in exchange.notes:
        world.print(f"  {note}")
    if isinstance(exchange.outcome, Result):
        world.print_json(exchange.outcome.value)
