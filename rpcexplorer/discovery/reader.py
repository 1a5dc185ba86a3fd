"""Methods read from a description: bounded, cleaned, each name once."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from math import inf, isfinite
from textwrap import dedent
from typing import Any, Final

from msgspec import UNSET
from msgspec.structs import replace

from rpcexplorer.discovery.methods import Listing
from rpcexplorer.jsontext.scan import STRING
from rpcexplorer.model.method import (
    Described,
    DescribedError,
    DescribedParam,
    ExampleCall,
    Method,
    Parameter,
)
from rpcexplorer.schema.node import KINDS, Definitions, weight
from rpcexplorer.schema.words import in_one_line

EVENT: Final = "event\0"
"""What stands before the name of an event where it is described among methods. No method's name begins so."""
DEEPEST: Final = 200
"""Levels. What is below is left out: nobody has written it, and much of what reads it would need a stack as deep."""
MOST_DIGITS: Final = 4_000
"""Of a whole number: Python makes none of more than 4,300."""
HALF: Final = "\N{REPLACEMENT CHARACTER}"
"""Stands for a lone surrogate. A name in which it stands is not the name that the service knows."""
_TOKEN: Final = re.compile(rf"{STRING}|[\[\]{{}}]")


def key_of_event(name: str) -> str:
    """Under which an event is described: a server may send of itself what is also a method's name."""
    return f"{EVENT}{name}"


def clean(value: Any) -> Any:
    """The value, itself where it is clean already, as nearly all are.

    A member whose value is a number that is none, or a list with such a number, is left out: one without it would say
    something else. Below the deepest level objects and arrays are empty.
    """
    return value if _is_clean(value) else _cleaned(value, DEEPEST)


def forgiving(text: bytes) -> Any:
    """JSON that Python's own parser does not take: what nests too deep is cut, and a number of too many digits is none.

    ``ValueError`` where it is no JSON.
    """
    return json.loads(_shallow(text.decode("utf-8", "surrogateescape")), parse_int=_integer)


def _integer(digits: str) -> float:
    return int(digits) if len(digits) <= MOST_DIGITS else inf


def _shallow(text: str) -> str:
    """The text with all objects and arrays empty that are below the deepest level."""
    kept, at, depth = [], 0, 0
    for found in _TOKEN.finditer(text):
        if (sign := found[0]) in "{[":
            depth += 1
            if depth == DEEPEST + 1:
                kept.append(text[at : found.end()])
        elif sign in "}]":
            if depth == DEEPEST + 1:
                at = found.start()
            depth -= 1
    return "".join([*kept, text[at:]])


