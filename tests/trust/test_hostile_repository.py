"""``profiles check --staged`` in hostile repositories runs no command."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.fakes.shell import Ran, Shell

SECRET = "hunter2-hunter2"
SHOP = '[profile.shop]\nurl = "https://x.example"\nauth = { kind = "inline", username = "ada" }\n'
LEAK = f'token = "{SECRET}"\n'


def git(folder: Path, *words: str, given: str = "") -> str:
    own = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", "-c", "commit.gpgSign=false"]
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    ran = subprocess.run(
        ["git", *own, *words], cwd=folder, env=environment, input=given, capture_output=True, text=True, check=True
    )
    return ran.stdout.strip()


def check(shell: Shell, *more: str) -> Ran:
    return shell.run("profiles", "check", "--staged", *more, RPCEXPLORER_SHOP_PASSWORD=SECRET)


@pytest.fixture
def repository(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository with one commit, and unset all git variables."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    shell.sessions(SHOP)
    git(shell.folder, "init", "-q")
    git(shell.folder, "add", "sessions.toml")
    git(shell.folder, "commit", "-qm", "first")
    return shell.folder


def hostile(folder: Path) -> Path:
    """Set every key and hook of git that runs a command; return its trace."""
    marker = folder / ".git" / "ran"
    run = folder / ".git" / "run"
    run.write_text(f'#!/bin/sh\necho "$0 $*" >>{marker}\n')
    run.chmod(0o755)
    (folder / ".git" / "more").write_text(f"[core]\n\tfsmonitor = {run}\n")
    (folder / ".git" / "info").mkdir(exist_ok=True)
    (folder / ".git" / "info" / "attributes").write_text("* diff=own filter=own merge=own\n")
    (folder / ".git" / "config").write_text(
        f"""
[core]
    repositoryformatversion = 1
    fsmonitor = {run}
    hooksPath = {run.parent}/hooks
    pager = {run}
    editor = {run}
    sshCommand = {run}
    askPass = {run}
    gitProxy = {run}
    alternateRefsCommand = {run}
[extensions]
    partialClone = origin
[remote "origin"]
    url = ext::{run} %S
    promisor = true
    uploadpack = {run}
[remote "two"]
    url = ssh://x.example/y
    promisor = true
    vcs = ext
[protocol]
    allow = always
[protocol "ext"]
    allow = always
[diff]
    external = {run}
    orderFile = /dev/stdin
[diff "own"]
    command = {run}
    textconv = {run}
[filter "own"]
    clean = {run}
    smudge = {run}
    process = {run}
    required = true
[merge "own"]
    driver = {run}
[credential]
    helper = !{run}
[gpg]
    program = {run}
[uploadpack]
    packObjectsHook = {run}
[pager]
    diff-index = {run}
    cat-file = {run}
[interactive]
    diffFilter = {run}
[alias]
    diff-index = !{run}
    cat-file = !{run}
    rev-parse = !{run}
    hash-object = !{run}
[include]
    path = more
