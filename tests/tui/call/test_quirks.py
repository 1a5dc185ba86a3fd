"""A quirk of all responses is reported once, with the first one."""

from __future__ import annotations

from collections.abc import Callable

from rpcexplorer.explorer import Explorer
from tests.fakes.wire import RawServer, http_reply
from tests.tui.program import open_program

OLD = http_reply(b'{"id":"x","result":[1.10],"error":null}')


async def test_json_rpc_1_0_responses_are_reported_once(make_explorer: Callable[..., Explorer]) -> None:
    seen: list[str] = []

    with RawServer(OLD) as server:
        async with open_program(make_explorer(f'[profile.old]\nurl = "{server.origin}"\n'), profile="old") as program:
            for _ in range(2):
                program.calls.exchange = None
                await program.press("f5")
                await program.until(
                    lambda: "✓ result" in program.text and "1.10" in program.text and not program.calls.running
                )
                seen.append(program.text)
    first, second = seen
    for words in ("as in JSON-RPC 1.0", "handles this and reports"):
        assert words in first
        assert words not in second
