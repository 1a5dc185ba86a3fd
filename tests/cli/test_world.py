"""Messages on stderr contain no line that outside text could fake."""

from __future__ import annotations

from tests.fakes.shell import Shell


def test_line_from_a_file_is_indented(shell: Shell) -> None:
    shell.sessions('"a\\nrpcexplorer: all is well" = 1\n[profile.p]\nurl = "http://127.0.0.1"\n')
    ran = shell.run("profiles", "list")
    assert "all is well" in ran.err
    assert [line for line in ran.err.splitlines() if line.startswith("rpcexplorer: ")] == [ran.err.splitlines()[0]]
