"""Every command of the table, run by its own keys in the whole program.

A story names its commands. It presses each of their keys (a command without one is found in the palette), and checks
the message, the value behind it, and the screen. The last test compares the stories with the table. The file is long
because the table is.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from textual import events
from textual._compositor import Compositor
from textual.message import Message
from textual.pilot import Pilot

from rpcexplorer.discovery.methods import Discovery
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.batch import CollectedCalls
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.event import Event
from rpcexplorer.model.exchange import Cancelled, Exchange, Sent
from rpcexplorer.model.method import Described, DescribedParam, Method
from rpcexplorer.model.profile import Answer as ServerAnswer
from rpcexplorer.model.profile import Profile, ad_hoc
from rpcexplorer.model.secret import Secret
from rpcexplorer.rpc.messages import Result
from rpcexplorer.tui.app import ExplorerApp, PersonOnScreen
from rpcexplorer.tui.batch import BatchScreen
from rpcexplorer.tui.call.params import ParamsPane
from rpcexplorer.tui.call.response import ResponsePane
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.commands import COMMANDS
from rpcexplorer.tui.compare import ComparisonScreen
from rpcexplorer.tui.connection_test import ConnectionTest
from rpcexplorer.tui.dialogs import ChangesDialog, ChangesList, Credentials, Help
from rpcexplorer.tui.events import AnswerDialog, EventsScreen
from rpcexplorer.tui.form import FormScreen
from rpcexplorer.tui.history import HistoryScreen
from rpcexplorer.tui.manual import ManualScreen
from rpcexplorer.tui.profile_form import ProfileForm
from rpcexplorer.tui.profiles import ProfilesScreen
from rpcexplorer.tui.replay import SeveralProfiles
from rpcexplorer.tui.statistics import StatisticsScreen
from rpcexplorer.tui.widgets.bars import Footer
from rpcexplorer.tui.widgets.dialog import Ask, Confirm, Form
from rpcexplorer.tui.widgets.editor import Editor
from rpcexplorer.tui.widgets.grid import Grid
from rpcexplorer.tui.widgets.inputs import Prompt
from rpcexplorer.tui.widgets.picker import Picker
from rpcexplorer.tui.widgets.rows import RowList
from tests.fakes.peers import Peer, Script, framed, peer
from tests.fakes.wire import HOLD, RawServer, http_reply
from tests.history.recording import exchange as recorded
from tests.tui.program import open_program
from tests.tui.visiting import drawn, names, notices, on, profiles, shown, type_in
from tests.tui.waiting import until

KNOWN = {command.id: command for command in COMMANDS}
SIZE = (120, 28)
ITEMS = '{"items": [{"n": 2, "word": "alder"}, {"n": 1, "word": "birch"}], "count": 2}'
"""A response of thirteen lines with a list of objects."""


@dataclass
class Visit:
    """The running program, its keys and its screen."""

    app: ExplorerApp
    pilot: Pilot[Any]
    calls: CallScreen
    explorer: Explorer
    heard: list[Message]
    pressed: set[str] = field(default_factory=set)
    """Keys, and the words of choices in the palette."""

    async def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        self.pressed.update(keys)
        await self.pilot.press(*keys)

    async def choose(self, words: str) -> None:
        """Type words into an open list, and take the match."""
        await on(self.pilot, Picker)
        self.paste(words)
        await self.pilot.pause()
        await self.pilot.press("enter")

    async def by_palette(self, words: str) -> None:
        """Run a command without a key."""
        self.pressed.add(words)
        await self.pilot.press("ctrl+p")
        await self.choose(words)

    def paste(self, text: str) -> None:
        """Paste a text into the focused widget."""
        assert self.app.focused is not None
        self.app.focused.post_message(events.Paste(text))

    async def write(self, text: str, method: str = "demo.echo") -> None:
        """Put a method with params into the editor, and focus it."""
        self.calls.drafts.choose(method)
        self.calls.params.replace(text)
        self.calls.params.focus_inside()
        await self.pilot.pause()

    async def next_exchange(self, before: Exchange | None) -> Exchange:
        """Wait for another exchange."""
        await until(self.pilot, lambda: self.calls.exchange is not before and not self.calls.running)
        assert self.calls.exchange is not None
        return self.calls.exchange

    async def reply(self, text: str = ITEMS, method: str = "demo.echo") -> Exchange:
        """Show a response of the demo service with this text, and focus it."""
        await self.write(text, method)
        before = self.calls.exchange
        self.calls.action_send()
        exchange = await self.next_exchange(before)
        self.calls.response.focus_inside()
        await self.pilot.pause()
        return exchange

    async def history(self) -> HistoryScreen:
        """Open the history with the cursor on the newest call."""
        await self.press("f6")
        screen: HistoryScreen = await on(self.pilot, HistoryScreen)
        await until(self.pilot, lambda: screen.record is not None)
        return screen

    async def back(self) -> None:
        """Wait for the call screen."""
        await until(self.pilot, lambda: self.app.screen is self.calls)
        await self.pilot.pause()

    def seen(self) -> str:
        """Return everything on screen."""
        return "\n".join(strip.text.rstrip() for strip in self.app.screen._compositor.render_strips())

    async def sees(self, *texts: str) -> None:
        """Wait for texts on screen."""

        def stand_there() -> bool:
            screen = self.seen()
            return all(text in screen for text in texts)

        await until(self.pilot, stand_there)

    async def misses(self, text: str) -> None:
        """Wait until a text is gone."""
        await until(self.pilot, lambda: text not in self.seen())

    def posted(self, kind: type[Message]) -> bool:
        """Return whether a message of this class was posted."""
        return any(isinstance(message, kind) for message in self.heard)

    def known(self, profile: str, wanted: str) -> str:
        """Return a secret of a profile, or ""."""
        found = self.explorer.credentials.state(self.explorer.profiles.profiles[profile])[wanted]
        return found.reveal() if isinstance(found, Secret) else ""


Story = Callable[[Visit], Awaitable[None]]


@dataclass(frozen=True)
class CommandStory:
    """A story and its profile."""

    ids: tuple[str, ...]
    story: Story
    profile: str


STORIES: list[CommandStory] = []


def shows(*ids: str, profile: str = "demo") -> Callable[[Story], Story]:
    """Name the commands of a story."""

    def add(story: Story) -> Story:
        STORIES.append(CommandStory(ids, story, profile))
        return story

    return add


def event(method: str) -> Event:
    """Return a notification of a server."""
    return Event(datetime.now(UTC), "notification", f'{{"method":"{method}","params":{{}}}}'.encode(), method)


def unpressed(tested: CommandStory, pressed: set[str]) -> set[str]:
    """Return the keys of a story's commands that were not pressed."""
    wanted = {key for id in tested.ids for key in (KNOWN[id].keys or KNOWN[id].words).split(",")}
    return wanted - pressed


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the clipboard untouched, and draw only when a story looks."""
    monkeypatch.setattr("rpcexplorer.tui.processes.tools", lambda: iter(()))
    monkeypatch.setattr(Compositor, "render_update", lambda self, **_: self._dirty_regions.clear())


@shows("history", "history.close")
async def history_opens_and_closes(at: Visit) -> None:
    await at.reply("[1.10]")
    await at.press("f6")
    await on(at.pilot, HistoryScreen)
    await at.sees("▍History", "demo.echo", "1.10")
    await at.press("escape")
    await at.back()
    await at.sees("F5 send", "✓ result")


@shows("profiles", "profiles.close")
async def profiles_open_and_close(at: Visit) -> None:
    await at.press("f7")
    await on(at.pilot, ProfilesScreen)
    await at.sees("▍Profiles  5", "▸ demo")
    await at.press("escape")
    await at.back()
    assert at.explorer.profile is not None
    assert at.explorer.profile.name == "demo"


@shows("add-profile")
async def another_server_is_added(at: Visit) -> None:
    await at.by_palette("add server")
    await on(at.pilot, ProfileForm)
    await at.sees("Add a profile")
    await at.press("escape")
    await at.sees("▍Profiles  5")
    await at.press("escape")
    await at.back()


@shows("palette")
async def palette_runs_a_command(at: Visit) -> None:
    width = at.calls.methods.outer_size.width
    await at.press("ctrl+p")
    await on(at.pilot, Picker)
    await at.sees("Command palette", "Send the call in the editor.")
    await at.choose("widen list")
    await until(at.pilot, lambda: at.explorer.remembered.methods_width == width + 2)


@shows("theme")
async def theme_is_previewed_and_saved_when_chosen(at: Visit) -> None:
    before = at.app.theme
    await at.by_palette("choose theme")
    await until(at.pilot, lambda: isinstance(at.app.screen, Picker) and "Themes" in at.seen())
    await at.sees("night  dark", "paper  light")
    await at.press("down")
    looked_at = at.app.theme
    assert looked_at != before
    await at.press("enter")
    await at.back()
    assert at.app.theme == looked_at
    assert f'theme = "{looked_at}"' in at.explorer.paths.settings.read_text()


@shows("help")
async def help_shows_keys_of_the_focused_pane_first(at: Visit) -> None:
    at.calls.params.focus_inside()
    await at.press("f1")
    await on(at.pilot, Help)
    await at.sees("Keys", "Params", "Apply the fix that is offered for the params.")
    assert at.seen().index("Params") < at.seen().index("Calling")
    await at.press("f1")
    await at.back()


@shows("mark-safe", profile="prod")
async def method_under_the_cursor_is_marked_safe(at: Visit) -> None:
    file = team_file(at)
    before = file.read_text()
    local = file.with_name("sessions.local.toml")
    await at.pilot.press("f2")
    at.paste("demo.echo")
    await at.press("alt+u")
    await on(at.pilot, Confirm)
    await at.sees("Mark demo.echo as safe?", "sent without confirmation", str(local)[:40])
    await at.pilot.press("right", "enter")
    await until(at.pilot, lambda: "Marked demo.echo as safe" in notices(at.app))
    assert '[profile.prod.method."demo.echo"]\nsafe = true\n' in local.read_text()
    assert file.read_text() == before
    assert not at.explorer.to_ask_about([Draft("demo.echo")])
    await at.pilot.press("alt+u")
    await until(at.pilot, lambda: "Marked demo.echo as unsafe" in notices(at.app))
    assert "safe = false" in local.read_text()
    assert at.explorer.to_ask_about([Draft("demo.echo")])


@shows("paths")
async def files_and_folders_are_shown(at: Visit) -> None:
    await at.by_palette("show files")
    await at.sees("Files and folders", "user file", str(at.explorer.paths.settings)[:70])  # the rest may be wrapped
    await at.pilot.press("escape")
    await at.back()
    await at.pilot.press("f1", "p")
    await at.sees("Files and folders", "secrets")


@shows("manual", "manual.close")
async def manual_opens_at_the_page_of_the_pane(at: Visit) -> None:
    at.calls.params.focus_inside()
    await at.by_palette("open manual")
    screen = await on(at.pilot, ManualScreen)
    await at.sees("▍Calls, params and responses", "Esc back")
    await at.press("escape")
    await at.back()
    await at.pilot.press("f7")
    await on(at.pilot, ProfilesScreen)
    await at.pilot.press("f1", "m")
    screen = await on(at.pilot, ManualScreen)
    await at.sees("▍Profiles")
    await at.pilot.press("ctrl+p")
    await at.choose("manual: secrets")
    await at.sees("▍Secrets and where they may go")
    assert at.app.screen is screen


@shows(
    "manual.follow",
    "manual.link-next",
    "manual.link-previous",
    "manual.contents",
    "manual.search",
    "manual.next",
    "manual.previous",
    "manual.page-next",
    "manual.page-previous",
)
async def manual_is_read_by_links_contents_and_search(at: Visit) -> None:
    at.app.action_manual("secrets")
    screen: ManualScreen = await on(at.pilot, ManualScreen)
    await at.press("tab", "shift+tab", "tab", "enter")
    await until(at.pilot, lambda: "▍Secrets" not in at.seen())
    await at.pilot.press("escape")
    await at.sees("▍Secrets and where they may go")
    await at.press("right_square_bracket", "left_square_bracket", "c", "enter", "slash", *"token")
    await at.press("enter", "n", "N")
    assert screen.view.hits
    await at.sees(f"1 of {screen.view.count}")


@shows("notices")
async def notices_are_read_again(at: Visit) -> None:
    at.app.notify("A sentence.", timeout=0.01)
    await until(at.pilot, lambda: not at.app._notifications)
    await at.press("alt+w")
    await at.sees("Notices", "A sentence.")
    await at.press("escape")
    await at.misses("A sentence.")


@shows("select-all", "copy-or-cancel")
async def text_is_selected_and_copied_or_quit_named(at: Visit) -> None:
    await at.write("[1, 2]")
    await at.press("alt+a", "ctrl+c")
    await until(at.pilot, lambda: at.app.clipboard == "[1, 2]")
    await at.sees("Copied the selection, 6 B, through the terminal")
    await at.press("f4", "ctrl+c")
    await at.sees("Nothing to copy or cancel. ^Q quits rpcexplorer")


@shows("quit")
async def quitting_saves_the_draft(at: Visit) -> None:
    await at.write('{"half": ')
    await at.press("ctrl+q")
    await until(at.pilot, lambda: at.app._exit)
    assert at.app.return_value == ""
    assert at.explorer.draft_of("demo.echo") == '{"half": '


@shows("send")
async def draft_is_sent_recorded_and_answered(at: Visit) -> None:
    await at.write('{"price": 1.10}')
    for key in ("f5", "ctrl+enter"):
        before = at.calls.exchange
        await at.press(key)
        exchange = await at.next_exchange(before)
        assert isinstance(exchange.outcome, Result)
        assert [one.id for one in at.explorer.recent(1)] == [exchange.id]
        await at.sees("✓ result", '"price": 1.10')


@shows("cancel")
async def running_call_is_cancelled(at: Visit) -> None:
    with RawServer([b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n[1, 2", HOLD]) as server:
        at.explorer.use(Profile("slow", server.origin))
        at.calls.show_profile()
        at.calls.action_send()

        def is_receiving() -> bool:
            running = at.calls.running
            return running is not None and running.progress is not None and running.progress.received > 0

        await until(at.pilot, is_receiving)
        await at.sees("◐ receiving", "Esc cancel")
        await at.press("escape")
        exchange = await at.next_exchange(None)
        assert isinstance(exchange.outcome, Cancelled)
        assert exchange.response.body == b"[1, 2"
        await at.sees("◌ cancelled")


@shows("apply-hint")
async def hint_changes_the_profile_and_resends(at: Visit) -> None:
    with RawServer(http_reply(status=415), http_reply(b'{"jsonrpc":"2.0","id":null,"result":"pong"}')) as server:
        at.explorer.use(ad_hoc(server.origin))
        at.calls.show_profile()
        await at.write("[]", "ping")
        at.calls.action_send()
        await at.sees("! Unsupported Media Type", "^R set content_type to application/json and resend")
        await at.press("ctrl+r")
        host = server.origin.removeprefix("http://")
        await at.sees(f"Change the settings for {host}?", "application/json-rpc → application/json", "until you quit")
        before = at.calls.exchange
        await at.pilot.press("enter")
        assert isinstance((await at.next_exchange(before)).outcome, Result)
        assert [request.header("Content-Type") for request in server.requests][1:] == ["application/json"]
        await at.sees("✓ result", "The change lasts until you quit. To save the URL")
        await at.misses("^R set")


@shows("send-notification")
async def notification_is_sent_without_an_id(at: Visit) -> None:
    await at.write("[1]")
    await at.by_palette("send notification")
    exchange = await at.next_exchange(None)
    assert isinstance(exchange.outcome, Sent)
    assert exchange.kind == "notification"
    await at.sees("→ sent", "The server sends no response to a notification.")


@shows("focus.methods", "focus.params", "focus.response", "params.tab-next")
async def keys_focus_panes_and_switch_tabs(at: Visit) -> None:
    await at.reply("[1]")
    await at.press("f2")
    assert at.calls.methods.here
    await at.sees("▍Methods")
    await at.press("f3")
    assert at.calls.params.has_focus_within
    await at.sees("▍demo.echo")
    await at.press("ctrl+o")
    assert at.calls.params.tab == "Request"
    await at.sees("POST /api/v2/")
    await at.press("f4")
    assert at.calls.response.has_focus_within
    await at.sees("▍✓ result")
    await at.press("f3")
    assert at.calls.params.tab == "Params"
    await at.sees("▍demo.echo", "  1   [1]")


@shows("login", profile="cookie")
async def login_uses_known_credentials(at: Visit) -> None:
    await at.sees("○ no session yet")
    await at.press("f8")
    exchange = await at.next_exchange(None)
    assert isinstance(exchange.outcome, Result)
    assert at.known("cookie", "session")
    await at.sees("● session", "✓ result", '"user": "ada"')


@shows("new-session", profile="cookie")
async def session_id_is_entered(at: Visit) -> None:
    await at.by_palette("switch user")
    form = await on(at.pilot, Credentials)
    assert "Sent only to" in shown(form)
    form.input_of("session").focus()
    await type_in(at.pilot, "sessionid=from-elsewhere; Path=/")
    assert "from-elsewhere" not in at.seen()
    await at.press("enter")
    await at.back()
    assert at.known("cookie", "session") == "from-elsewhere"
    await at.sees("● session", "The next call uses this session.")


@shows("logout", profile="cookie")
async def session_is_forgotten(at: Visit) -> None:
    profile = at.explorer.profiles.profiles["cookie"]
    at.explorer.credentials.hold(profile, "session", "of-yesterday", keep=True)
    at.calls.show_session()
    await at.sees("● session")
    await at.by_palette("log out")
    await at.sees("○ no session yet", "Forgot the session.")
    assert at.known("cookie", "session") == ""
    assert "of-yesterday" not in at.explorer.paths.secrets.read_text()


@shows("discover")
async def methods_are_discovered(at: Visit) -> None:
    await at.sees("Assumed, not listed by the server")
    await at.press("f9")
    await until(at.pilot, lambda: "demo.records" in at.calls.methods.methods and not at.calls.running)
    assert at.explorer.profile is not None
    assert at.explorer.method_lists.learned(at.explorer.profile) is not None
    await at.sees("records", "rpc.discover")
    assert "Assumed" not in at.seen()


@shows("copy")
async def call_is_copied_in_the_chosen_format(at: Visit) -> None:
    await at.write('{"price": 1.10}')
    await at.press("f10")
    await at.choose("curl")
    await until(at.pilot, lambda: at.app.clipboard.startswith("curl "))
    assert "1.10" in at.app.clipboard
    await at.sees("Copied a curl command")


@shows("wider", "narrower")
async def width_of_the_list_is_changed_and_remembered(at: Visit) -> None:
    before = at.calls.methods.outer_size.width
    for key, width in (("alt+right", before + 2), ("alt+left", before)):
        await at.press(key)
        assert at.explorer.remembered.methods_width == width
        await until(at.pilot, lambda width=width: at.calls.params.region.x == width)  # type: ignore[misc]
        assert at.seen().split("\n")[1][width - 1] == "│"


@shows("side-by-side")
async def params_and_response_are_arranged_side_by_side(at: Visit) -> None:
    await at.press("alt+s")
    await at.sees(
        "Cannot put the response next to the params: the terminal has 120 columns. Make it at least 180 columns wide."
    )
    assert not at.explorer.remembered.side_by_side
    await at.pilot.resize_terminal(180, 40)
    await at.press("alt+s")
    await until(at.pilot, lambda: at.calls.params.region.y == at.calls.response.region.y)
    assert at.explorer.remembered.side_by_side


@shows("taller", "shorter")
async def height_of_the_editor_is_changed_and_remembered(at: Visit) -> None:
    await at.reply()
    before = at.calls.params.size.height
    for key, height in (("alt+down", before + 1), ("alt+up", before)):
        await at.press(key)
        assert at.explorer.remembered.params_height == height
        await until(at.pilot, lambda height=height: at.calls.params.size.height == height)  # type: ignore[misc]
        assert "✓ result" in at.seen().split("\n")[1 + height]


@shows("replaced-params")
async def replaced_draft_is_restored(at: Visit) -> None:
    first = await at.reply("[1.10]")
    await at.write('{"half": ')
    at.calls.load(first, ours=True)
    await at.write("[]", "ping")
    at.calls.drafts.choose("demo.echo")
    assert at.calls.params.text == "[1.10]"
    await at.by_palette("restore draft")
    await at.back()
    assert at.calls.params.text == '{"half": '
    await at.sees('{"half":')


@shows("to-profile")
async def call_is_moved_to_another_profile(at: Visit) -> None:
    await at.write("[1.10]")
    await at.press("ctrl+n")
    await at.choose("prod")
    await at.back()
    await at.sees(" prod ", "[1.10]", "Loaded demo.echo for profile prod")
    assert at.explorer.recent(9) == []


@shows("keep-call", "history.keep-call")
async def call_is_saved_from_editor_and_history(at: Visit) -> None:
    await at.reply("[1.10]")
    await at.press("alt+k")
    await on(at.pilot, Form)
    at.paste("one")
    await at.press("enter")
    await at.back()
    assert at.calls.method == "@one"
    await at.history()
    await at.press("alt+k")
    await on(at.pilot, Form)
    at.paste("two")
    await at.press("enter")
    await until(at.pilot, lambda: "two" in at.explorer.saved_calls())
    await at.press("escape")
    await at.back()
    await at.sees("@one", "@two")


@shows("response.expect", "run-checks", "checks.open", "checks.stop")
async def expected_value_becomes_a_check(at: Visit) -> None:
    first = await at.reply("[1.10]")
    await at.press("alt+k")
    await on(at.pilot, Form)
    at.paste("one")
    await at.press("enter")
    await at.back()
    at.calls.action_send()
    await at.next_exchange(first)
    at.calls.response.focus_inside()
    await at.press("e")
    await at.choose("result =")
    await until(at.pilot, lambda: "@one expects" in notices(at.app))
    await at.press("alt+r")
    await at.sees("1 passed")
    await at.press("enter")
    await at.back()
    assert at.calls.method == "@one"
    await at.press("alt+r")
    await at.sees("1 passed")
    await at.press("escape")
    await at.back()


@shows("import")
async def calls_of_another_program_are_imported(at: Visit) -> None:
    await at.press("alt+i")
    await at.sees("Import calls from a file")
    file = at.explorer.paths.state / "calls.txt"
    file.write_text(
        """curl http://a.example -d '{"jsonrpc": "2.0", "id": 1, "method": "user.get", "params": [1.10]}'"""
    )
    at.paste(str(file))
    await at.press("enter")
    await at.sees("Import these calls as drafts?", "http://a.example")
    await at.press("enter")
    await at.back()
    await at.sees("▍user.get", "[1.10]", "Imported the call into the editor, as a draft of demo")


