"""``copy``: a recorded call as something to paste."""

from __future__ import annotations

import click

from rpcexplorer.cli.context import complete_profiles, fail
from rpcexplorer.cli.history import one_of, opened
from rpcexplorer.cli.values import OneOf
from rpcexplorer.model.exchange import Refused
from rpcexplorer.views.copying.snippets import SNIPPETS
from rpcexplorer.views.copying.subject import profile_of, subject_of

FORM = OneOf(SNIPPETS)


@click.command()
@click.argument("id", required=False)
@click.option("--as", "form", type=FORM, default="curl", show_default=True, help="What to make of it.")
@click.option("-p", "--profile", metavar="NAME", shell_complete=complete_profiles, help="Look where it records.")
@click.pass_context
def copy(context: click.Context, id: str | None, form: str, profile: str | None) -> None:
    """Print a recorded call as a curl or HTTPie command, Python, our own command, or Markdown for a ticket.

    Without an ID, the newest; a part of an id is enough where only one call has it. Secrets are never in it: it
    reads them from the variables RPCEXPLORER_<PROFILE>_<FIELD>, and in Markdown they stay placeholders. A call that
    needs a session brings its login along, which asks for a password that is in no variable.

    \b
    Examples:
      rpcexplorer copy --as markdown
      rpcexplorer copy 1m7ypmkv7qa7kfj --as curl
    """
    world, explorer = opened(context, profile)
    exchange = one_of(explorer, id)
    ours = explorer.journal.is_ours(exchange, explorer.profile)
    its_own, missing = profile_of(exchange, explorer.profiles.profiles)
    if missing:
        world.say(missing)
    explorer.use(its_own)
    subject = subject_of(its_own, exchange, explorer.preview, secrets=explorer.credentials.in_use(), ours=ours)
    if isinstance(subject, Refused):
        fail(subject.sentence)
    world.print(SNIPPETS[form](subject))
