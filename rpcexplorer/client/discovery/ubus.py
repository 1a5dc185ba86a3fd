"""What ``list`` tells on OpenWrt, whose uhttpd hands calls on to ubus: objects, their methods, and their arguments.

None of them can be called by its own name: all go through ``call``, so it is ``call`` that is listed, with what can be
reached through it.
"""

from __future__ import annotations

from typing import Any, Final

from rpcexplorer.client.discovery.limits import KIND, kind_of, line_of, name_of
from rpcexplorer.client.discovery.questions import EMPTY, Question, told_at_once
from rpcexplorer.client.discovery.schemas import one_of
from rpcexplorer.model.method import Described, DescribedParam, Method, Parameter
from rpcexplorer.model.methods.listing import Listing
from rpcexplorer.schema.node import KINDS

DIALECT = "list"
MOST_LINES = 1_000
"""Methods of objects that are described."""
MOST_ARGUMENTS = 16
MOST_SHAPES = 300
"""Methods whose arguments are told apart."""
STANDARD: Final = frozenset(KINDS.values())
STATUS: Final = "0 for success, 2 invalid command, 4 not found, 6 permission denied"
SESSION = "Before these three stands the session; where the profile's auth puts one first, leave it out."


def read_objects(value: Any) -> Listing:
    if not value:
        return Listing(refusal=EMPTY)
    if not isinstance(value, dict) or not all(isinstance(methods, dict) for methods in value.values()):
        return Listing(refusal="answered, but not with objects and their methods, as ubus does")
    reached = [
        (of, name, arguments)
        for of, methods in value.items()
        for name, arguments in methods.items()
        if name_of(of) and name_of(name)
    ]
    if not reached:
        return Listing(refusal=EMPTY)
    objects = list(dict.fromkeys(of for of, _, _ in reached))
    first = next(((of, name) for of, name, arguments in reached if not arguments), reached[0][:2])
    lines = [_line(*each) for each in reached[:MOST_LINES]]
    more = len(reached) - len(lines)
    call = Method(
        "call",
        f"Calls one of {len(reached):,} methods of {len(objects):,} objects",
        source="discovered",
        parameters=(
            Parameter("object", True, line_of(one_of(objects), KIND), example=first[0]),
            Parameter("method", True, "string", example=first[1]),
            Parameter("arguments", True, "object"),
        ),
        by="position",
        details="\n".join([SESSION, "", *lines, *([f"and {more:,} more"] if more else [])]),
        dialect=DIALECT,
    )
    about = f"{len(reached):,} methods of {len(objects):,} objects are called through it"
    return Listing((call,), about, described={call.name: _in_full(objects, reached)})


def _in_full(objects: list[str], reached: list[tuple[str, str, Any]]) -> Described:
    """The three params. What the third one is depends on the others: any that there is may stand there."""
    names = list(dict.fromkeys(name for _, name, _ in reached))
    shapes = [_arguments(*each) for each in reached[: MOST_SHAPES + 1]]
    return Described(
        (
            DescribedParam("object", {"type": "string", "enum": objects}, True),
            DescribedParam("method", {"type": "string", "enum": names}, True),
            DescribedParam("arguments", {"anyOf": shapes} if len(shapes) <= MOST_SHAPES else {"type": "object"}, True),
        ),
        {"type": "array", "items": [{"type": "integer", "description": STATUS}]},
        dialect=DIALECT,
    )


def _arguments(of: str, name: str, arguments: Any) -> dict[str, Any]:
    members = list(arguments.items())[:MOST_ARGUMENTS] if isinstance(arguments, dict) else []
    properties = {key: {"type": kind_of(kind)} if kind_of(kind) in STANDARD else True for key, kind in members}
    return {"title": f"{of} {name}", "type": "object", "properties": properties}


objects = told_at_once(Question(DIALECT, '["*"]'), read_objects)


def _line(of: str, name: str, arguments: Any) -> str:
    """``network.device status {name: string}``."""
    members = arguments.items() if isinstance(arguments, dict) else ()
    taken = [f"{line_of(key, KIND)}: {kind_of(kind)}" for key, kind in list(members)[:MOST_ARGUMENTS]]
    return line_of(f"{of} {name} {{{', '.join(taken)}}}" if taken else f"{of} {name}")
