"""What is wrong with a filled form, in its own words; files have further rules of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rpcexplorer.model.profile import RESERVED, is_reserved, shares_variables
from rpcexplorer.model.secret import PROFILE_NAME
from rpcexplorer.tui.dialogs.form import Wrong


def wrong_name(name: str, known: Iterable[str]) -> Wrong | None:
    """Why a new profile cannot have this name, if so."""
    if not name:
        return Wrong("A profile needs a name, such as staging.", "name")
    if not PROFILE_NAME.fullmatch(name):
        return Wrong("Up to 64 letters, digits, `_`, `-` and `.`, a letter or a digit first, such as staging.", "name")
    if is_reserved(name):
        return Wrong(f"{RESERVED[0].upper()}{RESERVED[1:]} Choose another one.", "name")
    for other in known:
        if shares_variables(other, name):
            return Wrong(f"There is a profile {other} already: choose a name that differs in letters.", "name")
    return None


def wrong_values(typed: Mapping[str, str]) -> Wrong | None:
    """What in a filled form no profile can have, in the words of the form; files have further rules of their own."""
    url = typed["url"].strip()
    if not url:
        return Wrong("A profile needs a URL, such as https://rpc.example.com.", "url")
    if not url.lower().startswith(("https://", "http://")):
        return Wrong("A URL begins with https:// or http://, such as https://rpc.example.com.", "url")
    if number_of(typed["timeout"]) is None:
        return Wrong("A number of seconds greater than 0, such as 30.", "timeout")
    return None


def number_of(text: str) -> float | int | None:
    """A number as it should stand in the file: 30 rather than 30.0."""
    whole, _, part = text.strip().partition(".")
    if not (whole.isascii() and whole.isdecimal()) or (part and not (part.isascii() and part.isdecimal())):
        return None
    number = float(text)
    return (int(number) if number.is_integer() else number) or None
