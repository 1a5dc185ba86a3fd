"""``copy``: a recorded call as something to paste."""

from __future__ import annotations

import click

from rpcexplorer.cli.context import complete_profiles, fail
from rpcexplorer.cli.history import one_of, opened
from rpcexplorer.cli.output import Output
from rpcexplorer.cli.values import OneOf
from rpcexplorer.cli.world import World
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Exchange, Refused
from rpcexplorer.views.copying.forms import FORMS, TELLING, made, marks, replaced, replaced_told, reply
from rpcexplorer.views.copying.subject import profile_of, record_of
from rpcexplorer.views.printable import printable_bytes

FORM = OneOf(FORMS)


@click.command()
@click.argument("id", required=False)
@click.option("--as", "form", type=FORM, default="curl", show_default=True, help="What to make of it.")
@click.option("-o", "--output", metavar="FILE", help="Write to FILE instead of stdout; whole, or not at all.")
@click.option("-p", "--profile", metavar="NAME", shell_complete=complete_profiles, help="Look where it records.")
@click.pass_context
def copy(context: click.Context, id: str | None, form: str, output: str | None, profile: str | None) -> None:
    """Print a recorded call as a curl or HTTPie command, Python, our own command, or Markdown for a ticket.

    Without an ID, the newest; a part of an id is enough where only one call has it. Secrets are never in it: it
    reads them from the variables RPCEXPLORER_<PROFILE>_<FIELD>, and in Markdown they stay placeholders. A call that
    needs a session brings its login along, which asks for a password that is in no variable. "request" is the HTTP
    request as text, and "reply" the body of the reply, byte for byte.

    \b
    Examples:
      rpcexplorer copy --as markdown
      rpcexplorer copy 1m7ypmkv7qa7kfj --as curl
      rpcexplorer copy --as reply --output reply.json
    """
    world, explorer = opened(context, profile)
    exchange = one_of(explorer, id)
    out = Output(world, output)
    content, count = _reply(explorer, exchange) if form == "reply" else _made(world, explorer, exchange, form)
    if form not in {"request", "reply"}:
        out.world.write(content + b"\n")
    elif out.world.shows:
        out.world.print(printable_bytes(content))
    else:
        out.world.write(content)
    out.write()
    if told := replaced_told(count):
        world.say(told)


def _made(world: World, explorer: Explorer, exchange: Exchange, form: str) -> tuple[bytes, int]:
    """It, and how many secrets were replaced in it; or the end of the command, with a sentence."""
    ours = explorer.journal.is_ours(exchange, explorer.profile)
    subject, missing = record_of(
        exchange,
        explorer.profiles.profiles,
        explorer.preview,
        secrets=explorer.credentials.in_use(),
        ours=ours,
        runs=form not in TELLING,
    )
    if missing:
        world.say(missing)
    if isinstance(subject, Refused):
        fail(subject.sentence)
    content = made(form, subject)
    return content, replaced(form, subject, content)


def _reply(explorer: Explorer, exchange: Exchange) -> tuple[bytes, int]:
    its_own, _ = profile_of(exchange, explorer.profiles.profiles)
    content = reply(exchange, its_own, explorer.credentials.in_use())
    return content, marks(content)
