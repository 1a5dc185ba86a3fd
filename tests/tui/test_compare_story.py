"""A failure is exported as a case, and another user replays it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.app import PersonOnScreen
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.compare import ComparisonScreen
from rpcexplorer.tui.history import HistoryScreen
from rpcexplorer.tui.profiles import ProfilesScreen
from rpcexplorer.tui.replay import ReplayScreen
from rpcexplorer.tui.widgets.dialog import Ask, Confirm
from rpcexplorer.tui.widgets.picker import Picker
from tests.fakes.editor import type_in
from tests.fakes.wire import RawServer, Received, http_reply
from tests.tui.program import Program, open_program

MOST = 25
"""Each of the two users needs fewer keys."""
SUPPORT_TOKEN, DEVELOPER_TOKEN, ANOTHER = "support-token-5eb1f0c3", "developer-token-77aa2094", "another-token-40cc1b6e"
CALL = '{"id": "42"}'


def serving(name: str) -> RawServer:
    """Return a server that rejects every call and repeats its credentials."""

    def reply(request: Received) -> bytes:
        token = (request.header("Authorization") or "").removeprefix("Bearer ")
        error = {"code": -32602, "message": "Invalid params", "data": {"at": name, "by": token}}
        return request.reply(error=error, headers={"X-Seen": token})

    return RawServer(reply)


def profile(name: str, server: RawServer, more: str) -> str:
    return f'[profile.{name}]\nurl = "{server.origin}"\n{more}\nauth = {{ kind = "bearer" }}\n'


HOSTILE = """
case = 1
[[call]]
profile = "prod"
url = "https://theirs.example.com/"
method = "user.get"
params = '{"id": "«staging.token»"}'
outcome = "result"
"""


class User:
    """A user with a home; keys, screens and copies are recorded."""

    def __init__(
        self, home: Path, files: str, environment: Mapping[str, str] = MappingProxyType({}), *, chosen: bool = True
    ) -> None:
        home.mkdir()
        (home / "sessions.toml").write_text(files)
        self.environment = {"RPCEXPLORER_HOME": str(home / "state"), **environment}
        self.person = PersonOnScreen()
        self.explorer = Explorer.open(folder=home, environment=self.environment, person=self.person)
        self.profile = next(iter(self.explorer.profiles.profiles)) if chosen else None
        if self.profile is not None:
            self.explorer.use(self.profile)
        self.pressed = 0
        self.seen: list[str] = []
        self.program: Program

    @asynccontextmanager
    async def at_work(self, case: Path | None = None) -> AsyncIterator[Program]:
        """Open the program, or a case in it."""
        async with open_program(self.explorer, profile=self.profile, case=case) as self.program:
            yield self.program

    async def press(self, *keys: str) -> None:
        self.pressed += len(keys)
        await self.program.press(*keys)
        await self.program.rest()

    async def opened(self, kind: type[Any], ready: Callable[[Any], object] = lambda _: True) -> None:
        """Wait for a screen, and record it."""
        screen = await self.program.on(kind)
        await self.program.until(lambda: bool(ready(screen)))
        await self.program.rest()
        self.seen.append(self.program.text)


async def export_failure(user: User) -> None:
    """Send a call that fails, and export it as a case."""
    await user.press("f5")
    await user.opened(Confirm)
    await user.press("right", "enter")
    await user.program.sees("✗ error -32602")
    await user.press("f6")
    await user.opened(HistoryScreen, lambda history: history.record)
    await user.press("x")
    await user.opened(Ask)
    await user.press("enter")
    await user.program.sees("Save a case of the call in")
    await user.press("enter")
    await user.program.sees("Saved a case of the call")


async def replay_case(user: User) -> None:
    """Replay the open case, read the differences, and copy a report of both."""
    await user.opened(HistoryScreen, lambda case: case.record)
    await user.press("alt+r")
    await user.opened(Picker)
    await user.press(*"stag", "enter")
    await user.opened(Confirm)
    await user.press("enter")
    await user.opened(ReplayScreen, lambda replay: replay.done and replay.stop is None)
    await user.press("enter")
    await user.opened(ComparisonScreen, lambda screen: screen.comparison)
    await user.press("M")
    await user.program.until(lambda: bool(user.program.app.clipboard))


@pytest.mark.thorough
async def test_exported_failure_is_replayed_compared_and_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving("prod-7") as prod, serving("staging-2") as staging, serving("another prod") as others:
        support = User(
            tmp_path / "support", profile("prod", prod, 'badge = "prod"'), {"RPCEXPLORER_PROD_TOKEN": SUPPORT_TOKEN}
        )
        monkeypatch.chdir(tmp_path / "support")
        type_in(support.explorer, "user.get", CALL)
        support.explorer.remembered.set_method("prod", "user.get")
        async with support.at_work():
            await export_failure(support)
        case = tmp_path / "support" / "user.get.toml"
        files = profile("staging", staging, 'confirm = "unsafe"') + profile("prod", others, "")
        tokens = {"RPCEXPLORER_STAGING_TOKEN": DEVELOPER_TOKEN, "RPCEXPLORER_PROD_TOKEN": ANOTHER}
        developer = User(tmp_path / "developer", files, tokens)
        async with developer.at_work(case):
            await replay_case(developer)

    opened, _, asked, listed, compared = developer.seen
    assert f"by someone else, sent to {prod.url}" in opened
    assert_says(asked, "user.get", staging.origin, prod.url, "unsafe")
    assert_says(listed, "≠ user.get  differs  1 member differs", f"first sent to {prod.url}, now sent to")
    assert_says(compared, "1 member differs, 1 redacted value was not compared", '"at": "prod-7"', '"at": "staging-2"')
    hosts = [server.origin.removeprefix("http://") for server in (prod, staging)]
    assert_says(developer.program.app.clipboard, "user.get", "-32602", "prod-7", "staging-2", *hosts)
    assert support.pressed < MOST
    assert developer.pressed < MOST

    everything = "".join([case.read_text(), developer.program.app.clipboard, *developer.seen])
    assert not [secret for secret in (SUPPORT_TOKEN, DEVELOPER_TOKEN, ANOTHER, str(tmp_path)) if secret in everything]
    assert [len(server.requests) for server in (prod, staging, others)] == [1, 1, 0]
    first, second = prod.requests[0], staging.requests[0]
    assert [request.header("Authorization") for request in (first, second)] == [
        f"Bearer {SUPPORT_TOKEN}",
        f"Bearer {DEVELOPER_TOKEN}",
    ]
    assert [each.json["params"] for each in (first, second)] == [json.loads(CALL)] * 2


def assert_says(text: str, *parts: str) -> None:
    assert [part for part in parts if part not in text] == []


@pytest.mark.thorough
async def test_call_of_a_case_uses_the_current_profile(tmp_path: Path) -> None:
    """It names a profile, an address and a secret of the user who opens it."""
    case = tmp_path / "case.toml"
    case.write_text(HOSTILE)
    with serving("staging-2") as staging, serving("another prod") as others:
        files = profile("staging", staging, "") + profile("prod", others, "")
        developer = User(
            tmp_path / "developer",
            files,
            {"RPCEXPLORER_STAGING_TOKEN": DEVELOPER_TOKEN, "RPCEXPLORER_PROD_TOKEN": ANOTHER},
        )
        async with developer.at_work(case):
            await developer.opened(HistoryScreen, lambda case: case.record)
            await developer.press("f5")  # one key sends nothing of another user
            await developer.press("enter")
            await developer.opened(Confirm)
            await developer.press("enter")
            await developer.opened(CallScreen)
            calls = developer.program.app.screen
            assert isinstance(calls, CallScreen)
            assert (calls.method, "«staging.token»" in calls.params.text) == ("user.get", False)
        assert staging.requests == others.requests == []
    assert developer.explorer.profile is not None
    assert developer.explorer.profile.name == "staging"
    assert "Insert your token into this call?  The call was imported." in developer.seen[1]


TWO = """
case = 1
note = "prod charges 10 more"
[[call]]
profile = "hers"
url = "%s"
method = "user.get"
params = '{"id": 7}'
reply = '{"jsonrpc": "2.0", "id": "x", "result": "first"}'
outcome = "result"
[[call]]
profile = "hers too"
url = "%s"
method = "user.get"
params = '{"id": 7}'
reply = '{"jsonrpc": "2.0", "id": "y", "result": "second"}'
outcome = "result"
"""


async def test_three_keys_replay_a_case_of_two_servers(tmp_path: Path) -> None:
    """For each server the cursor starts on the profile with its address."""

    def answering(result: str) -> RawServer:
        def reply(request: Received) -> bytes:
            return http_reply(json.dumps({**request.json, "result": result}).encode())

        return RawServer(reply)

    with answering("second") as one, answering("first") as two:
        files = f'[profile.one]\nurl = "{one.origin}"\n[profile.two]\nurl = "{two.origin}"\n'
        developer = User(tmp_path / "developer", files, chosen=False)
        case = tmp_path / "case.toml"
        case.write_text(TWO % (f"{two.origin}/api/v2/", f"{one.origin}/api/v2/"))
        async with developer.at_work(case):
            await developer.opened(HistoryScreen, lambda case: case.record)
            await developer.press("alt+r")
            await developer.opened(Picker)
            await developer.press("enter")
            await developer.program.sees("1 call of hers too")
            await developer.opened(Picker)
            await developer.press("enter")
            await developer.opened(ReplayScreen, lambda replay: replay.done and replay.stop is None)
    opened, first, second, replayed = developer.seen
    assert_says(opened, "no profile chosen", "Note  prod charges 10 more")
    assert_says(first, "Replay 1 call of hers, ", "two")
    assert_says(second, "Replay 1 call of hers too, ", "one")
    assert_says(replayed, "2 calls on two and one  2 same", "✓ two: user.get", "✓ one: user.get")
    assert developer.pressed == 3
    assert [len(server.requests) for server in (one, two)] == [1, 1]


async def test_call_of_a_case_loads_once_a_profile_is_chosen(tmp_path: Path) -> None:
    files = '[profile.one]\nurl = "http://127.0.0.1:1"\n[profile.two]\nurl = "http://127.0.0.1:2"\n'
    developer = User(tmp_path / "developer", files, chosen=False)
    case = tmp_path / "case.toml"
    case.write_text(TWO % ("http://a/", "http://b/"))
    async with developer.at_work(case) as program:
        await developer.opened(HistoryScreen, lambda case: case.record)
        await developer.press("enter")
        await developer.opened(ProfilesScreen)
        await developer.press("escape")
        await developer.opened(HistoryScreen, lambda case: case.record)
        await developer.press("enter")
        await developer.opened(ProfilesScreen)
        await developer.press("enter")
        await program.until(lambda: program.app.calls is not None and program.calls.params.text != "")
        assert (program.calls.called, program.calls.params.text) == ("user.get", '{"id": 7}')
    assert all("no profile chosen" in screen for screen in developer.seen)
    assert "Note  prod charges 10 more" in developer.seen[2]
