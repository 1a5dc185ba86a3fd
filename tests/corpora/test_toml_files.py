"""Every TOML case as each file that a user may write or damage.

Reading never raises, reports the problem and its place, and changes no byte. A file that cannot be read is never
written to. The loops are over hundreds of documents; the message of a failure begins with the name of the document.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from rpcexplorer.files.io import error_of
from rpcexplorer.history.folder import History
from rpcexplorer.history.record import to_block
from rpcexplorer.model.exchange import Damaged, Exchange
from rpcexplorer.model.problem import Problem, UserError
from rpcexplorer.text.printable import printable
from tests.corpora.road import unseen
from tests.corpora.toml_cases import EXTREME, RIGHT, WRONG
from tests.fakes.explorer import open_explorer
from tests.history.recording import contents, exchange, sound

pytestmark = pytest.mark.thorough
ALL = {**RIGHT, **WRONG, **EXTREME}
UNREADABLE = {**WRONG, **EXTREME}
NO_LINE = {"integer-of-5000-digits", *(name for name in WRONG if name.startswith("bytes-"))}
"""Python names no line for them, or there are no characters."""


def assert_printable(name: str, problems: list[Problem], file: Path) -> None:
    """Check that problems are printable, and that invalid TOML has a place."""
    for problem in problems:
        assert problem.file == str(file), name
        assert unseen(printable(str(problem))) == set(), name
    if name in UNREADABLE:
        (only,) = problems
        last = ALL[name].count(b"\n") + 1
        assert only.line is None if name in NO_LINE else only.line in range(1, last + 1), (name, str(only))


def assert_written_only_if_read(name: str, file: Path, refused: object) -> None:
    """Check that an unreadable file was rejected and is unchanged."""
    if name in UNREADABLE:
        assert refused, name
    if refused:
        assert file.read_bytes() == ALL[name], name


@pytest.mark.parametrize("file_name", ["sessions.toml", "sessions.local.toml"])
def test_profile_file_is_read_or_reported_never_overwritten(file_name: str, tmp_path: Path) -> None:
    (tmp_path / "sessions.toml").write_text('[profile.sound]\nurl = "http://127.0.0.1"\n')
    file = tmp_path / file_name
    for name, text in ALL.items():
        file.write_bytes(text)
        explorer = open_explorer(tmp_path)
        assert_printable(name, explorer.profiles.problems, file)
        assert ("sound" in explorer.profiles.profiles) == (file_name != "sessions.toml"), name
        with suppress(UserError):
            explorer.use()
        assert file.read_bytes() == text, name
        assert_written_only_if_read(name, file, explorer.edits(file).add("new", "http://127.0.0.1"))


def test_settings_file_is_read_or_reported_never_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "home" / "config" / "settings.toml"
    file.parent.mkdir(parents=True)
    for name, text in ALL.items():
        file.write_bytes(text)
        explorer = open_explorer(tmp_path)
        assert_printable(name, explorer.profiles.problems, file)
        assert file.read_bytes() == text, name
        assert_written_only_if_read(name, file, explorer.save_setting("theme", "night"))


def test_theme_file_is_read_or_reported(tmp_path: Path) -> None:
    file = tmp_path / "home" / "config" / "themes" / "own.toml"
    file.parent.mkdir(parents=True)
    explorer = open_explorer(tmp_path)
    for name, text in ALL.items():
        file.write_bytes(text)
        theme, problems = explorer.themes.load("own")
        assert_printable(name, problems, file)
        assert (theme is None) == (name in UNREADABLE), name
        assert file.read_bytes() == text, name


def test_history_file_is_shown_and_kept_unchanged(tmp_path: Path) -> None:
    taken: set[str] = set()
    for number, (name, text) in enumerate(ALL.items()):
        folder = tmp_path / str(number)
        folder.mkdir()
        file = folder / "me@here.toml"
        file.write_bytes(text)
        history = History(folder, writer="me@here")
        list(history.all())
        assert file.read_bytes() == text, name
        if not error_of(partial(history.append, exchange(1))):
            taken.add(name)
            assert next(history.all()) == exchange(1), name
            written = b"".join(contents(folder).values())
            assert all(line in written for line in text.split(b"\n")), name
        else:  # not one of ours
            assert file.read_bytes() == text, name
            assert history.unsaved == [exchange(1)], name
    assert taken
    assert len(taken) < len(ALL)


def test_text_between_two_calls_costs_neither(tmp_path: Path) -> None:
    calls = [exchange(0), exchange(1)]
    before, after = (to_block(call).encode() for call in calls)
    file = tmp_path / "me@here.toml"
    for name, text in ALL.items():
        file.write_bytes(before + text + b"\n" + after)
        found = list(History(tmp_path).all())
        assert {call.id for call in calls} <= set(sound(found)), name
        assert all(one.text in (text + b"\n").decode(errors="backslashreplace") for one in damages(found)), name
        assert History(tmp_path, writer="me@here").annotate(calls[0].id, note="a note"), name
        assert text in file.read_bytes(), name


def damages(found: list[Exchange | Damaged]) -> Iterator[Damaged]:
    return (one for one in found if isinstance(one, Damaged))
