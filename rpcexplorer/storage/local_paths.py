"""Sentences without where files lie on this machine and who uses it: for what is handed on.

What is known is taken out by its value, whatever stands in it; a file may have another place by now, so what looks like
a folder in a sentence of ours goes too. The name of a file stays: it says which one is meant.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from rpcexplorer.model.profile import Profile

_KNOWN: Final = "\0"
"""Stands for a folder that is known, while the rest of a path is looked for."""
_FILE: Final = re.compile(r"(?<=_file )(?:\0|(?:~|[A-Za-z]:)?[/\\])(?:(?:(?!: |; |://)[^/\\\n])*[/\\])*")
"""The folder of a file that a profile names: it may have any name, and the sentence goes on behind the file's own."""
_FOLDER: Final = re.compile(
    r"(?:(?<![\w:/.\\])(?:~|[A-Za-z]:)?[/\\](?:[^\s/\\:;,«»]+[/\\])+|\0(?:[^\s/\\:;,«»]+[/\\])*)(?=[^\s/\\:;,])"
)
"""The folder of any other file; it stands before the file's name."""
_ELSEWHERE: Final = ("SSL_CERT_FILE", "SSL_CERT_DIR")
"""Variables whose values are told where they are of no use."""


class LocalPaths:
    """What is known of this machine."""

    def __init__(self, profiles: Iterable[Profile] = (), folders: Iterable[Path] = ()) -> None:
        named = [
            each for profile in profiles for each in (profile.ca_file, profile.cert_file, profile.key_file) if each
        ]
        files = {*named, *(os.environ[each] for each in _ELSEWHERE if os.environ.get(each))}
        home = os.path.expanduser("~")  # noqa: PTH111 - Path's own raises where nobody knows it
        places = {home, *map(str, folders), *(os.path.dirname(each) for each in files)}  # noqa: PTH120 - a text
        places |= {parent for each in places if each.startswith(home + os.sep) for parent in _between(home, each)}
        self._files = {each: os.path.basename(each) for each in files if os.path.dirname(each)}  # noqa: PTH119, PTH120
        self._known = _one_of(self._files, r"(?!\w)")
        self._folders = _one_of((each for each in places if len(each) > 1), r"(?:[/\\]|(?![\w-]))")
        self._users = _one_of({os.path.basename(home), _user()} - {""}, r"[/\\]", before=r"(?<![\w:/.\\-])")  # noqa: PTH119

    def without(self, sentence: str) -> str:
        """A sentence of ours in which files have only their names."""
        sentence = self._known.sub(lambda found: self._files[found[0]], sentence.replace(_KNOWN, ""))
        sentence = self._folders.sub(_KNOWN, sentence)
        return self._users.sub("", _FOLDER.sub("", _FILE.sub("", sentence)).replace(_KNOWN, ""))


def _between(home: str, folder: str) -> Iterable[str]:
    """The folders on the way from home to one below it."""
    return (str(each) for each in Path(folder).parents if len(str(each)) > len(home))


def _one_of(texts: Iterable[str], after: str, *, before: str = r"(?<![\w/\\])") -> re.Pattern[str]:
    """Finds the longest of some texts; nothing where there are none."""
    longest = sorted(texts, key=len, reverse=True)
    return re.compile(f"{before}(?:{'|'.join(map(re.escape, longest))}){after}" if longest else r"(?!)")


def _user() -> str:
    import getpass

    with suppress(KeyError, OSError, ImportError):  # a user without a name, as in some containers
        return getpass.getuser()
    return ""
