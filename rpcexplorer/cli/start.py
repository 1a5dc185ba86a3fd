"""The program as a function of its arguments and its world, which returns an exit code.

Whoever gives no argument wants the screen, and for that no command line has to be taken apart.
"""

from __future__ import annotations

from collections.abc import Sequence

from rpcexplorer.cli.world import COMPLETING, World
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.destination import Person
from rpcexplorer.model.problem import Trouble


def run(arguments: Sequence[str], world: World) -> int:
    """Open the screen, or do what the words say; or tell a shell how the words may go on."""
    if COMPLETING in world.environment:
        from rpcexplorer.cli.completing import answer

        answer(world)
        return 0
    if arguments or not world.on_terminal:
        return _command(arguments, world)
    try:
        code, wish = world.open_screen(lambda person: _explorer(world, person), None)
    except Trouble as error:
        world.say(error.sentence)
        return 2
    return _command(["demo"], world) if wish == "demo" else code


def _command(arguments: Sequence[str], world: World) -> int:
    from rpcexplorer.cli.program import run_command

    return run_command(arguments, world)


def _explorer(world: World, person: Person) -> Explorer:
    return world.open_explorer(world.environment, world.folder, None, person)
