"""The profiles screen: choose a server, see what is known of it, change it in its file, test the way to it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widget import Widget

from rpcexplorer.client.report import Check
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.problem import told
from rpcexplorer.model.profile import Profile
from rpcexplorer.text.profile import auth_words, broken_page, profile_page
from rpcexplorer.tui.commands import Scope, bindings
from rpcexplorer.tui.dialogs.answer_once import AnswersOnce
from rpcexplorer.tui.dialogs.login import secrets
from rpcexplorer.tui.dialogs.picker import Pick, Picker
from rpcexplorer.tui.pending_keys import PendingKeys, opens
from rpcexplorer.tui.profiles.changes import added, duplicated, edited, make_default, removed
from rpcexplorer.tui.profiles.files import homes_of
from rpcexplorer.tui.profiles.list import ProfileList, ProfileRow
from rpcexplorer.tui.profiles.testing import tested
from rpcexplorer.tui.sizes import NARROW
from rpcexplorer.tui.terminal.clipboard import copy
from rpcexplorer.tui.widgets.bar import Bar
from rpcexplorer.tui.widgets.footer import Footer
from rpcexplorer.tui.widgets.header import Header
from rpcexplorer.tui.widgets.row_list import RowList
from rpcexplorer.tui.widgets.sheet import Sheet

TOLD: Final = 20
"""Things wrong with a profile that its page says."""


class ProfilesScreen(AnswersOnce[bool], Screen[bool]):
    """List and page. It is dismissed with True where a profile was chosen; the explorer then uses it.

    Where none is in use (it was removed, or none was ever chosen), one must be chosen before it can be left.
    """

    DEFAULT_CSS = """
    ProfilesScreen { background: $background; color: $text; layout: vertical; overflow: hidden; }
    ProfilesScreen.-prod { border-left: outer $prod; border-right: outer $prod; }
    ProfilesScreen #list { width: 55%; max-width: 84; border-right: solid $line; }
    ProfilesScreen #page { width: 1fr; }
    ProfilesScreen #columns { height: 1fr; }
    ProfilesScreen.-narrow #columns { layout: vertical; }
    ProfilesScreen.-narrow #list { width: 1fr; max-width: 100%; height: auto; max-height: 45%; border-right: none; }
    ProfilesScreen.-narrow ProfileList { height: auto; max-height: 100%; }
    ProfilesScreen.-narrow #page { height: 1fr; }
    ProfilesScreen Sheet { height: 1fr; }
    """
    scope: ClassVar[Scope] = "profiles"
    BINDINGS: ClassVar[list[BindingType]] = bindings("profiles")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (NARROW, "-wide")]  # noqa: RUF012 - Textual's own declaration

    def __init__(
        self,
        explorer: Explorer,
        pending: PendingKeys | None = None,
        *,
        adding: bool = False,
        header: Widget | None = None,
        footer: Widget | None = None,
    ) -> None:
        """``adding``: start with the form for a new profile."""
        super().__init__()
        self.explorer = explorer
        self.pending = pending or PendingKeys()
        self._adding, self._header, self._footer = adding, header, footer
        self._list, self._sheet = ProfileList(), Sheet()
        self._list_bar, self._page_bar = Bar(), Bar()
        self._tested: dict[str, tuple[Profile, Sequence[Check]]] = {}
        """What a test came to, and of which values: an edited profile is another one."""

    def compose(self) -> ComposeResult:
        if self._header is not None:
            yield self._header
        with Horizontal(id="columns"):
            with Vertical(id="list"):
                yield self._list_bar
                yield self._list
            with Vertical(id="page"):
                yield self._page_bar
                yield self._sheet
        if self._footer is not None:
            yield self._footer

    def on_mount(self) -> None:
        self._fill(self.explorer.profile.name if self.explorer.profile else "")
        self.set_focus(self._list)
        if self._adding:
            self.action_add()

    def on_resize(self) -> None:
        """One below the other, the two are told apart by a bar."""
        self._page_bar.set_class(self.app.size.width < NARROW, "-tinted")

    # --- showing -----------------------------------------------------------------------------------------------

    @property
    def _row(self) -> ProfileRow | None:
        return self._list.chosen

    @property
    def _must_choose(self) -> bool:
        """No profile is in use, and there is one that can be."""
        return self.explorer.profile is None and bool(self.explorer.profiles.profiles)

    def _fill(self, on: str = "") -> None:
        """The profiles as the files have them now, the cursor on one of them, or where it was."""
        found, shown = self.explorer.profiles, self._list
        on = on or (self._row.name if self._row else "")
        rows = [self._made(name, found.profiles.get(name)) for name in sorted(found.leaves)]
        shown.refused = found.refused is not None
        shown.items = rows
        shown.cursor = next((at for at, row in enumerate(rows) if row.name == on), shown.cursor)
        wish = [("   choose the one to use", "careful bold")] if self._must_choose else []
        self._list_bar.words = [("Profiles", "bold"), (f"  {len(rows)}", "dim"), *wish]
        self._frame()
        self._show()

    def _made(self, name: str, profile: Profile | None) -> ProfileRow:
        used = self.explorer.profile
        return ProfileRow(
            name, profile, used is not None and used.name == name, self._auth(profile, short=True) if profile else ()
        )

    def _auth(self, profile: Profile, *, short: bool = False) -> Sequence[tuple[str, str]]:
        known = self.explorer.credentials
        now, rejected = datetime.now(UTC), known.is_rejected(profile)
        return auth_words(profile, known.state(profile), known.since(profile), now, rejected=rejected, short=short)

    def _frame(self) -> None:
        """Header, footer and the line at the edge belong to the profile in use, which may have been edited."""
        used = self.explorer.profile
        is_prod = used is not None and used.badge == "prod"
        self.set_class(is_prod, "-prod")
        for header in self.query(Header):
            header.profile, header.auth = used, self._auth(used) if used else ()
        for footer in self.query(Footer):
            footer.prod = is_prod

    def _show(self) -> None:
        """The page of the profile under the cursor."""
        row, bar, sheet = self._row, self._page_bar, self._sheet
        default = row is not None and row.name == self.explorer.profiles.default
        bar.words = [(row.name, "bold"), ("  default" if default else "", "middle")] if row else []
        refused = self.explorer.profiles.refused
        sheet.lines = self._page(row) if row else broken_page((), [str(refused)]) if refused else []
        self.refresh_bindings()

    def _page(self, row: ProfileRow) -> list[list[tuple[str, str]]]:
        profiles = self.explorer.profiles
        homes = [(each.file, each.audience) for each in homes_of(self.explorer, row.name)]
        if row.profile is None:
            return broken_page(homes, told([each for each in profiles.complaints if each.profile == row.name], TOLD))
        state, rows = self.explorer.credentials.state(row.profile), profiles.rows(row.profile)
        return profile_page(row.profile, state, rows, homes, self._steps(row.profile))

    def _steps(self, profile: Profile) -> Sequence[Check]:
        """What a test of exactly these values came to."""
        of, steps = self._tested.get(profile.name, (None, ()))
        return steps if of == profile else ()

    @on(RowList.CursorMoved)
    def _moved(self) -> None:
        self._show()
        self._sheet.scroll_home(animate=False)

    @on(RowList.RowChosen)
    def _chosen(self, event: RowList.RowChosen) -> None:
        self._use(event.item)

    def on_descendant_focus(self) -> None:
        for pane in self.query("#list, #page"):
            pane.query_one(Bar).here = pane.has_focus_within

    # --- actions -----------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        row = self._row if self.is_mounted else None
        profile = row.profile if row else None
        if action in {"use", "default", "edit", "remove", "duplicate", "copy", "test"}:
            return profile is not None
        if action == "secrets":
            return profile is not None and bool(profile.secrets)
        if action == "close":
            return not self._must_choose
        return True

    @opens("find")
    async def action_search(self) -> None:
        rows = self._list.items
        picks = [Pick(row.name, row.name, row.profile.url if row.profile else "cannot be used") for row in rows]
        if found := await self.app.push_screen_wait(Picker("Profiles", picks, on=self._row.name if self._row else "")):
            self._fill(found)

    @work(exclusive=True, group="copy")
    async def action_copy(self) -> None:
        if self._row is not None and self._row.profile is not None:
            await copy(self, self._row.profile.endpoint, "the URL")

    def action_close(self) -> None:
        """Back; the profile in use stays."""
        self.dismiss(False)

    def action_use(self) -> None:
        self._use(self._row)

    def _use(self, row: ProfileRow | None) -> None:
        if row is not None and row.profile is not None:
            self.explorer.use(row.name)
            self.explorer.remembered.profile = row.name
            self.dismiss(True)

    def action_default(self) -> None:
        if self._row is not None:
            make_default(self, self.explorer, self._row.name)
            self._fill()

    @opens("edit")
    async def action_add(self) -> None:
        """A form for a new one. Where somebody came for that alone and left it, there is nothing else to do here."""
        name, is_tested = await added(self, self.explorer)
        if not name and self._adding and not self.explorer.profiles.leaves:
            self.dismiss(False)
            return
        self._adding = False
        self._fill(name)
        if is_tested and self._row is not None and self._row.profile is not None:
            await self._test(self._row.profile)

    @opens("edit")
    async def action_edit(self) -> None:
        if (
            self._row is not None
            and self._row.profile is not None
            and await edited(self, self.explorer, self._row.profile)
        ):
            self._fill()

    @opens("edit")
    async def action_duplicate(self) -> None:
        if self._row is not None:
            self._fill(await duplicated(self, self.explorer, self._row.name))

    @opens("edit")
    async def action_remove(self) -> None:
        """Take it out of its files, and forget its secrets; asks first."""
        if self._row is not None and self._row.profile is not None:
            await removed(self, self.explorer, self._row.profile)
            self._fill()

    @opens("edit")
    async def action_secrets(self) -> None:
        if self._row is not None and self._row.profile is not None:
            await secrets(self, self.explorer, self._row.profile)
            self._fill()

    @opens("test")
    async def action_test(self) -> None:
        if self._row is not None and self._row.profile is not None:
            await self._test(self._row.profile)

    async def _test(self, profile: Profile) -> None:
        """Test the way to it; where what is proposed was done, it is used from now on."""
        found = await tested(self, self.explorer, profile)
        if found.checks:
            self._tested[found.profile.name] = (found.profile, found.checks)
        self._fill(found.name)
        if found.name:
            self._use(self._row)
