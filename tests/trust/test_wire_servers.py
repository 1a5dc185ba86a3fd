"""A server that dies, returns, moves or changes: each has its own error."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

import pytest

from tests.fakes.shell import Ran, Shell
from tests.fakes.wire import HOLD, RESET, Authority, RawServer, http_reply
from tests.trust.visits import CUT, PONG, Again

HOST = "rpc.example.test"


def call(shell: Shell) -> Ran:
    return shell.run("call", "m", RPCEXPLORER_HERE_SESSION="s3ss10n-s3ss10n")


def expect(ran: Ran, code: int, *messages: str) -> None:
    """Check the exit code and one error with a hint, without a secret."""
    assert ran.code == code, ran.err
    assert [words for words in messages if words not in ran.err] == []
    assert ran.err.partition("hint: ")[0].count("\n") <= 2
    assert "Traceback" not in ran.err
    assert "s3ss10n" not in ran.err


def profile(shell: Shell, url: str, ca_file: Path | None = None) -> None:
    trusted = f'ca_file = "{ca_file}"\n' if ca_file else ""
    shell.sessions(f'[profile.here]\nurl = "{url}"\n{trusted}auth = {{ kind = "cookie" }}\n')


def test_server_that_dies_and_returns_is_reported_between(shell: Shell) -> None:
    with RawServer(PONG, http_reply(b'{"json', headers=CUT), [RESET]) as server:
        profile(shell, server.origin)
        expect(call(shell), 0)
        expect(call(shell), 4, "closed the connection during the response",
               "6 of 100 bytes were received", "the server may have run it: check before you resend it")  # fmt: skip
        expect(call(shell), 4, "closed the connection without a response. It may have stopped or restarted",
               "the server may have run it: check before you resend it")  # fmt: skip
    ran = call(shell)
    expect(
        ran,
        4,
        f"Nothing accepts connections at 127.0.0.1:{server.port}. Check the port, and that the service is running",
    )
    assert "may have run it" not in ran.err
    with Again(PONG, port=server.port):
        expect(call(shell), 0)


def test_gateway_error_differs_from_server_error(shell: Shell) -> None:
    with RawServer(http_reply(b"<html>502 Bad Gateway", 502), http_reply(b"upstream is down", 503)) as server:
        profile(shell, server.origin)
        expect(call(shell), 5, "HTTP 502 Bad Gateway: a gateway got no valid response from the service behind it.")
        expect(call(shell), 5, "plain text, not JSON", "HTTP 503")


def test_program_without_http_on_the_port_is_reported(shell: Shell) -> None:
    with RawServer(b"SSH-2.0-OpenSSH_9.6\r\n\r\n") as server:
        profile(shell, server.origin)
        expect(
            call(shell), 4, "did not respond with HTTP. Check the port, and whether the URL needs http:// or https://"
        )


def test_certificate_of_another_authority_gets_no_request(shell: Shell, authority: Authority, tmp_path: Path) -> None:
    pem = authority.write(tmp_path)
    with RawServer(PONG, tls=authority.server()) as server:
        profile(shell, server.origin, pem)
        expect(call(shell), 0)
    with Again(PONG, port=server.port, tls=Authority().server()) as impostor:
        expect(call(shell), 4, f"The certificate of 127.0.0.1:{server.port} is signed by an unknown authority",
               "Ask the owner of the server", f"ca_file {pem} does not contain its authority")  # fmt: skip
    assert impostor.requests == []
    with Again(PONG, port=server.port, tls=authority.server()) as back:
        expect(call(shell), 0)
    assert back.requests[0].header("Cookie") == "sessionid=s3ss10n-s3ss10n"


def test_certificate_errors_name_the_cause(shell: Shell, authority: Authority, tmp_path: Path) -> None:
    with RawServer(PONG, tls=authority.server("elsewhere.example")) as server:
        profile(shell, server.origin, authority.write(tmp_path))
        expect(call(shell), 4, "is for another host. Use a host name that the certificate contains")
        profile(shell, server.origin)
        assert shell.run("profiles", "allow", "here", "--yes").code == 0
        expect(call(shell), 4, "signed by an unknown authority",
               "If you trust it, set ca_file in the profile to the PEM file")  # fmt: skip
    assert server.requests == []


def test_changed_scheme_of_a_server_is_reported(shell: Shell, authority: Authority) -> None:
    def answer_plainly() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=answer_plainly)
        thread.start()
        profile(shell, f"https://127.0.0.1:{listener.getsockname()[1]}")
        expect(call(shell), 4, "does not use TLS. Check the port, and whether the URL must begin with http://")
        thread.join()
    with RawServer(PONG, tls=authority.server()) as server:
        profile(shell, server.origin.replace("https:", "http:"))
        assert shell.run("profiles", "allow", "here", "--forget").code == 0
        expect(call(shell), 4, "closed the connection without a response", "or it needs https://")


def test_redirect_is_reported_and_not_followed(shell: Shell) -> None:
    with RawServer(PONG) as other:
        place = f"http://localhost:{other.port}/v3/\x1b]8;;x\x07"
        with RawServer(PONG, http_reply(b"", 308, {"Location": place})) as server:
            profile(shell, server.origin)
            expect(call(shell), 0)
            moved = f"HTTP 308 Permanent Redirect: the server redirects to http://localhost:{other.port}/v3/␛]8;;x␇."
            expect(call(shell), 5, moved, "Redirects are not followed.", "Check it, then set it in the profile")
    assert other.requests == []


def test_unknown_host_differs_from_a_closed_port(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    known, look_up = True, socket.getaddrinfo

    def resolver(host: str | bytes, *arguments: object, **options: object) -> object:
        if host not in {HOST, HOST.encode()}:
            return look_up(host, *arguments, **options)  # type: ignore[arg-type]
        if known:
            return look_up("127.0.0.1", *arguments, **options)  # type: ignore[arg-type]
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", resolver)
    with RawServer(PONG) as server:
        shell.sessions(f'[profile.here]\nurl = "http://{HOST}:{server.port}"\nauth = {{ kind = "none" }}\n')
        expect(call(shell), 0)
    expect(call(shell), 4, f"Nothing accepts connections at {HOST}:{server.port}")
    known = False
    expect(call(shell), 4, f"The host {HOST} was not found. Check its spelling",
           "the network and the VPN")  # fmt: skip


@pytest.mark.thorough
def test_early_refusal_of_a_large_call_is_shown(shell: Shell) -> None:
    refusal = http_reply(b"too large, by far", 413, reason="Content Too Large", headers={"Connection": "close"})
    with RawServer([refusal, HOLD], read_body=False) as server:
        profile(shell, server.origin)
        large = f'["{"x" * 20 * 1024 * 1024}"]'.encode()
        ran = shell.run("call", "m", "-", "--body", "--timeout", "5", RPCEXPLORER_HERE_SESSION="s3ss10n", stdin=large)
    assert (ran.code, ran.text) == (5, "too large, by far")
    assert "HTTP 413" in ran.err
    assert "The response began before the whole request was sent" in ran.err
