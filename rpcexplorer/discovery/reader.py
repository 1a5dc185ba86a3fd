"""Reading of methods from a description: bounded, cleaned, each name once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import isfinite
from textwrap import dedent
from typing import Any, Final

from msgspec import UNSET
from msgspec.structs import replace

from rpcexplorer.discovery.methods import LINE, Listing
from rpcexplorer.model.method import Described, DescribedError, DescribedParam, ExampleCall
from rpcexplorer.model.problem import counted
from rpcexplorer.schema.node import KINDS, Definitions, weight
from rpcexplorer.schema.words import in_one_line

EVENT: Final = "event\0"
"""Prefix of events among the descriptions, which no method has."""
MAX_LEVELS: Final = 200
"""Deeper documents are hostile, and reading them would overflow the stack."""
REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"
"""Replaces a lone surrogate; the name then differs from the service's."""


def key_of_event(name: str) -> str:
    """Return the key of an event's description, which differs from a method's."""
    return f"{EVENT}{name}"


def clean(value: Any) -> Any:
    """Return the value so that it can be stored and shown; usually unchanged.

    A member whose value is NaN or infinite, or a list with such a number, is left out: without that number it would
    have another meaning. Raises ``RecursionError`` if the value is too deep.
    """
    return value if _is_clean(value) else _cleaned(value)


def without_surrogates(text: str) -> str:
    """Return the text without lone surrogates."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join(REPLACEMENT if "\ud800" <= character <= "\udfff" else character for character in text)
    return text


def _is_clean(value: Any) -> bool:
    level, is_clean = [value], True
    for _ in range(MAX_LEVELS + 1):
        below: list[Any] = []
        for part in level:
            kind = type(part)  # There may be millions of values, and this is the fastest check.
            if kind is str:
                if not part.isascii() and without_surrogates(part) is not part:
                    is_clean = False
            elif kind is dict:
                below += part
                below += part.values()
            elif kind is list:
                below += part
            elif kind is float and not isfinite(part):
                is_clean = False
        if not below:
            return is_clean
        level = below
    raise RecursionError


def _cleaned(value: Any) -> Any:
    match value:
        case str():
            return without_surrogates(value)
        case dict():
            return {without_surrogates(key): _cleaned(member) for key, member in value.items() if _is_finite(member)}
        case list():
            return [_cleaned(element) for element in value]
    return value if _is_finite(value) else None


def _is_finite(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_is_finite, value))
    return not isinstance(value, float) or isfinite(value)


MAX_NAME_CHARACTERS: Final = 256
TEXT: Final = 2_000
KIND: Final = 60


def name_of(value: Any) -> str:
    """Return a name that can be sent unchanged; empty for other values."""
    if not isinstance(value, str) or len(value) > MAX_NAME_CHARACTERS or not value.strip():
        return ""
    return value if without_surrogates(value) is value and REPLACEMENT not in value else ""


def line_of(value: Any, limit: int = LINE) -> str:
    """Return one line of text; empty if the value is not text."""
    return in_one_line(without_surrogates(value[: limit * 4]), limit) if isinstance(value, str) else ""


def text_of(value: Any) -> str:
    """Return text of several lines, without the indentation of source code."""
    if not isinstance(value, str):
        return ""
    first, *rest = without_surrogates(value[: TEXT * 2]).strip().splitlines() or [""]
    text = first.rstrip()
    if rest:
        text = "\n".join(line.rstrip() for line in [first, *dedent("\n".join(rest)).split("\n")]).strip()
    return text if len(text) <= TEXT else text[: TEXT - 1] + "…"


def docs_of(value: Any, *titles: Any) -> dict[str, Any]:
    """Return ``doc`` and ``details`` of a method.

    ``doc`` is the first title, or the first paragraph. ``details`` is the text.
    """
    details = text_of(value)
    doc = next(filter(None, map(line_of, titles)), "") or line_of(details.partition("\n\n")[0])
    return {"doc": doc, "details": "" if details.rstrip(".") == doc.rstrip(".") else details}


def kind_of(value: Any) -> str:
    """Return a type such as ``Number`` or ``int`` in one standard word."""
    word = line_of(value, KIND)
    return KINDS.get(word.lower(), word)


def own_kind(value: Any) -> str:
    """Return the word for a type that only this service knows; otherwise ""."""
    kind = kind_of(value)
    return "" if kind in KINDS or kind.lower() == "any" else kind


MAX_METHODS: Final = 20_000


class Collected:
    """The methods found so far, and counts of those left out."""

    def __init__(self) -> None:
        self.described: dict[str, Described] = {}
        self.events: dict[str, Described] = {}
        self._nameless = self._repeated = self._too_many = 0

    def take_name(self, value: Any, among: dict[str, Described] | None = None) -> str:
        """Return the name if it can be called and is new, else count it.

        The result is "" if it is only counted.
        """
        among = self.described if among is None else among
        name = name_of(value)
        if not name or name.startswith(EVENT):
            self._nameless += 1
        elif name in among:
            self._repeated += 1
        elif len(among) == MAX_METHODS:
            self._too_many += 1
        else:
            return name
        return ""

    def listing(self, about: str = "", *skipped: str) -> Listing:
        """Return the listing, with sentences about entries that were left out."""
        counts = (
            (self._nameless, "missing or invalid"),
            (self._repeated, "repeated"),
            (self._too_many, f"more than {MAX_METHODS:,}"),
        )
        left_out = [f"{counted(count, 'name')} skipped: {why}" for count, why in counts if count]
        return Listing(self.described, about, (*left_out, *skipped), events=self.events)


MAX_ENTRIES: Final = 200
"""Errors, examples or tags of one method."""
MAX_PARAMS: Final = 2_000
"""Params of one method. One more param replaces those that are left out."""
MAX_METHOD_CHARACTERS: Final = 4 * 1024 * 1024
"""Characters of JSON to store for one method, without referenced schemas."""
MAX_TOTAL_CHARACTERS: Final = 32 * 1024 * 1024
"""Characters of JSON to store for all methods together."""
MAX_TOTAL_ENTRIES: Final = 300_000
"""Params, errors, examples and tags of all methods.

