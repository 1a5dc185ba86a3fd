from __future__ import annotations

from pathlib import Path

import pytest

from rpcexplorer.files.paths import Paths, find_team_file


def found(folder: Path, environment: dict[str, str] | None = None, option: Path | None = None) -> Path | None:
    return find_team_file(folder, environment or {}, option).path


def test_home_variable_moves_all_files_to_one_folder(tmp_path: Path) -> None:
    paths = Paths.of({"RPCEXPLORER_HOME": str(tmp_path)})
    assert (paths.config, paths.state, paths.cache) == tuple(tmp_path / name for name in ("config", "state", "cache"))
    assert paths.user_sessions == tmp_path / "config" / "sessions.toml"
    assert paths.settings == tmp_path / "config" / "settings.toml"
    assert paths.themes == tmp_path / "config" / "themes"
    assert paths.secrets == tmp_path / "state" / "secrets.toml"
    assert paths.history == tmp_path / "state" / "history"
    assert paths.method_lists == tmp_path / "cache" / "catalogues"


def test_relative_home_starts_at_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert Paths.of({"RPCEXPLORER_HOME": "here"}).config == tmp_path / "here" / "config"


def test_platform_decides_without_the_home_variable() -> None:
    paths = Paths.of({})
    assert all("rpcexplorer" in str(folder) for folder in (paths.config, paths.state, paths.cache))


def test_nearest_project_file_up_to_repository_root_wins(tmp_path: Path) -> None:
    deep = tmp_path / "root" / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / "root" / ".git").mkdir()
    (tmp_path / "root" / "sessions.toml").touch()
    assert found(deep) == tmp_path / "root" / "sessions.toml"
    (deep.parent / "sessions.toml").touch()
    assert found(deep) == deep.parent / "sessions.toml"


def test_named_file_has_no_dots_in_its_path(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "sessions.toml").touch()
    named = "../sessions.toml"
    assert found(tmp_path / "a", option=Path(named)) == tmp_path / "sessions.toml"
    assert found(tmp_path / "a", {"RPCEXPLORER_SESSIONS": named}) == tmp_path / "sessions.toml"


def test_search_does_not_leave_the_repository(tmp_path: Path) -> None:
    deep = tmp_path / "root" / "a"
    deep.mkdir(parents=True)
    (tmp_path / "root" / ".git").write_text("gitdir: elsewhere")
    (tmp_path / "sessions.toml").touch()
    assert found(deep) is None


def test_search_without_repository_ends_below_the_home_folder(tmp_path: Path) -> None:
    deep = tmp_path / "work" / "project"
    deep.mkdir(parents=True)
    (tmp_path / "sessions.toml").touch()
    assert found(deep, {"HOME": str(tmp_path)}) is None
    (tmp_path / "work" / "sessions.toml").touch()
    assert found(deep, {"HOME": str(tmp_path)}) == tmp_path / "work" / "sessions.toml"


def test_working_folder_counts_even_as_home_folder(tmp_path: Path) -> None:
    (tmp_path / "sessions.toml").touch()
    assert found(tmp_path, {"HOME": str(tmp_path)}) == tmp_path / "sessions.toml"


def test_world_writable_folder_is_skipped_unless_allowed(tmp_path: Path) -> None:
    below = tmp_path / "open" / "mine"
    below.mkdir(parents=True)
    file = tmp_path / "open" / "sessions.toml"
    file.touch()
    assert found(below) == file
    (tmp_path / "open").chmod(0o777)
    for folder in (below, tmp_path / "open"):
        skipped = find_team_file(folder, {}, None)
        assert skipped.path is None
        (problem,) = skipped.problems
        assert problem.file == str(file)
        assert f"profiles allow --folder {tmp_path / 'open'}" in problem.sentence
        assert find_team_file(folder, {}, None, {str(tmp_path / "open")}).path == file
    assert found(below, option=file) == file
    assert found(below, {"RPCEXPLORER_SESSIONS": str(file)}) == file


@pytest.mark.parametrize("name", ["sessions.toml", "sessions.local.toml"])
def test_world_writable_file_is_skipped(tmp_path: Path, name: str) -> None:
    (tmp_path / "mine").mkdir()
    for place in ("sessions.toml", "mine/sessions.toml", f"mine/{name}"):
        (tmp_path / place).touch()
    (tmp_path / "mine" / name).chmod(0o666)
    assert found(tmp_path / "mine") == tmp_path / "sessions.toml"


def test_option_beats_variable_and_variable_beats_search(tmp_path: Path) -> None:
    for name in ("sessions.toml", "named.toml", "chosen.toml"):
        (tmp_path / name).touch()
    environment = {"RPCEXPLORER_SESSIONS": "named.toml"}
    assert found(tmp_path, environment) == tmp_path / "named.toml"
    assert found(tmp_path, environment, Path("chosen.toml")) == tmp_path / "chosen.toml"
    assert found(tmp_path, {"RPCEXPLORER_SESSIONS": ""}) == tmp_path / "sessions.toml"


@pytest.mark.parametrize(
    ("environment", "option", "by"),
    [({}, Path("gone.toml"), "--sessions"), ({"RPCEXPLORER_SESSIONS": "gone.toml"}, None, "RPCEXPLORER_SESSIONS")],
)
def test_named_file_that_is_missing_is_a_problem(
    tmp_path: Path, environment: dict[str, str], option: Path | None, by: str
) -> None:
    (tmp_path / "sessions.toml").touch()
    missing = find_team_file(tmp_path, environment, option)
    assert missing.path is None
    (problem,) = missing.problems
    assert str(tmp_path / "gone.toml") in str(problem)
    assert by in problem.sentence
