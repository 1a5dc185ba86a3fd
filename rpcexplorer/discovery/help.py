"""Help texts of Bitcoin Core and compatible nodes, and the commands of Core Lightning.

The layouts of objects inside params and results stay text.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Iterator, Sequence
from textwrap import dedent
from typing import Any, Final, NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from rpcexplorer.discovery.lists import NOT_A_LIST, STANDARD, read_names, with_help
from rpcexplorer.discovery.methods import Listing
from rpcexplorer.discovery.questions import EMPTY, Dialogue, Question, ask_companion, count_unexplained, value_of
from rpcexplorer.discovery.reader import (
    KIND,
    Collected,
    dict_of,
    docs_of,
    kind_of,
    line_of,
    list_of,
    name_of,
    text_of,
)
from rpcexplorer.model.method import Described, DescribedParam, ExampleCall
from rpcexplorer.schema.fit import Looks
from rpcexplorer.schema.node import SchemaReader, is_kind, kind_of_value

PROTOCOL: Final = "help"
MAX_HELP_CHARACTERS: Final = 128_000
"""Characters of the help of one method; the longest known has 20,000."""
ARGUMENTS, RESULT, EXAMPLES = "Argument", "Result", "Example"
"""First words of the headings in a method's help, some in the plural."""
PROMPT: Final = "> "
DEPRECATED: Final = "(DEPRECATED!)"
"""Between the name and the params of a command of Core Lightning."""


def help_text(described: Collection[str]) -> Dialogue:
    """Read the overview or list, and the help of each method if there is one."""
    answer = yield Question(PROTOCOL)
    if answer.refusal:
        return Listing(refusal=answer.refusal)
    if commands := list_of(dict_of(answer.value).get("help")):
        return read_commands(commands)
    is_text = isinstance(answer.value, str)
    if not is_text and not _is_of_names(answer.value):
        return Listing(refusal=NOT_A_LIST)
    listing = read_text(answer.value) if is_text else read_names(answer.value, PROTOCOL)
    found = dict(listing.described)
    wanted = [name for name in found if name not in described]
    has_help = is_text

    def explain(name: str, value: Any) -> None:
        nonlocal has_help
        if isinstance(value, str) and value.startswith(name):
            found[name], has_help = read_help(name, found[name], value), True
        elif not is_text:
            found[name] = with_help(found[name], value)

    refused = yield from ask_companion(PROTOCOL, wanted, explain)
    refused = [sentence.replace(PROTOCOL, "help texts", 1) for sentence in refused if has_help]
    skipped = (*listing.skipped, *refused, *count_unexplained(wanted))
    return replace(listing, described=found, skipped=skipped)


def _is_of_names(value: Any) -> bool:
    """Return whether the value can be a list of methods.

    Lists with other help have several words in their lines.
    """
    if not value:
        return True
    return isinstance(value, list) and all(isinstance(element, str) and " " not in element for element in value)


def read_text(text: str) -> Listing:
    """Read an overview of methods below headings. Prose has no headings."""
    if not text.strip():
        return Listing(refusal=EMPTY)
    collected, group = Collected(), ""
    for line in text.splitlines():
        if line.startswith("==") and line.endswith("=="):
            group = line_of(line.strip("= "), KIND)
        elif group and line[:1].isalpha():
            name, _, params = line.partition(" ")
            name = collected.take_name(name)
            if name:
                positions = tuple(_positions(params))
                collected.described[name] = Described(positions, protocol=PROTOCOL, doc=group, by="position")
    if not collected.described:
        return Listing(refusal=NOT_A_LIST)
    return collected.listing()


def read_commands(commands: Sequence[Any]) -> Listing:
    """Read the commands of Core Lightning: a name and params in one line, optional ones in square brackets."""
    collected = Collected()
    for command in map(dict_of, commands):
        name, _, usage = text_of(command.get("command")).partition(" ")
        name, words = collected.take_name(name), usage.split()
        if not name:
            continue
        is_deprecated = DEPRECATED in words
        if is_deprecated:
            words.remove(DEPRECATED)
        params = [_command_param(word) for word in words]
        docs = docs_of(command.get("verbose"), command.get("description"))
        collected.described[name] = Described(tuple(params), protocol=PROTOCOL, deprecated=is_deprecated, **docs)
    return collected.listing()


def _command_param(word: str) -> DescribedParam:
    name, _, _choices = word.strip("[]").partition("=")
    return DescribedParam(name_of(name), required=not word.startswith("["))


def _positions(params: str) -> Iterator[DescribedParam]:
    """Yield the params of a line in order; optional ones are in round brackets.

    ``[…]`` and ``{…}`` have a type, but no name.
    """
    required, depth, start = True, 0, 0
    for at, sign in enumerate(f"{params} "):
        if sign in "[{":
            depth += 1
        elif sign in "]}":
            depth = max(depth - 1, 0)
        elif not depth and sign in " ()":
            word = params[start:at]
            if word.startswith("["):
                yield DescribedParam("", {"type": "array"}, required)
            elif word.startswith("{"):
                yield DescribedParam("", {"type": "object"}, required)
            elif word.startswith('"'):
                yield DescribedParam(name_of(word.strip('"')), {"type": "string"}, required)
            elif word:
                yield DescribedParam(name_of(word), True, required)
            start = at + 1
            if sign != " ":
                required = sign == ")"


