"""Add the man page and the completion files to a wheel, made from the program's own commands."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MAN_PAGE: Final = "share/man/man1/rpcexplorer.1"
COMPLETIONS: Final = {
    "bash": "share/bash-completion/completions/rpcexplorer",
    "zsh": "share/zsh/site-functions/_rpcexplorer",
    "fish": "share/fish/vendor_completions.d/rpcexplorer.fish",
}


class SharedFiles(BuildHookInterface):
    """Its dependencies, which pyproject.toml names, are those of the command line without a call."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":  # It is for those who change the program, whose man page would be old at once.
            return
        self.folder = Path(mkdtemp())
        for place, text in shared_files(Path(self.root)).items():
            file = self.folder / place
            file.parent.mkdir(parents=True)
            file.write_text(text, encoding="utf-8")
            build_data["shared_data"][str(file)] = place

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        if version != "editable":
            rmtree(self.folder)


def shared_files(root: Path) -> dict[str, str]:
    """Return the text of each file by its place in the wheel."""
    sys.path.insert(0, str(root))
    sys.dont_write_bytecode = True
    from rpcexplorer.cli.completion import SHELLS
    from rpcexplorer.cli.main import EXIT_CODES, program
    from rpcexplorer.cli.reference import reference_of
    from rpcexplorer.cli.world import COMPLETING

    files = {MAN_PAGE: "\n".join(man_page(reference_of(program, EXIT_CODES))) + "\n"}
    for shell, place in COMPLETIONS.items():
        files[place] = SHELLS[shell](program, {}, "rpcexplorer", COMPLETING).source()
    return files


def man_page(reference: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of the man page in roff."""
    yield f'.TH RPCEXPLORER 1 "" "rpcexplorer {reference["version"]}" "User Commands"'
    yield ".SH NAME"
    yield r"rpcexplorer \- explore JSON\-RPC services from the terminal"
    yield ".SH SYNOPSIS"
    yield escaped(reference["usage"])
    yield ".SH DESCRIPTION"
    yield from described(reference)
    yield ".SH OPTIONS"
    yield from options(reference)
    yield ".SH COMMANDS"
    for command in reference["commands"]:
        yield f".SS {escaped(command['usage'])}"
        yield from described(command)
        yield from options(command)
        yield from example(command)
    yield ".SH EXIT STATUS"
    for code, meaning in reference["exit_codes"].items():
        yield from (".TP", f".B {code}", escaped(meaning))
    yield ".SH EXAMPLES"
    yield from example(reference)
    yield ".SH SEE ALSO"
    yield r"The manual has a page for each subject: \fBrpcexplorer manual\fR"


def described(command: Mapping[str, Any]) -> Iterator[str]:
    yield escaped(command["summary"])
    for paragraph in filter(None, command["help"].split("\n\n")):
        yield ".PP"
        is_list = "\n  " in paragraph
        if is_list:
            yield ".nf"
        yield from map(escaped, paragraph.split("\n"))
        if is_list:
            yield ".fi"


def options(command: Mapping[str, Any]) -> Iterator[str]:
    for option in command["options"]:
        value = f" \\fI{escaped(option['value'])}\\fR" if option["value"] else ""
        yield ".TP"
        yield f"\\fB{escaped(', '.join(option['names']))}\\fR{value}"
        yield escaped(option["help"])
        if option["default"] is not None:
            yield escaped(f"Default: {option['default']}.")


def example(command: Mapping[str, Any]) -> Iterator[str]:
    yield from (".PP", ".nf", ".RS 2")
    yield from map(escaped, command["examples"])
    yield from (".RE", ".fi")


def escaped(text: str) -> str:
    """Return a line that roff prints as it is."""
    shown = text.replace("\\", r"\e").replace("-", r"\-")
    shown = "".join(letter if letter.isascii() else rf"\[u{ord(letter):04X}]" for letter in shown)
    return rf"\&{shown}" if shown.startswith((".", "'")) else shown
