"""The profiles screen over the demo service and real files."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from textual.color import Color

from rpcexplorer.auth.registry import KINDS
from rpcexplorer.demo import USERNAME
from rpcexplorer.explorer import Explorer
from rpcexplorer.files.toml_edit import edit
from rpcexplorer.model.destination import DestinationChanged
from rpcexplorer.model.problem import Problem
from rpcexplorer.model.profile import HeaderHandshake, ad_hoc
from rpcexplorer.model.secret import Secret
from rpcexplorer.profiles.keys import PROFILE_KEYS
from rpcexplorer.profiles.layers import NEW_FILE
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
from tests.tui.program import Program, open_program
from tests.tui.stage import text_of

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


def names(screen: ProfilesScreen) -> list[str]:
    return [row.name for row in screen.list.items]


async def test_list_shows_badge_url_auth_and_missing_secrets(
    make_explorer: Make, service: str, explorer: Explorer
) -> None:
    async with open_program(explorer, size=(200, 50)) as program:
        screen = await program.profiles()
        lines = dict(zip(names(screen), text_of(screen.list).split("\n"), strict=True))
        assert service in lines["inline"]
        assert lines["demo"].startswith(" ▸ demo")
        assert lines["prod"].endswith("PROD")
        assert lines["inline"].split()[2:] == ["inline", "●", "password", "from", "env", "staging"]
        assert lines["cookie"].split()[2:] == ["cookie", "○", "no", "session", "yet"]


@pytest.mark.thorough
@pytest.mark.drawn
async def test_footer_offers_the_actions_of_the_profile(make_explorer: Make) -> None:
    broken = '\n[profile.broken]\nurl = "nowhere"\n'
    async with open_program(make_explorer(ONE + broken), profile="one") as program:
        screen = await program.profiles("one")
        assert hints(screen)[:6] == ["use", "add", "edit", "duplicate", "remove", "test"]
        await program.profiles("broken")
        await program.until(lambda: hints(screen)[:4] == ["add", "find", "test URL", "back"])
        assert "! cannot be used" in text_of(screen.list)
        assert "must be a URL" in program.page
        await program.press("enter", "e", "alt+t", "s", "d", "delete")
        assert program.app.screen is screen


async def test_page_of_a_process_shows_its_environment(make_explorer: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("API_KEY", raising=False)
    process = '[profile.tool]\nurl = "stdio:"\ncommand = ["cat"]\n'
    process += 'environment = { DEBUG = "1" }\nenvironment_secrets = ["API_KEY"]\n'
    async with open_program(make_explorer(process), profile="tool") as program:
        await program.profiles("tool")
        await program.sees("Process", "command cat", "DEBUG 1", "secrets API_KEY", "API_KEY ! missing")
        await program.play("""
            s | API_KEY
            replace tool-key-of-a-process
            enter | API_KEY stored
        """)


async def test_screens_on_prod_have_a_red_edge_at_the_left(make_explorer: Make) -> None:
    async with open_program(make_explorer(TWO), profile="two") as program:
        calls = await program.on(CallScreen)
        calls.drafts.choose("ping")
        red = ("outer", Color.parse(program.app.theme_variables["prod"]))
        for keys, kind in [
            ("f6", HistoryScreen), ("s", StatisticsScreen), ("escape", HistoryScreen), ("escape", CallScreen),
            ("f7", ProfilesScreen), ("escape", CallScreen), ("alt+l", BatchScreen), ("escape", CallScreen),
            ("alt+e", FormScreen),
        ]:  # fmt: skip
            await program.press(keys)
            await program.on(kind)
            assert program.app.screen.styles.border_left == red, kind
            assert not program.app.screen.styles.border_right[0], kind


@pytest.mark.thorough
async def test_click_selects_and_double_click_uses(explorer: Explorer) -> None:
    async with open_program(explorer) as program:
        await program.profiles()
        await program.click(ProfileList, offset=(5, 4))
        assert "PROD" in program.page
        await program.double_click(ProfileList, offset=(5, 4))
        await program.on(CallScreen)
        assert explorer.profile is not None
        assert explorer.profile.name == "prod"


async def add(program: Program, name: str, url: str) -> ProfileForm:
    """Open the form for a new profile, and type its name and URL."""
    await program.profiles()
    await program.press("a")
    form: ProfileForm = await program.on(ProfileForm)
    form.show_extra()
    await program.type_in(url)
    await program.press("tab")
    await program.type_in(name)
    return form


async def edit_form(program: Program, name: str) -> ProfileForm:
    """Open the form of a profile."""
    await program.profiles(name)
    await program.press("e")
    form: ProfileForm = await program.on(ProfileForm)
    return form


async def saved(program: Program) -> ProfilesScreen:
    await program.press("ctrl+s")
    screen: ProfilesScreen = await program.on(ProfilesScreen)
    return screen


async def added(program: Program, key: str = "ctrl+s") -> None:
    """Save a new profile, and discover nothing."""
    await program.press(key)
    await program.sees("Discover the methods of")
    await program.press("escape")
    await program.on(CallScreen)


async def left(program: Program) -> None:
    await program.press("escape")
    await program.on(ProfilesScreen)


async def choose(program: Program, form: ProfileForm, name: str) -> None:
    """Search a preset by the letters of its name, typed in its line."""
    form.input_of("preset").focus()
    await program.press(*name, "enter")
    await program.on(ProfileForm)
    assert form.values["preset"] == name


@pytest.mark.thorough
async def test_project_file_is_named_and_written_when_chosen(make_explorer: Make, team: Path, own: Path) -> None:
    async with open_program(make_explorer(ONE), profile="one") as program:
        form = await add(program, "new", "https://new.example.com")
        form.input_of("home").focus()
        await program.press("right")
        await program.sees("in the project file.")
        await added(program, "enter")
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
async def test_problem_is_below_its_line_and_nothing_written(make_explorer: Make, own: Path) -> None:
    async with open_program(make_explorer(ONE), profile="one") as program:
        for typed, wrong, field in WRONG:  # each in a form of its own
            form = await add(program, *typed)
            assert wrong not in program.words
            await program.press("ctrl+s")
            await program.sees(wrong)
            assert form.focused is form.input_of(field), wrong
            assert (form.values["name"], form.values["url"]) == typed
            await left(program)
    assert not own.exists()


@pytest.mark.parametrize(
    "url", ["http://me:pw-4711@a.example", "http://me:pw-4711", "ftp://a.example", "", "a.example"]
)
@pytest.mark.everyday(1)
async def test_form_repeats_no_url_that_cannot_be_used(make_explorer: Make, url: str) -> None:
    async with open_program(make_explorer(ONE), profile="one") as program:
        await add(program, "new", "http://a.example")
        await program.sees("Calls go to http://a.example/api/v2/")
        await program.press("shift+tab")
        await program.type_in(url)
        await program.misses("Calls go to")
        assert "pw-4711" not in "".join(line for line in program.words.splitlines() if "▌ URL" not in line)
        await left(program)


@pytest.mark.thorough
async def test_form_on_a_low_screen_always_shows_its_keys(make_explorer: Make) -> None:
    async with open_program(make_explorer(ONE), profile="one", size=(80, 24)) as program:
        form = await add(program, "new", "http://a.example")
        await choose(program, form, "xapi")
        await program.sees("XenServer")
        await program.sees("Enter save")
        await left(program)


@pytest.mark.thorough
async def test_prod_badge_confirms_unless_set_otherwise(make_explorer: Make, own: Path) -> None:
    async with open_program(make_explorer(ONE), profile="one") as program:
        form = await add(program, "p", "https://p.example.com")
        form.input_of("badge").focus()
        await program.press("left")
        assert form.values["badge"] == "prod"
        assert form.values["confirm"] == "unsafe"
        form.input_of("confirm").focus()
        await program.press("left")
        await added(program)
    assert 'badge = "prod"\nconfirm = "never"\n' in own.read_text()


async def test_preset_fills_and_is_written_to_new_profile(make_explorer: Make, own: Path) -> None:
    made = make_explorer(ONE)
    async with open_program(made, profile="one") as program:
        form = await add(program, "node", "http://127.0.0.1:8332")
        await program.sees("Calls go to http://127.0.0.1:8332/api/v2/")
        await choose(program, form, "bitcoin")
        assert (form.values["auth.kind"], form.values["content_type"]) == ("basic", "application/json")
        await program.sees("Calls go to http://127.0.0.1:8332/\n")
        advice = made.profiles.presets.load("bitcoin")
        assert advice is not None
        await program.sees(advice.preset.advice[:40])
        form.input_of("auth.username").focus()
        await program.type_in("rpc")
        await added(program)
    assert tomllib.loads(own.read_text())["profile"]["node"] == {
        "url": "http://127.0.0.1:8332",
        "preset": "bitcoin",
        "auth": {"username": "rpc"},
    }
    assert made.profiles.profiles["node"].endpoint == "http://127.0.0.1:8332/"


@pytest.mark.thorough
async def test_typed_values_survive_a_change_of_preset(make_explorer: Make, own: Path) -> None:
    made = make_explorer(ONE)
    async with open_program(made, profile="one") as program:
        form = await add(program, "x", "http://127.0.0.1:1/own")
        await choose(program, form, "aria2")
        assert form.values["auth.value"] == "token:{token}"
        form.input_of("content_type").focus()
        await program.type_in("text/x")
        form.input_of("auth.kind").focus()
        await program.press(*"none", "enter")
        await program.on(ProfileForm)
        assert form.values["auth.kind"] == "none"
        await choose(program, form, "bitcoin")
        assert (form.values["auth.kind"], form.values["content_type"]) == ("none", "text/x")
        assert form.values["auth.value"] == ""
        await program.sees("Calls go to http://127.0.0.1:1/own")
        await added(program)
    assert tomllib.loads(own.read_text())["profile"]["x"] == {
        "url": "http://127.0.0.1:1",
        "preset": "bitcoin",
        "path": "/own",
        "content_type": "text/x",
        "auth": {"kind": "none"},
    }


@pytest.mark.thorough
async def test_removed_preset_restores_the_form(make_explorer: Make, own: Path) -> None:
    made = make_explorer(ONE)
    made.use(ad_hoc("http://127.0.0.1:6800"))
    async with open_program(made) as program:
        await program.profiles()
        await program.press("a")
        form: ProfileForm = await program.on(ProfileForm)
        before = form.values
        assert before["url"] == "http://127.0.0.1:6800"
        await choose(program, form, "aria2")
        assert form.values["auth.kind"] == "first"
        await program.sees("Calls go to http://127.0.0.1:6800/jsonrpc")
        await program.press(*"none", "enter")
        await program.on(ProfileForm)
        assert form.values == before
        await program.sees("Calls go to http://127.0.0.1:6800/api/v2/")
        await left(program)
    assert not own.exists()


async def test_typing_replaces_the_url_of_a_new_profile(make_explorer: Make) -> None:
    made = make_explorer("")
    made.use(ad_hoc("http://127.0.0.1:6800"))
    async with open_program(made) as program:
        await program.profiles()
        await program.press("a")
        form: ProfileForm = await program.on(ProfileForm)
        await program.press("h", "tab", "m")
        assert (form.values["name"], form.values["url"]) == ("m", "h")
        await program.press("shift+tab", "t")
        assert form.values["url"] == "ht", "a typed URL is not a suggestion"
        await left(program)


def test_problem_of_auth_name_is_at_its_line() -> None:
    problem = Problem("sessions.toml", "must be the name of a parameter", key="profile.p.auth.name")
    wrong = wrong_of(problem, {"name": "p", "auth.name": "a b"})
    assert wrong == Wrong("The parameter must be the name of a parameter.", "auth.name")


@pytest.mark.thorough
async def test_form_has_the_lines_of_chosen_auth_type(make_explorer: Make) -> None:
    async with open_program(make_explorer(ONE), profile="one") as program:
        form = await add(program, "x", "http://x")
        kinds = form.input_of("auth.kind")
        fields = [row for row in PROFILE_KEYS if row.part == "Auth" and row.label and row.key != "auth.kind"]
        for kind in KINDS.values():
            kinds.focus()
            await program.press(*kind.kind, "enter")
            await program.on(ProfileForm)
            assert kinds.value == kind.kind
            offered = {f"auth.{field.name}" for field in kind.fields if field.label}
            assert {row.key for row in fields if form.input_of(row.key).region.height} == offered
        await left(program)


@pytest.mark.thorough
async def test_edited_url_without_path_gets_path_of_preset(make_explorer: Make, team: Path) -> None:
    made = make_explorer('[profile.dl]\nurl = "http://127.0.0.1:6800"\npreset = "aria2"\n')
    async with open_program(made, profile="dl") as program:
        form = await edit_form(program, "dl")
        url = form.input_of("url")
        assert url.value == "http://127.0.0.1:6800/jsonrpc"
        url.value = "http://127.0.0.1:6801"
        await program.sees("Calls go to http://127.0.0.1:6801/jsonrpc")
        await saved(program)
    assert team.read_text() == '[profile.dl]\nurl = "http://127.0.0.1:6801"\npreset = "aria2"\n'


async def test_renamed_profile_in_use_keeps_draft_and_secret(make_explorer: Make, team: Path) -> None:
    made = make_explorer(TWO.replace('kind = "none"', 'kind = "inline", username = "ada"'))
    made.secrets.save(made.profiles.profiles["one"], "password", "hunter2hunter2")
    async with open_program(made, profile="one") as program:
        calls = await program.on(CallScreen)
        calls.drafts.choose("ping")
        calls.params.replace("[12345]", is_typed=True)
        form = await edit_form(program, "one")
        assert form.focused is form.input_of("url")
        form.input_of("badge").focus()
        await program.press("left")
        form.input_of("name").focus()
        await program.type_in("two")
        await program.press("ctrl+s")
        await program.sees("There is already a profile two.")
        await program.type_in("first")
        screen = await saved(program)
        await program.until(lambda: names(screen) == ["first", "two"])
        assert "✓ stored" in program.page
        assert program.notices == ""
        await program.press("escape")
        calls = await program.on(CallScreen)
        await program.until(lambda: calls.header.profile is made.profile)
        assert (calls.method, calls.params.text) == ("ping", "[12345]")
        assert calls.has_class("-prod")
    assert made.profile == made.profiles.profiles["first"]
    assert team.read_text().startswith(ONE.replace("one]", "first]").partition("auth")[0])
    assert made.profile.badge == "prod"


async def test_emptied_line_removes_the_key(make_explorer: Make, team: Path) -> None:
    made = make_explorer(ONE)
    async with open_program(made, profile="one") as program:
        await edit_form(program, "one")
        await program.press("tab", "tab")
        await program.type_in("")
        await saved(program)
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
async def test_form_shows_the_endpoint_and_writes_differences(
    make_explorer: Make, team: Path, *, path: str | None, typed: str, endpoint: str, written: dict[str, str]
) -> None:
    made = make_explorer(ONE.replace('description = "First"', "" if path is None else f'path = "{path}"'))
    async with open_program(made, profile="one") as program:
        await edit_form(program, "one")
        await program.sees(f"Calls go to https://one.example.com{'/api/v2/' if path is None else path or '/'}\n")
        await program.type_in(typed)
        await program.sees(f"Calls go to {endpoint}\n")
        await saved(program)
    assert made.profiles.profiles["one"].endpoint == (endpoint if path != "" else "https://one.example.com")
    before = {"url": "https://one.example.com"}
    values = tomllib.loads(team.read_text())["profile"]["one"]
    assert {key: values[key] for key in ("url", "path") if key in values} == before | written


@pytest.mark.thorough
async def test_files_changed_meanwhile_are_read_when_opened(make_explorer: Make, team: Path) -> None:
    made = make_explorer(ONE)
    team.write_text(TWO)
    async with open_program(made, profile="one") as program:
        assert names(await program.profiles()) == ["one", "two"]


@pytest.mark.thorough
async def test_invalid_file_keeps_the_profile_in_use(make_explorer: Make, team: Path) -> None:
    made = make_explorer(ONE)
    team.write_text(ONE + "\n[profile.")
    async with open_program(made, profile="one") as program:
        screen = await program.profiles()
        assert "The profiles cannot be read" in text_of(screen.list)
        assert "this is not TOML" in program.page
        await program.sees("The profile one can no longer be read. Its old settings stay in use.")
        await program.sees("sessions.toml")
        await program.press("escape")
        await program.on(CallScreen)
        assert made.profile is not None
        assert made.profile.name == "one"


async def test_fixes_of_an_address_are_saved_at_once(
    make_explorer: Make, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, writes = make_explorer(ONE), list[Path]()
    handshake = HeaderHandshake("X-Session-Id")
    made.use(replace(ad_hoc("http://127.0.0.1:8000/jsonrpc"), id="number", handshake=handshake))

    def write_once(file: Path, *given: Any, **named: Any) -> Problem | None:
        writes.append(file)
        return Problem(str(file), "the disk is full") if len(writes) > 1 else edit(file, *given, **named)

    monkeypatch.setattr("rpcexplorer.profiles.edits.edit", write_once)
    async with open_program(made) as program:
        await program.profiles()
        await program.press("a")
        await program.on(ProfileForm)
        await program.press("tab")
        await program.type_in("wiki")
        await added(program)
    profile = made.profiles.profiles["wiki"]
    assert (profile.id, profile.handshake) == ("number", handshake)


@pytest.mark.thorough
async def test_personal_change_is_written_to_the_local_file(make_explorer: Make, team: Path) -> None:
    local = team.with_name("sessions.local.toml")
    made = make_explorer(ONE)
    async with open_program(made, profile="one") as program:
        form = await edit_form(program, "one")
        form.input_of("home").focus()
        await program.press("right")
        await program.sees("in the local file.")
        form.input_of("timeout").focus()
        await program.type_in("5")
        await saved(program)
        await program.until(lambda: "sessions.local.toml:6" in program.page)
    assert team.read_text() == ONE
    assert local.read_text() == f"{NEW_FILE}\n[profile.one]\ntimeout = 5\n"
    assert made.profiles.profiles["one"].timeout == 5


@pytest.mark.thorough
async def test_key_overridden_by_another_file_is_reported(make_explorer: Make, team: Path) -> None:
    made = make_explorer(ONE)
    local = team.with_name("sessions.local.toml")
    local.write_text("version = 1\n[profile.one]\ntimeout = 5\n")
    made.reload()
    async with open_program(made, profile="one") as program:
        form = await edit_form(program, "one")
        await program.sees("in the local file.")
        form.input_of("home").focus()
        await program.press("right")
        form.input_of("timeout").focus()
        await program.type_in("60")
        await saved(program)
        await program.sees("Saved timeout, but")
        await program.sees(f"{local}:3")
    assert "timeout = 60" in team.read_text()
    assert made.profiles.profiles["one"].timeout == 5


@pytest.mark.thorough
async def test_changed_origin_blocks_secret_until_entered_again(make_explorer: Make) -> None:
    made = make_explorer(ONE.replace('kind = "none"', 'kind = "inline", username = "ada"'))
    profile = made.profiles.profiles["one"]
    made.secrets.save(profile, "password", "old-secret")
    async with open_program(made, profile="one") as program:
        await edit_form(program, "one")
        await program.type_in("https://moved.example.com")
        await saved(program)
        await program.until(lambda: "! blocked" in program.page)
        assert "origin: https://one.example.com → https://moved.example.com" in program.page
        assert isinstance(made.credentials.state(made.profiles.profiles["one"])["password"], DestinationChanged)
        await program.press("s")
        await program.on(Credentials)
        await program.type_in("new")
        await program.press("enter")
        await program.on(ProfilesScreen)
        await program.until(lambda: "✓ stored" in program.page)
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
async def test_change_in_the_form_needs_no_second_yes(
    make_explorer: Make, field: str, typed: str, held_back: bool
) -> None:
    made = make_explorer(ONE.replace('kind = "none"', 'kind = "inline", username = "ada"'))
    made.secrets.save(made.profiles.profiles["one"], "password", "old-secret")
    async with open_program(made, profile="one") as program:
        form = await edit_form(program, "one")
        form.input_of(field).focus()
        await program.type_in(typed)
        await saved(program)
    changed = made.profiles.profiles["one"]
    assert typed in {changed.content_type, changed.endpoint, changed.origin}
    found = made.secrets.find(made.profiles.profiles["one"], "password")
    assert isinstance(found, DestinationChanged if held_back else Secret)


@pytest.mark.thorough
async def test_copy_is_in_same_file_with_unused_name(make_explorer: Make, team: Path) -> None:
    async with open_program(make_explorer(TWO), profile="one") as program:
        await program.profiles("one")
        await program.press("d")
        form = await program.on(Form)
        assert form.values == {"name": "one-copy"}
        await program.type_in("two")
        await program.press("enter")
        await program.sees("There is already a profile two.")
        assert form.values == {"name": "two"}
        await program.type_in("three")
        await program.press("enter")
        screen = await program.on(ProfilesScreen)
        await program.until(lambda: names(screen) == ["one", "three", "two"])
        assert "First" in program.page
    assert team.read_text().startswith(TWO)


async def test_form_of_a_copy_names_the_secrets_it_needs(make_explorer: Make) -> None:
    async with open_program(
        make_explorer(ONE.replace('kind = "none"', 'kind = "cookie", username = "ada"')), profile="one"
    ) as program:
        await program.profiles("one")
        await program.press("d")
        await program.on(Form)
        await program.sees("It needs its own password.")


async def test_removed_profile_loses_its_secrets(make_explorer: Make, team: Path) -> None:
    made = make_explorer(TWO.replace('kind = "none"', 'kind = "inline", username = "ada"'))
    two = made.profiles.profiles["two"]
    made.secrets.save(two, "password", "secret")
    async with open_program(made, profile="one") as program:
        screen = await program.profiles("two")
        await program.press("delete")
        question = await program.on(Confirm)
        assert str(team) in program.unbroken
        assert question.has_class("-grave")
        await program.press("enter")
        await program.on(ProfilesScreen)
        assert "two" in made.profiles.profiles, "a quick Enter keeps it"
        await program.press("delete")
        await program.on(Confirm)
        await program.press("right", "enter")
        await program.on(ProfilesScreen)
        await program.until(lambda: names(screen) == ["one"])
    assert "profile.two" not in team.read_text()
    assert made.secrets.find(two, "password") is None


@pytest.mark.thorough
async def test_removed_profile_in_use_needs_a_new_choice(make_explorer: Make) -> None:
    made = make_explorer(TWO)
    async with open_program(made, profile="one") as program:
        screen = await program.profiles("one")
        await program.press("delete")
        await program.on(Confirm)
        await program.press("right", "enter")
        await program.on(ProfilesScreen)
        await program.until(lambda: names(screen) == ["two"])
        assert made.profile is None
        assert screen.query_one(Header).profile is None
        assert "back" not in hints(screen)
        await program.press("escape")
        assert program.app.screen is screen
        await program.press("enter")
        calls = await program.on(CallScreen)
        await program.until(lambda: calls.has_class("-prod"))


@pytest.mark.thorough
async def test_resize_after_removal_keeps_the_screen_open(make_explorer: Make, service: str) -> None:
    """The docs of the call screen below show the method under its cursor."""
    async with open_program(make_explorer(ONE.replace("https://one.example.com", service)), profile="one") as program:
        calls = program.app.calls
        assert calls is not None
        await program.until(lambda: bool(calls.method))
        await program.press("alt+m", "f2", "up")
        await program.until(lambda: calls.panes.pointed not in {"", calls.called})
        screen = await program.profiles("one")
        await program.press("delete")
        await program.on(Confirm)
        await program.press("tab", "enter")
        await program.until(lambda: names(screen) == [])
        for size in ((200, 60), (80, 24), (100, 30)):
            await program.resize_terminal(*size)
            await program.rest()
        assert calls.size.width == 100
        await program.press("escape")
        await program.on(Welcome)


async def test_secrets_are_entered_masked_and_forgotten(make_explorer: Make, service: str, tmp_path: Path) -> None:
    made = make_explorer(f'[profile.c]\nurl = "{service}"\nauth = {{ kind = "cookie", username = "{USERNAME}" }}\n')
    store = tmp_path / "home" / "state" / "secrets.toml"
    async with open_program(made, profile="c") as program:
        await program.profiles("c")
        assert "! missing" in program.page
        await program.press("s")
        form = await program.on(Credentials)
        await program.type_in("hunter2x")
        assert "hunter2x" not in program.app.export_screenshot()
        await program.sees("Sent only to")
        await program.press("enter")
        await program.on(ProfilesScreen)
        await program.until(lambda: "✓ stored, in secrets.toml" in program.page or "until you quit" in program.page)
        assert "hunter2x" in store.read_text()
        await program.press("s")
        form = await program.on(Credentials)
        form.query_one("#forget").focus()
        await program.press("enter")
        await program.on(ProfilesScreen)
        await program.until(lambda: "! missing" in program.page)
        assert "hunter2x" not in store.read_text()


async def test_connection_is_tested_step_by_step(explorer: Explorer) -> None:
    async with open_program(explorer) as program:
        screen = await program.profiles("cookie")
        await program.test_connection("alt+t")
        for step in ("– Name", "✓ TCP", "– TLS", "✓ HTTP", "✓ Address", "✓ JSON-RPC", "✓ Login"):  # noqa: RUF001
            assert step in program.page
        await program.press("enter")
        await program.on(ProfilesScreen)
        assert "✓ Login" in program.page
        assert "● session" in text_of(screen.list)
        await program.profiles("dead")
        await program.test_connection("alt+t")
        assert "✗ TCP" in program.page
        assert "◌ HTTP" in program.page
        await left(program)


@pytest.mark.thorough
@pytest.mark.drawn
async def test_escape_ends_a_hanging_test_and_keeps_results(make_explorer: Make) -> None:
    with RawServer([HOLD]) as server:
        made = make_explorer(f'[profile.slow]\nurl = "{server.url}"\nauth = {{ kind = "none" }}\n')
        async with open_program(made, profile="slow") as program:
            await program.profiles("slow")
            await program.press("alt+t")
            dialog: ConnectionTest = await program.on(ConnectionTest)
            await program.rest()
            assert "at most 16 requests" in program.page, "the test starts with Enter"
            assert not server.requests
            await program.press("enter")
            await program.until(lambda: "system.listMethods at" in program.page)
            await program.press("enter", "enter", "escape")
            await program.until(lambda: "You cancelled the call." in program.page)
            assert program.app.screen is dialog
            await left(program)
            assert "✓ TCP" in program.page
            await program.press("escape")
            await program.on(CallScreen)


@pytest.mark.thorough
async def test_edited_profile_loses_its_test_result(make_explorer: Make) -> None:
    made = make_explorer(ONE.replace("https://one.example.com", "http://127.0.0.1:9"))
    async with open_program(made, profile="one") as program:
        await program.profiles("one")
        await program.test_connection("alt+t")
        await left(program)
        assert "✗ TCP" in program.page
        await program.press("e")
        await program.on(ProfileForm)
        await program.type_in("http://127.0.0.1:10")
        await saved(program)
        await program.until(lambda: "127.0.0.1:10" in program.page)
        assert "Connection" not in program.page


async def test_address_with_unknown_auth_cannot_be_used(make_explorer: Make) -> None:
    with RawServer(key_wanted) as server:
        made = make_explorer(ONE)
        made.use(ad_hoc(f"{server.origin}/rpc"))
        async with open_program(made, profile="") as program:
            await program.on(CallScreen)
            dialog = await program.test_connection("alt+t")
            assert "To choose an auth type, press Esc, F7, then a." in program.page
            assert "auth =" not in program.page
            assert [answer.id for answer in dialog.query(Answer) if answer.display] == ["leave"]
            await program.press("enter")
            await program.on(CallScreen)


async def test_connection_test_does_not_repeat_a_typed_password(make_explorer: Make) -> None:
    async with open_program(
        make_explorer(ONE.replace("https://one.example.com", "http://127.0.0.1:9")), profile="one"
    ) as program:
        await program.profiles("one")
        await program.test_connection("alt+t")
        await program.type_in("http://me:pw-4711@a.example")
        await program.press("enter")
        await program.sees("must not contain a user name or password")
        assert "pw-4711" not in program.notices
        assert "127.0.0.1:9" in program.page


@pytest.mark.thorough
@pytest.mark.parametrize("named", [False, True])
async def test_address_is_typed_after_test_that_found_nothing(
    make_explorer: Make, team: Path, own: Path, named: bool
) -> None:
    made = make_explorer('[profile.one]\nurl = "http://127.0.0.1:9/"\nauth = { kind = "none" }\n')
    if not named:
        made.use(ad_hoc("http://127.0.0.1:9"))
    with RawServer(by_name) as server:
        async with open_program(made, profile="one" if named else "") as program:
            dialog = await program.test_connection("alt+t")
            assert "There was no connection. Start the server, or try another URL." in program.page
            assert isinstance(program.app.focused, Entry)
            await program.type_in("nonsense")
            await program.press("enter")
            await program.sees("must begin with http:// or https://")
            await program.type_in(f"{server.origin}/rpc")
            await program.press("enter")
            await program.until(lambda: dialog.report.proposal is not None)
            await program.sees(f"Connection test: {server.origin}/rpc")
            await program.press("enter")
            if not named:
                await program.on(Form)
                await program.type_in("mine")
                await added(program)
            await program.on(CallScreen)
        home = team.with_name("sessions.local.toml") if named else own
        written = tomllib.loads(home.read_text())["profile"]["one" if named else "mine"]
        assert written == {"url": server.origin, "path": "/rpc", "empty_params": "{}"}


@pytest.mark.thorough
async def test_tested_address_is_ready_to_be_called(make_explorer: Make, own: Path) -> None:
    with RawServer(open_aria2) as server:
        made = make_explorer(ONE)
        made.use(ad_hoc(server.origin))
        async with open_program(made) as program:
            calls: CallScreen = await program.on(CallScreen)
            assert "test the connection" in str(calls.response.body.empty)
            assert not server.requests, "never by itself"
            await program.test_connection("alt+t")
            assert 'preset = "aria2"' in program.page
            await program.press("enter")
            form = await program.on(Form)
            assert form.input_of("name").value == "aria2"
            await program.type_in("one")
            await program.press("ctrl+s")
            await program.sees("There is already a profile one.")
            await program.type_in("mine")
            await added(program)
            await program.until(lambda: made.profile is not None and made.profile.name == "mine")
            assert calls.method == "system.listMethods", "the first safe method of the preset"
            assert "test the connection" not in str(calls.response.body.empty)
            await program.press("f5")
            await program.until(lambda: calls.exchange is not None and calls.exchange.outcome_name == "result")
            await made.__aexit__()
    said_now = tomllib.loads(own.read_text())["profile"]["mine"]
    assert said_now == {"url": server.origin, "preset": "aria2", "auth": {"kind": "none"}}


@pytest.mark.thorough
async def test_suggested_changes_show_values_and_file(make_explorer: Make, team: Path) -> None:
    with RawServer(deluge) as server:
        made = make_explorer(f'[profile.one]\nurl = "{server.origin}"\npath = "/json"\nauth = {{ kind = "none" }}\n')
        before = team.read_text()
        async with open_program(made, profile="one") as program:
            await program.profiles("one")
            await program.test_connection("alt+t")
            beside = team.with_name("sessions.local.toml")
            assert f"Suggested changes to {beside}" in program.page.replace("\n", "")
            assert "not set → deluge" in program.page
            assert not beside.exists()
            await program.press("enter")
            await program.on(CallScreen)
            assert made.profile is not None
            assert (made.profile.preset, made.profile.content_type) == ("deluge", "application/json")
            assert tomllib.loads(beside.read_text())["profile"]["one"] == {"preset": "deluge"}
        assert team.read_text() == before


@pytest.mark.thorough
async def test_new_profile_can_be_tested_at_once(make_explorer: Make) -> None:
    with RawServer(by_name) as server:
        async with open_program(make_explorer(ONE), profile="one") as program:
            await program.profiles()
            await program.press("a")
            form = await program.on(ProfileForm)
            await program.type_in(f"{server.origin}/rpc")
            form.query_one("#test").focus()
            await program.test_connection("enter")
            assert "[] → {}" in program.page
            await program.press("right", "enter")
            await program.on(ProfilesScreen)
            assert "✗ Empty params" in program.page


@pytest.mark.thorough
async def test_hostile_words_in_a_profile_are_inert(make_explorer: Make) -> None:
    words = "[@click=app.quit]x[/] oops [/] \\u001b]52;c;? \\u202e"
    made = make_explorer(ONE.replace("First", words) + f'\n[profile.two]\nurl = "https://two"\nbadge = "{words}"\n')
    async with open_program(made, profile="one") as program:
        await program.profiles("one")
        assert "[@click=app.quit]x[/]" in program.page
        picture = program.app.export_screenshot()
        assert "\x1b" not in picture
        assert "\u202e" not in picture
        for key, kind in (("e", ProfileForm), ("delete", Confirm)):
            await program.profiles("two")
            await program.press(key)
            await program.on(kind)
            assert "\u202e" not in program.app.export_screenshot()
            await left(program)


@pytest.mark.thorough
@pytest.mark.parametrize("size", [(20, 5), (200, 60)])
async def test_screen_works_in_every_size(explorer: Explorer, size: tuple[int, int]) -> None:
    async with open_program(explorer, size=size) as program:
        screen = await program.profiles("cookie")
        for key, kind in (("a", ProfileForm), ("e", ProfileForm), ("d", Form), ("delete", Confirm), ("s", Credentials)):
            await program.press(key)
            dialog = await program.on(kind)
            await program.press("tab", "ctrl+s")
            await program.until(lambda: program.app.screen.focused is not None)
            if program.app.screen is dialog:
                await left(program)
        assert text_of(screen.list)


@pytest.mark.thorough
async def test_edited_auth_takes_a_stored_secret_along(make_explorer: Make) -> None:
    made = make_explorer('[profile.one]\nurl = "https://one.example.com"\n')
    for field in ("username", "password"):
        made.secrets.save(made.profiles.profiles["one"], field, "hunter2hunter2")
    async with open_program(made, profile="one") as program:
        form = await edit_form(program, "one")
        assert (form.values["auth.kind"], form.values["content_type"]) == ("", "")
        form.input_of("url").focus()
        await program.type_in("https://one.example.com/rpc")
        form.input_of("auth.kind").focus()
        await program.press(*"basic", "enter")
        await program.on(ProfileForm)
        await saved(program)
    now = made.profiles.profiles["one"]
    assert (now.path, now.auth.kind, now.content_type) == ("/rpc", "basic", "application/json")
    assert isinstance(made.secrets.find(now, "password"), Secret)
