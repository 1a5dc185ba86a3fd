"""What a server of MCP asks on a terminal: the fields of a form one by one, or whether to open a page."""

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
from rpcexplorer.model.method import Described
from rpcexplorer.model.profile import Profile
from rpcexplorer.schema.elicitation import (
    AGREED,
    CANCELLED,
    DECLINED,
    Elicitation,
    Question,
    QuestionKind,
    format_problem,
)
from rpcexplorer.schema.form import typed_json
from rpcexplorer.text.printable import printable

WAYS_OUT: Final = {"/decline": DECLINED, "/cancel": CANCELLED}
"""What can be typed instead of a value, and the answer that it gives."""
HOW_OUT: Final = "/decline declines, /cancel gives no answer."
WORDS: Final = {**dict.fromkeys(("y", "yes", "true"), "true"), **dict.fromkeys(("n", "no", "false"), "false")}
NEEDS: Final[Mapping[QuestionKind, str]] = {
    "text": "text",
    "number": "a number",
    "boolean": "yes or no",
    "choice": "one of the choices",
    "choices": "some of the choices, separated by commas",
    "json": "JSON",
}
"""What a field needs, by its kind."""
MAX_CHOICES: Final = 30
"""Choices of a question to list; others can be typed, too."""


class WayOut(Exception):  # noqa: N818 - the user's choice
    """The user declines, or gives no answer."""

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


def question_line(number: int, question: Question) -> str:
    """Return a field of a form with what can be typed, and the value that Enter takes in brackets."""
    parts = [f"{number:>2}. {question.name}"]
    if question.param.doc:
        parts.append(f" ({' '.join(question.param.doc.split())})")
    if question.param.required:
        parts.append(", required")
    if question.kind == "boolean":
        parts.append(": yes or no")
    for at, (_, title) in enumerate(question.choices[:MAX_CHOICES], start=1):
        parts.append(f"{':' if at == 1 else ','} {at} {title}")
    if question.kind == "choices":
        parts.append("; several with commas")
    if question.default is not UNSET and not question.is_secret:
        parts.append(f" [{question.title_of(question.default)}]")
    return printable("".join(parts))


def question_lines(asked: Elicitation) -> Iterator[str]:
    """Yield all that a server asks, to read it where nobody can answer."""
    yield from asked.message.splitlines()
    if asked.url:
        yield f"page at {asked.host}: {asked.url}"
    for number, question in enumerate(asked.questions, start=1):
        yield question_line(number, question)


