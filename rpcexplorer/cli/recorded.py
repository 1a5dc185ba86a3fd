"""Recorded calls that a command names, from a history or a case."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import click
from msgspec import Struct

from rpcexplorer.cli.output import STDOUT, Output
from rpcexplorer.cli.run import Run, complete_profiles, fail, unless_problem
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import CASE_ENDING, Case, Damaged, Exchange
from rpcexplorer.model.problem import Problem, UserError, counted
from rpcexplorer.model.profile import Profile

of_history = click.option(
    "-p", "--profile", metavar="NAME", shell_complete=complete_profiles, help="Look in the history of this profile."
)


class Recorded(Struct, frozen=True):
    exchange: Exchange
    source: Profile | None = None
    """Profile whose history has it; None for the usual history or a case."""


def use_history(run: Run, profile: str | None = None) -> Explorer:
    """Use the history of this profile, or of that of the options, or the usual one."""
    with suppress(UserError):  # Without a profile, the usual history is used.
        run.explorer.use(profile or run.server.profile)
    return run.explorer


def find_call(explorer: Explorer, id: str | None, *, own_first: bool) -> Recorded:
    """Return what ``find_record`` does; end if it is an event."""
    return _not_an_event(find_record(explorer, id, own_first=own_first))


def find_record(explorer: Explorer, id: str | None, *, own_first: bool) -> Recorded:
    """Return the record with this id, or the newest call; end if there is none.

    The newest call is that of the history in use. An id is searched in all histories. With ``own_first``, the history
    in use is searched first.
    """
    if id is None:
        newest = next(iter(explorer.history.newest(1)), None)
        if newest is None:
            fail("The history is empty. To send a call, run:\nrpcexplorer call METHOD")
        return Recorded(_exchange(newest), explorer.profile)
    found = explorer.history.find(id) if own_first else None
    return Recorded(_exchange(found), explorer.profile) if found else _find_anywhere(explorer, id)


def find_call_anywhere(explorer: Explorer, id: str) -> Recorded:
    """Return the call with this id from any history; end if it is an event."""
    return _not_an_event(_find_anywhere(explorer, id))


def _find_anywhere(explorer: Explorer, id: str) -> Recorded:
    """Return the record with this id.

    A part of an id must match only one call in all histories.
    """
    matches: dict[str, tuple[Exchange | Damaged | Problem, Profile | None]] = {}
    seen = set[Path]()
    for source in (None, *explorer.profiles.profiles.values()):
        history = explorer.journal.of(source)
        if history.folder in seen:
            continue
        seen.add(history.folder)
        found = history.find(id)
        if found is None:
            continue
        match = "" if isinstance(found, Problem) else found.id
        if match == id:
            return Recorded(_exchange(found), source)
        matches.setdefault(match, (found, source))
    if not matches:
        fail(f"No call has the id {id}. To list the calls, run:\nrpcexplorer history list")
    if "" not in matches and len(matches) > 1:
        fail(f"{id} matches {len(matches)} calls: {', '.join(matches)}. Type more characters of the id.")
    found, source = matches.get("") or next(iter(matches.values()))
    return Recorded(_exchange(found), source)


def _not_an_event(found: Recorded) -> Recorded:
    if found.exchange.kind == "event":
        id = found.exchange.id
        fail(f"{id} is an event, not a call. To see it, run:\nrpcexplorer history show {id}")
    return found


def find_calls(run: Run, words: Iterable[str]) -> tuple[list[Recorded], list[Damaged]]:
    """Return the calls that ids and files of cases name, in order, and the damaged ones of the cases."""
    found: list[Recorded] = []
    damaged: list[Damaged] = []
    for word in words:
        if is_case(word):
            case = read_case(run, word)
            if not case.exchanges:
                fail(f"{case.file} contains no readable call.")
            found += map(Recorded, case.exchanges)
            damaged += case.damaged
        else:
            found.append(find_call_anywhere(run.explorer, word))
    return found, damaged


def is_case(word: str) -> bool:
    """Return whether a word names a file of a case, not an id."""
    return word.endswith(CASE_ENDING) or os.sep in word


def read_case(run: Run, name: str) -> Case:
    """Read a case and print its note and problems; end if it is not a case."""
    case = unless_problem(run.explorer.cases.read(run.world.path(name)))
    for problem in case.problems:
        run.world.say(str(problem))
    for damaged in case.damaged:
        run.world.warn(f"a call in {damaged.file} is damaged: {damaged.reason}")
    if case.note:
        run.world.say(f"note in {name}: {case.note}")
    return case


def export_case(run: Run, calls: Sequence[Exchange], out: Output, file: str, note: str) -> None:
    """Write calls as a case; end the command if that is not possible."""
    made = run.explorer.cases.made_of(calls, note=note)
    if isinstance(made, str):
        fail(made)
    if made.too_much:
        fail(f"{made.too_much}. No case was exported.")
    out.world.write(made.text.encode())
    out.write()
    if file != STDOUT:
        run.world.say(f"exported {counted(len(calls), 'call')} to {file}")


def _exchange(found: Exchange | Damaged | Problem) -> Exchange:
    if isinstance(found, Problem):
        fail(found.sentence)
    if isinstance(found, Damaged):
        fail(f"The call is damaged: {found.reason}. Its recorded text:\n{found.text}")
    return found
