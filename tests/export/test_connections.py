"""Copies of calls over connections that stay open."""

from __future__ import annotations

import shlex
from typing import Any

import pytest
from msgspec.structs import replace

from rpcexplorer.auth.token import BearerAuth, MemberAuth
from rpcexplorer.export.formats import FORMS, find_uncopyable
from rpcexplorer.export.report import report_of_pair
from rpcexplorer.export.request import Subject, profile_of, record_of
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.profile import Profile, ad_hoc, ad_hoc_process
from rpcexplorer.rpc.messages import Result
from tests.export.test_report import made, previewing
from tests.text.exchanges import exchange

DRAFT = Draft("m", '{"a":1}')
PROCESS = ad_hoc_process(["./serve", "it's"])
WORDS = "stdio:./serve 'a b'"
URLS = ("ws://h:1", "wss://h:1", "ws+unix:///run/x", "tcp://h:1", "tls://h:1", "unix:///run/x", "stdio:")
UPGRADE = (
    "GET /x HTTP/1.1\nHost: h\nUpgrade: websocket\nConnection: Upgrade\n"
    "Sec-WebSocket-Key: (random)\nSec-WebSocket-Version: 13\n\n"
)
MESSAGE = '{"jsonrpc":"2.0","id":"id-1","method":"m","params":{"a":1}}'


def sent_to(url: str, **fields: Any) -> Exchange:
    return exchange(Result(b"1"), status=None, **{"profile": "url", "url": url, **fields})


@pytest.mark.parametrize("url", URLS)
def test_only_formats_of_other_programs_need_http(url: str) -> None:
    profile = replace(PROCESS, url=url) if url == "stdio:" else Profile("p", url)
    reasons = {form: find_uncopyable(form, profile) for form in FORMS}
    assert {form for form, why in reasons.items() if why} == {"curl", "python", "httpie"}
    assert "cannot be copied as curl. Copy it as command, report, request or response." in reasons["curl"]


@pytest.mark.parametrize(
    ("profile", "options"),
    [
        (replace(PROCESS, name="p", ad_hoc=False), ["-p", "p"]),
        (PROCESS, ["--stdio", "./serve 'it'\"'\"'s'"]),
        (replace(PROCESS, preset="lsp", framing="length"), ["--stdio", "./serve 'it'\"'\"'s'", "--preset", "lsp"]),
        (replace(ad_hoc("tcp://h:1"), framing="none"), ["--url", "tcp://h:1", "--framing", "none"]),
        (replace(ad_hoc("ws://h/x"), auth=BearerAuth()), ["--url", "ws://h/x", "--auth", "bearer"]),
    ],
)
def test_command_names_the_server_again(profile: Profile, options: list[str]) -> None:
    assert shlex.split(made("command", DRAFT, profile)) == ["rpcexplorer", "call", "m", '{"a":1}', *options]


@pytest.mark.parametrize(
    ("profile", "head"),
    [
        (PROCESS, ""),
        (replace(ad_hoc("tcp://h:1"), framing="length"), f"Content-Length: {len(MESSAGE)}\n\n"),
        (replace(ad_hoc("unix:///x"), framing="none"), ""),
        (ad_hoc("ws://h/x"), UPGRADE),
        (ad_hoc("ws+unix:///run/x:/x"), UPGRADE.replace("Host: h", "Host: localhost")),
    ],
)
def test_request_has_the_framer_of_its_connection(profile: Profile, head: str) -> None:
    assert made("request", DRAFT, profile) == head + MESSAGE
    report = made("report", DRAFT, profile)
    assert f"```http\n{head}{{\n" in report if profile.connection_kind == "websocket" else "```json\n{\n" in report
    assert f"URL: `{profile.endpoint}`" in report


def test_report_without_http_has_secret_references() -> None:
    report = made("report", DRAFT, Profile("p", "tls://h:1", "", auth=MemberAuth()))
    assert '"auth": "«p.token»"' in report


def test_own_record_of_a_process_gets_its_words() -> None:
    profile, missing = profile_of(sent_to(WORDS), {}, ours=True)
    assert (profile.command, profile.ad_hoc) == (("./serve", "a b"), True)
    assert missing == (
        "The call was made with --stdio. Its preset, framing and auth type are not recorded, "
        "so the copy has the default ones."
    )


def test_record_of_a_changed_process_keeps_its_words() -> None:
    known = replace(PROCESS, name="p", ad_hoc=False, framing="length")
    profile, missing = profile_of(sent_to(WORDS, profile="p"), {"p": known}, ours=True)
    assert (profile.endpoint, profile.framing, profile.ad_hoc) == (WORDS, "length", True)
    assert "The copy uses the URL of the call: stdio:./serve 'a b'." in missing


@pytest.mark.parametrize("url", [WORDS, "stdio://[x"])
def test_words_recorded_by_others_are_only_text(url: str) -> None:
    theirs = sent_to(url, foreign=True)
    profile, _ = profile_of(theirs, {}, ours=False)
    assert (profile.command, profile.endpoint) == ((), url)
    assert find_uncopyable("command", profile) == (
        "Someone else recorded the words of this process. Copy the call as report, request or response."
    )
    subject, _ = record_of(theirs, {}, lambda draft, **_: previewing(profile)(draft), ours=False, runs=False)
    assert isinstance(subject, Subject)
    assert url in report_of_pair(subject, subject, (theirs, theirs), (), ()).decode()


def test_damaged_words_of_a_record_are_only_text() -> None:
    assert profile_of(sent_to("stdio:x 'y"), {}, ours=True)[0].command == ()
