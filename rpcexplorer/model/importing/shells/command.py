"""A command of a line, taken apart."""

from __future__ import annotations

from msgspec import Struct, field


class ShellCommand(Struct):
    """One command of a line."""

    words: list[str] = field(default_factory=list)
    filled: list[str] = field(default_factory=list)
    """What the shell would have filled in, as it stands there."""
    files: list[str] = field(default_factory=list)
    """Files that its streams are led to or from."""
    unclosed: bool = False
    """A quote in it has no end."""

    def __repr__(self) -> str:
        """Not its words, which may hold a secret."""
        return f"ShellCommand(words={len(self.words)})"
