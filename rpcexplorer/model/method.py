"""A method and what is known of it: its description, its params, saved calls."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal

from msgspec import UNSET, Struct
from msgspec.structs import replace

from rpcexplorer.model.draft import Draft
from rpcexplorer.model.problem import nearest

MethodSource = Literal["service", "profile", "discovered", "history", "saved"]
By = Literal["name", "position"]


class Method(Struct, frozen=True, gc=False, omit_defaults=True):
    """The line of a method in a list. The collector has no need to look at tens of thousands."""

    name: str
    doc: str = ""
    params: Any = None
    """A starting point for the editor; None if none is known."""
    auth: str | None = None
    """The auth type that it needs; None if unknown."""
    safe: bool | None = None
    """False or None: ask first if the profile says so."""
    source: MethodSource = "profile"
    by: By | None = None
    deprecated: bool = False
    dialect: str = ""
    """The question that discovered it, such as ``rpc.discover``."""
    required: tuple[str, ...] = ()
    has_docs: bool = False
    sources: tuple[tuple[str, str], ...] = ()
    """Facts that are not from ``dialect``, each with its source; see ``source_of``."""


class SavedMethod(Method, frozen=True, gc=False):
    calls: str = ""


OF_SCHEMAS: Final = ("params", "result", "errors")
OF_PARAMS: Final = ("by", "start")
"""Facts that make no sense with the params of another source."""
FACTS: Final = (
    *("doc", "details", *OF_SCHEMAS, *OF_PARAMS, "auth", "safe"),
    *("result_name", "result_doc", "examples", "tags"),
)


class DescribedParam(Struct, frozen=True, gc=False, omit_defaults=True):
    name: str
    schema: Any = True
    """JSON Schema as the service gave it, in whichever draft; ``True`` if it gave none: anything."""
    required: bool | None = None
    doc: str = ""
    deprecated: bool = False
    kind: str = ""
    """In words, if its schema does not say it as plainly."""

    @property
    def stands_for_others(self) -> bool:
        """Return whether it means any number of params: ``*args``, ``...``."""
        return re.search(r"\*|\.\.\.|args$|kwargs$", self.name) is not None


class DescribedError(Struct, frozen=True, gc=False, omit_defaults=True):
    code: int | None
    message: str = ""
    data: Any = UNSET
    """Its ``data``: a schema or an example, as the service gave it."""


class ExampleCall(Struct, frozen=True, gc=False, omit_defaults=True):
    name: str
    params: Any
    doc: str = ""
    result: Any = UNSET


class Described(Struct, frozen=True, gc=False, omit_defaults=True):
    """The full description of a method. Its schemas refer to ``definitions``."""

    params: tuple[DescribedParam, ...] = ()
    result: Any = UNSET
    result_name: str = ""
    result_doc: str = ""
    errors: tuple[DescribedError, ...] = ()
    examples: tuple[ExampleCall, ...] = ()
    tags: tuple[str, ...] = ()
    extra: bool = True
    """Whether unnamed members are allowed; False if the service says that it refuses them."""
    draft: str = ""
    """The dialect of its schemas by the document's ``$schema``, if that names one."""
    dialect: str = ""
    """The question that it answers, such as ``rpc.discover``."""
    definitions: Mapping[str, Any] = {}
    """What the schemas refer to, by the text of each reference. One that is missing leads nowhere that is known."""
    sources: tuple[tuple[str, str], ...] = ()
    """Facts that are not from ``dialect``, each with its source."""
    doc: str = ""
    details: str = ""
    """All the text, if that is more than the line."""
    by: By | None = None
    start: Any = None
    """Params to start from, if the service shows some."""
    auth: str | None = None
    safe: bool | None = None
    deprecated: bool = False
    result_kind: str = ""
    """The kind of the result in the service's own word, if no schema can say it."""

    @property
    def is_checked(self) -> bool:
        """Return whether its schemas can tell right params from wrong ones."""
        return any(param.schema is not True for param in self.params) or not self.extra


def completed(described: Described, other: Described) -> Described:
    """Return a description with the facts that only the other one has. Schemas stay with what they refer to."""
    left_out = OF_PARAMS if described.params else ()
    if described.definitions and other.definitions:
        left_out = (*left_out, *OF_SCHEMAS)
    facts: dict[str, Any] = {
        fact: value
        for fact in FACTS
        if fact not in left_out and is_known(value := getattr(other, fact)) and not is_known(getattr(described, fact))
    }
    if not facts and described.deprecated >= other.deprecated:
        return described
    sources = (*described.sources, *((fact, other.dialect) for fact in facts))
    if not facts.keys().isdisjoint(OF_SCHEMAS):
        facts |= {"definitions": described.definitions or other.definitions, "draft": described.draft or other.draft}
    if "params" in facts:
        facts["extra"] = other.extra
    facts["deprecated"] = described.deprecated or other.deprecated
    facts["result_kind"] = described.result_kind or other.result_kind
    return replace(described, sources=sources, **facts)


def is_known(value: Any) -> bool:
    """Return whether the value of a fact says anything; that a schema allows nothing (False) does."""
    return value is not None and value is not UNSET and value not in ("", ())


SIGN: Final = "@"
"""Stands before the name of a saved call wherever a method's could stand."""


def as_named(method: str) -> str:
    """Double the sign of a method that a saved call could be taken for."""
    return SIGN + method if method.startswith(SIGN) else method


def method_of(name: str) -> str:
    """Return the method that is meant by the name of no saved call."""
    return name[len(SIGN) :] if name.startswith(SIGN * 2) else name


class SavedCall(Struct, frozen=True):
    """A method and the text of its params, with references in it perhaps."""

    name: str
    method: str
    text: str = ""
    doc: str = ""
    file: str = ""
    profile: str = ""
    """The profile in whose table it stands; empty where it is for all profiles."""

    @property
    def listed_as(self) -> str:
        return SIGN + self.name

    def draft(self, *, notification: bool = False) -> Draft:
        return Draft(self.method, self.text, notification)


def no_such_call(listed_as: str, calls: Iterable[str], profile: str) -> str:
    """Return why nothing is sent for the name of an unknown saved call."""
    name = listed_as.removeprefix(SIGN)
    guess = nearest(name, calls)
    advice = f"did you mean {SIGN}{guess}?" if guess else "`rpcexplorer methods` lists those that there are."
    return f"There is no saved call {name or SIGN} for profile {profile}; {advice}"


class Started(Struct, frozen=True):
    """A value to start from."""

    value: Any
    why_not: str = ""
    """Why it is not yet right: which place a person has to fill, and what is wanted there. Empty where it is right."""