@shows("methods.pin", "methods.clear")
async def method_is_pinned_and_unpinned(at: Visit) -> None:
    await at.press("f2", "q", "escape")
    assert at.calls.methods.typed == ""
    await at.press("f2", "ctrl+t")
    assert at.explorer.remembered.pinned("demo") == (at.calls.method,)
    await at.sees(" pinned", "^T pin")
    await at.press("ctrl+t")
    assert at.explorer.remembered.pinned("demo") == ()
    await at.misses(" pinned")


@shows("recent.again", "recent.copy")
async def recent_call_is_copied_and_resent(at: Visit) -> None:
    first = await at.reply("[1.10]")
    await at.write("[]", "ping")
    at.calls.methods._recent_list.focus()
    await at.press("y")
    await at.choose("curl")
    await until(at.pilot, lambda: "1.10" in at.app.clipboard)
    await at.back()
    await at.press("r")
    again = await at.next_exchange(first)
    assert (again.method, again.params) == (first.method, first.params)
    assert [one.id for one in at.calls.methods.recent] == [again.id, first.id]
    await at.sees("▍✓ result", "✓ demo.echo")


@shows("params.fix")
async def offered_fix_is_applied(at: Visit) -> None:
    await at.write('["username": "ada"]')
    await at.sees("✗ line 1, column 12", "^R make it an object")
    await at.press("ctrl+r")
    assert at.calls.params.text == '{"username": "ada"}'
    await at.sees("✓ valid", "object with 1 member")


