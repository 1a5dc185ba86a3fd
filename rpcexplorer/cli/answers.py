"""The questions of an MCP server on a terminal: the fields of a form one by one, or whether to open a page."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from msgspec import UNSET

from rpcexplorer.cli.world import World, ask_hidden, wrapped
from rpcexplorer.explorer import Explorer
from rpcexplorer.jsontext.edit import string
from rpcexplorer.model.event import Event
from rpcexplorer.model.profile import Profile
from rpcexplorer.schema.elicitation import AGREED, CANCELLED, DECLINED, Elicitation, default_of, titled_choices
from rpcexplorer.schema.form import Editing, FormField, FormRows, typed_json, typed_value
from rpcexplorer.text.printable import printable

WAYS_OUT: Final = {"/decline": DECLINED, "/cancel": CANCELLED}
"""What can be typed instead of a value, and the answer that it gives."""
HOW_OUT: Final = "/decline declines, /cancel gives no answer."
WORDS: Final = {**dict.fromkeys(("y", "yes", "true"), "true"), **dict.fromkeys(("n", "no", "false"), "false")}
NEEDS: Final[Mapping[Editing, str]] = {
    "text": "text",
    "number": "a number",
    "boolean": "yes or no",
    "choice": "one of the choices",
    "json": "JSON",
}
"""What a field needs, by how it is typed."""
MAX_CHOICES: Final = 30
"""Choices of a question to list; others can be typed, too."""


class WayOut(Exception):  # noqa: N818 - the user's choice
    """The user declines, or cancels."""

    def __init__(self, member: str) -> None:
        super().__init__()
        self.member = member


def ask_later(world: World, explorer: Explorer, profile: Profile, event: Event) -> None:
    """Ask the user for the answer to a request of the server, after the questions that wait already."""
    before = [*world.asking]

    async def ask() -> None:
        if before:
            await asyncio.wait(before)
        if event.waits:
            await explorer.credentials.asked(_Asking(world, explorer).answer(profile, event))

    task = asyncio.get_running_loop().create_task(ask())
    world.asking.add(task)
    task.add_done_callback(world.asking.discard)


def fields_of(asked: Elicitation) -> tuple[FormField, ...]:
    return FormRows(asked.described, "name").of("{}")


def _choices_of_elements(field: FormField) -> list[tuple[Any, str]]:
    """Return the values that an array can have, with their titles."""
    return [*titled_choices(field.schema.get("items"))] if isinstance(field.schema, dict) else []


def _titled(field: FormField, value: Any) -> str:
    """Return the title of a choice, or a value as it is typed."""
    if isinstance(value, list):
        return ", ".join(_titled(field, one) for one in value)
    for choice, title in [*titled_choices(field.schema), *_choices_of_elements(field)]:
        if choice == value:
            return title
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def question_line(number: int, field: FormField, *, is_secret: bool) -> str:
    """Return a field of a form with what can be typed, and the value that Enter takes in brackets."""
    parts = [f"{number:>2}. {field.name}"]
    if field.doc:
        parts.append(f" ({' '.join(field.doc.split())})")
    if field.required:
        parts.append(", required")
    if field.editing == "boolean":
        parts.append(": yes or no")
    several = _choices_of_elements(field)
    for at, (_, title) in enumerate([*titled_choices(field.schema), *several][:MAX_CHOICES], start=1):
        parts.append(f"{':' if at == 1 else ','} {at} {title}")
    if several:
        parts.append("; several with commas")
    default = default_of(field.schema)
    if default is not UNSET and not is_secret:
        parts.append(f" [{_titled(field, default)}]")
    return printable("".join(parts))


def question_lines(asked: Elicitation) -> Iterator[str]:
    """Yield the questions of a server, to print them if the user cannot be asked."""
    yield from asked.message.splitlines()
    if asked.url:
        yield f"page at {asked.host}: {asked.url}"
    for number, field in enumerate(fields_of(asked), start=1):
        yield question_line(number, field, is_secret=field.path[0] in asked.secrets)


class _Asking:
    """The questions of one request."""

    def __init__(self, world: World, explorer: Explorer) -> None:
        self._world, self._explorer = world, explorer

    async def answer(self, profile: Profile, event: Event) -> None:
        asked = self._explorer.elicitation(profile, event)
        self._world.erase_progress()
        self._world.report(f"{profile.shown_name} asks: {asked.message}")
        self._discard_typed()
        try:
            if asked.url:
                problem = self._explorer.answer(profile, event, await self._agree(asked))
            else:
                content = await (self._json(asked) if asked.why_not else self._form(asked))
                problem = self._explorer.accept(profile, event, asked, content)
        except WayOut as way:
            problem = self._explorer.answer(profile, event, way.member)
        if problem:
            self._world.report(problem)

    def _discard_typed(self) -> None:
        """Discard keys that were pressed before the question was shown."""
        with suppress(ImportError, OSError):  # Windows has no such module, and a test no terminal.
            import termios

            termios.tcflush(self._world.stdin.fileno(), termios.TCIFLUSH)

    async def _agree(self, asked: Elicitation) -> str:
        """Show a page and ask whether the user will open it."""
        self._say(f"It asks you to open a page at {asked.host} in your browser. rpcexplorer does not open it:")
        self._say(f"  {asked.url}")
        if asked.caution:
            self._say(f"! {asked.caution}")
        while True:
            typed = await self._line("Do you agree? yes or no: ")
            if (agrees := WORDS.get(typed.lower())) is not None:
                break
        return AGREED if agrees == "true" else DECLINED

    async def _json(self, asked: Elicitation) -> str:
        self._say(f"{asked.why_not} Type the content of the answer as a JSON object. {HOW_OUT}")
        while True:
            content = typed_json(await self._line("JSON: "))
            if content and content.startswith("{"):
                return content
            self._say("! This is not a JSON object.")

    async def _form(self, asked: Elicitation) -> str:
        """Ask for each field, and then whether all are right."""
        fields, values = fields_of(asked), dict[str, str]()
        required = any(field.required for field in fields)
        leaves_out = "leaves out what is not required" if required else "leaves the field out"
        self._say(f"Enter takes the value in [brackets], or {leaves_out}. {HOW_OUT}")
        for number, field in enumerate(fields, start=1):
            await self._ask(asked, number, field, values)
        while len(fields) != 1:
            typed = await self._line("Enter sends, a number changes that answer: ")
            if not typed:
                break
            if typed.isdecimal() and 0 < int(typed) <= len(fields):
                await self._ask(asked, int(typed), fields[int(typed) - 1], values)
        return "{" + ",".join(f"{string(name)}:{value}" for name, value in values.items()) + "}"

    async def _ask(self, asked: Elicitation, number: int, field: FormField, values: dict[str, str]) -> None:
        """Ask for a field until its value is right, and add it."""
        name, default = str(field.path[0]), default_of(field.schema)
        is_secret = name in asked.secrets
        line = "\n".join(wrapped(question_line(number, field, is_secret=is_secret), self._world.width, 4))
        while True:
            typed = await self._line(f"{line}: ", is_secret=is_secret)
            values.pop(name, None)
            if not typed and default is UNSET and not field.required:
                return
            value = _value(field, typed) if typed or default is UNSET else json.dumps(default)
            if not typed and default is UNSET:
                problem = f"{name} is required"
            elif value is None:
                several = "some of the choices, separated by commas"
                problem = f"{name} needs {several if _choices_of_elements(field) else NEEDS[field.editing]}"
            else:
                problem = await self._problem(asked, name, value)
            if value is not None and not problem:
                values[name] = value
                return
            self._say(f"! {problem}")

    async def _problem(self, asked: Elicitation, name: str, value: str) -> str:
        """Return why a value does not fit its schema; empty if it does."""
        checked = await self._explorer.checker.params(asked.described, f"{{{string(name)}:{value}}}", by="name")
        problem = next((problem.sentence for problem in checked.problems if problem.pointer[:1] == (name,)), "")
        if problem and name in asked.secrets:
            return f"{name} does not match the schema of the field"
        return problem

    async def _line(self, prompt: str, *, is_secret: bool = False) -> str:
        """Return a typed line; the end of input gives no answer."""
        *above, prompt = prompt.split("\n")
        for line in above:
            self._say(line)
        if is_secret:
            try:
                typed = ask_hidden(prompt.removesuffix(": "))
            except KeyboardInterrupt:
                signal.raise_signal(signal.SIGINT)  # Now it cancels the call.
                raise WayOut(CANCELLED) from None
        else:
            self._world.stderr.write(prompt)
            self._world.stderr.flush()
            await self._until_typed()
            read = self._world.stdin.readline()
            if not read:
                self._world.stderr.write("\n")
                raise WayOut(CANCELLED)
            typed = read.decode(errors="replace").strip()
        if typed in WAYS_OUT:
            raise WayOut(WAYS_OUT[typed])
        return typed

    async def _until_typed(self) -> None:
        """Wait for a line while the connection and other calls go on."""
        loop, typed = asyncio.get_running_loop(), asyncio.Event()
        try:
            number = self._world.stdin.fileno()
            loop.add_reader(number, typed.set)
        except (OSError, NotImplementedError):  # Not a terminal, or Windows.
            return
        try:
            await typed.wait()
        finally:
            loop.remove_reader(number)

    def _say(self, sentence: str) -> None:
        self._world.stderr.write(printable(sentence) + "\n")
        self._world.stderr.flush()


def _value(field: FormField, typed: str) -> str | None:
    """Return typed words as JSON; None if the field cannot have this value."""
    if choices := [*titled_choices(field.schema)]:
        return _chosen(choices, typed)
    if several := _choices_of_elements(field):
        chosen = dict.fromkeys(_chosen(several, part.strip()) for part in typed.split(","))
        parts = [value for value in chosen if value is not None]
        return f"[{','.join(parts)}]" if len(parts) == len(chosen) else None
    if field.editing == "boolean":
        return WORDS.get(typed.lower())
    return typed_value(field, typed, "")


def _chosen(choices: list[tuple[Any, str]], typed: str) -> str | None:
    """Return the choice with this value, title or number as JSON."""
    for value, title in choices:
        if typed in (str(value), title):
            return json.dumps(value)
    if typed.isdecimal() and 0 < int(typed) <= len(choices):
        return json.dumps(choices[int(typed) - 1][0])
    return None
