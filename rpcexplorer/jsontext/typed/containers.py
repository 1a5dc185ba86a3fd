"""What each array and object of a typed text holds, counted before anything is judged.

What lives here matches brackets, right or wrong, and counts: only the counts tell whether `["a": 1]` was meant as
an object and `{1, 2}` as an array. What is made of that is told in `structure.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from rpcexplorer.jsontext.typed.tokens import SCALARS, STRINGS, Token

ContainerState: TypeAlias = Literal["item", "colon", "value", "after"]
"""What has to come next: an item, the colon after a name, the value after the colon, or a comma or a closer."""

CLOSER: Final = {"[": "]", "{": "}"}
"""The closing bracket for each opening one."""

_OPENER = {"]": "[", "}": "{"}
_ROUND = {"(": "[", ")": "]"}


class Container(Struct):
    """An array, an object, or the whole text, which holds one of them if all is well."""

    opener: Token | None = None
    """Its opening bracket; None for the whole text."""
    typed: str = ""
    """The bracket as typed, `[` or `{`; empty for the whole text."""
    kind: str = ""
    """The bracket that was meant; empty for the whole text if that holds brackets of its own."""
    closed: bool = False
    """Whether a closing bracket stands for it; for the whole text, whether one has no opening one."""
    items: int = 0
    """How many tokens and containers stand directly in it, names included."""
    parts: int = 0
    """How many parts, separated by commas, are not empty."""
    part_empty: bool = True
    """Whether nothing stands in the part being counted."""
    colons: int = 0
    """How many colons stand directly in it."""
    first: Token | None = None
    """What stands in it first."""
    first_colon: Token | None = None
    """Its first colon."""
    first_join: Token | None = None
    """Its first comma or colon."""
    state: ContainerState = "item"
    """What has to come next, while slips are looked for."""
    comma: Token | None = None
    """The comma that makes an item due."""

    def count(self, token: Token) -> None:
        if token.kind in ("comma", "colon"):
            self.first_join = self.first_join or token
        if token.kind == "comma":
            self.part_empty = True
        elif token.kind == "colon":
            self.colons += 1
            self.first_colon = self.first_colon or token
        else:
            self.first = self.first or token
            self.items += 1
            self.parts += self.part_empty
            self.part_empty = False

    def decide(self) -> None:
        """Settle what was meant, after everything was counted."""
        named = self.colons >= self.parts > 0
        bare = self.first and (self.first.kind in SCALARS or self.colons or self.parts > 1)
        if self.typed == "{":
            alone = not self.colons and self.items != 2 * self.parts and not self._may_become_a_member
            self.kind = "[" if alone and self.items and (self.closed or self.parts > 1) else "{"
        elif self.typed or bare:
            self.kind = "{" if named else "["

    @property
    def _may_become_a_member(self) -> bool:
        """One text is all there is: whoever types a name has got no further yet, its brace closed by the editor."""
        return self.items == 1 and self.first is not None and self.first.kind in STRINGS and self.first_join is None


class Nest:
    """The containers that are open at one place of the text; the whole text is the outermost."""

    def __init__(self, whole: Container) -> None:
        self.open = [whole]
        self._typed = {"[": 0, "{": 0}

    def enter(self, container: Container) -> None:
        self.open.append(container)
        self._typed[container.typed] += 1

    def leave(self, closer: str) -> list[Container]:
        """Close what a closing bracket closes, innermost first.

        Only the last of them has it as its own; those before it lack theirs. If it fits none that is open, it is
        taken for a wrong one in the right place.
        """
        wanted = _OPENER[closer] if self._typed[_OPENER[closer]] else None
        left: list[Container] = []
        while len(self.open) > 1:
            left.append(self.open.pop())
            self._typed[left[-1].typed] -= 1
            if wanted in (None, left[-1].typed):
                break
        return left


def bracket(text: str, token: Token) -> str:
    """The bracket that a token is; round ones stand for square ones."""
    return _ROUND.get(text[token.start], text[token.start])


def counted(text: str, found: Sequence[Token]) -> Iterator[Container]:
    """The whole text and then its containers, in the order in which they open, each with what it holds."""
    order = [Container()]
    nest = Nest(order[0])
    for token in found:
        char = bracket(text, token)
        if token.kind == "close":
            left = nest.leave(char) or order[:1]
            left[-1].closed = True
        elif token.kind != "stray":
            nest.open[-1].count(token)
            if token.kind == "open":
                order.append(Container(token, char))
                nest.enter(order[-1])
    for container in order:
        container.decide()
    return iter(order)
