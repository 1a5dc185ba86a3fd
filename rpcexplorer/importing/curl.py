"""Reader of curl commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import field

from rpcexplorer.importing.request import (
    FoundCredential,
    Imported,
    RequestRead,
    credential,
    imported_from,
    user_password,
)
from rpcexplorer.importing.shell import MAX_PIECES, Private, ShellCommand, TooManyWordsError, bash_commands
from rpcexplorer.model.problem import cut, joined_words
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
"""Options of curl without a value, as all that start with ``no-``."""
SHORT: Final = {
    "A": "user-agent", "b": "cookie", "c": "cookie-jar", "C": "continue-at", "d": "data", "D": "dump-header",
    "e": "referer", "E": "cert", "F": "form", "G": "get", "g": "globoff", "H": "header", "I": "head", "K": "config",
    "k": "insecure", "L": "location", "m": "max-time", "n": "netrc", "o": "output", "O": "remote-name", "P": "ftp-port",
    "Q": "quote", "r": "range", "t": "telnet-option", "T": "upload-file", "u": "user", "U": "proxy-user",
    "w": "write-out", "x": "proxy", "X": "request", "y": "speed-time", "Y": "speed-limit", "z": "time-cond",
    ":": "next",
}  # fmt: skip
"""Short options that matter here, and all that take a value."""
READS: Final = {
    "config": "options", "netrc-file": "credentials", "netrc": "credentials", "netrc-optional": "credentials",
    "upload-file": "the body", "variable": "variables",
}  # fmt: skip
"""Options that name a file, and its content; rpcexplorer reads no file."""
OPTION_NOTES: Final = {
    "insecure": "rpcexplorer always checks certificates. To pin one, set `certificate` in the profile",
    "location": "rpcexplorer shows redirects, but does not follow them",
    "location-trusted": "rpcexplorer shows redirects, but does not follow them",
    "cert": "the command uses a client certificate. Set `cert_file` in the profile",
    "cacert": "the command uses a CA file. Set `ca_file` in the profile",
    "abstract-unix-socket": "rpcexplorer ignores the abstract socket and uses the URL",
    "resolve": "rpcexplorer ignores --resolve and connects to the host in the URL",
    "connect-to": "rpcexplorer ignores --connect-to and connects to the host in the URL",
}  # fmt: skip
FORM: Final = "curl"
MAX_CHARACTERS: Final = 1_000_000
STARTS: Final = regex(
    r"^[ \t$>#%]{0,8}(?:[A-Za-z_]\w{0,63}=\S{0,200}[ \t]+){0,9}(?:[\w./\\:-]{0,200}[/\\])?curl(?:\.exe)?[ \t]",
    re.MULTILINE,
)
"""A line that starts with curl, perhaps with variables set before it."""
FOR_CMD: Final = regex(r"curl(?:\.exe)?[ \t]+\^\"|\^\r?$", re.MULTILINE)
"""Signs of a command for Windows' cmd."""
RECOGNITION_CHARACTERS: Final = 20_000
"""Characters at the start of a text that decide on its format."""
SCHEMES: Final = {"digest": "Digest", "ntlm": "Ntlm", "negotiate": "Negotiate"}
MAX_NAME: Final = 40
_SET = regex(r"[A-Za-z_]\w*=")
"""A variable that the shell sets for the command: ``NAME=value curl …``."""
IGNORED_SOCKET: Final = (
    "rpcexplorer ignores the Unix socket and uses the URL: it needs http:// and an absolute path without a colon"
)
_SOCKET = regex(r"/[^:]+")
_GLOB = regex(r"\\([\[\]{}])")
"""curl expands these characters in a URL unless they have a backslash, or ``-g`` is set."""


class _Request(Private):
    """The options of one request, up to ``--next``."""

    addresses: list[str] = field(default_factory=list)
    method: str = ""
    headers: list[tuple[str, str]] = field(default_factory=list)
    data: list[str] = field(default_factory=list)
    has_data: bool = False
    in_query: bool = False
    socket: str = ""
    user: str = ""
    scheme: str = "Basic"
    globs: bool = True
    credentials: list[FoundCredential] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    problem: str = ""


def read(text: str) -> Imported:
    """Read all requests of the curl commands in a text."""
    if len(text) > MAX_CHARACTERS:
        return _nothing(f"The text has more than {MAX_CHARACTERS:,} characters. Split it into several files.")
    if FOR_CMD.search(text, 0, RECOGNITION_CHARACTERS):
        return _nothing("This command is for Windows' cmd. In the browser, choose “Copy as cURL (bash)”.")
    try:
        commands = list(bash_commands(text))
    except TooManyWordsError:
        return _nothing(f"The text has more than {MAX_PIECES // 2:,} words. Split it into several files.")
    requests: list[RequestRead] = []
    others: list[str] = []
    for command in commands:
        words = _without_variables(command.words)
        if re.split(r"[/\\]", words[0])[-1].lower() in {"curl", "curl.exe"}:
            requests += _requests(command, words[1:])
        else:
            others.append(words[0])
    return imported_from(FORM, requests, list(_others(others)))


