"""Keys of a user profile that a project file can change."""

from __future__ import annotations

from pathlib import Path

import pytest

from rpcexplorer.auth.basic import BasicAuth
from rpcexplorer.auth.token import HeaderAuth
from rpcexplorer.model.profile import DocumentSource
from rpcexplorer.secrets.destination import Destinations
from tests.profiles.reading import good, paths_of, read

OWN = '[profile.p]\nurl = "https://p.example"\nauth = { kind = "none" }\n'
TEAM = '[profile.p]\nurl = "https://p.example"\nauth = { kind = "none" }\n'


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize(
    ("own", "team", "counts"),
    [
        ('confirm = "always"', 'confirm = "never"', "always"),
        ('confirm = "always"', 'confirm = "unsafe"', "always"),
        ('confirm = "unsafe"', 'confirm = "never"', "unsafe"),
        ('confirm = "never"', 'confirm = "always"', "always"),
        ('confirm = "never"', 'badge = "prod"', "never"),
        ('badge = "prod"', 'confirm = "never"', "unsafe"),
        ('badge = "prod"', 'badge = "dev"', "unsafe"),
        ('badge = "dev"', 'badge = "prod"', "unsafe"),
        ("", 'confirm = "never"', "never"),
    ],
)
def test_project_file_makes_confirm_only_stricter(
    tmp_path: Path, own: str, team: str, counts: str, local: bool
) -> None:
    assert good(read(tmp_path, "" if local else TEAM + team, OWN + own, TEAM + team if local else "")).confirm == counts


def test_prod_badge_stays(tmp_path: Path) -> None:
    assert good(read(tmp_path, TEAM + 'badge = "dev"', OWN + 'badge = "prod"')).badge == "prod"
    assert good(read(tmp_path, TEAM + 'badge = "prod"', OWN + 'badge = "dev"')).badge == "prod"


@pytest.mark.parametrize(
    ("own", "team", "safe"),
    [
        (f"{OWN}[profile.p.method.m]\nsafe = false", f"{TEAM}[profile.p.method.m]\nsafe = true", False),
        (f"{OWN}[profile.p.method.m]\nsafe = true", f"{TEAM}[profile.p.method.m]\nsafe = false", False),
        (f"{OWN}[profile.p.method.m]\nsafe = true", f"{TEAM}[profile.p.method.m]\nsafe = true", True),
        (OWN, f"{TEAM}[profile.p.method.m]\nsafe = true", None),
        ("[profile.p.method.m]\nsafe = false", f"{TEAM}[profile.p.method.m]\nsafe = true", False),
        ('[profile.p]\nconfirm = "unsafe"', f"{TEAM}[profile.p.method.m]\nsafe = true", True),
        ("", f"{TEAM}[profile.p.method.m]\nsafe = true", True),
    ],
)
def test_project_file_cannot_mark_own_methods_safe(tmp_path: Path, own: str, team: str, safe: bool | None) -> None:
    assert good(read(tmp_path, team, own)).methods["m"].safe is safe


@pytest.mark.parametrize(
    ("own", "plain"),
    [
        (f'{OWN}[profile.p.method."session/new"]\nplain = ["/id"]', ("/id",)),
        (f'{OWN}preset = "acp"', ("/sessionId",)),
        (OWN, ()),
    ],
)
def test_only_the_user_and_his_preset_mark_values_as_plain(tmp_path: Path, own: str, plain: tuple[str, ...]) -> None:
    team = f'{TEAM}preset = "acp"\n[profile.p.method."session/new"]\ndoc = "x"\nplain = ["/x"]'
    profiles = read(tmp_path, team.replace("https:", "ws:"), own.replace("https:", "ws:"))
    assert good(profiles).methods["session/new"].plain == plain
    (problem,) = profiles.problems
    assert str(problem).endswith(f"To do so, move this key to {paths_of(tmp_path).user_sessions}")


