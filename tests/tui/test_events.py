"""Events on screen: the log, the filter, answers, the header, and the question about a process."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from textual import events

from rpcexplorer.demo import PASSWORD
from rpcexplorer.explorer import Explorer
from rpcexplorer.model import event as model
from rpcexplorer.model.event import Event
from rpcexplorer.model.profile import Answer, Profile
from rpcexplorer.model.secret import MARGIN
from rpcexplorer.tui import connections, event_log
from rpcexplorer.tui.answers import AnswerDialog, member_of
from rpcexplorer.tui.event_log import EventLog, message_of
from rpcexplorer.tui.events import EventsScreen, difference, rate_words
from rpcexplorer.tui.history import HistoryScreen
from rpcexplorer.tui.widgets.bars import Header
from rpcexplorer.tui.widgets.dialog import Answer as Button
from rpcexplorer.tui.widgets.dialog import Confirm
from tests.fakes.mcp import StatelessMcp
from tests.fakes.peers import Peer, Script, framed, peer
from tests.fakes.wire import HOLD, Parts, RawServer, Received, http_reply
from tests.tui.program import Program, open_program

NOW = datetime(2026, 11, 21, 10, 41, 7, 5000, tzinfo=UTC)


def event(method: str = "tick", params: str = "{}", **more: Any) -> Event:
    text = f'{{"jsonrpc":"2.0","method":"{method}","params":{params}}}'.encode()
    usual: dict[str, Any] = {"when": NOW, "kind": "notification", "text": text, "method": method}
    return Event(**usual | more)


@pytest.mark.parametrize(
    ("choice", "text", "member", "problem"),
    [
        ("answer", "[1.10]", '"result":[1.10]', ""),
        ("answer", '{"a": }', "", "line 1, column 7"),
        ("answer", '"\ud800"', "", "line 1"),
        ("answer", "", "", "line 1, column 1: a value is missing. Write one, or null."),
        ("refuse", '{"code": -1, "message": "no"}', '"error":{"code": -1, "message": "no"}', ""),
        ("refuse", '{"code": "x"}', "", "An error is an object with code"),
    ],
)
def test_answer_is_a_result_or_an_error(choice: str, text: str, member: str, problem: str) -> None:
    found, why_not = member_of(choice, text)
    assert found == member
    assert why_not[: len(problem)] == problem


@pytest.mark.parametrize(
    ("text", "earlier", "shown"),
    [
        ('{"n": 1, "sku": "A-2"}', '{"n": 1, "sku": "A-1"}', '…"sku": "A-2"}'),
        ('{"n": 2, "sku": "A"}', '{"n": 1, "sku": "A"}', '{"n": 2, "sku": "A"}'),
        ('{"sub":"0x1","result":{"number":"0x2"}}', '{"sub":"0x1","result":{"number":"0x1"}}', '…"number":"0x2"}}'),
        ("[100, 200, 3]", "[100, 200, 4]", "…3]"),
        ('{"same": 1}', '{"same": 1}', '{"same": 1}'),
        ('{"longer": 1', '{"longer": 123', '{"longer": 1'),
        ("some words", "some other words", "some words"),
        ("", "{}", ""),
    ],
)
def test_preview_begins_where_it_differs(text: str, earlier: str, shown: str) -> None:
    assert difference(text, earlier) == shown


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ([9, 0, 0, 0, 0, 1, 0], "0.2/s"),
        ([1] * 60, "1.0/s"),
        ([1] * 59 + [0], "1.0/s"),
        ([5_000] * 6, "5,000/s"),
        ([0, 0, 0, 0, 0, 0, 20, 20, 3], "20/s"),
        ([0, 0, 0, 3], "3.0/s"),
        ([3], "3.0/s"),
    ],
)
def test_rate_is_the_average_of_whole_seconds(counts: list[int], words: str) -> None:
    assert rate_words(counts) == words


def receive(explorer: Explorer, *events: Event) -> None:
    """Let the server of the profile in use send events."""
    assert explorer.profile is not None
    for one in events:
        explorer.hooks.on_event(explorer.profile, one)


async def open_events(program: Program) -> EventsScreen:
    await program.press("alt+v")
    screen: EventsScreen = await program.on(EventsScreen)
    return screen


def live(port: int) -> Profile:
    return Profile("live", f"tcp://127.0.0.1:{port}", answers={"*": Answer(ask=True)})


@asynccontextmanager
async def connected(explorer: Explorer, script: Script) -> AsyncIterator[tuple[Program, Profile]]:
    """Open the program with a profile whose server runs a script for each connection."""
    async with open_program(explorer, profile="demo") as program, peer(framed(script, "lines")) as port:
        profile = live(port)
        explorer.use(profile)
        program.calls.show_profile()
        yield program, profile


async def hold(peer: Peer) -> None:
    await peer.read_to_end()


async def test_rates_are_drawn_for_the_frequent_methods(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        now = datetime.now(UTC) + timedelta(minutes=1)
        for name, seconds in (
            ("tick", (0, 1, 1, 2)),
            ("progress", (2, 2)),
            ("c\x1b[2J", (0,)),
            ("d", (2,)),
            ("e", (2,)),
        ):
            for second in seconds:
                receive(explorer, event(name, when=now + timedelta(seconds=second)))
        await open_events(program)
        await program.until(lambda: "others" in program.text)
        rows = [line.split() for line in program.text.splitlines() if "/s" in line]
        assert [(row[0], row[1], row[2]) for row in rows] == [
            ("c␛[2J", "▄", "0.5/s"),
            ("progress", "█", "2.0/s"),
            ("tick", "▄█▄", "1.5/s"),
            ("others", "█", "2.0/s"),
        ]


async def test_events_of_a_method_show_their_differences(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        for number in (1, 2):
            receive(explorer, event("tick", f'{{"job": "nightly", "percent": {number}}}'))
            receive(explorer, event("other", "[]"))
        await open_events(program)
        await program.until(lambda: '…"percent": 2}' in program.text)
        assert '{"job": "nightly", "percent": 1}' in program.text


async def test_paused_list_stays_at_its_event(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_log, "MAX_EVENTS", 50)
    async with open_program(explorer, profile="demo") as program:
        for number in range(50):
            receive(explorer, event(f"m{number}"))
        await program.sees("50 events")
        screen = await open_events(program)
        await program.press("up", "up", "up")
        rows = screen.list
        row = rows.cursor - rows.scroll_offset.y
        for number in range(50, 60):
            receive(explorer, event(f"m{number}"))
        await program.sees("paused, 13 newer")
        assert rows.chosen is not None
        assert (rows.chosen.method, rows.cursor - rows.scroll_offset.y) == ("m46", row)
        assert "10 dropped" in program.text
        await program.press("end")
        await program.sees("following")


@pytest.mark.thorough
async def test_count_of_unrecorded_events_names_all_profiles(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_program(explorer, profile="demo") as program:
        receive(explorer, event())
        await program.sees("1 event")
        monkeypatch.setattr(explorer.journal.events, "_refused", 3)
        await open_events(program)
        assert "3 not recorded (all profiles)" in program.text


@pytest.mark.thorough
async def test_filter_without_matches_names_its_key(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        receive(explorer, event())
        await program.sees("1 event")
        await open_events(program)
        await program.press("slash", "x", "y")
        await program.sees("Press Esc to clear it.")
        await program.press("enter")
        await program.sees("Press / to change it.")


async def test_secret_and_control_characters_are_not_shown(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        hostile = event("[/]\x1b]52;c;x", f'{{"password":"{PASSWORD}"}}')
        receive(explorer, hostile)
        assert explorer.profile is not None
        explorer.hooks.on_stderr(explorer.profile, f"login {PASSWORD}\x1b[c")
        await program.sees("1 event")
        await open_events(program)
        assert "[/]␛]52;c;x" in program.text
        assert ".password»" in program.text
        assert PASSWORD not in program.text
        await program.press("y")
        await program.until(lambda: ".password»" in program.app.clipboard)
        assert "\x1b" not in program.app.clipboard
        await program.press("e")
        await program.sees("login «")
        assert PASSWORD not in program.text


def test_secret_across_the_cut_is_not_shown(explorer: Explorer) -> None:
    start = b"x" * (model.MAX_EVENT - len(PASSWORD) // 2)
    long = Event(NOW, "unreadable", start + PASSWORD.encode() + b"y" * 2 * MARGIN)
    EventLog().take(long)
    hide = explorer.event_redactor(next(iter(explorer.profiles.profiles.values())))
    assert message_of(long, hide)[: model.MAX_EVENT] == message_of(long, hide)
    assert PASSWORD[: len(PASSWORD) // 2].encode() not in message_of(long, hide)


async def test_calls_over_http_need_no_code_of_connections(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        calls = program.calls
        calls.drafts.choose("ping")
        calls.action_send()
        await program.until(lambda: calls.exchange is not None and not calls.running)
        assert "connections" not in calls.__dict__
        assert "Alt+v" not in program.text
        await program.press("alt+c")
        await program.sees("no connection stays open, and events come only with a response")


async def test_request_is_refused_while_a_call_runs(explorer: Explorer) -> None:
    answers: list[bytes] = []

    async def ask(peer: Peer) -> None:
        await peer.receive()
        await peer.send(peer.frame(b'{"id":7,"method":"roots/list"}'))
        answers.append(await peer.receive())
        await peer.receive()

    async with connected(explorer, ask) as (program, profile):
        calls = program.calls
        calls.drafts.choose("slow")
        calls.action_send()
        await program.sees("? roots/list waits")
        await open_events(program)
        await program.press("a")
        await program.on(AnswerDialog)
        await program.sees("F5 send Tab next field Esc cancel")
        await program.press("shift+tab")
        await program.sees("Tab next field ←→ answer or refuse Esc cancel")
        await program.press("shift+tab")
        await program.sees("Tab next field ↑↓ scroll Esc cancel")
        await program.press("tab", "right", "f5")
        await program.until(lambda: bool(answers) and "✗ roots/list  refused" in program.text)
        await program.sees("Refused roots/list.")
        assert calls.connections.words(profile)[-1] == [("● ", "well"), ("open", "text")]
        assert calls.running
        assert answers == [b'{"jsonrpc":"2.0","id":7,"error":{"code": -32000, "message": "Refused"}}']
        await program.press("escape")
        calls.action_cancel()
        await program.until(lambda: not calls.running)
        await explorer.close_connection()


async def test_edit_closes_a_connection_that_no_longer_fits(explorer: Explorer) -> None:
    async with connected(explorer, hold) as (program, profile):
        calls = program.calls
        calls.drafts.choose("slow")
        calls.action_send()
        await program.sees("● open")
        explorer.use(replace(profile, timeout=60))
        await program.pause()
        assert "● open" in program.text
        assert calls.running
        explorer.use(replace(profile, framing="none"))
        await program.until(lambda: "○ closed" in program.text and not calls.running)
        assert calls.exchange is not None
        assert calls.exchange.outcome_name == "unreached"


async def test_keys_for_a_waiting_request_work_where_shown(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo", size=(80, 24)) as program:
        profile = live(9)
        explorer.use(profile)
        program.calls.show_profile()
        explorer.hooks.on_event(profile, event("ask", kind="request", id=b"1"))
        await program.until(lambda: "? ask waits" in program.text and "Alt+v events" in program.text)
        await program.press("f6")
        await program.on(HistoryScreen)
        assert "? ask waits" in program.text
        assert "Alt+v" not in program.text
        await program.press("escape")
        await open_events(program)
        await program.sees("waits for your answer a answer")
        await program.press("slash")
        await program.misses("a answer")


async def test_text_of_a_wrong_answer_stays_in_the_dialog(explorer: Explorer) -> None:
    async def ask(peer: Peer) -> None:
        await peer.send(peer.frame(b'{"id":7,"method":"ask"}'))
        await peer.receive()

    async with connected(explorer, ask) as (program, _):
        await program.press("alt+c")
        await program.sees("? ask waits")
        await open_events(program)
        await program.press("a")
        await program.on(AnswerDialog)
        program.app.post_message(events.Paste("[1"))
        await program.press("f5")
        await program.sees("✗ Line 1")
        await program.press("escape", "a")
        await program.on(AnswerDialog)
        assert "[1" in program.text
        await explorer.close_connection()
        await program.press("alt+a", "1", "f5")
        await program.sees("Not answered: the connection")


async def test_typed_answer_is_kept_for_its_request(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        for id in (b"1", b"2"):
            receive(explorer, event("ask", kind="request", id=id))
        await program.sees("? ask waits")
        await open_events(program)
        await program.press("a")
        await program.on(AnswerDialog)
        program.app.post_message(events.Paste("typed"))
        seen = []
        for key in ("down", "up"):
            await program.press("escape", key, "a")
            await program.on(AnswerDialog)
            seen.append("typed" in program.text)
        assert seen == [False, True]


async def test_header_says_why_a_connection_ended(explorer: Explorer) -> None:
    async def end(peer: Peer) -> None:
        await peer.receive()

    async with connected(explorer, end) as (program, _):
        calls = program.calls
        calls.drafts.choose("any")
        calls.action_send()
        await program.sees("○ closed: ")
        await program.until(lambda: not calls.running)
        assert calls.exchange is not None
        assert calls.exchange.outcome_name == "unreached"


async def test_header_shows_a_connection_opened_elsewhere(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch, a check or a replay opens it, not the call screen."""
    monkeypatch.setattr(connections, "TICK_SECONDS", 0.001)
    async with connected(explorer, hold) as (program, _):
        await program.sees("○ closed")
        await program.rest()
        await explorer.open_connection()
        await program.sees("● open")
        await explorer.close_connection()


