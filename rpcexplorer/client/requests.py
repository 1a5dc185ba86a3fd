"""A trip: a request to the server and what landed, with transport's values turned into the model's.

The secrets are opened here, on the bytes that transport gets next, and nowhere earlier.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from msgspec.structs import replace

from rpcexplorer.auth.credentials import opened, opened_header
from rpcexplorer.auth.flow import Errand, Landed, Trip
from rpcexplorer.client.pacing import in_turns
from rpcexplorer.client.statuses import REDIRECTS, named
from rpcexplorer.jsontext.members import LARGE
from rpcexplorer.model.exchange import Cancelled, Outcome, Response, Sent, Unreached
from rpcexplorer.model.profile import Profile
from rpcexplorer.protocol.batches import decode_batch
from rpcexplorer.protocol.codec import decode, decode_large, encode, encode_batch
from rpcexplorer.protocol.messages import Malformed
from rpcexplorer.transport.port import Headers, Partial, Request, Transport, Unreachable, Watch


def body_of(profile: Profile, errand: Errand) -> bytes:
    """The errand's body with placeholders where secrets will stand."""
    if errand.kind == "batch":
        return encode_batch(errand.calls, profile.empty_params)
    return encode(errand.calls[0], profile.empty_params)


def request_of(profile: Profile, trip: Trip) -> Request:
    """The request of a trip, secrets opened. It goes to the socket next and nowhere else."""
    secrets = trip.secrets if trip.session is None else (*trip.secrets, trip.session)
    headers = tuple(opened_header(each, secrets) for each in trip.headers)
    return formed(profile, opened(body_of(profile, trip.errand), trip.secrets), headers)


def formed(profile: Profile, body: bytes, headers: Headers) -> Request:
    """A request in the form that the profile wants, with the ``headers`` that its kind of auth puts in."""
    others = {name.lower(): (name, value) for name, value in headers}
    _, cookie = others.pop("cookie", ("", None))
    own = (each for each in profile.headers if each[0].lower() not in others)
    return Request(
        url=profile.endpoint,
        body=body,
        content_type=profile.content_type,
        accept=profile.accept,
        headers=(*own, *others.values()),
        cookie=cookie,
    )


class Traveller:
    """Makes the trips of one errand, within one deadline for all of them.

    The time between trips, while a person types a password, does not count.
    """

    def __init__(
        self, profile: Profile, transport: Callable[[], Awaitable[Transport]], timeout: float, watch: Watch | None
    ) -> None:
        self._profile = profile
        self._transport = transport
        self._left = timeout
        self._watch = watch
        self.seconds = 0.0
        """How long all trips took."""
        self._partial = Partial()
        self._sent = 0

    async def travel(self, trip: Trip) -> Landed:
        """There and back. Whatever happens on the way is what landed."""
        self._partial = Partial()
        request = request_of(self._profile, trip)
        self._sent = len(request.body)
        transport = await self._transport()  # the first time, it is loaded: that is no part of the trip
        started = time.perf_counter()
        try:
            response = await transport.send(request, deadline=self._left, watch=self._watch, partial=self._partial)
        except Unreachable as error:
            return Landed(Unreached(error.step, error.sentence, error.maybe_ran), error.response, self._sent)
        finally:
            took = time.perf_counter() - started
            self._left -= took
            self.seconds += took
        outcome = _named(await _read(trip.errand, response), response, self._profile)
        return Landed(outcome, response, self._sent)

    def cancelled(self) -> Landed:
        """What had landed of the trip that was under way."""
        return Landed(Cancelled(self._partial.sent_whole), self._partial.response, self._sent)


async def _read(errand: Errand, response: Response) -> Outcome:
    """What the response means for the errand that was sent; a large one is read while a screen goes on."""
    if len(response.body) <= LARGE:
        return _meaning(errand, response)
    if errand.kind == "call" and (reply := await in_turns(decode_large(response.body, errand.calls[0].id))):
        return reply
    return await asyncio.to_thread(_meaning, errand, response)


def _meaning(errand: Errand, response: Response) -> Outcome:
    if errand.kind == "notification" or all(call.id is None for call in errand.calls):
        return _read_notification(response)
    if errand.kind == "batch":
        outcome = decode_batch(response.body, errand.calls)
    else:
        outcome = decode(response.body, errand.calls[0].id)
    return outcome


def _read_notification(response: Response) -> Outcome:
    """Nothing is expected: a good status or silence is enough, but an error that came all the same is shown."""
    accepted = response.status is None or response.status < 300
    if response.body.strip():
        reply = decode(response.body, None)
        if not isinstance(reply, Malformed) or not accepted:
            return replace(reply, remarks=(*reply.remarks, "the server answered a notification"))
        return Sent(("the server answered a notification with something that is no reply",))
    return Sent() if accepted else Malformed("The server did not accept the notification.")


def _named(outcome: Outcome, response: Response, profile: Profile) -> Outcome:
    """What came instead of a reply, by its status where that says more than the bytes."""
    if not isinstance(outcome, Malformed) or not (said := named(response, profile)):
        return outcome
    more = f" {outcome.reason}" if response.body.strip() and response.status not in REDIRECTS else ""
    return replace(outcome, reason=f"{said}{more}")
