from __future__ import annotations

import subprocess
import sys

import pytest

from rpcexplorer.transport.port import Request, Response


def response(*headers: tuple[str, str]) -> Response:
    return Response(200, "OK", "HTTP/1.1", headers, b"secret", 6)


def test_of_several_headers_of_one_name_the_first_is_found() -> None:
    assert response(("Set-Cookie", "b=1"), ("X", "-"), ("set-cookie", "a=2")).header("Set-Cookie") == "b=1"


def test_no_repr_shows_what_may_be_secret() -> None:
    request = Request("http://h/", b"secret", headers=(("X-Key", "secret"),), cookie="sessionid=secret")
    assert "secret" not in repr(request)
    assert "secret" not in repr(response(("Set-Cookie", "sessionid=secret")))


@pytest.mark.parametrize("module", ["", ".port", ".request", ".response"])
def test_only_sending_costs_the_import_of_httpx(module: str) -> None:
    code = f"import sys, rpcexplorer.transport{module}; sys.exit(any('http' in m.split('.')[0] for m in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
