"""The table of methods as an OpenRPC document. Whatever it says stands in the declarations; nothing is added here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from rpcexplorer.demo import PATH
from rpcexplorer.demo.declaration import ExampleCall, Method, Param
from rpcexplorer.demo.schema import SCHEMAS

_OTHERS: Final = {"name": "...", "summary": "Any others", "required": False, "schema": {"default": None}}
"""OpenRPC has no word for them; a name like this one is understood."""


def document(methods: Iterable[Method]) -> dict[str, Any]:
    """Describe these methods; ``x-auth`` and ``x-safe`` say what OpenRPC has no word for."""
    return {
        "openrpc": "1.3.2",
        "info": {
            "title": "rpcexplorer demo",
            "version": "2.0.0",
            "description": "A service to explore. It lives on this machine only and forgets everything when it ends.",
        },
        "servers": [{"name": "this one", "url": PATH}],
        "methods": [_method(method) for method in methods],
        "components": {"schemas": SCHEMAS},
    }


def _method(method: Method) -> dict[str, Any]:
    schema = {} if method.result is None else method.result
    return {
        "name": method.name,
        "summary": method.summary,
        "description": method.description or f"{method.summary}.",
        "tags": [{"name": method.tag}],
        "paramStructure": "by-name" if method.auth == "inline" else "either",
        "params": [*map(_param, method.params), *([_OTHERS] if method.takes_anything else [])],
        "result": {"name": "result", "schema": schema},
        "errors": [{"code": code, "message": message} for code, message in _errors(method)],
        **({"examples": [_example(method, each) for each in method.examples]} if method.examples else {}),
        **({"deprecated": True} if method.deprecated else {}),
        "x-auth": method.auth,
        "x-safe": method.safe,
    }


def _example(method: Method, example: ExampleCall) -> dict[str, Any]:
    """Each param that it gives, in the order of the method's."""
    given = [each.name for each in method.params if each.name in example.params]
    return {"name": example.name, "params": [{"name": name, "value": example.params[name]} for name in given]}


def _param(param: Param) -> dict[str, Any]:
    return {"name": param.name, "summary": param.summary, "required": param.required, "schema": dict(param.schema)}


def _errors(method: Method) -> list[tuple[int, str]]:
    """A code stands once, with the first thing said about it."""
    errors: list[tuple[int, str]] = list(method.errors)
    if method.auth != "none":
        errors.append((-32001, "authentication required"))
    if method.auth == "inline" or not method.takes_anything:
        errors.append((-32602, "Invalid params"))
    return list(dict(reversed(errors)).items())[::-1]
