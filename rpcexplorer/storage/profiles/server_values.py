"""Checks of the values that say how a server is spoken to: its certificate, its handshake, how it describes itself."""

from __future__ import annotations

from typing import Any, Final

from rpcexplorer.files.toml_shape import Place, WrongValue, beside
from rpcexplorer.model.destination import as_fingerprint
from rpcexplorer.model.problem import nearest
from rpcexplorer.model.profile import DocumentSource, HeaderHandshake
from rpcexplorer.model.secret import PROFILE_NAME
from rpcexplorer.storage.profiles.values import HTTP_OWN, OWN_KEYS, TOKEN, url_path

DIALECTS: Final = (
    "rpc.discover", "system.listMethods", "system.describe", "rpc_methods", "help", "tools/list",
    "JSONRPC.Introspect", "core.describe", "list", "rpc.describe", "jsonrpc.get_methods",
)  # fmt: skip
USED_OTHERWISE: Final = frozenset({*OWN_KEYS, *HTTP_OWN, "host", "authorization", "cookie"})
"""Headers that no handshake hands over."""


def preset_name(value: Any, _place: Place) -> Any:
    """The name of a preset, which is the name of a file; whether there is one is known when it is read."""
    if isinstance(value, str) and PROFILE_NAME.fullmatch(value):
        return value
    return WrongValue('must be the name of a preset, such as "bitcoin"; `rpcexplorer presets` lists them')


def certificate(value: Any, _place: Place) -> Any:
    """The SHA-256 of a certificate, as browsers and openssl show it; colons and case do not matter."""
    found = as_fingerprint(value) if isinstance(value, str) else None
    return found or WrongValue('must be the fingerprint of a certificate: "sha256:" and 64 hex digits')


def handshake(value: Any, _place: Place) -> Any:
    """``"mcp"``, or the header that a server wants to get back."""
    if value == "mcp":
        return value
    if not isinstance(value, dict) or list(value) != ["header"]:
        return WrongValue('must be "mcp", or name a header: { header = "X-Transmission-Session-Id" }')
    name = value["header"]
    if not isinstance(name, str) or not TOKEN.fullmatch(name):
        return WrongValue("must be the name of a header: letters, digits and `-`", ("header",))
    if name.lower() in USED_OTHERWISE:
        return WrongValue("must be a header that is used for nothing else", ("header",))
    return HeaderHandshake(name)


def discovery(value: Any, place: Place) -> Any:
    """``"auto"``, ``"none"``, a dialect, or where a document lies."""
    if isinstance(value, dict) and list(value) == ["url"]:
        path = url_path(value["url"], place)
        if isinstance(path, WrongValue) or not path.startswith("/"):
            return WrongValue('must be a path on the same server, such as "/openrpc.json"', ("url",))
        return DocumentSource(url=path)
    if isinstance(value, dict) and list(value) == ["file"]:
        file = beside(value["file"], place)
        return WrongValue(file.sentence, ("file",)) if isinstance(file, WrongValue) else DocumentSource(file=file)
    words = ("auto", "none", *DIALECTS)
    if isinstance(value, str) and value in words:
        return value
    guess = nearest(value, words) if isinstance(value, str) else None
    advice = f'did you mean "{guess}"?' if guess else f"the dialects are {', '.join(DIALECTS)}"
    return WrongValue(f'must be "auto", "none", a dialect, {{ url = … }} or {{ file = … }}; {advice}')
