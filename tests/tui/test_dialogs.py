"""Logging in: what is lacking is asked for, masked; what came back is shown; a session that somebody has is taken."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from rpcexplorer.demo import PASSWORD, USERNAME
from rpcexplorer.drafts import Drafts
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.destination import Store
from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.tui.app import ExplorerApp, PersonOnScreen
from rpcexplorer.tui.call import drafts
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.dialogs import AskSecret, Credentials
from rpcexplorer.tui.widgets.bars import Header
from rpcexplorer.tui.widgets.dialog import Answer, Ask, Confirm
from rpcexplorer.tui.widgets.inputs import Entry
from rpcexplorer.tui.widgets.picker import Picker
from tests.fakes.terminal import Terminal
from tests.fakes.wire import RawServer, Received, http_reply
from tests.tui.stage import Stage, text_of
from tests.tui.visiting import Story, on, on_view, profiles, said, shown, tell, type_in, visit
from tests.tui.waiting import until

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


async def asked(pilot: Pilot[str]) -> Credentials:
    """Press the key, and wait for the question."""
    await on(pilot, CallScreen)
    await pilot.press("f8")
    form: Credentials = await on(pilot, Credentials)
    return form


def auth(pilot: Pilot[str]) -> str:
    """What the header says of the session."""
    return "".join(text for text, _ in pilot.app.screen.query_one(Header).auth)


def value(explorer: Explorer, profile: str, field: str) -> str:
    found = explorer.credentials.state(explorer.profiles.profiles[profile])[field]
    assert isinstance(found, Secret)
    return found.reveal()


@pytest.mark.thorough
def test_what_the_profile_lacks_is_asked_for_and_a_session_is_opened(lacking: Explorer, store: Path) -> None:
    async def story(app: ExplorerApp, pilot: Pilot[str]) -> None:
        form = await asked(pilot)
        assert "user name and password missing" in shown(form)
        assert "Sent only to" in shown(form)
        await type_in(pilot, USERNAME)
        await pilot.press("enter")
        assert form.focused is form.of("password")
        await type_in(pilot, PASSWORD)
        assert USERNAME in app.export_screenshot()
        await pilot.press("enter")
        calls = await on(pilot, CallScreen)
        await until(pilot, lambda: calls.exchange is not None and not calls.what)
        assert calls.exchange.method == "auth"
        assert auth(pilot).startswith("● session")

    tell(lacking, story, profile="c")
    assert "password" not in store.read_text()  # kept until the program ends: only the session is written down


@pytest.mark.thorough
def test_a_login_without_what_it_needs_is_not_tried(lacking: Explorer) -> None:
    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        form = await asked(pilot)
        await type_in(pilot, USERNAME)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "The password is missing." in shown(form))
        assert form.focused is form.of("password")
        assert form.values["username"] == USERNAME
        await pilot.press("escape")
        calls = await on(pilot, CallScreen)
        assert calls.exchange is None
        assert "user name missing" in auth(pilot)

    tell(lacking, story, profile="c")


@pytest.mark.thorough
def test_credentials_in_params_open_no_session(lacking: Explorer) -> None:
    async def story(app: ExplorerApp, pilot: Pilot[str]) -> None:
        form = await asked(pilot)
        assert set(form.values) == {"username", "password", "keep"}
        assert form.focused is form.of("password")
        await type_in(pilot, PASSWORD)
        await pilot.press("enter")
        await until(pilot, lambda: "with each call" in said(app))
        calls = await on(pilot, CallScreen)
        await until(pilot, lambda: auth(pilot) == "● password entered")
        assert calls.exchange is None

    tell(lacking, story, profile="i")
    assert value(lacking, "i", "password") == PASSWORD


def answers(request: Received) -> bytes:
    """A login gets a session named after whoever logs in; a call gets its own params back."""
    call = json.loads(request.body)
    login = call["method"] == "auth"
    result = {"for": call["params"]["username"]} if login else call["params"]
    reply = json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": result}).encode()
    cookie = f"sessionid=session-of-{call['params']['username']}" if login else ""
    return http_reply(reply, headers={"Set-Cookie": cookie} if cookie else {})


@pytest.mark.thorough
@pytest.mark.parametrize(("own", "session"), [(True, True), (False, False)])
def test_somebody_else_can_log_in_with_a_name_of_their_own(
    make_explorer: Make, tmp_path: Path, own: bool, session: bool
) -> None:
    with RawServer(answers) as server:
        text = f'[profile.c]\nurl = "{server.origin}"\nauth = {{ kind = "cookie", username = "ada" }}\n'
        if own:  # a name that was typed is no disagreement between two files
            (tmp_path / "home" / "config").mkdir(parents=True)
            (tmp_path / "home" / "config" / "sessions.toml").write_text(text)
        made = make_explorer("" if own else text)
        made.secrets.save(made.profiles.profiles["c"], "password", "the-word-of-ada")
        if session:
            made.secrets.save(made.profiles.profiles["c"], "session", "session-of-ada")

        async def story(app: ExplorerApp, pilot: Pilot[str]) -> None:
            calls = await on(pilot, CallScreen)
            calls.action_new_session()
            form = await on(pilot, Credentials)
            assert form.focused is form.of("username")
            assert "ada, or type another" in on_view(app)
            await type_in(pilot, "bob")
            await pilot.press("ctrl+s")
            await until(pilot, lambda: "The password is missing." in shown(form))
            await type_in(pilot, "the-word-of-bob")
            form.of("keep").focus()
            await pilot.press("right", "ctrl+s")
            await on(pilot, CallScreen)
            await until(pilot, lambda: calls.exchange is not None and not calls.what)
            assert "c is used as bob until you quit" in said(app)
            assert auth(pilot).startswith("● session")
            await pilot.press("f5")
            await until(pilot, lambda: len(server.requests) == 2 and not calls.what)

        tell(made, story, profile="c")
        again = make_explorer("")
        kept = again.credentials.state(again.profiles.profiles["c"])
    assert json.loads(server.requests[0].body)["params"] == {"username": "bob", "password": "the-word-of-bob"}
    assert server.requests[1].header("cookie") == "sessionid=session-of-bob"
    stored = {field: found.reveal() for field, found in kept.items() if isinstance(found, Secret)}
    assert stored == {"password": "the-word-of-ada"} | ({"session": "session-of-ada"} if session else {})


@pytest.mark.thorough
def test_the_name_of_the_file_typed_again_is_the_profile_as_it_was(make_explorer: Make) -> None:
    with RawServer(answers) as server:
        text = f'[profile.i]\nurl = "{server.origin}"\nauth = {{ kind = "inline", username = "ada" }}\n'
        made = make_explorer(text, RPCEXPLORER_I_PASSWORD="the-word-of-ada")

        async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
            calls = await on(pilot, CallScreen)
            for name, word in (("bob", "the-word-of-bob"), ("ada", "another-of-ada")):
                calls.action_new_session()
                form = await on(pilot, Credentials)
                await type_in(pilot, name)
                form.of("password").focus()
                await type_in(pilot, word)
                await pilot.press("ctrl+s")
                await on(pilot, CallScreen)
                calls.drafts.choose("arg_test")
                calls.exchange = None
                await pilot.press("f5")
                await until(pilot, lambda: calls.exchange is not None and not calls.what)

        tell(made, story, profile="i")
    assert [json.loads(request.body)["params"]["username"] for request in server.requests] == ["bob", "ada"]
    assert made.profile == made.profiles.profiles["i"]


@pytest.mark.thorough
def test_what_was_saved_for_another_server_is_told_and_asked_for(make_explorer: Make, service: str) -> None:
    made = make_explorer(f'[profile.c]\nurl = "{service}"\nauth = {{ kind = "cookie", username = "{USERNAME}" }}\n')
    old = make_explorer("").profiles.profiles["c"]
    moved = type(old)(
        **{each: getattr(old, each) for each in old.__struct_fields__} | {"url": "https://old.example.com"}
    )
    made.secrets.save(moved, "password", "for the old server")

    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        assert auth(pilot) == "! password blocked"
        form = await asked(pilot)
        assert "origin: https://old.example.com → " in shown(form)
        await type_in(pilot, PASSWORD)
        await pilot.press("enter")
        calls = await on(pilot, CallScreen)
        await until(pilot, lambda: calls.exchange is not None and not calls.what)
        assert auth(pilot).startswith("● session")

    tell(made, story, profile="c")


@pytest.mark.everyday(1)
@pytest.mark.parametrize("answer", ["Don't send", "Allow and send"])
def test_a_changed_route_is_shown_old_and_new_before_a_secret_goes_it(
    make_explorer: Make, service: str, tmp_path: Path, answer: str
) -> None:
    profile = f'[profile.i]\nurl = "{service}"\nauth = {{ kind = "inline", username = "{USERNAME}"'
    made = make_explorer(f"{profile} }}\n")
    made.secrets.save(made.profiles.profiles["i"], "password", PASSWORD)
    team = tmp_path / "work" / "sessions.toml"
    team.write_text(f'{profile}, username_member = "user" }}\n')
    made.reload()

    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        calls = await on(pilot, CallScreen)
        assert auth(pilot) == "! password blocked"
        await pilot.press("f5")
        question = await on(pilot, Confirm)
        assert "Send the password of i to a changed destination?" in shown(question)
        assert f"not set\n→ user  {team}:3" in shown(question)
        await pilot.press(*(["tab"] if answer == "Allow and send" else []), "enter")
        await on(pilot, CallScreen)
        await until(pilot, lambda: calls.exchange is not None and not calls.what)
        sent = not isinstance(calls.exchange.outcome, Refused)
        assert sent == (answer == "Allow and send")
        assert auth(pilot) == ("● password stored" if sent else "! password blocked")

    tell(made, story, profile="i")


@pytest.mark.thorough
@pytest.mark.parametrize("known", [["username"], ["username", "password"]])
def test_who_enters_secrets_begins_with_the_password_and_never_with_a_session(
    make_explorer: Make, service: str, known: list[str]
) -> None:
    made = make_explorer(f'version = 1\n[profile.c]\nurl = "{service}"\nauth = {{ kind = "cookie" }}\n')
    profile = made.use("c")
    assert isinstance(profile, Profile)
    for field in known:
        made.secrets.save(profile, field, "something")

    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        await profiles(pilot, "c")
        await pilot.press("s")
        form = await on(pilot, Credentials)
        assert form.focused is form.of("password")

    tell(made, story, profile="c")


@pytest.mark.parametrize(
    ("pressed", "answer"),
    [
        (["x", "y", "enter"], ("xy", False)),
        (["x", "y", "tab", "right", "enter"], ("xy", True)),
        (["x", "tab", "right", "left", "shift+tab", "y", "enter"], ("xy", False)),
        (["enter"], None),
        (["x", "tab", "right", "escape"], None),
    ],
)
def test_prompt_for_a_secret_offers_to_store_it(pressed: list[str], answer: tuple[str, bool] | None) -> None:
    answers: list[tuple[str, bool] | None] = []

    async def run() -> None:
        stage = Stage(Static("below"))
        async with stage.run_test(size=(80, 24)) as pilot:
            person = PersonOnScreen()
            person.open = stage.push_screen_wait

            async def ask() -> None:
                answers.append(
                    await person.secret("password for x", store=Store("~/state/secrets.toml", "rpcexplorer"))
                )

            stage.run_worker(ask())
            dialog = await on(pilot, AskSecret)
            assert "stores it in ~/state/secrets.toml" in shown(dialog)
            await pilot.press(*pressed)
            await until(pilot, lambda: bool(answers))

    asyncio.run(run())
    assert answers == [answer]


def block(explorer: Explorer) -> None:
    """Let nothing be written where drafts belong."""
    explorer.paths.drafts.parent.mkdir(parents=True, exist_ok=True)
    explorer.paths.drafts.write_text("a file where the folder should be")


async def typed(app: ExplorerApp, pilot: Pilot[Any], text: str = '["typed"]') -> None:
    assert app.calls is not None
    app.calls.params.replace(text)
    await until(pilot, lambda: bool(app.explorer.drafts.unsaved))


async def answer(pilot: Pilot[Any], id: str) -> None:
    question = await on(pilot, Confirm)
    question.query_one(f"#{id}", Answer).focus()
    await pilot.press("enter")


def tell_blocked(explorer: Explorer, story: Story) -> None:
    block(explorer)
    tell(explorer, story)


# --- at the end


@pytest.mark.thorough
def test_a_draft_that_cannot_be_written_does_not_go_without_a_word_and_an_offer(explorer: Explorer) -> None:
    async def story(app: ExplorerApp, pilot: Pilot[Any]) -> None:
        await typed(app, pilot)
        await pilot.press("ctrl+q")
        question = await on(pilot, Confirm)
        assert "Quit without saving your drafts?" in shown(question)
        assert "ping on demo" in shown(question)
        assert "a part of the path is a file" in shown(question)
        await answer(pilot, "again")
        await on(pilot, Confirm)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.calls)
        assert not app._exit

        await pilot.press("ctrl+q")
        await on(pilot, Confirm)
        explorer.paths.drafts.unlink()
        await answer(pilot, "again")
        await until(pilot, lambda: app._exit)
        assert Drafts(explorer.paths.drafts).find("demo", "ping") == '["typed"]'

    tell_blocked(explorer, story)


@pytest.mark.thorough
def test_it_can_be_saved_in_another_place(explorer: Explorer, tmp_path: Path) -> None:
    file = tmp_path / "elsewhere" / "params.txt"

    async def story(app: ExplorerApp, pilot: Pilot[Any]) -> None:
        await typed(app, pilot)
        assert app.calls is not None
        app.calls.drafts.choose("demo.echo")
        app.calls.params.replace("[2")
        await pilot.press("ctrl+q")
        for path in (tmp_path, file):  # the first is there already
            await answer(pilot, "elsewhere")
            asked = await on(pilot, Ask)
            asked.query_one(Entry).value = str(path)
            await pilot.press("enter")
            if path == tmp_path:
                await until(pilot, lambda: "it exists already" in said(app))
        await until(pilot, lambda: app._exit)

    tell_blocked(explorer, story)
    assert file.read_text() == 'ping on demo:\n["typed"]\n\ndemo.echo on demo:\n[2\n'
    assert file.stat().st_mode & 0o077 == 0
    assert explorer.drafts.unsaved, "it belongs elsewhere still"


@pytest.mark.thorough
def test_whoever_leaves_the_place_open_is_asked_again(explorer: Explorer) -> None:
    async def story(app: ExplorerApp, pilot: Pilot[Any]) -> None:
        await typed(app, pilot)
        await pilot.press("ctrl+q")
        await answer(pilot, "elsewhere")
        await on(pilot, Ask)
        await pilot.press("escape")
        await answer(pilot, "end")
        await until(pilot, lambda: app._exit)

    tell_blocked(explorer, story)


@pytest.mark.thorough
def test_an_impatient_person_is_told_once_and_then_gone(explorer: Explorer) -> None:
    async def story(app: ExplorerApp, pilot: Pilot[Any]) -> None:
        await typed(app, pilot)
        app.shutdown.leave(asking=True)
        app.shutdown.leave(asking=True)
        await on(pilot, Confirm)
        assert not app._exit
        await pilot.press("ctrl+q")
        await until(pilot, lambda: app._exit)

    tell_blocked(explorer, story)


@pytest.mark.thorough
def test_a_signal_asks_nobody(explorer: Explorer) -> None:
    async def story(app: ExplorerApp, pilot: Pilot[Any]) -> None:
        await typed(app, pilot)
        os.kill(os.getpid(), signal.SIGTERM)
        await until(pilot, lambda: app._exit)

    tell_blocked(explorer, story)


# --- while somebody types


def test_a_slow_disk_holds_up_no_key_and_the_last_text_is_the_one_that_stays(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drafts, "PAUSE_SECONDS", 0)
    goes_on, begun, in_time = Event(), Event(), list[bool]()
    kept = explorer.drafts.keep_typed

    def slow(*given: Any) -> str:
        begun.set()
        in_time.append(goes_on.wait(5))
        return kept(*given)

    monkeypatch.setattr(explorer.drafts, "keep_typed", slow)

    async def story(app: ExplorerApp, pilot: Pilot[Any]) -> None:
        assert app.calls is not None
        app.calls.params.replace("[1]")
        await until(pilot, begun.is_set)
        app.calls.params.replace("[12]")
        await pilot.pause()
        goes_on.set()
        await pilot.press("ctrl+q")
        await until(pilot, lambda: app._exit)

    tell(explorer, story)
    assert all(in_time), "the screen waited for the disk"
    assert Drafts(explorer.paths.drafts).find("demo", "ping") == "[12]"


@pytest.mark.thorough
def test_whoever_has_the_same_draft_on_two_screens_is_told_and_both_texts_are_kept(explorer: Explorer) -> None:
    async def story(app: ExplorerApp, pilot: Pilot[Any]) -> None:
        there = Drafts(explorer.paths.drafts)
        there.keep("demo", "ping", "[2]")
        assert app.calls is not None
        app.calls.params.replace("[1]")
        await until(pilot, lambda: "also changed elsewhere" in said(app))
        (beside,) = explorer.paths.drafts.rglob("*.other-1")
        assert beside.read_text().endswith("[2]")
        assert str(beside) in said(app)
        assert Drafts(explorer.paths.drafts).find("demo", "ping") == "[1]"

    tell(explorer, story)


# --- the real program


def started(tmp_path: Path, **more: str) -> Terminal:
    (tmp_path / "sessions.toml").write_text('version = 1\n[profile.here]\nurl = "http://127.0.0.1:9"\n')
    return Terminal([], {"RPCEXPLORER_HOME": str(tmp_path / "home"), **more}, tmp_path, (100, 30))


@pytest.mark.thorough
def test_whoever_types_without_a_pause_loses_at_most_two_seconds_of_it_to_a_kill(tmp_path: Path) -> None:
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
def test_draft_that_cannot_be_written_is_reported_when_quitting(tmp_path: Path) -> None:
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


WORDS = {
    "reset": {"params.reset"},
    "export": {"copy"},
    "undo": {"params.undo"},
    "repeat": {"send", "recent.again"},
    "compare": {"compare-profiles", "response.compare", "history"},
    "quit": {"quit"},
    "curl": {"copy"},
}


def test_words_that_people_search_for_find_their_commands(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[str], calls: CallScreen) -> None:
        await pilot.press("ctrl+p")
        picker: Picker = await on(pilot, Picker)
        for word, ids in WORDS.items():
            await type_in(pilot, word)
            await until(pilot, lambda ids=ids: picker.list.items[0].pick.id in ids)  # type: ignore[misc]
            assert picker.list.items[0].pick.label in on_view(app), word
        await pilot.press("escape")

    visit(explorer, scene)


@pytest.mark.thorough
def test_what_cannot_be_done_now_is_found_and_said_to_be_so(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[str], calls: CallScreen) -> None:
        calls.drafts.choose("demo.echo")
        await pilot.press("ctrl+p")
        picker = await on(pilot, Picker)
        assert "params.undo" not in [item.pick.id for item in picker.list.items], "who only looks is not bothered"
        await type_in(pilot, "undo")
        await until(pilot, lambda: "not now" in text_of(picker.list))
        await pilot.press("enter")
        await pilot.pause()
        assert app.screen is picker
        await pilot.press("escape")
        await on(pilot, CallScreen)
        calls.params.focus_inside()
        await pilot.press("end", "space")
        await pilot.press("ctrl+p")
        picker = await on(pilot, Picker)
        await type_in(pilot, "undo")
        assert picker.list.items[0].pick.id == "params.undo"
        assert not picker.list.items[0].pick.idle
        before = calls.params.text
        await pilot.press("enter")
        await until(pilot, lambda: calls.params.text != before)

    visit(explorer, scene)
