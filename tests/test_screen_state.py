from __future__ import annotations

import os
import tomllib
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from rpcexplorer.files.io import lock
from rpcexplorer.model.secret import Secret
from rpcexplorer.settings import NEWEST, ScreenState


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "screen.toml"


SHOP, NOTES = Path("/home/ada/shop"), Path("/home/ada/notes")


def full(one: ScreenState) -> ScreenState:
    one.set_used(SHOP, "staging")
    one.wrap = True
    one.history_of_all = True
    one.methods_width = 34
    one.params_share = 300
    one.set_method("staging", "user.get")
    one.pin("staging", "ping")
    one.pin("staging", "user.get")
    one.quiet("staging", "user.delete")
    one.add_expression("filter", ".[] | .id")
    one.add_expression("pipe", "wc -c")
    return one


def everything(one: ScreenState) -> list[object]:
    sizes = [one.methods_width, one.params_share]
    lists = [one.pinned("staging"), one.expressions("filter"), one.expressions("pipe")]
    flags = [one.wrap, one.history_of_all]
    return [one.used_in(SHOP), *flags, *sizes, one.method("staging"), *lists, one.is_quiet("staging", "user.delete")]


def test_missing_file_is_empty_and_not_created(file: Path) -> None:
    assert everything(ScreenState(file)) == ["", False, False, None, None, "", (), (), (), False]
    assert not file.parent.exists()


def test_state_survives_a_restart(file: Path) -> None:
    one = full(ScreenState(file))
    expected = ["staging", True, True, 34, 300, "user.get", ("ping", "user.get"), (".[] | .id",), ("wc -c",), True]
    assert everything(one) == everything(ScreenState(file)) == expected
    assert one.problem == ""


def test_profiles_have_separate_states(file: Path) -> None:
    one = full(ScreenState(file))
    assert (one.method("prod"), one.pinned("prod"), one.is_quiet("prod", "user.delete")) == ("", (), False)


def test_last_profile_counts_in_its_folder_only(file: Path) -> None:
    one = full(ScreenState(file))
    one.set_used(NOTES, "prod")
    assert (one.used_in(SHOP), one.used_in(NOTES), one.used_in(NOTES / "src")) == ("staging", "prod", "")
    one.set_used(SHOP, "")
    assert (ScreenState(file).used_in(SHOP), ScreenState(file).used_in(NOTES)) == ("", "prod")


def test_newest_folders_keep_their_last_profile(file: Path) -> None:
    one = ScreenState(file)
    for number in range(NEWEST + 1):
        one.set_used(SHOP / str(number), "staging")
    assert [one.used_in(SHOP / str(number)) for number in (0, 1, NEWEST)] == ["", "staging", "staging"]


def test_method_is_pinned_once_and_can_be_unpinned(file: Path) -> None:
    one = ScreenState(file)
    for method in ("a", "b", "a", "c"):
        one.pin("staging", method)
    assert one.pinned("staging") == ("b", "a", "c")
    one.unpin("staging", "a")
    one.unpin("staging", "never pinned")
    assert ScreenState(file).pinned("staging") == ("b", "c")


def test_newest_come_first_without_duplicates_and_limited(file: Path) -> None:
    one = ScreenState(file)
    for number in range(NEWEST + 5):
        one.add_expression("filter", f".[{number}]")
    one.add_expression("filter", ".[20]")
    expressions = ScreenState(file).expressions("filter")
    assert expressions[:3] == (".[20]", f".[{NEWEST + 4}]", f".[{NEWEST + 3}]")
    assert len(expressions) == len(set(expressions)) == NEWEST


def test_confirmation_is_asked_again_on_the_next_day(file: Path) -> None:
    noon = datetime(2026, 11, 21, 12, 0).astimezone()
    clock = [noon]
    one = ScreenState(file, now=lambda: clock[0])
    one.quiet("staging", "a")
    for hours, quiet in [(0, True), (11, True), (12, False), (24, False)]:
        clock[0] = noon + timedelta(hours=hours)
        assert one.is_quiet("staging", "a") is quiet
    one.quiet("staging", "b")
    assert "a" not in tomllib.loads(file.read_text())["at"]["staging"]["quiet"]  # the old day is removed


def test_two_open_programs_keep_each_others_changes(file: Path) -> None:
    one, other = ScreenState(file), ScreenState(file)
    assert everything(one) == everything(other)  # both have read
    one.set_used(SHOP, "staging")
    other.wrap = True
    one.pin("staging", "a")
    other.pin("staging", "b")
    one.add_expression("filter", ".a")
    other.add_expression("filter", ".b")
    one.set_used(SHOP, "first")
    other.set_used(SHOP, "last")
    last = ScreenState(file)
    assert (last.used_in(SHOP), last.wrap, last.pinned("staging")) == ("last", True, ("a", "b"))
    assert last.expressions("filter") == (".b", ".a")


def test_secrets_are_removed_from_typed_text(file: Path) -> None:
    one = ScreenState(file, secrets=lambda: [Secret("hunter2hunter2", "shop.password")])
    one.add_expression("pipe", "curl -H hunter2hunter2")
    one.add_expression("filter", 'select(.key == "hunter2hunter2")')
    assert one.expressions("pipe") == ("curl -H «shop.password»",)
    assert "hunter2" not in file.read_text()


