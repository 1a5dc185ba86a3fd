"""Help texts of Bitcoin Core and compatible nodes, and Electrum's list."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET

from rpcexplorer.discovery.help import (
    MAX_CHOICES,
    MAX_DEPTH,
    MAX_EXAMPLES,
    Row,
    examples_of,
    help_text,
    layout_schemas,
    read_help,
    read_text,
    rows_of,
)
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
TXID = {"type": "string", "description": "An id"}


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


@pytest.mark.parametrize("line", ['m [{"a":', 'm ( "a" "b', "m )))(((", 'm "', "m " + "[" * 9_999, "m " + "x " * 9_999])
def test_incomplete_line_is_read_up_to_its_error(line: str) -> None:
    method = by_name(f"== A ==\n{line}")["m"]
    assert len(method.parameters) <= 64


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
    assert lines_of(listing)[1].result == "object"
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
            DescribedParam("inputs", {"type": "array", "items": TXID}, True, "The inputs"),
            DescribedParam("rate", {"type": ["number", "null"]}, False, "A rate", kind="number"),
        ),
        {"type": "object"},
        examples=(ExampleCall("", ["00"]),),
        tags=("Chain",),
        protocol="help",
        doc="What is known of a block. Less of it by default.",
        details="What is known of a block.\nLess of it by default.",
        by="position",
    )


def test_optional_param_before_others_may_be_null() -> None:
    text = 'm\n\nArguments:\n1. a  (string, optional) One of "b", "c"\n2. d  (json object or number, optional)\n{\n}\n'
    text += "3. e (any)"
    described = read_help("m", PLAIN, text)
    assert [param.schema for param in described.params] == [
        {"type": ["string", "null"], "enum": ["b", "c", None]},
        {"anyOf": [{"type": "object"}, {"type": "number"}, {"type": "null"}]},
        True,
    ]
    assert [parameter.kind for parameter in in_short(described).parameters] == ["one of b | c", "object or number", ""]


def test_several_results_become_alternatives() -> None:
    several = 'm\n\nResult (if a):\n"id"  (string) An id\n\nResult (if b):\n{  (json object)\n}\n'
    described = read_help("m", PLAIN, several)
    assert in_short(described).result == "string or object"
    assert described.result == {"anyOf": [{"type": "string", "description": "An id"}, {"type": "object"}]}
    described = read_help("m", PLAIN, f"{several}\nResult (else):\nWords.\n")
    assert described.result is UNSET, "what one of them is nobody can tell"


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


NESTED = """
[
  {                          (json object)
    "id" : "hex",            (string, required) The id (in hex)
                             of it
    "count": n,              (numeric, optional, default=3) How many
    "tags": [                (json array, optional, default=empty array) Tags
      "tag",                 (string) One
      ...
    ],
    "from": n or [n,n],      (numeric or array) A range
  },
  ...
]
"""


def shape(text: str) -> Any:
    (only,) = layout_schemas(rows_of(text.splitlines()))
    return only


def row(text: str) -> Row:
    (only,) = rows_of(text.splitlines())
    return only


def test_nested_brackets_become_nested_schemas() -> None:
    assert shape(NESTED) == {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "id": {"type": "string", "description": "The id (in hex)\nof it"},
                "count": {"type": "number", "description": "How many", "default": 3},
                "tags": {
                    "type": "array",
                    "description": "Tags",
                    "default": [],
                    "items": {"type": "string", "description": "One"},
                },
                "from": {"type": ["number", "array"], "description": "A range"},
            },
            "required": ["id"],
        },
    }


@pytest.mark.parametrize(
    "inside",
    [
        '"address": amount, (numeric) The address is the key, the amount the value',
        '"address": amount, (numeric) A pair. The key (string) is the address',
        '"address": amount, (numeric) An amount\n  ...',
    ],
)
def test_member_with_a_free_name_allows_any_name(inside: str) -> None:
    found = shape(f"{{ (json object)\n  {inside}\n}}")
    assert (found["type"], found["additionalProperties"]["type"]) == ("object", "number")
    assert "properties" not in found


def test_ellipsis_before_a_member_does_not_repeat_it() -> None:
    assert [*shape('{ (json object)\n  ...,  As above\n  "tx" : [ (json array)\n  ]\n}')["properties"]] == ["tx"]


def test_number_of_alternatives_is_limited() -> None:
    found = shape("[\n" + "".join(f'"a", (string) Number {number}\n' for number in range(3_000)))
    assert len(found["items"]["anyOf"]) == MAX_CHOICES


@pytest.mark.parametrize(
    ("text", "choices"),
    [
        ('1. mode (string, required) How. Must be one of:\n   "fast"\n   "slow"', {"enum": ["fast", "slow"]}),
        ('1. mode (string) How. Options are "fast", and "slow".', {"enum": ["fast", "slow"]}),
        ("1. mode (string) How. Options: 'fast' (the usual one), 'slow'.", {"enum": ["fast", "slow"]}),
        ('1. mode (string) One of (case insensitive):\n   "fast"\n   "slow"', {"examples": ["fast", "slow"]}),
        ("1. mode (string) 'fast' to hurry, 'slow' to wait", {"examples": ["fast", "slow"]}),
        ('1. mode (numeric or string) must be one of "fast", "slow"', {"examples": ["fast", "slow"]}),
        ('1. mode (string) Say "fast" or "slow"', {}),
        ('1. mode (numeric) one of "fast", "slow"', {}),
    ],
)
def test_choices_are_the_values_in_the_text(text: str, choices: Any) -> None:
    schema = row(text).schema()
    assert {key: value for key, value in schema.items() if key in {"enum", "examples"}} == choices


@pytest.mark.parametrize(
    ("notes", "default"),
    [
        ("numeric, optional, default=0.25", 0.25),
        ("numeric, optional, default=wallet -rate", None),
        ("numeric, optional, default=not set, or so", None),
        ("boolean, optional, default=true", True),
        ("boolean, optional, default=1", None),
        ("string, optional, default=''", ""),
        ('string, optional, default="all"', "all"),
        ("string, optional, default=all of them", None),
        ("json array, optional, default=empty array", []),
    ],
)
def test_default_is_a_value_of_its_type(notes: str, default: Any) -> None:
    found = row(f"1. a ({notes}) An a").schema()
    assert found.get("default") == default
    assert type(found.get("default")) is type(default)


@pytest.mark.parametrize("text", ["Words (or not) about it", "1. a (whatever) An a", "", "(see there)", "a )( b"])
def test_line_without_a_type_is_not_a_row(text: str) -> None:
    assert [*rows_of([text])] == []


@pytest.mark.parametrize(
    "text",
    [
        "[\n" * 10_000,
        '"a": [\n' * 10_000,
        "]\n}\n" * 10_000,
        "( " * 100_000,
        "1. a (string, " + "(" * 100_000,
        "...\n" * 10_000,
    ],
)
@pytest.mark.usefixtures("soon")
def test_incomplete_layout_is_read_up_to_its_error(text: str) -> None:
    depth, found = 0, layout_schemas(rows_of(text.splitlines()))
    while found and depth <= MAX_DEPTH + 1:
        inner = found[0].get("items", next(iter(found[0].get("properties", {}).values()), None))
        depth, found = depth + 1, [inner] if inner else []
    assert depth <= MAX_DEPTH + 1


KINDS = (("string",), ("number",), ("array",), ("number", "string"))


def params_of(*lines: str) -> list[Any]:
    return [example.params for example in examples_of(lines, "send", KINDS)]


@pytest.mark.parametrize(
    ("command", "params"),
    [
        ("coin-cli send", []),
        ('coin-cli send "00" 2', ["00", 2]),
        ("coin-cli send 7", ["7"]),
        (r'coin-cli send "" 1.5 "[\"a\", 1]" all', ["", 1.5, ["a", 1], "all"]),
        ("coin-cli send a 1 [] 7", ["a", 1, [], 7]),
        ('coin-cli -named send to=a count=2 more="[1]"', {"to": "a", "count": 2, "more": [1]}),
    ],
)
def test_command_becomes_the_params_it_sends(command: str, params: Any) -> None:
    assert params_of(f"> {command}") == [params]


@pytest.mark.parametrize(
    "command",
    [
        "coin-cli other 1",
        "coin-cli",
        "",
        "coin-cli send a two",
        "coin-cli send a 1 [] 7 8",
        'coin-cli send "a',
        "coin-cli -named send a",
        """curl --data-binary '{"method": "send", "params": ["a", 2]}' -H 'x' http://127.0.0.1/""",
    ],
)
def test_command_of_another_method_is_left_out(command: str) -> None:
    assert params_of(f"> {command}") == []


def test_example_has_its_title_and_appears_once() -> None:
    lines = ("", "Send all:", "> coin-cli send a", "", "Again", "> coin-cli send a", "> coin-cli send b")
    assert [(example.name, example.params) for example in examples_of(lines, "send", KINDS)] == [
        ("Send all", ["a"]),
        ("", ["b"]),
    ]


def test_number_of_examples_is_limited() -> None:
    assert len(params_of(*(f"> coin-cli send {number}" for number in range(100)))) == MAX_EXAMPLES
