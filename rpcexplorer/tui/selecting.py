"""What can be done with a selection, and what ``^C`` does, on every screen.

It copies what is selected, else ends what runs, else says how to leave: whoever presses it wants one of the three, and
which of them is seen on screen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from textual.screen import ModalScreen, Screen
from textual.widgets import Input, Static, TextArea

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.commands import first_key
from rpcexplorer.tui.keyboard import Keyboard, ReturnType

MASKED = "What is masked is not copied."


@runtime_checkable
class Interruptible(Protocol):
    """A screen or a pane in which something can run."""

    def interrupt(self) -> bool:
        """End what runs; whether there was anything."""


class Selecting(Keyboard[ReturnType]):
    """A program in which text is selected and copied."""

    def __init__(self, explorer: Explorer) -> None:
        super().__init__()
        self.explorer = explorer

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Where one types, all of the text can be selected."""
        if action == "select_all":
            return isinstance(self.screen.focused, Input | TextArea)
        return super().check_action(action, parameters)

    def action_select_all(self) -> None:
        if isinstance(field := self.screen.focused, Input | TextArea):
            field.select_all()

    def action_copy_or_cancel(self) -> None:
        """Copy what is selected; else end what runs; else say how to leave."""
        if text := selected(self.screen):
            self.run_worker(self._copy(text), group="selection", description="copy")
        elif text is not None and interrupted(self.screen, self.home):
            if self.explorer.credentials.is_asking and isinstance(self.screen, ModalScreen):
                self.screen.dismiss(None)  # nobody waits for the answer any more
        else:
            leave = how_to_leave(self.screen, self.explorer.settings.keymap, kept=self.home is not None)
            self.notify(MASKED if text is None else leave)

    async def _copy(self, text: str) -> None:
        """Without the secrets that this run knows, those of the profile in use above all."""
        from rpcexplorer.tui.terminal.clipboard import copy

        screen, redactor = self.screen, self.explorer.redactor(of_this_profile=True)
        await copy(screen, await asyncio.to_thread(redactor.text, text), "the selection")


def selected(screen: Screen[Any]) -> str | None:
    """What is selected in the field with the focus, else by the mouse; None where it must not be copied."""
    field = screen.focused
    if isinstance(field, Input | TextArea) and field.selected_text:
        return None if isinstance(field, Input) and field.password else field.selected_text
    # only these show what is selected of them: of others, Textual would copy a name of its own
    marked = [(each, part) for each, part in screen.selections.items() if isinstance(each, Static) and each.is_attached]
    found = [piece for each, part in marked if (piece := each.get_selection(part)) is not None]
    text = "".join(words + end for words, end in found).rstrip("\n")
    return text if any(map(str.isalnum, text)) else ""  # the sign before a field is nothing to copy


def interrupted(screen: Screen[Any], home: Screen[Any] | None) -> bool:
    """End what runs on this screen, else on the one that is always there; whether anything did."""
    nodes = dict.fromkeys([screen, *screen.query("*"), home])
    return any(node.interrupt() for node in nodes if isinstance(node, Interruptible))


def how_to_leave(screen: Screen[Any], keymap: Mapping[str, str], *, kept: bool) -> str:
    """The keys for it, as they are mapped: out of this screen, and out of the program. ``kept``: there is an editor."""
    key, palette = first_key("quit", keymap), first_key("palette", keymap)
    leave = f"{key} leaves rpcexplorer" if key else f"quit leaves rpcexplorer: {palette} lists the commands"
    scope = getattr(screen, "scope", "")
    if isinstance(screen, ModalScreen):
        leave = f"Esc closes this, {leave}"
    elif scope in {"history", "batch", "comparison", "profiles"} and screen.check_action("close", ()):
        back = first_key(f"{scope}.close", keymap)
        leave = f"{back} goes back, {leave}" if back else leave
    comfort = "; what stands in the editor is kept" if kept else ""
    return f"Nothing is selected, and nothing runs. {leave[0].upper()}{leave[1:]}{comfort}."
