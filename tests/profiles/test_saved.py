from __future__ import annotations

from pathlib import Path

import pytest

from rpcexplorer.model.method import SavedCall
from rpcexplorer.model.profile import Profile, ad_hoc
from rpcexplorer.profiles.profiles import Profiles
from tests.profiles.reading import read

P = '[profile.p]\nurl = "http://p.example"\n'


def calls(profiles: Profiles, name: str = "p") -> dict[str, SavedCall]:
    return profiles.calls_of(profiles.profiles[name])


def methods(profiles: Profiles, name: str = "p") -> dict[str, str]:
    return {call.name: call.method for call in calls(profiles, name).values()}


def variables(profiles: Profiles, name: str = "p") -> dict[str, str]:
    return dict(profiles.variables_of(profiles.profiles[name]))


def test_calls_and_variables_belong_to_profile_or_all(tmp_path: Path) -> None:
    team = f"""{P}
[profile.q]
url = "http://q.example"
[profile.p.variables]
page = 2
[profile.p.call."one page"]
method = "user.list"
params = {{ page = "{{{{page:json}}}}", deep = [true, 1.5, "«»"] }}
[variables]
page = 1
name = "Ada"
flag = true
[call."list users"]
method = "user.list"
doc = "The first page"
params_json = '{{"page": 1.10, "big": 12345678901234567890123}}'
[call.plain]
method = "ping"
"""
    found = read(tmp_path, team)
    assert found.problems == []
    file = str(tmp_path / "sessions.toml")
    listed = SavedCall(
        "list users", "user.list", '{"page": 1.10, "big": 12345678901234567890123}', "The first page", file
    )
    page = SavedCall("one page", "user.list", '{"page": "{{page:json}}", "deep": [true, 1.5, "«»"]}', "", file, "p")
    plain = SavedCall("plain", "ping", "", "", file)
    assert calls(found) == {"list users": listed, "one page": page, "plain": plain}
    assert calls(found, "q") == {"list users": listed, "plain": plain}
    assert variables(found) == {"page": "2", "name": "Ada", "flag": "true"}
    assert variables(found, "q") == {"page": "1", "name": "Ada", "flag": "true"}
    assert found.calls_of(ad_hoc("http://x")).keys() == {"list users", "plain"}
    assert found.variables_of(ad_hoc("http://x"))["page"] == "1"


SECRET = "secrets are not allowed in this file"


@pytest.mark.parametrize(
    ("call", "key", "sentence"),
    [
        ('method = "m"\nparams = []\nparams_json = "[]"', "", "has `params` and `params_json`. Remove one of them"),
        ("doc = 'x'", "", "has no `method`. Add one"),
        ('method = ""', ".method", "must not be empty"),
        ('method = "m"\nparams = { a = 2026-11-22 }', ".params.a", "Write a date or time as text, in quotes"),
        ('method = "m"\nparams = [nan]', ".params.0", "a JSON number, not inf or nan"),
        ('method = "m"\nparams = [[inf]]', ".params.0.0", "a JSON number, not inf or nan"),
        ('method = "m"\nparams = "[]"', ".params", "must be an array or a table"),
        ('method = "m"\nparams_json = "[1,]"', ".params_json", "must be a JSON array or object. Check line 1"),
        ('method = "m"\nparams_json = "1"', ".params_json", "must be a JSON array or object. Check line 1"),
        ('method = "m"\nparams_json = []', ".params_json", "must be JSON text in quotes"),
        (
            'method = "m"\nparams_json = \'["«p.password»"]\'',
            ".params_json",
            "contain the secret reference «p.password»",
        ),
        ('method = "m"\nparams = { "«q.token»" = 1 }', ".params", "contain the secret reference «q.token»"),
        ('method = "m"\nparams_json = \'{"user_password": "x"}\'', ".params_json", SECRET),
        ('method = "m"\nparams = { a = [{ api_key = "x" }] }', ".params", SECRET),
        ('method = "m"\nmehtod = "n"', ".mehtod", "Did you mean `method`?"),
        ('method = "m"\npassword = "x"', ".password", SECRET),
        ('method = "m"\nsafe = true', ".safe", "is not a key"),
    ],
)
@pytest.mark.parametrize("table", ["call.x", "profile.p.call.x"])
def test_invalid_saved_call_is_reported_and_dropped(
    tmp_path: Path, table: str, call: str, key: str, sentence: str
) -> None:
    found = read(tmp_path, f'{P}[{table}]\n{call}\n[call.good]\nmethod = "ping"\n')
    (problem,) = found.problems
    assert (problem.key, problem.line is not None) == (table + key, True)
    assert sentence in problem.sentence
    assert methods(found) == {"good": "ping"}


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('"user password" = "x"', SECRET),
        ('token = "x"', SECRET),
        ('session_id = "x"', SECRET),
        ('uuid = "x"', "{{uuid}} is built in. Use another name"),
        ('"last.ping" = "x"', "not a valid variable name"),
        ('"a b" = "x"', "not a valid variable name"),
        ("a = 1.10", "must be text, a whole number, true or false"),
        ("a = []", "must be text, a whole number, true or false"),
        ('a = "«p.password»"', "contain the secret reference «p.password»"),
    ],
)
@pytest.mark.parametrize("table", ["variables", "profile.p.variables"])
def test_invalid_variable_is_reported_and_dropped(tmp_path: Path, table: str, line: str, sentence: str) -> None:
    found = read(tmp_path, f'{P}[{table}]\n{line}\ngood = "{{{{a}}}}"\n')
    (problem,) = found.problems
    assert sentence in problem.sentence
    assert "x" not in problem.sentence.split()
    assert variables(found) == {"good": "{{a}}"}


