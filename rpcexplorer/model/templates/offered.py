"""What could stand between double braces, for whoever types there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from rpcexplorer.model.templates.references import MADE, to_last


class Offered(Struct, frozen=True):
    """A name that has a value, or may have one."""

    inside: str
    """It, as it is spelled between the braces in a JSON string."""
    words: str
    """What it comes to, or what it is."""


def names(variables: Mapping[str, str], called: Iterable[str] = ()) -> tuple[Offered, ...]:
    """Variables, what is made anew, then the newest results of methods; of the last ones a part can be named behind."""
    return (
        *(Offered(name, variables[name]) for name in sorted(variables)),
        *(Offered(name, words) for name, words in MADE.items()),
        *(Offered(to_last(name)[2:-2], f"the newest result of {name}") for name in called),
    )