def whole(text: str) -> str:
    """The text without half characters."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join(HALF if "\ud800" <= character <= "\udfff" else character for character in text)
    return text


def _is_clean(value: Any) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        below: list[Any] = []
        for part in level:
            kind = type(part)  # there may be millions of them: the quickest way to tell
            if kind is str:
                if not part.isascii() and whole(part) is not part:
                    return False
            elif kind is dict:
                below += part
                below += part.values()
            elif kind is list:
                below += part
            elif kind is float and not isfinite(part):
                return False
        if not below:
            return True
        level = below
    return False


def _cleaned(value: Any, levels: int) -> Any:
    match value:
        case str():
            return whole(value)
        case dict():
            kept = ((key, each) for key, each in value.items() if levels and _is_one(each))
            return {whole(key): _cleaned(each, levels - 1) for key, each in kept}
        case list():
            return [_cleaned(each, levels - 1) for each in value] if levels else []
    return value if _is_one(value) else None


def _is_one(value: Any) -> bool:
    """Whether it is no number that is none, nor a list of such."""
    lists = [value]
    while lists:
        part = lists.pop()
        if isinstance(part, list):
            lists += part
        elif isinstance(part, float) and not isfinite(part):
            return False
    return True


LONGEST_NAME = 256
LINE = 200
TEXT = 2_000
KIND = 60
EXAMPLE_PARTS = 100
"""Values inside one example: beyond it, it is no example but a document."""
EXAMPLE_TEXT = 500


def name_of(value: Any) -> str:
    """A name as it would have to be sent; empty where the value cannot be one."""
    if not isinstance(value, str) or len(value) > LONGEST_NAME or not value.strip():
        return ""
    return value if whole(value) is value and HALF not in value else ""


def line_of(value: Any, limit: int = LINE) -> str:
    """One line of text; empty where the value is none."""
    return in_one_line(whole(value[: limit * 4]), limit) if isinstance(value, str) else ""


def first_line_of(value: Any) -> str:
    """The first paragraph of a longer text, as one line."""
    return line_of(text_of(value).partition("\n\n")[0])


def text_of(value: Any) -> str:
    """Text of several lines, without the indentation of the source code it stood in."""
    if not isinstance(value, str):
        return ""
    first, *rest = whole(value[: TEXT * 2]).strip().splitlines() or [""]
    text = first.rstrip()
    if rest:
        text = "\n".join(line.rstrip() for line in [first, *dedent("\n".join(rest)).split("\n")]).strip()
    return text if len(text) <= TEXT else text[: TEXT - 1] + "…"


def kind_of(value: Any) -> str:
    """The kind of a value in one word, however it is spelled: ``Number``, ``int``, ``struct``."""
    word = line_of(value, KIND)
    return KINDS.get(word.lower(), word)


def example_of(value: Any) -> Any:
    """A small JSON value as it is; None for one too big to start from, or that JSON could not carry on."""
    rest, parts = [value], 0
    while rest:
        part = rest.pop()
        parts += len(part) if isinstance(part, dict | list) else 1
        if parts > EXAMPLE_PARTS:
            return None
        if isinstance(part, dict):
            rest += [*part.keys(), *part.values()]
        elif isinstance(part, list):
            rest += part
        elif not _carries(part):
            return None
    return value


def _carries(scalar: Any) -> bool:
    match scalar:
        case str():
            return len(scalar) <= EXAMPLE_TEXT and whole(scalar) is scalar and HALF not in scalar
        case float():
            return isfinite(scalar)
    return True


MOST_METHODS = 20_000
MOST_PARAMETERS = 50_000
"""Of all methods together: references make a small document say a lot."""
NAMELESS = "without a name that can be called"


class Collected:
    """What has been found so far, and what has been left out."""

    def __init__(self) -> None:
        self.methods: dict[str, Method] = {}
        self.events: dict[str, Method] = {}
        self.described: dict[str, Described] = {}
        self._parameters_left = MOST_PARAMETERS
        self._nameless = self._repeated = self._too_many = self._without_parameters = 0

    def room_for(self, value: Any) -> str:
        """The name, if it can be called and is new; else it is counted as left out, and empty."""
        return self._room(value, self.methods)

    def room_for_event(self, value: Any) -> str:
        """The same of something that the server sends of itself."""
        return self._room(value, self.events)

    def _room(self, value: Any, among: dict[str, Method]) -> str:
        name = name_of(value)
        if not name or name.startswith(EVENT):
            self._nameless += 1
        elif name in among:
            self._repeated += 1
        elif len(among) == MOST_METHODS:
            self._too_many += 1
        else:
            return name
        return ""

    def take(self, method: Method, described: Described | None = None) -> None:
        self.methods[method.name] = method
        if described is not None:
            self.described[method.name] = described

    def take_event(self, event: Method, described: Described | None = None) -> None:
        self.events[event.name] = event
        if described is not None:
            self.described[key_of_event(event.name)] = described

    def parameters_fit(self, entries: Sized) -> bool:
        """Whether so many more can be described; else they are counted as left out."""
        if len(entries) > self._parameters_left:
            self._without_parameters += 1
            return False
        self._parameters_left -= len(entries)
        return True

    def listing(self, about: str = "", *said: str) -> Listing:
        """All of it, with what was left out in sentences, and what else is ``said`` of it."""
        return Listing(
            tuple(self.methods.values()),
            about,
            (*self._skipped(), *said),
            described=self.described,
            events=tuple(self.events.values()),
        )

    def _skipped(self) -> Iterator[str]:
        for count, why in (
            (self._nameless, NAMELESS),
            (self._repeated, "named a second time"),
            (self._too_many, f"beyond the first {MOST_METHODS:,}"),
        ):
            if count:
                yield f"{count:,} left out: {why}"
        if self._without_parameters:
            yield f"the params of {self._without_parameters:,} methods left out: the document describes too many"


MOST: Final = 200
"""Errors, examples or tags of one method."""
MOST_PARAMS: Final = 2_000
"""Of one method; for those behind them there is one that stands for others."""
MOST_HELD: Final = 4 * 1024 * 1024
"""Characters of JSON that are kept of one method, besides what its schemas refer to."""
MOST_OF_ALL: Final = 32 * 1024 * 1024
"""The same of all methods together."""
MOST_ENTRIES: Final = 300_000
"""Params, errors, examples, their values and tags of all methods together."""
MOST_FOR_OWN: Final = 1_000_000
"""Parts of schemas that are looked at for methods that do not share their definitions."""
OTHERS: Final = "..."
"""The name of a param that stands for others."""
OWN_DEFINITIONS: Final = ("$defs", "definitions")
HOPS: Final = 8
"""References that may lead to references."""
SCHEMA_WORDS: Final = frozenset(
    ("type", "$ref", "properties", "items", "enum", "const", "oneOf", "anyOf", "allOf", "format", "pattern")
)
"""What shows that an object without ``schema`` is one itself."""
NOT_OF_SCHEMA: Final = frozenset(("name", "summary"))
"""What a param says of itself where it is its own schema, besides ``required`` as a plain yes or no."""
OwnSchema = Callable[[dict[str, Any]], Any]
"""Makes a schema of a param, or of what a method returns."""


def own_schema(entry: dict[str, Any]) -> Any:
    """The schema that a param is by itself; ``True`` where it says nothing of its values."""
    schema = {
        key: value
        for key, value in entry.items()
        if key not in NOT_OF_SCHEMA and not (key == "required" and isinstance(value, bool))
    }
    return schema if schema.keys() - {"description"} else True


class DescribedReader:
    """Reads the entries of one document."""

    def __init__(
        self,
        document: Any,
        dialect: str,
        *,
        types: Any = None,
        own: OwnSchema | None = None,
        unsaid: bool | None = False,
    ) -> None:
        """References by bare name lead to ``types``.

        ``own``: params are their own schemas, and this makes them. ``unsaid``: whether one is required that says
        nothing of it.
        """
        self._definitions = Definitions(document, types)
        self._dialect = dialect
        self._own, self._unsaid = own, unsaid
        self._draft = _draft_of(document) if isinstance(document, dict) else ""
        self._cut = self._without_params = 0
        self._room, self._entries_left, self._left_for_own = MOST_OF_ALL, MOST_ENTRIES, MOST_FOR_OWN
        self._weights: dict[int, tuple[Any, int]] = {}

    def method(self, entry: dict[str, Any]) -> Described:
        params = tuple(self._params(entry.get("params")))
        result, schema = self._result(entry)
        definitions = self._gathered([*(each.schema for each in params), schema])
        described = Described(
            params,
            schema,
            "" if self._own else name_of(result.get("name")),
            text_of(result.get("description")) or line_of(result.get("summary")),
            tuple(self._errors(entry.get("errors"))),
            tuple(self._examples(entry.get("examples"), entry.get("paramStructure"), params)),
            tuple(self._tags(entry.get("tags"))),
            draft=self._draft,
            dialect=self._dialect,
            definitions=definitions,
        )
        return self._bounded(described)

    def left_out(self) -> list[str]:
        """Sentences for what was too much to be kept."""
        said = []
        if self._cut:
            said.append(f"schemas or examples of {self._cut:,} methods left out: more than can be kept")
        if self._without_params:
            said.append(f"params of {self._without_params:,} methods left out: more than can be kept")
        if self._definitions.left_out:
            said.append(f"{self._definitions.left_out:,} of what schemas refer to left out: too many or too large")
        return said

    def _gathered(self, schemas: list[Any]) -> dict[str, Any]:
        """What they refer to: one and the same for all methods, but for those whose schemas bring their own."""
        own = {
            f"#/{key}/{name.replace('~', '~0').replace('/', '~1')}": each
            for schema in schemas
            if isinstance(schema, dict)
            for key in OWN_DEFINITIONS
            if isinstance(among := schema.get(key), dict)
            for name, each in among.items()
        }
        if own and self._left_for_own > 0:
            definitions = self._definitions.with_own(own)
            found = definitions.gather(schemas)
            self._left_for_own -= definitions.looked_at
            return found if found.keys() & own.keys() else self._definitions.gather(schemas)
        return self._definitions.gather(schemas)

    def _bounded(self, described: Described) -> Described:
        """What does not fit is left out, from the schemas of the params to the examples."""
        limit = left = min(MOST_HELD, self._room)
        held: dict[str, Any] = {}
        for field, value in (
            ("params", [param.schema for param in described.params]),
            ("result", [described.result]),
            ("errors", [error.data for error in described.errors]),
            ("examples", [part for example in described.examples for part in (example.params, example.result)]),
        ):
            size = sum(self._weight(part, left) for part in value)
            if size > left:
                held[field] = _BARE[field](described)
            left -= 0 if field in held else size
        self._room -= limit - left
        self._cut += bool(held)
        return replace(described, **held) if held else described

    def _weight(self, part: Any, limit: int) -> int:
        """Of what many methods may refer to, so that each is weighed once; it is kept, so that it stays what it is."""
        if not isinstance(part, dict | list):
            return weight(part, limit)
        known = self._weights.get(id(part))
        if known is None:
            known = self._weights[id(part)] = (part, weight(part, MOST_HELD))
        return known[1]

    def _params(self, params: Any) -> Iterator[DescribedParam]:
        is_named = isinstance(params, dict)
        entries = list(params.items()) if is_named else params if isinstance(params, list) else []
        some = self._some(entries, MOST_PARAMS)
        named = some if is_named else [(None, each) for each in some]
        for own_name, param in named:
            described = self._param(param)
            required = described.get("required", self._unsaid if own_name is None else None)
            yield DescribedParam(
                name_of(described.get("name") if own_name is None else own_name),
                self._schema(described, is_one=own_name is not None),
                required if isinstance(required, bool) else None,
                text_of(described.get("description")) or line_of(described.get("summary")),
                deprecated=described.get("deprecated") is True,
            )
        if 0 < len(some) < len(entries):
            self._without_params += 1
            yield DescribedParam(OTHERS, doc=f"{len(entries) - len(some):,} more")

    def _param(self, param: Any) -> dict[str, Any]:
        if not self._own:
            return self._followed(param)
        return param if isinstance(param, dict) else {"name": param}

    def _schema(self, described: dict[str, Any], *, is_one: bool = False) -> Any:
        schema = described.get("schema")
        if isinstance(schema, dict | bool):
            return schema
        if self._own:
            return self._own(described)
        return own_schema(described) if is_one or described.keys() & SCHEMA_WORDS else True

    def _result(self, entry: dict[str, Any]) -> tuple[dict[str, Any], Any]:
        """What comes back, and its schema."""
        told = next((entry[key] for key in ("result", "returns", "return") if key in entry), None)
        if self._own and isinstance(told, str):
            told = {"type": told} if kind_of(told) != "any" else {}
        result = told if self._own and isinstance(told, dict) else self._followed(told)
        schema = self._schema(result)
        return result, UNSET if schema is True and "schema" not in result else schema

    def _errors(self, errors: Any) -> Iterator[DescribedError]:
        for each in self._entries(errors):
            code, data = each.get("code"), each.get("data", UNSET)
            yield DescribedError(
                code if isinstance(code, int) and not isinstance(code, bool) else None,
                line_of(each.get("message"), LINE),
                UNSET if self._own and data is None else data,
            )

    def _examples(self, examples: Any, structure: Any, params: tuple[DescribedParam, ...]) -> Iterator[ExampleCall]:
        for each in self._entries(examples):
            given = [
                (name_of(value.get("name")), value["value"])
                for value in self._entries(each.get("params"))
                if "value" in value
            ]
            result = self._followed(each.get("result", each.get("returns")))
            yield ExampleCall(
                line_of(each.get("name")),
                _arranged(given, [param.name for param in params], structure),
                text_of(each.get("description")) or line_of(each.get("summary")),
                result.get("value", UNSET),
            )

    def _tags(self, tags: Any) -> Iterator[str]:
        """A tag is an object with a name, or refers to one; some write the name alone."""
        for each in self._some(tags):
            name = name_of(each if isinstance(each, str) else self._followed(each).get("name"))
            if name:
                yield name

    def _entries(self, entries: Any) -> Iterator[dict[str, Any]]:
        yield from (followed for each in self._some(entries) if (followed := self._followed(each)))

    def _some(self, value: Any, most: int = MOST) -> list[Any]:
        """As many elements as one method and the whole document may have: references make a small one say a lot."""
        if not isinstance(value, list):
            return []
        some = value[: min(most, self._entries_left)]
        self._entries_left -= len(some)
        return some

    def _followed(self, value: Any) -> dict[str, Any]:
        """The object, or the one that it refers to, with what stands beside the reference."""
        beside: dict[str, Any] = {}
        for _ in range(HOPS):
            if not isinstance(value, dict):
                return {}
            reference = value.get("$ref")
            if not isinstance(reference, str):
                return {**value, **beside} if beside else value
            beside = {**{key: said for key, said in value.items() if key != "$ref"}, **beside}
            value = self._definitions.at(reference)
        return {}


_BARE: Final[dict[str, Callable[[Described], Any]]] = {
    "params": lambda described: tuple(replace(param, schema=True) for param in described.params),
    "result": lambda _: UNSET,
    "errors": lambda described: tuple(replace(error, data=UNSET) for error in described.errors),
    "examples": lambda _: (),
}
"""What is left of a part whose JSON is too much."""


def _arranged(given: list[tuple[str, Any]], names: list[str], structure: Any) -> Any:
    """Example values as they could be sent: by name where the method says so, or where they are not in its order."""
    own = [name for name, _ in given]
    if structure == "by-name":
        full = [name or (names[place] if place < len(names) else "") for place, name in enumerate(own)]
        if all(full):
            return dict(zip(full, (value for _, value in given), strict=True))
    in_order = all(name in {"", names[place] if place < len(names) else name} for place, name in enumerate(own))
    values = dict(given)
    if in_order or not set(own) <= set(names) or len(values) < len(given):
        return [value for _, value in given]
    if structure == "by-position" and set(own) == set(names[: len(own)]):
        return [values[name] for name in names[: len(own)]]
    return values


def _draft_of(document: dict[str, Any]) -> str:
    """The dialect of the schemas; ``$schema`` of a document may also name the schema of such documents."""
    said = (line_of(document.get(key)) for key in ("jsonSchemaDialect", "$schema"))
    return next((each for each in said if "json-schema.org" in each), "")


MAX_REFERENCES = 8
"""References that may lead to references."""
DEPTH = 3
"""Levels of a schema that its kind is told of: ``array of array of string``."""
CHOICES = 6
"""Values of an enum, or alternatives of a schema, that are named."""
NOTHING: dict[str, Any] = {}


class Schemas:
    """The schemas of one document."""

    def __init__(self, root: Any, types: Any = None) -> None:
        """References lead to places in ``root``; those that are bare names, to ``types``."""
        self._root = root
        self._types: Mapping[str, Any] = types if isinstance(types, dict) else NOTHING
        self._kinds: dict[tuple[int, int], str] = {}
        """Of schemas by identity and depth: many references may lead to one of them."""

    def follow(self, value: Any) -> dict[str, Any]:
        """The object itself or the one it refers to; an empty one for anything else, and for a circle."""
        for _ in range(MAX_REFERENCES):
            if not isinstance(value, dict):
                return NOTHING
            reference = value.get("$ref")
            if not isinstance(reference, str):
                return value
            value = self._at(reference)
        return NOTHING

    def _at(self, reference: str) -> Any:
        start, *parts = reference.split("/", MAX_REFERENCES)
        if start != "#":
            return self._types.get(reference)
        value: Any = self._root
        for part in parts:
            if not isinstance(value, dict):
                return None
            value = value.get(part.replace("~1", "/").replace("~0", "~"))
        return value

    def parameter(self, name: Any, entry: Any, *, required: Any = None) -> Parameter:
        """A parameter by its schema. What stands beside a reference is said of this one alone, and wins."""
        here = entry if isinstance(entry, dict) else NOTHING
        schema = self.follow(entry)
        required = required if isinstance(required, bool) else None
        return Parameter(
            name_of(name),
            required,
            self.kind(entry),
            first_line_of(here.get("description")) or first_line_of(schema.get("description")),
            None if required else example_of(here.get("default", schema.get("default"))),
            example_of(first_example(schema)),
        )

    def properties(self, schema: Any, collected: Collected) -> tuple[Parameter, ...]:
        """The members of an object that a schema describes."""
        schema = self.follow(schema)
        members, required = schema.get("properties"), schema.get("required")
        if not isinstance(members, dict) or not collected.parameters_fit(members):
            return ()
        needed = {name for name in required if isinstance(name, str)} if isinstance(required, list) else set[str]()
        return tuple(self.parameter(name, entry, required=name in needed) for name, entry in members.items())

    def kind(self, schema: Any, depth: int = 0) -> str:
        """What a schema lets through, in short words; empty where it does not say."""
        schema = self.follow(schema)
        if depth > DEPTH or not schema:
            return ""
        key = (id(schema), depth)
        if key not in self._kinds:
            self._kinds[key] = line_of(self._kind(schema, depth), KIND)
        return self._kinds[key]

    def _kind(self, schema: dict[str, Any], depth: int) -> str:
        choices = schema.get("enum", schema.get("enums", [schema["const"]] if "const" in schema else None))
        if isinstance(choices, list) and choices:
            return one_of(choices)
        types = schema.get("type")
        words = [self._word(word, depth) for word in (types[:CHOICES] if isinstance(types, list) else [types])]
        if words == [""]:
            words = self._guessed(schema, depth)
        items = self.kind(schema.get("items"), depth + 1)
        return _either(f"array of {items}" if word == "array" and items else word for word in words)

    def _word(self, word: Any, depth: int) -> str:
        """A type; one of several may be a schema of its own."""
        return self.kind(word, depth + 1) if isinstance(word, dict) else kind_of(word)

    def _guessed(self, schema: dict[str, Any], depth: int) -> list[str]:
        """The kinds of a schema that names no type of its own."""
        for combined in ("oneOf", "anyOf", "allOf"):
            parts = schema.get(combined)
            if isinstance(parts, list):
                kinds = [self.kind(part, depth + 1) for part in parts[:CHOICES]]
                return [kind for kind in kinds if kind][: 1 if combined == "allOf" else CHOICES]
        if "properties" in schema or "items" in schema:
            return ["object" if "properties" in schema else "array"]
        parent = schema.get("extends")  # a type of Kodi's, by its name
        return [self.kind({"$ref": parent}, depth + 1)] if isinstance(parent, str) else []


def one_of(choices: list[Any]) -> str:
    """The kind of a value that must be one of a few."""
    more = " | …" if len(choices) > CHOICES else ""
    return "one of " + " | ".join(_shown(choice) for choice in choices[:CHOICES]) + more


def first_example(schema: dict[str, Any]) -> Any:
    for several in ("examples", "enum", "enums"):
        values = schema.get(several)
        if isinstance(values, list) and values:
            return values[0]
    return schema.get("example", schema.get("const"))


def _either(words: Iterable[str]) -> str:
    return " or ".join(dict.fromkeys(word for word in words if word))


def _shown(choice: Any) -> str:
    """A value of an enum, as short as it can be."""
    match choice:
        case str():
            return line_of(choice, KIND)
        case None | bool():
            return {None: "null", True: "true", False: "false"}[choice]
        case int() | float():
            return str(choice)
    return "…"
