"""Who has said what of a method: several dialects, the service's own document and the profile may each know a part."""

from __future__ import annotations

from typing import Any, Final

from msgspec.structs import replace

from rpcexplorer.model.method import Method

FACTS: Final = ("doc", "details", "params", "auth", "safe", "parameters", "by", "result", "deprecated")
"""What is known of a method, each from a source."""
OF_PARAMETERS: Final = ("by", "params")
"""What belongs to the parameters that there are."""


def source_of(method: Method, fact: str) -> str:
    """The dialect that told this fact, or ``profile``, or ``service``; empty where nobody has said."""
    if not _is_said(method, fact):
        return ""
    return next((source for told, source in method.sources if told == fact), _usual(method))


def filled(method: Method, other: Method) -> Method:
    """The method, with what only the other one knows of it."""
    lacking = [fact for fact in FACTS if not _is_said(method, fact) and _is_said(other, fact)]
    facts = {fact: getattr(other, fact) for fact in lacking if not (method.parameters and fact in OF_PARAMETERS)}
    told = {fact: source_of(other, fact) for fact in facts}
    return replace(method, sources=_noted(method, told), **facts) if facts else method


def said_by(method: Method, source: str, **facts: Any) -> Method:
    """The method with facts that are known better; those that are None are not."""
    said = {fact: value for fact, value in facts.items() if value is not None}
    return replace(method, sources=_noted(method, dict.fromkeys(said, source)), **said)


def of_profile(method: Method) -> Method:
    """The method as one of the profile's. What was known of it before keeps its source."""
    if method.dialect or method.source == "profile":
        return replace(method, source="profile")
    told = {fact: source_of(method, fact) for fact in FACTS if _is_said(method, fact)}
    ours = replace(method, source="profile", sources=())
    return replace(ours, sources=_noted(ours, told))


def _noted(method: Method, told: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """The sources with others in the place of those that there are; what is usual is not written down."""
    sources = dict(method.sources) | told
    return tuple((fact, source) for fact, source in sources.items() if source != _usual(method))


def _usual(method: Method) -> str:
    """Who told what has no source of its own."""
    return method.dialect or method.source


def _is_said(method: Method, fact: str) -> bool:
    """Whether somebody has said it. Nobody says that a method is not deprecated."""
    value = getattr(method, fact)
    return value is not None and value not in ("", ()) and not (fact == "deprecated" and value is False)
