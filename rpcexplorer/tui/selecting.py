"""What can be done with a selection, and what the key for it does where there is none. Every screen has it."""

from __future__ import annotations

from typing import TypeVar

from textual.screen import ModalScreen
from textual.widgets import Input, TextArea

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.keyboard import Keyboard

ReturnType = TypeVar("ReturnType")


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
        from rpcexplorer.tui.copy_or_cancel import MASKED, copy_selected, how_to_leave, interrupted, selected

        if text := selected(self.screen):
            profile = self.explorer.profile.name if self.explorer.profile else ""
            copying = copy_selected(self.screen, text, self.explorer.keys.in_use(), profile)
            self.run_worker(copying, group="selection", description="copy")
        elif text is not None and interrupted(self.screen, self.home):
            if self.explorer.keys.is_asking and isinstance(self.screen, ModalScreen):
                self.screen.dismiss(None)  # nobody waits for the answer any more
        else:
            leave = how_to_leave(self.screen, self.explorer.settings.keymap, kept=self.home is not None)
            self.notify(MASKED if text is None else leave)
