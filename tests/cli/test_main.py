"""The program as a process: help, Ctrl+C, a closed pipe, a terminal."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import click
import pytest

import rpcexplorer
from rpcexplorer.cli.main import EXIT_CODES, program
from rpcexplorer.cli.output import Waiting, waiting_line
from rpcexplorer.discovery.methods import DiscoveryStep
from rpcexplorer.manual import PAGES
from rpcexplorer.transport.port import Progress
from tests.fakes.shell import Shell
from tests.fakes.terminal import Terminal
from tests.fakes.wire import HOLD, RawServer, Received, http_reply

COMMAND = [sys.executable, "-m", "rpcexplorer"]


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


ALL = dict(commands(program))


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_every_help_has_an_example_and_a_page(path: tuple[str, ...]) -> None:
    command = ALL[path]
    text = command.help or ""
    assert text
    assert isinstance(command, click.Group) or f"rpcexplorer {path[0]}" in text
    assert f"{command.epilog}".removeprefix("Manual: rpcexplorer manual ") in PAGES


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_goes_to_stdout_with_exit_0(shell: Shell, flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert shell.run("call", flag).code == 0
    assert "  Examples:\n    rpcexplorer call ping\n" in capsys.readouterr().out


def help_of(*words: str) -> str:
    wide = {**os.environ, "COLUMNS": "100", "PYTHONPATH": str(Path(rpcexplorer.__file__).parent.parent)}
    return subprocess.run([*COMMAND, *words, "--help"], env=wide, capture_output=True, text=True, check=True).stdout


def test_top_level_help_shows_whole_summaries_in_groups() -> None:
    narrow = program.get_help(click.Context(program, info_name="rpcexplorer", terminal_width=80))
    shown = narrow.partition("\nCalls:\n")[2]
    for path, command in ALL.items():
        if len(path) == 1:
            summary = (command.help or "").partition("\n")[0]
            assert re.search(rf"^  {path[0]} +{re.escape(summary)}$", shown, re.MULTILINE), path
    assert re.findall(r"^(\w+):$", shown, re.MULTILINE) == ["Servers", "History", "Tests", "Other"]


def test_help_of_profiles_add_names_all_options_in_60_lines() -> None:
    shown = help_of("profiles", "add")
    assert len(shown.splitlines()) <= 60
    options = [param for param in ALL["profiles", "add"].params if isinstance(param, click.Option)]
    names = {option.opts[0] for option in options if not option.hidden}
    assert names <= {*re.findall(r"--[\w-]+", shown)}


@pytest.mark.parametrize("option", ["--response", "--text", "--id"])
def test_help_of_notify_has_no_option_without_effect(option: str) -> None:
    assert f" {option}" not in help_of("notify")
    assert f" {option}" in help_of("call")


def test_help_as_json_has_every_command_option_and_exit_code(shell: Shell) -> None:
    found = json.loads(shell.run("--help", "--json").text)
    assert {int(code) for code in found["exit_codes"]} == {*EXIT_CODES}
    listed = {command["name"]: command for command in found["commands"]}
    assert listed.keys() == {" ".join(path) for path in ALL} - {"history", "profiles"}
    for path, command in ALL.items():
        if (name := " ".join(path)) in listed:
            names = {word for option in listed[name]["options"] for word in option["names"]}
            shown = [param for param in command.params if isinstance(param, click.Option) and not param.hidden]
            assert names == {word for option in shown for word in option.opts} | {"-h", "--help"}
            assert listed[name]["examples"]
            assert all(line.startswith(("rpcexplorer ", "RPC", "echo ", "pass ")) for line in listed[name]["examples"])


def test_help_as_json_has_values_of_options_and_arguments(shell: Shell) -> None:
    found = json.loads(shell.run("--json", "-h").text)
    listed = {command["name"]: command for command in found["commands"]}
    options = {name: option for option in listed["history list"]["options"] for name in option["names"]}
    assert (options["--limit"]["value"], options["-n"]["default"]) == ("N", 20)
    assert "malformed" in options["--outcome"]["choices"]
    assert options["--outcome"]["repeated"]
    assert options["--json"]["value"] is None
    added = {name: option for option in listed["profiles add"]["options"] for name in option["names"]}
    assert (added["--timeout"]["default"], added["--timeout"]["help"]) == ("30", "Timeout for a whole call.")
    assert [argument["usage"] for argument in listed["call"]["arguments"]] == ["METHOD", "[PARAMS]..."]


def test_json_without_help_is_refused(shell: Shell) -> None:
    ran = shell.run("--json", "call", "ping")
    assert (ran.code, ran.text) == (2, "")
    assert "--json needs --help." in ran.err


def environment_of(shell: Shell) -> dict[str, str]:
    root = str(Path(rpcexplorer.__file__).parent.parent)
    return {**os.environ, **shell.environment, "PYTHONPATH": root, "TERM": "xterm-256color"}


def calling(shell: Shell, server: RawServer) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*COMMAND, "call", "m", "--url", server.origin],
        env=environment_of(shell),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=shell.folder,
    )


def test_module_runs_the_program(shell: Shell) -> None:
    ran = subprocess.run([*COMMAND, "--version"], env=environment_of(shell), capture_output=True, text=True, check=True)
    assert rpcexplorer.__version__ in ran.stdout


def test_ctrl_c_in_call_records_and_exits_130(shell: Shell) -> None:
    with RawServer([b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n[1,", HOLD]) as server:
        process = calling(shell, server)
        server.wait_for_request()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=10)
    assert (process.returncode, out) == (130, b"")
    assert b"cancelled" in err
    assert b"Traceback" not in err
    rows = shell.run("history", "list", "--json").text.splitlines()
    assert [json.loads(row)["outcome"] for row in rows] == ["cancelled"]


@pytest.mark.thorough
def test_ctrl_c_in_connection_test_exits_130(shell: Shell) -> None:
    with RawServer([HOLD]) as server:
        shell.sessions(f'[profile.slow]\nurl = "{server.origin}"\n')
        process = subprocess.Popen(
            [*COMMAND, "profiles", "test", "slow"],
            env=environment_of(shell),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=shell.folder,
        )
        server.wait_for_request()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=10)
    assert process.returncode == 130
    assert "✓ TCP" in out.decode(), "what was found by then"
    assert b"You cancelled the call." in out
    assert b"Traceback" not in err


@pytest.mark.thorough
def test_closed_pipe_is_not_an_error(shell: Shell) -> None:
    body = b'{"jsonrpc":"2.0","id":"x","result":"' + b"x" * 1_000_000 + b'"}'
    with RawServer(http_reply(body)) as server:
        process = calling(shell, server)
        assert process.stdout
        assert process.stderr
        process.stdout.read(10)
        process.stdout.close()
        printed = process.stderr.read()
        process.stderr.close()
        process.wait(timeout=10)
    assert b"Traceback" not in printed
    assert b"BrokenPipe" not in printed


def started(shell: Shell, *words: str) -> Terminal:
    return Terminal(words, shell.environment, shell.folder, (100, 30))


def interrupted(terminal: Terminal) -> int:
    """Press Ctrl+C until the program ends.

    One that comes between the question and the reading has no effect.
    """
    again = [threading.Timer(seconds, terminal.send, (b"\x03",)) for seconds in range(1, 9)]
    for timer in again:
        timer.start()
    terminal.send(b"\x03")
    code = terminal.ends()
    for timer in again:
        timer.cancel()
    return code


def reply(request: Received) -> bytes:
    return request.reply(result="welcome")


@pytest.mark.thorough
def test_missing_password_is_asked_for_without_echo(shell: Shell) -> None:
    with RawServer(reply) as server:
        shell.sessions(f'[profile.shop]\nurl = "{server.origin}"\nauth = {{ kind = "inline", username = "ada" }}\n')
        terminal = started(shell, "call", "arg_test")
        terminal.sees("password for shop")
        terminal.type("hunter2hunter2\n")
        # It names the command that stores it and asks nothing else.
        terminal.sees("rpcexplorer profiles secret shop password")
        terminal.sees("welcome")
        assert terminal.ends() == 0
    assert json.loads(server.requests[0].body)["params"]["password"] == "hunter2hunter2"
    assert b"hunter2" not in terminal.written
    assert "hunter2" not in str(shell.files())


@pytest.mark.thorough
def test_progress_line_of_a_slow_call_is_erased(shell: Shell) -> None:
    with RawServer([HOLD, http_reply(b'{"jsonrpc":"2.0","id":"x","result":"welcome"}')]) as server:
        terminal = started(shell, "call", "m", "--id", "x", "--url", server.origin)
        terminal.sees("waiting", "Ctrl+C cancels")
        server.release()
        assert "Ctrl+C" not in terminal.sees("welcome")
        assert terminal.ends() == 0


def test_enter_does_not_confirm_an_unsafe_method(shell: Shell) -> None:
    with RawServer(reply) as server:
        shell.sessions(f'[profile.p]\nurl = "{server.origin}"\nbadge = "prod"\n')
        terminal = started(shell, "call", "user.delete")
        terminal.sees("[y/N]")
        terminal.type("\n")
        terminal.sees("Nothing was sent")
        assert terminal.ends() == 2
    assert server.requests == []


PROMPTS = {
    "the user name of a call": (["call", "-p", "unnamed", "arg_test"], "user name for unnamed"),
    "the value of a variable": (["call", "@greet"], "{{name}}"),
    "the password of a call": (["call", "arg_test"], "password for shop"),
    "a yes before a call": (["call", "-p", "careful", "user.delete"], "Send the request to http://127.0.0.1:9?"),
    "a yes to plain http": (["call", "-p", "plain", "arg_test"], "[y/N]"),
    "a password to store": (["profiles", "secret", "shop", "password"], "password for shop"),
    "a yes to a removal": (["profiles", "remove", "shop"], "[y/N]"),
    "a yes to a route": (["profiles", "allow", "shop"], "[y/N]"),
}


@pytest.mark.thorough
@pytest.mark.parametrize("prompt", PROMPTS)
def test_ctrl_c_in_any_prompt_exits_130(shell: Shell, prompt: str) -> None:
    auth = 'auth = { kind = "inline", username = "ada" }'
    shell.sessions(
        f'default = "shop"\n[profile.shop]\nurl = "http://127.0.0.1:9"\n{auth}\n'
        '[profile.careful]\nurl = "http://127.0.0.1:9"\nconfirm = "always"\n'
        f'[profile.plain]\nurl = "http://rpc.example"\n{auth}\n'
        '[profile.unnamed]\nurl = "http://127.0.0.1:9"\nauth = { kind = "basic" }\n'
        """[call.greet]\nmethod = "greet"\nparams_json = '["{{name}}"]'\n"""
    )
    shell.environment["RPCEXPLORER_PLAIN_PASSWORD"] = "correct-horse"
    words, asked = PROMPTS[prompt]
    terminal = started(shell, *words)
    terminal.sees(asked)
    assert interrupted(terminal) == 130


@pytest.mark.thorough
def test_end_of_input_at_user_name_exits_3(shell: Shell) -> None:
    shell.sessions('[profile.shop]\nurl = "http://127.0.0.1:9"\nauth = { kind = "basic" }\n')
    terminal = started(shell, "call", "arg_test")
    terminal.sees("user name for shop")
    terminal.type("\x04")
    terminal.sees("No username")
    assert terminal.ends() == 3


def test_progress_line_of_discovery_fits_80_columns() -> None:
    shown = Waiting(StringIO(), float, bool)
    for words, step in (("asked", "help: asked"), ("7 of 9\x1b[31m", "help: 7 of 9␛[31m"), ("x" * 200, "x" * 44)):
        shown.on_step(DiscoveryStep("help", words, 0))
        assert step in waiting_line(Progress("waiting", 0, None, 1.0), 12.3, shown.step)
        assert len(waiting_line(Progress("receiving", 38_000_000, 100_000_000, 1.4), 125.0, shown.step)) <= 80


@pytest.mark.parametrize(
    ("progress", "words"),
    [
        (None, "starting"),
        (Progress("waiting", 0, None, 1.0), "waiting"),
        (Progress("receiving", 38_000_000, 100_000_000, 1.4), "38 MB of 100 MB"),
        (Progress("receiving", 1200, None, 1.4), "1.2 kB"),
    ],
)
def test_progress_line_shows_step_time_and_size(progress: Progress | None, words: str) -> None:
    assert words in waiting_line(progress, 1.4)
