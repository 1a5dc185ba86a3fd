"""Checks on screen: what to expect of a response, and the results of all checks."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace
from textual import work
from textual.screen import Screen

from rpcexplorer.checks.judge import differs
from rpcexplorer.checks.report import reasons
from rpcexplorer.checks.run import USUAL_JOBS, Check, CheckResult, CheckRun, CheckVerdict
from rpcexplorer.explorer import MAX_COMPARED_BYTES, Explorer
from rpcexplorer.jsontext.pointers import at_pointer
from rpcexplorer.model.exchange import Exchange, Stop
from rpcexplorer.model.expectation import SERVICE, Expectation, as_json
from rpcexplorer.model.method import SavedCall
from rpcexplorer.model.problem import capitalised, counted, joined_words
from rpcexplorer.model.profile import Profile
from rpcexplorer.profiles.expect import contradicted
from rpcexplorer.rpc.messages import Result
from rpcexplorer.text.columns import MAX_NAME_COLUMNS, Cell, Column
from rpcexplorer.text.exchange import duration, on_one_line
from rpcexplorer.text.printable import clipped
from rpcexplorer.text.wrapping import WordLine
from rpcexplorer.tui.browser import Browser, Detail
from rpcexplorer.tui.call.body import Body
from rpcexplorer.tui.call.methods import CHECK_SIGNS
from rpcexplorer.tui.commands import first_key
from rpcexplorer.tui.key_queue import PendingKeys
from rpcexplorer.tui.replay import may_send_all
from rpcexplorer.tui.widgets.bars import Frame
from rpcexplorer.tui.widgets.full_screen import FullScreen
from rpcexplorer.tui.widgets.picker import Pick, Picker
from rpcexplorer.tui.widgets.rows import ItemList, SheetLine

Verdicts: TypeAlias = dict[tuple[str, SavedCall], CheckVerdict]
"""The last results by profile and call: an edited call has none."""
POINTER_COLUMNS: Final = 40
VALUE_COLUMNS: Final = 24
REASON_COLUMNS: Final = 60
MAX_VALUE_CHARACTERS: Final = 2_000
"""A longer value cannot be read in a TOML file."""
MAX_REMARK_CHARACTERS: Final = 80
"""Limit of a value in the line below the bar of the response."""


async def expect_this(
    screen: Screen[Any], explorer: Explorer, saved: SavedCall, exchange: Exchange, body: Body
) -> bool:
    """Ask what to expect of a saved call; return whether its file was changed."""
    offers = dict(_offers(explorer, exchange, body))
    if not offers:
        screen.notify("There is no response that could be expected.")
        return False
    picks = [Pick(label, label, _replaced(saved, wanted)) for label, wanted in offers.items()]
    # The cursor begins on the value that was chosen in the response; the whole result has no pointer.
    on_value = next((label for label, wanted in offers.items() if any(wanted.get("values", ()))), "")
    picker = Picker(f"Expect in {clipped(saved.listed_as, MAX_NAME_COLUMNS)}", picks, on=on_value)
    picker.manual_pane = "checks"
    label: str | None = await screen.app.push_screen_wait(picker)
    if label is None:
        return False
    wanted, problem = offers[label], ""
    for pointer in wanted.get("values", {}):
        value, problem = await _toml_value(await asyncio.to_thread(_as_recorded, explorer, exchange, pointer))
        wanted = {"values": {pointer: value}}
    if not problem:
        problem = getattr(explorer.expect(saved, wanted), "sentence", "")
    if problem:
        screen.notify(f"Not saved: {problem}.", severity="warning", timeout=10)
        return False
    screen.notify(f"Saved in {saved.file}: {saved.listed_as} expects {label}.", timeout=8)
    return True


def _offers(explorer: Explorer, exchange: Exchange, body: Body) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield what can be expected, with the keys of ``expect``; a value is JSON text."""
    counts_as, code = exchange.counts_as, getattr(exchange.outcome, "code", None)
    if counts_as == "error" and code is not None:
        yield f"error {code}", {"outcome": "error", "code": code}
    elif counts_as in {"result", "error"}:
        yield f"any {counts_as}", {"outcome": counts_as}
    elif counts_as == "sent":
        yield "sent", {"outcome": "sent"}
    if counts_as != "result":
        return
    if body.has_pointers:
        pointer, text = body.reader.pointer(), body.value().decode(errors="surrogateescape")
        shown = clipped(on_one_line(text[:MAX_VALUE_CHARACTERS]), VALUE_COLUMNS)
        yield f"{clipped(pointer, POINTER_COLUMNS) or 'result'} = {shown}", {"values": {pointer: text}}
    described = explorer.described(exchange.method)
    if described is not None and isinstance(described.result, dict):
        yield f'schema = "{SERVICE}"', {"schema": SERVICE}


