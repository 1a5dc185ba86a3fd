"""The checks of a file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rpcexplorer.checks.jq_process import JqProcess
from rpcexplorer.checks.run import Check
from rpcexplorer.explorer import Explorer
from rpcexplorer.files.toml import dotted
from rpcexplorer.model.method import SavedCall
from rpcexplorer.model.problem import Problem, UserError, first_few
from rpcexplorer.model.profile import Profile
from rpcexplorer.variables.references import NOTHING

MAX_PROBLEMS = 10
HOW_TO = """To make one, write into sessions.toml:
[call.NAME]
method = "ping"
[call.NAME.expect]
outcome = "result\""""


def how_to_expect(name: str) -> str:
    """Return what makes a saved call a check."""
    return f'To make it a check, add this to its file:\n[{dotted(("call", name, "expect"))}]\noutcome = "result"'


def checks_in(explorer: Explorer, file: Path, use: Callable[[str | None], Profile], *, is_chosen: bool) -> list[Check]:
    """Return the checks of a file in their order.

    ``use`` returns the profile with a name, or the one in use. If the user has chosen that (``is_chosen``), the calls
    of other profiles are left out.
    """
    calls, layer, problems = explorer.profiles.checks_in(file)
    if problems:
        raise UserError("\n".join(first_few(problems, MAX_PROBLEMS)))
    found, variables = [], dict[str, Mapping[str, str]]()
    for call in calls:
        profile = use(None if is_chosen else call.profile or None)
        if call.profile in {"", profile.name}:
            if profile.name not in variables:
                variables[profile.name] = explorer.profiles.variables_of(profile, layer)
            found.append(check_of(call, profile, variables[profile.name]))
    refuse_broken_jq(found)
    return found


def refuse_broken_jq(checks: Sequence[Check]) -> None:
    """Raise ``UserError`` if no result could meet a jq expression of the checks."""
    if not any(check.expect.jq for check in checks):
        return
    if problems := asyncio.run(_broken_jq(checks)):
        raise UserError("\n".join(first_few(problems, MAX_PROBLEMS, where=".")))


async def _broken_jq(checks: Sequence[Check]) -> list[Problem]:
    process, found = JqProcess(), []
    for check in checks:
        call = check.call
        for expression in check.expect.jq:
            if sentence := await process.problem(expression):
                key = dotted(("call", call.name, "expect", "jq"))
                found.append(Problem(call.file, f"{expression}: {sentence}", call.line, key))
    await process.close()
    return found


def check_of(call: SavedCall, profile: Profile, variables: Mapping[str, str] = NOTHING) -> Check:
    assert call.expect is not None
    return Check(call, call.expect, profile, variables)
