"""``check --generate``: what is sent, what is found, and what is kept of it."""

from __future__ import annotations

import json
import os
import signal
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click
import junitparser
import pytest

from rpcexplorer.checks.generated import MOST_SILENT
from rpcexplorer.cli import check_generate
from rpcexplorer.cli.main import run
from rpcexplorer.cli.world import World
from rpcexplorer.demo import PASSWORD
from tests.fakes.shell import Keyboard, Screen, Shell
from tests.fakes.wire import RESET, Parts, RawServer, Received, http_reply

FAULTS = ("-m", "demo.faults.*", "-m", "demo.misdescribed")
DOCUMENT: dict[str, Any] = {
    "openrpc": "1.3.2",
    "methods": [
        {
            "name": "user.get",
            "params": [{"name": "id", "required": True, "schema": {"type": "integer", "minimum": 1}}],
            "result": {"name": "user", "schema": {"type": "object"}},
            "errors": [{"code": 7, "message": "no such user"}],
            "x-safe": True,
        },
        {
            "name": "user.remove",
            "params": [{"name": "id", "required": True, "schema": {"type": "integer"}}],
            "x-safe": False,
        },
    ],
}


def right(request: Received) -> bytes:
    """Answer as the document says."""
    params = request.json["params"]
    number = params.get("id")
    if type(number) is not int or number < 1 or len(params) > 1:
        return request.reply(error={"code": -32602, "message": "Invalid params"})
    return request.reply(result={"id": number})


@contextmanager
def users(shell: Shell, answer: Any = right, more: str = "") -> Iterator[RawServer]:
    with RawServer(answer) as server:
        (shell.folder / "openrpc.json").write_text(json.dumps(DOCUMENT))
        shell.sessions(f'[profile.users]\nurl = "{server.origin}/rpc"\ndiscovery = {{ file = "openrpc.json" }}\n{more}')
        yield server


@pytest.fixture
def demo(shell: Shell, url: str) -> Shell:
    shell.sessions(f'[profile.shop]\nurl = "{url}"\nauth = {{ kind = "cookie", username = "demo" }}\n')
    shell.environment["RPCEXPLORER_SHOP_PASSWORD"] = PASSWORD
    assert shell.run("methods", "--refresh").code == 0
    return shell


@pytest.mark.parametrize("seed", ["1", "2"])
def test_planted_faults_of_the_demo_are_found(demo: Shell, seed: str) -> None:
    ran = demo.run("check", "--generate", *FAULTS, "--examples", "200", "--seed", seed, "--json")
    rows = {row["name"]: row for row in map(json.loads, ran.text.splitlines())}
    found = {name: [failure["place"] for failure in row["failures"]] for name, row in rows.items()}
    assert found == {
        "demo.faults.discount: valid params": ["schema"],
        "demo.faults.discount: invalid params": [],
        "demo.faults.initials: valid params": ["error -32603"],
        "demo.faults.initials: invalid params": [],
        "demo.misdescribed: valid params": ["schema"],
    }
    assert ran.code == 6
    command = """rpcexplorer call demo.faults.discount '{"price": 0, "percent": 91}' -p shop"""
    assert f"hint: To send the call of this finding (schema), run:\n  {command}\n" in ran.err
    assert ran.err.endswith(f"calls sent, with seed {seed}\n")


def test_methods_without_faults_have_no_finding(demo: Shell) -> None:
    ran = demo.run(
        *("check", "--generate", "--yes", "--examples", "30", "--seed", "3"),
        *("-m", "demo.orders.*", "-m", "demo.notes.*", "-m", "demo.echo", "-m", "demo.numbers"),
    )
    assert (ran.code, "✗" in ran.text) == (0, False)


