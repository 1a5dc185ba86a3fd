"""Sentences and exit codes of commands that cannot do what was typed."""

from __future__ import annotations

import subprocess

import pytest

from tests.fakes.shell import Shell

PROJECT = """
[profile.shop]
url = "http://127.0.0.1:9/rpc"
auth = { kind = "cookie" }
[profile.other]
url = "http://127.0.0.1:9/rpc"
[profile.broken]
url = 5
[call.wrong]
method = "ping"
param = 1
"""
SENTENCES = [
    ("call ping --url ftp://x", "rpcexplorer: ftp:// is not supported. Begin the URL with http://, https://, ws://,"),
    (
        "batch -p shop empty",
        "rpcexplorer: The batch cannot be sent: line 1, column 1: the batch is empty. Write",
    ),
    (
        "batch -p shop none",
        "rpcexplorer: The batch cannot be sent: line 1, column 1: the batch is empty. Write",
    ),
    ("batch -p shop object", "The batch cannot be sent: line 1, column 1: a batch must be an array of calls. Write ["),
    ("batch -p shop []", "rpcexplorer: [] is not the name of a file. To send a text, write it to stdin."),
    ("call ping -p shop -o /nodir/x", "rpcexplorer: cannot write /nodir/x: there is no folder /nodir. Choose another"),
    (
        "profiles add new --url http://h --auth inline --login-params {bad",
        "rpcexplorer: --login-params is not valid JSON: line 1, column 2: a member's name needs double quotes",
    ),
    ("compare 1 2 3", "rpcexplorer: compare has no use for 3. Usage:\n  rpcexplorer compare [OPTIONS] [A [B]]\n"),
    ("call ping -p", "rpcexplorer: The option -p needs a value."),
    ("compare --full=5", "rpcexplorer: The option --full takes no value."),
    ("profiles check --staged", "rpcexplorer: --staged needs a git repository. {folder} is not in one\n"),
    (
        "call -p shop @wrong",
        "rpcexplorer: Nothing was sent: @wrong has a problem in {folder}/sessions.toml:11. Correct it first.",
    ),
    ("call -p nosuch ping", "rpcexplorer: There is no profile `nosuch`. Your profiles: broken, other, shop\n"),
    ("call -p shop ping @nofile", "rpcexplorer: There is no file {folder}/nofile. Check the name.\n"),
    ("replay nofile.toml -p shop", "rpcexplorer: There is no file {folder}/nofile.toml. Check the name.\n"),
    ("profiles secret shop token", "rpcexplorer: shop uses no token: its auth type is cookie. Its secrets: username,"),
    (
        "profiles secret shop pasword",
        "pasword is not one of username, password, session, token, key, client_secret. Did",
    ),
    (
        "profiles default",
        "rpcexplorer: There is no default profile. To set one, run:\n  rpcexplorer profiles default NAME\n",
    ),
    (
        'call -p shop ping ["{{page:yaml}}"] --set page=1',
        "Nothing was sent: {{page:yaml}} has the unknown suffix :yaml. Write {{page}} or {{page:json}}",
    ),
    ("-p shop call ping -p other", "rpcexplorer: Name only one profile."),
    ("call ping -p shop --id=", "rpcexplorer: --id is empty. Name an id, or remove --id to use a new one."),
    ("call ping -p shop --dry-run -i", "rpcexplorer: --dry-run has no response with headers. Remove --include."),
    ("history show --body --params", "rpcexplorer: Use only one of --params, --body and --json."),
]


@pytest.fixture
def shop(shell: Shell) -> Shell:
    shell.sessions(PROJECT)
    (shell.folder / "empty").write_text("")
    (shell.folder / "none").write_text("[ ]")
    (shell.folder / "object").write_text("{}")
    return shell


@pytest.mark.parametrize(("line", "sentence"), SENTENCES, ids=[line for line, _ in SENTENCES])
def test_wrong_command_gets_its_sentence_and_code_2(shop: Shell, line: str, sentence: str) -> None:
    ran = shop.run(*line.split())
    assert (ran.code, ran.out) == (2, b"")
    assert sentence.replace("{folder}", str(shop.folder)) in ran.err
    assert "no effect" not in ran.err


def test_set_variable_in_invalid_params_is_no_warning(shop: Shell) -> None:
    ran = shop.run("call", "-p", "shop", "ping", '{"n": {{n:json}}}', "--set", "n=2")
    assert ran.code == 2
    assert 'a variable must be in quotes. Write "{{n:json}}"' in ran.err
    assert "no effect" not in ran.err


def test_problem_of_another_profile_is_shown_only_in_lists(shop: Shell) -> None:
    problem = f"warning: {shop.folder}/sessions.toml:8: profile.broken.url: "
    assert problem not in shop.run("call", "-p", "shop", "ping", "--dry-run").err
    assert problem in shop.run("profiles", "list").err
    used = shop.run("call", "-p", "broken", "ping")
    assert (used.code, problem.replace("warning", "rpcexplorer") in used.err) == (2, True)


def test_delete_is_not_imported_as_a_call(shop: Shell) -> None:
    (shop.folder / "delete.sh").write_text("curl -X DELETE http://127.0.0.1/api\n")
    ran = shop.run("import", "delete.sh")
    assert ran.code == 2
    assert "Nothing was imported. A JSON-RPC call is a POST with a body.\n" in ran.err


def test_process_that_ends_is_named_with_its_exit_code(shop: Shell) -> None:
    ran = shop.run("call", "ping", "--stdio", "false")
    assert (ran.code, "no response: false ended with exit code 1." in ran.err) == (4, True)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('url = "a"\nurl = "b"\n', "a key is set twice"),
        ("[profile.a]\n[profile.a]\n", "a table is written twice"),
        ("url = http://h\n", "this is not a value. Text needs quotes"),
        ('url = "http://h\n', "a text needs a quote at its end"),
        ("[profile.a\n", "the header of a table needs ] at its end"),
        ('auth = { kind = "x", kind = "y" }\n', "a key is set twice between { and }"),
        ('[profile.a]\nurl = "http://h"\nauth = "basic"\n', "must be a table. Write its keys below [profile.a.auth]"),
    ],
)
def test_problem_of_toml_is_said_in_words_of_ours(shell: Shell, text: str, sentence: str) -> None:
    shell.sessions(text)
    ran = shell.run("profiles", "check")
    assert ran.code == 2
    assert sentence in ran.err + ran.text


def test_case_named_twice_is_imported_once(shop: Shell) -> None:
    shop.run("call", "-p", "shop", "ping", "[]", RPCEXPLORER_SHOP_SESSION="a-session-of-shop")
    shop.run("call", "-p", "shop", "ping", "[1]", RPCEXPLORER_SHOP_SESSION="a-session-of-shop")
    assert shop.run("history", "export", "--last", "2", "-o", "case.toml").code == 0
    ran = shop.run("compare", "case.toml", "case.toml")
    assert (ran.code, ran.err.count("history import case.toml")) == (2, 1)


def test_staged_files_outside_a_repository_are_named(shop: Shell) -> None:
    subprocess.run(["git", "init", "-q", str(shop.folder)], check=True)
    assert "needs a git repository" not in shop.run("profiles", "check", "--staged").err
