"""A URL means the same wherever it is typed, and failures name it."""

from __future__ import annotations

import pytest

from tests.cli.test_call import PONG
from tests.fakes.shell import Shell
from tests.fakes.wire import RawServer, http_reply


@pytest.mark.parametrize("path", ["/", "/rpc", "/a/b?x=1"])
def test_url_with_path_is_used_unchanged(shell: Shell, path: str) -> None:
    with RawServer(PONG) as server:
        assert shell.run("call", "m", "--url", f"{server.origin}{path}").code == 0
        added = shell.run("profiles", "add", "x", "--url", f"{server.origin}{path}", "--auth", "none")
        assert f"calls go to {server.origin}{path}\n" in added.err
        assert shell.run("call", "m", "-p", "x").code == 0
    assert [request.line.split()[1] for request in server.requests] == [path, path]


def test_url_without_path_gets_usual_path(shell: Shell) -> None:
    with RawServer(PONG) as server:
        added = shell.run("profiles", "add", "x", "--url", server.origin, "--auth", "none")
        shell.run("call", "m", "-p", "x")
        shell.run("call", "m", "--url", server.origin)
    assert f"calls go to {server.origin}/api/v2/\n" in added.err
    assert [request.line.split()[1] for request in server.requests] == ["/api/v2/", "/api/v2/"]


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (http_reply(b"<h1>no</h1>", status=404, reason="Not Found"), 5),
        (http_reply(b"", status=401, reason="Unauthorized"), 3),
        (http_reply(b'{"jsonrpc": "2.0", "id": "x", "error": {"code": -32601, "message": "no"}}'), 1),
        (b"", 4),
    ],
)
def test_failure_names_the_called_url(shell: Shell, reply: bytes, code: int) -> None:
    with RawServer(reply) as server:
        ran = shell.run("call", "m", "--id", "x", "--url", f"{server.origin}/rpc")
        asked = shell.run("--url", f"{server.origin}/rpc", "methods", "--refresh")
    assert ran.code == code
    assert f"called {server.origin}/rpc" in ran.err
    if code != 1:
        assert f"{server.origin}/rpc" in asked.err


def test_default_profile_can_be_set_and_printed(shell: Shell) -> None:
    shell.sessions('[profile.a]\nurl = "http://127.0.0.1:9"\n[profile.b]\nurl = "http://127.0.0.1:9"\n')
    none = shell.run("call", "m")
    assert none.code == 2
    assert "-p NAME" in none.err
    assert "rpcexplorer profiles default NAME" in none.err
    assert shell.run("profiles", "default").code == 2
    assert shell.run("profiles", "default", "c").code == 2
    team = (shell.folder / "sessions.toml").read_text()
    chosen = shell.run("profiles", "default", "b")
    assert (chosen.code, "sessions.local.toml" in chosen.err) == (0, True)
    assert shell.run("profiles", "default").text == "b\n"
    assert "/b/" not in shell.run("call", "m").err
    assert (shell.folder / "sessions.toml").read_text() == team
    shell.run("profiles", "default", "a", "--team")
    assert "overrides this choice: the default profile here is b" in shell.run("profiles", "default", "a", "--team").err


@pytest.mark.parametrize("words", [["http://127.0.0.1:9/rpc"], ["--url", "http://127.0.0.1:9/rpc"]])
def test_screen_needs_a_terminal(shell: Shell, words: list[str]) -> None:
    ran = shell.run(*words)
    assert ran.code == 2
    assert "rpcexplorer call METHOD --url http://127.0.0.1:9/rpc" in ran.err


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ([], "Remove it"),
        (["--frob"], "There is no option --frob. To read the help, run:\n  rpcexplorer --help\n"),
        (["--version"], "The option --version must be before URL."),
        (["x.txt"], "x.txt is not a case."),
    ],
)
def test_url_with_a_password_is_not_repeated(shell: Shell, more: list[str], message: str) -> None:
    ran = shell.run("http://me:pw-4711@127.0.0.1:9/rpc", *more)
    assert (ran.code, message in ran.err, "pw-4711" in ran.err) == (2, True, False)


