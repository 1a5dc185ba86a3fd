"""Every screen with hostile text from every source: the written bytes.

Each layer of defence is also tried alone with the same table: the views are clean without the guard, and the guard
cleans the output of views that do not escape.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.fakes.terminal import KEYS
from tests.trust.all_sinks import (
    ALL,
    CARRIERS,
    HALF,
    PAYLOADS,
    Stream,
    Watched,
    in_json,
    plant,
    sayable,
    serving,
    spelled,
    spoil,
)

SIZE = (220, 44)
SHOWN = tuple(map(spelled, CARRIERS.values()))
QUOTED = tuple(map(in_json, CARRIERS.values()))
MEMBERS = tuple(f'"{text}": "' for text in (*QUOTED, in_json(HALF)))
MARKERS = re.compile(r"(?:aa|bb|cc|dd|ee)-|(?=\\)")
ALL_IN_JQ = json.dumps(ALL)[1:-1]


class Stop(NamedTuple):
    """A place on screen that shows text from outside."""

    sink: str
    """Empty for a step on the way that shows no such text."""
    keys: tuple[str, ...]
    """Names of keys, or letters."""
    wanted: tuple[str, ...] = ()
    """Texts that must be on screen."""
    gone: str = ""
    """A text that must have disappeared."""


NEXT_TAB = "\x0f"
"""``ctrl+o`` as a terminal sends it."""
CTRL_G = "\x07"
ALT_M, ALT_T = "\x1bm", "\x1bt"


def in_printf(text: str) -> str:
    """Return a text as an argument of the shell's printf, in ASCII letters."""
    return "".join(f"\\{byte:03o}" for byte in text.encode())


def each_method() -> Iterator[Stop]:
    """Yield the places that show the name of a method."""
    for name, text in CARRIERS.items():
        shown = spelled(text)
        yield Stop("title of the params", ("f2", f"{name}-", "enter"), (f"▌{shown}",))
        yield Stop("request tab", (NEXT_TAB,), (f'"method":"{in_json(text)}"', "POST"))
        yield Stop("curl tab", ("]",), ("curl http",))
        yield Stop("Python tab", ("]",), ("import httpx",))
        yield Stop("", (NEXT_TAB,), ("✓ valid",))
        yield Stop("docs", (ALT_M,), (f"│  {shown[:24]}", "no: rpcexplorer asks"))
        yield Stop("", (ALT_M,), gone="no: rpcexplorer asks")
        yield Stop("question before sending", ("f5",), ("Send once", f"method   {shown[:40]}"))
        yield Stop("", ("escape",), gone="Send once")


def send(what: str, *outcome: str, sink: str = "") -> Iterator[Stop]:
    """Yield the steps of a call whose method names the part with the payload."""
    yield Stop("", ("f2", f"say.{what}", "enter"), (f"▌say.{what}",))
    # the previous response can look the same
    done = tuple(f"✓ say.{what}" for sign in outcome[:1] if sign.startswith("✓"))
    yield Stop(sink, ("f5",), (*outcome, *done), gone="of say.")


