"""The document describes what dispatch does: nothing more, nothing less."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from rpcexplorer.demo.service import TABLE, DemoService
from tests.demo.calling import ask, content, envelope

DOCUMENT: dict[str, Any] = ask(DemoService(), "rpc.discover")
METHODS: dict[str, dict[str, Any]] = {method["name"]: method for method in DOCUMENT["methods"]}


def test_it_has_what_openrpc_asks_for() -> None:
    assert DOCUMENT["openrpc"].startswith("1.")
    assert {"title", "version"} <= DOCUMENT["info"].keys()
    assert DOCUMENT["servers"][0]["url"] == "/api/v2/"


def test_it_lists_exactly_the_methods_that_answer() -> None:
    assert len(DOCUMENT["methods"]) == len(METHODS)
    assert METHODS.keys() == TABLE.keys() == set(ask(DemoService(), "system.listMethods"))
    assert METHODS.keys() == {
        "auth", "ping", "arg_test", "rpc.discover", "system.listMethods",
        "demo.echo", "demo.records", "demo.slow", "demo.fail", "demo.unicode", "demo.numbers", "demo.nested",
        "demo.duplicates", "demo.notes.add", "demo.notes.list", "demo.notes.delete", "demo.logout", "demo.session",
        "demo.orders.find", "demo.orders.place", "demo.orders.search", "demo.tree", "demo.misdescribed",
    }  # fmt: skip


@pytest.mark.parametrize("name", METHODS)
def test_each_method_is_described_in_full(name: str) -> None:
    method = METHODS[name]
    assert method["summary"]
    assert method["description"].endswith(".")
    assert method["tags"][0]["name"]
    assert {"name", "schema"} <= method["result"].keys()
    codes = [error["code"] for error in method["errors"]]
    assert len(codes) == len(set(codes))
    for param in method["params"]:
        assert {"name", "summary", "required", "schema"} <= param.keys()
        assert param["required"] is ("default" not in param["schema"])


@pytest.mark.parametrize("name", METHODS)
def test_a_call_without_credentials_goes_as_x_auth_says(name: str) -> None:
    params = "{}" if METHODS[name]["x-auth"] == "inline" else "[]"
    message = json.loads(content(DemoService().answer(envelope(name, params).encode())))
    refused = message.get("error", {}).get("message") == "authentication required"
    assert refused is (METHODS[name]["x-auth"] != "none")
    if refused:
        assert -32001 in [error["code"] for error in METHODS[name]["errors"]]


def test_only_what_changes_something_is_not_safe() -> None:
    unsafe = {name for name, method in METHODS.items() if not method["x-safe"]}
    assert unsafe == {"demo.notes.add", "demo.notes.delete", "demo.logout", "demo.orders.place"}


@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if "examples" in method])
def test_each_example_is_answered_with_a_result(name: str) -> None:
    for example in METHODS[name]["examples"]:
        params = {param["name"]: param["value"] for param in example["params"]}
        answer = json.loads(content(DemoService().answer(envelope(name, json.dumps(params)).encode())))
        assert "error" not in answer


def test_what_is_referred_to_stands_in_the_document() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    assert set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(DOCUMENT))) == set(schemas)


def test_params_are_described_by_their_schemas() -> None:
    count = METHODS["demo.records"]["params"][0]
    assert count == {
        "name": "count",
        "summary": "Records on the page",
        "required": False,
        "schema": {"type": "integer", "minimum": 1, "maximum": 1_000_000, "default": 20},
    }
    assert "traceback" in METHODS["demo.fail"]["params"][0]["schema"]["enum"]
    assert METHODS["arg_test"]["paramStructure"] == "by-name"
