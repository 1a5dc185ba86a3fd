"""The files that a call opens on a connection to a language server."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rpcexplorer.client.open_files import OpenableFiles, OpenFiles
from rpcexplorer.files.io import read_source
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.problem import UserError

LIMIT = 1024 * 1024


class Server:
    """What one connection sends before each call."""

    def __init__(self) -> None:
        self._files = OpenFiles(read_source)
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.notes: list[str] = []

    def call(self, uri: object, method: str = "textDocument/hover") -> list[str]:
        """Return the methods that are sent before a call."""
        before = len(self.sent)
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"textDocument": {"uri": uri}}}
        asyncio.run(self._files.prepare(json.dumps(message).encode(), self._send, self.notes))
        return [name.removeprefix("textDocument/") for name, _ in self.sent[before:]]

    async def _send(self, message: bytes) -> None:
        sent = json.loads(message)
        self.sent.append((sent["method"], sent["params"]["textDocument"]))


def test_file_is_opened_once_with_its_text(tmp_path: Path) -> None:
    server, path = Server(), tmp_path / "ä b.py"
    path.write_bytes(b"\xef\xbb\xbfx = 1\r\n")
    assert [server.call(path.as_uri()), server.call(path.as_uri())] == [["didOpen"], []]
    document = {"uri": path.as_uri(), "languageId": "python", "version": 1, "text": "x = 1\r\n"}
    assert server.sent == [("textDocument/didOpen", document)]
    assert server.notes == [f"opened {path} with textDocument/didOpen"]


@pytest.mark.parametrize(
    ("name", "language"),
    [("a.py", "python"), ("a.TSX", "typescriptreact"), ("a.go", "go"), ("Makefile", "plaintext")],
)
def test_language_follows_the_extension(name: str, language: str, tmp_path: Path) -> None:
    server = Server()
    (tmp_path / name).touch()
    server.call((tmp_path / name).as_uri())
    assert server.sent[0][1]["languageId"] == language


def test_changed_file_is_closed_and_opened_again(tmp_path: Path) -> None:
    server, path = Server(), tmp_path / "a.py"
    path.write_text("1")
    server.call(path.as_uri())
    path.write_text("2")
    assert server.call(path.as_uri()) == ["didClose", "didOpen"]
    assert server.sent[-1][1]["text"] == "2"
    assert server.notes[-1] == f"opened {path} with textDocument/didOpen again, because it has changed"
    path.unlink()
    assert [server.call(path.as_uri()), server.call(path.as_uri())] == [["didClose"], []]


def test_cancelled_call_opens_and_closes_its_file_once(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.touch()
    files, sent = OpenFiles(read_source), list[bytes]()
    message = json.dumps({"method": "m", "params": {"textDocument": {"uri": path.as_uri()}}}).encode()

    async def send(data: bytes) -> None:
        sent.append(data)
        raise asyncio.CancelledError

    async def use() -> None:
        with pytest.raises(asyncio.CancelledError):
            await files.prepare(message, send, [])
        await files.prepare(message, send, [])
        path.unlink()
        with pytest.raises(asyncio.CancelledError):
            await files.prepare(message, send, [])
        await files.prepare(message, send, [])

    asyncio.run(use())
    assert [json.loads(data)["method"][16:] for data in sent] == ["Open", "Close"]


UNFIT: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (lambda _: None, "cannot read {}: it does not exist. Check the path"),
    "folder": (lambda path: path.mkdir(), "cannot read {}: it is a folder. Name a file"),
    "pipe": (os.mkfifo, "cannot read {}: it is a named pipe. Name a regular file"),
    "device": (lambda path: path.symlink_to("/dev/zero"), "cannot read {}: it is a device. Name a regular file"),
    "large": (lambda path: path.write_bytes(b" " * (LIMIT + 1)), "too large"),
    "latin-1": (lambda path: path.write_bytes(b"\xe4"), "cannot read {}: byte 0 is not UTF-8. Save the file as UTF-8"),
}


@pytest.mark.parametrize("kind", UNFIT)
def test_unfit_file_is_named_and_not_sent(kind: str, tmp_path: Path) -> None:
    make, sentence = UNFIT[kind]
    server, path = Server(), tmp_path / "a.py"
    make(path)
    assert server.call(path.as_uri()) == []
    (note,) = server.notes
    assert note.startswith("textDocument/didOpen was not sent: ")
    assert sentence.format(path) in note


@pytest.mark.parametrize(
    "uri",
    [
        "file://elsewhere/a.py",
        "file:a.py",
        "file://[",
        "file:///%ff",
        "file:///a%00b",
        pytest.param("file:///" + "a" * 5000, id="long"),
    ],
)
def test_address_of_no_file_here_is_named(uri: str) -> None:
    server = Server()
    assert server.call(uri) == []
    (note,) = server.notes
    assert len(note) < 300


@pytest.mark.parametrize("uri", ["untitled:a.py", "https://x/a.py", "", 7, None])
def test_other_address_opens_nothing(uri: object) -> None:
    server = Server()
    assert (server.call(uri), server.notes) == ([], [])


def test_file_of_others_is_asked_about_once(tmp_path: Path) -> None:
    asked: list[str] = []

    async def ask(file: str) -> bool:
        asked.append(file)
        return file.endswith("yes")

    files = OpenableFiles(tmp_path, [tmp_path / "own"], read_source, ask)

    def read(name: str) -> bool:
        path = tmp_path / name
        text = json.dumps({"textDocument": {"uri": path.as_uri()}})
        draft = Draft("m", text, sources=(text,))
        asyncio.run(files.decide(draft, draft))
        try:
            return files.read(path) == "x"
        except UserError:
            return False

    (tmp_path / "own").mkdir()
    for name in ("yes", "no", "own/a"):
        (tmp_path / name).write_text("x")
    assert [read("yes"), read("no"), read("yes"), read("no"), read("own/a"), read("missing")] == [
        True,
        False,
        True,
        False,
        False,
        False,
    ]
    assert [Path(file).name for file in asked] == ["yes", "no", "a"]


@pytest.mark.parametrize(
    ("typed", "source", "is_read"),
    [
        ('{"textDocument":{"uri":"URI"}}', "", True),
        ('{"textDocument":{"uri":"URI"}}', '{"a": 1}', True),
        ('{"textDocument":{"uri":"URI"}, "edited": 1}', '{"textDocument":{"uri":"URI"}}', False),
        ('{"textDocument":{"uri":"{{file}}"}}', "", False),
    ],
)
def test_typed_address_is_read_unasked(typed: str, source: str, is_read: bool, tmp_path: Path) -> None:
    async def refuse(_: str) -> bool:
        return False

    path = tmp_path / "a"
    path.touch()
    uri = path.as_uri()
    files = OpenableFiles(tmp_path / "elsewhere", [], read_source, refuse)
    draft = Draft("m", typed.replace("URI", uri), sources=(source.replace("URI", uri),) if source else ())
    asyncio.run(files.decide(draft, Draft("m", f'{{"textDocument":{{"uri":"{uri}"}}}}')))
    if is_read:
        assert files.read(path) == ""
        return
    with pytest.raises(UserError, match="you did not type this call"):
        files.read(path)


def test_file_opened_by_hand_is_left_alone(tmp_path: Path) -> None:
    server, uri = Server(), (tmp_path / "a.py").as_uri()
    (tmp_path / "a.py").touch()
    methods = ["textDocument/didOpen", "textDocument/hover", "textDocument/didClose", "textDocument/hover"]
    assert [server.call(uri, method) for method in methods] == [[], [], [], ["didOpen"]]
