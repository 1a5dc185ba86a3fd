"""Keys that come too fast, too often or during other work do no harm."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace
from textual import events

from rpcexplorer.demo import PASSWORD
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.tui.dialogs import Credentials, _bound, is_quiet
from rpcexplorer.tui.history import HistoryScreen
from rpcexplorer.tui.profiles import ProfilesScreen
from rpcexplorer.tui.widgets.dialog import Confirm
from rpcexplorer.tui.widgets.picker import Picker
from tests.fakes.wire import HOLD, RawServer, http_reply
from tests.tui.program import Program, open_program

Held = tuple[RawServer, Explorer]
"""A server that holds its first request, and its explorer."""
SLOW = """\
version = 1
default = "slow"

[profile.slow]
url = "{url}"
auth = {{ kind = "none" }}

[profile.other]
url = "{url}"
auth = {{ kind = "none" }}
"""


@pytest.fixture
def held(make_explorer: Callable[..., Explorer]) -> Iterator[Held]:
    with RawServer([HOLD, http_reply(b'{"jsonrpc": "2.0", "id": "1", "result": "late"}')]) as server:
        yield server, make_explorer(SLOW.format(url=server.origin))


@asynccontextmanager
async def while_sending(held: Held) -> AsyncIterator[Program]:
    """Open the call screen, and let the server hold a call."""
    server, explorer = held
    async with open_program(explorer, profile="slow") as program:
        await program.press("f5")
        await program.until(lambda: len(server.requests) == 1)
        yield program


async def cancelled_call(program: Program) -> Exchange:
    """Cancel the running call; return its exchange."""
    await program.press("escape")
    await program.sees("◌ cancelled")
    assert program.calls.exchange is not None
    return program.calls.exchange


async def test_password_typed_ahead_goes_into_its_dialog(make_explorer: Callable[..., Explorer], service: str) -> None:
    explorer = make_explorer(f'version = 1\n[profile.inline]\nurl = "{service}"\nauth = {{ kind = "inline" }}\n')
    async with open_program(explorer, profile="inline") as program:
        before = program.calls.params.text
        await program.burst("f8", *"ada", "enter", *"secret")
        form = await program.on(Credentials)
        assert (form.values["username"], form.values["password"]) == ("ada", "secret")
        assert program.calls.params.text == before


@pytest.mark.thorough
async def test_letters_before_quitting_are_saved(make_explorer: Callable[..., Explorer], explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.burst(*"123", "ctrl+q")
        await program.until(lambda: program.app._exit)
    again = make_explorer("")
    again.use("demo")
    assert again.draft_of("ping") == "[123]"


async def test_two_enters_answer_a_dialog_once(explorer: Explorer) -> None:
    async with open_program(explorer, profile="prod") as program:
        program.calls.drafts.choose("demo.unknown")
        before = program.calls.params.text
        await program.press("f5")
        await program.on(Confirm)
        await program.burst("enter", "enter")
        await program.rest()
        assert program.app.screen is program.calls
        assert program.calls.exchange is None
        assert program.calls.params.text == before


@pytest.mark.thorough
async def test_other_screens_cancel_no_call(held: Held) -> None:
    server, _ = held
    async with while_sending(held) as program:
        for key in ("f6", "f7", "f6"):
            await program.press(key)
        await program.on(HistoryScreen)
        await program.press("escape")
        await program.until(lambda: program.app.screen is program.calls)
        assert program.calls.running
        server.release()
        await program.sees("✓ result", '"late"')


async def test_profile_change_cancels_call_of_the_old_one(held: Held) -> None:
    _, explorer = held
    async with while_sending(held) as program:
        await program.press("f7")
        await program.on(ProfilesScreen)
        await program.press("up", "enter")
        await program.until(lambda: program.app.screen is program.calls and not program.calls.running)
        assert explorer.profile is not None
        assert explorer.profile.name == "other"
        assert program.calls.exchange is None
        assert explorer.recent(5) == []
        explorer.use("slow")
        (record,) = explorer.recent(5)
        assert (record.profile, record.outcome_name) == ("slow", "cancelled")


@pytest.mark.thorough
async def test_late_response_does_not_replace_a_loaded_call(held: Held) -> None:
    server, _ = held
    async with while_sending(held) as program:
        cancelled = await cancelled_call(program)
        await program.press("f5")
        await program.until(lambda: len(server.requests) == 2)
        program.calls.load(cancelled, ours=True)
        server.release()
        await program.sees("ping has finished: result")
        assert not program.calls.running
        assert program.calls.exchange is cancelled


@pytest.mark.thorough
async def test_response_of_another_method_names_it(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.sent()
        assert "-32001 of ping" not in program.words
        program.calls.drafts.choose("arg_test")
        await program.sees("-32001 of ping")


@pytest.mark.thorough
async def test_resent_notification_and_batch_keep_their_kind(explorer: Explorer) -> None:
    explorer.use("demo")
    await explorer.call(Draft("ping", notification=True))
    await explorer.call(Batch('[{"method": "ping"}, {"method": "ping"}]'))
    recorded = explorer.recent(9)
    assert [record.kind for record in recorded] == ["batch", "notification"]
    async with open_program(explorer, profile="demo") as program:
        for count, record in enumerate(recorded, start=3):
            program.calls.again(record, ours=True)
            await program.until(lambda count=count: len(explorer.recent(9)) == count and not program.calls.running)  # type: ignore[misc]
            assert explorer.recent(9)[0].kind == record.kind


@pytest.mark.thorough
@pytest.mark.parametrize("way", ["key", "signal"])
async def test_quitting_does_not_wait_for_an_answer(explorer: Explorer, way: str) -> None:
    async with open_program(explorer, profile="prod") as program:
        program.calls.drafts.choose("demo.unknown")
        await program.press("f5")
        await program.on(Confirm)
        if way == "key":
            await program.press("ctrl+q")
        else:
            await program.app.action_quit()
        await program.until(lambda: program.app._exit)
        assert program.calls.exchange is None


@pytest.mark.thorough
async def test_repeated_quit_does_not_wait_for_keys(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        program.app.pending.wait("what never comes")
        await program.burst("x", "ctrl+q")
        await program.rest()
        assert not program.app._exit
        later = events.Key("ctrl+q", None)
        later.time += 2
        program.app.post_message(later)
        await program.until(lambda: program.app._exit)
        assert program.calls.params.text == "[]"


@pytest.mark.thorough
async def test_quitting_records_the_call_behind_a_dialog(held: Held) -> None:
    _, explorer = held
    async with while_sending(held) as program:
        await program.press("ctrl+p")
        await program.on(Picker)
        await program.press("ctrl+q")
        await program.until(lambda: program.app._exit)
    assert [record.outcome_name for record in explorer.recent(5)] == ["cancelled"]


@pytest.mark.thorough
async def test_unwritable_draft_is_reported_once_and_in_header(explorer: Explorer) -> None:
    explorer.paths.drafts.parent.mkdir(parents=True, exist_ok=True)
    explorer.paths.drafts.write_text("a file where the folder should be")
    async with open_program(explorer, profile="demo") as program:
        for params in ("[1]", "[2]", "[3]"):
            program.calls.params.replace(params)
            await program.pause()
            program.calls.drafts.write_down()
        assert program.notices.count("kept only until you quit") == 1
        await program.sees("draft not saved")


def test_permission_for_today_holds_for_its_server(explorer: Explorer) -> None:
    explorer.use("prod")
    profile = explorer.profile
    assert profile is not None
    explorer.remembered.quiet("prod", _bound(profile, "user.delete"))
    assert is_quiet(explorer, Draft("user.delete"))
    for change in ({"url": "https://elsewhere.example"}, {"confirm": "always"}):
        explorer.profile = replace(profile, **change)
        assert not is_quiet(explorer, Draft("user.delete"))


@pytest.mark.thorough
async def test_password_typed_after_sending_goes_to_its_prompt(
    make_explorer: Callable[..., Explorer], service: str, tmp_path: Path
) -> None:
    profile = f'version = 1\n[profile.inline]\nurl = "{service}"\nauth = {{ kind = "inline", username = "demo" }}\n'
    async with open_program(make_explorer(profile), profile="inline") as program:
        program.calls.drafts.choose("arg_test")
        await program.burst("f5", *PASSWORD, "enter")
        await program.sees("✓ result")
        assert program.calls.params.text == "[]"
    assert not any(PASSWORD.encode() in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())


@pytest.mark.thorough
async def test_letters_after_enter_are_not_in_entered_text(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.burst("f2", *"arg_test", "enter", "1", "2")
        await program.sees("▌arg_test")
        await program.rest()
        assert program.calls.method == "arg_test"
        await program.sent()
        await program.press("f4")
        await program.burst("slash", *"code", "enter", "x")
        await program.rest()
        assert program.calls.response.body.reader.find.needle == "code"


@pytest.mark.thorough
async def test_profile_removed_during_discovery_causes_no_crash(held: Held) -> None:
    server, explorer = held
    async with open_program(explorer, profile="slow") as program:
        await program.press("f9")
        await program.until(lambda: len(server.requests) == 1)
        await program.press("f7")
        await program.on(ProfilesScreen)
        await program.press("delete")
        await program.on(Confirm)
        await program.press("right", "enter")
        await program.until(lambda: explorer.profile is None)
        await program.press("f6")
        await program.on(HistoryScreen)
        server.release()
        await program.until(lambda: not program.calls.running)
        await program.press("escape")
        await program.on(ProfilesScreen)


@pytest.mark.thorough
async def test_call_loaded_during_discovery_shows_next_response(held: Held) -> None:
    server, _ = held
    async with while_sending(held) as program:
        cancelled = await cancelled_call(program)
        await program.press("f9")
        await program.sees("discovering")
        program.calls.load(cancelled, ours=True)
        server.release()
        await program.until(lambda: not program.calls.running)
        await program.sent()
        assert program.calls.exchange is not cancelled


@pytest.mark.thorough
@pytest.mark.parametrize(("size", "keys"), [((120, 40), ("f4", "z")), ((80, 24), ("f2",))], ids=["zoomed", "narrow"])
async def test_reason_of_unsent_call_is_visible_behind_covers(
    explorer: Explorer, size: tuple[int, int], keys: tuple[str, ...]
) -> None:
    async with open_program(explorer, profile="demo", size=size) as program:
        await program.sent()
        program.calls.params.replace("{")
        await program.press(*keys, "f5")
        await program.sees("not sent", "▌ping")


@pytest.mark.thorough
async def test_banner_and_search_follow_the_shown_text(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.sent()
        await program.press("f4", "f")
        await program.type_in(".code")  # in one piece: a slow machine would try half of it
        await program.press("enter")
        await program.sees("FILTERED .code", "-32001")
        await program.press("f", "end", "left_square_bracket")  # never empty: a slow machine would try that
        await program.press("enter")
        await program.sees("FILTERED .code .code[: jq:")
        await program.press("right_square_bracket")
        assert "FILTERED" not in program.words
        await program.press("slash", *"message", "enter", "left_square_bracket")
        await program.sees("FILTERED", "/ message no matches")
        await program.press("escape")
        await program.misses("/ message")


@pytest.mark.thorough
async def test_repeated_key_behind_others_is_not_dropped(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        calls = program.calls
        calls.params.replace("[")
        await program.burst("ctrl+p", *"undo", "enter")  # Enter closes the palette
        await program.until(lambda: program.app.screen is calls)
        await program.burst("end", "x", "enter", "y")
        await program.until(lambda: calls.params.text.endswith("y"))
        assert "\n" in calls.params.text
