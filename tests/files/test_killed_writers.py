"""Killed and concurrent writers, as real processes: no data is lost."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.files.every_file import KINDS, Kind
from tests.files.faults import snapshot

ROOT = Path(__file__).parents[2]
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


def command(how: str, folder: Path, *names: str) -> list[str]:
    return [sys.executable, "-m", "tests.files.killing", how, str(folder), *names]


@pytest.fixture(autouse=True)
def no_writer(monkeypatch: pytest.MonkeyPatch) -> None:
    """An incomplete end is torn: its writer is dead."""
    monkeypatch.setattr("rpcexplorer.history.folder.UNFINISHED", -1.0)


def begun(folder: Path) -> Path:
    """Return a folder with a valid file of each kind."""
    for kind in KINDS:
        kind.begin(folder / kind.name)
    return folder


def assert_usable(kind: Kind, root: Path) -> None:
    """Check that the next program reads and writes as usual."""
    assert kind.change(root, "d") == ""
    found, message = kind.read(root)
    assert found >= kind.things("d")
    assert message == "" or "it is incomplete" in message
    if kind.toml:
        tomllib.loads(kind.path(root).read_text())


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, int]]:
    """Return the folder of killed writers, and system calls by kind of file."""
    folder = begun(tmp_path_factory.mktemp("killed"))
    done = subprocess.run(command("everywhere", folder), cwd=ROOT, capture_output=True, text=True, check=True)
    ends = [line.split(",") for line in done.stdout.splitlines()]
    assert all(code == "0" for _, _, code in ends), "whoever was left alone made its change"
    return folder, {name: int(number) for name, number, _ in ends}


@pytest.mark.thorough
@every_kind
def test_killed_writer_leaves_old_or_new_file(kind: Kind, killed: tuple[Path, dict[str, int]]) -> None:
    folder, calls = killed
    assert calls[kind.name] > 8
    for number in range(1, calls[kind.name]):
        root = folder / f"{kind.name}-{number}"
        found, message = kind.read(root)
        assert found in (kind.things(), kind.things("c")), number
        assert message == "" or (kind.name == "history" and "it is incomplete" in message), number
        assert_usable(kind, root)
        assert sum(name.endswith(".tmp") for name in snapshot(root)) <= 1, number


@pytest.mark.everyday(1)
@every_kind
def test_killed_writer_loses_nothing_that_it_reported(kind: Kind, tmp_path: Path) -> None:
    chance = random.Random(kind.name)
    kind.begin(root := tmp_path / kind.name)
    with subprocess.Popen(
        command("on-and-on", tmp_path, kind.name), cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout
        printed = [writer.stdout.readline().strip() for _ in range(chance.randrange(1, 12))]
        for _ in range(chance.randrange(20_000)):  # some part of a write
            pass
        writer.send_signal(signal.SIGKILL)
        printed += writer.stdout.read().split()
    assert printed == [str(number) for number in range(len(printed))]
    found, message = kind.read(root)
    assert message == "" or (kind.name == "history" and "it is incomplete" in message)
    if kind.one:
        assert found in ({f"n{len(printed) - 1}"}, {f"n{len(printed)}"})
    else:
        assert found >= kind.things(*(f"n{number}" for number in printed))
    assert_usable(kind, root)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that two programs changed ten times each."""
    folder = begun(tmp_path_factory.mktemp("shared"))
    done = subprocess.run(command("two-at-once", folder), cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "", "nothing was reported, and both came to an end"
    return folder


@pytest.mark.thorough
@every_kind
def test_two_writers_at_once_lose_nothing(kind: Kind, shared: Path) -> None:
    found, message = kind.read(shared / kind.name)
    assert message == ""
    if kind.one:
        assert found in ({"x9"}, {"y9"})
    else:
        assert found == kind.things(*(f"{own}{number}" for own in "xy" for number in range(10)))
