"""Tests of the profile page: its words, its layout and its secrets."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from rpcexplorer.auth.basic import InlineAuth, NoAuth
from rpcexplorer.auth.token import BearerAuth, CookieAuth, HeaderAuth
from rpcexplorer.client.report import Check
from rpcexplorer.model.destination import Change, DestinationChanged
from rpcexplorer.model.profile import Login, MethodNote, Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.text.profile import LABEL, auth_words, broken_page, goes_with, profile_page
from rpcexplorer.text.wrapping import text_of

TEAM, LOCAL = Path("/team/sessions.toml"), Path("/team/sessions.local.toml")
OWN = Path("/home/ada/sessions.toml")
COOKIE = Profile("staging", "https://staging.example.com", badge="staging", auth=CookieAuth("ada"))


def told(profile: Profile = COOKIE, state: Any = None, rows: Any = (), steps: Any = (), files: Any = None) -> list[str]:
    lines = profile_page(profile, state or {}, rows, files or [(TEAM, "project file")], steps)
    return [text_of(line) for line in lines]


def row(lines: list[str], label: str) -> str:
    """Return the text next to a label."""
    return next(line[LABEL + 3 :] for line in lines if line[1:].startswith(f"{label} "))


def roles(profile: Profile = COOKIE, **more: Any) -> dict[str, str]:
    lines = profile_page(profile, more.get("state", {}), more.get("rows", ()), [], more.get("steps", ()))
    return {text: role for line in lines for text, role in line}


def test_head_shows_url_and_auth() -> None:
    lines = told(Profile("p", "https://p.example.com", description="Shared", badge="prod", auth=CookieAuth()))
    assert lines[1] == " Shared"
    assert row(lines, "url") == "https://p.example.com/api/v2/"
    assert row(lines, "badge") == "PROD"
    assert row(lines, "auth") == "cookie: auth opens a session"


@pytest.mark.parametrize(
    ("auth", "words"),
    [(InlineAuth("ada"), "in the params of each call"), (NoAuth(), "sends no credentials")],
)
def test_each_kind_of_login_has_its_words(auth: Any, words: str) -> None:
    assert words in row(told(Profile("p", "https://p", auth=auth)), "auth")


@pytest.mark.parametrize(
    ("found", "first", "second"),
    [
        (None, "! missing", "Press s to enter it, or set RPCEXPLORER_STAGING_PASSWORD."),
        (Secret("x", "l", "environment"), "✓ from environment", "$RPCEXPLORER_STAGING_PASSWORD"),
        (Secret("x", "l", "secrets.toml"), "✓ stored, in secrets.toml", ""),
        (Secret("x", "l", "prompt"), "✓ entered, until you quit", ""),
        (Secret("x", "l", "session"), "✓ logged in, until you quit", ""),
        (
            DestinationChanged(
                "password",
                "it was stored for a different destination",
                (Change("origin", "https://old", "https://new"),),
            ),
            "! blocked",
            "it was stored for a different destination",
        ),
    ],
)
def test_secret_row_shows_state_but_not_value(found: Any, first: str, second: str) -> None:
    lines = told(state={"password": found})
    at = next(at for at, line in enumerate(lines) if line.startswith(" password"))
    assert lines[at][LABEL + 3 :] == first
    assert lines[at + 1].strip().startswith(second)


def test_missing_session_is_not_a_problem() -> None:
    assert row(told(state={"session": None}), "session") == "○ no session yet"
    assert roles(state={"session": None})["○ no session yet"] == "middle"


def test_values_of_files_are_in_groups_and_defaults_counted() -> None:
    rows = [
        ("timeout", 5.0, f"{LOCAL}:4"),
        ("accept", "*/*", "default"),
        ("auth.username", "ada", f"{TEAM}:9"),
        ("login.params", {"username": "{username}"}, f"{TEAM}:10"),
        ("login.ended_codes", (), "default"),
        ("headers.X-Tenant", "acme", f"{TEAM}:12"),
        ("url", "https://x", f"{TEAM}:2"),
    ]
    lines = told(rows=rows, files=[(TEAM, "project file"), (LOCAL, "local file")])
    assert lines.index(" Auth and login") < lines.index(" Requests") < lines.index(" Headers")
    assert row(lines, "timeout") == "5 s  sessions.local.toml:4"
    assert row(lines, "username") == "ada  sessions.toml:9"
    assert row(lines, "params") == '{"username":"{username}"}  sessions.toml:10'
    assert row(lines, "X-Tenant") == "acme  sessions.toml:12"
    assert row(lines, "defaults") == "2 keys"
    assert not any("accept" in line or "https://x" in line for line in lines)
    assert row(told(rows=rows), "timeout") == "5 s", "the only file needs no place"


def test_saved_calls_variables_and_methods_are_counted() -> None:
    rows = [
        *((f'call."active users".{key}', "x", f"{TEAM}:4") for key in ("method", "params_json")),
        ("call.one.method", "user.get", f"{TEAM}:6"),
        ("variables.page", "2", f"{TEAM}:7"),
        *((f'method."user.{name}".safe', True, f"{TEAM}:8") for name in "abcde"),
    ]
    lines = told(rows=rows)
    assert row(lines, "saved calls") == "2  active users, one"
    assert row(lines, "variables") == "1  page"
    assert row(lines, "methods") == "5  user.a, user.b, user.c, user.d, …"
    assert len([line for line in lines if "user." in line]) == 1


def test_preset_is_named_in_head_and_rows() -> None:
    rows = [
        ("preset", "bitcoin", f"{TEAM}:3"),
        ("accept", "text/x", "preset bitcoin, /lib/presets/bitcoin.toml:4"),
    ]
    lines = told(Profile("p", "https://p", preset="bitcoin"), rows=rows)
    assert row(lines, "preset") == "bitcoin"
    assert sum(line.startswith(" preset") for line in lines) == 1
    assert row(lines, "accept") == "text/x  preset bitcoin"
    assert not any(line.startswith(" preset") for line in told(rows=[("preset", "", "default")]))


def test_files_with_the_same_name_are_distinguished() -> None:
    files = [(OWN, "user file"), (TEAM, "project file")]
    lines = told(rows=[("timeout", 5.0, f"{OWN}:4"), ("accept", "x", f"{TEAM}:5")], files=files)
    assert row(lines, "file") == "sessions.toml  user file"
    assert [line.strip() for line in lines if line.strip().startswith("/")] == ["/home/ada", "/team"]
    assert row(lines, "timeout") == "5 s  ada/sessions.toml:4"
    assert row(lines, "accept") == "x  team/sessions.toml:5"


def test_login_rows_are_absent_without_a_login() -> None:
    rows = [("login.method", "auth", "default"), ("auth.cookie", "sessionid", "default")]
    assert " Auth and login" not in told(Profile("p", "https://p"), rows=rows)
    assert " Auth and login" in told(Profile("p", "https://p"), rows=[("login.method", "auth", f"{TEAM}:4")])


def test_connection_test_steps_have_signs_words_and_times() -> None:
    steps = [
        Check("Name", "skipped", "the URL has an IP address"),
        Check("TCP", "well", "Connected.", 0.012),
        Check("TLS", "failed", "the certificate is for another host"),
        Check("HTTP", "unknown", "Not reached."),
    ]
    lines = told(steps=steps)
    at = lines.index(" Connection")
    assert [line.split() for line in lines[at + 1 : at + 5]] == [
        ["–", "Name", "the", "URL", "has", "an", "IP", "address"],  # noqa: RUF001 - the dash is meant
        ["✓", "TCP", "Connected.", "12", "ms"],
        ["✗", "TLS", "the", "certificate", "is", "for", "another", "host"],
        ["◌", "HTTP", "Not", "reached."],
    ]
    assert len({line.index(step.words) for line, step in zip(lines[at + 1 :], steps, strict=False)}) == 1
    assert roles(steps=steps)["the certificate is for another host"] == "wrong"


@pytest.mark.thorough
def test_invalid_profile_shows_problem_and_place() -> None:
    lines = [text_of(line) for line in broken_page([(TEAM, "project file")], ["sessions.toml:3: no url"])]
    assert lines[1] == " ! sessions.toml:3: no url"
    assert row(lines, "file") == "sessions.toml  project file"


NOW = datetime(2026, 1, 2, 12, tzinfo=UTC)
KNOWN, MOVED = (
    Secret("hunter2x", "p.password"),
    DestinationChanged("password", "it was stored for a different destination"),
)
COOKIE_AUTH, INLINE_AUTH = CookieAuth("ada"), InlineAuth("ada")


@pytest.mark.parametrize(
    ("auth", "state", "since", "words"),
    [
        (NoAuth(), {}, None, ""),
        (COOKIE_AUTH, {"password": KNOWN, "session": None}, None, "○ no session yet"),
        (COOKIE_AUTH, {"password": KNOWN, "session": KNOWN}, timedelta(minutes=12), "● session 12 min"),
        (COOKIE_AUTH, {"password": KNOWN, "session": KNOWN}, None, "● session"),
        (COOKIE_AUTH, {"password": None, "session": KNOWN}, timedelta(hours=3), "● session 3 h"),
        (COOKIE_AUTH, {"password": None, "session": None}, None, "! password missing"),
        (COOKIE_AUTH, {"username": None, "password": None, "session": None}, None, "! user name missing"),
        (COOKIE_AUTH, {"password": MOVED, "session": None}, None, "! password blocked"),
        (COOKIE_AUTH, {"password": MOVED, "session": KNOWN}, None, "● session"),
        (INLINE_AUTH, {"password": KNOWN}, None, "● password entered"),
        (INLINE_AUTH, {"password": Secret("hunter2x", "p.password", "keyring")}, None, "● password stored"),
        (
            INLINE_AUTH,
            {"password": Secret("hunter2x", "p.password", "environment")},
            None,
            "● password from environment",
        ),
        (INLINE_AUTH, {"password": None}, None, "! password missing"),
        (INLINE_AUTH, {"password": MOVED}, None, "! password blocked"),
    ],
)
def test_missing_secret_is_shown_first(auth: Any, state: Any, since: timedelta | None, words: str) -> None:
    found = auth_words(Profile("p", "https://new", auth=auth), state, NOW - since if since is not None else None, NOW)
    assert text_of(found) == words


@pytest.mark.parametrize(
    ("auth", "state", "words"),
    [
        (INLINE_AUTH, {"password": KNOWN}, "✗ password rejected"),
        (COOKIE_AUTH, {"password": KNOWN, "session": None}, "✗ password rejected"),
        (COOKIE_AUTH, {"password": KNOWN, "session": KNOWN}, "✗ session rejected"),
        (COOKIE_AUTH, {"password": None, "session": None}, "! password missing"),
        (NoAuth(), {}, ""),
    ],
)
def test_rejected_credentials_are_not_called_stored(auth: Any, state: Any, words: str) -> None:
    found = auth_words(Profile("p", "https://new", auth=auth), state, None, NOW, rejected=True)
    assert text_of(found) == words


def test_missing_secret_has_a_sign_besides_colour() -> None:
    for state in ({"password": None}, {"password": MOVED}):
        sign, role = auth_words(Profile("p", "https://new", auth=INLINE_AUTH), state, None, NOW)[0]
        assert (sign, role) == ("! ", "careful bold")


@pytest.mark.parametrize(
    ("auth", "method", "words"),
    [
        (COOKIE_AUTH, "user.list", "sent with the session cookie of this profile"),
        (COOKIE_AUTH, "auth", "opens the session of this profile"),
        (COOKIE_AUTH, "open", "needs no session"),
        (INLINE_AUTH, "user.list", "inline: sends user name and password in the params of each call"),
        (INLINE_AUTH, "open", "sent without credentials"),
        (HeaderAuth(header="X-Key"), "user.list", "header: sends a token in the header X-Key"),
        (NoAuth(), "open", "none: sends no credentials"),
    ],
)
def test_call_credentials_are_those_of_its_profile(auth: Any, method: str, words: str) -> None:
    profile = Profile("p", "http://127.0.0.1/", auth=auth, methods={"open": MethodNote(auth="none")})
    assert goes_with(profile, method) == words


def test_session_without_any_secret_has_words() -> None:
    profile = Profile("p", "https://new", auth=BearerAuth(), login=Login("open", []), has_login=True)
    assert profile.secrets == ("session",)
    assert auth_words(profile, {"session": None}, None, NOW) == [("○ ", "middle"), ("no session yet", "middle")]
