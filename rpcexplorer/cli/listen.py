"""`listen`: print what a server sends unasked."""

from __future__ import annotations

import asyncio
import gc
import os
import stat
from collections.abc import Sequence

import click
from msgspec.structs import replace

from rpcexplorer.cli.arguments import draft_of, period, seconds, set_option, whole_number
from rpcexplorer.cli.call import advise, confirm_sending, mark, resolved, show_failure
from rpcexplorer.cli.completion import complete_methods, complete_params
from rpcexplorer.cli.events import note_event, quoted_message
from rpcexplorer.cli.output import Waiting, run_waiting
from rpcexplorer.cli.run import Run, auth_option, no_input_option, profile_option, url_options, yes_option
from rpcexplorer.cli.world import INTERRUPTED, ReaderGone, World, discard_output, interruptible
from rpcexplorer.client.server_messages import NOT_JSON_RPC
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.event import Event
from rpcexplorer.model.exchange import Cancelled, Exchange, Unreached, in_handshake
from rpcexplorer.model.problem import UserError
from rpcexplorer.model.profile import Profile
from rpcexplorer.rpc.messages import Malformed, Result
from rpcexplorer.text.printable import printable
from rpcexplorer.transport.port import Progress

MAX_RESULT = 10_000
"""Bytes of the result to show; the history has all of it."""
GRACE_SECONDS = 1.0
"""To wait for the response, after the last message or the time."""
HOLD_SECONDS = 0.2
"""Seconds between two looks whether the user has answered; messages are written then."""
MAX_UNWRITTEN = 1024 * 1024
"""Bytes of messages after which they are written at once."""


@click.command()
@click.argument("method", required=False, shell_complete=complete_methods)
@click.argument("params", nargs=-1, shell_complete=complete_params)
@profile_option()
@url_options("Listen to this URL, without a profile.")
@auth_option
@click.option("--count", type=whole_number(1), metavar="N", help="Stop after N messages.")
@click.option("--for", "duration", type=period, metavar="TIME", help="Stop after a time, such as 10s, 5m or 1h.")
@click.option(
    "--method",
    "names",
    multiple=True,
    metavar="NAME",
    help="Print and count only messages with this method. Can be repeated.",
)
@click.option(
    "--timeout",
    type=seconds,
    metavar="SECONDS",
    help="Timeout of METHOD and of opening the connection, instead of the profile's timeout.",
)
@click.option("--no-history", "history", flag_value=False, default=True, help="Record neither the call nor events.")
@no_input_option()
@yes_option()
@set_option
@click.pass_obj
def listen(
    run: Run,
    /,
    method: str | None,
    params: tuple[str, ...],
    count: int | None,
    duration: float | None,
    names: tuple[str, ...],
    timeout: float | None,
    history: bool,
    given: tuple[str, ...],
) -> int:
    """Print the notifications and requests that a server sends.

    Each is one line of JSON. METHOD with PARAMS, such as a subscription, is called first. Its response goes to stderr.
    Listening ends with --count or --for (exit code 0), with Ctrl+C (130), with an error from the server (1), or with
    the connection (4).

    \b
    Examples:
      rpcexplorer listen -p node eth_subscribe '["newHeads"]' --count 1
      rpcexplorer listen -p sound --method Client.OnVolumeChanged | jq .params
      rpcexplorer listen --stdio 'rpcexplorer demo --stdio' clock.subscribe --for 10s
    """
    run.world.write(b"")  # If messages cannot be printed, nothing is sent.
    profile, journal = run.use(), run.explorer.journal
    journal.recording = journal.recording and history
    draft = None
    if method is not None:
        typed = draft_of(method, params, run.world, lambda: run.explorer.described(method))
        sent = resolved(run, typed, given)
        assert isinstance(sent, Draft)
        draft = sent
        mark(run.world, draft, params)
        confirm_sending(run, [(profile, draft)], "the request")
    listener = Listener(run, names, count, duration, timeout)
    end = run_waiting(run, lambda watch: listener.run(draft, watch))
    return listener.finish(end)


