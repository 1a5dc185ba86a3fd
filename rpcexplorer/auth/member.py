"""The kind ``member``: a token is a member of the request beside ``method``, as Zabbix and FortiManager have it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import ClassVar

from msgspec.structs import replace

from rpcexplorer.auth.flow import Message, Send
from rpcexplorer.auth.kind import FormLine
from rpcexplorer.auth.token import TokenAuth
from rpcexplorer.model.profile import Profile
from rpcexplorer.rpc.messages import spelled


class MemberAuth(TokenAuth, frozen=True):
    member: str = "auth"

    kind: ClassVar[str] = "member"
    sends: ClassVar[str] = "a token beside the method"
    needed: ClassVar[str] = "takes a token beside the method"
    fits: ClassVar[Mapping[str, tuple[re.Pattern[str], str]]] = {
        "member": (
            re.compile(r"(?!(?:jsonrpc|version|id|method|params|arguments|tag)$).+", re.DOTALL),
            'must be the name of a member of the request that JSON-RPC does not use, such as "auth"',
        )
    }
    form: ClassVar[tuple[FormLine, ...]] = (FormLine("member", "member", "auth"),)

    def words(self, profile: Profile) -> str:
        return self.said(profile, f"out beside the method, as {self.member}")

    def places(self, profile: Profile) -> Iterable[str]:
        yield self.member
        yield from super().places(profile)

    def put(self, profile: Profile, message: Message) -> Send:
        member = (self.member, spelled(self.mark(profile)))
        calls = tuple(call if self.free(profile, call) else replace(call, members=(member,)) for call in message.calls)
        return Send(replace(message, calls=calls))
