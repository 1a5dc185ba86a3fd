"""Unreadable command lines: one plain sentence, and exit code 2."""

from __future__ import annotations

import click
import pytest

from rpcexplorer.auth.registry import KINDS
from rpcexplorer.cli.completion import LINE, PART
from rpcexplorer.cli.main import program
from rpcexplorer.cli.run import Failed
from rpcexplorer.cli.world import COMPLETING
from tests.cli.test_main import ALL
from tests.fakes.shell import Shell

MEANT = [
    ("cal", "There is no command cal. Did you mean call?\n"),
    ("metods --refresh", "There is no command metods. Did you mean methods?"),
    ("profiles lst", "There is no command lst. Did you mean list?\n"),
    ("history serch x", "There is no command serch. Did you mean search?"),
    ("profiles frobnicate", "There is no command frobnicate. The commands are add, allow, check, default, list,"),
    ("profiles", "rpcexplorer profiles needs a command: add, allow, check, default, list,"),
    ("history", "rpcexplorer history needs a command: export, import, list"),
    ("call", "METHOD is missing. Usage:\n  rpcexplorer call [OPTIONS] METHOD [PARAMS]...\n"),
    ("replay", "ID|FILE is missing. Usage:\n  rpcexplorer replay [OPTIONS] ID|FILE...\n"),
    ("profiles set a", "KEY=VALUE is missing. Usage:\n  rpcexplorer profiles set [OPTIONS] NAME KEY=VALUE...\n"),
    ("history search", "TEXT is missing. Usage:\n  rpcexplorer history search [OPTIONS] TEXT\n"),
    ("profiles allow --folder nowhere --yes", "There is no folder "),
    ("logout", "There are no profiles yet. To add one, run `rpcexplorer profiles add NAME --url URL`"),
    ("profiles add x", "Name one server, with --url URL or with --stdio WORDS."),
    ("profiles add x --url tcp://h:1 --stdio w", "Name one server, with --url URL or with --stdio WORDS."),
    ("call m --respnse", "There is no option --respnse. Did you mean --response?\n"),
    ("call m --ulr http://h", "There is no option --ulr. Did you mean --url?"),
    ("call m --dryrun", "There is no option --dryrun. Did you mean --dry-run?"),
    (
        "call m -1.5",
        "There is no option -1. To pass a negative number, write -- before it:\n  rpcexplorer call METHOD -- -1",
    ),
    ("history list -1", "There is no option -1. To read the help"),
    ("call m --version", "The option --version must be before call."),
    ("history list --last", "There is no option --last. To read the help"),
    ("nothing.toml", "nothing.toml. Check the name.\n"),
    ("-p nobody", "There is no profile `nobody`"),
    ("profiles test -p nobody", "There is no profile `nobody`"),
    ("--url http://a params ping --url http://b", "Name only one URL."),
    ("call m --stdio x --url http://h", "Name a URL or a process, not both."),
    ("--stdio x call m --url http://h", "Name a URL or a process, not both."),
    ("call m --stdio x -p a", "Name a profile or a process, not both."),
    ("--stdio x login --stdio y", "Name only one process."),
    ("call m --url stdio:x", "A process has no URL. Name its words with --stdio WORDS."),
    ("call m --stdio x'", "The words of --stdio have a quote without its end."),
    ("call m -p a --preset lsp", "--preset needs --url or --stdio. To change a profile, run:\n"),
    ("--framing none call m", "--framing needs --url or --stdio."),
    ("call m --stdio x --preset lpp", "--preset lpp: there is no preset `lpp`. Did you mean `lsp`?"),
    ("call m --stdio x --framing line", "--framing: line is not one of lines, length, none. Did you mean lines?"),
    ("call m --url http://h --framing none", "--framing none: only streams and processes have a framing."),
    ("call m --stdio x --auth bearer", '--auth bearer: auth type "bearer" needs HTTP or WebSocket.'),
    ("call m --timeout abc", "--timeout: abc is not valid. Write seconds as a number above 0, such as 30 or 0.5."),
    ("call m --timeout 1e999", "--timeout: 1e999 is not valid"),
    ("call m --auth zzzz", f"--auth: zzzz is not one of {', '.join(KINDS)}"),
    ("batch --auth cokie", f"--auth: cokie is not one of {', '.join(KINDS)}. Did you mean cookie?"),
    ("history list -n 0", "--limit: 0 is not valid. Write a whole number of 1 or more"),
    ("history prune --keep -1", "--keep: -1 is not valid. Write a whole number of 0 or more"),
    ("history prune --older-than 3y", "--older-than: 3y is not valid. Write a number and h, d or w, such as 30d"),
    ("history prune --older-than 99999999999d", "--older-than: 99999999999d is not valid"),
    ("history list --outcome eror", "--outcome: eror is not one of result, error,"),
    ("copy --as crl", "crl is not one of curl, python, httpie, command, report, request, response. Did you mean curl?"),
]


