"""Logging in: missing credentials are asked for, the result is shown."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from textual.widgets import Static

from rpcexplorer.demo import PASSWORD, USERNAME
from rpcexplorer.drafts import Drafts
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.destination import Store
from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.secret import Secret
from rpcexplorer.tui.app import PersonOnScreen
from rpcexplorer.tui.call import drafts
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.dialogs import AskSecret, Credentials
from rpcexplorer.tui.widgets.dialog import Answer, Ask, Confirm
from rpcexplorer.tui.widgets.inputs import Entry
from rpcexplorer.tui.widgets.picker import Picker
from tests.fakes.terminal import Terminal
from tests.fakes.wire import RawServer, Received, http_reply
from tests.tui.program import Program, open_program, running
from tests.tui.stage import Stage, text_of

Make = Callable[..., Explorer]


@pytest.fixture
def lacking(make_explorer: Make, service: str) -> Explorer:
    return make_explorer(
        f'[profile.c]\nurl = "{service}"\nauth = {{ kind = "cookie" }}\n'
        f'[profile.i]\nurl = "{service}"\nauth = {{ kind = "inline", username = "{USERNAME}" }}\n'
    )


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "home" / "state" / "secrets.toml"


async def asked(program: Program) -> Credentials:
    """Press the login key, and wait for the dialog."""
    await program.press("f8")
    form: Credentials = await program.on(Credentials)
    return form


def value(explorer: Explorer, profile: str, field: str) -> str:
    found = explorer.credentials.state(explorer.profiles.profiles[profile])[field]
    assert isinstance(found, Secret)
    return found.reveal()


async def test_command_of_a_shared_file_runs_after_a_yes(make_explorer: Make) -> None:
    with RawServer(lambda request: request.reply(result=request.header("Authorization"))) as server:
        auth = 'auth = { kind = "bearer", token_command = ["./token", "-v"] }'
        explorer = make_explorer(f'[profile.shared]\nurl = "{server.origin}"\npath = "/"\n{auth}\n')
        folder, ran = explorer.folder, explorer.folder / "ran"
        (folder / "token").write_text("#!/bin/sh\necho ran >>ran\necho t0ken-of-a-command\n")
        (folder / "token").chmod(0o755)
        async with open_program(explorer, profile="shared") as program:
            await program.press("f8")
            await program.sees("from auth.token_command")
            await program.press("escape")
            for again in range(2):
                program.calls.drafts.choose("any")
                program.calls.action_send()
                await program.on(Confirm)
                await program.sees("Run this command for shared, and send what it prints there?")
                for fact in ("./token-v", server.origin, f"{folder}/token", "sessions.toml:4"):
                    assert fact in program.unbroken
                await program.press(*(["right"] if again else []), "enter")
                await program.until(lambda: program.calls.exchange is not None and not program.calls.running)
                assert ran.exists() is bool(again)
            await program.sees("«shared.token»", "token from command")
    assert ran.read_text() == "ran\n"


@pytest.mark.thorough
async def test_missing_credentials_are_asked_for_and_log_in(lacking: Explorer, store: Path) -> None:
    async with open_program(lacking, profile="c") as program:
        form = await asked(program)
        await program.sees("Missing for c: user name and password")
        await program.sees("Sent only to")
        await program.type_in(USERNAME)
        await program.press("enter")
        assert form.focused is form.input_of("password")
        await program.type_in(PASSWORD)
        assert USERNAME in program.app.export_screenshot()
        await program.press("enter")
        calls = await program.on(CallScreen)
        await program.until(lambda: calls.exchange is not None and not calls.running)
        assert calls.exchange.method == "auth"
        await program.sees("● session")
    assert "password" not in store.read_text()  # it is kept until you quit: only the session is stored


async def test_rejected_password_is_not_sent_again(make_explorer: Make, service: str) -> None:
    auth_table = f'{{ kind = "cookie", username = "{USERNAME}" }}'
    explorer = make_explorer(f'[profile.c]\nurl = "{service}"\nauth = {auth_table}\n', RPCEXPLORER_C_PASSWORD="wrong")
    async with open_program(explorer, profile="c") as program:
        calls = program.calls
        await program.sent("f8")
        await program.sees("✗ password rejected")
        rejected = calls.exchange
        form = await asked(program)
        await program.sees("The server rejected the credentials.")
        assert form.focused is form.input_of("password")
        assert calls.exchange is rejected
        await program.type_in(PASSWORD)
        await program.press("enter")
        await program.on(CallScreen)
        await program.sees("● session")
        await program.press("f8")
        assert await program.on(CallScreen) is calls


def opens_only(session: str) -> Callable[[Received], bytes]:
    """Answer a login with a session, and a call with another one with HTTP 401."""

    def answer(request: Received) -> bytes:
        if b'"auth"' in request.body:
            return request.reply(result=None, headers={"Set-Cookie": "sessionid=of-the-login"})
        return (
            request.reply(result=None) if request.header("cookie") == f"sessionid={session}" else http_reply(b"", 401)
        )

    return answer


@pytest.mark.parametrize(("field", "sent"), [("password", ["ping", "auth", "ping"]), ("session", ["ping"])])
async def test_hint_asks_for_credentials_before_it_resends(make_explorer: Make, field: str, sent: list[str]) -> None:
    with RawServer(opens_only("pasted")) as server:
        made = make_explorer(
            f'[profile.c]\nurl = "{server.origin}"\nauth = {{ kind = "cookie", username = "ada" }}\n',
            RPCEXPLORER_C_PASSWORD="the-word-of-ada",
        )
        async with open_program(made, profile="c") as program:
            calls = program.calls
            calls.drafts.choose("ping")
            await program.press("f5")
            await program.until(lambda: bool(calls.offered) and not calls.running)
            before = calls.exchange
            form = await asked(program)
            assert server.methods == ["auth", "ping"]
            await program.sees("The server rejected the credentials.")
            form.input_of(field).focus()
            await program.type_in("pasted")
            await program.press("ctrl+s")
            await program.until(lambda: calls.exchange is not before and not calls.running)
    assert [request.json["method"] for request in server.requests[2:]] == sent


@pytest.mark.thorough
async def test_login_without_credentials_is_not_tried(lacking: Explorer) -> None:
    async with open_program(lacking, profile="c") as program:
        form = await asked(program)
        await program.type_in(USERNAME)
        await program.press("ctrl+s")
        await program.sees("The password is missing.")
        assert form.focused is form.input_of("password")
        assert form.values["username"] == USERNAME
        await program.press("escape")
        calls = await program.on(CallScreen)
        assert calls.exchange is None
        await program.sees("user name missing")


@pytest.mark.thorough
async def test_credentials_in_params_open_no_session(lacking: Explorer) -> None:
    async with open_program(lacking, profile="i") as program:
        form = await asked(program)
        assert set(form.values) == {"username", "password", "keep"}
        assert form.focused is form.input_of("password")
        await program.type_in(PASSWORD)
        await program.press("enter")
        await program.sees("each call sends its credentials")
        calls = await program.on(CallScreen)
        await program.sees("● password entered")
        assert calls.exchange is None
    assert value(lacking, "i", "password") == PASSWORD


def answers(request: Received) -> bytes:
    """Answer a login with a session of the user, and a call with its params."""
    call = request.json
    login = call["method"] == "auth"
    result = {"for": call["params"]["username"]} if login else call["params"]
    cookie = f"sessionid=session-of-{call['params']['username']}" if login else ""
    return request.reply(result=result, headers={"Set-Cookie": cookie} if cookie else {})


@pytest.mark.thorough
@pytest.mark.parametrize(("own", "session"), [(True, True), (False, False)])
async def test_another_user_name_can_log_in(make_explorer: Make, tmp_path: Path, own: bool, session: bool) -> None:
    with RawServer(answers) as server:
        text = f'[profile.c]\nurl = "{server.origin}"\nauth = {{ kind = "cookie", username = "ada" }}\n'
        if own:  # a typed name is not a conflict between two files
            (tmp_path / "home" / "config").mkdir(parents=True)
            (tmp_path / "home" / "config" / "sessions.toml").write_text(text)
        made = make_explorer("" if own else text)
        made.secrets.save(made.profiles.profiles["c"], "password", "the-word-of-ada")
        if session:
            made.secrets.save(made.profiles.profiles["c"], "session", "session-of-ada")
        async with open_program(made, profile="c") as program:
            calls = await program.on(CallScreen)
            calls.action_new_session()
            form = await program.on(Credentials)
            assert form.focused is form.input_of("username")
            assert "ada, or another user name" in program.text
            await program.type_in("bob")
            await program.press("ctrl+s")
            await program.sees("The password is missing.")
            await program.type_in("the-word-of-bob")
            form.input_of("keep").focus()
            await program.press("right", "ctrl+s")
            await program.on(CallScreen)
            await program.until(lambda: calls.exchange is not None and not calls.running)
            assert "c uses the user name bob until you quit" in program.notices
            await program.sees("● session")
            await program.press("f5")
            await program.until(lambda: len(server.requests) == 2 and not calls.running)
        again = make_explorer("")
        states = again.credentials.state(again.profiles.profiles["c"])
    assert json.loads(server.requests[0].body)["params"] == {"username": "bob", "password": "the-word-of-bob"}
    assert server.requests[1].header("cookie") == "sessionid=session-of-bob"
    stored = {field: found.reveal() for field, found in states.items() if isinstance(found, Secret)}
    assert stored == {"password": "the-word-of-ada"} | ({"session": "session-of-ada"} if session else {})


@pytest.mark.thorough
async def test_retyped_name_of_the_file_restores_the_profile(make_explorer: Make) -> None:
    with RawServer(answers) as server:
        text = f'[profile.i]\nurl = "{server.origin}"\nauth = {{ kind = "inline", username = "ada" }}\n'
        made = make_explorer(text, RPCEXPLORER_I_PASSWORD="the-word-of-ada")
        async with open_program(made, profile="i") as program:
            calls = await program.on(CallScreen)
            for name, word in (("bob", "the-word-of-bob"), ("ada", "another-of-ada")):
                calls.action_new_session()
                form = await program.on(Credentials)
                await program.type_in(name)
                form.input_of("password").focus()
                await program.type_in(word)
                await program.press("ctrl+s")
                await program.on(CallScreen)
                calls.drafts.choose("arg_test")
                calls.exchange = None
                await program.sent()
    assert [request.json["params"]["username"] for request in server.requests] == ["bob", "ada"]
    assert made.profile == made.profiles.profiles["i"]


@pytest.mark.thorough
async def test_secret_stored_for_another_server_is_asked_for(make_explorer: Make, service: str) -> None:
    made = make_explorer(f'[profile.c]\nurl = "{service}"\nauth = {{ kind = "cookie", username = "{USERNAME}" }}\n')
    old = make_explorer("").profiles.profiles["c"]
    moved = type(old)(
        **{field: getattr(old, field) for field in old.__struct_fields__} | {"url": "https://old.example.com"}
    )
    made.secrets.save(moved, "password", "for the old server")
    async with open_program(made, profile="c") as program:
        await program.sees("! password blocked")
        await asked(program)
        await program.sees("origin: https://old.example.com → ")
        await program.type_in(PASSWORD)
        await program.press("enter")
        calls = await program.on(CallScreen)
        await program.until(lambda: calls.exchange is not None and not calls.running)
        await program.sees("● session")


@pytest.mark.everyday(1)
@pytest.mark.parametrize("answer", ["Don't send", "Allow and send"])
async def test_changed_destination_is_shown_before_sending_a_secret(
    make_explorer: Make, service: str, tmp_path: Path, answer: str
) -> None:
    profile = f'[profile.i]\nurl = "{service}"\nauth = {{ kind = "inline", username = "{USERNAME}"'
    made = make_explorer(f"{profile} }}\n")
    made.secrets.save(made.profiles.profiles["i"], "password", PASSWORD)
    team = tmp_path / "work" / "sessions.toml"
    team.write_text(f'{profile}, username_member = "user" }}\n')
    made.reload()
    async with open_program(made, profile="i") as program:
        calls = await program.on(CallScreen)
        await program.sees("! password blocked")
        await program.press("f5")
        await program.on(Confirm)
        await program.sees("Send the password of i to a changed destination?")
        assert f"notset→user{team}:3" in program.unbroken
        await program.press(*(["tab"] if answer == "Allow and send" else []), "enter")
        await program.on(CallScreen)
        await program.until(lambda: calls.exchange is not None and not calls.running)
        sent = not isinstance(calls.exchange.outcome, Refused)
        assert sent == (answer == "Allow and send")
        await program.sees("● password stored" if sent else "! password blocked")


@pytest.mark.thorough
@pytest.mark.parametrize("known", [["username"], ["username", "password"]])
async def test_entering_secrets_begins_with_the_password(make_explorer: Make, service: str, known: list[str]) -> None:
    made = make_explorer(f'version = 1\n[profile.c]\nurl = "{service}"\nauth = {{ kind = "cookie" }}\n')
    profile = made.use("c")
    for field in known:
        made.secrets.save(profile, field, "something")
    async with open_program(made, profile="c") as program:
        await program.profiles("c")
        await program.press("s")
        form = await program.on(Credentials)
        assert form.focused is form.input_of("password")


@pytest.mark.parametrize(
    ("pressed", "answer"),
    [
        (["x", "y", "enter"], ("xy", False)),
        (["x", "y", "tab", "right", "enter"], ("xy", True)),
        (["x", "tab", "right", "left", "shift+tab", "y", "enter"], ("xy", False)),
        (["enter", "x", "y", "enter"], ("xy", False)),
        (["x", "tab", "right", "escape"], None),
    ],
)
async def test_prompt_for_a_secret_offers_to_store_it(pressed: list[str], answer: tuple[str, bool] | None) -> None:
    answers: list[tuple[str, bool] | None] = []

    stage = Stage(Static("below"))
    async with running(stage, (80, 24)) as program:
        person = PersonOnScreen()
        person.open = stage.push_screen_wait

        async def ask() -> None:
            answers.append(await person.secret("password for x", store=Store("~/state/secrets.toml", "rpcexplorer")))

        stage.run_worker(ask())
        await program.on(AskSecret)
        await program.sees("Not stored: forgotten when you quit.")
        await program.press(*pressed)
        await program.until(lambda: bool(answers))
    assert answers == [answer]


async def answer(program: Program, id: str) -> None:
    question = await program.on(Confirm)
    question.query_one(f"#{id}", Answer).focus()
    await program.press("enter")


@asynccontextmanager
async def with_unsaved_draft(explorer: Explorer) -> AsyncIterator[Program]:
    """Open the program with a draft that cannot be saved."""
    explorer.paths.drafts.parent.mkdir(parents=True, exist_ok=True)
    explorer.paths.drafts.write_text("a file where the folder should be")
    async with open_program(explorer) as program:
        program.calls.params.replace('["typed"]')
        await program.until(lambda: bool(explorer.drafts.unsaved))
        yield program


@pytest.mark.thorough
async def test_unsaved_draft_is_reported_when_quitting(explorer: Explorer) -> None:
    async with with_unsaved_draft(explorer) as program:
        await program.press("ctrl+q")
        await program.on(Confirm)
        await program.sees("Quit without saving your drafts?", "ping on demo", "a part of the path is a file")
        await answer(program, "again")
        await program.on(Confirm)
        await program.press("escape")
        await program.until(lambda: program.app.screen is program.app.calls)
        assert not program.app._exit

        await program.press("ctrl+q")
        await program.on(Confirm)
        explorer.paths.drafts.unlink()
        await answer(program, "again")
        await program.until(lambda: program.app._exit)
        assert Drafts(explorer.paths.drafts).find("demo", "ping") == '["typed"]'


@pytest.mark.thorough
async def test_unsaved_draft_can_be_saved_in_another_file(explorer: Explorer, tmp_path: Path) -> None:
    file = tmp_path / "elsewhere" / "params.txt"
    async with with_unsaved_draft(explorer) as program:
        program.calls.drafts.choose("demo.echo")
        program.calls.params.replace("[2")
        await program.press("ctrl+q")
        for path in (tmp_path, file):  # the first one exists already
            await answer(program, "elsewhere")
            asked = await program.on(Ask)
            asked.query_one(Entry).value = str(path)
            await program.press("enter")
            if path == tmp_path:
                await program.sees("it already exists")
        await program.until(lambda: program.app._exit)
    assert file.read_text() == 'ping on demo:\n["typed"]\n\ndemo.echo on demo:\n[2\n'
    assert file.stat().st_mode & 0o077 == 0
    assert explorer.drafts.unsaved, "its own file is still not written"


@pytest.mark.thorough
async def test_empty_path_for_unsaved_draft_asks_again(explorer: Explorer) -> None:
    async with with_unsaved_draft(explorer) as program:
        await program.press("ctrl+q")
        await answer(program, "elsewhere")
        await program.on(Ask)
        await program.press("escape")
        await answer(program, "end")
        await program.until(lambda: program.app._exit)


@pytest.mark.thorough
async def test_repeated_quit_asks_once_and_then_quits(explorer: Explorer) -> None:
    async with with_unsaved_draft(explorer) as program:
        program.app.shutdown.leave(asking=True)
        program.app.shutdown.leave(asking=True)
        await program.on(Confirm)
        assert not program.app._exit
        await program.press("ctrl+q")
        await program.until(lambda: program.app._exit)


@pytest.mark.thorough
async def test_signal_quits_without_asking(explorer: Explorer) -> None:
    async with with_unsaved_draft(explorer) as program:
        os.kill(os.getpid(), signal.SIGTERM)
        await program.until(lambda: program.app._exit)


async def test_slow_disk_delays_no_key_saves_last_text(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafts, "PAUSE_SECONDS", 0)
    goes_on, started, in_time = Event(), Event(), list[bool]()
    keep_typed = explorer.drafts.keep_typed

    def slow(*given: Any) -> str:
        started.set()
        in_time.append(goes_on.wait(5))
        return keep_typed(*given)

    monkeypatch.setattr(explorer.drafts, "keep_typed", slow)
    async with open_program(explorer) as program:
        program.calls.params.replace("[1]")
        await program.until(started.is_set)
        program.calls.params.replace("[12]")
        await program.pause()
        goes_on.set()
        await program.press("ctrl+q")
        await program.until(lambda: program.app._exit)
    assert all(in_time), "the screen waited for the disk"
    assert Drafts(explorer.paths.drafts).find("demo", "ping") == "[12]"


@pytest.mark.thorough
async def test_draft_changed_on_two_screens_keeps_both_texts(explorer: Explorer) -> None:
    async with open_program(explorer) as program:
        there = Drafts(explorer.paths.drafts)
        there.keep("demo", "ping", "[2]")
        program.calls.params.replace("[1]")
        await program.sees("another program also changed the draft")
        (beside,) = explorer.paths.drafts.rglob("*.other-1")
        assert beside.read_text().endswith("[2]")
        assert str(beside) in program.notices
        assert Drafts(explorer.paths.drafts).find("demo", "ping") == "[1]"


def started(tmp_path: Path, **more: str) -> Terminal:
    (tmp_path / "sessions.toml").write_text('version = 1\n[profile.here]\nurl = "http://127.0.0.1:9"\n')
    return Terminal([], {"RPCEXPLORER_HOME": str(tmp_path / "home"), **more}, tmp_path, (100, 30))


@pytest.mark.thorough
def test_kill_loses_at_most_two_seconds_of_typing(tmp_path: Path) -> None:
    folder = tmp_path / "home" / "state" / "drafts"
    with started(tmp_path) as terminal:
        terminal.sees("here", "✓ valid")
        terminal.press("ctrl+a", "ctrl+k")
        many, until = 0, time.monotonic() + 2
        while not any(folder.rglob("*.draft")) and time.monotonic() < until:
            terminal.type("1")
            many += 1
            terminal.sees("1" * min(many, 50))
        os.kill(terminal.pid, signal.SIGKILL)
    found = Drafts(folder).find("here", "ping")
    assert found, f"{many} letters were typed"
    assert set(found) == {"1"}


@pytest.mark.thorough
def test_real_program_reports_unsaved_draft_when_quitting(tmp_path: Path) -> None:
    drafts = tmp_path / "home" / "state" / "drafts"
    drafts.parent.mkdir(parents=True)
    drafts.write_text("a file where the folder should be")
    with started(tmp_path) as terminal:
        terminal.sees("here", "✓ valid")
        terminal.press("ctrl+a", "ctrl+k")
        terminal.type('{"kept": true')
        terminal.sees("draft not saved")
        terminal.press("ctrl+q")
        terminal.sees("Quit without saving your drafts?", "Quit without saving")
        terminal.press("right", "right", "enter")
        assert terminal.ends() == 0
        assert b"1 draft could not be saved" in terminal.written


@pytest.mark.thorough
async def test_unavailable_command_is_found_and_marked(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        calls = program.calls
        calls.drafts.choose("demo.echo")
        await program.press("ctrl+p")
        picker = await program.on(Picker)
        assert "params.undo" not in [item.pick.id for item in picker.list.items], "looking causes no question"
        await program.type_in("undo")
        await program.until(lambda: "not now" in text_of(picker.list))
        await program.press("enter")
        await program.pause()
        assert program.app.screen is picker
        assert "There is nothing to undo." in program.notices
        await program.press("escape")
        await program.on(CallScreen)
        calls.params.focus_inside()
        await program.press("end", "space")
        await program.press("ctrl+p")
        picker = await program.on(Picker)
        await program.type_in("undo")
        assert picker.list.items[0].pick.id == "params.undo"
        assert not picker.list.items[0].pick.why_not
        before = calls.params.text
        await program.press("enter")
        await program.until(lambda: calls.params.text != before)
