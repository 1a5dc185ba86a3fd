"""The door for descriptions of others, and the reader of methods behind it.

``admit`` checks a whole document once. ``Room`` limits what its references add, and ``within_limits`` what each method
of a listing has. Whatever reads a description in between or afterwards needs no limit of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from math import isfinite
from textwrap import dedent
from typing import Any, Final
from urllib.parse import unquote

from msgspec import UNSET
from msgspec.structs import replace

from rpcexplorer.discovery.methods import LINE, Listing
from rpcexplorer.jsontext.pointers import names_of, pointer_of
from rpcexplorer.model.method import Described, DescribedError, DescribedParam, ExampleCall
from rpcexplorer.model.problem import counted
from rpcexplorer.schema.dialect import KINDS, references_of
from rpcexplorer.schema.words import in_one_line

MAX_LEVELS: Final = 200
"""Deeper documents are hostile, and reading them would overflow the stack."""
MAX_PARTS: Final = 2_000_000
"""Values of one document. The largest known has 60,000; 10,000 methods with schemas have 500,000."""
MAX_ADDED_CHARACTERS: Final = 32 * 1024 * 1024
"""Characters of JSON that references and further pages may add, as many as the largest response has."""
MAX_METHOD_CHARACTERS: Final = 4 * 1024 * 1024
"""Characters of JSON of one method. A larger one would make keys slow."""
MAX_METHODS: Final = 20_000
MAX_ENTRIES: Final = 2_000
"""Params, errors, examples or tags of one method; the screen has a row or a line for each."""
MAX_NAME_CHARACTERS: Final = 256
TEXT: Final = 2_000
"""Characters of docs."""
KIND: Final = 60
"""Characters of a title, a type or another word."""
REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"
"""Replaces a lone surrogate; the name then differs from the service's."""
_SURROGATES: Final = dict.fromkeys(range(0xD800, 0xE000), REPLACEMENT)


class NotAdmittedError(ValueError):
    """A document is too large; the text says how."""


def admit(document: Any) -> Any:
    """Return a document so that it can be stored and shown; usually unchanged.

    A member whose value is NaN or infinite, or a list with such a number, is left out: without that number it would
    have another meaning.
    """
    level, parts, is_clean = [document], 0, True
    for _ in range(MAX_LEVELS + 1):
        parts += len(level)
        if parts > MAX_PARTS:
            raise NotAdmittedError(f"the response has more than {MAX_PARTS:,} values")
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
            return document if is_clean else _cleaned(document)
        level = below
    raise NotAdmittedError(f"the response has more than {MAX_LEVELS} levels")


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


