"""Logging in: what is lacking is asked for, masked; what came back is shown; a session that somebody has is taken."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from rpcexplorer.demo import PASSWORD, USERNAME
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.destination import Store
from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.tui.app import ExplorerApp, PersonOnScreen
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.dialogs import AskSecret, Credentials
from rpcexplorer.tui.widgets.bars import Header
from rpcexplorer.tui.widgets.dialog import Confirm
from tests.fakes.wire import RawServer, Received, http_reply
from tests.tui.stage import Stage
from tests.tui.visiting import on, on_view, profiles, said, shown, tell, type_in
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
        assert "no user name and no password" in shown(form)
        assert "nowhere else" in shown(form)
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
    assert "password" not in store.read_text()  # kept for this run: only the session is written down


@pytest.mark.thorough
def test_what_is_to_be_kept_is_kept(lacking: Explorer, store: Path) -> None:
    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        form = await asked(pilot)
        form.of("keep").focus()
        await pilot.press("right")
        form.of("username").focus()
        await type_in(pilot, USERNAME)
        await pilot.press("enter")
        await type_in(pilot, PASSWORD)
        await pilot.press("enter")
        await on(pilot, CallScreen)

    tell(lacking, story, profile="c")
    assert "password" in store.read_text()


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
def test_a_pasted_session_is_taken_and_no_login_is_sent(lacking: Explorer) -> None:
    async def story(app: ExplorerApp, pilot: Pilot[str]) -> None:
        form = await asked(pilot)
        form.of("session").focus()
        await type_in(pilot, "Cookie: a=b; sessionid=s3cret-id")
        assert "s3cret-id" not in app.export_screenshot()
        await pilot.press("enter")
        calls = await on(pilot, CallScreen)
        await until(pilot, lambda: auth(pilot).startswith("● session"))
        assert calls.exchange is None
        assert "The session is taken" in said(app)

    tell(lacking, story, profile="c")
    assert value(lacking, "c", "session") == "s3cret-id"


@pytest.mark.thorough
def test_a_profile_that_has_everything_is_not_asked(explorer: Explorer) -> None:
    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        calls = await on(pilot, CallScreen)
        await pilot.press("f8")
        await until(pilot, lambda: calls.exchange is not None and not calls.what)
        assert auth(pilot).startswith("● session")

    tell(explorer, story, profile="cookie")


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
@pytest.mark.parametrize(("own", "session"), [(False, True), (True, True), (False, False)])
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
            assert "c is used as bob in this run" in said(app)
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
                calls.choose("arg_test")
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
        assert (auth(pilot) == "✗ password rejected") == sent

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
