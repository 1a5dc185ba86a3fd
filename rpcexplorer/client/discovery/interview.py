"""Discovery: asks a service which methods it has, as its profile says.

How services are asked is in dialects.py. It never runs but when somebody asks for it, and no call of it is recorded.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from rpcexplorer.auth.credentials import CredentialSource
from rpcexplorer.client.connection import connect
from rpcexplorer.client.discovery.answers import value_of, why_it_ended
from rpcexplorer.client.discovery.dialects import asked_of
from rpcexplorer.client.discovery.documents import read_document
from rpcexplorer.client.discovery.findings import Findings, told
from rpcexplorer.client.discovery.questioning import REPLY_LIMIT, Interview
from rpcexplorer.model.exchange import Exchange, Stop
from rpcexplorer.model.methods.listing import Discovery, DiscoveryStep, Listing, TellStep
from rpcexplorer.model.problem import Trouble
from rpcexplorer.model.profile import DocumentSource, Profile
from rpcexplorer.redaction.addresses import redacted_address
from rpcexplorer.transport.port import Watch

ASKED: Final = "asked"
ReadDocument = Callable[[DocumentSource], bytes]
"""Gives what a file holds, or raises ``Trouble``."""


async def discover(
    profile: Profile,
    credentials: CredentialSource,
    reply_limit: int,
    *,
    read: ReadDocument | None = None,
    watch: Watch | None = None,
    stop: Stop | None = None,
    tell: TellStep | None = None,
) -> Discovery:
    """Ask in the dialects of the profile and put the answers together. A service that cannot be reached ends it.

    ``tell`` hears of each step.
    """
    now, source = datetime.now(UTC), profile.discovery
    if source == "none":
        return Discovery(now, sentences=(_not_wanted(profile),))
    if isinstance(source, DocumentSource) and source.file:
        return await asyncio.to_thread(described_in_file, source, read)
    transport = await connect(profile, min(reply_limit, REPLY_LIMIT))
    asked = ""

    def say(words: str) -> None:
        if tell:
            tell(DiscoveryStep(asked, words, len(found.methods)))

    interview = Interview(profile, credentials, transport, watch=watch, stop=stop, tell=say)
    found = Findings(interview)
    try:
        for dialect in asked_of(profile, found):
            asked = dialect.name
            say(ASKED)
            listing = await interview.hold(dialect.ask(found.well_described()))
            found.notes += interview.notes()
            if isinstance(listing, Exchange):
                sentences = (*found.sentences(), f"{dialect.name}: {why_it_ended(listing)}")
                return Discovery(now, sentences=sentences, ended=listing)
            found.add(dialect.name, listing, is_proof=dialect.clue is not None)
            say(told(listing)[0])
    finally:
        await interview.close()
    return _put_together(found, now, profile, interview.closed)


def _put_together(found: Findings, now: datetime, profile: Profile, closed: Exchange | None) -> Discovery:
    said = found.sentences()
    if not found.methods:
        said.append(
            f"{redacted_address(profile.endpoint)} told of no methods. Any name can be typed and called all the same."
        )
    return Discovery(
        now,
        tuple(found.methods.values()),
        tuple(said),
        ended=None if found.methods else closed,
        described=found.described,
        events=found.events,
    )


def _not_wanted(profile: Profile) -> str:
    return (
        f'Nothing was asked: profile {profile.name} says discovery = "none". '
        "Any name can be typed and called all the same."
    )


def described_in_file(source: DocumentSource, read: ReadDocument | None) -> Discovery:
    """Return what a document on this machine says of a service; the service is not asked."""
    now = datetime.now(UTC)
    if read is None:
        return Discovery(now, sentences=(f"{source.file}: files are not read here.",))
    try:
        answer = value_of(read(source))
    except Trouble as trouble:
        return Discovery(now, sentences=(f"{trouble.sentence}. What was known before stays.",))
    name = re.split(r"[/\\]", source.file)[-1]
    listing = Listing(refusal=answer.refusal) if answer.refusal else read_document(answer.value, name)
    sentences = tuple(f"{source.file}: {sentence}" for sentence in told(listing))
    return Discovery(now, listing.methods, sentences, described=listing.described, events=listing.events)
