"""Calls from elsewhere: pasted, imported, recorded, collected.

They are put into the editor of the call screen.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from rpcexplorer.importing.credentials import Fitted, fitted
from rpcexplorer.importing.formats import imported
from rpcexplorer.importing.pasted import Pasted, is_command
from rpcexplorer.importing.request import Imported
from rpcexplorer.importing.servers import ImportedServers, read_servers, root_of
from rpcexplorer.jsontext.layout import indented
from rpcexplorer.jsontext.params import Typo
from rpcexplorer.model.batch import collected, parts_of
from rpcexplorer.model.draft import EMPTY_PARAMS, Draft
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.method import SIGN, ExampleCall, as_named, method_of
from rpcexplorer.model.problem import capitalised, counted, cut, joined_words
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret, of_another, of_this, without
from rpcexplorer.text.importing import note_lines, other_addresses, server_line, skipped_lines
from rpcexplorer.text.printable import clipped, printable
from rpcexplorer.text.profile import printable_url
from rpcexplorer.tui.call.drafts import DraftKeeper
from rpcexplorer.tui.call.layout import PaneLayout
from rpcexplorer.tui.call.state import CallState
from rpcexplorer.tui.commands import COMMANDS
from rpcexplorer.tui.widgets.dialog import Ask, Choice, Confirm
from rpcexplorer.tui.widgets.picker import Pick, Picker
from rpcexplorer.variables.references import inert_value
from rpcexplorer.variables.resolve import TakenValue, as_it_went_out, placed

RESTORE_DRAFT: Final = next(command.words for command in COMMANDS if command.id == "replaced-params")
SEND_NOTIFICATION: Final = next(command.words for command in COMMANDS if command.id == "send-notification")
IMPORT_WORDS: Final = (
    "Type the path of a file with curl commands, a HAR, a Postman collection 2.1, JSON-RPC requests, or MCP servers "
    "(mcp.json). rpcexplorer runs no commands from the file and reads no other files."
)
COMMAND_WORDS: Final = "this is a command, not a file. Paste it into the params editor to import it."
USE: Final = "use"
"""The input purpose that remembers methods which a value was used in."""
PLACE_COLUMNS: Final = 40
"""Columns of a place in the title of a picker."""
MAX_NOTES: Final = 2
"""Notes about pasted calls that are shown."""
MAX_REASONS: Final = 3
"""Reasons and notes about imported calls that are shown."""


MAX_NAMES: Final = 8
"""Added profiles that are named."""


class Transfer:
    """Puts calls from elsewhere into the editor, and notifies about it."""

    def __init__(self, state: CallState, drafts: DraftKeeper, panes: PaneLayout) -> None:
        self._state, self._explorer = state, state.explorer
        self._drafts, self._panes, self._params = drafts, panes, panes.params

    def open(self, exchange: Exchange, then: Callable[[Exchange], None], *, ours: bool) -> None:
        """Call ``then`` with a recorded call.

        If others may have put a secret reference into the call, ask first. References in their calls are never replaced
        by values of the user's own responses.
        """
        name = self._state.profile_name
        exchange = exchange if ours else as_it_went_out(exchange)
        if ours or not of_this(exchange.params, name):
            then(exchange)
            return
        self.put_recorded(replace(exchange, params=without(exchange.params, name)))
        self._state.pending.run(self._state, "foreign", partial(self._ask_to_open, exchange, then))

    async def _ask_to_open(self, exchange: Exchange, then: Callable[[Exchange], None]) -> None:
        from rpcexplorer.tui.dialogs import may_open

        if await may_open(self._state, self._explorer, exchange):
            then(exchange)

    def put_recorded(self, exchange: Exchange) -> None:
        """Load a recorded call into the editor, and show its response."""
        if exchange.kind != "batch":  # a batch cannot be in the editor
            self._put(exchange.method, exchange.params)
        self._state.exchange = exchange

    def load(self, exchange: Exchange) -> bool:
        """Load a recorded call into the editor or the batch, with its response; return whether it is in the batch."""
        self.put_recorded(exchange)
        if exchange.kind == "notification":
            self._state.tell(self._notification_words(exchange.method))
        return exchange.kind == "batch" and self._put_into_batch(exchange)

    def put_back(self, draft: Draft, response: Exchange | None) -> None:
        """Load a call of the batch into the editor, with its response."""
        self._panes.cover("")
        self._put(draft.method, draft.text)
        self._drafts.batch_draft = draft
        if draft.notification:
            self._state.tell(self._notification_words(draft.method))
        if response is not None:
            self._state.exchange = response
        (self._params if response is None else self._panes.response).focus_inside()

    def _put(self, method: str, params: str) -> None:
        self._drafts.choose(as_named(method))
        self._drafts.replace(params, recorded=True)

    async def save_call(self) -> None:
        """Save the call in the editor, or change the saved call, after asking."""
        from rpcexplorer.tui.saved_calls import ask_to_save

        state, explorer, drafts = self._state, self._explorer, self._drafts
        before = state.method
        after = await ask_to_save(state, explorer, drafts.draft, state.saved_call)
        if after is None or state.method != before:
            return
        drafts.write_down()
        profile, text, is_gone = state.profile_name, self._params.text, not after.startswith(SIGN)
        if before.startswith(SIGN) and not is_gone:  # the draft has become the saved call itself
            explorer.drafts.forget(profile, before)
        state.explorer_changed()
        if after != before and before not in state.known and before in state.pinned:
            explorer.remembered.unpin(profile, before)
        drafts.choose(after)
        if is_gone:  # The params stay as a draft of the method, so that nothing is lost.
            drafts.replace(text)
            drafts.write_down()
            explorer.drafts.forget(profile, before)

    def take_example(self, method: str, example: ExampleCall) -> None:
        """Load the params of an example into the editor."""
        if method != as_named(self._state.called):
            self._drafts.choose(method)
        self._params.show_tab("Params")
        self._params.replace(indented(inert_value(example.params)))
        self._panes.free_response()
        self._params.focus_inside()
        name = f" “{example.name}”" if example.name else ""
        self._state.tell(f"Loaded the example{name}. {self._state.key('params.undo')} restores your draft.")

    def _put_into_batch(self, exchange: Exchange) -> bool:
        """Replace the batch by a recorded one; return whether that is possible.

        Each call gets its response.
        """
        explorer, found = self._explorer, collected(exchange.params)
        profile = explorer.profile
        assert profile is not None
        if isinstance(found, Typo) or not found.rows:
            self._state.tell("The calls of this batch cannot be loaded: its recorded text is incomplete.")
            return False
        before, batch = explorer.batches.of(profile), found.with_exchange(exchange, parts_of(exchange))
        problem = explorer.batches.replace(profile, batch, explorer.credentials.in_use())
        if before.rows and before.text != batch.text:
            undo = self._state.key("batch.undo")
            self._state.tell(f"Replaced your batch. In the batch, {undo} restores it.")
        if problem:
            self._state.tell(f"{capitalised(problem)}.")
        return True

    def carry(self, draft: Draft) -> None:
        """Load a call of another profile into the editor.

        References to secrets of this profile are removed. The profile of the call could not use them,
        so they are not needed. Someone else may have added them to get the secrets sent.
        """
        profile = self._state.profile_name
        self._drafts.choose(as_named(draft.method))
        before, text = self._params.text, without(draft.text, profile)
        is_kept = self._drafts.replace(text)
        self._panes.focus_params()
        sentences = [f"Loaded {draft.method} for profile {profile}. Nothing was sent."]
        if before != text and before.strip() not in EMPTY_PARAMS:
            sentences.append(f"{self._state.key('params.undo')} restores your draft.")
        if is_kept:
            sentences.append(f"To restore your draft later, use “{RESTORE_DRAFT}” in the command palette.")
        if draft.text != text:
            sentences.append(f"Removed the secret references of {profile}: they do not work with another profile.")
        else:
            mark = of_another(text, profile)
            if mark:
                sentences.append(f"{mark} does not work with {profile}: replace it with a value.")
        if draft.notification:
            sentences.append(self._notification_words(draft.method))
        self._state.tell(" ".join(sentences))

    async def use_value(self, value: TakenValue) -> None:
        """Ask for a method, and put a result reference into its params."""
        explorer = self._explorer
        methods = explorer.listed_methods()
        before = [name for name in explorer.remembered.expressions(USE) if name in methods]
        names = [*before, *(name for name in methods if name not in before)]
        picks = [Pick(name, name, methods[name].doc) for name in names]
        place = clipped(value.pointer or "the result", PLACE_COLUMNS)
        chosen = await self._state.app.push_screen_wait(Picker(f"Use {place} in which method?", picks))
        if not chosen or explorer.profile is None:
            return
        explorer.remembered.add_expression(USE, chosen)
        if chosen != self._state.method:  # its draft stays
            self._drafts.choose(chosen)
        self._panes.focus_params()
        spelled, remark = value.spelled(explorer.journal.last_value(explorer.profile, value.method))
        described = explorer.described(method_of(chosen))
        params = [param.name for param in described.params] if described else []
        self._params.put_value(lambda text, at: placed(text, at, spelled, value.name, params))
        if remark:
            self._state.tell(remark)

    async def take_apart(self, text: str, found: Pasted) -> None:
        """Import a pasted text: the first call into the editor, others as drafts."""
        explorer, profile = self._explorer, self._explorer.profile
        if profile is None:
            return
        fits = [fitted(profile, call) for call in found.calls]
        first, *rest = (fit.call for fit in fits)
        self._drafts.reset()
        taken = explorer.imports.take_in(profile, rest, self._secrets(fits))
        self._drafts.choose(as_named(first.method))
        self._drafts.replace(text)  # undo restores it from there
        if any(call.credentials for call in found.calls):
            # then the pasted text, with its credentials, is not written to a file
            self._params.replace(first.params or "[]")
        else:
            self._drafts.replace(first.params or "[]")
        sentences = [f"{first.method} is in the editor. {self._state.key('params.undo')} restores the pasted text."]
        if first.notification:
            sentences.append(
                f"The call has no id. To send it without one, use “{SEND_NOTIFICATION}” in the command palette."
            )
        if rest:
            methods = joined_words(dict.fromkeys(call.method for call in taken.drafts), 4)
            sentences.append(f"The other calls are drafts of {methods}.")
            if any(call.method == first.method for call in rest):
                sentences.append(
                    f"To restore the other calls of {first.method}, use “{RESTORE_DRAFT}” in the command palette."
                )
        if taken.left_out:
            sentences.append(f"Not imported: {counted(taken.left_out, 'more call')} of the same methods.")
        others = other_addresses(found.calls, profile.endpoint)
        if others:
            sentences.append(f"Calls are sent to {printable_url(profile.endpoint)}, not to {others}.")
        sentences += [f"{note}." for note in [*note_lines(found.calls)][:MAX_NOTES]]
        sentences += found.notes[:MAX_NOTES]
        if taken.problem:
            sentences.append(f"{capitalised(taken.problem)}.")
        self._state.tell(" ".join(sentences))
        await self._settle_credentials(profile, fits)

    async def import_calls(self) -> None:
        """Ask for a file, and import its calls as drafts, or its servers as profiles."""
        explorer = self._explorer
        found = await self._ask_for_calls()
        if isinstance(found, ImportedServers):
            await self._add_servers(found)
            return
        profile = explorer.profile
        if found is None or profile is None or not await self._agrees(found, profile):
            return
        self._drafts.write_down()
        fits = [fitted(profile, call) for call in found.calls]
        taken = explorer.imports.take_in(profile, [fit.call for fit in fits], self._secrets(fits))
        self._drafts.choose(as_named(taken.drafts[0].method))
        self._panes.focus_params()
        name = profile.shown_name
        if len(taken.drafts) == 1:
            sentences = [f"Imported the call into the editor, as a draft of {name}."]
        else:
            sentences = [f"Imported {len(taken.drafts):,} calls as drafts of {name}. The first is in the editor."]
        if taken.left_out:
            sentences.append(f"Not imported: {counted(taken.left_out, 'more call')} of the same methods.")
        if taken.replaced:
            sentences.append(
                f"Replaced your drafts of {joined_words(taken.replaced, MAX_REASONS)}. "
                f"To restore them, use “{RESTORE_DRAFT}” in the command palette."
            )
        if taken.problem:
            sentences.append(f"{capitalised(taken.problem)}.")
        self._state.tell(" ".join(sentences))
        await self._settle_credentials(profile, fits)

    async def _ask_for_calls(self) -> Imported | ImportedServers | None:
        """Ask for a file until one with calls or servers is read; None on cancel."""
        typed, words = "", IMPORT_WORDS
        while True:
            answer: str | None = await self._state.app.push_screen_wait(
                Ask("Import calls from a file", value=typed, words=words, done="import")
            )
            if answer is None or not answer.strip():
                return None
            typed = answer
            text, problem = await asyncio.to_thread(self._read, answer.strip())
            servers = await asyncio.to_thread(read_servers, text, str(root_of(_path(answer))))
            if servers is not None and servers.servers:
                return servers
            found = Imported("", notes=servers.notes if servers else ())
            if not problem and servers is None:
                found = await asyncio.to_thread(imported, text)
            if found.calls:
                return found
            reason = problem or " ".join([*found.notes, *skipped_lines(found.skipped)][:MAX_REASONS])
            words = f"✗ {capitalised(reason)}" if reason else IMPORT_WORDS

    def _read(self, typed: str) -> tuple[str, str]:
        """Return the text of a file, or the reason why it cannot be read."""
        if is_command(typed):
            return "", COMMAND_WORDS
        return self._explorer.imports.read(_path(typed))

    async def _add_servers(self, found: ImportedServers) -> None:
        """Show the servers of a file, and add their profiles to the user file. None of them is started."""
        explorer, file = self._explorer, self._explorer.paths.user_sessions
        problems = explorer.add_servers(found.servers, file, writes=False)
        usable = [server for server in found.servers if not problems[server.name]]
        rows: list[tuple[str, str]] = []
        for server in usable:
            rows.append((server.profile, server_line(server)))
            rows += [("warning", printable(note)) for note in server.notes]
        if usable:
            rows.append(("note", "Nothing is started now. A process runs as you when you use its profile."))
        failures = {printable(cut(name)): problem for name, problem in problems.items() if problem}
        rows += [("not added", f"{name}: {problem}") for name, problem in failures.items()]
        rows += [("warning", note) for note in found.notes]
        choices = [Choice("add", "Add")] if usable else []
        question = Confirm("Add these servers as profiles of yours?", rows, choices)
        if await self._state.app.push_screen_wait(question) != "add":
            return
        problems = explorer.add_servers(usable, file)
        added = []
        for server in usable:
            profile = explorer.profiles.profiles.get(server.profile)
            if problems[server.name] or profile is None:
                continue
            added.append(server.profile)
            if server.secrets:
                await self._offer_to_store(profile, server.secrets)
        sentences = [f"Not added: {name}: {problem}." for name, problem in problems.items() if problem]
        if added:
            switch = f"To use one, press {self._state.key('profiles')}."
            sentences.insert(0, f"Added {joined_words(added, MAX_NAMES)} to {file}. {switch}")
        self._state.tell(" ".join(sentences))

    async def _agrees(self, found: Imported, profile: Profile) -> bool:
        count, methods = len(found.calls), joined_words(dict.fromkeys(call.method for call in found.calls), 8)
        rows = [("form", found.form), ("calls", f"{count:,}: {methods}")]
        others = other_addresses(found.calls, profile.endpoint)
        if others:
            rows.append(("old server", others))
        rows.append(("new server", f"{profile.shown_name}, {printable_url(profile.endpoint)}"))
        notes = [*skipped_lines(found.skipped), *found.notes, *note_lines(found.calls)]
        rows += [("warning" if at == 0 else "", note) for at, note in enumerate(notes[:MAX_REASONS])]
        question = Confirm("Import these calls as drafts?", rows, [Choice("import", "Import")])
        answer: str | None = await self._state.app.push_screen_wait(question)
        return answer == "import"

    def _secrets(self, fits: Sequence[Fitted]) -> list[Secret]:
        """Return the secrets to redact in the files of imported calls."""
        secrets = [*self._explorer.credentials.in_use()]
        for fit in fits:
            secrets += [secret for _, secret in fit.secrets]
        return secrets

    async def _settle_credentials(self, profile: Profile, fits: Sequence[Fitted]) -> None:
        """Ask once whether to store imported credentials; drop unused ones."""
        found: dict[str, Secret] = {}
        for fit in fits:
            found.update(fit.secrets)
        if found:
            await self._offer_to_store(profile, found)
            self._state.show_session()
        dropped: dict[str, None] = {}
        for fit in fits:
            dropped.update(dict.fromkeys(fit.dropped))
        if dropped:
            places = joined_words(dropped, 4)
            self._state.tell(f"Discarded credentials that {profile.shown_name} does not use: {places}.")

    async def _offer_to_store(self, profile: Profile, found: Mapping[str, Secret]) -> None:
        """Ask whether to store imported secrets of a profile."""
        from rpcexplorer.tui.dialogs import caution_of

        names = " and ".join(found)
        rows = [("profile", profile.shown_name), ("server", printable_url(profile.endpoint))]
        choices, caution = [Choice("store", "Store")], caution_of(profile)
        question = Confirm(f"Store the imported {names}?", rows, choices, caution=caution, cancel="Discard")
        if await self._state.app.push_screen_wait(question) == "store":
            hold = self._explorer.credentials.hold
            problems = [hold(profile, field, secret.reveal(), keep=True) for field, secret in found.items()]
        else:
            problems = [f"Discarded the imported {names}."]
        sentence = next((problem for problem in problems if problem), "")
        if sentence:
            self._state.tell(capitalised(sentence))

    def _notification_words(self, method: str) -> str:
        send = self._state.key("send") or self._state.key("palette")
        return (
            f"{method} was a notification. To send it as a call with an id, press {send}. "
            f"To send it without an id, use “{SEND_NOTIFICATION}” in the command palette."
        )


def _path(typed: str) -> Path:
    return Path(os.path.expanduser(typed.strip())).absolute()  # noqa: PTH111 - Path's own raises without a home
