from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from rpcexplorer.auth.auth_type import AuthField
from rpcexplorer.auth.basic import BasicAuth, InlineAuth
from rpcexplorer.auth.registry import KINDS
from rpcexplorer.files.paths import Paths
from rpcexplorer.files.toml import KeyPath
from rpcexplorer.model.problem import Problem
from rpcexplorer.model.profile import DocumentSource, HeaderHandshake, MethodNote, Profile
from rpcexplorer.profiles.layers import build_profile
from rpcexplorer.profiles.profiles import Profiles, load
from rpcexplorer.secrets.destination import Destinations


def read(folder: Path, text: str) -> Profiles:
    (folder / "sessions.toml").write_text(text)
    paths = Paths.of({"RPCEXPLORER_HOME": str(folder / "home")})
    Destinations(paths.allowed, {}, lambda _: ()).allow_history(str(folder / "calls"))
    return load(paths, folder, {"HOME": str(folder)}, None)


def good(profiles: Profiles, name: str) -> Profile:
    profile = profiles.get(name)
    assert isinstance(profile, Profile), profile
    return profile


def test_every_key_reaches_the_profile(tmp_path: Path) -> None:
    profile = good(
        read(
            tmp_path,
            """
[profile.p]
url = "http://[::1]:8080/base"
path = ""
accept = "application/json"
empty_params = "omit"
envelope = "1.0"
id = "number"
cert_file = "me.pem"
key_file = "me.key"
certificate = "AB:CD:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:01"
handshake = { header = "X-Transmission-Session-Id" }
discovery = { file = "openrpc.json" }
history = "calls"
auth = { kind = "inline", username_member = "user", password_member = "pass" }
[profile.p.login]
method = "log.in"
params = ["{username}", "{password}"]
session = "/result/sessionid"
ended_status = [419]
ended_codes = [-1, 7]
ended_words = ["bye"]
[profile.p.method.ping]
safe = true
auth = "none"
ignore = ["/items/*/at"]
[profile.p.method."quiet"]
""",
        ),
        "p",
    )
    assert profile.endpoint == "http://[::1]:8080/base"
    assert (profile.accept, profile.empty_params) == ("application/json", "omit")
    assert (profile.envelope, profile.id) == ("1.0", "number")
    assert (profile.cert_file, profile.key_file) == (str(tmp_path / "me.pem"), str(tmp_path / "me.key"))
    assert profile.certificate == f"sha256:abcd{'0' * 58}01"
    assert profile.handshake == HeaderHandshake("X-Transmission-Session-Id")
    assert profile.discovery == DocumentSource(file=str(tmp_path / "openrpc.json"), inside=str(tmp_path))
    assert profile.has_login
    assert profile.history == str(tmp_path / "calls")
    assert profile.auth == InlineAuth(None, "user", "pass")
    assert (profile.login.method, profile.login.params) == ("log.in", ["{username}", "{password}"])
    assert (profile.login.session, profile.login.ended_status) == ("/result/sessionid", (419,))
    assert (profile.login.ended_codes, profile.login.ended_words) == ((-1, 7), ("bye",))
    assert profile.methods == {
        "ping": MethodNote(safe=True, auth="none", ignore=("/items/*/at",)),
        "quiet": MethodNote(),
    }


