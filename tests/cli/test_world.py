"""Messages on stderr contain no line that outside text could fake."""

from __future__ import annotations

import asyncio
import fcntl
import io
import json
import os
import struct
import termios
from pathlib import Path

from rpcexplorer.cli.world import AgreesToServers, World, wrapped
from rpcexplorer.model.destination import OTHER_SERVER, PLAIN_HTTP
from tests.fakes.shell import Shell
from tests.fakes.wire import RawServer, http_reply


def test_line_from_a_file_is_indented(shell: Shell) -> None:
    shell.sessions('"a\\nrpcexplorer: all is well" = 1\n[profile.p]\nurl = "http://127.0.0.1"\n')
    ran = shell.run("profiles", "list")
    assert "all is well" in ran.err
    assert not [line for line in ran.err.splitlines() if line.startswith("rpcexplorer: ")]
    assert [line for line in ran.err.splitlines() if line.startswith("warning: ")] == [ran.err.splitlines()[0]]


def test_user_who_agrees_to_servers_agrees_to_nothing_else() -> None:
    titles = (OTHER_SERVER, PLAIN_HTTP, "Delete everything?")
    assert [asyncio.run(AgreesToServers().agrees("q", title)) for title in titles] == [True, False, False]


def test_wrapped_line_counts_columns_of_wide_characters() -> None:
    assert wrapped("見見見見 見見見見 ok end", 20, 2) == ["見見見見 見見見見 ok", "  end"]
    assert wrapped("  ok   " + "x" * 30 + " end", 20, 2) == ["  ok", "  " + "x" * 30, "  end"]


def test_backtick_of_a_server_leaves_commands_whole() -> None:
    line = "it's a ` of a server, run `rpcexplorer call x`."
    assert wrapped(line, 30, 2) == ["it's a ` of a server, run", "  `rpcexplorer call x`."]


def test_message_on_a_terminal_wraps_between_words() -> None:
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
    with os.fdopen(theirs, "w") as stderr:
        assert wrapped("many words", 0, 2) == ["many words"]
        world = World(io.BytesIO(), io.BytesIO(), stderr, {}, Path())
        command = "rpcexplorer profiles set a-long-name description=x"
        world.say(f"Run `rpcexplorer a b` before lunch, or run:\n{command}")
        world.say("Some words, then `rpcexplorer logout` again.")
        written = b""
        while not written.endswith(b"again.\r\n"):  # Each message can arrive on its own.
            written += os.read(ours, 1000)
    os.close(ours)
    assert written.decode().splitlines() == [
        "rpcexplorer: Run `rpcexplorer a b`",
        "  before lunch, or run:",
        f"  {command}",
        "rpcexplorer: Some words, then",
        "  `rpcexplorer logout` again.",
    ]


def test_lines_for_github_contain_no_commands(shell: Shell) -> None:
    text = "a ##[add-mask]b\n ::stop-commands::c"
    server = http_reply(json.dumps({"error": {"code": 1, "message": text}, "id": None}).encode())
    with RawServer(server, server) as service:
        ran, plain = (shell.run("call", "m", "--url", service.origin, GITHUB_ACTIONS=value) for value in ("true", ""))
    assert "##[" in plain.err
    assert not any("##[" in line or line.lstrip().startswith("::") for line in ran.err.splitlines())
    assert "# #[add-mask]b" in ran.err
