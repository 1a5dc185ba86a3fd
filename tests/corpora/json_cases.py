r"""JSON texts that are right, wrong, or optional by RFC 8259.

No package that we found installs JSONTestSuite, so these cases are our own, written along the grammar: numbers
are built part by part, wrong strings character by character, broken structures by cutting a right one at every byte.
Only the last table is foreign: the documents of json.org's JSON_checker, which are in the wheel of simplejson.
This module has no tests.
"""

from __future__ import annotations

from importlib import import_module
from itertools import product
from typing import Final

Cases = dict[str, bytes]
"""Texts by name, which identifies a failure."""
SAMPLE: Final = b'{"a": [1, -2.5e3, "x\\n", true, false, null], "b": {"": {}}}'
DEEP: Final = 10_000
"""Levels: far beyond every recursion limit, and fast enough for all views."""


def _named(group: str, texts: list[str]) -> Cases:
    return {f"{group}-{number}-{text[:16]!a}": text.encode() for number, text in enumerate(texts)}


def _bytes(group: str, texts: list[bytes]) -> Cases:
    return {f"{group}-{number}-{text[:10]!r}": text for number, text in enumerate(texts)}


def _string(inner: str) -> str:
    return f'["{inner}"]'


_WHOLE = ["0", "-0", "7", "-10", "9" * 30]
_FRACTIONS = ["", ".0", ".250"]
_EXPONENTS = ["", "e1", "E+02", "e-3"]
_RIGHT_STRINGS = [
    "", "a", "\\\"", "\\\\", "\\/", "\\b\\f\\n\\r\\t", "\\u0041", "\\u00e9\\u00E9", "\\u0000",
    "\\u001b]52;c;aGk=\\u0007", "\\u2028\\u2029", "\\uFFFF\\ufffe", "\\ud83d\\ude00", "\\uD834\\uDD1E", "\\\\u0041",
    "\\\\\\\"", "\\\\\\\\\\\\", "é", "漢字", "😀", "\x7f", "\x80\x9b31m", "\u2028", "\u202e", "\u200b", "\ufeff",
    "\ufffe", "\ue000", "\U0010ffff", "e\u0301", "//", "/* */", "#", "'", "`", "[", "}", ",:", "</script>", "[/red]",
    "[@click=app.quit]x[/]", "x" * 70_000, "null", "NaN", "\\u005cn", "«shop.secret»", "data: x", "1.10",
]  # fmt: skip
_RIGHT_STRUCTURES = [
    "[]", "{}", "[[]]", "[{}]", '{"a":{}}', '{"a":[]}', "[[],[],{}]", "[null]", "[true,false,null]", '["a",1,{"b":[]}]',
    "[ ]", "{ }", "[\t1\r\n,\n2 ]", '{ "a"\t:\r1 ,\n"b" : 2 }', '{"":0}', '{"a":1,"a":2}', '{"a":1,"\\u0061":2}',
    '{"\\u0000":1}', '{"__proto__":{}}', '{"constructor":1,"toString":2}', '{"a\\nb":"c\\td"}',
    '{"é":"漢","😀":"\\ud83d\\ude00"}', '{"jsonrpc":"2.0","id":1,"result":{"result":2}}', '{"error":{"code":1}}',
    '{"method":"x"}', '{"data: x":1}', '[{"id":1},{"id":2},{"id":3,"x":null}]', "[" * 64 + "]" * 64,
    "[" * 300 + "]" * 300, '{"a":' * 300 + "1" + "}" * 300, "[" + ",".join(["0"] * 5000) + "]",
    "{" + ",".join(f'"k{number}":{number}' for number in range(2000)) + "}", " \n\t\r[1]\n\n\n", "[1e1,1E1,1e+1,1e-1]",
]  # fmt: skip
RIGHT: Final[Cases] = {
    **_named("number", [f"[{''.join(parts)}]" for parts in product(_WHOLE, _FRACTIONS, _EXPONENTS)]),
    **_named("string", [_string(inner) for inner in _RIGHT_STRINGS]),
    **_named("structure", _RIGHT_STRUCTURES),
}
"""Arrays and objects that every JSON parser must accept."""

