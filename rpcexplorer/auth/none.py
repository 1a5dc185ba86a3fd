"""The kind ``none``: calls are sent as they are, to an address in which a token may stand."""

from __future__ import annotations

from typing import ClassVar

from rpcexplorer.auth.flow import Message, Send
from rpcexplorer.auth.kind import Kind
from rpcexplorer.model.profile import IN_PATH, Auth, Profile
from rpcexplorer.model.secret import placeholder
from rpcexplorer.rpc.messages import Call


class NoAuth(Kind, frozen=True):
    kind: ClassVar[str] = Auth.kind
    needed: ClassVar[str] = "needs none"

    def secrets(self, profile: Profile) -> tuple[str, ...]:
        return Auth.secrets(self, profile)

    def words(self, profile: Profile) -> str:
        return "none: a token stands in the path" if profile.secrets else "none: calls are sent as they are"

    def put(self, profile: Profile, message: Message) -> Send:
        token = placeholder(profile.label("token"))
        return Send(message, address=profile.endpoint.replace(IN_PATH, token) if profile.secrets else "")

    def free(self, profile: Profile, call: Call) -> bool:  # noqa: ARG002
        """Without its token the address is another."""
        return False
