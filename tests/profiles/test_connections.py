"""Profiles of connections that stay open, Unix sockets and processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from rpcexplorer.auth.token import MemberAuth
from rpcexplorer.model.problem import Changes, Problem
from rpcexplorer.model.profile import Answer, Profile, own_initialize
from rpcexplorer.profiles.edits import ProfileEdits
from rpcexplorer.profiles.profiles import Profiles
from tests.profiles.reading import good, read

STDIO = 'url = "stdio:"\ncommand = ["pylsp"]\n'


def user(folder: Path, lines: str) -> Profiles:
    return read(folder, own=f"[profile.p]\n{lines}\n")


def test_keys_of_a_process_reach_the_profile(tmp_path: Path) -> None:
    profile = good(
        user(tmp_path, 'url = "STDIO:"\ncommand = ["py lsp", "-v"]\nframing = "length"\nhandshake = "lsp"'), "p"
    )
    assert (profile.url, profile.path, profile.command) == ("stdio:", "", ("py lsp", "-v"))
    assert (profile.framing, profile.handshake, profile.auth.kind) == ("length", "lsp", "none")
    assert (profile.endpoint, profile.origin) == ("stdio:'py lsp' -v", "stdio:'py lsp' -v")
    assert not profile.is_service


@pytest.mark.parametrize(
    "url",
    [
        *("ws://h", "wss://h:1/x", "tcp://127.0.0.1:1705", "tls://[::1]:1", "TCP://h:1"),
        *("unix:///run/x.sock", "unix:///a b/x:1", "http+unix:///run/x.sock", "ws+unix:///run/x.sock"),
    ],
)
def test_urls_of_connections_are_accepted(tmp_path: Path, url: str) -> None:
    assert good(user(tmp_path, f'url = "{url}"'), "p").url == url


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("tcp://h", "end with host and port"),
        ("tcp://h:1/", "end with host and port"),
        ("tls://h:1/x", "end with host and port"),
        ("tcp://h:0", "a port from 1 to 65535"),
        ("tcp://u:p@h:1", "user name or password"),
        ("ws://u@h", "user name or password"),
        ("wss://h?x=1", "must not contain `?`"),
        ("unix://run/x", "absolute path of a socket"),
        ("unix:/run/x", "must be a URL that begins"),
        ("unix:///run/", "absolute path of a socket"),
        ("unix:///run/\\u001b", "absolute path of a socket"),
        ("http+unix:///run/x.sock:/rpc", "Write the path of the request into `path`"),
        ("ws+unix:///run/x.sock:/rpc", "Write the path of the request into `path`"),
        ("ws+unix://%2Frun%2Fx.sock", "absolute path of a socket, such as ws+unix:///run"),
        ("ws://unix:/run/x.sock", "must name a Unix socket like ws+unix:///run/service.sock"),
        ("HTTP://unix:/run/x.sock", "must name a Unix socket like http+unix:///"),
        ("stdio:pylsp", "Write its words into `command`"),
        ("stdio://x", "Write its words into `command`"),
    ],
)
def test_wrong_url_of_a_connection_is_refused(tmp_path: Path, url: str, words: str) -> None:
    (problem,) = user(tmp_path, f'url = "{url}"').problems
    assert (problem.key, words in problem.sentence) == ("profile.p.url", True)


@pytest.mark.parametrize(
    ("lines", "key", "words"),
    [
        ('url = "tcp://h:1"\npath = "/"', "path", "only HTTP and WebSocket have a path"),
        ('url = "unix:///x"\nheaders = { A = "b" }', "headers.A", "only HTTP and WebSocket have headers"),
        ('url = "tls://h:1"\ncontent_type = "a/b"', "content_type", "only HTTP"),
        ('url = "ws://h"\naccept = "a/b"', "accept", "only HTTP"),
        ('url = "ws://h"\nframing = "lines"', "framing", "only streams and processes"),
        ('url = "http://h"\nframing = "length"', "framing", "only streams and processes"),
        ('url = "http+unix:///x"\nframing = "length"', "framing", "only streams and processes"),
        ('url = "tcp://h:1"\nauth = { kind = "bearer" }', "auth.kind", "one of none, inline, first, member"),
        (f'{STDIO}auth = {{ kind = "cookie" }}', "auth.kind", 'auth type "cookie" needs HTTP or WebSocket.'),
        ('url = "ws://h"\nauth = { kind = "digest" }', "auth.kind", "cannot answer a challenge"),
        ('url = "ws://h"\nhandshake = { header = "X-Id" }', "handshake", "only HTTP has a handshake with a header"),
        ('url = "http://h"\nhandshake = "lsp"', "handshake", "a connection that stays open"),
        ('url = "ws://h"\ndiscovery = { url = "/a" }', "discovery", "only HTTP has a document"),
        ('url = "stdio:"', "command", "needs the command of the server"),
        ('url = "http://h"\ncommand = ["pylsp"]', "command", 'needs url = "stdio:"'),
        ('url = "stdio:"\ncommand = "pylsp"', "command", "an array of 1 to 64 words"),
        ('url = "stdio:"\ncommand = []', "command", "an array of 1 to 64 words"),
        ('url = "stdio:"\ncommand = [""]', "command", "an array of 1 to 64 words"),
        (f'url = "stdio:"\ncommand = {["x"] * 65}', "command", "an array of 1 to 64 words"),
        (f'url = "stdio:"\ncommand = ["{"é" * 2049}"]', "command", "at most 4096 bytes"),
        ('url = "stdio:"\ncommand = ["a\\nb"]', "command", "one line"),
        ('url = "stdio:"\ncommand = ["a\\u0000b"]', "command", "one line"),
        ('url = "stdio:"\ncommand = ["a", "«p.token»"]', "command", "cannot use secrets"),
        ('url = "stdio:"\ncommand = ["pylsp"]\nframing = "line"', "framing", 'Did you mean "lines"?'),
        ('url = "tcp://h:1"\nanswer."" = { ask = true }', 'answer.""', "the name of a method"),
        ('url = "tcp://h:1"\nanswer.x = {}', "answer.x", "exactly one of"),
        ('url = "tcp://h:1"\nanswer.x = { ask = true, result = 1 }', "answer.x", "exactly one of"),
        ('url = "tcp://h:1"\nanswer.ask.name.result = 1', "answer.ask", "in quotes, such as 'answer.\"ask.name\""),
        ('url = "tcp://h:1"\nanswer.a.b.c.result = 1', "answer.a", "in quotes, such as 'answer.\"ask.name\""),
        ('url = "tcp://h:1"\nanswer.x = { ask = false }', "answer.x.ask", "must be true"),
        ('url = "tcp://h:1"\nanswer.x = { result = nan }', "answer.x.result", "inf or nan"),
        ('url = "tcp://h:1"\nanswer.x = { result_json = "{" }', "answer.x.result_json", "JSON text"),
        ('url = "tcp://h:1"\nanswer.x = { result_json = 1 }', "answer.x.result_json", "JSON text"),
        (f'url = "tcp://h:1"\nanswer.x = {{ result_json = "{"[" * 9999}" }}', "answer.x.result_json", "JSON text"),
        ('url = "tcp://h:1"\nanswer.x = { error = { code = 1 } }', "answer.x.error", "such as { code"),
        ('url = "tcp://h:1"\nanswer.x = { error = { code = true, message = "" } }', "answer.x.error", "whole number"),
        ('url = "tcp://h:1"\nanswer.x.error = { code = 1, message = "«p.token»" }', "answer.x.error", "use secrets"),
        ('url = "tcp://h:1"\nanswer.x.result = { password = "hunter2" }', "answer.x.result.password", "secrets"),
        ('url = "tcp://h:1"\nanswer.x.result_json = \'{"password": "hunter2"}\'', "answer.x.result_json", "secrets"),
        ('url = "tcp://h:1"\nanswer.x.result_json = \'"«p.token»"\'', "answer.x.result_json", "cannot use secrets"),
    ],
)  # fmt: skip
def test_wrong_key_of_a_connection_is_refused(tmp_path: Path, lines: str, key: str, words: str) -> None:
    (problem,) = user(tmp_path, lines).problems
    assert problem.key == f"profile.p.{key}"
    assert words in problem.sentence
    assert "hunter2" not in str(problem)


@pytest.mark.parametrize(
    "words",
    [
        *(["x", "--token=hunter2"], ["x", "--api-key", "hunter2"], ["env", "DB_PASSWORD=hunter2", "x"]),
        *(["x", "--header", "Authorization: Bearer hunter2"], ["x", "-HCookie: a=hunter2"]),
        *(["x", "--header=X-Api-Key: hunter2"], ["docker", "-e=GITHUB_TOKEN=hunter2"]),
        *(["x", "https://ann:hunter2@h/"], ["x", "--url=https://h/?api_key=hunter2"], ["x", '{"password": "hunter2"}']),
        *(["x", "ghp_hunter2hunter2"], ["x", "-H", "X-A: Token hunter2hunter2"], ["x", "Server=h;Password=hunter2"]),
        *(["x", "wss://h/v3/hunter2a1b2c3d4e5f6g7h8i9j0k1l2m3n4"], ["x", "a=" * 2000 + "token=hunter2"]),
    ],
)
def test_secret_among_words_is_refused(tmp_path: Path, words: list[str]) -> None:
    (problem,) = user(tmp_path, f'url = "stdio:"\ncommand = {words}').problems
    assert problem.key.startswith("profile.p.command.")
    assert "must not contain a secret" in problem.sentence
    assert "hunter2" not in str(problem)


@pytest.mark.parametrize(
    "words",
    [
        *(["npx", "-y", "@scope/server", "--port=1"], ["x", "--token-file", "a"], ["x", "--token", "--verbose"]),
        *(["docker", "run", "-e", "GITHUB_TOKEN", "image"], ["x", "https://h:8080/a", "C:/x"], ["x", "--no-password"]),
        *(["x", "-m", "sk-learn-mcp-server", "hf_model_server"], ["x", "Basic authentication", "Server=h;Pooling=1"]),
        *(["/nix/store/w9s1d2v0b4k7n3q5z8x6c1m2l3j4h5g6-x/bin/x"], ["x", "a=" * 2000]),
    ],
)  # fmt: skip
def test_ordinary_words_are_no_secrets(tmp_path: Path, words: list[str]) -> None:
    assert good(user(tmp_path, f'url = "stdio:"\ncommand = {words}'), "p").command == tuple(words)


def test_answers_are_read(tmp_path: Path) -> None:
    text = """answer."*".error = { code = -1, message = "no" }
