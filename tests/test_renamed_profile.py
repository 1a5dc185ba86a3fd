"""A renamed profile: what moves along, and what happens if a step fails."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from rpcexplorer.discovery.methods import Discovery
from rpcexplorer.explorer import Explorer, Hooks
from rpcexplorer.files.io import FileError
from rpcexplorer.files.toml_edit import edit
from rpcexplorer.model.batch import CollectedCalls
from rpcexplorer.model.destination import DestinationChanged, ProcessCommand
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.method import Method
from rpcexplorer.model.problem import Problem
from rpcexplorer.model.secret import Secret
from rpcexplorer.secrets.lookup import Secrets

SHOP = '[profile.shop]\nurl = "https://shop.example.com"\nauth = { kind = "inline", username = "ada" }\n'
PROD = '[profile.prod]\nurl = "https://prod.example.com"\n'
REFERENCE = '{"password": "«shop.password»"}'
ReadAgain = Callable[..., Explorer]


@pytest.fixture
def read(tmp_path: Path) -> ReadAgain:
    """Return a function that opens the explorer, as the next command does."""

    def build(sessions: str = "", own: str = "", **environment: str) -> Explorer:
        for path, text in ((tmp_path / "work", sessions), (tmp_path / "home" / "config", own)):
            path.mkdir(parents=True, exist_ok=True)
            if text:
                (path / "sessions.toml").write_text(text)
        environment = {"RPCEXPLORER_HOME": str(tmp_path / "home"), **environment}
        return Explorer.open(folder=tmp_path / "work", environment=environment, hooks=Hooks(continues=True))

    return build


def renamed(explorer: Explorer, name: str = "shop", new: str = "store") -> list[str]:
    left = explorer.rename_profile(name, new)
    assert isinstance(left, list), left
    return left


def refused(explorer: Explorer, name: str = "shop", new: str = "store") -> str:
    problem = explorer.rename_profile(name, new)
    assert isinstance(problem, Problem)
    return str(problem)


def test_renamed_profile_keeps_its_secret(read: ReadAgain) -> None:
    explorer = read(SHOP)
    explorer.secrets.save(explorer.use("shop"), "password", "hunter2-hunter2")
    assert renamed(explorer) == []
    assert explorer.profile is not None
    assert explorer.profile.name == "store"
    explorer = read()
    found = explorer.secrets.find(explorer.use("store"), "password")
    assert isinstance(found, Secret)
    assert (found.reveal(), found.label) == ("hunter2-hunter2", "store.password")
    assert "profile.shop" not in explorer.paths.secrets.read_text()


def test_blocked_secret_stays_blocked_after_renaming(read: ReadAgain) -> None:
    explorer = read(SHOP)
    explorer.secrets.save(explorer.use("shop"), "password", "hunter2-hunter2")
    explorer = read(SHOP.replace("shop.example", "evil.example"))
    renamed(explorer)
    assert isinstance(explorer.secrets.find(explorer.use("store"), "password"), DestinationChanged)


def test_entered_value_is_used_with_new_name(read: ReadAgain) -> None:
    explorer = read(SHOP)
    explorer.credentials.hold(explorer.use("shop"), "password", "hunter2-hunter2", keep=False)
    renamed(explorer)
    found = explorer.credentials.state(explorer.use("store"))["password"]
    assert isinstance(found, Secret)
    assert (found.reveal(), found.label) == ("hunter2-hunter2", "store.password")


def test_permissions_move_and_first_uses_stay_bound(read: ReadAgain) -> None:
    explorer = read(SHOP, RPCEXPLORER_SHOP_PASSWORD="hunter2-hunter2")
    destinations, profile = explorer.secrets.destinations, explorer.use("shop")
    now = destinations.of(profile)
    destinations.used("RPCEXPLORER_SHOP_PASSWORD", profile)
    destinations.allow("shop", now, ProcessCommand(("pylsp",), "/work", "/bin/pylsp"))
    (left,) = renamed(explorer)
    assert left == (
        "Rename RPCEXPLORER_SHOP_PASSWORD: store reads environment variables such as RPCEXPLORER_STORE_PASSWORD"
    )
    allowed = destinations.file.read()
    assert allowed.destinations == {"store": [now]}
    assert allowed.first_uses == {"RPCEXPLORER_SHOP_PASSWORD": now, "RPCEXPLORER_STORE_PASSWORD": now}
    assert [command.profile for command in allowed.commands] == ["store"]


def test_drafts_and_batches_move_with_their_references(read: ReadAgain) -> None:
    explorer = read(SHOP)
    profile = explorer.use("shop")
    explorer.drafts.keep("shop", "login", REFERENCE)
    explorer.replaced.keep(profile, "login", REFERENCE, [])
    batch = CollectedCalls().added(Draft("login", REFERENCE))
    explorer.batches.keep(profile, batch, [])
    explorer.batches.replace(profile, batch.added(Draft("ping")), [])
    renamed(explorer)
    wanted = REFERENCE.replace("shop", "store")
    for there in (explorer, read()):
        now = there.use("store")
        assert there.drafts.all("store") == {"login": wanted}
        assert there.replaced.of(now, "login") == [wanted]
        assert [row.draft.method for row in there.batches.of(now).rows] == ["login", "ping"]
        assert "«store.password»" in there.batches.of(now).text
        assert there.batches.bring_back(now, []) == ""
        assert "«store.password»" in there.batches.of(now).text
        there.batches.bring_back(now, [])


def test_texts_of_the_new_name_are_renamed_back(read: ReadAgain) -> None:
    explorer = read(SHOP)
    explorer.batches.keep(explorer.use("shop"), CollectedCalls().added(Draft("ping")), [])
    renamed(explorer)
    now = explorer.use("store")
    explorer.batches.keep(now, explorer.batches.of(now).added(Draft("login")), [])
    explorer.drafts.keep("store", "ping", "[2]")
    renamed(explorer, "store", "shop")
    assert [row.draft.method for row in explorer.batches.of(explorer.use("shop")).rows] == ["ping", "login"]
    assert explorer.drafts.find("shop", "ping") == "[2]"


def test_draft_of_an_earlier_profile_is_kept(read: ReadAgain) -> None:
    explorer = read(SHOP)
    explorer.drafts.keep("store", "ping", "[1]")
    explorer.drafts.keep("shop", "ping", "[2]")
    explorer = read()
    renamed(explorer)
    assert read().drafts.all("store") == {"ping": "[2]"}
    (aside,) = explorer.paths.drafts.rglob("*other*")
    assert aside.read_bytes().endswith(b"\n[1]")


def test_pins_and_last_method_are_kept(read: ReadAgain) -> None:
    explorer = read(SHOP)
    explorer.remembered.pin("shop", "ping")
    explorer.remembered.set_method("shop", "ping")
    renamed(explorer)
    assert read().remembered.pinned("store") == ("ping",)
    assert read().remembered.method("store") == "ping"


def test_method_list_is_kept(read: ReadAgain) -> None:
    explorer = read(SHOP)
    when = datetime(2026, 1, 2, tzinfo=UTC)
    explorer.method_lists.settle(explorer.use("shop"), Discovery(when, (Method("ping", doc="Answer"),)))
    renamed(explorer)
    for there in (explorer, read()):
        learned = there.method_lists.learned(there.use("store"))
        assert learned is not None
        assert [method.name for method in learned.methods] == ["ping"]


@pytest.mark.parametrize(("own", "elsewhere"), [("", "shop"), (SHOP, "store")])
def test_last_profile_is_renamed_where_it_is_this(read: ReadAgain, tmp_path: Path, own: str, elsewhere: str) -> None:
    explorer = read(PROD if own else SHOP + PROD, own)
    explorer.remembered.set_used(tmp_path / "other", "shop")
    explorer.use("shop")
    explorer.remember_profile()
    renamed(explorer)
    assert read().use().name == "store"
    assert read().remembered.used_in(tmp_path / "other") == elsewhere


def test_all_files_and_defaults_get_the_new_name(read: ReadAgain, tmp_path: Path) -> None:
    local = tmp_path / "work" / "sessions.local.toml"
    explorer = read(SHOP, 'default = "shop"\n')
    local.write_text("[profile.shop]\ntimeout = 5\n")
    explorer.reload()
    renamed(explorer)
    assert local.read_text() == "[profile.store]\ntimeout = 5\n"
    assert read().usual() == explorer.profiles.profiles["store"]


def test_profiles_that_share_variables_can_be_renamed(read: ReadAgain) -> None:
    explorer = read(SHOP + SHOP.replace("profile.shop", "profile.SHOP"))
    assert "Rename this profile" in str(explorer.profiles.get("shop"))
    renamed(explorer, "SHOP", "store")
    assert explorer.use("shop").name == "shop"


@pytest.mark.parametrize(
    ("name", "new", "words"),
    [
        ("shpo", "store", "There is no profile `shpo`. Did you mean `shop`?"),
        ("shop", "prod", "there is already a profile `prod`. Choose another name"),
        ("shop", "PROD", "the profile `prod` uses the same environment variables as `PROD`"),
        ("shop", "../x", "not a valid profile name"),
        ("shop", "url", "the name is reserved"),
    ],
)
def test_wrong_name_changes_nothing(read: ReadAgain, tmp_path: Path, name: str, new: str, words: str) -> None:
    explorer = read(SHOP + PROD)
    explorer.drafts.keep("shop", "ping", "[1]")
    assert words in refused(explorer, name, new)
    assert (tmp_path / "work" / "sessions.toml").read_text() == SHOP + PROD
    assert explorer.drafts.all(new) == {}


def test_secrets_of_the_new_name_are_not_replaced(read: ReadAgain) -> None:
    explorer = read(SHOP)
    profile = explorer.use("shop")
    explorer.secrets.save(profile, "password", "hunter2-hunter2")
    explorer.secrets.save(replace(profile, name="store"), "password", "other-password")
    assert "already has secrets of a profile store. Choose another name" in refused(explorer)
    for name, value in (("shop", "hunter2-hunter2"), ("store", "other-password")):
        found = explorer.secrets.find(replace(profile, name=name), "password")
        assert isinstance(found, Secret)
        assert found.reveal() == value


STEPS = [
    "rpcexplorer.drafts.Drafts.copy",
    "rpcexplorer.drafts.ReplacedDrafts.copy",
    "rpcexplorer.drafts.CollectedBatches.copy",
    "rpcexplorer.settings.ScreenState.copy_profile",
    "rpcexplorer.discovery.store.MethodLists.copy",
    "rpcexplorer.secrets.destination.Destinations.copy",
    "rpcexplorer.secrets.lookup.Secrets.copy",
]


@pytest.mark.parametrize("step", STEPS)
def test_old_profile_works_if_a_copy_fails(read: ReadAgain, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    def fail(*_: Any) -> None:
        raise FileError("the disk is full")

    explorer = read(SHOP)
    explorer.secrets.save(explorer.use("shop"), "password", "hunter2-hunter2")
    explorer.drafts.keep("shop", "login", REFERENCE)
    monkeypatch.setattr(step, fail)
    assert "the disk is full. The profile was not renamed" in refused(explorer)
    assert_is_still_shop(read())


@pytest.mark.parametrize("at", [0, 1])
def test_old_profile_works_if_a_file_fails(
    read: ReadAgain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    written = []

    def fail(path: Path, *given: Any, **options: Any) -> Problem | None:
        if options["writes"]:
            written.append(path)
            if len(written) == at + 1:
                return Problem(str(path), "the disk is full")
        return edit(path, *given, **options)

    explorer = read(SHOP, "[profile.shop]\ntimeout = 5\n")
    explorer.secrets.save(explorer.use("shop"), "password", "hunter2-hunter2")
    explorer.drafts.keep("shop", "login", REFERENCE)
    monkeypatch.setattr("rpcexplorer.profiles.edits.edit", fail)
    assert "the disk is full" in refused(explorer)
    monkeypatch.undo()
    assert explorer.paths.user_sessions.read_text() == "[profile.shop]\ntimeout = 5\n"
    assert (tmp_path / "work" / "sessions.toml").read_text() == SHOP
    assert "profile.store" not in explorer.paths.secrets.read_text()
    assert_is_still_shop(read())
    assert renamed(read()) == []


def assert_is_still_shop(explorer: Explorer) -> None:
    found = explorer.secrets.find(explorer.use("shop"), "password")
    assert isinstance(found, Secret)
    assert found.reveal() == "hunter2-hunter2"
    assert explorer.drafts.all("shop") == {"login": REFERENCE}
    assert list(explorer.profiles.leaves) == ["shop"]


def test_rest_of_the_old_name_is_reported(read: ReadAgain, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> bool:
        raise FileError("the keyring is locked")

    explorer = read(SHOP)
    explorer.secrets.save(explorer.use("shop"), "password", "hunter2-hunter2")
    monkeypatch.setattr(Secrets, "forget", fail)
    assert renamed(explorer) == ["the keyring is locked. It is still stored for shop"]
    assert isinstance(explorer.secrets.find(explorer.use("store"), "password"), Secret)


def test_file_that_cannot_be_read_prevents_renaming(read: ReadAgain, tmp_path: Path) -> None:
    explorer = read(SHOP)
    (tmp_path / "work" / "sessions.local.toml").write_text("[profile.shop\n")
    explorer.reload()
    assert "this is not TOML" in refused(explorer)
    assert read().use("shop").name == "shop"
