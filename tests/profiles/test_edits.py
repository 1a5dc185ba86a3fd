from __future__ import annotations

import multiprocessing
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from rpcexplorer.files.toml import KeyPath, split_dotted
from rpcexplorer.model.expectation import Expectation, SchemaFile
from rpcexplorer.model.method import SavedCall
from rpcexplorer.model.problem import Problem
from rpcexplorer.profiles.edits import ProfileEdits

FILE = """\
# Our servers.
version = 1
default = "a"   # which

[profile.a]
url   =  "http://a"   # base
auth = { kind = "cookie" }
# timeout = 5

# Production: careful!
[profile.b]
url = 'http://b'

[profile.b.method."user.delete"]
safe = false

# ---- below: experiments ----

# Third
[profile.c]
url = "http://c"
"""
Edit = Callable[[ProfileEdits], Problem | None]


def set_value(edits: ProfileEdits, key: str | KeyPath, value: Any) -> Problem | None:
    return edits.set_values((split_dotted(key) if isinstance(key, str) else key, value))


def edited(folder: Path, edit: Edit, text: str = FILE) -> str:
    path = folder / "sessions.toml"
    path.write_bytes(text.encode())
    assert edit(ProfileEdits(path, folder / "locks")) is None
    return path.read_bytes().decode()


def refused(folder: Path, edit: Edit, text: str = FILE) -> Problem:
    path = folder / "sessions.toml"
    path.write_bytes(text.encode())
    problem = edit(ProfileEdits(path, folder / "locks"))
    assert isinstance(problem, Problem)
    assert path.read_bytes() == text.encode()
    return problem


def test_new_file_has_version_and_profile(tmp_path: Path) -> None:
    path = tmp_path / "new" / "sessions.toml"
    edits = ProfileEdits(path, tmp_path / "locks")
    assert (
        edits.add("dev", "http://localhost", auth={"kind": "inline", "username": "ann"}, badge="dev", timeout=5) is None
    )
    assert path.read_text().startswith("#:schema ./sessions.schema.json\n# ")
    assert path.read_text().endswith(
        '\nversion = 1\n\n[profile.dev]\nurl = "http://localhost"\nbadge = "dev"\ntimeout = 5\n'
        'auth = { kind = "inline", username = "ann" }\n'
    )


SET: list[tuple[str, Any, str, str]] = [
    ("profile.a.url", "https://n", '"http://a"   # base', '"https://n"   # base'),
    ("profile.a.timeout", 7.5, '"cookie" }\n', '"cookie" }\ntimeout = 7.5\n'),
    ("profile.a.auth.kind", "inline", '"cookie"', '"inline"'),
    ("profile.a.auth.username", "ann", '{ kind = "cookie" }', '{ kind = "cookie", username = "ann" }'),
    ("profile.a.auth", {"kind": "none"}, '{ kind = "cookie" }', '{ kind = "none" }'),
    ("profile.b.auth.kind", "none", "'http://b'\n", "'http://b'\nauth.kind = \"none\"\n"),
    ("profile.b.badge", 'a"\\\n\x1b', "'http://b'\n", '\'http://b\'\nbadge = "a\\"\\\\\\n\\u001b"\n'),
    ("profile.b.headers", {"X-A": "b c"}, "'http://b'\n", "'http://b'\nheaders = { X-A = \"b c\" }\n"),
    ('profile.b.method."user.delete".safe', True, "safe = false", "safe = true"),
    ('profile.b.method."user.delete".params', [1, {"x": []}], "false\n", "false\nparams = [1, { x = [] }]\n"),
    ("profile.c.path", "/rpc", '"http://c"\n', '"http://c"\npath = "/rpc"\n'),
    ("profile.a.url", None, 'url   =  "http://a"   # base\n', ""),
    ("profile.a.auth.kind", None, '{ kind = "cookie" }', "{}"),
    ("default", "b", '"a"   # which', '"b"   # which'),
    ("default", None, 'default = "a"   # which\n', ""),
]


@pytest.mark.parametrize(("newline", "mark"), [("\n", ""), ("\r\n", ""), ("\n", "\ufeff"), ("\r\n", "\ufeff")])
@pytest.mark.parametrize(("key", "value", "old", "new"), SET)
def test_setting_a_key_changes_only_that_key(  # noqa: PLR0917 - two tables, crossed
    tmp_path: Path, key: str, value: Any, old: str, new: str, newline: str, mark: str
) -> None:
    assert old in FILE
    expected = mark + FILE.replace(old, new, 1).replace("\n", newline)
    text = mark + FILE.replace("\n", newline)
    assert edited(tmp_path, lambda edits: set_value(edits, key, value), text) == expected


