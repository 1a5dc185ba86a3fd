"""Find typos in JSON by tokens and structure, each with its fix."""

# ruff: noqa: RUF001  # the look-alikes of plain quotes are part of this subject

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias, cast

from msgspec import Struct

from rpcexplorer.jsontext.scan import NUMBER
from rpcexplorer.patterns import regex

TokenKind: TypeAlias = Literal[
    "space",  # Whitespace that is not JSON's.
    "comment",
    "endless",  # A comment that is not closed.
    "string",  # In quotes of any kind.
    "unclosed",  # A string without its closing quote.
    "unopened",  # A string without its opening quote.
    "number",  # Starts like a number.
    "word",  # Any other run of letters.
    "open",
    "close",
    "comma",
    "colon",  # : or =
    "stray",
]


class Token(NamedTuple):
    """A part of the text; JSON's own whitespace has no token."""

    kind: TokenKind
    start: int
    end: int


STRINGS: Final = frozenset({"string", "unclosed", "unopened"})
SCALARS: Final = STRINGS | {"number", "word"}
"""Tokens that are a value or a name."""
QUOTES: Final = "\"'`“”„«»‘’‚‹›"
"""Characters that open or close strings in pasted text."""
ODD_SPACES: Final = r"\u00a0\u1680\u2000-\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff\x0b\x0c\x85"
"""Whitespace and invisible characters that are not JSON, for a pattern."""
_PARTNERS = {"“": "”", "„": "“”", "«": "»", "»": "«", "‘": "’", "‚": "‘’", "‹": "›", "›": "‹"}
_LITERAL = r"(?i:true|false|null|none|nil|undefined|nan|infinity)\b"
_WORD = r"[$]?[^\W\d][\w$.@-]*+"
_TOKEN = regex(
    rf"""
      (?P<blank>   \A\ufeff | [ \t\r\n]++ )
    | (?P<space>   [{ODD_SPACES}]++ )
    | (?P<comment> //[^\r\n]*+ | \#[^\r\n]*+ | /\*(?s:.)*?\*/ )
    | (?P<endless> /\*(?s:.)*+ )
    | (?P<quote>   [{QUOTES}] )
    | (?P<variable> \{{\{{[^{{}}\[\]"',:\r\n]++(?::json)?[ ]*\}}\}} )
    | (?P<open>    [\[{{] )
    | (?P<close>   [\]}}] )
    | (?P<comma>   , )
    | (?P<colon>   => | := | ={{1,3}} | : )
    | (?P<unopened>{_WORD} "(?=[ \t]*[:,\]}}]) )  # name": 1
    | (?P<word>    [+-] (?i:nan|inf|infinity)\b
                 | <[\w.:-]++>  # <ID>, as docs write what to fill in
                 | (?!{_LITERAL}) {_WORD} (?: [ ]++ (?!{_LITERAL}) {_WORD} (?![ ]*[:="]) )*+
                 | {_WORD} )
    | (?P<number>  [+-]? \.? [0-9] [\w.+-]*+ )
    | (?P<stray>   (?s:.) )
    """,
    re.VERBOSE,
)


def _closed_by(opener: str) -> re.Pattern[str]:
    """Return a pattern for a string on one line.

    An apostrophe between letters does not end it.
    """
    closers = _PARTNERS.get(opener, opener)
    letters_around = r"|(?<=\w)['’](?=\w)" if closers in ("'", "’", "‘’") else ""
    return re.compile(rf"{opener}(?:[^{opener}{closers}\\\r\n]++|\\[^\r\n]{letters_around})*[{closers}]")


