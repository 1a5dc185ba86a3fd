"""`compare` and `replay`."""

from __future__ import annotations

import shlex
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from typing import Any

import click
from msgspec import Struct

from rpcexplorer.cli.call import check_pointers, confirm, question_about, warn_about_other_url
from rpcexplorer.cli.context import (
    Invocation,
    at_address,
    complete_profiles,
    fail,
    invocation_of,
    no_input_option,
    server_after_options,
)
from rpcexplorer.cli.output import STDOUT, Output, Waiting, print_json, print_json_line, result_of, run_waiting
from rpcexplorer.cli.recorded import Recorded, find_call, find_calls, is_case
from rpcexplorer.cli.world import INTERRUPTED, World
from rpcexplorer.client.replay import Replayed, exit_code, ignored_in, ignored_pointers, server_of
from rpcexplorer.compare.compare import Comparison, compared
from rpcexplorer.explorer import Explorer
from rpcexplorer.jsontext.steps import at_once
from rpcexplorer.model.draft import sent_draft
from rpcexplorer.model.exchange import Damaged, Exchange, Stop
from rpcexplorer.model.problem import PROGRAM, Problem, UserError, counted, joined_words
from rpcexplorer.model.profile import AD_HOC_NAME, Profile, kind_of
from rpcexplorer.model.secret import standing
from rpcexplorer.text.compare import (
    compared_lines,
    difference_lines,
    difference_row,
    heading,
    names_of,
    printed,
    replay_line,
    replay_row,
    summary,
    totals,
)
from rpcexplorer.text.exchange import outcome_words
from rpcexplorer.text.json_text import json_of
from rpcexplorer.text.printable import printable

DIFFERS = 6
FAILURES = (INTERRUPTED, 3, 4, 5, 2)
"""Exit codes of calls without a response to compare.

The first of them that applies is the exit code of the command.
"""


class Options(Struct, frozen=True):
    ignore: tuple[str, ...]
    full: bool
    as_json: bool
    case: str | None
    """The file to export the compared calls to."""
    note: str


class _Pair(Struct, frozen=True):
    left: Exchange
    right: Exchange
    comparison: Comparison


ignore_option = click.option(
    "--ignore",
    metavar="POINTER",
    multiple=True,
    help="Ignore this place in the result, such as /items/*/seen_at. Can be repeated.",
)


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
    help="Send call A with this profile. Can be repeated.",
)
@ignore_option
@click.option("--case", metavar="FILE", help="Export the compared calls as a case, a file that others can replay.")
@click.option("--note", metavar="TEXT", default="", help="Note for the receiver of the case.")
@click.option("--full", is_flag=True, help="Show the equal parts, too.")
@click.option("--json", "as_json", is_flag=True, help="Print the differences as one JSON array.")
@no_input_option
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
@click.pass_context
def compare(
    context: click.Context, /, first: str | None, second: str | None, profiles: tuple[str, ...], ask: bool, yes: bool,
    **shown: Any,
) -> None:  # fmt: skip
    """Compare two responses, or responses of several profiles.

    A and B are ids of recorded calls, or files of cases. Without A, the newest call is compared. Without B, call A is
    compared with the one before it: the same method and params on the same profile. With -p, call A is sent to each
    profile, and each response is compared with the first.

    Members are compared by name, elements in their order, numbers by their spelling. Exit code 0: all responses are
    the same. Exit code 6: a response differs or cannot be compared. If a call has no response, the exit code is that
    of the call.

    \b
    Examples:
      rpcexplorer compare
      rpcexplorer compare 1m7ypmkv7qa7kfj 1m7yq0c2v8tn4d9
      rpcexplorer compare 1m7ypmkv7qa7kfj --ignore '/items/*/seen_at'
      rpcexplorer compare -p staging -p prod --json
      rpcexplorer compare -p staging -p prod --case case.toml --note 'prod charges 10 more'
    """
    invocation, options = invocation_of(context), Options(**shown)
    check_pointers(options.ignore)
    if options.note and options.case is None:
        raise click.UsageError("--note needs --case FILE: the note is part of the case.")
    if profiles and second is not None:
        raise click.UsageError("Name call B or profiles, not both.")
    if len(profiles) == 1:
        raise click.UsageError(
            f"Name two or more profiles. To compare the recorded response with a new one, run:\n"
            f"rpcexplorer replay {first or 'ID'} -p {profiles[0]}"
        )
    explorer = invocation.open(ask=ask)
    case = Output(invocation.world, options.case)
    if first is None:
        with suppress(UserError):  # Without a profile, the usual history is used.
            explorer.use(invocation.profile)
        found = [find_call(explorer, None, own_first=False)]
    else:
        found = find_calls(explorer, filter(None, (first, second)), invocation.world)
    if profiles:
        if len(found) != 1:
            fail(_with_import(f"With -p, compare needs one call, not {len(found)}.", [first]))
        context.exit(_on_profiles(invocation, explorer, found[0], profiles, options, case, ask=ask, yes=yes))
    if len(found) > 2:
        fail(_with_import(f"compare needs two calls, not {len(found)}.", [first, second]))
    if len(found) == 1:
        call = found[0].exchange
        earlier = explorer.journal.before(found[0].source, call)
        if earlier is None:
            sentence = f"There is no call of {printable(call.method)} with the same params before {call.id}."
            fail(f"{sentence} Name the call to compare it with.")
        found.insert(0, Recorded(earlier, found[0].source))
    left, right = found
    ignore = ignored_pointers(right.exchange, explorer.profiles.profiles, options.ignore)
    code = _print_differences(invocation.world, [_pair(left.exchange, right.exchange, ignore)], options)
    _save(explorer, [left.exchange, right.exchange], options, case)
    context.exit(code)


