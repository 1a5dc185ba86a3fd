"""The table ``expect`` of saved calls, in one file and in several."""

from __future__ import annotations

from pathlib import Path

import pytest

from rpcexplorer.model.expectation import Expectation, SchemaFile
from rpcexplorer.model.method import SavedCall
from rpcexplorer.profiles.profiles import Profiles
from tests.profiles.reading import read

P = '[profile.p]\nurl = "http://p.example"\n'


def checks(profiles: Profiles) -> list[SavedCall]:
    return profiles.checks_of(profiles.profiles["p"])


def test_every_key_of_expect_is_read(tmp_path: Path) -> None:
    table = """
[call.x]
method = "user.list"
[call.x.expect]
outcome = "result"
values = { "/total" = 3, "/items/0/name" = "ada", "/deep" = [{ a = 1.5 }, true], "" = "é" }
result_json = '{"price": 1.10}'
schema = { type = "object" }
jq = ['.items | length > 0']
within = 500
"""
    (check,) = checks(read(tmp_path, P + table))
    assert check.expect == Expectation(
        values=(("/total", "3"), ("/items/0/name", '"ada"'), ("/deep", '[{"a": 1.5}, true]'), ("", '"é"')),
        result_json='{"price": 1.10}',
        schema='{"type": "object"}',
        jq=(".items | length > 0",),
        within=500.0,
    )
    assert check.line == 4
    assert list(check.expect.lines())[:3] == ["result", "/total = 3", '/items/0/name = "ada"']


def test_code_means_an_error_is_expected(tmp_path: Path) -> None:
    (check,) = checks(read(tmp_path, P + '[call.x]\nmethod = "m"\nexpect.code = -32602\n'))
    assert check.expect == Expectation(outcome="error", code=-32602)


def test_checks_keep_the_order_of_the_file(tmp_path: Path) -> None:
    calls = "".join(f'[call.{name}]\nmethod = "m"\nexpect.outcome = "sent"\n' for name in "zab")
    found = read(tmp_path, f'{P}{calls}[call.other]\nmethod = "m"\n')
    assert [check.name for check in checks(found)] == ["z", "a", "b"]


def test_checks_of_a_profile_keep_their_place_in_the_file(tmp_path: Path) -> None:
    check = '[{}]\nmethod = "m"\nexpect.code = 1\n'
    own = check.format("call.last")
    found = read(tmp_path, P + check.format("profile.p.call.first") + check.format("call.second"), own)
    assert [call.name for call in checks(found)] == ["last", "first", "second"]


def test_problem_of_a_whole_file_may_hide_checks(tmp_path: Path) -> None:
    own = P + '[call.x]\nmethod = "m"\nexpect.code = 1\n'
    for damage in ("[call.broken\n", "version = 2\n"):
        found = read(tmp_path, damage, own)
        assert len(found.problems_of_calls(found.profiles["p"])) == 1


