"""The screen of the connection test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar, Final

from msgspec import Struct
from msgspec.structs import replace
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Static

from rpcexplorer.client.probe import Proposal
from rpcexplorer.client.report import Check, Report
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Stop
from rpcexplorer.model.problem import Changes, Problem
from rpcexplorer.model.profile import PATH, Profile, ad_hoc, typed_whole
from rpcexplorer.text.connection_test import certificate_rows, plan, profile_lines, steps_in_rows
from rpcexplorer.text.printable import clipped
from rpcexplorer.text.problems import rows_of
from rpcexplorer.text.profile import printable_url, step_line
from rpcexplorer.transport.port import ShownCertificate
from rpcexplorer.tui.commands import first_key
from rpcexplorer.tui.dialogs import LABELS, apply_changes, warn_about
from rpcexplorer.tui.profile_form import (
    NAME_HINT,
    address_values,
    homes_for,
    label_of,
    problem_after_reload,
    proposed_name,
    wrong_address,
    wrong_name,
    wrong_of,
)
from rpcexplorer.tui.widgets.dialog import (
    Answer,
    Answers,
    Caution,
    Choice,
    Confirm,
    Dialog,
    Field,
    Form,
    Wrong,
    keys,
    plain,
)
from rpcexplorer.tui.widgets.inputs import Entry
from rpcexplorer.tui.widgets.rows import Sheet, SheetLine

ROOM: Final = 28
"""Columns for the profile's name in a title."""


async def pin_certificate(
    screen: Screen[Any], explorer: Explorer, profile: Profile, shown: ShownCertificate, moved: Changes = ()
) -> bool:
    """Show a certificate, ask, and pin it; return whether it was pinned.

    ``moved``: a changed URL to save with it.
    """
    name, found = profile.name, shown.certificate.fingerprint
    file = explorer.profiles.default_home(name, explorer.paths.user_sessions)
    rows = [
        ("host", dict(moved).get("url", profile.origin)),
        *certificate_rows(shown, profile.certificate, datetime.now(UTC)),
        ("compare", "Ask the server's owner for the fingerprint in another way, and compare it."),
        ("file", f"{file}  ({label_of(explorer, file)})"),
    ]
    title = f"Pin this certificate for {clipped(name, ROOM)}, and send calls and credentials?"
    question = Confirm(title, rows, [Choice("pin", "Pin and send")], caution=Caution.EXPOSURE)
    if await screen.app.push_screen_wait(question) != "pin":
        return False
    if moved:
        moved_in = explorer.profiles.change_home(name, explorer.paths.user_sessions)
        problem = explorer.apply(profile, moved, moved_in)
        if problem:
            screen.notify(str(problem), severity="warning", timeout=10)
            return False
        profile = explorer.profiles.profiles[name]

    problem = explorer.apply(profile, (("certificate", found),), file, {"certificate"})
    if problem:
        screen.notify(str(problem), severity="warning", timeout=10)
        return False
    words = f"Pinned the certificate of {name} in {file}."
    if explorer.profiles.profiles[name].certificate != found:
        words = f"Saved the certificate in {file}, but {explorer.profiles.source_of(name, 'certificate')} overrides it."
    screen.notify(words, timeout=10)
    await warn_about(screen, explorer, file)
    return True


NEW: Final = "…"
"""The name of a profile that does not exist yet."""
APART: Final = 7
"""Lines of a low screen around the page."""
URL_HINT: Final = "https://rpc.example.com, tcp://HOST:PORT or stdio:COMMAND"
FIELD: Final = 2
"""Lines for the field with another URL."""


class ConnectionTestOutcome(Struct, frozen=True):
    profile: Profile
    """The profile that was tested last."""
    checks: Sequence[Check] = ()
    name: str = ""
    """The profile that was added or changed; "" if none."""


