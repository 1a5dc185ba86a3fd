"""Load tests with the real Locust, in processes of its own."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPConnection
from itertools import pairwise
from pathlib import Path

import msgspec
import psutil
import pytest
import trustme

from rpcexplorer.demo import PASSWORD
from rpcexplorer.explorer import Explorer
from rpcexplorer.load.plan import Plan, PlannedCall, Report
from rpcexplorer.load.run import Load, LoadRun, commands, environment_of, free_port
from rpcexplorer.model.exchange import Stop
from tests.fakes.certificates import issued, self_signed
from tests.fakes.oauth import CLIENT, SECRET, Issuer, Resource
from tests.fakes.wire import NEXT, RESET, Parts, RawServer, Received, http_reply

SHOP = """
version = 1
default = "shop"
[profile.shop]
url = "{url}"
{more}
[call.ping]
method = "ping"
[call.echo]
method = "demo.echo"
params = {{ id = "{{{{uuid}}}}" }}
"""


def of(method: str) -> PlannedCall:
    return PlannedCall(f"@{method}", method, "")


class Loads:
    """A home, a project file, and load tests with it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.home = folder / "work", folder / "home"
        self.folder.mkdir()
        self.environment = {**os.environ, "RPCEXPLORER_HOME": str(self.home)}
        self.said: list[str] = []

    def sessions(self, url: str, more: str = 'auth = { kind = "none" }') -> None:
        (self.folder / "sessions.toml").write_text(SHOP.format(url=url, more=more))

    def own_sessions(self, url: str, more: str) -> None:
        """Write the user file, which may name an issuer unasked."""
        own = self.home / "config" / "sessions.toml"
        own.parent.mkdir(parents=True, exist_ok=True)
        own.write_text(SHOP.format(url=url, more=more))

    def plan(self, *calls: PlannedCall, pace: float = 0.0, web_port: int = 0) -> Plan:
        return Plan("shop", calls, str(self.folder), str(self.home), pace=pace, web_port=web_port)

    def run(
        self, plan: Plan, load: Load, until: Callable[[Report], bool] = lambda report: report.total.calls > 9
    ) -> Report:
        """Run a load test until a report is enough; return the last report."""
        run, stop = LoadRun(plan, load, self.environment), Stop()

        def look(report: Report) -> None:
            if until(report) and not stop.pressed:
                stop.press()

        asyncio.run(run.run(stop, look, self.said.append))
        assert run.report is not None, self.said
        assert run.report.is_final
        assert not any("Traceback" in line for line in self.said), self.said
        return run.report

    def command(self, *words: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "rpcexplorer", "load", *words],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )


@pytest.fixture
def loads(tmp_path: Path) -> Loads:
    return Loads(tmp_path)


ALONE = Load(users=2, spawn_rate=100, seconds=600)
"""The test stops it as soon as it has seen enough."""


def counts(report: Report) -> dict[str, int]:
    return {row.name: row.calls for row in report.rows}


def answer(request: Received) -> Parts:
    """Answer by the name of the method."""
    call = request.json
    if call["method"] == "gone":
        return [RESET]
    if call["method"] == "moved":
        return [http_reply(b"", 307, {"Location": "http://127.0.0.1:9/"}), NEXT]
    if call["method"] == "endless":
        return [b"HTTP/1.1 200 OK\r\nX-Long: ", b"x" * 10_000_000, NEXT]
    if call["method"] == "broken":
        return [http_reply(b"<html>", 502), NEXT]
    return [request.reply(result=call["params"]), NEXT]


