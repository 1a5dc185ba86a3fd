"""The methods of an OpenRPC document in full: what ``Method`` has no room for. Total, as openrpc.py is.

Schemas stay as the service wrote them. What they refer to is gathered as the methods are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from msgspec import UNSET

from rpcexplorer.client.discovery.limits import LINE, line_of, name_of, text_of
from rpcexplorer.model.schema.definitions import Definitions
from rpcexplorer.model.schema.described import Described, DescribedError, DescribedParam, ExampleCall

MOST: Final = 200
"""Params, errors or examples of one method."""


class DescribedReader:
    """Reads the entries of one document."""

    def __init__(self, document: Any, dialect: str) -> None:
        self._definitions = Definitions(document)
        self._dialect = dialect
        self._draft = line_of(document.get("$schema")) if isinstance(document, dict) else ""

    def method(self, name: str, entry: dict[str, Any]) -> Described:
        params = tuple(self._params(entry.get("params")))
        result = self._followed(entry.get("result"))
        schema = result.get("schema", UNSET)
        self._definitions.gather([*(each.schema for each in params), schema])
        return Described(
            params,
            schema if isinstance(schema, dict | bool) else UNSET,
            name_of(result.get("name")),
            text_of(result.get("description")) or line_of(result.get("summary")),
            tuple(self._errors(entry.get("errors"))),
            tuple(self._examples(entry.get("examples"), entry)),
            tuple(name for each in self._entries(entry.get("tags")) if (name := name_of(each.get("name")))),
            draft=self._draft,
            dialect=self._dialect,
            definitions=self._definitions.found,
        )

    def _params(self, params: Any) -> Iterator[DescribedParam]:
        named = params.items() if isinstance(params, dict) else ((None, each) for each in _listed(params))
        for own_name, param in named:
            described = self._followed(param)
            schema = described.get("schema", True if own_name is None else described)
            required = described.get("required", False if own_name is None else None)
            yield DescribedParam(
                name_of(described.get("name") if own_name is None else own_name),
                schema if isinstance(schema, dict | bool) else True,
                required if isinstance(required, bool) else None,
                text_of(described.get("description")) or line_of(described.get("summary")),
                deprecated=described.get("deprecated") is True,
            )

    def _errors(self, errors: Any) -> Iterator[DescribedError]:
        for each in self._entries(errors):
            code = each.get("code")
            yield DescribedError(
                code if isinstance(code, int) and not isinstance(code, bool) else None,
                line_of(each.get("message"), LINE),
                each.get("data", UNSET),
            )

    def _examples(self, examples: Any, entry: dict[str, Any]) -> Iterator[ExampleCall]:
        """By name where the method says so; else by position, as the document has them."""
        for each in self._entries(examples):
            given = [(name_of(param.get("name")), param.get("value")) for param in self._entries(each.get("params"))]
            by_name = entry.get("paramStructure") == "by-name" and all(name for name, _ in given)
            result = self._followed(each.get("result"))
            yield ExampleCall(
                line_of(each.get("name")),
                dict(given) if by_name else [value for _, value in given],
                text_of(each.get("description")) or line_of(each.get("summary")),
                result.get("value", UNSET),
            )

    def _entries(self, entries: Any) -> Iterator[dict[str, Any]]:
        yield from (followed for each in _listed(entries) if (followed := self._followed(each)))

    def _followed(self, value: Any) -> dict[str, Any]:
        """The object, or the one that it refers to."""
        for _ in range(8):
            if not isinstance(value, dict):
                return {}
            reference = value.get("$ref")
            if not isinstance(reference, str):
                return value
            value = self._definitions.at(reference)
        return {}


def _listed(value: Any) -> list[Any]:
    return value[:MOST] if isinstance(value, list) else []
