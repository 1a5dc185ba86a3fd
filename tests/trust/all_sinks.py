"""Payloads that a terminal would interpret, their sources and a parser.

How an escaped payload looks, and what a program may write to a terminal, is defined here by Unicode's own table and
by lists. Nothing is taken from the code under test. The file is long because there are many sources.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import select
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from rpcexplorer.history.folder import History
from rpcexplorer.rpc.codec import decode
from rpcexplorer.transport.port import Response
from tests.fakes.terminal import Terminal
from tests.fakes.wire import Parts, RawServer, Received, http_reply
from tests.history.recording import exchange

PAYLOADS = {
    "OSC 52 ended by BEL": "\x1b]52;c;eA==\x07",
    "OSC 52 ended by ST": "\x1b]52;c;eQ==\x1b\\",
    "OSC 10, a question": "\x1b]10;?\x07",
    "NUL": "\x00",
    "OSC 8": "\x1b]8;;x:y\x1b\\",
    "CSI for a colour": "\x1b[5m",
    "CSI for the cursor": "\x1b[2J\x1b[9;9H",
    "CSI, who are you": "\x1b[c",
    "CSI, how large are you": "\x1b[18t",
    "DEL": "\x7f",
    "C1": "\x9b31m\x9d0;x\x9c",
    "bidi": "\u202e\u2066",
    "back, return, tab and feed": "\b\r\v\f",
    "separators of lines": "\u2028\u2029",
    "DCS": "\x1bP+q54\x1b\\",
    "no width": "\u200b\ufeff",
    "markup that closes nothing": "oops [/]",
    "markup that acts": "[@click=app.quit]x[/]",
    "markup that styles": "[b][red]",
    "half a character": "\ud800",
}
"""One payload for each class."""
_GROUPS = {"aa": 4, "bb": 6, "cc": 4, "dd": 5}


def _carriers() -> Iterator[tuple[str, str]]:
    left = iter(PAYLOADS.values())
    for name, many in _GROUPS.items():
        yield name, f"{name}-" + "".join(next(left) for _ in range(many)) + "."


CARRIERS = dict(_carriers())
"""The classes in four strings that fit a line, without the lone surrogate."""
ALL = "".join(CARRIERS.values())
HALF = "ee-" + PAYLOADS["half a character"] + "."
"""A lone surrogate: only JSON can carry it."""


def spelled(text: str) -> str:
    """Return the text as it must look on a terminal."""
    return "".join(map(_spelled, text))


def _spelled(char: str) -> str:
    if char < " " or char == "\x7f":
        return "␡" if char == "\x7f" else chr(0x2400 + ord(char))
    return f"\\u{ord(char):04x}" if unicodedata.category(char) in _UNSEEN else char


_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def in_json(text: str) -> str:
    """Return the text as a JSON response shows it, with its own escapes."""
    return spelled(json.dumps(text, ensure_ascii=False)[1:-1])


def classes_in(text: str) -> set[str]:
    """Return the classes whose payload is whole in a text."""
    return {name for name, payload in PAYLOADS.items() if spelled(payload) in text or in_json(payload) in text}


_MODES = "7|25|1000|1003|1004|1006|1015|1049|2004"
KINDS = {
    "colour and weight": re.compile(r"\x1b\[[0-9;]*m"),
    "place": re.compile(r"\x1b\[[0-9]+;[0-9]+H"),
    "mode": re.compile(rf"\x1b\[\?(?:{_MODES})[hl]"),
    "keyboard": re.compile(r"\x1b\[(?:>25|<)u"),
    "question about a mode": re.compile(r"\x1b\[\?20(?:26|48)\$p"),
    "frame": re.compile(r"\x1b\[\?2026[hl]"),
    "shape of the pointer": re.compile(r"\x1b\]22;[a-z-]*(?:\x07|\x1b\\)"),
    "copy": re.compile(r"\x1b\]52;c;[A-Za-z0-9+/]+=*\x07"),
    "line": re.compile(r"\r?\n|\r\x1b\[K|\r"),
}
"""Every sequence that the program itself writes; others are of a payload."""
_OBEYED = re.compile("[\x00-\x1f\x7f-\x9f]")
_PLAIN = re.compile("[ -~]+")


class Stream:
    """The output of a program, split into its sequences."""

    def __init__(self, written: bytes) -> None:
        self.strange: list[str] = []
        """Unexpected sequences, each with its surroundings."""
        self.counts: Counter[str] = Counter()
        """Expected sequences, by kind."""
        self.copied: list[str] = []
        """Texts that were copied to the clipboard."""
        text = written.decode("utf-8", "surrogateescape")
        at = 0
        while at < len(text):
            at = self._own(text, at) or self._strange(text, at)
        self.strange += [f"{name} as it is" for name, payload in PAYLOADS.items() if _raw(payload) in text]

    def _own(self, text: str, at: int) -> int:
        if plain := _PLAIN.match(text, at):
            return plain.end()
        char = text[at]
        if not _OBEYED.match(char):
            return 0 if unicodedata.category(char) in _UNSEEN else at + 1
        for kind, pattern in KINDS.items():
            if found := pattern.match(text, at):
                self.counts[kind] += 1
                if kind == "copy":
                    self.copied.append(_copied(found[0]))
                return found.end()
        return 0

    def _strange(self, text: str, at: int) -> int:
        self.strange.append(repr(text[max(at - 20, 0) : at + 20]))
        return at + 1


def _raw(payload: str) -> str:
    """Return the part of a payload that a stream must not have.

    Markup is harmless in a stream.
    """
    return payload if spelled(payload) != payload else "\x00"


def _copied(sequence: str) -> str:
    try:
        return base64.b64decode(sequence[7:-1], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return sequence


def answer(request: Received) -> Parts:
    """Put the payloads into the part of a response that the method names."""
    call = request.json
    method = call["method"]

    def members(text: str, headers: dict[str, str] | None = None) -> bytes:
        return request.reply_with(text, headers or {})

    if method == "rpc.discover":
        return members(f'"result":{_json(document())}')
    if method == "say.error":
        return members(f'"error":{_json({"code": 7, "message": ALL + HALF, "data": [*CARRIERS.values(), HALF]})}')
    if method == "say.table":
        return members(f'"result":{_json([{text: text} for text in CARRIERS.values()])}')
    if method == "say.headers":
        return members('"result":1', {f"X-{name}": sayable(text) for name, text in CARRIERS.items()})
    if method == "say.reason":
        return http_reply(ALL.encode(), 500, reason=sayable(ALL))
    if method == "say.moved":
        return http_reply(b"", 307, {"Location": "http://elsewhere.example/" + sayable(ALL)})
    if method == "say.name":
        return http_reply(b"{}", headers={sayable(ALL): "1"})
    if method == "say.line":
        return b"HTTP/1.1 " + ALL.encode() + b"\r\n\r\n"
    texts = ", ".join(f"{_json(text)}: {_json(text)}" for text in [*CARRIERS.values(), HALF])
    return members(f'"result":{{{texts}}}')


def document() -> object:
    """Return an OpenRPC document with the payloads in every shown place."""
    methods = [
        {
            "name": text,
            "summary": text,
            "description": f"{text}\n\n{text}",
            "params": [{"name": text, "description": text, "schema": {"type": text}, "required": True}],
            "result": {"name": text, "schema": {"type": text}},
        }
        for text in CARRIERS.values()
    ]
    methods_of_say = [{"name": f"say.{what}", "params": []} for what in SAYS]
    return {"openrpc": "1.2.6", "info": {"title": ALL, "version": ALL}, "methods": [*methods, *methods_of_say]}


SAYS = ("result", "error", "table", "headers", "reason", "moved", "name", "line")


def _json(value: object) -> str:
    """Return JSON with as few escapes as JSON allows."""
    return json.dumps(value, ensure_ascii=False).replace("\ud800", "\\ud800")


def sayable(text: str) -> str:
    """Return the characters that HTTP's grammar allows, as bytes."""
    return re.sub("[\x00\r\v\f\u0100-\uffff]", "", text)


