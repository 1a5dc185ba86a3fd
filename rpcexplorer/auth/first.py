"""The kind ``first``: a token is the first element of ``params``, as aria2, ubus and XAPI have it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from msgspec.structs import replace

from rpcexplorer.auth.flow import Message, Send
from rpcexplorer.auth.kind import FormLine
from rpcexplorer.auth.token import MARK, TokenAuth
from rpcexplorer.jsontext.scan import elements
from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.method import Described, Method
from rpcexplorer.model.profile import Auth, Profile
from rpcexplorer.rpc.messages import Call, spelled

TOKENS: Final = frozenset({"token", "secret", "session", "session_id", "sid", "ubus_rpc_session", "auth", "key"})
"""What the first param is called where it is the token."""


class FirstAuth(TokenAuth, frozen=True):
    value: str = MARK
    """The element, in which ``{token}`` stands for the token."""

    kind: ClassVar[str] = "first"
    sends: ClassVar[str] = "a token as the first element of the params"
    needed: ClassVar[str] = "takes a token as its first param"
    fits: ClassVar[Mapping[str, tuple[re.Pattern[str], str]]] = {
        "value": (
            re.compile(r"(?=.*\{token\}).+"),
            'must be text in which {token} stands for the token, such as "{token}" or "token:{token}"',
        )
    }
    form: ClassVar[tuple[FormLine, ...]] = (FormLine("value", "first param", "token:{token}"),)
    in_params: ClassVar[bool] = True

    def offered(self, methods: dict[str, Method]) -> dict[str, Method]:
        return {name: self._without_token(method) for name, method in methods.items()}

    def offered_in_full(self, method: Method, full: Described) -> Described:
        """Without its first param, where that is the token by its name, or a text that has none."""
        if method.auth == Auth.kind or not full.params:
            return full
        first, *rest = full.params
        is_token = first.name in TOKENS or (not first.name and _is_text(first.schema))
        if not is_token:
            return full
        names = [param.name for param in rest]
        examples = (replace(each, params=_behind_the_token(each.params, first.name, names)) for each in full.examples)
        return replace(full, params=tuple(rest), examples=tuple(examples))

    def words(self, profile: Profile) -> str:
        return self.said(profile, "out as the first element of the params")

    def put(self, profile: Profile, message: Message) -> Send | Refused:
        text = self.filled(self.value, profile)
        calls = []
        for call in message.calls:
            params = self._params(call, profile, spelled(text))
            if isinstance(params, Refused):
                return params
            calls.append(replace(call, params=params))
        texts = () if text == self.mark(profile) else (text,)
        return Send(replace(message, calls=tuple(calls)), texts=texts)

    def _without_token(self, method: Method) -> Method:
        """Its params are by position, for an object is refused here."""
        if method.auth == Auth.kind or not (method.parameters or method.by):
            return method
        first = next(iter(method.parameters), None)
        is_token = first is not None and (first.name in TOKENS or (not first.name and first.kind == "string"))
        return replace(method, parameters=method.parameters[1:] if is_token else method.parameters, by="position")

    def _params(self, call: Call, profile: Profile, element: str) -> str | Refused:
        if self.free(profile, call):  # in a batch some may be
            return call.params
        spans = elements(call.params)
        if spans is None:
            return Refused(
                "params",
                f"Profile {profile.name} puts a token before the first of the params, and an object has no first: "
                "write an array, such as [1].",
            )
        if spans and call.params[slice(*spans[0])] == element:
            return call.params  # as the request shows it, pasted back
        return f"[{element},{call.params.lstrip()[1:]}" if spans else f"[{element}]"


def _behind_the_token(params: Any, token: str, names: Sequence[str]) -> Any:
    """Params of an example call as they are typed here: those by name in their order, if none before is missing."""
    if isinstance(params, list):
        return params[1:]
    if not isinstance(params, dict):
        return params
    given = {name: value for name, value in params.items() if name != token}
    if given.keys() != set(names[: len(given)]):
        return given
    return [given[name] for name in names[: len(given)]]


def _is_text(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "string"
