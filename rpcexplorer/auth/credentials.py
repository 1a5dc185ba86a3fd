"""Credentials as secret references in requests, and where their values come from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any, Final
from urllib.parse import quote

from msgspec import Struct

from rpcexplorer.auth.flow import AuthHeader, FlowPart, Message, Need, Opening, Send, as_bytes
from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import FIELDS, PLACEHOLDER, UNRECORDED, Secret, named, of_another, placeholder, unsendable
from rpcexplorer.rpc.messages import spelled

NOT_RECORDED: Final = "Where {} stands, this value was not recorded: type it anew."
"""What is said of a mark that nobody can send; whoever counts marks in a text leaves this one out."""


def leaves(template: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of a JSON value that holds no other, with the name of the member that it is."""
    if isinstance(template, dict):
        for member, value in template.items():
            yield from leaves(value, member)
    elif isinstance(template, list):
        for value in template:
            yield from leaves(value)
    else:
        yield name, template


def login_fields(profile: Profile) -> tuple[str, ...]:
    """The secrets that the login call of a profile takes."""
    named = {value for _, value in leaves(profile.login.params)}
    known = {"username"} if profile.username is not None else set()
    return tuple(field for field in FIELDS if f"{{{field}}}" in named and field not in known)


class Fields(Struct, frozen=True):
    """The secret fields of a profile and how they are written in params."""

    profile: Profile

    def quoted(self, field: str) -> str:
        """The JSON string that stands for a field."""
        return spelled(placeholder(self.profile.label(field)))

    def asked_for(self, send: Send, known: Sequence[Secret] = ()) -> FlowPart[tuple[Secret, ...] | Refused]:
        """Ask for each secret whose placeholder stands in a request, but for those that are ``known``."""
        secrets: list[Secret] = []
        for field in FIELDS:
            label = self.profile.label(field)
            mark = placeholder(label)
            in_params = any(self.quoted(field) in call.params for call in send.message.calls)
            if not in_params and not any(mark in part for part in send.opened_in):
                continue
            answer: Secret | Refused | None = next((each for each in known if each.label == label), None)
            if answer is None:
                answer = yield Need(field)
            if isinstance(answer, Refused):
                return answer
            secrets.append(answer)
        return tuple(secrets)

    def doubt(self, message: Message) -> Refused | None:
        """Why the message cannot be sent as it is written; None where it can.

        Only a whole string of the params can be opened: what a secret was a part of may have held it in any spelling.
        """
        for call in message.calls:
            for text in (call.method, call.id or "", call.params):
                if mark := unsendable(text):
                    return Refused("params", NOT_RECORDED.format(mark))
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


def opened(body: bytes, send: Send) -> bytes:
    """Put the secrets' values where their placeholders stand as whole strings. The last line before the socket."""
    opening = opening_of(send.secrets)
    for text in send.texts:
        body = body.replace(spelled(text).encode(), spelled(opening.filled(text)).encode())
    for secret in send.secrets:
        body = body.replace(spelled(secret.placeholder).encode(), spelled(secret.reveal()).encode())
    return body


def opened_address(address: str, secrets: Sequence[Secret]) -> str:
    """An address with the secrets' values in it, percent-encoded. The last line before the socket."""
    values = {secret.placeholder: quote(as_bytes(secret.reveal()), safe="") for secret in secrets}
    return PLACEHOLDER.sub(lambda found: values.get(found[0], found[0]), address)


def opening_of(secrets: Sequence[Secret], target: str = "", body: bytes = b"", verb: str = "POST") -> Opening:
    return Opening({secret.placeholder: secret.reveal() for secret in secrets}, target, body, verb)


def derived(headers: Iterable[AuthHeader], known: Sequence[Secret]) -> Iterator[Secret]:
    """What the values of secrets come to in headers that encode them: it opens the same doors, so it is hidden too.

    Of each field every value is taken that is known. Nothing opens what is put in its place.
    """
    for header in headers:
        if header.encoded:
            marks = dict.fromkeys(found[0] for found in PLACEHOLDER.finditer(header.text))
            for secrets in product(*([each for each in known if each.placeholder == mark] for mark in marks)):
                value = header.opened(opening_of(secrets)).removeprefix(header.scheme)
                padded = (value, value.replace("+", "-").replace("/", "_"))
                for spelling in dict.fromkeys((*padded, *(each.rstrip("=") for each in padded))):
                    yield Secret(spelling, UNRECORDED.strip("«»"))
