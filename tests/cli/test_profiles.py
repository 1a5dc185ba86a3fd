"""``profiles add`` and ``profiles set``: options, values and messages."""

from __future__ import annotations

import re
import shlex
import tomllib
from typing import Any, Final

import pytest

from tests.fakes.shell import Ran, Shell
from tests.fakes.wire import RawServer, Received, http_reply

URL: Final = "http://127.0.0.1:9"


def added(shell: Shell, words: str, url: str = URL) -> tuple[Ran, dict[str, Any]]:
    """Add a profile; return the output and the file's profile."""
    ran = shell.run("profiles", "add", "p", "--url", url, *shlex.split(words))
    path = shell.user_file
    return ran, tomllib.loads(path.read_text())["profile"]["p"] if path.exists() else {}


EVERYTHING: Final = (
    "--path /x --description 'A few words' --badge prod --confirm always --timeout 5 --content-type application/json "
    "--accept text/x --empty-params omit --envelope 1.0 --id number --header X-A=b=c --header X-B=d "
    f"--certificate {'ab' * 32} --handshake X-Session --discovery system.listMethods "
    "--auth cookie --username ann --cookie sid --login-method open --login-session /sid "
    """--login-params '{"u": "{username}", "more": [1, {"x": "y"}]}' --login-ended-status 419 --login-ended-codes -7 """
    "--login-ended-codes 8 --login-ended-words bye"
)


def test_every_option_is_written_to_the_file(shell: Shell) -> None:
    ran, written = added(shell, EVERYTHING)
    assert (ran.code, ran.out) == (0, b"")
    assert written == {
        "url": URL, "path": "/x", "description": "A few words", "badge": "prod", "confirm": "always", "timeout": 5,
        "content_type": "application/json", "accept": "text/x", "empty_params": "omit", "envelope": "1.0",
        "id": "number", "headers": {"X-A": "b=c", "X-B": "d"}, "certificate": "ab" * 32,
        "handshake": {"header": "X-Session"}, "discovery": "system.listMethods",
        "auth": {"kind": "cookie", "username": "ann", "cookie": "sid"},
        "login": {
            "method": "open", "session": "/sid", "params": {"u": "{username}", "more": [1, {"x": "y"}]},
            "ended_status": [419], "ended_codes": [-7, 8], "ended_words": ["bye"],
        },
    }  # fmt: skip
    assert shell.run("profiles", "show", "p").code == 0


@pytest.mark.parametrize(
    ("words", "key", "value"),
    [
        ("--timeout 0.5", "timeout", 0.5),
        ("--handshake mcp", "handshake", "mcp"),
        ("--discovery /openrpc.json", "discovery", {"url": "/openrpc.json"}),
        ("--discovery none", "discovery", "none"),
        ("--login-session ''", "login", {"session": ""}),
        ("--auth header --auth-header X-Key --value 'Token {token}'", "auth",
         {"kind": "header", "header": "X-Key", "value": "Token {token}"}),
        ("--auth query --name key", "auth", {"kind": "query", "name": "key"}),
        ("--auth member --member session", "auth", {"kind": "member", "member": "session"}),
        ("--auth inline --username-member user", "auth", {"kind": "inline", "username_member": "user"}),
        ("--username ada", "auth", {"username": "ada"}),
    ],
)  # fmt: skip
def test_values_are_written_as_toml_types(shell: Shell, words: str, key: str, value: Any) -> None:
    ran, written = added(shell, words)
    assert ran.code == 0, ran.err
    assert written[key] == value


def test_typed_path_is_written_relative_to_the_file(shell: Shell) -> None:
    words = "--ca-file ca.pem --cert-file /etc/me.pem --key-file ~/me.key --history calls --discovery @doc.json"
    _, written = added(shell, words)
    here = shell.folder
    assert (written["ca_file"], written["cert_file"], written["key_file"]) == (
        f"{here}/ca.pem",
        "/etc/me.pem",
        "~/me.key",
    )
    assert (written["history"], written["discovery"]) == (f"{here}/calls", {"file": f"{here}/doc.json"})
    shell.run("profiles", "add", "p", "--url", URL, *shlex.split(words), "--team")
    team = tomllib.loads((here / "sessions.toml").read_text())["profile"]["p"]
    assert (team["ca_file"], team["history"], team["discovery"]) == ("ca.pem", "calls", {"file": "doc.json"})