def test_planted_options_of_locust_run_nothing(loads: Loads, url: str, tmp_path: Path) -> None:
    marker = tmp_path / "planted"
    planted = tmp_path / "planted.py"
    planted.write_text(f"open({str(marker)!r}, 'w')")
    options = f"locustfile = {planted}\nhost = http://127.0.0.1:9\nusers = 7\n"
    for file in (loads.folder / "locust.conf", tmp_path / ".locust.conf"):
        file.write_text(options)
    (loads.folder / "pyproject.toml").write_text(f'[tool.locust]\nlocustfile = "{planted}"\n')
    (loads.folder / "locust.py").write_text(f"open({str(marker)!r}, 'w')")
    loads.environment |= {"HOME": str(tmp_path), "LOCUST_LOCUSTFILE": str(planted), "LOCUST_HOST": "http://127.0.0.1:9"}
    loads.environment["RPCEXPLORER_SHOP_PASSWORD"] = PASSWORD
    loads.sessions(url, 'auth = { kind = "cookie", username = "demo" }\n[call.wrong]\nmethod = "no.such"')
    words = ["@ping", "@echo", "@wrong", "--users", "5", "--run-time", "3s", "--html", "a.html", "--csv", "a", "--json"]
    process = loads.command(*words)
    out, err = process.communicate(timeout=60)
    assert not marker.exists()
    assert process.returncode == 6, err.decode()
    found = json.loads(out)
    rows = {row["name"]: row for row in found["rows"]}
    assert rows.keys() == {"@ping", "@echo", "@wrong", "login"}
    assert rows["login"]["calls"] == 5
    assert rows["@ping"]["failed"] == rows["@echo"]["failed"] == rows["login"]["failed"] == 0
    assert found["failures"] == [{"name": "@wrong", "reason": "error -32601", "count": rows["@wrong"]["calls"]}]
    assert (
        f",Aggregated,{found['total']['calls']},{rows['@wrong']['calls']},"
        in (loads.folder / "a_stats.csv").read_text()
    )
    written = [file for file in [*loads.folder.iterdir(), *loads.home.rglob("*")] if file.is_file()]
    assert {"a.html", "a_stats.csv", "a_failures.csv"} <= {file.name for file in written}
    texts = [out.decode(), err.decode(), *(file.read_text(errors="replace") for file in written)]
    assert not any(PASSWORD in text or "sessionid=" in text for text in texts)
    assert not (loads.home / "state" / "history").exists()


def foreign_reads(port: int) -> dict[str, str]:
    """Return the status of requests to the page, and which origin may read the responses."""
    found = {}
    foreign = {"Origin": "https://evil.example"}
    for name, verb, path, headers in (
        ("own", "GET", "/stats/requests", {}),
        ("origin", "GET", "/stats/requests", foreign),
        ("host", "GET", "/", {"Host": f"evil.example:{port}"}),
        ("static", "GET", "/assets/no.js", foreign),
        ("post", "POST", "/swarm", {}),
    ):
        connection = HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request(verb, path, headers=headers)
        response = connection.getresponse()
        found[name] = f"{response.status} {response.getheader('Access-Control-Allow-Origin')}"
        connection.close()
    return found


def test_workers_add_up_and_keep_to_themselves(loads: Loads) -> None:
    listening: set[str] = set()
    pages: dict[str, str] = {}
    secret = "s3cr3t-of-ada"
    loads.environment["RPCEXPLORER_SHOP_TOKEN"] = secret

    port = free_port()

    def look(report: Report) -> bool:
        pages.update(foreign_reads(port))
        for child in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):
                assert secret not in f"{child.environ()} {child.cmdline()}"
                sockets = child.net_connections()
                listening.update(one.laddr.ip for one in sockets if one.status == psutil.CONN_LISTEN)
        return report.total.calls > 9

    with RawServer(answer) as server:
        loads.sessions(server.origin)
        report = loads.run(loads.plan(of("a"), of("b"), web_port=port), Load(4, 100, 600, workers=2), look)
        sent = server.methods
    assert counts(report) == {"@a": sent.count("a"), "@b": sent.count("b")}
    assert listening == {"127.0.0.1"}
    assert pages == {
        "own": "200 None",
        "origin": "403 None",
        "host": "403 None",
        "static": "403 None",
        "post": "403 None",
    }


def test_each_failure_has_a_short_reason(loads: Loads) -> None:
    with RawServer(answer) as server:
        loads.sessions(server.origin)
        plan = loads.plan(of("fine"), of("broken"), of("gone"), of("moved"), of("endless"))
        report = loads.run(plan, ALONE, lambda report: len(report.failures) == 4)
    assert {(one.row, one.reason) for one in report.failures} == {
        ("@broken", "malformed: HTTP 502"),
        ("@gone", "no response: wait"),
        ("@moved", "malformed: HTTP 307"),
        ("@endless", "no response: size"),
    }


@pytest.mark.thorough
def test_user_waits_longer_without_a_response(loads: Loads) -> None:
    times: list[float] = []

    def hang_up(_: Received) -> Parts:
        times.append(time.monotonic())
        return [RESET]

    with RawServer(hang_up) as server:
        loads.sessions(server.origin)
        loads.run(loads.plan(of("gone")), Load(1, 1, 600), lambda report: report.total.calls >= 4)
    pauses = [after - before for before, after in pairwise(times)][:3]
    assert all(pause >= wanted for pause, wanted in zip(pauses, (0.1, 0.2, 0.4), strict=True)), pauses


