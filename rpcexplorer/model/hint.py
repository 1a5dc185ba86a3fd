"""A hint: what is wrong with how a server is spoken to, and what of the profile would have to change.

A change is a key as it stands in ``sessions.toml``, dotted, and its value. Nothing here is checked: whoever writes it
into a file, or into the profile of a run, does that as with anything that stands in one.
"""

from __future__ import annotations

import json
from typing import Any

from msgspec import Struct, structs

from rpcexplorer.model.address import typed_whole
from rpcexplorer.model.profile import Profile

Changes = tuple[tuple[str, Any], ...]
"""Keys of a profile and their new values; None takes one out."""

PROGRAM = "rpcexplorer"


class Hint(Struct, frozen=True):
    sentence: str
    """What the server wants, or what to try."""
    changes: Changes = ()
    """What the profile would have to say; empty where that is not known, or not all there is to do."""
    secret: str = ""
    """The field of a secret that has to be entered, perhaps anew."""
    commands: tuple[str, ...] = ()
    """Command lines that do the same."""
    careful: bool = False
    """Calls would go to another host, or unencrypted: nobody is to say yes to that by habit."""
    tests: bool = False
    """A test of the connection finds out what there is to do."""


def setting(profile: Profile, address: str, changes: Changes, secret: str = "") -> tuple[str, ...]:
    """The command lines that change a profile and store a secret of it.

    A profile that was made from an ``address`` is kept first, under a name to choose.
    """
    name, lines = profile.name, []
    if profile.ad_hoc:
        name = "NAME"
        kept = quoted(f"--url={typed_whole(address)}")
        auth = f" --auth={profile.auth.kind}" if profile.has_own_auth else ""
        lines.append(f"{PROGRAM} profiles add {name} {kept}{auth}")
    if changes:
        lines.append(
            f"{PROGRAM} profiles set {name} {' '.join(quoted(f'{key}={spelled(value)}') for key, value in changes)}"
        )
    if secret:
        lines.append(f"{PROGRAM} profiles secret {name} {secret}")
    return tuple(lines)


def quoted(word: str) -> str:
    """A word as a shell takes it; what is meant for people stays readable."""
    import shlex  # no start needs it

    return shlex.quote(word)


def spelled(value: Any) -> str:
    """A value as it is typed for a key: text as it is, anything else as TOML; nothing, for a key to be taken out."""
    if isinstance(value, Struct):
        value = {key: part for key, part in structs.asdict(value).items() if part}
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {json.dumps(member)}' for key, member in value.items())} }}"
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)
