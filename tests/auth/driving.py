"""Flows driven by hand: what each wants, and what it is told."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from rpcexplorer.auth.basic import InlineAuth
from rpcexplorer.auth.credentials import Ended, Message, Need, Received, Send, Want, advance
from rpcexplorer.auth.registry import auth_of
from rpcexplorer.auth.token import CookieAuth
from rpcexplorer.model.exchange import Outcome
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.rpc.messages import Call, ErrorObject, Result
from rpcexplorer.transport.port import Response

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
COOKIE = Profile("shop", "https://rpc.example.com", auth=CookieAuth(username="ada"))
INLINE = Profile("shop", "https://rpc.example.com", auth=InlineAuth(username="ada"))
PASSWORD = Secret("hunter2hunter2", "shop.password")
SESSION = Secret("s3ss10n", "shop.session", "session")
PONG = Result(b'"pong"')
DENIED = ErrorObject(-32001, "authentication required", None, b"{}")


def message(params: str = "[]", method: str = "ping", id: str | None = "1") -> Message:
    return Message("call", (Call(method, params, id),))


def received(outcome: Outcome, *cookies: str, status: int = 200) -> Received:
    return Received(outcome, Response(status, headers=tuple(("Set-Cookie", cookie) for cookie in cookies)))


def drive(profile: Profile, what: Message, session: Secret | None, answers: Iterable[Any]) -> list[Want | Ended]:
    """Everything the flow wanted, when Need and Send are answered in turn with ``answers``."""
    way, replies = auth_of(profile).flow(profile, what, session, NOW), iter(answers)
    wanted = [advance(way, None)]
    while not isinstance(wanted[-1], Ended):
        answer = next(replies) if isinstance(wanted[-1], Need | Send) else None
        wanted.append(advance(way, answer))
    assert next(replies, None) is None, "not every answer was asked for"
    return wanted


def kinds(steps: list[Want | Ended]) -> list[str]:
    return [type(step).__name__ for step in steps]


def requests(steps: list[Want | Ended]) -> list[Send]:
    return [step for step in steps if isinstance(step, Send)]


def end(steps: list[Want | Ended]) -> Outcome:
    assert isinstance(steps[-1], Ended)
    return steps[-1].end.outcome if isinstance(steps[-1].end, Received) else steps[-1].end
