r"""Every example of README and the manual runs, every table is right.

How to write an example. All blocks of a page run in order, in one working folder, shown as ``/home/ada/shop``.
Config, state and cache are those of ``/home/ada`` on Linux, and empty at first.

``console``: each command after ``$`` runs in bash and must print exactly the lines below it.

- The demo service answers at ``http://127.0.0.1:8000``. ``rpcexplorer demo --serve --port 8000 &`` returns at once. A
  command that ends with ``&`` may be shown with its first lines only.
- stdout is not a terminal, so JSON is printed as the server wrote it. If a line below a command is a lone ``{`` or
  ``[``, stdout is a terminal: JSON is laid out. ``COLUMNS`` is 100.
- A command without lines below it may print anything. Its exit code must be 0.
- If lines are shown, any exit code but 70 and 127 is accepted. To show a code, write ``echo $?`` as the next command.
- ids, times of day, dates, durations and ``Content-Length`` may differ. A printed id is the same in all later blocks.
  ``…`` is any text in its line, and alone in a line any lines.
- A line of 80 characters or more may continue in the next one, which may be indented.
- ``profiles secret NAME FIELD`` is answered with the demo's password. If ``[y/N]`` is shown, the answer is the letter
  after it. Other questions are never asked: there is no terminal.

``sh``: each ``rpcexplorer`` line must parse. It also runs, with its own profiles and history, unless

- a word in it is a placeholder in capitals (``NAME``, ``ID``, ``FILE`` …), has a ``…``, or is the URL of another
  server,
- or it opens the screen, or is in ``NOT_RUN``.

It may end with any code but 2 (usage), 3 (credentials), 4 (no response) and 70. A missing profile is created: it is the
demo service, with auth cookie (bearer, if its token is stored), its secret stored and its methods discovered. Saved
calls and variables of the page's ``toml`` blocks are there. Ids become those of the newest calls, see ``RECORDED``.
Each question is answered with yes. Other programs are skipped, except a few such as ``cat`` and ``grep``, see
``TOOLS``.

``toml`` blocks load as sessions.toml, preset, settings.toml, theme or case, by their keys. If the first line is
``# sessions.toml`` or the name of another file, the block is also written to that file, for the ``console`` blocks
below it. ``python`` runs if it names the demo's address or process, else it compiles. ``json`` parses. Each line of
``jq`` compiles. A ``python`` block with tests runs with pytest. In ``yaml``, commands after ``-`` or ``- run:`` parse.
Other blocks (``text``) are skipped.

In sentences and tables, each command in backticks parses, with or without ``rpcexplorer``, and each ``--option`` exists
(``FOREIGN_OPTIONS`` lists those of other programs). Tables that list something of the program are compared with its
source in ``test_manual_tables.py``. A failure names the table by its page and first heading.

If a page needs files or calls that it does not show, add commands to ``PREPARED`` below.
"""

from __future__ import annotations

import inspect
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

import click
import jq
import pytest
import tomli_w

from rpcexplorer import __version__, pytest_plugin
from rpcexplorer.cli.main import MODULES, open_address, open_case, program, run
from rpcexplorer.cli.run import Run
from rpcexplorer.cli.world import World
from rpcexplorer.demo import PASSWORD, USERNAME
from rpcexplorer.demo.http import DemoThread
from rpcexplorer.files.paths import Paths
from rpcexplorer.files.toml import TomlFile, read_toml
from rpcexplorer.files.toml_shape import read_shape
from rpcexplorer.history.case import case_of
from rpcexplorer.manual import COMMAND_PAGES, FOLDER, PANE_PAGES, read_page, read_pages
from rpcexplorer.manual import PAGES as NAMES
from rpcexplorer.model.problem import PROGRAM, Problem
from rpcexplorer.profiles.keys import PRESET, SESSIONS
from rpcexplorer.profiles.profiles import load
from rpcexplorer.settings import SETTINGS_SHAPE, THEME_SHAPE
from rpcexplorer.text.markdown import markdown_page
from rpcexplorer.tui.commands import SCOPES
from tests.fakes.bash import Answer, Bash, Keyboard, Recorder, Request

