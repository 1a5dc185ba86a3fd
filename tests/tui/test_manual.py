"""The manual on screen: pages, contents, links and the search."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from rpcexplorer.manual import PAGES, page_of_pane, read_pages
from rpcexplorer.tui.commands import SCOPES
from rpcexplorer.tui.key_queue import PendingKeys
from rpcexplorer.tui.manual import ManualScreen
from rpcexplorer.tui.widgets.bars import Footer, Frame, Header
from tests.tui.stage import Staged, staged, text_of

SMALL, USUAL = (80, 24), (120, 40)
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


def manual(page: str = "secrets") -> ManualScreen:
    titles = {name: text.partition("\n")[0].removeprefix("# ") for name, text in TEXTS.items()}
    return ManualScreen(titles, TEXTS.__getitem__, PendingKeys(), Frame(Header, Footer), page=page)


@asynccontextmanager
async def reading(size: tuple[int, int] = SMALL) -> AsyncIterator[tuple[Staged, ManualScreen]]:
    """Open the manual at the page about secrets."""
    screen = manual()
    async with staged(size=size) as stage:
        stage.app.push_screen(screen)
        await stage.on(ManualScreen)
        yield stage, screen


async def test_link_leads_to_a_heading_and_escape_back() -> None:
    async with reading() as (stage, screen):
        await stage.press("tab", "enter")
        await stage.pause()
        assert "Ten of them." in text_of(screen.view)
        assert screen.view.page.headings[-1].text == "Types"
        await stage.press("escape")
        await stage.pause()
        assert "A secret is a password" in text_of(screen.view)
        assert screen.view.current_link is not None
        await stage.press("escape")
        await stage.pause()
        assert stage.app.screen is not screen


async def test_search_finds_words_across_rows_ignoring_case() -> None:
    async with reading() as (stage, screen):
        await stage.press("slash", *"only to the destination", "enter")
        assert screen.view.count == 1
        rows = {hit.row for hit in screen.view.hits}
        assert len(rows) == 2
        await stage.press("slash", *"limits", "enter")
        await stage.pause()
        assert screen.view.count == 1
        assert "Limits" in text_of(screen.view)
        await stage.press("slash", *"Limit of", "enter")
        assert screen.view.count == 0


async def test_next_match_goes_round() -> None:
    async with reading() as (stage, screen):
        await stage.press("slash", *"password", "enter")
        count = screen.view.count
        assert count > 2
        await stage.press(*["n"] * count)
        assert screen.view.hit == 0
        await stage.press("N")
        assert screen.view.hit == count - 1
        await stage.press("escape")
        assert not screen.view.hits
        assert not screen.prompt.is_open


async def test_search_ends_when_another_page_opens() -> None:
    async with reading() as (stage, screen):
        await stage.press("slash", *"password", "enter", "right_square_bracket")
        assert not screen.view.hits
        assert not screen.prompt.is_open
        await stage.press("escape")
        assert screen._open_page == next(iter(screen._titles)), "it goes back at once"


@pytest.mark.parametrize("size", [SMALL, USUAL])
async def test_contents_lead_to_headings_and_pages(size: tuple[int, int]) -> None:
    async with reading(size) as (stage, screen):
        await stage.press("c", "down", "down", "down", "enter")
        await stage.pause()
        assert screen.view.has_focus
        assert "Limits" in text_of(screen.view)
        await stage.press("c", "end", "enter")
        await stage.pause()
        assert "Fifteen ways." in text_of(screen.view)
        await stage.press("left_square_bracket")
        await stage.pause()
        assert "A secret is a password" in text_of(screen.view)


async def test_titles_of_pages_are_whole_beside_a_page() -> None:
    titles = {page.name: page.title for page in read_pages()}
    screen = ManualScreen(titles, lambda name: f"# {titles[name]}\n", PendingKeys(), Frame(Header, Footer))
    async with staged(size=USUAL) as stage:
        stage.app.push_screen(screen)
        await stage.on(ManualScreen)
        contents = text_of(screen.contents)
        assert "…" not in contents
        assert all(title in contents for title in titles.values())


async def test_link_to_no_page_says_so() -> None:
    async with reading() as (stage, screen):
        await stage.press("end", "shift+tab", "enter")
        await stage.pause()
        assert stage.notices == "../README.md is not a page of this manual."
        assert stage.app.screen is screen


def test_every_pane_has_a_page() -> None:
    assert {page_of_pane(scope).partition("#")[0] for scope in SCOPES} <= {*PAGES}
