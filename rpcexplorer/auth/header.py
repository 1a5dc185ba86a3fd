"""The kind ``header``: a token in a header that the profile names, such as ``X-Api-Key``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from rpcexplorer.auth.flow import AuthHeader
from rpcexplorer.auth.kind import FormLine
from rpcexplorer.auth.token import MARK, TokenAuth
from rpcexplorer.model.profile import Profile

OTHERWISE = "host|content-length|content-type|transfer-encoding|connection|accept"
"""Headers that have a meaning of their own."""


class HeaderAuth(TokenAuth, frozen=True):
    header: str = "X-Api-Key"
    value: str = MARK
    """Printable ASCII in which ``{token}`` stands for the token."""

    kind: ClassVar[str] = "header"
    sends: ClassVar[str] = "a token in a header of any name"
    needed: ClassVar[str] = "takes a token in a header"
    fits: ClassVar[Mapping[str, tuple[re.Pattern[str], str]]] = {
        "header": (
            re.compile(rf"(?!(?i:{OTHERWISE})$)[A-Za-z0-9!#$%&'*+.^_`|~-]+"),
            'must be the name of a header that holds a token, such as "X-Api-Key"',
        ),
        "value": (
            re.compile(r"(?=.*\{token\})[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?"),
            'must be text in which {token} stands for the token, such as "{token}" or "Token {token}"',
        ),
    }
    form: ClassVar[tuple[FormLine, ...]] = (FormLine("header", "header", "X-Api-Key"),)

    def words(self, profile: Profile) -> str:
        return self.said(profile, f"out in the header {self.header}")

    def headers(self, profile: Profile) -> tuple[AuthHeader, ...]:
        return (AuthHeader(self.header, self.filled(self.value, profile)),)
