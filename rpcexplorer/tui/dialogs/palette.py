"""The command palette: every command that there is here, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textual.app import App

from rpcexplorer.tui.commands import COMMANDS, Command, Scope, first_key
from rpcexplorer.tui.dialogs.picker import Pick, Picker


async def chosen_command(app: App[Any], nodes: Mapping[Scope, Any], keymap: Mapping[str, str]) -> Command | None:
    """The command that was chosen; ``nodes`` answer for the scopes, the one of the pane at hand first.

    What cannot be done now is found by name, and not chosen.
    """
    found = {
        command.id: command
        for scope in nodes
        for command in COMMANDS
        if command.scope == scope and command.id != "palette"
    }
    picks = []
    for each in found.values():
        idle = not nodes[each.scope].check_action(each.action, ())
        key = "not now" if idle else first_key(each.id, keymap)
        picks.append(Pick(each.id, each.words, each.help, key, each.synonyms, idle))
    chosen = await app.push_screen_wait(Picker("Commands", picks))
    return found.get(chosen or "")
