"""The call and the request that a snippet is made of, without secrets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
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
from rpcexplorer.model.problem import joined_words
from rpcexplorer.model.profile import AD_HOC_NAME, MCP_PARAMS, MCP_SESSION_HEADER, MCP_VERSION_HEADER, Profile
from rpcexplorer.model.secret import Secret, origin_of, placeholder, without
from rpcexplorer.redaction.addresses import redacted_address
from rpcexplorer.redaction.exchange import COPY, Policy, redacted, redacted_draft, redactor_of
from rpcexplorer.redaction.redactor import Redactor

Previewing = Callable[..., Preview | Refused]
"""``Explorer.preview``: a draft, perhaps with an ``id``, to the request it becomes."""
THEIRS: Final = "Someone else recorded this call to an address of theirs: credentials and profile headers are omitted."
SEVERAL: Final = "Someone else recorded this call to the address of {}: credentials and profile headers are omitted."
KEPT: Final = Policy(guesses=True)
"""All of a body, without what may be a secret."""


class Subject(Struct, frozen=True):
    """What a snippet is made of, with placeholders where secrets would stand."""

    profile: Profile
    draft: Draft | Batch
    preview: Preview
    exchange: Exchange | None = None
    login: Subject | None = None
    """The call that has to open a session first."""
    first: tuple[Subject, ...] = ()
    """What goes ahead of all: the request that is answered with a header to be sent back, and what must follow it."""

    @property
    def url(self) -> str:
        """Where the request goes, in the spelling that goes out."""
        target = self.preview.line.partition(" ")[2].rpartition(" ")[0]  # a mark in it has a space
        return origin_of(self.profile.endpoint) + target

    @property
    def body(self) -> str:
        return self.preview.body.decode()

    @property
    def headers(self) -> Iterator[tuple[str, str]]:
        """The headers that do not follow from URL and body, in order, with those of the session to come."""
        follow = {("host", urlsplit(self.url).netloc), ("content-length", str(len(self.preview.body)))}
        return ((name, value) for name, value in self.all_headers if (name.lower(), value) not in follow)

    @property
    def all_headers(self) -> Iterator[tuple[str, str]]:
        """The headers as they go out, in order, with those of the session to come."""
        kind, to_come = auth_of(self.profile), dict[str, str]()
        if self.preview.logs_in_first and kind.session_cookie and self.needs_auth:
            to_come = {each.name: each.shown for each in kind.headers(self.profile)}
        for name, value in self.preview.headers:
            yield name, f"{value}; {to_come.pop(name)}" if name in to_come else value
        yield from to_come.items()

    @property
    def handed(self) -> str:
        """The header whose value the server hands over first; empty where it hands over none."""
        handshake = self.profile.handshake
        return MCP_SESSION_HEADER if handshake == "mcp" else handshake.header if handshake else ""

    @property
    def values(self) -> list[str]:
        return [value for name, value in self.headers if name != self.handed]

    def encoded(self) -> list[AuthHeader]:
        """Those of its headers of which a part goes out in base64."""
        shown = {value for _, value in self.headers}
        own = auth_of(self.profile).headers(self.profile)
        return [each for each in own if each.encoded and each.shown in shown]

    def by_client(self) -> ByClient | None:
        return auth_of(self.profile).by_client(self.profile) if self.needs_auth else None

    @property
    def needs_auth(self) -> bool:
        """Whether the draft can be sent, and not without credentials."""
        profile, calls = self.profile, to_calls(self.draft, "")
        return not isinstance(calls, Typo) and not auth_of(profile).is_free(profile, Message("batch", calls))


def profile_of(exchange: Exchange, profiles: Mapping[str, Profile], *, ours: bool) -> tuple[Profile, str]:
    """Return the profile that the call was made with, as far as it is known, and a sentence about what is not.

    A record can say that a call went anywhere: to an address that is no profile's goes no profile's secret, but what
    the variables for ``--url`` hold. If the record is not ``ours``, its writer chose name and address: then only the
    one profile of ours that has this address is used, and if there is none, or several, nothing of any.
    """
    known = profiles.get(exchange.profile)
    if known is not None and _has_address(known, exchange.url):
        return known, ""
    if exchange.foreign or not ours:
        same = [each for each in profiles.values() if _has_address(each, exchange.url)]
        if len(same) == 1:
            return same[0], f"Someone else recorded this call. It is copied as profile {same[0].name} sends it."
        return _unknown(exchange), SEVERAL.format(joined_words([each.name for each in same])) if same else THEIRS
    if known is not None:
        today = redacted_address(known.endpoint)
        moved = f"Profile {known.name} points to {today} today; the call went to {exchange.url}, as this does."
        return replace(known, name=AD_HOC_NAME, url=exchange.url, path="", ad_hoc=True), moved
    name = exchange.profile or AD_HOC_NAME
    why = "The call was made with --url" if name == AD_HOC_NAME else f"There is no profile {name} any more"
    missing = f"{why}: its own headers and its auth type are not recorded, so they are missing here."
    return _unknown(exchange), missing


def subject_of(
    profile: Profile,
    what: Exchange | Draft | Batch,
    preview: Previewing,
    *,
    secrets: Iterable[Secret] = (),
    ours: bool,
) -> Subject | Refused:
    """Get ready what snippets are made of, or say why it cannot be sent.

    Of ``secrets`` no value is left in it, nor of any member that is named like a secret. What is not ``ours`` may have
    been written by anybody: nothing in it stands for a secret of the profile.
    """
    secrets = tuple(secrets)
    hide = redactor_of(profile, secrets, guesses=COPY.guesses)
    exchange: Exchange | None = None
    if isinstance(what, Exchange):  # nothing to be hidden is left in it, nor in what somebody wrote beside it
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
    own = {each.shown for each in auth_of(profile).headers(profile)}  # placeholders, and what the profile's file says
    headers = tuple((name, value if value in own else hide.text(value)) for name, value in request.headers)
    made = Subject(profile, draft, replace(request, line=_hidden(profile, request.line), headers=headers), exchange)
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
    """What snippets of a recorded call are made of, and a sentence about what is not known of it any more.

    Where its profile would not send it so today, what only tells of it (not ``runs``) is made all the same.
    """
    profile, missing = profile_of(exchange, profiles, ours=ours)
    secrets = tuple(secrets)
    made = subject_of(profile, exchange, partial(preview, profile=profile), secrets=secrets, ours=ours)
    if isinstance(made, Subject) or runs:
        return made, missing
    bare = _unknown(exchange)
    told = f"Profile {profile.name} would not send it so today: its own headers and its auth are not shown."
    return subject_of(bare, exchange, partial(preview, profile=bare), secrets=secrets, ours=ours), missing or told


def _has_address(profile: Profile, url: str) -> bool:
    return url in {profile.endpoint, redacted_address(profile.endpoint)}


def _unknown(exchange: Exchange) -> Profile:
    """All that is known of the profile of a call by its record alone."""
    return Profile(AD_HOC_NAME, exchange.url, path="", envelope=exchange.envelope, ad_hoc=True)


def _login(subject: Subject, preview: Previewing, hide: Redactor) -> Subject | None:
    """The login of a call that needs a session; None where it needs none, or the profile's is not in order."""
    profile = subject.profile
    session = placeholder(profile.label("session"))
    if not profile.has_sessions or not subject.needs_auth:
        return None
    if not any(session in text for text in (subject.url, subject.body, *(value for _, value in subject.headers))):
        return None
    draft = Draft(profile.login.method, hide.params(login_params(profile)))
    request = preview(draft, id=f"{subject.exchange.id}.login" if subject.exchange else None, bare=True)
    if isinstance(request, Refused):
        return None
    own = tuple((name, hide.text(value)) for name, value in request.headers if session not in value)
    return Subject(profile, draft, replace(request, line=_hidden(profile, request.line), headers=own))


