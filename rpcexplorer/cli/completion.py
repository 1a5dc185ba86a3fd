"""Shell completion: click's own, with safe names and a bash script."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import click
from click.shell_completion import BashComplete, CompletionItem, FishComplete, ShellComplete, ZshComplete

from rpcexplorer.cli.arguments import OneOf
from rpcexplorer.cli.run import Run
from rpcexplorer.cli.words import PAIR
from rpcexplorer.cli.world import COMPLETING, World
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.method import SIGN, Described, method_of
from rpcexplorer.model.problem import PROGRAM
from rpcexplorer.variables.references import inert

if TYPE_CHECKING:
    from rpcexplorer.schema.node import Node

MAX_NAME: Final = 200
"""Length of a name; a longer one is not useful on a command line."""
SIGNS: Final = "_.:/@- "
"""Characters of a safe name, besides letters and digits."""


def is_safe(name: str) -> bool:
    """Return whether a shell leaves a name unchanged."""
    if not name or len(name) > MAX_NAME or name[0] in "- " or name[-1] == " ":
        return False
    return all(letter.isalnum() or letter in SIGNS for letter in name)


def is_safe_param(word: str) -> bool:
    """Return whether ``name=`` or ``name:=``, with a value, is safe."""
    name, _, value = word.partition("=")
    return is_safe(name.removesuffix(":")) and (not value or is_safe(value.removeprefix("-")))


def _is_safe_item(item: CompletionItem[str]) -> bool:
    if item.type != "plain":
        return True
    return is_safe_param(item.value) if item.is_param else is_safe(item.value)


class SafeNames(ShellComplete):
    """Completion without names that a shell might run.

    Names come from servers, project files and the history.
    """

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[str]]:
        """Return the safe items that click finds."""
        items = super().get_completions(args, incomplete)
        if incomplete.startswith("-") and "=" not in incomplete and "--" not in args:
            return items  # Names of options are our own.
        return [item for item in items if _is_safe_item(item)]


LINE: Final = "_RPCEXPLORER_LINE"
"""Variable for the command line up to the cursor."""
PART: Final = "_RPCEXPLORER_PART"
"""Variable for the end of the line that bash replaces.

For bash, a word starts after each of ``: = @``.
"""
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
"""Our own script, because click's

- runs ``$1``, which is a program of the working folder if ``./rpcexplorer`` is typed,
- sends words that bash split at ``: = @``, which methods, params and saved calls contain,
- inserts names with spaces unquoted, and a space behind ``name=``.
"""


class Bash(SafeNames, BashComplete):
    def source(self) -> str:
        """Return our script; click's method runs bash to ask its version."""
        return BASH

    def get_completion_args(self) -> tuple[list[str], str]:
        line, part = os.environ.get(LINE), os.environ.get(PART, "")
        if line is None:  # The shell may still use click's script.
            before, self._word = super().get_completion_args()
            self._part, self._in_quotes = self._word, False
            return before, self._word
        words, self._in_quotes = _words(line)
        if part and not self._in_quotes:
            part = "".join(_words(part)[0])
        self._word = words.pop() if part or self._in_quotes or not line[-1:].isspace() else ""
        self._part = part if self._word.endswith(part) else self._word
        return words[1:], self._word

    def format_completion(self, item: CompletionItem[str]) -> str:
        """Return the end of the name for bash to insert, quoted if needed."""
        if item.type != "plain":
            return f"{item.type},"
        name = item.value
        if name.startswith(self._word):
            name = name[len(self._word) - len(self._part) :]
        return f"plain,'{name}'" if " " in name and not self._in_quotes else f"plain,{name}"


def _words(line: str) -> tuple[list[str], bool]:
    """Return the words of an incomplete line, and whether quotes are open."""
    reader = shlex.shlex(line, posix=True)
    reader.whitespace_split, reader.commenters = True, ""
    words: list[str] = []
    try:
        words.extend(reader)
    except ValueError as error:  # Quotes are open, or the last character is a backslash.
        return [*words, reader.token], "quotation" in str(error)
    return words, False


class Zsh(SafeNames, ZshComplete):
    # Click's script adds a space after every name, even after ``name=``, where the value of a param follows.
    source_template = ZshComplete.source_template.replace(
        "compadd -U -V unsorted -a completions\n",
        """compadd -U -V unsorted -- "${(@)completions:#*=}"
        compadd -U -V unsorted -S '' -- "${(@M)completions:#*=}"\n""",
    )


