"""The profiles screen over the demo service and real files."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from textual.color import Color
from textual.pilot import Pilot

from rpcexplorer.auth.registry import KINDS
from rpcexplorer.demo import USERNAME
from rpcexplorer.explorer import Explorer
from rpcexplorer.files.toml_edit import edit
from rpcexplorer.model.destination import DestinationChanged
from rpcexplorer.model.problem import Problem
from rpcexplorer.model.profile import HeaderHandshake, ad_hoc
from rpcexplorer.model.secret import Secret
from rpcexplorer.profiles.keys import PROFILE_KEYS
from rpcexplorer.tui.app import ExplorerApp
from rpcexplorer.tui.batch import BatchScreen
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.connection_test import ConnectionTest
from rpcexplorer.tui.dialogs import Credentials
from rpcexplorer.tui.form import FormScreen
from rpcexplorer.tui.history import HistoryScreen
from rpcexplorer.tui.profile_form import ProfileForm, wrong_of
from rpcexplorer.tui.profiles import ProfileList, ProfilesScreen, Welcome
from rpcexplorer.tui.statistics import StatisticsScreen
from rpcexplorer.tui.widgets.bars import Footer, Header
from rpcexplorer.tui.widgets.dialog import Answer, Confirm, Form, Wrong
from rpcexplorer.tui.widgets.inputs import Entry
from tests.client.test_connection_test import by_name, deluge, key_wanted, open_aria2
from tests.fakes.wire import HOLD, RawServer
from tests.tui.visiting import (
    asked,
    drawn,
    names,
    notices,
    on,
    on_view,
    page,
    profiles,
    rest,
    run_test,
    select_profile,
    shown,
    tell,
    type_in,
)
from tests.tui.waiting import until

Make = Callable[..., Explorer]
ONE = """\
version = 1   # the only version