ROOT: Final = Path(__file__).parent.parent
PREPARED: Final = {
    "agents": """printf '[call.orders]\\nmethod = "ping"\\nexpect = { outcome = "result" }\\n' > shop.checks.toml""",
    "calls": """echo '{"customer": 7, "items": [{"sku": "tea-01"}]}' > order.json""",
    "ci": """printf '[call.orders]\\nmethod = "ping"\\nexpect = { outcome = "result" }\\n' > shop.checks.toml""",
    "checks": """printf '[call.orders]\\nmethod = "ping"\\nexpect = { outcome = "result" }\\n' > shop.checks.toml""",
    "json": """printf '[call.orders]\\nmethod = "ping"\\nexpect = { outcome = "result" }\\n' > shop.checks.toml""",
    "profiles": """echo '{"mcpServers": {"github": {"command": "npx", "args": '"""
    """'["-y", "@modelcontextprotocol/server-github"], "env": {"GITHUB_PERSONAL_ACCESS_TOKEN": ""}}}}' > .mcp.json""",
    "secrets": "git init -q",
}
"""Commands before the blocks of a page, for ``console`` and for ``sh``."""
NOT_RUN: Final = {"profiles trust"}
"""The demo service has no certificate."""
RECORDED: Final = ("demo.orders.find limit:=2", "ping", "demo.echo hello=world", "demo.echo hello=world")
"""Calls whose ids ``sh`` blocks use, the oldest first."""
PORT: Final = re.compile(r"(?<=127\.0\.0\.1:)8000\b|(?<=localhost:)8000\b")
ID: Final = re.compile(r"\b1m[0-9a-z]{13}\b")
PLACEHOLDER: Final = re.compile(r"@?[A-Z][A-Z_]+(=[A-Z_]+)?|.*….*", re.DOTALL)
FOREIGN_OPTIONS: Final = {"--dist", "--enable-rpc", "--force", "--rpc-secret", "--snapshot-update", "--thorough"}
"""Options of other programs."""
HISTORY_COMMANDS: Final = {"compare", "copy", "history", "replay"}


class Block(NamedTuple):
    language: str
    text: str
    line: int
    """Line of the block in its page."""


