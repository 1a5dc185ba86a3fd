"""Answers that are names and no more."""

from __future__ import annotations

from typing import Any

import pytest

from rpcexplorer.client.discovery.names import read_modules, read_names


@pytest.mark.parametrize("dialect", ["rpc_methods", "Shelly.ListMethods"])
def test_names_are_of_the_dialect_that_told_them(dialect: str) -> None:
    listing = read_names({"version": 1, "methods": ["chain_getBlock", "state_call"]}, dialect)
    assert [(method.name, method.dialect) for method in listing.methods] == [
        ("chain_getBlock", dialect), ("state_call", dialect),
    ]  # fmt: skip


def test_modules_are_named_and_nothing_is_listed() -> None:
    listing = read_modules({"eth": "1.0", "net": "1.0"})
    assert listing.methods == ()
    assert listing.refusal.startswith("tells of modules only (eth, net)")


@pytest.mark.parametrize("value", [["eth"], "eth", 7])
def test_another_answer_names_no_modules(value: Any) -> None:
    assert read_modules(value).refusal == "answered, but not with modules by name"


def test_thousands_of_modules_are_a_short_sentence() -> None:
    assert len(read_modules({f"module{number}": "1.0" for number in range(10_000)}).refusal) < 500