WRONG: Final = [
    ("--envelope 2", '--envelope: must be one of "2.0", "1.1"'),
    ("--timeout 0", "--timeout: 0 is not valid"),
    ("--path '/a b'", "--path: must be text such as"),
    ("--header X-A", "--header must be NAME=VALUE"),
    ("--header Accept=b", "--header Accept: set the key `accept` instead of this header"),
    ("--preset bitcion", "--preset: there is no preset `bitcion`. Did you mean `bitcoin`?"),
    ("--preset ../x", "--preset: there is no preset `../x`. The presets are"),
    (
        "--auth-header X-Key",
        "--auth-header: auth type cookie has no header. Use --auth with one of these types: header.",
    ),
    (
        "--preset bitcoin --cookie x",
        "--cookie: auth type basic has no cookie. Use --auth with one of these types: cookie",
    ),
    ("--auth header --auth-header host", "--auth-header: must be the name of a header that holds a token"),
    ("--auth header --value x", "--value: must be text that contains {token}"),
    ("--framing lines", "--framing: only streams and processes have a framing. Remove this option.\n"),
    ("--url stdio:", "Name one server, with --url URL or with --stdio WORDS."),
    ("--login-ended-status 7", "--login-ended-status: 7 is not valid"),
    ("--login-params [", "--login-params is not valid JSON: line 1, column 2: [ is not closed. Write ]"),
    ("--login-params '[null]'", "--login-params: sessions.toml cannot contain null"),
    ("--login-params 7", "--login-params: must be an array or a table"),
    ("""--login-params '{"password": "hunter2hunter2"}'""", "--login-params: secrets are not allowed in this file"),
]


@pytest.mark.parametrize(("words", "message"), WRONG)
def test_wrong_value_names_its_option_and_writes_nothing(shell: Shell, words: str, message: str) -> None:
    ran, written = added(shell, words)
    assert (ran.code, ran.out, written) == (2, b"", {})
    assert len(ran.messages) == 1
    assert message in ran.err
    assert "hunter2" not in ran.err
    assert not shell.user_file.exists()


@pytest.mark.parametrize("name", ["a b", "../x", ""])
def test_wrong_profile_name_is_reported(shell: Shell, name: str) -> None:
    ran = shell.run("profiles", "add", name, "--url", URL)
    assert ran.code == 2
    assert f"NAME {name}: not a valid profile name" in ran.err


def test_preset_adds_path_auth_type_and_advice(shell: Shell) -> None:
    ran, written = added(shell, "--preset bitcoin --username rpc")
    assert written == {"url": URL, "preset": "bitcoin", "auth": {"username": "rpc"}}
    assert f"calls go to {URL}/\n" in ran.err
    assert "bitcoin: User name and password are rpcuser and rpcpassword" in ran.err
    assert "hint: To store the password, run:\n  rpcexplorer profiles secret p password" in ran.err
    shell.run("profiles", "remove", "p", "--yes")
    assert added(shell, "--preset aria2")[1] == {"url": URL, "preset": "aria2"}


@pytest.mark.parametrize(
    ("url", "words", "path", "endpoint"),
    [
        (URL, "--preset aria2", None, f"{URL}/jsonrpc"),
        (f"{URL}/", "--preset aria2", "/", f"{URL}/"),
        (f"{URL}/rpc", "--preset aria2", "/rpc", f"{URL}/rpc"),
        (URL, "--preset aria2 --path /y", "/y", f"{URL}/y"),
        (URL, "", None, f"{URL}/api/v2/"),
    ],
)
def test_url_without_path_gets_the_presets_path(
    shell: Shell, url: str, words: str, path: str | None, endpoint: str
) -> None:
    ran, written = added(shell, words, url)
    assert (written["url"], written.get("path")) == (URL, path)
    assert f"calls go to {endpoint}\n" in ran.err


def test_damaged_preset_is_not_used(shell: Shell) -> None:
    folder = shell.home / "config" / "presets"
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text("pth = 1")
    ran, written = added(shell, "--preset mine")
    assert (ran.code, written) == (2, {})
    assert f"--preset: {folder / 'mine.toml'}:1: pth: `pth` is not a key of a preset" in ran.err


def test_defaults_are_not_written(shell: Shell) -> None:
    ran, written = added(shell, "")
    assert written == {"url": URL}
    assert f"calls go to {URL}/api/v2/" in ran.err
    assert "rpcexplorer profiles test p --apply" in ran.err
    assert re.search(r"\n  preset +service +default\n", shell.run("profiles", "show", "p").text)


TEAM = """\
version = 1

[profile.staging]
url = "http://127.0.0.1:1"   # the team's
"""


def commands(ran: Ran) -> list[list[str]]:
    """Return the command lines of a hint."""
    lines = (line.strip() for line in ran.err.splitlines())
    return [shlex.split(line)[1:] for line in lines if line.startswith("rpcexplorer profiles ")]


@pytest.fixture
def own(shell: Shell) -> Shell:
    shell.run("profiles", "add", "mine", "--url", "http://127.0.0.1:1", "--auth", "none")
    return shell


