from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.auth.basic import InlineAuth, NoAuth
from rpcexplorer.auth.registry import KINDS
from rpcexplorer.auth.token import CookieAuth
from rpcexplorer.files.paths import Paths
from rpcexplorer.files.toml_shape import DEFAULT, Source
from rpcexplorer.model.problem import Problem
from rpcexplorer.model.profile import Auth, MethodNote
from rpcexplorer.profiles.profiles import load
from tests.profiles.reading import good, read

EXAMPLE = Path(__file__).parents[2] / "sessions.toml.example"
CONTRACT = """\
version = 1
default = "staging"

[profile.staging]
url = "https://staging.example.com"      # base URL; path is appended
path = "/api/v2/"                        # default
description = "Shared staging"
badge = "staging"
confirm = "unsafe"
timeout = 30
content_type = "application/json-rpc"
empty_params = "[]"
headers = { X-Tenant = "acme" }
ca_file = "corp-ca.pem"
auth = { kind = "cookie" }

[profile.staging.login]
method = "auth"
params = { username = "{username}", password = "{password}" }

[profile.prod]
url = "https://rpc.example.com"
badge = "prod"
auth = { kind = "inline", username = "support" }

[profile.prod.method."user.delete"]
doc = "Deletes a user"
params = { id = 1 }
safe = false
"""


def test_file_of_the_contract_is_read_whole(tmp_path: Path) -> None:
    profiles = read(tmp_path, CONTRACT)
    assert profiles.problems == []
    assert profiles.default == "staging"
    assert profiles.files == (tmp_path / "sessions.toml",)
    staging, prod = good(profiles, "staging"), good(profiles, "prod")
    assert staging.endpoint == "https://staging.example.com/api/v2/"
    assert staging.headers == (("X-Tenant", "acme"),)
    assert staging.ca_file == str(tmp_path / "corp-ca.pem")
    assert staging.timeout == 30.0
    assert isinstance(staging.timeout, float)
    assert staging.auth == CookieAuth()
    assert prod.auth == InlineAuth("support")
    assert prod.methods == {"user.delete": MethodNote("Deletes a user", {"id": 1}, safe=False)}


def test_prod_asks_before_unsafe_calls_by_default(tmp_path: Path) -> None:
    profiles = read(
        tmp_path,
        '[profile.a]\nurl = "http://a"\nbadge = "prod"\n'
        '[profile.b]\nurl = "http://b"\nbadge = "prod"\nconfirm = "never"\n'
        '[profile.c]\nurl = "http://c"\n',
    )
    assert [good(profiles, name).confirm for name in "abc"] == ["unsafe", "never", "never"]


def test_profiles_that_share_a_variable_are_refused(tmp_path: Path) -> None:
    profiles = read(
        tmp_path, '[profile.a-b]\nurl = "http://x"\n[profile."A.b"]\nurl = "http://y"\n[profile.c]\nurl="http://z"\n'
    )
    first, second = profiles.get("a-b"), profiles.get("A.b")
    assert isinstance(first, Problem)
    assert isinstance(second, Problem)
    assert "`A.b`" in first.sentence
    assert "RPCEXPLORER_A_B_PASSWORD" in first.sentence
    assert "`a-b`" in second.sentence
    assert (first.line, second.line) == (1, 3)
    assert list(profiles.profiles) == ["c"]


def test_file_of_another_version_is_not_used(tmp_path: Path) -> None:
    assert read(tmp_path, 'version = 2\n[profile.p]\nurl = "http://p"\n').profiles == {}


def test_unknown_name_suggests_nearest_and_lists_all(tmp_path: Path) -> None:
    problem = read(tmp_path, CONTRACT).get("stagng")
    assert isinstance(problem, Problem)
    assert "Did you mean `staging`? Your profiles: prod, staging" in problem.sentence


def test_no_name_means_default_or_only_profile(tmp_path: Path) -> None:
    one = '[profile.p]\nurl = "http://p"\n'
    assert read(tmp_path, CONTRACT).get() == good(read(tmp_path, CONTRACT), "staging")
    assert read(tmp_path, one).get() == good(read(tmp_path, one), "p")
    assert isinstance(read(tmp_path, one + one.replace(".p", ".q")).get(), Problem)
    nothing = read(tmp_path, "").get()
    assert isinstance(nothing, Problem)
    assert "profiles add" in nothing.sentence


BROKEN = [
    ("url = [\n", "at the end of the file", 5),
    ("<<<<<<< HEAD\n", "line 5 is a merge conflict marker. Resolve the conflict", 5),
    ("a." * 50_000 + "a = 1\n", "64 levels", 5),
    ("a = " + "[" * 100_000 + "\n", "64 levels", 5),
]