@pytest.mark.thorough
def test_call_behind_a_failed_login_is_not_counted(loads: Loads) -> None:
    loads.environment["RPCEXPLORER_SHOP_PASSWORD"] = "s3cr3t-of-ada"
    with RawServer([RESET]) as server:
        loads.sessions(server.origin, 'auth = { kind = "cookie", username = "ada" }')
        report = loads.run(loads.plan(of("ping")), ALONE, lambda report: report.total.calls > 0)
    assert [(row.name, row.failed) for row in report.rows] == [("login", report.total.calls)]


def test_missing_secret_stops_users_and_the_test(loads: Loads) -> None:
    with RawServer(answer) as server:
        loads.sessions(server.origin, 'auth = { kind = "bearer" }')
        report = loads.run(loads.plan(of("ping")), ALONE, lambda _: False)
        assert server.requests == []
    assert [(one.reason, one.count) for one in report.failures] == [("not sent: credentials", 2)]
    assert [line for line in loads.said if "No token for profile shop." in line] == loads.said != []


@pytest.mark.thorough
def test_rejection_of_the_server_is_logged_without_secrets(loads: Loads) -> None:
    def reject(request: Received) -> Parts:
        error = {"code": -32001, "message": f"no \x1b[c {PASSWORD}"}
        return [request.reply(error=error), NEXT]

    loads.environment["RPCEXPLORER_SHOP_PASSWORD"] = PASSWORD
    with RawServer(reject) as server:
        loads.sessions(server.origin, 'auth = { kind = "cookie", username = "demo" }')
        loads.run(loads.plan(of("ping")), ALONE, lambda _: False)
    [sentence] = loads.said
    assert "no ␛[c «shop.password»" in sentence


@pytest.mark.thorough
def test_variable_without_value_stops_users_and_the_test(loads: Loads) -> None:
    loads.sessions("http://127.0.0.1:9")
    report = loads.run(loads.plan(PlannedCall("@page", "list", '["{{page}}"]')), ALONE, lambda _: False)
    assert [(one.reason, one.count) for one in report.failures] == [("not sent: params", 2)]
    assert [line for line in loads.said if "{{page}} has no value." in line] == loads.said != []


@pytest.mark.parametrize("is_pinned", [False, True])
@pytest.mark.parametrize("is_trusted", [False, True])
@pytest.mark.everyday(1)
def test_certificate_settings_of_the_profile_hold(
    loads: Loads, tmp_path: Path, is_trusted: bool, is_pinned: bool
) -> None:
    ca = trustme.CA()
    ca.cert_pem.write_to_path(loads.folder / "ca.pem")
    shown, other = issued(ca) if is_trusted else self_signed(), issued(ca)
    pin = f'certificate = "{(shown if is_trusted else other).fingerprint}"'
    with RawServer(answer, tls=shown.server(tmp_path)) as server:
        loads.sessions(server.origin, pin if is_pinned else 'ca_file = "ca.pem"')
        report = loads.run(loads.plan(of("ping")), ALONE, lambda report: report.total.calls > 0)
        assert bool(server.requests) == is_trusted
    assert {one.reason for one in report.failures} == (set() if is_trusted else {"no response: tls"})


@pytest.mark.parametrize(
    ("auth", "field", "proof"),
    [
        ('auth = { kind = "inline", username = "ada" }', "PASSWORD", b'"password":"s3cr3t-of-ada"'),
        ('auth = { kind = "bearer" }', "TOKEN", b"Authorization: Bearer s3cr3t-of-ada"),
        ('auth = { kind = "header", header = "X-Key" }', "TOKEN", b"X-Key: s3cr3t-of-ada"),
        ('auth = { kind = "query", name = "key" }', "TOKEN", b"?key=s3cr3t-of-ada HTTP/1.1"),
        ('auth = { kind = "member", member = "auth" }', "TOKEN", b'"auth":"s3cr3t-of-ada"'),
    ],
)
@pytest.mark.everyday(1)
def test_credentials_go_where_the_client_sends_them(loads: Loads, auth: str, field: str, proof: bytes) -> None:
    loads.environment[f"RPCEXPLORER_SHOP_{field}"] = "s3cr3t-of-ada"
    with RawServer(answer) as server:
        loads.sessions(server.origin, auth)
        report = loads.run(loads.plan(of("ping")), ALONE, lambda report: report.total.calls > 0)
        assert all(proof in request.head + request.body.replace(b'": "', b'":"') for request in server.requests)
    assert report.failures == ()


