"""A shown response in a filter or a command, and the messages of these."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

import pytest

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.processes import ending_words
from tests.fakes.agent import COMPLETED, Agent, said
from tests.fakes.wire import HOLD, RawServer, http_reply
from tests.tui.program import Program, open_program


@asynccontextmanager
async def replied(explorer: Explorer) -> AsyncIterator[Program]:
    """Show a response with the focus on it."""
    async with open_program(explorer, profile="demo") as program:
        await program.sent()
        await program.press("f4")
        yield program


@pytest.mark.thorough
@pytest.mark.parametrize("enter", [False, True], ids=["while it is typed", "when it is taken"])
async def test_problem_of_a_filter_is_shown_once(explorer: Explorer, enter: bool) -> None:
    async with replied(explorer) as program:
        await program.press("f", *".a |||", *(["enter"] if enter else []))
        await program.sees("unexpected")
        await program.pause()
        assert program.text.count("unexpected") == 1


async def test_filtered_objects_keep_colours_and_can_be_a_table(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.send("demo.echo", '{"items": [{"n": 2, "word": "alder"}, {"n": 1, "word": "birch"}]}')
        await program.press("f4", "f")
        await program.type_in(".items[]")
        await program.press("enter")
        await program.sees("FILTERED .items[]", '2 "n": 2,', '6 "n": 1,')
        document = program.calls.response.body.reader.document
        assert document is not None
        assert document.is_json
        await program.press("space")
        await program.sees("2 members }")
        await program.press("t")
        await program.sees("n word", "1 birch")
        await program.press("down", "enter", "c")
        await program.until(lambda: '"birch"' in program.app.clipboard and "alder" not in program.app.clipboard)
        await program.press("o")
        await program.sees('"items": [')


async def test_filter_that_ends_while_quitting_is_ignored(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    running = asyncio.Event()

    async def transform(*_: object) -> tuple[bytes, str, bool]:
        running.set()
        with suppress(asyncio.CancelledError):  # It ends in the moment in which it is cancelled.
            await asyncio.Event().wait()
        return b"1", "", False

    monkeypatch.setattr("rpcexplorer.tui.processes.transform", transform)

    async with replied(explorer) as program:
        await program.press("f", "full_stop", "enter")
        await running.wait()
        program.calls.response.focus_inside()


def test_unnamed_signal_is_shown_by_its_number() -> None:
    assert (ending_words(0), ending_words(-15), ending_words(-200)) == (
        "exit code 0",
        "ended by SIGTERM",
        "ended by signal 200",
    )


async def test_call_without_a_method_names_the_next_step(explorer: Explorer) -> None:
    async with open_program(explorer, profile="prod") as program:
        program.calls.drafts.choose("")
        assert (await program.sent()).outcome_name == "refused"
        await program.sees("Name one, such as")


async def test_duplicate_name_is_a_warning_and_sent_unchanged(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo", size=(140, 40)) as program:
        await program.write("demo.echo", '{"id": 1, "id": 2}')
        await program.sees("valid JSON object with 2 members")
        assert "“id” appears twice in one object and is sent as typed" in program.words
        exchange = await program.sent()
        assert b'{"id":1,"id":2}' in b"".join(exchange.response.body.split())
        program.calls.params.replace('{"id": 1}')
        await program.misses("twice")


async def test_json_rpc_1_0_responses_are_reported_once(make_explorer: Callable[..., Explorer]) -> None:
    seen: list[str] = []

    with RawServer(http_reply(b'{"id":"x","result":[1.10],"error":null}')) as server:
        async with open_program(make_explorer(f'[profile.old]\nurl = "{server.origin}"\n'), profile="old") as program:
            for _ in range(2):
                program.calls.exchange = None
                await program.sent()
                await program.until(lambda: "✓ result" in program.text and "1.10" in program.text)
                seen.append(program.text)
    first, second = seen
    for words in ("as in JSON-RPC 1.0", "handles this and reports"):
        assert words in first
        assert words not in second


async def test_open_completion_hides_the_problem_of_the_text(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.write("demo.records", "{}")
        await program.press("f9")
        await program.sees("Found")
        await program.press("f3", "home", "right", '"', "c")
        await program.sees("↑↓ choose Tab insert Esc close the list")
        assert "✗" not in program.text
        await program.press("escape")
        await program.sees("✗ line 1")


async def test_parts_of_a_result_are_shown_as_they_come(make_explorer: Callable[..., Explorer]) -> None:
    agent = Agent(said("Guten"), HOLD, said("Morgen"), COMPLETED)
    with RawServer(agent) as server:
        explorer = make_explorer(f'[profile.agent]\nurl = "{server.origin}"\npreset = "a2a"\n')
        async with open_program(explorer, profile="agent") as program:
            await program.write("SendStreamingMessage", "{}")
            await program.press("f5")
            await program.sees("receiving 1 part", '"text": "Guten"')
            server.release()
            await program.sees("✓ result", "Result Parts Raw", "TASK_STATE_COMPLETED")
            assert "]" in program.words.split("TASK_STATE_COMPLETED")[1], "the end stays in view"
            await program.press("f4", "home")
            await program.sees('"text": "Guten"')
            await program.press("[")
            await program.misses("Guten")
            await program.sees("TASK_STATE_COMPLETED")


async def test_cancelled_call_keeps_the_parts(make_explorer: Callable[..., Explorer]) -> None:
    with RawServer(Agent(said("Guten"), said("Morgen"), HOLD)) as server:
        explorer = make_explorer(f'[profile.agent]\nurl = "{server.origin}"\npreset = "a2a"\n')
        async with open_program(explorer, profile="agent") as program:
            await program.write("SendStreamingMessage", "{}")
            await program.press("f5")
            await program.sees("receiving 2 parts", "Morgen")
            await program.press("escape")
            await program.sees("cancelled", "Result Parts Raw", "Morgen")
