"""The pages of the manual, and the page of each command and pane."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

FOLDER: Final = Path(__file__).parent
PAGES: Final = (
    "tutorial",
    "calls",
    "profiles",
    "connecting",
    "auth",
    "logins",
    "secrets",
    "discovery",
    "saved-calls",
    "history",
    "share",
    "checks",
    "ci",
    "load",
    "connections",
    "mcp",
    "answers",
    "a2a",
    "scripts",
    "agents",
    "python",
    "keys",
    "settings",
    "profile-keys",
    "json",
    "glossary",
    "changes",
    "guarantees",
    "speed",
    "development",
)
"""Names of all pages, in reading order."""
COMMAND_PAGES: Final[Mapping[str, str]] = {
    "batch": "calls",
    "call": "calls",
    "check": "checks",
    "compare": "share",
    "completion": "scripts",
    "copy": "share",
    "demo": "tutorial",
    "history": "history",
    "history export": "share",
    "history import": "share",
    "import": "calls",
    "keys": "keys",
    "listen": "connections",
    "load": "load",
    "login": "logins",
    "logout": "logins",
    "manual": "scripts",
    "methods": "discovery",
    "notify": "calls",
    "params": "discovery",
    "paths": "settings",
    "presets": "profiles",
    "profiles": "profiles",
    "profiles allow": "secrets",
    "profiles check": "secrets",
    "profiles secret": "secrets",
    "profiles test": "connecting",
    "profiles trust": "connecting",
    "replay": "share",
    "themes": "settings",
}
PANE_PAGES: Final[Mapping[str, str]] = {
    "everywhere": "keys#everywhere",
    "call": "calls#send-cancel-resend",
    "methods": "calls#choose-a-method",
    "recent": "history#look-at-a-call",
    "params": "calls#write-params-on-the-screen",
    "docs": "discovery#read-the-docs-of-a-method",
    "response": "calls#read-the-response",
    "table": "calls#read-the-response",
    "history": "history#look-at-a-call",
    "batch": "calls#send-cancel-resend",
    "form": "calls#write-params-on-the-screen",
    "comparison": "share#compare-two-responses",
    "replay": "share#replay",
    "checks": "checks#on-the-screen",
    "statistics": "history#count-calls",
    "events": "connections#read-events",
    "profiles": "profiles#add-a-profile",
    "connection test": "connecting#test-the-connection",
    "login": "logins",
    "secrets": "secrets#store-a-secret",
    "changes": "discovery#see-what-changed",
    "save": "saved-calls#save-a-call",
    "theme": "settings#choose-a-theme",
    "files": "settings#where-the-files-are",
    "manual": "keys#manual",
    "lists": "keys#lists-and-texts",
}


class Page(Struct, frozen=True):
    """A page of the manual."""

    name: str
    title: str
    """The first heading."""
    summary: str
    """The first sentence, without Markdown."""
    text: str
    """The whole page, in Markdown."""


def read_page(name: str) -> Page:
    """Read a page by one of the names in ``PAGES``."""
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    title, _, rest = text.removeprefix("# ").partition("\n")
    paragraph = " ".join(rest.strip().partition("\n\n")[0].split())
    sentence = re.split(r"(?<=[.:]) ", paragraph, maxsplit=1)[0]
    return Page(name, title, re.sub(r"[*`]", "", sentence), text)


def read_pages() -> list[Page]:
    """Read all pages, in reading order."""
    return [read_page(name) for name in PAGES]


def page_of_command(words: str) -> str:
    """Return the page of a command such as ``profiles secret``.

    A subcommand without a page has that of its group.
    """
    return COMMAND_PAGES.get(words) or COMMAND_PAGES[words.partition(" ")[0]]


def page_of_pane(pane: str) -> str:
    """Return the page of a pane, screen or dialog by its scope, and its section: ``share#replay``."""
    return PANE_PAGES.get(pane, "keys")
