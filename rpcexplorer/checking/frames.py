"""Messages between the program and the process that checks: bytes, with their length before them."""

from __future__ import annotations

import struct
from typing import BinaryIO, Final

LENGTH: Final = struct.Struct(">I")
LONGEST: Final = 64 * 1024 * 1024
"""More says neither of the two."""


def write(stream: BinaryIO, *messages: bytes) -> None:
    for message in messages:
        stream.write(LENGTH.pack(len(message)))
        stream.write(message)
    stream.flush()


def read(stream: BinaryIO) -> bytes | None:
    """The next message; None where the other side has gone."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    if length > LONGEST:
        return None
    message = stream.read(length)
    return message if len(message) == length else None