@pytest.mark.parametrize(
    "text", ["", "\ud800", "\0\r\n\x1b]", "a.b c«»\"'", "\u202e", "é" * 10_000], ids=lambda text: ascii(text)[:20]
)
def test_any_name_and_any_text_can_be_remembered(file: Path, text: str) -> None:
    one = ScreenState(file)
    one.set_method(text, text)
    one.pin(text, text)
    one.quiet(text, text)
    one.add_expression(text, text)
    again = ScreenState(file)
    assert (one.problem, again.problem) == ("", "")
    assert again.is_quiet(text, text)
    assert again.pinned(text) == one.pinned(text) != ()
    assert again.expressions(text) == one.expressions(text) != ()


@pytest.mark.parametrize(
    ("text", "docs"),
    [("docs = ", ""), ('docs = "a"\nwrap = "yes"\n', "a"), ('docs = "a"\nnew_key = 1\n', "a"), ("\0", ""),
     ('docs = "a"\nat.a.quiet.b = "tonight"\n', "a"), ('version = 2\ndocs = "a"\n', "a")],
)  # fmt: skip
def test_damaged_file_is_reported_and_moved_aside(file: Path, text: str, docs: str) -> None:
    file.parent.mkdir()
    file.write_text(text)
    one = ScreenState(file)
    assert one.docs == docs
    assert one.problem.startswith(str(file))
    assert file.read_text() == text  # reading changes nothing
    one.wrap = True
    aside = file.with_name("screen.toml.damaged-1")
    assert aside.read_text() == text
    assert str(aside) in one.problem
    again = ScreenState(file)
    assert (again.docs, again.wrap, again.problem) == (docs, True, "")


def test_newest_expressions_that_fit_are_kept(file: Path) -> None:
    one = ScreenState(file)
    for letter in "abcd":
        one.add_expression("jq", letter * 20_000)
    assert [expression[0] for expression in ScreenState(file).expressions("jq")] == ["d", "c"]


def test_temporarily_unreadable_file_is_not_damaged(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full(ScreenState(file))
    one = ScreenState(file)
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", _broken_disk)
        one.pin("staging", "new")
        assert "the disk reports an error" in one.problem
        assert one.pinned("staging") == ("new",)
    assert one.pinned("staging") == ("ping", "user.get", "new")
    one.wrap = False
    again = ScreenState(file)
    assert (again.pinned("staging"), again.wrap, again.used_in(SHOP)) == (("ping", "user.get", "new"), False, "staging")
    assert [path.name for path in file.parent.glob("screen*")] == ["screen.toml"]


def _broken_disk(*_: object, **__: object) -> object:
    raise OSError(5, "Input/output error")


def test_damaged_file_on_full_disk_is_kept_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.parent.mkdir()
    file.write_text('docs = "open"\nwrap = "yes"\n')
    one = ScreenState(file)
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", _full_second_time())
        one.methods_width = 30
        one.methods_width = 40
        assert "disk is full" in one.problem
        assert file.read_text() == 'docs = "open"\nwrap = "yes"\n'
    one.methods_width = 50
    assert [path.name for path in file.parent.glob("screen*")] == ["screen.toml", "screen.toml.damaged-1"]
    assert (ScreenState(file).docs, ScreenState(file).methods_width) == ("open", 50)


def _full_second_time() -> Callable[[str, str], None]:
    """Return a writer that fails after the copy of the damaged file."""
    replace = os.replace

    def call(source: str, target: str) -> None:
        if not str(target).endswith("-1"):
            raise OSError(28, "No space left on device")
        replace(source, target)

    return call


def _full_disk(*_: object) -> int:
    raise OSError(28, "No space left on device")


def test_unwritable_change_is_written_with_the_next(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = ScreenState(file)
    one.set_used(SHOP, "staging")
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", _full_disk)
        one.pin("staging", "a")
        one.wrap = True
    assert "kept only until you quit" in one.problem
    assert "disk is full" in one.problem
    assert (one.wrap, one.pinned("staging"), one.used_in(SHOP)) == (True, ("a",), "staging")
    assert ScreenState(file).wrap is False
    one.pin("staging", "b")
    again = ScreenState(file)
    assert (again.wrap, again.pinned("staging")) == (True, ("a", "b"))
    assert one.problem == ""


def test_lock_of_another_program_is_not_waited_for(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rpcexplorer.settings.LOCK_SECONDS", 0.0)
    one = full(ScreenState(file))
    with lock(file):
        one.wrap = False
    assert "another process" in one.problem
    assert one.wrap is False


def test_unchanged_state_is_not_written(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full(ScreenState(file))
    again, before = ScreenState(file), file.stat()
    changes: list[Callable[[], None]] = [
        lambda: setattr(again, "profile", "staging"),
        lambda: again.add_expression("pipe", "wc -c"),
        lambda: again.unpin("staging", "no"),
    ]
    for change in changes:
        change()
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
