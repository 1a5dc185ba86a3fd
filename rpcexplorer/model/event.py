"""An event: what a server sends unasked, on an open connection or in an event stream."""

from __future__ import annotations

from datetime import datetime
from typing import Final, Literal

from msgspec import Struct

from rpcexplorer.model.secret import MARGIN
from rpcexplorer.rpc.codec import encode_answer
from rpcexplorer.rpc.messages import EnvelopeForm

EventKind = Literal["notification", "request", "response", "part", "unreadable"]
"""``response``: one that no call waits for. ``part``: one of several responses to a call, which is recorded with the
call. ``unreadable``: data that is not a message."""
MAX_EVENT: Final = 1024 * 1024
"""Bytes of a message to show and to record."""


class Event(Struct, eq=False, gc=False):
    """A message of the server, and what became of it later: an answer, or a remark that there is none."""

    when: datetime
    kind: EventKind
    text: bytes
    """The message as it came, without its framing."""
    method: str = ""
    id: bytes | None = None
    """The id as the server wrote it, to answer a request."""
    remark: str = ""
    """Why a response has no call, why data is not a message, or why a request got no answer."""
    answer: bytes | None = None
    """The member that answered the request, such as `"result":null`."""
    shown_answer: bytes | None = None
    """The answer without secrets that the user has typed; shown and recorded instead."""
    of: str = ""
    """The id of the call whose subscription or event stream it belongs to."""
    is_sending: bool = False
    """An answer is on its way; over HTTP the server can refuse it."""
    size: int = 0
    """Bytes of the whole message."""
    envelope: EnvelopeForm = "2.0"
    """The JSON-RPC version of its answer."""

    def __post_init__(self) -> None:
        self.size = self.size or len(self.text)

    def cut(self) -> None:
        """Drop the end of a long message, once it was printed, recorded or waits for its answer."""
        if self.size > MAX_EVENT + MARGIN:
            self.text, self.method = self.text[: MAX_EVENT + MARGIN], self.method[:MARGIN]

    def answer_with(self, member: bytes) -> bytes:
        """Return the message that answers a request; ``member`` is its result or error."""
        assert self.id is not None
        return encode_answer(self.id, member, self.envelope)

    @property
    def waits(self) -> bool:
        """Return whether it is a request that the user can still answer."""
        return self.kind == "request" and self.answer is None and not self.remark and not self.is_sending

    @property
    def is_settled(self) -> bool:
        """Return whether it does not change any more."""
        return not self.waits and not self.is_sending