def test_smallest_calls_are_saved_as_checks_and_as_a_case(demo: Shell) -> None:
    reports = ("--save", "found.toml", "--case", "case.toml", "--junit", "x.xml")
    ran = demo.run("check", "--generate", *FAULTS, *reports)
    assert (ran.code, "saved 3 checks in found.toml" in ran.err) == (6, True)
    assert demo.run("history", "list", "--json").text == "", "generated calls are not recorded"
    saved = tomllib.loads((demo.folder / "found.toml").read_text())["profile"]["shop"]["call"]
    discount = saved["demo.faults.discount valid: schema"]
    assert (discount["params_json"], discount["expect"]) == ('{"price": 0, "percent": 91}', {"schema": "service"})
    again = demo.run("check", "found.toml", "-p", "shop")
    assert (again.code, again.text.count("✗")) == (6, 3)
    case = tomllib.loads((demo.folder / "case.toml").read_text())
    assert {call["method"] for call in case["call"]} == {
        "demo.faults.discount",
        "demo.faults.initials",
        "demo.misdescribed",
    }
    suites = junitparser.JUnitXml.fromfile(str(demo.folder / "x.xml"))
    assert sum(suite.failures for suite in suites) == 3


def test_the_same_seed_sends_the_same_calls(shell: Shell) -> None:
    with users(shell) as server:
        sent = []
        for seed in ("5", "5", "6"):
            server.requests.clear()
            assert shell.run("check", "--generate", "--examples", "20", "--seed", seed).code == 0
            sent.append([request.json["params"] for request in server.requests])
    assert sent[0] == sent[1] != sent[2]
    assert {} in sent[0], "invalid params without the required one"
    assert all(type(params.get("id")) is int for params in sent[0][:10])


@pytest.mark.parametrize(
    ("answer", "place"),
    [
        (lambda request: http_reply(b"<html>oh no</html>", 500), "HTTP 500"),
        (lambda request: [RESET], "no response"),
        (lambda request: http_reply(b"<html>"), "malformed"),
        (lambda request: http_reply(b'{"jsonrpc": "2.0", "id": "another", "result": {}}'), "id"),
        (lambda request: request.reply(error={"code": -32000, "message": "no"}), "error -32000"),
        (lambda request: request.reply(error="no"), "error without code"),
        (lambda request: request.reply(result=[]), "schema"),
    ],
)
def test_each_kind_of_wrong_response_is_a_finding(shell: Shell, answer: Any, place: str) -> None:
    with users(shell, answer) as server:
        ran = shell.run("check", "--generate", "--valid", "--json", "--examples", "30")
        (row,) = map(json.loads, ran.text.splitlines())
        assert (ran.code, [failure["place"] for failure in row["failures"]]) == (6, [place])
        if place == "no response":
            assert len(server.requests) == MOST_SILENT, "its other calls are not sent"


def test_accepted_invalid_params_are_a_finding_and_a_declared_error_is_none(shell: Shell) -> None:
    def answer(request: Received) -> Parts:
        if request.json["params"].get("id") == 1:
            return request.reply(error={"code": 7, "message": "no such user"})
        return request.reply(result={})

    with users(shell, answer):
        ran = shell.run("check", "--generate", "--json")
    valid, invalid = map(json.loads, ran.text.splitlines())
    assert valid["failures"] == []
    (failure,) = invalid["failures"]
    assert (failure["place"], failure["wanted"]) == ("result", "error -32602 or a declared one")
    assert ran.code == 6


def test_slow_response_is_a_finding_within_a_time(shell: Shell) -> None:
    with users(shell):
        ran = shell.run("check", "--generate", "--valid", "--within", "0.001ms", "--examples", "3")
    assert (ran.code, "within: expected " in ran.text) == (6, True)


def test_unsafe_methods_are_sent_only_by_name_and_after_a_question(shell: Shell) -> None:
    command = ("check", "--generate", "-m", "user.*", "--examples", "2")
    with users(shell, lambda request: request.reply(result={})) as server:
        asked = shell.run(*command)
        assert (asked.code, server.requests) == (2, [])
        assert "Not marked safe: user.remove. Add --yes to send generated calls of 2 methods" in asked.err
        assert shell.run(*command, "--yes").code == 6
        assert {request.json["method"] for request in server.requests} == {"user.get", "user.remove"}
        server.requests.clear()
        assert shell.run("check", "--generate", "--examples", "2").code == 6
        assert {request.json["method"] for request in server.requests} == {"user.get"}


