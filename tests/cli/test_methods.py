"""``methods`` and ``methods --refresh``: over the demo service, and over servers that offer less or nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from rpcexplorer.cli.world import COMPLETING
from rpcexplorer.demo import PASSWORD
from rpcexplorer.demo.http import DemoThread
from rpcexplorer.demo.service import TABLE
from rpcexplorer.discovery import interview
from tests.fakes.shell import Shell
from tests.fakes.wire import RESET, RawServer, http_reply

NOT_FOUND = http_reply(b'{"jsonrpc": "2.0", "id": null, "error": {"code": -32601, "message": "Method not found"}}')


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with DemoThread() as demo:
        yield demo.url


@pytest.fixture
def shop(shell: Shell, url: str) -> Shell:
    """A shell with a profile for the demo service, and one that sends its credentials inline."""
    shell.sessions(
        f'default = "shop"\n[profile.shop]\nurl = "{url}"\n[profile.shop.method."demo.echo"]\ndoc = "Ours"\n'
        f'[profile.inline]\nurl = "{url}"\nauth = {{ kind = "inline", username = "demo" }}\n'
    )
    return shell


def names(text: str) -> list[str]:
    return [line.split()[0] for line in text.splitlines()]


def test_a_refresh_lists_what_the_service_has_and_says_what_it_asked(shop: Shell) -> None:
    ran = shop.run("methods", "--refresh")
    assert ran.code == 0
    assert names(ran.text) == sorted(TABLE)
    lines = ran.err.splitlines()
    assert lines[0].startswith(f"rpcexplorer: rpc.discover: {len(TABLE)} methods (OpenRPC 1.3.2")
    assert lines[1] == f"rpcexplorer: system.listMethods: {len(TABLE)} methods"
    assert len(lines) == 2


def test_what_was_learned_is_there_in_the_next_run_and_asks_nobody(shop: Shell) -> None:
    before = shop.run("methods").text
    assert names(before) == ["arg_test", "auth", "demo.echo", "ping"]
    shop.run("methods", "--refresh")
    ran = shop.run("methods")
    assert (names(ran.text), ran.err) == (sorted(TABLE), "")
    assert names(shop.run("methods", "-p", "inline").text) == ["arg_test", "auth", "ping"]


def test_json_tells_everything_that_is_known(shop: Shell) -> None:
    ran = shop.run("methods", "--refresh", "--json")
    rows = {row["name"]: row for row in json.loads(ran.out)}
    records = rows["demo.records"]
    assert (records["source"], records["dialect"], records["safe"]) == ("discovered", "rpc.discover", True)
    count = {"name": "count", "required": False, "kind": "integer", "doc": "Records on the page"}
    schema = {"type": "integer", "minimum": 1, "maximum": 1_000_000, "default": 20}
    assert records["parameters"][0] == {**count, "default": 20, "example": None, "schema": schema, "deprecated": False}
    assert records["learned"].startswith("20")
    assert rows["demo.nested"]["start"] is None
    assert rows["auth"]["start"] == {"username": "", "password": ""}
    assert (rows["demo.echo"]["doc"], rows["demo.echo"]["source"]) == ("Ours", "profile")


def test_an_inline_profile_discovers_and_its_credentials_are_not_among_what_to_fill_in(shop: Shell) -> None:
    ran = shop.run("methods", "--refresh", "--json", "-p", "inline", RPCEXPLORER_INLINE_PASSWORD=PASSWORD)
    assert ran.code == 0, ran.err
    rows = {row["name"]: row for row in json.loads(ran.out)}
    assert rows["demo.records"]["dialect"] == "rpc.discover"
    assert rows["arg_test"]["start"] == {}


def test_nothing_of_it_is_in_the_history(shop: Shell) -> None:
    shop.run("methods", "--refresh")
    assert shop.run("history", "list").text == ""
    assert not [path for path in shop.files() if "history" in Path(path).parts]


def test_methods_of_typed_address_are_listed(shell: Shell, url: str) -> None:
    ran = shell.run("methods", "--refresh", "--url", url)
    assert (ran.code, "demo.echo" in names(ran.text)) == (0, True)
    assert "Name a profile or a URL, not both." in shell.run("methods", "--url", url, "-p", "shop").err


@pytest.mark.parametrize(
    ("line", "options"),
    [
        ("methods", ""),
        ("methods -p far", " -p far"),
        ("-p far methods", " -p far"),
        ("methods --url http://h/rpc --auth bearer", " --url http://h/rpc --auth bearer"),
        ("--url http://h/rpc methods --json", " --url http://h/rpc"),
    ],
)
def test_unknown_methods_suggest_the_refresh(shell: Shell, line: str, options: str) -> None:
    shell.sessions('default = "far"\n[profile.far]\nurl = "http://127.0.0.1:9"\npath = "/rpc"\n')
    ran = shell.run(*line.split())
    assert (ran.code, ran.text.strip()) == (0, "[]" if "--json" in line else "")
    assert ran.err == f"rpcexplorer: No methods are known yet. Run:\n  rpcexplorer methods --refresh{options}\n"


def test_a_service_that_offers_nothing_is_in_order(shell: Shell) -> None:
    with RawServer(NOT_FOUND) as server:
        shell.sessions(f'[profile.bare]\nurl = "{server.origin}"\n')
        ran = shell.run("methods", "--refresh")
    asked = [
        json.loads(request.body)["method"] if request.body else request.line.removesuffix(" HTTP/1.1")
        for request in server.requests
    ]
    assert (ran.code, len(asked)) == (0, 10)
    assert ran.err.splitlines() == [
        f"rpcexplorer: {', '.join(asked)}: not offered (-32601)",
        f"rpcexplorer: {server.url} told of no methods. Any name can be typed and called all the same.",
    ]
    assert names(ran.text) == ["arg_test", "auth", "ping"]


def test_a_profile_without_discovery_asks_nothing_and_says_what_can_be_done(shell: Shell) -> None:
    with RawServer(NOT_FOUND) as server:
        shell.sessions(f'[profile.bare]\nurl = "{server.origin}"\ndiscovery = "none"\n')
        ran = shell.run("methods", "--refresh")
    assert (ran.code, server.requests) == (0, [])
    said = 'Nothing was asked: profile bare says discovery = "none". Any name can be typed and called all the same.'
    assert ran.err == f"rpcexplorer: {said}\n"


def openrpc(*methods: str) -> str:
    schema = {"schema": {"type": "integer"}}
    rows = [{"name": name, "params": [{"name": "page", "required": True, **schema}]} for name in methods]
    return json.dumps({"openrpc": "1.3.2", "methods": rows})


@pytest.fixture
def clone(shell: Shell) -> Path:
    """A fresh clone, with a file that describes the methods."""
    shell.sessions('[profile.team]\nurl = "http://127.0.0.1:1/rpc"\ndiscovery = { file = "openrpc.json" }\n')
    document = shell.folder / "openrpc.json"
    document.write_text(openrpc("user.get", "user.list"))
    return document


def test_file_is_read_unasked_and_when_changed(shell: Shell, clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = shell.run("methods")
    assert ({"user.get", "user.list"} <= {*names(first.text)}, first.err) == (True, "")
    clone.write_text(openrpc("user.get", "user.new"))
    changed = names(shell.run("methods").text)
    assert "user.new" in changed
    assert "user.list" not in changed
    assert "gone     user.list" in shell.run("methods", "--changes").text
    monkeypatch.setattr(interview, "described_in_file", lambda *_: pytest.fail("read without a change"))
    assert names(shell.run("methods").text) == changed
    clone.touch()
    shell.run("call", "user.get", "--dry-run")
    with pytest.raises(pytest.fail.Exception):
        shell.run("methods")


@pytest.mark.parametrize("words", [["params", "user.get"], ["methods", "user.get"], ["methods", "--json"]])
def test_fresh_clone_knows_the_methods_of_its_file(shell: Shell, clone: Path, words: list[str]) -> None:
    ran = shell.run(*words)
    assert ran.code == 0, ran.err
    assert "page" in ran.text


@pytest.mark.parametrize(
    ("line", "offered"), [("call user.", ["user.get", "user.list"]), ("call user.get pa", ["page:="])]
)
def test_completion_knows_the_methods_of_a_file(
    shell: Shell, clone: Path, monkeypatch: pytest.MonkeyPatch, line: str, offered: list[str]
) -> None:
    asked = {
        COMPLETING: "fish_complete",
        "COMP_WORDS": f"rpcexplorer {line}",
        "COMP_CWORD": line.rsplit(maxsplit=1)[-1],
    }
    for name, value in asked.items():  # click reads them from there
        monkeypatch.setenv(name, value)
    shell.environment |= asked
    assert [row.partition(",")[2] for row in shell.run().text.splitlines()] == offered


@pytest.mark.parametrize("target", ["/dev/zero", "/etc/passwd", "pipe"])
def test_file_that_is_none_costs_a_problem(shell: Shell, clone: Path, target: str) -> None:
    clone.unlink()
    if target == "pipe":
        os.mkfifo(clone)
    else:
        clone.symlink_to(target)
    ran = shell.run("methods")
    assert ran.code == 0
    assert f"cannot read {clone}" in ran.err


@pytest.mark.parametrize("content", ["", "[1", '{"openrpc": "1.3.2", "methods": []}', None])
def test_unusable_file_leaves_what_was_known(shell: Shell, clone: Path, content: str | None) -> None:
    before = names(shell.run("methods").text)
    clone.unlink()
    if content is not None:
        clone.write_text(content)
    ran = shell.run("methods")
    assert (ran.code, names(ran.text)) == (0, before)
    assert ("openrpc.json" in ran.err) == (content != ""), "an empty file is about to be written"


def test_a_description_in_a_file_is_read_and_nobody_is_asked(shell: Shell) -> None:
    shell.sessions('[profile.shy]\nurl = "http://127.0.0.1:1"\ndiscovery = { file = "docs/openrpc.json" }\n')
    missing = shell.run("methods", "--refresh")
    assert missing.code == 0
    assert "it does not exist; put it there" in missing.err
    document = shell.folder / "docs" / "openrpc.json"
    document.parent.mkdir()
    document.write_text('{"openrpc": "1.3.2", "methods": [{"name": "a.b", "summary": "An a"}]}')
    ran = shell.run("methods", "--refresh", "--json")
    assert ran.err.splitlines()[0] == f"rpcexplorer: {document}: 1 method (OpenRPC 1.3.2)"
    assert {row["name"]: row["dialect"] for row in json.loads(ran.out)}["a.b"] == "openrpc.json"
    document.write_text("password = hunter2")
    damaged = shell.run("methods", "--refresh")
    assert damaged.err == f"rpcexplorer: {document}: unreadable: it is no JSON\n"
    assert "a.b" in names(damaged.text)


def test_a_description_that_lies_on_the_server_is_fetched_with_the_credentials_of_the_profile(shell: Shell) -> None:
    with RawServer(http_reply(b'{"openrpc": "1.3.2", "methods": [{"name": "a.b"}]}')) as server:
        auth = 'auth = { kind = "bearer" }\ndiscovery = { url = "/docs/openrpc.json" }\n'
        shell.sessions(f'[profile.shy]\nurl = "{server.origin}"\n{auth}')
        ran = shell.run("methods", "--refresh", RPCEXPLORER_SHY_TOKEN="tok-4711-tok")
    assert ran.err.splitlines()[0] == "rpcexplorer: GET /docs/openrpc.json: 1 method (OpenRPC 1.3.2)"
    assert [(request.line, request.header("authorization")) for request in server.requests] == [
        ("GET /docs/openrpc.json HTTP/1.1", "Bearer tok-4711-tok"),
    ]


def test_a_service_that_cannot_be_reached_is_exit_code_4_and_the_catalogue_stays(shell: Shell) -> None:
    listing = http_reply(b'{"jsonrpc": "2.0", "result": {"openrpc": "1", "methods": [{"name": "a.b"}]}}')
    with RawServer(listing, NOT_FOUND, [RESET]) as server:
        shell.sessions(f'[profile.shy]\nurl = "{server.origin}"\n')
        assert shell.run("methods", "--refresh").code == 0
        ran = shell.run("methods", "--refresh")
    assert ran.code == 4
    assert "What was known before stays." in ran.err
    assert "a.b" in names(ran.text)


def test_credentials_that_nobody_asks_for_need_not_be_there(shop: Shell) -> None:
    ran = shop.run("methods", "--refresh", "-p", "inline", "--no-input")
    assert ran.code == 0
    assert "demo.echo" in names(ran.text)


def test_missing_credentials_are_exit_code_3(shell: Shell) -> None:
    with RawServer(http_reply(b"", 401)) as server:
        shell.sessions(f'[profile.inline]\nurl = "{server.origin}"\nauth = {{ kind = "inline", username = "ada" }}\n')
        ran = shell.run("methods", "--refresh", "--no-input")
    assert ran.code == 3
    assert "RPCEXPLORER_INLINE_PASSWORD" in ran.err


def test_names_that_vanished_are_told(shell: Shell) -> None:
    replies = [
        b'{"jsonrpc": "2.0", "result": {"methods": [{"name": "old"}]}}',
        b'{"jsonrpc": "2.0", "result": {"methods": [{"name": "a"}, {"name": "b"}]}}',
    ]
    with RawServer(http_reply(replies[0]), NOT_FOUND, http_reply(replies[1]), NOT_FOUND) as server:
        shell.sessions(f'[profile.shy]\nurl = "{server.origin}"\n')
        shell.run("methods", "--refresh")
        ran = shell.run("methods", "--refresh")
    assert ran.err.splitlines()[-2:] == ["rpcexplorer: new: a, b", "rpcexplorer: gone: old"]


# --- all about one ---------------------------------------------------------------------------------------------------

PLAIN = {"openrpc": "1.3.2", "methods": [{"name": "a.b", "params": [{"name": "x", "schema": {"type": "string"}}]}]}


def described(shell: Shell, document: object) -> None:
    """A profile of which such a document was read."""
    shell.sessions('[profile.shy]\nurl = "http://127.0.0.1:1"\ndiscovery = { file = "openrpc.json" }\n')
    (shell.folder / "openrpc.json").write_text(json.dumps(document))
    assert shell.run("methods", "--refresh").code == 0


def test_one_method_is_told_in_full_and_one_that_is_not_known_with_its_neighbours(shell: Shell) -> None:
    described(shell, PLAIN)
    ran = shell.run("methods", "a.b")
    assert ran.code == 0
    assert ran.text.splitlines()[0].strip() == "a.b"
    assert "string" in ran.text
    for wrong in ("a.c", "b"):
        ran = shell.run("methods", wrong)
        assert (ran.code, ran.out) == (2, b"")
        assert f"No method {wrong} is known. Did you mean a.b?" in ran.err
    ran = shell.run("methods", "zzz\x1b]52;c;?\x07")
    assert ran.code == 2
    assert "\x1b" not in ran.err


def test_json_of_one_has_what_its_schemas_refer_to_as_the_service_wrote_it(shell: Shell) -> None:
    tree = {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/T"}, "x-big": 10**30}}
    through = {"allOf": [{"$ref": "#/components/schemas/T"}]}
    method = {
        "name": "a.b", "params": [{"name": "t", "schema": {"$ref": "#/components/schemas/U"}}, {"name": "u"}],
        "result": {"name": "r", "schema": {"type": "null", "x": "é"}}, "deprecated": True, "tags": [{"name": "t"}],
        "errors": [{"code": -1, "message": "no", "data": {"a": 1}}, {"code": -2, "message": "other"}],
        "examples": [{"name": "e", "params": [{"name": "t", "value": {}}], "result": {"name": "r", "value": None}}],
    }  # fmt: skip
    described(shell, {"methods": [method], "components": {"schemas": {"T": tree, "U": through, "V": {}}}})
    (row,) = json.loads(shell.run("methods", "a.b", "--json").out)
    assert [each["schema"] for each in row["parameters"]] == [{"$ref": "#/components/schemas/U"}, None]
    assert row["definitions"] == {"#/components/schemas/T": tree, "#/components/schemas/U": through}
    assert row["result"] == {"type": "null", "x": "é"}
    assert row["errors"] == [
        {"code": -1, "message": "no", "data": {"a": 1}}, {"code": -2, "message": "other"}
    ]  # fmt: skip
    assert row["examples"] == [{"name": "e", "params": [{}], "doc": "", "result": None}]
    assert (row["deprecated"], row["tags"], row["by"], row["dialect"]) == (True, ["t"], None, "openrpc.json")


# --- what has changed, and what is committed -------------------------------------------------------------------------


def test_what_changed_is_told_by_the_refresh_and_can_be_read_again(shell: Shell) -> None:
    described(shell, PLAIN)
    words = "“x” was without limits, now at most 3 characters"
    assert "No refresh has found anything" in shell.run("methods", "--changes").err
    param = {"name": "x", "schema": {"type": "string", "maxLength": 3}}
    more = [{"name": f"c{number}", "params": []} for number in range(7)]
    (shell.folder / "openrpc.json").write_text(
        json.dumps({**PLAIN, "methods": [{"name": "a.b", "params": [param]}, *more]})
    )
    ran = shell.run("methods", "--refresh")
    assert ran.err.splitlines()[-2:] == [
        "rpcexplorer: new: c0, c1, c2, c3, c4 and 2 more", f"rpcexplorer: changed: a.b: {words}",
    ]  # fmt: skip
    ran = shell.run("methods", "--changes")
    assert ran.text.splitlines()[:2] == [
        f"changed  a.b: {words}",
        "new      c0",
    ]
    assert ran.err.startswith("rpcexplorer: found by the refresh of ")
    assert json.loads(shell.run("methods", "--changes", "--json").out)[0] == {
        "name": "a.b", "kind": "changed", "what": [words],
    }  # fmt: skip


def test_a_catalogue_is_exported_without_secrets_and_read_back(shell: Shell) -> None:
    secret = "hunter2hunter2"
    described(shell, {"methods": [{"name": "a.b", "summary": f"Try {secret}", "params": [], "x-safe": True}]})
    auth = 'auth = { kind = "bearer" }\ndiscovery = { file = "openrpc.json" }\n'
    shell.sessions(f'[profile.shy]\nurl = "http://127.0.0.1:1"\n{auth}')
    shell.run("call", "mine.alone", RPCEXPLORER_SHY_TOKEN=secret)
    before = shell.run("methods", "--export", "openrpc", RPCEXPLORER_SHY_TOKEN=secret)
    document = json.loads(before.out)
    assert [method["name"] for method in document["methods"]] == ["a.b"]
    assert secret not in before.text
    (shell.folder / "openrpc.json").write_bytes(before.out)
    shell.run("methods", "--refresh")
    assert shell.run("methods", "--export", "openrpc", RPCEXPLORER_SHY_TOKEN=secret).out == before.out


def test_an_exported_catalogue_is_safe_on_a_terminal_and_exact_in_a_pipe(shell: Shell) -> None:
    hostile = "\u202e\u009b"
    described(shell, {"methods": [{"name": "a.b", "description": f"No{hostile}31m", "params": []}]})
    on_terminal = shell.run("methods", "--export", "openrpc", terminal=True).text
    assert "a.b" in on_terminal
    assert not {*hostile} & {*on_terminal}
    assert {*hostile} <= {*shell.run("methods", "--export", "openrpc").text}


@pytest.mark.parametrize("words", [["--export", "openapi"], ["--export", "openrpc", "--json"], ["--changes", "a.b"]])
def test_words_that_do_not_go_together_are_a_sentence(shell: Shell, words: list[str]) -> None:
    ran = shell.run("methods", *words)
    assert (ran.code, ran.out) == (2, b"")


def test_hostile_names_reach_no_terminal(shell: Shell) -> None:
    hostile = json.dumps(
        {"jsonrpc": "2.0", "result": {"methods": [{"name": "x\x1b]52;c;?\x07", "summary": "\x1b[c\u202e [/]"}]}}
    ).encode()
    with RawServer(http_reply(hostile), NOT_FOUND) as server:
        shell.sessions(f'[profile.shy]\nurl = "{server.origin}"\n')
        ran = shell.run("methods", "--refresh", terminal=True)
    assert ran.code == 0
    assert "\x1b]" not in ran.text + ran.err
    assert "\u202e" not in ran.text
    assert "x␛]52;c;?␇" in ran.text


def test_a_damaged_cache_is_a_sentence_and_the_rest_is_listed(shop: Shell) -> None:
    shop.run("methods", "--refresh")
    (file,) = (shop.home / "cache" / "catalogues").glob("*.json")
    file.write_bytes(file.read_bytes()[:-100])
    ran = shop.run("methods")
    assert ran.code == 0
    assert "damaged" in ran.err
    assert names(ran.text) == ["arg_test", "auth", "demo.echo", "ping"]


def test_what_a_service_calls_safe_is_not_sent_without_a_question(shop: Shell) -> None:
    team = shop.folder / "sessions.toml"
    team.write_text(team.read_text().replace("[profile.shop]\n", '[profile.shop]\nconfirm = "unsafe"\n', 1))
    shop.run("methods", "--refresh")
    ran = shop.run("call", "demo.numbers")
    assert ran.code == 2
    assert "--yes" in ran.err