def test_first_default_is_written_above_tables(tmp_path: Path) -> None:
    text = "# Ours\n\n# The first\n[profile.p]\nurl = 'http://p'"
    changed = edited(tmp_path, lambda edits: edits.set_default("p"), text)
    assert changed == "# Ours\n\ndefault = \"p\"\n\n# The first\n[profile.p]\nurl = 'http://p'"


def between(begin: str, end: str) -> str:
    return FILE[FILE.index(begin) : FILE.index(end)]


REMOVED = [
    ("a", ['default = "a"   # which\n', between("[profile.a]", "# Production")]),
    ("b", [between("# Production", "# ----")]),
    ("c", [FILE[FILE.index("\n# Third") :]]),
]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(("name", "parts"), REMOVED)
def test_removed_profile_takes_only_its_own_comments(tmp_path: Path, name: str, parts: list[str], newline: str) -> None:
    left = FILE
    for part in parts:
        left = left.replace(part, "")
    changed = edited(tmp_path, lambda edits: edits.remove(name), FILE.replace("\n", newline))
    assert changed == left.replace("\n", newline)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("profile.a.url = 'http://a'\nprofile.b.url = 'http://b' # b\n", "profile.a.url = 'http://a'\n"),
        ("[profile]\nb.url = 'http://b'\na.url = 'http://a'\n", "[profile]\na.url = 'http://a'\n"),
        ("profile = { b = {url='http://b'}, a={url='http://a'} }\n", 'profile = { a = { url = "http://a" } }\n'),
    ],
)
def test_other_toml_spellings_are_edited(tmp_path: Path, text: str, left: str) -> None:
    assert edited(tmp_path, lambda edits: edits.remove("b"), text) == left


RENAMED = [
    'profile.b.url = "http://b"\nprofile."b".timeout = 5 # b\n',
    "[profile]\nb.url = 'http://b'\na.url = 'http://b'\n",
    "profile = { 'b' = {url='http://b'}, a={url='http://a'} }\n",
    'default = "b"   # b\n[ profile . b ]   # [profile.b]\nurl = \'http://b\'\n[profile."b".method."b"]\nsafe = true\n',
    "[profile.b]\nurl = 'http://b'\n[profile.b.call.b]\nmethod = 'b'\nparams_json = '''\n[]'''\n[call.b]\nmethod='b'\n",
    "[profile.a]\nurl = 'http://b'\n",
]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("text", RENAMED)
def test_renamed_profile_changes_only_its_name(tmp_path: Path, text: str, newline: str) -> None:
    wanted = text
    for old, new in (
        ("profile.b.url", "profile.c-1.url"), ('profile."b"', "profile.c-1"), ("\nb.url", "\nc-1.url"),
        ("'b' =", "c-1 ="), ('default = "b"', 'default = "c-1"'), ("profile . b ]", "profile . c-1 ]"),
        ("\n[profile.b", "\n[profile.c-1"),
    ):  # fmt: skip
        wanted = f"\n{wanted}".replace(old, new)[1:]
    changed = edited(tmp_path, lambda edits: edits.rename("b", "c-1"), text.replace("\n", newline))
    assert changed == wanted.replace("\n", newline)
    assert edited(tmp_path, lambda edits: edits.rename("b", "c-1", writes=False), text) == text


def test_copy_has_all_values_and_another_name(tmp_path: Path) -> None:
    changed = edited(tmp_path, lambda edits: edits.duplicate("b", "b-2"))
    assert changed.startswith(FILE)
    values = tomllib.loads(changed)["profile"]
    assert values["b-2"] == values["b"]


REFUSALS: list[tuple[Edit, str]] = [
    (lambda edits: set_value(edits, "profile.a.timout", 5), "Did you mean `timeout`?"),
    (lambda edits: set_value(edits, "profile.a.timeout", "soon"), "number of seconds"),
    (lambda edits: set_value(edits, "profile.a.description", "\udcff"), "not UTF-8"),
    (lambda edits: set_value(edits, "profile.a.password", "hunter2"), "profiles secret a password"),
    (lambda edits: set_value(edits, "profile.a.headers.Authorization", "hunter2"), 'header = "Authorization" }'),
    (lambda edits: set_value(edits, "profile.a.url", "http://u:hunter2@a"), "profiles secret a password"),
    (lambda edits: edits.add("d", "ftp://d"), "http://"),
    (lambda edits: edits.add("../d", "http://d"), "not a valid profile name"),
    (lambda edits: edits.add("d", "http://d", path="/rpc", auth={"username": "ada"}), "the auth type is missing"),
    (lambda edits: edits.add("a", "http://d"), "has a profile `a`"),
    (lambda edits: edits.add("A", "http://d"), "has a profile `a`"),
    (lambda edits: edits.duplicate("a", "b"), "has a profile `b`"),
    (lambda edits: edits.duplicate("x", "y"), "no profile `x` in this file"),
    (lambda edits: edits.remove("bb"), "Did you mean `b`?"),
    (lambda edits: edits.rename("b", "a"), "cannot edit this key"),
    (lambda edits: edits.rename("b", "../b"), "not a valid profile name"),
    (lambda edits: set_value(edits, "profile.a.url.deep", "x"), "cannot edit this key"),
    (lambda edits: set_value(edits, "profile.b", {"url": "x", "login": {"params": {}}}), "cannot edit this key"),
]