def _with_import(sentence: str, words: Iterable[str | None]) -> str:
    """Return the sentence with the commands that import the cases among the words."""
    commands = [shlex.join([PROGRAM, "history", "import", word]) for word in words if word and is_case(word)]
    return "\n".join([f"{sentence} To choose calls of a case by their ids, import it:", *commands])


def _save(explorer: Explorer, calls: Sequence[Exchange], options: Options, case: Output) -> None:
    if options.case is None:
        return
    made = explorer.cases.made_of(calls, note=options.note)
    if isinstance(made, str):
        fail(made)
    if made.too_much:
        fail(f"{made.too_much}. No case was exported.")
    case.world.write(made.text.encode())
    case.write()
    if options.case != STDOUT:
        case.world.say(f"exported {counted(len(calls), 'call')} to {options.case}")


def _on_profiles(
    invocation: Invocation,
    explorer: Explorer,
    record: Recorded,
    names: Sequence[str],
    options: Options,
    case: Output,
    *,
    ask: bool,
    yes: bool,
) -> int:
    """Send one call to each profile; compare each response with the first."""
    chosen = [_profile(explorer, name) for name in names]
    for profile in chosen:
        warn_about_other_url(invocation, explorer, record.exchange, profile)
    draft = sent_draft(record.exchange)
    asked = "" if yes else " ".join(filter(None, (question_about(explorer, [draft], profile) for profile in chosen)))
    if asked:
        confirm(invocation, asked, "the call", chosen, ask=ask)
    stop = Stop()
    results = run_waiting(invocation.world, explorer, stop, lambda watch: _sent(explorer, record, chosen, watch, stop))
    if explorer.journal.problem:
        invocation.world.warn(f"not all calls were recorded: {explorer.journal.problem}")
    lives, replies, codes = [], [], []
    for profile, result in zip(chosen, results, strict=True):
        codes.append(_failure(invocation.world, profile, result))
        if result.live:
            lives.append(explorer.journal.as_recorded(result.live, profile))
            if not codes[-1]:
                replies.append((lives[-1], ignored_in(result.live, profile, options.ignore)))
    pairs = []
    if replies and not codes[0]:  # The others are compared with the first.
        left, own = replies[0]
        pairs = [_pair(left, right, [*own, *ignore]) for right, ignore in replies[1:]]
    differs = _print_differences(invocation.world, pairs, options)
    _save(explorer, lives, options, case)
    return next((code for code in FAILURES if code in codes), differs)