@pytest.mark.parametrize("name", ["", " a", "@a", "a\\n", "x" * 101])
def test_names_of_saved_calls_can_be_typed(tmp_path: Path, name: str) -> None:
    found = read(tmp_path, f'{P}[call."{name}"]\nmethod = "m"\n')
    assert "not a valid name for a saved call" in found.problems[0].sentence
    assert calls(found) == {}


def saying(who: str, *tables: str) -> str:
    lines = [f'[{table}call.x]\nmethod = "{who}{table}"\n[{table}variables]\nv = "{who}{table}"\n' for table in tables]
    return "".join(lines)


def test_upper_file_and_table_of_profile_win(tmp_path: Path) -> None:
    its = "profile.p."
    team, local, own = saying("team ", "", its), saying("local ", "", its), saying("own ", "", its)
    found = read(tmp_path, P + team, own, local)
    assert (methods(found), variables(found)) == ({"x": f"own {its}"}, {"v": f"own {its}"})
    found = read(tmp_path, P + team, saying("own ", ""), local)
    assert (methods(found), variables(found)) == ({"x": f"local {its}"}, {"v": f"local {its}"})
    found = read(tmp_path, P + team, saying("own ", ""), saying("local ", ""))
    assert (methods(found), variables(found)) == ({"x": f"team {its}"}, {"v": f"team {its}"})
    found = read(tmp_path, P + saying("team ", ""), "", saying("local ", ""))
    assert (methods(found), variables(found)) == ({"x": "local "}, {"v": "local "})


def test_project_file_cannot_change_entries_of_user_file(tmp_path: Path) -> None:
    theirs = saying("theirs ", "", "profile.p.").replace("call.x", "call.x]\nmethod = 'n'\n[profile.p.call.y", 1)
    found = read(tmp_path, theirs, P + saying("own ", ""), saying("theirs ", "", "profile.p."))
    assert variables(found) == {"v": "own "}
    assert methods(found)["x"] == "own "
    assert methods(found).keys() == {"x", "y"}  # It can add some.
    typed = ad_hoc("http://x.example")
    assert found.calls_of(typed)["x"].method == "own "
    assert found.variables_of(typed) == {"v": "own "}


def test_calls_of_one_name_are_not_mixed(tmp_path: Path) -> None:
    one = '[call.x]\nmethod = "user.delete"\nparams = { id = 1 }\ndoc = "theirs"\n'
    found = read(tmp_path, P + one, local='[call.x]\nmethod = "user.get"\nparams_json = "[2]"\n')
    call = calls(found)["x"]
    assert (call.method, call.text, call.doc) == ("user.get", "[2]", "")


def test_problem_of_an_entry_keeps_profile_usable(tmp_path: Path) -> None:
    found = read(tmp_path, P + "[profile.p.call]\nx = 5\n")
    assert isinstance(found.get("p"), Profile)
    assert "must be a table" in found.problems[0].sentence
