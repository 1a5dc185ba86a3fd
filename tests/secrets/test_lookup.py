from __future__ import annotations

import multiprocessing
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rpcexplorer.auth.basic import InlineAuth
from rpcexplorer.auth.token import CookieAuth
from rpcexplorer.files.io import FileError
from rpcexplorer.model.destination import Change, DestinationChanged
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.secrets.lookup import Secrets

NOW = datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)
STAGING = Profile("staging", "https://staging.example.com", auth=CookieAuth())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "secrets.toml"


def secrets(path: Path, environment: dict[str, str] | None = None) -> Secrets:
    return Secrets(path, environment or {}, now=lambda: NOW)


def value_of(found: Secret | DestinationChanged | None) -> str:
    assert isinstance(found, Secret), found
    return found.reveal()


def test_saved_value_is_found_by_another_run(path: Path) -> None:
    secrets(path).save(STAGING, "password", "hunter2!")
    found = secrets(path).find(STAGING, "password")
    assert value_of(found) == "hunter2!"
    assert isinstance(found, Secret)
    assert (found.label, found.source) == ("staging.password", "secrets.toml")
    assert secrets(path).saved(STAGING, "password") == NOW
    assert secrets(path).find(STAGING, "session") is None
    assert secrets(path).saved(STAGING, "session") is None


def test_file_and_folder_are_private_from_start(path: Path) -> None:
    secrets(path).save(STAGING, "password", "x")
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_environment_wins_and_has_no_origin(path: Path) -> None:
    secrets(path).save(STAGING, "password", "stored")
    found = secrets(path, {"RPCEXPLORER_STAGING_PASSWORD": "given"}).find(STAGING, "password")
    assert value_of(found) == "given"
    assert isinstance(found, Secret)
    assert found.source == "environment"
    assert value_of(secrets(path, {"RPCEXPLORER_STAGING_PASSWORD": ""}).find(STAGING, "password")) == "stored"


@pytest.mark.parametrize(
    "url", ["http://staging.example.com", "https://staging.example.com:8443", "https://evil.example.com"]
)
def test_stored_value_is_blocked_at_another_origin(path: Path, url: str) -> None:
    secrets(path).save(STAGING, "password", "x")
    moved = secrets(path).find(Profile("staging", url, auth=CookieAuth()), "password")
    assert isinstance(moved, DestinationChanged)
    assert moved.changes[0] == Change("origin", "https://staging.example.com", url)


@pytest.mark.parametrize("url", ["https://STAGING.example.com/", "https://staging.example.com:443"])
def test_spelling_of_origin_does_not_matter(path: Path, url: str) -> None:
    secrets(path).save(STAGING, "password", "x")
    assert value_of(secrets(path).find(Profile("staging", url, auth=CookieAuth()), "password")) == "x"


def test_saving_again_binds_to_new_origin(path: Path) -> None:
    secrets(path).save(STAGING, "password", "old")
    moved = Profile("staging", "https://new.example.com")
    secrets(path).save(moved, "password", "new")
    assert value_of(secrets(path).find(moved, "password")) == "new"


def test_forget_removes_one_or_all_fields(path: Path) -> None:
    other = Profile("other", "https://o")
    for field in ("username", "password", "session"):
        secrets(path).save(STAGING, field, "x")
    secrets(path).save(other, "password", "y")
    assert secrets(path).forget(STAGING, "session")
    assert not secrets(path).forget(STAGING, "session")
    assert value_of(secrets(path).find(STAGING, "password")) == "x"
    assert secrets(path).forget(STAGING)
    assert not secrets(path).forget(STAGING)
    assert value_of(secrets(path).find(other, "password")) == "y"


@given(st.text())
@example('"\'\'\'"""\\\r\n\0\x1b[c\x7f\u2028\u202e 🔑 ')
@example("a = 1\n[x]")
@example("x" * 10_000)
def test_any_saved_value_is_found(tmp_path_factory: pytest.TempPathFactory, value: str) -> None:
    path = tmp_path_factory.mktemp("any") / "secrets.toml"
    secrets(path).save(STAGING, "password", value)
    assert value_of(secrets(path).find(STAGING, "password")) == value


def test_value_that_toml_cannot_hold_is_refused_unquoted(path: Path) -> None:
    with pytest.raises(FileError) as caught:
        secrets(path).save(STAGING, "password", "hunter2\udcff")
    assert "hunter2" not in str(caught.value)