def replies() -> Iterator[Stop]:
    """Yield the places that show responses."""
    yield Stop("toast of a discovery", ("f9",), ("▾ say", "OpenRPC 1.2.6", SHOWN[0]))
    yield Stop("", (ALT_M, ALT_M), gone="Docs ")  # the response fills the screen
    yield from send("result", *MEMBERS, sink="result")
    yield Stop("search", ("f4", "/", "oops [/]"), ("1 of 2",))
    yield Stop("", ("escape",), gone="1 of 2")
    yield Stop("raw tab", ("]",), ("jsonrpc", in_json(CARRIERS["aa"])))
    yield Stop("timing tab", ("]", "]"), ("connect",))
    yield Stop("copy picker", ("]", "down", "y"), ("the value under the cursor", "the path of the value"))
    yield Stop("the notice of a copy", ("enter",), ("through the terminal",))
    yield Stop("", ("f",), ("│  jq",))
    yield Stop("a line typed before", ("up", "home"), ("jq  aa-",))
    yield Stop("", ("escape",), gone="│  jq")
    yield Stop("", ("f",), ("│  jq",))
    yield Stop("problem of jq", (f'"{ALL_IN_JQ}" | error', "enter"), ("NOT FILTERED",))
    yield Stop("", ("o",), gone="NOT FILTERED")
    yield Stop("", ("f",), ("│  jq",))
    yield Stop("output of jq", (".[]", "enter"), (" FILTERED ", *QUOTED))
    yield Stop("", ("o",), gone=" FILTERED ")
    yield Stop("", ("|",), ("shell command",))
    yield Stop("output of a command", (f"printf '{in_printf(ALL)}'", "enter"), (" FILTERED ", f"1   {SHOWN[0]}"))
    yield Stop("", ("o",), gone=" FILTERED ")
    yield Stop("", ("|",), ("shell command",))
    yield Stop("problem of a command", (f"printf '{in_printf(ALL)}' >&2; false", "enter"), ("NOT FILTERED",))
    yield Stop("", ("o",), gone="NOT FILTERED")
    yield from send("error", "✗ error 7", spelled(ALL)[:80], *(f' "{text}"' for text in QUOTED), sink="error")
    yield Stop("text tab", ("f4", "]"), ("$.message  text", spelled(CARRIERS["dd"])))
    yield from send("table", "✓ result   200")
    yield Stop("table", ("f4", "t"), SHOWN[:1])
    yield from send("headers", "✓ result   200")
    yield Stop("headers tab", ("f4", "]", "]"), tuple(spelled(sayable(text)) for text in CARRIERS.values()))
    yield from send("reason", "malformed")
    yield Stop("a body that is no JSON", ("f4",), (f"1   {spelled(ALL)[:80]}",))
    yield from send("moved", "Temporary Redirect")
    yield Stop("location", ("f4", "]", "]"), ("ocation",))
    yield from send("name", "no response")
    yield from send("line", "no response")
    yield Stop("toast of an editor", ("f3", CTRL_G), ("ended with exit code",))


def history() -> Iterator[Stop]:
    """Yield the places of the history screen."""
    yield Stop("history", ("f6",), ("History", *(f"✗ {text[:20]}" for text in SHOWN)))
    for name, text in CARRIERS.items():
        shown = spelled(text)
        yield Stop("title of a record", ("/", f"method:{name}-", "enter"), (shown[:40],))
        yield Stop("headers of a record", ("]",), (f"  X-Said  {shown}",))
        yield Stop("request of a record", ("]",), (f"http://{shown.split()[0]}",))
        yield Stop("note of a record", ("]",), (f"★ {shown}",))
        yield Stop("name of a record", ("t",), ("Save a name for this call?", shown))
        yield Stop("", ("escape",), gone="Save a name for this call?")
        yield Stop("note in a line", ("a",), ("Save a note about this call?", shown))
        yield Stop("", ("escape",), gone="Save a note about this call?")
        yield Stop(
            "question before deleting",
            ("delete",),
            ("Delete this call from the history?", f"call     {spelled(' '.join(text.split()))[:54]}"),
        )
        yield Stop("", ("escape",), gone="Delete this")
        yield Stop("", ("]",), ("HTTP 500",))
    yield Stop("copies of a record", ("y",), ("a report in Markdown",))
    yield Stop("", ("escape",), gone="a report in Markdown")
    yield Stop("a damaged record", ("/", "backspace", "enter", "end"), ())
    yield Stop("", ("escape",), ("F5 send",))


