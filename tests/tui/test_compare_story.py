"""It fails for one person, and another sees the same: a case goes from one home to the other, by keyboard alone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from textual.pilot import Pilot

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.app import ExplorerApp, PersonOnScreen
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.compare import ComparisonScreen
from rpcexplorer.tui.history import HistoryScreen
from rpcexplorer.tui.profiles import ProfilesScreen
from rpcexplorer.tui.replay import ReplayScreen
from rpcexplorer.tui.widgets.dialog import Ask, Confirm
from rpcexplorer.tui.widgets.picker import Picker
from tests.fakes.editor import type_in
from tests.fakes.wire import RawServer, Received, http_reply
from tests.tui.visiting import on, on_view, rest, said
from tests.tui.waiting import until

MOST = 25
"""Each of the two needs fewer keys."""
HERS, HIS, ANOTHER = "support-token-5eb1f0c3", "developer-token-77aa2094", "another-token-40cc1b6e"
CALL = '{"id": "42"}'
FAILS = '{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"Invalid params","data":{"at":"%s","by":"%s"}}}'


def serving(name: str) -> RawServer:
    """Refuses every call, and tells on the credentials that it was sent."""

    def reply(request: Received) -> bytes:
        token = (request.header("Authorization") or "").removeprefix("Bearer ")
        body = FAILS % (json.dumps(json.loads(request.body)["id"]), name, token)
        return http_reply(body.encode(), headers={"X-Seen": token})

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


class Sitting:
    """Somebody before the program, in a home of her own or his; what was pressed there, seen and copied."""

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
        self.app: ExplorerApp
        self.pilot: Pilot[Any]

    def open(self, act: Callable[[Sitting], Awaitable[None]], case: Path | None = None) -> None:
        async def run() -> None:
            self.app = ExplorerApp(self.explorer, self.person, self.profile, case)
            async with self.app.run_test(size=(120, 40), notifications=True) as self.pilot:
                if self.profile is not None:
                    await until(self.pilot, lambda: self.app.calls is not None and self.app.calls.is_mounted)
                await self.pilot.pause()
                await act(self)

        asyncio.run(run())

    async def press(self, *keys: str) -> None:
        self.pressed += len(keys)
        await self.pilot.press(*keys)
        await rest(self.pilot)

    async def opened(self, kind: type[Any], ready: Callable[[Any], object] = lambda _: True) -> None:
        """Wait for a screen, and look at it."""
        screen = await on(self.pilot, kind)
        await until(self.pilot, lambda: bool(ready(screen)))
        await rest(self.pilot)
        self.seen.append(on_view(self.app))


async def she(sitting: Sitting) -> None:
    """Sends a call, which fails, and saves it as a case."""
    await sitting.press("f5")
    await sitting.opened(Confirm)
    await sitting.press("right", "enter")
    await until(sitting.pilot, lambda: "✗ error -32602" in on_view(sitting.app))
    await sitting.press("f6")
    await sitting.opened(HistoryScreen, lambda history: history._record)
    await sitting.press("x")
    await sitting.opened(Ask)
    await sitting.press("enter")
    await until(sitting.pilot, lambda: "Save a case of the call in" in on_view(sitting.app))
    await sitting.press("enter")
    await until(sitting.pilot, lambda: "Saved a case of the call" in said(sitting.app))


async def he(sitting: Sitting) -> None:
    """Has opened the case: sends it again, looks at what differs, and copies a ticket of both."""
    await sitting.opened(HistoryScreen, lambda case: case._record)
    await sitting.press("R")
    await sitting.opened(Picker)
    await sitting.press(*"stag", "enter")
    await sitting.opened(Confirm)
    await sitting.press("right", "enter")
    await sitting.opened(ReplayScreen, lambda replay: replay.done and replay.stop is None)
    await sitting.press("enter")
    await sitting.opened(ComparisonScreen, lambda screen: screen.comparison)
    await sitting.press("M")
    await until(sitting.pilot, lambda: bool(sitting.app.clipboard))


def test_a_failure_is_handed_on_replayed_elsewhere_compared_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving("prod-7") as prod, serving("staging-2") as staging, serving("his prod") as others:
        her = Sitting(tmp_path / "her", profile("prod", prod, 'badge = "prod"'), {"RPCEXPLORER_PROD_TOKEN": HERS})
        monkeypatch.chdir(tmp_path / "her")
        type_in(her.explorer, "user.get", CALL)
        her.explorer.remembered.set_method("prod", "user.get")
        her.open(she)
        case = tmp_path / "her" / "user.get.toml"
        files = profile("staging", staging, 'confirm = "unsafe"') + profile("prod", others, "")
        tokens = {"RPCEXPLORER_STAGING_TOKEN": HIS, "RPCEXPLORER_PROD_TOKEN": ANOTHER}
        his = Sitting(tmp_path / "his", files, tokens)
        his.open(he, case)

    opened, _, asked, listed, compared = his.seen
    assert f"someone else's, sent to {prod.url}" in opened
    assert_says(asked, "user.get", staging.origin, prod.url, "treated as unsafe")
    assert_says(listed, "≠ user.get  differs  1 member differs", f"recorded at {prod.url}, sent to {staging.url}")
    assert_says(compared, "1 member differs; 1 redacted value was not compared", '"at": "prod-7"', '"at": "staging-2"')
    hosts = [server.origin.removeprefix("http://") for server in (prod, staging)]
    assert_says(his.app.clipboard, "user.get", "-32602", "prod-7", "staging-2", *hosts)
    assert her.pressed < MOST
    assert his.pressed < MOST

    everything = "".join([case.read_text(), his.app.clipboard, *his.seen])
    assert not [secret for secret in (HERS, HIS, ANOTHER, str(tmp_path)) if secret in everything]
    assert [len(server.requests) for server in (prod, staging, others)] == [1, 1, 0]
    first, second = prod.requests[0], staging.requests[0]
    assert [each.header("Authorization") for each in (first, second)] == [f"Bearer {HERS}", f"Bearer {HIS}"]
    assert [json.loads(each.body)["params"] for each in (first, second)] == [json.loads(CALL)] * 2


def assert_says(text: str, *parts: str) -> None:
    assert [part for part in parts if part not in text] == []


@pytest.mark.thorough
def test_a_call_of_a_case_is_loaded_into_the_profile_in_use_whatever_profile_it_names(tmp_path: Path) -> None:
    """It names one that this person has as well, an address, and a placeholder for a secret of this person."""

    async def load(sitting: Sitting) -> None:
        await sitting.opened(HistoryScreen, lambda case: case._record)
        await sitting.press("r")  # nothing of a stranger's is sent by one key
        await sitting.press("enter")
        await sitting.opened(Confirm)
        await sitting.press("enter")
        await sitting.opened(CallScreen)
        calls = sitting.app.screen
        assert isinstance(calls, CallScreen)
        assert (calls.method, "«staging.token»" in calls.params.text) == ("user.get", False)

    case = tmp_path / "case.toml"
    case.write_text(HOSTILE)
    with serving("staging-2") as staging, serving("his prod") as others:
        files = profile("staging", staging, "") + profile("prod", others, "")
        his = Sitting(tmp_path / "his", files, {"RPCEXPLORER_STAGING_TOKEN": HIS, "RPCEXPLORER_PROD_TOKEN": ANOTHER})
        his.open(load, case)
        assert staging.requests == others.requests == []
    assert his.explorer.profile is not None
    assert his.explorer.profile.name == "staging"
    assert "Insert your token into this call?  The call was imported." in his.seen[1]


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


def test_case_of_two_servers_is_replayed_with_three_keys(tmp_path: Path) -> None:
    """Nobody has chosen a profile before; for each server the cursor is on the profile with its address."""

    async def receive(sitting: Sitting) -> None:
        await sitting.opened(HistoryScreen, lambda case: case._record)
        await sitting.press("R")
        await sitting.opened(Picker)
        await sitting.press("enter")
        await until(sitting.pilot, lambda: "1 call of hers too" in on_view(sitting.app))
        await sitting.opened(Picker)
        await sitting.press("enter")
        await sitting.opened(ReplayScreen, lambda replay: replay.done and replay.stop is None)

    def answering(result: str) -> RawServer:
        def reply(request: Received) -> bytes:
            return http_reply(json.dumps({**json.loads(request.body), "result": result}).encode())

        return RawServer(reply)

    with answering("second") as one, answering("first") as two:
        files = f'[profile.one]\nurl = "{one.origin}"\n[profile.two]\nurl = "{two.origin}"\n'
        his = Sitting(tmp_path / "his", files, chosen=False)
        case = tmp_path / "case.toml"
        case.write_text(TWO % (f"{two.origin}/api/v2/", f"{one.origin}/api/v2/"))
        his.open(receive, case)
    opened, first, second, replayed = his.seen
    assert_says(opened, "no profile chosen", "Note  prod charges 10 more")
    assert_says(first, "Replay 1 call of hers, ", "two")
    assert_says(second, "Replay 1 call of hers too, ", "one")
    assert_says(replayed, "2 calls on two and one  2 same", "✓ two: user.get", "✓ one: user.get")
    assert his.pressed == 3
    assert [len(server.requests) for server in (one, two)] == [1, 1]


def test_call_of_a_case_is_loaded_after_a_profile_is_chosen(tmp_path: Path) -> None:
    async def load(sitting: Sitting) -> None:
        await sitting.opened(HistoryScreen, lambda case: case._record)
        await sitting.press("enter")
        await sitting.opened(ProfilesScreen)
        await sitting.press("enter")
        await until(sitting.pilot, lambda: sitting.app.calls is not None and sitting.app.calls.params.text != "")
        assert sitting.app.calls is not None
        assert (sitting.app.calls.called, sitting.app.calls.params.text) == ("user.get", '{"id": 7}')

    files = '[profile.one]\nurl = "http://127.0.0.1:1"\n[profile.two]\nurl = "http://127.0.0.1:2"\n'
    his = Sitting(tmp_path / "his", files, chosen=False)
    case = tmp_path / "case.toml"
    case.write_text(TWO % ("http://a/", "http://b/"))
    his.open(load, case)


def test_escape_leads_from_choosing_a_profile_back_to_the_case(tmp_path: Path) -> None:
    async def go_back(sitting: Sitting) -> None:
        await sitting.opened(HistoryScreen, lambda case: case._record)
        await sitting.press("enter")
        await sitting.opened(ProfilesScreen)
        await sitting.press("escape")
        await sitting.opened(HistoryScreen, lambda case: case._record)
        await sitting.press("enter")
        await sitting.opened(ProfilesScreen)
        await sitting.press("enter")
        await until(sitting.pilot, lambda: sitting.app.calls is not None)

    files = '[profile.one]\nurl = "http://127.0.0.1:1"\n[profile.two]\nurl = "http://127.0.0.1:2"\n'
    his = Sitting(tmp_path / "his", files, chosen=False)
    case = tmp_path / "case.toml"
    case.write_text(TWO % ("http://a/", "http://b/"))
    his.open(go_back, case)
    assert all("no profile chosen" in screen for screen in his.seen)
    assert "Note  prod charges 10 more" in his.seen[2]
