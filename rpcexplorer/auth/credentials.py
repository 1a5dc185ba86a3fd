"""Credentials on their way into params, as placeholders; and the one line that opens them.

``«staging.password»`` stands for a secret in drafts, records, previews and flows alike
(`model/secrets/placeholders.py`). Only ``opened`` puts the value in, on the bytes that go to the socket next.
"""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

from rpcexplorer.auth.flow import Errand, Need, Steps
from rpcexplorer.jsontext.scan import members
from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.profile import InlineAuth, Profile
from rpcexplorer.model.secrets.placeholders import named, of_another, unsendable
from rpcexplorer.model.secrets.secret import Secret, placeholder
from rpcexplorer.protocol.messages import Call, spelled

FIELDS: Final[tuple[Literal["username", "password", "session"], ...]] = ("username", "password", "session")
"""What has a placeholder."""


class Fields(Struct, frozen=True):
    """The secret fields of a profile and how they are written in params."""

    profile: Profile

    def quoted(self, field: str) -> str:
        """The JSON string that stands for a field."""
        return spelled(placeholder(self.profile.label(field)))

    def named_in(self, errand: Errand) -> Steps[tuple[Secret, ...] | Refused]:
        """Ask for each secret whose placeholder stands in the errand's params; refuse what cannot be sent as it is."""
        doubt = self.doubt(errand)
        if doubt is not None and not errand.only_shown:
            return doubt
        secrets: list[Secret] = []
        for field in FIELDS:
            if any(self.quoted(field) in call.params for call in errand.calls):
                answer: Secret | Refused = yield Need(field)
                if isinstance(answer, Refused):
                    return answer
                secrets.append(answer)
        return tuple(secrets)

    def doubt(self, errand: Errand) -> Refused | None:
        """Why the errand cannot be sent as it is written; None where it can.

        Only a whole string of the params can be opened: what a secret was a part of may have held it in any spelling.
        """
        for call in errand.calls:
            for text in (call.method, call.id or "", call.params):
                if mark := unsendable(text):
                    return Refused("params", f"Where {mark} stands, this value was not recorded: type it anew.")
                if mark := of_another(text, self.profile.name):
                    return Refused("params", self._not_ours(mark))
            if mark := named((call.method, call.id or "")):
                return Refused("params", f"{mark} stands for a secret, which has no place in a method's name or an id.")
            for field in FIELDS:
                mark = placeholder(self.profile.label(field))
                if mark in call.params.replace(self.quoted(field), ""):
                    return Refused(
                        "params",
                        f"{mark} stands inside a longer text of the params, where the secret cannot be put back: write "
                        f'that text anew, or "{mark}" alone.',
                    )
        return None

    def _not_ours(self, mark: str) -> str:
        profile, _, field = mark.strip("«»").rpartition(".")
        return (
            f"{mark} stands for the {field} of profile {profile}, which is not sent with profile {self.profile.name}: "
            f"type the value itself, or choose profile {profile}. To send these very letters, write \\u00ab for «."
        )


def planted(profile: Profile, *texts: str | None) -> Refused | None:
    """Why nothing is sent where a profile, which may come from a shared file, holds a placeholder in what it sends."""
    mark = named(text for text in texts if text)
    if not mark:
        return None
    sentence = f"Profile {profile.name} holds {mark} where no secret belongs: take it out of sessions.toml."
    return Refused("profile", sentence)


def opened(body: bytes, secrets: tuple[Secret, ...]) -> bytes:
    """Put the secrets' values where their placeholders stand as whole strings. The last line before the socket."""
    for secret in secrets:
        body = body.replace(spelled(secret.placeholder).encode(), spelled(secret.reveal()).encode())
    return body


def inline_params(call: Call, auth: InlineAuth, profile: Profile) -> str | Refused:
    """The call's params with the two members put in; members that are there already stay as typed."""
    if refused := planted(profile, auth.username, auth.username_member, auth.password_member):
        return refused
    fields = Fields(profile)
    username = spelled(auth.username) if auth.username is not None else fields.quoted("username")
    wanted = {auth.username_member: username, auth.password_member: fields.quoted("password")}
    if call.params == "[]":
        return _object(wanted)
    present = members(call.params)
    if present is None:
        return Refused(
            "params",
            f"Profile {profile.name} puts {auth.username_member} and {auth.password_member} into params, and an array "
            'has no place for them: write an object, such as {"first": 1}.',
        )
    missing = {name: value for name, value in wanted.items() if name not in {member.name for member in present}}
    if not missing:
        return call.params
    added = _object(missing)
    return added if not present else f"{call.params[:-1]},{added[1:]}"


def _object(values: dict[str, str]) -> str:
    return "{" + ",".join(f"{spelled(name)}:{value}" for name, value in values.items()) + "}"
