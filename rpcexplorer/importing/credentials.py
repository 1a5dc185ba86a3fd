"""The credentials of an imported call that a profile can use."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.auth.auth_type import AuthType
from rpcexplorer.auth.basic import InlineAuth
from rpcexplorer.auth.registry import auth_of
from rpcexplorer.importing.request import FoundCredential, ImportedCall, credential
from rpcexplorer.jsontext.scan import decoded, members
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret, origin_of


class Fitted(Struct, frozen=True):
    call: ImportedCall
    """The call without the credential params that the profile adds itself."""
    secrets: tuple[tuple[str, Secret], ...] = ()
    """Fields of the profile, each with its imported value."""
    dropped: tuple[str, ...] = ()
    """Places of the credentials that the profile cannot use."""
    elsewhere: bool = False
    """The call was sent to another server than the profile's."""


def fitted(profile: Profile, call: ImportedCall) -> Fitted:
    """Sort the credentials of a call into those for the profile, and others."""
    kind = auth_of(profile)
    elsewhere = bool(call.address) and origin_of(call.address) != profile.origin
    call, inside = _without_inline(kind, call)
    taken: dict[str, Secret] = {}
    dropped: dict[str, None] = {}
    for found in (*call.credentials, *inside):
        value = "" if elsewhere or not call.address else _value(kind, found)
        if value and found.field in profile.call_secrets:
            taken[found.field] = Secret(value, profile.label(found.field))
        elif value and found.field == "username" and value == profile.username:
            continue
        else:
            dropped[found.place] = None
    return Fitted(call, (*taken.items(),), (*dropped,), elsewhere)


def _value(kind: AuthType, found: FoundCredential) -> str:
    value = found.secret.reveal()
    kind_value = getattr(kind, "value", "")
    named = {
        "scheme": kind.scheme,
        "cookie": kind.session_cookie,
        "header": getattr(kind, "header", ""),
        "query": getattr(kind, "name", ""),
        "member": getattr(kind, "member", ""),
        "address": "" if kind.scheme in {"Basic", "Digest"} else "-",
        "params": found.name,
    }[found.way]
    if named.lower() != found.name.lower():
        return ""
    if found.way != "header":
        return value
    before, mark, after = kind_value.partition("{token}")
    return value.removeprefix(before).removesuffix(after) if mark else value


def _without_inline(kind: AuthType, call: ImportedCall) -> tuple[ImportedCall, list[FoundCredential]]:
    """Return a call without credentials in its params, and these credentials."""
    if not isinstance(kind, InlineAuth):
        return call, []
    found = members(call.params) or []
    fields = {kind.username_member: "username", kind.password_member: "password"}
    texts = {member.name: call.params[slice(*member.value)] for member in found}
    if kind.password_member not in texts:
        return call, []
    rest = [call.params[member.key[0] : member.value[1]] for member in found if member.name not in fields]
    without = replace(call, params=f"{{{', '.join(rest)}}}")
    credentials = []
    for name, field in fields.items():
        text = texts.get(name, "")
        if text.startswith('"') and decoded(text):
            credentials.append(credential(field, "params", name, decoded(text)))
    return without, credentials
