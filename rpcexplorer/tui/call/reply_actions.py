"""What is done with the reply on view beyond looking at it: through a filter or a command, and onto the clipboard.

Both may take long, so they are workers of the screen; the calls themselves are ``sending.py``'s.
"""

from __future__ import annotations

from functools import partial

from textual import on, work

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Exchange, Stop
from rpcexplorer.tui.call.layout import CallLayout
from rpcexplorer.tui.call.response import ResponsePane
from rpcexplorer.tui.keys import PendingKeys, opens
from rpcexplorer.tui.widgets.inputs import Purpose


class ReplyScreen(CallLayout):
    """The layout with a response that can be put through things."""

    def __init__(self, explorer: Explorer, pending: PendingKeys) -> None:
        super().__init__(explorer.remembered, explorer.settings.keymap)
        self.explorer = explorer
        self.pending = pending
        self._stop: Stop | None = None
        """Ends what is under way."""

    def interrupt(self) -> bool:
        """End what runs, on another screen only what is under way; whether there was anything."""
        here = self.app.screen is self and self.response.can_cancel
        if self._stop is not None or here:
            self.action_cancel()
        return self._stop is not None or here

    def action_cancel(self) -> None:
        if self._stop is not None:
            self._stop.press()
        elif self.response.can_cancel:
            self.response.cancel()
        elif self.is_covered:
            inside = self.response if self.response.has_focus_within else self.params
            self.uncover()
            inside.focus_inside()

    @on(ResponsePane.TransformWanted)
    def _transform_wanted(self, event: ResponsePane.TransformWanted) -> None:
        self._transform(event)

    @on(ResponsePane.TransformCancelled)
    def _transform_cancelled(self) -> None:
        self.workers.cancel_group(self, "through")

    @work(exclusive=True, group="through")
    async def _transform(self, wanted: ResponsePane.TransformWanted) -> None:
        from rpcexplorer.tui import processes
        from rpcexplorer.tui.processes import ending

        run, by = {
            "filter": (processes.filtered, "spelled by jq, not by the server"),
            "pipe": (processes.piped, "what the command made of it"),
        }[wanted.kind]
        came = await run(wanted.expression, wanted.body, self.explorer.settings.reply_limit)
        told = [came.complaint] if came.code else [by, came.complaint * came.cut]
        if (wanted.kind == "pipe" and not came.cut) or not any(told):
            told.append(ending(came.code))
        sentence = "; ".join(filter(None, told))
        self.response.transform.finish(wanted.label, came.text, sentence, is_wrong=bool(came.code))

    @on(ResponsePane.PromptSubmitted)
    def _remember_input(self, event: ResponsePane.PromptSubmitted) -> None:
        if event.purpose in {"filter", "pipe"}:
            self.explorer.remembered.add_expression(event.purpose, event.text)
            self.remind(event.purpose)

    def remind(self, *purposes: Purpose) -> None:
        """What was typed before, for the arrow keys."""
        for purpose in purposes:
            self.response.earlier_inputs[purpose] = self.explorer.remembered.expressions(purpose)

    @on(ResponsePane.Wrapped)
    def _wrapped(self, event: ResponsePane.Wrapped) -> None:
        self.explorer.remembered.wrap = event.on

    @on(ResponsePane.ZoomWanted)
    def _zoom(self) -> None:
        self.cover("" if self.is_covered else "response")

    @on(ResponsePane.SaveWanted)
    @opens("save")
    async def _save(self) -> None:
        if self.response.exchange is not None:
            from rpcexplorer.tui.call.copying import saved

            await saved(self, self.explorer, self.response.exchange, self.response.body)

    @opens("copy")
    async def copy(self, draft: Draft, exchange: Exchange | None, what: str = "") -> None:
        """Copy a call or its reply; which of it is asked, unless that is said."""
        from rpcexplorer.tui.call.copying import copied

        body = self.response.body if exchange is self.response.exchange else None
        taken = partial(self.pending.go_on, "copy")
        await copied(self, self.explorer, draft, exchange=exchange, body=body, what=what, taken=taken)