def test_case_is_not_a_file_of_checks(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text('case = 1\n[[call]]\nmethod = "m"\n')
    _, _, problems = read(tmp_path, P).checks_in(tmp_path / "c.toml")
    assert problems[0].sentence.endswith("To send its calls again, run `rpcexplorer replay c.toml`")


def test_schema_file_is_relative_to_its_file(tmp_path: Path) -> None:
    (check,) = checks(read(tmp_path, P + '[call.x]\nmethod = "m"\nexpect.schema_file = "schemas/user.json"\n'))
    assert check.expect is not None
    assert check.expect.schema_file == SchemaFile(str(tmp_path / "schemas" / "user.json"), str(tmp_path))


@pytest.mark.parametrize("path", ["../x.json", "/etc/passwd", "~/x.json", "a/../../x.json"])
def test_schema_file_outside_its_folder_is_refused(tmp_path: Path, path: str) -> None:
    found = read(tmp_path, f'{P}[call.x]\nmethod = "m"\nexpect.schema_file = "{path}"\n')
    assert (found.problems[0].key, checks(found)) == ("call.x.expect.schema_file", [])
    assert found.problems[0].sentence == "must be in the folder of this file"


@pytest.mark.parametrize(
    ("table", "key", "sentence"),
    [
        ("{}", "", "it is empty"),
        ('"result"', "", "must be a table"),
        ('{ outcom = "result" }', ".outcom", "Did you mean `outcome`?"),
        ('{ outcome = "ok" }', ".outcome", 'must be one of "result", "error", "sent"'),
        ('{ code = "1" }', ".code", "must be a whole number, without quotes"),
        ('{ code = 1, outcome = "result" }', "", "`code` is for an error"),
        ('{ code = 1, values = { "/a" = 1 } }', "", "`values` needs a result"),
        ("{ outcome = \"sent\", jq = ['.'] }", "", "`jq` needs a result"),
        ('{ schema = {}, schema_file = "x" }', "", "Remove one of them"),
        ("{ values = 3 }", ".values", "must be a table of JSON pointers"),
        ('{ values = { "a" = 1 } }', ".values.a", "must be a JSON pointer"),
        ('{ values = { "/a" = 2026-01-01 } }', '.values."/a"', "Write a date or time as text"),
        ('{ values = { "/a" = [nan] } }', '.values."/a".0', "not inf or nan"),
        ('{ values = { "/user/password" = "hunter2" } }', '.values."/user/password"', "secrets are not allowed"),
        ('{ result_json = \'{"password": "hunter2"}\' }', ".result_json", "secrets are not allowed"),
        ("{ result_json = '[\"«not recorded»\"]' }", ".result_json", "must not contain a redacted secret"),
        ("{ jq = ['., halt_error'] }", ".jq.0", "must not use halt"),
        ("{ jq = ['import \"/tmp/x\" as $x; true'] }", ".jq.0", "must not use import, include"),
        ("{ jq = ['module {};include\"/tmp/x\"; true'] }", ".jq.0", "must not use import, include"),
        ("{ jq = ['\"/tmp/x\"|modulemeta'] }", ".jq.0", "must not use import, include"),
        ("{ result_json = '{' }", ".result_json", "must be a JSON value as text"),
        ('{ schema = "x" }', ".schema", 'or "service"'),
        ('{ jq = "." }', ".jq", "must be an array of jq expressions"),
        ("{ within = 0 }", ".within", "must be a number of milliseconds greater than 0"),
    ],
)
def test_wrong_expectation_drops_the_call(tmp_path: Path, table: str, key: str, sentence: str) -> None:
    found = read(tmp_path, f'{P}[call.x]\nmethod = "m"\nexpect = {table}\n')
    (problem,) = found.problems
    assert (problem.key, problem.line, checks(found)) == (f"call.x.expect{key}", 5, [])
    assert sentence in problem.sentence
    assert "hunter2" not in problem.sentence
    assert found.problems_of_calls(found.profiles["p"]) == [problem]


def test_problem_of_another_profile_is_not_reported(tmp_path: Path) -> None:
    found = read(tmp_path, P + '[profile.q]\nurl = "http://q.example"\n[profile.q.call.x]\nmethod = 3\n')
    assert found.problems_of_calls(found.profiles["p"]) == []
    assert len(found.problems_of_calls(found.profiles["q"])) == 1


def test_project_file_cannot_change_own_expectations(tmp_path: Path) -> None:
    own = P + '[call.x]\nmethod = "mine"\nexpect.code = 1\n'
    theirs = '[call.x]\nmethod = "theirs"\nexpect.code = 2\n[profile.p.call.x]\nmethod = "theirs"\nexpect.code = 3\n'
    (check,) = checks(read(tmp_path, theirs, own))
    assert (check.method, check.expect) == ("mine", Expectation(outcome="error", code=1))
    found = read(tmp_path, "[call.x.expect]\ncode = 2\n", own)
    assert [check.expect for check in checks(found)] == [Expectation(outcome="error", code=1)]
    assert "has no `method`" in found.problems[0].sentence


def test_calls_of_one_name_do_not_share_expectations(tmp_path: Path) -> None:
    own = '[call.x]\nmethod = "mine"\n'
    theirs = P + '[call.x]\nmethod = "theirs"\nexpect.code = 2\n'
    assert checks(read(tmp_path, theirs, own)) == []


def test_checks_of_a_file_come_with_its_variables(tmp_path: Path) -> None:
    found = read(tmp_path, P)
    file = tmp_path / "more.toml"
    file.write_text(
        '[variables]\npage = 2\n[profile.p.call.b]\nmethod = "m"\nexpect.code = 1\n'
        '[call.a]\nmethod = "m"\nexpect.code = 1\n'
    )
    calls, layer, problems = found.checks_in(file)
    assert ([(call.name, call.profile) for call in calls], problems) == ([("b", "p"), ("a", "")], [])
    profile = found.profiles["p"]
    assert (found.variables_of(profile, layer), found.variables_of(profile)) == ({"page": "2"}, {})
    assert found.checks_in(tmp_path / "none.toml")[2][0].sentence == "there is no such file. Check its name"
