"""The manual on screen: pages, contents, links and the search."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from rpcexplorer.manual import PAGES, page_of_pane
from rpcexplorer.tui.commands import SCOPES
from rpcexplorer.tui.key_queue import PendingKeys
from rpcexplorer.tui.manual import ManualScreen
from rpcexplorer.tui.widgets.bars import Footer, Frame, Header
from tests.tui.stage import Stage, text_of

SMALL, USUAL, LARGE = (80, 24), (120, 40), (200, 60)
SECRETS = """\
# Secrets and where they may go

A *secret* is a password, a token or a login session. It is sent only to the **destination** that you stored it for.
The [auth types](auth.md#types) say which fields a profile needs. See [RFC 7617](https://rfc.example/7617).

In short:

```sh
rpcexplorer profiles secret staging password     # store the password of profile "staging"
```

## Where rpcexplorer looks

1. the environment variable `RPCEXPLORER_<PROFILE>_<FIELD>`;
2. `secrets.toml` in your state folder, readable only by you.

```console
$ rpcexplorer call -p team ping
rpcexplorer: sessions.toml:5: profile.team.auth.password: secrets are not allowed in this file
```

## Store a secret

| from | command |
|---|---|
| the keyboard | `rpcexplorer profiles secret staging password` |
| a password manager | `pass show staging \\| rpcexplorer profiles secret staging password --stdin` |

```toml
[profile.staging]
url = "https://rpc.example.com"   # base URL
timeout = 30
```

```json
{"name": "Ada", "age": 36, "active": true}
```

### In a keyring

Set `secrets = "keyring"`. See [below](#limits).

## Limits

> A value under six characters is hidden by position only.

- Nothing is hidden in a file that you write yourself.
- See also [the code](../README.md).
"""
AUTH = (
    """\
# Log in

Fifteen ways.

"""
    + "\n\n".join(f"## Way {number}\n\nIt is the way {number}." for number in range(15))
    + "\n\n## Types\n\nTen of them.\n"
)
TEXTS = {"secrets": SECRETS, "auth": AUTH}
Story = Callable[[Stage, Pilot[None], ManualScreen], Awaitable[None]]


def manual(page: str = "secrets") -> ManualScreen:
    titles = {name: text.partition("\n")[0].removeprefix("# ") for name, text in TEXTS.items()}
    return ManualScreen(titles, TEXTS.__getitem__, PendingKeys(), Frame(Header, Footer), page=page)


def visit(story: Story, size: tuple[int, int] = SMALL) -> None:
    async def run() -> None:
        stage, screen = Stage(), manual()
        async with stage.run_test(size=size) as pilot:
            stage.push_screen(screen)
            await pilot.pause()
            await pilot.pause()
            await story(stage, pilot, screen)

    asyncio.run(run())


@pytest.mark.drawn
@pytest.mark.thorough
@pytest.mark.parametrize("size", [SMALL, USUAL, LARGE], ids=["small", "usual", "large"])
def test_page_is_laid_out(compare_picture: Any, size: tuple[int, int]) -> None:
    async def show(pilot: Pilot[None]) -> None:
        pilot.app.push_screen(manual())
        await pilot.pause()
        await pilot.press("tab")
        await pilot.pause()

    assert compare_picture(Stage(), terminal_size=size, run_before=show, svg=size == USUAL)


@pytest.mark.drawn
@pytest.mark.thorough
def test_contents_in_a_small_terminal(compare_picture: Any) -> None:
    async def show(pilot: Pilot[None]) -> None:
        pilot.app.push_screen(manual())
        await pilot.pause()
        await pilot.press("c", "down")
        await pilot.pause()

    assert compare_picture(Stage(), terminal_size=SMALL, run_before=show)


@pytest.mark.drawn
@pytest.mark.thorough
def test_search_marks_all_matches(compare_picture: Any) -> None:
    async def show(pilot: Pilot[None]) -> None:
        pilot.app.push_screen(manual())
        await pilot.pause()
        await pilot.press("slash", *"secret", "enter", "n")
        await pilot.pause()

    assert compare_picture(Stage(), terminal_size=USUAL, run_before=show)


def test_link_leads_to_a_heading_and_escape_back() -> None:
    async def story(stage: Stage, pilot: Pilot[None], screen: ManualScreen) -> None:
        await pilot.press("tab", "enter")
        await pilot.pause()
        assert "Ten of them." in text_of(screen.view)
        assert screen.view.page.headings[-1].text == "Types"
        await pilot.press("escape")
        await pilot.pause()
        assert "A secret is a password" in text_of(screen.view)
        assert screen.view.current_link is not None
        await pilot.press("escape")
        await pilot.pause()
        assert stage.screen is not screen

    visit(story)


def test_search_finds_words_across_rows_ignoring_case() -> None:
    async def story(_: Stage, pilot: Pilot[None], screen: ManualScreen) -> None:
        await pilot.press("slash", *"only to the destination", "enter")
        assert screen.view.count == 1
        rows = {hit.row for hit in screen.view.hits}
        assert len(rows) == 2
        await pilot.press("slash", *"limits", "enter")
        await pilot.pause()
        assert screen.view.count == 1
        assert "Limits" in text_of(screen.view)
        await pilot.press("slash", *"Limit of", "enter")
        assert screen.view.count == 0

    visit(story)


def test_next_match_goes_round() -> None:
    async def story(_: Stage, pilot: Pilot[None], screen: ManualScreen) -> None:
        await pilot.press("slash", *"password", "enter")
        count = screen.view.count
        assert count > 2
        await pilot.press(*["n"] * count)
        assert screen.view.hit == 0
        await pilot.press("N")
        assert screen.view.hit == count - 1
        await pilot.press("escape")
        assert not screen.view.hits
        assert not screen.prompt.is_open

    visit(story)


def test_search_ends_when_another_page_opens() -> None:
    async def story(_: Stage, pilot: Pilot[None], screen: ManualScreen) -> None:
        await pilot.press("slash", *"password", "enter", "right_square_bracket")
        assert not screen.view.hits
        assert not screen.prompt.is_open
        await pilot.press("escape")
        assert screen._open_page == next(iter(screen._titles)), "it goes back at once"

    visit(story)


@pytest.mark.parametrize("size", [SMALL, USUAL])
def test_contents_lead_to_headings_and_pages(size: tuple[int, int]) -> None:
    async def story(_: Stage, pilot: Pilot[None], screen: ManualScreen) -> None:
        await pilot.press("c", "down", "down", "down", "enter")
        await pilot.pause()
        assert screen.view.has_focus
        assert "Limits" in text_of(screen.view)
        await pilot.press("c", "end", "enter")
        await pilot.pause()
        assert "Fifteen ways." in text_of(screen.view)
        await pilot.press("left_square_bracket")
        await pilot.pause()
        assert "A secret is a password" in text_of(screen.view)

    visit(story, size)


def test_link_to_no_page_says_so() -> None:
    async def story(stage: Stage, pilot: Pilot[None], screen: ManualScreen) -> None:
        await pilot.press("end", "shift+tab", "enter")
        await pilot.pause()
        assert [notice.message for notice in stage._notifications] == ["../README.md is not a page of this manual."]
        assert stage.screen is screen

    visit(story)


def test_every_pane_has_a_page() -> None:
    assert {page_of_pane(scope) for scope in SCOPES} <= {*PAGES}
