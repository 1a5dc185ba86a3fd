"""Regular expressions that are compiled on first use.

A start or a call uses few of them, and compiling is slow.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


class _Regex:
    """A pattern whose methods are looked up when they are first used."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self.pattern, self._flags)
        for method in ("match", "fullmatch", "search", "finditer", "findall", "sub", "split"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a pattern that is compiled on first use."""
    return cast("re.Pattern[AnyStr]", _Regex(pattern, flags))