def profiles() -> Iterator[Stop]:
    """Yield the profiles, their forms and dialogs."""
    yield Stop("profiles", ("f7",), ("Profiles", SHOWN[0][:9]))
    yield Stop("", ("/",), ("type to find",))
    yield Stop("", ("there",), ("there  http",))
    yield Stop("page of a profile", ("enter",), ("Profile there", f" {spelled(ALL)[:80]}", "/\\u202e\\u200b[b]x[/]"))
    for sink, key, title in (
        ("form of a profile", "e", "Edit there"),
        ("form for a copy", "d", "Duplicate there"),
        ("question before removing", "delete", "Remove there?"),
        ("secrets", "s", "Save secrets for there?"),
    ):
        yield Stop(sink, (key,), (title,))
        yield Stop("", ("escape",), gone=title)
    yield Stop("", (ALT_T,), ("Connection test: there", "Begin"))
    yield Stop("test of a connection", ("enter",), ("U+202E", "Close"))
    yield Stop("", ("escape",), gone="Connection test: there")
    yield Stop("header", ("enter",), (f"  {'http'}", f" {SHOWN[1][:10]}", "F5 send"))
    yield Stop("login", ("f8",), ("Log in to there",))
    yield Stop("", ("escape",), gone="Log in to there")
    yield Stop("help", ("f1",), ("Send the call in the editor",))
    yield Stop("", ("escape",), gone="Send the call in the editor")
    yield Stop("palette", ("ctrl+p", "choose theme"), ("choose theme",))
    yield Stop("themes", ("enter",), ("Themes", SHOWN[1]))
    yield Stop("toast of a theme", ("hostile", "enter"), ("hostile.toml",), gone="Themes")


CALLS = [Stop("methods and recent calls", (), (*SHOWN, spelled(HALF))), *each_method()]
PARTS = {
    "calls": CALLS,
    "history and calls": [*history(), *CALLS],
    "responses and profiles": [*replies(), *profiles()],
}
"""Places that one start visits: starting takes longer than a place."""


def first(needle: str) -> str:
    """Return the beginning of a text: the guard can cut the rest."""
    found = MARKERS.search(needle)
    return needle[: found.end()] if found else needle


def walk(terminal: Watched, stops: list[Stop], script: str) -> None:
    """Visit all places in order."""
    for stop in stops:
        for key in stop.keys:
            (terminal.press if key in KEYS else terminal.type)(key)
        if stop.gone:
            terminal.sees_no(stop.gone)
        terminal.looks(stop.sink, *(map(first, stop.wanted) if script == GUARD_ALONE else stop.wanted))


def visit(folder: Path, part: str, script: str = "") -> Watched:
    """Walk through a part of the program with hostile files and a server."""
    (folder / "start.py").write_text(script + START)
    with serving() as server:
        environment = plant(folder, server.origin)
        with Watched(["-p", "here"], environment, folder / "work", SIZE, start=[str(folder / "start.py")]) as terminal:
            terminal.sees("F5 send", "✓ valid")
            walk(terminal, PARTS[part], script)
            terminal.press("ctrl+q")
            assert terminal.ends() == 0
            return terminal


START = """
import sys
from rpcexplorer import __main__
sys.exit(__main__.main())
"""
NO_GUARD = """
from rpcexplorer.tui.terminal import Guard
Guard.apply = lambda self, segments, background: segments
"""
GUARD_ALONE = """
import rpcexplorer.text.printable as exit_of_views
real, exit_of_views.printable = exit_of_views.printable, lambda text, *, lines=False: text
import rpcexplorer.tui.terminal
rpcexplorer.tui.terminal.printable = real
"""
LAYERS = {"both": "", "views alone": NO_GUARD, "guard alone": GUARD_ALONE}
"""One visit with both layers shows that they work together."""


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("layer", "part"), [("both", "calls"), *((layer, part) for layer in list(LAYERS)[1:] for part in list(PARTS)[1:])]
)
def test_screen_writes_no_foreign_terminal_codes(tmp_path: Path, layer: str, part: str) -> None:
    script = LAYERS[layer]
    terminal = visit(tmp_path, part, script)
    stream = Stream(terminal.written)
    assert stream.strange == []
    assert stream.counts["question about a mode"] == stream.counts["keyboard"]
    if "calls" in part and script != GUARD_ALONE:
        assert terminal.seen["methods and recent calls"] == set(PAYLOADS)
    assert all(spelled(text) == text for text in stream.copied)


@pytest.mark.thorough
def test_problems_in_files_are_shown_escaped(tmp_path: Path) -> None:
    home = CARRIERS["bb"].replace("/", "")
    with serving() as server:
        environment = plant(tmp_path, server.origin, home)
        spoil(tmp_path, home)
        with Watched(["-p", "here"], environment, tmp_path / "work", SIZE) as terminal:
            terminal.sees("F5 send", "keymap")
            terminal.press("ctrl+q")
            assert terminal.ends() == 0
    assert Stream(terminal.written).strange == []
