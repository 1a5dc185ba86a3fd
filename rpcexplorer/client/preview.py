"""The request to come, exactly, with placeholders where secrets will stand. Nothing is sent and nothing asked."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from rpcexplorer.auth.cookie import flow
from rpcexplorer.auth.credentials import Fields
from rpcexplorer.auth.flow import Ended, Errand, Need, Trip, advance
from rpcexplorer.client.connection import head_of
from rpcexplorer.client.requests import body_of, formed
from rpcexplorer.jsontext.typed.params import Problem
from rpcexplorer.model.draft import NAMELESS, Batch, Draft, kind_of, to_calls
from rpcexplorer.model.exchange import Preview, Refused
from rpcexplorer.model.profile import CookieAuth, Profile
from rpcexplorer.model.secrets.secret import Secret
from rpcexplorer.redaction.drafts import redacted_draft, redactor_of
from rpcexplorer.transport.port import Unreachable


def preview(
    profile: Profile, draft: Draft | Batch, id: str, *, has_session: bool, secrets: Iterable[Secret] = ()
) -> Preview | Refused:
    """The request that sending the draft would make, or why none would be made.

    Of ``secrets`` that were typed into the draft or stand in a file no value is left in it.
    """
    redactor = redactor_of(profile, secrets)
    hide = redactor.text
    draft = redacted_draft(draft, profile, redactor)
    calls = to_calls(draft, id)
    if isinstance(calls, Problem):
        return Refused("params", f"The params cannot be sent: {calls}")
    if isinstance(draft, Draft) and draft.is_nameless:
        return Refused("params", NAMELESS)
    trip = _trip(profile, Errand(kind_of(draft), calls, only_shown=True))
    if isinstance(trip, Refused):
        return trip
    doubt = Fields(profile).doubt(trip.errand)
    # a stand-in that every check lets through, exchanged for the placeholder once the headers are made
    stand_in = f"{profile.auth.cookie}=x" if isinstance(profile.auth, CookieAuth) and has_session else None
    request = formed(profile, body_of(profile, trip.errand), stand_in)
    try:
        line, headers = head_of(request)
    except Unreachable as error:
        return Refused("profile", error.sentence)
    session = Secret("", profile.label("session")).placeholder if stand_in else ""
    return Preview(
        hide(line),
        tuple(
            (name, f"{value[:-1]}{session}" if session and name == "Cookie" else hide(value)) for name, value in headers
        ),
        request.body,
        logs_in_first=isinstance(profile.auth, CookieAuth) and not has_session,
        doubt=doubt.sentence if doubt else "",
    )


def _trip(profile: Profile, errand: Errand) -> Trip | Refused:
    """Drive the flow by hand, with empty secrets, up to the trip that the person means."""
    way = flow(profile, errand, Secret("", profile.label("session")), datetime.now(UTC))
    step = advance(way, None)
    while isinstance(step, Need):
        step = advance(way, Secret("", profile.label(step.field)))
    if isinstance(step, Ended) and isinstance(step.end, Refused):
        return step.end
    assert isinstance(step, Trip)  # with a session at hand, a trip is all that is left to want
    return step