@pytest.mark.parametrize("history", ["../hist", "/tmp/hist", "~/hist", ".", "hist/../..", "link", "link/below"])
def test_history_outside_the_folder_is_never_used(tmp_path: Path, history: str) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path)
    for place in (str(tmp_path / "hist"), "/tmp/hist", str(folder / "link"), str(folder / "link/below"), str(tmp_path)):
        Destinations(paths_of(folder).allowed, {}, lambda _: ()).allow_history(place)
    profiles = read(folder, f'{TEAM}history = "{history}"')
    assert good(profiles).history is None
    (problem,) = profiles.problems
    assert problem.key == "profile.p.history"
    assert "inside the folder" in problem.sentence
    assert profiles.histories == {}


def test_history_inside_the_folder_is_used_if_allowed(tmp_path: Path) -> None:
    profiles = read(tmp_path, f'{TEAM}history = "hist"')
    assert good(profiles).history is None
    (problem,) = profiles.problems
    assert (problem.line, problem.key) == (4, "profile.p.history")
    assert "profiles allow p" in problem.sentence
    assert profiles.histories == {"p": str(tmp_path / "hist")}
    Destinations(paths_of(tmp_path).allowed, {}, lambda _: ()).allow_history(str(tmp_path / "hist"))
    profiles = read(tmp_path, f'{TEAM}history = "hist"')
    assert good(profiles).history == str(tmp_path / "hist")
    assert good(profiles).history_inside == str(tmp_path)
    assert profiles.problems == []


def test_user_file_names_any_history_folder(tmp_path: Path) -> None:
    profile = good(read(tmp_path, "", f'{OWN}history = "/tmp/hist"'))
    assert (profile.history, profile.history_inside) == ("/tmp/hist", None)


DOCUMENT = '[profile.p]\nurl = "https://p.example"\nauth = { kind = "none" }\ndiscovery = { file = "%s" }\n'


@pytest.mark.parametrize("file", ["../openrpc.json", "/etc/passwd", "~/openrpc.json", "docs/../../openrpc.json"])
def test_document_outside_the_folder_is_never_read(tmp_path: Path, file: str) -> None:
    folder = tmp_path / "team"
    folder.mkdir()
    profiles = read(folder, DOCUMENT % file)
    assert good(profiles).discovery == "auto"
    (problem,) = profiles.problems
    assert "it must be in the folder of this file" in problem.sentence


def test_document_of_user_file_may_be_anywhere(tmp_path: Path) -> None:
    profiles = read(tmp_path, DOCUMENT % "docs/openrpc.json")
    assert good(profiles).discovery == DocumentSource(file=str(tmp_path / "docs/openrpc.json"), inside=str(tmp_path))
    assert ("discovery", {"file": str(tmp_path / "docs/openrpc.json")}) in [
        row[:2] for row in profiles.rows(good(profiles))
    ]
    own = good(read(tmp_path, "", DOCUMENT % "/srv/openrpc.json"))
    assert own.discovery == DocumentSource(file="/srv/openrpc.json")


def test_key_of_another_auth_type_is_a_problem(tmp_path: Path) -> None:
    team = '[profile.a]\nurl = "http://a.example"\nauth = { kind = "basic", username = "ada", header = "X-Key" }\n'
    found = read(tmp_path, team)
    assert found.profiles["a"].auth == BasicAuth(username="ada")
    [problem] = found.problems
    sentence = "auth type basic does not have this key. Remove it, or set kind to header"
    assert (problem.line, problem.key, problem.sentence) == (3, "profile.a.auth.header", sentence)


def test_key_for_the_auth_type_of_another_file_is_none(tmp_path: Path) -> None:
    own = '[profile.a]\nurl = "http://a.example"\nauth = { kind = "header" }\n'
    found = read(tmp_path, '[profile.a]\nauth.header = "X-Key"\n', own)
    assert (found.profiles["a"].auth, found.problems) == (HeaderAuth(header="X-Key"), [])