class _Asking:
    """The questions of one request."""

    def __init__(self, world: World, explorer: Explorer) -> None:
        self._world, self._explorer = world, explorer

    async def answer(self, profile: Profile, event: Event) -> None:
        asked = self._explorer.elicitation(profile, event)
        self._world.erase_progress()
        self._world.report(f"{profile.shown_name} asks: {asked.message}")
        self._drop_typed()
        try:
            if asked.url:
                problem = self._explorer.answer(profile, event, await self._agree(profile, asked))
            else:
                content = await (self._json(asked) if asked.why_not else self._form(asked))
                problem = self._explorer.accept(profile, event, asked, content)
        except WayOut as way:
            problem = self._explorer.answer(profile, event, way.member)
        if problem:
            self._world.report(problem)

    def _drop_typed(self) -> None:
        """Drop what was typed before the question was there: it is no answer."""
        with suppress(ImportError, OSError):  # Windows has no such module, and a test no terminal.
            import termios

            termios.tcflush(self._world.stdin.fileno(), termios.TCIFLUSH)

    async def _agree(self, profile: Profile, asked: Elicitation) -> str:
        """Show a page and ask whether the user will open it."""
        self._say(f"It wants you to open a page at {asked.host} in your browser. rpcexplorer does not open it:")
        self._say(f"  {asked.url}")
        if asked.caution:
            self._say(f"! {asked.caution}")
        while True:
            typed = await self._line("Do you agree? yes or no: ")
            if (agrees := WORDS.get(typed.lower())) is not None:
                break
        if agrees == "false":
            return DECLINED
        self._world.pages[asked.id] = f"{profile.shown_name} says that the step on the page at {asked.host} is complete"
        return AGREED

    async def _json(self, asked: Elicitation) -> str:
        self._say(f"{asked.why_not} Type the content of the answer as a JSON object. {HOW_OUT}")
        while True:
            content = typed_json(await self._line("JSON: "))
            if content and content.startswith("{"):
                return content
            self._say("! This is not a JSON object.")

    async def _form(self, asked: Elicitation) -> str:
        """Ask for each field, and then whether all are right."""
        required = any(question.param.required for question in asked.questions)
        leaves_out = "leaves out what is not required" if required else "leaves the field out"
        self._say(f"Enter takes the value in [brackets], or {leaves_out}. {HOW_OUT}")
        values: dict[str, str] = {}
        for number, question in enumerate(asked.questions, start=1):
            await self._ask(number, question, values)
        while len(asked.questions) > 1 or not asked.questions:
            typed = await self._line("Enter sends, a number changes that answer: ")
            if not typed:
                break
            if typed.isdecimal() and 0 < int(typed) <= len(asked.questions):
                await self._ask(int(typed), asked.questions[int(typed) - 1], values)
        names = [question.name for question in asked.questions if question.name in values]
        return "{" + ",".join(f"{string(name)}:{values[name]}" for name in names) + "}"

    async def _ask(self, number: int, question: Question, values: dict[str, str]) -> None:
        """Ask for a field until its value is right, and add it."""
        while True:
            line = "\n".join(wrapped(question_line(number, question), self._world.width, 4))
            typed = await self._line(f"{line}: ", is_secret=question.is_secret)
            values.pop(question.name, None)
            if not typed and question.default is UNSET and not question.param.required:
                return
            value = self._value(question, typed)
            problem = f"{question.name} is required" if not typed else f"{question.name} needs {NEEDS[question.kind]}"
            if value is not None:
                problem = await self._problem(question, value)
            if value is not None and not problem:
                values[question.name] = value
                return
            self._say(f"! {problem}")

    def _value(self, question: Question, typed: str) -> str | None:
        """Return typed words as JSON; None if they are no value of the field."""
        if not typed:
            return None if question.default is UNSET else json.dumps(question.default)
        match question.kind:
            case "text":
                return string(typed)
            case "boolean":
                return WORDS.get(typed.lower())
            case "choice":
                return _chosen(question, typed)
            case "choices":
                chosen = [_chosen(question, part.strip()) for part in typed.split(",")]
                return f"[{','.join(dict.fromkeys(chosen))}]" if None not in chosen else None  # type: ignore[arg-type]
        return typed_json(typed)

    async def _problem(self, question: Question, value: str) -> str:
        """Return why a value does not fit its schema; empty if it does."""
        described = Described((question.param,), extra=False, by="name")
        checked = await self._explorer.checker.params(described, f"{{{string(question.name)}:{value}}}", by="name")
        sentences = [problem.sentence for problem in checked.problems]
        problem = next(iter(sentences), "") or format_problem(question, value)
        if problem and question.is_secret:
            return f"{question.name} does not match the schema of the field"
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
        except (OSError, NotImplementedError):  # It is no terminal, or this is Windows.
            return
        try:
            await typed.wait()
        finally:
            loop.remove_reader(number)

    def _say(self, sentence: str) -> None:
        self._world.stderr.write(printable(sentence) + "\n")
        self._world.stderr.flush()


def _chosen(question: Question, typed: str) -> str | None:
    """Return the choice with this value, title or number as JSON."""
    found: Any = UNSET
    for at, (value, title) in enumerate(question.choices, start=1):
        if typed in (str(value), title):
            return json.dumps(value)
        if typed == str(at):
            found = value
    return None if found is UNSET else json.dumps(found)