References can make a small document large.
"""
MAX_OWN_PARTS: Final = 1_000_000
"""Parts of schemas to search in methods with their own definitions."""
OTHERS: Final = "..."
"""The name of a param that means all others."""
OWN_DEFINITIONS: Final = ("$defs", "definitions")
MAX_HOPS: Final = 8
"""References to references that are followed."""
SCHEMA_WORDS: Final = frozenset(
    ("type", "$ref", "properties", "items", "enum", "const", "oneOf", "anyOf", "allOf", "format", "pattern")
)
"""Members that show that an object without ``schema`` is a schema itself."""
NOT_OF_SCHEMA: Final = frozenset(("name", "summary"))
"""Members of a param that are not part of its own schema.

The same is true for a boolean ``required``.
"""
OwnSchema = Callable[[dict[str, Any]], Any]
"""Makes a schema of a param or of a result."""


def own_schema(entry: dict[str, Any]) -> Any:
    """Return the schema that a param is itself; ``True`` if it has no limits."""
    schema = {
        key: value
        for key, value in entry.items()
        if key not in NOT_OF_SCHEMA and not (key == "required" and isinstance(value, bool))
    }
    return schema if schema.keys() - {"description"} else True


class MethodReader:
    """Reads the methods of one document."""

    def __init__(
        self,
        document: Any,
        protocol: str,
        *,
        types: Any = None,
        own: OwnSchema | None = None,
        default_required: bool | None = False,
    ) -> None:
        """Initialise a reader for one document.

        ``types`` are the targets of references by name. ``own`` makes a schema of a param that is its own schema.
        ``default_required``: whether a param is required if the document does not state it.
        """
        self._definitions = Definitions(document, types)
        self._protocol = protocol
        self._own, self._default_required = own, default_required
        self._draft = _draft_of(document) if isinstance(document, dict) else ""
        self._cut = self._without_params = 0
        self._room, self._entries_left, self._left_for_own = MAX_TOTAL_CHARACTERS, MAX_TOTAL_ENTRIES, MAX_OWN_PARTS
        self._weights: dict[int, tuple[Any, int]] = {}

    def method(self, entry: dict[str, Any], **facts: Any) -> Described:
        """Read an entry; ``facts`` are those that only this document format has."""
        params = tuple(self._params(entry.get("params")))
        result, schema, word = self._result(entry)
        described = Described(
            params,
            schema,
            "" if self._own else name_of(result.get("name")),
            text_of(result.get("description")) or line_of(result.get("summary")),
            tuple(self._errors(entry.get("errors"))),
            tuple(self._examples(entry.get("examples"), entry.get("paramStructure"), params)),
            tuple(self._tags(entry.get("tags"))),
            draft=self._draft,
            protocol=self._protocol,
            definitions=self._gather([*(param.schema for param in params), schema]),
            deprecated=entry.get("deprecated") is True,
            result_kind=word,
            **{**docs_of(entry.get("description"), entry.get("summary")), **facts},
        )
        return self._limit(described)

    def left_out(self) -> list[str]:
        """Return sentences about parts that were too large to store."""
        sentences = []
        if self._cut:
            sentences.append(f"schemas or examples of {counted(self._cut, 'method')} skipped: too large to store")
        if self._without_params:
            sentences.append(f"params of {counted(self._without_params, 'method')} skipped: too many to store")
        if count := self._definitions.left_out:
            sentences.append(f"{counted(count, 'referenced schema')} skipped: over the limit for number or size")
        return sentences

    def _gather(self, schemas: list[Any]) -> dict[str, Any]:
        """Return the targets of references.

        They are the same for all methods, except for schemas with their own definitions.
        """
        own = {
            f"#/{key}/{name.replace('~', '~0').replace('/', '~1')}": definition
            for schema in schemas
            if isinstance(schema, dict)
            for key in OWN_DEFINITIONS
            if isinstance(among := schema.get(key), dict)
            for name, definition in among.items()
        }
        if own and self._left_for_own > 0:
            definitions = self._definitions.with_own(own)
            found = definitions.gather(schemas)
            self._left_for_own -= definitions.looked_at
            return found if found.keys() & own.keys() else self._definitions.gather(schemas)
        return self._definitions.gather(schemas)

    def _limit(self, described: Described) -> Described:
        """Drop parts that are too large: schemas of params first, examples last."""
        limit = left = min(MAX_METHOD_CHARACTERS, self._room)
        bare: dict[str, Any] = {}
        for fact, parts, without in (
            ("params", [param.schema for param in described.params], _without_schema),
            ("result", [described.result], lambda _: UNSET),
            ("errors", [error.data for error in described.errors], _without_data),
            (
                "examples",
                [part for example in described.examples for part in (example.params, example.result)],
                lambda _: (),
            ),
        ):
            size = sum(self._weight(part, left) for part in parts)
            if size > left:
                bare[fact] = without(described)
            else:
                left -= size
        self._room -= limit - left
        self._cut += bool(bare)
        return replace(described, **bare) if bare else described

    def _weight(self, part: Any, limit: int) -> int:
        """Return the weight of a part, computed once for methods that share it.

        The part is stored with its weight, so that its id stays unique.
        """
        if not isinstance(part, dict | list):
            return weight(part, limit)
        known = self._weights.get(id(part))
        if known is None:
            known = self._weights[id(part)] = (part, weight(part, MAX_METHOD_CHARACTERS))
        return known[1]

    def _params(self, params: Any) -> Iterator[DescribedParam]:
        is_named = isinstance(params, dict)
        entries = list(params.items()) if is_named else params if isinstance(params, list) else []
        some = self._some(entries, MAX_PARAMS)
        for own_name, param in some if is_named else [(None, param) for param in some]:
            described = param if self._own and isinstance(param, dict) else self.follow(param)
            if self._own and not isinstance(param, dict):
                described = {"name": param}
            required = described.get("required", self._default_required if own_name is None else None)
            schema = self._schema(described, is_one=own_name is not None)
            yield DescribedParam(
                name_of(described.get("name") if own_name is None else own_name),
                schema,
                required if isinstance(required, bool) else None,
                text_of(described.get("description")) or line_of(described.get("summary")),
                described.get("deprecated") is True,
                _own_word(described if self._own else schema),
            )
        if 0 < len(some) < len(entries):
            self._without_params += 1
            yield DescribedParam(OTHERS, doc=counted(len(entries) - len(some), "more param"))

    def _schema(self, described: dict[str, Any], *, is_one: bool = False) -> Any:
        schema = described.get("schema")
        if isinstance(schema, dict | bool):
            return schema
        if self._own:
            return self._own(described)
        return own_schema(described) if is_one or described.keys() & SCHEMA_WORDS else True

    def _result(self, entry: dict[str, Any]) -> tuple[dict[str, Any], Any, str]:
        """Return the result's entry, its schema, and its type if it is special."""
        value = next((entry[key] for key in ("result", "returns", "return") if key in entry), None)
        if self._own and isinstance(value, str):
            value = {"type": value} if kind_of(value) != "any" else {}
        result = value if self._own and isinstance(value, dict) else self.follow(value)
        schema = self._schema(result)
        word = _own_word(result if self._own else schema)
        return result, UNSET if schema is True and "schema" not in result else schema, word

    def _errors(self, errors: Any) -> Iterator[DescribedError]:
        for error in self._entries(errors):
            code, data = error.get("code"), error.get("data", UNSET)
            yield DescribedError(
                code if isinstance(code, int) and not isinstance(code, bool) else None,
                line_of(error.get("message"), LINE),
                UNSET if self._own and data is None else data,
            )

    def _examples(self, examples: Any, structure: Any, params: tuple[DescribedParam, ...]) -> Iterator[ExampleCall]:
        for example in self._entries(examples):
            given = [
                (name_of(value.get("name")), value["value"])
                for value in self._entries(example.get("params"))
                if "value" in value
            ]
            result = self.follow(example.get("result", example.get("returns")))
            yield ExampleCall(
                line_of(example.get("name")),
                _arrange(given, [param.name for param in params], structure),
                text_of(example.get("description")) or line_of(example.get("summary")),
                result.get("value", UNSET),
            )

    def _tags(self, tags: Any) -> Iterator[str]:
        """Yield the tags: objects with a name, references to these, or names."""
        for tag in self._some(tags):
            name = name_of(tag if isinstance(tag, str) else self.follow(tag).get("name"))
            if name:
                yield name

    def _entries(self, entries: Any) -> Iterator[dict[str, Any]]:
        yield from (followed for entry in self._some(entries) if (followed := self.follow(entry)))

    def _some(self, value: Any, most: int = MAX_ENTRIES) -> list[Any]:
        """Return as many elements as one method and the whole document may have."""
        if not isinstance(value, list):
            return []
        some = value[: min(most, self._entries_left)]
        self._entries_left -= len(some)
        return some

    def follow(self, value: Any) -> dict[str, Any]:
        """Return the object, or the target of its reference.

        The target gets the members next to ``$ref``.
        """
        siblings: dict[str, Any] = {}
        for _ in range(MAX_HOPS):
            if not isinstance(value, dict):
                return {}
            reference = value.get("$ref")
            if not isinstance(reference, str):
                return {**value, **siblings} if siblings else value
            siblings = {**{key: member for key, member in value.items() if key != "$ref"}, **siblings}
            value = self._definitions.at(reference)
        return {}


def _own_word(schema: Any) -> str:
    word = schema.get("type") if isinstance(schema, dict) else None
    return own_kind(word) if isinstance(word, str) and word not in KINDS else ""


def _without_schema(described: Described) -> Any:
    return tuple(replace(param, schema=True) for param in described.params)


def _without_data(described: Described) -> Any:
    return tuple(replace(error, data=UNSET) for error in described.errors)


def _arrange(given: list[tuple[str, Any]], names: list[str], structure: Any) -> Any:
    """Return example values as params that can be sent.

    They are by name if the method states it, or if they are not in the order of its params.
    """
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
    """Return the draft of the schemas.

    ``$schema`` of a document may also name the schema of such documents.
    """
    drafts = (line_of(document.get(key)) for key in ("jsonSchemaDialect", "$schema"))
    return next((draft for draft in drafts if "json-schema.org" in draft), "")
