"""``profiles trust``: see the certificate that a server shows, and trust exactly this one."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import click

from rpcexplorer.cli.context import Invocation, agree, complete_profiles, fail, invocation_of
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.destination import as_fingerprint
from rpcexplorer.model.exchange import Unreached
from rpcexplorer.model.profile import Profile
from rpcexplorer.transport.port import ShownCertificate
from rpcexplorer.views.printable import printable
from rpcexplorer.views.words.certificate import certificate_rows

QUESTION = "Trust exactly this certificate for {}, and send it what goes there?"


@click.command()
@click.argument("name", shell_complete=complete_profiles)
@click.option("--fingerprint", metavar="SHA256", help="Trust it only if it is this one; colons and case do not matter.")
@click.option("--team", is_flag=True, help="Write it to ./sessions.toml, for the team, instead of a file of your own.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask; goes with --fingerprint.")
@click.pass_context
def trust(context: click.Context, name: str, fingerprint: str | None, team: bool, yes: bool) -> None:
    """Trust the one certificate that the server of profile NAME shows, though no authority vouches for it.

    It is shown first, and nothing is sent to the server. Compare its fingerprint with what the server's owner tells
    you by another way, or on the server itself: openssl x509 -noout -fingerprint -sha256 -in CERTIFICATE

    \b
    Examples:
      rpcexplorer profiles trust cellar
      rpcexplorer profiles trust cellar --yes --fingerprint sha256:6f0c…
    """
    invocation = invocation_of(context)
    wanted = as_fingerprint(fingerprint) if fingerprint is not None else None
    if fingerprint is not None and wanted is None:
        raise click.UsageError("--fingerprint is the SHA-256 of a certificate: 64 hex digits, with or without colons.")
    explorer = invocation.open()
    profile = invocation.use(explorer, name)
    if not profile.url.lower().startswith("https:"):
        fail(f"The address of {name} is not https://, so its server shows no certificate.")
    found = _shown(invocation, explorer, profile, wanted)
    if found is None:
        return
    if yes and wanted is None:
        fail("--yes would trust whoever answers: add --fingerprint with the one that you expect.")
    if not yes and not invocation.world.asks:
        fail("Nobody can be asked: add --yes --fingerprint with the one that you expect.")
    agree(context, QUESTION.format(name), yes=yes)
    pin(invocation, explorer, profile, found, team=team)


def pin(invocation: Invocation, explorer: Explorer, profile: Profile, found: str, *, team: bool = False) -> None:
    """Write the fingerprint of the one certificate that the profile trusts."""
    name = profile.name
    file = invocation.file_to_write(explorer.profiles.default_home(name, explorer.paths.user_sessions), team=team)
    with explorer.accepting(profile, {"certificate"}):
        trouble = explorer.edits(file).set_value(("profile", name, "certificate"), found)
        explorer.reload()
    if trouble:
        fail(str(trouble))
    invocation.world.say(f"{name} trusts this certificate now, in {file}")
    invocation.warn_about(explorer, file)
    if explorer.profiles.profiles[name].certificate != found:
        place = explorer.profiles.source_of(name, "certificate")
        invocation.world.say(f"but another one counts here: {place} says so")


def _shown(invocation: Invocation, explorer: Explorer, profile: Profile, wanted: str | None) -> str | None:
    """Show the certificate; its fingerprint where it is to be trusted, None where that is so already."""
    shown = asyncio.run(_looked_at(explorer, profile))
    if isinstance(shown, Unreached):
        fail(printable(explorer.redactor().text(shown.sentence)), 4)
    rows = certificate_rows(shown, profile.certificate, datetime.now(UTC))
    width = max(len(label) for label, _ in rows)
    for label, text in rows:
        invocation.world.say(f"{label:<{width}}  {text}")
    found = shown.certificate.fingerprint
    if wanted is not None and wanted != found:
        fail(f"This is not the certificate {wanted}: nothing was changed.")
    if profile.certificate == found:
        invocation.world.say(f"{profile.name} trusts it already")
    elif not shown.problem and not profile.certificate:
        invocation.world.say(f"{profile.name} needs nothing more: it is trusted as it is")
    else:
        return found
    return None


async def _looked_at(explorer: Explorer, profile: Profile) -> ShownCertificate | Unreached:
    async with explorer:
        return await explorer.clients.certificate_of(profile)
