"""`profiles check`, `test`, `trust` and `allow`."""

from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from rpcexplorer.cli.context import (
    Invocation,
    agree,
    complete_profiles,
    fail,
    invocation_of,
    no_input_option,
    profile_after_option,
    url_after_option_shown,
)
from rpcexplorer.cli.output import run_waiting
from rpcexplorer.cli.world import INTERRUPTED, World, wrapped
from rpcexplorer.client.probe import Proposal
from rpcexplorer.client.report import REFUSED, Check, Report
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.destination import DestinationChanged, Nobody, as_fingerprint
from rpcexplorer.model.exchange import Refused, Stop, Unreached
from rpcexplorer.model.problem import PROGRAM, Problem, counted, quoted
from rpcexplorer.model.profile import SCHEMES, URL_BEGINNINGS, Profile
from rpcexplorer.model.secret import PROFILE_NAME, Secret
from rpcexplorer.text.connection_test import KIND, add_command, certificate_rows, plan, profile_lines, steps_in_rows
from rpcexplorer.text.exchange import duration
from rpcexplorer.text.json_text import json_of
from rpcexplorer.text.printable import printable
from rpcexplorer.text.problems import rows_of
from rpcexplorer.text.profile import SIGNS, printable_url
from rpcexplorer.transport.port import ShownCertificate

MAX_PLACES = 50
"""Places that are listed; the rest is counted."""


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE]...")
@click.option("--staged", is_flag=True, help="Check only staged changes, as git would commit them.")
@click.pass_context
def check(context: click.Context, files: tuple[Path, ...], staged: bool) -> None:
    """Check profiles for problems, and files for secrets.

    Without FILE, it checks all files of profiles, settings (theme and keys too) and secrets, and searches every
    history. With FILE, it checks only these files. With --staged, as in a pre-commit hook, it checks what git would
    commit. It finds stored secrets in any spelling, and values after words such as password. It never prints a secret.
    Git runs no programs from the repository's config.

    Exit code 0: no problems. 1: a secret was found. 2: a file has a problem or cannot be read.

    \b
    Examples:
      rpcexplorer profiles check
      rpcexplorer profiles check --staged
    """
    if files and staged:
        raise click.UsageError("Name files or use --staged, not both.")
    invocation = invocation_of(context)
    world = invocation.world
    explorer = world.open_explorer(Nobody(), invocation.sessions)
    paths = [world.folder / file for file in files]
    searched = explorer.search_leaks(paths, staged=world.folder if staged else None)
    named = set(map(os.path.realpath, paths))
    everything = not named and not staged
    known = [*explorer.profiles.problems, *_settings_problems(explorer)]
    problems = [problem for problem in known if everything or os.path.realpath(problem.file) in named]
    problems += filter(None, [explorer.secrets.problem()])  # Secrets that cannot be read cannot be searched for.
    places = {(found.file, found.line) for found in searched.found}
    # The message about the secret says more.
    problems = [problem for problem in problems if (problem.file, problem.line) not in places]
    wrong = {str(problem): problem for problem in (*problems, *searched.unreadable)}
    for sentence in list(wrong)[:MAX_PLACES]:
        world.say(sentence)
    if more := sum(problem.many for problem in list(wrong.values())[MAX_PLACES:]):
        world.say(f"not listed: {counted(more, 'more problem')}. Fix the listed problems first.")
    leaks = searched.found
    for leak in leaks[:MAX_PLACES]:
        world.say(str(leak))
    if len(leaks) > MAX_PLACES:
        world.say(f"not listed: {counted(len(leaks) - MAX_PLACES, 'more place')}")
    if leaks:
        world.say(
            f"found {counted(len(leaks), 'place')} with a secret. If such a file was ever pushed or shared, removing "
            "the secret is not enough: change it on the server as well."
        )
    for file in explorer.profiles.files if everything else ():
        invocation.warn_about(explorer, file)
    if searched.by_position:
        labels = ", ".join(searched.by_position)
        world.warn(f"short or public values are found only under names such as password: {labels}")
    if searched.found:
        context.exit(1)
    if problems or searched.unreadable:
        context.exit(2)
    if staged:
        world.print(f"no secret in {counted(searched.files, 'staged file')}")
        return
    names = ", ".join(map(str, paths or explorer.profiles.files)) or "no file yet"
    checked = names if paths else f"{counted(len(explorer.profiles.profiles), 'profile')} ({names})"
    world.print(printable(f"no problems in {checked}, no secret in {counted(searched.files, 'file')}"))


