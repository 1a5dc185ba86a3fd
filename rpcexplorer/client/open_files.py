"""The files that are open on a connection to a language server.

Such a server knows only the files that its client has opened with their text.
"""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

import msgspec
from msgspec import Struct

from rpcexplorer.model.draft import Draft
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
"""Characters of an address, which is in a note of the call if its file cannot be read."""


SYSTEM: Final = ("/proc", "/dev", "/sys")
READABLE: Final = stat.S_IRGRP | stat.S_IROTH
NOT_TYPED: Final = "you did not type this call. Type it, or answer the question on a terminal"


class OpenableFiles:
    """The files that language servers may get.

    Those that the user typed are read. Of others that a saved, recorded or imported call, a variable or a response
    names, only those below the working folder are, after a question.
    """

    def __init__(
        self, folder: Path, closed: Sequence[Path], read: ReadFile, ask: Callable[[str], Awaitable[bool]]
    ) -> None:
        """``closed``: folders of which no file is read, typed or not."""
        self._folder, self._closed = _real(folder), [_real(place) for place in (*closed, *map(Path, SYSTEM))]
        self._read, self._ask = read, ask
        self._refusals: dict[Path, str] = {}
        """Why a file is not read, by its path without links; empty if it is."""
        self._turn = asyncio.Lock()
        self.is_agreed = False
        """The user agrees to all questions."""

    async def decide(self, draft: Draft, sent: Draft) -> None:
        """Decide about the file that a call names; ``sent`` has the values of its variables."""
        try:
            uri = msgspec.json.decode(sent.text, type=_Params).textDocument.uri
            file = _real(_path_of(uri))
        except (msgspec.DecodeError, RecursionError, UserError):
            return
        text = draft.text if draft.typed is None else draft.typed
        if uri in text and not any(uri in source for source in draft.sources):
            self._refusals[file] = ""
            return
        async with self._turn:  # Calls at the same time ask once.
            with suppress(OSError):  # A file that does not exist is not asked about.
                if file not in self._refusals:
                    self._refusals[file] = await self._refusal(file, file.stat().st_mode)

    async def _refusal(self, file: Path, mode: int) -> str:
        if not file.is_relative_to(self._folder):
            return f"you did not type this call, and {file} is outside of {self._folder}. Type the call"
        if not mode & READABLE:
            return f"you did not type this call, and only you can read {file}. Type the call"
        return "" if self.is_agreed or await self._ask(str(file)) else NOT_TYPED

    def read(self, path: Path) -> str:
        """Return the text of a file; raise `UserError` if a server must not get it."""
        file = _real(path)
        if any(file.is_relative_to(place) for place in self._closed):
            raise UserError(f"{path} belongs to rpcexplorer or to the system, and no server gets it")
        refusal = self._refusals.get(file, NOT_TYPED)
        if refusal:
            raise UserError(refusal)
        return self._read(file)


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


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
        """Digest of the text that the server has, keyed by address."""
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
                self._digests.pop(uri, None)
                if call.method == "textDocument/didClose":
                    self._by_hand.discard(uri)
                else:
                    self._by_hand.add(uri)
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
    if "\0" in str(path):
        raise UserError(f"{cut(uri)} is not a valid address. Check it")
    if len(uri) > MAX_ADDRESS:
        raise UserError(f"the address {cut(uri)} is too long. Check it")
    if parts.netloc not in {"", "localhost"} or not path.is_absolute():
        raise UserError(f"{cut(uri)} is not a file on this machine. Write file:// and its whole path")
    return path
