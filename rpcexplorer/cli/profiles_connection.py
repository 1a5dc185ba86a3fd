"""``profiles test``: the way to a server step by step, and the profile that fits it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from rpcexplorer.cli.context import Invocation, agree, complete_profiles, fail, invocation_of
from rpcexplorer.cli.profiles_trust import QUESTION, pin
from rpcexplorer.cli.waiting import run_until_stopped, waiting
from rpcexplorer.cli.world import INTERRUPTED, PROGRAM
from rpcexplorer.client.probe import Proposal
from rpcexplorer.client.report import REFUSED, Check, Report
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Stop
from rpcexplorer.model.problem import quoted
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import FIELD_WORDS, Secret
from rpcexplorer.views.json_out import json_of
from rpcexplorer.views.printable import printable
from rpcexplorer.views.proposal import KIND, add_command, plan, profile_lines, steps_in_rows
from rpcexplorer.views.words.hints import rows_of
from rpcexplorer.views.words.profile import SIGNS
from rpcexplorer.views.words.sentences import duration

NEW = "NAME"
"""Stands for the name of a profile that there is not yet."""


@click.command("test")
@click.argument("name", metavar="[NAME|URL]", required=False, shell_complete=complete_profiles)
@click.option("--apply", "apply", is_flag=True, help="Change the profile as the test proposes; asks first.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask before the profile is changed.")
@click.option("--json", "as_json", is_flag=True, help="Print what was found as one JSON object.")
@click.option("--no-input", "ask", flag_value=False, default=True, help="Never ask anything; fail instead.")
@click.pass_context
def connection(context: click.Context, name: str | None, apply: bool, yes: bool, as_json: bool, ask: bool) -> None:
    """Test the way to a server step by step, and propose the profile that fits it.

    At most 16 requests with harmless methods are made, whose names are listed first; none is recorded, and none has
    credentials but the last, where the profile has some and everything before went well. The exit code is that of a
    call which ends at the first step that failed.

    \b
    Examples:
      rpcexplorer profiles test staging
      rpcexplorer profiles test http://127.0.0.1:6800
      rpcexplorer profiles test staging --apply
      rpcexplorer profiles test staging --no-input && echo ready
    """
    invocation = invocation_of(context)
    explorer = invocation.open(ask=ask)
    url = name if name and ("/" in name or ":" in name) else None  # no profile's name has these
    profile = invocation.use(explorer, None if url else name, url)
    if profile.ad_hoc and not _can_be_called(profile.url):
        fail("An address begins with http:// or https:// and a host, such as http://127.0.0.1:8000/jsonrpc.")
    if apply and profile.ad_hoc:
        fail(
            "An address has no profile to change: test it without --apply, which ends with the command that makes one."
        )
    if yes and not apply:
        fail("--yes answers the question that --apply asks: add --apply to have the profile changed.")
    report = _tested_and_told(context, explorer, profile, as_json=as_json)
    proposal = report.proposal
    while proposal and proposal.trusts and apply and ask and invocation.world.asks:  # --yes trusts no certificate
        agree(context, QUESTION.format(profile.name), yes=False)
        profile = _trusted(invocation, explorer, profile, proposal)
        report = _tested_and_told(context, explorer, profile, as_json=as_json)
        proposal = report.proposal
    code = report.exit_code
    asked = apply or (ask and invocation.world.asks and not as_json)
    if asked and proposal and proposal.changes and not proposal.trusts and not profile.ad_hoc:
        file = explorer.profiles.change_home(profile.name, explorer.paths.user_sessions)
        question = f"Change {profile.name} in {file}?"
        if apply:
            agree(context, question, yes=yes)
        elif not click.confirm(printable(question), default=False, err=True):
            context.exit(code)  # nobody wanted a change: what the test came to is the answer
        lacks = _change(invocation, explorer, profile, proposal, file)
        code = REFUSED if code and lacks and _lacks_only_login(report) else 0
    context.exit(code)


def _can_be_called(url: str) -> bool:
    """Whether there is anything to test: a scheme that is spoken, a host, and no port that there cannot be."""
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _tested_and_told(context: click.Context, explorer: Explorer, profile: Profile, *, as_json: bool) -> Report:
    """Test the connection and print the report; end the command if somebody ended the test."""
    invocation = invocation_of(context)
    report, stopped = _tested(invocation, explorer, profile)
    hide = explorer.redactor().text
    if as_json:
        invocation.world.print(json_of(_as_json(profile, report, hide)).decode())
    else:
        _tell(invocation, profile, report, hide)
    if stopped:
        context.exit(INTERRUPTED)
    return report


def _trusted(invocation: Invocation, explorer: Explorer, profile: Profile, proposal: Proposal) -> Profile:
    """Write the https address, if the server redirected there, and the certificate to trust."""
    name, values = profile.name, proposal.values
    if "url" in values:
        moved = Proposal((("url", values["url"]),))
        home = explorer.profiles.change_home(name, explorer.paths.user_sessions)
        _change(invocation, explorer, profile, moved, home)
        profile = explorer.profiles.profiles[name]
    pin(invocation, explorer, profile, values["certificate"])
    return explorer.profiles.profiles[name]


def _tested(
    invocation: Invocation,
    explorer: Explorer,
    profile: Profile,
) -> tuple[Report, bool]:
    """Test it; whether somebody has ended that. What is asked is told on the way."""
    say, hide, stop = invocation.world.say, explorer.redactor().text, Stop()
    say(hide(f"{profile.name} at {profile.endpoint}"))
    say(hide(plan(profile, explorer.profiles.usable_presets())))

    async def test() -> Report:
        async with explorer, waiting(invocation.world.stderr, explorer):
            return await explorer.test(profile, stop=stop)

    return run_until_stopped(test(), stop), stop.pressed


def _tell(invocation: Invocation, profile: Profile, report: Report, hide: Callable[[str], str]) -> None:
    """The steps, then what is proposed."""
    out = invocation.world.print
    width = max((len(check.label) for check in report.checks), default=0)
    for row in steps_in_rows(report, profile, datetime.now(UTC)):
        if isinstance(row, Check):
            took = "" if row.seconds is None else f"  {duration(row.seconds)}"
            out(printable(hide(f"{SIGNS[row.state][0]} {row.label:<{width}}  {row.words}{took}")))
        else:
            out(printable(hide(f"    {row[0]:<14}  {row[1]}")))
    proposal = report.proposal
    if proposal is not None and proposal.lacks_auth and not profile.ad_hoc:
        out(f"To set its auth: {PROGRAM} profiles set {profile.name} auth.kind={KIND}")
    if report.advice:
        out(f"\n{report.advice}")
        out(f"  {PROGRAM} profiles test URL")
    if proposal is None or (not profile.ad_hoc and not proposal.changes):
        return
    out()
    _tell_proposal(invocation, profile, proposal, hide)


def _tell_proposal(invocation: Invocation, profile: Profile, proposal: Proposal, hide: Callable[[str], str]) -> None:
    """What to change, with the commands that do it."""
    out = invocation.world.print
    if profile.ad_hoc:
        url, keys = proposal.made_from(profile)
        for line in profile_lines(NEW, url, keys):
            out(printable(hide(line)))
        out()
        for line in add_command(NEW, url, keys, proposal.secrets, lacks_auth=proposal.lacks_auth):
            out(printable(hide(line)))
        if proposal.trusts:
            out(f"{PROGRAM} profiles test {NEW} --apply")
        if proposal.secrets:
            fields = " and ".join(FIELD_WORDS.get(field, field) for field in proposal.secrets)
            command = f"{PROGRAM} profiles secret {NEW} {proposal.secrets[0]}"
            invocation.world.say(f"Credentials are missing: {fields}. Add the profile, then store them: {command}")
        if proposal.preset and proposal.preset.advice:
            invocation.world.say(f"{proposal.preset.name}: {proposal.preset.advice}")
        return
    if proposal.trusts:
        out("To trust exactly this certificate, if it is the right one:")
        if "url" in proposal.values:
            out(printable(hide(f"  {PROGRAM} profiles set {profile.name} {quoted('url=' + proposal.values['url'])}")))
        out(f"  {PROGRAM} profiles trust {profile.name}")
        out(f"  {PROGRAM} profiles test {profile.name} --apply")
        return
    out("What it should say instead:")
    for key, change in rows_of(profile, proposal.changes):
        out(printable(hide(f"  {key}: {change}")))
    out(f"To change it: {PROGRAM} profiles test {profile.name} --apply")


def _change(invocation: Invocation, explorer: Explorer, profile: Profile, proposal: Proposal, file: Path) -> bool:
    """Write it into the file where it counts; return whether credentials are still missing."""
    say = invocation.world.say
    filled_in = {key for key, _ in proposal.changes} - explorer.profiles.chosen(profile)
    with explorer.accepting(profile, filled_in):
        complaint = explorer.apply(profile.name, proposal.changes, file)
    if complaint:
        fail(str(complaint))
    say(f"changed {profile.name} in {file}")
    invocation.warn_about(explorer, file)
    for sentence in explorer.profiles.overruled(profile.name, proposal.changes, file):
        say(sentence)
    state = explorer.credentials.state(explorer.profiles.profiles.get(profile.name, profile))
    missing = [field for field, found in state.items() if not isinstance(found, Secret) and field != "session"]
    for field in missing:
        if field in proposal.secrets:
            say(f"store its {field} with: {PROGRAM} profiles secret {profile.name} {field}")
    return bool(missing) or not state


def _lacks_only_login(report: Report) -> bool:
    return any(check.state == "failed" and check.code == REFUSED for check in report.checks)


def _as_json(profile: Profile, report: Report, hide: Callable[[str], str]) -> dict[str, Any]:
    steps = [
        {"step": each.label, "state": each.state, "words": hide(each.words), "seconds": each.seconds}
        for each in report.checks
    ]
    calls = [{"method": each.method, "path": hide(each.path), "reply": hide(each.said)} for each in report.asked]
    proposal = report.proposal
    return {
        "profile": None if profile.ad_hoc else profile.name,
        "address": hide(profile.endpoint),
        "requests": report.requests,
        "calls": calls,
        "steps": steps,
        "proposal": None if proposal is None else dict(proposal.changes),
        "secrets": [] if proposal is None else list(proposal.secrets),
        "advice": report.advice,
        "exit": report.exit_code,
    }