async def run_connection_test(
    screen: Screen[Any], explorer: Explorer, profile: Profile | None, *, typed: str = "", is_listed: bool = False
) -> ConnectionTestOutcome:
    """Open the connection test, and apply its suggestion if wanted.

    Without ``profile``, the user types what to test; ``typed`` is the beginning. ``is_listed``: the test closes to the
    list of profiles, not to the call.
    """
    profile = profile or ad_hoc("")
    dialog = ConnectionTest(explorer, profile, typed=typed, is_listed=is_listed)
    wish = await screen.app.push_screen_wait(dialog)
    report = dialog.report
    if profile.ad_hoc:
        profile = dialog.profile
    proposal, shown = report.proposal, report.certificate
    result = ConnectionTestOutcome(profile, report.checks if dialog.profile == profile else ())
    if wish is None or proposal is None:
        return result
    if profile.ad_hoc:
        name = await _save_as_profile(screen, explorer, profile, proposal)
    elif shown and proposal.trusts:
        moved = tuple(change for change in proposal.changes if change[0] != "certificate")
        name = profile.name if await pin_certificate(screen, explorer, profile, shown, moved) else ""
    else:
        file = explorer.profiles.change_home(profile.name, explorer.paths.user_sessions)
        filled_in = {key for key, _ in proposal.changes} - explorer.profiles.chosen(profile)
        overruled = await apply_changes(screen, explorer, profile, proposal.changes, file, seen=filled_in)
        name = "" if overruled is None else profile.name
    profile = explorer.profiles.profiles.get(name, profile)
    if name and proposal.trusts:  # With the certificate pinned, the test can go on.
        return await run_connection_test(screen, explorer, profile, is_listed=is_listed)
    return replace(result, name=name)


