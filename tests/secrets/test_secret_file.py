"""The key of a jwt in a private file: how it is read, and when not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.shell import Shell
from tests.fakes.wire import RawServer
from tests.trust.auth_types import jwt

KEY = "0x9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"


def key_file(shell: Shell, content: str = f"{KEY}\n") -> Path:
    file = shell.home / "config" / "jwt.hex"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content)
    file.chmod(0o600)
    return file


def profile(url: str, file: str = "jwt.hex") -> str:
    return f'[profile.p]\nurl = "{url}"\npath = "/"\nauth = {{ kind = "jwt", secret_file = "{file}" }}\n'


def test_key_of_the_file_signs_each_request(shell: Shell) -> None:
    with RawServer(lambda request: request.reply(result=[KEY, request.header("Authorization")])) as server:
        shell.own(profile(server.origin))
        file = key_file(shell)
        assert "from file (auth.secret_file)" in shell.run("profiles", "secret", "p").text
        ran = shell.run("call", "ping", "-p", "p", "--response", "-i")
        file.write_text(KEY.replace("9f", "aa"))
        again = shell.run("call", "ping", "-p", "p")
    assert (ran.code, again.code) == (0, 0), ran.err + again.err
    first, second = server.requests
    assert jwt(first, KEY)
    assert jwt(second, KEY.replace("9f", "aa"))
    token = (first.header("Authorization") or "").removeprefix("Bearer ")
    assert not any(secret in ran.text for secret in (KEY, KEY.removeprefix("0x"), token))


def test_link_to_another_key_in_a_checkout_asks_again(shell: Shell) -> None:
    with RawServer(lambda request: request.reply(result=1)) as server:
        keys = shell.folder / "keys"
        keys.mkdir()
        key_file(shell).rename(keys / "jwt.hex")
        shell.sessions(profile(server.origin, "keys/jwt.hex"))
        assert shell.run("profiles", "allow", "p", "--yes").code == 0
        assert shell.run("call", "ping", "-p", "p").code == 0
        own = key_file(shell).parent
        keys.rename(shell.folder / "old")
        keys.symlink_to(own)
        ran = shell.run("call", "ping", "-p", "p")
    assert (ran.code, len(server.requests)) == (3, 1)
    assert f"auth.secret_file: {keys}/jwt.hex → {own}/jwt.hex" in ran.err


@pytest.mark.parametrize(
    ("harm", "why"),
    [
        (lambda file: file.chmod(0o640), "other users can read it, so it is not used. Run `chmod 600 {file}`."),
        (lambda file: file.parent.chmod(0o777), "other users can write to its folder. Run `chmod 700 {folder}`."),
        (lambda file: file.unlink(), "it does not exist, or is empty."),
        (lambda file: file.write_text("\n"), "it does not exist, or is empty."),
        (lambda file: file.write_text("0xzz-zz-zz"), "The key of profile p is not hex. Correct "),
        (lambda file: file.write_bytes(b"\xff"), "is not UTF-8"),
        (lambda file: file.write_text("ab" * 40_000), "it is too large"),
        (lambda file: file.rename(file.with_name("x")).parent.joinpath("jwt.hex").symlink_to("x"), "link"),
        (lambda file: (file.unlink(), file.mkdir()), "folder"),
    ],
)
def test_file_that_is_not_private_or_has_no_key_is_refused(shell: Shell, harm: object, why: str) -> None:
    with RawServer([]) as server:
        shell.own(profile(server.origin))
        file = key_file(shell)
        assert callable(harm)
        harm(file)
        ran = shell.run("call", "ping", "-p", "p")
    assert ran.code == 3
    assert why.format(file=file, folder=file.parent) in ran.err
    assert server.requests == []


def test_secret_file_of_a_checkout_is_read_after_allowing_it(shell: Shell) -> None:
    """A token for another server would be valid for the user's own one, too."""
    with RawServer(lambda request: request.reply(result=1)) as server:
        file = key_file(shell)
        shell.sessions(profile(server.origin, str(file)))
        ran = shell.run("call", "ping", "-p", "p", "--yes")
        assert ran.code == 3
        shown = ("The key file of profile p is blocked", f"auth.secret_file: {file}", f"origin: {server.origin}")
        assert [words for words in shown if words not in ran.err] == []
        assert server.requests == []
        assert shell.run("profiles", "allow", "p", "--yes").code == 0
        assert shell.run("call", "ping", "-p", "p").code == 0
        shell.sessions(profile(server.origin.replace("127.0.0.1", "localhost"), str(file)))
        assert shell.run("call", "ping", "-p", "p").code == 3
    assert len(server.requests) == 1
