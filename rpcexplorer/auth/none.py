"""The kind ``none``: calls are sent as they are."""

from __future__ import annotations

from typing import ClassVar

from rpcexplorer.auth.kind import Kind
from rpcexplorer.model.profile import Auth, Profile


class NoAuth(Kind, frozen=True):
    kind: ClassVar[str] = Auth.kind
    needed: ClassVar[str] = "needs none"

    def words(self, profile: Profile) -> str:  # noqa: ARG002
        return "none: calls are sent as they are"
