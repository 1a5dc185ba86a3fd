"""Files of another user in the history folder, against the real program."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rpcexplorer.history.file import this_writer
from tests.fakes.shell import Shell
from tests.fakes.terminal import Terminal
from tests.fakes.wire import RawServer, http_reply

PROMPT = b"# the person's own\nalias ll='ls -l'\n"
SHELL_COMMANDS = http_reply(b'{"jsonrpc":"2.0","id":null,"result":"\\n$(touch owned)\\n"}')
PROFILE = 'version = 1\n[profile.st]\nurl = "{url}"\nauth = {{ kind = "none" }}\n'


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """Return a shell that records calls in a folder that others can write to."""
    shell = Shell(tmp_path)
    (shell.home / "config").mkdir(parents=True)
    (tmp_path / "shared").mkdir()
    (shell.home / "config" / "settings.toml").write_text(f'[history]\nfolder = "{tmp_path / "shared"}"\n')
    (tmp_path / "bashrc").write_bytes(PROMPT)
    return shell


def file_state(path: Path) -> tuple[int, int, int, int]:
    """Return the values that change if a file is replaced or written."""
    found = path.lstat()
    return found.st_mode, found.st_ino, found.st_size, found.st_mtime_ns


def rpcexplorer(shell: Shell, *words: str) -> subprocess.CompletedProcess[bytes]:
    """Run the program in its own process; waiting for ever fails the test."""
    return subprocess.run(
        [sys.executable, "-m", "rpcexplorer", *words],
        cwd=shell.folder,
        env=os.environ | shell.environment,
        capture_output=True,
        timeout=30,
        check=False,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.everyday(1)
@pytest.mark.parametrize(
    ("place", "words"),
    [
        (lambda path, victim: path.symlink_to(victim), b"symbolic link"),
        (lambda path, victim: os.link(victim, path), b"second hard link"),
        (lambda path, _: path.write_bytes(PROMPT), b"it is not an rpcexplorer history file"),
        (lambda path, _: os.mkfifo(path), b"pipe"),
    ],
    ids=["link", "hard link", "text", "pipe"],
)
def test_call_does_not_write_through_a_history_link(
    place: Callable[[Path, Path], Any], words: bytes, shell: Shell, tmp_path: Path
) -> None:
    shared, victim = tmp_path / "shared", tmp_path / "bashrc"
    path = shared / f"{this_writer()}.toml"
    place(path, victim)
    before = file_state(path)
    with RawServer(SHELL_COMMANDS) as server:
        shell.sessions(PROFILE.format(url=server.url))
        ran = rpcexplorer(shell, "call", "-p", "st", "ping")
    assert b"touch owned" in ran.stdout
    assert words in ran.stderr
    assert b"tries again at its next start" in ran.stderr
    assert victim.read_bytes() == PROMPT
    assert file_state(path) == before
    assert {entry.name for entry in shared.iterdir()} <= {path.name, f".{path.name}.lock"}


def hostile(folder: Path) -> None:
    """Add files that could make a reader wait or fill the memory."""
    os.mkfifo(folder / "a@a.toml")
    (folder / "b@b.toml").symlink_to("/dev/zero")
    (folder / "c@c.toml").mkdir()
    with (folder / "d@d.toml").open("wb") as file:
        file.truncate(200 << 20)
    (folder / "e@e.toml").write_bytes(b"\n" * (2 << 20))
    os.mkfifo(folder / "f@f.toml.torn-1")


@pytest.mark.thorough
def test_screen_opens_over_a_hostile_history(shell: Shell, tmp_path: Path) -> None:
    hostile(tmp_path / "shared")
    shell.sessions(PROFILE.format(url="http://127.0.0.1:9"))
    with Terminal([], shell.environment, shell.folder, (100, 30)) as terminal:
        terminal.sees("F5 send")
        terminal.press("f6")
        terminal.sees("History", "damaged")
        terminal.type("/")
        terminal.type("zxy")
        terminal.sees("zxy")
        terminal.press("ctrl+q")
        assert terminal.ends() == 0


@pytest.mark.thorough
def test_commands_end_over_a_hostile_history(shell: Shell, tmp_path: Path) -> None:
    hostile(tmp_path / "shared")
    shell.sessions(PROFILE.format(url="http://127.0.0.1:9"))
    checked = rpcexplorer(shell, "profiles", "check")
    assert checked.returncode == 2
    for words in (
        b"a@a.toml: it is a named pipe",
        b"b@b.toml: it is a symbolic link",
        b"d@d.toml: it is too large, 200 MiB",
    ):
        assert words in checked.stderr
    listed = rpcexplorer(shell, "history", "list")
    assert listed.returncode == 0
    assert listed.stderr.count(b" is damaged: ") == 5, "blank lines are no damage"


@pytest.mark.parametrize("put", ["zero", "pipe", "folder", "long"])
@pytest.mark.parametrize("file", ["work/sessions.toml", "home/config/settings.toml", "home/state/secrets.toml"])
def test_endless_file_is_reported_without_waiting(put: str, file: str, shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.parent.chmod(0o700)
    path.unlink(missing_ok=True)
    if put == "zero":
        path.symlink_to("/dev/zero")
    elif put == "pipe":
        os.mkfifo(path, 0o600)
    elif put == "folder":
        path.mkdir(0o700)
    else:
        with path.open("wb") as content:
            content.truncate(300 << 20)
        path.chmod(0o600)
    ran = shell.run("profiles", "check")
    assert ran.code == 2
    assert any(
        words in ran.err for words in ("a named pipe", "a device", "it is a folder", "(limit 1 MiB)", "symbolic link")
    )


@pytest.mark.thorough
def test_problems_of_a_file_are_few_sentences(shell: Shell) -> None:
    text = PROFILE.format(url="http://127.0.0.1:9") + '[profile.other]\nurl = "http://h"\n'
    shell.sessions(text + "".join(f"key_{number} = 1\n" for number in range(2000)))
    ran = shell.run("profiles", "list")
    assert ran.err.count("\n") == 11
    assert "and 1,990 more. To list them, run `rpcexplorer profiles check`" in ran.err
    assert "not listed: 1,950 more problems. Fix the listed problems first." in shell.run("profiles", "check").err
    with Terminal(["-p", "st"], shell.environment, shell.folder, (120, 40)) as terminal:
        terminal.sees("F5 send", "and 1,996 more")
        terminal.press("ctrl+q")
        assert terminal.ends() == 0


def test_linked_user_file_is_changed_at_its_target(shell: Shell, tmp_path: Path) -> None:
    dotfile = tmp_path / "dotfile"
    dotfile.write_text("version = 1\n# mine\n")
    shell.user_file.symlink_to(dotfile)
    assert shell.run("profiles", "add", "new", "--url", "http://h").code == 0
    assert "# mine" in dotfile.read_text()
    assert "[profile.new]" in dotfile.read_text()
    assert shell.user_file.is_symlink()


def test_link_in_a_checkout_changes_no_other_file(shell: Shell, tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text("version = 1\n")
    (shell.folder / "sessions.toml").symlink_to(own)
    ran = shell.run("profiles", "add", "new", "--url", "http://h", "--team")
    assert ran.code == 2
    assert "symbolic link" in ran.err
    assert own.read_text() == "version = 1\n"


def test_jq_of_a_project_file_reads_no_environment(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOUD_KEY", "env-4711")  # The process inherits it from the test's own.
    with RawServer(http_reply(b'{"jsonrpc": "2.0", "id": "1", "result": 1}')) as server:
        call = '[call.it]\nmethod = "ping"\nexpect = { jq = ["$ENV.CLOUD_KEY", "env.CLOUD_KEY"] }\n'
        shell.sessions(f'[profile.st]\nurl = "{server.origin}"\n{call}')
        ran = shell.run("check", "-p", "st")
    assert ran.code == 6
    assert "jq $ENV.CLOUD_KEY: expected true, got null" in ran.text
    assert "env-4711" not in ran.text + ran.err


def test_expected_schema_is_read_only_in_its_folder(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "own.json").write_text('{"type": "string"}')
    (shell.folder / "link.json").symlink_to(tmp_path / "own.json")
    with RawServer(http_reply(b'{"jsonrpc": "2.0", "id": "1", "result": 1}')) as server:
        for file, code, words in (("../own.json", 2, "must be in the folder"), ("link.json", 6, "symbolic link")):
            call = f'[call.it]\nmethod = "ping"\nexpect = {{ schema_file = "{file}" }}\n'
            shell.sessions(f'[profile.st]\nurl = "{server.origin}"\n{call}')
            ran = shell.run("check", "-p", "st")
            assert (ran.code, words in ran.text + ran.err) == (code, True), ran.err
