"""Tests of the short words for authentication in the header and the list."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from rpcexplorer.auth.basic import InlineAuth, NoAuth
from rpcexplorer.auth.token import BearerAuth, CookieAuth, HeaderAuth
from rpcexplorer.model.destination import DestinationChanged
from rpcexplorer.model.profile import Login, MethodNote, Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.text.profile import auth_words, goes_with

NOW = datetime(2026, 1, 2, 12, tzinfo=UTC)
KNOWN, MOVED = (
    Secret("hunter2x", "p.password"),
    DestinationChanged("password", "it was stored for a different destination"),
)
COOKIE, INLINE = CookieAuth("ada"), InlineAuth("ada")


@pytest.mark.parametrize(
    ("auth", "state", "since", "words"),
    [
        (NoAuth(), {}, None, ""),
        (COOKIE, {"password": KNOWN, "session": None}, None, "○ no session yet"),
        (COOKIE, {"password": KNOWN, "session": KNOWN}, timedelta(minutes=12), "● session 12 min"),
        (COOKIE, {"password": KNOWN, "session": KNOWN}, None, "● session"),
        (COOKIE, {"password": None, "session": KNOWN}, timedelta(hours=3), "● session 3 h"),
        (COOKIE, {"password": None, "session": None}, None, "! password missing"),
        (COOKIE, {"username": None, "password": None, "session": None}, None, "! user name missing"),
        (COOKIE, {"password": MOVED, "session": None}, None, "! password blocked"),
        (COOKIE, {"password": MOVED, "session": KNOWN}, None, "● session"),
        (INLINE, {"password": KNOWN}, None, "● password entered"),
        (INLINE, {"password": Secret("hunter2x", "p.password", "keyring")}, None, "● password stored"),
        (INLINE, {"password": Secret("hunter2x", "p.password", "environment")}, None, "● password from environment"),
        (INLINE, {"password": None}, None, "! password missing"),
        (INLINE, {"password": MOVED}, None, "! password blocked"),
    ],
)
def test_missing_secret_is_shown_first(auth: Any, state: Any, since: timedelta | None, words: str) -> None:
    found = auth_words(Profile("p", "https://new", auth=auth), state, NOW - since if since is not None else None, NOW)
    assert "".join(text for text, _ in found) == words


@pytest.mark.parametrize(
    ("auth", "state", "words"),
    [
        (INLINE, {"password": KNOWN}, "✗ password rejected"),
        (COOKIE, {"password": KNOWN, "session": None}, "✗ password rejected"),
        (COOKIE, {"password": KNOWN, "session": KNOWN}, "✗ session rejected"),
        (COOKIE, {"password": None, "session": None}, "! password missing"),
        (NoAuth(), {}, ""),
    ],
)
def test_rejected_credentials_are_not_called_stored(auth: Any, state: Any, words: str) -> None:
    found = auth_words(Profile("p", "https://new", auth=auth), state, None, NOW, rejected=True)
    assert "".join(text for text, _ in found) == words


def test_missing_secret_has_a_sign_besides_colour() -> None:
    for state in ({"password": None}, {"password": MOVED}):
        sign, role = auth_words(Profile("p", "https://new", auth=INLINE), state, None, NOW)[0]
        assert (sign, role) == ("! ", "careful bold")


@pytest.mark.parametrize(
    ("auth", "method", "words"),
    [
        (COOKIE, "user.list", "sent with the session cookie of this profile"),
        (COOKIE, "auth", "opens the session of this profile"),
        (COOKIE, "open", "needs no session"),
        (INLINE, "user.list", "inline: sends user name and password in the params of each call"),
        (INLINE, "open", "sent without credentials"),
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
