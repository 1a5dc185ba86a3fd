"""``profiles trust`` and ``check``, and the use of client certificates."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
import trustme

from rpcexplorer.history.folder import History
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.rpc.messages import Result
from rpcexplorer.transport.port import Response
from tests.fakes.certificates import Identity, issued, refusing, self_signed
from tests.fakes.shell import Ran, Shell
from tests.fakes.terminal import Terminal
from tests.fakes.wire import RawServer, http_reply
from tests.trust.planted import leaks

PONG = http_reply(b'{"jsonrpc": "2.0", "id": "1", "result": "pong"}')
PASSWORD = "correct-horse-battery"


def cellar(url: str, more: str = "") -> str:
    return f'[profile.cellar]\nurl = "{url}"\n{more}\n'


def trust(shell: Shell, identity: Identity) -> Ran:
    return shell.run("profiles", "trust", "cellar", "--yes", "--fingerprint", identity.fingerprint)


def test_failed_call_names_the_command_that_fixes_it(shell: Shell, box: Identity, tmp_path: Path) -> None:
    with RawServer(PONG, tls=box.server(tmp_path)) as server:
        file = shell.own(cellar(server.origin))
        failed = shell.run("call", "ping")
        assert failed.code == 4
        assert "rpcexplorer profiles trust cellar" in failed.err
        trusted = trust(shell, box)
        assert trusted.code == 0, trusted.err
        assert server.requests == []
        for message in (box.fingerprint, "O=a box in the cellar", "self-signed", "none", str(file)):
            assert message in trusted.err
        assert shell.run("call", "ping").text == '"pong"\n'
        again = trust(shell, box)
    assert f'certificate = "{box.fingerprint}"' in file.read_text()
    assert (again.code, "is already pinned for cellar" in again.err) == (0, True)


def test_typed_url_suggests_a_connection_test(shell: Shell, box: Identity, tmp_path: Path) -> None:
    with RawServer(PONG, tls=box.server(tmp_path)) as server:
        failed = shell.run("call", "ping", "--url", server.url)
    assert "A connection test shows the certificate and can pin it" in failed.err
    assert "profiles trust" not in failed.err
    assert f"\n  rpcexplorer profiles test {server.origin}\n" in failed.err


@pytest.mark.thorough
def test_confirmed_certificate_is_pinned_otherwise_nothing_changes(shell: Shell, box: Identity, tmp_path: Path) -> None:
    with RawServer(PONG, tls=box.server(tmp_path)) as server:
        file = shell.own(cellar(server.origin))
        before = file.read_text()
        for answer, code in (("", 2), ("y", 0)):
            with Terminal(["profiles", "trust", "cellar"], shell.environment, shell.folder, (120, 40)) as terminal:
                terminal.sees(box.fingerprint, "Pin this certificate for cellar", "[y/N]")
                assert file.read_text() == before
                terminal.type(answer)
                terminal.press("enter")
                assert terminal.ends() == code
    assert box.fingerprint in file.read_text()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((), "Add --yes and --fingerprint SHA256 to confirm"),
        (("--yes",), "--yes alone would pin any certificate"),
        (("--yes", "--fingerprint", "sha256:" + "0" * 64), "The certificate does not have the fingerprint sha256:000"),
        (("--yes", "--fingerprint", "sha1:00"), "64 hex digits"),
    ],
)
def test_script_pins_only_the_expected_certificate(
    shell: Shell, box: Identity, tmp_path: Path, options: tuple[str, ...], says: str
) -> None:
    with RawServer(PONG, tls=box.server(tmp_path)) as server:
        file = shell.own(cellar(server.origin))
        ran = shell.run("profiles", "trust", "cellar", *options)
    assert ran.code == 2
    assert says in ran.err
    assert "certificate" not in file.read_text()


def test_certificate_of_a_trusted_authority_is_not_pinned(shell: Shell, ca: trustme.CA, tmp_path: Path) -> None:
    ca.cert_pem.write_to_path(tmp_path / "ca.pem")
    with RawServer(PONG, tls=issued(ca).server(tmp_path)) as server:
        file = shell.own(cellar(server.origin, f'ca_file = "{tmp_path / "ca.pem"}"'))
        ran = shell.run("profiles", "trust", "cellar")
    assert ran.code == 0
    assert "needs no pinned certificate" in ran.err
    assert "certificate =" not in file.read_text()


def test_changed_certificate_shows_both_fingerprints(shell: Shell, box: Identity, tmp_path: Path) -> None:
    new = self_signed()
    with RawServer(PONG, tls=new.server(tmp_path)) as server:
        file = shell.own(cellar(server.origin, f'certificate = "{box.fingerprint}"'))
        failed = shell.run("call", "ping")
        assert failed.code == 4
        assert f"{new.fingerprint} instead of the pinned {box.fingerprint}" in failed.err
        trusted = trust(shell, new)
        assert trusted.code == 0, trusted.err
        assert f"{box.fingerprint}  (different)" in trusted.err
        assert shell.run("call", "ping").code == 0
    assert box.fingerprint not in file.read_text()


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "https://127.0.0.1:1"])
def test_server_without_certificate_is_reported(shell: Shell, url: str) -> None:
    shell.own(cellar(url))
    ran = shell.run("profiles", "trust", "cellar")
    assert (ran.code, "shows no certificate" in ran.err) == ((2, True) if url.startswith("http:") else (4, False))


def test_certificate_of_project_profile_is_pinned_locally(shell: Shell, box: Identity, tmp_path: Path) -> None:
    with RawServer(PONG, tls=box.server(tmp_path)) as server:
        team = shell.sessions(cellar(server.origin))
        before = team.read_text()
        assert trust(shell, box).code == 0
        assert shell.run("call", "ping").code == 0
    assert team.read_text() == before
    assert box.fingerprint in team.with_name("sessions.local.toml").read_text()


def test_pinning_keeps_the_password_bound(shell: Shell, box: Identity, tmp_path: Path) -> None:
    auth = 'auth = { kind = "inline", username = "ann" }'
    with RawServer(PONG, tls=box.server(tmp_path)) as server:
        shell.own(cellar(server.origin, auth))
        stored = shell.run("profiles", "secret", "cellar", "password", "--stdin", stdin=PASSWORD.encode())
        assert stored.code == 0, stored.err
        assert trust(shell, box).code == 0
        ran = shell.run("call", "ping")
        assert ran.code == 0, ran.err
        assert PASSWORD.encode() in server.requests[0].body
        # A certificate that a file changes is a changed destination.
        shell.own(cellar(server.origin, f'certificate = "sha256:{"0" * 64}"\n{auth}'))
        assert shell.run("call", "ping").code == 3


def test_pinning_releases_no_blocked_password(shell: Shell, box: Identity, tmp_path: Path) -> None:
    auth = 'auth = { kind = "inline", username = "ann" }'
    with RawServer(PONG, tls=box.server(tmp_path)) as server:
        shell.own(cellar("https://elsewhere.example", auth))
        shell.run("profiles", "secret", "cellar", "password", "--stdin", stdin=PASSWORD.encode())
        shell.own(cellar(server.origin, auth))
        assert trust(shell, box).code == 0
        assert shell.run("call", "ping").code == 3
        assert server.requests == []


@pytest.fixture
def people(ca: trustme.CA, tmp_path: Path) -> Path:
    ca.cert_pem.write_to_path(tmp_path / "people.pem")
    return tmp_path / "people.pem"


def named(box: Identity, cert: Path, key: Path) -> str:
    return f'certificate = "{box.fingerprint}"\ncert_file = "{cert}"\nkey_file = "{key}"'


def test_client_certificate_of_project_file_must_be_allowed(
    shell: Shell, ca: trustme.CA, box: Identity, tmp_path: Path, people: Path
) -> None:
    files = issued(ca, "ada@example.com").write(tmp_path)
    with RawServer(PONG, tls=box.server(tmp_path, wants=people)) as server:
        team = shell.sessions(cellar(server.origin, named(box, *files)))
        for command in (("call", "ping"), ("login",), ("methods", "--refresh")):
            ran = shell.run(*command)
            assert ran.code != 0
        ran = shell.run("call", "ping")
        assert ran.code == 3
        assert "The client certificate of profile cellar is blocked" in ran.err
        assert f"({team}:4)" in ran.err
        assert "rpcexplorer profiles allow cellar" in ran.err
        assert server.requests == []
        shown = shell.run("profiles", "allow", "cellar", "--yes")
        assert "the client certificate is blocked" in shown.err
        assert shell.run("call", "ping").code == 0
        # Another path on the same server does not matter to the certificate, another server does.
        shell.sessions(cellar(server.origin, named(box, *files) + '\npath = "/log"'))
        assert shell.run("call", "ping").code == 0
        shell.sessions(cellar(server.origin.replace("127.0.0.1", "localhost"), named(box, *files)))
        assert shell.run("call", "ping").code == 3


def test_client_certificate_stays_with_its_server(
    shell: Shell, ca: trustme.CA, box: Identity, tmp_path: Path, people: Path
) -> None:
    files = issued(ca, "ada@example.com").write(tmp_path)
    with RawServer(PONG, tls=box.server(tmp_path, wants=people)) as server:
        shell.own(cellar("https://elsewhere.example", named(box, *files)))
        shell.sessions(cellar(server.origin))
        ran = shell.run("call", "ping")
        assert server.requests == []
    assert ran.code == 3
    assert "origin: https://elsewhere.example → " in ran.err


def test_link_in_checkout_cannot_change_the_key(
    shell: Shell, ca: trustme.CA, box: Identity, tmp_path: Path, people: Path
) -> None:
    files = issued(ca, "ada@example.com").write(shell.folder)
    other = issued(ca, "ada@bank.example").write(tmp_path, "bank")
    with RawServer(PONG, tls=box.server(tmp_path, wants=people)) as server:
        shell.sessions(cellar(server.origin, named(box, *files)))
        assert shell.run("profiles", "allow", "cellar", "--yes").code == 0
        assert shell.run("call", "ping").code == 0
        renewed = issued(ca, "ada@example.com").write(shell.folder)
        assert renewed == files
        assert shell.run("call", "ping").code == 0
        for mine, theirs in zip(files, other, strict=True):
            mine.unlink()
            mine.symlink_to(theirs)
        ran = shell.run("call", "ping")
    assert ran.code == 3
    assert str(other[0]) in ran.err


def test_origin_variable_of_another_server_blocks_the_certificate(
    shell: Shell, ca: trustme.CA, box: Identity, tmp_path: Path
) -> None:
    files = issued(ca, "ada@example.com").write(tmp_path)
    shell.own(cellar("https://127.0.0.1:1", named(box, *files)))
    ran = shell.run("call", "ping", RPCEXPLORER_CELLAR_ORIGIN="https://elsewhere.example")
    assert ran.code == 3
    assert "RPCEXPLORER_CELLAR_ORIGIN is https://elsewhere" in ran.err


def test_request_for_client_certificate_is_reported_as_such(
    shell: Shell, box: Identity, tmp_path: Path, people: Path
) -> None:
    with refusing(box.server(tmp_path, wants=people)) as url:
        shell.own(cellar(url, f'certificate = "{box.fingerprint}"'))
        ran = shell.run("call", "ping")
    assert ran.code == 4
    assert "Set cert_file and key_file in the profile" in ran.err


@pytest.mark.parametrize("kind", ["missing", "a pipe"])
def test_unreadable_key_is_reported_before_sending(
    shell: Shell, ca: trustme.CA, box: Identity, tmp_path: Path, kind: str
) -> None:
    cert, key = issued(ca, "ada@example.com").write(tmp_path)
    key.unlink()
    if kind == "a pipe":
        os.mkfifo(key)
    with RawServer(PONG, tls=box.server(tmp_path)) as server:
        shell.own(cellar(server.origin, named(box, cert, key)))
        ran = shell.run("call", "ping")
        assert server.requests == []
    assert ran.code == 4
    assert f"The key_file {key} cannot be read as a key" in ran.err


SECRET = "hunter2-hunter2"
SHOP = '[profile.shop]\nurl = "https://x.example"\nauth = { kind = "inline", username = "ada" }\n'


def check(shell: Shell, *files: str, secret: str = SECRET) -> Ran:
    """Run the command, and check that it prints no secret."""
    ran = shell.run("profiles", "check", *files, RPCEXPLORER_SHOP_PASSWORD=secret)
    assert leaks({"stdout": ran.text, "stderr": ran.err}, [secret, "n0t-known-yet"]) == []
    return ran


def record(folder: Path, **parts: str) -> None:
    """Write a call with a secret to a history."""
    body = b'{"jsonrpc":"2.0","id":"abc","result":%s}' % parts.pop("result", "1").encode()
    values = {"profile": "shop", "url": "https://x.example", "method": "user.get", "params": "{}"} | parts
    reply = {"outcome": Result(b"1"), "response": Response(body=body)}
    History(folder).append(Exchange(id="abc", when=datetime.now(UTC), kind="call", **reply, **values))  # type: ignore[arg-type]


@pytest.fixture
def usual(shell: Shell) -> Path:
    """Return the usual history folder."""
    return shell.home / "state" / "history"


def test_files_and_history_without_secrets_pass(shell: Shell, usual: Path) -> None:
    shell.sessions(SHOP)
    record(usual, params='{"password":"«shop.password»"}')
    ran = check(shell)
    assert (ran.code, ran.err) == (0, "")
    assert "no problems in 1 profile" in ran.text
    assert "no secret in 2 files" in ran.text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('description = "it is n0t-known-yet"\n', None),
        ('password = "n0t-known-yet"\n', "run: rpcexplorer profiles secret shop password"),
        (
            'headers = { Authorization = "Bearer n0t-known-yet" }\n',
            "rpcexplorer profiles secret shop token",
        ),
        ('ca_file = "https://ada:n0t-known-yet@x.example"\n', "this line contains a URL with a password"),
        ('ca_file = "https://x.example/?token=n0t-known-yet"\n', "address: this line contains a URL with a part"),
        ('path = "/n0t-known-yet0n0t-known-yet0n0t-known-yet"\n', "a URL with a part that looks"),
    ],
)
@pytest.mark.parametrize("name", ["sessions.toml", "sessions.local.toml"])
def test_secret_is_found_in_project_and_local_file(shell: Shell, name: str, line: str, message: str | None) -> None:
    shell.sessions(SHOP)
    (shell.folder / name).write_text(SHOP + line)
    ran = check(shell)
    assert ran.code == (1 if message else 0), ran.err
    if message:
        assert f"{name}:4: " in ran.err
        assert message.removeprefix("run: ") in ran.err
        assert "change it on the server as well" in ran.err


@pytest.mark.parametrize("line", ['path = "/v3/%s"\n', 'ca_file = "https://x.example/v3/%s?a=b"\n'])
def test_token_in_url_is_reported_once(shell: Shell, line: str) -> None:
    shell.sessions(SHOP + line % "n0t0known1yet2n0t3known4yet5n0t6known")
    ran = check(shell)
    assert ran.code == 1
    assert ran.err.count("looks like a secret") == 1
    assert "change it on the server" in ran.err
    assert "profiles secret" not in ran.err


@pytest.mark.parametrize(
    "part",
    [
        {"params": '{"note": "hunter2-hunter2"}'},
        {"result": '"hunter2-hunter2"'},
        {"method": "hunter2-hunter2"},
        {"note": "aHVudGVyMi1odW50ZXIy"},
    ],
)
def test_secret_in_history_is_reported_with_its_call(shell: Shell, usual: Path, part: dict[str, str]) -> None:
    shell.sessions(SHOP)
    record(usual, **part)
    ran = check(shell)
    assert ran.code == 1
    assert "Delete call abc" in ran.err
    assert "shop.password" in ran.err


def test_histories_of_settings_and_profiles_are_searched(shell: Shell, usual: Path) -> None:
    shell.sessions(SHOP + 'history = "calls"\n')
    settings = shell.home / "config" / "settings.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('[history]\nfolder = "/nowhere/of/note"\n')
    record(shell.folder / "calls", params='{"note": "hunter2-hunter2"}')
    record(usual, params='{"token": "n0t-known-yet"}')
    ran = check(shell)
    assert ran.code == 1
    assert "found 2 places" in ran.err


def test_only_named_files_are_searched(shell: Shell) -> None:
    shell.sessions(SHOP + 'password = "n0t-known-yet"\n')
    (shell.folder / "notes.md").write_text("all is well\n")
    (shell.folder / "run.sh").write_text(f"export SHOP_PASSWORD={SECRET}\n")
    assert check(shell, "notes.md").code == 0
    ran = check(shell, "notes.md", "run.sh")
    assert ran.code == 1
    assert "run.sh:1: this line contains the value of" in ran.err
    assert "sessions.toml" not in ran.err


@pytest.mark.parametrize("table", ["profile.cellar", "variables", "call.ping", "[call]"])
def test_names_of_secrets_count_in_files_of_ours(shell: Shell, table: str) -> None:
    text = f'[{table}]\ntoken = "n0t-known-yet"\n'
    (shell.folder / "other.toml").write_text(text)
    (shell.folder / "notes.md").write_text(text)
    (shell.folder / "pyproject.toml").write_text(text.replace(table, "tool.deploy"))
    ran = check(shell, "other.toml", "notes.md", "pyproject.toml")
    assert (ran.code, ran.err.count("n0t"), ran.err.count("looks like a secret")) == (1, 0, 1)
    assert "other.toml:2: token: " in ran.err


def test_damaged_file_is_searched(shell: Shell) -> None:
    shell.sessions('[profile.shop\npassword = "n0t-known-yet"\n')
    ran = check(shell)
    assert ran.code == 1
    assert "sessions.toml:2: password" in ran.err
    assert "sessions.toml:1: this is not TOML" in ran.err


def test_missing_file_is_reported(shell: Shell) -> None:
    ran = check(shell, "gone.toml")
    assert ran.code == 2
    assert "there is no such file" in ran.err


def test_short_secret_is_reported_as_not_searched(shell: Shell) -> None:
    shell.sessions(SHOP + 'description = "tiny5"\n')
    ran = shell.run("profiles", "check", RPCEXPLORER_SHOP_PASSWORD="tiny5")
    assert ran.code == 0
    assert "under names such as password: shop.password" in ran.err


def test_unreadable_secrets_are_reported(shell: Shell) -> None:
    store = shell.home / "state" / "secrets.toml"
    store.parent.mkdir(parents=True, mode=0o700)
    store.write_text("version = 1\n")
    store.chmod(0o644)
    (shell.folder / "notes.md").write_text("all is well\n")
    ran = check(shell, "notes.md")
    assert ran.code == 2
    assert "chmod 600" in ran.err


def test_named_file_is_checked_for_problems(shell: Shell) -> None:
    shell.sessions(SHOP + "timout = 3\n")
    (shell.folder / "notes.md").write_text("all is well\n")
    assert check(shell, "notes.md").code == 0
    assert check(shell, "notes.md", "./sessions.toml").code == 2


def test_many_places_are_counted(shell: Shell) -> None:
    (shell.folder / "many.txt").write_text("hunter2-hunter2\n" * 1000)
    ran = check(shell, "many.txt")
    assert "950 more places" in ran.err
    assert "found 1,000 places" in ran.err
    assert len(ran.err.splitlines()) == 52