answer."a/b".result = { roots = [1.5] }
answer.c.result_json = "[1.10,\\n null]"
answer.d.ask = true"""
    profile = good(user(tmp_path, f'url = "tcp://h:1"\n{text}'), "p")
    assert profile.answers == {
        "*": Answer(code=-1, message="no"),
        "a/b": Answer('{"roots": [1.5]}'),
        "c": Answer("[1.10, null]"),
        "d": Answer(ask=True),
    }


def test_answer_of_a_higher_file_replaces_the_whole(tmp_path: Path) -> None:
    team = '[profile.p]\nurl = "tcp://h:1"\nanswer.x = { ask = true }\n'
    found = read(tmp_path, team, local="[profile.p]\nanswer.x = { result = 1 }\n")
    assert good(found, "p").answers == {"x": Answer("1")}


def test_project_file_cannot_answer_for_own_profile(tmp_path: Path) -> None:
    team = "[profile.p]\nanswer = { x = { result = 1 }, y = { result = 1 } }\n"
    found = read(tmp_path, team, own='[profile.p]\nurl = "tcp://h:1"\nanswer.x.ask = true\n')
    assert good(found, "p").answers == {"x": Answer(ask=True)}


@pytest.mark.parametrize("theirs", ["params.a = 1", "params = { a = 1 }", "params = [1]"])
@pytest.mark.parametrize("mine", ["", "method.initialize.params.b = 2"])
def test_project_file_cannot_change_own_handshake(tmp_path: Path, theirs: str, mine: str) -> None:
    team = f"[profile.p.method.initialize]\n{theirs}\n"
    found = read(tmp_path, team, own=f"[profile.p]\n{STDIO}{mine}\n")
    assert own_initialize(good(found, "p")) == ({"b": 2} if mine else {})


@pytest.mark.parametrize(
    ("url", "preset", "auth", "endpoint"),
    [
        ("tcp://h:1", "kodi", "none", "tcp://h:1"),
        ("tcp://h:1", "service", "none", "tcp://h:1"),
        ("ws://h", "ethereum", "none", "ws://h/"),
        ("ws://h", "service", "cookie", "ws://h/api/v2/"),
        ("ws://h", "mopidy", "none", "ws://h/mopidy/ws"),
        ("wss://h", "moonraker", "header", "wss://h/websocket"),
        ("http://h", "moonraker", "header", "http://h/server/jsonrpc"),
        ("http+unix:///x", "transmission", "basic", "http+unix:///x:/transmission/rpc"),
    ],
)
def test_http_settings_of_a_preset_are_ignored(tmp_path: Path, url: str, preset: str, auth: str, endpoint: str) -> None:
    found = user(tmp_path, f'url = "{url}"\npreset = "{preset}"')
    profile = good(found, "p")
    assert (profile.auth.kind, profile.endpoint) == (auth, endpoint)
    assert profile.handshake is None or url.startswith("http")
    assert [key for key, _, source in found.rows(profile) if key == "content_type" and "preset" in str(source)] == (
        ["content_type"] if url.startswith("http") else []
    )


@pytest.mark.parametrize(
    ("url", "path", "is_service"),
    [
        ("ws://h", "/", False),
        ("http+unix:///x", "/", False),
        ("ws+unix:///x", "/", False),
        ("unix:///x", "", False),
        ("tcp://h:1", "", False),
    ],
)
def test_default_path_depends_on_the_scheme(tmp_path: Path, url: str, path: str, is_service: bool) -> None:
    profile = good(user(tmp_path, f'url = "{url}"'), "p")
    assert (profile.path, profile.is_service, profile.assumes_auth) == (path, is_service, is_service)


def test_emptied_path_follows_a_url_without_one(tmp_path: Path) -> None:
    team = '[profile.p]\nurl = "http://h"\npath = "/rpc"\n'
    assert isinstance(read(tmp_path, team, local='[profile.p]\nurl = "tcp://h:1"\n').get("p"), Problem)
    assert good(read(tmp_path, local='[profile.p]\nurl = "tcp://h:1"\npath = ""\n'), "p").path == ""


def test_changed_url_drops_values_of_the_preset(tmp_path: Path) -> None:
    found = user(tmp_path, 'url = "http://h"\npreset = "kodi"')
    file = tmp_path / "home" / "config" / "sessions.toml"
    edits = ProfileEdits(file, tmp_path / "locks", profiles=found)
    assert edits.apply("p", (("url", "tcp://h:9090"), ("framing", "none")), found.leaves["p"]) is None
    assert good(read(tmp_path), "p").auth.kind == "none"


def test_command_folder_is_that_of_the_shared_file(tmp_path: Path) -> None:
    assert good(read(tmp_path, f"[profile.p]\n{STDIO}"), "p").command_folder == str(tmp_path)
    assert good(read(tmp_path, "", own=f"[profile.p]\n{STDIO}"), "p").command_folder == ""
    assert good(read(tmp_path, '[profile.p]\nurl = "stdio:"\n'), "p").command_folder == str(tmp_path)


def test_no_file_sets_the_command_folder(tmp_path: Path) -> None:
    (problem,) = user(tmp_path, f'{STDIO}command_folder = "/"').problems
    assert problem.key == "profile.p.command_folder"


def test_preset_cannot_name_a_command(tmp_path: Path) -> None:
    presets = tmp_path / "home" / "config" / "presets"
    presets.mkdir(parents=True)
    (presets / "mine.toml").write_text('command = ["x"]\n')
    (problem,) = user(tmp_path, f'{STDIO}preset = "mine"').problems
    assert "a preset cannot name a command" in problem.sentence


def test_only_keys_with_a_place_are_shown(tmp_path: Path) -> None:
    found = user(tmp_path, STDIO)
    rows = {key: value for key, value, _ in found.rows(good(found, "p"))}
    assert (rows["command"], rows["framing"]) == ("pylsp", "lines")
    assert not {"path", "content_type", "accept", "command_folder"} & rows.keys()
    assert {"command", "framing"} & {
        key for key, _, _ in user(tmp_path, 'url = "http://h"').rows(Profile("p", "http://h"))
    } == set()


def test_auth_in_messages_is_accepted(tmp_path: Path) -> None:
    profile = good(user(tmp_path, f'{STDIO}auth = {{ kind = "member", member = "key" }}'), "p")
    assert profile.auth == MemberAuth(member="key")
    assert isinstance(profile, Profile)


def test_typed_values_win_over_their_preset() -> None:
    typed = Profiles().typed((("url", "stdio:"), ("command", ["pylsp"]), ("preset", "lsp"), ("framing", "none")))
    assert isinstance(typed, Profile)
    assert (typed.ad_hoc, typed.name, typed.command) == (True, "url", ("pylsp",))
    assert (typed.handshake, typed.framing, typed.methods["textDocument/hover"].safe) == ("lsp", "none", True)


@pytest.mark.parametrize(("path", "endpoint"), [((), "http://h/xmlrpc"), ((("path", "/x"),), "http://h/x")])
def test_typed_path_wins_over_its_preset(tmp_path: Path, path: Changes, endpoint: str) -> None:
    (tmp_path / "own.toml").write_text('path = "/xmlrpc"\nauth = { kind = "bearer" }\n')
    profiles = Profiles(own_presets=tmp_path)
    typed = profiles.typed((("url", "http://h"), ("preset", "own"), *path))
    assert isinstance(typed, Profile)
    assert (typed.endpoint, typed.auth.kind) == (endpoint, "bearer")


@pytest.mark.parametrize(
    ("text", "words"), [('command = ["x"]', "a preset cannot name a command"), ("path = 1", "must be")]
)
def test_typed_server_refuses_a_damaged_preset(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "own.toml").write_text(text)
    problem = Profiles(own_presets=tmp_path).typed((("url", "stdio:"), ("command", ["x"]), ("preset", "own")))
    assert isinstance(problem, Problem)
    assert words in problem.sentence
