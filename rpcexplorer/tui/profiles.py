"""The profiles screen and the welcome screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar, Final

from msgspec import Struct, to_builtins
from textual import on, work
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.strip import Strip
from textual.widgets import Static

from rpcexplorer.auth.registry import with_usual_auth
from rpcexplorer.client.report import Check
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.problem import Problem, first_few, joined_words
from rpcexplorer.model.profile import SCHEMES, Profile, ad_hoc, scheme_of, split_address, with_scheme
from rpcexplorer.model.secret import FIELD_WORDS
from rpcexplorer.text.columns import Cell, Column, arranged
from rpcexplorer.text.printable import clipped, columns
from rpcexplorer.text.profile import auth_words, broken_page, profile_page
from rpcexplorer.tui.browser import Browser, Detail
from rpcexplorer.tui.commands import first_key
from rpcexplorer.tui.connection_test import run_connection_test
from rpcexplorer.tui.dialogs import secrets, warn_about
from rpcexplorer.tui.key_queue import PendingKeys, opens
from rpcexplorer.tui.processes import copy
from rpcexplorer.tui.profile_form import (
    ProfileForm,
    add_profile,
    address_values,
    calls_go_to,
    changes_of,
    edit_profile,
    fields_of,
    homes_for,
    homes_of,
    overruled,
    path_for,
    problem_after_reload,
    with_path,
    wrong_address,
    wrong_name,
    wrong_of,
)
from rpcexplorer.tui.theme import NARROW, ThemeStyles, line
from rpcexplorer.tui.widgets.bars import BADGES, Footer, Frame, Header
from rpcexplorer.tui.widgets.dialog import Caution, Choice, Confirm, Field, Form, Wrong, plain
from rpcexplorer.tui.widgets.full_screen import AnswersOnce
from rpcexplorer.tui.widgets.inputs import Entry
from rpcexplorer.tui.widgets.picker import Pick, Picker
from rpcexplorer.tui.widgets.rows import ItemList, RowList


class ProfileRow(Struct, frozen=True):
    """A profile; None if it cannot be used."""

    name: str
    profile: Profile | None
    in_use: bool
    auth: Sequence[tuple[str, str]]
    """The state of its credentials."""

    @property
    def address(self) -> str:
        """The URL; of a process, its words."""
        if self.profile is None:
            return ""
        return self.profile.endpoint if self.profile.command else self.profile.url


class ProfileList(ItemList[ProfileRow]):
    """All profiles. A double click on a row chooses it."""

    DEFAULT_CSS = "ProfileList { min-height: 2; }"
    CLICK_CHOOSES = False

    def __init__(self) -> None:
        super().__init__(key=lambda row: row.name)

    def columns_of(self, rows: Sequence[ProfileRow]) -> list[Column[ProfileRow]]:
        badges = max((columns(row.profile.badge) for row in rows if row.profile), default=0)
        badge = Column(self._badge, width=min(badges, 10), right=True)
        return [
            Column(self._mark, width=2, gap=1),
            Column(self._profile_name, most=28, share=3, least=4, gap=0),
            Column(fit=self._address, fills=True, least=12),
            Column(self._kind, right=True, drop=56),
            Column(lambda row: row.auth, most=26, share=2.5, least=2),
            *([badge] if badges else []),
            Column(width=1, gap=0),
        ]

    def draw(self, item: ProfileRow, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        if item.profile is not None:
            return super().draw(item, width, styles, chosen=chosen)
        name, _ = arranged(self.arrangement(width)[:2], item, width)
        words = [*name, ("  ! cannot be used", "careful")]
        return line(words, width, styles, ground="selection" if chosen else "background")

    def _mark(self, row: ProfileRow) -> Cell:
        return [("▸" if row.in_use else "", "text bold")]

    def _profile_name(self, row: ProfileRow) -> Cell:
        return [(row.name, "text bold" if row.in_use or row is self.chosen else "text")]

    def _address(self, row: ProfileRow, room: int) -> Cell:
        """Return the URL, without schemes if not all URLs fit."""
        assert row.profile is not None
        address = row.address
        if not row.profile.command and any(columns(other.profile.url) > room for other in self.items if other.profile):
            _, _, address = address.partition("://")
        return [(clipped(address, room), "middle")]

    def _kind(self, row: ProfileRow) -> Cell:
        assert row.profile is not None
        return [(f"{row.profile.auth.kind:<6}", "dim")]

    def _badge(self, row: ProfileRow) -> Cell:
        assert row.profile is not None
        return [(row.profile.badge_word, f"{BADGES.get(row.profile.badge, 'middle')} bold")]


MAX_PROBLEMS: Final = 20
LEARNED_KEYS: Final = ("accept", "envelope", "id", "handshake", "framing")
"""Keys without a line in the form; a URL keeps those of its test."""


class ProfilesScreen(Browser[ProfileRow, bool], scope="profiles"):
    """The profiles, with a page for the current one.

    It answers True if a profile was chosen; the explorer then uses it. If no profile is in use, the user must choose
    one.
    """

    DEFAULT_CSS = """
    ProfilesScreen #main { max-width: 84; }
    ProfilesScreen.-narrow #main { max-width: 100%; height: auto; max-height: 45%; }
    ProfilesScreen.-narrow ProfileList { height: auto; max-height: 100%; }
    ProfilesScreen.-narrow.-low #detail { display: block; }
    """
    asks_for_profile: ClassVar[bool] = True

    def __init__(
        self, explorer: Explorer, pending: PendingKeys, frame: Frame, *, adding: bool = False, back: bool = False
    ) -> None:
        """``adding``: start with the form for a new profile.

        ``back``: the screen can be closed without a choice.
        """
        self._profiles = ProfileList()
        super().__init__(self._profiles, pending, frame)
        self.explorer, self._adding, self._back = explorer, adding, back
        self.is_added = False
        """The chosen profile is a new one."""
        self._tested: dict[str, tuple[Profile, Sequence[Check]]] = {}
        """Results of connection tests, with the tested version of the profile."""

    def on_mount(self) -> None:
        self._fill(self.explorer.profile.name if self.explorer.profile else "")
        if self._adding:
            self.action_add()

    def on_resize(self) -> None:
        """Tint the bar between the panes if one is below the other."""
        self.pane.bar.set_class(self.app.size.width < NARROW, "-tinted")

    @property
    def _profile(self) -> Profile | None:
        return self.row.profile if self.row is not None else None

    @property
    def _must_choose(self) -> bool:
        """Whether the user must choose: no profile is in use, but one can be."""
        return self.explorer.profile is None and bool(self.explorer.profiles.profiles)

    def _fill(self, on: str = "") -> None:
        """Show the profiles of the files, with the cursor on one of them."""
        found, used, shown = self.explorer.profiles, self.explorer.profile, self._profiles
        rows = []
        for name in sorted(found.leaves):
            profile = found.profiles.get(name)
            auth = self._auth(profile, short=True) if profile else ()
            rows.append(ProfileRow(name, profile, used is not None and used.name == name, auth))
        add = first_key("profiles.add", self.explorer.settings.keymap) or "^P"
        shown.empty = [[], [("   No profiles yet. Press ", "dim"), (add, "bold"), (" to add one.", "dim")]]
        if found.refused is not None:
            shown.empty = [[], [("   ! The profiles cannot be read.", "careful")]]
        shown.show(rows, shown.columns_of(rows))
        shown.cursor = next((at for at, row in enumerate(rows) if row.name == on), shown.cursor)
        words = [("Profiles", "bold"), (f"  {len(rows)}", "dim")]
        if self._must_choose:
            words.append(("   choose a profile to use", "careful bold"))
        self.bar.words = words
        self._show_used()
        self.show_detail()

    def _auth(self, profile: Profile, *, short: bool = False) -> Sequence[tuple[str, str]]:
        known = self.explorer.credentials
        now, rejected = datetime.now(UTC), known.is_rejected(profile)
        return auth_words(profile, known.state(profile), known.since(profile), now, rejected=rejected, short=short)

    def _show_used(self) -> None:
        """Update header, footer and edges for the profile in use."""
        used = self.explorer.profile
        is_prod = used is not None and used.badge == "prod"
        self.set_class(is_prod, "-prod")
        for header in self.query(Header):
            header.profile, header.auth = used, self._auth(used) if used else ()
        for footer in self.query(Footer):
            footer.prod = is_prod

    def detail(self, row: ProfileRow | None) -> Detail:
        profiles = self.explorer.profiles
        if row is None:
            return Detail(page=broken_page((), [str(profiles.refused)]) if profiles.refused else [])
        homes = [(file, label) for label, file in homes_of(self.explorer, row.name).items()]
        if row.profile is None:
            problems = [problem for problem in profiles.problems if problem.profile == row.name]
            page = broken_page(homes, first_few(problems, MAX_PROBLEMS))
        else:
            state, rows = self.explorer.credentials.state(row.profile), profiles.rows(row.profile)
            tested, steps = self._tested.get(row.name, (None, ()))
            page = profile_page(row.profile, state, rows, homes, steps if tested == row.profile else ())
        default = [("  default", "middle")] if row.name == profiles.default else ()
        return Detail([("Profile ", "dim"), (row.name, "bold")], default, page=page)

    def has(self, state: str) -> bool:
        profile = self._profile if self.is_mounted else None
        match state:
            case "usable":
                return profile is not None
            case "secrets":
                return profile is not None and bool(profile.secrets)
            case "profile":
                return self._back or not self._must_choose
        return super().has(state)

    @opens("find")
    async def action_search(self) -> None:
        picks = [Pick(row.name, row.name, row.address or "cannot be used") for row in self.list.items]
        found = await self.app.push_screen_wait(Picker("Profiles", picks, on=self.row.name if self.row else ""))
        if found:
            self._fill(found)

    @work(exclusive=True, group="copy")
    async def action_copy(self) -> None:
        if self._profile is not None:
            await copy(self, self._profile.endpoint, "the URL")

    action_use = Browser.action_open

    def choose(self, row: ProfileRow) -> None:
        if row.profile is not None:
            self.explorer.use(row.name)
            self.explorer.remember_profile()
            self.dismiss(True)

    def action_default(self) -> None:
        """Make this the default profile, and show which file was written."""
        if self.row is None:
            return
        name = self.row.name
        file = self.explorer.profiles.default_home(name, self.explorer.paths.user_sessions)
        problem, found = self.explorer.set_default(name, file), self.explorer.profiles
        if problem:
            self.notify(str(problem), severity="warning")
        elif found.default == name:
            self.notify(f"{name} is now the default profile, in {file}.")
        else:
            overrides = f"{found.default_source} overrides it. The default profile is {found.default}."
            self.notify(f"Saved in {file}, but {overrides}")
        self._fill()

    @opens("edit")
    async def action_add(self) -> None:
        """Open the form of a new profile, and use the profile.

        If the screen was opened only for that, it closes with the form.
        """
        explorer, before = self.explorer, self.explorer.profile
        typed_before = before if before is not None and before.ad_hoc else None
        presets = [found.preset for found in explorer.profiles.presets.all() if not found.problems]
        preset, learned = None, dict[str, Any]()
        if typed_before is not None:
            preset = next((known for known in presets if known.name == typed_before.preset), None)
            usual = preset.values if preset else Profile("", "")
            for key in LEARNED_KEYS:
                value = getattr(typed_before, key)
                if value != getattr(usual, key):
                    learned[key] = to_builtins(value)

        def save(typed: Mapping[str, str]) -> Wrong | None:
            edits = explorer.edits(form.file(typed))
            wrong = add_profile(edits, typed, explorer.profiles.leaves, presets, learned)
            return wrong or problem_after_reload(explorer, typed["name"].strip())

        fields = fields_of(None, typed_before, presets=presets, preset=preset)
        known = explorer.profiles.leaves
        homes = homes_for(explorer)
        form = ProfileForm("Add a profile", homes, fields, save, presets=presets, preset=preset, known=known)
        typed = await self.app.push_screen_wait(form)
        if typed is None and self._adding and not explorer.profiles.leaves:
            self.dismiss(False)
            return
        self._adding = False
        self._fill(typed["name"].strip() if typed else "")
        if typed is None or self._profile is None:
            return
        self.is_added = True
        if form.is_tested:
            await self._test(self._profile)
        else:
            self.action_use()

    @opens("edit")
    async def action_edit(self) -> None:
        """Open the form of a profile, and warn about overridden values.

        The new values are saved first, and then the new name.
        """
        profile = self._profile
        if profile is None:
            return
        explorer, name, notices = self.explorer, profile.name, list[str]()

        def source(key: str) -> str:
            found = explorer.profiles.source_of(name, key)
            return "" if str(found) == "default" else found.file

        loaded = explorer.profiles.presets.load(profile.preset) if profile.preset else None
        preset = loaded.preset if loaded else None

        def save(filled: Mapping[str, str]) -> Wrong | None:
            new = filled["name"].strip()
            wrong = wrong_name(new, explorer.profiles.leaves.keys() - {name})
            if wrong:
                return wrong
            was = explorer.profiles.profiles.get(name, profile)
            typed = with_path(filled, path_for(preset, filled["url"]))
            changed = changes_of(was, typed, lambda key: bool(source(key)))
            accepted = {*changed, "path"} if "url" in changed else set(changed)
            with explorer.accepting(profile, accepted):
                edits, is_bare = explorer.edits(form.file(typed)), split_address(filled["url"])[1] is None
                wrong = edit_profile(edits, was, typed, source, is_bare=is_bare) or problem_after_reload(explorer, name)
            if wrong:
                return wrong
            for key, value in overruled(explorer.profiles.profiles[name], typed, changed):
                place = explorer.profiles.source_of(name, key)
                notices.append(f"Saved {key}, but {place} overrides it. The value stays {value or 'empty'}.")
            left = explorer.rename_profile(name, new) if new != name else []
            if isinstance(left, Problem):
                return Wrong(str(left), "name")
            notices.extend(f"{sentence}." for sentence in left)
            return None

        form = ProfileForm(f"Edit {name}", homes_for(explorer, name), fields_of(profile), save, preset=preset)
        typed = await self.app.push_screen_wait(form)
        for sentence in notices:
            self.notify(sentence, severity="warning", timeout=15)
        if typed is not None:
            await warn_about(self, explorer, form.file(typed))
            self._fill(typed["name"].strip())

    @opens("edit")
    async def action_duplicate(self) -> None:
        """Add a copy of a profile to the same files, without its secrets."""
        profile = self._profile
        if profile is None:
            return
        name, files = profile.name, self.explorer.profiles.files_of(profile.name)

        def save(typed: Mapping[str, str]) -> Wrong | None:
            copy = typed["name"].strip()
            wrong = wrong_name(copy, self.explorer.profiles.leaves)
            if wrong:
                return wrong
            for file in files:
                problem = self.explorer.edits(file).duplicate(name, copy)
                if problem:
                    return wrong_of(problem, typed)
            return problem_after_reload(self.explorer, copy)

        labels = [f"the {label}" for label in homes_of(self.explorer, name)]
        words = f"The copy will be saved in {joined_words(labels)}, without secrets."
        needed = [FIELD_WORDS.get(field, field) for field in profile.secrets if field != "session"]  # A login opens it.
        if needed:
            words += f" It needs its own {joined_words(needed)}."
        form = Form(f"Duplicate {name}", words, [Field("name", "new name", f"{name}-copy")], save)
        typed = await self.app.push_screen_wait(form)
        self._fill(typed["name"].strip() if typed else "")

    @opens("edit")
    async def action_remove(self) -> None:
        """Remove a profile from its files and its secrets, after a question."""
        profile = self._profile
        if profile is None:
            return
        name, files = profile.name, homes_of(self.explorer, profile.name)
        rows = [("profile", f"{name}  {profile.badge_word}".rstrip()), ("host", profile.origin)]
        rows.append(("file", "\n".join(f"{file}  ({label})" for label, file in files.items())))
        rows.append(("also", "Its stored secrets are removed. Its history stays."))
        question = Confirm(f"Remove {name}?", rows, [Choice("remove", "Remove")], caution=Caution.DELETION)
        if await self.app.push_screen_wait(question) == "remove":
            for problem in self.explorer.remove_profile(profile):
                self.notify(str(problem), severity="warning", timeout=10)
        self._fill()

    @opens("edit")
    async def action_secrets(self) -> None:
        if self._profile is not None:
            await secrets(self, self.explorer, self._profile, stores=True)
            self._fill()

    @opens("test")
    async def action_test(self) -> None:
        if self._profile is not None:
            await self._test(self._profile)

    @opens("test")
    async def action_test_url(self) -> None:
        await self._test(None)

    async def _test(self, profile: Profile | None) -> None:
        """Test the connection of a profile or a typed URL, and use the profile that was changed or added."""
        found = await run_connection_test(self, self.explorer, profile, is_listed=True)
        if found.checks:
            self._tested[found.profile.name] = (found.profile, found.checks)
        self._fill(found.name)
        if found.name:
            self.action_use()


class Way(Struct, frozen=True):
    id: str
    label: str
    words: str
    key: str


WAYS: Final = (
    Way("demo", "Try the demo service", "runs on this machine until you quit", "^T"),
    Way("add", "Add a profile", "name, URL and auth type of a server", "F7"),
    Way("test", "Test a connection", "finds out how to call a URL or a command", "Alt+t"),
    Way("quit", "Quit", "", "^Q"),
)


def profile_at(explorer: Explorer, address: str) -> Profile | Problem:
    """Return a profile for a typed URL, as ``rpcexplorer URL`` uses it."""
    made = explorer.profiles.changed(ad_hoc(address), tuple(address_values(address).items()))
    return with_usual_auth(made) if isinstance(made, Profile) else made


class Ways(RowList[Way]):
    DEFAULT_CSS = "Ways { height: 4; margin: 1 0; }"

    def draw(self, item: Way, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        chosen = chosen and self.has_focus
        role = "text bold" if chosen else "text"
        mark = " › "  # noqa: RUF001 - the sign is meant
        words = [(mark if chosen else "   ", role), (f"{item.label:<23}", role), (item.words, "middle")]
        ground = "selection" if chosen else "background"
        return line(words, width, styles, right=[(f" {item.key} ", "text bold")], ground=ground)

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def action_move(self, by: int) -> None:
        """Move the cursor, or go to the URL above the first row."""
        if by < 0 and self.cursor <= 0:
            self.screen.focus_previous()
        else:
            super().action_move(by)


class Welcome(AnswersOnce[str | Profile], Screen[str | Profile]):
    """The first screen; it answers a profile or the id of a choice."""

    DEFAULT_CSS = """
    Welcome { background: $background; color: $text; align: center middle; overflow: hidden; }
    Welcome > #page { width: 84; max-width: 96%; height: auto; max-height: 100%; overflow-x: hidden; }
    Welcome .title { text-style: bold; color: $accent; margin: 0 3 1 3; }
    Welcome .words { color: $middle; padding: 0 3; height: auto; }
    Welcome Entry, Welcome Entry:focus { margin: 1 3 0 3; background: $surface; }
    Welcome .meaning { padding: 0 4; height: auto; min-height: 1; color: $middle; }
    Welcome .meaning.-wrong { color: $wrong; }
    Welcome .problem { color: $careful; margin-top: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f7", "way('add')", show=False),
        Binding("ctrl+t", "way('demo')", show=False),
        Binding("alt+t", "way('test')", show=False),
        Binding("escape", "way('back')", show=False),
        Binding("down", "app.focus_next", show=False),
    ]
    asks_for_profile: ClassVar[bool] = True

    def __init__(
        self,
        problems: Sequence[str],
        profile_at: Callable[[str], Profile | Problem],
        *,
        back: bool = False,
    ) -> None:
        """``problems`` are those of the files of profiles.

        ``profile_at`` makes a profile for a URL. With ``back``, Esc answers ``back``.
        """
        super().__init__()
        self._problems, self._profile_at, self._back = problems, profile_at, back
        self._address = Entry(hint="http://127.0.0.1:8000/rpc", take=self._take)
        self._meaning = Static(classes="meaning")

    def compose(self) -> ComposeResult:
        yield Header()
        with VerticalScroll(id="page", can_focus=False):
            yield Static("Welcome to rpcexplorer", classes="title")
            yield Static("Type the URL of a JSON-RPC server, or choose below.", classes="words")
            yield self._address
            yield self._meaning
            yield Ways()
            for problem in self._problems:
                yield Static(plain(f"! {problem}"), classes="words problem")
        yield Footer()

    @property
    def typed(self) -> str:
        return self._address.value

    def on_mount(self) -> None:
        self.query_one(Ways).items = WAYS
        self.set_focus(self._address)

    def on_input_changed(self, event: Entry.Changed) -> None:
        """Show where calls would go; problems are shown after Enter."""
        event.stop()
        self._say(calls_go_to(event.value))

    def _say(self, words: str, *, wrong: bool = False) -> None:
        self._meaning.set_class(wrong, "-wrong")
        self._meaning.update(plain(words))

    def _take(self, typed: str) -> None:
        if not typed.strip():
            self._say("Type a URL first, such as http://127.0.0.1:8000/rpc.", wrong=True)
            return
        made = self._profile_at(typed)
        if isinstance(made, Profile):
            self.dismiss(made)
        else:
            has_scheme = scheme_of(with_scheme(typed.strip())) in SCHEMES
            change = " Change it, or press F7 to add a profile." if has_scheme else ""
            self._say(f"{wrong_address(typed, made)}{change}", wrong=True)

    @on(RowList.RowChosen)
    def _row_chosen(self, event: RowList.RowChosen) -> None:
        event.stop()
        self.dismiss(event.item.id)

    def action_way(self, way: str) -> None:
        if way == "back" and not self._back:
            raise SkipAction
        self.dismiss(way)
