"""What the process that checks would say, without a process."""

from __future__ import annotations

from rpcexplorer.model.method import By, Described
from rpcexplorer.model.problem import SchemaProblem
from rpcexplorer.schema import check_process
from rpcexplorer.schema.bundle import Bundle, bundle_params, bundle_result
from rpcexplorer.schema.explain import Violation, worded


def made(described: Described, by: By | None = "name") -> Bundle:
    return bundle_params(described, by) if by else bundle_result(described)


def violations(bundle: Bundle, text: str) -> tuple[Violation, ...]:
    return tuple(check_process.violations(check_process._validator(bundle.schema), text))


def problems(described: Described, text: str, by: By | None = "name") -> tuple[SchemaProblem, ...]:
    bundle = made(described, by)
    return tuple(each.problem for each in worded(bundle, text, violations(bundle, text)))