@shows("params.problem-next")
async def cursor_goes_to_the_problem(at: Visit) -> None:
    await at.write('{\n  "price": 1.1o\n}')
    await at.sees("✗ line 2")
    await at.press("f12")
    await until(at.pilot, lambda: at.calls.params.query_one(Editor).cursor_location[0] == 1)


@shows("docs", "docs.next", "docs.previous", "docs.take")
async def example_of_the_docs_is_inserted_and_undone(at: Visit) -> None:
    await at.explorer.discover()
    at.calls.explorer_changed()
    await at.write("[]", "demo.orders.find")
    await at.press("alt+m")
    await at.sees("▍Docs  demo.orders.find", "Searches 24 orders")
    await at.press("n", "n", "N")
    await at.sees("▸ Open orders")
    await at.press("enter")
    assert at.calls.params.has_focus_within
    assert "placed" in at.calls.params.text
    await at.press("ctrl+z")
    assert at.calls.params.text == "[]"
    await at.press("alt+m", "alt+m")
    await at.misses("Open orders")
    assert at.explorer.remembered.docs == "closed"


@shows("changes")
async def changes_of_a_refresh_are_shown_again(at: Visit) -> None:
    await at.press("alt+n")
    await at.sees("No refresh has found changes yet.")
    await at.explorer.discover()
    profile = at.explorer.profile
    assert profile is not None
    learned = at.explorer.method_lists.learned(profile)
    assert learned is not None
    older = tuple(method for method in learned.methods if method.name != "demo.echo")
    auth = at.explorer.described("auth")
    assert auth is not None
    described = {"auth": replace(auth, deprecated=True)}
    at.explorer.method_lists.settle(profile, Discovery(learned.when, older, described=described))
    await at.press("f9")
    await at.sees("1 new, ", "changed. To show the changes, press Alt+n.")
    await at.press("alt+n")
    await at.sees("Methods of", "+ demo.echo  new", "~ auth  changed", "no longer deprecated")
    await at.press("escape")
    await at.misses("+ demo.echo  new")
    await at.press("alt+n")
    rows = (await on(at.pilot, ChangesDialog)).query_one(ChangesList)
    rows.cursor = next(number for number, (_, change) in enumerate(rows.items) if change.name == "demo.echo")
    await at.press("enter")
    await until(at.pilot, lambda: at.calls.method == "demo.echo" and at.calls.params.has_focus_within)


