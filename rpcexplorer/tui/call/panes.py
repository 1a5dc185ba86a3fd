"""The panes of the call screen, and what each of them shows: it is set on the screen, and bound to the panes.

How they share the room is ``layout.py``'s; what they show is for ``drafting.py`` to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.reactive import reactive
from textual.screen import Screen

from rpcexplorer.model.exchange import Exchange, Preview, Refused
from rpcexplorer.model.method import Described, Method
from rpcexplorer.model.problem import Checked
from rpcexplorer.model.profile import Profile
from rpcexplorer.text.exchange import WordLine
from rpcexplorer.tui.call.methods import MethodsPane
from rpcexplorer.tui.call.params import ParamsPane
from rpcexplorer.tui.call.response import ResponsePane
from rpcexplorer.tui.commands import first_key
from rpcexplorer.tui.widgets.bars import Footer, Header
from rpcexplorer.variables.references import Offered

if TYPE_CHECKING:
    from rpcexplorer.schema.complete import Completion

FIRST_STEPS: Final = (
    ("focus.methods", " chooses a method, "),
    ("focus.params", " goes to its params, "),
    ("send", " sends the call."),
)
"""What is said before there is any reply: commands and what they do."""


class CallPanes(Screen[None]):
    """Header, three panes, footer."""

    profile: reactive[Profile | None] = reactive[Profile | None](None, init=False, repaint=False)
    """The profile in use."""
    is_prod: reactive[bool] = reactive(False, init=False, repaint=False, toggle_class="-prod")
    """What is called may matter to many: the whole screen says so."""
    empty_params: reactive[str] = reactive("[]", init=False, repaint=False)
    """What is sent where no params are typed, as the profile says it."""
    auth: reactive[Sequence[tuple[str, str]]] = reactive[Sequence[tuple[str, str]]]((), init=False, repaint=False)
    """How the profile is logged in, or what it lacks."""
    trouble: reactive[str] = reactive("", init=False, repaint=False)
    """What could not be kept or read, in a few words."""
    known: reactive[Mapping[str, Method]] = reactive[Mapping[str, Method]]({}, init=False, repaint=False)
    """The methods that are known, by name."""
    pinned: reactive[Sequence[str]] = reactive[Sequence[str]]((), init=False, repaint=False)
    """Those that are kept at the top."""
    recent: reactive[Sequence[Exchange]] = reactive[Sequence[Exchange]]((), init=False, repaint=False)
    """The newest calls, the latest first."""
    discovered_at: reactive[datetime | None] = reactive[datetime | None](None, init=False, repaint=False)
    """When the service was asked which methods it has."""
    method: reactive[str] = reactive("", init=False, repaint=False)
    """What is chosen in the list for the editor: a method, or a saved call with its sign."""
    called: reactive[str] = reactive("", init=False, repaint=False)
    """The method that what stands in the editor calls."""
    described: reactive[Described | None] = reactive[Described | None](
        None, init=False, repaint=False, always_update=True
    )
    """All that is known of that method; None where nobody has told of it. It is never compared: it may be large."""
    preview: reactive[Preview | Refused | None] = reactive[Preview | Refused | None](None, init=False, repaint=False)
    """The request to come, or why there would be none."""
    exchange: reactive[Exchange | None] = reactive[Exchange | None](None, init=False, repaint=False, always_update=True)
    """The exchange on view."""
    hint: reactive[WordLine] = reactive[WordLine]([], init=False, repaint=False)
    """What may help, where the exchange on view has failed just now; empty where nobody knows."""
    schema_remark: reactive[str] = reactive("", init=False, repaint=False)
    """What its schema has against the result on view."""
    what: reactive[str] = reactive("", init=False, repaint=False)
    """What is under way, in a word; empty where nothing is."""
    whose: reactive[str] = reactive("", init=False, repaint=False)
    """The method that is being called, while one is."""

    def __init__(self, keymap: Mapping[str, str]) -> None:
        super().__init__()
        self._keymap = keymap
        self.header = Header()
        """The line at the top."""
        self.methods = MethodsPane(key=self.key("focus.methods"), recent_key=self.key("history"))
        """The pane at the left."""
        self.params = ParamsPane(
            key=self.key("focus.params"),
            names=self.offered_names,
            complete=self.complete_params,
            hint=self.hint_params,
            check=self.check_params,
        )
        """The pane above."""
        self.response = ResponsePane(
            key=self.key("focus.response"), cancel_key=self.key("cancel"), first_steps=self.steps_of()
        )
        """The pane below."""

    def compose(self) -> ComposeResult:
        here = CallPanes
        yield self.header.data_bind(here.profile, here.auth, here.trouble)
        with Horizontal(id="panes"):
            yield self.methods.data_bind(here.pinned, here.recent, methods=here.known, current=here.method)
            with Vertical(id="right"):
                yield self.params.data_bind(here.preview, here.described, empty=here.empty_params)
                yield self.response.data_bind(
                    here.exchange, here.hint, here.schema_remark, here.what, here.whose, method=here.called
                )
        yield Footer().data_bind(prod=here.is_prod)

    def key(self, command: str) -> str:
        return first_key(command, self._keymap)

    def offered_names(self) -> Sequence[Offered]:
        """What could stand between double braces in the params."""
        return ()

    def complete_params(self, text: str, offset: int) -> Completion | None:  # noqa: ARG002
        """What could stand at an offset of a text of params."""
        return None

    def hint_params(self, text: str, offset: int) -> str:  # noqa: ARG002
        """What belongs at an offset of a text of params, and what comes next."""
        return ""

    async def check_params(self, described: Described, text: str) -> Checked:  # noqa: ARG002
        """What the schemas of the method in the editor have against a text of params."""
        return Checked()

    def steps_of(self, profile: Profile | None = None) -> list[list[tuple[str, str]]]:
        """What is said before there is any reply; also how to learn of a server that was not asked, or is not known."""
        steps = [part for id, words in FIRST_STEPS for part in ((self.key(id), "bold"), (words, "dim"))]
        lines = [[("      ", "text"), *steps], [("      The reply appears here.", "dim")]]
        further = []
        if profile is not None and self.discovered_at is None:
            further.append(("discover", " asks the server which methods it has."))
        if profile is not None and profile.ad_hoc:
            further.append(("test", " tests this address, and says first what it calls."))
        for id, words in further:
            lines += [[], [("      ", "text"), (self.key(id) or "The palette", "bold"), (words, "dim")]]
        return lines

    def header_copy(self) -> Header:
        """A header like this one, for a screen that opens over it."""
        header = Header()
        header.set_reactive(Header.profile, self.profile)
        header.set_reactive(Header.auth, self.auth)
        header.set_reactive(Header.trouble, self.trouble)
        return header
