"""The steps of a login of OAuth that are no messages: requests to other servers, and the user's browser."""

from __future__ import annotations

import asyncio
import time
from base64 import b64encode
from contextlib import ExitStack, suppress
from typing import Final
from urllib.parse import quote_plus, urlencode

from rpcexplorer.auth.credentials import (
    Agreement,
    AuthCall,
    AuthResponse,
    CredentialSource,
    Fetch,
    Listen,
    LoginStep,
    Visit,
    as_bytes,
)
from rpcexplorer.client.call import connect_elsewhere
from rpcexplorer.model.exchange import Refused, Sent, Unreached
from rpcexplorer.model.problem import log_in_command
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret, unrecorded
from rpcexplorer.transport.port import LOOPBACK_ADDRESSES, Headers, Request, Response, Transport, Unreachable

MAX_DOCUMENT_BYTES: Final = 256 * 1024
"""Metadata and tokens have a few kilobytes."""
LOCK_SECONDS: Final = 0.05
"""Between two looks at the lock of a renewal."""
HEAD_SECONDS: Final = 5.0
"""A browser sends the whole head of its request at once."""
CALLBACK: Final = "/callback"


def fetch_request(step: Fetch, stored: Secret | None) -> tuple[Request, tuple[Secret, ...]]:
    """Return the request of a step, and other values to redact.

    ``stored`` is the client secret of the profile, if the step needs it. The request is passed to the socket next and
    nowhere else.
    """
    if step.json:
        return Request(step.url, step.json, "application/json", "application/json"), ()
    if not step.form:
        return Request(step.url, b"", accept="application/json", verb="GET"), ()
    form = [(name, value.reveal() if isinstance(value, Secret) else value) for name, value in step.form]
    secret, headers, derived = step.secret or stored, Headers(), tuple[Secret, ...]()
    if secret is not None and step.client:
        pair = f"{quote_plus(step.client)}:{quote_plus(as_bytes(secret.reveal()))}"
        value = b64encode(pair.encode()).decode()
        headers = (("Authorization", f"Basic {value}"),)
        derived = (unrecorded(value),)
    elif secret is not None:
        form.append(("client_secret", secret.reveal()))
    body = urlencode([(name, as_bytes(value)) for name, value in form]).encode()
    return Request(step.url, body, "application/x-www-form-urlencoded", "application/json", headers), derived


class Authorization:
    """What the login of one call opens: a transport, a lock, a port for the redirect."""

    def __init__(self, profile: Profile, credentials: CredentialSource, hidden: list[Secret]) -> None:
        """``hidden`` gets the values that only this login knows."""
        self._profile, self._credentials, self._hidden = profile, credentials, hidden
        self._transport: Transport | None = None
        self._renewal = ExitStack()
        """Holds the lock of a renewal."""
        self._issuer = ""
        self._listener: asyncio.Server | None = None
        self._redirect: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._showing: asyncio.Task[str | None] | None = None
        """Shows the code for another device until the login ends."""

    async def close(self) -> None:
        self.release()
        self._redirect.cancel()
        if self._listener is not None:
            self._listener.close()
        if self._showing is not None:
            self._showing.cancel()
            await asyncio.wait([self._showing])
        if self._transport is not None:
            await self._transport.close()

    def release(self) -> None:
        """Let others renew the session: it is stored by now if it was renewed."""
        self._renewal.close()

    async def take(
        self, step: LoginStep, call: AuthCall, stored: Secret | None, seconds: float
    ) -> AuthResponse | Refused:
        """Take one step; a request may take that many seconds."""
        match step:
            case Fetch():
                return await self._fetch(step, call, stored, seconds)
            case Agreement():
                return await self._credentials.agree(self._profile, step) or AuthResponse(Sent())
            case Listen():
                self._issuer = step.issuer
                if not self._credentials.has_user:
                    return self._not_logged_in
                if not step.redirects:
                    return AuthResponse(Sent())
                self._listener = await asyncio.start_server(self._respond, LOOPBACK_ADDRESSES[1], 0)
                port = self._listener.sockets[0].getsockname()[1]
                call.redirect = f"http://{LOOPBACK_ADDRESSES[1]}:{port}{CALLBACK}"
                return AuthResponse(Sent())
            case Visit():
                return await self._visit(step)

    async def _respond(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take the redirect of a browser. Requests for an icon, and those of pages, do not end the login."""
        host, port = writer.get_extra_info("sockname")
        with suppress(OSError, ValueError, TimeoutError, EOFError, asyncio.LimitOverrunError):
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), HEAD_SECONDS)
            first, *lines = head.decode("latin-1").split("\r\n")
            verb, target, _ = first.split(" ")
            headers = dict(line.lower().split(": ", 1) for line in lines if ": " in line)
            is_own = headers.get("host") == f"{host}:{port}" and "origin" not in headers
            is_visit = is_own and headers.get("sec-fetch-mode", "navigate") == "navigate"
            is_redirect = is_visit and verb == "GET" and target.partition("?")[0] == CALLBACK
            # The page quotes nothing of the request, which any site may have caused.
            status, words = "404 Not Found", "Nothing is here."
            if is_redirect:
                status, words = "200 OK", "Close this page, and return to rpcexplorer."
            answer = f"Content-Type: text/plain\r\nContent-Length: {len(words)}\r\nConnection: close"
            writer.write(f"HTTP/1.1 {status}\r\n{answer}\r\n\r\n{words}".encode())
            await writer.drain()
            if is_redirect and not self._redirect.done():
                self._redirect.set_result(f"http://{host}:{port}{target}")
        writer.close()

    async def _visit(self, step: Visit) -> AuthResponse | Refused:
        """Show the user where to log in; with a code, go on at once, and show it until the end."""
        showing = self._credentials.visit(self._profile, step, self._redirect)
        if step.code:
            self._showing = asyncio.create_task(showing)
            return AuthResponse(Sent())
        redirect = await showing
        if redirect is None:
            return self._not_logged_in
        return AuthResponse(Sent(), Response(headers=(("Location", redirect),)))

    @property
    def _not_logged_in(self) -> Refused:
        return Refused("credentials", f"Not logged in at {self._issuer}. {log_in_command(self._profile)}")

    async def _fetch(
        self, step: Fetch, call: AuthCall, stored: Secret | None, seconds: float
    ) -> AuthResponse | Refused:
        if self._transport is None:
            if refused := await self._credentials.agree(self._profile, None):
                return refused
            self._transport = await connect_elsewhere(self._profile, MAX_DOCUMENT_BYTES)
        if self._showing is not None:  # The user may cancel meanwhile.
            await asyncio.wait([self._showing], timeout=step.pause_seconds)
            if self._showing.done():
                return self._not_logged_in
        until = time.monotonic() + seconds
        if step.renews and call.session is not None:
            while (held := self._credentials.lock_renewal(self._profile)) is None:
                if time.monotonic() > until:
                    return Refused("credentials", "Another process is renewing the token. Try again.")
                await asyncio.sleep(LOCK_SECONDS)
            self._renewal = held
            if newer := self._credentials.newer_session(self._profile, call.session):
                call.session = newer
                return AuthResponse(Sent())
        request, derived = fetch_request(step, stored)
        self._hidden += derived
        try:
            response = await self._transport.send(request, deadline=until - time.monotonic())
        except Unreachable as error:
            return AuthResponse(Unreached(error.step, error.sentence, reason=error.reason), error.response)
        return AuthResponse(Sent(), response)