def _settings_problems(explorer: Explorer) -> list[Problem]:
    """Return what the screen cannot use of ``settings.toml``: the theme, and keys."""
    problems = explorer.theme_problems()
    if explorer.settings.keymap:
        from rpcexplorer.tui.commands import read_keymap  # Its table needs Textual.

        problems += read_keymap(explorer.settings.keymap, explorer.settings_problem)[1]
    return problems


QUESTION = "Pin this certificate for {}, and send calls and credentials to this server?"


@click.command()
@click.argument("name", shell_complete=complete_profiles)
@click.option("--fingerprint", metavar="SHA256", help="Pin the certificate only if it has this fingerprint.")
@click.option("--team", is_flag=True, help="Pin it in the project file, ./sessions.toml.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation (only with --fingerprint).")
@click.pass_context
def trust(context: click.Context, name: str, fingerprint: str | None, team: bool, yes: bool) -> None:
    """Pin the certificate that the server of profile NAME shows.

    The profile then accepts this certificate and no other, even if it is self-signed. The certificate is shown first,
    and no call is sent. Compare its fingerprint with the one that the server's owner sends you separately. To print the
    fingerprint on the server, run:

    \b
      openssl x509 -noout -fingerprint -sha256 -in CERTIFICATE

    \b
    Examples:
      rpcexplorer profiles trust cellar
      rpcexplorer profiles trust cellar --yes --fingerprint sha256:6f0c…
    """
    invocation = invocation_of(context)
    wanted = as_fingerprint(fingerprint) if fingerprint is not None else None
    if fingerprint is not None and wanted is None:
        raise click.UsageError("--fingerprint must be a SHA-256 fingerprint: 64 hex digits, with or without colons.")
    explorer = invocation.open()
    profile = invocation.use(explorer, name)
    if not profile.is_encrypted:
        fail(f"The URL of {name} does not begin with https://, wss:// or tls://, so its server shows no certificate.")
    found = _show_certificate(invocation, explorer, profile, wanted)
    if found is None:
        return
    if yes and wanted is None:
        fail("--yes alone would pin any certificate. Add --fingerprint with the fingerprint that you expect.")
    if not yes and not invocation.world.asks:
        fail("Cannot ask for confirmation without a terminal. Add --yes and --fingerprint SHA256 to confirm.")
    agree(context, QUESTION.format(name), yes=yes)
    pin(invocation, explorer, profile, found, team=team)


def pin(invocation: Invocation, explorer: Explorer, profile: Profile, found: str, *, team: bool = False) -> None:
    """Write the fingerprint of the pinned certificate into a file."""
    name = profile.name
    file = invocation.file_to_write(explorer.profiles.default_home(name, explorer.paths.user_sessions), team=team)
    if problem := explorer.apply(profile, (("certificate", found),), file, {"certificate"}):
        fail(str(problem))
    invocation.world.say(f"pinned the certificate of {name} in {file}")
    invocation.warn_about(explorer, file)
    if explorer.profiles.profiles[name].certificate != found:
        place = explorer.profiles.source_of(name, "certificate")
        invocation.world.warn(f"{place} pins another certificate, which overrides this one")


