"""The files that are open on a connection to a language server.

Such a server knows only the files that its client has opened with their text.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from hashlib import sha256
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

import msgspec
from msgspec import Struct

from rpcexplorer.model.problem import UserError, cut
from rpcexplorer.rpc.codec import encode
from rpcexplorer.rpc.messages import Call

ReadFile = Callable[[Path], str]
"""Return the text of a file; raise `UserError` with the reason why it cannot be opened."""
LANGUAGES: Final = {
    "bash": "shellscript", "cc": "cpp", "cs": "csharp", "cxx": "cpp", "erl": "erlang", "ex": "elixir", "exs": "elixir",
    "fs": "fsharp", "h": "c", "hpp": "cpp", "hs": "haskell", "htm": "html", "jl": "julia", "js": "javascript",
    "jsx": "javascriptreact", "kt": "kotlin", "md": "markdown", "mjs": "javascript", "ml": "ocaml", "pl": "perl",
    "ps1": "powershell", "py": "python", "pyi": "python", "rb": "ruby", "rs": "rust", "sh": "shellscript",
    "tex": "latex", "ts": "typescript", "tsx": "typescriptreact", "txt": "plaintext", "yml": "yaml", "": "plaintext",
}  # fmt: skip
"""Language identifiers that differ from the extension of their files."""
MAX_ADDRESS: Final = 4096


class _Document(Struct):
    uri: str


class _Params(Struct):
    textDocument: _Document  # noqa: N815 - the protocol's own


class _Message(Struct):
    method: str
    params: _Params


class OpenFiles:
    """The files that calls on one connection have opened."""

    def __init__(self, read: ReadFile) -> None:
        self._read = read
        self._digests: dict[str, bytes] = {}
        """Of the text that the server has, by address."""
        self._by_hand: set[str] = set()
        """Addresses of files that the user opened or changed with calls."""
        self._turn = asyncio.Lock()

    async def prepare(self, message: bytes, send: Callable[[bytes], Awaitable[None]], notes: list[str]) -> None:
        """Open the file that a call is about, again if it has changed; add to the notes of the call."""
        try:
            call = msgspec.json.decode(message, type=_Message)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return
        uri = call.params.textDocument.uri
        if uri[:5].lower() != "file:":
            return
        async with self._turn:
            if call.method.startswith("textDocument/did"):
                (self._by_hand.discard if call.method == "textDocument/didClose" else self._by_hand.add)(uri)
                self._digests.pop(uri, None)
            elif uri not in self._by_hand:
                await self._open(uri, send, notes)

    async def _open(self, uri: str, send: Callable[[bytes], Awaitable[None]], notes: list[str]) -> None:
        try:
            path = _path_of(uri)
            text = await asyncio.to_thread(self._read, path)
        except UserError as problem:
            notes.append(f"textDocument/didOpen was not sent: {problem.sentence}")
            await self._close(uri, send)
            return
        digest = sha256(text.encode()).digest()
        if self._digests.get(uri) == digest:
            return
        again = " again, because it has changed" if await self._close(uri, send) else ""
        self._digests[uri] = digest  # A message is sent whole, even if its call is cancelled meanwhile.
        language = LANGUAGES.get(extension := path.suffix[1:].lower(), extension)
        await send(_message("didOpen", {"uri": uri, "languageId": language, "version": 1, "text": text}))
        notes.append(f"opened {path} with textDocument/didOpen{again}")

    async def _close(self, uri: str, send: Callable[[bytes], Awaitable[None]]) -> bool:
        """Close a file if it is open; return whether it was."""
        is_open = self._digests.pop(uri, None) is not None
        if is_open:
            await send(_message("didClose", {"uri": uri}))
        return is_open


def _message(name: str, document: dict[str, object]) -> bytes:
    params = msgspec.json.encode({"textDocument": document}).decode()
    return encode(Call(f"textDocument/{name}", params))


def _path_of(uri: str) -> Path:
    """Return the path of a `file:` address; raise `UserError`."""
    try:
        parts = urlsplit(uri)
        path = Path(unquote(parts.path, errors="strict"))
    except ValueError:
        raise UserError(f"{cut(uri)} is not a valid address. Check it") from None
    if len(uri) > MAX_ADDRESS:
        raise UserError(f"the address {cut(uri)} is too long. Check it")
    if parts.netloc not in {"", "localhost"} or not path.is_absolute():
        raise UserError(f"{cut(uri)} is not a file on this machine. Write file:// and its whole path")
    return path