def _replaced(saved: SavedCall, wanted: Mapping[str, Any]) -> str:
    """Return which expectations a new one replaces, in words."""
    if saved.expect is None:
        return ""
    replaced, usual = list[str](), Expectation()
    for key, value in wanted.items():
        if key != "values" and getattr(saved.expect, key) not in {getattr(usual, key), value}:
            replaced.append(key)
    replaced += contradicted(saved.expect, wanted)
    new = wanted.get("values", {})
    for pointer, old in saved.expect.values:
        if new.get(pointer, old) != old:
            replaced.append(f"{pointer or 'result'} = {old}")
    return f"replaces {joined_words(replaced)}" if replaced else ""


def _as_recorded(explorer: Explorer, exchange: Exchange, pointer: str) -> str:
    """Return a value as the history has it, without secrets; empty if it is too large."""
    assert explorer.profile is not None
    outcome = explorer.journal.as_recorded(exchange, explorer.profile, MAX_COMPARED_BYTES).outcome
    if not isinstance(outcome, Result):
        return ""
    return at_pointer(outcome.value.decode(errors="replace"), pointer) or ""


async def _toml_value(text: str) -> tuple[Any, str]:
    """Return a JSON value for TOML, or why TOML cannot hold it."""
    if not text:
        return None, "the response is too large to expect a part of it"
    if len(text) > MAX_VALUE_CHARACTERS:
        return None, f"the value has {len(text):,} characters, more than {MAX_VALUE_CHARACTERS:,}. Expect a part of it"
    with suppress(ValueError, RecursionError):
        value = json.loads(text)
        if not await differs(as_json(value).encode().decode(), text):
            return value, ""
    return None, "TOML cannot hold this value exactly. Expect another value"


async def judged(explorer: Explorer, profile: Profile, saved: SavedCall, exchange: Exchange) -> CheckResult | None:
    """Judge a response of a saved call; None if it was sent in another form."""
    assert saved.expect is not None
    check = Check(saved, saved.expect, profile)
    is_notification = exchange.kind == "notification"
    is_same = exchange.params == (check.draft.text or "[]") and is_notification == check.draft.notification
    if not is_same or exchange.counts_as == "cancelled":
        return None
    run = CheckRun(explorer)
    try:
        return await run.judged(check, exchange)
    finally:
        await run.close()


def remark(result: CheckResult) -> WordLine:
    """Return the line about a judged response; empty if it is no response."""
    sign, role, words = CHECK_SIGNS[result.verdict]
    if result.error:
        return []
    words = f"{sign} check {words}"
    first, *others = reasons(result, MAX_REMARK_CHARACTERS) or [""]
    if first:
        words += f": {first}"
    if others:
        words += f" (and {len(others)} more)"
    return [(words, role)]


class CheckRow(Struct, frozen=True):
    """A check, with its result if it has run."""

    check: Check
    result: CheckResult | None = None
    is_waiting: bool = False


def _sign(row: CheckRow) -> Cell:
    return [CHECK_SIGNS[row.result.verdict][:2]] if row.result else [("·", "dim")]


def _name(row: CheckRow) -> Cell:
    return [(row.check.call.name, "text" if row.result else "middle")]


def _verdict(row: CheckRow) -> Cell:
    if row.result is None:
        return [("waiting" if row.is_waiting else "not run", "dim")]
    _, role, verdict = CHECK_SIGNS[row.result.verdict]
    why = next(iter(reasons(row.result, REASON_COLUMNS)), "")
    if row.result.error:
        return [(why, "middle")]
    words = (verdict, f"{role} bold")
    return [words, (f"  {why}", "middle")] if why else [words]


def _took(row: CheckRow) -> Cell:
    return [(duration(row.result.seconds), "dim")] if row.result and row.result.id else []


