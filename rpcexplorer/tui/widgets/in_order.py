"""Keys that are done in the order they were pressed, also when a slow line delivers a dozen of them at once.

Textual inserts a letter at once, but lets a key with a binding travel up to the app before its action runs: letters
typed after ``^K`` would be cut by it. A line or an editor that does its own keys itself keeps the order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events

if TYPE_CHECKING:
    from textual.widget import Widget as _Base
else:
    # Textual looks for styles along the first base that is a widget, and that has to be its own class
    _Base = object
INHERITED = ("scroll", "page_")
"""What a line has from its bases, and no use for."""


class InOrder(_Base):
    """Stands before Textual's class among the bases of a widget that is typed into."""

    async def _on_key(self, event: events.Key) -> None:
        for binding in self._bindings.key_to_bindings.get(event.key, ()):
            if not binding.action.startswith(INHERITED):
                event.stop()
                event.prevent_default()
                await self.run_action(binding.action)
                return
