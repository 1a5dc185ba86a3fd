from __future__ import annotations

import subprocess
import sys

import pytest

from rpcexplorer.transport.port import Request, Response


def response(*headers: tuple[str, str]) -> Response:
    return Response(200, "OK", "HTTP/1.1", headers, b"secret", 6)


def test_first_of_several_headers_is_found() -> None:
    assert response(("Set-Cookie", "b=1"), ("X", "-"), ("set-cookie", "a=2")).header("Set-Cookie") == "b=1"


def test_repr_hides_possible_secrets() -> None:
    request = Request("http://h/", b"secret", headers=(("X-Key", "secret"),), cookie="sessionid=secret")
    assert "secret" not in repr(request)
    assert "secret" not in repr(response(("Set-Cookie", "sessionid=secret")))


@pytest.mark.parametrize("module", ["", ".port", ".request", ".response"])
def test_httpx_is_imported_only_for_sending(module: str) -> None:
    code = f"import sys, rpcexplorer.transport{module}; sys.exit(any('http' in m.split('.')[0] for m in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
