"""Discovered catalogues: one file per profile in the cache folder, used only for the URL it was learned from.

A file is two lines: what it is with a checksum, then JSON. Whatever is not exactly what was written is not used;
it can be fetched again. Methods are rows without names, so that ten thousand of them are read in a moment.
"""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any
from zlib import crc32

from msgspec.structs import replace

from rpcexplorer.model.catalogue import Discovery, Learned, Method, Parameter
from rpcexplorer.model.profile import PROFILE_NAME, Profile
from rpcexplorer.storage.files import KEPT, FileTrouble, read_bytes, write_private
from rpcexplorer.storage.opening import told_size

HEAD = "rpcexplorer catalogue 1 {checksum:08x}"

ONLY_HERE = "the catalogue is kept for this run only"

COLUMNS = [list(Method.__struct_fields__), list(Parameter._fields)]
"""What stands where in a row. A file in which it is something else is of another version."""
PARAMETERS = COLUMNS[0].index("parameters")


class Catalogues:
    """What was discovered, by profile. A file is read when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._learned: dict[tuple[str, str], Learned | None] = {}
        self.trouble = ""
        """Why a catalogue that is stored cannot be used; empty when it can."""

    def of(self, profile: Profile) -> Learned | None:
        """What was discovered for a profile where it points to now; None where nothing was."""
        key = (profile.name, profile.endpoint)
        if key not in self._learned:
            self._learned[key] = self._read(profile)
        return self._learned[key]

    def settle(self, profile: Profile, discovery: Discovery) -> Discovery:
        """Keep what was found instead of what was known; the discovery with what differs between the two."""
        if not discovery.found:
            return discovery
        before = self.of(profile)
        old = {method.name for method in before.methods} if before else set()
        now = {method.name for method in discovery.methods}
        learned = Learned(discovery.methods, discovery.when)
        self._learned[profile.name, profile.endpoint] = learned
        self.trouble = ""
        return replace(
            discovery,
            sentences=(*discovery.sentences, *self._write(profile, learned)),
            new=tuple(sorted(now - old)),
            gone=tuple(sorted(old - now)),
        )

    def _path(self, profile: Profile) -> Path | None:
        """Where a profile's catalogue lies; None for one of which nothing is kept."""
        if profile.ad_hoc or not PROFILE_NAME.fullmatch(profile.name):
            return None
        return self._folder / f"{profile.name}.json"

    def _write(self, profile: Profile, learned: Learned) -> tuple[str, ...]:
        """Write it down; a sentence when only this run will know it."""
        path = self._path(profile)
        if path is None:
            return ()
        content = {
            "profile": profile.name,
            "endpoint": profile.endpoint,
            "when": learned.when.isoformat(),
            "columns": COLUMNS,
            "methods": [[getattr(method, column) for column in COLUMNS[0]] for method in learned.methods],
        }
        try:
            body = json.dumps(content, separators=(",", ":")).encode()
            if len(body) > KEPT // 2:
                return (f"{ONLY_HERE}: it has {told_size(len(body))}",)
            write_private(path, _head(body) + b"\n" + body + b"\n")
        except FileTrouble as trouble:
            return (f"{ONLY_HERE}: {trouble.sentence}",)
        except RecursionError:  # the server's document was read where the stack was less full
            return (f"{ONLY_HERE}: one of its examples has too many levels",)
        return ()

    def _read(self, profile: Profile) -> Learned | None:
        self.trouble = ""
        path = self._path(profile)
        if path is None:
            return None
        try:
            text = read_bytes(path)
        except FileTrouble as trouble:
            self.trouble = trouble.sentence
            return None
        if text is None:
            return None
        head, _, body = text.partition(b"\n")
        content = _content(body) if head == _head(body.rstrip(b"\n")) else {}
        if content.get("columns") != COLUMNS:
            self.trouble = f"{path} is damaged or of another version, and is not used: discover the methods again"
            return None
        if (content["profile"], content["endpoint"]) != (profile.name, profile.endpoint):
            return None
        methods = tuple([_method(row) for row in content["methods"]])
        return Learned(methods, datetime.fromisoformat(content["when"]))


def _head(body: bytes) -> bytes:
    return HEAD.format(checksum=crc32(body)).encode()


def _content(body: bytes) -> dict[str, Any]:
    """What the checksum vouches for was written here, so that it needs no further doubt but this."""
    try:
        found: dict[str, Any] = json.loads(body)
    except RecursionError:  # an example has nearly as many levels as Python can read
        return {}
    return found


def _method(row: list[Any]) -> Method:
    row[PARAMETERS] = tuple([Parameter(*parameter) for parameter in row[PARAMETERS]])
    return Method(*row)
