"""Every command of the table, run by its own keys in the whole program.

A story names its commands, and has a line for each thing that a person does::

    f6 m down | 1 marked | not waiting

``Program.play`` reads them. The last test compares the stories with the table of commands.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from rpcexplorer.discovery.methods import Discovery
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.batch import CollectedCalls
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.event import Event
from rpcexplorer.model.exchange import Cancelled
from rpcexplorer.model.method import Described, DescribedParam, Method
from rpcexplorer.model.profile import Answer as ServerAnswer
from rpcexplorer.model.profile import Profile, ad_hoc
from rpcexplorer.model.secret import Secret
from rpcexplorer.tui.batch import BatchScreen
from rpcexplorer.tui.commands import BACK, COMMANDS
from tests.fakes.peers import Peer, Script, framed, peer
from tests.fakes.wire import HOLD, RawServer, http_reply
from tests.history.recording import exchange as recorded
from tests.tui.program import Program, open_program

KNOWN = {command.id: command for command in COMMANDS}
TABLE = """
history history.close
    send demo.echo [1.10]
    f6 | ▌History | demo.echo | 1.10
    escape | F5 send | ✓ result

profiles profiles.close
    f7 | ▌Profiles 5 | ▸ demo
    escape | F5 send | not ▌Profiles

add-profile
    command add server | Add a profile
    escape | ▌Profiles 5
    escape | F5 send

palette
    ctrl+p | Command palette | Send the call in the editor.
    choose widen list | F5 send

manual manual.close
    f3
    command open manual | ▌Calls, params and responses | Esc back
    escape | F5 send
    f7 | ▌Profiles 5
    f1 m | ▌Profiles:
    command manual: secrets | ▌Secrets and where they may go

manual.follow manual.link-next manual.link-previous manual.page-next manual.page-previous
    command manual: secrets | ▌Secrets and where they may go
    tab tab tab shift+tab enter | ▌Auth: how calls authenticate
    escape | ▌Secrets and where they may go
    right_square_bracket | not ▌Secrets
    left_square_bracket | ▌Secrets and where they may go

manual.contents manual.search manual.next manual.previous
    command manual: secrets | ▌Secrets and where they may go
    c | ▌Manual
    enter | ▌Secrets and where they may go
    slash
    paste token
    enter | 1 of
    n | 2 of
    N | 1 of

notices
    ctrl+c | Nothing to copy or cancel.
    alt+w | Notices | Nothing to copy or cancel.
    escape | not Notices

select-all copy-or-cancel
    write demo.echo [1, 2]
    alt+a ctrl+c | copied [1, 2] | Copied the selection, 6 B, through the terminal
    f4 ctrl+c | Nothing to copy or cancel. ^Q quits rpcexplorer

send
    write demo.echo {"price": 1.10}
    f5 | ✓ result | 2 "price": 1.10
    write ping []
    ctrl+enter | authentication required
    f6 | 2 calls

send-notification
    write demo.echo [1]
    command send notification | → sent | The server sends no response to a notification.

focus.methods focus.params focus.response params.tab-next params.form-next
    send demo.echo [1]
    f2 | ▌Methods
    f3 | ▌demo.echo
    ctrl+o | POST /api/v2/
    right_square_bracket | curl http:
    right_square_bracket | import httpx
    right_square_bracket | POST /api/v2/
    f4 | ▌✓ result
    f3 | ▌demo.echo | │ 1 [1]

login @cookie
    | ○ no session yet
    f8 | ● session | ✓ result | "user": "ada"

discover
    | Assumed, not listed by the server
    f9 | demo.orders 3 | rpc.discover | not Assumed

copy
    write demo.echo {"price": 1.10}
    f10
    choose curl | copied curl | copied 1.10 | Copied a curl command

