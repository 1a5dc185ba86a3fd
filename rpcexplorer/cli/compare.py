"""`compare` and `replay`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import click
from msgspec import Struct

from rpcexplorer.cli.asking import check_pointers, confirm, question_about, tell_where
from rpcexplorer.cli.context import Invocation, complete_profiles, fail, invocation_of
from rpcexplorer.cli.output import STDOUT, Output
from rpcexplorer.cli.recorded import Recorded, always_ignored, called, one_of
from rpcexplorer.cli.show import json
from rpcexplorer.cli.waiting import run_until_stopped, waiting
from rpcexplorer.cli.world import INTERRUPTED, World
from rpcexplorer.client.replay import Replayed, ignored_in
from rpcexplorer.compare.compare import Comparison, compared_at_once
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import sent_draft
from rpcexplorer.model.exchange import Exchange, Stop
from rpcexplorer.model.problem import Complaint
from rpcexplorer.model.profile import Profile
from rpcexplorer.views.comparing.lines import compared_lines
from rpcexplorer.views.comparing.printed import heading, printed
from rpcexplorer.views.comparing.replays import difference_row
from rpcexplorer.views.comparing.summary import names_of, summary
from rpcexplorer.views.json_out import json_of
from rpcexplorer.views.words.sentences import outcome_words

DIFFERS = 6
FAILURES = (INTERRUPTED, 3, 4, 5, 2)
"""Exit codes of calls without a reply that could be compared; the first that applies is the command's."""


class Telling(Struct, frozen=True):
    """How differences are told."""

    ignore: tuple[str, ...]
    full: bool
    as_json: bool
    case: str | None
    """The file to save the compared calls in."""
    note: str


class _Pair(Struct, frozen=True):
    left: Exchange
    right: Exchange
    comparison: Comparison


@click.command()
@click.argument("first", metavar="[A", required=False)
@click.argument("second", metavar="[B]]", required=False)
@click.option(
    "-p",
    "--profile",
    "profiles",
    metavar="NAME",
    multiple=True,
    shell_complete=complete_profiles,
    help="Send call A with this profile. Repeat it for each profile to compare.",
)
@click.option(
    "--ignore",
    metavar="POINTER",
    multiple=True,
    help="Ignore this place in the result, such as /items/*/seen_at. Can be repeated.",
)
@click.option("--case", metavar="FILE", help="Save the compared calls as a case, to hand them on.")
@click.option("--note", metavar="TEXT", default="", help="Note for the receiver of the case.")
@click.option("--full", is_flag=True, help="Fold nothing: show what is equal as well.")
@click.option("--json", "as_json", is_flag=True, help="One JSON array of the differences.")
@click.option("--no-input", "ask", flag_value=False, default=True, help="Never ask anything; fail instead.")
@click.option("-y", "--yes", is_flag=True, help="Send without asking, also where a profile wants a question.")
@click.pass_context
def compare(
    context: click.Context, /, first: str | None, second: str | None, profiles: tuple[str, ...], ask: bool, yes: bool,
    **telling: Any,
) -> None:  # fmt: skip
    """Compare two recorded responses, or the responses of several profiles to one call.

    A and B are ids, or files of cases. Without A, the newest call is compared. Without B, call A is compared with the
    one before it: the same method and params on the same profile. With -p, call A is sent to each profile, and each
    response is compared with the first.

    Members are compared by name, elements in their order, numbers by their spelling. It ends with 0 where all is the
    same, with 6 where something differs or cannot be compared, and where a call has no reply, as that call does.

    \b
    Examples:
      rpcexplorer compare
      rpcexplorer compare 1m7ypmkv7qa7kfj 1m7yq0c2v8tn4d9
      rpcexplorer compare 1m7ypmkv7qa7kfj --ignore '/items/*/seen_at'
      rpcexplorer compare -p staging -p prod --json
      rpcexplorer compare -p staging -p prod --case case.toml --note 'prod charges 10 more'
    """
    invocation, how = invocation_of(context), Telling(**telling)
    check_pointers(how.ignore)
    if how.note and how.case is None:
        raise click.UsageError("--note goes with --case FILE: it is part of the case.")
    if profiles and second is not None:
        raise click.UsageError("Name B, or profiles that A is sent with: not both.")
    if len(profiles) == 1:
        raise click.UsageError(
            f"Name two profiles or more. To compare what is recorded with what comes today: "
            f"rpcexplorer replay {first or 'ID'} -p {profiles[0]}"
        )
    explorer = invocation.open(ask=ask)
    case = Output(invocation.world, how.case)
    if first is None:
        explorer.use(invocation.profile)  # without a profile, the usual history is used
        found = [one_of(explorer, None, there=False)]
    else:
        found = called(explorer, filter(None, (first, second)), invocation.world)
    if profiles:
        context.exit(
            _on_profiles(invocation, explorer, _one(found, first or ""), profiles, how, case, ask=ask, yes=yes)
        )
    if len(found) > 2:
        fail(f"{len(found)} calls are named: add them with history import, and name two by their ids.")
    left, right = _before(explorer, found[0]) if len(found) == 1 else found
    ignore = always_ignored(explorer, right.exchange, how.ignore)
    code = _tell(invocation.world, [_pair(left.exchange, right.exchange, ignore)], how)
    _save(explorer, [left.exchange, right.exchange], how, case)
    context.exit(code)