REFUSED = [
    ("env = { HOME = '/' }", "profile.p.env", "this key is called `environment`"),
    ("env = 'prod'", "profile.p.env", "`env` is not a key of a profile"),
    ("timout = 3", "profile.p.timout", "`timout` is not a key of a profile. Did you mean `timeout`?"),
    ("xyz = 3", "profile.p.xyz", "Known keys: url, preset, path,"),
    ("timeout = true", "profile.p.timeout", "a number of seconds greater than 0"),
    ("timeout = 0", "profile.p.timeout", "greater than 0"),
    ("timeout = nan", "profile.p.timeout", "greater than 0"),
    ("timeout = inf", "profile.p.timeout", "greater than 0"),
    ('timeout = "30"', "profile.p.timeout", "without quotes"),
    ('confirm = "alway"', "profile.p.confirm", 'one of "never", "unsafe", "always". Did you mean "always"?'),
    ("confirm = 1", "profile.p.confirm", 'one of "never"'),
    ('empty_params = "null"', "profile.p.empty_params", 'one of "[]", "{}", "omit"'),
    ('envelope = "2"', "profile.p.envelope", 'one of "2.0", "1.1", "1.0", "transmission"'),
    ('id = "int"', "profile.p.id", 'one of "string", "number"'),
    ('certificate = "sha1:00"', "profile.p.certificate", "64 hex digits"),
    ('handshake = "mpc"', "profile.p.handshake", 'must be "mcp" or "lsp", or name a header'),
    ('handshake = { header = "a b" }', "profile.p.handshake.header", "the name of a header"),
    (
        'handshake = { header = "Authorization" }',
        "profile.p.handshake.header",
        "HTTP or rpcexplorer already uses this one",
    ),
    ('discovery = "rpc.discovr"', "profile.p.discovery", 'Did you mean "rpc.discover"?'),
    ('discovery = { url = "https://evil.example/x" }', "profile.p.discovery.url", "a path on the same server"),
    ('discovery = { file = "" }', "profile.p.discovery.file", "path of a file"),
    ("badge = 1", "profile.p.badge", "text, in quotes"),
    ('path = "/a b"', "profile.p.path", "without spaces"),
    ('content_type = "a\\nb"', "profile.p.content_type", "one line"),
    ('ca_file = ""', "profile.p.ca_file", "path of a file"),
    ('auth = "cookie"', "profile.p.auth", "must be a table"),
    ('auth = { kind = "cookies" }', "profile.p.auth.kind", 'Did you mean "cookie"?'),
    ('path = "/"\nauth = { username = "ann" }', "profile.p.auth.kind", "the auth type is missing"),
    ('auth = { kind = "cookie", cookie = "id=hunter2" }', "profile.p.auth.cookie", "without a value"),
    ("login = { ended_status = [401, true] }", "profile.p.login.ended_status.1", "from 100 to 599"),
    ('login = { ended_status = ["401"] }', "profile.p.login.ended_status.0", "from 100 to 599, without quotes"),
    ("login = { ended_status = 401 }", "profile.p.login.ended_status", "array of HTTP statuses"),
    ("login = { ended_codes = [1.0] }", "profile.p.login.ended_codes.0", "whole number"),
    ('login = { params = "x" }', "profile.p.login.params", "an array or a table"),
    ("login = { params = { at = 2020-01-01 } }", "profile.p.login.params.at", "date or time as text"),
    ("login = { params = { x = [nan] } }", "profile.p.login.params.x.0", "inf or nan"),
    ("method.x.safe = 1", "profile.p.method.x.safe", "true or false"),
    ('method.x.auth = "zzzz"', "profile.p.method.x.auth", f"one of {', '.join(map(json.dumps, KINDS))}"),
    ('method.x.ignore = ["/a", ""]', "profile.p.method.x.ignore.1", "a JSON pointer into the result"),
    ('method."a.b".dok = ""', 'profile.p.method."a.b".dok', "Did you mean `doc`?"),
    ("headers = { X-A = 1 }", "profile.p.headers.X-A", "valid header value"),
    ('headers = { X-A = "é" }', "profile.p.headers.X-A", "printable ASCII"),
    ('headers = { "X A" = "b" }', 'profile.p.headers."X A"', "not a valid header name"),
    ('headers = { Accept = "b" }', "profile.p.headers.Accept", "set the key `accept` instead of this header"),
    ('headers = { hOsT = "evil.example" }', "profile.p.headers.hOsT", "the host comes from `url`"),
    ('headers = { content-length = "5" }', "profile.p.headers.content-length", "rpcexplorer sets this header"),
]