def test_set_prints_old_values_and_the_file(own: Shell) -> None:
    ran = own.run("profiles", "set", "mine", "content_type=application/json", "timeout=5", "auth.kind=basic")
    file = own.user_file
    assert (ran.code, ran.out) == (0, b"")
    assert "content_type: application/json-rpc → application/json\n" in ran.err
    assert "auth.kind: none → basic\n" in ran.err
    assert f"changed profile mine in {file}" in ran.err
    assert 'content_type = "application/json"\n' in file.read_text()
    assert "timeout = 5\n" in file.read_text()
    again = own.run("profiles", "set", "mine", "timeout=5", "auth.kind=basic", "description=").err
    assert "timeout: 5 (unchanged)\n" in again
    assert "auth.kind: basic (unchanged)\n" in again
    assert "description: not set (unchanged)\n" in again
    assert own.run("profiles", "set", "mine", "content_type=").code == 0
    assert "content_type" not in file.read_text()


def test_answer_is_replaced_in_one_command(own: Shell) -> None:
    key = 'answer."a/b"'
    own.run("profiles", "set", "mine", f"{key}.ask=true")
    refused = own.run("profiles", "set", "mine", f"{key}.result_json=1")
    assert refused.code == 2
    assert "must be a table with exactly one of result, result_json, error and ask. To replace" in refused.err
    command = shlex.split(refused.err.splitlines()[-1])
    replaced = own.run(*command[1:])
    assert f"{key}.result_json: not set → 1\nrpcexplorer: {key}.ask: true → not set\n" in replaced.err
    assert f"{key}.result_json: 1 → 2\n" in own.run("profiles", "set", "mine", f"{key}.result_json=2").err


def test_refused_removal_names_the_whole_answer(own: Shell) -> None:
    file = own.user_file
    file.write_text(file.read_text() + '\n[profile.mine.answer."a/b"]\nask = true\n')
    refused = own.run("profiles", "set", "mine", 'answer."a/b".ask=')
    assert (refused.code, 'To remove the answer, remove all of `answer."a/b"`' in refused.err) == (2, True)
    assert own.run("profiles", "set", "mine", 'answer."a/b"=').code == 0
    assert "a/b" not in file.read_text()


def test_project_profile_is_changed_in_local_file(shell: Shell) -> None:
    team, local = shell.sessions(TEAM), shell.folder / "sessions.local.toml"
    ran = shell.run("profiles", "set", "staging", "empty_params={}")
    assert f"in {local}" in ran.err
    assert team.read_text() == TEAM
    ran = shell.run("profiles", "set", "staging", "--team", "empty_params=omit", "accept=application/json")
    assert f"warning: empty_params is saved in {team}, but {local}:6 overrides it" in ran.err
    assert team.read_text() == TEAM + 'empty_params = "omit"\naccept = "application/json"\n'
    named = shell.folder / "named.toml"
    named.write_text(TEAM)
    assert shell.run("--sessions", str(named), "profiles", "set", "staging", "badge=dev").code == 0
    assert named.read_text() == TEAM + 'badge = "dev"\n'


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["mine", "contnt_type=application/json"], "Did you mean `content_type`"),
        (["mine", "timeout=soon"], "must be a number of seconds"),
        (["mine", "badge=dev", "headers.Authorization=Bearer x"], "this header contains a secret"),
        (["mine", "content_type"], "is not KEY=VALUE"),
        (["mine"], "KEY=VALUE"),
        (["mine", "url="], "the profile has no `url`"),
        (["nobody", "badge=dev"], "There is no profile `nobody`"),
        (["mine", "--team", "badge=dev"], "No project file describes mine"),
    ],
)
def test_wrong_change_is_reported_and_nothing_written(own: Shell, words: list[str], message: str) -> None:
    before = own.user_file.read_text()
    ran = own.run("profiles", "set", *words)
    assert ran.code == 2
    assert message in ran.err
    assert own.user_file.read_text() == before


@pytest.mark.parametrize(
    ("change", "asks"),
    [("path=/other", True), ("auth.kind=header", True), ("content_type=a/b", False), ("timeout=5", False)],
)
def test_set_reports_a_secret_that_needs_allow(shell: Shell, change: str, asks: bool) -> None:
    shell.run("profiles", "add", "mine", "--url", "http://127.0.0.1:1/rpc", "--auth", "bearer")
    assert shell.run("profiles", "secret", "mine", "token", "--stdin", stdin=b"t0ken-t0ken").code == 0
    ran = shell.run("profiles", "set", "mine", change)
    assert ran.code == 0
    assert ("warning: Secrets of mine are blocked: token." in ran.err) == asks
    assert ("\n  rpcexplorer profiles allow mine\n" in ran.err) == asks
    assert (shell.run("call", "ping").code == 3) == asks


