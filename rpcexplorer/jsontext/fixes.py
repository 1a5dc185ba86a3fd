"""Typos in JSON: found in tokens and structure, each with its fix."""

# ruff: noqa: RUF001  # the look-alikes of plain quotes are part of this subject

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias, cast

from msgspec import Struct

from rpcexplorer.jsontext.scan import NUMBER
from rpcexplorer.patterns import regex

TokenKind: TypeAlias = Literal[
    "space",  # whitespace JSON does not know
    "comment",
    "endless",  # a comment that is not closed
    "string",  # in quotes of any sort
    "unclosed",  # a string without its closing quote
    "unopened",  # a string without its opening quote
    "number",  # begins as a number does
    "word",  # any other run of letters
    "open",
    "close",
    "comma",  # , or ;
    "colon",  # : or =
    "stray",
]


class Token(NamedTuple):
    """A stretch of the text; JSON's own whitespace makes no token."""

    kind: TokenKind
    """What the stretch was meant to be."""
    start: int
    """Where it starts in the text."""
    end: int
    """Where it ends."""


STRINGS: Final = frozenset({"string", "unclosed", "unopened"})
"""The kinds that are text in quotes."""
SCALARS: Final = STRINGS | {"number", "word"}
"""The kinds that are a value or a name by themselves."""
QUOTES: Final = "\"'`“”„«»‘’‚‹›"
"""All characters that may open or close a string in what people paste."""
ODD_SPACES: Final = r"\u00a0\u1680\u2000-\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff\x0b\x0c\x85"
"""The whitespace and the invisible characters JSON does not know, for use in a pattern's brackets."""
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
    | (?P<left_open> \{{\{{[^{{}}\[\]"',:\r\n]++(?::json)?[ ]*\}}\}} )
    | (?P<open>    [\[{{(] )
    | (?P<close>   [\]}})] )
    | (?P<comma>   [,;] )
    | (?P<colon>   => | := | ={{1,3}} | : )
    | (?P<unopened>{_WORD} "(?=[ \t]*[:,\]}}]) )
    | (?P<word>    [+-] (?i:nan|inf|infinity)\b
                 | <[\w.:-]++>
                 | (?!{_LITERAL}) {_WORD} (?: [ ]++ (?!{_LITERAL}) {_WORD} (?![ ]*[:="]) )*+
                 | {_WORD} )
    | (?P<number>  [+-]? \.? [0-9] [\w.+-]*+ )
    | (?P<stray>   (?s:.) )
    """,
    re.VERBOSE,
)


def _closed_by(opener: str) -> re.Pattern[str]:
    """Pattern of a string on one line; an apostrophe between letters does not end it."""
    closers = _PARTNERS.get(opener, opener)
    letters_around = r"|(?<=\w)['’](?=\w)" if closers in ("'", "’", "‘’") else ""
    return re.compile(rf"{opener}(?:[^{opener}{closers}\\\r\n]++|\\[^\r\n]{letters_around})*[{closers}]")


_DELIMITER = r"(?=[ \t]*+(?:[,:;=\]})\r\n]|\Z))"
_CLOSED = {opener: _closed_by(opener) for opener in QUOTES} | {'"': regex(r'"[^"\\\r\n]*+(?:\\[^\r\n][^"\\\r\n]*+)*+"')}
_MIXED = {opener: regex(rf'{opener}[^"{opener}\\\r\n]*?[{QUOTES}]{_DELIMITER}') for opener in QUOTES}
_SPANNING = regex(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_DELIMITER_BELOW = regex(r"\s*+(?:[,:;\]})]|\Z)")
_REST_OF_LINE = regex(r"[^\r\n]*")
_NAME = regex(rf"[{QUOTES}][^\s:,;\[\]{{}}\\]+(?=[ \t]*:(?!//))")


def tokens(text: str) -> Iterator[Token]:
    """Cut the whole text, in reading order; whatever the text, nothing but whitespace is left out."""
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
        if kind == "left_open":
            kind = "word"  # {{name}}, for which a value is put in later
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
    """Finds where strings end, without reading any stretch of the text again and again."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.barren = dict.fromkeys(QUOTES, 0)
        """For each quote, up to where none closes: what looks like one there is escaped."""

    def at(self, start: int, *, named: bool) -> Token:
        """The string that opens at `start`; `named` where the name of a member may stand."""
        text, opener = self.text, self.text[start]
        if start >= self.barren[opener]:
            for pattern in (_CLOSED[opener], _MIXED[opener]):
                if closed := pattern.match(text, start):
                    return Token("string", start, closed.end())
            if end := self._below(start):
                return Token("string", start, end)
        if named and (name := _NAME.match(text, start)):
            return Token("unclosed", start, name.end())
        line = _REST_OF_LINE.match(text, start + 1)
        inner = line[0].rstrip(" \t,;:]})") if line else ""
        return Token("unclosed", start, start + 1 + len(inner))

    def _below(self, start: int) -> int:
        """Where the string ends that does not end on its line; 0 if its quote is rather missing."""
        text, opener = self.text, self.text[start]
        if opener != '"':
            line = _REST_OF_LINE.match(text, start)
            self.barren[opener] = line.end() if line else start
            return 0
        span = _SPANNING.match(text, start)
        end = span.end() if span else start
        closed = end > start + 1 and text[end - 1] == opener
        if closed and _DELIMITER_BELOW.match(text, end):
            return end
        self.barren[opener] = end - 1 if closed else end
        return 0


class Rewrite(NamedTuple):
    """One place of a text to be spelled anew."""

    start: int
    """Where the place starts."""
    end: int
    """Where it ends; the same as the start where something is put in."""
    text: str
    """What stands there afterwards."""


def applied(text: str, edits: Iterable[Rewrite]) -> str:
    """The text with all the edits made; where two overlap, the later one only deletes what is left to it."""
    parts: list[str] = []
    at = 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        if start >= at or end > at:
            parts += (text[at:start], new) if start >= at else ()
            at = end
    return "".join(parts) + text[at:]


def quoted(token: Token) -> tuple[Rewrite, ...]:
    """Double quotes around a token."""
    return Rewrite(token.start, token.start, '"'), Rewrite(token.end, token.end, '"')


def requoted(text: str, token: Token) -> tuple[Rewrite, ...]:
    """Double quotes in place of whatever a string has; those inside it are escaped."""
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
    """A character as JSON escapes it."""
    short = {"\n": r"\n", "\r": r"\r", "\t": r"\t", "\b": r"\b", "\f": r"\f"}
    return short.get(char, f"\\u{ord(char):04x}")


_SINGLE_BACKSLASH = regex(r'\\\\|\\"|(\\)')
_WINDOWS_PATH = regex(r"[A-Za-z]:\\(?!\\)")


def backslash(text: str, at: int) -> Rewrite:
    """A backslash that starts no escape of JSON: what it means elsewhere, else the character itself."""
    if text[at + 1 : at + 2] in tuple(QUOTES):
        return Rewrite(at, at + 1, "")
    if re.match(r"x[0-9a-fA-F]{2}", text[at + 1 : at + 4]):
        return Rewrite(at, at + 2, r"\u00")
    return Rewrite(at, at, "\\")


def without_comment(text: str, token: Token) -> Rewrite:
    """A comment taken out: with its line if it has one to itself, else with the blanks beside it."""
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
    return Rewrite(before, after, "" if ends_line or text[after] in ",;:)]}" else " ")


def space(text: str, token: Token) -> Rewrite:
    """Whitespace that JSON does not know, as plain spaces; what has no width leaves nothing."""
    visible = re.sub("[\u200b-\u200d\u2060\ufeff]", "", text[token.start : token.end])
    return Rewrite(token.start, token.end, " " * len(visible))


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
    "placeholder": "put the placeholders in quotes",
    "literal": "write null, true and false",
    "base": "write the number in decimal",
    "control": "escape the control characters",
    "backslash": "repair the backslashes",
    "space": "use plain spaces",
    "equals": "use colons",
    "opener": "close what is open",
    "closer": "remove the extra bracket",
}
"""The fixable kinds of slip, each with what its fix does."""


class Slip(NamedTuple):
    kind: str
    """What sort of slip it is: one fix takes all of a kind. A key of LABELS, or "" where nothing can be offered."""
    start: int
    """Where it starts in the text."""
    end: int
    """Where it ends."""
    what: str
    """What is wrong."""
    instead: str
    """What to write instead."""


class Slips:
    """All the slips of a text: the first in reading order, how many there are, and the edits for each kind."""

    def __init__(self) -> None:
        self.first: Slip | None = None
        self.count = 0
        self.edits: dict[str, list[Rewrite]] = {}

    def add(self, kind: str, where: tuple[int, int], what: str, instead: str, *edits: Rewrite) -> None:
        """Take up one slip, and the edits that put it right."""
        self.count += 1
        if self.first is None or where[0] < self.first.start:
            self.first = Slip(kind, *where, what, instead)
        self.edit(kind, *edits)

    def edit(self, kind: str, *edits: Rewrite) -> None:
        """Add to the edits of a slip that was taken up before."""
        if edits:
            self.edits.setdefault(kind, []).extend(edits)


def shown(text: str) -> str:
    """A few words of the text as they may stand in a message: short, and without control characters."""
    short = text if len(text) <= 24 else text[:23] + "…"
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in short)


def in_token(text: str, token: Token, slips: Slips) -> None:
    """Take up what is wrong with a token wherever it stands."""
    kind, start, end = token
    if kind in STRINGS:
        _string(text, token, slips)
    elif kind == "comment":
        slips.add(kind, (start, end), "JSON has no comments", "remove it", without_comment(text, token))
    elif kind == "endless":
        slips.add("", (start, end), "a comment that does not end", "remove it")
    elif kind == "space":
        what = f"the invisible character U+{ord(text[start]):04X} is no space of JSON"
        slips.add(kind, (start, end), what, "write a plain space", space(text, token))
    elif kind == "stray":
        what = f"{shown(text[start])} does not belong here"
        slips.add("", (start, end), what, "write a value in its place, or remove it")
    elif text[start] in "()":
        bracket = "[" if kind == "open" else "]"
        slips.add("", (start, end), "JSON has no round brackets", f"write {bracket}")
    elif kind == "colon" and text[start:end] != ":":
        what = f"{text[start:end]} does not join a name and its value"
        slips.add("equals", (start, end), what, "write a colon", Rewrite(start, end, ":"))


_INSIDE = regex(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}|(?=(.?)))|([\x00-\x1f])|([\ud800-\udfff])', re.DOTALL)
_CONTROLS = {"\n": "a line break", "\r": "a line break", "\t": "a tab"}


def _string(text: str, token: Token, slips: Slips) -> None:
    """Take up wrong quotes, a missing quote, and what is wrong between the quotes."""
    kind, start, end = token
    opener, closer = text[start], text[end - 1]
    if kind == "unopened":
        slips.add("quote", (start, end), "a quote is missing before this text", 'write "', Rewrite(start, start, '"'))
    elif opener == "'" or (opener == '"' and kind == "string" and closer == "'"):
        edits = requoted(text, token)
        slips.add("single quotes", (start, end), "text needs double quotes, not single ones", 'write "', *edits)
    elif opener != '"' or (kind == "string" and closer != '"'):
        edits = requoted(text, token)
        odd = closer if opener == '"' else opener
        slips.add("other quotes", (start, end), f"{odd} is not a quote of JSON", 'write "', *edits)
    if kind == "unclosed":
        # a backslash before the quote is doubled, or the quote would be escaped
        dangling = (end - start - len(text[start:end].rstrip("\\"))) % 2
        edit = Rewrite(end, end, "\\" * dangling + '"')
        slips.add("quote", (start, end), "this text has no closing quote", 'write " at its end', edit)
    inner = (start + (kind != "unopened"), end - (kind != "unclosed"))
    if _INSIDE.search(text, *inner):
        _inside(text, inner, opener, slips)


def _inside(text: str, inner: tuple[int, int], opener: str, slips: Slips) -> None:
    """Take up what may not stand inside a string as it is: control characters, other languages' escapes."""
    wrong: list[int] = []
    for found in _INSIDE.finditer(text, *inner):
        where, char = found.span(), found[0]
        if found[2]:
            what = f"{_CONTROLS.get(char) or f'the control character U+{ord(char):04X}'} inside a string"
            slips.add("control", where, what, f"write {escaped(char)}", Rewrite(*where, escaped(char)))
        elif found[3]:
            what = f"half a character, U+{ord(char):04X}, cannot be sent"
            slips.add("", where, what, f"write {escaped(char)}")
        elif found[1] and found[1] != opener:
            wrong.append(where[0])
    if wrong:
        edits = [backslash(text, at) for at in wrong]
        if _WINDOWS_PATH.match(text, *inner):  # each backslash of `C:\users\new` is doubled
            singles = (found.start() for found in _SINGLE_BACKSLASH.finditer(text, *inner) if found[1])
            edits = [Rewrite(at, at, "\\") for at in singles] or edits
        what = f"{shown(text[wrong[0] : wrong[0] + 2])} is not an escape of JSON"
        slips.add("backslash", (wrong[0], wrong[0] + 2), what, r"write \\ for a backslash", *edits)


_NUMBER = regex(NUMBER)
_DECIMAL = regex(r"([0-9][0-9_]*+)?(?:\.(?:[0-9][0-9_]*+)?)?(?:[eE][+-]?[0-9]++)?")
_BASE = regex(r"0(?:[xX][0-9a-fA-F]{1,999}|[oO][0-7]{1,999}|[bB][01]{1,999})")
_ZEROS = regex(r"0[0_]*(?=[0-9])")
_NOT_NUMBERS = {"nan", "inf", "infinity"}
_LITERALS = dict.fromkeys(("null", "none", "nil", "undefined"), "null") | {"true": "true", "false": "false"}


def in_name(text: str, token: Token, slips: Slips) -> None:
    """Take up what is wrong with a token in the place of a member's name."""
    if token.kind not in STRINGS:
        what = "the name of a member needs double quotes"
        instead = f'write "{shown(text[token.start : token.end])}"'
        slips.add("name", token[1:], what, instead, *quoted(token))


def in_value(text: str, token: Token, slips: Slips) -> None:
    """Take up what is wrong with a word or a number in the place of a value."""
    spelled = text[token.start : token.end]
    if token.kind in STRINGS or spelled in ("true", "false", "null") or _NUMBER.fullmatch(spelled):
        return
    if token.kind == "number" and _number(spelled, token, slips):
        return
    if spelled.startswith("{{"):
        placeholder = f'"{{{{{spelled[2:-2].strip().removesuffix(":json")}:json}}}}"'
        edit = Rewrite(token.start, token.end, placeholder)
        slips.add("placeholder", token[1:], "a placeholder stands in quotes", f"write {shown(placeholder)}", edit)
    elif right := _LITERALS.get(spelled.lower()):
        edit = Rewrite(token.start, token.end, right)
        slips.add("literal", token[1:], f"{shown(spelled)} is not JSON", f"write {right}", edit)
    elif spelled.lower().lstrip("+-") in _NOT_NUMBERS:
        slips.add("", token[1:], f"{spelled} is not JSON", f'write null, or "{spelled}" as text')
    else:
        slips.add("bare text", token[1:], "text needs double quotes", 'write " on both sides', *quoted(token))


def _number(spelled: str, token: Token, slips: Slips) -> bool:
    """Take up what is first wrong with the spelling of a number; False if it is no number at all."""
    digits = spelled.lstrip("+-")
    if _BASE.fullmatch(digits):
        right = str(int(digits, 0))
        edit = Rewrite(token.start + (spelled[0] == "-"), token.end, right)
        slips.add("base", token[1:], "JSON has only decimal numbers", f"write {shown(right)}", edit)
        return True
    decimal = _DECIMAL.fullmatch(digits)
    if decimal is None:
        return False
    if spelled[0] == "+":
        slips.add("", token[1:], "a number has no plus sign", f"write {shown(digits)}")
    elif _ZEROS.match(digits):
        instead = f'remove them, or write "{shown(digits)}" to keep them as text'
        slips.add("", token[1:], "a number has no leading zeros", instead)
    elif "_" in digits:
        slips.add("", token[1:], "a number has no underscores", "remove them")
    else:
        side = "after" if decimal[1] else "before"
        slips.add("", token[1:], f"a number needs a digit {side} its point", "write 0 there")
    return True


ContainerState: TypeAlias = Literal["item", "colon", "value", "after"]
"""What has to come next: an item, the colon after a name, the value after the colon, or a comma or a closer."""
CLOSER: Final = {"[": "]", "{": "}"}
"""The closing bracket for each opening one."""
_OPENER = {"]": "[", "}": "{"}
_ROUND = {"(": "[", ")": "]"}


class Container(Struct):
    """An array, an object, or the whole text, which holds one of them if all is well."""

    opener: Token | None = None
    """Its opening bracket; None for the whole text."""
    typed: str = ""
    """The bracket as typed, `[` or `{`; empty for the whole text."""
    kind: str = ""
    """The bracket that was meant; empty for the whole text if that holds brackets of its own."""
    closed: bool = False
    """Whether a closing bracket stands for it; for the whole text, whether one has no opening one."""
    items: int = 0
    """How many tokens and containers stand directly in it, names included."""
    parts: int = 0
    """How many parts, separated by commas, are not empty."""
    part_empty: bool = True
    """Whether nothing stands in the part being counted."""
    colons: int = 0
    """How many colons stand directly in it."""
    first: Token | None = None
    """What stands in it first."""
    first_colon: Token | None = None
    """Its first colon."""
    first_join: Token | None = None
    """Its first comma or colon."""
    state: ContainerState = "item"
    """What has to come next, while slips are looked for."""
    comma: Token | None = None
    """The comma that makes an item due."""

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
            self.items += 1
            self.parts += self.part_empty
            self.part_empty = False

    def decide(self) -> None:
        """Settle what was meant, after everything was counted."""
        named = self.colons >= self.parts > 0
        bare = self.first and (self.first.kind in SCALARS or self.colons or self.parts > 1)
        if self.typed == "{":
            # one text is all there is: whoever types a name has got no further yet, its brace closed by the editor
            is_text = self.items == 1 and self.first is not None and self.first.kind in STRINGS
            may_become_a_member = is_text and self.first_join is None
            alone = not self.colons and self.items != 2 * self.parts and not may_become_a_member
            self.kind = "[" if alone and self.items and (self.closed or self.parts > 1) else "{"
        elif self.typed or bare:
            self.kind = "{" if named else "["


class Nest:
    """The containers that are open at one place of the text; the whole text is the outermost."""

    def __init__(self, whole: Container) -> None:
        self.open = [whole]
        self._typed = {"[": 0, "{": 0}

    def enter(self, container: Container) -> None:
        self.open.append(container)
        self._typed[container.typed] += 1

    def leave(self, closer: str) -> list[Container]:
        """Close what a closing bracket closes, innermost first.

        Only the last of them has it as its own; those before it lack theirs. If it fits none that is open, it is
        taken for a wrong one in the right place.
        """
        wanted = _OPENER[closer] if self._typed[_OPENER[closer]] else None
        left: list[Container] = []
        while len(self.open) > 1:
            left.append(self.open.pop())
            self._typed[left[-1].typed] -= 1
            if wanted in (None, left[-1].typed):
                break
        return left


def bracket(text: str, token: Token) -> str:
    """The bracket that a token is; round ones stand for square ones."""
    return _ROUND.get(text[token.start], text[token.start])


def counted(text: str, found: Sequence[Token]) -> Iterator[Container]:
    """The whole text and then its containers, in the order in which they open, each with what it holds."""
    order = [Container()]
    nest = Nest(order[0])
    for token in found:
        char = bracket(text, token)
        if token.kind == "close":
            left = nest.leave(char) or order[:1]
            left[-1].closed = True
        elif token.kind != "stray":
            nest.open[-1].count(token)
            if token.kind == "open":
                order.append(Container(token, char))
                nest.enter(order[-1])
    for container in order:
        container.decide()
    return iter(order)


_KINDS: Final = {"[": "an array", "{": "an object"}


def slips_of(text: str) -> Slips:
    """Everything that is wrong with the text as params; nothing at all only if it can be sent."""
    slips = Slips()
    found: list[Token] = []
    complete = True
    for token in tokens(text):
        in_token(text, token, slips)
        if token.kind == "endless":
            complete = False
        elif token.kind not in ("space", "comment"):
            found.append(token)
    _Walk(text, found, slips).run(complete=complete)
    return slips


class _Walk:
    """The walk from token to token; each open container remembers what has to come next in it."""

    def __init__(self, text: str, found: Sequence[Token], slips: Slips) -> None:
        self.text = text
        self.found = found
        self.slips = slips
        self.containers = counted(text, found)
        self.whole = next(self.containers)
        self.nest = Nest(self.whole)
        self.before = Token("open", 0, 0)
        self.over = False  # the params are complete, and yet more follows

    def run(self, *, complete: bool) -> None:
        """Take up all slips; those at the end only if the text is complete, its end not lost in a comment."""
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
        """The text has no brackets around it: take that up."""
        whole, last = self.whole, self.found[-1]
        place = whole.first if whole.first and whole.first.kind in SCALARS else whole.first_join
        assert place is not None  # without either, the whole text has no kind
        first = self.found[0]
        edits = [Rewrite(first.start, first.start, whole.kind)]
        if not self._ends_whole(last):
            edits.append(Rewrite(last.end, last.end, CLOSER[whole.kind]))
        kind, instead = ("array", "put it in [ ]") if whole.kind == "[" else ("object", "put it in { }")
        self.slips.add(kind, place[1:], "params are an array or an object", instead, *edits)

    def _ends_whole(self, token: Token) -> bool:
        """Whether a token is the closing bracket of a text that lacks the opening one."""
        last = self.whole.closed and token is self.found[-1]
        return last and self.text[token.start] == CLOSER.get(self.whole.kind)

    def _room(self, token: Token) -> Container:
        """The container an item is about to stand in, at a state that lets it."""
        container = self.nest.open[-1]
        end = self.before.end
        if container.state == "after" and not container.kind:
            self.slips.add(
                "", token[1:], "the params end before this", "remove the rest, or put everything into one array"
            )
            self.over = True
        elif container.state in ("after", "colon") and self._touches(token):
            instead = r"write \" for a quote inside the text, or add the missing quote"
            self.slips.add("", token[1:], "text goes on after its closing quote", instead)
            container.state = "item" if container.state == "after" else "value"
        elif container.state == "after":
            self.slips.add(
                "missing comma", token[1:], "a comma is missing before this", "write one", Rewrite(end, end, ",")
            )
            container.state = "item"
        elif container.state == "colon":
            self.slips.add(
                "missing colon", token[1:], "a colon is missing before this", "write one", Rewrite(end, end, ":")
            )
            container.state = "value"
        return container

    def _touches(self, token: Token) -> bool:
        """Whether a word and a string stand together without a gap, as around a quote that should be escaped."""
        kinds = (self.before.kind, token.kind)
        scalars = kinds[0] in SCALARS and kinds[1] in SCALARS
        return self.before.end == token.start and scalars and (kinds[0] in STRINGS) != (kinds[1] in STRINGS)

    def _item(self, token: Token) -> None:
        container = self._room(token)
        container.comma = None
        if container.kind == "{" and container.state == "item":
            in_name(self.text, token, self.slips)
            container.state = "colon"
        else:
            in_value(self.text, token, self.slips)
            container.state = "after"

    def _stray(self, _: Token) -> None:
        """What does not belong here was taken up already; where a value is due, it stands for one."""
        container = self.nest.open[-1]
        if container.state == "value" or (container.state == "item" and container.kind == "["):
            container.state = "after"
            container.comma = None

    def _open(self, token: Token) -> None:
        parent = self._room(token)
        parent.comma = None
        if parent.kind == "{" and parent.state == "item":
            self.slips.add("", token[1:], "the name of a member must be text", 'write a name in " " and a colon')
            parent.state = "colon"
        else:
            parent.state = "after"
        container = next(self.containers)
        self.nest.enter(container)
        if container.kind != container.typed:
            self._convert(container, token)

    def _convert(self, container: Container, opener: Token) -> None:
        """Take up brackets where braces were meant, or the other way round."""
        if container.kind == "{" and container.first_colon and container.first:
            name = self.text[container.first.start : container.first.end].strip("\"'")
            what, instead = "members need braces, not square brackets", f'write {{"{shown(name)}": …}}'
            edit = Rewrite(opener.start, opener.end, "{")
            self.slips.add("members", container.first_colon[1:], what, instead, edit)
        elif container.first:
            place = container.first
            if place.kind in STRINGS and container.first_join:
                place = container.first_join
            what = "elements without names need square brackets, not braces"
            self.slips.add("", place[1:], what, "write [ ]")

    def _close(self, token: Token) -> None:
        char = bracket(self.text, token)
        left = self.nest.leave(char)
        if not left:
            if not self._ends_whole(token):
                what, edit = f"{char} closes nothing", Rewrite(token.start, token.end, "")
                self.slips.add("closer", token[1:], what, "remove it", edit)
            return
        for container in left:
            self._finish(container, token)
        own, lacking = left[-1], left[:-1]
        if lacking:
            missing = "".join(CLOSER[container.typed] for container in lacking)
            what = f"{lacking[0].typed} is still open where {char} closes {_KINDS[own.typed]}"
            edit = Rewrite(self.before.end, self.before.end, missing)
            self.slips.add("opener", token[1:], what, f"write {shown(missing)} before it", edit)
        right = CLOSER[own.kind]
        if char == right:
            return
        if own.kind == own.typed:
            self.slips.add("", token[1:], f"{char} cannot close {own.typed}", f"write {right}")
        elif own.kind == "{":
            self.slips.edit("members", Rewrite(token.start, token.end, right))

    def _finish(self, container: Container, token: Token) -> None:
        """Take up what a container that ends at `token` still lacks, or has too much."""
        if container.state in ("colon", "value"):
            self._missing(container, token)
        elif container.comma:
            what, edit = "the comma after the last item is one too many", Rewrite(*container.comma[1:], "")
            self.slips.add("trailing comma", container.comma[1:], what, "remove it", edit)

    def _missing(self, container: Container, token: Token) -> None:
        """Take up that a name goes without a value up to `token`."""
        if container.state == "colon":
            self.slips.add("", token[1:], "a name without a value", "write a colon and a value after the name")
        else:
            self.slips.add("", token[1:], "a value is missing here", "write one, or null")

    def _comma(self, token: Token) -> None:
        container = self.nest.open[-1]
        mark = self.text[token.start]
        if container.state in ("colon", "value"):
            self._missing(container, token)
        elif container.state == "item":
            what, edit = "one comma too many", Rewrite(token.start, token.end, "")
            self.slips.add("extra comma", token[1:], what, "remove it, or write a value before it", edit)
            return
        elif not container.kind:
            self.slips.add("", token[1:], "nothing may follow the end of the params", "remove it")
            return
        if mark == ";":
            self.slips.add("", token[1:], "items are separated by commas", "write a comma")
        container.state = "item"
        container.comma = token

    def _colon(self, token: Token) -> None:
        container = self.nest.open[-1]
        if container.kind != "{":
            self.slips.add("", token[1:], "an array has no names", "put the name and its value into { }")
        elif container.state == "item":
            self.slips.add("", token[1:], "a name is missing before this colon", 'write one in " "')
        elif container.state == "value":
            self.slips.add("", token[1:], "one colon is enough", "remove this one")
        elif container.state == "after":
            self.slips.add("", token[1:], "a colon cannot follow a value", "write a comma, or a name before it")
        container.comma = None
        container.state = "value"

    def _end(self) -> None:
        """Take up what is missing where the text ends."""
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
            self.slips.add("opener", (end, end), what, f"write {shown(missing)}", *edits)
