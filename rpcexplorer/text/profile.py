"""A profile as a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain, repeat
from pathlib import Path
from typing import Any, Final

from rpcexplorer.auth.registry import auth_of
from rpcexplorer.client.report import Check, CheckState
from rpcexplorer.model.destination import DestinationChanged
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import FIELD_WORDS, Secret
from rpcexplorer.redaction.addresses import redacted_address
from rpcexplorer.rpc.messages import Call
from rpcexplorer.text.exchange import age, duration
from rpcexplorer.text.json_text import json_of
from rpcexplorer.text.printable import printable
from rpcexplorer.text.wrapping import WordLine


def printable_url(url: str) -> str:
    """Return a URL, or its path, without secrets."""
    return printable(redacted_address(url))


def auth_words(
    profile: Profile,
    state: Mapping[str, Secret | DestinationChanged | None],
    since: datetime | None,
    now: datetime,
    *,
    rejected: bool = False,
    short: bool = False,
) -> list[tuple[str, str]]:
    """Return the state of the credentials, such as ``● session 12 min``.

    Return nothing if no credentials are needed. ``rejected``: the server has rejected them. ``short``: there is little
    room.
    """
    session = state.get("session")
    if isinstance(session, Secret):
        if rejected:
            return [("✗ ", "wrong bold"), ("session rejected", "wrong")]
        lasted = f" {age((now - since).total_seconds())}" if since else ""
        return [("● ", "well"), (f"session{lasted}", "text")]
    if profile.assumes_auth and not any(state.values()):
        return []
    for field, found in state.items():
        if isinstance(found, DestinationChanged):
            return [("! ", "careful bold"), (f"{FIELD_WORDS.get(field, field)} blocked", "careful")]
    for field, found in state.items():
        if found is None and field != "session":
            return [("! ", "careful bold"), (f"{FIELD_WORDS.get(field, field)} missing", "careful")]
    if not profile.secrets:
        return []
    field = next((name for name in reversed(profile.secrets) if name != "session"), "session")
    field_word = FIELD_WORDS.get(field, field)
    if rejected:
        return [("✗ ", "wrong bold"), (f"{field_word} rejected", "wrong")]
    if profile.has_sessions:
        return [("○ ", "middle"), ("no session yet", "middle")]
    word = state_word(state.get(field))
    if short:
        word = word.replace("environment", "env")
    return [("● ", "well"), (f"{field_word} {word}", "text")]


def state_word(found: Secret | DestinationChanged | None) -> str:
    match found:
        case Secret(source="environment"):
            return "from environment"
        case Secret(source="secrets.toml" | "keyring"):
            return "stored"
        case Secret(source="session"):
            return "logged in"
        case Secret():
            return "entered"
        case DestinationChanged():
            return "blocked"
    return "missing"


def goes_with(profile: Profile, method: str) -> str:
    """Describe the credentials of a call; no secret is read."""
    kind = auth_of(profile)
    if kind.session_cookie and method == profile.login.method:
        return "opens the session of this profile"
    if kind.free(profile, Call(method)):
        return "needs no session" if kind.session_cookie else "sent without credentials"
    if kind.session_cookie:
        if_any = ", if there is one" if profile.assumes_auth else ""
        return f"sent with the session cookie of this profile{if_any}"
    return kind.words(profile)


PageRow = tuple[str, Any, Any]
"""A dotted key, its value, and the source: ``default``, or file and line."""
LABEL: Final = 15
"""Columns of labels, enough for the longest key."""
FEW: Final = 4
AT_TOP: Final = frozenset({"url", "preset", "path", "description", "badge", "auth.kind"})
GROUPS: Final = {"auth": "Auth and login", "login": "Auth and login", "headers": "Headers"}
ASSUMED: Final = ", if the server asks for credentials"
HAND: Final = "To change a key that is not in the form, edit the file."
SIGNS: Final[dict[CheckState, tuple[str, str]]] = {
    "well": ("✓", "well"),
    "failed": ("✗", "wrong"),
    "skipped": ("–", "dim"),  # noqa: RUF001 - the dash is meant
    "unknown": ("◌", "dim"),
}


def profile_page(
    profile: Profile,
    state: Mapping[str, Secret | DestinationChanged | None],
    rows: Sequence[PageRow],
    files: Sequence[tuple[Path, str]],
    steps: Sequence[Check] = (),
) -> list[WordLine]:
    lines: list[WordLine] = [[]]
    if profile.description:
        lines += [[(f" {profile.description}", "text")], []]
    lines.append(_row("url", profile.endpoint, "text"))
    if profile.preset:
        lines.append(_row("preset", profile.preset, "text"))
    if profile.badge:
        word, role = ("PROD", "wrong bold") if profile.badge == "prod" else (profile.badge, "text")
        lines.append(_row("badge", word, role))
    assumed = ASSUMED if profile.assumes_auth else ""
    lines.append(_row("auth", f"{auth_of(profile).words(profile)}{assumed}", "text"))
    if any(state.values()) or not profile.assumes_auth:
        for field, found in state.items():
            lines += _secret(profile, field, found)
    lines += [[], *_files(files)]
    if steps:
        lines += [*_heading("Connection"), *map(step_line, steps)]
    return [*lines, *_settings(profile, rows, files), *_methods(profile), [], [(f" {HAND}", "dim")]]


def broken_page(files: Sequence[tuple[Path, str]], problems: Sequence[str]) -> list[WordLine]:
    wrong: list[WordLine] = [[(" ! ", "careful bold"), (problem, "text")] for problem in problems]
    return [[], *wrong, [], *_files(files), [], [(" Fix the file to use this profile again.", "dim")]]


def _row(label: str, value: str, role: str) -> WordLine:
    return [(f" {label:<{LABEL}}  ", "dim"), (value, role)]


def _heading(words: str) -> list[WordLine]:
    return [[], [(f" {words}", "text bold")]]


def _secret(profile: Profile, field: str, found: Secret | DestinationChanged | None) -> list[WordLine]:
    match found:
        case Secret(source="environment"):
            return [_row(field, f"✓ {state_word(found)}", "well"), _row("", f"${profile.variable(field)}", "dim")]
        case Secret(source=source):
            place = f", in {source}" if source in {"secrets.toml", "keyring"} else ", until you quit"
            return [[*_row(field, f"✓ {state_word(found)}", "well"), (place, "dim")]]
        case DestinationChanged(why=why, changes=changes, advice=advice):
            lines = [_row(field, "! blocked", "careful bold"), _row("", why, "careful")]
            lines += [_row("", str(change), "text") for change in changes]
            advice = advice or "Send a call to allow it, or press s to enter it for this destination."
            return [*lines, _row("", advice, "dim")]
    if field == "session":
        return [_row(field, "○ no session yet", "middle"), _row("", "Press F8 to log in, or s to enter one.", "dim")]
    return [
        _row(field, "! missing", "careful bold"),
        _row("", f"Press s to enter it, or set {profile.variable(field)}.", "dim"),
    ]


def _files(files: Sequence[tuple[Path, str]]) -> list[WordLine]:
    labels = chain(["file"], repeat(""))
    return [_row(name, f"{file}  {label}", "middle") for name, (file, label) in zip(labels, files, strict=False)]


def step_line(step: Check) -> WordLine:
    sign, role = SIGNS[step.state]
    words = step.words if step.seconds is None else f"{step.words}  {duration(step.seconds)}"
    weight = {"well": "text", "failed": "wrong"}.get(step.state, "dim")
    return [(f" {sign} ", role), (f"{step.label:<{LABEL - 2}}  ", "text"), (words, weight)]


def _settings(profile: Profile, rows: Sequence[PageRow], files: Sequence[tuple[Path, str]]) -> Iterator[WordLine]:
    """Yield keys in groups: those from files with their place, then defaults."""
    names = [file.name for file, _ in files]
    short = {}
    for file, _ in files:  # Paths are shortened as long as they stay unique.
        short[str(file)] = file.name if names.count(file.name) == 1 else f"{file.parent.name}/{file.name}"
    for heading in ("Calls", "Auth and login", "Headers"):
        members = [row for row in rows if _heading_of(row[0]) == heading]
        chosen = [row for row in members if str(row[2]) != "default"]
        defaults = [row for row in members if str(row[2]) == "default" and row[1] is not None and row[1] != ""]
        if heading == "Auth and login" and not profile.secrets:
            defaults = []
        if chosen or defaults:
            yield from _heading(heading)
        for key, value, source in chosen:
            origin, _, number = str(source).rpartition(":")
            place = f"{short.get(origin, origin)}:{number}"
            if origin.startswith("preset "):
                place = origin.partition(",")[0]
            yield [*_setting(key, value, "text"), (f"  {place}", "dim")]
        for key, value, _ in defaults:
            is_long = isinstance(value, tuple) and len(value) > FEW
            yield _setting(key, (*value[:FEW], "…") if is_long else value, "middle")


def _heading_of(key: str) -> str:
    """Return the heading below which a key is listed, or nothing."""
    group = key.partition(".")[0]
    if key in AT_TOP or group == "method":
        return ""
    return GROUPS.get(group, "Calls")


def _setting(key: str, value: Any, role: str) -> WordLine:
    label = key.partition(".")[2] or key
    if value is None or value == "":
        return _row(label, "none", "dim")
    if isinstance(value, dict | list):
        return _row(label, json_of(value).decode(), "json-punctuation")
    if isinstance(value, tuple):
        return _row(label, ", ".join(map(str, value)), role)
    if key == "timeout":
        return _row(label, f"{value:g} s", role)
    return _row(label, str(value), role)


def _methods(profile: Profile) -> Iterator[WordLine]:
    if profile.methods:
        yield from _heading("Described methods")
        for name, note in profile.methods.items():
            mark, role = {True: ("safe  ", "well"), False: ("! unsafe  ", "careful"), None: ("", "dim")}[note.safe]
            yield [*_row(name, mark, role), (note.doc, "middle")]