COLUMNS: Final = (
    Column(_sign, width=1, gap=1),
    Column(_name, share=3, least=8, gap=1),
    Column(_verdict, fills=True),
    Column(_took, right=True),
    Column[CheckRow](width=1, gap=0),
)


class ChecksScreen(Browser[CheckRow, CheckRow | None], scope="checks"):
    """The run of checks, which starts when it opens; its answer is one to open.

    Esc stops the run, then closes the screen.
    """

    def __init__(
        self, explorer: Explorer, checks: Sequence[Check], pending: PendingKeys, frame: Frame, problem: str = ""
    ) -> None:
        """``problem``: why some saved calls are not among the checks."""
        super().__init__(ItemList(COLUMNS), pending, frame, checks[0].profile)
        self.add_class("-stacked")
        self.explorer, self.checks = explorer, checks
        self.results: list[CheckResult] = []
        self.remarks.pieces = [(problem, "careful")] if problem else []

    def on_mount(self) -> None:
        self._run()

    @work(exclusive=True, group="checks", description="checks")
    async def _run(self) -> None:
        self.stop, run = Stop(), CheckRun(self.explorer)
        self._show()
        try:
            await run.run(self.checks, jobs=USUAL_JOBS, stop=self.stop, show=self._add)
        finally:
            self.stop = None
            await run.close()
        self._show()

    def _add(self, result: CheckResult) -> None:
        self.results.append(result)
        self._show()

    def _show(self) -> None:
        """Show the results so far; the cursor stays."""
        known, is_waiting = {result.check.call.name: result for result in self.results}, self.stop is not None
        self.list.items = [CheckRow(check, known.get(check.call.name), is_waiting) for check in self.checks]
        how_far = f"{len(self.results):,} of " if len(self.results) < len(self.checks) else ""
        words = [("Checks", "bold"), (f"  {how_far}{len(self.checks):,}", "middle")]
        counts = Counter(result.verdict for result in self.results)
        for verdict, (sign, role, word) in CHECK_SIGNS.items():
            if verdict and counts[verdict]:
                words.append((f"  {sign} {counts[verdict]:,} {word}", role))
        self.bar.words = words
        self.show_detail()

    def detail(self, row: CheckRow | None) -> Detail:
        """Return why a check did not pass, and what it expects."""
        if row is None:
            return Detail(None)
        call = row.check.call
        page: list[SheetLine] = []
        if row.result is not None:
            page += [[("   ", "text"), (why, "wrong")] for why in reasons(row.result)]
        page.append([])
        page += [[("   expects  ", "dim"), (wanted, "middle")] for wanted in row.check.expect.lines()]
        page.append([("   file     ", "dim"), (f"{call.file}:{call.line}", "middle")])
        title = [(clipped(call.name, MAX_NAME_COLUMNS), "text bold"), (f"  {call.method}", "middle")]
        return Detail(None, outcome=lambda _: title, page=page)

    def has(self, state: str) -> bool:
        match state:
            case "idle":
                return self.stop is None
        return super().has(state)

    def choose(self, row: CheckRow) -> None:
        if not row.is_waiting:
            self.dismiss(row)

    action_stop = Browser.action_close


async def run_checks(screen: FullScreen[Any], verdicts: Verdicts) -> CheckRow | None:
    """Run all checks of the profile, and note the verdicts; return the chosen one."""
    explorer, profile = screen.explorer, screen.explorer.profile
    assert profile is not None
    checks = [Check(call, call.expect, profile) for call in explorer.profiles.checks_of(profile) if call.expect]
    problems = explorer.profiles.problems_of_calls(profile)
    problem = f"{counted(len(problems), 'problem')} may hide checks: {problems[0]}" if problems else ""
    if not checks:
        key = first_key("response.expect", explorer.settings.keymap)
        how_to = f"Press {key} in the response of a saved call" if key else "Use “expect this” in the command palette"
        screen.notify(problem or f"There are no checks yet. {how_to}.", timeout=8)
        return None
    if not await may_send_all(screen, explorer, [(check.draft, profile) for check in checks], quiet=True):
        return None
    opened = ChecksScreen(explorer, checks, screen.pending, screen.frame, capitalised(problem))
    chosen: CheckRow | None = await screen.app.push_screen_wait(opened)
    verdicts |= {(profile.name, replace(result.check.call, line=None)): result.verdict for result in opened.results}
    return chosen
