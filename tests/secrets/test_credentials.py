"""The credentials of a profile: lookup, blocked secrets, and questions."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from rpcexplorer.auth.basic import InlineAuth
from rpcexplorer.auth.token import CookieAuth
from rpcexplorer.files.io import FileError
from rpcexplorer.model.destination import Change, DestinationChanged, Entered, Nobody, Store
from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.profile import Profile, ad_hoc
from rpcexplorer.model.secret import Secret
from rpcexplorer.secrets.credentials import OF_CALLS, StoredCredentials
from rpcexplorer.secrets.lookup import Secrets

STAGING = Profile("staging", "https://staging.example.com", auth=CookieAuth())
PLAIN = Profile("staging", "http://staging.example.com", auth=CookieAuth())


class FakeUser(Nobody):
    """A user who answers from a script and records the questions."""

    is_there = True

    def __init__(
        self, secret: str | None = None, *, keeps: bool = False, agrees: bool = False, allows: bool = False
    ) -> None:
        self.asked: list[str] = []
        self.fields: list[str] = []
        self.stores: list[str] = []
        self._secret, self._keeps = secret, keeps
        self._agrees = agrees
        self._allows = allows

    async def secret(self, question: str, *, field: str = "password", store: Store | None = None) -> Entered | None:
        self.asked.append(question)
        self.fields.append(field)
        self.stores.append(store.place if store else "")
        return (self._secret, self._keeps) if self._secret else None

    async def agrees(self, question: str, title: str = "") -> bool:
        self.asked.append(question)
        return self._agrees

    async def allows(self, profile: str, moved: DestinationChanged) -> bool:
        self.asked.append(moved.sentence(profile))
        return self._allows


def store(folder: Path, environment: Mapping[str, str] | None = None) -> Secrets:
    return Secrets(folder / "state" / "secrets.toml", environment or {})


def ask(credentials: StoredCredentials, profile: Profile = STAGING, field: str = "password") -> Secret | Refused:
    return asyncio.run(credentials.secret(profile, field))


def revealed(found: Secret | DestinationChanged | Refused | None) -> str:
    assert isinstance(found, Secret), found
    return found.reveal()


def test_environment_wins_over_store_and_store_over_question(tmp_path: Path) -> None:
    user = FakeUser("typed-password")
    secrets = store(tmp_path)
    assert revealed(ask(StoredCredentials(secrets, user))) == "typed-password"
    secrets.save(STAGING, "password", "stored-password")
    assert revealed(ask(StoredCredentials(secrets, user))) == "stored-password"
    with_variable = store(tmp_path, {"RPCEXPLORER_STAGING_PASSWORD": "set-password"})
    assert revealed(ask(StoredCredentials(with_variable, user))) == "set-password"
    assert len(user.asked) == 1


def test_entered_value_is_kept_only_for_the_run(tmp_path: Path) -> None:
    user = FakeUser("typed-password")
    credentials = StoredCredentials(store(tmp_path), user)
    assert revealed(ask(credentials)) == revealed(ask(credentials)) == "typed-password"
    assert len(user.asked) == 1
    assert [secret.reveal() for secret in credentials.in_use()] == ["typed-password"]
    assert not (tmp_path / "state" / "secrets.toml").exists()


def test_missing_secret_names_variable_and_command(tmp_path: Path) -> None:
    refused = ask(StoredCredentials(store(tmp_path), Nobody()))
    assert isinstance(refused, Refused)
    assert refused.why == "credentials"
    assert "RPCEXPLORER_STAGING_PASSWORD" in refused.sentence
    assert "rpcexplorer profiles secret staging password" in refused.sentence


def test_missing_secret_of_url_names_only_the_variable(tmp_path: Path) -> None:
    refused = ask(StoredCredentials(store(tmp_path), Nobody()), ad_hoc("http://127.0.0.1:1", InlineAuth()))
    assert isinstance(refused, Refused)
    assert "RPCEXPLORER_URL_PASSWORD" in refused.sentence
    assert "profiles secret" not in refused.sentence


@pytest.mark.parametrize(
    "url", ["https://evil.example", "http://staging.example.com", "https://staging.example.com:8443"]
)
def test_stored_secret_is_blocked_at_another_origin(tmp_path: Path, url: str) -> None:
    secrets = store(tmp_path)
    secrets.save(STAGING, "password", "stored-password")
    refused = ask(
        StoredCredentials(secrets, FakeUser("typed", agrees=True)), Profile("staging", url, auth=CookieAuth())
    )
    assert isinstance(refused, Refused)
    assert "Changed: origin: https://staging.example.com → " in refused.sentence
    assert "rpcexplorer profiles allow staging" in refused.sentence
    assert "stored-password" not in refused.sentence


def test_store_that_others_can_read_is_named(tmp_path: Path) -> None:
    secrets = store(tmp_path)
    secrets.save(STAGING, "password", "stored-password")
    (tmp_path / "state" / "secrets.toml").chmod(0o644)
    refused = ask(StoredCredentials(secrets, Nobody()))
    assert isinstance(refused, Refused)
    assert "chmod" in refused.sentence


def test_stored_session_is_bound_to_its_origin(tmp_path: Path) -> None:
    StoredCredentials(store(tmp_path), Nobody()).keep(STAGING, Secret("s3ss10n", "staging.session"))
    later = StoredCredentials(store(tmp_path), Nobody())
    assert revealed(asyncio.run(later.session(STAGING))) == "s3ss10n"
    moved = asyncio.run(later.session(Profile("staging", "https://moved.example", auth=CookieAuth())))
    assert isinstance(moved, DestinationChanged)
    assert moved.changes == (Change("origin", STAGING.origin, "https://moved.example"),)
    assert later.drop(STAGING)
    assert asyncio.run(later.session(STAGING)) is None
    assert not later.drop(STAGING)


def test_session_names_the_place_where_it_is_stored(tmp_path: Path) -> None:
    credentials = StoredCredentials(store(tmp_path), Nobody())
    credentials.keep(STAGING, Secret("s3ss10n", "staging.session", "session"))
    found = credentials.state(STAGING)["session"]
    assert isinstance(found, Secret)
    assert (found.source, revealed(found)) == ("secrets.toml", "s3ss10n")


def test_session_of_a_typed_user_is_not_stored(tmp_path: Path) -> None:
    filed = Profile("staging", STAGING.url, auth=CookieAuth(username="ada"))
    typed = replace(filed, auth=CookieAuth(username="bob"))
    credentials = StoredCredentials(store(tmp_path), Nobody(), lambda: [filed])
    assert credentials.keep(typed, Secret("s3ss10n-of-bob", "staging.session")) is None
    assert revealed(asyncio.run(credentials.session(typed))) == "s3ss10n-of-bob"
    assert not (tmp_path / "state" / "secrets.toml").exists()
    assert credentials.keep(filed, Secret("s3ss10n-of-ada", "staging.session")) is None
    assert "s3ss10n-of-ada" in (tmp_path / "state" / "secrets.toml").read_text()


def test_session_that_cannot_be_stored_lasts_until_quit(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    credentials = StoredCredentials(store(tmp_path), Nobody())
    message = credentials.keep(STAGING, Secret("s3ss10n", "staging.session"))
    assert message is not None
    assert "only until you quit" in message
    assert revealed(asyncio.run(credentials.session(STAGING))) == "s3ss10n"


def test_plain_http_is_asked_once_per_origin(tmp_path: Path) -> None:
    environment = {"RPCEXPLORER_STAGING_PASSWORD": "set-password"}
    refused = ask(StoredCredentials(store(tmp_path, environment), Nobody()), PLAIN)
    assert isinstance(refused, Refused)
    assert (
        "To allow this server from now on, run `rpcexplorer profiles secret staging --allow-http`" in refused.sentence
    )
    user = FakeUser(agrees=True)
    assert revealed(ask(StoredCredentials(store(tmp_path, environment), user), PLAIN)) == "set-password"
    assert revealed(ask(StoredCredentials(store(tmp_path, environment), user), PLAIN)) == "set-password"
    assert len(user.asked) == 1
    assert "from now on" in user.asked[0]


@pytest.mark.parametrize(
    "url",
    [
        *("http://127.0.0.1:8000", "http://localhost", "http://[::1]:1", "ws://localhost:1", "tcp://[::1]:1"),
        *("wss://h", "tls://h:1", "unix:///x", "http+unix:///x", "ws+unix:///x", "stdio:"),
    ],
)
def test_private_connection_is_not_asked_about(tmp_path: Path, url: str) -> None:
    credentials = StoredCredentials(store(tmp_path, {"RPCEXPLORER_STAGING_PASSWORD": "set-password"}), Nobody())
    assert revealed(ask(credentials, Profile("staging", url, auth=InlineAuth()))) == "set-password"


@pytest.mark.parametrize(("url", "instead"), [("ws://h", "Use wss."), ("tcp://h:1", "Use tls.")])
def test_connection_without_encryption_is_asked_about(tmp_path: Path, url: str, instead: str) -> None:
    credentials = StoredCredentials(store(tmp_path, {"RPCEXPLORER_STAGING_PASSWORD": "set-password"}), Nobody())
    refused = ask(credentials, Profile("staging", url, auth=InlineAuth()))
    assert isinstance(refused, Refused)
    assert f"Credentials not sent: {url} is not encrypted. {instead}" in refused.sentence


def test_ended_session_on_full_disk_is_not_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = store(tmp_path)
    secrets.save(STAGING, "session", "stale")
    credentials = StoredCredentials(secrets, Nobody())

    def refuse(*_: object) -> bool:
        raise FileError("cannot write: the disk is full")

    monkeypatch.setattr(secrets, "forget", refuse)
    credentials.drop(STAGING)
    assert asyncio.run(credentials.session(STAGING)) is None


MOVED = Profile("staging", "https://elsewhere.example.com", auth=CookieAuth())


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("field", ["password", "session"])
def test_entered_value_is_blocked_at_another_server(tmp_path: Path, field: str, keep: bool) -> None:
    credentials = StoredCredentials(store(tmp_path), Nobody())
    assert credentials.hold(STAGING, field, "typed-value", keep=keep) == ""
    assert isinstance(credentials.state(STAGING)[field], Secret)
    assert not isinstance(credentials.state(MOVED)[field], Secret)
    assert isinstance(ask(credentials, MOVED), Refused)
    assert not isinstance(asyncio.run(credentials.session(MOVED)), Secret)


@pytest.mark.parametrize("field", ["password", "username"])
@pytest.mark.parametrize("keep", [False, True])
def test_other_destination_is_asked_before_the_secret(tmp_path: Path, field: str, keep: bool) -> None:
    user = FakeUser("typed-value")
    credentials = StoredCredentials(store(tmp_path), user)
    credentials.hold(STAGING, "session", "typed-session", keep=keep)
    refused = ask(credentials, MOVED, field)
    assert isinstance(refused, Refused)
    assert "origin: https://staging.example.com → https://elsewhere.example.com" in refused.sentence
    assert len(user.asked) == 1
    agreeing = StoredCredentials(store(tmp_path), FakeUser("typed-value", allows=True))
    agreeing.hold(STAGING, "session", "typed-session", keep=keep)
    assert revealed(ask(agreeing, MOVED, field)) == "typed-value"


@pytest.mark.parametrize("keep", [False, True])
def test_variable_is_blocked_if_entered_values_belong_elsewhere(tmp_path: Path, keep: bool) -> None:
    credentials = StoredCredentials(store(tmp_path, {"RPCEXPLORER_STAGING_USERNAME": "ann"}), Nobody())
    credentials.hold(STAGING, "password", "typed-value", keep=keep)
    assert isinstance(ask(credentials, MOVED, "username"), Refused)
    assert revealed(ask(credentials, STAGING, "username")) == "ann"


def test_entered_value_ends_with_run_unlike_stored_one(tmp_path: Path) -> None:
    credentials = StoredCredentials(store(tmp_path), Nobody())
    credentials.hold(STAGING, "password", "kept-value", keep=True)
    credentials.hold(STAGING, "session", "run-value", keep=False)
    found = credentials.state(STAGING)
    sources = {field: value.source for field, value in found.items() if isinstance(value, Secret)}
    assert sources == {"password": "secrets.toml", "session": "prompt"}
    assert set(StoredCredentials(store(tmp_path), Nobody()).state(STAGING)) >= {"password"}
    assert StoredCredentials(store(tmp_path), Nobody()).state(STAGING)["session"] is None


def test_age_is_known_only_of_stored_session(tmp_path: Path) -> None:
    credentials = StoredCredentials(store(tmp_path), Nobody())
    credentials.hold(STAGING, "session", "stored-value", keep=True)
    assert credentials.since(STAGING) is not None
    credentials.hold(STAGING, "session", "pasted-value", keep=False)
    assert credentials.since(STAGING) is None


def test_forget_removes_value_from_run_and_store(tmp_path: Path) -> None:
    credentials = StoredCredentials(store(tmp_path), Nobody())
    credentials.hold(STAGING, "password", "kept-value", keep=True)
    credentials.hold(STAGING, "password", "typed-value", keep=False)
    assert credentials.forget(STAGING, "password") == ""
    assert credentials.state(STAGING)["password"] is None


def test_values_of_the_latest_calls_are_redacted(tmp_path: Path) -> None:
    credentials = StoredCredentials(store(tmp_path), Nobody())
    for number in range(OF_CALLS + 2):
        credentials.hide([Secret(f"proof {number}", "not recorded")] * 2)
    assert [secret.reveal() for secret in credentials.in_use()] == [f"proof {2 + number}" for number in range(OF_CALLS)]


@pytest.mark.parametrize("way", ["forget", "log out"])
def test_forgotten_value_is_still_redacted(tmp_path: Path, way: str) -> None:
    credentials = StoredCredentials(store(tmp_path), Nobody())
    credentials.hold(STAGING, "session", "typed-value", keep=False)
    if way == "forget":
        assert credentials.forget(STAGING, "session") == ""
    else:
        assert credentials.log_out(STAGING) == (True, "")
        assert credentials.log_out(STAGING) == (False, "")
    assert asyncio.run(credentials.session(STAGING)) is None
    assert [secret.reveal() for secret in credentials.in_use()] == ["typed-value"]


def test_log_out_removes_sessions_of_all_destinations(tmp_path: Path) -> None:
    credentials = StoredCredentials(store(tmp_path), Nobody())
    credentials.hold(MOVED, "session", "there", keep=False)
    credentials.hold(STAGING, "session", "here", keep=False)
    assert credentials.log_out(STAGING) == (True, "")
    assert credentials.state(MOVED)["session"] is None


def test_session_on_full_disk_is_reported_not_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = store(tmp_path)
    secrets.save(STAGING, "session", "stored-value")
    credentials = StoredCredentials(secrets, Nobody())

    def refuse(*_: object) -> bool:
        raise FileError("cannot write: the disk is full")

    monkeypatch.setattr(secrets, "forget", refuse)
    assert credentials.log_out(STAGING) == (False, "cannot write: the disk is full")
    assert asyncio.run(credentials.session(STAGING)) is None


def test_replaced_session_is_redacted_for_a_while(tmp_path: Path) -> None:
    profile = ad_hoc("http://localhost:1", CookieAuth())
    credentials = StoredCredentials(store(tmp_path), Nobody())
    for number in range(20):
        credentials.keep(profile, Secret(f"session-{number}", profile.label("session")))
    known = [secret.reveal() for secret in credentials.in_use()]
    assert known[-2:] == ["session-18", "session-19"], "the one in use comes last"
    assert len(known) == 5
    credentials.drop(profile)
    assert [secret.reveal() for secret in credentials.in_use()][-1] == "session-19"


def test_variables_are_known_by_profile_names(tmp_path: Path) -> None:
    secrets = store(tmp_path, {"RPCEXPLORER_MY_PROF_PASSWORD": "one-value"})
    credentials = StoredCredentials(secrets, Nobody(), lambda: [Profile("my-prof", "https://h")])
    assert [secret.label for secret in credentials.in_use()] == ["my-prof.password"]


def test_time_of_questions_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr("rpcexplorer.secrets.credentials.time", SimpleNamespace(monotonic=lambda: clock[0]))
    seen: list[float] = []

    class Slow(FakeUser):
        async def secret(self, question: str, *, field: str = "password", store: Store | None = None) -> Entered | None:
            clock[0] += 30
            seen.append(credentials.asked_for)
            clock[0] += 12
            return await super().secret(question, field=field, store=store)

    credentials = StoredCredentials(store(tmp_path), Slow("typed"))
    assert credentials.asked_for == 0
    assert isinstance(ask(credentials), Secret)
    clock[0] += 5
    assert (seen, credentials.asked_for) == ([30], 42)


def test_prompt_stores_the_value_if_the_user_agrees(tmp_path: Path) -> None:
    person = FakeUser("typed-password", keeps=True)
    assert revealed(ask(StoredCredentials(store(tmp_path), person, lambda: [STAGING]))) == "typed-password"
    assert person.stores == [str(tmp_path / "state" / "secrets.toml")]
    assert revealed(ask(StoredCredentials(store(tmp_path), FakeUser()))) == "typed-password", "it was stored"


def test_prompt_for_url_does_not_offer_to_store(tmp_path: Path) -> None:
    person = FakeUser("typed-password", keeps=True)
    typed = ad_hoc("https://x.example.com")
    assert revealed(ask(StoredCredentials(store(tmp_path), person), typed)) == "typed-password"
    assert person.stores == [""]
    assert not (tmp_path / "state" / "secrets.toml").exists()


def test_value_that_cannot_be_stored_is_not_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def save(*_: object) -> None:
        raise FileError("the disk is full")

    secrets = store(tmp_path)
    monkeypatch.setattr(secrets, "save", save)
    refused = ask(StoredCredentials(secrets, FakeUser("typed-password", keeps=True)))
    assert isinstance(refused, Refused)
    assert refused.sentence.startswith("Not stored, and nothing was sent: the disk is full.")


def test_prompt_names_the_field(tmp_path: Path) -> None:
    person = FakeUser("typed")
    credentials = StoredCredentials(store(tmp_path), person)
    for field in ("username", "password", "token"):
        asyncio.run(credentials.secret(STAGING, field))
    assert person.fields == ["username", "password", "token"]
    assert person.asked[0].startswith("user name for staging")