def _show_certificate(invocation: Invocation, explorer: Explorer, profile: Profile, wanted: str | None) -> str | None:
    """Print the certificate; return its fingerprint if it can be pinned."""

    async def look() -> ShownCertificate | Unreached | Refused:
        async with explorer:
            return await explorer.certificate_of(profile)

    shown = asyncio.run(look())
    if not isinstance(shown, ShownCertificate):
        fail(printable(explorer.redactor().text(shown.sentence)), 4 if isinstance(shown, Unreached) else 3)
    rows = certificate_rows(shown, profile.certificate, datetime.now(UTC))
    width = max(len(label) for label, _ in rows)
    for label, text in rows:
        invocation.world.say(f"{label:<{width}}  {text}")
    found = shown.certificate.fingerprint
    if wanted is not None and wanted != found:
        fail(f"The certificate does not have the fingerprint {wanted}. Nothing was changed.")
    if profile.certificate == found:
        invocation.world.say(f"this certificate is already pinned for {profile.name}")
    elif not shown.problem and not profile.certificate:
        invocation.world.say(f"{profile.name} needs no pinned certificate: a trusted authority issued this one")
    else:
        return found
    return None


NEW = "NAME"
"""Name in commands for a profile that does not exist yet."""


@click.command("test")
@click.argument("name", metavar="[NAME|URL]", required=False, shell_complete=complete_profiles)
@click.option("--apply", "apply", is_flag=True, help="Apply the suggested changes to the profile, after confirmation.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as one JSON object.")
@no_input_option
@profile_after_option
@url_after_option_shown
@click.pass_context
def connection(context: click.Context, name: str | None, apply: bool, yes: bool, as_json: bool, ask: bool) -> None:
    """Test the connection and suggest settings.

    It sends at most 16 requests with harmless methods, lists these methods first, and records no request. Only the
    last request has credentials, and only if the profile has some and all steps before it passed. A connection that
    stays open gets one call, with the credentials, or only its handshake, and no suggestion. The exit code names the
    step that failed: 1 a refused request, 3 credentials, 4 no response, 5 no JSON-RPC.

    \b
    Examples:
      rpcexplorer profiles test staging
      rpcexplorer profiles test http://127.0.0.1:6800
      rpcexplorer profiles test staging --apply
      rpcexplorer profiles test staging --no-input && echo ready
    """
    invocation = invocation_of(context)
    explorer = invocation.open(ask=ask)
    url = name if name and ("/" in name or ":" in name) else None  # Names of profiles cannot contain these characters.
    profile = invocation.use(explorer, None if url else name, url)
    if profile.ad_hoc and not profile.stays_here and not _can_be_called(profile.url):
        fail(f"A URL begins with {URL_BEGINNINGS} and a host, such as http://127.0.0.1:8000/jsonrpc.")
    if apply and profile.ad_hoc:
        fail("A URL has no profile to change. Remove --apply: the test then prints the command that adds a profile.")
    if yes and not apply:
        fail("--yes confirms the changes of --apply. Add --apply.")
    report = _test_and_print(context, explorer, profile, as_json=as_json)
    proposal = report.proposal
    # --yes alone never pins a certificate.
    while proposal and proposal.trusts and apply and ask and invocation.world.asks:
        agree(context, QUESTION.format(profile.name), yes=False)
        profile = _pin_proposed(invocation, explorer, profile, proposal)
        report = _test_and_print(context, explorer, profile, as_json=as_json)
        proposal = report.proposal
    code = report.exit_code
    asked = apply or (ask and invocation.world.asks and not as_json)
    if asked and proposal and proposal.changes and not proposal.trusts and not profile.ad_hoc:
        file = explorer.profiles.change_home(profile.name, explorer.paths.user_sessions)
        question = f"Change {profile.name} in {file}?"
        if apply:
            agree(context, question, yes=yes)
        elif not click.confirm(printable(question), default=False, err=True):
            context.exit(code)  # The answer was no, so the test decides the exit code.
        lacks = _change(invocation, explorer, profile, proposal, file)
        is_refused = any(check.state == "failed" and check.code == REFUSED for check in report.checks)
        code = REFUSED if code and lacks and is_refused else 0
    context.exit(code)


