"""What a copied command needs of curl, where that is not installed: one POST, with its headers printed or not."""

from __future__ import annotations

import sys
from urllib.request import Request, urlopen

words = iter(sys.argv[1:])
url, body, headers, printed = "", b"", {}, "body"
for word in words:
    if word == "-H":
        name, _, value = next(words).partition(":")
        headers[name] = value.strip()
    elif word == "--data-raw":
        body = next(words).encode()
    elif word == "-D":
        printed = "headers" if next(words) == "-" else printed
    elif word == "-i":
        printed = "both"
    elif word == "-o":
        next(words)
    elif not word.startswith("-"):
        url = word
with urlopen(Request(url, body, headers)) as reply:
    if printed != "body":
        sys.stdout.write(f"HTTP/1.1 {reply.status}\r\n{reply.headers.as_string()}\r\n")
    if printed != "headers":
        sys.stdout.write(reply.read().decode())
