"""The request to come, exactly, with placeholders where secrets will stand. Nothing is sent and nothing asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from rpcexplorer.auth.credentials import AuthHeader, Ended, Fields, Message, Need, Send, advance
from rpcexplorer.auth.registry import auth_of
from rpcexplorer.client.connection import head_of
from rpcexplorer.client.handshakes import handshake_of
from rpcexplorer.client.requests import body_of, formed
from rpcexplorer.model.draft import Batch, Draft, calls_of, kind_of
from rpcexplorer.model.exchange import Preview, Refused
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import HIDDEN, PLACEHOLDER, UNRECORDED, Secret
from rpcexplorer.redaction.exchange import redacted_draft, redactor_of
from rpcexplorer.transport.port import Unreachable


def preview(
    profile: Profile,
    draft: Draft | Batch,
    id: str,
    *,
    has_session: bool,
    logs_in: bool = True,
    bare: bool = False,
    secrets: Iterable[Secret] = (),
) -> Preview | Refused:
    """The request that sending the draft would make, or why none would be made; ``bare``: as a login is sent.

    ``logs_in``: without a session, a login goes first.
    Of ``secrets`` that were typed into the draft or stand in a file no value is left in it.
    """
    redactor = redactor_of(profile, secrets)
    hide = redactor.text
    draft = redacted_draft(draft, profile, redactor)
    calls = calls_of(draft, id, profile.envelope)
    if isinstance(calls, Refused):
        return calls
    typed = Message(kind_of(draft), calls, only_shown=True)
    send = _wanted(profile, typed, bare=bare)
    if isinstance(send, Refused):
        return send
    doubt = Fields(profile).doubt(typed)  # what the kind of auth has put in beside it is in order
    to_come = profile.has_sessions and not has_session
    headers = () if to_come and auth_of(profile).session_cookie else send.headers
    stand_ins = _StandIns(send.address or profile.endpoint, send.address, headers)
    request = formed(profile, body_of(profile, send.message), tuple(stand_ins.headers.items()), stand_ins.address)
    try:
        line, sent = head_of(request)
    except Unreachable as error:
        return Refused("profile", error.sentence)
    return Preview(
        stand_ins.shown_line(hide(line)),
        tuple(
            (name, stand_ins.shown_header(name, value) if name in stand_ins.headers else hide(value))
            for name, value in sent
        ),
        request.body,
        logs_in_first=to_come and logs_in,
        doubt=doubt.sentence if doubt else "",
    )


class _StandIns:
    """For what no address and no header can hold: every check lets these through, and afterwards it is shown again."""

    def __init__(self, address: str, marked: str, headers: Sequence[AuthHeader]) -> None:
        self._shown = {each.name: each.shown for each in headers}
        self.headers = {
            each.name: each.scheme + ("x" if each.encoded else HIDDEN.sub("x", each.text)) for each in headers
        }
        marks = [UNRECORDED, *dict.fromkeys(found[0] for found in PLACEHOLDER.finditer(marked))]
        self._parts = dict(zip(marks, _absent_from(address, len(marks)), strict=True))
        for mark, part in self._parts.items():
            address = address.replace(mark, part)
        self.address = address

    def shown_line(self, line: str) -> str:
        for mark, part in self._parts.items():
            line = line.replace(part, mark)
        return line

    def shown_header(self, name: str, value: str) -> str:
        return value.removesuffix(self.headers[name]) + self._shown[name]


def _absent_from(address: str, count: int) -> list[str]:
    """Parts of a path that are not in an address yet."""
    part = "not-recorded"
    while part in address:
        part += "-"
    return [f"{part}.{at}." for at in range(count)]


def _wanted(profile: Profile, message: Message, *, bare: bool) -> Send | Refused:
    """Drive the flow by hand, with empty secrets, up to the request that the person means."""
    kind = auth_of(profile)
    way = kind.flow(profile, message, Secret("", profile.label("session")), datetime.now(UTC))
    if bare:
        way = kind.sent(profile, message, bare=True)
    step = advance(way, None)
    while isinstance(step, Need):
        step = advance(way, Secret("", profile.label(step.field)))
    if isinstance(step, Ended) and isinstance(step.end, Refused):
        return step.end
    assert isinstance(step, Send)  # with a session at hand, a request is all that is left to want
    handshake = handshake_of(profile)
    return step if handshake is None else handshake.shown(step)
