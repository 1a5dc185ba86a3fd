"""Whether a server says "please log in", decided here for whoever asks: a flow, a connection test, discovery."""

from __future__ import annotations

import re

from rpcexplorer.model.exchange import ErrorObject, Malformed, Outcome, Sent
from rpcexplorer.model.profile import Login


def asks_for_login(login: Login, outcome: Outcome, status: int | None) -> bool:
    """By the status, the code or the words that the profile names."""
    if isinstance(outcome, Malformed | ErrorObject | Sent) and status in login.ended_status:
        return True
    if not isinstance(outcome, ErrorObject):
        return False
    words = "|".join(map(re.escape, login.ended_words)) or "(?!)"
    said = re.search(rf"(?<!\w)(?:{words})(?!\w)", outcome.message, re.IGNORECASE)
    return outcome.code in login.ended_codes or said is not None