@pytest.mark.parametrize(("line", "words", "number"), BROKEN)
def test_unreadable_file_is_reported_and_others_are_used(
    tmp_path: Path, line: str, words: str, number: int, soon: None
) -> None:
    text = f'version = 1\n[profile.p]\nurl = "http://p"\n\n{line}'
    profiles = read(tmp_path, text, own='[profile.u]\nurl = "http://u"\n')
    (problem,) = profiles.problems
    assert words in problem.sentence
    assert problem.line in {number, number + 1}
    assert list(profiles.profiles) == ["u"]
    assert (tmp_path / "sessions.toml").read_text() == text


@pytest.mark.parametrize(
    "dress",
    [lambda text: "\ufeff" + text, lambda text: text.replace("\n", "\r\n"), lambda text: text.rstrip("\n")],
    ids=["byte order mark", "CRLF", "no newline at the end"],
)
def test_files_of_other_editors_are_read(tmp_path: Path, dress: Any) -> None:
    profiles = read(tmp_path, dress(CONTRACT))
    assert profiles.problems == []
    assert profiles.source_of("prod", "badge").line == 23


def test_file_with_another_encoding_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "sessions.toml").write_bytes(b'[profile.p]\nurl = "http://\xff"\n')
    (problem,) = read(tmp_path).problems
    assert "UTF-8" in problem.sentence


def test_missing_named_file_keeps_profiles_of_user_file(tmp_path: Path) -> None:
    paths = Paths.of({"RPCEXPLORER_HOME": str(tmp_path)})
    paths.config.mkdir()
    paths.user_sessions.write_text('[profile.u]\nurl = "http://u"\n')
    profiles = load(paths, tmp_path, {}, Path("gone.toml"))
    assert "--sessions" in profiles.problems[0].sentence
    assert list(profiles.profiles) == ["u"]


def test_files_are_merged_by_key_with_sources(tmp_path: Path) -> None:
    profiles = read(
        tmp_path,
        '[profile.p]\nurl = "http://team"\ntimeout = 5\n'
        'headers = { X-A = "team", X-B = "team" }\n'
        'auth = { kind = "cookie", username = "team" }\n'
        "login.params = { a = 1, b = 2 }\n"
        'method.m = { doc = "team", safe = true, params = { x = 1 } }\n',
        own='[profile.p]\nurl = "http://user"\nca_file = "ca.pem"\n',
        local='default = "p"\n[profile.p]\nheaders = { x-b = "mine" }\nauth.username = "me"\n'
        "login.params = { c = 3 }\nmethod.m.safe = false\n",
    )
    assert profiles.problems == []
    assert profiles.default == "p"
    profile = good(profiles, "p")
    assert profile.url == "http://team"
    assert profile.ca_file == str(tmp_path / "home" / "config" / "ca.pem")
    assert profile.headers == (("X-A", "team"), ("x-b", "mine"))
    assert profile.auth == CookieAuth("me")
    assert profile.login.params == {"c": 3}
    assert profile.methods == {"m": MethodNote("team", {"x": 1}, safe=False)}
    local, team = str(tmp_path / "sessions.local.toml"), str(tmp_path / "sessions.toml")
    user = str(tmp_path / "home" / "config" / "sessions.toml")
    assert profiles.source_of("p", "auth.username") == Source(local, 4)
    assert profiles.source_of("p", "auth.kind") == Source(team, 5)
    assert profiles.source_of("p", "ca_file") == Source(user, 3)
    assert profiles.source_of("p", "headers.x-b") == Source(local, 3)
    assert profiles.source_of("p", "method.m.safe") == Source(local, 6)
    assert profiles.source_of("p", "confirm") == DEFAULT


def test_every_value_is_listed_with_its_source(tmp_path: Path) -> None:
    profiles = read(tmp_path, CONTRACT)
    rows = {key: (value, str(source)) for key, value, source in profiles.rows(good(profiles, "prod"))}
    file = tmp_path / "sessions.toml"
    assert rows["url"] == ("https://rpc.example.com", f"{file}:22")
    assert rows["confirm"] == ("unsafe", "default")
    assert rows["auth.username"] == ("support", f"{file}:24")
    assert rows['method."user.delete".safe'] == (False, f"{file}:29")
    assert "login.method" not in rows, "inline credentials open no session"
    of_staging = {key: str(source) for key, _, source in profiles.rows(good(profiles, "staging"))}
    assert of_staging["login.ended_codes"] == "default"
    assert rows["timeout"] == (30.0, "default")
    assert "name" not in rows


@pytest.mark.parametrize(
    ("values", "auth", "login"),
    [
        ('kind = "none"', NoAuth(), "auth"),
        ('kind = "cookie"', CookieAuth(), "auth"),
        ('kind = "cookie", username = "v"', CookieAuth("v"), "auth"),
        ('kind = "inline"', InlineAuth("u", password_member="x"), "open"),
        ('username = "v"', InlineAuth("v", password_member="x"), "open"),
    ],
)
def test_other_auth_type_drops_auth_and_login_below(tmp_path: Path, values: str, auth: Auth, login: str) -> None:
    team = (
        '[profile.p]\nurl = "http://p"\nauth = { kind = "inline", username = "u", password_member = "x" }\n'
        'login.method = "open"\n'
    )
    profile = good(read(tmp_path, team, local=f"[profile.p]\nauth = {{ {values} }}\n"), "p")
    assert (profile.auth, profile.login.method, profile.has_login) == (auth, login, login == "open")


