"""A name that can be called, with the line that is known of it: what lists show, and all that a start reads."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from msgspec import Struct

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
