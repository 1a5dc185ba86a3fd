"""A shown call on the clipboard or in a file, without losing another file."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from rpcexplorer.demo import PASSWORD
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.rpc.messages import Result
from rpcexplorer.tui.call.copying import call_form, copy_comparison_report, export_case, file_name
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.widgets.dialog import Ask
from rpcexplorer.tui.widgets.inputs import Entry
from tests.fakes.wire import RawServer, http_reply
from tests.text.exchanges import exchange
from tests.tui.program import Program, open_program

REPLY = '{"b":1.10,"a":"x"}'


@asynccontextmanager
async def replied(explorer: Explorer, *, profile: str = "demo") -> AsyncIterator[tuple[Program, Exchange]]:
    """Show a response with the focus on it."""
    async with open_program(explorer, profile=profile) as program:
        yield program, await program.send("demo.echo", REPLY)


async def copied(program: Program, *pressed: str) -> str:
    """Return the clipboard after these keys."""
    program.app.copy_to_clipboard("")
    await program.press(*pressed)
    await program.until(lambda: bool(program.app.clipboard))
    return program.app.clipboard


async def save_in(program: Program, path: object, asked: str = "") -> None:
    """Save the response in a file."""
    if not isinstance(program.app.screen, Ask):
        await program.press("S")
    await program.on(Ask)
    assert asked in program.text
    await program.type_in(str(path))
    await program.press("enter")


@pytest.mark.thorough
async def test_key_copies_the_report_and_choice_saves_it(explorer: Explorer, tmp_path: Path) -> None:
    async with replied(explorer, profile="inline") as (program, call):
        report = await copied(program, "M")
        assert report.startswith("## `demo.echo`: result\n")
        assert f"- Id: `{call.id}`" in report
        assert PASSWORD not in report
        await program.until(lambda: "the report of demo.echo" in program.notices)
        assert "1 secret replaced" in program.notices
        await copied(program, "M")
        await program.pause()
        assert program.notices.count("the report") == 1, "a repeated notice replaces the first"
        await program.burst("y", *"request", "ctrl+s")  # the keys wait for the menu
        file = tmp_path / "request.http"
        await save_in(program, file)
        await program.until(lambda: "Saved the request" in program.notices)
        assert file.read_text().startswith("POST /api/v2/ HTTP/1.1\nHost: ")
        assert file.read_text().endswith("}")
        assert file.stat().st_mode & 0o777 == 0o600


async def test_save_without_a_choice_still_copies_later(explorer: Explorer) -> None:
    async with replied(explorer) as (program, _):
        await program.play(
            "y | Esc cancel\n z z ctrl+s backspace backspace c u r l enter | copied curl | not Esc cancel"
        )


@pytest.mark.thorough
async def test_report_of_two_calls_hides_ignored_values(explorer: Explorer) -> None:
    async with replied(explorer, profile="inline") as (program, left):
        program.calls.params.replace('{"b": 1.10, "a": "y", "c": 1}')
        right = await program.sent()
        program.calls.run_worker(copy_comparison_report(program.calls, explorer, left, right, ("/c",)))
        await program.until(lambda: "the report of both calls" in program.notices)
        summary = "`1 member differs, 1 value was ignored, 1 redacted value was not compared`"
        assert f"\n- Compared: {summary}\n" in program.app.clipboard
        assert PASSWORD not in program.app.clipboard
        assert "1 secret replaced" in program.notices


@pytest.mark.thorough
async def test_copied_call_of_another_user_names_no_credential(explorer: Explorer) -> None:
    async with replied(explorer, profile="inline") as (program, call):
        for written in ({"foreign": True}, {"writer": "eve@host"}):
            program.calls.exchange = replace(call, url="http://theirs.example.com/rpc", **written)
            for form in ("curl", "Python", "HTTPie", "anrpcexplorer", "thereq"):
                text = await copied(program, "y", *form, "enter")
                assert "theirs.example.com" in text
                assert not any(ours in text for ours in ("RPCEXPLORER_", "--auth", "-p inline"))
            await program.until(lambda: "Someone else recorded this call" in program.notices)


@pytest.mark.thorough
async def test_copied_draft_names_no_variable_bound_elsewhere(explorer: Explorer) -> None:
    async with replied(explorer, profile="inline") as (program, _):
        profile = explorer.profiles.profiles["inline"]
        explorer.use(replace(profile, path="/log"))
        program.calls.exchange = None
        await program.burst("f10", *"curl", "enter")
        await program.until(lambda: "rpcexplorer profiles allow inline" in program.notices)
        assert program.app.clipboard == ""
        explorer.use(profile)
        assert "RPCEXPLORER_INLINE_PASSWORD" in await copied(program, "f10", *"curl", "enter")


def test_refused_copy_announces_no_default_settings(explorer: Explorer) -> None:
    call = exchange(Result(b"1"), status=None, profile="gone", url="ws://h:1/")
    sentence, warning = call_form(explorer, Draft("m", ""), call, "curl")
    assert "cannot be copied as curl" in str(sentence)
    assert warning == ""


@pytest.mark.thorough
async def test_shown_response_is_saved_unchanged_and_private(explorer: Explorer, tmp_path: Path) -> None:
    result, whole, made = (tmp_path / name for name in ("result.json", "whole.json", "made.txt"))
    async with replied(explorer) as (program, call):
        await save_in(program, result, "Save the result in which file?")
        await program.until(lambda: f"Saved the result, 19 B, in {result}." in program.notices)
        await program.press("right_square_bracket")
        await save_in(program, whole, "Save the whole response in which file?")
        await program.until(lambda: "whole.json" in program.notices)
        await program.press("left_square_bracket", "f", *".b", "enter")
        await program.sees("FILTERED .b")
        await save_in(program, made, "Save the filtered response in which file?")
        await program.until(lambda: "made.txt" in program.notices)
    assert result.read_text() == REPLY + "\n"
    assert whole.read_bytes() == call.response.body
    assert made.read_text() == "1.10\n"
    assert result.stat().st_mode & 0o777 == 0o600


@pytest.mark.thorough
async def test_malformed_response_is_saved_byte_for_byte(
    make_explorer: Callable[..., Explorer], tmp_path: Path
) -> None:
    body, file = b'{"jsonrpc": "2.0", "result": ', tmp_path / "odd.json"
    with RawServer(http_reply(body)) as server:
        explorer = make_explorer(f'[profile.shop]\nurl = "{server.origin}"\n')
        async with replied(explorer, profile="shop") as (program, _):
            assert "malformed" in program.text
            await save_in(program, file, "Save the response in")
            await program.until(lambda: "odd.json" in program.notices)
    assert file.read_bytes() == body


@pytest.mark.thorough
async def test_existing_file_is_replaced_only_after_confirmation(explorer: Explorer, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text("mine")
    file.chmod(0o644)

    async with replied(explorer) as (program, _):
        await save_in(program, file)
        await program.play("| Replace\n enter | Save the result in which file?")  # the safe answer
        assert file.read_text() == "mine"
        assert program.app.screen.query_one(Entry).value == str(file), "the typed path is still there"
        await program.play("enter | Replace\n right enter | Saved the result")
    assert file.read_text() == REPLY + "\n"
    assert file.stat().st_mode & 0o777 == 0o644


@pytest.mark.thorough
async def test_folder_and_home_are_accepted_as_paths(
    explorer: Explorer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    async with replied(explorer) as (program, _):
        await save_in(program, "~")
        await program.until(lambda: "Saved" in program.notices)
    assert (tmp_path / "demo.echo.json").read_text() == REPLY + "\n"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nowhere/reply.json", "there is no folder"),
        ("x" * 300, "the name is too long"),
        ("/dev/full/x", "there is no folder /dev/full"),
    ],
    ids=["no folder", "too long", "a file on the way"],
)
async def test_unwritable_path_shows_why_and_asks_again(
    explorer: Explorer, tmp_path: Path, path: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    async with replied(explorer) as (program, _):
        await save_in(program, path)
        await program.sees(message)
        await save_in(program, tmp_path / "here.json")
        await program.until(lambda: "Saved" in program.notices)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["here.json", "home", "work"]


async def test_unreadable_case_is_not_saved(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rpcexplorer.history.export.MOST", 8)
    async with replied(explorer) as (program, call):
        program.calls.run_worker(export_case(program.calls, explorer, [call]))
        await program.on(Ask)
        await program.press("enter")
        await program.until(lambda: "A case can hold at most 8 bytes, but the responses alone" in program.notices)
        assert isinstance(program.app.screen, CallScreen)


@pytest.mark.thorough
async def test_secret_in_a_response_is_not_saved(explorer: Explorer, tmp_path: Path) -> None:
    async with replied(explorer, profile="inline") as (program, call):
        assert call.outcome_name == "result"
        await save_in(program, tmp_path / "echoed.json")
        await program.until(lambda: "Saved" in program.notices)
    assert PASSWORD not in (tmp_path / "echoed.json").read_text()


@pytest.mark.parametrize(
    ("method", "name"),
    [
        ("demo.echo", "demo.echo"),
        ("../../etc/passwd", "etc-passwd"),
        ("tools/list", "tools-list"),
        ("", "response"),
        ("x" * 99, "x" * 60),
    ],
)
def test_file_name_is_made_from_method_name(method: str, name: str) -> None:
    assert file_name(method, ".json") == f"{name}.json"
