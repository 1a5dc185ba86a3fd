"""``methods --compare``: files and profiles, and their saved calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rpcexplorer.demo import PASSWORD
from tests.fakes.shell import Shell

OLD: dict[str, Any] = {
    "openrpc": "1.3.2",
    "methods": [
        {"name": "user.get", "params": [{"name": "id", "schema": {"type": "integer"}}]},
        {"name": "user.list", "params": [], "result": {"name": "users", "schema": {"type": "array"}}},
        {"name": "user.remove", "params": []},
    ],
}
NEW: dict[str, Any] = {
    "openrpc": "1.3.2",
    "methods": [
        {"name": "user.get", "params": [{"name": "id", "schema": {"type": "string"}}], "summary": "Reads a user"},
        {"name": "user.list", "params": [], "result": {"name": "users", "schema": {"type": "array"}}, "summary": "All"},
        {"name": "user.search", "params": []},
    ],
}


@pytest.fixture
def files(shell: Shell, tmp_path: Path) -> Shell:
    for name, document in (("old.json", OLD), ("new.json", NEW)):
        (shell.folder / name).write_text(json.dumps(document))
    return shell


def test_changes_between_files_are_printed_breaking_ones_first(files: Shell) -> None:
    ran = files.run("methods", "--compare", "old.json", "new.json")
    assert ran.text.splitlines() == [
        "~ user.get (breaks): type of “id”: integer → string, docs changed",
        "- user.remove (breaks)",
        "~ user.list: docs changed",
        "+ user.search",
    ]
    assert (ran.code, ran.err) == (
        6,
        "rpcexplorer: old.json → new.json: 1 new, 1 gone, 2 changed, 2 breaking changes\n",
    )


def test_changes_without_a_breaking_one_end_with_0(files: Shell) -> None:
    ran = files.run("methods", "--compare", "old.json", "old.json", "--json")
    assert (ran.code, json.loads(ran.out)) == (0, [])
    assert ran.err == "rpcexplorer: old.json → old.json: the same methods\n"


def test_profile_is_compared_with_a_file_after_a_refresh(files: Shell, url: str) -> None:
    files.sessions(f'[profile.shop]\nurl = "{url}"\n')
    asked = files.run("methods", "--compare", "shop", "new.json")
    assert (asked.code, "rpcexplorer methods --compare shop new.json --refresh" in asked.err) == (2, True)
    ran = files.run("methods", "--compare", "shop", "new.json", "--refresh", "--json")
    changes = {row["name"]: row for row in json.loads(ran.out)}
    assert (ran.code, changes["demo.echo"]["kind"], changes["user.search"]["breaks"]) == (6, "gone", False)


def test_secret_in_the_docs_of_both_servers_is_no_change(shell: Shell, url: str) -> None:
    for name in ("a", "b"):
        shell.environment[f"RPCEXPLORER_{name.upper()}_PASSWORD"] = PASSWORD
    auth = 'auth = { kind = "cookie", username = "demo" }'
    shell.sessions(f'[profile.a]\nurl = "{url}"\n{auth}\n[profile.b]\nurl = "{url}"\n{auth}\n')
    ran = shell.run("methods", "--compare", "a", "b", "--refresh")
    assert (ran.code, ran.out) == (0, b"")
    assert "«a.password»" in shell.run("methods", "auth", "-p", "a").text


def test_saved_calls_are_sent_to_both_profiles(shell: Shell, url: str) -> None:
    shell.sessions(
        f'[profile.a]\nurl = "{url}"\n[profile.a.variables]\nword = "one"\n'
        f'[profile.b]\nurl = "{url}"\n[profile.b.variables]\nword = "two"\n'
        '[call.same]\nmethod = "demo.echo"\nparams = ["x"]\n'
        '[call.other]\nmethod = "demo.echo"\nparams = ["{{word}}"]\n'
        '[call.open]\nmethod = "demo.echo"\nparams = ["{{nothing}}"]\n'
    )
    ran = shell.run("methods", "--compare", "a", "b", "--refresh", "--calls", "--json")
    rows = {row["name"]: row for row in json.loads(ran.out)}
    assert (rows["@same"]["verdict"], rows["@other"]["verdict"]) == ("same", "differs")
    assert (rows["@open"]["verdict"], "{{nothing}}" in rows["@open"]["why"]) == ("failed", True)
    assert ran.code == 2
    text = shell.run("methods", "--compare", "a", "b", "--calls").text
    assert "= @same: " in text
    assert '"one" → "two"' in text


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--compare", "old.json", "nothing"), "nothing"),
        (("--compare", "old.json", "new.json", "--calls"), "A file has no server."),
        (("--calls",), "--calls needs --compare A B."),
        (("name", "--compare", "old.json", "new.json"), "Remove all but --refresh, --calls and --json"),
    ],
)
def test_what_cannot_be_compared_is_refused(files: Shell, words: tuple[str, ...], sentence: str) -> None:
    ran = files.run("methods", *words)
    assert (ran.code, sentence in ran.err) == (2, True)


def test_file_that_is_no_document_is_refused(files: Shell) -> None:
    (files.folder / "bad.json").write_text("[1")
    ran = files.run("methods", "--compare", "old.json", "bad.json")
    assert (ran.code, "bad.json" in ran.err) == (2, True)
