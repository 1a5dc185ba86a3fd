"""Variables of Postman, ``{{name}}``: in a body they become our own, in an address they are filled in.

Both are spelled alike and mean the same for a name that is a variable's here. What Postman makes up by itself, and what
would mean something else here, is not filled in: it stays as text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from rpcexplorer.jsontext.scan import LOOSE_STRING
from rpcexplorer.model.templates.references import can_be_named

VARIABLE: Final = re.compile(r"\{\{([^{}]*)\}\}")
MADE_ALIKE: Final = {"$guid": "uuid", "$randomUUID": "uuid", "$isoTimestamp": "now"}
"""What Postman makes up that is made up here as well."""
ROUNDS: Final = 5
LONGEST: Final = 2_000
_PART = re.compile(rf"(?P<string>{LOOSE_STRING})|\{{\{{(?P<bare>[^{{}}\"]*)\}}\}}", re.DOTALL)


def filled(text: str, values: Mapping[str, str]) -> str:
    """A text with the values of a collection in it; also those that stand in its values, within bounds."""
    for _ in range(ROUNDS):
        more = (
            len(values[name]) - len(each[0]) for each in VARIABLE.finditer(text) if (name := each[1].strip()) in values
        )
        if len(text) + sum(more) > LONGEST:  # counted before it is built: a small file can ask for gigabytes
            break
        now = VARIABLE.sub(lambda found: values.get(found[1].strip(), found[0]), text)
        if now == text:
            break
        text = now
    return text


def as_ours(body: str) -> tuple[str, list[str], list[str]]:
    """A body with our placeholders in it, the names of these, and those that stay as text."""
    names: dict[str, None] = {}
    kept: dict[str, None] = {}

    def inside(found: re.Match[str]) -> str:
        name = found[1].strip()
        if name in MADE_ALIKE:
            return f"{{{{{MADE_ALIKE[name]}}}}}"
        if can_be_named(name):
            names[name] = None
            return f"{{{{{name}}}}}"
        kept[name[:64]] = None
        return without_meaning(found[0])

    def part(found: re.Match[str]) -> str:
        if found["bare"] is None:
            return VARIABLE.sub(inside, found["string"])
        name = found["bare"].strip()
        if can_be_named(name):
            names[name] = None
            return f'"{{{{{name}:json}}}}"'
        return found[0]

    return _PART.sub(part, body), [*names], [*kept]


def without_meaning(text: str) -> str:
    """JSON text in which nothing is filled in here: the same value, its braces spelled with an escape."""
    return re.sub(r"\{(?=\{)", r"\\u007b", text)


def notes(names: Iterable[str], kept: Iterable[str]) -> list[str]:
    """What is to be said of the variables of a body."""
    told = [f"its placeholders need values: {', '.join(names)}"] if names else []
    return told + ([f"these stand as text, for Postman alone fills them in: {', '.join(kept)}"] if kept else [])
