"""A process that a file names is started only after the user allowed it."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from rpcexplorer.cli.completion import LINE, PART
from rpcexplorer.cli.world import COMPLETING
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.destination import DestinationChanged, Nobody, ProcessCommand
from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.profile import Profile, ad_hoc, ad_hoc_process
from tests.fakes.shell import Shell
from tests.fakes.wire import RawServer

WORDS = '["./serve", "-v"]'
OTHER = '["./serve", "-q"]'
PROFILE = f'[profile.p]\nurl = "stdio:"\ncommand = {WORDS}\n'


@pytest.fixture
def checkout(shell: Shell) -> Shell:
    """Return a shell in a folder whose project file names a program there."""
    plant(shell.folder)
    return shell


def plant(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "sessions.toml").write_text(PROFILE)
    (folder / "serve").write_text(f"#!/bin/sh\necho ran >>{shlex.quote(str(folder / 'ran'))}\n")
    (folder / "serve").chmod(0o755)


def explorer(shell: Shell, folder: Path | None = None, sessions: Path | None = None) -> Explorer:
    return Explorer.open(folder=folder or shell.folder, environment=shell.environment, sessions=sessions)


def command(opened: Explorer, name: str = "p") -> ProcessCommand | Refused:
    profile = opened.profiles.get(name)
    assert isinstance(profile, Profile), profile
    return opened.command_of(profile)


def is_allowed(shell: Shell, folder: Path | None = None, sessions: Path | None = None) -> bool:
    return isinstance(command(explorer(shell, folder, sessions)), ProcessCommand)


def test_command_of_a_checkout_is_refused(checkout: Shell) -> None:
    refused = command(explorer(checkout))
    assert isinstance(refused, Refused)
    assert refused.why == "profile"
    folder = checkout.folder.resolve()
    assert refused.sentence == (
        "The process of profile p is blocked: "
        "a file that other people can change names it, and you have not allowed it here. "
        f"In the file: folder: {folder}, words: ./serve -v ({checkout.folder}/sessions.toml:3), "
        f"program: {folder}/serve. If it is right, run `rpcexplorer profiles allow p`."
    )


def test_allowed_command_runs_in_its_folder(checkout: Shell) -> None:
    assert checkout.run("profiles", "allow", "p", "--yes").code == 0
    found, folder = command(explorer(checkout)), checkout.folder.resolve()
    assert isinstance(found, ProcessCommand)
    assert (found.program, found.folder) == (f"{folder}/serve", str(folder))
    assert found.place == f"{checkout.folder}/sessions.toml:3"


def test_name_of_the_profile_does_not_count(checkout: Shell) -> None:
    checkout.run("profiles", "allow", "p", "--yes")
    checkout.sessions(PROFILE.replace("profile.p", "profile.q"))
    assert isinstance(command(explorer(checkout), "q"), ProcessCommand)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("sessions.toml", PROFILE.replace(WORDS, OTHER)),
        ("sessions.toml", PROFILE.replace(WORDS, '["-v", "./serve"]')),
        ("sessions.toml", PROFILE.replace(WORDS, '["./serve -v"]')),
        ("sessions.local.toml", f"[profile.p]\ncommand = {OTHER}\n"),
    ],
)
def test_changed_word_is_refused_with_both(checkout: Shell, file: str, text: str) -> None:
    checkout.run("profiles", "allow", "p", "--yes")
    (checkout.folder / file).write_text(text)
    refused = command(explorer(checkout))
    assert isinstance(refused, Refused)
    assert "words: ./serve -v → " in refused.sentence
    assert f"{file}:" in refused.sentence


def test_moved_folder_is_refused_with_both(checkout: Shell) -> None:
    checkout.run("profiles", "allow", "p", "--yes")
    moved = checkout.folder.rename(checkout.folder.with_name("moved"))
    refused = command(explorer(checkout, moved))
    assert isinstance(refused, Refused)
    assert f"folder: {checkout.folder.resolve()} → {moved.resolve()}" in refused.sentence


def test_link_to_another_folder_is_refused(checkout: Shell) -> None:
    first = checkout.folder.rename(checkout.folder.with_name("first"))
    checkout.folder.symlink_to(first)
    checkout.run("profiles", "allow", "p", "--yes")
    assert is_allowed(checkout)
    plant(second := checkout.folder.with_name("second"))
    checkout.folder.unlink()
    checkout.folder.symlink_to(second)
    assert not is_allowed(checkout)


@pytest.mark.parametrize("named", ["--sessions", "RPCEXPLORER_SESSIONS"])
def test_named_file_is_a_file_of_others(checkout: Shell, named: str) -> None:
    file = checkout.folder / "sessions.toml"
    if named == "--sessions":
        assert not is_allowed(checkout, checkout.home.parent, file)
    else:
        checkout.environment[named] = str(file)
        assert not is_allowed(checkout, checkout.home.parent)


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ('[profile.p]\nurl = "stdio:"\ncommand = ["true"]\n', f"[profile.p]\ncommand = {WORDS}\n"),
        ('[profile.p]\nurl = "stdio:"\ncommand = ["true"]\n', '[profile.p]\nurl = "stdio:"\n'),
        ('[profile.p]\ncommand = ["true"]\n', '[profile.p]\nurl = "stdio:"\n'),
        ('[profile.p]\nurl = "https://h"\ncommand = ["true"]\n', '[profile.p]\nurl = "stdio:"\n'),
        ('[profile.p]\nurl = "stdio:"\n', f"[profile.p]\ncommand = {WORDS}\n"),
    ],
)
def test_own_profile_with_their_command_is_refused(checkout: Shell, mine: str, theirs: str) -> None:
    checkout.own(mine)
    checkout.sessions(theirs)
    assert isinstance(command(explorer(checkout)), Refused)


@pytest.mark.parametrize(
    "theirs",
    ["answer.x.ask = true", "method.a.safe = false", "timeout = 3", 'description = "x"', 'discovery = "none"'],
)
def test_other_keys_of_others_need_no_permission(checkout: Shell, theirs: str) -> None:
    checkout.own('[profile.p]\nurl = "stdio:"\ncommand = ["true"]\n')
    checkout.sessions(f"[profile.p]\n{theirs}\n")
    found = command(explorer(checkout))
    assert isinstance(found, ProcessCommand)
    assert found.folder == str(checkout.folder)


def test_own_command_runs_without_a_question(checkout: Shell) -> None:
    checkout.own(PROFILE.replace("profile.p", "profile.mine"))
    (checkout.home / "config" / "serve").write_text("")
    (checkout.home / "config" / "serve").chmod(0o755)
    found = command(explorer(checkout), "mine")
    assert isinstance(found, ProcessCommand)
    assert (found.program, found.folder) == (f"{checkout.home}/config/serve", str(checkout.folder))


def test_program_stays_in_the_folder_that_a_link_led_to(shell: Shell) -> None:
    link, one, two = (shell.folder / name for name in ("link", "one", "two"))
    plant(one)
    plant(two)
    link.symlink_to(one)
    opened = explorer(shell, link)
    link.unlink()
    link.symlink_to(two)
    refused = command(opened)
    assert isinstance(refused, Refused)
    assert f"program: {one.resolve()}/serve" in refused.sentence


def test_own_program_is_beside_the_own_file(checkout: Shell) -> None:
    checkout.own(PROFILE)
    checkout.sessions('[profile.p]\nurl = "stdio:"\n')
    assert checkout.run("profiles", "allow", "p", "--yes").code == 0
    found = command(explorer(checkout))
    assert isinstance(found, ProcessCommand)
    assert (found.program, found.folder) == (f"{checkout.home}/config/serve", str(checkout.folder.resolve()))


def test_missing_own_program_is_none_of_the_checkout(checkout: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(checkout.folder)
    checkout.own(PROFILE.replace("profile.p", "profile.mine"))
    ran = checkout.run("call", "ping", "-p", "mine")
    assert f"{checkout.home}/config/serve does not start: no such file" in ran.err
    assert not (checkout.folder / "ran").exists()


@pytest.mark.parametrize(
    "words",
    ["profiles add own --stdio ./serve", "profiles add own --stdio true", 'profiles set own command=["./serve"]'],
)
def test_typed_program_is_written_with_its_path(checkout: Shell, words: str) -> None:
    checkout.own("" if " add " in words else '[profile.own]\nurl = "stdio:"\ncommand = ["cat"]\n')
    assert checkout.run(*words.split()).code == 0
    found = command(explorer(checkout), "own")
    assert isinstance(found, ProcessCommand)
    assert found.words == (("true",) if "true" in words else (f"{checkout.folder}/serve",))


def test_typed_command_runs_in_the_working_folder(checkout: Shell) -> None:
    found = explorer(checkout).command_of(ad_hoc_process(["./serve"]))
    assert isinstance(found, ProcessCommand)
    assert (found.program, found.folder, found.place) == (f"{checkout.folder}/serve", str(checkout.folder), "")


def test_program_is_found_only_in_absolute_places(checkout: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(checkout.folder)
    checkout.environment["PATH"] = f":.:../{checkout.folder.name}"
    found = explorer(checkout).command_of(ad_hoc_process(["serve"]))
    assert isinstance(found, ProcessCommand)
    assert found.program == ""
    checkout.environment["PATH"] += f":{checkout.folder}"
    found = explorer(checkout).command_of(ad_hoc_process(["serve"]))
    assert isinstance(found, ProcessCommand)
    assert found.program == f"{checkout.folder}/serve"


def test_url_of_a_record_is_only_text(checkout: Shell) -> None:
    refused = explorer(checkout).command_of(ad_hoc("stdio:./serve -v"))
    assert isinstance(refused, Refused)
    assert "has no command" in refused.sentence


def test_command_changed_while_in_use_is_refused(checkout: Shell) -> None:
    checkout.run("profiles", "allow", "p", "--yes")
    opened = explorer(checkout)
    before = opened.profiles.profiles["p"]
    checkout.sessions(PROFILE.replace(WORDS, OTHER))
    opened.reload()
    assert isinstance(opened.command_of(before), Refused)


def test_damaged_allowed_file_allows_nothing(checkout: Shell) -> None:
    checkout.run("profiles", "allow", "p", "--yes")
    (path,) = checkout.home.rglob("allowed.toml")
    path.write_text(path.read_text().replace("words", "wrods"))
    assert not is_allowed(checkout)
    path.write_text("commands = 1\n")
    assert not is_allowed(checkout)


CASE = """case = 1
[[call]]
id = "old"
when = 2026-01-02T03:04:05Z
profile = "p"
url = "stdio:x"
method = "ping"
params = "[]"
outcome = "result"
reply = '{"jsonrpc":"2.0","id":"old","result":1}'
"""
MORE = f"""{PROFILE}
[profile.p.call.saved]
method = "ping"
expect.outcome = "result"
[profile.q]
url = "stdio:"
command = {WORDS}
auth.kind = "first"
login = {{ method = "enter", params = [] }}
"""
SENDING = [
    *("call ping -p p --yes --no-input", "call @saved -p p --yes", "call ping -p q --yes", "notify ping -p p --yes"),
    *("batch -p p --yes", "listen -p p --yes", "listen ping -p p --yes", "replay case.toml -p p --yes"),
    *("compare case.toml -p p -p q --yes", "check -p p --yes", "login -p q", "methods -p p --refresh"),
    *("profiles test p --no-input", "profiles test p --apply --yes", "--sessions sessions.toml call ping -p p --yes"),
]


@pytest.mark.parametrize("words", [*SENDING, "profiles allow p", "profiles allow --folder . --yes"])
def test_no_other_command_starts_or_allows_it(checkout: Shell, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(checkout.folder)
    checkout.sessions(MORE)
    (checkout.folder / "case.toml").write_text(CASE)
    stdin = b'[{"method": "ping"}]' if words.startswith("batch") else b""
    assert checkout.run(*words.split(), stdin=stdin).code != 70
    assert not (checkout.folder / "ran").exists()
    assert not is_allowed(checkout)


def test_dry_run_of_refused_command_says_so(checkout: Shell) -> None:
    ran = checkout.run("call", "ping", "-p", "p", "--dry-run")
    assert (ran.code, b'"method":"ping"' in ran.out) == (2, True)
    assert "process: ./serve -v\n" in ran.err
    assert "The process of profile p is blocked" in ran.err


@pytest.mark.parametrize(
    "words",
    [
        *("call ping -p p --dry-run", "notify ping -p p --dry-run", "methods -p p", "params ping -p p", "logout -p p"),
        *("profiles list", "profiles show p", "profiles check", "history list"),
        *("call ping --stdio ./serve --dry-run", "methods --stdio ./serve", "params ping --stdio ./serve"),
        "profiles show --stdio ./serve",
    ],
)
def test_command_without_call_starts_no_allowed_process(checkout: Shell, words: str) -> None:
    checkout.run("profiles", "allow", "p", "--yes")
    assert checkout.run(*words.split()).code != 70
    assert not (checkout.folder / "ran").exists()


@pytest.mark.parametrize(("discovery", "asked"), [('"none"', 0), ('{ file = "openrpc.json" }', 0), ('"list"', 1)])
def test_discovery_without_a_question_starts_none(checkout: Shell, discovery: str, asked: int) -> None:
    checkout.sessions(f"{PROFILE}discovery = {discovery}\n")
    questions: list[DestinationChanged] = []

    class Refusing(Nobody):
        async def allows(self, profile: str, moved: DestinationChanged) -> bool:
            questions.append(moved)
            return False

    opened = checkout.explorer(Refusing())
    opened.use("p")
    asyncio.run(opened.discover())
    assert len(questions) == asked


@pytest.mark.parametrize("line", ["call -p p p", "call --stdio ./serve p", "call ping --stdio ./serve p"])
def test_completion_starts_no_process(checkout: Shell, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout.run("profiles", "allow", "p", "--yes")
    monkeypatch.setenv(LINE, f"rpcexplorer {line}")
    monkeypatch.setenv(PART, "p")
    checkout.environment[COMPLETING] = "bash_complete"
    assert checkout.run().code == 0
    assert not (checkout.folder / "ran").exists()


def test_allow_shows_the_command_and_refuses_without_yes(checkout: Shell) -> None:
    ran, folder = checkout.run("profiles", "allow", "p"), checkout.folder.resolve()
    assert ran.code == 2
    words = f"words: ./serve -v ({checkout.folder}/sessions.toml:3)"
    shown = (f"folder: {folder}", words, f"program: {folder}/serve")
    assert [words for words in shown if words not in ran.err] == []


def test_one_yes_allows_command_and_destination(checkout: Shell) -> None:
    checkout.sessions(f'{PROFILE}auth = {{ kind = "member" }}\n')
    checkout.run("profiles", "secret", "p", "token", "--stdin", stdin=b"tok-4711-tok\n")
    checkout.sessions(f'{PROFILE}auth = {{ kind = "member", member = "key" }}\n'.replace(WORDS, OTHER))
    blocked = checkout.run("profiles", "secret", "p").text
    assert "origin: stdio:./serve -v → stdio:./serve -q" in blocked
    assert checkout.run("profiles", "allow", "p", "--yes").code == 0
    assert is_allowed(checkout)
    assert "blocked" not in checkout.run("profiles", "secret", "p").text


def test_moved_folder_blocks_the_secrets(checkout: Shell) -> None:
    text = f'{PROFILE}auth = {{ kind = "member" }}\n'
    checkout.sessions(text)
    checkout.run("profiles", "secret", "p", "token", "--stdin", stdin=b"tok-4711-tok\n")
    moved = checkout.folder.with_name("moved")
    plant(moved)
    (moved / "sessions.toml").write_text(text)
    checkout.folder = moved
    assert f"→ {moved.resolve()} ({moved}/sessions.toml:3)" in checkout.run("profiles", "secret", "p").text


def test_allowed_commands_are_listed_and_forgotten(checkout: Shell) -> None:
    checkout.run("profiles", "allow", "p", "--yes")
    folder = checkout.folder.resolve()
    assert f"process in folder {folder}: ./serve -v\n" in checkout.run("profiles", "allow", "--list").text
    assert "forgotten" in checkout.run("profiles", "allow", "p", "--forget").err
    assert not is_allowed(checkout)
    checkout.run("profiles", "allow", "p", "--yes")
    assert "forgotten" in checkout.run("profiles", "allow", "--folder", str(folder), "--forget").err
    assert not is_allowed(checkout)


def test_state_of_the_command_is_shown(checkout: Shell) -> None:
    assert "not allowed. Run rpcexplorer profiles allow p" in checkout.run("profiles", "show", "p").text
    assert "./serve -v" in checkout.run("profiles", "show", "p").text
    checkout.run("profiles", "allow", "p", "--yes")
    assert "not allowed" not in checkout.run("profiles", "show", "p").text
    set_again = checkout.run("profiles", "set", "p", f"command={OTHER}")
    assert "is not used before you allow it" in set_again.err


TOKEN = "tok-4711-of-a-command"
SECRET = """[profile.p]
url = "{url}"
path = "/rpc"
discovery = "none"
auth = {{ kind = "bearer", token_command = ["./token", "-v"] }}
"""


@pytest.fixture
def tokens(shell: Shell) -> Iterator[tuple[Shell, RawServer]]:
    """Return a shell in a folder whose project file names a command for the token, and the server."""
    with RawServer(lambda request: request.reply(result="pong")) as server:
        plant_token(shell.folder, server.origin)
        yield shell, server


def plant_token(folder: Path, url: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "sessions.toml").write_text(SECRET.format(url=url))
    (folder / "token").write_text(f"#!/bin/sh\necho ran >>{shlex.quote(str(folder / 'ran'))}\necho {TOKEN}\n")
    (folder / "token").chmod(0o755)


def test_secret_command_of_a_checkout_is_refused(tokens: tuple[Shell, RawServer]) -> None:
    shell, server = tokens
    ran, folder = shell.run("call", "ping", "-p", "p", "--yes"), shell.folder.resolve()
    assert ran.code == 2
    assert "The token command of profile p is blocked" in ran.err
    shown = ["auth.token_command: ./token -v", f"folder: {folder}", f"program of token_command: {folder}/token"]
    assert [words for words in (*shown, f"origin: {server.origin}") if words not in ran.err] == []
    assert not (shell.folder / "ran").exists()
    assert server.requests == []


def test_allowed_secret_command_runs_once(tokens: tuple[Shell, RawServer]) -> None:
    shell, server = tokens
    assert shell.run("profiles", "allow", "p", "--yes").code == 0
    for _ in range(2):
        assert shell.run("call", "ping", "-p", "p").code == 0
    assert [request.header("Authorization") for request in server.requests] == [f"Bearer {TOKEN}"] * 2
    assert (shell.folder / "ran").read_text() == "ran\n" * 2, "once for each run of the program"


@pytest.mark.parametrize(
    ("was", "now", "shown"),
    [
        ('"-v"', '"-q"', "./token -v → ./token -q"),
        ('["./token", "-v"]', '["-v", "./token"]', "→"),
        ('"/rpc"', '"/other"', "path: /rpc → /other"),
        ("http://127", "http://0x7f", "origin: http://127.0.0.1"),
        ("kind = ", 'username = "x", kind = ', "auth.username: not set → x"),
    ],
)
def test_change_of_secret_command_or_destination_is_refused(
    tokens: tuple[Shell, RawServer], was: str, now: str, shown: str
) -> None:
    shell, server = tokens
    shell.run("profiles", "allow", "p", "--yes")
    file = shell.folder / "sessions.toml"
    file.write_text(file.read_text().replace(was, now))
    ran = shell.run("call", "ping", "-p", "p", "--yes")
    assert ran.code == 2
    assert shown in ran.err
    assert not (shell.folder / "ran").exists()
    assert server.requests == []


def test_secret_command_of_another_profile_or_folder_is_refused(tokens: tuple[Shell, RawServer]) -> None:
    """The name counts, too: it would send the token to another server."""
    shell, server = tokens
    shell.run("profiles", "allow", "p", "--yes")
    shell.sessions(SECRET.format(url=server.origin).replace("profile.p", "profile.q"))
    assert shell.run("call", "ping", "-p", "q").code == 2
    shell.folder = shell.folder.with_name("moved")
    plant_token(shell.folder, server.origin)
    ran = shell.run("call", "ping", "-p", "p")
    assert f"→ {shell.folder.resolve()}" in ran.err
    assert not (shell.folder / "ran").exists()


@pytest.mark.parametrize("mine", ['url = "{url}"\npath = "/rpc"\n', 'url = "{url}"\nauth.kind = "bearer"\n', ""])
def test_own_profile_with_their_secret_command_is_refused(tokens: tuple[Shell, RawServer], mine: str) -> None:
    shell, server = tokens
    shell.own(f"[profile.p]\n{mine.format(url=server.origin)}")
    assert shell.run("call", "ping", "-p", "p").code == 2
    assert not (shell.folder / "ran").exists()


def test_own_secret_command_runs_beside_its_file(tokens: tuple[Shell, RawServer]) -> None:
    shell, server = tokens
    shell.own(SECRET.format(url=server.origin).replace("profile.p", "profile.mine"))
    config = shell.home / "config"
    (config / "token").write_text(f"#!/bin/sh\npwd >{shlex.quote(str(config / 'ran'))}\necho {TOKEN}\n")
    (config / "token").chmod(0o755)
    assert shell.run("call", "ping", "-p", "mine").code == 0
    assert (config / "ran").read_text().strip() == str(config)
    assert not (shell.folder / "ran").exists()
    shell.own(SECRET.format(url=server.origin.replace("127.0.0.1", "localhost")).replace("profile.p", "profile.mine"))
    moved = shell.run("call", "ping", "-p", "mine")
    assert moved.code == 3
    assert "the token of the command was first used for a different destination" in moved.err


def test_secret_command_in_a_preset_is_refused(tokens: tuple[Shell, RawServer]) -> None:
    shell, _ = tokens
    presets = shell.home / "config" / "presets"
    presets.mkdir(parents=True)
    (presets / "x.toml").write_text('path = "/"\nauth = { kind = "bearer", token_command = ["id"] }\n')
    assert "a preset cannot name a command" in shell.run("presets", "show", "x").err
    (presets / "x.toml").write_text('path = "/"\nauth = { kind = "jwt", secret_file = "/etc/passwd" }\n')
    assert "only a profile can set this key" in shell.run("presets", "show", "x").err


SENDING_SECRETS = [
    *("call ping -p p --yes --no-input", "call @saved -p p --yes", "notify ping -p p --yes", "batch -p p --yes"),
    *("listen -p p --yes", "listen ping -p p --yes", "replay case.toml -p p --yes", "check -p p --yes"),
    *("compare case.toml -p p -p q --yes", "login -p p", "login -p q", "methods -p p --refresh"),
    *("profiles test p --no-input", "profiles test p --apply --yes", "load @saved -p p --run-time 1s --yes"),
    *("--sessions sessions.toml call ping -p p --yes", "profiles trust p", "profiles secret p"),
]
QUIET = [
    *("call ping -p p --dry-run", "notify ping -p p --dry-run", "methods -p p", "params ping -p p", "logout -p p"),
    *("profiles list", "profiles show p", "profiles check", "profiles secret p", "history list"),
    "load @saved -p p --run-time 1s --dry-run",
]
MORE_SECRETS = """
[profile.p.call.saved]
method = "ping"
expect.outcome = "result"
[profile.q]
url = "{url}"
auth = {{ kind = "cookie", username = "ada", password_command = ["./token"] }}
"""


@pytest.mark.parametrize(
    ("words", "allowed"),
    [(words, False) for words in (*SENDING_SECRETS, "profiles allow p")] + [(words, True) for words in QUIET],
)
def test_no_command_runs_the_secret_command(
    tokens: tuple[Shell, RawServer], words: str, allowed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell, server = tokens
    monkeypatch.chdir(shell.folder)
    shell.sessions(SECRET.format(url=server.origin) + MORE_SECRETS.format(url=server.origin))
    (shell.folder / "case.toml").write_text(CASE)
    if allowed:
        shell.run("profiles", "allow", "p", "--yes")
    stdin = b'[{"method": "ping"}]' if words.startswith("batch") else b""
    assert shell.run(*words.split(), stdin=stdin).code != 70
    assert not (shell.folder / "ran").exists()
    assert server.requests == []


def test_state_of_the_secret_command_is_shown(tokens: tuple[Shell, RawServer]) -> None:
    shell, _ = tokens
    assert "not allowed. Run rpcexplorer profiles allow p" in shell.run("profiles", "show", "p").text
    assert "auth.token_command  ./token -v" in shell.run("profiles", "show", "p").text
    assert "token     from command (auth.token_command)" in shell.run("profiles", "secret", "p").text
    shell.run("profiles", "allow", "p", "--yes")
    assert "./token" in shell.run("profiles", "allow", "--list").text
    assert shell.run("profiles", "allow", "p", "--forget").code == 0
    assert shell.run("call", "ping", "-p", "p").code == 2
