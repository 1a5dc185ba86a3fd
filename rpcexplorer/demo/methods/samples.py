"""Replies worth looking at: big, slow, deep, odd. No method here needs anything but its params."""

from __future__ import annotations

from collections.abc import Iterator

from rpcexplorer.demo.declaration import Call, Method, Param
from rpcexplorer.demo.methods.records import MOST, records_page
from rpcexplorer.demo.reply import Body, Outcome, Piece, Success, body, success, written

DROPS = 20
"""Pieces of a reply that drips."""
_BIDI = "\u202egnp.exe\u202c \u2066isolated\u2069 \u200fmark"
_UNICODE = {
    "emoji": "\U0001f680 \U0001f469\u200d\U0001f4bb \U0001f1ea\U0001f1fa \U0001f44d\U0001f3fd \u2764\ufe0f",
    "right to left": "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 123",
    "wide": "\u65e5\u672c\u8a9e \ud55c\uad6d\uc5b4 \uff26\uff55\uff4c\uff4c",
    "combining": "e\u0301 = \u00e9, n\u0303, Z\u0351\u036b\u0343a\u0321\u034el\u034dg\u0317o\u0321",
    "overriding": _BIDI,
    "zero width": "a\u200bb\u200cc\u200dd\u2060e\ufefff\u00adg",
    "spaces": "a\u00a0b\u2003c\u3000d\u2028e\u2029f\u0085g",
    "control": "".join(map(chr, range(32))) + "\u007f",
    "escape": "\u001b[31mred\u001b[0m \u001b]0;title\u0007 \u001b]52;c;aGVsbG8=\u0007 \u001b[c \u009b31mC1\u009b0m",
    "lone surrogate": "\ud800 and \udfff",
    "beyond": "\U0010ffff \ufffe \ufffd \ue000",
    "markup": "[bold]not bold[/bold] [/] [@click=app.quit]x[/] <b>&amp;</b>",
    "na\u00efve k\u00e9y \U0001f511": "a name beyond ASCII",
}
_NUMBERS = b"""{
  "money": 1.10,
  "beyond a double": 1e400,
  "negative zero": -0,
  "unsigned 64 bits": 18446744073709551615,
  "trailing zeros": 0.00001000,
  "thirty digits": 123456789012345678901234567890,
  "exponent": 1E+2,
  "not quite a third": 0.1000000000000000055511151231257827
}"""
_DUPLICATES = (
    b'{"a": 1, "b": true, "a": 2, "a": {"x": null, "x": [], "x": null},'
    rb' "": "no name", "\u0061": "a once more, spelled otherwise", "\u0000": "NUL", "A": 3}'
)


def _echo(call: Call) -> Outcome:
    return Success(body(call.request.params_text.encode()))


def _records(call: Call) -> Outcome:
    arguments = call.arguments
    return Success(records_page(arguments["count"], arguments["page"]), chunked=arguments["chunked"])


def _slow(call: Call) -> Outcome:
    seconds = call.arguments["seconds"]
    if not call.arguments["drip"]:
        result = success({"seconds": seconds, "drip": False}).result
        return Success(result, delay=float(seconds))
    drops = [written(f"drop {number} of {DROPS}") for number in range(1, DROPS + 1)]
    pieces = [b'{"seconds": %b, "drip": true, "drops": [' % written(seconds), b",\n".join(drops), b"]}"]
    return Success(Body(sum(map(len, pieces)), _dripping(b"".join(pieces), float(seconds))))


def _dripping(content: bytes, seconds: float) -> Iterator[Piece]:
    size = -(-len(content) // DROPS)
    for start in range(0, len(content), size):
        yield seconds / DROPS
        yield content[start : start + size]


def _unicode(_: Call) -> Outcome:
    return success(_UNICODE)


def _numbers(_: Call) -> Outcome:
    return Success(body(_NUMBERS))


def _duplicates(_: Call) -> Outcome:
    return Success(body(_DUPLICATES))


def _nested(call: Call) -> Outcome:
    depth = call.arguments["depth"]
    return Success(body(b'{"in": ' * (depth - 1) + b"{}" + b"}" * (depth - 1)))


_OBJECT = {"type": "object"}
METHODS = (
    Method(
        "demo.echo",
        "Answers with the params exactly as they were sent",
        _echo,
        "Spelling of numbers, order of members, repeated names and white space included.",
        takes_anything=True,
    ),
    Method(
        "demo.records",
        "A page of fictional records, up to a million",
        _records,
        "The same records every time. The reply states its length, unless it is asked to come in chunks.",
        params=(
            Param("count", "Records on the page", {"type": "integer", "minimum": 1, "maximum": MOST, "default": 20}),
            Param("page", "Which page", {"type": "integer", "minimum": 1, "maximum": 1_000_000, "default": 1}),
            Param("chunked", "Send it without stating the length", {"type": "boolean", "default": False}),
        ),
        result={
            "type": "object",
            "properties": {
                "page": {"type": "integer"},
                "count": {"type": "integer"},
                "records": {"type": "array", "items": _OBJECT},
            },
        },
    ),
    Method(
        "demo.slow",
        "Takes its time",
        _slow,
        "Silent until the time is over, or dripping: then the length is known at once and the body comes in pieces.",
        params=(
            Param("seconds", "How long it takes", {"type": "number", "minimum": 0, "maximum": 600, "default": 2}),
            Param("drip", "Send the reply piece by piece", {"type": "boolean", "default": False}),
        ),
        result=_OBJECT,
    ),
    Method(
        "demo.unicode",
        "Text that is hard to show",
        _unicode,
        "Emoji, right to left, combining, invisible and control characters, terminal escapes, a lone surrogate.",
        result=_OBJECT,
    ),
    Method("demo.numbers", "Numbers whose spelling matters", _numbers, result=_OBJECT),
    Method("demo.duplicates", "An object that repeats its names", _duplicates, result=_OBJECT),
    Method(
        "demo.nested",
        "Objects inside objects",
        _nested,
        params=(Param("depth", "How many", {"type": "integer", "minimum": 1, "maximum": 100_000, "default": 300}),),
        result=_OBJECT,
    ),
)
