"""The files of a checkout cannot send a secret to another destination."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rpcexplorer.auth.registry import KINDS
from tests.fakes.shell import Shell
from tests.fakes.wire import Authority, RawServer, http_reply

PASSWORD = "correct-horse-battery"
SESSION = "s3ss10n-of-the-person"
REPLY = http_reply(b'{"jsonrpc": "2.0", "id": "1", "result": "ok"}', headers={"Set-Cookie": "sessionid=n3w-s3ss10n"})
Attack = Callable[[Shell, RawServer], None]


@pytest.fixture
def server() -> Iterator[RawServer]:
    with RawServer(REPLY) as server:
        yield server


def cookie(url: str, more: str = "", *, path: str = "/api/v2/") -> str:
    auth = 'auth = { kind = "cookie", username = "ann" }'
    return f'[profile.st]\nurl = "{url}"\npath = "{path}"\n{auth}\n{more}\n'


def inline(url: str, more: str = "") -> str:
    return f'[profile.st]\nurl = "{url}"\nauth = {{ kind = "inline", username = "ann"{more} }}\n'


def store(shell: Shell, text: str, field: str = "password", value: str = PASSWORD) -> None:
    """Store a secret of the profile for its current destination."""
    shell.sessions(text)
    stored = shell.run("profiles", "secret", "st", field, "--stdin", stdin=value.encode())
    assert stored.code == 0, stored.err


def received(server: RawServer) -> bytes:
    return b"".join(request.head + request.body for request in server.requests)


STEERED = {
    "a login method that writes": lambda url: cookie(
        url, '[profile.st.login]\nmethod = "note.add"\nparams = { text = "{password}" }'
    ),
    "a member that everybody reads": lambda url: inline(url, ', password_member = "text"'),
    "another path": lambda url: cookie(url, path="/log"),
    "another header": lambda url: cookie(url, 'headers = { X-Tenant = "evil" }'),
    "a session from elsewhere in the response": lambda url: cookie(url, '[profile.st.login]\nsession = "/note"'),
    "other certificates": lambda url: cookie(url, 'ca_file = "evil.pem"'),
    "a certificate of its own": lambda url: cookie(url, f'certificate = "{"0" * 64}"'),
    "a preset with another path": lambda url: cookie(url).replace('path = "/api/v2/"', 'preset = "aria2"'),
    "a preset with another login": lambda url: cookie(url, 'preset = "deluge"'),
    "another user": lambda url: cookie(url).replace("ann", "eve"),
}


@pytest.mark.parametrize("how", STEERED)
@pytest.mark.parametrize("from_environment", [False, True])
def test_password_is_blocked_for_another_path_or_field(
    shell: Shell, server: RawServer, how: str, from_environment: bool
) -> None:
    first = cookie(server.origin)
    if from_environment:
        shell.environment["RPCEXPLORER_ST_PASSWORD"] = PASSWORD
        shell.sessions(first)
        assert shell.run("login").code == 0
    else:
        store(shell, first)
    before = len(server.requests)
    (shell.folder / "evil.pem").write_text("a certificate")
    team = shell.sessions(STEERED[how](server.origin))
    for _ in range(2):  # the second time, too
        ran = shell.run("login") if "cookie" in team.read_text() else shell.run("call", "ping")
        assert ran.code == 3
        assert "is blocked" in ran.err
        assert f"({team}:" in ran.err
        assert " → " in ran.err
        assert "rpcexplorer profiles allow st" in ran.err
    assert len(server.requests) == before


def token(url: str, auth: str, more: str = "") -> str:
    return f'[profile.st]\nurl = "{url}"\nauth = {{ {auth} }}\n{more}\n'


MEMBER_LOGIN = 'login = { method = "user.login", session = "/result" }'
TOKENS = {
    "another header": ('kind = "header"', "", 'kind = "header", header = "X-Note"', ""),
    "another text of the header": ('kind = "header"', "", 'kind = "header", value = "note {token}"', ""),
    "another parameter": ('kind = "query"', "", 'kind = "query", name = "note"', ""),
    "another first element": ('kind = "first"', "", 'kind = "first", value = "note {token}"', ""),
    "a member that everybody reads": ('kind = "member"', "", 'kind = "member", member = "note"', ""),
    "another place in the path": ('kind = "none"', 'path = "/v3/{token}"', 'kind = "none"', 'path = "/log/{token}"'),
    "the address instead of a header": ('kind = "bearer"', "", 'kind = "query"', ""),
    "the path instead of a header": ('kind = "bearer"', "", 'kind = "none"', 'path = "/{token}"'),
    "a document that is a log": ('kind = "bearer"', "", 'kind = "bearer"', 'discovery = { url = "/log" }'),
    "another content type": ('kind = "bearer"', "", 'kind = "bearer"', 'content_type = "text/plain"'),
    "another accept": ('kind = "bearer"', 'accept = "a/b"', 'kind = "bearer"', 'accept = "text/html"'),
    "other empty params": ('kind = "bearer"', 'empty_params = "{}"', 'kind = "bearer"', 'empty_params = "omit"'),
    "a preset with another content type": (
        'kind = "bearer"',
        'path = "/"',
        'kind = "bearer"',
        'path = "/"\npreset = "mcp"\nhandshake = { header = "X" }',
    ),
    "a header that a server fills": ('kind = "bearer"', "", 'kind = "bearer"', 'handshake = { header = "X-Note" }'),
    "the arguments of a tool": ('kind = "first"', "", 'kind = "first"', 'handshake = "mcp"'),
    "another member for the params": ('kind = "first"', "", 'kind = "first"', 'envelope = "transmission"'),
    "a preset with another path": ('kind = "bearer"', "", 'kind = "bearer"', 'preset = "mopidy"'),
    "a preset with another handshake": ('kind = "bearer"', 'path = "/mcp"', 'kind = "bearer"', 'preset = "mcp"'),
}


@pytest.mark.parametrize("how", TOKENS)
@pytest.mark.parametrize("from_environment", [False, True])
def test_token_is_blocked_for_another_path_or_header(
    shell: Shell, server: RawServer, how: str, from_environment: bool
) -> None:
    auth, more, other, others = TOKENS[how]
    first = token(server.origin, auth, more)
    if from_environment:
        shell.environment["RPCEXPLORER_ST_TOKEN"] = PASSWORD
        shell.sessions(first)
    else:
        store(shell, first, "token")
    assert shell.run("call", "ping").code == 0
    assert PASSWORD.encode() in received(server)
    server.requests.clear()
    team = shell.sessions(token(server.origin, other, others))
    for words in (["call", "ping"], ["call", "ping"], ["methods", "--refresh"], ["profiles", "test", "st"]):
        ran = shell.run(*words)
        if words[0] == "call":
            assert ran.code == 3
            assert "is blocked" in ran.err
            assert f"({team}:" in ran.err
            assert " → " in ran.err
            assert "rpcexplorer profiles allow st" in ran.err
    assert PASSWORD.encode() not in received(server)


@pytest.mark.parametrize("value", ["", "/note"])
def test_session_of_a_token_login_keeps_its_destination(shell: Shell, server: RawServer, value: str) -> None:
    table = 'kind = "member", username = "ann"'
    shell.environment["RPCEXPLORER_ST_PASSWORD"] = PASSWORD
    store(shell, token(server.origin, table, MEMBER_LOGIN), "session", SESSION)
    assert shell.run("call", "ping").code == 0
    assert SESSION.encode() in received(server)
    assert shell.run("login").code == 0
    server.requests.clear()
    team = shell.sessions(token(server.origin, table, MEMBER_LOGIN.replace('"/result"', f'"{value}"')))
    for words in (["call", "ping"], ["login"]):
        ran = shell.run(*words)
        assert ran.code == 3
        assert f"login.session: /result → {value}" in ran.err
        assert f"({team}:" in ran.err
    assert server.requests == []


def test_allowed_destination_is_used_until_forgotten(shell: Shell, server: RawServer) -> None:
    store(shell, inline(server.origin))
    shell.sessions(inline(server.origin, ', password_member = "pw"'))
    assert shell.run("call", "ping").code == 3
    refused = shell.run("profiles", "allow", "st")
    assert refused.code == 2
    assert "Add --yes" in refused.err
    assert "auth.password_member: not set → pw" in refused.err
    assert shell.run("profiles", "allow", "st", "--yes").code == 0
    assert "auth.password_member pw" in shell.run("profiles", "allow", "--list").text
    assert shell.run("call", "ping").code == 0
    assert f'"pw":"{PASSWORD}"'.encode() in received(server)
    shell.sessions(inline(server.origin, ', password_member = "text"'))
    assert shell.run("call", "ping").code == 3
    shell.sessions(inline(server.origin, ', password_member = "pw"'))
    assert "forgotten" in shell.run("profiles", "allow", "st", "--forget").err
    assert shell.run("call", "ping").code == 3
    again = shell.run("profiles", "allow", "st", "--forget")
    assert (again.code, again.err) == (1, "rpcexplorer: Nothing was allowed for st.\n")


def test_auth_type_is_part_of_the_destination(shell: Shell, server: RawServer) -> None:
    store(shell, cookie(server.origin))
    shell.sessions(inline(server.origin))
    assert shell.run("call", "ping").code == 3
    assert server.requests == []


def test_session_is_blocked_for_another_destination(shell: Shell, server: RawServer) -> None:
    store(shell, cookie(server.origin), "session", SESSION)
    assert shell.run("call", "ping").code == 0
    assert SESSION.encode() in received(server)
    shell.sessions(cookie(server.origin, path="/log"))
    server.requests.clear()
    ran = shell.run("call", "ping")
    assert "the stored session is blocked" in ran.err
    assert SESSION.encode() not in received(server)


def test_host_header_in_a_profile_is_refused(shell: Shell, server: RawServer) -> None:
    shell.environment["RPCEXPLORER_ST_PASSWORD"] = PASSWORD
    shell.sessions(cookie(server.origin, 'headers = { Host = "evil.example" }'))
    ran = shell.run("call", "ping")
    assert ran.code == 2
    assert "the host comes from `url`" in ran.err
    assert server.requests == []


def test_changed_certificate_file_changes_the_destination(shell: Shell, tmp_path: Path) -> None:
    good, evil = Authority(), Authority()
    good.write(shell.folder)
    with RawServer(REPLY, tls=good.server()) as server:
        store(shell, cookie(server.origin, 'ca_file = "ca.pem"'))
        assert shell.run("login").code == 0
        (tmp_path / "evil").mkdir()
        (shell.folder / "ca.pem").write_bytes(evil.write(tmp_path / "evil").read_bytes())
        ran = shell.run("login")
        assert ran.code == 3
        assert "ca_file: sha256:" in ran.err


OTHER_KINDS = [kind for kind in KINDS if kind != "none"]


@pytest.mark.parametrize("place", ['path = "/x/{token}"', 'discovery = { url = "/x/{token}" }'])
@pytest.mark.parametrize("kind", OTHER_KINDS)
def test_token_in_url_with_other_auth_is_refused(shell: Shell, server: RawServer, kind: str, place: str) -> None:
    shell.environment |= {f"RPCEXPLORER_ST_{field}": PASSWORD for field in ("USERNAME", "PASSWORD", "TOKEN", "SESSION")}
    ok = f'[profile.ok]\nurl = "{server.origin}"\n'
    team = shell.sessions(token(server.origin, f'kind = "{kind}"', place) + ok)
    for words in (["call", "ping"], ["methods", "--refresh"], ["profiles", "test", "st"]):
        ran = shell.run("-p", "st", *words) if words[0] != "profiles" else shell.run(*words)
        assert ran.code == 2
        key = place.partition(" ")[0]
        sentence = f'a path with `{{token}}` needs auth.kind = "none", but auth.kind is "{kind}"'
        assert f"{team}:4: profile.st.{key}: {sentence}" in ran.err
    assert server.requests == []
    assert shell.run("-p", "ok", "call", "ping").code == 0


def test_token_in_typed_url_with_auth_is_refused(shell: Shell, server: RawServer) -> None:
    url = f"{server.origin}/x/{{token}}"
    shell.environment["RPCEXPLORER_URL_TOKEN"] = TOKEN
    ran = shell.run("call", "ping", "--url", url, "--auth", "bearer")
    assert ran.code == 2
    assert 'a path with `{token}` needs auth.kind = "none", but auth.kind is "bearer"' in ran.err
    ran = shell.run("profiles", "add", "st", "--url", url, "--auth", "bearer")
    assert ran.code == 2
    assert "a path with `{token}` needs auth.kind" in ran.err
    assert server.requests == []
    assert shell.run("call", "ping", "--url", url).code == 0
    assert f"/x/{TOKEN}".encode() in received(server)


def test_discovery_without_token_of_path_sends_nothing(shell: Shell, server: RawServer) -> None:
    shell.sessions(token(server.origin, 'kind = "none"', 'path = "/x/{token}"'))
    for words in (["methods", "--refresh", "--no-input"], ["profiles", "test", "st", "--no-input"]):
        assert shell.run(*words).code == 3
    assert server.requests == []


def test_variable_is_bound_to_its_first_destination(shell: Shell, server: RawServer) -> None:
    shell.environment["RPCEXPLORER_ST_PASSWORD"] = PASSWORD
    shell.sessions(inline(server.origin))
    assert shell.run("call", "--dry-run", "ping").code == 0  # a dry run is not a first use
    shell.sessions(inline(server.origin.replace("127.0.0.1", "localhost")))
    assert shell.run("call", "ping").code == 0
    shell.sessions(inline(server.origin))
    ran = shell.run("call", "ping")
    assert ran.code == 3
    assert "RPCEXPLORER_ST_PASSWORD was first used for a different destination" in ran.err
    assert "Changed: origin: http://localhost" in ran.err
    assert shell.run("profiles", "allow", "st", "--yes").code == 0
    assert shell.run("call", "ping").code == 0
    assert len(server.requests) == 2


TOKEN = "t0ken-of-the-person"


@pytest.fixture
def evil() -> Iterator[RawServer]:
    with RawServer(REPLY) as server:
        yield server


def stored_password(shell: Shell, url: str) -> None:
    store(shell, inline(url))


def stored_session(shell: Shell, url: str) -> None:
    store(shell, cookie(url), "session", SESSION)


def stored_under_another_spelling(shell: Shell, url: str) -> None:
    shell.sessions(inline(url).replace("profile.st", "profile.ST"))
    assert shell.run("profiles", "secret", "ST", "password", "--stdin", stdin=PASSWORD.encode()).code == 0


def used_variable(shell: Shell, url: str) -> None:
    shell.sessions(inline(url))
    assert shell.run("call", "ping", RPCEXPLORER_ST_PASSWORD=PASSWORD).code == 0


def used_variable_under_another_spelling(shell: Shell, url: str) -> None:
    shell.sessions(inline(url).replace("profile.st", "profile.sT"))
    assert shell.run("call", "ping", RPCEXPLORER_ST_PASSWORD=PASSWORD).code == 0


def allowed_destination(shell: Shell, url: str) -> None:
    shell.sessions(inline(url))
    assert shell.run("profiles", "allow", "st", "--yes").code == 0


def allowed_under_another_spelling(shell: Shell, url: str) -> None:
    shell.sessions(inline(url).replace("profile.st", "profile.St"))
    assert shell.run("profiles", "allow", "St", "--yes").code == 0


def forgotten_secret_of_used_variable(shell: Shell, url: str) -> None:
    """Remove the profile: destinations of its variables are not forgotten."""
    used_variable(shell, url)
    assert shell.run("profiles", "remove", "st", "--yes").code == 0


BOUND_ELSEWHERE = [
    stored_password,
    stored_session,
    stored_under_another_spelling,
    used_variable,
    used_variable_under_another_spelling,
    allowed_destination,
    allowed_under_another_spelling,
    forgotten_secret_of_used_variable,
]


def refuses(shell: Shell, evil: RawServer, *words: str) -> None:
    """Run a command that must exit with 3, say why, and send no secret."""
    ran = shell.run(*words)
    assert ran.code == 3, ran.err
    assert "is blocked: another secret of this profile name has a different destination" in ran.err
    assert " → " in ran.err
    assert "rpcexplorer profiles allow st" in ran.err
    assert not [secret for secret in (TOKEN, PASSWORD) if secret.encode() in received(evil)]


@pytest.mark.parametrize("elsewhere", BOUND_ELSEWHERE)
def test_unused_variable_asks_if_profile_has_another_destination(
    shell: Shell, server: RawServer, evil: RawServer, elsewhere: Callable[[Shell, str], None]
) -> None:
    elsewhere(shell, server.origin)
    shell.sessions(token(evil.origin, 'kind = "bearer"'))
    shell.environment["RPCEXPLORER_ST_TOKEN"] = TOKEN
    refuses(shell, evil, "call", "ping")
    refuses(shell, evil, "call", "ping")  # the second time, too
    assert shell.run("profiles", "allow", "st", "--yes").code == 0
    assert shell.run("call", "ping").code == 0
    assert TOKEN.encode() in received(evil)


POSTING_LOGIN = '[profile.st.login]\nmethod = "note.add"\nparams = { text = "{password}" }\nsession = ""'
FIRST_USES: dict[str, tuple[str, Callable[[str], str], list[str]]] = {
    "bearer": ("TOKEN", lambda url: token(url, 'kind = "bearer"'), ["call", "ping"]),
    "header": ("TOKEN", lambda url: token(url, 'kind = "header", header = "X-Note"'), ["call", "ping"]),
    "query": ("TOKEN", lambda url: token(url, 'kind = "query", name = "note"'), ["call", "ping"]),
    "first": ("TOKEN", lambda url: token(url, 'kind = "first"'), ["call", "ping"]),
    "member": ("TOKEN", lambda url: token(url, 'kind = "member", member = "note"'), ["call", "ping"]),
    "path": ("TOKEN", lambda url: token(url, 'kind = "none"', 'path = "/{token}"'), ["call", "ping"]),
    "basic": ("USERNAME", lambda url: token(url, 'kind = "basic"'), ["call", "ping"]),
    "login": ("PASSWORD", lambda url: token(url, 'kind = "member", username = "a"', POSTING_LOGIN), ["login"]),
    "login of a call": ("PASSWORD", lambda url: token(url, 'kind = "bearer"', POSTING_LOGIN), ["call", "ping"]),
    "session": ("SESSION", lambda url: cookie(url, path="/note"), ["call", "ping"]),
    "mark in params": ("TOKEN", lambda url: token(url, 'kind = "none"'), ["call", "note", '["«st.token»"]']),
    "notify": ("TOKEN", lambda url: token(url, 'kind = "bearer"'), ["notify", "ping"]),
    "batch": ("TOKEN", lambda url: token(url, 'kind = "bearer"'), ["batch", "calls.json"]),
    "saved call": (
        "TOKEN",
        lambda url: token(url, 'kind = "bearer"', '[call.a]\nmethod = "note"'),
        ["call", "@a"],
    ),
}


@pytest.mark.parametrize("how", FIRST_USES)
@pytest.mark.parametrize("same_server", [False, True])
def test_no_first_use_goes_to_another_destination_unasked(
    shell: Shell, server: RawServer, evil: RawServer, how: str, same_server: bool
) -> None:
    shell.sessions(token(server.origin, 'kind = "query"', 'path = "/usual"'))
    assert shell.run("profiles", "allow", "st", "--yes").code == 0
    field, made, words = FIRST_USES[how]
    (shell.folder / "calls.json").write_text('[{"method": "ping"}]')
    target = server if same_server else evil
    shell.sessions(made(target.origin))
    shell.environment[f"RPCEXPLORER_ST_{field}"] = TOKEN
    ran = shell.run(*words)
    assert TOKEN.encode() not in received(target)
    assert "rpcexplorer profiles allow st" in ran.err
    assert ran.code == 3 or field == "SESSION", ran.err


def test_challenge_of_another_server_gets_no_first_use(shell: Shell, server: RawServer) -> None:
    stored_password(shell, server.origin)
    challenge = {"WWW-Authenticate": 'Digest realm="r", nonce="n", qop="auth"'}
    with RawServer(http_reply(b"", status=401, headers=challenge)) as evil:
        shell.sessions(token(evil.origin, 'kind = "digest"'))
        shell.environment["RPCEXPLORER_ST_USERNAME"] = TOKEN
        refuses(shell, evil, "call", "ping")


@pytest.mark.parametrize("words", [["methods", "--refresh"], ["profiles", "test", "st"]])
def test_no_other_command_makes_first_use_elsewhere(
    shell: Shell, server: RawServer, evil: RawServer, words: list[str]
) -> None:
    stored_password(shell, server.origin)
    shell.sessions(token(evil.origin, 'kind = "bearer"', 'discovery = { url = "/log" }'))
    shell.run(*words, RPCEXPLORER_ST_TOKEN=TOKEN)
    assert TOKEN.encode() not in received(evil)


def test_first_uses_at_one_destination_need_no_question(shell: Shell, server: RawServer) -> None:
    shell.environment |= {"RPCEXPLORER_ST_PASSWORD": PASSWORD, "RPCEXPLORER_ST_USERNAME": "ann"}
    shell.sessions(token(server.origin, 'kind = "basic"'))
    assert shell.run("call", "ping").code == 0
    assert shell.run("call", "ping").code == 0
    store(shell, token(server.origin, 'kind = "basic"'))
    assert shell.run("call", "ping").code == 0


def test_unreadable_store_lets_no_first_use_out(shell: Shell, server: RawServer, evil: RawServer) -> None:
    stored_password(shell, server.origin)
    secrets = shell.home / "state" / "secrets.toml"
    secrets.chmod(0o644)
    shell.sessions(token(evil.origin, 'kind = "bearer"'))
    ran = shell.run("call", "ping", RPCEXPLORER_ST_TOKEN=TOKEN)
    assert ran.code == 3
    assert "chmod 600" in ran.err
    assert TOKEN.encode() not in received(evil)


def test_origin_in_the_environment_must_match(shell: Shell, server: RawServer) -> None:
    shell.environment["RPCEXPLORER_ST_PASSWORD"] = PASSWORD
    shell.environment["RPCEXPLORER_ST_ORIGIN"] = "https://st.example.com"
    shell.sessions(inline(server.origin))
    ran = shell.run("call", "ping")
    assert ran.code == 3
    assert "RPCEXPLORER_ST_ORIGIN is https://st.example.com, but the profile uses http://127" in ran.err
    assert "Changed" not in ran.err, "environment and file disagree, and neither was changed"
    allowed = shell.run("profiles", "allow", "st", "--yes")
    assert allowed.code == 2, "a confirmation does not override the environment"
    assert shell.run("call", "ping").code == 3
    assert server.requests == []
    shell.environment["RPCEXPLORER_ST_ORIGIN"] = server.origin.upper().replace("HTTP", "http") + "/"
    assert shell.run("call", "ping").code == 0


def test_typed_address_needs_no_further_permission(shell: Shell, server: RawServer) -> None:
    shell.environment["RPCEXPLORER_URL_PASSWORD"] = PASSWORD
    shell.environment["RPCEXPLORER_URL_USERNAME"] = "ann"
    for host in ("127.0.0.1", "localhost"):
        url = server.origin.replace("127.0.0.1", host)
        assert shell.run("call", "ping", "--url", url, "--auth", "inline").code == 0
    assert received(server).count(PASSWORD.encode()) == 2


URL_NAMES = ["url", "Url", "URL", "uRl"]


@pytest.mark.parametrize("name", URL_NAMES)
@pytest.mark.parametrize("kind", ["team", "local", "user", "named", "variable"])
def test_file_profile_named_like_url_option_is_refused(shell: Shell, server: RawServer, kind: str, name: str) -> None:
    shell.environment["RPCEXPLORER_URL_PASSWORD"] = PASSWORD
    text = inline(server.origin).replace("profile.st", f"profile.{name}") + inline(server.origin)
    places = {
        "team": shell.folder / "sessions.toml",
        "local": shell.folder / "sessions.local.toml",
        "user": shell.user_file,
        "named": shell.folder.parent / "elsewhere.toml",
    }
    shell.sessions("")
    file = places.get(kind, places["named"])
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    words = ("--sessions", str(file)) if kind == "named" else ()
    if kind == "variable":
        shell.environment["RPCEXPLORER_SESSIONS"] = str(file)
    ran = shell.run(*words, "-p", name, "call", "ping")
    assert ran.code == 2
    assert f"{file}:1: profile.{name}: the name is reserved: `--url` reads the same environment variables" in ran.err
    assert "Rename the profile" in ran.err
    assert server.requests == []
    other = shell.run(*words, "-p", "st", "call", "ping", RPCEXPLORER_ST_PASSWORD="other-horse-battery")
    assert other.code == 0
    assert PASSWORD.encode() not in received(server)


@pytest.mark.parametrize("name", URL_NAMES)
def test_no_command_writes_profile_named_like_url_option(shell: Shell, name: str) -> None:
    ran = shell.run("profiles", "add", name, "--url", "http://127.0.0.1:1/rpc")
    assert ran.code == 2
    assert "the name is reserved" in ran.err
    assert not shell.user_file.exists()


@pytest.mark.parametrize("local", [False, True])
def test_secret_is_blocked_if_user_file_disagrees(shell: Shell, server: RawServer, local: bool) -> None:
    shell.own(inline("https://st.example.com"))
    team = shell.sessions("" if local else inline(server.origin))
    if local:
        team = team.with_name("sessions.local.toml")
        team.write_text(inline(server.origin))
    shell.environment["RPCEXPLORER_ST_PASSWORD"] = PASSWORD
    ran = shell.run("call", "ping")
    assert ran.code == 3
    assert "your user file and another file give different destinations" in ran.err
    assert "Changed" not in ran.err
    assert f"Your user file → the other file: origin: https://st.example.com → {server.origin} ({team}:2)" in ran.err
    typed = shell.run("call", "ping", RPCEXPLORER_ST_PASSWORD="")
    assert "your user file and another file" in typed.err, "the user is not asked either"
    assert server.requests == []
    assert shell.run("profiles", "allow", "st", "--yes").code == 0
    assert shell.run("call", "ping").code == 0


@pytest.mark.parametrize("more", ['description = "ours"', "timeout = 5", 'badge = "prod"'])
def test_secret_is_sent_if_files_agree_on_destination(shell: Shell, server: RawServer, more: str) -> None:
    shell.own(inline(server.origin))
    shell.sessions(f'[profile.st]\nurl = "{server.origin}/"\n{more}\n')
    assert shell.run("call", "ping", RPCEXPLORER_ST_PASSWORD=PASSWORD).code == 0


def test_partial_user_file_disagrees_about_its_keys_only(shell: Shell, server: RawServer) -> None:
    shell.own('[profile.st.auth]\nkind = "inline"\npassword_member = "secret"\n')
    shell.sessions(inline(server.origin))
    assert shell.run("call", "ping", RPCEXPLORER_ST_PASSWORD=PASSWORD).code == 0
    shell.sessions(inline(server.origin, ', password_member = "text"'))
    ran = shell.run("call", "ping", RPCEXPLORER_ST_PASSWORD=PASSWORD)
    assert ran.code == 3
    assert received(server).count(PASSWORD.encode()) == 1


def test_secret_stored_without_destination_needs_permission(shell: Shell, server: RawServer) -> None:
    store(shell, inline(server.origin))
    secrets = shell.home / "state" / "secrets.toml"
    lines = secrets.read_text().partition("[profile.st.password.route]")
    assert lines[1]
    secrets.write_text(lines[0])
    ran = shell.run("call", "ping")
    assert ran.code == 3
    assert "it was stored without its destination" in ran.err
    assert shell.run("profiles", "allow", "st", "--yes").code == 0
    assert shell.run("call", "ping").code == 0


def test_allowed_file_writable_by_others_is_not_used(shell: Shell, server: RawServer) -> None:
    shell.environment["RPCEXPLORER_ST_PASSWORD"] = PASSWORD
    shell.sessions(inline(server.origin))
    assert shell.run("call", "ping").code == 0
    allowed = shell.home / "state" / "allowed.toml"
    assert allowed.stat().st_mode & 0o777 == 0o600
    allowed.chmod(0o622)
    ran = shell.run("call", "ping")
    assert ran.code == 3
    assert "chmod 600" in ran.err
    assert PASSWORD not in allowed.read_text()


@pytest.mark.parametrize("damage", ["routes = 3", "[", 'first_use = { X = "y" }', "\0"])
def test_damaged_allowed_file_blocks_secrets_with_exit_3(shell: Shell, server: RawServer, damage: str) -> None:
    shell.environment["RPCEXPLORER_ST_PASSWORD"] = PASSWORD
    shell.sessions(inline(server.origin))
    allowed = shell.home / "state" / "allowed.toml"
    allowed.parent.mkdir(mode=0o700, parents=True)
    allowed.write_text(damage)
    allowed.chmod(0o600)
    ran = shell.run("call", "ping")
    assert ran.code == 3
    assert str(allowed) in ran.err
    assert shell.run("profiles", "allow", "st", "--yes").code == 2
    assert allowed.read_text() == damage
    assert server.requests == []


def test_working_folder_writable_by_others_is_skipped(shell: Shell, server: RawServer) -> None:
    shell.environment["RPCEXPLORER_ST_PASSWORD"] = PASSWORD
    team = shell.sessions(inline(server.origin))
    shell.folder.chmod(0o777)
    ran = shell.run("call", "ping")
    assert ran.code == 2
    assert "other users can write to this file" in ran.err
    assert server.requests == []
    assert shell.run("--sessions", str(team), "call", "ping").code == 0
    assert shell.run("profiles", "allow", "--folder", ".").code == 2, "there is no terminal to ask on"
    assert shell.run("profiles", "allow", "--folder", ".", "--yes").code == 0
    assert shell.run("call", "ping").code == 0
    assert "profiles of folder" in shell.run("profiles", "allow", "--list").text
    assert "forgotten" in shell.run("profiles", "allow", "--folder", ".", "--forget").err
    assert shell.run("call", "ping").code == 2


def test_project_history_is_used_after_allowing_it(shell: Shell, server: RawServer) -> None:
    plain = f'[profile.st]\nurl = "{server.origin}"\nhistory = "hist"\n'
    shell.sessions(plain)
    ran = shell.run("call", "ping")
    assert ran.code == 0
    assert "profiles allow st" in ran.err
    assert not (shell.folder / "hist").exists()
    assert "calls would be recorded in" in shell.run("profiles", "allow", "st", "--yes").err
    assert "profiles allow" not in shell.run("call", "ping").err
    assert len(list((shell.folder / "hist").glob("*.toml"))) == 1
    assert "forgotten" in shell.run("profiles", "allow", "st", "--forget").err
    assert "profiles allow st" in shell.run("call", "ping").err


def test_history_replaced_by_a_link_is_not_followed(shell: Shell, server: RawServer, tmp_path: Path) -> None:
    shell.sessions(f'[profile.st]\nurl = "{server.origin}"\nhistory = "hist"\n')
    assert shell.run("profiles", "allow", "st", "--yes").code == 0
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (shell.folder / "hist").symlink_to(elsewhere)
    ran = shell.run("call", "ping")
    assert ran.code == 0, "a call is sent without its history"
    assert "inside the folder of this file" in ran.err
    assert list(elsewhere.iterdir()) == []


def test_target_of_a_history_link_stays_unchanged(shell: Shell, server: RawServer) -> None:
    shell.sessions(f'[profile.st]\nurl = "{server.origin}"\nhistory = "hist"\n')
    assert shell.run("profiles", "allow", "st", "--yes").code == 0
    assert shell.run("call", "ping").code == 0
    (mine,) = (shell.folder / "hist").glob("*.toml")
    secret = shell.home / "bashrc"
    secret.write_text("export TOKEN=abc\n")
    for make in ("symlink", "hard link"):
        mine.unlink()
        mine.symlink_to(secret) if make == "symlink" else mine.hardlink_to(secret)
        ran = shell.run("call", "ping")
        assert ran.code == 0
        assert "was not recorded" in ran.err, make
        assert secret.read_text() == "export TOKEN=abc\n"
        assert not list((shell.folder / "hist").glob("*torn*"))
