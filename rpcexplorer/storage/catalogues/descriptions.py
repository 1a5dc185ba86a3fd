"""Descriptions of services that lie in files: a team commits one, a person has one. Text from outside, and bounded."""

from __future__ import annotations

from pathlib import Path
from stat import S_ISREG
from typing import Final

from rpcexplorer.files.io import FileTrouble, read_bytes, refuse_links
from rpcexplorer.model.profile import DocumentSource
from rpcexplorer.model.settings import MIB

DESCRIPTION: Final = 32 * MIB
"""Bytes of a file that describes a service: the largest that were seen have a few hundred thousand."""


def stamp_of(source: DocumentSource) -> str:
    """Return what a file is known by for as long as nobody changes it; empty if there is nothing to read yet.

    An empty file is about to be written: `methods --export openrpc > FILE` has emptied it before it starts.
    """
    try:
        found = Path(source.file).stat()
    except OSError as error:
        return f"{source.file}: {type(error).__name__}"
    if S_ISREG(found.st_mode) and not found.st_size:
        return ""
    return f"{source.file} {found.st_ino} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"


def read_description(source: DocumentSource) -> bytes:
    """What the file holds in which a service is described; ``FileTrouble`` where it cannot be used.

    It is read as what it is: text from outside. One that a team's file names lies in that file's folder, behind no
    link; this person's own file may name any.
    """
    path = Path(source.file)
    if source.inside:
        refuse_links(path.parent, Path(source.inside))
    content = read_bytes(path, DESCRIPTION, links=not source.inside, others=True)
    if content is None:
        raise FileTrouble(f"cannot read {path}: it does not exist; put it there, or change discovery in the profile")
    return content
