"""``call @name`` and ``--set``: what goes to the wire, what is recorded, and what is said where a value is missing."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest

from tests.fakes.shell import Shell
from tests.fakes.wire import RawServer, Received, http_reply

FILE = """
default = "p"
[variables]
page = 7
[profile.p]
url = "{url}"
badge = "{badge}"
auth = {{ kind = "none" }}
[profile.p.variables]
name = "Ada"
[profile.p.method."user.list"]
safe = true
doc = "Lists users"
[call."list users"]
method = "user.list"
doc = "One page of them"
params_json = '{{"page": "{{{{page:json}}}}", "price": 1.10, "name": "{{{{name}}}}"}}'
[call."one user"]
method = "user.get"
params = ["{{{{id}}}}"]
[call.ping]
method = "user.delete"
"""


def answer(request: Received) -> bytes:
    id = json.dumps(json.loads(request.body).get("id"))
    return http_reply(f'{{"jsonrpc":"2.0","id":{id},"result":{{"items":[{{"id":12345678901234567890}}]}}}}'.encode())


class Case:
    """A shell with the file above, and what a server got."""

    def __init__(self, shell: Shell, server: RawServer, badge: str = "") -> None:
        self.shell, self.server = shell, server
        shell.sessions(FILE.format(url=server.origin, badge=badge))

    @property
    def sent(self) -> list[tuple[str, Any]]:
        bodies = [json.loads(request.body, parse_float=str, parse_int=str) for request in self.server.requests]
        return [(body["method"], body["params"]) for body in bodies]

    def records(self) -> list[dict[str, Any]]:
        files = (self.shell.home / "state" / "history").glob("*.toml")
        return [call for file in files for call in tomllib.loads(file.read_text())["call"]]


def test_a_saved_call_is_sent_with_its_values_and_recorded_as_typed_and_as_sent(shell: Shell) -> None:
    with RawServer(answer) as server:
        case = Case(shell, server)
        ran = shell.run("call", "@list users", "--set", "page=2")
        assert (ran.code, ran.err) == (0, "")
        assert ran.text == '{"items":[{"id":12345678901234567890}]}\n'
        assert case.sent == [("user.list", {"page": "2", "price": "1.10", "name": "Ada"})]
        (record,) = case.records()
        assert record["method"] == "user.list"
        assert record["params"] == '{"page": "{{page:json}}", "price": 1.10, "name": "{{name}}"}'
        assert record["params_sent"] == '{"page": 2, "price": 1.10, "name": "Ada"}'
        assert shell.run("notify", "@list users").code == 0
        assert "id" not in json.loads(server.requests[1].body)
        assert case.sent[1][1]["page"] == "7"


def test_a_method_that_begins_as_saved_calls_do_is_written_with_the_sign_twice(shell: Shell) -> None:
    with RawServer(answer) as server:
        case = Case(shell, server)
        assert shell.run("call", "@@ping", "[1]").code == 0
        assert shell.run("call", "@@@", "{}", "--set", "page=2").code == 0
        assert case.sent == [("@ping", ["1"]), ("@@", {})]
        names = [row["name"] for row in json.loads(shell.run("methods", "--json").text)]
        assert {"@ping", "@@ping", "@@@"} <= set(names)


def test_a_value_comes_from_the_newest_result_of_another_method(shell: Shell) -> None:
    with RawServer(answer) as server:
        case = Case(shell, server)
        words = ["user.get", '["{{last.user.list#/items/0/id:json}}", "{{uuid}}"]']
        assert shell.run("call", *words, "--set", "x=1").code == 2
        assert shell.run("call", *words, "--dry-run").code == 0
        assert case.sent == []
        shell.run("call", "user.list")
        ran = shell.run("call", *words)
        assert (ran.code, ran.err) == (0, "")
        assert case.sent[1][1][0] == "12345678901234567890"
        assert len(case.sent[1][1][1]) == 36


def test_a_value_that_is_given_is_sent_as_it_is_also_where_it_is_spelled_like_a_placeholder(shell: Shell) -> None:
    with RawServer(answer) as server:
        case = Case(shell, server)
        assert shell.run("call", "ping", '["{{page}}"]', "--set", "page={{page}}").code == 0
        assert case.sent == [("ping", ["{{page}}"])]  # and not what a variable of this name has


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["@one user"],
            "Nothing was sent: {{id}} has no value (did you mean {{uuid}}?). Add --set id=…, or write it into",
        ),
        (["@one user", "--set", "di=3"], "--set di=… has no effect: there is no {{di}} in the params"),
        (["@one user", "[1]"], "@one user has params of its own"),
        (["@list user"], "There is no saved call list user for profile p; did you mean @list users?"),
        (["@"], "There is no saved call @ for profile p; `rpcexplorer methods` lists"),
        (["ping", '["{{nobody}}"]', "--set", "page=1"], "Nothing was sent: {{nobody}} has no value. Add --set nobody"),
        (["ping", '["{{last.ping#/a}}"]', "--set", "page=1"], "there is no result of ping on p in the history."),
        (["ping", '["{{page:json}}"]', "--set", "page=a b"], "{{page}} is no JSON value"),
        (["ping", "--set", "page"], "--set page is not NAME=VALUE"),
        (["ping", "--set", "uuid=1"], "--set uuid=1 is not NAME=VALUE"),
    ],
)
def test_what_cannot_be_resolved_is_named_and_nothing_is_sent(shell: Shell, arguments: list[str], said: str) -> None:
    with RawServer(answer) as server:
        case = Case(shell, server)
        ran = shell.run("call", *arguments)
        assert ran.code == 2
        assert said in ran.err
        assert shell.run("call", *arguments, "--dry-run").code == 2
        assert case.sent == []


def test_in_an_ordinary_draft_what_is_not_known_goes_out_as_typed_with_a_remark(shell: Shell) -> None:
    with RawServer(answer) as server:
        case = Case(shell, server)
        ran = shell.run("call", "ping", '["{{nobody}} {{page}}", "{{{{page}}"]')
        assert ran.code == 0
        assert ran.err == "rpcexplorer: {{nobody}} has no value: it is sent as typed\n"
        assert case.sent == [("ping", ["{{nobody}} 7", "{{page}}"])]
        dry = shell.run("call", "ping", '["{{nobody}} {{page}}"]', "--dry-run")
        assert '"params":["{{nobody}} 7"]' in dry.text
        assert "note: {{nobody}} has no value: it is sent as typed" in dry.err


def test_the_params_of_a_batch_are_resolved(shell: Shell) -> None:
    with RawServer(lambda _: http_reply(b"[]")) as server:
        Case(shell, server)
        (shell.folder / "batch.json").write_text('[{"method": "a", "params": ["{{page}}"]}, {"method": "{{page}}"}]')
        shell.run("batch", "batch.json", "--set", "page=3")
        assert [(each["method"], each["params"]) for each in json.loads(server.requests[0].body)] == [
            ("a", ["3"]), ("{{page}}", []),
        ]  # fmt: skip


def test_somebody_at_a_terminal_is_asked_for_what_is_missing(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rpcexplorer.cli.world.World.asks", True)
    with RawServer(answer) as server:
        case = Case(shell, server)
        monkeypatch.setattr("click.prompt", lambda question, **_: {"{{id}}": "5"}[question])
        assert shell.run("call", "@one user", terminal=True).code == 0
        assert case.sent == [("user.get", ["5"])]
        assert shell.run("call", "@one user", "--no-input", terminal=True).code == 2
        monkeypatch.setattr("click.prompt", lambda *_, **__: "")
        assert shell.run("call", "@one user", terminal=True).code == 2
        assert len(case.sent) == 1


def test_it_is_asked_about_as_its_method_is(shell: Shell) -> None:
    with RawServer(answer) as server:
        case = Case(shell, server, "prod")
        assert shell.run("call", "@list users").code == 0
        ran = shell.run("call", "@ping")  # named as another method is that is known as safe
        assert ran.code == 2
        assert "user.delete is not marked safe" in ran.err
        assert [method for method, _ in case.sent] == ["user.list"]


def test_saved_calls_stand_before_the_methods_and_hide_none(shell: Shell) -> None:
    shell.sessions(FILE.format(url="http://127.0.0.1:1", badge=""))
    lines = shell.run("methods").text.splitlines()
    assert [line.split("  ")[0] for line in lines] == [
        "@list users", "@one user", "@ping", "arg_test", "auth", "ping", "user.list",
    ]  # fmt: skip
    assert lines[0].split(None, 2)[2] == "user.list  One page of them"
    rows = {row["name"]: row for row in json.loads(shell.run("methods", "--json").text)}
    users = rows["@list users"]
    assert (users["source"], users["calls"], users["doc"], users["safe"]) == (
        "saved", "user.list", "One page of them", True,
    )  # fmt: skip
    assert users["start"] == {"page": "{{page:json}}", "price": 1.10, "name": "{{name}}"}
    assert users.keys() - {"calls"} == rows["ping"].keys()
    assert '"start":{"page": "{{page:json}}", "price": 1.10' in shell.run("methods", "--json").text


def test_the_docs_of_a_saved_call_are_those_of_what_it_calls(shell: Shell) -> None:
    shell.sessions(FILE.format(url="http://127.0.0.1:1", badge=""))
    told, method = (shell.run("methods", name).text for name in ("@list users", "user.list"))
    assert told == f"  @list users is a saved call: user.list  One page of them\n\n{method}"
    assert "Lists users" in method
    assert "  user.get\n" in shell.run("methods", "@one user").text  # which nobody has described


def test_nothing_of_a_saved_call_is_obeyed_by_a_terminal(shell: Shell) -> None:
    shell.sessions(
        '[profile.p]\nurl = "http://127.0.0.1:1"\n[call.x]\nmethod = "a\\u001b[2J"\ndoc = "b\\u001b]52;c;eA==\\u0007"\n'
        '[call."y\\u001b[c"]\nmethod = "m"\n'
    )
    for arguments in (["methods"], ["call", "@x", "--dry-run"], ["profiles", "check"]):
        ran = shell.run(*arguments, terminal=True)
        assert "\x1b]" not in ran.text + ran.err
        assert "\x1b[2J" not in ran.text + ran.err
        assert "\x1b[c" not in ran.text + ran.err


def test_no_file_opens_a_secret_by_what_a_variable_and_a_call_make_together(shell: Shell) -> None:
    with RawServer(answer) as server:
        shell.sessions(
            f'[profile.p]\nurl = "{server.origin}"\nauth = {{ kind = "inline", username = "ada" }}\n'
            '[variables]\nstart = "«p.pass"\nend = "word»"\n'
            '[call.x]\nmethod = "note"\nparams_json = \'{"a": "{{start}}{{end}}", "b": "«p.pass{{end}}"}\'\n'
        )
        ran = shell.run("call", "@x", "--no-history", RPCEXPLORER_P_PASSWORD="correct-horse")
        assert ran.code == 0
        params = json.loads(server.requests[0].body)["params"]
        assert (params.pop("username"), params.pop("password")) == ("ada", "correct-horse")
        assert params == {"a": "«p.password»", "b": "«p.password»"}  # these very letters


def test_a_variable_is_set_and_all_of_them_are_shown_with_their_file_and_line(shell: Shell) -> None:
    file = shell.sessions(FILE.format(url="http://127.0.0.1:1", badge=""))
    assert shell.run("profiles", "set", "p", "variables.page=8").code == 0
    shown = {line.split()[0]: line for line in shell.run("profiles", "show", "p").text.splitlines()}
    assert shown["variables.page"].endswith("sessions.local.toml:4")
    assert shown["variables.name"].split()[1:] == ["Ada", f"{file}:10"]
    assert shown["call.ping.method"].split()[1:] == ["user.delete", f"{file}:22"]
    assert '"page":8' in shell.run("call", "@list users", "--dry-run").text
