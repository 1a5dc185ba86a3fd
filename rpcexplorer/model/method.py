"""A method and what is known of it: its description, its params, saved calls."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, NamedTuple

from msgspec import UNSET, Struct
from msgspec.structs import replace

from rpcexplorer.model.draft import Draft
from rpcexplorer.model.problem import nearest

MethodSource = Literal["service", "profile", "discovered", "history", "saved"]
"""Who says that the method exists."""
By = Literal["name", "position"]
"""How params are given: as an object, or as an array."""


class Parameter(NamedTuple):
    """One thing a method takes. A tuple, as a catalogue has tens of thousands and they are made in a moment."""

    name: str
    """Empty where the service has no name for it."""
    required: bool | None = None
    """None where nobody has said."""
    kind: str = ""
    """In short words: ``integer``, ``array of string``, ``one of a | b``; empty where nobody has said."""
    doc: str = ""
    """One line."""
    default: Any = None
    """What the service takes where it is left out; None where it does not say."""
    example: Any = None
    """A value the service gives as an example; None where it gives none."""


class Method(Struct, frozen=True, gc=False):
    """A name that can be called, with what is known of it. The collector has no need to look at tens of thousands."""

    name: str
    doc: str = ""
    """One line."""
    params: Any = None
    """A starting point for the editor; None where none is known."""
    auth: str | None = None
    """What it needs; None where nobody has said."""
    safe: bool | None = None
    """False or None: ask first where the profile says so."""
    source: MethodSource = "profile"
    parameters: tuple[Parameter, ...] = ()
    """In the order of their positions."""
    by: By | None = None
    """None: either will do, or nobody has said."""
    details: str = ""
    """What there is to say beyond the one line, perhaps in several."""
    result: str = ""
    """The kind of what comes back."""
    deprecated: bool = False
    dialect: str = ""
    """The question that discovered it, such as ``rpc.discover``."""
    sources: tuple[tuple[str, str], ...] = ()
    """Facts that are not from ``dialect``, each with who told it; see ``source_of``."""


class SavedMethod(Method, frozen=True, gc=False):
    """A saved call, as it stands among methods."""

    calls: str = ""
    """Its method."""


SHAPES: Final = {
    "array of ": "array",
    "one of ": "",
}
"""How a kind in words begins that is no type by itself, and the type it stands for."""
_OTHERS: Final = re.compile(r"\*|\.\.\.|args$|kwargs$")
OF_SCHEMAS: Final = ("params", "result", "errors")
WITHOUT_SCHEMAS: Final = ("result_name", "result_doc", "examples", "tags")
"""What of a method is described, each told by one source."""


class DescribedParam(Struct, frozen=True):
    """One thing a method takes."""

    name: str
    """Empty where the service has no name for it."""
    schema: Any = True
    """JSON Schema as the service gave it, in whichever draft; ``True`` where it gave none: anything."""
    required: bool | None = None
    """None where nobody has said."""
    doc: str = ""
    """Markdown, perhaps in several lines."""
    deprecated: bool = False

    @property
    def stands_for_others(self) -> bool:
        """Whether it is none by itself, but means any number of them: ``*args``, ``...``."""
        return _OTHERS.search(self.name) is not None


class DescribedError(Struct, frozen=True):
    """An error that a method may answer with."""

    code: int | None
    message: str = ""
    data: Any = UNSET
    """What stands in its ``data``: a schema or an example, as the service gave it."""


class ExampleCall(Struct, frozen=True):
    """Params that the service gives as an example, and perhaps what comes back."""

    name: str
    params: Any
    """An object or an array, as it could be sent."""
    doc: str = ""
    result: Any = UNSET


class Described(Struct, frozen=True):
    """One method in full. Its schemas refer to ``definitions``."""

    params: tuple[DescribedParam, ...] = ()
    """In the order of their positions."""
    result: Any = UNSET
    """JSON Schema of what comes back."""
    result_name: str = ""
    result_doc: str = ""
    errors: tuple[DescribedError, ...] = ()
    examples: tuple[ExampleCall, ...] = ()
    tags: tuple[str, ...] = ()
    extra: bool = True
    """Whether members that are not named may be there; False where the service says that it refuses them."""
    draft: str = ""
    """The dialect of its schemas by the document's ``$schema``, where that says one."""
    dialect: str = ""
    """The question that brought it, such as ``rpc.discover``."""
    definitions: Mapping[str, Any] = {}
    """What the schemas refer to, by the text of each reference. One that is missing leads nowhere that is known."""
    sources: tuple[tuple[str, str], ...] = ()
    """Fields that are not from ``dialect``, each with who told it."""

    @property
    def is_checked(self) -> bool:
        """Whether its schemas can tell right params from wrong ones."""
        return any(param.schema is not True for param in self.params) or not self.extra