def _pair(left: Exchange, right: Exchange, ignore: Sequence[str]) -> _Pair:
    return _Pair(left, right, at_once(compared(left, right, ignore)))


async def _sent(
    explorer: Explorer, record: Recorded, profiles: Iterable[Profile], watch: Waiting, stop: Stop
) -> list[Replayed]:
    results = []
    for profile in profiles:
        explorer.profile = record.source  # The call was found in this profile's history.
        results += [
            replayed async for replayed in explorer.replay([record.exchange], profile=profile, watch=watch, stop=stop)
        ]
    return results


def _failure(world: World, profile: Profile, result: Replayed) -> int:
    """Print why a call has no response to compare; return its exit code."""
    code = result.live.exit_code if result.live else (INTERRUPTED if result.verdict == "stopped" else 2)
    if code not in FAILURES:
        return 0
    world.say(f"{profile.name}: {outcome_words(result.live.outcome) if result.live else result.why}")
    return code


def _print_differences(world: World, pairs: Sequence[_Pair], options: Options) -> int:
    if options.as_json:
        rows = [
            difference_row(pair.comparison, difference) | ({"profile": pair.right.profile} if len(pairs) > 1 else {})
            for pair in pairs
            for difference in pair.comparison.differences
        ]
        print_json(world, json_of(rows))
    for pair in pairs:
        result = summary(pair.comparison, names_of(pair.left, pair.right))
        if options.as_json:
            world.say(result)
            continue
        world.print(heading("-", pair.left, colour=world.colours))
        world.print(heading("+", pair.right, colour=world.colours))
        world.print(result)
        if pair.comparison.verdict == "differs" or (options.full and pair.comparison.verdict == "same"):
            for line in printed(compared_lines(pair.comparison, full=options.full), colour=world.colours):
                world.print(line)
    return DIFFERS if any(pair.comparison.verdict != "same" for pair in pairs) else 0


UNREAD = 6
"""Exit code if a call of a case cannot be read."""
WHICH_PROFILE = "Calls that someone else recorded need one of your profiles. Name it with -p NAME."
NO_PROFILE = "Calls that someone else recorded need a profile, but you have none. Name a server with --url."


class _ToSend(Struct, frozen=True):
    record: Recorded
    profile: Profile


@click.command()
@click.argument("calls", metavar="ID|FILE...", nargs=-1, required=True)
@click.option(
    "-p",
    "--profile",
    "profiles",
    metavar="NAME|THEIRS=MINE",
    multiple=True,
    shell_complete=complete_profiles,
    help="Use this profile, or MINE for the calls recorded with THEIRS. Can be repeated.",
)
@click.option("--url", metavar="URL", help="Send to this URL, without a profile.")
@server_after_options
@ignore_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per call, each on a line.")
@no_input_option
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
@click.pass_context
def replay(
    context: click.Context,
    calls: tuple[str, ...],
    profiles: tuple[str, ...],
    url: str | None,
    ignore: tuple[str, ...],
    as_json: bool,
    ask: bool,
    yes: bool,
) -> None:
    """Replay recorded calls or a case, and compare the responses.

    The calls are resent as recorded, one after the other, with your current credentials. Each call uses the profile
    that recorded it, or the one that you name. For a case that someone else recorded, name one of your profiles. If its
    calls went to several servers, name a profile for each: -p THEIRS=MINE. THEIRS is a profile or a URL of the case.
    Logins without a recorded password are skipped.

    Exit code 0: all responses are the same, including errors that occur again. Exit code 6: a response differs or
    cannot be compared, or nothing was compared. The other exit codes are those of a call: 3, 4, 5, 130.

    \b
    Examples:
      rpcexplorer replay 1m7ypmkv7qa7kfj
      rpcexplorer replay case.toml -p staging --ignore '/items/*/seen_at'
      rpcexplorer replay case.toml -p shop=mine -p shop-test=mine-test
    """
    invocation = invocation_of(context)
    world = invocation.world
    check_pointers(ignore)
    explorer = invocation.open(ask=ask)
    damaged: list[Damaged] = []
    records = find_calls(explorer, calls, world, damaged)
    to_send, question, advice = _with_profiles(invocation, explorer, records, calls, profiles, url)
    for call in to_send:
        warn_about_other_url(invocation, explorer, call.record.exchange, call.profile)
    if question and not (ask and world.asks):
        fail(advice)
    questions = [question]
    by_name = sorted(to_send, key=lambda call: call.profile.name)
    for _, group in groupby([] if yes else by_name, lambda call: call.profile.name):
        several = [*group]  # --yes confirms for the profiles, not for calls of someone else.
        drafts = [sent_draft(call.record.exchange) for call in several]
        questions.append(question_about(explorer, drafts, several[0].profile))
    if wanted := " ".join(filter(None, questions)):
        confirm(invocation, wanted, counted(len(to_send), "call"), [call.profile for call in to_send], ask=ask)
    inserts = ask and world.asks and _agrees_to_insert(explorer, to_send)
    stop = Stop()

    def work(watch: Waiting) -> Awaitable[list[Replayed]]:
        return _run(world, explorer, to_send, ignore, watch, stop, as_json=as_json, inserts=inserts)

    with result_of(world, explorer, stop, work) as results:
        world.say(totals(results))
        if explorer.journal.problem:
            world.warn(f"not all calls were recorded: {explorer.journal.problem}")
    context.exit(INTERRUPTED if stop.pressed else exit_code(results) or (UNREAD if damaged else 0))


