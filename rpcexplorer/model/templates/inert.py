r"""A value that a service says, as JSON text that may be sent: nothing in it is opened or looked up.

It stays the same value, whoever reads it: what would stand for a secret, or for something that is known elsewhere, is
spelled with an escape (``\u00ab``, ``\u007b``), and an escape begins neither. What a service says goes through here
before it becomes a text to be typed on or sent: a start, an example, a choice, a way to mend something.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from rpcexplorer.model.secret import defused

_BRACE: Final = re.compile(r"\{(?=\{)")
"""Two of them, one after the other, stand in strings alone: no JSON has them anywhere else."""


def inert(text: str) -> str:
    """The JSON text, spelled so."""
    return defused(_BRACE.sub(r"\\u007b", text))


def inert_value(value: Any) -> str:
    """The value as such a text; null where none can be made of it."""
    try:
        text = json.dumps(value, ensure_ascii=False)
        text.encode()
    except UnicodeEncodeError:  # half a character
        text = json.dumps(value)
    except (RecursionError, ValueError):  # a thousand levels, thousands of digits
        return "null"
    return inert(text)