def blocks_of(text: str) -> Iterator[Block]:
    for found in re.finditer(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield Block(found[1], found[2], text.count("\n", 0, found.start(2)) + 1)


COMMAND: Final = re.compile(
    r"""^\$[ ](  .*<<'(\w+)'.*\n(?:.*\n)*?\2 |  (?:.*\\\n)*.*  )\n  # with a here-document, or lines that go on
        ((?:(?!\$[ ]).*\n)*)  # up to the next one""",
    re.MULTILINE | re.VERBOSE,
)


class Shown(NamedTuple):
    """A command of a console block, and the lines below it."""

    command: str
    output: str
    line: int


def commands_of(block: Block) -> Iterator[Shown]:
    for found in COMMAND.finditer(block.text):
        yield Shown(found[1], found[3].rstrip(), block.line + block.text.count("\n", 0, found.start()))


VARIES: Final = re.compile(
    r"(?P<any>…)|(?P<id>\b1m[0-9a-z]{13}\b)|(?P<time>\b\d\d:\d\d(?::\d\d)?\b)|(?P<date>\b\d{4}-\d\d-\d\d\b)"
    r"|(?P<day>\b\d{1,2} [A-Z][a-z][a-z] \d{4}\b)|(?P<duration> *\b\d+(?:\.\d+)? (?:ms|s|min)\b)"
    r"|(?P<length>(?<=Content-Length: )\d+)"
)
PATTERNS: Final = {
    "any": ".*",
    "time": r"\d\d:\d\d(?::\d\d)?",
    "date": r"\d{4}-\d\d-\d\d",
    "day": r"\d{1,2} [A-Z][a-z][a-z] \d{4}",
    "duration": r" *\d+(?:\.\d+)? (?:ms|s|min)",
    "length": r"\d+",
}
MIN_WRAPPED: Final = 80


def pattern_of(output: str, ids: dict[str, str]) -> tuple[str, list[str]]:
    """Return a pattern for shown output, and its new ids in order."""
    new: list[str] = []

    def piece(found: re.Match[str]) -> str:
        if found.lastgroup != "id":
            return PATTERNS[found.lastgroup or ""]
        if found[0] in ids:
            return re.escape(ids[found[0]])
        if found[0] in new:
            return rf"(?:\{new.index(found[0]) + 1})"
        new.append(found[0])
        return r"(1m[0-9a-z]{13})"

    whole, lines = "", output.split("\n")
    for at, line in enumerate(lines):
        goes_on = at > 0 and len(lines[at - 1]) >= MIN_WRAPPED
        if line.strip() == "…":
            whole += r"(?:.*\n)*?"
            continue
        end, parts = 0, ""
        shown = line.rstrip()
        for found in VARIES.finditer(shown):
            parts += re.escape(shown[end : found.start()]) + piece(found)
            end = found.end()
        parts += re.escape(shown[end:])
        if goes_on:
            whole = whole.removesuffix(r"\n") + r"(?:\n| )"
            parts = r"(?: *)" + re.sub(r"^(?:\\ )+", "", parts)
        whole += parts + r"\n"
    return whole, new


def matches(output: str, printed: str, ids: dict[str, str], *, begins: bool = False) -> bool:
    """Return whether the printed text matches; if so, remember its new ids."""
    pattern, new = pattern_of(output, ids)
    printed = "".join(f"{line.rstrip()}\n" for line in printed.rstrip().split("\n"))
    found = re.match(pattern, printed) if begins else re.fullmatch(pattern, printed)
    if found:
        ids |= dict(zip(new, found.groups(), strict=True))
    return found is not None


class Session:
    """The shell of a page, with the state of all earlier commands."""

    def __init__(self, folder: Path, url: str, bash: Bash) -> None:
        self.url, self.port = url, url.rpartition(":")[2]
        self.home, self.other = folder / "ada", folder / "other"
        self.work = self.home / "shop"
        self.work.mkdir(parents=True)
        self.ids: dict[str, str] = {}
        self.problems: list[str] = []
        self.shown = Shown("", "", 0)
        self.lenient = False
        self.made: set[str] = set()
        self.console = environment_of(self.home) | {"PATH": bash.path}
        self.sh = environment_of(self.other) | {"PATH": bash.path_of_tools, "LENIENT": "1"}
        self.bash = bash
        bash.answer = self.answer
        bash.run(f"cd {shlex.quote(str(self.work))}")

    def actual(self, text: str) -> str:
        """Return a text of a page with the paths and ports of this machine."""
        text = PORT.sub(self.port, text).replace("/home/ada", str(self.home))
        return ID.sub(lambda found: self.ids.get(found[0], found[0]), text)

    def as_shown(self, text: str) -> str:
        """Return printed text as a page shows it."""
        return text.replace(f":{self.port}", ":8000").replace(str(self.home), "/home/ada")

    def prepare(self, script: str) -> None:
        for variables in (dict(self.sh), dict(self.console)):
            variables |= {"PATH": self.bash.path}
            code, printed = self.bash.run(f"set -e\n{self.actual(script)}\nset +e\n", variables.items())
            assert code == 0, printed

    def share(self, text: str) -> None:
        """Give saved calls and variables of a page to all its sh blocks."""
        shared: dict[str, Any] = {}
        for block in blocks_of(text):
            if block.language == "toml":
                values = tomllib.loads(self.actual(block.text))
                for key in {"call", "variables"} & values.keys():
                    shared.setdefault(key, {}).update(values[key])
                for profile, table in values.get("profile", {}).items():
                    for key in {"call", "variables"} & table.keys():
                        shared.setdefault("profile", {}).setdefault(profile, {}).setdefault(key, {}).update(table[key])
        if shared:
            file = self.other / "shared.toml"
            file.parent.mkdir()
            file.write_text(tomli_w.dumps(shared))
            self.sh["RPCEXPLORER_SESSIONS"] = str(file)

    def run_console(self, block: Block) -> None:
        for shown in commands_of(block):
            self.shown = shown
            background = shown.command.endswith("&")
            script = self.actual(shown.command.removesuffix("&"))
            code, printed = self.bash.run(script, self.console.items())
            printed = self.as_shown(printed)
            if shown.output:
                right = code not in {70, 127} and matches(shown.output, printed, self.ids, begins=background)
            else:
                right = code == 0
            if not right:
                self.problems.append(
                    f"line {shown.line}: $ {shown.command}\nends with {code} and prints\n\n{printed}\n"
                    f"instead of\n\n{shown.output or '(exit code 0)'}\n"
                )

    def run_sh(self, block: Block) -> None:
        self.lenient, self.shown = True, Shown("", "", block.line)
        text = self.actual(block.text).replace(".venv/bin/", "")
        _, printed = self.bash.run(text, self.sh.items())
        self.lenient = False
        errors = [
            line for line in printed.splitlines() if line.startswith("bash: ") and "command not found" not in line
        ]
        if errors:
            self.problems.append(f"line {block.line}: {errors}")

    def answer(self, request: Request) -> Answer:
        """Run a command line of rpcexplorer."""
        with pytest.MonkeyPatch.context() as patch:
            for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
                patch.setenv(name, request.environment[name])
            patch.setenv("COLUMNS", "100")
            path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # of a process that is the server of a profile
            patch.setenv("PATH", path)
            request = request._replace(environment={**request.environment, "PATH": path})
            return self.checked(request) if self.lenient else self.run(request)

    def checked(self, request: Request) -> Answer:
        """Parse a command line, and run it if the demo can answer it."""
        typed = f"rpcexplorer {shlex.join(request.arguments)}"
        try:
            context = parse(request)
        except click.ClickException as error:
            self.problems.append(f"line {self.shown.line} ff.: {typed}\n{error.format_message()}")
            return Answer(2, [])
        if context is None or not self.can_run(request, context):
            return Answer(0, [])
        request = self.with_surroundings(request, context)
        answer = self.run(request)
        if answer.code in {2, 3, 4, 70}:
            printed = b"".join(piece for _, piece in answer.pieces).decode(errors="replace")
            self.problems.append(
                f"line {self.shown.line} ff.: {self.as_shown(typed)}\nends with {answer.code} and prints\n\n"
                f"{self.as_shown(printed)}"
            )
        return answer

    def can_run(self, request: Request, context: click.Context) -> bool:
        words = request.arguments
        if any(PLACEHOLDER.fullmatch(word) for word in words):
            return False
        if any("://" in word and self.url not in word for word in words):
            return False
        if context.command is program or context.info_name == "screen":
            return False
        return context.command_path.removeprefix(f"{PROGRAM} ") not in {*NOT_RUN, "demo"}

    def with_surroundings(self, request: Request, context: click.Context) -> Request:
        """Make the profiles and calls that a command needs."""
        names: list[str] = []
        of_profiles = context.parent is not None and context.parent.info_name == "profiles"
        for given in (context.obj.server.profile, context.params.get("profile")):
            names += [given] if given else []
        names += [str(item).rpartition("=")[2] for item in context.params.get("profiles", ())]
        names += [side for side in context.params.get("sides") or () if not side.endswith(".json")]
        if of_profiles and context.info_name != "add":
            given = context.params.get("name")
            names += [given] if isinstance(given, str) and "://" not in given else []
        if of_profiles and context.info_name == "add" and context.params["name"] in self.made:
            self.quietly(request, "profiles", "remove", context.params["name"], "--yes")
        if context.info_name in HISTORY_COMMANDS or (context.parent and context.parent.info_name == "history"):
            newest = self.recorded(request)
            taken: dict[str, str] = {}
            for word in request.arguments:
                for id in ID.findall(word):
                    if id not in newest:
                        taken.setdefault(id, newest[min(len(taken), len(newest) - 1)])
            words = [ID.sub(lambda found: taken.get(found[0], found[0]), word) for word in request.arguments]
            request = request._replace(arguments=words)
        if context.info_name == "load":
            request = request._replace(arguments=[*request.arguments, "--dry-run"])
        for name in dict.fromkeys(names):
            self.make_profile(request, name)
        return request

    def make_profile(self, request: Request, name: str) -> None:
        found = load(Paths.of(request.environment), request.folder, request.environment, None)
        if name in found.profiles:
            return
        self.made.add(name)
        auth, field = ["--auth", "cookie", "--username", USERNAME], "password"
        if request.arguments[:2] == ["profiles", "secret"] and "token" in request.arguments:
            auth, field = ["--auth", "bearer"], "token"
        self.quietly(request, "profiles", "add", name, "--url", self.url, *auth)
        self.quietly(request, "profiles", "secret", name, field, "--stdin", stdin=f"{PASSWORD}\n".encode())
        self.quietly(request, "methods", "--refresh", "-p", name)

    def recorded(self, request: Request) -> list[str]:
        """Return the ids of the newest calls, after the first were made."""
        listed = self.quietly(request, "history", "list")
        if not ID.search(listed):
            self.make_profile(request, "shop")
            for call in RECORDED:
                self.quietly(request, "call", "-p", "shop", *call.split())
            listed = self.quietly(request, "history", "list")
        return ID.findall(listed)

    def quietly(self, request: Request, *words: str, stdin: bytes = b"") -> str:
        ran = self.run(request._replace(arguments=list(words), stdin=stdin))
        printed = b"".join(piece for _, piece in ran.pieces).decode()
        assert ran.code in {0, 1}, printed
        return printed

    def run(self, request: Request) -> Answer:
        words, shown = request.arguments, self.shown.output
        stores = words[:2] == ["profiles", "secret"] and len(words) == 4 and not words[3].startswith("-")
        asks = not request.stdin and (self.lenient or "[y/N]" in shown or stores)
        laid_out = not {"{", "["}.isdisjoint(shown.split("\n"))
        record = Recorder(stdout_isatty=laid_out, stderr_isatty=asks)
        stdin = Keyboard() if asks else io.BytesIO(request.stdin)
        world = World(stdin, record.stdout, record.stderr, request.environment, request.folder)
        letter = re.search(r"\[y/N\]:? *([a-z]*)", shown)

        def typed(prompt: str = "") -> str:
            value = letter[1] if letter else "y"
            record.stderr.write(f"{prompt}{value}\n")
            return value

        def hidden(question: str) -> str:
            record.stderr.write(f"{question}\n")
            return PASSWORD

        with pytest.MonkeyPatch.context() as patch, redirect_stdout(record.text), redirect_stderr(record.stderr):
            patch.setattr("click.termui.visible_prompt_func", typed)
            patch.setattr("getpass.getpass", hidden)
            patch.setattr("rpcexplorer.cli.output.DELAY_SECONDS", 600)  # no progress line, however slow the call is
            patch.setattr("rpcexplorer.demo.http.serve_forever", lambda _port, announce: announce(self.url))
            code = run(words, world)
        return Answer(code, record.pieces)


def environment_of(home: Path) -> dict[str, str]:
    return {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_STATE_HOME": str(home / ".local" / "state"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "LENIENT": "",
        "RPCEXPLORER_SESSIONS": "",
    }


def _first_words(context: click.Context) -> Sequence[str]:
    """Return the words that click has separated.

    The attribute has another name since click 8.2.
    """
    return next(value for name, value in vars(context).items() if name.endswith("protected_args"))


def parse(request: Request) -> click.Context | None:
    """Parse a command line; return the context of its last command."""
    record = Recorder()
    world = World(io.BytesIO(), record.stdout, record.stderr, request.environment, request.folder)
    try:
        with redirect_stdout(record.text):
            context = program.make_context(PROGRAM, list(request.arguments), obj=Run(world))
            command: click.Command = program
            while isinstance(command, click.Group) and (rest := [*_first_words(context), *context.args]):
                name, found, rest = command.resolve_command(context, rest)
                assert found is not None
                name = "screen" if found in {open_address, open_case} else name
                command, context = found, found.make_context(name, rest, parent=context)
    except click.exceptions.Exit:  # help, or the version
        return None
    return context


PAGES: Final = {page.name: page.text for page in read_pages()}
DOCUMENTS: Final = {"README": (ROOT / "README.md").read_text(encoding="utf-8"), **PAGES}
each_page = pytest.mark.parametrize("name", PAGES)
each_document = pytest.mark.parametrize("name", DOCUMENTS)


def check_page(name: str, text: str, folder: Path) -> list[str]:
    """Run the blocks of a page, and write its files; return the problems."""
    with DemoThread() as demo, Bash(folder, {"NO_COLOR": "1"}) as bash:
        session = Session(folder, demo.url, bash)
        if name in PREPARED:
            session.prepare(PREPARED[name])
        session.share(text)
        for block in blocks_of(text):
            match block.language:
                case "console":
                    session.run_console(block)
                case "sh":
                    session.run_sh(block)
                case "toml" if named := re.match(r"# (\S+\.toml)\n", block.text):
                    file = session.work / named[1].replace("~", str(session.home))
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_text(session.actual(block.text))
        return session.problems


@pytest.mark.everyday(20)
@each_document
def test_page_prints_the_shown_output(name: str, tmp_path: Path) -> None:
    problems = check_page(name, DOCUMENTS[name], tmp_path)
    if problems:
        pytest.fail("\n\n".join(problems), pytrace=False)


CALL: Final = "rpcexplorer call demo.echo --url http://127.0.0.1:8000"
SHOWN_ID: Final = "1m7ypm8h2v6r5jd"
LISTED: Final = f"✓ {SHOWN_ID}  demo.echo … 9 ms  10:41:19"
SHOWN: Final = f"…\n…{SHOWN_ID}…\n…"
STORED: Final = """\
$ rpcexplorer profiles add x --url http://127.0.0.1:8000 --auth cookie --username demo
rpcexplorer: added profile x to /home/ada/.config/rpcexplorer/sessions.toml
…
$ rpcexplorer profiles secret x password
$ rpcexplorer call -p x ping
rpcexplorer: logged in to http://127.0.0.1:8000
"pong"
$ rpcexplorer profiles remove x
…[y/N]: n
…Nothing was changed."""
WRAPPED: Final = """\
$ rpcexplorer manual x
rpcexplorer: There is no page x. The pages are tutorial, calls, profiles, connecting,
  auth, logins, secrets, …
  rpcexplorer manual --help"""


@pytest.mark.everyday(40)
@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("console", f'$ {CALL} a=1\n{{"a":"1"}}\n\n$ {CALL} b:=1\n{{"b":1}}'),
        ("console", f'$ {CALL} a=1 | cat > a.json\n$ cat a.json\n{{"a":"1"}}'),
        ("console", f'$ {CALL} \\\n  a=1\n{{\n  "a": "1"\n}}'),
        ("console", f"$ {CALL} - <<'END'\n[1]\nEND\n[1]"),
        ("console", f"$ {CALL} a=1 && \\\n  false\n…\n$ echo $?\n1"),
        ("console", "$ rpcexplorer demo --serve --port 8000 &\nhttp://127.0.0.1:8000"),
        (
            "console",
            f"$ {CALL}\n$ rpcexplorer history list\n{LISTED}\n$ rpcexplorer history show {SHOWN_ID}\n{SHOWN}",
        ),
        ("console", STORED),
        ("console", WRAPPED),
        ("sh", f"{CALL} a=1  # a comment's\nrpcexplorer call METHOD | jq . && rpcexplorer -p x call ping"),
        ("sh", f"rpcexplorer copy {SHOWN_ID} --as curl | unknown-program --x\nunknown-program"),
        ("sh", "rpcexplorer call user.get --url https://rpc.example.com x:=1\nrpcexplorer https://rpc.example.com"),
    ],
)
def test_right_example_passes(language: str, text: str, tmp_path: Path) -> None:
    assert check_page("", f"```{language}\n{text}\n```\n", tmp_path) == []


