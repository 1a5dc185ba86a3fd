"""Methods, their descriptions and saved calls."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import UNSET, Struct
from msgspec.structs import replace

from rpcexplorer.model.draft import Draft
from rpcexplorer.model.problem import nearest

if TYPE_CHECKING:
    from rpcexplorer.model.expectation import Expectation

MethodSource = Literal["service", "profile", "discovered", "history", "saved"]
By = Literal["name", "position"]


class Method(Struct, frozen=True, gc=False, omit_defaults=True, rename={"protocol": "dialect"}):
    """A method in the list. Tens of thousands need no garbage collection."""

    name: str
    doc: str = ""
    params: Any = None
    """Params for the first draft; None if unknown."""
    auth: str | None = None
    """The auth type that it needs; None if unknown."""
    safe: bool | None = None
    """False or None: ask before sending, if the profile says so."""
    source: MethodSource = "profile"
    by: By | None = None
    deprecated: bool = False
    protocol: str = ""
    """The discovery protocol that found it; stored as ``dialect``."""
    required: tuple[str, ...] = ()
    has_docs: bool = False
    sources: tuple[tuple[str, str], ...] = ()
    """Facts from elsewhere with their sources; see ``source_of``."""


class SavedMethod(Method, frozen=True, gc=False):
    calls: str = ""
    is_check: bool = False
    """It has expectations."""


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
    """JSON Schema of any draft as the service gave it; ``True`` for none."""
    required: bool | None = None
    doc: str = ""
    deprecated: bool = False
    kind: str = ""
    """The type in words, if the schema does not say it clearly."""

    @property
    def stands_for_others(self) -> bool:
        """Return whether it means any number of params: ``*args``, ``...``."""
        return re.search(r"\*|\.\.\.|args$|kwargs$", self.name) is not None


class DescribedError(Struct, frozen=True, gc=False, omit_defaults=True):
    code: int | None
    message: str = ""
    data: Any = UNSET
    """A schema or an example of its ``data``, as the service gave it."""


class ExampleCall(Struct, frozen=True, gc=False, omit_defaults=True):
    name: str
    params: Any
    doc: str = ""
    result: Any = UNSET


class Described(Struct, frozen=True, gc=False, omit_defaults=True, rename={"protocol": "dialect"}):
    """The full description of a method; its schemas use ``definitions``."""

    params: tuple[DescribedParam, ...] = ()
    result: Any = UNSET
    result_name: str = ""
    result_doc: str = ""
    errors: tuple[DescribedError, ...] = ()
    examples: tuple[ExampleCall, ...] = ()
    tags: tuple[str, ...] = ()
    extra: bool = True
    """False if the service rejects params that it does not name."""
    draft: str = ""
    """The ``$schema`` of the document: the draft of its schemas."""
    protocol: str = ""
    """The discovery protocol; stored as ``dialect``."""
    definitions: Mapping[str, Any] = {}
    """Targets of ``$ref`` by their text. Unknown targets are missing."""
    sources: tuple[tuple[str, str], ...] = ()
    """Facts from elsewhere, each with its source."""
    doc: str = ""
    details: str = ""
    """The whole text, if it has more than the first line."""
    by: By | None = None
    start: Any = None
    """Params of an example, to start from."""
    auth: str | None = None
    safe: bool | None = None
    deprecated: bool = False
    result_kind: str = ""
    """The service's word for the type of the result, without a schema."""
    checks_formats: bool = False
    """The ``format`` of a schema is a rule; most services mean it as a hint."""

    @property
    def is_checked(self) -> bool:
        """Return whether its schemas can find wrong params."""
        return any(param.schema is not True for param in self.params) or not self.extra


def completed(described: Described, other: Described) -> Described:
    """Return a description with the facts that only the other one has.

    Schemas keep the definitions that they refer to.
    """
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
    sources = (*described.sources, *((fact, other.protocol) for fact in facts))
    if not facts.keys().isdisjoint(OF_SCHEMAS):
        facts |= {"definitions": described.definitions or other.definitions, "draft": described.draft or other.draft}
    if "params" in facts:
        facts["extra"] = other.extra
    facts["deprecated"] = described.deprecated or other.deprecated
    facts["result_kind"] = described.result_kind or other.result_kind
    return replace(described, sources=sources, **facts)


def is_known(value: Any) -> bool:
    """Return whether a fact has a value; the schema False is one."""
    return value is not None and value is not UNSET and value not in ("", ())


SIGN: Final = "@"
"""Prefix of a saved call's name in a list of methods."""


def as_named(method: str) -> str:
    """Double the sign of a method that looks like a saved call."""
    return SIGN + method if method.startswith(SIGN) else method


def method_of(name: str) -> str:
    """Return the method of a name that is not a saved call."""
    return name.removeprefix(SIGN) if name.startswith(SIGN * 2) else name


class SavedCall(Struct, frozen=True):
    """A method and the text of its params, which may have variables."""

    name: str
    method: str
    text: str = ""
    doc: str = ""
    file: str = ""
    profile: str = ""
    """The profile that it belongs to; empty if it is for all of them."""
    expect: Expectation | None = None
    """What a check expects of the response; None if it is no check."""
    line: int | None = None

    @property
    def listed_as(self) -> str:
        return SIGN + self.name

    def draft(self, *, notification: bool = False) -> Draft:
        return Draft(self.method, self.text, notification, sources=(self.text,))


def no_such_call(listed_as: str, calls: Iterable[str], profile: str) -> str:
    """Return why nothing is sent for the name of an unknown saved call."""
    name = listed_as.removeprefix(SIGN)
    guess = nearest(name, calls)
    advice = "To list the saved calls, run `rpcexplorer methods`."
    if guess:
        advice = f"Did you mean {SIGN}{guess}?"
    return f"There is no saved call {name or SIGN} for profile {profile}. {advice}"


class Started(Struct, frozen=True):
    """Generated params for a first draft."""

    value: Any
    why_not: str = ""
    """Why they are not valid yet: the place to fill in; empty if valid."""
