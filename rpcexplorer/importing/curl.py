"""A curl command as a request."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import quote_plus

from msgspec import Struct, field

from rpcexplorer.importing.request import (
    FoundCredential,
    Imported,
    RequestRead,
    credential,
    imported_from,
    user_password,
)
from rpcexplorer.importing.shell import ShellCommand, bash_commands
from rpcexplorer.model.problem import joined_words
from rpcexplorer.patterns import regex

WITHOUT_VALUE: Final = frozenset({
    "anyauth", "append", "basic", "ca-native", "cert-status", "compressed", "compressed-ssh", "create-dirs", "crlf",
    "digest", "disable", "disable-eprt", "disable-epsv", "disallow-username-in-url", "doh-cert-status",
    "doh-insecure", "fail", "fail-early", "fail-with-body", "false-start", "form-escape", "ftp-create-dirs",
    "ftp-pasv", "ftp-pret", "ftp-skip-pasv-ip", "ftp-ssl-ccc", "ftp-ssl-control", "get", "globoff",
    "haproxy-protocol", "head", "help", "http0.9", "http1.0", "http1.1", "http2", "http2-prior-knowledge", "http3",
    "http3-only", "ignore-content-length", "include", "insecure", "ipv4", "ipv6", "junk-session-cookies",
    "list-only", "location", "location-trusted", "manual", "mail-rcpt-allowfails", "metalink", "mptcp", "negotiate",
    "netrc", "netrc-optional", "next", "no-alpn", "no-buffer", "no-clobber", "no-keepalive", "no-npn",
    "no-progress-meter", "no-sessionid", "ntlm", "ntlm-wb", "parallel", "parallel-immediate", "path-as-is",
    "post301", "post302", "post303", "progress-bar", "proxy-anyauth", "proxy-basic", "proxy-ca-native",
    "proxy-digest", "proxy-http2", "proxy-insecure", "proxy-negotiate", "proxy-ntlm", "proxy-ssl-allow-beast",
    "proxy-ssl-auto-client-cert", "proxy-tlsv1", "proxytunnel", "raw", "remote-header-name", "remote-name",
    "remote-name-all", "remote-time", "remove-on-error", "retry-all-errors", "retry-connrefused", "sasl-ir",
    "show-error", "show-headers", "silent", "skip-existing", "socks5-basic", "socks5-gssapi", "socks5-gssapi-nec",
    "ssl", "ssl-allow-beast", "ssl-auto-client-cert", "ssl-no-revoke", "ssl-reqd", "ssl-revoke-best-effort",
    "sslv2", "sslv3", "styled-output", "suppress-connect-headers", "tcp-fastopen", "tcp-nodelay", "tftp-no-options",
    "tls-earlydata", "tlsv1", "tlsv1.0", "tlsv1.1", "tlsv1.2", "tlsv1.3", "tr-encoding", "trace-ids", "trace-time",
    "use-ascii", "verbose", "version", "xattr",
})  # fmt: skip
"""Options of curl that stand alone; what begins with ``no-`` does so too."""
SHORT: Final = {
    "A": "user-agent", "b": "cookie", "c": "cookie-jar", "C": "continue-at", "d": "data", "D": "dump-header",
    "e": "referer", "E": "cert", "F": "form", "G": "get", "g": "globoff", "H": "header", "I": "head", "K": "config",
    "k": "insecure", "L": "location", "m": "max-time", "n": "netrc", "o": "output", "O": "remote-name", "P": "ftp-port",
    "Q": "quote", "r": "range", "t": "telnet-option", "T": "upload-file", "u": "user", "U": "proxy-user",
    "w": "write-out", "x": "proxy", "X": "request", "y": "speed-time", "Y": "speed-limit", "z": "time-cond",
    ":": "next",
}  # fmt: skip
"""Short options that say something here, and all that take a value."""
READS: Final = {
    "config": "its options", "netrc-file": "credentials", "netrc": "credentials", "netrc-optional": "credentials",
    "upload-file": "its body", "variable": "variables",
}  # fmt: skip
"""What curl would have read from a file, and this program does not."""
OTHERWISE: Final = {
    "insecure": "certificates are always checked: `rpcexplorer profiles trust NAME` pins one",
    "location": "redirects are shown here, and never followed",
    "location-trusted": "redirects are shown here, and never followed",
    "cert": "it shows a certificate of its own: a profile has that in `cert_file`",
    "cacert": "it asks other authorities: a profile has them in `ca_file`",
    "unix-socket": "it goes through a socket of the machine that it was written on",
    "resolve": "it goes to another machine than its address says",
    "connect-to": "it goes to another machine than its address says",
}  # fmt: skip
FORM: Final = "curl"
LONGEST: Final = 16_000_000
STARTS: Final = regex(
    r"^[ \t$>#%]{0,8}(?:[A-Za-z_]\w{0,63}=\S{0,200}[ \t]+){0,9}(?:[\w./\\:-]{0,200}[/\\])?curl(?:\.exe)?[ \t]",
    re.MULTILINE,
)
"""A line that begins with one; variables may be set before it."""
FOR_CMD: Final = regex(r"curl(?:\.exe)?[ \t]+\^\"|\^\r?$", re.MULTILINE)
"""What only a command for Windows' cmd has."""
LOOKED_AT: Final = 20_000
"""Characters in which a form has to show itself."""
SCHEMES: Final = {"digest": "Digest", "ntlm": "Ntlm", "negotiate": "Negotiate"}
LONGEST_NAME: Final = 40
LONGEST_QUERY: Final = 100_000
"""Characters of data that are put into the addresses of a command, all of them together."""
_SET = regex(r"[A-Za-z_]\w*=")
_FILE = regex(r"@(?!$)")
_GLOB = regex(r"\\([\[\]{}])")


