"""A profile as a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from rpcexplorer.auth.registry import auth_of
from rpcexplorer.client.report import Check, CheckState
from rpcexplorer.model.destination import DestinationChanged
from rpcexplorer.model.problem import counted
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
        case Secret(source="environment" | "inherited"):
            return "from environment"
        case Secret(source="secrets.toml" | "keyring"):
            return "stored"
        case Secret(source="session"):
            return "logged in"
        case Secret(source="command" | "file" as source):
            return f"from {source}"
        case Secret():
            return "entered"
        case DestinationChanged():
            return "blocked"
    return "missing"


def key_of(field: str, source: str) -> str:
    """Return the key of the command or file of a secret."""
    return "auth.secret_file" if source == "file" else f"auth.{field}_command"


def goes_with(profile: Profile, method: str) -> str:
    """Describe the credentials of a call; no secret is read."""
    kind = auth_of(profile)
    if kind.session_cookie and method == profile.login.method and not profile.login.path:
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
HEADINGS: Final = ("Process", "Auth and login", "Requests", "Headers")
GROUPS: Final = {
    **dict.fromkeys(("command", "folder", "environment", "environment_secrets"), "Process"),
    **dict.fromkeys(("auth", "login"), "Auth and login"),
    "headers": "Headers",
}
COUNTED: Final = {"call": "saved calls", "variables": "variables", "method": "methods"}
"""Tables of a file that are only counted, by their key: the call screen shows what is in them."""
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
    lines += _settings(rows, files)
    lines += [[], *_counted(rows)]
    return [*lines, [], [(f" {HAND}", "dim")]]


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
        case Secret(source="command" | "file" as source):
            return [_row(field, f"✓ {state_word(found)}", "well"), _row("", key_of(field, source), "dim")]
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


def _files(files: Sequence[tuple[Path, str]]) -> Iterator[WordLine]:
    """Yield name and folder of each file on a row of its own, so that no path is broken."""
    label = "file"
    for file, kind in files:
        yield _row(label, f"{file.name}  {kind}", "text")
        yield _row("", str(file.parent), "dim")
        label = ""


def step_line(step: Check) -> WordLine:
    sign, role = SIGNS[step.state]
    words = step.words if step.seconds is None else f"{step.words}  {duration(step.seconds)}"
    weight = {"well": "text", "failed": "wrong"}.get(step.state, "dim")
    return [(f" {sign} ", role), (f"{step.label:<{LABEL - 2}}  ", "text"), (words, weight)]


def _settings(rows: Sequence[PageRow], files: Sequence[tuple[Path, str]]) -> Iterator[WordLine]:
    """Yield in groups what the files set, with its place if it can be in several."""
    names = [file.name for file, _ in files]
    short = {}
    for file, _ in files:  # Paths are shortened as long as they stay unique.
        short[str(file)] = file.name if names.count(file.name) == 1 else f"{file.parent.name}/{file.name}"
    for heading in HEADINGS:
        members = [row for row in rows if _heading_of(row[0]) == heading and str(row[2]) != "default"]
        if members:
            yield from _heading(heading)
        for key, value, source in members:
            origin, _, number = str(source).rpartition(":")
            words = _setting(key, value)
            if origin.startswith("preset "):
                words.append((f"  {origin.partition(',')[0]}", "dim"))
            elif len(files) > 1:
                words.append((f"  {short.get(origin, origin)}:{number}", "dim"))
            yield words


def _counted(rows: Sequence[PageRow]) -> Iterator[WordLine]:
    """Yield how many saved calls, variables, methods and defaults there are."""
    for table, label in COUNTED.items():
        names = dict.fromkeys(_entry(key) for key, _, _ in rows if key.startswith(f"{table}."))
        if names:
            more = ", …" if len(names) > FEW else ""
            yield [*_row(label, f"{len(names)}", "text"), (f"  {', '.join([*names][:FEW])}{more}", "middle")]
    count = sum(str(source) == "default" and bool(_heading_of(key)) for key, _, source in rows)
    if count:
        yield _row("defaults", counted(count, "key"), "middle")


def _entry(key: str) -> str:
    """Return the name of a saved call, a variable or a method; it is in quotes if it has dots."""
    name = key.partition(".")[2]
    if name.startswith('"'):
        return name[1:].partition('"')[0]
    return name.partition(".")[0]


def _heading_of(key: str) -> str:
    """Return the heading below which a key is listed, or nothing."""
    group = key.partition(".")[0]
    if key in AT_TOP or group in COUNTED:
        return ""
    return GROUPS.get(group, "Requests")


def _setting(key: str, value: Any) -> WordLine:
    label = "secrets" if key == "environment_secrets" else key.partition(".")[2] or key
    if value is None or value == "":
        return _row(label, "none", "dim")
    if isinstance(value, dict | list):
        return _row(label, json_of(value).decode(), "json-punctuation")
    if isinstance(value, tuple):
        return _row(label, ", ".join(map(str, value)), "text")
    if key == "timeout":
        return _row(label, f"{value:g} s", "text")
    return _row(label, str(value), "text")