def test_first_auth_type_keeps_auth_keys_below(tmp_path: Path) -> None:
    team = '[profile.p]\nurl = "http://p"\nauth = { kind = "cookie" }\n'
    assert good(read(tmp_path, team, own='[profile.p]\nauth.username = "me"\n'), "p").auth == CookieAuth("me")


TEXTS = {
    "url": st.sampled_from(["http://a", "http://b"]),
    "badge": st.sampled_from(["dev", "staging"]),
    "auth.username": st.sampled_from(["ann", "bob"]),
    "headers.X-A": st.sampled_from(["1", "2"]),
    'method."x.y".doc': st.sampled_from(["one", "two"]),
}


@given(st.lists(st.fixed_dictionaries({}, optional=TEXTS), min_size=3, max_size=3))
def test_three_files_merge_like_three_dictionaries(
    tmp_path_factory: pytest.TempPathFactory, layers: list[dict[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("layers")
    layers[0] = {"url": "http://user", "auth.kind": "inline"} | layers[0]
    texts = ["[profile.p]\n" + "".join(f'{key} = "{layer[key]}"\n' for key in layer) for layer in layers]
    profiles = read(folder, texts[1], own=texts[0], local=texts[2])
    files = [folder / "home" / "config" / "sessions.toml", folder / "sessions.toml", folder / "sessions.local.toml"]
    rows = {key: (value, source) for key, value, source in profiles.rows(good(profiles, "p"))}
    expected = {key: layer[key] for layer in layers for key in layer}
    for key, value in expected.items():
        number = max(index for index, layer in enumerate(layers) if key in layer)
        line = list(layers[number]).index(key) + 2
        assert rows[key] == (value, Source(str(files[number]), line))


def test_example_loads_and_has_every_auth_type(tmp_path: Path) -> None:
    profiles = read(tmp_path, EXAMPLE.read_text())
    assert profiles.problems == []
    assert profiles.default in profiles.profiles
    kinds = {profile.auth.kind for profile in profiles.profiles.values()}
    assert kinds == KINDS.keys()
    assert any(profile.badge == "prod" and profile.methods for profile in profiles.profiles.values())


def test_local_file_of_the_example_is_valid(tmp_path: Path) -> None:
    lesson = EXAMPLE.read_text().rpartition("#     version = 1")
    lines = (lesson[1] + lesson[2]).splitlines()
    local = "\n".join(line.removeprefix("#     ") for line in lines if line.startswith("#     "))
    profiles = read(tmp_path, EXAMPLE.read_text(), local=local)
    assert profiles.problems == []
    assert good(profiles, "staging").auth == CookieAuth("ann")


@pytest.mark.parametrize(
    ("keys", "content_type", "auth", "assumed"),
    [
        ("", "application/json-rpc", CookieAuth(), True),
        ('path = "/api/v2/"', "application/json-rpc", CookieAuth(), True),
        ('preset = "service"', "application/json-rpc", CookieAuth(), False),
        ('auth = { username = "ada" }', "application/json-rpc", CookieAuth(username="ada"), False),
        ('auth = { kind = "none" }', "application/json-rpc", NoAuth(), False),
        ('content_type = "text/plain"', "text/plain", CookieAuth(), True),
        ('path = "/"', "application/json", NoAuth(), False),
        ('path = "/rpc"\ncontent_type = "text/plain"', "text/plain", NoAuth(), False),
        ('path = "/rpc"\nauth = { kind = "cookie" }', "application/json", CookieAuth(), False),
        ('preset = "mopidy"', "application/json", NoAuth(), False),
    ],
)
def test_defaults_of_a_profile_follow_its_address(
    tmp_path: Path, keys: str, content_type: str, auth: Auth, *, assumed: bool
) -> None:
    (tmp_path / "sessions.toml").write_text(f'[profile.p]\nurl = "https://h"\n{keys}\n')
    found = load(Paths.of({"RPCEXPLORER_HOME": str(tmp_path / "home")}), tmp_path, {}, None)
    profile = found.profiles["p"]
    assert (profile.content_type, profile.auth, profile.assumes_auth) == (content_type, auth, assumed)


def test_path_in_local_file_has_defaults_of_service(tmp_path: Path) -> None:
    (tmp_path / "sessions.toml").write_text('[profile.p]\nurl = "https://h"\n')
    (tmp_path / "sessions.local.toml").write_text('[profile.p]\npath = "/rpc"\n')
    found = load(Paths.of({"RPCEXPLORER_HOME": str(tmp_path / "home")}), tmp_path, {}, None)
    profile = found.profiles["p"]
    assert (profile.content_type, profile.auth.kind, profile.is_service) == ("application/json", "none", False)