@pytest.mark.parametrize(("line", "message"), MEANT, ids=[line for line, _ in MEANT])
def test_wrong_command_line_gets_one_sentence(shell: Shell, line: str, message: str) -> None:
    ran = shell.run(*line.split())
    assert (ran.code, ran.out) == (2, b"")
    assert ran.err.startswith("rpcexplorer: ")
    assert message in ran.err
    assert len(ran.messages) == 1


NO_FILE = [
    ("", '[profile.p]\nurl = "ftp://p"\n', "call -p p ping"),
    ("", 'default = "p"\n[profile.p]\nurl = "ftp://p"\n', "call ping"),
    ("", "default = [", "profiles add x --url http://h --team"),
    ("", "default = [", "call ping"),
    ("", "version = 99", "call ping"),
    ("--sessions other.toml", "", "call ping"),
    ("--sessions missing.toml", "", "call ping"),
    ("--sessions .", "", "profiles show p"),
]


@pytest.mark.parametrize(("before", "text", "line"), NO_FILE)
def test_problem_of_a_file_is_printed_once(shell: Shell, before: str, text: str, line: str) -> None:
    shell.sessions(text)
    (shell.folder / "other.toml").write_text("version = [")
    ran = shell.run(*before.split(), *line.split())
    assert ran.code == 2
    lines = ran.err.splitlines()
    assert len(lines) == len(set(lines)) == 1


def test_no_option_uses_number_types_of_click() -> None:
    ranges = (click.IntRange, click.FloatRange, click.types.IntParamType, click.types.FloatParamType)
    theirs = [
        (path, param.name)
        for path, command in [((), program), *ALL.items()]
        for param in command.params
        if isinstance(param.type, ranges) or type(param.type) is click.Choice
    ]
    assert theirs == []


def test_limit_may_be_larger_than_any_count(shell: Shell) -> None:
    assert shell.run("history", "list", "-n", "9" * 30).code == 0


def test_completion_offers_words_of_a_choice(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LINE, "rpcexplorer completion ")
    shell.environment[COMPLETING] = "bash_complete"
    ran = shell.run()
    assert ran.out == b"plain,bash\nplain,zsh\nplain,fish\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "--stdio needs the words of a process, such as --stdio pylsp."),
        ("./serve --password=4711-abcd", "--stdio: must not contain a secret."),
        ("./serve 'a\nb'", "--stdio: must have words of one line"),
        ("./serve \udcff", "--stdio: must have words of one line"),
    ],
)
def test_unusable_words_of_a_process_are_refused(shell: Shell, words: str, message: str) -> None:
    ran = shell.run("call", "m", "--stdio", words)
    assert (ran.code, ran.out) == (2, b"")
    assert message in ran.err


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("call --stdio pylsp --preset lsp textDocument/h", b"plain,textDocument/hover\n"),
        ("--stdio pylsp --preset lsp call textDocument/h", b"plain,textDocument/hover\n"),
        ("call --url tcp://127.0.0.1:1 --preset ls", b"plain,lsp\n"),
        ("call m --framing le", b"plain,length\n"),
        ("call --sessions other.toml -p ", b"plain,b\n"),
        ("profiles show --sessions other.toml ", b"plain,b\n"),
        ("params --sessions other.toml -p b user.", b"plain,user.list\n"),
    ],
)
def test_completion_reads_the_named_project_file(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, line: str, offered: bytes
) -> None:
    shell.sessions('[profile.a]\nurl = "http://127.0.0.1:1"\n')
    text = '[profile.b]\nurl = "http://127.0.0.1:2/rpc"\n[profile.b.method."user.list"]\n'
    (shell.folder / "other.toml").write_text(text)
    monkeypatch.setenv(LINE, f"rpcexplorer {line}")
    monkeypatch.setenv(PART, line.rpartition(" ")[2])
    shell.environment[COMPLETING] = "bash_complete"
    assert shell.run().out == offered


