"""Answers of the checking process without a process."""

from __future__ import annotations

from rpcexplorer.model.method import By, Described
from rpcexplorer.model.problem import SchemaProblem
from rpcexplorer.schema.bundle import Bundle, bundle_params, bundle_result
from rpcexplorer.schema.check_process import MethodCheck
from rpcexplorer.schema.explain import ExplainedProblem


def made(described: Described, by: By | None = "name") -> Bundle:
    return bundle_params(described, by) if by else bundle_result(described)


def explained(described: Described, text: str, by: By | None = "name") -> tuple[ExplainedProblem, ...]:
    return MethodCheck(described).problems(text, by)


def problems(described: Described, text: str, by: By | None = "name") -> tuple[SchemaProblem, ...]:
    return tuple(violation.problem for violation in explained(described, text, by))
