"""The payloads of an event stream: some servers answer with one, notifications before the reply."""

from __future__ import annotations

import re

FIELD = re.compile(rb"(?:data|event|id|retry)(?::|$)|:", re.MULTILINE)
"""How the first line of an event stream starts."""


def event_payloads(text: bytes) -> list[bytes] | None:
    """The data of each event in order; None where the text is not an event stream."""
    text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").lstrip(b"\n")
    if not FIELD.match(text):
        return None
    payloads = []
    for event in text.split(b"\n\n"):
        lines = [line[5:].removeprefix(b" ") for line in event.split(b"\n") if line.startswith(b"data:")]
        if lines:
            payloads.append(b"\n".join(lines))
    return payloads or None
