"""A small app with our theme for one widget; it records messages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, tzinfo
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from textual.app import App, ComposeResult
from textual.filter import LineFilter
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.problem import Checked
from rpcexplorer.settings import load_theme
from rpcexplorer.tui.call.advice import Advice
from rpcexplorer.tui.call.response import ResponsePane
from rpcexplorer.tui.call.state import CallState
from rpcexplorer.tui.commands import first_key
from rpcexplorer.tui.key_queue import PendingKeys
from rpcexplorer.tui.terminal import Guard
from rpcexplorer.tui.theme import textual_theme
from rpcexplorer.tui.widgets.bars import Frame
from tests.tui.program import Running

THEMES = Path(__file__).parents[2] / "themes"


class Stage(App[None]):
    """An app that mounts a widget; ``heard`` are our messages that reach it."""

    ENABLE_COMMAND_PALETTE = False
    CSS = "Screen { background: $background; color: $text; layout: vertical; }"

    def __init__(self, *widgets: Widget, theme: str = "night") -> None:
        super().__init__()
        self._widgets = widgets
        self._theme_name = theme
        self.heard: list[Message] = []

    def get_line_filters(self) -> list[LineFilter]:
        return [*super().get_line_filters(), Guard()]

    def get_theme_variable_defaults(self) -> dict[str, str]:
        theme, _ = load_theme(THEMES / "night.toml")
        assert theme is not None
        return dict(textual_theme(theme).variables)

    def compose(self) -> ComposeResult:
        yield from self._widgets

    def on_mount(self) -> None:
        theme, problems = load_theme(THEMES / f"{self._theme_name}.toml")
        assert theme is not None, problems
        self.register_theme(textual_theme(theme))
        self.theme = theme.name

    def notify(self, message: str, **options: Any) -> None:
        """Show a notice without markup, like the app of the product."""
        super().notify(message, **options | {"markup": False})

    async def _on_message(self, message: Message) -> None:
        if type(message).__module__.startswith("rpcexplorer."):
            self.heard.append(message)
        await super()._on_message(message)


class Staged(Running):
    """A stage that runs."""

    app: Stage

    def of(self, kind: type[Any]) -> list[Any]:
        """Return the messages of one class in their order."""
        return [message for message in self.app.heard if isinstance(message, kind)]


@asynccontextmanager
async def staged(*widgets: Widget, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Staged]:
    """Run an app for these widgets."""
    stage = Stage(*widgets)
    async with stage.run_test(size=size, notifications=True):
        yield Staged(stage)


class OneScreen(Running):
    """One screen or dialog of ours."""

    screen: Any
    answers: list[Any]
    """What it was closed with."""


Kind = TypeVar("Kind", bound=OneScreen)


@asynccontextmanager
async def showing(kind: type[Kind], screen: Screen[Any], size: tuple[int, int] = (120, 40)) -> AsyncIterator[Kind]:
    """Open a screen or dialog over an empty one."""
    stage = Stage()
    async with stage.run_test(size=size, notifications=True):
        program = kind(stage)
        program.screen, program.answers = screen, []
        stage.push_screen(screen, program.answers.append)
        await program.on(type(screen))
        yield program


def text_of(widget: Widget) -> str:
    """Return the text of a widget drawn line by line, without trailing blanks."""
    lines = (widget.render_line(y).text.rstrip() for y in range(widget.size.height))
    return "\n".join(lines).rstrip()


class FakeState(CallState):
    """The state of a call screen without the screen, for one of its panes."""

    def __init__(self, explorer: Any = None, zone: tzinfo = UTC) -> None:
        keymap = explorer.settings.keymap if explorer is not None else {}
        key = partial(first_key, keymap=keymap)
        vars(self).update(explorer=explorer, frame=Frame(zone=zone), key=key, pending=PendingKeys())


class FakeAdvice(Advice):
    """Advice that knows only the values of a test."""

    def __init__(self, **known: Callable[..., object]) -> None:
        async def check(*_: object) -> Checked:
            return Checked()

        nothing = {
            "key": partial(first_key, keymap={}),
            "names": tuple,
            "complete": lambda *_: None,
            "signature": lambda *_: "",
            "check": check,
            "preview": lambda *_: None,
        }
        vars(self).update(nothing | known)


def response_pane(explorer: Explorer) -> ResponsePane:
    """Return a response pane that needs no draft."""
    nothing: Any = None
    return ResponsePane(FakeState(explorer), nothing)
