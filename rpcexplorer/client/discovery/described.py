"""The methods of a document in full: what ``Method`` has no room for. Total, as openrpc.py is.

Schemas stay as the service wrote them. What they refer to is gathered as the methods are read. In an OpenRPC document a
param has a schema; elsewhere it is one, with its name inside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from msgspec import UNSET
from msgspec.structs import replace

from rpcexplorer.client.discovery.limits import LINE, kind_of, line_of, name_of, text_of
from rpcexplorer.model.method import Described, DescribedError, DescribedParam, ExampleCall
from rpcexplorer.schema.node import Definitions, weight

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
