"""Help texts of Bitcoin Core and compatible nodes, Electrum's list and the commands of Core Lightning."""

from __future__ import annotations

from typing import Any

import pytest

from rpcexplorer.discovery.help import help_text, read_help, read_text
from rpcexplorer.discovery.methods import Parameter
from rpcexplorer.discovery.questions import NOT_OFFERED, Answer, Question
from rpcexplorer.model.method import Described, DescribedParam, ExampleCall
from tests.discovery.driving import drive
from tests.discovery.lines import Line, lines_of, start_of

TEXT = """== Chain ==
bestblock
block "blockhash" ( verbosity )
proof ["txid",...] ( "blockhash" )

== Wallet ==
raw [{"txid":"hex","vout":n},...] [{"address":amount},{"data":"hex"},...] ( locktime "mode" ) fee
many "" {"address":amount} ( minconf )
ping
"""
BLOCK = """block "blockhash" ( verbosity )

What is known of a block.
Less of it by default.

Arguments:
1. blockhash    (string, required) Its hash
2. verbosity    (numeric or string, optional, default=1) How much
                of it
3. full         (boolean, optional, default=true) Whether all
4. inputs       (json array, required) The inputs
     [
       "txid",  (string, required) An id
     ]
5. rate         (numeric, optional, default=wallet -rate) A rate

Result (for verbosity = 0):
{                  (json object)
  "hash" : "hex",  (string) The hash
}

Examples:
> coin-cli block "00"
"""


PLAIN = Described(protocol="help")


def by_name(text: str) -> dict[str, Line]:
    return {method.name: method for method in lines_of(read_text(text))}


def in_short(described: Described) -> Line:
    return Line.read("m", described)


def test_overview_lists_methods_with_their_params() -> None:
    methods = by_name(TEXT)
    assert [*methods] == ["bestblock", "block", "proof", "raw", "many", "ping"]
    assert methods["block"] == Line(
        "block",
        "Chain",
        source="discovered",
        parameters=(Parameter("blockhash", True, "string"), Parameter("verbosity", False)),
        by="position",
        protocol="help",
    )
    assert methods["ping"].doc == "Wallet"
    assert methods["proof"].parameters == (Parameter("", True, "array"), Parameter("blockhash", False, "string"))


def test_nested_brackets_are_one_param() -> None:
    assert by_name(TEXT)["raw"].parameters == (
        Parameter("", True, "array"),
        Parameter("", True, "array"),
        Parameter("locktime", False),
        Parameter("mode", False, "string"),
        Parameter("fee", True),
    )
    many = read_text(TEXT).described["many"]
    assert [parameter.kind for parameter in in_short(many).parameters] == ["string", "object", ""]
    assert start_of(many) == ["", {}]


@pytest.mark.parametrize("line", ['m [{"a":', 'm ( "a" "b', "m )))(((", 'm "', "m " + "[" * 9_999, "m " + "x " * 99])
def test_incomplete_line_is_read_up_to_its_error(line: str) -> None:
    method = by_name(f"== A ==\n{line}")["m"]
    assert len(method.parameters) <= 99


@pytest.mark.parametrize(
    "arguments",
    [
        "1. a    (string, required) An a\n\nResult:\n1. hash    (string) A\n2. b    (string) B\n",
        '1. "a"     (string, required) An a\n',
    ],
    ids=["numbers that begin again", "a name in quotes"],
)
def test_arguments_are_read_up_to_the_next_list(arguments: str) -> None:
    described = read_help("m", PLAIN, f"m\n\nArguments:\n{arguments}")
    assert in_short(described).parameters == (Parameter("a", True, "string", "An a"),)


@pytest.mark.parametrize("value", [None, 7, {}, "", "another method\n\nText", ["m"]])
def test_help_of_another_method_changes_nothing(value: Any) -> None:
    known = read_text(TEXT).described
    _, listing = drive(help_text([*known.keys() - {"block"}]), Answer(TEXT), Answer(value))
    assert listing.described == known


def test_help_of_single_methods_is_requested() -> None:
    no = Answer(refusal="error -1 no")
    questions, listing = drive(help_text({"ping"}), Answer(TEXT), no, Answer(BLOCK), no, no, no)
    assert questions == [
        Question("help"),
        *(Question("help", f'["{name}"]', aside=True) for name in ("bestblock", "block", "proof", "raw", "many")),
    ]
    assert listing.described["block"].result_doc
    assert listing.skipped == ("help texts for 4 of 5 methods: error -1 no",)


def test_list_of_names_asks_for_single_helps() -> None:
    no = Answer(refusal=f"{NOT_OFFERED} (1 takes 1 positional argument)")
    questions, listing = drive(help_text(()), Answer(["add_peer", "broadcast"]), no)
    assert [*listing.described] == ["add_peer", "broadcast"]
    assert questions == [Question("help"), Question("help", '["add_peer"]', aside=True)]
    assert listing.skipped == (), "what nobody offered is no fault"
    _, listing = drive(help_text(()), Answer(["block", "ping"]), Answer(BLOCK), Answer("Says hello.\n\nTo you."))
    block, ping = lines_of(listing)
    assert [parameter.name for parameter in block.parameters] == ["blockhash", "verbosity", "full", "inputs", "rate"]
    assert (ping.doc, ping.details) == ("Says hello.", "Says hello.\n\nTo you.")


