"""Shell completion."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from typing import Final, NamedTuple

import click
from click.shell_completion import BashComplete, CompletionItem, FishComplete, ShellComplete, ZshComplete

from rpcexplorer.cli.arguments import OneOf
from rpcexplorer.cli.context import invocation_of
from rpcexplorer.cli.world import COMPLETING, PROGRAM, World

LINE: Final = "_RPCEXPLORER_LINE"
"""The command line as far as the cursor."""
PART: Final = "_RPCEXPLORER_PART"
"""The end of it that bash will replace: a word begins anew behind each of ``: = @``."""
BASH: Final = f"""\
_rpcexplorer_completion() {{
    local type value answer
    answer=$(env {COMPLETING}=bash_complete {LINE}="${{COMP_LINE:0:COMP_POINT}}" {PART}="$2" {PROGRAM} 2>/dev/null)
    COMPREPLY=()
    while IFS=, read -r type value; do
        case $type in
            plain) COMPREPLY+=("$value"); [[ $value == *= ]] && compopt -o nospace ;;
            dir) compopt -o dirnames ;;
            file) compopt -o default ;;
        esac
    done <<< "$answer"
}}
complete -o nosort -F _rpcexplorer_completion {PROGRAM}
"""
ZSH: Final = f"""\
#compdef {PROGRAM}
_rpcexplorer_completion() {{
    local -a answer plain told begun
    local type value help
    answer=("${{(@f)$(env {COMPLETING}=zsh_complete COMP_WORDS="${{words[*]}}" COMP_CWORD=$((CURRENT-1)) \\
        {PROGRAM} 2>/dev/null)}}")
    for type value help in "${{(@)answer}}"; do
        case $type in
            plain)
                if [[ $value == *= ]]; then begun+=("$value")
                elif [[ $help == _ ]]; then plain+=("$value"); else told+=("$value:$help"); fi ;;
            dir) _path_files -/ ;;
            file) _path_files -f ;;
        esac
    done
    (( $#told )) && _describe -V unsorted told -U
    (( $#plain )) && compadd -U -V unsorted -a plain
    (( $#begun )) && compadd -U -V unsorted -S '' -a begun
}}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _rpcexplorer_completion "$@"
else
    compdef _rpcexplorer_completion {PROGRAM}
fi
"""
FISH: Final = f"""\
function _rpcexplorer_completion
    for line in (env {COMPLETING}=fish_complete COMP_WORDS=(commandline -cp | string collect) \\
            COMP_CWORD=(commandline -ct | string collect) {PROGRAM} 2>/dev/null)
        set -l answer (string split -m 1 , -- $line)
        switch $answer[1]
            case plain
                printf '%s\\n' $answer[2]
            case dir
                __fish_complete_directories (commandline -ct)
            case file
                __fish_complete_path (commandline -ct)
        end
    end
end
complete --no-files --command {PROGRAM} --arguments '(_rpcexplorer_completion)'
"""
SCRIPTS: Final = {"bash": BASH, "zsh": ZSH, "fish": FISH}


@click.command()
@click.argument("shell", type=OneOf(SCRIPTS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the completion script for a shell.

    \b
    Examples:
      rpcexplorer completion bash >> ~/.bashrc
      rpcexplorer completion zsh > "${fpath[1]}/_rpcexplorer"
      rpcexplorer completion fish > ~/.config/fish/completions/rpcexplorer.fish
    """
    invocation_of(context).world.write(SCRIPTS[shell].encode())


LONGEST: Final = 200
"""Characters of a name that somebody may want on a command line."""
MOST: Final = 2_000
"""Names that are offered at once."""
NUMBER: Final = re.compile(r"-?\d+(\.\d+)?")
SIGNS: Final = "_.:/@- "
"""What may stand in a name beside letters and digits."""


def answer(world: World, program: click.Command) -> None:
    """Answer on stdout. Whatever goes wrong, the caller keeps it to itself: somebody is typing."""
    shell, _, wish = world.environment[COMPLETING].partition("_")
    kind = KINDS.get(shell)
    if wish == "source" and kind:
        world.write(SCRIPTS[shell].encode())
    elif wish == "complete" and kind:
        world.write(kind(program, {"obj": world}, PROGRAM, COMPLETING).complete().encode() + b"\n")


def offered(name: str) -> bool:
    """Whether a name can be inserted into a command line and stay what it is."""
    if not name or len(name) > LONGEST or name[0] in "- " or name[-1] == " ":
        return False
    return all(letter.isalnum() or letter in SIGNS for letter in name)


def offered_param(word: str) -> bool:
    """The same of ``name=`` or ``name:=`` with or without a value behind it."""
    name, _, value = word.partition("=")
    return offered(name.removesuffix(":")) and (not value or offered(value) or NUMBER.fullmatch(value) is not None)


class Offering(ShellComplete):
    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[str]]:
        """What click finds, without the names that no shell may see; where there are too many, some of them.

        Of sorted names the first and the last have in common what all have: so a shell still inserts no more than that.
        """
        options = incomplete.startswith("-") and "=" not in incomplete and "--" not in args
        found = super().get_completions(args, incomplete)
        items = [item for item in found if item.type != "plain" or options or _is_offered(item)]
        for item in items:
            if item.type != "plain":
                item.value = ""  # a shell completes paths by itself
        if len(items) > MOST:
            items.sort(key=lambda item: item.value)
            items[MOST - 1 :] = items[-1:]
        return items


def _is_offered(item: CompletionItem[str]) -> bool:
    return offered_param(item.value) if item.is_param else offered(item.value)


class Bash(Offering, BashComplete):
    """Bash inserts what it is answered as it is, and may replace no more than the end of a word."""

    def get_completion_args(self) -> tuple[list[str], str]:
        self._typed = CommandLine.of(os.environ)
        return self._typed.before, self._typed.word

    def format_completion(self, item: CompletionItem[str]) -> str:
        """The rest of the name, in quotes where there are spaces in it and no quotes around it yet."""
        typed, name = self._typed, item.value
        if name.startswith(typed.word):
            name = name[len(typed.word) - len(typed.part) :]
        return f"{item.type},'{name}'" if " " in name and not typed.in_quotes else f"{item.type},{name}"


class Zsh(Offering, ZshComplete):
    """Zsh puts quotes around what it inserts."""


class Fish(Offering, FishComplete):
    """Fish puts quotes around what it inserts."""

    def format_completion(self, item: CompletionItem[str]) -> str:
        """As our script reads it: click changed the form in 8.4.0, and back."""
        said = " ".join((item.help or "").split())
        return f"{item.type},{item.value}\t{said}" if said else f"{item.type},{item.value}"


KINDS: Final[Mapping[str, type[ShellComplete]]] = {"bash": Bash, "zsh": Zsh, "fish": Fish}


class CommandLine(NamedTuple):
    """A command line of bash's, as far as the cursor."""

    before: list[str]
    """The words behind the program's name, up to the one that is being typed."""
    word: str
    part: str
    """The end of the word that bash will replace."""
    in_quotes: bool
    """Whether a quote is open."""

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> CommandLine:
        """Our script sends the line; click's, which somebody may still have, the words that bash sees in it."""
        line = environment.get(LINE)
        if line is None:
            words, in_quotes = _words(environment["COMP_WORDS"])
            at = int(environment["COMP_CWORD"])
            word = words[at] if at < len(words) else ""
            return cls(words[1:at], word, word, in_quotes)
        words, in_quotes = _words(line)
        part = environment.get(PART, "")
        if part and not in_quotes:
            part = "".join(_words(part)[0])
        word = words.pop() if part or in_quotes or not line[-1:].isspace() else ""
        return cls(words[1:], word, part if word.endswith(part) else word, in_quotes)


def _words(line: str) -> tuple[list[str], bool]:
    """The words of a line that may end anywhere, and whether it ends inside of quotes."""
    reader = shlex.shlex(line, posix=True)
    reader.whitespace_split, reader.commenters = True, ""
    words: list[str] = []
    try:
        words.extend(reader)
    except ValueError as error:  # a quote is open, or a backslash is the last character
        return [*words, reader.token], "quotation" in str(error)
    return words, False
