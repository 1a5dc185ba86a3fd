"""A quirk of all responses is reported once, with the first one."""

from __future__ import annotations

from collections.abc import Callable

from textual.pilot import Pilot

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.app import ExplorerApp
from rpcexplorer.tui.call.screen import CallScreen
from tests.fakes.wire import RawServer, http_reply
from tests.tui.visiting import on_view, visit
from tests.tui.waiting import until

OLD = http_reply(b'{"id":"x","result":[1.10],"error":null}')


def test_json_rpc_1_0_responses_are_reported_once(make_explorer: Callable[..., Explorer]) -> None:
    seen: list[str] = []

    async def scene(app: ExplorerApp, pilot: Pilot[str], calls: CallScreen) -> None:
        for _ in range(2):
            calls.exchange = None
            await pilot.press("f5")
            await until(pilot, lambda: "✓ result" in on_view(app) and "1.10" in on_view(app) and not calls.running)
            seen.append(on_view(app))

    with RawServer(OLD) as server:
        visit(make_explorer(f'[profile.old]\nurl = "{server.origin}"\n'), scene, profile="old")
    first, second = seen
    for words in ("as in JSON-RPC 1.0", "handles this and reports"):
        assert words in first
        assert words not in second
