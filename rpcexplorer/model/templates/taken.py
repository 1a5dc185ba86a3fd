"""A part of a result on its way into other params, spelled so that it will be the newest one when it is sent."""

from __future__ import annotations

from msgspec import Struct

from rpcexplorer.jsontext.pointers import at_pointer, names_of
from rpcexplorer.model.problem import cut
from rpcexplorer.model.secret import defused
from rpcexplorer.model.templates.references import to_last
from rpcexplorer.model.templates.resolving import LastResult


class TakenValue(Struct, frozen=True):
    """A part of a result, as it was on view."""

    method: str
    pointer: str
    text: str
    """As JSON."""

    @property
    def name(self) -> str:
        """The last step of the way to it; empty where that is a place in a list, or the whole."""
        last = next(reversed(names_of(self.pointer)), "")
        return "" if last.isdecimal() else last

    def spelled(self, last: LastResult) -> tuple[str, str]:
        """A reference to the newest result of its method; where there is none, itself. And what to know of it."""
        now = None if last.why else at_pointer(last.text, self.pointer)
        if now is None:
            why = last.why or f"the newest result of {cut(self.method)} has none there"
            return defused(self.text), f"The value itself was put in: {why}."
        reference = to_last(self.method, self.pointer, as_json=not self.text.startswith('"'))
        is_other = now != self.text and self.text[:1] not in "[{"  # which are laid out on view
        remark = f"The newest result of {cut(self.method)} has another value there: {cut(now)}."
        return f'"{reference}"', remark * is_other
