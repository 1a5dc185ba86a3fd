"""What a program that we start may know of our environment: everything but what was meant for us alone."""

from __future__ import annotations

from collections.abc import Mapping


def for_others(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of every program that is started: passwords that we were given are no business of an editor."""
    return {name: value for name, value in environment.items() if not name.lstrip("_").startswith("RPCEXPLORER_")}
