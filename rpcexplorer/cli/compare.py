"""`compare` and `replay`."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import click
from msgspec import Struct

from rpcexplorer.cli.call import check_pointers, confirm_sending, warn_about_other_url
from rpcexplorer.cli.output import Output, Waiting, result_of, run_waiting
from rpcexplorer.cli.recorded import Recorded, export_case, find_call, find_calls, is_case, use_history
from rpcexplorer.cli.run import (
    Run,
    at_address,
    complete_profiles,
    fail,
    no_input_option,
    unless_problem,
    url_options,
    yes_option,
)
from rpcexplorer.cli.world import INTERRUPTED, World
from rpcexplorer.client.replay import Replayed, exit_code, ignored_in, ignored_pointers, server_of
from rpcexplorer.compare.compare import Comparison, compared
from rpcexplorer.explorer import Explorer
from rpcexplorer.jsontext.steps import at_once
from rpcexplorer.model.draft import sent_draft
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.problem import PROGRAM, Problem, counted, joined_words
from rpcexplorer.model.profile import AD_HOC_NAME, Profile, kind_of
from rpcexplorer.model.secret import reference_paths
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
@no_input_option()
@yes_option()
@click.pass_obj
def compare(run: Run, /, first: str | None, second: str | None, profiles: tuple[str, ...], **shown: Any) -> int:
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
    options = Options(**shown)
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
    words = [word for word in (first, second) if word]
    case = Output(run.world, options.case)
    if first is None:
        found = [find_call(use_history(run), None, own_first=False)]
    else:
        found, _ = find_calls(run, words)
    if profiles:
        if len(found) != 1:
            fail(_with_import(f"With -p, compare needs one call, not {len(found)}.", words))
        return _compare_profiles(run, found[0], profiles, options, case)
    if len(found) > 2:
        fail(_with_import(f"compare needs two calls, not {len(found)}.", words))
    if len(found) == 1:
        call = found[0].exchange
        earlier = run.explorer.journal.before(found[0].source, call)
        if earlier is None:
            sentence = f"There is no call of {printable(call.method)} with the same params before {call.id}."
            fail(f"{sentence} Name the call to compare it with.")
        found.insert(0, Recorded(earlier, found[0].source))
    left, right = found[0].exchange, found[1].exchange
    ignore = ignored_pointers(right, run.explorer.profiles.profiles, options.ignore)
    code = _print_differences(run.world, [_pair(left, right, ignore)], options)
    if options.case is not None:
        export_case(run, [left, right], case, options.case, options.note)
    return code


def _with_import(sentence: str, words: Iterable[str]) -> str:
    """Return the sentence with the commands that import the cases among the words."""
    commands = [shlex.join([PROGRAM, "history", "import", word]) for word in dict.fromkeys(words) if is_case(word)]
    return "\n".join([f"{sentence} To choose calls of a case by their ids, import it:", *commands])


def _compare_profiles(run: Run, record: Recorded, names: Sequence[str], options: Options, case: Output) -> int:
    """Send one call to each profile; compare each response with the first."""
    explorer = run.explorer
    chosen = [unless_problem(explorer.profiles.get(name)) for name in names]
    for profile in chosen:
        warn_about_other_url(run, record.exchange, profile)
    draft = sent_draft(record.exchange)
    confirm_sending(run, [(profile, draft) for profile in chosen], "the call")

    async def send(watch: Waiting) -> list[Replayed]:
        results = []
        for profile in chosen:
            explorer.profile = record.source  # The call was found in this profile's history.
            sent = explorer.replay([record.exchange], profile=profile, watch=watch, stop=run.stop)
            results += [replayed async for replayed in sent]
        return results

    results = run_waiting(run, send)
    run.warn_unless_recorded()
    lives: list[Exchange] = []
    responses: list[tuple[Exchange, Sequence[str]]] = []
    codes = []
    for profile, result in zip(chosen, results, strict=True):
        code = _failure(run.world, profile, result)
        codes.append(code)
        if result.live is None:
            continue
        live = explorer.journal.as_recorded(result.live, profile)
        lives.append(live)
        if not code:
            responses.append((live, ignored_in(result.live, profile, options.ignore)))
    pairs = []
    if responses and not codes[0]:  # The others are compared with the first.
        (left, own), *others = responses
        pairs = [_pair(left, right, [*own, *ignore]) for right, ignore in others]
    differs = _print_differences(run.world, pairs, options)
    if options.case is not None:
        export_case(run, lives, case, options.case, options.note)
    return next((code for code in FAILURES if code in codes), differs)


def _pair(left: Exchange, right: Exchange, ignore: Sequence[str]) -> _Pair:
    return _Pair(left, right, at_once(compared(left, right, ignore)))


def _failure(world: World, profile: Profile, result: Replayed) -> int:
    """Print why a call has no response to compare; return its exit code."""
    if result.live:
        code, why = result.live.exit_code, outcome_words(result.live.outcome)
    else:
        code, why = INTERRUPTED if result.verdict == "stopped" else 2, result.why
    if code not in FAILURES:
        return 0
    world.say(f"{profile.name}: {why}")
    return code


def _print_differences(world: World, pairs: Sequence[_Pair], options: Options) -> int:
    if options.as_json:
        rows = []
        for pair in pairs:
            of_profile = {"profile": pair.right.profile} if len(pairs) > 1 else {}
            for difference in pair.comparison.differences:
                rows.append(difference_row(pair.comparison, difference) | of_profile)
        world.print_json(json_of(rows))
    for pair in pairs:
        result, verdict = summary(pair.comparison, names_of(pair.left, pair.right)), pair.comparison.verdict
        if options.as_json:
            world.say(result)
            continue
        world.print(heading("-", pair.left, colour=world.colours))
        world.print(heading("+", pair.right, colour=world.colours))
        world.print(result)
        if verdict == "differs" or (options.full and verdict == "same"):
            for line in printed(compared_lines(pair.comparison, full=options.full), colour=world.colours):
                world.print(line)
    is_same = all(pair.comparison.verdict == "same" for pair in pairs)
    return 0 if is_same else DIFFERS


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
@url_options("Send to this URL, without a profile.")
@ignore_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per call, each on a line.")
@no_input_option()
@yes_option()
@click.pass_obj
def replay(
    run: Run, /, calls: tuple[str, ...], profiles: tuple[str, ...], ignore: tuple[str, ...], as_json: bool
) -> int:
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
    world = run.world
    check_pointers(ignore)
    records, damaged = find_calls(run, calls)
    to_send, question, advice = _with_profiles(run, records, calls, profiles)
    for call in to_send:
        warn_about_other_url(run, call.record.exchange, call.profile)
    if question and not run.asks:
        fail(advice)
    # --yes confirms for the profiles, not for calls of someone else.
    sent = [(call.profile, sent_draft(call.record.exchange)) for call in to_send]
    confirm_sending(run, sent, counted(len(to_send), "call"), question)
    inserts = run.asks and _agrees_to_insert(run, to_send)

    async def work(watch: Waiting) -> list[Replayed]:
        results = []
        for _, group in groupby(to_send, lambda call: (call.profile, call.record.source)):
            several = list(group)
            profile = several[0].profile
            run.explorer.profile = several[0].record.source  # The calls were found in this profile's history.
            exchanges = [call.record.exchange for call in several]
            replaying = run.explorer.replay(
                exchanges, profile=profile, ignore=ignore, inserts=inserts, watch=watch, stop=run.stop
            )
            async for result in replaying:
                watch.erase()
                results.append(result)
                _print_replayed(world, result, as_json=as_json)
        return results

    with result_of(run, work) as results:
        world.say(totals(results))
        run.warn_unless_recorded()
    if run.stop.pressed:
        return INTERRUPTED
    return exit_code(results) or (UNREAD if damaged else 0)


def _print_replayed(world: World, result: Replayed, *, as_json: bool) -> None:
    for note in result.live.notes if result.live else ():
        world.say(note)
    if as_json:
        world.print_json_line(json_of(replay_row(result)))
        return
    world.print(replay_line(result))
    for line in difference_lines(result.comparison) if result.comparison else ():
        world.print(f"    {line}")
    if result.recorded.expect:  # A check failed, and "the same" would read as well.
        for line in result.recorded.note.splitlines():
            world.print(printable(f"    failed when recorded: {line}"))


def _agrees_to_insert(run: Run, to_send: Sequence[_ToSend]) -> bool:
    """Ask whether secrets replace the references that someone else recorded."""
    found = []
    for call in to_send:
        exchange, profile = call.record.exchange, call.profile
        if not run.explorer.journal.is_ours(exchange, call.record.source):
            places = reference_paths(sent_draft(exchange).text, profile.name)
            found += [f"{field} at {path} of {exchange.method} to {profile.origin}" for path, field in places]
    if not found:
        return False
    return run.agrees(f"Someone else recorded secret references. Insert and send your {joined_words(found)}?")


def _with_profiles(
    run: Run, records: Sequence[Recorded], calls: Sequence[str], names: Sequence[str]
) -> tuple[list[_ToSend], str, str]:
    """Return each record with its profile, a question, and a command.

    Question and command are empty if the user has chosen a profile for each record of someone else.
    """
    plain, mine = _named_profiles(records, names)
    chosen = None
    if plain or run.server.is_named:
        chosen = run.use(plain)
        servers = {server_of(record.exchange) for record in records}
        if len(servers) > 1 and not mine:
            run.world.warn(
                f"calls recorded on {len(servers)} servers will all be sent to {chosen.name}. "
                "To choose a profile for each server, use -p THEIRS=MINE."
            )
    found = [(record, _chosen_for(run.explorer, record, mine, chosen)) for record in records]
    unknown = {server_of(record.exchange): record for record, profile in found if profile is None}
    alone = len(unknown) == 1 and not mine
    proposed = {server: _proposed(run.explorer, record, alone=alone) for server, record in unknown.items()}
    advice = _advice(run.explorer, proposed, calls, names) if proposed else ""
    to_send = []
    for record, profile in found:
        used = profile or proposed[server_of(record.exchange)]
        if used is None:
            fail(advice)
        to_send.append(_ToSend(record, used))
    if not proposed:
        return to_send, "", ""
    theirs_of = {profile.name: theirs for (theirs, _), profile in proposed.items() if profile}
    if len(theirs_of) == 1:
        yours = f"profile {next(iter(theirs_of))}"
    else:
        yours = f"profiles {joined_words(f'{name} (for {theirs})' for name, theirs in theirs_of.items())}"
    return to_send, f"Someone else recorded calls that will use your {yours}.", advice


def _named_profiles(records: Sequence[Recorded], names: Sequence[str]) -> tuple[str | None, dict[str, str]]:
    """Return the profile for all records, and those for the servers that recorded them."""
    plain, mine = list[str](), dict[str, str]()
    for typed in names:
        theirs, sign, name = typed.rpartition("=")
        if sign:
            mine[theirs] = name
        else:
            plain.append(name)
    for theirs in mine:
        if not any(theirs in server_of(record.exchange) for record in records):
            known = joined_words(dict.fromkeys(record.exchange.profile for record in records))
            raise click.UsageError(f"-p: no call was recorded with {theirs or 'an empty name'}, only with {known}.")
    if len(plain) > 1:
        raise click.UsageError("Name one profile, or -p THEIRS=MINE for each server of the calls.")
    return (plain[0] if plain else None), mine


def _chosen_for(
    explorer: Explorer, record: Recorded, mine: Mapping[str, str], chosen: Profile | None
) -> Profile | None:
    """Return the profile that the user has named for a record, or used for it before."""
    for theirs in server_of(record.exchange):
        if theirs in mine:
            return unless_problem(explorer.profiles.get(mine[theirs]))
    if chosen is None and explorer.journal.is_ours(record.exchange, record.source):
        return _own_profile(explorer, record)
    return chosen


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
    known = explorer.profiles
    if not known.leaves and not known.refused:
        return NO_PROFILE
    profiles = f"Your profiles: {joined_words(sorted(known.leaves)) or 'none'}."
    if len(proposed) == 1 and not names:
        return f"{WHICH_PROFILE} {profiles}"
    words = [PROGRAM, "replay", *calls]
    for name in names:
        words += ["-p", name]
    theirs = [name for name, _ in proposed]
    for (name, url), profile in proposed.items():
        server = name if theirs.count(name) == 1 else url
        words += ["-p", f"{server}={profile.name if profile else 'MINE'}"]
    sentence = f"Calls that someone else recorded need your profiles. {profiles} Name one for each server:"
    return f"{sentence}\n{shlex.join(words)}"