_CLOSED = {opener: _closed_by(opener) for opener in QUOTES}
_SPANNING = regex(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_DELIMITER_BELOW = regex(r"\s*+(?:[,:\]}]|\Z)")
"""After the closing quote of a string over several lines: without it, the quote may begin another string."""
_REST_OF_LINE = regex(r"[^\r\n]*")
_NAME = regex(rf"[{QUOTES}][^\s:,;\[\]{{}}\\]+(?=[ \t]*:(?!//))")
"""A name without its closing quote, before a colon. In ``"http://…`` the colon ends no name."""


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of any text, in order; only whitespace is left out."""
    at = 0
    strings = _Strings(text)
    before = Token("open", 0, 0)
    container = ""
    while found := _TOKEN.match(text, at):
        kind, at = found.lastgroup, found.end()
        if kind == "blank":
            continue
        if kind == "unopened" and before.kind in STRINGS and before.end == found.start():
            kind, at = "word", at - 1
        if kind == "variable":
            kind = "word"  # {{name}} is a value that lacks its quotes.
        if kind == "quote":
            named = container == "{" and before.kind in ("open", "comma")
            before = strings.at(found.start(), named=named)
            at = before.end
        else:
            before = Token(cast("TokenKind", kind), found.start(), at)
        if kind in ("open", "close"):
            container = found[0]
        yield before


class _Strings:
    """Finds the ends of strings without reading a part twice."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._barren = 0
        """The offset before which no double quote closes a string of several lines."""

    def at(self, start: int, *, named: bool) -> Token:
        """Return the string at `start`; `named`: a member's name may be there."""
        text = self.text
        if closed := _CLOSED[text[start]].match(text, start):
            return Token("string", start, closed.end())
        if text[start] == '"' and start >= self._barren:
            span = _SPANNING.match(text, start)
            end = span.end() if span else start
            is_closed = end > start + 1 and text[end - 1] == '"'
            if is_closed and _DELIMITER_BELOW.match(text, end):
                return Token("string", start, end)
            self._barren = end - 1 if is_closed else end
        if named and (name := _NAME.match(text, start)):
            return Token("unclosed", start, name.end())
        line = _REST_OF_LINE.match(text, start + 1)
        inner = line[0].rstrip(" \t,;:]})") if line else ""
        return Token("unclosed", start, start + 1 + len(inner))


class Rewrite(NamedTuple):
    """A replacement in a text."""

    start: int
    end: int
    """The same as the start for an insertion."""
    text: str


def applied(text: str, edits: Iterable[Rewrite]) -> str:
    """Return the text with all edits.

    If two overlap, the later one only deletes the rest of its span.
    """
    parts: list[str] = []
    at = 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        if start >= at:
            parts += (text[at:start], new)
            at = end
        else:
            at = max(at, end)
    return "".join(parts) + text[at:]


def quoted(token: Token) -> tuple[Rewrite, ...]:
    """Put a token into double quotes."""
    return Rewrite(token.start, token.start, '"'), Rewrite(token.end, token.end, '"')


def requoted(text: str, token: Token) -> tuple[Rewrite, ...]:
    """Replace the quotes of a string; escape double quotes inside it."""
    opener = text[token.start]
    edits = [Rewrite(token.start, token.start + 1, '"')]
    end = token.end
    if token.kind == "string":
        end -= 1
        edits.append(Rewrite(end, token.end, '"'))
    for found in re.finditer(r'\\(.)|"', text[token.start + 1 : end], re.DOTALL):
        at = token.start + 1 + found.start()
        if found[0] == '"':
            edits.append(Rewrite(at, at, "\\"))
        elif found[1] == opener != '"':
            edits.append(Rewrite(at, at + 1, ""))
    return tuple(edits)


def escaped(char: str) -> str:
    """Return the JSON escape of a character."""
    short = {"\n": r"\n", "\r": r"\r", "\t": r"\t", "\b": r"\b", "\f": r"\f"}
    return short.get(char, f"\\u{ord(char):04x}")


_SINGLE_BACKSLASH = regex(r'\\\\|\\"|(\\)')
_WINDOWS_PATH = regex(r"[A-Za-z]:\\(?!\\)")
"""A path whose backslashes were not doubled."""


def backslash(text: str, at: int) -> Rewrite:
    """Fix an escape that JSON does not have.

    Before a quote the backslash goes; elsewhere it is doubled.
    """
    if text[at + 1 : at + 2] in tuple(QUOTES):
        return Rewrite(at, at + 1, "")
    return Rewrite(at, at, "\\")


def without_comment(text: str, token: Token) -> Rewrite:
    """Remove a comment, with its line if nothing else is on it."""
    before, after = token.start, token.end
    while text[before - 1 : before] in (" ", "\t"):
        before -= 1
    while text[after : after + 1] in (" ", "\t"):
        after += 1
    starts_line = text[before - 1 : before] in ("", "\n", "\r")
    ends_line = text[after : after + 1] in ("", "\n", "\r")
    if starts_line and ends_line:
        break_ = 2 if text.startswith("\r\n", after) else 1
        return Rewrite(before, min(after + break_, len(text)), "")
    if starts_line:
        return Rewrite(token.start, after, "")
    if ends_line or text[after] in ",;:)]}":
        return Rewrite(before, after, "")
    return Rewrite(before, after, " ")


def space(text: str, token: Token) -> Rewrite:
    """Replace whitespace that is not JSON's by spaces, or by nothing."""
    visible = re.sub("[\u200b-\u200d\u2060\ufeff]", "", text[token.start : token.end])
    return Rewrite(token.start, token.end, " " * len(visible))


REST: Final = "rest"
"""The kind of an empty pair of brackets after the params; every fix removes it."""
LABELS: Final = {
    "members": "make it an object",
    "array": "put it in square brackets",
    "object": "put it in braces",
    "single quotes": "use double quotes",
    "other quotes": "use plain double quotes",
    "quote": "add the missing quote",
    "trailing comma": "remove the trailing comma",
    "extra comma": "remove the extra comma",
    "missing comma": "add the missing comma",
    "missing colon": "add the missing colon",
    "comment": "remove the comments",
    "name": "quote the names",
    "bare text": "quote the text",
    "placeholder": "put the variables in quotes",
    "literal": "write null, true and false",
    "control": "escape the control characters",
    "backslash": "fix the backslashes",
    "space": "use plain spaces",
    "equals": "use colons",
    "opener": "add the missing brackets",
    "closer": "remove the extra bracket",
    REST: "remove the rest",
}
"""The kinds of typos that can be fixed, each with its fix."""


class RawTypo(NamedTuple):
    kind: str
    """A key of LABELS, or "" without a fix; one fix is for all of a kind."""
    start: int
    end: int
    what: str
    """The problem, as a clause."""
    instead: str
    """The text to write instead."""


class Typos:
    """The typos of a text: the first one, their number, the edits by kind."""

    def __init__(self) -> None:
        self.first: RawTypo | None = None
        self.count = 0
        self.edits: dict[str, list[Rewrite]] = {}

    def add(self, kind: str, where: tuple[int, int], what: str, instead: str, *edits: Rewrite) -> None:
        """Add a typo and the edits that fix it."""
        self.count += 1
        if self.first is None or where[0] < self.first.start:
            self.first = RawTypo(kind, *where, what, instead)
        self.edit(kind, *edits)

    def edit(self, kind: str, *edits: Rewrite) -> None:
        """Add edits for a typo that was added before."""
        if edits:
            self.edits.setdefault(kind, []).extend(edits)


def shown(text: str) -> str:
    """Shorten a text for a message, without control characters."""
    short = text if len(text) <= 24 else text[:23] + "…"
    for char in set(short):
        if not char.isprintable():
            short = short.replace(char, f"\\u{ord(char):04x}")
    return short


def in_token(text: str, token: Token, typos: Typos) -> None:
    """Add the typos that a token has in any place."""
    kind, start, end = token
    if kind in STRINGS:
        _string(text, token, typos)
    elif kind == "comment":
        typos.add(kind, (start, end), "JSON has no comments", "remove the comment", without_comment(text, token))
    elif kind == "endless":
        typos.add("", (start, end), "this comment has no end", "remove it")
    elif kind == "space":
        what = f"the invisible character U+{ord(text[start]):04X} is not a JSON space"
        typos.add(kind, (start, end), what, "write a plain space", space(text, token))
    elif kind == "stray":
        what = f"{shown(text[start])} does not belong here"
        typos.add("", (start, end), what, "replace it with a value, or remove it")
    elif kind == "colon" and text[start:end] != ":":
        what = f"{text[start:end]} cannot separate a name from its value"
        typos.add("equals", (start, end), what, "write a colon", Rewrite(start, end, ":"))


_INSIDE = regex(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}|(?=(.?)))|([\x00-\x1f])|([\ud800-\udfff])', re.DOTALL)
_CONTROLS = {"\n": "a line break", "\r": "a line break", "\t": "a tab"}