def _can_be_called(url: str) -> bool:
    """Return whether a URL has a known scheme, a host and a valid port."""
    try:
        parts = urlsplit(url)
        return parts.scheme in SCHEMES and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _test_and_print(context: click.Context, explorer: Explorer, profile: Profile, *, as_json: bool) -> Report:
    """Test the connection and print the report; end if interrupted."""
    invocation = invocation_of(context)
    report, stopped = _test(invocation, explorer, profile)
    hide = explorer.redactor().text
    if as_json:
        invocation.world.print(json_of(_as_json(profile, report, hide)).decode())
    else:
        _print_connection_test(invocation, profile, report, hide)
    if stopped:
        context.exit(INTERRUPTED)
    return report


def _pin_proposed(invocation: Invocation, explorer: Explorer, profile: Profile, proposal: Proposal) -> Profile:
    """Pin the certificate, and save the https URL if redirected there."""
    name, values = profile.name, proposal.values
    if "url" in values:
        moved = Proposal((("url", values["url"]),))
        home = explorer.profiles.change_home(name, explorer.paths.user_sessions)
        _change(invocation, explorer, profile, moved, home)
        profile = explorer.profiles.profiles[name]
    pin(invocation, explorer, profile, values["certificate"])
    return explorer.profiles.profiles[name]


def _test(
    invocation: Invocation,
    explorer: Explorer,
    profile: Profile,
) -> tuple[Report, bool]:
    """Test the connection; return the report, and whether it was stopped."""
    say, hide, stop = invocation.world.say, explorer.redactor().text, Stop()
    name = "" if profile.ad_hoc else f"{profile.name} at "
    say(hide(f"{name}{printable_url(profile.endpoint)}"))
    say(hide(plan(profile, explorer.profiles.usable_presets())))
    return run_waiting(invocation.world, explorer, stop, lambda _: explorer.test(profile, stop=stop)), stop.pressed


def _print_connection_test(
    invocation: Invocation, profile: Profile, report: Report, hide: Callable[[str], str]
) -> None:
    """Print the steps, then the suggested changes."""
    out = invocation.world.print
    width = max((len(check.label) for check in report.checks), default=0)
    for row in steps_in_rows(report, profile, datetime.now(UTC)):
        if isinstance(row, Check):
            took = "" if row.seconds is None else f"  {duration(row.seconds)}"
            line = printable(hide(f"{SIGNS[row.state][0]} {row.label:<{width}}  {row.words}{took}"))
            for part in wrapped(line, invocation.world.width, width + 4) if invocation.world.shows else [line]:
                out(part)
        else:
            out(printable(hide(f"    {row[0]:<14}  {row[1]}")))
    proposal = report.proposal
    if proposal is not None and proposal.lacks_auth and not profile.ad_hoc:
        out("To set its auth type:")
        out(f"  {PROGRAM} profiles set {profile.name} auth.kind={KIND}")
    if report.advice:
        out(f"\n{report.advice}")
        out(f"  {PROGRAM} profiles test URL")
    if proposal is None or (not profile.ad_hoc and not proposal.changes):
        return
    out()
    _print_proposal(invocation, profile, proposal, hide)


def _print_proposal(invocation: Invocation, profile: Profile, proposal: Proposal, hide: Callable[[str], str]) -> None:
    """Print the suggested changes with the commands that apply them."""
    out = invocation.world.print
    if profile.ad_hoc:
        url, keys = proposal.made_from(profile)
        for line in profile_lines(NEW, url, keys):
            out(printable(hide(line)))
        if proposal.preset and proposal.preset.advice:
            invocation.world.say(f"{proposal.preset.name}: {proposal.preset.advice}")
        out()
        for line in add_command(NEW, url, keys, proposal.secrets, lacks_auth=proposal.lacks_auth):
            out(printable(hide(line)))
        if proposal.trusts:
            out(f"{PROGRAM} profiles test {NEW} --apply")
        elif not proposal.lacks_auth:  # A profile without its auth type can seldom list methods.
            out(f"{PROGRAM} methods -p {NEW} --refresh")
        return
    if proposal.trusts:
        out("To pin this certificate, if it is the right one:")
        if "url" in proposal.values:
            out(printable(hide(f"  {PROGRAM} profiles set {profile.name} {quoted('url=' + proposal.values['url'])}")))
        out(f"  {PROGRAM} profiles trust {profile.name}")
        out(f"  {PROGRAM} profiles test {profile.name} --apply")
        return
    out("Suggested changes:")
    for key, change in rows_of(profile, proposal.changes):
        out(printable(hide(f"  {key}: {change}")))
    out("To apply them:")
    out(f"  {PROGRAM} profiles test {profile.name} --apply")