@pytest.mark.parametrize(("line", "key", "words"), REFUSED)
def test_problem_has_file_line_and_key(tmp_path: Path, line: str, key: str, words: str) -> None:
    text = f'[profile.p]\nurl = "http://p"\n\n{line}\n\n[profile.q]\nurl = "http://q"\n'
    profiles = read(tmp_path, text)
    (problem,) = profiles.problems
    assert problem.file == str(tmp_path / "sessions.toml")
    assert problem.line == (1 if "auth type is missing" in words else 4)
    assert problem.key == key
    assert words in problem.sentence
    assert profiles.get("p") == problem
    assert good(profiles, "q").url == "http://q"


SECRETS = [
    ('password = "hunter2"', "password"),
    ("password = 12345678", "password"),
    ('secret = "hunter2"', "password"),
    ('session = "hunter2"', "session"),
    ('sessionid = "hunter2"', "session"),
    ('db_password = "hunter2"', "password"),
    ('password_command = "echo hunter2"', "password"),
    ('auth = { kind = "inline", password = "hunter2" }', "password"),
    ('auth = { kind = "cookie", sessionid = "hunter2" }', "session"),
    ('login = { password = "hunter2" }', "password"),
    ('login = { session = "hunter2" }', "session"),
    ('login = { params = { user = "{username}", pass = "hunter2" } }', "password"),
    ('login = { params = [{ deep = { "access-token" = "hunter2" } }] }', "password"),
    ('method.arg_test.params = { username = "ann", password = "hunter2" }', "password"),
    ('headers = { Cookie = "sessionid=hunter2" }', "session"),
    ('url = "http://ann:hunter2@p"', "password"),
    ('url = "http://hunter2@p"', "password"),
]


@pytest.mark.parametrize(("line", "field"), SECRETS)
def test_secret_is_refused_with_command_and_not_printed(tmp_path: Path, line: str, field: str) -> None:
    url = "" if line.startswith("url") else 'url = "http://p"\n'
    profiles = read(tmp_path, f"[profile.p]\n{url}{line}\n")
    problem = profiles.get("p")
    assert isinstance(problem, Problem)
    assert f"`rpcexplorer profiles secret p {field}`" in problem.sentence
    shown = "".join(str(problem) + repr(problem) for problem in profiles.problems)
    assert "hunter2" not in shown
    assert "12345678" not in shown


