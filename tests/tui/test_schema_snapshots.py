"""Pictures of a schema's help for params: the completions and the warning."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot

from rpcexplorer.discovery.methods import Discovery, line_of
from rpcexplorer.explorer import Explorer
from rpcexplorer.jsontext.params import Fix
from rpcexplorer.model.method import By, Described, DescribedParam, Method
from rpcexplorer.model.problem import Checked, SchemaProblem
from rpcexplorer.tui.app import ExplorerApp, PersonOnScreen
from rpcexplorer.tui.call.completion import CompletionList
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.dialogs import ChangesDialog
from tests.tui.test_snapshots import PROFILES, state
from tests.tui.waiting import until

pytestmark = [pytest.mark.drawn, pytest.mark.thorough]
SIZES = pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)], ids=["small", "tall", "large"])
FIND = Described(
    (
        DescribedParam("kind", {"type": "string", "enum": ["customer", "supplier"]}, True, "Which of the two books"),
        DescribedParam(
            "count", {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}, doc="So many at most"
        ),
        DescribedParam("since", {"type": "string", "format": "date-time"}, doc="Those that were changed since then"),
    ),
    extra=False,
    by="name",
)
TEXT = '{\n  "kind": "customer",\n  "cuont": 5\n}'


class CannedChecker:
    """A checker with the answer of the real one for one text."""

    async def params(self, described: Described, text: str, *, by: By | None = None) -> Checked:
        if text != TEXT:
            return Checked()
        sentence, at = "“cuont” is not one of the params: kind, count, since", TEXT.index('"cuont"')
        fix = Fix("write count", TEXT.replace("cuont", "count"))
        return Checked((SchemaProblem(("cuont",), "additionalProperties", sentence, at, at + 7, 3, 3, fix),))

    async def close(self) -> None:
        """Do nothing."""


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fix the time zone."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def explorer(make_explorer: Callable[..., Explorer]) -> Explorer:
    explorer = make_explorer(PROFILES)
    profile = explorer.use("staging")
    explorer.__dict__["checker"] = CannedChecker()
    method = replace(line_of("partner.find", FIND), doc="Finds customers and suppliers")
    found = Discovery(datetime(2026, 1, 2, tzinfo=UTC), (method,), ("said",), described={"partner.find": FIND})
    explorer.method_lists.settle(profile, found)
    explorer.remembered.set_method("staging", "partner.find")
    return explorer


@SIZES
def test_name_is_completed(
    compare_picture: Callable[..., bool], explorer: Explorer, person: PersonOnScreen, size: tuple[int, int]
) -> None:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        screen.drafts.choose("partner.find")
        screen.params.replace('{\n  "kind": "customer",\n  \n}')
        screen.params.focus_inside()
        screen.params.editor.move_cursor((2, 2))
        await pilot.press('"', "ctrl+@", "down")
        await until(pilot, lambda: screen.query_one(CompletionList).display)

    app = ExplorerApp(explorer, person, "staging")
    assert compare_picture(app, terminal_size=size, run_before=state("since", "string", "Those that", then=show))


@SIZES
def test_params_do_not_match_the_schema(
    compare_picture: Callable[..., bool], explorer: Explorer, person: PersonOnScreen, size: tuple[int, int]
) -> None:
    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        screen.drafts.choose("partner.find")
        screen.params.replace(TEXT)
        screen.params.focus_inside()

    app = ExplorerApp(explorer, person, "staging")
    assert compare_picture(app, terminal_size=size, run_before=state("! line 3, column 3", "“cuont” is not", then=show))


@SIZES
def test_changes_of_a_refresh(
    compare_picture: Callable[..., bool], explorer: Explorer, person: PersonOnScreen, size: tuple[int, int]
) -> None:
    profile = explorer.profile
    assert profile is not None
    known = explorer.method_lists.learned(profile)
    assert known is not None
    kind, count, _ = FIND.params
    now = (replace(kind, schema={"enum": ["customer", "supplier", "staff"]}), replace(count, required=True))
    described = replace(FIND, params=now, deprecated=True)
    methods = (
        replace(known.methods[0], deprecated=True),
        Method("partner.merge", "Makes one of two", source="discovered"),
    )
    after = Discovery(datetime(2026, 2, 3, 9, 30, tzinfo=UTC), methods, described={"partner.find": described})
    explorer.method_lists.settle(profile, after)

    async def show(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await pilot.press("alt+n")
        await until(pilot, lambda: isinstance(app.screen, ChangesDialog))

    app = ExplorerApp(explorer, person, "staging")
    assert compare_picture(app, terminal_size=size, run_before=state("+ partner.merge  new", "deprecated", then=show))
