"""`methods --compare`: the method lists of two servers, and their responses to the saved calls."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from rpcexplorer.cli.call import confirm_sending
from rpcexplorer.cli.compare import FAILURES
from rpcexplorer.cli.output import Waiting, run_waiting
from rpcexplorer.cli.run import Run, fail, unless_problem
from rpcexplorer.cli.world import World
from rpcexplorer.client.replay import ignored_in
from rpcexplorer.compare.compare import Comparison, compared
from rpcexplorer.discovery.methods import MethodChanges, breaking_first
from rpcexplorer.jsontext.steps import at_once
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.problem import PROGRAM, counted
from rpcexplorer.model.profile import DocumentSource, Profile
from rpcexplorer.text.compare import difference_lines, difference_row, summary
from rpcexplorer.text.docs import CHANGE_SIGNS, change_row, changes_counted
from rpcexplorer.text.exchange import outcome_words
from rpcexplorer.text.json_text import json_of
from rpcexplorer.text.printable import printable
from rpcexplorer.variables.resolve import Missing

BREAKS: Final = 6
"""Exit code if a change breaks calls, or a response differs."""


def side_of(run: Run, name: str) -> Profile:
    """Return a profile, or one that stands for a file of methods."""
    known = run.explorer.profiles
    file = run.world.folder / Path(name).expanduser()
    if name not in known.profiles and file.is_file():
        return Profile(name, "", ad_hoc=True, discovery=DocumentSource(file=str(file)))
    return unless_problem(known.get(name))


def is_file(side: Profile) -> bool:
    return side.ad_hoc


def changes_between_sides(run: Run, old: Profile, new: Profile) -> MethodChanges:
    """Return the changes; end the command if a side has no method list."""
    lists = run.explorer.method_lists
    for side in (old, new):
        run.explorer.read_description(side)
        if lists.problem:
            fail(lists.problem)
    changes = lists.compared(old, new)
    if changes is None:
        missing = next(side for side in (old, new) if not lists.learned(side))
        fail(
            f"The methods of {missing.name} have not been discovered yet. To discover the methods of both, run:\n"
            f"{PROGRAM} methods --compare {old.name} {new.name} --refresh"
        )
    return changes


def print_changes(world: World, changes: MethodChanges) -> None:
    for change in breaking_first(changes.methods):
        sign, _ = CHANGE_SIGNS[change.kind]
        mark = " (breaks)" if change.breaks else ""
        details = f": {', '.join(change.what)}" if change.what else ""
        world.print(printable(f"{sign} {change.name}{mark}{details}"))


def _in_words(changes: MethodChanges) -> str:
    words = [changes_counted(changes.methods) or "the same methods"]
    if changes.more:
        words.append(f"{changes.more:,} more")
    breaking = sum(change.breaks for change in changes.methods)
    if breaking:
        words.append(counted(breaking, "breaking change"))
    return ", ".join(words)


class ComparedCall(Struct, frozen=True):
    """A saved call that was sent to both servers."""

    name: str
    comparison: Comparison | None
    """None if a response is missing."""
    why: str = ""
    """Why a response is missing."""
    code: int = 0
    """The exit code of the call without a response."""

    @property
    def differs(self) -> bool:
        return self.comparison is not None and self.comparison.verdict != "same"


def compare_calls(run: Run, old: Profile, new: Profile) -> list[ComparedCall]:
    """Send each saved call of the first profile to both, and compare the responses."""
    run.explorer.use(old)
    calls = {f"@{name}": call.draft() for name, call in run.explorer.saved_calls().items()}
    if not calls:
        fail(f"{old.name} has no saved calls. Omit --calls.")
    confirm_sending(run, [(side, draft) for side in (old, new) for draft in calls.values()], "the saved calls")

    async def send(watch: Waiting) -> list[ComparedCall]:
        results = []
        for name, draft in calls.items():
            results.append(await _compared_call(run, name, draft, (old, new), watch))
            if run.stop.pressed:
                break
        return results

    return run_waiting(run, send)


async def _compared_call(
    run: Run, name: str, draft: Draft, sides: tuple[Profile, Profile], watch: Waiting
) -> ComparedCall:
    explorer = run.explorer
    responses: list[Exchange] = []
    for side in sides:
        found = explorer.resolved(draft, {}, profile=side)
        if isinstance(found, Missing):
            return ComparedCall(name, None, f"{side.name}: not sent: {found.what}", 2)
        assert not isinstance(found, Batch)
        exchange = await explorer.call(found, profile=side, watch=watch, stop=run.stop)
        if exchange.exit_code in FAILURES:
            return ComparedCall(name, None, f"{side.name}: {outcome_words(exchange.outcome)}", exchange.exit_code)
        responses.append(explorer.journal.as_recorded(exchange, side))
    left, right = responses
    return ComparedCall(name, at_once(compared(left, right, ignored_in(right, sides[1], ()))))


def print_calls(world: World, sides: tuple[Profile, Profile], results: Sequence[ComparedCall]) -> None:
    names = sides[0].name, sides[1].name
    for result in results:
        if result.comparison is None:
            world.print(printable(f"! {result.name}: {result.why}"))
            continue
        sign = "~" if result.differs else "="
        world.print(f"{sign} {printable(result.name)}: {summary(result.comparison, names)}")
        for line in difference_lines(result.comparison):
            world.print(f"    {line}")


def call_row(result: ComparedCall) -> dict[str, Any]:
    row: dict[str, Any] = {"name": result.name, "kind": "call"}
    if result.comparison is None:
        return {**row, "verdict": "failed", "why": result.why}
    differences = [difference_row(result.comparison, difference) for difference in result.comparison.differences]
    return {**row, "verdict": result.comparison.verdict, "differences": differences}


def compare_methods(run: Run, old: Profile, new: Profile, *, calls: bool, as_json: bool) -> int:
    """Print the differences and return the exit code."""
    if calls and (is_file(old) or is_file(new)):
        fail("--calls sends the saved calls to two profiles. A file has no server.")
    changes = changes_between_sides(run, old, new)
    results = compare_calls(run, old, new) if calls else []
    if as_json:
        rows = [change_row(change) for change in breaking_first(changes.methods)]
        run.world.print_json(json_of([*rows, *map(call_row, results)]))
    else:
        print_changes(run.world, changes)
        print_calls(run.world, (old, new), results)
    run.world.say(f"{old.name} → {new.name}: {_in_words(changes)}")
    run.warn_unless_recorded()
    codes = {result.code for result in results}
    if failed := next((code for code in FAILURES if code in codes), 0):
        return failed
    breaks = any(change.breaks for change in changes.methods) or any(result.differs for result in results)
    return BREAKS if breaks else 0
