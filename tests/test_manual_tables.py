"""Tables and examples of the manual match the program."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click

from rpcexplorer.cli.main import MODULES, program
from rpcexplorer.discovery.interview import PROTOCOLS
from rpcexplorer.files.toml_shape import Place, size_rule
from rpcexplorer.model.exchange import OUTCOMES
from rpcexplorer.model.filter import BOUNDS
from rpcexplorer.model.settings import DARK, Settings
from rpcexplorer.profiles.keys import OF_ONE_SERVER
from rpcexplorer.text.exchange import SIGNS

MANUAL = Path(__file__).parent.parent / "rpcexplorer" / "manual"


def page(name: str) -> str:
    return (MANUAL / f"{name}.md").read_text(encoding="utf-8")


def rows(text: str, heading: str) -> list[list[str]]:
    """Return the cells of the table whose first column has this heading."""
    found = re.search(rf"^\| {re.escape(heading)} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert found, f"no table begins with {heading}"
    lines = found[1].splitlines()
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def unquoted(cell: str) -> str:
    return cell.strip("`").replace("\\|", "|")


def fields(name: str, heading: str) -> list[str]:
    return [field for row in rows(page(name), heading) for field in re.findall(r"`(\w+)`", row[0])]


def test_profile_keys_not_allowed_in_presets_are_marked() -> None:
    marked = {row[0].split("`")[1].split(".")[0] for row in rows(page("profiles"), "key of a profile") if "¹" in row[0]}
    assert marked == OF_ONE_SERVER


def test_history_tables_name_every_outcome_and_bound() -> None:
    outcomes = {unquoted(row[0]): unquoted(row[1]) for row in rows(page("history"), "outcome")}
    assert outcomes == {"no-response" if name == "unreached" else name: SIGNS[name] for name in OUTCOMES}
    words = " ".join(row[0] for row in rows(page("history"), "word"))
    assert set(re.findall(r"(\w+):", words)) == {"outcome", "method", "profile", "by", *BOUNDS}


def test_settings_table_shows_defaults() -> None:
    table = {unquoted(row[0]): unquoted(row[2]) for row in rows(page("settings"), "setting")}
    usual = Settings()
    assert table["theme"] == DARK.name
    assert table["secrets.store"] == usual.secret_store
    assert table["history.record"] == json.dumps(usual.history.record)
    size, place = size_rule(1), Place(MANUAL, ())
    assert size(table["history.body_limit"], place) == usual.history.body_limit
    assert size(table["reply.limit"], place) == usual.reply_limit


def test_settings_page_names_every_theme_role() -> None:
    roles = page("settings").split("Roles in")[1:3]
    assert {*DARK.colours, *DARK.json} <= {*re.findall(r"`(\w+)`", " ".join(roles))}


def test_discovery_table_has_every_protocol() -> None:
    named = {unquoted(row[0]).strip('"') for row in rows(page("discovery"), "`discovery`")}
    assert named - {'{ url = "/openrpc.json" }', '{ file = "openrpc.json" }'} == {"auto", "none", *PROTOCOLS}


def test_sign_table_has_the_sign_of_every_outcome() -> None:
    named = {sign for row in rows(page("calls"), "sign") for sign in row[0].replace("`", "").split()}
    assert set(SIGNS.values()) <= named


def test_json_table_names_every_command_with_json() -> None:
    found = set()
    for name in MODULES:
        command = program.get_command(click.Context(program), name)
        for each in [command, *getattr(command, "commands", {}).values()]:
            if each and any({"--json", "--jsonl"} & {*param.opts} for param in each.params):
                found.add(each.name)
    table = page("scripts").split("## JSON output")[1]
    shown = " ".join(row[0] for row in rows(table, "command"))
    assert found <= {*re.findall(r"\w+", shown)}


def test_code_glossary_names_are_in_their_files() -> None:
    for names, file, _ in rows(page("development"), "name"):
        code = (MANUAL.parent / unquoted(file)).read_text(encoding="utf-8")
        for name in re.findall(r"`(\w+)`", names):
            assert re.search(rf"^(?:class )?{name}\b", code, re.MULTILINE), name


def test_package_table_has_every_package() -> None:
    shown = {
        name.rstrip("/") for row in rows(page("development"), "package") for name in re.findall(r"`(.+?)`", row[0])
    }
    ours = {path.name for path in MANUAL.parent.iterdir() if not path.name.startswith("__p")}
    assert shown == ours - {"__init__.py", "patterns.py", "py.typed"}


def test_benchmark_table_has_every_script() -> None:
    folder = MANUAL.parent.parent / "tests" / "benchmarks"
    scripts = {path.stem for path in folder.glob("*.py") if "__main__" in path.read_text(encoding="utf-8")}
    assert set(fields("development", "script")) == scripts - {"response_server"}


VALUES = "password|30 s|/api/v2/|application/json-rpc|-3260[12] |…"
"""Parts of a quoted message that differ in another call."""


def test_quoted_messages_are_in_the_program() -> None:
    sources = "\n".join(file.read_text(encoding="utf-8") for file in MANUAL.parent.rglob("*.py"))
    sources = re.sub(r'"\s*\n\s*f?"', "", sources)
    quoted = [part for row in rows(page("connecting"), "part of the message") for part in re.findall("`(.+?)`", row[0])]
    messages = [part for part in quoted if not part.startswith("HTTP ")]
    assert len(messages) >= 20
    for message in messages:
        pattern = ".{0,60}?".join(map(re.escape, re.split(VALUES, message)))
        assert re.search(pattern, sources), message