@shows("params.complete")
async def completions_are_offered_at_the_cursor(at: Visit) -> None:
    profile = at.explorer.profile
    assert profile is not None
    kinds = Described((DescribedParam("kind", {"enum": ["calm", "loud"]}), DescribedParam("since")))
    told = Discovery(datetime.now(UTC), (Method("demo.told"),), ("said",), described={"demo.told": kinds})
    at.explorer.method_lists.settle(profile, told)
    await at.write("{}", "demo.told")
    await at.press("ctrl+@")
    await at.sees("kind", "one of calm | loud", "since")
    await at.press("tab", "ctrl+@", "down", "enter")
    await until(at.pilot, lambda: at.calls.params.text == '{"kind": "loud"}')
    await at.press(",")
    await at.sees("since (optional)")


@shows("params.format", "params.undo", "params.redo")
async def params_are_formatted_undone_and_redone(at: Visit) -> None:
    await at.write('{"price":1.10}')
    await at.press("ctrl+l")
    laid_out = at.calls.params.text
    assert [line.strip() for line in laid_out.split("\n")] == ["{", '"price": 1.10', "}"]
    await at.press("ctrl+z")
    assert at.calls.params.text == '{"price":1.10}'
    await at.sees('{"price":1.10}')
    await at.press("ctrl+y")
    assert at.calls.params.text == laid_out
    await at.sees('"price": 1.10')


@shows("params.editor")
async def params_are_edited_in_an_external_editor(at: Visit) -> None:
    script = at.explorer.paths.state.parent / "editor"
    script.write_text('#!/bin/sh\nprintf \'["edited"]\' > "$1"\n')
    script.chmod(0o755)
    with pytest.MonkeyPatch.context() as patched:
        patched.delenv("VISUAL", raising=False)
        patched.setenv("EDITOR", str(script))
        patched.setattr(at.app, "suspend", nullcontext)  # the test has no terminal for the editor
        await at.write("[1]")
        await at.press("ctrl+g")
        await until(at.pilot, lambda: at.calls.params.text == '["edited"]')
    assert at.posted(ParamsPane.EditorWanted)
    await at.sees('["edited"]', "array with 1 element")


@shows("params.reset")
async def start_params_of_a_method_are_restored(at: Visit) -> None:
    at.calls.drafts.choose("arg_test")
    start = at.calls.params.text
    await at.write('{"typed": true}', "arg_test")
    at.calls.drafts.write_down()
    await at.by_palette("reset params")
    await until(at.pilot, lambda: at.calls.params.text == start)
    assert at.posted(ParamsPane.ResetWanted)
    assert at.explorer.draft_of("arg_test") == start
    await at.misses("typed")


@shows("response.search", "response.next", "response.previous")
async def matches_are_found_in_order(at: Visit) -> None:
    await at.reply()
    reader = at.calls.response.body.reader
    await at.press("slash")
    at.paste("word")
    await at.sees("1 of 2")
    await at.press("enter", "n")
    await at.sees("2 of 2")
    assert reader.value() == b'"birch"'
    await at.press("N")
    await at.sees("1 of 2")
    assert reader.value() == b'"alder"'


@shows("response.filter", "response.original")
async def response_is_filtered_until_the_original_is_shown(at: Visit) -> None:
    await at.reply()
    await at.press("f")
    at.paste(".items[].word")
    await at.press("enter")
    await at.sees("FILTERED", ".items[].word")
    await until(at.pilot, lambda: drawn(at.calls.response.body.reader).split() == ["1", '"alder"', "2", '"birch"'])
    assert at.explorer.remembered.expressions("filter") == (".items[].word",)
    await at.press("o")
    await at.misses("FILTERED")
    assert at.calls.response.transform is None
    await at.sees('"count": 2')


@shows("response.pipe")
async def response_is_piped_through_a_command(at: Visit) -> None:
    await at.reply('["b", "a"]')
    await at.press("vertical_line")
    at.paste("tr a-b x-y")
    await at.press("enter")
    await at.sees("FILTERED", "tr a-b x-y", '"y"')
    assert b'"x"' in (at.calls.response.body.made or b"")
    assert at.explorer.remembered.expressions("pipe") == ("tr a-b x-y",)


@shows("response.fold", "response.fold-all", "response.unfold-all", "response.fold-to")
async def values_are_folded_and_unfolded(at: Visit) -> None:
    await at.reply()
    reader = at.calls.response.body.reader
    reader.go_to(1)
    keys = [("space", 4), ("enter", 13), ("minus", 4), ("plus", 13), *zip("123456789", (4, 7, *[13] * 7), strict=True)]
    for key, lines in [*keys, ("1", 4), ("equals_sign", 13)]:
        await at.press(key)
        await until(at.pilot, lambda lines=lines: len(drawn(reader).split("\n")) == lines)  # type: ignore[misc]
        assert ("birch" in drawn(reader)) is (lines == 13), key


@shows("response.goto")
async def cursor_goes_to_a_line_number(at: Visit) -> None:
    await at.reply()
    await at.press("g")
    assert at.calls.query_one(Prompt).purpose == "goto"
    at.paste("4")
    await at.press("enter")
    assert at.calls.response.body.reader.current_line == 3
    assert at.calls.response.body.reader.path().endswith("items[0].n")
    assert at.calls.focused is at.calls.response.body.reader
    await at.misses("line number")