def without_surrogates(text: str) -> str:
    """Return the text without lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.translate(_SURROGATES)
    return text


def name_of(value: Any) -> str:
    """Return a name that can be sent unchanged; empty for other values."""
    if not isinstance(value, str) or len(value) > MAX_NAME_CHARACTERS or not value.strip():
        return ""
    return "" if REPLACEMENT in without_surrogates(value) else value


def line_of(value: Any, limit: int = LINE) -> str:
    """Return one line of text; empty if the value is not text."""
    if not isinstance(value, str):
        return ""
    return in_one_line(without_surrogates(value[: limit * 4]), limit)


def text_of(value: Any) -> str:
    """Return text of several lines, without the indentation of source code."""
    if not isinstance(value, str):
        return ""
    first, _, rest = without_surrogates(value[: TEXT * 2]).strip().partition("\n")
    lines = [first, *dedent("\n".join(rest.splitlines())).split("\n")]
    text = "\n".join(line.rstrip() for line in lines).strip()
    if len(text) > TEXT:
        text = text[: TEXT - 1] + "…"
    return text


def docs_of(value: Any, *titles: Any) -> dict[str, Any]:
    """Return ``doc`` and ``details`` of a method.

    ``doc`` is the first title, or the first paragraph. ``details`` is the text.
    """
    details = text_of(value)
    lines = [*map(line_of, titles), line_of(details.partition("\n\n")[0])]
    doc = next((line for line in lines if line), "")
    if details.rstrip(".") == doc.rstrip("."):
        details = ""
    return {"doc": doc, "details": details}


def doc_of(entry: dict[str, Any]) -> str:
    """Return the docs of a part of a method."""
    return text_of(entry.get("description")) or line_of(entry.get("summary"))


def dict_of(value: Any) -> dict[str, Any]:
    """Return an object; empty for other values."""
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    """Return an array; empty for other values."""
    return value if isinstance(value, list) else []


def title_of(about: dict[str, Any], name: str) -> str:
    """Return the title and version of a service."""
    return f"{line_of(about.get(name), KIND)} {line_of(about.get('version'), 20)}".strip()


def kind_of(value: Any) -> str:
    """Return a type such as ``Number`` or ``int`` in one standard word."""
    word = line_of(value, KIND)
    return KINDS.get(word.lower(), word)


def own_kind(value: Any) -> str:
    """Return the word for a type that only this service knows; otherwise ""."""
    kind = kind_of(value)
    return "" if kind in KINDS or kind.lower() == "any" else kind


def weight(value: Any, limit: int) -> int:
    """Estimate the characters of a JSON value; stop above the limit."""
    rest, size = [value], 0
    while rest and size <= limit:
        part = rest.pop()
        kind = type(part)  # There may be millions of values, and this is the fastest check.
        if kind is str:
            size += len(part) + 2
        elif kind is dict:
            size += 2 + 4 * len(part) + sum(map(len, part))
            rest += part.values()
        elif kind is list or kind is tuple:
            size += 2 + len(part)
            rest += part
        else:
            size += 5
    return size


EVENT: Final = "event\0"
"""Prefix of events among the descriptions, which no method has."""


def key_of_event(name: str) -> str:
    """Return the key of an event's description, which differs from a method's."""
    return f"{EVENT}{name}"


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
        if among is None:
            among = self.described
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


def within_limits(listing: Listing) -> Listing:
    """Return the listing; a method that is too large keeps its name and first line."""
    described, events, too_large = dict(listing.described), dict(listing.events), 0
    for among in (described, events):
        for name, full in among.items():
            if _is_too_large(full):
                among[name] = Described(protocol=full.protocol, doc=full.doc, auth=full.auth, safe=full.safe)
                too_large += 1
    if not too_large:
        return listing
    sentence = f"descriptions of {counted(too_large, 'method')} skipped: too large"
    return replace(listing, described=described, events=events, skipped=(*listing.skipped, sentence))


def _is_too_large(described: Described) -> bool:
    parts: list[Any] = [described.details, described.result, described.start]
    parts += [param.schema for param in described.params]
    parts += [error.data for error in described.errors]
    parts += [(example.params, example.result) for example in described.examples]
    lists = described.params, described.errors, described.examples, described.tags
    return max(map(len, lists)) > MAX_ENTRIES or weight(parts, MAX_METHOD_CHARACTERS) > MAX_METHOD_CHARACTERS


class Room:
    """What references and further pages may add to a document: they can make a small one huge."""

    def __init__(self) -> None:
        self._left = MAX_ADDED_CHARACTERS
        self.refused = 0

    def left_out(self) -> list[str]:
        """Return a sentence if there was not room for all."""
        if not self.refused:
            return []
        return [f"{counted(self.refused, 'part')} skipped: the description is too large with them"]

    def take(self, target: Any) -> bool:
        """Return whether there is room for a target; after the first refusal, never."""
        if self._left >= 0:
            self._left -= weight(target, self._left)
        if self._left < 0:
            self.refused += 1
        return self._left >= 0


class Document:
    """A document whose references can be followed."""

    def __init__(self, root: Any, types: Any = None, room: Room | None = None) -> None:
        """Names without a path refer to ``types``."""
        self._root, self._types = root, dict_of(types)
        self.room = room or Room()
        self._found: dict[str, Any] = {}
        self._seen: set[int] = set()
        """Ids of schemas: thousands of methods may share one."""

    def follow(self, value: Any) -> dict[str, Any]:
        """Return the object, or the target of its reference.

        The target gets the members next to ``$ref``.
        """
        siblings: dict[str, Any] = {}
        seen: set[str] = set()
        while isinstance(value, dict):
            reference = value.get("$ref")
            if not isinstance(reference, str):
                return {**value, **siblings} if siblings else value
            siblings = {**value, **siblings}
            del siblings["$ref"]
            value = self.at(reference)
            if reference in seen or not self.room.take(value):
                return {}
            seen.add(reference)
        return {}

    def definitions(self, schemas: Iterable[Any]) -> dict[str, Any]:
        """Return everything that these schemas refer to, directly or not.

        They are the same for all methods, except for schemas with their own definitions.
        """
        schemas = list(schemas)
        own: dict[str, Any] = {}
        for schema in schemas:
            own |= _own_definitions(schema)
        if own:
            found = self._gather(schemas, own, {}, set())
            if not found.keys().isdisjoint(own):
                return found
        return self._gather(schemas, {}, self._found, self._seen)

    def _gather(self, schemas: list[Any], own: dict[str, Any], found: dict[str, Any], seen: set[int]) -> dict[str, Any]:
        rest = list(schemas)
        while rest:
            part = rest.pop()
            kind = type(part)
            if (kind is not dict and kind is not list) or id(part) in seen:
                continue
            seen.add(id(part))
            if kind is list:
                rest += part
                continue
            rest += part.values()
            for reference in references_of(part):
                if reference in found:
                    continue
                target = self.at(reference)
                if target is None:
                    target = own.get(reference)
                if isinstance(target, dict | bool) and self.room.take(target):
                    found[reference] = target
                    rest.append(target)
        return found

    def at(self, reference: str) -> Any:
        """Return the target of a reference, or None. Nothing is fetched."""
        if reference == "#":
            return self._root
        if not reference.startswith("#/"):
            if reference in self._types:
                return self._types[reference]
            return self._named.get(reference)
        value: Any = self._root
        for name in names_of(reference[1:]):
            if isinstance(value, dict):
                value = value[name] if name in value else value.get(unquote(name))
            elif isinstance(value, list) and name.isdecimal() and len(name) < 9 and int(name) < len(value):
                value = value[int(name)]
            else:
                return None
        return value

    @cached_property
    def _named(self) -> dict[str, Any]:
        """Return schemas by the names that they give themselves."""
        named: dict[str, Any] = {}
        rest = [self._root]
        while rest:
            part = rest.pop()
            if isinstance(part, list):
                rest += part
            elif isinstance(part, dict):
                rest += part.values()
                for key in ("$id", "id"):
                    if isinstance(part.get(key), str):
                        named.setdefault(part[key], part)
        return named


def _own_definitions(schema: Any) -> dict[str, Any]:
    """Return the definitions inside a schema by the references to them."""
    found: dict[str, Any] = {}
    for key in ("$defs", "definitions"):
        for name, definition in dict_of(dict_of(schema).get(key)).items():
            found[f"#{pointer_of((key, name))}"] = definition
    return found


SCHEMA_WORDS: Final = frozenset(
    ("type", "$ref", "properties", "items", "enum", "const", "oneOf", "anyOf", "allOf", "format", "pattern")
)
"""Members that show that an object without ``schema`` is a schema itself."""


def own_schema(entry: dict[str, Any]) -> Any:
    """Return the schema that a param is itself; ``True`` if it has no limits."""
    schema = {key: value for key, value in entry.items() if key not in {"name", "summary"}}
    if isinstance(schema.get("required"), bool):
        del schema["required"]
    return schema if schema.keys() - {"description"} else True


class MethodReader:
    """Reads the methods of one document."""

    def __init__(
        self,
        document: Any,
        protocol: str,
        *,
        types: Any = None,
        is_inline: bool = False,
        default_required: bool | None = False,
    ) -> None:
        """Initialise a reader for one document.

        ``types`` are the targets of references by name. ``is_inline``: params and results are schemas themselves.
        ``default_required``: whether a param is required if the document does not state it.
        """
        self.document = Document(document, types)
        self._protocol = protocol
        self._is_inline, self._default_required = is_inline, default_required
        self._draft = _draft_of(dict_of(document))

    def method(self, entry: dict[str, Any], **facts: Any) -> Described:
        """Read an entry; ``facts`` are those that only this document format has."""
        params = tuple(self._params(entry.get("params")))
        result, schema, word = self._result(entry)
        described = Described(
            params,
            schema,
            "" if self._is_inline else name_of(result.get("name")),
            doc_of(result),
            tuple(self._errors(entry.get("errors"))),
            tuple(self._examples(entry.get("examples"), entry.get("paramStructure"), params)),
            tuple(self._tags(entry.get("tags"))),
            draft=self._draft,
            protocol=self._protocol,
            deprecated=entry.get("deprecated") is True,
            result_kind=word,
            **{**docs_of(entry.get("description"), entry.get("summary")), **facts},
        )
        schemas = [*(param.schema for param in params), schema]
        return replace(described, definitions=self.document.definitions(schemas))

    def _entries(self, entries: Any) -> Iterator[dict[str, Any]]:
        for entry in list_of(entries):
            followed = self.document.follow(entry)
            if followed:
                yield followed

    def _params(self, params: Any) -> Iterator[DescribedParam]:
        for name, param in dict_of(params).items():
            yield self._param(param, name, required=None, is_schema=True)
        for param in list_of(params):
            yield self._param(param, None, required=self._default_required, is_schema=self._is_inline)

    def _param(self, param: Any, name: str | None, *, required: bool | None, is_schema: bool) -> DescribedParam:
        entry = {"name": param}
        if not self._is_inline:
            entry = self.document.follow(param)
        elif isinstance(param, dict):
            entry = param
        if name is None:
            name = entry.get("name")
        if isinstance(entry.get("required"), bool):
            required = entry["required"]
        elif "required" in entry:
            required = None
        schema = self._schema(entry, is_schema=is_schema)
        return DescribedParam(
            name_of(name),
            schema,
            required,
            doc_of(entry),
            entry.get("deprecated") is True,
            own_kind(dict_of(entry if self._is_inline else schema).get("type")),
        )

    def _schema(self, entry: dict[str, Any], *, is_schema: bool) -> Any:
        schema = entry.get("schema")
        if isinstance(schema, dict | bool):
            return schema
        return own_schema(entry) if is_schema or entry.keys() & SCHEMA_WORDS else True

    def _result(self, entry: dict[str, Any]) -> tuple[dict[str, Any], Any, str]:
        """Return the result's entry, its schema, and its type if it is special."""
        value = next((entry[key] for key in ("result", "returns", "return") if key in entry), None)
        if not self._is_inline:
            result = self.document.follow(value)
        elif isinstance(value, str) and kind_of(value) != "any":
            result = {"type": value}
        else:
            result = dict_of(value)
        schema = self._schema(result, is_schema=self._is_inline)
        word = own_kind(dict_of(result if self._is_inline else schema).get("type"))
        if schema is True and "schema" not in result:
            schema = UNSET
        return result, schema, word

    def _errors(self, errors: Any) -> Iterator[DescribedError]:
        for error in self._entries(errors):
            code, data = error.get("code"), error.get("data")
            if isinstance(code, bool) or not isinstance(code, int):
                code = None
            if data is None:
                data = UNSET
            yield DescribedError(code, line_of(error.get("message")), data)

    def _examples(self, examples: Any, structure: Any, params: tuple[DescribedParam, ...]) -> Iterator[ExampleCall]:
        names = [param.name for param in params]
        for example in self._entries(examples):
            values = [value for value in self._entries(example.get("params")) if "value" in value]
            given = [(name_of(value.get("name")), value["value"]) for value in values]
            result = self.document.follow(example.get("result", example.get("returns")))
            params_to_send = _params_of_example(given, names, structure)
            yield ExampleCall(line_of(example.get("name")), params_to_send, doc_of(example), result.get("value", UNSET))

    def _tags(self, tags: Any) -> Iterator[str]:
        """Yield the tags: objects with a name, references to these, or names."""
        for tag in list_of(tags):
            name = name_of(tag if isinstance(tag, str) else self.document.follow(tag).get("name"))
            if name:
                yield name


def _params_of_example(given: list[tuple[str, Any]], names: list[str], structure: Any) -> Any:
    """Return example values as params that can be sent.

    They are by name if the method states it, or if they are not in the order of its params.
    """
    named: dict[str, Any] = {}
    for place, (own_name, value) in enumerate(given):
        usual = names[place] if place < len(names) else ""
        named[own_name or usual] = value
    own, first = list(named), names[: len(named)]
    if structure == "by-name" and "" not in named:
        return named
    if own == first or len(named) < len(given) or not set(own) <= set(names):
        return [value for _, value in given]
    if structure == "by-position" and set(own) == set(first):
        return [named[name] for name in first]
    return named


def _draft_of(document: dict[str, Any]) -> str:
    """Return the draft of the schemas.

    ``$schema`` of a document may also name the schema of such documents.
    """
    drafts = (line_of(document.get(key)) for key in ("jsonSchemaDialect", "$schema"))
    return next((draft for draft in drafts if "json-schema.org" in draft), "")