class ConnectionTest(Dialog[str]):
    """The connection test. It answers ``save`` to apply the suggestion."""

    manual_pane = "connection test"
    has_action = False

    DEFAULT_CSS = """
    ConnectionTest Sheet { height: 12; }
    ConnectionTest .hint { margin-top: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "scroll(-1)", show=False, priority=True),
        Binding("down", "scroll(1)", show=False, priority=True),
    ]

    def __init__(self, explorer: Explorer, profile: Profile, *, typed: str = "", is_listed: bool = False) -> None:
        """Prepare to test a profile, or, if it has no URL, what the user types."""
        super().__init__("Connection test")
        self._explorer, self._profile, self._is_listed = explorer, profile, is_listed
        self._typed = typed
        self.profile = profile
        """The tested profile, with the URL that was typed last."""
        self._moved: Changes = ()
        self._stop: Stop | None = None
        """Stops the running test."""
        self.report = Report()
        self._page = Sheet()

    def content(self) -> ComposeResult:
        yield self._page
        profile, address = self._profile, self._typed
        if profile.url:
            is_bare = profile.ad_hoc and profile.path == PATH
            address = profile.url if is_bare else typed_whole(profile.endpoint)
            if printable_url(address) != address:  # A secret in it is not drawn.
                address = ""
        yield Entry(address, hint=URL_HINT, classes="alone", id="address")
        with Answers():
            yield Answer("Begin", id="begin")
            yield Answer("Test this URL", id="again")
            yield Answer("Save", id="save")
            yield Answer("Close", id="leave")
            yield Answer("Pin this certificate", grave=True, id="pin")
        yield Static(classes="hint")

    def on_mount(self) -> None:
        self._show()

    def on_resize(self) -> None:
        height = self.app.size.height
        room = height - APART if height < 26 else min(height * 9 // 10 - 8, 22)
        if self._asks_for_address:
            room -= FIELD
        self._page.styles.height = room

    @property
    def _is_over(self) -> bool:
        return self._stop is None and bool(self.report.checks)

    @property
    def _asks_for_address(self) -> bool:
        if self._profile.url:
            return self._is_over and bool(self.report.advice)
        return self._stop is None and not self._is_offered

    @property
    def _is_offered(self) -> bool:
        proposal = self.report.proposal
        return self._is_over and proposal is not None and (self._profile.ad_hoc or bool(proposal.changes))

    def _show(self) -> None:
        self._page.lines = self._hidden(self._lines())
        proposal = self.report.proposal if self._is_offered else None
        trusts = proposal is not None and proposal.trusts
        # The form of a new profile asks for a missing auth type.
        saves = proposal is not None and not trusts and not (self._profile.ad_hoc and proposal.lacks_auth)
        begun = bool(self.report.checks) or self._stop is not None or not self._profile.url
        tested, is_moved = self.profile, self.profile.endpoint != self._profile.endpoint
        name = tested.name
        if tested.ad_hoc or is_moved:
            name = tested.url if tested.path == PATH else printable_url(tested.endpoint)
        self.query_one(".title", Static).update(plain(f"Connection test: {name}" if name else "Connection test"))
        asks = self._asks_for_address
        shown = {"begin": not begun, "again": asks, "save": saves, "pin": trusts, "leave": True}
        field = self.query_one("#address", Entry)
        field.display = asks
        self.on_resize()
        for answer in self.query(Answer):
            answer.display = self._stop is None and shown[answer.id or ""]
        answers = [answer for answer in self.query(Answer) if answer.display]
        self.set_focus(field if asks else next(iter(answers), None))
        hints = ["↑↓", "scroll"]
        if asks:
            hints += ["Enter", "test this URL"]
        hints += ["Esc", "stop the test" if self._stop else "close"]
        self.query_one(".hint", Static).update(keys(*hints))

    def _hidden(self, lines: list[SheetLine]) -> list[SheetLine]:
        hide = self._explorer.redactor().text
        return [[(hide(text), role) for text, role in line] for line in lines]

    def _lines(self) -> list[SheetLine]:
        if self._stop is None and not self.report.checks:
            return [[(self._plan(), "text")]]
        lines: list[SheetLine] = []
        for row in steps_in_rows(self.report, self.profile, datetime.now(UTC)):
            if isinstance(row, Check):
                lines.append(step_line(row))
            else:
                lines.append([(f"   {row[0]:<16} ", "dim"), (row[1], "middle")])
        if self._stop is not None:
            step = self.report.under_way or "connecting to the server"
            return [*lines, [(" ◐ ", "careful"), (f"{step} …", "middle")]]
        proposal = self.report.proposal
        if proposal is not None and self._is_offered:
            return [*lines, [], *self._proposed(proposal)]
        if self.report.advice:
            return [*lines, [], [(f" {self.report.advice}", "text")]]
        is_right = all(check.state in {"well", "skipped"} for check in self.report.checks)
        if proposal is None and not is_right:
            checked = "command" if self.profile.command else "URL and the server"
            words = f" No suggestions. Press Esc, check the {checked}, then test again."
            if self._asks_for_address:
                words = f" No suggestions. Check the {checked}, then test again."
        elif proposal is not None and proposal.lacks_auth:
            profiles, edit = self._key("profiles"), self._key("profiles.edit")
            words = f" Only the auth type must change. To set it, press Esc, {profiles}, then {edit}."
        elif self._is_listed:
            words = f" The profile needs no changes. Press Esc, then {self._key('profiles.use')} to use it."
        else:
            words = f" The profile needs no changes. Press Esc, then {self._key('send')} to send a call."
        return [*lines, [], [(words, "dim")]]

    def _plan(self) -> str:
        """Return what the test will send; without a URL, what to type."""
        profile: Profile | Problem = self._profile
        if not self._profile.url:
            profile = self._made_from(self.query_one("#address", Entry).value)
        if isinstance(profile, Problem):
            return "Type the URL of a server, or stdio: and a command. The test finds out how to call it."
        return plan(profile, self._explorer.profiles.usable_presets())

    def on_input_changed(self, event: Entry.Changed) -> None:
        """Show the plan for the typed URL."""
        event.stop()
        if not self.report.checks:
            self._page.lines = self._hidden(self._lines())

    def _key(self, command: str) -> str:
        return first_key(command, self._explorer.settings.keymap)

    def _proposed(self, proposal: Proposal) -> list[SheetLine]:
        if self._profile.ad_hoc:
            title, *shown = " Suggested profile:", *profile_lines(NEW, *proposal.made_from(self.profile))
            if proposal.lacks_auth:
                title = " Suggested profile without an auth type:"
                profiles, add = self._key("profiles"), self._key("profiles.add")
                shown.append(f"To choose an auth type, press Esc, {profiles}, then {add}.")
            lines: list[SheetLine] = [[(title, "text bold")], *([(f"   {line}", "text")] for line in shown)]
        else:
            file = self._explorer.profiles.change_home(self._profile.name, self._explorer.paths.user_sessions)
            lines = [[(f" Suggested changes to {file}:", "text bold")]]
            for key, change in rows_of(self._profile, proposal.changes):
                lines.append([(f"   {key:<13} ", "dim"), (change, "text")])
        known = self._explorer.credentials.is_known
        missing = [field for field in proposal.secrets if field != "session" and not known(self.profile, field)]
        if missing and not proposal.lacks_auth and not proposal.trusts:
            names = " and ".join(LABELS.get(field, field) for field in missing)
            lines += [[], [(f" Save, then send a call: rpcexplorer asks for the {names}.", "dim")]]
        return lines

    def answered(self, answer: str) -> None:
        match answer:
            case "begin":
                self._begin()
            case "again":
                self._move(self.query_one("#address", Entry).value)
            case "save" | "pin":
                self.dismiss("save")
            case _:
                self.action_leave()

    @on(Entry.Submitted)
    def _address_submitted(self, event: Entry.Submitted) -> None:
        event.stop()
        self._move(event.value)

    def _made_from(self, address: str) -> Profile | Problem:
        """Return the profile with another URL."""
        before = ad_hoc(address) if self._profile.ad_hoc else self._profile
        return self._explorer.profiles.changed(before, tuple(address_values(address).items()))

    def _move(self, address: str) -> None:
        made = self._made_from(address)
        if isinstance(made, Problem):
            self.notify(wrong_address(address, made), severity="warning")
            return
        self.profile, self.report = made, Report()
        self._moved = ()
        if not self._profile.ad_hoc:
            moved = address_values(address).items()
            self._moved = tuple((key, value) for key, value in moved if getattr(self._profile, key) != value)
        self._begin()

    @work(exclusive=True, group="test")
    async def _begin(self) -> None:
        self._stop = Stop()
        self._show()
        try:
            report = await self._explorer.test(self.profile, show=self._show_report, stop=self._stop)
        finally:
            self._stop = None
        proposal = report.proposal
        if proposal is not None:
            moved = tuple(change for change in self._moved if change[0] not in proposal.values)
            report = replace(report, proposal=replace(proposal, changes=(*moved, *proposal.changes)))
        self.report = report
        self._show()
        self._page.scroll_end(animate=False)  # The suggestion is at the end.

    def _show_report(self, report: Report) -> None:
        """Show the steps so far, unless the screen was closed."""
        if self._stop is not None and self.is_mounted:
            self.report = report
            self._show()

    def action_scroll(self, by: int) -> None:
        self._page.action_move(by)

    def action_leave(self) -> None:
        """Stop the running test, else close the screen."""
        if not self.interrupt():
            self.dismiss(None)

    def interrupt(self) -> bool:
        """Stop the running test; return whether one was running."""
        if self._stop is not None:
            self._stop.press()
        return self._stop is not None


async def _save_as_profile(screen: Screen[Any], explorer: Explorer, profile: Profile, proposal: Proposal) -> str:
    """Ask for a name and save the profile; return the name, or ""."""

    def save(typed: Mapping[str, str]) -> Wrong | None:
        name = typed["name"].strip()
        wrong = wrong_name(name, explorer.profiles.leaves)
        if wrong is not None:
            return wrong
        url, values = proposal.made_from(profile)
        auth = values.pop("auth", {})
        problem = explorer.edits(homes[typed.get("home", usual)]).add(name, url, auth=auth, **values)
        return wrong_of(problem, typed) if problem else problem_after_reload(explorer, name)

    homes = homes_for(explorer)
    usual = next(iter(homes))
    name = proposed_name(profile.url, proposal.preset.name if proposal.preset else "", explorer.profiles.leaves)
    fields = [Field("name", "name", name, NAME_HINT, required=True)]
    if len(homes) > 1:
        fields.append(Field("home", "file", usual, choices=list(homes)))
    files = " or ".join(f"the {label}" for label in homes)
    form = Form("Save as a profile", f"The profile will be saved in {files}.", fields, save)
    typed = await screen.app.push_screen_wait(form)
    return typed["name"].strip() if typed else ""