def read_help(name: str, described: Described, text: str) -> Described:
    """Return the description with the facts from the method's own help."""
    _, *lines = text[:MAX_HELP_CHARACTERS].splitlines()
    sections: dict[str, list[str]] = {"": [], ARGUMENTS: [], RESULT: [], EXAMPLES: []}
    section = ""
    for line in lines:
        heading = line.rstrip()
        word = heading.removesuffix(":").removesuffix("s")
        if heading.startswith(RESULT):
            word = RESULT
        if not heading.endswith(":") or word not in {ARGUMENTS, RESULT, EXAMPLES}:
            sections[section].append(line)
            continue
        section = word
        if "(" in heading:  # such as ``Result (for verbosity = 0):``
            sections[section].append(heading)
    params = tuple(_arguments(sections[ARGUMENTS]))
    first = next((line for line in sections[RESULT] if line.strip()), "")
    result_kinds: list[str] = []
    if not first.startswith(RESULT):
        result_kinds = _kinds(_in_brackets(first.partition("(")[2])[0])
    docs = docs_of("\n".join(sections[""]))
    return replace(
        described,
        params=params or described.params,
        result_doc=text_of("\n".join(sections[RESULT])),
        result_kind=" or ".join(result_kinds),
        examples=tuple(_examples(sections[EXAMPLES], name, params)),
        tags=(described.doc,) if described.doc else (),
        doc=docs["doc"] or described.doc,
        details=docs["details"],
    )


class _Argument(NamedTuple):
    name: str
    notes: str
    docs: list[str]
    layout: list[str]
    """The lines from a bracket on, which show what is inside an object or array."""


def _arguments(lines: Iterable[str]) -> Iterator[DescribedParam]:
    """Yield the params while their numbers increase.

    A param starts with ``1. verbose (boolean, optional, default=true) Whether …``; lines below it belong to its docs.
    """
    arguments: list[_Argument] = []
    for line in lines:
        number, _, rest = line.strip().partition(". ")
        if number.isdecimal() and "(" in rest:
            if number != str(len(arguments) + 1):
                break
            name, _, rest = rest.partition("(")
            notes, doc = _in_brackets(rest)
            arguments.append(_Argument(name.strip(' "'), notes, [doc], []))
        elif arguments and line.strip():
            last = arguments[-1]
            if last.layout or line.lstrip().startswith(("[", "{")):
                last.layout.append(line)
            else:
                last.docs.append(line.strip())
    return map(_param, arguments)


def _param(argument: _Argument) -> DescribedParam:
    words, *facts = [word.strip() for word in argument.notes.split(",")]
    kinds = _kinds(words)
    kind, schema = "", dict[str, Any]()
    required = None
    if "required" in facts:
        required = True
    elif "optional" in facts:  # It may be null, because params may follow it.
        required = False
        kind = " or ".join(kinds)
    if kinds:
        types = [*kinds, "null"] if required is False else kinds
        schema["type"] = types if len(types) > 1 else types[0]
    default = value_of(argument.notes.partition("default=")[2].encode()).value
    if default is not None and is_kind(kind_of_value(default), kinds):
        schema["default"] = default
    layout = dedent("\n".join(argument.layout))
    doc = text_of("\n".join([*argument.docs, "", layout]))
    return DescribedParam(name_of(argument.name), schema or True, required, doc, kind=kind)


def _in_brackets(text: str) -> tuple[str, str]:
    """Split a text after an opening bracket at the one that closes it."""
    depth = 1
    for at, sign in enumerate(text):
        if sign == "(":
            depth += 1
        elif sign == ")":
            depth -= 1
        if depth == 0:
            return text[:at], text[at + 1 :].strip()
    return text, ""


def _kinds(words: str) -> list[str]:
    """Return types such as ``numeric or json array`` in the words of JSON Schema.

    The result is empty if one of them allows any value.
    """
    several = words.lower().replace(" or ", "/").split("/")
    kinds = [kind_of(word.strip().removeprefix("json ").partition(" of ")[0]) for word in several]
    return kinds if STANDARD.issuperset(kinds) else []


def _examples(lines: Iterable[str], method: str, params: Sequence[DescribedParam]) -> Iterator[ExampleCall]:
    """Yield the example calls with the node's own client, with the words above them.

    Nearly all texts repeat each command for curl.
    """
    title = ""
    for line in lines:
        if not line.startswith(PROMPT):
            title = line_of(line).rstrip(":") or title
            continue
        try:
            _, *words = shlex.split(line.removeprefix(PROMPT))
        except ValueError:  # missing closing quotation mark, or no word
            words = []
        is_by_name = "-named" in words
        called, *words = [word for word in words if word != "-named"] or [""]
        if called == method and is_by_name:
            pairs = [word.partition("=") for word in words]
            yield ExampleCall(title, {name: _value(value) for name, _, value in pairs})
        elif called == method:
            schemas = [param.schema for param in params] + [True] * len(words)
            values = [_value(word, schema) for word, schema in zip(words, schemas, strict=False)]
            if UNSET not in values:  # Some texts forget the brackets of an array.
                yield ExampleCall(title, values)
        title = ""


def _value(word: str, schema: Any = True) -> Any:
    """Return the value of a word in a command: JSON, else text.

    UNSET if the param cannot be text.
    """
    answer = value_of(word.encode("utf-8", "replace"))
    if schema == {"type": "string"} or (answer.refusal and Looks(SchemaReader({})).could_be(schema, word)):
        return word
    if answer.refusal:
        return UNSET
    return answer.value