def completed(described: Described, other: Described) -> Described:
    """What is described, with what only the other one says. Schemas stay beside what they refer to."""
    lacking = [field for field in (*OF_SCHEMAS, *WITHOUT_SCHEMAS) if not _is_said(getattr(described, field))]
    if described.definitions and other.definitions:
        lacking = [field for field in lacking if field not in OF_SCHEMAS]
    facts = {field: getattr(other, field) for field in lacking if _is_said(getattr(other, field))}
    if not facts:
        return described
    if any(field in OF_SCHEMAS for field in facts):
        facts |= {"definitions": described.definitions or other.definitions, "draft": described.draft or other.draft}
    told = ((field, other.dialect) for field in facts if field in {*OF_SCHEMAS, *WITHOUT_SCHEMAS})
    return replace(described, sources=(*described.sources, *told), **facts)


def _is_said(value: Any) -> bool:
    return value is not UNSET and value not in ("", ())


def described_by(method: Method) -> Described:
    """What is known of a method of which no more than its line is: kinds in words become schemas."""
    params = tuple(DescribedParam(each.name, _schema_of(each), each.required, each.doc) for each in method.parameters)
    return Described(params, dialect=method.dialect)


def _schema_of(parameter: Parameter) -> Any:
    schema: dict[str, Any] = {}
    if parameter.kind:
        words = parameter.kind.split(" or ")
        kinds = [next((kind for start, kind in SHAPES.items() if word.startswith(start)), word) for word in words]
        if all(kinds):
            schema["type"] = kinds[0] if len(kinds) == 1 else kinds
    if parameter.default is not None:
        schema["default"] = parameter.default
    if parameter.example is not None:
        schema["examples"] = [parameter.example]
    return schema or True


SIGN: Final = "@"
"""Stands before the name of a saved call wherever a method's could stand."""


def as_named(method: str) -> str:
    """How a method is named where a saved call could be: the sign is doubled, for none has a name that begins with it.

    Whoever writes a record, a case or a listing so chooses no call that this person has saved.
    """
    return SIGN + method if method.startswith(SIGN) else method


def method_of(name: str) -> str:
    """The method that is meant by a name which is no saved call's."""
    return name[len(SIGN) :] if name.startswith(SIGN * 2) else name


class SavedCall(Struct, frozen=True):
    """A method and the text of its params, with references in it perhaps."""

    name: str
    method: str
    text: str = ""
    """As in a draft."""
    doc: str = ""
    """One line."""
    file: str = ""
    """Where it stands."""
    profile: str = ""
    """The profile in whose table it stands; empty where it is for all profiles."""

    @property
    def listed_as(self) -> str:
        """How it is named among methods."""
        return SIGN + self.name

    def draft(self, *, notification: bool = False) -> Draft:
        return Draft(self.method, self.text, notification)


def no_such_call(listed_as: str, calls: Iterable[str], profile: str) -> str:
    """Why nothing is sent for a name with the sign before it that no saved call has."""
    name = listed_as.removeprefix(SIGN)
    guess = nearest(name, calls)
    advice = f"did you mean {SIGN}{guess}?" if guess else "`rpcexplorer methods` lists those that there are."
    return f"There is no saved call {name or SIGN} for profile {profile}; {advice}"


class Started(Struct, frozen=True):
    """A value to start from."""

    value: Any
    why_not: str = ""
    """Why it is not yet right: which place a person has to fill, and what is wanted there. Empty where it is right."""
