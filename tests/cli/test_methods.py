"""``methods`` and ``methods --refresh``: over the demo service, and over servers that offer less or nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from rpcexplorer.cli.world import COMPLETING
from rpcexplorer.demo import PASSWORD
from rpcexplorer.demo.service import TABLE
from rpcexplorer.discovery import interview
from tests.fakes.shell import Shell
from tests.fakes.wire import http_reply

NOT_FOUND = http_reply(b'{"jsonrpc": "2.0", "id": null, "error": {"code": -32601, "message": "Method not found"}}')


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
    hint = f"rpcexplorer methods --refresh{options}"
    assert ran.err == f"rpcexplorer: The method list is empty. To discover methods, run:\n  {hint}\n"


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
        assert f"There is no method {wrong}. Did you mean a.b?" in ran.err
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
    assert ran.err.startswith("rpcexplorer: changes from ")
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


@pytest.mark.parametrize("words", [["--export", "openapi"], ["--export", "openrpc", "--json"], ["--changes", "a.b"]])
def test_words_that_do_not_go_together_are_a_sentence(shell: Shell, words: list[str]) -> None:
    ran = shell.run("methods", *words)
    assert (ran.code, ran.out) == (2, b"")


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