def test_rejected_token_of_a_command_is_made_again(loads: Loads) -> None:
    """Each process runs the command once, and once more when the server rejects the token."""
    asked: list[str] = []

    def accept(request: Received) -> Parts:
        asked.append(request.header("Authorization") or "")
        if asked[-1] == "Bearer token-number-1":
            return [http_reply(b"", 401, reason="Unauthorized"), NEXT]
        return answer(request)

    config = loads.home / "config"
    config.mkdir(parents=True)
    (config / "token").write_text("#!/bin/sh\necho ran >>ran\necho token-number-$(wc -l <ran | tr -d ' ')\n")
    (config / "token").chmod(0o755)
    with RawServer(accept) as server:
        loads.sessions(server.origin, "")
        auth = 'auth = { kind = "bearer", token_command = ["./token"] }'
        (config / "sessions.toml").write_text(f'[profile.shop]\nurl = "{server.origin}"\n{auth}\n')
        report = loads.run(loads.plan(of("ping")), Load(5, 5, 600))
    assert set(asked) == {"Bearer token-number-1", "Bearer token-number-2"}
    assert (config / "ran").read_text() == "ran\n" * 2
    assert report.total.failed == asked.count("Bearer token-number-1") <= 5


@pytest.mark.parametrize("allowed", [False, True])
def test_command_of_a_checkout_runs_only_if_it_is_allowed(loads: Loads, allowed: bool) -> None:
    (loads.folder / "token").write_text("#!/bin/sh\necho ran >>ran\necho s3cr3t-of-ada\n")
    (loads.folder / "token").chmod(0o755)
    with RawServer(answer) as server:
        loads.sessions(server.origin, 'auth = { kind = "bearer", token_command = ["./token"] }')
        if allowed:
            words = [sys.executable, "-P", "-m", "rpcexplorer", "profiles", "allow", "shop", "--yes"]
            subprocess.run(words, cwd=loads.folder, env=loads.environment, capture_output=True, check=True)
        report = loads.run(loads.plan(of("ping")), ALONE, lambda report: allowed and report.total.calls > 0)
        assert bool(server.requests) == allowed
    assert (loads.folder / "ran").exists() == allowed
    assert {one.reason for one in report.failures} == (set() if allowed else {"not sent: profile"})


@pytest.mark.thorough
def test_request_is_that_of_the_client(loads: Loads) -> None:
    with RawServer(answer) as server:
        loads.sessions(server.origin, 'auth = { kind = "none" }\nheaders = { X-Tenant = "acme" }')
        loads.run(loads.plan(of("ping")), Load(1, 1, 600))
    names = [name for name, _ in server.requests[0].headers]
    assert names == ["Host", "Content-Type", "Accept", "Content-Length", "X-Tenant", "Accept-Encoding"]
    assert server.requests[0].line == "POST /api/v2/ HTTP/1.1"
    assert server.connections == 1


@pytest.mark.thorough
def test_worker_ignores_the_host_of_a_master(loads: Loads, monkeypatch: pytest.MonkeyPatch) -> None:
    with RawServer(answer) as server, RawServer(answer) as other:
        loads.sessions(server.origin)
        plan, port, stop = loads.plan(of("ping")), free_port(), Stop()
        master, worker = (
            LoadRun(plan, Load(1, 1, 600, role=role), loads.environment, port) for role in ("master", "worker")
        )
        monkeypatch.setattr(
            "rpcexplorer.load.run.commands",
            lambda load, port: [[*commands(load, port)[0], *(["--host", other.origin] * (load.role == "master"))]],
        )

        def look(report: Report) -> None:
            if report.total.calls and not stop.pressed:
                stop.press()

        async def both() -> None:
            runs = (run.run(stopped, look, loads.said.append) for run, stopped in ((master, stop), (worker, Stop())))
            await asyncio.gather(*runs)

        asyncio.run(both())
        assert server.requests
        assert other.requests == []
    assert master.report is not None
    assert master.report.total.calls == len(server.requests)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.everyday(1)
def test_no_process_is_left_after_a_signal(loads: Loads, number: signal.Signals) -> None:
    with RawServer(answer) as server:
        loads.sessions(server.origin)
        process = loads.command("@ping", "--users", "2", "--workers", "2", "--run-time", "1h")
        assert server.wait_for_request(30, 5)
        started = psutil.Process(process.pid).children(recursive=True)
        assert len(started) == 3
        process.send_signal(number)
        out, _ = process.communicate(timeout=60)
        _, alive = psutil.wait_procs(started, timeout=30)
    assert alive == []
    assert process.returncode == (-signal.SIGKILL if number == signal.SIGKILL else 130)
    assert (b"@ping" in out) == (number != signal.SIGKILL)