def test_completion_without_a_profile_offers_nothing(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LINE, "rpcexplorer call --stdio pylsp --preset lpp textDocument/h")
    monkeypatch.setenv(PART, "textDocument/h")
    shell.environment[COMPLETING] = "bash_complete"
    with pytest.raises(Failed, match="no preset `lpp`"):  # The program hides all errors of a completion.
        shell.run()


def test_folder_of_others_is_refused_once(shell: Shell) -> None:
    shell.sessions('[profile.p]\nurl = "http://127.0.0.1:9"\n')
    shell.folder.chmod(0o777)
    ran = shell.run("call", "ping")
    assert ran.code == 2
    assert "other users can write to this file or its folder" in ran.err
    assert ran.err.count("\n") == 1
    shell.own('[profile.mine]\nurl = "http://127.0.0.1:9"\n')
    assert "There is no profile `p`. Your profiles: mine" in shell.run("call", "-p", "p", "ping").err


SUGGESTED = [
    ("staging", "There is no command staging. To open the profile, run:", "rpcexplorer -p staging"),
    ("staging ping", "There is no command staging. To open the profile, run:", "rpcexplorer -p staging"),
    ("Staging", "There is no command Staging. To open the profile, run:", "rpcexplorer -p staging"),
    ("discover", "There is no command discover. To discover methods, run:", "rpcexplorer methods --refresh"),
    (
        "user.create",
        "There is no command user.create. To call the method user.create, run:",
        "rpcexplorer call user.create",
    ),
]


@pytest.mark.parametrize(("line", "message", "command"), SUGGESTED, ids=[line for line, *_ in SUGGESTED])
def test_suggested_command_is_on_its_own_line(shell: Shell, line: str, message: str, command: str) -> None:
    shell.sessions('[profile.staging]\nurl = "http://127.0.0.1:9"\n')
    ran = shell.run(*line.split())
    assert (ran.code, ran.err) == (2, f"rpcexplorer: {message}\n  {command}\n")


TWO_PROFILES = 'default = "a"\n[profile.a]\nurl = "http://a"\n[profile.b]\nurl = "http://b"\n'


def test_profile_option_counts_for_the_next_command(shell: Shell) -> None:
    shell.sessions(TWO_PROFILES)
    assert "\nHost: a\n" in shell.run("call", "ping", "--dry-run").text
    assert "\nHost: b\n" in shell.run("call", "-p", "b", "ping", "--dry-run").text
    ran = shell.run("call", "ping", "--dry-run")
    assert "\nHost: b\n" in ran.text
    assert "hint: b is used, as it was last in this folder. For another one, add -p NAME" in ran.err
    assert shell.run("-p", "a", "call", "ping", "--dry-run").err == shell.run("call", "ping", "--dry-run").err == ""


def test_profile_that_is_only_shown_is_not_used(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.sessions(TWO_PROFILES)
    for command in ("show", "test", "secret"):
        shell.run("profiles", command, "b")
    shell.run("history", "list", "-p", "b")
    assert shell.run("profiles", "show").text.startswith("profile a\n")
    monkeypatch.setenv("COMP_WORDS", "rpcexplorer call -p b p")
    monkeypatch.setenv("COMP_CWORD", "4")
    with monkeypatch.context() as completing:
        completing.setitem(shell.environment, COMPLETING, "bash_complete")
        shell.run()
    assert shell.run("profiles", "show").text.startswith("profile a\n")


def test_chosen_default_counts_for_the_next_command(shell: Shell) -> None:
    shell.sessions(TWO_PROFILES)
    shell.run("call", "-p", "b", "ping", "--dry-run")
    shell.run("profiles", "default", "a")
    assert shell.run("profiles", "show").text.startswith("profile a\n")


@pytest.mark.parametrize("line", ["call ping", "profiles default", "profiles show", "login"])
def test_default_without_a_profile_is_refused(shell: Shell, line: str) -> None:
    shell.sessions(TWO_PROFILES.replace('"a"', '"c"', 1))
    ran = shell.run(*line.split())
    assert (ran.code, ran.out) == (2, b"")
    assert "sessions.toml:1: default: there is no profile `c`. Your profiles: a, b" in ran.err
    assert len(ran.messages) == 1
    assert shell.run("profiles", "default", "b").code == 0


def test_last_profile_needs_no_question_about_defaults(shell: Shell) -> None:
    shell.own('default = "mine"\n[profile.mine]\nurl = "http://mine"\n')
    shell.sessions(TWO_PROFILES)
    assert shell.run("call", "ping").code == 3
    shell.run("call", "-p", "a", "ping", "--dry-run")
    assert shell.run("call", "ping", "--dry-run").err == ""
