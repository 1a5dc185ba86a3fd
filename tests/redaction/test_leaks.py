"""Secrets found in files: every spelling, its line, and what is around it."""

from __future__ import annotations

import json
from base64 import b64encode

import pytest

from rpcexplorer.model.secret import Secret
from rpcexplorer.secrets import leaks
from rpcexplorer.secrets.leaks import Leak, LeakSearch
from tests.trust.secrets.planted import AWKWARD, spellings

PASSWORD = Secret("hunter2-hunter2", "shop.password", "environment")


@pytest.mark.parametrize("value", AWKWARD.values(), ids=AWKWARD.keys())
def test_every_spelling_is_found_on_its_line(value: str) -> None:
    finder = LeakSearch([Secret(value, "shop.password")])
    for spelled in spellings(value):
        content = f'first = 1\nother = "x{spelled}x"\n'.encode()
        assert finder.leaks(content)[0][:2] == (2, "shop.password"), spelled


def test_a_leak_knows_its_profile() -> None:
    content = b'[profile."my.shop".login]\nparams = { otp = "hunter2-hunter2" }\n[profile.b]\nsecret = "abc"\n'
    assert LeakSearch([PASSWORD]).leaks(content) == [
        Leak(2, "shop.password", "", "my.shop", ""),
        Leak(4, "", "secret", "b", ""),
    ]


def test_a_leak_knows_its_call() -> None:
    block = '[[call]]\nid = "{}"\nreply = "{}"\nend = "00000000"\n\n'
    content = block.format("one", "") + block.format("two", "hunter2-hunter2") + block.format("three", "")
    assert LeakSearch([PASSWORD]).leaks(content.encode()) == [Leak(8, "shop.password", "", "", "two")]


def test_what_a_history_keeps_as_base64_is_looked_into() -> None:
    inside = b64encode(b'\xff {"p": "hunter2\\u002dhunter2"}').decode()
    found = LeakSearch([PASSWORD]).leaks(f'[[call]]\nid = "x"\nreply_base64 = "{inside}"\n'.encode())
    assert found == [Leak(3, "shop.password", "", "", "x")]


LOGIN = (
    '[[call]]\nid = "one"\nmethod = "user.login"\nparams = "[]"\n'
    'reply = "{\\"jsonrpc\\":\\"2.0\\",\\"result\\":\\"%s\\"}"\nend = "00000000"\n\n'
)


def test_the_session_that_a_recorded_login_answered_is_found() -> None:
    held = LOGIN % "0424bd59b807674191e7d77572075f33"
    other = held.replace("user.login", "user.hash").replace("one", "two")
    found = LeakSearch([]).leaks((other + held + other).encode())
    assert found == [Leak(12, "", "session", "", "one")]
    assert LeakSearch([]).leaks((LOGIN % "«not recorded»" + other).encode()) == []
    assert LeakSearch([]).leaks((LOGIN % "welcome" + other).encode()) == []


def test_the_password_that_a_recorded_login_was_given_by_position_is_found() -> None:
    call = '[[call]]\nid = "one"\nmethod = "%s"\nparams = "[\\"ada\\",\\"%s\\"]"\nend = "00000000"\n\n'
    held = call % ("session.login", "bobs-own")
    assert LeakSearch([]).leaks(held.encode()) == [Leak(4, "", "password", "", "one")]
    for harmless in (call % ("note.add", "bobs-own"), call % ("session.login", "«not recorded»")):
        assert LeakSearch([]).leaks(harmless.encode()) == []


def test_the_password_of_a_login_inside_a_recorded_batch_is_found() -> None:
    calls = [{"method": "add", "params": ["a", "b"]}, {"method": "user.login", "params": ["ada", "%s"]}]
    call = (
        '[[call]]\nid = "one"\nkind = "batch"\nmethod = "add, user.login"\n'
        f'params = {json.dumps(json.dumps(calls))}\nend = "00000000"\n\n'
    )
    assert LeakSearch([]).leaks((call % "bobs-own").encode()) == [Leak(5, "", "password", "", "one")]
    assert LeakSearch([]).leaks((call % "«not recorded»").encode()) == []


def test_what_only_begins_like_base64_stops_nothing() -> None:
    content = b'reply_base64 = "AAAAA"\nreply_base64 = ""\nnote = "hunter2-hunter2"\n'
    assert [leak.line for leak in LeakSearch([PASSWORD]).leaks(content)] == [3]


def test_a_line_is_told_once_for_each_secret() -> None:
    other = Secret("0ther-secret", "shop.session")
    content = b'password = "hunter2-hunter2"  # hunter2-hunter2, 0ther-secret\n'
    assert [leak.label for leak in LeakSearch([PASSWORD, other]).leaks(content)] == ["shop.password", "shop.session"]


def test_placeholders_and_user_names_are_no_leaks() -> None:
    secrets = [Secret("shop.password", "shop.password"), Secret("support-team", "shop.username")]
    content = 'username = "support-team"\nparams = "{\\"password\\":\\"«shop.password»\\"}"\n'
    assert LeakSearch(secrets).leaks(content.encode()) == []


def test_short_secrets_are_named() -> None:
    assert LeakSearch([Secret("tiny", "a.password"), PASSWORD]).short == ("a.password",)


def test_nothing_is_missed_where_one_stretch_ends_and_the_next_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaks, "WINDOW", 32)
    monkeypatch.setattr(leaks, "OVERLAP", 24)
    finder = LeakSearch([Secret("first line\nsecond line", "shop.password")])
    for before in range(80):
        content = (
            b"x\n" * (before // 2) + b"y" * (before % 2) + b'\nfirst line\nsecond line\ntoken = "abc"\n' + b"z\n" * 40
        )
        found = finder.leaks(content)
        assert [leak.line for leak in found] == [before // 2 + 2, before // 2 + 4], before


def test_what_is_told_holds_no_secret() -> None:
    assert LeakSearch([PASSWORD]).redacted("in hunter2-hunter2.toml") == "in «shop.password».toml"
