"""Every command with hostile text from every source: the printed bytes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.shell import Shell
from tests.fakes.wire import RawServer
from tests.trust.all_sinks import ALL, CARRIERS, PAYLOADS, SAYS, Stream, Watched, classes_in, plant, serving, spoil

NAMED = CARRIERS["cc"]


@pytest.fixture
def server() -> Iterator[RawServer]:
    with serving() as opened:
        yield opened


FORMS: list[list[str]] = [[], ["--body"], ["--response"], ["--text"]]
COMMANDS = [
    *(["call", f"say.{what}", "--include", *form] for what in SAYS for form in FORMS),
    ["call", NAMED, "--dry-run"],
    ["methods", "--refresh"],
    ["methods"],
    ["history", "list"],
    ["history", "show"],
    ["history", "search", "oops"],
    ["history", "export", "--last", "50", "--note", NAMED.replace("\x00", "")],
    ["history", "export", "--last", "50", "--jsonl"],
    ["history", "export", "--last", "20", "-o", "case.toml"],
    ["history", "import", "case.toml"],
    ["replay", "case.toml", "-p", "here", "--yes"],
    *(["check", "checks.toml", *form] for form in ([], ["--tap"], ["--json"], ["--junit", "-"], ["--case", "-"])),
    ["profiles", "list"],
    ["profiles", "show", "there"],
    ["profiles", "check"],
    ["themes"],
    ["copy", "--as", "curl"],
    ["copy", "--as", "report"],
    ["call", "ping", "-p", NAMED],
    ["history", "show", NAMED],
    [NAMED],
    ["profiles", "show", NAMED],
]


@pytest.mark.everyday(1)
@pytest.mark.parametrize("spoilt", [False, True], ids=["sound files", "files with mistakes"])
def test_no_command_prints_terminal_codes(tmp_path: Path, server: RawServer, spoilt: bool) -> None:
    shell = Shell(tmp_path / "shell")
    environment = plant(tmp_path, server.origin)
    if spoilt:
        spoil(tmp_path, "home")
    shell.folder, shell.environment = tmp_path / "work", environment
    seen, strange = "", []
    for words in COMMANDS:
        ran = shell.run(*words, terminal=True)
        assert "Traceback" not in ran.err, words
        seen += ran.text + ran.err
        strange += [
            (words, sequence) for sequence in Stream(ran.out + ran.err.encode(errors="surrogateescape")).strange
        ]
    assert strange == []
    assert classes_in(seen) == set(PAYLOADS)


@pytest.mark.thorough
@pytest.mark.parametrize("words", [["call", "say.result", "-p", "here"], ["call", "x", "-p", ALL.replace("\x00", "")]])
def test_program_on_a_real_terminal_prints_no_codes(tmp_path: Path, server: RawServer, words: list[str]) -> None:
    with Watched(words, plant(tmp_path, server.origin), tmp_path / "work", (220, 44)) as terminal:
        assert terminal.ends() in {0, 2}
    assert Stream(terminal.written).strange == []
    assert b"dd-" in terminal.written


@pytest.mark.parametrize(
    "text", [payload for payload in PAYLOADS.values() if "[/]" not in payload and "[b]" not in payload]
)
def test_stream_parser_knows_each_class(text: str) -> None:
    assert Stream(f"\x1b[1ma{text}b".encode(errors="surrogatepass")).strange


def test_saved_call_is_printed_without_terminal_codes(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.sessions(
        '[profile.p]\nurl = "http://127.0.0.1:1"\n[call.x]\nmethod = "a\\u001b[2J"\ndoc = "b\\u001b]52;c;eA==\\u0007"\n'
        '[call."y\\u001b[c"]\nmethod = "m"\n'
    )
    for arguments in (["methods"], ["call", "@x", "--dry-run"], ["profiles", "check"]):
        ran = shell.run(*arguments, terminal=True)
        assert not any(query in ran.text + ran.err for query in ("\x1b]", "\x1b[2J", "\x1b[c"))
