"""Names of members that hold secrets, whoever asks: no file of anybody's has a say in this.

In records the text behind such a key is not written down, whatever it is; so a name stands here only if hardly
anything else is called so. In small letters and without separators.
"""

from __future__ import annotations

import re
from typing import Final

_WORDS = "password|passwd|passphrase|passcode|pwd|secret|secret(?:access)?key|apikey|privatekey|credential"
_MORE = "s|confirm(?:ation|ed)?|again|repeat(?:ed)?|new|old|[12]"
_TOKENS = "access|refresh|auth|api|bearer|id|session|secret|private|user|client|bot|oauth|personal"

WHOLE: Final = re.compile(rf".*(?:{_WORDS})(?:{_MORE})?|pass|.*session(?:id|key)")
"""Whatever stands behind these is a secret: text, a number, a list."""

TEXT: Final = re.compile(rf"jwt|(?:.*(?:{_TOKENS}))?token|(?:proxy)?authorization|(?:set)?cookie")
"""Text behind these is one; numbers and tables are something else, such as a count or a coin."""

STEMS: Final = (
    *("pass", "pwd", "secret", "api", "private", "credential", "session"),
    *("jwt", "token", "authorization", "cookie"),
)
"""One of these stands in every such name, also where its words are kept apart."""


def squashed(name: str) -> str:
    """A name in small letters and without separators."""
    return re.sub("[^a-z0-9]", "", name.lower())
