"""The palette finds a command by common words."""

from __future__ import annotations

import pytest
from textual.dom import DOMNode

from rpcexplorer.tui.commands import SCOPES, Scope
from rpcexplorer.tui.dialogs import palette_picks
from rpcexplorer.tui.widgets.picker import matching


class AlwaysPossible(DOMNode):
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return True


HERE: tuple[Scope, ...] = ("methods", "response", "params", "recent", "call", "everywhere")


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("dark", "theme"),
        ("color", "theme"),
        ("settings", "paths"),
        ("config", "paths"),
        ("keys", "help"),
        ("shortcut", "help"),
        ("token", "login"),
        ("timeout", "profiles"),
        ("add server", "profiles"),
        ("reload", "discover"),
        ("openrpc", "discover"),
        ("safe", "mark-safe"),
        ("variables", "manual/saved-calls"),
        ("bug", "response.ticket"),
        ("manual", "manual"),
        ("secrets", "manual/secrets"),
    ],
)
def test_common_words_find_the_command_first(words: str, first: str) -> None:
    picks = palette_picks({scope: AlwaysPossible() for scope in HERE}, {})
    assert matching(picks, words)[0].pick.id == first


def test_words_of_no_command_find_nothing() -> None:
    picks = palette_picks({scope: AlwaysPossible() for scope in SCOPES}, {})
    assert matching(picks, "xyzzy plugh") == []
