"""Which files are searched for secrets that should not be in them, and what is said of each that is found.

What counts as a secret is in redaction/leaks.py. No sentence in here quotes one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct, field

from rpcexplorer.auth.registry import of_key
from rpcexplorer.files.io import FileTrouble, names, read_bytes
from rpcexplorer.files.paths import OVERLAY
from rpcexplorer.model.problem import Complaint
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import UNRECORDED, Secret
from rpcexplorer.redaction.addresses import squashed
from rpcexplorer.redaction.leaks import Leak, LeakSearch
from rpcexplorer.redaction.suspects import PART
from rpcexplorer.storage.profiles.profiles import Profiles
from rpcexplorer.storage.profiles.values import KEYS
from rpcexplorer.storage.secrets.lookup import Secrets


class Searched(Struct):
    """What a search came to."""

    found: list[Complaint] = field(default_factory=list)
    """One for each line and secret; to be told as they are, for no secret is in them."""
    unreadable: list[Complaint] = field(default_factory=list)
    """Files of which nobody knows what is in them."""
    files: int = 0
    """How many were read."""
    short: tuple[str, ...] = ()
    """Labels of the secrets that have too few characters to be looked for by value."""


def search(
    profiles: Profiles,
    histories: Iterable[Path],
    secrets: Secrets,
    files: Sequence[Path] = (),
    staged: Path | None = None,
) -> Searched:
    """Search the files of the profiles and the folders of histories.

    Or only ``files``, each of which must be there; or only what is staged in the repository around ``staged``.
    """
    known = _known(secrets, profiles.profiles.values())
    if staged is not None:
        return _search_staged(staged, known)
    if files:
        return _search(files, (), known)
    return _search(_shared(profiles), [*histories, *map(Path, profiles.histories.values())], known)


def _search(files: Iterable[Path], folders: Iterable[Path], secrets: Iterable[Secret]) -> Searched:
    finder = LeakSearch(secrets)
    searched = Searched(short=finder.short)
    named = dict.fromkeys(files)
    for path in dict.fromkeys([*named, *_inside(folders, searched)]):
        _look(path, _read(path, searched, links=path in named), finder, searched)
    return searched


def _search_staged(folder: Path, secrets: Iterable[Secret]) -> Searched:
    """Search what git would commit."""
    from rpcexplorer.storage.secrets.staged import staged

    finder = LeakSearch(secrets)
    searched = Searched(short=finder.short)
    for path, content in staged(folder):
        if isinstance(content, str):
            searched.unreadable.append(Complaint(finder.redacted(str(path)), content))
        else:
            _look(path, content, finder, searched)
    return searched


def _look(path: Path, content: bytes | None, finder: LeakSearch, searched: Searched) -> None:
    if content is not None:
        searched.files += 1
        searched.found += [_complaint(path, leak, finder) for leak in finder.leaks(content)]


def _shared(profiles: Profiles) -> list[Path]:
    """The files that profiles are read from, those that are damaged included, and the overlays beside them."""
    named = [*profiles.files, *(Path(complaint.file) for complaint in profiles.complaints)]
    beside = [each.with_name(OVERLAY) for each in named]
    return [path for path in dict.fromkeys([*named, *beside]) if path.is_file()]


def _known(secrets: Secrets, profiles: Iterable[Profile]) -> list[Secret]:
    """Every secret there is. The keyring tells only what it is asked for, profile by profile."""
    profiles = tuple(profiles)
    secrets.learn(profiles)
    for profile in profiles:
        secrets.state(profile)
    known = secrets.known()
    return [*known, *secrets.derived(known)]


def _inside(folders: Iterable[Path], searched: Searched) -> list[Path]:
    """The files in folders. Hidden ones are locks, or are being written."""
    found: list[Path] = []
    for folder in dict.fromkeys(folders):
        try:
            inside: Sequence[str] = sorted(name for name in names(folder) if not name.startswith("."))
        except FileTrouble as trouble:
            searched.unreadable.append(Complaint(str(folder), trouble.sentence))
            continue
        found += [path for path in (folder / name for name in inside) if path.is_symlink() or not path.is_dir()]
    return found


def _read(path: Path, searched: Searched, *, links: bool) -> bytes | None:
    """What a file holds. What somebody has named may be a link, and what lies in a folder may not."""
    try:
        content = read_bytes(path, links=links, others=True)
    except FileTrouble as trouble:
        searched.unreadable.append(Complaint(str(path), trouble.sentence))
        return None
    if content is None:
        searched.unreadable.append(Complaint(str(path), "there is no such file; correct its name"))
    return content


def _complaint(path: Path, leak: Leak, finder: LeakSearch) -> Complaint:
    """Say what stands where, and what to do next."""
    if leak.label == UNRECORDED.strip("«»"):
        what = "user name and password stand here as a header has them"
        advice = "take it out: they are stored already, and are put in when a call is sent"
    elif leak.label:
        what = f"the value of {leak.label} stands here"
        advice = "take it out: it is stored already, and is put in when a call is sent"
    elif leak.key == PART:
        what = "an address stands here with a part that looks like a secret"
        advice = "take it out of whatever others can read, and have the server change it"
    elif leak.key:
        what = "a literal value stands here that looks like a secret"
        advice = f"take it out{_instead(leak)}"
    else:
        what = "a URL stands here that holds a password"
        advice = f"take it out{_instead(leak)}"
    if leak.call:
        advice = f"delete call {leak.call} (F6 in rpcexplorer, then Del)"
    sentence = f"{what}; {advice}"
    return Complaint(finder.redacted(str(path)), finder.redacted(sentence), leak.line, finder.redacted(leak.key))


def _instead(leak: Leak) -> str:
    """What becomes of a value that nobody has stored yet."""
    name = leak.profile or "NAME"
    if KEYS.fullmatch(squashed(leak.key)):
        return f", and store it: rpcexplorer profiles secret {name} token; {of_key().words}"
    field = "session" if re.search("(?i)session|cookie", leak.key) else "password"
    return f", and store it: rpcexplorer profiles secret {name} {field}"
