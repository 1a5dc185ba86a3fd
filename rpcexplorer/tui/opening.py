"""What opens over a screen when somebody wants it: batch, form, comparisons, replays, statistics, copies, help.

Screens do not know each other: each says what is wanted of a call, and here is what leads on from it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from rpcexplorer.tui.leaving import Leaving
from rpcexplorer.tui.messages import (
    ComparisonWanted,
    CopyCallWanted,
    ExportWanted,
    ProfilesCompared,
    ReplayWanted,
    StatisticsWanted,
    TicketWanted,
)
from rpcexplorer.tui.pending_keys import opens
from rpcexplorer.tui.widgets.footer import Footer
from rpcexplorer.tui.widgets.header import Header

if TYPE_CHECKING:
    from rpcexplorer.tui.commands import Scope
    from rpcexplorer.tui.comparing.screen import Frame


class OpeningApp(Leaving):
    """Answers what the screens ask for."""

    @opens("batch")
    async def on_batch_wanted(self) -> None:
        calls = self.calls
        if calls is None or self.screen is not calls:
            return
        from rpcexplorer.tui.batch.screen import BatchScreen

        calls.write_down()
        header, under_way = calls.header_copy(), lambda: calls.whose or calls.what
        around = {"header": header, "footer": footer_over()}
        screen = BatchScreen(self.explorer, self.pending, **around, under_way=under_way, at=calls.batch_row)
        choice = await self.push_screen_wait(screen)
        calls.batch_row = screen.row
        calls.show_recent()
        calls.show_auth()
        if choice is not None:
            calls.take(choice.draft, choice.came)

    @opens("form")
    async def on_form_wanted(self) -> None:
        calls = self.calls
        if calls is None or self.screen is not calls:
            return
        from rpcexplorer.model.method import Described
        from rpcexplorer.schema.form import MAX_FORM_CHARACTERS
        from rpcexplorer.tui.form.screen import FormScreen
        from rpcexplorer.tui.form.source import FormSource

        params, known = calls.params, self.explorer.methods(called=False).get(calls.called)
        if len(params.text) > MAX_FORM_CHARACTERS:
            calls.tell(
                f"A form shows params of {MAX_FORM_CHARACTERS:,} characters at most; these have {len(params.text):,}."
            )
            return
        if calls.described is None:  # the first screen does not wait for it
            calls.describe()
        described = calls.described or Described()
        source = FormSource(
            calls.called,
            described,
            known.by if known else None,
            lambda: params.text,
            params.replace,
            params.action_undo,
            params.action_redo,
            lambda: params.problem is None,
            calls.request_to_come,
            partial(calls.check_params, described),
            params.cursor_offset,
        )
        around = {"header": calls.header_copy(), "footer": footer_over()}
        form = FormScreen(self.explorer, source, self.pending, **around)
        calls.typed_elsewhere = form.put_typed
        is_sent = await self.push_screen_wait(form)
        calls.typed_elsewhere = lambda: None
        params.show_tab("Params")
        if form.place is not None:
            params.go_to(form.place)
        params.focus_inside()
        if is_sent:
            calls.action_send()

    @opens("copy")
    async def on_copy_call_wanted(self, event: CopyCallWanted) -> None:
        from rpcexplorer.model.draft import draft_of
        from rpcexplorer.tui.call.copying import copied

        exchange = event.exchange
        taken = partial(self.pending.go_on, "copy")
        await copied(self.screen, self.explorer, draft_of(exchange), exchange=exchange, taken=taken)

    @opens("copy")
    async def on_ticket_wanted(self, event: TicketWanted) -> None:
        from rpcexplorer.tui.call.copying import ticket_copied, ticket_of_two_copied

        self.pending.go_on("copy")
        if event.other is None:
            await ticket_copied(self.screen, self.explorer, event.exchange)
        else:
            await ticket_of_two_copied(self.screen, self.explorer, event.exchange, event.other, event.ignore)

    @opens("comparison")
    async def on_comparison_wanted(self, event: ComparisonWanted) -> None:
        from rpcexplorer.tui.comparing.opening import compare

        await compare(self.screen, self.explorer, self.pending, self._frame(), event)

    @opens("replay")
    async def on_replay_wanted(self, event: ReplayWanted) -> None:
        from rpcexplorer.tui.comparing.opening import replay

        await replay(self.screen, self.explorer, self.pending, self._frame(), event.records)
        self._after_calls()

    @opens("replay")
    async def on_profiles_compared(self, event: ProfilesCompared) -> None:
        from rpcexplorer.tui.comparing.opening import compare_profiles

        await compare_profiles(self.screen, self.explorer, self.pending, self._frame(), event.draft, whole=event.whole)
        self._after_calls()

    @opens("export")
    async def on_export_wanted(self, event: ExportWanted) -> None:
        from rpcexplorer.tui.call.saving import case_saved

        await case_saved(self.screen, self.explorer, event.records)

    @opens("statistics")
    async def on_statistics_wanted(self, event: StatisticsWanted) -> None:
        from rpcexplorer.tui.statistics.screen import StatisticsScreen

        header = self.calls.header_copy() if self.calls else Header()
        screen = StatisticsScreen(self.explorer, event.wanted, self.pending, header=header, footer=footer_over())
        if words := await self.push_screen_wait(screen):
            event.narrow(words)

    @opens("palette")
    async def action_palette(self) -> None:
        from rpcexplorer.tui.dialogs.palette import chosen_command

        screen, nodes = self.screen, self._scoped()
        command = await chosen_command(self, nodes, self.explorer.settings.keymap)
        if command is not None and self.screen is screen:
            await self.run_action(command.action, nodes[command.scope])

    def _scoped(self) -> dict[Scope, Any]:
        """Who answers for which scope: the pane with the focus first, then the rest of the screen, then the app."""
        focused = self.screen.focused
        inside = [*(focused.ancestors_with_self if focused else ()), *self.screen.query("*"), self.screen, self]
        found: dict[Scope, Any] = {}
        for node in inside:
            if hasattr(node, "scope"):
                found.setdefault(node.scope, node)
        return found

    def action_help(self) -> None:
        from rpcexplorer.tui.dialogs.help import Help

        if isinstance(self.screen, Help):
            self.screen.action_leave()
        else:
            self.push_screen(Help(list(self._scoped()), self.explorer.settings.keymap))

    def _after_calls(self) -> None:
        """Calls were made over the call screen."""
        if self.calls is not None and self.explorer.profile is not None:
            self.calls.show_recent()
            self.calls.show_auth()

    def _frame(self) -> Frame:
        from rpcexplorer.tui.comparing.screen import Frame

        return Frame(self.calls.header_copy if self.calls else Header, footer_over)


def footer_over() -> Footer:
    """For a screen that opens over the calls: what it can do itself comes first, the ways to others go unsaid."""
    footer = Footer()
    footer.set_reactive(Footer.elsewhere, frozenset({"history", "profiles"}))
    return footer
