"""The call and the request for a snippet, without secrets."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Final
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.auth.auth_type import ByClient
from rpcexplorer.auth.credentials import AuthHeader, Message
from rpcexplorer.auth.login import login_params
from rpcexplorer.auth.registry import auth_of
from rpcexplorer.jsontext.params import Typo
from rpcexplorer.model.draft import Batch, Draft, sent_draft, to_calls
from rpcexplorer.model.exchange import Exchange, Preview, Refused
from rpcexplorer.model.mcp import MCP_SESSION_HEADER, MCP_VERSION_HEADER, mcp_params
from rpcexplorer.model.problem import joined_words
from rpcexplorer.model.profile import (
    AD_HOC_NAME,
    FORM_TYPE,
    INITIALIZE,
    HeaderHandshake,
    Profile,
    ad_hoc,
    ad_hoc_process,
    kind_of,
    split_socket,
)
from rpcexplorer.model.secret import Secret, origin_of, placeholder, without
from rpcexplorer.redaction.addresses import redacted_address
from rpcexplorer.redaction.exchange import COPY, Policy, redacted, redacted_draft, redactor_of
from rpcexplorer.redaction.redactor import Redactor

Previewing = Callable[..., Preview | Refused]
"""``Explorer.preview``: return the request of a draft."""
UNKNOWN_URL: Final = (
    "Someone else recorded this call. "
    "None of your profiles has its URL, so the copy has no credentials or profile headers."
)
SEVERAL_PROFILES: Final = (
    "Someone else recorded this call. "
    "Several of your profiles have its URL ({}), so the copy has no credentials or profile headers."
)
WHOLE: Final = Policy(guesses=True)
"""All of a body, without possible secrets."""


class Subject(Struct, frozen=True):
    """The call and request for a snippet, with secret references."""

    profile: Profile
    draft: Draft | Batch
    preview: Preview
    exchange: Exchange | None = None
    login: Subject | None = None
    """The call that must open a session first."""
    first: tuple[Subject, ...] = ()
    """Requests of the handshake, which come first."""

    @property
    def url(self) -> str:
        """Return the URL of the request, spelled as it is sent."""
        target = self.preview.line.partition(" ")[2].rpartition(" ")[0]  # a reference in it contains a space
        return origin_of(split_socket(self.profile.endpoint)[1]) + target

    @property
    def socket(self) -> str:
        """Return the path of the Unix socket that the request is sent over, or empty text."""
        return split_socket(self.profile.endpoint)[0]

    @property
    def address(self) -> str:
        """Return the URL, with the path of the Unix socket if there is one."""
        if not self.socket:
            return self.url
        scheme, _, target = self.url.partition("://localhost")
        return f"{scheme}+unix://{self.socket}:{target}"

    @property
    def body(self) -> str:
        return self.preview.body.decode()

    @property
    def headers(self) -> Iterator[tuple[str, str]]:
        """Yield the headers that URL and body do not determine."""
        follow = {("host", urlsplit(self.url).netloc), ("content-length", str(len(self.preview.body)))}
        for name, value in self.all_headers:
            if (name.lower(), value) not in follow:
                yield name, value

    @property
    def all_headers(self) -> Iterator[tuple[str, str]]:
        """Yield all headers in order, with those of a session to come."""
        kind = auth_of(self.profile)
        to_come = dict[str, str]()
        if self.preview.logs_in_first and kind.session_cookie and self.needs_auth:
            to_come = {header.name: header.shown for header in kind.headers(self.profile)}
        for name, value in self.preview.headers:
            if name in to_come:
                value = f"{value}; {to_come.pop(name)}"  # noqa: PLW2901
            yield name, value
        yield from to_come.items()

    @property
    def is_form(self) -> bool:
        """Return whether the body is a form, in which secrets are percent-encoded."""
        return ("Content-Type", FORM_TYPE) in self.preview.headers

    @property
    def handed(self) -> str:
        """Return the header whose value the server sends first, or empty text."""
        handshake = self.profile.handshake
        if self.profile.is_open_connection:
            return ""
        if isinstance(handshake, HeaderHandshake):
            return handshake.header
        has_session = any(name == MCP_SESSION_HEADER for name, _ in self.preview.headers)
        return MCP_SESSION_HEADER if has_session else ""

    @property
    def values(self) -> list[str]:
        return [value for name, value in self.headers if name != self.handed]

    def encoded(self) -> list[AuthHeader]:
        """Return the auth headers that are partly encoded as base64."""
        shown = {value for _, value in self.headers}
        own = auth_of(self.profile).headers(self.profile)
        return [header for header in own if header.encoded and header.shown in shown]

    def by_client(self) -> ByClient | None:
        return auth_of(self.profile).by_client(self.profile) if self.needs_auth else None

    @property
    def needs_auth(self) -> bool:
        """Return whether the draft is valid and needs credentials."""
        calls = to_calls(self.draft, "")
        if isinstance(calls, Typo):
            return False
        return not auth_of(self.profile).is_free(self.profile, Message("batch", calls))


def profile_of(exchange: Exchange, profiles: Mapping[str, Profile], *, ours: bool) -> tuple[Profile, str]:
    """Return the profile of a recorded call, and a sentence about gaps.

    A record can claim any URL. A URL that no profile has gets no secrets of a profile, except those of the environment
    variables for ``--url``. If the record is not ``ours``, its writer chose profile name and URL. If exactly one
    profile has this URL, that profile is used. Else no secret of any profile is used.
    """
    known = profiles.get(exchange.profile)
    if known is not None and _has_address(known, exchange.url):
        return known, ""
    if exchange.foreign or not ours:
        same = [profile for profile in profiles.values() if _has_address(profile, exchange.url)]
        if len(same) == 1:
            return same[0], f"Someone else recorded this call. The copy uses your profile {same[0].name}."
        if not same:
            return _unknown(exchange), UNKNOWN_URL
        return _unknown(exchange), SEVERAL_PROFILES.format(joined_words([profile.name for profile in same]))
    if known is not None:
        today = redacted_address(known.endpoint)
        moved = f"Profile {known.name} now points to {today}. The copy uses the URL of the call: {exchange.url}."
        bare = _typed(exchange)
        return replace(known, name=AD_HOC_NAME, url=bare.url, path="", command=bare.command, ad_hoc=True), moved
    name, bare = exchange.profile or AD_HOC_NAME, _typed(exchange)
    option, settings = "--url", "auth type and request headers"
    if bare.command:
        option, settings = "--stdio", "preset, framing and auth type"
    elif bare.is_open_connection:
        settings = "preset, framing, auth type and request headers"
    why = f"The call was made with {option}" if name == AD_HOC_NAME else f"Profile {name} no longer exists"
    return bare, f"{why}. Its {settings} are not recorded, so the copy has the default ones."


def subject_of(
    profile: Profile,
    what: Exchange | Draft | Batch,
    preview: Previewing,
    *,
    secrets: Iterable[Secret] = (),
    ours: bool,
) -> Subject | Refused:
    """Return the parts for a snippet, or why the call cannot be sent.

    The result contains no value of ``secrets``, and no value of a member that is named like a secret. If the call is
    not ``ours``, someone else wrote it: no reference in it opens a secret of the profile.
    """
    secrets = tuple(secrets)
    hide = redactor_of(profile, secrets, guesses=COPY.guesses)
    exchange: Exchange | None = None
    if isinstance(what, Exchange):  # Secrets are removed from the exchange, also from its name and note.
        draft, exchange = sent_draft(what), redacted(what, COPY, profile, secrets)
        exchange = replace(exchange, name=hide.text(what.name), note=hide.text(what.note))
    else:
        draft = what
    if not ours:
        draft = replace(draft, text=without(draft.text, profile.name))
    draft = redacted_draft(draft, profile, hide)
    request = preview(draft, id=exchange.id if exchange else None)
    if isinstance(request, Refused):
        return request
    own = {header.shown: header.copied for header in auth_of(profile).headers(profile)}
    headers = []
    for name, value in request.headers:
        # The auth type's own value has references, and text from the profile's own file.
        headers.append((name, own.get(value) or hide.text(value)))
    made = Subject(profile, draft, replace(request, headers=tuple(headers)), exchange)
    made = replace(made, login=_login(made, preview, hide))
    return replace(made, first=tuple(_first(made, preview)))


def record_of(
    exchange: Exchange,
    profiles: Mapping[str, Profile],
    preview: Previewing,
    *,
    secrets: Iterable[Secret] = (),
    ours: bool,
    runs: bool = True,
) -> tuple[Subject | Refused, str]:
    """Return the parts for a recorded call, and a sentence about missing ones.

    If its profile would not send the call today, formats that only describe it (not ``runs``) work without the profile.
    """
    profile, missing = profile_of(exchange, profiles, ours=ours)
    secrets = tuple(secrets)
    made = subject_of(profile, exchange, partial(preview, profile=profile), secrets=secrets, ours=ours)
    if isinstance(made, Subject) or runs:
        return made, missing
    bare = _unknown(exchange)
    omitted = f"Profile {profile.name} cannot send this call now, so the copy has no credentials or profile headers."
    return subject_of(bare, exchange, partial(preview, profile=bare), secrets=secrets, ours=ours), missing or omitted


def _has_address(profile: Profile, url: str) -> bool:
    return url in {profile.endpoint, redacted_address(profile.endpoint)}


def _typed(exchange: Exchange) -> Profile:
    """Return a profile with only the facts in the user's own record of a call."""
    if kind_of(exchange.url) == "process":
        with suppress(ValueError):
            words = shlex.split(exchange.url.partition(":")[2])
            return replace(ad_hoc_process(words), envelope=exchange.envelope)
    return _unknown(exchange)


