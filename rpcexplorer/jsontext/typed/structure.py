"""Slips in how tokens follow each other: commas, colons, names, and brackets that do not match.

What lives here walks from token to token, without recursion, takes up what is out of place, and goes on as if it
had been put right: so one fix can mend every slip of its kind. Slips inside a token are found in `slips.py`; what
a container was meant to be is settled in `containers.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rpcexplorer.jsontext.typed.containers import CLOSER, Container, Nest, bracket, counted
from rpcexplorer.jsontext.typed.fixes import Rewrite
from rpcexplorer.jsontext.typed.slips import Slips, in_name, in_token, in_value, shown
from rpcexplorer.jsontext.typed.tokens import SCALARS, STRINGS, Token, tokens

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
