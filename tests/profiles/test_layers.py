"""Presets: built-in and own ones, and the profiles that use them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from rpcexplorer.auth.basic import BasicAuth
from rpcexplorer.auth.token import CookieAuth
from rpcexplorer.model.problem import Problem
from rpcexplorer.model.profile import Profile
from rpcexplorer.profiles.edits import ProfileEdits
from rpcexplorer.profiles.layers import SHIPPED, PresetFile, Presets
from rpcexplorer.profiles.profiles import Profiles
from rpcexplorer.secrets.destination import Destinations
from tests.profiles.reading import paths_of, read

OWN: Final = '[profile.p]\nurl = "http://own.example"\npreset = "bitcoin"\n'


def good(profiles: Profiles) -> Profile:
    profile = profiles.get("p")
    assert isinstance(profile, Profile), profile
    assert profiles.problems == []
    return profile


def shipped(name: str) -> PresetFile:
    found = Presets(Path("/nowhere")).load(name)
    assert found is not None
    return found


@pytest.mark.everyday(100)
@pytest.mark.parametrize("file", sorted(SHIPPED.glob("*.toml")), ids=lambda file: file.stem)
def test_built_in_preset_loads_with_description(file: Path) -> None:
    found = shipped(file.stem)
    assert found.problems == ()
    assert found.preset.name == file.stem
    for words in (found.preset.description, found.preset.advice):
        assert words.strip() == words != ""
        assert "\n" not in words
    assert len(found.preset.description) <= 80


def test_profile_starts_with_values_of_its_preset(tmp_path: Path) -> None:
    profiles = read(tmp_path, team=OWN)
    profile = good(profiles)
    assert (profile.preset, profile.endpoint) == ("bitcoin", "http://own.example/")
    assert (profile.content_type, profile.envelope, profile.auth) == ("application/json", "1.0", BasicAuth())
    assert profile.methods["getblockcount"].safe
    assert profile.description == "", "that is about this server, and the preset's about its kind"
    rows = {key: str(source) for key, _, source in profiles.rows(profile)}
    line = (SHIPPED / "bitcoin.toml").read_text().splitlines().index('path = "/"') + 1
    assert rows["path"] == f"preset bitcoin, {SHIPPED / 'bitcoin.toml'}:{line}"
    assert rows["preset"] == f"{tmp_path / 'sessions.toml'}:3"
    assert rows["timeout"] == "default"


def test_value_of_any_file_wins_over_preset(tmp_path: Path) -> None:
    profile = good(
        read(
            tmp_path,
            own='[profile.p]\ncontent_type = "text/own"\nheaders = { x-a = "own" }\n',
            team='[profile.p]\nurl = "http://team"\naccept = "text/team"\n',
            local='[profile.p]\npreset = "mine"\nauth.username = "ann"\n',
            mine='path = "/mine"\ncontent_type = "text/preset"\naccept = "text/preset"\n'
            'headers = { X-A = "preset", X-B = "preset" }\nauth = { kind = "basic", username = "bob" }\n',
        )
    )
    assert (profile.path, profile.content_type, profile.accept) == ("/mine", "text/own", "text/team")
    assert dict(profile.headers) == {"X-B": "preset", "x-a": "own"}
    assert profile.auth == BasicAuth("ann")


def test_preset_service_equals_no_preset(tmp_path: Path) -> None:
    preset = shipped("service").preset.values
    usual = Profile("service", "", auth=CookieAuth())
    assert {key for key in Profile.__struct_fields__ if getattr(preset, key) != getattr(usual, key)} == {
        "methods",
        "has_login",
        "preset",
    }


def test_own_preset_wins_by_name(tmp_path: Path) -> None:
    profiles = read(tmp_path, own=OWN, bitcoin='path = "/mine"\n')
    profile = good(profiles)
    assert (profile.path, profile.auth.kind) == ("/mine", "none")
    assert str(profiles.source_of("p", "path")) == f"preset bitcoin, {paths_of(tmp_path).presets / 'bitcoin.toml'}:1"


def test_other_auth_type_drops_login_of_preset(tmp_path: Path) -> None:
    preset = 'auth = { kind = "cookie", username = "u", cookie = "sid" }\n[login]\nmethod = "open"\n'
    profile = good(read(tmp_path, own=OWN.replace("bitcoin", "x") + 'auth = { kind = "basic" }\n', x=preset))
    assert (profile.auth, profile.login.method, profile.has_login) == (BasicAuth(), "auth", False)
    profile = good(read(tmp_path, own=OWN.replace("bitcoin", "x") + 'auth = { username = "ann" }\n', x=preset))
    assert (profile.auth, profile.login.method, profile.has_login) == (CookieAuth("ann", "sid"), "open", True)


@pytest.mark.parametrize("name", ["bitcion", "zzz"])
def test_unknown_preset_suggests_the_nearest(tmp_path: Path, name: str) -> None:
    profiles = read(tmp_path, team=OWN.replace("bitcoin", name))
    (problem,) = profiles.problems
    assert (problem.file, problem.line) == (str(tmp_path / "sessions.toml"), 3)
    assert (problem.key, problem.profile) == ("profile.p.preset", "p")
    assert ("Did you mean `bitcoin`?" in problem.sentence) == (name == "bitcion")
    assert f"The presets are {', '.join(Presets(Path('/nowhere')).files())}" in problem.sentence
    assert profiles.get("p") == problem


WRONG: Final = [
    ('pth = "/x"', "pth", "`pth` is not a key of a preset. Did you mean `path`?"),
    ("# two\npath = 1", "path", "must be text"),
    ('url = "http://x"', "url", "only a profile can set this key. Remove it from the preset"),
    ('badge = "dev"', "badge", "only a profile can set this"),
    ('confirm = "never"', "confirm", "only a profile can set this"),
    ('history = "calls"', "history", "only a profile can set this"),
    ('preset = "bitcoin"', "preset", "only a profile can set this"),
    ('ca_file = "x.pem"', "ca_file", "only a profile can set this"),
    ('token = "hunter2hunter2"', "token", "secrets are not allowed in this file"),
    ('password = "hunter2hunter2"', "password", "secrets are not allowed in this file"),
    ('auth = { kind = "bsic" }', "auth.kind", 'Did you mean "basic"?'),
    ('auth = { username = "ann" }', "auth.kind", "the auth type is missing"),
    ("description = 1", "description", "text, in quotes"),
    ("[method.x]\nsafe = 1", "method.x.safe", "true or false"),
    ("path = ", "", "this is not TOML"),
    ("version = 2", "version", "Later versions"),
]


@pytest.mark.parametrize(("text", "key", "words"), WRONG, ids=lambda value: value.partition("\n")[0][:20])
def test_problem_of_preset_has_file_line_and_key(tmp_path: Path, text: str, key: str, words: str) -> None:
    profiles = read(tmp_path, own=OWN.replace("bitcoin", "x") + '[profile.other]\nurl = "http://o"\n', x=f"\n{text}\n")
    (problem,) = profiles.problems
    assert (problem.file, problem.key) == (str(paths_of(tmp_path).presets / "x.toml"), key)
    assert problem.line == (3 if text.startswith(("#", "[")) else 2)
    assert words in problem.sentence
    assert "hunter2" not in str(problem)
    assert profiles.get("p") == problem, "it cannot be used, as nobody knows what it would be"
    assert [*profiles.profiles] == ["other"]


@pytest.mark.parametrize("name", ["../bitcoin", "a/b", ".hidden", "", "x\\u0000", "~"])
def test_preset_cannot_be_a_path(tmp_path: Path, name: str) -> None:
    own = paths_of(tmp_path).presets
    for place in (own.parent / "bitcoin.toml", own / "a" / "b.toml", own / ".hidden.toml", own / "~.toml"):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text('path = "/"\n')
    profiles = read(tmp_path, team=f'[profile.p]\nurl = "http://x"\npreset = "{name}"\n')
    (problem,) = profiles.problems
    assert problem.key == "profile.p.preset"
    assert "must be the name of a preset" in problem.sentence
    assert Presets(own).load(name.replace("\\u0000", "\0")) is None
    assert not {"a/b", ".hidden", "~"} & {*Presets(own).files()}


SAFE: Final = "[method.m]\nsafe = true\n"


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize(
    ("own", "team", "safe"),
    [
        (OWN, "", True),
        (OWN, "method.getblockcount.safe = false", False),
        (OWN, "method.getblockcount.safe = true", True),
        (OWN + "method.getblockcount.safe = false", "method.getblockcount.safe = true", False),
        (OWN, 'preset = "mine"', True),
        (OWN.replace("bitcoin", "service"), 'preset = "mine"', None),
        (OWN.replace("bitcoin", "service"), 'preset = "bitcoin"', None),
        ('[profile.p]\nurl = "http://own.example"', 'preset = "bitcoin"', None),
        ("", 'url = "http://own.example"\npreset = "bitcoin"', True),
    ],
)
def test_preset_marks_methods_safe_for_its_user(
    tmp_path: Path, own: str, team: str, safe: bool | None, local: bool
) -> None:
    shared = f"[profile.p]\n{team}\n"
    profiles = read(
        tmp_path, "" if local else shared, own, shared if local else "", mine="[method.getblockcount]\nsafe = true\n"
    )
    assert good(profiles).methods["getblockcount"].safe is safe


def test_method_that_preset_marks_unsafe_stays_unsafe(tmp_path: Path) -> None:
    assert good(read(tmp_path, own=OWN, team="[profile.p]\nmethod.stop.safe = true\n")).methods["stop"].safe is False


@pytest.mark.parametrize(
    ("own", "team", "disputed"),
    [
        (OWN, "[profile.p]\ntimeout = 3\n", ""),
        (OWN, '[profile.p]\npath = "/"\n', ""),
        (OWN, '[profile.p]\npreset = "aria2"\n', "path"),
        (OWN, '[profile.p]\npath = "/x"\n', "path"),
        ('[profile.p]\nurl = "http://own.example"\npath = "/"\n', '[profile.p]\npreset = "bitcoin"\n', "auth.kind"),
        ('[profile.p]\npreset = "bitcoin"\n', '[profile.p]\nurl = "http://own.example"\n', ""),
        ('[profile.p]\npreset = "bitcoin"\n', '[profile.p]\nurl = "http://own.example"\npreset = "aria2"\n', "path"),
        ("[profile.p]\ntimeout = 3\n", f"{OWN}path = '/y'\n", ""),
    ],
)
def test_user_file_counts_with_its_preset(tmp_path: Path, own: str, team: str, disputed: str) -> None:
    profiles = read(tmp_path, team, own)
    routes = Destinations(paths_of(tmp_path).allowed, {}, lambda _: ())
    routes.profiles = profiles
    changes = routes.disputed(good(profiles))
    assert disputed in [change.key for change in changes] if disputed else changes == ()
    if disputed and "preset" in team:
        named = f"{tmp_path / 'sessions.toml'}:{team[: team.index('preset')].count(chr(10)) + 1}"
        assert next(change.place for change in changes if change.key == disputed).startswith(named)


def test_damaged_preset_is_reported_for_each_profile(tmp_path: Path) -> None:
    two = '[profile.a]\nurl = "http://a"\npreset = "x"\n[profile.b]\nurl = "http://b"\npreset = "x"\n'
    profiles = read(tmp_path, own=two, team="[profile.a]\ntimeout = 3\n", x="pth = 1")
    assert [problem.profile for problem in profiles.problems] == ["a", "b"]
    assert all(isinstance(profiles.get(name), Problem) for name in "ab")


@pytest.mark.parametrize("text", ["", "pth = 1"])
def test_unusable_preset_is_not_saved(tmp_path: Path, text: str) -> None:
    profiles = read(tmp_path, own='[profile.p]\nurl = "http://p"\n', **({"x": text} if text else {}))
    edits = ProfileEdits(profiles.files[0], tmp_path / "state", profiles=profiles)
    before = edits.file.read_text()
    message = "`pth` is not a key" if text else "there is no preset `x`"
    for problem in (
        edits.add("q", "http://q", preset="x"),
        edits.apply("p", (("preset", "x"),), profiles.leaves["p"]),
    ):
        assert problem is not None
        assert message in problem.sentence
    assert edits.file.read_text() == before
    assert edits.apply("p", (("preset", "bitcoin"),), profiles.leaves["p"]) is None
    assert 'preset = "bitcoin"' in edits.file.read_text()
