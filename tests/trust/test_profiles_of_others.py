"""A checkout decides nothing about the user's own profiles, and reaches no socket, before `profiles allow`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.destination import DestinationChanged, Nobody
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Exchange, Refused
from tests.fakes.shell import Shell
from tests.fakes.wire import RawServer, http_reply

REPLY = http_reply(b'{"jsonrpc": "2.0", "id": "1", "result": "ok"}')
LOGIN = 'login = { method = "eth_sendTransaction", params = [{ to = "0xBAD" }], session = "" }'


class Servers(NamedTuple):
    mine: RawServer
    theirs: RawServer

    @property
    def connections(self) -> int:
        return self.mine.connections + self.theirs.connections


@pytest.fixture
def servers() -> Iterator[Servers]:
    with RawServer(REPLY) as mine, RawServer(REPLY) as theirs:
        yield Servers(mine, theirs)


def own_profile(url: str, more: str = "") -> str:
    careful = 'badge = "prod"\nconfirm = "always"'
    return f'default = "notes"\n[profile.notes]\nurl = "{url}"\npath = "/rpc"\n{careful}\n{more}\n'


WAYS = {
    "url": 'url = "{theirs}"',
    "url of a process": 'url = "stdio:"\npath = ""\ncommand = ["touch", "ran"]',
    "url of a Unix socket": 'url = "http+unix:///run/docker.sock"',
    "url of a Unix socket with WebSocket": 'url = "ws+unix:///run/podman.sock"',
    "path": 'path = "/log"',
    "headers": 'headers = {{ X-Tenant = "evil" }}',
    "auth": 'auth.kind = "inline"',
    "preset": 'preset = "deluge"',
    "envelope": 'envelope = "1.1"',
    "handshake": 'handshake = "mcp"',
    "discovery": 'discovery = {{ url = "/delete-all" }}',
    "certificate": 'certificate = "sha256:' + "0" * 64 + '"',
    **{f"login with {kind}": f'auth.kind = "{kind}"\n{LOGIN.replace("{", "{{").replace("}", "}}")}'
       for kind in ("cookie", "bearer", "header", "query", "member", "first")},
}  # fmt: skip


def hostile(servers: Servers, way: str) -> str:
    return "[profile.notes]\n" + WAYS[way].format(theirs=servers.theirs.origin) + "\n"


COMMANDS = [
    *("call ping -p notes --yes", "call @saved -p notes --yes", "notify ping -p notes --yes", "batch -p notes --yes"),
    *("listen -p notes", "listen ping -p notes --yes", "login -p notes", "methods -p notes --refresh"),
    *("profiles test notes --no-input", "check -p notes --yes", "replay case.toml -p notes --yes"),
    *("compare case.toml -p notes -p other --yes", "load @saved -p notes --yes --host-is 127.0.0.1 --run-time 1s"),
]  # fmt: skip
CASE = """case = 1
[[call]]
id = "old"
when = 2026-01-02T03:04:05Z
profile = "notes"
url = "http://h/rpc"
method = "ping"
params = "[]"
outcome = "result"
reply = '{"jsonrpc":"2.0","id":"old","result":1}'
"""
SAVED = '[call.saved]\nmethod = "ping"\nexpect.outcome = "result"\n'


def run(shell: Shell, words: str) -> tuple[int, str]:
    (shell.folder / "case.toml").write_text(CASE)
    stdin = b'[{"method": "ping"}]' if words.startswith("batch") else b""
    ran = shell.run(*words.split(), stdin=stdin)
    return ran.code, ran.err + ran.text


def test_copied_command_of_a_changed_profile_is_refused(shell: Shell, servers: Servers) -> None:
    shell.own(own_profile(servers.mine.origin))
    assert shell.run("call", "ping", "-p", "notes", "--yes").code == 0
    shell.sessions(hostile(servers, "headers"))
    ran = shell.run("copy", "--as", "curl")
    assert (ran.code, ran.text) == (3, "")
    assert "headers.x-tenant: not set → evil" in ran.err
    assert shell.run("copy", "--as", "markdown").code == 0


def test_certificate_of_a_changed_profile_is_not_fetched(shell: Shell, servers: Servers) -> None:
    shell.own(own_profile("https://notes.example.com"))
    shell.sessions(f'[profile.notes]\nurl = "{servers.theirs.origin.replace("http", "https")}"\n')
    assert is_refused(shell, servers, "profiles trust notes --yes")


def is_refused(shell: Shell, servers: Servers, words: str, code: int = 3) -> bool:
    found, text = run(shell, words)
    assert (found, servers.connections) == (code, 0), text
    return "rpcexplorer profiles allow notes" in text


@pytest.mark.parametrize("way", WAYS)
def test_own_profile_changed_by_checkout_is_refused(shell: Shell, servers: Servers, way: str) -> None:
    shell.own(own_profile(servers.mine.origin, 'auth = { kind = "none" }'))
    shell.sessions(hostile(servers, way))
    assert is_refused(shell, servers, "call ping -p notes --yes", 2 if "process" in way else 3)
    assert not (shell.folder / "ran").exists()
    ran = shell.run("call", "ping", "-p", "notes", "--yes")
    assert f"({shell.folder}/sessions.toml:" in ran.err
    assert " → " in ran.err


def test_refusal_shows_old_and_new_with_file_and_line(shell: Shell, servers: Servers) -> None:
    shell.own(own_profile(servers.mine.origin, 'auth = { kind = "bearer" }'))
    team = shell.sessions(f'[profile.notes]\nurl = "{servers.theirs.origin}"\n{LOGIN}\n')
    ran = shell.run("call", "ping", "--yes")
    assert ran.err == (
        "rpcexplorer: The destination of profile notes is blocked: your user file and another file give different "
        f"destinations. Your user file → the other file: origin: {servers.mine.origin} → {servers.theirs.origin} "
        f"({team}:2), login.method: not set → eth_sendTransaction ({team}:3), "
        f'login.params: not set → [{{"to": "0xBAD"}}] ({team}:3), login.session: not set →  ({team}:3). '
        "If the new destination is right, run `rpcexplorer profiles allow notes`.\n"
    )


@pytest.mark.everyday(3)
@pytest.mark.parametrize("words", COMMANDS)
def test_no_command_uses_own_profile_of_a_checkout(
    shell: Shell, servers: Servers, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shell.folder)
    shell.own(own_profile(servers.mine.origin))
    shell.sessions(f'{SAVED}{hostile(servers, "url")}[profile.other]\nurl = "http://127.0.0.1:9"\n{LOGIN}\n')
    assert is_refused(shell, servers, words)


async def called(explorer: Explorer) -> Exchange:
    async with explorer:
        return await explorer.call(Draft("ping"))


def test_python_explorer_does_not_use_it(shell: Shell, servers: Servers) -> None:
    shell.own(own_profile(servers.mine.origin))
    shell.sessions(hostile(servers, "url"))
    opened = shell.explorer()
    opened.use("notes")
    outcome = asyncio.run(called(opened)).outcome
    assert isinstance(outcome, Refused)
    assert outcome.why == "credentials"
    assert servers.connections == 0


def local(shell: Shell, text: str) -> None:
    (shell.folder / "sessions.local.toml").write_text(text)


def parent(shell: Shell, text: str) -> None:
    (shell.folder.parent / "sessions.toml").write_text(text)
    (shell.folder.parent / ".git").mkdir()


def named(shell: Shell, text: str) -> None:
    path = shell.folder.parent / "named.toml"
    path.write_text(text)
    shell.environment["RPCEXPLORER_SESSIONS"] = str(path)


@pytest.mark.parametrize("place", [local, parent, named])
def test_every_file_but_the_users_counts(shell: Shell, servers: Servers, place: Callable[[Shell, str], None]) -> None:
    shell.own(own_profile(servers.mine.origin))
    shell.sessions("version = 1\n") if place is local else None
    place(shell, hostile(servers, "url"))
    assert is_refused(shell, servers, "call ping -p notes --yes")


def test_allowed_content_is_used_until_it_changes(shell: Shell, servers: Servers) -> None:
    shell.own(own_profile(servers.mine.origin))
    shell.sessions(hostile(servers, "url"))
    shown = shell.run("profiles", "allow", "notes", "--yes")
    assert f"origin: {servers.mine.origin} → {servers.theirs.origin}" in shown.err
    assert shell.run("call", "ping", "-p", "notes", "--yes").code == 0
    assert (servers.mine.connections, servers.theirs.connections) == (0, 1)
    shell.sessions(hostile(servers, "url") + 'path = "/other"\n')
    assert shell.run("call", "ping", "-p", "notes", "--yes").code == 3
    shell.sessions(hostile(servers, "url"))
    assert shell.run("profiles", "allow", "notes", "--forget").code == 0
    assert shell.run("call", "ping", "-p", "notes", "--yes").code == 3
    assert servers.theirs.connections == 1


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ("timeout = 9", 'url = "{url}"\nauth.kind = "none"\nheaders = {{ X-A = "b" }}'),
        ('confirm = "always"\nbadge = "prod"', 'url = "{url}"\npath = "/rpc"'),
        ('url = "{url}"', 'timeout = 9\ndescription = "x"\nid = "number"\nmethod.ping.doc = "x"'),
        ('url = "{url}"\npath = "/rpc"', 'url = "{url}"\npath = "/rpc"'),
        ("", 'url = "{url}"\nauth.kind = "bearer"\nlogin.params = {{ p = "{{password}}" }}\nmethod.ping.auth = "none"'),
    ],
)
def test_ordinary_work_of_a_team_needs_no_question(shell: Shell, servers: Servers, mine: str, theirs: str) -> None:
    shell.own(f"[profile.notes]\n{mine}\n".format(url=servers.mine.origin) if mine else "version = 1\n")
    shell.sessions(f"[profile.notes]\n{theirs}\n".format(url=servers.mine.origin))
    ran = shell.run("call", "ping", "-p", "notes", "--yes")
    assert (ran.code, "profiles allow" in ran.err) == (0, False), ran.err
    assert servers.mine.connections == 1


@pytest.fixture
def unix(tmp_path: Path) -> Iterator[RawServer]:
    with RawServer(REPLY, socket_path=str(tmp_path / "s")) as server:
        yield server


def test_websocket_on_a_socket_of_a_checkout_is_not_opened_unasked(shell: Shell, unix: RawServer) -> None:
    shell.sessions(f'[profile.podman]\nurl = "ws+unix://{unix.socket_path}"\n')
    for words in (("call", "ping"), ("methods", "--refresh"), ("profiles", "test", "--no-input"), ("listen",)):
        ran = shell.run(*words)
        assert (ran.code, unix.connections) == (3, 0), ran.err
    assert shell.run("profiles", "allow", "--yes", "podman").code == 0
    assert shell.run("call", "ping").code == 4  # It speaks HTTP.
    assert unix.connections == 1


@pytest.mark.parametrize("more", ["", 'auth = { kind = "bearer" }', LOGIN])
def test_socket_of_a_checkout_is_used_after_allowing_it(shell: Shell, unix: RawServer, more: str) -> None:
    team = shell.sessions(f'[profile.docker]\nurl = "http+unix://{unix.socket_path}"\npath = "/v1/create"\n{more}\n')
    shell.environment["RPCEXPLORER_DOCKER_TOKEN"] = "t0ken-of-the-person"
    for words in (("call", "ping"), ("methods", "--refresh"), ("profiles", "test", "--no-input"), ("listen",)):
        ran = shell.run(*words)
        assert (ran.code, unix.connections) == (3, 0), ran.err
    assert (
        f"origin: http+unix://{unix.socket_path} ({team}:2), path: /v1/create ({team}:3)" in shell.run("call", "x").err
    )
    assert shell.run("profiles", "allow", "--yes", "docker").code == 0
    assert shell.run("call", "ping").code == 0


def test_socket_of_the_user_needs_no_question(shell: Shell, unix: RawServer) -> None:
    shell.own(f'[profile.docker]\nurl = "http+unix://{unix.socket_path}"\n')
    shell.sessions("[profile.docker]\ntimeout = 9\n")
    assert shell.run("call", "ping").code == 0
    assert shell.run("call", "ping", "--url", f"http+unix://{unix.socket_path}").code == 0


def test_link_to_a_socket_is_allowed_by_its_target(shell: Shell, unix: RawServer) -> None:
    link = shell.folder / "link"
    link.symlink_to(shell.folder / "nothing")
    shell.sessions(f'[profile.docker]\nurl = "http+unix://{link}"\n')
    assert f"socket: {shell.folder}/nothing\n" in shell.run("profiles", "allow", "docker", "--yes").err
    link.unlink()
    link.symlink_to(unix.socket_path)
    assert (shell.run("call", "ping").code, unix.connections) == (3, 0)


@pytest.mark.parametrize("more", ["", 'auth = { kind = "bearer" }', 'auth = { kind = "first", username = "ann" }'])
def test_login_of_a_checkout_without_secret_is_asked_about(shell: Shell, servers: Servers, more: str) -> None:
    auth = more or 'auth = { kind = "cookie" }'
    team = shell.sessions(f'[profile.notes]\nurl = "{servers.theirs.origin}"\n{auth}\n{LOGIN}\n')
    for words in ("call ping -p notes", "login -p notes", "profiles test notes --no-input", "methods --refresh"):
        assert is_refused(shell, servers, words)
    assert f"login.method: eth_sendTransaction ({team}:4)" in shell.run("call", "ping").err


@pytest.mark.parametrize("kind", ["bearer", "first"])
def test_login_of_a_checkout_for_own_token_is_asked_about(shell: Shell, servers: Servers, kind: str) -> None:
    shell.own(own_profile(servers.mine.origin, f'auth = {{ kind = "{kind}" }}'))
    for field in ("TOKEN", "USERNAME", "PASSWORD"):
        shell.environment[f"RPCEXPLORER_NOTES_{field}"] = "t0ken-of-the-person"
    shell.sessions('[profile.notes.login]\nmethod = "auth"\n')
    assert is_refused(shell, servers, "call ping -p notes --yes")
    assert "login.method: not set → auth" in shell.run("call", "ping", "--yes").err


class Answering(Nobody):
    """A user who gives one answer and notes the questions."""

    def __init__(self, answer: bool, before: Callable[[], object] = lambda: None) -> None:
        self.answer, self.before = answer, before
        self.questions: list[DestinationChanged] = []

    async def allows(self, profile: str, moved: DestinationChanged) -> bool:
        self.questions.append(moved)
        self.before()
        return self.answer


@pytest.mark.parametrize("answer", [False, True])
def test_screen_asks_once_for_calls_and_secrets(shell: Shell, servers: Servers, answer: bool) -> None:
    shell.own(own_profile(servers.mine.origin, 'auth = { kind = "bearer" }'))
    assert shell.run("profiles", "secret", "notes", "token", "--stdin", stdin=b"t0ken-of-the-person").code == 0
    shell.sessions(hostile(servers, "url"))
    person = Answering(answer)
    opened = shell.explorer(person)
    opened.use("notes")
    exchange = asyncio.run(called(opened))
    assert exchange.outcome_name == ("result" if answer else "refused")
    assert [question.field for question in person.questions] == ["destination"]
    assert servers.theirs.connections == answer


def test_only_what_was_shown_is_allowed(shell: Shell, servers: Servers) -> None:
    shell.own(own_profile(servers.mine.origin))
    authority = shell.folder / "ca.pem"
    authority.write_text("one")
    shell.sessions(f'{hostile(servers, "url")}ca_file = "ca.pem"\n')
    person = Answering(answer=True, before=lambda: authority.write_text("another"))
    opened = shell.explorer(person)
    opened.use("notes")
    asyncio.run(opened.credentials.permission(opened.profiles.profiles["notes"]))
    assert opened.question(opened.profiles.profiles["notes"]) is not None
    authority.write_text("one")
    assert opened.question(opened.profiles.profiles["notes"]) is None


def test_allow_command_allows_only_what_it_shows(
    shell: Shell, servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = shell.folder / "ca.pem"
    authority.write_text("one")
    shell.own(own_profile(servers.mine.origin))
    shell.sessions(f'{hostile(servers, "url")}ca_file = "ca.pem"\n')
    monkeypatch.setattr("rpcexplorer.cli.run.Run.confirm", lambda *_, **__: authority.write_text("another"))
    assert shell.run("profiles", "allow", "notes").code == 0
    assert is_refused(shell, servers, "call ping -p notes --yes")


@pytest.mark.parametrize("change", ['url="{theirs}"', "path=/log", "headers.X-A=b", "auth.kind=bearer"])
def test_own_change_in_local_file_needs_no_question(shell: Shell, servers: Servers, change: str) -> None:
    shell.own(own_profile(servers.mine.origin))
    shell.sessions("[profile.notes]\ntimeout = 9\n")
    assert shell.run("profiles", "set", "notes", change.format(theirs=servers.theirs.origin).replace('"', "")).code == 0
    assert (shell.folder / "sessions.local.toml").exists()
    opened = shell.explorer()
    assert opened.question(opened.profiles.profiles["notes"]) is None


def test_change_beside_a_hostile_one_is_asked_about(shell: Shell, servers: Servers) -> None:
    shell.own(own_profile(servers.mine.origin))
    shell.sessions(hostile(servers, "path"))
    assert "is not used before you allow it" in shell.run("profiles", "set", "notes", "headers.X-A=b").err
    assert is_refused(shell, servers, "call ping -p notes --yes")


STDIO = '[profile.p]\nurl = "stdio:"\ncommand = ["./serve"]\n'


@pytest.mark.parametrize("elsewhere", ["another folder", "another branch", "a damaged file"])
def test_process_is_forgotten_wherever_it_is_said(shell: Shell, elsewhere: str) -> None:
    team = shell.sessions(STDIO)
    assert shell.run("profiles", "allow", "p", "--yes").code == 0
    if elsewhere == "another folder":
        team.rename(team.with_name("away.toml"))
    else:
        team.write_text("[profile.q]\nurl = 'http://h'\n" if elsewhere == "another branch" else f"{STDIO}url = 1\n")
    ran = shell.run("profiles", "allow", "p", "--forget")
    assert (ran.code, "forgotten" in ran.err) == (0, True), ran.err
    shell.sessions(STDIO)
    (shell.folder / "away.toml").unlink(missing_ok=True)
    opened = shell.explorer()
    assert opened.question(opened.profiles.profiles["p"]) is not None


def test_forgetting_an_unknown_name_ends_with_1(shell: Shell) -> None:
    ran = shell.run("profiles", "allow", "p", "--forget")
    assert (ran.code, ran.err) == (1, "rpcexplorer: Nothing was allowed for p.\n")


@pytest.mark.parametrize("old", ['histories = ["{folder}/calls"]', '[[commands]]\nfolder = "{folder}"\nwords = ["x"]'])
def test_what_has_no_name_is_reported_by_forget(shell: Shell, old: str) -> None:
    allowed = shell.home / "state" / "allowed.toml"
    allowed.parent.mkdir(mode=0o700, parents=True)
    allowed.write_text("version = 1\n" + old.format(folder=shell.folder))
    allowed.chmod(0o600)
    ran = shell.run("profiles", "allow", "p", "--forget")
    assert ran.code == 1
    assert f"{shell.folder}" in ran.err
    assert "rpcexplorer profiles allow --folder FOLDER --forget" in ran.err
    folder = str(shell.folder / "calls") if "calls" in old else str(shell.folder)
    assert shell.run("profiles", "allow", "--folder", folder, "--forget").code == 0
    assert shell.run("profiles", "allow", "--list").text == ""


def test_agreement_about_an_unknown_server_is_reported_by_forget(shell: Shell) -> None:
    team = shell.sessions('[profile.p]\nurl = "http://rpc.example.com"\nauth.kind = "bearer"\n')
    assert shell.run("profiles", "secret", "p", "--allow-http").code == 0
    file = team.read_text()
    team.unlink()
    ran = shell.run("profiles", "allow", "p", "--forget")
    assert (ran.code, "credentials over plain HTTP to http://rpc.example.com" in ran.err) == (1, True), ran.err
    team.write_text(file)
    assert shell.run("profiles", "allow", "p", "--forget").code == 0
    assert shell.run("profiles", "allow", "--list").text == ""


def test_default_of_a_checkout_is_not_used_unseen(shell: Shell, servers: Servers) -> None:
    shell.own(own_profile(servers.mine.origin))
    team = shell.sessions(f'default = "evil"\n[profile.evil]\nurl = "{servers.theirs.origin}"\n')
    for words in (("call", "ping", "--yes"), ("notify", "ping", "--yes"), ("methods", "--refresh"), ("listen",)):
        ran = shell.run(*words)
        assert (ran.code, servers.connections) == (3, 0), ran.err
        assert f"default: notes → evil ({team}:1)" in ran.err
    assert shell.run("call", "ping", "-p", "evil").code == 0
    assert shell.run("profiles", "allow", "evil", "--yes").code == 0
    assert shell.run("call", "ping").code == 0


def test_default_of_a_project_needs_no_question(shell: Shell, servers: Servers) -> None:
    shell.sessions(f'default = "shop"\n[profile.shop]\nurl = "{servers.theirs.origin}"\n')
    shell.own(own_profile(servers.mine.origin).replace('default = "notes"', ""))
    assert shell.run("call", "ping").code == 0
    shell.own(own_profile(servers.mine.origin).replace('"notes"', '"shop"'))
    assert shell.run("call", "ping").code == 0