@pytest.mark.parametrize(("edit", "words"), REFUSALS)
def test_refused_change_keeps_the_file(tmp_path: Path, edit: Edit, words: str) -> None:
    problem = refused(tmp_path, edit)
    assert words in problem.sentence
    assert "hunter2" not in str(problem)


EDITS: list[Edit] = [
    lambda edits: edits.add("n", "http://n"),
    lambda edits: edits.remove("p"),
    lambda edits: set_value(edits, "profile.p.timeout", 5),
    lambda edits: edits.set_default("p"),
    lambda edits: edits.duplicate("p", "q"),
]


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("damage", ["x = [", "<<<<<<< HEAD", "a." * 99 + "a = 1"])
def test_damaged_file_is_never_overwritten(tmp_path: Path, edit: Edit, damage: str) -> None:
    problem = refused(tmp_path, edit, f"[profile.p]\nurl = 'http://p'\n{damage}\n")
    assert problem.line in {3, 4}


def test_earlier_problem_does_not_prevent_a_change(tmp_path: Path) -> None:
    text = "oops = 1\n[profile.p]\nurl = 'http://p'\ntimout = 1\n"
    assert edited(tmp_path, lambda edits: set_value(edits, "profile.p.badge", "dev"), text) == text + 'badge = "dev"\n'


def test_folder_that_cannot_be_created_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    problem = ProfileEdits(tmp_path / "file" / "sessions.toml", tmp_path / "locks").add("p", "http://p")
    assert isinstance(problem, Problem)


def add_ten(path: Path, locks: Path, prefix: str) -> None:
    for number in range(10):
        assert ProfileEdits(path, locks).add(f"{prefix}{number}", "http://p") is None


def test_parallel_edits_lose_nothing(tmp_path: Path) -> None:
    path, locks = tmp_path / "sessions.toml", tmp_path / "locks"
    spawn = multiprocessing.get_context("fork")
    programs = [spawn.Process(target=add_ten, args=(path, locks, prefix)) for prefix in "ab"]
    for program in programs:
        program.start()
    for program in programs:
        program.join()
    assert [program.exitcode for program in programs] == [0, 0]
    assert len(tomllib.loads(path.read_text())["profile"]) == 20


def saved(name: str, text: str = "[]", profile: str = "", doc: str = "") -> SavedCall:
    return SavedCall(name, "user.list", text, doc, profile=profile)


SAVED: list[tuple[SavedCall, str, str]] = [
    (saved("x"), 'url = "http://c"\n', "[call.x]\nmethod = \"user.list\"\nparams_json = '[]'\n"),
    (saved("list users", '{"page": 1.10}', "b", "One"), "safe = false\n", """\
[profile.b.call."list users"]
method = "user.list"
doc = "One"
params_json = '{"page": 1.10}'
"""),
    (saved("x", '{\n  "it": "it\'s"\n}', "a"), "# timeout = 5\n", """\
[profile.a.call.x]
method = "user.list"
params_json = '''
{
  "it": "it's"
}'''
"""),
    (saved("x", '["\'\'\'", "\\t"]', "c"), 'url = "http://c"\n', """\
[profile.c.call.x]
method = "user.list"
params_json = "[\\"'''\\", \\"\\\\t\\"]"
"""),
]  # fmt: skip


@pytest.mark.parametrize(("call", "before", "after"), SAVED)
def test_saved_call_gets_its_own_table(tmp_path: Path, call: SavedCall, before: str, after: str) -> None:
    text = edited(tmp_path, lambda edits: edits.save_call(call))
    assert text == FILE.replace(before, f"{before}\n{after}")
    values = tomllib.loads(text)
    table = values["profile"][call.profile]["call"] if call.profile else values["call"]
    assert table[call.name]["params_json"] == call.text
    refused(tmp_path, lambda edits: edits.save_call(call), text)
    assert edited(tmp_path, lambda edits: edits.remove_call(call), text) == FILE


OF_HAND = """\
[profile.a]
url = "http://a"
[profile.a.call]
short = { method = "m", params = [1] }   # by hand
# Above it.
[call."by hand"]
doc = "Mine"     # says Ann
params = { page = 1 }   # TOML
method = "m"
"""