def toml(text: str) -> str:
    """Return a TOML string."""
    return json.dumps(text).replace("\x7f", "\\u007f")


def plant(folder: Path, origin: str, home: str = "home") -> dict[str, str]:
    """Write files of every kind with the payloads; return an environment."""
    top, work = folder / home, folder / "work"
    for path in (top / "config" / "themes", top / "state" / "history", work):
        path.mkdir(parents=True)
    (work / "sessions.toml").write_text(profiles(origin))
    (work / "checks.toml").write_text(failing_checks())
    for name in ("hostile", CARRIERS["dd"], CARRIERS["bb"], CARRIERS["cc"]):
        theme = f"[colors]\nwell = {toml(CARRIERS['bb'])}\n{toml(CARRIERS['cc'])} = 1\n"
        (top / "config" / "themes" / f"{name.replace('/', '')}.toml").write_text(theme)
    (top / "state" / "screen.toml").write_text(
        "version = 1\nmethods_width = 80\n[typed]\n"
        f"filter = [{toml(ALL)}]\npipe = [{toml(ALL)}]\n[at.here]\nmethod = {toml(CARRIERS['bb'])}\n"
    )
    remember(History(top / "state" / "history"))
    return {
        "RPCEXPLORER_HOME": str(top),
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "EDITOR": f"printf '%b' 'oops'; false {CARRIERS['dd']} #",
    }


