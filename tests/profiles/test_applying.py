"""Changes of a profile: checked, tried, written, reported if overridden."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rpcexplorer.auth.token import CookieAuth
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.problem import Changes, Problem
from rpcexplorer.model.profile import HeaderHandshake, Profile, ad_hoc
from rpcexplorer.profiles.profiles import Profiles
from tests.fakes.explorer import open_explorer

OWN = """\
version = 1

# Mine.
[profile.mine]
url = "http://127.0.0.1:1"   # here
auth = { kind = "cookie", username = "ada" }
"""


@pytest.fixture
def explorer(tmp_path: Path) -> Explorer:
    return open_explorer(tmp_path, "", OWN)


def test_applied_change_is_saved_and_counts_at_once(explorer: Explorer) -> None:
    explorer.use("mine")
    own = explorer.profiles.change_home("mine", explorer.paths.user_sessions)
    changes: Changes = (
        ("content_type", "application/json"),
        ("auth.kind", "basic"),
        ("handshake", {"header": "X-Id"}),
    )
    assert own == explorer.paths.user_sessions
    assert explorer.apply(explorer.profiles.profiles["mine"], changes, own) is None
    assert own.read_text().startswith(OWN[: OWN.index("auth =")]), "comments and order stay"
    profile = explorer.profile
    assert profile is not None
    assert (profile.content_type, profile.auth.kind, profile.username) == ("application/json", "basic", "ada")
    assert profile.handshake == HeaderHandshake("X-Id")
    assert explorer.apply(explorer.profiles.profiles["mine"], (("content_type", None),), own) is None
    assert explorer.profile is not None
    assert explorer.profile.content_type == "application/json-rpc"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ((("contnt_type", "application/json"),), "Did you mean `content_type`"),
        ((("path", "/v3/0a1b2c3d4e5f60718293a4b5c6d7e8f9"),), "must not contain a secret"),
        ((("path", "/x y"),), "without spaces"),
        ((("url", "http://u:p@h"),), "must not contain a user name or password"),
        ((("url", None),), "the profile has no `url`"),
        ((("auth.kind", "telepathy"),), "must be one of"),
        ((("auth.kind", None), ("path", "/rpc")), "the auth type is missing"),
        ((("headers.Authorization", "Bearer x"),), "this header contains a secret"),
        ((("headers.X-Org", "sk-0123456789abcdef"),), "this header contains a secret"),
        ((("accept", "application/json"), ("accept", "a\r\nX: y")), "must be a valid header value"),
    ],
)
def test_invalid_change_is_not_saved(explorer: Explorer, changes: Changes, message: str) -> None:
    own = explorer.paths.user_sessions
    problem = explorer.apply(explorer.profiles.profiles["mine"], changes, own)
    assert problem is not None
    assert message in str(problem)
    assert own.read_text() == OWN
    if ("url", None) not in changes and ("auth.kind", None) not in changes:
        run = Profiles().changed(ad_hoc("http://127.0.0.1:1"), changes)
        assert isinstance(run, Problem), "nor is it taken into a run"
        assert message in str(run)


def test_profile_without_file_is_changed_for_the_run() -> None:
    before = ad_hoc("http://h", CookieAuth(username="ada"))
    changes: Changes = (
        ("path", "/rpc"),
        ("auth.kind", "basic"),
        ("timeout", 5),
        ("empty_params", "omit"),
    )
    after = Profiles().changed(before, changes)
    assert isinstance(after, Profile)
    assert (after.endpoint, after.auth.kind, after.username, after.ad_hoc) == ("http://h/rpc", "basic", "ada", True)
    assert (after.timeout, after.empty_params, after.content_type) == (5.0, "omit", "application/json")


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("timeout", "5", 5),
        ("timeout", "fast", "fast"),
        ("path", "/a=b", "/a=b"),
        ("path", "12", "12"),
        ("description", "true", "true"),
        ("description", "", None),
        ("handshake", "mcp", "mcp"),
        ("handshake", '{ header = "X-Id" }', {"header": "X-Id"}),
        ("login.ended_codes", "[-1, 4]", [-1, 4]),
        ("nothing", "1", 1),
        ("path", '"]\nx = 1', '"]\nx = 1'),
    ],
)
def test_typed_value_is_text_or_toml(explorer: Explorer, key: str, text: str, value: Any) -> None:
    assert explorer.edits(explorer.paths.user_sessions).value_of("mine", key, text) == value
