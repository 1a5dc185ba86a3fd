"""One row of a form: a place of the params, what stands there, and what may."""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from rpcexplorer.jsontext.edit import Path, one_line
from rpcexplorer.jsontext.scan import Span
from rpcexplorer.model.form.settled import Settled

FieldPath: TypeAlias = Path
"""Names and places that lead to a row from the params on."""
FieldState = Literal["absent", "null", "value"]
Editing = Literal["text", "number", "boolean", "choice", "json"]
"""How a value is typed: a text without its quotes, a number as it is spelled, one of two, one of a few, or JSON."""
SHOWN: Final = 400
"""Characters of a value that anybody sees in a row."""


class FormField(Struct, frozen=True):
    """A place of the params, present or not."""

    path: FieldPath
    name: str
    depth: int
    schema: Any
    """As the service wrote it; ``True`` where it says nothing."""
    place: Settled
    """What may stand there."""
    state: FieldState
    text: str = ""
    """What stands there, letter by letter; empty where it is absent."""
    span: Span = (0, 0)
    """Where in the text."""
    kind: str = ""
    """What may stand there, in words."""
    limits: str = ""
    doc: str = ""
    required: bool = False
    known: bool = True
    """The schema has it; else only the text."""
    alone: bool = True
    """Of its name; False where the same one stands below, which counts."""
    stays: str = ""
    """Why it cannot be taken out; empty where it can."""
    items: int = 0
    """Members or elements that stand in it."""
    folds: bool = False
    """There are rows in it, or would be."""
    open: bool = False
    editing: Editing = "json"
    wrong: str = ""
    """What is wrong with it by its kind."""
    remarks: tuple[str, ...] = ()
    """That it is deprecated, and the like."""

    @property
    def line(self) -> str:
        """The beginning of what stands there, on one line."""
        return one_line(self.text[:SHOWN])

    @property
    def is_array(self) -> bool:
        """Whether it is an array, or would be one."""
        return self.text.startswith("[") if self.text[:1] in ("[", "{") else self.place.node.kinds[:1] == ("array",)

    @property
    def is_container(self) -> bool:
        """Whether members or elements stand in it, or would."""
        is_one = self.place.node.kinds[:1] in {("array",), ("object",)}
        return self.text[:1] in ("[", "{") or (self.state != "value" and is_one)
