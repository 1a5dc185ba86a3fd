"""A jq expression over a response, run in a separate process."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Final

from msgspec import Struct

from rpcexplorer.jsontext.layout import indented
from rpcexplorer.patterns import regex
from rpcexplorer.text.printable import printable, readable

OUTPUT_LIMIT: Final = 256 * 1024 * 1024
"""Characters of results. An expression without end stops here."""
SENTENCE_LIMIT: Final = 300
"""Characters of a problem; jq quotes the values that cause it."""
_PLACE = regex(r" at <top-level>, line (\d+)(?:, column (\d+))?:?")
_WORDS = [
    (regex(pattern), words)
    for pattern, words in (
        (r"^jq: error: ", ""),
        (r"^syntax error, ", ""),
        (r" \((?:Unix|Windows cmd) shell quoting issues\?\)", ""),
        (r", expecting (?!'.'$).*", ""),  # unless it is one sign, these are names in jq's own grammar
        (r"^unexpected end of file", "unexpected end of the expression"),
        (r"^unexpected INVALID_CHARACTER", "unexpected character"),
        (r"^Top-level program not given.*", 'the expression is empty ("." is the whole response)'),
        (r"^parse error: (.)", r"cannot read the response: \1"),
        (r"^Cannot index (?=[aeiou])(\w+) with (?:\w+ \((.*)\)|(.*))$", r"cannot index an \1 with \2\3"),
        (r"^Cannot index (\w+) with (?:\w+ \((.*)\)|(.*))$", r"cannot index a \1 with \2\3"),
        (r"^Cannot (\w+)", r"cannot \1"),
    )
]
"""Messages of jq, and their replacements."""


class Yield(Struct, frozen=True):
    text: bytes
    """The results as indented JSON texts, each starting on a new line."""
    count: int


class FilterProblem(Struct, frozen=True):
    sentence: str


def filtered(expression: str, body: bytes) -> Yield | FilterProblem:
    """Filter a response with jq; unchanged numbers keep their spelling."""
    if find_spec("jq") is None:
        return FilterProblem("jq is not installed. To filter responses, install the Python package jq")
    import jq

    text = readable(body.removeprefix(b"\xef\xbb\xbf"))
    if text is None:
        return FilterProblem("jq: cannot read the response: it is not UTF-8")
    results: list[str] = []
    room = OUTPUT_LIMIT
    # jq reports every problem with an exception.
    try:
        jq.compile(expression)  # on its own, so that a problem names the place where it was typed
        for result in jq.compile(f"({expression}\n) | tojson").input_text(text):
            results.append(indented(result))
            room -= len(results[-1])
            if room < 0:
                return FilterProblem(f"jq: the results are longer than {OUTPUT_LIMIT:,} characters. Use first(…).")
    except UnicodeEncodeError:
        return FilterProblem("jq: the expression contains an invalid character")
    except ValueError as error:
        return FilterProblem(f"jq: {_plain(str(error))}")
    return Yield("".join(f"{result}\n" for result in results).encode(), len(results))


def _plain(message: str) -> str:
    words = message.partition("\n    ")[0].removesuffix("\njq: 1 compile error").strip()
    place = _PLACE.search(words)
    words = _PLACE.sub("", words)
    for pattern, better in _WORDS:
        words = pattern.sub(better, words)
    if place and place[2]:
        line = f"line {place[1]}, " if place[1] != "1" else ""
        words = f"{words} at {line}column {place[2]}"
    shown = printable(" ".join(words.split()))
    return shown if len(shown) <= SENTENCE_LIMIT else shown[: SENTENCE_LIMIT - 1] + "…"


def asked(expression: str, body: bytes) -> bytes:
    """Return the input of the jq process, as a command line is too limited."""
    typed = expression.encode("utf-8", "surrogatepass")
    return b"%d\n%b%b" % (len(typed), typed, body)


def main() -> int:
    given = sys.stdin.buffer
    expression = given.read(int(given.readline())).decode("utf-8", "surrogatepass")
    outcome = filtered(expression, given.read())
    if isinstance(outcome, FilterProblem):
        sys.stderr.buffer.write(f"{outcome.sentence}\n".encode())
        return 1
    sys.stdout.buffer.write(outcome.text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