def picky(request: Received) -> bytes:
    """Accept only application/json-rpc, then Basic, then named params."""
    if request.header("content-type") != "application/json-rpc":
        return http_reply(b"", 415)
    if not (request.header("authorization") or "").startswith("Basic "):
        return http_reply(b"<h1>401</h1>", 401, {"WWW-Authenticate": 'Basic realm="node"'})
    if b'"params":[]' in request.body:
        return http_reply(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"params must be an object"}}')
    return http_reply(b'{"jsonrpc":"2.0","id":null,"result":"pong"}')


@pytest.mark.parametrize("saved", [True, False])
def test_commands_of_hints_lead_to_a_result(shell: Shell, *, saved: bool) -> None:
    with RawServer(picky) as server:
        called = ["call", "ping", "--url", f"{server.origin}/"]
        if saved:
            shell.run("profiles", "add", "node", "--url", f"{server.origin}/", "--auth", "none")
            called = ["call", "ping"]
        codes = []
        for _ in range(4):
            ran = shell.run(*called, stdin=b"")
            codes.append(ran.code)
            for command in commands(ran):
                line = ["node" if word == "NAME" else word for word in command]
                secret = ["--stdin"] if "secret" in line else []
                more = ["auth.username=ada"] if "auth.kind=basic" in line else []
                assert shell.run(*line, *more, *secret, stdin=b"hunter2hunter2\n").code == 0, line
                called = ["call", "ping"]
    assert codes == [5, 3, 1, 0]
    assert (ran.text, ran.err.count("hint")) == ('"pong"\n', 0)


def test_http_refusal_is_not_malformed_and_exits_3(own: Shell) -> None:
    with RawServer(http_reply(b"", 401, {"WWW-Authenticate": "Basic"})) as server:
        own.run("profiles", "set", "mine", f"url={server.origin}")
        ran = own.run("call", "ping")
    assert ran.code == 3
    assert ran.err.startswith("rpcexplorer: ! HTTP 401 Unauthorized: the server asks for credentials (Basic).")
    assert "malformed" not in ran.err
    assert "hint: The server asks for Basic auth.\n" in ran.err
    assert commands(ran) == [
        ["profiles", "set", "mine", "auth.kind=basic"],
        ["profiles", "secret", "mine", "username"],
        ["profiles", "secret", "mine", "password"],
    ]


def test_hint_from_hostile_server_has_no_command(own: Shell) -> None:
    place = "http://h/$(touch x);`id`\x1b]52;c;eA==\x07"
    with RawServer(http_reply(b"", 308, {"Location": place})) as server:
        own.run("profiles", "set", "mine", f"url={server.origin}")
        ran = own.run("call", "ping")
    assert "hint: The server redirects to an unusual URL." in ran.err
    assert "\x1b" not in ran.err
    assert commands(ran) == []


def test_records_of_a_renamed_profile_keep_its_old_name(shell: Shell) -> None:
    with RawServer(http_reply(b'{"jsonrpc":"2.0","id":"1","result":7}')) as server:
        shell.run("profiles", "add", "old", "--url", f"{server.origin}/rpc")
        assert shell.run("-p", "old", "call", "ping").code == 0
    ran = shell.run("profiles", "rename", "old", "new")
    file = shell.user_file
    assert (ran.code, ran.out) == (0, b"")
    assert ran.err == f"rpcexplorer: renamed profile old to new in {file}\n"
    assert "[profile.new]" in file.read_text()
    assert b"ping" in shell.run("history", "list", "-p", "old").out
    assert shell.run("profiles", "show", "new").code == 0
    ran = shell.run("profiles", "rename", "old", "newer")
    assert ran.code == 2
    assert "There is no profile `old`. Your profiles: new" in ran.err


def test_add_of_an_existing_name_suggests_set(shell: Shell) -> None:
    shell.run("profiles", "add", "fl", "--url", "http://127.0.0.1:1")
    ran = shell.run("profiles", "add", "fl", "--url", "http://127.0.0.1:2")
    assert ran.code == 2
    assert "already has a profile `fl`. Choose another name, or change it with `rpcexplorer profiles set fl" in ran.err


def test_wrong_value_mentions_quotes_only_if_typed(shell: Shell) -> None:
    ran = shell.run("profiles", "add", "fl", "--url", "ftp://foo")
    assert (ran.code, ran.err.partition(", https")[0]) == (
        2,
        "rpcexplorer: --url: must be a URL that begins with http://",
    )
    shell.run("profiles", "add", "fl", "--url", "http://127.0.0.1:1")
    assert shell.run("profiles", "set", "fl", 'timeout="5"').err.endswith("greater than 0, without quotes\n")
    assert shell.run("profiles", "set", "fl", "timeout=abc").err.endswith(
        "must be a number of seconds greater than 0\n"
    )
