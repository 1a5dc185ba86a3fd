"""Other programs that a reply is sent through, and the editor of the person's choice. Cancelling ends them."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

FILTER = "rpcexplorer.views.filtering"
SHOWN = 300
"""Characters of a complaint that are worth showing in a line."""


@dataclass(frozen=True, slots=True)
class Came:
    """What came of a program."""

    text: bytes
    complaint: str
    """The last line it complained in; empty where it did not."""
    code: int


async def filtered(expression: str, body: bytes) -> Came:
    """A jq expression over the body, in a process of its own: it may take for ever, and the screen must not."""
    home = str(Path(__file__).parents[2])
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",  # a module in the working folder must not pass for one of Python's
        "-m",
        FILTER,
        expression,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [home, os.environ.get("PYTHONPATH")]))},
    )
    return await _through(process, body)


async def piped(command: str, body: bytes) -> Came:
    """The body through a shell command."""
    process = await asyncio.create_subprocess_shell(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    return await _through(process, body)


async def _through(process: asyncio.subprocess.Process, body: bytes) -> Came:
    try:
        out, complaint = await process.communicate(body)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    lines = complaint.decode(errors="replace").strip().splitlines()
    return Came(out, lines[-1][:SHOWN] if lines else "", process.returncode or 0)


def edited(text: str, method: str) -> tuple[str, str]:
    """The text after the person's own editor has been over it, and a sentence where that did not work.

    The file lies in a folder that only this user can read, and is gone afterwards. The screen has to be suspended.
    """
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with TemporaryDirectory(prefix="rpcexplorer-") as folder:
        name = "".join(letter if letter.isalnum() else "-" for letter in method)[:40] or "params"
        file = Path(folder) / f"{name}.json"
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
        # through a shell, as others do it: the variable may hold options, and a mistake in it becomes a code
        code = subprocess.call(["/bin/sh", "-c", f'{editor} "$1"', editor, str(file)])  # noqa: S603 - their own choice
        if code:
            return text, f"{editor} ended with code {code}; the params stay as they were. $EDITOR names another one."
        return file.read_bytes().decode("utf-8", "replace"), ""
