"""Names of members that hold secrets, whoever asks: no file of anybody's has a say in this.

In records the text behind such a key is not written down, whatever it is; so a name stands here only if hardly
anything else is called so. In small letters and without separators. And what may stand there in its place.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

_WORDS = "password|passwd|passphrase|passcode|pwd|secret|secret(?:access)?key|apikey|privatekey|credential"
_MORE = "s|confirm(?:ation|ed)?|again|repeat(?:ed)?|new|old|[12]"
_TOKENS = "access|refresh|auth|api|bearer|id|session|secret|private|user|client|bot|oauth|personal"
WHOLE: Final = re.compile(rf".*(?:{_WORDS})(?:{_MORE})?|pass|.*session(?:id|key)")
"""Whatever stands behind these is a secret: text, a number, a list."""
TEXT: Final = re.compile(rf"jwt|(?:.*(?:{_TOKENS}))?token|(?:proxy)?authorization|(?:set)?cookie")
"""Text behind these is one; numbers and tables are something else, such as a count or a coin."""
ADDRESSED: Final = re.compile(
    r"key|.*(?:access|account|app|auth|license|subscription)key|sig|signature|xamz.*|auth|sid|session|ticket|hmac"
)
"""In an address these name a secret as well, if what stands there looks like one."""
_STAND_IN: Final = r"""(?ix) [*.•…_\s-]* | x{3,}                                      # nothing at all, or drawn over
      | .* (?: « | \\u00ab ) (?: [\w.-]+ \. (?:password|username|session|token) | RPCEXPLORER_\w+ | not\ recorded )
           Â? (?: » | \\u00bb ) .*                                  # also where UTF-8 was read as Latin-1
      | \{ [\w.]+ \} | < [\w\s.-]+ > | \$ \w+ | \$ \{ \w+ \} | % \w+ %    # filled in from elsewhere
    """
_WORD: Final = r"""(?ix)
      string | str | text | password | passwd | secret | token | session | sessionid | cookie | hidden | redacted
      | none | null | true | false | yes | no | required | optional | basic | bearer | inline | api[-_]?key | header
    """
STEMS: Final = (
    *("pass", "pwd", "secret", "api", "private", "credential", "session"),
    *("jwt", "token", "authorization", "cookie"),
)
"""One of these stands in every such name, also where its words are kept apart."""


def squashed(name: str) -> str:
    """A name in small letters and without separators."""
    return re.sub("[^a-z0-9]", "", name.lower())


def stands_in(value: str, *, words: bool = True) -> bool:
    """Whether it may stand in a secret's place where everybody reads it: what is filled in, or a word for it.

    Of ``words`` nobody knows whether they are meant, for some are passwords.
    """
    return any(_compiled(each).fullmatch(value) for each in (_STAND_IN, *([_WORD] if words else [])))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)  # takes longer than all others together, and few texts come so far