class Listener:
    """Prints events: messages on stdout, all else on stderr."""

    def __init__(
        self, run: Run, names: Sequence[str], count: int | None, duration: float | None, timeout: float | None
    ) -> None:
        """Prepare to listen; ``timeout`` is that of the call, or of opening the connection."""
        self._world, self._explorer, self._stop = run.world, run.explorer, run.stop
        self._run = run
        self._names, self._left = frozenset(names), count
        self._duration, self._timeout = duration, timeout
        self._unwritten: list[Event] = []
        self._size = 0
        """Bytes of the messages that are not written yet."""
        self._calls = True
        """A response is still to come."""
        self._has_parts = False
        """The responses go to stdout, as parts of one result."""
        self._is_over = self._is_interrupted = False
        self._is_complete = False
        """It ended by count or time."""
        self._note = ""
        """About requests of the server without an answer."""
        self._problem: ReaderGone | UserError | None = None
        """Why stdout cannot be written."""

    async def run(self, draft: Draft | None, watch: Waiting) -> Exchange:
        """Print events until the end of listening; return the exchange that ended it."""
        gc.enable()  # This may run for days.
        self._explorer.hooks = replace(self._explorer.hooks, on_event=self._take)
        self._calls = draft is not None
        loop, pipe = asyncio.get_running_loop(), _pipe(self._world)
        is_open = False

        def note(progress: Progress) -> None:
            nonlocal is_open
            if progress.step == "waiting" and not is_open:
                is_open = True
                watch.end()
                if self._duration is not None:
                    loop.call_later(self._duration, self._complete)
            elif not is_open:
                watch(progress)

        if pipe is not None:  # A reader such as head may go before the next message.
            loop.add_reader(pipe, self._end, ReaderGone())
        try:
            with interruptible(self._note_signal):
                end = await self._explorer.listen(
                    draft, on_response=self._show_response, timeout=self._timeout, watch=note, stop=self._stop
                )
            assert self._explorer.profile is not None
            if (connection := self._explorer.connection_of(self._explorer.profile)) is not None:
                self._note = connection.requests.note
        finally:
            self._write(at_once=True)
            self._is_over = True
            if pipe is not None:
                loop.remove_reader(pipe)
        if self._problem is not None:
            raise self._problem
        return end

    def finish(self, end: Exchange) -> int:
        """Print why listening ended; return the exit code."""
        if not self._calls:
            for note in end.notes:
                self._world.say(note)
        if self._note:
            self._world.say(self._note)
        self._run.warn_unless_recorded("the call was not recorded")
        if self._is_complete:
            if self._calls:
                self._world.say(f"{end.method} has no response yet.")
            return 0
        match end.outcome:
            case Cancelled():
                return INTERRUPTED
            case Result(message=""):  # All its parts were printed.
                return 0
            case Unreached(sentence=words) | Malformed(reason=words) if not self._calls:
                if in_handshake(end.outcome):
                    words = f"The connection was not opened, because {words}"
                self._world.say(words)
            case _:
                self._show_response(end)
                show_failure(self._world, end)
                advise(self._run, end)
        return end.exit_code

    def _take(self, profile: Profile, event: Event) -> None:
        """Take an event of any kind; messages are written together, once in each turn of the event loop."""
        if self._is_over:
            return
        if event.kind in {"notification", "request", "part"}:
            note_event(self._world, self._explorer, profile, event)
            self._has_parts |= event.kind == "part"
            if self._names and event.method not in self._names:
                return
            if not self._unwritten:
                asyncio.get_running_loop().call_soon(self._write)
            self._unwritten.append(event)
            self._size += len(event.text)
            self._count()
            if self._size > MAX_UNWRITTEN:
                self._write()
        else:
            self._world.report(f"The server sent {quoted_message(self._explorer, profile, event)}: {event.remark}")
            if event.remark == NOT_JSON_RPC and not self._names:
                self._count()

    def _count(self) -> None:
        if self._left is not None:
            self._left -= 1
            if not self._left:
                self._complete()

    def _write(self, *, at_once: bool = False) -> None:
        """Write the messages, each on one line; ``at_once`` even while the user types an answer."""
        if self._world.asking and not at_once:
            asyncio.get_running_loop().call_later(HOLD_SECONDS, self._write)
            return
        events, self._unwritten, self._size = self._unwritten, [], 0
        if not events or self._problem is not None:
            return
        assert self._explorer.profile is not None
        messages = self._explorer.event_redactor(self._explorer.profile).messages(events)
        text = b"\n".join(messages) + b"\n"
        if b"\r" in text or text.count(b"\n") > len(messages):
            # A line break in a message is between two tokens.
            text = b"".join(b" ".join(message.splitlines()) + b"\n" for message in messages)
        if self._world.shows:
            text = printable(text.decode(errors="replace"), lines=True).replace("\t", " ").encode()
        try:
            with interruptible():
                if not self._is_interrupted:
                    self._world.write(text)
        except (ReaderGone, UserError) as problem:
            self._end(problem)
        except KeyboardInterrupt:
            discard_output([1])
            self._end()

    def _note_signal(self, *_: object) -> None:
        """Write nothing more, as the reader may wait; the event loop presses ``stop`` soon."""
        self._is_interrupted = True

    def _complete(self) -> None:
        """End by count or time, soon after if the response may come together with the last event."""
        self._is_complete = self._is_over = True
        if self._calls:
            asyncio.get_running_loop().call_later(GRACE_SECONDS, self._stop.press)
        else:
            self._stop.press()

    def _end(self, problem: ReaderGone | UserError | None = None) -> None:
        self._problem, self._is_over = self._problem or problem, True
        self._stop.press()

    def _show_response(self, exchange: Exchange) -> None:
        self._calls = False
        for note in exchange.notes:
            self._world.say(note)
        for remark in exchange.remarks:
            self._world.warn(remark)
        if isinstance(exchange.outcome, Result) and not self._has_parts:
            shown = bytes(exchange.outcome.text[:MAX_RESULT]).decode(errors="replace")
            if len(exchange.outcome.text) > MAX_RESULT:
                shown += "…"
            self._world.say(f"{exchange.method}: {shown}")
        if self._is_complete:
            self._stop.press()


def _pipe(world: World) -> int | None:
    """Return the descriptor of stdout if it is a pipe."""
    try:
        number = world.stdout.fileno()
        return number if stat.S_ISFIFO(os.fstat(number).st_mode) else None
    except OSError:
        return None
