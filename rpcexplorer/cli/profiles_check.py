"""`profiles check`, `test`, `trust` and `allow`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from rpcexplorer.cli.output import run_waiting
from rpcexplorer.cli.run import (
    Run,
    complete_profiles,
    fail,
    fail_if,
    no_input_option,
    profile_option,
    url_options,
    yes_option,
)
from rpcexplorer.cli.world import INTERRUPTED, World, wrapped
from rpcexplorer.client.probe import Proposal
from rpcexplorer.client.report import REFUSED, Check, Report
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.destination import DestinationChanged, as_fingerprint
from rpcexplorer.model.exchange import Refused, Unreached
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
@click.pass_obj
def check(run: Run, files: tuple[Path, ...], staged: bool) -> int:
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
    world, explorer = run.world, run.open_silently()
    paths = [world.folder / file for file in files]
    everything = not paths and not staged
    searched = explorer.search_leaks(paths, staged=world.folder if staged else None)
    problems = _problems(explorer, None if everything else paths)
    # Where a secret was found, that message says more.
    places = {(leak.file, leak.line) for leak in searched.found}
    problems = [problem for problem in problems if (problem.file, problem.line) not in places]
    _print_problems(world, [*problems, *searched.unreadable])
    for leak in searched.found[:MAX_PLACES]:
        world.say(str(leak))
    if len(searched.found) > MAX_PLACES:
        world.say(f"not listed: {counted(len(searched.found) - MAX_PLACES, 'more place')}")
    if searched.found:
        world.say(
            f"found {counted(len(searched.found), 'place')} with a secret. If such a file was ever pushed or shared, "
            "removing the secret is not enough: change it on the server as well."
        )
    if everything:
        for file in explorer.profiles.files:
            run.warn_if_committed(file)
    if searched.by_position:
        labels = ", ".join(searched.by_position)
        world.warn(f"short or public values are found only under names such as password: {labels}")
    if searched.found:
        return 1
    if problems or searched.unreadable:
        return 2
    if staged:
        world.print(f"no secret in {counted(searched.files, 'staged file')}")
        return 0
    checked = ", ".join(map(str, paths))
    if not paths:
        names = ", ".join(map(str, explorer.profiles.files)) or "no file yet"
        checked = f"{counted(len(explorer.profiles.profiles), 'profile')} ({names})"
    world.print(printable(f"no problems in {checked}, no secret in {counted(searched.files, 'file')}"))
    return 0


def _problems(explorer: Explorer, files: Sequence[Path] | None) -> list[Problem]:
    """Return the problems of these files, or of all (None)."""
    found = [*explorer.profiles.problems, *_settings_problems(explorer)]
    if files is not None:
        named = set(map(os.path.realpath, files))
        found = [problem for problem in found if os.path.realpath(problem.file) in named]
    if unreadable := explorer.secrets.problem():
        found.append(unreadable)  # Secrets that cannot be read cannot be searched for.
    return found


def _print_problems(world: World, problems: Sequence[Problem]) -> None:
    by_sentence = {str(problem): problem for problem in problems}
    for sentence in list(by_sentence)[:MAX_PLACES]:
        world.say(sentence)
    if more := sum(problem.many for problem in list(by_sentence.values())[MAX_PLACES:]):
        world.say(f"not listed: {counted(more, 'more problem')}. Fix the listed problems first.")


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
@yes_option(help="Do not ask for confirmation (only with --fingerprint).")
@click.pass_obj
def trust(run: Run, name: str, fingerprint: str | None, team: bool) -> None:
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
    wanted = as_fingerprint(fingerprint) if fingerprint is not None else None
    if fingerprint is not None and wanted is None:
        raise click.UsageError("--fingerprint must be a SHA-256 fingerprint: 64 hex digits, with or without colons.")
    profile = run.use(name)
    if not profile.is_encrypted:
        fail(f"The URL of {name} does not begin with https://, wss:// or tls://, so its server shows no certificate.")
    found = _show_certificate(run, profile, wanted)
    if found is None:
        return
    if run.yes and wanted is None:
        fail("--yes alone would pin any certificate. Add --fingerprint with the fingerprint that you expect.")
    unasked = "Cannot ask for confirmation without a terminal. Add --yes and --fingerprint SHA256 to confirm."
    run.confirm(QUESTION.format(name), unasked=unasked)
    pin(run, profile, found, team=team)


def pin(run: Run, profile: Profile, fingerprint: str, *, team: bool = False) -> None:
    """Write the fingerprint of the pinned certificate into a file."""
    name, explorer = profile.name, run.explorer
    file = run.file_to_write(explorer.profiles.default_home(name, explorer.paths.user_sessions), team=team)
    fail_if(explorer.apply(profile, (("certificate", fingerprint),), file, {"certificate"}))
    run.world.say(f"pinned the certificate of {name} in {file}")
    run.warn_if_committed(file)
    if explorer.profiles.profiles[name].certificate != fingerprint:
        place = explorer.profiles.source_of(name, "certificate")
        run.world.warn(f"{place} pins another certificate, which overrides this one")


def _show_certificate(run: Run, profile: Profile, wanted: str | None) -> str | None:
    """Print the certificate; return its fingerprint if it can be pinned."""
    world, explorer = run.world, run.explorer

    async def look() -> ShownCertificate | Unreached | Refused:
        async with explorer:
            return await explorer.certificate_of(profile)

    shown = asyncio.run(look())
    if not isinstance(shown, ShownCertificate):
        fail(printable(explorer.redactor().text(shown.sentence)), 4 if isinstance(shown, Unreached) else 3)
    rows = certificate_rows(shown, profile.certificate, datetime.now(UTC))
    width = max(len(label) for label, _ in rows)
    for label, text in rows:
        world.say(f"{label:<{width}}  {text}")
    found = shown.certificate.fingerprint
    if wanted is not None and wanted != found:
        fail(f"The certificate does not have the fingerprint {wanted}. Nothing was changed.")
    if profile.certificate == found:
        world.say(f"this certificate is already pinned for {profile.name}")
        return None
    if not shown.problem and not profile.certificate:
        world.say(f"{profile.name} needs no pinned certificate: a trusted authority issued this one")
        return None
    return found


NEW = "NAME"
"""Name in commands for a profile that does not exist yet."""


@click.command("test")
@click.argument("name", metavar="[NAME|URL]", required=False, shell_complete=complete_profiles)
@click.option("--apply", "apply", is_flag=True, help="Apply the suggested changes to the profile, after confirmation.")
@yes_option()
@click.option("--json", "as_json", is_flag=True, help="Print the results as one JSON object.")
@no_input_option()
@profile_option(hidden=True)
@url_options()
@click.pass_obj
def connection(run: Run, name: str | None, apply: bool, as_json: bool) -> int:
    """Test the connection and suggest settings.

    It sends at most 16 requests with harmless methods, lists these methods first, and records no request. Only the
    last request has credentials, and only if the profile has some and all steps before it passed. A connection that
    stays open gets one call as the profile says. If that fails, it is opened again with another framing, preset, path
    or scheme. The exit code names the step that failed: 1 a refused request, 3 credentials, 4 no response, 5 no
    JSON-RPC.

    \b
    Examples:
      rpcexplorer profiles test staging
      rpcexplorer profiles test http://127.0.0.1:6800
      rpcexplorer profiles test --stdio 'clangd'
      rpcexplorer profiles test staging --apply
      rpcexplorer profiles test staging --no-input && echo ready
    """
    if name and ("/" in name or ":" in name):  # Names of profiles cannot contain these characters.
        if run.server.url is not None:
            raise click.UsageError("Name only one URL.")
        run.server.url, name = name, None
    profile = run.use(name)
    if profile.ad_hoc and not profile.stays_here and not _can_be_called(profile.url):
        fail(f"A URL begins with {URL_BEGINNINGS} and a host, such as http://127.0.0.1:8000/jsonrpc.")
    if apply and profile.ad_hoc:
        fail("A URL has no profile to change. Remove --apply: the test then prints the command that adds a profile.")
    if run.yes and not apply:
        fail("--yes confirms the changes of --apply. Add --apply.")
    report = _test(run, profile, as_json=as_json)
    # --yes alone never pins a certificate.
    while apply and run.asks and not run.stop.pressed and report.proposal and report.proposal.trusts:
        if not run.agrees(QUESTION.format(profile.name)):
            fail("Nothing was changed.")
        profile = _pin_proposed(run, profile, report.proposal)
        report = _test(run, profile, as_json=as_json)
    if run.stop.pressed:
        return INTERRUPTED
    proposal = report.proposal
    if profile.ad_hoc or not proposal or not proposal.changes or proposal.trusts:
        return report.exit_code
    file = run.explorer.profiles.change_home(profile.name, run.explorer.paths.user_sessions)
    question = f"Change {profile.name} in {file}?"
    if apply:
        run.confirm(question)
    elif as_json or not run.asks or not run.agrees(question):
        return report.exit_code
    lacks = _change(run, profile, proposal, file)
    is_refused = any(check.state == "failed" and check.code == REFUSED for check in report.checks)
    return REFUSED if report.exit_code and lacks and is_refused else 0


def _can_be_called(url: str) -> bool:
    """Return whether a URL has a known scheme, a host and a valid port."""
    try:
        parts = urlsplit(url)
        return parts.scheme in SCHEMES and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _test(run: Run, profile: Profile, *, as_json: bool) -> Report:
    """Test the connection and print the report."""
    world, explorer = run.world, run.explorer
    hide = explorer.redactor().text
    name = "" if profile.ad_hoc else f"{profile.name} at "
    world.say(hide(f"{name}{printable_url(profile.endpoint)}"))
    world.say(hide(plan(profile, explorer.profiles.usable_presets())))
    report = run_waiting(run, lambda _: explorer.test(profile, stop=run.stop))
    hide = explorer.redactor().text  # A secret may have been entered.
    if as_json:
        world.print(json_of(_as_json(profile, report, hide)).decode())
    else:
        _print_report(world, profile, report, hide)
    return report


def _pin_proposed(run: Run, profile: Profile, proposal: Proposal) -> Profile:
    """Pin the certificate, and save the https URL if redirected there."""
    name, values, explorer = profile.name, proposal.values, run.explorer
    if "url" in values:
        moved = Proposal((("url", values["url"]),))
        _change(run, profile, moved, explorer.profiles.change_home(name, explorer.paths.user_sessions))
        profile = explorer.profiles.profiles[name]
    pin(run, profile, values["certificate"])
    return explorer.profiles.profiles[name]


def _print_report(world: World, profile: Profile, report: Report, hide: Callable[[str], str]) -> None:
    """Print the steps, then the suggested changes."""

    def out(line: str) -> None:
        world.print(printable(hide(line)))

    width = max((len(check.label) for check in report.checks), default=0)
    for row in steps_in_rows(report, profile, datetime.now(UTC)):
        if not isinstance(row, Check):
            out(f"    {row[0]:<14}  {row[1]}")
            continue
        took = "" if row.seconds is None else f"  {duration(row.seconds)}"
        line = printable(hide(f"{SIGNS[row.state][0]} {row.label:<{width}}  {row.words}{took}"))
        for part in wrapped(line, world.width, width + 4) if world.shows else [line]:
            world.print(part)
    proposal = report.proposal
    if proposal is not None and proposal.lacks_auth and not profile.ad_hoc:
        out("To set its auth type:")
        out(f"  {PROGRAM} profiles set {profile.name} auth.kind={KIND}")
    if report.advice:
        world.print(f"\n{report.advice}")
        world.print(f"  {PROGRAM} profiles test URL")
    if proposal is None or not (profile.ad_hoc or proposal.changes):
        return
    world.print()
    if profile.ad_hoc:
        _print_new_profile(world, profile, report, proposal, out)
    elif proposal.trusts:
        out("To pin this certificate, if it is the right one:")
        if "url" in proposal.values:
            out(f"  {PROGRAM} profiles set {profile.name} {quoted('url=' + proposal.values['url'])}")
        out(f"  {PROGRAM} profiles trust {profile.name}")
        out(f"  {PROGRAM} profiles test {profile.name} --apply")
    else:
        out("Suggested changes:")
        for key, change in rows_of(profile, proposal.changes):
            out(f"  {key}: {change}")
        out("To apply them:")
        out(f"  {PROGRAM} profiles test {profile.name} --apply")


def _print_new_profile(
    world: World, profile: Profile, report: Report, proposal: Proposal, out: Callable[[str], None]
) -> None:
    """Print the profile that a tested URL needs, the commands that add it, and what to run then."""
    url, keys = proposal.made_from(profile)
    for line in profile_lines(NEW, url, keys):
        out(line)
    if proposal.preset and proposal.preset.advice:
        world.say(f"{proposal.preset.name}: {proposal.preset.advice}")
    world.print()
    for line in add_command(NEW, url, keys, proposal.secrets, lacks_auth=proposal.lacks_auth):
        out(line)
    if proposal.trusts:
        out(f"{PROGRAM} profiles test {NEW} --apply")
    elif not proposal.lacks_auth:  # A profile without its auth type can seldom list methods.
        known = proposal.preset.values if proposal.preset else profile
        if _lists_methods(profile, report, proposal):
            out(f"{PROGRAM} methods -p {NEW} --refresh")
        elif known.methods:
            out(f"{PROGRAM} methods -p {NEW}")
        out(f"{PROGRAM} call -p {NEW} METHOD")


def _lists_methods(profile: Profile, report: Report, proposal: Proposal) -> bool:
    """Return whether the server may say which methods it has."""
    if proposal.preset is not None:
        return proposal.preset.values.discovery != "none"
    return not profile.is_open_connection or any(call.summary == "a result" for call in report.calls)


def _change(run: Run, profile: Profile, proposal: Proposal, file: Path) -> bool:
    """Change the profile; return whether credentials are still missing."""
    world, explorer = run.world, run.explorer
    filled_in = {key for key, _ in proposal.changes} - explorer.profiles.chosen(profile)
    fail_if(explorer.apply(profile, proposal.changes, file, filled_in))
    world.say(f"changed {profile.name} in {file}")
    run.warn_if_committed(file)
    for sentence in explorer.profiles.overruled(profile.name, proposal.changes, file):
        world.warn(sentence)
    state = explorer.credentials.state(explorer.profiles.profiles.get(profile.name, profile))
    missing = [field for field, found in state.items() if not isinstance(found, Secret) and field != "session"]
    for field in missing:
        if field in proposal.secrets:
            world.hint(f"To store the {field}, run:\n{PROGRAM} profiles secret {profile.name} {field}")
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
@click.option("--list", "listing", is_flag=True, help="List what you have allowed.")
@click.option("--forget", is_flag=True, help="No longer allow what you have allowed for NAME or the folder.")
@yes_option()
@profile_option(hidden=True)
@click.pass_obj
def allow(run: Run, name: str | None, folder: Path | None, listing: bool, forget: bool) -> None:
    """Allow what a file has decided or changed of profile NAME.

    A secret is bound to the destination that it was stored for or first used at. The destination includes server, path,
    auth type, login, headers, JSON-RPC version and certificates. If a file changes any of these, the secret is blocked
    until you have seen the change and allowed it here.

    Nothing uses a profile before you allow here what a file other than your user file decides: a change of the
    destination, auth or login of a profile of your user file, a process or the command of a secret (exactly these words
    in this folder), the file of a secret, a Unix socket, a login that needs no secret, or a token of another server.
    This also holds for the folder of a history.

    --list and --forget also know what you agreed to for a server: credentials over plain HTTP, and logins at other
    servers.

    Exit code 1: --forget did not find what was allowed.

    \b
    Examples:
      rpcexplorer profiles allow prod
      rpcexplorer profiles allow --list
      rpcexplorer profiles allow prod --forget
      rpcexplorer profiles allow --folder .
    """
    if folder is not None:
        folder = (run.world.folder / folder).resolve()
    if not listing and (name is None) == (folder is None):
        raise click.UsageError("Name a profile, or a folder with --folder. To list allowed destinations, use --list.")
    if listing:
        _list(run)
    elif forget:
        _forget(run, name or str(folder))
    elif folder is not None:
        if not os.path.isdir(folder):  # noqa: PTH112 - Path's own raises where nobody may look
            fail(f"There is no folder {folder}. Check the name.")
        run.confirm(f"Use profiles in {folder}, although other users can write to it?")
        run.explorer.secrets.destinations.allow_folder(folder)
        run.world.say(f"allowed: profiles in {folder}")
    else:
        _allow(run, run.use(name))


def _allow(run: Run, profile: Profile) -> None:
    """Show the destination, ask, and save that exactly this is allowed."""
    explorer, say = run.explorer, run.world.say
    destinations, hide = explorer.secrets.destinations, explorer.redactor().text
    question, destination = destinations.question(profile), destinations.of(profile)
    for found in (question, *explorer.secrets.state(profile).values(), destinations.moved_key(profile)):
        if isinstance(found, DestinationChanged):
            say(hide("\n".join([f"the {found.field} is blocked: {found.why}", *map(str, found.changes)])))
            if found.advice:
                fail(f"{found.advice}.")
    values = [f"{key}: {value}" for key, value in destination.items()]
    say(hide("\n".join([f"the destination of {profile.name}:", *values])))
    asked = f"Send calls and secrets of {profile.name} to this destination"
    process = question.process if question else None
    if process or (question and question.runs):
        say("what the program does can change later without a question: it runs as you, with your files")
    if question and question.runs:
        asked = f"Run this command, and send calls and secrets of {profile.name} to this destination"
    if process:
        asked = f"Start this process, and send calls and secrets of {profile.name} to it"
    history = explorer.profiles.histories.get(profile.name)
    if history:
        say(f"calls would be recorded in {history}")
        asked += ", and record calls in this folder"
    run.confirm(f"{asked}?")
    destinations.allow(profile.name, destination, process)
    if history:
        destinations.allow_history(history)
    say(f"allowed: {profile.name} at {profile.endpoint}")


def _forget(run: Run, sought: str) -> None:
    """Forget what was allowed for a profile or a folder; end with 1 if something was not found."""
    profile, destinations = run.explorer.profiles.profiles.get(sought), run.explorer.secrets.destinations
    found = destinations.forget(sought, profile)
    if profile and run.explorer.secrets.forget_agreements(profile.origin):
        found = True
    left = destinations.file.read()
    unnamed = {f"folder {folder}" for folder in left.histories}
    unnamed |= {f"folder {command.folder}" for command in left.commands if not command.profile}
    unnamed |= {*run.explorer.secrets.agreements()}
    if unnamed and not profile and PROFILE_NAME.fullmatch(sought):
        sentence = f"{'Forgotten' if found else 'Nothing was found'} under the name {sought}."
        why = f"No profile {sought} can be read here, so one of these may still belong to it:"
        forget = f"To forget a folder, run `{PROGRAM} profiles allow --folder FOLDER --forget`."
        again = f"To forget the rest, run this again where profile {sought} can be read."
        fail(f"{sentence} {why} {', '.join(sorted(unnamed))}. {forget} {again}", 1)
    if not found:
        fail(f"Nothing was allowed for {sought}.", 1)
    run.world.say("forgotten")


def _list(run: Run) -> None:
    """Print what was allowed."""
    allowed, hide = run.explorer.secrets.destinations.file.read(), run.explorer.redactor().text
    fail_if(allowed.problem)
    rows = []
    for name, destinations in sorted(allowed.destinations.items()):
        rows += [f"profile {name}: {_in_words(destination)}" for destination in destinations]
    for variable, destination in sorted(allowed.first_uses.items()):
        rows.append(f"first use of {variable}: {_in_words(destination)}")
    for command in allowed.commands:
        facts = dict(command.destination)
        row = f"process in folder {facts.pop('folder')}: {facts.pop('words')}"
        rows.append(f"{row}, {_in_words(facts)}" if facts else row)
    rows += [f"profiles of folder {folder}" for folder in sorted(allowed.folders)]
    rows += [f"history in folder {folder}" for folder in sorted(allowed.histories)]
    rows += run.explorer.secrets.agreements()
    for row in rows:
        run.world.print(printable(hide(row)))


def _in_words(destination: Mapping[str, str]) -> str:
    return ", ".join(f"{key} {value}" for key, value in destination.items())
