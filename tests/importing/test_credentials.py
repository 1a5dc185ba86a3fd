"""Credentials of imported calls, and the profiles that they fit."""

from __future__ import annotations

import pytest

from rpcexplorer.auth.basic import BasicAuth, InlineAuth, NoAuth
from rpcexplorer.auth.token import BearerAuth, CookieAuth, HeaderAuth, MemberAuth, QueryAuth
from rpcexplorer.importing.credentials import Fitted, fitted
from rpcexplorer.importing.formats import imported
from rpcexplorer.model.profile import Auth, Profile

CALL = '{"jsonrpc": "2.0", "id": 1, "method": "m", "params": {"a": 1.0}, "auth": "member-token"}'
CURL = (
    f"curl 'https://shop.example.com/rpc?apikey=query-token' -d '{CALL}' -b 'sessionid=cookie-session; theme=dark'"
    " -H 'X-Api-Key: Key header-token' -H 'Authorization: Bearer bearer-token' -u ada:basic-password"
)


def sorted_out(auth: Auth, text: str = CURL, url: str = "https://shop.example.com") -> Fitted:
    (call,) = imported(text).calls
    return fitted(Profile("shop", url, path="/rpc", auth=auth), call)


@pytest.mark.parametrize(
    ("auth", "values"),
    [
        (NoAuth(), {}),
        (CookieAuth(), {"session": "cookie-session"}),
        (CookieAuth(cookie="other"), {}),
        (BasicAuth(), {"username": "ada", "password": "basic-password"}),
        (BasicAuth(username="ada"), {"password": "basic-password"}),
        (BearerAuth(), {"token": "bearer-token"}),
        (HeaderAuth(value="Key {token}"), {"token": "header-token"}),
        (HeaderAuth(header="X-Other"), {}),
        (QueryAuth(), {"token": "query-token"}),
        (MemberAuth(), {"token": "member-token"}),
    ],
)
@pytest.mark.everyday(4)
def test_auth_type_takes_credentials_that_it_would_send(auth: Auth, values: dict[str, str]) -> None:
    found = sorted_out(auth)
    assert {field: secret.reveal() for field, secret in found.secrets} == values
    assert {secret.label for _, secret in found.secrets} == {f"shop.{field}" for field in values}
    assert len(found.dropped) >= 5


def test_credentials_of_another_server_are_dropped() -> None:
    found = sorted_out(BearerAuth(), url="https://other.example.com")
    assert (found.secrets, found.elsewhere) == ((), True)


def test_inline_credentials_are_removed_from_params() -> None:
    params = '{"username": "ada", "n": 1.10, "n": 2, "password": "inline-password"}'
    text = f"""curl -d '{{"method": "m", "params": {params}, "id": 1}}' https://shop.example.com/rpc"""
    found = sorted_out(InlineAuth(), text)
    assert found.call.params == '{"n": 1.10, "n": 2}'
    assert {field: secret.reveal() for field, secret in found.secrets} == {
        "username": "ada",
        "password": "inline-password",
    }
    assert sorted_out(NoAuth(), text).call.params == params
