"""Logins at the authorization server of the MCP SDK, for a server of MCP with its own checks of tokens."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_oauth import Browser
from tests.fakes.shell import Shell
from tests.interop.serving import asgi_at

pytest.importorskip("mcp")


class Provider:
    """The state of the authorization server, in memory."""

    def __init__(self) -> None:
        self.clients: dict[str, Any] = {}
        self.codes: dict[str, Any] = {}
        self.refresh: dict[str, Any] = {}
        self.access: dict[str, Any] = {}
        self.issued = 0

    async def get_client(self, client_id: str) -> Any:
        return self.clients.get(client_id)

    async def register_client(self, client_info: Any) -> None:
        self.clients[client_info.client_id] = client_info

    async def authorize(self, client: Any, params: Any) -> str:
        from mcp.server.auth.provider import AuthorizationCode, construct_redirect_uri

        code = f"code-{len(self.codes)}"
        self.codes[code] = AuthorizationCode(
            code=code, client_id=client.client_id, expires_at=time.time() + 60, **params.model_dump(exclude={"state"})
        )
        return construct_redirect_uri(str(params.redirect_uri), code=code, state=params.state)

    async def load_authorization_code(self, client: Any, authorization_code: str) -> Any:
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(self, client: Any, authorization_code: Any) -> Any:
        del self.codes[authorization_code.code]
        return self._issue(client, authorization_code)

    async def load_refresh_token(self, client: Any, refresh_token: str) -> Any:
        return self.refresh.get(refresh_token)

    async def exchange_refresh_token(self, client: Any, refresh_token: Any, scopes: list[str]) -> Any:
        del self.refresh[refresh_token.token]
        return self._issue(client, refresh_token)

    async def load_access_token(self, token: str) -> Any:
        return self.access.get(token)

    def _issue(self, client: Any, granted: Any) -> Any:
        from mcp.server.auth.provider import AccessToken, RefreshToken
        from mcp.shared.auth import OAuthToken

        self.issued += 1
        access, refresh = f"access-{self.issued}", f"refresh-{self.issued}"
        members = {"client_id": client.client_id, "scopes": granted.scopes, "resource": granted.resource}
        self.access[access] = AccessToken(token=access, **members)
        self.refresh[refresh] = RefreshToken(token=refresh, **members)
        return OAuthToken(access_token=access, refresh_token=refresh, expires_in=3600, scope=" ".join(granted.scopes))


@pytest.fixture
def provider() -> Provider:
    return Provider()


@pytest.fixture
def url(provider: Provider) -> Iterator[str]:
    from mcp.server import MCPServer
    from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions

    state: Any = provider

    def make(address: str) -> Any:
        options = ClientRegistrationOptions(enabled=True, valid_scopes=["tools"], default_scopes=["tools"])
        urls: dict[str, Any] = {"issuer_url": address, "resource_server_url": f"{address}/mcp"}
        settings = AuthSettings(
            required_scopes=["tools"], client_registration_options=options, validate_token_resource=True, **urls
        )
        server = MCPServer("locked", auth=settings, auth_server_provider=state)

        @server.tool()
        def add(a: int, b: int = 2) -> int:
            return a + b

        return server.streamable_http_app()

    with asgi_at(make) as address:
        yield f"{address}/mcp"


def test_login_refresh_and_end_of_a_session(
    url: str, provider: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell, browser = Shell(tmp_path), Browser(monkeypatch)
    tested = shell.run("profiles", "test", url, "--no-input")
    assert f"profiles add NAME --url {url} --preset mcp --auth oauth\nrpcexplorer login -p NAME\n" in tested.text
    assert shell.run("profiles", "add", "it", "--url", url, "--preset", "mcp", "--auth", "oauth").code == 0
    refused = shell.run("call", "add", "a:=40", "--no-input")
    assert refused.code == 3
    assert "rpcexplorer login -p it" in refused.err
    ran = shell.run("login", terminal=True)
    assert ran.code == 0, ran.err
    assert browser.questions == [], "it is the same server"
    called = shell.run("call", "add", "a:=40", "--no-input")
    assert (called.code, '"result":42' in called.text.replace(" ", "")) == (0, True), called.err
    provider.access.clear()
    again = shell.run("call", "add", "a:=40", "--no-input")
    assert (again.code, provider.issued, len(provider.refresh)) == (0, 2, 1), again.err
    provider.access.clear()
    provider.refresh.clear()
    ended = shell.run("call", "add", "a:=40", "--no-input")
    assert ended.code == 3
    assert "the token can no longer be renewed (invalid_grant" in ended.err