def _change(invocation: Invocation, explorer: Explorer, profile: Profile, proposal: Proposal, file: Path) -> bool:
    """Change the profile; return whether credentials are still missing."""
    say = invocation.world.say
    filled_in = {key for key, _ in proposal.changes} - explorer.profiles.chosen(profile)
    if problem := explorer.apply(profile, proposal.changes, file, filled_in):
        fail(str(problem))
    say(f"changed {profile.name} in {file}")
    invocation.warn_about(explorer, file)
    for sentence in explorer.profiles.overruled(profile.name, proposal.changes, file):
        invocation.world.warn(sentence)
    state = explorer.credentials.state(explorer.profiles.profiles.get(profile.name, profile))
    missing = [field for field, found in state.items() if not isinstance(found, Secret) and field != "session"]
    for field in missing:
        if field in proposal.secrets:
            invocation.world.hint(f"To store the {field}, run:\n{PROGRAM} profiles secret {profile.name} {field}")
    return bool(missing) or not state


def _as_json(profile: Profile, report: Report, hide: Callable[[str], str]) -> dict[str, Any]:
    steps = [
        {"step": check.label, "state": check.state, "words": hide(check.words), "seconds": check.seconds}
        for check in report.checks
    ]
    calls = [{"method": call.method, "path": hide(call.path), "reply": hide(call.summary)} for call in report.calls]
    proposal = report.proposal
    return {
        "profile": None if profile.ad_hoc else profile.name,
        "address": hide(printable_url(profile.endpoint)),
        "requests": report.requests,
        "calls": calls,
        "steps": steps,
        "proposal": None if proposal is None else dict(proposal.changes),
        "secrets": [] if proposal is None else list(proposal.secrets),
        "advice": report.advice,
        "exit": report.exit_code,
    }


