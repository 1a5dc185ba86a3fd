"""Source code, markup and HTTP with colours: tokens of Pygments in roles of the theme.

JSON has colours of its own, see ``json_text``: they are several times faster, and work in the middle of a document.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Final

from rpcexplorer.patterns import regex
from rpcexplorer.text.json_text import coloured
from rpcexplorer.text.printable import printable
from rpcexplorer.text.wrapping import WordLine, joined

if TYPE_CHECKING:
    from pygments.lexer import Lexer

MAX_CHARACTERS: Final = 10_000
"""Characters of a text that are coloured, in about 5 ms. The rest is plain."""
MAX_SECONDS: Final = 0.1
"""Seconds for one text. Hostile markup takes quadratic time: 10,000 ampersands would take 0.3 s."""
_LEXERS: Final = {
    "BashLexer": "sh bash shell zsh",
    "CLexer": "c h",
    "CppLexer": "cpp c++ cc hpp",
    "CSharpLexer": "csharp c# cs",
    "CssLexer": "css",
    "DiffLexer": "diff patch",
    "GoLexer": "go golang",
    "GroovyLexer": "groovy gradle",
    "HtmlLexer": "html xhtml",
    "JavaLexer": "java",
    "JavascriptLexer": "javascript js jsx",
    "KotlinLexer": "kotlin kt",
    "LuaLexer": "lua",
    "PhpLexer": "php",
    "PythonLexer": "python py python3",
    "RubyLexer": "ruby rb",
    "RustLexer": "rust rs",
    "SqlLexer": "sql",
    "SwiftLexer": "swift",
    "TOMLLexer": "toml",
    "TypeScriptLexer": "typescript ts tsx",
    "XmlLexer": "xml svg",
    "YamlLexer": "yaml yml",
}
"""The lexers that may read text of others, with the languages they are named by in Markdown.

Others are never loaded: some take exponential time, and Pygments would look for plugins.
"""
_ROLES: Final = {
    "Comment": "dim",
    "Comment.Preproc": "middle",
    "Generic.Deleted": "wrong",
    "Generic.Heading": "text bold",
    "Generic.Inserted": "well",
    "Generic.Subheading": "text bold",
    "Keyword": "json-literal",
    "Literal": "json-string",
    "Literal.Number": "json-number",
    "Literal.String": "json-string",
    "Name.Attribute": "json-key",
    "Name.Class": "text bold",
    "Name.Decorator": "json-literal",
    "Name.Entity": "json-number",
    "Name.Function": "text bold",
    "Name.Tag": "json-literal",
    "Name.Variable": "json-number",
    "Operator.Word": "json-literal",
    "Punctuation": "middle",
}
"""The role of each kind of token; a kind that is not listed has the role of its parent, or is plain."""
_KEY: Final = "json-key"
_KEYS: Final = {
    "TOMLLexer": {"Name": _KEY, "Keyword": _KEY, "Keyword.Constant": "json-literal"},
    "YamlLexer": {"Name.Tag": _KEY},
}
"""What differs in languages in which names are keys."""
_JSON: Final = frozenset({"json", "jsonc", "json5"})
_PROMPTS: Final = ("$ ", "> ", ">>> ")
_MARKUP = regex(r"\s*<(?:(?P<xml>\?xml)|[!a-zA-Z])")


def markup_language(text: str) -> str:
    """Return ``html`` or ``xml`` if a text begins like it, else an empty text."""
    found = _MARKUP.match(text)
    if found is None:
        return ""
    return "xml" if found["xml"] else "html"


def code_lines(text: str, language: str) -> list[WordLine]:
    """Return the lines of a text in roles, printable and without tabs; an unknown language has no colours."""
    text = printable(text, lines=True).expandtabs(4).removesuffix("\n")
    language = language.partition(" ")[0].lower()
    if language in _JSON:
        return [_json_line(line) for line in text.split("\n")]
    if language == "http":
        return _http_lines(text)
    if language == "console":
        return _console_lines(text)
    lexer = _lexer(language)
    if lexer is None:
        return [_plain(line) for line in text.split("\n")]
    lines: list[WordLine] = [[]]
    for part, role in _coloured_parts(text + "\n", lexer):
        first, *others = part.split("\n")
        lines[-1].append((first, role))
        lines += [[(line, role)] for line in others]
    return [joined(line) for line in lines[:-1]]


def _coloured_parts(text: str, lexer: Lexer) -> Iterator[tuple[str, str]]:
    """Yield the whole text in pieces; after the limits, the rest is one plain piece."""
    stop = time.monotonic() + MAX_SECONDS
    at = 0
    for start, kind, part in lexer.get_tokens_unprocessed(text[:MAX_CHARACTERS]):
        if time.monotonic() > stop:
            break
        yield part, _role(kind, type(lexer).__name__)
        at = start + len(part)
    yield text[at:], "text"


def is_known(language: str) -> bool:
    """Return whether a language has colours."""
    return language in _JSON or any(language in languages.split() for languages in _LEXERS.values())


@cache
def _lexer(language: str) -> Lexer | None:
    for name, languages in _LEXERS.items():
        if language in languages.split():
            import pygments.lexers  # 10 ms, and 5 to 20 ms for a lexer: no start needs it

            lexer: Lexer = getattr(pygments.lexers, name)()
            return lexer
    return None


@cache
def _role(kind: tuple[str, ...], lexer: str) -> str:
    """Return the role of a kind of token, such as ``("Name", "Tag")``."""
    roles = _ROLES | _KEYS.get(lexer, {})
    for length in range(len(kind), 0, -1):
        role = roles.get(".".join(kind[:length]))
        if role is not None:
            return role
    return "text"


def _plain(line: str) -> WordLine:
    return [(line, "text")] if line else []


def _json_line(line: str) -> WordLine:
    """Return a line of JSON; an ellipsis and the like in an example are not errors."""
    return [(part, "text" if role == "json-error" else role) for part, role in coloured(line)]


def _http_lines(text: str) -> list[WordLine]:
    """Return a request or response: the first line, headers, and a body that may be JSON."""
    lines: list[WordLine] = []
    in_body = False
    for line in text.split("\n"):
        name, colon, value = line.partition(": ")
        if in_body:
            lines.append(_json_line(line))
        elif not lines:
            lines.append([(line, "text bold")])
        elif colon:
            lines.append([(name, "json-key"), (colon, "dim"), (value, "text")])
        else:
            lines.append(_plain(line))
            in_body = not line
    return lines


def _console_lines(text: str) -> list[WordLine]:
    """Return commands with colours, and what they print without."""
    lines: list[WordLine] = []
    for line in text.split("\n"):
        prompt = next((sign for sign in _PROMPTS if line.startswith(sign)), "")
        if prompt:
            command = code_lines(line.removeprefix(prompt), "python" if prompt == ">>> " else "sh")[0]
            words = [(part, "text bold" if role == "text" else role) for part, role in command]
            lines.append([(prompt, "dim"), *words])
        else:
            lines.append([(line, "middle")] if line else [])
    return lines