def _nothing(why: str) -> Imported:
    return Imported(FORM, notes=(why,))


def _others(words: list[str]) -> Iterator[str]:
    """Yield notes about other commands.

    Assignments are not named: they may contain a secret, or the end of a URL with one.
    """
    if any(map(_SET.match, words)):
        yield "Variable assignments are ignored. If one is the end of a URL, put the URL in quotes."
    named = dict.fromkeys(word[:MAX_NAME] for word in words if word[:1].isalpha() and not _SET.match(word))
    if named:
        yield f"Other commands are ignored: {joined_words(named, 5)}."


def _without_variables(words: list[str]) -> list[str]:
    """Return a command without the prompt and the variables before it."""
    for at, word in enumerate(words[:-1]):
        if word not in {"$", "%", ">", "#"} and not _SET.match(word):
            return words[at:]
    return words[-1:]


def _requests(command: ShellCommand, words: list[str]) -> Iterator[RequestRead]:
    parts = [_Request()]
    for option, value in _options(words):
        if option == "next":
            parts.append(_Request())
        else:
            _take(parts[-1], option, value)
    for part in parts:
        if command.expansion:
            shown = cut(command.expansion, MAX_NAME)
            part.notes.append(f"{shown} is imported as text. rpcexplorer does not expand or run it")
        if command.file:
            part.notes.append(f"rpcexplorer does not read or write the file {command.file}")
        if command.unclosed:
            part.problem = "a quote is not closed. Copy the whole command again, for bash"
        yield from _build(part)


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


def _take(request: _Request, option: str, value: str) -> None:  # noqa: C901 - a table of options
    match option:
        case "url":
            request.addresses.append(value)
        case "request":
            request.method = value
        case "header":
            _header(request, value)
        case "form" | "form-string":
            request.problem = "the body is a form (-F)"
        case "get":
            request.in_query = True
        case "head":
            request.method = "HEAD"
        case "unix-socket":
            request.socket = value
        case "globoff":
            request.globs = False
        case "user":
            request.user = value
        case "oauth2-bearer":
            request.credentials.append(credential("token", "scheme", "Bearer", value))
        case "cookie" if "=" in value:
            request.headers.append(("Cookie", value))
        case "cookie":
            request.notes.append(f"rpcexplorer does not read cookies from the file {value}")
        case _ if option == "json" or option.startswith("data"):
            _data(request, option, value)
        case _ if option in SCHEMES:
            request.scheme = SCHEMES[option]
        case _ if option in READS:
            request.notes.append(f"rpcexplorer does not read {READS[option]} from {value or 'a file'} (--{option})")
        case _ if option in OPTION_NOTES:
            request.notes.append(OPTION_NOTES[option])


def _header(request: _Request, value: str) -> None:
    """Add a header. As in curl, one without a value is left out."""
    if value.startswith("@"):
        request.notes.append(f"rpcexplorer does not read headers from {_file(value[1:])}")
        return
    name, colon, text = value.partition(":")
    if colon and text.strip():
        request.headers.append((name, text.strip()))


def _data(request: _Request, option: str, value: str) -> None:
    if option != "data-raw" and value.startswith("@") and value != "@":
        request.problem = f"rpcexplorer does not read the body from {_file(value[1:])}. Put the body into the command"
    if option == "data-urlencode":
        request.problem = request.problem or "the body is a form (--data-urlencode)"
    if request.has_data and option != "json":
        request.data.append("&")
    request.has_data = True
    request.data.append(value)


def _file(name: str) -> str:
    if name.startswith("<("):
        return "another command"
    return "standard input" if name == "-" else f"the file {name}"


def _build(request: _Request) -> Iterator[RequestRead]:
    """Yield a request for each URL."""
    body = "".join(request.data)
    sends = request.has_data and not request.in_query
    method = request.method or ("POST" if sends else "GET")
    problem = request.problem
    if not request.addresses:
        problem = problem or "the command has no URL"
    user = user_password(request.user, request.scheme)
    for typed in request.addresses or [""]:
        address = _GLOB.sub(r"\1", typed) if request.globs else typed
        if address and "://" not in address[:12]:
            address = f"http://{address}"
        notes = list(dict.fromkeys(request.notes))
        socket = request.socket
        if socket and not (_SOCKET.fullmatch(socket) and address.lower().startswith("http:")):
            notes.append(IGNORED_SOCKET)
            socket = ""
        yield RequestRead(
            method, address, request.headers, body if sends else None, "",
            (*user, *request.credentials), tuple(notes), problem, socket=socket,
        )  # fmt: skip