TOKEN = "run `rpcexplorer profiles secret p token`"
PASSWORD = "run `rpcexplorer profiles secret p password`"
PART = 'Replace the secret with {token}, write auth = { kind = "none" }, and'
INSTEAD = [
    ('headers = { Authorization = "Bearer hunter2" }', 'write auth = { kind = "bearer" }, and', TOKEN),
    ('headers = { authorization = "BASIC hunter2" }', 'write auth = { kind = "basic", username = … }, and', PASSWORD),
    ('headers = { Authorization = "Digest hunter2" }', 'write auth = { kind = "digest", username = … }, and', PASSWORD),
    ('headers = { Authorization = "Token hunter2" }',
     'write auth = { kind = "header", header = "Authorization", value = "Token {token}" }, and', TOKEN),
    ('headers = { Authorization = "hunter2 hunter2" }',
     'write auth = { kind = "header", header = "Authorization" }, and', TOKEN),
    ('headers = { Authorization = "hunter2" }', 'write auth = { kind = "header", header = "Authorization" }, and',
     TOKEN),
    ("headers = { Authorization = 7 }", 'write auth = { kind = "header", header = "Authorization" }, and', TOKEN),
    ('headers = { X-Api-Key = "hunter2" }', 'write auth = { kind = "header", header = "X-Api-Key" }, and', TOKEN),
    ('headers = { X-Auth-Token = "Bearer hunter2" }',
     'write auth = { kind = "header", header = "X-Auth-Token" }, and', TOKEN),
    ('headers = { X-Session-Id = "hunter2" }', 'auth = { kind = "header", header = "X-Session-Id" }, and', TOKEN),
    ('headers = { X-Password = "hunter2" }', 'auth = { kind = "header", header = "X-Password" }, and', TOKEN),
    ('headers = { "Api Key" = "hunter2" }', 'auth = { kind = "header", header = … }, and', TOKEN),
    ('headers = { Cookie = "sessionid=hunter2" }', 'auth = { kind = "cookie", cookie = … }',
     "run `rpcexplorer profiles secret p session`"),
    ('path = "/rpc?api_key=hunter2"', 'Remove api_key, write auth = { kind = "query", name = "api_key" }, and',
     TOKEN),
    ('path = "/rpc?a=1&password=hunter2"', 'auth = { kind = "query", name = "password" }, and', TOKEN),
    ('path = "/rpc?api/key=hunter2"', PART, TOKEN),
    ('path = "/v3/hunter2a1b2c3d4e5f6g7h8i9j0k1l2m3n4"', PART, TOKEN),
    ('path = "/hunter2a1b2c3d4e5f6g7h8i9j0k1l2m3n4/rpc/"', PART, TOKEN),
    ('path = "/token/hunter2a1b2c3"', PART, TOKEN),
    ('path = "/rpc?key=hunter2a1b2c3"', PART, TOKEN),
    ('path = "/bot110201543:hunter2TvCH1vGWJxfSeofSAs0K5PALD/"', PART, TOKEN),
    ('path = "/ann:hunter2@p"', PART, TOKEN),
    ('url = "http://ann:hunter2@p"', 'write auth = { kind = "basic", username = … }', PASSWORD),
    ('token = "hunter2"', 'set auth.kind to one of "bearer", "header", "query", "first", "member"',
     TOKEN),
    ('api_key = "hunter2"', "set auth.kind to one of", TOKEN),
    ('auth = { kind = "inline", API-Key = "hunter2" }', "set auth.kind to one of", TOKEN),
]  # fmt: skip


@pytest.mark.everyday(5)
@pytest.mark.parametrize(("line", "kind", "command"), INSTEAD)
def test_secret_suggests_the_auth_type_that_sends_it(tmp_path: Path, line: str, kind: str, command: str) -> None:
    url = "" if line.startswith("url") else 'url = "http://p"\n'
    profiles = read(tmp_path, f"[profile.p]\n{url}{line}\n")
    problem = profiles.get("p")
    assert isinstance(problem, Problem)
    assert kind in problem.sentence
    assert command in problem.sentence
    assert "hunter2" not in "".join(str(problem) + repr(problem) for problem in profiles.problems)
    for written in re.findall(r"auth = (\{ [^…]*? \})", problem.sentence):
        token = "/{token}" if '"none"' in written else "/"
        assert read(tmp_path, f'[profile.p]\nurl = "http://p"\npath = "{token}"\nauth = {written}\n').problems == []


@pytest.mark.parametrize(
    "path",
    [
        *("/api/v2/", "/v3/{token}", "/v3/{a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6}", "/?key={key}", "/rpc?key=customer"),
        *("/0b7f2a64-5f0e-4c1d-9a51-2f3e8c7d1b90/", "/v3/0x9f86d081884c7d659a2feaa0c55ad015", "/@team/rpc"),
        *("/a-long-path-of-2026-with-4-numbers-in-it/jsonrpc", "/services/rpc.php?version=2.0&format=json"),
    ],
)
def test_ordinary_path_is_not_a_secret(tmp_path: Path, path: str) -> None:
    assert read(tmp_path, f'[profile.p]\nurl = "http://p"\npath = "{path}"\n').problems == []


def test_references_and_member_names_are_not_secrets(tmp_path: Path) -> None:
    profiles = read(
        tmp_path,
        '[profile.p]\nurl = "http://p"\n'
        'auth = { kind = "inline", password_member = "password" }\n'
        'login.params = { password = "{password}", token = "", remember = "yes" }\n'
        'method.find.params = { token = "0xabc", password = "", next_session = "x" }\n',
    )
    assert profiles.problems == []