def _agrees_to_insert(explorer: Explorer, to_send: Sequence[_ToSend]) -> bool:
    """Ask whether secrets replace the references that someone else recorded."""
    found = []
    for call in to_send:
        exchange, profile = call.record.exchange, call.profile
        if not explorer.journal.is_ours(exchange, call.record.source):
            places = standing(sent_draft(exchange).text, profile.name)
            found += [f"{field} at {path} of {exchange.method} to {profile.origin}" for path, field in places]
    if not found:
        return False
    question = f"Someone else recorded secret references. Insert and send your {joined_words(found)}?"
    return click.confirm(printable(question), default=False, err=True)


def _with_profiles(
    invocation: Invocation,
    explorer: Explorer,
    records: Sequence[Recorded],
    calls: Sequence[str],
    names: Sequence[str],
    url: str | None,
) -> tuple[list[_ToSend], str, str]:
    """Return each record with its profile, a question, and a command.

    Question and command are empty if the user has chosen a profile for each record of someone else.
    """
    mine = {theirs: name for theirs, sign, name in (typed.rpartition("=") for typed in names) if sign}
    for theirs in mine:
        if not any(theirs in server_of(record.exchange) for record in records):
            known = joined_words(dict.fromkeys(record.exchange.profile for record in records))
            raise click.UsageError(f"-p: no call was recorded with {theirs or 'an empty name'}, only with {known}.")
    plain, chosen = [name for name in names if "=" not in name], None
    if len(plain) > 1:
        raise click.UsageError("Name one profile, or -p THEIRS=MINE for each server of the calls.")
    if plain or url or invocation.names_server:
        chosen = invocation.use(explorer, plain[0] if plain else None, url)
        servers = {server_of(record.exchange) for record in records}
        if len(servers) > 1 and not mine:
            invocation.world.warn(
                f"calls recorded on {len(servers)} servers will all be sent to {chosen.name}. "
                "To choose a profile for each server, use -p THEIRS=MINE."
            )

    def chosen_for(record: Recorded) -> Profile | None:
        for theirs in server_of(record.exchange):
            if theirs in mine:
                return _profile(explorer, mine[theirs])
        if chosen is None and explorer.journal.is_ours(record.exchange, record.source):
            return _own_profile(explorer, record)
        return chosen

    found = [(record, chosen_for(record)) for record in records]
    unknown = {server_of(record.exchange): record for record, profile in found if profile is None}
    proposed = {
        server: _proposed(explorer, record, alone=len(unknown) == 1 and not mine) for server, record in unknown.items()
    }
    if not proposed:
        return [_ToSend(record, profile) for record, profile in found if profile], "", ""
    advice = _advice(explorer, proposed, calls, names)
    to_send = [
        _ToSend(record, profile or proposed[server_of(record.exchange)] or fail(advice)) for record, profile in found
    ]
    used = {profile.name: theirs for (theirs, _), profile in proposed.items() if profile}
    if len(used) == 1:
        return to_send, f"Someone else recorded calls that will use your profile {next(iter(used))}.", advice
    pairs = joined_words(f"{name} (for {theirs})" for name, theirs in used.items())
    return to_send, f"Someone else recorded calls that will use your profiles {pairs}.", advice


