"""Credentials on their way into params and headers, as placeholders; and the one line that opens them.

``«staging.password»`` stands for a secret in drafts, records, previews and flows alike
(`model/secrets/placeholders.py`). Only ``opened`` and ``opened_header`` put the value in, in what goes to the socket
next.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from msgspec import Struct

from rpcexplorer.auth.flow import AuthHeader, FlowPart, Message, Need
from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secrets.placeholders import PLACEHOLDER, UNRECORDED, named, of_another, unsendable
from rpcexplorer.model.secrets.secret import FIELDS, Secret, placeholder
from rpcexplorer.protocol.messages import spelled


class Fields(Struct, frozen=True):
    """The secret fields of a profile and how they are written in params."""

    profile: Profile

    def quoted(self, field: str) -> str:
        """The JSON string that stands for a field."""
        return spelled(placeholder(self.profile.label(field)))

    def named_in(self, message: Message, headers: Sequence[AuthHeader] = ()) -> FlowPart[tuple[Secret, ...] | Refused]:
        """Ask for each secret whose placeholder stands in params or headers; refuse what cannot be sent as it is."""
        doubt = self.doubt(message)
        if doubt is not None and not message.only_shown:
            return doubt
        secrets: list[Secret] = []
        for field in FIELDS:
            mark = placeholder(self.profile.label(field))
            in_params = any(self.quoted(field) in call.params for call in message.calls)
            if in_params or any(mark in header.text for header in headers):
                answer: Secret | Refused = yield Need(field)
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


def opened_header(header: AuthHeader, secrets: tuple[Secret, ...]) -> tuple[str, str]:
    """Name and value of a header with the secrets' values in it. The last line before the socket."""
    values = {secret.placeholder: secret.reveal() for secret in secrets}
    text = PLACEHOLDER.sub(lambda found: values.get(found[0], found[0]), header.text)
    return header.name, f"{header.scheme}{b64encode(_bytes(text)).decode() if header.encoded else text}"


def _bytes(text: str) -> bytes:
    """Bytes of a variable that are no UTF-8 are those again; any other half of a character goes out as what it is."""
    try:
        return text.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        return text.encode(errors="surrogatepass")


def derived(headers: Iterable[AuthHeader], known: Sequence[Secret]) -> Iterator[Secret]:
    """What the values of secrets come to in headers that encode them: it opens the same doors, so it is hidden too.

    Of each field every value is taken that is known. Nothing opens what is put in its place.
    """
    for header in headers:
        if header.encoded:
            marks = dict.fromkeys(found[0] for found in PLACEHOLDER.finditer(header.text))
            for secrets in product(*([each for each in known if each.placeholder == mark] for mark in marks)):
                value = opened_header(header, secrets)[1].removeprefix(header.scheme)
                padded = (value, value.replace("+", "-").replace("/", "_"))
                for spelling in dict.fromkeys((*padded, *(each.rstrip("=") for each in padded))):
                    yield Secret(spelling, UNRECORDED.strip("«»"))
