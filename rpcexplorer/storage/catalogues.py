"""What servers said of their methods: one file per profile in the cache folder, used only for the URL it came from.

A file is two lines: what it is with a checksum, then JSON. Whatever is not exactly what was written is not used;
it can be fetched again. Methods are rows without names, so that ten thousand of them are read in a moment.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from zlib import crc32

from msgspec.structs import replace

from rpcexplorer.model.exchange import ErrorObject, Exchange, Result
from rpcexplorer.model.methods.listing import Discovery, Learned
from rpcexplorer.model.methods.method import Method, Parameter
from rpcexplorer.model.profile import PROFILE_NAME, DocumentSource, Profile
from rpcexplorer.model.schema.described import Described
from rpcexplorer.model.secrets.secret import Secret
from rpcexplorer.model.settings import MIB
from rpcexplorer.protocol.codes import METHOD_NOT_FOUND
from rpcexplorer.storage.files import KEPT, FileTrouble, read_bytes, refuse_links, write_private
from rpcexplorer.storage.opening import told_size

HEAD = "rpcexplorer catalogue 1 {checksum:08x}"

DESCRIPTION = 32 * MIB
"""Bytes of a file that describes a service: the largest that were seen have a few hundred thousand."""

ONLY_HERE = "the catalogue is kept for this run only"

COLUMNS = [list(Method.__struct_fields__), list(Parameter._fields)]
"""What stands where in a row. A file in which it is something else is of another version."""
PARAMETERS = COLUMNS[0].index("parameters")


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


class Catalogues:
    """What was discovered, by profile. A file is read when it is first asked for."""

    def __init__(self, folder: Path, secrets: Callable[[], Iterable[Secret]] = tuple) -> None:
        """``secrets`` are those known at that moment: a name that holds one is not written."""
        self._folder = folder
        self._secrets = secrets
        self._learned: dict[tuple[str, str], Learned | None] = {}
        self._described: dict[tuple[str, str], Mapping[str, Described]] = {}
        self._absent: dict[tuple[str, str], frozenset[str]] = {}
        """Names that the server does not know, by profile and URL."""
        self._habits: set[tuple[str, str]] = set()
        """Profiles and URLs of whose servers it was said how they write all of their replies."""
        self.trouble = ""
        """Why a catalogue that is stored cannot be used; empty when it can."""

    def of(self, profile: Profile) -> Learned | None:
        """What was discovered for a profile where it points to now; None where nothing was."""
        return self._learned[self._looked_up(profile)]

    def described(self, profile: Profile, method: str) -> Described | None:
        """All that the service says of a method; None where it has never said more than its line."""
        return self._described.get((profile.name, profile.endpoint), {}).get(method)

    def absent(self, profile: Profile) -> frozenset[str]:
        """Names to which the server has last said that there is no such method."""
        return self._absent[self._looked_up(profile)]

    def heard(self, exchange: Exchange, profile: Profile, *, keep: bool = True) -> None:
        """Learn from a reply whether the server has the method; ``keep`` it beyond this run, if that can be."""
        if exchange.kind != "call" or not isinstance(exchange.outcome, Result | ErrorObject):
            return
        key, name = self._looked_up(profile), exchange.method
        is_absent = isinstance(exchange.outcome, ErrorObject) and exchange.outcome.code == METHOD_NOT_FOUND
        if is_absent == (name in self._absent[key]):
            return
        if keep:
            self._read_again(profile)
        self._absent[key] = self._absent[key] | {name} if is_absent else self._absent[key] - {name}
        if keep:
            self._write(profile)

    def with_habits(self, exchange: Exchange, profile: Profile) -> Exchange:
        """How a server writes all of its replies, noted on the first one that shows it: no call is at fault there."""
        habits = getattr(exchange.outcome, "habits", ())
        if not habits or not self.is_news(profile):
            return exchange
        note = f"in replies of this server {'; '.join(habits)}: that is understood, nothing to do; it is said once"
        return replace(exchange, notes=(*exchange.notes, note))

    def is_news(self, profile: Profile) -> bool:
        """Whether it was never said before how this server writes its replies; from now on it was."""
        key = self._looked_up(profile)
        if key in self._habits:
            return False
        self._read_again(profile)
        self._habits.add(key)
        self._write(profile)
        return True

    def _looked_up(self, profile: Profile) -> tuple[str, str]:
        """The key under which everything is known that the file says."""
        key = (profile.name, profile.endpoint)
        if key not in self._learned:
            self._learned[key], self._absent[key] = self._read(profile) or (None, frozenset())
        return key

    def _read_again(self, profile: Profile) -> None:
        """What is about to be written goes over what another program may have learned meanwhile."""
        key = self._looked_up(profile)
        if there := self._read(profile):
            self._learned[key], self._absent[key] = there

    def settle(self, profile: Profile, discovery: Discovery) -> Discovery:
        """Keep what was found instead of what was known; the discovery with what differs between the two."""
        if not discovery.found:
            return discovery
        self._read_again(profile)
        before = self.of(profile)
        old = {method.name for method in before.methods} if before else set()
        now = {method.name for method in discovery.methods}
        key = self._looked_up(profile)
        self._learned[key] = Learned(discovery.methods, discovery.when)
        self._described[key] = discovery.described
        self._absent[key] -= now
        self.trouble = ""
        return replace(
            discovery,
            sentences=(*discovery.sentences, *self._write(profile)),
            new=tuple(sorted(now - old)),
            gone=tuple(sorted(old - now)),
        )

    def _path(self, profile: Profile) -> Path | None:
        """Where a profile's catalogue lies; None for one of which nothing is kept."""
        if profile.ad_hoc or not PROFILE_NAME.fullmatch(profile.name):
            return None
        return self._folder / f"{profile.name}.json"

    def _write(self, profile: Profile) -> tuple[str, ...]:
        """Write down what is known; a sentence when only this run will know it."""
        path = self._path(profile)
        if path is None:
            return ()
        key = self._looked_up(profile)
        learned = self._learned[key]
        content = {
            "profile": profile.name,
            "endpoint": profile.endpoint,
            "when": learned.when.isoformat() if learned else None,
            "columns": COLUMNS,
            "methods": [[getattr(method, column) for column in COLUMNS[0]] for method in learned.methods]
            if learned
            else [],
            "habits": key in self._habits,
            "absent": self._without_secrets(self._absent[key]),
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

    def _without_secrets(self, names: Iterable[str]) -> list[str]:
        from rpcexplorer.redaction.redactor import Redactor  # only for what is written anew

        hide = Redactor(self._secrets()).text
        return sorted(name for name in names if hide(name) == name)

    def _read(self, profile: Profile) -> tuple[Learned | None, frozenset[str]] | None:
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
        absent = frozenset(content.get("absent", ()))  # which an earlier version did not write, nor the habits
        if content.get("habits"):
            self._habits.add((profile.name, profile.endpoint))
        if content["when"] is None:
            return None, absent
        methods = tuple([_method(row) for row in content["methods"]])
        return Learned(methods, datetime.fromisoformat(content["when"])), absent


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