class Fish(SafeNames, FishComplete):
    # Click's script cuts a description at its first comma.
    source_template = FishComplete.source_template.replace('string split ","', 'string split -m 1 ","')


SHELLS: Final[Mapping[str, type[ShellComplete]]] = {"bash": Bash, "zsh": Zsh, "fish": Fish}


def answer(world: World, program: click.Command) -> None:
    """Print completions for the shell. The caller hides all errors."""
    name, _, instruction = world.environment[COMPLETING].partition("_")
    if name not in SHELLS:
        return
    shell = SHELLS[name](program, {"obj": Run(world)}, PROGRAM, COMPLETING)
    if instruction == "source":
        world.write(shell.source().encode())
    elif instruction == "complete":
        world.write(shell.complete().encode() + b"\n")


@click.command()
@click.argument("shell", type=OneOf(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the completion script for a shell.

    \b
    Examples:
      rpcexplorer completion bash >> ~/.bashrc
      rpcexplorer completion zsh > "${fpath[1]}/_rpcexplorer"
      rpcexplorer completion fish > ~/.config/fish/completions/rpcexplorer.fish
    """
    script = SHELLS[shell](context.command, {}, PROGRAM, COMPLETING).source()
    context.obj.world.write(script.encode())


def complete_methods(context: click.Context, _: click.Parameter, begun: str) -> list[str]:
    return [name for name in _explorer_of_profile(context).listed_methods() if name.startswith(begun)]


def complete_saved_calls(context: click.Context, _: click.Parameter, begun: str) -> list[str]:
    calls = _explorer_of_profile(context).saved_calls().values()
    return [call.listed_as for call in calls if call.listed_as.startswith(begun)]


def complete_checks(context: click.Context, _: click.Parameter, begun: str) -> list[CompletionItem[str]]:
    """Complete the name of a saved call with expectations, or a file."""
    if not begun.startswith(SIGN):
        return [CompletionItem(begun, type="file")]
    explorer = _explorer_of_profile(context)
    assert explorer.profile is not None
    calls = explorer.profiles.checks_of(explorer.profile)
    return [CompletionItem(call.listed_as) for call in calls if call.listed_as.startswith(begun)]


def complete_params(context: click.Context, _: click.Parameter, begun: str) -> list[CompletionItem[str]]:
    method = context.params.get("method")
    if not method:
        return []
    described = _explorer_of_profile(context).described(method_of(method))
    if described is None:
        return []
    given = context.params.get("params") or context.params.get("given") or ()
    found = param_words(described, begun, given)
    return [CompletionItem(word, is_param=True) for word in found if word.startswith(begun)]


def _explorer_of_profile(context: click.Context) -> Explorer:
    """Return an explorer with the profile of the typed options; an error ends the completion, without names."""
    run: Run = context.obj
    explorer = run.open_silently()
    run.choose()
    explorer.read_description()
    return explorer


def param_words(described: Described, begun: str, given: Collection[str]) -> Iterator[str]:
    """Yield words to replace ``begun``, without the ``given`` params."""
    from rpcexplorer.schema.node import SchemaReader  # Only completion needs it.

    reader = SchemaReader(described.definitions)
    names = {pair[1] for word in given if word != begun and (pair := PAIR.fullmatch(word))}
    typed = PAIR.fullmatch(begun)
    for param in described.params:
        if not param.name.strip(".") or param.name in names or not PAIR.fullmatch(f"{param.name}="):
            continue
        node = reader.node(param.schema)
        if typed is None:
            choices: tuple[Any, ...] = node.choices or ()
            is_text = "string" in node.kinds or any(isinstance(value, str) for value in choices)
            yield f"{param.name}{'=' if is_text else ':='}"
        elif typed[1] == param.name:
            yield from (f"{param.name}{typed[2]}{value}" for value in _values(node, as_json=typed[2] == ":="))


def _values(node: Node, *, as_json: bool) -> Iterator[str]:
    """Yield values as written after the sign: text, or JSON."""
    choices = (True, False) if node.choices is None and node.kinds == ("boolean",) else node.choices or ()
    for value in choices:
        # A reference would be replaced by its value.
        if not as_json and isinstance(value, str) and inert(value) == value:
            yield value
        elif as_json and not isinstance(value, str | dict | list):
            yield json.dumps(value)
