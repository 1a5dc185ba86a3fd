"""Saved calls on a command line, ``call @name``; and values for ``{{…}}``: with ``--set``, or asked for."""

from __future__ import annotations

from collections.abc import Sequence

import click
from msgspec.structs import replace

from rpcexplorer.cli.context import Invocation, fail
from rpcexplorer.cli.person import visible
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.method import SIGN, method_of, no_such_call
from rpcexplorer.variables.references import can_be_named
from rpcexplorer.variables.resolve import Missing, used_in


def values_of(words: Sequence[str]) -> dict[str, str]:
    """What ``--set`` gives; the last of two with one name."""
    given = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign or not can_be_named(name):
            raise click.UsageError(
                f"--set {word} is not NAME=VALUE; write --set page=2 for {{{{page}}}} in the params."
            )
        given[name] = value
    return given


def resolved(
    invocation: Invocation, explorer: Explorer, draft: Draft | Batch, given: Sequence[str], *, ask: bool, id: str = ""
) -> Draft | Batch:
    """The call that is meant, with its values; or the end of the command, where one of them is missing.

    What was typed here without ``--set`` stays as it is: in it, what has no value is sent as typed.
    """
    values = values_of(given)
    is_saved = isinstance(draft, Draft) and draft.method.startswith(SIGN) and method_of(draft.method) == draft.method
    if isinstance(draft, Draft):
        draft = _saved(explorer, draft) if is_saved else replace(draft, method=method_of(draft.method))
    if not (is_saved or values):
        return draft
    for name in values.keys() - {each.name for each in used_in(draft)}:
        invocation.world.say(f"note: --set {name}=… has no effect: there is no {{{{{name}}}}} in the params")
    found = explorer.resolved(draft, values, id=id)
    if isinstance(found, Missing) and ask and invocation.world.asks:
        found = explorer.resolved(draft, values | _asked(found), id=id)
    if isinstance(found, Missing):
        ways = " ".join(f"--set {name}=…" for name in found.names)
        fail(found.sentence + (f" Add {ways}, or write it into [variables] of sessions.toml." if ways else ""))
    return found


def _saved(explorer: Explorer, draft: Draft) -> Draft:
    name, calls = draft.method.removeprefix(SIGN), explorer.saved_calls()
    if name not in calls:
        fail(no_such_call(draft.method, calls, explorer.profile.name if explorer.profile else ""))
    if draft.text:
        fail(f"{draft.method} has params of its own; to change what is left open in them, use --set name=value.")
    return calls[name].draft(notification=draft.notification)


def _asked(missing: Missing) -> dict[str, str]:
    """Ask for what can be given; Enter alone gives nothing."""
    values = {}
    for name in missing.names:
        if value := visible(f"{{{{{name}}}}}"):
            values[name] = value
    return values