def test_readable_file_is_refused_with_command(path: Path) -> None:
    secrets(path).save(STAGING, "password", "x")
    path.chmod(0o644)
    store = secrets(path)
    assert store.find(STAGING, "password") is None
    problem = store.problem()
    assert problem is not None
    assert f"Run `chmod 600 {path}`" in problem.sentence
    with pytest.raises(FileError, match="chmod 600"):
        store.save(STAGING, "password", "y")
    assert path.stat().st_mode & 0o777 == 0o644


def test_writable_folder_is_refused_with_command(path: Path) -> None:
    secrets(path).save(STAGING, "password", "x")
    path.parent.chmod(0o777)
    problem = secrets(path).problem()
    assert problem is not None
    assert f"Run `chmod 700 {path.parent}`" in problem.sentence
    assert secrets(path).find(STAGING, "password") is None


DAMAGE = [
    'version = 1\n[profile.staging.password]\nvalue = "hunter2\norigin = "x"\n',
    "version = 2\n",
    "version = 1\n[profile.staging.passwort]\nvalue = 'hunter2'\norigin = 'https://x'\n",
    "version = 1\n[profile.staging.password]\nvalue = 'hunter2'\n",
    "version = 1\n[profile.staging.password]\nvalue = 12345678\norigin = 'https://x'\n",
    "version = 1\nprofile = 'hunter2'\n",
    "version = 1\n[profile.staging]\npassword = 'hunter2'\n",
    "a." * 50_000 + "a = 'hunter2'",
]


@pytest.mark.parametrize("text", DAMAGE)
def test_damaged_file_is_reported_and_never_overwritten(path: Path, text: str) -> None:
    path.parent.mkdir(mode=0o700)
    path.write_text(text)
    path.chmod(0o600)
    store = secrets(path)
    problem = store.problem()
    assert problem is not None
    assert problem.file == str(path)
    with pytest.raises(FileError) as caught:
        store.save(STAGING, "session", "x")
    shown = f"{problem} {problem!r} {caught.value}"
    assert "hunter2" not in shown
    assert "12345678" not in shown
    assert path.read_text() == text


def test_wrong_entry_does_not_hide_others(path: Path) -> None:
    secrets(path).save(STAGING, "password", "good")
    path.write_text(path.read_text() + "[profile.x.password]\nvalue = 1\n")
    assert value_of(secrets(path).find(STAGING, "password")) == "good"
    assert secrets(path).problem() is not None


def test_seen_values_are_redacted_after_file_is_damaged(path: Path) -> None:
    secrets(path).save(STAGING, "password", "hunter2!")
    store = secrets(path)
    store.find(STAGING, "password")
    path.write_text("version = [")
    assert store.find(STAGING, "password") is None
    assert [value_of(known) for known in store.known()] == ["hunter2!"]


def save_ten(path: Path, prefix: str) -> None:
    for number in range(10):
        secrets(path).save(Profile(f"{prefix}{number}", "https://x"), "password", prefix)


def test_parallel_saves_lose_nothing(path: Path) -> None:
    fork = multiprocessing.get_context("fork")
    programs = [fork.Process(target=save_ten, args=(path, prefix)) for prefix in "ab"]
    for program in programs:
        program.start()
    for program in programs:
        program.join()
    assert [program.exitcode for program in programs] == [0, 0]
    assert len(secrets(path).known()) == 20


@pytest.mark.parametrize(
    ("profile", "fields"),
    [
        (Profile("p", "https://p"), []),
        (Profile("p", "https://p", auth=InlineAuth()), ["username", "password"]),
        (Profile("p", "https://p", auth=InlineAuth("ann")), ["password"]),
        (Profile("p", "https://p", auth=CookieAuth()), ["username", "password", "session"]),
        (Profile("p", "https://p", auth=CookieAuth("ann")), ["password", "session"]),
    ],
)
def test_state_lists_the_needed_fields(path: Path, profile: Profile, fields: list[str]) -> None:
    assert secrets(path).state(profile) == dict.fromkeys(fields)


def test_state_shows_stored_given_blocked_and_missing(path: Path) -> None:
    secrets(path).save(Profile("staging", "https://old"), "session", "s")
    secrets(path).save(STAGING, "password", "p")
    given = secrets(path, {"RPCEXPLORER_STAGING_USERNAME": "ann"})
    given.destinations.used("RPCEXPLORER_STAGING_USERNAME", STAGING)
    state = given.state(STAGING)
    assert [getattr(state[field], "source", None) for field in ("username", "password")] == [
        "environment",
        "secrets.toml",
    ]
    assert isinstance(state["session"], DestinationChanged)
    secrets(path).forget(STAGING, "session")
    assert secrets(path).state(STAGING)["session"] is None


