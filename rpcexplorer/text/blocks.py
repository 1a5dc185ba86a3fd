"""The texts inside a result, as a person reads them: Markdown, code, JSON in a string.

A string is such a text if it has several lines, or words that are longer than a row, or JSON in it. Where texts are
expected, short ones count, too: a string as the whole result, the content of an MCP tool, the hover of a language
server, and a member beside its media type. Base64 is shown as its type and size.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from rpcexplorer.jsontext.layout import indented
from rpcexplorer.patterns import regex
from rpcexplorer.text.code import code_lines, is_known, markup_language
from rpcexplorer.text.document_rows import step_text
from rpcexplorer.text.exchange import size
from rpcexplorer.text.markdown import PageRows, markdown, plain
from rpcexplorer.text.wrapping import WordLine

ROW: Final = 80
"""Characters of a row. A longer string without a blank may be a key or a hash, so it is not a text."""
MAX_BLOCKS: Final = 500
MAX_CHARACTERS: Final = 100_000
"""Characters shown of one text. Copied, and in a pipe, it is whole."""
MAX_ROWS: Final = 20_000
INDENT: Final = 2
MARKDOWN: Final = "markdown"
_MARKDOWN = regex(r"(?m)^(?:```|#{2,6} )")
"""A fence or a heading. A single # may begin a comment."""
_DATA_URL = regex(r"data:([\w.+/-]+)(?:;[\w=-]+)*;base64,")
_FILE_ENDING = regex(r"\.(\w+)(?:[?#].*)?\Z")
_NAMES: Final = {"": "text", "json": "JSON", "html": "HTML", "xml": "XML", MARKDOWN: "Markdown"}


class TextBlock(Struct, frozen=True):
    path: str
    """Path in the result, such as ``$.content[0].text``."""
    text: str
    language: str = ""
    """``markdown``, a language of ``code_lines``, or empty for plain text."""
    media: str = ""
    """The media type of base64, which is not shown itself."""

    @property
    def kind(self) -> str:
        """Return the type and the size, in words."""
        if self.media:
            return f"{self.media}  {size(len(self.text.rstrip('=')) * 3 // 4)}"
        name = _NAMES.get(self.language, self.language)
        return f"{name}  {size(len(self.text.encode(errors='surrogatepass')))}"


def text_blocks(result: bytes) -> list[TextBlock]:
    """Return the texts in a result in its order; none if it is not JSON.

    Of members with the same name, the last one counts.
    """
    blocks: list[TextBlock] = []
    waiting = [_Value("$", _decoded(result), is_text=True)]
    while waiting and len(blocks) < MAX_BLOCKS:
        found = waiting.pop()
        inner: list[_Value] = []
        if isinstance(found.value, str):
            blocks += _blocks_of(found)
        elif isinstance(found.value, list):
            is_text = found.is_text and found.path != "$"
            for at, item in enumerate(found.value):
                if isinstance(item, list | dict) or (isinstance(item, str) and (is_text or _may_be_text(item))):
                    inner.append(_Value(f"{found.path}[{at}]", item, found.language, is_text))
        elif isinstance(found.value, dict):
            inner += _members(found.path, found.value)
        waiting += reversed(inner)
    return blocks


class _Value(Struct, frozen=True):
    """A value of the result, with what its place says about it."""

    path: str
    value: Any
    language: str = ""
    is_text: bool = False
    """It is a text, however short."""
    media: str = ""


def _decoded(result: bytes) -> Any:
    try:
        return msgspec.json.decode(result)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):  # perhaps NaN, or half a character
        pass
    try:
        return json.loads(result.decode())
    except (ValueError, RecursionError):
        return None


def _members(path: str, members: Mapping[str, Any]) -> Iterator[_Value]:
    """Yield the members of an object that may have texts."""
    media = _string(members, "mimeType", "mime_type")
    named = _named(members, media)
    for name, value in members.items():
        is_string = isinstance(value, str)
        if not (isinstance(value, list | dict) or (is_string and (name in named or _may_be_text(value)))):
            continue
        inner = path + step_text(json.dumps(name, ensure_ascii=False))
        if is_string and media and name in {"data", "blob"}:
            yield _Value(inner, value, media=media)
        elif name == "contents" and name in named:
            yield _Value(inner, value, MARKDOWN, is_text=True)
        elif is_string:
            yield _Value(inner, value, _language(members, media), is_text=name in named)
        else:
            yield _Value(inner, value)


