"""Help as Bitcoin's kin write it, heading by heading and method by method, and as Electrum does: a list."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET

from rpcexplorer.discovery.help import help_text, read_help, read_text
from rpcexplorer.discovery.questions import MOST_EXPLAINED, NOT_OFFERED, Answered, Question
from rpcexplorer.model.method import Described, DescribedParam, ExampleCall, Method, Parameter
from rpcexplorer.schema.start import starting_point
from tests.client.discovery.driving import drive

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


def by_name(text: str) -> dict[str, Method]:
    return {method.name: method for method in read_text(text).methods}


def test_lines_below_headings_are_methods_with_their_params() -> None:
    methods = by_name(TEXT)
    assert [*methods] == ["bestblock", "block", "proof", "raw", "many", "ping"]
    assert methods["block"] == Method(
        "block",
        "Chain",
        source="discovered",
        parameters=(Parameter("blockhash", True, "string"), Parameter("verbosity", False)),
        by="position",
        dialect="help",
    )
    assert methods["ping"].doc == "Wallet"
    assert methods["proof"].parameters == (Parameter("", True, "array"), Parameter("blockhash", False, "string"))


def test_brackets_within_brackets_are_one_param() -> None:
    assert by_name(TEXT)["raw"].parameters == (
        Parameter("", True, "array"),
        Parameter("", True, "array"),
        Parameter("locktime", False),
        Parameter("mode", False, "string"),
        Parameter("fee", True),
    )
    many = by_name(TEXT)["many"]
    assert [each.kind for each in many.parameters] == ["string", "object", ""]
    assert starting_point(many) == ["", {}]


@pytest.mark.parametrize("line", ['m [{"a":', 'm ( "a" "b', "m )))(((", 'm "', "m " + "[" * 9_999, "m " + "x " * 9_999])
def test_a_line_that_does_not_end_well_is_read_as_far_as_it_goes(line: str) -> None:
    method = by_name(f"== A ==\n{line}")["m"]
    assert len(method.parameters) <= 64


def test_the_help_of_a_method_says_more_of_its_params_and_its_result() -> None:
    assert read_help(by_name(TEXT)["block"], BLOCK)[0] == Method(
        "block",
        "What is known of a block. Less of it by default.",
        source="discovered",
        parameters=(
            Parameter("blockhash", True, "string", "Its hash"),
            Parameter("verbosity", False, "number or string", "How much of it", 1),
            Parameter("full", False, "boolean", "Whether all", True),
            Parameter("inputs", True, "array of string", "The inputs"),
            Parameter("rate", False, "number", "A rate"),
        ),
        by="position",
        details="What is known of a block.\nLess of it by default.",
        result="object",
        dialect="help",
    )


def test_numbers_that_begin_anew_are_of_something_else() -> None:
    told = "m\n\nArguments:\n1. a    (string, required) An a\n\nResult:\n1. hash    (string) A\n2. b    (string) B\n"
    assert read_help(Method("m"), told)[0].parameters == (Parameter("a", True, "string", "An a"),)


def test_quoted_names_of_older_servers_are_names() -> None:
    told = 'm "a"\n\nArguments:\n1. "a"     (string, required) An a\n'
    assert read_help(Method("m"), told)[0].parameters == (Parameter("a", True, "string", "An a"),)


@pytest.mark.parametrize("value", [None, 7, {}, "", "another method\n\nText", ["m"]])
def test_help_that_is_none_of_this_method_changes_nothing(value: Any) -> None:
    assert read_help(by_name(TEXT)["block"], value) == (by_name(TEXT)["block"], None)


def test_each_method_is_asked_about_by_the_way() -> None:
    no = Answered(refusal="answered: error -1 no")
    questions, listing = drive(help_text({"ping"}), Answered(TEXT), no, Answered(BLOCK), no, no, no)
    assert questions == [
        Question("help"),
        *(Question("help", f'["{name}"]', aside=True) for name in ("bestblock", "block", "proof", "raw", "many")),
    ]
    assert listing.methods[1].result == "object"
    assert listing.skipped == ("of each method: answered: error -1 no, for 4 of 5",)


def test_help_that_is_not_given_for_a_method_is_not_asked_for_again() -> None:
    questions, listing = drive(help_text(()), Answered(TEXT), Answered(refusal=f"{NOT_OFFERED} (-32601)"))
    assert (len(questions), len(listing.methods)) == (2, 6)


def test_help_is_asked_for_so_many_methods_and_no_more() -> None:
    text = "== A ==\n" + "\n".join(f"m{number}" for number in range(1_000))
    questions, listing = drive(help_text(()), Answered(text), *[Answered("")] * MOST_EXPLAINED)
    assert (len(questions), len(listing.methods)) == (1 + MOST_EXPLAINED, 1_000)


def test_of_a_list_of_names_the_help_of_each_is_asked_for_where_it_is_given() -> None:
    no = Answered(refusal=f"{NOT_OFFERED} (1 takes 1 positional argument)")
    questions, listing = drive(help_text(()), Answered(["add_peer", "broadcast"]), no)
    assert [method.name for method in listing.methods] == ["add_peer", "broadcast"]
    assert questions == [Question("help"), Question("help", '["add_peer"]', aside=True)]
    assert listing.skipped == (), "what nobody offered is no fault"
    _, listing = drive(help_text(()), Answered(["block", "ping"]), Answered(BLOCK), Answered("Says hello.\n\nTo you."))
    block, ping = listing.methods
    assert [each.name for each in block.parameters] == ["blockhash", "verbosity", "full", "inputs", "rate"]
    assert (ping.doc, [*listing.described]) == ("Says hello.", ["block"])


def test_all_that_the_help_of_a_method_says_is_kept() -> None:
    _, described = read_help(by_name(TEXT)["block"], BLOCK)
    assert described == Described(
        (
            DescribedParam("blockhash", {"type": "string"}, True, "Its hash"),
            DescribedParam("verbosity", {"type": ["number", "string", "null"], "default": 1}, False, "How much\nof it"),
            DescribedParam("full", {"type": ["boolean", "null"], "default": True}, False, "Whether all"),
            DescribedParam("inputs", {"type": "array", "items": TXID}, True, "The inputs"),
            DescribedParam("rate", {"type": ["number", "null"]}, False, "A rate"),
        ),
        {"type": "object", "properties": {"hash": {"type": "string", "description": "The hash"}}},
        examples=(ExampleCall("", ["00"]),),
        tags=("Chain",),
        dialect="help",
    )


def test_null_stands_for_a_param_that_is_left_out_before_others() -> None:
    told = 'm\n\nArguments:\n1. a  (string, optional) One of "b", "c"\n2. d  (json object or number, optional)\n{\n}\n'
    told += "3. e (any)"
    method, described = read_help(Method("m"), told)
    assert described is not None
    assert [each.schema for each in described.params] == [
        {"type": ["string", "null"], "enum": ["b", "c", None]},
        {"anyOf": [{"type": "object"}, {"type": "number"}, {"type": "null"}]},
        True,
    ]
    assert [each.kind for each in method.parameters] == ["one of b | c", "object or number", ""]


def test_a_result_that_is_one_of_several_is_described_as_such() -> None:
    several = 'm\n\nResult (if a):\n"id"  (string) An id\n\nResult (if b):\n{  (json object)\n}\n'
    method, described = read_help(Method("m"), several)
    assert method.result == "string"
    assert described is not None
    assert described.result == {"anyOf": [{"type": "string", "description": "An id"}, {"type": "object"}]}
    _, described = read_help(Method("m"), f"{several}\nResult (else):\nWords.\n")
    assert described is not None
    assert described.result is UNSET, "what one of them is nobody can tell"


def test_params_that_only_the_line_tells_of_are_described_by_it() -> None:
    _, described = read_help(by_name(TEXT)["proof"], "proof\n\nProves it.\n")
    assert described is not None
    assert [(each.schema, each.required) for each in described.params] == [
        ({"type": "array"}, True),
        ({"type": "string"}, False),
    ]


def test_a_heading_is_one_by_itself() -> None:
    told = "m\n\nExamples of words are:\n  none\n\nArguments:\n1. a  (string) An a\n"
    method, _ = read_help(Method("m"), told)
    assert method.details == "Examples of words are:\nnone"
    assert [each.name for each in method.parameters] == ["a"]


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
    _, listing = drive(help_text(()), Answered(value))
    assert listing.methods == ()
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
def test_a_text_made_to_take_long_takes_a_moment(text: str) -> None:
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
def test_help_made_to_take_long_takes_a_moment(text: str) -> None:
    read_help(Method("m"), f"m\n\n{text}")
