"""Which headers of a reply a ticket shows: those by which somebody finds the request again, or sees why it failed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

MATTER: Final = re.compile(
    r"content-type|content-encoding|retry-after|server|date|age|via|location|allow|set-cookie"
    r"|(?:www|proxy)-authenticate|x-(?:cache|served-by|powered-by)"
    r"|(?:.*-)?(?:request|correlation|transaction|trace|span|error)-?id|(?:x-)?requestid|traceparent|tracestate"
    r"|cf-ray|(?:x-)?(?:cloud|amzn)-trace-(?:context|id)|x-amz-(?:cf-)?id(?:-2)?|x-b3-.*|mcp-protocol-version"
    r"|(?:.*-)?rate-?limit(?:-.*)?",
    re.IGNORECASE,
)
"""Whole names. What is not among them is counted, and stands in the record and on the screen."""


def that_matter(headers: Sequence[tuple[str, str]]) -> tuple[list[tuple[str, str]], int]:
    """Those, in their order, and how many others there are."""
    found = [each for each in headers if MATTER.fullmatch(each[0])]
    return found, len(headers) - len(found)


def others_told(count: int) -> str:
    """How many are left out, as a sentence; empty where none is."""
    if not count:
        return ""
    return f"{count:,} other header{'s are' if count > 1 else ' is'} left out."
