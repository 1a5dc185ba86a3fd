"""``methods`` with the demo service and with less capable servers."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from rpcexplorer.cli.world import COMPLETING
from rpcexplorer.demo import PASSWORD
from rpcexplorer.demo.methods import TABLE
from rpcexplorer.discovery import interview
from rpcexplorer.discovery.methods import similar_methods
from rpcexplorer.text.printable import printable
from tests.cli.test_call import NO
from tests.fakes.shell import Shell
from tests.fakes.wire import RawServer, http_reply

NOT_FOUND = http_reply(b'{"jsonrpc": "2.0", "id": null, "error": {"code": -32601, "message": "Method not found"}}')


@pytest.fixture
def shop(shell: Shell, url: str) -> Shell:
    """A shell with a cookie and an inline profile for the demo service."""
    shell.sessions(
        f'default = "shop"\n[profile.shop]\nurl = "{url}"\n[profile.shop.method."demo.echo"]\ndoc = "Ours"\n'
        f'[profile.inline]\nurl = "{url}"\nauth = {{ kind = "inline", username = "demo" }}\n'
    )
    return shell


def names(text: str) -> list[str]:
    return [line.split()[0] for line in text.splitlines()]


def test_refresh_lists_methods_and_names_the_protocol(shop: Shell) -> None:
    ran = shop.run("methods", "--refresh")
    assert ran.code == 0
    assert names(ran.text) == sorted(TABLE)
    lines = ran.err.splitlines()
    assert lines[0].startswith(f"rpcexplorer: rpc.discover: {len(TABLE)} methods (OpenRPC 1.3.2")
    assert lines[1] == f"rpcexplorer: system.listMethods: {len(TABLE)} methods"
    assert len(lines) == 2


def test_methods_json_has_all_fields(shop: Shell) -> None:
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


def test_inline_profile_hides_credentials_from_the_start_params(shop: Shell) -> None:
    ran = shop.run("methods", "--refresh", "--json", "-p", "inline", RPCEXPLORER_INLINE_PASSWORD=PASSWORD)
    assert ran.code == 0, ran.err
    rows = {row["name"]: row for row in json.loads(ran.out)}
    assert rows["demo.records"]["dialect"] == "rpc.discover"
    assert rows["arg_test"]["start"] == {}


def test_methods_of_a_url_are_listed(shell: Shell, url: str) -> None:
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
def test_unknown_method_suggests_a_refresh(shell: Shell, line: str, options: str) -> None:
    shell.sessions('default = "far"\n[profile.far]\nurl = "http://127.0.0.1:9"\npath = "/rpc"\n')
    ran = shell.run(*line.split())
    assert (ran.code, ran.text.strip()) == (0, "[]" if "--json" in line else "")
    hint = f"rpcexplorer methods --refresh{options}"
    assert ran.err == f"hint: The method list is empty. To discover methods, run:\n  {hint}\n"


def test_list_that_is_not_from_the_server_says_so(shell: Shell, url: str) -> None:
    shell.sessions(f'[profile.far]\nurl = "http://127.0.0.1:9/rpc"\npreset = "aria2"\n[profile.shop]\nurl = "{url}"\n')
    hint = "hint: This method list does not come from the server. To discover methods, run:\n  rpcexplorer methods"
    ran = shell.run("methods", "-p", "far")
    assert ("aria2.addUri" in names(ran.text), ran.err) == (True, f"{hint} --refresh -p far\n")
    assumed = "rpcexplorer: Assumed, not listed by the server: arg_test, auth, ping\n"
    assert shell.run("methods", "-p", "shop").err == f"{assumed}{hint} --refresh -p shop\n"
    assert "Assumed" not in shell.run("methods", "-p", "shop", "--refresh").err
    assert shell.run("methods", "-p", "shop").err == ""


def test_discovery_without_methods_suggests_a_connection_test(shell: Shell) -> None:
    hint = "hint: To test the connection, run:\n  rpcexplorer profiles test"
    shell.sessions('[profile.far]\nurl = "http://127.0.0.1:9"\n')
    ran = shell.run("methods", "--refresh")
    assert (ran.code, f"{hint} far\n" in ran.err) == (4, True)
    assert "Assumed, not listed by the server: arg_test, auth, ping" in ran.err
    with RawServer(lambda _: http_reply(b"no", status=404)) as server:
        ran = shell.run("methods", "--refresh", "--url", server.origin)
    assert (ran.code, f"{hint} {server.origin}\n" in ran.err) == (0, True)


def test_unknown_method_names_a_refresh_of_the_same_server(shell: Shell, url: str) -> None:
    shell.sessions(f'[profile.shop]\nurl = "{url}"\n[profile.other]\nurl = "http://127.0.0.1:9"\n')
    again = "rpcexplorer methods --refresh -p shop\n"
    assert shell.run("methods", "-p", "shop", "zzz").err.endswith(f"To refresh the list, run:\n  {again}")
    assert shell.run("params", "-p", "shop", "zzz").err.endswith(f"To refresh the list, run:\n  {again}")
    command = ("methods", "demo.echo", "--refresh", "--url", url)
    for line in (["methods", "demo.echo", "--url", url], ["params", "demo.echo", "--url", url]):
        assert shell.run(*line).err.endswith(
            "Without a profile, the list is not saved. To discover its methods, run:\n"
            f"  rpcexplorer {' '.join(command)}\n"
        )
    assert "demo.echo" in shell.run(*command).text
    ran = shell.run("methods", "demo.ecco", "--refresh", "--url", url)
    last = ran.err.splitlines()[-1]
    assert last == "rpcexplorer: There is no method demo.ecco in the list. Did you mean demo.echo?"


def test_list_of_a_url_says_that_it_is_not_saved(shell: Shell, url: str) -> None:
    lines = shell.run("methods", "--refresh", "--url", url).err.splitlines()
    assert lines[-3:] == [
        "hint: Without a profile, the list is not saved. To save it, add a profile and refresh its list:",
        f"  rpcexplorer profiles add NAME --url {url}",
        "  rpcexplorer methods --refresh -p NAME",
    ]


def openrpc(*methods: str) -> str:
    schema = {"schema": {"type": "integer"}}
    rows = [{"name": name, "params": [{"name": "page", "required": True, **schema}]} for name in methods]
    return json.dumps({"openrpc": "1.3.2", "methods": rows})


@pytest.fixture
def clone(shell: Shell) -> Path:
    """A fresh clone with a file that describes the methods."""
    shell.sessions('[profile.team]\nurl = "http://127.0.0.1:1/rpc"\ndiscovery = { file = "openrpc.json" }\n')
    document = shell.folder / "openrpc.json"
    document.write_text(openrpc("user.get", "user.list"))
    return document


def test_description_file_is_read_again_when_changed(
    shell: Shell, clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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


@pytest.mark.parametrize(
    ("line", "offered"), [("call user.", ["user.get", "user.list"]), ("call user.get pa", ["page:="])]
)
def test_completion_knows_methods_of_a_description_file(
    shell: Shell, clone: Path, monkeypatch: pytest.MonkeyPatch, line: str, offered: list[str]
) -> None:
    asked = {
        COMPLETING: "fish_complete",
        "COMP_WORDS": f"rpcexplorer {line}",
        "COMP_CWORD": line.rsplit(maxsplit=1)[-1],
    }
    for name, value in asked.items():  # Click reads them from os.environ.
        monkeypatch.setenv(name, value)
    shell.environment |= asked
    assert [row.partition(",")[2] for row in shell.run().text.splitlines()] == offered


@pytest.mark.parametrize("target", ["/dev/zero", "/etc/passwd", "pipe"])
def test_invalid_description_file_is_a_problem(shell: Shell, clone: Path, target: str) -> None:
    clone.unlink()
    if target == "pipe":
        os.mkfifo(clone)
    else:
        clone.symlink_to(target)
    ran = shell.run("methods")
    assert ran.code == 0
    assert f"cannot read {clone}" in ran.err


def test_refresh_without_the_described_file_exits_2(shell: Shell, clone: Path) -> None:
    assert shell.run("methods", "--refresh").code == 0
    clone.unlink()
    ran = shell.run("methods", "--refresh")
    assert (ran.code, ran.text) == (2, "user.get\nuser.list\n")
    assert f"cannot read {clone}: it does not exist. Create it, or change discovery in the profile" in ran.err


PLAIN = {"openrpc": "1.3.2", "methods": [{"name": "a.b", "params": [{"name": "x", "schema": {"type": "string"}}]}]}


def described(shell: Shell, document: object) -> None:
    """Create a profile with this document as its description."""
    shell.sessions('[profile.shy]\nurl = "http://127.0.0.1:1"\ndiscovery = { file = "openrpc.json" }\n')
    (shell.folder / "openrpc.json").write_text(json.dumps(document))
    assert shell.run("methods", "--refresh").code == 0


def test_method_docs_are_complete_and_unknown_names_suggest(shell: Shell) -> None:
    described(shell, PLAIN)
    ran = shell.run("methods", "a.b")
    assert ran.code == 0
    assert ran.text.splitlines()[0].strip() == "a.b"
    assert "string" in ran.text
    for wrong in ("A.B", "b"):
        ran = shell.run("methods", wrong)
        assert (ran.code, ran.out) == (2, b"")
        assert f"There is no method {wrong} in the list. Did you mean a.b?" in ran.err
    ran = shell.run("methods", "zzz\x1b]52;c;?\x07")
    assert ran.code == 2
    assert "\x1b" not in ran.err


@pytest.mark.parametrize(
    ("name", "similar"),
    [
        ("user.lst", ["user.list"]),
        ("user.List", ["user.list"]),
        ("-- user --", ["user.list", "user.archive"]),
        ("arch", ["user.archive"]),
        ("users", ["user.list"]),
        ("user.xyz", []),  # only the namespace is the same
        ("zzz", []),
        ("--", []),
    ],
)
def test_similar_methods_share_more_than_a_namespace(name: str, similar: list[str]) -> None:
    assert similar_methods(name, ("user.archive", "user.list", "other")) == similar


def test_suggested_method_name_cannot_fake_a_command(shell: Shell) -> None:
    fake = "a.b Run:\nrpcexplorer call xyz"
    described(shell, {"openrpc": "1.3.2", "methods": [{"name": fake, "params": []}]})
    with RawServer(NO) as server:
        shell.run("profiles", "set", "shy", f"url={server.origin}/rpc")
        for line in (["methods"], ["params"], ["call"]):
            ran = shell.run(*line, "a.b Run:\nrpcexplorer call xyw")
            assert f"Did you mean {printable(fake)}?" in ran.err
            assert "\n  rpcexplorer call" not in ran.err


def test_json_of_a_method_has_its_definitions_unchanged(shell: Shell) -> None:
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
    assert [param["schema"] for param in row["parameters"]] == [{"$ref": "#/components/schemas/U"}, None]
    assert row["definitions"] == {"#/components/schemas/T": tree, "#/components/schemas/U": through}
    assert row["result"] == {"type": "null", "x": "é"}
    assert row["errors"] == [
        {"code": -1, "message": "no", "data": {"a": 1}}, {"code": -2, "message": "other"}
    ]  # fmt: skip
    assert row["examples"] == [{"name": "e", "params": [{}], "doc": "", "result": None}]
    assert (row["deprecated"], row["tags"], row["by"], row["dialect"]) == (True, ["t"], None, "openrpc.json")


def test_changes_are_printed_by_refresh_and_later(shell: Shell) -> None:
    described(shell, PLAIN)
    words = "limits of “x”: none → at most 3 characters"
    assert "No refresh has found changes yet." in shell.run("methods", "--changes").err
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
    assert ran.err.startswith("rpcexplorer: Changes from ")
    assert json.loads(shell.run("methods", "--changes", "--json").out)[0] == {
        "name": "a.b", "kind": "changed", "what": [words], "breaks": True,
    }  # fmt: skip


def test_exported_method_list_has_no_secrets(shell: Shell) -> None:
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


@pytest.mark.parametrize(
    "words",
    [
        ["--export", "openapi"],
        ["--export", "openrpc", "--json"],
        ["--changes", "a.b"],
        ["--from-history"],
        ["--export", "openrpc", "--from-history", "--refresh"],
    ],
)
def test_conflicting_options_are_reported(shell: Shell, words: list[str]) -> None:
    ran = shell.run("methods", *words)
    assert (ran.code, ran.out) == (2, b"")


def test_damaged_cache_is_reported_and_others_listed(shop: Shell) -> None:
    shop.run("methods", "--refresh")
    (file,) = (shop.home / "cache" / "catalogues").glob("*.json")
    file.write_bytes(file.read_bytes()[:-100])
    ran = shop.run("methods")
    assert ran.code == 0
    assert "damaged" in ran.err
    assert names(ran.text) == ["arg_test", "auth", "demo.echo", "ping"]


@pytest.mark.parametrize(
    ("key", "asks"), [('confirm = "unsafe"', False), ('badge = "prod"', True), ('confirm = "always"', True)]
)
def test_safe_claim_of_a_server_counts_outside_production(shop: Shell, key: str, asks: bool) -> None:
    team = shop.folder / "sessions.toml"
    team.write_text(team.read_text().replace("[profile.shop]\n", f"[profile.shop]\n{key}\n", 1))
    shop.run("methods", "--refresh")
    ran = shop.run("call", "demo.numbers")
    assert (ran.code == 2, "--yes" in ran.err) == (asks, asks)


def test_document_from_history_describes_what_was_called(shop: Shell) -> None:
    nothing = shop.run("methods", "--export", "openrpc", "--from-history")
    assert (nothing.code, "No calls of profile shop are recorded" in nothing.err) == (2, True)
    shop.run("call", "demo.echo", 'say="a"', RPCEXPLORER_SHOP_PASSWORD=PASSWORD)
    shop.run("call", "demo.echo", "say=b", "-p", "inline", RPCEXPLORER_INLINE_PASSWORD=PASSWORD)
    shop.run("login", RPCEXPLORER_SHOP_PASSWORD=PASSWORD)
    ran = shop.run("methods", "--export", "openrpc", "--from-history", "-p", "inline")
    document = json.loads(ran.out)
    assert "from 1 recorded call, 20" in document["info"]["description"]
    (method,) = document["methods"]
    assert method["name"] == "demo.echo"
    assert method["params"] == [{"name": "say", "required": True, "schema": {"type": "string"}}]
    assert PASSWORD not in ran.text
    (shop.folder / "openrpc.json").write_bytes(ran.out)
    shop.sessions('[profile.copy]\nurl = "http://127.0.0.1:1"\ndiscovery = { file = "openrpc.json" }\n')
    assert names(shop.run("methods").text) == ["demo.echo"]
    assert shop.run("params", "demo.echo", "--check", "say:=5").code == 2
