"""Credentials that somebody has at hand."""

from __future__ import annotations

import asyncio

from rpcexplorer.auth.credentials import GivenCredentials
from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret

PROFILE = Profile("shop", "http://shop.example")


def test_what_was_given_is_there_and_what_was_not_is_refused_with_its_name() -> None:
    given = GivenCredentials("ada", None, None, "t0ken-t0ken")
    username = asyncio.run(given.secret(PROFILE, "username"))
    assert isinstance(username, Secret)
    assert username.reveal() == "ada"
    assert given.at_hand(PROFILE, "token")
    missing = asyncio.run(given.secret(PROFILE, "password"))
    assert isinstance(missing, Refused)
    assert missing.missing == "password"