def profiles(origin: str) -> str:
    """Return a project file with the payloads in every key of a profile."""
    parts = [
        (
            f'version = 1\ndefault = "here"\n[profile.here]\nurl = "{origin}"\nconfirm = "unsafe"\n'
            f'auth = {{ kind = "none" }}\n'
            f'[profile.there]\nurl = "{origin}"\npath = "/\u202e\u200b[b]x[/]"\nbadge = {toml(CARRIERS["bb"])}\n'
            f'auth = {{ kind = "cookie", username = {toml(CARRIERS["dd"])} }}\ndescription = {toml(ALL)}\n'
            f"[profile.there.login]\nmethod = {toml(ALL)}\n"
            f'params = {{ {toml(ALL)} = {toml(ALL)}, password = "{{password}}" }}\n'
        )
    ]
    for name, text in CARRIERS.items():
        quoted = toml(text)
        parts += [
            f"[profile.{profile}.method.{quoted}]\ndoc = {quoted}\nsafe = false\n" for profile in ("here", "there")
        ]
        parts.append(f'[profile.{name}]\nurl = "{origin}"\nbadge = {quoted}\ndescription = {quoted}\n')
    parts += [f"[profile.here.method.'say.{what}']\nsafe = true\n" for what in SAYS]
    return "".join(parts)


def failing_checks() -> str:
    """Return a file of checks with the payloads in responses and expectations."""
    value = f"[profile.here.call.value]\nmethod = 'say.result'\nexpect.values = {{ '' = {toml(ALL)} }}\n"
    return value + "".join(f"[profile.here.call.{what}]\nmethod = 'say.{what}'\nexpect.code = 1\n" for what in SAYS)


def spoil(folder: Path, home: str) -> None:
    """Put the payloads into invalid keys, names, commands and colours."""
    config, text = folder / home / "config", CARRIERS
    wrong = "".join(f"{toml(payload)} = 1\n" for payload in text.values())
    (config / "settings.toml").write_text(
        f"theme = {toml(text['dd'])}\n{wrong}[keymap]\n" + "".join(f"{toml(e)} = {toml(e)}\n" for e in text.values())
    )
    sessions = folder / "work" / "sessions.toml"
    sessions.write_text(f"{wrong}{sessions.read_text()}[profile.{toml(text['aa'])}]\nurl = {toml(ALL)}\n")


def remember(history: History) -> None:
    """Write a history with the payloads, and a damaged block."""
    for number, text in enumerate([*CARRIERS.values(), HALF]):
        reply = (
            f'{{"jsonrpc":"2.0","id":"1","error":{{"code":7,"message":{_json(text)},"data":{_json(text)}}}}}'.encode()
        )
        history.append(
            exchange(
                number,
                profile="here",
                method=text,
                params=_json([text]),
                name=text,
                note=text,
                url=f"http://{text}/",
                outcome=decode(reply, None),
                response=Response(500, text, headers=(("X-Said", text),), body=reply, size=len(reply)),
            )
        )
    (file,) = history.folder.glob("*.toml")
    with file.open("ab") as stream:
        stream.write(f'[[call]]\nid = "x"\nmethod = "{ALL}\nend = "00000000"\n\n'.encode())


COLOURS = re.compile(rb"\x1b\[[0-9;]*m")


class Watched(Terminal):
    """A terminal that remembers the classes shown in each sink."""

    def __init__(self, *given: object, **named: object) -> None:
        super().__init__(*given, **named)  # type: ignore[arg-type]
        self.seen: dict[str, set[str]] = {}

    def looks(self, sink: str, *wanted: str) -> None:
        """Wait until the wanted texts are on screen, and note the classes in it."""
        self.sees(*wanted)
        self.seen.setdefault(sink, set()).update(classes_in("\n".join(wanted)))

    def drawn(self, piece: bytes) -> bytes:
        """Remove the colours: they are most of the bytes."""
        return COLOURS.sub(b"", piece)

    def _take(self) -> bool:
        """Read all pending output: looking at the screen is slower than reading."""
        while more := super()._take():
            if not select.select([self._file], [], [], 0)[0]:
                break
        return more


def serving() -> RawServer:
    """Return a server that answers with every payload."""
    return RawServer(answer)
