"""A connection test in words: certificate, suggested changes, commands."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from rpcexplorer.auth.registry import auth_of
from rpcexplorer.client.probe import METHODS, MOST, behind_login, connection_method
from rpcexplorer.client.report import Check, Report
from rpcexplorer.model.problem import PROGRAM, quoted
from rpcexplorer.model.profile import Preset, Profile, joined, typed_whole
from rpcexplorer.redaction.addresses import redacted_address
from rpcexplorer.text.printable import clipped
from rpcexplorer.transport.port import ShownCertificate

NAMES = 6
ROOM = 200


def certificate_rows(shown: ShownCertificate, trusted: str | None, now: datetime) -> list[tuple[str, str]]:
    """Return labels and values; ``trusted`` is the pinned fingerprint so far."""
    certificate = shown.certificate
    rows = [("fingerprint", certificate.fingerprint)]
    if trusted and trusted != certificate.fingerprint:
        rows.append(("pinned before", f"{trusted}  (different)"))
    if certificate.remark:
        rows.append(("warning", certificate.remark))
    else:
        names = [clipped(name, ROOM) for name in certificate.names[:NAMES]]
        more = len(certificate.names) - len(names)
        if more > 0:
            names.append(f"{more} more")
        since, until = certificate.since, certificate.until
        assert since is not None
        assert until is not None
        state = ""
        if now < since:
            state = "  (not valid yet)"
        elif now > until:
            state = "  (expired)"
        issuer = "self-signed" if certificate.self_signed else clipped(certificate.issuer, ROOM)
        rows += [
            ("subject", clipped(certificate.subject, ROOM) or "no name"),
            ("issuer", issuer or "no name"),
            ("hosts", ", ".join(names) or "none"),
            ("valid", f"{since:%Y-%m-%d} to {until:%Y-%m-%d}{state}"),
        ]
    # The question below replaces the second sentence, which says what to do.
    return [*rows, ("verified", shown.problem.partition(". ")[0].removesuffix(".") or "yes")]


OPTIONS: Final = {"auth.kind": "--auth", "auth.header": "--auth-header"}
"""Options of ``profiles add`` that are not called as their key is."""
KIND: Final = "KIND"
"""Stands for an auth type that only the user can choose."""


def plan(profile: Profile, presets: Mapping[str, Preset]) -> str:
    if profile.is_open_connection:
        method = connection_method(profile, presets)
        action = "starts the process" if profile.command else "opens the connection"
        credentials = ""
        if profile.call_secrets:
            credentials = f" with the credentials of {profile.shown_name}"
            if profile.assumes_auth:
                credentials += " (if there are any)"
        return (
            f"The test {action}, calls {method}{credentials}, and lists the messages of the first second. "
            "If that fails, it tries other settings, without credentials at other addresses. Nothing is recorded."
        )
    requests = f"The test sends at most {MOST} requests, one at a time: {', '.join(METHODS)}. They are not recorded."
    if not profile.call_secrets:
        return requests
    method, login = behind_login(profile, presets) or auth_of(profile).harmless, profile.login.method
    needed = "the server asks for credentials and a password is stored" if profile.assumes_auth else "they succeed"
    if not auth_of(profile).opens_session(profile):
        return f"{requests} If {needed}, the test calls {method} with the credentials of {profile.shown_name}."
    return (
        f"{requests} If {needed}, the test calls {login} with the credentials of {profile.shown_name}. "
        f"If only a session is stored, it calls {method} instead."
    )


def steps_in_rows(report: Report, profile: Profile, now: datetime) -> Iterator[Check | tuple[str, str]]:
    """Yield each step, and after TLS the rows of the certificate."""
    for check in report.checks:
        yield check
        if check.label == "TLS" and report.certificate is not None:
            yield from certificate_rows(report.certificate, profile.certificate, now)


def profile_lines(name: str, url: str, keys: Mapping[str, Any]) -> list[str]:
    lines = [f"[profile.{name}]"]
    for key, value in {"url": url, **keys}.items():
        shown = redacted_address(value) if key in {"url", "path"} else value
        lines.append(f"{key} = {_toml(shown)}")
    return lines


def add_command(
    name: str, url: str, keys: Mapping[str, Any], secrets: tuple[str, ...], *, lacks_auth: bool = False
) -> list[str]:
    """Return the commands that add a profile.

    With ``lacks_auth``, they contain a mark for the auth type.
    """
    values = dict(keys)
    path = values.pop("path", None)
    address = redacted_address(url if path is None else typed_whole(joined(url, path)))
    words = [f"--url {quoted(address)}"]
    if command := values.pop("command", ()):
        words = [f"--stdio {quoted(shlex.join(command))}"]
    for key, value in values.pop("auth", {}).items():
        values[f"auth.{key}"] = value
    for key, value in values.items():
        option = OPTIONS.get(key, f"--{key.replace('_', '-')}")
        text = value["header"] if isinstance(value, dict) else str(value)
        words.append(f"{option} {quoted(text)}")
    if lacks_auth:
        words.append(f"{OPTIONS['auth.kind']} {KIND}")
    stored = [f"{PROGRAM} profiles secret {name} {field}" for field in secrets]
    if keys.get("auth", {}).get("kind") == "oauth":
        stored.append(f"{PROGRAM} login -p {name}")
    return [f"{PROGRAM} profiles add {name} {' '.join(words)}", *stored]


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        members = [f"{key} = {_toml(inner)}" for key, inner in value.items()]
        return f"{{ {', '.join(members)} }}"
    return json.dumps(value, ensure_ascii=False)
