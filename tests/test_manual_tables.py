"""Tables of the manual match the program."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, get_args

import click
import pytest

from rpcexplorer.__main__ import PIPE_CLOSED, SOFTWARE
from rpcexplorer.auth.registry import KINDS
from rpcexplorer.cli.compare import DIFFERS
from rpcexplorer.cli.main import MODULES, program
from rpcexplorer.demo import PASSWORD, USERNAME
from rpcexplorer.demo.http import DemoThread
from rpcexplorer.discovery.interview import PROTOCOLS
from rpcexplorer.files.toml_shape import MapRule, Place, TableRule, size_rule
from rpcexplorer.manual import read_pages
from rpcexplorer.model.exchange import EXIT_CODES, OUTCOMES
from rpcexplorer.model.filter import BOUNDS
from rpcexplorer.model.profile import SCHEMES, Profile, no_place_for
from rpcexplorer.model.settings import DARK, Settings
from rpcexplorer.profiles.expect import RULES as EXPECTATIONS
from rpcexplorer.profiles.keys import METHOD, OF_ONE_SERVER, PROFILE_KEYS
from rpcexplorer.profiles.layers import Presets
from rpcexplorer.profiles.values import ANSWER_KEYS
from rpcexplorer.settings import SETTINGS_SHAPE, Themes
from rpcexplorer.text.exchange import SIGNS
from rpcexplorer.transport.port import Framing
from rpcexplorer.tui.commands import COMMANDS, SCOPES, shown_keys
from tests.fakes.shell import Shell

ROOT: Final = Path(__file__).parent.parent
PACKAGE: Final = ROOT / "rpcexplorer"
PAGES: Final = {page.name: page.text for page in read_pages()}


def table_of(page: str, head: str) -> list[list[str]]:
    """Return the cells of the table with this heading, without backticks."""
    text = PAGES[page].replace("`", "")
    found = re.search(rf"^\| {re.escape(head)} \|.*\n\|[-|]+\|\n((?:\|.*\n)*)", text, re.MULTILINE)
    assert found, f"{page} has no table {head}"
    rows = [re.split(r" *(?<!\\)\| *", line)[1:-1] for line in found[1].splitlines()]
    return [[cell.replace("\\|", "|") for cell in row] for row in rows]


@cache
def shown_texts() -> list[str]:
    """Return the strings of the program, with … for values."""
    texts = []
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.JoinedStr):
                parts = [str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values]
                texts.append("".join(parts))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.append(node.value)
    return texts


@pytest.mark.parametrize(("page", "least"), [("connecting", 20), ("connections", 7)])
def test_table_of_messages_quotes_the_program(page: str, least: int) -> None:
    texts = shown_texts()
    section = PAGES[page].partition("| part of the message |")[2].partition("\n\n")[0]
    column = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    quotes = [quote for cell in column for quote in re.findall(r"`([^`]+)`", cell)]
    assert len(quotes) > least
    assert [quote for quote in quotes if not any(quote in text for text in texts)] == []


def names_in(page: str, head: str) -> list[str]:
    """Return the names in the first column of a table."""
    return [name for row in table_of(page, head) for name in row[0].split(", ")]


def test_table_of_commands_is_complete() -> None:
    assert {row[0].split()[0] for row in table_of("scripts", "command")} == {*MODULES}


@pytest.mark.parametrize("group", ["profiles", "history"])
def test_row_of_a_group_names_all_subcommands(group: str) -> None:
    row = next(row[0] for row in table_of("scripts", "command") if row[0].startswith(f"{group} "))
    command = program.get_command(click.Context(program), group)
    assert isinstance(command, click.Group)
    assert {*row.split()[-1].split("|")} == {*command.commands}


def test_table_of_exit_codes_matches_the_code() -> None:
    codes = {*EXIT_CODES.values(), 3, DIFFERS, SOFTWARE, PIPE_CLOSED}
    assert [int(row[0]) for row in table_of("scripts", "code")] == sorted(codes)
    help_text = (program.help or "").partition("Exit codes:")[2].partition("Examples:")[0]
    assert re.findall(r"^ *(\d+) ", help_text, re.MULTILINE) == [row[0] for row in table_of("scripts", "code")]


@pytest.mark.parametrize("command", ["keys", "paths"])
def test_table_of_json_names_all_members(command: str, tmp_path: Path) -> None:
    row = next(row for row in table_of("json", "command | prints") if row[0] == command)
    printed = json.loads(Shell(tmp_path).run(command, "--json").out)
    assert row[1].removeprefix("an array: ").split(", ") == [*printed[0]]


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """Yield a home with calls of the demo service."""
    shell = Shell(tmp_path_factory.mktemp("used"))
    (shell.folder / "checks.toml").write_text('[call.ping]\nmethod = "ping"\nexpect = { outcome = "result" }\n')
    with DemoThread() as demo:
        for command in (
            f"profiles add shop --url {demo.url} --auth cookie --username {USERNAME}",
            "profiles secret shop password --stdin",
            "methods --refresh",
            "call demo.echo page:=1",
            "call demo.echo page:=2",
        ):
            ran = shell.run(*command.split(), stdin=PASSWORD.encode())
            assert ran.code == 0, ran.err
        yield shell


@pytest.mark.everyday(20)
@pytest.mark.parametrize(
    ("page", "head", "command"),
    [
        ("json", "field of check --json", "check checks.toml --json"),
        ("json", "field of methods --json", "methods demo.orders.place --json"),
        ("json", "field", "history show --json"),
        ("json", "field of history stats --json", "history stats --json"),
        ("json", "field of profiles test --json", "profiles test shop --json"),
        ("json", "field of a difference", "compare -1 -2 --json"),
        ("json", "field of a replayed call", "replay -1 --json"),
    ],
)
def test_table_of_json_has_all_fields(page: str, head: str, command: str, used: Shell) -> None:
    ids = re.findall(r"\b1m[0-9a-z]{13}\b", used.run("history", "search", "demo.echo").text)
    words = [ids[-int(word) - 1] if re.fullmatch(r"-\d", word) else word for word in command.split()]
    printed = json.loads(used.run(*words).text)
    fields = {*names_in(page, head)}
    optional = {"profile"} if head == "field of a difference" else set()
    assert fields - optional == (printed[0] if isinstance(printed, list) else printed).keys()


def test_listed_call_has_the_first_fields(used: Shell) -> None:
    listed = json.loads(used.run("history", "list", "--json").text.splitlines()[0])
    rows = [row[0].split(", ") for row in table_of("json", "field")]
    last = next(at for at, row in enumerate(rows) if "message" in row)
    assert listed.keys() == {field for row in rows[:last] for field in row}


def test_table_of_keys_is_the_command_table() -> None:
    expected = ""
    for scope, title in SCOPES.items():
        expected += f"### {title}\n\n| key | does | command |\n|---|---|---|\n"
        for command in COMMANDS:
            if command.scope == scope:
                keys = (shown_keys(command) or "(in palette)").replace("|", "\\|")
                expected += f"| {keys} | {command.help} | `{command.id}` |\n"
        expected += "\n"
    found = PAGES["keys"].partition(f"### {SCOPES['everywhere']}")
    assert (found[1] + found[2]).partition("See also:")[0] == expected, f"keys.md must have:\n\n{expected}"


def test_table_of_settings_has_all_keys() -> None:
    expected = []
    for key, rule in SETTINGS_SHAPE.keys.items():
        inner = [*rule.keys] if isinstance(rule, TableRule) else ["COMMAND"] if isinstance(rule, MapRule) else [""]
        expected += [f"{key}.{item}".rstrip(".") for item in inner]
    assert [row[0] for row in table_of("settings", "setting")] == expected


def test_table_of_themes_names_all_themes(tmp_path: Path) -> None:
    assert {*names_in("settings", "theme")} == Themes(tmp_path).files().keys()


def test_table_of_paths_matches_the_command(tmp_path: Path) -> None:
    listed = json.loads(Shell(tmp_path).run("paths", "--json").out)
    assert [row[0] for row in table_of("settings", "name in paths")] == [entry["name"] for entry in listed]


def test_table_of_auth_types_is_the_registry() -> None:
    rows = table_of("auth", "auth type")
    assert [row[0] for row in rows] == [*KINDS]
    for kind, _, secrets, _ in rows[:-1]:
        assert secrets.split() == [*KINDS[kind]().secrets(Profile("x", "http://x"))]


def test_table_of_urls_names_all_schemes_and_auth_types() -> None:
    named = {
        url.partition(":")[0]: row[2]
        for row in table_of("connections", "url of a profile")
        for url in row[0].split(", ")
    }
    assert {"http", "https", *named} == SCHEMES.keys()
    for scheme, kinds in named.items():
        allowed = {kind for kind in KINDS if not no_place_for(SCHEMES[scheme], ("auth", "kind"), kind)}
        assert {"all": {*KINDS}, "all but digest": {*KINDS} - {"digest"}}.get(kinds, {*kinds.split(", ")}) == allowed


def test_tables_of_connections_match_the_profile() -> None:
    assert {row[0].strip('"') for row in table_of("connections", "framing")} == {*get_args(Framing)}
    assert {row[0] for row in table_of("answers", "key of an answer")} == {*ANSWER_KEYS}


def test_table_of_presets_matches_the_files(tmp_path: Path) -> None:
    expected = []
    for file in Presets(tmp_path).all():
        values = file.preset.values
        kind = values.auth.kind
        source = values.discovery
        expected.append([file.preset.name, kind, source if isinstance(source, str) else "…"])
    assert [[row[0], row[2], row[3]] for row in table_of("profiles", "preset")] == expected


def test_table_of_profile_keys_has_all_keys() -> None:
    named = [row[0].split(" ")[0] for row in table_of("profile-keys", "key of a profile")]
    expected = {row.key for row in PROFILE_KEYS} - {"method", "call", "variables"}
    expected |= {f"method.NAME.{key}" for key in METHOD.keys} | {"call.NAME", "variables.NAME"}
    assert sorted(named) == sorted(expected)


def test_table_of_expectations_has_all_keys() -> None:
    assert [row[0] for row in table_of("checks", "key of expect")] == [*EXPECTATIONS]


def test_profile_keys_not_allowed_in_presets_are_marked() -> None:
    marked = {row[0].partition(" ")[0] for row in table_of("profile-keys", "key of a profile") if "¹" in row[0]}
    assert {key.partition(".NAME")[0] for key in marked} == OF_ONE_SERVER


def test_history_tables_name_every_outcome_and_bound() -> None:
    outcomes = {row[0]: row[1] for row in table_of("history", "outcome")}
    assert outcomes == {"no-response" if name == "unreached" else name: SIGNS[name] for name in OUTCOMES}
    words = {name.partition(":")[0] for name in names_in("history", "word") if ":" in name}
    assert words == {"outcome", "method", "profile", "by", *BOUNDS}


def test_settings_table_shows_defaults() -> None:
    table = {row[0]: row[2] for row in table_of("settings", "setting")}
    usual = Settings()
    assert table["theme"] == DARK.name
    assert table["secrets.store"] == usual.secret_store
    assert table["history.record"] == json.dumps(usual.history.record)
    size, place = size_rule(1), Place(ROOT, ())
    assert size(table["history.body_limit"], place) == usual.history.body_limit
    assert size(table["reply.limit"], place) == usual.reply_limit


def test_settings_page_names_every_theme_role() -> None:
    roles = PAGES["settings"].split("Roles in")[1:3]
    assert {*DARK.colours, *DARK.json} <= {*re.findall(r"`(\w+)`", " ".join(roles))}


def test_discovery_table_has_every_protocol() -> None:
    named = {row[0].strip('"') for row in table_of("discovery", "discovery")}
    assert named - {'{ url = "/openrpc.json" }', '{ file = "openrpc.json" }'} == {"auto", "none", *PROTOCOLS}


def test_sign_table_has_the_sign_of_every_outcome() -> None:
    named = {sign for row in table_of("calls", "sign") for sign in row[0].split()}
    assert set(SIGNS.values()) <= named


def test_json_table_names_every_command_with_json() -> None:
    found = set()
    for name in MODULES:
        command = program.get_command(click.Context(program), name)
        for each in [command, *getattr(command, "commands", {}).values()]:
            if each and any({"--json", "--jsonl"} & {*param.opts} for param in each.params):
                found.add(each.name)
    shown = " ".join(row[0] for row in table_of("json", "command | prints"))
    assert found <= {*re.findall(r"\w+", shown)}


def test_code_glossary_names_are_in_their_files() -> None:
    for names, file, _ in table_of("development", "name"):
        code = (PACKAGE / file).read_text(encoding="utf-8")
        for name in re.findall(r"\w+", names):
            assert re.search(rf"^(?:class |def )?{name}\b", code, re.MULTILINE), name


def test_package_table_has_every_package() -> None:
    shown = {name.rstrip("/") for name in names_in("development", "package")}
    ours = {path.name for path in PACKAGE.iterdir() if not path.name.startswith("__p")}
    assert shown == ours - {"__init__.py", "patterns.py", "py.typed"}


def test_benchmark_table_has_every_script() -> None:
    files = (ROOT / "tests" / "benchmarks").glob("*.py")
    scripts = {path.stem for path in files if "__main__" in path.read_text(encoding="utf-8")}
    assert {*names_in("development", "script")} == scripts - {"response_server"}