@shows("response.wrap")
async def wrapping_is_changed_and_remembered(at: Visit) -> None:
    await at.reply(f'["{"x" * 150}end"]')
    at.calls.query_one(Editor).move_cursor((0, 0))
    await at.pilot.pause()
    assert "xend" not in at.seen()
    await at.press("w")
    await at.sees("xend")
    assert at.explorer.remembered.wrap
    await at.press("w")
    await at.misses("xend")
    assert not at.explorer.remembered.wrap


@shows("response.table", "table.sort")
async def list_is_shown_as_a_sorted_table(at: Visit) -> None:
    await at.reply()
    await at.press("t")
    grid = at.calls.response.body.query_one(Grid)
    await until(at.pilot, lambda: at.calls.focused is grid)
    assert at.calls.response.body.tabled
    await until(at.pilot, lambda: "alder" in drawn(grid))
    assert "alder" in drawn(grid).split("\n")[1]
    for sign, first in (("▲", "birch"), ("▼", "alder"), ("", "alder")):
        await at.press("s")
        assert sign in drawn(grid).split("\n")[0]
        await until(at.pilot, lambda first=first: first in drawn(grid).split("\n")[1])  # type: ignore[misc]
    assert grid.order is None
    await at.press("t")
    await at.sees('"count": 2')


@shows("response.copy", "response.copy-value", "response.copy-path")
async def current_value_its_path_and_response_are_copied(at: Visit) -> None:
    exchange = await at.reply('{"price": 1.10}')
    at.calls.response.body.reader.go_to(1)
    await at.press("c")
    await until(at.pilot, lambda: at.app.clipboard == "1.10")
    await at.sees("Copied the value under the cursor, 4 B, through the terminal")
    await at.press("p")
    await until(at.pilot, lambda: at.app.clipboard.endswith("price"))
    await at.press("y")
    await at.choose("the raw response")
    await until(at.pilot, lambda: at.app.clipboard == exchange.response.body.decode())
    await at.sees("Copied the raw response")


@shows("response.save")
async def response_is_saved_in_a_file(at: Visit) -> None:
    await at.reply('{"price": 1.10}')
    await at.press("S")
    ask = await on(at.pilot, Ask)
    assert shown(ask).startswith("Save the result in which file?")
    file = at.explorer.paths.state / "price.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    await type_in(at.pilot, str(file))
    await at.press("enter")
    await at.sees("Saved the result, 15 B")
    assert file.read_bytes() == b'{"price":1.10}\n'


@shows("response.zoom")
async def response_fills_the_screen_and_shrinks(at: Visit) -> None:
    await at.reply()
    await at.press("z")
    assert at.posted(ResponsePane.ZoomWanted)
    await at.misses("Methods")
    assert at.calls.response.region.size == (SIZE[0], SIZE[1] - 2)
    await at.press("z")
    await at.sees("Methods", "▍✓ result")
    await at.press("z", "escape")
    await at.sees("Methods", "▍✓ result")


@shows("response.tab-next", "response.tab-previous")
async def tabs_of_the_response_switch_both_ways(at: Visit) -> None:
    await at.reply()
    for key, tab, text in (
        ("right_square_bracket", "Raw", '{"jsonrpc"'),
        ("right_square_bracket", "Headers", "Content-Type"),
        ("left_square_bracket", "Raw", '{"jsonrpc"'),
        ("left_square_bracket", "Result", '"count": 2'),
        ("left_square_bracket", "Timing", "ms"),
    ):
        await at.press(key)
        assert at.calls.response.tab == tab
        await at.sees(text)


@shows("history.load")
async def recorded_call_is_loaded_with_its_response(at: Visit) -> None:
    first = await at.reply("[1.10]")
    await at.write("[]", "ping")
    await at.history()
    await at.press("enter")
    await at.back()
    assert at.posted(RowList.RowChosen)
    assert (at.calls.method, at.calls.params.text) == ("demo.echo", "[1.10]")
    assert at.calls.exchange is not None
    assert at.calls.exchange.id == first.id
    await at.sees("demo.echo", "✓ result")


@shows("history.again")
async def recorded_call_is_resent(at: Visit) -> None:
    first = await at.reply("[1.10]")
    await at.write("[]", "ping")
    await at.history()
    await at.press("r")
    await at.back()
    await until(at.pilot, lambda: len(at.explorer.history.newest(9)) == 2)
    again = await at.next_exchange(first)
    assert again.id != first.id
    assert (again.method, again.params) == ("demo.echo", "[1.10]")
    await at.sees("✓ result", "1.10")


@shows("history.to-profile")
async def recorded_call_is_moved_to_another_profile(at: Visit) -> None:
    await at.reply("[1.10]")
    await at.write("[]", "ping")
    await at.history()
    await at.press("ctrl+n")
    await at.choose("inline")
    await at.back()
    await until(at.pilot, lambda: (at.calls.method, at.calls.params.text) == ("demo.echo", "[1.10]"))
    assert at.explorer.profile is not None
    assert at.explorer.profile.name == "inline"
    await at.sees("Loaded demo.echo for profile inline", "Nothing was sent")


@shows("history.tab-next", "history.tab-previous")
async def tabs_of_the_preview_switch_both_ways(at: Visit) -> None:
    await at.reply("[1.10]")
    screen = await at.history()
    for key, tab in (
        ("right_square_bracket", "Headers"),
        ("right_square_bracket", "Request"),
        ("right_square_bracket", "Note"),
        ("left_square_bracket", "Request"),
    ):
        await at.press(key)
        assert screen.tab == tab
    await at.sees("1.10", "/api/v2/")


@shows("history.search")
async def history_is_filtered_while_typing(at: Visit) -> None:
    await at.reply("[1]")
    await at.reply("[2]", "no.such.method")
    screen = await at.history()
    await at.press("slash")
    assert screen.is_typing
    at.paste("outcome:error")
    await at.sees("1 found")
    await at.sees("no.such.method")
    assert "demo.echo" not in at.seen().split("\n", 1)[1]


@shows("history.scope")
async def calls_of_all_profiles_or_one_are_shown(at: Visit) -> None:
    at.explorer.history.append(recorded(0, method="elsewhere", profile="prod"))
    await at.reply("[1]")
    screen = await at.history()
    await at.sees("1 call")
    assert "elsewhere" not in at.seen()
    await at.press("p")
    assert screen.everyone
    await at.sees("elsewhere", "2 calls")
    await at.press("p")
    await at.misses("elsewhere")


@shows("history.name", "history.annotate")
async def recorded_call_gets_a_name_and_a_note(at: Visit) -> None:
    await at.reply("[1]")
    await at.history()
    for key, text in (("t", "the outage"), ("a", "after the deploy")):
        await at.press(key)
        await on(at.pilot, Ask)
        await type_in(at.pilot, text)
        await at.press("enter")
        await on(at.pilot, HistoryScreen)
    await at.sees("★ the outage")
    record = at.explorer.history.newest(1)[0]
    assert isinstance(record, Exchange)
    assert (record.name, record.note) == ("the outage", "after the deploy")
    await at.press("left_square_bracket")
    await at.sees("after the deploy")


@shows("history.copy")
async def recorded_call_is_copied(at: Visit) -> None:
    await at.reply("[1.10]")
    await at.history()
    for key, form, start in (("y", "curl", "curl "), ("f10", "HTTPie", "http ")):
        await at.press(key)
        await at.choose(form)
        await until(at.pilot, lambda start=start: start in at.app.clipboard)  # type: ignore[misc]
        assert "1.10" in at.app.clipboard
        await on(at.pilot, HistoryScreen)
    await at.sees("Copied an HTTPie command")


@shows("response.ticket", "recent.ticket", "history.ticket")
async def one_key_copies_the_report_of_a_call(at: Visit) -> None:
    await at.reply("[1.10]")

    async def copied() -> None:
        await until(at.pilot, lambda: at.app.clipboard.startswith("## `demo.echo`"))
        assert "1.10" in at.app.clipboard
        at.app._clipboard = ""

    await at.press("M")
    await copied()
    at.calls.methods._recent_list.focus()
    await at.press("M")
    await copied()
    await at.history()
    await at.press("M")
    await copied()