@pytest.mark.everyday(40)
@pytest.mark.parametrize(
    ("language", "text", "problem"),
    [
        ("console", f'$ {CALL} a=1\n{{"a":"2"}}', '{"a":"1"}'),
        ("console", f'$ {CALL} a=1\n{{"a":"1"}}\nmore', '{"a":"1"}'),
        ("console", "$ rpcexplorer nonsense", "ends with 2"),
        ("console", "$ nonsense\nnonsense: command not found", "ends with 127"),
        ("console", f"$ {CALL}\n$ {CALL}\n$ rpcexplorer history list\n{LISTED}\n{LISTED}", "instead of"),
        ("console", "$ rpcexplorer manual nowhere\nrpcexplorer: There is no page\nnowhere…", "instead of"),
        ("sh", "rpcexplorer call ping --nonsense", "No such option"),
        ("sh", "true && rpcexplorer call METHOD --timeout soon", "soon is not valid"),
        ("sh", "cat <(rpcexplorer history show ID ID)", "unexpected extra argument"),
        ("sh", f"rpcexplorer history export {SHOWN_ID} --hide /params/name > calls.toml", "ends with 2"),
        ("sh", "rpcexplorer call ping --url http://127.0.0.1:8000 @missing.json", "missing.json"),
        ("sh", "rpcexplorer import - < missing.json", "missing.json"),
        ("sh", "rpcexplorer call ping 'x", "unexpected EOF"),
    ],
)  # fmt: skip
def test_wrong_example_is_found(language: str, text: str, problem: str, tmp_path: Path) -> None:
    problems = check_page("", f"```{language}\n{text}\n```\n", tmp_path)
    assert problems
    assert problem in problems[0]


