"""The recorded calls that a command is about: one or several, from a history or a case, and where they came from."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import click
from msgspec import Struct

from rpcexplorer.cli.context import fail, invocation_of
from rpcexplorer.cli.world import World
from rpcexplorer.client.replay import ignored_in
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Case, Damaged, Exchange
from rpcexplorer.model.problem import Complaint
from rpcexplorer.model.profile import Profile, ad_hoc

ENDING = ".toml"
"""How the name of a file ends that holds a case."""


class Recorded(Struct, frozen=True):
    """A recorded call."""

    exchange: Exchange
    source: Profile | None = None
    """The profile in whose history it was found; None for that of this person, or a case."""


def opened(context: click.Context, profile: str | None) -> tuple[World, Explorer]:
    """The world and an explorer whose history is the one that this profile writes to, or without one the default's."""
    invocation = invocation_of(context)
    explorer = invocation.open()
    chosen = profile or invocation.profile
    if chosen is None or chosen in explorer.profiles.profiles:
        explorer.use(chosen)  # it may record in a folder of its own; where there is none, the usual one is meant
    return invocation.world, explorer


def one_of(explorer: Explorer, id: str | None, *, there: bool) -> Recorded:
    """The recorded call with this id, or the newest; or the end of the command, with a sentence.

    The newest is that of the history in use; by its id a call is found wherever it is, but first ``there``.
    """
    if id is not None and not (there and explorer.history.find(id) is not None):
        return found_anywhere(explorer, id)
    found = next(iter(explorer.history.newest(1)), None) if id is None else explorer.history.find(id)
    if found is None:
        fail("The history is empty.")
    return Recorded(_whole(found), explorer.profile)


def found_anywhere(explorer: Explorer, id: str) -> Recorded:
    """The recorded call with this id, in this person's own history or the one of any profile.

    A part of an id must be that of one call in all of them.
    """
    like: dict[str, tuple[Exchange | Damaged | Complaint, Profile | None]] = {}
    seen = set[Path]()
    for source in (None, *explorer.profiles.profiles.values()):
        history = explorer.journal.of(source)
        if history.folder in seen or (found := history.find(id)) is None:
            seen.add(history.folder)
            continue
        seen.add(history.folder)
        if not isinstance(found, Complaint) and found.id == id:
            return Recorded(_whole(found), source)
        like.setdefault("" if isinstance(found, Complaint) else found.id, (found, source))
    if not like:
        fail(f"No call has the id {id}. See: rpcexplorer history list")
    if "" not in like and len(like) > 1:
        fail(f"{len(like)} calls have an id like {id}: {', '.join(like)}; write more of it")
    found, source = like.get("") or next(iter(like.values()))
    return Recorded(_whole(found), source)


def called(
    explorer: Explorer, words: Iterable[str], world: World, damaged: list[Damaged] | None = None
) -> list[Recorded]:
    """The calls that ids and files of cases name, in their order. What is ``damaged`` in a case is told."""
    found: list[Recorded] = []
    for word in words:
        if word.endswith(ENDING) or os.sep in word:
            case = read_case(explorer, world, word)
            if not case.exchanges:
                fail(f"{case.file} holds no call that can be read.")
            found += map(Recorded, case.exchanges)
            if damaged is not None:
                damaged += case.damaged
        else:
            found.append(found_anywhere(explorer, word))
    return found


def read_case(explorer: Explorer, world: World, name: str) -> Case:
    """What a file holds, and what is to be said of it; the end of the command where it is no case."""
    case = explorer.cases.read(case_file(world, name))
    if isinstance(case, Complaint):
        fail(str(case))
    for complaint in case.complaints:
        world.say(str(complaint))
    for damaged in case.damaged:
        world.say(f"{damaged.file}: a call cannot be read: {damaged.reason}")
    if case.note:
        world.say(f"{name} says: {case.note}")
    return case


def case_file(world: World, name: str) -> Path:
    return world.folder / os.path.expanduser(name)  # noqa: PTH111 - Path's own raises for an unknown user


def always_ignored(explorer: Explorer, call: Exchange, given: Iterable[str] = ()) -> list[str]:
    """What is left out where a call is compared: what is given, and what its profile says.

    A stranger's call names no profile of this person's.
    """
    known = None if call.foreign else explorer.profiles.profiles.get(call.profile)
    return ignored_in(call, known or ad_hoc(call.url), given)


def _whole(found: Exchange | Damaged | Complaint) -> Exchange:
    if isinstance(found, Complaint):
        fail(found.sentence)
    if isinstance(found, Damaged):
        fail(f"The record is damaged ({found.reason}). What is left of it:\n{found.text}")
    return found
