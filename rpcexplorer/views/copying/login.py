"""The login that goes ahead of a copied call: what is pasted opens its own session, and needs nothing but a password.

A variable that is set is used as it is; for a password that is in none, whoever pasted it is asked. In a shell all of
it is one command in a process of its own: it is read whole before any of it runs, so that no line of it is taken for
the answer, and nothing of it stays behind in the shell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rpcexplorer.auth.registry import auth_of
from rpcexplorer.model.profile import Profile, variable
from rpcexplorer.model.secret import PLACEHOLDER
from rpcexplorer.views.copying.quoting import python_expression, quoted

NO_SESSION: Final = "no session came of the login"
_SPECIAL = re.compile(r"[][\\.*^$/]")


def in_shell(profile: Profile, body: str, login: list[str], call: list[str]) -> str:
    """For bash and zsh, both given in pieces that each have a line of their own.

    ``login`` prints the headers of its reply, and what follows them where the session stands there.
    """
    session = variable(profile.name, "session")
    needed = list(_needed(profile, body))
    asked = [
        f'[ -n "${{{session}-}}${{{name}-}}" ] || {{\n'
        f"    printf %s {quoted(f'{field} of {profile.name}: ')} >&2; IFS= read -rs {name}; echo >&2; }}"
        for name, field in needed
    ]
    checked = "".join(f'"${{{name}:?}}" ' for name, _ in needed)
    found = " ".join(f"-e {quoted(each)}" for each in _in_reply(profile))
    steps = [
        *asked,
        f'[ -n "${{{session}-}}" ] || {session}=$(',
        f"  : {checked}&& {continued(login, 4)} |",
        f"  tr -d '\\r' | sed -n {found} | sed -n 1p)",
        f': "${{{session}:?{NO_SESSION}}}" &&',
        continued(call, 2),
    ]
    return "( " + "\n  ".join(steps) + " )"


def continued(pieces: list[str], margin: int = 0) -> str:
    """A command on several lines. A line break within a piece is a part of what it says."""
    return f" \\\n{' ' * (margin + 2)}".join(pieces)


def _needed(profile: Profile, body: str) -> Iterator[tuple[str, str]]:
    """The variables that the login reads, and the fields of the profile that they stand for."""
    fields = (found["field"] for found in PLACEHOLDER.finditer(body) if found["profile"] == profile.name)
    return ((variable(profile.name, field), field) for field in dict.fromkeys(fields))


def _in_reply(profile: Profile) -> Iterator[str]:
    """What sed takes the session out of a reply by: the cookie, then the member that the profile names."""
    cookie = auth_of(profile).session_cookie
    if cookie:
        yield rf"s/^[Ss]et-[Cc]ookie: *{literally(cookie)}=\([^;]*\).*/\1/p"
    if in_result(profile):
        names = [part for part in _parts(profile.login.session or "") if not part.isdecimal()]
        yield rf's/.*"{literally(names[-1] if names else member_of(profile))}" *: *"\([^"]*\)".*/\1/p'


def in_result(profile: Profile) -> bool:
    """Whether the session stands in the result of the login, and not in a cookie alone."""
    return profile.login.session is not None or not auth_of(profile).session_cookie


def member_of(profile: Profile) -> str:
    """The member of a reply that is the result."""
    return "arguments" if profile.envelope == "transmission" else "result"


def literally(name: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", name)


def _parts(pointer: str) -> list[str]:
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def in_python(profile: Profile, body: str, login: list[str]) -> list[str]:
    """Lines of Python; ``login`` are those that make ``response`` of it."""
    session = variable(profile.name, "session")
    lines = [f'if not os.environ.get("{session}"):']
    for name, field in _needed(profile, body):
        lines += [
            f'    if not os.environ.get("{name}"):',
            f'        os.environ["{name}"] = getpass.getpass("{field} of {profile.name}: ")',
        ]
    cookie = auth_of(profile).session_cookie
    found = f"response.cookies.get({python_expression(cookie, profile.name)})" if cookie else ""
    lines += [f"    {line}" for line in login]
    if not in_result(profile):
        return [*lines, f'    os.environ["{session}"] = {found} or sys.exit("{NO_SESSION}")', ""]
    names = _parts(profile.login.session or "")
    parts = (part if part.isdecimal() else python_expression(part, "") for part in (member_of(profile), *names))
    value = f"response.json(){''.join(f'[{part}]' for part in parts)}"
    return [
        *lines,
        "    try:",
        f'        os.environ["{session}"] = {f"{found} or {value}" if found else value}',
        "    except (LookupError, TypeError, ValueError):",
        f'        sys.exit("{NO_SESSION}")',
        "",
    ]