[profile.one]
url = "https://one.example.com"   # where it is
# what it is
description = "First"
auth = { kind = "none" }
"""
TWO = ONE + '\n[profile.two]\nurl = "https://two.example.com"\nbadge = "prod"\nauth = { kind = "none" }\n'


@pytest.fixture
def team(tmp_path: Path) -> Path:
    return tmp_path / "work" / "sessions.toml"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return tmp_path / "home" / "config" / "sessions.toml"


def hints(screen: ProfilesScreen) -> list[str]:
    return [command.words for _, command in screen.query_one(Footer).shown]


def test_list_shows_badge_url_auth_and_missing_secrets(make_explorer: Make, service: str, explorer: Explorer) -> None:
    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        screen = await profiles(pilot)
        lines = dict(zip(names(screen), drawn(screen.list).split("\n"), strict=True))
        assert service in lines["inline"]
        assert lines["demo"].startswith(" ▸ demo")
        assert lines["prod"].endswith("PROD")
        assert lines["inline"].split()[2:] == ["inline", "●", "password", "from", "env", "staging"]
        assert lines["cookie"].split()[2:] == ["cookie", "○", "no", "session", "yet"]

    tell(explorer, story, size=(200, 50))


@pytest.mark.thorough
@pytest.mark.drawn
def test_footer_offers_the_actions_of_the_profile(make_explorer: Make) -> None:
    broken = '\n[profile.broken]\nurl = "nowhere"\n'

    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        screen = await profiles(pilot, "one")
        assert hints(screen)[:6] == ["use", "add", "edit", "duplicate", "remove", "test"]
        select_profile(screen, "broken")
        await until(pilot, lambda: hints(screen)[:3] == ["add", "find", "back"])
        assert "! cannot be used" in drawn(screen.list)
        assert "must be a URL" in page(screen)
        await pilot.press("enter", "e", "t", "s", "d", "delete")
        assert pilot.app.screen is screen

    tell(make_explorer(ONE + broken), story, profile="one")


def test_screens_on_prod_have_red_edges(make_explorer: Make) -> None:
    async def story(app: ExplorerApp, pilot: Pilot[str]) -> None:
        calls = await on(pilot, CallScreen)
        calls.drafts.choose("ping")
        red = ("outer", Color.parse(app.theme_variables["prod"]))
        for keys, kind in [
            ("f6", HistoryScreen), ("s", StatisticsScreen), ("escape", HistoryScreen), ("escape", CallScreen),
            ("f7", ProfilesScreen), ("escape", CallScreen), ("alt+l", BatchScreen), ("escape", CallScreen),
            ("alt+e", FormScreen),
        ]:  # fmt: skip
            await pilot.press(keys)
            await on(pilot, kind)
            edges = app.screen.styles.border_left, app.screen.styles.border_right
            assert edges == (red, red), kind

    tell(make_explorer(TWO), story, profile="two")


@pytest.mark.thorough
def test_click_selects_and_second_click_uses(explorer: Explorer) -> None:
    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        screen = await profiles(pilot)
        await pilot.click(ProfileList, offset=(5, 4))
        assert "PROD" in page(screen)
        await pilot.click(ProfileList, offset=(5, 4))
        await on(pilot, CallScreen)
        assert explorer.profile is not None
        assert explorer.profile.name == "prod"

    tell(explorer, story)


async def add(pilot: Pilot[str], name: str, url: str) -> ProfileForm:
    await profiles(pilot)
    await pilot.press("a")
    form: ProfileForm = await on(pilot, ProfileForm)
    await type_in(pilot, name)
    await pilot.press("tab")
    await type_in(pilot, url)
    return form


@pytest.mark.thorough
def test_project_file_is_named_and_written_when_chosen(make_explorer: Make, team: Path, own: Path) -> None:
    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        form = await add(pilot, "new", "https://new.example.com")
        form.input_of("home").focus()
        await pilot.press("right")
        await until(pilot, lambda: str(team) in shown(form))
        await pilot.press("enter")
        await on(pilot, ProfilesScreen)

    tell(make_explorer(ONE), story, profile="one")
    assert team.read_text().startswith(ONE)
    assert "[profile.new]" in team.read_text()
    assert not own.exists()


WRONG = [
    (("", "https://x.example.com"), "needs a name", "name"),
    (("a/b", "https://x.example.com"), "Begin with a letter or digit", "name"),
    (("ONE", "https://x.example.com"), "The name is too similar to the profile one", "name"),
    (("Url", "https://x.example.com"), "The name is reserved", "name"),
    (("one", "https://x.example.com"), "There is already a profile one.", "name"),
    (("new", ""), "needs a URL", "url"),
    (("new", "rpc.example.com"), "begins with https://", "url"),
    (("new", "stdio:"), "Write a command after stdio:", "url"),
    (("new", "stdio:sh 'a"), "Close its quotes.", "url"),
    (("new", "https://me:pw@x.example.com"), "user name or password. Choose an auth type below.", "url"),
    (("new", "https://x.example.com/?apikey=abc"), "a secret. Remove apikey. Choose an auth type below.", "url"),
    (("new", "https://x.example.com/{token}/a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6"), "with {token}.", "url"),
    (("new", "https://x.example.com/#a"), 'The path of the URL must be text such as "/api/v2/", without', "url"),
    (("new", "https://x.example.com:99999"), "must have a port from 1 to 65535", "url"),
]


@pytest.mark.thorough
def test_problem_is_below_its_line_and_nothing_written(make_explorer: Make, own: Path) -> None:
    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        for typed, wrong, field in WRONG:  # each in a form of its own
            form = await add(pilot, *typed)
            assert wrong not in shown(form)
            await pilot.press("ctrl+s")
            await until(pilot, lambda form=form, wrong=wrong: wrong in shown(form))  # type: ignore[misc]
            assert form.focused is form.input_of(field), wrong
            assert (form.values["name"], form.values["url"]) == typed
            await left(pilot)

    tell(make_explorer(ONE), story, profile="one")
    assert not own.exists()


@pytest.mark.parametrize(
    "url", ["http://me:pw-4711@a.example", "http://me:pw-4711", "ftp://a.example", "", "a.example"]
)
@pytest.mark.everyday(1)
def test_form_repeats_no_url_that_cannot_be_used(make_explorer: Make, url: str) -> None:
    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        form = await add(pilot, "new", "http://a.example")
        assert "Calls go to http://a.example/api/v2/" in shown(form)
        await type_in(pilot, url)
        await until(pilot, lambda: "Calls go to" not in shown(form))
        assert "pw-4711" not in shown(form)
        await left(pilot)

    tell(make_explorer(ONE), story, profile="one")


@pytest.mark.thorough
def test_form_on_a_low_screen_always_shows_its_keys(make_explorer: Make) -> None:
    async def story(app: ExplorerApp, pilot: Pilot[str]) -> None:
        form = await add(pilot, "new", "http://a.example")
        await choose(pilot, form, "xapi")
        await until(pilot, lambda: "XenServer" in on_view(app))
        assert "^S save" in on_view(app)
        await left(pilot)

    tell(make_explorer(ONE), story, profile="one", size=(80, 24))


@pytest.mark.thorough
def test_prod_badge_confirms_unless_set_otherwise(make_explorer: Make, own: Path) -> None:
    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        form = await add(pilot, "p", "https://p.example.com")
        form.input_of("badge").focus()
        await pilot.press("left")
        assert form.values["badge"] == "prod"
        assert form.values["confirm"] == "unsafe"
        form.input_of("confirm").focus()
        await pilot.press("left", "ctrl+s")
        await on(pilot, ProfilesScreen)

    tell(make_explorer(ONE), story, profile="one")
    assert 'badge = "prod"\nconfirm = "never"\n' in own.read_text()


async def edit_form(pilot: Pilot[str], name: str) -> ProfileForm:
    await profiles(pilot, name)
    await pilot.press("e")
    form: ProfileForm = await on(pilot, ProfileForm)
    return form


async def saved(pilot: Pilot[str]) -> ProfilesScreen:
    await pilot.press("ctrl+s")
    screen: ProfilesScreen = await on(pilot, ProfilesScreen)
    return screen


async def left(pilot: Pilot[str]) -> None:
    await pilot.press("escape")
    await on(pilot, ProfilesScreen)


async def choose(pilot: Pilot[str], form: ProfileForm, name: str) -> None:
    """Turn the line of presets to this one."""
    form.input_of("preset").focus()
    await pilot.pause()
    for _ in range(40):
        if form.values["preset"] == name:
            return
        await pilot.press("right")
    raise AssertionError(name)


def test_preset_fills_and_is_written_to_new_profile(make_explorer: Make, own: Path) -> None:
    made = make_explorer(ONE)

    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        form = await add(pilot, "node", "http://127.0.0.1:8332")
        assert "Calls go to http://127.0.0.1:8332/api/v2/" in shown(form)
        await choose(pilot, form, "bitcoin")
        assert (form.values["auth.kind"], form.values["content_type"]) == ("basic", "application/json")
        await until(pilot, lambda: "Calls go to http://127.0.0.1:8332/" in shown(form).split("\n"))
        advice = made.profiles.presets.load("bitcoin")
        assert advice is not None
        assert advice.preset.advice[:40] in " ".join(shown(form).split())
        form.input_of("auth.username").focus()
        await type_in(pilot, "rpc")
        screen = await saved(pilot)
        await until(pilot, lambda: "bitcoin" in page(screen))

    tell(made, story, profile="one")
    assert tomllib.loads(own.read_text())["profile"]["node"] == {
        "url": "http://127.0.0.1:8332",
        "preset": "bitcoin",
        "auth": {"username": "rpc"},
    }
    assert made.profiles.profiles["node"].endpoint == "http://127.0.0.1:8332/"


@pytest.mark.thorough
def test_typed_values_survive_a_change_of_preset(make_explorer: Make, own: Path) -> None:
    made = make_explorer(ONE)

    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        form = await add(pilot, "x", "http://127.0.0.1:1/own")
        await choose(pilot, form, "aria2")
        assert form.values["auth.value"] == "token:{token}"
        form.input_of("content_type").focus()
        await type_in(pilot, "text/x")
        form.input_of("auth.kind").focus()
        await pilot.press("n")
        assert form.values["auth.kind"] == "none"
        await choose(pilot, form, "bitcoin")
        assert (form.values["auth.kind"], form.values["content_type"]) == ("none", "text/x")
        assert form.values["auth.value"] == ""
        assert "Calls go to http://127.0.0.1:1/own" in shown(form)
        await saved(pilot)

    tell(made, story, profile="one")
    assert tomllib.loads(own.read_text())["profile"]["x"] == {
        "url": "http://127.0.0.1:1",
        "preset": "bitcoin",
        "path": "/own",
        "content_type": "text/x",
        "auth": {"kind": "none"},
    }


@pytest.mark.thorough
def test_removed_preset_restores_the_form(make_explorer: Make, own: Path) -> None:
    made = make_explorer(ONE)
    made.use(ad_hoc("http://127.0.0.1:6800"))

    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        await profiles(pilot)
        await pilot.press("a")
        form: ProfileForm = await on(pilot, ProfileForm)
        before = form.values
        assert before["url"] == "http://127.0.0.1:6800"
        await choose(pilot, form, "aria2")
        assert form.values["auth.kind"] == "first"
        await until(pilot, lambda: "Calls go to http://127.0.0.1:6800/jsonrpc" in shown(form))
        form.input_of("preset").focus()
        await pilot.press("left")
        assert form.values == before
        await until(pilot, lambda: "Calls go to http://127.0.0.1:6800/api/v2/" in shown(form))
        await left(pilot)

    tell(made, story)
    assert not own.exists()


def test_typing_replaces_the_url_of_a_new_profile(make_explorer: Make) -> None:
    made = make_explorer("")
    made.use(ad_hoc("http://127.0.0.1:6800"))

    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        await profiles(pilot)
        await pilot.press("a")
        form: ProfileForm = await on(pilot, ProfileForm)
        await pilot.press("m", "enter", "h")
        assert (form.values["name"], form.values["url"]) == ("m", "h")
        await pilot.press("tab", "shift+tab", "t")
        assert form.values["url"] == "ht", "a typed URL is not a suggestion"
        await left(pilot)

    tell(made, story)


def test_problem_of_auth_name_is_at_its_line() -> None:
    problem = Problem("sessions.toml", "must be the name of a parameter", key="profile.p.auth.name")
    wrong = wrong_of(problem, {"name": "p", "auth.name": "a b"})
    assert wrong == Wrong("The parameter must be the name of a parameter.", "auth.name")


@pytest.mark.thorough
def test_form_has_the_lines_of_chosen_auth_type(make_explorer: Make) -> None:
    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        form = await add(pilot, "x", "http://x")
        kinds = form.input_of("auth.kind")
        fields = [row for row in PROFILE_KEYS if row.part == "auth" and row.label and row.key != "auth.kind"]
        for kind in KINDS.values():
            while kinds.value != kind.kind:
                kinds.focus()
                await pilot.press("right")
            await pilot.pause()
            offered = {f"auth.{field.name}" for field in kind.fields if field.label}
            assert {row.key for row in fields if form.input_of(row.key).region.height} == offered
        await left(pilot)

    tell(make_explorer(ONE), story, profile="one")


@pytest.mark.thorough
def test_edited_url_without_path_gets_path_of_preset(make_explorer: Make, team: Path) -> None:
    made = make_explorer('[profile.dl]\nurl = "http://127.0.0.1:6800"\npreset = "aria2"\n')

    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        form = await edit_form(pilot, "dl")
        url = form.input_of("url")
        assert url.value == "http://127.0.0.1:6800/jsonrpc"
        url.value = "http://127.0.0.1:6801"
        await until(pilot, lambda: "Calls go to http://127.0.0.1:6801/jsonrpc" in shown(form))
        await saved(pilot)

    tell(made, story, profile="dl")
    assert team.read_text() == '[profile.dl]\nurl = "http://127.0.0.1:6801"\npreset = "aria2"\n'


def test_renamed_profile_in_use_keeps_draft_and_secret(make_explorer: Make, team: Path) -> None:
    made = make_explorer(TWO.replace('kind = "none"', 'kind = "inline", username = "ada"'))
    made.secrets.save(made.profiles.profiles["one"], "password", "hunter2hunter2")

    async def story(app: ExplorerApp, pilot: Pilot[str]) -> None:
        calls = await on(pilot, CallScreen)
        calls.drafts.choose("ping")
        calls.params.replace("[12345]", is_typed=True)
        form = await edit_form(pilot, "one")
        assert form.focused is form.input_of("url")
        form.input_of("badge").focus()
        await pilot.press("left")
        form.input_of("name").focus()
        await type_in(pilot, "two")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "There is already a profile two." in shown(form))
        await type_in(pilot, "first")
        screen = await saved(pilot)
        await until(pilot, lambda: names(screen) == ["first", "two"])
        assert "✓ stored" in page(screen)
        assert notices(app) == ""
        await pilot.press("escape")
        calls = await on(pilot, CallScreen)
        await until(pilot, lambda: calls.header.profile is made.profile)
        assert (calls.method, calls.params.text) == ("ping", "[12345]")

    tell(made, story, profile="one")
    assert made.profile == made.profiles.profiles["first"]
    assert team.read_text().startswith(ONE.replace("one]", "first]").partition("auth")[0])
    assert made.profile.badge == "prod"


@pytest.mark.thorough
def test_edited_profile_in_use_changes_the_call_screen(make_explorer: Make) -> None:
    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        form = await edit_form(pilot, "one")
        form.input_of("badge").focus()
        await pilot.press("left", "ctrl+s")
        screen = await on(pilot, ProfilesScreen)
        await until(pilot, lambda: screen.has_class("-prod"))
        await pilot.press("escape")
        calls = await on(pilot, CallScreen)
        await until(pilot, lambda: calls.has_class("-prod"))

    tell(make_explorer(ONE), story, profile="one")


def test_emptied_line_removes_the_key(make_explorer: Make, team: Path) -> None:
    made = make_explorer(ONE)

    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        await edit_form(pilot, "one")
        await pilot.press("tab")
        await type_in(pilot, "")
        await saved(pilot)

    tell(made, story, profile="one")
    assert "description" not in team.read_text()
    assert made.profiles.profiles["one"].description == ""


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("path", "typed", "endpoint", "written"),
    [
        (None, "https://uno.example.com", "https://uno.example.com/api/v2/", {"url": "https://uno.example.com"}),
        (None, "https://uno.example.com/", "https://uno.example.com/", {"url": "https://uno.example.com", "path": "/"}),
        (None, "https://one.example.com/rpc", "https://one.example.com/rpc", {"path": "/rpc"}),
        (None, "https://one.example.com/api/v2/", "https://one.example.com/api/v2/", {}),
        ("/rpc", "https://uno.example.com", "https://uno.example.com/api/v2/", {"url": "https://uno.example.com"}),
        ("", "https://one.example.com/", "https://one.example.com/", {"path": ""}),
    ],
)
def test_form_shows_the_endpoint_and_writes_differences(
    make_explorer: Make, team: Path, *, path: str | None, typed: str, endpoint: str, written: dict[str, str]
) -> None:
    made = make_explorer(ONE.replace('description = "First"', "" if path is None else f'path = "{path}"'))

    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        form = await edit_form(pilot, "one")
        assert f"Calls go to https://one.example.com{'/api/v2/' if path is None else path or '/'}\n" in shown(form)
        await type_in(pilot, typed)
        await until(pilot, lambda: f"Calls go to {endpoint}\n" in shown(form))
        await saved(pilot)

    tell(made, story, profile="one")
    assert made.profiles.profiles["one"].endpoint == (endpoint if path != "" else "https://one.example.com")
    before = {"url": "https://one.example.com"}
    values = tomllib.loads(team.read_text())["profile"]["one"]
    assert {key: values[key] for key in ("url", "path") if key in values} == before | written


@pytest.mark.thorough
def test_files_changed_meanwhile_are_read_when_opened(make_explorer: Make, team: Path) -> None:
    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        assert names(await profiles(pilot)) == ["one", "two"]

    made = make_explorer(ONE)
    team.write_text(TWO)
    tell(made, story, profile="one")


@pytest.mark.thorough
def test_invalid_file_keeps_the_profile_in_use(make_explorer: Make, team: Path) -> None:
    async def story(app: ExplorerApp, pilot: Pilot[str]) -> None:
        screen = await profiles(pilot)
        assert "The profiles cannot be read" in drawn(screen.list)
        assert "this is not TOML" in page(screen)
        assert "The profile one can no longer be read. Its old settings stay in use." in notices(app)
        assert "sessions.toml" in notices(app)
        await pilot.press("escape")
        await on(pilot, CallScreen)
        assert made.profile is not None
        assert made.profile.name == "one"

    made = make_explorer(ONE)
    team.write_text(ONE + "\n[profile.")
    tell(made, story, profile="one")


def test_fixes_of_an_address_are_saved_at_once(make_explorer: Make, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, writes = make_explorer(ONE), list[Path]()
    handshake = HeaderHandshake("X-Session-Id")
    made.use(replace(ad_hoc("http://127.0.0.1:8000/jsonrpc"), id="number", handshake=handshake))

    def write_once(file: Path, *given: Any, **named: Any) -> Problem | None:
        writes.append(file)
        return Problem(str(file), "the disk is full") if len(writes) > 1 else edit(file, *given, **named)

    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        await profiles(pilot)
        await pilot.press("a")
        await on(pilot, ProfileForm)
        await type_in(pilot, "wiki")
        await saved(pilot)

    monkeypatch.setattr("rpcexplorer.profiles.edits.edit", write_once)
    tell(made, story)
    profile = made.profiles.profiles["wiki"]
    assert (profile.id, profile.handshake) == ("number", handshake)


@pytest.mark.thorough
def test_personal_change_is_written_to_the_local_file(make_explorer: Make, team: Path) -> None:
    local = team.with_name("sessions.local.toml")
    made = make_explorer(ONE)

    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        form = await edit_form(pilot, "one")
        form.input_of("home").focus()
        await pilot.press("right")
        await until(pilot, lambda: str(local) in shown(form))
        form.input_of("timeout").focus()
        await type_in(pilot, "5")
        screen = await saved(pilot)
        await until(pilot, lambda: "sessions.local.toml:4" in page(screen))

    tell(made, story, profile="one")
    assert team.read_text() == ONE
    assert local.read_text() == "version = 1\n\n[profile.one]\ntimeout = 5\n"
    assert made.profiles.profiles["one"].timeout == 5


@pytest.mark.thorough
def test_key_overridden_by_another_file_is_reported(make_explorer: Make, team: Path) -> None:
    made = make_explorer(ONE)
    local = team.with_name("sessions.local.toml")
    local.write_text("version = 1\n[profile.one]\ntimeout = 5\n")
    made.reload()

    async def story(app: ExplorerApp, pilot: Pilot[str]) -> None:
        form = await edit_form(pilot, "one")
        assert str(local) in shown(form)
        form.input_of("home").focus()
        await pilot.press("right")
        form.input_of("timeout").focus()
        await type_in(pilot, "60")
        await saved(pilot)
        await until(pilot, lambda: "Saved timeout, but" in notices(app))
        assert f"{local}:3" in notices(app)

    tell(made, story, profile="one")
    assert "timeout = 60" in team.read_text()
    assert made.profiles.profiles["one"].timeout == 5


@pytest.mark.thorough
def test_changed_origin_blocks_secret_until_entered_again(make_explorer: Make) -> None:
    made = make_explorer(ONE.replace('kind = "none"', 'kind = "inline", username = "ada"'))
    profile = made.profiles.profiles["one"]
    made.secrets.save(profile, "password", "old-secret")

    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        await edit_form(pilot, "one")
        await type_in(pilot, "https://moved.example.com")
        screen = await saved(pilot)
        await until(pilot, lambda: "! blocked" in page(screen))
        assert "origin: https://one.example.com → https://moved.example.com" in page(screen)
        assert isinstance(made.credentials.state(made.profiles.profiles["one"])["password"], DestinationChanged)
        await pilot.press("s")
        await on(pilot, Credentials)
        await type_in(pilot, "new")
        await pilot.press("enter")
        await on(pilot, ProfilesScreen)
        await until(pilot, lambda: "✓ stored" in page(screen))

    tell(made, story, profile="one")
    assert isinstance(made.secrets.find(made.profiles.profiles["one"], "password"), Secret)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("field", "typed", "held_back"),
    [
        ("content_type", "text/plain", False),
        ("url", "https://one.example.com/a", False),
        ("url", "https://two.example.com", True),
    ],
)
def test_change_in_the_form_needs_no_second_yes(make_explorer: Make, field: str, typed: str, held_back: bool) -> None:
    made = make_explorer(ONE.replace('kind = "none"', 'kind = "inline", username = "ada"'))
    made.secrets.save(made.profiles.profiles["one"], "password", "old-secret")

    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        form = await edit_form(pilot, "one")
        form.input_of(field).focus()
        await type_in(pilot, typed)
        await saved(pilot)

    tell(made, story, profile="one")
    changed = made.profiles.profiles["one"]
    assert typed in {changed.content_type, changed.endpoint, changed.origin}
    found = made.secrets.find(made.profiles.profiles["one"], "password")
    assert isinstance(found, DestinationChanged if held_back else Secret)


@pytest.mark.thorough
def test_copy_is_in_same_file_with_unused_name(make_explorer: Make, team: Path) -> None:
    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        await profiles(pilot, "one")
        await pilot.press("d")
        form = await on(pilot, Form)
        assert form.values == {"name": "one-copy"}
        await type_in(pilot, "two")
        await pilot.press("enter")
        await until(pilot, lambda: "There is already a profile two." in shown(form))
        assert form.values == {"name": "two"}
        await type_in(pilot, "three")
        await pilot.press("enter")
        screen = await on(pilot, ProfilesScreen)
        await until(pilot, lambda: names(screen) == ["one", "three", "two"])
        assert "First" in page(screen)

    tell(make_explorer(TWO), story, profile="one")
    assert team.read_text().startswith(TWO)


def test_form_of_a_copy_names_the_secrets_it_needs(make_explorer: Make) -> None:
    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        await profiles(pilot, "one")
        await pilot.press("d")
        form = await on(pilot, Form)
        assert "without secrets. It needs its own password." in " ".join(shown(form).split())

    tell(make_explorer(ONE.replace('kind = "none"', 'kind = "cookie", username = "ada"')), story, profile="one")


def test_removed_profile_loses_its_secrets(make_explorer: Make, team: Path) -> None:
    made = make_explorer(TWO.replace('kind = "none"', 'kind = "inline", username = "ada"'))
    two = made.profiles.profiles["two"]
    made.secrets.save(two, "password", "secret")

    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        screen = await profiles(pilot, "two")
        await pilot.press("delete")
        question = await on(pilot, Confirm)
        assert str(team) in shown(question)
        assert question.has_class("-grave")
        await pilot.press("enter")
        await on(pilot, ProfilesScreen)
        assert "two" in made.profiles.profiles, "a quick Enter keeps it"
        await pilot.press("delete")
        await on(pilot, Confirm)
        await pilot.press("right", "enter")
        await on(pilot, ProfilesScreen)
        await until(pilot, lambda: names(screen) == ["one"])

    tell(made, story, profile="one")
    assert "profile.two" not in team.read_text()
    assert made.secrets.find(two, "password") is None


@pytest.mark.thorough
def test_removed_profile_in_use_needs_a_new_choice(make_explorer: Make) -> None:
    made = make_explorer(TWO)

    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        screen = await profiles(pilot, "one")
        await pilot.press("delete")
        await on(pilot, Confirm)
        await pilot.press("right", "enter")
        await on(pilot, ProfilesScreen)
        await until(pilot, lambda: names(screen) == ["two"])
        assert made.profile is None
        assert screen.query_one(Header).profile is None
        assert "back" not in hints(screen)
        await pilot.press("escape")
        assert pilot.app.screen is screen
        await pilot.press("enter")
        calls = await on(pilot, CallScreen)
        await until(pilot, lambda: calls.has_class("-prod"))

    tell(made, story, profile="one")


@pytest.mark.thorough
def test_resize_after_removal_keeps_the_screen_open(make_explorer: Make, service: str) -> None:
    """The docs of the call screen below show the method under its cursor."""

    async def story(app: ExplorerApp, pilot: Pilot[str]) -> None:
        calls = app.calls
        assert calls is not None
        await until(pilot, lambda: bool(calls.method))
        await pilot.press("alt+m", "f2", "up")
        await until(pilot, lambda: calls.panes.pointed not in {"", calls.called})
        screen = await profiles(pilot, "one")
        await pilot.press("delete")
        await on(pilot, Confirm)
        await pilot.press("tab", "enter")
        await until(pilot, lambda: names(screen) == [])
        for size in ((200, 60), (80, 24), (100, 30)):
            await pilot.resize_terminal(*size)
            await rest(pilot)
        assert calls.size.width == 100
        await pilot.press("escape")
        await on(pilot, Welcome)

    tell(make_explorer(ONE.replace("https://one.example.com", service)), story, profile="one")


def test_secrets_are_entered_masked_and_forgotten(make_explorer: Make, service: str, tmp_path: Path) -> None:
    made = make_explorer(f'[profile.c]\nurl = "{service}"\nauth = {{ kind = "cookie", username = "{USERNAME}" }}\n')
    store = tmp_path / "home" / "state" / "secrets.toml"

    async def story(app: ExplorerApp, pilot: Pilot[str]) -> None:
        screen = await profiles(pilot, "c")
        assert "! missing" in page(screen)
        await pilot.press("s")
        form = await on(pilot, Credentials)
        await type_in(pilot, "hunter2x")
        assert "hunter2x" not in app.export_screenshot()
        assert "Sent only to" in shown(form)
        await pilot.press("enter")
        await on(pilot, ProfilesScreen)
        await until(pilot, lambda: "✓ stored, in secrets.toml" in page(screen) or "until you quit" in page(screen))
        assert "hunter2x" in store.read_text()
        await pilot.press("s")
        form = await on(pilot, Credentials)
        form.query_one("#forget").focus()
        await pilot.press("enter")
        await on(pilot, ProfilesScreen)
        await until(pilot, lambda: "! missing" in page(screen))
        assert "hunter2x" not in store.read_text()

    tell(made, story, profile="c")


def test_connection_is_tested_step_by_step(explorer: Explorer) -> None:
    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        screen = await profiles(pilot, "cookie")
        dialog = await run_test(pilot, "t")
        for step in ("– Name", "✓ TCP", "– TLS", "✓ HTTP", "✓ Address", "✓ JSON-RPC", "✓ Login"):  # noqa: RUF001
            assert step in asked(dialog)
        await pilot.press("enter")
        await on(pilot, ProfilesScreen)
        assert "✓ Login" in page(screen)
        assert "● session" in drawn(screen.list)
        select_profile(screen, "dead")
        dialog = await run_test(pilot, "t")
        assert "✗ TCP" in asked(dialog)
        assert "◌ HTTP" in asked(dialog)
        await left(pilot)

    tell(explorer, story)


@pytest.mark.thorough
@pytest.mark.drawn
def test_escape_ends_a_hanging_test_and_keeps_results(make_explorer: Make) -> None:
    with RawServer([HOLD]) as server:
        made = make_explorer(f'[profile.slow]\nurl = "{server.url}"\nauth = {{ kind = "none" }}\n')

        async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
            screen = await profiles(pilot, "slow")
            await pilot.press("t")
            dialog: ConnectionTest = await on(pilot, ConnectionTest)
            await rest(pilot)
            assert "at most 16 requests" in asked(dialog), "the test starts with Enter"
            assert not server.requests
            await pilot.press("enter")
            await until(pilot, lambda: "system.listMethods at" in asked(dialog))
            await pilot.press("enter", "enter", "escape")
            await until(pilot, lambda: "You cancelled the call." in asked(dialog))
            assert pilot.app.screen is dialog
            await left(pilot)
            assert "✓ TCP" in page(screen)
            await pilot.press("escape")
            await on(pilot, CallScreen)

        tell(made, story, profile="slow")


@pytest.mark.thorough
def test_edited_profile_loses_its_test_result(make_explorer: Make) -> None:
    made = make_explorer(ONE.replace("https://one.example.com", "http://127.0.0.1:9"))

    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        screen = await profiles(pilot, "one")
        await run_test(pilot, "t")
        await left(pilot)
        assert "✗ TCP" in page(screen)
        await pilot.press("e")
        await on(pilot, ProfileForm)
        await type_in(pilot, "http://127.0.0.1:10")
        await saved(pilot)
        await until(pilot, lambda: "127.0.0.1:10" in page(screen))
        assert "Connection" not in page(screen)

    tell(made, story, profile="one")


def test_address_with_unknown_auth_cannot_be_used(make_explorer: Make) -> None:
    with RawServer(key_wanted) as server:
        made = make_explorer(ONE)
        made.use(ad_hoc(f"{server.origin}/rpc"))

        async def story(app: ExplorerApp, pilot: Pilot[str]) -> None:
            await on(pilot, CallScreen)
            dialog = await run_test(pilot, "alt+t")
            assert "To choose an auth type, press Esc, F7, then a." in asked(dialog)
            assert "auth =" not in asked(dialog)
            assert [answer.id for answer in dialog.query(Answer) if answer.display] == ["leave"]
            await pilot.press("enter")
            await on(pilot, CallScreen)

        tell(made, story, profile="")


def test_connection_test_does_not_repeat_a_typed_password(make_explorer: Make) -> None:
    async def story(app: ExplorerApp, pilot: Pilot[str]) -> None:
        await profiles(pilot, "one")
        dialog = await run_test(pilot, "t")
        await type_in(pilot, "http://me:pw-4711@a.example")
        await pilot.press("enter")
        await until(pilot, lambda: "must not contain a user name or password" in notices(app))
        assert "pw-4711" not in notices(app)
        assert "127.0.0.1:9" in asked(dialog)

    tell(make_explorer(ONE.replace("https://one.example.com", "http://127.0.0.1:9")), story, profile="one")


@pytest.mark.thorough
@pytest.mark.parametrize("named", [False, True])
def test_address_is_typed_after_test_that_found_nothing(
    make_explorer: Make, team: Path, own: Path, named: bool
) -> None:
    made = make_explorer('[profile.one]\nurl = "http://127.0.0.1:9/"\nauth = { kind = "none" }\n')
    if not named:
        made.use(ad_hoc("http://127.0.0.1:9"))
    with RawServer(by_name) as server:

        async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
            await on(pilot, CallScreen)
            dialog = await run_test(pilot, "alt+t")
            assert "There was no connection. Start the server, or try another URL." in asked(dialog)
            assert isinstance(pilot.app.focused, Entry)
            await type_in(pilot, "nonsense")
            await pilot.press("enter")
            await until(pilot, lambda: "must begin with http:// or https://" in notices(pilot.app))
            await type_in(pilot, f"{server.origin}/rpc")
            await pilot.press("enter")
            await until(pilot, lambda: dialog.report.proposal is not None)
            assert f"Connection test: {server.origin}/rpc" in shown(dialog)
            await pilot.press("enter")
            if named:
                await on(pilot, CallScreen)
                return
            await on(pilot, Form)
            await type_in(pilot, "mine")
            await pilot.press("ctrl+s")
            await on(pilot, CallScreen)

        tell(made, story, profile="one" if named else "")
        home = team.with_name("sessions.local.toml") if named else own
        written = tomllib.loads(home.read_text())["profile"]["one" if named else "mine"]
        assert written == {"url": server.origin, "path": "/rpc", "empty_params": "{}"}


@pytest.mark.thorough
def test_tested_address_is_ready_to_be_called(make_explorer: Make, own: Path) -> None:
    with RawServer(open_aria2) as server:
        made = make_explorer(ONE)
        made.use(ad_hoc(server.origin))

        async def story(app: ExplorerApp, pilot: Pilot[str]) -> None:
            calls: CallScreen = await on(pilot, CallScreen)
            assert "test the connection" in str(calls.response.body.empty)
            assert not server.requests, "never by itself"
            dialog = await run_test(pilot, "alt+t")
            assert 'preset = "aria2"' in asked(dialog)
            await pilot.press("enter")
            form = await on(pilot, Form)
            assert form.input_of("name").value == "aria2"
            await type_in(pilot, "one")
            await pilot.press("ctrl+s")
            await until(pilot, lambda: "There is already a profile one." in shown(form))
            await type_in(pilot, "mine")
            await pilot.press("ctrl+s")
            await on(pilot, CallScreen)
            await until(pilot, lambda: made.profile is not None and made.profile.name == "mine")
            assert calls.method == "system.listMethods", "the first safe method of the preset"
            assert "test the connection" not in str(calls.response.body.empty)
            await pilot.press("f5")
            await until(pilot, lambda: calls.exchange is not None and calls.exchange.outcome_name == "result")
            await made.__aexit__()

        tell(made, story)
    said_now = tomllib.loads(own.read_text())["profile"]["mine"]
    assert said_now == {"url": server.origin, "preset": "aria2", "auth": {"kind": "none"}}


@pytest.mark.thorough
def test_suggested_changes_show_values_and_file(make_explorer: Make, team: Path) -> None:
    with RawServer(deluge) as server:
        made = make_explorer(f'[profile.one]\nurl = "{server.origin}"\npath = "/json"\nauth = {{ kind = "none" }}\n')
        before = team.read_text()

        async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
            await profiles(pilot, "one")
            dialog = await run_test(pilot, "t")
            beside = team.with_name("sessions.local.toml")
            assert f"Suggested changes to {beside}" in asked(dialog).replace("\n", "")
            assert "not set → deluge" in asked(dialog)
            assert not beside.exists()
            await pilot.press("enter")
            await on(pilot, CallScreen)
            assert made.profile is not None
            assert (made.profile.preset, made.profile.content_type) == ("deluge", "application/json")
            assert tomllib.loads(beside.read_text())["profile"]["one"] == {"preset": "deluge"}

        tell(made, story, profile="one")
        assert team.read_text() == before


@pytest.mark.thorough
def test_new_profile_can_be_tested_at_once(make_explorer: Make) -> None:
    with RawServer(by_name) as server:

        async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
            screen = await profiles(pilot)
            await pilot.press("a")
            form = await on(pilot, ProfileForm)
            await type_in(pilot, "new")
            await pilot.press("tab")
            await type_in(pilot, f"{server.origin}/rpc")
            form.query_one("#test").focus()
            dialog = await run_test(pilot, "enter")
            assert "[] → {}" in asked(dialog)
            await pilot.press("right", "enter")
            await on(pilot, ProfilesScreen)
            assert "✗ Empty params" in page(screen)

        tell(make_explorer(ONE), story, profile="one")


@pytest.mark.thorough
def test_hostile_words_in_a_profile_are_inert(make_explorer: Make) -> None:
    words = "[@click=app.quit]x[/] oops [/] \\u001b]52;c;? \\u202e"
    made = make_explorer(ONE.replace("First", words) + f'\n[profile.two]\nurl = "https://two"\nbadge = "{words}"\n')

    async def story(app: ExplorerApp, pilot: Pilot[str]) -> None:
        screen = await profiles(pilot, "one")
        assert "[@click=app.quit]x[/]" in page(screen)
        picture = app.export_screenshot()
        assert "\x1b" not in picture
        assert "\u202e" not in picture
        for key, kind in (("e", ProfileForm), ("delete", Confirm)):
            select_profile(screen, "two")
            await pilot.press(key)
            await on(pilot, kind)
            assert "\u202e" not in app.export_screenshot()
            await left(pilot)

    tell(made, story, profile="one")


@pytest.mark.thorough
@pytest.mark.parametrize("size", [(20, 5), (200, 60)])
def test_screen_works_in_every_size(explorer: Explorer, size: tuple[int, int]) -> None:
    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        screen = await profiles(pilot, "cookie")
        for key, kind in (("a", ProfileForm), ("e", ProfileForm), ("d", Form), ("delete", Confirm), ("s", Credentials)):
            await pilot.press(key)
            dialog = await on(pilot, kind)
            await pilot.press("tab", "ctrl+s")
            await until(pilot, lambda: pilot.app.screen.focused is not None)
            if pilot.app.screen is dialog:
                await left(pilot)
        assert drawn(screen.list)

    tell(explorer, story, size=size)


@pytest.mark.thorough
def test_edited_auth_takes_a_stored_secret_along(make_explorer: Make) -> None:
    made = make_explorer('[profile.one]\nurl = "https://one.example.com"\n')
    for field in ("username", "password"):
        made.secrets.save(made.profiles.profiles["one"], field, "hunter2hunter2")

    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        form = await edit_form(pilot, "one")
        assert (form.values["auth.kind"], form.values["content_type"]) == ("", "")
        form.input_of("url").focus()
        await type_in(pilot, "https://one.example.com/rpc")
        form.input_of("auth.kind").focus()
        await pilot.press("b")
        await saved(pilot)

    tell(made, story, profile="one")
    now = made.profiles.profiles["one"]
    assert (now.path, now.auth.kind, now.content_type) == ("/rpc", "basic", "application/json")
    assert isinstance(made.secrets.find(now, "password"), Secret)