async def test_header_leaves_a_gap_after_a_clipped_url(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo", size=(80, 24)) as program:
        program.calls.query_one(Header).connection = [[(f"○ closed: {'x' * 40}", "wrong")]]
        await program.until(lambda: "…  ○ closed: x" in program.text)


@pytest.mark.thorough
async def test_connection_of_an_edited_profile_is_closed(explorer: Explorer) -> None:
    async with connected(explorer, hold) as (program, profile):
        await explorer.open_connection()
        connection = explorer.connection_of(profile)
        assert connection is not None
        await explorer.close_edited()
        assert connection.is_open
        explorer.use("demo")
        await program.press("f7", "escape")
        await program.sees("Closed the connection of live")
        assert not connection.is_open


async def test_failed_opening_names_the_step(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        explorer.use(Profile("gone", "stdio:", command=("rpcexplorer-no-such-program",), ad_hoc=True))
        program.calls.show_profile()
        await program.press("alt+c")
        await program.sees("not opened (step: start)")


async def test_opening_that_hangs_can_be_cancelled(explorer: Explorer) -> None:
    async def wait(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async with open_program(explorer, profile="demo") as program:
        calls = program.calls
        async with peer(wait) as port:
            explorer.use(Profile("slow", f"tls://127.0.0.1:{port}"))
            calls.show_profile()
            await program.press("alt+c")
            await program.until(lambda: bool(calls.running))
            screen = await open_events(program)
            await program.press("escape")
            await program.until(lambda: program.app.screen is not screen)
            await program.press("escape")
            await program.until(lambda: not calls.running)


async def test_silent_process_has_no_stderr_to_show(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        explorer.use(Profile("idle", "stdio:", command=("cat",), ad_hoc=True))
        program.calls.show_profile()
        await open_events(program)
        await program.press("e")
        await program.sees("has written nothing to its stderr")


SHARED = """
[profile.shared]
url = "stdio:"
command = ["{python}", "-c", "open('started', 'w').close()"]
"""


async def test_process_of_a_shared_file_starts_after_a_yes(make_explorer: Callable[..., Explorer]) -> None:
    explorer = make_explorer(SHARED.format(python=sys.executable))
    started = explorer.folder / "started"
    async with open_program(explorer, profile="shared") as program:
        calls = program.calls
        for again in range(2):
            calls.drafts.choose("any")
            calls.action_send()
            await program.on(Confirm)
            await program.sees("Start this process for shared?", "-c")
            for fact in ("sessions.toml:4", str(explorer.folder), sys.executable):
                assert fact in program.unbroken
            assert isinstance(program.app.focused, Button)
            assert program.app.focused.id == "leave"
            await program.press(*(["right"] if again else []), "enter")
            await program.until(lambda: calls.exchange is not None and not calls.running)
            assert calls.exchange is not None
            assert calls.exchange.outcome_name == ("unreached" if again else "refused")
            assert started.exists() is bool(again)


@pytest.mark.thorough
async def test_question_about_a_long_command_keeps_its_buttons(make_explorer: Callable[..., Explorer]) -> None:
    words = ", ".join(f'"--option-number-{number}=a-value"' for number in range(40))
    explorer = make_explorer(f'[profile.shared]\nurl = "stdio:"\ncommand = ["{sys.executable}", {words}]')
    async with open_program(explorer, profile="shared", size=(80, 24)) as program:
        await program.press("alt+c")
        await program.on(Confirm)
        parts = ("Start this process for shared?", "Don't start", "PgDn")
        assert all(part in program.text for part in (*parts, "folder", "number-0="))
        await program.press(*["pagedown"] * 4)
        assert "number-0=" not in program.text
        assert all(part in program.text for part in (*parts, "number-39=", "sessions.toml:", "program"))
        await program.press("enter")
        await program.sees("you have not allowed it here")


async def test_changed_command_is_asked_about_again(make_explorer: Callable[..., Explorer], tmp_path: Path) -> None:
    explorer = make_explorer(SHARED.format(python=sys.executable))
    explorer.use("shared")
    assert explorer.profile is not None
    question = explorer.question(explorer.profile)
    assert question is not None
    explorer.secrets.destinations.allow("shared", process=question.process)
    file = explorer.folder / "sessions.toml"
    file.write_text(file.read_text().replace("started", "harmless"))
    explorer.reload()
    async with open_program(explorer, profile="shared") as program:
        await program.press("alt+c")
        await program.on(Confirm)
        words = program.words
        assert words.index("words") < words.index("started") < words.index("→ ") < words.index("harmless")
        await program.press("escape")
        await program.sees("you have not allowed it here")
    assert not (explorer.folder / "harmless").exists()


EVENT_STREAM = http_reply(headers={"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"})


def in_stream(method: str) -> bytes:
    text = f'data: {{"jsonrpc": "2.0", "method": "{method}", "params": {{}}}}\n\n'.encode()
    return b"%x\r\n%b\r\n" % (len(text), text)


def with_session(request: Received) -> Parts:
    if request.line.startswith("GET"):
        return [EVENT_STREAM, in_stream("notifications/tools/list_changed"), HOLD, b"0\r\n\r\n"]
    if request.json["method"] == "initialize":
        return request.reply(result={"protocolVersion": "2025-11-25"})
    return http_reply(status=202) if "id" not in request.json else request.reply(result={})


def without_session(request: Received) -> Parts:
    if request.json["method"] != "subscriptions/listen":
        return StatelessMcp()(request)
    first, second = "notifications/subscriptions/acknowledged", "notifications/tools/list_changed"
    return [EVENT_STREAM, in_stream(first), in_stream(second), HOLD, b"0\r\n\r\n"]


@pytest.mark.parametrize(("script", "version"), [(with_session, "2025-11-25"), (without_session, "auto")])
async def test_event_stream_over_http_is_read_until_it_is_closed(
    explorer: Explorer, script: Callable[[Received], Parts], version: Any
) -> None:
    with RawServer(script) as server:
        explorer.profiles.profiles["mcp"] = Profile("mcp", server.origin, handshake="mcp", mcp=version)
        async with open_program(explorer, profile="mcp") as program:
            await program.press("alt+c")
            await program.sees("● listening")
            await program.sees("notifications/tools/list_changed")
            await open_events(program)
            await program.press("alt+c")
            await program.misses("● listening")
            await program.press("alt+c")
            await program.sees("● listening")
            server.release()
            await program.sees("mcp sends no more events. The server ended the event stream.")
            await program.misses("● listening")


async def test_server_without_event_stream_says_so(explorer: Explorer) -> None:
    def script(request: Received) -> Parts:
        return http_reply(status=405) if request.line.startswith("GET") else with_session(request)

    with RawServer(script) as server:
        explorer.profiles.profiles["mcp"] = Profile("mcp", server.origin, handshake="mcp", mcp="2025-11-25")
        async with open_program(explorer, profile="mcp") as program:
            await program.press("alt+c")
            await program.sees("it answered a GET request with HTTP 405")
            assert "● listening" not in program.text