def test_production_needs_its_host_even_for_safe_methods(shell: Shell) -> None:
    command = ("check", "--generate", "--examples", "2")
    with users(shell, more='badge = "prod"\n[profile.users.method."user.get"]\nsafe = true\n') as server:
        host = server.origin.removeprefix("http://")
        assert shell.run(*command, "--yes").code == 2
        other = shell.run(*command, "--yes", "--host-is", "example.com")
        assert (other.code, "not example.com" in other.err, server.requests) == (2, True, [])
        assert shell.run(*command, "--yes", "--host-is", host).code == 0


def test_profile_that_confirms_always_is_asked_about_safe_methods(shell: Shell) -> None:
    command = ("check", "--generate", "--examples", "2")
    with users(shell, more='confirm = "always"\n') as server:
        asked = shell.run(*command)
        assert (asked.code, server.requests) == (2, [])
        assert "Profile users asks to confirm all calls: user.get. Add --yes to send generated calls" in asked.err
        assert shell.run(*command, "--yes").code == 0


def test_server_that_is_down_ends_the_run(shell: Shell) -> None:
    with users(shell) as server:
        shell.sessions(
            f'[profile.users]\nurl = "{server.origin}/rpc"\ndiscovery = {{ file = "openrpc.json" }}\ntimeout = 5\n'
        )
    ran = shell.run("check", "--generate")
    assert (ran.code, ran.text.count("no response: ")) == (4, 1)
    assert "2 checks: 0 passed, 1 without a valid response, 1 not finished" in ran.err


def test_missing_credentials_end_the_run(shell: Shell) -> None:
    with users(shell, more='auth = { kind = "bearer" }\n') as server:
        ran = shell.run("check", "--generate")
    assert (ran.code, server.requests) == (3, [])


def with_schema(shell: Shell, schema: Any, **more: Any) -> None:
    """Describe a single method with this schema of its param."""
    method = {"name": "m", "params": [{"name": "v", "required": True, "schema": schema}], "x-safe": True, **more}
    (shell.folder / "openrpc.json").write_text(json.dumps(DOCUMENT | {"methods": [method]}))


def test_schema_without_params_is_reported_and_is_not_a_pass(shell: Shell) -> None:
    with users(shell) as server:
        with_schema(shell, {"type": "string", "pattern": "^(a+)+$"})
        ran = shell.run("check", "--generate", "--tap")
        assert (ran.code, server.requests) == (2, [])
        assert ran.text == (
            "TAP version 14\n1..2\n"
            "ok 1 - m: valid params # SKIP no valid params could be made from its schema\n"
            "ok 2 - m: invalid params # SKIP no invalid params could be made from its schema\n"
        )
        assert "No call was sent: no params could be made." in ran.err
        assert "not checked: m: valid params: no valid params" in shell.run("check", "--generate").err


@pytest.mark.parametrize("reports", [("--json",), ("--tap",), ("--junit", "-"), ("--case", "-"), ("--case", "c.toml")])
def test_secret_in_an_error_message_is_in_no_report(shell: Shell, reports: tuple[str, ...]) -> None:
    secret = "hunter2-hunter2"
    shell.environment["RPCEXPLORER_USERS_TOKEN"] = secret

    def answer(request: Received) -> Parts:
        sent = request.header("Authorization")
        assert sent == f"Bearer {secret}"
        return request.reply(error={"code": -32000, "message": f"bad {sent}", "data": [sent, request.json]})

    with users(shell, answer, 'auth = { kind = "bearer" }\n'):
        ran = shell.run("check", "--generate", "--save", "found.toml", *reports, "--examples", "5")
    assert (ran.code, "bad Bearer «users.token»" in ran.text + ran.err + str(shell.files())) == (6, True)
    assert secret not in ran.text + ran.err + str(shell.files())