def _string(text: str, token: Token, typos: Typos) -> None:
    """Add wrong or missing quotes, and typos between the quotes."""
    kind, start, end = token
    opener = text[start]
    if kind == "unopened":
        edit = Rewrite(start, start, '"')
        typos.add("quote", (start, end), "a quote is missing before this text", 'write " before it', edit)
    elif opener == "'":
        edits = requoted(text, token)
        typos.add("single quotes", (start, end), "text needs double quotes, not single ones", 'write " instead', *edits)
    elif opener != '"':
        edits = requoted(text, token)
        typos.add("other quotes", (start, end), f"{opener} is not a JSON quote", 'write " instead', *edits)
    if kind == "unclosed":
        # A backslash before the quote is doubled, or it would escape the quote.
        dangling = (end - start - len(text[start:end].rstrip("\\"))) % 2
        edit = Rewrite(end, end, "\\" * dangling + '"')
        typos.add("quote", (start, end), "this text has no closing quote", 'write " at its end', edit)
    if kind != "unopened":
        start += 1
    if kind != "unclosed":
        end -= 1
    if _INSIDE.search(text, start, end):
        _inside(text, (start, end), opener, typos)


def _inside(text: str, inner: tuple[int, int], opener: str, typos: Typos) -> None:
    """Add control characters and escapes that JSON does not have."""
    wrong: list[int] = []
    for found in _INSIDE.finditer(text, *inner):
        where, char = found.span(), found[0]
        if found[2]:
            name = _CONTROLS.get(char) or f"the control character U+{ord(char):04X}"
            edit = Rewrite(*where, escaped(char))
            typos.add("control", where, f"{name} inside a string", f"write {escaped(char)}", edit)
        elif found[3]:
            what = f"the lone surrogate U+{ord(char):04X} cannot be sent"
            typos.add("", where, what, f"write {escaped(char)}")
        elif found[1] and found[1] != opener:
            wrong.append(where[0])
    if wrong:
        edits = [backslash(text, at) for at in wrong]
        if _WINDOWS_PATH.match(text, *inner):  # Double each backslash of `C:\users\new`.
            singles = (found.start() for found in _SINGLE_BACKSLASH.finditer(text, *inner) if found[1])
            edits = [Rewrite(at, at, "\\") for at in singles] or edits
        what = f"{shown(text[wrong[0] : wrong[0] + 2])} is not a JSON escape"
        typos.add("backslash", (wrong[0], wrong[0] + 2), what, r"write \\ for a backslash", *edits)