@shows("history.delete")
async def recorded_call_is_deleted_after_confirmation(at: Visit) -> None:
    await at.reply("[1]")
    await at.history()
    await at.press("delete")
    await on(at.pilot, Confirm)
    await at.sees("Delete this call from the history?", "demo.echo")
    await at.press("enter")
    await on(at.pilot, HistoryScreen)
    assert len(at.explorer.history.newest(9)) == 1
    await at.press("delete")
    await on(at.pilot, Confirm)
    await at.press("right", "enter")
    await at.sees("No calls with demo yet.")
    assert at.explorer.history.newest(9) == []


WORDS = json.dumps([f"the word number {number}" for number in range(9)])
BEFORE = f'{{"list": {WORDS}, "price": 1.0, "seen": 1, "total": 1}}'
AFTER = f'{{"list": {WORDS}, "new": [], "price": 1.00, "seen": 2, "total": 2}}'


@shows(
    "history.mark", "history.compare", "comparison.next", "comparison.previous", "comparison.fold",
    "comparison.unfold-all", "comparison.fold-all", "comparison.ignored", "comparison.ticket", "comparison.export",
    "comparison.close",
)  # fmt: skip
async def call_is_compared_with_the_marked_one(at: Visit) -> None:
    with team_file(at).open("a") as file:
        file.write('\n[profile.demo.method."demo.echo"]\nignore = ["/seen"]\n')
    at.explorer.reload()
    await at.reply(BEFORE)
    await at.reply(AFTER)
    await at.history()
    await at.press("m", "down", "d")
    await on(at.pilot, ComparisonScreen)
    words = "1 member differs, 1 number is equal but written differently, 1 is new, 1 value was ignored"
    await at.sees(words, "difference 1 of 3", '-   "total": 1', '+   "total": 2')
    await at.press("n")
    await at.sees("difference 2 of 3")
    await at.press("N", "N")
    await at.sees("difference 3 of 3")
    for key in ("space", "enter"):
        await at.press("home", "down", key)
        await at.sees("number 8")
        await at.press("minus")
        await at.misses("number 8")
    for key in ("plus", "equals_sign"):
        await at.press(key)
        await at.sees("number 8")
        await at.press("minus")
        await at.misses("number 8")
    await at.press("i")
    await at.sees("2 members differ", "difference 1 of 4")
    await at.press("i")
    await at.sees(words)
    await at.press("M")
    await until(at.pilot, lambda: "number 8" in at.app.clipboard)
    await at.press("x")
    await on(at.pilot, Ask)
    await at.press("enter")
    await at.sees("Save a case of 2 calls in")
    await at.press("escape", "escape")
    await on(at.pilot, HistoryScreen)
    await at.sees("1 marked")


@shows("history.replay", "replay.open", "replay.stop", "history.export")
async def recorded_call_is_replayed_and_exported(at: Visit) -> None:
    await at.reply(BEFORE)
    await at.history()
    await at.press("R")
    await at.choose("cookie")
    await at.sees("Replay  demo.echo on cookie", "1 same", "✓ demo.echo  same  result")
    await at.press("enter")
    await on(at.pilot, ComparisonScreen)
    await at.sees(" - demo ", " + cookie ", "the same")
    await at.press("escape", "escape")
    await on(at.pilot, HistoryScreen)
    await at.press("x")
    assert shown(await on(at.pilot, Ask)).startswith("Note for the receiver")
    await type_in(at.pilot, "fails since Tuesday")
    await at.press("enter")
    await at.sees("Save a case of the call in")
    file = at.explorer.paths.state / "demo.echo.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    await type_in(at.pilot, str(file))
    await at.press("enter")
    await at.sees("Saved a case of the call")
    assert file.read_text().startswith('case = 1\nnote = "fails since Tuesday"\n')


@shows(
    "history.statistics", "statistics.open", "statistics.sort", "statistics.tab-next", "statistics.tab-previous",
    "statistics.close",
)  # fmt: skip
async def statistics_lead_to_the_calls_of_a_row(at: Visit) -> None:
    for number in range(2):
        at.explorer.history.append(recorded(number, method="ping", profile="demo"))
    await at.reply("[1]", "no.such.method")
    await at.history()
    await at.press("s")
    await on(at.pilot, StatisticsScreen)
    await at.sees("3 calls · 1 failed: 1 error", "most calls first", "ping  ")
    await at.press("s")
    await at.sees("most failures first")
    await at.press("right_square_bracket")
    await at.misses("no.such.method")
    await at.press("left_square_bracket", "escape")
    await on(at.pilot, HistoryScreen)
    await at.press("s")
    await on(at.pilot, StatisticsScreen)
    await at.sees("3 calls")
    await at.press("enter")
    await on(at.pilot, HistoryScreen)
    await at.sees("method:=ping", "2 found")


@shows("response.compare", "compare-profiles")
async def response_is_compared_with_previous_and_other_profiles(at: Visit) -> None:
    await at.reply(BEFORE)
    await at.press("d")
    await at.sees("No earlier call of demo.echo has the same params.")
    await at.reply(BEFORE)
    await at.press("d")
    await on(at.pilot, ComparisonScreen)
    await at.sees("the same")
    await at.press("escape")
    await at.back()
    await at.press("alt+d")
    await on(at.pilot, SeveralProfiles)
    await at.press("enter")
    await at.sees("select a second profile to compare with")
    await at.press("down", "down", "space", "enter")
    await on(at.pilot, ComparisonScreen)
    await at.sees("the same", "demo", "cookie")
    await at.press("escape")
    await at.back()
    await at.press("alt+d")
    await on(at.pilot, SeveralProfiles)
    await at.sees("[x] demo    http:", "[ ] cookie  http:")
    await at.press("down", "down", "space", "down", "space", "enter")
    await at.sees(
        "demo.echo  compared with demo", "1 same", "1 failed", "✓ cookie  same    result", "✗ dead    failed  "
    )
    await at.press("escape")
    await at.back()


@shows("add-to-batch", "batch", "batch.load", "batch.send", "batch.copy", "batch.close")
async def calls_are_collected_and_sent_as_batch(at: Visit) -> None:
    await at.write("[1.10]")
    await at.press("alt+p")
    await at.sees("Added demo.echo to the batch: 1 call.")
    await at.write("[]", "nowhere")
    await at.press("alt+p", "alt+l")
    batch = await on(at.pilot, BatchScreen)
    sent = {""}
    for key in ("f5", "ctrl+enter"):
        await at.press(key)
        await until(at.pilot, lambda: bool(batch.calls.sent) and batch.calls.sent.id not in sent and batch.stop is None)
        sent.add(batch.calls.sent.id)
    await at.sees("Batch  2 calls", "✓ result", "✗ -32601")
    for key in ("y", "f10"):
        await at.press(key)
        await on(at.pilot, Picker)
        await at.press("escape")
        await on(at.pilot, BatchScreen)
    await at.press("escape")
    await at.back()
    await at.press("alt+l")
    await on(at.pilot, BatchScreen)
    await at.press("enter")
    await at.back()
    assert (at.calls.method, at.calls.params.text) == ("demo.echo", "[1.10]")


@shows("batch.up", "batch.down", "batch.notification", "batch.remove", "batch.clear", "batch.undo")
async def batch_is_reordered(at: Visit) -> None:
    batch = CollectedCalls().added(Draft("a")).added(Draft("b")).added(Draft("c"))
    at.explorer.batches.keep(at.explorer.profiles.profiles["demo"], batch, ())
    await at.press("alt+l")
    screen = await on(at.pilot, BatchScreen)

    def calls() -> str:
        return "".join(row.draft.method for row in screen.calls.rows)

    for key, order in (("J", "bac"), ("shift+down", "bca"), ("K", "bac"), ("shift+up", "abc")):
        await at.press(key)
        assert calls() == order
    await at.press("n")
    assert screen.calls.rows[0].draft.notification
    await at.press("delete")
    assert calls() == "bc"
    await at.by_palette("clear batch")
    await on(at.pilot, BatchScreen)
    await until(at.pilot, lambda: not calls())
    await at.press("ctrl+z")
    assert calls() == "bc"


