"""``history``: list, search, show, prune and count recorded calls."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime

import pytest

from rpcexplorer.demo.http import DemoThread
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.event import Event
from rpcexplorer.model.filter import HistoryFilter
from tests.fakes.shell import Shell
from tests.fakes.wire import RawServer, Received


def answer(request: Received) -> bytes:
    call = request.json
    outcome = '"error":{"code":-32602,"message":"no"}' if call["method"] == "bad" else '"result":{"n":1.10}'
    headers = [("X-Request-Id", f"req-{call['method']}"), ("Set-Cookie", "other=n0t-known-yet; Path=/")]
    return request.reply_with(outcome, headers)


@pytest.fixture
def used(shell: Shell) -> Shell:
    """A shell with three recorded calls: alpha, bad, omega."""
    with RawServer(answer) as server:
        shell.sessions(f'[profile.shop]\nurl = "{server.origin}"\n')
        for method in ("alpha", "bad", "omega"):
            shell.run("call", method, '{"x": "find-me-' + method + '"}')
    return shell


@pytest.fixture
def event(used: Shell) -> str:
    """The id of an event that was recorded beside the calls."""
    explorer = used.explorer()
    tick = Event(datetime.now(UTC), "request", b'{"id":1,"method":"tick"}', "tick", b"1", answer=b'"result":7')
    explorer.journal.record_event(tick, explorer.profiles.profiles["shop"])
    assert explorer.put_unsaved_aside() == ""
    return next(found.id for found in explorer.history.search(HistoryFilter(outcome="event")))


def methods(text: str) -> list[str]:
    return [json.loads(row)["method"] for row in text.splitlines()]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (["list"], ["omega", "bad", "alpha"]),
        (["list", "-n", "1"], ["omega"]),
        (["list", "--outcome", "error"], ["bad"]),
        (["list", "outcome:error"], ["bad"]),
        (["list", "outcome:result method:=alpha", "--since", "1h"], ["alpha"]),
        (["list", "outcome:result", "--outcome", "error"], ["bad"]),
        (["list", "find-me-omega"], ["omega"]),
        (["list", "--outcome", "failed"], ["bad"]),
        (["list", "--outcome", "failed", "--outcome", "result"], ["omega", "bad", "alpha"]),
        (["list", "--method", "alpha"], ["alpha"]),
        (["list", "-p", "nobody"], []),
        (["search", "find-me"], ["omega", "bad", "alpha"]),
        (["search", "FIND-ME-ALPHA"], ["alpha"]),
        (["search", "nothing like it"], []),
    ],
)
def test_list_is_newest_first_and_can_be_filtered(used: Shell, arguments: list[str], found: list[str]) -> None:
    ran = used.run("history", *arguments, "--json")
    assert (ran.code, methods(ran.text)) == (0, found)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (["list", "--outcome", "event"], ["tick"]),
        (["search", "outcome:event"], ["tick"]),
        (["list", "outcome:event outcome:error"], ["tick", "bad"]),
        (["search", "tick"], []),
        (["list"], ["omega", "bad", "alpha"]),
    ],
)
def test_events_are_listed_only_if_meant(used: Shell, event: str, arguments: list[str], found: list[str]) -> None:
    assert event
    assert methods(used.run("history", *arguments, "--json").text) == found


def test_show_prints_the_message_of_an_event(used: Shell, event: str) -> None:
    text = used.run("history", "show", event).text
    assert [line.split() for line in text.splitlines()[:3]] == [
        ["←", "event,", "answered", "24", "B"],
        [],
        ["event", event],
    ]
    assert 'message\n{\n  "id": 1,\n  "method": "tick"\n}\n\nanswer\n{\n  "result": 7\n}' in text
    fields = json.loads(used.run("history", "show", event, "--json").text)
    assert (fields["kind"], fields["answer"], fields["missed"]) == ("event", '{"result":7}', 0)
    assert used.run("history", "show").text.startswith("✓ result")


def test_show_prints_the_parts_of_the_duration(used: Shell) -> None:
    fields = json.loads(used.run("history", "show", "--json").text)
    assert fields["phases"].keys() == {"connect", "send", "wait", "transfer"}
    assert sum(fields["phases"].values()) < fields["ms"]
    assert fields["reused"] is False
    assert " (connect " in used.run("history", "show").text


@pytest.mark.parametrize("command", [["replay"], ["history", "export"], ["compare"], ["copy"]])
def test_event_is_refused_instead_of_a_call(used: Shell, event: str, command: list[str]) -> None:
    ran = used.run(*command, event)
    assert (ran.code > 0, ran.out) == (True, b"")
    assert f"{event} is an event, not a call" in ran.err


def test_events_are_not_counted_or_pruned(used: Shell, event: str) -> None:
    assert event
    assert json.loads(used.run("history", "stats", "outcome:event", "--json").text)["calls"] == 0
    refused = used.run("history", "export", "--search", "outcome:event").err
    assert "  rpcexplorer history search outcome:event --json\n" in refused
    assert "removed 3 calls" in used.run("history", "prune", "--keep", "0", "--yes").err
    assert methods(used.run("history", "list", "--outcome", "event", "--json").text) == ["tick"]


def test_empty_list_names_the_next_step(shell: Shell) -> None:
    ran = shell.run("history", "list", "outcome:error")
    assert (ran.code, ran.out) == (0, b"")
    assert ran.err == "rpcexplorer: No calls found. To send a call, run:\n  rpcexplorer call METHOD\n"


def test_events_are_listed_with_their_messages(used: Shell, event: str) -> None:
    (row,) = map(json.loads, used.run("history", "search", "outcome:event", "--json").text.splitlines())
    assert (row["id"], json.loads(row["reply"])["method"], row["reply_cut"]) == (event, "tick", False)
    ran = used.run("history", "list", "--outcome", "event", "--method", "none")
    assert ran.err == "rpcexplorer: No events match the filter. Change it.\n"


def test_filter_without_matches_says_so(used: Shell) -> None:
    for words in (["list", "-p", "nobody"], ["list", "--code", "-1"], ["search", "nothing like it"]):
        ran = used.run("history", *words)
        assert (ran.code, ran.out) == (0, b"")
        assert ran.err == "rpcexplorer: No calls match the filter. Change it.\n"
    assert used.run("history", "list").err == ""


def test_bounds_work_as_options_and_filter_words(used: Shell) -> None:
    for arguments, found in {
        ("list", "--code", "-32602"): ["bad"],
        ("list", "--since", "1h", "--faster", "10m"): ["omega", "bad", "alpha"],
        ("list", "--until", "1h"): [],
        ("list", "--slower", "10m"): [],
        ("list", "--status", "2xx", "--larger", "1B", "--smaller", "1MB", "--method", "alpha"): ["alpha"],
        ("search", "code:-32602 find-me"): ["bad"],
        ("search", "find-me outcome:result method:alp"): ["alpha"],
        ("search", "find-me code:1", "--code", "-32602"): ["bad"],
        ("search", '"code:-32602"'): [],
    }.items():
        ran = used.run("history", *arguments, "--json")
        assert (ran.code, methods(ran.text)) == (0, found), arguments
    ran = used.run("history", "list", "--slower", "1", "--since", "now")
    assert (ran.code, ran.text) == (2, "")
    assert "--slower 1 is not a duration: write a number with its unit" in ran.err
    assert "--since now is not a time" in ran.err
    assert "there is no outcome x" in used.run("history", "search", "a outcome:x").err


def test_line_has_sign_id_method_profile_and_outcome(used: Shell) -> None:
    newest, bad, _ = used.run("history", "list").text.splitlines()
    assert newest.startswith("✓ ")
    assert newest.split()[2:4] == ["omega", "shop"]
    assert bad.startswith("✗ ")
    assert "-32602" in bad


def test_show_prints_the_call_or_a_part(used: Shell) -> None:
    id = json.loads(used.run("history", "list", "-n", "1", "--json").text)["id"]
    shown = used.run("history", "show", id).text
    assert "omega" in shown
    assert "1.10" in shown
    assert used.run("history", "show", id[-6:]).text == shown
    assert used.run("history", "show").text == shown
    assert used.run("history", "show", id, "--params").out == b'{"x": "find-me-omega"}\n'
    assert json.loads(used.run("history", "show", id, "--body").out)["id"] == id


def test_request_id_header_is_found_and_shown(used: Shell) -> None:
    assert methods(used.run("history", "search", "REQ-alpha", "--json").text) == ["alpha"]
    id = json.loads(used.run("history", "list", "--method", "alpha", "--json").text)["id"]
    assert "\nX-Request-Id: req-alpha\nSet-Cookie: «not recorded»\n" in used.run("history", "show", id).text
    whole = json.loads(used.run("history", "show", id, "--json").out)
    assert {"name": "X-Request-Id", "value": "req-alpha"} in whole["headers"]
    assert (whole["id"], whole["params"]) == (id, '{"x": "find-me-alpha"}')
    assert json.loads(whole["reply"])["result"] == {"n": 1.1}
    assert "\nX-Request-Id: req-alpha\n" in used.run("copy", id, "--as", "report").text
    assert "n0t-known-yet" not in "".join(used.files().values())


def test_record_of_older_version_has_no_headers(used: Shell) -> None:
    (file,) = (used.home / "state" / "history").glob("*.toml")
    before = [line for line in file.read_text().splitlines(keepends=True) if not line.startswith(("headers", "end"))]
    file.write_text("".join(before))
    ran = used.run("history", "show")
    assert (ran.code, "headers" in ran.text) == (0, False)
    assert json.loads(used.run("history", "show", "--json").out)["headers"] == []


@pytest.mark.parametrize(("id", "message"), [("missing", "No call has the id"), ("1", "1 matches 3 calls")])
def test_unknown_or_ambiguous_id_is_reported(used: Shell, id: str, message: str) -> None:
    ran = used.run("history", "show", id)
    assert ran.code == 2
    assert message in ran.err
    assert "Traceback" not in ran.err


def test_prune_asks_counts_and_removes(used: Shell) -> None:
    assert "2 calls would be removed" in used.run("history", "prune", "--keep", "1", "--dry-run").err
    refused = used.run("history", "prune", "--keep", "1")
    assert refused.code == 2
    assert "--yes" in refused.err
    assert used.run("history", "prune", "--keep", "1", "--yes").code == 0
    assert methods(used.run("history", "list", "--json").text) == ["omega"]
    assert "0 calls" in used.run("history", "prune", "--older-than", "30d").err


@pytest.mark.parametrize("arguments", [[], ["--older-than", "soon"]])
def test_prune_needs_an_option(used: Shell, arguments: list[str]) -> None:
    assert used.run("history", "prune", *arguments).code == 2


def test_no_history_option_records_nothing(shell: Shell) -> None:
    with RawServer(answer) as server:
        shell.run("call", "alpha", "--url", server.origin, "--no-history")
    assert shell.run("history", "list").out == b""
    assert shell.run("history", "show").code == 2


def test_damaged_record_is_reported_and_others_listed(used: Shell) -> None:
    (file,) = (used.home / "state" / "history").glob("*.toml")
    file.write_text(file.read_text().replace('method = "bad"', 'method = "bad'))
    ran = used.run("history", "list", "--json")
    assert methods(ran.text) == ["omega", "alpha"]
    assert "damaged" in ran.err


def test_shared_history_shows_the_writer_of_each_call(used: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")  # Wide enough for the names of writers.
    (own,) = used.home.rglob("history/*.toml")
    blocks = own.read_text()
    assert "you" not in used.run("history", "list").text.split()
    own.with_name("eva@desk.toml").write_text(blocks.replace('\nid = "', '\nid = "e'))
    listed = used.run("history", "list", "--json").text.splitlines()
    writers = {json.loads(row)["id"]: json.loads(row)["by"] for row in listed}
    assert [by for id, by in writers.items() if id.startswith("e")] == ["eva@desk"] * 3
    assert [by for id, by in writers.items() if not id.startswith("e")] == [own.stem] * 3
    assert {"you", "eva@desk"} <= set(used.run("history", "list").text.split())
    assert all(
        json.loads(row)["by"] == "eva@desk"
        for row in used.run("history", "search", "by:eva", "--json").text.splitlines()
    )
    assert methods(used.run("history", "search", "by:you method:bad", "--json").text) == ["bad"]
    assert "by        eva@desk" in used.run("history", "show", max(writers)).text
    ran = used.run("history", "prune", "--keep", "0", "--yes")
    assert "calls of eva@desk in" in ran.err
    assert methods(used.run("history", "list", "--json").text) == ["omega", "bad", "alpha"]


def test_stats_count_calls_and_failures(used: Shell) -> None:
    (file,) = used.home.rglob("history/*.toml")
    file.write_text(file.read_text().replace('method = "omega"', "method = omega"))
    ran = used.run("history", "stats")
    total, *_, heading, first, second = ran.text.splitlines()
    assert total.startswith("2 calls · 1 failed: 1 error · median ")
    assert heading.split()[:4] == ["method", "profile", "calls", "failed"]
    assert (first.split()[:3], second.split()[:4]) == (["alpha", "shop", "1"], ["bad", "shop", "1", "1"])
    assert "1 damaged record is not counted" in ran.err
    found = json.loads(used.run("history", "stats", "outcome:error", "--by", "code", "--since", "1h", "--json").out)
    assert (found["calls"], found["failures"], found["rows"][0]["code"]) == (1, {"error": 1}, "-32602")
    assert found["rows"][0]["median_ms"] == found["worst_ms"] > 0
    assert sum(bar["failed"] for bar in found["over_time"]["bars"]) == 1
    ran = used.run("history", "stats", "-n", "1", "--sort", "failures", TERM="linux")
    assert ran.text.splitlines()[-1].startswith("bad")
    assert ran.text.isascii() is False
    assert "#" in ran.text
    assert "not shown: 1 row. Add -n 2 to show all rows." in ran.err
    assert used.run("history", "stats", "method:nobody").text == "0 calls\n"
    assert used.run("history", "stats", "--sort", "p99").code == 2


def test_default_history_is_used_and_ids_found_anywhere(shell: Shell) -> None:
    with RawServer(answer) as server:
        profiles = (
            f'[profile.staging]\nurl = "{server.origin}"\nhistory = "calls"\n[profile.own]\nurl = "{server.origin}"\n'
        )
        shell.sessions(f'default = "staging"\n{profiles}')
        for arguments in (["profiles", "allow", "staging", "--yes"], ["call", "theirs"], ["call", "mine", "-p", "own"]):
            assert shell.run(*arguments).code == 0
    (shell.home / "state" / "screen.toml").unlink()  # Nothing was used last, so the default counts.
    assert list((shell.folder / "calls").glob("*.toml"))
    for asked in (["history", "list", "--json"], ["history", "search", "theirs", "--json"]):
        assert methods(shell.run(*asked).text) == ["theirs"], asked
    assert json.loads(shell.run("history", "show", "--json").out)["method"] == "theirs"
    assert "theirs" in shell.run("history", "stats").text
    assert "theirs" in shell.run("history", "export", "--last", "1").text
    assert "theirs" in shell.run("copy", "--as", "report").text
    assert methods(shell.run("history", "list", "-p", "own", "--json").text) == ["mine"]
    for method, profile in (("theirs", "staging"), ("mine", "own")):
        id = json.loads(shell.run("history", "list", "-p", profile, "--json").text)["id"]
        for part in (id, id[-5:]):
            assert json.loads(shell.run("history", "show", part, "--json").out)["method"] == method
            assert method in shell.run("copy", part, "--as", "request").text
    ran = shell.run("history", "show", "1", "--json")
    assert (ran.code, "1 matches 2 calls" in ran.err) == (2, True)
    pruned = shell.run("history", "prune", "--keep", "0", "--dry-run")
    assert f"1 call would be removed from {shell.folder / 'calls'}" in pruned.err
    shell.sessions(profiles)
    assert methods(shell.run("history", "list", "--json").text) == ["mine"]


def test_next_command_records_calls_of_an_earlier_one(shell: Shell) -> None:
    history = shell.home / "state" / "history"
    history.parent.mkdir(parents=True)
    history.write_text("in the way")
    with DemoThread() as demo:
        shell.sessions(f'[profile.shop]\nurl = "{demo.url}"\npath = ""\n')
        explorer = shell.explorer()
        explorer.use("shop")

        async def call() -> None:
            async with explorer:
                await explorer.call(Draft("ping"))

        asyncio.run(call())
    assert "1 call" in explorer.put_unsaved_aside()
    history.unlink()
    ran = shell.run("history", "list", "--json")
    assert "Wrote 1 call to the history that could not be recorded earlier." in ran.err
    assert [json.loads(row)["method"] for row in ran.text.splitlines()] == ["ping"]
    assert "Wrote" not in shell.run("history", "list").err
