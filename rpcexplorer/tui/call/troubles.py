"""What could not be kept or read while calls are made: each is told once, and has words for as long as it lasts."""

from __future__ import annotations

from collections.abc import Callable

from rpcexplorer.explorer import Explorer


class Troubles:
    """Remembers what was told."""

    def __init__(self, explorer: Explorer) -> None:
        self._explorer = explorer
        self._told: set[str] = set()
        """Those that were told, and last."""

    def told(self, draft: str, tell: Callable[[str], object]) -> str:
        """Tell those that are new; the words for the first that lasts. ``draft``: why what is typed is not written."""
        explorer = self._explorer
        history = explorer.journal.trouble
        if history and explorer.history.unsaved:
            history += " It is kept in memory and tried again with the next call."
        troubles = {
            "history not written": history,
            "draft not kept": draft or explorer.drafts.trouble,
            "draft changed elsewhere": explorer.drafts.other,
            "screen not remembered": explorer.remembered.trouble,
            "methods not kept": explorer.catalogues.trouble,
        }
        for trouble in troubles.values():
            if trouble and trouble not in self._told:
                tell(trouble)
        self._told = set(troubles.values())
        return next((words for words, trouble in troubles.items() if trouble), "")
