from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import keyring.backends.null
import pytest
from msgspec.structs import replace

from rpcexplorer.files.io import FileError
from rpcexplorer.model.destination import DestinationChanged
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.secrets.lookup import Secrets

NOW = datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)
STAGING = Profile("staging", "https://staging.example.com")


class Drawer(keyring.backend.KeyringBackend):
    """A working keyring in memory."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.held: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.held.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.held[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.held[service, username]


class Locked(Drawer):
    """A keyring whose errors quote the value."""

    def get_password(self, service: str, username: str) -> str | None:
        raise RuntimeError(f"locked: {service} {username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        raise RuntimeError(f"locked: {password}")


@pytest.fixture
def drawer() -> Iterator[Drawer]:
    before, drawer = keyring.get_keyring(), Drawer()
    keyring.set_keyring(drawer)
    yield drawer
    keyring.set_keyring(before)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "secrets.toml"


def secrets(path: Path, environment: dict[str, str] | None = None) -> Secrets:
    return Secrets(path, environment or {}, now=lambda: NOW)


def with_keyring(path: Path) -> Secrets:
    return Secrets(path, {}, "keyring", now=lambda: NOW)


def value_of(found: Secret | DestinationChanged | None) -> str:
    assert isinstance(found, Secret), found
    return found.reveal()


def test_known_values_are_listed_for_redaction(path: Path, drawer: Drawer) -> None:
    secrets(path).save(STAGING, "password", "in the file")
    with_keyring(path).save(Profile("k", "https://k"), "password", "in the keyring")
    environment = {"RPCEXPLORER_A_B_SESSION": "given", "RPCEXPLORER_HOME": "/x", "PATH": "/bin"}
    store = Secrets(path, environment, "keyring")
    store.find(Profile("k", "https://k"), "password")
    known = {secret.label: secret.reveal() for secret in store.known()}
    assert known == {
        "staging.password": "in the file",
        "k.password": "in the keyring",
        "RPCEXPLORER_A_B_SESSION": "given",
    }


def test_keyring_value_is_bound_to_its_origin(path: Path, drawer: Drawer) -> None:
    with_keyring(path).save(STAGING, "password", "пароль\n\0")
    assert list(drawer.held) == [("rpcexplorer", "staging.password")]
    found = with_keyring(path).find(STAGING, "password")
    assert value_of(found) == "пароль\n\0"
    assert isinstance(found, Secret)
    assert found.source == "keyring"
    assert with_keyring(path).saved(STAGING, "password") == NOW
    assert isinstance(with_keyring(path).find(Profile("staging", "https://evil"), "password"), DestinationChanged)
    assert not path.exists()
    assert with_keyring(path).forget(STAGING)
    assert not with_keyring(path).forget(STAGING)
    assert drawer.held == {}


@pytest.mark.parametrize("name", ["staging", "Staging", "STAGING"])
def test_variable_is_blocked_if_keyring_value_belongs_elsewhere(path: Path, drawer: Drawer, name: str) -> None:
    with_keyring(path).save(STAGING, "password", "x")
    store = Secrets(path, {"RPCEXPLORER_STAGING_TOKEN": "t"}, "keyring")
    assert isinstance(store.find(Profile(name, "https://evil"), "token"), DestinationChanged)
    assert value_of(store.find(STAGING, "token")) == "t"


def test_unreadable_keyring_blocks_unused_variables(path: Path, drawer: Drawer) -> None:
    keyring.set_keyring(Locked())
    store = Secrets(path, {"RPCEXPLORER_STAGING_TOKEN": "t"}, "keyring")
    found = store.find(STAGING, "token")
    assert isinstance(found, DestinationChanged)
    assert "cannot read the system keyring" in found.why
    store.destinations.allow(STAGING.name, found.destination)
    assert value_of(store.find(STAGING, "token")) == "t"


def test_keyring_value_replaces_older_one_in_file(path: Path, drawer: Drawer) -> None:
    secrets(path).save(STAGING, "password", "old")
    with_keyring(path).save(STAGING, "password", "new")
    assert value_of(with_keyring(path).find(STAGING, "password")) == "new"


def test_foreign_keyring_entry_is_not_used(path: Path, drawer: Drawer) -> None:
    drawer.held["rpcexplorer", "staging.password"] = "a bare password"
    assert with_keyring(path).find(STAGING, "password") is None


def test_keyring_is_read_only_if_chosen(path: Path, drawer: Drawer) -> None:
    with_keyring(path).save(STAGING, "password", "x")
    assert secrets(path).find(STAGING, "password") is None


@pytest.mark.parametrize("backend", [Locked, keyring.backends.fail.Keyring])
def test_failing_keyring_is_reported(path: Path, drawer: Drawer, backend: type[keyring.backend.KeyringBackend]) -> None:
    keyring.set_keyring(backend())
    store = with_keyring(path)
    assert store.find(STAGING, "password") is None
    problem = store.problem()
    assert problem is not None
    assert 'store = "file"' in problem.sentence
    with pytest.raises(FileError) as caught:
        store.save(STAGING, "password", "hunter2")
    assert "hunter2" not in str(caught.value)


def test_keyring_that_stores_nothing_is_noticed(path: Path, drawer: Drawer) -> None:
    keyring.set_keyring(keyring.backends.null.Keyring())  # type: ignore[no-untyped-call]
    with pytest.raises(FileError, match="did not store"):
        with_keyring(path).save(STAGING, "password", "x")


def test_missing_keyring_package_is_reported(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    store = with_keyring(path)
    assert store.find(STAGING, "password") is None
    assert "pip install" in str(store.problem())


def test_values_are_copied_for_a_new_name(path: Path, drawer: Drawer) -> None:
    secrets = Secrets(path, {}, "keyring")
    secrets.save(STAGING, "password", "hunter2-hunter2")
    secrets.copy("staging", "stage")
    secrets.copy("staging", "stage")  # As after a rename that was interrupted.
    for name in ("staging", "stage"):
        found = secrets.find(replace(STAGING, name=name), "password")
        assert isinstance(found, Secret)
        assert found.reveal() == "hunter2-hunter2"
    secrets.save(replace(STAGING, name="stage"), "password", "another-value")
    with pytest.raises(FileError, match="your keyring already has secrets of a profile stage"):
        secrets.copy("staging", "stage")


@pytest.mark.parametrize("make", [secrets, with_keyring], ids=["file", "keyring"])
def test_session_is_stored_with_what_renews_it(make: Callable[[Path], Secrets], path: Path, drawer: Drawer) -> None:
    grant = {"issuer": "https://login.example.com", "refresh_token": "r3fresh-t0ken", "client_secret": "cl13nt"}
    make(path).save(STAGING, "session", "acc3ss", grant)
    store = make(path)
    found = store.find(STAGING, "session")
    assert isinstance(found, Secret)
    assert (found.reveal(), found.grant) == ("acc3ss", grant)
    assert [part.reveal() for part in found.granted] == ["r3fresh-t0ken", "cl13nt"]
    assert "r3fresh-t0ken" not in repr((found, found.granted))
    assert store.forget(STAGING, "session")
    assert "r3fresh-t0ken" not in f"{path.read_text() if path.exists() else ''}{drawer.held}"


def test_renewal_is_locked_for_all_but_one(path: Path) -> None:
    first, other = secrets(path), secrets(path)
    held = first.lock_renewal(STAGING)
    assert held is not None
    assert other.lock_renewal(STAGING) is None
    assert first.lock_renewal(replace(STAGING, name="other")) is not None
    held.close()
    assert other.lock_renewal(STAGING) is not None