_NUMBER = regex(NUMBER)
_NOT_NUMBERS = {"nan", "inf", "infinity"}
_LITERALS = dict.fromkeys(("null", "none", "nil", "undefined"), "null") | {"true": "true", "false": "false"}


def in_name(text: str, token: Token, typos: Typos) -> None:
    """Add the typos that a token has as a member's name."""
    if token.kind not in STRINGS:
        what = "a member's name needs double quotes"
        instead = f'write "{shown(text[token.start : token.end])}"'
        typos.add("name", token[1:], what, instead, *quoted(token))


def in_value(text: str, token: Token, typos: Typos) -> None:
    """Add the typos that a word or a number has as a value."""
    spelled = text[token.start : token.end]
    if token.kind in STRINGS or spelled in ("true", "false", "null") or _NUMBER.fullmatch(spelled):
        return
    if spelled.startswith("{{"):
        placeholder = f'"{{{{{spelled[2:-2].strip().removesuffix(":json")}:json}}}}"'
        edit = Rewrite(token.start, token.end, placeholder)
        typos.add("placeholder", token[1:], "a variable must be in quotes", f"write {shown(placeholder)}", edit)
    elif right := _LITERALS.get(spelled.lower()):
        edit = Rewrite(token.start, token.end, right)
        typos.add("literal", token[1:], f"{shown(spelled)} is not JSON", f"write {right}", edit)
    elif spelled.lower().lstrip("+-") in _NOT_NUMBERS:
        typos.add("", token[1:], f"{spelled} is not JSON", f'write null, or "{spelled}" as text')
    elif token.kind == "number" and _is_python_number(spelled):
        instead = "write it without plus sign, leading zeros and underscores, and with digits around the point"
        typos.add("", token[1:], f"{shown(spelled)} is not a JSON number", instead)
    else:
        typos.add("bare text", token[1:], "text needs double quotes", 'write " on both sides', *quoted(token))


