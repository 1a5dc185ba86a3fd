"""Whether a schema refuses values that an earlier one allows."""

from __future__ import annotations

from typing import Any

from rpcexplorer.schema.dialect import LEAST, MOST
from rpcexplorer.schema.node import Node


def is_narrower(new: Node, old: Node) -> bool:
    """Return whether ``new`` refuses a value that ``old`` allows, as far as their own keywords say.

    Members and elements are not looked at. A changed format or pattern counts as narrower: they cannot be compared.
    """
    return _refuses_kinds(new, old) or _refuses_choices(new, old) or _has_tighter_limits(new, old)


def _refuses_kinds(new: Node, old: Node) -> bool:
    if not new.kinds:
        return False
    allowed = set(new.kinds)
    if "number" in allowed:
        allowed.add("integer")
    return not old.kinds or not allowed.issuperset(old.kinds)


def _refuses_choices(new: Node, old: Node) -> bool:
    if new.choices is None:
        return False
    return old.choices is None or any(choice not in new.choices for choice in old.choices)


def _has_tighter_limits(new: Node, old: Node) -> bool:
    return any(_is_tighter(key, limit, old.limits.get(key)) for key, limit in new.limits.items())


def _is_tighter(key: str, new: Any, old: Any) -> bool:
    if old is None:
        return True
    if key in LEAST:
        return bool(new > old)
    if key in MOST:
        return bool(new < old)
    return bool(new != old)