def _first(subject: Subject, preview: Previewing) -> Iterator[Subject]:
    """What a server wants ahead of the first call, without a session: nothing of the call goes out before its time."""
    profile, base = subject.profile, subject.login or subject
    if not subject.handed:
        return
    known = [each for each in base.preview.headers if each[0].lower() not in {"content-length", subject.handed.lower()}]
    asking = replace(base, exchange=None, login=None)
    if profile.handshake != "mcp":  # refused for want of the header, whatever it says: so it says nothing
        yield replace(asking, preview=replace(base.preview, headers=tuple(known), body=b"", logs_in_first=False))
        return
    for draft in (Draft("initialize", MCP_PARAMS), Draft("notifications/initialized", "{}", notification=True)):
        request = preview(draft, id="initialize", bare=True)
        if isinstance(request, Preview):
            back = base.preview.headers if draft.notification else known
            left_out = {"content-length"} if draft.notification else {"content-length", MCP_VERSION_HEADER.lower()}
            own = tuple(each for each in back if each[0].lower() not in left_out)
            made = replace(base.preview, headers=own, body=request.body, logs_in_first=False)
            yield replace(asking, draft=draft, preview=made)


def _hidden(profile: Profile, line: str) -> str:
    """A request line without what opens a door by standing in the address."""
    verb, _, rest = line.partition(" ")
    target, _, version = rest.rpartition(" ")  # a mark in it has a space
    origin = origin_of(profile.endpoint)
    return f"{verb} {redacted_address(origin + target)[len(origin) :]} {version}"