@click.command()
@click.argument("name", required=False, shell_complete=complete_profiles)
@click.option(
    "--folder", type=click.Path(path_type=Path), help="Allow the profiles in a folder that other users can write to."
)
@click.option(
    "--list", "listing", is_flag=True, help="List allowed destinations, processes, folders and environment variables."
)
@click.option("--forget", is_flag=True, help="No longer allow the destinations and processes of NAME, or the folder.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
@profile_after_option
@click.pass_context
def allow(
    context: click.Context, name: str | None, folder: Path | None, listing: bool, forget: bool, yes: bool
) -> None:
    """Allow what a file has decided or changed of profile NAME.

    A secret is bound to the destination that it was stored for or first used at. The destination includes server, path,
    auth type, login, headers, JSON-RPC version and certificates. If a file changes any of these, the secret is blocked
    until you have seen the change and allowed it here.

    Nothing uses a profile before you allow here what a file other than your user file decides: a change of the
    destination, auth or login of a profile of your user file, a process (exactly these words in this folder), a Unix
    socket, or a login that needs no secret. This also holds for the folder of a history.

    Exit code 1: --forget did not find what was allowed.

    \b
    Examples:
      rpcexplorer profiles allow prod
      rpcexplorer profiles allow --list
      rpcexplorer profiles allow prod --forget
      rpcexplorer profiles allow --folder .
    """
    invocation = invocation_of(context)
    if folder is not None:
        folder = (invocation.world.folder / folder).resolve()
    if not listing and (name is None) == (folder is None):
        raise click.UsageError("Name a profile, or a folder with --folder. To list allowed destinations, use --list.")
    explorer = invocation.open()
    if listing:
        _list(context, explorer)
    elif forget:
        _forget(explorer, invocation.world, name or str(folder))
    elif folder is not None:
        if not os.path.isdir(folder):  # noqa: PTH112 - Path's own raises where nobody may look
            fail(f"There is no folder {folder}. Check the name.")
        agree(context, f"Use profiles in {folder}, although other users can write to it?", yes=yes)
        explorer.secrets.destinations.allow_folder(folder)
        invocation.world.say(f"allowed: profiles in {folder}")
    else:
        _allow(context, explorer, name, yes=yes)


def _allow(context: click.Context, explorer: Explorer, name: str | None, *, yes: bool) -> None:
    """Show the destination, ask, and save that exactly this is allowed."""
    invocation = invocation_of(context)
    profile = invocation.use(explorer, name)
    destinations, say = explorer.secrets.destinations, invocation.world.say
    hide = explorer.redactor().text
    question, destination = destinations.question(profile), destinations.of(profile)
    for found in (question, *explorer.secrets.state(profile).values(), destinations.moved_key(profile)):
        if isinstance(found, DestinationChanged):
            say(hide(f"the {found.field} is blocked: {found.why}" + "".join(f"\n{change}" for change in found.changes)))
            if found.advice:
                fail(f"{found.advice}.")
    shown = "".join(f"\n{key}: {value}" for key, value in destination.items())
    say(hide(f"the destination of {profile.name}:{shown}"))
    process = question.process if question else None
    if process:
        say("what the program does can change later without a question: it runs as you, with your files")
    history = explorer.profiles.histories.get(profile.name)
    if history:
        say(f"calls would be recorded in {history}")
    asked = f"Send calls and secrets of {profile.name} to this destination"
    if process:
        asked = f"Start this process, and send calls and secrets of {profile.name} to it"
    agree(context, f"{asked}{', and record calls in this folder' if history else ''}?", yes=yes)
    destinations.allow(profile.name, destination, process)
    if history:
        destinations.allow_history(history)
    say(f"allowed: {profile.name} at {profile.endpoint}")


def _forget(explorer: Explorer, world: World, sought: str) -> None:
    """Forget what was allowed for a profile or a folder; end with 1 if something was not found."""
    profile, destinations = explorer.profiles.profiles.get(sought), explorer.secrets.destinations
    found = destinations.forget(sought, profile)
    left = destinations.file.read()
    unnamed = {*left.histories, *(command.folder for command in left.commands if not command.profile)}
    if unnamed and not profile and PROFILE_NAME.fullmatch(sought):
        sentence = f"{'Forgotten' if found else 'Nothing was found'} under the name {sought}."
        why = f"No profile {sought} can be read here, so one of these allowed folders may still belong to it:"
        forget = f"To forget a folder, run `{PROGRAM} profiles allow --folder FOLDER --forget`."
        fail(f"{sentence} {why} {', '.join(sorted(unnamed))}. {forget}", 1)
    if not found:
        fail(f"Nothing was allowed for {sought}.", 1)
    world.say("forgotten")


def _list(context: click.Context, explorer: Explorer) -> None:
    allowed, print_ = explorer.secrets.destinations.file.read(), invocation_of(context).world.print
    if allowed.problem:
        fail(str(allowed.problem))
    hide = explorer.redactor().text
    rows = [
        (f"profile {name}", destination)
        for name, destinations in sorted(allowed.destinations.items())
        for destination in destinations
    ]
    rows += [(f"first use of {variable}", destination) for variable, destination in sorted(allowed.first_uses.items())]
    for name, destination in rows:
        settings = ", ".join(f"{key} {value}" for key, value in destination.items())
        print_(printable(hide(f"{name}: {settings}")))
    for command in allowed.commands:
        print_(printable(hide(f"process in folder {command.folder}: {shlex.join(command.words)}")))
    for folder in sorted(allowed.folders):
        print_(printable(f"profiles of folder {folder}"))
    for folder in sorted(allowed.histories):
        print_(printable(f"history in folder {folder}"))