class _Request(Struct):
    """The options of one request, up to ``--next``."""

    addresses: list[str] = field(default_factory=list)
    method: str = ""
    headers: list[tuple[str, str]] = field(default_factory=list)
    data: list[str] = field(default_factory=list)
    has_data: bool = False
    in_query: bool = False
    user: str = ""
    scheme: str = "Basic"
    globs: bool = True
    credentials: list[FoundCredential] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    wrong: str = ""

    def __repr__(self) -> str:
        """Not its options, which may hold a secret."""
        return "_Request()"


def read(text: str) -> Imported:
    """All the requests of the curl commands in a text."""
    if len(text) > LONGEST:
        return Imported(FORM, notes=(f"It is longer than {LONGEST:,} characters: split it into several files.",))
    requests: list[RequestRead] = []
    notes: list[str] = []
    if FOR_CMD.search(text, 0, LOOKED_AT):
        return Imported(FORM, notes=("It is written for Windows' cmd: in the browser choose “Copy as cURL (bash)”.",))
    others: list[str] = []
    for command in bash_commands(text):
        words = _without_variables(command.words)
        if re.split(r"[/\\]", words[0])[-1].lower() in {"curl", "curl.exe"}:
            requests += _requests(command, words[1:])
        else:
            others.append(words[0])
    notes += _others(others)
    return imported_from(FORM, requests, notes)


def _others(words: list[str]) -> Iterator[str]:
    """What is said of commands that are none of curl's. What is set may be a secret, or the end of one's address."""
    if any(map(_SET.match, words)):
        yield "Variables that are set are not used; where that is the end of an address, quote the address."
    named = dict.fromkeys(word[:LONGEST_NAME] for word in words if word[:1].isalpha() and not _SET.match(word))
    if named:
        yield f"Nothing of other commands is run or used: {joined_words(named, 5)}."


def _without_variables(words: list[str]) -> list[str]:
    """A command without the prompt before it, and the variables that are set for it."""
    at = 0
    while at < len(words) - 1 and (
        words[at] in {"$", "%", ">", "#"} or re.fullmatch(r"[A-Za-z_]\w*=.*", words[at], re.DOTALL)
    ):
        at += 1
    return words[at:]


def _requests(command: ShellCommand, words: list[str]) -> Iterator[RequestRead]:
    parts = [_Request()]
    for option, value in _options(words):
        if option == "next":
            parts.append(_Request())
        else:
            _take(parts[-1], option, value)
    for part in parts:
        part.notes += [f"{each} stands as text: nothing is filled in or run" for each in command.filled]
        part.notes += [f"the file {each} is neither read nor written" for each in command.files]
        if command.unclosed:
            part.wrong = "a quote in it is not closed: it was cut short, or copied for another shell"
        yield from _made(part)


