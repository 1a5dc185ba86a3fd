"""The two files of a catalogue, in the cache folder: the lines that a start reads, and beside them the methods in full.

The lines name the other file. It is written first, so that whoever is ended in between leaves what was there before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Final
from zlib import crc32

from rpcexplorer.files.io import ABANDONED, KEPT, FileTrouble, read_bytes, told, told_size, write_private
from rpcexplorer.model.methods.listing import Discovery
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import PROFILE_NAME, Secret
from rpcexplorer.storage.catalogues.rows import KeptCatalogue, decoded_rows, encoded

if TYPE_CHECKING:
    from rpcexplorer.storage.catalogues.pieces import PiecesWriter

ONLY_HERE: Final = "the catalogue is kept for this run only"
NOT_IN_FULL: Final = "schemas and examples are kept for this run only"
NAMED: Final = re.compile("[0-9a-f]{9,24}")
"""What tells one file of methods in full from another: its checksum and its size."""


class CatalogueFiles:
    """The files of all profiles."""

    def __init__(self, folder: Path, secrets: Callable[[], Iterable[Secret]]) -> None:
        """``secrets`` are those known at that moment: what holds one is not written."""
        self._folder = folder
        self._secrets = secrets

    def read(self, profile: Profile) -> KeptCatalogue | None:
        """The lines; None where there are none, ``FileTrouble`` where they cannot be used."""
        path = self._path(profile)
        text = read_bytes(path) if path else None
        try:
            return None if text is None else decoded_rows(text, profile)
        except ValueError:
            raise FileTrouble(
                f"{path} is damaged or of another version, and is not used: discover the methods again"
            ) from None

    def beside(self, profile: Profile, name: str) -> Path | None:
        """Where the methods in full lie; None where they do not."""
        path = self._path(profile)
        return path.with_name(f"{profile.name}.{name}.full") if path and NAMED.fullmatch(name) else None

    def writer(
        self, profile: Profile, found: Discovery, hide: Callable[[str], str]
    ) -> tuple[PiecesWriter | None, tuple[str, ...]]:
        """What is to be written of methods in full; and sentences about what cannot be."""
        from rpcexplorer.storage.catalogues.pieces import PiecesTooLarge, PiecesWriter

        if self._path(profile) is None:
            return None, ()
        try:
            writer = PiecesWriter(found, hide)
        except PiecesTooLarge:
            return None, (f"{NOT_IN_FULL}: they have more than {told_size(KEPT // 2)}",)
        return writer, (f"{NOT_IN_FULL} where they have too many levels",) if writer.left_out else ()

    def write_both(self, profile: Profile, kept: KeptCatalogue, full: bytes) -> tuple[str, ...]:
        """Write the methods in full, then the lines, which name that file; a sentence where only this run has one."""
        before, kept.beside = kept.beside, f"{crc32(full):08x}{len(full):x}" if full else ""
        path = self.beside(profile, kept.beside)
        if path and (trouble := told(lambda: write_private(path, full))):
            kept.beside = ""
            return (f"{ONLY_HERE}: {trouble}",)
        said = self.write(profile, kept)
        unused = kept.beside if said else before
        if said:
            kept.beside = ""
        if unused != kept.beside:
            self._forget(profile, unused, kept.beside)
        return said

    def write(self, profile: Profile, kept: KeptCatalogue) -> tuple[str, ...]:
        """Write the lines; a sentence when only this run will know them."""
        path = self._path(profile)
        if path is None:
            return ()
        try:
            content = encoded(profile, kept, self.hide())
            if len(content) > KEPT // 2:
                return (f"{ONLY_HERE}: it has {told_size(len(content))}",)
            write_private(path, content)
        except FileTrouble as trouble:
            return (f"{ONLY_HERE}: {trouble.sentence}",)
        except RecursionError:  # the server's document was read where the stack was less full
            return (f"{ONLY_HERE}: one of its examples has too many levels",)
        return ()

    def _forget(self, profile: Profile, unused: str, used: str) -> None:
        """Remove a file that no lines name any more, and what programs have left that were ended in between."""
        mine = re.compile(rf"{re.escape(profile.name)}\.({NAMED.pattern})\.full")
        with suppress(OSError):
            for path in self._folder.iterdir():
                found = mine.fullmatch(path.name)
                if found and found[1] != used and (found[1] == unused or path.lstat().st_mtime < time() - ABANDONED):
                    path.unlink()

    def _path(self, profile: Profile) -> Path | None:
        """Where a profile's lines lie; None for one of which nothing is kept."""
        if profile.ad_hoc or not PROFILE_NAME.fullmatch(profile.name):
            return None
        return self._folder / f"{profile.name}.json"

    def hide(self) -> Callable[[str], str]:
        """What puts placeholders in the place of the secrets that are known now."""
        from rpcexplorer.redaction.redactor import Redactor  # only for what is written anew

        return Redactor(self._secrets()).text