@pytest.mark.parametrize(
    "line",
    ["", "methods", "methods zzz", "params zzz", "call m --dry-run", "profiles test URL", "profiles test URL --json"],
)
def test_url_with_a_token_is_not_repeated(shell: Shell, line: str) -> None:
    url = "http://127.0.0.1:9/rpc?token=s3cretS3cret4711"
    words = line.split()
    ran = shell.run(*(url if word == "URL" else word for word in words), *([] if "URL" in words else ["--url", url]))
    assert "/rpc?token=«not recorded»" in ran.err + ran.text
    assert "s3cret" not in ran.err + ran.text


def test_removed_default_profile_restores_the_default_below(shell: Shell) -> None:
    shell.sessions('default = "b"\n[profile.a]\nurl = "http://127.0.0.1:9"\n[profile.b]\nurl = "http://127.0.0.1:9"\n')
    shell.run("profiles", "default", "a")
    assert shell.run("profiles", "default").text == "a\n"
    assert shell.run("profiles", "remove", "a", "--yes").code == 0
    assert "default" not in (shell.folder / "sessions.local.toml").read_text()
    assert shell.run("profiles", "default").text == "b\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--url", "http://a", "call", "m", "--url", "http://b"], "Name only one URL."),
        (["call", "m", "--url", ""], "A URL begins with http://, https://"),
        (["call", "m", "--url", "tcp:127.0.0.1:9"], "wss://, tcp://"),
        (["call", "m", "--url", "127.0.0.1/api"], "A URL begins with http://, https://"),
        (["127.0.0.1/api"], "A URL begins with http://, https://"),
    ],
)
def test_invalid_url_is_reported_before_anything_else(shell: Shell, words: list[str], message: str) -> None:
    ran = shell.run(*words)
    assert ran.code == 2
    assert message in ran.err
    assert shell.run("history", "list").text == ""


@pytest.mark.parametrize(
    "words", [["call", "ping", "--url"], ["--url", "ADDRESS", "call", "ping"], ["batch", "--url"], ["profiles", "test"]]
)
def test_host_and_port_are_called_with_http(shell: Shell, words: list[str]) -> None:
    address = "127.0.0.1:9/rpc"
    given = [address if word == "ADDRESS" else word for word in words]
    ran = shell.run(*given, *([] if address in given else [address]), stdin=b'[{"method": "ping"}]')
    assert ran.code == 4
    assert f"the URL has no scheme, so calls go to http://{address}\n" in ran.err


def test_host_and_port_become_the_url_of_a_profile(shell: Shell) -> None:
    assert shell.run("profiles", "add", "a", "--url", "127.0.0.1:443").code == 0
    assert shell.run("profiles", "list").text.split()[-1] == "https://127.0.0.1:443/api/v2/"
    assert shell.run("profiles", "set", "a", "url=[::1]:9").code == 0
    assert shell.run("profiles", "list").text.split()[-1] == "http://[::1]:9/api/v2/"
    ran = shell.run("127.0.0.1:9")
    assert ran.err.endswith("To send a call, run:\n  rpcexplorer call METHOD --url 127.0.0.1:9\n")


@pytest.mark.parametrize("words", [[], ["call"], ["profiles"], ["profiles", "add"]])
def test_help_command_is_the_help_option(shell: Shell, words: list[str]) -> None:
    ran = shell.run("help", *words)
    assert ran.code == 0
    assert ran == shell.run(*words, "--help")


@pytest.mark.parametrize("word", ["-h", "--help"])
def test_help_option_after_url_prints_help(shell: Shell, word: str) -> None:
    ran = shell.run("http://127.0.0.1:9/api", word)
    assert ran.code == 0
    assert ran == shell.run("--help")


@pytest.mark.parametrize("more", [[], ["--dry-run"]])
def test_duplicate_member_name_is_a_warning(shell: Shell, more: list[str]) -> None:
    with RawServer(PONG) as server:
        ran = shell.run("call", "m", '{"a": 1, "a": 2}', "--url", server.origin, *more)
    assert ran.code == 0
    assert "appears twice in one object and is sent as typed" in ran.err


