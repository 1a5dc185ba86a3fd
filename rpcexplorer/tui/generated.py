"""Generated checks on screen: the calls of one method, and what was found."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from textual import work

from rpcexplorer.model.exchange import Exchange, Stop
from rpcexplorer.model.method import Described, Method
from rpcexplorer.model.problem import counted, cut
from rpcexplorer.model.profile import Profile
from rpcexplorer.rpc.messages import Result
from rpcexplorer.text.columns import MAX_NAME_COLUMNS, Cell, Column
from rpcexplorer.text.printable import clipped
from rpcexplorer.tui.browser import Browser, Detail
from rpcexplorer.tui.dialogs import caution_of
from rpcexplorer.tui.widgets.dialog import Choice, Confirm
from rpcexplorer.tui.widgets.full_screen import FullScreen
from rpcexplorer.tui.widgets.rows import ItemList, SheetLine

if TYPE_CHECKING:
    from rpcexplorer.checks.generated import Finding, MethodRun, Planned

EXAMPLES: Final = 100
"""Calls with valid params, and as many with invalid ones."""
SHOW_EVERY: Final = 10
"""Calls between two looks at the progress."""
SEEDS: Final = 1_000_000
SIGNS: Final = {"running": ("◐", "careful"), "done": ("✓", "well")}
"""By the state of a run; others are not complete."""
MAX_CHARACTERS: Final = 500
"""Characters of params or a result in the detail; the editor shows all of them."""


class FoundRow(Struct, frozen=True):
    """A finding, or calls without one."""

    params: str
    sent: int
    state: str
    """``running``, ``done``, ``stopped``, or why no calls could be sent."""
    finding: Finding | None = None
    count: int = 0
    """Calls with this finding by now."""


def rows_of(run: MethodRun, state: str) -> list[FoundRow]:
    found = [FoundRow(run.params, run.sent, state, each, each.count) for each in run.findings.values()]
    return found or [FoundRow(run.params, run.sent, state)]


def _sign(row: FoundRow) -> Cell:
    if row.finding is not None:
        return [("✗", "wrong")]
    return [SIGNS.get(row.state, ("⨯", "careful"))]  # noqa: RUF001 - the sign is meant


def _params(row: FoundRow) -> Cell:
    return [(f"{row.params} params", "text")]


def _words(row: FoundRow) -> Cell:
    if row.finding is not None:
        failure = row.finding.failure
        got = failure.got.removeprefix(failure.place).lstrip()
        return [(failure.place, "wrong bold"), (f"  {got}", "middle")]
    if row.state in SIGNS:
        return [("no finding", "middle")]
    return [(row.state, "careful")]


def _count(row: FoundRow) -> Cell:
    if row.finding is None:
        return [(counted(row.sent, "call"), "dim")]
    return [(f"{row.count:,} of {counted(row.sent, 'call')}", "dim")]


COLUMNS: Final = (
    Column(_sign, width=1, gap=1),
    Column(_params, width=len("invalid params"), gap=2),
    Column(_words, fills=True),
    Column(_count, right=True),
    Column[FoundRow](width=1, gap=0),
)


class GeneratedScreen(Browser[FoundRow, Exchange | None], scope="checks"):
    """The run of generated checks, which starts when it opens; its answer is a call to load.

    Esc stops the run, then closes the screen.
    """

    def __init__(self, screen: FullScreen[Any], profile: Profile, planned: Sequence[Planned]) -> None:
        super().__init__(ItemList(COLUMNS, key=_key), screen.pending, screen.frame, profile)
        self.add_class("-stacked")
        self.explorer, self._profile, self._planned = screen.explorer, profile, planned
        self._runs: list[MethodRun] = []
        self._seed = secrets.randbelow(SEEDS)
        self._state_of_last = "running"

    def on_mount(self) -> None:
        self._run()

    @work(exclusive=True, group="checks", description="generated checks")
    async def _run(self) -> None:
        from rpcexplorer.checks.generated import GeneratedChecks, MethodRun

        self.stop = stop = Stop()
        generated = GeneratedChecks(
            self.explorer, self._profile, examples=EXAMPLES, seed=self._seed, stop=stop, show=self._progress
        )
        try:
            for planned in self._planned:
                self._runs.append(MethodRun(planned.method, planned.params))
                self._show()
                self._runs[-1] = await generated.run(planned)
                if self._runs[-1].code or stop.pressed:
                    break
        finally:
            self.stop = None
        last = self._runs[-1]
        self._state_of_last = last.why_not or ("stopped" if stop.pressed else "done")
        self._show()

    def _progress(self, run: MethodRun) -> None:
        self._runs[-1] = run
        if run.sent % SHOW_EVERY == 0 or run.sent == 1:
            self._show()

    def _show(self) -> None:
        rows = list[FoundRow]()
        for run in self._runs:
            is_last = run is self._runs[-1]
            rows += rows_of(run, self._state_of_last if is_last else run.why_not or "done")
        self.list.items = rows
        method = clipped(self._planned[0].method.name, MAX_NAME_COLUMNS)
        sent, found = sum(run.sent for run in self._runs), sum(len(run.findings) for run in self._runs)
        self.bar.words = [
            ("Generated checks", "bold"),
            (f"  {method}", "text"),
            (f"  {counted(sent, 'call')}", "middle"),
            (f"  ✗ {counted(found, 'finding')}" if found else "", "wrong"),
            (f"  seed {self._seed}", "dim"),
        ]
        self.show_detail()

    def detail(self, row: FoundRow | None) -> Detail:
        """Return what is wrong with the smallest call of a finding."""
        if row is None or row.finding is None:
            return Detail(None, nothing="A finding is a response that the method does not declare.")
        failure, exchange = row.finding.failure, row.finding.exchange
        page: list[SheetLine] = [[("   ", "text"), (failure.got, "wrong")], []]
        if failure.wanted:
            page.append([("   expected  ", "dim"), (failure.wanted, "middle")])
        page.append([("   params    ", "dim"), (_shown(exchange.params), "text")])
        if isinstance(exchange.outcome, Result):  # Of other outcomes, the words are shown above.
            result = exchange.outcome.value.decode(errors="replace")
            page.append([("   result    ", "dim"), (_shown(result), "middle")])
        title = [(failure.place, "text bold"), (f"  {row.params} params", "middle")]
        return Detail(None, outcome=lambda _: title, page=page)

    def has(self, state: str) -> bool:
        if state == "idle":
            return self.stop is None and self.row is not None and self.row.finding is not None
        return super().has(state)

    def choose(self, row: FoundRow) -> None:
        if row.finding is not None and self.stop is None:
            self.dismiss(row.finding.exchange)

    action_stop = Browser.action_close


def _shown(text: str) -> str:
    return " ".join(cut(text, MAX_CHARACTERS).split())


def _key(row: FoundRow) -> object:
    return (row.params, row.finding.failure.place if row.finding else "")


async def generate_checks(screen: FullScreen[Any], method: Method, described: Described | None) -> Exchange | None:
    """Ask, send generated calls of a method, and show what was found; return a call to load."""
    profile = screen.explorer.profile
    assert profile is not None
    if find_spec("hypothesis") is None:
        screen.notify("Generated checks need Hypothesis: install rpcexplorer with the extra fuzz.", timeout=10)
        return None
    from rpcexplorer.checks.generated import planned_of

    planned = planned_of(method, described or Described())
    name = clipped(method.name, MAX_NAME_COLUMNS)
    if not planned:
        screen.notify(f"No calls can be made: the schema of {name} is not known. Discover the methods first.")
        return None
    rows = [
        ("profile", f"{profile.shown_name}  {profile.origin}  {profile.badge_word}".rstrip()),
        ("method", name if method.safe else f"{name}  not marked safe"),
        ("calls", f"up to {EXAMPLES} with valid params, and {EXAMPLES} with invalid ones"),
    ]
    title = "Send generated calls?" if method.safe else "Send generated calls of an unsafe method?"
    question = Confirm(title, rows, [Choice("send", "Send")], caution=caution_of(profile))
    if await screen.app.push_screen_wait(question) != "send":
        return None
    opened = GeneratedScreen(screen, profile, planned)
    return await screen.app.push_screen_wait(opened)