def _is_python_number(spelled: str) -> bool:
    """Return whether Python reads a number here, such as `+1`, `1_000`, `.5` or `5.`."""
    try:
        float(spelled)
    except ValueError:
        return False
    return True


ContainerState: TypeAlias = Literal["item", "colon", "value", "after"]
"""What has to follow; ``after`` is a comma or a closing bracket."""
CLOSER: Final = {"[": "]", "{": "}"}
"""The closing bracket for each opening one."""
_OPENER = {"]": "[", "}": "{"}


class Container(Struct):
    """An array, an object, or the whole text, which should contain one."""

    typed: str = ""
    """The bracket as typed, `[` or `{`; empty for the whole text."""
    kind: str = ""
    """The intended bracket; empty for a whole text that has brackets."""
    closed: bool = False
    """The whole text has a closing bracket without an opening one."""
    parts: int = 0
    """Number of parts between commas that are not empty."""
    part_empty: bool = True
    """The current part is empty."""
    colons: int = 0
    """Number of colons directly in it."""
    first: Token | None = None
    """Its first token."""
    first_colon: Token | None = None
    first_join: Token | None = None
    """Its first comma or colon."""
    state: ContainerState = "item"
    """What has to follow, while typos are searched."""
    comma: Token | None = None
    """The comma after which an item has to follow."""

    def count(self, token: Token) -> None:
        if token.kind in ("comma", "colon"):
            self.first_join = self.first_join or token
        if token.kind == "comma":
            self.part_empty = True
        elif token.kind == "colon":
            self.colons += 1
            self.first_colon = self.first_colon or token
        else:
            self.first = self.first or token
            self.parts += self.part_empty
            self.part_empty = False

    def decide(self) -> None:
        """Decide which container was meant, after everything is counted."""
        is_bare = self.first and (self.first.kind in SCALARS or self.colons or self.parts > 1)
        if self.typed == "{" or (self.colons >= self.parts > 0 and (self.typed or is_bare)):
            self.kind = "{"
        elif self.typed or is_bare:
            self.kind = "["


class Nest:
    """The open containers at one place of the text, the whole text first."""

    def __init__(self, whole: Container) -> None:
        self.open = [whole]
        self._typed = {"[": 0, "{": 0}

    def enter(self, container: Container) -> None:
        self.open.append(container)
        self._typed[container.typed] += 1

    def leave(self, closer: str) -> list[Container]:
        """Close the containers up to the one that a closing bracket ends; return them, innermost first.

        The bracket belongs to the last of them, the others lack one. If it fits no open container, it counts as a wrong
        bracket in the right place.
        """
        wanted = _OPENER[closer] if self._typed[_OPENER[closer]] else None
        left: list[Container] = []
        while len(self.open) > 1:
            left.append(self.open.pop())
            self._typed[left[-1].typed] -= 1
            if wanted in (None, left[-1].typed):
                break
        return left


def counted(text: str, found: Sequence[Token]) -> Iterator[Container]:
    """Yield the whole text, then its containers in opening order."""
    order = [Container()]
    nest = Nest(order[0])
    for token in found:
        char = text[token.start]
        if token.kind == "close":
            if not nest.leave(char):
                order[0].closed = True
        elif token.kind != "stray":
            nest.open[-1].count(token)
            if token.kind == "open":
                order.append(Container(char))
                nest.enter(order[-1])
    for container in order:
        container.decide()
    return iter(order)


_KINDS: Final = {"[": "an array", "{": "an object"}


def find_typos(text: str) -> Typos:
    """Return all typos of a text as params; none only if it can be sent."""
    typos = Typos()
    found: list[Token] = []
    complete = True
    for token in tokens(text):
        in_token(text, token, typos)
        if token.kind == "endless":
            complete = False
        elif token.kind not in ("space", "comment"):
            found.append(token)
    _Walk(text, found, typos).run(complete=complete)
    return typos


