"""Problems in a file, in a draft or with a schema; hints."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, Final

from msgspec import Struct, structs

from rpcexplorer.jsontext.params import Fix
from rpcexplorer.model.profile import Profile, joined, split_address, typed_whole

LONGEST = 200
"""Characters to show of a key or another word of a file."""
MOST = 500
"""Words among which the nearest one is searched."""


class Problem(Struct, frozen=True):
    """A problem in a file that people write."""

    file: str
    """Empty if the problem is a name that the user typed: the sentence is then complete."""
    sentence: str
    """The problem and what to do, without file and line."""
    line: int | None = None
    key: str = ""
    profile: str | None = None
    """The profile that it makes unusable; None for the whole file."""
    many: int = 1
    """The number of problems that this one summarises."""

    def __str__(self) -> str:
        if not self.file:
            return self.sentence
        text = self.file
        if self.line is not None:
            text += f":{self.line}"
        if self.key:
            text += f": {cut(self.key)}"
        return f"{text}: {self.sentence}"


class UserError(Exception):
    """A request of the user failed; the sentence says what to do next."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


def nearest(word: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    return next(iter(nearest_few(word, known, 1, cutoff)), None)


def nearest_few(word: str, known: Iterable[str], count: int, cutoff: float = 0.6) -> list[str]:
    import difflib  # Only problems need it, and it costs a fifth of the start.

    if len(word) > LONGEST:
        return []
    return difflib.get_close_matches(word, list(islice(known, MOST)), n=count, cutoff=cutoff)


def cut(word: str, longest: int = LONGEST) -> str:
    """Shorten a word of a file or a server for a message."""
    return word if len(word) <= longest else f"{word[: longest - 1]}…"


CHECK = ". To list them, run `rpcexplorer profiles check`"


def first_few(problems: Sequence[Problem], most: int, where: str = CHECK) -> list[str]:
    """Return the first sentences, and how many more there are.

    ``where`` says where to read the others.
    """
    sentences = [str(problem) for problem in problems[:most]]
    more = sum(problem.many for problem in problems[most:])
    if more:
        sentences.append(f"and {more:,} more{where}")
    return sentences


def joined_words(words: Iterable[str], most: int = 20) -> str:
    """Return the first words with commas, and how many more there are."""
    every = list(words)
    text = ", ".join(every[:most])
    if len(every) > most:
        text += f" and {len(every) - most:,} more"
    return text


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"


def capitalised(text: str) -> str:
    """Return a text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


Changes = tuple[tuple[str, Any], ...]
"""Keys of a profile and their new values; None removes a key."""
PROGRAM = "rpcexplorer"


class Hint(Struct, frozen=True):
    sentence: str
    changes: Changes = ()
    """Changes of the profile that help; empty if unknown or not enough."""
    secret: str = ""
    """The field of a secret that the user has to enter."""
    commands: tuple[str, ...] = ()
    """Commands that do the same."""
    careful: bool = False
    """Calls would go to another host, or unencrypted: yes is not the default."""
    tests: bool = False
    """A connection test finds out what to do."""


def setting(profile: Profile, address: str, changes: Changes, secret: str = "") -> tuple[str, ...]:
    """Return the commands that change a profile and store its secret.

    A profile made from an ``address`` is saved first, under a name to choose.
    """
    name, lines = profile.name, []
    if profile.ad_hoc:
        name, moved = "NAME", dict(changes)
        if "url" in moved:
            address = joined(moved["url"], moved.get("path", split_address(address)[1] or ""))
            changes = tuple(change for change in changes if change[0] not in {"url", "path"})
        auth = f" --auth={profile.auth.kind}" if profile.has_own_auth else ""
        server = server_words(profile, f"--url={typed_whole(address)}")
        lines.append(f"{PROGRAM} profiles add {name} {server}{auth}")
    if changes:
        lines.append(
            f"{PROGRAM} profiles set {name} {' '.join(quoted(f'{key}={spelled(value)}') for key, value in changes)}"
        )
    if secret:
        lines.append(f"{PROGRAM} profiles secret {name} {secret}")
    return tuple(lines)


def server_words(profile: Profile, url: str) -> str:
    """Return the words that name a typed server in a command; ``url`` is one of them, unless it is a process."""
    words = f"--stdio={quoted(shlex.join(profile.command))}" if profile.command else quoted(url)
    if profile.preset:
        words += f" --preset={quoted(profile.preset)}"
    if "framing" in profile.typed:
        words += f" --framing={profile.framing}"
    return words


def provide_secret(profile: Profile, field: str) -> str:
    """Return how to provide a secret from a shell; an ad-hoc one is not stored."""
    if profile.ad_hoc:
        return f"Set {profile.variable(field)}."
    return f"Set {profile.variable(field)}, or run `{PROGRAM} profiles secret {profile.name} {field}`."


def log_in_command(profile: Profile) -> str:
    """Return how to log in with a browser or after a question, which needs a terminal."""
    if profile.ad_hoc:
        return "Add a profile for this server, and log in with it."
    return f"To log in, run `{PROGRAM} login -p {profile.name}` in a terminal, or press F8 on the screen."


def quoted(word: str) -> str:
    """Quote a word for a shell."""
    return shlex.quote(word)


def spelled(value: Any) -> str:
    """Return a value as the user would type it: text, else TOML."""
    if isinstance(value, Struct):
        value = {key: part for key, part in structs.asdict(value).items() if part}
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {json.dumps(member)}' for key, member in value.items())} }}"
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value)


MOST_PROBLEMS: Final = 50


class SchemaProblem(Struct, frozen=True):
    """A place in the params that the schema does not allow."""

    pointer: tuple[str | int, ...]
    keyword: str
    sentence: str
    offset: int = 0
    end: int = 0
    line: int = 1
    column: int = 1
    fix: Fix | None = None
    """The whole text with this problem fixed, if there is one obvious way."""


class Checked(Struct, frozen=True):
    problems: tuple[SchemaProblem, ...] = ()
    why_not: str = ""
    """Why there was no check: no schema, an invalid one, or too slow."""
    in_part: bool = False

    @property
    def is_right(self) -> bool:
        return not self.problems and not self.why_not