replaced-params
    send demo.echo [1.10]
    write demo.echo {"half":
    f6 | 1 call
    enter | F5 send | not {"half":
    command restore draft | {"half":

to-profile
    write demo.echo [1.10]
    ctrl+n
    choose prod | PROD | 1 [1.10] | Loaded demo.echo for profile prod
    f6 | No calls with prod yet.

keep-call history.keep-call
    send demo.echo [1.10]
    alt+k
    paste one
    enter | │ @one demo.echo
    f6 | 1 call
    alt+k
    paste two
    enter | ▌History
    escape | @one | @two

response.expect run-checks checks.open checks.stop
    send demo.echo [1.10]
    alt+k
    paste one
    enter | │ @one demo.echo
    sent f5
    f4 e
    choose result = | @one expects
    alt+r | 1 passed
    enter | F5 send | @one
    alt+r | 1 passed
    escape | F5 send

generate-checks
    write demo.echo []
    command generate checks | the schema of demo.echo is not known
    f9 | methods
    command generate checks | Send generated calls?
    escape | F5 send

methods.pin methods.clear
    f2 q | no matches
    escape | not no matches
    f2 ctrl+t | ★ ping
    ctrl+t | not ★

methods.fold methods.unfold
    f9 | ▸ demo 12
    f2 down down down right | ▾ demo 12 | records
    left | ▸ demo 12 | not records

recent.again recent.copy
    send demo.echo [1.10]
    write ping []
    f2 tab y
    choose curl | copied 1.10
    f5 | recorded 2 | ▌✓ result | ✓ demo.echo | 1 [1.10]
    f2 tab
    ctrl+enter | recorded 3 | ▌✓ result | 1 [1.10]
    f6 | 3 calls

params.fix
    write demo.echo ["username": "ada"] | ✗ line 1, column 12 | ^R make it an object
    ctrl+r | {"username": "ada"} | ✓ valid | object with 1 member

params.problem-next
    write demo.echo {"price": 1.1o} | ✗ line 1
    home f12 right right right delete | ✓ valid

docs docs.next docs.previous docs.take
    f9 | orders
    write demo.orders.find []
    alt+m | ▌Docs demo.orders.find | Searches 24 orders
    n n N | ▸ Open orders
    enter | "placed" | ▌demo.orders.find
    ctrl+z | │ 1 []
    alt+m | ▌Docs
    alt+m | not Docs

params.format params.undo params.redo
    write demo.echo {"price":1.10}
    ctrl+l | 2 "price": 1.10
    ctrl+z | 1 {"price":1.10}
    ctrl+y | 2 "price": 1.10

params.reset
    write arg_test {"typed": true} | {"typed": true}
    command reset params | not {"typed"

response.search response.next response.previous
    send
    slash
    paste word | 1 of 2
    enter n c | 2 of 2 | copied "birch"
    N c | 1 of 2 | copied "alder"

response.filter response.original
    send
    f
    paste .items[].word
    enter | FILTERED | .items[].word | 1 "alder" | 2 "birch"
    o | not FILTERED | 12 "count": 2

response.pipe
    send demo.echo ["b", "a"]
    vertical_line
    paste tr a-b x-y
    enter | FILTERED | tr a-b x-y | "x"

response.fold response.fold-all response.unfold-all response.fold-to
    send
    z down space | not birch
    enter | birch
    minus | not alder
    plus | birch
    1 | not alder
    equals_sign | birch
    2 | birch … 2 members }
    1 3 | birch
    1 4 | birch
    1 5 | birch
    1 6 | birch
    1 7 | birch
    1 8 | birch
    1 9 | birch

response.goto
    send
    colon | line number
    paste 4
    enter p | copied items[0].n | not line number

response.table table.sort
    send
    z t | n word
    down c | copied 1
    home s | ▲
    c | copied 1
    s | ▼
    c | copied 2
    s | not ▼
    t | 12 "count": 2

response.copy response.copy-value response.copy-path
    send demo.echo {"price": 1.10}
    down c | copied 1.10 | Copied the value under the cursor, 4 B, through the terminal
    p | copied price
    y
    choose the raw response | copied {"jsonrpc" | Copied the raw response

response.zoom
    send
    z | not Methods | not │ 1 {"items"
    z | Methods | ▌✓ result
    z escape | Methods | ▌✓ result

close-panel
    send
    z q | Methods | ▌✓ result
    alt+m | ▌Docs
    q | not Docs
    f4 q | No panel is open here.

response.tab-next response.tab-previous
    send
    z right_square_bracket | {"jsonrpc"
    right_square_bracket | Content-Type
    left_square_bracket | {"jsonrpc"
    left_square_bracket | 12 "count": 2
    left_square_bracket | ms

response.use
    send demo.echo {"key": "abc"}
    down u
    choose ping | ▌ping | 1 ["{{last.demo.echo#/key}}"]

response.compare compare-profiles
    send
    d | No earlier call of demo.echo has the same params.
    send
    d | the same
    escape | F5 send
    alt+d enter | select a second profile to compare with
    down down space enter | the same | demo | cookie
    escape | F5 send
    alt+d | [x] demo http: | [ ] cookie http:
    down down space down space enter | demo.echo compared with demo | 1 same | 1 failed | ✗ dead failed
    escape | F5 send

history.load
    send demo.echo [1.10]
    write ping []
    f6 | 1 call
    enter | F5 send | ▌demo.echo | │ 1 [1.10] | ✓ result
    f4 left_square_bracket | transfer | total

history.again
    send demo.echo [1.10]
    write ping []
    f6 | 1 call
    f5 | F5 send | recorded 2 | demo.echo | │ 1 [1.10] | ✓ result
    f6 | 2 calls
    ctrl+enter | F5 send | recorded 3 | │ 1 [1.10] | ✓ result
    f6 | 3 calls

history.to-profile
    send demo.echo [1.10]
    write ping []
    f6 | 1 call
    ctrl+n
    choose inline | Loaded demo.echo for profile inline | Nothing was sent | │ 1 [1.10]

history.tab-next history.tab-previous
    send demo.echo [1.10]
    f6 | 1 call
    right_square_bracket | Content-Type
    right_square_bracket | call · demo
    right_square_bracket | No note yet.
    left_square_bracket | call · demo

history.search
    send demo.echo [1]
    send no.such.method [2]
    f6 | 2 calls
    slash
    paste outcome:error | 1 found | no.such.method | not demo.echo
    enter enter | ✗ error -32601 | F5 send
    f6 | outcome:error | 1 found | not demo.echo
    escape | F5 send
    f6 | 2 calls

history.name history.annotate
    send demo.echo [1]
    f6 | 1 call
    t
    paste the outage
    enter | ★ the outage
    a
    paste after the deploy
    enter
    left_square_bracket | after the deploy

history.copy
    send demo.echo [1.10]
    f6 | 1 call
    y
    choose curl | copied curl | copied 1.10
    f10
    choose HTTPie | copied http | copied 1.10 | Copied an HTTPie command

response.ticket recent.ticket history.ticket
    send demo.echo [1.10]
    M | copied ## `demo.echo` | copied 1.10
    f2 tab M | copied ## `demo.echo` | copied 1.10
    f6 | 1 call
    M | copied ## `demo.echo` | copied 1.10

history.delete
    send demo.echo [1]
    f6 | 1 call
    delete | Delete this call from the history? | demo.echo
    enter | not Delete this call | 1 call
    delete | Delete this call from the history?
    right enter | No calls with demo yet.

history.replay replay.open replay.stop
    send demo.echo [1.0]
    f6 | 1 call
    alt+r
    choose cookie | Replay demo.echo on cookie | 1 same | ✓ demo.echo same result
    enter | the same | - demo | + cookie
    escape | Replay demo.echo on cookie
    escape | ▌History

history.statistics statistics.open statistics.sort statistics.tab-next statistics.tab-previous statistics.close
    send demo.echo [1]
    send demo.echo [1]
    send no.such.method [1]
    f6 | 3 calls
    s | 3 calls · 1 failed: 1 error | most calls first | demo.echo
    s | most failures first
    right_square_bracket | not no.such.method
    left_square_bracket | no.such.method
    escape | ▌History
    s | 3 calls ·
    enter | ▌History | method:=demo.echo | 2 found

add-to-batch batch batch.load batch.send batch.copy batch.close
    write demo.echo [1.10]
    alt+p | Added demo.echo to the batch: 1 call.
    write nowhere []
    alt+p alt+l | Batch 2 calls
    f5 | ✓ result | ✗ -32601
    y
    choose curl | copied curl
    f10
    choose curl | copied curl
    n
    ctrl+enter | → sent | ✗ -32601
    escape | F6 history
    alt+l | Batch 2 calls
    home enter | ▌demo.echo | │ 1 [1.10]

profiles.use
    profile prod
    enter | F5 send | prod | PROD

profiles.search
    f7 | ▌Profiles 5 | ▸ demo
    slash
    choose prod | │ Profile prod | ▸ demo

profiles.copy
    profile dead
    y | copied http://127.0.0.1:9/api/v2/ | Copied the URL
    f10 | copied http://127.0.0.1:9/api/v2/

profiles.default
    profile dead
    asterisk | dead default

profiles.duplicate
    profile prod
    d enter | Profiles 6 | prod-copy

profiles.test
    profile cookie
    alt+t | Connection test: cookie | at most 16 requests | system.listMethods
    enter | ✓ JSON-RPC | The profile needs no changes. Press Esc, then Enter to use it.
    escape | ▌Profiles | ✓ JSON-RPC

profiles.test-url
    profile cookie
    t | Connection test | Type the URL of a server
    enter | The URL must begin with
    escape | ▌Profiles

test
    alt+t | Connection test: demo | at most 16 requests
    enter | ✓ JSON-RPC | The profile needs no changes. Press Esc, then F5
    escape | F5 send
"""


@dataclass
class Story:
    """The running program and what was done in it."""

    program: Program
    explorer: Explorer

    def __post_init__(self) -> None:
        self.play, self.act = self.program.play, self.program.act

    def use(self, profile: Profile) -> None:
        """Use a profile that is in no file."""
        self.explorer.use(profile)
        self.program.calls.show_profile()

    @property
    def profile(self) -> Profile:
        """The profile in use."""
        assert self.explorer.profile is not None
        return self.explorer.profile

    @property
    def project_file(self) -> Path:
        """The file with the profiles of these tests."""
        return self.explorer.profiles.files_of("demo")[0]

    @property
    def params(self) -> str:
        """The text in the editor."""
        return self.program.calls.params.text

    def known(self, profile: str, wanted: str) -> str:
        """Return a secret of a profile, or ""."""
        found = self.explorer.credentials.state(self.explorer.profiles.profiles[profile])[wanted]
        return found.reveal() if isinstance(found, Secret) else ""


Act = Callable[[Story], Awaitable[None]]
STORIES: dict[str, tuple[str, Act]] = {}
"""Ids of commands: the profile of their story, and the story."""


def shows(ids: str, profile: str = "demo") -> Callable[[Act], Act]:
    """Name the commands of a story."""

    def add(act: Act) -> Act:
        STORIES[ids] = profile, act
        return act

    return add


def start_of(path: Path) -> str:
    """Return as much of a path as fits in a line of a dialog."""
    return str(path)[:40]


def scripted(script: str) -> Act:
    """Return the story of a script."""

    async def act(at: Story) -> None:
        await at.play(script)

    return act


for block in TABLE.strip().split("\n\n"):
    heading, script = block.split("\n", 1)
    heading, _, profile = heading.partition(" @")
    STORIES[heading] = profile or "demo", scripted(script)


@shows("theme")
async def theme_is_previewed_and_saved_when_chosen(at: Story) -> None:
    before = at.program.app.theme
    own = at.explorer.paths.themes / "own.toml"
    own.parent.mkdir(parents=True)
    own.write_text('[json]\nstyle = "monokai"\n')
    await at.play("command choose theme | Themes | night dark | own dark, JSON as monokai | paper light\n down down")
    previewed = at.program.app.theme
    assert previewed != before
    await at.play("enter | F5 send")
    assert at.program.app.theme == previewed
    assert f'theme = "{previewed}"' in at.explorer.paths.settings.read_text()
    await at.play("command paper | F5 send")
    assert at.program.app.theme == "paper"
    assert 'theme = "paper"' in at.explorer.paths.settings.read_text()


@shows("help")
async def help_shows_keys_of_the_focused_pane_first(at: Story) -> None:
    await at.play("f3\n f1 | Keys | Apply the fix that is offered for the params.")
    page = at.program.words
    assert page.index("▌ Params") < page.index("▌ Calling")
    await at.play("f1 | not Apply the fix\n f4 question_mark | Keys | Search in the response.")


@shows("paths")
async def files_and_folders_are_shown(at: Story) -> None:
    await at.play(f"""
        command show files | Files and folders | user file | {start_of(at.explorer.paths.settings)}
        escape | not Files and folders
        f1 p | Files and folders | secrets
    """)


@shows("mark-safe", profile="prod")
async def method_is_marked_safe_in_the_local_file(at: Story) -> None:
    before = at.project_file.read_text()
    local = at.project_file.with_name("sessions.local.toml")
    await at.play(f"""
        f2
        paste demo.echo
        alt+u | Mark demo.echo as safe? | sent without confirmation | {start_of(local)}
        right enter | Marked demo.echo as safe
    """)
    assert '[profile.prod.method."demo.echo"]\nsafe = true\n' in local.read_text()
    assert at.project_file.read_text() == before
    assert not at.explorer.to_ask_about([Draft("demo.echo")])
    await at.play("alt+u | Marked demo.echo as unsafe")
    assert "safe = false" in local.read_text()
    assert at.explorer.to_ask_about([Draft("demo.echo")])


@shows("quit")
async def quitting_saves_the_draft(at: Story) -> None:
    await at.play('write demo.echo {"half":')
    await at.act("ctrl+q")
    await at.program.until(lambda: at.program.app._exit)
    assert at.program.app.return_value == ""
    assert at.explorer.draft_of("demo.echo") == '{"half":'


@shows("cancel")
async def running_call_is_cancelled(at: Story) -> None:
    with RawServer([b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n[1, 2", HOLD]) as server:
        at.use(Profile("slow", server.origin))
        await at.play("""
            f5 | ◐ receiving | Esc cancel
            escape | ◌ cancelled
        """)
    exchange = at.program.calls.exchange
    assert exchange is not None
    assert isinstance(exchange.outcome, Cancelled)
    assert exchange.response.body == b"[1, 2"


@shows("apply-hint")
async def hint_changes_the_profile_and_resends(at: Story) -> None:
    with RawServer(http_reply(status=415), http_reply(b'{"jsonrpc":"2.0","id":null,"result":"pong"}')) as server:
        at.use(ad_hoc(server.origin))
        host = server.origin.removeprefix("http://")
        await at.play(f"""
            write ping []
            f5 | ! Unsupported Media Type | ^R set content_type to application/json and resend
            ctrl+r | Change the settings for {host}? | application/json-rpc → application/json | until you quit
            enter | ✓ result | The change lasts until you quit. To save the URL | not ^R set
        """)
        assert [request.header("Content-Type") for request in server.requests][1:] == ["application/json"]


@shows("new-session", profile="cookie")
async def session_id_is_entered(at: Story) -> None:
    await at.play("""
        command switch user | Sent only to
        down down
        paste sessionid=from-elsewhere; Path=/ | not from-elsewhere
        enter | ● session | The next call uses this session.
    """)
    assert at.known("cookie", "session") == "from-elsewhere"


@shows("logout", profile="cookie")
async def session_is_forgotten(at: Story) -> None:
    at.explorer.credentials.hold(at.profile, "session", "of-yesterday", keep=True)
    at.program.calls.show_session()
    await at.play("""
        | ● session
        command log out | ○ no session yet | Forgot the session.
    """)
    assert at.known("cookie", "session") == ""
    assert "of-yesterday" not in at.explorer.paths.secrets.read_text()


@shows("wider narrower")
async def width_of_the_list_is_changed_and_remembered(at: Story) -> None:
    before = at.program.calls.methods.outer_size.width
    for key, width in (("alt+right", before + 2), ("alt+left", before)):
        await at.act(key)
        assert at.explorer.remembered.methods_width == width
        assert at.program.text.split("\n")[1][width - 1] == "│"


@shows("side-by-side")
async def params_and_response_are_arranged_side_by_side(at: Story) -> None:
    await at.play("alt+s | Cannot put the response next to the params: the terminal has 120 columns.")
    assert not at.explorer.remembered.side_by_side
    await at.program.resize_terminal(180, 40)
    await at.act("alt+s")
    calls = at.program.calls
    await at.program.until(lambda: calls.params.region.y == calls.response.region.y)
    assert at.explorer.remembered.side_by_side


@shows("taller shorter")
async def height_of_the_editor_is_changed_and_remembered(at: Story) -> None:
    await at.act("send")
    before, lines = at.program.calls.params.size.height, at.program.app.size.height
    for key, height, share in (
        ("alt+down", before + 1, round((before + 1) * 1000 / lines)),
        ("alt+up", before, None),
    ):
        await at.act(key)
        assert at.explorer.remembered.params_share == share
        assert "✓ result" in at.program.text.split("\n")[1 + height]


@shows("import")
async def calls_of_another_program_are_imported(at: Story) -> None:
    file = at.explorer.paths.state / "calls.txt"
    file.write_text(
        """curl http://a.example -d '{"jsonrpc": "2.0", "id": 1, "method": "user.get", "params": [1.10]}'"""
    )
    await at.play(f"""
        alt+i | Import calls from a file
        paste {file}
        enter | Import these calls as drafts? | http://a.example
        enter | ▌user.get | 1 [1.10] | Imported the call into the editor, as a draft of demo
    """)


@shows("changes")
async def changes_of_a_refresh_are_shown_again(at: Story) -> None:
    await at.play("alt+n | No refresh has found changes yet.")
    await at.explorer.discover()
    learned = at.explorer.method_lists.learned(at.profile)
    assert learned is not None
    older = tuple(method for method in learned.methods if method.name != "demo.echo")
    auth = at.explorer.described("auth")
    assert auth is not None
    described = {"auth": replace(auth, deprecated=True)}
    at.explorer.method_lists.settle(at.profile, Discovery(learned.when, older, described=described))
    await at.play("""
        f9 | 1 new, | changed. To show the changes, press Alt+n.
        alt+n | Methods of | + demo.echo new | ~ auth changed | no longer deprecated
        escape | not + demo.echo new
        alt+n | + demo.echo new
        end enter | ▌demo.echo
    """)


@shows("compare-methods")
async def methods_of_two_profiles_are_compared(at: Story) -> None:
    await at.explorer.discover()
    other = at.explorer.profiles.profiles["cookie"]
    methods = (Method("demo.echo"), Method("theirs.alone"))
    at.explorer.method_lists.settle(other, Discovery(datetime.now(UTC), methods, ("said",)))
    await at.play("""
        command compare methods | Compare the methods with those of which profile?
        choose cookie | cookie → demo | - theirs.alone gone breaks | + auth new
    """)


@shows("params.complete")
async def completions_are_offered_at_the_cursor(at: Story) -> None:
    kinds = Described((DescribedParam("kind", {"enum": ["calm", "loud"]}), DescribedParam("since")))
    found = Discovery(datetime.now(UTC), (Method("demo.told"),), ("said",), described={"demo.told": kinds})
    at.explorer.method_lists.settle(at.profile, found)
    await at.play("""
        write demo.told {}
        ctrl+@ | kind | one of calm | since
        tab ctrl+@ down enter | 1 {"kind": "loud"}
        , | since (optional)
    """)


@shows("params.editor")
async def params_are_edited_in_an_external_editor(at: Story) -> None:
    script = at.explorer.paths.state.parent / "editor"
    script.write_text('#!/bin/sh\nprintf \'["edited"]\' > "$1"\n')
    script.chmod(0o755)
    with pytest.MonkeyPatch.context() as patched:
        patched.delenv("VISUAL", raising=False)
        patched.setenv("EDITOR", str(script))
        patched.setattr(at.program.app, "suspend", nullcontext)  # the test has no terminal for the editor
        await at.play("""
            write demo.echo [1]
            ctrl+g | 1 ["edited"] | array with 1 element
        """)


@shows(
    "lists.up lists.down lists.half-page-up lists.half-page-down lists.previous-page lists.next-page"
    " lists.first lists.last"
)
async def cursor_moves_as_in_less(at: Story) -> None:
    await at.play(f"""
        send demo.echo {[*range(100, 200)]}
        down j j c | clipboard 102
        k up c | clipboard 100
        G k c | clipboard 199
        g j c | clipboard 100
        end k c | clipboard 199
        home j c | clipboard 100
        ctrl+end k c | clipboard 199
        ctrl+home j c | clipboard 100
        pagedown pageup c | clipboard 100
        ctrl+d ctrl+u c | clipboard 100
        pagedown
    """)
    page = at.program.calls.response.body.reader.current_line
    await at.play("g j ctrl+d ctrl+d")
    assert page - 1 <= at.program.calls.response.body.reader.current_line <= page + 1


@shows("response.wrap")
async def wrapping_is_changed_and_remembered(at: Story) -> None:
    await at.play(f'send demo.echo ["{"x" * 150}end"]\n z | not xend\n w | xend')
    assert at.explorer.remembered.wrap
    await at.play("w | not xend")
    assert not at.explorer.remembered.wrap


@shows("response.save")
async def response_is_saved_in_a_file(at: Story) -> None:
    file = at.explorer.paths.state / "price.json"
    await at.play(f"""
        send demo.echo {{"price": 1.10}}
        S | Save the result in which file?
        replace {file}
        enter | Saved the result, 15 B
    """)
    assert file.read_bytes() == b'{"price":1.10}\n'


@shows("history.scope")
async def calls_of_all_profiles_or_one_are_shown(at: Story) -> None:
    at.explorer.history.append(recorded(0, method="elsewhere", profile="prod"))
    await at.play("""
        send demo.echo [1]
        f6 | 1 call | not elsewhere
        p | elsewhere | 2 calls
        p | not elsewhere
    """)


@shows("history.export")
async def case_of_a_call_is_exported(at: Story) -> None:
    file = at.explorer.paths.state / "demo.echo.toml"
    await at.play(f"""
        send demo.echo [1.10]
        f6 | 1 call
        x | Note for the receiver
        replace fails since Tuesday
        enter | Save a case of the call in
        replace {file}
        enter | Saved a case of the call
    """)
    assert file.read_text().startswith('case = 1\nnote = "fails since Tuesday"\n')


WORDS = json.dumps([f"the word number {number}" for number in range(9)])
BEFORE = f'{{"list": {WORDS}, "price": 1.0, "seen": 1, "total": 1}}'
AFTER = f'{{"list": {WORDS}, "new": [], "price": 1.00, "seen": 2, "total": 2}}'


@shows(
    "history.mark history.compare comparison.next comparison.previous comparison.fold comparison.unfold-all"
    " comparison.fold-all comparison.ignored comparison.ticket comparison.export comparison.close"
)
async def call_is_compared_with_the_marked_one(at: Story) -> None:
    with at.project_file.open("a") as file:
        file.write('\n[profile.demo.method."demo.echo"]\nignore = ["/seen"]\n')
    at.explorer.reload()
    words = "1 member differs, 1 number is equal but written differently, 1 is new, 1 value was ignored"
    await at.play(f"""
        send demo.echo {BEFORE}
        send demo.echo {AFTER}
        f6 | 2 calls
        m down d | {words} | difference 1 of 3 | - "total": 1 | + "total": 2
        n | difference 2 of 3
        N N | difference 3 of 3
        home down space | number 8
        minus | not number 8
        home down enter | number 8
        minus | not number 8
        plus | number 8
        minus | not number 8
        equals_sign | number 8
        i | 2 members differ | difference 1 of 4
        i | {words}
        M | copied number 8
        x
        enter | Save a case of 2 calls in
        escape escape | ▌History | 1 marked
    """)


@shows("batch.up batch.down batch.notification batch.remove batch.clear batch.undo")
async def batch_is_reordered(at: Story) -> None:
    batch = CollectedCalls().added(Draft("a")).added(Draft("b")).added(Draft("c"))
    at.explorer.batches.keep(at.profile, batch, ())
    await at.act("alt+l")
    screen = await at.program.on(BatchScreen)

    def calls() -> str:
        return "".join(row.draft.method for row in screen.calls.rows)

    for key, order in (("J", "bac"), ("shift+down", "bca"), ("K", "bac"), ("shift+up", "abc")):
        await at.act(key)
        assert calls() == order
    await at.act("n")
    assert screen.calls.rows[0].draft.notification
    await at.act("delete")
    assert calls() == "bc"
    await at.act("command clear batch")
    await at.program.until(lambda: not calls())
    await at.act("ctrl+z")
    assert calls() == "bc"


@shows(
    "form form.edit form.cycle form.unfold form.fold form.add form.remove form.undo form.redo form.back form.close"
    " form.send form.fix form.problem-next"
)
async def params_are_edited_as_a_form(at: Story) -> None:
    await at.play("f9 | orders")
    await at.program.write("demo.orders.place", '{"customer": 7,\n "items": [{"sku": "tea-01"}]}')
    at.program.calls.described = None  # as on the first screen, for a moment
    await at.play("""
        alt+e | ▌Form | ○ gift | POST /api/v2/
        home enter | ▌Form
        backspace 1 2 , home f12 delete , ctrl+r enter end up space
    """)
    assert at.params == '{"customer": 12,\n "items": [{"sku": "tea-01"}],\n "gift": true}'
    await at.act("delete")
    assert "gift" not in at.params
    await at.play("""
        ctrl+z ctrl+y home down left | not [0]
        right | [0]
        home down plus | 2 elements
        home down equals_sign | 3 elements
        home down insert | 4 elements
        ctrl+z ctrl+z ctrl+z escape | not ▌Form
    """)
    assert at.params == '{"customer": 12,\n "items": [{"sku": "tea-01"}]}'
    for key in ("f5", "ctrl+enter"):
        await at.play(f"""
            alt+e | ▌Form
            alt+e | not ▌Form
            alt+e | ▌Form
            sent {key} | ✓ result
        """)


@shows("profiles.add")
async def profile_is_added_to_the_user_file(at: Story) -> None:
    file = at.explorer.paths.user_sessions
    await at.play("""
        f7 a | Add a profile | in the user file.
        replace https://new.example.com
        enter | Discover the methods of new? | https://new.example.com
        escape | F5 send
    """)
    assert "[profile.new]" in file.read_text()


@shows("profiles.edit")
async def profile_is_changed_in_its_file(at: Story) -> None:
    await at.play("""
        profile dead
        e | in the project file.
        replace https://alive.example.com
        ctrl+s | ▌Profiles 5 | https://alive.example.com/api/v2/
    """)
    assert 'url = "https://alive.example.com"' in at.project_file.read_text()


@shows("profiles.remove")
async def profile_is_removed_after_confirmation(at: Story) -> None:
    await at.play("""
        profile dead
        delete | Remove dead? | http://127.0.0.1:9
        right enter | ▌Profiles 4 | not http://127.0.0.1:9
    """)
    assert "[profile.dead]" not in at.project_file.read_text()


@shows("profiles.secrets")
async def secrets_are_entered_masked(at: Story) -> None:
    # Only a value that is not stored overrides the environment.
    await at.play("""
        profile inline
        f8 | Save secrets for inline?
        escape | ▌Profiles
        s | Save secrets for inline?
        replace a-new-one | not a-new-one
        ctrl+s | ▌Profiles | password entered
    """)
    assert at.known("inline", "password") == "a-new-one"
    assert at.program.notices == ""


@asynccontextmanager
async def connected(at: Story, script: Script) -> AsyncIterator[None]:
    """Use a profile of a server that runs a script for each connection."""
    async with peer(framed(script, "lines")) as port:
        at.use(Profile("live", f"tcp://127.0.0.1:{port}", answers={"*": ServerAnswer(ask=True)}))
        yield
        await at.explorer.close_connection()


async def wait_for_end(peer: Peer) -> None:
    await peer.receive()


def receive(at: Story, method: str) -> bytes:
    """Let the server send a notification; return its text."""
    text = f'{{"method":"{method}","params":{{}}}}'.encode()
    at.explorer.hooks.on_event(at.profile, Event(datetime.now(UTC), "notification", text, method))
    return text


@shows("connect events.connect")
async def connection_is_opened_and_closed(at: Story) -> None:
    async with connected(at, wait_for_end):
        await at.play("""
            | ○ closed
            alt+c | ● open
            alt+c | ○ closed
            alt+v | No events yet. | to open the connection.
            alt+c | ● open
        """)


@shows("events events.close")
async def events_open_and_close(at: Story) -> None:
    receive(at, "tick")
    await at.play("""
        | 1 event · tick | Alt+v events
        alt+v | ▌Events 1 following | ← tick
        escape | F5 send
        alt+v | ▌Events 1 following
        alt+v | F5 send
    """)


@shows("events.answer")
async def request_of_the_server_is_answered(at: Story) -> None:
    answers: list[bytes] = []

    async def ask(peer: Peer) -> None:
        await peer.send(peer.frame(b'{"jsonrpc":"2.0","id":7,"method":"ask.name","params":{}}'))
        answers.append(await peer.receive())
        await peer.receive()

    async with connected(at, ask):
        await at.play("""
            alt+c | ? ask.name waits | ? ask.name waits for your answer
            alt+v | ▌Events
            a
            paste {"name": "Ada"}
            f5 | Answered ask.name. | ✓ answered
        """)
        await at.program.until(lambda: bool(answers))
        assert answers == [b'{"jsonrpc":"2.0","id":7,"result":{"name": "Ada"}}']


@shows("answer form.decline form.cancel")
async def form_of_the_server_is_declined_or_cancelled(at: Story) -> None:
    answers: list[bytes] = []
    params = '{"message":"Where?","requestedSchema":{"properties":{"city":{"type":"string"}}}}'

    async def ask(peer: Peer) -> None:
        for id in (1, 2):
            request = f'{{"jsonrpc":"2.0","id":{id},"method":"elicitation/create","params":{params}}}'
            await peer.send(peer.frame(request.encode()))
            answers.append(await peer.receive())
        await peer.receive()

    async with connected(at, ask):
        await at.play("""
            alt+c | ? elicitation/create waits for your answer | Where? | 1 field, 0 required
            f4 enter | ▌Form | city | Alt+d decline
            alt+d | Declined elicitation/create. | ? elicitation/create waits for your answer
            command answer | ▌Form
            alt+c | Cancelled elicitation/create.
        """)
        await at.program.until(lambda: len(answers) == 2)
        results = [json.loads(answer)["result"] for answer in answers]
        assert results == [{"action": "decline"}, {"action": "cancel"}]


@shows("events.follow events.search")
async def list_of_events_is_paused_and_filtered(at: Story) -> None:
    receive(at, "tick")
    receive(at, "tock")
    await at.play("""
        | 2 events
        alt+v | ▌Events 2 following
        space
    """)
    receive(at, "later")
    await at.play("""
        | paused, 1 newer
        space | following
        slash
        paste method:to | 1 found | ← tock | not ← tick
    """)


@shows("events.copy events.save")
async def event_is_copied_and_saved(at: Story) -> None:
    file = at.explorer.paths.state / "event.json"
    text = receive(at, "tick")
    await at.play(f"""
        | 1 event
        alt+v | ▌Events
        y | copied {text.decode()}
        f10 | copied {text.decode()}
        S | Save the message in which file?
        replace {file}
        enter | Saved the message
    """)
    assert file.read_bytes() == text


@shows("history.save")
async def recorded_event_is_copied_and_saved(at: Story) -> None:
    file = at.explorer.paths.state / "tick.json"
    text = b'{"method":"tick","params":{}}'
    at.explorer.journal.record_event(Event(datetime.now(UTC), "notification", text, "tick"), at.profile)
    at.explorer.journal.flush_events()
    await at.play(f"""
        f6 | ▌History
        slash
        paste outcome:event | ← tick
        enter | y copy S save
        y | copied {text.decode()}
        S | Save the message in which file?
        replace {file}
        enter | Saved the message
    """)
    assert file.read_bytes() == text


@shows("events.stderr")
async def stderr_of_the_process_is_shown(at: Story) -> None:
    receive(at, "tick")
    at.explorer.hooks.on_stderr(at.profile, "warning: [no] config")
    await at.play("""
        | 1 event
        alt+v | ▌Events
        e | stderr of the process | warning: [no] config | Esc close
    """)
    assert at.program.app.screen.query_one(".block").size.height < 8, "as high as its text"


@pytest.mark.parametrize("ids", STORIES)
async def test_command_does_its_action(ids: str, explorer: Explorer) -> None:
    profile, act = STORIES[ids]
    async with open_program(explorer, profile=profile, size=(120, 28)) as program:
        explorer.paths.state.mkdir(parents=True, exist_ok=True)
        at = Story(program, explorer)
        await act(at)
        for command in (KNOWN[id] for id in ids.split()):
            keys = set(command.keys.split(",")) if command.keys else {command.words}
            if command.words == BACK:
                keys.discard("q")  # `test_letters.py` presses it on all screens.
            assert keys <= at.program.pressed, command.id


def test_every_command_of_the_table_has_its_story() -> None:
    assert sorted(id for ids in STORIES for id in ids.split()) == sorted(KNOWN)


@pytest.mark.parametrize("size", [(80, 24), (120, 34)], ids=["80x24", "120x34"])
@pytest.mark.parametrize(("key", "title"), [("f6", "▌History"), ("f7", "▌Profiles")])
async def test_footer_shows_the_way_back(key: str, title: str, size: tuple[int, int], explorer: Explorer) -> None:
    async with open_program(explorer, size=size) as program:
        explorer.history.append(recorded(0, profile="demo"))
        await program.press(key)
        await program.sees(title, "Esc back")


@pytest.mark.thorough
async def test_small_terminal_separates_profiles_by_tinted_bar(explorer: Explorer) -> None:
    async with open_program(explorer, size=(80, 24)) as program:
        screen = await program.profiles()
        assert screen.query_one("#detail Bar").has_class("-tinted")
