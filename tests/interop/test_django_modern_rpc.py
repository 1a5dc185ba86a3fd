"""django-modern-rpc: the usual path, and Django's own ``sessionid``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import django
import pytest
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest
from django.urls import URLPattern, path

from rpcexplorer.client.client import Client
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.exchange import Exchange, Refused
from rpcexplorer.model.profile import Login
from rpcexplorer.rpc.messages import Result
from tests.interop.serving import added_and_tested, discovered, error, names, result, results, send, wsgi

pytestmark = pytest.mark.thorough
ENDED = Login(ended_codes=(-32098,), ended_words=())
"""Its answer with HTTP 200 to a call without a session."""
urlpatterns: list[URLPattern] = []
"""Django reads them from the module that ROOT_URLCONF names."""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    settings.configure(
        SECRET_KEY="of no use to anybody",
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF=__name__,
        INSTALLED_APPS=["modernrpc"],
        MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware"],
        SESSION_ENGINE="django.contrib.sessions.backends.signed_cookies",
    )
    django.setup()
    urlpatterns.append(path("api/v2/", procedures()))
    with wsgi(get_wsgi_application()) as address:
        yield address


def procedures() -> Callable[..., Any]:
    """Return the view of a server with a login.

    Its import needs Django's settings.
    """
    from modernrpc import RpcRequestContext
    from modernrpc.server import RpcServer

    server = RpcServer()

    def logged_in(request: HttpRequest) -> str | None:
        name: str | None = request.session.get("name")
        return name

    @server.register_procedure
    def ping() -> str:
        """Answers if the service is up."""
        return "pong"

    @server.register_procedure(context_target="context")
    def auth(username: str, password: str, context: RpcRequestContext) -> bool:
        if (username, password) != ("ada", "opensesame"):
            raise ValueError("wrong user name or password")
        context.request.session["name"] = username
        return True

    @server.register_procedure(auth=logged_in, context_target="context")
    def whoami(context: RpcRequestContext) -> str:
        return logged_in(context.request) or ""

    view: Callable[..., Any] = server.view
    return view


def test_session_is_opened_once_and_reused(url: str) -> None:
    async def run() -> list[Exchange]:
        async with Client(url, auth="cookie", username="ada", password="opensesame", login=ENDED) as client:
            return [await client.send(Draft("whoami")) for _ in range(2)]

    first, second = asyncio.run(run())
    assert result(first) == result(second) == "ada"
    assert any("logged in" in note for note in first.notes)
    assert second.notes == ()


def test_session_with_configured_ended_code_is_renewed(url: str) -> None:
    account = {"username": "ada", "password": "opensesame"}
    assert result(send(url, Draft("whoami"), auth="cookie", session="gone", login=ENDED, **account)) == "ada"


def test_wrong_password_shows_the_message_of_the_server(url: str) -> None:
    exchange = send(url, Draft("whoami"), auth="cookie", username="ada", password="opensesam", login=ENDED)
    assert isinstance(exchange.outcome, Refused)
    assert exchange.exit_code == 3
    assert "wrong user name or password" in exchange.outcome.sentence


def test_call_without_credentials_is_rejected(url: str) -> None:
    assert error(send(url, Draft("whoami"))).code == -32098


def test_methods_are_discovered_with_their_texts(url: str) -> None:
    found = discovered(url)
    assert {"ping", "auth", "whoami", "system.listMethods"} <= names(found)
    assert {method.doc for method in found.methods if method.name == "ping"} == {"Answers if the service is up."}
    assert found.described["ping"].result == {"type": "string"}
    assert [param.schema for param in found.described["system.methodHelp"].params] == [{"type": "string"}]


def test_batch_and_notification_are_answered(url: str) -> None:
    assert results(send(url, Batch('[{"method": "ping"}, {"method": "missing"}]'))) == ["pong", -32601]
    nothing = send(url, Draft("ping", notification=True))
    assert nothing.exit_code == 0
    assert not isinstance(nothing.outcome, Result)


def test_bare_address_is_added_tested_and_called(url: str, tmp_path: Path) -> None:
    ran = added_and_tested(tmp_path, url, "whoami", username="ada", password="opensesame")
    assert (ran.code, ran.out) == (0, b'"ada"\n'), ran.err