def _save(explorer: Explorer, calls: Sequence[Exchange], how: Telling, case: Output) -> None:
    """Save calls as a case, if that is wanted."""
    if how.case is None:
        return
    made = explorer.cases.made_of(calls, note=how.note)
    if isinstance(made, str):
        fail(made)
    case.world.write(made.text.encode())
    case.write()
    if how.case != STDOUT:
        case.world.say(f"saved {len(calls)} calls in {how.case}")


def _one(found: Sequence[Recorded], named: str) -> Recorded:
    if len(found) != 1:
        fail(f"{named} holds {len(found)} calls: add them with history import, and name one by its id.")
    return found[0]


def _before(explorer: Explorer, record: Recorded) -> tuple[Recorded, Recorded]:
    """The one before a call, and itself."""
    call = record.exchange
    found = explorer.journal.before(record.source, call)
    if found is None:
        fail(f"There is no call of {call.method} with the same params before {call.id}: name what it is compared with.")
    return Recorded(found, record.source), record


def _on_profiles(
    invocation: Invocation,
    explorer: Explorer,
    record: Recorded,
    names: Sequence[str],
    how: Telling,
    case: Output,
    *,
    ask: bool,
    yes: bool,
) -> int:
    """Send one call to each profile, and compare what comes with what the first brought."""
    chosen = []
    for name in names:
        profile = explorer.profiles.get(name)
        if isinstance(profile, Complaint):
            fail(str(profile))
        chosen.append(profile)
    for profile in chosen:
        tell_where(invocation, explorer, record.exchange, profile)
    draft = sent_draft(record.exchange)
    asked = "" if yes else " ".join(filter(None, (question_about(explorer, [draft], each) for each in chosen)))
    if asked:
        confirm(invocation, asked, "it", chosen, ask=ask)
    stop = Stop()
    results = run_until_stopped(_sent(invocation, explorer, record, chosen, stop), stop)
    if explorer.journal.trouble:
        invocation.world.say(f"the calls could not be recorded: {explorer.journal.trouble}")
    replies, codes = [], []
    for profile, result in zip(chosen, results, strict=True):
        codes.append(_failure(invocation.world, profile, result))
        if result.live and not codes[-1]:
            ignore = ignored_in(result.live, profile, how.ignore)
            replies.append((explorer.journal.as_recorded(result.live, profile), ignore))
    pairs = []
    if replies and not codes[0]:  # the first is what the others are compared with
        left, own = replies[0]
        pairs = [_pair(left, right, [*own, *ignore]) for right, ignore in replies[1:]]
    differs = _tell(invocation.world, pairs, how)
    lives = [(result.live, profile) for profile, result in zip(chosen, results, strict=True)]
    _save(explorer, [explorer.journal.as_recorded(live, profile) for live, profile in lives if live], how, case)
    return next((code for code in FAILURES if code in codes), differs)


def _pair(left: Exchange, right: Exchange, ignore: Sequence[str]) -> _Pair:
    return _Pair(left, right, compared_at_once(left, right, ignore))


async def _sent(
    invocation: Invocation, explorer: Explorer, record: Recorded, profiles: Iterable[Profile], stop: Stop
) -> list[Replayed]:
    results = []
    async with explorer, waiting(invocation.world.stderr, explorer) as watch:
        for profile in profiles:
            explorer.profile = record.source  # in whose history it was found
            async for each in explorer.replay([record.exchange], profile=profile, watch=watch, stop=stop):
                results.append(each)  # noqa: PERF401 - one for each profile
    return results


def _failure(world: World, profile: Profile, result: Replayed) -> int:
    """The exit code of a call without a reply that could be compared, which is told; else 0."""
    code = result.live.exit_code if result.live else (INTERRUPTED if result.verdict == "stopped" else 2)
    if code not in FAILURES:
        return 0
    world.say(f"{profile.name}: {outcome_words(result.live.outcome) if result.live else result.why}")
    return code


def _tell(world: World, pairs: Sequence[_Pair], how: Telling) -> int:
    """Print what differs; the exit code."""
    if how.as_json:
        rows = [
            difference_row(pair.comparison, each) | ({"profile": pair.right.profile} if len(pairs) > 1 else {})
            for pair in pairs
            for each in pair.comparison.differences
        ]
        json(world, json_of(rows))
    for pair in pairs:
        said = summary(pair.comparison, names_of(pair.left, pair.right))
        if how.as_json:
            world.say(said)
            continue
        world.print(heading("-", pair.left, colour=world.colours))
        world.print(heading("+", pair.right, colour=world.colours))
        world.print(said)
        if pair.comparison.verdict == "differs" or (how.full and pair.comparison.verdict == "same"):
            for line in printed(compared_lines(pair.comparison, full=how.full), colour=world.colours):
                world.print(line)
    return DIFFERS if any(pair.comparison.verdict != "same" for pair in pairs) else 0
