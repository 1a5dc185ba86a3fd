"""A replacement for curl that sends one POST, with or without ``-i``."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import HTTPDigestAuthHandler, HTTPPasswordMgrWithDefaultRealm, Request, build_opener

words = iter(sys.argv[1:])
url, body, headers, printed, user = "", b"", {}, "body", ""


def read(text: str) -> str:
    """Return the content of a file for an argument that begins with ``@``."""
    return Path(text[1:]).read_text() if text.startswith("@") else text


for word in words:
    if word == "-H":
        name, _, value = read(next(words)).partition(":")
        headers[name] = value.strip()
    elif word == "--data-raw":
        body = next(words).encode()
    elif word == "--data-binary":
        body = read(next(words)).encode()
    elif word == "-D":
        printed = "headers" if next(words) == "-" else printed
    elif word == "-i":
        printed = "both"
    elif word == "-K":
        for name, value in re.findall(r'(\w+) = "((?:[^"\\]|\\.)*)"', Path(next(words)).read_text()):
            meant = re.sub(r"\\(.)", r"\1", value)
            url, user = (meant, user) if name == "url" else (url, meant)
    elif word == "-o":
        next(words)
    elif not word.startswith("-"):
        url = word
known = HTTPPasswordMgrWithDefaultRealm()
known.add_password(None, url, *user.split(":", 1) if user else ("", ""))
try:
    response = build_opener(HTTPDigestAuthHandler(known)).open(Request(url, body, headers))
except HTTPError as error:
    response = error
with response as reply:
    if printed != "body":
        sys.stdout.write(f"HTTP/1.1 {reply.status}\r\n{reply.headers.as_string()}\r\n")
    if printed != "headers":
        sys.stdout.write(reply.read().decode())