class _Walk:
    """A walk from token to token through the open containers."""

    def __init__(self, text: str, found: Sequence[Token], typos: Typos) -> None:
        self.text = text
        self.found = found
        self.typos = typos
        self.containers = counted(text, found)
        self.whole = next(self.containers)
        self.nest = Nest(self.whole)
        self.before = Token("open", 0, 0)
        self.over = False  # The params are complete, and more text follows.

    def run(self, *, complete: bool) -> None:
        """Add all typos; those at the end only if the text is ``complete``.

        It is not if its end is in an unclosed comment.
        """
        steps = {
            "open": self._open,
            "close": self._close,
            "comma": self._comma,
            "colon": self._colon,
            "stray": self._stray,
        }
        if self.whole.kind and complete:
            self._wrap()
        for token in self.found:
            steps.get(token.kind, self._item)(token)
            if self.over:
                return
            self.before = token
        if complete:
            self._end()

    def _wrap(self) -> None:
        """Add that the text has no brackets around it."""
        whole, last = self.whole, self.found[-1]
        place = whole.first_join
        if whole.first and whole.first.kind in SCALARS:
            place = whole.first
        assert place is not None  # A text without both has no kind.
        first = self.found[0]
        edits = [Rewrite(first.start, first.start, whole.kind)]
        if not self._ends_whole(last):
            edits.append(Rewrite(last.end, last.end, CLOSER[whole.kind]))
        kind, instead = ("array", "put it in [ ]") if whole.kind == "[" else ("object", "put it in { }")
        self.typos.add(kind, place[1:], "params must be an array or an object", instead, *edits)

    def _ends_whole(self, token: Token) -> bool:
        """Return whether a token closes a text without an opening bracket."""
        last = self.whole.closed and token is self.found[-1]
        return last and self.text[token.start] == CLOSER.get(self.whole.kind)

    def _room(self, token: Token) -> Container:
        """Return the container for the next item, in a state that accepts it."""
        container = self.nest.open[-1]
        end = self.before.end
        if container.state == "after" and not container.kind:
            rest = self.text[token.start :]
            what = "the params end before this"
            if "".join(rest.split()) in ("[]", "{}"):  # as the editor opens, with the params typed before it
                rewrite = Rewrite(token.start, len(self.text), "")
                self.typos.add(REST, token[1:], what, "remove the rest", rewrite)
            else:
                self.typos.add("", token[1:], what, "remove the rest, or put everything into one array")
            self.over = True
        elif container.state in ("after", "colon") and self._touches(token):
            instead = r"write \" for a quote inside the text, or add the missing quote"
            self.typos.add("", token[1:], "the text continues after its closing quote", instead)
            container.state = "item" if container.state == "after" else "value"
        elif container.state == "after":
            edit = Rewrite(end, end, ",")
            self.typos.add("missing comma", token[1:], "a comma is missing before this", "write one", edit)
            container.state = "item"
        elif container.state == "colon":
            edit = Rewrite(end, end, ":")
            self.typos.add("missing colon", token[1:], "a colon is missing before this", "write one", edit)
            container.state = "value"
        return container

    def _touches(self, token: Token) -> bool:
        """Return whether a word touches a string, as at an unescaped quote."""
        before = self.before
        if before.end != token.start or not {before.kind, token.kind} <= SCALARS:
            return False
        return (before.kind in STRINGS) != (token.kind in STRINGS)

    def _item(self, token: Token) -> None:
        container = self._room(token)
        container.comma = None
        if container.kind == "{" and container.state == "item":
            in_name(self.text, token, self.typos)
            container.state = "colon"
        else:
            in_value(self.text, token, self.typos)
            container.state = "after"

    def _stray(self, _: Token) -> None:
        """Take a stray token as the value that has to follow, if one has to."""
        container = self.nest.open[-1]
        if container.state == "value" or (container.state == "item" and container.kind == "["):
            container.state = "after"
            container.comma = None

    def _open(self, token: Token) -> None:
        parent = self._room(token)
        parent.comma = None
        if parent.kind == "{" and parent.state == "item":
            self.typos.add("", token[1:], "a member's name must be text", 'write a name in " " and a colon')
            parent.state = "colon"
        else:
            parent.state = "after"
        container = next(self.containers)
        self.nest.enter(container)
        first, colon = container.first, container.first_colon
        if container.kind != container.typed and first and colon:
            name = self.text[first.start : first.end].strip("\"'")
            what, instead = "members need braces, not square brackets", f'write {{"{shown(name)}": …}}'
            edit = Rewrite(token.start, token.end, "{")
            self.typos.add("members", colon[1:], what, instead, edit)

    def _close(self, token: Token) -> None:
        char = self.text[token.start]
        left = self.nest.leave(char)
        if not left:
            if not self._ends_whole(token):
                what, edit = f"{char} has no opening bracket", Rewrite(token.start, token.end, "")
                self.typos.add("closer", token[1:], what, "remove it", edit)
            return
        for container in left:
            self._finish(container, token)
        own, lacking = left[-1], left[:-1]
        if lacking:
            missing = "".join(CLOSER[container.typed] for container in lacking)
            what = f"{lacking[0].typed} is still open, but {char} closes {_KINDS[own.typed]}"
            edit = Rewrite(self.before.end, self.before.end, missing)
            self.typos.add("opener", token[1:], what, f"write {shown(missing)} before it", edit)
        right = CLOSER[own.kind]
        if char == right:
            return
        if own.kind == own.typed:
            self.typos.add("", token[1:], f"{char} cannot close {own.typed}", f"write {right}")
        elif own.kind == "{":
            self.typos.edit("members", Rewrite(token.start, token.end, right))

    def _finish(self, container: Container, token: Token) -> None:
        """Add what a container that ends at `token` lacks or has too much."""
        if container.state in ("colon", "value"):
            self._missing(container, token)
        elif container.comma:
            what, edit = "there is a comma after the last element", Rewrite(*container.comma[1:], "")
            self.typos.add("trailing comma", container.comma[1:], what, "remove it", edit)

    def _missing(self, container: Container, token: Token) -> None:
        """Add that a name has no value before `token`."""
        if container.state == "colon":
            self.typos.add("", token[1:], "this name has no value", "write a colon and a value after the name")
        else:
            self.typos.add("", token[1:], "a value is missing here", "write one, or null")

    def _comma(self, token: Token) -> None:
        container = self.nest.open[-1]
        if container.state in ("colon", "value"):
            self._missing(container, token)
        elif container.state == "item":
            what, edit = "there is one comma too many", Rewrite(token.start, token.end, "")
            self.typos.add("extra comma", token[1:], what, "remove it, or write a value before it", edit)
            return
        elif not container.kind:
            self.typos.add("", token[1:], "nothing may follow the end of the params", "remove it")
            return
        container.state = "item"
        container.comma = token

    def _colon(self, token: Token) -> None:
        container = self.nest.open[-1]
        if container.kind != "{":
            self.typos.add("", token[1:], "an array has no names", "put the name and its value into { }")
        elif container.state == "item":
            self.typos.add("", token[1:], "a name is missing before this colon", 'write one in " "')
        elif container.state == "value":
            self.typos.add("", token[1:], "one colon is enough", "remove this one")
        elif container.state == "after":
            self.typos.add("", token[1:], "a colon cannot follow a value", "write a comma, or a name before it")
        container.comma = None
        container.state = "value"

    def _end(self) -> None:
        """Add what is missing at the end of the text."""
        end = self.before.end
        inner = self.nest.open[-1]
        here = Token("close", end, end)
        if inner is self.whole or inner.state in ("colon", "value"):
            self._finish(inner, here)
        unclosed = self.nest.open[:0:-1]
        if unclosed:
            missing = "".join(CLOSER[container.typed] for container in unclosed)
            edits = [Rewrite(end, end, missing)]
            if inner.comma:
                edits.append(Rewrite(*inner.comma[1:], ""))
            what = f"{inner.typed} is not closed"
            self.typos.add("opener", (end, end), what, f"write {shown(missing)}", *edits)
