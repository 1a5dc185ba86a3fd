"""What is said and asked before calls go out: where recorded ones go, and what a profile wants a question for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import starmap

import click

from rpcexplorer.cli.context import Invocation, fail
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.problem import listed
from rpcexplorer.model.profile import Profile
from rpcexplorer.views.printable import printable
from rpcexplorer.views.words.sentences import times


def check_pointers(ignore: Iterable[str]) -> None:
    for pointer in ignore:
        if not pointer.startswith("/"):
            raise click.UsageError(f"--ignore: {pointer or 'an empty text'} is no JSON pointer: begin it with a slash.")


def tell_where(invocation: Invocation, explorer: Explorer, call: Exchange, profile: Profile) -> None:
    """That a recorded call goes to another address than it went to."""
    if explorer.cases.goes_elsewhere(call, profile):
        went = call.url or "an address that it does not say"
        invocation.world.say(f"recorded at {went}, sent to {profile.endpoint} ({profile.name})")


def question_about(explorer: Explorer, drafts: Sequence[Draft | Batch], profile: Profile) -> str:
    """All that the profile wants a question for, in a sentence; empty where it wants none."""
    methods = explorer.to_ask_about(drafts, profile)
    word, named = f"{profile.name} ({profile.badge or profile.confirm})", ", ".join(starmap(times, methods.items()))
    if not methods:
        return ""
    if profile.confirm == "always":
        return f"Profile {word} asks before {named}."
    return f"{named} {'is' if len(methods) == 1 else 'are'} not marked safe, and profile {word} asks first."


def confirm(invocation: Invocation, question: str, what: str, profiles: Iterable[Profile], *, ask: bool) -> None:
    """Go on after a yes; without anybody to ask, the sentence says what answers it."""
    places = listed(dict.fromkeys(each.origin for each in profiles))
    if not (ask and invocation.world.asks):
        fail(f"{question} Add --yes to send {what} to {places} all the same.")
    if not click.confirm(printable(f"{question} Send {what} to {places}?"), default=False, err=True):
        fail("Nothing was sent.")
