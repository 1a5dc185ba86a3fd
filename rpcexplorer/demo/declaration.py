"""How a method of the demo is declared, its sessions, its checks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from rpcexplorer.demo.envelope import Request
from rpcexplorer.demo.reply import Fault, Outcome, fault
from rpcexplorer.demo.schema import Schema, wanted, wrong
from rpcexplorer.demo.sessions import Session, Sessions

Auth = Literal["none", "cookie", "inline"]


@dataclass(frozen=True, slots=True)
class ExampleCall:
    """Params that show what a method is for."""

    name: str
    params: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter; optional if its schema has a default."""

    name: str
    summary: str
    schema: Schema

    @property
    def required(self) -> bool:
        return "default" not in self.schema


@dataclass(frozen=True, slots=True)
class Call:
    """What a method gets to see."""

    request: Request
    arguments: dict[str, Any]
    """By name, checked, with defaults; empty for a method that takes anything."""
    session: Session | None
    """Whose cookie it was; None for a method that does not ask for one."""
    sessions: Sessions
    notes: dict[int, str]
    """The notes of `demo.notes.add`, by number."""


@dataclass(frozen=True, slots=True)
class Method:
    name: str
    summary: str
    run: Callable[[Call], Outcome]
    description: str = ""
    params: tuple[Param, ...] = ()
    takes_anything: bool = False
    """Params beyond the declared ones are welcome and are not checked."""
    result: Schema | None = None
    """What comes back; None where that depends on the call."""
    errors: tuple[tuple[int, str], ...] = ()
    """Beyond those that every method of its kind has."""
    auth: Auth = "none"
    safe: bool = True
    """Whether calling it changes nothing that anybody would miss."""
    examples: tuple[ExampleCall, ...] = ()
    deprecated: bool = False

    @property
    def tag(self) -> str:
        return self.name.rpartition(".")[0] or "service"


def bind(method: Method, params: dict[str, Any] | list[Any]) -> dict[str, Any] | Fault:
    """The arguments by name, wherever they stood, or the first thing wrong with them."""
    if method.takes_anything:
        return {}
    names = [param.name for param in method.params]
    takes = f"It takes {', '.join(names)}." if names else 'It takes none: send "params": [].'
    if isinstance(params, list):
        if len(params) > len(names):
            return _wrong(f"{method.name} got {len(params)} params. {takes}")
        params = dict(zip(names, params, strict=False))
    for name in params:
        if name not in names:
            return _wrong(f'{method.name} has no param "{name}". {takes}')
    return _checked(method, params)


def _checked(method: Method, given: dict[str, Any]) -> dict[str, Any] | Fault:
    arguments = {}
    for param in method.params:
        if param.name in given:
            value = given[param.name]
        elif param.required:
            return _wrong(f'{method.name} needs "{param.name}": {wanted(param.schema)}.')
        else:
            value = param.schema["default"]
        if said := wrong(value, param.schema, param.name):
            return _wrong(said)
        arguments[param.name] = value
    return arguments


def _wrong(sentence: str) -> Fault:
    return fault(-32602, f"Invalid params: {sentence}")
