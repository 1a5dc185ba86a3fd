"""Schemas of real services, and their examples that match or do not."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

import pytest
from msgspec import UNSET

from rpcexplorer.discovery.documents import read_document
from rpcexplorer.discovery.methods import line_of
from rpcexplorer.model.method import By, Described, Method
from rpcexplorer.schema.start import started
from tests.corpora.documents import documents
from tests.discovery.test_recorded import SERVERS, asked
from tests.fakes.violations import made, problems

TRULY_WRONG = {
    "params": 9,  # litecoind accepts an object but describes an array; an id with a leading zero
    "result": 17,  # a text "null", members in another case, an object for an array: all in the Ethereum documents
    "start": 1,  # the id of a chain must match a pattern, and there is no example
}


def described() -> Iterator[tuple[Method, Described]]:
    listings = [asked(server) for server in SERVERS] + [read_document(value, name) for name, value in documents()]
    for listing in listings:
        yield from ((line_of(name, full), full) for name, full in listing.described.items())


def is_wrong(full: Described, value: object, *, of_result: bool = False) -> bool:
    by: By | None = None if of_result else "name" if isinstance(value, dict) else "position"
    return bool(made(full, by).schema) and bool(problems(full, json.dumps(value), by))


@pytest.mark.thorough
def test_real_schemas_are_checked_with_their_examples() -> None:
    wrong: Counter[str] = Counter()
    for method, full in described():
        wrong["elsewhere"] += any("refers to" in made(full, by).why_not for by in ("name", "position", None))
        wrong["params"] += sum(is_wrong(full, example.params) for example in full.examples)
        results = [example.result for example in full.examples if example.result is not UNSET]
        wrong["result"] += sum(is_wrong(full, result, of_result=True) for result in results)
        start = started(method, full)
        wrong["start"] += bool(start.why_not) or (start.value is not None and is_wrong(full, start.value))
    assert wrong == Counter(TRULY_WRONG)
