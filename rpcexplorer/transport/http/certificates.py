"""The certificates that a profile trusts instead of the usual ones. Somebody else may have named their file."""

from __future__ import annotations

import os
import ssl
import stat
from pathlib import Path

MOST = 16 * 1024 * 1024
"""Bytes; the authorities of a whole operating system take a few hundred thousand."""


def context_of(ca_file: Path) -> ssl.SSLContext:
    """A context that trusts what stands in a PEM file, and nothing else.

    OSError or ValueError where that is no file of certificates: a pipe is not waited for, and a device not read.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(ca_file, flags), "rb") as file:  # noqa: PTH123 - a descriptor, not a path
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError
        content = file.read(MOST + 1)
    if len(content) > MOST:
        raise ValueError
    # Comments between them may be of any letters; and without any certificate, ssl would trust the usual ones.
    certificates = content.decode("ascii", "ignore")
    if "-----BEGIN" not in certificates:
        raise ValueError
    return ssl.create_default_context(cadata=certificates)
