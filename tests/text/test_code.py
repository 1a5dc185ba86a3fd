"""Source code and markup in roles: each language, and what is never coloured."""

from __future__ import annotations

import time

import pytest

from rpcexplorer.text.code import _LEXERS, MAX_CHARACTERS, MAX_SECONDS, code_lines, markup_language
from rpcexplorer.text.document import Document
from rpcexplorer.text.wrapping import WordLine, text_of


def roles(lines: list[WordLine]) -> dict[str, str]:
    """Return the role of each piece that has one, by its text."""
    return {text.strip(): role for line in lines for text, role in line if role not in {"text", "middle"}}


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("sh", 'curl -d \'{}\' "$URL"  # send', {"'{}'": "json-string", "$URL": "json-number", "# send": "dim"}),
        ("Bash title=x", "for a in b; do", {"for": "json-literal", "in": "json-literal", "do": "json-literal"}),
        ("python", "def f(): return None", {"def": "json-literal", "f": "text bold", "None": "json-literal"}),
        ("toml", '[a]\nb = true # c', {"[a]": "json-key", "b": "json-key", "true": "json-literal", "# c": "dim"}),
        ("yaml", "a: 1", {"a": "json-key", "1": "json-string"}),
        ("json", '{"a": 1, …}', {'"a"': "json-key", "1": "json-number", "{": "json-punctuation"}),
        ("html", '<p id="x">&amp;', {"p": "json-literal", "id": "json-key", "&amp;": "json-number"}),
        ("diff", "-a\n+b", {"-a": "wrong", "+b": "well"}),
        ("console", "$ ls 'a'\n'a'", {"$": "dim", "ls": "text bold", "'a'": "json-string"}),
        ("http", "GET / 1.1\nHost: x\n\n1", {"GET / 1.1": "text bold", "Host": "json-key", "1": "json-number"}),
        ("", "# 'a'", {}),
        ("brainfuck", "+[-]", {}),
    ],
)  # fmt: skip
def test_language_becomes_roles(language: str, text: str, expected: dict[str, str]) -> None:
    lines = code_lines(text, language)
    assert "\n".join(map(text_of, lines)) == text
    assert expected.items() <= roles(lines).items()
    assert bool(roles(lines)) is bool(expected)


@pytest.mark.parametrize("language", [languages.split()[0] for languages in _LEXERS.values()])
def test_every_language_keeps_every_character(language: str) -> None:
    text = 'a = "b"\n\n  <c d=\'e\'> # f\n// g\n"'
    assert "\n".join(map(text_of, code_lines(text, language))) == text


def test_final_line_break_starts_no_line() -> None:
    assert [len(code_lines("a\n\nb\n", language)) for language in ("sh", "json", "console", "http", "")] == [3] * 5


def test_code_is_printable_and_without_tabs() -> None:
    (line,) = code_lines("\techo '\x1b]52;c;?\x07' \u202e", "sh")
    assert text_of(line) == "    echo '␛]52;c;?␇' \\u202e"


def test_long_code_is_coloured_up_to_the_limit() -> None:
    lines = code_lines("'a'\n" * MAX_CHARACTERS, "sh")
    assert len(lines) == MAX_CHARACTERS
    assert lines[0] == [("'a'", "json-string")]
    assert lines[-1] == [("'a'", "text")]


@pytest.mark.parametrize("text", ["&", "<!--", "<a b='", "<script>", '"', "{", "\n"])
def test_hostile_markup_costs_bounded_time(text: str) -> None:
    code_lines("", "html")  # imports the lexer
    started = time.process_time()
    code_lines(text * (100_000 // len(text)), "html")
    assert time.process_time() - started < MAX_SECONDS + 1.5


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("<!DOCTYPE html>", "html"),
        ("\n <HTML lang=en>", "html"),
        ('<?xml version="1.0"?>', "xml"),
        ("<h1>502", "html"),
        ("<3", ""),
        ("a <b>", ""),
        ("", ""),
    ],
)
def test_markup_is_known_by_its_beginning(text: str, language: str) -> None:
    assert markup_language(text) == language


def test_error_page_is_coloured_by_lines_as_shown() -> None:
    document = Document.of_json(b"<html>\n\t<h1>502\x1b</h1>\n")
    assert [text_of(line) for line in document.role_lines] == ["<html>", "    <h1>502␛</h1>"]
    assert roles(document.role_lines) == {"html": "json-literal", "h1": "json-literal"}


def test_only_markup_of_an_endless_page_is_coloured_at_its_start() -> None:
    assert len(Document.raw(b"<p>\n" * 1_000_000).role_lines) == MAX_CHARACTERS // len("<p>\n")
    assert len(text_of(Document.raw(b"<p>" * 1_000_000).role_lines[0])) == MAX_CHARACTERS
    for body in (b"plain", b'{"a": "<p>"}', b"<\xff\x00"):
        assert Document.of_json(body).role_lines == []