_WRONG_NUMBERS = [
    "+1", "01", "-01", "00", "-", "--1", "-+1", ".5", "-.5", "1.", "1.e2", "1.2.3", "1e", "1E-", "1e+", "1ee2", "1e1.5",
    "e5", "1-", "1 000", "1_000", "0x1F", "0b1", "0o7", "1L", "1f", "1.0d", "#1", "$1", "1%", "1/2", "½", "∞", "\uff11",
    "\u0661", "\u2212" + "1", "1\u00a0", "inf", "nan", "1.#INF", "Inf", "0.e1", "-e1", "1e\u00b2", "2.e", "1a", "0-1",
]  # fmt: skip
_ESCAPES = sorted(set(map(chr, range(0x20, 0x7F))) - set('"\\/bfnrtu'))
_WRONG_STRINGS = [
    *(_string(f"x{chr(code)}y") for code in range(0x20)), *(_string(f"x\\{char}y") for char in _ESCAPES),
    *map(_string, ["\\u", "\\u1", "\\u12", "\\u123", "\\u00G0", "\\u{41}", "\\u-041", "\\u 041", "\\U0041", "\\é"]),
    _string("\\\n"),
    '["', '["a', '["\\"]', '["\\', '["a]', "['a']", "[`a`]", "[“a”]", "[«a»]", '["a" "b"]', '["a"+"b"]', '["a""b"]',
    "[a]", '[\\"a"]', '["a\\"', '[""a]', '["a"', '["a",', "[\\u0022a\\u0022]", 'r["a"]', '[b"a"]', '["""a"""]',
]  # fmt: skip
_WRONG_STRUCTURES = [
    "[,]", "[,1]", "[1,]", "[1,,2]", "[1 2]", "[1;2]", "[1:2]", "[1", "[1}", "[", "]", "[]]", "[[]", "[][]", "[],",
    "[1]x", "{", "}", "{}}", "{]", "{,}", '{"a"}', '{"a":}', "{:1}", '{"a" 1}', '{"a"::1}', '{"a":1,}', '{,"a":1}',
    '{"a":1,,"b":2}', '{"a":1 "b":2}', '{"a":1;"b":2}', '{"a",1}', '{"a"=1}', '{"a"=>1}', "{a:1}", "{'a':1}", "{1:1}",
    "{null:1}", "{[]:1}", '{"a":1}}', '{"a":1', '{"a":1]', '{"a":1} {"b":2}', "{...x}", '{"a":1}//', '{"a":1}/*x*/',
    "[1]#x", "/*x*/[1]", "[1]//", "[1,/*x*/2]", "[--x\n1]", "[True]", "[False]", "[None]", "[TRUE]", "[undefined]",
    "[nul]", "[nulll]", "[truee]", "[tru]", "[fals", "[Null]", "[new Date()]", "[1n]", "[(1)]", "[<a>]", "[*]",
    "[\u00a01]", "[\x0c1]", "[\x0b1]", "[\u20281]", "[\u20601]", "[1\x00]", "\x00[1]", "[1]\x00", "[\ufeff1]",
    "[1]\ufeff", "[\x1b[31m1]", "\x1b[31m[1]", "[\x7f1]", "[" * DEEP, '{"a":' * DEEP, "[" * DEEP + "]" * (DEEP - 1),
    "[" * 40 + "}" * 40, '["a",\n4\n,1,', "[\\n]", "[\\u0031]", "<<<<<<< HEAD\n[1]\n=======\n[2]\n>>>>>>> main",
    "[1]\n---\n[2]", "- a\n- b", "a = 1", "[a]\nb = 1", "key: value",
]  # fmt: skip
WRONG: Final[Cases] = {
    **_named("number", [f"[{number}]" for number in _WRONG_NUMBERS]),
    **_named("string", _WRONG_STRINGS),
    **_named("structure", _WRONG_STRUCTURES),
    **_bytes("prefix", [SAMPLE[:end] for end in range(1, len(SAMPLE))]),
}
"""Texts that no parser may accept as JSON; some servers send them."""
NOT_JSON: Final[Cases] = _bytes(
    "body",
    [
        b"", b" ", b"\r\n", b"\x00", b"\x00\x00\x00\x00", b"OK", b"null", b"0", b'"a"', b"true",
        b"<html><h1>502</h1></html>", b"<!DOCTYPE html>", b'<?xml version="1.0"?><methodResponse/>',
        b"Traceback (most recent call last):\n", b"%PDF-1.7\n%\xe2", b"\x1f\x8b\x08\x00", b"PK\x03\x04", b"\x7fELF\x02",
        b"\x89PNG\r\n\x1a\n", b"\x1b]0;title\x07", b"\x1b[c", b"data: {}\n\n", b"event: x\ndata: 1\n\n", b"data: [\n\n",
        b")]}',\n{}", b"while(1);{}", b"cb({})", b"HTTP/1.1 200 OK\r\n\r\n{}", b"a" * 70_000,
    ],
)  # fmt: skip
"""Bodies that servers and their proxies send instead of JSON."""