PARSED: Final = [(name, block) for name, text in DOCUMENTS.items() for block in blocks_of(text)]


def blocks_in(language: str) -> pytest.MarkDecorator:
    found = [(name, block) for name, block in PARSED if block.language == language]
    return pytest.mark.parametrize("block", [pytest.param(block, id=f"{name}:{block.line}") for name, block in found])


def problems_in_toml(text: str, folder: Path) -> list[str]:
    """Return the problems of a TOML block, read as the file with its keys."""
    values = tomllib.loads(text)
    file = folder / "home" / "config" / "sessions.toml"
    file.parent.mkdir(parents=True)
    if values.keys() <= SESSIONS.keys.keys():
        file.write_text(text)
        bare = [name for name, table in values.get("profile", {}).items() if "url" not in table]
        (folder / "sessions.toml").write_text("".join(f'[profile."{name}"]\nurl = "http://[::1]"\n' for name in bare))
        environment = {"RPCEXPLORER_HOME": str(folder / "home")}
        return [str(problem) for problem in load(Paths.of(environment), folder, environment, None).problems]
    if values.keys() == {"case", "note", "call"} & values.keys():
        file.write_text(text)
        read = case_of(file, text.encode(), datetime.now(UTC))
        return [str(read)] if isinstance(read, Problem) else []
    for rule in (SETTINGS_SHAPE, THEME_SHAPE, PRESET):
        if values.keys() <= rule.keys.keys():
            file.write_text(text)
            read_file = read_toml(file)
            assert isinstance(read_file, TomlFile)
            return [str(problem) for _, problem in read_shape(rule, read_file).problems]
    return [f"no file has all of these keys: {', '.join(values)}"]


