"""What a server of MCP asks during a command: questions on a terminal, a rule, or nobody to ask."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rpcexplorer.cli import answers
from tests.fakes.mcp_server import PROGRAM
from tests.fakes.shell import Ran, Shell
from tests.fakes.terminal import Terminal

FISH = [{"const": "f1", "title": "Tuna"}, {"const": "f2", "title": "Trout"}]
FORM = {
    "message": "Who are you?",
    "requestedSchema": {
        "type": "object",
        "properties": {
            "name": {"type": "string", "title": "Name", "description": "In full"},
            "age": {"type": "integer", "maximum": 150, "default": 30},
            "mail": {"type": "string", "format": "email"},
            "sure": {"type": "boolean"},
            "fish": {"type": "array", "items": {"anyOf": FISH}},
        },
        "required": ["name"],
    },
}
PAGE = {"mode": "url", "url": "https://bank.example/pay", "message": "Please pay.", "elicitationId": "e1"}


@pytest.fixture
def fake(shell: Shell) -> Shell:
    """Return a shell with a profile of the server."""
    shell.own(f'[profile.fake]\nurl = "stdio:"\npreset = "mcp"\ncommand = {json.dumps(PROGRAM)}\ntimeout = 5\n')
    return shell


def ask(shell: Shell, params: dict[str, Any], *options: str, typed: bytes | None = None) -> Ran:
    return shell.run("call", "-p", "fake", "ask", json.dumps(params), *options, typed=typed, NO_COLOR="1")


def answer(ran: Ran) -> Any:
    return json.loads(json.loads(ran.out)["content"][0]["text"])


def lines(*typed: str) -> bytes:
    return "".join(f"{line}\n" for line in typed).encode()


def test_form_is_asked_field_by_field(fake: Shell) -> None:
    ran = ask(fake, FORM, typed=lines("", "Ada", "151", "", "ada", "ada@x.org", "maybe", "y", "Trout, 1", ""))
    assert ran.code == 0
    content = {"name": "Ada", "age": 30, "mail": "ada@x.org", "sure": True, "fish": ["f2", "f1"]}
    assert answer(ran) == {"action": "accept", "content": content}
    for line in (
        "rpcexplorer: fake asks: Who are you?",
        " 1. name (Name: In full), required: ",
        "! name is required",
        " 2. age [30]: ",
        "! age must be 150 or less",
        "! mail must be an email address, such as ada@example.org",
        " 4. sure: yes or no: ",
        "! sure needs yes or no",
        " 5. fish: 1 Tuna, 2 Trout; several with commas: ",
    ):
        assert line in ran.err


def test_optional_fields_are_left_out_and_answers_changed(fake: Shell) -> None:
    ran = ask(fake, FORM, typed=lines("Bob", "7", "", "", "", "9", "1", "Ada", ""))
    assert answer(ran)["content"] == {"name": "Ada", "age": 7}


@pytest.mark.parametrize(
    ("typed", "action"), [(lines("/decline"), "decline"), (lines("Ada", "/cancel"), "cancel"), (b"", "cancel")]
)
def test_form_is_declined_or_cancelled(fake: Shell, typed: bytes, action: str) -> None:
    ran = ask(fake, FORM, typed=typed)
    assert answer(ran) == {"action": action}
    assert "/decline declines, /cancel gives no answer." in ran.err


def test_secret_is_neither_shown_nor_recorded(fake: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "ask_hidden", lambda _: "pass-words-9")
    schema = {"properties": {"key": {"type": "string", "format": "password"}}}
    ran = ask(fake, {"message": "m", "requestedSchema": schema}, typed=b"")
    assert answer(ran)["content"] == {"key": "«not recorded»"}
    assert "pass-words" not in ran.err
    assert not [path for path, text in fake.files().items() if "pass-words" in text]
    recorded = [line for text in fake.files().values() for line in text.splitlines() if line.startswith("answer = ")]
    assert recorded
    assert all("«not recorded»" in line for line in recorded)


@pytest.mark.parametrize(("typed", "action"), [(lines("what", "yes"), "accept"), (lines("n"), "decline")])
def test_page_is_agreed_to(fake: Shell, typed: bytes, action: str) -> None:
    ran = ask(fake, PAGE, typed=typed)
    assert answer(ran) == {"action": action}
    assert "It asks you to open a page at bank.example in your browser." in ran.err
    assert "\n  https://bank.example/pay\n" in ran.err


@pytest.mark.parametrize(("fields", "why"), [(300, "The form has 300 fields"), (10_000, "larger than 256 kB")])
def test_form_that_is_too_large_is_answered_as_json(fake: Shell, fields: int, why: str) -> None:
    schema = {"properties": {f"f{number}": {"type": "string"} for number in range(fields)}}
    ran = ask(fake, {"message": "m", "requestedSchema": schema}, typed=lines("[1]", '{"f1": "x"}'))
    assert answer(ran) == {"action": "accept", "content": {"f1": "x"}}
    assert why in ran.err
    assert "! This is not a JSON object." in ran.err


def test_secret_that_is_typed_as_json_is_not_recorded(fake: Shell) -> None:
    schema = {"properties": {f"f{number}": {"type": "string"} for number in range(300)}}
    ran = ask(fake, {"message": "m", "requestedSchema": schema}, typed=lines('{"password": "pass-words-9"}'))
    assert ran.code == 0
    assert not [path for path, text in fake.files().items() if "pass-words" in text]


def test_questions_are_printed_where_nobody_can_answer(fake: Shell) -> None:
    ran = ask(fake, FORM)
    assert ran.code == 1
    assert answer(ran)["code"] == -32601
    for line in ("Who are you?", " 1. name (Name: In full), required", " 2. age [30]", "profiles set fake"):
        assert line in ran.err


def test_no_input_asks_nobody(fake: Shell) -> None:
    assert ask(fake, FORM, "--no-input", typed=lines("Ada")).code == 1


def test_rule_answers_without_a_question(fake: Shell) -> None:
    rule = '{"action":"accept","content":{"name":"Ada"}}'
    assert fake.run("profiles", "set", "fake", f'answer."elicitation/create".result_json={rule}').code == 0
    ran = ask(fake, FORM)
    assert (ran.code, answer(ran)["content"]) == (0, {"name": "Ada"})
    assert "name (Name" not in ran.err


@pytest.mark.parametrize("typed", [None, b""])
def test_elicitation_is_offered_if_it_can_be_answered(fake: Shell, typed: bytes | None) -> None:
    ran = fake.run("call", "-p", "fake", "offered", "{}", typed=typed, NO_COLOR="1")
    assert ("elicitation" in answer(ran)) == (typed is not None)


@pytest.mark.parametrize("typed", [None, b""])
def test_dry_run_offers_what_the_call_offers(shell: Shell, typed: bytes | None) -> None:
    shell.own('[profile.fake]\nurl = "http://127.0.0.1:9"\npreset = "mcp"\nmcp = "2026-07-28"\n')
    ran = shell.run("call", "-p", "fake", "offered", "--dry-run", typed=typed)
    assert b"clientCapabilities" in ran.out
    assert (b"elicitation" in ran.out) == (typed is not None)


def test_check_asks_and_does_not_count_the_time(fake: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    async def slowly(*_: object) -> None:
        import asyncio

        await asyncio.sleep(0.6)

    monkeypatch.setattr(answers._Asking, "_until_typed", slowly)
    schema = {"properties": {"name": {"type": "string"}}}
    params = json.dumps({"message": "m", "requestedSchema": schema})
    expect = 'values = { "/content/0/type" = "text" }, within = 500'
    fake.sessions(f"[profile.fake.call.asked]\nmethod = \"ask\"\nparams_json = '{params}'\nexpect = {{ {expect} }}\n")
    ran = fake.run("check", "-p", "fake", "@asked", typed=lines("Ada"))
    assert ran.code == 0, ran.text + ran.err


def test_question_in_a_terminal_takes_only_what_is_typed_then(fake: Shell) -> None:
    schema = {"properties": {"name": {"type": "string"}, "secret": {"type": "string"}}, "required": ["name"]}
    params = json.dumps({"message": "Well?", "requestedSchema": schema})
    command = ["call", "-p", "fake", "ask", params]
    with Terminal(command, {**fake.environment, "NO_COLOR": "1"}, fake.folder, (120, 40)) as terminal:
        terminal.type("typed too early\n")
        terminal.sees("1. name, required:")
        terminal.type("Ada\n")
        terminal.sees("2. secret:")
        terminal.type("pass-words-9\n")
        terminal.sees("Enter sends")
        terminal.type("\n")
        assert terminal.ends() == 0
        assert '\\"name\\": \\"Ada\\"' in terminal.text
        assert "pass-words" not in terminal.text


def test_interrupted_question_cancels_the_call(fake: Shell) -> None:
    schema = {"properties": {"name": {"type": "string"}}}
    command = ["call", "-p", "fake", "ask", json.dumps({"message": "Well?", "requestedSchema": schema})]
    with Terminal(command, fake.environment, fake.folder, (120, 40)) as terminal:
        terminal.sees("1. name:")
        terminal.send(b"\x03")
        assert terminal.ends() == 130
        assert "cancelled: the server may have run the call" in terminal.text
        assert "Traceback" not in terminal.text
