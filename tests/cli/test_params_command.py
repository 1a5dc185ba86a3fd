"""``params METHOD``: params to start from, and the check of params."""

from __future__ import annotations

import json

import pytest

from tests.fakes.shell import Shell

METHODS = [
    {
        "name": "needs",
        "params": [
            {"name": "x", "required": True, "schema": {"type": "integer", "minimum": 1}},
            {"name": "to", "schema": {"type": "object", "properties": {"kind": {"enum": ["a", "\x1b]52;c;?\x07"]}}}},
        ],
    },
    {"name": "none", "params": []},
    {
        "name": "partly",
        "params": [
            {"name": "x", "schema": {"type": "integer"}},
            {"name": "y", "schema": {"$ref": "elsewhere.json#/y"}},
        ],
    },
    {"name": "labelled", "paramStructure": "by-name", "params": [{"name": "x", "schema": {"type": "integer"}}]},
]


@pytest.fixture
def shop(shell: Shell) -> Shell:
    """A shell with discovered methods, a noted method and a saved call."""
    shell.sessions('[profile.shy]\nurl = "http://127.0.0.1:1"\ndiscovery = { file = "openrpc.json" }\n')
    (shell.folder / "openrpc.json").write_text(json.dumps({"methods": METHODS}))
    assert shell.run("methods", "--refresh").code == 0
    shell.sessions(
        '[profile.shy]\nurl = "http://127.0.0.1:1"\n[profile.shy.method.noted]\nparams = { a = 1 }\n'
        "[call.kept]\nmethod = \"needs\"\nparams_json = '[1.10]'\n"
        "[call.placed]\nmethod = \"labelled\"\nparams_json = '[1]'\n"
    )
    return shell


def test_start_params_are_printed(shop: Shell) -> None:
    printed = {name: shop.run("params", name).text for name in ("needs", "none", "noted", "@kept")}
    assert printed == {"needs": '{"x":1}\n', "none": "[]\n", "noted": '{"a":1}\n', "@kept": "[1.10]\n"}
    assert shop.run("params", "needs", terminal=True, NO_COLOR="1").text == '{\n  "x": 1\n}\n'
    ran = shop.run("params", "need")
    assert (ran.code, ran.out) == (2, b"")
    assert "Did you mean needs or noted?" in ran.err


def test_start_params_of_a_service_are_escaped(shop: Shell) -> None:
    params = [
        {"name": name, "required": True, "schema": {"enum": [value]}}
        for name, value in (("a", "«shy.token»"), ("b", "{{uuid}}"))
    ]
    shop.sessions('[profile.shy]\nurl = "http://127.0.0.1:1"\ndiscovery = { file = "openrpc.json" }\n')
    (shop.folder / "openrpc.json").write_text(json.dumps({"methods": [{"name": "steal", "params": params}]}))
    assert shop.run("methods", "--refresh").code == 0
    printed = shop.run("params", "steal").text
    listed = shop.run("methods", "steal", "--json").text
    assert json.loads(printed) == json.loads(listed)[0]["start"] == {"a": "«shy.token»", "b": "{{uuid}}"}
    assert '"start":{"a":"\\u00abshy.token»","b":"\\u007b{uuid}}"}' in listed.replace(": ", ":").replace(", ", ",")
    assert "{{" not in printed
    assert "«" not in printed


def test_check_reports_each_problem_and_exits_2(shop: Shell) -> None:
    text = '{\n  "x": "1",\n  "to": {"kind": "b"},\n  "mor\x1be": 1}'
    (shop.folder / "p.json").write_text(text.replace("\x1b", "\\u001b"))
    for given, stdin in (("@p.json", b""), ("-", (shop.folder / "p.json").read_bytes())):
        ran = shop.run("params", "needs", "--check", given, stdin=stdin, terminal=True)
        lines = ran.err.splitlines()
        assert (ran.code, ran.out) == (2, b"")
        assert lines[0].startswith("rpcexplorer: line 2, column 8: ")
        assert lines[1].startswith("rpcexplorer: line 3, column 18: to.kind must be ")
        assert "\x1b" not in ran.err


def test_valid_or_uncheckable_params_exit_0(shop: Shell) -> None:
    ran = shop.run("params", "needs", "--check", "x:=1")
    assert (ran.code, ran.err) == (0, "rpcexplorer: no problems: the params match the schema\n")
    ran = shop.run("params", "none", "--check")
    assert ran.code == 0
    ran = shop.run("params", "noted", "--check", "{}")
    assert ran.code == 0
    assert ran.err.startswith("rpcexplorer: not checked: ")


def test_incomplete_schema_is_checked_partly(shop: Shell) -> None:
    ran = shop.run("params", "partly", "--check", "x:=1")
    assert ran.code == 0
    assert ran.err.startswith("rpcexplorer: only partly checked: the service's document does not contain ")


def test_saved_call_is_checked_against_its_method(shop: Shell) -> None:
    for words in (["@placed"], ["labelled", "[1]"]):
        ran = shop.run("params", words[0], "--check", *words[1:])
        assert (ran.code, "the method needs params by name" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["needs", "x:=1"], "add --check"),
        (["needs", "--check", "{"], "these params cannot be sent"),
        (["needs", "--check", "@nowhere.json"], "There is no file"),
        (["nobody", "--check", "{}"], "There is no method nobody"),
    ],
)
def test_wrong_usage_of_params_is_reported(shop: Shell, words: list[str], message: str) -> None:
    ran = shop.run("params", *words)
    assert (ran.code, ran.out) == (2, b"")
    assert message in ran.err