def test_saved_call_is_replaced_in_place(tmp_path: Path) -> None:
    text = edited(
        tmp_path, lambda edits: edits.save_call(saved("by hand", "[1.10]", "", "Mine"), replacing=True), OF_HAND
    )
    assert text == OF_HAND.replace("params = { page = 1 }   # TOML\n", "").replace(
        'method = "m"\n', "method = \"user.list\"\nparams_json = '[1.10]'\n"
    )
    text = edited(tmp_path, lambda edits: edits.save_call(saved("short", "[2]", "a"), replacing=True), OF_HAND)
    assert text == OF_HAND.replace('{ method = "m", params = [1] }', "{ method = \"user.list\", params_json = '[2]' }")
    assert "short" not in edited(tmp_path, lambda edits: edits.remove_call(saved("short", "", "a")), OF_HAND)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (saved("x", '["«a.password»"]'), "must not contain the secret reference «a.password»"),
        (saved("x", '["«not recorded»"]'), "must not contain «not recorded»"),
        (saved("x", '{"password": "hunter2"}'), "secrets are not allowed in this file"),
        (saved("x", "[1,]"), "must be a JSON array"),
        (saved("@x"), "not a valid name for a saved call"),
        (saved(""), "not a valid name for a saved call"),
    ],
)
def test_invalid_saved_call_is_not_written(tmp_path: Path, call: SavedCall, message: str) -> None:
    assert message in refused(tmp_path, lambda edits: edits.save_call(call)).sentence


EXPECTED = """\
[profile.a]
url = "http://a"

# Ann's call.
[profile.a.call.x]
method = "m"   # old
[profile.a.call.x.expect]
# Three since May.
values = { "/total" = 3 }
schema_file = "x.json"
within = 500   # slow

[profile.b]
url = "http://b"
"""


def call_expecting(**expected: Any) -> SavedCall:
    return replace(saved("x", "", "a"), expect=Expectation(**expected) if expected else None)


def test_first_expectation_gets_its_own_table(tmp_path: Path) -> None:
    wanted = {"values": {"/a b/0": {"id": 1}}, "outcome": "result"}
    table = """\
[profile.a.call.x.expect]
outcome = "result"

[profile.a.call.x.expect.values]
"/a b/0" = { id = 1 }
"""
    text = edited(tmp_path, lambda edits: edits.save_call(saved("x", "[1]", "a")))
    after = edited(tmp_path, lambda edits: edits.expect(call_expecting(), wanted), text)
    assert after == text.replace("params_json = '[1]'\n", f"params_json = '[1]'\n\n{table}")


@pytest.mark.parametrize(
    ("wanted", "old", "new"),
    [
        ({"values": {"/b": [1]}}, '{ "/total" = 3 }', '{ "/total" = 3, "/b" = [1] }'),
        ({"values": {"/total": 4}}, '{ "/total" = 3 }', '{ "/total" = 4 }'),
        (
            {"schema": "service"},
            'schema_file = "x.json"\nwithin = 500   # slow\n',
            'within = 500   # slow\nschema = "service"\n',
        ),
        (
            {"outcome": "error", "code": -1},
            'values = { "/total" = 3 }\nschema_file = "x.json"\nwithin = 500   # slow\n',
            'within = 500   # slow\noutcome = "error"\ncode = -1\n',
        ),
    ],
)  # fmt: skip
def test_expectation_replaces_only_what_contradicts_it(
    tmp_path: Path, wanted: dict[str, Any], old: str, new: str
) -> None:
    call = call_expecting(values=(("/total", "3"),), schema_file=SchemaFile("x.json", ""), within=500.0)
    assert edited(tmp_path, lambda edits: edits.expect(call, wanted), EXPECTED) == EXPECTED.replace(old, new)


@pytest.mark.parametrize("wanted", [{"outcome": "result"}, {"values": {"/total": 3}}])
def test_expected_result_replaces_an_expected_error(tmp_path: Path, wanted: dict[str, Any]) -> None:
    text = '[call.x]\nmethod = "m"\nexpect = { outcome = "error", code = -1, within = 500 }\n'
    call = replace(call_expecting(outcome="error", code=-1, within=500.0), profile="")
    after = edited(tmp_path, lambda edits: edits.expect(call, wanted), text)
    assert tomllib.loads(after)["call"]["x"]["expect"] == {"within": 500} | wanted


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"a": [None]}, "TOML has no null, so the value cannot be expected"),
        ({"password": "hunter2"}, "secrets are not allowed in this file"),
        ("«a.password»", "must not contain the secret reference «a.password»"),
    ],
)
def test_value_that_the_file_cannot_hold_is_refused(tmp_path: Path, value: Any, message: str) -> None:
    problem = refused(
        tmp_path, lambda edits: edits.expect(call_expecting(within=500.0), {"values": {"": value}}), EXPECTED
    )
    assert message in problem.sentence