def test_worker_without_master_ends_with_its_stdin(loads: Loads) -> None:
    loads.sessions("http://127.0.0.1:9")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        [command] = commands(Load(1, 1, 1, role="worker"), silent.getsockname()[1])
        environment = environment_of(loads.environment, str(loads.home))
        with subprocess.Popen(command, stdin=subprocess.PIPE, cwd=loads.folder, env=environment) as worker:
            assert worker.stdin is not None
            worker.stdin.write(msgspec.json.encode(loads.plan(of("ping"))) + b"\n")
            worker.stdin.flush()
            silent.settimeout(30)
            connection, _ = silent.accept()
            try:
                worker.stdin.close()
                worker.wait(timeout=10)
            finally:
                connection.close()
                worker.kill()


def test_master_binds_to_loopback_unless_told() -> None:
    [usual] = commands(Load(1, 1, 1, role="master"), 7)
    [told] = commands(Load(1, 1, 1, role="master", listen="10.0.0.1"), 7)
    assert usual[usual.index("--master-bind-host") + 1] == "127.0.0.1"
    assert told[told.index("--master-bind-host") + 1] == "10.0.0.1"


def test_environment_has_no_options_of_locust() -> None:
    kept = environment_of({"LOCUST_HOST": "x", "PATH": "/bin", "HOME": "/root"}, "/empty")
    assert "LOCUST_HOST" not in kept
    assert (kept["HOME"], kept["PATH"]) == ("/empty", "/bin")


@pytest.mark.thorough
def test_run_time_begins_after_the_imports(loads: Loads, url: str) -> None:
    loads.sessions(url)
    program = """
import time
from types import SimpleNamespace
from rpcexplorer.load import locustfile
import gevent
late = time.perf_counter() + 0.5
while time.perf_counter() < late:
    pass
locustfile.begin(SimpleNamespace(parsed_options=SimpleNamespace(), runner=None))
print(time.time() - gevent.get_hub().loop.now(), file=__import__("sys").stderr)
"""
    ended = subprocess.run(
        [sys.executable, "-P", "-c", program],
        input=msgspec.json.encode(loads.plan(of("ping"))) + b"\n",
        env=loads.environment,
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert float(ended.stderr) < 0.4


def test_users_get_tokens_of_oauth_or_share_that_of_a_login(loads: Loads) -> None:
    with Issuer() as issuer, Resource(issuer) as resource:
        oauth = f'path = "/rpc"\nauth = {{ kind = "oauth", issuer = "{issuer.url}", client_id = '
        loads.own_sessions(resource.origin, f'{oauth}"{CLIENT}", grant = "client" }}')
        loads.environment["RPCEXPLORER_SHOP_CLIENT_SECRET"] = SECRET
        report = loads.run(loads.plan(of("ping")), ALONE)
        assert (report.total.failed, counts(report)["login"]) == (0, 2)
        loads.own_sessions(resource.origin, f'{oauth}"public" }}')
        del loads.environment["RPCEXPLORER_SHOP_CLIENT_SECRET"]
        issuer.clients["public"] = ""
        report = loads.run(loads.plan(of("ping")), ALONE, lambda report: report.total.calls > 0)
        assert report.total.failed == report.total.calls > 0
        assert any("rpcexplorer login -p shop" in line for line in loads.said)
        opened = json.loads(issuer.issue({}, renewable=True).partition(b"\r\n\r\n")[2])
        issuer.revoke()
        explorer = Explorer.open(folder=loads.folder, environment=loads.environment)
        profile = explorer.use("shop")
        grant = {"token_endpoint": f"{issuer.url}/token", "issuer": issuer.url, "client_id": "public"}
        grant |= {"refresh_token": opened["refresh_token"]}
        explorer.secrets.save(profile, "session", opened["access_token"], grant)
        report = loads.run(loads.plan(of("ping")), ALONE)
        assert report.total.failed == 0
        assert [form["grant_type"] for form in issuer.forms].count("refresh_token") == 1


def test_session_that_is_refused_says_why(loads: Loads) -> None:
    loads.own_sessions("http://rpc.example.com", 'auth = { kind = "oauth" }')
    explorer = Explorer.open(folder=loads.folder, environment=loads.environment)
    explorer.secrets.save(explorer.use("shop"), "session", "a-token")
    report = loads.run(loads.plan(of("ping")), ALONE, lambda report: report.total.calls > 0)
    assert report.total.failed == report.total.calls
    assert any("rpc.example.com uses plain HTTP" in line for line in loads.said), loads.said