def _may_be_text(value: str) -> bool:
    """Return whether a string needs a closer look, which most do not."""
    return len(value) > ROW or "\n" in value or value.startswith(("{", "["))


def _named(members: Mapping[str, Any], media: str) -> set[str]:
    """Return the members that are texts or base64, however short, because the others say so."""
    named: set[str] = set()
    if media:
        named = {"text", "data", "blob"}
    if members.get("type") == "text" or "languageId" in members:  # of MCP, and of a text document
        named.add("text")
    if "language" in members or members.get("kind") in {MARKDOWN, "plaintext"}:  # of a language server
        named.add("value")
    if "contents" in members and members.keys() <= {"contents", "range"}:  # a hover
        named.add("contents")
    return named


def _language(members: Mapping[str, Any], media: str) -> str:
    """Return the language of the texts in an object; empty if the others do not say it."""
    if members.get("kind") == MARKDOWN:
        return MARKDOWN
    ending = _FILE_ENDING.search(_string(members, "uri", "path", "file", "filename", "name"))
    subtype = media.partition(";")[0].rpartition("/")[2].rpartition("+")[2].removeprefix("x-")
    names = (_string(members, "language", "languageId"), subtype, ending[1] if ending else "")
    for name in map(str.lower, names):
        if name in {MARKDOWN, "md"}:
            return MARKDOWN
        if is_known(name):
            return name
    return ""


def _string(members: Mapping[str, Any], *names: str) -> str:
    """Return the first of these members that is a string, or an empty text."""
    for name in names:
        value = members.get(name)
        if isinstance(value, str):
            return value
    return ""


def _blocks_of(found: _Value) -> Iterator[TextBlock]:
    """Yield the text that a string is, if it is one."""
    path, text, language = found.path, found.value, found.language
    if found.media:
        yield TextBlock(path, text, media=found.media)
    elif url := _DATA_URL.match(text):
        yield TextBlock(path, text[url.end() :], media=url[1])
    elif not language and _is_json(text):
        yield TextBlock(path, text, "json")
    elif text.strip() and (found.is_text or "\n" in text or (len(text) > ROW and " " in text)):
        if not language and _MARKDOWN.search(text):
            language = MARKDOWN
        yield TextBlock(path, text, language or markup_language(text))


def _is_json(text: str) -> bool:
    """Return whether a text is an object or array with something in it."""
    if not text.startswith(("{", "[")):
        return False
    try:
        return bool(msgspec.json.decode(text))
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return False


def plain_text(blocks: Sequence[TextBlock]) -> str:
    """Return the texts as they are; several are headed by their paths."""
    if len(blocks) == 1 and not blocks[0].media:
        return blocks[0].text
    parts: list[str] = []
    for block in blocks:
        parts.append(f"{block.path}  {block.media}" if block.media else f"{block.path}\n{block.text.rstrip()}")
    return "\n\n".join(parts)


class BlockRows(Struct, frozen=True):
    """Texts laid out for a width."""

    rows: list[WordLine]
    starts: list[int]
    """The first row of each text, which is its path."""


def block_rows(blocks: Sequence[TextBlock], width: int) -> BlockRows:
    """Lay out the texts, each below its path."""
    rows, starts = PageRows(width, MAX_ROWS), list[int]()
    for block in blocks:
        rows.blank()
        starts.append(len(rows.made))
        rows.add([(block.path, "text bold"), (f"  {block.kind}", "dim")], INDENT)
        text = block.text.replace("\r\n", "\n")
        if block.media:
            continue
        if block.language == MARKDOWN:
            markdown(text, rows, INDENT, most=MAX_CHARACTERS)
        elif not block.language:
            plain(text, rows, INDENT, most=MAX_CHARACTERS)
        else:
            _code(text, block.language, rows)
    if rows.is_full or len(blocks) >= MAX_BLOCKS:
        rows.made.append([("… the rest is not shown", "dim")])
    return BlockRows(rows.made, starts)


def _code(text: str, language: str, rows: PageRows) -> None:
    shown = text[:MAX_CHARACTERS]
    if language == "json" and len(text) <= MAX_CHARACTERS:
        shown = indented(text)
    for line in code_lines(shown, language):
        rows.add([(" " * INDENT, "text"), *line], INDENT + 2, "anywhere")
    rows.rest(len(text) - MAX_CHARACTERS, INDENT, "character")