def test_help_is_read_with_all_its_sections() -> None:
    described = read_help("block", read_text(TEXT).described["block"], BLOCK)
    assert described == Described(
        (
            DescribedParam("blockhash", {"type": "string"}, True, "Its hash"),
            DescribedParam(
                "verbosity",
                {"type": ["number", "string", "null"], "default": 1},
                False,
                "How much\nof it",
                kind="number or string",
            ),
            DescribedParam(
                "full", {"type": ["boolean", "null"], "default": True}, False, "Whether all", kind="boolean"
            ),
            DescribedParam(
                "inputs", {"type": "array"}, True, 'The inputs\n\n[\n  "txid",  (string, required) An id\n]'
            ),
            DescribedParam("rate", {"type": ["number", "null"]}, False, "A rate", kind="number"),
        ),
        result_doc=(
            'Result (for verbosity = 0):\n{                  (json object)\n  "hash" : "hex",  (string) The hash\n}'
        ),
        examples=(ExampleCall("", ["00"]),),
        tags=("Chain",),
        protocol="help",
        doc="What is known of a block. Less of it by default.",
        details="What is known of a block.\nLess of it by default.",
        by="position",
    )


def test_type_of_a_result_is_read_if_there_is_one() -> None:
    described = read_help("m", PLAIN, 'm\n\nResult:\n"id"  (string) An id\n')
    assert (described.result_kind, described.result_doc) == ("string", '"id"  (string) An id')
    described = read_help(
        "m", PLAIN, 'm\n\nResult (if a):\n"id"  (string) An id\n\nResult (else):\n{ (json object)\n}\n'
    )
    assert described.result_kind == ""
    assert "Result (else):" in described.result_doc


@pytest.mark.parametrize(
    "value",
    [
        "Select a command.",
        "usage: x",
        ["Usage:", "to call a method, write"],
        {"usage": "x"},
        7,
        [7],
        "== A ==\n",
        " \n",
    ],
)
def test_other_help_lists_nothing(value: Any) -> None:
    _, listing = drive(help_text(()), Answer(value))
    assert lines_of(listing) == ()
    assert listing.refusal


def test_commands_of_core_lightning_are_listed_with_params() -> None:
    commands = [
        {"command": "pay (DEPRECATED!) invstring [amount_msat]", "category": "payment"},
        {"command": "dev subcommand=crash|rhash", "description": "Developer command.", "verbose": "Developer command."},
        {"command": "getinfo", "description": "Show it", "verbose": "Show all of it.\nMore."},
        {"command": 7},
        "help",
    ]
    asked, listing = drive(help_text(()), Answer({"help": commands, "format-hint": "simple"}))
    assert asked == [Question("help")]
    pay, dev, getinfo = (listing.described[name] for name in ("pay", "dev", "getinfo"))
    assert pay == Described(
        (DescribedParam("invstring", required=True), DescribedParam("amount_msat", required=False)),
        protocol="help",
        deprecated=True,
    )
    assert (dev.params[0].name, dev.doc, dev.details) == ("subcommand", "Developer command.", "")
    assert (getinfo.params, getinfo.doc, getinfo.details) == ((), "Show it", "Show all of it.\nMore.")
    assert len(listing.described) == 3
    assert listing.skipped == ("2 names skipped: missing or invalid",)


@pytest.mark.parametrize(
    "text",
    [
        "== " * 100_000,
        "==" + " " * 1_000_000 + "x",
        "== A ==\n" + "m " + "(" * 1_000_000,
        "== A ==\n" + "\n" * 1_000_000 + "m",
        '== A ==\nm "' + "a" * 1_000_000,
    ],
)
@pytest.mark.usefixtures("soon")
def test_hostile_overview_is_read_fast(text: str) -> None:
    read_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "Arguments:\n" + "1. a (string, required) x\n" * 40_000,
        "Arguments:\n" + "1. a (" * 150_000,
        "Result" + ":" * 500_000 + "\n" * 500_000,
        "Result:\n" * 100_000,
        "1. " + " " * 1_000_000,
        "default=" * 100_000,
    ],
)
@pytest.mark.usefixtures("soon")
def test_hostile_help_is_read_fast(text: str) -> None:
    read_help("m", PLAIN, f"m\n\n{text}")


@pytest.mark.parametrize(
    ("notes", "default"),
    [
        ("numeric, optional, default=0.25", 0.25),
        ("numeric, optional, default=wallet -rate", None),
        ("boolean, optional, default=true", True),
        ("boolean, optional, default=1", None),
        ('string, optional, default="all"', "all"),
        ("string, optional, default=all of them", None),
    ],
)
def test_default_is_a_value_of_its_type(notes: str, default: Any) -> None:
    (param,) = read_help("m", PLAIN, f"m\n\nArguments:\n1. a ({notes}) An a\n").params
    assert param.schema.get("default") == default
    assert type(param.schema.get("default")) is type(default)


PARAMS = "m\n\nArguments:\n1. a (string)\n2. b (numeric)\n3. c (json array)\n4. d (numeric or string)\n\nExamples:\n"


@pytest.mark.parametrize(
    ("command", "params"),
    [
        ("coin-cli m", []),
        ('coin-cli m "00" 2', ["00", 2]),
        ("coin-cli m 7", ["7"]),
        (r'coin-cli m "" 1.5 "[\"a\", 1]" all', ["", 1.5, ["a", 1], "all"]),
        ('coin-cli -named m to=a count=2 more="[1]"', {"to": "a", "count": 2, "more": [1]}),
        ("coin-cli other 1", None),
        ("coin-cli", None),
        ("", None),
        ('coin-cli m "a', None),
        ("""curl --data-binary '{"method": "m", "params": ["a", 2]}' -H 'x' http://127.0.0.1/""", None),
    ],
)
def test_command_becomes_the_params_it_sends(command: str, params: Any) -> None:
    examples = read_help("m", PLAIN, f"{PARAMS}\nSend all:\n> {command}\n").examples
    assert examples == (() if params is None else (ExampleCall("Send all", params),))