URLS = [
    "",
    "p.example.com",
    "ftp://p",
    "http://",
    "http://:80",
    "http://p:0",
    "http://p:99999",
    "http://p:x",
    "http://p:",
    "http://p?x=1",
    "http://p#x",
    "http://p q",
    "http://p/a b",
    "http://p/\\u001b[c",
    "http://p\\\\@evil",
    "http://good\\tbad",
    "http://p\\u0000",
    "http://[::1",
    "http://p..q",
    "http://p,q",
]


@pytest.mark.parametrize("url", URLS)
def test_ambiguous_url_is_refused(tmp_path: Path, url: str) -> None:
    profiles = read(tmp_path, f'[profile.p]\nurl = "{url}"\n')
    (problem,) = profiles.problems
    assert (problem.line, problem.key) == (2, "profile.p.url")


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost",
        "HTTPS://Example.com/",
        "http://127.0.0.1:65535/x",
        "http://[::1]:1",
        "https://bücher.example.",
    ],
)
def test_ordinary_urls_are_accepted(tmp_path: Path, url: str) -> None:
    assert good(read(tmp_path, f'[profile.p]\nurl = "{url}"\n'), "p").url == url


@pytest.mark.parametrize("name", ["../../x", "", "a b", "-a", "x" * 65, "a/b", "é", "a\\u001b"])
def test_unsafe_profile_name_is_refused(tmp_path: Path, name: str) -> None:
    profiles = read(tmp_path, f'[profile."{name}"]\nurl = "http://x"\n[profile.q]\nurl = "http://q"\n')
    (problem,) = profiles.problems
    assert "not a valid profile name" in problem.sentence
    assert list(profiles.profiles) == ["q"]


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        ("version = 2\n", "version", "newer rpcexplorer"),
        ("version = true\n", "version", "must be 1"),
        ("versoin = 1\n", "versoin", "Did you mean `version`?"),
        ('password = "x"\n', "password", "profiles secret NAME password"),
        ("default = 1\n", "default", "text"),
        ('[session.p]\nurl = "http://p"\n', "session", "is not a key of sessions.toml"),
        ("profile = 1\n", "profile", "must be a table"),
        ("[profile]\np = 1\n", "profile.p", "must be a table"),
        ('[[profile.p]]\nurl = "http://p"\n', "profile.p", "must be a table"),
        ('default = "stagin"\n[profile.staging]\nurl = "http://s"\n', "default", "Did you mean `staging`?"),
    ],
)
def test_top_level_keys_are_checked(tmp_path: Path, text: str, key: str, words: str) -> None:
    profiles = read(tmp_path, text)
    (problem,) = profiles.problems
    assert problem.key == key
    assert words in problem.sentence
    assert profiles.default is None


@pytest.mark.parametrize(
    "text",
    [
        'method.get = { params = { text = "«p.password»" } }',
        'method.get = { params = [["x «other.session» y"]] }',
        'method.get = { params = { "«p.password»" = 1 } }',
        'login = { params = { user = "{username}", note = "«p.password»" } }',
    ],
)
def test_params_in_shared_file_cannot_use_secrets(tmp_path: Path, text: str) -> None:
    profiles = read(tmp_path, f'[profile.p]\nurl = "http://h"\n{text}\n')
    (problem,) = profiles.problems
    assert problem.line == 3
    assert "this file cannot use secrets" in problem.sentence
    found = profiles.get("p")
    assert not isinstance(found, Profile) or "«" not in repr((found.methods, found.login))


def test_field_is_checked_for_its_auth_type(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    small = AuthField("username", pattern=re.compile("[a-z]+"), mismatch="must be small letters")
    monkeypatch.setattr(BasicAuth, "fields", (small,))
    values: dict[KeyPath, Any] = {("url",): "https://a.example.com", ("auth", "username"): "Ada"}
    assert build_profile("p", values | {("auth", "kind"): "basic"}) == (("auth", "username"), "must be small letters")
    assert isinstance(build_profile("p", values | {("auth", "kind"): "cookie"}), Profile)