def _options(words: list[str]) -> Iterator[tuple[str, str]]:
    rest = iter(words)
    for word in rest:
        if word.startswith("--") and len(word) > 2:
            name = word[2:]
            alone = name in WITHOUT_VALUE or name.startswith("no-")
            yield name, "" if alone else next(rest, "")
        elif word.startswith("-") and len(word) > 1 and word != "--":
            yield from _short(word[1:], rest)
        elif word != "--":
            yield "url", word


def _short(letters: str, rest: Iterator[str]) -> Iterator[tuple[str, str]]:
    for at, letter in enumerate(letters):
        name = SHORT.get(letter, "")
        if name and name not in WITHOUT_VALUE:
            yield name, letters[at + 1 :] or next(rest, "")
            return
        if name:
            yield name, ""


def _take(request: _Request, option: str, value: str) -> None:  # noqa: C901, PLR0912 - a table of options
    match option:
        case "url":
            request.addresses.append(value)
        case "request":
            request.method = value
        case "header":
            _header(request, value)
        case "form" | "form-string":
            request.wrong = "it sends a form (-F)"
        case "get":
            request.in_query = True
        case "head":
            request.method = "HEAD"
        case "globoff":
            request.globs = False
        case "user":
            request.user = value
        case "oauth2-bearer":
            request.credentials.append(credential("token", "scheme", "Bearer", value))
        case "cookie" if "=" in value:
            request.headers.append(("Cookie", value))
        case "cookie":
            request.notes.append(f"its cookies lie in the file {value}, which is not read")
        case _ if option == "json" or option.startswith("data"):
            _data(request, option, value)
        case _ if option in SCHEMES:
            request.scheme = SCHEMES[option]
        case _ if option in READS:
            request.notes.append(f"{READS[option]} would come from {value or 'a file'} (--{option}), which is not read")
        case _ if option in OTHERWISE:
            request.notes.append(OTHERWISE[option])


def _header(request: _Request, value: str) -> None:
    """A header; one without a value is left out by curl, one that ends in a semicolon is empty."""
    if value.startswith("@"):
        request.notes.append(f"headers would come from {_file(value[1:])}, which is not read")
        return
    name, colon, text = value.partition(":")
    if colon and text.strip():
        request.headers.append((name, text.strip()))


def _data(request: _Request, option: str, value: str) -> None:
    if option != "data-raw" and _FILE.match(value):
        request.wrong = f"its body would come from {_file(value[1:])}, which is not read: paste it in its place"
    if option == "data-urlencode":
        request.wrong = request.wrong or "it sends a form (--data-urlencode)"
    if request.has_data and option != "json":
        request.data.append("&")
    request.has_data = True
    request.data.append(value)


def _file(name: str) -> str:
    if name.startswith("<("):
        return "another command"
    return "standard input" if name == "-" else f"the file {name}"


def _made(request: _Request) -> Iterator[RequestRead]:
    """A request for each of its addresses."""
    body = "".join(request.data)
    method = request.method or ("GET" if request.in_query or not request.has_data else "POST")
    wrong = request.wrong or ("it names no address" if not request.addresses else "")
    user = user_password(request.user, request.scheme)
    query = body if request.in_query and len(body) * len(request.addresses) <= LONGEST_QUERY else ""
    if request.in_query and body and not query:
        wrong = wrong or f"more than {LONGEST_QUERY:,} characters would stand in its addresses (-G)"
    query = quote_plus(query, safe="=&")
    for typed in request.addresses or [""]:
        address = _GLOB.sub(r"\1", typed) if request.globs else typed
        if address and "://" not in address[:12]:
            address = f"http://{address}"
        if query:
            address += ("&" if "?" in address else "?") + query
        yield RequestRead(
            method, address, request.headers, None if request.in_query else body, "",
            (*user, *request.credentials), tuple(dict.fromkeys(request.notes)), wrong,
        )  # fmt: skip
