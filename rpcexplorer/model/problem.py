"""A problem found in a file, in a draft or by a schema; a hint."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, Final

from msgspec import Struct, structs

from rpcexplorer.jsontext.params import Fix
from rpcexplorer.model.profile import Profile, typed_whole

LONGEST = 200
"""Characters of a key, or of another word that stands in a file, that are told of it."""
MOST = 500
"""Words among which the nearest is looked for."""


class Problem(Struct, frozen=True):
    """A problem in a file that a person wrote."""

    file: str
    sentence: str
    """What is wrong and what to do, without file and line."""
    line: int | None = None
    key: str = ""
    profile: str | None = None
    """The profile that cannot be used because of it; None where it is about the whole file."""
    many: int = 1
    """So many things are meant, where they are only counted."""

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{where}: {cut(self.key)}: {self.sentence}" if self.key else f"{where}: {self.sentence}"


class UserError(Exception):
    """Something that a person asked for could not be done. ``sentence`` says what, why, and what to do next."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


def nearest(word: str, known: Iterable[str]) -> str | None:
    return next(iter(nearest_few(word, known, 1)), None)


def nearest_few(word: str, known: Iterable[str], count: int) -> list[str]:
    import difflib  # only where something is wrong: it costs a fifth of the start

    if len(word) > LONGEST:
        return []
    return difflib.get_close_matches(word, list(islice(known, MOST)), n=count, cutoff=0.6)


def cut(word: str, longest: int = LONGEST) -> str:
    """Shorten a word of somebody else to be shown."""
    return word if len(word) <= longest else f"{word[: longest - 1]}…"


CHECK = ": `rpcexplorer profiles check` says which"


def first_few(problems: Sequence[Problem], most: int, where: str = CHECK) -> list[str]:
    """Return the sentences of the first problems, and how many more there are; ``where`` says where to read them."""
    sentences = [str(problem) for problem in problems[:most]]
    more = sum(problem.many for problem in problems[most:])
    return [*sentences, f"and {more:,} more{where}"] if more > 0 else sentences


def joined_words(words: Iterable[str], most: int = 20) -> str:
    """Return the first words, with commas between them, and how many more there are."""
    every = list(words)
    more = f" and {len(every) - most:,} more" if len(every) > most else ""
    return ", ".join(every[:most]) + more


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"


def capitalised(text: str) -> str:
    """Return a text that starts with a capital letter; the others stay as they are."""
    return text[:1].upper() + text[1:]


Changes = tuple[tuple[str, Any], ...]
"""Keys of a profile and their new values; None takes one out."""
PROGRAM = "rpcexplorer"


class Hint(Struct, frozen=True):
    sentence: str
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
    """Return the commands that change a profile and store a secret of it.

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
    """Quote a word for a shell."""
    import shlex  # no start needs it

    return shlex.quote(word)


def spelled(value: Any) -> str:
    """Spell a value as it is typed for a key: text as it is, else TOML."""
    if isinstance(value, Struct):
        value = {key: part for key, part in structs.asdict(value).items() if part}
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {json.dumps(member)}' for key, member in value.items())} }}"
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)


MOST_TOLD: Final = 50


class SchemaProblem(Struct, frozen=True):
    """One place that the schema does not allow, in the words of whoever typed it."""

    pointer: tuple[str | int, ...]
    keyword: str
    sentence: str
    offset: int = 0
    end: int = 0
    line: int = 1
    column: int = 1
    fix: Fix | None = None
    """The whole text with this mended, where there is one obvious way."""


class Checked(Struct, frozen=True):
    problems: tuple[SchemaProblem, ...] = ()
    why_not: str = ""
    """Why it was not checked, where it was not: no schema, too slow, a schema that is none."""
    in_part: bool = False

    @property
    def is_right(self) -> bool:
        return not self.problems and not self.why_not
