"""Drive auth flows by hand, and list what they ask for, send and report."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from rpcexplorer.auth.basic import InlineAuth
from rpcexplorer.auth.credentials import AuthCall, AuthRequest, AuthResponse, Event, Message
from rpcexplorer.auth.registry import auth_of, requests_for
from rpcexplorer.auth.token import CookieAuth
from rpcexplorer.model.exchange import Outcome, Refused
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


def received(outcome: Outcome, *cookies: str, status: int = 200) -> AuthResponse:
    return AuthResponse(outcome, Response(status, headers=tuple(("Set-Cookie", cookie) for cookie in cookies)))


class Asked(Struct, frozen=True):
    """The flow looked up a secret."""

    field: str


class Sent(AuthRequest, frozen=True):
    """A request, and the values of its secret references."""

    secrets: tuple[Secret, ...] = ()


class Ended(Struct, frozen=True):
    """The flow has ended."""

    end: AuthResponse | Refused


Step = Asked | Sent | Event | Ended


def drive(profile: Profile, what: Message, session: Secret | None, answers: Iterable[Any]) -> list[Step]:
    """Run a flow with these answers, and return its steps."""
    auth, known, steps, replies = auth_of(profile), dict[str, Secret](), list[Step](), iter(answers)
    call = AuthCall(profile, what, session, NOW, lambda: True)
    flow = requests_for(call)

    def answer(request: AuthRequest) -> AuthResponse | Refused:
        for field in request.fields:
            if field == "session" and call.session is not None:
                known[field] = call.session
            elif field not in known:
                steps.append(Asked(field))
                if isinstance(found := next(replies), Refused):
                    return found
                known[field] = found
        secrets = tuple(known[field] for field in request.fields)
        if request.headers and (refused := auth.header_problem(profile, secrets)):
            return refused
        steps.append(Sent(**asdict(request), secrets=secrets))
        reply: AuthResponse = next(replies)
        return reply

    try:
        request = next(flow)
        while True:
            steps += call.events
            call.events.clear()
            request = flow.send(answer(request))
    except StopIteration as end:
        steps += [*call.events, Ended(end.value)]
    assert next(replies, None) is None, "not every answer was asked for"
    return steps


def kinds(steps: list[Step]) -> list[str]:
    return [type(step).__name__ for step in steps]


def requests(steps: list[Step]) -> list[Sent]:
    return [step for step in steps if isinstance(step, Sent)]


def end(steps: list[Step]) -> Outcome:
    assert isinstance(steps[-1], Ended)
    return steps[-1].end.outcome if isinstance(steps[-1].end, AuthResponse) else steps[-1].end