def test_program_options_are_accepted_after_a_command(shell: Shell) -> None:
    other = shell.folder / "other.toml"
    other.write_text('[profile.a]\nurl = "http://127.0.0.1:1"\n[profile.b]\nurl = "http://127.0.0.1:2"\n')
    shown = shell.run("--sessions", "other.toml", "-p", "b", "profiles", "show")
    assert shown.code == 0
    assert shell.run("profiles", "--sessions", "other.toml", "show", "-p", "b") == shown
    assert shell.run("profiles", "show", "--profile", "b", "--sessions", "other.toml") == shown
    assert shell.run("params", "ping", "--url", "http://127.0.0.1:1").text == "[]\n"


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("compare --url http://h", "--url"),
        ("history list --url http://h", "--url"),
        ("copy --url http://h", "--url"),
        ("demo --serve --url http://h", "--url"),
        ("profiles default -p prod", "-p"),
        ("profiles remove shop -p other --yes", "-p"),
        ("profiles set shop timeout=3 -p other", "-p"),
        ("profiles -p shop list", "-p"),
        ("presets --url http://h", "--url"),
        ("manual --profile shop", "--profile"),
    ],
)
def test_option_without_effect_is_refused(shell: Shell, line: str, option: str) -> None:
    shell.sessions('[profile.shop]\nurl = "http://127.0.0.1:1"\n[profile.other]\nurl = "http://127.0.0.1:2"\n')
    ran = shell.run(*line.split())
    assert (ran.code, ran.text) == (2, "")
    assert f"There is no option {option}." in ran.err


@pytest.mark.parametrize("line", ["call ping", "profiles list", "profiles set shop badge=dev"])
@pytest.mark.parametrize("by", ["--sessions", "RPCEXPLORER_SESSIONS"])
def test_missing_project_file_ends_the_command(shell: Shell, line: str, by: str) -> None:
    shell.sessions('[profile.shop]\nurl = "http://127.0.0.1:1"\n')
    if by == "--sessions":
        ran = shell.run("--sessions", "none.toml", *line.split())
    else:
        ran = shell.run(*line.split(), RPCEXPLORER_SESSIONS="none.toml")
    sentence = f"{shell.folder / 'none.toml'}: there is no such file. Correct the path in {by}"
    assert (ran.code, ran.text, ran.err) == (2, "", f"rpcexplorer: {sentence}\n")


def test_added_profile_creates_the_named_file(shell: Shell) -> None:
    new = str(shell.folder / "new.toml")
    ran = shell.run("--sessions", new, "profiles", "add", "shop", "--url", "http://127.0.0.1:1")
    assert ran.code == 0
    assert "no such file" not in ran.err
    assert shell.run("--sessions", new, "profiles", "show", "shop").code == 0


@pytest.mark.parametrize("first", ["http://127.0.0.1:9/rpc", "calls.toml"])
def test_options_are_accepted_after_url_or_case(shell: Shell, first: str) -> None:
    (shell.folder / "calls.toml").write_text("")
    (shell.folder / "other.toml").write_text('[profile.b]\nurl = "http://127.0.0.1:2"\n')
    ran = shell.run(first, "--sessions", "other.toml")
    assert "The screen needs a terminal." in ran.err
    options = ["-p", "b", "--sessions", "other.toml"]
    assert shell.run(first, *options) == shell.run(*options, first)
    assert shell.run(first, "--url", "http://h") == shell.run("--url", "http://h", first)


def test_profile_in_a_pipe_names_the_command_to_run(shell: Shell) -> None:
    shell.sessions('[profile.shop]\nurl = "http://127.0.0.1:1"\n')
    ran = shell.run("-p", "shop")
    assert (ran.code, ran.text) == (2, "")
    assert ran.err.endswith("To send a call, run:\n  rpcexplorer call METHOD -p shop\n")
