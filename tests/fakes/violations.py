"""What the process that checks would say, without a process."""

from __future__ import annotations

import json

import jsonschema_rs
import msgspec

from rpcexplorer.jsontext.steps import at_once
from rpcexplorer.model.method import By, Described
from rpcexplorer.model.problem import SchemaProblem
from rpcexplorer.schema.bundle import Checkable, checkable_params, checkable_result
from rpcexplorer.schema.check_process import answer
from rpcexplorer.schema.explain import Violation, worded


def made(described: Described, by: By | None = "name") -> Checkable:
    return at_once(checkable_params(described, by) if by else checkable_result(described))


def violations(checkable: Checkable, text: str) -> tuple[Violation, ...]:
    said = answer({}, checkable.key, checkable.json, text.encode("utf-8", "surrogatepass"), jsonschema_rs)
    assert not said.get("why_not"), said
    return msgspec.json.decode(json.dumps(said["violations"]), type=tuple[Violation, ...])


def problems(described: Described, text: str, by: By | None = "name") -> tuple[SchemaProblem, ...]:
    checkable = made(described, by)
    return tuple(each.problem for each in worded(checkable, text, violations(checkable, text)))
