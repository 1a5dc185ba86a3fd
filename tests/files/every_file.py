"""Every kind of file that the program writes: created, extended, read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from rpcexplorer.discovery.methods import Discovery
from rpcexplorer.discovery.store import MethodLists
from rpcexplorer.drafts import Drafts
from rpcexplorer.files.io import FileError, error_of
from rpcexplorer.files.paths import Paths
from rpcexplorer.files.private import PrivateFile
from rpcexplorer.history.folder import History
from rpcexplorer.model.exchange import Damaged
from rpcexplorer.model.method import Described, Method
from rpcexplorer.model.profile import OVERLAY, Profile
from rpcexplorer.profiles.allowed import Allowed
from rpcexplorer.profiles.edits import ProfileEdits
from rpcexplorer.profiles.profiles import load
from rpcexplorer.secrets.destination import Destinations
from rpcexplorer.secrets.lookup import Secrets, StoredSecrets
from rpcexplorer.settings import ScreenState, load_settings, save_setting
from tests.history.recording import exchange

WHEN = datetime(2025, 6, 1, 12, 0, tzinfo=UTC)
Found = tuple[set[str], str]
"""The entries that were found, and the messages about the others."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file in its own folder. Each function acts like a new program."""

    name: str
    file: str
    """Path of the file inside the folder."""
    change: Callable[[Path, str], str]
    """Add an entry; return a sentence if that failed."""
    read: Callable[[Path], Found]
    toml: bool = True
    by_hand: bool = False
    """People edit the file, so they repair it, too."""
    one: bool = False
    """The file has only one entry, which the next one replaces."""
    keeps_damage: bool = False
    """The program moves a damaged file aside and writes a new one."""

    def path(self, root: Path) -> Path:
        return root / self.file

    def begin(self, root: Path) -> None:
        """Write a file with the entries ``a`` and ``b``, or only ``b``."""
        (root / "team" / "deep").mkdir(parents=True)
        (root / "team" / "sessions.toml").write_text("version = 1\n")
        for thing in "ab":
            problem = self.change(root, thing)
            assert problem == "", problem

    def things(self, *more: str) -> set[str]:
        """Return the entries after the start and some changes."""
        return {more[-1] if more else "b"} if self.one else {"a", "b", *more}


def paths(root: Path) -> Paths:
    return Paths.of({"RPCEXPLORER_HOME": str(root)})


def _set_url(file: str) -> Callable[[Path, str], str]:
    def change(root: Path, thing: str) -> str:
        edits = ProfileEdits(root / file, paths(root).state)
        return str(edits.set_values((("profile", thing, "url"), "http://h")) or "")

    return change


def _profiles(root: Path) -> Found:
    found = load(paths(root), root / "team" / "deep", {"HOME": str(root)}, None)
    return set(found.profiles), " ".join(map(str, found.problems))


def _set_key(root: Path, thing: str) -> str:
    return str(save_setting(paths(root), ("keymap", thing), "f1") or "")


def _settings(root: Path) -> Found:
    settings, problems = load_settings(paths(root))
    return set(settings.keymap), " ".join(map(str, problems))


def _save_secret(root: Path, thing: str) -> str:
    secrets = Secrets(paths(root).secrets, {}, now=lambda: WHEN)
    return error_of(lambda: secrets.save(Profile(thing, "http://h"), "password", "pw"))


def _secrets(root: Path) -> Found:
    contents = PrivateFile(paths(root).secrets, StoredSecrets).read()
    return {profile for profile, _ in contents.entries}, str(contents.problem or "")


def _allow(root: Path, thing: str) -> str:
    return error_of(lambda: Destinations(paths(root).allowed, {}, lambda _: ()).allow(thing, {"origin": "http://h"}))


def _allowed(root: Path) -> Found:
    allowed = PrivateFile(paths(root).allowed, Allowed).read()
    return set(allowed.destinations), str(allowed.problem or "")


def _pin(root: Path, thing: str) -> str:
    remembered = ScreenState(paths(root).screen)
    remembered.pin("p", thing)
    return remembered.problem


def _remembered(root: Path) -> Found:
    remembered = ScreenState(paths(root).screen)
    return set(remembered.pinned("p")), remembered.problem


def _keep_draft(root: Path, thing: str) -> str:
    return Drafts(paths(root).drafts).keep("p", "m", thing)


def _drafts(root: Path) -> Found:
    drafts = Drafts(paths(root).drafts)
    found = drafts.find("p", "m")
    return {found} - {None}, drafts.problem  # type: ignore[return-value]


def _discover(root: Path, thing: str) -> str:
    full = {thing: Described(tags=(thing,))}
    found = Discovery(WHEN, (Method(thing, source="discovered"),), (), described=full)
    return " ".join(MethodLists(paths(root).method_lists).settle(Profile("p", "http://h"), found).sentences)


def _method_list(root: Path) -> Found:
    method_lists = MethodLists(paths(root).method_lists)
    learned = method_lists.learned(Profile("p", "http://h"))
    names = {method.name for method in learned.methods} if learned else set()
    full = {name for name in names if method_lists.described(Profile("p", "http://h"), name)}
    return full, method_lists.problem


def _history(root: Path) -> History:
    return History(paths(root).history, writer="me@here")


def _call(root: Path, thing: str) -> str:
    one = exchange(int.from_bytes(thing.encode(), "big"), reply="{}", method=thing)
    return error_of(lambda: _history(root).append(one))


def _calls(root: Path) -> Found:
    found: set[str] = set()
    damage: list[str] = []
    try:
        for one in _history(root).all():
            if isinstance(one, Damaged):
                damage.append(one.reason)
            else:
                found.add(one.method)
    except FileError as error:
        damage.append(error.sentence)
    return found, " ".join(damage)


_DRAFT = Drafts(Path())._file(("p", "m"))
KINDS = [
    Kind("team profiles", "team/sessions.toml", _set_url("team/sessions.toml"), _profiles, by_hand=True),
    Kind("local profiles", f"team/{OVERLAY}", _set_url(f"team/{OVERLAY}"), _profiles, by_hand=True),
    Kind("user profiles", "config/sessions.toml", _set_url("config/sessions.toml"), _profiles, by_hand=True),
    Kind("settings", "config/settings.toml", _set_key, _settings, by_hand=True),
    Kind("secrets", "state/secrets.toml", _save_secret, _secrets, by_hand=True),
    Kind("allowed", "state/allowed.toml", _allow, _allowed, by_hand=True),
    Kind("remembered", "state/screen.toml", _pin, _remembered, keeps_damage=True),
    Kind("draft", f"state/drafts/{_DRAFT}", _keep_draft, _drafts, toml=False, one=True, keeps_damage=True),
    Kind("method list", "cache/catalogues/p.json", _discover, _method_list, toml=False, one=True),
    Kind("history", "state/history/me@here.toml", _call, _calls, keeps_damage=True),
]
BY_NAME = {kind.name: kind for kind in KINDS}