@shows(
    "form", "form.edit", "form.cycle", "form.unfold", "form.fold", "form.add", "form.remove", "form.undo", "form.redo",
    "form.back", "form.close", "form.send", "form.fix", "form.problem-next",
)  # fmt: skip
async def params_are_edited_as_a_form(at: Visit) -> None:
    await at.press("f9")
    await until(at.pilot, lambda: at.calls.described is not None and not at.calls.running)
    await at.write('{"customer": 7,\n "items": [{"sku": "tea-01"}]}', "demo.orders.place")
    at.calls.described = None  # as on the first screen, for a moment
    await at.press("alt+e")
    await on(at.pilot, FormScreen)
    await at.sees("▍Form", "○ gift", "POST /api/v2/")
    await at.press("home", "enter", "backspace", *"12,", "home", "f12", "ctrl+r", "enter")
    await at.press("end", "up", "space")
    assert at.calls.params.text == '{"customer": 12,\n "items": [{"sku": "tea-01"}],\n "gift": true}'
    await at.press("delete")
    assert "gift" not in at.calls.params.text
    await at.press("ctrl+z", "ctrl+y", "up", "right", "left")
    for count, key in enumerate(("plus", "equals_sign", "insert"), start=2):
        await at.press("home", "down", key)
        await at.sees(f"{count} elements")
    await at.press("ctrl+z", "ctrl+z", "ctrl+z", "escape")
    await at.back()
    assert at.calls.params.text == '{"customer": 12,\n "items": [{"sku": "tea-01"}]}'
    for key in ("f5", "ctrl+enter"):
        before = at.calls.exchange
        await at.press("alt+e")
        await on(at.pilot, FormScreen)
        await at.press("alt+e")
        await at.back()
        await at.press("alt+e")
        await on(at.pilot, FormScreen)
        await at.press(key)
        await at.back()
        assert isinstance((await at.next_exchange(before)).outcome, Result)


@shows("response.use")
async def value_is_inserted_into_another_call(at: Visit) -> None:
    await at.reply('{"key": "abc"}')
    await at.press("down", "u")
    await at.choose("ping")
    await at.back()
    await until(at.pilot, lambda: at.calls.method == "ping")
    assert at.calls.params.text == '["{{last.demo.echo#/key}}"]'


def team_file(at: Visit) -> Path:
    """Return the project file with the profiles of these tests."""
    return at.explorer.profiles.files_of("demo")[0]


async def new_profile(at: Visit, screen: ProfilesScreen, name: str) -> Profile:
    """Wait for the list with a new profile of the project file."""
    await until(at.pilot, lambda: at.app.screen is screen and name in names(screen))
    assert f"[profile.{name}]" in team_file(at).read_text()
    await at.sees(name)
    return at.explorer.profiles.profiles[name]


@shows("profiles.use")
async def profile_is_chosen(at: Visit) -> None:
    await profiles(at.pilot, "prod")
    await at.press("enter")
    await at.back()
    assert at.explorer.profile is not None
    assert at.explorer.profile.name == at.explorer.last_used == "prod"
    await at.sees(" prod ", "PROD")


@shows("profiles.search")
async def profile_is_found_by_its_name(at: Visit) -> None:
    screen = await profiles(at.pilot)
    await at.press("slash")
    await at.choose("prod")
    await until(at.pilot, lambda: at.app.screen is screen)
    found = screen.row
    assert found is not None
    assert found.name == "prod"
    assert at.explorer.profile is not None
    assert at.explorer.profile.name == "demo"
    await at.sees("│ Profile prod")


@shows("profiles.copy")
async def url_of_a_profile_is_copied(at: Visit) -> None:
    await profiles(at.pilot, "dead")
    for key in ("y", "f10"):
        at.app.copy_to_clipboard("")
        await at.press(key)
        await until(at.pilot, lambda: at.app.clipboard == "http://127.0.0.1:9/api/v2/")
    await at.sees("Copied the URL")


@shows("profiles.add")
async def profile_is_added(at: Visit) -> None:
    screen = await profiles(at.pilot)
    await at.press("a")
    form = await on(at.pilot, ProfileForm)
    assert str(at.explorer.paths.user_sessions) in shown(form)
    await type_in(at.pilot, "new")
    await at.press("enter")
    await type_in(at.pilot, "https://new.example.com")
    await at.press("ctrl+s")
    await until(at.pilot, lambda: at.app.screen is screen and "new" in names(screen))
    assert "[profile.new]" in at.explorer.paths.user_sessions.read_text()
    await at.sees("Profiles  6", "https://new.example.com/api/v2/")


@shows("profiles.edit")
async def profile_is_changed_in_its_file(at: Visit) -> None:
    screen = await profiles(at.pilot, "dead")
    await at.press("e")
    form = await on(at.pilot, ProfileForm)
    assert str(team_file(at)) in shown(form)
    await type_in(at.pilot, "https://alive.example.com")
    await at.press("ctrl+s")
    assert (await new_profile(at, screen, "dead")).url == "https://alive.example.com"
    assert 'url = "https://alive.example.com"' in team_file(at).read_text()
    await at.sees("https://alive.example.com/api/v2/")


@shows("profiles.default")
async def default_profile_is_set(at: Visit) -> None:
    await profiles(at.pilot, "dead")
    await at.press("asterisk")
    await at.sees("dead  default")
    assert at.app.explorer.profiles.default == "dead"


@shows("profiles.duplicate")
async def profile_is_duplicated(at: Visit) -> None:
    screen = await profiles(at.pilot, "prod")
    await at.press("d")
    await on(at.pilot, Form)
    await at.press("enter")
    assert (await new_profile(at, screen, "prod-copy")).badge == "prod"


@shows("profiles.remove")
async def profile_is_removed_after_confirmation(at: Visit) -> None:
    screen = await profiles(at.pilot, "dead")
    await at.press("delete")
    await on(at.pilot, Confirm)
    await at.sees("Remove dead?", "http://127.0.0.1:9")
    await at.press("right", "enter")
    await until(at.pilot, lambda: at.app.screen is screen and "dead" not in names(screen))
    assert "[profile.dead]" not in team_file(at).read_text()
    await at.misses("127.0.0.1:9/")


@asynccontextmanager
async def connected(at: Visit, script: Script) -> AsyncIterator[None]:
    """Use a profile of a server that runs a script for each connection."""
    async with peer(framed(script, "lines")) as port:
        at.explorer.use(Profile("live", f"tcp://127.0.0.1:{port}", answers={"*": ServerAnswer(ask=True)}))
        at.calls.show_profile()
        yield
        await at.explorer.close_connection()


async def wait_for_end(peer: Peer) -> None:
    await peer.receive()


@shows("connect", "events.connect")
async def connection_is_opened_and_closed(at: Visit) -> None:
    async with connected(at, wait_for_end):
        await at.sees("○ closed")
        await at.press("alt+c")
        await at.sees("● open")
        await at.press("alt+c")
        await at.sees("○ closed")
        await at.pilot.press("alt+v")
        await on(at.pilot, EventsScreen)
        await at.sees("No events yet.", "to open the connection.")
        await at.press("alt+c")
        await at.sees("● open")


@shows("events", "events.close")
async def events_open_and_close(at: Visit) -> None:
    assert at.explorer.profile is not None
    at.explorer.hooks.on_event(at.explorer.profile, event("tick"))
    await at.sees("1 event · tick", "Alt+v events")
    for key in ("escape", "alt+v"):
        await at.press("alt+v")
        await on(at.pilot, EventsScreen)
        await at.sees("▍Events  1  following", "· tick")
        await at.press(key)
        await at.back()


