"""What processes and servers send unasked, on stderr."""

from __future__ import annotations

from collections.abc import Callable

from rpcexplorer.cli.world import World
from rpcexplorer.client.server_messages import NOT_OFFERED
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.event import Event
from rpcexplorer.model.mcp import ELICITATION
from rpcexplorer.model.problem import PROGRAM, counted, cut, quoted
from rpcexplorer.model.profile import Profile
from rpcexplorer.profiles.profiles import answer_key
from rpcexplorer.text.printable import printable

MAX_PASSED_ON = 64 * 1024
"""Characters of a process's stderr to print."""


def pass_on(world: World, name: str, line: str, hide: Callable[[str], str]) -> None:
    """Print a line of a process's stderr, unless it has written too much."""
    if world.passed_on[name] + len(line) >= MAX_PASSED_ON:
        world.omitted[name] += 1
        return
    world.passed_on[name] += len(line) + 1
    world.erase_progress()
    world.stderr.write(world.for_log(printable(f"{name}: {hide(line)}")) + "\n")
    world.stderr.flush()


def report_omitted(world: World) -> None:
    """Say how much of each process's stderr was not printed."""
    for name, count in world.omitted.items():
        world.say(f"{counted(count, 'more line')} of {name} on stderr: only the first 64 kB are printed")
    world.omitted.clear()


MAX_QUOTED = 1_000
"""Bytes of a message to quote on stderr. A part of a longer one could contain a part of a secret."""


def quoted_message(explorer: Explorer, profile: Profile, event: Event) -> str:
    if event.size > MAX_QUOTED:
        return f"a text of {event.size:,} bytes"
    return explorer.event_redactor(profile, whole=True).message(event).decode(errors="replace")


def _report_questions(world: World, explorer: Explorer, profile: Profile, event: Event) -> None:
    """Print the questions of a server that could not be answered, because the user cannot be asked."""
    from rpcexplorer.cli.answers import question_lines

    world.lacks_answer = True
    asked = explorer.elicitation(profile, event)
    lines = [f"{profile.shown_name} has questions, but you cannot be asked here. It got the error -32601. It asked:"]
    lines += asked.why_not.splitlines() or question_lines(asked)
    key = f"{answer_key(ELICITATION, 'result_json')}=JSON"
    lines += ["To answer by rule, run:", f"{PROGRAM} profiles set {profile.name} {quoted(key)}"]
    world.erase_progress()
    world.report("\n".join(lines))


def note_event(world: World, explorer: Explorer, profile: Profile, event: Event) -> None:
    """Print once that a request was refused because nobody can answer here, and data that is not a message."""
    if event.waits:
        from rpcexplorer.cli.answers import ask_later  # Few servers ask.

        ask_later(world, explorer, profile, event)
        return
    if event.method == ELICITATION and event.answer == NOT_OFFERED:
        _report_questions(world, explorer, profile, event)
        return
    about = ""
    if event.kind in {"response", "unreadable"}:
        about = event.remark
    elif event.kind == "request" and not event.remark:
        key = event.method if event.method in profile.answers else "*"
        if key in profile.answers and profile.answers[key].ask:
            about = key
    if not about or about in world.noted:
        return
    world.noted.add(about)
    sentence = f"The server sent {quoted_message(explorer, profile, event)}: {event.remark}"
    if event.kind == "request":
        method = cut(explorer.event_redactor(profile).method(event.method))
        keys = (f"{answer_key(about, 'ask')}=", f"{answer_key(about, 'result_json')}=JSON")
        sentence = (
            f"The server sent the request {method}. It got the error -32601, because you can only answer on the "
            f"screen. To answer by rule, run:\n{PROGRAM} profiles set {profile.name} {' '.join(map(quoted, keys))}"
        )
    world.erase_progress()
    world.report(sentence)
