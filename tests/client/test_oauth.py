"""The Python client with auth type oauth."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

from rpcexplorer.auth.token import OAuthAuth
from rpcexplorer.client.client import Client
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.destination import Nobody
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Cancelled, Exchange, Refused, Stop
from rpcexplorer.rpc.messages import Result
from tests.fakes.mcp import StatelessMcp
from tests.fakes.oauth import CLIENT, DEVICE, SECRET, Issuer, Resource
from tests.fakes.wire import Parts, RawServer, Received


def called(resource: Resource, auth: OAuthAuth, *methods: str, **secrets: Any) -> list[Exchange]:
    async def run() -> list[Exchange]:
        async with Client(resource.url, auth=auth, **secrets) as client:
            return [await client.call(method) for method in methods]

    return asyncio.run(run())


def test_client_gets_one_token_for_all_its_calls() -> None:
    with Issuer() as issuer, Resource(issuer) as resource:
        auth = OAuthAuth(issuer=issuer.url, grant="client", client_id=CLIENT)
        exchanges = called(resource, auth, "ping", "ping", client_secret=SECRET)
        assert all(isinstance(exchange.outcome, Result) for exchange in exchanges)
        assert len(issuer.forms) == 1
        (given,) = called(resource, OAuthAuth(), "ping", session=next(iter(issuer.tokens)))
        assert isinstance(given.outcome, Result)


def test_client_asks_no_server_that_another_one_names() -> None:
    with Issuer() as issuer, Resource(issuer) as resource, RawServer() as other:
        issuer.metadata["token_endpoint"] = f"{other.origin}/token"
        auth = OAuthAuth(issuer=issuer.url, grant="client", client_id=CLIENT)
        (exchange,) = called(resource, auth, "ping", client_secret=SECRET)
        assert isinstance(exchange.outcome, Refused)
        assert f"Requests for a token go to {other.origin}. Nothing was sent there" in exchange.outcome.sentence
        assert other.requests == []


def test_client_cannot_log_in_with_a_browser() -> None:
    with Issuer() as issuer, Resource(issuer) as resource:
        (exchange,) = called(resource, OAuthAuth(issuer=issuer.url), "ping")
        assert isinstance(exchange.outcome, Refused)
        assert f"Not logged in at {issuer.url}" in exchange.outcome.sentence
        assert [*issuer.clients] == [CLIENT]


class Impatient(Nobody):
    """A user who agrees to servers, and cancels the login at its address."""

    is_there = True

    def __init__(self) -> None:
        self.stop = Stop()

    async def agrees(self, question: str, title: str = "") -> bool:
        return True

    async def visits(self, profile: str, url: str, code: str, redirect: Awaitable[str]) -> str | None:
        self.stop.press()
        return await redirect


def test_cancelled_login_has_run_no_call(tmp_path: Path) -> None:
    async def run(explorer: Explorer, user: Impatient) -> Exchange:
        async with explorer:
            return await explorer.login(stop=user.stop)

    with Issuer() as issuer, Resource(issuer) as resource:
        (tmp_path / "sessions.toml").write_text(
            f'[profile.shop]\nurl = "{resource.origin}"\npath = "/rpc"\nauth = {{ kind = "oauth" }}\n'
        )
        user = Impatient()
        environment = {"RPCEXPLORER_HOME": str(tmp_path / "home")}
        explorer = Explorer.open(folder=tmp_path, environment=environment, person=user)
        explorer.use("shop")
        exchange = asyncio.run(run(explorer, user))
        assert exchange.outcome == Cancelled(maybe_ran=False)
        assert issuer.forms == []


class Patient(Impatient):
    """A user who agrees to servers, and enters the code on another device."""

    async def visits(self, profile: str, url: str, code: str, redirect: Awaitable[str]) -> str | None:
        return await redirect


class ToolServer(Resource):
    """A server of MCP that asks before its result, and knows the token no longer once the user has answered."""

    def _serve(self, request: Received) -> Parts:
        token = (request.header("Authorization") or "").removeprefix("Bearer ")
        if not request.line.startswith("POST") or token not in self.issuer.tokens:
            return super()._serve(request)
        server = StatelessMcp()
        server.answers["deploy"] = self._deploy
        return server(request)

    def _deploy(self, params: dict[str, Any]) -> dict[str, Any]:
        if "inputResponses" in params:
            return {"result": {"resultType": "complete", "content": []}}
        self.issuer.revoke()
        asked = {"method": "elicitation/create", "params": {"mode": "form", "message": "Which region?"}}
        return {"result": {"resultType": "input_required", "inputRequests": {"where": asked}}}


def test_token_can_end_while_the_user_is_asked(tmp_path: Path) -> None:
    async def run(explorer: Explorer) -> Exchange:
        async with explorer:
            return await explorer.call(Draft("deploy"))

    with Issuer() as issuer, ToolServer(issuer) as resource:
        (tmp_path / "sessions.toml").write_text(
            f'[profile.shop]\nurl = "{resource.origin}"\npath = "/rpc"\nhandshake = "mcp"\nempty_params = "{{}}"\n'
            f'auth = {{ kind = "oauth", grant = "device", client_id = "{CLIENT}" }}\n'
            'answer."elicitation/create".result_json = \'{"action":"decline"}\'\n'
        )
        issuer.clients[CLIENT] = ""
        environment = {"RPCEXPLORER_HOME": str(tmp_path / "home")}
        explorer = Explorer.open(folder=tmp_path, environment=environment, person=Patient())
        explorer.use("shop")
        exchange = asyncio.run(run(explorer))
        assert isinstance(exchange.outcome, Result), exchange.outcome
        assert [form["grant_type"] for form in issuer.forms] == [DEVICE, "refresh_token"]
