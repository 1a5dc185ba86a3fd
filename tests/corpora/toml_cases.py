"""TOML documents that are right or wrong by TOML 1.0.

No package that we found installs toml-test, so these cases are our own, written along the chapters of the
specification. This module has no tests.
"""

from __future__ import annotations

from typing import Final

Documents = dict[str, bytes]
"""Documents by name, which identifies a failure."""


def _named(chapter: str, texts: list[str]) -> Documents:
    return {f"{chapter}-{number}-{text[:16]!a}": text.encode() for number, text in enumerate(texts)}


def _values(chapter: str, values: list[str]) -> Documents:
    return _named(chapter, [f"a = {value}\n" for value in values])


RIGHT: Final[Documents] = {
    **_named(
        "blank",
        [
            "", " ", "\n\n", "# only a comment", "# é漢😀\n", "\t# a\n\n", "a = 1 # b", "\ufeffa = 1\n",
            "a = 1\r\nb = 2\r\n",
        ],
    ),
    **_named(
        "key",
        [
            "a-b_1 = 1", "1234 = 1", '"" = 1', "'' = 1", '"a b" = 1', "'a\"b' = 1", '"\\u00e9" = 1', "a.b.c = 1",
            'a . "b" . c = 1', "3.14 = 1", "a.b = 1\na.c = 2", "true = 1", "inf = 1", '"é" = 1', "-- = 1",
            '"a\\nb" = 1', "a.'b.c'.d = 1", "2025-01-01 = 1",
        ],
    ),
    **_values(
        "string",
        [
            '""', "''", '"a"', "'\\'", r'"\b\t\n\f\r\"\\"', r'"\u00e9\U0001F600"', r'"\u0000"', '"""a\nb"""',
            '"""\na"""', '"""a\\\n   b"""', "'''a\nb'''", "'''\n'''", '"""a""b"""', '"""a"""""', "'''a''b'''",
            "'''''a'''''", '"é漢😀"', '"\x80\u202e"', '"a#b" # c', "'\t'", r'"""\\"""', '"[[call]]"',
            '"""\n[[call]]\nend = \'0\'\n"""', f'"{"x" * 20_000}"',
        ],
    ),
    **_values(
        "number",
        [
            "0", "+0", "-0", "1_000", "-17", "0xDEAD_beef", "0o17", "0b1_0", "9223372036854775807",
            "-9223372036854775808", "1.0", "-0.0", "6.626e-34", "1e06", "1E+2", "9_224.5_1", "inf", "-inf", "+inf",
            "nan", "-nan", "1e400", "5e-400", "18446744073709551616",
        ],
    ),
    **_values(
        "time",
        [
            "1979-05-27T07:32:00Z", "1979-05-27t07:32:00z", "1979-05-27 07:32:00Z", "1979-05-27T00:32:00.999999-07:00",
            "1979-05-27T07:32:00", "1979-05-27", "07:32:00", "00:32:00.5", "0001-01-01", "9999-12-31T23:59:59.999999Z",
            "2024-02-29", "1979-05-27T07:32:00.123456789Z",
        ],
    ),
    **_values(
        "array",
        [
            "[]", "[ ]", "[1,2,3]", "[1, 2, ]", '[1, "a", [true], {b = 1}]', "[\n1,\n2, # c\n]", "[[[]]]", "[# a\n]",
            '["]", "#"]', "[" * 60 + "]" * 60, "{}", "{ b = 1 }", '{ b.c = 1, "d" = [2] }', "{ b = { c = {} } }",
            "true", "false", "[{}, {}]",
        ],
    ),
    **_named(
        "table",
        [
            "[a]", "[a.b.c]", "[ a . b ]", '["a.b"]', "['']", "[a]\nb = 1\n[c]\nd = 2", "[a.b]\n[a]", "[[a]]",
            "[[a]]\nb = 1\n[[a]]\nb = 2", "[[a]]\n[a.b]\n[[a.c]]\n[[a]]", "[a]\nb.c = 1\n[a.d]", "[[call]]\n[call.x]",
            "[profile]\n[profile.x]", "[[a.b]]\n[a]\nc = 1", "[a]#b",
        ],
    ),
    **_named(
        "ours",
        [
            "version = 1", "version = 2", 'version = "1"', "profile = 1", "[profile.a]", "[[profile]]",
            'profile.a.url = "x"', "[profile]\na = []", '[profile."../../x"]\nurl = "http://x"',
            '[profile.a]\nurl = "http://x"\npassword = "p"', '[profile.a]\nurl = 1', "default = []", 'theme = 1',
            "[keymap]\nsend = 1", "[history]\nfolder = '\\u0000'", 'keymap = "x"', "[reply]\nlimit = -1",
            "[reply]\nlimit = inf", "history = nan", "[colors]\nprimary = 1", "[json]\nkey = 'no colour'",
            "dark = 1979-05-27", "name = ['a']", 'colors = "red"', "call = 1", "[call]", "call = []", "[[call]]",
            "call = [1, {}]", "[[call]]\nid = 1", '[[call]]\nid = "a"\nend = "00000000"',
            '[[call]]\nid = "a"\ntime = 2025-01-01T00:00:00Z\nkind = "call"\noutcome = "result"\n\nend = "0"',
        ],
    ),
}  # fmt: skip
"""Documents that TOML allows, with any keys."""
WRONG: Final[Documents] = {
    **_named(
        "key",
        [
            "a", "a =", "= 1", "a = 1 b = 2", "a == 1", "a b = 1", "a. = 1", ".a = 1", "a..b = 1", "é = 1",
            "a = 1\na = 2", 'a = 1\n"a" = 2', "a.b = 1\na.b.c = 2", "a = 1\na.b = 2", '"a\nb" = 1', "'a\nb' = 1",
            '"""a""" = 1', "'''a''' = 1", '"a = 1', "a\n= 1", "a =\n1", "a: 1", "a => 1", "a # = 1", "[] = 1", "{} = 1",
            '"\\x" = 1', '"a"b = 1', "a/b = 1", "a,b = 1", "!a = 1", "a = 1, b = 2", "a;b = 1",
        ],
    ),
    **_values(
        "string",
        [
            "a", '"', "'", '"a', "'a", "a\"", '"a\nb"', "'a\nb'", '"\\x41"', '"\\a"', '"\\u12"', '"\\U0011FFFF"',
            '"\\ud800"', '"\\uD83D\\uDE00"', '"\\', '"""a', "'''a", '"""a""', '"""a""""""', "'''a''''''", '"""\\ a"""',
            '"a" "b"', '"a"b', "“a”", "`a`", *(f'"{chr(code)}"' for code in range(32) if code not in {9, 10}), "'\x00'",
            '"\x7f"', "'\x1b'",
        ],
    ),
    **_values(
        "number",
        [
            "01", "+01", "-01", "1_", "_1", "1__0", "1.", ".1", "1.e1", "1e", "1e+", "1_.0", "1._0", "1e_1", "0x",
            "0xG", "0X1", "+0x1", "0b2", "0o8", "0_b1", "1,0", "1 0", "--1", "++1", "+-1", "1f", "Inf", "NaN",
            "infinity", "+", "-", "1e1.5", "0x1.8", "½", "\uff11", "1.2.3", "00.5",
        ],
    ),
    **_values(
        "time",
        [
            "1979-13-01", "1979-00-01", "1979-02-30", "1979-05-32", "2023-02-29", "79-05-27", "1979-5-27", "1979/05/27",
            "25:00:00", "07:60:00", "07:32:61", "07:32:", "07:32:00.", "1979-05-27T", "1979-05-27T07",
            "1979-05-27T07:32:00+25:00", "1979-05-27  07:32:00", "1979-05-27T07:32:00ZZ",
        ],
    ),
    **_values(
        "array",
        [
            "[", "]", "[1", "[1 2]", "[,]", "[,1]", "[1,,2]", "[1;2]", "[a]", "[1}", "{", "}", "{ b = 1", "{ b = 1, }",
            "{ b = 1,, c = 2 }", "{ b }", "{ b = }", "{\nb = 1 }", "{ b = 1 c = 2 }", "{ b = 1, b = 2 }",
            "{ b = 1, b.c = 2 }", "{ = 1 }", "True", "FALSE", "null", "nil", "None", "yes", "1 # a\n2", "@", "()",
        ],
    ),
    **_named(
        "table",
        [
            "[", "[]", "[a", "a]", "[a]]", "[[a]", "[[]]", "[a.]", "[.a]", "[a..b]", "[a b]", "[a]b = 1", "[a]\n[a]",
            "[a]\n[[a]]", "[[a]]\n[a]", "[a.b]\n[a.b]", "a = 1\n[a]", "a = {}\n[a.b]", "a = []\n[[a]]",
            "[a]\nb = 1\n[a.b]", "a.b = 1\n[a]", "[a\n]", "[ [a] ]", "[[a] ]", "[ ]", "['a]", '["a]',
            "[a]\nb.c = 1\n[a.b]", "[[a.b]]\n[[a]]", "[[[a]]]",
        ],
    ),
    **_named(
        "text",
        [
            "a = 1\rb = 2", "# \x00", "# \x1b[31m", "# \x7f", "a = 1\x00", "\x00", "\x0ca = 1", "\u00a0a = 1",
            "a\u00a0= 1", "\u2028a = 1", "\ufeff\ufeffa = 1", "a = 1\n\x1b]52;c;aGk=\x07",
            "<<<<<<< HEAD\na = 1\n=======\na = 2\n>>>>>>> main\n", "=======", ">>>>>>> x", "||||||| y", "{\"a\": 1}",
            "- a: 1", "<a/>", "[1, 2]", '"a"', "1", "a = 1 // b", "a = 1 ; b", "version = 1\nversion = 1",
            "[profile.a]\nurl = 'x\n", "end = 00000000", "[[call]]\nid = \"a\nend = \"00000000\"\n",
            "[[call]]\nid = 'a'\nid = 'b'\n", f"a = {'9' * 4000}x", "a" * 20_000,
        ],
    ),
    "bytes-latin-1": 'a = "é"'.encode("latin-1"),
    "bytes-utf-16": 'a = "é"'.encode("utf-16"),
    "nul-before-each": b"\x00a\x00=\x001",
    "bytes-utf-32": 'a = "é"'.encode("utf-32"),
    "bytes-cut": b'a = "\xe2\x82',
    "bytes-overlong": b'a = "\xc0\xaf"',
    "bytes-surrogate": b'a = "\xed\xa0\x80"',
    "bytes-too-high": b'a = "\xf4\x90\x80\x80"',
    "bytes-comment": b"# \xff\na = 1",
    "bytes-gzip": b"\x1f\x8b\x08\x00\x00",
}  # fmt: skip
"""Documents that TOML does not allow."""
EXTREME: Final[Documents] = {
    "key-of-50000-parts": b".".join([b"a"] * 50_000) + b" = 1",
    "header-of-50000-parts": b"[" + b".".join([b"a"] * 50_000) + b"]",
    "arrays-50000-deep": b"a = " + b"[" * 50_000,
    "arrays-50000-deep-closed": b"a = " + b"[" * 50_000 + b"]" * 50_000,
    "tables-50000-deep": b"a = " + b"{b = " * 50_000,
    "integer-of-5000-digits": b"a = " + b"9" * 5_000,
    "quotes": b'"' * 20_000,
    "apostrophes": b"'" * 20_000,
    "backslashes": b'a = "' + b"\\" * 20_001,
    "headers": b"[" * 20_000,
    "dots": b"." * 20_000,
}
"""Documents that need much time or stack; each is rejected."""