@shows("events.answer")
async def request_of_the_server_is_answered(at: Visit) -> None:
    answers: list[bytes] = []

    async def ask(peer: Peer) -> None:
        await peer.send(peer.frame(b'{"jsonrpc":"2.0","id":7,"method":"ask.name","params":{}}'))
        answers.append(await peer.receive())
        await peer.receive()

    async with connected(at, ask):
        await at.pilot.press("alt+c")
        await at.sees("? ask.name waits")
        await at.pilot.press("alt+v")
        await on(at.pilot, EventsScreen)
        await at.press("a")
        await on(at.pilot, AnswerDialog)
        at.app.post_message(events.Paste('{"name": "Ada"}'))
        await at.pilot.press("f5")
        await at.sees("Answered ask.name.", "✓ answered")
        await until(at.pilot, lambda: bool(answers))
        assert answers == [b'{"jsonrpc":"2.0","id":7,"result":{"name": "Ada"}}']


@shows("events.follow", "events.search")
async def list_of_events_is_paused_and_filtered(at: Visit) -> None:
    profile = at.explorer.profile
    assert profile is not None
    for method in ("tick", "tock"):
        at.explorer.hooks.on_event(profile, event(method))
    await at.sees("2 events")
    await at.pilot.press("alt+v")
    await on(at.pilot, EventsScreen)
    await at.press("space")
    at.explorer.hooks.on_event(profile, event("later"))
    await at.sees("paused, 1 newer")
    await at.press("space")
    await at.sees("following")
    await at.press("slash", *"method:to")
    await at.sees("1 found", "· tock")
    await at.misses("· tick")


@shows("events.copy", "events.save")
async def event_is_copied_and_saved(at: Visit) -> None:
    profile = at.explorer.profile
    assert profile is not None
    at.explorer.hooks.on_event(profile, event("tick"))
    await at.sees("1 event")
    await at.pilot.press("alt+v")
    await on(at.pilot, EventsScreen)
    for key in ("y", "f10"):
        at.app.copy_to_clipboard("")
        await at.press(key)
        await until(at.pilot, lambda: at.app.clipboard == event("tick").text.decode())
    await at.press("S")
    ask = await on(at.pilot, Ask)
    assert shown(ask).startswith("Save the message in which file?")
    file = at.explorer.paths.state / "event.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    await type_in(at.pilot, str(file))
    await at.pilot.press("enter")
    await at.sees("Saved the message")
    assert file.read_bytes() == event("tick").text


@shows("history.save")
async def recorded_event_is_copied_and_saved(at: Visit) -> None:
    profile = at.explorer.profile
    assert profile is not None
    at.explorer.journal.record_event(event("tick"), profile)
    at.explorer.journal.flush_events()
    await at.press("f6")
    await on(at.pilot, HistoryScreen)
    await at.press("slash")
    at.paste("outcome:event")
    await at.sees("← tick")
    await at.press("enter")
    await at.sees("y copy   S save")
    at.app.copy_to_clipboard("")
    await at.press("y")
    await until(at.pilot, lambda: at.app.clipboard == event("tick").text.decode())
    await at.press("S")
    assert shown(await on(at.pilot, Ask)).startswith("Save the message in which file?")
    file = at.explorer.paths.state / "tick.json"
    await type_in(at.pilot, str(file))
    await at.pilot.press("enter")
    await at.sees("Saved the message")
    assert file.read_bytes() == event("tick").text


@shows("events.stderr")
async def stderr_of_the_process_is_shown(at: Visit) -> None:
    profile = at.explorer.profile
    assert profile is not None
    at.explorer.hooks.on_event(profile, event("tick"))
    at.explorer.hooks.on_stderr(profile, "warning: [no] config")
    await at.sees("1 event")
    await at.pilot.press("alt+v")
    await on(at.pilot, EventsScreen)
    await at.press("e")
    await at.sees("stderr of the process", "warning: [no] config", "Esc close")
    assert at.app.screen.query_one(".block").size.height < 8, "as high as its text"


@shows("profiles.test")
async def connection_of_a_profile_is_tested(at: Visit) -> None:
    screen = await profiles(at.pilot, "cookie")
    await at.press("t")
    dialog: ConnectionTest = await on(at.pilot, ConnectionTest)
    await at.sees("Connection test: cookie", "at most 16 requests", "system.listMethods")
    await at.press("enter")
    await until(at.pilot, lambda: bool(dialog.report.checks) and not dialog.report.under_way)
    await at.sees("✓ JSON-RPC", "The profile needs no changes. Press Esc, then Enter to use it.")
    await at.press("escape")
    await until(at.pilot, lambda: at.app.screen is screen)
    _, steps = screen._tested["cookie"]
    assert all(step.state != "failed" for step in steps)
    await at.sees("✓", "auth")
    assert at.explorer.history.newest(1) == []


@shows("test")
async def current_connection_is_tested(at: Visit) -> None:
    await at.press("alt+t")
    dialog: ConnectionTest = await on(at.pilot, ConnectionTest)
    await at.sees("Connection test: demo", "at most 16 requests")
    await at.press("enter")
    await until(at.pilot, lambda: bool(dialog.report.checks) and not dialog.report.under_way)
    await at.press("escape")
    await until(at.pilot, lambda: at.app.screen is at.calls)


@shows("profiles.secrets")
async def secrets_are_entered_masked(at: Visit) -> None:
    screen = await profiles(at.pilot, "inline")
    await at.press("f8")
    await on(at.pilot, Credentials)
    await at.press("escape")
    await until(at.pilot, lambda: at.app.screen is screen)
    await at.press("s")
    form = await on(at.pilot, Credentials)
    form.input_of("password").focus()
    await type_in(at.pilot, "a-new-one")
    assert "a-new-one" not in at.seen()
    await at.press("ctrl+s")  # Only a value that is not stored overrides the environment.
    await until(at.pilot, lambda: at.app.screen is screen)
    assert at.known("inline", "password") == "a-new-one"
    await at.sees("password entered")
    assert notices(at.app) == ""


@pytest.mark.everyday(2)
@pytest.mark.parametrize("tested", STORIES, ids=lambda tested: tested.story.__name__)
def test_command_does_its_action(tested: CommandStory, explorer: Explorer, person: PersonOnScreen) -> None:
    heard: list[Message] = []

    def hear(message: Message) -> None:
        if type(message).__module__.startswith("rpcexplorer."):
            heard.append(message)

    async def run() -> None:
        app = ExplorerApp(explorer, person, tested.profile)
        app.keys.clock = lambda: 0.0  # A story types faster than people: no text is too early after a dialog.
        async with app.run_test(size=SIZE, notifications=True, message_hook=hear) as pilot:
            await until(pilot, lambda: isinstance(app.screen, CallScreen) and bool(app.screen.method))
            assert isinstance(app.screen, CallScreen)
            visit = Visit(app, pilot, app.screen, explorer, heard)
            try:
                await tested.story(visit)
            except AssertionError as wrong:
                wrong.add_note(visit.seen())
                raise
            assert not unpressed(tested, visit.pressed)

    asyncio.run(run())


def test_every_command_of_the_table_has_its_story() -> None:
    assert sorted(id for tested in STORIES for id in tested.ids) == sorted(KNOWN)


@pytest.mark.parametrize("size", [(80, 24), (120, 34)], ids=["80x24", "120x34"])
@pytest.mark.parametrize(("key", "kind"), [("f6", HistoryScreen), ("f7", ProfilesScreen)])
async def test_footer_shows_the_way_back(key: str, kind: type[Any], size: tuple[int, int], explorer: Explorer) -> None:
    async with open_program(explorer, size=size) as program:
        explorer.history.append(recorded(0, profile="demo"))
        await program.press(key)
        screen = await program.on(kind)
        if isinstance(screen, HistoryScreen):
            await program.until(lambda: screen.record is not None)
        await program.pause()
        assert "Esc back" in drawn(screen.query_one(Footer))


@pytest.mark.thorough
async def test_small_terminal_separates_profiles_by_tinted_bar(explorer: Explorer) -> None:
    async with open_program(explorer, size=(80, 24)) as program:
        screen = await program.profiles()
        assert screen.query_one("#detail Bar").has_class("-tinted")
