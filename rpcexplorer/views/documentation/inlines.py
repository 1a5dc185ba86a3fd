"""What stands inside a line of Markdown: code, emphasis, links as their text and where they lead. HTML is text.

Each pattern looks a bounded way ahead, so that no text makes it slow.
"""

from __future__ import annotations

import re
from typing import Final

from rpcexplorer.views.words.sentences import WordLine

DEEPEST: Final = 3
"""Emphasis inside emphasis."""
CODE: Final = "json-key"
"""The role of what is code: most of it are names of params, which are drawn so."""
_INLINE = re.compile(
    r"""
      \\ (?P<escaped> [!-/:-@\[-`{-~] )
    | (?P<ticks> `{1,3} ) (?! ` ) (?P<code> .{1,300}? ) (?<! ` ) (?P=ticks) (?! ` )
    | (?P<image> !? ) \[ (?P<text> [^\[\]]{0,300}+ ) \] (?: \( \s? <? (?P<url> [^()\s<>]{0,500}+ ) >?
        (?: \s{1,3}+ (?: "[^"()]{0,200}+" | '[^'()]{0,200}+' ) )? \s? \) | \[ (?P<label> [^\[\]]{0,100}+ ) \] )
    | < (?P<auto> (?: https?:// | mailto: ) [^<>\s]{1,500}+ ) >
    | (?P<strong> \*\* | (?<! \w ) __ ) (?= \S ) (?P<loud> .{1,300}? ) (?<= \S ) (?P=strong) (?: (?<= \* ) | (?! \w ) )
    | (?P<em> \* | (?<! \w ) _ ) (?= [^\s*_] ) (?P<soft> [^*_]{1,300}+ ) (?<= \S ) (?P=em)
        (?: (?<= \* ) | (?! \w ) )
    """,
    re.VERBOSE,
)


def inline(text: str, role: str = "text", depth: int = 0) -> WordLine:
    """A line's pieces, each with its role."""
    words: WordLine = []
    at = 0
    for found in _INLINE.finditer(text):
        words.append((text[at : found.start()], role))
        words += _pieces(found, role, depth)
        at = found.end()
    return [piece for piece in (*words, (text[at:], role)) if piece[0]]


def _pieces(found: re.Match[str], role: str, depth: int) -> WordLine:
    part = found.groupdict()
    if part["escaped"]:
        return [(part["escaped"], role)]
    if part["code"]:
        return [(_code(part["code"]), CODE)]
    if part["auto"]:
        return [(part["auto"], f"{role} underline")]
    if part["text"] is not None:
        return _link(part["text"], part["url"] or "", role, depth, image=bool(part["image"]))
    inside, attribute = (part["loud"], "bold") if part["loud"] else (part["soft"], "italic")
    loud = role if attribute in role.split() else f"{role} {attribute}"
    return inline(inside, loud, depth + 1) if depth < DEEPEST else [(inside, loud)]


def _link(text: str, url: str, role: str, depth: int, *, image: bool) -> WordLine:
    """Its text, and where it leads; of an image the text that stands for it."""
    shown = inline(text, role, depth + 1) if depth < DEEPEST else [(text, role)]
    if image:
        return shown or [("image", "dim")]
    if not url or text == url:
        return [(words, f"{each} underline") for words, each in shown] or [(url, role)]
    return [*((words, f"{each} underline") for words, each in shown), (f" ({url})", "dim")]


def _code(text: str) -> str:
    """One blank at both ends lets a backtick stand there and is none of it."""
    return text[1:-1] if text.strip() and text[0] == text[-1] == " " and len(text) > 2 else text
