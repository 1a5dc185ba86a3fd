"""Shell completion."""

from __future__ import annotations

from typing import Final

import click

from rpcexplorer.cli.context import invocation_of
from rpcexplorer.cli.values import OneOf
from rpcexplorer.cli.world import COMPLETING, PROGRAM

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