@pytest.mark.everyday(100)
@blocks_in("toml")
def test_toml_block_loads(block: Block, tmp_path: Path) -> None:
    assert problems_in_toml(block.text, tmp_path) == []


@pytest.mark.everyday(20)
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[profile.x]\nurl = 'http://[::1]'\n[call.y]\nmethod = 'z'\n[reply]\nlimit = 3", "no file"),
        ("[profile.x]\ntimeout = 'long'", "timeout"),
        ("[profile.x]\nauth = { kind = 'basic', password = 'x' }", "password"),
        ("[call.y]\nparams_json = '{}'", "method"),
        ("[history]\nfolders = 'x'", "folders"),
        ("[colors]\naccent = 'nice'", "accent"),
        ("path = 3", "path"),
        ("case = 2\n[[call]]\nmethod = 'x'", "case"),
    ],
)
def test_wrong_toml_block_is_found(text: str, problem: str, tmp_path: Path) -> None:
    assert problem in "\n".join(problems_in_toml(text, tmp_path))


@blocks_in("json")
def test_json_block_parses(block: Block) -> None:
    json.loads(block.text)


@blocks_in("jq")
def test_jq_line_compiles(block: Block) -> None:
    for line in block.text.splitlines():
        jq.compile(line)


@pytest.mark.everyday(20)
@blocks_in("python")
def test_python_block_runs(
    block: Block, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    code = compile(block.text, f"line {block.line}", "exec")
    if '"--stdio"' in block.text:
        monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
        exec(code, {"__name__": "__main__"})
        assert capsys.readouterr().out.startswith('{"jsonrpc": "2.0", "method": "clock.tick"')
    if PORT.search(block.text):
        with DemoThread() as demo:
            text = block.text.replace("http://127.0.0.1:8000", demo.url)
            if "\ndef test_" in text:
                (tmp_path / "test_page.py").write_text(text)
                command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
                ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
                assert ended.returncode == 0, ended.stdout
                return
            exec(compile(text, f"line {block.line}", "exec"), {"__name__": "__main__"})
        assert capsys.readouterr().out.startswith("200 ")


IN_BACKTICKS: Final = re.compile(r"`(rpcexplorer [^`]+|[a-z]+ [^`]+)`")
UNPARSED: Final = re.compile(r"[<>|&;…]|\$\(")


def commands_in_sentences(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each command in backticks and its words.

    The command may lack ``rpcexplorer``.
    """
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    for found in IN_BACKTICKS.finditer(text):
        typed = " ".join(found[1].split())
        words = shlex.split(re.split(r" \\?[|<>] | && ", re.sub(r"[\[\]]", "", typed))[0])
        if words[0] == PROGRAM or words[0] in MODULES:
            words = words[words[0] == PROGRAM :]
            if words and not PLACEHOLDER.fullmatch(words[0]) and not UNPARSED.search(" ".join(words)):
                yield typed, words


def test_command_of_a_ci_job_parses(tmp_path: Path) -> None:
    lines = re.findall(r"^ *- (?:run: )?(rpcexplorer .*)", "".join(DOCUMENTS.values()), re.MULTILINE)
    assert lines
    for line in lines:
        words = shlex.split(line, comments=True)[1:]
        assert parse(Request(words, tmp_path, {"RPCEXPLORER_HOME": str(tmp_path)}, b""))


@pytest.mark.everyday(20)
@each_document
def test_command_in_a_sentence_parses(name: str, tmp_path: Path) -> None:
    problems = []
    for typed, words in commands_in_sentences(DOCUMENTS[name]):
        try:
            parse(Request(words, tmp_path, {"RPCEXPLORER_HOME": str(tmp_path)}, b""))
        except click.BadParameter as error:
            if not (isinstance(error, click.MissingParameter) or any(map(PLACEHOLDER.fullmatch, words))):
                problems.append(f"{typed}: {error.format_message()}")
        except click.ClickException as error:
            problems.append(f"{typed}: {error.format_message()}")
    assert problems == []


OPTION: Final = re.compile(r"(?<![\w-])(--[a-z]+(?:-[a-z]+)*)(?![\w-]|…)")


def test_option_exists() -> None:
    known = {"--version", "--help", *FOREIGN_OPTIONS, *OPTION.findall(inspect.getsource(pytest_plugin))}
    groups: list[click.Command] = [program]
    while groups:
        command = groups.pop()
        context = click.Context(command)
        known |= {option for param in command.get_params(context) for option in (*param.opts, *param.secondary_opts)}
        if isinstance(command, click.Group):
            groups += filter(None, (command.get_command(context, name) for name in command.list_commands(context)))
    used = {(name, option) for name, text in DOCUMENTS.items() for option in OPTION.findall(text)}
    used = {(name, option) for name, option in used if name != "development"}  # that page is about git, pytest and pip
    assert sorted((name, option) for name, option in used if option not in known) == []


@pytest.mark.everyday(20)
@each_page
def test_page_fits_and_begins_with_its_summary(name: str) -> None:
    lines = PAGES[name].splitlines()
    commands = sum(line.startswith("| ") for line in lines) if name == "keys" else 0  # a row for each
    assert len(lines) - commands <= 200
    assert [line for line in lines if len(line) > 120] == []
    page = read_page(name)
    assert lines[0] == f"# {page.title}"
    assert page.summary.endswith(".")
    assert len(page.summary) < 120
    assert "[" not in page.summary


def anchors_of(page: str) -> set[str]:
    return {heading.anchor for heading in markdown_page(PAGES[page], 80, 80).headings}


def test_section_of_a_pane_or_a_link_exists() -> None:
    sections = {(page, anchor) for page, _, anchor in (target.partition("#") for target in PANE_PAGES.values())}
    for name, text in DOCUMENTS.items():
        for file, anchor in re.findall(r"\]\((?:rpcexplorer/manual/)?([\w-]*(?:\.md)?)#([^)]*)\)", text):
            sections.add((file.removesuffix(".md") or name, anchor))
    assert sorted(section for section in sections if section[1] and section[1] not in anchors_of(section[0])) == []


def links_of(text: str) -> list[str]:
    return re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)


@pytest.mark.everyday(20)
@each_page
def test_link_of_a_page_leads_to_a_page(name: str) -> None:
    assert [link for link in links_of(PAGES[name]) if not (FOLDER / link).is_file()] == []


def test_every_page_is_reachable() -> None:
    """From the help of a command, from F1, or from a link of such a page."""
    reachable = {*COMMAND_PAGES.values(), *(page.partition("#")[0] for page in PANE_PAGES.values())}
    assert reachable <= {*NAMES}
    for _ in NAMES:
        reachable |= {Path(link).stem for name in reachable & PAGES.keys() for link in links_of(PAGES[name])}
    assert reachable == {*NAMES} == {file.stem for file in FOLDER.glob("*.md")}


def test_every_command_has_a_page() -> None:
    assert {words.split()[0] for words in COMMAND_PAGES} == {*MODULES}


def test_every_pane_has_a_page() -> None:
    assert {*SCOPES} <= {*PANE_PAGES}


def test_changes_describe_this_version() -> None:
    assert f"\n## {__version__}\n" in PAGES["changes"]
