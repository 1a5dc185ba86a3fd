"""``copy``: print a recorded call as something to paste."""

from __future__ import annotations

import click

from rpcexplorer.cli.arguments import FILE_HELP, OneOf
from rpcexplorer.cli.output import Output
from rpcexplorer.cli.recorded import Recorded, find_call, of_history, use_history
from rpcexplorer.cli.run import Run, fail
from rpcexplorer.cli.world import World
from rpcexplorer.client.replay import ignored_pointers
from rpcexplorer.export.formats import (
    FORMER_NAMES,
    FORMS,
    count_references,
    count_replaced,
    find_uncopyable,
    render,
    replaced_words,
    reply,
)
from rpcexplorer.export.request import Subject, profile_of, record_of
from rpcexplorer.model.exchange import Refused
from rpcexplorer.text.code import code_lines
from rpcexplorer.text.json_text import painted
from rpcexplorer.text.printable import readable

FORM = OneOf(FORMS, FORMER_NAMES)


@click.command()
@click.argument("ids", nargs=-1, metavar="[ID [ID]]")
@click.option("--as", "form", type=FORM, default="curl", show_default=True, help="Format of the copy.")
@click.option("-o", "--output", metavar="FILE", help=FILE_HELP)
@of_history
@click.pass_obj
def copy(run: Run, ids: tuple[str, ...], form: str, output: str | None, profile: str | None) -> None:
    """Print a recorded call as a command, code or a report.

    Without an ID, the newest call is used. A part of an id is enough if only one call has it. Secrets are never
    included: curl, python and httpie read them from the environment variables RPCEXPLORER_<PROFILE>_<FIELD>. The other
    formats contain secret references. If a call needs a session, its login is included. The login asks for the password
    if no environment variable contains it.

    "report" is Markdown for an issue. With two IDs, it shows both calls and the differences between their responses.
    "request" is the HTTP request as text, "response" the body of the response, byte for byte.

    \b
    Examples:
      rpcexplorer copy --as report
      rpcexplorer copy 1m7ypmkv7qa7kfj --as curl
      rpcexplorer copy --as response --output response.json
      rpcexplorer copy 1m7ypmkv7qa7kfj 1m7yq02ddtb1x6m --as report
    """
    if len(ids) > 2 or (len(ids) == 2 and form != "report"):
        raise click.UsageError("Name one call, or two calls with --as report.")
    world, explorer = run.world, use_history(run, profile)
    wanted = ids or (None,)  # None is the newest call.
    calls = [find_call(explorer, id, own_first=profile is not None) for id in wanted]
    out = Output(world, output)
    if len(calls) == 2:
        from rpcexplorer.export.report import report_of_pair  # A single call needs no comparison.

        left, right = calls
        subjects = _subject(run, left, form), _subject(run, right, form)
        exchanges = left.exchange, right.exchange
        ignore = ignored_pointers(right.exchange, explorer.profiles.profiles)
        content = report_of_pair(*subjects, exchanges, explorer.credentials.in_use(), ignore)
        count = count_references(content)
    elif form == "response":
        # Unlike the other formats, it needs no request that can be sent.
        exchange = calls[0].exchange
        ours = explorer.journal.is_ours(exchange, calls[0].source)
        used_profile, _ = profile_of(exchange, explorer.profiles.profiles, ours=ours)
        content = reply(exchange, used_profile, explorer.credentials.in_use())
        count = count_references(content)
    else:
        subject = _subject(run, calls[0], form)
        content = render(form, subject)
        if FORMS[form].runs:
            problem = explorer.withheld(subject.profile, content.decode(errors="replace"))
            if problem:
                fail(problem, 3)
        count = count_replaced(form, subject, content)
    _print(out.world, content, form)
    out.write()
    if sentence := replaced_words(count):
        world.say(sentence)


def _print(world: World, content: bytes, form: str) -> None:
    text, language = readable(content), FORMS[form].language
    if world.colours and language and text is not None:
        for line in code_lines(text, language):
            world.print(painted(line, colour=True))
    elif FORMS[form].snippet is not None:
        world.write(content + b"\n")
    else:
        world.print_bytes(content)


def _subject(run: Run, call: Recorded, form: str) -> Subject:
    """Return the subject of a copy; end the command if there is none."""
    explorer = run.explorer
    subject, warning = record_of(
        call.exchange,
        explorer.profiles.profiles,
        explorer.preview,
        secrets=explorer.credentials.in_use(),
        ours=explorer.journal.is_ours(call.exchange, call.source),
        runs=not FORMS[form].describes,
    )
    if isinstance(subject, Subject):
        problem = find_uncopyable(form, subject.profile)
        if problem:
            fail(problem)
    if warning:
        run.world.say(warning)
    if isinstance(subject, Refused):
        fail(subject.sentence)
    return subject