"""
    )
    for hook in ("post-index-change", "pre-commit", "fsmonitor-watchman", "reference-transaction"):
        shutil.copy(run, folder / ".git" / "hooks" / hook)
    return marker


def test_staged_content_is_searched_instead_of_the_folder(shell: Shell, repository: Path) -> None:
    assert (check(shell).code, check(shell).text) == (0, "no secret in 0 staged files\n")
    (repository / "sub").mkdir()
    (repository / "sub" / "a.toml").write_text(f"x = 1\n{LEAK}")
    (repository / "unstaged.toml").write_text(LEAK)
    assert check(shell).code == 0
    git(repository, "add", "sub")
    (repository / "sub" / "a.toml").write_text("mended, but not staged")
    found = check(shell)
    assert found.code == 1
    assert "sub/a.toml:2: " in found.err
    assert "unstaged" not in found.err
    assert SECRET not in found.err
    git(repository, "add", "sub")
    assert check(shell).text == "no secret in 1 staged file\n"


def test_all_staged_files_are_searched_before_first_commit(shell: Shell, repository: Path) -> None:
    shutil.rmtree(repository / ".git")
    git(repository, "init", "-q")
    (repository / "a\nb.toml").write_text(LEAK)
    git(repository, "add", ".")
    ran = check(shell)
    assert (ran.code, ran.err.count("this line contains the value of shop.password")) == (1, 1)
    assert "a\n  b.toml:1: " in ran.err, "no line looks like another line of ours"


def test_deleted_files_and_submodules_are_not_searched(shell: Shell, repository: Path) -> None:
    git(repository, "rm", "-q", "--cached", "sessions.toml")
    git(repository, "update-index", "--add", "--cacheinfo", f"160000,{git(repository, 'rev-parse', 'HEAD')},module")
    ran = check(shell)
    assert (ran.code, ran.text, ran.err) == (0, "no secret in 0 staged files\n", "")


def test_git_runs_nothing_that_a_hostile_config_names(
    shell: Shell, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "a.toml").write_text(LEAK)
    (repository / "lost.toml").write_text("x = 1\n")
    git(repository, "add", "a.toml", "lost.toml")
    lost = git(repository, "rev-parse", ":lost.toml")
    (repository / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    marker = hostile(repository)
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(marker.with_name("run")))
    monkeypatch.setenv("GIT_SSH_COMMAND", str(marker.with_name("run")))
    for tempting in (["status"], ["diff", "HEAD"], ["cat-file", "-p", lost]):
        subprocess.run(["git", *tempting], cwd=repository, capture_output=True, check=False, stdin=subprocess.DEVNULL)
        assert marker.exists(), f"this config does not even tempt git {tempting[0]}"
        marker.unlink()
    ran = check(shell)
    assert not marker.exists(), marker.read_text()
    assert (ran.code, "a.toml:1: " in ran.err) == (1, True)
    assert "lost.toml: git does not have the content of this file" in ran.err


@pytest.mark.parametrize(
    ("ignored", "warned"), [("", True), ("sessions.local.toml\n", False), ("*.local.toml\n", False), (None, False)]
)
def test_local_file_not_ignored_by_git_is_reported(
    shell: Shell, repository: Path, monkeypatch: pytest.MonkeyPatch, ignored: str | None, warned: bool
) -> None:
    if ignored is None:
        monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(repository.parent))
        shutil.rmtree(repository / ".git")
    else:
        (repository / ".gitignore").write_text(ignored)
    file = repository / "sessions.local.toml"
    warning = f"warning: Git does not ignore the local file {file}. Add sessions.local.toml to .gitignore."
    assert (warning in shell.run("profiles", "set", "shop", "timeout=5").err) == warned
    checked = shell.run("profiles", "check")
    assert (checked.code, warning in checked.err) == (0, warned)


def test_git_check_of_ignored_file_runs_nothing(shell: Shell, repository: Path) -> None:
    marker = hostile(repository)
    subprocess.run(["git", "status"], cwd=repository, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    assert marker.exists(), "this config does not even tempt git"
    marker.unlink()
    ran = shell.run("profiles", "set", "shop", "timeout=5")
    assert (ran.code, "Git does not ignore" in ran.err, marker.exists()) == (0, True, False)


def test_git_that_waits_for_a_pipe_is_stopped(shell: Shell, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rpcexplorer.secrets.leaks.MOMENT", 0.1)
    os.mkfifo(repository / "pipe")
    git(repository, "config", "core.excludesFile", "pipe")
    ran = shell.run("profiles", "set", "shop", "timeout=5")
    assert (ran.code, "Git" in ran.err) == (0, False)


def test_bare_repository_in_a_folder_is_not_used(shell: Shell, repository: Path) -> None:
    bare = repository / "docs"
    git(repository, "init", "-q", "--bare", str(bare))
    shell.folder = bare
    ran = check(shell)
    assert ran.code == 2
    assert "git cannot list the staged files" in ran.err
    assert "bare repository" in ran.err


def test_git_gets_no_password_and_no_local_program(
    shell: Shell, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = tmp_path / "seen"
    for place in (tmp_path / "tools", repository):
        place.mkdir(exist_ok=True)
        (place / "git").write_text(f'#!/bin/sh\n[ "$0" = {place}/git ] && env >>{seen}.{place.name}\nexit 1\n')
        (place / "git").chmod(0o755)
    monkeypatch.chdir(repository)
    monkeypatch.setenv("RPCEXPLORER_SHOP_PASSWORD", SECRET)
    monkeypatch.setenv("PATH", os.pathsep.join([".", "", str(tmp_path / "tools"), os.environ["PATH"]]))
    assert check(shell).code == 2
    assert SECRET not in (tmp_path / "seen.tools").read_text()
    assert not (tmp_path / "seen.work").exists()


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (None, "--staged needs a git repository. "),
        ("/nonexistent", "git is not installed. Name the files to check instead"),
    ],
)
def test_missing_git_or_repository_is_reported(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str | None, message: str
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    if path:
        monkeypatch.setenv("PATH", path)
    ran = check(shell)
    assert (ran.code, ran.text) == (2, "")
    assert message in ran.err
    assert ran.err.count("\n") == 1


def test_index_of_a_git_hook_is_read(shell: Shell, repository: Path) -> None:
    (repository / "sessions.toml").write_text(SHOP + LEAK)
    index = repository / ".git" / "other"
    shutil.copy(repository / ".git" / "index", index)
    assert check(shell).code == 0
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("GIT_INDEX_FILE", str(index))
        subprocess.run(["git", "add", "sessions.toml"], cwd=repository, check=True)
        assert check(shell).code == 1
    assert check(shell).code == 0


def test_files_and_staged_exclude_each_other(shell: Shell) -> None:
    assert check(shell, "sessions.toml").code == 2


def test_file_that_is_too_large_is_reported_unread(
    shell: Shell, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rpcexplorer.secrets.leaks.LARGEST", 100)
    (repository / "large").write_text("x" * 101)
    for number in range(5):
        (repository / f"small{number}").write_text(f"{LEAK}{'y' * 40}{number}")
    git(repository, "add", ".")
    ran = check(shell)
    assert ran.code == 1
    assert "large: not searched: it is larger than" in ran.err
    assert ran.err.count("this line contains the value of shop.password") == 5


def test_endless_index_is_reported(shell: Shell, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rpcexplorer.secrets.leaks.SECONDS", 0.2)
    (repository / ".git" / "index").unlink()
    os.mkfifo(repository / ".git" / "index")
    ran = check(shell)
    assert ran.code == 2
    assert "git did not respond within 0.2 s" in ran.err