def test_schema_names_no_secret_and_no_variable(shell: Shell) -> None:
    shell.environment["RPCEXPLORER_USERS_TOKEN"] = "hunter2-hunter2"
    with users(shell, lambda request: request.reply(result=1), 'auth = { kind = "bearer" }\n') as server:
        with_schema(shell, {"enum": ["«users.token» {{page}}"]})
        slow = ("--within", "0.001ms", "--save", "found.toml")
        assert shell.run("check", "--generate", "--valid", "--examples", "3", *slow).code == 6
        assert {request.json["params"]["v"] for request in server.requests} == {"«users.token» {{page}}"}
        server.requests.clear()
        again = shell.run("check", "found.toml", "-p", "users")
        assert (again.code, again.text.count("within: expected")) == (6, 1)
        assert [request.json["params"]["v"] for request in server.requests] == ["«users.token» {{page}}"]
        with_schema(shell, {"enum": ["«not recorded»"]})
        assert "The params contain «not recorded»" in shell.run("check", "--generate", "--valid").err


def test_file_that_cannot_be_written_is_refused_before_a_call(shell: Shell) -> None:
    with users(shell) as server:
        ran = shell.run("check", "--generate", "--save", ".")
    assert (ran.code, server.requests) == (2, [])


def test_result_that_is_too_large_to_check_is_named(shell: Shell) -> None:
    large = "x" * (9 * 1024 * 1024)
    with users(shell, lambda request: request.reply(result=large)):
        with_schema(shell, {"const": 1}, result={"name": "r", "schema": {"type": "string"}})
        ran = shell.run("check", "--generate", "--valid", "--examples", "1")
    assert ran.code == 0
    assert "not all of m: valid params was checked: the text is larger than 8 MiB" in ran.err


def test_interrupted_method_is_not_a_pass(shell: Shell) -> None:
    seen: list[Any] = []

    def answer(request: Received) -> Parts:
        seen.append(request.json["params"])
        if len(seen) > 7:
            os.kill(os.getpid(), signal.SIGINT)
        return right(request)

    with users(shell, answer):
        ran = shell.run("check", "--generate", "--json", "--examples", "5")
    assert (ran.code, [json.loads(line)["name"] for line in ran.text.splitlines()]) == (
        130,
        ["user.get: valid params"],
    )
    assert "2 checks: 1 passed, 1 not finished" in ran.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--generate", "--valid", "--invalid"), "Name --valid or --invalid."),
        (("--generate", "@name"), "--generate sends no saved calls."),
        (("--generate", "-m", "nothing"), "No method has a name like nothing."),
        (("-m", "user.*"), "-m needs --generate."),
        (("--seed", "0"), "--seed needs --generate."),
    ],
)
def test_what_cannot_be_generated_is_refused(shell: Shell, words: tuple[str, ...], sentence: str) -> None:
    with users(shell) as server:
        ran = shell.run("check", *words)
    assert (ran.code, sentence in ran.err, server.requests) == (2, True, [])


def test_unknown_methods_name_the_refresh(shell: Shell) -> None:
    shell.sessions('[profile.far]\nurl = "http://127.0.0.1:9/rpc"\n')
    ran = shell.run("check", "--generate")
    assert (ran.code, "rpcexplorer methods --refresh" in ran.err) == (2, True)


def test_without_the_extra_the_line_that_installs_it_is_printed(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_generate, "find_spec", lambda _: None)
    with users(shell):
        ran = shell.run("check", "--generate")
    advice = "Generated checks need Hypothesis. To install it, run in the folder of rpcexplorer:"
    assert (ran.code, ran.err) == (2, f"rpcexplorer: {advice}\n  pip install '.[fuzz]'\n")


def test_question_at_a_terminal_is_answered(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(click, "confirm", lambda question, **_: asked.append(question))
    with users(shell, lambda request: request.reply(result={})) as server:
        world = World(Screen(), Screen(), Keyboard(), shell.environment, shell.folder)
        assert (run(["check", "--generate", "-m", "user.remove"], world), server.requests) == (2, [])
    (question,) = asked
    assert question.startswith("Not marked safe: user.remove. Send generated calls of 1 method to http://127.0.0.1:")
