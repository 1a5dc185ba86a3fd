"""What is known of a method as rows of words: what it does, what it takes, what comes back, and who says so."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final, NamedTuple

from msgspec import UNSET, Struct

from rpcexplorer.auth.registry import KINDS, auth_of
from rpcexplorer.discovery.methods import source_of
from rpcexplorer.model.method import (
    By,
    Described,
    DescribedError,
    DescribedParam,
    ExampleCall,
    Method,
    MethodSource,
    Parameter,
    described_by,
    method_of,
)
from rpcexplorer.model.profile import Auth, Profile
from rpcexplorer.schema.node import SchemaReader
from rpcexplorer.schema.start import starting_point
from rpcexplorer.schema.words import kind_words
from rpcexplorer.views.documentation.inlines import inline
from rpcexplorer.views.documentation.markdown import markdown, plain
from rpcexplorer.views.documentation.members import MemberRows, SchemaMember
from rpcexplorer.views.documentation.rows import PageRows
from rpcexplorer.views.documentation.values import json_rows, short
from rpcexplorer.views.printable import printable
from rpcexplorer.views.words.auth import goes_with
from rpcexplorer.views.words.sentences import WordLine

LABEL: Final = 12
MOST_ERRORS: Final = 100
LONGEST_MESSAGE: Final = 300
LONGEST_WORD: Final = 60
"""Characters of a tag."""
MOST_EXAMPLES: Final = 20
MOST_OF_RESULT: Final = 12
"""Lines of what an example says comes back."""
NO_MARKDOWN: Final = frozenset({"help", "system.methodHelp", "system.listMethods", "core.describe"})
"""Dialects whose texts are laid out for a terminal: their lines stay lines."""
_BARE: Final = frozenset({"type", "default", "examples"})
"""A schema of no more than these says less than the kind in words that a list has."""
_BY: Final[dict[By, str]] = {"name": "by name, as an object", "position": "by position, as an array"}
_SOURCES: Final[dict[MethodSource, str]] = {
    "service": "the service's own document",
    "profile": "the profile",
    "discovered": "the service, when it was asked",
    "history": "an earlier call",
    "saved": "a saved call",
}
_OTHERS: Final = {"profile": "the profile", "service": "the service's own document"}
"""Sources of single facts that are no dialects."""


class ShownExample(NamedTuple):
    """An example, and the rows where it stands."""

    first: int
    end: int
    call: ExampleCall


class DocsPage(Struct, frozen=True):
    """PageRows to read, and where the examples stand in them."""

    rows: list[WordLine]
    examples: tuple[ShownExample, ...] = ()


def docs_lines(
    method: Method | None,
    described: Described | None = None,
    asked: datetime | None = None,
    profile: Profile | None = None,
    *,
    width: int | None = None,
) -> list[WordLine]:
    """The page for a method; ``asked`` is when the service told of it. Without a width nothing is wrapped."""
    return docs_page(method, described, asked, profile, width=width).rows


def docs_page(
    method: Method | None,
    described: Described | None = None,
    asked: datetime | None = None,
    profile: Profile | None = None,
    *,
    width: int | None = None,
    on_screen: bool = False,
) -> DocsPage:
    """``on_screen``: the name stands above the page, and what can be done with an example beside it."""
    rows = PageRows(width)
    if method is None:
        rows.add([("  No method is chosen yet: F2 shows them.", "dim")])
        return DocsPage(rows.made)
    page = _Docs(method, described or described_by(method), rows)
    if not on_screen:
        rows.add(_title(method))
    page.summary()
    page.params()
    page.result()
    page.errors()
    examples = [*page.examples(on_screen=on_screen)]
    if not examples:
        page.start(on_screen=on_screen)
    page.facts(asked, profile)
    return DocsPage(rows.made, tuple(examples))


def _title(method: Method) -> WordLine:
    words = [("  ", "text"), (method.name, "accent bold")]
    return [*words, ("   ! deprecated", "careful")] if method.deprecated else words


class _Docs:
    """The parts of the page, in their order."""

    def __init__(self, method: Method, described: Described, rows: PageRows) -> None:
        self._method, self._described, self._rows = method, described, rows
        self._reader = SchemaReader(described.definitions)
        self._sources = dict(method.sources)
        self._is_markdown = (described.dialect or method.dialect) not in NO_MARKDOWN
        self._members = MemberRows(self._reader, rows, is_markdown=self._is_markdown)

    def summary(self) -> None:
        method, rows = self._method, self._rows
        if method.doc:
            rows.add([("  ", "text"), *self._inline(method.doc), (self._said_by("doc"), "dim")], 2)
        if method.details:
            rows.blank()
            laid_out = plain if source_of(method, "details") in NO_MARKDOWN else markdown
            laid_out(method.details, rows, 2, "middle")
            if said_by := self._said_by("details"):
                rows.add([(said_by, "dim")], 2)

    def params(self) -> None:
        found = self._described.params or described_by(self._method).params
        if not found:
            return
        method = self._method
        self._heading("Params", (_BY[method.by] if method.by else "") + self._said_by("parameters"))
        by_name = {each.name: each for each in method.parameters if each.name}
        self._members.table([_member(at, each, by_name.get(each.name)) for at, each in enumerate(found, start=1)])

    def result(self) -> None:
        described = self._described
        if described.result is UNSET:
            return
        kind = self._method.result or kind_words(self._reader, described.result)
        self._heading("Result", self._said_by("result"))
        self._members.table(
            [SchemaMember(described.result_name or "result", described.result, None, described.result_doc, kind=kind)]
        )

    def errors(self) -> None:
        errors = self._described.errors
        if not errors:
            return
        self._heading("Errors", "")
        wide = max(len(_code(each)) for each in errors[:MOST_ERRORS])
        for each in errors[:MOST_ERRORS]:
            words = [
                (f"  {_code(each):>{wide}}", "wrong"),
                ("  ", "text"),
                *self._inline(each.message[:LONGEST_MESSAGE]),
            ]
            if each.data is not UNSET:
                words += [("  data ", "dim"), (short(each.data), "middle")]
            self._rows.add(words, wide + 4)
        self._more(len(errors) - MOST_ERRORS)

    def examples(self, *, on_screen: bool) -> Iterator[ShownExample]:
        examples = self._described.examples
        if not examples:
            return
        self._heading("Examples", "Enter puts one into the editor" if on_screen else "")
        for number, each in enumerate(examples[:MOST_EXAMPLES], start=1):
            first = len(self._rows.made)
            words: WordLine = [("  ", "text"), (each.name[:LONGEST_MESSAGE] or f"Example {number}", "middle")]
            if each.doc:
                words += [("  ", "text"), *self._inline(each.doc.partition("\n")[0], "dim")]
            self._rows.add(words, 4)
            json_rows(each.params, self._rows, 4)
            yield ShownExample(first, len(self._rows.made), each)
            if each.result is not UNSET:
                self._rows.add([("    comes back", "dim")])
                json_rows(each.result, self._rows, 6, MOST_OF_RESULT)
        self._more(len(examples) - MOST_EXAMPLES)

    def start(self, *, on_screen: bool) -> None:
        """Params to start from, which on a screen stand in the editor; where nothing at all is known, what to do."""
        method, described = self._method, self._described
        start = method.params if on_screen else starting_point(method, described)
        if start is not None:
            self._heading("Starting point", "")
            json_rows(start, self._rows, 2)
        elif not (method.doc or method.details or method.parameters or described.params):
            self._rows.blank()
            self._rows.add([("  Nothing more is known of it.", "text")], 2)
            self._rows.add([("  F9 asks the service; the editor takes anything.", "dim")], 2)

    def facts(self, asked: datetime | None, profile: Profile | None) -> None:
        """What a call takes along says the profile; what the service says of it stands behind that if it differs."""
        self._rows.blank()
        if profile is not None:
            self._fact("login", goes_with(profile, method_of(self._method.name)), _otherwise(self._method, profile))
        else:
            self._fact("login", _login(self._method), self._said_by("auth"))
        for label, told, fact in _facts(self._method, self._described, asked):
            self._fact(label, told, self._said_by(fact))

    def _fact(self, label: str, told: str, remark: str) -> None:
        self._rows.add([(f"  {label:<{LABEL}}", "dim"), (told, "text"), (remark, "dim")], LABEL + 2)

    def _said_by(self, fact: str) -> str:
        """Who has said it, where that is another one than of most of the page."""
        source = self._sources.get(fact, "")
        return f"  says {_OTHERS.get(source, source)}" if source else ""

    def _heading(self, words: str, remark: str) -> None:
        self._rows.blank()
        self._rows.add([(f"  {words}", "bold"), (f"  {remark.strip()}" if remark else "", "dim")], 4)

    def _more(self, count: int) -> None:
        if count > 0:
            self._rows.add([(f"  … and {count:,} more", "dim")])

    def _inline(self, text: str, role: str = "text") -> WordLine:
        text = " ".join(text[:2_000].split())
        return inline(text, role) if self._is_markdown else [(text, role)]


def _member(place: int, param: DescribedParam, known: Parameter | None) -> SchemaMember:
    """A param as a member; the kind in words that a list has, where the schema says no more."""
    is_bare = not isinstance(param.schema, dict) or param.schema.keys() <= _BARE
    kind = known.kind if known is not None and is_bare else ""
    name = param.name or f"#{place}"
    return SchemaMember(name, param.schema, param.required, param.doc, param.deprecated, kind)


def _code(error: DescribedError) -> str:
    return "?" if error.code is None else str(error.code)[:20]


def _facts(method: Method, described: Described, asked: datetime | None) -> Iterator[tuple[str, str, str]]:
    said_by = _SOURCES[method.source] + (f" ({printable(method.dialect)})" if method.dialect else "")
    if asked is not None and method.dialect:
        said_by += f" on {asked.astimezone():%-d %B %Y at %H:%M}"
    facts = (
        ("safe", _safety(method.safe), "safe"),
        ("tags", ", ".join(tag[:LONGEST_WORD] for tag in described.tags[:20]), ""),
        ("result", method.result if described.result is UNSET else "", "result"),
        ("said by", said_by, ""),
    )
    return (fact for fact in facts if fact[1])


def _login(method: Method) -> str:
    """What the profile notes holds for each call; that no login is needed is else but the word of who says it."""
    if method.auth is None or method.auth not in KINDS:
        return "unknown"
    if method.auth == Auth.kind and source_of(method, "auth") != "profile":
        return "the service says: none"
    return KINDS[method.auth].needed


def _otherwise(method: Method, profile: Profile) -> str:
    """What is noted or said of the credentials of a method, where the profile's calls have others by themselves."""
    if method.auth is None or method.auth not in KINDS or method.auth == auth_of(profile).kind:
        return ""
    who = "the profile notes that it" if source_of(method, "auth") == "profile" else "the service says that it"
    return f"  {who} {KINDS[method.auth].needed}"


def _safety(safe: bool | None) -> str:
    if safe:
        return "yes, sent without a question"
    return "no, asks first where the profile wants it" if safe is False else "unknown, so it is treated as not safe"
