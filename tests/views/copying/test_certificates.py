"""What is pasted trusts whom the profile trusts, and shows the certificate that the profile shows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import trustme
from msgspec.structs import replace

from rpcexplorer.model.draft import Draft
from rpcexplorer.model.profile import Profile
from tests.fakes.certificates import Identity, issued, self_signed
from tests.fakes.wire import RawServer, http_reply
from tests.views.copying.test_snippets import SHOP, made

DRAFT = Draft("ping")
PONG = http_reply(b'"pong"')


@pytest.fixture(scope="module")
def box() -> Identity:
    return self_signed()


def pasted(kind: str, profile: Profile, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """Run it in a folder, a program that only tells its arguments in the place of curl and http."""
    script = made(kind, DRAFT, profile)
    for name in ("curl", "http"):
        (folder / name).write_text("#!/bin/sh\nprintf '%s\\n' \"$@\"\n")
        (folder / name).chmod(0o755)
    environment = {"PATH": f"{folder}:{os.environ['PATH']}", "NO_PROXY": "*", "HOME": str(folder)}
    command = [sys.executable, "-c", script] if kind == "python" else ["bash", "-c", script]
    return subprocess.run(command, capture_output=True, check=False, env=environment, cwd=folder)


@pytest.mark.thorough
def test_python_trusts_the_one_certificate_whatever_its_name_and_shows_ours(tmp_path: Path, box: Identity) -> None:
    ca = trustme.CA()
    ca.cert_pem.write_to_path(tmp_path / "people.pem")
    cert, key = issued(ca, "ada@example.com").write(tmp_path)
    trusted = replace(SHOP, certificate=box.fingerprint, cert_file=str(cert), key_file=str(key))
    with RawServer(PONG, tls=box.server(tmp_path)) as server:
        ran = pasted("python", replace(trusted, url=server.origin), tmp_path)
        assert ran.stdout.split() == [b"200", b'"pong"'], ran.stderr
    with RawServer(PONG, tls=issued(ca).server(tmp_path)) as other:
        ran = pasted("python", replace(trusted, url=other.origin), tmp_path)
        assert other.requests == []
    assert ran.stderr.strip() == b"The server shows another certificate."


@pytest.mark.parametrize(("kind", "option"), [("curl", "--cacert"), ("httpie", "--verify")])
def test_a_shell_saves_the_one_certificate_and_goes_on_with_no_other(
    tmp_path: Path, box: Identity, kind: str, option: str
) -> None:
    with RawServer(PONG, tls=box.server(tmp_path)) as server:
        profile = replace(SHOP, url=server.origin, certificate=box.fingerprint)
        ran = pasted(kind, profile, tmp_path)
        words = ran.stdout.decode().splitlines()
        assert Path(words[words.index(option) + 1]).read_bytes().split() == box.certificate.split()
        assert not (tmp_path / "shop.pem").exists(), "no file of a person's is written over"
        other = pasted(kind, replace(profile, certificate=f"sha256:{'0' * 64}"), tmp_path)
        assert (other.stdout, other.returncode) == (b"", 1)
        assert server.requests == []


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("curl", ["--cacert", "/the ca.pem", "--cert", "/me.pem", "--key", "/me.key"]),
        ("httpie", ["--verify", "/the ca.pem", "--cert", "/me.pem", "--cert-key", "/me.key"]),
    ],
)
def test_files_are_named_as_each_program_names_them(tmp_path: Path, kind: str, options: list[str]) -> None:
    profile = replace(SHOP, ca_file="/the ca.pem", cert_file="/me.pem", key_file="/me.key")
    told = pasted(kind, profile, tmp_path).stdout.decode().split("\n")
    assert [word for word in told if word in options] == options
    assert "certificate" not in made(kind, DRAFT, profile)


def test_an_address_of_version_six_is_written_as_openssl_reads_it() -> None:
    profile = replace(SHOP, url="https://[::1]:8443", certificate=f"sha256:{'0' * 64}")
    assert "-connect '[::1]:8443' " in made("curl", DRAFT, profile)
    assert 'get_server_certificate(("::1", 8443))' in made("python", DRAFT, profile)