def _unknown(exchange: Exchange) -> Profile:
    """Return a profile with only the facts in the record of a call, and never with a command."""
    usual = ad_hoc(exchange.url).content_type
    return Profile(AD_HOC_NAME, exchange.url, "", content_type=usual, envelope=exchange.envelope, ad_hoc=True)


def _login(subject: Subject, preview: Previewing, hide: Redactor) -> Subject | None:
    """Return the login that a call needs; None if the login is invalid."""
    profile = subject.profile
    session = placeholder(profile.label("session"))
    if not auth_of(profile).opens_session(profile) or not subject.needs_auth:
        return None
    sent = [subject.url, subject.body, *(value for _, value in subject.headers)]
    if not any(session in text for text in sent):
        return None
    draft = Draft(profile.login.method, hide.params(login_params(profile)))
    request = preview(draft, id=f"{subject.exchange.id}.login" if subject.exchange else None, bare=True)
    if isinstance(request, Refused):
        return None
    own = tuple((name, hide.text(value)) for name, value in request.headers if session not in value)
    return Subject(profile, draft, replace(request, headers=own))


def _first(subject: Subject, preview: Previewing) -> Iterator[Subject]:
    """Yield the handshake requests before the first call, without a session."""
    profile, base = subject.profile, subject.login or subject
    if not subject.handed:
        return
    back = [header for header in base.preview.headers if header[0].lower() != "content-length"]
    known = [header for header in back if header[0].lower() != subject.handed.lower()]
    asking = replace(base, exchange=None, login=None)
    if profile.handshake != "mcp":  # the server rejects it because the header is missing, so the body is empty
        yield replace(asking, preview=replace(base.preview, headers=tuple(known), body=b"", logs_in_first=False))
        return
    without_version = [header for header in known if header[0].lower() != MCP_VERSION_HEADER.lower()]
    for draft, headers in (
        (Draft(INITIALIZE, mcp_params(profile)), without_version),
        (Draft("notifications/initialized", "{}", notification=True), back),
    ):
        request = preview(draft, id=INITIALIZE, bare=True)
        if isinstance(request, Preview):
            made = replace(base.preview, headers=tuple(headers), body=request.body, logs_in_first=False)
            yield replace(asking, draft=draft, preview=made)