_OPEN = [
    "[NaN]", "[Infinity]", "[-Infinity]", '{"a":NaN}', "[1e400]", "[-1e400]", "[1e-400]", "[1E+999999999]",
    "[18446744073709551616]", "[-9223372036854775809]", f"[{'9' * 4301}]", f"[-{'1' * 100_000}]", f"[0.{'3' * 5000}]",
    f"[1{'0' * 400}.0]", "[" * 1100 + "]" * 1100, "[" * DEEP + "]" * DEEP, '{"a":' * DEEP + "0" + "}" * DEEP,
    "[" * 65 + "1,2" + "]" * 65,
    *map(_string, ["\\ud800", "\\udc00", "\\ud800\\ud800", "\\ude00\\ud83d", "\\ud83dx\\ude00"]),
    *map(_string, ["\\uD800\\n", "x\\udfffy"]),
    '{"\\ud800":1}', '{"\\ud800":1,"\\ud800":2}',
]  # fmt: skip
_ODD_BYTES = [
    b"\xef\xbb\xbf[1]", b"\xef\xbb\xbf", b"\xef\xbb\xbf\xef\xbb\xbf[1]", b"\xef\xbb[1]", b'["\xff"]', b'["\x80"]',
    b'["caf\xe9"]', b'["\xc3"]', b'["\xe2\x82"]', b'["\xf0\x9f\x98"]', b'["\xc0\xaf"]', b'["\xe0\x80\xaf"]',
    b'["\xed\xa0\x80"]', b'["\xf4\x90\x80\x80"]', b'["\xf8\x88\x80\x80\x80"]', b'["\xfc\x84\x80\x80\x80\x80"]',
    b'["\xfe\xff"]', b"[\xff]", b"\xff[1]", b"[1]\xff", b'{"\xff":1}', b"[1]\xc3", '["é"]'.encode("latin-1"),
    '["ж"]'.encode("koi8-r"), '["漢"]'.encode("shift-jis"),
    *('["é"]'.encode(name) for name in ("utf-16", "utf-16-le", "utf-16-be")),
    *('["é"]'.encode(name) for name in ("utf-32", "utf-32-le", "utf-32-be", "utf-7")),
]  # fmt: skip
OPEN: Final[Cases] = {**_named("limit", _OPEN), **_bytes("bytes", _ODD_BYTES)}
"""Texts that a parser may accept or reject, but must survive."""


def _checker() -> Cases:
    fails = import_module("simplejson.tests.test_fail").JSONDOCS
    passes = [import_module(f"simplejson.tests.test_pass{number}").JSON for number in (1, 2, 3)]
    return {**_named("checker-fail", fails), **_named("checker-pass", passes)}


CHECKER: Final[Cases] = _checker()
"""The documents of JSON_checker.

Two of its failures are right by RFC 8259, so no result is expected for them.
"""
EVERYTHING: Final[Cases] = {**RIGHT, **WRONG, **NOT_JSON, **OPEN, **CHECKER}
