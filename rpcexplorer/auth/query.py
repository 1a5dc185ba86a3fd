"""The kind ``query``: a token in the query of the address, such as ``?apikey=…``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar
from urllib.parse import quote

from rpcexplorer.auth.flow import Message, Send
from rpcexplorer.auth.kind import FormLine
from rpcexplorer.auth.token import TokenAuth
from rpcexplorer.model.profile import Profile


class QueryAuth(TokenAuth, frozen=True):
    name: str = "apikey"

    kind: ClassVar[str] = "query"
    sends: ClassVar[str] = "a token in the query of the address"
    needed: ClassVar[str] = "takes a token in the address"
    fits: ClassVar[Mapping[str, tuple[re.Pattern[str], str]]] = {
        "name": (re.compile(r"[\w.~\[\]-]+", re.ASCII), 'must be the name of a parameter, such as "apikey"')
    }
    form: ClassVar[tuple[FormLine, ...]] = (FormLine("name", "parameter", "apikey"),)

    def words(self, profile: Profile) -> str:
        return self.said(profile, f"into the address, as {self.name}")

    def put(self, profile: Profile, message: Message) -> Send:
        sign = "&" if "?" in profile.endpoint else "?"
        return Send(message, address=f"{profile.endpoint}{sign}{quote(self.name)}={self.mark(profile)}")