def test_profile_of_url_stores_nothing(path: Path) -> None:
    secrets(path).save(Profile("url", "https://u"), "password", "x")
    profile = Profile("url", "https://u", ad_hoc=True)
    assert secrets(path).find(profile, "password") is None
    assert value_of(secrets(path, {"RPCEXPLORER_URL_PASSWORD": "y"}).find(profile, "password")) == "y"
    with pytest.raises(FileError, match="--url"):
        secrets(path).save(profile, "password", "x")


def test_plain_http_is_allowed_per_origin(path: Path) -> None:
    store = secrets(path)
    assert not store.trusts_plain("http://a")
    assert store.trust_plain("http://a") is None
    store.save(STAGING, "password", "x")
    assert secrets(path).trusts_plain("http://a")
    assert not secrets(path).trusts_plain("http://b")


def test_plain_http_with_damaged_file_lasts_until_quit(path: Path) -> None:
    path.parent.mkdir(mode=0o700)
    path.write_text("version = [")
    path.chmod(0o600)
    store = secrets(path)
    assert store.trust_plain("http://a")
    assert store.trusts_plain("http://a")


def test_variable_has_the_label_of_its_profile(path: Path) -> None:
    store = secrets(path, {"RPCEXPLORER_MY_PROF_PASSWORD": "one-value", "RPCEXPLORER_GONE_PASSWORD": "another"})
    assert [secret.label for secret in store.known()] == ["RPCEXPLORER_MY_PROF_PASSWORD", "RPCEXPLORER_GONE_PASSWORD"]
    store.learn([Profile("my-prof", "https://h")])
    assert [secret.label for secret in store.known()] == ["my-prof.password", "RPCEXPLORER_GONE_PASSWORD"]


@pytest.mark.parametrize(
    ("value", "label", "is_public"),
    [
        ("adalovelace", "shop.password", True),
        ("zabbix", "shop.password", True),
        ("shop.example", "shop.token", True),
        ("carol-stored", "shop.password", True),
        ("carol-stored", "other.password", False),
        ("hunter2-hunter2", "shop.password", False),
        ("abcdefghijklmnopqrstu", "shop.token", False),
    ],
)
def test_value_beside_its_profile_is_public(path: Path, value: str, label: str, is_public: bool) -> None:
    auth = InlineAuth(username="adalovelace")
    store = secrets(path)
    store.learn(
        [Profile("shop", "https://shop.example.com", "/bot12345:abcdefghijklmnopqrstu", preset="zabbix", auth=auth)]
    )
    *_, marked = store.marked([Secret("carol-stored", "shop.username"), Secret(value, label)])
    assert marked.is_public is is_public


def test_unchanged_values_are_the_same_objects(path: Path) -> None:
    store = secrets(path, {"RPCEXPLORER_STAGING_PASSWORD": "given-given"})
    store.save(STAGING, "token", "stored-stored")
    assert [*map(id, store.known())] == [*map(id, store.known())]


def test_value_replaced_within_a_clock_tick_is_read(path: Path) -> None:
    store = secrets(path)
    store.save(STAGING, "password", "first-value")
    text = path.read_text()
    for number in range(20):
        path.write_text(text.replace("first-value", f"{number:011}"))
        os.utime(path, (1, 1))
        assert value_of(store.find(STAGING, "password")) == f"{number:011}"


@pytest.mark.parametrize(("opened", "mode"), [("secrets.toml", 0o644), (".", 0o770)])
def test_file_that_was_opened_to_others_is_refused(
    path: Path, opened: str, mode: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rpcexplorer.files.private.RECENT_NS", 0)  # What was read is known at once.
    store = secrets(path)
    store.save(STAGING, "password", "hunter2!")
    assert value_of(store.find(STAGING, "password")) == "hunter2!"
    (path.parent / opened).chmod(mode)
    assert store.find(STAGING, "password") is None
    assert "chmod" in str(store.problem())


def test_damaged_file_does_not_block_a_typed_url(path: Path) -> None:
    path.parent.mkdir(mode=0o700)
    path.write_text("x =")
    path.chmod(0o600)
    typed = Profile("url", "https://typed.example.com", auth=CookieAuth(), ad_hoc=True)
    assert value_of(secrets(path, {"RPCEXPLORER_URL_PASSWORD": "given"}).find(typed, "password")) == "given"


def test_only_last_ended_sessions_are_known(path: Path) -> None:
    store = secrets(path)
    for number in range(50):
        store.save(STAGING, "session", f"session-{number}")
        store.find(STAGING, "session")
    store.save(STAGING, "session", "session-47")
    known = [secret.reveal() for secret in store.known()]
    assert known[-3:] == ["session-48", "session-49", "session-47"]
    assert len(known) == 5
