"""The kind ``bearer``: a token in the header ``Authorization: Bearer …``, as RFC 6750 has it."""

from __future__ import annotations

from typing import ClassVar

from rpcexplorer.auth.flow import AuthHeader
from rpcexplorer.auth.token import TokenAuth
from rpcexplorer.model.profile import Profile


class BearerAuth(TokenAuth, frozen=True):
    kind: ClassVar[str] = "bearer"
    scheme: ClassVar[str] = "Bearer"
    sends: ClassVar[str] = "a token in the header Authorization: Bearer"
    needed: ClassVar[str] = "takes a token in a header"

    def words(self, profile: Profile) -> str:
        return self.said(profile, "out in the header Authorization")

    def headers(self, profile: Profile) -> tuple[AuthHeader, ...]:
        return (AuthHeader("Authorization", self.mark(profile), scheme=f"{self.scheme} "),)

    def pasted(self, field: str, text: str) -> str:
        """The token, also where the whole header was copied."""
        words = text.split()
        return words[-1] if field == "token" and len(words) > 1 and words[-2].lower() == "bearer" else text.strip()
