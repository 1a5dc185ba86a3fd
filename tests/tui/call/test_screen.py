"""The call screen over the running demo service, for every user action."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Exchange, Preview, Refused
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.transport.port import Response
from rpcexplorer.tui.app import ExplorerApp, PersonOnScreen
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.dialogs import AskSecret
from rpcexplorer.tui.widgets.bars import Footer
from rpcexplorer.tui.widgets.editor import Editor
from tests.fakes.wire import RawServer, http_reply
from tests.history.recording import exchange as recorded
from tests.tui.conftest import PROFILES
from tests.tui.program import Running, open_program

Make = Callable[..., Explorer]


@pytest.mark.thorough
async def test_sending_never_moves_the_focus(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.write("demo.echo", "[1]")
        focused = program.app.focused
        assert isinstance(focused, Editor)
        await program.sent()
        assert program.app.focused is focused


async def test_previewed_request_is_sent(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        params = program.calls.params
        await program.play("write demo.echo [1]\n ctrl+o | POST /api/v2/")
        previewed, preview = program.text, program.calls.advice.preview(params.text, params.loaded)
        assert isinstance(preview, Preview)
        exchange = await program.sent()
        assert f'"id":"{exchange.id}"' in previewed.replace(": ", ":")
        assert len(preview.body) == exchange.sent


async def test_preview_follows_a_call_that_is_loaded(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.play('write demo.echo [1]\n ctrl+o | "method":"demo.echo"')
        program.calls.load(recorded(0), ours=True)
        await program.sees('"method":"ping"')


async def test_invalid_text_is_not_sent_and_explained(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.play("""
            write arg_test ["username": "ada"]
            ctrl+o | Nothing would be sent.
            f5 | sent line 1, column 12: members need braces
            x | ["username"x: "ada"] | not not sent
            backspace ctrl+r | 1 {"username": "ada"} | ✓ valid JSON
        """)
        assert program.calls.exchange is None
        assert not program.calls.running


async def test_draft_survives_another_method_and_a_restart(explorer: Explorer, make_explorer: Make) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.write("demo.echo", '{"half": ')
        program.calls.drafts.choose("ping")
        assert program.calls.params.text != '{"half": '
        program.calls.drafts.choose("demo.echo")
        assert program.calls.params.text == '{"half": '
        await program.press("ctrl+q")
    async with open_program(make_explorer(""), profile="demo") as program:
        assert (program.calls.method, program.calls.params.text) == ("demo.echo", '{"half": ')


async def test_prod_confirms_and_quick_enter_sends_nothing(explorer: Explorer) -> None:
    async with open_program(explorer, profile="prod") as program:
        await program.write("ping", "[]")
        first = await program.sent()  # the method is safe
        assert isinstance(first.outcome, ErrorObject)  # without a session the demo rejects the call
        await program.play("""
            write demo.echo {"id": 42}
            f5 | Send to PROD?
            enter | not Send to PROD?
        """)
        assert program.calls.exchange is first
        assert len(explorer.history.newest(9)) == 1
        await program.play("f5 | Send to PROD?\n right\n sent enter | ✓ result")


@pytest.mark.thorough
async def test_no_confirmation_today_holds_for_today_and_method(explorer: Explorer) -> None:
    async with open_program(explorer, profile="prod") as program:
        await program.play("""
            write demo.echo []
            f5 | Send to PROD?
            right right
            sent enter
            sent f5 | not Send to PROD?
            write demo.numbers []
            f5 | Send to PROD?
        """)


async def test_call_without_password_asks_for_it_masked(make_explorer: Make, service: str) -> None:
    async with open_program(make_explorer(PROFILES.format(url=service, user="demo")), profile="inline") as program:
        await program.write("arg_test", '{"page": 1}')
        await program.press("f5")
        await program.on(AskSecret)
        await program.press(*"demo-password")
        assert "demo-password" not in program.app.export_screenshot()
        assert isinstance((await program.sent("enter")).outcome, Result)
        assert "demo-password" not in program.app.export_screenshot()


@pytest.mark.thorough
async def test_profile_change_replaces_methods_drafts_and_calls(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.write("demo.echo", '["on demo"]')
        await program.sent()
        await program.sees("✓ demo.echo")
        await program.profiles("prod")
        await program.press("enter")
        await program.on(CallScreen)
        assert " prod http" in program.words.splitlines()[0]
        assert program.calls.exchange is None
        await program.misses("✓ demo.echo")
        program.calls.drafts.choose("demo.echo")
        await program.pause()
        assert "on demo" not in program.text


async def test_long_history_read_late_shows_no_other_profile(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    started, go_on, read = threading.Event(), threading.Event(), threading.Event()

    def read_slowly(*_: object) -> list[Exchange]:
        started.set()
        go_on.wait(10)
        read.set()
        return [recorded(profile="demo")]

    monkeypatch.setattr(explorer.journal, "is_long", lambda profile: profile.name == "demo")
    monkeypatch.setattr(explorer.journal, "recent", read_slowly)
    monkeypatch.setattr(explorer, "recent", lambda limit: [])
    async with open_program(explorer, profile="demo") as program:
        await program.until(started.is_set)
        explorer.use("prod")
        program.calls.show_profile()
        await program.rest()
        go_on.set()
        await program.until(read.is_set)
        await program.rest()
        assert not program.calls.methods.recent


@pytest.mark.thorough
async def test_resent_call_in_narrow_terminal_shows_its_response(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo", size=(80, 24)) as program:
        await program.play("""
            send demo.echo [1] | ✓ result
            f2 tab | ▌Recent | not ✓ result
            sent f5 | ▌✓ result | not Methods
        """)


@pytest.mark.thorough
async def test_footer_shows_only_usable_keys(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:

        def footer() -> str:
            return program.words.splitlines()[-1]

        assert all(key in footer() for key in ("F5 send", "F6 history", "^P palette", "F1 help"))
        # There is no auth and no response, and nothing runs.
        assert not any(words in footer() for words in ("log in", "search", "cancel"))
        await program.write("demo.echo", "[1]")
        await program.sent()
        await program.press("f4")
        await program.until(lambda: "search" in footer())


@pytest.mark.thorough
@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_footer_of_the_docs_shows_how_to_close_them(explorer: Explorer, size: tuple[int, int]) -> None:
    async with open_program(explorer, profile="demo", size=size) as program:

        def footer() -> str:
            return program.words.splitlines()[-1]

        assert "q close panel" not in footer()
        await program.press("alt+m")
        await program.until(lambda: "q close panel" in footer())
        assert "read docs" not in footer()


async def test_click_on_a_footer_key_presses_it(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.click(Footer, offset=(program.text.splitlines()[-1].index("F5"), 0))
        await program.until(lambda: program.calls.exchange is not None)


async def test_unwritable_history_is_reported_with_the_response(explorer: Explorer) -> None:
    explorer.history.folder.parent.mkdir(parents=True, exist_ok=True)
    explorer.history.folder.write_text("a file stands where the folder should be")

    async with open_program(explorer, profile="demo") as program:
        await program.write("demo.echo", "[1]")
        exchange = await program.sent()
        assert isinstance(exchange.outcome, Result)
        assert program.calls.header.problem
        assert [record.id for record in program.calls.methods.recent] == [exchange.id]


@pytest.mark.thorough
async def test_hostile_response_is_inert_in_the_terminal(make_explorer: Make) -> None:
    evil = "\\u001b]52;c;eA==\\u0007 [@click=app.quit]x[/] oops [/]"
    body = f'{{"jsonrpc": "2.0", "id": "1", "error": {{"code": 1, "message": "{evil}"}}}}'.encode()
    with RawServer(http_reply(body)) as server:
        explorer = make_explorer(f'version = 1\n[profile.evil]\nurl = "{server.origin}"\n')
        async with open_program(explorer, profile="evil") as program:
            await program.sent()
            await program.until(lambda: "@click" in program.app.export_screenshot())
            assert "\x1b" not in program.app.export_screenshot()


async def test_mapped_key_runs_its_command_and_is_shown(explorer: Explorer, make_explorer: Make) -> None:
    explorer.paths.settings.parent.mkdir(parents=True, exist_ok=True)
    explorer.paths.settings.write_text('[keymap]\nsend = "f12"\nsned = "f11"\nhistory = ""\n')

    async with open_program(make_explorer(""), profile="demo") as program:
        footer = program.words.splitlines()[-1]
        assert "F12 send" in footer
        assert "history" not in footer
        assert "Did you mean `send`?" in program.notices
        await program.sent("f12")
        await program.press("f6")
        assert program.app.screen is program.calls


async def test_chosen_call_is_shown_from_its_first_line(explorer: Explorer) -> None:
    explorer.drafts.keep("demo", "ping", '{\n  "a": 1,\n  "b": [' + "\n5," * 30 + "5]\n}")

    async with open_program(explorer, profile="demo", size=(80, 24)) as program:
        assert "F9 discover the methods of the server" in program.text
        program.calls.drafts.choose("auth")
        await program.press("f2", *"ping", "enter")
        editor = program.calls.query_one(Editor)
        await program.until(lambda: editor.has_focus and editor.cursor_location == (1, 8))
        await program.pause()
        assert editor.scroll_offset.y == 0


@pytest.mark.thorough
async def test_lone_surrogate_can_be_copied(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        program.app.copy_to_clipboard("a\ud800b")
        assert program.app.clipboard == "a?b"


@pytest.mark.thorough
async def test_reason_of_unsent_call_is_shown_whole(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo", size=(80, 24)) as program:
        reason = " ".join(f"word{number}" for number in range(60))
        program.calls.exchange = recorded(0, outcome=Refused("credentials", reason), response=Response())
        await program.sees("word59")


@pytest.mark.thorough
async def test_long_text_in_a_line_shows_its_end(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.press("f2", *("abcdefghij" * 6))
        assert "cdefghijabcdefghij " in program.text


async def test_first_frame_has_methods_empty_panes_and_footer(
    explorer: Explorer, person: PersonOnScreen, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(_: CallScreen) -> None:
        """Keep the first frame."""

    monkeypatch.setattr(CallScreen, "_complete", never)
    app = ExplorerApp(explorer, person, "demo")
    async with app.run_test(size=(120, 40)):
        program = Running(app)
        await program.until(lambda: "F6 history" in program.text.splitlines()[-1])
        lines = program.text.splitlines()
        assert "demo" in lines[0]
        assert [line for line in lines if "Params" in line] == [lines[1]]
        assert [line for line in lines if "Response" in line] == [lines[6]]
        assert "cancel" not in lines[-1]
        app.exit("")
