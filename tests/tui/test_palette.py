"""The palette finds a command by common words."""

from __future__ import annotations

import pytest

from rpcexplorer.tui.commands import SCOPES, Commanded, Scope
from rpcexplorer.tui.dialogs import palette_picks
from rpcexplorer.tui.widgets.picker import matching


class AlwaysPossible(Commanded):
    def has(self, state: str) -> bool:
        return True


class NeverPossible(Commanded):
    def has(self, state: str) -> bool:
        return False


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
        ("add server", "add-profile"),
        ("proxy", "manual/connecting"),
        ("reload", "discover"),
        ("openrpc", "discover"),
        ("safe", "mark-safe"),
        ("variables", "manual/saved-calls"),
        ("bug", "response.ticket"),
        ("manual", "manual"),
        ("secrets", "manual/secrets"),
        ("reset", "params.reset"),
        ("undo", "params.undo"),
        ("repeat", "recent.again"),
        ("compare", "response.compare"),
        ("quit", "quit"),
    ],
)
def test_common_words_find_the_command_first(words: str, first: str) -> None:
    picks = palette_picks({scope: AlwaysPossible() for scope in HERE}, {})
    assert matching(picks, words)[0].pick.id == first


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        ("url", "add-profile"),
        ("server", "add-profile"),
        ("address", "add-profile"),
        ("password", "manual/secrets"),
        ("export", "manual/share"),
    ],
)
def test_common_word_finds_the_command(word: str, wanted: str) -> None:
    picks = palette_picks({scope: AlwaysPossible() for scope in HERE}, {})
    assert wanted in [shown.pick.id for shown in matching(picks, word)]


@pytest.mark.parametrize("words", ["export", "curl"])
def test_draft_is_what_can_be_exported_without_a_response(words: str) -> None:
    scopes: tuple[Scope, ...] = ("methods", "params", "call", "everywhere")
    picks = palette_picks({scope: AlwaysPossible() for scope in scopes}, {})
    assert matching(picks, words)[0].pick.id == "copy"


@pytest.mark.parametrize("words", ["add server", "new url"])
def test_profiles_screen_offers_its_own_command(words: str) -> None:
    picks = palette_picks({"profiles": AlwaysPossible(), "everywhere": NeverPossible()}, {})
    assert matching(picks, words)[0].pick.id == "profiles.add"


def test_scattered_letters_find_no_page_of_the_manual() -> None:
    assert matching(palette_picks({}, {}), "mouse") == []


def test_words_of_no_command_find_nothing() -> None:
    picks = palette_picks({scope: AlwaysPossible() for scope in SCOPES}, {})
    assert matching(picks, "xyzzy plugh") == []
