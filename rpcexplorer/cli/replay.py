"""``replay``: send again what was sent, and say what is different now."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import click
from msgspec import Struct

from rpcexplorer.cli.asking import check_pointers, confirm, question_about, tell_where
from rpcexplorer.cli.context import Invocation, at_address, fail, invocation_of, profile_option
from rpcexplorer.cli.recorded import Recorded, called
from rpcexplorer.cli.show import json_line
from rpcexplorer.cli.waiting import run_until_stopped, waiting
from rpcexplorer.cli.world import INTERRUPTED, World
from rpcexplorer.explorer import Explorer, Stop
from rpcexplorer.model.complaint import Complaint, listed
from rpcexplorer.model.draft import sent_draft
from rpcexplorer.model.exchange import Damaged
from rpcexplorer.model.profile import AD_HOC_NAME, Profile
from rpcexplorer.model.replaying import Replayed, exit_code
from rpcexplorer.views.comparing.replays import difference_lines, replay_line, replay_row, totals
from rpcexplorer.views.json_out import json_of

UNREAD = 6
"""Exit code where a call of a case cannot be read: nobody can compare it."""
WHICH_PROFILE = "Somebody else has recorded this: say with -p which profile it is sent with."
NO_PROFILE = "Somebody else has recorded this, and there is no profile yet: say with --url where it is sent."


class _ToSend(Struct, frozen=True):
    """A record, and the profile that it is sent with."""

    record: Recorded
    profile: Profile


@click.command()
@click.argument("calls", metavar="ID|FILE...", nargs=-1, required=True)
@profile_option
@click.option("--url", metavar="URL", help="Send to this address without a profile.")
@click.option(
    "--ignore",
    metavar="POINTER",
    multiple=True,
    help="Ignore this place in the result, such as /items/*/seen_at. Can be repeated.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a call, each on a line.")
@click.option("--no-input", "ask", flag_value=False, default=True, help="Never ask anything; fail instead.")
@click.option("-y", "--yes", is_flag=True, help="Send without asking, also where the profile wants a question.")
@click.pass_context
def replay(
    context: click.Context,
    calls: tuple[str, ...],
    profile: str | None,
    url: str | None,
    ignore: tuple[str, ...],
    as_json: bool,
    ask: bool,
    yes: bool,
) -> None:
    """Send recorded calls again, or those of a case, and compare the replies with what is recorded.

    What was sent is sent, one call after the other, with the credentials of today: with the profile of each record, or
    another one. Of a case that somebody else has made, nothing is sent before you have said with which profile.

    It ends with 0 where all is the same, an error that comes again included, with 6 where something differs or cannot
    be compared, or nothing was, else as a call does: 3, 4, 5, 130. A login whose password is not recorded is left out,
    and does not count beside other calls.

    \b
    Examples:
      rpcexplorer replay 1m7ypmkv7qa7kfj
      rpcexplorer replay case.toml -p staging --ignore '/items/*/seen_at'
    """
    invocation = invocation_of(context)
    world = invocation.world
    check_pointers(ignore)
    explorer = invocation.open(ask=ask)
    damaged: list[Damaged] = []
    records = called(explorer, calls, world, damaged)
    to_send, question = _with_profiles(invocation, explorer, records, profile, url)
    for each in to_send:
        tell_where(invocation, explorer, each.record.exchange, each.profile)
    _ask_first(invocation, explorer, to_send, question, ask=ask, yes=yes)
    stop = Stop()
    results = run_until_stopped(_run(invocation, explorer, to_send, ignore, stop, as_json=as_json), stop)
    world.say(totals(results))
    if explorer.journal.trouble:
        world.say(f"the calls could not be recorded: {explorer.journal.trouble}")
    context.exit(INTERRUPTED if stop.pressed else exit_code(results) or (UNREAD if damaged else 0))


def _with_profiles(
    invocation: Invocation, explorer: Explorer, records: Sequence[Recorded], name: str | None, url: str | None
) -> tuple[list[_ToSend], str]:
    """Each record with the profile that it is sent with; and a question where no person has chosen that one."""
    if name or url or invocation.profile or invocation.url:
        chosen = invocation.use(explorer, name, url)
        return [_ToSend(each, chosen) for each in records], ""
    to_send, question = [], ""
    for each in records:
        if explorer.journal.is_ours(each.exchange, each.source):
            to_send.append(_ToSend(each, _own_profile(explorer, each)))
        else:
            proposed = _proposed(explorer, each)
            to_send.append(_ToSend(each, proposed))
            question = f"Somebody else has recorded this. It would be sent with profile {proposed.name}."
    return to_send, question


def _own_profile(explorer: Explorer, record: Recorded) -> Profile:
    """The profile that this person made a call with, or the address that was typed for it."""
    exchange = record.exchange
    if exchange.profile == AD_HOC_NAME:
        if "«" in exchange.url:
            fail(f"{exchange.id} was made with --url, and its address is not recorded whole: add --url.")
        return at_address(exchange.url)
    chosen = explorer.profiles.get(exchange.profile)
    if isinstance(chosen, Complaint):
        fail(f"{chosen}. {exchange.id} was made with it: name another one with -p.")
    return chosen


def _proposed(explorer: Explorer, record: Recorded) -> Profile:
    """The profile that is asked about: the one in whose history the call is, or the default."""
    chosen, known = record.source or explorer.profiles.get(None), explorer.profiles
    if isinstance(chosen, Complaint):
        if known.default is None and len(known.leaves) > 1:
            fail(f"{WHICH_PROFILE} The profiles are {listed(sorted(known.leaves))}.")
        fail(f"{WHICH_PROFILE} {chosen}" if known.refused or known.leaves else NO_PROFILE)
    return chosen


def _ask_first(
    invocation: Invocation, explorer: Explorer, to_send: Sequence[_ToSend], question: str, *, ask: bool, yes: bool
) -> None:
    """Go on once a person has said that it may be sent; ``yes`` answers for the profiles, not for whose they are."""
    if question and not (ask and invocation.world.asks):
        fail(WHICH_PROFILE)
    wanted = f"{question} {'' if yes else _what_to_ask(explorer, to_send)}".strip()
    if wanted:
        many = f"{len(to_send)} call{'s' * (len(to_send) != 1)}"
        confirm(invocation, wanted, many, [each.profile for each in to_send], ask=ask)


def _what_to_ask(explorer: Explorer, to_send: Sequence[_ToSend]) -> str:
    """All that the profiles want a question for, a sentence for each of them."""
    by_name = sorted(to_send, key=lambda each: each.profile.name)
    several = [[*group] for _, group in groupby(by_name, lambda each: each.profile.name)]
    about = (
        question_about(explorer, [sent_draft(each.record.exchange) for each in group], group[0].profile)
        for group in several
    )
    return " ".join(filter(None, about))


async def _run(
    invocation: Invocation,
    explorer: Explorer,
    to_send: Sequence[_ToSend],
    ignore: Sequence[str],
    stop: Stop,
    *,
    as_json: bool,
) -> list[Replayed]:
    world, results = invocation.world, list[Replayed]()
    async with explorer, waiting(world.stderr, explorer) as watch:
        for _, group in groupby(to_send, lambda each: (each.profile, each.record.source)):
            several = list(group)
            explorer.profile = several[0].record.source  # in whose history they were found
            records = [each.record.exchange for each in several]
            sent = explorer.replay(records, profile=several[0].profile, ignore=ignore, watch=watch, stop=stop)
            async for each in sent:
                watch.erase()
                results.append(each)
                for note in each.live.notes if each.live else ():
                    world.say(note)
                _tell(world, each, as_json=as_json)
    return results


def _tell(world: World, result: Replayed, *, as_json: bool) -> None:
    if as_json:
        json_line(world, json_of(replay_row(result)))
        return
    world.print(replay_line(result))
    for line in difference_lines(result.comparison) if result.comparison else ():
        world.print(f"    {line}")