def _profile(explorer: Explorer, name: str) -> Profile:
    profile = explorer.profiles.get(name)
    if isinstance(profile, Problem):
        fail(str(profile))
    return profile


def _own_profile(explorer: Explorer, record: Recorded) -> Profile:
    """Return the profile that sent the user's own call, or its URL."""
    exchange = record.exchange
    if exchange.profile == AD_HOC_NAME:
        if "«" in exchange.url:
            fail(f"{exchange.id} was sent with --url, and its recorded URL is incomplete. Add --url.")
        if kind_of(exchange.url) == "process":
            fail(f"{exchange.id} was sent to a process. Add --stdio WORDS, or name a profile with -p.")
        return at_address(exchange.url)
    chosen = explorer.profiles.get(exchange.profile)
    if isinstance(chosen, Problem):
        fail(f"{chosen}. The call {exchange.id} used this profile. Name another one with -p.")
    return chosen


def _proposed(explorer: Explorer, record: Recorded, *, alone: bool) -> Profile | None:
    """Return the profile to propose for a record of someone else.

    It is the one whose history has the call, or the default, or the only one with the same URL. The default is proposed
    only if all calls went to one server.
    """
    default = explorer.usual() if alone else None
    if record.source is not None:
        return record.source
    if isinstance(default, Profile):
        return default
    same = [profile for profile in explorer.profiles.profiles.values() if profile.endpoint == record.exchange.url]
    return same[0] if len(same) == 1 else None


def _advice(
    explorer: Explorer, proposed: Mapping[tuple[str, str], Profile | None], calls: Sequence[str], names: Sequence[str]
) -> str:
    """Return how to name profiles for the records of someone else.

    For several servers, it contains a command to complete.
    """
    known, default = explorer.profiles, explorer.usual()
    profiles = f"Your profiles: {joined_words(sorted(known.leaves)) or 'none'}."
    if not known.leaves and not known.refused:
        return NO_PROFILE
    if len(proposed) > 1 or names:
        theirs = [name for name, _ in proposed]
        pairs = (
            f"{name if theirs.count(name) == 1 else url}={profile.name if profile else 'MINE'}"
            for (name, url), profile in proposed.items()
        )
        command = shlex.join([PROGRAM, "replay", *calls, *(word for pair in (*names, *pairs) for word in ("-p", pair))])
        return f"Calls that someone else recorded need your profiles. {profiles} Name one for each server:\n{command}"
    if isinstance(default, Profile) or any(proposed.values()):
        return WHICH_PROFILE
    return f"{WHICH_PROFILE} {profiles if known.default is None and len(known.leaves) > 1 else default}"


async def _run(
    world: World,
    explorer: Explorer,
    to_send: Sequence[_ToSend],
    ignore: Sequence[str],
    watch: Waiting,
    stop: Stop,
    *,
    as_json: bool,
    inserts: bool,
) -> list[Replayed]:
    results = list[Replayed]()
    for _, group in groupby(to_send, lambda call: (call.profile, call.record.source)):
        several = list(group)
        explorer.profile = several[0].record.source  # The calls were found in this profile's history.
        records = [call.record.exchange for call in several]
        profile = several[0].profile
        sent = explorer.replay(records, profile=profile, ignore=ignore, inserts=inserts, watch=watch, stop=stop)
        async for result in sent:
            watch.erase()
            results.append(result)
            for note in result.live.notes if result.live else ():
                world.say(note)
            if as_json:
                print_json_line(world, json_of(replay_row(result)))
                continue
            world.print(replay_line(result))
            for line in difference_lines(result.comparison) if result.comparison else ():
                world.print(f"    {line}")
            if result.recorded.expect:  # A check failed, and "the same" would read as well.
                for line in result.recorded.note.splitlines():
                    world.print(printable(f"    failed when recorded: {line}"))
    return results
