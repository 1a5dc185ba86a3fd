"""``copy``: a recorded call as something to paste."""

from __future__ import annotations

import click
from msgspec.structs import replace

from rpcexplorer.cli.context import complete_profiles, fail
from rpcexplorer.cli.history import one_of, opened
from rpcexplorer.cli.values import OneOf
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Exchange, Refused
from rpcexplorer.model.profile import AD_HOC_NAME, Profile
from rpcexplorer.redaction.addresses import redacted_address
from rpcexplorer.views.copying.snippets import SNIPPETS
from rpcexplorer.views.copying.subject import subject_of

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
    its_own, missing = _profile(explorer, exchange)
    if missing:
        world.say(missing)
    explorer.use(its_own)
    subject = subject_of(its_own, exchange, explorer.preview, secrets=explorer.credentials.in_use(), ours=ours)
    if isinstance(subject, Refused):
        fail(subject.sentence)
    world.print(SNIPPETS[form](subject))


def _profile(explorer: Explorer, exchange: Exchange) -> tuple[Profile, str]:
    """The profile that the call was made with, as far as it can be known, and a sentence about what cannot.

    A record can say that a call went anywhere: to an address that is no profile's goes no profile's secret, but what
    the variables for ``--url`` hold.
    """
    known = explorer.profiles.profiles.get(exchange.profile)
    today = redacted_address(known.endpoint) if known else ""
    if known is not None and exchange.url in {known.endpoint, today}:
        return known, ""
    if known is not None:
        moved = f"Profile {known.name} points to {today} today; the call went to {exchange.url}, as this does."
        return replace(known, name=AD_HOC_NAME, url=exchange.url, path="", ad_hoc=True), moved
    name = exchange.profile or AD_HOC_NAME
    why = "The call was made with --url" if name == AD_HOC_NAME else f"There is no profile {name} any more"
    missing = f"{why}: its own headers and its kind of auth are not recorded, so they are missing here."
    return Profile(AD_HOC_NAME, exchange.url, path="", ad_hoc=True), missing
